#pragma once

#include "core/graph/ops/infer_context.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lemmascope {

/// Window, stride, dilation and padding of a convolution or pool over `rank` spatial axes, from its attributes.
struct SpatialWindow {
    Shape kernel;
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> dilations;
    std::vector<std::int64_t> pads; ///< begins, then ends
    std::string autoPad;
    bool ceilMode = false;
};

/// Reads strides, dilations, pads, auto_pad and ceil_mode and checks their lengths and values. The kernel is the caller's.
[[nodiscard]] std::optional<SpatialWindow> spatialWindow(InferContext& c, Shape kernel);
/// Output length of spatial axis `axis`. Source: ONNX Conv and MaxPool documents (auto_pad, ceil_mode).
[[nodiscard]] Dim windowedLength(const SpatialWindow& window, std::size_t axis, const Dim& input, const DimOrder& order);

} // namespace lemmascope
