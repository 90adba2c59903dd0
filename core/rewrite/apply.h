#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/rewrite/fragment.h"

#include <set>
#include <span>
#include <string>
#include <vector>

namespace lemmascope::rewrite {

/// What reads `replaced[k]` is to read output k of the fragment.
struct Substitution {
    std::vector<ValueId> replaced; ///< results of one node; an invalid id: that result is read by nothing
    const Fragment* fragment = nullptr;
    std::vector<TensorType> types; ///< of what is replaced, kept where the fragment's type is not known (open ops)
};

struct Applied {
    Graph graph;                               ///< declared types only: what is replaced has none
    std::vector<std::vector<NodeId>> newNodes; ///< by substitution
};

/// Names of values and nodes of a graph and all graphs nested in it.
[[nodiscard]] std::set<std::string> namesOf(const Graph& graph);

/// Why the substitution would change nothing or cannot be made; nothing: it can.
[[nodiscard]] std::optional<std::string> refusal(const Graph& graph, const Substitution& substitution);

/// Makes all substitutions at once: their roots are results of different nodes, each fragment reads what stands before its root. The replaced
/// values keep their names, outputs theirs; nodes and constants that were read and are not any more go; the others keep their order, new ones
/// stand where their root stood. New names are made from the root's, different from all in `names`, to which they are added. Linear.
[[nodiscard]] Applied applySubstitutions(const Graph& graph, std::span<const Substitution> substitutions, std::set<std::string>& names);

} // namespace lemmascope::rewrite
