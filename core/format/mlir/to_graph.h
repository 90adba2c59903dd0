#pragma once

#include "core/base/result.h"
#include "core/format/mlir/module.h"
#include "core/graph/graph.h"

#include <memory>
#include <string>

namespace lemmascope::ir {

/// A function on tensors as a graph of the same ops as every other: for proofs at all sizes, pictures and conversions. Dynamic sizes are
/// symbols, outputs `result0`, `result1`. Declared types only: run inferTypes for the rest. `entry`: empty, the only public function.
/// Fails with Usage (no or several entries), Unsupported, naming the first op that has no form as a graph: memory, control and tasks.
[[nodiscard]] Result<std::shared_ptr<const lemmascope::Graph>> toGraph(const Module& module, const std::string& entry = {});

} // namespace lemmascope::ir
