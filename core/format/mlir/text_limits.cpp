#include "core/format/mlir/text_limits.h"

#include <algorithm>

namespace lemmascope::ir {

Result<void> checkTextLimits(std::string_view text, const std::string& file, unsigned firstLine) {
    if (text.size() > LargestText) {
        return fail(ErrorCode::TooLarge, "is larger than " + std::to_string(LargestText >> 20U) + " MB", file);
    }
    std::size_t depth = 0;
    std::size_t line = firstLine;
    std::size_t lineStart = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        const char before = at == 0 ? '\0' : text[at - 1];
        switch (c) {
        case '\n':
            ++line;
            lineStart = at + 1;
            break;
        case '"': // a string ends on its line
            for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at) {
                at += text[at] == '\\' ? 1 : 0;
            }
            at -= at < text.size() && text[at] == '\n' ? 1 : 0;
            break;
        case '/':
            if (before == '/') {
                at = std::min(text.find('\n', at), text.size()) - 1;
            }
            break;
        case '(':
        case '[':
        case '{':
        case '<':
            if (++depth > DeepestNesting) {
                return fail(ErrorCode::TooLarge, "is nested deeper than " + std::to_string(DeepestNesting) + " levels",
                            file + ":" + std::to_string(line) + ":" + std::to_string(at - lineStart + 1));
            }
            break;
        case '>': // not that of `->` and of a condition's `>=`
            if (before == '-' || (at + 1 < text.size() && text[at + 1] == '=')) {
                break;
            }
            [[fallthrough]];
        case ')':
        case ']':
        case '}': depth -= depth > 0 ? 1 : 0; break;
        default: break;
        }
    }
    return {};
}

} // namespace lemmascope::ir
