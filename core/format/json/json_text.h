#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope::json {

/// What a value is. `Numbers` is an array of one or more numbers and nothing else, kept as its text: a literal of a
/// million elements costs no more than its characters.
enum class Kind : std::uint8_t { Null, False, True, Integer, Real, String, Array, Numbers, Object };

class Document;

/// One value of a parsed document: a view, valid while the document and its text are. `Integer` is a number written
/// without point and exponent, of any size; `Real` any other.
struct Value {
    const Document* document = nullptr;
    Kind kind = Kind::Null;
    bool escaped = false;     ///< a string that holds backslashes
    std::uint32_t offset = 0; ///< of its first byte in the text (for a string: after the quote)
    std::uint32_t length = 0; ///< bytes of a number or string's text; items of an array, members of an object
    std::uint32_t index = 0;  ///< on the document's tape; not for an item of `Numbers`

    [[nodiscard]] bool isArray() const { return kind == Kind::Array || kind == Kind::Numbers; }
    [[nodiscard]] bool isNumber() const { return kind == Kind::Integer || kind == Kind::Real; }
    /// The literal as it stands in the text (a string without its quotes, escapes not resolved).
    [[nodiscard]] std::string_view raw() const;
    /// A string with its escapes resolved; valid UTF-8.
    [[nodiscard]] std::string string() const;
    /// `an integer`, `a list`: for messages.
    [[nodiscard]] std::string_view kindName() const;
};

/// A whole JSON text, checked against RFC 8259 (valid UTF-8, no trailing text) and kept as a flat tape in reading order:
/// 16 bytes a value, none for the elements of `Numbers`. Nothing is converted before it is asked for, so integers and
/// decimals reach their element type exactly, and every value knows its place.
class Document {
  public:
    static constexpr std::size_t MaxDepth = 1000;
    static constexpr std::size_t MaxValues = 64U << 20U; ///< 1 GiB of tape
    static constexpr std::size_t MaxBytes = 0xFFFF'FFF0U;

    /// `text` must outlive the document. Fails with BadData (`where` is `file:line:col`), TooLarge or Cancelled.
    [[nodiscard]] static Result<Document> parse(std::string_view text, const std::filesystem::path& file, std::stop_token stop = {});

    [[nodiscard]] Value root() const { return at(0); }
    [[nodiscard]] std::string_view text() const { return m_text; }
    /// `file:line:col` of a byte; lines and columns from 1, columns in code points.
    [[nodiscard]] std::string place(std::size_t offset) const;
    /// Line of a byte, from 1. Linear from the last call's offset on: ask in reading order.
    [[nodiscard]] int line(std::size_t offset) const;

  private:
    friend class Parser;
    friend class Cursor;
    friend struct Value;
    struct Entry {
        std::uint32_t offset;
        std::uint32_t length;
        std::uint32_t end; ///< index after the last entry inside
        Kind kind;
        bool escaped;
    };
    [[nodiscard]] Value at(std::uint32_t index) const;

    std::string_view m_text;
    std::filesystem::path m_file;
    std::vector<Entry> m_tape;
    mutable std::size_t m_lineOffset = 0;
    mutable int m_line = 1;
};

/// Walks the items of an array or the members of an object, in order.
class Cursor {
  public:
    Cursor() = default;
    explicit Cursor(const Value& container);
    /// The next item of an array (or the next key, then its value, of an object); nothing after the last.
    [[nodiscard]] std::optional<Value> next();

  private:
    const Document* m_document = nullptr;
    bool m_numbers = false;
    std::uint32_t m_index = 0; ///< tape index, or text offset for `Numbers`
    std::uint32_t m_left = 0;
};

} // namespace lemmascope::json
