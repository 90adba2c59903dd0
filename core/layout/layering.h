#pragma once

#include "core/layout/layout.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace lemmascope {

/// The edges at each node, as one array: those of node v are `edges[start[v] .. start[v + 1])`, in input order.
struct EdgesByNode {
    std::vector<std::uint32_t> start;
    std::vector<std::uint32_t> edges;

    [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t node) const { return {edges.data() + start[node], edges.data() + start[node + 1]}; }
};

enum class EdgeEnd : std::uint8_t { From, To };

/// Groups the edges that are not `skipped` by one of their ends. `skipped` is empty or has one entry per edge.
[[nodiscard]] EdgesByNode edgesByNode(std::size_t nodeCount, std::span<const LayoutGraph::Edge> edges, const std::vector<bool>& skipped, EdgeEnd end);

/// Marks self edges and the edges that close a cycle in a depth-first walk from the sources in input order.
[[nodiscard]] std::vector<bool> cycleClosingEdges(std::size_t nodeCount, std::span<const LayoutGraph::Edge> edges);

/// Layer of each node: the longest path from a source; a node with `pulledDown` then moves to just above its first reader.
/// The edges not `skipped` must have no cycle.
[[nodiscard]] std::vector<std::uint32_t> longestPathLayers(const std::vector<bool>& pulledDown, std::span<const LayoutGraph::Edge> edges,
                                                           const std::vector<bool>& skipped);

/// Layers of two graphs such that partners share one. `partnerOfReference[r]` is the rewritten node that stands level with
/// r, or absent: partners that could not be kept level, because the graphs order them differently, are dropped there.
struct JointLayers {
    std::vector<std::uint32_t> reference;
    std::vector<std::uint32_t> rewritten;
    std::vector<std::optional<std::uint32_t>> partnerOfReference;
};
[[nodiscard]] JointLayers jointLayers(const LayoutGraph& reference, const std::vector<bool>& referenceSkipped, const LayoutGraph& rewritten,
                                      const std::vector<bool>& rewrittenSkipped, const std::stop_token& stop);

} // namespace lemmascope
