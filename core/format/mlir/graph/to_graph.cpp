#include "core/format/mlir/to_graph.h"

#include "core/format/mlir/entry.h"
#include "core/format/mlir/graph/builder.h"

#include <algorithm>
#include <numeric>

namespace lemmascope::ir {

namespace {

/// Which axes of which values have one length, since an op demands it: arith and math take operands of one type.
class EqualAxes {
  public:
    explicit EqualAxes(const Module& read) : m(read), m_first(read.values.size()) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < read.values.size(); ++i) {
            m_first[i] = count;
            count += read.typeOf(ValueId(i)).shape.size();
        }
        m_parent.resize(count);
        std::iota(m_parent.begin(), m_parent.end(), std::size_t{0});
    }
    void unite(ValueId a, ValueId b) {
        const std::size_t rank = std::min(m.typeOf(a).shape.size(), m.typeOf(b).shape.size());
        for (std::size_t axis = 0; axis < rank; ++axis) {
            unite(a, axis, b, axis);
        }
    }
    void unite(ValueId a, std::size_t axisOfA, ValueId b, std::size_t axisOfB) {
        m_parent[root(m_first[a.index] + axisOfA)] = root(m_first[b.index] + axisOfB);
    }
    /// Of a structured op: what runs along one loop.
    void uniteLoops(OperationId op, const Attribute& maps) {
        std::map<std::int64_t, std::pair<ValueId, std::size_t>> seen;
        for (std::size_t i = 0; i < maps.items.size() && i < m.operands(op).size(); ++i) {
            const AffineMap& map = m.map(m.attribute(maps.items[i]).map);
            const ValueId operand = m.operand(op, i);
            for (std::size_t axis = 0; axis < map.results.size() && axis < m.typeOf(operand).shape.size(); ++axis) {
                const AffineNode& node = map.nodes[map.results[axis]];
                if (node.kind == AffineNode::Kind::Dimension) {
                    const auto [at, isNew] = seen.try_emplace(node.value, operand, axis);
                    if (!isNew) {
                        unite(operand, axis, at->second.first, at->second.second);
                    }
                }
            }
        }
        if (m.resultCount(op) == 1) {
            unite(m.result(op), m.operands(op).back());
        }
    }
    [[nodiscard]] std::size_t classOf(ValueId value, std::size_t axis) { return root(m_first[value.index] + axis); }

  private:
    const Module& m;
    std::vector<std::size_t> m_first;
    std::vector<std::size_t> m_parent;

    std::size_t root(std::size_t at) {
        while (m_parent[at] != at) {
            m_parent[at] = m_parent[m_parent[at]];
            at = m_parent[at];
        }
        return at;
    }
};

tl::unexpected<Error> noForm(const Module& m, OperationId op) {
    return fail(ErrorCode::Unsupported,
                "op '" + std::string(m.name(op)) + "' has no form as a graph: this is a program; `check` compares two of them, `interp` runs one",
                m.where(op));
}

bool addOp(GraphBuilder& b, OperationId op) {
    const Module& m = b.m;
    const std::string_view name = m.name(op);
    b.at(op);
    if (name == "arith.constant" || name == "tosa.const") {
        const Attribute* value = m.find(op, "value");
        auto tensor = value == nullptr ? std::nullopt : b.tensorOf(*value);
        if (tensor) {
            b.set(m.result(op), b.constant(std::move(*tensor)));
        }
        return tensor.has_value();
    }
    if (name == "tensor.empty") {
        return true; // has no value: who reads it has no form
    }
    if (name.starts_with("arith.") || name.starts_with("math.")) {
        const auto in = b.operands(op);
        const auto made = in ? b.elementwise(op, *in) : std::nullopt;
        if (made) {
            b.set(m.result(op), *made);
        }
        return made.has_value();
    }
    return graphTensor(b, op, name) || graphLinalg(b, op, name) || graphTosa(b, op, name);
}

} // namespace

Result<std::shared_ptr<const lemmascope::Graph>> toGraph(const Module& m, const std::string& entry) {
    const Result<OperationId> function = findEntry(m, entry);
    if (!function) {
        return tl::unexpected(function.error());
    }
    const RegionId region = m.regionOf(*function);
    const BlockId block = m.blockOf(region);
    if (m.blockCount(region) != 1) {
        return fail(ErrorCode::Unsupported, "@" + symbolOf(m, *function) + " has branches, which have no form as a graph", m.where(*function));
    }
    EqualAxes axes(m);
    for (std::size_t i = 0; i < m.block(block).operations.count; ++i) {
        const OperationId op = m.operationOf(block, i);
        if (m.name(op).starts_with("arith.") || m.name(op).starts_with("math.")) {
            for (const ValueId operand : m.operands(op)) {
                axes.unite(operand, m.result(op));
            }
        }
        if (const Attribute* maps = m.find(op, "lemmascope.indexing_maps"); maps != nullptr) {
            axes.uniteLoops(op, *maps);
        }
    }
    lemmascope::Graph graph;
    graph.name = symbolOf(m, *function);
    graph.opsets[""] = 18;
    GraphBuilder b(m, graph);
    std::map<std::size_t, std::string> symbols;
    for (std::uint32_t i = 0; i < m.block(block).arguments.count; ++i) {
        const ValueId argument = m.argument(block, i);
        const Type& type = m.typeOf(argument);
        const auto element = graphElement(m, m.value(argument).type);
        if (!element) {
            return fail(ErrorCode::Unsupported,
                        "argument '%" + argumentName(m, argument) + "' of type " + type.text + " has no form as a graph: this is a program",
                        m.where(*function));
        }
        lemmascope::Value input;
        input.name = argumentName(m, argument);
        lemmascope::Shape shape;
        for (std::size_t axis = 0; axis < type.shape.size(); ++axis) {
            if (type.shape[axis] != Dynamic) {
                shape.emplace_back(type.shape[axis]);
                continue;
            }
            const std::string& symbol = symbols.try_emplace(axes.classOf(argument, axis), input.name + "_" + std::to_string(axis)).first->second;
            graph.symbols.try_emplace(symbol, IntegerRange{1, std::int64_t{1} << 31U});
            shape.push_back(Dim::symbol(symbol));
        }
        input.type = {*element, std::move(shape)};
        graph.inputs.push_back(graph.addValue(std::move(input)));
        b.set(argument, graph.inputs.back());
    }
    for (std::size_t i = 0; i < m.block(block).operations.count; ++i) {
        const OperationId op = m.operationOf(block, i);
        if (m.name(op) == "func.return") {
            for (const ValueId result : m.operands(op)) {
                const auto held = b.value(result);
                if (!held) {
                    return noForm(m, op);
                }
                graph.outputs.push_back(*held);
                graph.outputNames.push_back("result" + std::to_string(graph.outputs.size() - 1));
            }
        } else if (!addOp(b, op)) {
            return noForm(m, op);
        }
    }
    return std::make_shared<const lemmascope::Graph>(std::move(graph));
}

} // namespace lemmascope::ir
