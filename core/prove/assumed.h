#pragma once

#include "core/base/result.h"
#include "core/graph/graph_tree.h"

#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

/// A difference that the user accepts: wherever the rewritten graph reads `rewritten`, it is taken to read what the reference
/// has in `reference`. What is proved then holds for every input on which the two are equal.
struct AssumedPair {
    std::string referenceName;
    std::string rewrittenName;
    FlatValueId reference;
    FlatValueId rewritten;
    friend bool operator==(const AssumedPair&, const AssumedPair&) = default;
};

/// Finds the values that `names` speak of (reference first) among those of the top graphs, whose types are inferred; `asRead` is
/// the rewritten graph before that. Fails with BadData: a name is unknown on its side (with the nearest one), stands only in a
/// nested graph or is an input of the rewritten graph, the types differ, one rewritten value is given twice, or shapes are
/// computed from the rewritten value (then another value for it would leave the types of what follows without a meaning).
[[nodiscard]] Result<std::vector<AssumedPair>> assumedPairs(const GraphTree& reference, const GraphTree& rewritten, const Graph& asRead,
                                                            const std::vector<std::pair<std::string, std::string>>& names, std::stop_token stop = {});

/// `A=B, C=D`; empty for none.
[[nodiscard]] std::string assumedText(const std::vector<AssumedPair>& pairs);

} // namespace lemmascope
