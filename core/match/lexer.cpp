#include "core/match/lexer.h"

#include <algorithm>
#include <array>

namespace lemmascope::match {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool startsWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80; }
bool inWord(char c) { return startsWord(c) || isDigit(c); }

/// A byte as it can stand in a message.
std::string printable(char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
        return std::string("'") + c + "'";
    }
    static constexpr char Digits[] = "0123456789abcdef";
    return std::string("byte 0x") + Digits[byte >> 4U] + Digits[byte & 15U];
}

class Lexer {
  public:
    Lexer(std::string_view text, const std::string& file) : m_text(text), m_file(file) {}

    Result<Tokens> run() {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '\n') {
                advance(1);
                m_line += 1;
                m_lineStart = m_at;
            } else if (c == ' ' || c == '\t' || c == '\r') {
                advance(1);
            } else if (c == '#') {
                comment();
            } else if (Result<void> taken = token(c); !taken) {
                return tl::unexpected(std::move(taken.error()));
            }
        }
        m_out.tokens.push_back({TokenKind::End, {}, spot(), spot()});
        return std::move(m_out);
    }

  private:
    [[nodiscard]] char peek(std::size_t ahead) const { return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0'; }
    [[nodiscard]] Spot spot() const { return {m_line, static_cast<std::uint32_t>(m_at - m_lineStart) + 1}; }
    void advance(std::size_t count) { m_at += count; }
    [[nodiscard]] auto problem(const std::string& text) const { return fail(ErrorCode::BadData, text, m_file + ":" + spot().text()); }

    void comment() {
        const Spot from = spot();
        std::size_t end = std::min(m_text.find('\n', m_at), m_text.size());
        std::string text(m_text.substr(m_at, end - m_at));
        while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
            text.pop_back();
        }
        m_out.comments.push_back({std::move(text), from});
        m_at = end;
    }

    void put(TokenKind kind, std::size_t length, std::size_t skip = 0) {
        Token token{kind, std::string(m_text.substr(m_at + skip, length - skip)), spot(), {}};
        advance(length);
        token.end = spot();
        m_out.tokens.push_back(std::move(token));
    }

    [[nodiscard]] std::size_t wordLength(std::size_t from, bool dots) const {
        std::size_t length = 0;
        while (inWord(peek(from + length)) || (dots && length > 0 && peek(from + length) == '.' && startsWord(peek(from + length + 1)))) {
            ++length;
        }
        return length;
    }

    [[nodiscard]] std::size_t numberLength() const {
        std::size_t length = 0;
        while (isDigit(peek(length))) {
            ++length;
        }
        if (peek(length) == '.' && isDigit(peek(length + 1))) {
            ++length;
            while (isDigit(peek(length))) {
                ++length;
            }
        }
        if (peek(length) == 'e' || peek(length) == 'E') {
            const std::size_t sign = peek(length + 1) == '-' || peek(length + 1) == '+' ? 1 : 0;
            if (isDigit(peek(length + 1 + sign))) {
                length += 1 + sign;
                while (isDigit(peek(length))) {
                    ++length;
                }
            }
        }
        return length;
    }

    Result<void> quoted() {
        Token token{TokenKind::Text, {}, spot(), {}};
        std::size_t length = 1;
        for (;; ++length) {
            const char c = peek(length);
            if (c == '"') {
                break;
            }
            if (c == '\n' || (c == '\0' && m_at + length >= m_text.size())) {
                return problem("a text is not closed: expected '\"' before the end of the line");
            }
            if (c == '\\') {
                ++length;
                const char escaped = peek(length);
                if (escaped != '"' && escaped != '\\' && escaped != 'n' && escaped != 't') {
                    return problem(std::string("unknown escape in a text: a backslash may stand before a quote, a backslash, n or t"));
                }
                token.text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
            } else {
                token.text += c;
            }
        }
        advance(length + 1);
        token.end = spot();
        m_out.tokens.push_back(std::move(token));
        return {};
    }

    Result<void> token(char c) {
        if (c == '%' && peek(1) == ' ') { // the remainder, set apart by a blank from an operator's name
            put(TokenKind::Sign, 1);
            return {};
        }
        if (c == '?' || c == '%') {
            const std::size_t length = wordLength(1, false);
            if (length == 0) {
                return problem(std::string("expected a name directly after '") + c + "'");
            }
            put(c == '?' ? TokenKind::Value : TokenKind::Function, length + 1, 1);
            return {};
        }
        if (startsWord(c)) {
            put(TokenKind::Word, wordLength(0, true));
            return {};
        }
        if (isDigit(c)) {
            const std::size_t length = numberLength();
            if (inWord(peek(length))) {
                return problem("a number ends in " + printable(peek(length)));
            }
            put(TokenKind::Number, length);
            return {};
        }
        if (c == '"') {
            return quoted();
        }
        static constexpr std::array<std::string_view, 7> Pairs{"!=", "<=", ">=", "=>", "@=", "..", "//"};
        const std::string_view two = m_text.substr(m_at, 2);
        if (std::find(Pairs.begin(), Pairs.end(), two) != Pairs.end()) {
            put(TokenKind::Sign, 2);
            return {};
        }
        if (std::string_view("()[]{},.=<>:@~|&!+-*/").find(c) != std::string_view::npos) {
            put(TokenKind::Sign, 1);
            return {};
        }
        return problem("unexpected " + printable(c));
    }

    std::string_view m_text;
    const std::string& m_file;
    std::size_t m_at = 0;
    std::uint32_t m_line = 1;
    std::size_t m_lineStart = 0;
    Tokens m_out;
};

} // namespace

Result<Tokens> splitTokens(std::string_view text, const std::string& file) {
    constexpr std::size_t MostBytes = std::size_t{1} << 24U;
    if (text.size() > MostBytes) {
        return fail(ErrorCode::TooLarge, "the text has more than " + std::to_string(MostBytes) + " bytes", file);
    }
    return Lexer(text, file).run();
}

std::string shown(const Token& token) {
    switch (token.kind) {
    case TokenKind::Value: return "'?" + token.text + "'";
    case TokenKind::Function: return "'%" + token.text + "'";
    case TokenKind::Text: return "the text \"" + token.text + "\"";
    case TokenKind::End: return "the end of the text";
    case TokenKind::Word:
    case TokenKind::Number:
    case TokenKind::Sign: break;
    }
    return "'" + token.text + "'";
}

} // namespace lemmascope::match
