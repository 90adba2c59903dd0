#pragma once

#include "core/eval/dot.h"
#include "core/eval/node_run.h"

#include <cstdint>
#include <vector>

namespace lemmascope {

/// One factor of a matrix product in memory: element (r, c) at offset + r * rowStride + c * columnStride.
template <typename S>
struct MatrixView {
    const S* data = nullptr;
    std::int64_t rowStride = 0;
    std::int64_t columnStride = 0;
};

/// out[r * columns + c] = sum over k of a(r, k) b(k, c), accumulated in order of k. False when cancelled.
template <typename S>
bool multiplyMatrices(NodeRun& run, const MatrixView<S>& a, const MatrixView<S>& b, S* out, std::int64_t rows, std::int64_t inner,
                      std::int64_t columns) {
    // A block of columns at a time keeps the running sums in cache; all of b's block is read once per row of a.
    constexpr std::int64_t Block = 256;
    std::vector<Dot<S>> sums;
    for (std::int64_t first = 0; first < columns; first += Block) {
        const std::int64_t count = std::min(Block, columns - first);
        for (std::int64_t r = 0; r < rows; ++r) {
            sums.assign(static_cast<std::size_t>(count), Dot<S>{});
            for (std::int64_t k = 0; k < inner; ++k) {
                const S& left = a.data[r * a.rowStride + k * a.columnStride];
                const S* right = b.data + k * b.rowStride + first * b.columnStride;
                if (b.columnStride == 1) { // a loop that vectorises: each sum still adds in the order of k
                    for (std::int64_t c = 0; c < count; ++c) {
                        sums[static_cast<std::size_t>(c)].addProduct(left, right[c]);
                    }
                    continue;
                }
                for (std::int64_t c = 0; c < count; ++c) {
                    sums[static_cast<std::size_t>(c)].addProduct(left, right[c * b.columnStride]);
                }
            }
            for (std::int64_t c = 0; c < count; ++c) {
                out[r * columns + first + c] = sums[static_cast<std::size_t>(c)].value();
            }
            if (!run.tick(static_cast<std::uint64_t>(std::max<std::int64_t>(inner, 1) * count))) {
                return false;
            }
        }
    }
    return true;
}

/// Shapes of a batched product after NumPy's matmul rules: a vector operand counts as one row or one column.
struct MatmulPlan {
    std::vector<std::int64_t> batch;     ///< broadcast leading axes
    std::vector<std::int64_t> result;    ///< the result's shape
    std::vector<std::int64_t> leftBatch; ///< strides of the batch axes, in elements
    std::vector<std::int64_t> rightBatch;
    std::int64_t rows = 0;
    std::int64_t inner = 0;
    std::int64_t columns = 0;
};
[[nodiscard]] std::optional<MatmulPlan> planMatmul(NodeRun& run, std::vector<std::int64_t> left, std::vector<std::int64_t> right);

/// All of the batched product of contiguous operands; empty when the node has ended.
template <typename S>
[[nodiscard]] std::vector<S> batchedProduct(NodeRun& run, const MatmulPlan& plan, const std::vector<S>& left, const std::vector<S>& right);

} // namespace lemmascope
