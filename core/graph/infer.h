#pragma once

#include "core/base/result.h"
#include "core/graph/dim_order.h"
#include "core/graph/graph.h"

#include <map>
#include <memory>
#include <stop_token>
#include <string>

namespace lemmascope {

struct InferOptions {
    std::map<std::string, std::int64_t> sizes; ///< symbols replaced by these lengths
    std::map<std::string, Dim> renamed;        ///< symbols replaced by Dims (to unify the two graphs' symbols)
    /// What the ops ask of lengths that are not known is added there; null: not wanted.
    std::vector<DimQuestion>* questions = nullptr;
};

/// Types of every value, nested graphs included, from inputs and constants forward; `Value::elements` of shape arithmetic.
/// Where an op's rule gives less than the file declares, the declared type fills in (checked for conflicts: a declared type that
/// contradicts the inferred one is a note, the inferred one stands). A length that only data decides becomes a symbol `?` plus
/// a digest of the producing subgraph, so that equal computations in two graphs have equal unknowns.
/// A branch of an If that need not be taken may be ill-typed at these sizes: a note, and the other branch gives the types. Where the
/// branches give different ranks, what reads them is inferred with each: if it runs with one of them only, that branch is required
/// (Graph::requiredBranches), a note says so, and its types stand: they hold whenever the graph runs.
/// Fails with ShapeMismatch, TooLarge or Cancelled: `node 'Conv_3': attribute 'pads' has 3 values, expected 4` (Error::where is the caller's).
/// Source: the shape rules of the ONNX operator documents at each opset.
[[nodiscard]] Result<std::shared_ptr<const Graph>> inferTypes(const Graph& graph, const InferOptions& options = {}, std::stop_token stop = {});

} // namespace lemmascope
