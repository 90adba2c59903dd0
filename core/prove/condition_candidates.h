#pragma once

#include "core/graph/dim.h"
#include "core/prove/cut_pair.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lemmascope {

/// A condition under which a pair may be equal, and the pair that it makes: for a condition on values, the sources are computed
/// from new inputs in such a way that exactly the values that satisfy it are reached (`Abs` of anything is what is >= 0); for a length or
/// an attribute, it is put in. If the changed pair is equal, the pair is equal wherever the condition holds.
struct ConditionCandidate {
    std::string text; ///< `every element of s is >= 0`; reads well after "equal if"
    /// Changes the pair; false where it does not fit.
    std::function<bool(Graph& reference, Graph& rewritten)> apply;
    std::map<std::string, std::int64_t> sizes; ///< lengths put in
    std::map<std::string, Dim> renamed;        ///< symbols put in for others
    /// The sources it speaks of, and whether these values of them (in that order) satisfy it: for values that not every tensor can be.
    std::vector<std::size_t> sources;
    std::function<bool(const std::vector<Tensor>&)> holds;
    bool fixes = false; ///< one value is left of each source
};

/// In the order in which they are to be tried, the least that is asked for first: signs, order of two values, equal elements of a
/// parameter, equal lengths, ranges of integers, fixed parameters; then attributes of the reference and of the rewritten graph; then
/// what leaves little to compare: equal values, equal elements of what the graphs work on, lengths of 1.
/// `symbols`: of the inputs, with their ranges. `factors`: what one side seems to be the other times, for numbers to try. At most `most`.
[[nodiscard]] std::vector<ConditionCandidate> conditionCandidates(const CutPair& pair, const std::map<std::string, IntegerRange>& symbols,
                                                                  const std::vector<double>& factors, std::size_t most = 500);

/// Those on attributes, and on constant operands that are attributes in other versions of an op (condition_attributes.cpp).
void addAttributeCandidates(const CutPair& pair, bool rewritten, const std::vector<double>& factors, std::size_t most,
                            std::vector<ConditionCandidate>& out);

} // namespace lemmascope
