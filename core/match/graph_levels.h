#pragma once

#include "core/match/graph_match.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// The graphs that rules are matched in: the top one, and those nested in If, Loop and Scan.
namespace lemmascope::match {

struct GraphLevel {
    /// As typed. What it captures is known as it is outside: constants of the graphs around it are constants here, small tensors whose elements
    /// are known have them.
    std::shared_ptr<const Graph> graph;
    std::string scope;      ///< `If_3/then_branch`, `If_3/then_branch/Loop_1/body`; empty: the top graph
    std::size_t parent = 0; ///< index of the level that holds it; 0 for the top graph
    NodeId node;            ///< in the parent's graph
    std::string attribute;

    /// `If_3/then_branch/add_1`; the name alone in the top graph.
    [[nodiscard]] std::string placed(const std::string& name) const { return scope.empty() ? name : scope + "/" + name; }
};

/// The top graph first, each level behind its parent, at most 10,000. Bodies of fused ops and of model functions are none: what a body
/// computes is the business of who wrote the op.
[[nodiscard]] std::vector<GraphLevel> graphLevels(const std::shared_ptr<const Graph>& typed);

/// The value of that name in the level, or result 0 of the node that is called so; the name may have the scope before it.
[[nodiscard]] std::optional<TermId> rootNamed(const GraphSubject& subject, const std::string& scope, const std::string& name);
/// That no level has it, with the nearest name; without a place.
[[nodiscard]] Error unknownRoot(const std::vector<GraphLevel>& levels, const std::string& name);

/// A level as it was matched.
struct LevelMatches {
    GraphLevel level;
    std::shared_ptr<const GraphSubject> subject;
    GraphMatchResult result;
};

/// A miss or a count, and the level that it is of.
template <typename T>
struct OfLevel {
    std::size_t level = 0; ///< of `MatchedLevels::levels`
    T told;
};

struct MatchedLevels {
    std::vector<LevelMatches> levels;       ///< those looked into: one for each graph
    std::vector<OfLevel<GraphMiss>> misses; ///< of all levels, nearest first, at most `listedMisses` of a rule
    std::vector<OfLevel<MissCount>> counts; ///< of all levels, added up by rule, place and reason; most roots first
    std::size_t undecided = 0;
    std::size_t rootsTried = 0;
    std::size_t rootsSkipped = 0;
};

/// matchGraph in every level. `at`: only at the root of that name, in the levels that have it; empty: all roots. Fails with Usage where no level has
/// it, and as matchGraph does.
[[nodiscard]] Result<MatchedLevels> matchLevels(const Programs& programs, const std::shared_ptr<const Graph>& typed, const std::string& at,
                                                const GraphMatchOptions& options);

} // namespace lemmascope::match
