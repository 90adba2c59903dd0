#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace lemmascope::match {

/// A rule file that comes with the program: a file of resources/rules, compiled in.
struct LibraryRules {
    std::string_view name; ///< `attention`; written `@attention` where a rule file is asked for
    std::string_view text;
    /// What its first comment says, up to the first full stop.
    [[nodiscard]] std::string summary() const;
};

/// In the order in which `@all` takes them.
[[nodiscard]] const std::vector<LibraryRules>& ruleLibrary();

/// Whether the word names rules of the library instead of a file: it begins with @.
[[nodiscard]] bool isLibraryName(std::string_view word);

/// The text of `@attention`; of `@all`, all files that have replacements, one behind the other. Fails with NotFound, naming the nearest.
[[nodiscard]] Result<std::string> libraryRules(std::string_view word);

} // namespace lemmascope::match
