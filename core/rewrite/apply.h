#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/rewrite/fragment.h"

#include <map>
#include <optional>
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
    std::vector<std::vector<ValueId>> now;     ///< by substitution: what `replaced` is in the new graph; invalid: it went
};

/// Names that values and nodes of a graph and of all graphs nested in it bear or bore, and new ones that are different.
class Names {
  public:
    explicit Names(const Graph& graph);
    /// `y_Relu`, or with a number behind it, for something made for `root`; for one made for y before, too.
    [[nodiscard]] std::string fresh(const std::string& root, const std::string& what);

  private:
    std::set<std::string> m_used;
    std::map<std::string, std::string> m_root; ///< of names made here
    std::map<std::string, std::size_t> m_next; ///< number to try, by name
};

/// Why the substitution would change nothing or cannot be made; nothing: it can.
[[nodiscard]] std::optional<std::string> refusal(const Graph& graph, const Substitution& substitution);

/// Makes all substitutions at once: their roots are results of different nodes, each fragment reads what stands before its root. The replaced
/// values keep their names, outputs theirs; nodes and constants that were read and are not any more go; the others keep their order, new ones
/// stand where their root stood. Linear. `before`: the graph as it was, where graphs nested in its nodes were rewritten already and read less.
[[nodiscard]] Applied applySubstitutions(const Graph& graph, const Graph& before, std::span<const Substitution> substitutions, Names& names);

} // namespace lemmascope::rewrite
