#pragma once

#include "core/graph/graph.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope::test {

/// A graph as text, everything that has meaning in a fixed order, for comparison: values by name, tensors by digest.
inline std::string graphText(const Graph& top) {
    std::ostringstream out;
    std::vector<std::pair<std::string, const Graph*>> open{{"", &top}};
    while (!open.empty()) {
        const auto [indent, graphPointer] = open.back();
        const Graph& graph = *graphPointer;
        open.pop_back();
        const auto nameOf = [&](ValueId id) { return id.isValid() ? "'" + graph.value(id).name + "'" : std::string("-"); };
        out << indent << "graph '" << graph.name << "'";
        for (const auto& [domain, version] : graph.opsets) {
            out << " " << domain << ":" << version;
        }
        for (const auto& [symbol, range] : graph.symbols) {
            out << " " << symbol << "=" << range.low << ".." << range.high;
        }
        out << "\n";
        for (const ValueId input : graph.inputs) {
            const Value& value = graph.value(input);
            out << indent << "input " << nameOf(input) << " " << value.type.text();
            if (value.range) {
                out << " " << value.range->low << ".." << value.range->high;
            }
            out << "\n";
        }
        std::vector<std::string> constants;
        std::vector<std::string> declared;
        for (const Value& value : graph.values) {
            if (value.constant) {
                constants.push_back("constant '" + value.name + "' " + value.type.text() + " " + value.constant->digest().hex());
            } else if (value.producer.isValid() && value.type != TensorType{}) {
                declared.push_back("type '" + value.name + "' " + value.type.text());
            }
        }
        std::sort(constants.begin(), constants.end());
        for (const std::string& line : constants) {
            out << indent << line << "\n";
        }
        std::vector<std::pair<std::string, const Graph*>> nested;
        for (const Node& node : graph.nodes) {
            out << indent << node.op.domain << "." << node.op.name << "@" << node.op.version << " '" << node.name << "' (";
            for (const ValueId operand : node.operands) {
                out << " " << nameOf(operand);
            }
            out << " ) -> (";
            for (const ValueId result : node.results) {
                out << " " << nameOf(result);
            }
            out << " )";
            for (const auto& [key, attribute] : node.attributes) {
                out << " " << key << "=";
                std::visit(
                    [&](const auto& value) {
                        using T = std::decay_t<decltype(value)>;
                        if constexpr (std::is_same_v<T, std::int64_t>) {
                            out << value << "i";
                        } else if constexpr (std::is_same_v<T, float>) {
                            out << std::hexfloat << value << "f";
                        } else if constexpr (std::is_same_v<T, std::string>) {
                            out << '"' << value << '"';
                        } else if constexpr (std::is_same_v<T, Tensor>) {
                            out << value.digest().hex();
                        } else if constexpr (std::is_same_v<T, std::shared_ptr<const Graph>>) {
                            out << "graph";
                        } else if constexpr (std::is_same_v<T, std::vector<std::shared_ptr<const Graph>>>) {
                            out << value.size() << " graphs";
                        } else {
                            out << "[";
                            for (const auto& item : value) {
                                if constexpr (std::is_same_v<T, std::vector<float>>) {
                                    out << std::hexfloat << item << "f,";
                                } else {
                                    out << item << ",";
                                }
                            }
                            out << "]" << (std::is_same_v<T, std::vector<std::string>> ? "s" : (std::is_same_v<T, std::vector<float>> ? "f" : "i"));
                        }
                    },
                    attribute);
            }
            out << "\n";
            for (const auto& [role, graphInside] : Graph::nestedGraphs(node)) {
                nested.emplace_back(indent + "  ", graphInside.get());
            }
        }
        std::sort(declared.begin(), declared.end());
        for (const std::string& line : declared) {
            out << indent << line << "\n";
        }
        std::vector<std::string> captures;
        for (const Capture& capture : graph.captures) {
            captures.push_back(graph.value(capture.inner).name);
        }
        std::sort(captures.begin(), captures.end());
        for (const std::string& capture : captures) {
            out << indent << "capture '" << capture << "'\n";
        }
        for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
            out << indent << "output " << nameOf(graph.outputs[k]) << " as '" << graph.outputName(k) << "'\n";
        }
        open.insert(open.end(), nested.rbegin(), nested.rend());
    }
    return out.str();
}

} // namespace lemmascope::test
