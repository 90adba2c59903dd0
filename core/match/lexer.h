#pragma once

#include "core/base/result.h"
#include "core/match/pattern.h"

#include <string>
#include <string_view>
#include <vector>

namespace lemmascope::match {

enum class TokenKind : std::uint8_t {
    Value,    ///< ?x
    Function, ///< %F
    Word,     ///< matmul, aten.add
    Number,   ///< 2, 0.5, 1e-6
    Text,     ///< "com.microsoft"
    Sign,     ///< one of ( ) [ ] { } , . .. = != < <= > >= => : @ @= ~ | & ! + - * /
    End
};

struct Token {
    TokenKind kind = TokenKind::End;
    std::string text; ///< without ?, % and quotes
    Spot spot;
    Spot end; ///< just behind its last byte
};

struct CommentToken {
    std::string text; ///< from # on
    Spot spot;
};

struct Tokens {
    std::vector<Token> tokens; ///< the last one is End
    std::vector<CommentToken> comments;
};

/// Splits a rule file, a pattern or a term. Fails with BadData at `file:line:col`.
[[nodiscard]] Result<Tokens> splitTokens(std::string_view text, const std::string& file);

/// The token in words, for messages: `'matmul'`, `'?x'`, `the end of the text`.
[[nodiscard]] std::string shown(const Token& token);

} // namespace lemmascope::match
