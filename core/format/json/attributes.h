#pragma once

#include "core/format/json/scope.h"
#include "core/format/json/tensor_literal.h"

#include <vector>

namespace lemmascope::json {

/// Reads a node's `attrs` into `node`; graphs among them are appended to `graphs` for the caller to read. An integer is written
/// without point and exponent, a float with one; a list with one float in it is a list of floats. What plain JSON cannot tell
/// apart is written with its kind: {"float": "nan"}, {"floats": []}, {"ints": []}, {"strings": []}, {"graphs": []}, and
/// {"bytes": base64} for a string that is not UTF-8.
void readAttributes(const Value& attrs, Node& node, std::vector<PendingGraph>& graphs, TensorReader& tensors, Problem& problem);

} // namespace lemmascope::json
