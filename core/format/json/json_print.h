#pragma once

#include "core/graph/graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope::json {

/// Well-formed UTF-8 (RFC 3629).
[[nodiscard]] bool isUtf8(std::string_view text);
/// The same text with every byte that is not UTF-8 written as `\xNN`.
[[nodiscard]] std::string asUtf8(std::string_view text);
/// A JSON string with its quotes; bytes that are not UTF-8 as in `asUtf8`.
[[nodiscard]] std::string printString(std::string_view text);
/// The shortest text that reads back as the same float, with a point or exponent; "nan" and infinities as strings.
[[nodiscard]] std::string printFloat(float value);
[[nodiscard]] std::string printInts(const std::vector<std::int64_t>& values);
/// `"type": "f32", "shape": [2, 3], "data": [...]` or `"base64": "..."`; numbers up to `mostNumbers` elements where they read back to the bit.
[[nodiscard]] std::string printTensor(const Tensor& tensor, std::int64_t mostNumbers = 64);
/// `"type": "f32", "shape": ["n", 3]`; the shape is left out where it is unknown or a length is neither number nor symbol.
[[nodiscard]] std::string printType(const TensorType& type);
/// Any attribute but graphs.
[[nodiscard]] std::string printAttribute(const Attribute& attribute);

} // namespace lemmascope::json
