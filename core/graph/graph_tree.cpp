#include "core/graph/graph_tree.h"

#include <algorithm>
#include <cassert>

namespace lemmascope {

Result<GraphTree> GraphTree::build(std::shared_ptr<const Graph> graph, std::size_t maxNodes) {
    constexpr std::uint32_t MaxDepth = 1000;
    GraphTree tree;
    tree.m_instances.push_back(GraphInstance{.graph = std::move(graph)});
    // Breadth first: the children of one node are neighbours, and the top graph's ids come first.
    for (std::size_t at = 0; at < tree.m_instances.size(); ++at) {
        tree.m_instances[at].nodeBase = static_cast<std::uint32_t>(tree.m_nodeCount);
        tree.m_instances[at].valueBase = static_cast<std::uint32_t>(tree.m_valueCount);
        const std::shared_ptr<const Graph> current = tree.m_instances[at].graph;
        const std::uint32_t depth = tree.m_instances[at].depth;
        tree.m_nodeCount += current->nodes.size();
        tree.m_valueCount += current->values.size();
        if (tree.m_nodeCount > maxNodes || depth > MaxDepth) {
            return fail(ErrorCode::TooLarge, depth > MaxDepth
                                                 ? "graphs are nested deeper than " + std::to_string(MaxDepth) + " levels"
                                                 : "the graph has more than " + std::to_string(maxNodes) + " nodes once its functions are expanded");
        }
        std::vector<std::pair<std::uint32_t, std::uint32_t>> children;
        for (std::size_t n = 0; n < current->nodes.size(); ++n) {
            const auto nested = Graph::nestedGraphs(current->nodes[n]);
            if (nested.empty()) {
                continue;
            }
            children.emplace_back(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(tree.m_instances.size()));
            for (const auto& [role, body] : nested) {
                tree.m_instances.push_back(GraphInstance{.graph = body,
                                                         .parent = static_cast<std::uint32_t>(at),
                                                         .parentNode = NodeId(n),
                                                         .role = role,
                                                         .nodeBase = 0,
                                                         .valueBase = 0,
                                                         .depth = depth + 1});
            }
        }
        tree.m_children.push_back(std::move(children));
    }
    return tree;
}

const GraphInstance& GraphTree::instanceOf(FlatNodeId id) const {
    assert(id.index < m_nodeCount);
    auto at = std::upper_bound(m_instances.begin(), m_instances.end(), id.index,
                               [](std::uint32_t index, const GraphInstance& i) { return index < i.nodeBase; });
    --at;
    while (at->graph->nodes.size() + at->nodeBase <= id.index) {
        --at; // empty graphs share a base with their successor
    }
    return *at;
}

const GraphInstance& GraphTree::instanceOf(FlatValueId id) const {
    assert(id.index < m_valueCount);
    auto at = std::upper_bound(m_instances.begin(), m_instances.end(), id.index,
                               [](std::uint32_t index, const GraphInstance& i) { return index < i.valueBase; });
    --at;
    while (at->graph->values.size() + at->valueBase <= id.index) {
        --at;
    }
    return *at;
}

const Node& GraphTree::node(FlatNodeId id) const {
    const GraphInstance& instance = instanceOf(id);
    return instance.graph->nodes[id.index - instance.nodeBase];
}

const Value& GraphTree::value(FlatValueId id) const {
    const GraphInstance& instance = instanceOf(id);
    return instance.graph->values[id.index - instance.valueBase];
}

std::vector<std::uint32_t> GraphTree::childrenOf(std::uint32_t instance, NodeId node) const {
    const auto& list = m_children.at(instance);
    const auto at = std::lower_bound(list.begin(), list.end(), node.index, [](const auto& entry, std::uint32_t n) { return entry.first < n; });
    std::vector<std::uint32_t> out;
    if (at == list.end() || at->first != node.index) {
        return out;
    }
    const std::size_t count = Graph::nestedGraphs(m_instances[instance].graph->node(node)).size();
    for (std::size_t k = 0; k < count; ++k) {
        out.push_back(at->second + static_cast<std::uint32_t>(k));
    }
    return out;
}

std::string GraphTree::path(FlatNodeId id) const {
    const GraphInstance* instance = &instanceOf(id);
    std::string out = instance->graph->displayName(NodeId(id.index - instance->nodeBase));
    while (instance->parent != Id<void>::Invalid) {
        const GraphInstance& parent = m_instances[instance->parent];
        out = parent.graph->displayName(instance->parentNode) + "/" + out;
        instance = &parent;
    }
    return out;
}

} // namespace lemmascope
