#pragma once

#include "core/format/json/json_text.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope::json {

/// The first thing found wrong; what is reported later is dropped. Code that reads checks `failed()` where it would go on
/// with nonsense. Places are added from the inside out: `within("node 'Relu' (nodes[1])")`.
class Problem {
  public:
    [[nodiscard]] bool failed() const { return m_failed; }
    void report(std::string message, std::size_t offset, ErrorCode code = ErrorCode::BadData);
    /// Puts `place: ` before the message.
    void within(const std::string& place);
    [[nodiscard]] Error error(const Document& document) const;

  private:
    bool m_failed = false;
    ErrorCode m_code = ErrorCode::BadData;
    std::string m_message;
    std::size_t m_offset = 0;
};

/// `'x'`, shortened and without control characters: names from a file, in messages.
[[nodiscard]] std::string inQuotes(std::string_view name);

/// Checked conversions of one value. Each reports what was found and expected, and returns a harmless value then.
[[nodiscard]] std::string nameOf(const Value& value, std::string_view what, Problem& problem);
[[nodiscard]] std::string stringOf(const Value& value, std::string_view what, Problem& problem);
[[nodiscard]] std::int64_t integerOf(const Value& value, std::string_view what, Problem& problem);
[[nodiscard]] std::vector<std::int64_t> integersOf(const Value& value, std::string_view what, Problem& problem);
[[nodiscard]] float floatOf(const Value& value, std::string_view what, Problem& problem);
/// All items of a list, as views.
[[nodiscard]] std::vector<Value> itemsOf(const Value& value, std::string_view what, Problem& problem);

/// A decimal to the nearest float or double, without a detour through another type. Nothing if it is too large.
[[nodiscard]] std::optional<float> parseFloat(std::string_view text);
[[nodiscard]] std::optional<double> parseDouble(std::string_view text);

/// The members of an object whose keys are known. Construction reports an object's absence, a key that is not known (with the
/// nearest one that is) and a key given twice.
class Fields {
  public:
    static constexpr std::size_t MaxKeys = 16;
    /// `what` names the object in messages: "the graph", "a constant".
    Fields(const Value& value, std::string_view what, std::initializer_list<std::string_view> keys, Problem& problem);

    [[nodiscard]] const std::optional<Value>& get(std::string_view key) const;
    [[nodiscard]] bool has(std::string_view key) const { return get(key).has_value(); }
    /// The member, or a report that it is missing.
    [[nodiscard]] std::optional<Value> required(std::string_view key, std::string_view expected) const;
    [[nodiscard]] std::size_t offset() const { return m_offset; }

  private:
    std::array<std::string_view, MaxKeys> m_keys;
    std::array<std::optional<Value>, MaxKeys> m_values;
    std::size_t m_count = 0;
    std::size_t m_offset = 0;
    std::string_view m_what;
    Problem& m_problem;
};

} // namespace lemmascope::json
