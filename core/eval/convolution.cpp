#include "core/eval/convolution.h"

#include <algorithm>

namespace lemmascope {

std::optional<ConvolutionPlan> planConvolution(NodeRun& run, const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& w) {
    if (!run.require(x.size() >= 2 && x.size() == w.size(), "data and filters must have one rank, at least 2")) {
        return std::nullopt;
    }
    ConvolutionPlan plan;
    plan.groups = run.integer("group", 1);
    plan.batch = x[0];
    plan.channels = w[1];
    if (!run.require(plan.groups > 0 && w[0] % plan.groups == 0 && plan.channels <= (std::int64_t{1} << 40) / plan.groups &&
                         x[1] == plan.channels * plan.groups,
                     "the channels of data and filters do not fit `group`")) {
        return std::nullopt;
    }
    plan.filters = w[0] / plan.groups;
    const std::vector<std::int64_t> kernel(w.begin() + 2, w.end());
    if (run.hasAttribute("kernel_shape") && !run.integers("kernel_shape").empty() &&
        !run.require(run.integers("kernel_shape") == kernel, "attribute 'kernel_shape' differs from the filters' shape")) {
        return std::nullopt;
    }
    auto window = planWindow(run, {x.begin() + 2, x.end()}, kernel, false);
    if (!window) {
        return std::nullopt;
    }
    plan.window = std::move(*window);
    plan.result = {x[0], w[0]};
    plan.result.insert(plan.result.end(), plan.window.output.begin(), plan.window.output.end());
    return plan;
}

template <typename S>
std::vector<S> convolve(NodeRun& run, const ConvolutionPlan& plan, const std::vector<S>& x, const std::vector<S>& w) {
    const WindowPlan& window = plan.window;
    const std::size_t rank = window.rank();
    std::int64_t positions = 1;
    std::int64_t kernelSize = 1;
    std::int64_t spatial = 1;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        positions *= window.output[axis];
        kernelSize *= window.kernel[axis];
        spatial *= window.input[axis];
    }
    const std::optional<std::int64_t> count = elementCountOf(plan.result);
    const std::int64_t inner = plan.channels * kernelSize;
    if (run.stopped() || !run.checkSize(plan.result, sizeof(S)) || !run.charge(*count, inner)) {
        return {};
    }
    std::vector<S> out(static_cast<std::size_t>(*count));
    if (out.empty()) {
        return out;
    }
    const std::vector<std::int64_t> strides = rowMajorStrides(window.input);
    // The windows of a block of output positions side by side: [channels * kernel, block], then one matrix product.
    constexpr std::int64_t Block = 128;
    std::vector<S> columns(static_cast<std::size_t>(inner * std::min(Block, positions)));
    std::vector<S> products(static_cast<std::size_t>(plan.filters * std::min(Block, positions)));
    for (std::int64_t image = 0; image < plan.batch * plan.groups; ++image) {
        const S* from = x.data() + image * plan.channels * spatial; // batch and group are neighbours in x
        const S* filters = w.data() + (image % plan.groups) * plan.filters * inner;
        S* to = out.data() + image * plan.filters * positions;
        std::vector<std::int64_t> position(rank, 0);
        for (std::int64_t first = 0; first < positions; first += Block) {
            const std::int64_t block = std::min(Block, positions - first);
            for (std::int64_t p = 0; p < block; ++p) {
                std::vector<std::int64_t> tap(rank, 0);
                for (std::int64_t k = 0; k < kernelSize; ++k) {
                    std::int64_t offset = 0;
                    bool inside = true;
                    for (std::size_t axis = 0; axis < rank; ++axis) {
                        const std::int64_t at = position[axis] * window.strides[axis] + tap[axis] * window.dilations[axis] - window.before[axis];
                        inside = inside && at >= 0 && at < window.input[axis];
                        offset += at * strides[axis];
                    }
                    for (std::int64_t c = 0; c < plan.channels; ++c) {
                        columns[static_cast<std::size_t>((c * kernelSize + k) * block + p)] = inside ? from[c * spatial + offset] : S{};
                    }
                    (void)advance(tap, window.kernel);
                }
                (void)advance(position, window.output);
            }
            if (!multiplyMatrices<S>(run, {filters, inner, 1}, {columns.data(), block, 1}, products.data(), plan.filters, inner, block)) {
                return {};
            }
            for (std::int64_t f = 0; f < plan.filters; ++f) {
                std::copy_n(products.data() + f * block, block, to + f * positions + first);
            }
        }
    }
    return out;
}

template std::vector<float> convolve(NodeRun&, const ConvolutionPlan&, const std::vector<float>&, const std::vector<float>&);
template std::vector<double> convolve(NodeRun&, const ConvolutionPlan&, const std::vector<double>&, const std::vector<double>&);
template std::vector<Interval> convolve(NodeRun&, const ConvolutionPlan&, const std::vector<Interval>&, const std::vector<Interval>&);
template std::vector<std::int64_t> convolve(NodeRun&, const ConvolutionPlan&, const std::vector<std::int64_t>&, const std::vector<std::int64_t>&);

} // namespace lemmascope
