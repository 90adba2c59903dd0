#pragma once

#include "core/base/result.h"
#include "core/match/pattern.h"

#include <string>
#include <string_view>

namespace lemmascope::match {

/// Reads a rule file. `file` is what messages call it. Fails with BadData or TooLarge at `file:line:col`: what was found, what was expected,
/// and where it is plain how to mend it. Names are not resolved but for calls: a word that a `mu` around it or a `pattern` of the file bears
/// calls that, any other is an operator (a quoted domain, "":relu, makes it one).
[[nodiscard]] Result<RuleFile> parseRules(std::string_view text, const std::string& file);

/// One pattern by itself, as the only definition of the file, without parameters; its name is `pattern`.
[[nodiscard]] Result<RuleFile> parsePattern(std::string_view text, const std::string& file);

} // namespace lemmascope::match
