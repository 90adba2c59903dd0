#include "core/report/graph_summary.h"

#include "core/eval/evaluator.h"
#include "core/graph/definition_library.h"
#include "core/graph/graph_tree.h"
#include "core/graph/op_registry.h"
#include "core/report/json_writer.h"

#include <algorithm>

namespace lemmascope {

namespace {

GraphSummary::Port port(const Graph& graph, ValueId id, std::string shownName) {
    const Value& value = graph.value(id);
    GraphSummary::Port out{std::move(shownName), value.type.text(), {}};
    if (value.range) {
        out.range = "[" + std::to_string(value.range->low) + ", " + std::to_string(value.range->high) + "]";
    }
    return out;
}

std::string bytesText(std::uint64_t bytes) {
    if (bytes < 10'000) {
        return std::to_string(bytes) + " bytes";
    }
    return bytes < 10'000'000 ? std::to_string(bytes / 1000) + " kB" : std::to_string(bytes / 1'000'000) + " MB";
}

void writePorts(JsonWriter& json, const char* key, const std::vector<GraphSummary::Port>& ports) {
    json.key(key);
    json.beginArray();
    for (const GraphSummary::Port& port : ports) {
        json.beginObject(JsonWriter::Layout::InLine);
        json.key("name");
        json.string(port.name);
        json.key("type");
        json.string(port.type);
        json.key("range");
        json.stringOrNull(port.range);
        json.endObject();
    }
    json.endArray();
}

} // namespace

Result<GraphSummary> summarise(const std::shared_ptr<const Graph>& graph) {
    const Result<GraphTree> tree = GraphTree::build(graph);
    if (!tree) {
        return tl::unexpected(tree.error());
    }
    GraphSummary summary;
    summary.name = graph->name;
    summary.opsets = graph->opsets;
    summary.symbols = graph->symbols;
    summary.nodes = tree->nodeCount();
    summary.nestedGraphs = tree->instances().size() - 1;
    summary.notes = graph->notes;
    for (const ValueId id : graph->inputs) {
        summary.inputs.push_back(port(*graph, id, graph->value(id).name));
    }
    for (std::size_t i = 0; i < graph->outputs.size(); ++i) {
        summary.outputs.push_back(port(*graph, graph->outputs[i], graph->outputName(i)));
    }
    std::map<std::string, GraphSummary::Op> ops;
    for (const GraphInstance& instance : tree->instances()) {
        for (const Value& value : instance.graph->values) {
            if (value.constant) {
                ++summary.constants;
                summary.constantBytes += value.constant->bytes().size();
            }
            if (value.type.element == ElementType::Undefined || !value.type.shape) {
                ++summary.untypedValues;
            }
        }
        for (const Node& node : instance.graph->nodes) {
            GraphSummary::Op& op = ops[node.op.text()];
            op.name = node.op.text();
            ++op.count;
            const bool defined = findDefinition(graph->definitions.get(), node.op) != nullptr;
            op.open = op.open || (findOp(node.op) == nullptr && node.body == nullptr && !defined);
            const ValueId first = node.operands.empty() ? ValueId() : node.operands.front();
            op.kernel = node.body != nullptr || defined ||
                        hasKernel(node.op, first.isValid() ? instance.graph->value(first).type.element : ElementType::Undefined);
        }
    }
    for (auto& [name, op] : ops) {
        summary.ops.push_back(std::move(op));
    }
    return summary;
}

std::string summaryText(const GraphSummary& summary) {
    std::string out = summary.name.empty() ? "graph" : summary.name;
    out += ": " + std::to_string(summary.nodes) + (summary.nodes == 1 ? " node" : " nodes");
    if (summary.nestedGraphs > 0) {
        out += " (" + std::to_string(summary.nestedGraphs) + " nested graphs)";
    }
    out += ", " + std::to_string(summary.constants) + (summary.constants == 1 ? " constant, " : " constants, ") + bytesText(summary.constantBytes) +
           "\n";
    for (const auto& [domain, version] : summary.opsets) {
        out += "opset " + (domain.empty() ? std::string("ai.onnx") : domain) + " " + std::to_string(version) + "\n";
    }
    for (const auto& [symbol, range] : summary.symbols) {
        out += "symbol " + symbol + " in [" + std::to_string(range.low) + ", " + std::to_string(range.high) + "]\n";
    }
    for (const GraphSummary::Port& input : summary.inputs) {
        out += "input " + input.name + " " + input.type + (input.range.empty() ? "" : " in " + input.range) + "\n";
    }
    for (const GraphSummary::Port& output : summary.outputs) {
        out += "output " + output.name + " " + output.type + "\n";
    }
    std::size_t widest = 0;
    for (const GraphSummary::Op& op : summary.ops) {
        widest = std::max(widest, op.name.size());
    }
    for (const GraphSummary::Op& op : summary.ops) {
        std::string count = std::to_string(op.count);
        count.insert(0, count.size() < 6 ? 6 - count.size() : 0, ' ');
        out += count + "  " + op.name;
        if (op.open || !op.kernel) {
            out.append(widest - op.name.size() + 2, ' ');
            out += op.open ? "open: nothing is assumed but that it is a function" : "known, but not run on numbers yet";
        }
        out += "\n";
    }
    if (summary.untypedValues > 0) {
        out += std::to_string(summary.untypedValues) + (summary.untypedValues == 1 ? " value has" : " values have") + " no known type\n";
    }
    for (const std::string& note : summary.notes) {
        out += "note: " + note + "\n";
    }
    return out;
}

std::string summaryJson(const GraphSummary& summary) {
    JsonWriter json;
    json.beginObject();
    json.key("format");
    json.string("lemmascope-summary");
    json.key("version");
    json.integer(1);
    json.key("name");
    json.string(summary.name);
    json.key("opsets");
    json.beginObject(JsonWriter::Layout::InLine);
    for (const auto& [domain, version] : summary.opsets) {
        json.key(domain.empty() ? "ai.onnx" : domain);
        json.integer(version);
    }
    json.endObject();
    json.key("symbols");
    json.beginObject(JsonWriter::Layout::InLine);
    for (const auto& [symbol, range] : summary.symbols) {
        json.key(symbol);
        json.beginArray();
        json.integer(range.low);
        json.integer(range.high);
        json.endArray();
    }
    json.endObject();
    json.key("nodes");
    json.unsignedInteger(summary.nodes);
    json.key("nested_graphs");
    json.unsignedInteger(summary.nestedGraphs);
    json.key("constants");
    json.unsignedInteger(summary.constants);
    json.key("constant_bytes");
    json.unsignedInteger(summary.constantBytes);
    json.key("untyped_values");
    json.unsignedInteger(summary.untypedValues);
    writePorts(json, "inputs", summary.inputs);
    writePorts(json, "outputs", summary.outputs);
    json.key("ops");
    json.beginArray();
    for (const GraphSummary::Op& op : summary.ops) {
        json.beginObject(JsonWriter::Layout::InLine);
        json.key("name");
        json.string(op.name);
        json.key("count");
        json.unsignedInteger(op.count);
        json.key("open");
        json.boolean(op.open);
        json.key("kernel");
        json.boolean(op.kernel);
        json.endObject();
    }
    json.endArray();
    json.key("notes");
    json.beginArray();
    for (const std::string& note : summary.notes) {
        json.string(note);
    }
    json.endArray();
    json.endObject();
    return json.text() + "\n";
}

} // namespace lemmascope
