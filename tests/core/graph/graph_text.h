#pragma once

// Graphs of tests as short text, one statement per line or ';':
//
//   in x f32[2,n]                      a graph input (range of a symbol: `symbol n 0 9`)
//   const s i64[2] 1 -1                a constant with its elements (none: zeros)
//   y, m = Dropout@12(x, , t) seed=1   a node: op, opset after '@' (else `opset`), operands (empty: omitted), attributes
//   y = com.microsoft::Gelu(x)         another domain
//   z = If(c) then_branch={ a = Neg(x); out a } else_branch={ out x }
//   f = fused:{ in p; q = Relu(p); out q }(x)      a node with a body
//   declare y f32[?]                   a declared type of a value made by a node
//   out y
//
// Attributes: 3, 0.5, -1e-3, text, [1,2], [1.0,2.0], i64[2]:{1 2} (a tensor), { ... } (a graph). Broken text asserts.

#include "core/graph/graph.h"

#include <memory>
#include <string>

namespace lemmascope::test {

[[nodiscard]] std::shared_ptr<const Graph> parseGraph(const std::string& text, std::int64_t opset = 17);
/// `f32[2,n]`, `f32[?]`
[[nodiscard]] TensorType parseType(const std::string& text);

} // namespace lemmascope::test
