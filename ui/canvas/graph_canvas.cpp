// View, scene, overlay and painting; graph_canvas_input.cpp has mouse and keyboard.

#include "ui/canvas/graph_canvas.h"

#include "ui/canvas/canvas_accessible.h"
#include "ui/canvas/item_text.h"
#include "ui/canvas/scene_memory.h"
#include "ui/canvas/scene_navigation.h"

#include <QEvent>
#include <QFontInfo>
#include <QHelpEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QResizeEvent>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QStyle>
#include <QToolTip>
#include <QVariantAnimation>

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

constexpr double LargestFitScale = 1.0;
constexpr double ReadableScale = LevelOfDetail::SmallText;
constexpr double ComfortableScale = 0.75;
constexpr double FirstViewMargin = 40.0;
constexpr double SmallestFirstScale = 0.08; ///< below, a whole graph is specks without edges: no view to begin with
constexpr double BeyondEdge = 0.45;         ///< how much of the view may lie beyond the drawing
constexpr double TinyScale = 1e-5;
constexpr double EdgeReach = 4.0;       ///< pixels
constexpr std::size_t MostAnchors = 16; ///< looked up by name after a reload
constexpr int LargestBar = 1'000'000'000;

int barValue(double value) {
    return static_cast<int>(std::clamp(std::round(value), -static_cast<double>(LargestBar), static_cast<double>(LargestBar)));
}

} // namespace

GraphCanvas::GraphCanvas(QWidget* parent)
    : QAbstractScrollArea(parent), m_painter(std::make_unique<ScenePainter>()), m_emptyText(tr("No graph is open")) {
    installCanvasAccessibility();
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Graph"));
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    viewport()->setMouseTracking(true);
    viewport()->setCursor(Qt::ArrowCursor);
    setMinimumSize(160, 120);
    updateTheme();
}

GraphCanvas::~GraphCanvas() { forgetAccessibleItems(this); }

/// The item of the present scene that shows what `item` showed in another scene: of the same graph, or (byName) of another version.
std::uint32_t GraphCanvas::itemLike(const GraphScene& old, std::uint32_t item, bool byName) const {
    if (item >= old.itemCount() || m_scene == nullptr) {
        return NoItem;
    }
    if (byName) {
        return findByName(*m_scene, lastingName(old, item));
    }
    if (old.nodes[item].isValid()) {
        return m_scene->visibleItem(old.nodes[item]);
    }
    if (old.isGroup(item)) {
        const NodeGroup& group = old.nodeGroups->groups[old.groups[item]];
        if (m_scene->nodeGroups == nullptr) {
            return NoItem;
        }
        const auto& groups = m_scene->nodeGroups->groups;
        const auto at = std::find_if(groups.begin(), groups.end(), [&](const NodeGroup& other) { return other.key == group.key; });
        // Hidden in a closed one around it: that.
        for (auto g = static_cast<std::uint32_t>(at - groups.begin()); at != groups.end() && g != NodeGroup::None; g = groups[g].parent) {
            if (m_scene->itemOfGroup[g] != NoItem) {
                return m_scene->itemOfGroup[g];
            }
        }
        return NoItem;
    }
    const FlatValueId value = old.values[item];
    return value.isValid() && value.index < m_scene->itemOfValue.size() ? m_scene->itemOfValue[value.index] : NoItem;
}

void GraphCanvas::setScene(std::shared_ptr<const GraphScene> scene) {
    stopAnimation();
    const bool kept = m_kept != nullptr && m_scene == nullptr;
    const std::shared_ptr<const GraphScene> old = kept ? m_kept : m_scene;
    const std::uint32_t selected = kept ? m_keptSelection : m_selected;
    std::uint32_t anchor = old == nullptr ? NoItem : (selected != NoItem ? selected : closestItem(*old, m_centre));
    forgetAccessibleItems(this);
    m_scene = std::move(scene);
    const bool keeps = m_kept != nullptr && m_scene == nullptr;
    if (!keeps) {
        m_kept = nullptr;
    }
    m_firstView = m_firstView && (m_scene != nullptr || keeps);
    m_selected = old == nullptr ? NoItem : itemLike(*old, selected, kept);
    resolveOverlay();
    if (m_scene == nullptr) {
        m_fitted = m_fitted && keeps;
    } else if (!m_fitted || old == nullptr || (m_firstView && m_fitPartner != nullptr && m_selected == NoItem)) {
        showFirstView();
        if (m_fitPartner != nullptr && m_fitPartner->m_firstView && m_fitPartner->m_scene != nullptr) {
            m_fitPartner->showFirstView(); // the common scale is known only now
        }
    } else {
        std::uint32_t after = anchor != NoItem ? itemLike(*old, anchor, kept) : NoItem;
        if (after == NoItem && kept) {
            // That one is gone: another one in sight.
            const std::vector<std::uint32_t> inSight = old->itemsIn(visibleArea());
            for (std::size_t i = 0; i < std::min(inSight.size(), MostAnchors) && after == NoItem; ++i) {
                anchor = inSight[inSight.size() / 2 + i - std::min(inSight.size(), MostAnchors) / 2];
                after = itemLike(*old, anchor, true);
            }
        }
        QPointF centre = m_centre;
        if (after != NoItem) {
            const QRectF& was = old->boxes[anchor];
            const QRectF& is = m_scene->boxes[after];
            // What opens or closes keeps the corner that the pointer is near.
            const bool corner = old->isOpen(anchor) || m_scene->isOpen(after);
            centre += corner ? is.topRight() - was.topRight() : is.center() - was.center();
        }
        applyView(centre, m_scale, false);
    }
    updateScrollBars();
    viewport()->update();
    Q_EMIT sceneChanged();
}

void GraphCanvas::keepView() {
    if (m_scene != nullptr) {
        m_kept = m_scene;
        m_keptSelection = m_selected;
    }
}

void GraphCanvas::setOverlay(SceneOverlay overlay) {
    m_overlay = std::move(overlay);
    resolveOverlay();
    viewport()->update();
    Q_EMIT overlayChanged();
}

void GraphCanvas::setHits(CanvasHits hits) {
    if (!(hits == m_hits)) {
        m_hits = std::move(hits);
        resolveOverlay();
        viewport()->update();
        Q_EMIT overlayChanged();
    }
}

void GraphCanvas::setMatch(CanvasMatch match) {
    if (!(match == m_match)) {
        m_match = std::move(match);
        resolveOverlay();
        viewport()->update();
        Q_EMIT overlayChanged();
    }
}

void GraphCanvas::resolveOverlay() {
    m_resolved = m_scene == nullptr ? ResolvedOverlay{} : resolve(m_overlay, *m_scene);
    if (m_scene != nullptr) {
        m_resolved.hits = resolveHits(m_hits, *m_scene);
        resolveMatch(m_resolved, m_match, *m_scene);
    }
}

void GraphCanvas::setEmptyText(const QString& text) {
    m_emptyText = text;
    viewport()->update();
}

void GraphCanvas::setBusy(const QString& what) {
    m_busy = what;
    viewport()->update();
}

void GraphCanvas::setNotice(const QString& text) {
    m_notice = text;
    viewport()->update();
}

void GraphCanvas::setEdgeLabels(EdgeLabels labels) {
    if (labels != m_edgeLabels) {
        m_edgeLabels = labels;
        viewport()->update();
        Q_EMIT edgeLabelsChanged();
    }
}

void GraphCanvas::setMonochrome(bool on) {
    m_monochrome = on;
    updateTheme();
}

void GraphCanvas::updateTheme() {
    m_theme = m_monochrome ? CanvasTheme::printTheme() : CanvasTheme::fromPalette(palette());
    viewport()->update();
    Q_EMIT overlayChanged(); // colours changed: what shows them again elsewhere follows
}

SceneMetrics GraphCanvas::sceneMetrics() const {
    const double pixels = std::clamp(static_cast<double>(QFontInfo(font()).pixelSize()), 6.0, 96.0);
    return SceneMetrics{pixels, std::max(5.0, std::round(pixels * 0.85))};
}

FlatNodeId GraphCanvas::selectedNode() const {
    return m_scene != nullptr && m_selected < m_scene->itemCount() ? m_scene->nodes[m_selected] : FlatNodeId();
}

FlatValueId GraphCanvas::selectedValue() const {
    return m_scene != nullptr && m_selected < m_scene->itemCount() ? m_scene->values[m_selected] : FlatValueId();
}

std::uint32_t GraphCanvas::selectedGroup() const {
    return m_scene != nullptr && m_selected < m_scene->itemCount() ? m_scene->groups[m_selected] : NodeGroup::None;
}

void GraphCanvas::selectNode(FlatNodeId node) { selectItem(m_scene != nullptr && node.isValid() ? m_scene->visibleItem(node) : NoItem); }

void GraphCanvas::selectItem(std::uint32_t item) {
    m_selected = m_scene != nullptr && item < m_scene->itemCount() ? item : NoItem;
    announceAccessibleFocus(this);
    viewport()->update();
}

QSizeF GraphCanvas::viewportSize() const { return QSizeF(viewport()->size()).expandedTo(QSizeF(1.0, 1.0)); }

double GraphCanvas::fitScale() const {
    if (m_scene == nullptr) {
        return 1.0;
    }
    // A scene that fits needs no scroll bars, so their room counts.
    const QSizeF room = QSizeF(maximumViewportSize()).expandedTo(QSizeF(1.0, 1.0));
    return std::min(
        {room.width() / std::max(1.0, m_scene->bounds.width()), room.height() / std::max(1.0, m_scene->bounds.height()), LargestFitScale});
}

double GraphCanvas::commonFitScale() const {
    return m_fitPartner == nullptr || m_fitPartner->m_scene == nullptr ? fitScale() : std::min(fitScale(), m_fitPartner->fitScale());
}

double GraphCanvas::smallestScale() const { return std::max(TinyScale, std::min(commonFitScale() * 0.8, 0.25)); }

void GraphCanvas::applyView(QPointF centre, double scale, bool tell) {
    scale = std::clamp(std::isfinite(scale) ? scale : 1.0, smallestScale(), LargestScale);
    if (m_scene != nullptr) {
        const QRectF& bounds = m_scene->bounds;
        const QSizeF beyond = viewportSize() * (BeyondEdge / scale);
        centre.setX(std::clamp(std::isfinite(centre.x()) ? centre.x() : 0.0, bounds.left() - beyond.width(), bounds.right() + beyond.width()));
        centre.setY(std::clamp(std::isfinite(centre.y()) ? centre.y() : 0.0, bounds.top() - beyond.height(), bounds.bottom() + beyond.height()));
    }
    if (centre == m_centre && scale == m_scale) {
        return;
    }
    m_centre = centre;
    m_scale = scale;
    m_firstView = false;
    updateScrollBars();
    viewport()->update();
    Q_EMIT viewMoved();
    if (tell) {
        Q_EMIT viewChanged(m_centre, m_scale);
    }
}

std::pair<double, double> GraphCanvas::firstRows() const {
    const QRectF& bounds = m_scene->bounds;
    double left = INFINITY;
    double right = -INFINITY;
    for (const std::uint32_t item : m_scene->itemsIn(QRectF(bounds.left(), bounds.top(), bounds.width(), viewportSize().height()))) {
        left = std::min(left, m_scene->boxes[item].left());
        right = std::max(right, m_scene->boxes[item].right());
    }
    return left <= right ? std::pair(left, right) : std::pair(bounds.left(), bounds.right());
}

double GraphCanvas::firstScale() const {
    const auto [left, right] = firstRows();
    return std::clamp(viewportSize().width() / (right - left + 2.0 * FirstViewMargin), ReadableScale, 1.0);
}

void GraphCanvas::showFirstView() {
    m_fitted = true;
    const QRectF& bounds = m_scene->bounds;
    const double whole = commonFitScale();
    if (whole >= ReadableScale || (m_fitPartner != nullptr && whole >= SmallestFirstScale)) {
        applyView(bounds.center(), whole, false);
        m_firstView = true;
        return;
    }
    // Too much to see at once: the first nodes, across as far as words can be read, from the top; both sides at one scale.
    const auto [left, right] = firstRows();
    double scale = firstScale();
    if (m_fitPartner != nullptr && m_fitPartner->m_scene != nullptr) {
        scale = std::min(scale, m_fitPartner->firstScale());
    }
    QPointF start((left + right) / 2.0, bounds.top());
    if ((right - left) * scale > viewportSize().width()) {
        // Wider than the view: where the data comes in.
        const auto input = std::find(m_scene->kinds.begin(), m_scene->kinds.end(), ItemKind::Input);
        if (input != m_scene->kinds.end()) {
            const QRectF& box = m_scene->boxes[static_cast<std::size_t>(input - m_scene->kinds.begin())];
            start = QPointF(box.center().x(), m_fitPartner != nullptr ? bounds.top() : box.top() - FirstViewMargin);
        }
    }
    applyView(start + QPointF(0.0, viewportSize().height() / (2.0 * scale)), scale, false);
    m_firstView = true;
}

void GraphCanvas::setView(QPointF centre, double scale) {
    stopAnimation();
    m_fitted = true;
    applyView(centre, scale, false);
}

std::optional<std::pair<QPointF, double>> GraphCanvas::viewOf(const std::vector<FlatNodeId>& nodes) const {
    if (m_scene == nullptr) {
        return {};
    }
    std::optional<QRectF> area;
    for (const FlatNodeId node : nodes) {
        const std::uint32_t item = m_scene->visibleItem(node);
        if (item != NoItem) {
            area = area ? GridIndex::joined(*area, m_scene->boxes[item]) : m_scene->boxes[item];
        }
    }
    if (!area) {
        return {};
    }
    double scale = m_scale < ComfortableScale ? 1.0 : m_scale;
    const QSizeF room = viewportSize() * 0.8;
    scale = std::min({scale, room.width() / std::max(1.0, area->width()), room.height() / std::max(1.0, area->height())});
    return std::pair(area->center(), std::max(scale, smallestScale()));
}

void GraphCanvas::centreOn(const std::vector<FlatNodeId>& nodes, bool animated) {
    const auto view = viewOf(nodes);
    if (!view) {
        return;
    }
    stopAnimation();
    m_fitted = true;
    const int styleMs = style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this);
    if (!animated || !m_animated || styleMs <= 0 || !isVisible()) {
        applyView(view->first, view->second, true);
        return;
    }
    const QPointF fromCentre = m_centre;
    const double fromScale = m_scale;
    m_animation = new QVariantAnimation(this);
    m_animation->setDuration(std::min(AnimationMs, styleMs));
    m_animation->setEasingCurve(QEasingCurve::OutCubic);
    m_animation->setStartValue(0.0);
    m_animation->setEndValue(1.0);
    connect(m_animation, &QVariantAnimation::valueChanged, this, [this, view, fromCentre, fromScale](const QVariant& value) {
        const double t = value.toDouble();
        applyView(fromCentre + (view->first - fromCentre) * t, fromScale * std::pow(view->second / fromScale, t), true);
    });
    m_animation->start(QAbstractAnimation::KeepWhenStopped);
}

void GraphCanvas::stopAnimation() {
    if (m_animation != nullptr) {
        m_animation->stop();
        m_animation->deleteLater();
        m_animation = nullptr;
    }
}

void GraphCanvas::ensureVisible(std::uint32_t item) {
    if (m_scene == nullptr || item >= m_scene->itemCount()) {
        return;
    }
    const QRectF box = m_scene->boxes[item];
    const QRectF seen = visibleArea();
    const QPointF margin(std::min(40.0 / m_scale, seen.width() / 4.0), std::min(40.0 / m_scale, seen.height() / 4.0));
    const QRectF inner = seen.adjusted(margin.x(), margin.y(), -margin.x(), -margin.y());
    QPointF centre = m_centre;
    if (box.left() < inner.left() || box.right() > inner.right()) {
        centre.rx() += box.width() > inner.width() || box.left() < inner.left() ? box.left() - inner.left() : box.right() - inner.right();
    }
    if (box.top() < inner.top() || box.bottom() > inner.bottom()) {
        centre.ry() += box.height() > inner.height() || box.top() < inner.top() ? box.top() - inner.top() : box.bottom() - inner.bottom();
    }
    applyView(centre, m_scale, true);
}

void GraphCanvas::zoomBy(double factor, std::optional<QPointF> viewportPoint) {
    stopAnimation();
    const QPointF at = viewportPoint.value_or(QPointF(viewportSize().width() / 2.0, viewportSize().height() / 2.0));
    const QPointF fixed = toScene(at);
    const double scale = std::clamp(m_scale * factor, smallestScale(), LargestScale);
    applyView(fixed + (m_centre - fixed) * (m_scale / scale), scale, true);
}

void GraphCanvas::fit() {
    if (m_scene != nullptr) {
        stopAnimation();
        applyView(m_scene->bounds.center(), commonFitScale(), true);
    }
}

void GraphCanvas::panTo(QPointF centre) {
    stopAnimation();
    applyView(centre, m_scale, true);
}

void GraphCanvas::resetZoom() { zoomBy(1.0 / m_scale); }

QPointF GraphCanvas::toScene(const QPointF& viewportPoint) const {
    return m_centre + (viewportPoint - QPointF(viewportSize().width() / 2.0, viewportSize().height() / 2.0)) / m_scale;
}

QPointF GraphCanvas::toViewport(const QPointF& scenePoint) const {
    return (scenePoint - m_centre) * m_scale + QPointF(viewportSize().width() / 2.0, viewportSize().height() / 2.0);
}

QRectF GraphCanvas::visibleArea() const {
    const QSizeF size = viewportSize() / m_scale;
    return {m_centre - QPointF(size.width() / 2.0, size.height() / 2.0), size};
}

std::uint32_t GraphCanvas::itemAtViewport(const QPointF& viewportPoint) const {
    return m_scene == nullptr ? NoItem : m_scene->itemAt(toScene(viewportPoint));
}

QString GraphCanvas::describe(std::uint32_t item) const {
    if (m_scene == nullptr || item >= m_scene->itemCount()) {
        return {};
    }
    QString text = spokenName(*m_scene, m_overlay, item);
    for (const ResolvedOverlay::Marked& each : m_resolved.marked) {
        if (each.item == item) {
            text += each.inside ? tr(", matched: %1").arg(each.tag) : tr(", held by %1").arg(each.tag);
        }
    }
    if (item == m_resolved.currentMark) {
        text += m_resolved.currentFits ? tr(", the matcher is here") : tr(", the matcher fails here");
    }
    return text;
}

QString GraphCanvas::details(std::uint32_t item) const {
    return m_scene != nullptr && item < m_scene->itemCount() ? itemDetails(*m_scene, m_overlay, item) : QString();
}

void GraphCanvas::renderScene(QPainter& painter, const QRectF& target, const QRectF& area) const {
    if (m_scene == nullptr) {
        return;
    }
    PaintOptions options;
    options.edgeLabels = m_edgeLabels;
    options.font = font();
    m_painter->paint(painter, target, area, *m_scene, m_resolved, m_theme, options);
}

void GraphCanvas::updateScrollBars() {
    // A bar that comes or goes resizes the viewport and leads here again: restored, not cleared, at the end.
    const QScopedValueRollback<bool> updating(m_updatingBars, true);
    // Without its bars, so that a bar that appears cannot be the reason for itself to go.
    const QSizeF room = QSizeF(maximumViewportSize()).expandedTo(QSizeF(1.0, 1.0));
    const auto set = [](QScrollBar* bar, double content, double from, double centre, double page, double full, double scale) {
        if (content * scale <= full + 0.5) {
            bar->setRange(0, 0);
            return;
        }
        bar->setPageStep(barValue(page));
        bar->setSingleStep(40);
        bar->setRange(barValue(-page * (0.5 + BeyondEdge)), barValue(content * scale - page * (0.5 - BeyondEdge)));
        bar->setValue(barValue((centre - from) * scale - page / 2.0));
    };
    const QRectF bounds = m_scene == nullptr ? QRectF() : m_scene->bounds;
    set(horizontalScrollBar(), bounds.width(), bounds.left(), m_centre.x(), viewportSize().width(), room.width(), m_scale);
    set(verticalScrollBar(), bounds.height(), bounds.top(), m_centre.y(), viewportSize().height(), room.height(), m_scale);
}

void GraphCanvas::scrollContentsBy(int dx, int dy) {
    if (m_updatingBars || m_scene == nullptr) {
        return;
    }
    stopAnimation();
    applyView(m_centre - QPointF(dx, dy) / m_scale, m_scale, true);
}

void GraphCanvas::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    painter.setClipRegion(event->region());
    if (m_scene == nullptr) {
        painter.fillRect(viewport()->rect(), m_theme.background);
    } else {
        PaintOptions options;
        options.edgeLabels = m_edgeLabels;
        options.selected = m_selected;
        options.hasFocus = hasFocus();
        options.detail = LevelOfDetail::at(m_scale);
        options.font = font();
        m_painter->paint(painter, QRectF(viewport()->rect()), visibleArea(), *m_scene, m_resolved, m_theme, options);
    }
    paintMessages(painter);
}

void GraphCanvas::paintMessages(QPainter& painter) const {
    const QRectF room = QRectF(viewport()->rect()).adjusted(16.0, 12.0, -16.0, -12.0);
    painter.setFont(font());
    const auto strip = [&](const QString& text, Qt::Alignment alignment) {
        QRectF words = painter.boundingRect(room.adjusted(10.0, 6.0, -10.0, -6.0), static_cast<int>(alignment) | Qt::TextWordWrap, text);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(m_theme.edge, 1.0));
        painter.setBrush(m_theme.background);
        painter.drawRoundedRect(words.adjusted(-10.0, -6.0, 10.0, 6.0), 5.0, 5.0);
        painter.setPen(m_theme.text);
        painter.drawText(words, static_cast<int>(alignment) | Qt::TextWordWrap, text);
    };
    if (m_scene == nullptr && m_busy.isEmpty()) {
        painter.setPen(m_theme.mutedText);
        painter.drawText(room, static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap, m_emptyText);
    }
    if (!m_busy.isEmpty()) {
        strip(m_busy, m_scene == nullptr ? Qt::AlignCenter : Qt::AlignHCenter | Qt::AlignBottom);
    }
    if (!m_notice.isEmpty()) {
        strip(m_notice, Qt::AlignHCenter | Qt::AlignTop);
    }
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(m_theme.selection, 2.0));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(viewport()->rect()).adjusted(1.0, 1.0, -1.0, -1.0));
    }
}

void GraphCanvas::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    if (m_firstView && m_scene != nullptr) {
        showFirstView(); // nobody has looked elsewhere yet
        if (m_fitPartner != nullptr && m_fitPartner->m_firstView && m_fitPartner->m_scene != nullptr) {
            m_fitPartner->showFirstView();
        }
    }
    updateScrollBars();
    Q_EMIT viewMoved();
}

void GraphCanvas::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    switch (event->type()) {
    case QEvent::PaletteChange:
    case QEvent::StyleChange: updateTheme(); break;
    case QEvent::FontChange: viewport()->update(); break;
    default: break;
    }
}

bool GraphCanvas::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString tip = tipAt(QPointF(help->pos()));
        if (tip.isEmpty()) {
            QToolTip::hideText();
        } else {
            QToolTip::showText(help->globalPos(), asToolTip(tip), viewport());
        }
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

QString GraphCanvas::tipAt(const QPointF& viewportPoint) const {
    if (m_scene == nullptr) {
        return {};
    }
    const QPointF point = toScene(viewportPoint);
    const std::uint32_t item = m_scene->itemAt(point);
    if (item != NoItem) {
        return itemDetails(*m_scene, m_overlay, item);
    }
    const std::uint32_t edge = m_scale >= LevelOfDetail::Edges ? m_scene->edgeAt(point, EdgeReach / m_scale) : NoItem;
    return edge == NoItem ? QString() : edgeDetails(*m_scene, edge);
}

} // namespace lemmascope
