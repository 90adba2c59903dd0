// Ops without a kernel for the case at hand are run by their definition (core/graph/definition_library.h), written out at the
// lengths found.

#include "core/eval/interpreter.h"
#include "core/graph/definition_library.h"
#include "core/graph/infer.h"

#include <algorithm>

namespace lemmascope {

namespace {

constexpr std::int64_t MaxSteering = 1024; ///< elements of an integer operand that a definition may read while it is written out

DefinedCall callOf(const Definition& definition, const Node& node, const std::vector<std::optional<Array>>& operands) {
    DefinedCall call;
    call.definition = &definition;
    call.attributes = &node.attributes;
    for (const std::optional<Array>& operand : operands) {
        call.operands.emplace_back();
        if (!operand) {
            continue;
        }
        DefinedCall::Operand one;
        one.type = TensorType{operand->element(), Shape(operand->shape().begin(), operand->shape().end())};
        if (isInteger(operand->element()) && !operand->isInterval() && operand->count() <= MaxSteering) {
            const Tensor tensor = operand->tensor();
            std::vector<Dim> elements;
            for (std::int64_t k = 0; k < tensor.count(); ++k) {
                elements.emplace_back(tensor.toInt64(k));
            }
            one.elements = std::move(elements);
        }
        call.operands.back() = std::move(one);
    }
    for (const ValueId result : node.results) {
        call.wanted.push_back(result.isValid());
    }
    return call;
}

} // namespace

Result<bool> Interpreter::runDefinition(const Node& node, FlatNodeId id, const std::vector<std::optional<Array>>& operands) {
    const Definition* definition = findDefinition(m_tree.top().definitions.get(), node.op);
    if (definition == nullptr) {
        return false;
    }
    Result<DefinedBody> body = writeOut(callOf(*definition, node, operands));
    if (!body) {
        return false;
    }
    body->graph.definitions = m_tree.top().definitions;
    const Result<std::shared_ptr<const Graph>> typed = inferTypes(body->graph, {}, m_limits.stop);
    if (!typed) {
        return typed.error().code == ErrorCode::Cancelled ? Result<bool>(tl::unexpected<Error>(typed.error()))
                                                          : Result<bool>(failAt(id, typed.error()));
    }
    const Result<GraphTree> tree = GraphTree::build(*typed);
    if (!tree) {
        return failAt(id, tree.error());
    }
    EvaluateOptions options;
    options.arithmetic = m_options.arithmetic;
    options.maxTensorBytes = m_options.maxTensorBytes;
    options.maxOperations = m_options.maxOperations;
    if (id.index < m_options.widening.nodes.size() && m_options.widening.nodes[id.index]) {
        options.widening.nodes.assign(tree->nodeCount(), true);
    }
    std::vector<std::optional<Array>> inputs;
    for (const std::size_t k : body->operands) {
        inputs.push_back(operands[k]);
    }
    Interpreter inner(*tree, options, m_limits.stop);
    Result<BodyRun> run = inner.runBody(inputs, m_limits.operations);
    if (!run) {
        return failAt(id, run.error());
    }
    m_limits.operations = run->operations;
    if (run->open) {
        markOpen(id);
    }
    if (run->fault && !m_fault && !m_frames.back().uncertain) {
        m_fault = run->fault;
        m_fault->node = id;
    }
    std::vector<std::optional<Array>> results(node.results.size());
    for (std::size_t k = 0; k < body->results.size(); ++k) {
        results[body->results[k]] = std::move(run->results[k]);
    }
    if (Result<void> given = giveResults(id, std::move(results)); !given) {
        return tl::unexpected<Error>(given.error());
    }
    return true;
}

Result<Interpreter::BodyRun> Interpreter::runBody(const std::vector<std::optional<Array>>& operands, std::uint64_t operationsBefore) {
    m_limits.operations = operationsBefore;
    const Graph& graph = m_tree.top();
    for (std::size_t k = 0; k < operands.size(); ++k) {
        m_values[graph.inputs[k].index] = operands[k];
    }
    m_frames.push_back(Frame{});
    while (!m_frames.empty()) {
        if (m_limits.stop.stop_requested()) {
            return fail(ErrorCode::Cancelled, "cancelled");
        }
        if (Result<void> stepped = step(); !stepped) {
            return tl::unexpected<Error>(stepped.error());
        }
    }
    BodyRun out;
    for (const ValueId output : graph.outputs) {
        Result<const std::optional<Array>*> value = read(FlatValueId(output.index));
        if (!value) {
            return tl::unexpected<Error>(value.error());
        }
        out.results.push_back(**value);
    }
    out.fault = std::move(m_fault);
    out.open = !m_open.empty();
    out.operations = m_limits.operations;
    return out;
}

} // namespace lemmascope
