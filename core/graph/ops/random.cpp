// Random ops: each node is its own unknown tensor.

#include "core/graph/ops/op_block.h"

namespace lemmascope {

namespace {

void inferRandom(InferContext& c) {
    const std::vector<std::int64_t>* shape = c.intsAttribute("shape");
    if (shape == nullptr) {
        c.fail("attribute 'shape' is missing");
        return;
    }
    const std::optional<ElementType> element = elementAttribute(c, "dtype");
    c.setResult(0, element.value_or(ElementType::F32), Shape(shape->begin(), shape->end()));
}

void inferRandomLike(InferContext& c) {
    const std::optional<ElementType> element = elementAttribute(c, "dtype");
    c.setResult(0, element.value_or(c.element(0)), c.shape(0));
}

void inferMultinomial(InferContext& c) {
    if (!c.checkRank(0, 2)) {
        return;
    }
    const std::optional<ElementType> element = elementAttribute(c, "dtype");
    const Dim batch = c.shape(0) ? c.shape(0)->front() : c.unknown(0, 0);
    c.setResult(0, element.value_or(ElementType::I32), Shape{batch, Dim(c.intAttribute("sample_size", 1))});
}

} // namespace

OpBlocks randomOps() {
    constexpr OpClass Random = OpClass::Random;
    return {
        {OnnxDomain, "RandomNormal", {1, 22}, 0, 0, Random, "dtype:e mean:f scale:f seed:f shape:I", inferRandom},
        {OnnxDomain, "RandomUniform", {1, 22}, 0, 0, Random, "dtype:e high:f low:f seed:f shape:I", inferRandom},
        {OnnxDomain, "RandomNormalLike", {1, 22}, 1, 1, Random, "dtype:e mean:f scale:f seed:f", inferRandomLike},
        {OnnxDomain, "RandomUniformLike", {1, 22}, 1, 1, Random, "dtype:e high:f low:f seed:f", inferRandomLike},
        {OnnxDomain, "Bernoulli", {15, 22}, 1, 1, Random, "dtype:e seed:f", inferRandomLike},
        {OnnxDomain, "Multinomial", {7, 22}, 1, 1, Random, "dtype:e sample_size:i seed:f", inferMultinomial},
    };
}

} // namespace lemmascope
