#pragma once

// Single faults of the kinds that graph optimisers are known for.

#include "core/graph/graph.h"

#include <memory>
#include <string>
#include <vector>

namespace lemmascope::mutants {

struct Mutation {
    std::string kind; ///< `wrong axis`, `swapped operands`, ...
    std::string what; ///< `Softmax 'p': axis 3, was 1`
    std::shared_ptr<const Graph> graph;
    std::vector<NodeId> faulty;       ///< nodes of `graph` that name the place: one of them should stand first in `blame`
    std::vector<std::string> dropped; ///< names of the results of a node that is gone: blamed in the reference
    /// Where only one node was changed in place: the node before and after, to find out whether it still means the same.
    NodeId changed;
};

/// Every fault that can be planted in a graph at its top level and leaves it well-typed, with outputs of the same types.
/// `graph` has declared types; the order is that of nodes, then of kinds.
[[nodiscard]] std::vector<Mutation> mutationsOf(const Graph& graph);

} // namespace lemmascope::mutants
