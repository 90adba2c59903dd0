#pragma once

#include "core/base/digest.h"
#include "core/base/id.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace lemmascope {

using TermId = Id<struct TermTag>;
using OperatorId = Id<struct OperatorTag>;
using ViewId = Id<struct ViewTag>;

enum class TermKind : std::uint8_t {
    Input,    ///< a graph input: `payload` is its number among paired inputs
    Constant, ///< a flat (rank 1 or 0) constant: `payload` indexes `constants`
    Apply,    ///< an operator on operand terms
    View,     ///< a movement of one operand: `payload` is a ViewId
    Concat,   ///< operands joined along axis `payload`
    Bound     ///< a parameter of a loop body: `payload` is a number unique to (loop nesting, position)
};

/// The meaning of an applied op, opset forms already resolved: two nodes with equal operators and operands compute the same.
struct Operator {
    std::string name;                            ///< `Relu`, `com.microsoft.FusedConv`
    std::map<std::string, Attribute> attributes; ///< canonical: axes non-negative and sorted, defaults filled in
    bool elementwise = false;
    bool commutative = false;
    bool open = false;                            ///< nothing is known of it but that it is a function
    std::uint32_t result = 0;                     ///< which of the op's results
    ElementType element = ElementType::Undefined; ///< of the result; part of the key (Cast, comparisons)

    /// The attribute's value, or `fallback` when it is absent or of another type.
    template <typename T>
    [[nodiscard]] T attribute(const std::string& key, T fallback = {}) const {
        const auto at = attributes.find(key);
        const T* value = at == attributes.end() ? nullptr : std::get_if<T>(&at->second);
        return value != nullptr ? *value : fallback;
    }
};

/// One digit of a view: the result's flat index walks `extent` steps of `stride` through the source's flat index.
struct Mode {
    Dim extent;
    Dim stride;
    friend bool operator==(const Mode&, const Mode&) = default;
};

/// A function from a result's flat index to its source's: offset + sum of digit * stride, digits by mixed radix with the last
/// mode fastest. Coalesced: no extent 1, no neighbours that are one mode; then equal functions have equal modes.
struct View {
    Dim offset;
    std::vector<Mode> modes;
    friend bool operator==(const View&, const View&) = default;
};

struct Term {
    TermKind kind = TermKind::Input;
    OperatorId op;
    std::uint32_t firstOperand = 0;
    std::uint32_t operandCount = 0;
    std::uint32_t type = 0;
    std::uint32_t payload = 0;
};

/// Hash-consed terms of both graphs: equal terms have equal ids, operands have smaller ids than what reads them. No
/// per-term allocation: flat arrays and one open-addressing table.
class TermStore {
  public:
    TermStore();

    [[nodiscard]] TermId input(std::uint32_t number, const TensorType& type);
    [[nodiscard]] TermId bound(std::uint32_t number, const TensorType& type);
    /// A constant of any shape: the flat data is one term, its shape a view; a uniform constant is a view of its one element.
    [[nodiscard]] TermId constant(const Tensor& tensor);
    [[nodiscard]] TermId apply(OperatorId op, std::span<const TermId> operands, const TensorType& type);
    /// Joins along `axis` without any simplification (see movement.h for the constructors that simplify).
    [[nodiscard]] TermId rawConcat(std::uint32_t axis, std::span<const TermId> operands, const TensorType& type);
    [[nodiscard]] TermId rawView(TermId source, const View& view, const TensorType& type);

    [[nodiscard]] OperatorId internOperator(Operator op);
    [[nodiscard]] const Operator& op(OperatorId id) const { return m_operators[id.index]; }

    [[nodiscard]] std::size_t size() const { return m_terms.size(); }
    [[nodiscard]] const Term& term(TermId id) const { return m_terms[id.index]; }
    [[nodiscard]] TermKind kind(TermId id) const { return m_terms[id.index].kind; }
    [[nodiscard]] std::span<const TermId> operands(TermId id) const;
    [[nodiscard]] const TensorType& type(TermId id) const { return m_types[m_terms[id.index].type]; }
    [[nodiscard]] const Shape& shape(TermId id) const { return *type(id).shape; }
    [[nodiscard]] bool hasShape(TermId id) const { return type(id).shape.has_value(); }
    [[nodiscard]] const View& view(TermId id) const { return m_views[m_terms[id.index].payload]; }
    [[nodiscard]] const Tensor& constantTensor(TermId id) const { return m_constants[m_terms[id.index].payload]; }
    [[nodiscard]] const Operator& op(TermId id) const { return m_operators[m_terms[id.index].op.index]; }
    /// What a view is a view of; any other term itself.
    [[nodiscard]] TermId sourceOf(TermId id) const { return kind(id) == TermKind::View ? operands(id)[0] : id; }
    [[nodiscard]] bool isElementwise(TermId id) const { return kind(id) == TermKind::Apply && op(id).elementwise; }

    /// The representative under the laws that keep bits but for NaN payloads (resources/docs/decisions/numbers.md, strength `open`): equal
    /// representatives prove `open`, equal ids `identical`.
    [[nodiscard]] TermId openForm(TermId id);

    /// The single value of a constant or of a view of a uniform one.
    [[nodiscard]] std::optional<double> uniformValue(TermId id) const;
    /// The elements of a constant through at most one view, row-major, if the shape is static and at most `limit` long.
    [[nodiscard]] std::optional<Tensor> constantElements(TermId id, std::int64_t limit) const;

    /// Text for people and tests: `Relu(x[0:2])`; depth-limited.
    [[nodiscard]] std::string text(TermId id, int depth = 4) const;
    std::uint32_t formStores = 0;   ///< how many stores of forms were made over this one: each has its number
    std::uint64_t movementWork = 0; ///< steps taken by Movements, which stop simplifying past a limit
    /// What Movements made of views that enter elementwise ops, by the plain view: what one layer of a deep graph moved, the next one finds.
    std::unordered_map<std::uint32_t, TermId> movedViews;
    std::shared_ptr<const DefinitionLibrary> definitions; ///< the user's, of the graphs built here; null: none
    std::vector<std::string> notes;                       ///< what definitions did not cover, once each
    std::vector<std::string> inputNames;                  ///< by input number, for `text`

  private:
    std::vector<Term> m_terms;
    std::vector<TermId> m_operands;
    std::vector<std::uint32_t> m_hashes;
    std::vector<std::uint32_t> m_table; ///< open addressing: term index + 1
    std::vector<TermId> m_openForms;
    std::deque<Operator> m_operators; ///< deques: references stay valid while terms are made
    std::unordered_map<std::string, std::uint32_t> m_operatorIndex;
    std::deque<TensorType> m_types;
    std::unordered_map<std::string, std::uint32_t> m_typeIndex;
    std::deque<View> m_views;
    std::unordered_map<std::string, std::uint32_t> m_viewIndex;
    std::deque<Tensor> m_constants;
    std::unordered_map<Digest128, std::vector<std::uint32_t>> m_constantIndex;

    [[nodiscard]] TermId intern(Term term, std::span<const TermId> operands);
    [[nodiscard]] std::uint32_t internType(const TensorType& type);
    void grow();
};

} // namespace lemmascope
