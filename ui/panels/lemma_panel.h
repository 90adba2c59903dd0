#pragma once

#include "core/workspace/lemma_review.h"

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

class LemmaFilterModel;
class LemmaModel;
class LemmaTreeView;
class LongText;
class ReviewNoteEditor;

/// The lemmas of a review: filter by words and state, sort by any column, group by rewrite region, fold what is proved, step
/// through what fails; below them the note on the selected one.
class LemmaPanel : public QWidget {
    Q_OBJECT

  public:
    explicit LemmaPanel(QWidget* parent = nullptr);

    /// Null, or a list without a result: `emptyText` says why and what to do. The selection stays on its lemma where that is
    /// still there, without emitting.
    void setLemmas(std::shared_ptr<const LemmaList> lemmas, const QString& emptyText);
    void setLemmas(std::shared_ptr<const LemmaList> lemmas) { setLemmas(std::move(lemmas), m_emptyText); }
    /// As a list of its own, without notes.
    void setResult(std::shared_ptr<const CheckResult> result, const QString& emptyText);
    [[nodiscard]] const std::shared_ptr<const LemmaList>& lemmas() const;
    [[nodiscard]] std::optional<std::size_t> selectedLemma() const;
    /// Of the selected row, also a detached one: index into the list's notes.
    [[nodiscard]] std::optional<std::size_t> selectedNote() const;
    /// Selects without emitting; clears when nothing or filtered out.
    void selectLemma(std::optional<std::size_t> lemma);
    /// The failing lemma after (or before) `from` in the order shown, round the end; those that are not proved when none fails.
    /// Lemmas that the filter hides count too, after the ones shown.
    [[nodiscard]] std::optional<std::size_t> nextFailing(std::optional<std::size_t> from, bool backwards) const;

    void setProvedFolded(bool folded);
    [[nodiscard]] bool isProvedFolded() const;
    void setGrouped(bool grouped);
    [[nodiscard]] bool isGrouped() const;
    void focusFilter();
    [[nodiscard]] LemmaTreeView* table() const { return m_table; }
    [[nodiscard]] ReviewNoteEditor* editor() const { return m_editor; }
    /// Opens the editor on the selected lemma; false when none is selected.
    bool openEditor();
    /// What stands in the editor and is not kept yet, with the lemma it is about; without a name and a time.
    [[nodiscard]] std::optional<ReviewNote> draft() const;
    /// Names of the values that are accepted as equal, shown below the list with a way to take each back.
    void setAccepted(const std::vector<std::pair<std::string, std::string>>& pairs);

  Q_SIGNALS:
    void lemmaSelected(std::size_t lemma); ///< by the user
    void selectionMoved();                 ///< by whom ever, also onto a region or a detached note
    void provedFoldedChanged(bool folded);
    void groupedChanged(bool grouped);
    void draftLeft(const lemmascope::ReviewNote& note); ///< the reader went on to another lemma without keeping it
    void takeBackRequested(std::size_t accepted);       ///< its place among those set last

  private:
    void updateSummary();
    void updateEditor(bool open);
    void leaveDraft();
    void expandRegions();
    void spanRegions();
    [[nodiscard]] QModelIndex currentRow() const; ///< of the source model

    LemmaModel* m_model;
    LemmaFilterModel* m_shown;
    QLineEdit* m_filter;
    QComboBox* m_show;
    QCheckBox* m_fold;
    QCheckBox* m_group;
    LemmaTreeView* m_table;
    LongText* m_empty;
    QLabel* m_summary;
    QLabel* m_accepted;
    ReviewNoteEditor* m_editor;
    std::optional<ReviewNote> m_edited; ///< the lemma in the editor
    QString m_emptyText;
    bool m_selecting = false;
};

} // namespace lemmascope
