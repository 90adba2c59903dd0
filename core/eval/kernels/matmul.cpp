// MatMul, Gemm and their fused forms.

#include "core/eval/activation.h"
#include "core/eval/elementwise.h"
#include "core/eval/kernel_table.h"
#include "core/eval/matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;
constexpr std::array<std::size_t, 3> Three{0, 1, 2};

void matmul(NodeRun& run) {
    const ElementType type = run.in(0).element();
    if (!run.require(run.in(1).element() == type, "the operands' element types differ")) {
        return;
    }
    const auto plan = planMatmul(run, run.in(0).shape(), run.in(1).shape());
    if (!plan) {
        return;
    }
    run.visitNumber(type, run.anyInterval(Three), [&](auto one) {
        using S = decltype(one);
        run.give<S>(0, type, plan->result, batchedProduct<S>(run, *plan, run.numbers<S>(0), run.numbers<S>(1)));
    });
}

/// Integers stay exact at their width where the factor is one: a product of them need not fit into a double.
template <typename S>
S scaled(const S& value, double factor) {
    if constexpr (std::is_integral_v<S>) {
        constexpr double Most = 9.0e15; // whole numbers up to here are doubles
        if (factor == std::floor(factor) && std::abs(factor) <= Most) {
            return static_cast<S>(static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(static_cast<std::int64_t>(factor)));
        }
        return static_cast<S>(static_cast<double>(value) * factor);
    } else {
        return factor == 1.0 ? value : lifted<S>(factor) * value;
    }
}

/// alpha op(A) op(B) + beta C, and for FusedGemm its activation.
void gemm(NodeRun& run) {
    const ElementType type = run.in(0).element();
    const Ints a = run.in(0).shape();
    const Ints b = run.in(1).shape();
    const bool transA = run.integer("transA", 0) != 0;
    const bool transB = run.integer("transB", 0) != 0;
    const double alpha = run.real("alpha", 1.0);
    const double beta = run.real("beta", 1.0);
    if (run.stopped() || !run.require(a.size() == 2 && b.size() == 2, "Gemm multiplies two matrices")) {
        return;
    }
    std::optional<Activation> activation = activationByName(run.text("activation", ""));
    if (!activation) {
        run.open();
        return;
    }
    activation->alpha = run.real("activation_alpha", activation->alpha);
    activation->beta = run.real("activation_beta", activation->beta);
    const std::int64_t rows = a[transA ? 1 : 0];
    const std::int64_t inner = a[transA ? 0 : 1];
    const std::int64_t columns = b[transB ? 0 : 1];
    if (!run.require(b[transB ? 1 : 0] == inner, "the inner lengths differ") || !run.charge(rows * columns, inner)) {
        return;
    }
    const Ints shape{rows, columns};
    Ints bias;
    if (run.has(2)) {
        const std::array<Ints, 2> shapes{shape, run.in(2).shape()};
        const auto both = broadcastShape(run, shapes);
        if (!both || !run.require(*both == shape, "C does not broadcast to the product's shape")) {
            return;
        }
        bias = broadcastStrides(run.in(2).shape(), shape);
    }
    run.visitNumber(type, run.anyInterval(Three), [&](auto one) {
        using S = decltype(one);
        const std::vector<S> left = run.numbers<S>(0);
        const std::vector<S> right = run.numbers<S>(1);
        const std::vector<S> added = run.has(2) ? run.numbers<S>(2) : std::vector<S>{};
        if (run.stopped() || !run.checkSize(shape, sizeof(S))) {
            return;
        }
        std::vector<S> out(static_cast<std::size_t>(rows * columns));
        if (!multiplyMatrices<S>(run, {left.data(), transA ? 1 : inner, transA ? rows : 1}, {right.data(), transB ? 1 : columns, transB ? inner : 1},
                                 out.data(), rows, inner, columns)) {
            return;
        }
        for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t c = 0; c < columns && run.tick(1); ++c) {
                S& value = out[static_cast<std::size_t>(r * columns + c)];
                value = scaled(value, alpha);
                if (!bias.empty()) {
                    const S term = scaled(added[static_cast<std::size_t>(r * bias[0] + c * bias[1])], beta);
                    if constexpr (std::is_integral_v<S>) {
                        value = static_cast<S>(static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(term));
                    } else {
                        value = value + term;
                    }
                }
                if constexpr (!std::is_integral_v<S>) {
                    value = activated(*activation, value);
                }
            }
        }
        run.give<S>(0, type, shape, out);
    });
}

/// Permutes the axes of contiguous numbers.
template <typename S>
std::vector<S> permuted(const std::vector<S>& from, Ints& shape, const std::vector<std::size_t>& order) {
    const Ints strides = rowMajorStrides(shape);
    Ints newShape;
    std::vector<Ints> walked(1);
    for (const std::size_t axis : order) {
        newShape.push_back(shape[axis]);
        walked[0].push_back(strides[axis]);
    }
    std::vector<S> out;
    out.reserve(from.size());
    walkRows(newShape, walked, [&](std::span<const std::int64_t> at, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) {
            out.push_back(from[static_cast<std::size_t>(at[0] + (newShape.empty() ? 0 : i * walked[0].back()))]);
        }
        return true;
    });
    shape = newShape;
    return out;
}

/// The order of axes that FusedMatMul's attributes ask for: transBatch moves the first axis behind the batch axes (before
/// the last), trans swaps the last two.
std::vector<std::size_t> fusedOrder(std::size_t rank, bool trans, bool transBatch) {
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (transBatch && rank > 2) {
        std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
    }
    if (trans && rank >= 2) {
        std::swap(order[rank - 1], order[rank - 2]);
    }
    return order;
}

void fusedMatmul(NodeRun& run) {
    const ElementType type = run.in(0).element();
    const double alpha = run.real("alpha", 1.0);
    const auto leftOrder = fusedOrder(run.in(0).rank(), run.integer("transA", 0) != 0, run.integer("transBatchA", 0) != 0);
    const auto rightOrder = fusedOrder(run.in(1).rank(), run.integer("transB", 0) != 0, run.integer("transBatchB", 0) != 0);
    if (run.stopped()) {
        return;
    }
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        std::vector<S> left = run.numbers<S>(0);
        std::vector<S> right = run.numbers<S>(1);
        if (run.stopped()) {
            return;
        }
        Ints leftShape = run.in(0).shape();
        Ints rightShape = run.in(1).shape();
        left = permuted(left, leftShape, leftOrder);
        right = permuted(right, rightShape, rightOrder);
        const auto plan = planMatmul(run, leftShape, rightShape);
        if (!plan) {
            return;
        }
        std::vector<S> out = batchedProduct<S>(run, *plan, left, right);
        for (S& value : out) {
            value = scaled(value, alpha);
        }
        run.give<S>(0, type, plan->result, out);
    });
}

constexpr Kernel Kernels[] = {
    {"", "MatMul", 1, 0, KernelTypes::Numbers, matmul},
    {"", "Gemm", 1, 0, KernelTypes::Numbers, gemm},
    {"com.microsoft", "FusedGemm", 1, 0, KernelTypes::Floats, gemm},
    {"com.microsoft", "FusedMatMul", 1, 0, KernelTypes::Floats, fusedMatmul},
};

} // namespace

std::span<const Kernel> matmulKernels() { return Kernels; }

} // namespace lemmascope
