#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <memory>
#include <string>
#include <vector>

namespace lemmascope {

using FlatNodeId = Id<struct FlatNodeTag>;   ///< a node of any nesting depth in one GraphTree
using FlatValueId = Id<struct FlatValueTag>; ///< a value of any nesting depth in one GraphTree

/// One place where a graph stands: the top graph, a fused body, or a branch or loop body at one node. A function called twice
/// has two instances, so each call's nodes and values have ids of their own.
struct GraphInstance {
    std::shared_ptr<const Graph> graph;
    std::uint32_t parent = Id<void>::Invalid; ///< instance index; Invalid for the top graph
    NodeId parentNode;                        ///< in the parent's graph
    std::string role;                         ///< "", "body", "then_branch", "else_branch", ...
    std::uint32_t nodeBase = 0;               ///< FlatNodeId of its node 0
    std::uint32_t valueBase = 0;              ///< FlatValueId of its value 0
    std::uint32_t depth = 0;
};

/// Numbers every node and value of a graph and of all graphs nested in it. Instance 0 is the top graph and starts at 0, so
/// top-level NodeId and FlatNodeId have equal indices. The numbering is fixed by the graph alone.
class GraphTree {
  public:
    /// Fails with TooLarge past `maxNodes` nodes in all, or a nesting deeper than 1,000.
    [[nodiscard]] static Result<GraphTree> build(std::shared_ptr<const Graph> graph, std::size_t maxNodes = 4'000'000);

    [[nodiscard]] const Graph& top() const { return *m_instances.front().graph; }
    [[nodiscard]] const std::shared_ptr<const Graph>& topShared() const { return m_instances.front().graph; }
    [[nodiscard]] const std::vector<GraphInstance>& instances() const { return m_instances; }
    [[nodiscard]] std::size_t nodeCount() const { return m_nodeCount; }
    [[nodiscard]] std::size_t valueCount() const { return m_valueCount; }

    [[nodiscard]] const GraphInstance& instanceOf(FlatNodeId id) const;
    [[nodiscard]] const GraphInstance& instanceOf(FlatValueId id) const;
    [[nodiscard]] const Node& node(FlatNodeId id) const;
    [[nodiscard]] const Value& value(FlatValueId id) const;
    /// Instances nested directly at a node, in the order of Graph::nestedGraphs.
    [[nodiscard]] std::vector<std::uint32_t> childrenOf(std::uint32_t instance, NodeId node) const;
    /// `encoder/attn/MatMul_3`: display names joined from the top down.
    [[nodiscard]] std::string path(FlatNodeId id) const;

  private:
    std::vector<GraphInstance> m_instances;
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> m_children; ///< per instance: (node, first child), sorted
    std::size_t m_nodeCount = 0;
    std::size_t m_valueCount = 0;
};

} // namespace lemmascope
