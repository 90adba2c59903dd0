// The text format of definitions (resources/help/definitions.md): lexer, parser, and the checks a user's file must pass.
// Expressions become postfix code. The parser descends at most MaxDepth levels, so that no input can exhaust the stack.

#include "core/graph/definition_code.h"
#include "core/graph/op_registry.h"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace lemmascope {

namespace {

constexpr int MaxDepth = 48;
constexpr std::size_t MaxText = std::size_t{1} << 22U;
constexpr std::size_t MaxDigits = 60;
constexpr int MaxExponent = 400;

enum class Token : std::uint8_t { Name, Number, Text, Symbol, LineEnd, End };

struct Lexeme {
    Token token = Token::End;
    std::string text;
    int line = 1;
    bool whole = false; ///< of a number: written without point and exponent
};

std::string shown(const Lexeme& lexeme) {
    switch (lexeme.token) {
    case Token::LineEnd: return "the end of the line";
    case Token::End: return "the end of the file";
    case Token::Text: return "the text '" + lexeme.text + "'";
    default: return "'" + lexeme.text + "'";
    }
}

bool isNameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool isNamePart(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string keyOf(std::string_view domain, std::string_view name) {
    return std::string(domain == "ai.onnx" ? std::string_view() : domain) + "\n" + std::string(name);
}

/// The exact value of a decimal literal.
mpq_class decimal(const std::string& text) {
    std::string digits;
    long exponent = 0;
    bool behindPoint = false;
    std::size_t at = 0;
    for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
        if (text[at] == '.') {
            behindPoint = true;
            continue;
        }
        digits.push_back(text[at]);
        exponent -= behindPoint ? 1 : 0;
    }
    if (at < text.size()) {
        exponent += std::stol(text.substr(at + 1));
    }
    mpq_class value{mpz_class(digits, 10)};
    mpz_class power;
    mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::abs(exponent)));
    if (exponent < 0) {
        value /= mpq_class(power);
    } else {
        value *= mpq_class(power);
    }
    value.canonicalize();
    return value;
}

} // namespace

struct DefinitionParser {
    std::string_view text;
    std::string file;
    DefinitionLibrary& library;
    bool ours = false;
    std::vector<Lexeme> lexemes;
    std::size_t next = 0;
    std::optional<Error> error;
    std::vector<DefinitionStep>* code = nullptr;

    void complain(int line, const std::string& message) {
        if (!error) {
            error = Error{ErrorCode::BadData, message, file + ":" + std::to_string(line)};
        }
    }

    void lex() {
        int line = 1;
        int brackets = 0;
        std::size_t at = 0;
        const auto push = [&](Token token, std::string_view what, bool whole = false) {
            lexemes.push_back(Lexeme{token, std::string(what), line, whole});
        };
        while (at < text.size() && !error) {
            const char c = text[at];
            if (c == '\n') {
                if (brackets == 0 && !lexemes.empty() && lexemes.back().token != Token::LineEnd) {
                    push(Token::LineEnd, "");
                }
                ++line;
                ++at;
            } else if (c == ' ' || c == '\t' || c == '\r') {
                ++at;
            } else if (c == '#') {
                at = std::min(text.find('\n', at), text.size());
            } else if (isNameStart(c)) {
                std::size_t end = at + 1;
                while (end < text.size() && (isNamePart(text[end]) || (text[end] == '.' && end + 1 < text.size() && isNameStart(text[end + 1])))) {
                    ++end;
                }
                push(Token::Name, text.substr(at, end - at));
                at = end;
            } else if (isDigit(c) || (c == '.' && at + 1 < text.size() && isDigit(text[at + 1]))) {
                at = lexNumber(at, line);
            } else if (c == '\'') {
                const std::size_t end = text.find_first_of("'\n", at + 1);
                if (end == std::string_view::npos || text[end] == '\n') {
                    complain(line, "a text that begins with ' has no end on its line; close it with '");
                    break;
                }
                push(Token::Text, text.substr(at + 1, end - at - 1));
                at = end + 1;
            } else {
                static constexpr std::string_view Long[] = {"...", "->", "//", "==", "!=", "<=", ">="};
                std::string_view symbol = text.substr(at, 1);
                for (const std::string_view each : Long) {
                    if (text.substr(at, each.size()) == each) {
                        symbol = each;
                        break;
                    }
                }
                if (symbol.size() == 1 && std::string_view("()[],;=:?+-*/%<>").find(c) == std::string_view::npos) {
                    complain(line, "unexpected character '" + std::string(1, c) + "'; see the help page on definitions for the format");
                    break;
                }
                brackets += symbol == "(" || symbol == "[" ? 1 : symbol == ")" || symbol == "]" ? -1 : 0;
                push(Token::Symbol, symbol);
                at += symbol.size();
            }
        }
        if (lexemes.empty() || lexemes.back().token != Token::LineEnd) {
            push(Token::LineEnd, "");
        }
        push(Token::End, "");
    }

    std::size_t lexNumber(std::size_t at, int line) {
        std::size_t end = at;
        bool whole = true;
        while (end < text.size() && isDigit(text[end])) {
            ++end;
        }
        if (end < text.size() && text[end] == '.' && text.substr(end, 3) != "...") {
            whole = false;
            for (++end; end < text.size() && isDigit(text[end]);) {
                ++end;
            }
        }
        const std::size_t mantissa = end - at;
        if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
            std::size_t digits = end + 1;
            digits += digits < text.size() && (text[digits] == '-' || text[digits] == '+') ? 1 : 0;
            std::size_t last = digits;
            while (last < text.size() && isDigit(text[last])) {
                ++last;
            }
            if (last == digits || last - digits > 3 || std::stoi(std::string(text.substr(digits, last - digits))) > MaxExponent) {
                complain(line, "the exponent of a number must be between -" + std::to_string(MaxExponent) + " and " + std::to_string(MaxExponent));
                return last;
            }
            whole = false;
            end = last;
        }
        if (mantissa > MaxDigits) {
            complain(line, "a number has " + std::to_string(mantissa) + " digits, expected at most " + std::to_string(MaxDigits));
        }
        std::string written(text.substr(at, end - at));
        if (const std::size_t plus = written.find('+'); plus != std::string::npos) {
            written.erase(plus, 1);
        }
        lexemes.push_back(Lexeme{Token::Number, std::move(written), line, whole});
        return end;
    }

    [[nodiscard]] const Lexeme& look() const { return lexemes[next]; }
    [[nodiscard]] bool is(std::string_view symbol) const { return look().token == Token::Symbol && look().text == symbol; }
    [[nodiscard]] bool isWord(std::string_view word) const { return look().token == Token::Name && look().text == word; }
    void advance() { next += look().token == Token::End ? 0 : 1; }
    bool take(std::string_view symbol) {
        const bool found = is(symbol);
        if (found) {
            advance();
        }
        return found;
    }
    bool takeWord(std::string_view word) {
        const bool found = isWord(word);
        if (found) {
            advance();
        }
        return found;
    }
    bool expect(std::string_view symbol) {
        if (!take(symbol)) {
            complain(look().line, "found " + shown(look()) + ", expected '" + std::string(symbol) + "'");
        }
        return !error;
    }
    std::string expectName(const char* what) {
        if (look().token != Token::Name) {
            complain(look().line, "found " + shown(look()) + ", expected " + what);
            return {};
        }
        std::string name = look().text;
        advance();
        return name;
    }

    void emit(DefinitionStep step) { code->push_back(std::move(step)); }
    void emit(DefinitionStep::Kind kind, std::string what, std::size_t count = 0) {
        DefinitionStep step;
        step.kind = kind;
        step.text = std::move(what);
        step.count = count;
        emit(std::move(step));
    }

    // Expressions, loosest first: or, and, not, comparisons, + -, * / // %, unary -, [index].
    void expression(int depth) { binary(depth, 0); }

    void binary(int depth, int level) {
        static const std::vector<std::vector<std::string_view>> Levels{
            {"or"}, {"and"}, {"==", "!=", "<", "<=", ">", ">=", "in"}, {"+", "-"}, {"*", "/", "//", "%"}};
        if (depth > MaxDepth) {
            complain(look().line, "an expression is nested more than " + std::to_string(MaxDepth) + " deep; give its parts names");
        }
        if (error) {
            return;
        }
        if (level == static_cast<int>(Levels.size())) {
            unary(depth + 1);
            return;
        }
        if (level == 2 && takeWord("not")) {
            binary(depth + 1, 2);
            emit(DefinitionStep::Kind::Not, "not");
            return;
        }
        binary(depth, level + 1);
        while (!error) {
            const auto& symbols = Levels[static_cast<std::size_t>(level)];
            const bool here = (look().token == Token::Symbol || look().token == Token::Name) &&
                              std::find(symbols.begin(), symbols.end(), look().text) != symbols.end();
            if (!here) {
                return;
            }
            const std::string symbol = look().text;
            advance();
            binary(depth, level + 1);
            emit(DefinitionStep::Kind::Binary, symbol);
        }
    }

    void unary(int depth) {
        if (depth > MaxDepth) {
            complain(look().line, "an expression is nested more than " + std::to_string(MaxDepth) + " deep; give its parts names");
        }
        if (error) {
            return;
        }
        if (take("-")) {
            unary(depth + 1);
            emit(DefinitionStep::Kind::Negate, "-");
            return;
        }
        primary(depth);
        while (!error && take("[")) {
            expression(depth + 1);
            expect("]");
            emit(DefinitionStep::Kind::Item, "[]");
        }
    }

    void primary(int depth) {
        const Lexeme first = look();
        if (first.token == Token::Number) {
            advance();
            DefinitionStep step;
            step.kind = DefinitionStep::Kind::Number;
            step.number.q = decimal(first.text);
            emit(std::move(step));
        } else if (first.token == Token::Text) {
            advance();
            emit(DefinitionStep::Kind::Text, first.text);
        } else if (take("(")) {
            expression(depth + 1);
            expect(")");
        } else if (take("[")) {
            std::size_t count = 0;
            while (!error && !is("]")) {
                expression(depth + 1);
                ++count;
                if (!take(",")) {
                    break;
                }
            }
            expect("]");
            emit(DefinitionStep::Kind::List, "", count);
        } else if (first.token == Token::Name) {
            advance();
            if (take("(")) {
                call(first.text, depth);
            } else {
                emit(DefinitionStep::Kind::Name, first.text);
            }
        } else {
            complain(first.line, "found " + shown(first) + ", expected a value");
        }
    }

    void call(const std::string& callee, int depth) {
        DefinitionStep step;
        const std::size_t dot = callee.rfind('.');
        const char initial = callee[dot == std::string::npos ? 0 : dot + 1];
        const bool op = std::isupper(static_cast<unsigned char>(initial)) != 0 || callee == "apply" || dot != std::string::npos;
        step.kind = op ? DefinitionStep::Kind::Apply : DefinitionStep::Kind::Function;
        step.text = callee;
        while (!error && !is(")")) {
            if (take("...")) {
                step.allAttributes = true;
            } else if (look().token == Token::Name && lexemes[next + 1].token == Token::Symbol && lexemes[next + 1].text == "=") {
                step.keywords.push_back(look().text);
                advance();
                advance();
                expression(depth + 1);
            } else {
                if (!step.keywords.empty()) {
                    complain(look().line, "an operand stands behind the attribute '" + step.keywords.back() + "'; write operands first");
                }
                expression(depth + 1);
                ++step.count;
            }
            if (!take(",")) {
                break;
            }
        }
        if (!op && (!step.keywords.empty() || step.allAttributes)) {
            complain(look().line, "the function '" + callee + "' takes no attributes; names of ops begin with a capital letter");
        }
        expect(")");
        emit(std::move(step));
    }

    std::optional<Attribute> literal() {
        std::vector<DefinitionStep> steps;
        code = &steps;
        const int line = look().line;
        const std::size_t begin = next;
        expression(0);
        if (error) {
            return std::nullopt;
        }
        bool whole = true;
        for (std::size_t k = begin; k < next; ++k) {
            whole = whole && (lexemes[k].token != Token::Number || lexemes[k].whole);
        }
        std::vector<mpq_class> numbers;
        bool list = false;
        for (const DefinitionStep& step : steps) {
            if (step.kind == DefinitionStep::Kind::Number) {
                numbers.push_back(step.number.q);
            } else if (step.kind == DefinitionStep::Kind::Negate && !numbers.empty()) {
                numbers.back() = -numbers.back();
            } else if (step.kind == DefinitionStep::Kind::Text && steps.size() == 1) {
                return Attribute(step.text);
            } else if (step.kind == DefinitionStep::Kind::List && &step == &steps.back()) {
                list = true;
            } else {
                complain(line, "the default of an attribute is a number, a text or a list of numbers");
                return std::nullopt;
            }
        }
        std::vector<std::int64_t> integers;
        std::vector<float> floats;
        for (const mpq_class& each : numbers) {
            if (whole && !each.get_num().fits_slong_p()) {
                complain(line, "the default of an attribute is beyond 64 bits");
                return std::nullopt;
            }
            integers.push_back(whole ? each.get_num().get_si() : 0);
            // Digits of a decimal literal decide the float: get_d truncates, so read the nearest double of text instead.
            DefinedNumber number;
            number.q = each;
            floats.push_back(static_cast<float>(number.doubles()[1]));
        }
        if (list) {
            return whole ? Attribute(integers) : Attribute(floats);
        }
        return whole ? Attribute(integers.at(0)) : Attribute(floats.at(0));
    }

    void header(Definition& definition) {
        std::string full = expectName("the name of an op, as in 'op com.example.Scale(x; by = 2.0) -> y'");
        const std::size_t dot = full.rfind('.');
        definition.domain = dot == std::string::npos ? "" : full.substr(0, dot);
        definition.name = dot == std::string::npos ? full : full.substr(dot + 1);
        if (definition.domain == "ai.onnx") {
            definition.domain.clear();
        }
        expect("(");
        while (!error && !is(")") && !is(";")) {
            DefinitionOperand operand;
            if (!definition.operands.empty() && definition.operands.back().variadic) {
                complain(look().line, "an operand stands behind '" + definition.operands.back().name + "...', which takes all that follow");
            }
            operand.name = expectName("the name of an operand");
            operand.optional = take("?");
            operand.variadic = take("...");
            definition.operands.push_back(operand);
            if (!take(",")) {
                break;
            }
        }
        if (take(";")) {
            while (!error && !is(")")) {
                DefinitionAttribute attribute;
                attribute.name = expectName("the name of an attribute");
                attribute.optional = take("?");
                if (take("=")) {
                    attribute.fallback = literal();
                }
                definition.attributes.push_back(std::move(attribute));
                if (!take(",")) {
                    break;
                }
            }
        }
        expect(")");
        expect("->");
        do {
            definition.results.push_back(expectName("the name of a result"));
        } while (!error && take(","));
        lineEnd();
    }

    void lineEnd() {
        if (error) {
            return;
        }
        if (look().token != Token::LineEnd && look().token != Token::End) {
            complain(look().line, "found " + shown(look()) + ", expected the end of the line");
        }
        advance();
    }

    void version(std::int64_t& into) {
        if (look().token != Token::Number || !look().whole || look().text.size() > 6) {
            complain(look().line, "found " + shown(look()) + ", expected an opset version");
            return;
        }
        into = std::stoll(look().text);
        advance();
        lineEnd();
    }

    void statement(Definition& definition) {
        DefinitionStatement statement;
        statement.line = look().line;
        if (takeWord("if")) {
            code = &statement.condition;
            expression(0);
            expect(":");
        }
        if (takeWord("require")) {
            const std::size_t begin = next;
            code = &statement.value;
            expression(0);
            for (std::size_t k = begin; k < next; ++k) {
                const bool glued = k == begin || lexemes[k].text == ")" || lexemes[k].text == "(" || lexemes[k].text == "," ||
                                   lexemes[k].text == "]" || lexemes[k - 1].text == "(" || lexemes[k - 1].text == "[";
                statement.source += (glued ? "" : " ") + (lexemes[k].token == Token::Text ? "'" + lexemes[k].text + "'" : lexemes[k].text);
            }
        } else {
            do {
                statement.targets.push_back(expectName("a statement: 'name = expression', 'require condition' or 'if condition: statement'"));
            } while (!error && take(","));
            expect("=");
            code = &statement.value;
            expression(0);
            if (!error && statement.targets.size() > 1 && statement.value.back().kind != DefinitionStep::Kind::Apply) {
                complain(statement.line, "several names on the left need an op on the right");
            }
        }
        lineEnd();
        definition.statements.push_back(std::move(statement));
    }

    /// Names must be told apart, and every name that is read must have been given one.
    void checkNames(const Definition& definition) {
        std::set<std::string> known;
        const auto introduce = [&](const std::string& name) {
            if (!known.insert(name).second) {
                complain(definition.line, "'" + name + "' is named twice in the heading of '" + definedName(definition) + "'");
            }
        };
        for (const DefinitionOperand& operand : definition.operands) {
            introduce(operand.name);
        }
        for (const DefinitionAttribute& attribute : definition.attributes) {
            introduce(attribute.name);
        }
        std::set<std::string> given;
        for (const DefinitionStatement& statement : definition.statements) {
            for (const auto* steps : {&statement.condition, &statement.value}) {
                for (const DefinitionStep& step : *steps) {
                    if (step.kind == DefinitionStep::Kind::Name && known.count(step.text) == 0 && step.text != "pi" && step.text != "true" &&
                        step.text != "false") {
                        complain(statement.line,
                                 "'" + step.text + "' is read before it has a value; operands and attributes are named in the heading");
                    }
                }
            }
            for (const std::string& target : statement.targets) {
                known.insert(target);
                given.insert(target);
            }
        }
        for (const std::string& result : definition.results) {
            if (given.count(result) == 0) {
                complain(definition.line, "the result '" + result + "' of '" + definedName(definition) + "' is never given a value");
            }
        }
    }

    void checkOp(const Definition& definition) {
        for (const std::size_t other : library.m_byName[keyOf(definition.domain, definition.name)]) {
            const Definition& before = *library.m_all[other];
            const bool apart = (before.until != 0 && before.until <= definition.since) || (definition.until != 0 && definition.until <= before.since);
            if (!apart) {
                complain(definition.line, "'" + definedName(definition) + "' is defined before, on line " + std::to_string(before.line) +
                                              "; give the two 'since' and 'until' that do not overlap");
            }
        }
        if (!ours) {
            const OpId op{definition.domain, definition.name, std::max<std::int64_t>(definition.since, 1)};
            const OpId newest{definition.domain, definition.name, 1000};
            if (findOp(op) != nullptr || findOp(newest) != nullptr || DefinitionLibrary::builtin().find(newest) != nullptr ||
                op.domain == "lemmascope") {
                complain(definition.line, "'" + definedName(definition) +
                                              "' has a meaning already; only ops that are open otherwise can be defined: choose another name");
            }
        }
    }

    /// Ops named in the text; what `apply` and `each` are given is a text that is an op of ONNX.
    static void findUses(Definition& definition) {
        for (const DefinitionStatement& statement : definition.statements) {
            for (const DefinitionStep& step : statement.value) {
                if (step.kind == DefinitionStep::Kind::Apply) {
                    const std::size_t dot = step.text.rfind('.');
                    definition.uses.push_back(dot == std::string::npos ? OpId{"", step.text, 24}
                                                                       : OpId{step.text.substr(0, dot), step.text.substr(dot + 1), 1});
                } else if (step.kind == DefinitionStep::Kind::Text && !step.text.empty()) {
                    definition.uses.push_back(OpId{"", step.text, 24});
                }
            }
        }
    }

    /// A misspelt op would leave what is defined without a type, far from the place of the mistake.
    void checkUses() {
        for (const auto& definition : library.m_all) {
            for (const DefinitionStatement& statement : definition->statements) {
                for (const DefinitionStep& step : statement.value) {
                    if (step.kind != DefinitionStep::Kind::Apply || step.text == "apply" || step.text == "each") {
                        continue; // those are given an op as text
                    }
                    const std::size_t dot = step.text.rfind('.');
                    const std::string domain = dot == std::string::npos ? "" : step.text.substr(0, dot);
                    const std::string name = dot == std::string::npos ? step.text : step.text.substr(dot + 1);
                    const auto isKnown = [&](std::int64_t version) {
                        const OpId op{domain, name, version};
                        return findOp(op) != nullptr || DefinitionLibrary::builtin().find(op) != nullptr;
                    };
                    if (library.m_byName.find(keyOf(domain, name)) == library.m_byName.end() && !isKnown(1000) && !isKnown(24) && !isKnown(1)) {
                        complain(statement.line,
                                 "no op '" + step.text + "' is known; ops of ONNX have their own names, others their domain before a dot");
                    }
                }
            }
        }
    }

    /// Ops that define each other have no meaning, and would be written out for ever.
    void checkCircles() {
        const std::size_t count = library.m_all.size();
        std::vector<std::vector<std::size_t>> uses(count);
        for (std::size_t k = 0; k < count; ++k) {
            for (const OpId& op : library.m_all[k]->uses) {
                const auto at = library.m_byName.find(keyOf(op.domain, op.name));
                if (at != library.m_byName.end()) {
                    uses[k].insert(uses[k].end(), at->second.begin(), at->second.end());
                }
            }
        }
        // Take away what uses nothing that is left, until nothing changes.
        constexpr int MaxLevels = 32; // each is a graph within a graph when the op is run
        std::vector<bool> settled(count, false);
        for (int level = 0; level < MaxLevels; ++level) {
            const std::vector<bool> below = settled;
            for (std::size_t k = 0; k < count; ++k) {
                if (!settled[k] && std::all_of(uses[k].begin(), uses[k].end(), [&](std::size_t u) { return below[u]; })) {
                    settled[k] = true;
                }
            }
            if (settled == below) {
                break;
            }
        }
        for (std::size_t k = 0; k < count; ++k) {
            if (!settled[k]) {
                complain(library.m_all[k]->line, "'" + definedName(*library.m_all[k]) + "' is defined by itself, or through more than " +
                                                     std::to_string(MaxLevels) + " others; write it in simpler ops");
            }
        }
    }

    void run() {
        if (text.size() > MaxText) {
            complain(1, "the file has more than " + std::to_string(MaxText) + " bytes");
            return;
        }
        lex();
        while (!error && look().token != Token::End) {
            if (look().token == Token::LineEnd) {
                advance();
                continue;
            }
            auto definition = std::make_unique<Definition>();
            definition->file = file;
            definition->line = look().line;
            if (!takeWord("op")) {
                complain(look().line, "found " + shown(look()) + ", expected a definition: 'op com.example.Scale(x; by = 2.0) -> y'");
                break;
            }
            header(*definition);
            while (!error && look().token != Token::End && !isWord("op")) {
                if (takeWord("since")) {
                    version(definition->since);
                } else if (takeWord("until")) {
                    version(definition->until);
                } else {
                    statement(*definition);
                }
            }
            if (error) {
                break;
            }
            checkNames(*definition);
            findUses(*definition);
            checkOp(*definition);
            library.m_byName[keyOf(definition->domain, definition->name)].push_back(library.m_all.size());
            library.m_all.push_back(std::move(definition));
        }
        if (!error && !ours) {
            checkCircles();
            if (!ours) {
                checkUses();
            }
        }
    }

    static void addOurs(DefinitionLibrary& library) {
        for (const auto& [name, text] : embeddedDefinitions()) {
            DefinitionParser parser{text, std::string(name), library, true, {}, 0, {}, nullptr};
            parser.run();
            if (parser.error) {
                std::fputs((parser.error->text() + "\n").c_str(), stderr);
            }
            assert(!parser.error); // every program and test reads them
        }
    }

    static Result<std::shared_ptr<const DefinitionLibrary>> user(std::string_view text, const std::string& fileName) {
        auto library = std::make_shared<DefinitionLibrary>();
        library->m_fileName = fileName;
        library->m_text = std::string(text);
        DefinitionParser parser{library->m_text, fileName, *library, false, {}, 0, {}, nullptr};
        parser.run();
        if (parser.error) {
            return tl::unexpected<Error>(*parser.error);
        }
        return std::shared_ptr<const DefinitionLibrary>(std::move(library));
    }
};

DefinitionLibrary::DefinitionLibrary() = default;
DefinitionLibrary::~DefinitionLibrary() = default;

const DefinitionLibrary& DefinitionLibrary::builtin() {
    static const DefinitionLibrary* const Ours = [] {
        static DefinitionLibrary library;
        DefinitionParser::addOurs(library);
        return &library;
    }();
    return *Ours;
}

Result<std::shared_ptr<const DefinitionLibrary>> DefinitionLibrary::parse(std::string_view text, const std::string& fileName) {
    return DefinitionParser::user(text, fileName);
}

const Definition* DefinitionLibrary::find(const OpId& op) const {
    const auto at = m_byName.find(keyOf(op.domain, op.name));
    if (at == m_byName.end()) {
        return nullptr;
    }
    for (const std::size_t k : at->second) {
        const Definition& each = *m_all[k];
        if (op.version >= each.since && (each.until == 0 || op.version < each.until)) {
            return &each;
        }
    }
    return nullptr;
}

std::vector<std::string> DefinitionLibrary::names() const {
    std::set<std::string> names;
    for (const auto& each : m_all) {
        names.insert(definedName(*each));
    }
    return {names.begin(), names.end()};
}

const Definition* findDefinition(const DefinitionLibrary* user, const OpId& op) {
    if (user != nullptr) {
        if (const Definition* found = user->find(op)) {
            return found;
        }
    }
    return DefinitionLibrary::builtin().find(op);
}

std::string definedName(const Definition& definition) {
    return definition.domain.empty() ? definition.name : definition.domain + "." + definition.name;
}

bool definitionIndexes(const DefinitionLibrary* user, const Definition& definition) {
    std::vector<const Definition*> stack{&definition};
    std::set<const Definition*> seen(stack.begin(), stack.end());
    while (!stack.empty()) {
        const Definition* top = stack.back();
        stack.pop_back();
        for (const OpId& op : top->uses) {
            if (op.domain.empty() && (op.name.starts_with("Gather") || op.name.starts_with("Scatter"))) {
                return true;
            }
            const Definition* inner = findDefinition(user, op);
            if (inner != nullptr && seen.insert(inner).second) {
                stack.push_back(inner);
            }
        }
    }
    return false;
}

std::string definitionPlace(const Definition& definition) {
    return definedName(definition) + " is what " + definition.file + ":" + std::to_string(definition.line) + " says";
}

std::map<std::string, Attribute> withDefaults(const Definition& definition, std::map<std::string, Attribute> attributes) {
    for (const DefinitionAttribute& attribute : definition.attributes) {
        if (attribute.fallback) {
            const auto at = attributes.try_emplace(attribute.name, *attribute.fallback).first;
            const auto* whole = std::get_if<std::int64_t>(&at->second);
            if (whole != nullptr && std::holds_alternative<float>(*attribute.fallback)) {
                at->second = static_cast<float>(*whole); // written without a point
            }
        }
    }
    return attributes;
}

} // namespace lemmascope
