#pragma once

#include "core/eval/evaluator.h"

#include <string>
#include <vector>

namespace lemmascope::eval_test {

/// `f32[2,3] 1 2 3 4 5 6`, `i64[] 7`, `bool[0]`; floats may be nan, inf, -inf, -0.
[[nodiscard]] Tensor tensorOf(const std::string& text);
/// The inverse, floats with six significant digits.
[[nodiscard]] std::string textOf(const Tensor& tensor);

/// One node: `Softmax@13 axis=1; f32[1,2] 0 0; -; ...`: op (with a domain as in `com.microsoft.Gelu@1`), attributes
/// (integers; floats with a point or exponent; lists in brackets; anything else a string), operands (`-`: omitted).
struct OneNode {
    std::shared_ptr<const Graph> graph; ///< inputs are the operands, outputs the results
    std::vector<std::optional<Tensor>> inputs;
};
[[nodiscard]] OneNode nodeOf(const std::string& text, std::size_t resultCount = 1);

/// Results in declared arithmetic, joined by ` | `; `fault`, `open`, `absent` or the error's message where there are none.
[[nodiscard]] std::string resultsOf(const std::string& text, std::size_t resultCount = 1);

/// Runs the node in all three arithmetics and returns what is wrong: a result in double that is outside the enclosure of the
/// points, or a result in declared types or double outside the widened one. Empty when all is well.
[[nodiscard]] std::string enclosureComplaint(const GraphTree& tree, const std::vector<std::optional<Tensor>>& inputs, EvaluateOptions options = {});

} // namespace lemmascope::eval_test
