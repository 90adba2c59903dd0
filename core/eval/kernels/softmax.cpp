// Softmax, LogSoftmax, Hardmax. Before opset 13 they ran over all axes from `axis` on, flattened; since then over one.

#include "core/eval/dot.h"
#include "core/eval/kernel_table.h"
#include "core/eval/softmax_row.h"

#include <algorithm>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

/// Rows of a tensor: element i of row (o, n) stands at (o * length + i) * inner + n.
struct Rows {
    std::int64_t outer = 1;
    std::int64_t length = 1;
    std::int64_t inner = 1;
};

std::optional<Rows> rowsOf(NodeRun& run) {
    const Array& data = run.in(0);
    if (run.stopped()) {
        return std::nullopt;
    }
    const bool flattened = run.version() < 13;
    const auto axis = data.rank() == 0
                          ? std::optional<std::size_t>(0)
                          : normalAxis(run, run.integer("axis", flattened ? 1 : -1),
                                       data.rank() + (flattened && run.integer("axis", 1) == static_cast<std::int64_t>(data.rank()) ? 1 : 0));
    if (!axis) {
        return std::nullopt;
    }
    Rows rows;
    for (std::size_t k = 0; k < data.rank(); ++k) {
        (k < *axis ? rows.outer : k == *axis || flattened ? rows.length : rows.inner) *= data.dim(k);
    }
    return rows;
}

template <bool Logarithm>
void softmax(NodeRun& run) {
    const auto rows = rowsOf(run);
    if (!rows || !run.charge(static_cast<std::uint64_t>(run.in(0).count()))) {
        return;
    }
    const ElementType type = run.in(0).element();
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        std::vector<S> data = run.numbers<S>(0);
        if (run.stopped()) {
            return;
        }
        std::vector<S> row(static_cast<std::size_t>(rows->length));
        const auto at = [&rows](std::int64_t o, std::int64_t i, std::int64_t n) {
            return static_cast<std::size_t>((o * rows->length + i) * rows->inner + n);
        };
        for (std::int64_t o = 0; o < rows->outer && !row.empty(); ++o) {
            for (std::int64_t n = 0; n < rows->inner; ++n) {
                for (std::int64_t i = 0; i < rows->length; ++i) {
                    row[static_cast<std::size_t>(i)] = data[at(o, i, n)];
                }
                softmaxRow(row, Logarithm);
                for (std::int64_t i = 0; i < rows->length; ++i) {
                    data[at(o, i, n)] = row[static_cast<std::size_t>(i)];
                }
                if (!run.tick(static_cast<std::uint64_t>(rows->length))) {
                    return;
                }
            }
        }
        run.give<S>(0, type, run.in(0).shape(), data);
    });
}

/// 1 at the first largest element of each row, 0 elsewhere.
void hardmax(NodeRun& run) {
    const auto rows = rowsOf(run);
    if (!rows) {
        return;
    }
    const ElementType type = run.in(0).element();
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        std::vector<S> data = run.numbers<S>(0);
        const auto at = [&rows](std::int64_t row, std::int64_t i) {
            return static_cast<std::size_t>((row / rows->inner * rows->length + i) * rows->inner + row % rows->inner);
        };
        const std::int64_t count = rows->length == 0 ? 0 : rows->outer * rows->inner;
        for (std::int64_t row = 0; row < count && run.tick(static_cast<std::uint64_t>(rows->length)); ++row) {
            if constexpr (std::is_same_v<S, Interval>) {
                // Decided only where every element is a number.
                bool points = true;
                for (std::int64_t i = 0; i < rows->length; ++i) {
                    points = points && data[at(row, i)].isPoint();
                }
                if (!points) {
                    for (std::int64_t i = 0; i < rows->length; ++i) {
                        data[at(row, i)] = {0.0, 1.0, data[at(row, i)].mayBeUndefined};
                    }
                    continue;
                }
            }
            const auto larger = [](const S& a, const S& b) {
                if constexpr (std::is_same_v<S, Interval>) {
                    return a.lo > b.lo;
                } else {
                    return a > b;
                }
            };
            std::int64_t best = 0;
            for (std::int64_t i = 1; i < rows->length; ++i) {
                best = larger(data[at(row, i)], data[at(row, best)]) ? i : best;
            }
            for (std::int64_t i = 0; i < rows->length; ++i) {
                data[at(row, i)] = lifted<S>(i == best ? 1.0 : 0.0);
            }
        }
        run.give<S>(0, type, run.in(0).shape(), data);
    });
}

constexpr Kernel Kernels[] = {
    {"", "Hardmax", 1, 0, KernelTypes::Floats, hardmax},
    {"", "Softmax", 1, 0, KernelTypes::Floats, softmax<false>},
    {"", "LogSoftmax", 1, 0, KernelTypes::Floats, softmax<true>},
};

} // namespace

std::span<const Kernel> softmaxKernels() { return Kernels; }

} // namespace lemmascope
