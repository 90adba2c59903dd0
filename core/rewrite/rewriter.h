#pragma once

#include "core/match/graph_match.h"
#include "core/match/pattern.h"
#include "core/rewrite/fragment.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// Rewrites a graph by the rules of a file, round by round, until none of them applies.
namespace lemmascope::rewrite {

struct RewriteOptions {
    std::vector<std::string> rules; ///< only these, by name; empty: all of the file
    std::string at;                 ///< only at the value or node of this name; empty: everywhere, in the graphs of If, Loop and Scan too
    bool all = false;               ///< where the first match at a root may not be replaced, its others are tried
    std::size_t maxRounds = 100;    ///< 1: once
    std::size_t maxApplications = 1'000'000;
    std::size_t maxNodes = 1'000'000; ///< of the result
    bool keepSteps = false;           ///< the graph after each rule of each round
    match::MachineOptions machine;
    FragmentOptions fragment;
};

/// One replacement that was made.
struct RewriteApplication {
    std::size_t round = 0; ///< from 1
    std::string rule;
    std::size_t caseIndex = 0;
    std::string scope;                                         ///< `If_3/then_branch`: the nested graph; empty: the top graph
    std::string root;                                          ///< the value replaced, which keeps its name
    std::vector<std::string> nodes;                            ///< that matched
    std::vector<std::pair<std::string, std::string>> bindings; ///< `?x` and what it held, as text
    std::vector<std::string> newNodes;
    std::size_t folded = 0; ///< nodes of the replacement that were computed
};

/// A match that was not replaced, and why.
struct RewriteRefusal {
    std::string rule;
    std::string scope;
    std::string root;
    std::vector<std::string> nodes;
    std::string reason;
};

/// The replacements that one rule made in one round.
struct RewriteStep {
    std::size_t round = 0;
    std::string rule;
    std::size_t count = 0;
    std::shared_ptr<const Graph> graph; ///< after them, with declared types
};

struct RewriteResult {
    std::shared_ptr<const Graph> graph;           ///< typed; the graph given, typed, when nothing applied
    std::shared_ptr<const Graph> plain;           ///< the same to be written: with the types that were declared, and of outputs that were replaced
    std::vector<RewriteApplication> applications; ///< by round, rule, scope, node
    std::vector<RewriteRefusal> refusals;         ///< of the last round that looked for matches
    std::vector<RewriteStep> steps;               ///< with `keepSteps`
    std::size_t rounds = 0;                       ///< that replaced something
    bool fixpoint = true;                         ///< nothing applies any more
    std::string stopped;                          ///< why not, naming the rules that still apply
    std::size_t undecided = 0;                    ///< rule and root pairs of the last round whose budget ran out
};

/// `graph` as read, `programs` compiled from `file`. Matches of one round overlap nowhere; they are all replaced, in the order of the rules. Bodies
/// of fused ops and of model functions are left as they are. Fails with BadData where nothing of `options.rules` or `options.at` is there or no
/// rule has a replacement, with what typing the graph gives, with TooLarge past `maxNodes`, with Cancelled.
[[nodiscard]] Result<RewriteResult> rewriteGraph(const std::shared_ptr<const Graph>& graph, const match::RuleFile& file,
                                                 const match::Programs& programs, const RewriteOptions& options, std::stop_token stop = {});

} // namespace lemmascope::rewrite
