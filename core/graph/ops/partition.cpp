// Movements that split, pad and repeat: Split, Pad, Tile, Expand, and blocks between depth and space.

#include "core/graph/ops/element_arithmetic.h"
#include "core/graph/ops/op_block.h"

#include <algorithm>

namespace lemmascope {

namespace {

// Lengths of the parts along the axis; nothing when data decides.
std::optional<std::vector<Dim>> partLengths(InferContext& c, const Dim& whole) {
    const std::size_t count = c.resultCount();
    std::vector<Dim> parts;
    if (const std::vector<std::int64_t>* attribute = c.intsAttribute("split")) {
        parts.assign(attribute->begin(), attribute->end());
    } else if (c.has(1)) {
        if (c.elements(1) == nullptr) {
            return std::nullopt;
        }
        parts = *c.elements(1);
    }
    if (!parts.empty()) {
        if (parts.size() != count) {
            c.fail("splits into " + counted(parts.size(), "part") + ", but has " + counted(count, "result"));
            return std::nullopt;
        }
        Dim sum(0);
        for (const Dim& part : parts) {
            sum = sum + part;
        }
        return c.checkEqual(sum, whole, "sum of the split lengths") ? std::optional<std::vector<Dim>>(parts) : std::nullopt;
    }
    const bool uneven = c.since() >= 18;
    const std::int64_t named = c.intAttribute("num_outputs", static_cast<std::int64_t>(count));
    if (named != static_cast<std::int64_t>(count)) {
        c.fail("attribute 'num_outputs' is " + std::to_string(named) + ", but the node has " + counted(count, "result"));
        return std::nullopt;
    }
    const Dim number(static_cast<std::int64_t>(count));
    if (!uneven && whole.isKnown() && whole.value() % number.value() != 0) {
        c.fail("cannot split an axis of length " + whole.text() + " into " + std::to_string(count) + " equal parts");
        return std::nullopt;
    }
    // From opset 18 the last part may be smaller.
    const Dim chunk = uneven ? Dim::ceilDiv(whole, number) : Dim::floorDiv(whole, number);
    parts.assign(count, chunk);
    if (uneven) {
        parts.back() = whole - chunk * (number - Dim(1));
    }
    return parts;
}

void inferSplit(InferContext& c) {
    const std::size_t count = c.resultCount();
    if (count == 0) {
        return;
    }
    if (!c.shape(0)) {
        for (std::size_t k = 0; k < count; ++k) {
            c.setResult(k, c.element(0), std::nullopt);
        }
        return;
    }
    const Shape& shape = *c.shape(0);
    const std::optional<std::size_t> axis = c.axis(c.intAttribute("axis", 0), shape.size());
    if (!axis) {
        return;
    }
    const std::optional<std::vector<Dim>> parts = partLengths(c, shape[*axis]);
    if (c.failed()) {
        return;
    }
    std::int64_t offset = 0;
    bool selectable = c.elements(0) != nullptr && shape.size() == 1;
    for (std::size_t k = 0; k < count; ++k) {
        Shape out = shape;
        out[*axis] = parts ? (*parts)[k] : c.unknown(k, *axis);
        const Dim length = out[*axis];
        c.setResult(k, c.element(0), std::move(out));
        const std::int64_t available = selectable ? static_cast<std::int64_t>(c.elements(0)->size()) - offset : 0;
        selectable = selectable && length.isKnown() && length.value() >= 0 && length.value() <= available;
        if (selectable) {
            const auto first = c.elements(0)->begin() + offset;
            c.setElements(k, std::vector<Dim>(first, first + length.value()));
            offset += length.value();
        }
    }
}

// Pads: begins, then ends, of all axes or (from opset 18) of those that operand 3 names. Negative ones crop.
void inferPad(InferContext& c) {
    const std::string key = c.since() < 2 ? "paddings" : "pads";
    const InferContext::IntegerList pads = c.listFrom(key, c.since() < 11 ? 99 : 1);
    const std::string mode = c.stringAttribute("mode", "constant");
    const bool modeKnown = mode == "constant" || mode == "reflect" || mode == "edge" || (mode == "wrap" && c.since() >= 19);
    if (!modeKnown) {
        c.fail("attribute 'mode' is '" + mode + "', expected constant, reflect, edge" + (c.since() >= 19 ? " or wrap" : ""));
        return;
    }
    if (!pads.present) {
        c.fail("attribute '" + key + "' is missing");
        return;
    }
    if (!c.shape(0)) {
        c.setResult(0, c.element(0), std::nullopt);
        return;
    }
    const Shape& shape = *c.shape(0);
    std::vector<Dim> amounts(pads.values.begin(), pads.values.end());
    const bool symbolic = !pads.known && c.since() >= 11 && c.elements(1) != nullptr;
    if (symbolic) {
        amounts = *c.elements(1);
    }
    std::vector<std::size_t> axes;
    if (c.has(3)) {
        const std::optional<std::vector<std::int64_t>> named = c.integers(3);
        const std::optional<std::vector<std::size_t>> found = named ? c.axes(*named, shape.size(), "padded axes") : std::nullopt;
        if (!found) {
            c.setResult(0, c.element(0), c.failed() ? std::optional<Shape>() : c.unknownShape(0, shape.size()));
            return;
        }
        axes = *found;
    } else {
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            axes.push_back(axis);
        }
    }
    if (!pads.known && !symbolic) {
        Shape out = shape;
        for (const std::size_t axis : axes) {
            out[axis] = c.unknown(0, axis);
        }
        c.setResult(0, c.element(0), std::move(out));
        return;
    }
    if (amounts.size() != 2 * axes.size()) {
        const std::string what = c.intsAttribute(key) != nullptr ? "attribute '" + key + "'" : std::string("operand 1");
        c.fail(what + " has " + counted(amounts.size(), "value") + ", expected " + std::to_string(2 * axes.size()));
        return;
    }
    Shape out = shape;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        out[axes[k]] = shape[axes[k]] + amounts[k] + amounts[k + axes.size()];
    }
    c.setResult(0, c.element(0), std::move(out));
}

void inferTile(InferContext& c) {
    if (!c.shape(0)) {
        c.setResult(0, c.element(0), std::nullopt);
        return;
    }
    Shape out = *c.shape(0);
    if (c.since() < 6) { // repeats one axis; both are operands
        c.setResult(0, c.element(0), c.unknownShape(0, out.size()));
        return;
    }
    if (!c.checkRank(1, 1)) {
        return;
    }
    const std::vector<Dim>* repeats = c.elements(1);
    if (repeats == nullptr) {
        c.setResult(0, c.element(0), c.unknownShape(0, out.size()));
        return;
    }
    if (repeats->size() != out.size()) {
        c.fail("operand 1 has " + counted(repeats->size(), "value") + ", expected " + std::to_string(out.size()));
        return;
    }
    for (std::size_t axis = 0; axis < out.size(); ++axis) {
        out[axis] = out[axis] * (*repeats)[axis];
    }
    c.setResult(0, c.element(0), std::move(out));
}

// Broadcasting both ways: the shape may have 1 where the operand has more.
void inferExpand(InferContext& c) {
    if (!c.checkRank(1, 1)) {
        return;
    }
    const std::vector<Dim>* wanted = c.elements(1);
    if (wanted == nullptr || !c.shape(0)) {
        std::optional<Shape> out;
        if (c.shape(0) && c.shape(1) && c.shape(1)->front().isKnown() && c.shape(1)->front().value() <= 64) {
            out = c.unknownShape(0, std::max(c.shape(0)->size(), static_cast<std::size_t>(c.shape(1)->front().value())));
        }
        c.setResult(0, c.element(0), std::move(out));
        return;
    }
    for (const Dim& length : *wanted) {
        if (length.isKnown() && length.value() < 0) {
            c.fail("operand 1 has the length " + length.text() + ", expected 0 or more");
            return;
        }
    }
    std::optional<Shape> out = c.broadcast(*c.shape(0), *wanted);
    if (!out) {
        return;
    }
    c.setResult(0, c.element(0), out);
    const std::optional<std::vector<std::int64_t>> to = smallShape(out);
    const std::optional<std::vector<std::int64_t>> from = smallShape(c.shape(0));
    if (c.elements(0) != nullptr && to && from) {
        std::vector<Dim> elements;
        for (const std::size_t index : broadcastIndices(*from, *to)) {
            elements.push_back((*c.elements(0))[index]);
        }
        c.setElements(0, std::move(elements));
    }
}

std::optional<std::int64_t> blockSize(InferContext& c) {
    const std::int64_t size = c.intAttribute("blocksize", 0);
    if (size < 1 || size > INT32_MAX) {
        c.fail(c.hasAttribute("blocksize") ? "attribute 'blocksize' is " + std::to_string(size) + ", expected 1 or more"
                                           : "attribute 'blocksize' is missing");
        return std::nullopt;
    }
    return size;
}

// A length that must be a multiple, divided.
std::optional<Dim> divided(InferContext& c, const Dim& length, const Dim& by, std::string_view what) {
    if (length.isKnown() && by.isKnown() && length.value() % by.value() != 0) {
        c.fail(std::string(what) + " is " + length.text() + ", expected a multiple of " + by.text());
        return std::nullopt;
    }
    return Dim::floorDiv(length, by);
}

void inferDepthToSpace(InferContext& c) {
    const std::optional<std::int64_t> size = blockSize(c);
    if (!size || !c.checkRank(0, 4)) {
        return;
    }
    if (!c.shape(0)) {
        c.setResult(0, c.element(0), c.unknownShape(0, 4));
        return;
    }
    const Shape& x = *c.shape(0);
    const Dim block(*size);
    if (const std::optional<Dim> channels = divided(c, x[1], block * block, "number of channels")) {
        c.setResult(0, c.element(0), Shape{x[0], *channels, x[2] * block, x[3] * block});
    }
}

void inferSpaceToDepth(InferContext& c) {
    const std::optional<std::int64_t> size = blockSize(c);
    if (!size || !c.checkRank(0, 4)) {
        return;
    }
    if (!c.shape(0)) {
        c.setResult(0, c.element(0), c.unknownShape(0, 4));
        return;
    }
    const Shape& x = *c.shape(0);
    const Dim block(*size);
    const std::optional<Dim> height = divided(c, x[2], block, "length of axis 2");
    const std::optional<Dim> width = height ? divided(c, x[3], block, "length of axis 3") : std::nullopt;
    if (width) {
        c.setResult(0, c.element(0), Shape{x[0], x[1] * block * block, *height, *width});
    }
}

} // namespace

OpBlocks partitionOps() {
    constexpr OpClass Movement = OpClass::Movement;
    return {
        {OnnxDomain, "Split", {1}, 1, 2, Movement, "axis:i split:I", inferSplit},
        {OnnxDomain, "Split", {2, 11}, 1, 1, Movement, "axis:i split:I", inferSplit},
        {OnnxDomain, "Split", {13, 18}, 1, 2, Movement, "axis:i num_outputs:i", inferSplit},
        {OnnxDomain, "Pad", {1}, 1, 1, Movement, "paddings:I mode:s value:f", inferPad},
        {OnnxDomain, "Pad", {2}, 1, 1, Movement, "pads:I mode:s value:f", inferPad},
        {OnnxDomain, "Pad", {11, 13}, 2, 3, Movement, "mode:s", inferPad},
        {OnnxDomain, "Pad", {18, 19, 21, 23, 24, 25}, 2, 4, Movement, "mode:s", inferPad},
        {OnnxDomain, "Tile", {1}, 3, 3, Movement, "", inferTile},
        {OnnxDomain, "Tile", {6, 13}, 2, 2, Movement, "", inferTile},
        {OnnxDomain, "Expand", {8, 13}, 2, 2, Movement, "", inferExpand},
        {OnnxDomain, "DepthToSpace", {1, 11, 13}, 1, 1, Movement, "blocksize:i mode:s", inferDepthToSpace},
        {OnnxDomain, "SpaceToDepth", {1, 13}, 1, 1, Movement, "blocksize:i", inferSpaceToDepth},
    };
}

} // namespace lemmascope
