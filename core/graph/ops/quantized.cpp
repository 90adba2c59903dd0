// Quantisation, and the quantised forms ONNX Runtime writes.

#include "core/graph/ops/op_block.h"

namespace lemmascope {

namespace {

void sameType(InferContext& c) { c.setResult(0, c.type(0)); }

// Scale and zero point: one for all, or (from opset 13) one per index of `axis`, or (from 21) blocks.
bool checkScale(InferContext& c) {
    if (!c.shape(0) || !c.shape(1) || c.shape(1)->size() != 1 || c.shape(1)->front().is(1) || c.intAttribute("block_size", 0) != 0) {
        return true;
    }
    const std::optional<std::size_t> axis = c.axis(c.intAttribute("axis", 1), c.shape(0)->size());
    return axis && c.checkEqual(c.shape(1)->front(), (*c.shape(0))[*axis], "length of operand 1");
}

void inferQuantizeLinear(InferContext& c) {
    if (!checkScale(c)) {
        return;
    }
    std::optional<ElementType> element = elementAttribute(c, "output_dtype");
    if (c.failed()) {
        return;
    }
    if (c.has(2) && c.element(2) != ElementType::Undefined) {
        if (element && *element != c.element(2)) {
            c.fail("attribute 'output_dtype' is " + std::string(name(*element)) + ", but the zero point is " + std::string(name(c.element(2))));
            return;
        }
        element = c.element(2);
    }
    // Without either the result is u8.
    const bool zeroPointOpen = c.has(2) && c.element(2) == ElementType::Undefined;
    c.setResult(0, element.value_or(zeroPointOpen ? ElementType::Undefined : ElementType::U8), c.shape(0));
}

void inferDequantizeLinear(InferContext& c) {
    if (!checkScale(c) || !c.checkSameElement({0, 2})) {
        return;
    }
    const std::optional<ElementType> element = elementAttribute(c, "output_dtype");
    if (!c.failed()) {
        c.setResult(0, element.value_or(c.since() < 19 && c.node().op.domain.empty() ? ElementType::F32 : c.element(1)), c.shape(0));
    }
}

void inferDynamicQuantizeLinear(InferContext& c) {
    c.setResult(0, ElementType::U8, c.shape(0));
    c.setResult(1, ElementType::F32, Shape{});
    c.setResult(2, ElementType::U8, Shape{});
}

// a, a_scale, a_zero_point, b, b_scale, b_zero_point, c_scale, c_zero_point.
void inferQLinearBinary(InferContext& c) {
    if (!c.checkSameElement({0, 3})) {
        return;
    }
    std::optional<Shape> shape;
    if (c.shape(0) && c.shape(3)) {
        shape = c.broadcast(*c.shape(0), *c.shape(3));
    }
    c.setResult(0, c.element(0), std::move(shape));
}

// y_scale, y_zero_point, then (x, scale, zero point) for each part.
void inferQLinearConcat(InferContext& c) {
    if (c.operandCount() % 3 != 2) {
        c.fail("has " + counted(c.operandCount(), "operand") + ", expected 2 and 3 for each part");
        return;
    }
    if (!c.hasAttribute("axis")) {
        c.fail("attribute 'axis' is missing");
        return;
    }
    std::optional<Shape> out;
    for (std::size_t i = 2; i < c.operandCount(); i += 3) {
        if (!c.shape(i)) {
            c.setResult(0, c.element(2), std::nullopt);
            return;
        }
        const Shape& part = *c.shape(i);
        if (!out) {
            out = part;
            continue;
        }
        if (!c.checkRank(i, out->size())) {
            return;
        }
        const std::optional<std::size_t> axis = c.axis(c.intAttribute("axis", 0), out->size());
        if (!axis) {
            return;
        }
        for (std::size_t k = 0; k < out->size(); ++k) {
            if (k == *axis) {
                (*out)[k] = (*out)[k] + part[k];
            } else if (!c.checkEqual(part[k], (*out)[k], "length of operand " + std::to_string(i) + " on axis " + std::to_string(k))) {
                return;
            }
        }
    }
    c.setResult(0, c.element(2), std::move(out));
}

} // namespace

OpBlocks quantizedOps() {
    constexpr OpClass Computing = OpClass::Computing;
    constexpr std::string_view Scheme = "axis:i block_size:i output_dtype:e precision:e saturate:i";
    return {
        {OnnxDomain, "QuantizeLinear", {10, 13, 19, 21, 23, 24, 25}, 2, 3, Computing, Scheme, inferQuantizeLinear},
        {OnnxDomain, "DequantizeLinear", {10, 13, 19, 21, 23, 24, 25}, 2, 3, Computing, Scheme, inferDequantizeLinear},
        {MicrosoftDomain, "QuantizeLinear", {1}, 2, 3, Computing, Scheme, inferQuantizeLinear},
        {MicrosoftDomain, "DequantizeLinear", {1}, 2, 3, Computing, Scheme, inferDequantizeLinear},
        {OnnxDomain, "DynamicQuantizeLinear", {11}, 1, 1, Computing, "", inferDynamicQuantizeLinear},
        {MicrosoftDomain, "QLinearAdd", {1}, 7, 8, Computing, "", inferQLinearBinary},
        {MicrosoftDomain, "QLinearMul", {1}, 7, 8, Computing, "", inferQLinearBinary},
        {MicrosoftDomain, "QLinearSigmoid", {1}, 4, 5, Computing, "", sameType},
        {MicrosoftDomain, "QLinearLeakyRelu", {1}, 4, 5, Computing, "alpha:f", sameType},
        {MicrosoftDomain, "QLinearSoftmax", {1}, 4, 5, Computing, "axis:i opset:i", sameType},
        {MicrosoftDomain, "QLinearConcat", {1}, 5, -1, Computing, "axis:i", inferQLinearConcat},
    };
}

} // namespace lemmascope
