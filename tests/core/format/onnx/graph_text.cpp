#include "tests/core/format/onnx/graph_text.h"

#include <algorithm>
#include <vector>

namespace lemmascope::test {

namespace {

std::string attributeText(const Attribute& attribute) {
    if (const auto* integer = std::get_if<std::int64_t>(&attribute)) {
        return "int " + std::to_string(*integer);
    }
    if (const auto* number = std::get_if<float>(&attribute)) {
        return "float " + std::to_string(*number);
    }
    if (const auto* text = std::get_if<std::string>(&attribute)) {
        return "string " + *text;
    }
    std::string out;
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&attribute)) {
        out = "ints";
        for (const std::int64_t value : *integers) {
            out += " " + std::to_string(value);
        }
    } else if (const auto* numbers = std::get_if<std::vector<float>>(&attribute)) {
        out = "floats";
        for (const float value : *numbers) {
            out += " " + std::to_string(value);
        }
    } else if (const auto* texts = std::get_if<std::vector<std::string>>(&attribute)) {
        out = "strings";
        for (const std::string& value : *texts) {
            out += " '" + value + "'";
        }
    } else if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
        out = "tensor " + tensor->digest().hex();
    } else {
        out = "graph";
    }
    return out;
}

std::string nameOf(const Graph& graph, ValueId id) { return id.isValid() ? graph.value(id).name : "-"; }

} // namespace

std::string graphText(const Graph& graph, const std::string& indent) {
    std::string out;
    for (const auto& [domain, version] : graph.opsets) {
        out += indent + "opset '" + domain + "' " + std::to_string(version) + "\n";
    }
    for (const auto& [name, range] : graph.symbols) {
        out += indent + "symbol " + name + " " + std::to_string(range.low) + ":" + std::to_string(range.high) + "\n";
    }
    for (const ValueId id : graph.inputs) {
        const Value& value = graph.value(id);
        out += indent + "input " + value.name + " " + value.type.text();
        out += value.range ? " range " + std::to_string(value.range->low) + ":" + std::to_string(value.range->high) : "";
        out += "\n";
    }
    std::vector<std::string> lines;
    for (const Value& value : graph.values) {
        if (value.constant) {
            lines.push_back(indent + "constant " + value.name + " " + value.type.text() + " " + value.constant->digest().hex() + "\n");
        } else if (value.producer.isValid()) {
            lines.push_back(indent + "value " + value.name + " " + value.type.text() + "\n");
        }
    }
    for (const Capture& capture : graph.captures) {
        lines.push_back(indent + "capture " + nameOf(graph, capture.inner) + "\n");
    }
    std::sort(lines.begin(), lines.end());
    for (const std::string& line : lines) {
        out += line;
    }
    for (const Node& node : graph.nodes) {
        out += indent + "node '" + node.name + "' " + node.op.text() + " " + std::to_string(node.op.version) + " (";
        for (const ValueId operand : node.operands) {
            out += " " + nameOf(graph, operand);
        }
        out += " ) -> (";
        for (const ValueId result : node.results) {
            out += " " + nameOf(graph, result);
        }
        out += " )\n";
        for (const auto& [key, attribute] : node.attributes) {
            out += indent + "  " + key + " = " + attributeText(attribute) + "\n";
        }
        for (const auto& [role, nested] : Graph::nestedGraphs(node)) {
            out += indent + "  " + role + ":\n" + graphText(*nested, indent + "    ");
        }
    }
    for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
        out += indent + "output " + graph.outputName(k) + " " + graph.value(graph.outputs[k]).type.text() + "\n";
    }
    return out;
}

} // namespace lemmascope::test
