#include "core/eval/window.h"

#include <algorithm>

namespace lemmascope {

std::optional<std::vector<std::int64_t>> perAxis(NodeRun& run, const char* name, std::size_t count, std::int64_t fill) {
    if (!run.hasAttribute(name) || run.integers(name).empty()) {
        return std::vector<std::int64_t>(count, fill);
    }
    std::vector<std::int64_t> values = run.integers(name);
    if (values.size() != count) {
        run.fail("attribute '" + std::string(name) + "' has " + std::to_string(values.size()) + " values, expected " + std::to_string(count));
        return std::nullopt;
    }
    return values;
}

bool advance(std::vector<std::int64_t>& index, const std::vector<std::int64_t>& extent) {
    for (std::size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < extent[axis]) {
            return true;
        }
        index[axis] = 0;
    }
    return false;
}

std::optional<WindowPlan> planWindow(NodeRun& run, std::vector<std::int64_t> input, std::vector<std::int64_t> kernel, bool ceilMode) {
    constexpr std::int64_t Most = std::int64_t{1} << 40;
    const std::size_t rank = input.size();
    WindowPlan plan;
    plan.input = std::move(input);
    plan.kernel = std::move(kernel);
    const auto strides = perAxis(run, "strides", rank, 1);
    const auto dilations = perAxis(run, "dilations", rank, 1);
    const auto pads = perAxis(run, "pads", 2 * rank, 0);
    if (!strides || !dilations || !pads || !run.require(plan.kernel.size() == rank, "attribute 'kernel_shape' does not fit the operand's rank")) {
        return std::nullopt;
    }
    plan.strides = *strides;
    plan.dilations = *dilations;
    const std::string automatic = run.text("auto_pad", "NOTSET");
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::int64_t stride = plan.strides[axis];
        const std::int64_t dilation = plan.dilations[axis];
        const std::int64_t length = plan.input[axis];
        std::int64_t before = (*pads)[axis];
        std::int64_t after = (*pads)[axis + rank];
        const bool sane = stride > 0 && stride < Most && dilation > 0 && dilation < (1 << 20) && plan.kernel[axis] > 0 &&
                          plan.kernel[axis] < (1 << 20) && before > -Most && before < Most && after > -Most && after < Most && length < Most;
        if (!run.require(sane, "a stride, dilation, pad or kernel length is out of range")) {
            return std::nullopt;
        }
        const std::int64_t reach = (plan.kernel[axis] - 1) * dilation + 1;
        if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
            const std::int64_t count = (length + stride - 1) / stride;
            const std::int64_t total = std::max<std::int64_t>((count - 1) * stride + reach - length, 0);
            before = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
            after = total - before;
        } else if (automatic == "VALID") {
            before = 0;
            after = 0;
        }
        const std::int64_t room = length + before + after - reach;
        if (!run.require(room >= 0 || length == 0, "the window is longer than the padded operand")) {
            return std::nullopt;
        }
        std::int64_t count = room < 0 ? 0 : room / stride + 1;
        if (ceilMode && room >= 0 && room % stride != 0 && count * stride < length + before) {
            ++count;
        }
        plan.before.push_back(before);
        plan.after.push_back(after);
        plan.output.push_back(count);
    }
    return plan;
}

} // namespace lemmascope
