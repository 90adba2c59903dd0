// Dispatch, sums and extrema: what reduces, pools, orders or accumulates. Contractions stand in kernel_contraction.cpp,
// movements by index in kernel_movement.cpp.

#include "core/sample/array_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

namespace lemmascope::sampling {

namespace {

constexpr double Ulp = 0x1p-52;

/// `name@version` of an op without a form of its own.
std::string plainName(const std::string& name) { return name.substr(0, name.find('@')); }

/// Offsets of all points of a box of `lengths` with `strides`, last axis fastest.
std::vector<std::int64_t> offsetsOf(const Lengths& lengths, const Lengths& strides) {
    std::vector<std::int64_t> out{0};
    for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
        std::vector<std::int64_t> next;
        next.reserve(out.size() * static_cast<std::size_t>(std::max<std::int64_t>(lengths[axis], 0)));
        for (const std::int64_t base : out) {
            for (std::int64_t k = 0; k < lengths[axis]; ++k) {
                next.push_back(base + k * strides[axis]);
            }
        }
        out = std::move(next);
    }
    return out;
}

} // namespace

std::size_t countOf(const Lengths& shape) {
    std::size_t count = 1;
    for (const std::int64_t length : shape) {
        count *= static_cast<std::size_t>(std::max<std::int64_t>(length, 0));
    }
    return count;
}

Lengths stridesOf(const Lengths& shape) {
    Lengths strides(shape.size(), 1);
    for (std::size_t axis = shape.size(); axis-- > 1;) {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    return strides;
}

ArrayKernels::Result ArrayKernels::run(const Operator& op, const std::vector<OperandArray>& operands, const Lengths& shape, const MutableSlice& out) {
    const std::string name = plainName(op.name);
    const auto fits = [&](std::size_t count) {
        return operands.size() >= count && std::all_of(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(count),
                                                       [](const OperandArray& o) { return o.present(); });
    };
    if (!fits(1) || countOf(shape) == 0) {
        return countOf(shape) == 0 && !operands.empty() ? Result::Done : Result::None;
    }
    const OperandArray& x = operands[0];
    const Kind kind = kindOf(x.type);
    // Types that an op cannot have (a graph is not checked for them everywhere) have no kernel.
    static const std::set<std::string> ToIntegers{"ArgMax", "ArgMin", "MatMulInteger"};
    const bool toIntegers = ToIntegers.contains(name) || (name == "TopK" && op.result == 1);
    const Kind source = name == "If" && fits(2) ? kindOf(operands[1].type) : name == "OneHot" && fits(3) ? kindOf(operands[2].type) : kind;
    if ((out.values != nullptr) != (!toIntegers && source == Kind::Real)) {
        return Result::None;
    }
    if (name == "MatMul" && fits(2)) {
        return matmul(x, operands[1], shape, out);
    }
    if (name == "Conv" && operands.size() == 2 && x.shape.size() >= 3) {
        return conv(op, x, operands[1], shape, out);
    }
    if (name == "Einsum") {
        return einsum(op, operands, shape, out);
    }
    if (name == "MatMulInteger" && fits(2)) {
        return matmulInteger(operands, shape, out);
    }
    if ((name == "MaxPool" || name == "AveragePool") && x.shape.size() >= 3 && op.attributes.contains("kernel_shape")) {
        return pool(op, x, shape, out);
    }
    if ((name == "ReduceSum" || name == "ReduceProd" || name == "ReduceMax" || name == "ReduceMin") && kind != Kind::Boolean &&
        shape.size() == x.shape.size()) {
        return reduce(op, x, shape, out);
    }
    if (name == "CumSum" && kind != Kind::Boolean && operands.size() == 1 && x.shape == shape) {
        return cumulate(op, x, out);
    }
    if ((name == "ArgMax" || name == "ArgMin") && shape.size() == x.shape.size()) {
        return extremeIndex(op, x, shape, out);
    }
    if (name == "TopK" && fits(2)) {
        return topK(op, operands, shape, out);
    }
    if ((name == "Gather" || name == "GatherElements" || name == "GatherND") && fits(2)) {
        return gather(op, operands, shape, out);
    }
    if ((name == "ScatterND" || name == "ScatterElements") && fits(3) && x.shape == shape) {
        return scatter(op, operands, out);
    }
    if (name == "RowsAt" || name == "StoreRows" || name == "StoreRowsAt" || name == "StoreSlice" || name == "Trilu") {
        return store(op, operands, shape, out);
    }
    if (name == "If" && fits(3) && operands[1].shape == shape && operands[2].shape == shape && kind == Kind::Boolean && x.count() >= 1 &&
        kindOf(operands[2].type) == source) {
        std::vector<std::int64_t> all(countOf(shape));
        std::iota(all.begin(), all.end(), std::int64_t{0});
        const OperandArray& branch = operands[x.slice.integers[0] != 0 ? 1 : 2];
        pick(branch.slice, kindOf(branch.type), all, out);
        return Result::Done;
    }
    if (name == "OneHot" && fits(3) && kind == Kind::Integer && op.attributes.contains("axis") && operands[2].count() == 2) {
        const auto axis = static_cast<std::size_t>(op.attribute<std::int64_t>("axis"));
        if (axis >= shape.size() || x.count() * static_cast<std::size_t>(shape[axis]) != countOf(shape)) {
            return Result::None;
        }
        const std::int64_t depth = shape[axis];
        const std::int64_t inner = stridesOf(shape)[axis];
        std::vector<std::int64_t> index(countOf(shape));
        for (std::size_t i = 0; i < index.size(); ++i) {
            const auto flat = static_cast<std::int64_t>(i);
            const std::int64_t k = flat / inner % depth;
            std::int64_t which = x.slice.integers[flat / (inner * depth) * inner + flat % inner];
            which += which < 0 ? depth : 0;
            index[i] = which == k ? 1 : 0;
        }
        pick(operands[2].slice, kindOf(operands[2].type), index, out);
        return Result::Done;
    }
    return Result::None;
}

double ArrayKernels::work(const Operator& op, const std::vector<Lengths>& operands, const Lengths& shape) {
    const auto outCount = static_cast<double>(countOf(shape));
    double each = 1.0;
    if (op.name == "MatMul" && !operands.empty() && !operands[0].empty()) {
        each = static_cast<double>(operands[0].back());
    } else if (op.name == "Conv" && operands.size() >= 2 && !operands[1].empty() && operands[1][0] > 0) {
        each = static_cast<double>(countOf(operands[1])) / static_cast<double>(operands[1][0]);
    } else if (op.attributes.contains("kernel_shape")) {
        each = static_cast<double>(countOf(op.attribute<std::vector<std::int64_t>>("kernel_shape")));
    } else if (op.name == "Einsum" || op.name.starts_with("MatMul") || op.name.starts_with("QLinear")) {
        for (const Lengths& operand : operands) {
            each = std::max(each, static_cast<double>(countOf(operand)));
        }
    }
    double read = 0.0;
    for (const Lengths& operand : operands) {
        read += static_cast<double>(countOf(operand));
    }
    return outCount * each + read;
}

void ArrayKernels::hash(std::uint64_t key, const std::vector<OperandArray>& operands, ElementType type, std::size_t count, std::size_t top,
                        const MutableSlice& out) const {
    const auto digest = [&](std::size_t level) {
        std::uint64_t h = key;
        for (const OperandArray& operand : operands) {
            h = mixed(h, operand.shape.size() + 1);
            if (!operand.present()) {
                continue;
            }
            const std::size_t n = operand.count();
            for (std::size_t i = 0; i < n; ++i) {
                h = mixed(h, kindOf(operand.type) == Kind::Real ? operand.slice.fields[level][i]
                                                                : static_cast<std::uint64_t>(operand.slice.integers[i]));
            }
        }
        return h;
    };
    const std::uint64_t exact = digest(top);
    if (kindOf(type) != Kind::Real) {
        for (std::size_t i = 0; i < count; ++i) {
            out.integers[i] = static_cast<std::int64_t>(mixed(exact, i) & (kindOf(type) == Kind::Boolean ? 1U : 3U));
        }
        return;
    }
    for (std::size_t l = 0; l < m_levels; ++l) {
        const std::uint64_t h = digest(l);
        for (std::size_t i = 0; i < count; ++i) {
            out.fields[l][i] = field(l).fromHash(mixed(h, i));
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        out.values[i] = std::ldexp(static_cast<double>(mixed(exact, i) >> 11U), -52) - 1.0;
        out.errors[i] = 0.0;
    }
}

Order ArrayKernels::compare(const OperandArray& x, std::int64_t a, std::int64_t b) const {
    if (kindOf(x.type) != Kind::Real) {
        const std::int64_t left = x.slice.integers[a];
        const std::int64_t right = x.slice.integers[b];
        return left == right ? Order::Same : integerIsLess(left, right, x.type) ? Order::Less : Order::Greater;
    }
    const std::uint64_t* f = x.slice.fields[x.top];
    return orderOf(f[a], x.slice.values[a], x.slice.errors[a], f[b], x.slice.values[b], x.slice.errors[b]);
}

void ArrayKernels::copy(const OperandArray& x, std::int64_t from, const MutableSlice& out, std::size_t at) const {
    if (kindOf(x.type) != Kind::Real) {
        out.integers[at] = x.slice.integers[from];
        return;
    }
    for (std::size_t l = 0; l < m_levels; ++l) {
        out.fields[l][at] = x.slice.fields[l][from];
    }
    out.values[at] = x.slice.values[from];
    out.errors[at] = x.slice.errors[from];
}

std::optional<std::size_t> ArrayKernels::extreme(const OperandArray& x, const std::vector<std::int64_t>& index, std::int64_t base, bool largest,
                                                 bool lastOfTies) const {
    std::size_t best = 0;
    std::vector<std::size_t> close; ///< only matters against the winner
    for (std::size_t k = 1; k < index.size(); ++k) {
        const Order order = compare(x, base + index[k], base + index[best]);
        if (order == Order::TooClose) {
            close.push_back(k);
            if (std::isnan(x.slice.values[base + index[k]]) || std::isnan(x.slice.values[base + index[best]])) {
                return std::nullopt;
            }
            // Which of the two wins does not matter unless nothing larger comes.
            if ((x.slice.values[base + index[k]] > x.slice.values[base + index[best]]) == largest) {
                close.back() = best;
                best = k;
            }
            continue;
        }
        if (order == (largest ? Order::Greater : Order::Less) || (order == Order::Same && lastOfTies)) {
            best = k;
        }
    }
    for (const std::size_t k : close) {
        if (k != best && compare(x, base + index[k], base + index[best]) == Order::TooClose) {
            return std::nullopt;
        }
    }
    return best;
}

void ArrayKernels::total(const OperandArray& x, const std::vector<std::int64_t>& index, std::int64_t base, double divisor, const MutableSlice& out,
                         std::size_t at) const {
    if (kindOf(x.type) != Kind::Real) {
        std::uint64_t sum = 0;
        for (const std::int64_t i : index) {
            sum += static_cast<std::uint64_t>(x.slice.integers[base + i]);
        }
        out.integers[at] = wrapped(static_cast<std::int64_t>(sum), x.type);
        return;
    }
    for (std::size_t l = 0; l < m_levels; ++l) {
        const PrimeField& p = field(l);
        const std::uint64_t* f = x.slice.fields[l] + base;
        Wide sum = 0;
        for (const std::int64_t i : index) {
            sum += f[i];
        }
        std::uint64_t value = static_cast<std::uint64_t>(sum % p.prime());
        if (divisor != 1.0) {
            value = p.mul(value, p.inverse(p.fromDouble(divisor)));
        }
        out.fields[l][at] = value;
    }
    double sum = 0.0;
    double size = 0.0;
    double error = 0.0;
    for (const std::int64_t i : index) {
        sum += x.slice.values[base + i];
        size += std::abs(x.slice.values[base + i]);
        error += x.slice.errors[base + i];
    }
    out.values[at] = sum / divisor;
    out.errors[at] = (error + size * Ulp * std::sqrt(static_cast<double>(index.size()) + 1.0)) / divisor;
    if (std::isnan(out.errors[at])) {
        out.errors[at] = 0.0;
    }
}

ArrayKernels::Result ArrayKernels::reduce(const Operator& op, const OperandArray& x, const Lengths& shape, const MutableSlice& out) const {
    const Lengths strides = stridesOf(x.shape);
    std::vector<bool> reduced(x.shape.size(), false);
    Lengths box;
    Lengths boxStrides;
    const auto* axes = op.attributes.contains("axes") ? std::get_if<std::vector<std::int64_t>>(&op.attributes.at("axes")) : nullptr;
    if (axes == nullptr) {
        return Result::None;
    }
    for (const std::int64_t axis : *axes) {
        if (axis < 0 || axis >= static_cast<std::int64_t>(x.shape.size())) {
            return Result::None;
        }
        reduced[static_cast<std::size_t>(axis)] = true;
        box.push_back(x.shape[static_cast<std::size_t>(axis)]);
        boxStrides.push_back(strides[static_cast<std::size_t>(axis)]);
    }
    const std::vector<std::int64_t> along = offsetsOf(box, boxStrides);
    Lengths rest;
    Lengths restStrides;
    for (std::size_t axis = 0; axis < x.shape.size(); ++axis) {
        if (!reduced[axis]) {
            rest.push_back(x.shape[axis]);
            restStrides.push_back(strides[axis]);
        }
    }
    const std::vector<std::int64_t> from = offsetsOf(rest, restStrides);
    if (from.size() != countOf(shape) || (along.empty() && op.name != "ReduceSum")) {
        return Result::None;
    }
    const std::string name = plainName(op.name);
    const bool isReal = kindOf(x.type) == Kind::Real;
    for (std::size_t o = 0; o < from.size(); ++o) {
        if ((o & 255U) == 0 && stopped()) {
            return Result::Dropped;
        }
        if (name == "ReduceSum") {
            total(x, along, from[o], 1.0, out, o);
        } else if (name == "ReduceProd") {
            copy(x, from[o] + along[0], out, o);
            for (std::size_t k = 1; k < along.size(); ++k) {
                const std::int64_t at = from[o] + along[k];
                if (!isReal) {
                    out.integers[o] = *integerResult(IntegerOp::Mul, out.integers[o], x.slice.integers[at], x.type);
                    continue;
                }
                for (std::size_t l = 0; l < m_levels; ++l) {
                    out.fields[l][o] = field(l).mul(out.fields[l][o], x.slice.fields[l][at]);
                }
                const double a = std::abs(out.values[o]);
                const double b = std::abs(x.slice.values[at]);
                out.errors[o] = a * x.slice.errors[at] + b * out.errors[o] + out.errors[o] * x.slice.errors[at] + a * b * Ulp;
                out.values[o] *= x.slice.values[at];
            }
        } else {
            const std::optional<std::size_t> best = extreme(x, along, from[o], name == "ReduceMax");
            if (!best) {
                return Result::Dropped;
            }
            copy(x, from[o] + along[*best], out, o);
        }
    }
    return Result::Done;
}

ArrayKernels::Result ArrayKernels::pool(const Operator& op, const OperandArray& x, const Lengths& shape, const MutableSlice& out) const {
    const std::size_t spatial = x.shape.size() - 2;
    const auto kernel = op.attribute<std::vector<std::int64_t>>("kernel_shape");
    const auto strides = op.attribute<std::vector<std::int64_t>>("strides");
    const auto dilations = op.attribute<std::vector<std::int64_t>>("dilations");
    const auto pads = op.attribute<std::vector<std::int64_t>>("pads");
    if (kernel.size() != spatial || strides.size() != spatial || dilations.size() != spatial || pads.size() != 2 * spatial ||
        shape.size() != x.shape.size() || shape[0] != x.shape[0] || shape[1] != x.shape[1]) {
        return Result::None;
    }
    const Lengths places(shape.begin() + 2, shape.end());
    const Lengths inner(x.shape.begin() + 2, x.shape.end());
    const Lengths innerStrides = stridesOf(inner);
    const std::size_t planes = countOf({x.shape[0], x.shape[1]});
    const std::size_t placeCount = countOf(places);
    const auto planeSize = static_cast<std::int64_t>(countOf(inner));
    const bool average = plainName(op.name) == "AveragePool";
    Lengths place(spatial, 0);
    for (std::size_t o = 0; o < placeCount; ++o) {
        if (stopped()) {
            return Result::Dropped;
        }
        std::vector<std::int64_t> index;
        std::int64_t counted = 0;
        Lengths offset(spatial, 0);
        const std::size_t window = countOf(kernel);
        for (std::size_t w = 0; w < window; ++w) {
            bool inside = true;
            bool inPadded = true; // cells beyond the declared padding (ceil_mode) do not count
            std::int64_t flat = 0;
            for (std::size_t k = 0; k < spatial; ++k) {
                const std::int64_t at = place[k] * strides[k] + offset[k] * dilations[k] - pads[k];
                inside = inside && at >= 0 && at < inner[k];
                inPadded = inPadded && at >= -pads[k] && at < inner[k] + pads[spatial + k];
                flat += at * innerStrides[k];
            }
            counted += inPadded ? 1 : 0;
            if (inside) {
                index.push_back(flat);
            }
            for (std::size_t k = spatial; k-- > 0 && ++offset[k] == kernel[k];) {
                offset[k] = 0;
            }
        }
        if (index.empty()) {
            return Result::None;
        }
        for (std::size_t plane = 0; plane < planes; ++plane) {
            const std::int64_t base = static_cast<std::int64_t>(plane) * planeSize;
            const std::size_t to = plane * placeCount + o;
            if (average) {
                const std::int64_t divisor = op.attribute<std::int64_t>("count_include_pad") != 0 ? counted : static_cast<std::int64_t>(index.size());
                total(x, index, base, static_cast<double>(divisor), out, to);
                continue;
            }
            const std::optional<std::size_t> best = extreme(x, index, base, true);
            if (!best) {
                return Result::Dropped;
            }
            copy(x, base + index[*best], out, to);
        }
        for (std::size_t k = spatial; k-- > 0 && ++place[k] == places[k];) {
            place[k] = 0;
        }
    }
    return Result::Done;
}

ArrayKernels::Result ArrayKernels::cumulate(const Operator& op, const OperandArray& x, const MutableSlice& out) const {
    const auto axis = static_cast<std::size_t>(op.attribute<std::int64_t>("axis"));
    if (axis >= x.shape.size()) {
        return Result::None;
    }
    const bool exclusive = op.attribute<std::int64_t>("exclusive") != 0;
    const bool reverse = op.attribute<std::int64_t>("reverse") != 0;
    const std::int64_t stride = stridesOf(x.shape)[axis];
    const std::int64_t length = x.shape[axis];
    const auto lines = static_cast<std::int64_t>(x.count()) / std::max<std::int64_t>(length, 1);
    for (std::int64_t line = 0; line < lines; ++line) {
        const std::int64_t base = line / stride * stride * length + line % stride;
        std::vector<std::int64_t> index;
        for (std::int64_t k = 0; k < length; ++k) {
            const std::int64_t here = base + (reverse ? length - 1 - k : k) * stride;
            if (!exclusive) {
                index.push_back(here);
            }
            // Lines are short: summing anew keeps the real sample's error at that of one sum.
            total(x, index, 0, 1.0, out, static_cast<std::size_t>(here));
            if (exclusive) {
                index.push_back(here);
            }
        }
        if (stopped()) {
            return Result::Dropped;
        }
    }
    return Result::Done;
}

ArrayKernels::Result ArrayKernels::extremeIndex(const Operator& op, const OperandArray& x, const Lengths& shape, const MutableSlice& out) const {
    const auto axis = static_cast<std::size_t>(op.attribute<std::int64_t>("axis"));
    if (axis >= x.shape.size() || x.shape[axis] == 0 || countOf(shape) * static_cast<std::size_t>(x.shape[axis]) != x.count()) {
        return Result::None;
    }
    const std::int64_t stride = stridesOf(x.shape)[axis];
    const std::int64_t length = x.shape[axis];
    std::vector<std::int64_t> along;
    for (std::int64_t k = 0; k < length; ++k) {
        along.push_back(k * stride);
    }
    const bool last = op.attribute<std::int64_t>("select_last_index") != 0;
    for (std::size_t o = 0; o < countOf(shape); ++o) {
        const auto line = static_cast<std::int64_t>(o);
        const std::optional<std::size_t> best =
            extreme(x, along, line / stride * stride * length + line % stride, plainName(op.name) == "ArgMax", last);
        if (!best || stopped()) {
            return Result::Dropped;
        }
        out.integers[o] = static_cast<std::int64_t>(*best);
    }
    return Result::Done;
}

ArrayKernels::Result ArrayKernels::topK(const Operator& op, const std::vector<OperandArray>& operands, const Lengths& shape,
                                        const MutableSlice& out) const {
    const OperandArray& x = operands[0];
    std::int64_t axis = op.attribute<std::int64_t>("axis", -1);
    axis += axis < 0 ? static_cast<std::int64_t>(x.shape.size()) : 0;
    if (axis < 0 || axis >= static_cast<std::int64_t>(x.shape.size()) || shape.size() != x.shape.size() || op.result > 1) {
        return Result::None;
    }
    const auto at = static_cast<std::size_t>(axis);
    const std::int64_t stride = stridesOf(x.shape)[at];
    const std::int64_t length = x.shape[at];
    const std::int64_t kept = shape[at];
    const bool largest = op.attribute<std::int64_t>("largest", 1) != 0;
    const auto lines = static_cast<std::int64_t>(x.count()) / std::max<std::int64_t>(length, 1);
    Lengths wanted = x.shape;
    wanted[at] = kept;
    if (kept > length || wanted != shape) {
        return Result::None;
    }
    for (std::int64_t line = 0; line < lines; ++line) {
        const std::int64_t base = line / stride * stride * length + line % stride;
        const std::int64_t to = line / stride * stride * kept + line % stride;
        std::vector<std::int64_t> order;
        for (std::int64_t k = 0; k < length; ++k) {
            if (kindOf(x.type) == Kind::Real && std::isnan(x.slice.values[base + k * stride])) {
                return Result::Dropped;
            }
            order.push_back(k);
        }
        const auto before = [&](std::int64_t a, std::int64_t b) {
            const double left =
                kindOf(x.type) == Kind::Real ? x.slice.values[base + a * stride] : realOf(x.slice.integers[base + a * stride], x.type);
            const double right =
                kindOf(x.type) == Kind::Real ? x.slice.values[base + b * stride] : realOf(x.slice.integers[base + b * stride], x.type);
            return left == right ? a < b : (left > right) == largest;
        };
        std::sort(order.begin(), order.end(), before);
        for (std::int64_t k = 0; k < kept; ++k) {
            const auto here = static_cast<std::size_t>(k);
            if (here + 1 < order.size()) {
                const Order o = compare(x, base + order[here] * stride, base + order[here + 1] * stride);
                if (o == Order::TooClose || (o == Order::Same && order[here] > order[here + 1])) {
                    return Result::Dropped;
                }
            }
            const auto target = static_cast<std::size_t>(to + k * stride);
            if (op.result == 0) {
                copy(x, base + order[here] * stride, out, target);
            } else {
                out.integers[target] = order[here];
            }
        }
        if (stopped()) {
            return Result::Dropped;
        }
    }
    return Result::Done;
}

} // namespace lemmascope::sampling
