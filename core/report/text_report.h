#pragma once

#include "core/prove/check_result.h"

#include <string>

namespace lemmascope {

/// What `check` prints below the verdict line: outputs, lemmas by rung, the failing lemma, the counterexample with decimal and
/// bit patterns, values on the way, assumptions, caveats. Ends with a line break.
[[nodiscard]] std::string textReport(const CheckResult& result);

} // namespace lemmascope
