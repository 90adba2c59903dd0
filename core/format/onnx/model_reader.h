#pragma once

#include "core/base/result.h"
#include "core/format/onnx/tensor_data.h"
#include "core/graph/graph.h"

#include <memory>
#include <stop_token>

namespace lemmascope::onnx {

class ModelProto;

/// Turns a parsed model into a Graph. Tensor data is moved out of `model`, which is of no use afterwards.
/// Fails with BadData, Unsupported, TooLarge, NotFound, Cancelled; messages name the place inside the model.
[[nodiscard]] Result<std::shared_ptr<const Graph>> buildGraph(ModelProto& model, ExternalFiles& files, std::stop_token stop);

} // namespace lemmascope::onnx
