// The chain of primes (found by search: p(l+1) divides p(l) - 1, each 7 mod 8), exponentials by tables of powers of a
// generator of the subgroup of order p(l+1), logarithms by baby steps and giant steps. Tests: tests/core/sample/tst_field.cpp.

#include "core/sample/field.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <memory>
#include <vector>

namespace lemmascope::sampling {

namespace {

constexpr std::array<std::uint64_t, MaxLevels> Primes{1168791163148455103ULL, 14253550770103111ULL, 158372786334479ULL, 700764541303ULL,
                                                      981462943ULL,           54525719ULL,          2097143ULL};

constexpr std::size_t Windows = 7; ///< of 8 bits: exponents stay below 2^56

struct PowerTable {
    std::array<std::array<std::uint64_t, 256>, Windows> entries{}; ///< generator^(digit * 256^window)
    std::uint64_t generator = 0;
};

PowerTable powerTable(std::size_t level) {
    const PrimeField& f = field(level);
    const std::uint64_t cofactor = (f.prime() - 1) / field(level + 1).prime();
    PowerTable table;
    for (std::int64_t a = 2; table.generator == 0 || table.generator == f.one(); ++a) {
        table.generator = f.power(f.fromInteger(a), cofactor);
    }
    std::uint64_t base = table.generator;
    for (auto& window : table.entries) {
        window[0] = f.one();
        for (std::size_t digit = 1; digit < window.size(); ++digit) {
            window[digit] = f.mul(window[digit - 1], base);
        }
        base = f.mul(window.back(), base);
    }
    return table;
}

const PowerTable& powers(std::size_t level) {
    static const std::vector<PowerTable> Tables = [] {
        std::vector<PowerTable> tables;
        for (std::size_t l = 0; l + 1 < MaxLevels; ++l) {
            tables.push_back(powerTable(l));
        }
        return tables;
    }();
    return Tables[level];
}

/// Discrete logarithms in the subgroup of order p(level) of the field above.
class LogTable {
  public:
    explicit LogTable(std::size_t level) : m_field(field(level - 1)), m_order(field(level).prime()) {
        const std::uint64_t generator = powers(level - 1).generator;
        m_cofactor = (m_field.prime() - 1) / m_order;
        m_cofactorInverse = field(level).inverse(field(level).fromCanonical(m_cofactor));
        m_keys.assign(2 * Babies, 0);
        m_steps.assign(2 * Babies, 0);
        std::uint64_t power = m_field.one();
        for (std::uint32_t j = 0; j < Babies && j < m_order; ++j) {
            std::size_t at = slot(power);
            while (m_keys[at] != 0) {
                at = (at + 1) & (m_keys.size() - 1);
            }
            m_keys[at] = static_cast<std::uint32_t>(power) + 1;
            m_steps[at] = j;
            power = m_field.mul(power, generator);
        }
        m_giant = m_field.inverse(m_field.power(generator, Babies));
    }

    /// In Montgomery form of the level.
    [[nodiscard]] std::uint64_t of(std::uint64_t above, const PrimeField& here) const {
        std::uint64_t y = m_field.power(above, m_cofactor);
        for (std::uint64_t giant = 0; giant * Babies <= m_order; ++giant) {
            for (std::size_t at = slot(y); m_keys[at] != 0; at = (at + 1) & (m_keys.size() - 1)) {
                if (m_keys[at] == static_cast<std::uint32_t>(y) + 1) {
                    return here.mul(here.fromCanonical(giant * Babies + m_steps[at]), m_cofactorInverse);
                }
            }
            y = m_field.mul(y, m_giant);
        }
        return 0; // only for 0, which has no logarithm
    }

  private:
    static constexpr std::uint32_t Babies = 1U << 17U;
    const PrimeField& m_field;
    std::uint64_t m_order;
    std::uint64_t m_cofactor = 0;
    std::uint64_t m_cofactorInverse = 0;
    std::uint64_t m_giant = 0;
    std::vector<std::uint32_t> m_keys; ///< value + 1 (values are below 2^30)
    std::vector<std::uint32_t> m_steps;

    [[nodiscard]] std::size_t slot(std::uint64_t value) const { return static_cast<std::size_t>(mixed(1, value)) & (m_keys.size() - 1); }
};

} // namespace

PrimeField::PrimeField(std::uint64_t prime) : m_prime(prime) {
    std::uint64_t inverse = prime; // Newton: each step doubles the correct bits, three to begin with
    for (int step = 0; step < 5; ++step) {
        inverse *= 2 - prime * inverse;
    }
    m_negativeInverse = ~inverse + 1;
    m_one = static_cast<std::uint64_t>((static_cast<Wide>(1) << 64U) % prime);
    m_square = static_cast<std::uint64_t>(static_cast<Wide>(m_one) * m_one % prime);
    m_two = add(m_one, m_one);
    m_half = fromCanonical((prime + 1) / 2);
}

std::uint64_t PrimeField::fromInteger(std::int64_t x) const {
    if (x >= 0) {
        return fromCanonical(static_cast<std::uint64_t>(x));
    }
    return negated(fromCanonical(~static_cast<std::uint64_t>(x) + 1));
}

std::uint64_t PrimeField::power(std::uint64_t base, std::uint64_t exponent) const {
    // Windows of four bits.
    std::array<std::uint64_t, 16> table{};
    table[0] = m_one;
    for (std::size_t i = 1; i < table.size(); ++i) {
        table[i] = mul(table[i - 1], base);
    }
    std::uint64_t out = m_one;
    bool started = false;
    for (int shift = 60; shift >= 0; shift -= 4) {
        const std::uint64_t digit = (exponent >> static_cast<unsigned>(shift)) & 15U;
        if (started) {
            for (int k = 0; k < 4; ++k) {
                out = mul(out, out);
            }
        }
        if (digit != 0) {
            out = started ? mul(out, table[digit]) : table[digit];
            started = true;
        }
    }
    return out;
}

std::uint64_t PrimeField::fromDouble(double value) const {
    if (value == 0.0) {
        return 0;
    }
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto biased = static_cast<int>(bits >> 52U & 0x7FFU);
    std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52U) - 1);
    mantissa |= biased == 0 ? 0 : std::uint64_t{1} << 52U;
    const int zeros = std::countr_zero(mantissa);
    const std::uint64_t size = fromCanonical(mantissa >> static_cast<unsigned>(zeros));
    const std::uint64_t whole = value < 0.0 ? negated(size) : size;
    const int shift = std::max(biased, 1) - 1075 + zeros;
    if (shift == 0) {
        return whole;
    }
    if (shift > -64 && shift < 0) {
        // 2^-k: multiply by 2^(64-k) in plain form, which Montgomery reduction divides by 2^64.
        return reduce(static_cast<Wide>(whole) << static_cast<unsigned>(64 + shift));
    }
    return mul(whole, power(shift < 0 ? m_half : m_two, static_cast<std::uint64_t>(std::abs(shift))));
}

std::uint64_t PrimeField::fromRational(const mpq_class& value) const {
    const std::uint64_t numerator = mpz_fdiv_ui(value.get_num_mpz_t(), m_prime);
    const std::uint64_t denominator = mpz_fdiv_ui(value.get_den_mpz_t(), m_prime);
    return mul(fromCanonical(numerator), inverse(fromCanonical(denominator)));
}

const PrimeField& field(std::size_t level) {
    static const std::vector<PrimeField> Fields(Primes.begin(), Primes.end());
    return Fields[level];
}

std::uint64_t exponential(std::size_t level, std::uint64_t next) {
    const PowerTable& table = powers(level);
    const PrimeField& f = field(level);
    std::uint64_t x = field(level + 1).canonical(next);
    std::uint64_t out = table.entries[0][x & 255U];
    for (std::size_t window = 1; (x >>= 8U) != 0; ++window) {
        out = f.mul(out, table.entries[window][x & 255U]);
    }
    return out;
}

std::uint64_t lastExponential(std::size_t level, std::uint64_t x) {
    const std::uint64_t value = field(level).fromHash(mixed(0x6578705F6C617374ULL, x));
    return value == 0 ? field(level).one() : value;
}

std::uint64_t logarithm(std::size_t level, std::uint64_t above) {
    static const std::array<LogTable, MaxLevels - LogLevel> Tables{LogTable(LogLevel), LogTable(LogLevel + 1)};
    assert(level >= LogLevel && level < MaxLevels);
    return Tables[level - LogLevel].of(above, field(level));
}

} // namespace lemmascope::sampling
