// Softmax, LogSoftmax, Hardmax. Before opset 13 they ran over all axes from `axis` on, flattened; since then over one.

#include "core/eval/dot.h"
#include "core/eval/kernel_table.h"

#include <algorithm>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

/// Rows of a tensor: element i of row (o, n) stands at (o * length + i) * inner + n.
struct Rows {
    std::int64_t outer = 1;
    std::int64_t length = 1;
    std::int64_t inner = 1;
};

std::optional<Rows> rowsOf(NodeRun& run) {
    const Array& data = run.in(0);
    if (run.stopped()) {
        return std::nullopt;
    }
    const bool flattened = run.version() < 13;
    const auto axis = data.rank() == 0
                          ? std::optional<std::size_t>(0)
                          : normalAxis(run, run.integer("axis", flattened ? 1 : -1),
                                       data.rank() + (flattened && run.integer("axis", 1) == static_cast<std::int64_t>(data.rank()) ? 1 : 0));
    if (!axis) {
        return std::nullopt;
    }
    Rows rows;
    for (std::size_t k = 0; k < data.rank(); ++k) {
        (k < *axis ? rows.outer : k == *axis || flattened ? rows.length : rows.inner) *= data.dim(k);
    }
    return rows;
}

/// exp(x - max) / sum, each float rounded as it comes.
template <typename S>
void softmaxRow(std::vector<S>& row, bool logarithm) {
    S most = row[0];
    for (const S& x : row) {
        most = largerOf(most, x);
    }
    Dot<S> sum;
    std::vector<S> terms;
    for (const S& x : row) {
        terms.push_back(expOf(x - most));
        sum.add(terms.back());
    }
    const S total = sum.value();
    for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = logarithm ? row[i] - most - logOf(total) : terms[i] / total;
    }
}

/// 1 / (1 + sum over j != i of exp(xj - xi)), which grows in xi and falls in each xj: lower ends of the others with the upper end
/// of xi and the other way round. Sums that leave one term out come from running sums from both sides, so n terms cost n.
void softmaxRow(std::vector<Interval>& row, bool logarithm) {
    const std::size_t n = row.size();
    double most = -interval::Infinity;
    double mostLow = -interval::Infinity;
    bool mayBeUndefined = false;
    for (const Interval& x : row) {
        if (x.isUndefined()) {
            row.assign(n, interval::undefined());
            return;
        }
        mayBeUndefined = mayBeUndefined || x.mayBeUndefined;
        most = std::max(most, x.hi);
        mostLow = std::max(mostLow, x.lo);
    }
    if (!std::isfinite(most) || !std::isfinite(mostLow)) {
        // Nothing to shift by: all that is known is a share of the whole.
        row.assign(n, logarithm ? Interval{-interval::Infinity, 0.0, true} : Interval{0.0, 1.0, true});
        return;
    }
    // e^(x - m) at both ends; the kernel's subtraction of the maximum rounds relative to the difference.
    std::vector<Interval> low;
    std::vector<Interval> high;
    const double unit = intervalRounding().relative;
    const auto term = [&](double x) {
        Interval difference;
        {
            const ScopedRounding none{IntervalRounding{}};
            difference = interval::point(x) - interval::point(most);
            const double slack = unit * std::max(std::fabs(x - most), std::fabs(x - mostLow));
            difference = difference + Interval{-slack, slack, false};
        }
        return interval::exp(difference);
    };
    for (const Interval& x : row) {
        low.push_back(std::isfinite(x.lo) ? term(x.lo) : interval::point(0.0));
        high.push_back(x.hi == x.lo ? low.back() : term(x.hi));
    }
    // without[i]: the sum of all but term i.
    const auto sumsWithout = [n](const std::vector<Interval>& terms) {
        const ScopedRounding none{IntervalRounding{}};
        std::vector<Interval> out(n, interval::point(0.0));
        Interval sum = interval::point(0.0);
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = sum;
            sum = sum + terms[i];
        }
        sum = interval::point(0.0);
        for (std::size_t i = n; i-- > 0;) {
            out[i] = out[i] + sum;
            sum = sum + terms[i];
        }
        return out;
    };
    const std::vector<Interval> othersLow = sumsWithout(low);
    const std::vector<Interval> othersHigh = sumsWithout(high);
    const Interval one = interval::point(1.0);
    for (std::size_t i = 0; i < n; ++i) {
        const auto share = [&](const Interval& others, const Interval& own) {
            const Interval charged = interval::chargedSum(others, others.hi, static_cast<double>(n));
            const Interval ratio = own.hi == 0.0 || own.lo <= 0.0
                                       ? (others.lo == 0.0 && others.hi == 0.0 ? interval::point(0.0) : Interval{0.0, interval::Infinity, false})
                                       : charged / own;
            const Interval whole = one + interval::max(ratio, interval::point(0.0));
            return logarithm ? -interval::log(whole) : one / whole;
        };
        const Interval lower = share(othersHigh[i], low[i]);
        const Interval upper = share(othersLow[i], high[i]);
        row[i] = {std::min(lower.lo, upper.lo), std::max(lower.hi, upper.hi), mayBeUndefined};
        if (!logarithm) {
            row[i].lo = std::max(row[i].lo, 0.0);
        }
        if (logarithm) {
            // The kernel computes x - max - log(sum): its rounding is relative to those, not to the result.
            const double scale = std::max({std::fabs(row[i].lo), std::fabs(row[i].hi), std::log(static_cast<double>(n)) + 1.0});
            const double slack = std::isfinite(scale) ? 4.0 * unit * scale : 0.0;
            row[i].lo -= slack;
            row[i].hi += slack;
        }
    }
}

template <bool Logarithm>
void softmax(NodeRun& run) {
    const auto rows = rowsOf(run);
    if (!rows || !run.charge(static_cast<std::uint64_t>(run.in(0).count()))) {
        return;
    }
    const ElementType type = run.in(0).element();
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        std::vector<S> data = run.numbers<S>(0);
        std::vector<S> row(static_cast<std::size_t>(rows->length));
        const auto at = [&rows](std::int64_t o, std::int64_t i, std::int64_t n) {
            return static_cast<std::size_t>((o * rows->length + i) * rows->inner + n);
        };
        for (std::int64_t o = 0; o < rows->outer && !row.empty(); ++o) {
            for (std::int64_t n = 0; n < rows->inner; ++n) {
                for (std::int64_t i = 0; i < rows->length; ++i) {
                    row[static_cast<std::size_t>(i)] = data[at(o, i, n)];
                }
                softmaxRow(row, Logarithm);
                for (std::int64_t i = 0; i < rows->length; ++i) {
                    data[at(o, i, n)] = row[static_cast<std::size_t>(i)];
                }
                if (!run.tick(static_cast<std::uint64_t>(rows->length))) {
                    return;
                }
            }
        }
        run.give<S>(0, type, run.in(0).shape(), data);
    });
}

constexpr Kernel Kernels[] = {
    {"", "Softmax", 1, 0, KernelTypes::Floats, softmax<false>},
    {"", "LogSoftmax", 1, 0, KernelTypes::Floats, softmax<true>},
};

} // namespace

std::span<const Kernel> softmaxKernels() { return Kernels; }

} // namespace lemmascope
