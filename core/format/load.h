#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <filesystem>
#include <memory>
#include <stop_token>

namespace lemmascope {

/// Reads a graph file of any format we know (JSON, ONNX; MLIR where it is a function on tensors), decided by content first and the name second.
/// Declared types only: run inferTypes for the rest. Fails with NotFound, BadData, TooLarge, Unsupported: the message says what was found
/// ("looks like an HTML page, not a model: download it again") and what to do. Never loads code; never leaves the model's folder.
[[nodiscard]] Result<std::shared_ptr<const Graph>> loadGraph(const std::filesystem::path& path, std::stop_token stop = {});

/// Writes by the name's ending: .lsg.json, .onnx. Written to a temporary name first, then renamed. `notes` collects what the
/// format could not hold.
[[nodiscard]] Result<void> saveGraph(const Graph& graph, const std::filesystem::path& path, std::vector<std::string>& notes);

} // namespace lemmascope
