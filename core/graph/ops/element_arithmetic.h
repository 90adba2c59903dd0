#pragma once

#include "core/graph/ops/infer_context.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lemmascope {

/// Row-major flat indices into a tensor of static shape `from` as read by each element of the shape `to` it broadcasts to.
[[nodiscard]] std::vector<std::size_t> broadcastIndices(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to);
/// The static shape when it has at most MaxTrackedElements elements.
[[nodiscard]] std::optional<std::vector<std::int64_t>> smallShape(const std::optional<Shape>& shape);
[[nodiscard]] std::size_t countOf(const std::vector<std::int64_t>& shape);
/// Integer division as ONNX has it (towards zero), where its value is certain.
[[nodiscard]] std::optional<Dim> truncatedQuotient(const Dim& a, const Dim& b, const DimOrder& order);
/// False when a known element leaves the range of `type`: shape arithmetic is over the integers only while nothing wraps.
[[nodiscard]] bool fitsType(const std::vector<Dim>& elements, ElementType type);

} // namespace lemmascope
