#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "core/match/parser.h"
#include "core/match/print.h"
#include "core/match/rule_library.h"
#include "core/match/static_check.h"
#include "core/report/files.h"
#include "core/report/rule_text.h"

namespace lemmascope::cli {

namespace {

Result<match::RuleFile> openRules(const std::string& file) {
    const Result<std::string> text = readRules(file);
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

int rulesListCommand(const RulesRequest& request, Console& console) {
    if (request.file.empty()) {
        for (const match::LibraryRules& each : match::ruleLibrary()) {
            const std::string name = "@" + std::string(each.name);
            const Result<match::RuleFile> rules = openRules(name);
            if (!rules) {
                return report(console, rules.error());
            }
            console.answer(name + std::string(name.size() < 16 ? 16 - name.size() : 1, ' ') + counted(rules->rules.size(), "rule") + ": " +
                           each.summary() + "\n");
        }
        return 0;
    }
    const Result<match::RuleFile> rules = openRules(request.file);
    if (!rules) {
        return report(console, rules.error());
    }
    // A rule's comment speaks of those behind it too, up to the next one.
    std::string said;
    for (const match::RuleFile::Item& item : rules->items) {
        std::string comment;
        bool own = false;
        for (const match::Comment& each : item.comments) {
            // What an empty line parts from the item is about the file.
            comment = each.text.empty() ? std::string()
                                        : comment + (comment.empty() ? "" : " ") + each.text.substr(std::min<std::size_t>(2, each.text.size()));
            own = own || !each.text.empty();
        }
        if (own) {
            said = item.isRule ? comment : std::string();
        }
        if (item.isRule) {
            const match::Rule& rule = rules->rules[item.index];
            console.answer(rule.name + (rule.cases.empty() ? " (matches only)" : "") + (said.empty() ? "" : ": " + said) + "\n");
        }
    }
    return 0;
}

} // namespace lemmascope::cli
