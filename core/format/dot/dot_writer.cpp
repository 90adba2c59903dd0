#include "core/format/dot/dot_writer.h"

#include "core/graph/graph_tree.h"

#include <map>
#include <vector>

// Every drawn thing is named by its number in the GraphTree (`n12`, `v7`), so names in the file can be anything.

namespace lemmascope {

namespace {

/// A quoted DOT string; control characters become spaces.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += static_cast<unsigned char>(c) < 0x20U ? ' ' : c;
    }
    return out + "\"";
}

/// Two lines of a label; the second is left out when empty.
std::string label(const std::string& first, const std::string& second) {
    const std::string one = quoted(first);
    return second.empty() ? one : one.substr(0, one.size() - 1) + "\\n" + quoted(second).substr(1);
}

class Drawing {
  public:
    Drawing(const GraphTree& tree, const DotOptions& options) : m_tree(tree), m_options(options) {}

    std::string run() {
        const Graph& top = m_tree.top();
        m_out = "digraph " + quoted(m_options.name.empty() ? top.name : m_options.name) + " {\n  node [shape=box];\n";
        // Clusters nest: an explicit stack of instances, each opened once and closed after its children.
        struct Open {
            std::uint32_t instance;
            std::size_t node = 0;
            std::vector<std::uint32_t> children;
        };
        std::vector<Open> stack{{0, 0, {}}};
        drawValues(0);
        while (!stack.empty()) {
            Open& open = stack.back();
            const GraphInstance& instance = m_tree.instances()[open.instance];
            if (!open.children.empty()) {
                const std::uint32_t child = open.children.front();
                open.children.erase(open.children.begin());
                beginCluster(child);
                stack.push_back({child, 0, {}});
                continue;
            }
            if (open.node < instance.graph->nodes.size()) {
                const NodeId id(open.node++);
                drawNode(open.instance, id);
                if (m_options.nested) {
                    open.children = m_tree.childrenOf(open.instance, id);
                }
                continue;
            }
            if (open.instance != 0) {
                m_out += indent(open.instance) + "}\n";
            }
            stack.pop_back();
        }
        m_out += m_edges + "}\n";
        return std::move(m_out);
    }

  private:
    [[nodiscard]] std::string indent(std::uint32_t instance) const { return std::string(2 * m_tree.instances()[instance].depth, ' '); }
    [[nodiscard]] std::string node(std::uint32_t instance, NodeId id) const {
        return "n" + std::to_string(m_tree.instances()[instance].nodeBase + id.index);
    }
    [[nodiscard]] std::string value(std::uint32_t instance, ValueId id) const {
        return "v" + std::to_string(m_tree.instances()[instance].valueBase + id.index);
    }

    void beginCluster(std::uint32_t child) {
        const GraphInstance& instance = m_tree.instances()[child];
        m_out += indent(child) + "subgraph cluster" + std::to_string(child) + " {\n" + indent(child) + "  label=" + quoted(instance.role) + ";\n";
        drawValues(child);
    }

    /// Inputs, outputs, and constants where they are wanted.
    void drawValues(std::uint32_t at) {
        const Graph& graph = *m_tree.instances()[at].graph;
        const std::string space = indent(at) + "  ";
        for (const ValueId input : graph.inputs) {
            m_out += space + value(at, input) + " [shape=ellipse, label=" + label(graph.value(input).name, typeText(graph.value(input))) + "];\n";
            m_drawn[{at, input}] = value(at, input);
        }
        for (std::size_t v = 0; v < graph.values.size() && m_options.constants; ++v) {
            if (graph.values[v].constant) {
                m_out += space + value(at, ValueId(v)) + " [style=dashed, label=" + label(graph.values[v].name, typeText(graph.values[v])) + "];\n";
                m_drawn[{at, ValueId(v)}] = value(at, ValueId(v));
            }
        }
        for (const Capture& capture : graph.captures) {
            const GraphInstance& instance = m_tree.instances()[at];
            m_drawn[{at, capture.inner}] = sourceOf(instance.parent, capture.outer);
        }
        for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
            const std::string name = "o" + std::to_string(at) + "_" + std::to_string(k);
            m_out += space + name + " [shape=ellipse, label=" + quoted(graph.outputName(k)) + "];\n";
            drawEdge(at, graph.outputs[k], name);
        }
    }

    void drawNode(std::uint32_t at, NodeId id) {
        const Node& drawn = m_tree.instances()[at].graph->node(id);
        m_out += indent(at) + "  " + node(at, id) + " [label=" + label(drawn.op.text(), drawn.name) + "];\n";
        for (const ValueId operand : drawn.operands) {
            if (operand.isValid()) {
                drawEdge(at, operand, node(at, id));
            }
        }
    }

    /// What an edge from this value begins at; empty for a constant that is not drawn.
    [[nodiscard]] std::string sourceOf(std::uint32_t at, ValueId id) const {
        const Value& source = m_tree.instances()[at].graph->value(id);
        if (source.producer.isValid()) {
            return node(at, source.producer);
        }
        const auto drawn = m_drawn.find({at, id});
        return drawn == m_drawn.end() ? std::string() : drawn->second;
    }

    void drawEdge(std::uint32_t at, ValueId id, const std::string& target) {
        const std::string source = sourceOf(at, id);
        if (!source.empty()) {
            const Value& moved = m_tree.instances()[at].graph->value(id);
            m_edges += "  " + source + " -> " + target + " [label=" + label(moved.name, typeText(moved)) + "];\n";
        }
    }

    static std::string typeText(const Value& value) { return value.type == TensorType{} ? std::string() : value.type.text(); }

    const GraphTree& m_tree;
    const DotOptions& m_options;
    std::string m_out;
    std::string m_edges;
    std::map<std::pair<std::uint32_t, ValueId>, std::string> m_drawn;
};

} // namespace

Result<std::string> writeDot(std::shared_ptr<const Graph> graph, const DotOptions& options) {
    const Result<GraphTree> tree = GraphTree::build(std::move(graph));
    if (!tree) {
        return tl::unexpected<Error>(tree.error());
    }
    return Drawing(*tree, options).run();
}

} // namespace lemmascope
