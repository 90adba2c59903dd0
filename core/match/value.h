#pragma once

#include "core/graph/dim.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace lemmascope::match {

/// What a guard computes with: an attribute's value, a rank, a shape, an element type's name. `monostate` is undefined: not known, or
/// without meaning. A list holds plain values.
struct FactValue {
    using List = std::vector<FactValue>;
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Dim, List> value;

    FactValue() = default;
    template <typename T>
    explicit FactValue(T v) : value(std::move(v)) {}

    [[nodiscard]] bool isDefined() const { return value.index() != 0; }
    /// `2`, `0.5`, `f32`, `[2,n]`; `undefined`.
    [[nodiscard]] std::string text() const;
};

/// Kleene's: undefined is neither.
enum class Truth : std::uint8_t { False, True, Undefined };

[[nodiscard]] Truth negated(Truth value);
/// Integers, floats and lengths by value, texts by their bytes, lists element by element. Lengths that are the same polynomial are
/// equal, others undefined unless they differ by a constant. Values of different kinds are not equal.
[[nodiscard]] Truth equals(const FactValue& left, const FactValue& right);
/// left < right; undefined for what has no order.
[[nodiscard]] Truth lessThan(const FactValue& left, const FactValue& right);
/// + - * / and of whole numbers `//` (FloorDivision) and %; of lists entry by entry. Integers stay integers (a quotient only where it is exact,
/// else a float); undefined on overflow, division by zero, texts, or lists of different lengths.
[[nodiscard]] FactValue arithmetic(char sign, const FactValue& left, const FactValue& right);

} // namespace lemmascope::match
