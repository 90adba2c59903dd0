#include "ui/canvas/overview_map.h"

#include "ui/canvas/graph_canvas.h"

#include <QEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <cmath>

namespace lemmascope {

namespace {

constexpr int LargestWidth = 150;
constexpr int LargestHeight = 200;
constexpr int SmallestSide = 48;
constexpr int Margin = 10;
constexpr double Inset = 3.0;
constexpr double TickLane = 6.0; ///< at the right edge, for what fails
constexpr double SmallestMark = 3.0;

/// Drawn later covers what was drawn before.
constexpr std::array<Role, RoleCount> DrawOrder{Role::Plain,    Role::Dead,          Role::Obsolete,      Role::Shared,    Role::Changed,
                                                Role::Accepted, Role::OnlyReference, Role::OnlyRewritten, Role::Undecided, Role::Failing};

} // namespace

OverviewMap::OverviewMap(GraphCanvas* canvas) : QWidget(canvas->viewport()), m_canvas(canvas) {
    setAccessibleName(tr("Overview map"));
    setToolTip(tr("Overview: drag to move the view. Ticks on the right edge mark what fails, on the left edge what was found."));
    setFocusPolicy(Qt::NoFocus);
    setCursor(Qt::ArrowCursor);
    canvas->viewport()->installEventFilter(this);
    const auto redraw = [this] {
        m_nodes = QImage();
        follow();
    };
    connect(canvas, &GraphCanvas::sceneChanged, this, redraw);
    connect(canvas, &GraphCanvas::overlayChanged, this, redraw);
    connect(canvas, &GraphCanvas::viewMoved, this, &OverviewMap::follow);
    follow();
}

void OverviewMap::setEnabledByUser(bool on) {
    m_wanted = on;
    follow();
}

QSize OverviewMap::sizeHint() const {
    if (m_canvas->scene() == nullptr) {
        return {SmallestSide, SmallestSide};
    }
    const QRectF& bounds = m_canvas->scene()->bounds;
    // In a small canvas the map is smaller still: it must not cover what it helps to find.
    const QSize room = m_canvas->viewport()->size();
    const int mostWidth = std::clamp(room.width() / 4, SmallestSide, LargestWidth);
    const int mostHeight = std::clamp(room.height() / 3, SmallestSide, LargestHeight);
    const double shrink = std::min(mostWidth / std::max(1.0, bounds.width()), mostHeight / std::max(1.0, bounds.height()));
    const auto side = [shrink](double length, int most) { return std::clamp(static_cast<int>(std::lround(length * shrink)), SmallestSide, most); };
    return {side(bounds.width(), mostWidth), side(bounds.height(), mostHeight)};
}

QRectF OverviewMap::mapArea() const { return QRectF(rect()).adjusted(Inset, Inset, -Inset - TickLane, -Inset); }

QPointF OverviewMap::toMap(const QPointF& scenePoint) const {
    const QRectF area = mapArea();
    const QRectF bounds = m_canvas->scene() == nullptr ? QRectF(0.0, 0.0, 1.0, 1.0) : m_canvas->scene()->bounds;
    return {area.left() + (scenePoint.x() - bounds.left()) / std::max(1.0, bounds.width()) * area.width(),
            area.top() + (scenePoint.y() - bounds.top()) / std::max(1.0, bounds.height()) * area.height()};
}

QPointF OverviewMap::toScene(const QPointF& mapPoint) const {
    const QRectF area = mapArea();
    const QRectF bounds = m_canvas->scene() == nullptr ? QRectF(0.0, 0.0, 1.0, 1.0) : m_canvas->scene()->bounds;
    return {bounds.left() + (mapPoint.x() - area.left()) / area.width() * bounds.width(),
            bounds.top() + (mapPoint.y() - area.top()) / area.height() * bounds.height()};
}

QRectF OverviewMap::viewRectangle() const {
    const QRectF seen = m_canvas->visibleArea();
    QRectF view(toMap(seen.topLeft()), toMap(seen.bottomRight()));
    // Never too small to be seen.
    const double growX = std::max(0.0, 5.0 - view.width()) / 2.0;
    const double growY = std::max(0.0, 5.0 - view.height()) / 2.0;
    view.adjust(-growX, -growY, growX, growY);
    return view.intersected(QRectF(rect()).adjusted(1.0, 1.0, -1.0 - TickLane, -1.0));
}

void OverviewMap::follow() {
    const auto& scene = m_canvas->scene();
    const bool shown = m_wanted && scene != nullptr && scene->itemCount() > 0 && !m_canvas->visibleArea().contains(scene->bounds);
    if (shown) {
        const QSize size = sizeHint();
        const QRect corner(QPoint(parentWidget()->width() - size.width() - Margin, parentWidget()->height() - size.height() - Margin), size);
        if (corner != geometry()) {
            if (corner.size() != geometry().size()) {
                m_nodes = QImage();
            }
            setGeometry(corner);
        }
        update();
    }
    // Too small a canvas is better seen whole.
    setVisible(shown && parentWidget()->width() > 2 * LargestWidth && parentWidget()->height() > LargestHeight + 4 * Margin);
}

void OverviewMap::drawNodes() {
    const GraphScene& scene = *m_canvas->scene();
    const CanvasTheme& theme = m_canvas->theme();
    const ResolvedOverlay& overlay = m_canvas->resolvedOverlay();
    const double ratio = devicePixelRatioF();
    m_nodes = QImage(QSizeF(QSizeF(size()) * ratio).toSize(), QImage::Format_RGB32);
    m_nodes.setDevicePixelRatio(ratio);
    m_nodes.fill(theme.background);
    QPainter painter(&m_nodes);
    std::array<std::vector<QRectF>, RoleCount> batches;
    std::vector<QRectF> ticks;
    for (std::uint32_t i = 0; i < scene.itemCount(); ++i) {
        const Role role = overlay.roles[i];
        QRectF mark(toMap(scene.boxes[i].topLeft()), toMap(scene.boxes[i].bottomRight()));
        const double least = role == Role::Failing ? SmallestMark : 1.0;
        mark.setSize(mark.size().expandedTo(QSizeF(least, least)));
        batches[static_cast<std::size_t>(role)].push_back(mark);
        if (role == Role::Failing) {
            ticks.emplace_back(width() - TickLane - 1.0, mark.center().y() - 1.0, TickLane, 2.0);
        }
    }
    painter.setPen(Qt::NoPen);
    for (const Role role : DrawOrder) {
        const std::vector<QRectF>& marks = batches[static_cast<std::size_t>(role)];
        if (!marks.empty()) {
            const bool faint = role == Role::Plain || role == Role::Dead || role == Role::Shared;
            painter.setBrush(faint ? blended(theme.style(role).colour, theme.background, 0.45) : theme.style(role).colour);
            painter.drawRects(marks.data(), static_cast<int>(marks.size()));
        }
    }
    painter.setBrush(theme.style(Role::Failing).colour);
    painter.drawRects(ticks.data(), static_cast<int>(ticks.size()));
    if (overlay.hits.empty()) {
        return;
    }
    // What a search found: ticks at the other edge, so that the two lanes need no colours to be told apart.
    std::array<std::vector<QRectF>, 2> found;
    for (std::uint32_t i = 0; i < scene.itemCount(); ++i) {
        if (overlay.hits[i] != 0) {
            const bool current = overlay.hits[i] == 2;
            const double thick = current ? 4.0 : 2.0;
            found[current ? 1 : 0].emplace_back(0.0, toMap(scene.boxes[i].center()).y() - thick / 2.0, current ? 2.0 * TickLane : TickLane, thick);
        }
    }
    painter.setBrush(theme.selection);
    for (const std::vector<QRectF>& marks : found) {
        painter.drawRects(marks.data(), static_cast<int>(marks.size()));
    }
}

void OverviewMap::paintEvent(QPaintEvent*) {
    if (m_canvas->scene() == nullptr) {
        return;
    }
    if (m_nodes.isNull()) {
        drawNodes();
    }
    const CanvasTheme& theme = m_canvas->theme();
    QPainter painter(this);
    painter.drawImage(QPointF(0.0, 0.0), m_nodes);
    painter.setPen(QPen(theme.edge, 1.0));
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    QColor wash = theme.selection;
    wash.setAlphaF(0.12F);
    painter.setBrush(wash);
    painter.setPen(QPen(theme.selection, 2.0));
    painter.drawRect(viewRectangle());
}

void OverviewMap::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        m_canvas->panTo(toScene(event->position()));
    }
    event->accept(); // a click on the map is not one on the canvas below it
}

void OverviewMap::mouseMoveEvent(QMouseEvent* event) {
    if ((event->buttons() & Qt::LeftButton) != 0) {
        m_canvas->panTo(toScene(event->position()));
    }
    event->accept();
}

void OverviewMap::mouseReleaseEvent(QMouseEvent* event) { event->accept(); }

void OverviewMap::wheelEvent(QWheelEvent* event) {
    if (event->angleDelta().y() != 0) {
        m_canvas->zoomBy(std::pow(1.2, event->angleDelta().y() / 120.0));
    }
    event->accept();
}

bool OverviewMap::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget() && event->type() == QEvent::Resize) {
        follow();
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace lemmascope
