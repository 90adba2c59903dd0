#pragma once

#include "core/match/failure.h"
#include "core/match/graph_subject.h"
#include "core/match/machine.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope::match {

using Programs = std::vector<std::shared_ptr<const MatchProgram>>;

struct GraphMatchOptions {
    std::optional<TermId> at; ///< only this root
    bool misses = true;       ///< what came near is told
    bool all = false;         ///< every match at a root, not the first
    MachineOptions machine;
    std::size_t listedMisses = 10;                                     ///< of each rule, nearest first
    bool explain = false;                                              ///< with the derivations of matches and all branches of the misses listed
    std::function<void(std::size_t done, std::size_t rules)> progress; ///< called before each rule; may be empty
    std::stop_token stop;
};

/// One step of a derivation, or one failed branch, in words.
struct BranchLine {
    std::uint32_t depth = 0; ///< of nesting in the tree of alternates
    std::string text;
    Spot spot;
    bool failed = false;
    TermId term; ///< what it is about; may be invalid
};

/// A rule's match at one root, and whether it may be rewritten.
struct GraphMatch {
    std::size_t rule = 0; ///< of the programs
    TermId root;
    std::vector<Binding> bindings;
    std::vector<NodeId> nodes; ///< the matched operators, in node order
    std::optional<std::size_t> applicableCase;
    std::vector<std::string> obstacles; ///< why it may not be rewritten; empty: it may
    std::vector<BranchLine> derivation; ///< with `explain`

    [[nodiscard]] bool rewritable() const { return obstacles.empty(); }
};

/// How a rule fails at a root, told apart.
enum class MissKind : std::uint8_t {
    Structure, ///< operators, attributes, constants, repeated names
    Guard,     ///< all matched that was tried before a guard was false
    Undefined, ///< a guard reads what is not known
    Undecided  ///< the budget ran out
};

struct GraphMiss {
    std::size_t rule = 0;
    TermId root;
    MissKind kind = MissKind::Structure;
    std::uint32_t matched = 0;        ///< operators, on the branch that came furthest
    std::uint32_t total = 0;          ///< operators that this branch needs
    std::string node;                 ///< the value at which it failed
    TermId term;                      ///< likewise; invalid: none
    std::string reason;               ///< in words
    Spot spot;                        ///< in the rule file
    std::vector<Binding> held;        ///< names then bound
    std::vector<BranchLine> branches; ///< with `explain`: every branch
};

/// Roots of one rule that fail at one place for one reason.
struct MissCount {
    std::size_t rule = 0;
    Spot spot;
    FailureReason reason = FailureReason::OperatorMismatch;
    std::uint32_t roots = 0;
    TermId example;
    std::string text; ///< the example's reason
};

/// What became of one rule's roots.
struct RuleTally {
    std::size_t matches = 0; ///< all of a root count
    std::size_t barred = 0;  ///< of these, not to be rewritten
    std::size_t misses = 0;  ///< roots, undecided ones too
    std::size_t undecided = 0;
    std::size_t skipped = 0; ///< roots that have another operator
};

struct GraphMatchResult {
    std::vector<GraphMatch> matches; ///< by rule in file order, then root in node order
    std::vector<GraphMiss> misses;   ///< nearest first
    std::vector<MissCount> counts;   ///< most roots first
    std::vector<RuleTally> tallies;  ///< by rule
    std::size_t undecided = 0;       ///< rule and root pairs
    std::size_t rootsTried = 0;      ///< pairs whose root operator the rule can begin with
    std::size_t rootsSkipped = 0;    ///< the others
    std::uint64_t steps = 0;
};

/// Matches every rule at every root. Within a rule the last roots come first, so that longer matches win over shorter ones inside them;
/// a match that shares a node with an earlier one is listed as overlapping. Fails with Cancelled.
[[nodiscard]] Result<GraphMatchResult> matchGraph(const Programs& programs, const GraphSubject& subject, const GraphMatchOptions& options);

/// Whether the matched nodes may be replaced by something that gives the root's value: inner values are used and given out nowhere else, no path
/// leaves the nodes and comes back, none of them has an effect. `allResults`: so are the root's node's other results. One text for each obstacle.
[[nodiscard]] std::vector<std::string> rewriteObstacles(const GraphSubject& subject, TermId root, const std::vector<NodeId>& nodes,
                                                        bool allResults = false);

/// The failed branches of the last run as a tree: alternates, and below them what failed, furthest first among the top ones.
[[nodiscard]] std::vector<BranchLine> branchTree(const MatchProgram& program, const Subject& subject, const MatchMachine& machine);
/// What a match took: operators, names, alternates, in order.
[[nodiscard]] std::vector<BranchLine> derivation(const MatchProgram& program, const Subject& subject, const std::vector<Event>& events);

} // namespace lemmascope::match
