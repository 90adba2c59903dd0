#pragma once

#include "core/prove/check_result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lemmascope {

/// One place where the graphs were rewritten, with the lemmas that speak of it.
struct LemmaRegion {
    std::string name;                  ///< the scope its nodes share (`encoder/attn`), else its first nodes (`scaled, weights +3`); never empty
    std::vector<std::uint32_t> lemmas; ///< ascending indices into CheckResult::lemmas
    friend bool operator==(const LemmaRegion&, const LemmaRegion&) = default;
};

/// Every lemma in exactly one region, regions in the order of their first lemma. A lemma speaks of the nodes between its pair
/// and the pairs of other lemmas; of these count the rewritten ones: without a partner, or with one of another op, other
/// attributes or operands. Lemmas whose rewritten nodes overlap, or touch along an edge, form one region. A lemma that only
/// follows from rewritten nodes further up belongs to the nearest region there.
[[nodiscard]] std::vector<LemmaRegion> lemmaRegions(const CheckResult& result);

} // namespace lemmascope
