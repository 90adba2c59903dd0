#pragma once

#include "ui/canvas/graph_scene.h"
#include "ui/canvas/scene_overlay.h"

#include <QString>

namespace lemmascope {

/// One line for a screen reader: `Softmax n41, only in reference, failing pair L17, 2 inputs, 1 output`.
[[nodiscard]] QString spokenName(const GraphScene& scene, const SceneOverlay& overlay, std::uint32_t item);
/// What a group of nodes is called on one side: `/layer.0/attention`, `Block 3 of 12`, `= 1,234 shared nodes`.
[[nodiscard]] QString groupTitle(const NodeGroup& group, Side side);
/// Several lines of plain text: operator, name, attributes, types, and the partner or why there is none.
[[nodiscard]] QString itemDetails(const GraphScene& scene, const SceneOverlay& overlay, std::uint32_t item);
/// `q: f32[8,128,64], from MatMul n3 to operand 1 of Softmax n4`.
[[nodiscard]] QString edgeDetails(const GraphScene& scene, std::uint32_t edge);
/// Plain text as a tooltip that shows it literally.
[[nodiscard]] QString asToolTip(const QString& plain);

} // namespace lemmascope
