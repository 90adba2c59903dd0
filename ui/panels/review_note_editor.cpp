#include "ui/panels/review_note_editor.h"

#include "ui/views/text.h"
#include "ui/views/verdict_text.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace lemmascope {

namespace {

constexpr qsizetype LongestName = 40; ///< characters of a name in the title

/// Of a name that may be anything, what fits a line.
QString shortened(const QString& name) { return name.size() <= LongestName ? name : name.left(LongestName - 1) + u'…'; }

} // namespace

ReviewNoteEditor::ReviewNoteEditor(QWidget* parent) : QFrame(parent) {
    setFrameShape(StyledPanel);
    setAccessibleName(tr("Review of the lemma"));
    m_title = new QLabel(this);
    m_title->setObjectName(QStringLiteral("reviewTitle"));
    m_title->setAccessibleName(tr("What is reviewed"));
    m_title->setTextFormat(Qt::PlainText);
    m_title->setWordWrap(true);
    m_title->setMinimumWidth(1); // a long word of a session file does not widen the pane
    m_text = new QPlainTextEdit(this);
    m_text->setObjectName(QStringLiteral("reviewText"));
    m_text->setAccessibleName(tr("Note on the lemma"));
    m_text->setPlaceholderText(tr("What you found (may stay empty)"));
    m_text->setTabChangesFocus(true);
    m_text->setFixedHeight(fontMetrics().lineSpacing() * 3 + 14);
    m_text->installEventFilter(this);
    m_reviewer = new QLineEdit(this);
    m_reviewer->setObjectName(QStringLiteral("reviewerName"));
    m_reviewer->setAccessibleName(tr("Reviewer"));
    m_reviewer->setPlaceholderText(tr("Reviewer"));
    m_reviewer->setToolTip(tr("Whose name stands with the note"));
    m_reviewer->setMaxLength(200);
    m_reviewer->installEventFilter(this);
    m_keep = new QPushButton(tr("Mark re&viewed"), this);
    m_keep->setObjectName(QStringLiteral("reviewKeep"));
    m_keep->setAccessibleName(tr("Mark the lemma reviewed"));
    m_keep->setToolTip(tr("Keep this note and mark the lemma reviewed (Ctrl+Enter)"));
    m_remove = new QPushButton(tr("Re&move"), this);
    m_remove->setObjectName(QStringLiteral("reviewRemove"));
    m_remove->setAccessibleName(tr("Remove the review"));
    m_remove->setToolTip(tr("Take the review and its note back (Shift+R)"));

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_reviewer, 1);
    buttons->addWidget(m_keep);
    buttons->addWidget(m_remove);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(6, 4, 6, 4);
    all->setSpacing(4);
    all->addWidget(m_title);
    all->addWidget(m_text);
    all->addLayout(buttons);
    connect(m_keep, &QPushButton::clicked, this, &ReviewNoteEditor::keepRequested);
    connect(m_remove, &QPushButton::clicked, this, &ReviewNoteEditor::removeRequested);
    connect(m_text, &QPlainTextEdit::textChanged, this, &ReviewNoteEditor::edited);
}

void ReviewNoteEditor::showLemma(const QString& lemma, const ReviewNote* note, bool detached) {
    QString title;
    const QString reviewer = note == nullptr || note->reviewer.empty() ? tr("a reviewer") : shortened(toQString(note->reviewer));
    if (note != nullptr) {
        const QString when = note->time == 0 ? QString() : QLocale().toString(QDateTime::fromSecsSinceEpoch(note->time), QLocale::ShortFormat);
        title = detached ? tr("%1: detached note of %2, %3. The lemma is gone or says something else now.").arg(shortened(lemma), reviewer, when)
                         : tr("%1: reviewed by %2, %3, when the verdict was: %4").arg(shortened(lemma), reviewer, when, word(note->verdict));
    } else {
        title = tr("%1: not reviewed yet").arg(shortened(lemma));
    }
    m_title->setText(title);
    m_title->setToolTip(note == nullptr || reviewer == toQString(note->reviewer) ? QString() : toQString(note->reviewer).toHtmlEscaped());
    m_kept = note == nullptr ? QString() : toQString(note->text);
    setText(m_kept);
    m_text->setReadOnly(detached);
    m_keep->setVisible(!detached);
    m_reviewer->setVisible(!detached);
    m_keep->setText(note == nullptr ? tr("Mark re&viewed") : tr("&Keep note"));
    m_remove->setEnabled(note != nullptr);
}

void ReviewNoteEditor::setReviewer(const QString& name) { m_reviewer->setText(name); }

QString ReviewNoteEditor::reviewer() const { return m_reviewer->text().simplified(); }

QString ReviewNoteEditor::text() const { return m_text->toPlainText(); }

void ReviewNoteEditor::setText(const QString& text) {
    if (m_text->toPlainText() != text) {
        m_text->setPlainText(text);
    }
}

bool ReviewNoteEditor::isDraft() const { return !m_text->isReadOnly() && text() != m_kept; }

void ReviewNoteEditor::focusText() {
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->moveCursor(QTextCursor::End);
}

bool ReviewNoteEditor::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool enter = (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) && (key->modifiers() & Qt::ControlModifier) != 0;
        if (enter || key->key() == Qt::Key_Escape) {
            event->accept(); // Esc stops the check elsewhere
            if (event->type() == QEvent::KeyPress) {
                if (enter) {
                    Q_EMIT keepRequested();
                } else {
                    setText(m_kept);
                    Q_EMIT leaveRequested();
                }
            }
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace lemmascope
