// One case of a rule; tests: tests/core/ruleproof/tst_rule_check.cpp.
#include "core/ruleproof/case_check.h"

#include "core/match/print.h"
#include "core/rewrite/replacement.h"
#include "core/ruleproof/attribute_values.h"
#include "core/ruleproof/instance_graph.h"

#include <algorithm>

namespace lemmascope::ruleproof {

using match::FactValue;
using match::Truth;
using Kind = SkeletonValue::Kind;

namespace {

/// Of constants that the guards want positive: with scales at the ends of the floats even what is right overflows.
constexpr double LeastPositive = 1e-30;
constexpr double MostPositive = 1e30;

/// The instance's graph as the replacement's builder sees it: constants of one number have stand-ins, what surrounds the match is not known.
class InstanceSubject : public match::GraphSubject {
  public:
    InstanceSubject(std::shared_ptr<const Graph> graph, std::map<std::uint32_t, FactValue> numbers, std::set<std::uint32_t> constants)
        : GraphSubject(std::move(graph)), m_numbers(std::move(numbers)), m_constants(std::move(constants)) {}

    [[nodiscard]] FactValue fact(match::FactKind kind, match::TermId term, const FactValue& argument) const override {
        if (kind == match::FactKind::Value) {
            if (const auto at = m_numbers.find(term.index); at != m_numbers.end()) {
                return at->second;
            }
        }
        if (kind == match::FactKind::IsConst && m_constants.contains(term.index)) {
            return FactValue(true);
        }
        const bool outside = kind == match::FactKind::IsConst || kind == match::FactKind::Uses || kind == match::FactKind::Size;
        return outside ? FactValue() : GraphSubject::fact(kind, term, argument);
    }

  private:
    std::map<std::uint32_t, FactValue> m_numbers; ///< by value of the graph
    std::set<std::uint32_t> m_constants;
};

rewrite::Bindings bindingsOf(const Skeleton& skeleton, const Instance& instance, const InstanceGraph& built) {
    rewrite::Bindings out;
    const auto value = [&](std::uint32_t index) { return built.values[skeleton.resolved(index)]; };
    for (const auto& [written, cellIndex] : skeleton.scopes[0].cells) {
        const Cell& cell = skeleton.cells[cellIndex];
        const std::string name = written.substr(written.starts_with("..") ? 2 : 1);
        switch (cell.kind) {
        case Cell::Kind::Unbound: break;
        case Cell::Kind::Value: out.values.emplace(name, value(cell.value)); break;
        case Cell::Kind::Attribute:
            if (const auto held = instance.held.find(cellIndex); held != instance.held.end()) {
                out.attributes.emplace(name, held->second);
            }
            break;
        case Cell::Kind::Symbol: out.functions.emplace(name, rewrite::Bindings::Function{cell.symbol, instance.attributes[cell.value]}); break;
        case Cell::Kind::List:
            for (const std::uint32_t each : cell.list) {
                out.rests[name].push_back(value(each));
            }
            out.rests.try_emplace(name);
            break;
        }
    }
    return out;
}

/// The graph with the fragment's output as its own.
Graph grafted(const Graph& matched, const rewrite::Fragment& fragment) {
    Graph out = matched;
    std::vector<ValueId> mapped(fragment.graph.values.size());
    for (std::size_t i = 0; i < fragment.graph.values.size(); ++i) {
        if (fragment.outer[i].isValid()) {
            mapped[i] = fragment.outer[i];
            continue;
        }
        Value value = fragment.graph.values[i];
        value.name = "new." + std::to_string(i);
        if (value.producer.isValid()) {
            value.type = {};
            value.elements.reset();
        }
        value.producer = {};
        mapped[i] = out.addValue(std::move(value));
    }
    const auto moved = [&](std::vector<ValueId>& values) {
        for (ValueId& each : values) {
            each = each.isValid() ? mapped[each.index] : each;
        }
    };
    for (const Node& node : fragment.graph.nodes) {
        Node copy = node;
        copy.name.clear();
        moved(copy.operands);
        moved(copy.results);
        out.addNode(std::move(copy));
    }
    for (const auto& [domain, version] : fragment.graph.opsets) {
        out.opsets.emplace(domain, version);
    }
    out.outputs.clear();
    for (const ValueId output : fragment.graph.outputs) {
        out.outputs.push_back(mapped[output.index]);
    }
    return out;
}

/// How two types can be one: they are, they cannot be, or they are where two lengths are equal.
struct TypeMatch {
    bool possible = true;
    std::optional<std::pair<Dim, Dim>> equation;
};

TypeMatch matched(const TensorType& root, const TensorType& made) {
    if (made.element == ElementType::Undefined && !made.shape) {
        return {}; // an operator without a meaning: the root's type stands
    }
    if (root.element != made.element || !root.shape || !made.shape || root.shape->size() != made.shape->size()) {
        return {false, std::nullopt};
    }
    for (std::size_t axis = 0; axis < root.shape->size(); ++axis) {
        const Dim& one = (*root.shape)[axis];
        const Dim& two = (*made.shape)[axis];
        if (one != two) {
            const Dim difference = one - two;
            return {!difference.isKnown(), std::pair(one, two)};
        }
    }
    return {};
}

/// It reads numbers or lengths of values.
bool readsOpen(const match::RuleFile& file, match::ExpressionId id) {
    std::vector<match::ExpressionId> stack{id};
    while (!stack.empty()) {
        const match::ExpressionNode& node = file.at(stack.back());
        stack.pop_back();
        const bool fact = node.kind == match::ExpressionKind::Fact && (node.fact == match::FactKind::Value || node.fact == match::FactKind::Dim);
        if (fact || node.kind == match::ExpressionKind::Variable) {
            return true;
        }
        stack.insert(stack.end(), node.children.begin(), node.children.end());
    }
    return false;
}

/// Expressions of the replacement that are computed of open numbers.
std::vector<ComputedNumber> computedNumbers(const RuleContext& context, const match::RuleCase& chosen, const Skeleton& skeleton,
                                            const std::vector<OpenNumber>& open, const InstanceFacts& known) {
    class Standing : public Facts {
      public:
        Standing(const Skeleton& skeleton, const std::vector<OpenNumber>& open, const InstanceFacts& known) : m_known(known) {
            for (const auto& [name, cell] : skeleton.scopes[0].cells) {
                for (const OpenNumber& each : open) {
                    if (std::find(each.names.begin(), each.names.end(), name.substr(1)) != each.names.end()) {
                        m_cells.emplace(cell, each.standIn);
                        if (skeleton.cells[cell].kind == Cell::Kind::Value) {
                            m_values.emplace(skeleton.resolved(skeleton.cells[cell].value), each.standIn);
                        }
                    }
                }
            }
        }
        [[nodiscard]] FactValue fact(match::FactKind kind, std::uint32_t value, const FactValue& argument) const override {
            const auto at = m_values.find(value);
            return kind == match::FactKind::Value && at != m_values.end() ? FactValue(at->second) : m_known.fact(kind, value, argument);
        }
        [[nodiscard]] FactValue attribute(std::uint32_t /*node*/, const std::string& /*name*/) const override { return {}; }
        [[nodiscard]] FactValue held(std::uint32_t cell) const override {
            const auto at = m_cells.find(cell);
            return at == m_cells.end() ? FactValue() : FactValue(at->second);
        }

      private:
        const InstanceFacts& m_known;
        std::map<std::uint32_t, double> m_cells;
        std::map<std::uint32_t, double> m_values;
    };
    const Standing facts(skeleton, open, known);
    const GuardValues values(context.file, skeleton, &facts);
    std::vector<ComputedNumber> out;
    const auto add = [&](match::ExpressionId id) {
        if (!id.isValid() || !readsOpen(context.file, id)) {
            return;
        }
        const FactValue value = values.value(id, 0);
        if (const auto* number = std::get_if<double>(&value.value)) {
            out.push_back({*number, id});
        } else if (const auto* integer = std::get_if<std::int64_t>(&value.value)) {
            out.push_back({static_cast<double>(*integer), id});
        }
    };
    std::vector<match::ReplacementId> stack{chosen.replacement.result};
    for (const auto& [name, id] : chosen.replacement.lets) {
        stack.push_back(id);
    }
    while (!stack.empty()) {
        const match::ReplacementNode& node = context.file.at(stack.back());
        stack.pop_back();
        stack.insert(stack.end(), node.children.begin(), node.children.end());
        add(node.expression);
        for (const match::AttributePattern& each : node.attributes) {
            add(each.value.expression);
        }
    }
    return out;
}

/// `value: y[0] is 1, rewritten 2`
std::string withoutVerdict(const CheckResult& result) {
    const std::string line = verdictLine(result);
    const std::string verdict = std::string(name(result.verdict)) + ": ";
    return line.starts_with(verdict) ? line.substr(verdict.size()) : line;
}

/// Same operators, attributes, operands and constants.
bool sameGraph(const Graph& a, const Graph& b) {
    if (a.nodes.size() != b.nodes.size() || a.values.size() != b.values.size() || a.outputs != b.outputs) {
        return false;
    }
    for (std::size_t i = 0; i < a.values.size(); ++i) {
        const std::optional<Tensor>& one = a.values[i].constant;
        const std::optional<Tensor>& two = b.values[i].constant;
        if (one.has_value() != two.has_value() || (one && !one->sameBits(*two))) {
            return false;
        }
    }
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
        const Node& one = a.nodes[i];
        const Node& two = b.nodes[i];
        if (one.op != two.op || one.operands != two.operands || one.results != two.results || one.attributes.size() != two.attributes.size() ||
            (one.body != nullptr) != (two.body != nullptr) || (one.body && !sameGraph(*one.body, *two.body))) {
            return false;
        }
        for (const auto& [name, attribute] : one.attributes) {
            const auto at = two.attributes.find(name);
            if (at == two.attributes.end() || at->second.index() != attribute.index()) {
                return false;
            }
            const bool tensors = std::holds_alternative<Tensor>(attribute);
            if (tensors ? !std::get<Tensor>(attribute).sameBits(std::get<Tensor>(at->second))
                        : factOf(attribute).text() != factOf(at->second).text()) {
                return false;
            }
        }
    }
    return true;
}

class CaseChecker {
  public:
    CaseChecker(const RuleContext& context, const Skeleton& skeleton, const Instances& instances, const Instance& instance,
                const InstanceGraph& built)
        : m_context(context), m_skeleton(skeleton), m_instances(instances), m_instance(instance), m_built(built) {}

    Result<CaseResult> run() {
        const InstanceFacts facts(m_skeleton, m_instance, m_built);
        const GuardValues guards(m_context.file, m_skeleton, &facts);
        CaseResult out;
        out.kind = CaseResult::Kind::NoCase;
        for (const match::RuleCase& each : m_context.rule.cases) {
            const Truth truth = each.guard.isValid() ? guards.truth(each.guard, 0) : Truth::True;
            if (truth == Truth::False) {
                continue;
            }
            Result<CaseResult> one = checkReplacement(each);
            if (!one) {
                return one;
            }
            if (one->kind == CaseResult::Kind::Equation) {
                return one; // the others come with the instances that follow
            }
            out = worse(std::move(out), std::move(*one));
            if (truth == Truth::True || out.kind == CaseResult::Kind::Refuted) {
                break;
            }
        }
        return out;
    }

  private:
    static CaseResult worse(CaseResult a, CaseResult b) {
        const auto weight = [](CaseResult::Kind kind) {
            switch (kind) {
            case CaseResult::Kind::NoCase: return 0;
            case CaseResult::Kind::Refused: return 1;
            case CaseResult::Kind::Proved: return 2;
            case CaseResult::Kind::Undecided: return 3;
            case CaseResult::Kind::Unproved: return 4;
            default: return 5;
            }
        };
        if (a.kind == CaseResult::Kind::Proved && b.kind == CaseResult::Kind::Proved) {
            a.strength = weaker(*a.strength, *b.strength);
            a.assumptions.merge(b.assumptions);
            return a;
        }
        return weight(b.kind) >= weight(a.kind) ? b : a;
    }

    static CaseResult unproved(std::string reason) {
        CaseResult out;
        out.kind = CaseResult::Kind::Unproved;
        out.reason = std::move(reason);
        return out;
    }

    /// Open numbers of the instance with stand-ins of one round: attributes first, then constants.
    [[nodiscard]] std::vector<OpenNumber> openNumbers(unsigned round) const {
        std::vector<OpenNumber> out = m_instance.open;
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i].standIn = standInFor(i, round);
        }
        for (const std::uint32_t value : m_skeleton.oneNumber) {
            const auto leaf = m_instance.leaves.find(value);
            if (leaf == m_instance.leaves.end() || !isFloat(leaf->second.element)) {
                continue;
            }
            OpenNumber number;
            number.standIn = standInFor(out.size(), round);
            const std::string name = leafName(m_skeleton, value);
            number.input = m_built.graph->findValue(name + ".number").isValid() ? name + ".number" : name;
            for (const auto& [written, cell] : m_skeleton.scopes[0].cells) {
                const Cell& at = m_skeleton.cells[cell];
                if (at.kind == Cell::Kind::Value && m_skeleton.resolved(at.value) == value) {
                    number.names.push_back(written.substr(1));
                }
            }
            markSigns(number, value);
            out.push_back(std::move(number));
        }
        return out;
    }

    /// What the guards demand of a constant's number.
    void markSigns(OpenNumber& number, std::uint32_t value) const {
        using match::CompareKind;
        const GuardValues values(m_context.file, m_skeleton, nullptr);
        for (const auto& [guard, scope] : m_skeleton.guards) {
            for (const match::ExpressionId id : values.comparisons(guard)) {
                const match::ExpressionNode& node = m_context.file.at(id);
                const match::ExpressionNode& left = m_context.file.at(node.children[0]);
                const match::ExpressionNode& right = m_context.file.at(node.children[1]);
                const bool reads =
                    left.kind == match::ExpressionKind::Variable || (left.kind == match::ExpressionKind::Fact && left.fact == match::FactKind::Value);
                if (!reads || right.kind != match::ExpressionKind::Number || values.valueOf(left, scope) != value) {
                    continue;
                }
                const double bound = right.number.value;
                const bool above = (node.compare == CompareKind::Greater && bound >= 0) || (node.compare == CompareKind::GreaterEqual && bound > 0);
                const bool below = (node.compare == CompareKind::Less && bound <= 0) || (node.compare == CompareKind::LessEqual && bound < 0);
                number.positive = number.positive || above;
                number.nonZero = number.nonZero || above || below || (node.compare == CompareKind::NotEqual && bound == 0);
            }
        }
    }

    /// The instance's graph with stand-ins of the other round.
    [[nodiscard]] Instance restated(const std::vector<OpenNumber>& open) const {
        Instance out = m_instance;
        for (std::size_t i = 0; i < m_instance.open.size(); ++i) {
            const auto before = static_cast<float>(m_instance.open[i].standIn);
            const auto after = static_cast<float>(open[i].standIn);
            for (auto& attributes : out.attributes) {
                for (auto& [name, attribute] : attributes) {
                    if (const auto* real = std::get_if<float>(&attribute); real != nullptr && *real == before) {
                        attribute.emplace<float>(after);
                    }
                }
            }
            for (auto& [cell, held] : out.held) {
                if (const auto* number = std::get_if<double>(&held.value); number != nullptr && static_cast<float>(*number) == before) {
                    held = FactValue(static_cast<double>(after));
                }
            }
            out.open[i].standIn = static_cast<double>(after);
        }
        return out;
    }

    [[nodiscard]] Result<rewrite::Fragment> fragmentOf(const match::RuleCase& chosen, const Instance& instance, const InstanceGraph& built,
                                                       const std::vector<OpenNumber>& open) const {
        std::map<std::uint32_t, FactValue> numbers;
        std::set<std::uint32_t> constants;
        for (std::uint32_t v = 0; v < m_skeleton.values.size(); ++v) {
            const SkeletonValue& value = m_skeleton.values[v];
            if (value.kind == Kind::Number && built.values[v].isValid()) {
                numbers[built.values[v].index] = value.number.integer ? FactValue(*value.number.integer) : FactValue(value.number.value);
                constants.insert(built.values[v].index);
            }
            if (m_skeleton.oneNumber.contains(v) && built.values[v].isValid()) {
                constants.insert(built.values[v].index);
                const std::string name = leafName(m_skeleton, v);
                for (const OpenNumber& each : open) {
                    if (each.input == name || each.input == name + ".number") {
                        numbers[built.values[v].index] = FactValue(each.standIn);
                    }
                }
            }
        }
        for (const std::uint32_t value : demandedConstants(m_context.file, m_skeleton)) {
            if (built.values[value].isValid()) {
                constants.insert(built.values[value].index);
            }
        }
        const InstanceSubject subject(built.graph, std::move(numbers), std::move(constants));
        rewrite::FragmentOptions options;
        options.fold = false;
        options.stop = m_context.stop;
        return rewrite::buildReplacement(m_context.file, chosen, subject, bindingsOf(m_skeleton, instance, built),
                                         {built.values[m_skeleton.resolved(m_skeleton.root)], m_skeleton.results, true}, options);
    }

    /// The replacement of the instance, stand-ins of one round taken out again.
    struct Made {
        std::optional<Opened> opened;
        CaseResult failure; ///< without `opened`
        bool unfit = false; ///< it failed by an attribute or a constant that does not fit
    };

    /// Lengths are open, or, where the replacement cannot be built so or is refused, primes.
    enum class Lengths { Open, Primes, PrimesOfRefused };
    Result<Made> made(const match::RuleCase& chosen, unsigned round, Lengths lengths) const {
        const bool primes = lengths != Lengths::Open;
        Opening opening{m_context.file, openNumbers(round), {}, {}, {}};
        for (const auto& [index, number] : m_fixed) {
            opening.numbers[index].fixed = number;
        }
        Instance instance = restated(opening.numbers);
        const Result<InstanceGraph> open = m_instances.build(instance);
        if (primes) {
            std::size_t index = 0;
            std::map<std::string, Dim> map;
            for (auto& [value, leaf] : instance.leaves) {
                for (std::vector<Dim>* dims : {&*leaf.shape, &leaf.entries}) {
                    for (Dim& dim : *dims) {
                        std::vector<std::string> symbols;
                        dim.collectSymbols(symbols);
                        for (const std::string& symbol : symbols) {
                            if (!map.contains(symbol)) {
                                opening.lengths.emplace(symbol, primeFor(index, round));
                                map.emplace(symbol, primeFor(index++, round));
                            }
                        }
                        dim = dim.substituted(map);
                    }
                }
            }
        }
        Made out;
        const auto failed = [&](const Error& error, bool mayRefuse) -> Result<Made> {
            if (error.code == ErrorCode::Cancelled) {
                return tl::unexpected(error);
            }
            out.failure = unproved(error.message);
            // No such operator in this opset: refused whatever the sizes.
            const bool refused = (error.code == ErrorCode::ShapeMismatch && mayRefuse) || error.code == ErrorCode::NotFound;
            out.failure.kind = refused ? CaseResult::Kind::Refused : out.failure.kind;
            out.unfit = error.code == ErrorCode::BadData && opening.numbers.empty();
            return out;
        };
        const Result<InstanceGraph> built = m_instances.build(instance);
        if (!built || !open) {
            return failed(built ? open.error() : built.error(), false);
        }
        const Result<rewrite::Fragment> fragment = fragmentOf(chosen, instance, *built, opening.numbers);
        if (!fragment) {
            return failed(fragment.error(), lengths != Lengths::Primes); // of primes alone, others may do
        }
        const InstanceFacts facts(m_skeleton, instance, *built);
        opening.computed = computedNumbers(m_context, chosen, m_skeleton, opening.numbers, facts);
        opening.values = bindingsOf(m_skeleton, instance, *built).values;
        Result<Opened> opened = withOpenNumbers(grafted(*open->graph, *fragment), opening);
        if (!opened) {
            return failed(opened.error(), !primes); // with primes the rewriter took it
        }
        out.opened = std::move(*opened);
        return out;
    }

    Result<CaseResult> checkReplacement(const match::RuleCase& chosen) {
        bool primes = false;
        Result<Made> first = made(chosen, 0, Lengths::Open);
        if (first && !first->opened) {
            // Also where open lengths are refused: with numbers for them the rewriter may take it, so that one would count as none.
            primes = true;
            Result<Made> again = made(chosen, 0, first->failure.kind == CaseResult::Kind::Refused ? Lengths::PrimesOfRefused : Lengths::Primes);
            // Told in the same words, no length is in it: no such attribute, or one of another kind.
            if (again && !again->opened && again->unfit && first->unfit && first->failure.reason == again->failure.reason) {
                again->failure.kind = CaseResult::Kind::Refused;
            }
            first = std::move(again);
        }
        if (!first) {
            return tl::unexpected(first.error());
        }
        if (!first->opened) {
            if (first->failure.kind != CaseResult::Kind::Refused) {
                first->failure.reason = "the replacement cannot be built for open sizes: " + first->failure.reason;
            }
            return std::move(first->failure);
        }
        const Graph& rewritten = *first->opened->graph;
        for (std::size_t r = 0; r < rewritten.outputs.size(); ++r) {
            const TensorType& root = m_built.graph->value(m_built.graph->outputs[r]).type;
            const TensorType& type = rewritten.value(rewritten.outputs[r]).type;
            const TypeMatch types = matched(root, type);
            if (!types.possible || types.equation) {
                CaseResult out;
                out.kind = types.possible ? CaseResult::Kind::Equation : CaseResult::Kind::Refused;
                out.equation = types.equation;
                out.reason = "the replacement is " + type.text() + ", what it replaces " + root.text();
                return out;
            }
        }
        Opening opening{m_context.file, openNumbers(0), {}, {}, {}};
        for (const auto& [index, number] : m_fixed) {
            opening.numbers[index].fixed = number;
        }
        const Result<Opened> reference = withOpenNumbers(*m_built.graph, opening);
        if (!reference) {
            return reference.error().code == ErrorCode::Cancelled ? Result<CaseResult>(tl::unexpected(reference.error()))
                                                                  : Result<CaseResult>(unproved(reference.error().message));
        }
        if (!opening.numbers.empty() || primes) {
            // With other stand-ins it is the same once they are taken out; else it was built by their values.
            const Result<Made> second = made(chosen, 1, primes ? Lengths::Primes : Lengths::Open);
            if (!second) {
                return tl::unexpected(second.error());
            }
            if (!second->opened || !sameGraph(rewritten, *second->opened->graph)) {
                return unproved("the replacement depends on the values of numbers or lengths that are open");
            }
        }
        first->opened->wroteOut = first->opened->wroteOut || reference->wroteOut;
        Result<CaseResult> out = decided(reference->graph, *first->opened, opening.numbers);
        if (!out || out->kind != CaseResult::Kind::Proved) {
            return out;
        }
        if (reference->comparesComputed || first->opened->comparesComputed) {
            return unproved("a definition decides by a number that the replacement computes");
        }
        // And for each number that a definition treats apart.
        std::set<std::pair<std::size_t, double>> compared = reference->compared;
        compared.insert(first->opened->compared.begin(), first->opened->compared.end());
        for (const auto& [index, number] : compared) {
            if (m_fixed.contains(index) || (opening.numbers[index].positive && number <= 0)) {
                continue;
            }
            m_fixed.emplace(index, number);
            Result<CaseResult> one = checkReplacement(chosen);
            m_fixed.erase(index);
            if (!one || one->kind != CaseResult::Kind::Proved) {
                return one;
            }
            out = worse(std::move(*out), std::move(*one));
        }
        return out;
    }

    Result<CaseResult> decided(const std::shared_ptr<const Graph>& reference, const Opened& opened, const std::vector<OpenNumber>& numbers) {
        CheckOptions options;
        options.wanted = m_context.options.wanted;
        const std::chrono::duration<double> left = m_context.deadline - std::chrono::steady_clock::now();
        options.timeSeconds = std::max(0.0, std::min(left.count(), m_context.options.casePartSeconds));
        options.lemmaSteps = m_context.options.lemmaSteps;
        options.findCondition = false;
        options.keepText = false;
        for (const OpenNumber& each : numbers) {
            if (each.positive) {
                options.realRanges[each.input] = {LeastPositive, MostPositive};
            }
        }
        Result<CheckResult> result = check(reference, opened.graph, options, m_context.services, m_context.stop);
        if (!result) {
            return result.error().code == ErrorCode::Cancelled ? Result<CaseResult>(tl::unexpected(result.error()))
                                                               : Result<CaseResult>(unproved(result.error().message));
        }
        CaseResult out;
        out.reason = withoutVerdict(*result);
        std::optional<std::string> needs;
        for (const DimQuestion& each : opened.questions) {
            if (std::find(m_built.questions.begin(), m_built.questions.end(), each) == m_built.questions.end()) {
                needs = "the replacement needs " + each.left.text() + " = " + each.right.text() +
                        (each.kind == DimQuestion::Kind::Broadcast ? ", or one of them 1" : "") + ", the pattern does not";
            }
        }
        if (result->verdict == Verdict::Proved && !needs) {
            out.kind = CaseResult::Kind::Proved;
            out.strength = result->strength;
            for (const OpenNumber& each : numbers) {
                if (each.positive && !each.fixed) {
                    out.assumptions.insert("constants that the guards want positive are from 1e-30 to 1e30");
                }
            }
            if (m_skeleton.regrouped) {
                out.strength = weaker(*out.strength, Strength::Exact);
            }
            if (opened.wroteOut) {
                out.strength = weaker(*out.strength, Strength::Exact);
            }
            if (opened.usesComputed) {
                out.strength = weaker(*out.strength, Strength::Rounded);
            }
            for (const Remark& each : result->assumptions) {
                if (each.kind == "definition") {
                    out.assumptions.insert(each.text);
                }
            }
            return out;
        }
        out.kind = result->verdict == Verdict::Undecided ? CaseResult::Kind::Undecided : CaseResult::Kind::Unproved;
        if (needs) {
            out.kind = CaseResult::Kind::Unproved;
            out.reason = *needs;
        }
        if (result->verdict == Verdict::Refuted || needs) {
            std::optional<Counterexample> found = result->counterexample;
            for (const OpenNumber& each : numbers) {
                if (each.fixed) {
                    found = found ? std::move(found) : std::optional(Counterexample());
                    found->inputs.emplace_back(each.input, Tensor::of<float>(ElementType::F32, {}, {static_cast<float>(*each.fixed)}));
                }
            }
            Result<std::optional<RuleCounterexample>> shown = confirmed(m_context, m_skeleton, m_instances, m_instance, found);
            if (!shown) {
                return tl::unexpected(shown.error());
            }
            if (*shown) {
                out.kind = CaseResult::Kind::Refuted;
                out.counterexample = std::move(*shown);
                out.reason = withoutVerdict(out.counterexample->check);
            } else if (!needs) {
                out.reason =
                    "differs where sizes are open, but no graph was found on which the rule fires and is wrong (" + out.reason + ")" + guardText();
            }
        }
        return out;
    }

    /// Guards that were not decided.
    [[nodiscard]] std::string guardText() const {
        const InstanceFacts facts(m_skeleton, m_instance, m_built);
        const GuardValues guards(m_context.file, m_skeleton, &facts);
        std::string out;
        for (const auto& [guard, scope] : m_skeleton.guards) {
            if (guards.truth(guard, scope) != Truth::True) {
                out += (out.empty() ? "; not decided there: " : ", ") + match::guardText(m_context.file, guard, true);
            }
        }
        return out;
    }

    const RuleContext& m_context;
    const Skeleton& m_skeleton;
    const Instances& m_instances;
    const Instance& m_instance;
    const InstanceGraph& m_built;
    std::map<std::size_t, double> m_fixed; ///< open numbers that are these after all
};

} // namespace

std::set<std::uint32_t> demandedConstants(const match::RuleFile& file, const Skeleton& skeleton) {
    std::set<std::uint32_t> out;
    const GuardValues values(file, skeleton, nullptr);
    for (const auto& [guard, scope] : skeleton.guards) {
        for (const match::ExpressionId each : values.demands(guard)) {
            const match::ExpressionNode& node = file.at(each);
            const auto value = node.fact == match::FactKind::IsConst ? values.valueOf(node, scope) : std::nullopt;
            if (value && skeleton.values[*value].kind == Kind::Free) {
                out.insert(*value);
            }
        }
    }
    out.insert(skeleton.oneNumber.begin(), skeleton.oneNumber.end());
    return out;
}

std::string instanceText(const Skeleton& skeleton, const Instance& instance) {
    std::string out;
    for (const auto& [value, leaf] : instance.leaves) {
        if (skeleton.values[value].kind == Kind::Number && leaf.shape->empty()) {
            continue;
        }
        out += (out.empty() ? "" : ", ") + leafName(skeleton, value) + ": ";
        if (leaf.entries.empty()) {
            out += TensorType{leaf.element, leaf.shape}.text();
        } else {
            out += text(Shape(leaf.entries));
        }
    }
    for (std::size_t node = 0; node < skeleton.nodes.size(); ++node) {
        std::map<std::string, Attribute> all = instance.attributes[node];
        if (const auto extra = instance.operandAttributes.find(static_cast<std::uint32_t>(node)); extra != instance.operandAttributes.end()) {
            all.insert(extra->second.begin(), extra->second.end());
        }
        for (const auto& [name, attribute] : all) {
            const auto* real = std::get_if<float>(&attribute);
            const bool open = real != nullptr && std::any_of(instance.open.begin(), instance.open.end(),
                                                             [&](const OpenNumber& each) { return static_cast<float>(each.standIn) == *real; });
            if (!open) {
                out += (out.empty() ? "" : ", ") + skeleton.nodes[node].op.name + " " + name + " = " + factOf(attribute).text();
            }
        }
    }
    return out;
}

Result<CaseResult> checkCase(const RuleContext& context, const Skeleton& skeleton, const Instances& instances, const Instance& instance,
                             const InstanceGraph& built) {
    return CaseChecker(context, skeleton, instances, instance, built).run();
}

} // namespace lemmascope::ruleproof
