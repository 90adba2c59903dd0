#pragma once

// Numbers inside the normal form: exact rationals and residues. Only for form_*.cpp.

#include "core/term/algebra.h"

#include <gmpxx.h>

#include <cstdint>
#include <optional>
#include <string>

namespace lemmascope::formnumbers {

inline constexpr long MaxPower = 32;

inline void appendWord(std::string& key, std::uint32_t word) { key.append(reinterpret_cast<const char*>(&word), sizeof word); }

inline bool isWhole(const mpq_class& q) { return q.get_den() == 1; }

inline mpz_class floorOf(const mpq_class& q) {
    mpz_class out;
    mpz_fdiv_q(out.get_mpz_t(), q.get_num().get_mpz_t(), q.get_den().get_mpz_t());
    return out;
}

/// c^(p/q) when it is rational.
inline std::optional<mpq_class> rationalPower(const mpq_class& c, const mpq_class& exponent) {
    if (c <= 0 || !exponent.get_den().fits_ulong_p() || !exponent.get_num().fits_slong_p()) {
        return std::nullopt;
    }
    const unsigned long root = exponent.get_den().get_ui();
    const long power = exponent.get_num().get_si();
    if (root > 16 || power > MaxPower || power < -MaxPower) {
        return std::nullopt;
    }
    mpz_class num;
    mpz_class den;
    if (mpz_root(num.get_mpz_t(), c.get_num().get_mpz_t(), root) == 0 || mpz_root(den.get_mpz_t(), c.get_den().get_mpz_t(), root) == 0) {
        return std::nullopt;
    }
    mpz_class pn;
    mpz_class pd;
    const auto magnitude = static_cast<unsigned long>(power < 0 ? -power : power);
    mpz_pow_ui(pn.get_mpz_t(), num.get_mpz_t(), magnitude);
    mpz_pow_ui(pd.get_mpz_t(), den.get_mpz_t(), magnitude);
    return power < 0 ? mpq_class(pd, pn) : mpq_class(pn, pd);
}

/// c^(a/b) for c > 0 as scale * base^(a/b), the base whole and without the b-th powers of small primes.
struct WholeBase {
    mpz_class base;
    mpq_class scale = 1;
};
inline std::optional<WholeBase> wholeBase(const mpq_class& c, const mpq_class& exponent) {
    if (c <= 0 || !exponent.get_den().fits_ulong_p() || !exponent.get_num().fits_slong_p()) {
        return std::nullopt;
    }
    const unsigned long root = exponent.get_den().get_ui();
    const long power = exponent.get_num().get_si();
    if (root > 16 || power > MaxPower || power < -MaxPower || mpz_sizeinbase(c.get_den_mpz_t(), 2) * root > 4096 ||
        mpz_sizeinbase(c.get_num_mpz_t(), 2) > 4096) {
        return std::nullopt;
    }
    WholeBase out;
    mpz_pow_ui(out.base.get_mpz_t(), c.get_den_mpz_t(), root - 1);
    out.base *= c.get_num();
    mpz_class drawn = 1; // the b-th root of what was drawn out
    for (const unsigned long prime : {2UL, 3UL, 5UL, 7UL, 11UL, 13UL}) {
        mpz_class step;
        mpz_ui_pow_ui(step.get_mpz_t(), prime, root);
        while (mpz_divisible_p(out.base.get_mpz_t(), step.get_mpz_t()) != 0) {
            out.base /= step;
            drawn *= prime;
        }
    }
    mpq_class factor(drawn, c.get_den());
    factor.canonicalize();
    for (long k = power < 0 ? -power : power; k > 0; --k) {
        out.scale = power > 0 ? mpq_class(out.scale * factor) : mpq_class(out.scale / factor);
    }
    return out;
}

inline mpz_class roundOf(Rounding how, const mpq_class& q) {
    const mpz_class down = floorOf(q);
    switch (how) {
    case Rounding::Down: return down;
    case Rounding::Up: return isWhole(q) ? down : mpz_class(down + 1);
    case Rounding::ToZero: return q < 0 && !isWhole(q) ? mpz_class(down + 1) : down;
    case Rounding::HalfEven: {
        const mpq_class rest = q - down;
        const mpq_class half(1, 2);
        if (rest < half || (rest == half && mpz_even_p(down.get_mpz_t()) != 0)) {
            return down;
        }
        return down + 1;
    }
    }
    return down;
}

inline const char* roundName(Rounding how) {
    switch (how) {
    case Rounding::Down: return "floor";
    case Rounding::Up: return "ceil";
    case Rounding::ToZero: return "trunc";
    case Rounding::HalfEven: return "round";
    }
    return "round";
}

inline mpz_class modulus(ElementType type) {
    mpz_class out;
    mpz_ui_pow_ui(out.get_mpz_t(), 2, bitWidth(type));
    return out;
}

/// The value of residue r as the type reads it.
inline mpz_class typedValue(const mpz_class& residue, ElementType type) {
    const mpz_class whole = modulus(type);
    return isSignedInteger(type) && residue * 2 >= whole ? mpz_class(residue - whole) : residue;
}

inline bool representable(const mpq_class& value, ElementType type) {
    mpz_class den = value.get_den();
    if (mpz_popcount(den.get_mpz_t()) != 1) {
        return false;
    }
    mpz_class num = abs(value.get_num());
    if (num == 0) {
        return true;
    }
    const auto zeros = mpz_scan1(num.get_mpz_t(), 0);
    const auto bits = static_cast<long>(mpz_sizeinbase(num.get_mpz_t(), 2));
    const auto scale = static_cast<long>(mpz_sizeinbase(den.get_mpz_t(), 2)) - 1;
    const long top = bits - scale;                      // value < 2^top
    const long last = static_cast<long>(zeros) - scale; // lowest set bit is 2^last
    long maxTop = 128;
    long minLast = -149;
    switch (type) {
    case ElementType::F16:
        maxTop = 16;
        minLast = -24;
        break;
    case ElementType::BF16:
        maxTop = 128;
        minLast = -133;
        break;
    case ElementType::F64:
        maxTop = 1024;
        minLast = -1074;
        break;
    case ElementType::F32: break;
    default: return false;
    }
    return top <= maxTop && last >= minLast && top - last <= static_cast<long>(significandBits(type));
}

} // namespace lemmascope::formnumbers
