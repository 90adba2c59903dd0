// Ops whose indices are data: gather and scatter. Indices count from the end when negative; one out of range is a fault. In
// enclosures an undecided index stands for every row it may name: the hull of them.

#include "core/eval/elementwise.h"
#include "core/eval/kernel_table.h"
#include "core/eval/movement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

/// The index from the front, or a fault.
std::optional<std::int64_t> checkedIndex(NodeRun& run, Fault::Kind kind, std::int64_t index, std::int64_t length) {
    if (index < -length || index >= length) {
        run.fault(kind, 0, {index}, {length});
        return std::nullopt;
    }
    return index < 0 ? index + length : index;
}

/// The rows an undecided index may name, as [first, last]; nothing: a fault for certain.
std::optional<std::pair<std::int64_t, std::int64_t>> possibleRows(NodeRun& run, const Interval& index, std::int64_t length) {
    const auto size = static_cast<double>(length);
    if (index.isUndefined() || index.hi < -size || index.lo >= size || length == 0) {
        run.undecided();
        return std::nullopt;
    }
    if (index.isPoint()) {
        const auto at = checkedIndex(run, Fault::Kind::ReadOutOfRange, static_cast<std::int64_t>(index.lo), length);
        return at ? std::optional(std::pair(*at, *at)) : std::nullopt;
    }
    if (index.lo >= 0.0) {
        return std::pair(static_cast<std::int64_t>(index.lo), static_cast<std::int64_t>(std::min(index.hi, size - 1.0)));
    }
    if (index.hi < 0.0) {
        return std::pair(static_cast<std::int64_t>(std::max(index.lo, -size)) + length, static_cast<std::int64_t>(index.hi) + length);
    }
    return std::pair(std::int64_t{0}, length - 1);
}

void gather(NodeRun& run) {
    const Array& indices = run.in(1);
    Array data = run.in(0);
    if (run.stopped()) {
        return;
    }
    const auto axis = normalAxis(run, run.integer("axis", 0), data.rank());
    if (!axis) {
        return;
    }
    const std::int64_t length = data.dim(*axis);
    std::int64_t outer = 1;
    std::int64_t inner = 1;
    Ints shape;
    for (std::size_t k = 0; k < data.rank(); ++k) {
        if (k < *axis) {
            outer *= data.dim(k);
            shape.push_back(data.dim(k));
        } else if (k > *axis) {
            inner *= data.dim(k);
        }
    }
    shape.insert(shape.end(), indices.shape().begin(), indices.shape().end());
    shape.insert(shape.end(), data.shape().begin() + static_cast<std::ptrdiff_t>(*axis) + 1, data.shape().end());
    const std::int64_t rows = indices.count();
    if (indices.isInterval() && !isComputable(data.element())) {
        run.undecided();
        return;
    }
    if (indices.isInterval()) {
        data = asIntervals(data);
    }
    std::optional<Array> out = run.makeLike(data, shape);
    if (!out) {
        return;
    }
    if (indices.isInterval()) {
        const std::span<const Interval> from = data.intervals();
        for (std::int64_t r = 0; r < rows; ++r) {
            const auto range = possibleRows(run, indices.intervals()[static_cast<std::size_t>(r)], length);
            if (!range || !run.charge(range->second - range->first + 1, outer * inner)) {
                return;
            }
            for (std::int64_t o = 0; o < outer; ++o) {
                for (std::int64_t i = 0; i < inner; ++i) {
                    Interval value = from[static_cast<std::size_t>((o * length + range->first) * inner + i)];
                    for (std::int64_t k = range->first + 1; k <= range->second; ++k) {
                        value = interval::hull(value, from[static_cast<std::size_t>((o * length + k) * inner + i)]);
                    }
                    out->mutableIntervals()[static_cast<std::size_t>((o * rows + r) * inner + i)] = value;
                    if (!run.tick(static_cast<std::uint64_t>(range->second - range->first + 1))) {
                        return;
                    }
                }
            }
        }
    } else {
        const Ints index = run.steering(1);
        for (std::size_t r = 0; r < index.size() && !run.stopped(); ++r) {
            const auto at = checkedIndex(run, Fault::Kind::ReadOutOfRange, index[r], length);
            const Ints extent{outer, inner};
            if (!at ||
                !copyBox(run, *out, {static_cast<std::int64_t>(r) * inner, {rows * inner, 1}}, data, {*at * inner, {length * inner, 1}}, extent)) {
                return;
            }
        }
    }
    if (!run.stopped()) {
        out->narrowed = data.narrowed;
        run.give(0, std::move(*out));
    }
}

/// True when `index` has the data's shape but along `axis`, where it may be any length (ScatterElements, GatherElements):
/// no other axis is longer than the data's.
bool elementsFit(NodeRun& run, const Array& data, const Array& indices, std::size_t axis) {
    bool fits = data.rank() == indices.rank();
    for (std::size_t k = 0; fits && k < data.rank(); ++k) {
        fits = k == axis || indices.dim(k) <= data.dim(k);
    }
    return run.require(fits, "the indices' shape does not fit the data's");
}

void gatherElements(NodeRun& run) {
    const Array data = run.in(0);
    const Array indices = run.in(1);
    const auto axis = run.stopped() ? std::nullopt : normalAxis(run, run.integer("axis", 0), data.rank());
    if (!axis || !elementsFit(run, data, indices, *axis)) {
        return;
    }
    const Ints index = run.steering(1);
    std::optional<Array> out = run.stopped() ? std::nullopt : run.makeLike(data, indices.shape());
    if (!out) {
        return;
    }
    const Ints strides = rowMajorStrides(data.shape());
    const std::array<Ints, 1> walked{strides};
    std::size_t flat = 0;
    const Ints own = rowMajorStrides(indices.shape());
    walkRows(indices.shape(), walked, [&](std::span<const std::int64_t> at, std::int64_t length) {
        // Position along `axis` of the row's start, to take its share out of the offset.
        for (std::int64_t i = 0; i < length; ++i, ++flat) {
            const std::int64_t along = (static_cast<std::int64_t>(flat) / own[*axis]) % indices.dim(*axis);
            const auto to = checkedIndex(run, Fault::Kind::ReadOutOfRange, index[flat], data.dim(*axis));
            if (!to) {
                return false;
            }
            copyElement(*out, static_cast<std::int64_t>(flat), data, at[0] + i * strides.back() + (*to - along) * strides[*axis]);
        }
        return run.tick(static_cast<std::uint64_t>(length));
    });
    if (!run.stopped()) {
        out->narrowed = data.narrowed;
        run.give(0, std::move(*out));
    }
}

/// The row an index tuple names: offset in elements of the data, or nothing after a fault.
std::optional<std::int64_t> tupleOffset(NodeRun& run, Fault::Kind kind, std::span<const std::int64_t> tuple, const Array& data, const Ints& strides,
                                        std::size_t firstAxis) {
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < tuple.size(); ++k) {
        const std::int64_t length = data.dim(firstAxis + k);
        if (tuple[k] < -length || tuple[k] >= length) {
            Ints sizes;
            for (std::size_t j = 0; j < tuple.size(); ++j) {
                sizes.push_back(data.dim(firstAxis + j));
            }
            run.fault(kind, 0, Ints(tuple.begin(), tuple.end()), std::move(sizes));
            return std::nullopt;
        }
        offset += (tuple[k] < 0 ? tuple[k] + length : tuple[k]) * strides[firstAxis + k];
    }
    return offset;
}

std::int64_t product(const Ints& shape, std::size_t from, std::size_t to) {
    std::int64_t out = 1;
    for (std::size_t k = from; k < to; ++k) {
        out *= shape[k];
    }
    return out;
}

void gatherNd(NodeRun& run) {
    const Array data = run.in(0);
    const Array indices = run.in(1);
    const std::int64_t batchAxes = run.integer("batch_dims", 0);
    if (run.stopped() ||
        !run.require(indices.rank() >= 1 && batchAxes >= 0 && batchAxes < static_cast<std::int64_t>(std::min(data.rank(), indices.rank())),
                     "batch_dims does not fit the operands' ranks")) {
        return;
    }
    const auto batch = static_cast<std::size_t>(batchAxes);
    const auto width = static_cast<std::size_t>(indices.shape().back());
    if (!run.require(batch + width <= data.rank(), "an index tuple is longer than the data's rank")) {
        return;
    }
    for (std::size_t k = 0; k < batch; ++k) {
        if (!run.require(data.dim(k) == indices.dim(k), "the batch axes differ")) {
            return;
        }
    }
    const Ints index = run.steering(1);
    Ints shape(indices.shape().begin(), indices.shape().end() - 1);
    shape.insert(shape.end(), data.shape().begin() + static_cast<std::ptrdiff_t>(batch + width), data.shape().end());
    std::optional<Array> out = run.stopped() ? std::nullopt : run.makeLike(data, shape);
    if (!out) {
        return;
    }
    const Ints strides = rowMajorStrides(data.shape());
    const std::int64_t row = product(data.shape(), batch + width, data.rank());
    const std::int64_t batches = product(data.shape(), 0, batch);
    const std::int64_t tuples = product(indices.shape(), batch, indices.rank() - 1);
    const std::int64_t batchSize = product(data.shape(), batch, data.rank());
    const Ints extent{row};
    for (std::int64_t t = 0; t < batches * tuples; ++t) {
        const std::span<const std::int64_t> tuple(index.data() + static_cast<std::size_t>(t) * width, width);
        const auto offset = tupleOffset(run, Fault::Kind::ReadOutOfRange, tuple, data, strides, batch);
        if (!offset || !copyBox(run, *out, {t * row, {1}}, data, {(t / tuples) * batchSize + *offset, {1}}, extent)) {
            return;
        }
    }
    out->narrowed = data.narrowed;
    run.give(0, std::move(*out));
}

enum class Reduction : std::uint8_t { None, Add, Mul, Max, Min };

std::optional<Reduction> reductionOf(NodeRun& run) {
    const std::string text = run.text("reduction", "none");
    constexpr std::array<std::pair<std::string_view, Reduction>, 5> Names{
        {{"none", Reduction::None}, {"add", Reduction::Add}, {"mul", Reduction::Mul}, {"max", Reduction::Max}, {"min", Reduction::Min}}};
    for (const auto& [name, reduction] : Names) {
        if (text == name) {
            return reduction;
        }
    }
    run.fail("unknown reduction '" + text + "'");
    return std::nullopt;
}

template <typename S>
S combined(Reduction reduction, const S& a, const S& b) {
    if constexpr (std::is_same_v<S, Interval>) {
        return reduction == Reduction::Add   ? a + b
               : reduction == Reduction::Mul ? a * b
               : reduction == Reduction::Max ? interval::max(a, b)
                                             : interval::min(a, b);
    } else if constexpr (std::is_integral_v<S>) {
        const auto x = static_cast<std::uint64_t>(a);
        const auto y = static_cast<std::uint64_t>(b);
        return reduction == Reduction::Add   ? static_cast<S>(x + y)
               : reduction == Reduction::Mul ? static_cast<S>(x * y)
               : reduction == Reduction::Max ? std::max(a, b)
                                             : std::min(a, b);
    } else {
        return reduction == Reduction::Add   ? a + b
               : reduction == Reduction::Mul ? a * b
               : a != a || b != b            ? a + b
               : reduction == Reduction::Max ? std::max(a, b)
                                             : std::min(a, b);
    }
}

/// Writes `count` consecutive updates from `from` on into the result at `to`, combined with what stands there.
void scatterRun(Array& out, std::int64_t to, const Array& updates, std::int64_t from, std::int64_t count, Reduction reduction) {
    const auto each = [&](auto one) {
        using S = decltype(one);
        for (std::int64_t i = 0; i < count; ++i) {
            std::array<S, 1> a{};
            std::array<S, 1> b{};
            readElements<S>(out, to + i, 1, a);
            readElements<S>(updates, from + i, 1, b);
            a[0] = combined(reduction, a[0], b[0]);
            writeElements<S>(out, to + i, a);
        }
    };
    if (out.isInterval()) {
        each(Interval{});
    } else if (out.tensor().element() == ElementType::F64) {
        each(double{});
    } else if (isFloat(out.element())) {
        each(float{});
    } else if (out.element() == ElementType::U64) {
        each(std::uint64_t{});
    } else {
        each(std::int64_t{});
    }
}

/// Undecided indices: any element may be any update, combined in any way.
void scatterAnywhere(NodeRun& run, const Array& data, const Array& updates, Reduction reduction) {
    std::vector<Interval> out = asIntervals(data).intervals().empty() ? std::vector<Interval>{} : run.numbers<Interval>(0);
    const Array moved = asIntervals(updates);
    Interval all = interval::undefined();
    for (const Interval& update : moved.intervals()) {
        all = all.lo > all.hi && !all.mayBeUndefined ? update : interval::hull(all, update);
    }
    for (Interval& element : out) {
        element = reduction == Reduction::None && moved.count() > 0 ? interval::hull(element, all) : interval::whole(true);
    }
    run.give<Interval>(0, data.element(), data.shape(), out);
}

/// The common part of all scatters: checks, a copy of the data, storage. Nothing when the node has ended.
std::optional<Array> scatterStart(NodeRun& run, Reduction reduction) {
    const std::array<std::size_t, 2> moved{0, 2};
    unifyStorage(run, moved);
    const Array& data = run.in(0);
    const Array& updates = run.in(2);
    if (run.stopped() || !run.require(data.element() == updates.element(), "data and updates differ in element type")) {
        return std::nullopt;
    }
    if (reduction != Reduction::None && !isComputable(data.element())) {
        run.open();
        return std::nullopt;
    }
    if (run.in(1).isInterval() && !isComputable(data.element())) {
        run.undecided();
        return std::nullopt;
    }
    if (run.in(1).isInterval()) {
        scatterAnywhere(run, data, updates, reduction);
        return std::nullopt;
    }
    std::optional<Array> out = run.makeLike(data, data.shape());
    const Ints flat{data.count()};
    if (!out || !copyBox(run, *out, {0, {1}}, data, {0, {1}}, flat)) {
        return std::nullopt;
    }
    out->narrowed = data.narrowed && updates.narrowed && reduction == Reduction::None;
    return out;
}

void scatterElements(NodeRun& run) {
    const auto reduction = reductionOf(run);
    std::optional<Array> out = reduction ? scatterStart(run, *reduction) : std::nullopt;
    if (!out) {
        return;
    }
    const Array indices = run.in(1);
    const Array updates = run.in(2);
    const auto axis = normalAxis(run, run.integer("axis", 0), out->rank());
    if (!axis || !elementsFit(run, *out, indices, *axis) || !run.require(indices.shape() == updates.shape(), "indices and updates differ in shape")) {
        return;
    }
    const Ints index = run.steering(1);
    if (run.stopped()) {
        return;
    }
    const Ints strides = rowMajorStrides(out->shape());
    const Ints own = rowMajorStrides(indices.shape());
    const std::array<Ints, 1> walked{strides};
    std::size_t flat = 0;
    walkRows(indices.shape(), walked, [&](std::span<const std::int64_t> at, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i, ++flat) {
            const std::int64_t along = (static_cast<std::int64_t>(flat) / own[*axis]) % indices.dim(*axis);
            const auto to = checkedIndex(run, Fault::Kind::WriteOutOfRange, index[flat], out->dim(*axis));
            if (!to) {
                return false;
            }
            const std::int64_t target = at[0] + i * strides.back() + (*to - along) * strides[*axis];
            if (*reduction == Reduction::None) {
                copyElement(*out, target, updates, static_cast<std::int64_t>(flat));
            } else {
                scatterRun(*out, target, updates, static_cast<std::int64_t>(flat), 1, *reduction);
            }
        }
        return run.tick(static_cast<std::uint64_t>(length));
    });
    if (!run.stopped()) {
        run.give(0, std::move(*out));
    }
}

void scatterNd(NodeRun& run) {
    const auto reduction = reductionOf(run);
    std::optional<Array> out = reduction ? scatterStart(run, *reduction) : std::nullopt;
    if (!out) {
        return;
    }
    const Array indices = run.in(1);
    const Array updates = run.in(2);
    if (!run.require(indices.rank() >= 1 && indices.shape().back() <= static_cast<std::int64_t>(out->rank()),
                     "an index tuple is longer than the data's rank")) {
        return;
    }
    const auto width = static_cast<std::size_t>(indices.shape().back());
    Ints expected(indices.shape().begin(), indices.shape().end() - 1);
    expected.insert(expected.end(), out->shape().begin() + static_cast<std::ptrdiff_t>(width), out->shape().end());
    if (!run.require(updates.shape() == expected, "the updates' shape does not fit indices and data")) {
        return;
    }
    const Ints index = run.steering(1);
    if (run.stopped()) {
        return;
    }
    const Ints strides = rowMajorStrides(out->shape());
    const std::int64_t row = product(out->shape(), width, out->rank());
    const std::int64_t tuples = product(indices.shape(), 0, indices.rank() - 1);
    const Ints extent{row};
    for (std::int64_t t = 0; t < tuples; ++t) {
        const std::span<const std::int64_t> tuple(index.data() + static_cast<std::size_t>(t) * width, width);
        const auto offset = tupleOffset(run, Fault::Kind::WriteOutOfRange, tuple, *out, strides, 0);
        if (!offset) {
            return;
        }
        if (*reduction == Reduction::None) {
            if (!copyBox(run, *out, {*offset, {1}}, updates, {t * row, {1}}, extent)) {
                return;
            }
        } else {
            scatterRun(*out, *offset, updates, t * row, row, *reduction);
            if (!run.tick(static_cast<std::uint64_t>(row))) {
                return;
            }
        }
    }
    run.give(0, std::move(*out));
}

void oneHot(NodeRun& run) {
    const Array& indices = run.in(0);
    const Ints depth = run.in(1).isInterval() || isFloat(run.in(1).element()) ? Ints{} : run.steering(1);
    const std::vector<double> depthReal = depth.empty() ? run.steeringReals(1) : std::vector<double>{};
    const Array values = run.in(2);
    if (run.stopped() || !run.require(depth.size() + depthReal.size() == 1 && values.count() == 2, "depth must be a scalar and values a pair") ||
        !run.require(depthReal.empty() || std::fabs(depthReal[0]) < 0x1p53, "the depth is out of range")) {
        return;
    }
    const std::int64_t length = depth.empty() ? static_cast<std::int64_t>(depthReal[0]) : depth[0];
    const auto axis = normalAxis(run, run.integer("axis", -1), indices.rank() + 1);
    if (!axis || !run.require(length >= 0, "the depth is negative")) {
        return;
    }
    std::vector<double> at = run.steeringReals(0);
    Ints shape = indices.shape();
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), length);
    std::optional<Array> out = run.stopped() ? std::nullopt : run.makeLike(values, shape);
    if (!out) {
        return;
    }
    std::int64_t inner = 1;
    for (std::size_t k = *axis + 1; k < shape.size(); ++k) {
        inner *= shape[k];
    }
    for (std::int64_t flat = 0; flat < out->count() && run.tick(1); ++flat) {
        const std::int64_t i = flat % inner;
        const std::int64_t position = (flat / inner) % length;
        const std::int64_t outer = flat / (inner * length);
        const double index = at[static_cast<std::size_t>(outer * inner + i)];
        // Outside [-depth, depth - 1] every element is off.
        const double wrapped = index < 0.0 ? index + static_cast<double>(length) : index;
        copyElement(*out, flat, values, std::trunc(wrapped) == static_cast<double>(position) && wrapped >= 0.0 ? 1 : 0);
    }
    if (!run.stopped()) {
        run.give(0, std::move(*out));
    }
}

void compress(NodeRun& run) {
    const Ints condition = run.steering(1);
    Array data = run.in(0);
    if (run.stopped()) {
        return;
    }
    std::size_t axis = 0;
    if (run.hasAttribute("axis")) {
        const auto named = normalAxis(run, run.integer("axis", 0), data.rank());
        if (!named) {
            return;
        }
        axis = *named;
    } else {
        data = data.reshaped({data.count()});
    }
    Ints rows;
    for (std::size_t k = 0; k < condition.size(); ++k) {
        if (condition[k] != 0) {
            rows.push_back(static_cast<std::int64_t>(k));
        }
    }
    Ints shape = data.shape();
    shape[axis] = static_cast<std::int64_t>(rows.size());
    std::optional<Array> out = run.makeLike(data, shape);
    const Ints to = rowMajorStrides(shape);
    const Ints from = rowMajorStrides(data.shape());
    Ints extent = shape;
    extent[axis] = 1;
    for (std::size_t k = 0; out && k < rows.size(); ++k) {
        if (rows[k] >= data.dim(axis)) {
            run.fault(Fault::Kind::ReadOutOfRange, 0, {rows[k]}, {data.dim(axis)});
            return;
        }
        if (!copyBox(run, *out, {static_cast<std::int64_t>(k) * to[axis], to}, data, {rows[k] * from[axis], from}, extent)) {
            return;
        }
    }
    if (out) {
        out->narrowed = data.narrowed;
        run.give(0, std::move(*out));
    }
}

constexpr auto Any = KernelTypes::Any;

constexpr Kernel Kernels[] = {
    {"", "Gather", 1, 0, Any, gather},
    {"", "GatherElements", 11, 0, Any, gatherElements},
    {"", "GatherND", 11, 0, Any, gatherNd},
    {"", "Scatter", 9, 11, Any, scatterElements},
    {"", "ScatterElements", 11, 0, Any, scatterElements},
    {"", "ScatterND", 11, 0, Any, scatterNd},
    {"", "OneHot", 9, 0, KernelTypes::Numbers, oneHot},
    {"", "Compress", 9, 0, Any, compress},
};

} // namespace

std::span<const Kernel> gatherKernels() { return Kernels; }

} // namespace lemmascope
