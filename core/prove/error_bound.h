#pragma once

#include "core/base/result.h"
#include "core/graph/graph_tree.h"
#include "core/prove/error_state.h"

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope {

struct RoundingRequest {
    const GraphTree* tree = nullptr; ///< types inferred, all lengths known
    /// By input of the top graph: where its elements lie. An integer or bool input without one has the range of its type.
    std::vector<std::optional<Interval>> ranges;
    /// Constants that stand for another number, and how far that may be from them (relative, each element).
    std::map<FlatValueId, double> constantErrors;
    std::uint64_t maxOperations = 20'000'000; ///< scalar operations
};

/// What is known of one float output, row-major; or why nothing is.
struct RoundedOutput {
    std::vector<Inexact> elements;
    std::string reason; ///< empty when there is a bound
};

/// An a-priori bound of the rounding of one graph, for all inputs in their ranges: how far each element that is computed node by node in
/// the declared types, in any order of summation, may be from the real value. Forward error analysis in intervals; sums and dot products
/// of n terms by n u / (1 - n u). Integer and bool outputs have no error where nothing rounded decides them.
/// Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapters 3 and 4. In the order of the graph's outputs; fails with
/// Cancelled only.
[[nodiscard]] Result<std::vector<RoundedOutput>> roundingOf(const RoundingRequest& request, std::stop_token stop);

} // namespace lemmascope
