#include "tests/core/match/oracle.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <optional>

namespace lemmascope::match::oracle {

int Terms::make(const std::string& op, const std::vector<int>& operands) {
    const auto [at, isNew] = m_known.try_emplace({op, operands}, static_cast<int>(m_terms.size()));
    if (isNew) {
        Term term{op, operands, 1};
        for (const int operand : operands) {
            term.size += this->at(operand).size;
        }
        m_terms.push_back(std::move(term));
    }
    return at->second;
}

std::set<int> Terms::subterms(int id) const {
    std::set<int> out{id};
    for (const int operand : at(id).operands) {
        out.merge(subterms(operand));
    }
    return out;
}

std::string Terms::text(int id) const {
    std::string out = at(id).op;
    for (std::size_t i = 0; i < at(id).operands.size(); ++i) {
        out += (i == 0 ? "(" : ",") + text(at(id).operands[i]);
    }
    return out + (at(id).operands.empty() ? "" : ")");
}

int Terms::symbol(const std::string& op) {
    const auto at = std::find(m_symbols.begin(), m_symbols.end(), op);
    if (at != m_symbols.end()) {
        return static_cast<int>(at - m_symbols.begin());
    }
    m_symbols.push_back(op);
    return static_cast<int>(m_symbols.size() - 1);
}

namespace {

using Environment = std::map<std::string, int>; ///< names as written -> variables
using Bound = std::map<int, int>;               ///< variables that are bound -> term or symbol
using States = std::set<Bound>;

enum class Kleene { False, True, Undefined };

/// One derivation relation for both ways of finding witnesses. With `m_total` every variable has its value beforehand, and binders try all;
/// without it a variable takes its value where it is first matched.
class Derivation {
  public:
    Derivation(const RuleFile& file, Terms& terms, int root, const std::map<int, int>* total)
        : m_file(file), m_terms(terms), m_total(total), m_universe(terms.subterms(root)) {
        for (const int each : m_universe) {
            m_symbols.insert(terms.symbol(terms.at(each).op));
        }
    }

    bool limited = false;
    int nextVariable = 0;
    std::size_t work = 0; ///< parts derived
    static constexpr std::size_t MostWork = 300'000;

    States derive(PatternId id, const Environment& names, int term, const Bound& bound, int unfoldings) {
        const PatternNode& node = m_file.at(id);
        if (++work > MostWork) {
            limited = true;
            return {};
        }
        switch (node.kind) {
        case PatternKind::Variable: return bind(names.at(node.name.written()), term, bound);
        case PatternKind::Any: return {bound};
        case PatternKind::As: {
            States out;
            for (const Bound& each : bind(names.at(node.name.written()), term, bound)) {
                out.merge(derive(node.children[0], names, term, each, unfoldings));
            }
            return out;
        }
        case PatternKind::Operator: return deriveOperator(node, names, term, bound, unfoldings);
        case PatternKind::FunctionVariable: {
            const Terms::Term at = m_terms.at(term);
            if (at.operands.size() != node.children.size()) {
                return {};
            }
            States out;
            for (const Bound& each : bind(names.at(node.name.written()), m_terms.symbol(at.op), bound)) {
                out.merge(operands(node.children, at.operands, names, each, unfoldings));
            }
            return out;
        }
        case PatternKind::Alternate: {
            States out;
            for (const PatternId child : node.children) {
                out.merge(derive(child, names, term, bound, unfoldings));
            }
            return out;
        }
        case PatternKind::Guarded: {
            States out;
            for (const Bound& each : derive(node.children[0], names, term, bound, unfoldings)) {
                if (guardNamesBound(node.guard, names, each) && guard(node.guard, names, each) == Kleene::True) {
                    out.insert(each);
                }
            }
            return out;
        }
        case PatternKind::Exists: return deriveExists(node, names, term, bound, unfoldings);
        case PatternKind::Constraint: {
            States out;
            const int target = names.at(node.name.written());
            for (const Bound& each : derive(node.children[0], names, term, bound, unfoldings)) {
                const auto held = each.find(target);
                if (held != each.end()) {
                    out.merge(derive(node.children[1], names, held->second, each, unfoldings));
                }
            }
            return out;
        }
        case PatternKind::Mu: {
            m_mus.push_back(&node);
            States out = unfold(node, node.arguments, names, term, bound, unfoldings);
            m_mus.pop_back();
            return out;
        }
        case PatternKind::Call: {
            const auto mu = std::find_if(m_mus.rbegin(), m_mus.rend(), [&](const PatternNode* each) { return each->op.name == node.op.name; });
            assert(mu != m_mus.rend());
            return unfold(**mu, node.arguments, names, term, bound, unfoldings);
        }
        case PatternKind::Omitted:
        case PatternKind::Number:
        case PatternKind::Result: break;
        }
        assert(false); // not made by the generator
        return {};
    }

  private:
    /// D-Var, and D-FunVar for its name.
    States bind(int variable, int value, const Bound& bound) const {
        const auto held = bound.find(variable);
        if (held != bound.end()) {
            return held->second == value ? States{bound} : States{};
        }
        if (m_total != nullptr) {
            const auto given = m_total->find(variable);
            const auto chosen = m_chosen.find(variable);
            const int wanted = given != m_total->end() ? given->second : chosen->second;
            if (wanted != value) {
                return {};
            }
        }
        Bound out = bound;
        out.emplace(variable, value);
        return {out};
    }

    States operands(const std::vector<PatternId>& patterns, const std::vector<int>& terms, const Environment& names, const Bound& bound,
                    int unfoldings) {
        States now{bound};
        for (std::size_t i = 0; i < patterns.size(); ++i) {
            States next;
            for (const Bound& each : now) {
                next.merge(derive(patterns[i], names, terms[i], each, unfoldings));
            }
            now = std::move(next);
        }
        return now;
    }

    States deriveOperator(const PatternNode& node, const Environment& names, int term, const Bound& bound, int unfoldings) {
        States out;
        const Terms::Term at = m_terms.at(term);
        if (node.order == OperandOrder::AnyTree) {
            for (const std::vector<int>& leaves : bracketings(node.op.name, term, node.children.size())) {
                std::vector<int> order(leaves);
                std::sort(order.begin(), order.end());
                do {
                    out.merge(operands(node.children, order, names, bound, unfoldings));
                } while (std::next_permutation(order.begin(), order.end()));
            }
        } else if (at.op == node.op.name && at.operands.size() == node.children.size()) {
            out.merge(operands(node.children, at.operands, names, bound, unfoldings));
            if (node.order == OperandOrder::Commutative) {
                out.merge(operands(node.children, {at.operands[1], at.operands[0]}, names, bound, unfoldings));
            }
        }
        if (node.optional) {
            out.merge(derive(node.children[0], names, term, bound, unfoldings));
        }
        return out;
    }

    /// Leaves of the term as a tree of `op` with so many of them.
    std::vector<std::vector<int>> bracketings(const std::string& op, int term, std::size_t leaves) {
        if (leaves == 1) {
            return {{term}};
        }
        const Terms::Term at = m_terms.at(term);
        std::vector<std::vector<int>> out;
        if (at.op != op || at.operands.size() != 2) {
            return out;
        }
        for (std::size_t left = 1; left < leaves; ++left) {
            for (const std::vector<int>& a : bracketings(op, at.operands[0], left)) {
                for (const std::vector<int>& b : bracketings(op, at.operands[1], leaves - left)) {
                    out.push_back(a);
                    out.back().insert(out.back().end(), b.begin(), b.end());
                }
            }
        }
        return out;
    }

    States deriveExists(const PatternNode& node, Environment names, int term, const Bound& bound, int unfoldings) {
        const int variable = nextVariable++;
        names[node.name.written()] = variable;
        States out;
        const auto collect = [&] {
            for (Bound each : derive(node.children[0], names, term, bound, unfoldings)) {
                if (each.erase(variable) > 0) {
                    out.insert(std::move(each));
                }
            }
        };
        if (m_total == nullptr) {
            collect();
            return out;
        }
        for (const int value : node.name.kind == NameKind::Value ? m_universe : m_symbols) {
            m_chosen[variable] = value;
            collect();
        }
        m_chosen.erase(variable);
        return out;
    }

    /// D-Mu: the body with the parameters read as the arguments, binders fresh.
    States unfold(const PatternNode& mu, const std::vector<Name>& arguments, Environment names, int term, const Bound& bound, int unfoldings) {
        if (unfoldings == 0) {
            limited = true;
            return {};
        }
        std::vector<int> values;
        for (const Name& each : arguments) {
            values.push_back(names.at(each.written()));
        }
        for (std::size_t i = 0; i < mu.parameters.size(); ++i) {
            names[mu.parameters[i].written()] = values[i];
        }
        return derive(mu.children[0], names, term, bound, unfoldings - 1);
    }

    bool guardNamesBound(ExpressionId id, const Environment& names, const Bound& bound) const {
        const ExpressionNode& node = m_file.at(id);
        if (node.kind == ExpressionKind::Fact && !bound.contains(names.at(node.name.written()))) {
            return false;
        }
        return std::all_of(node.children.begin(), node.children.end(), [&](ExpressionId child) { return guardNamesBound(child, names, bound); });
    }

    Kleene guard(ExpressionId id, const Environment& names, const Bound& bound) {
        const ExpressionNode& node = m_file.at(id);
        switch (node.kind) {
        case ExpressionKind::Not: {
            const Kleene inner = guard(node.children[0], names, bound);
            return inner == Kleene::Undefined ? inner : inner == Kleene::True ? Kleene::False : Kleene::True;
        }
        case ExpressionKind::And:
        case ExpressionKind::Or: {
            const Kleene wins = node.kind == ExpressionKind::And ? Kleene::False : Kleene::True;
            Kleene out = wins == Kleene::True ? Kleene::False : Kleene::True;
            for (const ExpressionId child : node.children) {
                const Kleene each = guard(child, names, bound);
                if (each == wins) {
                    return wins;
                }
                out = each == Kleene::Undefined ? each : out;
            }
            return out;
        }
        case ExpressionKind::Compare: {
            const auto left = value(node.children[0], names, bound);
            const auto right = value(node.children[1], names, bound);
            if (!left || !right) {
                return Kleene::Undefined;
            }
            const bool holds = node.compare == CompareKind::Equal ? *left == *right : *left < *right;
            return holds ? Kleene::True : Kleene::False;
        }
        default: break;
        }
        assert(false);
        return Kleene::Undefined;
    }

    /// Numbers and names as text, numbers padded so that texts compare as they do. `rank` is never known here.
    std::optional<std::string> value(ExpressionId id, const Environment& names, const Bound& bound) const {
        const ExpressionNode& node = m_file.at(id);
        const auto padded = [](std::uint64_t number) {
            const std::string digits = std::to_string(number);
            return std::string(20 - digits.size(), '0') + digits;
        };
        switch (node.kind) {
        case ExpressionKind::Number: return padded(static_cast<std::uint64_t>(*node.number.integer));
        case ExpressionKind::Word: return node.text;
        case ExpressionKind::Fact: {
            const int held = bound.at(names.at(node.name.written()));
            if (node.fact == FactKind::Op) {
                return m_terms.symbolText(held);
            }
            return node.fact == FactKind::Size ? std::optional(padded(m_terms.at(held).size)) : std::nullopt;
        }
        default: break;
        }
        assert(false);
        return std::nullopt;
    }

    const RuleFile& m_file;
    Terms& m_terms;
    const std::map<int, int>* m_total;
    std::map<int, int> m_chosen; ///< values of binders
    std::set<int> m_universe;
    std::set<int> m_symbols;
    std::vector<const PatternNode*> m_mus;
};

/// Free names of the pattern, in a fixed order.
void freeNames(const RuleFile& file, PatternId id, std::set<std::string> bound, std::set<std::string>& out) {
    const PatternNode& node = file.at(id);
    const auto use = [&](const Name& name) {
        if (!bound.contains(name.written())) {
            out.insert(name.written());
        }
    };
    if (node.guard.isValid()) {
        std::vector<ExpressionId> stack{node.guard};
        while (!stack.empty()) {
            const ExpressionNode& at = file.at(stack.back());
            stack.pop_back();
            if (at.kind == ExpressionKind::Fact) {
                use(at.name);
            }
            stack.insert(stack.end(), at.children.begin(), at.children.end());
        }
    }
    for (const Name& each : node.arguments) {
        use(each);
    }
    if (node.kind == PatternKind::Exists) {
        bound.insert(node.name.written());
    } else if (!node.name.text.empty()) {
        use(node.name);
    }
    for (const Name& each : node.parameters) {
        bound.insert(each.written());
    }
    for (const PatternId child : node.children) {
        freeNames(file, child, bound, out);
    }
}

Witness shown(const Terms& terms, const std::vector<std::string>& names, const Bound& bound) {
    Witness out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto held = bound.find(static_cast<int>(i));
        if (held != bound.end()) {
            out.emplace(names[i], names[i][0] == '?' ? terms.text(held->second) : terms.symbolText(held->second));
        }
    }
    return out;
}

std::vector<std::string> namesOf(const RuleFile& file) {
    std::set<std::string> names;
    freeNames(file, file.definitions[0].body, {}, names);
    return {names.begin(), names.end()};
}

} // namespace

Answer witnesses(const RuleFile& file, Terms& terms, int term, int unfoldings) {
    const std::vector<std::string> names = namesOf(file);
    Environment environment;
    for (std::size_t i = 0; i < names.size(); ++i) {
        environment.emplace(names[i], static_cast<int>(i));
    }
    Derivation derivation(file, terms, term, nullptr);
    derivation.nextVariable = static_cast<int>(names.size());
    Answer out;
    for (const Bound& each : derivation.derive(file.definitions[0].body, environment, term, {}, unfoldings)) {
        out.witnesses.insert(shown(terms, names, each));
    }
    out.complete = !derivation.limited;
    return out;
}

bool searched(const RuleFile& file, Terms& terms, int term, int unfoldings, std::size_t space, bool extra, Answer& out) {
    const std::vector<std::string> names = namesOf(file);
    const std::set<int> universe = terms.subterms(term);
    std::set<int> symbols;
    for (const int each : universe) {
        symbols.insert(terms.symbol(terms.at(each).op));
    }
    std::vector<std::vector<int>> choices;
    std::size_t count = 1;
    for (const std::string& name : names) {
        const std::set<int>& from = name[0] == '?' ? universe : symbols;
        choices.emplace_back(from.begin(), from.end());
        count *= choices.back().size();
        if (count > space) {
            return false;
        }
    }
    Environment environment;
    for (std::size_t i = 0; i < names.size(); ++i) {
        environment.emplace(names[i], static_cast<int>(i));
    }
    const int unrelated = static_cast<int>(names.size());
    out = {};
    for (std::size_t at = 0; at < count; ++at) {
        std::map<int, int> total;
        std::size_t rest = at;
        for (std::size_t i = 0; i < choices.size(); ++i) {
            total.emplace(static_cast<int>(i), choices[i][rest % choices[i].size()]);
            rest /= choices[i].size();
        }
        Bound before;
        if (extra) {
            before.emplace(unrelated, term);
        }
        Derivation derivation(file, terms, term, &total);
        derivation.nextVariable = unrelated + 1;
        for (const Bound& each : derivation.derive(file.definitions[0].body, environment, term, before, unfoldings)) {
            out.witnesses.insert(shown(terms, names, each));
        }
        out.complete = out.complete && !derivation.limited;
        if (derivation.work > Derivation::MostWork) {
            return false;
        }
    }
    return true;
}

} // namespace lemmascope::match::oracle
