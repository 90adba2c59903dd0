// Ops that only choose which element goes where: gathers, scatters and stores, whose indices are concrete on every sample.

#include "core/sample/array_kernels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lemmascope::sampling {

namespace {

std::vector<std::int64_t> identity(std::size_t count) {
    std::vector<std::int64_t> all(count);
    std::iota(all.begin(), all.end(), std::int64_t{0});
    return all;
}

/// Counted from the end when negative; false when out of range.
bool normalise(std::int64_t& index, std::int64_t length) {
    index += index < 0 ? length : 0;
    return index >= 0 && index < length;
}

} // namespace

void ArrayKernels::pick(const Slice& source, Kind kind, const std::vector<std::int64_t>& index, const MutableSlice& out, std::size_t at) const {
    if (kind != Kind::Real) {
        for (std::size_t i = 0; i < index.size(); ++i) {
            out.integers[at + i] = index[i] < 0 ? 0 : source.integers[index[i]];
        }
        return;
    }
    for (std::size_t l = 0; l < m_levels; ++l) {
        const std::uint64_t* from = source.fields[l];
        std::uint64_t* to = out.fields[l] + at;
        for (std::size_t i = 0; i < index.size(); ++i) {
            to[i] = index[i] < 0 ? 0 : from[index[i]];
        }
    }
    for (std::size_t i = 0; i < index.size(); ++i) {
        out.values[at + i] = index[i] < 0 ? 0.0 : source.values[index[i]];
        out.errors[at + i] = index[i] < 0 ? 0.0 : source.errors[index[i]];
    }
}

ArrayKernels::Result ArrayKernels::gatherIndex(const Operator& op, const Lengths& data, const OperandArray& rows, const Lengths& shape,
                                               std::vector<std::int64_t>& index) {
    if (kindOf(rows.type) != Kind::Integer) {
        return Result::None;
    }
    const Lengths strides = stridesOf(data);
    const std::size_t count = countOf(shape);
    index.reserve(count);
    if (op.name == "GatherND") {
        const auto batch = static_cast<std::size_t>(op.attribute<std::int64_t>("batch_dims"));
        if (rows.shape.empty() || batch >= rows.shape.size() || batch + static_cast<std::size_t>(rows.shape.back()) > data.size()) {
            return Result::None;
        }
        if (!std::equal(rows.shape.begin(), rows.shape.begin() + static_cast<std::ptrdiff_t>(batch), data.begin())) {
            return Result::None; // batches that do not go together at the sizes drawn
        }
        const std::int64_t depth = rows.shape.back();
        const auto tuples = static_cast<std::int64_t>(rows.count()) / std::max<std::int64_t>(depth, 1);
        std::int64_t batches = 1;
        for (std::size_t k = 0; k < batch; ++k) {
            batches *= rows.shape[k];
        }
        std::int64_t inner = 1;
        for (std::size_t k = batch + static_cast<std::size_t>(depth); k < data.size(); ++k) {
            inner *= data[k];
        }
        const std::int64_t perBatch = static_cast<std::int64_t>(countOf(data)) / std::max<std::int64_t>(batches, 1);
        for (std::int64_t t = 0; t < tuples; ++t) {
            std::int64_t base = t / std::max<std::int64_t>(tuples / std::max<std::int64_t>(batches, 1), 1) * perBatch;
            for (std::int64_t k = 0; k < depth; ++k) {
                std::int64_t which = rows.slice.integers[t * depth + k];
                const std::size_t axis = batch + static_cast<std::size_t>(k);
                if (!normalise(which, data[axis])) {
                    return Result::Dropped;
                }
                base += which * strides[axis];
            }
            for (std::int64_t i = 0; i < inner; ++i) {
                index.push_back(base + i);
            }
        }
    } else {
        const auto axis = static_cast<std::size_t>(op.attribute<std::int64_t>("axis"));
        if (axis >= data.size()) {
            return Result::None;
        }
        const std::int64_t length = data[axis];
        const std::int64_t inner = strides[axis];
        if (op.name == "Gather") {
            const auto picked = static_cast<std::int64_t>(rows.count());
            const std::int64_t outer = static_cast<std::int64_t>(countOf(data)) / std::max<std::int64_t>(length * inner, 1);
            for (std::int64_t o = 0; o < outer; ++o) {
                for (std::int64_t r = 0; r < picked; ++r) {
                    std::int64_t which = rows.slice.integers[r];
                    if (!normalise(which, length)) {
                        return Result::Dropped;
                    }
                    for (std::int64_t i = 0; i < inner; ++i) {
                        index.push_back((o * length + which) * inner + i);
                    }
                }
            }
        } else {
            if (rows.shape.size() != data.size()) {
                return Result::None;
            }
            const Lengths rowStrides = stridesOf(rows.shape);
            for (std::size_t i = 0; i < rows.count(); ++i) {
                std::int64_t rest = static_cast<std::int64_t>(i);
                std::int64_t from = 0;
                for (std::size_t k = 0; k < rows.shape.size(); ++k) {
                    std::int64_t at = rest / rowStrides[k];
                    rest %= rowStrides[k];
                    if (k == axis) {
                        at = rows.slice.integers[i];
                        if (!normalise(at, length)) {
                            return Result::Dropped;
                        }
                    }
                    if (at >= data[k]) {
                        return Result::None;
                    }
                    from += at * strides[k];
                }
                index.push_back(from);
            }
        }
    }
    return index.size() == count ? Result::Done : Result::None;
}

ArrayKernels::Result ArrayKernels::gather(const Operator& op, const std::vector<OperandArray>& operands, const Lengths& shape,
                                          const MutableSlice& out) const {
    std::vector<std::int64_t> index;
    const Result found = gatherIndex(op, operands[0].shape, operands[1], shape, index);
    if (found == Result::Done) {
        pick(operands[0].slice, kindOf(operands[0].type), index, out);
    }
    return found;
}

ArrayKernels::Result ArrayKernels::scatter(const Operator& op, const std::vector<OperandArray>& operands, const MutableSlice& out) const {
    const OperandArray& data = operands[0];
    const OperandArray& rows = operands[1];
    const OperandArray& updates = operands[2];
    const std::string reduction = op.attribute<std::string>("reduction");
    if (kindOf(rows.type) != Kind::Integer || kindOf(updates.type) != kindOf(data.type)) {
        return Result::None;
    }
    // Where each update goes.
    std::vector<std::int64_t> targets;
    const Lengths strides = stridesOf(data.shape);
    if (op.name == "ScatterND") {
        if (rows.shape.empty() || static_cast<std::size_t>(rows.shape.back()) > data.shape.size()) {
            return Result::None;
        }
        const std::int64_t depth = rows.shape.back();
        const auto tuples = static_cast<std::int64_t>(rows.count()) / std::max<std::int64_t>(depth, 1);
        std::int64_t inner = 1;
        for (std::size_t k = static_cast<std::size_t>(depth); k < data.shape.size(); ++k) {
            inner *= data.shape[k];
        }
        for (std::int64_t t = 0; t < tuples; ++t) {
            std::int64_t base = 0;
            for (std::int64_t k = 0; k < depth; ++k) {
                std::int64_t which = rows.slice.integers[t * depth + k];
                if (!normalise(which, data.shape[static_cast<std::size_t>(k)])) {
                    return Result::Dropped;
                }
                base += which * strides[static_cast<std::size_t>(k)];
            }
            for (std::int64_t i = 0; i < inner; ++i) {
                targets.push_back(base + i);
            }
        }
    } else {
        const auto axis = static_cast<std::size_t>(op.attribute<std::int64_t>("axis"));
        if (axis >= data.shape.size() || rows.shape.size() != data.shape.size()) {
            return Result::None;
        }
        const Lengths rowStrides = stridesOf(rows.shape);
        for (std::size_t i = 0; i < rows.count(); ++i) {
            std::int64_t rest = static_cast<std::int64_t>(i);
            std::int64_t to = 0;
            for (std::size_t k = 0; k < rows.shape.size(); ++k) {
                std::int64_t at = rest / rowStrides[k];
                rest %= rowStrides[k];
                if (k == axis) {
                    at = rows.slice.integers[i];
                    if (!normalise(at, data.shape[k])) {
                        return Result::Dropped;
                    }
                }
                if (at >= data.shape[k]) {
                    return Result::None;
                }
                to += at * strides[k];
            }
            targets.push_back(to);
        }
    }
    if (targets.size() != updates.count()) {
        return Result::None;
    }
    const Kind kind = kindOf(data.type);
    pick(data.slice, kind, identity(data.count()), out);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const auto at = static_cast<std::size_t>(targets[i]);
        const auto from = static_cast<std::int64_t>(i);
        if (reduction == "none" || reduction.empty()) {
            copy(updates, from, out, at); // the later write wins
        } else if (kind == Kind::Real && reduction == "add") {
            for (std::size_t l = 0; l < m_levels; ++l) {
                out.fields[l][at] = field(l).add(out.fields[l][at], updates.slice.fields[l][i]);
            }
            out.errors[at] += updates.slice.errors[i] + (std::abs(out.values[at]) + std::abs(updates.slice.values[i])) * 0x1p-52;
            out.values[at] += updates.slice.values[i];
        } else if (kind == Kind::Real && reduction == "mul") {
            for (std::size_t l = 0; l < m_levels; ++l) {
                out.fields[l][at] = field(l).mul(out.fields[l][at], updates.slice.fields[l][i]);
            }
            const double a = std::abs(out.values[at]);
            const double b = std::abs(updates.slice.values[i]);
            out.errors[at] = a * updates.slice.errors[i] + b * out.errors[at] + out.errors[at] * updates.slice.errors[i] + a * b * 0x1p-52;
            out.values[at] *= updates.slice.values[i];
        } else if (kind == Kind::Real && (reduction == "max" || reduction == "min")) {
            const std::size_t top = std::max(data.top, updates.top);
            const Order order = orderOf(updates.slice.fields[top][i], updates.slice.values[i], updates.slice.errors[i], out.fields[top][at],
                                        out.values[at], out.errors[at]);
            if (order == Order::TooClose) {
                return Result::Dropped;
            }
            if (order == (reduction == "max" ? Order::Greater : Order::Less)) {
                copy(updates, from, out, at);
            }
        } else if (kind == Kind::Integer) {
            const IntegerOp how = reduction == "add"   ? IntegerOp::Add
                                  : reduction == "mul" ? IntegerOp::Mul
                                  : reduction == "max" ? IntegerOp::Max
                                                       : IntegerOp::Min;
            out.integers[at] = *integerResult(how, out.integers[at], updates.slice.integers[i], data.type);
        } else {
            return Result::None;
        }
    }
    return Result::Done;
}

ArrayKernels::Result ArrayKernels::store(const Operator& op, const std::vector<OperandArray>& operands, const Lengths& shape,
                                         const MutableSlice& out) const {
    const OperandArray& data = operands[0];
    const Kind kind = kindOf(data.type);
    const std::string& name = op.name;
    const std::size_t count = countOf(shape);
    if (name == "Trilu") {
        if (shape.size() < 2 || shape != data.shape) {
            return Result::None;
        }
        const std::int64_t columns = shape.back();
        const std::int64_t rows = shape[shape.size() - 2];
        const std::int64_t k = op.attribute<std::int64_t>("k");
        const bool upper = op.attribute<std::int64_t>("upper", 1) != 0;
        std::vector<std::int64_t> index = identity(count);
        for (std::int64_t& i : index) {
            const std::int64_t diagonal = i % columns - i / columns % rows;
            i = (upper ? diagonal >= k : diagonal <= k) ? i : -1;
        }
        pick(data.slice, kind, index, out);
        return Result::Done;
    }
    if (data.shape.empty()) {
        return Result::None;
    }
    const std::int64_t rowSize = static_cast<std::int64_t>(data.count()) / std::max<std::int64_t>(data.shape[0], 1);
    if (name == "RowsAt") {
        if (operands.size() < 2 || operands[1].count() < 1 || kindOf(operands[1].type) != Kind::Integer) {
            return Result::None;
        }
        const std::int64_t first = operands[1].slice.integers[0];
        if (static_cast<std::int64_t>(count) != shape[0] * rowSize) {
            return Result::None;
        }
        if (first < 0 || (first + shape[0]) * rowSize > static_cast<std::int64_t>(data.count())) {
            return Result::Dropped;
        }
        std::vector<std::int64_t> index = identity(count);
        for (std::int64_t& i : index) {
            i += first * rowSize;
        }
        pick(data.slice, kind, index, out);
        return Result::Done;
    }
    if (operands.size() < 2 || !operands[1].present() || kindOf(operands[1].type) != kind || shape != data.shape) {
        return Result::None;
    }
    const OperandArray& source = operands[1];
    pick(data.slice, kind, identity(count), out);
    if (name == "StoreSlice") {
        const auto starts = op.attribute<std::vector<std::int64_t>>("starts");
        const auto ends = op.attribute<std::vector<std::int64_t>>("ends");
        const auto steps = op.attribute<std::vector<std::int64_t>>("steps");
        if (starts.size() != shape.size() || ends.size() != shape.size() || source.shape.size() != shape.size()) {
            return Result::None;
        }
        const Lengths strides = stridesOf(shape);
        const Lengths boxStrides = stridesOf(source.shape);
        for (std::size_t i = 0; i < source.count(); ++i) {
            std::int64_t rest = static_cast<std::int64_t>(i);
            std::int64_t to = 0;
            for (std::size_t axis = 0; axis < shape.size(); ++axis) {
                const std::int64_t step = axis < steps.size() ? steps[axis] : 1;
                // A negative step runs from end - 1 down to begin.
                const std::int64_t at = (step > 0 ? starts[axis] : ends[axis] - 1) + rest / boxStrides[axis] * step;
                rest %= boxStrides[axis];
                if (at < 0 || at >= shape[axis]) {
                    return Result::Dropped;
                }
                to += at * strides[axis];
            }
            copy(source, static_cast<std::int64_t>(i), out, static_cast<std::size_t>(to));
        }
        return Result::Done;
    }
    if (operands.size() < 3 || kindOf(operands[2].type) != Kind::Integer) {
        return Result::None;
    }
    const OperandArray& places = operands[2];
    const std::int64_t written = name == "StoreRows" ? static_cast<std::int64_t>(places.count()) : op.attribute<std::int64_t>("count", 1);
    if (places.count() < 1 || written * rowSize > static_cast<std::int64_t>(source.count())) {
        return Result::None;
    }
    for (std::int64_t r = 0; r < written; ++r) {
        std::int64_t row = name == "StoreRows" ? places.slice.integers[r] : places.slice.integers[0] + r;
        if (name == "StoreRows" ? !normalise(row, shape[0]) : row < 0 || row >= shape[0]) {
            return Result::Dropped;
        }
        for (std::int64_t i = 0; i < rowSize; ++i) {
            copy(source, r * rowSize + i, out, static_cast<std::size_t>(row * rowSize + i));
        }
    }
    return Result::Done;
}

} // namespace lemmascope::sampling
