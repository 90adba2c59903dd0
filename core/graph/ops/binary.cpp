// Elementwise ops of two and more broadcast operands: arithmetic, comparisons, logic, selection, clipping.

#include "core/graph/ops/element_arithmetic.h"
#include "core/graph/ops/op_block.h"

#include <algorithm>

namespace lemmascope {

namespace {

// Result element type is the operands' common one, `result` otherwise. Before opset 7 operand 1 was aligned at `axis` and
// only when `broadcast` was set: it never widens operand 0.
void inferBroadcast(InferContext& c, ElementType result) {
    if (!c.checkSameElement({0, 1})) {
        return;
    }
    ElementType element = result;
    if (element == ElementType::Undefined) {
        element = c.element(0) != ElementType::Undefined ? c.element(0) : c.element(1);
    }
    const bool legacy = c.since() < 7 && c.node().op.domain.empty() && c.node().op.name != "PRelu";
    c.setResult(0, element, legacy ? c.shape(0) : c.broadcastOperands(0, 2));
}

// Applies `function` to the elements of both operands where they are known. It gives nothing where its value is not certain.
template <typename Function>
void foldElements(InferContext& c, Function function) {
    const std::vector<Dim>* left = c.elements(0);
    const std::vector<Dim>* right = c.elements(1);
    if (left == nullptr || right == nullptr || c.failed() || c.resultCount() == 0) {
        return;
    }
    const std::optional<std::vector<std::int64_t>> to = smallShape(c.results()[0].type.shape);
    const std::optional<std::vector<std::int64_t>> a = smallShape(c.shape(0));
    const std::optional<std::vector<std::int64_t>> b = smallShape(c.shape(1));
    if (!to || !a || !b) {
        return;
    }
    const std::vector<std::size_t> fromLeft = broadcastIndices(*a, *to);
    const std::vector<std::size_t> fromRight = broadcastIndices(*b, *to);
    std::vector<Dim> out;
    out.reserve(fromLeft.size());
    for (std::size_t k = 0; k < fromLeft.size(); ++k) {
        std::optional<Dim> value = function((*left)[fromLeft[k]], (*right)[fromRight[k]]);
        if (!value) {
            return;
        }
        out.push_back(std::move(*value));
    }
    if (fitsType(out, c.results()[0].type.element)) {
        c.setElements(0, std::move(out));
    }
}

void inferAdd(InferContext& c) {
    inferBroadcast(c, ElementType::Undefined);
    foldElements(c, [](const Dim& a, const Dim& b) { return std::optional<Dim>(a + b); });
}

void inferSub(InferContext& c) {
    inferBroadcast(c, ElementType::Undefined);
    foldElements(c, [](const Dim& a, const Dim& b) { return std::optional<Dim>(a - b); });
}

void inferMul(InferContext& c) {
    inferBroadcast(c, ElementType::Undefined);
    foldElements(c, [](const Dim& a, const Dim& b) { return std::optional<Dim>(a * b); });
}

void inferDiv(InferContext& c) {
    inferBroadcast(c, ElementType::Undefined);
    foldElements(c, [&c](const Dim& a, const Dim& b) { return truncatedQuotient(a, b, c.order()); });
}

// The sign follows the divisor, or with fmod=1 the dividend; for a >= 0 and b >= 1 they agree.
void inferMod(InferContext& c) {
    inferBroadcast(c, ElementType::Undefined);
    const bool likeC = c.intAttribute("fmod", 0) == 1;
    foldElements(c, [&c, likeC](const Dim& a, const Dim& b) -> std::optional<Dim> {
        if (a.isKnown() && b.isKnown()) {
            if (b.value() == 0) {
                return std::nullopt;
            }
            const std::int64_t rest = b.value() == -1 ? 0 : a.value() % b.value();
            return Dim(!likeC && rest != 0 && (rest < 0) != (b.value() < 0) ? rest + b.value() : rest);
        }
        if (!c.order().atLeast(a, Dim(0)) || !c.order().atLeast(b, Dim(1))) {
            return std::nullopt;
        }
        return a - Dim::floorDiv(a, b) * b;
    });
}

void inferSameKind(InferContext& c) { inferBroadcast(c, ElementType::Undefined); }

void inferPow(InferContext& c) { c.setResult(0, c.element(0), c.since() < 7 ? c.shape(0) : c.broadcastOperands(0, 2)); }

// The slope broadcasts to the input, one way; before opset 7 it was one per channel.
void inferPRelu(InferContext& c) {
    if (c.checkSameElement({0, 1})) {
        c.setResult(0, c.type(0));
    }
}

std::optional<Dim> truth(std::optional<bool> known) { return known ? std::optional<Dim>(Dim(*known ? 1 : 0)) : std::nullopt; }

void inferEqual(InferContext& c) {
    inferBroadcast(c, ElementType::Bool);
    foldElements(c, [&c](const Dim& a, const Dim& b) { return truth(c.order().equal(a, b)); });
}

void inferGreaterOrEqual(InferContext& c) {
    inferBroadcast(c, ElementType::Bool);
    foldElements(c, [&c](const Dim& a, const Dim& b) { return truth(c.order().compare(a, b)); });
}

void inferLessOrEqual(InferContext& c) {
    inferBroadcast(c, ElementType::Bool);
    foldElements(c, [&c](const Dim& a, const Dim& b) { return truth(c.order().compare(b, a)); });
}

void inferGreater(InferContext& c) {
    inferBroadcast(c, ElementType::Bool);
    foldElements(c, [&c](const Dim& a, const Dim& b) { return truth(c.order().compare(a, b + Dim(1))); });
}

void inferLess(InferContext& c) {
    inferBroadcast(c, ElementType::Bool);
    foldElements(c, [&c](const Dim& a, const Dim& b) { return truth(c.order().compare(b, a + Dim(1))); });
}

void inferAnd(InferContext& c) {
    if (c.checkElement(0, {ElementType::Bool}) && c.checkElement(1, {ElementType::Bool})) {
        inferBroadcast(c, ElementType::Bool);
        foldElements(c, [](const Dim& a, const Dim& b) { return std::optional<Dim>(a * b); });
    }
}

void inferOr(InferContext& c) {
    if (c.checkElement(0, {ElementType::Bool}) && c.checkElement(1, {ElementType::Bool})) {
        inferBroadcast(c, ElementType::Bool);
        foldElements(c, [](const Dim& a, const Dim& b) { return std::optional<Dim>(a + b - a * b); });
    }
}

void inferXor(InferContext& c) {
    if (c.checkElement(0, {ElementType::Bool}) && c.checkElement(1, {ElementType::Bool})) {
        inferBroadcast(c, ElementType::Bool);
        foldElements(c, [](const Dim& a, const Dim& b) { return std::optional<Dim>(a + b - Dim(2) * a * b); });
    }
}

// Sum, Mean, Max, Min: any number of operands. Before opset 8 (6 for the first form) all of one shape.
void inferVariadic(InferContext& c) {
    for (std::size_t i = 1; i < c.operandCount(); ++i) {
        if (!c.checkSameElement({0, i})) {
            return;
        }
    }
    c.setResult(0, c.element(0), c.broadcastOperands(0, c.operandCount()));
}

void inferMax(InferContext& c) {
    inferVariadic(c);
    if (c.operandCount() == 1) {
        c.copyResult(0, 0);
    } else if (c.operandCount() == 2) {
        foldElements(c, [&c](const Dim& a, const Dim& b) { return c.order().max(a, b); });
    }
}

void inferMin(InferContext& c) {
    inferVariadic(c);
    if (c.operandCount() == 1) {
        c.copyResult(0, 0);
    } else if (c.operandCount() == 2) {
        foldElements(c, [&c](const Dim& a, const Dim& b) { return c.order().min(a, b); });
    }
}

void inferWhere(InferContext& c) {
    if (!c.checkElement(0, {ElementType::Bool}) || !c.checkSameElement({1, 2})) {
        return;
    }
    const ElementType element = c.element(1) != ElementType::Undefined ? c.element(1) : c.element(2);
    c.setResult(0, element, c.broadcastOperands(0, 3));
    const std::vector<Dim>* condition = c.elements(0);
    const std::vector<Dim>* yes = c.elements(1);
    const std::vector<Dim>* no = c.elements(2);
    if (c.failed() || c.resultCount() == 0 || condition == nullptr || (yes == nullptr && no == nullptr)) {
        return;
    }
    const std::optional<std::vector<std::int64_t>> to = smallShape(c.results()[0].type.shape);
    const std::optional<std::vector<std::int64_t>> shapes[] = {smallShape(c.shape(0)), smallShape(c.shape(1)), smallShape(c.shape(2))};
    if (!to || !shapes[0] || !shapes[1] || !shapes[2]) {
        return;
    }
    const std::vector<std::size_t> fromCondition = broadcastIndices(*shapes[0], *to);
    const std::vector<std::size_t> fromYes = broadcastIndices(*shapes[1], *to);
    const std::vector<std::size_t> fromNo = broadcastIndices(*shapes[2], *to);
    std::vector<Dim> out;
    for (std::size_t k = 0; k < fromCondition.size(); ++k) {
        const Dim& choice = (*condition)[fromCondition[k]];
        const std::vector<Dim>* from = choice.is(0) ? no : yes;
        if (!choice.isKnown() || from == nullptr) {
            return;
        }
        out.push_back((*from)[choice.is(0) ? fromNo[k] : fromYes[k]]);
    }
    c.setElements(0, std::move(out));
}

// Bounds are attributes up to opset 6, optional scalar operands from 11.
void inferClip(InferContext& c) {
    if (!c.checkSameElement({0, 1}) || !c.checkSameElement({0, 2})) {
        return;
    }
    for (const std::size_t bound : {std::size_t{1}, std::size_t{2}}) {
        const Dim count = c.shape(bound) ? elementCount(*c.shape(bound)) : Dim(1);
        if (!c.checkEqual(count, Dim(1), "number of elements of operand " + std::to_string(bound))) {
            return;
        }
    }
    c.setResult(0, c.type(0));
}

// com.microsoft: x + b, b along the last axis, then gelu.
void inferBiasGelu(InferContext& c) {
    if (c.has(1) && (!c.checkRank(1, 1) || !c.checkSameElement({0, 1}))) {
        return;
    }
    if (c.has(1) && c.shape(0) && c.shape(1) && !c.shape(0)->empty() &&
        !c.checkEqual(c.shape(1)->front(), c.shape(0)->back(), "length of operand 1")) {
        return;
    }
    c.setResult(0, c.type(0));
}

} // namespace

OpBlocks binaryOps() {
    constexpr OpClass Elementwise = OpClass::Elementwise;
    const auto binary = [](std::string_view name, std::vector<int> since, InferRule rule, bool commutative, std::string_view attributes = {}) {
        return OpBlock{OnnxDomain, name, std::move(since), 2, 2, OpClass::Elementwise, attributes, rule, commutative};
    };
    return {
        binary("Add", {1, 6, 7, 13, 14}, inferAdd, true, "axis:i broadcast:i"),
        binary("And", {1, 7}, inferAnd, true, "axis:i broadcast:i"),
        binary("BitShift", {11}, inferSameKind, false, "direction:s"),
        binary("BitwiseAnd", {18}, inferSameKind, true),
        binary("BitwiseOr", {18}, inferSameKind, true),
        binary("BitwiseXor", {18}, inferSameKind, true),
        binary("Div", {1, 6, 7, 13, 14}, inferDiv, false, "axis:i broadcast:i"),
        binary("Equal", {1, 7, 11, 13, 19}, inferEqual, true, "axis:i broadcast:i"),
        binary("Greater", {1, 7, 9, 13}, inferGreater, false, "axis:i broadcast:i"),
        binary("GreaterOrEqual", {12, 16}, inferGreaterOrEqual, false),
        binary("Less", {1, 7, 9, 13}, inferLess, false, "axis:i broadcast:i"),
        binary("LessOrEqual", {12, 16}, inferLessOrEqual, false),
        binary("Mod", {10, 13}, inferMod, false, "fmod:i"),
        binary("Mul", {1, 6, 7, 13, 14}, inferMul, true, "axis:i broadcast:i"),
        binary("Or", {1, 7}, inferOr, true, "axis:i broadcast:i"),
        binary("Pow", {1, 7, 12, 13, 15}, inferPow, false, "axis:i broadcast:i"),
        binary("PRelu", {1, 6, 7, 9, 16}, inferPRelu, false),
        binary("Sub", {1, 6, 7, 13, 14}, inferSub, false, "axis:i broadcast:i"),
        binary("Xor", {1, 7}, inferXor, true, "axis:i broadcast:i"),
        // Exchanging the operands of Min and Max may change the sign of a zero: not commutative bit for bit.
        {OnnxDomain, "Max", {1, 6, 8, 12, 13}, 1, -1, Elementwise, "", inferMax},
        {OnnxDomain, "Min", {1, 6, 8, 12, 13}, 1, -1, Elementwise, "", inferMin},
        {OnnxDomain, "Mean", {1, 6, 8, 13}, 1, -1, Elementwise, "", inferVariadic},
        {OnnxDomain, "Sum", {1, 6, 8, 13}, 1, -1, Elementwise, "", inferVariadic},
        {OnnxDomain, "Where", {9, 16}, 3, 3, Elementwise, "", inferWhere},
        {OnnxDomain, "Clip", {1, 6}, 1, 1, Elementwise, "max:f min:f", inferClip},
        {OnnxDomain, "Clip", {11, 12, 13}, 1, 3, Elementwise, "", inferClip},
        {MicrosoftDomain, "BiasGelu", {1}, 2, 2, Elementwise, "", inferBiasGelu},
        {MicrosoftDomain, "FastGelu", {1}, 1, 2, Elementwise, "", inferBiasGelu},
    };
}

} // namespace lemmascope
