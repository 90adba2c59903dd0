#pragma once

#include "core/program/opcode.h"

#include <cstdint>

namespace lemmascope::interp {

/// All bits of a type.
[[nodiscard]] constexpr std::uint64_t maskOf(ValueType type) {
    const unsigned width = type.width();
    return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

/// Sign-extended from the type's width.
[[nodiscard]] constexpr std::int64_t signedOf(ValueType type, std::uint64_t bits) {
    const unsigned shift = 64 - type.width();
    return static_cast<std::int64_t>(bits << shift) >> shift;
}

/// The value of a float's bits, exactly.
[[nodiscard]] double doubleOf(ValueType type, std::uint64_t bits);
/// A float's bits, rounded once to nearest even; NaN is quiet.
[[nodiscard]] std::uint64_t bitsOf(ValueType type, double value);
/// One value: +0 and -0 are, and so are NaNs of any payload.
[[nodiscard]] bool sameValue(ValueType type, std::uint64_t a, std::uint64_t b);

} // namespace lemmascope::interp
