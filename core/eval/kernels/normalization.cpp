// Normalisations, written as their definitions: mean, then the mean of squared differences.

#include "core/eval/dot.h"
#include "core/eval/elementwise.h"
#include "core/eval/kernel_table.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

/// The float32 default of ONNX's epsilon attributes.
double epsilonOf(NodeRun& run, double otherwise) { return run.real("epsilon", static_cast<double>(static_cast<float>(otherwise))); }

template <typename S>
struct Moments {
    S mean{};
    S variance{};
};

/// Mean and population variance of the elements that `at(0)` ... `at(count - 1)` give; without `centred`, 0 and the mean square.
template <typename S, typename At>
Moments<S> momentsOf(std::int64_t count, bool centred, At at) {
    Moments<S> out;
    const S length = lifted<S>(static_cast<double>(count));
    if (centred) {
        Dot<S> sum;
        for (std::int64_t i = 0; i < count; ++i) {
            sum.add(at(i));
        }
        out.mean = sum.value() / length;
    }
    Dot<S> squares;
    for (std::int64_t i = 0; i < count; ++i) {
        squares.add(squareOf(centred ? at(i) - out.mean : at(i)));
    }
    out.variance = squares.value() / length;
    return out;
}

void batchNormalization(NodeRun& run) {
    const Array& x = run.in(0);
    const bool training =
        run.version() >= 14 ? run.integer("training_mode", 0) != 0 : run.version() < 7 && run.integer("is_test", 0) == 0 && run.wants(1);
    if (run.stopped()) {
        return;
    }
    if (training || run.integer("spatial", 1) == 0) {
        run.open();
        return;
    }
    const ElementType type = x.element();
    const Ints shape = x.shape();
    const double epsilon = epsilonOf(run, 1e-5);
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        std::vector<S> data = run.numbers<S>(0);
        const std::vector<S> scale = run.numbers<S>(1);
        const std::vector<S> bias = run.numbers<S>(2);
        const std::vector<S> mean = run.numbers<S>(3);
        const std::vector<S> variance = run.numbers<S>(4);
        const std::size_t channels = shape.size() >= 2 ? static_cast<std::size_t>(shape[1]) : 1;
        if (run.stopped() ||
            !run.require(scale.size() == channels && bias.size() == channels && mean.size() == channels && variance.size() == channels,
                         "scale, bias, mean and variance must have one value per channel")) {
            return;
        }
        std::size_t inner = 1;
        for (std::size_t axis = 2; axis < shape.size(); ++axis) {
            inner *= static_cast<std::size_t>(shape[axis]);
        }
        std::vector<S> deviation;
        for (const S& value : variance) {
            deviation.push_back(rootOf(value + lifted<S>(epsilon)));
        }
        for (std::size_t i = 0; i < data.size() && run.tick(1); ++i) {
            const std::size_t c = inner == 0 ? 0 : i / inner % channels;
            data[i] = (data[i] - mean[c]) / deviation[c] * scale[c] + bias[c];
        }
        run.give<S>(0, type, shape, data);
    });
}

/// Groups of `length` consecutive elements are normalised; gain and bias are looked up by flat index.
template <typename S, typename Gain>
bool normalizeGroups(NodeRun& run, std::vector<S>& data, std::int64_t length, double epsilon, bool centred, Gain gain, std::vector<S>* means,
                     std::vector<S>* inverses) {
    if (length == 0) {
        return true;
    }
    for (std::size_t start = 0; start < data.size(); start += static_cast<std::size_t>(length)) {
        const Moments<S> moments =
            momentsOf<S>(length, centred, [&](std::int64_t i) -> const S& { return data[start + static_cast<std::size_t>(i)]; });
        const S deviation = rootOf(moments.variance + lifted<S>(epsilon));
        if (means != nullptr) {
            means->push_back(moments.mean);
        }
        if (inverses != nullptr) {
            inverses->push_back(lifted<S>(1.0) / deviation);
        }
        for (std::int64_t i = 0; i < length; ++i) {
            S& value = data[start + static_cast<std::size_t>(i)];
            value = gain((centred ? value - moments.mean : value) / deviation, start + static_cast<std::size_t>(i));
        }
        if (!run.tick(static_cast<std::uint64_t>(length))) {
            return false;
        }
    }
    return true;
}

/// Elements of an operand broadcast to a shape, by flat index of that shape.
template <typename S>
std::optional<std::vector<S>> broadcastNumbers(NodeRun& run, std::size_t operand, const Ints& shape) {
    const std::vector<S> own = run.numbers<S>(operand);
    if (run.stopped()) {
        return std::nullopt;
    }
    const std::array<Ints, 2> shapes{shape, run.in(operand).shape()};
    const auto both = broadcastShape(run, shapes);
    if (!both || !run.require(*both == shape, "an operand does not broadcast to the data's shape")) {
        return std::nullopt;
    }
    const std::vector<Ints> strides{broadcastStrides(shapes[1], shape)};
    std::vector<S> out;
    walkRows(shape, strides, [&](std::span<const std::int64_t> at, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) {
            out.push_back(own[static_cast<std::size_t>(at[0] + (shape.empty() ? 0 : i * strides[0].back()))]);
        }
        return run.tick(static_cast<std::uint64_t>(length));
    });
    return run.stopped() ? std::nullopt : std::optional(std::move(out));
}

/// LayerNormalization and its forms without a mean; `Skip`: of the sum of operands 0, 1 and the bias.
struct LayerForm {
    bool centred = true;
    bool skip = false;
    std::size_t scale = 1;
    std::optional<std::size_t> bias;       ///< added at the end
    std::optional<std::size_t> beforehand; ///< added to the sum (Skip)
    double epsilon = 1e-5;
};

void layer(NodeRun& run, const LayerForm& form) {
    const Array& x = run.in(0);
    const ElementType type = x.element();
    const Ints shape = x.shape();
    const auto axis = run.stopped() ? std::nullopt : normalAxis(run, form.skip ? -1 : run.integer("axis", -1), shape.size());
    if (!axis) {
        return;
    }
    const Ints normalized(shape.begin() + static_cast<std::ptrdiff_t>(*axis), shape.end());
    const std::int64_t length = elementCountOf(normalized).value_or(0);
    Ints outer = shape;
    std::fill(outer.begin() + static_cast<std::ptrdiff_t>(*axis), outer.end(), 1);
    const double epsilon = epsilonOf(run, form.epsilon);
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        std::vector<S> data = run.numbers<S>(0);
        if (form.skip) {
            for (const std::size_t operand : {std::size_t{1}, form.beforehand.value_or(0)}) {
                if (operand == 0 || !run.has(operand)) {
                    continue;
                }
                const auto added = broadcastNumbers<S>(run, operand, shape);
                for (std::size_t i = 0; added && i < data.size(); ++i) {
                    data[i] = data[i] + (*added)[i];
                }
            }
        }
        if (run.stopped()) {
            return;
        }
        const std::vector<S> sum = form.skip && run.wants(3) ? data : std::vector<S>{};
        const auto scale = broadcastNumbers<S>(run, form.scale, shape);
        const auto bias = form.bias && run.has(*form.bias) ? broadcastNumbers<S>(run, *form.bias, shape) : std::optional<std::vector<S>>{};
        std::vector<S> means;
        std::vector<S> inverses;
        if (run.stopped() ||
            !normalizeGroups(
                run, data, length, epsilon, form.centred,
                [&](const S& value, std::size_t i) { return bias ? value * (*scale)[i] + (*bias)[i] : value * (*scale)[i]; }, &means, &inverses)) {
            return;
        }
        run.give<S>(0, type, shape, data);
        const ElementType stash = type == ElementType::F64 ? type : ElementType::F32;
        if (run.wants(1) && form.centred) {
            run.give<S>(1, stash, outer, means);
        } else if (run.wants(1)) {
            run.give<S>(1, stash, outer, inverses); // forms without a mean give 1/rms there
        }
        if (run.wants(2)) {
            run.give<S>(2, stash, outer, inverses);
        }
        if (run.wants(3) && form.skip) {
            run.give<S>(3, type, shape, sum);
        }
    });
}

void layerNormalization(NodeRun& run) { layer(run, {.bias = 2}); }
void rmsNormalization(NodeRun& run) { layer(run, {.centred = false}); }
void skipLayerNormalization(NodeRun& run) { layer(run, {.skip = true, .scale = 2, .bias = 3, .beforehand = 4, .epsilon = 1e-12}); }
void skipSimplifiedLayerNormalization(NodeRun& run) { layer(run, {.centred = false, .skip = true, .scale = 2, .beforehand = 3, .epsilon = 1e-12}); }

/// InstanceNormalization (one group per channel) and GroupNormalization (scale per group in opset 18, per channel from 21).
void grouped(NodeRun& run, std::int64_t groups, bool scalePerGroup) {
    const Array& x = run.in(0);
    const ElementType type = x.element();
    const Ints shape = x.shape();
    if (run.stopped() || !run.require(shape.size() >= 2 && groups > 0 && shape[1] % groups == 0, "the channels do not divide into groups")) {
        return;
    }
    std::int64_t spatial = 1;
    for (std::size_t axis = 2; axis < shape.size(); ++axis) {
        spatial *= shape[axis];
    }
    const std::int64_t channels = shape[1];
    const std::int64_t length = channels / groups * spatial;
    const double epsilon = epsilonOf(run, 1e-5);
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        std::vector<S> data = run.numbers<S>(0);
        const std::vector<S> scale = run.numbers<S>(1);
        const std::vector<S> bias = run.numbers<S>(2);
        const auto expected = static_cast<std::size_t>(scalePerGroup ? groups : channels);
        if (run.stopped() || !run.require(scale.size() == expected && bias.size() == expected, "scale and bias have the wrong length")) {
            return;
        }
        const auto per = static_cast<std::size_t>(scalePerGroup ? length : spatial);
        if (normalizeGroups(
                run, data, length, epsilon, true,
                [&](const S& value, std::size_t i) { return value * scale[i / per % expected] + bias[i / per % expected]; },
                static_cast<std::vector<S>*>(nullptr), static_cast<std::vector<S>*>(nullptr))) {
            run.give<S>(0, type, shape, data);
        }
    });
}

void instanceNormalization(NodeRun& run) { grouped(run, run.in(0).rank() >= 2 ? std::max<std::int64_t>(run.in(0).dim(1), 1) : 1, false); }
void groupNormalization(NodeRun& run) { grouped(run, run.integer("num_groups", 0), run.version() < 21); }

void lpNormalization(NodeRun& run) {
    const Array& x = run.in(0);
    const ElementType type = x.element();
    const auto axis = run.stopped() ? std::nullopt : normalAxis(run, run.integer("axis", -1), x.rank());
    const std::int64_t p = run.integer("p", 2);
    if (!axis || !run.require(p == 1 || p == 2, "attribute 'p' must be 1 or 2")) {
        return;
    }
    const Ints shape = x.shape();
    const std::int64_t stride = rowMajorStrides(shape)[*axis];
    const std::int64_t length = shape[*axis];
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        std::vector<S> data = run.numbers<S>(0);
        const std::int64_t rows = length == 0 ? 0 : static_cast<std::int64_t>(data.size()) / length;
        for (std::int64_t r = 0; r < rows && run.tick(static_cast<std::uint64_t>(length)); ++r) {
            const auto at = [&](std::int64_t i) { return static_cast<std::size_t>(r / stride * stride * length + r % stride + i * stride); };
            Dot<S> sum;
            for (std::int64_t i = 0; i < length; ++i) {
                sum.add(p == 1 ? absOf(data[at(i)]) : squareOf(data[at(i)]));
            }
            const S norm = p == 1 ? sum.value() : rootOf(sum.value());
            bool zero = false; // a row of zeros stays
            if constexpr (!std::is_same_v<S, Interval>) {
                zero = norm == S{0};
            } else {
                zero = norm.lo == 0.0 && norm.hi == 0.0;
            }
            for (std::int64_t i = 0; i < length && !zero; ++i) {
                data[at(i)] = data[at(i)] / norm;
            }
        }
        run.give<S>(0, type, shape, data);
    });
}

/// (x - mean) / (deviation + 1e-9) over the axes named, as in ONNX's function body.
void meanVarianceNormalization(NodeRun& run) {
    const Array& x = run.in(0);
    const ElementType type = x.element();
    const Ints shape = x.shape();
    Ints named = run.hasAttribute("axes") ? run.integers("axes") : Ints{0, 2, 3};
    const auto axes = run.stopped() ? std::nullopt : normalAxes(run, named, shape.size());
    if (!axes) {
        return;
    }
    const Ints strides = rowMajorStrides(shape);
    Ints keptShape;
    Ints overShape;
    std::vector<Ints> kept(1);
    std::vector<Ints> over(1);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const bool reduced = std::find(axes->begin(), axes->end(), axis) != axes->end();
        (reduced ? overShape : keptShape).push_back(shape[axis]);
        (reduced ? over : kept)[0].push_back(strides[axis]);
    }
    keptShape.push_back(1);
    kept[0].push_back(0);
    Ints offsets;
    walkRows(overShape, over, [&](std::span<const std::int64_t> at, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) {
            offsets.push_back(at[0] + (overShape.empty() ? 0 : i * over[0].back()));
        }
        return true;
    });
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        std::vector<S> data = run.numbers<S>(0);
        if (run.stopped()) {
            return;
        }
        walkRows(keptShape, kept, [&](std::span<const std::int64_t> at, std::int64_t) {
            const auto element = [&](std::int64_t i) -> S& { return data[static_cast<std::size_t>(at[0] + offsets[static_cast<std::size_t>(i)])]; };
            const auto count = static_cast<std::int64_t>(offsets.size());
            const Moments<S> moments = momentsOf<S>(count, true, element);
            const S deviation = rootOf(moments.variance) + lifted<S>(static_cast<double>(1e-9F));
            for (std::int64_t i = 0; i < count; ++i) {
                element(i) = (element(i) - moments.mean) / deviation;
            }
            return run.tick(offsets.size());
        });
        run.give<S>(0, type, shape, data);
    });
}

template <typename S>
S powerOf(const S& base, double exponent) {
    if constexpr (std::is_same_v<S, Interval>) {
        return interval::pow(base, interval::point(exponent));
    } else {
        return static_cast<S>(std::pow(static_cast<double>(base), exponent));
    }
}

/// x / (bias + alpha / size * sum of squares of the channels around)^beta.
void lrn(NodeRun& run) {
    const Array& x = run.in(0);
    const ElementType type = x.element();
    const Ints shape = x.shape();
    const std::int64_t size = run.integer("size", 0);
    if (run.stopped() || !run.require(size > 0 && shape.size() >= 2, "LRN needs attribute 'size' and channels")) {
        return;
    }
    const double alpha = run.real("alpha", static_cast<double>(0.0001F));
    const double beta = run.real("beta", 0.75);
    const double bias = run.real("bias", 1.0);
    std::int64_t inner = 1;
    for (std::size_t axis = 2; axis < shape.size(); ++axis) {
        inner *= shape[axis];
    }
    const std::int64_t channels = shape[1];
    if (!run.charge(x.count(), std::min(size, channels))) {
        return;
    }
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        const std::vector<S> data = run.numbers<S>(0);
        std::vector<S> out(data.size());
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(data.size()) && run.tick(static_cast<std::uint64_t>(size)); ++i) {
            const std::int64_t c = i / inner % channels;
            Dot<S> sum;
            const std::int64_t first = std::max<std::int64_t>(0, c - (size - 1) / 2);
            const std::int64_t last = std::min(channels - 1, c + size / 2);
            for (std::int64_t k = first; k <= last; ++k) {
                sum.add(squareOf(data[static_cast<std::size_t>(i + (k - c) * inner)]));
            }
            const S share = lifted<S>(alpha) / lifted<S>(static_cast<double>(size));
            out[static_cast<std::size_t>(i)] = data[static_cast<std::size_t>(i)] / powerOf(lifted<S>(bias) + share * sum.value(), beta);
        }
        run.give<S>(0, type, shape, out);
    });
}

constexpr auto F = KernelTypes::Floats;

constexpr Kernel Kernels[] = {
    {"", "BatchNormalization", 1, 0, F, batchNormalization},
    {"", "LayerNormalization", 1, 0, F, layerNormalization}, // ONNX Runtime writes it under opsets below 17 too
    {"", "SimplifiedLayerNormalization", 1, 0, F, rmsNormalization},
    {"", "RMSNormalization", 23, 0, F, rmsNormalization},
    {"com.microsoft", "SkipLayerNormalization", 1, 0, F, skipLayerNormalization},
    {"com.microsoft", "SkipSimplifiedLayerNormalization", 1, 0, F, skipSimplifiedLayerNormalization},
    {"", "InstanceNormalization", 1, 0, F, instanceNormalization},
    {"", "GroupNormalization", 18, 0, F, groupNormalization},
    {"", "LpNormalization", 1, 0, F, lpNormalization},
    {"", "MeanVarianceNormalization", 9, 0, F, meanVarianceNormalization},
    {"", "LRN", 1, 0, F, lrn},
};

} // namespace

std::span<const Kernel> normalizationKernels() { return Kernels; }

} // namespace lemmascope
