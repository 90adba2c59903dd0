#pragma once

#include "core/base/result.h"
#include "core/format/onnx/lemmascope_onnx.pb.h"
#include "core/graph/graph.h"

#include <memory>
#include <string>
#include <vector>

// Models made in tests, through the schema.

namespace lemmascope::test {

/// An empty graph at opset 17, IR 8.
[[nodiscard]] onnx::ModelProto emptyModel();
/// A float input or output; dims: numbers, names, or "" for a missing one.
void addValue(onnx::ValueInfoProto& info, const std::string& name, const std::vector<std::string>& dims, int elementType = onnx::TensorProto::FLOAT);
onnx::NodeProto& addNode(onnx::GraphProto& graph, const std::string& op, const std::vector<std::string>& operands,
                         const std::vector<std::string>& results, const std::string& name = {});
onnx::NodeProto& addNode(onnx::FunctionProto& function, const std::string& op, const std::vector<std::string>& operands,
                         const std::vector<std::string>& results);
onnx::AttributeProto& addInt(onnx::NodeProto& node, const std::string& name, std::int64_t value);
onnx::TensorProto& addInitializer(onnx::GraphProto& graph, const std::string& name, int elementType, const std::vector<std::int64_t>& dims);
/// x -> Relu -> y, both float [2].
[[nodiscard]] onnx::ModelProto reluModel();

[[nodiscard]] Result<std::shared_ptr<const Graph>> readModel(const onnx::ModelProto& model, const std::string& path = "model.onnx");
[[nodiscard]] Result<std::shared_ptr<const Graph>> readText(const std::string& bytes, const std::string& path = "model.onnx");

} // namespace lemmascope::test
