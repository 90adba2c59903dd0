#pragma once

#include "core/match/case_file.h"
#include "core/match/graph_levels.h"

#include <string>
#include <vector>

namespace lemmascope::cli {

/// `{"cases": [...]}`, as resources/schema/match.schema.json has it.
[[nodiscard]] std::string matchCasesJson(const std::vector<match::CaseResult>& results);

/// Matches, misses and what roots fail at, in the same schema.
[[nodiscard]] std::string matchGraphJson(const match::Programs& programs, const match::MatchedLevels& result);

} // namespace lemmascope::cli
