#pragma once

#include "core/graph/tensor.h"
#include "core/report/element_number.h"

#include <cstdint>
#include <optional>
#include <string>

namespace lemmascope {

/// One value of a graph, or two partners, as they are looked at side by side.
struct TensorPair {
    std::optional<Tensor> reference;
    std::optional<Tensor> rewritten;

    [[nodiscard]] bool isEmpty() const { return !reference && !rewritten; }
    [[nodiscard]] const Tensor* any() const { return reference ? &*reference : rewritten ? &*rewritten : nullptr; }
    /// Both are there with one shape: cells stand next to each other.
    [[nodiscard]] bool sameShape() const { return reference && rewritten && reference->shape() == rewritten->shape(); }
    /// And one type: differences and distances have a meaning.
    [[nodiscard]] bool comparable() const { return sameShape() && reference->element() == rewritten->element(); }
};

/// What a cell of a table shows of a pair.
enum class CellContent : std::uint8_t { Both, Reference, Rewritten, Difference, Ulp };

/// Whether the two sides differ at an element, as results are compared; values of different types are compared as numbers. False
/// where there is one side only.
[[nodiscard]] bool differsAt(const TensorPair& pair, std::int64_t flat);
/// `1.5`; `1.5 ≠ 2` where both differ; `0.5` or `3` of a difference. Where the content needs a side that is missing, what is there.
[[nodiscard]] std::string cellText(const TensorPair& pair, CellContent content, const NumberFormat& format, std::int64_t flat);
/// Everything about an element, for tooltips and screen readers: index, values, bits, distance, and what is special about them.
[[nodiscard]] std::string cellSentence(const TensorPair& pair, std::int64_t flat);

} // namespace lemmascope
