#include "core/report/program_anonymous.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lemmascope {

namespace {

constexpr std::array<std::string_view, 24> KnownDialects{"affine", "arith", "async", "bufferization", "builtin", "case", "cf",   "complex",
                                                         "dlti",   "func",  "gpu",   "index",         "linalg",  "llvm", "math", "memref",
                                                         "nvgpu",  "scf",   "shape", "sparse_tensor", "tensor",  "tosa", "ub",   "vector"};
/// Strings that MLIR's own attributes are made of.
constexpr std::array<std::string_view, 6> KnownTexts{"private", "public", "nested", "parallel", "reduction", "window"};

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
/// Of the names behind a sign.
bool inName(char c) { return isLetter(c) || isDigit(c) || c == '$' || c == '.' || c == '-'; }
bool inWord(char c) { return isLetter(c) || isDigit(c) || c == '$' || c == '.'; }

/// The same new name for the same old one, numbered by first use.
class Names {
  public:
    explicit Names(std::string prefix) : m_prefix(std::move(prefix)) {}
    const std::string& of(std::string_view old) {
        const auto [at, isNew] = m_known.emplace(old, std::string());
        if (isNew) {
            at->second = m_prefix + std::to_string(m_known.size());
        }
        return at->second;
    }
    std::map<std::string, std::string> take() { return std::move(m_known); }

  private:
    std::string m_prefix;
    std::map<std::string, std::string> m_known;
};

bool isForeign(std::string_view word) {
    const std::size_t point = word.find('.');
    return point != std::string_view::npos && point > 0 &&
           std::find(KnownDialects.begin(), KnownDialects.end(), word.substr(0, point)) == KnownDialects.end();
}

struct Renaming {
    Names values{"v"}, symbols{"s"}, blocks{"b"}, aliases{"a"}, types{"t"}, foreign{"x.n"}, texts{"text"};
    bool replaceTexts = true;
};

/// One text, read once from its start.
class Writer {
  public:
    Writer(std::string_view text, Renaming& renaming) : m_text(text), m_names(renaming) { m_out.reserve(text.size()); }

    std::string all() {
        while (m_at < m_text.size()) {
            one();
        }
        return std::move(m_out);
    }

  private:
    std::string_view m_text;
    Renaming& m_names;
    std::size_t m_at = 0;
    std::string m_out;
    std::string_view m_word; ///< the last word that was written

    [[nodiscard]] char peek(std::size_t ahead = 0) const { return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0'; }
    [[nodiscard]] std::size_t end(bool (*inside)(char), std::size_t from) const {
        while (from < m_text.size() && inside(m_text[from])) {
            ++from;
        }
        return from;
    }
    [[nodiscard]] std::size_t pastBlanks(std::size_t from) const {
        while (from < m_text.size() && (m_text[from] == ' ' || m_text[from] == '\t')) {
            ++from;
        }
        return from;
    }
    /// Behind the string that starts at `from`; it ends with its line at the latest.
    [[nodiscard]] std::size_t pastString(std::size_t from) const {
        for (++from; from < m_text.size() && m_text[from] != '"' && m_text[from] != '\n'; ++from) {
            from += m_text[from] == '\\' ? 1 : 0;
        }
        return std::min(m_text.size(), from + 1);
    }
    /// Behind the parenthesis that closes the one at `from`; line ends on the way are kept.
    std::size_t pastParentheses(std::size_t from) {
        std::size_t depth = 0;
        while (from < m_text.size()) {
            const char c = m_text[from];
            if (c == '"') {
                from = pastString(from);
                continue;
            }
            m_out += c == '\n' ? "\n" : "";
            depth += c == '(' ? 1 : 0;
            ++from;
            if (c == ')' && --depth == 0) {
                break;
            }
        }
        return from;
    }

    void one() {
        const char c = peek();
        if (c == '/' && peek(1) == '/') {
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
            m_out.erase(m_out.find_last_not_of(" \t") + 1);
        } else if (c == '"') {
            string();
        } else if (c == '%') {
            sign(m_names.values);
        } else if (c == '@') {
            symbol();
        } else if (c == '^') {
            sign(m_names.blocks);
        } else if (c == '#' || c == '!') {
            alias(c == '#' ? m_names.aliases : m_names.types);
        } else if (isLetter(c)) {
            word();
        } else if (isDigit(c)) {
            const std::size_t stop = end(inWord, m_at);
            m_out += m_text.substr(m_at, stop - m_at);
            m_at = stop;
        } else {
            m_out += c;
            ++m_at;
        }
    }

    void string() {
        const std::size_t stop = pastString(m_at);
        const std::string_view quoted = m_text.substr(m_at, stop - m_at);
        const std::string_view inside = quoted.size() >= 2 ? quoted.substr(1, quoted.size() - 2) : std::string_view();
        m_at = stop;
        if (peek() == '(') { // an op in generic form
            m_out += isForeign(inside) ? "\"" + m_names.foreign.of(inside) + "\"" : std::string(quoted);
        } else if (m_word == "sym_name") {
            m_out += "\"" + m_names.symbols.of(inside) + "\"";
        } else if (m_names.replaceTexts && std::find(KnownTexts.begin(), KnownTexts.end(), inside) == KnownTexts.end() &&
                   !(inside.starts_with("0x") || inside.empty())) { // of numbers, dense<"0x...">
            m_out += "\"" + m_names.texts.of(inside) + "\"";
        } else {
            m_out += quoted;
        }
    }

    void sign(Names& names) {
        const std::size_t stop = end(inName, m_at + 1);
        const std::string_view name = m_text.substr(m_at + 1, stop - m_at - 1);
        m_out += m_text[m_at];
        m_out += name.empty() || isDigit(name.front()) ? std::string(name) : names.of(name);
        m_at = stop;
    }

    void symbol() {
        m_out += '@';
        ++m_at;
        std::size_t stop = peek() == '"' ? pastString(m_at) : end(inName, m_at);
        std::string_view name = m_text.substr(m_at, stop - m_at);
        if (peek() == '"' && name.size() >= 2) {
            name = name.substr(1, name.size() - 2);
        }
        m_out += name.empty() ? std::string() : m_names.symbols.of(name);
        m_at = stop;
    }

    void alias(Names& names) {
        const std::size_t stop = end(inWord, m_at + 1);
        const std::string_view name = m_text.substr(m_at + 1, stop - m_at - 1);
        const std::size_t equals = pastBlanks(stop);
        if (m_text.substr(equals, 1) == "=" && m_text.substr(pastBlanks(equals + 1), 4) == "loc(") {
            m_at = pastParentheses(pastBlanks(equals + 1) + 3);
            return;
        }
        const bool isDialects = name.find('.') != std::string_view::npos || m_text.substr(stop, 1) == "<";
        m_out += m_text[m_at];
        m_out += name.empty() || isDigit(name.front()) || isDialects ? std::string(name) : names.of(name);
        m_at = stop;
    }

    void word() {
        const std::size_t stop = end(inWord, m_at);
        const std::string_view name = m_text.substr(m_at, stop - m_at);
        if (name == "loc" && m_text.substr(stop, 1) == "(") {
            m_out.erase(m_out.find_last_not_of(" \t") + 1);
            m_at = pastParentheses(stop);
            return;
        }
        // A key of a dialect that is nobody's in particular; other words with a point are numbers' or MLIR's.
        m_out += isForeign(name) ? m_names.foreign.of(name) : std::string(name);
        m_word = name;
        m_at = stop;
    }
};

} // namespace

std::string AnonymousPrograms::nameOf(const std::string& name) const {
    const std::string bare = name.substr(name.starts_with('%') || name.starts_with('@') ? 1 : 0);
    const auto known = [this](const std::string& old) -> const std::string* {
        const auto value = values.find(old);
        const auto symbol = symbols.find(old);
        return value != values.end() ? &value->second : symbol != symbols.end() ? &symbol->second : nullptr;
    };
    if (const std::string* renamed = known(bare)) {
        return *renamed;
    }
    const std::size_t point = bare.rfind('.');
    const std::string* renamed = point == std::string::npos ? nullptr : known(bare.substr(0, point));
    return renamed != nullptr ? *renamed + bare.substr(point) : name;
}

AnonymousPrograms anonymousPrograms(std::string_view reference, std::string_view rewritten, bool texts) {
    Renaming renaming;
    renaming.replaceTexts = texts;
    AnonymousPrograms out;
    out.reference = Writer(reference, renaming).all();
    out.rewritten = Writer(rewritten, renaming).all();
    out.values = renaming.values.take();
    out.symbols = renaming.symbols.take();
    return out;
}

} // namespace lemmascope
