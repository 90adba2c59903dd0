// Reductions over axes, ArgMax and ArgMin, CumSum.

#include "core/eval/dot.h"
#include "core/eval/elementwise.h"
#include "core/eval/kernel_table.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

/// The flat offsets of all index tuples of some axes of a tensor, row-major.
Ints offsetsOf(const Ints& shape, const std::vector<std::size_t>& axes) {
    const Ints strides = rowMajorStrides(shape);
    Ints extent;
    std::vector<Ints> walked(1);
    for (const std::size_t axis : axes) {
        extent.push_back(shape[axis]);
        walked[0].push_back(strides[axis]);
    }
    Ints out;
    walkRows(extent, walked, [&](std::span<const std::int64_t> at, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) {
            out.push_back(at[0] + (extent.empty() ? 0 : i * walked[0].back()));
        }
        return true;
    });
    return out;
}

enum class Reducer : std::uint8_t { Sum, Mean, Max, Min, Prod, L1, L2, SumSquare, LogSum, LogSumExp };

/// One row's elements, in order.
template <typename S>
class Row {
  public:
    Row(const std::vector<S>& data, std::int64_t base, const Ints& offsets) : m_data(data), m_base(base), m_offsets(offsets) {}
    [[nodiscard]] std::size_t size() const { return m_offsets.size(); }
    [[nodiscard]] const S& operator[](std::size_t i) const { return m_data[static_cast<std::size_t>(m_base + m_offsets[i])]; }

  private:
    const std::vector<S>& m_data;
    std::int64_t m_base;
    const Ints& m_offsets;
};

template <typename S>
S sumOf(const Row<S>& row) {
    Dot<S> sum;
    for (std::size_t i = 0; i < row.size(); ++i) {
        sum.add(row[i]);
    }
    return sum.value();
}

template <typename S>
S sumOfSquares(const Row<S>& row) {
    Dot<S> sum;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if constexpr (std::is_same_v<S, Interval>) {
            const ScopedRounding none{IntervalRounding{}}; // the sum charges the products too
            sum.add(interval::square(row[i]));
        } else {
            sum.addProduct(row[i], row[i]);
        }
    }
    return sum.value();
}

template <typename S>
S sumOfMagnitudes(const Row<S>& row) {
    Dot<S> sum;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if constexpr (std::is_same_v<S, std::uint64_t>) {
            sum.add(row[i]);
        } else if constexpr (std::is_same_v<S, std::int64_t>) {
            sum.add(row[i] < 0 ? static_cast<S>(std::uint64_t{0} - static_cast<std::uint64_t>(row[i])) : row[i]);
        } else {
            sum.add(absOf(row[i]));
        }
    }
    return sum.value();
}

/// Largest (or smallest) element; of none, the identity of max over the type.
template <typename S>
S extremeOf(const Row<S>& row, bool largest, ElementType type) {
    if (row.size() == 0) {
        if constexpr (std::is_integral_v<S>) {
            const unsigned bits = type == ElementType::Bool ? 1 : bitWidth(type);
            const bool isSigned = isSignedInteger(type);
            const std::uint64_t most = (~std::uint64_t{0}) >> (64U - bits + (isSigned ? 1U : 0U));
            return static_cast<S>(largest ? (isSigned ? ~most : 0) : most);
        } else {
            return lifted<S>(largest ? -interval::Infinity : interval::Infinity);
        }
    }
    S best = row[0];
    for (std::size_t i = 1; i < row.size(); ++i) {
        if constexpr (std::is_integral_v<S>) {
            best = largest ? std::max(best, row[i]) : std::min(best, row[i]);
        } else {
            best = largest ? largerOf(best, row[i]) : smallerOf(best, row[i]);
        }
    }
    return best;
}

template <typename S>
S productOf(const Row<S>& row) {
    S product = lifted<S>(1.0);
    for (std::size_t i = 0; i < row.size(); ++i) {
        if constexpr (std::is_integral_v<S>) {
            product = static_cast<S>(static_cast<std::uint64_t>(product) * static_cast<std::uint64_t>(row[i]));
        } else {
            product = product * row[i];
        }
    }
    return product;
}

double shiftOf(const Interval& largest) { return largest.hi; }
double shiftOf(double largest) { return largest; }
double shiftOf(float largest) { return static_cast<double>(largest); }

/// m + log(sum exp(x - m)), which overflows no sooner than the result.
template <typename S>
S logSumExpOf(const Row<S>& row) {
    const double most = shiftOf(extremeOf(row, true, ElementType::F64));
    const S shift = lifted<S>(std::isfinite(most) ? most : 0.0);
    Dot<S> sum;
    for (std::size_t i = 0; i < row.size(); ++i) {
        sum.add(expOf(row[i] - shift));
    }
    return logOf(sum.value()) + shift;
}

template <typename S>
S reduceRow(Reducer reducer, const Row<S>& row, ElementType type) {
    switch (reducer) {
    case Reducer::Sum: return sumOf(row);
    case Reducer::Max: return extremeOf(row, true, type);
    case Reducer::Min: return extremeOf(row, false, type);
    case Reducer::Prod: return productOf(row);
    case Reducer::L1: return sumOfMagnitudes(row);
    case Reducer::SumSquare: return sumOfSquares(row);
    default: break;
    }
    const auto count = static_cast<double>(row.size());
    if constexpr (std::is_integral_v<S>) {
        // Truncated, as a C kernel on integers does.
        switch (reducer) {
        case Reducer::Mean: return row.size() == 0 ? S{0} : static_cast<S>(sumOf(row) / static_cast<S>(row.size()));
        case Reducer::L2: return static_cast<S>(std::sqrt(static_cast<double>(sumOfSquares(row))));
        default: break;
        }
        Dot<double> sum;
        for (std::size_t i = 0; i < row.size(); ++i) {
            sum.add(reducer == Reducer::LogSum ? static_cast<double>(row[i]) : std::exp(static_cast<double>(row[i])));
        }
        const double value = std::log(sum.value());
        return std::fabs(value) < 0x1p62 ? static_cast<S>(value) : S{0};
    } else {
        switch (reducer) {
        case Reducer::Mean: return sumOf(row) / lifted<S>(count);
        case Reducer::L2: return rootOf(sumOfSquares(row));
        case Reducer::LogSum: return logOf(sumOf(row));
        default: return logSumExpOf(row);
        }
    }
}

template <Reducer R, int AxesOperandSince>
void reduce(NodeRun& run) {
    const Array& data = run.in(0);
    if (run.stopped()) {
        return;
    }
    const ElementType type = data.element();
    const std::size_t rank = data.rank();
    Ints named;
    if (run.version() >= AxesOperandSince) {
        named = run.has(1) ? run.steering(1) : Ints{};
    } else {
        named = run.integers("axes");
    }
    if (run.stopped()) {
        return;
    }
    std::vector<bool> reduced(rank, named.empty());
    if (named.empty() && run.version() >= AxesOperandSince && run.integer("noop_with_empty_axes", 0) != 0) {
        reduced.assign(rank, false); // each element is a row of its own (L2 of one element is its magnitude)
        if (R == Reducer::Sum || R == Reducer::Mean || R == Reducer::Max || R == Reducer::Min || R == Reducer::Prod) {
            Array same = data;
            run.give(0, std::move(same));
            return;
        }
    }
    for (const std::int64_t axis : named) {
        const auto at = normalAxis(run, axis, rank);
        if (!at) {
            return;
        }
        reduced[*at] = true;
    }
    const bool keep = run.integer("keepdims", 1) != 0;
    std::vector<std::size_t> over;
    std::vector<std::size_t> kept;
    Ints shape;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        (reduced[axis] ? over : kept).push_back(axis);
        if (!reduced[axis]) {
            shape.push_back(data.dim(axis));
        } else if (keep) {
            shape.push_back(1);
        }
    }
    if (!run.checkSize(data.shape(), sizeof(Interval)) || !run.charge(static_cast<std::uint64_t>(data.count()))) {
        return;
    }
    const Ints starts = offsetsOf(data.shape(), kept);
    const Ints offsets = offsetsOf(data.shape(), over);
    run.visitNumber(type, data.isInterval(), [&](auto one) {
        using S = decltype(one);
        const std::vector<S> numbers = run.numbers<S>(0);
        std::vector<S> out;
        out.reserve(starts.size());
        for (const std::int64_t start : starts) {
            if (!run.tick(offsets.size() + 1)) {
                return;
            }
            S value = reduceRow<S>(R, Row<S>(numbers, start, offsets), type);
            if constexpr (std::is_same_v<S, Interval>) {
                value = isFloat(type) ? value : interval::trunc(value);
            }
            out.push_back(value);
        }
        run.give<S>(0, type, shape, out);
    });
}

/// The first (or last) index of the extreme element; NaN wins, as in ONNX Runtime's comparison order it never does: the
/// first element stays until a larger one comes.
template <typename S>
std::int64_t extremeIndex(const std::vector<S>& data, std::int64_t start, std::int64_t stride, std::int64_t length, bool largest, bool last) {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < length; ++i) {
        const S& a = data[static_cast<std::size_t>(start + best * stride)];
        const S& b = data[static_cast<std::size_t>(start + i * stride)];
        const bool better = largest ? b > a : b < a;
        if (better || (last && b == a)) {
            best = i;
        }
    }
    return best;
}

/// The indices that may hold the maximum, as an interval: i may win when it can be at least every other, and beat those that
/// go before it in a tie.
Interval extremeIndexEnclosure(const std::vector<Interval>& data, std::int64_t start, std::int64_t stride, std::int64_t length, bool largest,
                               bool last) {
    const auto at = [&](std::int64_t i) {
        const Interval& x = data[static_cast<std::size_t>(start + i * stride)];
        return largest ? x : interval::neg(x);
    };
    bool mayBeUndefined = false;
    std::vector<double> before(static_cast<std::size_t>(length), -interval::Infinity); // largest lower bound before i
    std::vector<double> after(static_cast<std::size_t>(length), -interval::Infinity);
    for (std::int64_t i = 0; i < length; ++i) {
        mayBeUndefined = mayBeUndefined || at(i).mayBeUndefined;
        if (i > 0) {
            before[static_cast<std::size_t>(i)] = std::max(before[static_cast<std::size_t>(i - 1)], at(i - 1).lo);
        }
    }
    for (std::int64_t i = length - 1; i-- > 0;) {
        after[static_cast<std::size_t>(i)] = std::max(after[static_cast<std::size_t>(i + 1)], at(i + 1).lo);
    }
    if (mayBeUndefined) {
        return {0.0, static_cast<double>(length - 1), true};
    }
    Interval out{static_cast<double>(length - 1), 0.0, false};
    for (std::int64_t i = 0; i < length; ++i) {
        const double strict = last ? after[static_cast<std::size_t>(i)] : before[static_cast<std::size_t>(i)];
        const double equal = last ? before[static_cast<std::size_t>(i)] : after[static_cast<std::size_t>(i)];
        const double most = at(i).hi;
        if ((most > strict || std::isinf(strict)) && most >= equal) {
            out.lo = std::min(out.lo, static_cast<double>(i));
            out.hi = std::max(out.hi, static_cast<double>(i));
        }
    }
    return out;
}

template <bool Largest>
void argExtreme(NodeRun& run) {
    const Array& data = run.in(0);
    const auto axis = run.stopped() ? std::nullopt : normalAxis(run, run.integer("axis", 0), data.rank());
    if (!axis || !run.require(data.dim(*axis) > 0, "the axis is empty")) {
        return;
    }
    const bool last = run.integer("select_last_index", 0) != 0;
    Ints shape = data.shape();
    if (run.integer("keepdims", 1) != 0) {
        shape[*axis] = 1;
    } else {
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
    }
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < data.rank(); ++k) {
        if (k != *axis) {
            kept.push_back(k);
        }
    }
    const Ints starts = offsetsOf(data.shape(), kept);
    const std::int64_t stride = rowMajorStrides(data.shape())[*axis];
    const std::int64_t length = data.dim(*axis);
    const ElementType type = data.element();
    run.visitNumber(type, data.isInterval(), [&](auto one) {
        using S = decltype(one);
        std::vector<S> numbers = run.numbers<S>(0);
        if constexpr (std::is_same_v<S, Interval>) {
            if (data.narrowed) {
                for (Interval& element : numbers) {
                    element = interval::roundedTo(type, element);
                }
            }
            std::vector<Interval> out;
            for (const std::int64_t start : starts) {
                if (!run.tick(static_cast<std::uint64_t>(length))) {
                    return;
                }
                out.push_back(extremeIndexEnclosure(numbers, start, stride, length, Largest, last));
            }
            run.give<Interval>(0, ElementType::I64, shape, out);
        } else {
            Ints out;
            for (const std::int64_t start : starts) {
                if (!run.tick(static_cast<std::uint64_t>(length))) {
                    return;
                }
                out.push_back(extremeIndex(numbers, start, stride, length, Largest, last));
            }
            run.giveIntegers(0, shape, out);
        }
    });
}

void cumSum(NodeRun& run) {
    const Array& data = run.in(0);
    const Ints named = run.steering(1);
    if (run.stopped() || !run.require(named.size() == 1, "the axis must be a scalar")) {
        return;
    }
    const auto axis = normalAxis(run, named[0], data.rank());
    if (!axis) {
        return;
    }
    const bool exclusive = run.integer("exclusive", 0) != 0;
    const bool reverse = run.integer("reverse", 0) != 0;
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < data.rank(); ++k) {
        if (k != *axis) {
            kept.push_back(k);
        }
    }
    const Ints starts = offsetsOf(data.shape(), kept);
    const std::int64_t stride = rowMajorStrides(data.shape())[*axis];
    const std::int64_t length = data.dim(*axis);
    const ElementType type = data.element();
    run.visitNumber(type, data.isInterval(), [&](auto one) {
        using S = decltype(one);
        const std::vector<S> numbers = run.numbers<S>(0);
        std::vector<S> out(numbers.size());
        for (const std::int64_t start : starts) {
            if (!run.tick(static_cast<std::uint64_t>(length))) {
                return;
            }
            Dot<S> sum;
            for (std::int64_t k = 0; k < length; ++k) {
                const auto at = static_cast<std::size_t>(start + (reverse ? length - 1 - k : k) * stride);
                if (exclusive) {
                    out[at] = sum.value();
                    sum.add(numbers[at]);
                } else {
                    sum.add(numbers[at]);
                    out[at] = sum.value();
                }
            }
        }
        run.give<S>(0, type, data.shape(), out);
    });
}

constexpr auto N = KernelTypes::Numbers;

constexpr Kernel Kernels[] = {
    {"", "ReduceSum", 1, 0, N, reduce<Reducer::Sum, 13>},
    {"", "ReduceMean", 1, 0, N, reduce<Reducer::Mean, 18>},
    {"", "ReduceMax", 1, 0, KernelTypes::Computed, reduce<Reducer::Max, 18>},
    {"", "ReduceMin", 1, 0, KernelTypes::Computed, reduce<Reducer::Min, 18>},
    {"", "ReduceProd", 1, 0, N, reduce<Reducer::Prod, 18>},
    {"", "ReduceL1", 1, 0, N, reduce<Reducer::L1, 18>},
    {"", "ReduceL2", 1, 0, N, reduce<Reducer::L2, 18>},
    {"", "ReduceSumSquare", 1, 0, N, reduce<Reducer::SumSquare, 18>},
    {"", "ReduceLogSum", 1, 0, N, reduce<Reducer::LogSum, 18>},
    {"", "ReduceLogSumExp", 1, 0, N, reduce<Reducer::LogSumExp, 18>},
    {"", "ArgMax", 1, 0, N, argExtreme<true>},
    {"", "ArgMin", 1, 0, N, argExtreme<false>},
    {"", "CumSum", 11, 0, N, cumSum},
};

} // namespace

std::span<const Kernel> reduceKernels() { return Kernels; }

} // namespace lemmascope
