#pragma once

#include "core/graph/graph.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope::ruleproof {

/// ONNX's operator as the graph's opset has it.
[[nodiscard]] inline OpId onnxOp(const Graph& graph, const char* name) {
    const auto at = graph.opsets.find("");
    return {"", name, at == graph.opsets.end() ? 17 : at->second};
}

/// Adds a node of one result, which has no type yet.
inline ValueId appendNode(Graph& graph, OpId op, std::vector<ValueId> operands, std::string result,
                          std::map<std::string, Attribute> attributes = {}) {
    Value value;
    value.name = std::move(result);
    Node made;
    made.op = std::move(op);
    made.operands = std::move(operands);
    made.attributes = std::move(attributes);
    made.results = {graph.addValue(std::move(value))};
    const ValueId out = made.results.front();
    graph.addNode(std::move(made));
    return out;
}

} // namespace lemmascope::ruleproof
