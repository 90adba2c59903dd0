#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope {

/// Writes JSON text in the order of the calls, so that the same data gives the same bytes. Numbers are the shortest decimals
/// that read back as the same f32 or f64; what JSON cannot hold is the string "nan", "inf" or "-inf". Text that is not UTF-8
/// is mended with U+FFFD. Containers go over several lines unless opened `inLine`, which holds for all they contain.
class JsonWriter {
  public:
    enum class Layout : std::uint8_t { Lines, InLine };

    /// `depth`: indentation of the first line's container, for text that is set into another document.
    explicit JsonWriter(std::size_t depth = 0) : m_depth(depth) {}

    void beginObject(Layout layout = Layout::Lines) { open('{', layout); }
    void endObject() { close('}'); }
    void beginArray(Layout layout = Layout::Lines) { open('[', layout); }
    void endArray() { close(']'); }
    void key(std::string_view name);

    void null() { raw("null"); }
    void boolean(bool value) { raw(value ? "true" : "false"); }
    void integer(std::int64_t value);
    void unsignedInteger(std::uint64_t value);
    void integers(const std::vector<std::int64_t>& values); ///< an array in one line
    void number(double value);
    void number(float value);
    void string(std::string_view value);
    /// `value` as a string, or null when it is empty.
    void stringOrNull(std::string_view value);
    /// A complete JSON value made elsewhere.
    void raw(std::string_view json);

    /// The text so far; complete once every container is closed.
    [[nodiscard]] const std::string& text() const { return m_text; }

  private:
    struct Container {
        bool empty = true;
        bool inLine = false;
    };
    std::string m_text;
    std::vector<Container> m_open;
    std::size_t m_depth = 0;
    bool m_afterKey = false;

    void open(char bracket, Layout layout);
    void close(char bracket);
    void beforeValue();
    void lineBreak();
};

/// The value as a JSON string with its quotes.
[[nodiscard]] std::string jsonString(std::string_view value);
/// Shortest decimals that read back; "nan", "inf" and "-inf" without quotes.
[[nodiscard]] std::string shortestDecimal(double value);
[[nodiscard]] std::string shortestDecimal(float value);

} // namespace lemmascope
