#pragma once

#include "core/report/outcome.h"

#include <string>
#include <vector>

namespace lemmascope {

/// The pairs that are not proved as wanted as SARIF 2.1.0 results (one rule per verdict), located at the rewritten file and,
/// as logical locations, at the blamed nodes. Refuted is an error, unproved and undecided are warnings.
[[nodiscard]] std::string sarifJson(const std::vector<PairReport>& pairs);

} // namespace lemmascope
