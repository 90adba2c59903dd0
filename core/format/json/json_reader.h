#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string_view>

namespace lemmascope {

/// Reads a graph in our JSON format (resources/schema/graph.schema.json). Declared types only: inference fills the rest. Parts that
/// are read in place and results that land in tables become nodes (core/format/json/forms.h); tables that start as inputs become
/// inputs after the others, tables that start as zeros become constants; an output that is a table has the table's name
/// (Graph::outputName). `file` names the text in errors, and its folder is the only one where constants' files may lie; may be empty.
///
/// Fails with BadData, TooLarge or Cancelled; Error::where is `file:line:col`, the message `node 'Relu' (nodes[1]): operand 'q':
/// unknown name; define it before this node`.
[[nodiscard]] Result<std::shared_ptr<const Graph>> readJsonGraph(std::string_view text, const std::filesystem::path& file, std::stop_token stop = {});

} // namespace lemmascope
