#pragma once

#include "core/base/result.h"
#include "core/layout/layout.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lemmascope {

/// Part of a graph around some nodes, as a graph of its own to lay out, and what was cut off.
struct Neighbourhood {
    LayoutGraph graph;                ///< the chosen nodes, in the order of the whole graph, and all edges among them
    std::vector<std::uint32_t> nodes; ///< by node of `graph`: its number in the whole graph
    std::vector<std::uint32_t> edges; ///< by edge of `graph`: its number in the whole graph
    std::vector<std::uint32_t> hops;  ///< by node of `graph`: distance from the focus, 0 within it
    struct Boundary {
        std::uint32_t hiddenSources = 0; ///< edges from nodes that are not shown
        std::uint32_t hiddenTargets = 0; ///< edges to nodes that are not shown
        friend bool operator==(const Boundary&, const Boundary&) = default;
    };
    std::vector<Boundary> boundary; ///< by node of `graph`
    std::size_t hiddenNodes = 0;    ///< nodes of the whole graph that are not shown
    bool limited = false;           ///< `mostNodes` cut off nodes within `hops`
};

/// The nodes of `focus` and those within `hops` edges of one, in either direction. At most `mostNodes`: nearer ones first,
/// at one distance in the order of the whole graph. Partners are not carried over (the numbers are others).
/// Constants (`pulledDown`) beyond the focus are shown but not walked through: a table read everywhere is no neighbour.
/// Fails with BadData when `focus` or an edge names a node that does not exist.
[[nodiscard]] Result<Neighbourhood> neighbourhood(const LayoutGraph& whole, std::span<const std::uint32_t> focus, unsigned hops,
                                                  std::size_t mostNodes = 300);

} // namespace lemmascope
