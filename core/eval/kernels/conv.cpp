// Conv, FusedConv, ConvTranspose.

#include "core/eval/activation.h"
#include "core/eval/convolution.h"
#include "core/eval/kernel_table.h"

#include <algorithm>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

/// Adds one bias per channel (axis 1) to [batch, channels, ...].
template <typename S>
bool addBias(NodeRun& run, std::vector<S>& values, const Ints& shape, std::size_t operand) {
    if (!run.has(operand)) {
        return true;
    }
    const std::vector<S> bias = run.numbers<S>(operand);
    if (run.stopped() || !run.require(static_cast<std::int64_t>(bias.size()) == shape[1], "the bias must have one value per output channel")) {
        return false;
    }
    std::int64_t spatial = 1;
    for (std::size_t axis = 2; axis < shape.size(); ++axis) {
        spatial *= shape[axis];
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = values[i] + bias[(i / static_cast<std::size_t>(spatial)) % bias.size()];
    }
    return run.tick(values.size());
}

/// The activation of FusedConv: its parameters in `activation_params`, in the order of the activation's attributes.
std::optional<Activation> fusedActivation(NodeRun& run) {
    std::optional<Activation> activation = activationByName(run.text("activation", ""));
    if (!activation) {
        run.open();
        return std::nullopt;
    }
    const std::vector<double> parameters = run.reals("activation_params");
    if (!parameters.empty()) {
        activation->alpha = parameters[0];
    }
    if (parameters.size() > 1) {
        activation->beta = parameters[1];
    }
    return activation;
}

template <bool Fused>
void conv(NodeRun& run) {
    const ElementType type = run.in(0).element();
    const Ints x = run.in(0).shape();
    const Ints w = run.in(1).shape();
    const auto plan = run.stopped() ? std::nullopt : planConvolution(run, x, w);
    const auto activation = Fused ? fusedActivation(run) : std::optional<Activation>(Activation{});
    if (!plan || !activation) {
        return;
    }
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        std::vector<S> out = convolve<S>(run, *plan, run.numbers<S>(0), run.numbers<S>(1));
        if (run.stopped() || !addBias(run, out, plan->result, 2)) {
            return;
        }
        if (Fused && run.has(3)) {
            const std::vector<S> added = run.numbers<S>(3);
            if (run.stopped() || !run.require(run.in(3).shape() == plan->result, "the summand's shape differs from the result's")) {
                return;
            }
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] = out[i] + added[i];
            }
        }
        if (activation->kind != Activation::Kind::None) {
            for (S& value : out) {
                value = activated(*activation, value);
            }
        }
        run.give<S>(0, type, plan->result, out);
    });
}

/// Lengths, pads and taps of a transposed convolution (ONNX ConvTranspose): output_shape wins over pads.
struct TransposePlan {
    Ints input;
    Ints kernel;
    Ints strides;
    Ints dilations;
    Ints before;
    Ints output;
};

std::optional<TransposePlan> planTranspose(NodeRun& run, const Ints& x, const Ints& w) {
    const std::size_t rank = x.size() - 2;
    TransposePlan plan{.input = {x.begin() + 2, x.end()}, .kernel = {w.begin() + 2, w.end()}};
    const auto strides = perAxis(run, "strides", rank, 1);
    const auto dilations = perAxis(run, "dilations", rank, 1);
    const auto pads = perAxis(run, "pads", 2 * rank, 0);
    const auto extra = perAxis(run, "output_padding", rank, 0);
    Ints wanted = run.integers("output_shape");
    if (wanted.size() == rank + 2) {
        wanted.erase(wanted.begin(), wanted.begin() + 2);
    }
    if (!strides || !dilations || !pads || !extra ||
        !run.require(wanted.empty() || wanted.size() == rank, "attribute 'output_shape' has the wrong length")) {
        return std::nullopt;
    }
    plan.strides = *strides;
    plan.dilations = *dilations;
    const std::string automatic = run.text("auto_pad", "NOTSET");
    for (std::size_t axis = 0; axis < rank; ++axis) {
        constexpr std::int64_t Most = 1 << 20;
        const bool sane = (*strides)[axis] > 0 && (*strides)[axis] < Most && (*dilations)[axis] > 0 && (*dilations)[axis] < Most &&
                          plan.kernel[axis] > 0 && plan.kernel[axis] < Most && plan.input[axis] < (std::int64_t{1} << 40);
        if (!run.require(sane, "a stride, dilation or kernel length is out of range")) {
            return std::nullopt;
        }
        const std::int64_t full = (*strides)[axis] * (plan.input[axis] - 1) + (*extra)[axis] + (plan.kernel[axis] - 1) * (*dilations)[axis] + 1;
        std::int64_t before = (*pads)[axis];
        std::int64_t length = full - before - (*pads)[axis + rank];
        if (!run.require(wanted.empty() || (wanted[axis] >= 0 && wanted[axis] < (std::int64_t{1} << 60)),
                         "attribute 'output_shape' is out of range") ||
            !run.require(std::abs((*extra)[axis]) < Most && std::abs(before) < Most && std::abs((*pads)[axis + rank]) < Most,
                         "a pad is out of range")) {
            return std::nullopt;
        }
        const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
        if (!wanted.empty() || same) {
            length = wanted.empty() ? plan.input[axis] * (*strides)[axis] : wanted[axis];
            const std::int64_t total = std::max<std::int64_t>(full - length, 0);
            // ONNX splits the total evenly; SAME_UPPER leaves the odd one at the end.
            before = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
        } else if (automatic == "VALID") {
            before = 0;
            length = full;
        }
        if (!run.require(length >= 0, "the pads leave no length")) {
            return std::nullopt;
        }
        plan.before.push_back(before);
        plan.output.push_back(length);
    }
    return plan;
}

void convTranspose(NodeRun& run) {
    const ElementType type = run.in(0).element();
    const Ints x = run.in(0).shape();
    const Ints w = run.in(1).shape();
    const std::int64_t groups = run.integer("group", 1);
    if (run.stopped() || !run.require(x.size() >= 3 && x.size() == w.size() && groups > 0 && x[1] == w[0] && x[1] % groups == 0,
                                      "data and filters do not fit each other")) {
        return;
    }
    const auto plan = planTranspose(run, x, w);
    if (!plan) {
        return;
    }
    const std::int64_t channels = x[1] / groups;
    const std::int64_t filters = w[1];
    Ints result{x[0], filters * groups};
    result.insert(result.end(), plan->output.begin(), plan->output.end());
    std::int64_t spatial = 1;
    std::int64_t taps = 1;
    std::int64_t positions = 1;
    for (std::size_t axis = 0; axis < plan->input.size(); ++axis) {
        spatial *= plan->input[axis];
        taps *= plan->kernel[axis];
        positions *= plan->output[axis];
    }
    run.visitFloat(type, [&](auto one) {
        using S = decltype(one);
        const std::vector<S> data = run.numbers<S>(0);
        const std::vector<S> weights = run.numbers<S>(1);
        const std::optional<std::int64_t> count = elementCountOf(result);
        if (run.stopped() || !run.checkSize(result, sizeof(Dot<S>)) || !run.charge(*count, channels * taps)) {
            return;
        }
        // Each output gathers the products that a scatter would add to it, in the order of channel, then tap.
        std::vector<S> out(static_cast<std::size_t>(*count));
        const Ints inputStrides = rowMajorStrides(plan->input);
        for (std::int64_t n = 0; n < x[0] * groups; ++n) {
            for (std::int64_t f = 0; f < filters; ++f) {
                Ints position(plan->output.size(), 0);
                for (std::int64_t p = 0; p < positions; ++p) {
                    Dot<S> sum;
                    for (std::int64_t c = 0; c < channels; ++c) {
                        Ints tap(plan->kernel.size(), 0);
                        for (std::int64_t k = 0; k < taps; ++k) {
                            std::int64_t offset = 0;
                            bool meets = true;
                            for (std::size_t axis = 0; axis < position.size() && meets; ++axis) {
                                const std::int64_t at = position[axis] + plan->before[axis] - tap[axis] * plan->dilations[axis];
                                meets = at >= 0 && at % plan->strides[axis] == 0 && at / plan->strides[axis] < plan->input[axis];
                                offset += meets ? at / plan->strides[axis] * inputStrides[axis] : 0;
                            }
                            if (meets) {
                                const std::int64_t channel = (n % groups) * channels + c;
                                sum.addProduct(data[static_cast<std::size_t>((n * channels + c) * spatial + offset)],
                                               weights[static_cast<std::size_t>((channel * filters + f) * taps + k)]);
                            }
                            (void)advance(tap, plan->kernel);
                        }
                    }
                    out[static_cast<std::size_t>((n * filters + f) * positions + p)] = sum.value();
                    (void)advance(position, plan->output);
                    if (!run.tick(static_cast<std::uint64_t>(channels * taps))) {
                        return;
                    }
                }
            }
        }
        if (addBias(run, out, result, 2)) {
            run.give<S>(0, type, result, out);
        }
    });
}

constexpr auto F = KernelTypes::Floats;

constexpr Kernel Kernels[] = {
    {"", "Conv", 1, 0, F, conv<false>},
    {"com.microsoft", "FusedConv", 1, 0, F, conv<true>},
    {"", "ConvTranspose", 1, 0, F, convTranspose},
};

} // namespace

std::span<const Kernel> convKernels() { return Kernels; }

} // namespace lemmascope
