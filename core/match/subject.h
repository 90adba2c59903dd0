#pragma once

#include "core/base/id.h"
#include "core/graph/element_type.h"
#include "core/match/pattern.h"
#include "core/match/value.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lemmascope::match {

using TermId = Id<struct MatchTermTag>; ///< index into Subject::terms; an invalid id is an omitted operand
using SymbolId = Id<struct SymbolTag>;  ///< an operator, or a leaf's name

/// One value of what is matched: an operator's result, or a leaf.
struct SubjectTerm {
    SymbolId head;
    std::uint32_t firstOperand = 0; ///< into Subject::operands
    std::uint32_t operandCount = 0;
    std::uint32_t number = 0; ///< equal computations have equal numbers
    std::uint32_t resultIndex = 0;
    TermId node; ///< result 0 of the same operator
};

/// What patterns are matched against: values with operators and operands, shared ones once, and what guards may ask about them.
class Subject {
  public:
    virtual ~Subject() = default;
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;

    [[nodiscard]] std::size_t size() const { return m_terms.size(); }
    [[nodiscard]] const SubjectTerm& term(TermId id) const { return m_terms[id.index]; }
    [[nodiscard]] std::span<const TermId> operands(TermId id) const {
        const SubjectTerm& at = m_terms[id.index];
        return std::span(m_operands).subspan(at.firstOperand, at.operandCount);
    }
    [[nodiscard]] std::size_t symbolCount() const { return m_symbolCount; }

    /// The operator is the one that a pattern names.
    [[nodiscard]] virtual bool symbolIs(SymbolId symbol, const OperatorName& wanted) const = 0;
    /// All symbols for which that is so.
    [[nodiscard]] virtual std::vector<SymbolId> symbolsNamed(const OperatorName& wanted) const;
    [[nodiscard]] virtual std::string symbolText(SymbolId symbol) const = 0;
    [[nodiscard]] const std::string& symbolClass(SymbolId symbol) const { return m_classes[symbol.index]; }
    /// A fact about a value; `argument` is dim's axis. Op and Cls are asked of its head. Undefined when it is not known.
    [[nodiscard]] virtual FactValue fact(FactKind kind, TermId term, const FactValue& argument) const = 0;
    /// Undefined when the node has no such attribute and no default for it.
    [[nodiscard]] virtual FactValue attribute(TermId term, const std::string& name) const = 0;
    /// The operand that holds what `name` was an attribute for, by position; `patternOperands`: how many operands the pattern writes.
    [[nodiscard]] virtual std::optional<std::size_t> attributeOperand(TermId term, const std::string& name, std::size_t patternOperands) const = 0;
    /// A constant's elements, as `attribute` would give them; undefined when it is none or a large one.
    [[nodiscard]] virtual FactValue constant(TermId term) const = 0;
    /// A constant of at least one element all of whose elements are the number, rounded to their type, or lie within its tolerance.
    [[nodiscard]] virtual bool constantIs(TermId term, const NumberLiteral& number) const = 0;
    /// An attribute is what the pattern asks for. `found` is defined.
    [[nodiscard]] virtual bool attributeIs(TermId term, const std::string& name, const FactValue& found, const AttributeValue& wanted) const = 0;
    /// How bindings and messages call the value.
    [[nodiscard]] virtual std::string termText(TermId term) const = 0;
    /// How messages call the node that makes the value, or the leaf.
    [[nodiscard]] virtual std::string nodeText(TermId term) const { return termText(term); }

  protected:
    Subject() = default;
    std::vector<SubjectTerm> m_terms;
    std::vector<TermId> m_operands;
    std::size_t m_symbolCount = 0;
    std::vector<std::string> m_classes; ///< by symbol
};

/// Operators and leaves of the unfolded term, as far as they are below 2^62; each value's from its operands'.
[[nodiscard]] std::vector<std::uint64_t> unfoldedSizes(const Subject& subject);

/// TensorProto.DataType of ONNX, as the attribute `to` of Cast; nothing where ONNX has no number that is known here.
[[nodiscard]] std::optional<std::int64_t> onnxNumber(ElementType type);

/// A found attribute against a pattern's value, without knowledge of the operator: numbers by value (a float rounded to 32 bits, or within
/// the tolerance), texts by their bytes, element types also by ONNX's numbers for them.
[[nodiscard]] bool attributeEquals(const FactValue& found, const AttributeValue& wanted);

} // namespace lemmascope::match
