// ONNX Runtime's quantised forms of simple ops: dequantise, apply, quantise. Scales and zero points are scalars.

#include "core/eval/activation.h"
#include "core/eval/dot.h"
#include "core/eval/elementwise.h"
#include "core/eval/kernel_table.h"
#include "core/eval/movement.h"
#include "core/eval/quantization.h"
#include "core/eval/softmax_row.h"

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

/// The real numbers that operand `x` with scale and zero point in operands `scale` and `zero` stands for.
template <typename S>
std::vector<S> dequantized(NodeRun& run, std::size_t x, std::size_t scale, std::size_t zero) {
    std::vector<S> out;
    const std::vector<S> scales = run.numbers<S>(scale);
    if (run.stopped() || !run.require(scales.size() == 1, "the scale must be a scalar")) {
        return out;
    }
    if constexpr (std::is_same_v<S, Interval>) {
        const auto data = withoutZero<Interval>(run, x, zero, 1);
        for (std::size_t i = 0; data && i < data->size(); ++i) {
            out.push_back((*data)[i] * scales[0]);
        }
    } else {
        const auto data = withoutZero<std::int64_t>(run, x, zero, 1);
        for (std::size_t i = 0; data && i < data->size(); ++i) {
            out.push_back(static_cast<S>((*data)[i]) * scales[0]);
        }
    }
    return out;
}

/// Quantises and gives result 0 in the type of the zero point (u8 when there is none).
template <typename S>
void giveQuantized(NodeRun& run, const Ints& shape, const std::vector<S>& values, std::size_t scale, std::size_t zero) {
    const ElementType type = run.has(zero) ? run.in(zero).element() : run.in(0).element();
    const std::vector<S> scales = run.numbers<S>(scale);
    if (run.stopped() || !run.require(scales.size() == 1, "the scale must be a scalar") ||
        !run.require(type == ElementType::U8 || type == ElementType::I8, "a quantised result is u8 or i8")) {
        return;
    }
    if constexpr (std::is_same_v<S, Interval>) {
        const std::vector<Interval> zeros = run.has(zero) ? run.numbers<Interval>(zero) : std::vector<Interval>{interval::point(0.0)};
        if (run.stopped() || !run.require(zeros.size() == 1, "the zero point must be a scalar")) {
            return;
        }
        std::vector<Interval> out;
        for (const Interval& value : values) {
            out.push_back(quantized(value / scales[0], zeros.at(0), type));
        }
        run.give<Interval>(0, type, shape, out);
    } else {
        const Ints zeros = run.has(zero) ? run.numbers<std::int64_t>(zero) : Ints{0};
        if (run.stopped() || !run.require(zeros.size() == 1, "the zero point must be a scalar")) {
            return;
        }
        Ints out;
        for (const S& value : values) {
            out.push_back(quantized(static_cast<double>(value / scales[0]), zeros.at(0), type));
        }
        run.giveIntegers(0, shape, out, type);
    }
}

/// Operands: a, a_scale, a_zero, b, b_scale, b_zero, scale, zero.
template <bool Product>
void binary(NodeRun& run) {
    const std::array<Ints, 2> shapes{run.in(0).shape(), run.in(3).shape()};
    const auto shape = run.stopped() ? std::nullopt : broadcastShape(run, shapes);
    if (!shape) {
        return;
    }
    run.visitFloat(ElementType::F32, [&](auto one) {
        using S = decltype(one);
        const std::vector<S> a = dequantized<S>(run, 0, 1, 2);
        const std::vector<S> b = run.stopped() ? std::vector<S>{} : dequantized<S>(run, 3, 4, 5);
        if (run.stopped() || !run.checkSize(*shape, sizeof(S))) {
            return;
        }
        const std::vector<Ints> strides{broadcastStrides(shapes[0], *shape), broadcastStrides(shapes[1], *shape)};
        std::vector<S> out;
        walkRows(*shape, strides, [&](std::span<const std::int64_t> at, std::int64_t length) {
            for (std::int64_t i = 0; i < length; ++i) {
                const S& x = a[static_cast<std::size_t>(at[0] + (shape->empty() ? 0 : i * strides[0].back()))];
                const S& y = b[static_cast<std::size_t>(at[1] + (shape->empty() ? 0 : i * strides[1].back()))];
                out.push_back(Product ? x * y : x + y);
            }
            return run.tick(static_cast<std::uint64_t>(length));
        });
        giveQuantized(run, *shape, out, 6, 7);
    });
}

/// Operands: x, x_scale, x_zero, scale, zero.
void unary(NodeRun& run, const Activation& activation) {
    run.visitFloat(ElementType::F32, [&](auto one) {
        using S = decltype(one);
        std::vector<S> values = dequantized<S>(run, 0, 1, 2);
        for (S& value : values) {
            value = activated(activation, value);
        }
        if (run.tick(values.size())) {
            giveQuantized(run, run.in(0).shape(), values, 3, 4);
        }
    });
}

void sigmoid(NodeRun& run) { unary(run, {.kind = Activation::Kind::Sigmoid}); }
void leakyRelu(NodeRun& run) { unary(run, {.kind = Activation::Kind::LeakyRelu, .alpha = run.real("alpha", static_cast<double>(0.01F))}); }

/// Over one axis, or before opset 13 (attribute `opset`) over all from it on.
void softmax(NodeRun& run) {
    const Ints shape = run.in(0).shape();
    const auto axis = run.stopped() ? std::nullopt : normalAxis(run, run.integer("axis", -1), shape.size());
    if (!axis) {
        return;
    }
    const bool flattened = run.integer("opset", 13) < 13;
    std::int64_t length = 1;
    std::int64_t inner = 1;
    for (std::size_t k = *axis; k < shape.size(); ++k) {
        (k == *axis || flattened ? length : inner) *= shape[k];
    }
    run.visitFloat(ElementType::F32, [&](auto one) {
        using S = decltype(one);
        std::vector<S> values = dequantized<S>(run, 0, 1, 2);
        std::vector<S> row(static_cast<std::size_t>(length));
        for (std::int64_t start = 0; !row.empty() && start < static_cast<std::int64_t>(values.size()); start += length * inner) {
            for (std::int64_t n = 0; n < inner && run.tick(row.size()); ++n) {
                for (std::int64_t i = 0; i < length; ++i) {
                    row[static_cast<std::size_t>(i)] = values[static_cast<std::size_t>(start + i * inner + n)];
                }
                softmaxRow(row, false);
                for (std::int64_t i = 0; i < length; ++i) {
                    values[static_cast<std::size_t>(start + i * inner + n)] = row[static_cast<std::size_t>(i)];
                }
            }
        }
        giveQuantized(run, shape, values, 3, 4);
    });
}

void globalAveragePool(NodeRun& run) {
    const Ints shape = run.in(0).shape();
    const bool last = run.integer("channels_last", 0) != 0;
    if (run.stopped() || !run.require(shape.size() >= 3, "a pool needs [batch, channels, spatial ...]")) {
        return;
    }
    Ints result(shape.size(), 1);
    const std::size_t channelAxis = last ? shape.size() - 1 : 1;
    result[0] = shape[0];
    result[channelAxis] = shape[channelAxis];
    const std::int64_t channels = shape[channelAxis];
    std::int64_t spatial = 1;
    for (std::size_t axis = 1; axis < shape.size(); ++axis) {
        spatial *= axis == channelAxis ? 1 : shape[axis];
    }
    run.visitFloat(ElementType::F32, [&](auto one) {
        using S = decltype(one);
        const std::vector<S> values = dequantized<S>(run, 0, 1, 2);
        std::vector<S> out;
        for (std::int64_t image = 0; image < shape[0] && !run.stopped(); ++image) {
            for (std::int64_t c = 0; c < channels && run.tick(static_cast<std::uint64_t>(spatial)); ++c) {
                Dot<S> sum;
                for (std::int64_t p = 0; p < spatial; ++p) {
                    sum.add(values[static_cast<std::size_t>(last ? (image * spatial + p) * channels + c : (image * channels + c) * spatial + p)]);
                }
                out.push_back(sum.value() / lifted<S>(static_cast<double>(spatial)));
            }
        }
        giveQuantized(run, result, out, 3, 4);
    });
}

/// Operands: scale, zero, then (x, x_scale, x_zero) for each part.
void concat(NodeRun& run) {
    const std::size_t parts = run.operandCount() < 2 ? 0 : (run.operandCount() - 2) / 3;
    if (!run.require(parts > 0 && run.operandCount() == 2 + 3 * parts, "QLinearConcat needs a scale and a zero point for each part")) {
        return;
    }
    const Ints first = run.in(2).shape();
    const auto axis = normalAxis(run, run.integer("axis", 0), first.size());
    if (!axis) {
        return;
    }
    Ints shape = first;
    shape[*axis] = 0;
    for (std::size_t k = 0; k < parts; ++k) {
        Ints part = run.in(2 + 3 * k).shape();
        shape[*axis] += part.size() == shape.size() ? part[*axis] : 0;
        part.resize(shape.size(), -1);
        part[*axis] = first[*axis];
        if (!run.require(part == first, "the parts' shapes don't fit")) {
            return;
        }
    }
    run.visitFloat(ElementType::F32, [&](auto one) {
        using S = decltype(one);
        const std::optional<std::int64_t> count = elementCountOf(shape);
        if (!run.checkSize(shape, sizeof(S))) {
            return;
        }
        std::vector<S> out(static_cast<std::size_t>(*count));
        std::int64_t inner = 1;
        for (std::size_t k = *axis + 1; k < shape.size(); ++k) {
            inner *= shape[k];
        }
        std::int64_t begin = 0;
        for (std::size_t k = 0; k < parts; ++k) {
            const std::vector<S> values = dequantized<S>(run, 2 + 3 * k, 3 + 3 * k, 4 + 3 * k);
            if (run.stopped()) {
                return;
            }
            const std::int64_t row = run.in(2 + 3 * k).dim(*axis) * inner;
            for (std::int64_t at = 0, to = begin; row > 0 && at < static_cast<std::int64_t>(values.size()); at += row, to += shape[*axis] * inner) {
                std::copy_n(values.begin() + at, row, out.begin() + to);
            }
            begin += row;
        }
        const ElementType type = run.in(1).element();
        if (!run.require(type == run.in(2).element(), "the zero point and the parts differ in element type")) {
            return;
        }
        giveQuantized(run, shape, out, 0, 1);
    });
}

constexpr auto Ints8 = KernelTypes::Integers;

constexpr Kernel Kernels[] = {
    {"com.microsoft", "QLinearAdd", 1, 0, Ints8, binary<false>},
    {"com.microsoft", "QLinearMul", 1, 0, Ints8, binary<true>},
    {"com.microsoft", "QLinearSigmoid", 1, 0, Ints8, sigmoid},
    {"com.microsoft", "QLinearLeakyRelu", 1, 0, Ints8, leakyRelu},
    {"com.microsoft", "QLinearSoftmax", 1, 0, Ints8, softmax},
    {"com.microsoft", "QLinearGlobalAveragePool", 1, 0, Ints8, globalAveragePool},
    {"com.microsoft", "QLinearConcat", 1, 0, KernelTypes::Floats, concat},
};

} // namespace

std::span<const Kernel> quantizedElementwiseKernels() { return Kernels; }

} // namespace lemmascope
