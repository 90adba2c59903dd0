#include "core/format/json/json_fields.h"

#include "core/base/nearest.h"

#include <algorithm>
#include <cassert>
#include <charconv>

namespace lemmascope::json {

namespace {

/// Decimal exponent of a JSON number's first digit that is not 0: tells overflow from underflow.
std::int64_t magnitude(std::string_view text) {
    const std::size_t mark = text.find_first_of("eE");
    const std::string_view digits = text.substr(0, mark);
    std::int64_t exponent = 0;
    if (mark != std::string_view::npos) {
        std::string_view tail = text.substr(mark + 1);
        const bool negative = tail.starts_with('-');
        if (negative || tail.starts_with('+')) {
            tail.remove_prefix(1);
        }
        const auto parsed = std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
        if (parsed.ec != std::errc()) {
            exponent = 1'000'000'000'000;
        }
        exponent = negative ? -exponent : exponent;
    }
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::size_t first = digits.find_first_of("123456789");
    if (first == std::string_view::npos) {
        return -1'000'000'000'000;
    }
    const auto distance = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
    return exponent + (first < point ? distance - 1 : distance);
}

template <typename T>
std::optional<T> parseReal(std::string_view text) {
    T value{};
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec == std::errc::result_out_of_range) {
        if (magnitude(text) > 0) {
            return std::nullopt;
        }
        return text.starts_with('-') ? -T{0} : T{0};
    }
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || !(value - value == T{0})) {
        return std::nullopt;
    }
    return value;
}

void mismatch(const Value& value, std::string_view what, std::string_view expected, Problem& problem) {
    problem.report(std::string(what) + " is " + std::string(value.kindName()) + ", expected " + std::string(expected), value.offset);
}

} // namespace

void Problem::report(std::string message, std::size_t offset, ErrorCode code) {
    if (!m_failed) {
        m_failed = true;
        m_code = code;
        m_message = std::move(message);
        m_offset = offset;
    }
}

void Problem::within(const std::string& place) {
    if (m_failed) {
        m_message = place + ": " + m_message;
    }
}

Error Problem::error(const Document& document) const { return {m_code, m_message, document.place(m_offset)}; }

std::string inQuotes(std::string_view name) {
    constexpr std::size_t Longest = 80;
    std::string out = "'";
    for (const char c : name.substr(0, Longest)) {
        out += static_cast<unsigned char>(c) < 0x20U || c == 0x7F ? '?' : c;
    }
    if (name.size() > Longest) {
        while ((static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U) {
            out.pop_back(); // never half a code point
        }
        if (static_cast<unsigned char>(out.back()) >= 0xC0U) {
            out.pop_back();
        }
        out += "...";
    }
    return out + "'";
}

std::string stringOf(const Value& value, std::string_view what, Problem& problem) {
    if (value.kind != Kind::String) {
        mismatch(value, what, "a string", problem);
        return {};
    }
    return value.string();
}

std::string nameOf(const Value& value, std::string_view what, Problem& problem) {
    std::string name = stringOf(value, what, problem);
    if (!problem.failed() && name.empty()) {
        problem.report(std::string(what) + " is empty: every value needs a name", value.offset);
    }
    return name;
}

std::int64_t integerOf(const Value& value, std::string_view what, Problem& problem) {
    if (value.kind != Kind::Integer) {
        mismatch(value, what, "an integer", problem);
        return 0;
    }
    std::int64_t number = 0;
    const std::string_view text = value.raw();
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) {
        problem.report(std::string(what) + " is " + std::string(text.substr(0, 40)) + ", which is outside 64 bits", value.offset);
    }
    return number;
}

std::vector<std::int64_t> integersOf(const Value& value, std::string_view what, Problem& problem) {
    std::vector<std::int64_t> numbers;
    if (!value.isArray()) {
        mismatch(value, what, "a list of integers", problem);
        return numbers;
    }
    numbers.reserve(value.length);
    Cursor cursor(value);
    while (const std::optional<Value> item = cursor.next()) {
        numbers.push_back(integerOf(*item, std::string(what) + "[" + std::to_string(numbers.size()) + "]", problem));
        if (problem.failed()) {
            break;
        }
    }
    return numbers;
}

float floatOf(const Value& value, std::string_view what, Problem& problem) {
    if (!value.isNumber()) {
        mismatch(value, what, "a number", problem);
        return 0.0F;
    }
    const std::optional<float> number = parseFloat(value.raw());
    if (!number) {
        problem.report(std::string(what) + " is " + std::string(value.raw().substr(0, 40)) +
                           ", which is too large for f32; infinity is written {\"float\": \"inf\"}",
                       value.offset);
    }
    return number.value_or(0.0F);
}

std::vector<Value> itemsOf(const Value& value, std::string_view what, Problem& problem) {
    std::vector<Value> items;
    if (!value.isArray()) {
        mismatch(value, what, "a list", problem);
        return items;
    }
    items.reserve(value.length);
    Cursor cursor(value);
    while (const std::optional<Value> item = cursor.next()) {
        items.push_back(*item);
    }
    return items;
}

std::optional<float> parseFloat(std::string_view text) { return parseReal<float>(text); }
std::optional<double> parseDouble(std::string_view text) { return parseReal<double>(text); }

Fields::Fields(const Value& value, std::string_view what, std::initializer_list<std::string_view> keys, Problem& problem)
    : m_count(keys.size()), m_offset(value.offset), m_what(what), m_problem(problem) {
    assert(keys.size() <= MaxKeys);
    std::copy(keys.begin(), keys.end(), m_keys.begin());
    if (value.kind != Kind::Object) {
        mismatch(value, what, "an object", problem);
        return;
    }
    Cursor cursor(value);
    while (const std::optional<Value> key = cursor.next()) {
        const std::optional<Value> member = cursor.next();
        const auto slot = static_cast<std::size_t>(
            std::find(m_keys.begin(), m_keys.begin() + static_cast<std::ptrdiff_t>(m_count), key->escaped ? key->string() : key->raw()) -
            m_keys.begin());
        if (slot == m_count) {
            const std::string name = key->string();
            std::string message = "unknown key " + inQuotes(name) + " in " + std::string(what);
            const auto near = nearestWord(name, std::vector<std::string_view>(m_keys.begin(), m_keys.begin() + static_cast<std::ptrdiff_t>(m_count)));
            if (near) {
                message += "; did you mean '" + std::string(*near) + "'?";
            } else {
                message += "; known are";
                for (std::size_t k = 0; k < m_count; ++k) {
                    message += (k == 0 ? " '" : ", '") + std::string(m_keys[k]) + "'";
                }
            }
            problem.report(std::move(message), key->offset);
            return;
        }
        if (m_values[slot]) {
            problem.report("key " + inQuotes(m_keys[slot]) + " is given twice in " + std::string(what), key->offset);
            return;
        }
        m_values[slot] = member;
    }
}

const std::optional<Value>& Fields::get(std::string_view key) const {
    for (std::size_t k = 0; k < m_count; ++k) {
        if (m_keys[k] == key) {
            return m_values[k];
        }
    }
    assert(false && "a key that was not announced");
    return m_values[0];
}

std::optional<Value> Fields::required(std::string_view key, std::string_view expected) const {
    const std::optional<Value>& value = get(key);
    if (!value) {
        m_problem.report("'" + std::string(key) + "' is missing in " + std::string(m_what) + ": expected " + std::string(expected), m_offset);
    }
    return value;
}

} // namespace lemmascope::json
