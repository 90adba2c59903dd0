#pragma once

#include "core/base/result.h"
#include "core/prove/check_result.h"

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

/// Runs both graphs on the same tensors, in their declared types, and compares the values that are partners: a table as text.
/// The first pair that differs beyond rounding is marked: integers, bool and strings by any difference; floats by more than
/// 2^10 units in the last place of the largest element (a sign to look there, not a verdict).
/// `inputs`: by the reference's input names, all of them. Fails with Usage when one is missing, or as `evaluate`.
[[nodiscard]] Result<std::string> sideBySide(const CheckResult& result, const std::vector<std::pair<std::string, Tensor>>& inputs,
                                             std::stop_token stop);

} // namespace lemmascope
