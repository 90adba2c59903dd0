#include "core/eval/quantization.h"

#include <algorithm>

namespace lemmascope {

double quotientOf(const NodeRun& run, ElementType scaleType, double x, double scale) {
    return run.arithmetic() == Arithmetic::Declared && scaleType != ElementType::F64
               ? static_cast<double>(static_cast<float>(x) / static_cast<float>(scale))
               : x / scale;
}

template <typename S>
std::optional<std::vector<S>> withoutZero(NodeRun& run, std::size_t operand, std::size_t zeroOperand, std::size_t axisFromEnd) {
    const ScopedRounding none{IntervalRounding{}};
    for (const std::size_t integer : {operand, zeroOperand}) {
        if (run.has(integer) && (!isInteger(run.in(integer).element()) || bitWidth(run.in(integer).element()) > 32)) {
            run.open(); // the difference must be exact in 64 bits
            return std::nullopt;
        }
    }
    std::vector<S> data = run.numbers<S>(operand);
    if (run.stopped() || !run.has(zeroOperand)) {
        return run.stopped() ? std::nullopt : std::optional(std::move(data));
    }
    const std::vector<S> zeros = run.numbers<S>(zeroOperand);
    const std::vector<std::int64_t>& shape = run.in(operand).shape();
    if (run.stopped()) {
        return std::nullopt;
    }
    std::size_t inner = 1;
    std::size_t length = 1;
    if (zeros.size() != 1) {
        // Per row of the left operand, per column of the right; a batch of them for ranks above 2.
        const bool fits = shape.size() >= axisFromEnd && static_cast<std::size_t>(shape[shape.size() - axisFromEnd]) == zeros.size();
        if (!run.require(fits, "a zero point fits neither the tensor nor its axis")) {
            return std::nullopt;
        }
        length = zeros.size();
        for (std::size_t axis = shape.size() - axisFromEnd + 1; axis < shape.size(); ++axis) {
            inner *= static_cast<std::size_t>(shape[axis]);
        }
    }
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = data[i] - zeros[i / std::max<std::size_t>(inner, 1) % length];
    }
    return data;
}

template std::optional<std::vector<std::int64_t>> withoutZero(NodeRun&, std::size_t, std::size_t, std::size_t);
template std::optional<std::vector<Interval>> withoutZero(NodeRun&, std::size_t, std::size_t, std::size_t);

DynamicallyQuantized<std::int64_t, double> dynamicallyQuantized(NodeRun& run, const std::vector<double>& data) {
    double low = 0.0;
    double high = 0.0;
    for (const double value : data) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    const bool declared = run.arithmetic() == Arithmetic::Declared;
    DynamicallyQuantized<std::int64_t, double> out;
    out.scale = (high - low) / 255.0;
    if (high == low) {
        out.scale = 1.0;
    } else if (declared) {
        out.scale = static_cast<double>((static_cast<float>(high) - static_cast<float>(low)) / 255.0F);
    }
    out.zero = quantized(quotientOf(run, ElementType::F32, -low, out.scale), 0, ElementType::U8);
    for (const double value : data) {
        out.values.push_back(quantized(quotientOf(run, ElementType::F32, value, out.scale), out.zero, ElementType::U8));
    }
    (void)run.tick(data.size());
    return out;
}

DynamicallyQuantized<Interval, Interval> dynamicallyQuantized(NodeRun& run, const std::vector<Interval>& data) {
    Interval low = interval::point(0.0);
    Interval high = interval::point(0.0);
    for (const Interval& value : data) {
        low = interval::min(low, value);
        high = interval::max(high, value);
    }
    DynamicallyQuantized<Interval, Interval> out;
    out.scale = (high - low) / interval::point(255.0);
    if (out.scale.lo <= 0.0) {
        // The data may all be 0, where the scale is 1; so small a scale that it is not a number is left out.
        const bool zero = out.scale.hi <= 0.0;
        out.scale = zero ? interval::point(1.0) : interval::hull(out.scale, interval::point(1.0));
    }
    out.zero = quantized(-low / out.scale, interval::point(0.0), ElementType::U8);
    for (const Interval& value : data) {
        out.values.push_back(quantized(value / out.scale, out.zero, ElementType::U8));
    }
    (void)run.tick(data.size());
    return out;
}

std::optional<QuantizationAxis> quantizationAxis(NodeRun& run, const std::vector<std::int64_t>& data, const Array& scale) {
    QuantizationAxis out;
    if (scale.count() == 1 && scale.rank() <= 1) {
        return out;
    }
    const auto axis = normalAxis(run, run.integer("axis", 1), data.size());
    if (!axis) {
        return std::nullopt;
    }
    out.perTensor = false;
    out.length = std::max<std::int64_t>(data[*axis], 1);
    for (std::size_t k = *axis + 1; k < data.size(); ++k) {
        out.inner *= std::max<std::int64_t>(data[k], 1);
    }
    out.block = std::min(run.integer("block_size", 0), std::int64_t{1} << 40);
    if (out.block > 0) {
        std::vector<std::int64_t> expected = data;
        expected[*axis] = (data[*axis] + out.block - 1) / out.block;
        return run.require(scale.shape() == expected, "the scale's shape does not fit `block_size`") ? std::optional(out) : std::nullopt;
    }
    out.block = 0;
    return run.require(scale.rank() == 1 && scale.count() == data[*axis], "the scale must have one value per index of the axis") ? std::optional(out)
                                                                                                                                 : std::nullopt;
}

} // namespace lemmascope
