// Ops that order or select by value: TopK, NonZero, Unique.

#include "core/eval/dot.h"
#include "core/eval/kernel_table.h"
#include "core/eval/movement.h"

#include <algorithm>
#include <numeric>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

/// Index order of a row, best first; ties: the smaller index. NaN counts as larger than every number.
template <typename S>
Ints ranking(const std::vector<S>& row, bool largest) {
    Ints order(row.size());
    std::iota(order.begin(), order.end(), 0);
    const auto less = [](const S& a, const S& b) {
        if constexpr (std::is_floating_point_v<S>) {
            return std::isnan(b) ? !std::isnan(a) : a < b;
        } else {
            return a < b;
        }
    };
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        const S& x = row[static_cast<std::size_t>(a)];
        const S& y = row[static_cast<std::size_t>(b)];
        return largest ? less(y, x) : less(x, y);
    });
    return order;
}

/// The k-th value lies between the k-th lower and the k-th upper bound. Indices are known where neighbours are apart.
void rankEnclosures(const std::vector<Interval>& row, bool largest, std::int64_t k, std::vector<Interval>& values, std::vector<Interval>& indices) {
    std::vector<double> low;
    std::vector<double> high;
    bool mayBeUndefined = false;
    for (const Interval& x : row) {
        mayBeUndefined = mayBeUndefined || x.mayBeUndefined;
        low.push_back(x.lo);
        high.push_back(x.hi);
    }
    const auto last = static_cast<double>(row.size()) - 1.0;
    if (mayBeUndefined) {
        values.assign(static_cast<std::size_t>(k), interval::whole(true));
        indices.assign(static_cast<std::size_t>(k), {0.0, last, true});
        return;
    }
    Ints byLow = ranking(low, largest);
    Ints byHigh = ranking(high, largest);
    values.clear();
    indices.clear();
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
        const Interval value{low[static_cast<std::size_t>(byLow[i])], high[static_cast<std::size_t>(byHigh[i])], false};
        values.push_back(value);
        // Decided when both orders agree on this place and no other element may share it; equal points go by index.
        bool decided = byLow[i] == byHigh[i];
        const Interval& own = row[static_cast<std::size_t>(byLow[i])];
        for (std::size_t j = 0; decided && j < row.size(); ++j) {
            const bool self = static_cast<std::int64_t>(j) == byLow[i];
            const bool apart = row[j].hi < own.lo || row[j].lo > own.hi;
            const bool equalPoints = row[j].lo == row[j].hi && own.lo == own.hi && row[j].lo == own.lo;
            decided = self || apart || equalPoints;
        }
        indices.push_back(decided ? interval::point(static_cast<double>(byLow[i])) : Interval{0.0, last, false});
    }
}

void topK(NodeRun& run) {
    const Array& data = run.in(0);
    const ElementType type = data.element();
    const auto named = run.stopped() ? std::nullopt : normalAxis(run, run.integer("axis", -1), data.rank());
    if (!named) {
        return;
    }
    const std::size_t axis = *named;
    const Ints counts = run.version() < 10 ? Ints{run.integer("k", -1)} : run.steering(1);
    if (run.stopped() || !run.require(counts.size() == 1 && counts[0] >= 0 && counts[0] <= data.dim(axis), "k is outside the axis")) {
        return;
    }
    const bool largest = run.integer("largest", 1) != 0;
    const std::int64_t k = counts[0];
    const std::int64_t length = data.dim(axis);
    Ints shape = data.shape();
    shape[axis] = k;
    const std::int64_t inner = rowMajorStrides(data.shape())[axis];
    const std::int64_t rows = length == 0 ? 0 : data.count() / length;
    run.visitNumber(type, data.isInterval(), [&](auto one) {
        using S = decltype(one);
        std::vector<S> numbers = run.numbers<S>(0);
        if (run.stopped()) {
            return;
        }
        std::vector<S> values(static_cast<std::size_t>(rows * k));
        Ints indices(values.size());
        std::vector<Interval> indexBounds(std::is_same_v<S, Interval> ? values.size() : 0);
        std::vector<S> row(static_cast<std::size_t>(length));
        for (std::int64_t r = 0; r < rows && run.tick(static_cast<std::uint64_t>(length)); ++r) {
            const std::int64_t start = r / inner * inner * length + r % inner;
            const std::int64_t to = r / inner * inner * k + r % inner;
            for (std::int64_t i = 0; i < length; ++i) {
                row[static_cast<std::size_t>(i)] = numbers[static_cast<std::size_t>(start + i * inner)];
            }
            if constexpr (std::is_same_v<S, Interval>) {
                if (data.narrowed) {
                    for (Interval& element : row) {
                        element = interval::roundedTo(type, element);
                    }
                }
                std::vector<Interval> best;
                std::vector<Interval> where;
                rankEnclosures(row, largest, k, best, where);
                for (std::int64_t i = 0; i < k; ++i) {
                    values[static_cast<std::size_t>(to + i * inner)] = best[static_cast<std::size_t>(i)];
                    indexBounds[static_cast<std::size_t>(to + i * inner)] = where[static_cast<std::size_t>(i)];
                }
            } else {
                const Ints order = ranking(row, largest);
                for (std::int64_t i = 0; i < k; ++i) {
                    const std::int64_t at = order[static_cast<std::size_t>(i)];
                    values[static_cast<std::size_t>(to + i * inner)] = row[static_cast<std::size_t>(at)];
                    indices[static_cast<std::size_t>(to + i * inner)] = at;
                }
            }
        }
        run.give<S>(0, type, shape, values);
        if constexpr (std::is_same_v<S, Interval>) {
            run.give<Interval>(1, ElementType::I64, shape, indexBounds);
        } else {
            run.giveIntegers(1, shape, indices);
        }
    });
}

void nonZero(NodeRun& run) {
    const Array& data = run.in(0);
    std::vector<bool> marks;
    if (data.isInterval()) {
        for (const Interval& x : run.numbers<Interval>(0)) {
            if (x.mayBeUndefined || (x.lo <= 0.0 && x.hi >= 0.0 && !x.isPoint())) {
                run.undecided();
                return;
            }
            marks.push_back(x.lo != 0.0 || x.hi != 0.0);
        }
    } else {
        for (const double x : run.numbers<double>(0)) {
            marks.push_back(x != 0.0);
        }
    }
    if (run.stopped()) {
        return;
    }
    const Ints shape = data.shape();
    const Ints strides = rowMajorStrides(shape);
    const std::int64_t count = std::count(marks.begin(), marks.end(), true);
    Ints out(shape.size() * static_cast<std::size_t>(count));
    std::int64_t next = 0;
    for (std::size_t flat = 0; flat < marks.size(); ++flat) {
        if (!marks[flat]) {
            continue;
        }
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            out[axis * static_cast<std::size_t>(count) + static_cast<std::size_t>(next)] =
                static_cast<std::int64_t>(flat) / strides[axis] % shape[axis];
        }
        ++next;
    }
    run.giveIntegers(0, {static_cast<std::int64_t>(shape.size()), count}, out);
}

void unique(NodeRun& run) {
    Array data = run.in(0);
    if (run.stopped()) {
        return;
    }
    std::size_t axis = 0;
    const bool flat = !run.hasAttribute("axis");
    if (!flat) {
        const auto named = normalAxis(run, run.integer("axis", 0), data.rank());
        if (!named) {
            return;
        }
        axis = *named;
    } else {
        data = data.reshaped({data.count()});
    }
    // Rows along the axis as number lists; enclosures must be points to be told apart.
    std::vector<double> numbers;
    if (data.isInterval()) {
        numbers = run.steeringReals(0);
    } else if (bitWidth(data.element()) == 64) {
        for (const std::int64_t x : run.numbers<std::int64_t>(0)) {
            if (x > (std::int64_t{1} << 53) || x < -(std::int64_t{1} << 53)) {
                run.open();
                return;
            }
            numbers.push_back(static_cast<double>(x));
        }
    } else {
        numbers = run.numbers<double>(0);
    }
    if (run.stopped()) {
        return;
    }
    const std::int64_t length = data.dim(axis);
    const std::int64_t inner = rowMajorStrides(data.shape())[axis];
    const std::int64_t rowSize = length == 0 ? 0 : data.count() / length;
    if (!run.charge(data.count(), 16)) {
        return;
    }
    const auto at = [&](std::int64_t row, std::int64_t i) { return static_cast<std::size_t>(i / inner * inner * length + row * inner + i % inner); };
    const auto compare = [&](std::int64_t a, std::int64_t b) {
        for (std::int64_t i = 0; i < rowSize; ++i) {
            if (numbers[at(a, i)] != numbers[at(b, i)]) {
                return numbers[at(a, i)] < numbers[at(b, i)] ? -1 : 1;
            }
        }
        return 0;
    };
    Ints order(static_cast<std::size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return compare(a, b) < 0; });
    Ints firsts; // first occurrence of each distinct row, in sorted order
    Ints groupOf(static_cast<std::size_t>(length), 0);
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (k == 0 || compare(order[k - 1], order[k]) != 0) {
            firsts.push_back(order[k]);
        }
        groupOf[static_cast<std::size_t>(order[k])] = static_cast<std::int64_t>(firsts.size()) - 1;
    }
    Ints rank(firsts.size());
    std::iota(rank.begin(), rank.end(), 0);
    if (run.integer("sorted", 1) == 0) {
        std::sort(rank.begin(), rank.end(),
                  [&](std::int64_t a, std::int64_t b) { return firsts[static_cast<std::size_t>(a)] < firsts[static_cast<std::size_t>(b)]; });
    }
    Ints position(firsts.size());
    for (std::size_t k = 0; k < rank.size(); ++k) {
        position[static_cast<std::size_t>(rank[k])] = static_cast<std::int64_t>(k);
    }
    Ints shape = data.shape();
    shape[axis] = static_cast<std::int64_t>(firsts.size());
    std::optional<Array> out = run.makeLike(data, shape);
    const Ints to = rowMajorStrides(shape);
    const Ints from = rowMajorStrides(data.shape());
    Ints extent = shape;
    extent[axis] = 1;
    Ints firstIndex;
    Ints counts(firsts.size(), 0);
    Ints inverse;
    for (std::size_t k = 0; out && k < rank.size(); ++k) {
        const std::int64_t row = firsts[static_cast<std::size_t>(rank[k])];
        firstIndex.push_back(row);
        if (!copyBox(run, *out, {static_cast<std::int64_t>(k) * to[axis], to}, data, {row * from[axis], from}, extent)) {
            return;
        }
    }
    if (!out) {
        return;
    }
    for (const std::int64_t group : groupOf) {
        inverse.push_back(position[static_cast<std::size_t>(group)]);
        ++counts[static_cast<std::size_t>(inverse.back())];
    }
    const auto found = static_cast<std::int64_t>(firsts.size());
    run.give(0, std::move(*out));
    run.giveIntegers(1, {found}, firstIndex);
    run.giveIntegers(2, {length}, inverse);
    run.giveIntegers(3, {found}, counts);
}

constexpr Kernel Kernels[] = {
    {"", "TopK", 1, 0, KernelTypes::Numbers, topK},
    {"", "NonZero", 9, 0, KernelTypes::Computed, nonZero},
    {"", "Unique", 11, 0, KernelTypes::Computed, unique},
};

} // namespace

std::span<const Kernel> orderKernels() { return Kernels; }

} // namespace lemmascope
