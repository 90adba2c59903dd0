#pragma once

#include "core/report/outcome.h"

#include <string>
#include <vector>

namespace lemmascope {

/// The result of one check as a JSON document with a final line break (resources/help/formats.md): keys in a fixed order, the same bytes
/// for the same result but for `times` and `tool`.
[[nodiscard]] std::string resultJson(const CheckResult& result);

/// The fields of that object, each on a line of its own at `depth`, without the braces: for the `pairs` form.
[[nodiscard]] std::string resultFields(const CheckResult& result, std::size_t depth);

/// A pipeline or a list of pairs: `format`, `version`, `verdict`, `first`, `pairs`. A pair that could not be checked has the
/// verdict null and an `error`.
[[nodiscard]] std::string pairsJson(const std::vector<PairReport>& pairs);

} // namespace lemmascope
