#pragma once

#include "core/eval/matrix.h"
#include "core/eval/window.h"

#include <cstdint>
#include <vector>

namespace lemmascope {

/// The shapes of one convolution: x [batch, groups * channels, spatial], w [groups * filters, channels, kernel].
struct ConvolutionPlan {
    WindowPlan window;
    std::int64_t batch = 0;
    std::int64_t groups = 1;
    std::int64_t channels = 0; ///< per group
    std::int64_t filters = 0;  ///< per group
    std::vector<std::int64_t> result;
};

/// From operands' shapes and the node's attributes (group, kernel_shape, ...).
[[nodiscard]] std::optional<ConvolutionPlan> planConvolution(NodeRun& run, const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& w);

/// Sums of products over channels, then kernel positions, in order; padding counts as zero. Empty when the node has ended.
template <typename S>
[[nodiscard]] std::vector<S> convolve(NodeRun& run, const ConvolutionPlan& plan, const std::vector<S>& x, const std::vector<S>& w);

} // namespace lemmascope
