#pragma once

#include "core/eval/node_run.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

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

/// x / scale of floats held in doubles: rounded to float32 in declared arithmetic (but for f64 scales).
[[nodiscard]] double quotientOf(const NodeRun& run, ElementType scaleType, double x, double scale);

/// Data of integer operand `operand` less its zero point (operand `zeroOperand`, absent: 0), which is a scalar or has one value per
/// index of the axis `axisFromEnd` places from the end (1: the last). S: int64_t or Interval; no rounding is charged.
template <typename S>
[[nodiscard]] std::optional<std::vector<S>> withoutZero(NodeRun& run, std::size_t operand, std::size_t zeroOperand, std::size_t axisFromEnd);

/// What DynamicQuantizeLinear makes of floats: u8 values, scale (max - min) / 255 over the data and 0 (1 where all data are 0, as
/// ONNX Runtime has it), zero point.
template <typename S, typename R>
struct DynamicallyQuantized {
    std::vector<S> values;
    R scale{};
    S zero{};
};
[[nodiscard]] DynamicallyQuantized<std::int64_t, double> dynamicallyQuantized(NodeRun& run, const std::vector<double>& data);
[[nodiscard]] DynamicallyQuantized<Interval, Interval> dynamicallyQuantized(NodeRun& run, const std::vector<Interval>& data);

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
