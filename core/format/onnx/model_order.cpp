#include "core/format/onnx/model_order.h"

#include "core/format/onnx/lemmascope_onnx.pb.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <queue>
#include <unordered_set>

namespace lemmascope::onnx {

namespace {

/// The names that a nested graph defines, and the graph around it.
struct NestedScope {
    const NestedScope* around = nullptr;
    std::unordered_set<std::string_view> defined;
};

void define(const GraphProto& graph, NestedScope& scope) {
    for (const ValueInfoProto& input : graph.input()) {
        scope.defined.insert(input.name());
    }
    for (const TensorProto& constant : graph.initializer()) {
        scope.defined.insert(constant.name());
    }
    for (const SparseTensorProto& constant : graph.sparse_initializer()) {
        scope.defined.insert(constant.values().name());
    }
    for (const NodeProto& node : graph.node()) {
        for (const std::string& result : node.output()) {
            scope.defined.insert(result);
        }
    }
}

bool definedInside(const NestedScope* scope, std::string_view name) {
    for (; scope != nullptr; scope = scope->around) {
        if (scope->defined.contains(name)) {
            return true;
        }
    }
    return false;
}

/// Calls `use` for every name that the node, or a graph nested in it, takes from the graph in which the node stands.
void forEachName(const NodeProto& node, const std::function<void(std::string_view)>& use) {
    struct Item {
        const GraphProto* graph;
        const NestedScope* around;
    };
    std::vector<Item> todo;
    std::vector<std::unique_ptr<NestedScope>> scopes;
    const auto read = [&](const NodeProto& reader, const NestedScope* scope) {
        for (const std::string& operand : reader.input()) {
            if (!operand.empty() && !definedInside(scope, operand)) {
                use(operand);
            }
        }
        for (const AttributeProto& attribute : reader.attribute()) {
            if (attribute.has_g()) {
                todo.push_back({&attribute.g(), scope});
            }
            for (const GraphProto& graph : attribute.graphs()) {
                todo.push_back({&graph, scope});
            }
        }
    };
    read(node, nullptr);
    while (!todo.empty()) {
        const Item item = todo.back();
        todo.pop_back();
        scopes.push_back(std::make_unique<NestedScope>());
        NestedScope* scope = scopes.back().get();
        scope->around = item.around;
        define(*item.graph, *scope);
        for (const NodeProto& inner : item.graph->node()) {
            read(inner, scope);
        }
        for (const ValueInfoProto& output : item.graph->output()) { // an outer value may be handed out as it is
            if (!definedInside(scope, output.name())) {
                use(output.name());
            }
        }
    }
}

/// Follows unmet needs from an unplaced node until one comes round again.
std::string cycleText(const std::vector<NodeProto*>& nodes, const std::vector<std::vector<std::size_t>>& needs, const std::vector<bool>& placed) {
    std::size_t at = static_cast<std::size_t>(std::find(placed.begin(), placed.end(), false) - placed.begin());
    std::vector<std::size_t> path;
    std::unordered_map<std::size_t, std::size_t> position;
    while (position.emplace(at, path.size()).second) {
        path.push_back(at);
        at = *std::find_if(needs[at].begin(), needs[at].end(), [&](std::size_t need) { return !placed[need]; });
    }
    path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(position.at(at)));
    std::reverse(path.begin(), path.end()); // needs run against the data
    constexpr std::size_t Shown = 8;
    std::string out;
    for (std::size_t i = 0; i < std::min(path.size(), Shown); ++i) {
        out += nodeText(*nodes[path[i]], path[i]) + " -> ";
    }
    if (path.size() > Shown) {
        out += "... (" + std::to_string(path.size()) + " nodes) -> ";
    }
    return out + nodeText(*nodes[path.front()], path.front());
}

} // namespace

std::string nodeText(const NodeProto& node, std::size_t index) {
    if (!node.name().empty()) {
        return "'" + node.name() + "'";
    }
    for (const std::string& result : node.output()) {
        if (!result.empty()) {
            return "'" + result + "'";
        }
    }
    return "'" + node.op_type() + "#" + std::to_string(index) + "'";
}

Result<std::vector<std::size_t>> orderNodes(const std::vector<NodeProto*>& nodes, const std::unordered_map<std::string_view, std::size_t>& producer) {
    std::vector<std::vector<std::size_t>> needs(nodes.size());
    bool inOrder = true;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        forEachName(*nodes[i], [&](std::string_view name) {
            if (const auto made = producer.find(name); made != producer.end()) {
                needs[i].push_back(made->second);
                inOrder = inOrder && made->second < i;
            }
        });
    }
    std::vector<std::size_t> order;
    order.reserve(nodes.size());
    if (inOrder) {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            order.push_back(i);
        }
        return order;
    }
    std::vector<std::vector<std::size_t>> readers(nodes.size());
    std::vector<std::size_t> unmet(nodes.size(), 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        std::sort(needs[i].begin(), needs[i].end());
        needs[i].erase(std::unique(needs[i].begin(), needs[i].end()), needs[i].end());
        unmet[i] = needs[i].size();
        for (const std::size_t need : needs[i]) {
            readers[need].push_back(i);
        }
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (unmet[i] == 0) {
            ready.push(i);
        }
    }
    std::vector<bool> placed(nodes.size(), false);
    while (!ready.empty()) {
        const std::size_t at = ready.top();
        ready.pop();
        placed[at] = true;
        order.push_back(at);
        for (const std::size_t reader : readers[at]) {
            if (--unmet[reader] == 0) {
                ready.push(reader);
            }
        }
    }
    if (order.size() != nodes.size()) {
        return fail(ErrorCode::BadData, "nodes depend on each other in a circle: " + cycleText(nodes, needs, placed));
    }
    return order;
}

} // namespace lemmascope::onnx
