// Writes patterns, guards and rule files; tests: tests/core/match/tst_match_parser.cpp.
#include "core/match/print.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace lemmascope::match {

namespace {

constexpr std::size_t Width = 100;
constexpr std::size_t NoLimit = std::size_t{1} << 26U;

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\n' || c == '\t') {
            out += c == '\n' ? "\\n" : "\\t";
            continue;
        }
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
    return out + "\"";
}

std::string numberText(const NumberLiteral& number) { return number.text + (number.tolerance ? "~" + number.toleranceText : ""); }

/// How tightly a part holds together; what stands in a tighter place goes into parentheses.
enum Level : int { AlternateLevel, PostfixLevel, PrefixLevel };

int levelOf(const PatternNode& node) {
    switch (node.kind) {
    case PatternKind::Alternate: return AlternateLevel;
    case PatternKind::Guarded:
    case PatternKind::Constraint: return PostfixLevel;
    default: return PrefixLevel;
    }
}

/// Writes on one line and gives up past `limit`, so that a long text costs no more than a line at each level.
class Flat {
  public:
    Flat(const RuleFile& file, bool compact, std::size_t limit) : m_file(file), m_compact(compact), m_limit(limit) {}

    std::string out;
    std::function<std::string(const Name&)> naming;
    [[nodiscard]] bool fits() const { return out.size() <= m_limit; }

    void pattern(PatternId id, int level) {
        const PatternNode& node = m_file.at(id);
        if (!fits()) {
            return;
        }
        const bool parentheses = levelOf(node) < level;
        out += parentheses ? "(" : "";
        inner(node);
        out += parentheses ? ")" : "";
    }

    /// All before the operands' parenthesis.
    void head(const PatternNode& node) {
        if (node.kind == PatternKind::FunctionVariable) {
            out += node.name.written();
            return;
        }
        out += node.shared ? "shared " : "";
        out += node.optional ? "opt " : "";
        out += node.order == OperandOrder::Commutative ? "comm " : node.order == OperandOrder::AnyTree ? "ac " : "";
        op(node.op);
        attributes(node.attributes);
    }

    void prefix(const PatternNode& node) {
        switch (node.kind) {
        case PatternKind::Exists: out += "ex " + node.name.written() + ". "; break;
        case PatternKind::As: out += node.name.written() + " @ "; break;
        case PatternKind::Result: out += "result " + std::to_string(node.resultIndex) + " of "; break;
        case PatternKind::Mu:
            out += "mu " + node.op.name + "(";
            names(node.parameters);
            out += ")[";
            names(node.arguments);
            out += "]. ";
            break;
        default: assert(false);
        }
    }

    void guardAfter(const PatternNode& node) {
        out += "where ";
        const bool isOr = m_file.at(node.guard).kind == ExpressionKind::Or;
        expression(node.guard, isOr ? 1 : 0);
    }

    void op(const OperatorName& name) { out += operatorText(name); }

    void attributes(const std::vector<AttributePattern>& list) {
        if (list.empty()) {
            return;
        }
        out += "{";
        for (const AttributePattern& each : list) {
            out += &each == list.data() ? "" : ", ";
            out += each.copies ? ".." : each.name + (each.orOperand ? "@=" : "=");
            value(each.value);
        }
        out += "}";
    }

    void value(const AttributeValue& each) {
        switch (each.kind) {
        case AttributeValue::Kind::Number: out += numberText(each.number); break;
        case AttributeValue::Kind::Text: out += quoted(each.text); break;
        case AttributeValue::Kind::Word: out += each.text; break;
        case AttributeValue::Kind::Variable: out += "?" + each.text; break;
        case AttributeValue::Kind::List:
            out += "[";
            for (const AttributeValue& item : each.items) {
                out += &item == each.items.data() ? "" : ",";
                value(item);
            }
            out += "]";
            break;
        case AttributeValue::Kind::Expression: expression(each.expression, SumLevel); break;
        }
    }

    void names(const std::vector<Name>& list) {
        for (const Name& each : list) {
            out += (&each == list.data() ? "" : ", ") + each.written();
        }
    }

    enum ExpressionLevel : int { OrLevel, AndLevel, CompareLevel, SumLevel, ProductLevel, ValueLevel };

    void expression(ExpressionId id, int level) {
        const ExpressionNode& node = m_file.at(id);
        if (!fits()) {
            return;
        }
        const bool parentheses = expressionLevel(node) < level;
        out += parentheses ? "(" : "";
        expressionInner(node);
        out += parentheses ? ")" : "";
    }

    void replacement(ReplacementId id) {
        const ReplacementNode& node = m_file.at(id);
        if (!fits()) {
            return;
        }
        switch (node.kind) {
        case ReplacementKind::Variable:
        case ReplacementKind::Rest: out += node.name.written(); return;
        case ReplacementKind::Number: out += node.number.text; return;
        case ReplacementKind::Omitted: out += "none"; return;
        case ReplacementKind::Expression: expression(node.expression, SumLevel); return;
        case ReplacementKind::Result:
            out += "result " + std::to_string(node.resultIndex) + " of ";
            replacement(node.children[0]);
            return;
        case ReplacementKind::Operator:
            op(node.op);
            attributes(node.attributes);
            if (node.children.empty()) {
                return;
            }
            break;
        case ReplacementKind::FunctionVariable: out += node.name.written(); break;
        }
        out += "(";
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            out += i == 0 ? "" : ", ";
            replacement(node.children[i]);
        }
        out += ")";
    }

  private:
    void inner(const PatternNode& node) {
        switch (node.kind) {
        case PatternKind::Variable: out += node.name.written(); return;
        case PatternKind::Any: out += "_"; return;
        case PatternKind::Omitted: out += "none"; return;
        case PatternKind::Number: out += numberText(node.number); return;
        case PatternKind::Call:
            out += node.op.name + "(";
            names(node.arguments);
            out += ")";
            return;
        case PatternKind::Operator:
        case PatternKind::FunctionVariable: operands(node); return;
        case PatternKind::Alternate:
            for (std::size_t i = 0; i < node.children.size(); ++i) {
                out += i == 0 ? "" : " | ";
                pattern(node.children[i], alternateLevel(m_file.at(node.children[i])));
            }
            return;
        case PatternKind::Guarded:
            pattern(node.children[0], PostfixLevel);
            out += " ";
            guardAfter(node);
            return;
        case PatternKind::Constraint:
            pattern(node.children[0], PostfixLevel);
            out += " with " + node.name.written() + " ~ ";
            pattern(node.children[1], PrefixLevel);
            return;
        case PatternKind::Exists:
        case PatternKind::As:
        case PatternKind::Result:
        case PatternKind::Mu:
            prefix(node);
            pattern(node.children[0], PrefixLevel);
            return;
        }
    }

    void operands(const PatternNode& node) {
        head(node);
        const bool none = node.children.empty() && node.rest.empty();
        if (none && node.kind == PatternKind::Operator) {
            return;
        }
        out += "(";
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            out += i == 0 ? "" : ", ";
            pattern(node.children[i], AlternateLevel);
        }
        if (!node.rest.empty()) {
            out += std::string(node.children.empty() ? "" : ", ") + ".." + node.rest;
        }
        out += ")";
    }

  public:
    /// Alternates that end in a guard stand in parentheses: else the | behind might be read as the guard's.
    static int alternateLevel(const PatternNode& node) { return node.kind == PatternKind::Guarded ? PrefixLevel : PostfixLevel; }

  private:
    static int expressionLevel(const ExpressionNode& node) {
        switch (node.kind) {
        case ExpressionKind::Or: return OrLevel;
        case ExpressionKind::And: return AndLevel;
        case ExpressionKind::Compare:
        case ExpressionKind::Not: return CompareLevel;
        case ExpressionKind::Arithmetic:
            return node.children.size() == 1 ? ValueLevel : node.arithmetic == '+' || node.arithmetic == '-' ? SumLevel : ProductLevel;
        default: return ValueLevel;
        }
    }

    void joined(const ExpressionNode& node, const char* between, int level) {
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            out += i == 0 ? "" : between;
            expression(node.children[i], level);
        }
    }

    void expressionInner(const ExpressionNode& node) {
        static constexpr std::array<const char*, 6> Compares{"=", "!=", "<", "<=", ">", ">="};
        static constexpr std::array<const char*, 13> Facts{"rank", "shape", "dim", "dtype", "attr",    "is_const", "value",
                                                           "uses", "size",  "op",  "cls",   "version", "ints"};
        switch (node.kind) {
        case ExpressionKind::Number: out += node.number.text; return;
        case ExpressionKind::Text: out += quoted(node.text); return;
        case ExpressionKind::Word: out += node.text; return;
        case ExpressionKind::Variable: out += naming ? naming(node.name) : node.name.written(); return;
        case ExpressionKind::List:
            out += "[";
            joined(node, ",", SumLevel);
            out += "]";
            return;
        case ExpressionKind::Fact:
            out += std::string(Facts[static_cast<std::size_t>(node.fact)]) + "(" + (naming ? naming(node.name) : node.name.written());
            for (const ExpressionId argument : node.children) {
                out += ", ";
                expression(argument, SumLevel);
            }
            out += ")";
            return;
        case ExpressionKind::Function:
            out += node.text + "(";
            joined(node, ", ", SumLevel);
            out += ")";
            return;
        case ExpressionKind::Arithmetic: {
            const bool sum = node.arithmetic == '+' || node.arithmetic == '-';
            if (node.children.size() == 1) {
                // Of a number in parentheses, for - before a number would be read as the number's.
                out += "-(";
                expression(node.children[0], OrLevel);
                out += ")";
                return;
            }
            expression(node.children[0], sum ? SumLevel : ProductLevel);
            switch (node.arithmetic) {
            case FloorDivision: out += "//"; break;
            case '%': out += " % "; break; // %F would be an operator's name
            default: out += sum ? std::string(" ") + node.arithmetic + " " : std::string(1, node.arithmetic); break;
            }
            expression(node.children[1], sum ? ProductLevel : ValueLevel);
            return;
        }
        case ExpressionKind::Compare: {
            const std::string sign = Compares[static_cast<std::size_t>(node.compare)];
            expression(node.children[0], SumLevel);
            out += m_compact ? sign : " " + sign + " ";
            expression(node.children[1], SumLevel);
            return;
        }
        case ExpressionKind::Not:
            out += "!(";
            expression(node.children[0], OrLevel);
            out += ")";
            return;
        case ExpressionKind::And: joined(node, " & ", CompareLevel); return;
        case ExpressionKind::Or: joined(node, " | ", AndLevel); return;
        }
    }

    const RuleFile& m_file;
    bool m_compact;
    std::size_t m_limit;
};

class Formatter {
  public:
    explicit Formatter(const RuleFile& file) : m_file(file) {}

    std::string run() {
        for (const RuleFile::Item& item : m_file.items) {
            comments(item.comments);
            item.isRule ? rule(m_file.rules.at(item.index)) : definition(m_file.definitions.at(item.index));
            for (const Comment& each : item.comments) {
                m_out += each.trailing ? "  " + each.text : "";
            }
            m_out += "\n";
        }
        comments(m_file.trailingComments);
        return std::move(m_out);
    }

  private:
    void comments(const std::vector<Comment>& list) {
        for (const Comment& each : list) {
            if (!each.trailing) {
                m_out += each.text + "\n";
            }
        }
    }

    [[nodiscard]] std::size_t column() const {
        const std::size_t line = m_out.rfind('\n');
        return line == std::string::npos ? m_out.size() : m_out.size() - line - 1;
    }

    void newLine(std::size_t indent) {
        while (!m_out.empty() && m_out.back() == ' ') {
            m_out.pop_back();
        }
        m_out += "\n" + std::string(indent, ' ');
    }

    /// True, and written, when it fits into the rest of the line, less `behind` columns.
    template <typename Write>
    bool flat(std::size_t behind, const Write& write) {
        const std::size_t used = column() + behind;
        Flat line(m_file, false, used < Width ? Width - used : 0);
        write(line);
        if (!line.fits()) {
            return false;
        }
        m_out += line.out;
        return true;
    }

    void always(const std::string& text) { m_out += text; }

    template <typename Write>
    void whole(const Write& write) {
        Flat line(m_file, false, NoLimit);
        write(line);
        m_out += line.out;
    }

    void definition(const PatternDefinition& each) {
        whole([&](Flat& line) {
            line.out += "pattern " + each.name;
            if (!each.parameters.empty()) {
                line.out += "(";
                line.names(each.parameters);
                line.out += ")";
            }
            line.out += " = ";
        });
        body(each.body);
    }

    void body(PatternId id) {
        if (flat(0, [&](Flat& line) { line.pattern(id, AlternateLevel); })) {
            return;
        }
        newLine(4);
        pattern(id, AlternateLevel, 4, 0);
    }

    void rule(const Rule& each) {
        m_out += "rule " + each.name + ": ";
        body(each.pattern);
        for (const RuleCase& one : each.cases) {
            newLine(4);
            if (one.guard.isValid()) {
                whole([&](Flat& line) {
                    line.out += "when ";
                    line.expression(one.guard, 0);
                    line.out += " ";
                });
            }
            m_out += "=> ";
            for (const auto& [name, value] : one.replacement.lets) {
                m_out += "let " + name.written() + " = ";
                replacement(value, 8, 3);
                m_out += " in";
                newLine(7);
            }
            replacement(one.replacement.result, 8, 0);
        }
    }

    /// `behind`: columns that follow on the last line.
    void pattern(PatternId id, int level, std::size_t indent, std::size_t behind) {
        if (flat(behind, [&](Flat& line) { line.pattern(id, level); })) {
            return;
        }
        const PatternNode& node = m_file.at(id);
        if (levelOf(node) < level) {
            m_out += "(";
            pattern(id, AlternateLevel, indent + 1, behind + 1);
            m_out += ")";
            return;
        }
        switch (node.kind) {
        case PatternKind::Alternate:
            for (std::size_t i = 0; i < node.children.size(); ++i) {
                if (i > 0) {
                    newLine(indent);
                    m_out += "| ";
                }
                pattern(node.children[i], Flat::alternateLevel(m_file.at(node.children[i])), indent + 2, i + 1 == node.children.size() ? behind : 0);
            }
            return;
        case PatternKind::Guarded:
            pattern(node.children[0], PostfixLevel, indent, 0);
            newLine(indent + 4);
            whole([&](Flat& line) { line.guardAfter(node); });
            return;
        case PatternKind::Constraint:
            pattern(node.children[0], PostfixLevel, indent, 0);
            newLine(indent + 4);
            m_out += "with " + node.name.written() + " ~ ";
            pattern(node.children[1], PrefixLevel, indent + 8, behind);
            return;
        case PatternKind::Exists:
        case PatternKind::As:
        case PatternKind::Result:
        case PatternKind::Mu:
            whole([&](Flat& line) { line.prefix(node); });
            pattern(node.children[0], PrefixLevel, indent + 2, behind);
            return;
        case PatternKind::Operator:
        case PatternKind::FunctionVariable:
            if (!node.children.empty()) {
                operands(node, indent, behind);
                return;
            }
            break;
        default: break;
        }
        whole([&](Flat& line) { line.pattern(id, level); });
    }

    /// Operands below each other.
    void operands(const PatternNode& node, std::size_t indent, std::size_t behind) {
        whole([&](Flat& line) { line.head(node); });
        m_out += "(";
        // Deep nesting would leave no room: from there on lines are as long as they must be.
        const std::size_t inside = std::min(indent + 4, Width / 2);
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            newLine(inside);
            const bool last = i + 1 == node.children.size() && node.rest.empty();
            pattern(node.children[i], AlternateLevel, inside, last ? behind + 1 : 1);
            m_out += last ? "" : ",";
        }
        if (!node.rest.empty()) {
            newLine(inside);
            m_out += ".." + node.rest;
        }
        m_out += ")";
    }

    void replacement(ReplacementId id, std::size_t indent, std::size_t behind) {
        if (flat(behind, [&](Flat& line) { line.replacement(id); })) {
            return;
        }
        const ReplacementNode& node = m_file.at(id);
        const bool breaks = (node.kind == ReplacementKind::Operator || node.kind == ReplacementKind::FunctionVariable) && !node.children.empty();
        if (!breaks) {
            whole([&](Flat& line) { line.replacement(id); });
            return;
        }
        whole([&](Flat& line) {
            if (node.kind == ReplacementKind::FunctionVariable) {
                line.out += node.name.written();
            } else {
                line.op(node.op);
                line.attributes(node.attributes);
            }
        });
        m_out += "(";
        const std::size_t inside = std::min(indent + 4, Width / 2);
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            newLine(inside);
            const bool last = i + 1 == node.children.size();
            replacement(node.children[i], inside, last ? behind + 1 : 1);
            m_out += last ? "" : ",";
        }
        m_out += ")";
    }

    const RuleFile& m_file;
    std::string m_out;
};

} // namespace

std::string patternText(const RuleFile& file, PatternId pattern) {
    Flat line(file, true, NoLimit);
    line.pattern(pattern, AlternateLevel);
    return std::move(line.out);
}

std::string guardText(const RuleFile& file, ExpressionId guard, bool compact, const std::function<std::string(const Name&)>& naming) {
    Flat line(file, compact, NoLimit);
    line.naming = naming;
    line.expression(guard, 0);
    return std::move(line.out);
}

std::string attributeValueText(const RuleFile& file, const AttributeValue& value) {
    Flat line(file, true, NoLimit);
    line.value(value);
    return std::move(line.out);
}

std::string operatorText(const OperatorName& op) {
    return (op.domain ? quoted(*op.domain) + ":" : "") + op.name + (op.version ? ":" + std::to_string(*op.version) : "");
}

std::string formatRules(const RuleFile& file) { return Formatter(file).run(); }

} // namespace lemmascope::match
