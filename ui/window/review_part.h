#pragma once

#include "core/workspace/lemma_review.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>

class QAction;

namespace lemmascope {

class LatestJob;
class LemmaPanel;
class MainWindow;

/// The lemmas as a review: mark reviewed with a note, group, check one again, look longer for a counterexample, replay what is
/// obsolete, limits.
class ReviewPart : public QObject {
    Q_OBJECT

  public:
    explicit ReviewPart(MainWindow* window);
    ~ReviewPart() override;

    void markReviewed(); ///< opens the editor on the selected lemma
    void removeReview();
    void checkSelected(bool counterexample);
    void replayObsolete();
    void showLimits();
    /// What is being written becomes a note now.
    void keepDraft();
    /// Likewise as it would be kept, without doing so.
    [[nodiscard]] std::optional<ReviewNote> draft() const;

  private:
    void updateActions();
    void keep(ReviewNote note);
    void showObsolete(std::size_t lemma);
    void saveQuery(const QString& file, const QString& text);
    void tellRechecked(std::optional<std::size_t> lemma, bool counterexample);

    MainWindow* m_window;
    LemmaPanel* m_panel;
    QAction* m_checkAction;
    QAction* m_replayAction;
    QAction* m_exampleAction;
    QAction* m_reviewAction;
    QAction* m_removeAction;
    QAction* m_groupAction;
    std::unique_ptr<LatestJob> m_save;
};

} // namespace lemmascope
