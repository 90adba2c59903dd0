// The ops of domain "lemmascope", which our JSON's table reads and writes lower to (resources/help/formats.md).

#include "core/eval/kernel_table.h"
#include "core/eval/movement.h"

#include <algorithm>
#include <array>
#include <limits>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

/// Rows `at` to `at + count` of a tensor of `rows` rows: the row it begins with, or a fault naming the first row outside.
std::optional<std::int64_t> rowsAt(NodeRun& run, Fault::Kind kind, std::size_t operand, std::int64_t count, std::int64_t rows) {
    const Ints at = run.steering(operand);
    if (run.stopped() || !run.require(at.size() == 1, "the row must be a scalar") || !run.require(count >= 0, "attribute 'count' is negative")) {
        return std::nullopt;
    }
    if (at[0] < 0 || at[0] > rows - count) {
        run.fault(kind, 0, {at[0] < 0 ? at[0] : std::max(at[0], rows)}, {rows});
        return std::nullopt;
    }
    return at[0];
}

void readRowsAt(NodeRun& run) {
    const Array data = run.in(0);
    if (run.stopped() || !run.require(data.rank() >= 1, "a scalar has no rows")) {
        return;
    }
    const std::int64_t count = run.integer("count", 1);
    const auto at = rowsAt(run, Fault::Kind::ReadOutOfRange, 1, count, data.dim(0));
    if (!at) {
        return;
    }
    Ints shape = data.shape();
    shape[0] = count;
    const Ints strides = rowMajorStrides(data.shape());
    std::optional<Array> out = run.makeLike(data, shape);
    if (out && copyBox(run, *out, {0, rowMajorStrides(shape)}, data, {*at * strides[0], strides}, shape)) {
        out->narrowed = data.narrowed;
        run.give(0, std::move(*out));
    }
}

/// A copy of the table to write into; nothing when the node has ended.
std::optional<Array> tableCopy(NodeRun& run) {
    const std::array<std::size_t, 2> moved{0, 1};
    unifyStorage(run, moved);
    const Array& table = run.in(0);
    const Array& value = run.in(1);
    if (run.stopped() || !run.require(table.element() == value.element(), "table and value differ in element type") ||
        !run.require(table.rank() >= 1, "a scalar has no rows")) {
        return std::nullopt;
    }
    std::optional<Array> out = run.makeLike(table, table.shape());
    const Ints flat{table.count()};
    if (!out || !copyBox(run, *out, {0, {1}}, table, {0, {1}}, flat)) {
        return std::nullopt;
    }
    out->narrowed = table.narrowed && value.narrowed;
    return out;
}

bool valueFits(NodeRun& run, const Array& value, const Ints& shape) {
    return value.shape() == shape || run.fail("a value of shape " + shapeText(value.shape()) + " is stored into a part of shape " + shapeText(shape));
}

void storeSlice(NodeRun& run) {
    std::optional<Array> out = tableCopy(run);
    if (!out) {
        return;
    }
    const Array value = run.in(1);
    const Ints starts = run.integers("starts");
    Ints ends = run.integers("ends");
    Ints steps = run.integers("steps");
    steps.resize(steps.empty() ? starts.size() : steps.size(), 1);
    if (!run.require(starts.size() == ends.size() && starts.size() == steps.size() && starts.size() <= out->rank(),
                     "starts, ends and steps differ in length")) {
        return;
    }
    Ints shape = out->shape();
    BoxSide to{0, rowMajorStrides(shape)};
    for (std::size_t axis = 0; axis < starts.size(); ++axis) {
        if (ends[axis] == std::numeric_limits<std::int64_t>::max()) {
            ends[axis] = shape[axis]; // written whole
        }
        const std::int64_t step = steps[axis];
        if (!run.require(starts[axis] >= 0 && starts[axis] <= ends[axis] && step != 0,
                         "a part must have 0 <= begin <= end and a step that is not 0")) {
            return;
        }
        if (ends[axis] > shape[axis]) {
            run.fault(Fault::Kind::WriteOutOfRange, 0, {std::max(starts[axis], shape[axis])}, {shape[axis]});
            return;
        }
        // A negative step runs from end - 1 down to begin.
        const std::int64_t span = ends[axis] - starts[axis];
        const std::int64_t stride = step > 0                                           ? step
                                    : step == std::numeric_limits<std::int64_t>::min() ? std::numeric_limits<std::int64_t>::max()
                                                                                       : -step;
        shape[axis] = span == 0 ? 0 : (span - 1) / stride + 1;
        if (shape[axis] > 0) {
            to.offset += (step > 0 ? starts[axis] : ends[axis] - 1) * to.strides[axis];
            to.strides[axis] = shape[axis] == 1 ? 0 : to.strides[axis] * step;
        }
    }
    if (valueFits(run, value, shape) && copyBox(run, *out, to, value, {0, rowMajorStrides(shape)}, shape)) {
        run.give(0, std::move(*out));
    }
}

void storeRows(NodeRun& run) {
    std::optional<Array> out = tableCopy(run);
    if (!out) {
        return;
    }
    const Array value = run.in(1);
    const Ints rows = run.steering(2);
    Ints shape = out->shape();
    shape[0] = static_cast<std::int64_t>(rows.size());
    if (run.stopped() || !valueFits(run, value, shape)) {
        return;
    }
    const std::int64_t length = out->dim(0);
    const std::int64_t row = length == 0 ? 0 : out->count() / length;
    const Ints extent{row};
    // In order: a later row wins over an earlier one.
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (rows[k] < -length || rows[k] >= length) {
            run.fault(Fault::Kind::WriteOutOfRange, 0, {rows[k]}, {length});
            return;
        }
        const std::int64_t at = rows[k] < 0 ? rows[k] + length : rows[k];
        if (!copyBox(run, *out, {at * row, {1}}, value, {static_cast<std::int64_t>(k) * row, {1}}, extent)) {
            return;
        }
    }
    run.give(0, std::move(*out));
}

void storeRowsAt(NodeRun& run) {
    std::optional<Array> out = tableCopy(run);
    if (!out) {
        return;
    }
    const Array value = run.in(1);
    const std::int64_t count = run.integer("count", 1);
    const auto at = rowsAt(run, Fault::Kind::WriteOutOfRange, 2, count, out->dim(0));
    Ints shape = out->shape();
    shape[0] = count;
    if (!at || !valueFits(run, value, shape)) {
        return;
    }
    const Ints strides = rowMajorStrides(out->shape());
    if (copyBox(run, *out, {*at * strides[0], strides}, value, {0, rowMajorStrides(shape)}, shape)) {
        run.give(0, std::move(*out));
    }
}

constexpr Kernel Kernels[] = {
    {"lemmascope", "RowsAt", 0, 0, KernelTypes::Any, readRowsAt},
    {"lemmascope", "StoreSlice", 0, 0, KernelTypes::Any, storeSlice},
    {"lemmascope", "StoreRows", 0, 0, KernelTypes::Any, storeRows},
    {"lemmascope", "StoreRowsAt", 0, 0, KernelTypes::Any, storeRowsAt},
};

} // namespace

std::span<const Kernel> storeKernels() { return Kernels; }

} // namespace lemmascope
