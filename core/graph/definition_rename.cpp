// Definitions with other names, for a report that must not tell the user's. The text is copied token by token, so that what is
// computed stays as written; the parser has accepted it before. Tests: tests/core/report/tst_bug_report.cpp.

#include "core/graph/definition_rename.h"

#include "core/graph/definition_code.h"
#include "core/graph/op_registry.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace lemmascope {

namespace {

bool isNameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool isNamePart(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

OpId opOf(std::string_view written) {
    const std::size_t dot = written.rfind('.');
    const std::string domain(dot == std::string_view::npos ? std::string_view() : written.substr(0, dot));
    return {domain == "ai.onnx" ? std::string() : domain, std::string(dot == std::string_view::npos ? written : written.substr(dot + 1)), 1000};
}

class Renamer {
  public:
    Renamer(const DefinitionLibrary& library, const DefinitionNames& names) : m_library(library), m_names(names), m_text(library.text()) {
        for (const auto& definition : library.all()) {
            m_defined.insert(OpId{definition->domain == "ai.onnx" ? std::string() : definition->domain, definition->name, 1000}.text());
        }
    }

    std::string run() {
        while (m_at < m_text.size()) {
            step();
        }
        endLine();
        return std::move(m_out);
    }

  private:
    const DefinitionLibrary& m_library;
    const DefinitionNames& m_names;
    std::string_view m_text;
    std::size_t m_at = 0;
    std::string m_out;
    std::set<std::string> m_defined;
    std::vector<bool> m_brackets; ///< open ones; true: of a call or heading whose attributes get new names
    std::size_t m_next = 0;       ///< the definition whose heading comes next
    std::set<std::string> m_attributes;
    std::map<std::string, std::string> m_locals;
    bool m_opensCall = false; ///< the last name is that of an op with new names of attributes
    bool m_heading = false;   ///< `op` was read: the next name is that of the defined op

    void step() {
        const char c = m_text[m_at];
        if (c == '#') {
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
        } else if (c == '\n') {
            endLine();
            ++m_at;
        } else if (c == '\'') {
            const std::size_t end = m_text.find('\'', m_at + 1);
            const std::string inside(m_text.substr(m_at + 1, end - m_at - 1));
            // `apply` and `each` call an op by a text.
            m_out += "'" + (m_defined.contains(inside) ? m_names.op(opOf(inside)) : inside) + "'";
            m_at = end + 1;
        } else if (isNameStart(c)) {
            name();
        } else if (isDigit(c)) {
            number();
        } else {
            if (c == '(' || c == '[') {
                m_brackets.push_back(c == '(' && m_opensCall);
                m_opensCall = false;
            } else if ((c == ')' || c == ']') && !m_brackets.empty()) {
                m_brackets.pop_back();
            }
            m_out.push_back(c);
            ++m_at;
        }
    }

    /// Lines that held only a comment go, so that not even their number is told.
    void endLine() {
        const std::size_t last = m_out.find_last_not_of(" \t\r");
        m_out.resize(last == std::string::npos ? 0 : last + 1);
        if (!m_out.empty() && m_out.back() != '\n') {
            m_out.push_back('\n');
        }
    }

    void copy(std::size_t end) {
        m_out += m_text.substr(m_at, end - m_at);
        m_at = end;
    }

    void number() {
        std::size_t end = m_at;
        while (end < m_text.size() && (isDigit(m_text[end]) || m_text[end] == '.')) {
            ++end;
        }
        if (end < m_text.size() && (m_text[end] == 'e' || m_text[end] == 'E')) {
            end += end + 1 < m_text.size() && (m_text[end + 1] == '-' || m_text[end + 1] == '+') ? 2 : 1;
        }
        copy(end);
    }

    [[nodiscard]] char following(std::size_t from, std::size_t skip = 0) const {
        std::size_t at = from;
        while (at < m_text.size() && (m_text[at] == ' ' || m_text[at] == '\t' || m_text[at] == '\r' || (m_text[at] == '\n' && !m_brackets.empty()))) {
            ++at;
        }
        return at + skip < m_text.size() ? m_text[at + skip] : '\0';
    }

    void name() {
        std::size_t end = m_at + 1;
        while (end < m_text.size() && (isNamePart(m_text[end]) || (m_text[end] == '.' && end + 1 < m_text.size() && isNameStart(m_text[end + 1])))) {
            ++end;
        }
        const std::string old(m_text.substr(m_at, end - m_at));
        const std::size_t lineStart = m_out.find_last_not_of(" \t\r");
        const bool startsLine = m_brackets.empty() && (lineStart == std::string::npos || m_out[lineStart] == '\n');
        if (m_heading) {
            m_heading = false;
            m_opensCall = true;
            m_out += m_names.op(opOf(old));
        } else if (startsLine && old == "op" && m_next < m_library.all().size()) {
            m_heading = true;
            m_attributes.clear();
            m_locals.clear();
            for (const DefinitionAttribute& attribute : m_library.all()[m_next++]->attributes) {
                m_attributes.insert(attribute.name);
            }
            m_out += old;
        } else if (following(end) == '(') {
            m_opensCall = m_defined.contains(opOf(old).text());
            m_out += m_opensCall || isOpen(old) ? m_names.op(opOf(old)) : old;
        } else if (!m_brackets.empty() && following(end) == '=' && following(end, 1) != '=') {
            m_out += m_brackets.back() ? m_names.attribute(old) : old;
        } else if (isWord(old)) {
            m_out += old;
        } else if (m_attributes.contains(old)) {
            m_out += m_names.attribute(old);
        } else {
            m_out += m_locals.emplace(old, "v" + std::to_string(m_locals.size() + 1)).first->second;
        }
        m_at = end;
    }

    /// An op of another domain that nothing gives a meaning to.
    static bool isOpen(const std::string& written) {
        const OpId op = opOf(written);
        return !op.domain.empty() && findOp(op) == nullptr && DefinitionLibrary::builtin().find(op) == nullptr;
    }

    static bool isWord(std::string_view word) {
        static constexpr std::array<std::string_view, 11> Words{"if", "require", "and", "or", "not", "in", "pi", "true", "false", "since", "until"};
        return std::find(Words.begin(), Words.end(), word) != Words.end();
    }
};

} // namespace

std::string renamedDefinitions(const DefinitionLibrary& library, const DefinitionNames& names) { return Renamer(library, names).run(); }

bool handsOn(const Definition& definition, const std::string& attribute) {
    const auto named = [&](const DefinitionAttribute& one) { return one.name == attribute; };
    const auto passes = [](const DefinitionStatement& statement) {
        return std::any_of(statement.value.begin(), statement.value.end(), [](const DefinitionStep& step) { return step.allAttributes; });
    };
    return std::none_of(definition.attributes.begin(), definition.attributes.end(), named) &&
           std::any_of(definition.statements.begin(), definition.statements.end(), passes);
}

} // namespace lemmascope
