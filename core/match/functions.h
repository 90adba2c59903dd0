#pragma once

#include "core/match/value.h"

#include <string>
#include <string_view>
#include <vector>

// Functions of numbers and lists that guards, attributes and operands of replacements may use; they mean what they mean in definitions of
// ops (resources/help/definitions.md), over what a rule knows.
namespace lemmascope::match {

[[nodiscard]] bool isFunction(std::string_view name);
[[nodiscard]] std::vector<std::string_view> functionNames();
[[nodiscard]] bool takesArguments(std::string_view name, std::size_t count);
/// `range(from, to) takes 2 arguments`
[[nodiscard]] std::string functionUse(std::string_view name);

/// Undefined where an argument is, or where the function has no value: an index out of range, a list of more than 4,096 entries.
[[nodiscard]] FactValue applyFunction(std::string_view name, const std::vector<FactValue>& arguments);

} // namespace lemmascope::match
