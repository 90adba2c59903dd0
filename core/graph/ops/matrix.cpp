// Contractions: MatMul, Gemm, their fused and quantised forms.

#include "core/graph/ops/op_block.h"

#include <algorithm>

namespace lemmascope {

namespace {

// NumPy matmul of two shapes: vectors get an axis of length 1 that the result loses again.
std::optional<Shape> matMulShape(InferContext& c, Shape a, Shape b) {
    if (a.empty() || b.empty()) {
        c.fail("cannot multiply a scalar: operands are " + text(a) + " and " + text(b));
        return std::nullopt;
    }
    const bool leftVector = a.size() == 1;
    const bool rightVector = b.size() == 1;
    if (leftVector) {
        a.insert(a.begin(), Dim(1));
    }
    if (rightVector) {
        b.push_back(Dim(1));
    }
    const Dim& inner = a.back();
    const Dim& other = b[b.size() - 2];
    if (inner.isKnown() && other.isKnown() && inner.value() != other.value()) {
        c.fail("cannot multiply " + text(a) + " by " + text(b) + ": inner lengths " + inner.text() + " and " + other.text() + " differ");
        return std::nullopt;
    }
    c.order().ask(DimQuestion::Kind::Equal, other, inner);
    std::optional<Shape> out = c.broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
    if (!out) {
        return std::nullopt;
    }
    if (!leftVector) {
        out->push_back(a[a.size() - 2]);
    }
    if (!rightVector) {
        out->push_back(b.back());
    }
    return out;
}

void matMulInto(InferContext& c, std::size_t a, std::size_t b, ElementType element) {
    std::optional<Shape> shape;
    if (c.shape(a) && c.shape(b)) {
        shape = matMulShape(c, *c.shape(a), *c.shape(b));
    }
    c.setResult(0, element, std::move(shape));
}

void inferMatMul(InferContext& c) {
    if (c.checkSameElement({0, 1})) {
        matMulInto(c, 0, 1, c.element(0) != ElementType::Undefined ? c.element(0) : c.element(1));
    }
}

// alpha * A' * B' + beta * C on matrices; C broadcasts one way.
void inferGemm(InferContext& c) {
    if (!c.checkSameElement({0, 1, 2}) || !c.checkRank(0, 2) || !c.checkRank(1, 2)) {
        return;
    }
    const bool transA = c.intAttribute("transA", 0) != 0;
    const bool transB = c.intAttribute("transB", 0) != 0;
    if (!c.shape(0) || !c.shape(1)) {
        const Dim rows = c.shape(0) ? (*c.shape(0))[transA ? 1 : 0] : c.unknown(0, 0);
        const Dim columns = c.shape(1) ? (*c.shape(1))[transB ? 0 : 1] : c.unknown(0, 1);
        c.setResult(0, c.element(0), Shape{rows, columns});
        return;
    }
    const Shape& a = *c.shape(0);
    const Shape& b = *c.shape(1);
    const Dim& inner = a[transA ? 0 : 1];
    const Dim& other = b[transB ? 1 : 0];
    if (inner.isKnown() && other.isKnown() && inner.value() != other.value()) {
        c.fail("inner lengths " + inner.text() + " and " + other.text() + " of " + text(a) + (transA ? " (transposed)" : "") + " and " + text(b) +
               (transB ? " (transposed)" : "") + " differ");
        return;
    }
    c.order().ask(DimQuestion::Kind::Equal, other, inner);
    const Shape out{a[transA ? 1 : 0], b[transB ? 0 : 1]};
    if (c.has(2) && c.shape(2)) {
        const std::optional<Shape> joined = c.broadcast(out, *c.shape(2));
        if (!joined) {
            return;
        }
        const bool widened = joined->size() != 2 || (out[0].is(1) && !(*joined)[0].is(1)) || (out[1].is(1) && !(*joined)[1].is(1));
        if (widened) {
            c.fail("operand 2 of shape " + text(*c.shape(2)) + " does not broadcast to " + text(out));
            return;
        }
    }
    c.setResult(0, c.element(0), out);
}

// com.microsoft: alpha * A' * B'. trans* swaps the last two axes; transBatch* also moves the first axis behind the batch axes:
// [i, batch..., j] is read as [batch..., i, j].
std::optional<Shape> fusedOperand(InferContext& c, std::size_t operand, bool transposed, bool batchMoved) {
    if (!c.shape(operand)) {
        return std::nullopt;
    }
    Shape shape = *c.shape(operand);
    if (shape.size() < 2) {
        return shape;
    }
    if (batchMoved) {
        std::rotate(shape.begin(), shape.begin() + 1, shape.end() - 1);
    }
    if (transposed) {
        std::swap(shape[shape.size() - 2], shape.back());
    }
    return shape;
}

void inferFusedMatMul(InferContext& c) {
    if (!c.checkSameElement({0, 1})) {
        return;
    }
    const std::optional<Shape> a = fusedOperand(c, 0, c.intAttribute("transA", 0) != 0, c.intAttribute("transBatchA", 0) != 0);
    const std::optional<Shape> b = fusedOperand(c, 1, c.intAttribute("transB", 0) != 0, c.intAttribute("transBatchB", 0) != 0);
    c.setResult(0, c.element(0), a && b ? matMulShape(c, *a, *b) : std::nullopt);
}

void inferMatMulInteger(InferContext& c) {
    for (const std::size_t operand : {std::size_t{0}, std::size_t{1}}) {
        if (!c.checkElement(operand, {ElementType::I8, ElementType::U8, ElementType::I16, ElementType::U16})) {
            return;
        }
    }
    matMulInto(c, 0, 1, ElementType::I32);
}

// a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point.
void inferQLinearMatMul(InferContext& c) { matMulInto(c, 0, 3, c.element(7) != ElementType::Undefined ? c.element(7) : c.element(0)); }

// com.microsoft: A f32, B quantised, b_scale, b_zero_point, bias.
void inferDynamicQuantizeMatMul(InferContext& c) { matMulInto(c, 0, 1, c.element(0)); }

// com.microsoft: A, B, a_scale, b_scale, a_zero_point, b_zero_point, bias.
void inferMatMulIntegerToFloat(InferContext& c) { matMulInto(c, 0, 1, c.element(2) != ElementType::Undefined ? c.element(2) : ElementType::F32); }

// com.microsoft: a, a_scale, a_zero_point, b, b_scale, b_zero_point, c, y_scale, y_zero_point; f32 without the last two.
void inferQGemm(InferContext& c) {
    if (!c.checkRank(0, 2) || !c.checkRank(3, 2)) {
        return;
    }
    const ElementType element = c.has(8) ? c.element(8) : c.has(7) ? c.element(0) : ElementType::F32;
    if (!c.shape(0) || !c.shape(3)) {
        c.setResult(0, element, c.unknownShape(0, 2));
        return;
    }
    Shape a = *c.shape(0);
    Shape b = *c.shape(3);
    if (c.intAttribute("transA", 0) != 0) {
        std::swap(a[0], a[1]);
    }
    if (c.intAttribute("transB", 0) != 0) {
        std::swap(b[0], b[1]);
    }
    c.setResult(0, element, matMulShape(c, a, b));
}

} // namespace

OpBlocks matrixOps() {
    constexpr OpClass Computing = OpClass::Computing;
    return {
        {OnnxDomain, "MatMulInteger", {10}, 2, 4, Computing, "", inferMatMulInteger},
        {OnnxDomain, "QLinearMatMul", {10, 21}, 8, 8, Computing, "", inferQLinearMatMul},
        {MicrosoftDomain, "FusedMatMul", {1}, 2, 2, Computing, "alpha:f transA:i transB:i transBatchA:i transBatchB:i", inferFusedMatMul},
        {MicrosoftDomain, "TransposeMatMul", {1}, 2, 2, Computing, "alpha:f transA:i transB:i", inferFusedMatMul},
        {MicrosoftDomain, "DynamicQuantizeMatMul", {1}, 3, 5, Computing, "", inferDynamicQuantizeMatMul},
        {MicrosoftDomain, "MatMulIntegerToFloat", {1}, 4, 7, Computing, "", inferMatMulIntegerToFloat},
        {MicrosoftDomain, "QGemm", {1}, 6, 9, Computing, "alpha:f transA:i transB:i", inferQGemm},
        {OnnxDomain, "MatMul", {1, 9, 13}, 2, 2, Computing, "", inferMatMul},
        {OnnxDomain, "Gemm", {1, 6, 7, 9}, 3, 3, Computing, "alpha:f beta:f transA:i transB:i broadcast:i", inferGemm},
        {OnnxDomain, "Gemm", {11, 13}, 2, 3, Computing, "alpha:f beta:f transA:i transB:i", inferGemm},
        {MicrosoftDomain,
         "FusedGemm",
         {1},
         2,
         3,
         Computing,
         "alpha:f beta:f transA:i transB:i activation:s activation_alpha:f activation_beta:f activation_gamma:f",
         inferGemm},
    };
}

} // namespace lemmascope
