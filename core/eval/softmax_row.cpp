#include "core/eval/softmax_row.h"

#include "core/eval/dot.h"

#include <algorithm>

namespace lemmascope {

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

template void softmaxRow(std::vector<float>&, bool);
template void softmaxRow(std::vector<double>&, bool);

// Lower ends of the others with the upper end of xi and the other way round. Sums that leave one term out come from running sums
// from both sides, so n terms cost n.
template <>
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
    const double unit = std::max(intervalRounding().relative, 0x1p-53); // double's own at least
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
            if (own.hi == 0.0) { // x is minus infinity: no share, unless all are
                return others.hi == 0.0 ? interval::undefined() : logarithm ? interval::point(-interval::Infinity) : interval::point(0.0);
            }
            const Interval ratio = interval::chargedSum(others, others.hi, static_cast<double>(n)) / own;
            const Interval whole = one + interval::max({ratio.lo, ratio.hi, false}, interval::point(0.0));
            return logarithm ? -interval::log(whole) : one / whole;
        };
        const Interval lower = share(othersHigh[i], low[i]);
        const Interval upper = share(othersLow[i], high[i]);
        row[i] = interval::hull(lower, upper);
        row[i].mayBeUndefined = mayBeUndefined || row[i].isUndefined();
        if (!logarithm) {
            row[i].lo = std::max(row[i].lo, 0.0);
        }
        if (logarithm) {
            // The kernel computes x - max - log(sum): its rounding is relative to those, not to the result.
            const double scale =
                row[i].isUndefined() ? 0.0 : std::max({std::fabs(row[i].lo), std::fabs(row[i].hi), std::log(static_cast<double>(n)) + 1.0});
            const double slack = std::isfinite(scale) ? 4.0 * unit * scale : 0.0;
            row[i].lo -= slack;
            row[i].hi += slack;
        }
    }
}

} // namespace lemmascope
