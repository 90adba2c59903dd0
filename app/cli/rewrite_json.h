#pragma once

#include "core/prove/check_result.h"
#include "core/rewrite/regions.h"
#include "core/rewrite/rewriter.h"

#include <optional>
#include <string>
#include <vector>

namespace lemmascope::cli {

/// What `rewrite --check` found of one pair: the whole, a step, or a rule over its steps.
struct StepVerdict {
    Verdict verdict = Verdict::Undecided;
    std::optional<Strength> strength;
    std::string reason; ///< empty when proved
    std::string line;   ///< as `check` prints it
};

/// A rule's replacements; with --check the weakest verdict of its steps.
struct RuleSummary {
    std::string rule;
    std::size_t applications = 0;
    std::optional<StepVerdict> verdict;
};

struct RewriteReport {
    const rewrite::RewriteResult* result = nullptr;  ///< or
    const rewrite::RegionsResult* regions = nullptr; ///< with --regions
    std::vector<RuleSummary> rules;
    std::vector<StepVerdict> steps; ///< of the result's steps
    const CheckResult* whole = nullptr;
};

/// As resources/schema/rewrite.schema.json has it.
[[nodiscard]] std::string rewriteJson(const RewriteReport& report);

} // namespace lemmascope::cli
