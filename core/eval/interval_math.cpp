#include "core/eval/interval_math.h"

#include <algorithm>

namespace lemmascope {

namespace {

constinit thread_local IntervalRounding CurrentRounding{};

} // namespace

const IntervalRounding& intervalRounding() { return CurrentRounding; }

ScopedRounding::ScopedRounding(const IntervalRounding& rounding) : m_before(CurrentRounding) { CurrentRounding = rounding; }
ScopedRounding::~ScopedRounding() { CurrentRounding = m_before; }

IntervalRounding IntervalRounding::of(ElementType type) {
    // 16-bit floats are computed in float and rounded a second time: both roundings are charged.
    constexpr double Second = 0x1p-23;
    switch (type) {
    case ElementType::F16: return {0x1p-11 + Second, 0x1p-25 + 0x1p-149, 65504.0};
    case ElementType::BF16: return {0x1p-8 + Second, 0x1p-134 + 0x1p-149, 0x1.FEp127};
    case ElementType::F32: return {0x1p-24, 0x1p-150, static_cast<double>(std::numeric_limits<float>::max())};
    case ElementType::F64: return {0x1p-53, 0x1p-1074, std::numeric_limits<double>::max()};
    default: return {};
    }
}

namespace interval {

namespace {

constexpr double Largest = std::numeric_limits<double>::max();
constexpr double Tiny = std::numeric_limits<double>::denorm_min();
constexpr double FmaExact = 0x1p-960; // below this magnitude an fma error term may itself be rounded

double nextDown(double x) { return std::nextafter(x, -Infinity); }
double nextUp(double x) { return std::nextafter(x, Infinity); }

/// `rounded` is a result rounded to nearest whose exact error is `error` (exact - rounded).
double down(double rounded, double error) { return error < 0.0 ? nextDown(rounded) : rounded; }
double up(double rounded, double error) { return error > 0.0 ? nextUp(rounded) : rounded; }

double sumError(double a, double b, double s) {
    const double bb = s - a;
    return (a - (s - bb)) + (b - bb);
}

double addDown(double a, double b) {
    const double s = a + b;
    if (std::isfinite(s)) {
        return down(s, sumError(a, b, s));
    }
    if (std::isnan(s)) {
        return -Infinity;
    }
    return s > 0.0 && std::isfinite(a) && std::isfinite(b) ? Largest : s;
}

double addUp(double a, double b) { return -addDown(-a, -b); }

double mulDown(double a, double b) {
    if (a == 0.0 || b == 0.0) {
        return 0.0; // an infinite bound stands for unbounded reals: times zero it is zero
    }
    const double p = a * b;
    if (!std::isfinite(p)) {
        return p > 0.0 && std::isfinite(a) && std::isfinite(b) ? Largest : p;
    }
    if (std::fabs(p) < FmaExact) {
        return p > 0.0 ? std::max(0.0, nextDown(p)) : nextDown(p);
    }
    return down(p, std::fma(a, b, -p));
}

double mulUp(double a, double b) { return -mulDown(-a, b); }

double divDown(double a, double b) {
    if (a == 0.0 || std::isinf(b)) {
        return std::isinf(a) && std::isinf(b) ? -Infinity : 0.0; // a/b tends to 0; the caller takes both signs' bounds
    }
    const double q = a / b;
    if (!std::isfinite(q)) {
        return q > 0.0 && std::isfinite(a) ? Largest : q;
    }
    if (std::fabs(q) < FmaExact || std::fabs(a) < FmaExact) {
        return q > 0.0 ? std::max(0.0, nextDown(q)) : nextDown(q);
    }
    const double rest = std::fma(-q, b, a); // a - q b, exact
    return down(q, b > 0.0 ? rest : -rest);
}

double divUp(double a, double b) {
    if (std::isinf(a) && std::isinf(b)) {
        return Infinity;
    }
    return -divDown(-a, b);
}

double padDown(double x, double ulps = PadUlps) {
    return std::isfinite(x) ? x - std::fabs(x) * (ulps * 0x1p-52) - ulps * Tiny : x == Infinity ? Largest : x;
}
double padUp(double x, double ulps = PadUlps) { return -padDown(-x, ulps); }

bool infinitePoint(const Interval& a) { return a.lo == a.hi && std::isinf(a.lo); }
bool holdsZero(const Interval& a) { return a.lo <= 0.0 && a.hi >= 0.0; }

Interval make(double lo, double hi, bool mayBeUndefined) {
    return {std::isnan(lo) ? -Infinity : lo, std::isnan(hi) ? Infinity : hi, mayBeUndefined || std::isnan(lo) || std::isnan(hi)};
}

/// A function that grows over the whole line; `exact` is a point where it is known exactly (f(exact) = value).
template <typename F>
Interval growing(const Interval& a, F f, double exactAt, double exactValue, double least, double most) {
    if (a.isUndefined()) {
        return undefined();
    }
    const double lo = a.lo == exactAt ? exactValue : std::max(least, padDown(f(a.lo)));
    const double hi = a.hi == exactAt ? exactValue : std::min(most, padUp(f(a.hi)));
    return charged(make(std::min(lo, most), std::max(hi, least), a.mayBeUndefined));
}

/// The part of `a` within [least, most]; what lies outside makes the result possibly undefined.
bool restrict(Interval& a, double least, double most) {
    if (a.isUndefined() || a.hi < least || a.lo > most) {
        return false;
    }
    a.mayBeUndefined = a.mayBeUndefined || a.lo < least || a.hi > most;
    a.lo = std::max(a.lo, least);
    a.hi = std::min(a.hi, most);
    return true;
}

} // namespace

Interval hull(const Interval& a, const Interval& b) {
    if (a.isUndefined() || b.isUndefined()) {
        Interval out = a.isUndefined() ? b : a;
        out.mayBeUndefined = true;
        return out;
    }
    return {std::min(a.lo, b.lo), std::max(a.hi, b.hi), a.mayBeUndefined || b.mayBeUndefined};
}

bool contains(const Interval& a, double value) { return std::isnan(value) ? a.mayBeUndefined : a.lo <= value && value <= a.hi; }

Interval charged(const Interval& a) {
    const IntervalRounding& r = CurrentRounding;
    if (r.relative == 0.0 || a.isUndefined()) {
        return a;
    }
    Interval out = a;
    if (std::isfinite(a.lo) && a.lo != 0.0) {
        out.lo = nextDown(a.lo - (std::fabs(a.lo) * r.relative + r.absolute));
    }
    if (std::isfinite(a.hi) && a.hi != 0.0) {
        out.hi = nextUp(a.hi + (std::fabs(a.hi) * r.relative + r.absolute));
    }
    if (out.hi > r.largest) {
        out.hi = Infinity;
    }
    if (out.lo < -r.largest) {
        out.lo = -Infinity;
    }
    return out;
}

Interval chargedSum(const Interval& a, double magnitude, double count) {
    const IntervalRounding& r = CurrentRounding;
    if (r.relative == 0.0 || a.isUndefined()) {
        return a;
    }
    // (1 + u)^n - 1 <= n u / (1 - n u): the bound for any order of summation.
    const double growth = count * r.relative < 0.5 ? count * r.relative / (1.0 - count * r.relative) : Infinity;
    const double slack = (magnitude == 0.0 ? 0.0 : magnitude * growth * (1.0 + 0x1p-50)) + count * r.absolute;
    Interval out = make(nextDown(a.lo - slack), nextUp(a.hi + slack), a.mayBeUndefined);
    // A partial sum may overflow though the sum itself does not.
    if (magnitude * (1.0 + growth) > r.largest) {
        out.hi = Infinity;
        out.lo = -Infinity;
        out.mayBeUndefined = out.mayBeUndefined || std::isinf(a.lo) || std::isinf(a.hi);
    }
    return out;
}

Interval neg(const Interval& a) { return a.isUndefined() ? undefined() : Interval{-a.hi, -a.lo, a.mayBeUndefined}; }

Interval abs(const Interval& a) {
    if (a.isUndefined()) {
        return undefined();
    }
    const double most = std::max(std::fabs(a.lo), std::fabs(a.hi));
    return {holdsZero(a) ? 0.0 : std::min(std::fabs(a.lo), std::fabs(a.hi)), most, a.mayBeUndefined};
}

Interval max(const Interval& a, const Interval& b) {
    if (a.isUndefined() || b.isUndefined()) {
        return undefined();
    }
    return {std::max(a.lo, b.lo), std::max(a.hi, b.hi), a.mayBeUndefined || b.mayBeUndefined};
}

Interval min(const Interval& a, const Interval& b) {
    if (a.isUndefined() || b.isUndefined()) {
        return undefined();
    }
    return {std::min(a.lo, b.lo), std::min(a.hi, b.hi), a.mayBeUndefined || b.mayBeUndefined};
}

Interval floor(const Interval& a) { return a.isUndefined() ? a : Interval{std::floor(a.lo), std::floor(a.hi), a.mayBeUndefined}; }
Interval ceil(const Interval& a) { return a.isUndefined() ? a : Interval{std::ceil(a.lo), std::ceil(a.hi), a.mayBeUndefined}; }
Interval roundEven(const Interval& a) { return a.isUndefined() ? a : Interval{std::nearbyint(a.lo), std::nearbyint(a.hi), a.mayBeUndefined}; }
Interval trunc(const Interval& a) { return a.isUndefined() ? a : Interval{std::trunc(a.lo), std::trunc(a.hi), a.mayBeUndefined}; }

Interval sign(const Interval& a) {
    const auto one = [](double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; };
    return a.isUndefined() ? a : Interval{one(a.lo), one(a.hi), a.mayBeUndefined};
}

Interval add(const Interval& a, const Interval& b) {
    if (a.isUndefined() || b.isUndefined()) {
        return undefined();
    }
    const bool opposite = infinitePoint(a) && infinitePoint(b) && a.lo != b.lo;
    return charged(make(addDown(a.lo, b.lo), addUp(a.hi, b.hi), a.mayBeUndefined || b.mayBeUndefined || opposite));
}

Interval sub(const Interval& a, const Interval& b) { return add(a, neg(b)); }

Interval mul(const Interval& a, const Interval& b) {
    if (a.isUndefined() || b.isUndefined()) {
        return undefined();
    }
    if ((infinitePoint(a) && holdsZero(b)) || (infinitePoint(b) && holdsZero(a))) {
        return whole(true);
    }
    const bool may = a.mayBeUndefined || b.mayBeUndefined;
    if (a.lo == a.hi && b.lo == b.hi) {
        return charged({mulDown(a.lo, b.lo), mulUp(a.lo, b.lo), may});
    }
    const double lo = std::min(std::min(mulDown(a.lo, b.lo), mulDown(a.lo, b.hi)), std::min(mulDown(a.hi, b.lo), mulDown(a.hi, b.hi)));
    const double hi = std::max(std::max(mulUp(a.lo, b.lo), mulUp(a.lo, b.hi)), std::max(mulUp(a.hi, b.lo), mulUp(a.hi, b.hi)));
    return charged({lo, hi, may});
}

Interval div(const Interval& a, const Interval& b) {
    if (a.isUndefined() || b.isUndefined() || (b.lo == 0.0 && b.hi == 0.0)) {
        return undefined();
    }
    if (holdsZero(b)) {
        // The quotient over b without 0: one-sided when 0 is an end of b and a has one sign.
        Interval out = whole(true);
        if (b.lo == 0.0 && a.lo >= 0.0) {
            out.lo = divDown(a.lo, b.hi);
        } else if (b.lo == 0.0 && a.hi <= 0.0) {
            out.hi = divUp(a.hi, b.hi);
        } else if (b.hi == 0.0 && a.lo >= 0.0) {
            out.hi = divUp(a.lo, b.lo);
        } else if (b.hi == 0.0 && a.hi <= 0.0) {
            out.lo = divDown(a.hi, b.lo);
        }
        return charged(out);
    }
    const bool may = a.mayBeUndefined || b.mayBeUndefined || (infinitePoint(a) && infinitePoint(b));
    if (a.lo == a.hi && b.lo == b.hi) {
        return charged({divDown(a.lo, b.lo), divUp(a.lo, b.lo), may});
    }
    const double lo = std::min(std::min(divDown(a.lo, b.lo), divDown(a.lo, b.hi)), std::min(divDown(a.hi, b.lo), divDown(a.hi, b.hi)));
    const double hi = std::max(std::max(divUp(a.lo, b.lo), divUp(a.lo, b.hi)), std::max(divUp(a.hi, b.lo), divUp(a.hi, b.hi)));
    return charged({lo, hi, may});
}

Interval square(const Interval& a) {
    const Interval m = abs(a);
    return m.isUndefined() ? m : charged({mulDown(m.lo, m.lo), mulUp(m.hi, m.hi), m.mayBeUndefined});
}

Interval sqrt(const Interval& a) {
    Interval x = a;
    if (!restrict(x, 0.0, Infinity)) {
        return undefined();
    }
    const auto root = [](double v, bool lower) {
        const double s = std::sqrt(v);
        if (v == 0.0 || std::isinf(v)) {
            return s;
        }
        const double error = v < FmaExact ? (lower ? -1.0 : 1.0) : std::fma(-s, s, v);
        return lower ? down(s, error) : up(s, error);
    };
    return charged({root(x.lo, true), root(x.hi, false), x.mayBeUndefined});
}

Interval exp(const Interval& a) {
    return growing(
        a, [](double x) { return std::exp(x); }, 0.0, 1.0, 0.0, Infinity);
}

Interval log(const Interval& a) {
    Interval x = a;
    if (!restrict(x, 0.0, Infinity) || x.hi == 0.0) {
        return undefined();
    }
    x.mayBeUndefined = x.mayBeUndefined || x.lo == 0.0;
    return growing(
        x, [](double v) { return std::log(v); }, 1.0, 0.0, -Infinity, Infinity);
}

Interval log1p(const Interval& a) {
    Interval x = a;
    if (!restrict(x, -1.0, Infinity) || x.hi == -1.0) {
        return undefined();
    }
    x.mayBeUndefined = x.mayBeUndefined || x.lo == -1.0;
    return growing(
        x, [](double v) { return std::log1p(v); }, 0.0, 0.0, -Infinity, Infinity);
}

Interval erf(const Interval& a) {
    return growing(
        a, [](double x) { return std::erf(x); }, 0.0, 0.0, -1.0, 1.0);
}

Interval tanh(const Interval& a) {
    return growing(
        a, [](double x) { return std::tanh(x); }, 0.0, 0.0, -1.0, 1.0);
}

Interval sin(const Interval& a) {
    if (a.isUndefined() || infinitePoint(a)) {
        return undefined();
    }
    if (a.lo == 0.0 && a.hi == 0.0) {
        return a;
    }
    // Peaks stand at pi/2 + 2 pi k, valleys at -pi/2 + 2 pi k. A peak counts as inside when it is within rounding of an end.
    constexpr double Pi = 3.14159265358979323846;
    if (!(a.hi - a.lo < 2 * Pi) || std::max(std::fabs(a.lo), std::fabs(a.hi)) > 1e9) {
        return a.lo == a.hi ? charged({std::max(-1.0, padDown(std::sin(a.lo))), std::min(1.0, padUp(std::sin(a.hi))), a.mayBeUndefined})
                            : charged({-1.0, 1.0, a.mayBeUndefined});
    }
    const auto meets = [&a](double first) {
        const double slack = 1e-6;
        const double next = std::ceil((a.lo - slack - first) / (2 * Pi));
        return first + 2 * Pi * next <= a.hi + slack;
    };
    const double p = std::sin(a.lo);
    const double q = std::sin(a.hi);
    const double lo = meets(-Pi / 2) && a.lo != a.hi ? -1.0 : std::max(-1.0, padDown(std::min(p, q)));
    const double hi = meets(Pi / 2) && a.lo != a.hi ? 1.0 : std::min(1.0, padUp(std::max(p, q)));
    return charged({lo, hi, a.mayBeUndefined});
}

Interval cos(const Interval& a) {
    if (a.isUndefined() || infinitePoint(a)) {
        return undefined();
    }
    if (a.lo == a.hi) {
        return a.lo == 0.0 ? Interval{1.0, 1.0, a.mayBeUndefined}
                           : charged({std::max(-1.0, padDown(std::cos(a.lo))), std::min(1.0, padUp(std::cos(a.lo))), a.mayBeUndefined});
    }
    constexpr double HalfPi = 1.57079632679489661923;
    Interval shifted;
    {
        const ScopedRounding none{IntervalRounding{}};
        shifted = sin(add(a, {HalfPi, nextUp(HalfPi), false}));
    }
    return charged({shifted.lo, shifted.hi, a.mayBeUndefined});
}

Interval tan(const Interval& a) {
    if (a.isUndefined() || infinitePoint(a)) {
        return undefined();
    }
    constexpr double Pi = 3.14159265358979323846;
    if (a.lo == a.hi) {
        return a.lo == 0.0 ? a : charged({padDown(std::tan(a.lo)), padUp(std::tan(a.lo)), a.mayBeUndefined});
    }
    const double slack = 1e-6;
    const double pole = Pi / 2 + Pi * std::ceil((a.lo - slack - Pi / 2) / Pi);
    if (!(a.hi - a.lo < Pi) || std::max(std::fabs(a.lo), std::fabs(a.hi)) > 1e9 || pole <= a.hi + slack) {
        return whole(a.mayBeUndefined);
    }
    return charged({padDown(std::tan(a.lo)), padUp(std::tan(a.hi)), a.mayBeUndefined});
}

Interval asin(const Interval& a) {
    Interval x = a;
    return restrict(x, -1.0, 1.0) ? growing(
                                        x, [](double v) { return std::asin(v); }, 0.0, 0.0, -2.0, 2.0)
                                  : undefined();
}

Interval acos(const Interval& a) {
    Interval x = a;
    if (!restrict(x, -1.0, 1.0)) {
        return undefined();
    }
    return charged({x.hi == 1.0 ? 0.0 : std::max(0.0, padDown(std::acos(x.hi))), x.lo == 1.0 ? 0.0 : padUp(std::acos(x.lo)), x.mayBeUndefined});
}

Interval atan(const Interval& a) {
    return growing(
        a, [](double v) { return std::atan(v); }, 0.0, 0.0, -2.0, 2.0);
}

Interval sinh(const Interval& a) {
    return growing(
        a, [](double v) { return std::sinh(v); }, 0.0, 0.0, -Infinity, Infinity);
}

Interval cosh(const Interval& a) {
    return growing(
        abs(a), [](double v) { return std::cosh(v); }, 0.0, 1.0, 1.0, Infinity);
}

Interval asinh(const Interval& a) {
    return growing(
        a, [](double v) { return std::asinh(v); }, 0.0, 0.0, -Infinity, Infinity);
}

Interval acosh(const Interval& a) {
    Interval x = a;
    return restrict(x, 1.0, Infinity) ? growing(
                                            x, [](double v) { return std::acosh(v); }, 1.0, 0.0, 0.0, Infinity)
                                      : undefined();
}

Interval atanh(const Interval& a) {
    Interval x = a;
    if (!restrict(x, -1.0, 1.0) || x.lo == 1.0 || x.hi == -1.0) {
        return undefined();
    }
    x.mayBeUndefined = x.mayBeUndefined || x.lo == -1.0 || x.hi == 1.0;
    return growing(
        x, [](double v) { return std::atanh(v); }, 0.0, 0.0, -Infinity, Infinity);
}

namespace {

/// |a|^n for a >= 0, n a positive integer, without charging.
Interval positivePower(const Interval& a, double n) {
    if (n == 1.0) {
        return a;
    }
    if (n == 2.0) {
        return {mulDown(a.lo, a.lo), mulUp(a.hi, a.hi), a.mayBeUndefined};
    }
    if (n == 3.0) {
        return {mulDown(mulDown(a.lo, a.lo), a.lo), mulUp(mulUp(a.hi, a.hi), a.hi), a.mayBeUndefined};
    }
    const auto power = [n](double x, bool lower) {
        if (x == 0.0 || x == 1.0) {
            return x;
        }
        return lower ? std::max(0.0, padDown(std::pow(x, n))) : padUp(std::pow(x, n));
    };
    return {power(a.lo, true), power(a.hi, false), a.mayBeUndefined};
}

Interval integerPower(const Interval& a, double n) {
    if (n == 0.0) {
        return {1.0, 1.0, a.mayBeUndefined};
    }
    const double m = std::fabs(n);
    const bool even = std::fmod(m, 2.0) == 0.0;
    Interval out;
    if (even) {
        out = positivePower(abs(a), m);
    } else if (a.lo >= 0.0) {
        out = positivePower(a, m);
    } else if (a.hi <= 0.0) {
        out = neg(positivePower(neg(a), m));
    } else {
        const Interval left = neg(positivePower({0.0, -a.lo, false}, m));
        const Interval right = positivePower({0.0, a.hi, false}, m);
        out = {left.lo, right.hi, a.mayBeUndefined};
    }
    if (n > 0.0) {
        return out;
    }
    const ScopedRounding none{IntervalRounding{}};
    return div(point(1.0), out); // 0^negative is undefined
}

} // namespace

Interval pow(const Interval& a, const Interval& b) {
    if (a.isUndefined() || b.isUndefined()) {
        return undefined();
    }
    const bool may = a.mayBeUndefined || b.mayBeUndefined;
    if (b.lo == b.hi && std::isfinite(b.lo) && b.lo == std::floor(b.lo)) {
        Interval out = integerPower(a, b.lo);
        out.mayBeUndefined = out.mayBeUndefined || may;
        return charged(out);
    }
    if (b.lo == b.hi && b.lo == 0.5) {
        Interval out = sqrt(a);
        out.mayBeUndefined = out.mayBeUndefined || may;
        return out;
    }
    // A fractional or undecided exponent: x^y = exp(y log x) for x > 0, extremes at the corners; 0^y = 0 for y > 0.
    Interval x = a;
    if (!restrict(x, 0.0, Infinity)) {
        return b.lo == b.hi ? undefined() : whole(true); // an integer exponent within b may still be defined
    }
    if (a.lo < 0.0 && b.lo != b.hi) {
        return whole(true);
    }
    bool mayFail = may || x.mayBeUndefined || (x.lo == 0.0 && b.lo <= 0.0);
    double lo = Infinity;
    double hi = -Infinity;
    for (const double base : {x.lo, x.hi}) {
        for (const double exponent : {b.lo, b.hi}) {
            const double value = std::pow(base, exponent);
            lo = std::isnan(value) ? 0.0 : std::min(lo, value);
            hi = std::isnan(value) ? Infinity : std::max(hi, value);
        }
    }
    // Corners suffice where log x keeps its sign; a base interval around 1 also meets 1^y = 1 (y = 0 likewise).
    if (x.lo <= 1.0 && x.hi >= 1.0) {
        lo = std::min(lo, 1.0);
        hi = std::max(hi, 1.0);
    }
    if (std::isinf(b.lo) || std::isinf(b.hi)) {
        lo = 0.0;
        hi = Infinity;
    }
    const bool exact = x.lo == x.hi && (x.lo == 1.0 || (x.lo == 0.0 && b.lo > 0.0));
    return exact ? Interval{lo, hi, mayFail} : charged({std::max(0.0, padDown(lo)), padUp(hi), mayFail});
}

Interval fmod(const Interval& a, const Interval& b) {
    if (a.isUndefined() || b.isUndefined() || (b.lo == 0.0 && b.hi == 0.0) || infinitePoint(a)) {
        return undefined();
    }
    const bool may = a.mayBeUndefined || b.mayBeUndefined || holdsZero(b);
    if (a.lo == a.hi && b.lo == b.hi) {
        const double r = std::fmod(a.lo, b.lo); // exact
        return {r, r, may};
    }
    const Interval divisor = abs(b);
    const Interval dividend = abs(a);
    if (dividend.hi < divisor.lo) {
        return {a.lo, a.hi, may};
    }
    const double most = std::min(divisor.hi, dividend.hi);
    return {a.lo < 0.0 ? -most : 0.0, a.hi > 0.0 ? most : 0.0, may};
}

Interval less(const Interval& a, const Interval& b) {
    const bool may = a.mayBeUndefined || b.mayBeUndefined;
    if (a.isUndefined() || b.isUndefined()) {
        return {0.0, 1.0, true};
    }
    const bool always = a.hi < b.lo;
    const bool never = a.lo >= b.hi;
    return {always && !may ? 1.0 : 0.0, never && !may ? 0.0 : 1.0, may};
}

Interval lessOrEqual(const Interval& a, const Interval& b) {
    const bool may = a.mayBeUndefined || b.mayBeUndefined;
    if (a.isUndefined() || b.isUndefined()) {
        return {0.0, 1.0, true};
    }
    const bool always = a.hi <= b.lo;
    const bool never = a.lo > b.hi;
    return {always && !may ? 1.0 : 0.0, never && !may ? 0.0 : 1.0, may};
}

Interval equal(const Interval& a, const Interval& b) {
    const bool may = a.mayBeUndefined || b.mayBeUndefined;
    if (a.isUndefined() || b.isUndefined()) {
        return {0.0, 1.0, true};
    }
    const bool always = a.lo == a.hi && b.lo == b.hi && a.lo == b.lo;
    const bool never = a.hi < b.lo || b.hi < a.lo;
    return {always && !may ? 1.0 : 0.0, never && !may ? 0.0 : 1.0, may};
}

Interval rangeOf(ElementType type) {
    if (type == ElementType::Bool) {
        return {0.0, 1.0, false};
    }
    const unsigned bits = bitWidth(type);
    if (bits == 0) {
        return whole();
    }
    if (isSignedInteger(type)) {
        const double half = std::ldexp(1.0, static_cast<int>(bits) - 1);
        return {-half, bits > 53 ? half : half - 1.0, false};
    }
    const double full = std::ldexp(1.0, static_cast<int>(bits));
    return {0.0, bits > 53 ? full : full - 1.0, false};
}

Interval wrappedTo(ElementType type, const Interval& a) {
    if (a.isUndefined()) {
        return undefined();
    }
    const Interval range = rangeOf(type);
    const Interval drawn{std::ceil(a.lo), std::floor(a.hi), a.mayBeUndefined};
    const unsigned bits = bitWidth(type);
    const double past = isSignedInteger(type) ? std::ldexp(1.0, static_cast<int>(bits) - 1) : std::ldexp(1.0, static_cast<int>(bits));
    if (drawn.lo > drawn.hi || drawn.lo < range.lo || drawn.hi > range.hi || (bits > 53 && drawn.hi >= past)) {
        return {range.lo, range.hi, a.mayBeUndefined};
    }
    return drawn;
}

double roundedTo(ElementType type, double value) {
    switch (type) {
    case ElementType::F16: return static_cast<double>(halfToFloat(doubleToHalf(value)));
    case ElementType::BF16: return static_cast<double>(bfloatToFloat(doubleToBfloat(value)));
    case ElementType::F32: return static_cast<double>(static_cast<float>(value));
    default: return value;
    }
}

Interval roundedTo(ElementType type, const Interval& a) {
    return a.isUndefined() ? a : Interval{roundedTo(type, a.lo), roundedTo(type, a.hi), a.mayBeUndefined};
}

} // namespace interval

} // namespace lemmascope
