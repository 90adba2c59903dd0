#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <string>
#include <vector>

namespace lemmascope::test {

/// A graph and what it runs on.
struct OrtCase {
    std::string name; ///< for messages: op, opset, attributes, types
    Graph graph;
    std::vector<Tensor> inputs; ///< of graph.inputs, in order
};

/// What ONNX Runtime made of it.
struct OrtAnswer {
    std::vector<Tensor> outputs;
    std::string error; ///< empty when it ran
};

/// Makes ONNX Runtime ready in a folder of the build tree (`npm ci` of the pinned package the first time).
/// Fails with a sentence when node or the package can't be had.
[[nodiscard]] Result<void> prepareOrt();

/// The folder whose node_modules `prepareOrt` fills.
[[nodiscard]] std::string ortModules();

/// Runs all cases in one node process.
[[nodiscard]] Result<std::vector<OrtAnswer>> runOrt(const std::vector<OrtCase>& cases);

} // namespace lemmascope::test
