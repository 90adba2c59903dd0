#include "core/layout/placement.h"

#include <algorithm>
#include <array>
#include <limits>

// Compaction differs from the paper, whose classes and shifts were wrong in rare cases (the authors' erratum of 2020):
// blocks of aligned vertices form a graph with an edge to the block on the right, weighted with the separation; longest
// paths in it give the leftmost places, and a second pass moves blocks right as far as their right neighbours allow.
// Blocks never cross, so this graph has no cycle. Tests: tests/core/layout/tst_layered.cpp.

namespace lemmascope {

namespace {

constexpr std::uint32_t None = 0xFFFFFFFFU;

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

/// Vertices joined into vertical blocks: `root` is the block's first vertex, `align` the next one, cyclically.
struct Blocks {
    std::vector<std::uint32_t> root, align;
};

/// `downwards`: layers from the top, aligned with upper neighbours. `fromLeft`: the left one of two medians is tried first.
Blocks alignVertically(const ProperGraph& graph, const std::vector<bool>& conflicting, bool downwards, bool fromLeft) {
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
            if (links.empty())
                continue;
            neighbours.assign(links.begin(), links.end());
            const std::size_t first = (neighbours.size() - 1) / 2, last = neighbours.size() / 2;
            if (neighbours.size() > 1)
                std::ranges::stable_sort(neighbours, {}, [&](const ProperGraph::Link& link) { return side(link.vertex); });
            for (std::size_t m = first; m <= last && blocks.align[vertex] == vertex; ++m) {
                const ProperGraph::Link& link = neighbours[m];
                if (conflicting[link.segment] || side(link.vertex) <= reached)
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

struct Spacing {
    const ProperGraph& graph;
    const std::vector<double>& width;
    double nodeGap;
    double virtualGap;

    /// Least distance of two neighbours' centres.
    [[nodiscard]] double between(std::uint32_t a, std::uint32_t b) const {
        const double gap = ((graph.isVirtual(a) ? virtualGap : nodeGap) + (graph.isVirtual(b) ? virtualGap : nodeGap)) / 2;
        return (width[a] + width[b]) / 2 + gap;
    }
};

/// Places blocks. With `fromLeft` as far left as they go and then closed up to the right; otherwise the mirror image.
std::vector<double> compact(const Spacing& spacing, const Blocks& blocks, bool fromLeft) {
    const ProperGraph& graph = spacing.graph;
    const std::size_t vertexCount = graph.vertexCount();
    const auto neighbour = [&](std::uint32_t vertex, bool onRight) {
        const std::vector<std::uint32_t>& layer = graph.layers[graph.layer[vertex]];
        const std::uint32_t p = graph.position[vertex];
        if (onRight)
            return p + 1 < layer.size() ? layer[p + 1] : None;
        return p > 0 ? layer[p - 1] : None;
    };
    const bool before = !fromLeft, after = fromLeft; // which neighbour is nearer to, or farther from, the side we start at
    std::vector<std::uint32_t> pending(vertexCount, 0), order;
    for (std::uint32_t v = 0; v < vertexCount; ++v)
        if (neighbour(v, before) != None)
            ++pending[blocks.root[v]];
    for (std::uint32_t v = 0; v < vertexCount; ++v)
        if (blocks.root[v] == v && pending[v] == 0)
            order.push_back(v);

    std::vector<double> place(vertexCount, 0.0); // by root; distance from the side we start at
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::uint32_t member = order[i];
        do {
            if (const std::uint32_t next = neighbour(member, after); next != None) {
                const std::uint32_t nextRoot = blocks.root[next];
                place[nextRoot] = std::max(place[nextRoot], place[order[i]] + spacing.between(member, next));
                if (--pending[nextRoot] == 0)
                    order.push_back(nextRoot);
            }
            member = blocks.align[member];
        } while (member != order[i]);
    }
    for (auto root = order.rbegin(); root != order.rend(); ++root) {
        double room = std::numeric_limits<double>::infinity();
        std::uint32_t member = *root;
        do {
            if (const std::uint32_t next = neighbour(member, after); next != None)
                room = std::min(room, place[blocks.root[next]] - spacing.between(member, next));
            member = blocks.align[member];
        } while (member != *root);
        if (room != std::numeric_limits<double>::infinity())
            place[*root] = std::max(place[*root], room);
    }
    std::vector<double> x(vertexCount);
    for (std::uint32_t v = 0; v < vertexCount; ++v)
        x[v] = fromLeft ? place[blocks.root[v]] : -place[blocks.root[v]];
    return x;
}

struct Extent {
    double left = std::numeric_limits<double>::infinity();
    double right = -std::numeric_limits<double>::infinity();
    [[nodiscard]] double size() const { return right - left; }
};

Extent extentOf(const std::vector<double>& x, const std::vector<double>& width) {
    Extent extent;
    for (std::size_t v = 0; v < x.size(); ++v) {
        extent.left = std::min(extent.left, x[v] - width[v] / 2);
        extent.right = std::max(extent.right, x[v] + width[v] / 2);
    }
    return extent;
}

} // namespace

std::vector<double> horizontalPlacement(const ProperGraph& graph, const std::vector<double>& width, double nodeGap, double virtualGap,
                                        const std::stop_token& stop) {
    const std::size_t vertexCount = graph.vertexCount();
    const std::vector<bool> conflicting = conflictingSegments(graph);
    const Spacing spacing{graph, width, nodeGap, virtualGap};
    std::array<std::vector<double>, 4> candidates;
    std::array<Extent, 4> extents;
    for (std::size_t i = 0; i < 4; ++i) {
        if (stop.stop_requested())
            return std::vector<double>(vertexCount, 0.0);
        const bool fromLeft = i % 2 == 0;
        candidates[i] = compact(spacing, alignVertically(graph, conflicting, i < 2, fromLeft), fromLeft);
        extents[i] = extentOf(candidates[i], width);
    }
    // All four are moved into the narrowest one's extent, to the side they were packed against.
    const Extent narrowest = *std::ranges::min_element(extents, {}, &Extent::size);
    for (std::size_t i = 0; i < 4; ++i) {
        const double shift = i % 2 == 0 ? narrowest.left - extents[i].left : narrowest.right - extents[i].right;
        for (double& x : candidates[i])
            x += shift;
    }
    std::vector<double> x(vertexCount);
    for (std::size_t v = 0; v < vertexCount; ++v) {
        std::array<double, 4> values{candidates[0][v], candidates[1][v], candidates[2][v], candidates[3][v]};
        std::ranges::sort(values);
        x[v] = (values[1] + values[2]) / 2;
    }
    const double left = extentOf(x, width).left;
    for (double& value : x)
        value -= left;
    return x;
}

} // namespace lemmascope
