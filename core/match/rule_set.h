#pragma once

#include "core/base/result.h"
#include "core/match/program.h"
#include "core/match/static_check.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lemmascope::match {

/// A rule file with all that was made of it. Immutable once shared.
struct RuleSet {
    std::string text;
    std::shared_ptr<const RuleFile> file;
    std::vector<Finding> findings;                             ///< of the static check, then names that are not known or not used (operator_names.h)
    std::vector<std::shared_ptr<const MatchProgram>> programs; ///< empty where the static check failed

    [[nodiscard]] bool passes() const;
    [[nodiscard]] std::optional<std::size_t> find(const std::string& rule) const;
};

/// Parses, checks and compiles. Fails as `parseRules` does; what the static check finds is in the result.
[[nodiscard]] Result<RuleSet> readRuleSet(std::string text, const std::string& file);

/// The place at the end of an error's `file:line:col`; nothing where it has none.
[[nodiscard]] std::optional<Spot> spotOf(const Error& error);

} // namespace lemmascope::match
