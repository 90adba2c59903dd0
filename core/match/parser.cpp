// Patterns, definitions and rules; tests: tests/core/match/tst_match_parser.cpp.
#include "core/match/parser.h"

#include "core/match/parser_state.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <map>

namespace lemmascope::match {

namespace {

constexpr std::size_t MostTreeLeaves = 6;

std::string plural(std::size_t count, const std::string& word) { return std::to_string(count) + " " + word + (count == 1 ? "" : "s"); }

class Patterns {
  public:
    explicit Patterns(ParserState& state) : m_state(state) {}

    /// p | q | ...
    Result<PatternId> alternates() {
        Result<PatternId> first = guarded();
        if (!first || !m_state.isSign("|")) {
            return first;
        }
        PatternNode node = start(PatternKind::Alternate, m_state.out.at(*first).spot);
        node.children.push_back(*first);
        while (m_state.takeSign("|")) {
            const Result<PatternId> other = guarded();
            if (!other) {
                return other;
            }
            node.children.push_back(*other);
        }
        return m_state.add(std::move(node));
    }

    /// `(?x, %F)` or `[?x, %F]`, the opening sign already known to stand here.
    Result<std::vector<Name>> names(const char* close, const std::string& owner, bool parameters) {
        std::vector<Name> out;
        m_state.take();
        while (!m_state.takeSign(close)) {
            if (!out.empty()) {
                if (const Result<void> comma = m_state.expectSign(",", std::string("or '") + close + "' between names"); !comma) {
                    return tl::unexpected(comma.error());
                }
            }
            const Token token = m_state.now();
            if (token.kind != TokenKind::Value && token.kind != TokenKind::Function) {
                return m_state.problem("'" + owner + "' takes names, ?x or %F, found " + shown(token) +
                                       (parameters ? "" : "; for a pattern there write ex ?t. (" + owner + "(?t) with ?t ~ ...)"));
            }
            m_state.take();
            Name name{token.kind == TokenKind::Value ? NameKind::Value : NameKind::Function, token.text, token.spot};
            if (parameters) {
                for (const Name& other : out) {
                    if (other.kind == name.kind && other.text == name.text) {
                        return m_state.problem("the parameter " + name.written() + " of '" + owner + "' is named twice", token.spot);
                    }
                }
            }
            out.push_back(std::move(name));
        }
        return out;
    }

  private:
    static PatternNode start(PatternKind kind, Spot spot) {
        PatternNode node;
        node.kind = kind;
        node.spot = spot;
        return node;
    }

    /// A prefix with `where` and `with` behind it.
    Result<PatternId> guarded() {
        Result<PatternId> body = prefix();
        while (body) {
            const Spot spot = m_state.now().spot;
            if (m_state.takeWord("where")) {
                const Result<ExpressionId> guard = parseGuard(m_state, true);
                if (!guard) {
                    return tl::unexpected(guard.error());
                }
                PatternNode node = start(PatternKind::Guarded, spot);
                node.guard = *guard;
                node.children = {*body};
                body = m_state.add(std::move(node));
            } else if (m_state.takeWord("with")) {
                body = constraint(*body, spot);
            } else {
                break;
            }
        }
        return body;
    }

    Result<PatternId> constraint(PatternId body, Spot spot) {
        const Token target = m_state.now();
        if (target.kind != TokenKind::Value) {
            return m_state.problem("expected a name after 'with', as in: with ?x ~ relu(?y); found " + shown(target));
        }
        m_state.take();
        if (const Result<void> tilde = m_state.expectSign("~", "after 'with ?" + target.text + "'"); !tilde) {
            return tl::unexpected(tilde.error());
        }
        const Result<PatternId> must = prefix();
        if (!must) {
            return must;
        }
        PatternNode node = start(PatternKind::Constraint, spot);
        node.name = {NameKind::Value, target.text, target.spot};
        node.children = {body, *must};
        return m_state.add(std::move(node));
    }

    /// `ex ?x. p`, `mu P(..)[..]. p`, `?x @ p`, `result i of p`, or a primary.
    Result<PatternId> prefix() {
        const ParserState::Nested nested(m_state);
        const Token token = m_state.now();
        if (nested.tooDeep()) {
            return m_state.tooDeep(token.spot);
        }
        const TokenKind after = m_state.next().kind;
        if (m_state.isWord("ex") && (after == TokenKind::Value || after == TokenKind::Function)) {
            m_state.take();
            const Token binder = m_state.take();
            PatternNode node = start(PatternKind::Exists, token.spot);
            node.name = {binder.kind == TokenKind::Value ? NameKind::Value : NameKind::Function, binder.text, binder.spot};
            if (const Result<void> dot = m_state.expectSign(".", "after 'ex " + node.name.written() + "'"); !dot) {
                return tl::unexpected(dot.error());
            }
            return withBody(std::move(node));
        }
        if (m_state.isWord("mu") && after == TokenKind::Word) {
            return mu();
        }
        if (token.kind == TokenKind::Value && m_state.nextIsSign("@")) {
            m_state.take();
            m_state.take();
            PatternNode node = start(PatternKind::As, token.spot);
            node.name = {NameKind::Value, token.text, token.spot};
            return withBody(std::move(node));
        }
        if (m_state.isWord("result") && after == TokenKind::Number) {
            return result();
        }
        return primary();
    }

    Result<PatternId> withBody(PatternNode node) {
        const Result<PatternId> body = prefix();
        if (!body) {
            return body;
        }
        node.children = {*body};
        return m_state.add(std::move(node));
    }

    Result<PatternId> result() {
        PatternNode node = start(PatternKind::Result, m_state.take().spot);
        const Token index = m_state.take();
        const auto [end, problem] = std::from_chars(index.text.data(), index.text.data() + index.text.size(), node.resultIndex);
        if (problem != std::errc() || end != index.text.data() + index.text.size()) {
            return m_state.problem("'" + index.text + "' is no number of a result: expected an integer from 0", index.spot);
        }
        if (!m_state.takeWord("of")) {
            return m_state.problem("expected 'of' in 'result " + index.text + " of f(...)', found " + shown(m_state.now()));
        }
        return withBody(std::move(node));
    }

    Result<PatternId> mu() {
        PatternNode node = start(PatternKind::Mu, m_state.take().spot);
        node.op.name = m_state.take().text;
        const std::string& name = node.op.name;
        if (!m_state.isSign("(")) {
            return m_state.problem("expected '(' and the parameters of 'mu " + name + "', found " + shown(m_state.now()));
        }
        Result<std::vector<Name>> parameters = names(")", name, true);
        if (!parameters) {
            return tl::unexpected(parameters.error());
        }
        if (!m_state.isSign("[")) {
            return m_state.problem("expected '[' and the arguments of 'mu " + name + "', as in mu P(?u)[?x]. p; found " + shown(m_state.now()));
        }
        Result<std::vector<Name>> arguments = names("]", name, false);
        if (!arguments) {
            return tl::unexpected(arguments.error());
        }
        node.parameters = std::move(*parameters);
        node.arguments = std::move(*arguments);
        if (const Result<void> fits = argumentsFit(name, node.parameters, node.arguments, node.spot); !fits) {
            return tl::unexpected(fits.error());
        }
        if (const Result<void> dot = m_state.expectSign(".", "before the body of 'mu " + name + "'"); !dot) {
            return tl::unexpected(dot.error());
        }
        m_state.muNames.push_back(name);
        m_muParameters.push_back(node.parameters);
        Result<PatternId> whole = withBody(std::move(node));
        m_state.muNames.pop_back();
        m_muParameters.pop_back();
        return whole;
    }

    [[nodiscard]] Result<void> argumentsFit(const std::string& name, const std::vector<Name>& parameters, const std::vector<Name>& arguments,
                                            Spot spot) const {
        if (parameters.size() != arguments.size()) {
            return m_state.problem("'" + name + "' has " + plural(parameters.size(), "parameter") + ", found " + plural(arguments.size(), "argument"),
                                   spot);
        }
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (parameters[i].kind != arguments[i].kind) {
                return m_state.problem("argument " + arguments[i].written() + " of '" + name + "' stands for the parameter " +
                                           parameters[i].written() + ": one is a value, the other an operator",
                                       arguments[i].spot);
            }
        }
        return {};
    }

    Result<PatternId> primary() {
        const Token token = m_state.now();
        if (token.kind == TokenKind::Value) {
            m_state.take();
            PatternNode node = start(PatternKind::Variable, token.spot);
            node.name = {NameKind::Value, token.text, token.spot};
            return m_state.add(std::move(node));
        }
        if (token.kind == TokenKind::Number || m_state.isSign("-")) {
            const Result<NumberLiteral> number = parseNumber(m_state, true);
            if (!number) {
                return tl::unexpected(number.error());
            }
            PatternNode node = start(PatternKind::Number, token.spot);
            node.number = *number;
            return m_state.add(std::move(node));
        }
        if (m_state.takeSign("(")) {
            const Result<PatternId> inner = alternates();
            if (inner) {
                if (const Result<void> closed = m_state.expectSign(")", "after the pattern in parentheses"); !closed) {
                    return tl::unexpected(closed.error());
                }
            }
            return inner;
        }
        if (token.kind == TokenKind::Function) {
            m_state.take();
            PatternNode node = start(PatternKind::FunctionVariable, token.spot);
            node.name = {NameKind::Function, token.text, token.spot};
            if (!m_state.isSign("(")) {
                return m_state.problem("expected '(' and the operands of %" + token.text + ", found " + shown(m_state.now()));
            }
            return operands(std::move(node));
        }
        if (token.kind == TokenKind::Word || token.kind == TokenKind::Text) {
            return word();
        }
        return m_state.problem("expected a pattern, found " + shown(token) +
                               (m_state.isSign("=") || m_state.isSign("<") ? "; an 'or' of guards stands in parentheses: where (a | b)" : ""));
    }

    /// A word in front of an operator's name: shared, opt, comm, ac.
    bool takesModifier(const char* modifier) {
        return m_state.isWord(modifier) && (m_state.next().kind == TokenKind::Word || m_state.next().kind == TokenKind::Text) &&
               !isPostfix(m_state.next()) && (m_state.take(), true);
    }

    static bool isPostfix(const Token& token) {
        return token.kind == TokenKind::Word &&
               (token.text == "where" || token.text == "with" || token.text == "pattern" || token.text == "rule" || token.text == "when");
    }

    Result<PatternId> word() {
        const Token token = m_state.now();
        if (token.text == "_" && token.kind == TokenKind::Word) {
            m_state.take();
            return m_state.add(start(PatternKind::Any, token.spot));
        }
        if (m_state.isWord("none") && !m_state.nextIsSign("(")) {
            m_state.take();
            return m_state.add(start(PatternKind::Omitted, token.spot));
        }
        PatternNode node = start(PatternKind::Operator, token.spot);
        node.shared = takesModifier("shared");
        node.optional = takesModifier("opt");
        if (takesModifier("comm")) {
            node.order = OperandOrder::Commutative;
        } else if (takesModifier("ac")) {
            node.order = OperandOrder::AnyTree;
        }
        const bool plain = !node.shared && !node.optional && node.order == OperandOrder::AsWritten;
        if (plain && token.kind == TokenKind::Word && !m_state.nextIsSign(":") && isCallee(token.text)) {
            return call();
        }
        const Result<OperatorName> name = parseOperatorName(m_state);
        if (!name) {
            return tl::unexpected(name.error());
        }
        node.op = *name;
        if (m_state.isSign("{")) {
            Result<std::vector<AttributePattern>> attributes = parseAttributes(m_state, false);
            if (!attributes) {
                return tl::unexpected(attributes.error());
            }
            node.attributes = std::move(*attributes);
        }
        return operands(std::move(node));
    }

    [[nodiscard]] bool isCallee(const std::string& name) const {
        return m_state.definitionNames.contains(name) || std::find(m_state.muNames.begin(), m_state.muNames.end(), name) != m_state.muNames.end();
    }

    Result<PatternId> call() {
        PatternNode node = start(PatternKind::Call, m_state.now().spot);
        node.op.name = m_state.take().text;
        if (m_state.isSign("(")) {
            Result<std::vector<Name>> arguments = names(")", node.op.name, false);
            if (!arguments) {
                return tl::unexpected(arguments.error());
            }
            node.arguments = std::move(*arguments);
        }
        for (std::size_t i = m_state.muNames.size(); i > 0; --i) {
            if (m_state.muNames[i - 1] == node.op.name) {
                if (const Result<void> fits = argumentsFit(node.op.name, m_muParameters[i - 1], node.arguments, node.spot); !fits) {
                    return tl::unexpected(fits.error());
                }
                break;
            }
        }
        return m_state.add(std::move(node));
    }

    Result<PatternId> operands(PatternNode node) {
        if (m_state.takeSign("(")) {
            while (!m_state.takeSign(")")) {
                if (!node.rest.empty()) {
                    return m_state.problem("'.." + node.rest + "' stands for all operands that are left: nothing may follow it");
                }
                if (!node.children.empty()) {
                    if (const Result<void> comma = m_state.expectSign(",", "or ')' between operands"); !comma) {
                        return tl::unexpected(comma.error());
                    }
                }
                if (m_state.takeSign("..")) {
                    const Token rest = m_state.take();
                    if (rest.kind != TokenKind::Word && rest.kind != TokenKind::Value) {
                        return m_state.problem("expected a name after '..', found " + shown(rest), rest.spot);
                    }
                    node.rest = rest.text;
                    continue;
                }
                const Result<PatternId> operand = alternates();
                if (!operand) {
                    return operand;
                }
                node.children.push_back(*operand);
            }
        }
        if (node.optional && node.children.empty()) {
            return m_state.problem("'opt " + node.op.name + "' needs an operand: opt f(p) is f(p) or p", node.spot);
        }
        if (node.order != OperandOrder::AsWritten && !node.rest.empty()) {
            return m_state.problem("operands in any order cannot be mixed with '.." + node.rest + "'", node.spot);
        }
        if (node.order == OperandOrder::Commutative && node.children.size() != 2) {
            return m_state.problem("'comm " + node.op.name + "' takes 2 operands, found " + std::to_string(node.children.size()) +
                                       (node.children.size() > 2 ? "; for more write ac " + node.op.name + "(...)" : ""),
                                   node.spot);
        }
        if (node.order == OperandOrder::AnyTree && (node.children.size() < 2 || node.children.size() > MostTreeLeaves)) {
            return m_state.problem("'ac " + node.op.name + "' takes 2 to " + std::to_string(MostTreeLeaves) + " operands, found " +
                                       std::to_string(node.children.size()),
                                   node.spot);
        }
        return m_state.add(std::move(node));
    }

    ParserState& m_state;
    std::vector<std::vector<Name>> m_muParameters;
};

class Files {
  public:
    explicit Files(ParserState& state) : m_state(state) {}

    Result<void> run() {
        collectNames();
        while (m_state.now().kind != TokenKind::End) {
            const Token first = m_state.now();
            const bool isRule = m_state.isWord("rule");
            if (!isRule && !m_state.isWord("pattern")) {
                return m_state.problem("expected 'pattern NAME(...) = ...' or 'rule NAME: ...', found " + shown(first) + hint(first));
            }
            m_state.take();
            RuleFile::Item item;
            item.isRule = isRule;
            item.index = static_cast<std::uint32_t>(isRule ? m_state.out.rules.size() : m_state.out.definitions.size());
            if (const Result<void> read = isRule ? rule(first.spot) : definition(first.spot); !read) {
                return read;
            }
            m_state.out.items.push_back(std::move(item));
            m_ranges.emplace_back(first.spot, m_state.before().end);
        }
        keepComments();
        return callsFit();
    }

  private:
    static std::string hint(const Token& token) {
        if (token.kind == TokenKind::Sign && (token.text == "=" || token.text == "<" || token.text == ">")) {
            return "; an 'or' of guards stands in parentheses: where (a | b)";
        }
        return token.kind == TokenKind::Sign && token.text == ")" ? "; a parenthesis too many?" : "";
    }

    /// Definitions may be called before they stand in the file.
    void collectNames() {
        const std::vector<Token>& tokens = m_state.all();
        for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
            const bool opens = tokens[i].kind == TokenKind::Word && tokens[i].text == "pattern" && tokens[i + 1].kind == TokenKind::Word;
            const Token& after = tokens[i + 2];
            if (opens && after.kind == TokenKind::Sign && (after.text == "(" || after.text == "=")) {
                m_state.definitionNames.insert(tokens[i + 1].text);
            }
        }
    }

    Result<void> definition(Spot spot) {
        const Token name = m_state.now();
        if (name.kind != TokenKind::Word) {
            return m_state.problem("expected a name after 'pattern', found " + shown(name));
        }
        m_state.take();
        PatternDefinition out;
        out.name = name.text;
        out.spot = spot;
        Patterns patterns(m_state);
        if (m_state.isSign("(")) {
            Result<std::vector<Name>> parameters = patterns.names(")", name.text, true);
            if (!parameters) {
                return tl::unexpected(parameters.error());
            }
            out.parameters = std::move(*parameters);
        }
        if (const Result<void> equals = m_state.expectSign("=", "and a pattern after 'pattern " + name.text + "'"); !equals) {
            return equals;
        }
        const Result<PatternId> body = patterns.alternates();
        if (!body) {
            return tl::unexpected(body.error());
        }
        out.body = *body;
        const auto [first, isNew] = m_firstOfName.try_emplace(out.name, m_state.out.definitions.size());
        const PatternDefinition* other = isNew ? nullptr : &m_state.out.definitions[first->second];
        if (other != nullptr && !sameKinds(other->parameters, out.parameters)) {
            return m_state.problem("'" + out.name + "' has other parameters at " + other->spot.text() +
                                       ": definitions of one name are alternates, each with as many names of the same kinds",
                                   spot);
        }
        m_state.out.definitions.push_back(std::move(out));
        return {};
    }

    static bool sameKinds(const std::vector<Name>& left, const std::vector<Name>& right) {
        return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](const Name& a, const Name& b) { return a.kind == b.kind; });
    }

    Result<void> rule(Spot spot) {
        const Token name = m_state.now();
        if (name.kind != TokenKind::Word) {
            return m_state.problem("expected a name after 'rule', found " + shown(name));
        }
        m_state.take();
        if (const auto [other, isNew] = m_ruleNames.try_emplace(name.text, spot); !isNew) {
            return m_state.problem("there is a rule '" + name.text + "' at " + other->second.text() + " already: rules are told apart by their names",
                                   name.spot);
        }
        if (const Result<void> colon = m_state.expectSign(":", "and a pattern after 'rule " + name.text + "'"); !colon) {
            return colon;
        }
        Rule out;
        out.name = name.text;
        out.spot = spot;
        const Result<PatternId> pattern = Patterns(m_state).alternates();
        if (!pattern) {
            return tl::unexpected(pattern.error());
        }
        out.pattern = *pattern;
        while (m_state.isWord("when") || m_state.isSign("=>")) {
            RuleCase each;
            each.spot = m_state.now().spot;
            if (!out.cases.empty() && !out.cases.back().guard.isValid()) {
                return m_state.problem("a case after the one without a guard is never reached: put it before");
            }
            if (m_state.takeWord("when")) {
                const Result<ExpressionId> guard = parseGuard(m_state, false);
                if (!guard) {
                    return tl::unexpected(guard.error());
                }
                each.guard = *guard;
            }
            if (const Result<void> arrow = m_state.expectSign("=>", "and a replacement"); !arrow) {
                return arrow;
            }
            Result<Replacement> replacement = parseReplacement(m_state);
            if (!replacement) {
                return tl::unexpected(replacement.error());
            }
            each.replacement = std::move(*replacement);
            out.cases.push_back(std::move(each));
        }
        m_state.out.rules.push_back(std::move(out));
        return {};
    }

    /// Calls of definitions, now that all are known.
    Result<void> callsFit() {
        std::map<std::string, const PatternDefinition*> byName;
        for (const PatternDefinition& each : m_state.out.definitions) {
            byName.emplace(each.name, &each);
        }
        std::multimap<std::string, const PatternNode*> mus;
        for (const PatternNode& node : m_state.out.patterns) {
            if (node.kind == PatternKind::Mu) {
                mus.emplace(node.op.name, &node);
            }
        }
        for (const PatternNode& node : m_state.out.patterns) {
            const auto callee = node.kind == PatternKind::Call ? byName.find(node.op.name) : byName.end();
            // A call of a mu of that name was compared where it stands.
            if (callee == byName.end() || sameKinds(callee->second->parameters, node.arguments)) {
                continue;
            }
            const auto [first, last] = mus.equal_range(node.op.name);
            if (std::any_of(first, last, [&](const auto& mu) { return sameKinds(mu.second->parameters, node.arguments); })) {
                continue;
            }
            return m_state.problem("'" + node.op.name + "' is the pattern of " + callee->second->spot.text() + " and takes (" +
                                       listed(callee->second->parameters) + "), found (" + listed(node.arguments) +
                                       "); an operator of that name is \"\":" + node.op.name,
                                   node.spot);
        }
        return {};
    }

    static std::string listed(const std::vector<Name>& names) {
        std::string out;
        for (const Name& name : names) {
            out += (out.empty() ? "" : ", ") + name.written();
        }
        return out;
    }

    /// Each comment goes before the item that follows or holds it, or behind the item on whose last line it stands; so do empty lines, one for many.
    void keepComments() {
        const std::vector<CommentToken>& comments = m_state.comments();
        std::size_t at = 0;
        std::uint32_t line = 0; // of what stands before
        const auto gap = [&](std::uint32_t next, std::vector<Comment>& into) {
            if (line != 0 && next > line + 1) {
                into.push_back({});
            }
        };
        for (std::size_t i = 0; i < m_ranges.size(); ++i) {
            std::vector<Comment>& into = m_state.out.items[i].comments;
            const auto& [from, to] = m_ranges[i];
            for (; at < comments.size() && comments[at].spot < from; ++at) {
                gap(comments[at].spot.line, into);
                into.push_back({comments[at].text, false});
                line = comments[at].spot.line;
            }
            gap(from.line, into);
            for (; at < comments.size() && comments[at].spot < to; ++at) {
                into.push_back({comments[at].text, false});
            }
            line = to.line;
            if (at < comments.size() && comments[at].spot.line == to.line &&
                (i + 1 == m_ranges.size() || comments[at].spot < m_ranges[i + 1].first)) {
                into.push_back({comments[at].text, true});
                ++at;
            }
        }
        for (; at < comments.size(); ++at) {
            gap(comments[at].spot.line, m_state.out.trailingComments);
            m_state.out.trailingComments.push_back({comments[at].text, false});
            line = comments[at].spot.line;
        }
    }

    ParserState& m_state;
    std::map<std::string, std::size_t> m_firstOfName; ///< of definitions
    std::map<std::string, Spot> m_ruleNames;
    std::vector<std::pair<Spot, Spot>> m_ranges; ///< of items: first token, behind the last one
};

/// Appends a node, one level above its deepest child.
template <typename NodeId, typename Node>
Result<NodeId> addTo(const ParserState& state, std::vector<Node>& nodes, Node node) {
    for (const auto child : node.children) {
        node.depth = std::max(node.depth, state.out.at(child).depth + 1);
    }
    if (node.depth > MaxDepth) {
        return state.tooDeep(node.spot);
    }
    nodes.push_back(std::move(node));
    return NodeId(nodes.size() - 1);
}

} // namespace

Result<void> ParserState::expectSign(std::string_view text, const std::string& where) {
    if (takeSign(text)) {
        return {};
    }
    return problem("expected '" + std::string(text) + "' " + where + ", found " + shown(now()));
}

Result<PatternId> ParserState::add(PatternNode node) {
    node.depth = node.guard.isValid() ? out.at(node.guard).depth + 1 : 1;
    return addTo<PatternId>(*this, out.patterns, std::move(node));
}

Result<ExpressionId> ParserState::add(ExpressionNode node) { return addTo<ExpressionId>(*this, out.expressions, std::move(node)); }

Result<ReplacementId> ParserState::add(ReplacementNode node) {
    node.depth = node.expression.isValid() ? out.at(node.expression).depth + 1 : 1;
    return addTo<ReplacementId>(*this, out.replacements, std::move(node));
}

Result<RuleFile> parseRules(std::string_view text, const std::string& file) {
    Result<Tokens> tokens = splitTokens(text, file);
    if (!tokens) {
        return tl::unexpected(std::move(tokens.error()));
    }
    ParserState state(std::move(*tokens), file);
    if (Result<void> read = Files(state).run(); !read) {
        return tl::unexpected(std::move(read.error()));
    }
    return std::move(state.out);
}

Result<RuleFile> parsePattern(std::string_view text, const std::string& file) {
    Result<Tokens> tokens = splitTokens(text, file);
    if (!tokens) {
        return tl::unexpected(std::move(tokens.error()));
    }
    ParserState state(std::move(*tokens), file);
    const Result<PatternId> body = Patterns(state).alternates();
    if (!body) {
        return tl::unexpected(body.error());
    }
    if (state.now().kind != TokenKind::End) {
        return state.problem("expected the end of the pattern, found " + shown(state.now()));
    }
    state.out.definitions.push_back({"pattern", {}, *body, {1, 1}});
    state.out.items.push_back({false, 0, {}});
    return std::move(state.out);
}

} // namespace lemmascope::match
