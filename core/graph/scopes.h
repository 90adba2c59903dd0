#pragma once

#include "core/graph/merged_graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lemmascope {

/// Scopes that names of nodes tell: `/layer.0/attention/MatMul` is in `/layer.0`, and there in `/layer.0/attention`. Names are split
/// at slashes, or at dots where few have slashes. Scopes that tell nothing are left out: one that holds most of the graph, and one
/// that holds just what its only inner scope does.
struct ScopeTree {
    std::vector<std::string> paths;                 ///< by scope
    std::vector<std::vector<std::uint32_t>> chains; ///< by scope: the scopes around it and itself, outermost first
    std::vector<std::uint32_t> scopeOf;             ///< by merged node: its innermost scope, or NodeGroup::None
};

/// A pair's nodes go by the reference's name. Deeper than 16 scopes counts as 16.
[[nodiscard]] ScopeTree scopesOf(const GroupedPair& pair, const MergedGraph& graph);

} // namespace lemmascope
