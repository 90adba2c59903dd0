#pragma once

#include "core/prove/check_result.h"
#include "core/prove/refute.h"

#include <chrono>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace lemmascope {

struct SpecialValuesRequest {
    const SearchProblem* problem = nullptr; ///< with all outputs that are to be compared
    /// What the elements that are not special are; small numbers where there is none (`--input`).
    std::optional<Candidate> base;
    std::uint64_t seed = 0;
    std::uint64_t maxOperations = 200'000'000; ///< scalar operations of one run
    std::size_t maxRuns = 400;                 ///< of both graphs
    std::chrono::steady_clock::time_point deadline;
};

/// Runs both graphs in their declared types on inputs that hold NaN, infinities, zeros of both signs, subnormals and the largest finite
/// numbers, at one element first, then at all of one input, then in several inputs at once. For each of these the first output element
/// that differs in class (NaN, an infinity and its sign, the sign of zero, finite) is one remark of kind `special-values`, which names
/// the input, the element, both results and the first pair of inner values that part; one remark says so when nothing differs or
/// nothing could be run.
/// Fails with Cancelled only.
[[nodiscard]] Result<std::vector<Remark>> trySpecialValues(const SpecialValuesRequest& request, std::stop_token stop);

} // namespace lemmascope
