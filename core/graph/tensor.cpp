#include "core/graph/tensor.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace lemmascope {

namespace {

std::int64_t product(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t length : shape) {
        assert(length >= 0);
        count *= length;
    }
    return count;
}

/// Rounds to `digits` binary digits with the given smallest exponent (of the last subnormal digit), to nearest even.
double roundTo(double value, int digits, int smallestExponent) {
    if (!std::isfinite(value) || value == 0.0) {
        return value;
    }
    int exponent = 0;
    std::frexp(value, &exponent);
    const int last = std::max(exponent - digits, smallestExponent);
    const double scaled = std::ldexp(value, -last);
    return std::ldexp(std::nearbyint(scaled), last);
}

} // namespace

Tensor::Tensor(ElementType element, std::vector<std::int64_t> shape) : m_element(element), m_shape(std::move(shape)), m_count(product(m_shape)) {
    const std::size_t size = static_cast<std::size_t>(m_count) * byteSize(element);
    // 16-byte blocks: aligned for every element type, complex128 included.
    struct alignas(16) Block {
        std::byte bytes[16];
    };
    // At least one block, so that an empty tensor has an address too.
    auto storage = std::make_shared<std::vector<Block>>(size / sizeof(Block) + 1);
    m_writable = reinterpret_cast<std::byte*>(storage->data());
    m_bytes = {m_writable, size};
    m_owner = std::move(storage);
}

Tensor::Tensor(ElementType element, std::vector<std::int64_t> shape, std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
    : m_element(element), m_shape(std::move(shape)), m_count(product(m_shape)), m_bytes(bytes), m_owner(std::move(owner)) {
    assert(bytes.size() == static_cast<std::size_t>(m_count) * byteSize(element));
}

Tensor Tensor::ofStrings(std::vector<std::int64_t> shape, std::vector<std::string> strings) {
    Tensor tensor(ElementType::String, std::move(shape));
    assert(static_cast<std::int64_t>(strings.size()) == tensor.m_count);
    tensor.m_strings = std::make_shared<const std::vector<std::string>>(std::move(strings));
    return tensor;
}

const std::vector<std::string>& Tensor::strings() const {
    static const std::vector<std::string> None;
    return m_strings ? *m_strings : None;
}

double Tensor::toDouble(std::int64_t flat) const {
    const auto at = static_cast<std::size_t>(flat);
    switch (m_element) {
    case ElementType::F64: return as<double>()[at];
    case ElementType::F32: return static_cast<double>(as<float>()[at]);
    case ElementType::F16: return static_cast<double>(halfToFloat(as<std::uint16_t>()[at]));
    case ElementType::BF16: return static_cast<double>(bfloatToFloat(as<std::uint16_t>()[at]));
    case ElementType::U64: return static_cast<double>(as<std::uint64_t>()[at]);
    default: break;
    }
    return m_element == ElementType::Bool || isInteger(m_element) ? static_cast<double>(toInt64(flat)) : std::numeric_limits<double>::quiet_NaN();
}

std::int64_t Tensor::toInt64(std::int64_t flat) const {
    const auto at = static_cast<std::size_t>(flat);
    switch (m_element) {
    case ElementType::I2:
    case ElementType::I4:
    case ElementType::I8: return as<std::int8_t>()[at];
    case ElementType::Bool:
    case ElementType::U2:
    case ElementType::U4:
    case ElementType::U8: return as<std::uint8_t>()[at];
    case ElementType::I16: return as<std::int16_t>()[at];
    case ElementType::U16: return as<std::uint16_t>()[at];
    case ElementType::I32: return as<std::int32_t>()[at];
    case ElementType::U32: return as<std::uint32_t>()[at];
    case ElementType::I64: return as<std::int64_t>()[at];
    case ElementType::U64: return static_cast<std::int64_t>(as<std::uint64_t>()[at]);
    default: break;
    }
    assert(false && "toInt64 of a tensor that holds no integers");
    return 0;
}

Digest128 Tensor::digest() const {
    std::string key(name(m_element));
    for (const std::int64_t length : m_shape) {
        key += "," + std::to_string(length);
    }
    key += ":";
    if (m_element == ElementType::String) {
        for (const std::string& text : strings()) {
            key += std::to_string(text.size()) + ":" + text;
        }
    } else {
        key += contentDigest(m_bytes).hex();
    }
    return contentDigest(key);
}

bool Tensor::sameBits(const Tensor& other) const {
    if (m_element != other.m_element || m_shape != other.m_shape) {
        return false;
    }
    if (m_element == ElementType::String) {
        return strings() == other.strings();
    }
    return m_bytes.data() == other.m_bytes.data() || m_bytes.empty() || std::memcmp(m_bytes.data(), other.m_bytes.data(), m_bytes.size()) == 0;
}

Tensor Tensor::reshaped(std::vector<std::int64_t> shape) const {
    Tensor tensor = *this;
    assert(product(shape) == m_count);
    tensor.m_shape = std::move(shape);
    return tensor;
}

float halfToFloat(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
    const std::uint32_t exponent = (bits >> 10U) & 0x1FU;
    const std::uint32_t mantissa = bits & 0x3FFU;
    if (exponent == 0) {
        const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
        return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t wide = exponent == 31 ? 0x7F800000U | (mantissa << 13U) : ((exponent + 112U) << 23U) | (mantissa << 13U);
    const std::uint32_t word = sign | wide;
    float value = 0.0F;
    std::memcpy(&value, &word, sizeof value);
    return value;
}

std::uint16_t doubleToHalf(double value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000U : 0U;
    if (std::isnan(value)) {
        return static_cast<std::uint16_t>(sign | 0x7E00U);
    }
    const double rounded = std::fabs(roundTo(value, 11, -24));
    if (rounded >= 65520.0 || std::isinf(rounded)) {
        return static_cast<std::uint16_t>(sign | 0x7C00U);
    }
    if (rounded == 0.0) {
        return sign;
    }
    int exponent = 0;
    std::frexp(rounded, &exponent); // rounded = f * 2^exponent, f in [0.5, 1)
    if (exponent < -13) {
        return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::ldexp(rounded, 24)));
    }
    const auto mantissa = static_cast<std::uint16_t>(std::ldexp(rounded, 11 - exponent)) & 0x3FFU;
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>((exponent + 14) << 10) | mantissa);
}

std::uint16_t floatToHalf(float value) { return doubleToHalf(static_cast<double>(value)); }

float bfloatToFloat(std::uint16_t bits) {
    const std::uint32_t word = static_cast<std::uint32_t>(bits) << 16U;
    float value = 0.0F;
    std::memcpy(&value, &word, sizeof value);
    return value;
}

std::uint16_t doubleToBfloat(double value) {
    if (std::isnan(value)) {
        return 0x7FC0U;
    }
    const auto rounded = static_cast<float>(roundTo(value, 8, -133));
    std::uint32_t word = 0;
    std::memcpy(&word, &rounded, sizeof word);
    return static_cast<std::uint16_t>(word >> 16U);
}

std::uint16_t floatToBfloat(float value) { return doubleToBfloat(static_cast<double>(value)); }

} // namespace lemmascope
