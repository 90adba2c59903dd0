// Constants, shapes, and movements that keep every element once: reshape, transpose, squeeze and their kin.

#include "core/graph/ops/element_arithmetic.h"
#include "core/graph/ops/op_block.h"

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

void inferIdentity(InferContext& c) { c.copyResult(0, 0); }

// The value stands in one of several attributes.
void inferConstant(InferContext& c) {
    const Node& node = c.node();
    if (const auto* tensor = node.attribute<Tensor>("value")) {
        c.setConstant(0, *tensor);
    } else if (const auto* integer = node.attribute<std::int64_t>("value_int")) {
        c.setConstant(0, Tensor::of<std::int64_t>(ElementType::I64, {}, {*integer}));
    } else if (const auto* integers = node.attribute<std::vector<std::int64_t>>("value_ints")) {
        c.setConstant(0, Tensor::of<std::int64_t>(ElementType::I64, {static_cast<std::int64_t>(integers->size())}, *integers));
    } else if (const auto* real = node.attribute<float>("value_float")) {
        c.setConstant(0, Tensor::of<float>(ElementType::F32, {}, {*real}));
    } else if (const auto* reals = node.attribute<std::vector<float>>("value_floats")) {
        c.setConstant(0, Tensor::of<float>(ElementType::F32, {static_cast<std::int64_t>(reals->size())}, *reals));
    } else if (const auto* string = node.attribute<std::string>("value_string")) {
        c.setConstant(0, Tensor::ofStrings({}, {*string}));
    } else if (const auto* strings = node.attribute<std::vector<std::string>>("value_strings")) {
        c.setConstant(0, Tensor::ofStrings({static_cast<std::int64_t>(strings->size())}, *strings));
    } else if (!c.hasAttribute("sparse_value")) {
        c.fail("none of the attributes 'value', 'value_int', 'value_float', ... is there");
    }
}

// Start and end count from the end when negative and are clamped (from opset 15).
void inferShape(InferContext& c) {
    if (!c.shape(0)) {
        c.setResult(0, ElementType::I64, Shape{c.unknown(0, 0)});
        return;
    }
    const auto rank = static_cast<std::int64_t>(c.shape(0)->size());
    std::int64_t start = c.intAttribute("start", 0);
    std::int64_t end = c.intAttribute("end", rank);
    start = std::clamp<std::int64_t>(start < 0 ? start + rank : start, 0, rank);
    end = std::clamp<std::int64_t>(end < 0 ? end + rank : end, start, rank);
    c.setResult(0, ElementType::I64, Shape{Dim(end - start)});
    c.setElements(0, std::vector<Dim>(c.shape(0)->begin() + start, c.shape(0)->begin() + end));
}

void inferSize(InferContext& c) {
    c.setResult(0, ElementType::I64, Shape{});
    if (c.shape(0)) {
        c.setElements(0, {elementCount(*c.shape(0))});
    }
}

// Lengths a tensor names: its elements, or unknown ones as many as its own length; nothing if even that is unknown.
std::optional<Shape> shapeFromOperand(InferContext& c, std::size_t operand) {
    if (!c.checkRank(operand, 1)) {
        return std::nullopt;
    }
    if (const std::vector<Dim>* elements = c.elements(operand)) {
        for (const Dim& length : *elements) {
            if (length.isKnown() && length.value() < 0) {
                c.fail("operand " + std::to_string(operand) + " names the length " + length.text() + ", expected 0 or more");
                return std::nullopt;
            }
        }
        return *elements;
    }
    if (c.shape(operand) && c.shape(operand)->front().isKnown() && c.shape(operand)->front().value() <= 64) {
        return c.unknownShape(0, static_cast<std::size_t>(c.shape(operand)->front().value()));
    }
    return std::nullopt;
}

void inferConstantOfShape(InferContext& c) {
    const auto* value = c.node().attribute<Tensor>("value");
    c.setResult(0, value != nullptr ? value->element() : ElementType::F32, shapeFromOperand(c, 0));
    if (c.failed() || c.resultCount() == 0 || value == nullptr || bitWidth(value->element()) == 0 || value->count() != 1) {
        return;
    }
    if (const std::optional<std::vector<std::int64_t>> lengths = smallShape(c.results()[0].type.shape)) {
        const std::vector<Dim> elements(countOf(*lengths), Dim(value->toInt64(0)));
        if (fitsType(elements, value->element())) {
            c.setElements(0, elements);
        }
    }
}

// Of float constants: max(ceil((limit - start) / delta), 0), in double as ONNX's own inference and ONNX Runtime compute it.
std::optional<Dim> constantRangeLength(const InferContext& c) {
    double values[3] = {};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::optional<std::vector<double>> numbers = c.numbers(i);
        if (!numbers || numbers->size() != 1) {
            return std::nullopt;
        }
        values[i] = numbers->front();
    }
    const double length = std::ceil((values[1] - values[0]) / values[2]);
    return length > -9.0e15 && length < 9.0e15 ? std::optional<Dim>(Dim(std::max<std::int64_t>(static_cast<std::int64_t>(length), 0))) : std::nullopt;
}

void inferRange(InferContext& c) {
    if (!c.checkSameElement({0, 1, 2})) {
        return;
    }
    const std::vector<Dim>* start = c.elements(0);
    const std::vector<Dim>* limit = c.elements(1);
    const std::vector<Dim>* delta = c.elements(2);
    const bool single = start != nullptr && limit != nullptr && delta != nullptr && start->size() == 1 && limit->size() == 1 && delta->size() == 1;
    if (!single || !delta->front().isKnown()) {
        c.setResult(0, c.element(0), Shape{constantRangeLength(c).value_or(c.unknown(0, 0))});
        return;
    }
    const std::int64_t step = delta->front().value();
    if (step == 0) {
        c.fail("operand 2 is 0, expected a step other than 0");
        return;
    }
    // max(ceil((limit - start) / delta), 0), with the sign moved into the dividend.
    const Dim distance = step > 0 ? limit->front() - start->front() : start->front() - limit->front();
    if (step == INT64_MIN || distance.overflowed()) {
        c.setResult(0, c.element(0), Shape{c.unknown(0, 0)});
        return;
    }
    const std::optional<Dim> positive = c.order().max(distance, Dim(0));
    const Dim length = positive ? Dim::ceilDiv(*positive, Dim(step > 0 ? step : -step)) : c.unknown(0, 0);
    c.setResult(0, c.element(0), Shape{length});
    if (length.isKnown() && length.value() <= MaxTrackedElements) {
        std::vector<Dim> out;
        for (std::int64_t k = 0; k < length.value(); ++k) {
            out.push_back(start->front() + Dim(k) * Dim(step));
        }
        if (fitsType(out, c.element(0))) {
            c.setElements(0, std::move(out));
        }
    }
}

void keepElements(InferContext& c) {
    if (c.elements(0) != nullptr && !c.failed() && c.resultCount() > 0) {
        c.results()[0].elements = c.facts(0).elements;
    }
}

// 0 copies the operand's length (unless allowzero), -1 is what remains.
void inferReshape(InferContext& c) {
    std::vector<Dim> wanted;
    if (const std::vector<std::int64_t>* attribute = c.intsAttribute("shape")) {
        wanted.assign(attribute->begin(), attribute->end());
    } else if (!c.has(1)) {
        c.fail("attribute 'shape' is missing");
        return;
    } else if (!c.checkRank(1, 1) || c.elements(1) == nullptr) {
        std::optional<Shape> shape;
        if (!c.failed() && c.shape(1) && c.shape(1)->front().isKnown() && c.shape(1)->front().value() <= 64) {
            shape = c.unknownShape(0, static_cast<std::size_t>(c.shape(1)->front().value()));
        }
        c.setResult(0, c.element(0), std::move(shape));
        return;
    } else {
        wanted = *c.elements(1);
    }
    const bool allowZero = c.intAttribute("allowzero", 0) != 0;
    std::optional<std::size_t> open;
    bool complete = true; // all lengths but the open one are known as functions of the sizes
    Dim rest(1);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        if (wanted[k].is(-1)) {
            if (open) {
                c.fail("the shape " + text(wanted) + " has -1 twice");
                return;
            }
            open = k;
            continue;
        }
        if (wanted[k].isKnown() && wanted[k].value() < 0) {
            c.fail("the shape " + text(wanted) + " has the length " + wanted[k].text());
            return;
        }
        if (wanted[k].is(0) && !allowZero) {
            if (c.shape(0) && k >= c.shape(0)->size()) {
                c.fail("the shape " + text(wanted) + " copies axis " + std::to_string(k) + " of " + c.type(0).text());
                return;
            }
            wanted[k] = c.shape(0) ? (*c.shape(0))[k] : c.unknown(0, k);
            complete = complete && c.shape(0).has_value();
        }
        rest = rest * wanted[k];
    }
    const std::optional<Dim> total = c.shape(0) ? std::optional<Dim>(elementCount(*c.shape(0))) : std::nullopt;
    if (open) {
        if (allowZero && rest.is(0)) {
            c.fail("the shape " + text(wanted) + " has both 0 and -1 with allowzero");
            return;
        }
        if (total && rest.isKnown() && total->isKnown() && (rest.value() == 0 || total->value() % rest.value() != 0)) {
            c.fail("cannot reshape " + c.type(0).text() + " of " + total->text() + " elements to " + text(wanted));
            return;
        }
        const bool solvable = total && complete && !rest.is(0) && !rest.overflowed() && !total->overflowed();
        wanted[*open] = solvable ? Dim::floorDiv(*total, rest) : c.unknown(0, *open);
    } else if (total && total->isKnown() && rest.isKnown() && total->value() != rest.value()) {
        c.fail("cannot reshape " + c.type(0).text() + " of " + total->text() + " elements to " + text(wanted) + " of " + rest.text());
        return;
    } else if (total && !open) {
        c.order().ask(DimQuestion::Kind::Equal, rest, *total);
    }
    c.setResult(0, c.element(0), wanted);
    keepElements(c);
}

void inferFlatten(InferContext& c) {
    if (!c.shape(0)) {
        c.setResult(0, c.element(0), c.unknownShape(0, 2));
        return;
    }
    const Shape& shape = *c.shape(0);
    const auto rank = static_cast<std::int64_t>(shape.size());
    std::int64_t axis = c.intAttribute("axis", 1);
    if (axis < -rank || axis > rank) { // one past the last is allowed
        c.fail("attribute 'axis': axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
        return;
    }
    axis += axis < 0 ? rank : 0;
    c.setResult(0, c.element(0),
                Shape{elementCount(Shape(shape.begin(), shape.begin() + axis)), elementCount(Shape(shape.begin() + axis, shape.end()))});
    keepElements(c);
}

void inferSqueeze(InferContext& c) {
    const InferContext::IntegerList axes = c.listFrom("axes", 1);
    if (!c.shape(0) || (axes.present && !axes.known)) {
        c.setResult(0, c.element(0), std::nullopt);
        return;
    }
    const Shape& shape = *c.shape(0);
    std::vector<bool> dropped(shape.size(), false);
    if (axes.present) {
        const std::optional<std::vector<std::size_t>> named = c.axes(axes.values, shape.size(), "squeezed axes");
        if (!named) {
            return;
        }
        for (const std::size_t axis : *named) {
            if (!c.checkEqual(shape[axis], Dim(1), "length of squeezed axis " + std::to_string(axis))) {
                return;
            }
            dropped[axis] = true;
        }
    } else {
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            if (!shape[axis].isKnown()) { // a symbol that is 1 would vanish: the rank depends on the sizes
                c.setResult(0, c.element(0), std::nullopt);
                return;
            }
            dropped[axis] = shape[axis].is(1);
        }
    }
    Shape out;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (!dropped[axis]) {
            out.push_back(shape[axis]);
        }
    }
    c.setResult(0, c.element(0), std::move(out));
    keepElements(c);
}

void inferUnsqueeze(InferContext& c) {
    const InferContext::IntegerList axes = c.listFrom("axes", 1);
    if (!axes.present) {
        c.fail(c.since() < 13 ? "attribute 'axes' is missing" : "operand 1 is missing");
        return;
    }
    if (!c.shape(0) || !axes.known) {
        c.setResult(0, c.element(0), std::nullopt);
        return;
    }
    const std::size_t rank = c.shape(0)->size() + axes.values.size();
    const std::optional<std::vector<std::size_t>> named = c.axes(axes.values, rank, "new axes");
    if (!named) {
        return;
    }
    std::vector<bool> isNew(rank, false);
    for (const std::size_t axis : *named) {
        isNew[axis] = true;
    }
    Shape out;
    std::size_t next = 0;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        out.push_back(isNew[axis] ? Dim(1) : (*c.shape(0))[next++]);
    }
    c.setResult(0, c.element(0), std::move(out));
    keepElements(c);
}

// Result axis k is operand axis `sources[k]`.
void transposeElements(InferContext& c, const std::vector<std::size_t>& sources) {
    const std::vector<Dim>* elements = c.elements(0);
    const std::optional<std::vector<std::int64_t>> from = smallShape(c.shape(0));
    if (elements == nullptr || !from) {
        return;
    }
    std::vector<std::size_t> strides(from->size(), 1);
    for (std::size_t axis = from->size(); axis > 1; --axis) {
        strides[axis - 2] = strides[axis - 1] * static_cast<std::size_t>((*from)[axis - 1]);
    }
    std::vector<std::size_t> flat{0};
    for (const std::size_t source : sources) {
        std::vector<std::size_t> next;
        for (const std::size_t base : flat) {
            for (std::size_t k = 0; k < static_cast<std::size_t>((*from)[source]); ++k) {
                next.push_back(base + k * strides[source]);
            }
        }
        flat = std::move(next);
    }
    std::vector<Dim> out;
    for (const std::size_t index : flat) {
        out.push_back((*elements)[index]);
    }
    c.setElements(0, std::move(out));
}

void inferTranspose(InferContext& c) {
    const std::vector<std::int64_t>* perm = c.intsAttribute("perm");
    if (!c.shape(0)) {
        c.setResult(0, c.element(0), perm != nullptr && perm->size() <= 64 ? std::optional<Shape>(c.unknownShape(0, perm->size())) : std::nullopt);
        return;
    }
    const Shape& shape = *c.shape(0);
    Shape out(shape.rbegin(), shape.rend());
    std::vector<std::size_t> sources(shape.size());
    for (std::size_t k = 0; k < shape.size(); ++k) {
        sources[k] = shape.size() - 1 - k;
    }
    if (perm != nullptr) {
        if (perm->size() != shape.size()) {
            c.fail("attribute 'perm' has " + counted(perm->size(), "value") + ", expected " + std::to_string(shape.size()));
            return;
        }
        const std::optional<std::vector<std::size_t>> order = c.axes(*perm, shape.size(), "attribute 'perm'");
        if (!order) {
            return;
        }
        sources = *order;
        for (std::size_t k = 0; k < shape.size(); ++k) {
            out[k] = shape[sources[k]];
        }
    }
    c.setResult(0, c.element(0), std::move(out));
    transposeElements(c, sources);
}

} // namespace

OpBlocks layoutOps() {
    constexpr OpClass Movement = OpClass::Movement;
    constexpr OpClass Computing = OpClass::Computing;
    return {
        {OnnxDomain, "Identity", {1, 13, 14, 16, 19, 21, 23, 24, 25}, 1, 1, Movement, "", inferIdentity},
        {OnnxDomain,
         "Constant",
         {1, 9, 11, 12, 13, 19, 21, 23, 24, 25},
         0,
         0,
         Movement,
         "value:t value_int:i value_ints:I value_float:f value_floats:F value_string:s value_strings:S sparse_value:x",
         inferConstant},
        {OnnxDomain, "ConstantOfShape", {9, 20, 21, 23, 24, 25}, 1, 1, Movement, "value:t", inferConstantOfShape},
        {OnnxDomain, "Shape", {1, 13, 15, 19, 21, 23, 24, 25}, 1, 1, Computing, "start:i end:i", inferShape},
        {OnnxDomain, "Size", {1, 13, 19, 21, 23, 24, 25}, 1, 1, Computing, "", inferSize},
        {OnnxDomain, "Range", {11}, 3, 3, Computing, "", inferRange},
        {OnnxDomain, "Reshape", {1}, 1, 1, Movement, "shape:I", inferReshape},
        {OnnxDomain, "Reshape", {5, 13, 14, 19, 21, 23, 24, 25}, 2, 2, Movement, "allowzero:i", inferReshape},
        {OnnxDomain, "Flatten", {1, 9, 11, 13, 21, 23, 24, 25}, 1, 1, Movement, "axis:i", inferFlatten},
        {OnnxDomain, "Squeeze", {1, 11}, 1, 1, Movement, "axes:I", inferSqueeze},
        {OnnxDomain, "Squeeze", {13, 21, 23, 24, 25}, 1, 2, Movement, "", inferSqueeze},
        {OnnxDomain, "Unsqueeze", {1, 11}, 1, 1, Movement, "axes:I", inferUnsqueeze},
        {OnnxDomain, "Unsqueeze", {13, 21, 23, 24, 25}, 2, 2, Movement, "", inferUnsqueeze},
        {OnnxDomain, "Transpose", {1, 13, 21, 23, 24, 25}, 1, 1, Movement, "perm:I", inferTranspose},
    };
}

} // namespace lemmascope
