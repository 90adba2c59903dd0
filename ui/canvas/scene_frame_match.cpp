// What a pattern took: an outline around its boxes and the edges between them, a tag at each, a bracket where the matcher is. Forms that
// no role has, so that no colour need tell them apart.

#include "ui/canvas/scene_frame.h"

#include <QPainterPath>

#include <algorithm>

namespace lemmascope {

namespace {

constexpr std::size_t MostJoined = 60; ///< items whose outlines are made into one; of more, each has its own

} // namespace

void resolveMatch(ResolvedOverlay& resolved, const CanvasMatch& match, const GraphScene& scene) {
    resolved.marked.clear();
    const auto itemOf = [&scene](FlatNodeId node, FlatValueId value) {
        if (node.isValid()) {
            return node.index < scene.itemOfNode.size() ? scene.visibleItem(node) : NoItem;
        }
        return value.isValid() && value.index < scene.itemOfValue.size() ? scene.itemOfValue[value.index] : NoItem;
    };
    for (const CanvasMatch::Mark& each : match.marks) {
        const std::uint32_t item = itemOf(each.node, each.value);
        if (item != NoItem) {
            resolved.marked.push_back({item, each.tag, each.node.isValid()});
        }
    }
    std::stable_sort(resolved.marked.begin(), resolved.marked.end(), [](const auto& a, const auto& b) { return a.item < b.item; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < resolved.marked.size(); ++i) {
        ResolvedOverlay::Marked& each = resolved.marked[i];
        if (kept > 0 && resolved.marked[kept - 1].item == each.item) {
            ResolvedOverlay::Marked& before = resolved.marked[kept - 1];
            before.inside = before.inside || each.inside;
            before.tag += (before.tag.isEmpty() || each.tag.isEmpty() ? QString() : QStringLiteral(" ")) + each.tag;
        } else {
            if (kept != i) {
                resolved.marked[kept] = std::move(each);
            }
            ++kept;
        }
    }
    resolved.marked.resize(kept);
    resolved.currentMark = itemOf(match.currentNode, match.currentValue);
    resolved.currentFits = match.fits;
}

void SceneFrame::paintMatch() {
    const auto boxOf = [this](std::uint32_t item) { return placed(m_scene.isOpen(item) ? m_scene.headerOf(item) : m_scene.boxes[item]); };
    m_painter.setRenderHint(QPainter::Antialiasing, true);
    m_painter.setBrush(Qt::NoBrush);
    std::vector<std::uint32_t> inside;
    for (const ResolvedOverlay::Marked& each : m_overlay.marked) {
        if (each.inside) {
            inside.push_back(each.item);
        }
    }
    if (!inside.empty()) {
        const double gap = m_options.detail.text ? 9.0 : 4.0;
        const auto grown = [&](std::uint32_t item) {
            const double strip = m_scene.types[item] != 0 && m_options.detail.smallText ? m_scene.metrics.typeStrip() * m_scale : 0.0;
            return boxOf(item).adjusted(-gap, -gap, gap, gap + strip);
        };
        QPainterPath outline;
        if (inside.size() > MostJoined) {
            for (const std::uint32_t item : inside) {
                outline.addRoundedRect(grown(item), gap, gap);
            }
        } else {
            // The edges between them join the boxes: what was taken is seen as one piece.
            QPainterPath edges;
            for (const std::uint32_t item : inside) {
                QPainterPath box;
                box.addRoundedRect(grown(item), gap, gap);
                outline = outline.united(box);
                for (const std::uint32_t edge : m_scene.edgesInto(item)) {
                    if (m_scene.edgeStubs[edge] || !std::binary_search(inside.begin(), inside.end(), m_scene.edgeFrom[edge])) {
                        continue;
                    }
                    const auto points = m_scene.edgePoints(edge);
                    for (std::size_t i = 0; i < points.size(); ++i) {
                        i == 0 ? edges.moveTo(placed(points[i])) : edges.lineTo(placed(points[i]));
                    }
                }
            }
            if (!edges.isEmpty()) {
                QPainterPathStroker stroker;
                stroker.setWidth(gap);
                outline = outline.united(stroker.createStroke(edges).simplified());
            }
        }
        for (const auto& [colour, width] : {std::pair{m_theme.background, 5.0}, std::pair{m_theme.match, 2.2}}) {
            QPen pen(colour, width);
            pen.setJoinStyle(Qt::RoundJoin);
            if (colour == m_theme.match) {
                pen.setDashPattern({5.0, 2.0, 1.0, 2.0});
            }
            m_painter.setPen(pen);
            m_painter.drawPath(outline);
        }
    }
    if (m_overlay.currentMark != NoItem) {
        // Corners, as of a viewfinder; crossed where what stands there does not fit.
        QRectF box = boxOf(m_overlay.currentMark);
        const double grow = std::max(0.0, 8.0 - std::min(box.width(), box.height())) / 2.0 + (m_options.detail.text ? 13.0 : 6.0);
        box.adjust(-grow, -grow, grow, grow);
        const double arm = std::clamp(std::min(box.width(), box.height()) / 3.0, 5.0, 14.0);
        std::vector<QLineF> lines;
        for (const QPointF& corner : {box.topLeft(), box.topRight(), box.bottomLeft(), box.bottomRight()}) {
            const double x = corner.x() < box.center().x() ? arm : -arm;
            const double y = corner.y() < box.center().y() ? arm : -arm;
            lines.emplace_back(corner, corner + QPointF(x, 0.0));
            lines.emplace_back(corner, corner + QPointF(0.0, y));
        }
        if (!m_overlay.currentFits) {
            const QPointF at = box.topRight() + QPointF(-2.0, 2.0);
            lines.emplace_back(at + QPointF(-6.0, -6.0), at + QPointF(6.0, 6.0));
            lines.emplace_back(at + QPointF(-6.0, 6.0), at + QPointF(6.0, -6.0));
        }
        for (const auto& [colour, width] : {std::pair{m_theme.background, 7.0}, std::pair{m_theme.match, 3.5}}) {
            QPen pen(colour, width);
            pen.setCapStyle(Qt::RoundCap);
            m_painter.setPen(pen);
            m_painter.drawLines(lines.data(), static_cast<int>(lines.size()));
        }
    }
    m_painter.setRenderHint(QPainter::Antialiasing, m_options.detail.antialiasing);
}

void SceneFrame::paintMatchTags() {
    m_painter.save();
    m_painter.translate(m_target.topLeft());
    m_painter.scale(m_scale, m_scale);
    m_painter.translate(-m_area.topLeft());
    const SceneMetrics& metrics = m_scene.metrics;
    const double height = metrics.smallLineHeight() + 2.0;
    for (const ResolvedOverlay::Marked& each : m_overlay.marked) {
        const QRectF& box = m_scene.boxes[each.item];
        if (each.tag.isEmpty() || !GridIndex::touches(box.adjusted(-20.0, -2.0 * height, 20.0, height), m_area)) {
            continue;
        }
        const double room = std::max(box.width(), metrics.titlePixels * 8.0);
        const double width = m_texts.shaped(each.tag, ScenePainter::FontKind::Glyph, room).size().width() + 2.0 * metrics.padding();
        const QRectF tag(box.right() - width + 6.0, box.top() - height * 0.7, width, height);
        m_painter.setPen(QPen(m_theme.match, 1.5));
        m_painter.setBrush(m_theme.background);
        m_painter.drawRoundedRect(tag, 4.0, 4.0);
        drawText(each.tag, ScenePainter::FontKind::Glyph, tag.adjusted(metrics.padding() - 1.0, 0.0, 1.0 - metrics.padding(), 0.0), Qt::AlignHCenter,
                 m_theme.text);
    }
    m_painter.restore();
}

} // namespace lemmascope
