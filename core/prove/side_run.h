#pragma once

#include "core/base/result.h"
#include "core/eval/evaluator.h"
#include "core/prove/refute.h"

#include <stop_token>
#include <vector>

namespace lemmascope {

/// Runs one graph of a problem: on the problem's inputs (by their places in SearchProblem::inputs), widened as the problem says in
/// enclosure mode. `reference`: the run that the rewritten graph takes assumed values from; null for the reference itself.
[[nodiscard]] Result<Evaluation> runSide(const SearchProblem& problem, const Evaluation* reference, const std::vector<Tensor>& inputs,
                                         EvaluateOptions options, std::stop_token stop);

/// The two enclose no common value: whatever rounding does, the real values differ.
[[nodiscard]] bool disjoint(const Interval& a, const Interval& b);

} // namespace lemmascope
