#pragma once

#include "core/graph/tensor.h"

#include <cstdint>
#include <optional>
#include <string>

namespace lemmascope {

/// What kind of number an element is, so that a reader can tell -0, denormals and NaN payloads apart.
enum class NumberClass : std::uint8_t { Zero, NegativeZero, Denormal, Normal, Infinite, NotANumber, NoNumber };

/// The value of an f4, f8 or f8e8m0 bit pattern, NaN and infinities included; NaN for other types.
/// Source: OCP 8-bit and MX formats, as ONNX TensorProto.DataType names them.
[[nodiscard]] double smallFloatValue(ElementType type, std::uint8_t bits);
/// As Tensor::toDouble, and for the types under 16 bits too; NaN for what has no numbers.
[[nodiscard]] double elementValue(const Tensor& tensor, std::int64_t flat);
/// Complex numbers and strings are NoNumber.
[[nodiscard]] NumberClass numberClass(const Tensor& tensor, std::int64_t flat);
/// Same type as the other's place: how many representable values lie between the two, both zeros counted as one. Integers and bool:
/// the distance itself. 0 where both are NaN; nothing where one is NaN, for strings and complex numbers, and where types differ.
[[nodiscard]] std::optional<std::uint64_t> ulpDistance(const Tensor& a, const Tensor& b, std::int64_t flat);
/// `b - a` in words of its own type: integers exactly, floats as the shortest decimal of the double; empty where there is none.
[[nodiscard]] std::string differenceText(const Tensor& a, const Tensor& b, std::int64_t flat);

/// How a number is written.
enum class NumberStyle : std::uint8_t {
    Shortest,   ///< the shortest decimal that reads back
    Fixed,      ///< `precision` digits after the point
    Scientific, ///< the same with an exponent
    HexFloat,   ///< 0x1.8p+1: exact; integers in hexadecimal
    Bits        ///< 0x3fc00000: the bits in memory
};
struct NumberFormat {
    NumberStyle style = NumberStyle::Shortest;
    int precision = 6; ///< 0 to 20; of Fixed and Scientific
    friend bool operator==(const NumberFormat&, const NumberFormat&) = default;
};
/// One element so that different bits look different: `-0`, `inf`, `nan`; a NaN that is not the usual quiet one has its bits
/// behind it, `nan(0x7f800001)`. Bool is true and false.
[[nodiscard]] std::string formatElement(const Tensor& tensor, std::int64_t flat, const NumberFormat& format = {});

/// The quiet NaN that programs make, without a payload, of either sign.
[[nodiscard]] bool isUsualNan(const Tensor& tensor, std::int64_t flat);

} // namespace lemmascope
