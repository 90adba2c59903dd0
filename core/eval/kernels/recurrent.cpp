// LSTM, GRU, RNN: the equations of the ONNX operator documents, one step after the other.

#include "core/eval/activation.h"
#include "core/eval/kernel_table.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

enum class Cell : std::uint8_t { Lstm, Gru, Rnn };

struct RecurrentPlan {
    Cell cell = Cell::Rnn;
    std::int64_t gates = 1;
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t width = 0; ///< of the input
    std::int64_t hidden = 0;
    std::int64_t directions = 1;
    bool batchFirst = false; ///< layout 1
    bool firstBackward = false;
    bool resetAfter = false; ///< GRU's linear_before_reset
    double clip = 0.0;       ///< what gates are activated on lies in [-clip, clip]; 0: anything
    Ints lengths;
    std::vector<Activation> activations; ///< per direction: f, g, h
    std::size_t perDirection = 1;
};

/// Parameters are listed for the activations that take one, in order.
bool takesAlpha(Activation::Kind kind) {
    using K = Activation::Kind;
    return kind == K::LeakyRelu || kind == K::HardSigmoid || kind == K::ThresholdedRelu || kind == K::Elu || kind == K::Affine ||
           kind == K::ScaledTanh;
}
bool takesBeta(Activation::Kind kind) {
    using K = Activation::Kind;
    return kind == K::HardSigmoid || kind == K::Affine || kind == K::ScaledTanh;
}

bool readActivations(NodeRun& run, RecurrentPlan& plan, std::vector<std::string> names) {
    plan.perDirection = names.size();
    if (const auto* given = run.node().attribute<std::vector<std::string>>("activations"); given != nullptr && !given->empty()) {
        names = *given;
    } else if (plan.directions == 2) {
        const std::vector<std::string> once = names;
        names.insert(names.end(), once.begin(), once.end());
    }
    if (!run.require(names.size() == plan.perDirection * static_cast<std::size_t>(plan.directions), "attribute 'activations' has the wrong length")) {
        return false;
    }
    const std::vector<double> alphas = run.reals("activation_alpha");
    const std::vector<double> betas = run.reals("activation_beta");
    std::size_t alpha = 0;
    std::size_t beta = 0;
    for (const std::string& name : names) {
        std::optional<Activation> activation = activationByName(name);
        if (!activation || activation->kind == Activation::Kind::None) {
            return run.open();
        }
        if (takesAlpha(activation->kind) && alpha < alphas.size()) {
            activation->alpha = alphas[alpha++];
        }
        if (takesBeta(activation->kind) && beta < betas.size()) {
            activation->beta = betas[beta++];
        }
        plan.activations.push_back(*activation);
    }
    return true;
}

std::optional<RecurrentPlan> planRecurrent(NodeRun& run, Cell cell) {
    RecurrentPlan plan{.cell = cell, .gates = cell == Cell::Lstm ? 4 : cell == Cell::Gru ? 3 : 1};
    const Ints x = run.in(0).shape();
    const Ints w = run.in(1).shape();
    const Ints r = run.in(2).shape();
    if (run.stopped() || !run.require(x.size() == 3 && w.size() == 3 && r.size() == 3, "X, W and R must have rank 3")) {
        return std::nullopt;
    }
    plan.batchFirst = run.integer("layout", 0) != 0;
    plan.steps = x[plan.batchFirst ? 1 : 0];
    plan.batch = x[plan.batchFirst ? 0 : 1];
    plan.width = x[2];
    plan.hidden = r[2];
    const std::string direction = run.text("direction", "forward");
    plan.directions = direction == "bidirectional" ? 2 : 1;
    plan.firstBackward = direction == "reverse";
    plan.resetAfter = run.integer("linear_before_reset", 0) != 0;
    const bool fits = w[0] == plan.directions && r[0] == plan.directions && w[1] == plan.gates * plan.hidden && r[1] == w[1] && w[2] == plan.width;
    if (!run.require(fits, "W and R do not fit X and the direction")) {
        return std::nullopt;
    }
    if (run.integer("input_forget", 0) != 0) {
        run.open(); // runtimes differ in what they couple
        return std::nullopt;
    }
    if (run.hasAttribute("clip")) {
        plan.clip = run.real("clip", 0.0);
        if (!run.require(plan.clip > 0.0, "attribute 'clip' must be positive")) {
            return std::nullopt;
        }
    }
    plan.lengths.assign(static_cast<std::size_t>(plan.batch), plan.steps);
    if (run.has(4)) {
        plan.lengths = run.steering(4);
        const bool inRange = std::all_of(plan.lengths.begin(), plan.lengths.end(), [&plan](std::int64_t n) { return n >= 0 && n <= plan.steps; });
        if (run.stopped() || !run.require(static_cast<std::int64_t>(plan.lengths.size()) == plan.batch && inRange, "sequence_lens does not fit X")) {
            return std::nullopt;
        }
    }
    const std::vector<std::string> names = cell == Cell::Lstm  ? std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"}
                                           : cell == Cell::Gru ? std::vector<std::string>{"Sigmoid", "Tanh"}
                                                               : std::vector<std::string>{"Tanh"};
    if (!readActivations(run, plan, names) ||
        !run.charge(plan.steps * plan.batch * plan.directions, plan.gates * plan.hidden * (plan.width + plan.hidden))) {
        return std::nullopt;
    }
    return plan;
}

/// Weights and state of one direction.
template <typename S>
struct Weights {
    const S* input = nullptr;      ///< [gates * hidden, width]
    const S* recurrent = nullptr;  ///< [gates * hidden, hidden]
    const S* inputBias = nullptr;  ///< [gates * hidden] or null
    const S* hiddenBias = nullptr; ///< likewise
    const S* peephole = nullptr;   ///< [3 * hidden] or null
};

template <typename S>
S dotOf(const S* a, const S* b, std::int64_t count) {
    Dot<S> sum;
    for (std::int64_t i = 0; i < count; ++i) {
        sum.addProduct(a[i], b[i]);
    }
    return sum.value();
}

/// One step of one sequence: updates `h` (and `c`).
template <typename S>
void step(const RecurrentPlan& plan, const Weights<S>& w, const Activation* f, const S* x, std::vector<S>& h, std::vector<S>& c) {
    const std::int64_t n = plan.hidden;
    // X W^T + H R^T + biases of gate g, unit k; `state` in place of H.
    const auto linear = [&](std::int64_t gate, std::int64_t k, const std::vector<S>& state) {
        const std::int64_t row = gate * n + k;
        S sum = dotOf(x, w.input + row * plan.width, plan.width) + dotOf(state.data(), w.recurrent + row * n, n);
        return w.inputBias != nullptr ? sum + w.inputBias[row] + w.hiddenBias[row] : sum;
    };
    const auto clipped = [&](const S& sum) {
        if (plan.clip == 0.0) {
            return sum;
        }
        if constexpr (std::is_same_v<S, Interval>) {
            return interval::min(interval::max(sum, interval::point(-plan.clip)), interval::point(plan.clip));
        } else {
            return std::clamp(sum, static_cast<S>(-plan.clip), static_cast<S>(plan.clip));
        }
    };
    const S one = lifted<S>(1.0);
    std::vector<S> next(static_cast<std::size_t>(n));
    if (plan.cell == Cell::Rnn) {
        for (std::int64_t k = 0; k < n; ++k) {
            next[static_cast<std::size_t>(k)] = activated(f[0], clipped(linear(0, k, h)));
        }
    } else if (plan.cell == Cell::Gru) {
        std::vector<S> update;
        std::vector<S> reset;
        std::vector<S> gated;
        for (std::int64_t k = 0; k < n; ++k) {
            update.push_back(activated(f[0], clipped(linear(0, k, h))));
            reset.push_back(activated(f[0], clipped(linear(1, k, h))));
            gated.push_back(reset.back() * h[static_cast<std::size_t>(k)]);
        }
        for (std::int64_t k = 0; k < n; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const std::int64_t row = 2 * n + k;
            S candidate{};
            if (plan.resetAfter) {
                S inner = dotOf(h.data(), w.recurrent + row * n, n);
                inner = w.hiddenBias != nullptr ? inner + w.hiddenBias[row] : inner;
                candidate = dotOf(x, w.input + row * plan.width, plan.width) + reset[at] * inner;
                candidate = w.inputBias != nullptr ? candidate + w.inputBias[row] : candidate;
            } else {
                candidate = linear(2, k, gated);
            }
            next[at] = (one - update[at]) * activated(f[1], clipped(candidate)) + update[at] * h[at];
        }
    } else {
        for (std::int64_t k = 0; k < n; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const auto peeped = [&](std::int64_t gate, std::int64_t part, const S& cell) {
                const S sum = linear(gate, k, h);
                return w.peephole != nullptr ? sum + w.peephole[part * n + k] * cell : sum;
            };
            // Gates stand in the order i, o, f, c; peepholes i, o, f.
            const S input = activated(f[0], clipped(peeped(0, 0, c[at])));
            const S forget = activated(f[0], clipped(peeped(2, 2, c[at])));
            const S candidate = activated(f[1], clipped(linear(3, k, h)));
            const S cell = forget * c[at] + input * candidate;
            const S output = activated(f[0], clipped(peeped(1, 1, cell)));
            c[at] = cell;
            next[at] = output * activated(f[2], cell);
        }
    }
    h = std::move(next);
}

template <Cell C>
void recurrent(NodeRun& run) {
    const auto plan = planRecurrent(run, C);
    if (!plan) {
        return;
    }
    const ElementType type = run.in(0).element();
    const std::int64_t n = plan->hidden;
    const Ints all = plan->batchFirst ? Ints{plan->batch, plan->steps, plan->directions, n} : Ints{plan->steps, plan->directions, plan->batch, n};
    const Ints last = plan->batchFirst ? Ints{plan->batch, plan->directions, n} : Ints{plan->directions, plan->batch, n};
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        const std::vector<S> x = run.numbers<S>(0);
        const std::vector<S> w = run.numbers<S>(1);
        const std::vector<S> r = run.numbers<S>(2);
        const std::vector<S> bias = run.has(3) ? run.numbers<S>(3) : std::vector<S>{};
        const std::vector<S> startH = run.has(5) ? run.numbers<S>(5) : std::vector<S>{};
        const std::vector<S> startC = C == Cell::Lstm && run.has(6) ? run.numbers<S>(6) : std::vector<S>{};
        const std::vector<S> peephole = C == Cell::Lstm && run.has(7) ? run.numbers<S>(7) : std::vector<S>{};
        const auto states = static_cast<std::size_t>(plan->directions * plan->batch * n);
        const auto rows = static_cast<std::size_t>(plan->gates * n);
        const bool fits = (bias.empty() || bias.size() == static_cast<std::size_t>(plan->directions) * 2 * rows) &&
                          (startH.empty() || startH.size() == states) && (startC.empty() || startC.size() == states) &&
                          (peephole.empty() || peephole.size() == static_cast<std::size_t>(plan->directions * 3 * n));
        if (run.stopped() || !run.require(fits, "biases, initial states or peepholes have the wrong shape") || !run.checkSize(all, sizeof(S))) {
            return;
        }
        std::vector<S> y(static_cast<std::size_t>(elementCountOf(all).value_or(0)));
        std::vector<S> finalH(states);
        std::vector<S> finalC(states);
        const auto stateAt = [&](std::int64_t d, std::int64_t b) {
            return static_cast<std::size_t>((plan->batchFirst ? b * plan->directions + d : d * plan->batch + b) * n);
        };
        for (std::int64_t d = 0; d < plan->directions; ++d) {
            const auto at = static_cast<std::size_t>(d);
            const Weights<S> weights{w.data() + at * rows * static_cast<std::size_t>(plan->width), r.data() + at * rows * static_cast<std::size_t>(n),
                                     bias.empty() ? nullptr : bias.data() + at * 2 * rows,
                                     bias.empty() ? nullptr : bias.data() + at * 2 * rows + rows,
                                     peephole.empty() ? nullptr : peephole.data() + at * static_cast<std::size_t>(3 * n)};
            const bool backward = plan->firstBackward || d == 1;
            for (std::int64_t b = 0; b < plan->batch; ++b) {
                std::vector<S> h(static_cast<std::size_t>(n));
                std::vector<S> c(static_cast<std::size_t>(n));
                for (std::size_t k = 0; k < h.size(); ++k) {
                    h[k] = startH.empty() ? S{} : startH[stateAt(d, b) + k];
                    c[k] = startC.empty() ? S{} : startC[stateAt(d, b) + k];
                }
                const std::int64_t length = plan->lengths[static_cast<std::size_t>(b)];
                for (std::int64_t t = 0; t < length; ++t) {
                    const std::int64_t when = backward ? length - 1 - t : t;
                    const std::int64_t row = plan->batchFirst ? b * plan->steps + when : when * plan->batch + b;
                    step(*plan, weights, plan->activations.data() + at * plan->perDirection, x.data() + row * plan->width, h, c);
                    const std::int64_t to =
                        plan->batchFirst ? (b * plan->steps + when) * plan->directions + d : (when * plan->directions + d) * plan->batch + b;
                    std::copy(h.begin(), h.end(), y.begin() + to * n);
                    if (!run.tick(rows * static_cast<std::size_t>(plan->width + n))) {
                        return;
                    }
                }
                std::copy(h.begin(), h.end(), finalH.begin() + static_cast<std::ptrdiff_t>(stateAt(d, b)));
                std::copy(c.begin(), c.end(), finalC.begin() + static_cast<std::ptrdiff_t>(stateAt(d, b)));
            }
        }
        run.give<S>(0, type, all, y);
        run.give<S>(1, type, last, finalH);
        if (C == Cell::Lstm) {
            run.give<S>(2, type, last, finalC);
        }
    });
}

constexpr auto F = KernelTypes::Floats;

constexpr Kernel Kernels[] = {
    {"", "LSTM", 7, 0, F, recurrent<Cell::Lstm>},
    {"", "GRU", 7, 0, F, recurrent<Cell::Gru>},
    {"", "RNN", 7, 0, F, recurrent<Cell::Rnn>},
};

} // namespace

std::span<const Kernel> recurrentKernels() { return Kernels; }

} // namespace lemmascope
