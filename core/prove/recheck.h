#pragma once

#include "core/prove/check.h"

#include <memory>
#include <stop_token>
#include <string>

namespace lemmascope {

/// A lemma to ask again with more, of a pair that was checked before.
struct RecheckRequest {
    std::string digest;          ///< of the lemma; empty: it has no text, so only the rest of the check is done again
    bool counterexample = false; ///< also look longer for inputs on which the graphs differ
    friend bool operator==(const RecheckRequest&, const RecheckRequest&) = default;
};

/// Steps that a lemma gets when it is asked again: so many times those of the last time.
inline constexpr std::uint64_t RecheckFactor = 5;
inline constexpr std::uint64_t MostRecheckSteps = 100'000'000'000;
/// How many times longer `counterexample` looks.
inline constexpr double CounterexampleEffort = 8.0;

/// Checks the pair again: the lemma with `digest` is asked with more steps and as much time as the check has, every other one is
/// answered from `services.memory` and the cache where it was asked with these limits before, also where it stayed undecided.
/// It is a whole check with the same conclusions: what it proves, a check with larger limits proves. Without a memory it is
/// `check` with more for one lemma. Fails as `check` does.
[[nodiscard]] Result<CheckResult> recheck(std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten,
                                          const RecheckRequest& request, const CheckOptions& options, const CheckServices& services,
                                          std::stop_token stop = {});

} // namespace lemmascope
