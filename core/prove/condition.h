#pragma once

#include "core/prove/condition_candidates.h"
#include "core/prove/refute.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace lemmascope {

/// What a search for a condition needs to know besides the cut pair.
struct ConditionProblem {
    const SearchProblem* search = nullptr;      ///< of the whole pair: to see whether an inner value can be as the condition asks
    const Counterexample* found = nullptr;      ///< may be null (types differ)
    std::map<std::string, IntegerRange> ranges; ///< of inputs, as declared
    std::uint64_t seed = 0;
    std::chrono::steady_clock::time_point deadline; ///< a guard: what is done is bounded by counts
    /// Proves two graphs equal within the budget of one candidate.
    std::function<bool(const std::shared_ptr<const Graph>&, const std::shared_ptr<const Graph>&)> prove;
};

/// A condition under which a refuted pair is equal: the first of `conditionCandidates` that samples do not contradict, that leaves the
/// outputs as varied as they were (an output that is the same for every input shows nothing), that some inputs satisfy, and that is
/// proved. Reads well after "equal if". Nothing when none is found.
[[nodiscard]] std::optional<std::string> findCondition(const CutPair& pair, const ConditionProblem& problem, std::stop_token stop);

} // namespace lemmascope
