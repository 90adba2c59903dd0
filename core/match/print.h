#pragma once

#include "core/match/pattern.h"

#include <functional>
#include <string>

namespace lemmascope::match {

/// On one line, in the concrete syntax. `compact`: without blanks about comparisons, as reasons quote guards.
[[nodiscard]] std::string patternText(const RuleFile& file, PatternId pattern);
/// `naming` writes the names, if given.
[[nodiscard]] std::string guardText(const RuleFile& file, ExpressionId guard, bool compact,
                                    const std::function<std::string(const Name&)>& naming = {});
[[nodiscard]] std::string attributeValueText(const RuleFile& file, const AttributeValue& value);
/// `"com.microsoft":Attention:1`
[[nodiscard]] std::string operatorText(const OperatorName& op);

/// The file in its one layout: lines of at most 100 columns where that can be, comments kept before the item that holds them. What it
/// writes reads as the same rules, and is what it writes of that again.
[[nodiscard]] std::string formatRules(const RuleFile& file);

} // namespace lemmascope::match
