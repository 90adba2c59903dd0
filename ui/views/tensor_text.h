#pragma once

#include "core/graph/tensor.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace lemmascope {

/// Shortest decimal that reads back to the same value in the tensor's type; `nan`, `inf`, `-inf`, `true`, `"text"`.
[[nodiscard]] QString elementText(const Tensor& tensor, std::int64_t flat);
/// The element's bits in hexadecimal, `0x3f800000`; empty for strings.
[[nodiscard]] QString bitsText(const Tensor& tensor, std::int64_t flat);
/// `[0,1]`; `[]` for a scalar.
[[nodiscard]] QString indexText(const std::vector<std::int64_t>& shape, std::int64_t flat);
[[nodiscard]] QString indexText(const std::vector<std::int64_t>& index);
/// `f32[2,3]`
[[nodiscard]] QString typeText(const Tensor& tensor);
/// The elements when there are at most `atMost`, else their range: `[0, 1, …] 6 elements, 0 to 5`.
[[nodiscard]] QString summaryText(const Tensor& tensor, std::int64_t atMost = 6);

/// Row-major position of an index; nothing when it does not fit the shape.
[[nodiscard]] std::optional<std::int64_t> flatIndex(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& index);
/// Equal as the product means it: NaN = NaN, +0 = -0, otherwise by value.
[[nodiscard]] bool sameElement(const Tensor& a, const Tensor& b, std::int64_t flat);
[[nodiscard]] bool isZero(const Tensor& tensor, std::int64_t flat);
/// First flat index at which they differ; nothing when equal; 0 when type or shape differ.
[[nodiscard]] std::optional<std::int64_t> firstDifference(const Tensor& a, const Tensor& b);

} // namespace lemmascope
