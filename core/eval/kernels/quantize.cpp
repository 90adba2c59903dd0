// QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear, and integer products with zero points.
//
// Quantising divides, rounds half to even, adds the zero point and saturates. In declared arithmetic the quotient rounds to the
// scale's type first, as ONNX Runtime's kernels do; over the reals it does not (DESIGN.md 3), so enclosures charge nothing.

#include "core/eval/convolution.h"
#include "core/eval/elementwise.h"
#include "core/eval/kernel_table.h"
#include "core/eval/quantization.h"

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

bool quantizable(ElementType type) {
    return type == ElementType::U8 || type == ElementType::I8 || type == ElementType::U16 || type == ElementType::I16;
}

/// float x in a double: the quotient as the declared arithmetic computes it.
double quotient(NodeRun& run, ElementType type, double x, double scale) {
    return run.arithmetic() == Arithmetic::Declared && type != ElementType::F64
               ? static_cast<double>(static_cast<float>(x) / static_cast<float>(scale))
               : x / scale;
}

void quantizeLinear(NodeRun& run) {
    const Array& x = run.in(0);
    const Array& scale = run.in(1);
    const ElementType type = run.has(2) ? run.in(2).element() : run.elementType("output_dtype", ElementType::U8);
    const auto axis = run.stopped() ? std::nullopt : quantizationAxis(run, x.shape(), scale);
    if (!axis) {
        return;
    }
    const ElementType target = type == ElementType::Undefined ? ElementType::U8 : type;
    if (!quantizable(target) || !isFloat(scale.element()) || !isComputable(scale.element())) {
        run.open();
        return;
    }
    const ElementType scaleType = scale.element();
    const auto zeroAt = [&](const auto& zeros, std::size_t k) {
        return zeros.empty() ? typename std::decay_t<decltype(zeros)>::value_type{} : zeros[k];
    };
    if (run.enclosing()) {
        const ScopedRounding none{IntervalRounding{}};
        std::vector<Interval> data = run.numbers<Interval>(0);
        const std::vector<Interval> scales = run.numbers<Interval>(1);
        const std::vector<Interval> zeros = run.has(2) ? run.numbers<Interval>(2) : std::vector<Interval>{};
        if (run.stopped() || !run.require(zeros.empty() || zeros.size() == scales.size(), "scale and zero point differ in shape")) {
            return;
        }
        for (std::size_t i = 0; i < data.size() && run.tick(1); ++i) {
            const std::size_t k = axis->parameterOf(static_cast<std::int64_t>(i));
            const Interval value = x.narrowed ? interval::roundedTo(x.element(), data[i]) : data[i];
            data[i] = quantized(value / scales[k], zeroAt(zeros, k), target);
        }
        run.give<Interval>(0, target, x.shape(), data);
        return;
    }
    const std::vector<double> data = run.numbers<double>(0);
    const std::vector<double> scales = run.numbers<double>(1);
    const Ints zeros = run.has(2) ? run.numbers<std::int64_t>(2) : Ints{};
    if (run.stopped() || !run.require(zeros.empty() || zeros.size() == scales.size(), "scale and zero point differ in shape")) {
        return;
    }
    Ints out(data.size());
    for (std::size_t i = 0; i < data.size() && run.tick(1); ++i) {
        const std::size_t k = axis->parameterOf(static_cast<std::int64_t>(i));
        out[i] = quantized(quotient(run, scaleType, data[i], scales[k]), zeroAt(zeros, k), target);
    }
    run.giveIntegers(0, x.shape(), out, target);
}

void dequantizeLinear(NodeRun& run) {
    const Array& x = run.in(0);
    const Array& scale = run.in(1);
    const auto axis = run.stopped() ? std::nullopt : quantizationAxis(run, x.shape(), scale);
    if (!axis) {
        return;
    }
    const ElementType type = run.elementType("output_dtype", scale.element());
    const ElementType result = type == ElementType::Undefined ? scale.element() : type;
    if (!isFloat(result) || !isComputable(result)) {
        run.open();
        return;
    }
    const Ints shape = x.shape();
    run.visitFloat(result, [&](auto one) {
        using S = decltype(one);
        // The difference is an exact integer; only the product rounds.
        const std::vector<S> scales = run.numbers<S>(1);
        std::vector<S> out;
        const auto compute = [&](const auto& data, const auto& zeros) {
            if (run.stopped() || !run.require(zeros.empty() || zeros.size() == scales.size(), "scale and zero point differ in shape")) {
                return;
            }
            out.reserve(data.size());
            for (std::size_t i = 0; i < data.size() && run.tick(1); ++i) {
                const std::size_t k = axis->parameterOf(static_cast<std::int64_t>(i));
                if constexpr (std::is_same_v<S, Interval>) {
                    Interval exact = data[i];
                    if (!zeros.empty()) {
                        const ScopedRounding none{IntervalRounding{}};
                        exact = data[i] - zeros[k];
                    }
                    out.push_back(exact * scales[k]);
                } else {
                    out.push_back(static_cast<S>(zeros.empty() ? data[i] : data[i] - zeros[k]) * scales[k]);
                }
            }
        };
        if constexpr (std::is_same_v<S, Interval>) {
            compute(run.numbers<Interval>(0), run.has(2) ? run.numbers<Interval>(2) : std::vector<Interval>{});
        } else {
            compute(run.numbers<std::int64_t>(0), run.has(2) ? run.numbers<std::int64_t>(2) : Ints{});
        }
        run.give<S>(0, result, shape, out);
    });
}

void dynamicQuantizeLinear(NodeRun& run) {
    const Array& x = run.in(0);
    if (run.stopped()) {
        return;
    }
    if (run.enclosing()) {
        const std::vector<Interval> data = run.numbers<Interval>(0);
        Interval low = interval::point(0.0);
        Interval high = interval::point(0.0);
        for (const Interval& value : data) {
            low = interval::min(low, value);
            high = interval::max(high, value);
        }
        Interval scale = (high - low) / interval::point(255.0);
        const bool constant = scale.lo == 0.0 && scale.hi == 0.0;
        scale = constant ? interval::point(1.0) : scale;
        if (scale.lo <= 0.0 && !constant) {
            // All of x may be 0, where the scale is 1.
            scale = interval::hull(scale, interval::point(1.0));
        }
        Interval zero;
        std::vector<Interval> out;
        zero = quantized(-low / scale, interval::point(0.0), ElementType::U8);
        for (const Interval& value : data) {
            out.push_back(quantized(value / scale, zero, ElementType::U8));
        }
        run.give<Interval>(0, ElementType::U8, x.shape(), out);
        run.give<Interval>(1, ElementType::F32, {}, std::vector<Interval>{scale});
        run.give<Interval>(2, ElementType::U8, {}, std::vector<Interval>{zero});
        return;
    }
    const std::vector<double> data = run.numbers<double>(0);
    double low = 0.0;
    double high = 0.0;
    for (const double value : data) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    const bool declared = run.arithmetic() == Arithmetic::Declared;
    const double scale = high == low ? 1.0
                         : declared  ? static_cast<double>((static_cast<float>(high) - static_cast<float>(low)) / 255.0F)
                                     : (high - low) / 255.0;
    const std::int64_t zero = quantized(quotient(run, ElementType::F32, -low, scale), 0, ElementType::U8);
    Ints out;
    for (const double value : data) {
        out.push_back(quantized(quotient(run, ElementType::F32, value, scale), zero, ElementType::U8));
    }
    run.giveIntegers(0, x.shape(), out, ElementType::U8);
    run.give<double>(1, ElementType::F32, {}, std::vector<double>{scale});
    run.giveIntegers(2, {}, {zero}, ElementType::U8);
}

/// Data of an integer operand less its zero point, which is a scalar or has one value per index of `axis`.
template <typename S>
std::optional<std::vector<S>> withoutZero(NodeRun& run, std::size_t operand, std::size_t zeroOperand, std::size_t axisFromEnd) {
    std::vector<S> data = run.numbers<S>(operand);
    if (run.stopped() || !run.has(zeroOperand)) {
        return run.stopped() ? std::nullopt : std::optional(std::move(data));
    }
    const std::vector<S> zeros = run.numbers<S>(zeroOperand);
    const Ints& shape = run.in(operand).shape();
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

/// Sums of exact integer products wrap to 32 bits.
template <typename F>
void visitIntegers(NodeRun& run, std::span<const std::size_t> operands, F f) {
    const ScopedRounding none{IntervalRounding{}};
    if (run.anyInterval(operands)) {
        f(Interval{});
    } else {
        f(std::int64_t{});
    }
}

void matmulInteger(NodeRun& run) {
    constexpr std::array<std::size_t, 4> All{0, 1, 2, 3};
    const auto plan = planMatmul(run, run.in(0).shape(), run.in(1).shape());
    if (!plan) {
        return;
    }
    visitIntegers(run, All, [&](auto one) {
        using S = decltype(one);
        const auto left = withoutZero<S>(run, 0, 2, 2);
        const auto right = left ? withoutZero<S>(run, 1, 3, 1) : std::nullopt;
        if (right) {
            run.give<S>(0, ElementType::I32, plan->result, batchedProduct<S>(run, *plan, *left, *right));
        }
    });
}

void convInteger(NodeRun& run) {
    constexpr std::array<std::size_t, 4> All{0, 1, 2, 3};
    const Ints x = run.in(0).shape();
    const Ints w = run.in(1).shape();
    const auto plan = run.stopped() ? std::nullopt : planConvolution(run, x, w);
    if (!plan) {
        return;
    }
    visitIntegers(run, All, [&](auto one) {
        using S = decltype(one);
        const auto left = withoutZero<S>(run, 0, 2, x.size());
        const auto right = left ? withoutZero<S>(run, 1, 3, w.size()) : std::nullopt;
        if (right) {
            run.give<S>(0, ElementType::I32, plan->result, convolve<S>(run, *plan, *left, *right));
        }
    });
}

/// saturate(round(accumulator * scale) + zero); `scale(i)` is the factor of element i.
template <typename S, typename Scale>
void giveRequantized(NodeRun& run, const Ints& shape, const std::vector<S>& sums, std::size_t zeroOperand, ElementType type, Scale scale) {
    if constexpr (std::is_same_v<S, Interval>) {
        const std::vector<Interval> zero = run.has(zeroOperand) ? run.numbers<Interval>(zeroOperand) : std::vector<Interval>{interval::point(0.0)};
        std::vector<Interval> out;
        for (std::size_t i = 0; i < sums.size() && run.tick(1); ++i) {
            out.push_back(quantized(sums[i] * scale(i), zero[0], type));
        }
        run.give<Interval>(0, type, shape, out);
    } else {
        const Ints zero = run.has(zeroOperand) ? run.numbers<std::int64_t>(zeroOperand) : Ints{0};
        Ints out;
        for (std::size_t i = 0; i < sums.size() && run.tick(1); ++i) {
            const auto factor = scale(i);
            const double product = run.arithmetic() == Arithmetic::Declared
                                       ? static_cast<double>(static_cast<float>(sums[i]) * static_cast<float>(factor))
                                       : static_cast<double>(sums[i]) * factor;
            out.push_back(quantized(product, zero[0], type));
        }
        run.giveIntegers(0, shape, out, type);
    }
}

/// sx * sw[k] / sy as the arithmetic computes it.
template <typename S>
std::vector<S> combinedScales(NodeRun& run, std::size_t left, std::size_t right, std::size_t result) {
    const std::vector<S> a = run.numbers<S>(left);
    const std::vector<S> b = run.numbers<S>(right);
    const std::vector<S> y = run.numbers<S>(result);
    std::vector<S> out;
    if (run.stopped() || !run.require(a.size() == 1 && y.size() == 1, "the scales of data and result must be scalars")) {
        return out;
    }
    for (const S& scale : b) {
        if constexpr (std::is_same_v<S, double>) {
            out.push_back(run.arithmetic() == Arithmetic::Declared
                              ? static_cast<double>(static_cast<float>(a[0]) * static_cast<float>(scale) / static_cast<float>(y[0]))
                              : a[0] * scale / y[0]);
        } else {
            out.push_back(a[0] * scale / y[0]);
        }
    }
    return out;
}

/// Operands: a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero.
void qlinearMatmul(NodeRun& run) {
    const auto plan = planMatmul(run, run.in(0).shape(), run.in(3).shape());
    if (!plan) {
        return;
    }
    const ElementType type = run.has(7) ? run.in(7).element() : ElementType::U8;
    const ScopedRounding none{IntervalRounding{}};
    const auto compute = [&](auto one) {
        using S = decltype(one);
        using R = std::conditional_t<std::is_same_v<S, Interval>, Interval, double>;
        const auto left = withoutZero<S>(run, 0, 2, 2);
        const auto right = left ? withoutZero<S>(run, 3, 5, 1) : std::nullopt;
        const std::vector<R> scales = right ? combinedScales<R>(run, 1, 4, 6) : std::vector<R>{};
        if (!right || run.stopped()) {
            return;
        }
        const std::size_t columns = static_cast<std::size_t>(std::max<std::int64_t>(plan->columns, 1));
        if (run.require(scales.size() == 1 || scales.size() == columns, "the scale of b fits neither the matrix nor its columns")) {
            giveRequantized<S>(run, plan->result, batchedProduct<S>(run, *plan, *left, *right), 7, type,
                               [&](std::size_t i) { return scales[scales.size() == 1 ? 0 : i % columns]; });
        }
    };
    if (run.enclosing()) {
        compute(Interval{});
    } else {
        compute(std::int64_t{});
    }
}

/// Operands: x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias (i32, in units of x_scale * w_scale).
void qlinearConv(NodeRun& run) {
    if (run.integer("channels_last", 0) != 0) {
        run.open();
        return;
    }
    const Ints x = run.in(0).shape();
    const Ints w = run.in(3).shape();
    const auto plan = run.stopped() ? std::nullopt : planConvolution(run, x, w);
    if (!plan) {
        return;
    }
    const ElementType type = run.has(7) ? run.in(7).element() : ElementType::U8;
    const auto channels = static_cast<std::size_t>(std::max<std::int64_t>(w[0], 1));
    std::size_t spatial = 1;
    for (std::size_t axis = 2; axis < plan->result.size(); ++axis) {
        spatial *= static_cast<std::size_t>(plan->result[axis]);
    }
    const ScopedRounding none{IntervalRounding{}};
    const auto compute = [&](auto one) {
        using S = decltype(one);
        using R = std::conditional_t<std::is_same_v<S, Interval>, Interval, double>;
        const auto left = withoutZero<S>(run, 0, 2, x.size());
        const auto right = left ? withoutZero<S>(run, 3, 5, w.size()) : std::nullopt;
        const std::vector<R> scales = right ? combinedScales<R>(run, 1, 4, 6) : std::vector<R>{};
        const std::vector<S> bias = run.has(8) ? run.numbers<S>(8) : std::vector<S>{};
        if (!right || run.stopped() ||
            !run.require((scales.size() == 1 || scales.size() == channels) && (bias.empty() || bias.size() == channels),
                         "scale or bias has the wrong length")) {
            return;
        }
        std::vector<S> sums = convolve<S>(run, *plan, *left, *right);
        const auto channelOf = [&](std::size_t i) { return i / std::max<std::size_t>(spatial, 1) % channels; };
        for (std::size_t i = 0; i < sums.size() && !bias.empty(); ++i) {
            sums[i] = sums[i] + bias[channelOf(i)];
        }
        if (!run.stopped()) {
            giveRequantized<S>(run, plan->result, sums, 7, type, [&](std::size_t i) { return scales[scales.size() == 1 ? 0 : channelOf(i)]; });
        }
    };
    if (run.enclosing()) {
        compute(Interval{});
    } else {
        compute(std::int64_t{});
    }
}

constexpr auto Ints8 = KernelTypes::Integers;

constexpr Kernel Kernels[] = {
    {"", "QuantizeLinear", 10, 0, KernelTypes::Numbers, quantizeLinear},
    {"com.microsoft", "QuantizeLinear", 1, 0, KernelTypes::Numbers, quantizeLinear},
    {"", "DequantizeLinear", 10, 0, Ints8, dequantizeLinear},
    {"com.microsoft", "DequantizeLinear", 1, 0, Ints8, dequantizeLinear},
    {"", "DynamicQuantizeLinear", 11, 0, KernelTypes::Floats, dynamicQuantizeLinear},
    {"", "MatMulInteger", 10, 0, Ints8, matmulInteger},
    {"", "ConvInteger", 10, 0, Ints8, convInteger},
    {"", "QLinearMatMul", 10, 0, Ints8, qlinearMatmul},
    {"", "QLinearConv", 10, 0, Ints8, qlinearConv},
    {"com.microsoft", "QLinearConv", 1, 0, Ints8, qlinearConv},
};

} // namespace

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
    out.block = run.integer("block_size", 0);
    if (out.block > 0) {
        Ints expected = data;
        expected[*axis] = (data[*axis] + out.block - 1) / out.block;
        return run.require(scale.shape() == expected, "the scale's shape does not fit `block_size`") ? std::optional(out) : std::nullopt;
    }
    out.block = 0;
    return run.require(scale.rank() == 1 && scale.count() == data[*axis], "the scale must have one value per index of the axis") ? std::optional(out)
                                                                                                                                 : std::nullopt;
}

std::span<const Kernel> quantizeKernels() { return Kernels; }

} // namespace lemmascope
