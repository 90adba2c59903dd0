// Numbers of definitions: exact reals that no element type holds, and lengths as numbers.

#include "core/graph/ops/op_block.h"

namespace lemmascope {

namespace {

// The number `is`, between the doubles `near`, as a scalar of type `to`.
void inferNumber(InferContext& c) {
    if (const std::optional<ElementType> to = elementAttribute(c, "to")) {
        c.setResult(0, *to, Shape{});
    }
}

// How many elements the operand's `axes` span, as a scalar of its type.
void inferLength(InferContext& c) {
    const std::vector<std::int64_t>* axes = c.intsAttribute("axes");
    if (axes != nullptr && c.shape(0) && !c.axes(*axes, c.shape(0)->size())) {
        return;
    }
    c.setResult(0, isFloat(c.element(0)) ? c.element(0) : ElementType::F32, Shape{});
}

} // namespace

OpBlocks numberOps() {
    constexpr OpClass Computing = OpClass::Computing;
    return {
        {OwnDomain, "Number", {1}, 0, 0, Computing, "is:s near:t to:e q:s radicand:s pi_halves:i", inferNumber},
        {OwnDomain, "Length", {1}, 1, 1, Computing, "axes:I", inferLength},
    };
}

} // namespace lemmascope
