#pragma once

#include "core/base/digest.h"
#include "core/graph/element_type.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lemmascope {

/// A dense, row-major, immutable tensor. Copies share the bytes; `owner` keeps them alive (a heap block, or a memory-mapped
/// file, so that weights are not held twice). Types under 8 bits are unpacked to a byte each; f16 and bf16 are raw bits;
/// bool is one byte, 0 or 1. Strings live in `strings` and have no bytes. Always aligned for its element type.
class Tensor {
  public:
    Tensor() = default;
    /// Zero-filled.
    Tensor(ElementType element, std::vector<std::int64_t> shape);
    /// Shares bytes owned elsewhere; `bytes.size()` must be count * byteSize(element), aligned to byteSize(element).
    Tensor(ElementType element, std::vector<std::int64_t> shape, std::span<const std::byte> bytes, std::shared_ptr<const void> owner);
    [[nodiscard]] static Tensor ofStrings(std::vector<std::int64_t> shape, std::vector<std::string> strings);
    /// From values; `T` must be the native type of `element` (checked).
    template <typename T>
    [[nodiscard]] static Tensor of(ElementType element, std::vector<std::int64_t> shape, const std::vector<T>& values);

    [[nodiscard]] ElementType element() const { return m_element; }
    [[nodiscard]] const std::vector<std::int64_t>& shape() const { return m_shape; }
    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] std::span<const std::byte> bytes() const { return m_bytes; }
    [[nodiscard]] const std::vector<std::string>& strings() const;

    /// Elements as their native C++ type: bool and u8 as uint8_t, f16/bf16 as uint16_t. sizeof(T) must match.
    template <typename T>
    [[nodiscard]] std::span<const T> as() const {
        assert(sizeof(T) == byteSize(m_element));
        return {reinterpret_cast<const T*>(m_bytes.data()), static_cast<std::size_t>(m_count)};
    }
    /// Writable elements; only while this Tensor is the sole owner of a heap block (it is when just made).
    template <typename T>
    [[nodiscard]] std::span<T> mutableAs() {
        assert(sizeof(T) == byteSize(m_element) && m_writable != nullptr && m_owner.use_count() == 1);
        return {reinterpret_cast<T*>(m_writable), static_cast<std::size_t>(m_count)};
    }

    /// One element as a double (nearest), for display and search; `flat` is the row-major index.
    [[nodiscard]] double toDouble(std::int64_t flat) const;
    /// One integer or bool element exactly (u64 above 2^63 wraps).
    [[nodiscard]] std::int64_t toInt64(std::int64_t flat) const;

    /// Type, shape and bits.
    [[nodiscard]] Digest128 digest() const;
    /// Same type, shape and bits.
    [[nodiscard]] bool sameBits(const Tensor& other) const;
    /// The same bytes under another shape of equal count.
    [[nodiscard]] Tensor reshaped(std::vector<std::int64_t> shape) const;

  private:
    ElementType m_element = ElementType::Undefined;
    std::vector<std::int64_t> m_shape;
    std::int64_t m_count = 0;
    std::span<const std::byte> m_bytes;
    std::shared_ptr<const void> m_owner;
    std::byte* m_writable = nullptr;
    std::shared_ptr<const std::vector<std::string>> m_strings;
};

/// IEEE 754 binary16 and bfloat16 bits to and from float, to nearest even, NaN kept quiet.
[[nodiscard]] float halfToFloat(std::uint16_t bits);
[[nodiscard]] std::uint16_t floatToHalf(float value);
[[nodiscard]] std::uint16_t doubleToHalf(double value); ///< one rounding, not via float
[[nodiscard]] float bfloatToFloat(std::uint16_t bits);
[[nodiscard]] std::uint16_t floatToBfloat(float value);
[[nodiscard]] std::uint16_t doubleToBfloat(double value); ///< one rounding, not via float

template <typename T>
Tensor Tensor::of(ElementType element, std::vector<std::int64_t> shape, const std::vector<T>& values) {
    Tensor tensor(element, std::move(shape));
    const std::span<T> out = tensor.mutableAs<T>();
    assert(out.size() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        out[i] = values[i];
    }
    return tensor;
}

} // namespace lemmascope
