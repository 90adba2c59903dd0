#pragma once

#include "core/prove/verdict.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope {

/// What the solver said of lemmas in the checks of one program, so that asking one lemma again does not ask all the others.
/// An answer belongs to a text, a solver and the values wanted (ProofCache::key): it means the same in every check that states
/// that text. Unlike the cache it also holds what stayed undecided, with the limits that were not enough. Thread-safe.
class LemmaMemory {
  public:
    static constexpr std::size_t Kept = 20'000; ///< answers; past it the memory starts anew, which costs time only

    struct Answer {
        LemmaVerdict verdict = LemmaVerdict::Undecided;
        Rung rung = Rung::None;
        std::optional<Strength> strength; ///< when it holds
        std::vector<std::string> values;  ///< when it fails: of the model
        std::string reason;               ///< when it is undecided
        std::uint64_t steps = 0;          ///< limits it was asked with
        unsigned timeoutMs = 0;
        [[nodiscard]] bool isDecided() const { return verdict == LemmaVerdict::Holds || verdict == LemmaVerdict::Fails; }
        friend bool operator==(const Answer&, const Answer&) = default;
    };

    [[nodiscard]] std::optional<Answer> lookup(std::string_view key) const;
    /// A decided answer is never replaced by an undecided one. `digest`: the lemma's.
    void store(const std::string& key, const std::string& digest, const Answer& answer);
    /// The most steps that a lemma was asked with so far; 0: never.
    [[nodiscard]] std::uint64_t askedSteps(std::string_view digest) const;

  private:
    mutable std::mutex m_mutex;
    std::map<std::string, Answer, std::less<>> m_answers;
    std::map<std::string, std::uint64_t, std::less<>> m_asked; ///< by digest
};

} // namespace lemmascope
