#pragma once

#include "core/layout/ordering.h"

#include <cstdint>
#include <vector>

namespace lemmascope {

/// Least distances between the centres of neighbours in a layer.
struct Spacing {
    const ProperGraph& graph;
    const std::vector<double>& width; ///< by vertex
    double nodeGap;
    double virtualGap;

    [[nodiscard]] double between(std::uint32_t a, std::uint32_t b) const {
        const double gap = ((graph.isVirtual(a) ? virtualGap : nodeGap) + (graph.isVirtual(b) ? virtualGap : nodeGap)) / 2;
        return (width[a] + width[b]) / 2 + gap;
    }
};

/// Vertices joined into vertical blocks: `root` is the block's first vertex, `align` the next one, cyclically.
struct Blocks {
    std::vector<std::uint32_t> root, align;
};

/// Segments that must not be drawn straight at the cost of others: those crossing an inner segment of a long edge, and
/// those to a mere leaf (a constant above its reader, an unused result) of a vertex with weightier neighbours on that
/// side. Were leaves aligned, the path through the graph would step sideways at each.
[[nodiscard]] std::vector<bool> segmentsNotToAlign(const ProperGraph& graph);

/// Joins vertices with a median neighbour so that blocks never cross (Brandes and Koepf, algorithm 2). `downwards`: with
/// upper neighbours, from the top; else with lower ones, from the bottom. `fromLeft`: in each layer from the left, and of
/// two medians the left one first.
[[nodiscard]] Blocks alignVertically(const ProperGraph& graph, const std::vector<bool>& excluded, bool downwards, bool fromLeft);

} // namespace lemmascope
