#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <string>
#include <vector>

namespace lemmascope {

/// The graph in our JSON format, one line a node; the same graph gives the same text, and reading it gives an equal graph. Parts
/// and stores are written as the in-place forms they were read from. Constants of at most 64 elements are written as numbers,
/// others as base64. `notes` says what JSON could not hold as it was (repeated or empty names, names that are not UTF-8).
/// Fails with TooLarge for a text past 4 GB or graphs nested deeper than the reader takes.
[[nodiscard]] Result<std::string> writeJsonGraph(const Graph& graph, std::vector<std::string>& notes);

} // namespace lemmascope
