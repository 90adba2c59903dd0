// Small terms from text; tests: tests/core/match/tst_match_cases.cpp.
#include "core/match/term_subject.h"

#include "core/match/parser_state.h"
#include "core/match/print.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace lemmascope::match {

namespace {

constexpr std::size_t ShownBytes = 2'000;

FactValue factFromText(const std::string& text) {
    std::int64_t integer = 0;
    const char* const last = text.data() + text.size();
    if (const auto [end, problem] = std::from_chars(text.data(), last, integer); problem == std::errc() && end == last) {
        return FactValue(integer);
    }
    double number = 0.0;
    if (const auto [end, problem] = std::from_chars(text.data(), last, number); problem == std::errc() && end == last) {
        return FactValue(number);
    }
    if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
        FactValue::List list;
        for (std::size_t at = 1; at + 1 < text.size();) {
            const std::size_t comma = std::min(text.find(',', at), text.size() - 1);
            list.push_back(factFromText(text.substr(at, comma - at)));
            at = comma + 1;
        }
        return FactValue(std::move(list));
    }
    return FactValue(text);
}

FactValue attributeFact(const AttributeValue& value) {
    switch (value.kind) {
    case AttributeValue::Kind::Number: return value.number.integer ? FactValue(*value.number.integer) : FactValue(value.number.value);
    case AttributeValue::Kind::List: {
        FactValue::List list;
        for (const AttributeValue& item : value.items) {
            list.push_back(attributeFact(item));
        }
        return FactValue(std::move(list));
    }
    default: return FactValue(value.text);
    }
}

std::string_view trimmed(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (!text.empty() && blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

} // namespace

Result<Signature> Signature::parse(std::string_view text) {
    Signature out;
    while (!trimmed(text).empty()) {
        const std::size_t end = std::min(text.find(';'), text.size());
        std::string_view entry = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (entry.empty()) {
            continue;
        }
        const std::size_t blank = std::min(entry.find(' '), entry.size());
        const std::string name(entry.substr(0, blank));
        std::map<std::string, FactValue>& facts = out.m_facts[name == "default" ? std::string() : name];
        entry = trimmed(entry.substr(blank));
        while (!entry.empty()) {
            const std::size_t word = std::min(entry.find(' '), entry.size());
            const std::string_view pair = entry.substr(0, word);
            const std::size_t equals = pair.find('=');
            if (equals == std::string_view::npos || equals == 0 || equals + 1 == pair.size()) {
                return fail(ErrorCode::BadData, "signature: '" + std::string(pair) + "' of '" + name + "': expected attribute=value");
            }
            facts.insert_or_assign(std::string(pair.substr(0, equals)), factFromText(std::string(pair.substr(equals + 1))));
            entry = trimmed(entry.substr(word));
        }
    }
    return out;
}

FactValue Signature::fact(const std::string& name, const std::string& key) const {
    for (const std::string& at : {name, std::string()}) {
        const auto facts = m_facts.find(at);
        if (facts != m_facts.end()) {
            const auto found = facts->second.find(key);
            if (found != facts->second.end()) {
                return found->second;
            }
        }
    }
    return {};
}

/// Reads a term with a stack of operators whose parenthesis is open, so that its depth is no limit.
class TermReader {
  public:
    TermReader(ParserState& state, bool identity) : m_state(state), m_identity(identity) {}

    Result<std::shared_ptr<TermSubject>> run(Signature signature) {
        m_out = std::shared_ptr<TermSubject>(new TermSubject());
        m_out->m_signature = std::move(signature);
        TermId done;
        for (;;) {
            // At the start of a term.
            Result<bool> opened = head();
            if (!opened) {
                return tl::unexpected(std::move(opened.error()));
            }
            if (*opened) {
                continue;
            }
            // Behind a finished term: as many parentheses close as there are.
            done = m_done;
            while (!m_open.empty() && m_state.takeSign(")")) {
                m_open.back().operands.push_back(done);
                done = close();
            }
            if (m_open.empty()) {
                break;
            }
            if (const Result<void> comma = m_state.expectSign(",", "or ')' between operands"); !comma) {
                return tl::unexpected(comma.error());
            }
            m_open.back().operands.push_back(done);
        }
        if (m_state.now().kind != TokenKind::End) {
            return m_state.problem("expected the end of the term, found " + shown(m_state.now()));
        }
        m_out->m_root = done;
        m_out->m_sizes = unfoldedSizes(*m_out);
        countUses();
        for (const std::string& each : m_out->m_symbols) {
            const FactValue found = m_out->m_signature.fact(each, "cls");
            m_out->m_classes.push_back(found.isDefined() ? found.text() : "other");
        }
        return m_out;
    }

  private:
    struct Open {
        std::string name;
        TermSubject::Extra extra;
        std::uint32_t result = 0;
        std::vector<TermId> operands;
    };

    /// True: a parenthesis was opened and its first operand comes next. False: `m_done` is a whole term.
    Result<bool> head() {
        Open open;
        if (m_state.isWord("result") && m_state.next().kind == TokenKind::Number) {
            m_state.take();
            const Token index = m_state.take();
            const auto [end, problem] = std::from_chars(index.text.data(), index.text.data() + index.text.size(), open.result);
            if (problem != std::errc() || end != index.text.data() + index.text.size() || !m_state.takeWord("of")) {
                return m_state.problem("expected 'result i of f(...)'", index.spot);
            }
        }
        const Token token = m_state.now();
        if (token.kind == TokenKind::Number || m_state.isSign("-")) {
            const Result<NumberLiteral> number = parseNumber(m_state, false);
            if (!number) {
                return tl::unexpected(number.error());
            }
            open.name = number->text;
            open.extra.number = number->value;
            open.extra.integer = number->integer;
            m_done = make(std::move(open));
            return false;
        }
        if (m_state.isWord("none") && !m_state.nextIsSign("(")) {
            m_state.take();
            m_done = TermId();
            return false;
        }
        if (token.kind != TokenKind::Word) {
            return m_state.problem("expected a term, found " + shown(token));
        }
        open.name = m_state.take().text;
        if (m_state.isSign("{")) {
            const std::size_t from = m_state.position();
            const Result<std::vector<AttributePattern>> attributes = parseAttributes(m_state, false);
            if (!attributes) {
                return tl::unexpected(attributes.error());
            }
            for (const AttributePattern& each : *attributes) {
                if (each.orOperand || each.value.kind == AttributeValue::Kind::Variable) {
                    return m_state.problem("a term's attribute has a value", m_state.all()[from].spot);
                }
                open.extra.attributes.insert_or_assign(each.name, attributeFact(each.value));
                open.extra.attributesText +=
                    (open.extra.attributesText.empty() ? "" : ",") + each.name + "=" + attributeValueText(m_state.out, each.value);
            }
        }
        if (m_state.takeSign("(") && !m_state.takeSign(")")) {
            m_open.push_back(std::move(open));
            return true;
        }
        m_done = make(std::move(open));
        return false;
    }

    TermId close() {
        Open open = std::move(m_open.back());
        m_open.pop_back();
        return make(std::move(open));
    }

    /// The term, the one made before when it is the same.
    TermId make(Open open) {
        const bool leaf = open.operands.empty();
        std::string key = open.name + "{" + open.extra.attributesText + "}";
        std::string numbers = key;
        for (const TermId operand : open.operands) {
            key += " " + std::to_string(operand.index);
            numbers += " " + (operand.isValid() ? std::to_string(m_out->m_terms[operand.index].number) : std::string("none"));
        }
        TermId node;
        if (const auto known = m_known.find(key); known != m_known.end() && (leaf || !m_identity)) {
            node = known->second;
        } else {
            node = append(open, TermId(), numbers, 0);
            m_known.insert_or_assign(key, node);
        }
        if (open.result == 0) {
            return node;
        }
        key += " result " + std::to_string(open.result);
        if (const auto known = m_known.find(key); known != m_known.end() && !m_identity) {
            return known->second;
        }
        const TermId out = append(open, node, numbers + " result " + std::to_string(open.result), open.result);
        m_known.insert_or_assign(key, out);
        return out;
    }

    TermId append(const Open& open, TermId node, const std::string& numbers, std::uint32_t result) {
        const TermId id(m_out->m_terms.size());
        const auto symbol = m_symbolOf.try_emplace(open.name, static_cast<std::uint32_t>(m_out->m_symbols.size())).first->second;
        if (symbol == m_out->m_symbols.size()) {
            m_out->m_symbols.push_back(open.name);
            m_out->m_symbolCount = m_out->m_symbols.size();
        }
        const auto number = m_numberOf.try_emplace(numbers, static_cast<std::uint32_t>(m_numberOf.size())).first->second;
        m_out->m_terms.push_back({SymbolId(symbol), static_cast<std::uint32_t>(m_out->m_operands.size()),
                                  static_cast<std::uint32_t>(open.operands.size()), number, result, node.isValid() ? node : id});
        m_out->m_operands.insert(m_out->m_operands.end(), open.operands.begin(), open.operands.end());
        m_out->m_extras.push_back(open.extra);
        return id;
    }

    void countUses() {
        m_out->m_uses.assign(m_out->m_terms.size(), 0);
        for (const TermId operand : m_out->m_operands) {
            if (operand.isValid()) {
                ++m_out->m_uses[operand.index];
            }
        }
        ++m_out->m_uses[m_out->m_root.index];
    }

    ParserState& m_state;
    bool m_identity;
    std::shared_ptr<TermSubject> m_out;
    std::vector<Open> m_open;
    TermId m_done;
    std::map<std::string, TermId> m_known;
    std::map<std::string, std::uint32_t> m_symbolOf;
    std::map<std::string, std::uint32_t> m_numberOf;
};

Result<std::shared_ptr<const TermSubject>> TermSubject::parse(std::string_view text, Signature signature, const std::string& file, bool identity) {
    Result<Tokens> tokens = splitTokens(text, file);
    if (!tokens) {
        return tl::unexpected(std::move(tokens.error()));
    }
    ParserState state(std::move(*tokens), file);
    Result<std::shared_ptr<TermSubject>> out = TermReader(state, identity).run(std::move(signature));
    if (!out) {
        return tl::unexpected(std::move(out.error()));
    }
    if (!(*out)->m_root.isValid()) {
        return state.problem("expected a term, found 'none'");
    }
    return std::shared_ptr<const TermSubject>(std::move(*out));
}

bool TermSubject::symbolIs(SymbolId symbol, const OperatorName& wanted) const { return m_symbols[symbol.index] == wanted.name; }

FactValue TermSubject::fact(FactKind kind, TermId term, const FactValue& argument) const {
    static constexpr std::array<const char*, 13> Keys{"rank", "shape", "dim", "dtype", "attr",    "is_const", "value",
                                                      "uses", "size",  "op",  "cls",   "version", "ints"};
    const std::string& head = m_symbols[m_terms[term.index].head.index];
    const Extra& extra = m_extras[term.index];
    switch (kind) {
    case FactKind::Size: return FactValue(static_cast<std::int64_t>(m_sizes[term.index]));
    case FactKind::Uses: return FactValue(static_cast<std::int64_t>(m_uses[term.index]));
    case FactKind::Op: return FactValue(head);
    case FactKind::IsConst: {
        const FactValue declared = m_signature.fact(head, "is_const");
        return FactValue(extra.number.has_value() || (declared.isDefined() && equals(declared, FactValue(std::int64_t{1})) == Truth::True));
    }
    case FactKind::Value:
        if (extra.number) {
            return constant(term);
        }
        break;
    case FactKind::Rank:
    case FactKind::Dim: {
        const FactValue shape = m_signature.fact(head, "shape");
        const auto* list = std::get_if<FactValue::List>(&shape.value);
        if (list == nullptr) {
            break;
        }
        if (kind == FactKind::Rank) {
            return FactValue(static_cast<std::int64_t>(list->size()));
        }
        const auto* axis = std::get_if<std::int64_t>(&argument.value);
        const auto count = static_cast<std::int64_t>(list->size());
        if (axis == nullptr || *axis < -count || *axis >= count) {
            return {};
        }
        return (*list)[static_cast<std::size_t>(*axis < 0 ? *axis + count : *axis)];
    }
    default: break;
    }
    return m_signature.fact(head, Keys[static_cast<std::size_t>(kind)]);
}

FactValue TermSubject::attribute(TermId term, const std::string& name) const {
    const auto found = m_extras[term.index].attributes.find(name);
    return found == m_extras[term.index].attributes.end() ? FactValue() : found->second;
}

std::optional<std::size_t> TermSubject::attributeOperand(TermId term, const std::string& /*name*/, std::size_t patternOperands) const {
    return patternOperands < operands(term).size() ? std::optional(patternOperands) : std::nullopt;
}

FactValue TermSubject::constant(TermId term) const {
    const Extra& extra = m_extras[term.index];
    if (!extra.number) {
        return {};
    }
    return extra.integer ? FactValue(*extra.integer) : FactValue(*extra.number);
}

bool TermSubject::constantIs(TermId term, const NumberLiteral& number) const {
    const Extra& extra = m_extras[term.index];
    if (!extra.number) {
        return false;
    }
    return number.tolerance ? std::fabs(*extra.number - number.value) <= *number.tolerance : *extra.number == number.value;
}

bool TermSubject::attributeIs(TermId /*term*/, const std::string& /*name*/, const FactValue& found, const AttributeValue& wanted) const {
    return attributeEquals(found, wanted);
}

std::string TermSubject::termText(TermId term) const {
    if (!term.isValid()) {
        return "none";
    }
    struct Part {
        TermId term;
        const char* text;
    };
    std::string out;
    std::vector<Part> stack{{term, nullptr}};
    while (!stack.empty()) {
        const Part part = stack.back();
        stack.pop_back();
        if (out.size() > ShownBytes) {
            return out + "...";
        }
        if (part.text != nullptr) {
            out += part.text;
            continue;
        }
        if (!part.term.isValid()) {
            out += "none";
            continue;
        }
        const SubjectTerm& at = m_terms[part.term.index];
        const Extra& extra = m_extras[part.term.index];
        out += (at.resultIndex == 0 ? "" : "result " + std::to_string(at.resultIndex) + " of ") + m_symbols[at.head.index];
        out += extra.attributesText.empty() ? "" : "{" + extra.attributesText + "}";
        const std::span<const TermId> inner = operands(part.term);
        if (!inner.empty()) {
            out += "(";
            stack.push_back({{}, ")"});
            for (std::size_t i = inner.size(); i > 0; --i) {
                stack.push_back({inner[i - 1], nullptr});
                if (i > 1) {
                    stack.push_back({{}, ","});
                }
            }
        }
    }
    return out;
}

} // namespace lemmascope::match
