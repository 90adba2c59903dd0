#pragma once

// Order of two elements by their real samples, ties by their fields.

#include "core/sample/field.h"
#include "core/sample/sample_array.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace lemmascope::sampling {

/// A comparison closer than this (relative) whose fields differ is too close to call.
inline constexpr double Margin = 1e-9;

enum class Order : std::uint8_t { Less, Same, Greater, TooClose };

/// `fa`, `fb`: fields at the level at which both are exact.
[[nodiscard]] inline Order orderOf(std::uint64_t fa, double ra, double ea, std::uint64_t fb, double rb, double eb) {
    if (fa == fb && !(std::abs(ra - rb) > ea + eb + 1e-6 * std::max(std::abs(ra), std::abs(rb)))) {
        return Order::Same;
    }
    if (ra < rb && (rb - ra > Margin * std::max(std::abs(ra), std::abs(rb)) || std::isinf(ra) || std::isinf(rb))) {
        return Order::Less;
    }
    if (ra > rb && (ra - rb > Margin * std::max(std::abs(ra), std::abs(rb)) || std::isinf(ra) || std::isinf(rb))) {
        return Order::Greater;
    }
    return Order::TooClose; // NaN too
}

/// The multiple of 1/`parts` that the element is, if its field at `level` says it is one.
[[nodiscard]] inline std::optional<double> wholeValue(std::size_t level, std::uint64_t f, double r, std::int64_t parts = 1) {
    const double scaled = r * static_cast<double>(parts);
    const double nearest = std::nearbyint(scaled);
    if (!(std::abs(nearest) < 0x1p45) || std::abs(scaled - nearest) > 1e-6 * std::max(1.0, std::abs(nearest))) {
        return std::nullopt;
    }
    const PrimeField& p = field(level);
    if (p.mul(f, p.fromInteger(parts)) != p.fromInteger(static_cast<std::int64_t>(nearest))) {
        return std::nullopt;
    }
    return nearest / static_cast<double>(parts);
}

} // namespace lemmascope::sampling
