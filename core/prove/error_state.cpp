#include "core/prove/error_state.h"

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();

/// Bounds are sums and products of doubles: their own rounding is paid for here.
constexpr double OwnRounding = 1.0 + 1e-14;

double times(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : a * b; } // infinity times nothing is nothing here

bool usable(const Interval& a) { return !a.isUndefined() && !a.mayBeUndefined && !std::isnan(a.lo) && !std::isnan(a.hi); }

Inexact unknown(const Interval& real) { return {real, Infinity, Infinity, Infinity}; }

} // namespace

double Inexact::largest() const { return std::max(std::fabs(real.lo), std::fabs(real.hi)); }

double Inexact::smallest() const { return real.lo > 0.0 ? real.lo : real.hi < 0.0 ? -real.hi : 0.0; }

double Inexact::wholeRelative() const {
    if (rest == 0.0) {
        return relative;
    }
    const double least = smallest();
    return least > 0.0 ? relative + rest / least : Infinity;
}

Inexact Inexact::tightened() const {
    Inexact out = *this;
    if (!usable(real)) {
        return unknown(real);
    }
    out.error = std::min(out.error, times(out.relative, out.largest()) + out.rest);
    if (const double least = out.smallest(); least > 0.0 && out.error / least < out.wholeRelative()) {
        out.relative = out.error / least;
        out.rest = 0.0;
    }
    return out;
}

Inexact Inexact::rounded(const IntervalRounding& type, double units) const {
    Inexact out = *this;
    const double unit = units * type.relative;
    const double computed = largest() + error;
    if (!(computed <= type.largest)) {
        return unknown(real); // it may overflow
    }
    out.error = (error + unit * computed + type.absolute) * OwnRounding;
    out.relative = (relative + unit * (1.0 + relative)) * OwnRounding;
    out.rest = (rest * (1.0 + unit) + type.absolute) * OwnRounding;
    return out.tightened();
}

double gammaOf(double n, double unit) { return n * unit < 1.0 ? n * unit / (1.0 - n * unit) : Infinity; }

namespace inexact {

Inexact add(const Inexact& a, const Inexact& b, const IntervalRounding& type) {
    Inexact out;
    const ScopedRounding none{IntervalRounding{}};
    out.real = interval::add(a.real, b.real);
    out.error = a.error + b.error;
    // Nothing cancels between numbers of one sign.
    const bool oneSign = (a.real.lo >= 0.0 && b.real.lo >= 0.0) || (a.real.hi <= 0.0 && b.real.hi <= 0.0);
    out.relative = oneSign ? std::max(a.relative, b.relative) : out.error == 0.0 ? 0.0 : Infinity;
    out.rest = a.rest + b.rest;
    return out.tightened().rounded(type);
}

Inexact sub(const Inexact& a, const Inexact& b, const IntervalRounding& type) { return add(a, neg(b), type); }

Inexact mul(const Inexact& a, const Inexact& b, const IntervalRounding& type) {
    Inexact out;
    const ScopedRounding none{IntervalRounding{}};
    out.real = interval::mul(a.real, b.real);
    out.error = times(a.error, b.largest()) + times(b.error, a.largest()) + times(a.error, b.error);
    out.relative = a.relative + b.relative + times(a.relative, b.relative);
    out.rest = times(a.rest, b.largest() * (1.0 + b.relative)) + times(b.rest, a.largest() * (1.0 + a.relative)) + times(a.rest, b.rest);
    if (std::isnan(out.rest)) {
        out.rest = Infinity;
    }
    return out.tightened().rounded(type);
}

Inexact div(const Inexact& a, const Inexact& b, const IntervalRounding& type) {
    Inexact out;
    const ScopedRounding none{IntervalRounding{}};
    out.real = interval::div(a.real, b.real);
    const double least = b.smallest();
    if (!(least - b.error > 0.0)) {
        return unknown(out.real);
    }
    const double quotient = a.largest() / least;
    out.error = (a.error + times(quotient, b.error)) / (least - b.error);
    const double divisor = std::min(b.wholeRelative(), b.error / least);
    out.relative = divisor < 1.0 ? (a.relative + divisor) / (1.0 - divisor) : Infinity;
    out.rest = divisor < 1.0 ? a.rest / (least * (1.0 - divisor)) : Infinity;
    return out.tightened().rounded(type);
}

Inexact sqrt(const Inexact& a, const IntervalRounding& type) {
    Inexact out;
    const ScopedRounding none{IntervalRounding{}};
    out.real = interval::sqrt(a.real);
    if (a.real.lo < 0.0 || !(a.real.lo - a.error >= 0.0)) {
        return unknown(out.real); // what is computed may be below zero
    }
    const double least = std::sqrt(a.real.lo);
    out.error = a.error == 0.0 ? 0.0 : least > 0.0 ? a.error / (least + std::sqrt(a.real.lo - a.error)) : std::sqrt(a.error);
    const double relative = a.wholeRelative();
    out.relative = relative < 1.0 ? 1.0 - std::sqrt(1.0 - relative) : Infinity;
    out.rest = 0.0;
    return out.tightened().rounded(type);
}

Inexact exp(const Inexact& a, const IntervalRounding& type) {
    Inexact out;
    const ScopedRounding none{IntervalRounding{}};
    out.real = interval::exp(a.real);
    out.relative = std::expm1(a.error);
    out.rest = 0.0;
    out.error = times(out.relative, out.largest());
    return out.tightened().rounded(type, FunctionUnits);
}

Inexact log(const Inexact& a, const IntervalRounding& type) {
    Inexact out;
    const ScopedRounding none{IntervalRounding{}};
    out.real = interval::log(a.real);
    const double relative = a.real.lo > 0.0 ? std::min(a.wholeRelative(), a.error / a.real.lo) : Infinity;
    if (!(relative < 1.0)) {
        return unknown(out.real);
    }
    out.error = -std::log1p(-relative);
    out.relative = out.error == 0.0 ? 0.0 : Infinity;
    out.rest = 0.0;
    return out.tightened().rounded(type, FunctionUnits);
}

Inexact pow(const Inexact& a, double exponent, const IntervalRounding& type) {
    if (exponent == 0.5) {
        Inexact out = sqrt(a, type);
        return out.rounded(type, FunctionUnits - 1.0);
    }
    if (exponent == 2.0) {
        Inexact out = mul(a, a, type);
        const ScopedRounding none{IntervalRounding{}};
        out.real = interval::square(a.real);
        return out.tightened().rounded(type, FunctionUnits - 1.0);
    }
    Inexact out;
    const ScopedRounding none{IntervalRounding{}};
    out.real = interval::pow(a.real, interval::point(exponent));
    const double relative = std::min(a.wholeRelative(), a.smallest() > 0.0 ? a.error / a.smallest() : Infinity);
    const bool whole = exponent == std::floor(exponent) && std::fabs(exponent) < 1e6;
    if (whole && exponent >= 1.0) {
        const double computed = a.largest() + a.error;
        out.error = times(exponent * std::pow(computed, exponent - 1.0), a.error);
        out.relative = std::isinf(relative) ? Infinity : std::pow(1.0 + relative, exponent) - 1.0;
    } else {
        if (!(a.real.lo > 0.0) || !(relative < 1.0)) {
            return unknown(out.real);
        }
        out.relative = exponent > 0.0 ? std::pow(1.0 + relative, std::max(exponent, 1.0)) - 1.0 : std::pow(1.0 - relative, exponent) - 1.0;
        out.error = times(out.relative, out.largest());
    }
    out.rest = 0.0;
    return out.tightened().rounded(type, FunctionUnits);
}

Inexact neg(const Inexact& a) { return {interval::neg(a.real), a.error, a.relative, a.rest}; }

namespace {

Inexact chosen(const Inexact& a, const Inexact& b, const Interval& real) {
    Inexact out;
    out.real = real;
    out.error = std::max(a.error, b.error);
    const bool oneSign = (a.real.lo >= 0.0 && b.real.lo >= 0.0) || (a.real.hi <= 0.0 && b.real.hi <= 0.0);
    out.relative = oneSign ? std::max(a.relative, b.relative) : out.error == 0.0 ? 0.0 : Infinity;
    out.rest = oneSign ? std::max(a.rest, b.rest) : 0.0;
    return out.tightened();
}

} // namespace

Inexact max(const Inexact& a, const Inexact& b) { return chosen(a, b, interval::max(a.real, b.real)); }

Inexact min(const Inexact& a, const Inexact& b) { return chosen(a, b, interval::min(a.real, b.real)); }

Inexact smooth(const Inexact& a, const Interval& real, double slope, double scale, double units, const IntervalRounding& type) {
    Inexact out;
    out.real = real;
    out.error = times(slope, a.error);
    if (units > 0.0) {
        out.error += units * type.relative * (scale + a.error) + type.absolute;
    }
    out.relative = out.error == 0.0 ? 0.0 : Infinity;
    out.rest = 0.0;
    return out.tightened();
}

} // namespace inexact

} // namespace lemmascope
