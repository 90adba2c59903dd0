#include "ui/canvas/scene_navigation.h"

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

constexpr double FirstReach = 300.0;
constexpr double LargestReach = 1e11;
constexpr double AcrossCost = 2.5; ///< one pixel off the direction counts as much as this many along it

QPointF towards(Direction direction) {
    switch (direction) {
    case Direction::Left: return {-1.0, 0.0};
    case Direction::Right: return {1.0, 0.0};
    case Direction::Up: return {0.0, -1.0};
    case Direction::Down: return {0.0, 1.0};
    }
    return {};
}

/// Searches squares of doubling size until the best found cannot be beaten from outside the square.
template <typename Cost>
std::uint32_t search(const GraphScene& scene, const QPointF& from, Cost&& cost) {
    std::uint32_t best = NoItem;
    double bestCost = INFINITY;
    for (double reach = FirstReach;; reach *= 2.0) {
        const QRectF area(from.x() - reach, from.y() - reach, 2.0 * reach, 2.0 * reach);
        scene.itemGrid.query(area, [&](std::uint32_t item) {
            const double c = cost(item);
            if (c < bestCost || (c == bestCost && best != NoItem && item < best)) {
                bestCost = c;
                best = item;
            }
        });
        if ((best != NoItem && bestCost <= reach) || area.contains(scene.bounds) || reach > LargestReach) {
            return best;
        }
    }
}

} // namespace

std::uint32_t nearestItem(const GraphScene& scene, const QPointF& from, Direction direction, std::uint32_t except) {
    const QPointF way = towards(direction);
    const QPointF across(-way.y(), way.x());
    return search(scene, from, [&](std::uint32_t item) {
        const QPointF offset = scene.boxes[item].center() - from;
        const double along = QPointF::dotProduct(offset, way);
        const double off = std::abs(QPointF::dotProduct(offset, across));
        if (item == except || along <= 1.0 || off > along * 6.0) {
            return static_cast<double>(INFINITY);
        }
        return along + AcrossCost * off;
    });
}

std::uint32_t closestItem(const GraphScene& scene, const QPointF& point) {
    return search(scene, point, [&](std::uint32_t item) {
        const QPointF offset = scene.boxes[item].center() - point;
        return std::hypot(offset.x(), offset.y());
    });
}

std::uint32_t firstProducer(const GraphScene& scene, std::uint32_t item) {
    const auto edges = scene.edgesInto(item);
    return edges.empty() ? NoItem : scene.edgeFrom[*std::min_element(edges.begin(), edges.end(), [&](std::uint32_t a, std::uint32_t b) {
        return scene.edgeOperands[a] < scene.edgeOperands[b];
    })];
}

std::uint32_t firstConsumer(const GraphScene& scene, std::uint32_t item) {
    const auto edges = scene.edgesOutOf(item);
    return edges.empty() ? NoItem : scene.edgeTo[edges.front()];
}

} // namespace lemmascope
