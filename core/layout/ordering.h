#pragma once

#include "core/layout/layout.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace lemmascope {

/// A graph in layers in which every segment joins neighbouring layers: long edges run through virtual vertices, one per
/// layer passed. Vertices are the graph's nodes in their order, then the virtual ones, edge by edge.
struct ProperGraph {
    struct Link {
        std::uint32_t vertex;
        std::uint32_t segment;
    };
    std::size_t nodeCount = 0;
    std::vector<std::uint32_t> layer;               ///< by vertex
    std::vector<std::vector<std::uint32_t>> layers; ///< vertices from left to right
    std::vector<std::uint32_t> position;            ///< by vertex: index within its layer
    std::vector<std::uint32_t> firstVirtual;        ///< by edge: its first virtual vertex; the rest follow
    std::vector<std::uint32_t> firstSegment;        ///< by edge: its topmost segment; the rest follow
    std::vector<bool> stub;                         ///< by edge: takes no part in the layout
    std::size_t segmentCount = 0;
    std::vector<std::uint32_t> upStart, downStart; ///< by vertex, into `up` and `down`
    std::vector<Link> up, down;

    [[nodiscard]] std::size_t vertexCount() const { return layer.size(); }
    [[nodiscard]] bool isVirtual(std::uint32_t vertex) const { return vertex >= nodeCount; }
    [[nodiscard]] std::span<const Link> above(std::uint32_t vertex) const { return {up.data() + upStart[vertex], up.data() + upStart[vertex + 1]}; }
    [[nodiscard]] std::span<const Link> below(std::uint32_t vertex) const {
        return {down.data() + downStart[vertex], down.data() + downStart[vertex + 1]};
    }
};

/// Splits long edges. `skipped` edges and those passing more than `longestSpan` layers become stubs; the span is shortened
/// where the virtual vertices would outnumber nodes and edges several times. Layers hold nodes, then virtual vertices.
[[nodiscard]] ProperGraph properGraph(const LayoutGraph& graph, const std::vector<std::uint32_t>& layer, std::uint32_t layerCount,
                                      const std::vector<bool>& skipped, std::uint32_t longestSpan);

/// Sorts each layer by `nodeKey`, one per node, where it is known (not NaN); a vertex without one goes by its neighbours
/// above, else below. Where `reduceCrossings` starts from decides which of many good orders it finds.
void orderByKeys(ProperGraph& graph, const std::vector<double>& nodeKey);

/// Reorders each layer by barycentres, sweeping down and up a fixed number of times, and keeps the order with the fewest
/// crossings. Ties keep the order there was; so do the `held` vertices of a layer among themselves (empty: none is held).
/// Returns early, with the order so far, when stopped.
void reduceCrossings(ProperGraph& graph, const std::vector<bool>& held, const std::stop_token& stop);

/// Pairs of segments that cross.
[[nodiscard]] std::uint64_t crossingCount(const ProperGraph& graph);

} // namespace lemmascope
