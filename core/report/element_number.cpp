// Elements as numbers: values of the small floats, order, distance, and the ways to write them.
// Tests: tests/core/report/tst_element_number.cpp.
#include "core/report/element_number.h"

#include "core/report/element_text.h"
#include "core/report/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace lemmascope {

namespace {

/// A float's layout below 16 bits: sign, exponent, fraction, from the top.
struct SmallFloat {
    int exponentBits = 0;
    int fractionBits = 0;
    int bias = 0;
    bool isSigned = true;
    bool hasInfinity = false;
    bool negativeZeroIsNan = false; ///< the FNUZ types
    bool allOnesIsNan = false;      ///< the FN type: only exponent and fraction all ones
};

std::optional<SmallFloat> layoutOf(ElementType type) {
    switch (type) {
    case ElementType::F4E2M1: return SmallFloat{2, 1, 1};
    case ElementType::F8E4M3FN: return SmallFloat{4, 3, 7, true, false, false, true};
    case ElementType::F8E4M3FNUZ: return SmallFloat{4, 3, 8, true, false, true, false};
    case ElementType::F8E5M2: return SmallFloat{5, 2, 15, true, true, false, false};
    case ElementType::F8E5M2FNUZ: return SmallFloat{5, 2, 16, true, false, true, false};
    case ElementType::F8E8M0: return SmallFloat{8, 0, 127, false, false, false, true};
    default: return std::nullopt;
    }
}

/// The element's bits in a word, high bits 0; nothing for strings and what is wider.
std::optional<std::uint64_t> bitsOf(const Tensor& tensor, std::int64_t flat) {
    const std::size_t width = byteSize(tensor.element());
    if (width == 0 || width > sizeof(std::uint64_t)) {
        return std::nullopt;
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, tensor.bytes().data() + static_cast<std::size_t>(flat) * width, width);
    return bits;
}

int floatBits(ElementType type) { return type == ElementType::F4E2M1 ? 4 : static_cast<int>(byteSize(type)) * 8; }

/// Place of a float among all of its type: consecutive for neighbours, 0 for both zeros.
std::int64_t rankOf(ElementType type, std::uint64_t bits) {
    if (type == ElementType::F8E8M0) {
        return static_cast<std::int64_t>(bits);
    }
    const std::uint64_t sign = std::uint64_t{1} << static_cast<unsigned>(floatBits(type) - 1);
    const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
    return (bits & sign) != 0 ? -magnitude : magnitude;
}

std::uint64_t apart(std::int64_t a, std::int64_t b) {
    // Unsigned arithmetic: the distance of the two ends of i64 does not fit the signed type.
    return a < b ? static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
}

std::string charsOf(double value, std::chars_format format, int precision) {
    std::array<char, 400> buffer{}; // fixed f64: 309 digits, point, 20 more
    const auto written = precision < 0 ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format)
                                       : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision);
    return written.ec == std::errc() ? std::string(buffer.data(), written.ptr) : std::string("?");
}

std::string hexFloat(double value) {
    const std::string digits = charsOf(std::fabs(value), std::chars_format::hex, -1);
    return (std::signbit(value) ? "-0x" : "0x") + digits;
}

std::string hexInteger(const Tensor& tensor, std::int64_t flat) {
    const bool negative = isSignedInteger(tensor.element()) && tensor.toInt64(flat) < 0;
    const auto word = static_cast<std::uint64_t>(tensor.toInt64(flat));
    std::array<char, 24> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), negative ? 0U - word : word, 16).ptr;
    return (negative ? "-0x" : "0x") + std::string(buffer.data(), end);
}

std::string decimal(const Tensor& tensor, std::int64_t flat, double value) {
    switch (tensor.element()) {
    case ElementType::F64: return shortestDecimal(value);
    case ElementType::F16:
    case ElementType::BF16: {
        // Shortest among the decimals that read back as this type, not as an f32.
        const std::uint16_t wanted = tensor.as<std::uint16_t>()[static_cast<std::size_t>(flat)];
        for (int digits = 0; digits <= 5; ++digits) {
            std::string text = charsOf(value, std::chars_format::scientific, digits);
            double read = 0.0;
            std::from_chars(text.data(), text.data() + text.size(), read);
            if ((tensor.element() == ElementType::F16 ? doubleToHalf(read) : doubleToBfloat(read)) == wanted) {
                return shortestDecimal(read);
            }
        }
        return shortestDecimal(value);
    }
    default: return shortestDecimal(static_cast<float>(value));
    }
}

} // namespace

double smallFloatValue(ElementType type, std::uint8_t bits) {
    const std::optional<SmallFloat> layout = layoutOf(type);
    if (!layout) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const auto field = [bits](int low, int width) { return (static_cast<unsigned>(bits) >> static_cast<unsigned>(low)) & ((1U << width) - 1U); };
    const unsigned fraction = field(0, layout->fractionBits);
    const unsigned exponent = field(layout->fractionBits, layout->exponentBits);
    const bool negative = layout->isSigned && field(layout->fractionBits + layout->exponentBits, 1) != 0;
    const unsigned topExponent = (1U << layout->exponentBits) - 1U;
    const unsigned topFraction = (1U << layout->fractionBits) - 1U;
    if ((layout->negativeZeroIsNan && negative && exponent == 0 && fraction == 0) ||
        (layout->allOnesIsNan && exponent == topExponent && fraction == topFraction) ||
        (layout->hasInfinity && exponent == topExponent && fraction != 0)) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    double value = 0.0;
    if (layout->hasInfinity && exponent == topExponent) {
        value = std::numeric_limits<double>::infinity();
    } else if (exponent == 0 && layout->fractionBits > 0) {
        value = std::ldexp(static_cast<double>(fraction), 1 - layout->bias - layout->fractionBits);
    } else {
        value = std::ldexp(static_cast<double>(fraction + topFraction + 1U), static_cast<int>(exponent) - layout->bias - layout->fractionBits);
    }
    return negative ? -value : value;
}

double elementValue(const Tensor& tensor, std::int64_t flat) {
    if (isFloat(tensor.element()) && byteSize(tensor.element()) == 1) {
        return smallFloatValue(tensor.element(), tensor.as<std::uint8_t>()[static_cast<std::size_t>(flat)]);
    }
    return tensor.toDouble(flat);
}

NumberClass numberClass(const Tensor& tensor, std::int64_t flat) {
    const ElementType type = tensor.element();
    if (type == ElementType::Bool || isInteger(type)) {
        return tensor.toInt64(flat) == 0 ? NumberClass::Zero : NumberClass::Normal;
    }
    if (!isFloat(type)) {
        return NumberClass::NoNumber;
    }
    const double value = elementValue(tensor, flat);
    if (std::isnan(value)) {
        return NumberClass::NotANumber;
    }
    if (std::isinf(value)) {
        return NumberClass::Infinite;
    }
    if (value == 0.0) {
        return std::signbit(value) ? NumberClass::NegativeZero : NumberClass::Zero;
    }
    double smallestNormal = 0.0;
    switch (type) {
    case ElementType::F64: smallestNormal = std::numeric_limits<double>::min(); break;
    case ElementType::F32:
    case ElementType::BF16: smallestNormal = static_cast<double>(std::numeric_limits<float>::min()); break;
    case ElementType::F16: smallestNormal = std::ldexp(1.0, -14); break;
    default: {
        const std::optional<SmallFloat> layout = layoutOf(type);
        smallestNormal = layout && layout->fractionBits > 0 ? std::ldexp(1.0, 1 - layout->bias) : 0.0;
    }
    }
    return std::fabs(value) < smallestNormal ? NumberClass::Denormal : NumberClass::Normal;
}

std::optional<std::uint64_t> ulpDistance(const Tensor& a, const Tensor& b, std::int64_t flat) {
    const ElementType type = a.element();
    if (type != b.element()) {
        return std::nullopt;
    }
    if (type == ElementType::U64) {
        const std::uint64_t x = a.as<std::uint64_t>()[static_cast<std::size_t>(flat)];
        const std::uint64_t y = b.as<std::uint64_t>()[static_cast<std::size_t>(flat)];
        return x < y ? y - x : x - y;
    }
    if (type == ElementType::Bool || isInteger(type)) {
        return apart(a.toInt64(flat), b.toInt64(flat));
    }
    if (!isFloat(type)) {
        return std::nullopt;
    }
    const bool undefined = std::isnan(elementValue(a, flat));
    if (undefined != std::isnan(elementValue(b, flat))) {
        return std::nullopt;
    }
    return undefined ? 0 : apart(rankOf(type, *bitsOf(a, flat)), rankOf(type, *bitsOf(b, flat)));
}

std::string differenceText(const Tensor& a, const Tensor& b, std::int64_t flat) {
    const ElementType type = a.element();
    if (type != b.element()) {
        return {};
    }
    if (type == ElementType::Bool || isInteger(type)) {
        const std::uint64_t distance = ulpDistance(a, b, flat).value_or(0);
        const bool less = type == ElementType::U64
                              ? b.as<std::uint64_t>()[static_cast<std::size_t>(flat)] < a.as<std::uint64_t>()[static_cast<std::size_t>(flat)]
                              : b.toInt64(flat) < a.toInt64(flat);
        return (less ? "-" : "") + std::to_string(distance);
    }
    if (!isFloat(type)) {
        return {};
    }
    const double x = elementValue(a, flat);
    const double y = elementValue(b, flat);
    if ((std::isnan(x) && std::isnan(y)) || x == y) {
        return "0";
    }
    const double difference = y - x;
    const auto narrow = static_cast<float>(difference);
    // As short as the type's own numbers, where that does not run over.
    return type == ElementType::F64 || std::isinf(narrow) ? shortestDecimal(difference) : shortestDecimal(narrow);
}

bool isUsualNan(const Tensor& tensor, std::int64_t flat) {
    const std::uint64_t bits = bitsOf(tensor, flat).value_or(0);
    switch (tensor.element()) {
    case ElementType::F64: return (bits & ~(std::uint64_t{1} << 63U)) == 0x7ff8000000000000U;
    case ElementType::F32: return (bits & 0x7fffffffU) == 0x7fc00000U;
    case ElementType::F16: return (bits & 0x7fffU) == 0x7e00U;
    case ElementType::BF16: return (bits & 0x7fffU) == 0x7fc0U;
    case ElementType::F8E5M2: return (bits & 0x7fU) == 0x7eU;
    default: return std::isnan(elementValue(tensor, flat)); // the others have one NaN a sign
    }
}

std::string formatElement(const Tensor& tensor, std::int64_t flat, const NumberFormat& format) {
    const ElementType type = tensor.element();
    if (format.style == NumberStyle::Bits && byteSize(type) > 0) {
        return elementBits(tensor, flat);
    }
    if (type == ElementType::Bool) {
        return tensor.toInt64(flat) != 0 ? "true" : "false";
    }
    if (isInteger(type)) {
        return format.style == NumberStyle::HexFloat ? hexInteger(tensor, flat) : elementText(tensor, flat);
    }
    if (!isFloat(type)) {
        return elementText(tensor, flat);
    }
    const double value = elementValue(tensor, flat);
    if (std::isnan(value)) {
        const bool negative = (*bitsOf(tensor, flat) >> static_cast<unsigned>(floatBits(type) - 1) & 1U) != 0 && byteSize(type) > 1;
        const std::string word = negative ? "-nan" : "nan";
        return isUsualNan(tensor, flat) ? word : word + "(" + elementBits(tensor, flat) + ")";
    }
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    const int precision = std::clamp(format.precision, 0, 20);
    switch (format.style) {
    case NumberStyle::Fixed: return charsOf(value, std::chars_format::fixed, precision);
    case NumberStyle::Scientific: return charsOf(value, std::chars_format::scientific, precision);
    case NumberStyle::HexFloat: return hexFloat(value);
    case NumberStyle::Shortest:
    case NumberStyle::Bits: break;
    }
    return value == 0.0 ? (std::signbit(value) ? "-0" : "0") : decimal(tensor, flat, value);
}

} // namespace lemmascope
