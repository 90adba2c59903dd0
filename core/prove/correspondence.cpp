#include "core/prove/correspondence.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>

namespace lemmascope {

namespace {

constexpr std::size_t ListedElements = 8;
constexpr const char* SameOp = "the same op, on operands that are not the same terms";

std::string numberText(float value) {
    if (value != value) {
        return "nan";
    }
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    std::string text(digits.data(), end);
    return text.find_first_of(".einf") == std::string::npos ? text + ".0" : text;
}

std::string elementText(std::int64_t value) { return std::to_string(value); }
std::string elementText(float value) { return numberText(value); }
std::string elementText(const std::string& value) { return '"' + value.substr(0, 80) + '"'; }

template <typename T>
std::string listText(const std::vector<T>& values) {
    std::string text = "[";
    for (std::size_t i = 0; i < values.size() && i < ListedElements; ++i) {
        text += (i == 0 ? "" : ",") + elementText(values[i]);
    }
    return text + (values.size() > ListedElements ? ",...]" : "]");
}

std::string attributeText(const Attribute& attribute) {
    return std::visit(
        [](const auto& value) -> std::string {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, std::vector<std::int64_t>> || std::is_same_v<T, std::vector<float>> ||
                          std::is_same_v<T, std::vector<std::string>>) {
                return listText(value);
            } else if constexpr (std::is_same_v<T, Tensor>) {
                return "a tensor " + std::string(name(value.element())) + text(Shape(value.shape().begin(), value.shape().end()));
            } else if constexpr (std::is_same_v<T, std::shared_ptr<const Graph>>) {
                return "a graph";
            } else if constexpr (std::is_same_v<T, std::vector<std::shared_ptr<const Graph>>>) {
                return std::to_string(value.size()) + " graphs";
            } else {
                return elementText(value);
            }
        },
        attribute);
}

bool sameElement(float a, float b) { return a == b || (a != a && b != b); }
template <typename T>
bool sameElement(const T& a, const T& b) {
    return a == b;
}

bool sameAttribute(const Attribute& a, const Attribute& b) {
    if (a.index() != b.index()) {
        return false;
    }
    return std::visit(
        [&b](const auto& value) -> bool {
            using T = std::decay_t<decltype(value)>;
            const T& other = std::get<T>(b);
            if constexpr (std::is_same_v<T, Tensor>) {
                return value.sameBits(other);
            } else if constexpr (std::is_same_v<T, std::shared_ptr<const Graph>> || std::is_same_v<T, std::vector<std::shared_ptr<const Graph>>>) {
                return true; // nested graphs are compared node by node
            } else if constexpr (std::is_same_v<T, std::vector<float>>) {
                return std::equal(value.begin(), value.end(), other.begin(), other.end(), [](float x, float y) { return sameElement(x, y); });
            } else {
                return sameElement(value, other);
            }
        },
        a);
}

/// Where two attributes part that are written alike: long lists, tensors of one type.
std::string placeOfDifference(const Attribute& a, const Attribute& b) {
    return std::visit(
        [&b](const auto& value) -> std::string {
            using T = std::decay_t<decltype(value)>;
            const T* other = std::get_if<T>(&b);
            if constexpr (std::is_same_v<T, std::vector<std::int64_t>> || std::is_same_v<T, std::vector<float>> ||
                          std::is_same_v<T, std::vector<std::string>>) {
                for (std::size_t i = 0; other != nullptr && i < std::min(value.size(), other->size()); ++i) {
                    if (!sameElement(value[i], (*other)[i])) {
                        return "at element " + std::to_string(i) + ": " + elementText(value[i]) + ", rewritten " + elementText((*other)[i]);
                    }
                }
                return other == nullptr ? "" : "in length: " + std::to_string(value.size()) + ", rewritten " + std::to_string(other->size());
            } else if constexpr (std::is_same_v<T, Tensor>) {
                return "in its elements";
            } else {
                return "";
            }
        },
        a);
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
            const std::string mine = attributeText(attribute);
            const std::string theirs = attributeText(at->second);
            take(0,
                 mine == theirs ? "attribute '" + key + "', " + mine + ", differs " + placeOfDifference(attribute, at->second)
                                : "attribute '" + key + "' is " + mine + ", rewritten " + theirs,
                 key);
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
    return {SameOp, {}};
}

namespace {

std::string quoted(const GraphTree& tree, FlatNodeId node) {
    const GraphInstance& instance = tree.instanceOf(node);
    return "'" + instance.graph->displayName(NodeId(node.index - instance.nodeBase)) + "'";
}

std::string nameOfValue(const Graph& graph, ValueId id) { return id.isValid() ? "'" + graph.value(id).name + "'" : "omitted"; }

/// The first operand that is another term there.
std::string operandDifference(const GraphTree& tree, const GraphTerms& terms, FlatNodeId node, const GraphTree& otherTree,
                              const GraphTerms& otherTerms, FlatNodeId other) {
    const GraphInstance& here = tree.instanceOf(node);
    const GraphInstance& there = otherTree.instanceOf(other);
    const std::vector<ValueId>& mine = tree.node(node).operands;
    const std::vector<ValueId>& theirs = otherTree.node(other).operands;
    if (mine.size() != theirs.size()) {
        return "the same op, here with " + std::to_string(mine.size()) + (mine.size() == 1 ? " operand, there with " : " operands, there with ") +
               std::to_string(theirs.size());
    }
    for (std::size_t i = 0; i < mine.size(); ++i) {
        const TermId a = mine[i].isValid() ? terms.values[here.valueBase + mine[i].index] : TermId();
        const TermId b = theirs[i].isValid() ? otherTerms.values[there.valueBase + theirs[i].index] : TermId();
        if (mine[i].isValid() != theirs[i].isValid() || !(a == b)) {
            return "the same op, but operand " + std::to_string(i + 1) + ", " + nameOfValue(*here.graph, mine[i]) + ", is not the same term as " +
                   nameOfValue(*there.graph, theirs[i]) + " there";
        }
    }
    return "the same op on the same operands, but it does not stand for the same term there";
}

/// For every node: the nearest node downstream (or the one around its graph) that has a partner; invalid if none has.
/// `others`: more than one such node is read into.
struct Downstream {
    std::vector<FlatNodeId> next;
    std::vector<bool> others;
};

Downstream downstreamOf(const GraphTree& tree, const std::vector<NodeRelation>& relations) {
    Downstream out{std::vector<FlatNodeId>(tree.nodeCount()), std::vector<bool>(tree.nodeCount(), false)};
    const auto goal = [&](FlatNodeId node) { return relations[node.index].partner.isValid() ? node : out.next[node.index]; };
    for (std::uint32_t at = 0; at < tree.instances().size(); ++at) { // what is around a graph comes before it
        const GraphInstance& instance = tree.instances()[at];
        std::vector<FlatNodeId> ofValue(instance.graph->values.size());
        std::vector<bool> several(instance.graph->values.size(), false);
        const auto reads = [&](ValueId value, FlatNodeId into, bool more) {
            if (value.isValid() && into.isValid()) {
                several[value.index] = several[value.index] || more || (ofValue[value.index].isValid() && ofValue[value.index] != into);
                ofValue[value.index] = into; // nodes are gone through backwards: the first reader stays
            }
        };
        if (instance.parent != Id<void>::Invalid) {
            const FlatNodeId around(tree.instances()[instance.parent].nodeBase + instance.parentNode.index);
            for (const ValueId output : instance.graph->outputs) {
                reads(output, goal(around), false);
            }
        }
        for (std::size_t n = instance.graph->nodes.size(); n-- > 0;) {
            const FlatNodeId node(instance.nodeBase + n);
            const Node& data = instance.graph->nodes[n];
            for (const ValueId result : data.results) {
                if (result.isValid() && ofValue[result.index].isValid()) {
                    const bool already = out.next[node.index].isValid() && out.next[node.index] != ofValue[result.index];
                    out.others[node.index] = out.others[node.index] || already || several[result.index];
                    out.next[node.index] = ofValue[result.index];
                }
            }
            const FlatNodeId into = goal(node);
            const bool more = !relations[node.index].partner.isValid() && out.others[node.index];
            for (const ValueId operand : data.operands) {
                reads(operand, into, more);
            }
            for (const std::uint32_t child : tree.childrenOf(at, NodeId(n))) {
                for (const Capture& capture : tree.instances()[child].graph->captures) {
                    reads(capture.outer, into, more);
                }
            }
        }
    }
    return out;
}

void tellWhyAlone(const GraphTree& tree, const GraphTree& otherTree, std::vector<NodeRelation>& relations, bool isReference) {
    const Downstream downstream = downstreamOf(tree, relations);
    const std::string graph = isReference ? "the rewritten graph" : "the reference";
    for (std::size_t n = 0; n < relations.size(); ++n) {
        NodeRelation& relation = relations[n];
        if (!relation.reason.empty() || relation.partner.isValid() || relation.mark == NodeMark::Shared) {
            continue;
        }
        const FlatNodeId into = downstream.next[n];
        if (!into.isValid()) {
            relation.reason = graph + " has no value of this name, none that is the same term, and nothing that stands for what reads it";
            continue;
        }
        const FlatNodeId there = relations[into.index].partner;
        const std::string op = otherTree.node(there).op.text();
        const std::string others = downstream.others[n] ? " and others" : "";
        if (otherTree.node(there).op != tree.node(into).op) {
            relation.reason = "fused into " + quoted(otherTree, there) + " (" + op + "), which stands for " + quoted(tree, into) + others;
        } else {
            relation.reason = graph + " has no value of this name and none that is the same term; it goes into " + quoted(tree, into) + others +
                              ", there " + quoted(otherTree, there) + " (" + op + ")";
        }
    }
}

} // namespace

FlatNodeId takenUpBy(const GraphTree& tree, const Correspondence& correspondence, Side side, FlatNodeId node) {
    const std::vector<NodeRelation>& relations = side == Side::Reference ? correspondence.reference : correspondence.rewritten;
    if (relations.size() != tree.nodeCount() || !node.isValid() || node.index >= relations.size() || relations[node.index].partner.isValid()) {
        return {};
    }
    const FlatNodeId into = downstreamOf(tree, relations).next[node.index];
    return into.isValid() ? relations[into.index].partner : FlatNodeId();
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

    const auto mark = [](const GraphTree& tree, const GraphTree& otherTree, const GraphTerms& terms, const GraphTerms& otherTerms,
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
                    if (!relation.partner.isValid()) {
                        const ValueId result = *std::find_if(node.results.begin(), node.results.end(), [](ValueId id) { return id.isValid(); });
                        const TermId term = terms.values[instance.valueBase + result.index];
                        const Value& there = otherTree.value(FlatValueId(others.at(term.index)));
                        relation.reason = "computes what is " + std::string(there.constant ? "the constant" : "the input") + " '" + there.name +
                                          "' " + (isReference ? "in the rewritten graph" : "in the reference");
                    }
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
                                if (relation.reason == SameOp) {
                                    relation.reason =
                                        operandDifference(tree, terms, FlatNodeId(instance.nodeBase + n), otherTree, otherTerms, relation.partner);
                                }
                                break;
                            }
                        }
                    }
                    if (!relation.partner.isValid()) {
                        relation.mark = NodeMark::Only;
                        relation.reason.clear(); // said below, once all partners are known
                    }
                }
                if (!terms.live[instance.nodeBase + n]) {
                    relation.mark = NodeMark::Dead;
                    relation.reason = "reaches no output";
                }
            }
        }
    };
    mark(reference, rewritten, referenceTerms, rewrittenTerms, rewrittenByTerm, rewrittenNames, out.reference, true);
    mark(rewritten, reference, rewrittenTerms, referenceTerms, referenceByTerm, referenceNames, out.rewritten, false);
    tellWhyAlone(reference, rewritten, out.reference, true);
    tellWhyAlone(rewritten, reference, out.rewritten, false);
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
