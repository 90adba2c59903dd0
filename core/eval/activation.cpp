#include "core/eval/activation.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace lemmascope {

namespace {

using Kind = Activation::Kind;

struct Row {
    std::string_view name;
    Activation activation;
};

constexpr std::array Table{
    Row{"relu", {Kind::Relu, 0.0, 0.0}},
    Row{"sigmoid", {Kind::Sigmoid, 0.0, 0.0}},
    Row{"tanh", {Kind::Tanh, 0.0, 0.0}},
    Row{"leakyrelu", {Kind::LeakyRelu, static_cast<double>(0.01F), 0.0}},
    Row{"hardsigmoid", {Kind::HardSigmoid, static_cast<double>(0.2F), 0.5}},
    Row{"clip", {Kind::Clip, -interval::Infinity, interval::Infinity}},
    Row{"thresholdedrelu", {Kind::ThresholdedRelu, 1.0, 0.0}},
    Row{"elu", {Kind::Elu, 1.0, 0.0}},
    Row{"softsign", {Kind::Softsign, 0.0, 0.0}},
    Row{"softplus", {Kind::Softplus, 0.0, 0.0}},
    Row{"affine", {Kind::Affine, 1.0, 0.0}},
    Row{"scaledtanh", {Kind::ScaledTanh, 1.0, 1.0}},
};

} // namespace

namespace {

Interval halfOf(const Interval& x) {
    const ScopedRounding none{IntervalRounding{}};
    return x * interval::point(0.5);
}

} // namespace

double geluErf(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }
Interval geluErf(const Interval& x) { return halfOf(x) * (interval::point(1.0) + interval::erf(x / interval::sqrt(interval::point(2.0)))); }

double geluTanh(double x) { return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / 3.14159265358979323846) * (x + 0.044715 * x * x * x))); }
Interval geluTanh(const Interval& x) {
    Interval c;
    Interval k;
    {
        const ScopedRounding none{IntervalRounding{}};
        const Interval pi{3.14159265358979311, 3.14159265358979356, false};
        c = interval::sqrt(interval::point(2.0) / pi);
        k = interval::point(44715.0) / interval::point(1e6);
    }
    return halfOf(x) * (interval::point(1.0) + interval::tanh(c * (x + k * (x * interval::square(x)))));
}

std::optional<Activation> activationByName(const std::string& name) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (lower.empty()) {
        return Activation{};
    }
    for (const Row& row : Table) {
        if (row.name == lower) {
            return row.activation;
        }
    }
    return std::nullopt;
}

double activated(const Activation& activation, double x) {
    const double a = activation.alpha;
    const double b = activation.beta;
    switch (activation.kind) {
    case Kind::None: return x;
    case Kind::Relu: return x < 0.0 ? 0.0 : x;
    case Kind::Sigmoid: return x >= 0.0 ? 1.0 / (1.0 + std::exp(-x)) : std::exp(x) / (1.0 + std::exp(x));
    case Kind::Tanh: return std::tanh(x);
    case Kind::LeakyRelu: return x < 0.0 ? a * x : x;
    case Kind::HardSigmoid: return smallerOf(largerOf(a * x + b, 0.0), 1.0);
    case Kind::Clip: return smallerOf(largerOf(x, a), b);
    case Kind::ThresholdedRelu: return x > a || std::isnan(x) ? x : 0.0;
    case Kind::Elu: return x < 0.0 ? a * std::expm1(x) : x;
    case Kind::Softsign: return x / (1.0 + std::fabs(x));
    case Kind::Softplus: return x > 0.0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    case Kind::Affine: return a * x + b;
    case Kind::ScaledTanh: return a * std::tanh(b * x);
    }
    return x;
}

Interval activated(const Activation& activation, const Interval& x) {
    const Interval a = interval::point(activation.alpha);
    const Interval b = interval::point(activation.beta);
    const Interval zero = interval::point(0.0);
    const Interval one = interval::point(1.0);
    if (x.isUndefined()) {
        return x;
    }
    switch (activation.kind) {
    case Kind::None: return x;
    case Kind::Relu: return interval::max(x, zero);
    case Kind::Sigmoid: return one / (one + interval::exp(-x));
    case Kind::Tanh: return interval::tanh(x);
    case Kind::LeakyRelu: return interval::max(x, zero) + a * interval::min(x, zero);
    case Kind::HardSigmoid: return interval::min(interval::max(a * x + b, zero), one);
    case Kind::Clip: return interval::min(interval::max(x, a), b);
    case Kind::ThresholdedRelu:
        if (x.lo > activation.alpha) {
            return x;
        }
        return x.hi <= activation.alpha ? Interval{0.0, 0.0, x.mayBeUndefined}
                                        : interval::hull(zero, {std::max(x.lo, activation.alpha), x.hi, x.mayBeUndefined});
    case Kind::Elu: return interval::max(x, zero) + a * (interval::exp(interval::min(x, zero)) - one);
    case Kind::Softsign: return x / (one + interval::abs(x));
    case Kind::Softplus: return interval::max(x, zero) + interval::log1p(interval::exp(-interval::abs(x)));
    case Kind::Affine: return a * x + b;
    case Kind::ScaledTanh: return a * interval::tanh(b * x);
    }
    return x;
}

} // namespace lemmascope
