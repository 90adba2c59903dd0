#pragma once

#include "core/match/graph_match.h"

#include <string>
#include <vector>

namespace lemmascope::rewrite {

/// The programs of these rules, all for an empty list. Fails with Usage for a name that the file does not have, with the nearest one.
[[nodiscard]] Result<match::Programs> selectPrograms(const match::RuleFile& file, const match::Programs& programs,
                                                     const std::vector<std::string>& rules);

} // namespace lemmascope::rewrite
