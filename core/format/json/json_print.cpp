#include "core/format/json/json_print.h"

#include "core/format/json/base64.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace lemmascope::json {

namespace {

/// Length of the well-formed sequence at `at`, 0 if none begins there.
std::size_t sequenceLength(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t k) { return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0U; };
    const unsigned first = byte(0);
    if (first < 0x80U) {
        return 1;
    }
    const std::size_t length =
        first >= 0xC2U && first <= 0xDFU ? 2 : (first >= 0xE0U && first <= 0xEFU ? 3 : (first >= 0xF0U && first <= 0xF4U ? 4 : 0));
    for (std::size_t k = 1; k < length; ++k) {
        const bool low = (first == 0xE0U && k == 1 && byte(1) < 0xA0U) || (first == 0xF0U && k == 1 && byte(1) < 0x90U);
        const bool high = (first == 0xEDU && k == 1 && byte(1) >= 0xA0U) || (first == 0xF4U && k == 1 && byte(1) >= 0x90U);
        if ((byte(k) & 0xC0U) != 0x80U || low || high) {
            return 0;
        }
    }
    return length;
}

template <typename T>
std::string printReal(T value) {
    if (std::isnan(value)) {
        return "\"nan\"";
    }
    if (std::isinf(value)) {
        return value > T{0} ? "\"inf\"" : "\"-inf\"";
    }
    std::array<char, 64> buffer{};
    const std::to_chars_result end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    std::string text(buffer.data(), end.ptr);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

/// A NaN is written as "nan", which reads back as the one quiet NaN: other payloads need their bytes.
bool readsBack(const Tensor& tensor) {
    switch (tensor.element()) {
    case ElementType::F32: {
        const std::span<const std::uint32_t> words = tensor.as<std::uint32_t>();
        return std::all_of(words.begin(), words.end(), [](std::uint32_t w) { return (w & 0x7FFFFFFFU) <= 0x7F800000U || w == 0x7FC00000U; });
    }
    case ElementType::F64: {
        const std::span<const std::uint64_t> words = tensor.as<std::uint64_t>();
        return std::all_of(words.begin(), words.end(),
                           [](std::uint64_t w) { return (w & 0x7FFFFFFFFFFFFFFFU) <= 0x7FF0000000000000U || w == 0x7FF8000000000000U; });
    }
    case ElementType::F16: {
        const std::span<const std::uint16_t> words = tensor.as<std::uint16_t>();
        return std::all_of(words.begin(), words.end(), [](std::uint16_t w) { return (w & 0x7FFFU) <= 0x7C00U || w == 0x7E00U; });
    }
    case ElementType::BF16: {
        const std::span<const std::uint16_t> words = tensor.as<std::uint16_t>();
        return std::all_of(words.begin(), words.end(), [](std::uint16_t w) { return (w & 0x7FFFU) <= 0x7F80U || w == 0x7FC0U; });
    }
    case ElementType::Bool: return std::all_of(tensor.bytes().begin(), tensor.bytes().end(), [](std::byte b) { return b <= std::byte{1}; });
    default: return isInteger(tensor.element());
    }
}

std::string printElement(const Tensor& tensor, std::size_t at) {
    switch (tensor.element()) {
    case ElementType::F32: return printReal(tensor.as<float>()[at]);
    case ElementType::F64: return printReal(tensor.as<double>()[at]);
    case ElementType::F16: return printReal(halfToFloat(tensor.as<std::uint16_t>()[at]));
    case ElementType::BF16: return printReal(bfloatToFloat(tensor.as<std::uint16_t>()[at]));
    case ElementType::Bool: return tensor.as<std::uint8_t>()[at] != 0 ? "true" : "false";
    case ElementType::U64: return std::to_string(tensor.as<std::uint64_t>()[at]);
    default: return std::to_string(tensor.toInt64(static_cast<std::int64_t>(at)));
    }
}

template <typename T, typename Print>
std::string printList(const std::vector<T>& items, const Print& print) {
    std::string out = "[";
    for (std::size_t k = 0; k < items.size(); ++k) {
        out += (k == 0 ? "" : ", ") + print(items[k]);
    }
    return out + "]";
}

} // namespace

bool isUtf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = sequenceLength(text, at);
        if (length == 0) {
            return false;
        }
        at += length;
    }
    return true;
}

std::string asUtf8(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = sequenceLength(text, at);
        if (length == 0) {
            const auto byte = static_cast<unsigned char>(text[at++]);
            out += std::string("\\x") + "0123456789abcdef"[byte >> 4U] + "0123456789abcdef"[byte & 15U];
            continue;
        }
        out += text.substr(at, length);
        at += length;
    }
    return out;
}

std::string printString(std::string_view text) {
    std::string out = "\"";
    for (const char c : isUtf8(text) ? std::string(text) : asUtf8(text)) {
        switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\t': out += "\\t"; break;
        case '\r': out += "\\r"; break;
        default:
            if (static_cast<unsigned char>(c) < 0x20U) {
                const auto byte = static_cast<unsigned char>(c);
                out += std::string("\\u00") + "0123456789abcdef"[byte >> 4U] + "0123456789abcdef"[byte & 15U];
            } else {
                out += c;
            }
        }
    }
    return out + "\"";
}

std::string printFloat(float value) { return printReal(value); }

std::string printInts(const std::vector<std::int64_t>& values) {
    return printList(values, [](std::int64_t value) { return std::to_string(value); });
}

std::string printTensor(const Tensor& tensor, std::int64_t mostNumbers) {
    std::string out = "\"type\": \"" + std::string(name(tensor.element())) + "\", \"shape\": " + printInts(tensor.shape());
    if (tensor.element() == ElementType::String) {
        return out + ", \"data\": " + printList(tensor.strings(), [](const std::string& text) { return printString(text); });
    }
    if (tensor.count() > mostNumbers || !readsBack(tensor)) {
        return out + ", \"base64\": \"" + encodeBase64(tensor.bytes()) + "\"";
    }
    out += ", \"data\": [";
    for (std::size_t k = 0; k < static_cast<std::size_t>(tensor.count()); ++k) {
        out += (k == 0 ? "" : ", ") + printElement(tensor, k);
    }
    return out + "]";
}

std::string printType(const TensorType& type) {
    std::string out = "\"type\": \"" + std::string(name(type.element)) + "\"";
    const auto written = [](const Dim& dim) { return dim.isKnown() || dim.symbolName(); };
    if (!type.shape || !std::all_of(type.shape->begin(), type.shape->end(), written)) {
        return out;
    }
    return out + ", \"shape\": " + printList(*type.shape, [](const Dim& dim) {
               return dim.isKnown() ? std::to_string(dim.value()) : printString(*dim.symbolName());
           });
}

std::string printAttribute(const Attribute& attribute) {
    if (const auto* integer = std::get_if<std::int64_t>(&attribute)) {
        return std::to_string(*integer);
    }
    if (const auto* real = std::get_if<float>(&attribute)) {
        return std::isfinite(*real) ? printFloat(*real) : "{\"float\": " + printFloat(*real) + "}";
    }
    if (const auto* text = std::get_if<std::string>(&attribute)) {
        return isUtf8(*text) ? printString(*text) : "{\"bytes\": \"" + encodeBase64(std::as_bytes(std::span(text->data(), text->size()))) + "\"}";
    }
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&attribute)) {
        return printInts(*integers);
    }
    if (const auto* reals = std::get_if<std::vector<float>>(&attribute)) {
        const std::string list = printList(*reals, printFloat);
        const bool plain = !reals->empty() && std::all_of(reals->begin(), reals->end(), [](float value) { return std::isfinite(value); });
        return plain ? list : "{\"floats\": " + list + "}";
    }
    if (const auto* strings = std::get_if<std::vector<std::string>>(&attribute)) {
        const std::string list = printList(*strings, printString);
        return strings->empty() ? "{\"strings\": []}" : list;
    }
    if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
        return "{" + printTensor(*tensor) + "}";
    }
    return "{\"graphs\": []}";
}

} // namespace lemmascope::json
