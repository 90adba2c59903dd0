// Integer products with zero points: MatMulInteger, ConvInteger, their QLinear forms and ONNX Runtime's float ones. Sums are
// exact integers modulo 2^32; only scales round.

#include "core/eval/convolution.h"
#include "core/eval/kernel_table.h"
#include "core/eval/quantization.h"

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

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

/// The product of exact integers; no float rounding is charged.
template <typename S>
std::vector<S> exactProduct(NodeRun& run, const MatmulPlan& plan, const std::vector<S>& left, const std::vector<S>& right) {
    const ScopedRounding none{IntervalRounding{}};
    return batchedProduct<S>(run, plan, left, right);
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
        if (run.stopped() || !run.require(zero.size() == 1, "the zero point of the result must be a scalar")) {
            return;
        }
        std::vector<Interval> out;
        for (std::size_t i = 0; i < sums.size() && run.tick(1); ++i) {
            out.push_back(quantized(sums[i] * scale(i), zero[0], type));
        }
        run.give<Interval>(0, type, shape, out);
    } else {
        const Ints zero = run.has(zeroOperand) ? run.numbers<std::int64_t>(zeroOperand) : Ints{0};
        if (run.stopped() || !run.require(zero.size() == 1, "the zero point of the result must be a scalar")) {
            return;
        }
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

/// (A - za)(B - zb) sa sb + bias: the last part of the forms that give floats.
template <typename S>
void giveScaled(NodeRun& run, const MatmulPlan& plan, const std::vector<S>& sums, const auto& scaleA, std::size_t scaleB, std::size_t bias) {
    run.visitFloat(ElementType::F32, [&](auto one) {
        using R = decltype(one);
        if constexpr (std::is_same_v<R, Interval> == std::is_same_v<S, Interval>) {
            const std::vector<R> scales = run.numbers<R>(scaleB);
            const std::vector<R> added = run.has(bias) ? run.numbers<R>(bias) : std::vector<R>{};
            const auto columns = static_cast<std::size_t>(std::max<std::int64_t>(plan.columns, 1));
            if (run.stopped() || !run.require((scales.size() == 1 || scales.size() == columns) && (added.empty() || added.size() == columns),
                                              "scale or bias of b fits neither the matrix nor its columns")) {
                return;
            }
            std::vector<R> out;
            for (std::size_t i = 0; i < sums.size() && run.tick(1); ++i) {
                R scale{};
                R sum{};
                if constexpr (std::is_same_v<R, Interval>) {
                    scale = scaleA * scales[scales.size() == 1 ? 0 : i % columns];
                    sum = sums[i];
                } else {
                    scale = static_cast<R>(scaleA) * scales[scales.size() == 1 ? 0 : i % columns];
                    sum = static_cast<R>(sums[i]);
                }
                const R value = sum * scale;
                out.push_back(added.empty() ? value : value + added[i % columns]);
            }
            run.give<R>(0, ElementType::F32, plan.result, out);
        }
    });
}

/// Operands: A, B, a_scale, b_scale, a_zero, b_zero, bias.
void matmulIntegerToFloat(NodeRun& run) {
    const auto plan = planMatmul(run, run.in(0).shape(), run.in(1).shape());
    if (!plan || !run.require(run.in(2).count() == 1, "the scale of a must be a scalar")) {
        return;
    }
    const auto compute = [&](auto one, auto real) {
        using S = decltype(one);
        using R = decltype(real);
        const auto left = withoutZero<S>(run, 0, 4, 2);
        const auto right = left ? withoutZero<S>(run, 1, 5, 1) : std::nullopt;
        const std::vector<R> scale = run.numbers<R>(2);
        if (right && !run.stopped()) {
            giveScaled<S>(run, *plan, exactProduct<S>(run, *plan, *left, *right), scale[0], 3, 6);
        }
    };
    if (run.enclosing()) {
        compute(Interval{}, Interval{});
    } else {
        compute(std::int64_t{}, double{});
    }
}

/// Operands: A (float, quantised as DynamicQuantizeLinear does), B, b_scale, b_zero, bias.
void dynamicQuantizeMatmul(NodeRun& run) {
    const auto plan = planMatmul(run, run.in(0).shape(), run.in(1).shape());
    if (!plan) {
        return;
    }
    const auto compute = [&](auto one, auto real) {
        using S = decltype(one);
        using R = decltype(real);
        auto made = dynamicallyQuantized(run, run.numbers<R>(0));
        const auto right = withoutZero<S>(run, 1, 3, 1);
        if (!right) {
            return;
        }
        {
            const ScopedRounding none{IntervalRounding{}};
            for (S& value : made.values) {
                value = value - made.zero;
            }
        }
        giveScaled<S>(run, *plan, exactProduct<S>(run, *plan, made.values, *right), made.scale, 2, 4);
    };
    if (run.enclosing()) {
        compute(Interval{}, Interval{});
    } else {
        compute(std::int64_t{}, double{});
    }
}

constexpr auto Ints8 = KernelTypes::Integers;

constexpr Kernel Kernels[] = {
    {"", "MatMulInteger", 10, 0, Ints8, matmulInteger},
    {"", "ConvInteger", 10, 0, Ints8, convInteger},
    {"", "QLinearMatMul", 10, 0, Ints8, qlinearMatmul},
    {"", "QLinearConv", 10, 0, Ints8, qlinearConv},
    {"com.microsoft", "QLinearConv", 1, 0, Ints8, qlinearConv},
    {"com.microsoft", "MatMulIntegerToFloat", 1, 0, Ints8, matmulIntegerToFloat},
    {"com.microsoft", "DynamicQuantizeMatMul", 1, 0, KernelTypes::Floats, dynamicQuantizeMatmul},
};

} // namespace

std::span<const Kernel> quantizedProductKernels() { return Kernels; }

} // namespace lemmascope
