// Guards, attributes and replacements of the rule language; tests: tests/core/match/tst_match_parser.cpp.
#include "core/base/nearest.h"
#include "core/match/functions.h"
#include "core/match/parser_state.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace lemmascope::match {

namespace {

struct FactWord {
    std::string_view word;
    FactKind kind;
    bool boolean;
};

constexpr std::array<FactWord, 13> FactWords{{{"rank", FactKind::Rank, false},
                                              {"shape", FactKind::Shape, false},
                                              {"dim", FactKind::Dim, false},
                                              {"dtype", FactKind::Dtype, false},
                                              {"attr", FactKind::Attr, false},
                                              {"is_const", FactKind::IsConst, true},
                                              {"value", FactKind::Value, false},
                                              {"uses", FactKind::Uses, false},
                                              {"size", FactKind::Size, false},
                                              {"op", FactKind::Op, false},
                                              {"cls", FactKind::Cls, false},
                                              {"version", FactKind::Version, false},
                                              {"ints", FactKind::Ints, false}}};

bool isBoolean(const RuleFile& file, ExpressionId id) {
    const ExpressionNode& node = file.at(id);
    switch (node.kind) {
    case ExpressionKind::Compare:
    case ExpressionKind::Not:
    case ExpressionKind::And:
    case ExpressionKind::Or: return true;
    case ExpressionKind::Fact: return node.fact == FactKind::IsConst;
    default: return false;
    }
}

class Guards {
  public:
    explicit Guards(ParserState& state) : m_state(state) {}

    /// Tightest last: | & ! compare + * value.
    Result<ExpressionId> disjunction(bool inPattern) { return chain("|", ExpressionKind::Or, inPattern); }

    Result<ExpressionId> sum() {
        Result<ExpressionId> left = product();
        while (left && (m_state.isSign("+") || m_state.isSign("-"))) {
            left = arithmetic(*left, true);
        }
        return left;
    }

    Result<ExpressionId> boolean(Result<ExpressionId> value) const {
        if (value && !isBoolean(m_state.out, *value)) {
            return m_state.problem("a guard compares: expected =, !=, <, <=, > or >= after this value", m_state.out.at(*value).spot);
        }
        return value;
    }

  private:
    Result<ExpressionId> chain(const char* sign, ExpressionKind kind, bool inPattern) {
        const bool isOr = kind == ExpressionKind::Or;
        const auto part = [&] { return isOr ? chain("&", ExpressionKind::And, false) : negation(); };
        Result<ExpressionId> first = part();
        if (!first || !m_state.isSign(sign)) {
            return first;
        }
        ExpressionNode node;
        node.kind = kind;
        node.spot = m_state.out.at(*first).spot;
        node.children.push_back(*first);
        while (m_state.isSign(sign)) {
            const std::size_t back = m_state.position();
            m_state.take();
            Result<ExpressionId> other = boolean(part());
            if (!other) {
                // After `where` a | that no guard follows parts two alternates of the pattern.
                if (!inPattern) {
                    return other;
                }
                m_state.rewind(back);
                break;
            }
            node.children.push_back(*other);
        }
        if (node.children.size() == 1) {
            return first;
        }
        if (Result<ExpressionId> checked = boolean(*first); !checked) {
            return checked;
        }
        return m_state.add(std::move(node));
    }

    Result<ExpressionId> negation() {
        const ParserState::Nested nested(m_state);
        if (nested.tooDeep()) {
            return m_state.tooDeep(m_state.now().spot);
        }
        const Spot spot = m_state.now().spot;
        if (!m_state.takeSign("!")) {
            return comparison();
        }
        Result<ExpressionId> inner = boolean(negation());
        if (!inner) {
            return inner;
        }
        ExpressionNode node;
        node.kind = ExpressionKind::Not;
        node.spot = spot;
        node.children = {*inner};
        return m_state.add(std::move(node));
    }

    Result<ExpressionId> comparison() {
        static constexpr std::array<std::pair<std::string_view, CompareKind>, 6> Signs{{{"=", CompareKind::Equal},
                                                                                        {"!=", CompareKind::NotEqual},
                                                                                        {"<", CompareKind::Less},
                                                                                        {"<=", CompareKind::LessEqual},
                                                                                        {">", CompareKind::Greater},
                                                                                        {">=", CompareKind::GreaterEqual}}};
        Result<ExpressionId> left = sum();
        if (!left || m_state.now().kind != TokenKind::Sign) {
            return left;
        }
        const auto sign = std::find_if(Signs.begin(), Signs.end(), [&](const auto& each) { return each.first == m_state.now().text; });
        if (sign == Signs.end()) {
            return left;
        }
        if (isBoolean(m_state.out, *left)) {
            return m_state.problem("the left side of " + shown(m_state.now()) + " is a truth value: join guards with & and |");
        }
        m_state.take();
        Result<ExpressionId> right = sum();
        if (!right) {
            return right;
        }
        if (isBoolean(m_state.out, *right)) {
            return m_state.problem("the right side of a comparison is a truth value", m_state.out.at(*right).spot);
        }
        ExpressionNode node;
        node.kind = ExpressionKind::Compare;
        node.compare = sign->second;
        node.spot = m_state.out.at(*left).spot;
        node.children = {*left, *right};
        return m_state.add(std::move(node));
    }

    Result<ExpressionId> arithmetic(ExpressionId left, bool sums) {
        ExpressionNode node;
        node.kind = ExpressionKind::Arithmetic;
        node.spot = m_state.out.at(left).spot;
        const std::string sign = m_state.take().text;
        node.arithmetic = sign == "//" ? FloorDivision : sign[0];
        const Result<ExpressionId> right = sums ? product() : value();
        if (!right) {
            return right;
        }
        if (isBoolean(m_state.out, left) || isBoolean(m_state.out, *right)) {
            return m_state.problem("arithmetic on a truth value", node.spot);
        }
        node.children = {left, *right};
        return m_state.add(std::move(node));
    }

    Result<ExpressionId> product() {
        Result<ExpressionId> left = value();
        while (left && (m_state.isSign("*") || m_state.isSign("/") || m_state.isSign("//") || m_state.isSign("%"))) {
            left = arithmetic(*left, false);
        }
        return left;
    }

    Result<ExpressionId> value() {
        const ParserState::Nested nested(m_state);
        const Token token = m_state.now();
        if (nested.tooDeep()) {
            return m_state.tooDeep(token.spot);
        }
        ExpressionNode node;
        node.spot = token.spot;
        if (token.kind == TokenKind::Number) {
            const Result<NumberLiteral> number = parseNumber(m_state, false);
            if (!number) {
                return tl::unexpected(number.error());
            }
            node.number = *number;
            return m_state.add(std::move(node));
        }
        if (token.kind == TokenKind::Text || (token.kind == TokenKind::Word && !m_state.nextIsSign("("))) {
            node.kind = token.kind == TokenKind::Text ? ExpressionKind::Text : ExpressionKind::Word;
            node.text = m_state.take().text;
            return m_state.add(std::move(node));
        }
        if (token.kind == TokenKind::Word) {
            return isFunction(token.text) ? function(std::move(node)) : fact();
        }
        if (token.kind == TokenKind::Value) {
            node.kind = ExpressionKind::Variable;
            node.name = {NameKind::Value, m_state.take().text, token.spot};
            return m_state.add(std::move(node));
        }
        if (m_state.takeSign("(")) {
            Result<ExpressionId> inner = disjunction(false);
            if (inner) {
                if (const Result<void> closed = m_state.expectSign(")", "after the guard or value in parentheses"); !closed) {
                    return tl::unexpected(closed.error());
                }
            }
            return inner;
        }
        if (m_state.takeSign("-")) {
            if (m_state.now().kind == TokenKind::Number) {
                m_state.rewind(m_state.position() - 1);
                const Result<NumberLiteral> number = parseNumber(m_state, false);
                if (!number) {
                    return tl::unexpected(number.error());
                }
                node.number = *number;
                return m_state.add(std::move(node));
            }
            const Result<ExpressionId> inner = value();
            if (!inner) {
                return inner;
            }
            node.kind = ExpressionKind::Arithmetic;
            node.arithmetic = '-';
            node.children = {*inner};
            return m_state.add(std::move(node));
        }
        if (m_state.takeSign("[")) {
            return list(std::move(node));
        }
        return m_state.problem("expected a value, for example rank(?x), dtype(?x), 2 or f32, found " + shown(token));
    }

    Result<ExpressionId> list(ExpressionNode node) {
        node.kind = ExpressionKind::List;
        while (!m_state.takeSign("]")) {
            if (!node.children.empty()) {
                if (const Result<void> comma = m_state.expectSign(",", "or ']' in a list"); !comma) {
                    return tl::unexpected(comma.error());
                }
            }
            const Result<ExpressionId> item = sum();
            if (!item) {
                return item;
            }
            node.children.push_back(*item);
        }
        return m_state.add(std::move(node));
    }

    Result<ExpressionId> function(ExpressionNode node) {
        node.kind = ExpressionKind::Function;
        node.text = m_state.take().text;
        m_state.take();
        while (!m_state.takeSign(")")) {
            if (!node.children.empty()) {
                if (const Result<void> comma = m_state.expectSign(",", "or ')' in " + node.text + "(...)"); !comma) {
                    return tl::unexpected(comma.error());
                }
            }
            const Result<ExpressionId> argument = sum();
            if (!argument) {
                return argument;
            }
            node.children.push_back(*argument);
        }
        if (!takesArguments(node.text, node.children.size())) {
            return m_state.problem(functionUse(node.text) + ", found " + std::to_string(node.children.size()) + " arguments", node.spot);
        }
        return m_state.add(std::move(node));
    }

    Result<ExpressionId> fact() {
        const Token word = m_state.take();
        const auto* known = std::find_if(FactWords.begin(), FactWords.end(), [&](const FactWord& each) { return each.word == word.text; });
        if (known == FactWords.end()) {
            std::vector<std::string_view> words;
            for (const FactWord& each : FactWords) {
                words.push_back(each.word);
            }
            const std::vector<std::string_view> functions = functionNames();
            words.insert(words.end(), functions.begin(), functions.end());
            const auto near = nearestWord(word.text, words);
            return m_state.problem("guards know no '" + word.text + "'" +
                                       (near ? ": did you mean '" + std::string(*near) + "'?"
                                             : "; they read rank, shape, dim, dtype, attr, is_const, value, ints, uses, "
                                               "size, op, cls and version"),
                                   word.spot);
        }
        m_state.take();
        ExpressionNode node;
        node.kind = ExpressionKind::Fact;
        node.fact = known->kind;
        node.spot = word.spot;
        const Token about = m_state.now();
        const bool function = about.kind == TokenKind::Function;
        if (about.kind != TokenKind::Value && !function) {
            return m_state.problem("expected a name, ?x, in " + word.text + "(...), found " + shown(about));
        }
        if (function && known->kind != FactKind::Op && known->kind != FactKind::Cls) {
            return m_state.problem(word.text + "(%" + about.text + "): an operator has only op(%" + about.text + ") and cls(%" + about.text + ")");
        }
        m_state.take();
        node.name = {function ? NameKind::Function : NameKind::Value, about.text, about.spot};
        if (known->kind == FactKind::Dim || known->kind == FactKind::Attr) {
            const std::string what = known->kind == FactKind::Dim ? "and an axis in dim(?x, 0)" : "and a name in attr(?x, \"axis\")";
            if (const Result<void> comma = m_state.expectSign(",", what); !comma) {
                return tl::unexpected(comma.error());
            }
            const Result<ExpressionId> argument = sum();
            if (!argument) {
                return argument;
            }
            const ExpressionKind kind = m_state.out.at(*argument).kind;
            if (known->kind == FactKind::Attr && kind != ExpressionKind::Text && kind != ExpressionKind::Word) {
                return m_state.problem("expected an attribute's name, as in attr(?x, \"axis\")", m_state.out.at(*argument).spot);
            }
            node.children.push_back(*argument);
        }
        if (const Result<void> closed = m_state.expectSign(")", "after " + word.text + "(?" + about.text); !closed) {
            return tl::unexpected(closed.error());
        }
        return m_state.add(std::move(node));
    }

    ParserState& m_state;
};

Result<AttributeValue> attributeValue(ParserState& state) {
    const ParserState::Nested nested(state);
    const Token token = state.now();
    AttributeValue out;
    if (token.kind == TokenKind::Number || state.isSign("-")) {
        const Result<NumberLiteral> number = parseNumber(state, true);
        if (!number) {
            return tl::unexpected(number.error());
        }
        out.number = *number;
        return out;
    }
    if (token.kind == TokenKind::Text || token.kind == TokenKind::Word || token.kind == TokenKind::Value) {
        out.kind = token.kind == TokenKind::Text   ? AttributeValue::Kind::Text
                   : token.kind == TokenKind::Word ? AttributeValue::Kind::Word
                                                   : AttributeValue::Kind::Variable;
        out.text = state.take().text;
        return out;
    }
    if (state.takeSign("[")) {
        out.kind = AttributeValue::Kind::List;
        while (!state.takeSign("]")) {
            if (!out.items.empty()) {
                if (const Result<void> comma = state.expectSign(",", "or ']' in a list"); !comma) {
                    return tl::unexpected(comma.error());
                }
            }
            if (state.isSign("[") || state.now().kind == TokenKind::Value) {
                return state.problem("a list holds numbers, texts or words, found " + shown(state.now()));
            }
            Result<AttributeValue> item = attributeValue(state);
            if (!item) {
                return item;
            }
            out.items.push_back(std::move(*item));
        }
        return out;
    }
    return state.problem("expected an attribute's value: a number, \"text\", a word like f16, a list or ?name, found " + shown(token));
}

/// Facts and functions that an operand may begin with; the others, as `size(?x)`, are operators there.
constexpr std::array<std::string_view, 12> OperandFacts{"rank", "shape", "dim",   "value", "attr",    "ints",
                                                        "pick", "item",  "count", "axis",  "product", "repeat"};

class Replacements {
  public:
    explicit Replacements(ParserState& state) : m_state(state) {}

    Result<ReplacementId> value(bool operand) {
        const ParserState::Nested nested(m_state);
        const Token token = m_state.now();
        if (nested.tooDeep()) {
            return m_state.tooDeep(token.spot);
        }
        ReplacementNode node;
        node.spot = token.spot;
        if (operand && m_state.takeSign("..")) {
            const Token rest = m_state.take();
            if (rest.kind != TokenKind::Word && rest.kind != TokenKind::Value) {
                return m_state.problem("expected a name after '..', found " + shown(rest), rest.spot);
            }
            node.kind = ReplacementKind::Rest;
            node.name = {NameKind::Rest, rest.text, rest.spot};
            return m_state.add(std::move(node));
        }
        if (isExpression()) {
            return expression(std::move(node));
        }
        if (token.kind == TokenKind::Value) {
            node.name = {NameKind::Value, m_state.take().text, token.spot};
            return m_state.add(std::move(node));
        }
        if (operand && m_state.isWord("none") && !m_state.nextIsSign("(")) {
            m_state.take();
            node.kind = ReplacementKind::Omitted;
            return m_state.add(std::move(node));
        }
        if (m_state.takeSign("(")) {
            Result<ReplacementId> inner = value(false);
            if (inner) {
                if (const Result<void> closed = m_state.expectSign(")", "after the value in parentheses"); !closed) {
                    return tl::unexpected(closed.error());
                }
            }
            return inner;
        }
        if (m_state.isWord("result") && m_state.next().kind == TokenKind::Number) {
            return result(std::move(node));
        }
        if (token.kind == TokenKind::Function) {
            node.kind = ReplacementKind::FunctionVariable;
            node.name = {NameKind::Function, m_state.take().text, token.spot};
            return operands(std::move(node), true);
        }
        if (token.kind == TokenKind::Word || token.kind == TokenKind::Text) {
            node.kind = ReplacementKind::Operator;
            const Result<OperatorName> name = parseOperatorName(m_state);
            if (!name) {
                return tl::unexpected(name.error());
            }
            node.op = *name;
            if (m_state.isSign("{")) {
                Result<std::vector<AttributePattern>> attributes = parseAttributes(m_state, true);
                if (!attributes) {
                    return tl::unexpected(attributes.error());
                }
                node.attributes = std::move(*attributes);
            }
            return operands(std::move(node), false);
        }
        return m_state.problem("expected the replacement: an operator, ?x or a number, found " + shown(token));
    }

  private:
    /// Numbers, lists, facts, and what an arithmetic sign follows; all else is an operator, even where functions of numbers share its name.
    [[nodiscard]] bool isExpression() const {
        const Token& token = m_state.now();
        if (token.kind == TokenKind::Number || m_state.isSign("-") || m_state.isSign("[")) {
            return true;
        }
        if (token.kind == TokenKind::Value) {
            return isArithmetic(m_state.next());
        }
        const bool call = token.kind == TokenKind::Word && m_state.nextIsSign("(");
        if (call && std::find(OperandFacts.begin(), OperandFacts.end(), token.text) != OperandFacts.end()) {
            return true;
        }
        return (call || m_state.isSign("(")) && isArithmetic(afterParenthesis(m_state.position() + (call ? 1 : 0)));
    }

    static bool isArithmetic(const Token& token) {
        static constexpr std::array<std::string_view, 6> Signs{"+", "-", "*", "/", "//", "%"};
        return token.kind == TokenKind::Sign && std::find(Signs.begin(), Signs.end(), token.text) != Signs.end();
    }

    /// The token behind the one that closes the parenthesis at `at`.
    [[nodiscard]] const Token& afterParenthesis(std::size_t at) const {
        const std::vector<Token>& tokens = m_state.all();
        std::size_t open = 0;
        for (; at + 1 < tokens.size(); ++at) {
            const bool sign = tokens[at].kind == TokenKind::Sign;
            open += sign && tokens[at].text == "(" ? 1 : 0;
            open -= sign && tokens[at].text == ")" ? 1 : 0;
            if (open == 0) {
                return tokens[at + 1];
            }
        }
        return tokens.back();
    }

    Result<ReplacementId> expression(ReplacementNode node) {
        const Result<ExpressionId> value = Guards(m_state).sum();
        if (!value) {
            return tl::unexpected(value.error());
        }
        const ExpressionNode& read = m_state.out.at(*value);
        if (isBoolean(m_state.out, *value)) {
            return m_state.problem("an operand is a value, not a truth value", read.spot);
        }
        node.kind = ReplacementKind::Expression;
        node.expression = *value;
        if (read.kind == ExpressionKind::Number) {
            node.kind = ReplacementKind::Number;
            node.number = read.number;
        }
        return m_state.add(std::move(node));
    }

    Result<ReplacementId> result(ReplacementNode node) {
        m_state.take();
        const Token index = m_state.take();
        const auto number = static_cast<std::uint32_t>(std::strtoul(index.text.c_str(), nullptr, 10));
        if (!m_state.takeWord("of")) {
            return m_state.problem("expected 'of' in 'result " + index.text + " of f(...)', found " + shown(m_state.now()));
        }
        const Result<ReplacementId> of = value(false);
        if (!of) {
            return of;
        }
        node.kind = ReplacementKind::Result;
        node.resultIndex = number;
        node.children = {*of};
        return m_state.add(std::move(node));
    }

    Result<ReplacementId> operands(ReplacementNode node, bool needed) {
        if (!m_state.isSign("(")) {
            return needed ? Result<ReplacementId>(m_state.problem("expected '(' and operands, found " + shown(m_state.now())))
                          : m_state.add(std::move(node));
        }
        m_state.take();
        while (!m_state.takeSign(")")) {
            if (!node.children.empty()) {
                if (const Result<void> comma = m_state.expectSign(",", "or ')' between operands"); !comma) {
                    return tl::unexpected(comma.error());
                }
            }
            const Result<ReplacementId> operand = value(true);
            if (!operand) {
                return operand;
            }
            node.children.push_back(*operand);
        }
        return m_state.add(std::move(node));
    }

    ParserState& m_state;
};

} // namespace

Result<NumberLiteral> parseNumber(ParserState& state, bool tolerances) {
    NumberLiteral out;
    const bool negative = state.takeSign("-");
    const Token token = state.now();
    if (token.kind != TokenKind::Number) {
        return state.problem("expected a number" + std::string(negative ? " after '-'" : "") + ", found " + shown(token));
    }
    state.take();
    out.text = (negative ? "-" : "") + token.text;
    const auto read = [&](const std::string& text, double& value) {
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
        return problem == std::errc() && end == text.data() + text.size() && std::isfinite(value);
    };
    if (!read(out.text, out.value)) {
        return state.problem("the number " + out.text + " is too large or too small", token.spot);
    }
    if (out.text.find_first_of(".eE") == std::string::npos) {
        std::int64_t integer = 0;
        const auto [end, problem] = std::from_chars(out.text.data(), out.text.data() + out.text.size(), integer);
        if (problem != std::errc() || end != out.text.data() + out.text.size()) {
            return state.problem("the integer " + out.text + " has more than 64 bits", token.spot);
        }
        out.integer = integer;
    }
    if (tolerances && state.isSign("~") && state.next().kind == TokenKind::Number) {
        state.take();
        const Token tolerance = state.take();
        double value = 0.0;
        if (!read(tolerance.text, value)) {
            return state.problem("the tolerance " + tolerance.text + " is too large or too small", tolerance.spot);
        }
        out.tolerance = value;
        out.toleranceText = tolerance.text;
    }
    return out;
}

Result<OperatorName> parseOperatorName(ParserState& state) {
    OperatorName out;
    if (state.now().kind == TokenKind::Text) {
        out.domain = state.take().text;
        if (const Result<void> colon = state.expectSign(":", "between a domain and an operator"); !colon) {
            return tl::unexpected(colon.error());
        }
    }
    const Token word = state.now();
    if (word.kind != TokenKind::Word) {
        return state.problem("expected an operator's name, found " + shown(word));
    }
    out.name = state.take().text;
    if (state.isSign(":") && state.next().kind == TokenKind::Number) {
        state.take();
        const Token number = state.take();
        std::int64_t version = 0;
        const auto [end, problem] = std::from_chars(number.text.data(), number.text.data() + number.text.size(), version);
        if (problem != std::errc() || end != number.text.data() + number.text.size() || version < 1) {
            return state.problem("'" + number.text + "' is no version: expected an integer from 1 after ':'", number.spot);
        }
        out.version = version;
    }
    return out;
}

Result<ExpressionId> parseGuard(ParserState& state, bool inPattern) {
    Guards guards(state);
    return guards.boolean(guards.disjunction(inPattern));
}

Result<std::vector<AttributePattern>> parseAttributes(ParserState& state, bool replacement) {
    std::vector<AttributePattern> out;
    if (const Result<void> open = state.expectSign("{", "before attributes"); !open) {
        return tl::unexpected(open.error());
    }
    while (!state.takeSign("}")) {
        if (!out.empty()) {
            if (const Result<void> comma = state.expectSign(",", "or '}' between attributes"); !comma) {
                return tl::unexpected(comma.error());
            }
        }
        AttributePattern attribute;
        const Token name = state.now();
        attribute.spot = name.spot;
        if (replacement && state.takeSign("..")) {
            const Token from = state.now();
            if (from.kind != TokenKind::Value) {
                return state.problem("expected ?x after '..', a value whose node has the attributes, found " + shown(from));
            }
            const Result<ExpressionId> node = Guards(state).sum();
            if (!node) {
                return tl::unexpected(node.error());
            }
            if (state.out.at(*node).kind != ExpressionKind::Variable) {
                return state.problem("expected ',' or '}' after '..?" + from.text + "'", from.spot);
            }
            attribute.copies = true;
            attribute.value.kind = AttributeValue::Kind::Expression;
            attribute.value.expression = *node;
            out.push_back(std::move(attribute));
            continue;
        }
        if (name.kind != TokenKind::Word) {
            return state.problem("expected an attribute's name, found " + shown(name));
        }
        attribute.name = state.take().text;
        for (const AttributePattern& other : out) {
            if (other.name == attribute.name) {
                return state.problem("the attribute '" + attribute.name + "' is named twice", name.spot);
            }
        }
        attribute.orOperand = !replacement && state.takeSign("@=");
        if (!attribute.orOperand) {
            if (const Result<void> equals =
                    state.expectSign("=", std::string(replacement ? "" : "or '@=' ") + "after the attribute '" + attribute.name + "'");
                !equals) {
                return tl::unexpected(equals.error());
            }
        }
        if (replacement) {
            const Result<ExpressionId> value = Guards(state).sum();
            if (!value) {
                return tl::unexpected(value.error());
            }
            attribute.value.kind = AttributeValue::Kind::Expression;
            attribute.value.expression = *value;
        } else {
            Result<AttributeValue> value = attributeValue(state);
            if (!value) {
                return tl::unexpected(value.error());
            }
            attribute.value = std::move(*value);
        }
        out.push_back(std::move(attribute));
    }
    return out;
}

Result<Replacement> parseReplacement(ParserState& state) {
    Replacement out;
    while (state.isWord("let") && state.next().kind == TokenKind::Value) {
        state.take();
        const Token name = state.take();
        if (const Result<void> equals = state.expectSign("=", "after 'let ?" + name.text + "'"); !equals) {
            return tl::unexpected(equals.error());
        }
        const Result<ReplacementId> value = Replacements(state).value(false);
        if (!value) {
            return tl::unexpected(value.error());
        }
        out.lets.emplace_back(Name{NameKind::Value, name.text, name.spot}, *value);
        if (!state.takeWord("in")) {
            return state.problem("expected 'in' after the value of 'let ?" + name.text + "', found " + shown(state.now()));
        }
    }
    const Result<ReplacementId> value = Replacements(state).value(false);
    if (!value) {
        return tl::unexpected(value.error());
    }
    out.result = *value;
    return out;
}

} // namespace lemmascope::match
