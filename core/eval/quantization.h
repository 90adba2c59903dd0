#pragma once

#include "core/eval/node_run.h"

#include <cmath>
#include <cstdint>

namespace lemmascope {

/// saturate(round half to even(x) + zero) in an 8- or 16-bit type; NaN gives the smallest value, as ONNX Runtime's
/// vectorised kernels do.
[[nodiscard]] inline std::int64_t quantized(double x, std::int64_t zero, ElementType type) {
    const Interval range = interval::rangeOf(type);
    const double shifted = std::nearbyint(x) + static_cast<double>(zero);
    return static_cast<std::int64_t>(shifted > range.lo ? std::fmin(shifted, range.hi) : range.lo);
}

/// The same of an enclosure: rounding and saturation are monotone.
[[nodiscard]] inline Interval quantized(const Interval& x, const Interval& zero, ElementType type) {
    const Interval range = interval::rangeOf(type);
    if (x.isUndefined() || zero.isUndefined()) {
        return {range.lo, range.hi, true};
    }
    const auto clamp = [&range](double v) { return v > range.lo ? std::fmin(v, range.hi) : range.lo; };
    return {clamp(std::nearbyint(x.lo) + zero.lo), clamp(std::nearbyint(x.hi) + zero.hi), x.mayBeUndefined || zero.mayBeUndefined};
}

/// Where an element's scale and zero point stand: one for all, one per index of an axis, or one per block along it.
struct QuantizationAxis {
    std::int64_t inner = 1;  ///< elements between neighbours along the axis
    std::int64_t length = 1; ///< of the axis
    std::int64_t block = 0;  ///< 0: not blocked
    bool perTensor = true;

    [[nodiscard]] std::size_t parameterOf(std::int64_t flat) const {
        if (perTensor) {
            return 0;
        }
        const std::int64_t along = flat / inner % length;
        if (block == 0) {
            return static_cast<std::size_t>(along);
        }
        const std::int64_t blocks = (length + block - 1) / block;
        return static_cast<std::size_t>((flat / (inner * length) * blocks + along / block) * inner + flat % inner);
    }
};

/// From the scale's shape and attributes axis and block_size; fails where they don't fit the data's shape.
[[nodiscard]] std::optional<QuantizationAxis> quantizationAxis(NodeRun& run, const std::vector<std::int64_t>& data, const Array& scale);

} // namespace lemmascope
