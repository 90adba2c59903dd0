#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace lemmascope {

struct OnnxWriteOptions {
    /// Weights of more bytes in all go to a file beside the model. Protobuf's limit is 2 GB, the rest of the model included.
    std::size_t insideLimit = 1'900'000'000;
};

/// Writes a graph as an ONNX model, to a temporary name first. Names that ONNX would not take (empty, repeated) are made
/// unique, fused bodies become model functions, the store and part ops of our JSON become standard ops that mean the same,
/// ranges become metadata. `notes` says what changed or could not be held. The same graph gives the same bytes.
///
/// Weights stay in the file up to a limit; past that those of 1 KB and more go to `NAME.onnx.data` beside it.
/// Fails with Unsupported where a node has no form in ONNX (the message names it: such a graph is written as JSON only),
/// NotFound when the file can't be written.
[[nodiscard]] Result<void> writeOnnxFile(const Graph& graph, const std::filesystem::path& path, std::vector<std::string>& notes,
                                         const OnnxWriteOptions& options = {});

/// The model's bytes, weights included; fails with TooLarge where they would pass protobuf's 2 GB.
[[nodiscard]] Result<std::string> writeOnnxBytes(const Graph& graph, std::vector<std::string>& notes);

} // namespace lemmascope
