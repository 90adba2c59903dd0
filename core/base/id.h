#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace lemmascope {

/// A typed index into a vector owned elsewhere. `Tag` keeps node, value and term ids apart at compile time.
/// A default-made id is invalid and stands for "none" (an omitted optional operand, no partner).
template <typename Tag>
struct Id {
    static constexpr std::uint32_t Invalid = 0xFFFFFFFFU;
    std::uint32_t index = Invalid;

    constexpr Id() = default;
    constexpr explicit Id(std::uint32_t i) : index(i) {}
    constexpr explicit Id(std::size_t i) : index(static_cast<std::uint32_t>(i)) {}

    [[nodiscard]] constexpr bool isValid() const { return index != Invalid; }
    friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

} // namespace lemmascope

template <typename Tag>
struct std::hash<lemmascope::Id<Tag>> {
    std::size_t operator()(lemmascope::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.index); }
};
