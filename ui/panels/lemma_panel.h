#pragma once

#include "core/prove/check_result.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;

namespace lemmascope {

class FactTableView;
class LongText;
class LemmaFilterModel;
class LemmaModel;

/// The lemmas of the result: filter by words and verdict, sort by any column, fold what is proved, step through what fails.
class LemmaPanel : public QWidget {
    Q_OBJECT

  public:
    explicit LemmaPanel(QWidget* parent = nullptr);

    /// Null: no result; `emptyText` says why and what to do.
    void setResult(std::shared_ptr<const CheckResult> result, const QString& emptyText);
    [[nodiscard]] std::optional<std::size_t> selectedLemma() const;
    /// Selects without emitting; clears when nothing or filtered out.
    void selectLemma(std::optional<std::size_t> lemma);
    /// The failing lemma after (or before) `from` in the order shown, round the end; those that are not proved when none fails.
    /// Lemmas that the filter hides count too, after the ones shown.
    [[nodiscard]] std::optional<std::size_t> nextFailing(std::optional<std::size_t> from, bool backwards) const;

    void setProvedFolded(bool folded);
    [[nodiscard]] bool isProvedFolded() const;
    void focusFilter();
    [[nodiscard]] FactTableView* table() const { return m_table; }
    /// Names of the values that are accepted as equal, shown below the list with a way to take each back.
    void setAccepted(const std::vector<std::pair<std::string, std::string>>& pairs);

  Q_SIGNALS:
    void lemmaSelected(std::size_t lemma); ///< by the user
    void provedFoldedChanged(bool folded);
    void takeBackRequested(std::size_t accepted); ///< its place among those set last

  private:
    void updateSummary();

    LemmaModel* m_model;
    LemmaFilterModel* m_shown;
    QLineEdit* m_filter;
    QComboBox* m_verdicts;
    QCheckBox* m_fold;
    FactTableView* m_table;
    LongText* m_empty;
    QLabel* m_summary;
    QLabel* m_accepted;
    QString m_emptyText;
    bool m_selecting = false;
};

} // namespace lemmascope
