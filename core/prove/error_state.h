#pragma once

#include "core/eval/interval_math.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace lemmascope {

/// One number for all inputs in their ranges: the real value lies in `real`, and what is computed in its place is off by at most `error`,
/// and by at most `relative` times the real value and `rest` (underflow).
struct Inexact {
    Interval real;
    double error = 0.0;
    double relative = 0.0;
    double rest = 0.0;

    [[nodiscard]] bool isExact() const { return error == 0.0; }
    [[nodiscard]] double largest() const;  ///< |real|, upper end
    [[nodiscard]] double smallest() const; ///< |real|, lower end
    /// Of the real value alone: `rest` charged on its smallest magnitude.
    [[nodiscard]] double wholeRelative() const;
    /// Takes what is smaller of both bounds.
    [[nodiscard]] Inexact tightened() const;
    /// Rounded once more, by at most `units` times half an ulp of the type.
    [[nodiscard]] Inexact rounded(const IntervalRounding& type, double units = 1.0) const;
    [[nodiscard]] static Inexact exactly(double value) { return {interval::ofNumber(value), 0.0, 0.0, 0.0}; }
    [[nodiscard]] static Inexact within(const Interval& real) { return {real, 0.0, 0.0, 0.0}; }
};

/// n roundings one after the other: n u / (1 - n u), infinite from n u = 1 on. Source: Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd ed., lemma 3.1.
[[nodiscard]] double gammaOf(double n, double unit);

/// Arithmetic on such numbers, rounded as the type rounds. `FunctionUnits` half ulps are charged for what is no basic operation
/// (exp, log, tanh, erf ...): math libraries and vector units stay below four ulps. Undefined results have an infinite error.
namespace inexact {

inline constexpr double FunctionUnits = 8.0;

[[nodiscard]] Inexact add(const Inexact& a, const Inexact& b, const IntervalRounding& type);
[[nodiscard]] Inexact sub(const Inexact& a, const Inexact& b, const IntervalRounding& type);
[[nodiscard]] Inexact mul(const Inexact& a, const Inexact& b, const IntervalRounding& type);
[[nodiscard]] Inexact div(const Inexact& a, const Inexact& b, const IntervalRounding& type);
[[nodiscard]] Inexact sqrt(const Inexact& a, const IntervalRounding& type);
[[nodiscard]] Inexact exp(const Inexact& a, const IntervalRounding& type);
[[nodiscard]] Inexact log(const Inexact& a, const IntervalRounding& type);
[[nodiscard]] Inexact pow(const Inexact& a, double exponent, const IntervalRounding& type);
[[nodiscard]] Inexact neg(const Inexact& a);
[[nodiscard]] Inexact max(const Inexact& a, const Inexact& b);
[[nodiscard]] Inexact min(const Inexact& a, const Inexact& b);
/// A function whose slope is at most `slope` everywhere, with the real values it may have, computed with an error of `units` half
/// ulps of `scale` (the largest number met on the way).
[[nodiscard]] Inexact smooth(const Inexact& a, const Interval& real, double slope, double scale, double units, const IntervalRounding& type);

} // namespace inexact

} // namespace lemmascope
