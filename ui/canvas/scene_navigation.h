#pragma once

#include "ui/canvas/graph_scene.h"

#include <cstdint>

namespace lemmascope {

enum class Direction : std::uint8_t { Left, Right, Up, Down };

/// The item a reader would call next in a direction: near along it, and not far off it. NoItem if there is none.
[[nodiscard]] std::uint32_t nearestItem(const GraphScene& scene, const QPointF& from, Direction direction, std::uint32_t except = NoItem);
/// The item nearest to a point; NoItem in an empty scene.
[[nodiscard]] std::uint32_t closestItem(const GraphScene& scene, const QPointF& point);
/// What the item's first operand comes from, and its first reader; NoItem if none.
[[nodiscard]] std::uint32_t firstProducer(const GraphScene& scene, std::uint32_t item);
[[nodiscard]] std::uint32_t firstConsumer(const GraphScene& scene, std::uint32_t item);

} // namespace lemmascope
