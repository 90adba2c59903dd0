#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "core/match/parser.h"
#include "core/match/print.h"
#include "core/match/static_check.h"
#include "core/report/files.h"

namespace lemmascope::cli {

namespace {

constexpr std::uintmax_t MostBytes = std::uintmax_t{1} << 24U;

Result<match::RuleFile> openRules(const std::string& file) {
    const Result<std::string> text = readFile(file, MostBytes);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return match::parseRules(*text, file);
}

std::string counted(std::size_t count, const std::string& word) { return std::to_string(count) + " " + word + (count == 1 ? "" : "s"); }

} // namespace

int rulesCheckCommand(const RulesRequest& request, Console& console) {
    constexpr int Unproved = 2;
    const Result<match::RuleFile> rules = openRules(request.file);
    if (!rules) {
        return report(console, rules.error());
    }
    const match::StaticResult checked = match::checkStatically(*rules);
    std::size_t errors = 0;
    for (const match::Finding& each : checked.findings) {
        console.note(each.text(request.file));
        errors += each.isError ? 1 : 0;
    }
    for (const match::Finding& each : match::unknownOperators(*rules)) {
        console.note(each.text(request.file));
    }
    if (errors > 0) {
        console.answer("static check: " + counted(errors, "error") + "\n");
        return exitStatus(ErrorCode::BadData);
    }
    console.answer("static check: passes: " + counted(rules->rules.size(), "rule") + ", " + counted(rules->definitions.size(), "pattern") + "\n");
    std::size_t replacing = 0;
    for (const match::Rule& each : rules->rules) {
        replacing += each.cases.empty() ? 0 : 1;
    }
    if (replacing > 0) {
        console.answer("unproved: " + counted(replacing, "rule") + " with a replacement; their proofs are not part of this version\n");
        return Unproved;
    }
    return 0;
}

int rulesFormatCommand(const RulesRequest& request, Console& console) {
    const Result<match::RuleFile> rules = openRules(request.file);
    if (!rules) {
        return report(console, rules.error());
    }
    const std::string text = match::formatRules(*rules);
    if (request.out.empty()) {
        console.answer(text);
        return 0;
    }
    const Result<void> written = writeFile(request.out, text);
    return written ? 0 : report(console, written.error());
}

} // namespace lemmascope::cli
