#include "core/program/number.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lemmascope::interp {

namespace {

/// A binary format of 16 bits: digits behind the point and exponent bias.
struct Small {
    int fraction;
    int bias;
};

constexpr Small smallOf(ValueType type) { return type == F16 ? Small{10, 15} : Small{7, 127}; }

double fromSmall(Small format, std::uint64_t bits) {
    const int exponentBits = 15 - format.fraction;
    const auto exponent = static_cast<int>((bits >> format.fraction) & ((1U << exponentBits) - 1));
    const auto fraction = static_cast<double>(bits & ((1U << format.fraction) - 1));
    const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
    if (exponent == (1 << exponentBits) - 1) {
        return fraction == 0.0 ? sign * HUGE_VAL : std::copysign(std::nan(""), sign);
    }
    if (exponent == 0) {
        return sign * std::ldexp(fraction, 1 - format.bias - format.fraction);
    }
    return sign * std::ldexp(fraction + std::ldexp(1.0, format.fraction), exponent - format.bias - format.fraction);
}

std::uint64_t toSmall(Small format, double value) {
    const std::uint64_t sign = std::signbit(value) ? 0x8000U : 0U;
    const std::uint64_t infinity = 0x7FFFU & ~((1U << format.fraction) - 1);
    if (std::isnan(value)) {
        return sign | infinity | (std::uint64_t{1} << (format.fraction - 1));
    }
    const double magnitude = std::fabs(value);
    if (std::isinf(magnitude)) {
        return sign | infinity;
    }
    int exponent = 0;
    std::frexp(magnitude, &exponent); // magnitude in [2^(exponent-1), 2^exponent)
    const int lowest = 1 - format.bias;
    const int unit = std::max(exponent - 1, lowest) - format.fraction;
    // Exact: a power of two, and at most 53 digits remain before the point; rint rounds to even.
    const double digits = std::rint(std::ldexp(magnitude, -unit));
    const auto whole = static_cast<std::uint64_t>(digits);
    const std::uint64_t hidden = std::uint64_t{1} << format.fraction;
    if (whole < hidden) { // subnormal
        return sign | whole;
    }
    // A carry out of the fraction runs into the exponent, as it should.
    const std::uint64_t bits = (static_cast<std::uint64_t>(unit + format.fraction + format.bias) << format.fraction) + (whole - hidden);
    return sign | (bits >= infinity ? infinity : bits);
}

} // namespace

double doubleOf(ValueType type, std::uint64_t bits) {
    if (type == F64) {
        return std::bit_cast<double>(bits);
    }
    if (type == F32) {
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    }
    return fromSmall(smallOf(type), bits);
}

bool sameValue(ValueType type, std::uint64_t a, std::uint64_t b) {
    if (a == b) {
        return true;
    }
    if (!type.isFloat()) {
        return false;
    }
    const double x = doubleOf(type, a);
    const double y = doubleOf(type, b);
    return x == y || (std::isnan(x) && std::isnan(y));
}

std::uint64_t bitsOf(ValueType type, double value) {
    if (type == F64) {
        return std::bit_cast<std::uint64_t>(value);
    }
    if (type == F32) {
        return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    }
    return toSmall(smallOf(type), value);
}

} // namespace lemmascope::interp
