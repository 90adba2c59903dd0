#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/engines.h"
#include "app/cli/interrupt.h"
#include "app/cli/rule_files.h"
#include "app/cli/rules_json.h"
#include "core/match/parser.h"
#include "core/match/print.h"
#include "core/match/rule_library.h"
#include "core/match/static_check.h"
#include "core/report/bug_report.h"
#include "core/report/files.h"
#include "core/report/rule_text.h"
#include "core/report/text_report.h"
#include "core/rewrite/operators.h"
#include "core/ruleproof/rule_check.h"

#include <algorithm>
#include <filesystem>
#include <set>

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

namespace {

std::string lines(const std::string& title, const std::set<std::string>& texts) {
    std::string out;
    for (const std::string& each : texts) {
        out += "  " + title + ": " + each + "\n";
    }
    return out;
}

std::string ruleReport(const ruleproof::RuleResult& rule) {
    if (!rule.replaces) {
        return "  " + rule.text() + "\n";
    }
    std::string out = std::string(name(rule.verdict)) + ": " + rule.text() + "\n";
    if (rule.verdict != Verdict::Proved && rule.proved > 0) {
        out += "  proved: " + counted(rule.proved, "case") + "\n";
    }
    if (rule.refused > 0) {
        out += "  refused by the rewriter: " + counted(rule.refused, "case") + "\n";
    }
    out += lines("scope", rule.scope) + lines("assumption", rule.assumptions);
    return rule.counterexample ? out + textReport(rule.counterexample->check) : out;
}

Result<void> exportRules(const RulesRequest& request, const ruleproof::RulesResult& result, Engines& engines, Console& console,
                         Interrupt& interrupt) {
    for (const ruleproof::RuleResult& rule : result.rules) {
        if (!rule.counterexample) {
            continue;
        }
        BugReportOptions options;
        options.recheck = [&](std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten, const CheckOptions& again,
                              std::stop_token stop) { return check(std::move(reference), std::move(rewritten), again, engines.services(), stop); };
        const auto written =
            exportBugReport(rule.counterexample->check, std::filesystem::path(request.exportFolder) / rule.rule, options, interrupt.token());
        if (!written) {
            return tl::unexpected(written.error());
        }
        for (const std::string& note : written->notes) {
            console.note("note: " + rule.rule + ": " + note);
        }
    }
    return {};
}

int status(const ruleproof::RulesResult& result, Strength wanted) {
    constexpr int Refuted = 1;
    constexpr int Otherwise = 2;
    if (result.verdict != Verdict::Proved) {
        return result.verdict == Verdict::Refuted ? Refuted : Otherwise;
    }
    return result.strength && *result.strength > wanted ? Otherwise : 0;
}

} // namespace

int rulesCheckCommand(const RulesRequest& request, Console& console, Interrupt& interrupt) {
    const Result<match::RuleFile> rules = openRules(request.file);
    if (!rules) {
        return report(console, rules.error());
    }
    const std::optional<Strength> wanted = strengthByName(request.strength);
    if (!wanted) {
        return report(console,
                      Error{ErrorCode::Usage, "--strength: '" + request.strength + "' is none of identical, open, exact, rounded, probable", {}});
    }
    const match::StaticResult checked = match::checkStatically(*rules);
    std::size_t errors = 0;
    for (const match::Finding& each : checked.findings) {
        console.note(each.text(request.file));
        errors += each.isError ? 1 : 0;
    }
    tellUnknownNames(*rules, nullptr, console);
    for (const match::Finding& each : rewrite::checkReplacements(*rules)) {
        console.note(each.text(request.file));
        errors += each.isError ? 1 : 0;
    }
    if (errors > 0) {
        console.answer("static check: " + counted(errors, "error") + "\n");
        return exitStatus(ErrorCode::BadData);
    }
    interrupt.stopAfter(request.timeSeconds + 2.0);
    CheckRequest engineRequest;
    Engines engines(engineRequest);
    ruleproof::RuleCheckOptions options;
    options.rules = request.rules;
    options.maxRank = request.maxRank;
    if (request.opset > 0) {
        options.opsets[""] = request.opset;
    }
    options.wanted = *wanted;
    options.timeSeconds = request.timeSeconds;
    options.progress = [&](const std::string& line) { console.progress(line); };
    const Result<ruleproof::RulesResult> result = ruleproof::checkRules(*rules, options, engines.services(), interrupt.token());
    if (!result) {
        return report(console, result.error());
    }
    if (std::any_of(result->rules.begin(), result->rules.end(), [](const ruleproof::RuleResult& each) { return each.replaces; })) {
        console.answer(ruleproof::rulesVerdictLine(*result) + "\n");
        for (const ruleproof::RuleResult& each : result->rules) {
            console.answer(ruleReport(each));
        }
    }
    if (rules->rules.empty() && rules->definitions.empty()) {
        console.note("note: " + request.file + ": there is no rule or pattern in it");
    }
    console.answer("static check: passes: " + counted(rules->rules.size(), "rule") + ", " + counted(rules->definitions.size(), "pattern") + "\n");
    Result<void> written;
    if (!request.json.empty()) {
        written = writeDocument(console, request.json, rulesJson(*result));
    }
    if (written && !request.exportFolder.empty()) {
        written = exportRules(request, *result, engines, console, interrupt);
    }
    return written ? status(*result, *wanted) : report(console, written.error());
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
    if (const Result<void> written = writeFile(request.out, text); !written) {
        return report(console, written.error());
    }
    console.note("written: " + request.out);
    return 0;
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
