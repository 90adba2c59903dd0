#include "app/cli/rule_files.h"

#include "app/cli/console.h"
#include "core/match/operator_names.h"
#include "core/match/parser.h"
#include "core/match/static_check.h"
#include "core/report/rule_text.h"

namespace lemmascope::cli {

Result<OpenedRules> openRules(const std::string& file, bool lenient, Console& console) {
    const Result<std::string> text = readRules(file);
    if (!text) {
        return tl::unexpected(text.error());
    }
    Result<match::RuleFile> rules = match::parseRules(*text, file);
    if (!rules) {
        return tl::unexpected(rules.error());
    }
    const match::StaticResult checked = match::checkStatically(*rules);
    for (const match::Finding& each : checked.findings) {
        console.note(each.text(file));
    }
    if (!checked.passes() && !lenient) {
        return fail(ErrorCode::BadData, "the rules fail the static check; --lenient runs them anyway", file);
    }
    Result<match::Programs> programs = match::compileRules(*rules, checked);
    if (!programs) {
        return tl::unexpected(programs.error());
    }
    return OpenedRules{std::move(*rules), std::move(*programs)};
}

void tellUnknownNames(const match::RuleFile& rules, const Graph* graph, Console& console) {
    for (const std::vector<match::Finding>& warnings : {match::unknownNames(rules, graph), match::unusedPatterns(rules)}) {
        for (const match::Finding& each : warnings) {
            console.note(each.text(rules.file));
        }
    }
}

} // namespace lemmascope::cli
