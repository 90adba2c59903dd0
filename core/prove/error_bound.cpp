// Forward error analysis, node by node. Each float value is known element by element: an interval of its real value (from the evaluator,
// run on the inputs' ranges) and how far off it may be computed. Where an op is linear or bilinear, its own kernel is run on magnitudes
// and errors. Tests: tests/core/prove/tst_error_bound.cpp.

#include "core/prove/error_bound.h"

#include "core/eval/evaluator.h"
#include "core/graph/definition_library.h"
#include "core/graph/infer.h"
#include "core/prove/error_rules.h"

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

constexpr int DeepestDefinition = 6;
constexpr std::size_t MostElements = 2'000'000; ///< of all values of one graph
constexpr const char* TooMany = "the graph has too many elements for this analysis";

class Walk {
  public:
    Walk(const GraphTree& tree, const std::map<FlatValueId, double>& constantErrors, std::uint64_t maxOperations, int depth, std::stop_token stop)
        : m_tree(tree), m_constantErrors(constantErrors), m_maxOperations(maxOperations), m_depth(depth), m_stop(std::move(stop)) {
        m_known.resize(tree.valueCount());
    }

    /// Runs the graph on boxes, then on errors. False with `reason` set when it cannot be run.
    bool run(const std::vector<ErrorTensor>& inputs);
    /// What is known of a value of the top graph.
    [[nodiscard]] ErrorTensor at(FlatValueId value);
    std::string reason;

  private:
    const GraphTree& m_tree;
    const std::map<FlatValueId, double>& m_constantErrors;
    std::uint64_t m_maxOperations;
    int m_depth;
    std::stop_token m_stop;
    Evaluation m_real;
    std::vector<std::optional<ErrorTensor>> m_known;
    std::size_t m_elements = 0;

    [[nodiscard]] ErrorTensor realOf(FlatValueId value) const;
    void set(FlatValueId value, ErrorTensor tensor);
    void instance(std::uint32_t index);
    void node(std::uint32_t instance, NodeId id);
    void body(std::uint32_t instance, NodeId id, std::uint32_t child);
    [[nodiscard]] bool definition(const Node& node, const NodeErrors& call, std::vector<ErrorTensor>& results);
};

ErrorTensor Walk::realOf(FlatValueId value) const {
    ErrorTensor out;
    const Value& declared = m_tree.value(value);
    out.element = declared.type.element;
    if (declared.constant) {
        if (static_cast<std::size_t>(declared.constant->count()) > MostElements - std::min(m_elements, MostElements)) {
            out.reason = TooMany;
            return out;
        }
        return ErrorTensor::of(*declared.constant);
    }
    if (const auto& boxes = m_real.enclosures[value.index]) {
        out.shape = boxes->shape;
        for (const Interval& box : boxes->elements) {
            out.elements.push_back(Inexact::within(box));
        }
        return out;
    }
    if (const auto& exact = m_real.values[value.index]) {
        return ErrorTensor::of(*exact);
    }
    out.reason = "'" + declared.name + "' cannot be evaluated on ranges";
    return out;
}

void Walk::set(FlatValueId value, ErrorTensor tensor) {
    if (!tensor.reason.empty() || !isFloat(tensor.element)) {
        m_known[value.index] = std::move(tensor);
        return;
    }
    // The evaluator's interval and the rule's own both hold: what both say is the least.
    const ErrorTensor real = realOf(value);
    if (real.reason.empty() && real.elements.size() == tensor.elements.size()) {
        for (std::size_t i = 0; i < tensor.elements.size(); ++i) {
            Interval& mine = tensor.elements[i].real;
            const Interval& other = real.elements[i].real;
            if (!other.isUndefined() && !other.mayBeUndefined) {
                const bool usable = !mine.isUndefined() && !std::isnan(mine.lo) && !std::isnan(mine.hi);
                const Interval both{usable ? std::max(mine.lo, other.lo) : other.lo, usable ? std::min(mine.hi, other.hi) : other.hi, false};
                mine = both.lo <= both.hi ? both : other;
            }
            tensor.elements[i] = tensor.elements[i].tightened();
        }
    }
    m_elements += tensor.elements.size();
    if (m_elements > MostElements) {
        tensor.elements.clear();
        tensor.reason = TooMany;
    }
    m_known[value.index] = std::move(tensor);
}

ErrorTensor Walk::at(FlatValueId value) {
    if (!m_known[value.index]) {
        ErrorTensor real = realOf(value);
        if (const auto off = m_constantErrors.find(value); off != m_constantErrors.end()) {
            for (Inexact& one : real.elements) {
                one.relative = off->second;
                one.error = off->second * one.largest();
            }
        }
        m_elements += real.elements.size();
        m_known[value.index] = std::move(real);
    }
    return *m_known[value.index];
}

void Walk::body(std::uint32_t instance, NodeId id, std::uint32_t child) {
    const GraphInstance& outer = m_tree.instances()[instance];
    const GraphInstance& inner = m_tree.instances()[child];
    const Node& node = outer.graph->node(id);
    for (std::size_t k = 0; k < inner.graph->inputs.size() && k < node.operands.size(); ++k) {
        if (node.operands[k].isValid()) {
            m_known[inner.valueBase + inner.graph->inputs[k].index] = at(FlatValueId(outer.valueBase + node.operands[k].index));
        }
    }
    for (const Capture& capture : inner.graph->captures) {
        m_known[inner.valueBase + capture.inner.index] = at(FlatValueId(outer.valueBase + capture.outer.index));
    }
}

bool Walk::definition(const Node& node, const NodeErrors& call, std::vector<ErrorTensor>& results) {
    const Definition* definition = findDefinition(m_tree.top().definitions.get(), node.op);
    if (definition == nullptr || m_depth >= DeepestDefinition) {
        return false;
    }
    DefinedCall written;
    written.definition = definition;
    written.attributes = &node.attributes;
    for (const std::optional<ErrorTensor>& operand : call.operands) {
        written.operands.emplace_back();
        if (!operand) {
            continue;
        }
        DefinedCall::Operand one;
        one.type = TensorType{operand->element, Shape(operand->shape.begin(), operand->shape.end())};
        if (const std::optional<std::vector<std::int64_t>> integers = operand->integers(1024)) {
            one.elements = std::vector<Dim>(integers->begin(), integers->end());
        }
        written.operands.back() = std::move(one);
    }
    for (const ValueId result : node.results) {
        written.wanted.push_back(result.isValid());
    }
    Result<DefinedBody> body = writeOut(written);
    if (!body) {
        return false;
    }
    body->graph.definitions = m_tree.top().definitions;
    const Result<std::shared_ptr<const Graph>> typed = inferTypes(body->graph, {}, m_stop);
    const Result<GraphTree> tree = typed ? GraphTree::build(*typed) : tl::unexpected(typed.error());
    if (!tree) {
        return false;
    }
    std::vector<ErrorTensor> inputs;
    for (const std::size_t k : body->operands) {
        inputs.push_back(*call.operands[k]);
    }
    const std::map<FlatValueId, double> none;
    Walk inner(*tree, none, m_maxOperations, m_depth + 1, m_stop);
    if (!inner.run(inputs)) {
        return false;
    }
    results.resize(node.results.size());
    for (std::size_t k = 0; k < body->results.size(); ++k) {
        results[body->results[k]] = inner.at(FlatValueId(tree->top().outputs[k].index));
    }
    return true;
}

void Walk::node(std::uint32_t instanceIndex, NodeId id) {
    const GraphInstance& here = m_tree.instances()[instanceIndex];
    const Node& node = here.graph->node(id);
    const auto flat = [&](ValueId value) { return FlatValueId(here.valueBase + value.index); };
    NodeErrors call;
    call.node = &node;
    call.stop = m_stop;
    std::string trouble;
    for (const ValueId operand : node.operands) {
        call.operands.emplace_back();
        if (operand.isValid()) {
            call.operands.back() = at(flat(operand));
            trouble = trouble.empty() ? call.operands.back()->reason : trouble;
        }
    }
    for (const ValueId result : node.results) {
        call.results.emplace_back();
        if (result.isValid()) {
            call.results.back() = realOf(flat(result));
            call.results.back().element = here.graph->value(result).type.element;
        }
    }
    // The same value divided by its own root mean square is never large, whatever intervals say of either.
    call.operandNodes = [&](std::size_t k) -> const Node* {
        const NodeId producer = k < node.operands.size() && node.operands[k].isValid() ? here.graph->value(node.operands[k]).producer : NodeId();
        return producer.isValid() ? &here.graph->node(producer) : nullptr;
    };
    call.producerOf = [&](ValueId value) -> const Node* {
        const NodeId producer = value.isValid() ? here.graph->value(value).producer : NodeId();
        return producer.isValid() ? &here.graph->node(producer) : nullptr;
    };
    call.valueOf = [&](ValueId value) { return at(flat(value)); };
    std::vector<ErrorTensor> results;
    if (trouble.empty() && !nodeErrors(call, results) && !definition(node, call, results)) {
        trouble = "no rule for " + node.op.text();
    }
    for (std::size_t k = 0; k < node.results.size(); ++k) {
        if (node.results[k].isValid()) {
            ErrorTensor result = k < results.size() ? std::move(results[k]) : ErrorTensor();
            if (!trouble.empty() || (result.elements.empty() && result.reason.empty() && result.shape.empty())) {
                result = ErrorTensor();
                result.reason = trouble.empty() ? "no rule for a result of " + node.op.text() : trouble;
            }
            result.element = here.graph->value(node.results[k]).type.element;
            set(flat(node.results[k]), std::move(result));
        }
    }
}

void Walk::instance(std::uint32_t index) {
    // Bodies stand inside the order of their outer graph; a stack of (instance, next node).
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{index, 0}};
    while (!stack.empty() && !m_stop.stop_requested()) {
        auto& [at, next] = stack.back();
        const GraphInstance& here = m_tree.instances()[at];
        if (next == here.graph->nodes.size()) {
            const GraphInstance done = here;
            stack.pop_back();
            if (stack.empty()) {
                break;
            }
            const GraphInstance& outer = m_tree.instances()[done.parent];
            const Node& caller = outer.graph->node(done.parentNode);
            for (std::size_t k = 0; k < caller.results.size() && k < done.graph->outputs.size(); ++k) {
                if (caller.results[k].isValid()) {
                    m_known[outer.valueBase + caller.results[k].index] = this->at(FlatValueId(done.valueBase + done.graph->outputs[k].index));
                }
            }
            continue;
        }
        const NodeId id(next++);
        const std::vector<std::uint32_t> children = m_tree.childrenOf(at, id);
        if (here.graph->node(id).body && children.size() == 1) {
            body(at, id, children.front());
            stack.emplace_back(children.front(), 0);
        } else {
            node(at, id);
        }
    }
}

bool Walk::run(const std::vector<ErrorTensor>& inputs) {
    EvaluateOptions options;
    options.arithmetic = Arithmetic::Enclosure;
    options.maxOperations = m_maxOperations;
    options.maxTensorBytes = std::size_t{1} << 28U;
    const Graph& top = m_tree.top();
    for (std::size_t k = 0; k < top.inputs.size() && k < inputs.size(); ++k) {
        IntervalTensor box;
        box.element = inputs[k].element;
        box.shape = inputs[k].shape;
        for (const Inexact& one : inputs[k].elements) {
            box.elements.push_back(one.real);
        }
        // A value that is known exactly steers ops; intervals do not.
        if (std::optional<Tensor> exact = inputs[k].exactTensor()) {
            options.given.emplace(FlatValueId(top.inputs[k].index), std::move(*exact));
        } else {
            options.givenEnclosures.emplace(FlatValueId(top.inputs[k].index), std::move(box));
        }
        m_known[top.inputs[k].index] = inputs[k];
    }
    Result<Evaluation> real = evaluate(m_tree, std::vector<std::optional<Tensor>>(top.inputs.size()), options, m_stop);
    if (!real) {
        reason = real.error().message;
        return false;
    }
    m_real = std::move(*real);
    instance(0);
    return true;
}

} // namespace

Result<std::vector<RoundedOutput>> roundingOf(const RoundingRequest& request, std::stop_token stop) {
    const Graph& top = request.tree->top();
    std::vector<RoundedOutput> out(top.outputs.size());
    const auto none = [&](const std::string& reason) {
        for (RoundedOutput& output : out) {
            output.reason = reason;
        }
        return out;
    };
    std::vector<ErrorTensor> inputs;
    for (std::size_t k = 0; k < top.inputs.size(); ++k) {
        const Value& value = top.value(top.inputs[k]);
        const std::optional<std::vector<std::int64_t>> shape = value.type.shape ? staticShape(*value.type.shape) : std::nullopt;
        if (!shape) {
            return none("the lengths of input " + value.name + " are not fixed (--size)");
        }
        const bool given = k < request.ranges.size() && request.ranges[k];
        if (!given && isFloat(value.type.element)) {
            return none("no range is declared of input " + value.name + " (--inputs-range " + value.name + "=lo:hi)");
        }
        ErrorTensor tensor;
        tensor.element = value.type.element;
        tensor.shape = *shape;
        std::size_t count = 1;
        for (const std::int64_t length : *shape) {
            count = length == 0                                               ? 0
                    : count > MostElements / static_cast<std::size_t>(length) ? MostElements + 1
                                                                              : count * static_cast<std::size_t>(length);
        }
        if (count > MostElements) {
            return none(TooMany);
        }
        tensor.elements.assign(count, Inexact::within(given ? *request.ranges[k] : interval::rangeOf(value.type.element)));
        inputs.push_back(std::move(tensor));
    }
    Walk walk(*request.tree, request.constantErrors, request.maxOperations, 0, stop);
    const bool ran = walk.run(inputs);
    if (stop.stop_requested()) {
        return fail(ErrorCode::Cancelled, "cancelled");
    }
    if (!ran) {
        return none(walk.reason);
    }
    for (std::size_t o = 0; o < top.outputs.size(); ++o) {
        ErrorTensor found = walk.at(FlatValueId(top.outputs[o].index));
        out[o].reason = found.reason;
        out[o].elements = std::move(found.elements);
        for (const Inexact& one : out[o].elements) {
            if (!std::isfinite(one.error) && out[o].reason.empty()) {
                out[o].reason = "over these ranges the error of '" + top.value(top.outputs[o]).name + "' has no bound";
            }
        }
    }
    return out;
}

} // namespace lemmascope
