// Resize and Upsample. Every axis has, per result position, a short list of source indices with weights: one index for
// `nearest`, two for `linear`, four for `cubic`; the result sums over the product of the lists. Coordinates are computed in
// float32 for `nearest`, where ties decide, as ONNX Runtime does, and in double otherwise.

#include "core/eval/dot.h"
#include "core/eval/kernel_table.h"
#include "core/eval/movement.h"
#include "core/eval/window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

struct Tap {
    std::int64_t index = 0;
    double weight = 1.0;
    double slack = 0.0; ///< how far the weight may be off
};

struct AxisPlan {
    std::int64_t input = 0;
    std::int64_t output = 0;
    double scale = 1.0;
    double roiBegin = 0.0;
    double roiEnd = 1.0;
    std::vector<std::vector<Tap>> taps; ///< per result position; empty: outside, the extrapolation value
};

enum class Mode : std::uint8_t { Nearest, Linear, Cubic };

/// Where result position `x` lies in the source (ONNX Resize, coordinate_transformation_mode), in arithmetic T.
template <typename T>
T sourceCoordinate(const std::string& mode, std::int64_t position, const AxisPlan& axis) {
    const auto x = static_cast<T>(position);
    const auto scale = static_cast<T>(axis.scale);
    const auto half = static_cast<T>(0.5);
    const auto input = static_cast<T>(axis.input);
    const auto output = static_cast<T>(axis.output);
    if (mode == "asymmetric") {
        return x / scale;
    }
    if (mode == "align_corners") {
        return axis.output == 1 ? T{0} : x * (input - T{1}) / (output - T{1});
    }
    if (mode == "pytorch_half_pixel") {
        return axis.output > 1 ? (x + half) / scale - half : T{0};
    }
    if (mode == "tf_half_pixel_for_nn") {
        return (x + half) / scale;
    }
    if (mode == "tf_crop_and_resize") {
        const auto begin = static_cast<T>(axis.roiBegin);
        const auto end = static_cast<T>(axis.roiEnd);
        return axis.output > 1 ? begin * (input - T{1}) + x * (end - begin) * (input - T{1}) / (output - T{1})
                               : half * (begin + end) * (input - T{1});
    }
    if (mode == "half_pixel_symmetric") {
        const T adjustment = output / (scale * input);
        const T centre = input / T{2};
        return centre * (T{1} - adjustment) + (x + half) / scale - half;
    }
    return (x + half) / scale - half; // half_pixel
}

std::int64_t nearestIndex(const std::string& mode, float x) {
    if (mode == "floor") {
        return static_cast<std::int64_t>(std::floor(x));
    }
    if (mode == "ceil") {
        return static_cast<std::int64_t>(std::ceil(x));
    }
    if (mode == "round_prefer_ceil") {
        return static_cast<std::int64_t>(std::floor(x + 0.5F));
    }
    return static_cast<std::int64_t>(std::ceil(x - 0.5F)); // round_prefer_floor
}

void cubicTaps(std::vector<Tap>& taps, double x, double a, bool excludeOutside, std::int64_t length, double slack) {
    const double whole = std::floor(x);
    const double t = x - whole;
    const std::array<double, 4> weights{((a * (t + 1.0) - 5.0 * a) * (t + 1.0) + 8.0 * a) * (t + 1.0) - 4.0 * a,
                                        ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0, ((a + 2.0) * (1.0 - t) - (a + 3.0)) * (1.0 - t) * (1.0 - t) + 1.0,
                                        ((a * (2.0 - t) - 5.0 * a) * (2.0 - t) + 8.0 * a) * (2.0 - t) - 4.0 * a};
    double total = 0.0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        const std::int64_t index = static_cast<std::int64_t>(whole) - 1 + static_cast<std::int64_t>(k);
        const bool outside = index < 0 || index >= length;
        const double weight = excludeOutside && outside ? 0.0 : weights[k];
        total += weight;
        taps.push_back({std::clamp<std::int64_t>(index, 0, length - 1), weight, slack});
    }
    for (Tap& tap : taps) {
        tap.weight = excludeOutside ? tap.weight / total : tap.weight;
    }
}

/// The filter of linear or cubic interpolation, widened by 1 / scale where the result is smaller than its source: every source
/// element under it counts. What lies outside counts as the element at the edge, or not at all.
void antialiasedTaps(std::vector<Tap>& taps, double x, double scale, Mode mode, double a, bool excludeOutside, std::int64_t length, double slack) {
    const double narrow = std::min(scale, 1.0);
    const double reach = (mode == Mode::Linear ? 1.0 : 2.0) / narrow;
    const auto weightAt = [&](double distance) {
        const double d = std::fabs(distance);
        if (mode == Mode::Linear) {
            return d < 1.0 ? 1.0 - d : 0.0;
        }
        if (d < 1.0) {
            return ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0;
        }
        return d < 2.0 ? ((a * d - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a : 0.0;
    };
    const auto first = static_cast<std::int64_t>(std::ceil(x - reach));
    const auto end = static_cast<std::int64_t>(std::floor(x + reach)) + 1;
    double total = 0.0;
    for (std::int64_t index = first; index < end; ++index) {
        const bool outside = index < 0 || index >= length;
        const double weight = excludeOutside && outside ? 0.0 : weightAt((static_cast<double>(index) - x) * narrow);
        if (weight == 0.0) {
            continue;
        }
        total += weight;
        const std::int64_t at = std::clamp<std::int64_t>(index, 0, length - 1);
        if (!taps.empty() && taps.back().index == at) {
            taps.back().weight += weight;
        } else {
            taps.push_back({at, weight, slack});
        }
    }
    for (Tap& tap : taps) {
        tap.weight /= total;
    }
}

struct Form {
    Mode mode = Mode::Nearest;
    std::string coordinates = "half_pixel";
    std::string nearest = "round_prefer_floor";
    double cubic = -0.75;
    bool excludeOutside = false;
    bool antialias = false;
};

bool fillTaps(NodeRun& run, AxisPlan& axis, const Form& form) {
    const bool crop = form.coordinates == "tf_crop_and_resize";
    for (std::int64_t i = 0; i < axis.output; ++i) {
        if (!run.tick(1)) {
            return false;
        }
        std::vector<Tap> taps;
        const auto last = static_cast<double>(axis.input - 1);
        if (axis.scale == 1.0 && axis.input == axis.output && !crop) {
            taps.push_back({i, 1.0, 0.0});
        } else if (form.mode == Mode::Nearest) {
            const auto x = sourceCoordinate<float>(form.coordinates, i, axis);
            if (std::isfinite(x) && (!crop || (x >= 0.0F && static_cast<double>(x) <= last))) {
                taps.push_back({std::clamp<std::int64_t>(nearestIndex(form.nearest, x), 0, axis.input - 1), 1.0, 0.0});
            }
        } else {
            const auto x = sourceCoordinate<double>(form.coordinates, i, axis);
            const double slack = (std::fabs(x) + static_cast<double>(axis.input)) * 0x1p-48;
            if (!std::isfinite(x) || (crop && (x < 0.0 || x > last))) {
                // outside the region: extrapolated
            } else if (form.antialias && axis.scale < 1.0) {
                antialiasedTaps(taps, x, axis.scale, form.mode, form.cubic, form.excludeOutside, axis.input, slack * 16.0);
            } else if (form.mode == Mode::Linear) {
                const double inside = std::clamp(x, 0.0, last);
                const double whole = std::floor(inside);
                const auto index = static_cast<std::int64_t>(whole);
                taps.push_back({index, 1.0 - (inside - whole), inside == whole ? 0.0 : slack});
                if (inside != whole) {
                    taps.push_back({std::min(index + 1, axis.input - 1), inside - whole, slack});
                }
            } else {
                cubicTaps(taps, x, form.cubic, form.excludeOutside, axis.input, slack * 16.0);
            }
        }
        axis.taps.push_back(std::move(taps));
    }
    return true;
}

void moveNearest(NodeRun& run, const std::vector<AxisPlan>& axes, const Ints& shape, double extrapolation) {
    const Array& data = run.in(0);
    std::optional<Array> out = run.makeLike(data, shape);
    if (!out) {
        return;
    }
    const Ints strides = rowMajorStrides(data.shape());
    Ints index(shape.size(), 0);
    for (std::int64_t flat = 0; flat < out->count() && run.tick(shape.size()); ++flat) {
        std::int64_t source = 0;
        for (std::size_t axis = 0; axis < axes.size() && source >= 0; ++axis) {
            const std::vector<Tap>& taps = axes[axis].taps[static_cast<std::size_t>(index[axis])];
            source = taps.empty() ? -1 : source + taps[0].index * strides[axis];
        }
        if (source >= 0) {
            copyElement(*out, flat, data, source);
        } else if (out->isInterval()) {
            writeElements<Interval>(*out, flat, std::array{interval::point(extrapolation)});
        } else if (isFloat(data.element())) {
            writeElements<double>(*out, flat, std::array{extrapolation});
        } else {
            writeElements<std::int64_t>(*out, flat, std::array{static_cast<std::int64_t>(extrapolation)});
        }
        (void)advance(index, shape);
    }
    if (!run.stopped()) {
        out->narrowed = data.narrowed;
        run.give(0, std::move(*out));
    }
}

void interpolate(NodeRun& run, const std::vector<AxisPlan>& axes, const Ints& shape, double extrapolation) {
    const ElementType type = run.in(0).element();
    if (!isFloat(type) || !isComputable(type)) {
        run.open(); // integers interpolate in ways of each kernel's own
        return;
    }
    const Ints strides = rowMajorStrides(run.in(0).shape());
    const std::optional<std::int64_t> count = elementCountOf(shape);
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        const std::vector<S> data = run.numbers<S>(0);
        if (run.stopped() || !run.checkSize(shape, sizeof(S)) || !run.charge(*count, 16)) {
            return;
        }
        std::vector<S> out;
        Ints index(shape.size(), 0);
        std::vector<std::pair<std::int64_t, S>> terms;
        std::vector<std::pair<std::int64_t, S>> next;
        for (std::int64_t flat = 0; flat < *count; ++flat) {
            // The product of the axes' taps, grown axis by axis: (offset, weight).
            terms.assign(1, {0, lifted<S>(1.0)});
            for (std::size_t axis = 0; axis < axes.size(); ++axis) {
                next.clear();
                for (const auto& [offset, weight] : terms) {
                    for (const Tap& tap : axes[axis].taps[static_cast<std::size_t>(index[axis])]) {
                        S factor = lifted<S>(tap.weight);
                        if constexpr (std::is_same_v<S, Interval>) {
                            factor = {tap.weight - tap.slack, tap.weight + tap.slack, false};
                        }
                        next.emplace_back(offset + tap.index * strides[axis], tap.weight == 1.0 && tap.slack == 0.0 ? weight : weight * factor);
                    }
                }
                std::swap(terms, next);
            }
            Dot<S> sum;
            for (const auto& [offset, weight] : terms) {
                sum.addProduct(weight, data[static_cast<std::size_t>(offset)]);
            }
            out.push_back(terms.empty()       ? lifted<S>(extrapolation)
                          : terms.size() == 1 ? data[static_cast<std::size_t>(terms[0].first)]
                                              : sum.value());
            (void)advance(index, shape);
            if (!run.tick(terms.size() + 1)) {
                return;
            }
        }
        run.give<S>(0, type, shape, out);
    });
}

void resizeAxes(NodeRun& run, std::vector<AxisPlan> axes, const Form& form, double extrapolation) {
    Ints shape;
    for (AxisPlan& axis : axes) {
        shape.push_back(axis.output);
        if (!run.require(axis.output >= 0 && axis.output < (std::int64_t{1} << 40) && (axis.input > 0 || axis.output == 0),
                         "a resized length is out of range")) {
            return;
        }
    }
    if (!run.checkSize(shape, sizeof(Interval))) {
        return;
    }
    for (AxisPlan& axis : axes) {
        if (elementCountOf(shape) != 0 && !fillTaps(run, axis, form)) {
            return;
        }
    }
    form.mode == Mode::Nearest ? moveNearest(run, axes, shape, extrapolation) : interpolate(run, axes, shape, extrapolation);
}

bool setScales(NodeRun& run, std::vector<AxisPlan>& axes, const std::vector<std::size_t>& which, const std::vector<double>& scales) {
    if (!run.require(scales.size() == which.size(), "scales must have one entry per axis")) {
        return false;
    }
    for (std::size_t k = 0; k < which.size(); ++k) {
        AxisPlan& axis = axes[which[k]];
        axis.scale = scales[k];
        const double length = std::floor(static_cast<double>(axis.input) * scales[k]);
        if (!run.require(scales[k] > 0.0 && length < 0x1p40, "a scale is out of range")) {
            return false;
        }
        axis.output = static_cast<std::int64_t>(static_cast<float>(axis.input) * static_cast<float>(scales[k]));
    }
    return true;
}

std::optional<Mode> modeOf(NodeRun& run) {
    const std::string mode = run.text("mode", "nearest");
    if (mode == "nearest") {
        return Mode::Nearest;
    }
    if (mode == "linear" || mode == "bilinear" || mode == "trilinear") {
        return Mode::Linear;
    }
    if (mode == "cubic") {
        return Mode::Cubic;
    }
    run.fail("unknown mode '" + mode + "'");
    return std::nullopt;
}

std::vector<AxisPlan> unchanged(const Ints& shape) {
    std::vector<AxisPlan> axes;
    for (const std::int64_t length : shape) {
        axes.push_back(AxisPlan{.input = length, .output = length});
    }
    return axes;
}

/// Upsample, and Resize of opset 10: asymmetric coordinates; going down, `nearest` takes the ceiling.
void upsample(NodeRun& run) {
    const auto mode = modeOf(run);
    std::vector<AxisPlan> axes = unchanged(run.in(0).shape());
    const bool attribute = run.node().op.name == "Upsample" && run.version() < 9;
    const std::vector<double> scales = attribute ? run.reals("scales") : run.steeringReals(1);
    std::vector<std::size_t> all(axes.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (run.stopped() || !mode || !setScales(run, axes, all, scales)) {
        return;
    }
    const bool down = std::any_of(scales.begin(), scales.end(), [](double scale) { return scale < 1.0; });
    resizeAxes(run, std::move(axes), {.mode = *mode, .coordinates = "asymmetric", .nearest = down ? "ceil" : "floor"}, 0.0);
}

void resize(NodeRun& run) {
    const auto mode = modeOf(run);
    std::vector<AxisPlan> axes = unchanged(run.in(0).shape());
    Form form{.mode = mode.value_or(Mode::Nearest),
              .coordinates = run.text("coordinate_transformation_mode", "half_pixel"),
              .nearest = run.text("nearest_mode", "round_prefer_floor"),
              .cubic = run.real("cubic_coeff_a", -0.75),
              .excludeOutside = run.integer("exclude_outside", 0) != 0,
              .antialias = run.integer("antialias", 0) != 0};
    if (run.stopped()) {
        return;
    }
    std::vector<std::size_t> which(axes.size());
    std::iota(which.begin(), which.end(), std::size_t{0});
    if (run.hasAttribute("axes") && !run.integers("axes").empty()) {
        const auto named = normalAxes(run, run.integers("axes"), axes.size());
        if (!named) {
            return;
        }
        which = *named;
    }
    if (run.has(3) && run.in(3).count() > 0) {
        Ints sizes = run.steering(3);
        const bool sane = std::all_of(sizes.begin(), sizes.end(), [](std::int64_t n) { return n >= 0 && n < (std::int64_t{1} << 40); });
        if (run.stopped() || !run.require(sizes.size() == which.size() && sane, "sizes must have one entry per axis, in range")) {
            return;
        }
        const std::string policy = run.text("keep_aspect_ratio_policy", "stretch");
        if (policy != "stretch") {
            double ratio = policy == "not_larger" ? interval::Infinity : 0.0;
            for (std::size_t k = 0; k < which.size(); ++k) {
                if (!run.require(axes[which[k]].input > 0, "an empty axis has no aspect ratio")) {
                    return;
                }
                const double one = static_cast<double>(sizes[k]) / static_cast<double>(axes[which[k]].input);
                ratio = policy == "not_larger" ? std::min(ratio, one) : std::max(ratio, one);
            }
            for (std::size_t k = 0; k < which.size(); ++k) {
                axes[which[k]].scale = ratio;
                sizes[k] = static_cast<std::int64_t>(std::floor(ratio * static_cast<double>(axes[which[k]].input) + 0.5));
            }
        }
        for (std::size_t k = 0; k < which.size(); ++k) {
            AxisPlan& axis = axes[which[k]];
            axis.output = sizes[k];
            axis.scale =
                policy != "stretch" ? axis.scale : static_cast<double>(sizes[k]) / static_cast<double>(std::max<std::int64_t>(axis.input, 1));
        }
    } else {
        const std::vector<double> scales = run.steeringReals(2);
        if (run.stopped() || !setScales(run, axes, which, scales)) {
            return;
        }
    }
    if (form.coordinates == "tf_crop_and_resize") {
        const std::vector<double> roi = run.steeringReals(1);
        if (run.stopped() || !run.require(roi.size() == 2 * which.size(), "roi must have two entries per axis")) {
            return;
        }
        for (std::size_t k = 0; k < which.size(); ++k) {
            axes[which[k]].roiBegin = roi[k];
            axes[which[k]].roiEnd = roi[k + which.size()];
        }
    }
    resizeAxes(run, std::move(axes), form, run.real("extrapolation_value", 0.0));
}

constexpr Kernel Kernels[] = {
    {"", "Upsample", 7, 0, KernelTypes::Computed, upsample},
    {"", "Resize", 10, 11, KernelTypes::Computed, upsample},
    {"", "Resize", 11, 0, KernelTypes::Computed, resize},
};

} // namespace

std::span<const Kernel> resizeKernels() { return Kernels; }

} // namespace lemmascope
