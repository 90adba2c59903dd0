#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope::onnx {

class ModelProto;
class TensorProto;

/// Tensors whose bytes are to stand in a file beside the model; their messages are left without data.
using OutsideTensors = std::vector<std::pair<TensorProto*, Tensor>>;

/// Fills a model from a graph. With `outside`, initializers of `outsideFrom` bytes and more are put there instead of into the
/// model. Fails with Unsupported, TooLarge, BadData, naming the node.
[[nodiscard]] Result<void> buildModel(const Graph& graph, ModelProto& model, std::vector<std::string>& notes, OutsideTensors* outside = nullptr,
                                      std::size_t outsideFrom = 0);

} // namespace lemmascope::onnx
