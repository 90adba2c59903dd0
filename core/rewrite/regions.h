#pragma once

#include "core/rewrite/rewriter.h"

// Parts of a graph that patterns carve out, to be handed to a code generator: each becomes a call of a function of the model.
namespace lemmascope::rewrite {

/// The nodes of one match. Regions share no node, and drawing each as one node makes no cycle.
struct Region {
    std::string rule;
    std::string name; ///< of the function: the rule's, with a number
    std::string root;
    std::vector<std::string> nodes;   ///< in graph order
    std::vector<std::string> inputs;  ///< values read from outside, in the order in which they are first read
    std::vector<std::string> outputs; ///< values read outside, or given out by the graph
};

struct RegionsResult {
    std::shared_ptr<const Graph> graph; ///< each region one node with a body: the same function of the inputs, once bodies are put in
    std::vector<Region> regions;        ///< in graph order
    std::vector<RewriteRefusal> refusals;
    std::size_t undecided = 0;
};

/// Matches of every rule of the top graph (replacements and cases play no part), rules in the order of the file and within one the last root first,
/// so that the longest chain wins; a match that shares a node with an earlier one, or would make a cycle with those before, is left out. Values
/// in the middle of a region may be read outside. Of `options`: rules, at, all, machine. Fails as rewriteGraph does.
[[nodiscard]] Result<RegionsResult> outlineRegions(const std::shared_ptr<const Graph>& graph, const match::RuleFile& file,
                                                   const match::Programs& programs, const RewriteOptions& options, std::stop_token stop = {});

} // namespace lemmascope::rewrite
