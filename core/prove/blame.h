#pragma once

#include "core/prove/check_result.h"
#include "core/prove/refute.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace lemmascope {

/// Which nodes of the rewritten graph make the difference, likeliest first, at most 8 (resources/docs/decisions/blame.md).
///
/// Both graphs are run on the counterexample and on a few more inputs. A value of the rewritten graph that some value of the reference
/// equals on all of them is matched. Each unmatched node on the way to a differing output is then freed in turn: its result is replaced
/// by a value that only the reference has; where that restores every output, the node alone makes the difference. Those come first,
/// nearest to the inputs first, then nodes whose operands are all matched. `attribute` names what differs from the partner's.
///
/// A fault of the rewritten graph (an access out of range) blames its node first. Deterministic; the number of runs is limited by count.
[[nodiscard]] std::vector<Blame> blameNodes(const SearchProblem& problem, const Correspondence& correspondence, const Counterexample& found,
                                            std::uint64_t seed, std::stop_token stop);

} // namespace lemmascope
