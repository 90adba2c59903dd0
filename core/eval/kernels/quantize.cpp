// QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear.
//
// Quantising divides, rounds half to even, adds the zero point and saturates. In declared arithmetic the quotient rounds to the
// scale's type first, as ONNX Runtime's kernels do; over the reals it does not (resources/docs/decisions/numbers.md), so enclosures charge nothing.

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
        out[i] = quantized(quotientOf(run, scaleType, data[i], scales[k]), zeroAt(zeros, k), target);
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
    const bool narrow = bitWidth(x.element()) <= 32 && (!run.has(2) || run.in(2).element() == x.element());
    if (!isFloat(result) || !isComputable(result) || !narrow) {
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
    const Ints shape = run.in(0).shape();
    const auto give = [&](const auto& made) {
        using S = typename std::decay_t<decltype(made.values)>::value_type;
        using R = std::decay_t<decltype(made.scale)>;
        run.give<S>(0, ElementType::U8, shape, made.values);
        run.give<R>(1, ElementType::F32, {}, std::vector<R>{made.scale});
        run.give<S>(2, ElementType::U8, {}, std::vector<S>{made.zero});
    };
    if (run.stopped()) {
        return;
    }
    if (run.enclosing()) {
        give(dynamicallyQuantized(run, run.numbers<Interval>(0)));
    } else {
        give(dynamicallyQuantized(run, run.numbers<double>(0)));
    }
}

constexpr auto Ints8 = KernelTypes::Integers;

constexpr Kernel Kernels[] = {
    {"", "QuantizeLinear", 10, 0, KernelTypes::Numbers, quantizeLinear},
    {"com.microsoft", "QuantizeLinear", 1, 0, KernelTypes::Numbers, quantizeLinear},
    {"", "DequantizeLinear", 10, 0, Ints8, dequantizeLinear},
    {"com.microsoft", "DequantizeLinear", 1, 0, Ints8, dequantizeLinear},
    {"", "DynamicQuantizeLinear", 11, 0, KernelTypes::Floats, dynamicQuantizeLinear},
};

} // namespace

std::span<const Kernel> quantizeKernels() { return Kernels; }

} // namespace lemmascope
