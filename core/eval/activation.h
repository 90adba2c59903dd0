#pragma once

#include "core/eval/dot.h"

#include <cstdint>
#include <optional>
#include <string>

namespace lemmascope {

/// The activation of a fused or recurrent op with its parameters.
struct Activation {
    enum class Kind : std::uint8_t {
        None,
        Relu,
        Sigmoid,
        Tanh,
        LeakyRelu,
        HardSigmoid,
        Clip,
        ThresholdedRelu,
        Elu,
        Softsign,
        Softplus,
        Affine,
        ScaledTanh
    };
    Kind kind = Kind::None;
    double alpha = 0.0;
    double beta = 0.0;
};

/// By ONNX's name (letter case ignored, as ONNX Runtime does) with the default parameters; nothing for an unknown name.
[[nodiscard]] std::optional<Activation> activationByName(const std::string& name);

[[nodiscard]] double activated(const Activation& activation, double x);
[[nodiscard]] Interval activated(const Activation& activation, const Interval& x);
[[nodiscard]] inline float activated(const Activation& activation, float x) {
    return static_cast<float>(activated(activation, static_cast<double>(x)));
}

/// x/2 (1 + erf(x / sqrt 2)); the constants are exact reals in enclosures.
[[nodiscard]] double geluErf(double x);
[[nodiscard]] Interval geluErf(const Interval& x);
/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
[[nodiscard]] double geluTanh(double x);
[[nodiscard]] Interval geluTanh(const Interval& x);

} // namespace lemmascope
