#pragma once

#include "core/graph/dim.h"
#include "core/graph/element_type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lemmascope {

using Shape = std::vector<Dim>; ///< axis lengths, outermost first

/// Element type and, where known, the shape. No shape means the rank itself is unknown.
struct TensorType {
    ElementType element = ElementType::Undefined;
    std::optional<Shape> shape;

    [[nodiscard]] bool isStatic() const; ///< shape known and all its dims integers
    [[nodiscard]] std::optional<std::size_t> rank() const;
    /// `f32[2,n]`, `f32[?]` when the rank is unknown.
    [[nodiscard]] std::string text() const;
    friend bool operator==(const TensorType&, const TensorType&) = default;
};

/// Number of elements; symbolic where the shape is, `overflowed()` past 64 bits.
[[nodiscard]] Dim elementCount(const Shape& shape);
/// All dims as integers; nothing if one is symbolic.
[[nodiscard]] std::optional<std::vector<std::int64_t>> staticShape(const Shape& shape);
/// `[2,n]`
[[nodiscard]] std::string text(const Shape& shape);

} // namespace lemmascope
