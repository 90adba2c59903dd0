#pragma once

#include "core/eval/node_run.h"

#include <cstdint>
#include <vector>

namespace lemmascope {

/// How a convolution's or pool's window slides over the spatial axes: attributes pads, strides, dilations, auto_pad,
/// ceil_mode resolved for given lengths.
struct WindowPlan {
    std::vector<std::int64_t> input;
    std::vector<std::int64_t> kernel;
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> dilations;
    std::vector<std::int64_t> before; ///< padding at the start of each axis
    std::vector<std::int64_t> after;
    std::vector<std::int64_t> output;

    [[nodiscard]] std::size_t rank() const { return input.size(); }
};

/// Fails naming the attribute when one has the wrong number of values or leaves no room. `ceilMode`: round lengths up, but no
/// window starts in the padding at the end (as ONNX Runtime does).
[[nodiscard]] std::optional<WindowPlan> planWindow(NodeRun& run, std::vector<std::int64_t> input, std::vector<std::int64_t> kernel, bool ceilMode);

/// An integer list attribute with one value per axis; `fill` where it is absent.
[[nodiscard]] std::optional<std::vector<std::int64_t>> perAxis(NodeRun& run, const char* name, std::size_t count, std::int64_t fill);

/// Next index tuple within `extent`, row-major; false past the last.
[[nodiscard]] bool advance(std::vector<std::int64_t>& index, const std::vector<std::int64_t>& extent);

} // namespace lemmascope
