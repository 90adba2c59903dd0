#pragma once

#include "core/prove/error_rules.h"

#include <functional>

namespace lemmascope {

/// Ops that only move elements: errors move along. False: it is no such op.
[[nodiscard]] bool movementErrors(const NodeErrors& call, std::vector<ErrorTensor>& results);

/// Ops that are linear in their first operand (sums, means) or in each of two (products, convolutions), and maxima over axes. Their
/// own kernel runs on magnitudes and errors in double. False: it is no such op.
[[nodiscard]] bool linearErrors(const NodeErrors& call, std::vector<ErrorTensor>& results);

/// One number of each element as a tensor.
[[nodiscard]] Tensor tensorOf(const ErrorTensor& from, ElementType element, const std::function<double(const Inexact&)>& number);

} // namespace lemmascope
