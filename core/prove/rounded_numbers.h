#pragma once

#include "core/term/constant_match.h"
#include "core/term/expand.h"

#include <map>
#include <string>
#include <utility>

namespace lemmascope {

/// Numbers that constants are read as in one lemma, by constant and element, in any algebra.
using RoundedNumbers = std::map<std::pair<TermId, std::int64_t>, ConstantMatch::Target>;
[[nodiscard]] Expander::Constants substitution(Algebra& algebra, const RoundedNumbers& numbers);
/// `1/3`, `(1/2)^(1/2)`
[[nodiscard]] std::string textOf(const ConstantMatch::Target& target);

} // namespace lemmascope
