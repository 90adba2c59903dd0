#pragma once

#include "core/graph/graph.h"

#include <cstddef>

namespace lemmascope::ruleproof {

/// The operator takes elements of that type there, by ONNX's documents; operators that are not in the table take floats, and movements anything.
[[nodiscard]] bool takesElement(const OpId& op, std::size_t operand, ElementType type);

} // namespace lemmascope::ruleproof
