// Mouse, wheel, gestures and keys of the canvas.

#include "ui/canvas/canvas_accessible.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/canvas/scene_navigation.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

constexpr double ZoomStep = 1.25;      ///< of one key press
constexpr double WheelZoom = 1.2;      ///< of one wheel notch
constexpr double NotchPixels = 60.0;   ///< panned by one wheel notch
constexpr double KeyPan = 80.0;        ///< pixels, with Shift and an arrow
constexpr double AngleOfNotch = 120.0; ///< in the units of QWheelEvent::angleDelta
constexpr double PageShare = 0.9;

} // namespace

void GraphCanvas::userSelects(std::uint32_t item) {
    const std::uint32_t before = m_selected;
    selectItem(item);
    if (m_selected == before) {
        return;
    }
    if (selectedGroup() != NodeGroup::None) {
        Q_EMIT groupSelected(selectedGroup());
    } else if (selectedValue().isValid()) {
        Q_EMIT valueSelected(selectedValue());
    } else {
        Q_EMIT nodeSelected(selectedNode());
    }
}

void GraphCanvas::activateItem(std::uint32_t item) {
    if (m_scene == nullptr || item >= m_scene->itemCount()) {
        return;
    }
    if (m_scene->isGroup(item)) {
        Q_EMIT groupExpansionRequested(m_scene->groups[item], m_scene->isClosed(item));
    } else if (!m_scene->nodes[item].isValid()) {
        return;
    } else if (m_scene->nestedCounts[item] > 0) {
        Q_EMIT expansionRequested(m_scene->nodes[item], m_scene->isClosed(item));
    } else {
        Q_EMIT nodeActivated(m_scene->nodes[item]);
    }
}

void GraphCanvas::chooseItem(std::uint32_t item) {
    userSelects(item);
    ensureVisible(item);
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) {
        QAbstractScrollArea::mousePressEvent(event);
        return;
    }
    stopAnimation();
    m_pressed = event->button();
    m_dragging = event->button() == Qt::MiddleButton;
    m_pressPoint = event->position();
    m_lastDragPoint = event->position();
    if (m_dragging) {
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    event->accept();
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (m_pressed == Qt::NoButton) {
        return;
    }
    if (!m_dragging && (event->position() - m_pressPoint).manhattanLength() >= QApplication::startDragDistance()) {
        m_dragging = true;
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    if (m_dragging) {
        applyView(m_centre - (event->position() - m_lastDragPoint) / m_scale, m_scale, true);
        m_lastDragPoint = event->position();
    }
    event->accept();
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != m_pressed) {
        QAbstractScrollArea::mouseReleaseEvent(event);
        return;
    }
    const bool clicked = !m_dragging && m_pressed == Qt::LeftButton;
    m_pressed = Qt::NoButton;
    m_dragging = false;
    viewport()->setCursor(Qt::ArrowCursor);
    event->accept();
    if (!clicked || m_scene == nullptr) {
        return;
    }
    const std::uint32_t item = itemAtViewport(event->position());
    userSelects(item);
    if (item != NoItem && m_scale >= LevelOfDetail::Text && m_scene->nestedCounts[item] > 0 &&
        m_scene->signBox(item).contains(toScene(event->position()))) {
        activateItem(item);
    }
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && m_scene != nullptr) {
        const std::uint32_t item = itemAtViewport(event->position());
        // The first click on a sign has opened it already.
        if (item != NoItem && !(m_scene->nestedCounts[item] > 0 && m_scene->signBox(item).contains(toScene(event->position())))) {
            userSelects(item);
            activateItem(item);
        }
        event->accept();
    }
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
    if (m_scene == nullptr) {
        QAbstractScrollArea::wheelEvent(event);
        return;
    }
    if ((event->modifiers() & Qt::ControlModifier) != 0) {
        zoomBy(std::pow(WheelZoom, event->angleDelta().y() / AngleOfNotch), event->position());
        event->accept();
        return;
    }
    QPointF by = event->pixelDelta().isNull() ? QPointF(event->angleDelta()) * (NotchPixels / AngleOfNotch) : QPointF(event->pixelDelta());
    if ((event->modifiers() & Qt::ShiftModifier) != 0 && by.x() == 0.0) {
        by = QPointF(by.y(), 0.0);
    }
    stopAnimation();
    applyView(m_centre - by / m_scale, m_scale, true);
    event->accept();
}

bool GraphCanvas::event(QEvent* event) {
    switch (event->type()) {
    case QEvent::NativeGesture: {
        auto* gesture = static_cast<QNativeGestureEvent*>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            zoomBy(1.0 + gesture->value(), QPointF(viewport()->mapFromGlobal(gesture->globalPosition())));
            return true;
        }
        break;
    }
    case QEvent::ShortcutOverride: {
        // Plain keys mean the canvas while it has the focus, whatever menus use them for.
        auto* key = static_cast<QKeyEvent*>(event);
        const Qt::KeyboardModifiers modifiers = key->modifiers() & ~Qt::KeypadModifier;
        static constexpr int Ours[] = {Qt::Key_Left,   Qt::Key_Right, Qt::Key_Up,      Qt::Key_Down,        Qt::Key_Plus,
                                       Qt::Key_Equal,  Qt::Key_Minus, Qt::Key_0,       Qt::Key_F,           Qt::Key_Space,
                                       Qt::Key_Return, Qt::Key_Enter, Qt::Key_Home,    Qt::Key_BracketLeft, Qt::Key_BracketRight,
                                       Qt::Key_PageUp, Qt::Key_End,   Qt::Key_PageDown};
        if ((modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier) &&
            std::find(std::begin(Ours), std::end(Ours), key->key()) != std::end(Ours)) {
            event->accept();
            return true;
        }
        break;
    }
    case QEvent::ApplicationPaletteChange: updateTheme(); break;
    default: break;
    }
    return QAbstractScrollArea::event(event);
}

std::uint32_t GraphCanvas::keyTarget(int key) const {
    const bool none = m_selected == NoItem;
    const auto first = [this] { return closestItem(*m_scene, m_centre); };
    const auto step = [&](Direction direction) {
        return none ? first() : nearestItem(*m_scene, m_scene->boxes[m_selected].center(), direction, m_selected);
    };
    switch (key) {
    case Qt::Key_Left: return step(Direction::Left);
    case Qt::Key_Right: return step(Direction::Right);
    case Qt::Key_Up: return step(Direction::Up);
    case Qt::Key_Down: return step(Direction::Down);
    case Qt::Key_BracketLeft: return none ? first() : firstProducer(*m_scene, m_selected);
    case Qt::Key_BracketRight: return none ? first() : firstConsumer(*m_scene, m_selected);
    case Qt::Key_Home: return closestItem(*m_scene, QPointF(m_scene->bounds.center().x(), m_scene->bounds.top()));
    case Qt::Key_End: return closestItem(*m_scene, QPointF(m_scene->bounds.center().x(), m_scene->bounds.bottom()));
    default: return NoItem;
    }
}

bool GraphCanvas::handleKey(int key, Qt::KeyboardModifiers modifiers) {
    const bool shift = (modifiers & Qt::ShiftModifier) != 0;
    const auto pan = [this](double x, double y) {
        stopAnimation();
        applyView(m_centre + QPointF(x, y) / m_scale, m_scale, true);
    };
    switch (key) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoomBy(ZoomStep); return true;
    case Qt::Key_Minus: zoomBy(1.0 / ZoomStep); return true;
    case Qt::Key_0: resetZoom(); return true;
    case Qt::Key_F: fit(); return true;
    case Qt::Key_PageUp: pan(0.0, -viewportSize().height() * PageShare); return true;
    case Qt::Key_PageDown: pan(0.0, viewportSize().height() * PageShare); return true;
    case Qt::Key_Space:
        if (selectedNode().isValid()) {
            Q_EMIT partnerRequested(selectedNode());
        }
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: activateItem(m_selected); return true;
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (shift) {
            pan(key == Qt::Key_Left ? -KeyPan : (key == Qt::Key_Right ? KeyPan : 0.0),
                key == Qt::Key_Up ? -KeyPan : (key == Qt::Key_Down ? KeyPan : 0.0));
            return true;
        }
        [[fallthrough]];
    case Qt::Key_BracketLeft:
    case Qt::Key_BracketRight:
    case Qt::Key_Home:
    case Qt::Key_End: {
        const std::uint32_t next = keyTarget(key);
        if (next != NoItem) {
            chooseItem(next);
        }
        return true;
    }
    default: return false;
    }
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    const Qt::KeyboardModifiers modifiers = event->modifiers() & ~Qt::KeypadModifier;
    const bool plain = modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier;
    if (m_scene == nullptr || !plain || !handleKey(event->key(), modifiers)) {
        // Not QAbstractScrollArea: it would scroll on keys that mean something else here.
        QFrame::keyPressEvent(event);
    }
}

void GraphCanvas::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    announceAccessibleFocus(this);
    viewport()->update();
}

void GraphCanvas::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event) {
    event->accept();
    if (m_scene == nullptr) {
        Q_EMIT contextMenuRequested(FlatNodeId(), event->globalPos());
        return;
    }
    if (event->reason() == QContextMenuEvent::Keyboard) {
        QPointF at(viewport()->rect().center());
        if (m_selected != NoItem) {
            ensureVisible(m_selected);
            at = toViewport(m_scene->boxes[m_selected].center());
        }
        Q_EMIT contextMenuRequested(selectedNode(), viewport()->mapToGlobal(at.toPoint()));
        return;
    }
    const std::uint32_t item = itemAtViewport(QPointF(viewport()->mapFromGlobal(event->globalPos())));
    userSelects(item);
    Q_EMIT contextMenuRequested(item == NoItem ? FlatNodeId() : m_scene->nodes[item], event->globalPos());
}

} // namespace lemmascope
