#include "core/graph/graph.h"

namespace lemmascope {

const std::string& Graph::outputName(std::size_t position) const {
    if (position < outputNames.size() && !outputNames[position].empty()) {
        return outputNames[position];
    }
    return value(outputs.at(position)).name;
}

ValueId Graph::findValue(const std::string& wanted) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].name == wanted) {
            return ValueId(i);
        }
    }
    return {};
}

ValueId Graph::addValue(Value value) {
    values.push_back(std::move(value));
    return ValueId(values.size() - 1);
}

NodeId Graph::addNode(Node node) {
    const NodeId id(nodes.size());
    for (std::size_t k = 0; k < node.results.size(); ++k) {
        if (node.results[k].isValid()) {
            Value& result = values.at(node.results[k].index);
            result.producer = id;
            result.resultIndex = static_cast<std::uint32_t>(k);
        }
    }
    nodes.push_back(std::move(node));
    return id;
}

std::vector<std::pair<std::string, std::shared_ptr<const Graph>>> Graph::nestedGraphs(const Node& node) {
    std::vector<std::pair<std::string, std::shared_ptr<const Graph>>> out;
    if (node.body) {
        out.emplace_back("body", node.body);
    }
    for (const auto& [key, attribute] : node.attributes) {
        if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
            out.emplace_back(key, *graph);
        } else if (const auto* list = std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute)) {
            for (std::size_t i = 0; i < list->size(); ++i) {
                out.emplace_back(key + "[" + std::to_string(i) + "]", (*list)[i]);
            }
        }
    }
    return out;
}

std::string Graph::displayName(NodeId id) const {
    const Node& shown = node(id);
    if (!shown.name.empty()) {
        return shown.name;
    }
    for (const ValueId result : shown.results) {
        if (result.isValid() && !value(result).name.empty()) {
            return value(result).name;
        }
    }
    return shown.op.name + "#" + std::to_string(id.index);
}

} // namespace lemmascope
