#pragma once

#include "core/prove/refute.h"

#include <functional>
#include <optional>
#include <utility>

namespace lemmascope {

/// What a lifting search may ask.
struct LiftTests {
    /// Both graphs in doubles, reference first; nothing where one does not run or the reference faults.
    std::function<std::optional<std::pair<Evaluation, Evaluation>>(const Candidate&)> run;
    std::function<bool(const Candidate&)> differs; ///< a confirmed difference: the search ends
    std::function<bool()> late;
};

/// Inputs at which an inner value just reaches what it is compared with, or what a solver's model says it should be (`problem.aims`):
/// random inputs hardly ever get there. One input element (or all in proportion) moves from a simple start until the inner value has passed
/// its aim, then the interval is halved down to two neighbouring numbers, and both are tried. True: `differs` said yes.
[[nodiscard]] bool liftToInputs(const SearchProblem& problem, const std::map<std::string, std::int64_t>& sizes, std::uint64_t seed,
                                const LiftTests& tests);

} // namespace lemmascope
