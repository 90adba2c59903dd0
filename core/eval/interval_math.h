#pragma once

#include "core/eval/evaluator.h"

#include <cmath>
#include <cstdint>
#include <limits>

// Interval arithmetic over the reals in double, rounded outward. Sums, products, quotients and roots are rounded in the
// direction of their exact error (TwoSum, fma), so exact results stay points; libm functions are padded by PadUlps.
// Every computing function also charges the rounding of the declared type that the current `IntervalRounding` describes.

namespace lemmascope {

/// What a computing operation charges besides double's own rounding; all zero: nothing.
struct IntervalRounding {
    double relative = 0.0;                                      ///< 2^-p
    double absolute = 0.0;                                      ///< half the smallest subnormal
    double largest = std::numeric_limits<double>::infinity();   ///< beyond it the type overflows: the bound becomes infinite
    [[nodiscard]] static IntervalRounding of(ElementType type); ///< none for integers, bool and non-computable types
};

/// The calling thread's rounding, like the rounding mode of a floating-point unit.
[[nodiscard]] const IntervalRounding& intervalRounding();

/// Sets the thread's rounding for its own lifetime.
class ScopedRounding {
  public:
    explicit ScopedRounding(const IntervalRounding& rounding);
    ScopedRounding(const ScopedRounding&) = delete;
    ScopedRounding& operator=(const ScopedRounding&) = delete;
    ~ScopedRounding();

  private:
    IntervalRounding m_before;
};

namespace interval {

inline constexpr double Infinity = std::numeric_limits<double>::infinity();
inline constexpr double PadUlps = 4.0; ///< glibc's and other libms' stated errors of the functions used stay below this

[[nodiscard]] inline Interval point(double value) { return Interval{value, value, false}; }
[[nodiscard]] inline Interval whole(bool mayBeUndefined = false) { return Interval{-Infinity, Infinity, mayBeUndefined}; }
[[nodiscard]] inline Interval undefined() { return Interval{Infinity, -Infinity, true}; }
/// A number from outside: NaN is undefined for certain.
[[nodiscard]] inline Interval ofNumber(double value) { return std::isnan(value) ? undefined() : point(value); }
[[nodiscard]] Interval hull(const Interval& a, const Interval& b);
[[nodiscard]] bool contains(const Interval& a, double value);

/// Adds the current rounding to a result.
[[nodiscard]] Interval charged(const Interval& a);
/// As above, with `magnitude` in place of |result| and `count` roundings: a sum of `count` terms whose magnitudes add to it.
[[nodiscard]] Interval chargedSum(const Interval& a, double magnitude, double count);

// Exact operations (no rounding is charged).
[[nodiscard]] Interval neg(const Interval& a);
[[nodiscard]] Interval abs(const Interval& a);
[[nodiscard]] Interval max(const Interval& a, const Interval& b); ///< undefined when one side is, as NaN goes through
[[nodiscard]] Interval min(const Interval& a, const Interval& b);
[[nodiscard]] Interval floor(const Interval& a);
[[nodiscard]] Interval ceil(const Interval& a);
[[nodiscard]] Interval roundEven(const Interval& a);
[[nodiscard]] Interval trunc(const Interval& a);
[[nodiscard]] Interval sign(const Interval& a);

// Computing operations.
[[nodiscard]] Interval add(const Interval& a, const Interval& b);
[[nodiscard]] Interval sub(const Interval& a, const Interval& b);
[[nodiscard]] Interval mul(const Interval& a, const Interval& b);
[[nodiscard]] Interval div(const Interval& a, const Interval& b);
[[nodiscard]] Interval square(const Interval& a);
[[nodiscard]] Interval sqrt(const Interval& a);
[[nodiscard]] Interval exp(const Interval& a);
[[nodiscard]] Interval log(const Interval& a);
[[nodiscard]] Interval log1p(const Interval& a);
[[nodiscard]] Interval erf(const Interval& a);
[[nodiscard]] Interval tanh(const Interval& a);
[[nodiscard]] Interval sin(const Interval& a);
[[nodiscard]] Interval cos(const Interval& a);
[[nodiscard]] Interval tan(const Interval& a);
[[nodiscard]] Interval asin(const Interval& a);
[[nodiscard]] Interval acos(const Interval& a);
[[nodiscard]] Interval atan(const Interval& a);
[[nodiscard]] Interval sinh(const Interval& a);
[[nodiscard]] Interval cosh(const Interval& a);
[[nodiscard]] Interval asinh(const Interval& a);
[[nodiscard]] Interval acosh(const Interval& a);
[[nodiscard]] Interval atanh(const Interval& a);
[[nodiscard]] Interval pow(const Interval& a, const Interval& b);
[[nodiscard]] Interval fmod(const Interval& a, const Interval& b); ///< C's fmod: the sign of `a`

// Undecided truth is [0, 1].
[[nodiscard]] Interval less(const Interval& a, const Interval& b);
[[nodiscard]] Interval lessOrEqual(const Interval& a, const Interval& b);
[[nodiscard]] Interval equal(const Interval& a, const Interval& b);

/// Integer results: bounds drawn in to integers, the whole range of the type if they leave it (arithmetic wraps).
[[nodiscard]] Interval wrappedTo(ElementType type, const Interval& a);
/// Smallest and largest value of an integer type or bool, outward where double can't hold them.
[[nodiscard]] Interval rangeOf(ElementType type);
/// Bounds rounded to nearest even in a float type (monotone).
[[nodiscard]] Interval roundedTo(ElementType type, const Interval& a);
/// One value rounded to nearest even in a float type.
[[nodiscard]] double roundedTo(ElementType type, double value);

} // namespace interval

// Operators for kernels written once over float, double and Interval.
[[nodiscard]] inline Interval operator+(const Interval& a, const Interval& b) { return interval::add(a, b); }
[[nodiscard]] inline Interval operator-(const Interval& a, const Interval& b) { return interval::sub(a, b); }
[[nodiscard]] inline Interval operator*(const Interval& a, const Interval& b) { return interval::mul(a, b); }
[[nodiscard]] inline Interval operator/(const Interval& a, const Interval& b) { return interval::div(a, b); }
[[nodiscard]] inline Interval operator-(const Interval& a) { return interval::neg(a); }

} // namespace lemmascope
