#pragma once

#include "core/eval/interval_math.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace lemmascope {

/// A running sum of terms or products. Floats round at every step, in order, as a plain loop does; integers wrap.
template <typename S>
class Dot {
  public:
    void add(S a) {
        if constexpr (std::is_integral_v<S>) {
            m_sum = static_cast<S>(static_cast<std::uint64_t>(m_sum) + static_cast<std::uint64_t>(a));
        } else {
            m_sum += a;
        }
    }
    void addProduct(S a, S b) {
        if constexpr (std::is_integral_v<S>) {
            m_sum = static_cast<S>(static_cast<std::uint64_t>(m_sum) + static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
        } else {
            m_sum += a * b;
        }
    }
    [[nodiscard]] S value() const { return m_sum; }

  private:
    S m_sum{};
};

/// The enclosure of a sum of n terms: bounds are summed in double and widened once by the a-priori error of any order of
/// summation, n 2^-52 on the sum of magnitudes (nothing while every step was exact); then the current rounding is charged
/// n times on that sum of magnitudes (resources/docs/decisions/confirmation.md).
template <>
class Dot<Interval> {
  public:
    void add(const Interval& a) {
        m_undefined = m_undefined || a.isUndefined();
        m_mayBeUndefined = m_mayBeUndefined || a.mayBeUndefined;
        step(a.lo, a.hi);
    }
    void addProduct(const Interval& a, const Interval& b) {
        m_undefined = m_undefined || a.isUndefined() || b.isUndefined();
        m_mayBeUndefined = m_mayBeUndefined || a.mayBeUndefined || b.mayBeUndefined;
        if (a.lo == a.hi && b.lo == b.hi) {
            const double p = product(a.lo, b.lo);
            if (m_exact) {
                m_exact = p == 0.0 ? a.lo == 0.0 || b.lo == 0.0 : std::fabs(p) > 0x1p-960 && std::fma(a.lo, b.lo, -p) == 0.0;
            }
            m_mayBeUndefined = m_mayBeUndefined || (std::isinf(a.lo) && b.lo == 0.0) || (std::isinf(b.lo) && a.lo == 0.0);
            step(p, p);
            return;
        }
        m_exact = false;
        const double p = product(a.lo, b.lo);
        const double q = product(a.lo, b.hi);
        const double r = product(a.hi, b.lo);
        const double s = product(a.hi, b.hi);
        step(std::min(std::min(p, q), std::min(r, s)), std::max(std::max(p, q), std::max(r, s)));
    }
    [[nodiscard]] Interval value() const {
        if (m_undefined) {
            return interval::undefined();
        }
        Interval out{m_lo, m_hi, m_mayBeUndefined};
        if (!m_exact) {
            const double pad = m_magnitude * ((m_count + 4.0) * 0x1p-52) + (m_count + 4.0) * 0x1p-1074;
            out.lo = std::nextafter(m_lo - pad, -interval::Infinity);
            out.hi = std::nextafter(m_hi + pad, interval::Infinity);
        }
        if (std::isnan(out.lo) || std::isnan(out.hi)) {
            out = interval::whole(true);
        }
        return interval::chargedSum(out, m_magnitude, m_count);
    }
    [[nodiscard]] double magnitude() const { return m_magnitude; }

  private:
    static double product(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : a * b; } // an unbounded real times zero is zero
    void step(double lo, double hi) {
        const double low = m_lo + lo;
        if (m_exact) {
            const double part = low - m_lo;
            m_exact = lo == hi && (m_lo - (low - part)) + (lo - part) == 0.0;
        }
        m_lo = low;
        m_hi += hi;
        m_magnitude += std::max(std::fabs(lo), std::fabs(hi));
        m_count += 1.0;
    }

    double m_lo = 0.0;
    double m_hi = 0.0;
    double m_magnitude = 0.0;
    double m_count = 0.0;
    bool m_exact = true;
    bool m_undefined = false;
    bool m_mayBeUndefined = false;
};

/// A constant of an op's definition or an attribute, as a scalar of computation.
template <typename S>
[[nodiscard]] S lifted(double value) {
    if constexpr (std::is_same_v<S, Interval>) {
        return interval::point(value);
    } else {
        return static_cast<S>(value);
    }
}

// Functions of kernels written once over float, double and Interval; float goes through double (rounded once).
[[nodiscard]] inline Interval rootOf(const Interval& x) { return interval::sqrt(x); }
[[nodiscard]] inline double rootOf(double x) { return std::sqrt(x); }
[[nodiscard]] inline float rootOf(float x) { return std::sqrt(x); }
[[nodiscard]] inline Interval expOf(const Interval& x) { return interval::exp(x); }
[[nodiscard]] inline double expOf(double x) { return std::exp(x); }
[[nodiscard]] inline float expOf(float x) { return static_cast<float>(std::exp(static_cast<double>(x))); }
[[nodiscard]] inline Interval logOf(const Interval& x) { return interval::log(x); }
[[nodiscard]] inline double logOf(double x) { return std::log(x); }
[[nodiscard]] inline float logOf(float x) { return static_cast<float>(std::log(static_cast<double>(x))); }
[[nodiscard]] inline Interval squareOf(const Interval& x) { return interval::square(x); }
[[nodiscard]] inline double squareOf(double x) { return x * x; }
[[nodiscard]] inline float squareOf(float x) { return x * x; }
[[nodiscard]] inline Interval absOf(const Interval& x) { return interval::abs(x); }
[[nodiscard]] inline double absOf(double x) { return std::fabs(x); }
[[nodiscard]] inline float absOf(float x) { return std::fabs(x); }

/// Max and min with NaN going through.
template <typename S>
[[nodiscard]] S largerOf(const S& a, const S& b) {
    if constexpr (std::is_same_v<S, Interval>) {
        return interval::max(a, b);
    } else {
        return a != a ? a : b != b ? b : a < b ? b : a;
    }
}
template <typename S>
[[nodiscard]] S smallerOf(const S& a, const S& b) {
    if constexpr (std::is_same_v<S, Interval>) {
        return interval::min(a, b);
    } else {
        return a != a ? a : b != b ? b : b < a ? b : a;
    }
}

} // namespace lemmascope
