#pragma once

#include "core/format/mlir/graph/axes.h"
#include "core/format/mlir/module.h"
#include "core/graph/graph.h"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope::ir {

using GraphValue = lemmascope::ValueId;

/// A graph in the making, of one function.
class GraphBuilder {
  public:
    GraphBuilder(const Module& read, const EqualAxes& equal, lemmascope::Graph& into) : m(read), axes(equal), graph(into) {}

    const Module& m;
    const EqualAxes& axes;
    lemmascope::Graph& graph;

    /// The graph's value that stands for one of the module's; nothing for what has none (an uninitialised tensor).
    [[nodiscard]] std::optional<GraphValue> value(ValueId id) const;
    /// What a node computes has the name of the module's value, where that has one that is still free.
    void set(ValueId id, GraphValue value);
    /// All operands of an op, or nothing if one has no value.
    [[nodiscard]] std::optional<std::vector<GraphValue>> operands(OperationId op) const;

    /// The shape of a tensor, a 1-d tensor of its own; also of one that has no value (an uninitialised one).
    [[nodiscard]] std::optional<GraphValue> shape(ValueId tensor);
    void setShape(ValueId tensor, GraphValue shape) { m_shapes[tensor.index] = shape; }
    /// A 1-d tensor of sizes, those that are `Dynamic` taken from `dynamic` one after the other.
    [[nodiscard]] std::optional<GraphValue> sizes(const std::vector<std::int64_t>& fixed, std::span<const ValueId> dynamic);

    /// Adds a node with one result.
    GraphValue node(const char* op, const std::vector<GraphValue>& operands, const std::map<std::string, lemmascope::Attribute>& attributes = {});
    GraphValue constant(Tensor tensor);
    GraphValue integers(const std::vector<std::int64_t>& values); ///< a 1-d tensor
    GraphValue scalar(ElementType element, double value);
    /// The constant of an attribute; nothing for types that no tensor has here.
    [[nodiscard]] std::optional<Tensor> tensorOf(const Attribute& attribute) const;

    /// One op on elements (arith, math) of operands that broadcast; nothing if it has no form.
    [[nodiscard]] std::optional<GraphValue> elementwise(OperationId op, const std::vector<GraphValue>& in);

    /// Place and name of the op that nodes are made for.
    void at(OperationId op) { m_current = op; }

  private:
    std::map<std::uint32_t, GraphValue> m_values;
    std::map<std::uint32_t, GraphValue> m_shapes;
    OperationId m_current;
    std::set<std::string> m_taken;
    std::set<std::uint32_t> m_renamed;
    std::size_t m_names = 0;
};

/// The element type a graph has for one of MLIR's: signless integers are signed, index is i64.
[[nodiscard]] std::optional<ElementType> graphElement(const Module& m, TypeId type);

/// Adds what one op computes; false if it has no form as a graph.
bool graphTensor(GraphBuilder& b, OperationId op, std::string_view name); ///< tensor
bool graphLinalg(GraphBuilder& b, OperationId op, std::string_view name);
bool graphTosa(GraphBuilder& b, OperationId op, std::string_view name);

} // namespace lemmascope::ir
