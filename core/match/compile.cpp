// Resolves names to slots and calls to procedures; tests: tests/core/match/tst_match_cases.cpp.
#include "core/match/print.h"
#include "core/match/program.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <set>

namespace lemmascope::match {

namespace {

constexpr std::uint32_t Unknown = 1'000'000; ///< operators of a recursion that has no end yet

using Names = std::set<std::string>; ///< as written

/// A recursive call stands for the body of its mu as it would stand there: where a binder between the mu and the call bears a name that is
/// free in the body, the call's body sees that binder's. Such names are handed on as further arguments.
class Captures {
  public:
    explicit Captures(const RuleFile& file)
        : m_file(file), captured(file.patterns.size()), target(file.patterns.size()), m_free(file.patterns.size()) {
        for (const PatternDefinition& each : file.definitions) {
            findTargets(each.body);
        }
        for (const Rule& each : file.rules) {
            findTargets(each.pattern);
        }
        for (m_changed = true; m_changed;) {
            m_changed = false;
            for (const PatternId mu : m_mus) {
                const PatternNode& node = file.at(mu);
                m_mu = mu;
                Names bound;
                for (const Name& each : node.parameters) {
                    bound.insert(each.written());
                }
                walk(node.children[0], bound);
            }
        }
    }

  private:
    const RuleFile& m_file;

  public:
    std::vector<std::map<std::string, Name>> captured; ///< of a mu
    std::vector<PatternId> target;                     ///< of a call: its mu, invalid for a definition

  private:
    void findTargets(PatternId id) {
        const PatternNode& node = m_file.at(id);
        if (node.kind == PatternKind::Call) {
            for (std::size_t i = m_around.size(); i > 0; --i) {
                if (m_file.at(m_around[i - 1]).op.name == node.op.name) {
                    target[id.index] = m_around[i - 1];
                    return;
                }
            }
        }
        const bool isMu = node.kind == PatternKind::Mu;
        if (isMu) {
            m_mus.push_back(id);
            m_around.push_back(id);
        }
        for (const PatternId child : node.children) {
            findTargets(child);
        }
        if (isMu) {
            m_around.pop_back();
        }
    }

    void use(const Name& name, const Names& bound) {
        if (!bound.contains(name.written()) && m_free[m_mu.index].emplace(name.written(), name).second) {
            m_changed = true;
        }
    }

    void useExpression(ExpressionId id, const Names& bound) {
        const ExpressionNode& node = m_file.at(id);
        if (node.kind == ExpressionKind::Fact || node.kind == ExpressionKind::Variable) {
            use(node.name, bound);
        }
        for (const ExpressionId child : node.children) {
            useExpression(child, bound);
        }
    }

    void walk(PatternId id, const Names& bound) {
        const PatternNode& node = m_file.at(id);
        for (const AttributePattern& each : node.attributes) {
            if (each.value.kind == AttributeValue::Kind::Variable) {
                use({NameKind::Value, each.value.text, each.spot}, bound);
            }
        }
        for (const Name& each : node.arguments) {
            use(each, bound);
        }
        if (!node.rest.empty()) {
            use({NameKind::Rest, node.rest, node.spot}, bound);
        }
        if (node.guard.isValid()) {
            useExpression(node.guard, bound);
        }
        Names inside = bound;
        if (node.kind == PatternKind::Exists) {
            inside.insert(node.name.written());
        } else if (node.kind == PatternKind::Mu) {
            for (const Name& each : node.parameters) {
                inside.insert(each.written());
            }
        } else if (node.kind == PatternKind::Call) {
            call(target[id.index], bound);
        } else if (!node.name.text.empty()) {
            use(node.name, bound);
        }
        for (const PatternId child : node.children) {
            walk(child, inside);
        }
    }

    void call(PatternId mu, const Names& bound) {
        if (!mu.isValid()) {
            return;
        }
        const std::map<std::string, Name> free = m_free[mu.index];
        for (const auto& [written, name] : free) {
            if (mu != m_mu) {
                if (m_mu < mu) { // a mu around this one (made after it) is read where the call stands
                    use(name, bound);
                }
            } else if (bound.contains(written) && captured[mu.index].emplace(written, name).second) {
                m_changed = true;
            }
        }
    }

    std::vector<std::map<std::string, Name>> m_free;
    std::vector<PatternId> m_mus;
    std::vector<PatternId> m_around;
    PatternId m_mu;
    bool m_changed = false;
};

class Compiler {
  public:
    Compiler(const RuleFile& file, const StaticResult& checked) : m_file(file), m_checked(checked), m_captures(file) {
        for (std::uint32_t i = 0; i < file.definitions.size(); ++i) {
            m_definitions[file.definitions[i].name].push_back(i);
        }
    }

    MatchProgram rule(const Rule& rule) {
        start(rule.name, rule.spot);
        const InstructionId body = pattern(rule.pattern);
        for (const RuleCase& each : rule.cases) {
            m_out.cases.push_back(each.guard.isValid() ? guard(each.guard) : GuardId());
            const ReplacementKind kind = m_file.at(each.replacement.result).kind;
            m_out.replacesNode.push_back(kind == ReplacementKind::Operator || kind == ReplacementKind::FunctionVariable);
        }
        return finish(body);
    }

    /// The definitions of one name as a rule: their parameters and free names are reported.
    MatchProgram definitions(const std::vector<std::uint32_t>& group) {
        const PatternDefinition& first = m_file.definitions[group.front()];
        start(first.name, first.spot);
        std::vector<InstructionId> bodies;
        for (const std::uint32_t index : group) {
            for (const Name& each : m_file.definitions[index].parameters) {
                (void)resolve(each);
            }
            bodies.push_back(pattern(m_file.definitions[index].body));
        }
        return finish(alternates(bodies, first.spot));
    }

  private:
    /// A procedure that is being compiled, and which slot each name has just here.
    struct Open {
        std::uint32_t procedure;
        std::map<std::string, std::uint32_t> visible;
        bool isMu = false;
        std::string mu;
    };

    void start(const std::string& name, Spot spot) {
        m_out = {};
        m_out.rule = name;
        m_out.spot = spot;
        m_out.procedures.push_back({name, 0, {}, {}, 0, false});
        m_open = {{0, {}, false, {}}};
    }

    MatchProgram finish(InstructionId body) {
        m_out.procedures[0].body = body;
        compilePending();
        countOperators();
        findHeads();
        m_groups.clear();
        return std::move(m_out);
    }

    // ---- names

    SlotRef resolve(const Name& name) {
        const std::string key = name.written();
        for (std::uint32_t up = 0; up < m_open.size(); ++up) {
            const Open& open = m_open[m_open.size() - 1 - up];
            const auto at = open.visible.find(key);
            if (at != open.visible.end()) {
                return {up, at->second};
            }
        }
        // A name nobody binds around it belongs to the rule or definition as a whole.
        const auto up = static_cast<std::uint32_t>(m_open.size() - 1);
        Open& outermost = m_open.front();
        std::vector<SlotInfo>& slots = m_out.procedures[outermost.procedure].slots;
        slots.push_back({name, false});
        const auto index = static_cast<std::uint32_t>(slots.size() - 1);
        outermost.visible.emplace(key, index);
        return {up, index};
    }

    // ---- patterns

    InstructionId put(Instruction instruction) {
        m_out.instructions.push_back(std::move(instruction));
        return InstructionId(m_out.instructions.size() - 1);
    }

    InstructionId alternates(const std::vector<InstructionId>& children, Spot spot) {
        if (children.size() == 1) {
            return children.front();
        }
        Instruction out;
        out.kind = InstructionKind::Alternate;
        out.spot = spot;
        out.children = children;
        return put(std::move(out));
    }

    void children(const PatternNode& node, Instruction& out) {
        for (const PatternId child : node.children) {
            out.children.push_back(pattern(child));
        }
    }

    InstructionId pattern(PatternId id) {
        const PatternNode& node = m_file.at(id);
        Instruction out;
        out.spot = node.spot;
        out.name = node.name;
        switch (node.kind) {
        case PatternKind::Variable:
            out.kind = InstructionKind::Variable;
            out.slot = resolve(node.name);
            break;
        case PatternKind::Any: out.kind = InstructionKind::Any; break;
        case PatternKind::Omitted: out.kind = InstructionKind::Omitted; break;
        case PatternKind::Number:
            out.kind = InstructionKind::Number;
            out.number = node.number;
            break;
        case PatternKind::Operator: return operation(node, std::move(out));
        case PatternKind::FunctionVariable:
            out.kind = InstructionKind::FunctionVariable;
            out.slot = resolve(node.name);
            children(node, out);
            rest(node, out);
            break;
        case PatternKind::Alternate:
            out.kind = InstructionKind::Alternate;
            children(node, out);
            break;
        case PatternKind::Guarded:
            out.kind = InstructionKind::Guarded;
            children(node, out);
            out.guard = guard(node.guard);
            break;
        case PatternKind::Exists: return exists(node, std::move(out));
        case PatternKind::Constraint:
            out.kind = InstructionKind::Constraint;
            out.children.push_back(pattern(node.children[0]));
            out.slot = resolve(node.name);
            out.children.push_back(pattern(node.children[1]));
            break;
        case PatternKind::As:
            out.kind = InstructionKind::As;
            out.slot = resolve(node.name);
            children(node, out);
            break;
        case PatternKind::Result:
            out.kind = InstructionKind::Result;
            out.resultIndex = node.resultIndex;
            children(node, out);
            break;
        case PatternKind::Mu: return mu(id, node, std::move(out));
        case PatternKind::Call: return call(id, node, std::move(out));
        }
        return put(std::move(out));
    }

    void rest(const PatternNode& node, Instruction& out) {
        if (!node.rest.empty()) {
            out.restName = node.rest;
            out.rest = resolve({NameKind::Rest, node.rest, node.spot});
        }
    }

    InstructionId operation(const PatternNode& node, Instruction out) {
        out.kind = InstructionKind::Operator;
        out.op = static_cast<std::uint32_t>(m_out.operators.size());
        m_out.operators.push_back(node.op);
        out.order = node.order;
        out.shared = node.shared;
        for (const AttributePattern& each : node.attributes) {
            AttributeTest test{each.name, each.orOperand, each.value, attributeValueText(m_file, each.value), {}, each.spot};
            if (each.value.kind == AttributeValue::Kind::Variable) {
                test.slot = resolve({NameKind::Value, each.value.text, each.spot});
            }
            out.attributes.push_back(std::move(test));
        }
        children(node, out);
        rest(node, out);
        const InstructionId inner = node.children.empty() ? InstructionId() : out.children.front();
        const InstructionId whole = put(std::move(out));
        return node.optional ? alternates({whole, inner}, node.spot) : whole;
    }

    InstructionId exists(const PatternNode& node, Instruction out) {
        const std::string key = node.name.written();
        const std::size_t here = m_open.size() - 1;
        std::vector<SlotInfo>& slots = m_out.procedures[m_open[here].procedure].slots;
        slots.push_back({node.name, true});
        const auto index = static_cast<std::uint32_t>(slots.size() - 1);
        const auto before = m_open[here].visible.find(key);
        const std::uint32_t hidden = before == m_open[here].visible.end() ? SlotRef::None : before->second;
        m_open[here].visible[key] = index;
        out.kind = InstructionKind::Exists;
        out.slot = {0, index};
        children(node, out);
        if (hidden != SlotRef::None) {
            m_open[here].visible[key] = hidden;
        } else {
            m_open[here].visible.erase(key);
        }
        return put(std::move(out));
    }

    InstructionId mu(PatternId id, const PatternNode& node, Instruction out) {
        out.kind = InstructionKind::Call;
        for (const Name& each : node.arguments) {
            out.arguments.push_back(resolve(each));
        }
        const auto index = static_cast<std::uint32_t>(m_out.procedures.size());
        out.procedure = index;
        Procedure procedure{node.op.name, 0, {}, {}, 0, !m_checked.contractiveMus[id.index]};
        procedure.level = static_cast<std::uint32_t>(m_open.size());
        Open open{index, {}, true, node.op.name};
        std::vector<Name> parameters = node.parameters;
        for (const auto& [written, name] : m_captures.captured[id.index]) {
            parameters.push_back(name);
            out.arguments.push_back(resolve(name));
        }
        procedure.parameters = static_cast<std::uint32_t>(parameters.size());
        for (const Name& each : parameters) {
            open.visible.emplace(each.written(), static_cast<std::uint32_t>(procedure.slots.size()));
            procedure.slots.push_back({each, false});
        }
        m_out.procedures.push_back(std::move(procedure));
        m_open.push_back(std::move(open));
        const InstructionId body = pattern(node.children[0]);
        m_out.procedures[index].body = body;
        m_open.pop_back();
        return put(std::move(out));
    }

    InstructionId call(PatternId id, const PatternNode& node, Instruction out) {
        out.kind = InstructionKind::Call;
        for (const Name& each : node.arguments) {
            out.arguments.push_back(resolve(each));
        }
        if (const PatternId target = m_captures.target[id.index]; target.isValid()) {
            for (const auto& [written, name] : m_captures.captured[target.index]) {
                out.arguments.push_back(resolve(name));
            }
        }
        for (std::size_t i = m_open.size(); i > 0; --i) {
            if (m_open[i - 1].isMu && m_open[i - 1].mu == node.op.name) {
                out.procedure = m_open[i - 1].procedure;
                return put(std::move(out));
            }
        }
        out.procedure = procedureOf(node.op.name);
        return put(std::move(out));
    }

    /// The procedure of a definition, made when first called and compiled when the caller is done.
    std::uint32_t procedureOf(const std::string& name) {
        const auto known = m_groups.find(name);
        if (known != m_groups.end()) {
            return known->second;
        }
        const auto index = static_cast<std::uint32_t>(m_out.procedures.size());
        m_groups.emplace(name, index);
        Procedure procedure{name, 0, {}, {}, 0, false};
        for (const std::uint32_t i : m_definitions.at(name)) {
            const PatternDefinition& each = m_file.definitions[i];
            if (procedure.slots.empty()) {
                procedure.parameters = static_cast<std::uint32_t>(each.parameters.size());
                for (const Name& parameter : each.parameters) {
                    procedure.slots.push_back({parameter, false});
                }
            }
            procedure.mayLoop = procedure.mayLoop || !m_checked.contractiveDefinitions[i];
        }
        m_out.procedures.push_back(std::move(procedure));
        m_pending.push_back(index);
        return index;
    }

    void compilePending() {
        while (!m_pending.empty()) {
            const std::uint32_t index = m_pending.back();
            m_pending.pop_back();
            const std::string name = m_out.procedures[index].name;
            std::vector<InstructionId> bodies;
            Spot spot;
            for (const std::uint32_t i : m_definitions.at(name)) {
                const PatternDefinition& each = m_file.definitions[i];
                spot = bodies.empty() ? each.spot : spot;
                m_open = {{index, {}, false, {}}};
                for (std::size_t k = 0; k < each.parameters.size(); ++k) {
                    m_open.front().visible.emplace(each.parameters[k].written(), static_cast<std::uint32_t>(k));
                }
                bodies.push_back(pattern(each.body));
            }
            assert(!bodies.empty()); // the parser takes a word for a call only when such a pattern exists
            const InstructionId body = alternates(bodies, spot);
            m_out.procedures[index].body = body;
        }
    }

    // ---- guards

    GuardId guard(ExpressionId id) {
        Guard out;
        std::map<std::string, std::pair<SlotRef, Name>> read;
        out.root = guardNode(id, read);
        std::map<std::string, std::string> marks;
        for (const auto& [key, each] : read) {
            marks.emplace(each.second.written(), Guard::mark(out.names.size()));
            out.slots.push_back(each.first);
            out.names.push_back(each.second);
        }
        const auto marked = [&](const Name& name) { return marks.at(name.written()); };
        out.text = guardText(m_file, id, true, marked);
        addParts(id, out.root, marked, out.parts);
        m_out.guards.push_back(std::move(out));
        return GuardId(m_out.guards.size() - 1);
    }

    void addParts(ExpressionId id, GuardId node, const std::function<std::string(const Name&)>& marked, std::vector<Guard::Part>& out) const {
        const ExpressionNode& expression = m_file.at(id);
        if (expression.kind != ExpressionKind::And) {
            out.push_back({node, guardText(m_file, id, true, marked)});
            return;
        }
        for (std::size_t i = 0; i < expression.children.size(); ++i) {
            addParts(expression.children[i], m_out.node(node).children[i], marked, out);
        }
    }

    GuardId guardNode(ExpressionId id, std::map<std::string, std::pair<SlotRef, Name>>& read) {
        GuardNode out;
        out.expression = m_file.at(id);
        out.expression.children.clear();
        if (out.expression.kind == ExpressionKind::Fact || out.expression.kind == ExpressionKind::Variable) {
            out.slot = resolve(out.expression.name);
            // Sorted by the bare name, as reasons list them.
            read.emplace(out.expression.name.text + out.expression.name.written(), std::pair(out.slot, out.expression.name));
        }
        for (const ExpressionId child : m_file.at(id).children) {
            out.children.push_back(guardNode(child, read));
        }
        m_out.guardNodes.push_back(std::move(out));
        return GuardId(m_out.guardNodes.size() - 1);
    }

    // ---- what is known of the whole

    void countOperators() {
        std::vector<std::uint32_t> ofProcedure(m_out.procedures.size(), Unknown);
        for (bool stable = false; !stable;) {
            stable = true;
            // Instructions stand behind their children, but for calls.
            for (Instruction& each : m_out.instructions) {
                each.leastOperators = leastOperators(each, ofProcedure);
            }
            for (std::size_t i = 0; i < ofProcedure.size(); ++i) {
                const std::uint32_t now = m_out.at(m_out.procedures[i].body).leastOperators;
                stable = stable && now == ofProcedure[i];
                ofProcedure[i] = now;
            }
        }
    }

    [[nodiscard]] std::uint32_t leastOperators(const Instruction& each, const std::vector<std::uint32_t>& ofProcedure) const {
        std::uint32_t sum = 0;
        std::uint32_t least = Unknown;
        for (const InstructionId child : each.children) {
            sum = std::min(Unknown, sum + m_out.at(child).leastOperators);
            least = std::min(least, m_out.at(child).leastOperators);
        }
        switch (each.kind) {
        case InstructionKind::Alternate: return least;
        case InstructionKind::Operator: {
            const auto inner = static_cast<std::uint32_t>(each.order == OperandOrder::AnyTree ? each.children.size() - 1 : 1);
            return std::min(Unknown, sum + inner);
        }
        case InstructionKind::FunctionVariable: return std::min(Unknown, sum + 1);
        case InstructionKind::Call: return ofProcedure[each.procedure];
        default: return sum;
        }
    }

    /// Operators that a value can have for the instruction to match it; nothing: any.
    [[nodiscard]] std::optional<std::vector<std::uint32_t>> headsOf(InstructionId first) const {
        std::set<std::uint32_t> found;
        std::set<std::uint32_t> seen;
        std::vector<InstructionId> stack{first};
        while (!stack.empty()) {
            const InstructionId id = stack.back();
            stack.pop_back();
            if (!seen.insert(id.index).second) {
                continue;
            }
            const Instruction& each = m_out.at(id);
            switch (each.kind) {
            case InstructionKind::Operator: found.insert(each.op); break;
            case InstructionKind::Alternate: stack.insert(stack.end(), each.children.begin(), each.children.end()); break;
            case InstructionKind::Guarded:
            case InstructionKind::Exists:
            case InstructionKind::Constraint:
            case InstructionKind::As:
            case InstructionKind::Result: stack.push_back(each.children.front()); break;
            case InstructionKind::Call: stack.push_back(m_out.procedures[each.procedure].body); break;
            default: return std::nullopt; // any operator will do
            }
        }
        return std::vector<std::uint32_t>(found.begin(), found.end());
    }

    void findHeads() {
        m_out.rootOperators = headsOf(m_out.procedures[0].body);
        for (Instruction& each : m_out.instructions) {
            if (each.kind == InstructionKind::Constraint) {
                each.targetOperators = headsOf(each.children[1]);
            }
        }
    }

    const RuleFile& m_file;
    const StaticResult& m_checked;
    Captures m_captures;
    MatchProgram m_out;
    std::vector<Open> m_open;
    std::map<std::string, std::vector<std::uint32_t>> m_definitions; ///< by name, in file order
    std::map<std::string, std::uint32_t> m_groups;
    std::vector<std::uint32_t> m_pending;
};

} // namespace

Result<std::vector<std::shared_ptr<const MatchProgram>>> compileRules(const RuleFile& file, const StaticResult& checked) {
    std::vector<std::shared_ptr<const MatchProgram>> out;
    Compiler compiler(file, checked);
    if (!file.rules.empty()) {
        for (const Rule& rule : file.rules) {
            out.push_back(std::make_shared<const MatchProgram>(compiler.rule(rule)));
        }
        return out;
    }
    // Which definitions others call; a pattern that only calls itself is matched.
    std::map<std::string, std::vector<std::uint32_t>> groups;
    std::vector<std::string> order;
    std::set<std::string> used;
    for (std::uint32_t i = 0; i < file.definitions.size(); ++i) {
        const PatternDefinition& each = file.definitions[i];
        if (groups[each.name].empty()) {
            order.push_back(each.name);
        }
        groups[each.name].push_back(i);
        std::vector<PatternId> stack{each.body};
        while (!stack.empty()) {
            const PatternNode& node = file.at(stack.back());
            stack.pop_back();
            if (node.kind == PatternKind::Call && node.op.name != each.name) {
                used.insert(node.op.name);
            }
            stack.insert(stack.end(), node.children.begin(), node.children.end());
        }
    }
    for (const std::string& name : order) {
        if (!used.contains(name)) {
            out.push_back(std::make_shared<const MatchProgram>(compiler.definitions(groups[name])));
        }
    }
    if (out.empty() && !order.empty()) { // all call each other: each is a root
        for (const std::string& name : order) {
            out.push_back(std::make_shared<const MatchProgram>(compiler.definitions(groups[name])));
        }
    }
    return out;
}

} // namespace lemmascope::match
