#pragma once

#include "core/prove/verdict.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace lemmascope {

/// A lemma's verdict as the cache and the pins keep it.
struct StoredDecision {
    LemmaVerdict verdict = LemmaVerdict::Holds;
    Rung rung = Rung::None;
    std::optional<Strength> strength;
};

/// From the fields of a file: names as `name` gives them; an empty `strength` stands for none. Absent if a field says
/// nothing known, or a lemma holds without a strength.
[[nodiscard]] std::optional<StoredDecision> storedDecision(std::string_view verdict, std::uint64_t rung, std::string_view strength);

} // namespace lemmascope
