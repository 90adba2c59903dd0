#pragma once

#include "core/graph/graph.h"
#include "core/match/subject.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lemmascope::match {

/// The operand that newer opsets read what was an attribute from.
[[nodiscard]] std::optional<std::size_t> attributePosition(const OpId& op, const std::string& name);

/// The values of a graph's top level, typed by inference, as terms: value i is term i; a node whose first result nobody names has a term
/// behind those. Equal computations have equal numbers: pure nodes with the same operator (as its opset defines it), attributes (defaults
/// filled in) and operands; inputs, random nodes, nodes with graphs inside and large constants are each their own.
class GraphSubject : public Subject {
  public:
    explicit GraphSubject(std::shared_ptr<const Graph> graph);

    [[nodiscard]] const Graph& graph() const { return *m_graph; }
    [[nodiscard]] const std::shared_ptr<const Graph>& shared() const { return m_graph; }
    /// The node that makes the value; invalid for inputs and constants.
    [[nodiscard]] NodeId nodeOf(TermId term) const;
    /// Result 0 of the node.
    [[nodiscard]] TermId termOf(NodeId node) const;
    /// Node operands that read the value, and outputs that are it.
    [[nodiscard]] std::uint32_t useCount(TermId term) const { return m_uses[term.index]; }
    [[nodiscard]] bool isOutput(TermId term) const;
    /// Nodes that read the value, in order.
    [[nodiscard]] const std::vector<NodeId>& readers(TermId term) const { return m_readers[term.index]; }

    [[nodiscard]] bool symbolIs(SymbolId symbol, const OperatorName& wanted) const override;
    [[nodiscard]] std::vector<SymbolId> symbolsNamed(const OperatorName& wanted) const override;
    [[nodiscard]] std::string symbolText(SymbolId symbol) const override;
    [[nodiscard]] FactValue fact(FactKind kind, TermId term, const FactValue& argument) const override;
    [[nodiscard]] FactValue attribute(TermId term, const std::string& name) const override;
    [[nodiscard]] std::optional<std::size_t> attributeOperand(TermId term, const std::string& name, std::size_t patternOperands) const override;
    [[nodiscard]] FactValue constant(TermId term) const override;
    [[nodiscard]] bool constantIs(TermId term, const NumberLiteral& number) const override;
    [[nodiscard]] bool attributeIs(TermId term, const std::string& name, const FactValue& found, const AttributeValue& wanted) const override;
    /// The value's name.
    [[nodiscard]] std::string termText(TermId term) const override;
    /// The node's name with its operator, `add_3 (Add)`; `graph input x`, `constant w`.
    [[nodiscard]] std::string nodeText(TermId term) const override;

  private:
    struct Symbol {
        OpId op;          ///< of nodes
        std::string leaf; ///< of inputs and constants: the value's name
        bool isLeaf = false;
    };
    std::shared_ptr<const Graph> m_graph;
    std::vector<Symbol> m_symbols;
    std::multimap<std::string, SymbolId> m_symbolsByName; ///< lower case
    std::vector<NodeId> m_extraNodes;                     ///< of terms behind the values
    std::vector<TermId> m_nodeTerms;
    std::vector<std::uint32_t> m_uses;
    std::vector<std::vector<NodeId>> m_readers;
    mutable std::vector<std::uint64_t> m_sizes;                 ///< made when first asked for
    std::vector<std::map<std::string, Attribute>> m_attributes; ///< by node, defaults filled in

    void addTerms();
    [[nodiscard]] static std::string classOf(const Symbol& symbol);
    void addNumbers();
    [[nodiscard]] std::optional<std::int64_t> rankFor(TermId term, const std::string& name) const;
};

} // namespace lemmascope::match
