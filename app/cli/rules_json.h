#pragma once

#include "core/ruleproof/rule_check.h"

#include <string>

namespace lemmascope::cli {

/// The result of `rules check` as resources/schema/rules.schema.json has it.
[[nodiscard]] std::string rulesJson(const ruleproof::RulesResult& result);

} // namespace lemmascope::cli
