#pragma once

#include "core/match/lexer.h"
#include "core/match/pattern.h"

#include <set>
#include <string>
#include <vector>

namespace lemmascope::match {

/// Where a parser stands in the tokens, the file it fills, and how deep it is nested. The parts of the grammar are free functions on it.
class ParserState {
  public:
    ParserState(Tokens tokens, std::string file) : m_tokens(std::move(tokens)) { out.file = std::move(file); }

    RuleFile out;
    std::set<std::string> definitionNames;
    std::vector<std::string> muNames; ///< the mus around, innermost last

    [[nodiscard]] const Token& now() const { return m_tokens.tokens[m_at]; }
    [[nodiscard]] const Token& next(std::size_t ahead = 1) const { return m_tokens.tokens[std::min(m_at + ahead, m_tokens.tokens.size() - 1)]; }
    [[nodiscard]] const Token& before() const { return m_tokens.tokens[m_at == 0 ? 0 : m_at - 1]; }
    [[nodiscard]] const std::vector<Token>& all() const { return m_tokens.tokens; }
    [[nodiscard]] const std::vector<CommentToken>& comments() const { return m_tokens.comments; }
    [[nodiscard]] std::size_t position() const { return m_at; }
    void rewind(std::size_t position) { m_at = position; }

    [[nodiscard]] bool isSign(std::string_view text) const { return now().kind == TokenKind::Sign && now().text == text; }
    [[nodiscard]] bool isWord(std::string_view text) const { return now().kind == TokenKind::Word && now().text == text; }
    [[nodiscard]] bool nextIsSign(std::string_view text) const { return next().kind == TokenKind::Sign && next().text == text; }
    Token take() { return m_tokens.tokens[m_at + 1 < m_tokens.tokens.size() ? m_at++ : m_at]; }
    bool takeSign(std::string_view text) { return isSign(text) && (take(), true); }
    bool takeWord(std::string_view text) { return isWord(text) && (take(), true); }
    [[nodiscard]] Result<void> expectSign(std::string_view text, const std::string& where);

    [[nodiscard]] tl::unexpected<Error> problem(const std::string& text, Spot spot) const {
        return fail(ErrorCode::BadData, text, out.file + ":" + spot.text());
    }
    [[nodiscard]] tl::unexpected<Error> problem(const std::string& text) const { return problem(text, now().spot); }
    [[nodiscard]] tl::unexpected<Error> tooDeep(Spot spot) const {
        return fail(ErrorCode::TooLarge, "nested deeper than " + std::to_string(MaxDepth) + " levels: name parts with 'pattern'",
                    out.file + ":" + spot.text());
    }

    [[nodiscard]] Result<PatternId> add(PatternNode node);
    [[nodiscard]] Result<ExpressionId> add(ExpressionNode node);
    [[nodiscard]] Result<ReplacementId> add(ReplacementNode node);

    /// One level of nesting of the text, for as long as it lives.
    class Nested {
      public:
        explicit Nested(ParserState& state) : m_state(state) { ++m_state.m_nesting; }
        ~Nested() { --m_state.m_nesting; }
        Nested(const Nested&) = delete;
        Nested& operator=(const Nested&) = delete;
        [[nodiscard]] bool tooDeep() const { return m_state.m_nesting > MaxDepth; }

      private:
        ParserState& m_state;
    };

  private:
    Tokens m_tokens;
    std::size_t m_at = 0;
    std::uint32_t m_nesting = 0;
};

/// `2`, `-0.5`, `1.702~0.001` where `tolerances` allows it.
[[nodiscard]] Result<NumberLiteral> parseNumber(ParserState& state, bool tolerances);
/// `matmul`, `"com.microsoft":Attention:1`
[[nodiscard]] Result<OperatorName> parseOperatorName(ParserState& state);
/// A guard. `inPattern`: it stands after `where`, so that `|` may belong to the pattern.
[[nodiscard]] Result<ExpressionId> parseGuard(ParserState& state, bool inPattern);
/// `{axis=-1, perm=?p}`; `replacement`: values are expressions.
[[nodiscard]] Result<std::vector<AttributePattern>> parseAttributes(ParserState& state, bool replacement);
[[nodiscard]] Result<Replacement> parseReplacement(ParserState& state);

} // namespace lemmascope::match
