#pragma once

#include "core/graph/groups.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace lemmascope {

/// Adjacency as one array: the neighbours of v are `to[start[v] .. start[v + 1])`.
struct Adjacency {
    std::vector<std::uint32_t> start, to;

    Adjacency() = default;
    /// Of edges given as (from, to), seen from their first end.
    Adjacency(std::size_t count, std::span<const std::array<std::uint32_t, 2>> edges);
    [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t v) const { return {to.data() + start[v], to.data() + start[v + 1]}; }
    [[nodiscard]] std::size_t size() const { return start.empty() ? 0 : start.size() - 1; }
};

/// Strongly connected components, by vertex; a vertex on no cycle is alone in its own.
[[nodiscard]] std::vector<std::uint32_t> stronglyConnected(const Adjacency& graph);

/// Both top graphs as one without cycles in which partners are a single node: reference nodes by their index, then the rewritten
/// ones that have no partner. Partners on a cycle (both sides order them differently) are two nodes.
struct MergedGraph {
    explicit MergedGraph(const GroupedPair& pair);

    [[nodiscard]] std::size_t size() const { return members.size(); }
    std::vector<std::array<std::uint32_t, 2>> members; ///< node of the reference, of the rewritten graph; NodeGroup::None: not there
    std::array<std::vector<std::uint32_t>, 2> nodeOf;  ///< by node of a side
    Adjacency readers, producers;
    std::vector<std::uint32_t> order; ///< topological
};

} // namespace lemmascope
