// One operand, one result of the same shape: scalar functions and casts.

#include "core/graph/ops/element_arithmetic.h"
#include "core/graph/ops/op_block.h"

namespace lemmascope {

namespace {

void sameType(InferContext& c) { c.setResult(0, c.type(0)); }

void booleanResult(InferContext& c) { c.setResult(0, ElementType::Bool, c.shape(0)); }

void inferNeg(InferContext& c) {
    sameType(c);
    if (const std::vector<Dim>* elements = c.elements(0)) {
        std::vector<Dim> out;
        for (const Dim& each : *elements) {
            out.push_back(Dim(0) - each);
        }
        if (fitsType(out, c.element(0))) {
            c.setElements(0, std::move(out));
        }
    }
}

void inferAbs(InferContext& c) {
    sameType(c);
    const std::vector<Dim>* elements = c.elements(0);
    if (elements == nullptr) {
        return;
    }
    std::vector<Dim> out;
    for (const Dim& each : *elements) {
        const std::optional<bool> nonNegative = c.order().compare(each, Dim(0));
        if (!nonNegative) {
            return;
        }
        out.push_back(*nonNegative ? each : Dim(0) - each);
    }
    if (fitsType(out, c.element(0))) {
        c.setElements(0, std::move(out));
    }
}

void inferNot(InferContext& c) {
    if (!c.checkElement(0, {ElementType::Bool})) {
        return;
    }
    booleanResult(c);
    if (const std::vector<Dim>* elements = c.elements(0)) {
        std::vector<Dim> out;
        for (const Dim& each : *elements) {
            out.push_back(Dim(1) - each);
        }
        c.setElements(0, std::move(out));
    }
}

void castTo(InferContext& c, ElementType to) {
    c.setResult(0, to, c.shape(0));
    if (to == ElementType::Undefined || !c.shape(0)) {
        return;
    }
    if (to == c.element(0)) {
        c.copyResult(0, 0);
        return;
    }
    if (const std::vector<Dim>* elements = c.elements(0)) {
        if (isInteger(to) && fitsType(*elements, to)) {
            c.setElements(0, *elements);
        }
        return;
    }
    // Exporters compute sizes in floats; a cast to an integer drops the fraction.
    const Tensor* constant = c.constant(0);
    if (constant == nullptr || !isInteger(to) || !isComputable(constant->element()) || constant->count() > MaxTrackedElements) {
        return;
    }
    std::vector<Dim> out;
    for (std::int64_t k = 0; k < constant->count(); ++k) {
        const double value = constant->toDouble(k);
        if (!(value > -9.0e15 && value < 9.0e15)) {
            return;
        }
        out.push_back(Dim(static_cast<std::int64_t>(value)));
    }
    if (fitsType(out, to)) {
        c.setElements(0, std::move(out));
    }
}

// TensorProto.DataType numbers, as in the attribute `to`.
ElementType elementOfCode(std::int64_t code) {
    static constexpr ElementType Codes[] = {
        ElementType::Undefined,  ElementType::F32,    ElementType::U8,         ElementType::I8,         ElementType::U16,  ElementType::I16,
        ElementType::I32,        ElementType::I64,    ElementType::String,     ElementType::Bool,       ElementType::F16,  ElementType::F64,
        ElementType::U32,        ElementType::U64,    ElementType::Complex64,  ElementType::Complex128, ElementType::BF16, ElementType::F8E4M3FN,
        ElementType::F8E4M3FNUZ, ElementType::F8E5M2, ElementType::F8E5M2FNUZ, ElementType::U4,         ElementType::I4,   ElementType::F4E2M1,
        ElementType::F8E8M0,     ElementType::U2,     ElementType::I2};
    return code >= 0 && code < static_cast<std::int64_t>(std::size(Codes)) ? Codes[code] : ElementType::Undefined;
}

} // namespace

std::optional<ElementType> elementAttribute(InferContext& c, const std::string& key) {
    ElementType type = ElementType::Undefined;
    std::string found;
    if (const auto* code = c.node().attribute<std::int64_t>(key)) {
        type = elementOfCode(*code);
        found = std::to_string(*code);
    } else if (const auto* spelled = c.node().attribute<std::string>(key)) {
        std::string lower = *spelled;
        for (char& letter : lower) {
            letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
        }
        type = elementTypeByName(lower).value_or(ElementType::Undefined);
        found = "'" + *spelled + "'";
    } else {
        return std::nullopt;
    }
    if (type == ElementType::Undefined) {
        c.fail("attribute '" + key + "' is " + found + ", which names no element type");
        return std::nullopt;
    }
    return type;
}

namespace {

void inferCast(InferContext& c) {
    const std::optional<ElementType> to = elementAttribute(c, "to");
    if (!to) {
        c.fail("attribute 'to' is missing");
        return;
    }
    castTo(c, *to);
}

void inferCastLike(InferContext& c) { castTo(c, c.element(1)); }

} // namespace

OpBlocks unaryOps() {
    constexpr OpClass Elementwise = OpClass::Elementwise;
    const auto scalar = [](std::string_view name, std::vector<int> since, std::string_view attributes = {}, InferRule rule = sameType) {
        return OpBlock{OnnxDomain, name, std::move(since), 1, 1, OpClass::Elementwise, attributes, rule};
    };
    return {
        scalar("Abs", {1, 6, 13}, "", inferAbs),
        scalar("Acos", {7, 22}),
        scalar("Acosh", {9, 22}),
        scalar("Asin", {7, 22}),
        scalar("Asinh", {9, 22}),
        scalar("Atan", {7, 22}),
        scalar("Atanh", {9, 22}),
        scalar("BitwiseNot", {18}),
        scalar("Ceil", {1, 6, 13}),
        scalar("Celu", {12}, "alpha:f"),
        scalar("Cos", {7, 22}),
        scalar("Cosh", {9, 22}),
        scalar("Elu", {1, 6, 22}, "alpha:f"),
        scalar("Erf", {9, 13}),
        scalar("Exp", {1, 6, 13}),
        scalar("Floor", {1, 6, 13}),
        scalar("Gelu", {20}, "approximate:s"),
        scalar("HardSigmoid", {1, 6, 22}, "alpha:f beta:f"),
        scalar("HardSwish", {14, 22}),
        scalar("IsInf", {10, 20}, "detect_negative:i detect_positive:i", booleanResult),
        scalar("IsNaN", {9, 13, 20}, "", booleanResult),
        scalar("LeakyRelu", {1, 6, 16}, "alpha:f"),
        scalar("Log", {1, 6, 13}),
        scalar("Mish", {18, 22}),
        scalar("Neg", {1, 6, 13}, "", inferNeg),
        scalar("Not", {1}, "", inferNot),
        scalar("Reciprocal", {1, 6, 13}),
        scalar("Relu", {1, 6, 13, 14}),
        scalar("Round", {11, 22}),
        scalar("Selu", {1, 6, 22}, "alpha:f gamma:f"),
        scalar("Shrink", {9}, "bias:f lambd:f"),
        scalar("Sigmoid", {1, 6, 13}),
        scalar("Sign", {9, 13}),
        scalar("Sin", {7, 22}),
        scalar("Sinh", {9, 22}),
        scalar("Softplus", {1, 22}),
        scalar("Softsign", {1, 22}),
        scalar("Sqrt", {1, 6, 13}),
        scalar("Swish", {24}, "alpha:f"),
        scalar("Tan", {7, 22}),
        scalar("Tanh", {1, 6, 13}),
        scalar("ThresholdedRelu", {10, 22}, "alpha:f"),
        {OnnxDomain, "Cast", {1}, 1, 1, Elementwise, "to:e", inferCast},
        {OnnxDomain, "Cast", {6, 9, 13, 19, 21, 23, 24, 25}, 1, 1, Elementwise, "to:e saturate:i round_mode:s", inferCast},
        // The second operand gives only its element type: no broadcasting, so not elementwise in the sense of OpClass.
        {OnnxDomain, "CastLike", {15, 19, 21, 23, 24, 25}, 2, 2, OpClass::Computing, "saturate:i round_mode:s", inferCastLike},
        {MicrosoftDomain, "Gelu", {1}, 1, 1, Elementwise, "", sameType},
        {MicrosoftDomain, "QuickGelu", {1}, 1, 1, Elementwise, "alpha:f", sameType},
    };
}

} // namespace lemmascope
