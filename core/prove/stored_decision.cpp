#include "core/prove/stored_decision.h"

namespace lemmascope {

std::optional<StoredDecision> storedDecision(std::string_view verdict, std::uint64_t rung, std::string_view strength) {
    if (rung > static_cast<std::uint64_t>(Rung::SecondSolver))
        return std::nullopt;
    StoredDecision decision;
    decision.rung = static_cast<Rung>(rung);
    decision.strength = strengthByName(strength);
    if (!strength.empty() && !decision.strength)
        return std::nullopt;
    for (const LemmaVerdict candidate : {LemmaVerdict::Holds, LemmaVerdict::Fails, LemmaVerdict::Undecided, LemmaVerdict::Vacuous}) {
        decision.verdict = candidate;
        if (verdict == name(candidate))
            return candidate == LemmaVerdict::Holds && !decision.strength ? std::nullopt : std::optional(decision);
    }
    return std::nullopt;
}

} // namespace lemmascope
