#pragma once

#include "core/match/graph_match.h"
#include "core/ruleproof/instance.h"
#include "core/ruleproof/open_numbers.h"
#include "core/ruleproof/rule_check.h"

#include <chrono>

// One instance of a rule: the replacement built and checked. Private to core/ruleproof.
namespace lemmascope::ruleproof {

/// What stays the same for all cases of a rule.
struct RuleContext {
    const match::RuleFile& file;
    const match::Rule& rule;
    const RuleCheckOptions& options;
    const CheckServices& services;
    std::stop_token stop;
    std::chrono::steady_clock::time_point deadline;
};

struct CaseResult {
    enum class Kind : std::uint8_t {
        NoCase,   ///< no case of the rule applies
        Refused,  ///< the rewriter would not make this replacement
        Equation, ///< it would only where two lengths are equal
        Proved,
        Refuted,
        Unproved,
        Undecided
    };
    Kind kind = Kind::Unproved;
    std::optional<std::pair<Dim, Dim>> equation;
    std::optional<Strength> strength;
    std::string reason;
    std::set<std::string> assumptions;
    std::optional<RuleCounterexample> counterexample;
};

/// Fails with Cancelled.
[[nodiscard]] Result<CaseResult> checkCase(const RuleContext& context, const Skeleton& skeleton, const Instances& instances, const Instance& instance,
                                           const InstanceGraph& built);

/// The instance in words: types of its values, attributes.
[[nodiscard]] std::string instanceText(const Skeleton& skeleton, const Instance& instance);

/// The values whose being constant the guards demand.
[[nodiscard]] std::set<std::uint32_t> demandedConstants(const match::RuleFile& file, const Skeleton& skeleton);

/// Lengths by sizes; those of symbols without one are 2, 3, ... in order.
void fixLengths(Instance& instance, const std::map<std::string, std::int64_t>& sizes);

/// A graph of the instance for matcher and rewriter: what must be constant for the rule to fire is so, with the tensors given, else zeros.
/// Null where a constant's length is open.
[[nodiscard]] std::shared_ptr<const Graph> concreteGraph(const match::RuleFile& file, const Skeleton& skeleton, const Instances& instances,
                                                         const Instance& instance, const std::map<std::string, Tensor>& inputs);

/// Runs matcher and rewriter on a graph of the instance, with these sizes and constants, and compares. Nothing when the rule does not fire there,
/// the rewriter refuses, or no difference shows. `found`: of the instance's own graphs; may have no inputs.
[[nodiscard]] Result<std::optional<RuleCounterexample>> confirmed(const RuleContext& context, const Skeleton& skeleton, const Instances& instances,
                                                                  const Instance& instance, const std::optional<Counterexample>& found);

} // namespace lemmascope::ruleproof
