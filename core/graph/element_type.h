#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lemmascope {

/// Element types of tensors. The evaluator computes in those that `isComputable` names; the others are carried, shown
/// and compared as open data. Source: ONNX TensorProto.DataType, IR 13.
enum class ElementType : std::uint8_t {
    Undefined,
    Bool,
    I2,
    U2,
    I4,
    U4,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F4E2M1,
    F8E4M3FN,
    F8E4M3FNUZ,
    F8E5M2,
    F8E5M2FNUZ,
    F8E8M0,
    F16,
    BF16,
    F32,
    F64,
    Complex64,
    Complex128,
    String
};

/// Short name in our formats and messages: `f32`, `i64`, `bool`, `u8`, `string`, `f8e4m3fn`; `?` when undefined.
[[nodiscard]] std::string_view name(ElementType type);
/// The inverse of `name`; also takes ONNX spellings (`float`, `double`, `int64`, `uint8`, `float16`, `bfloat16`).
[[nodiscard]] std::optional<ElementType> elementTypeByName(std::string_view text);

/// Bytes of one element in memory. Types under 8 bits are stored unpacked, one byte each; 0 for String and Undefined.
[[nodiscard]] std::size_t byteSize(ElementType type);
/// Width in bits of an integer type as its arithmetic sees it (Bool: 1); 0 for others.
[[nodiscard]] unsigned bitWidth(ElementType type);

[[nodiscard]] bool isFloat(ElementType type);   ///< F4 .. F64
[[nodiscard]] bool isInteger(ElementType type); ///< I2 .. U64, not Bool
[[nodiscard]] bool isSignedInteger(ElementType type);
/// Binary digits of a float's significand, the hidden one included (f32: 24, f16: 11, bf16: 8, f64: 53); 0 for others.
[[nodiscard]] unsigned significandBits(ElementType type);
/// Bool, 8 to 64 bit integers, f16, bf16, f32, f64.
[[nodiscard]] bool isComputable(ElementType type);

} // namespace lemmascope
