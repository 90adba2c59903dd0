// Attention and RotaryEmbedding (ONNX opset 23) and ONNX Runtime's RotaryEmbedding.

#include "core/eval/dot.h"
#include "core/eval/elementwise.h"
#include "core/eval/kernel_table.h"
#include "core/eval/softmax_row.h"

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

/// A tensor [batch, heads, rows, size], whichever way it lies in memory.
struct HeadView {
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t rows = 0;
    std::int64_t size = 0;
    bool packed = false; ///< [batch, rows, heads * size]

    [[nodiscard]] std::size_t at(std::int64_t b, std::int64_t h, std::int64_t r) const {
        return static_cast<std::size_t>(packed ? ((b * rows + r) * heads + h) * size : ((b * heads + h) * rows + r) * size);
    }
};

std::optional<HeadView> headsOf(NodeRun& run, std::size_t operand, std::int64_t heads) {
    const Ints shape = run.in(operand).shape();
    if (run.stopped()) {
        return std::nullopt;
    }
    if (shape.size() == 4) {
        return HeadView{shape[0], shape[1], shape[2], shape[3], false};
    }
    if (!run.require(shape.size() == 3 && heads > 0 && shape[2] % heads == 0,
                     "an operand is neither [batch, heads, rows, size] nor [batch, rows, heads * size]")) {
        return std::nullopt;
    }
    return HeadView{shape[0], heads, shape[1], shape[2] / heads, true};
}

/// Keys or values with those of the past before them, as [batch, heads, rows, size].
template <typename S>
std::vector<S> joined(NodeRun& run, std::size_t now, const HeadView& view, std::size_t past, std::int64_t pastRows) {
    const std::vector<S> data = run.numbers<S>(now);
    const std::vector<S> before = pastRows > 0 ? run.numbers<S>(past) : std::vector<S>{};
    std::vector<S> out;
    if (run.stopped()) {
        return out;
    }
    for (std::int64_t b = 0; b < view.batch; ++b) {
        for (std::int64_t h = 0; h < view.heads; ++h) {
            const std::int64_t from = (b * view.heads + h) * pastRows * view.size;
            out.insert(out.end(), before.begin() + from, before.begin() + from + pastRows * view.size);
            for (std::int64_t r = 0; r < view.rows; ++r) {
                const auto at = data.begin() + static_cast<std::ptrdiff_t>(view.at(b, h, r));
                out.insert(out.end(), at, at + view.size);
            }
        }
    }
    return out;
}

void attention(NodeRun& run) {
    // Operands: Q, K, V, mask, past_key, past_value, (24) lengths of keys. Results: Y, present_key, present_value, products.
    const double softcap = run.real("softcap", 0.0);
    if (run.has(6) || (softcap != 0.0 && run.has(3))) {
        run.open(); // opsets differ in whether the mask or the cap comes first
        return;
    }
    const auto q = headsOf(run, 0, run.integer("q_num_heads", 0));
    const auto k = q ? headsOf(run, 1, run.integer("kv_num_heads", 0)) : std::nullopt;
    const auto v = k ? headsOf(run, 2, run.integer("kv_num_heads", 0)) : std::nullopt;
    if (!v) {
        return;
    }
    const bool past = run.has(4) && run.has(5);
    const std::int64_t pastRows = past && run.in(4).rank() == 4 ? run.in(4).dim(2) : 0;
    const std::int64_t total = pastRows + k->rows;
    const bool fits = q->size == k->size && k->heads == v->heads && k->rows == v->rows && k->heads > 0 && q->heads % k->heads == 0 &&
                      q->batch == k->batch && q->batch == v->batch &&
                      (!past || (run.in(4).shape() == Ints{k->batch, k->heads, pastRows, k->size} &&
                                 run.in(5).shape() == Ints{v->batch, v->heads, pastRows, v->size}));
    if (!run.require(fits, "queries, keys, values and past do not fit each other") ||
        !run.charge(q->batch * q->heads * q->rows, total * (q->size + v->size + 1))) {
        return;
    }
    const ElementType type = run.in(0).element();
    const Ints scores{q->batch, q->heads, q->rows, total};
    const bool boolMask = run.has(3) && run.in(3).element() == ElementType::Bool;
    std::vector<Ints> maskStrides;
    if (run.has(3)) {
        const std::array<Ints, 2> shapes{scores, run.in(3).shape()};
        const auto both = broadcastShape(run, shapes);
        if (!both || !run.require(*both == scores, "the mask does not broadcast to the scores")) {
            return;
        }
        maskStrides.push_back(broadcastStrides(shapes[1], scores));
    }
    const bool causal = run.integer("is_causal", 0) != 0;
    const std::int64_t productMode = run.integer("qk_matmul_output_mode", 0);
    const Ints result = q->packed ? Ints{q->batch, q->rows, q->heads * v->size} : Ints{q->batch, q->heads, q->rows, v->size};
    const HeadView out{q->batch, q->heads, q->rows, v->size, q->packed};
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        const std::vector<S> queries = run.numbers<S>(0);
        const std::vector<S> keys = joined<S>(run, 1, *k, 4, pastRows);
        const std::vector<S> values = joined<S>(run, 2, *v, 5, pastRows);
        const std::vector<S> mask = run.has(3) && !boolMask ? run.numbers<S>(3) : std::vector<S>{};
        const Ints allowed = boolMask ? run.steering(3) : Ints{};
        if (run.stopped() || !run.checkSize(result, sizeof(S)) || !run.checkSize(scores, sizeof(S))) {
            return;
        }
        S scale = lifted<S>(run.real("scale", 0.0));
        if (!run.hasAttribute("scale")) {
            scale = lifted<S>(1.0) / rootOf(lifted<S>(static_cast<double>(q->size)));
        }
        std::vector<S> y(static_cast<std::size_t>(elementCountOf(result).value_or(0)));
        std::vector<S> products;
        std::vector<S> row(static_cast<std::size_t>(total));
        for (std::int64_t b = 0; b < q->batch && total > 0; ++b) {
            for (std::int64_t h = 0; h < q->heads; ++h) {
                const std::int64_t kv = h / (q->heads / k->heads);
                const std::size_t head = static_cast<std::size_t>(b * k->heads + kv);
                for (std::int64_t i = 0; i < q->rows; ++i) {
                    const S* query = queries.data() + q->at(b, h, i);
                    for (std::int64_t j = 0; j < total; ++j) {
                        Dot<S> sum;
                        const S* key =
                            keys.data() + (head * static_cast<std::size_t>(total) + static_cast<std::size_t>(j)) * static_cast<std::size_t>(k->size);
                        for (std::int64_t c = 0; c < k->size; ++c) {
                            sum.addProduct(query[c], key[c]);
                        }
                        S score = sum.value() * scale;
                        if (run.wants(3) && productMode == 0) {
                            products.push_back(score);
                        }
                        if (softcap != 0.0) {
                            const S cap = lifted<S>(softcap);
                            if constexpr (std::is_same_v<S, Interval>) {
                                score = cap * interval::tanh(score / cap);
                            } else {
                                score = cap * static_cast<S>(std::tanh(static_cast<double>(score / cap)));
                            }
                        }
                        bool open = !causal || j <= i + pastRows;
                        if (run.has(3)) {
                            const Ints& m = maskStrides[0];
                            const auto at = static_cast<std::size_t>(b * m[0] + h * m[1] + i * m[2] + j * m[3]);
                            open = open && (!boolMask || allowed[at] != 0);
                            score = boolMask ? score : score + mask[at];
                        }
                        row[static_cast<std::size_t>(j)] = open ? score : lifted<S>(-interval::Infinity);
                    }
                    if (run.wants(3) && (productMode == 1 || productMode == 2)) {
                        products.insert(products.end(), row.begin(), row.end());
                    }
                    softmaxRow(row, false);
                    if (run.wants(3) && productMode == 3) {
                        products.insert(products.end(), row.begin(), row.end());
                    }
                    for (std::int64_t c = 0; c < v->size; ++c) {
                        Dot<S> sum;
                        for (std::int64_t j = 0; j < total; ++j) {
                            sum.addProduct(
                                row[static_cast<std::size_t>(j)],
                                values[(head * static_cast<std::size_t>(total) + static_cast<std::size_t>(j)) * static_cast<std::size_t>(v->size) +
                                       static_cast<std::size_t>(c)]);
                        }
                        y[out.at(b, h, i) + static_cast<std::size_t>(c)] = sum.value();
                    }
                    if (!run.tick(static_cast<std::uint64_t>(total * (k->size + v->size)))) {
                        return;
                    }
                }
            }
        }
        run.give<S>(0, type, result, y);
        run.give<S>(1, type, {k->batch, k->heads, total, k->size}, keys);
        run.give<S>(2, type, {v->batch, v->heads, total, v->size}, values);
        if (run.wants(3)) {
            run.give<S>(3, type, scores, products);
        }
    });
}

/// `Microsoft`: operands input, positions, cos, sin; ONNX: input, cos, sin, positions (optional: the caches then have one row
/// per batch and position).
template <bool Microsoft>
void rotaryEmbedding(NodeRun& run) {
    const std::size_t cosOperand = Microsoft ? 2 : 1;
    const std::size_t positionOperand = Microsoft ? 1 : 3;
    const Ints cache = run.in(cosOperand).shape();
    const Ints x = run.in(0).shape();
    if (run.stopped() || !run.require(!cache.empty() && run.in(cosOperand + 1).shape() == cache, "the caches differ in shape")) {
        return;
    }
    if (Microsoft && (run.real("scale", 1.0) != 1.0 || run.integer("is_packed_batching", 0) != 0)) {
        run.open();
        return;
    }
    std::int64_t heads = run.integer("num_heads", 0);
    const std::int64_t rotary = run.integer("rotary_embedding_dim", 0);
    if (heads == 0 && Microsoft && x.size() == 3 && rotary == 0) {
        heads = cache.back() > 0 ? x[2] / (2 * cache.back()) : 0;
    }
    const auto view = headsOf(run, 0, heads);
    if (!view) {
        return;
    }
    const std::int64_t turned = rotary > 0 ? rotary : view->size;
    const std::int64_t half = turned / 2;
    const Ints positions = run.has(positionOperand) ? run.steering(positionOperand) : Ints{};
    const bool perPosition = !positions.empty();
    const auto all = static_cast<std::size_t>(view->batch * view->rows);
    const bool fits = turned % 2 == 0 && turned <= view->size && cache.back() == half &&
                      (perPosition ? cache.size() == 2 && (positions.size() == all || positions.size() == 1)
                                   : elementCountOf(cache) == static_cast<std::int64_t>(all) * half);
    if (run.stopped() || !run.require(fits, "the caches or positions do not fit the data")) {
        return;
    }
    const bool interleaved = run.integer("interleaved", 0) != 0;
    const ElementType type = run.in(0).element();
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        const std::vector<S> data = run.numbers<S>(0);
        const std::vector<S> cosines = run.numbers<S>(cosOperand);
        const std::vector<S> sines = run.numbers<S>(cosOperand + 1);
        if (run.stopped()) {
            return;
        }
        std::vector<S> out = data;
        for (std::int64_t b = 0; b < view->batch; ++b) {
            for (std::int64_t r = 0; r < view->rows; ++r) {
                std::int64_t row = b * view->rows + r;
                if (perPosition) {
                    // One position stands for the first row of every batch.
                    row = positions.size() == 1 && all != 1 ? positions[0] + r : positions[static_cast<std::size_t>(row)];
                    if (row < 0 || row >= cache[0]) {
                        run.fault(Fault::Kind::ReadOutOfRange, cosOperand, {row}, {cache[0]});
                        return;
                    }
                }
                for (std::int64_t h = 0; h < view->heads; ++h) {
                    const std::size_t at = view->at(b, h, r);
                    for (std::int64_t k = 0; k < half; ++k) {
                        const std::size_t first = at + static_cast<std::size_t>(interleaved ? 2 * k : k);
                        const std::size_t second = at + static_cast<std::size_t>(interleaved ? 2 * k + 1 : k + half);
                        const S& c = cosines[static_cast<std::size_t>(row * half + k)];
                        const S& s = sines[static_cast<std::size_t>(row * half + k)];
                        out[first] = c * data[first] - s * data[second];
                        out[second] = s * data[first] + c * data[second];
                    }
                    if (!run.tick(static_cast<std::uint64_t>(turned))) {
                        return;
                    }
                }
            }
        }
        run.give<S>(0, type, x, out);
    });
}

constexpr auto F = KernelTypes::Floats;

constexpr Kernel Kernels[] = {
    {"", "Attention", 23, 0, F, attention},
    {"", "RotaryEmbedding", 23, 0, F, rotaryEmbedding<false>},
    {"com.microsoft", "RotaryEmbedding", 1, 0, F, rotaryEmbedding<true>},
};

} // namespace

std::span<const Kernel> attentionKernels() { return Kernels; }

} // namespace lemmascope
