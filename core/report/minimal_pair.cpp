#include "core/report/minimal_pair.h"

#include "core/report/outcome.h"

#include <algorithm>
#include <set>

namespace lemmascope {

namespace {

/// The reference input that each input of the rewritten graph pairs with, by its position there; invalid: none.
std::vector<ValueId> inputPartners(const CheckResult& result) {
    const Graph& reference = result.reference->top();
    const Graph& rewritten = result.rewritten->top();
    std::vector<ValueId> out(rewritten.inputs.size());
    for (std::size_t i = 0; i < rewritten.inputs.size(); ++i) {
        for (const ValueId candidate : reference.inputs) {
            const auto& partners = result.correspondence.partnerOfReferenceValue;
            const bool known = candidate.index < partners.size() && partners[candidate.index].isValid();
            if (known ? partners[candidate.index].index == rewritten.inputs[i].index
                      : reference.value(candidate).name == rewritten.value(rewritten.inputs[i]).name) {
                out[i] = candidate;
                break;
            }
        }
    }
    return out;
}

/// A name not yet taken that begins with `wanted`.
std::string freshName(const Graph& graph, const std::string& wanted) {
    std::set<std::string> taken;
    for (const Value& value : graph.values) {
        taken.insert(value.name);
    }
    std::string name = wanted;
    for (int i = 2; taken.contains(name); ++i) {
        name = wanted + "_" + std::to_string(i);
    }
    return name;
}

void renameValue(Graph& graph, ValueId id, const std::string& wanted) {
    Value& value = graph.values.at(id.index);
    if (value.name == wanted) {
        return;
    }
    const ValueId other = graph.findValue(wanted);
    if (other.isValid()) {
        graph.values.at(other.index).name = freshName(graph, wanted + "_other");
    }
    value.name = wanted;
}

/// Nested graphs of a node as places that can be replaced.
std::vector<std::shared_ptr<const Graph>*> nestedSlots(Node& node) {
    std::vector<std::shared_ptr<const Graph>*> out;
    if (node.body) {
        out.push_back(&node.body);
    }
    for (auto& [key, attribute] : node.attributes) {
        if (auto* graph = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
            out.push_back(graph);
        } else if (auto* list = std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute)) {
            for (auto& graph_ : *list) {
                out.push_back(&graph_);
            }
        }
    }
    return out;
}

/// Outer values that the graphs nested in a node read, in order.
std::vector<ValueId> capturedBy(const Node& node) {
    std::vector<ValueId> out;
    for (const auto& [role, graph] : Graph::nestedGraphs(node)) {
        for (const Capture& capture : graph->captures) {
            out.push_back(capture.outer);
        }
    }
    return out;
}

} // namespace

std::shared_ptr<const Graph> cutGraph(const Graph& graph, const std::vector<std::size_t>& outputs, const std::vector<NodeId>& kept,
                                      const std::vector<std::string>& neededInputs) {
    std::vector<bool> keepNode(graph.nodes.size(), false);
    std::vector<bool> keepValue(graph.values.size(), false);
    std::vector<ValueId> pending;
    const auto want = [&](ValueId id) {
        if (id.isValid() && !keepValue[id.index]) {
            keepValue[id.index] = true;
            pending.push_back(id);
        }
    };
    const auto wantNode = [&](NodeId id) {
        if (keepNode[id.index]) {
            return;
        }
        keepNode[id.index] = true;
        const Node& node = graph.node(id);
        for (const std::vector<ValueId>& values : {node.operands, node.results, capturedBy(node)}) {
            for (const ValueId value : values) {
                want(value);
            }
        }
    };
    for (const std::size_t output : outputs) {
        want(graph.outputs.at(output));
    }
    for (const NodeId node : kept) {
        wantNode(node);
    }
    while (!pending.empty()) {
        const ValueId id = pending.back();
        pending.pop_back();
        if (graph.value(id).producer.isValid()) {
            wantNode(graph.value(id).producer);
        }
    }
    for (const ValueId input : graph.inputs) {
        if (std::find(neededInputs.begin(), neededInputs.end(), graph.value(input).name) != neededInputs.end()) {
            keepValue[input.index] = true;
        }
    }
    auto out = std::make_shared<Graph>();
    out->name = graph.name;
    out->symbols = graph.symbols;
    out->opsets = graph.opsets;
    std::vector<ValueId> newId(graph.values.size());
    for (std::size_t i = 0; i < graph.values.size(); ++i) {
        if (keepValue[i]) {
            Value value = graph.values[i];
            value.producer = {};
            newId[i] = out->addValue(std::move(value));
        }
    }
    const auto mapped = [&](ValueId id) { return id.isValid() ? newId[id.index] : id; };
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (!keepNode[i]) {
            continue;
        }
        Node node = graph.nodes[i];
        std::transform(node.operands.begin(), node.operands.end(), node.operands.begin(), mapped);
        std::transform(node.results.begin(), node.results.end(), node.results.begin(), mapped);
        for (std::shared_ptr<const Graph>* slot : nestedSlots(node)) {
            if (!(*slot)->captures.empty()) {
                auto nested = std::make_shared<Graph>(**slot);
                for (Capture& capture : nested->captures) {
                    capture.outer = mapped(capture.outer);
                }
                *slot = std::move(nested);
            }
        }
        out->addNode(std::move(node));
    }
    for (const ValueId input : graph.inputs) {
        if (keepValue[input.index]) {
            out->inputs.push_back(newId[input.index]);
        }
    }
    for (const std::size_t output : outputs) {
        out->outputs.push_back(newId[graph.outputs.at(output).index]);
        out->outputNames.push_back(output < graph.outputNames.size() ? graph.outputNames[output] : std::string());
    }
    return out;
}

GraphPair wholePair(const CheckResult& result, const std::map<std::string, IntegerRange>& ranges) {
    auto reference = std::make_shared<Graph>(result.reference->top());
    auto rewritten = std::make_shared<Graph>(result.rewritten->top());
    GraphPair pair;
    const std::vector<ValueId> partners = inputPartners(result);
    for (const ValueId input : reference->inputs) {
        Value& value = reference->values.at(input.index);
        if (const auto range = ranges.find(value.name); range != ranges.end()) {
            value.range = value.range ? IntegerRange{std::max(value.range->low, range->second.low), std::min(value.range->high, range->second.high)}
                                      : range->second;
        }
        pair.inputNames[value.name] = value.name;
    }
    // Outputs that were not asked about are not the receiver's question either.
    std::vector<ValueId> outputs;
    std::vector<std::string> outputNames;
    for (std::size_t i = 0; i < reference->outputs.size(); ++i) {
        const auto asked = [&](const OutputResult& output) { return output.name == reference->outputName(i); };
        if (result.outputs.empty() || std::any_of(result.outputs.begin(), result.outputs.end(), asked)) {
            outputs.push_back(reference->outputs[i]);
            outputNames.push_back(reference->outputName(i));
        }
    }
    reference->outputs = std::move(outputs);
    reference->outputNames = std::move(outputNames);
    for (std::size_t i = 0; i < partners.size(); ++i) {
        if (partners[i].isValid()) {
            renameValue(*rewritten, rewritten->inputs[i], reference->value(partners[i]).name);
        }
    }
    rewritten->outputNames.resize(rewritten->outputs.size());
    for (const OutputResult& output : result.outputs) {
        pair.outputNames[output.name] = output.name;
        for (std::size_t i = 0; i < rewritten->outputs.size(); ++i) {
            if (output.rewritten.isValid() && rewritten->outputs[i].index == output.rewritten.index && rewritten->outputName(i) != output.name) {
                rewritten->outputNames[i] = output.name;
            }
        }
    }
    for (const AssumedPair& one : result.assumed) {
        pair.assumed.emplace_back(reference->values.at(one.reference.index).name, rewritten->values.at(one.rewritten.index).name);
    }
    pair.reference = std::move(reference);
    pair.rewritten = std::move(rewritten);
    return pair;
}

GraphPair cutToCone(const GraphPair& pair, const CheckResult& result) {
    if (result.kind == RefutationKind::Type || result.outputs.empty()) {
        return pair;
    }
    // The output of the counterexample, else the first that has the overall verdict.
    const OutputResult* decisive = nullptr;
    for (const OutputResult& output : result.outputs) {
        const bool named = result.counterexample && result.counterexample->output == output.name;
        if (named || (decisive == nullptr && output.verdict == result.verdict)) {
            decisive = &output;
            if (named) {
                break;
            }
        }
    }
    if (decisive == nullptr || !decisive->reference.isValid() || !decisive->rewritten.isValid()) {
        return pair;
    }
    const auto positions = [&](const Graph& graph, FlatValueId value) {
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < graph.outputs.size() && out.empty(); ++i) {
            if (graph.outputs[i].index == value.index) {
                out.push_back(i);
            }
        }
        return out;
    };
    std::vector<NodeId> keptReference;
    std::vector<NodeId> keptRewritten;
    if (result.fault) {
        const bool onReference = result.fault->side == Side::Reference;
        const GraphTree& tree = onReference ? *result.reference : *result.rewritten;
        for (std::size_t i = 0; i < tree.top().nodes.size(); ++i) {
            const std::string path = tree.path(FlatNodeId(i));
            if (path == result.fault->node || result.fault->node.starts_with(path + "/")) {
                (onReference ? keptReference : keptRewritten).emplace_back(i);
            }
        }
    }
    // What is assumed equal stays, so that the question stays the same; constants are not cut off by name, so a pair that speaks
    // of one nobody reads is left whole.
    for (const AssumedPair& one : result.assumed) {
        for (const bool mine : {true, false}) {
            const NodeId producer = (mine ? *pair.reference : *pair.rewritten).values.at(mine ? one.reference.index : one.rewritten.index).producer;
            if (producer.isValid()) {
                (mine ? keptReference : keptRewritten).push_back(producer);
            }
        }
    }
    const auto referenceOutputs = positions(*pair.reference, decisive->reference);
    const auto rewrittenOutputs = positions(*pair.rewritten, decisive->rewritten);
    if (referenceOutputs.empty() || rewrittenOutputs.empty()) {
        return pair;
    }
    const auto inputNames = [](const Graph& graph) {
        std::vector<std::string> out;
        for (const ValueId input : graph.inputs) {
            out.push_back(graph.value(input).name);
        }
        return out;
    };
    GraphPair out;
    out.outputNames = pair.outputNames;
    out.inputNames = pair.inputNames;
    out.assumed = pair.assumed;
    out.definitions = pair.definitions;
    // First without inputs to keep, then once more with what the other side needs: inputs stay paired.
    const auto rewrittenAlone = cutGraph(*pair.rewritten, rewrittenOutputs, keptRewritten, {});
    out.reference = cutGraph(*pair.reference, referenceOutputs, keptReference, inputNames(*rewrittenAlone));
    out.rewritten = cutGraph(*pair.rewritten, rewrittenOutputs, keptRewritten, inputNames(*out.reference));
    return out;
}

} // namespace lemmascope
