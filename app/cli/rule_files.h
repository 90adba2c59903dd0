#pragma once

#include "core/match/graph_match.h"
#include "core/match/pattern.h"

#include <string>

namespace lemmascope::cli {

class Console;

struct OpenedRules {
    match::RuleFile file;
    match::Programs programs;
};

/// Reads, checks and compiles a rule file; findings of the static check go to the console. Fails with BadData where the static check fails, unless
/// `lenient`.
[[nodiscard]] Result<OpenedRules> openRules(const std::string& file, bool lenient, Console& console);

/// Warnings for operators and attributes that nothing has, the graph neither, and for patterns that no rule uses; `graph` may be null.
void tellUnknownNames(const match::RuleFile& rules, const Graph* graph, Console& console);

} // namespace lemmascope::cli
