#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <gmpxx.h>

namespace lemmascope::sampling {

__extension__ using Wide = unsigned __int128;

/// Levels of the chain of primes p(0) > p(1) > ..., p(l+1) divides p(l) - 1. Each is 7 mod 8: -1 has no square root (so a square
/// has exactly one root that is a square) and 2 has one.
inline constexpr std::size_t MaxLevels = 7;
/// First level whose discrete logarithms are within reach of a table.
inline constexpr std::size_t LogLevel = 5;

/// Arithmetic modulo one prime below 2^61, elements in Montgomery form (a element x stands for x / 2^64).
class PrimeField {
  public:
    explicit PrimeField(std::uint64_t prime);

    [[nodiscard]] std::uint64_t prime() const { return m_prime; }
    [[nodiscard]] std::uint64_t one() const { return m_one; }
    [[nodiscard]] std::uint64_t add(std::uint64_t a, std::uint64_t b) const {
        const std::uint64_t s = a + b;
        return s >= m_prime ? s - m_prime : s;
    }
    [[nodiscard]] std::uint64_t sub(std::uint64_t a, std::uint64_t b) const { return a >= b ? a - b : a + m_prime - b; }
    [[nodiscard]] std::uint64_t negated(std::uint64_t a) const { return a == 0 ? 0 : m_prime - a; }
    [[nodiscard]] std::uint64_t mul(std::uint64_t a, std::uint64_t b) const { return reduce(static_cast<Wide>(a) * b); }
    /// t / 2^64 for t below prime * 2^64.
    [[nodiscard]] std::uint64_t reduce(Wide t) const {
        const std::uint64_t m = static_cast<std::uint64_t>(t) * m_negativeInverse;
        const auto h = static_cast<std::uint64_t>((t + static_cast<Wide>(m) * m_prime) >> 64U);
        return h >= m_prime ? h - m_prime : h;
    }
    /// The same for any t: sums of products.
    [[nodiscard]] std::uint64_t reduceSum(Wide t) const {
        const std::uint64_t high = static_cast<std::uint64_t>(t >> 64U) % m_prime;
        return reduce((static_cast<Wide>(high) << 64U) | static_cast<std::uint64_t>(t));
    }
    /// Of any 64-bit number.
    [[nodiscard]] std::uint64_t fromCanonical(std::uint64_t x) const { return mul(x, m_square); }
    [[nodiscard]] std::uint64_t canonical(std::uint64_t x) const { return reduce(x); }
    [[nodiscard]] std::uint64_t fromInteger(std::int64_t x) const;
    [[nodiscard]] std::uint64_t power(std::uint64_t base, std::uint64_t exponent) const;
    [[nodiscard]] std::uint64_t inverse(std::uint64_t x) const { return power(x, m_prime - 2); }
    /// The root that is itself a square; for a non-square x, that of -x.
    [[nodiscard]] std::uint64_t root(std::uint64_t x) const { return power(x, (m_prime + 1) / 4); }
    /// A finite double, which is a dyadic rational, exactly.
    [[nodiscard]] std::uint64_t fromDouble(double value) const;
    /// Fails (gives 0) where the prime divides the denominator.
    [[nodiscard]] std::uint64_t fromRational(const mpq_class& value) const;
    /// A 64-bit hash spread over the field.
    [[nodiscard]] std::uint64_t fromHash(std::uint64_t hash) const { return static_cast<std::uint64_t>((static_cast<Wide>(hash) * m_prime) >> 64U); }

  private:
    std::uint64_t m_prime;
    std::uint64_t m_negativeInverse = 0;
    std::uint64_t m_one = 0;
    std::uint64_t m_square = 0; ///< 2^128 mod prime
    std::uint64_t m_two = 0;
    std::uint64_t m_half = 0;
};

[[nodiscard]] const PrimeField& field(std::size_t level);

/// exp at `level` of an element whose next level is `next` (Montgomery form there): g^x, so exp(a + b) = exp(a) exp(b).
[[nodiscard]] std::uint64_t exponential(std::size_t level, std::uint64_t next);
/// exp at the last level, where nothing stands below: a keyed hash, never 0.
[[nodiscard]] std::uint64_t lastExponential(std::size_t level, std::uint64_t x);
/// log at `level` (at least LogLevel) of an element whose level above is `above`, which is not 0: log(uv) = log u + log v,
/// log(exp x) = x.
[[nodiscard]] std::uint64_t logarithm(std::size_t level, std::uint64_t above);

/// Two rounds of a 64-bit mixer.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t key, std::uint64_t x) {
    std::uint64_t z = x * 0x9E3779B97F4A7C15ULL ^ key;
    for (int round = 0; round < 2; ++round) {
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        z ^= z >> 31U;
    }
    return z;
}

} // namespace lemmascope::sampling
