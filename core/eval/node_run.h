#pragma once

#include "core/eval/array.h"
#include "core/eval/interval_math.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope {

/// What all nodes of a run share: limits, the operation count, cancellation.
struct RunLimits {
    std::size_t maxTensorBytes = 0;
    std::uint64_t maxOperations = 0;
    std::uint64_t operations = 0;
    std::stop_token stop;
};

/// One node being evaluated: operands in, results out. A kernel is a function of it. The first `fail`, `fault`, `open` or
/// `undecided` ends the evaluation of the node: kernels return as soon as `stopped()`.
class NodeRun {
  public:
    NodeRun(const Node& node, Arithmetic arithmetic, RunLimits& limits) : m_node(node), m_arithmetic(arithmetic), m_limits(limits) {}

    [[nodiscard]] const Node& node() const { return m_node; }
    [[nodiscard]] Arithmetic arithmetic() const { return m_arithmetic; }
    [[nodiscard]] bool enclosing() const { return m_arithmetic == Arithmetic::Enclosure; }
    /// The opset in force; the newest when the model names none.
    [[nodiscard]] std::int64_t version() const;

    // Operands. An omitted optional operand and one past the end are both absent.
    std::vector<std::optional<Array>> operands;
    [[nodiscard]] std::size_t operandCount() const { return operands.size(); }
    [[nodiscard]] bool has(std::size_t i) const { return i < operands.size() && operands[i].has_value(); }
    /// Operand `i`; fails and gives an empty array when absent.
    [[nodiscard]] const Array& in(std::size_t i);
    /// All elements of operand `i` as scalars of computation.
    template <typename S>
    [[nodiscard]] std::vector<S> numbers(std::size_t i);
    /// An integer operand that steers the op (axes, shape, ...); undecided when it holds intervals.
    [[nodiscard]] std::vector<std::int64_t> steering(std::size_t i);
    [[nodiscard]] std::vector<double> steeringReals(std::size_t i); ///< likewise, any numeric type

    // Attributes.
    [[nodiscard]] bool hasAttribute(const char* name) const { return m_node.attributes.contains(name); }
    [[nodiscard]] std::int64_t integer(const char* name, std::int64_t otherwise) const;
    [[nodiscard]] double real(const char* name, double otherwise) const; ///< a float32 attribute, or an integer one
    [[nodiscard]] std::string text(const char* name, const char* otherwise) const;
    [[nodiscard]] std::vector<std::int64_t> integers(const char* name) const;
    [[nodiscard]] std::vector<double> reals(const char* name) const;
    /// A type attribute: an ONNX TensorProto.DataType number, or our name of the type. Undefined when it is neither.
    [[nodiscard]] ElementType elementType(const char* name, ElementType otherwise) const;

    // Ends of evaluation. All return false.
    bool fail(std::string message, ErrorCode code = ErrorCode::ShapeMismatch);
    bool require(bool holds, const char* message) { return holds || fail(message); }
    bool fault(Fault::Kind kind, std::size_t operand, std::vector<std::int64_t> index, std::vector<std::int64_t> size);
    bool open();      ///< no kernel for this case
    bool undecided(); ///< enclosures leave the result's shape, or all of it, unknown
    [[nodiscard]] bool stopped() const { return m_error || m_fault || m_open || m_undecided; }
    /// Counts work before it is done: TooLarge past the limit.
    bool charge(std::uint64_t operations);
    bool charge(std::int64_t a, std::int64_t b); ///< a * b operations, b at least 1
    /// Call in long loops with the work since the last call; false when cancelled (or stopped before).
    bool tick(std::uint64_t work);

    // Results.
    std::vector<std::optional<Array>> results;
    [[nodiscard]] bool wants(std::size_t k) const { return k < m_node.results.size() && m_node.results[k].isValid(); }
    bool checkSize(std::span<const std::int64_t> shape, std::size_t elementSize);
    /// Zeros stored as `like` is; nothing when too large.
    [[nodiscard]] std::optional<Array> makeLike(const Array& like, const std::vector<std::int64_t>& shape);
    /// Zeros as this run stores `declared`; `intervals`: for an integer type, whether as intervals.
    [[nodiscard]] std::optional<Array> make(ElementType declared, const std::vector<std::int64_t>& shape, bool intervals = false);
    void give(std::size_t k, Array array);
    /// Stores scalars of computation as result `k`.
    template <typename S>
    void give(std::size_t k, ElementType declared, const std::vector<std::int64_t>& shape, std::span<const S> values);
    template <typename S>
    void give(std::size_t k, ElementType declared, const std::vector<std::int64_t>& shape, const std::vector<S>& values) {
        give<S>(k, declared, shape, std::span<const S>(values));
    }
    /// An i64 (or other integer) tensor of known values.
    void giveIntegers(std::size_t k, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& values,
                      ElementType declared = ElementType::I64);

    // Choice of the scalar type of computation: calls f with a value of type S.
    /// True when an operand of the list (absent ones skipped) holds intervals.
    [[nodiscard]] bool anyInterval(std::span<const std::size_t> which) const;
    /// float, double or Interval for a float type.
    template <typename F>
    void visitFloat(ElementType declared, F&& f) {
        if (enclosing()) {
            f(Interval{});
        } else if (m_arithmetic == Arithmetic::Double || declared == ElementType::F64) {
            f(double{});
        } else {
            f(float{});
        }
    }
    /// As visitFloat, and int64_t or uint64_t for an integer type whose operands hold no intervals.
    template <typename F>
    void visitNumber(ElementType declared, bool intervals, F&& f) {
        if (isFloat(declared)) {
            visitFloat(declared, std::forward<F>(f));
        } else if (intervals) {
            f(Interval{});
        } else if (declared == ElementType::U64) {
            f(std::uint64_t{});
        } else {
            f(std::int64_t{});
        }
    }

    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    [[nodiscard]] const std::optional<Fault>& faulted() const { return m_fault; }
    [[nodiscard]] std::optional<std::size_t> faultedOperand() const { return m_faultOperand; }
    [[nodiscard]] bool isOpen() const { return m_open; }
    [[nodiscard]] bool isUndecided() const { return m_undecided; }

  private:
    const Node& m_node;
    Arithmetic m_arithmetic;
    RunLimits& m_limits;
    std::optional<Error> m_error;
    std::optional<Fault> m_fault;
    std::optional<std::size_t> m_faultOperand;
    bool m_open = false;
    bool m_undecided = false;
    std::uint64_t m_sinceCheck = 0;
};

/// Axis counted from the end when negative; fails outside [-rank, rank). For an axis that may be `rank`, pass rank + 1.
[[nodiscard]] std::optional<std::size_t> normalAxis(NodeRun& run, std::int64_t axis, std::size_t rank);
/// Axes as above, without repeats, in the order given.
[[nodiscard]] std::optional<std::vector<std::size_t>> normalAxes(NodeRun& run, std::span<const std::int64_t> axes, std::size_t rank);

} // namespace lemmascope
