#pragma once

#include "core/graph/tensor.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace lemmascope {

/// The element as the reports write it (core/report), but bool as `true` and `false`.
[[nodiscard]] QString decimalText(const Tensor& tensor, std::int64_t flat);
/// The element's bits in hexadecimal, `0x3f800000`; empty for strings.
[[nodiscard]] QString bitsText(const Tensor& tensor, std::int64_t flat);
/// `[0,1]`; `[]` for a scalar.
[[nodiscard]] QString positionText(const std::vector<std::int64_t>& shape, std::int64_t flat);
[[nodiscard]] QString positionText(const std::vector<std::int64_t>& index);
/// `f32[2,3]`
[[nodiscard]] QString typeText(const Tensor& tensor);
/// The elements when there are at most `atMost`, else their range: `[0, 1, …] 6 elements, 0 to 5`.
[[nodiscard]] QString summaryText(const Tensor& tensor, std::int64_t atMost = 6);

[[nodiscard]] bool isZero(const Tensor& tensor, std::int64_t flat);
/// First flat index at which they differ; nothing when equal; 0 when type or shape differ.
[[nodiscard]] std::optional<std::int64_t> firstDifference(const Tensor& a, const Tensor& b);

} // namespace lemmascope
