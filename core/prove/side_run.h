#pragma once

#include "core/base/result.h"
#include "core/eval/evaluator.h"
#include "core/prove/refute.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace lemmascope {

/// Runs one graph of a problem: on the problem's inputs (by their places in SearchProblem::inputs), widened as the problem says in
/// enclosure mode. `reference`: the run that the rewritten graph takes assumed values from; null for the reference itself.
[[nodiscard]] Result<Evaluation> runSide(const SearchProblem& problem, const Evaluation* reference, const std::vector<Tensor>& inputs,
                                         EvaluateOptions options, std::stop_token stop);

/// A candidate's tensors in the order of one graph's inputs.
[[nodiscard]] std::vector<std::optional<Tensor>> inputsOf(const SearchProblem& problem, bool rewritten, const std::vector<Tensor>& inputs);

/// Options of a run of one side on a candidate: results of open ops, widening, and on the rewritten side what it is assumed to take over
/// from `reference` (null for the reference itself). Fails with Unsupported when such a value is missing there.
[[nodiscard]] Result<EvaluateOptions> sideOptions(const SearchProblem& problem, const Evaluation* reference, const Candidate& candidate,
                                                  Arithmetic arithmetic);

/// The two enclose no common value: whatever rounding does, the real values differ.
[[nodiscard]] bool disjoint(const Interval& a, const Interval& b);

} // namespace lemmascope
