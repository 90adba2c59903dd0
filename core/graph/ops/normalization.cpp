// Softmax, batch, layer and instance normalisation and their kin: the shape stays, statistics may come out too.

#include "core/graph/ops/op_block.h"

#include <algorithm>

namespace lemmascope {

namespace {

// One past the last axis is allowed before opset 13 (flattened to two axes).
void inferSoftmax(InferContext& c) {
    if (c.shape(0)) {
        const auto rank = static_cast<std::int64_t>(c.shape(0)->size());
        const std::int64_t axis = c.intAttribute("axis", c.since() < 13 ? 1 : -1);
        const bool pastLast = c.since() < 13 && axis == rank;
        if (rank > 0 && !pastLast && !c.axis(axis, c.shape(0)->size())) {
            return;
        }
    }
    c.setResult(0, c.type(0));
}

// Operand `i` is a vector with one element per channel (axis 1).
bool checkPerChannel(InferContext& c, std::size_t i) {
    if (!c.has(i) || !c.shape(i)) {
        return true;
    }
    if (!c.checkRank(i, 1)) {
        return false;
    }
    return !c.shape(0) || c.shape(0)->size() < 2 || c.checkEqual(c.shape(i)->front(), (*c.shape(0))[1], "length of operand " + std::to_string(i));
}

// x, scale, bias, mean, variance. Up to opset 13 four more results were statistics (used in training only).
void inferBatchNormalization(InferContext& c) {
    const std::int64_t spatial = c.intAttribute("spatial", 1);
    for (std::size_t i = 1; i < 5 && spatial != 0; ++i) {
        if (!checkPerChannel(c, i)) {
            return;
        }
    }
    c.setResult(0, c.type(0));
    for (std::size_t k = 1; k < c.resultCount(); ++k) {
        c.setResult(k, c.type(k % 2 == 1 ? 3 : 4));
    }
}

void inferInstanceNormalization(InferContext& c) {
    if (c.checkRankAtLeast(0, 2) && checkPerChannel(c, 1) && checkPerChannel(c, 2)) {
        c.setResult(0, c.type(0));
    }
}

void inferGroupNormalization(InferContext& c) {
    if (!c.checkRankAtLeast(0, 2)) {
        return;
    }
    const std::int64_t groups = c.intAttribute("num_groups", 0);
    if (groups < 1) {
        c.fail(c.hasAttribute("num_groups") ? "attribute 'num_groups' is " + std::to_string(groups) + ", expected 1 or more"
                                            : "attribute 'num_groups' is missing");
        return;
    }
    if (c.shape(0)) {
        const Dim& channels = (*c.shape(0))[1];
        if (channels.isKnown() && channels.value() % groups != 0) {
            c.fail("operand 0 has " + channels.text() + " channels, expected a multiple of num_groups " + std::to_string(groups));
            return;
        }
        // Scale and bias: one per group in opset 18, one per channel from 21.
        const Dim expected = c.since() < 21 ? Dim(groups) : channels;
        for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
            if (c.shape(i) && (!c.checkRank(i, 1) || !c.checkEqual(c.shape(i)->front(), expected, "length of operand " + std::to_string(i)))) {
                return;
            }
        }
    }
    c.setResult(0, c.type(0));
}

// The axes from `axis` on are normalised; scale and bias broadcast one way to the operand. Mean and 1/std keep them as 1.
bool checkNormalized(InferContext& c, std::initializer_list<std::size_t> factors, std::optional<std::size_t>& axis) {
    if (!c.shape(0)) {
        return true;
    }
    axis = c.axis(c.intAttribute("axis", -1), c.shape(0)->size());
    if (!axis) {
        return false;
    }
    for (const std::size_t i : factors) {
        if (!c.has(i) || !c.shape(i)) {
            continue;
        }
        const std::optional<Shape> joined = c.broadcast(*c.shape(0), *c.shape(i));
        if (!joined) {
            return false;
        }
        for (std::size_t k = 0; k < joined->size(); ++k) {
            const bool wider = joined->size() > c.shape(0)->size() || ((*c.shape(0))[k].is(1) && (*joined)[k].isKnown() && !(*joined)[k].is(1));
            if (wider) {
                c.fail("operand " + std::to_string(i) + " of shape " + text(*c.shape(i)) + " does not broadcast to " + text(*c.shape(0)));
                return false;
            }
        }
    }
    return true;
}

std::optional<Shape> statisticsShape(InferContext& c, std::optional<std::size_t> axis) {
    if (!axis || !c.shape(0)) {
        return std::nullopt;
    }
    Shape out = *c.shape(0);
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(*axis), out.end(), Dim(1));
    return out;
}

// TensorProto numbers of stash_type: the type in which mean and 1/std are kept.
ElementType stashType(InferContext& c) { return elementAttribute(c, "stash_type").value_or(ElementType::F32); }

void inferLayerNormalization(InferContext& c) {
    std::optional<std::size_t> axis;
    if (!checkNormalized(c, {1, 2}, axis)) {
        return;
    }
    c.setResult(0, c.type(0).element, c.shape(0));
    for (std::size_t k = 1; k < c.resultCount(); ++k) {
        c.setResult(k, stashType(c), statisticsShape(c, axis));
    }
}

// x, scale: result and, from ONNX Runtime, 1/std.
void inferSimplifiedLayerNormalization(InferContext& c) {
    std::optional<std::size_t> axis;
    if (!checkNormalized(c, {1}, axis)) {
        return;
    }
    c.setResult(0, c.type(0).element, c.shape(0));
    for (std::size_t k = 1; k < c.resultCount(); ++k) {
        c.setResult(k, stashType(c), statisticsShape(c, axis));
    }
}

// com.microsoft: operands input and skip, then vectors along the last axis. Results: output, mean, 1/std, input + skip.
void inferSkipNormalization(InferContext& c) {
    if (!c.checkRankAtLeast(0, 2) || !c.checkSameElement({0, 1})) {
        return;
    }
    if (c.shape(0) && c.shape(1)) {
        const std::optional<Shape> joined = c.broadcast(*c.shape(0), *c.shape(1));
        if (!joined) {
            return;
        }
    }
    for (std::size_t i = 2; i < c.operandCount(); ++i) {
        if (c.has(i) && c.shape(i) && c.shape(0) &&
            (!c.checkRank(i, 1) || !c.checkEqual(c.shape(i)->front(), c.shape(0)->back(), "length of operand " + std::to_string(i)))) {
            return;
        }
    }
    c.setResult(0, c.type(0));
    std::optional<Shape> statistics = c.shape(0);
    if (statistics) {
        statistics->back() = Dim(1);
    }
    c.setResult(1, ElementType::F32, statistics);
    c.setResult(2, ElementType::F32, statistics);
    c.setResult(3, c.type(0));
}

// Result, and a mask of its shape: of the operand's type up to opset 6, bool from 10 (opset 7 said T).
void inferDropout(InferContext& c) {
    c.setResult(0, c.type(0));
    c.setResult(1, c.since() < 10 ? c.element(0) : ElementType::Bool, c.shape(0));
}

void inferLpNormalization(InferContext& c) {
    if (c.shape(0) && !c.axis(c.intAttribute("axis", -1), c.shape(0)->size())) {
        return;
    }
    c.setResult(0, c.type(0));
}

void inferMeanVarianceNormalization(InferContext& c) {
    const std::vector<std::int64_t>* axes = c.intsAttribute("axes");
    if (axes != nullptr && c.shape(0) && !c.axes(*axes, c.shape(0)->size())) {
        return;
    }
    c.setResult(0, c.type(0));
}

void inferLrn(InferContext& c) {
    if (c.intAttribute("size", 0) < 1) {
        c.fail(c.hasAttribute("size") ? "attribute 'size' is " + std::to_string(c.intAttribute("size", 0)) + ", expected 1 or more"
                                      : "attribute 'size' is missing");
        return;
    }
    c.setResult(0, c.type(0));
}

} // namespace

OpBlocks normalizationOps() {
    constexpr OpClass Computing = OpClass::Computing;
    return {
        {OnnxDomain, "Softmax", {1, 11, 13}, 1, 1, Computing, "axis:i", inferSoftmax},
        {OnnxDomain, "LogSoftmax", {1, 11, 13}, 1, 1, Computing, "axis:i", inferSoftmax},
        {OnnxDomain, "Hardmax", {1, 11, 13}, 1, 1, Computing, "axis:i", inferSoftmax},
        {OnnxDomain, "BatchNormalization", {1, 6, 7, 9}, 5, 5, Computing, "epsilon:f momentum:f spatial:i is_test:i", inferBatchNormalization},
        {OnnxDomain, "BatchNormalization", {14, 15}, 5, 5, Computing, "epsilon:f momentum:f training_mode:i", inferBatchNormalization},
        {OnnxDomain, "InstanceNormalization", {1, 6, 22}, 3, 3, Computing, "epsilon:f", inferInstanceNormalization},
        {OnnxDomain, "GroupNormalization", {18, 21}, 3, 3, Computing, "epsilon:f num_groups:i stash_type:i", inferGroupNormalization},
        // ONNX Runtime writes it under opsets below 17.
        {OnnxDomain, "LayerNormalization", {1, 17}, 2, 3, Computing, "axis:i epsilon:f stash_type:i", inferLayerNormalization},
        {OnnxDomain, "SimplifiedLayerNormalization", {1}, 2, 2, Computing, "axis:i epsilon:f stash_type:i", inferSimplifiedLayerNormalization},
        {MicrosoftDomain, "SimplifiedLayerNormalization", {1}, 2, 2, Computing, "axis:i epsilon:f stash_type:i", inferSimplifiedLayerNormalization},
        {OnnxDomain, "RMSNormalization", {23}, 2, 2, Computing, "axis:i epsilon:f stash_type:i", inferSimplifiedLayerNormalization},
        {MicrosoftDomain, "SkipLayerNormalization", {1}, 3, 5, Computing, "epsilon:f", inferSkipNormalization},
        {MicrosoftDomain, "SkipSimplifiedLayerNormalization", {1}, 3, 4, Computing, "epsilon:f", inferSkipNormalization},
        // Class Computing: the identity in inference, random in training, which operands and attributes decide.
        {OnnxDomain, "Dropout", {1, 6}, 1, 1, Computing, "is_test:i ratio:f", inferDropout},
        {OnnxDomain, "Dropout", {7, 10}, 1, 1, Computing, "ratio:f", inferDropout},
        {OnnxDomain, "Dropout", {12, 13, 22}, 1, 3, Computing, "seed:i", inferDropout},
        {OnnxDomain, "LpNormalization", {1, 22}, 1, 1, Computing, "axis:i p:i", inferLpNormalization},
        {OnnxDomain, "MeanVarianceNormalization", {9, 13}, 1, 1, Computing, "axes:I", inferMeanVarianceNormalization},
        {OnnxDomain, "LRN", {1, 13}, 1, 1, Computing, "alpha:f beta:f bias:f size:i", inferLrn},
    };
}

} // namespace lemmascope
