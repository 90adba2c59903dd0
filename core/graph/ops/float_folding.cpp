#include "core/graph/ops/float_folding.h"

#include "core/graph/ops/element_arithmetic.h"

#include <cmath>

namespace lemmascope {

namespace {

constexpr std::size_t MaxFolded = 64;

enum class Folding : std::uint8_t { None, Copy, Join, Floor, Ceil, Add, Sub, Mul, Div };

Folding foldingOf(const std::string& op) {
    static constexpr std::pair<std::string_view, Folding> Known[] = {
        {"Cast", Folding::Copy},    {"Identity", Folding::Copy}, {"Unsqueeze", Folding::Copy}, {"Squeeze", Folding::Copy},
        {"Reshape", Folding::Copy}, {"Concat", Folding::Join},   {"Floor", Folding::Floor},    {"Ceil", Folding::Ceil},
        {"Add", Folding::Add},      {"Sub", Folding::Sub},       {"Mul", Folding::Mul},        {"Div", Folding::Div}};
    for (const auto& [name, folding] : Known) {
        if (name == op) {
            return folding;
        }
    }
    return Folding::None;
}

// For operands of the result's type the double result rounded once more is the correctly rounded one.
double apply(Folding folding, double a, double b) {
    switch (folding) {
    case Folding::Add: return a + b;
    case Folding::Sub: return a - b;
    case Folding::Mul: return a * b;
    case Folding::Div: return a / b;
    case Folding::Floor: return std::floor(a);
    case Folding::Ceil: return std::ceil(a);
    default: return a;
    }
}

std::optional<std::vector<double>> broadcastNumbers(const InferContext& c, std::size_t operand, const std::vector<std::int64_t>& to) {
    const std::optional<std::vector<std::int64_t>> from = smallShape(c.shape(operand));
    const std::optional<std::vector<double>> numbers = from ? c.numbers(operand) : std::nullopt;
    if (!numbers) {
        return std::nullopt;
    }
    std::vector<double> out;
    for (const std::size_t index : broadcastIndices(*from, to)) {
        out.push_back((*numbers)[index]);
    }
    return out;
}

} // namespace

void foldSmallFloats(InferContext& c) {
    if (c.failed() || c.resultCount() == 0 || c.operandCount() == 0 || !c.node().op.domain.empty()) {
        return;
    }
    const TensorType type = c.results()[0].type;
    if (type.element != ElementType::F32 && type.element != ElementType::F64) {
        return;
    }
    const Folding folding = foldingOf(c.node().op.name);
    const std::optional<std::vector<std::int64_t>> shape = folding == Folding::None ? std::nullopt : smallShape(type.shape);
    if (!shape || countOf(*shape) > MaxFolded || (c.facts(0).constant == nullptr && c.elements(0) == nullptr)) {
        return;
    }
    std::vector<double> out;
    if (folding == Folding::Copy || folding == Folding::Floor || folding == Folding::Ceil) {
        const std::optional<std::vector<double>> numbers = c.numbers(0);
        if (!numbers) {
            return;
        }
        for (const double each : *numbers) {
            out.push_back(apply(folding, each, 0));
        }
    } else if (folding == Folding::Join) {
        if (c.intAttribute("axis", 1) != 0) {
            return;
        }
        for (std::size_t i = 0; i < c.operandCount(); ++i) {
            const std::optional<std::vector<double>> numbers = c.numbers(i);
            if (!numbers) {
                return;
            }
            out.insert(out.end(), numbers->begin(), numbers->end());
        }
    } else {
        const std::optional<std::vector<double>> left = broadcastNumbers(c, 0, *shape);
        const std::optional<std::vector<double>> right = left ? broadcastNumbers(c, 1, *shape) : std::nullopt;
        if (!right) {
            return;
        }
        for (std::size_t k = 0; k < left->size(); ++k) {
            out.push_back(apply(folding, (*left)[k], (*right)[k]));
        }
    }
    if (out.size() != countOf(*shape)) {
        return;
    }
    Tensor tensor(type.element, *shape);
    for (std::size_t k = 0; k < out.size(); ++k) {
        if (type.element == ElementType::F32) {
            tensor.mutableAs<float>()[k] = static_cast<float>(out[k]);
        } else {
            tensor.mutableAs<double>()[k] = out[k];
        }
    }
    c.setConstant(0, std::move(tensor));
}

} // namespace lemmascope
