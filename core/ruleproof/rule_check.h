#pragma once

#include "core/base/result.h"
#include "core/match/pattern.h"
#include "core/prove/check.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

// Whether rules are right: each replacement against its pattern, for every graph that the rule can match, sizes left open.
namespace lemmascope::ruleproof {

struct RuleCheckOptions {
    std::vector<std::string> rules; ///< only these, by name; empty: all
    std::size_t maxRank = 4;        ///< of values that a rule leaves open
    /// By domain; ONNX's own, where it is missing: the least from 17 on that has a rule's operators, and those that its guards tell apart.
    std::map<std::string, std::int64_t> opsets;
    Strength wanted = Strength::Rounded;
    double timeSeconds = 600.0;     ///< wall clock for all rules
    double casePartSeconds = 20.0;  ///< for one case
    std::size_t mostCases = 20'000; ///< of one rule
    std::size_t chain = 3;          ///< calls of a recursive pattern, operands of `..xs`
    std::uint64_t lemmaSteps = 20'000'000;
    std::function<void(const std::string&)> progress; ///< a line about where it stands
};

/// A graph on which the rule is wrong: the matcher finds it there, the rewriter replaces it, and the results differ.
struct RuleCounterexample {
    std::string at; ///< the case in words: `x: f32[2,3], axis = 1`
    std::shared_ptr<const Graph> matched;
    std::shared_ptr<const Graph> rewritten;
    CheckResult check; ///< refuted, with the inputs
};

struct RuleResult {
    std::string rule;
    match::Spot spot;
    bool replaces = true; ///< false: the rule only matches, there is nothing to prove
    Verdict verdict = Verdict::Undecided;
    std::optional<Strength> strength;
    std::string reason;                ///< of what is not proved
    std::size_t forms = 0;             ///< of the pattern: alternates, orders, operators
    std::size_t proved = 0;            ///< cases
    std::size_t refused = 0;           ///< cases in which the rewriter would refuse the replacement
    std::size_t open = 0;              ///< cases not proved
    std::size_t ranks[2] = {0, 0};     ///< least and greatest rank of a value that the rule leaves open, in the cases proved
    std::set<std::int64_t> opsets;     ///< of ONNX's own domain, in the cases proved
    std::set<std::string> elements;    ///< element types in the cases proved
    std::set<std::string> scope;       ///< what values attributes and constants had, in words
    std::set<std::string> assumptions; ///< definitions that the proofs lean on
    std::optional<RuleCounterexample> counterexample;

    /// `exact: fuse_gelu: 12 cases, ranks 0 to 4, f32, opset 17`, behind the verdict.
    [[nodiscard]] std::string text() const;
};

struct RulesResult {
    std::vector<RuleResult> rules;
    Verdict verdict = Verdict::Proved; ///< the worst: refuted, unproved, undecided, proved
    std::optional<Strength> strength;  ///< the weakest; none when nothing is proved, or no rule replaces anything
    double seconds = 0.0;
};

/// `file` has passed the static check. A rule is proved when every case up to the bounds that its scope tells is; it is refuted only by a graph on
/// which matcher and rewriter were run. Fails with BadData where a rule of `options.rules` is not there, with Cancelled.
[[nodiscard]] Result<RulesResult> checkRules(const match::RuleFile& file, const RuleCheckOptions& options, const CheckServices& services,
                                             std::stop_token stop = {});

/// `proved: exact`, `refuted: fuse_gelu: value: ...`, `unproved: ...`, `undecided: ...`: the first line of the command's answer.
[[nodiscard]] std::string rulesVerdictLine(const RulesResult& result);

} // namespace lemmascope::ruleproof
