#pragma once

#include "core/base/result.h"
#include "core/worker/solver.h"

#include <string>

namespace lemmascope {

/// Asks Z3 in this process; worker side only. Each question has a context of its own (under 1 ms), so the answer depends
/// on nothing asked before. Limits are the solver's own parameters. A model's values are what Z3 prints for them, on one
/// line, with unconstrained constants completed.
/// Fails with Internal when the script or a wanted term does not parse, with the parser's message.
[[nodiscard]] Result<SolverAnswer> solveWithZ3(const SolverRequest& request);

/// `z3 4.8.12`.
[[nodiscard]] std::string z3Version();

} // namespace lemmascope
