#include "tests/core/format/onnx/model_maker.h"

#include "core/format/onnx/onnx_reader.h"

#include <algorithm>

namespace lemmascope::test {

onnx::ModelProto emptyModel() {
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(17);
    model.mutable_graph()->set_name("g");
    return model;
}

void addValue(onnx::ValueInfoProto& info, const std::string& name, const std::vector<std::string>& dims, int elementType) {
    info.set_name(name);
    auto* tensor = info.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(elementType);
    auto* shape = tensor->mutable_shape();
    for (const std::string& dim : dims) {
        auto* out = shape->add_dim();
        if (!dim.empty() && dim.find_first_not_of("-0123456789") == std::string::npos) {
            out->set_dim_value(std::stoll(dim));
        } else if (!dim.empty()) {
            out->set_dim_param(dim);
        }
    }
}

namespace {

onnx::NodeProto& filled(onnx::NodeProto& node, const std::string& op, const std::vector<std::string>& operands,
                        const std::vector<std::string>& results) {
    node.set_op_type(op);
    for (const std::string& operand : operands) {
        node.add_input(operand);
    }
    for (const std::string& result : results) {
        node.add_output(result);
    }
    return node;
}

} // namespace

onnx::NodeProto& addNode(onnx::GraphProto& graph, const std::string& op, const std::vector<std::string>& operands,
                         const std::vector<std::string>& results, const std::string& name) {
    onnx::NodeProto& node = filled(*graph.add_node(), op, operands, results);
    if (!name.empty()) {
        node.set_name(name);
    }
    return node;
}

onnx::NodeProto& addNode(onnx::FunctionProto& function, const std::string& op, const std::vector<std::string>& operands,
                         const std::vector<std::string>& results) {
    return filled(*function.add_node(), op, operands, results);
}

onnx::AttributeProto& addInt(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
    return attribute;
}

onnx::TensorProto& addInitializer(onnx::GraphProto& graph, const std::string& name, int elementType, const std::vector<std::int64_t>& dims) {
    onnx::TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(elementType);
    for (const std::int64_t dim : dims) {
        tensor.add_dims(dim);
    }
    return tensor;
}

onnx::ModelProto reluModel() {
    onnx::ModelProto model = emptyModel();
    addValue(*model.mutable_graph()->add_input(), "x", {"2"});
    addNode(*model.mutable_graph(), "Relu", {"x"}, {"y"}, "act");
    addValue(*model.mutable_graph()->add_output(), "y", {"2"});
    return model;
}

Result<std::shared_ptr<const Graph>> readModel(const onnx::ModelProto& model, const std::string& path) {
    return readText(model.SerializeAsString(), path);
}

Result<std::shared_ptr<const Graph>> readText(const std::string& bytes, const std::string& path) {
    return readOnnxBytes(std::as_bytes(std::span(bytes)), path);
}

} // namespace lemmascope::test
