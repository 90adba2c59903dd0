// Sums of products, as blocks of rows times columns. Each level of the chain adds 128-bit products and reduces once; the real
// samples and their errors are plain sums beside it.

#include "core/sample/array_kernels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace lemmascope::sampling {

namespace {

constexpr double Ulp = 0x1p-52;
constexpr std::size_t Tile = 8;       ///< columns that one pass over a row takes along
constexpr std::size_t MostRows = 256; ///< packed at a time

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

void shiftBy(OperandArray& x, std::int64_t offset) {
    for (const std::uint64_t*& f : x.slice.fields) {
        f = f == nullptr ? nullptr : f + offset;
    }
    x.slice.values = x.slice.values == nullptr ? nullptr : x.slice.values + offset;
    x.slice.errors = x.slice.errors == nullptr ? nullptr : x.slice.errors + offset;
    x.slice.integers = x.slice.integers == nullptr ? nullptr : x.slice.integers + offset;
}

} // namespace

ArrayKernels::Result ArrayKernels::contractIntegers(const OperandArray& rows, const OperandArray& columns, const Contraction& plan,
                                                    const MutableSlice& out) const {
    for (std::size_t r = 0; r < plan.rowFrom.size(); ++r) {
        if (stopped()) {
            return Result::Dropped;
        }
        for (std::size_t c = 0; c < plan.columnFrom.size(); ++c) {
            std::uint64_t sum = 0;
            for (std::size_t s = 0; s < plan.rowAlong.size(); ++s) {
                sum += static_cast<std::uint64_t>(rows.slice.integers[plan.rowFrom[r] + plan.rowAlong[s]]) *
                       static_cast<std::uint64_t>(columns.slice.integers[plan.columnFrom[c] + plan.columnAlong[s]]);
            }
            out.integers[plan.rowTo[r] + plan.columnTo[c]] = wrapped(static_cast<std::int64_t>(sum), rows.type);
        }
    }
    return Result::Done;
}

ArrayKernels::Result ArrayKernels::contract(const OperandArray& rows, const OperandArray& columns, const Contraction& plan,
                                            const MutableSlice& out) const {
    if (kindOf(rows.type) != Kind::Real) {
        return contractIntegers(rows, columns, plan, out);
    }
    const std::size_t terms = plan.rowAlong.size();
    const std::size_t rowCount = plan.rowFrom.size();
    const std::size_t columnCount = plan.columnFrom.size();
    // Rows lie one after another, `Tile` columns are interleaved: both are then read from end to end.
    std::vector<std::uint64_t> packed(m_levels * rowCount * terms);
    std::vector<double> value(rowCount * terms);
    std::vector<double> size(rowCount * terms);  // |r|
    std::vector<double> reach(rowCount * terms); // |r| + e: the sum of products of reaches, less that of sizes, bounds the error
    for (std::size_t r = 0; r < rowCount; ++r) {
        for (std::size_t s = 0; s < terms; ++s) {
            const std::int64_t from = plan.rowFrom[r] + plan.rowAlong[s];
            const std::size_t to = r * terms + s;
            for (std::size_t l = 0; l < m_levels; ++l) {
                packed[l * rowCount * terms + to] = rows.slice.fields[l][from];
            }
            value[to] = rows.slice.values[from];
            size[to] = std::abs(value[to]);
            reach[to] = size[to] + rows.slice.errors[from];
        }
    }
    std::vector<std::uint64_t> tile(terms * Tile);
    std::vector<double> tileValue(terms * Tile);
    std::vector<double> tileSize(terms * Tile);
    std::vector<double> tileReach(terms * Tile);
    for (std::size_t first = m_part * Tile; first < columnCount; first += m_parts * Tile) {
        if (stopped()) {
            return Result::Dropped;
        }
        const std::size_t width = std::min(Tile, columnCount - first);
        std::array<std::int64_t, Tile> from{};
        for (std::size_t j = 0; j < Tile; ++j) {
            from[j] = plan.columnFrom[first + std::min(j, width - 1)];
        }
        for (std::size_t l = 0; l < m_levels; ++l) {
            const PrimeField& p = field(l);
            const std::uint64_t* f = columns.slice.fields[l];
            for (std::size_t s = 0; s < terms; ++s) {
                const std::uint64_t* here = f + plan.columnAlong[s];
                for (std::size_t j = 0; j < Tile; ++j) {
                    tile[s * Tile + j] = here[from[j]];
                }
            }
            // Products stay below 2^121 at the first level and 2^108 below it.
            const std::size_t most = l == 0 ? 120 : 65536;
            for (std::size_t r = 0; r < rowCount; ++r) {
                const std::uint64_t* row = packed.data() + (l * rowCount + r) * terms;
                std::array<std::uint64_t, Tile> sum{};
                for (std::size_t half = 0; half < width; half += 4) {
                    for (std::size_t begin = 0; begin < terms; begin += most) {
                        const std::size_t end = std::min(terms, begin + most);
                        Wide a = 0;
                        Wide b = 0;
                        Wide c = 0;
                        Wide d = 0;
                        const std::uint64_t* column = tile.data() + begin * Tile + half;
                        for (std::size_t s = begin; s < end; ++s, column += Tile) {
                            const Wide x = row[s];
                            a += x * column[0];
                            b += x * column[1];
                            c += x * column[2];
                            d += x * column[3];
                        }
                        sum[half] = p.add(sum[half], p.reduceSum(a));
                        sum[half + 1] = p.add(sum[half + 1], p.reduceSum(b));
                        sum[half + 2] = p.add(sum[half + 2], p.reduceSum(c));
                        sum[half + 3] = p.add(sum[half + 3], p.reduceSum(d));
                    }
                }
                for (std::size_t j = 0; j < width; ++j) {
                    out.fields[l][plan.rowTo[r] + plan.columnTo[first + j]] = sum[j];
                }
            }
        }
        for (std::size_t s = 0; s < terms; ++s) {
            for (std::size_t j = 0; j < Tile; ++j) {
                const double x = columns.slice.values[plan.columnAlong[s] + from[j]];
                tileValue[s * Tile + j] = x;
                tileSize[s * Tile + j] = std::abs(x);
                tileReach[s * Tile + j] = std::abs(x) + columns.slice.errors[plan.columnAlong[s] + from[j]];
            }
        }
        for (std::size_t r = 0; r < rowCount; ++r) {
            std::array<double, Tile> sum{};
            std::array<double, Tile> sizes{};
            std::array<double, Tile> reaches{};
            for (std::size_t s = 0; s < terms; ++s) {
                const std::size_t at = r * terms + s;
                for (std::size_t j = 0; j < Tile; ++j) {
                    sum[j] += value[at] * tileValue[s * Tile + j];
                    sizes[j] += size[at] * tileSize[s * Tile + j];
                    reaches[j] += reach[at] * tileReach[s * Tile + j];
                }
            }
            for (std::size_t j = 0; j < width; ++j) {
                const std::int64_t to = plan.rowTo[r] + plan.columnTo[first + j];
                const double error = std::max(reaches[j] - sizes[j], 0.0) + sizes[j] * Ulp * std::sqrt(static_cast<double>(terms) + 1.0);
                if (std::isnan(sum[j]) && !std::isnan(sizes[j])) {
                    return Result::Dropped; // infinities of both signs
                }
                out.values[to] = sum[j];
                out.errors[to] = std::isnan(error) ? 0.0 : error;
            }
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
    if (rank < 2 || left.size() > rank || right.size() > rank || left.size() < 2 || right[right.size() - 2] != inner ||
        left[left.size() - 2] != full[rank - 2] || right.back() != full[rank - 1]) {
        return Result::None;
    }
    for (const Lengths* side : {&left, &right}) {
        for (std::size_t axis = 0; axis + 2 < side->size(); ++axis) {
            if ((*side)[axis] != 1 && (*side)[axis] != full[rank - side->size() + axis]) {
                return Result::None; // batches that do not go together at the sizes drawn
            }
        }
    }
    const Lengths strideA = stridesOf(left);
    const Lengths strideB = stridesOf(right);
    const std::int64_t rowCount = full[rank - 2];
    const std::int64_t columnCount = full[rank - 1];
    Contraction plan;
    for (std::int64_t k = 0; k < inner; ++k) {
        plan.rowAlong.push_back(k);
        plan.columnAlong.push_back(k * columnCount);
    }
    for (std::int64_t c = 0; c < columnCount; ++c) {
        plan.columnFrom.push_back(c);
        plan.columnTo.push_back(c);
    }
    const Lengths batch(full.begin(), full.end() - 2);
    // Batches that read one right side are rows of one block.
    const bool oneRight = std::all_of(right.begin(), right.end() - 2, [](std::int64_t length) { return length == 1; });
    Lengths at(batch.size(), 0);
    std::int64_t to = 0;
    do {
        std::int64_t fromA = 0;
        std::int64_t fromB = 0;
        for (std::size_t axis = 0; axis < batch.size(); ++axis) {
            if (axis + left.size() >= rank && left[axis + left.size() - rank] != 1) {
                fromA += at[axis] * strideA[axis + left.size() - rank];
            }
            if (axis + right.size() >= rank && right[axis + right.size() - rank] != 1) {
                fromB += at[axis] * strideB[axis + right.size() - rank];
            }
        }
        for (std::int64_t r = 0; r < rowCount; ++r) {
            plan.rowFrom.push_back(fromA + r * inner);
            plan.rowTo.push_back(to + r * columnCount);
        }
        to += rowCount * columnCount;
        if (!oneRight || plan.rowFrom.size() > MostRows) {
            OperandArray shifted = b;
            shiftBy(shifted, fromB);
            if (const Result done = contract(a, shifted, plan, out); done != Result::Done) {
                return done;
            }
            plan.rowFrom.clear();
            plan.rowTo.clear();
        }
    } while (advance(at, batch));
    return plan.rowFrom.empty() ? Result::Done : contract(a, b, plan, out);
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
        x.shape[1] != w.shape[1] * group || shape[0] != x.shape[0] || shape[1] != w.shape[0] ||
        !std::equal(kernel.begin(), kernel.end(), w.shape.begin() + 2) ||
        std::any_of(pads.begin(), pads.end(), [](std::int64_t p) { return p < 0; })) {
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

    // Rows are output channels, columns are places of the window.
    const std::int64_t channels = w.shape[1];
    const std::int64_t perGroup = w.shape[0] / group;
    const Lengths strideW = stridesOf(w.shape);
    const Lengths strideOut = stridesOf(shape);
    Contraction plan;
    const Lengths places(shape.begin() + 2, shape.end());
    Lengths place(spatial, 0);
    do {
        std::int64_t from = 0;
        for (std::size_t k = 0; k < spatial; ++k) {
            from += place[k] * strides[k] * strideX[k + 2];
        }
        plan.columnFrom.push_back(from);
        plan.columnTo.push_back(static_cast<std::int64_t>(plan.columnTo.size()));
    } while (advance(place, places));
    Lengths box{channels};
    box.insert(box.end(), kernel.begin(), kernel.end());
    at.assign(box.size(), 0);
    do {
        std::int64_t from = at[0] * strideX[1];
        for (std::size_t k = 0; k < spatial; ++k) {
            from += at[k + 1] * dilations[k] * strideX[k + 2];
        }
        plan.columnAlong.push_back(from);
        plan.rowAlong.push_back(static_cast<std::int64_t>(plan.rowAlong.size()));
    } while (advance(at, box));
    for (std::int64_t n = 0; n < shape[0]; ++n) {
        for (std::int64_t g = 0; g < group; ++g) {
            plan.rowFrom.clear();
            plan.rowTo.clear();
            for (std::int64_t channel = g * perGroup; channel < (g + 1) * perGroup; ++channel) {
                plan.rowFrom.push_back(channel * strideW[0]);
                plan.rowTo.push_back(n * strideOut[0] + channel * strideOut[1]);
            }
            OperandArray shifted = input;
            shiftBy(shifted, n * strideX[0] + g * channels * strideX[1]);
            if (const Result done = contract(w, shifted, plan, out); done != Result::Done) {
                return done;
            }
        }
    }
    return Result::Done;
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
    for (std::size_t k = 0; k < output.size(); ++k) {
        if (!extents.contains(output[k]) || extents[output[k]] != shape[k]) {
            return Result::None;
        }
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        for (std::size_t k = 0; k < inputs[i].size(); ++k) {
            if (operands[i].shape[k] != 1 && operands[i].shape[k] != extents[inputs[i][k]]) {
                return Result::None; // lengths that do not go together at the sizes drawn
            }
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
    const auto offsets = [&](std::size_t i, const std::string& letters) {
        Lengths strides;
        Lengths lengths;
        for (const char letter : letters) {
            lengths.push_back(extents[letter]);
            strides.push_back(i < operands.size() ? strideOf(i, letter) : 0);
        }
        std::vector<std::int64_t> all;
        Lengths at(lengths.size(), 0);
        do {
            all.push_back(std::inner_product(at.begin(), at.end(), strides.begin(), std::int64_t{0}));
        } while (advance(at, lengths));
        return all;
    };
    const auto targets = [&](const std::string& letters) {
        const Lengths strides = stridesOf(shape);
        Lengths lengths;
        Lengths mine;
        for (const char letter : letters) {
            lengths.push_back(extents[letter]);
            mine.push_back(strides[output.find(letter)]);
        }
        std::vector<std::int64_t> all;
        Lengths at(lengths.size(), 0);
        do {
            all.push_back(std::inner_product(at.begin(), at.end(), mine.begin(), std::int64_t{0}));
        } while (advance(at, lengths));
        return all;
    };
    if (countOf(box) == 0) {
        return Result::None;
    }
    if (operands.size() == 1) {
        const std::vector<std::int64_t> from = offsets(0, output);
        const std::vector<std::int64_t> along = offsets(0, summed);
        for (std::size_t o = 0; o < from.size(); ++o) {
            total(operands[0], along, from[o], 1.0, out, o);
        }
        return Result::Done;
    }
    // Letters of the result that only the second operand has are columns, those that both have are batches, the rest rows.
    std::string rowLetters;
    std::string columnLetters;
    std::string batchLetters;
    for (const char letter : output) {
        const bool inA = inputs[0].find(letter) != std::string::npos;
        const bool inB = inputs[1].find(letter) != std::string::npos;
        (inA && inB ? batchLetters : inB ? columnLetters : rowLetters).push_back(letter);
    }
    Contraction plan;
    plan.rowFrom = offsets(0, rowLetters);
    plan.rowAlong = offsets(0, summed);
    plan.columnFrom = offsets(1, columnLetters);
    plan.columnAlong = offsets(1, summed);
    const std::vector<std::int64_t> rowTo = targets(rowLetters);
    plan.columnTo = targets(columnLetters);
    const std::vector<std::int64_t> batchA = offsets(0, batchLetters);
    const std::vector<std::int64_t> batchB = offsets(1, batchLetters);
    const std::vector<std::int64_t> batchTo = targets(batchLetters);
    for (std::size_t k = 0; k < batchA.size(); ++k) {
        OperandArray a = operands[0];
        OperandArray b = operands[1];
        shiftBy(a, batchA[k]);
        shiftBy(b, batchB[k]);
        plan.rowTo = rowTo;
        for (std::int64_t& to : plan.rowTo) {
            to += batchTo[k];
        }
        if (const Result done = contract(a, b, plan, out); done != Result::Done) {
            return done;
        }
    }
    return Result::Done;
}

ArrayKernels::Result ArrayKernels::matmulInteger(const std::vector<OperandArray>& operands, const Lengths& shape, const MutableSlice& out) const {
    // (A - zero point)(B - zero point) in 32 bits; A's zero point is one number or one per row, B's one or one per column.
    std::array<SampleArray, 2> wide{SampleArray(Kind::Integer, 0, operands[0].count(), 1), SampleArray(Kind::Integer, 0, operands[1].count(), 1)};
    std::array<OperandArray, 2> shifted{operands[0], operands[1]};
    for (std::size_t k = 0; k < 2; ++k) {
        const OperandArray& x = operands[k];
        const bool given = operands.size() > k + 2 && operands[k + 2].present();
        if (x.shape.size() < 2 || kindOf(x.type) != Kind::Integer || (given && kindOf(operands[k + 2].type) != Kind::Integer)) {
            return Result::None;
        }
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
