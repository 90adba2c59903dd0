// A pattern taken apart; tests: tests/core/ruleproof/tst_rule_check.cpp.
#include "core/ruleproof/skeleton.h"

#include "core/graph/definition_code.h"
#include "core/graph/op_registry.h"
#include "core/ruleproof/guard_parts.h"
#include "core/ruleproof/guard_value.h"

#include <algorithm>

namespace lemmascope::ruleproof {

using match::PatternId;
using match::PatternKind;
using match::PatternNode;

namespace {

std::string folded(const std::string& text) {
    std::string out = text;
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

bool isOnnx(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

std::int64_t opsetOf(const std::map<std::string, std::int64_t>& opsets, const std::string& domain) {
    const auto at = opsets.find(domain);
    return at == opsets.end() ? 1 : at->second;
}

/// Equal in exact arithmetic however they are bracketed and ordered.
bool regroups(const OpId& op) {
    static const std::set<std::string> Names{"Add", "Mul", "And", "Or", "Xor", "Min", "Max"};
    return op.domain.empty() && Names.contains(op.name);
}

using States = std::vector<Skeleton>;

class Expander {
  public:
    Expander(const match::RuleFile& file, const ExpandOptions& options) : m_file(file), m_options(options) { findRecursion(); }

    Expansion run(const match::Rule& rule) {
        Skeleton first;
        first.scopes.emplace_back();
        first.root = addValue(first, SkeletonValue::Kind::Free);
        const std::uint32_t root = first.root;
        States all;
        all.push_back(std::move(first));
        States taken;
        for (Skeleton& each : match(std::move(all), rule.pattern, root, 0)) {
            takeApartGuards(m_file, std::move(each), taken);
        }
        for (Skeleton& each : taken) {
            refineNumbers(m_file, rule, each);
            if (!holdsSoFar(each) || !each.order()) {
                continue;
            }
            const SkeletonValue& top = each.values[each.resolved(each.root)];
            const bool several = top.kind == SkeletonValue::Kind::Result && top.result == 0 && replacesByOperator(rule);
            const std::uint32_t most = several ? resultsOf(each.nodes[top.node].op) : 1;
            for (std::uint32_t results = 1; results <= most; ++results) {
                each.results = results;
                m_out.skeletons.push_back(each);
            }
        }
        return std::move(m_out);
    }

  private:
    /// A rule whose replacement is an operator's may replace all results of a node.
    [[nodiscard]] bool replacesByOperator(const match::Rule& rule) const {
        return std::any_of(rule.cases.begin(), rule.cases.end(), [&](const match::RuleCase& each) {
            const match::ReplacementKind kind = m_file.at(each.replacement.result).kind;
            return kind == match::ReplacementKind::Operator || kind == match::ReplacementKind::FunctionVariable;
        });
    }

    std::uint32_t resultsOf(const OpId& op) {
        static const std::map<std::string, std::uint32_t> Several{{"TopK", 2}, {"MaxPool", 2}, {"Dropout", 2}, {"LSTM", 3},
                                                                  {"GRU", 2},  {"RNN", 2},     {"Unique", 4},  {"DynamicQuantizeLinear", 3}};
        if (op.domain.empty() && (op.name == "Split" || op.name == "BatchNormalization")) {
            if (op.name == "Split") {
                m_out.gaps.insert("the first part of Split");
            }
            return 1; // of BatchNormalization the others come with training
        }
        if (const Definition* definition = findDefinition(nullptr, op)) {
            return static_cast<std::uint32_t>(definition->results.size());
        }
        const auto at = op.domain.empty() ? Several.find(op.name) : Several.end();
        return at == Several.end() ? 1 : at->second;
    }

    // ---- states

    static std::uint32_t addValue(Skeleton& state, SkeletonValue::Kind kind) {
        SkeletonValue value;
        value.kind = kind;
        state.values.push_back(std::move(value));
        return static_cast<std::uint32_t>(state.values.size() - 1);
    }

    static std::uint32_t addScope(Skeleton& state, std::uint32_t outer) {
        state.scopes.push_back({{}, outer});
        return static_cast<std::uint32_t>(state.scopes.size() - 1);
    }

    static std::uint32_t addCell(Skeleton& state, std::uint32_t scope, const std::string& name) {
        state.cells.emplace_back();
        const auto cell = static_cast<std::uint32_t>(state.cells.size() - 1);
        state.scopes[scope].cells[name] = cell;
        return cell;
    }

    static std::uint32_t cellOf(Skeleton& state, const std::string& name, std::uint32_t scope) {
        while (true) {
            const auto at = state.scopes[scope].cells.find(name);
            if (at != state.scopes[scope].cells.end()) {
                return at->second;
            }
            if (state.scopes[scope].outer == Scope::None) {
                return addCell(state, scope, name);
            }
            scope = state.scopes[scope].outer;
        }
    }

    /// Guards about operators alone; others are not known yet.
    [[nodiscard]] bool holdsSoFar(const Skeleton& state) const {
        return std::none_of(state.guards.begin(), state.guards.end(), [&](const auto& guard) {
            return GuardValues(m_file, state, nullptr).truth(guard.first, guard.second) == match::Truth::False;
        });
    }

    void bound(States& states) {
        if (states.size() > m_options.most) {
            states.resize(m_options.most);
            m_out.gaps.insert("only the first " + std::to_string(m_options.most) + " forms of the pattern were looked at");
        }
    }

    /// Both are the same computation. False when that cannot be.
    static bool unify(Skeleton& state, std::uint32_t a, std::uint32_t b) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> work{{a, b}};
        while (!work.empty()) {
            auto [left, right] = work.back();
            work.pop_back();
            left = state.resolved(left);
            right = state.resolved(right);
            if (left == right) {
                continue;
            }
            using Kind = SkeletonValue::Kind;
            if (state.values[left].kind == Kind::Free && state.values[right].kind != Kind::Omitted) {
                join(state, left, right);
                continue;
            }
            if (state.values[right].kind == Kind::Free && state.values[left].kind != Kind::Omitted) {
                join(state, right, left);
                continue;
            }
            const SkeletonValue one = state.values[left];
            const SkeletonValue two = state.values[right];
            if (one.kind != two.kind || one.kind == Kind::Omitted) {
                if (one.kind == Kind::Omitted && two.kind == Kind::Omitted) {
                    continue;
                }
                return false;
            }
            if (one.kind == Kind::Number) {
                if (one.number.value != two.number.value) {
                    return false;
                }
                join(state, left, right);
                continue;
            }
            SkeletonNode& from = state.nodes[one.node];
            SkeletonNode& to = state.nodes[two.node];
            if (one.result != two.result || from.op != to.op || from.operands.size() != to.operands.size()) {
                return false;
            }
            to.attributes.insert(to.attributes.end(), from.attributes.begin(), from.attributes.end());
            for (std::size_t i = 0; i < from.operands.size(); ++i) {
                work.emplace_back(from.operands[i], to.operands[i]);
            }
            join(state, left, right);
        }
        return true;
    }

    static void join(Skeleton& state, std::uint32_t from, std::uint32_t to) {
        if (state.values[to].name.empty()) {
            state.values[to].name = state.values[from].name;
        }
        state.values[from].kind = SkeletonValue::Kind::Same;
        state.values[from].other = to;
    }

    // ---- patterns

    States match(States states, PatternId id, std::uint32_t value, std::uint32_t scope) {
        const PatternNode& node = m_file.at(id);
        States out;
        switch (node.kind) {
        case PatternKind::Any: return filtered(std::move(states), [&](Skeleton& each) { return isGiven(each, value); });
        case PatternKind::Variable:
            return filtered(std::move(states), [&](Skeleton& each) { return isGiven(each, value) && bind(each, node.name.written(), value, scope); });
        case PatternKind::As:
            states =
                filtered(std::move(states), [&](Skeleton& each) { return isGiven(each, value) && bind(each, node.name.written(), value, scope); });
            return match(std::move(states), node.children[0], value, scope);
        case PatternKind::Omitted:
            return filtered(std::move(states), [&](Skeleton& each) {
                SkeletonValue& at = each.values[each.resolved(value)];
                const bool fits = at.kind == SkeletonValue::Kind::Omitted || (at.kind == SkeletonValue::Kind::Free && at.name.empty());
                at.kind = fits ? SkeletonValue::Kind::Omitted : at.kind;
                return fits;
            });
        case PatternKind::Number:
            if (node.number.tolerance) {
                m_out.scope.insert("a number within a tolerance is " + node.number.text + " itself");
            }
            return filtered(std::move(states), [&](Skeleton& each) {
                SkeletonValue& at = each.values[each.resolved(value)];
                if (at.kind == SkeletonValue::Kind::Free) {
                    at.kind = SkeletonValue::Kind::Number;
                    at.number = node.number;
                    return true;
                }
                return at.kind == SkeletonValue::Kind::Number && at.number.value == node.number.value;
            });
        case PatternKind::Operator: return operators(std::move(states), node, value, scope);
        case PatternKind::FunctionVariable: return functions(std::move(states), node, value, scope);
        case PatternKind::Alternate:
            for (const PatternId child : node.children) {
                States some = match(states, child, value, scope);
                std::move(some.begin(), some.end(), std::back_inserter(out));
                bound(out);
            }
            return out;
        case PatternKind::Guarded:
            out = match(std::move(states), node.children[0], value, scope);
            for (Skeleton& each : out) {
                each.guards.emplace_back(node.guard, scope);
            }
            std::erase_if(out, [&](const Skeleton& each) { return !holdsSoFar(each); });
            return out;
        case PatternKind::Exists:
            return inScope(std::move(states), scope, [&](Skeleton& each, std::uint32_t inner) {
                addCell(each, inner, node.name.written());
                return match(States{std::move(each)}, node.children[0], value, inner);
            });
        case PatternKind::Constraint:
            for (Skeleton& each : match(std::move(states), node.children[0], value, scope)) {
                const Cell& cell = each.cells[cellOf(each, node.name.written(), scope)];
                if (cell.kind != Cell::Kind::Value) {
                    continue;
                }
                const std::uint32_t target = cell.value;
                States some = match(States{std::move(each)}, node.children[1], target, scope);
                std::move(some.begin(), some.end(), std::back_inserter(out));
            }
            bound(out);
            return out;
        case PatternKind::Result:
            for (Skeleton& each : states) {
                const std::uint32_t at = each.resolved(value);
                if (each.values[at].kind == SkeletonValue::Kind::Result && each.values[at].result == node.resultIndex) {
                    // Result 0 of the same node, as a value of its own.
                    const std::uint32_t first = addValue(each, SkeletonValue::Kind::Result);
                    each.values[first].node = each.values[at].node;
                    States some = match(States{std::move(each)}, node.children[0], first, scope);
                    std::move(some.begin(), some.end(), std::back_inserter(out));
                } else if (each.values[at].kind == SkeletonValue::Kind::Free) {
                    const std::uint32_t first = addValue(each, SkeletonValue::Kind::Free);
                    for (Skeleton& made : match(States{std::move(each)}, node.children[0], first, scope)) {
                        const SkeletonValue zero = made.values[made.resolved(first)];
                        SkeletonValue& target = made.values[made.resolved(at)];
                        if (zero.kind != SkeletonValue::Kind::Result || target.kind != SkeletonValue::Kind::Free) {
                            continue;
                        }
                        target.kind = SkeletonValue::Kind::Result;
                        target.node = zero.node;
                        target.result = node.resultIndex;
                        out.push_back(std::move(made));
                    }
                }
            }
            return out;
        case PatternKind::Mu:
        case PatternKind::Call: return calls(std::move(states), node, value, scope);
        }
        return out;
    }

    static bool isGiven(const Skeleton& state, std::uint32_t value) {
        return state.values[state.resolved(value)].kind != SkeletonValue::Kind::Omitted;
    }

    template <typename Keep>
    static States filtered(States states, const Keep& keep) {
        States out;
        for (Skeleton& each : states) {
            if (keep(each)) {
                out.push_back(std::move(each));
            }
        }
        return out;
    }

    template <typename Body>
    States inScope(States states, std::uint32_t outer, const Body& body) {
        States out;
        for (Skeleton& each : states) {
            const std::uint32_t inner = addScope(each, outer);
            States some = body(each, inner);
            std::move(some.begin(), some.end(), std::back_inserter(out));
        }
        bound(out);
        return out;
    }

    static bool bind(Skeleton& state, const std::string& name, std::uint32_t value, std::uint32_t scope) {
        Cell& cell = state.cells[cellOf(state, name, scope)];
        if (cell.kind == Cell::Kind::Unbound) {
            cell.kind = Cell::Kind::Value;
            cell.value = value;
            SkeletonValue& held = state.values[state.resolved(value)];
            if (held.name.empty()) {
                held.name = name.substr(1);
            }
            return true;
        }
        return cell.kind == Cell::Kind::Value && unify(state, cell.value, value);
    }

    /// The value is an application of the operator: made so if it is free. False when it is something else.
    bool apply(Skeleton& state, std::uint32_t value, const OpId& op, std::size_t count, std::uint32_t& node) {
        SkeletonValue& at = state.values[state.resolved(value)];
        if (at.kind == SkeletonValue::Kind::Result) {
            node = at.node;
            return at.result == 0 && state.nodes[node].op == op && state.nodes[node].operands.size() == count;
        }
        if (at.kind != SkeletonValue::Kind::Free) {
            return false;
        }
        node = static_cast<std::uint32_t>(state.nodes.size());
        at.kind = SkeletonValue::Kind::Result;
        at.node = node;
        SkeletonNode made;
        made.op = op;
        for (std::size_t i = 0; i < count; ++i) {
            made.operands.push_back(addValue(state, SkeletonValue::Kind::Free));
        }
        state.nodes.push_back(std::move(made));
        return true;
    }

    void addAttributes(Skeleton& state, std::uint32_t node, const PatternNode& pattern, std::uint32_t scope) {
        for (const match::AttributePattern& each : pattern.attributes) {
            AttributeUse use;
            use.name = each.name;
            use.orOperand = each.orOperand;
            if (each.value.kind == match::AttributeValue::Kind::Variable) {
                use.cell = cellOf(state, "?" + each.value.text, scope);
                if (state.cells[use.cell].kind == Cell::Kind::Unbound) {
                    state.cells[use.cell].kind = Cell::Kind::Attribute;
                }
            } else {
                use.wanted = each.value;
                if (each.value.number.tolerance) {
                    m_out.scope.insert("an attribute within a tolerance is " + each.value.number.text + " itself");
                }
            }
            state.nodes[node].attributes.push_back(std::move(use));
        }
    }

    States operators(States states, const PatternNode& pattern, std::uint32_t value, std::uint32_t scope) {
        States out;
        if (pattern.optional) {
            out = match(states, pattern.children[0], value, scope);
        }
        const OpId op = namedOp(pattern.op, m_options.opsets);
        if (pattern.children.empty() && pattern.attributes.empty() && pattern.rest.empty() && findOp(op) == nullptr) {
            // A leaf by its name: it could be any value.
            States leaves = filtered(std::move(states), [&](Skeleton& each) { return bind(each, "=" + pattern.op.name, value, 0); });
            std::move(leaves.begin(), leaves.end(), std::back_inserter(out));
            return out;
        }
        if (pattern.order == match::OperandOrder::AnyTree) {
            States trees = anyTree(std::move(states), pattern, op, value, scope);
            std::move(trees.begin(), trees.end(), std::back_inserter(out));
            bound(out);
            return out;
        }
        const OpSchema* schema = findOp(op);
        const bool bothOrders = pattern.order == match::OperandOrder::Commutative && (schema == nullptr || !schema->commutative);
        std::size_t longest = pattern.rest.empty() ? 0 : m_options.rest;
        if (schema != nullptr && schema->maxOperands >= 0) {
            const auto most = static_cast<std::size_t>(schema->maxOperands);
            longest = std::min(longest, most > pattern.children.size() ? most - pattern.children.size() : 0);
        }
        const bool all =
            schema != nullptr && schema->maxOperands >= 0 && pattern.children.size() + longest >= static_cast<std::size_t>(schema->maxOperands);
        if (!pattern.rest.empty() && !all) {
            m_out.gaps.insert("`.." + pattern.rest + "` of up to " + std::to_string(longest) + " operands");
        }
        for (std::size_t extra = 0; extra <= longest; ++extra) {
            States made;
            std::vector<std::uint32_t> nodes;
            for (const Skeleton& each : states) {
                Skeleton copy = each;
                std::uint32_t node = 0;
                if (!apply(copy, value, op, pattern.children.size() + extra, node)) {
                    continue;
                }
                addAttributes(copy, node, pattern, scope);
                if (pattern.rest.empty() || bindRest(copy, pattern, node, scope)) {
                    made.push_back(std::move(copy));
                    nodes.push_back(node);
                }
            }
            for (const bool exchanged : {false, true}) {
                if (exchanged && !bothOrders) {
                    continue;
                }
                for (std::size_t i = 0; i < made.size(); ++i) {
                    States some = operands(made[i], pattern.children, nodes[i], exchanged, scope);
                    std::move(some.begin(), some.end(), std::back_inserter(out));
                }
            }
            bound(out);
        }
        return out;
    }

    static bool bindRest(Skeleton& state, const PatternNode& pattern, std::uint32_t node, std::uint32_t scope) {
        const std::vector<std::uint32_t> all = state.nodes[node].operands;
        const std::vector<std::uint32_t> list(all.begin() + static_cast<std::ptrdiff_t>(pattern.children.size()), all.end());
        Cell& cell = state.cells[cellOf(state, ".." + pattern.rest, scope)];
        if (cell.kind == Cell::Kind::Unbound) {
            cell.kind = Cell::Kind::List;
            cell.list = list;
            return true;
        }
        if (cell.kind != Cell::Kind::List || cell.list.size() != list.size()) {
            return false;
        }
        const std::vector<std::uint32_t> held = cell.list;
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (!unify(state, held[i], list[i])) {
                return false;
            }
        }
        return true;
    }

    States operands(const Skeleton& state, const std::vector<PatternId>& children, std::uint32_t node, bool exchanged, std::uint32_t scope) {
        States out{state};
        for (std::size_t i = 0; i < children.size() && !out.empty(); ++i) {
            out = match(std::move(out), children[i], state.nodes[node].operands[exchanged ? children.size() - 1 - i : i], scope);
        }
        return out;
    }

    /// Leaves of a tree of one operator. Where order and bracketing make no difference in exact arithmetic one tree stands for all.
    States anyTree(States states, const PatternNode& pattern, const OpId& op, std::uint32_t value, std::uint32_t scope) {
        if (!regroups(op)) {
            m_out.gaps.insert("`ac` of " + op.name + ", which is not known to be associative, in one bracketing");
        }
        States out;
        for (const Skeleton& each : states) {
            Skeleton state = each;
            std::vector<std::uint32_t> leaves{value};
            bool fits = true;
            while (fits && leaves.size() < pattern.children.size()) {
                std::uint32_t node = 0;
                fits = apply(state, leaves[0], op, 2, node);
                if (fits) {
                    addAttributes(state, node, pattern, scope);
                    leaves[0] = state.nodes[node].operands[1];
                    leaves.insert(leaves.begin(), state.nodes[node].operands[0]);
                }
            }
            if (!fits) {
                continue;
            }
            state.regrouped = state.regrouped || leaves.size() > 2;
            States some{std::move(state)};
            for (std::size_t i = 0; i < leaves.size() && !some.empty(); ++i) {
                some = match(std::move(some), pattern.children[i], leaves[i], scope);
            }
            std::move(some.begin(), some.end(), std::back_inserter(out));
        }
        return out;
    }

    States functions(States states, const PatternNode& pattern, std::uint32_t value, std::uint32_t scope) {
        States out;
        for (const Skeleton& each : states) {
            Skeleton looked = each;
            const std::uint32_t cell = cellOf(looked, pattern.name.written(), scope);
            std::vector<OpId> candidates;
            if (looked.cells[cell].kind == Cell::Kind::Symbol) {
                candidates.push_back(looked.cells[cell].symbol);
            } else if (looked.cells[cell].kind == Cell::Kind::Unbound) {
                candidates = operatorsOf(pattern.children.size());
            }
            if (!pattern.rest.empty()) {
                m_out.gaps.insert("`.." + pattern.rest + "` of an operator that is a name");
            }
            for (const OpId& op : candidates) {
                Skeleton copy = looked;
                std::uint32_t node = 0;
                if (!apply(copy, value, op, pattern.children.size(), node)) {
                    continue;
                }
                copy.cells[cell].kind = Cell::Kind::Symbol;
                copy.cells[cell].symbol = op;
                if (looked.cells[cell].kind == Cell::Kind::Unbound) {
                    copy.cells[cell].value = node;
                }
                States some = operands(copy, pattern.children, node, false, scope);
                std::erase_if(some, [&](const Skeleton& one) { return !holdsSoFar(one); });
                std::move(some.begin(), some.end(), std::back_inserter(out));
            }
        }
        return out;
    }

    /// What an operator's name may stand for: each operator of the registry that takes so many operands, and one that nobody knows.
    [[nodiscard]] std::vector<OpId> operatorsOf(std::size_t count) {
        std::vector<OpId> out;
        for (const OpSchema& each : allOps()) {
            OpId op{std::string(each.domain), std::string(each.name), 0};
            op.version = opsetOf(m_options.opsets, op.domain);
            if (findOp(op) != &each || op.domain == "lemmascope" || each.minOperands > static_cast<int>(count) ||
                (each.maxOperands >= 0 && each.maxOperands < static_cast<int>(count)) || each.opClass == OpClass::Random) {
                continue; // random nodes are never rewritten
            }
            if (each.opClass == OpClass::Control) {
                continue; // asked for by class only; their graphs are part of them
            }
            out.push_back(std::move(op));
        }
        out.push_back({"any", "Operator", 1});
        return out;
    }

    // ---- recursion

    void findRecursion() {
        // A definition that reaches itself by calls.
        std::vector<std::set<std::string>> called(m_file.definitions.size());
        const auto collect = [&](PatternId from, std::set<std::string>& into) {
            std::vector<PatternId> stack{from};
            while (!stack.empty()) {
                const PatternNode& node = m_file.at(stack.back());
                stack.pop_back();
                if (node.kind == PatternKind::Call) {
                    into.insert(node.op.name);
                }
                stack.insert(stack.end(), node.children.begin(), node.children.end());
            }
        };
        std::map<std::string, std::set<std::string>> reach;
        for (const match::PatternDefinition& each : m_file.definitions) {
            collect(each.body, reach[each.name]);
        }
        for (bool grew = true; grew;) {
            grew = false;
            for (auto& [name, targets] : reach) {
                const std::size_t before = targets.size();
                for (const std::string& target : std::set<std::string>(targets)) {
                    const auto at = reach.find(target);
                    if (at != reach.end()) {
                        targets.insert(at->second.begin(), at->second.end());
                    }
                }
                grew = grew || targets.size() != before;
            }
        }
        for (const auto& [name, targets] : reach) {
            if (targets.contains(name)) {
                m_recursive.insert(name);
            }
        }
    }

    States calls(States states, const PatternNode& node, std::uint32_t value, std::uint32_t scope) {
        const std::string& name = node.op.name;
        const auto mu = std::find_if(m_mus.rbegin(), m_mus.rend(), [&](const PatternNode* each) { return each->op.name == name; });
        const PatternNode* muNode = node.kind == PatternKind::Mu ? &node : mu != m_mus.rend() ? *mu : nullptr;
        States out;
        for (Skeleton& each : states) {
            if (muNode != nullptr) {
                const std::string key = "mu " + muNode->spot.text();
                if (!mayCall(each, key, name)) {
                    continue;
                }
                States some = enter(std::move(each), muNode->parameters, node.arguments, {muNode->children[0]}, value, scope, scope, muNode);
                leave(some, key);
                std::move(some.begin(), some.end(), std::back_inserter(out));
                continue;
            }
            const bool recursive = m_recursive.contains(name);
            if (recursive && !mayCall(each, name, name)) {
                continue;
            }
            States some;
            for (const match::PatternDefinition& definition : m_file.definitions) {
                if (definition.name == name) {
                    States alternates = enter(each, definition.parameters, node.arguments, {definition.body}, value, scope, Scope::None, nullptr);
                    std::move(alternates.begin(), alternates.end(), std::back_inserter(some));
                }
            }
            if (recursive) {
                leave(some, name);
            }
            std::move(some.begin(), some.end(), std::back_inserter(out));
        }
        bound(out);
        return out;
    }

    /// Calls are counted on the way inside; those that stand side by side count apart.
    bool mayCall(Skeleton& state, const std::string& key, const std::string& name) {
        if (state.calls[key] >= m_options.recursion) {
            m_out.gaps.insert("chains of up to " + std::to_string(m_options.recursion) + " calls of " + name);
            return false;
        }
        ++state.calls[key];
        return true;
    }

    static void leave(States& states, const std::string& key) {
        for (Skeleton& each : states) {
            --each.calls[key];
        }
    }

    States enter(Skeleton state, const std::vector<match::Name>& parameters, const std::vector<match::Name>& arguments,
                 const std::vector<PatternId>& bodies, std::uint32_t value, std::uint32_t caller, std::uint32_t outer, const PatternNode* mu) {
        const std::uint32_t inner = addScope(state, outer);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (i < arguments.size()) {
                state.scopes[inner].cells[parameters[i].written()] = cellOf(state, arguments[i].written(), caller);
            } else {
                addCell(state, inner, parameters[i].written());
            }
        }
        if (mu != nullptr) {
            m_mus.push_back(mu);
        }
        // A definition's calls never mean a mu around the place where it is called.
        std::vector<const PatternNode*> hidden;
        if (mu == nullptr) {
            hidden.swap(m_mus);
        }
        States out{std::move(state)};
        for (const PatternId body : bodies) {
            out = match(std::move(out), body, value, inner);
        }
        if (mu == nullptr) {
            hidden.swap(m_mus);
        } else {
            m_mus.pop_back();
        }
        return out;
    }

    const match::RuleFile& m_file;
    const ExpandOptions& m_options;
    Expansion m_out;
    std::set<std::string> m_recursive;
    std::vector<const PatternNode*> m_mus; ///< entered, innermost last
};

} // namespace

std::uint32_t Skeleton::resolved(std::uint32_t value) const {
    while (values[value].kind == SkeletonValue::Kind::Same) {
        value = values[value].other;
    }
    return value;
}

std::optional<std::vector<std::uint32_t>> Skeleton::order() const {
    std::vector<std::uint32_t> out;
    std::vector<std::uint8_t> state(nodes.size(), 0); // 1: begun, 2: done
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    const SkeletonValue& top = values[resolved(root)];
    if (top.kind == SkeletonValue::Kind::Result) {
        stack.emplace_back(top.node, 0);
    }
    while (!stack.empty()) {
        const std::uint32_t node = stack.back().first;
        state[node] = 1;
        if (stack.back().second == nodes[node].operands.size()) {
            state[node] = 2;
            out.push_back(node);
            stack.pop_back();
            continue;
        }
        const SkeletonValue& operand = values[resolved(nodes[node].operands[stack.back().second++])];
        if (operand.kind != SkeletonValue::Kind::Result || state[operand.node] == 2) {
            continue;
        }
        if (state[operand.node] == 1) {
            return std::nullopt;
        }
        stack.emplace_back(operand.node, 0);
    }
    return out;
}

std::optional<std::uint32_t> Skeleton::find(const match::Name& name, std::uint32_t scope) const {
    const std::string written = name.written();
    while (scope != Scope::None) {
        const auto at = scopes[scope].cells.find(written);
        if (at != scopes[scope].cells.end()) {
            return at->second;
        }
        scope = scopes[scope].outer;
    }
    return std::nullopt;
}

Expansion expand(const match::RuleFile& file, const match::Rule& rule, const ExpandOptions& options) { return Expander(file, options).run(rule); }

OpId namedOp(const match::OperatorName& name, const std::map<std::string, std::int64_t>& opsets) {
    OpId op{name.domain.value_or(""), name.name, 0};
    if (isOnnx(op.domain)) {
        op.domain.clear();
        const std::string lower = folded(name.name);
        for (const OpSchema& each : allOps()) {
            if (each.domain.empty() && folded(std::string(each.name)) == lower) {
                op.name = each.name;
                break;
            }
        }
    }
    op.version = name.version.value_or(opsetOf(opsets, op.domain));
    return op;
}

std::string operatorClass(const OpId& op) {
    const OpSchema* schema = findOp(op);
    if (schema == nullptr) {
        return "other";
    }
    switch (schema->opClass) {
    case OpClass::Elementwise: return "ew" + std::to_string(schema->maxOperands < 0 ? 2 : std::clamp(schema->minOperands, 1, 3));
    case OpClass::Movement: return "move";
    case OpClass::Computing: return "compute";
    case OpClass::Control: return "control";
    case OpClass::Random: return "random";
    }
    return "other";
}

} // namespace lemmascope::ruleproof
