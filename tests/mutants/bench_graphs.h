#pragma once

// Ten graphs like those of models, each with forms that mean the same: where the mutation bench plants its faults.

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lemmascope::mutants {

struct GraphForm {
    std::string name; ///< `as it is`, `renamed`, `rewritten`, or the optimiser that made it
    std::shared_ptr<const Graph> graph;
};

struct BenchGraph {
    std::string name;
    std::shared_ptr<const Graph> reference;
    std::vector<GraphForm> forms; ///< each equal to the reference (but for rounded constants)
};

/// Six exporter-like graphs of `data`/cases/ort with what ONNX Runtime made of them, and four of our own: a convolutional net, an
/// encoder of symbolic batch and length, integer arithmetic, and a key-value cache written in place. Fails when a file is missing.
[[nodiscard]] Result<std::vector<BenchGraph>> benchGraphs(const std::filesystem::path& data);

} // namespace lemmascope::mutants
