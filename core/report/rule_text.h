#pragma once

#include "core/base/result.h"

#include <string>

namespace lemmascope {

/// Largest rule file that is read, in bytes.
constexpr std::uintmax_t MostRuleBytes = std::uintmax_t{1} << 24U;

/// The text of a rule file, or of rules of the library: `@attention`, `@all` (core/match/rule_library.h). Fails with NotFound, TooLarge, or BadData
/// for a folder or a graph, by its ending.
[[nodiscard]] Result<std::string> readRules(const std::string& fileOrName);

} // namespace lemmascope
