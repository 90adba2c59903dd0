#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace lemmascope::match {

/// Name and text of each file of resources/rules; in a file that CMake makes.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> embeddedRules();

} // namespace lemmascope::match
