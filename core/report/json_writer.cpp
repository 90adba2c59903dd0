#include "core/report/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

namespace lemmascope {

namespace {

/// Length of the well-formed UTF-8 sequence that starts at `at`; 0 if there is none (RFC 3629).
std::size_t sequenceLength(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(at);
    if (lead < 0x80U) {
        return 1;
    }
    std::size_t length = 0;
    unsigned low = 0x80U;
    unsigned high = 0xBFU;
    if (lead >= 0xC2U && lead <= 0xDFU) {
        length = 2;
    } else if (lead >= 0xE0U && lead <= 0xEFU) {
        length = 3;
        low = lead == 0xE0U ? 0xA0U : 0x80U;
        high = lead == 0xEDU ? 0x9FU : 0xBFU;
    } else if (lead >= 0xF0U && lead <= 0xF4U) {
        length = 4;
        low = lead == 0xF0U ? 0x90U : 0x80U;
        high = lead == 0xF4U ? 0x8FU : 0xBFU;
    } else {
        return 0;
    }
    if (at + length > text.size() || byte(at + 1) < low || byte(at + 1) > high) {
        return 0;
    }
    for (std::size_t i = 2; i < length; ++i) {
        if (byte(at + i) < 0x80U || byte(at + i) > 0xBFU) {
            return 0;
        }
    }
    return length;
}

template <typename Float>
std::string shortest(Float value) {
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    std::array<char, 64> buffer{};
    const std::to_chars_result written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), written.ptr};
}

template <typename Float>
void writeNumber(JsonWriter& writer, Float value) {
    const std::string text = shortest(value);
    if (std::isfinite(value)) {
        // Readers take a number without a point for an integer, which has no negative zero.
        writer.raw(text == "-0" ? "-0.0" : text);
    } else {
        writer.string(text);
    }
}

} // namespace

std::string jsonString(std::string_view value) {
    static constexpr std::string_view Digits = "0123456789abcdef";
    std::string out = "\"";
    for (std::size_t i = 0; i < value.size();) {
        const std::size_t length = sequenceLength(value, i);
        if (length == 0) {
            out += "\xEF\xBF\xBD";
            ++i;
            continue;
        }
        const char c = value[i];
        const auto code = static_cast<unsigned char>(c);
        if (length > 1) {
            out += value.substr(i, length);
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (code < 0x20U || code == 0x7FU) {
            out += "\\u00";
            out += Digits[code >> 4U];
            out += Digits[code & 15U];
        } else {
            out += c;
        }
        i += length;
    }
    out += '"';
    return out;
}

std::string shortestDecimal(double value) { return shortest(value); }
std::string shortestDecimal(float value) { return shortest(value); }

void JsonWriter::key(std::string_view name) {
    beforeValue();
    m_text += jsonString(name);
    m_text += ": ";
    m_afterKey = true;
}

void JsonWriter::integer(std::int64_t value) { raw(std::to_string(value)); }
void JsonWriter::integers(const std::vector<std::int64_t>& values) {
    beginArray(Layout::InLine);
    for (const std::int64_t value : values) {
        integer(value);
    }
    endArray();
}
void JsonWriter::unsignedInteger(std::uint64_t value) { raw(std::to_string(value)); }
void JsonWriter::number(double value) { writeNumber(*this, value); }
void JsonWriter::number(float value) { writeNumber(*this, value); }
void JsonWriter::string(std::string_view value) { raw(jsonString(value)); }

void JsonWriter::stringOrNull(std::string_view value) {
    if (value.empty()) {
        null();
    } else {
        string(value);
    }
}

void JsonWriter::raw(std::string_view json) {
    beforeValue();
    m_text += json;
}

void JsonWriter::beforeValue() {
    if (m_afterKey) {
        m_afterKey = false;
        return;
    }
    if (m_open.empty()) {
        return;
    }
    Container& container = m_open.back();
    if (!container.empty) {
        m_text += container.inLine ? ", " : ",";
    }
    container.empty = false;
    if (!container.inLine) {
        lineBreak();
    }
}

void JsonWriter::open(char bracket, Layout layout) {
    beforeValue();
    m_text += bracket;
    const bool inLine = layout == Layout::InLine || (!m_open.empty() && m_open.back().inLine);
    m_open.push_back({.empty = true, .inLine = inLine});
}

void JsonWriter::close(char bracket) {
    const Container container = m_open.back();
    m_open.pop_back();
    if (!container.empty && !container.inLine) {
        lineBreak();
    }
    m_text += bracket;
}

void JsonWriter::lineBreak() {
    m_text += '\n';
    m_text.append((m_depth + m_open.size()) * 2, ' ');
}

} // namespace lemmascope
