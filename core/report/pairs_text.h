#pragma once

#include "core/report/outcome.h"

#include <string>
#include <vector>

namespace lemmascope {

/// What `check` prints for several pairs: the overall verdict and the first pair that is not proved as wanted on the first
/// line, then one line a pair, then the full text of that first pair. `pipeline`: pairs are called steps.
[[nodiscard]] std::string pairsText(const std::vector<PairReport>& pairs, bool pipeline);

} // namespace lemmascope
