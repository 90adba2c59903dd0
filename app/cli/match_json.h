#pragma once

#include "core/match/case_file.h"

#include <string>
#include <vector>

namespace lemmascope::cli {

/// `{"cases": [...]}`, as resources/schema/match.schema.json has it.
[[nodiscard]] std::string matchCasesJson(const std::vector<match::CaseResult>& results);

} // namespace lemmascope::cli
