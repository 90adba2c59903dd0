#pragma once

#include "core/workspace/lemma_review.h"

#include <QFrame>

#include <optional>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace lemmascope {

/// What a reviewer says of one lemma: a few lines, a name, and buttons to keep or to take back. Ctrl+Enter keeps it, Esc goes back
/// to what is kept. Lives below the lemma list; never a box in the way.
class ReviewNoteEditor : public QFrame {
    Q_OBJECT

  public:
    explicit ReviewNoteEditor(QWidget* parent = nullptr);

    /// `note` null: not reviewed yet. `detached`: its lemma is gone, so that the note can only be removed.
    void showLemma(const QString& lemma, const ReviewNote* note, bool detached = false);
    void setReviewer(const QString& name);
    [[nodiscard]] QString reviewer() const;
    [[nodiscard]] QString text() const;
    void setText(const QString& text);
    /// The text differs from what is kept.
    [[nodiscard]] bool isDraft() const;
    void focusText();

  Q_SIGNALS:
    void keepRequested(); ///< mark reviewed with this text
    void removeRequested();
    void leaveRequested(); ///< Esc: the list takes the keys again
    void edited();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QLabel* m_title;
    QPlainTextEdit* m_text;
    QLineEdit* m_reviewer;
    QPushButton* m_keep;
    QPushButton* m_remove;
    QString m_kept;
};

} // namespace lemmascope
