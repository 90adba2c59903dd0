// From a skeleton to typed graphs; tests: tests/core/ruleproof/tst_rule_check.cpp.
#include "core/ruleproof/instance.h"

#include "core/graph/op_registry.h"
#include "core/match/graph_subject.h"
#include "core/ruleproof/attribute_values.h"
#include "core/ruleproof/instance_graph.h"
#include "core/ruleproof/open_numbers.h"
#include "core/ruleproof/operand_types.h"

#include <algorithm>

namespace lemmascope::ruleproof {

using match::FactValue;
using match::Truth;
using Kind = SkeletonValue::Kind;

namespace {

constexpr std::uint32_t MostDecisions = 400;

std::optional<Dim> lengthOf(const FactValue& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value.value)) {
        return Dim(*integer);
    }
    const auto* dim = std::get_if<Dim>(&value.value);
    return dim != nullptr && !dim->overflowed() ? std::optional(*dim) : std::nullopt;
}

/// The first two lengths that differ, of two lists or two lengths.
std::optional<std::pair<Dim, Dim>> firstDifference(const FactValue& left, const FactValue& right) {
    const auto* a = std::get_if<FactValue::List>(&left.value);
    const auto* b = std::get_if<FactValue::List>(&right.value);
    if (a != nullptr && b != nullptr && a->size() == b->size()) {
        for (std::size_t i = 0; i < a->size(); ++i) {
            if (auto found = firstDifference((*a)[i], (*b)[i])) {
                return found;
            }
        }
        return std::nullopt;
    }
    const std::optional<Dim> one = lengthOf(left);
    const std::optional<Dim> two = lengthOf(right);
    return one && two && *one != *two ? std::optional(std::pair(*one, *two)) : std::nullopt;
}

bool mentions(const Dim& dim, const std::string& symbol) {
    std::vector<std::string> symbols;
    dim.collectSymbols(symbols);
    return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
}

void substitute(Instance& instance, const std::map<std::string, Dim>& solution) {
    for (auto& [value, leaf] : instance.leaves) {
        for (Dim& dim : *leaf.shape) {
            dim = dim.substituted(solution);
        }
        for (Dim& dim : leaf.entries) {
            dim = dim.substituted(solution);
        }
    }
    std::erase_if(instance.unsolved, [&](const DimQuestion& each) {
        return std::any_of(solution.begin(), solution.end(),
                           [&](const auto& symbol) { return mentions(each.left, symbol.first) || mentions(each.right, symbol.first); });
    });
}

/// Whether a length is one that type inference computes from others, or cannot know; their names begin with `?`.
bool isDerived(const Dim& dim) {
    std::vector<std::string> symbols;
    dim.collectSymbols(symbols);
    return std::any_of(symbols.begin(), symbols.end(), [](const std::string& symbol) { return symbol.front() == '?'; });
}

/// The symbols of a product of different ones; nothing when it is none.
std::optional<std::vector<std::string>> factors(const Dim& dim) {
    std::vector<std::string> symbols;
    dim.collectSymbols(symbols);
    Dim left = dim;
    std::vector<std::string> out;
    for (const std::string& symbol : symbols) {
        const std::optional<Dim> quotient = symbol.front() == '?' ? std::nullopt : Dim::exactQuotient(left, Dim::symbol(symbol));
        if (!quotient) {
            return std::nullopt;
        }
        left = *quotient;
        out.push_back(symbol);
    }
    return left.is(1) ? std::optional(out) : std::nullopt;
}

/// Positive integers whose products are equal have a common refinement: each is the product of a row, or a column, of one matrix.
std::optional<std::map<std::string, Dim>> refined(std::vector<std::string> left, std::vector<std::string> right) {
    for (const std::string& symbol : std::vector<std::string>(left)) {
        if (const auto both = std::find(right.begin(), right.end(), symbol); both != right.end()) {
            right.erase(both);
            std::erase(left, symbol);
        }
    }
    // The matrix of many lengths is more than what reads it can work with.
    constexpr std::size_t MostParts = 4;
    if (left.size() * right.size() > MostParts) {
        return std::nullopt;
    }
    std::map<std::string, Dim> out;
    for (const std::string& row : left) {
        out.emplace(row, Dim(1));
    }
    for (const std::string& column : right) {
        out.emplace(column, Dim(1));
    }
    for (const std::string& row : left) {
        for (const std::string& column : right) {
            const Dim part = Dim::symbol(row + "." + column);
            out[row] = out[row] * part;
            out[column] = out[column] * part;
        }
    }
    return out.empty() ? std::nullopt : std::optional(out);
}

} // namespace

bool neverEqual(const Dim& left, const Dim& right) {
    return left != right && (Dim::provablyAtLeast(left, right + Dim(1)) || Dim::provablyAtLeast(right, left + Dim(1)));
}

std::optional<std::map<std::string, Dim>> solved(const Dim& left, const Dim& right) {
    using Solution = std::map<std::string, Dim>;
    if (neverEqual(left, right)) {
        return std::nullopt;
    }
    const auto isFree = [](const std::optional<std::string>& symbol) { return symbol && symbol->front() != '?'; };
    const std::optional<std::string> a = left.symbolName();
    const std::optional<std::string> b = right.symbolName();
    const auto positive = [](const Dim& dim) { return dim.lowerBound().value_or(0) >= 1; };
    if (isFree(b) && !mentions(left, *b) && positive(left)) {
        return Solution{{*b, left}};
    }
    if (isFree(a) && !mentions(right, *a) && positive(right)) {
        return Solution{{*a, right}};
    }
    const auto rows = factors(left);
    const auto columns = factors(right);
    if (rows && columns && !left.overflowed() && !right.overflowed()) {
        return refined(*rows, *columns);
    }
    // Linear in a symbol with coefficient 1 or -1.
    const Dim difference = left - right;
    std::vector<std::string> symbols;
    difference.collectSymbols(symbols);
    for (const std::string& symbol : symbols) {
        if (symbol.front() == '?') {
            continue;
        }
        const Dim at0 = difference.substituted({{symbol, Dim(0)}});
        const Dim slope = difference.substituted({{symbol, Dim(1)}}) - at0;
        const Dim again = difference.substituted({{symbol, Dim(2)}}) - at0;
        if ((!slope.is(1) && !slope.is(-1)) || again != slope + slope || difference != at0 + slope * Dim::symbol(symbol)) {
            continue;
        }
        const Dim solution = slope.is(1) ? Dim(0) - at0 : at0;
        if (!mentions(solution, symbol) && positive(solution)) {
            return Solution{{symbol, solution}};
        }
    }
    return std::nullopt;
}

Instances::Instances(const match::RuleFile& file, const Skeleton& skeleton, const InstanceOptions& options)
    : m_file(file), m_skeleton(skeleton), m_options(options), m_order(skeleton.order().value_or(std::vector<std::uint32_t>())) {}

void Instances::forEach(const std::function<Next(const Instance&, const InstanceGraph&)>& each) {
    m_each = each;
    m_count = 0;
    if (m_order.empty()) {
        return; // a match without operators is never rewritten
    }
    Instance first;
    first.attributes.resize(m_skeleton.nodes.size());
    first.decided.resize(m_skeleton.nodes.size(), false);
    static_cast<void>(decide(std::move(first), 0));
}

Result<InstanceGraph> Instances::build(const Instance& instance) const {
    return buildInstance(m_skeleton, m_order, instance, m_options.opsets, m_options.stop);
}

bool Instances::typesFit(const InstanceGraph& built) const {
    for (const std::uint32_t node : m_order) {
        if (!built.nodes[node].isValid()) {
            continue;
        }
        const Node& made = built.graph->node(built.nodes[node]);
        for (std::size_t i = 0; i < made.operands.size(); ++i) {
            if (made.operands[i].isValid() && !takesElement(made.op, i, built.graph->value(made.operands[i]).type.element)) {
                return false;
            }
        }
    }
    return true;
}

bool Instances::guardsMayHold(const Instance& instance, const InstanceGraph& built) const {
    const InstanceFacts facts(m_skeleton, instance, built);
    return std::none_of(m_skeleton.guards.begin(), m_skeleton.guards.end(),
                        [&](const auto& each) { return GuardValues(m_file, m_skeleton, &facts).truth(each.first, each.second) == Truth::False; });
}

std::optional<std::pair<Dim, Dim>> Instances::guardEquation(const Instance& instance, const InstanceGraph& built, bool settled) const {
    const InstanceFacts facts(m_skeleton, instance, built);
    const GuardValues values(m_file, m_skeleton, &facts);
    for (const auto& [guard, scope] : m_skeleton.guards) {
        for (const auto& [left, right] : values.equations(guard)) {
            const auto different = firstDifference(values.value(left, scope), values.value(right, scope));
            const bool derived = different && (isDerived(different->first) || isDerived(different->second));
            if (different && !(settled && derived) && solved(different->first, different->second)) {
                return different;
            }
        }
    }
    return std::nullopt;
}

/// Decides what comes next, every way; false: no more instances are wanted.
bool Instances::decide(Instance instance, std::uint32_t depth) {
    if (depth > MostDecisions || m_options.stop.stop_requested()) {
        m_notes.gaps.insert("an instance that takes more than " + std::to_string(MostDecisions) + " decisions");
        return !m_options.stop.stop_requested();
    }
    if (std::chrono::steady_clock::now() >= m_options.deadline) {
        m_notes.outOfTime = true;
        return false;
    }
    const Result<InstanceGraph> built = build(instance);
    if (!built || !typesFit(*built) || !guardsMayHold(instance, *built)) {
        return true;
    }
    for (const std::uint32_t node : m_order) {
        if (instance.decided[node]) {
            continue;
        }
        const SkeletonNode& at = m_skeleton.nodes[node];
        for (std::size_t i = 0; i < at.operands.size(); ++i) {
            const std::uint32_t value = m_skeleton.resolved(at.operands[i]);
            const Kind kind = m_skeleton.values[value].kind;
            if ((kind == Kind::Free || kind == Kind::Number) && !instance.leaves.contains(value)) {
                return decideLeaf(instance, *built, value, depth);
            }
        }
        return decideAttributes(instance, *built, node, depth);
    }
    return decideLengths(instance, *built, depth);
}

bool Instances::decideLeaf(const Instance& instance, const InstanceGraph& built, std::uint32_t value, std::uint32_t depth) {
    // Where the leaf is read.
    bool isShape = false;
    std::optional<std::size_t> axesOf; // the rank that axes count in
    bool isUnsqueeze = false;
    bool isReshaped = false;
    std::vector<ElementType> elements;
    for (const ElementType element : m_options.elements) {
        bool fits = true;
        for (const std::uint32_t node : m_order) {
            const SkeletonNode& at = m_skeleton.nodes[node];
            for (std::size_t i = 0; i < at.operands.size(); ++i) {
                if (m_skeleton.resolved(at.operands[i]) == value) {
                    fits = fits && takesElement(at.op, i, element);
                    const bool named = at.op.domain.empty() && i == 1;
                    isReshaped = isReshaped || (named && at.op.name == "Reshape");
                    const bool axes = named && (at.op.name == "Squeeze" || at.op.name == "Unsqueeze" || at.op.name.starts_with("Reduce"));
                    const ValueId data = axes ? built.values[m_skeleton.resolved(at.operands[0])] : ValueId();
                    if (axes) {
                        axesOf = data.isValid() ? built.graph->value(data).type.rank().value_or(0) : 0;
                        isUnsqueeze = isUnsqueeze || at.op.name == "Unsqueeze";
                    }
                    isShape = isShape || (named && (at.op.name == "Reshape" || at.op.name == "Expand" || at.op.name == "Tile"));
                }
            }
        }
        if (fits) {
            elements.push_back(element);
        }
    }
    const SkeletonValue& held = m_skeleton.values[value];
    const bool oneNumber = held.kind == Kind::Number || m_skeleton.oneNumber.contains(value);
    const std::string name = leafName(m_skeleton, value);
    const auto lengths = [&](std::size_t rank) {
        Shape shape;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            shape.push_back(Dim::symbol(name + std::to_string(axis)));
        }
        return shape;
    };
    const auto next = [&](ElementType element, Shape shape, std::vector<Dim> entries = {}) {
        Instance chosen = instance;
        chosen.leaves[value] = {element, std::move(shape), std::move(entries)};
        return decide(std::move(chosen), depth + 1);
    };
    for (const ElementType element : elements) {
        if (axesOf) {
            // Every set of axes, from the front and from the end.
            AttributeQuestion question;
            question.op = {"", isUnsqueeze ? "Unsqueeze" : "Squeeze", 1};
            question.name = "axes";
            question.ranks = {axesOf};
            question.isRead = true;
            const AttributeChoices choices = attributeChoices(question);
            if (!choices.scope.empty()) {
                m_notes.scope.insert(choices.scope);
            }
            for (const std::optional<Attribute>& each : choices.values) {
                const auto* list = each ? std::get_if<std::vector<std::int64_t>>(&*each) : nullptr;
                if (list != nullptr &&
                    !next(element, Shape{Dim(static_cast<std::int64_t>(list->size()))}, std::vector<Dim>(list->begin(), list->end()))) {
                    return false;
                }
            }
            continue;
        }
        if (isShape) {
            for (std::size_t rank = 1; rank <= m_options.maxRank; ++rank) {
                std::vector<std::vector<Dim>> lists{{}};
                for (std::size_t axis = 0; axis < rank; ++axis) {
                    std::vector<std::vector<Dim>> longer;
                    for (const std::vector<Dim>& each : lists) {
                        const auto count = [&](std::int64_t entry) {
                            return std::count_if(each.begin(), each.end(), [&](const Dim& d) { return d.is(entry); });
                        };
                        longer.push_back(each);
                        longer.back().push_back(Dim::symbol(name + std::to_string(axis)));
                        for (const std::int64_t entry : {std::int64_t{-1}, std::int64_t{0}}) {
                            if (isReshaped && count(entry) == 0) {
                                longer.push_back(each);
                                longer.back().emplace_back(entry);
                            }
                        }
                    }
                    lists = std::move(longer);
                }
                m_notes.scope.insert("shapes with at most one 0 and one -1");
                for (std::vector<Dim>& each : lists) {
                    if (!next(element, Shape{Dim(static_cast<std::int64_t>(rank))}, std::move(each))) {
                        return false;
                    }
                }
            }
            continue;
        }
        if (oneNumber) {
            const bool othersWide = std::any_of(instance.leaves.begin(), instance.leaves.end(), [&](const auto& each) {
                return !each.second.shape->empty() &&
                       (m_skeleton.values[each.first].kind == Kind::Number || m_skeleton.oneNumber.contains(each.first));
            });
            constexpr std::size_t SmallRank = 2;
            const bool small =
                std::all_of(instance.leaves.begin(), instance.leaves.end(), [&](const auto& each) { return each.second.shape->size() <= SmallRank; });
            m_notes.scope.insert(
                "constants of one number are scalars; beside values of rank up to 2 one at a time also of shape [1] or of any two lengths");
            if (!next(element, {}) || (!othersWide && small && (!next(element, Shape{Dim(1)}) || !next(element, lengths(2))))) {
                return false;
            }
            continue;
        }
        const bool wide = std::any_of(instance.leaves.begin(), instance.leaves.end(), [&](const auto& each) {
            return !each.second.shape->empty() && (m_skeleton.values[each.first].kind == Kind::Number || m_skeleton.oneNumber.contains(each.first));
        });
        for (std::size_t rank = 0; rank <= (wide ? std::min<std::size_t>(m_options.maxRank, 2) : m_options.maxRank); ++rank) {
            if (!next(element, lengths(rank))) {
                return false;
            }
        }
    }
    return true;
}

bool Instances::decideAttributes(const Instance& instance, const InstanceGraph& built, std::uint32_t node, std::uint32_t depth) {
    std::vector<std::string> names;
    for (const auto& [name, kind] : attributeKinds(m_skeleton.nodes[node].op)) {
        if (kind != 'g' && std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    }
    for (const AttributeUse& each : m_skeleton.nodes[node].attributes) {
        if (std::find(names.begin(), names.end(), each.name) == names.end()) {
            names.push_back(each.name);
        }
    }
    std::vector<Instance> chosen{instance};
    for (const std::string& name : names) {
        std::vector<Instance> more;
        for (const Instance& each : chosen) {
            chooseAttribute(each, built, node, name, more);
        }
        chosen = std::move(more);
    }
    for (Instance& each : chosen) {
        each.decided[node] = true;
        if (!decide(std::move(each), depth + 1)) {
            return false;
        }
    }
    return true;
}

void Instances::chooseAttribute(const Instance& instance, const InstanceGraph& built, std::uint32_t node, const std::string& name,
                                std::vector<Instance>& out) {
    const SkeletonNode& at = m_skeleton.nodes[node];
    const auto kinds = attributeKinds(at.op);
    const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const auto& each) { return each.first == name; });
    const char kind = known == kinds.end() ? '\0' : known->second;
    std::vector<const AttributeUse*> uses;
    bool bound = false;
    const AttributeUse* literal = nullptr;
    for (const AttributeUse& each : at.attributes) {
        if (each.name == name) {
            uses.push_back(&each);
            bound = bound || !each.wanted;
            literal = each.wanted ? &each : literal;
        }
    }
    // What this opset reads from an operand is no attribute: only `axes@=` asks for it.
    const OpSchema* schema = findOp(at.op);
    const std::optional<std::size_t> position = match::attributePosition(at.op, name);
    const bool operandHere = schema != nullptr && position && (schema->maxOperands < 0 || static_cast<std::size_t>(schema->maxOperands) > *position);
    const bool asOperand = operandHere && std::any_of(uses.begin(), uses.end(), [](const AttributeUse* use) { return use->orOperand; });
    if (operandHere && !asOperand) {
        if (uses.empty()) {
            out.push_back(instance);
        }
        return;
    }
    AttributeQuestion question;
    question.op = at.op;
    question.name = name;
    question.isRead = bound || m_options.readsAttributes;
    for (const std::uint32_t operand : at.operands) {
        const ValueId value = built.values[m_skeleton.resolved(operand)];
        question.ranks.push_back(value.isValid() ? built.graph->value(value).type.rank() : std::nullopt);
    }
    AttributeChoices choices;
    const char wantedKind = kind != '\0' ? kind : name == "axes" || name == "perm" ? 'I' : '\0';
    if (literal != nullptr) {
        if (const auto value = literalAttribute(*literal->wanted, kind)) {
            choices.values.emplace_back(*value);
        }
        const bool axis = name == "axis" && question.ranks.size() > 0 && question.ranks[0] && m_options.readsAttributes;
        if (axis && !choices.values.empty()) {
            if (const auto* integer = std::get_if<std::int64_t>(&*choices.values.front())) { // the same axis, counted from the other end
                const auto rank = static_cast<std::int64_t>(*question.ranks[0]);
                choices.values.emplace_back(Attribute(*integer < 0 ? *integer + rank : *integer - rank));
            }
        }
    } else {
        choices = attributeChoices(question);
        if (uses.empty() && kind == '\0') {
            choices.values = {std::nullopt};
        }
    }
    if (asOperand && literal == nullptr && choices.values.size() == 1 && !choices.values.front() && wantedKind == 'I') {
        m_notes.gaps.insert("attribute " + name + " of " + at.op.text() + " as an operand");
    }
    if (!choices.scope.empty()) {
        m_notes.scope.insert(choices.scope);
    }
    if (!choices.gap.empty()) {
        m_notes.gaps.insert(choices.gap);
    }
    const auto take = [&](Instance& chosen, const std::optional<Attribute>& value, const FactValue& fact) {
        bool fits = true;
        for (const AttributeUse* use : uses) {
            fits = fits && value;
            if (fits && !use->wanted) {
                const auto held = chosen.held.find(use->cell);
                fits = held == chosen.held.end() || match::equals(held->second, fact) == Truth::True;
                chosen.held.insert_or_assign(use->cell, fact);
            }
        }
        if (fits && value) {
            (asOperand ? chosen.operandAttributes[node] : chosen.attributes[node])[name] = *value;
        }
        return fits;
    };
    if (choices.isReal && literal == nullptr) {
        // Any real number: an input of one element stands for it (open_numbers.h).
        Instance chosen = instance;
        const double standIn = standInFor(chosen.open.size());
        const auto value = static_cast<float>(standIn);
        std::string input = at.op.name + "." + name + std::to_string(node);
        for (const AttributeUse* use : uses) {
            const auto held = use->wanted ? chosen.held.end() : chosen.held.find(use->cell);
            if (held != chosen.held.end()) { // the same number as another attribute
                if (const auto* number = std::get_if<double>(&held->second.value)) {
                    if (take(chosen, Attribute(static_cast<float>(*number)), held->second)) {
                        out.push_back(std::move(chosen));
                    }
                    return;
                }
            }
        }
        if (take(chosen, Attribute(value), FactValue(static_cast<double>(value)))) {
            OpenNumber number;
            number.standIn = static_cast<double>(value);
            number.input = std::move(input);
            for (const auto& [written, cell] : m_skeleton.scopes[0].cells) {
                if (std::any_of(uses.begin(), uses.end(), [&, held = cell](const AttributeUse* use) { return !use->wanted && use->cell == held; })) {
                    number.names.push_back(written.substr(1));
                }
            }
            chosen.open.push_back(std::move(number));
            out.push_back(std::move(chosen));
        }
        return;
    }
    for (const std::optional<Attribute>& each : choices.values) {
        Instance chosen = instance;
        if (take(chosen, each, each ? factOf(*each) : FactValue())) {
            out.push_back(std::move(chosen));
        }
    }
}

/// What is left to a -1 of Reshape must be whole: a length of its own stands for it.
void Instances::addRests(const Instance& instance, const InstanceGraph& built, std::vector<DimQuestion>& questions) const {
    for (const std::uint32_t node : m_order) {
        const SkeletonNode& at = m_skeleton.nodes[node];
        if (!at.op.domain.empty() || at.op.name != "Reshape" || at.operands.size() < 2) {
            continue;
        }
        const std::uint32_t list = m_skeleton.resolved(at.operands[1]);
        const auto leaf = instance.leaves.find(list);
        const ValueId data = built.values[m_skeleton.resolved(at.operands[0])];
        if (leaf == instance.leaves.end() || !data.isValid() || !built.graph->value(data).type.shape) {
            continue;
        }
        const Shape& shape = *built.graph->value(data).type.shape;
        Dim product(1);
        bool rest = false;
        for (std::size_t k = 0; k < leaf->second.entries.size(); ++k) {
            const Dim& entry = leaf->second.entries[k];
            rest = rest || entry.is(-1);
            product = entry.is(-1) ? product : product * (entry.is(0) && k < shape.size() ? shape[k] : entry);
        }
        const Dim total = elementCount(shape);
        if (rest && !product.is(0) && !Dim::exactQuotient(total, product)) {
            questions.push_back({DimQuestion::Kind::Equal, product * Dim::symbol("rest" + std::to_string(node)), total});
        }
    }
}

bool Instances::decideLengths(const Instance& instance, const InstanceGraph& built, std::uint32_t depth) {
    const auto follow = [&](const std::map<std::string, Dim>& solution) {
        Instance next = instance;
        substitute(next, solution);
        return decide(std::move(next), depth + 1);
    };
    // What the guards want first: lengths that they make equal leave broadcasting between them one way, not three.
    if (const auto equation = guardEquation(instance, built, true)) {
        return follow(*solved(equation->first, equation->second));
    }
    std::vector<DimQuestion> questions = built.questions;
    addRests(instance, built, questions);
    for (const DimQuestion& each : questions) {
        if (std::find(instance.unsolved.begin(), instance.unsolved.end(), each) != instance.unsolved.end()) {
            continue;
        }
        if (each.kind == DimQuestion::Kind::Equal && neverEqual(each.left, each.right)) {
            return true; // at no size does it run
        }
        const auto equal = solved(each.left, each.right);
        if (each.kind == DimQuestion::Kind::Equal && equal) {
            return follow(*equal);
        }
        const auto left = each.left.isKnown() ? std::nullopt : solved(each.left, Dim(1));
        const auto right = each.right.isKnown() ? std::nullopt : solved(each.right, Dim(1));
        const bool apart = each.kind == DimQuestion::Kind::Broadcast && neverEqual(each.left, each.right);
        const bool all = (equal || apart) && (left || each.left.isKnown()) && (right || each.right.isKnown());
        if (each.kind == DimQuestion::Kind::Broadcast && all) {
            return (!equal || follow(*equal)) && (!left || follow(*left)) && (!right || follow(*right));
        }
        Instance next = instance;
        next.unsolved.push_back(each);
        return decide(std::move(next), depth + 1);
    }
    if (const auto equation = guardEquation(instance, built, false)) {
        return follow(*solved(equation->first, equation->second));
    }
    if (!built.complete) {
        m_notes.gaps.insert("an instance that could not be built");
        return true;
    }
    if (++m_count > m_options.most) {
        m_notes.gaps.insert("only the first " + std::to_string(m_options.most) + " cases of one form were looked at");
        return false;
    }
    const Next next = m_each(instance, built);
    if (next.equation && !next.stop) {
        if (neverEqual(next.equation->first, next.equation->second)) {
            return true; // refused at every size
        }
        const auto solution = solved(next.equation->first, next.equation->second);
        if (!solution) {
            m_notes.gaps.insert("lengths " + next.equation->first.text() + " = " + next.equation->second.text());
            return true;
        }
        return follow(*solution);
    }
    return !next.stop;
}

FactValue InstanceFacts::fact(match::FactKind kind, std::uint32_t value, const FactValue& argument) const {
    const ValueId id = value < m_built.values.size() ? m_built.values[value] : ValueId();
    if (kind == match::FactKind::Value) {
        if (m_skeleton.values[value].kind == Kind::Number) {
            const match::NumberLiteral& number = m_skeleton.values[value].number;
            return number.integer ? FactValue(*number.integer) : FactValue(number.value);
        }
        return {}; // of constants of one number it is open
    }
    if (!id.isValid()) {
        return {};
    }
    const TensorType& type = m_built.graph->value(id).type;
    const auto length = [](const Dim& dim) { return dim.overflowed() ? FactValue() : dim.isKnown() ? FactValue(dim.value()) : FactValue(dim); };
    switch (kind) {
    case match::FactKind::Rank: return type.shape ? FactValue(static_cast<std::int64_t>(type.shape->size())) : FactValue();
    case match::FactKind::Dtype: return type.element == ElementType::Undefined ? FactValue() : FactValue(std::string(lemmascope::name(type.element)));
    case match::FactKind::Shape: {
        if (!type.shape) {
            return {};
        }
        FactValue::List list;
        for (const Dim& dim : *type.shape) {
            list.push_back(length(dim));
        }
        return FactValue(std::move(list));
    }
    case match::FactKind::Dim: {
        const auto* axis = std::get_if<std::int64_t>(&argument.value);
        if (!type.shape || axis == nullptr) {
            return {};
        }
        const auto rank = static_cast<std::int64_t>(type.shape->size());
        return *axis < -rank || *axis >= rank ? FactValue() : length((*type.shape)[static_cast<std::size_t>(*axis < 0 ? *axis + rank : *axis)]);
    }
    case match::FactKind::Ints: {
        const auto& elements = m_built.graph->value(id).elements;
        if (!elements) {
            return {};
        }
        FactValue::List list;
        for (const Dim& dim : *elements) {
            list.push_back(length(dim));
        }
        return FactValue(std::move(list));
    }
    default: return {};
    }
}

FactValue InstanceFacts::attribute(std::uint32_t node, const std::string& name) const {
    const NodeId id = m_built.nodes[node];
    if (!id.isValid()) {
        return {};
    }
    const auto at = m_instance.attributes[node].find(name);
    return at == m_instance.attributes[node].end() ? FactValue() : factOf(at->second);
}

FactValue InstanceFacts::held(std::uint32_t cell) const {
    const auto at = m_instance.held.find(cell);
    if (at == m_instance.held.end()) {
        return {};
    }
    if (const auto* number = std::get_if<double>(&at->second.value)) {
        const bool open =
            std::any_of(m_instance.open.begin(), m_instance.open.end(), [&](const OpenNumber& each) { return each.standIn == *number; });
        return open ? FactValue() : at->second;
    }
    return at->second;
}

} // namespace lemmascope::ruleproof
