#include "ui/panels/find_bar.h"

#include "ui/views/icon_button.h"
#include "ui/views/node_query.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QToolButton>

namespace lemmascope {

FindBar::FindBar(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("findBar"));
    setAccessibleName(tr("Find in both graphs"));
    auto* label = new QLabel(tr("Find:"), this);
    label->setAccessibleName(tr("Find"));
    m_edit = new QLineEdit(this);
    m_edit->setObjectName(QStringLiteral("findQuery"));
    m_edit->setAccessibleName(tr("What to find"));
    m_edit->setPlaceholderText(tr("words, op:softmax name:layer.0 shape:[8,128,*] dtype:f16 attr:axis=1 mark:failing side:rew"));
    m_edit->setClearButtonEnabled(true);
    m_edit->setMaxLength(10'000);
    QString help = tr("Words are looked for in names and operators. Fields narrow it:");
    for (const auto& [name, what] : NodeQuery::fields()) {
        help += QStringLiteral("\n%1: %2").arg(name, what);
    }
    help += u'\n' + tr("A minus before a term turns it round; quotes keep blanks together; * stands for anything.");
    m_edit->setToolTip(help);
    label->setBuddy(m_edit);
    m_edit->installEventFilter(this);
    m_answer = new QLabel(this);
    m_answer->setObjectName(QStringLiteral("findAnswer"));
    m_answer->setAccessibleName(tr("Found"));
    m_answer->setTextFormat(Qt::PlainText);
    m_answer->setMinimumWidth(fontMetrics().averageCharWidth() * 12);
    m_previous = iconButton(tr("Previous hit"), tr("Previous hit (Shift+F3)"), QStyle::SP_ArrowUp, this);
    m_next = iconButton(tr("Next hit"), tr("Next hit (F3)"), QStyle::SP_ArrowDown, this);
    m_close = iconButton(tr("Close the find bar"), tr("Close (Esc)"), QStyle::SP_TitleBarCloseButton, this);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(6, 2, 6, 2);
    row->addWidget(label);
    row->addWidget(m_edit, 1);
    row->addWidget(m_answer);
    row->addWidget(m_previous);
    row->addWidget(m_next);
    row->addWidget(m_close);
    connect(m_edit, &QLineEdit::textChanged, this, &FindBar::queryChanged);
    connect(m_previous, &QToolButton::clicked, this, [this] { Q_EMIT stepRequested(true); });
    connect(m_next, &QToolButton::clicked, this, [this] { Q_EMIT stepRequested(false); });
    connect(m_close, &QToolButton::clicked, this, &FindBar::closeRequested);
    setStepsEnabled(false);
}

QString FindBar::text() const { return m_edit->text(); }

void FindBar::setText(const QString& text) { m_edit->setText(text); }

void FindBar::setAnswer(const QString& text, bool wrong) {
    const QString shown = wrong ? QStringLiteral("\u2717 ") + text : text;
    // A long sentence gives way to the query; it is whole in the tool tip and to a screen reader.
    const int room = std::max(width() / 2, fontMetrics().averageCharWidth() * 24);
    m_answer->setText(m_answer->fontMetrics().elidedText(shown, Qt::ElideRight, room));
    m_answer->setToolTip(shown);
    m_answer->setAccessibleDescription(shown);
    m_edit->setAccessibleDescription(shown);
}

QString FindBar::answer() const { return m_answer->toolTip(); }

void FindBar::setStepsEnabled(bool on) {
    m_previous->setEnabled(on);
    m_next->setEnabled(on);
}

void FindBar::open() {
    show();
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
}

void FindBar::addAction(QAction* action) {
    auto* made = new QToolButton(this);
    made->setDefaultAction(action);
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::TabFocus);
    QString name = action->text();
    made->setAccessibleName(name.remove(u'&'));
    auto* row = static_cast<QHBoxLayout*>(layout());
    row->insertWidget(row->indexOf(m_close), made);
    setTabOrder(m_next, made);
    setTabOrder(made, m_close);
}

bool FindBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_edit && (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride)) {
        auto* key = static_cast<QKeyEvent*>(event);
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        const bool plain = (key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0;
        if (plain && (enter || key->key() == Qt::Key_Escape)) {
            if (event->type() == QEvent::ShortcutOverride) {
                key->accept(); // while one types, Esc closes the bar and stops nothing
                return true;
            }
            if (enter) {
                Q_EMIT stepRequested((key->modifiers() & Qt::ShiftModifier) != 0);
            } else {
                Q_EMIT closeRequested();
            }
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace lemmascope
