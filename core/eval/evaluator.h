#pragma once

#include "core/base/result.h"
#include "core/graph/graph_tree.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope {

/// How numbers are computed.
enum class Arithmetic : std::uint8_t {
    Declared, ///< in each value's own element type, rounded after every operation as a CPU would
    Double,   ///< every float type computed as f64 (casts and quantisation still round as declared): "over the reals", nearly
    Enclosure ///< outward-rounded intervals that contain the real result, widened where `Widening` says
};

/// Enclosure mode: which nodes charge the rounding of their declared type, besides f64's own (resources/docs/decisions/confirmation.md). A node that
/// is not `widened` is enclosed as tightly as f64 intervals allow.
struct Widening {
    std::vector<bool> nodes;     ///< by FlatNodeId; empty: none
    std::vector<bool> constants; ///< by FlatValueId: stored float constants taken as +-2^-p relative; empty: none
};

/// An access out of range or an integer division by zero, the first in evaluation order.
struct Fault {
    enum class Kind : std::uint8_t { ReadOutOfRange, WriteOutOfRange, DivisionByZero };
    Kind kind = Kind::ReadOutOfRange;
    FlatNodeId node;
    std::string buffer;              ///< name of the value read or written
    std::vector<std::int64_t> index; ///< the offending index (one entry per indexed axis); the dividend for a division
    std::vector<std::int64_t> size;  ///< the lengths of those axes
};

/// A real interval; [-inf, inf] when nothing is known. `mayBeUndefined`: some point of it may be NaN or undefined
/// (x/0, log of a negative); an interval with lo > hi holds no defined point at all: undefined for certain.
struct Interval {
    double lo = 0.0;
    double hi = 0.0;
    bool mayBeUndefined = false;

    [[nodiscard]] bool isPoint() const { return lo == hi && !mayBeUndefined; }
    [[nodiscard]] bool isUndefined() const { return lo > hi; }
    friend bool operator==(const Interval&, const Interval&) = default;
};

/// Enclosures of a tensor of any numeric type (bool: within [0, 1]).
struct IntervalTensor {
    ElementType element = ElementType::Undefined;
    std::vector<std::int64_t> shape;
    std::vector<Interval> elements; ///< row-major
};

/// The values of one run, by FlatValueId; absent where a value was not computed: it depends on an op without a kernel, stands
/// in a branch not taken, or was not wanted. Values in a loop body keep those of the last iteration.
struct Evaluation {
    std::vector<std::optional<Tensor>> values; ///< Declared and Double (in Double mode floats are f64 tensors)
    /// Enclosure mode (where `values` still holds integers that are exact). In Double and Enclosure mode constants of more than
    /// 65,536 elements that are no output are left out.
    std::vector<std::optional<IntervalTensor>> enclosures;
    std::optional<Fault> fault;   ///< evaluation goes on past it; values that read it are absent
    std::vector<FlatNodeId> open; ///< nodes without a kernel that were reached, in order
    std::uint64_t operations = 0; ///< scalar operations, nearly
};

struct EvaluateOptions {
    Arithmetic arithmetic = Arithmetic::Declared;
    Widening widening;
    /// Values that replace what the graph would compute: results of open ops, random tensors, shared terms taken as points.
    /// Declared and Double mode read `given`; Enclosure mode reads `givenEnclosures` first, then `given` as points.
    std::map<FlatValueId, Tensor> given;
    std::map<FlatValueId, IntervalTensor> givenEnclosures;
    /// A run that would need more than this many bytes for one tensor, or more scalar operations, fails with TooLarge.
    std::size_t maxTensorBytes = std::size_t{1} << 31U;
    std::uint64_t maxOperations = std::uint64_t{1} << 40U;
    /// By FlatNodeId: top-level nodes that are not run, their results absent (a fault there goes unseen); empty: none.
    std::vector<bool> skipped;
    bool keepAll = true; ///< false: keep only graph outputs (inner values are dropped after their last use)
};

/// Runs a graph on concrete inputs, in the order of `tree.top().inputs`; an input that is absent must be in `given`.
/// Input types must match the declared ones; symbolic dims take the lengths found there, consistently.
/// Fails with ShapeMismatch (naming node and operand), TooLarge, Cancelled. A fault of the graph is a result, not a failure.
/// Semantics: ONNX operator documents at each node's opset; behaviour they leave open as ONNX Runtime has it on CPU.
[[nodiscard]] Result<Evaluation> evaluate(const GraphTree& tree, const std::vector<std::optional<Tensor>>& inputs,
                                          const EvaluateOptions& options = {}, std::stop_token stop = {});

/// True if the op has a kernel at this version, on these element types as far as known, or a definition of ours.
[[nodiscard]] bool hasKernel(const OpId& op, ElementType firstOperand = ElementType::Undefined);

/// Evaluates one node without nested graphs on constants (used to fold): results in order, or an error.
[[nodiscard]] Result<std::vector<Tensor>> evaluateNode(const Node& node, const std::vector<std::optional<Tensor>>& operands);

} // namespace lemmascope
