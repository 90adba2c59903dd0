#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>

namespace lemmascope {

/// Reads an ONNX model of any IR and opset version. Constant nodes and initializers become constants; calls of the model's own
/// functions get `Node::body` with attributes substituted; If, Loop and Scan bodies become nested graphs with captures; a
/// missing length becomes a fresh symbol named by value and axis (`x.0`). Nodes are sorted, stably, where the file is not.
/// Metadata `lemmascope.range.NAME` = `lo:hi` declares an input's range, `lemmascope.symbol.NAME` a symbol's.
///
/// External data is read only from regular files inside the model's folder, mapped read-only and shared where aligned.
/// Fails with NotFound, BadData, Unsupported, TooLarge, Cancelled: `where` is the path as given, the message names the place
/// in the file, what was found and how to mend it. Source: ONNX IR.md and ExternalData.md up to IR 13.
[[nodiscard]] Result<std::shared_ptr<const Graph>> readOnnxFile(const std::filesystem::path& path, std::stop_token stop = {});

/// The same for a model in memory; `path` names it in messages, and its folder holds the external data.
[[nodiscard]] Result<std::shared_ptr<const Graph>> readOnnxBytes(std::span<const std::byte> bytes, const std::filesystem::path& path,
                                                                 std::stop_token stop = {});

} // namespace lemmascope
