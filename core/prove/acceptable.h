#pragma once

#include "core/base/result.h"
#include "core/prove/check_result.h"

#include <string>
#include <utility>

namespace lemmascope {

/// What `CheckOptions::assumedEqual` needs to accept a lemma: the names of its two values, reference first. Fails with Usage and the
/// reason when that lemma cannot be accepted: it is about an access, it holds, or its values are not of the top graphs, have
/// different types, or the rewritten one is an input. (Whether a shape is computed from the value is seen by the check only.)
[[nodiscard]] Result<std::pair<std::string, std::string>> acceptablePair(const CheckResult& result, std::size_t lemma);

} // namespace lemmascope
