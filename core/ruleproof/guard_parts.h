#pragma once

#include "core/ruleproof/skeleton.h"

#include <vector>

namespace lemmascope::ruleproof {

/// Appends skeletons whose guards together hold exactly where those of `whole` do: what `&` joins stands by itself, and of what `|` joins there is
/// a skeleton each, so that equations of each can be used. Guards that would become too many, or that only tell types and operators apart, stay.
void takeApartGuards(const match::RuleFile& file, Skeleton whole, std::vector<Skeleton>& out);

} // namespace lemmascope::ruleproof
