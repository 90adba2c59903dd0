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

} // namespace

OpBlocks normalizationOps() {
    constexpr OpClass Computing = OpClass::Computing;
    return {
        {OnnxDomain, "Softmax", {1, 11, 13}, 1, 1, Computing, "axis:i", inferSoftmax},
        {OnnxDomain, "LogSoftmax", {1, 11, 13}, 1, 1, Computing, "axis:i", inferSoftmax},
        {OnnxDomain, "Hardmax", {1, 11, 13}, 1, 1, Computing, "axis:i", inferSoftmax},
    };
}

} // namespace lemmascope
