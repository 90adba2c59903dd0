// Ops that only move elements, written once over raw elements of any size. Gather and scatter stand in gather.cpp.

#include "core/eval/movement.h"
#include "core/eval/elementwise.h"
#include "core/eval/kernel_table.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

/// Gives `shape` elements of operand 0 seen through offset and strides.
void giveView(NodeRun& run, const Ints& shape, const BoxSide& from) {
    const Array& data = run.in(0);
    std::optional<Array> out = run.makeLike(data, shape);
    if (out && copyBox(run, *out, {0, rowMajorStrides(shape)}, data, from, shape)) {
        out->narrowed = data.narrowed;
        run.give(0, std::move(*out));
    }
}

void transpose(NodeRun& run) {
    const Array& data = run.in(0);
    Ints order(data.rank());
    std::iota(order.rbegin(), order.rend(), 0);
    if (run.hasAttribute("perm")) {
        order = run.integers("perm");
    }
    const auto axes = normalAxes(run, order, data.rank());
    if (!axes || !run.require(axes->size() == data.rank(), "attribute 'perm' must name every axis once")) {
        return;
    }
    const Ints strides = rowMajorStrides(data.shape());
    Ints shape;
    BoxSide from;
    for (const std::size_t axis : *axes) {
        shape.push_back(data.dim(axis));
        from.strides.push_back(strides[axis]);
    }
    giveView(run, shape, from);
}

void expand(NodeRun& run) {
    const Ints wanted = run.steering(1);
    if (run.stopped()) {
        return;
    }
    const std::array<Ints, 2> shapes{run.in(0).shape(), wanted};
    for (const std::int64_t length : wanted) {
        if (!run.require(length >= 0, "a length of the new shape is negative")) {
            return;
        }
    }
    if (const auto shape = broadcastShape(run, shapes)) {
        giveView(run, *shape, {0, broadcastStrides(shapes[0], *shape)});
    }
}

void slice(NodeRun& run) {
    const Array& data = run.in(0);
    const bool attributes = run.version() < 10;
    Ints starts = attributes ? run.integers("starts") : run.steering(1);
    const Ints ends = attributes ? run.integers("ends") : run.steering(2);
    Ints axes = attributes ? run.integers("axes") : run.has(3) ? run.steering(3) : Ints{};
    Ints steps = !attributes && run.has(4) ? run.steering(4) : Ints(starts.size(), 1);
    if (run.stopped()) {
        return;
    }
    if (axes.empty()) {
        axes.resize(starts.size());
        std::iota(axes.begin(), axes.end(), 0);
    }
    if (!run.require(starts.size() == ends.size() && starts.size() == axes.size() && starts.size() == steps.size(),
                     "starts, ends, axes and steps differ in length")) {
        return;
    }
    const auto where = normalAxes(run, axes, data.rank());
    if (!where) {
        return;
    }
    Ints shape = data.shape();
    BoxSide from{0, rowMajorStrides(shape)};
    for (std::size_t k = 0; k < starts.size(); ++k) {
        const std::size_t axis = (*where)[k];
        const std::int64_t length = data.dim(axis);
        const std::int64_t step = steps[k];
        if (!run.require(step != 0, "a step of Slice is 0")) {
            return;
        }
        // Negative bounds count from the end; then both clamp to where the step can begin and end.
        const auto fromEnd = [length](std::int64_t bound) { return bound < 0 ? bound + length : bound; };
        const std::int64_t first = step > 0 ? std::clamp<std::int64_t>(fromEnd(starts[k]), 0, length)
                                            : std::clamp<std::int64_t>(fromEnd(starts[k]), std::min<std::int64_t>(0, length - 1), length - 1);
        const std::int64_t end = step > 0 ? std::clamp<std::int64_t>(fromEnd(ends[k]), 0, length)
                                          : std::clamp<std::int64_t>(fromEnd(ends[k]), -1, std::max<std::int64_t>(length - 1, -1));
        const __int128_t distance = step > 0 ? static_cast<__int128_t>(end) - first : static_cast<__int128_t>(first) - end;
        const __int128_t stride = step > 0 ? static_cast<__int128_t>(step) : -static_cast<__int128_t>(step);
        const std::int64_t count = length == 0 || distance <= 0 ? 0 : static_cast<std::int64_t>((distance + stride - 1) / stride);
        shape[axis] = count;
        if (count > 0) {
            from.offset += first * from.strides[axis];
            from.strides[axis] = count == 1 ? 0 : from.strides[axis] * step;
        }
    }
    giveView(run, shape, from);
}

void split(NodeRun& run) {
    const Array& data = run.in(0);
    const auto axis = normalAxis(run, run.integer("axis", 0), data.rank());
    if (!axis) {
        return;
    }
    const auto parts = static_cast<std::int64_t>(run.node().results.size());
    Ints lengths;
    if (run.version() >= 13 && run.has(1)) {
        lengths = run.steering(1);
    } else if (run.version() < 13 && run.hasAttribute("split")) {
        lengths = run.integers("split");
    } else if (run.version() == 1 && run.has(1)) {
        lengths = run.steering(1);
    } else {
        const std::int64_t count = run.version() >= 18 ? run.integer("num_outputs", parts) : parts;
        const std::int64_t length = data.dim(*axis);
        if (!run.require(count > 0 && count >= parts && count <= parts + 65'536, "num_outputs does not fit the results")) {
            return;
        }
        // From opset 18 the last part may be smaller.
        const std::int64_t each = run.version() >= 18 ? (length + count - 1) / count : length / count;
        if (!run.require(run.version() >= 18 || length % count == 0, "the axis does not split into equal parts")) {
            return;
        }
        for (std::int64_t k = 0; k < count; ++k) {
            lengths.push_back(std::clamp<std::int64_t>(length - k * each, 0, each));
        }
    }
    if (run.stopped()) {
        return;
    }
    std::int64_t rest = data.dim(*axis);
    const bool fits =
        std::all_of(lengths.begin(), lengths.end(), [&rest](std::int64_t n) { return n >= 0 && n <= rest && (rest -= n) >= 0; }) && rest == 0;
    if (!run.require(fits, "the parts of Split don't add up to the axis") ||
        !run.require(static_cast<std::int64_t>(lengths.size()) >= parts, "Split has more results than parts")) {
        return;
    }
    std::int64_t begin = 0;
    for (std::size_t k = 0; k < lengths.size(); ++k) {
        Ints shape = data.shape();
        shape[*axis] = lengths[k];
        if (run.wants(k)) {
            BoxSide from{0, rowMajorStrides(data.shape())};
            from.offset = begin * from.strides[*axis];
            std::optional<Array> out = run.makeLike(data, shape);
            if (!out || !copyBox(run, *out, {0, rowMajorStrides(shape)}, data, from, shape)) {
                return;
            }
            out->narrowed = data.narrowed;
            run.give(k, std::move(*out));
        }
        begin += lengths[k];
    }
}

void concat(NodeRun& run) {
    std::vector<std::size_t> all(run.operandCount());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (!run.require(!all.empty(), "Concat needs an operand")) {
        return;
    }
    unifyStorage(run, all);
    const Array first = run.in(0);
    const auto axis = normalAxis(run, run.integer("axis", 1), first.rank()); // 1 is opset 1's default
    if (!axis) {
        return;
    }
    Ints shape = first.shape();
    shape[*axis] = 0;
    bool narrowed = true;
    for (const std::size_t i : all) {
        const Array& part = run.in(i);
        bool fits = !run.stopped() && part.rank() == shape.size() && part.element() == first.element();
        for (std::size_t k = 0; fits && k < shape.size(); ++k) {
            fits = k == *axis || part.dim(k) == shape[k];
        }
        if (!fits) {
            run.fail("operand " + std::to_string(i) + " of shape " + shapeText(part.shape()) + " does not fit " + shapeText(first.shape()));
            return;
        }
        shape[*axis] += part.dim(*axis);
        narrowed = narrowed && part.narrowed;
    }
    std::optional<Array> out = run.makeLike(first, shape);
    if (!out) {
        return;
    }
    BoxSide to{0, rowMajorStrides(shape)};
    for (const std::size_t i : all) {
        const Array& part = run.in(i);
        if (!copyBox(run, *out, to, part, {0, rowMajorStrides(part.shape())}, part.shape())) {
            return;
        }
        to.offset += part.dim(*axis) * to.strides[*axis];
    }
    out->narrowed = narrowed;
    run.give(0, std::move(*out));
}

void tile(NodeRun& run) {
    const Array data = run.in(0);
    if (run.version() < 6) {
        run.open(); // opset 1 tiled one axis, in a form nobody writes
        return;
    }
    const Ints repeats = run.steering(1);
    if (run.stopped() || !run.require(repeats.size() == data.rank(), "repeats must have one entry per axis")) {
        return;
    }
    // Each axis is seen as (repeat, index), the repeat with stride 0.
    Ints shape;
    Ints inner;
    BoxSide from;
    const Ints strides = rowMajorStrides(data.shape());
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        std::int64_t length = 0;
        if (!run.require(repeats[axis] >= 0, "a repeat is negative") ||
            !run.require(!__builtin_mul_overflow(repeats[axis], data.dim(axis), &length), "the tiled tensor is too large")) {
            return;
        }
        shape.push_back(length);
        inner.insert(inner.end(), {repeats[axis], data.dim(axis)});
        from.strides.insert(from.strides.end(), {0, strides[axis]});
    }
    std::optional<Array> out = run.makeLike(data, shape);
    if (out && copyBox(run, *out, {0, rowMajorStrides(inner)}, data, from, inner)) {
        out->narrowed = data.narrowed;
        run.give(0, std::move(*out));
    }
}

/// Source index of a padded position, or -1 for the constant.
std::int64_t paddedSource(const std::string& mode, std::int64_t index, std::int64_t length) {
    if (index >= 0 && index < length) {
        return index;
    }
    if (mode == "constant" || length == 0) {
        return -1;
    }
    if (mode == "edge") {
        return index < 0 ? 0 : length - 1;
    }
    if (mode == "wrap") {
        return ((index % length) + length) % length;
    }
    if (length == 1) {
        return 0;
    }
    const std::int64_t period = 2 * (length - 1); // reflect
    const std::int64_t folded = ((index % period) + period) % period;
    return folded < length ? folded : period - folded;
}

void pad(NodeRun& run) {
    const bool attributes = run.version() < 11;
    const std::string mode = run.text("mode", "constant");
    if (!run.require(mode == "constant" || mode == "edge" || mode == "reflect" || mode == "wrap", "unknown padding mode")) {
        return;
    }
    // The constant: an operand from opset 11, else an attribute; 0 when absent. As a scalar array of the data's type.
    std::optional<Array> constant;
    if (!attributes && run.has(2)) {
        if (!run.require(run.in(2).count() == 1 && run.in(2).element() == run.in(0).element(), "the constant must be a scalar of the data's type")) {
            return;
        }
        const std::array<std::size_t, 2> moved{0, 2};
        unifyStorage(run, moved);
        constant = run.in(2).reshaped({});
    }
    const Array data = run.in(0);
    const std::size_t rank = data.rank();
    Ints pads = attributes ? run.integers(run.version() < 2 ? "paddings" : "pads") : run.steering(1);
    std::vector<std::size_t> axes(rank);
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    if (!attributes && run.has(3)) {
        const Ints named = run.steering(3);
        const auto some = run.stopped() ? std::nullopt : normalAxes(run, named, rank);
        if (!some) {
            return;
        }
        axes = *some;
    }
    if (run.stopped() || !run.require(pads.size() == 2 * axes.size(), "pads must have two entries per axis")) {
        return;
    }
    Ints before(rank, 0);
    Ints shape = data.shape();
    for (std::size_t k = 0; k < axes.size(); ++k) {
        before[axes[k]] = pads[k];
        std::int64_t& length = shape[axes[k]];
        if (__builtin_add_overflow(length, pads[k], &length) || __builtin_add_overflow(length, pads[k + axes.size()], &length) || length < 0) {
            run.fail("the pads leave no length for axis " + std::to_string(axes[k]));
            return;
        }
        if (!run.require(mode == "constant" || data.dim(axes[k]) > 0 || shape[axes[k]] == 0, "an empty axis has no edge to repeat")) {
            return;
        }
    }
    std::optional<Array> out = run.makeLike(data, shape);
    if (!out) {
        return;
    }
    if (!constant && attributes && run.hasAttribute("value") && mode == "constant" && isComputable(data.element())) {
        std::optional<Array> value = run.make(data.element(), {}, data.isInterval());
        if (!value) {
            return;
        }
        if (value->isInterval()) {
            const std::array<Interval, 1> one{interval::point(run.real("value", 0.0))};
            writeElements<Interval>(*value, 0, one);
        } else if (isFloat(data.element())) {
            const std::array<double, 1> one{run.real("value", 0.0)};
            writeElements<double>(*value, 0, one);
        } else {
            const std::array<std::int64_t, 1> one{static_cast<std::int64_t>(run.real("value", 0.0))};
            writeElements<std::int64_t>(*value, 0, one);
        }
        constant = std::move(value);
    }
    // Per axis the source index of every position, then one pass over the result.
    std::vector<Ints> sources(rank);
    for (std::size_t axis = 0; axis < rank; ++axis) {
        for (std::int64_t i = 0; i < shape[axis] && run.tick(1); ++i) {
            sources[axis].push_back(paddedSource(mode, i - before[axis], data.dim(axis)));
        }
    }
    const Ints strides = rowMajorStrides(data.shape());
    Ints index(rank, 0);
    for (std::int64_t flat = 0; flat < out->count() && run.tick(rank + 1); ++flat) {
        std::int64_t source = 0;
        for (std::size_t axis = 0; axis < rank && source >= 0; ++axis) {
            const std::int64_t at = sources[axis][static_cast<std::size_t>(index[axis])];
            source = at < 0 ? -1 : source + at * strides[axis];
        }
        if (source >= 0) {
            copyElement(*out, flat, data, source);
        } else if (constant) {
            copyElement(*out, flat, *constant, 0);
        }
        for (std::size_t axis = rank; axis-- > 0;) {
            if (++index[axis] < shape[axis]) {
                break;
            }
            index[axis] = 0;
        }
    }
    if (!run.stopped()) {
        out->narrowed = data.narrowed && mode != "constant";
        run.give(0, std::move(*out));
    }
}

void where(NodeRun& run) {
    const std::array<std::size_t, 2> branches{1, 2};
    unifyStorage(run, branches);
    const Array condition = run.in(0);
    const Array yes = run.in(1);
    const Array no = run.in(2);
    if (run.stopped() || !run.require(yes.element() == no.element(), "the operands' element types differ")) {
        return;
    }
    if (yes.element() == ElementType::String || no.element() == ElementType::String) {
        run.open();
        return;
    }
    const std::array<Ints, 3> shapes{condition.shape(), yes.shape(), no.shape()};
    const auto shape = broadcastShape(run, shapes);
    if (!shape) {
        return;
    }
    const bool undecided = condition.isInterval();
    if (undecided && !isComputable(yes.element())) {
        run.undecided();
        return;
    }
    const Array yesStored = undecided ? asIntervals(yes) : yes;
    const Array noStored = undecided ? asIntervals(no) : no;
    std::optional<Array> out = run.makeLike(yesStored, *shape);
    if (!out) {
        return;
    }
    std::vector<Ints> strides;
    for (const Ints& one : shapes) {
        strides.push_back(broadcastStrides(one, *shape));
    }
    const std::array<std::int64_t, 3> step{shape->empty() ? 0 : strides[0].back(), shape->empty() ? 0 : strides[1].back(),
                                           shape->empty() ? 0 : strides[2].back()};
    std::int64_t flat = 0;
    walkRows(*shape, strides, [&](std::span<const std::int64_t> at, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i, ++flat) {
            const std::int64_t c = at[0] + i * step[0];
            const std::int64_t y = at[1] + i * step[1];
            const std::int64_t n = at[2] + i * step[2];
            if (!undecided) {
                const bool take = condition.data()[c] != std::byte{0};
                copyElement(*out, flat, take ? yesStored : noStored, take ? y : n);
                continue;
            }
            const Interval truth = condition.intervals()[static_cast<std::size_t>(c)];
            const Interval& a = yesStored.intervals()[static_cast<std::size_t>(y)];
            const Interval& b = noStored.intervals()[static_cast<std::size_t>(n)];
            Interval value = truth.lo >= 1.0 ? a : truth.hi <= 0.0 ? b : interval::hull(a, b);
            value = truth.isUndefined() ? interval::undefined() : value;
            value.mayBeUndefined = value.mayBeUndefined || truth.mayBeUndefined;
            out->mutableIntervals()[static_cast<std::size_t>(flat)] = value;
        }
        return run.tick(static_cast<std::uint64_t>(length));
    });
    if (!run.stopped()) {
        out->narrowed = yes.narrowed && no.narrowed;
        run.give(0, std::move(*out));
    }
}

/// Reshape, permute, reshape: DepthToSpace and SpaceToDepth.
void blocks(NodeRun& run, const Ints& seen, const std::vector<std::size_t>& order, const Ints& result) {
    const Array& data = run.in(0);
    const Ints strides = rowMajorStrides(seen);
    Ints extent;
    BoxSide from;
    for (const std::size_t axis : order) {
        extent.push_back(seen[axis]);
        from.strides.push_back(strides[axis]);
    }
    std::optional<Array> out = run.makeLike(data, result);
    if (out && copyBox(run, *out, {0, rowMajorStrides(extent)}, data, from, extent)) {
        out->narrowed = data.narrowed;
        run.give(0, std::move(*out));
    }
}

void depthToSpace(NodeRun& run) {
    const Ints s = run.in(0).shape();
    const std::int64_t b = run.integer("blocksize", 0);
    if (!run.require(s.size() == 4 && b > 0 && b < (1 << 15) && s[1] % (b * b) == 0,
                     "DepthToSpace needs [N,C,H,W] with C a multiple of blocksize^2")) {
        return;
    }
    const std::int64_t c = s[1] / (b * b);
    const Ints result{s[0], c, s[2] * b, s[3] * b};
    if (run.text("mode", "DCR") == "DCR") {
        blocks(run, {s[0], b, b, c, s[2], s[3]}, {0, 3, 4, 1, 5, 2}, result);
    } else {
        blocks(run, {s[0], c, b, b, s[2], s[3]}, {0, 1, 4, 2, 5, 3}, result);
    }
}

void spaceToDepth(NodeRun& run) {
    const Ints s = run.in(0).shape();
    const std::int64_t b = run.integer("blocksize", 0);
    if (!run.require(s.size() == 4 && b > 0 && b < (1 << 15) && s[2] % b == 0 && s[3] % b == 0,
                     "SpaceToDepth needs H and W to be multiples of blocksize")) {
        return;
    }
    blocks(run, {s[0], s[1], s[2] / b, b, s[3] / b, b}, {0, 3, 5, 1, 2, 4}, {s[0], s[1] * b * b, s[2] / b, s[3] / b});
}

void trilu(NodeRun& run) {
    const Array data = run.in(0);
    const Ints offset = run.has(1) ? run.steering(1) : Ints{0};
    if (run.stopped() || !run.require(data.rank() >= 2 && offset.size() == 1, "Trilu needs matrices and a scalar k")) {
        return;
    }
    const bool upper = run.integer("upper", 1) != 0;
    const std::int64_t k = offset[0];
    const std::int64_t columns = data.shape().back();
    const std::int64_t rows = data.dim(data.rank() - 2);
    std::optional<Array> out = run.makeLike(data, data.shape());
    if (!out) {
        return;
    }
    for (std::int64_t flat = 0; flat < data.count() && run.tick(1); ++flat) {
        const __int128_t diagonal = static_cast<__int128_t>(flat % columns) - (flat / columns) % rows; // column - row
        if (upper ? diagonal >= k : diagonal <= k) {
            copyElement(*out, flat, data, flat);
        }
    }
    if (!run.stopped()) {
        out->narrowed = data.narrowed;
        run.give(0, std::move(*out));
    }
}

void reverseSequence(NodeRun& run) {
    const Array data = run.in(0);
    const Ints lengths = run.steering(1);
    const std::int64_t batchAxis = run.integer("batch_axis", 1);
    const std::int64_t timeAxis = run.integer("time_axis", 0);
    if (run.stopped() ||
        !run.require(data.rank() >= 2 && ((batchAxis == 0 && timeAxis == 1) || (batchAxis == 1 && timeAxis == 0)),
                     "batch_axis and time_axis must be 0 and 1") ||
        !run.require(static_cast<std::int64_t>(lengths.size()) == data.dim(static_cast<std::size_t>(batchAxis)), "one length per batch is needed")) {
        return;
    }
    const std::int64_t steps = data.dim(static_cast<std::size_t>(timeAxis));
    const Ints strides = rowMajorStrides(data.shape());
    std::int64_t inner = 1;
    for (std::size_t axis = 2; axis < data.rank(); ++axis) {
        inner *= data.dim(axis);
    }
    std::optional<Array> out = run.makeLike(data, data.shape());
    for (std::size_t b = 0; out && b < lengths.size(); ++b) {
        if (!run.require(lengths[b] >= 0 && lengths[b] <= steps, "a sequence length is outside the time axis")) {
            return;
        }
        for (std::int64_t t = 0; t < steps; ++t) {
            const std::int64_t source = t < lengths[b] ? lengths[b] - 1 - t : t;
            const std::int64_t base = static_cast<std::int64_t>(b) * strides[static_cast<std::size_t>(batchAxis)];
            const std::int64_t stride = strides[static_cast<std::size_t>(timeAxis)];
            const Ints extent{inner};
            if (!copyBox(run, *out, {base + t * stride, {1}}, data, {base + source * stride, {1}}, extent)) {
                return;
            }
        }
    }
    if (out) {
        out->narrowed = data.narrowed;
        run.give(0, std::move(*out));
    }
}

constexpr auto Any = KernelTypes::Any;

constexpr Kernel Kernels[] = {
    {"", "Transpose", 1, 0, Any, transpose},
    {"", "Expand", 8, 0, Any, expand},
    {"", "Slice", 1, 0, Any, slice},
    {"", "Split", 1, 0, Any, split},
    {"", "Concat", 1, 0, Any, concat},
    {"", "Tile", 1, 0, Any, tile},
    {"", "Pad", 1, 0, Any, pad},
    {"", "Where", 9, 0, KernelTypes::Bools, where},
    {"", "DepthToSpace", 1, 0, Any, depthToSpace},
    {"", "SpaceToDepth", 1, 0, Any, spaceToDepth},
    {"", "Trilu", 14, 0, Any, trilu},
    {"", "ReverseSequence", 10, 0, Any, reverseSequence},
};

} // namespace

std::span<const Kernel> movementKernels() { return Kernels; }

} // namespace lemmascope
