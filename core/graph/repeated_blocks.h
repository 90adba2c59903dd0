#pragma once

#include "core/graph/merged_graph.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace lemmascope {

/// Parts that repeat one after the other, as the layers of a transformer do: by merged node the block it is in, from 0, or
/// NodeGroup::None. Nodes whose neighbourhoods look alike and that follow on one another mark where a block begins; a node is in
/// the block whose mark is the last on the way to it. Constants that are worked on before a block reads them belong to it. Where
/// nothing repeats: all None. n log n.
[[nodiscard]] std::vector<std::uint32_t> repeatedBlocks(const GroupedPair& pair, const MergedGraph& graph, const std::stop_token& stop);

/// Digests of nodes: operator, attributes, types, and the same of their neighbours up to `radius` edges away. Nodes in the
/// same place of repeated parts have equal ones. By node of `graph`.
[[nodiscard]] std::vector<std::uint64_t> neighbourhoodDigests(const Graph& graph, int radius);

} // namespace lemmascope
