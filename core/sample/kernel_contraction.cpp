// Sums of products. Each level of the chain adds 128-bit products and reduces once; the real samples and their errors are
// plain sums beside it.

#include "core/sample/array_kernels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace lemmascope::sampling {

namespace {

constexpr double Ulp = 0x1p-52;

/// Steps a multi-index; false after the last.
bool advance(Lengths& index, const Lengths& box) {
    for (std::size_t axis = box.size(); axis-- > 0;) {
        if (++index[axis] < box[axis]) {
            return true;
        }
        index[axis] = 0;
    }
    return false;
}

} // namespace

ArrayKernels::Result ArrayKernels::contract(const OperandArray& a, const OperandArray& b, const Contraction& plan, const MutableSlice& out) const {
    const std::size_t terms = plan.alongA.size();
    if (kindOf(a.type) != Kind::Real) {
        for (std::size_t o = 0; o < plan.fromA.size(); ++o) {
            std::uint64_t sum = 0;
            for (std::size_t s = 0; s < terms; ++s) {
                sum += static_cast<std::uint64_t>(a.slice.integers[plan.fromA[o] + plan.alongA[s]]) *
                       static_cast<std::uint64_t>(b.slice.integers[plan.fromB[o] + plan.alongB[s]]);
            }
            out.integers[o] = wrapped(static_cast<std::int64_t>(sum), a.type);
            if ((o & 255U) == 0 && stopped()) {
                return Result::Dropped;
            }
        }
        return Result::Done;
    }
    for (std::size_t o = 0; o < plan.fromA.size(); ++o) {
        if (stopped()) {
            return Result::Dropped;
        }
        const std::int64_t* alongA = plan.alongA.data();
        const std::int64_t* alongB = plan.alongB.data();
        for (std::size_t l = 0; l < m_levels; ++l) {
            const PrimeField& p = field(l);
            const std::uint64_t* fa = a.slice.fields[l] + plan.fromA[o];
            const std::uint64_t* fb = b.slice.fields[l] + plan.fromB[o];
            // Products stay below 2^121 at the first level and 2^108 below it.
            const std::size_t most = l == 0 ? 120 : 65536;
            std::uint64_t sum = 0;
            for (std::size_t begin = 0; begin < terms; begin += most) {
                const std::size_t end = std::min(terms, begin + most);
                Wide wide = 0;
                for (std::size_t s = begin; s < end; ++s) {
                    wide += static_cast<Wide>(fa[alongA[s]]) * fb[alongB[s]];
                }
                sum = p.add(sum, p.reduceSum(wide));
            }
            out.fields[l][o] = sum;
        }
        const double* ra = a.slice.values + plan.fromA[o];
        const double* rb = b.slice.values + plan.fromB[o];
        const double* ea = a.slice.errors + plan.fromA[o];
        const double* eb = b.slice.errors + plan.fromB[o];
        double value = 0.0;
        double size = 0.0;
        double error = 0.0;
        for (std::size_t s = 0; s < terms; ++s) {
            const double x = ra[alongA[s]];
            const double y = rb[alongB[s]];
            const double dx = ea[alongA[s]];
            const double dy = eb[alongB[s]];
            value += x * y;
            size += std::abs(x * y);
            error += std::abs(x) * dy + std::abs(y) * dx + dx * dy;
        }
        out.values[o] = value;
        out.errors[o] = error + size * Ulp * std::sqrt(static_cast<double>(terms) + 1.0);
        if (std::isnan(out.errors[o])) {
            out.errors[o] = 0.0;
        }
        if (std::isnan(value) && !std::isnan(size)) {
            return Result::Dropped; // infinities of both signs
        }
    }
    return Result::Done;
}

ArrayKernels::Result ArrayKernels::matmul(const OperandArray& a, const OperandArray& b, const Lengths& shape, const MutableSlice& out) const {
    if (a.shape.empty() || b.shape.empty() || kindOf(a.type) != kindOf(b.type)) {
        return Result::None;
    }
    // Vectors count as a row before and a column behind; their axis is missing in the result.
    Lengths left = a.shape;
    Lengths right = b.shape;
    Lengths full = shape;
    if (left.size() == 1) {
        left.insert(left.begin(), 1);
        full.insert(full.end() - (right.size() == 1 ? 0 : 1), 1);
    }
    if (right.size() == 1) {
        right.push_back(1);
        full.push_back(1);
    }
    const std::size_t rank = full.size();
    const std::int64_t inner = left.back();
    if (rank < 2 || left.size() > rank || right.size() > rank || right[right.size() - 2] != inner) {
        return Result::None;
    }
    const Lengths strideA = stridesOf(left);
    const Lengths strideB = stridesOf(right);
    Contraction plan;
    plan.fromA.reserve(countOf(full));
    plan.fromB.reserve(countOf(full));
    Lengths at(rank, 0);
    do {
        std::int64_t fromA = at[rank - 2] * strideA[left.size() - 2];
        std::int64_t fromB = at[rank - 1] * strideB[right.size() - 1];
        for (std::size_t axis = 0; axis + 2 < rank; ++axis) {
            if (axis + left.size() >= rank && left[axis + left.size() - rank] != 1) {
                fromA += at[axis] * strideA[axis + left.size() - rank];
            }
            if (axis + right.size() >= rank && right[axis + right.size() - rank] != 1) {
                fromB += at[axis] * strideB[axis + right.size() - rank];
            }
        }
        plan.fromA.push_back(fromA);
        plan.fromB.push_back(fromB);
    } while (advance(at, full));
    for (std::int64_t k = 0; k < inner; ++k) {
        plan.alongA.push_back(k * strideA.back());
        plan.alongB.push_back(k * strideB[right.size() - 2]);
    }
    return contract(a, b, plan, out);
}

ArrayKernels::Result ArrayKernels::conv(const Operator& op, const OperandArray& x, const OperandArray& w, const Lengths& shape,
                                        const MutableSlice& out) const {
    const std::size_t spatial = x.shape.size() - 2;
    const auto kernel = op.attribute<std::vector<std::int64_t>>("kernel_shape");
    const auto strides = op.attribute<std::vector<std::int64_t>>("strides");
    const auto dilations = op.attribute<std::vector<std::int64_t>>("dilations");
    const auto pads = op.attribute<std::vector<std::int64_t>>("pads");
    const std::int64_t group = std::max<std::int64_t>(op.attribute<std::int64_t>("group", 1), 1);
    if (kernel.size() != spatial || strides.size() != spatial || dilations.size() != spatial || pads.size() != 2 * spatial ||
        w.shape.size() != x.shape.size() || shape.size() != x.shape.size() || w.shape[0] % group != 0 || kindOf(x.type) != Kind::Real ||
        x.shape[1] != w.shape[1] * group || std::any_of(pads.begin(), pads.end(), [](std::int64_t p) { return p < 0; })) {
        return Result::None;
    }
    // The padded input first, so that every window is a plain sum; ceil-like overhang cannot occur for Conv.
    Lengths padded = x.shape;
    for (std::size_t k = 0; k < spatial; ++k) {
        padded[k + 2] = std::max(x.shape[k + 2] + pads[k] + pads[spatial + k], (shape[k + 2] - 1) * strides[k] + (kernel[k] - 1) * dilations[k] + 1);
    }
    const Lengths xStrides = stridesOf(x.shape);
    const Lengths strideX = stridesOf(padded);
    std::vector<std::int64_t> index;
    index.reserve(countOf(padded));
    Lengths at(padded.size(), 0);
    do {
        std::int64_t flat = at[0] * xStrides[0] + at[1] * xStrides[1];
        for (std::size_t k = 0; k < spatial && flat >= 0; ++k) {
            const std::int64_t from = at[k + 2] - pads[k];
            flat = from >= 0 && from < x.shape[k + 2] ? flat + from * xStrides[k + 2] : -1;
        }
        index.push_back(flat);
    } while (advance(at, padded));
    SampleArray wide(Kind::Real, m_levels, index.size(), 1);
    pick(x.slice, Kind::Real, index, wide.mutableSlice(0));
    OperandArray input = x;
    input.slice = wide.slice(0);
    input.shape = padded;

    const std::int64_t channels = w.shape[1];
    const std::int64_t perGroup = w.shape[0] / group;
    Contraction plan;
    at.assign(shape.size(), 0);
    const Lengths strideW = stridesOf(w.shape);
    do {
        std::int64_t from = at[0] * strideX[0] + at[1] / perGroup * channels * strideX[1];
        for (std::size_t k = 0; k < spatial; ++k) {
            from += at[k + 2] * strides[k] * strideX[k + 2];
        }
        plan.fromA.push_back(from);
        plan.fromB.push_back(at[1] * strideW[0]);
    } while (advance(at, shape));
    Lengths box{channels};
    box.insert(box.end(), kernel.begin(), kernel.end());
    at.assign(box.size(), 0);
    std::int64_t flat = 0;
    do {
        std::int64_t from = at[0] * strideX[1];
        for (std::size_t k = 0; k < spatial; ++k) {
            from += at[k + 1] * dilations[k] * strideX[k + 2];
        }
        plan.alongA.push_back(from);
        plan.alongB.push_back(flat++);
    } while (advance(at, box));
    return contract(input, w, plan, out);
}

ArrayKernels::Result ArrayKernels::einsum(const Operator& op, const std::vector<OperandArray>& operands, const Lengths& shape,
                                          const MutableSlice& out) const {
    const std::string equation = op.attribute<std::string>("equation");
    const std::size_t arrow = equation.find("->");
    const std::string left = equation.substr(0, arrow);
    if (operands.empty() || operands.size() > 2 || equation.find('.') != std::string::npos) {
        return Result::None;
    }
    std::vector<std::string> inputs(1);
    for (const char c : left) {
        if (c == ',') {
            inputs.emplace_back();
        } else {
            inputs.back().push_back(c);
        }
    }
    std::string output = arrow == std::string::npos ? "" : equation.substr(arrow + 2);
    if (arrow == std::string::npos) {
        // The letters that occur once, in alphabetical order.
        std::map<char, int> seen;
        for (const char c : left) {
            seen[c] += c == ',' ? 2 : 1;
        }
        for (const auto& [letter, times] : seen) {
            if (times == 1) {
                output.push_back(letter);
            }
        }
    }
    if (inputs.size() != operands.size() || output.size() != shape.size()) {
        return Result::None;
    }
    std::map<char, std::int64_t> extents;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].size() != operands[i].shape.size() || kindOf(operands[i].type) != kindOf(operands[0].type)) {
            return Result::None;
        }
        for (std::size_t k = 0; k < inputs[i].size(); ++k) {
            std::int64_t& extent = extents[inputs[i][k]];
            extent = std::max(extent, operands[i].shape[k]);
        }
    }
    std::string summed;
    Lengths box;
    for (const auto& [letter, extent] : extents) {
        if (output.find(letter) == std::string::npos) {
            summed.push_back(letter);
            box.push_back(extent);
        }
    }
    const auto strideOf = [&](std::size_t i, char letter) {
        const Lengths strides = stridesOf(operands[i].shape);
        std::int64_t stride = 0;
        for (std::size_t k = 0; k < inputs[i].size(); ++k) {
            stride += inputs[i][k] == letter && operands[i].shape[k] != 1 ? strides[k] : 0;
        }
        return stride;
    };
    const auto offsets = [&](std::size_t i, const std::string& letters, const Lengths& lengths) {
        Lengths strides;
        for (const char letter : letters) {
            strides.push_back(i < operands.size() ? strideOf(i, letter) : 0);
        }
        std::vector<std::int64_t> all;
        Lengths at(lengths.size(), 0);
        do {
            all.push_back(std::inner_product(at.begin(), at.end(), strides.begin(), std::int64_t{0}));
        } while (advance(at, lengths));
        return all;
    };
    if (countOf(box) == 0) {
        return Result::None;
    }
    Contraction plan{offsets(0, output, shape), offsets(1, output, shape), offsets(0, summed, box), offsets(1, summed, box)};
    if (operands.size() == 2) {
        return contract(operands[0], operands[1], plan, out);
    }
    for (std::size_t o = 0; o < plan.fromA.size(); ++o) {
        total(operands[0], plan.alongA, plan.fromA[o], 1.0, out, o);
    }
    return Result::Done;
}

ArrayKernels::Result ArrayKernels::quantisedMatmul(const Operator& op, const std::vector<OperandArray>& operands, const Lengths& shape,
                                                   const MutableSlice& out) const {
    // saturate(round(sum (a - za)(b - zb) * sa * sb / sy) + zy), scalar parameters only
    for (const std::size_t parameter : {1U, 2U, 4U, 5U, 6U, 7U}) {
        if (operands[parameter].count() != 1) {
            return Result::None;
        }
    }
    const ElementType element = operands[7].type;
    if (kindOf(element) != Kind::Integer || bitWidth(element) > 16 || op.element != element || kindOf(operands[1].type) != Kind::Real) {
        return Result::None;
    }
    SampleArray sums(Kind::Integer, 0, countOf(shape), 1);
    if (const Result done = matmulInteger({operands[0], operands[3], operands[2], operands[5]}, shape, sums.mutableSlice(0)); done != Result::Done) {
        return done;
    }
    const std::size_t top = std::max({operands[1].top, operands[4].top, operands[6].top});
    const PrimeField& p = field(top);
    if (operands[6].slice.fields[top][0] == 0) {
        return Result::Dropped;
    }
    const std::uint64_t scaleField =
        p.mul(p.mul(operands[1].slice.fields[top][0], operands[4].slice.fields[top][0]), p.inverse(operands[6].slice.fields[top][0]));
    const double scale = operands[1].slice.values[0] * operands[4].slice.values[0] / operands[6].slice.values[0];
    const double low = isSignedInteger(element) ? -std::ldexp(1.0, static_cast<int>(bitWidth(element)) - 1) : 0.0;
    const double high = low + std::ldexp(1.0, static_cast<int>(bitWidth(element))) - 1.0;
    for (std::size_t o = 0; o < countOf(shape); ++o) {
        const std::int64_t sum = sums.slice(0).integers[o];
        double value = static_cast<double>(sum) * scale;
        if (const std::optional<double> known = wholeValue(top, p.mul(p.fromInteger(sum), scaleField), value, 2)) {
            value = *known;
        } else if (!(std::abs(value) < 0x1p52) || std::abs(value + 0.5 - std::nearbyint(value + 0.5)) <= Margin * std::max(1.0, std::abs(value))) {
            return Result::Dropped;
        }
        const double shifted = std::nearbyint(value) + realOf(operands[7].slice.integers[0], element);
        out.integers[o] = static_cast<std::int64_t>(std::clamp(shifted, low, high));
    }
    return Result::Done;
}

ArrayKernels::Result ArrayKernels::matmulInteger(const std::vector<OperandArray>& operands, const Lengths& shape, const MutableSlice& out) const {
    // (A - zero point)(B - zero point) in 32 bits; A's zero point is one number or one per row, B's one or one per column.
    std::array<SampleArray, 2> wide{SampleArray(Kind::Integer, 0, operands[0].count(), 1), SampleArray(Kind::Integer, 0, operands[1].count(), 1)};
    std::array<OperandArray, 2> shifted{operands[0], operands[1]};
    for (std::size_t k = 0; k < 2; ++k) {
        const OperandArray& x = operands[k];
        if (x.shape.size() < 2) {
            return Result::None;
        }
        const bool given = operands.size() > k + 2 && operands[k + 2].present();
        const std::int64_t columns = x.shape.back();
        const std::int64_t rows = x.shape[x.shape.size() - 2];
        const std::size_t zeros = given ? operands[k + 2].count() : 0;
        if (given && zeros != 1 && static_cast<std::int64_t>(zeros) != (k == 0 ? rows : columns)) {
            return Result::None;
        }
        for (std::size_t i = 0; i < x.count(); ++i) {
            const auto flat = static_cast<std::int64_t>(i);
            const std::int64_t which = zeros <= 1 ? 0 : k == 0 ? flat / columns % rows : flat % columns;
            const std::int64_t zero = given ? operands[k + 2].slice.integers[which] : 0;
            wide[k].mutableSlice(0).integers[i] = x.slice.integers[i] - zero;
        }
        shifted[k].slice = wide[k].slice(0);
        shifted[k].type = ElementType::I32;
    }
    return matmul(shifted[0], shifted[1], shape, out);
}

} // namespace lemmascope::sampling
