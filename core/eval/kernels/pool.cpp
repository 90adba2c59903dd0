// MaxPool, AveragePool, LpPool and their global forms.

#include "core/eval/dot.h"
#include "core/eval/kernel_table.h"
#include "core/eval/window.h"

#include <algorithm>
#include <limits>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

struct PoolPlan {
    WindowPlan window;
    Ints result;
    std::int64_t images = 0; ///< batch times channels
    std::int64_t spatial = 1;
    std::int64_t positions = 1;
    std::int64_t taps = 1;
};

std::optional<PoolPlan> planPool(NodeRun& run, bool global) {
    const Ints x = run.in(0).shape();
    if (run.stopped() || !run.require(x.size() >= 3 || (global && x.size() == 2), "a pool needs [batch, channels, spatial ...]")) {
        return std::nullopt;
    }
    PoolPlan plan;
    const Ints input(x.begin() + 2, x.end());
    if (global) {
        plan.window = {
            input, input, Ints(input.size(), 1), Ints(input.size(), 1), Ints(input.size(), 0), Ints(input.size(), 0), Ints(input.size(), 1)};
    } else {
        auto window = planWindow(run, input, run.integers("kernel_shape"), run.integer("ceil_mode", 0) != 0);
        if (!window) {
            return std::nullopt;
        }
        plan.window = std::move(*window);
    }
    plan.result = {x[0], x[1]};
    plan.result.insert(plan.result.end(), plan.window.output.begin(), plan.window.output.end());
    plan.images = x[0] * x[1];
    for (std::size_t axis = 0; axis < input.size(); ++axis) {
        plan.spatial *= input[axis];
        plan.positions *= plan.window.output[axis];
        plan.taps *= plan.window.kernel[axis];
    }
    if (!run.checkSize(plan.result, sizeof(Interval)) || !run.charge(*elementCountOf(plan.result), plan.taps)) {
        return std::nullopt;
    }
    return plan;
}

/// Visits every window: f(image, position, offsets of the taps inside the data, number of taps inside the padded data).
template <typename F>
bool eachWindow(NodeRun& run, const PoolPlan& plan, F f) {
    if (run.stopped()) {
        return false;
    }
    const WindowPlan& window = plan.window;
    const Ints strides = rowMajorStrides(window.input);
    Ints position(window.rank(), 0);
    Ints offsets;
    for (std::int64_t p = 0; p < plan.positions; ++p) {
        offsets.clear();
        std::int64_t padded = 0;
        Ints tap(window.rank(), 0);
        for (std::int64_t k = 0; k < plan.taps; ++k) {
            std::int64_t offset = 0;
            bool inside = true;
            bool insidePadded = true;
            for (std::size_t axis = 0; axis < window.rank(); ++axis) {
                const std::int64_t at = position[axis] * window.strides[axis] + tap[axis] * window.dilations[axis] - window.before[axis];
                inside = inside && at >= 0 && at < window.input[axis];
                insidePadded = insidePadded && at < window.input[axis] + window.after[axis];
                offset += at * strides[axis];
            }
            if (inside) {
                offsets.push_back(offset);
            }
            padded += insidePadded ? 1 : 0;
            (void)advance(tap, window.kernel);
        }
        for (std::int64_t image = 0; image < plan.images; ++image) {
            f(image, p, offsets, padded);
            if (!run.tick(offsets.size() + 1)) {
                return false;
            }
        }
        (void)advance(position, window.output);
    }
    return !run.stopped();
}

/// Flat index into the whole operand; with storage_order 1 the last two... spatial axes count column-major.
std::int64_t reportedIndex(const PoolPlan& plan, std::int64_t image, std::int64_t offset, bool columnMajor) {
    if (!columnMajor) {
        return image * plan.spatial + offset;
    }
    const Ints strides = rowMajorStrides(plan.window.input);
    std::int64_t out = 0;
    std::int64_t step = 1;
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
        out += offset / strides[axis] % plan.window.input[axis] * step;
        step *= plan.window.input[axis];
    }
    return image * plan.spatial + out;
}

template <bool Global>
void maxPool(NodeRun& run) {
    const auto plan = planPool(run, Global);
    if (!plan) {
        return;
    }
    const ElementType type = run.in(0).element();
    const bool columnMajor = run.integer("storage_order", 0) != 0;
    run.visitNumber(type, run.in(0).isInterval(), [&](auto one) {
        using S = decltype(one);
        const std::vector<S> data = run.numbers<S>(0);
        const auto count = static_cast<std::size_t>(plan->images * plan->positions);
        std::vector<S> out(count);
        Ints indices(run.wants(1) ? count : 0);
        std::vector<Interval> indexBounds(run.wants(1) && std::is_same_v<S, Interval> ? count : 0);
        const bool done = eachWindow(run, *plan, [&](std::int64_t image, std::int64_t position, const Ints& offsets, std::int64_t) {
            const S* from = data.data() + image * plan->spatial;
            const auto to = static_cast<std::size_t>(image * plan->positions + position);
            if (offsets.empty()) {
                if constexpr (std::is_integral_v<S>) {
                    out[to] = isSignedInteger(type) ? static_cast<S>(std::uint64_t{1} << (bitWidth(type) - 1)) : S{0};
                } else {
                    out[to] = lifted<S>(-interval::Infinity);
                }
                return;
            }
            std::int64_t best = offsets[0];
            S value = from[best];
            for (std::size_t k = 1; k < offsets.size(); ++k) {
                const S& next = from[offsets[k]];
                if constexpr (std::is_same_v<S, Interval>) {
                    value = interval::max(value, next);
                } else if (next > value || next != next) {
                    value = next;
                    best = offsets[k];
                }
            }
            out[to] = value;
            if (indices.empty()) {
                return;
            }
            indices[to] = reportedIndex(*plan, image, best, columnMajor);
            if constexpr (std::is_same_v<S, Interval>) {
                Interval bounds = interval::undefined();
                for (const std::int64_t offset : offsets) {
                    if (from[offset].hi >= value.lo || value.isUndefined()) {
                        const Interval at = interval::point(static_cast<double>(reportedIndex(*plan, image, offset, columnMajor)));
                        bounds = bounds.isUndefined() ? at : interval::hull(bounds, at);
                    }
                }
                indexBounds[to] = bounds;
            }
        });
        if (!done) {
            return;
        }
        run.give<S>(0, type, plan->result, out);
        if constexpr (std::is_same_v<S, Interval>) {
            if (run.wants(1)) {
                run.give<Interval>(1, ElementType::I64, plan->result, indexBounds);
            }
        } else if (run.wants(1)) {
            run.giveIntegers(1, plan->result, indices);
        }
    });
}

template <bool Global>
void averagePool(NodeRun& run) {
    const auto plan = planPool(run, Global);
    if (!plan) {
        return;
    }
    const ElementType type = run.in(0).element();
    const bool countPadding = run.integer("count_include_pad", 0) != 0;
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        const std::vector<S> data = run.numbers<S>(0);
        std::vector<S> out(static_cast<std::size_t>(plan->images * plan->positions));
        const bool done = eachWindow(run, *plan, [&](std::int64_t image, std::int64_t position, const Ints& offsets, std::int64_t padded) {
            Dot<S> sum;
            for (const std::int64_t offset : offsets) {
                sum.add(data[static_cast<std::size_t>(image * plan->spatial + offset)]);
            }
            const auto divisor = static_cast<double>(countPadding ? padded : static_cast<std::int64_t>(offsets.size()));
            const S total = sum.value();
            out[static_cast<std::size_t>(image * plan->positions + position)] =
                offsets.empty() && divisor == 0.0 && !Global ? S{} : total / lifted<S>(divisor);
        });
        if (done) {
            run.give<S>(0, type, plan->result, out);
        }
    });
}

template <typename S>
S rootOfPower(const S& sum, double p) {
    if (p == 1.0) {
        return sum;
    }
    if (p == 2.0) {
        return rootOf(sum);
    }
    if constexpr (std::is_same_v<S, Interval>) {
        Interval exponent;
        {
            const ScopedRounding none{IntervalRounding{}};
            exponent = interval::point(1.0) / interval::point(p);
        }
        return interval::pow(sum, exponent);
    } else {
        return static_cast<S>(std::pow(static_cast<double>(sum), 1.0 / p));
    }
}

template <bool Global>
void lpPool(NodeRun& run) {
    const auto plan = planPool(run, Global);
    if (!plan) {
        return;
    }
    const ElementType type = run.in(0).element();
    const double p = run.version() < 2 ? run.real("p", 2.0) : static_cast<double>(run.integer("p", 2));
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        const std::vector<S> data = run.numbers<S>(0);
        std::vector<S> out(static_cast<std::size_t>(plan->images * plan->positions));
        const bool done = eachWindow(run, *plan, [&](std::int64_t image, std::int64_t position, const Ints& offsets, std::int64_t) {
            Dot<S> sum;
            for (const std::int64_t offset : offsets) {
                const S magnitude = absOf(data[static_cast<std::size_t>(image * plan->spatial + offset)]);
                if (p == 1.0) {
                    sum.add(magnitude);
                } else if (p == 2.0) {
                    sum.add(squareOf(magnitude));
                } else if constexpr (std::is_same_v<S, Interval>) {
                    sum.add(interval::pow(magnitude, interval::point(p)));
                } else {
                    sum.add(static_cast<S>(std::pow(static_cast<double>(magnitude), p)));
                }
            }
            out[static_cast<std::size_t>(image * plan->positions + position)] = rootOfPower(sum.value(), p);
        });
        if (done) {
            run.give<S>(0, type, plan->result, out);
        }
    });
}

constexpr auto F = KernelTypes::Floats;

constexpr Kernel Kernels[] = {
    {"", "MaxPool", 1, 0, KernelTypes::Numbers, maxPool<false>},
    {"", "GlobalMaxPool", 1, 0, F, maxPool<true>},
    {"", "AveragePool", 1, 0, F, averagePool<false>},
    {"", "GlobalAveragePool", 1, 0, F, averagePool<true>},
    {"", "LpPool", 1, 0, F, lpPool<false>},
    {"", "GlobalLpPool", 1, 0, F, lpPool<true>},
};

} // namespace

std::span<const Kernel> poolKernels() { return Kernels; }

} // namespace lemmascope
