#pragma once

#include "core/graph/infer.h"

#include <string>

namespace lemmascope::test {

/// Infers the graph of a text (graph_text.h): `f32[2,n] i64[2]{n 4}`, one per output, with its elements where known; or
/// `error: ` and the message.
[[nodiscard]] std::string inferredText(const std::string& graph, const InferOptions& options = {});
/// The same of a graph.
[[nodiscard]] std::string inferredText(const Graph& graph, const InferOptions& options = {});

} // namespace lemmascope::test
