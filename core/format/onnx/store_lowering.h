#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <string>
#include <vector>

namespace lemmascope::onnx {

/// The graph with the part and store ops of our JSON (domain "lemmascope") written with ONNX's own; existing value ids keep
/// their meaning, nested graphs are left as they are.
///
/// - RowsAt(table, at) of `count` rows: Gather of rows at + 0, 1, ...
/// - StoreRowsAt(table, rows, at): ScatterND into those rows
/// - StoreRows(table, rows, which): ScatterND; one node per row where rows may repeat, since ScatterND leaves open which write
///   is the last. Past 16 rows, or an unknown number, one node and a note.
/// - StoreSlice(table, part): the part between slices of the table, joined axis by axis; ScatterElements where steps are not 1.
///
/// A negative `at` is out of range here but would count from the end in ONNX: where it isn't known to be 0 or more, it is
/// moved past the table, so that it stays out of range.
/// Fails with Unsupported where a type that is needed is not there (infer types first), or below opset 11.
[[nodiscard]] Result<Graph> lowerStores(const Graph& graph, std::vector<std::string>& notes);

/// True if some node of the graph itself (not of nested ones) is a part or store op.
[[nodiscard]] bool hasStores(const Graph& graph);

} // namespace lemmascope::onnx
