#pragma once

#include "core/workspace/lemma_review.h"

#include <QAbstractItemModel>
#include <QSortFilterProxyModel>

#include <memory>
#include <optional>

namespace lemmascope {

/// The lemmas of a review as a tree: in the result's order at the top, or below the rewrite region that they belong to; below all
/// of them the detached notes, where there are any.
class LemmaModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Column { StatusColumn, IdColumn, TitleColumn, RungColumn, ReviewColumn, ColumnCount };
    enum Role { VerdictRole = Qt::UserRole, SortRole, SearchRole, ReviewedRole, ObsoleteRole, RowRole };
    /// What stands in a row: RowRole.
    enum Row { LemmaRow, RegionRow, DetachedRow, DetachedNoteRow };

    explicit LemmaModel(QObject* parent = nullptr);

    void setLemmas(std::shared_ptr<const LemmaList> lemmas);
    [[nodiscard]] const std::shared_ptr<const LemmaList>& lemmas() const { return m_lemmas; }
    void setGrouped(bool grouped);
    [[nodiscard]] bool isGrouped() const { return m_grouped; }
    [[nodiscard]] std::size_t lemmaCount() const { return m_lemmas && m_lemmas->result ? m_lemmas->result->lemmas.size() : 0; }
    [[nodiscard]] const LemmaResult& lemma(std::size_t index) const { return m_lemmas->result->lemmas[index]; }
    /// The lemma of a row; nothing where another thing stands there.
    [[nodiscard]] std::optional<std::size_t> lemmaAt(const QModelIndex& index) const;
    /// The note of a lemma's or a detached row: index into LemmaList::notes.
    [[nodiscard]] std::optional<std::size_t> noteAt(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOf(std::size_t lemma, int column = 0) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& index) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    struct Place {
        Row row = LemmaRow;
        std::size_t index = 0; ///< of the lemma, region or note
    };
    [[nodiscard]] static Place placeOf(const QModelIndex& index);
    [[nodiscard]] int topCount() const; ///< without the detached notes
    [[nodiscard]] bool isObsolete() const { return m_lemmas->source == LemmaSource::Obsolete; }
    [[nodiscard]] QVariant lemmaData(std::size_t index, int column, int role) const;
    [[nodiscard]] QVariant regionData(std::size_t index, int column, int role) const;
    [[nodiscard]] QVariant noteData(std::size_t index, int column, int role) const;
    [[nodiscard]] QVariant detachedData(int column, int role) const;
    [[nodiscard]] QString statusText(const LemmaResult& entry) const;

    std::shared_ptr<const LemmaList> m_lemmas;
    bool m_grouped = false;
    std::vector<std::size_t> m_rowInRegion; ///< by lemma
};

/// What is shown of a LemmaModel: by text, by state, with what is proved folded away. A region stands as long as one of its
/// lemmas does.
class LemmaFilterModel : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    enum class Show { All, Failing, Open, NotReviewed, Reviewed, Obsolete, Undecided, Vacuous, Holding };

    explicit LemmaFilterModel(QObject* parent = nullptr);

    /// Every word of `text` must stand in the lemma's id, title, verdict, reason, note or node names, in any case.
    void setText(const QString& text);
    void setShow(Show show);
    void setProvedFolded(bool folded);
    [[nodiscard]] bool isProvedFolded() const { return m_provedFolded; }
    [[nodiscard]] int shownLemmas() const;

  protected:
    [[nodiscard]] bool filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const override;
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

  private:
    QStringList m_words;
    Show m_show = Show::All;
    bool m_provedFolded = false;
};

/// `2 fail · 1 undecided · 34 hold` of these counts; empty when all are 0.
struct LemmaCounts;
[[nodiscard]] QString shortCounts(const LemmaCounts& counts);

} // namespace lemmascope
