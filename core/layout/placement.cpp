#include "core/layout/placement.h"

#include "core/layout/alignment.h"
#include "core/layout/relaxation.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>

// Compaction differs from the paper, whose classes and shifts were wrong in rare cases (the authors' erratum of 2020):
// blocks of aligned vertices form a graph with an edge to the block on the right, weighted with the separation; longest
// paths in it give the leftmost places, and a second pass moves blocks right as far as their right neighbours allow.
// Blocks never cross, so this graph has no cycle. Tests: tests/core/layout/tst_layered.cpp.

namespace lemmascope {

namespace {

constexpr std::uint32_t None = 0xFFFFFFFFU;

// Blocks that lean on each other like a staircase can make a layout many times wider than any of its layers; beyond this
// the other method is narrower and shorter in its edges.
constexpr double WidthAllowed = 2.0;
constexpr double WidthAlwaysAllowed = 400.0;

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

/// Width of the layer that is widest when packed: no layout is narrower.
double widestLayer(const Spacing& spacing) {
    double widest = 0.0;
    for (const std::vector<std::uint32_t>& layer : spacing.graph.layers) {
        double width = 0.0;
        for (std::size_t i = 1; i < layer.size(); ++i)
            width += spacing.between(layer[i - 1], layer[i]);
        widest = std::max(widest, width);
    }
    return widest;
}

/// The candidates that are not much wider than the narrowest, moved into its extent, to the side they were packed
/// against; then the middle value of each vertex (the mean of two middle ones). Order and distances within layers hold
/// in the result because they hold in each candidate.
std::vector<double> middleOf(std::array<std::vector<double>, 4>& candidates, const std::array<Extent, 4>& extents, const Extent& narrowest) {
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < 4; ++i) {
        if (extents[i].size() > 1.5 * narrowest.size())
            continue;
        used.push_back(i);
        const double shift = i % 2 == 0 ? narrowest.left - extents[i].left : narrowest.right - extents[i].right;
        for (double& x : candidates[i])
            x += shift;
    }
    std::vector<double> middle(candidates[0].size());
    std::array<double, 4> values{};
    for (std::size_t v = 0; v < middle.size(); ++v) {
        for (std::size_t k = 0; k < used.size(); ++k)
            values[k] = candidates[used[k]][v];
        std::sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(used.size()));
        middle[v] = (values[(used.size() - 1) / 2] + values[used.size() / 2]) / 2;
    }
    return middle;
}

/// Moves vertices that only hang on others (none of their segments takes part in alignment) towards those, as far as
/// their neighbours in the layer allow.
void gatherLeaves(const Spacing& spacing, const std::vector<bool>& excluded, std::vector<double>& x) {
    const ProperGraph& graph = spacing.graph;
    const auto wish = [&](std::uint32_t vertex) -> std::optional<double> {
        double sum = 0.0;
        std::size_t count = 0;
        for (const std::span<const ProperGraph::Link> links : {graph.above(vertex), graph.below(vertex)})
            for (const ProperGraph::Link& link : links) {
                if (!excluded[link.segment] || graph.isVirtual(vertex))
                    return std::nullopt;
                sum += x[link.vertex];
                ++count;
            }
        return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
    };
    for (const std::vector<std::uint32_t>& layer : graph.layers) {
        const auto gather = [&](std::size_t i) {
            const std::uint32_t vertex = layer[i];
            const std::optional<double> target = wish(vertex);
            if (!target)
                return;
            double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
            if (i > 0)
                low = std::min(x[vertex], x[layer[i - 1]] + spacing.between(layer[i - 1], vertex));
            if (i + 1 < layer.size())
                high = std::max(x[vertex], x[layer[i + 1]] - spacing.between(vertex, layer[i + 1]));
            x[vertex] = std::clamp(*target, low, high);
        };
        for (std::size_t i = 0; i < layer.size(); ++i)
            gather(i);
        for (std::size_t i = layer.size(); i-- > 0;)
            gather(i);
    }
}

} // namespace

std::vector<double> horizontalPlacement(const ProperGraph& graph, const std::vector<double>& width, double nodeGap, double virtualGap,
                                        const std::stop_token& stop) {
    const std::size_t vertexCount = graph.vertexCount();
    const std::vector<bool> excluded = segmentsNotToAlign(graph);
    const Spacing spacing{graph, width, nodeGap, virtualGap};
    std::array<std::vector<double>, 4> candidates;
    std::array<Extent, 4> extents;
    for (std::size_t i = 0; i < 4; ++i) {
        if (stop.stop_requested())
            return std::vector<double>(vertexCount, 0.0);
        const bool fromLeft = i % 2 == 0;
        candidates[i] = compact(spacing, alignVertically(graph, excluded, i < 2, fromLeft), fromLeft);
        extents[i] = extentOf(candidates[i], width);
    }
    const Extent narrowest = *std::ranges::min_element(extents, {}, &Extent::size);
    std::vector<double> x;
    if (narrowest.size() <= WidthAllowed * widestLayer(spacing) + WidthAlwaysAllowed)
        x = middleOf(candidates, extents, narrowest);
    else
        x = relaxedPlacement(spacing, alignVertically(graph, excluded, true, true), stop);
    gatherLeaves(spacing, excluded, x);
    const double left = extentOf(x, width).left;
    for (double& value : x)
        value -= left;
    return x;
}

} // namespace lemmascope
