#pragma once

#include "core/eval/evaluator.h"

#include <vector>

namespace lemmascope {

/// Softmax (or its logarithm) of one row in place. Floats: exp(x - max) / sum, each rounded as it comes. The enclosure is that of
/// 1 / (1 + sum over j != i of exp(xj - xi)), which grows in xi and falls in each xj.
template <typename S>
void softmaxRow(std::vector<S>& row, bool logarithm);
template <>
void softmaxRow(std::vector<Interval>& row, bool logarithm);

} // namespace lemmascope
