#include "core/prove/correspondence.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>

namespace lemmascope {

namespace {

std::string attributeText(const Attribute& attribute) {
    return std::visit(
        [](const auto& value) -> std::string {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, std::int64_t>) {
                return std::to_string(value);
            } else if constexpr (std::is_same_v<T, float>) {
                std::string text = std::to_string(value);
                while (text.size() > 1 && text.back() == '0' && text[text.size() - 2] != '.') {
                    text.pop_back();
                }
                return text;
            } else if constexpr (std::is_same_v<T, std::string>) {
                return "\"" + value + "\"";
            } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
                std::string text = "[";
                for (std::size_t i = 0; i < value.size() && i < 8; ++i) {
                    text += (i == 0 ? "" : ",") + std::to_string(value[i]);
                }
                return text + (value.size() > 8 ? ",...]" : "]");
            } else if constexpr (std::is_same_v<T, Tensor>) {
                return "a tensor";
            } else {
                return "a graph or list";
            }
        },
        attribute);
}

bool sameAttribute(const Attribute& a, const Attribute& b) {
    if (a.index() != b.index()) {
        return false;
    }
    if (const auto* tensor = std::get_if<Tensor>(&a)) {
        return tensor->sameBits(std::get<Tensor>(b));
    }
    if (std::holds_alternative<std::shared_ptr<const Graph>>(a) || std::holds_alternative<std::vector<std::shared_ptr<const Graph>>>(a)) {
        return true; // nested graphs are compared node by node
    }
    return attributeText(a) == attributeText(b);
}

/// Zero, empty, all zeros, all ones, NOTSET: what most attributes are when they are not given. Only the order of telling hangs on it.
bool isUsualDefault(const Attribute& attribute) {
    if (const auto* number = std::get_if<std::int64_t>(&attribute)) {
        return *number == 0;
    }
    if (const auto* text = std::get_if<std::string>(&attribute)) {
        return text->empty() || *text == "NOTSET";
    }
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute)) {
        return std::all_of(list->begin(), list->end(), [](std::int64_t n) { return n == 0; }) ||
               std::all_of(list->begin(), list->end(), [](std::int64_t n) { return n == 1; });
    }
    return false;
}

struct Names {
    std::unordered_map<std::string, std::uint32_t> byValue; ///< path of scope + value name -> flat value
};

std::string scopeOf(const GraphTree& tree, const GraphInstance& instance) {
    std::string out;
    const GraphInstance* at = &instance;
    while (at->parent != Id<void>::Invalid) {
        const GraphInstance& parent = tree.instances()[at->parent];
        out = parent.graph->displayName(at->parentNode) + ":" + at->role + "/" + out;
        at = &parent;
    }
    return out;
}

Names namesOf(const GraphTree& tree) {
    Names names;
    for (const GraphInstance& instance : tree.instances()) {
        const std::string scope = scopeOf(tree, instance);
        for (std::size_t v = 0; v < instance.graph->values.size(); ++v) {
            const std::string& name = instance.graph->values[v].name;
            if (!name.empty()) {
                names.byValue.try_emplace(scope + name, static_cast<std::uint32_t>(instance.valueBase + v));
            }
        }
    }
    return names;
}

} // namespace

FlatNodeId producerOf(const GraphTree& tree, FlatValueId value) {
    const GraphInstance& instance = tree.instanceOf(value);
    const NodeId producer = tree.value(value).producer;
    return producer.isValid() ? FlatNodeId(instance.nodeBase + producer.index) : FlatNodeId();
}

std::vector<FlatValueId> operandsOf(const GraphTree& tree, FlatNodeId node) {
    const GraphInstance& instance = tree.instanceOf(node);
    std::vector<FlatValueId> out;
    const Node& data = tree.node(node);
    for (const ValueId operand : data.operands) {
        if (operand.isValid()) {
            out.emplace_back(instance.valueBase + operand.index);
        }
    }
    const auto index = static_cast<std::uint32_t>(&instance - tree.instances().data());
    for (const std::uint32_t child : tree.childrenOf(index, NodeId(node.index - instance.nodeBase))) {
        for (const ValueId output : tree.instances()[child].graph->outputs) {
            if (output.isValid()) {
                out.emplace_back(tree.instances()[child].valueBase + output.index);
            }
        }
    }
    return out;
}

NodeDifference nodeDifference(const Node& reference, const Node& rewritten) {
    if (reference.op.domain != rewritten.op.domain || reference.op.name != rewritten.op.name) {
        return {reference.op.text() + " in the reference, " + rewritten.op.text() + " in the rewritten graph", {}};
    }
    // What both give and differ in says most, then what one gives; last what looks like a default that was only written out.
    std::array<NodeDifference, 3> found;
    const auto take = [&found](std::size_t rank, std::string text, const std::string& key) {
        if (found.at(rank).text.empty()) {
            found.at(rank) = {std::move(text), key};
        }
    };
    for (const auto& [key, attribute] : reference.attributes) {
        const auto at = rewritten.attributes.find(key);
        if (at == rewritten.attributes.end()) {
            take(isUsualDefault(attribute) ? 2 : 1, "attribute '" + key + "' is " + attributeText(attribute) + ", rewritten: not given", key);
        } else if (!sameAttribute(attribute, at->second)) {
            take(0, "attribute '" + key + "' is " + attributeText(attribute) + ", rewritten " + attributeText(at->second), key);
        }
    }
    for (const auto& [key, attribute] : rewritten.attributes) {
        if (!reference.attributes.contains(key)) {
            take(isUsualDefault(attribute) ? 2 : 1, "attribute '" + key + "' is not given, rewritten " + attributeText(attribute), key);
        }
    }
    for (const NodeDifference& difference : found) {
        if (!difference.text.empty()) {
            return difference;
        }
    }
    if (reference.op.version != rewritten.op.version) {
        return {reference.op.name + " at opset " + std::to_string(reference.op.version) + ", rewritten at opset " +
                    std::to_string(rewritten.op.version),
                {}};
    }
    return {"the same op, on operands that are not the same terms", {}};
}

Correspondence correspondenceOf(const GraphTree& reference, const GraphTree& rewritten, const GraphTerms& referenceTerms,
                                const GraphTerms& rewrittenTerms) {
    Correspondence out;
    out.reference.resize(reference.nodeCount());
    out.rewritten.resize(rewritten.nodeCount());
    out.partnerOfReferenceValue.assign(reference.valueCount(), FlatValueId());
    std::unordered_map<std::uint32_t, std::uint32_t> referenceByTerm;
    std::unordered_map<std::uint32_t, std::uint32_t> rewrittenByTerm;
    const auto index = [](const GraphTerms& terms, std::unordered_map<std::uint32_t, std::uint32_t>& map) {
        for (std::size_t v = 0; v < terms.values.size(); ++v) {
            if (terms.values[v].isValid()) {
                map.try_emplace(terms.values[v].index, static_cast<std::uint32_t>(v));
            }
        }
    };
    index(referenceTerms, referenceByTerm);
    index(rewrittenTerms, rewrittenByTerm);
    for (const auto& [term, value] : referenceByTerm) {
        out.sharedTerms += rewrittenByTerm.contains(term) ? 1 : 0;
    }
    const Names referenceNames = namesOf(reference);
    const Names rewrittenNames = namesOf(rewritten);

    const auto mark = [](const GraphTree& tree, const GraphTree& otherTree, const GraphTerms& terms,
                         const std::unordered_map<std::uint32_t, std::uint32_t>& others, const Names& otherNames,
                         std::vector<NodeRelation>& relations, bool isReference) {
        for (const GraphInstance& instance : tree.instances()) {
            const std::string scope = scopeOf(tree, instance);
            for (std::size_t n = 0; n < instance.graph->nodes.size(); ++n) {
                const Node& node = instance.graph->nodes[n];
                NodeRelation& relation = relations[instance.nodeBase + n];
                bool shared = true;
                bool any = false;
                for (const ValueId result : node.results) {
                    if (!result.isValid()) {
                        continue;
                    }
                    any = true;
                    const TermId term = terms.values[instance.valueBase + result.index];
                    const auto at = term.isValid() ? others.find(term.index) : others.end();
                    shared = shared && at != others.end();
                    if (at != others.end() && !relation.partner.isValid()) {
                        relation.partner = producerOf(otherTree, FlatValueId(at->second));
                    }
                }
                if (shared && any) {
                    relation.mark = NodeMark::Shared;
                } else {
                    relation.partner = FlatNodeId();
                    for (const ValueId result : node.results) {
                        const auto at =
                            result.isValid() ? otherNames.byValue.find(scope + instance.graph->value(result).name) : otherNames.byValue.end();
                        if (at != otherNames.byValue.end() && !instance.graph->value(result).name.empty()) {
                            relation.partner = producerOf(otherTree, FlatValueId(at->second));
                            if (relation.partner.isValid()) {
                                const Node& other = otherTree.node(relation.partner);
                                relation.mark = NodeMark::Changed;
                                relation.reason = isReference ? nodeDifference(node, other).text : nodeDifference(other, node).text;
                                break;
                            }
                        }
                    }
                    if (!relation.partner.isValid()) {
                        relation.mark = NodeMark::Only;
                        relation.reason = isReference ? "no partner: the rewritten graph has no value of this name and none that is the same term"
                                                      : "no partner: the reference has no value of this name and none that is the same term";
                    }
                }
                if (!terms.live[instance.nodeBase + n]) {
                    relation.mark = NodeMark::Dead;
                    relation.reason = "reaches no output";
                }
            }
        }
    };
    mark(reference, rewritten, referenceTerms, rewrittenByTerm, rewrittenNames, out.reference, true);
    mark(rewritten, reference, rewrittenTerms, referenceByTerm, referenceNames, out.rewritten, false);
    for (std::size_t v = 0; v < referenceTerms.values.size(); ++v) {
        const TermId term = referenceTerms.values[v];
        if (term.isValid()) {
            if (const auto at = rewrittenByTerm.find(term.index); at != rewrittenByTerm.end()) {
                out.partnerOfReferenceValue[v] = FlatValueId(at->second);
            }
        }
    }
    for (const auto& [name, value] : referenceNames.byValue) {
        if (out.partnerOfReferenceValue[value].isValid()) {
            continue;
        }
        if (const auto at = rewrittenNames.byValue.find(name); at != rewrittenNames.byValue.end()) {
            out.partnerOfReferenceValue[value] = FlatValueId(at->second);
        }
    }
    return out;
}

std::vector<FlatNodeId> differingCone(const GraphTree& tree, const Correspondence& correspondence, Side side, FlatValueId from, std::size_t limit) {
    const std::vector<NodeRelation>& relations = side == Side::Reference ? correspondence.reference : correspondence.rewritten;
    std::vector<FlatNodeId> out;
    std::vector<bool> seen(tree.nodeCount(), false);
    std::deque<FlatValueId> queue{from};
    while (!queue.empty() && out.size() < limit) {
        const FlatValueId value = queue.front();
        queue.pop_front();
        if (!value.isValid()) {
            continue;
        }
        const FlatNodeId node = producerOf(tree, value);
        if (!node.isValid()) {
            // A capture or an input of a body: go on in the enclosing graph.
            const GraphInstance& instance = tree.instanceOf(value);
            if (instance.parent != Id<void>::Invalid) {
                const GraphInstance& parent = tree.instances()[instance.parent];
                const ValueId local(value.index - instance.valueBase);
                for (const Capture& capture : instance.graph->captures) {
                    if (capture.inner == local) {
                        queue.emplace_back(parent.valueBase + capture.outer.index);
                    }
                }
                const Node& call = parent.graph->node(instance.parentNode);
                if (call.body) {
                    for (std::size_t k = 0; k < instance.graph->inputs.size() && k < call.operands.size(); ++k) {
                        if (instance.graph->inputs[k] == local && call.operands[k].isValid()) {
                            queue.emplace_back(parent.valueBase + call.operands[k].index);
                        }
                    }
                }
            }
            continue;
        }
        if (seen[node.index] || relations[node.index].mark == NodeMark::Shared) {
            continue;
        }
        seen[node.index] = true;
        out.push_back(node);
        for (const FlatValueId operand : operandsOf(tree, node)) {
            queue.push_back(operand);
        }
    }
    return out;
}

} // namespace lemmascope
