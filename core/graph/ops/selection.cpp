// Ops whose result holds positions, picks or lengths that data decides: TopK, NonZero, Unique, Compress, OneHot, ...

#include "core/graph/ops/op_block.h"

#include <algorithm>

namespace lemmascope {

namespace {

void sameType(InferContext& c) { c.setResult(0, c.type(0)); }

// k is an attribute in opset 1, an operand from 10.
void inferTopK(InferContext& c) {
    if (!c.shape(0)) {
        c.setResult(0, c.element(0), std::nullopt);
        c.setResult(1, ElementType::I64, std::nullopt);
        return;
    }
    Shape out = *c.shape(0);
    const std::optional<std::size_t> axis = c.axis(c.intAttribute("axis", -1), out.size());
    if (!axis) {
        return;
    }
    std::optional<Dim> k;
    if (c.hasAttribute("k")) {
        k = Dim(c.intAttribute("k", 0));
    } else if (c.since() < 10) {
        c.fail("attribute 'k' is missing");
        return;
    } else if (c.elements(1) != nullptr && c.elements(1)->size() == 1) {
        k = c.elements(1)->front();
    }
    if (k && k->isKnown() && (k->value() < 0 || (out[*axis].isKnown() && k->value() > out[*axis].value()))) {
        c.fail("k is " + k->text() + ", expected 0 to " + out[*axis].text());
        return;
    }
    out[*axis] = k ? *k : c.unknown(0, *axis);
    c.setResult(0, c.element(0), out);
    c.setResult(1, ElementType::I64, std::move(out));
}

void inferNonZero(InferContext& c) {
    // A scalar counts as a vector of length 1.
    const Dim rank = c.shape(0) ? Dim(static_cast<std::int64_t>(std::max<std::size_t>(c.shape(0)->size(), 1))) : c.unknown(0, 0);
    c.setResult(0, ElementType::I64, Shape{rank, c.unknown(0, 1)});
}

// indices, depth, [off, on]: a new axis of length depth.
void inferOneHot(InferContext& c) {
    if (c.shape(2) && (!c.checkRank(2, 1) || !c.checkEqual(c.shape(2)->front(), Dim(2), "length of operand 2"))) {
        return;
    }
    if (!c.shape(0)) {
        c.setResult(0, c.element(2), std::nullopt);
        return;
    }
    Shape out = *c.shape(0);
    const std::optional<std::size_t> axis = c.axis(c.intAttribute("axis", -1), out.size() + 1);
    if (!axis) {
        return;
    }
    Dim depth = c.unknown(0, *axis);
    if (const std::vector<Dim>* elements = c.elements(1); elements != nullptr && elements->size() == 1) {
        depth = elements->front();
    } else if (const std::optional<std::vector<double>> numbers = c.numbers(1); numbers && numbers->size() == 1) {
        const double value = numbers->front(); // depth may be a float
        if (value >= 0 && value < 9.0e15) {
            depth = Dim(static_cast<std::int64_t>(value));
        }
    }
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(*axis), depth);
    c.setResult(0, c.element(2), std::move(out));
}

void inferCompress(InferContext& c) {
    if (!c.checkElement(1, {ElementType::Bool}) || !c.checkRank(1, 1)) {
        return;
    }
    std::optional<Dim> kept; // of a constant condition
    if (const std::optional<std::vector<std::int64_t>> condition = c.integers(1)) {
        kept = Dim(static_cast<std::int64_t>(std::count(condition->begin(), condition->end(), 1)));
    }
    if (!c.hasAttribute("axis")) {
        c.setResult(0, c.element(0), Shape{kept ? *kept : c.unknown(0, 0)});
        return;
    }
    if (!c.shape(0)) {
        c.setResult(0, c.element(0), std::nullopt);
        return;
    }
    Shape out = *c.shape(0);
    if (const std::optional<std::size_t> axis = c.axis(c.intAttribute("axis", 0), out.size())) {
        out[*axis] = kept ? *kept : c.unknown(0, *axis);
        c.setResult(0, c.element(0), std::move(out));
    }
}

// Results: values, first indices, inverse indices, counts; the first, second and fourth share their unknown length.
void inferUnique(InferContext& c) {
    if (!c.hasAttribute("axis")) {
        const Dim found = c.unknown(0, 0);
        c.setResult(0, c.element(0), Shape{found});
        c.setResult(1, ElementType::I64, Shape{found});
        c.setResult(2, ElementType::I64, Shape{c.shape(0) ? elementCount(*c.shape(0)) : c.unknown(2, 0)});
        c.setResult(3, ElementType::I64, Shape{found});
        return;
    }
    if (!c.shape(0)) {
        c.setResult(0, c.element(0), std::nullopt);
        for (std::size_t k = 1; k < 4; ++k) {
            c.setResult(k, ElementType::I64, Shape{c.unknown(k == 2 ? 2 : 1, 0)});
        }
        return;
    }
    Shape out = *c.shape(0);
    const std::optional<std::size_t> axis = c.axis(c.intAttribute("axis", 0), out.size());
    if (!axis) {
        return;
    }
    const Dim found = c.unknown(0, *axis);
    c.setResult(1, ElementType::I64, Shape{found});
    c.setResult(2, ElementType::I64, Shape{out[*axis]});
    c.setResult(3, ElementType::I64, Shape{found});
    out[*axis] = found;
    c.setResult(0, c.element(0), std::move(out));
}

void inferReverseSequence(InferContext& c) {
    if (c.checkRankAtLeast(0, 2) && c.checkElement(1, {ElementType::I64}) && c.checkRank(1, 1)) {
        sameType(c);
    }
}

void inferEyeLike(InferContext& c) {
    if (!c.checkRank(0, 2)) {
        return;
    }
    const std::optional<ElementType> element = elementAttribute(c, "dtype");
    if (!c.failed()) {
        c.setResult(0, element.value_or(c.element(0)), c.shape(0));
    }
}

void inferTrilu(InferContext& c) {
    if (c.checkRankAtLeast(0, 2) && c.checkElement(1, {ElementType::I64})) {
        sameType(c);
    }
}

} // namespace

OpBlocks selectionOps() {
    constexpr OpClass Computing = OpClass::Computing;
    constexpr OpClass Movement = OpClass::Movement;
    return {
        {OnnxDomain, "TopK", {1}, 1, 1, Computing, "axis:i k:i", inferTopK},
        {OnnxDomain, "TopK", {10, 11, 24}, 2, 2, Computing, "axis:i largest:i sorted:i", inferTopK},
        {OnnxDomain, "NonZero", {9, 13}, 1, 1, Computing, "", inferNonZero},
        {OnnxDomain, "OneHot", {9, 11}, 3, 3, Computing, "axis:i", inferOneHot},
        {OnnxDomain, "Compress", {9, 11}, 2, 2, Computing, "axis:i", inferCompress},
        {OnnxDomain, "Unique", {11}, 1, 1, Computing, "axis:i sorted:i", inferUnique},
        {OnnxDomain, "ReverseSequence", {10}, 2, 2, Movement, "batch_axis:i time_axis:i", inferReverseSequence},
        {OnnxDomain, "EyeLike", {9, 22}, 1, 1, Computing, "dtype:e k:i", inferEyeLike},
        {OnnxDomain, "Trilu", {14}, 1, 2, Movement, "upper:i", inferTrilu},
    };
}

} // namespace lemmascope
