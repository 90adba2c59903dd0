#pragma once

#include "core/term/term_builder.h"

#include <optional>
#include <string>
#include <vector>

namespace lemmascope {

struct Definition;

/// An axis counted from the end when negative, as one counted from the front; nothing when out of range.
[[nodiscard]] std::optional<std::size_t> normalAxis(std::int64_t axis, std::size_t rank);

/// One node while its terms are built: operands as terms, attributes with defaults, constants of shape operands.
class NodeTerms {
  public:
    NodeTerms(TermBuilder& builder, const Graph& graph, NodeId node, FlatNodeId flat, std::vector<TermId> operands);

    /// Terms of the results, for the ops whose meaning is known at this opset and whose shape operands are; empty otherwise
    /// (the node then becomes an application of its own).
    [[nodiscard]] std::vector<TermId> known();
    /// An application that is equal for equal nodes only.
    [[nodiscard]] std::vector<TermId> opaque(const std::vector<TermId>& extraOperands = {});
    /// Accesses that must be in range, and integer divisors.
    void collectAccesses(std::vector<Access>& out) const;

  private:
    TermBuilder& m_builder;
    TermStore& m_store;
    Movements& m_move;
    const Graph& m_graph;
    const Node& m_node;
    FlatNodeId m_flat;
    std::vector<TermId> m_operands;

    [[nodiscard]] std::size_t operandCount() const { return m_operands.size(); }
    [[nodiscard]] bool has(std::size_t i) const {
        return i < m_operands.size() && m_operands[i].isValid() && i < m_node.operands.size() && m_node.operands[i].isValid();
    }
    [[nodiscard]] TermId operand(std::size_t i) const { return m_operands[i]; }
    [[nodiscard]] const TensorType& resultType(std::size_t k) const;
    [[nodiscard]] bool hasResult(std::size_t k) const { return k < m_node.results.size() && m_node.results[k].isValid(); }
    [[nodiscard]] std::optional<std::vector<Dim>> elements(std::size_t i) const;
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::size_t i) const;
    [[nodiscard]] std::int64_t intAttribute(const std::string& key, std::int64_t fallback) const;
    [[nodiscard]] float floatAttribute(const std::string& key, float fallback) const;
    [[nodiscard]] std::string stringAttribute(const std::string& key, const std::string& fallback) const;
    [[nodiscard]] std::optional<std::vector<std::int64_t>> intsAttribute(const std::string& key) const;
    /// Axes from the attribute or from operand `i`; nothing when they are not known.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> axes(std::size_t i) const;
    [[nodiscard]] TermId apply(Operator op, std::vector<TermId> operands, std::size_t result = 0);
    [[nodiscard]] TermId elementwise(const std::string& name, const std::vector<TermId>& operands, std::map<std::string, Attribute> attributes = {});
    [[nodiscard]] TermId none();
    /// The constant that a movement of constants gives; other terms, and large ones, as they are.
    [[nodiscard]] TermId movedConstant(TermId term) const;

    /// Whether a definition says what this node computes; if not, why is noted.
    [[nodiscard]] bool isCovered(const Definition& definition);
    [[nodiscard]] std::vector<TermId> numberOp();
    [[nodiscard]] std::vector<TermId> elementwiseOp();
    [[nodiscard]] std::vector<TermId> movementOp();
    [[nodiscard]] std::vector<TermId> computingOp();
    [[nodiscard]] std::optional<TermId> sliceOp();
    [[nodiscard]] std::optional<TermId> gatherOp();
    [[nodiscard]] std::optional<TermId> padOp();
    [[nodiscard]] std::optional<TermId> resizeOp();
    // node_joins.cpp: constant indices and masks
    /// The constant indices of operand `i` into an axis of that length, none negative; nothing unless all are seen to be in range.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> rowsIn(std::size_t i, const Dim& length) const;
    [[nodiscard]] std::optional<TermId> gatherRows(TermId data, std::size_t axis);
    [[nodiscard]] std::optional<TermId> selectOp();
    [[nodiscard]] std::optional<TermId> rowsStored(TermId table, TermId values, std::vector<std::int64_t> rows, bool mayRepeat);
    [[nodiscard]] std::optional<TermId> boxStored(TermId table, TermId values, const std::vector<Dim>& lows, const std::vector<Dim>& highs);
    [[nodiscard]] std::optional<TermId> storeSliceOp();
    [[nodiscard]] std::optional<TermId> scatterOp();
    [[nodiscard]] std::vector<TermId> splitOp();
    [[nodiscard]] std::optional<TermId> reduceOp();
    [[nodiscard]] std::optional<TermId> softmaxOp();
    [[nodiscard]] std::optional<Operator> windowOperator(std::size_t spatialRank, bool pooling) const;
};

} // namespace lemmascope
