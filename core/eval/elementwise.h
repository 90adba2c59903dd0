#pragma once

#include "core/eval/node_run.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lemmascope {

/// What an elementwise op knows besides its operands' elements.
struct ElementwiseContext {
    ElementType element = ElementType::Undefined; ///< declared type of the operands (of the first)
    std::size_t operandCount = 0;
    double a = 0.0; ///< parameters of the op
    double b = 0.0;
    bool flag = false;
    bool mixed = false; ///< float operands may stand beside an integer first one (in enclosures only)
};

/// Computes `count` elements: in[k][i] -> out[i]. Comparisons give 0 or 1. Returns the first i at which an integer is
/// divided by zero, or -1.
template <typename S>
using ElementwiseLoop = std::int64_t (*)(const S* const* in, S* out, std::int64_t count, const ElementwiseContext& context);

/// One scalar function in the four types of computation; null where it has no meaning. Every float type computes in double
/// and is rounded once (innocuous for + - * / and sqrt: double has more than 2p + 2 digits); integers compute in 64 bits
/// and wrap to their width.
struct ElementwiseOp {
    ElementwiseLoop<double> real = nullptr;
    ElementwiseLoop<Interval> enclosure = nullptr;
    ElementwiseLoop<std::int64_t> integer = nullptr;
    ElementwiseLoop<std::uint64_t> unsignedInteger = nullptr;
    ElementwiseLoop<Interval> integerEnclosure = nullptr; ///< for integers; `enclosure` when null
};

/// NumPy broadcasting of all shapes (ONNX Broadcasting.md); fails naming the operands.
[[nodiscard]] std::optional<std::vector<std::int64_t>> broadcastShape(NodeRun& run, std::span<const std::vector<std::int64_t>> shapes);

/// Strides, in elements, of an operand of `shape` broadcast to `target`: 0 along broadcast axes.
[[nodiscard]] std::vector<std::int64_t> broadcastStrides(std::span<const std::int64_t> shape, std::span<const std::int64_t> target);

/// Runs an op over broadcast operands and gives result 0 of type `result`.
void runElementwise(NodeRun& run, std::span<const std::size_t> operands, ElementType result, const ElementwiseOp& op,
                    ElementwiseContext context = {});

/// Walks all index tuples of `shape` in row-major order along its last axis: calls f(offsets, length) once per innermost row,
/// with the flat offset of each operand at the row's start. `strides[k]` belong to operand k. f returns false to end.
template <typename F>
bool walkRows(std::span<const std::int64_t> shape, std::span<const std::vector<std::int64_t>> strides, F f) {
    const std::size_t outer = shape.empty() ? 0 : shape.size() - 1;
    for (const std::int64_t length : shape) {
        if (length == 0) {
            return true;
        }
    }
    std::vector<std::int64_t> index(outer, 0);
    std::vector<std::int64_t> offsets(strides.size(), 0);
    const std::int64_t length = shape.empty() ? 1 : shape.back();
    for (;;) {
        if (!f(std::span<const std::int64_t>(offsets), length)) {
            return false;
        }
        std::size_t axis = outer;
        for (;; --axis) {
            if (axis == 0) {
                return true;
            }
            const std::size_t at = axis - 1;
            for (std::size_t k = 0; k < strides.size(); ++k) {
                offsets[k] += strides[k][at];
            }
            if (++index[at] < shape[at]) {
                break;
            }
            for (std::size_t k = 0; k < strides.size(); ++k) {
                offsets[k] -= strides[k][at] * shape[at];
            }
            index[at] = 0;
        }
    }
}

} // namespace lemmascope
