#include "ui/window/access_part.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/panels/verdict_banner.h"
#include "ui/views/cut_text_tips.h"
#include "ui/window/main_window.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QEvent>
#include <QFocusFrame>
#include <QLabel>
#include <QPointer>
#include <QSplitter>
#include <QToolBar>
#include <QToolButton>

namespace lemmascope {

AccessPart::AccessPart(MainWindow* window) : QObject(window), m_window(window) {
    nameHandles();
    qApp->installEventFilter(new CutTextTips(this));
    // Lists and texts without a line to show it on, and flat buttons, do not show that they have the focus; canvases do.
    // The frame moves to where it is seen, and may go away with that.
    connect(qApp, &QApplication::focusChanged, this, [this, frame = QPointer<QFocusFrame>()](QWidget*, QWidget* now) mutable {
        const bool bare = now != nullptr && now->window() == m_window && qobject_cast<GraphCanvas*>(now) == nullptr &&
                          (qobject_cast<QAbstractScrollArea*>(now) != nullptr || qobject_cast<QToolButton*>(now) != nullptr);
        if (bare && frame == nullptr) {
            frame = new QFocusFrame(m_window);
        }
        if (frame != nullptr) {
            frame->setWidget(bare ? now : nullptr);
        }
    });
    // After the banner has taken the new state in.
    connect(window->session(), &PairSession::stateChanged, this, &AccessPart::announceVerdict, Qt::QueuedConnection);
    QAccessible::installActivationObserver(this);
    accessibilityActiveChanged(QAccessible::isActive());
}

AccessPart::~AccessPart() { QAccessible::removeActivationObserver(this); }

void AccessPart::accessibilityActiveChanged(bool active) {
    qApp->removeEventFilter(this);
    m_spoken.clear();
    m_listening = active;
    if (active) {
        qApp->installEventFilter(this);
    }
}

/// A label that has a name tells nobody when its text changes, and screen readers keep what they have read once. It is painted then.
bool AccessPart::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Paint) {
        if (auto* label = qobject_cast<QLabel*>(watched)) {
            const auto known = m_spoken.constFind(label);
            if (known == m_spoken.constEnd()) {
                m_spoken.insert(label, label->text());
                connect(label, &QObject::destroyed, this, [this, label] { m_spoken.remove(label); });
            } else if (*known != label->text()) {
                m_spoken[label] = label->text();
                QAccessibleEvent changed(label, QAccessible::NameChanged);
                QAccessible::updateAccessibility(&changed);
            }
        }
    }
    return QObject::eventFilter(watched, event);
}

void AccessPart::announceVerdict() {
    VerdictBanner* banner = m_window->banner();
    const QString title = banner->title();
    if (title == m_announced || !banner->isVisible()) {
        return;
    }
    m_announced = title;
    if (!m_listening) {
        return;
    }
    // Qt 6.4 has no announcements: an alert where platforms know it; over AT-SPI the labels tell that they have changed.
    QAccessibleEvent alert(banner, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void AccessPart::nameHandles() {
    for (QSplitter* splitter : m_window->findChildren<QSplitter*>()) {
        for (int i = 0; i < splitter->count(); ++i) {
            splitter->handle(i)->setAccessibleName(tr("Divider of %1").arg(splitter->accessibleName()));
        }
    }
    for (QToolBar* bar : m_window->findChildren<QToolBar*>()) {
        if (auto* more = bar->findChild<QToolButton*>(QStringLiteral("qt_toolbar_ext_button"))) {
            more->setAccessibleName(tr("More of %1").arg(bar->accessibleName()));
        }
    }
}

} // namespace lemmascope
