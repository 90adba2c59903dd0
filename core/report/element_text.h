#pragma once

#include "core/graph/tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lemmascope {

class JsonWriter;

/// One element in decimal: shortest that reads back, integers exactly, bool as 0 or 1, strings in quotes. `flat` is row-major.
[[nodiscard]] std::string elementText(const Tensor& tensor, std::int64_t flat);
/// The element's bits as `0x3f800000`, two digits a byte, most significant first; empty for strings.
[[nodiscard]] std::string elementBits(const Tensor& tensor, std::int64_t flat);
/// The element as a JSON value (resources/help/formats.md): a number, or "nan", "inf", "-inf"; a complex one as [real, imaginary].
void writeElement(JsonWriter& writer, const Tensor& tensor, std::int64_t flat);

/// Row-major position of `index`; -1 when it does not lie in `shape`.
[[nodiscard]] std::int64_t flatIndex(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& index);
/// The inverse of `flatIndex` for a position inside the shape.
[[nodiscard]] std::vector<std::int64_t> indexOf(const std::vector<std::int64_t>& shape, std::int64_t flat);
/// `[0,1]`; empty for a scalar's.
[[nodiscard]] std::string indexText(const std::vector<std::int64_t>& index);
/// `f32[2,3]`
[[nodiscard]] std::string tensorTypeText(const Tensor& tensor);
/// Same value at one place as results are compared: by bits, but NaN equals NaN and +0 equals -0.
[[nodiscard]] bool sameElement(const Tensor& a, const Tensor& b, std::int64_t flat);

} // namespace lemmascope
