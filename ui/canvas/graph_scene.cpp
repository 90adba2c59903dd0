#include "ui/canvas/graph_scene.h"

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

/// Closed containment that also takes boxes of no width, unlike QRectF::contains.
bool holds(const QRectF& rect, const QPointF& point) {
    return point.x() >= rect.left() && point.x() <= rect.right() && point.y() >= rect.top() && point.y() <= rect.bottom();
}

double distanceToSegment(const QPointF& p, const QPointF& a, const QPointF& b) {
    const QPointF along = b - a;
    const double length2 = QPointF::dotProduct(along, along);
    const double t = length2 > 0.0 ? std::clamp(QPointF::dotProduct(p - a, along) / length2, 0.0, 1.0) : 0.0;
    const QPointF away = p - (a + along * t);
    return std::hypot(away.x(), away.y());
}

} // namespace

std::span<const QPointF> GraphScene::edgePoints(std::uint32_t edge) const {
    return std::span(points).subspan(edgePointStart[edge], edgePointStart[edge + 1] - edgePointStart[edge]);
}

std::span<const std::uint32_t> GraphScene::edgesInto(std::uint32_t item) const {
    return std::span(inEdges).subspan(inStart[item], inStart[item + 1] - inStart[item]);
}

std::span<const std::uint32_t> GraphScene::edgesOutOf(std::uint32_t item) const {
    return std::span(outEdges).subspan(outStart[item], outStart[item + 1] - outStart[item]);
}

std::uint32_t GraphScene::visibleItem(FlatNodeId node) const {
    while (node.isValid() && node.index < itemOfNode.size()) {
        if (itemOfNode[node.index] != NoItem) {
            return itemOfNode[node.index];
        }
        if (node.index < hiddenIn.size() && hiddenIn[node.index] != NoItem) {
            return hiddenIn[node.index];
        }
        const GraphInstance& instance = tree->instanceOf(node);
        if (instance.parent == Id<void>::Invalid) {
            return NoItem;
        }
        node = FlatNodeId(tree->instances()[instance.parent].nodeBase + instance.parentNode.index);
    }
    return NoItem;
}

QRectF GraphScene::headerOf(std::uint32_t item) const {
    const QRectF& box = boxes[item];
    return {box.left(), box.top(), box.width(), std::min(box.height(), metrics.headerHeight())};
}

QString GraphScene::signText(std::uint32_t item) const {
    if (nestedCounts[item] == 0) {
        return {};
    }
    return QString(QChar(isOpen(item) ? 0x229F : 0x229E)) + QLatin1Char(' ') + QString::number(nestedCounts[item]);
}

QRectF GraphScene::signBox(std::uint32_t item) const {
    if (nestedCounts[item] == 0) {
        return {};
    }
    const double width = metrics.titlePixels * (1.2 + 0.64 * static_cast<double>(signText(item).size() - 1));
    const double top = boxes[item].top() + (isOpen(item) ? (headerOf(item).height() - metrics.lineHeight()) / 2.0 : metrics.padding());
    return {boxes[item].right() - metrics.padding() - width, top, width, metrics.lineHeight()};
}

std::uint32_t GraphScene::itemAt(const QPointF& point) const {
    std::uint32_t found = NoItem;
    itemGrid.query(QRectF(point, QSizeF(0.0, 0.0)), [&](std::uint32_t item) {
        if (holds(boxes[item], point) && (found == NoItem || item > found)) {
            found = item;
        }
    });
    for (auto at = expandedItems.rbegin(); found == NoItem && at != expandedItems.rend(); ++at) {
        if (holds(headerOf(*at), point)) {
            found = *at;
        }
    }
    return found;
}

std::uint32_t GraphScene::edgeAt(const QPointF& point, double reach) const {
    std::uint32_t found = NoItem;
    double nearest = reach;
    segmentGrid.query(QRectF(point.x() - reach, point.y() - reach, 2.0 * reach, 2.0 * reach), [&](std::uint32_t first) {
        const double distance = distanceToSegment(point, points[first], points[first + 1]);
        if (distance < nearest || (distance == nearest && found != NoItem && edgeOfPoint[first] < found)) {
            nearest = distance;
            found = edgeOfPoint[first];
        }
    });
    return found;
}

std::vector<std::uint32_t> GraphScene::itemsIn(const QRectF& area) const {
    std::vector<std::uint32_t> found;
    itemGrid.query(area, [&](std::uint32_t item) {
        if (GridIndex::touches(boxes[item], area)) {
            found.push_back(item);
        }
    });
    for (const std::uint32_t item : expandedItems) {
        if (GridIndex::touches(boxes[item], area)) {
            found.push_back(item);
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

} // namespace lemmascope
