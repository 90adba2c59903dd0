#include "core/format/mlir/to_graph.h"

#include "core/format/mlir/entry.h"
#include "core/format/mlir/graph/builder.h"

namespace lemmascope::ir {

namespace {

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
    if (name == "tensor.empty") { // has a shape and no value: who reads it has no form
        if (const auto shape = b.sizes(m.typeOf(m.result(op)).shape, m.operands(op))) {
            b.setShape(m.result(op), *shape);
        }
        return true;
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
    const EqualAxes axes(m, block);
    lemmascope::Graph graph;
    graph.name = symbolOf(m, *function);
    graph.opsets[""] = 18;
    GraphBuilder b(m, axes, graph);
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
            const std::string& symbol = symbols.try_emplace(axes.classOf({argument, axis}), input.name + "_" + std::to_string(axis)).first->second;
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
