#include "core/prove/smt_algebra.h"

#include "core/base/digest.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace lemmascope {

namespace {

std::string sortOf(ElementType type) {
    if (type == ElementType::Bool) {
        return "Bool";
    }
    return isInteger(type) ? "(_ BitVec " + std::to_string(bitWidth(type)) + ")" : "Real";
}

std::string realText(const mpq_class& value) {
    const mpq_class magnitude = abs(value);
    std::string text = magnitude.get_num().get_str() + ".0";
    if (magnitude.get_den() != 1) {
        text = "(/ " + text + " " + magnitude.get_den().get_str() + ".0)";
    }
    return value < 0 ? "(- " + text + ")" : text;
}

std::string bitsText(std::int64_t value, ElementType type) {
    const unsigned width = bitWidth(type);
    mpz_class wide = static_cast<long>(value);
    mpz_class modulus;
    mpz_ui_pow_ui(modulus.get_mpz_t(), 2, width);
    mpz_class residue;
    mpz_mod(residue.get_mpz_t(), wide.get_mpz_t(), modulus.get_mpz_t());
    return "(_ bv" + residue.get_str() + " " + std::to_string(width) + ")";
}

} // namespace

Scalar SmtAlgebra::make(Node node) {
    std::string key = std::to_string(static_cast<int>(node.kind)) + "|" + node.head + "|" + std::to_string(static_cast<int>(node.type)) + "|" +
                      std::to_string(node.leaf.index) + "," + std::to_string(node.index);
    for (const Scalar argument : node.arguments) {
        key.append(reinterpret_cast<const char*>(&argument), sizeof argument);
    }
    const auto [at, added] = m_index.try_emplace(std::move(key), static_cast<Scalar>(m_nodes.size()));
    if (added) {
        m_nodes.push_back(std::move(node));
    }
    return at->second;
}

Scalar SmtAlgebra::plain(const char* head, std::vector<Scalar> arguments, ElementType type) {
    return make(Node{.kind = Kind::Plain, .head = head, .arguments = std::move(arguments), .type = type});
}

Scalar SmtAlgebra::number(const mpq_class& value) { return make(Node{.kind = Kind::Literal, .head = realText(value)}); }
Scalar SmtAlgebra::integer(std::int64_t value, ElementType type) {
    return make(Node{.kind = Kind::Literal, .head = bitsText(value, type), .type = type});
}
Scalar SmtAlgebra::boolean(bool value) { return make(Node{.kind = Kind::Literal, .head = value ? "true" : "false", .type = ElementType::Bool}); }
Scalar SmtAlgebra::read(TermId leaf, std::int64_t index) {
    return make(Node{.kind = Kind::Read, .type = m_terms.type(leaf).element, .leaf = leaf, .index = index});
}
Scalar SmtAlgebra::add(Scalar a, Scalar b) { return plain("+", {a, b}, ElementType::F64); }
Scalar SmtAlgebra::sub(Scalar a, Scalar b) { return plain("-", {a, b}, ElementType::F64); }
Scalar SmtAlgebra::mul(Scalar a, Scalar b) { return plain("*", {a, b}, ElementType::F64); }
Scalar SmtAlgebra::div(Scalar a, Scalar b) { return make(Node{.kind = Kind::Quotient, .arguments = {a, b}}); }
Scalar SmtAlgebra::max(Scalar a, Scalar b) { return plain("max", {a, b}, ElementType::F64); }
Scalar SmtAlgebra::min(Scalar a, Scalar b) { return plain("min", {a, b}, ElementType::F64); }
Scalar SmtAlgebra::sum(std::span<const Scalar> terms) {
    return terms.size() == 1 ? terms[0] : plain("+", std::vector<Scalar>(terms.begin(), terms.end()), ElementType::F64);
}
Scalar SmtAlgebra::exp(Scalar a) { return make(Node{.kind = Kind::Exp, .arguments = {a}}); }
Scalar SmtAlgebra::log(Scalar a) { return make(Node{.kind = Kind::Log, .arguments = {a}}); }

Scalar SmtAlgebra::power(Scalar a, const mpq_class& exponent) {
    if (exponent == 1) {
        return a;
    }
    if (exponent < 0) {
        return div(number(1), power(a, -exponent));
    }
    if (exponent.get_den() == 2 && exponent > 1) {
        mpq_class rest = exponent - mpq_class(1, 2);
        return mul(power(a, rest), power(a, mpq_class(1, 2)));
    }
    if (exponent.get_den() == 1) {
        Scalar out = a;
        for (long k = 1; k < exponent.get_num().get_si(); ++k) {
            out = mul(out, a);
        }
        return out;
    }
    if (exponent == mpq_class(1, 2)) {
        return make(Node{.kind = Kind::Root, .arguments = {a}});
    }
    const std::vector<Scalar> arguments{a, number(exponent)};
    return function("power", arguments, ElementType::F64);
}

Scalar SmtAlgebra::round(Rounding how, Scalar a) {
    static constexpr const char* Heads[] = {"floor", "ceil", "trunc", "round"};
    return plain(Heads[static_cast<std::size_t>(how)], {a}, ElementType::F64);
}

Scalar SmtAlgebra::less(Scalar a, Scalar b) { return plain("<", {a, b}, ElementType::Bool); }
Scalar SmtAlgebra::equal(Scalar a, Scalar b) { return plain("=", {a, b}, ElementType::Bool); }
Scalar SmtAlgebra::negation(Scalar a) { return plain("not", {a}, ElementType::Bool); }
Scalar SmtAlgebra::conjunction(Scalar a, Scalar b) { return plain("and", {a, b}, ElementType::Bool); }
Scalar SmtAlgebra::exclusive(Scalar a, Scalar b) { return plain("xor", {a, b}, ElementType::Bool); }
Scalar SmtAlgebra::choose(Scalar c, Scalar a, Scalar b, ElementType type) { return plain("ite", {c, a, b}, type); }

Scalar SmtAlgebra::integerOp(IntegerOp op, std::span<const Scalar> operands, ElementType type) {
    const bool isSigned = isSignedInteger(type);
    std::vector<Scalar> arguments(operands.begin(), operands.end());
    switch (op) {
    case IntegerOp::Add: return plain("bvadd", arguments, type);
    case IntegerOp::Sub: return plain("bvsub", arguments, type);
    case IntegerOp::Mul: return plain("bvmul", arguments, type);
    case IntegerOp::Div: return plain(isSigned ? "bvsdiv" : "bvudiv", arguments, type);
    case IntegerOp::Neg: return plain("bvneg", arguments, type);
    case IntegerOp::Min: return plain("ite", {integerLess(arguments[0], arguments[1], type), arguments[0], arguments[1]}, type);
    case IntegerOp::Max: return plain("ite", {integerLess(arguments[0], arguments[1], type), arguments[1], arguments[0]}, type);
    case IntegerOp::Abs:
        return isSigned ? plain("ite", {integerLess(arguments[0], integer(0, type), type), plain("bvneg", arguments, type), arguments[0]}, type)
                        : arguments[0];
    case IntegerOp::Sign: {
        const Scalar zero = integer(0, type);
        const Scalar positive = plain("ite", {integerLess(zero, arguments[0], type), integer(1, type), zero}, type);
        return plain("ite", {integerLess(arguments[0], zero, type), integer(-1, type), positive}, type);
    }
    case IntegerOp::And: return plain("bvand", arguments, type);
    case IntegerOp::Or: return plain("bvor", arguments, type);
    case IntegerOp::Xor: return plain("bvxor", arguments, type);
    case IntegerOp::Not: return plain("bvnot", arguments, type);
    case IntegerOp::ShiftLeft: return plain("bvshl", arguments, type);
    case IntegerOp::ShiftRight: return plain(isSigned ? "bvashr" : "bvlshr", arguments, type);
    case IntegerOp::ModFloor: return plain(isSigned ? "bvsmod" : "bvurem", arguments, type);
    case IntegerOp::ModTrunc: return plain(isSigned ? "bvsrem" : "bvurem", arguments, type);
    }
    return arguments[0];
}

Scalar SmtAlgebra::integerLess(Scalar a, Scalar b, ElementType type) {
    return plain(isSignedInteger(type) ? "bvslt" : "bvult", {a, b}, ElementType::Bool);
}
Scalar SmtAlgebra::integerEqual(Scalar a, Scalar b, ElementType) { return plain("=", {a, b}, ElementType::Bool); }

Scalar SmtAlgebra::realOfInteger(Scalar a, ElementType from) {
    return plain(isSignedInteger(from) ? "sbv_to_real" : "ubv_to_real", {a}, ElementType::F64);
}

Scalar SmtAlgebra::integerOfWholeReal(Scalar a, ElementType to) {
    // In range by promise: the residue of the whole number.
    return make(Node{.kind = Kind::Plain, .head = "int2bv " + std::to_string(bitWidth(to)), .arguments = {a}, .type = to});
}

Scalar SmtAlgebra::integerOfReal(Scalar a, ElementType to) {
    const std::vector<Scalar> arguments{a};
    return function("truncate_" + std::string(name(to)), arguments, to);
}

Scalar SmtAlgebra::integerOfInteger(Scalar a, ElementType from, ElementType to) {
    const unsigned wide = bitWidth(to);
    const unsigned narrow = bitWidth(from);
    if (wide == narrow) {
        return a;
    }
    const std::string head =
        wide < narrow ? "(_ extract " + std::to_string(wide - 1) + " 0)"
                      : std::string("(_ ") + (isSignedInteger(from) ? "sign_extend " : "zero_extend ") + std::to_string(wide - narrow) + ")";
    return make(Node{.kind = Kind::Plain, .head = head, .arguments = {a}, .type = to});
}

Scalar SmtAlgebra::realOfBoolean(Scalar a) { return plain("ite", {a, number(1), number(0)}, ElementType::F64); }
Scalar SmtAlgebra::integerOfBoolean(Scalar a, ElementType to) { return plain("ite", {a, integer(1, to), integer(0, to)}, to); }

Scalar SmtAlgebra::function(const std::string& name, std::span<const Scalar> arguments, ElementType result) {
    return make(Node{.kind = Kind::Function, .head = name, .arguments = std::vector<Scalar>(arguments.begin(), arguments.end()), .type = result});
}

Scalar SmtAlgebra::rounded(Scalar a, ElementType type) {
    if (m_nodes[a].kind == Kind::Read && isFloat(m_nodes[a].type) && significandBits(m_nodes[a].type) <= significandBits(type) &&
        !(m_nodes[a].type == ElementType::BF16 && type == ElementType::F16)) {
        const TermId leaf = m_nodes[a].leaf;
        if (m_terms.kind(leaf) == TermKind::Input) {
            return a;
        }
    }
    if (m_nodes[a].kind == Kind::Function && m_nodes[a].head == "round_" + std::string(name(type))) {
        return a;
    }
    const std::vector<Scalar> arguments{a};
    return function("round_" + std::string(name(type)), arguments, ElementType::F64);
}

/// Prints what a set of roots needs, each shared node once, names by first use.
class SmtAlgebra::Printer {
  public:
    explicit Printer(const SmtAlgebra& algebra) : m(algebra) {}

    std::string value(Scalar scalar) {
        visit(scalar);
        return m_value.at(scalar);
    }
    std::string defined(Scalar scalar) {
        visit(scalar);
        return m_defined.at(scalar);
    }
    std::string declarations;
    std::string body;
    Text result;
    bool integers = false;
    bool reals = false;
    bool functions = false;

  private:
    const SmtAlgebra& m;
    std::map<Scalar, std::string> m_value;
    std::map<Scalar, std::string> m_defined;
    std::map<std::string, std::string> m_functionNames;
    std::map<TermId, std::size_t> m_leaves;
    std::size_t m_count = 0;

    void visit(Scalar root) {
        std::vector<Scalar> stack{root};
        while (!stack.empty()) {
            const Scalar top = stack.back();
            if (m_value.contains(top)) {
                stack.pop_back();
                continue;
            }
            bool ready = true;
            const std::vector<Scalar>& arguments = m.m_nodes[top].arguments;
            for (std::size_t k = arguments.size(); k-- > 0;) {
                if (!m_value.contains(arguments[k])) {
                    stack.push_back(arguments[k]);
                    ready = false;
                }
            }
            if (ready) {
                stack.pop_back();
                emit(top);
            }
        }
    }

    std::string define(const std::string& expression, ElementType type) {
        // Short expressions stay in place; the others get a name, so that the text is linear in the DAG.
        if (expression.size() <= 24) {
            return expression;
        }
        const std::string name = "t" + std::to_string(++m_count);
        body += "(define-fun " + name + " () " + sortOf(type) + " " + expression + ")\n";
        return name;
    }

    std::string conjunction(std::vector<std::string> all) {
        all.erase(std::remove(all.begin(), all.end(), "true"), all.end());
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        if (all.empty()) {
            return "true";
        }
        if (all.size() == 1) {
            return all.front();
        }
        std::string text = "(and";
        for (const std::string& part : all) {
            text += " " + part;
        }
        return define(text + ")", ElementType::Bool);
    }

    void emit(Scalar scalar) {
        const Node& node = m.m_nodes[scalar];
        std::vector<std::string> arguments;
        std::vector<std::string> definedness;
        for (const Scalar argument : node.arguments) {
            arguments.push_back(m_value.at(argument));
            definedness.push_back(m_defined.at(argument));
        }
        (isInteger(node.type) ? integers : reals) = true;
        std::string own = "true";
        std::string text;
        switch (node.kind) {
        case Kind::Literal: text = node.head; break;
        case Kind::Read: {
            text = "x" + std::to_string(result.reads.size() + 1);
            result.reads.emplace_back(node.leaf, node.index);
            result.names.push_back(text);
            declarations += "(declare-const " + text + " " + sortOf(node.type) + ")\n";
            if (m.m_mayBeUndefined && m.m_mayBeUndefined(node.leaf)) {
                own = "d" + std::to_string(result.reads.size()); // is x defined?
                declarations += "(declare-const " + own + " Bool)\n";
            }
            break;
        }
        case Kind::Plain: text = define(plainText(node, arguments), node.type); break;
        case Kind::Quotient:
        case Kind::Root: {
            text = "q" + std::to_string(++m_count);
            declarations += "(declare-const " + text + " Real)\n";
            result.linear = result.linear && node.kind == Kind::Quotient && m.m_nodes[node.arguments[1]].kind == Kind::Literal;
            if (node.kind == Kind::Quotient) {
                own = m.m_nodes[node.arguments[1]].kind == Kind::Literal && arguments[1] != "0.0"
                          ? "true"
                          : define("(not (= " + arguments[1] + " 0.0))", ElementType::Bool);
                body += "(assert (=> " + own + " (= (* " + text + " " + arguments[1] + ") " + arguments[0] + ")))\n";
            } else {
                own = define("(>= " + arguments[0] + " 0.0)", ElementType::Bool);
                body += "(assert (=> " + own + " (and (>= " + text + " 0.0) (= (* " + text + " " + text + ") " + arguments[0] + "))))\n";
            }
            break;
        }
        case Kind::Exp:
        case Kind::Log: {
            functions = true;
            const bool exponential = node.kind == Kind::Exp;
            const std::string name = functionName(exponential ? "exp" : "log", {"Real"}, "Real");
            text = define("(" + name + " " + arguments[0] + ")", ElementType::F64);
            if (exponential) {
                body += "(assert (> " + text + " 0.0))\n";
            } else {
                own = define("(> " + arguments[0] + " 0.0)", ElementType::Bool);
            }
            break;
        }
        case Kind::Function: {
            functions = true;
            std::vector<std::string> sorts;
            for (const Scalar argument : node.arguments) {
                sorts.push_back(sortOf(m.m_nodes[argument].type));
            }
            const std::string name = functionName(node.head, sorts, sortOf(node.type));
            if (arguments.empty()) {
                text = name;
            } else {
                text = "(" + name;
                for (const std::string& argument : arguments) {
                    text += " " + argument;
                }
                text = define(text + ")", node.type);
            }
            break;
        }
        }
        definedness.push_back(own);
        if (node.kind == Kind::Plain && node.head == "ite") {
            // The branch not taken need not be defined.
            const std::string branches = definedness[1] == definedness[2]
                                             ? definedness[1]
                                             : define("(ite " + arguments[0] + " " + definedness[1] + " " + definedness[2] + ")", ElementType::Bool);
            m_defined[scalar] = conjunction({definedness[0], branches});
        } else {
            m_defined[scalar] = conjunction(definedness);
        }
        m_value[scalar] = text;
    }

    std::string functionName(const std::string& wanted, const std::vector<std::string>& sorts, const std::string& sort) {
        std::string key = wanted + "(";
        for (const std::string& argument : sorts) {
            key += argument + " ";
        }
        const auto [at, added] = m_functionNames.try_emplace(key, "f" + std::to_string(m_functionNames.size() + 1));
        if (added) {
            std::string list;
            for (const std::string& argument : sorts) {
                list += (list.empty() ? "" : " ") + argument;
            }
            declarations += "(declare-fun " + at->second + " (" + list + ") " + sort + ") ; " + wanted.substr(0, wanted.find('#')) + "\n";
        }
        return at->second;
    }

    std::string plainText(const Node& node, const std::vector<std::string>& a) {
        const std::string& head = node.head;
        if (head == "max") {
            return "(ite (>= " + a[0] + " " + a[1] + ") " + a[0] + " " + a[1] + ")";
        }
        if (head == "min") {
            return "(ite (<= " + a[0] + " " + a[1] + ") " + a[0] + " " + a[1] + ")";
        }
        if (head == "floor") {
            return "(to_real (to_int " + a[0] + "))";
        }
        if (head == "ceil") {
            return "(- (to_real (to_int (- " + a[0] + "))))";
        }
        if (head == "trunc") {
            return "(ite (>= " + a[0] + " 0.0) (to_real (to_int " + a[0] + ")) (- (to_real (to_int (- " + a[0] + ")))))";
        }
        if (head == "round") {
            // half to even: floor(x + 1/2), one less when x + 1/2 is an odd whole number
            const std::string whole = intName("(to_int (+ " + a[0] + " (/ 1.0 2.0)))");
            return "(to_real (ite (and (= (to_real " + whole + ") (+ " + a[0] + " (/ 1.0 2.0))) (= (mod " + whole + " 2) 1)) (- " + whole + " 1) " +
                   whole + "))";
        }
        if (head == "ubv_to_real") {
            return "(to_real (bv2nat " + a[0] + "))";
        }
        if (head == "sbv_to_real") {
            const unsigned width = bitWidth(m.m_nodes[node.arguments[0]].type);
            mpz_class modulus;
            mpz_ui_pow_ui(modulus.get_mpz_t(), 2, width);
            return "(to_real (ite (bvslt " + a[0] + " (_ bv0 " + std::to_string(width) + ")) (- (bv2nat " + a[0] + ") " + modulus.get_str() +
                   ") (bv2nat " + a[0] + ")))";
        }
        if (head.starts_with("int2bv ")) {
            return "((_ int2bv " + head.substr(7) + ") (to_int " + a[0] + "))";
        }
        if (head == "*" || head == "mod") {
            const bool literal =
                std::any_of(node.arguments.begin(), node.arguments.end(), [this](Scalar s) { return m.m_nodes[s].kind == Kind::Literal; });
            result.linear = result.linear && literal;
        }
        std::string text = "(" + head;
        for (const std::string& argument : a) {
            text += " " + argument;
        }
        return text + ")";
    }

    std::string intName(const std::string& expression) {
        const std::string name = "i" + std::to_string(++m_count);
        body += "(define-fun " + name + " () Int " + expression + ")\n";
        return name;
    }

    friend class SmtAlgebra;
};

namespace {

/// The script and its digest; comments are lines that begin with ';' and tails after " ; ".
SmtAlgebra::Text finish(SmtAlgebra::Text text, const std::string& declarations, const std::string& body, const std::string& goal,
                        const std::vector<std::string>& comments) {
    std::string script = "(set-logic ALL)\n" + declarations + body + goal;
    std::string bare;
    std::size_t at = 0;
    while (at < script.size()) {
        const std::size_t end = script.find('\n', at);
        const std::string line = script.substr(at, end - at);
        bare += line.substr(0, line.find(" ; ")) + "\n";
        at = end == std::string::npos ? script.size() : end + 1;
    }
    text.digest = sha256Hex(bare);
    std::string head;
    for (const std::string& comment : comments) {
        std::string safe = comment;
        std::replace_if(
            safe.begin(), safe.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
        head += "; " + safe + "\n";
    }
    text.script = head + script;
    return text;
}

} // namespace

SmtAlgebra::Text SmtAlgebra::lemma(std::span<const std::pair<Scalar, Scalar>> pairs, const std::vector<std::string>& comments,
                                   const FactsOf& facts) const {
    Printer printer(*this);
    std::vector<std::string> goals;
    for (const auto& [a, b] : pairs) {
        const std::string va = printer.value(a);
        const std::string vb = printer.value(b);
        const std::string da = printer.defined(a);
        const std::string db = printer.defined(b);
        std::string goal;
        const std::string differ = "(not (= " + va + " " + vb + "))";
        if (da == "true" && db == "true") {
            goal = differ;
        } else if (da == db) {
            goal = "(and " + da + " " + differ + ")";
        } else {
            goal = "(or (not (= " + da + " " + db + ")) (and " + da + " " + db + " " + differ + "))";
        }
        goals.push_back(goal);
    }
    std::sort(goals.begin(), goals.end());
    goals.erase(std::unique(goals.begin(), goals.end()), goals.end());
    for (std::size_t r = 0; facts && r < printer.result.reads.size(); ++r) {
        const ElementType type = m_terms.type(printer.result.reads[r].first).element;
        if (!isInteger(type) || bitWidth(type) < 8) {
            continue;
        }
        const IntegerRange range = facts(printer.result.reads[r].first);
        const bool isSigned = isSignedInteger(type);
        mpz_class half;
        mpz_ui_pow_ui(half.get_mpz_t(), 2, bitWidth(type) - (isSigned ? 1U : 0U));
        const mpz_class least = isSigned ? mpz_class(-half) : mpz_class(0);
        const std::string less = isSigned ? "bvsle" : "bvule";
        const std::string& name = printer.result.names[r];
        if (mpz_class(static_cast<long>(range.low)) > least) {
            printer.body += "(assert (" + less + " " + bitsText(range.low, type) + " " + name + "))\n";
        }
        if (mpz_class(static_cast<long>(range.high)) < half - 1 && range.high != std::numeric_limits<std::int64_t>::max()) {
            printer.body += "(assert (" + less + " " + name + " " + bitsText(range.high, type) + "))\n";
        }
    }
    std::string goal = "(assert ";
    if (goals.empty()) {
        goal += "false";
    } else if (goals.size() == 1) {
        goal += goals.front();
    } else {
        goal += "(or";
        for (const std::string& one : goals) {
            goal += "\n  " + one;
        }
        goal += ")";
    }
    return finish(printer.result, printer.declarations, printer.body, goal + ")\n", comments);
}

SmtAlgebra::Text SmtAlgebra::rangeLemma(std::span<const Bound> goals, std::span<const Bound> facts, const std::vector<std::string>& comments) const {
    Printer printer(*this);
    const auto within = [&](const Bound& bound) {
        const std::string value = printer.value(bound.scalar);
        const std::string less = isSignedInteger(bound.type) ? "bvsle" : "bvule";
        return "(and (" + less + " " + bitsText(bound.low, bound.type) + " " + value + ") (" + less + " " + value + " " +
               bitsText(bound.high, bound.type) + "))";
    };
    std::string premises;
    for (const Bound& fact : facts) {
        premises += "(assert " + within(fact) + ")\n";
    }
    std::string goal = "(assert (or false";
    for (const Bound& bound : goals) {
        goal += "\n  (not " + within(bound) + ")";
    }
    return finish(printer.result, printer.declarations, printer.body + premises, goal + "))\n", comments);
}

} // namespace lemmascope
