#include "core/layout/alignment.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace lemmascope {

namespace {

/// Segments that cross an inner segment (between two virtual vertices): the inner one, part of a long edge, stays straight.
std::vector<bool> conflictingSegments(const ProperGraph& graph) {
    std::vector<bool> conflicting(graph.segmentCount, false);
    for (std::size_t layer = 1; layer < graph.layers.size(); ++layer) {
        const std::vector<std::uint32_t>& lower = graph.layers[layer];
        const auto upperCount = static_cast<std::uint32_t>(graph.layers[layer - 1].size());
        std::uint32_t left = 0; // upper end of the last inner segment
        std::size_t next = 0;
        for (std::size_t i = 0; i < lower.size(); ++i) {
            const std::span<const ProperGraph::Link> above = graph.above(lower[i]);
            const bool inner = graph.isVirtual(lower[i]) && above.size() == 1 && graph.isVirtual(above[0].vertex);
            if (!inner && i + 1 < lower.size())
                continue;
            const std::uint32_t right = inner ? graph.position[above[0].vertex] : upperCount;
            for (; next <= i; ++next)
                for (const ProperGraph::Link& link : graph.above(lower[next]))
                    if (const std::uint32_t p = graph.position[link.vertex]; p < left || p > right)
                        conflicting[link.segment] = true;
            left = right;
        }
    }
    return conflicting;
}

/// Adds to `excluded` the segments to mere leaves (a constant above its reader, an unused result) of a vertex that has
/// weightier neighbours on that side. Were leaves aligned, the path through the graph would step sideways at each.
void excludeLeaves(const ProperGraph& graph, std::vector<bool>& excluded) {
    const auto exclude = [&](std::span<const ProperGraph::Link> links, auto&& isLeaf) {
        if (std::ranges::all_of(links, isLeaf))
            return;
        for (const ProperGraph::Link& link : links)
            if (isLeaf(link))
                excluded[link.segment] = true;
    };
    for (std::uint32_t v = 0; v < graph.vertexCount(); ++v) {
        exclude(graph.above(v), [&](const ProperGraph::Link& link) { return graph.above(link.vertex).empty(); });
        exclude(graph.below(v), [&](const ProperGraph::Link& link) { return graph.below(link.vertex).empty(); });
    }
}

} // namespace

std::vector<bool> segmentsNotToAlign(const ProperGraph& graph) {
    std::vector<bool> excluded = conflictingSegments(graph);
    excludeLeaves(graph, excluded);
    return excluded;
}

Blocks alignVertically(const ProperGraph& graph, const std::vector<bool>& excluded, bool downwards, bool fromLeft) {
    const std::size_t vertexCount = graph.vertexCount();
    Blocks blocks;
    blocks.root.resize(vertexCount);
    for (std::uint32_t v = 0; v < vertexCount; ++v)
        blocks.root[v] = v;
    blocks.align = blocks.root;
    std::vector<ProperGraph::Link> neighbours;
    const std::size_t layerCount = graph.layers.size();
    for (std::size_t step = 1; step < layerCount; ++step) {
        const std::vector<std::uint32_t>& vertices = graph.layers[downwards ? step : layerCount - 1 - step];
        // Positions as seen from the side we come from, so that one comparison serves both.
        const auto side = [&](std::uint32_t vertex) {
            const auto p = static_cast<std::int64_t>(graph.position[vertex]);
            return fromLeft ? p : -p;
        };
        std::int64_t reached = std::numeric_limits<std::int64_t>::min();
        for (std::size_t k = 0; k < vertices.size(); ++k) {
            const std::uint32_t vertex = fromLeft ? vertices[k] : vertices[vertices.size() - 1 - k];
            const std::span<const ProperGraph::Link> links = downwards ? graph.above(vertex) : graph.below(vertex);
            neighbours.clear();
            std::ranges::copy_if(links, std::back_inserter(neighbours), [&](const ProperGraph::Link& link) { return !excluded[link.segment]; });
            if (neighbours.empty())
                continue;
            const std::size_t first = (neighbours.size() - 1) / 2, last = neighbours.size() / 2;
            if (neighbours.size() > 1)
                std::ranges::stable_sort(neighbours, {}, [&](const ProperGraph::Link& link) { return side(link.vertex); });
            for (std::size_t m = first; m <= last && blocks.align[vertex] == vertex; ++m) {
                const ProperGraph::Link& link = neighbours[m];
                if (side(link.vertex) <= reached)
                    continue;
                blocks.align[link.vertex] = vertex;
                blocks.root[vertex] = blocks.root[link.vertex];
                blocks.align[vertex] = blocks.root[vertex];
                reached = side(link.vertex);
            }
        }
    }
    return blocks;
}

} // namespace lemmascope
