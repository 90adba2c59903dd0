#pragma once

#include "core/prove/check_result.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <memory>
#include <optional>

namespace lemmascope {

/// The lemmas of one result, in its order. Row numbers are indices into CheckResult::lemmas.
class LemmaModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { StatusColumn, IdColumn, TitleColumn, RungColumn, ColumnCount };
    enum Role { VerdictRole = Qt::UserRole, SortRole, SearchRole };

    explicit LemmaModel(QObject* parent = nullptr);

    void setResult(std::shared_ptr<const CheckResult> result);
    [[nodiscard]] const std::shared_ptr<const CheckResult>& result() const { return m_result; }
    [[nodiscard]] const LemmaResult& lemma(int row) const { return m_result->lemmas[static_cast<std::size_t>(row)]; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    std::shared_ptr<const CheckResult> m_result;
};

/// What is shown of a LemmaModel: by text, by verdict, with what is proved folded away.
class LemmaFilterModel : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    explicit LemmaFilterModel(QObject* parent = nullptr);

    /// Every word of `text` must stand in the lemma's id, title, verdict, reason or node names, in any case.
    void setText(const QString& text);
    void setVerdict(std::optional<LemmaVerdict> verdict);
    void setProvedFolded(bool folded);
    [[nodiscard]] bool isProvedFolded() const { return m_provedFolded; }

  protected:
    [[nodiscard]] bool filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const override;
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

  private:
    QStringList m_words;
    std::optional<LemmaVerdict> m_verdict;
    bool m_provedFolded = false;
};

} // namespace lemmascope
