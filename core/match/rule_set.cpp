// Tests: tests/core/match/tst_match_stepper.cpp.
#include "core/match/rule_set.h"

#include "core/match/operator_names.h"
#include "core/match/parser.h"

#include <algorithm>
#include <charconv>

namespace lemmascope::match {

bool RuleSet::passes() const {
    return std::none_of(findings.begin(), findings.end(), [](const Finding& each) { return each.isError; });
}

std::optional<std::size_t> RuleSet::find(const std::string& rule) const {
    const auto at = std::find_if(programs.begin(), programs.end(), [&rule](const auto& each) { return each->rule == rule; });
    return at == programs.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - programs.begin()));
}

Result<RuleSet> readRuleSet(std::string text, const std::string& file) {
    Result<RuleFile> rules = parseRules(text, file);
    if (!rules) {
        return tl::unexpected(std::move(rules.error()));
    }
    RuleSet out;
    const StaticResult checked = checkStatically(*rules);
    out.findings = checked.findings;
    for (const std::vector<Finding>& warnings : {unknownNames(*rules), unusedPatterns(*rules)}) {
        out.findings.insert(out.findings.end(), warnings.begin(), warnings.end());
    }
    if (checked.passes()) {
        auto programs = compileRules(*rules, checked);
        if (!programs) {
            return tl::unexpected(std::move(programs.error()));
        }
        out.programs = std::move(*programs);
    }
    out.text = std::move(text);
    out.file = std::make_shared<const RuleFile>(std::move(*rules));
    return out;
}

std::optional<Spot> spotOf(const Error& error) {
    const std::string& where = error.where;
    const std::size_t second = where.rfind(':');
    const std::size_t first = second == std::string::npos || second == 0 ? std::string::npos : where.rfind(':', second - 1);
    if (first == std::string::npos) {
        return std::nullopt;
    }
    Spot spot;
    const auto read = [&where](std::size_t from, std::size_t to, std::uint32_t& into) {
        const auto [end, code] = std::from_chars(where.data() + from, where.data() + to, into);
        return code == std::errc() && end == where.data() + to && from < to;
    };
    if (!read(first + 1, second, spot.line) || !read(second + 1, where.size(), spot.column)) {
        return std::nullopt;
    }
    return spot;
}

} // namespace lemmascope::match
