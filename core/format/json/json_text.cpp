#include "core/format/json/json_text.h"

#include <algorithm>
#include <cstring>

// A parser of our own and not nlohmann's: its SAX events carry neither places nor the text of numbers (-0 and f32
// decimals would be rounded twice), and a tree of it costs 16 bytes for every element of a weight. The fuzz target holds
// this parser against nlohmann's.

namespace lemmascope::json {

namespace {

bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

int hexDigit(char c) {
    if (isDigit(c)) {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Value of the four digits of \uXXXX at `at`, or -1.
int hexWord(std::string_view text, std::size_t at) {
    if (at + 4 > text.size()) {
        return -1;
    }
    int word = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        const int digit = hexDigit(text[at + k]);
        if (digit < 0) {
            return -1;
        }
        word = word * 16 + digit;
    }
    return word;
}

/// Length of the well-formed UTF-8 sequence at `at` (RFC 3629: no overlong forms, no surrogates), 0 if it is not one.
std::size_t sequenceLength(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t k) { return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0U; };
    const auto follows = [&](std::size_t k) { return (byte(k) & 0xC0U) == 0x80U; };
    const unsigned first = byte(0);
    if (first < 0x80U) {
        return 1;
    }
    if (first >= 0xC2U && first <= 0xDFU) {
        return follows(1) ? 2 : 0;
    }
    if (first >= 0xE0U && first <= 0xEFU) {
        const bool second = follows(1) && (first != 0xE0U || byte(1) >= 0xA0U) && (first != 0xEDU || byte(1) < 0xA0U);
        return second && follows(2) ? 3 : 0;
    }
    if (first >= 0xF0U && first <= 0xF4U) {
        const bool second = follows(1) && (first != 0xF0U || byte(1) >= 0x90U) && (first != 0xF4U || byte(1) < 0x90U);
        return second && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

void appendUtf8(std::string& out, unsigned point) {
    if (point < 0x80U) {
        out += static_cast<char>(point);
    } else if (point < 0x800U) {
        out += static_cast<char>(0xC0U | (point >> 6U));
        out += static_cast<char>(0x80U | (point & 0x3FU));
    } else if (point < 0x10000U) {
        out += static_cast<char>(0xE0U | (point >> 12U));
        out += static_cast<char>(0x80U | ((point >> 6U) & 0x3FU));
        out += static_cast<char>(0x80U | (point & 0x3FU));
    } else {
        out += static_cast<char>(0xF0U | (point >> 18U));
        out += static_cast<char>(0x80U | ((point >> 12U) & 0x3FU));
        out += static_cast<char>(0x80U | ((point >> 6U) & 0x3FU));
        out += static_cast<char>(0x80U | (point & 0x3FU));
    }
}

/// End of the number at `at` by the grammar of RFC 8259, or `at` if none stands there.
std::size_t numberEnd(std::string_view text, std::size_t at, bool& real) {
    const auto peek = [&](std::size_t k) { return k < text.size() ? text[k] : '\0'; };
    std::size_t end = at;
    real = false;
    if (peek(end) == '-') {
        ++end;
    }
    if (!isDigit(peek(end))) {
        return at;
    }
    if (peek(end) == '0') {
        ++end;
    } else {
        while (isDigit(peek(end))) {
            ++end;
        }
    }
    if (peek(end) == '.') {
        real = true;
        ++end;
        if (!isDigit(peek(end))) {
            return at;
        }
        while (isDigit(peek(end))) {
            ++end;
        }
    }
    if (peek(end) == 'e' || peek(end) == 'E') {
        real = true;
        ++end;
        if (peek(end) == '+' || peek(end) == '-') {
            ++end;
        }
        if (!isDigit(peek(end))) {
            return at;
        }
        while (isDigit(peek(end))) {
            ++end;
        }
    }
    return end;
}

} // namespace

class Parser {
  public:
    Parser(Document& document, std::stop_token stop) : m_document(document), m_text(document.m_text), m_stop(std::move(stop)) {}

    /// The explicit stack holds the tape indices of the containers that are open.
    [[nodiscard]] Result<void> run() {
        if (m_text.starts_with("\xEF\xBB\xBF")) {
            m_at = 3;
        }
        if (!value()) {
            return tl::unexpected<Error>(m_error);
        }
        while (!m_open.empty()) {
            if ((++m_steps & 0xFFFFU) == 0 && m_stop.stop_requested()) {
                return fail(ErrorCode::Cancelled, "reading was cancelled");
            }
            if (!step()) {
                return tl::unexpected<Error>(m_error);
            }
        }
        skipSpace();
        if (m_at < m_text.size()) {
            static_cast<void>(problem("unexpected text after the end of the document"));
            return tl::unexpected<Error>(m_error);
        }
        return {};
    }

  private:
    /// One item or the end of the innermost container.
    [[nodiscard]] bool step() {
        const std::uint32_t container = m_open.back();
        const bool object = m_document.m_tape[container].kind == Kind::Object;
        const char closing = object ? '}' : ']';
        skipSpace();
        if (peek() == closing) {
            ++m_at;
            m_document.m_tape[container].end = static_cast<std::uint32_t>(m_document.m_tape.size());
            m_open.pop_back();
            return true;
        }
        if (m_document.m_tape[container].length > 0) {
            if (peek() != ',') {
                return problem(object ? "expected ',' or '}'" : "expected ',' or ']'");
            }
            ++m_at;
            skipSpace();
        }
        if (object) {
            if (peek() != '"') {
                return problem("expected a name in double quotes");
            }
            if (!string()) {
                return false;
            }
            skipSpace();
            if (peek() != ':') {
                return problem("expected ':' after a name");
            }
            ++m_at;
        }
        ++m_document.m_tape[container].length;
        return value();
    }

    [[nodiscard]] bool value() {
        skipSpace();
        if (m_document.m_tape.size() >= Document::MaxValues) {
            m_error = Error{ErrorCode::TooLarge,
                            "the document has more than " + std::to_string(Document::MaxValues) +
                                " values; write large constants as \"base64\" or as .npy files beside it (\"file\")",
                            m_document.place(m_at)};
            return false;
        }
        switch (peek()) {
        case '{': return open(Kind::Object);
        case '[': return numbers() || open(Kind::Array);
        case '"': return string();
        case 't': return word("true", Kind::True);
        case 'f': return word("false", Kind::False);
        case 'n': return word("null", Kind::Null);
        default: break;
        }
        bool real = false;
        const std::size_t end = numberEnd(m_text, m_at, real);
        if (end == m_at) {
            return problem("expected a value");
        }
        push(real ? Kind::Real : Kind::Integer, m_at, end - m_at);
        m_at = end;
        return true;
    }

    [[nodiscard]] bool open(Kind kind) {
        if (m_open.size() >= Document::MaxDepth) {
            m_error = Error{ErrorCode::TooLarge, "lists and objects are nested deeper than " + std::to_string(Document::MaxDepth) + " levels",
                            m_document.place(m_at)};
            return false;
        }
        m_open.push_back(static_cast<std::uint32_t>(m_document.m_tape.size()));
        push(kind, m_at, 0);
        ++m_at;
        return true;
    }

    /// An array of numbers only becomes one entry; false, with nothing consumed, if it is anything else. What is read in
    /// vain is read once more, not more often: a nested array ends the attempt at once.
    [[nodiscard]] bool numbers() {
        std::size_t at = m_at + 1;
        std::size_t count = 0;
        while (true) {
            while (at < m_text.size() && isSpace(m_text[at])) {
                ++at;
            }
            bool real = false;
            const std::size_t end = numberEnd(m_text, at, real);
            if (end == at) {
                return false;
            }
            at = end;
            ++count;
            while (at < m_text.size() && isSpace(m_text[at])) {
                ++at;
            }
            if (at >= m_text.size() || (m_text[at] != ',' && m_text[at] != ']')) {
                return false;
            }
            if (m_text[at++] == ']') {
                push(Kind::Numbers, m_at, count);
                m_at = at;
                return true;
            }
        }
    }

    [[nodiscard]] bool string() {
        const std::size_t begin = ++m_at;
        bool escaped = false;
        while (true) {
            if (m_at >= m_text.size()) {
                m_at = begin - 1;
                return problem("this string has no end");
            }
            const auto byte = static_cast<unsigned char>(m_text[m_at]);
            if (byte == '"') {
                break;
            }
            if (byte < 0x20U) {
                return problem("a control character stands in a string; write it as \\u00" + std::string(1, "0123456789abcdef"[byte >> 4U]) +
                               std::string(1, "0123456789abcdef"[byte & 15U]));
            }
            if (byte == '\\') {
                escaped = true;
                if (!escape()) {
                    return false;
                }
                continue;
            }
            const std::size_t length = sequenceLength(m_text, m_at);
            if (length == 0) {
                return problem("this is not UTF-8; save the file as UTF-8");
            }
            m_at += length;
        }
        push(Kind::String, begin, m_at - begin);
        m_document.m_tape.back().escaped = escaped;
        ++m_at;
        return true;
    }

    [[nodiscard]] bool escape() {
        const char kind = m_at + 1 < m_text.size() ? m_text[m_at + 1] : '\0';
        if (kind == 'u') {
            const int word = hexWord(m_text, m_at + 2);
            if (word < 0) {
                return problem("\\u needs four hexadecimal digits");
            }
            const bool high = word >= 0xD800 && word < 0xDC00;
            const bool low = word >= 0xDC00 && word < 0xE000;
            if (low) {
                return problem("a low surrogate without a high one before it");
            }
            if (high) {
                const bool paired = m_text.substr(m_at + 6, 2) == "\\u";
                const int second = paired ? hexWord(m_text, m_at + 8) : -1;
                if (second < 0xDC00 || second >= 0xE000) {
                    return problem("a high surrogate without a low one after it");
                }
                m_at += 6;
            }
            m_at += 6;
            return true;
        }
        if (kind == '\0' || std::strchr("\"\\/bfnrt", kind) == nullptr) {
            return problem("unknown escape; a backslash is written \\\\");
        }
        m_at += 2;
        return true;
    }

    [[nodiscard]] bool word(std::string_view expected, Kind kind) {
        if (m_text.substr(m_at, expected.size()) != expected) {
            return problem("expected a value");
        }
        push(kind, m_at, expected.size());
        m_at += expected.size();
        return true;
    }

    void push(Kind kind, std::size_t offset, std::size_t length) {
        const auto index = static_cast<std::uint32_t>(m_document.m_tape.size());
        m_document.m_tape.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(length), index + 1, kind, false});
    }
    void skipSpace() {
        while (m_at < m_text.size() && isSpace(m_text[m_at])) {
            ++m_at;
        }
    }
    [[nodiscard]] char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }

    [[nodiscard]] bool problem(const std::string& message) {
        std::string found;
        if (m_at >= m_text.size()) {
            found = "; the text ends here: is the file complete?";
        } else if (m_text[m_at] > ' ' && m_text[m_at] < 0x7F) {
            found = std::string(", found '") + m_text[m_at] + "'";
        }
        m_error = Error{ErrorCode::BadData, message + found, m_document.place(std::min(m_at, m_text.size()))};
        return false;
    }

    Document& m_document;
    std::string_view m_text;
    std::stop_token m_stop;
    std::size_t m_at = 0;
    std::size_t m_steps = 0;
    std::vector<std::uint32_t> m_open;
    Error m_error;
};

Result<Document> Document::parse(std::string_view text, const std::filesystem::path& file, std::stop_token stop) {
    if (text.size() > MaxBytes) {
        return fail(ErrorCode::TooLarge, "the JSON text is larger than 4 GB; write large constants as .npy files beside it (\"file\")",
                    file.string());
    }
    Document document;
    document.m_text = text;
    document.m_file = file;
    Parser parser(document, std::move(stop));
    if (Result<void> done = parser.run(); !done) {
        return tl::unexpected<Error>(std::move(done.error()));
    }
    return document;
}

Value Document::at(std::uint32_t index) const {
    const Entry& entry = m_tape[index];
    return {this, entry.kind, entry.escaped, entry.offset, entry.length, index};
}

std::string Document::place(std::size_t offset) const {
    const std::string_view before = m_text.substr(0, std::min(offset, m_text.size()));
    const std::size_t lineBegin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    const auto lines = std::count(before.begin(), before.end(), '\n') + 1;
    const std::string_view head = before.substr(lineBegin);
    const auto column = std::count_if(head.begin(), head.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }) + 1;
    const std::string position = std::to_string(lines) + ":" + std::to_string(column);
    return m_file.empty() ? position : m_file.string() + ":" + position;
}

int Document::line(std::size_t offset) const {
    if (offset < m_lineOffset) {
        m_lineOffset = 0;
        m_line = 1;
    }
    const std::string_view between = m_text.substr(m_lineOffset, offset - m_lineOffset);
    m_line += static_cast<int>(std::count(between.begin(), between.end(), '\n'));
    m_lineOffset = offset;
    return m_line;
}

std::string_view Value::raw() const { return document->m_text.substr(offset, length); }

std::string Value::string() const {
    const std::string_view text = raw();
    if (!escaped) {
        return std::string(text);
    }
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\\') {
            out += text[at];
            continue;
        }
        switch (text[++at]) {
        case 'b': out += '\b'; break;
        case 'f': out += '\f'; break;
        case 'n': out += '\n'; break;
        case 'r': out += '\r'; break;
        case 't': out += '\t'; break;
        case 'u': {
            auto point = static_cast<unsigned>(hexWord(text, at + 1));
            at += 4;
            if (point >= 0xD800U && point < 0xDC00U) {
                point = 0x10000U + ((point - 0xD800U) << 10U) + (static_cast<unsigned>(hexWord(text, at + 3)) - 0xDC00U);
                at += 6;
            }
            appendUtf8(out, point);
            break;
        }
        default: out += text[at];
        }
    }
    return out;
}

std::string_view Value::kindName() const {
    switch (kind) {
    case Kind::Null: return "null";
    case Kind::False:
    case Kind::True: return "true or false";
    case Kind::Integer: return "an integer";
    case Kind::Real: return "a number with a point or exponent";
    case Kind::String: return "a string";
    case Kind::Array:
    case Kind::Numbers: return "a list";
    case Kind::Object: return "an object";
    }
    return "a value";
}

Cursor::Cursor(const Value& container)
    : m_document(container.document), m_numbers(container.kind == Kind::Numbers), m_index(m_numbers ? container.offset + 1 : container.index + 1),
      m_left(container.length) {
    if (container.kind == Kind::Object) {
        m_left *= 2;
    } else if (!container.isArray()) {
        m_left = 0;
    }
}

std::optional<Value> Cursor::next() {
    if (m_left == 0) {
        return std::nullopt;
    }
    --m_left;
    if (!m_numbers) {
        const Value item = m_document->at(m_index);
        m_index = m_document->m_tape[m_index].end;
        return item;
    }
    const std::string_view text = m_document->m_text;
    std::size_t at = m_index;
    while (isSpace(text[at]) || text[at] == ',') {
        ++at;
    }
    bool real = false;
    const std::size_t end = numberEnd(text, at, real);
    m_index = static_cast<std::uint32_t>(end);
    return Value{m_document, real ? Kind::Real : Kind::Integer, false, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end - at), 0};
}

} // namespace lemmascope::json
