// Reductions along axes, arg-reductions, running sums and the like.

#include "core/graph/ops/element_arithmetic.h"
#include "core/graph/ops/op_block.h"

#include <algorithm>

namespace lemmascope {

namespace {

// ReduceProd of all of a shape is an element count.
void foldProduct(InferContext& c) {
    const std::vector<Dim>* elements = c.elements(0);
    if (c.node().op.name != "ReduceProd" || elements == nullptr || !c.shape(0) || c.shape(0)->size() != 1 || c.resultCount() == 0) {
        return;
    }
    const std::optional<Shape>& out = c.results()[0].type.shape;
    if (!out || !elementCount(*out).is(1)) {
        return;
    }
    std::vector<Dim> product{elementCount(*elements)};
    if (fitsType(product, c.element(0))) {
        c.setElements(0, std::move(product));
    }
}

// Axes are an attribute, then an operand (from 13 for ReduceSum, from 18 for the others); none means all, unless
// noop_with_empty_axes.
void inferReduce(InferContext& c) {
    const bool keep = c.intAttribute("keepdims", 1) != 0;
    InferContext::IntegerList axes = c.listFrom("axes", 1);
    if (!c.shape(0)) {
        c.setResult(0, c.element(0), std::nullopt);
        return;
    }
    const Shape& shape = *c.shape(0);
    if (axes.present && !axes.known) {
        // An axes operand of known length still gives the rank.
        std::optional<Shape> out;
        if (keep) {
            out = c.unknownShape(0, shape.size());
        } else if (c.shape(1) && c.shape(1)->size() == 1 && c.shape(1)->front().isKnown()) {
            const std::int64_t count = c.shape(1)->front().value();
            if (count > 0 && static_cast<std::size_t>(count) <= shape.size()) {
                out = c.unknownShape(0, shape.size() - static_cast<std::size_t>(count));
            }
        }
        c.setResult(0, c.element(0), std::move(out));
        return;
    }
    std::vector<bool> reduced(shape.size(), false);
    if (axes.values.empty()) {
        reduced.assign(shape.size(), c.intAttribute("noop_with_empty_axes", 0) == 0);
    } else {
        const std::optional<std::vector<std::size_t>> named = c.axes(axes.values, shape.size(), "reduced axes");
        if (!named) {
            return;
        }
        for (const std::size_t axis : *named) {
            reduced[axis] = true;
        }
    }
    Shape out;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (!reduced[axis]) {
            out.push_back(shape[axis]);
        } else if (keep) {
            out.emplace_back(1);
        }
    }
    c.setResult(0, c.element(0), std::move(out));
    foldProduct(c);
}

void inferArg(InferContext& c) {
    if (!c.shape(0)) {
        c.setResult(0, ElementType::I64, std::nullopt);
        return;
    }
    Shape out = *c.shape(0);
    const std::optional<std::size_t> axis = c.axis(c.intAttribute("axis", 0), out.size());
    if (!axis) {
        return;
    }
    if (c.intAttribute("keepdims", 1) != 0) {
        out[*axis] = Dim(1);
    } else {
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(*axis));
    }
    c.setResult(0, ElementType::I64, std::move(out));
}

void inferCumSum(InferContext& c) {
    if (!c.checkElement(1, {ElementType::I32, ElementType::I64})) {
        return;
    }
    const std::optional<std::vector<std::int64_t>> axis = c.integers(1);
    if (c.shape(0) && axis && axis->size() == 1 && !c.axis(axis->front(), c.shape(0)->size(), "operand 1")) {
        return;
    }
    c.setResult(0, c.type(0));
}

} // namespace

OpBlocks reductionOps() {
    constexpr OpClass Computing = OpClass::Computing;
    OpBlocks out;
    const auto reduce = [&out](std::string_view name, std::vector<int> asAttribute, std::vector<int> asOperand) {
        out.push_back({OnnxDomain, name, std::move(asAttribute), 1, 1, OpClass::Computing, "axes:I keepdims:i", inferReduce});
        out.push_back({OnnxDomain, name, std::move(asOperand), 1, 2, OpClass::Computing, "keepdims:i noop_with_empty_axes:i", inferReduce});
    };
    reduce("ReduceL1", {1, 11, 13}, {18});
    reduce("ReduceL2", {1, 11, 13}, {18});
    reduce("ReduceLogSum", {1, 11, 13}, {18});
    reduce("ReduceLogSumExp", {1, 11, 13}, {18});
    reduce("ReduceMax", {1, 11, 12, 13}, {18, 20});
    reduce("ReduceMean", {1, 11, 13}, {18});
    reduce("ReduceMin", {1, 11, 12, 13}, {18, 20});
    reduce("ReduceProd", {1, 11, 13}, {18});
    reduce("ReduceSum", {1, 11}, {13});
    reduce("ReduceSumSquare", {1, 11, 13}, {18});
    for (const std::string_view name : {"ArgMax", "ArgMin"}) {
        out.push_back({OnnxDomain, name, {1, 11, 12, 13}, 1, 1, Computing, "axis:i keepdims:i select_last_index:i", inferArg});
    }
    out.push_back({OnnxDomain, "CumSum", {11, 14}, 2, 2, Computing, "exclusive:i reverse:i", inferCumSum});
    out.push_back({OnnxDomain, "CumProd", {26}, 2, 2, Computing, "exclusive:i reverse:i", inferCumSum});
    return out;
}

} // namespace lemmascope
