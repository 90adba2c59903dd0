#include "ui/window/play_part.h"

#include "ui/panels/counterexample_panel.h"
#include "ui/views/fact_table_view.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QApplication>
#include <QBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QStyle>
#include <QToolButton>

namespace lemmascope {

PlayPart::PlayPart(MainWindow& window) : QObject(&window), m_window(window) {
    m_timer.setInterval(StepMs);
    connect(&m_timer, &QTimer::timeout, this, &PlayPart::step);
    m_action = window.addLetterAction(
        window.menu(MainWindow::Menu::Go), tr("Pla&y the Values"), {QKeySequence(QStringLiteral("P"))},
        [this] {
            if (isPlaying()) {
                stop();
            } else {
                play();
            }
        },
        MainWindow::Needs::Result);
    m_action->setCheckable(true);
    m_action->setIcon(window.style()->standardIcon(QStyle::SP_MediaPlay));
    m_action->setToolTip(tr("Go along the values of the counterexample (P); Space or Esc stops"));
    auto* button = new QToolButton(window.counterexample());
    button->setObjectName(QStringLiteral("playButton"));
    button->setDefaultAction(m_action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(tr("Play the values"));
    m_action->setIconText(tr("Play"));
    if (QLayout* layout = window.counterexample()->layout(); layout->count() > 0) {
        if (auto* row = qobject_cast<QBoxLayout*>(layout->itemAt(0)->layout())) {
            row->insertWidget(1, button);
        }
    }
    const auto follow = [this, button] {
        button->setVisible(length() > 0);
        if (length() == 0) {
            stop();
        }
    };
    connect(window.session(), &PairSession::stateChanged, this, follow);
    connect(window.session(), &PairSession::opened, this, &PlayPart::stop);
    connect(&window, &MainWindow::selectionChanged, this, &PlayPart::stop); // the reader looks elsewhere
    follow();
}

int PlayPart::length() const {
    const auto& result = m_window.session()->session().result;
    return result && result->counterexample ? static_cast<int>(result->counterexample->path.size()) : 0;
}

int PlayPart::position() const {
    const auto* table = m_window.counterexample()->findChild<FactTableView*>(QStringLiteral("pathTable"));
    return table == nullptr ? -1 : table->currentIndex().row();
}

void PlayPart::play() {
    if (length() == 0) {
        m_action->setChecked(false);
        return;
    }
    m_window.showDock(MainWindow::Dock::Counterexample, false);
    if (position() + 1 >= length()) {
        m_window.counterexample()->step(-length()); // again from the start
    } else {
        m_window.counterexample()->step(1);
    }
    qApp->installEventFilter(this);
    m_action->setChecked(true);
    m_timer.start();
}

void PlayPart::stop() {
    m_timer.stop();
    qApp->removeEventFilter(this);
    m_action->setChecked(false);
}

void PlayPart::step() {
    if (position() + 1 >= length()) {
        stop();
        return;
    }
    m_window.counterexample()->step(1);
    if (position() + 1 >= length()) {
        stop();
    }
}

bool PlayPart::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->modifiers() == Qt::NoModifier && (key->key() == Qt::Key_Space || key->key() == Qt::Key_Escape)) {
            if (event->type() == QEvent::KeyPress) {
                stop();
            } else {
                event->accept(); // Esc stops this and no check
            }
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace lemmascope
