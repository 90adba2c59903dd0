#pragma once

#include "core/prove/refute.h"

#include <cstddef>
#include <functional>

namespace lemmascope {

/// What tells a shrinking search which candidates still differ.
struct ShrinkTests {
    std::function<bool(const Candidate&)> differs; ///< still a confirmed difference of the same kind
    std::function<bool()> late;                    ///< out of time: what is found by then stands
    std::size_t mostTests = 3'000;                 ///< by count, so that the answer does not hang on the machine
};

/// Makes a candidate that differs small: smallest sizes of symbols, fewest elements that are not the default (0, or the low end of a
/// range without 0), then simplest values (1, -1, small integers, short decimals). Tries inputs with a single element set before it
/// takes elements away from the one given (delta debugging, then one by one until none can go: 1-minimal, time permitting).
/// Every candidate it takes has passed `differs`. Integers stay in their declared ranges.
[[nodiscard]] Candidate shrinkCandidate(const SearchProblem& problem, Candidate candidate, const ShrinkTests& tests);

} // namespace lemmascope
