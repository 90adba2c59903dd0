#pragma once

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/graph/dim_order.h"
#include "core/graph/graph.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope {

/// What inference knows of a value: its type, its elements where they are functions of the sizes, its content where constant.
struct ValueFacts {
    TensorType type;
    std::shared_ptr<const std::vector<Dim>> elements;
    const Tensor* constant = nullptr;
};

/// Names the node under inference for lengths that only data decides; computed when asked, since it hashes constants.
class NodeNaming {
  public:
    virtual ~NodeNaming() = default;
    [[nodiscard]] virtual Digest128 nodeDigest() = 0;
    [[nodiscard]] virtual std::string displayName() const = 0;
};

/// Elements tracked per tensor: shape arithmetic is short, weights are not.
inline constexpr std::int64_t MaxTrackedElements = 1024;

/// What the rule of an op reads and writes: one node, its operands' facts, its results' facts. A rule that finds the node wrong
/// calls `fail` and returns; helpers that return nothing have either failed already or found the fact unknown, so a rule just
/// returns on them and leaves what it has not set unknown.
class InferContext {
  public:
    /// `operands[i]` is null for an omitted operand. `sinceVersion`: of the schema in force.
    InferContext(const Node& node, int sinceVersion, const std::vector<const ValueFacts*>& operands, NodeNaming& naming, const DimOrder& order);

    /// What is known of the sizes of symbols.
    [[nodiscard]] const DimOrder& order() const { return m_order; }
    [[nodiscard]] const Node& node() const { return m_node; }
    /// The opset whose rules hold: the schema's since-version.
    [[nodiscard]] int since() const { return m_since; }

    [[nodiscard]] std::size_t operandCount() const { return m_operands.size(); }
    [[nodiscard]] bool has(std::size_t i) const { return i < m_operands.size() && m_operands[i] != nullptr; }
    /// Facts of an operand; of an omitted one, nothing known.
    [[nodiscard]] const ValueFacts& facts(std::size_t i) const;
    [[nodiscard]] const TensorType& type(std::size_t i) const { return facts(i).type; }
    [[nodiscard]] ElementType element(std::size_t i) const { return facts(i).type.element; }
    [[nodiscard]] const std::optional<Shape>& shape(std::size_t i) const { return facts(i).type.shape; }
    [[nodiscard]] const std::vector<Dim>* elements(std::size_t i) const { return facts(i).elements.get(); }
    [[nodiscard]] const Tensor* constant(std::size_t i) const { return facts(i).constant; }
    /// All elements of an integer operand as numbers, where known.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::size_t i) const;
    /// All elements of a constant numeric operand of at most MaxTrackedElements elements.
    [[nodiscard]] std::optional<std::vector<double>> numbers(std::size_t i) const;

    [[nodiscard]] bool hasAttribute(const std::string& key) const { return m_node.attributes.count(key) != 0; }
    [[nodiscard]] std::int64_t intAttribute(const std::string& key, std::int64_t fallback) const;
    [[nodiscard]] float floatAttribute(const std::string& key, float fallback) const;
    [[nodiscard]] std::string stringAttribute(const std::string& key, const std::string& fallback) const;
    [[nodiscard]] const std::vector<std::int64_t>* intsAttribute(const std::string& key) const;
    /// Axes and the like: from the attribute, else from the operand; `known` is false when an operand's content is not known.
    struct IntegerList {
        bool present = false;
        bool known = false;
        std::vector<std::int64_t> values;
    };
    [[nodiscard]] IntegerList listFrom(const std::string& key, std::size_t operand) const;

    [[nodiscard]] std::size_t resultCount() const { return m_results.size(); }
    void setResult(std::size_t i, ElementType element, std::optional<Shape> shape);
    void setResult(std::size_t i, TensorType type) { setResult(i, type.element, std::move(type.shape)); }
    /// Everything known of operand `from` holds of result `i`.
    void copyResult(std::size_t i, std::size_t from);
    /// `elements` are row-major and as many as the result's shape says.
    void setElements(std::size_t i, std::vector<Dim> elements);
    /// Result `i` is this constant.
    void setConstant(std::size_t i, Tensor tensor);
    [[nodiscard]] std::vector<ValueFacts>& results() { return m_results; }
    [[nodiscard]] std::vector<std::optional<Tensor>>& madeConstants() { return m_made; }

    /// Records the first error: `message` goes behind `node 'Conv_3': `.
    void fail(std::string message, ErrorCode code = ErrorCode::ShapeMismatch);
    [[nodiscard]] bool failed() const { return m_failed; }
    [[nodiscard]] const Error& error() const { return m_error; }

    /// An axis counted from the end when negative. Fails: "axis 3 is out of range for rank 2"; `what` names it.
    [[nodiscard]] std::optional<std::size_t> axis(std::int64_t given, std::size_t rank, std::string_view what = "attribute 'axis'");
    /// Several, in the order given. Fails also when one is named twice.
    [[nodiscard]] std::optional<std::vector<std::size_t>> axes(const std::vector<std::int64_t>& given, std::size_t rank,
                                                               std::string_view what = "attribute 'axes'");
    /// False, with an error, when the rank of operand `i` is known and is not `rank`.
    [[nodiscard]] bool checkRank(std::size_t i, std::size_t rank);
    /// False, with an error, when it is known and less than `rank`.
    [[nodiscard]] bool checkRankAtLeast(std::size_t i, std::size_t rank);
    /// False, with an error, when operands' element types are known and differ. Gives the common one in any case.
    [[nodiscard]] bool checkSameElement(std::initializer_list<std::size_t> operands);
    /// False, with an error, when operand `i` has a known element type that is not among `allowed`.
    [[nodiscard]] bool checkElement(std::size_t i, std::initializer_list<ElementType> allowed);
    /// False, with an error, when both are known and differ. `what` names what has the first length.
    [[nodiscard]] bool checkEqual(const Dim& found, const Dim& expected, std::string_view what);

    /// NumPy broadcasting of two shapes. Fails when two known lengths differ and neither is 1. Source: ONNX Broadcasting.md.
    [[nodiscard]] std::optional<Shape> broadcast(const Shape& a, const Shape& b);
    /// Of all operands from `first` to `last` (not included); nothing if a shape is unknown.
    [[nodiscard]] std::optional<Shape> broadcastOperands(std::size_t first, std::size_t last);
    [[nodiscard]] std::optional<Dim> broadcastDim(const Dim& a, const Dim& b);

    /// A length that only data decides: the same for equal computations in any graph.
    [[nodiscard]] Dim unknown(std::size_t result, std::size_t axis);
    /// A length that is some function of other lengths, named by `function`: equal for equal arguments.
    [[nodiscard]] static Dim derived(std::string_view function, const std::vector<Dim>& arguments);
    [[nodiscard]] Shape unknownShape(std::size_t result, std::size_t rank);

  private:
    const Node& m_node;
    int m_since;
    const std::vector<const ValueFacts*>& m_operands;
    NodeNaming& m_naming;
    const DimOrder& m_order;
    std::vector<ValueFacts> m_results;
    std::vector<std::optional<Tensor>> m_made;
    bool m_failed = false;
    Error m_error;
};

/// Lengths as numbers where all are.
[[nodiscard]] std::optional<std::vector<std::int64_t>> knownIntegers(const std::vector<Dim>& dims);
/// `1 value`, `4 values`
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

} // namespace lemmascope
