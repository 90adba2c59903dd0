// Movements that pick, join or repeat: slice, split, concat, gather, pad, tile, expand.

#include "core/graph/ops/element_arithmetic.h"
#include "core/graph/ops/op_block.h"

#include <algorithm>
#include <cstdint>

namespace lemmascope {

namespace {

void inferConcat(InferContext& c) {
    if (c.since() >= 4 && !c.hasAttribute("axis")) {
        c.fail("attribute 'axis' is missing");
        return;
    }
    std::optional<std::size_t> ranked;
    for (std::size_t i = 0; i < c.operandCount(); ++i) {
        if (!c.checkSameElement({0, i})) {
            return;
        }
        if (c.shape(i) && !ranked) {
            ranked = i;
        }
        if (ranked && !c.checkRank(i, c.shape(*ranked)->size())) {
            return;
        }
    }
    const ElementType element = c.element(0);
    if (!ranked) {
        c.setResult(0, element, std::nullopt);
        return;
    }
    const std::size_t rank = c.shape(*ranked)->size();
    const std::optional<std::size_t> axis = c.axis(c.intAttribute("axis", 1), rank);
    if (!axis) {
        return;
    }
    Shape out(rank);
    Dim total(0);
    bool complete = true;
    for (std::size_t i = 0; i < c.operandCount(); ++i) {
        if (!c.shape(i)) {
            complete = false;
            continue;
        }
        const Shape& shape = *c.shape(i);
        total = total + shape[*axis];
        for (std::size_t k = 0; k < rank; ++k) {
            if (i == *ranked || (!out[k].isKnown() && shape[k].isKnown())) {
                out[k] = shape[k];
            }
            if (k != *axis && !c.checkEqual(shape[k], out[k], "length of operand " + std::to_string(i) + " on axis " + std::to_string(k))) {
                return;
            }
        }
    }
    out[*axis] = complete ? total : c.unknown(0, *axis);
    c.setResult(0, element, std::move(out));
    // Elements: of vectors, and of any shape along axis 0.
    if (*axis != 0) {
        return;
    }
    std::vector<Dim> elements;
    for (std::size_t i = 0; i < c.operandCount(); ++i) {
        if (c.elements(i) == nullptr || elements.size() + c.elements(i)->size() > static_cast<std::size_t>(MaxTrackedElements)) {
            return;
        }
        elements.insert(elements.end(), c.elements(i)->begin(), c.elements(i)->end());
    }
    c.setElements(0, std::move(elements));
}

// Index lists along axis 0 .. rank: elements of the result from those of the operand, by position.
struct Selection {
    std::vector<std::vector<std::int64_t>> perAxis;
};

void selectElements(InferContext& c, const Selection& selection) {
    const std::vector<Dim>* elements = c.elements(0);
    const std::optional<std::vector<std::int64_t>> from = smallShape(c.shape(0));
    if (elements == nullptr || !from) {
        return;
    }
    std::vector<std::size_t> flat{0};
    std::size_t stride = elements->size();
    for (std::size_t axis = 0; axis < from->size(); ++axis) {
        stride = (*from)[axis] == 0 ? 0 : stride / static_cast<std::size_t>((*from)[axis]);
        std::vector<std::size_t> next;
        for (const std::size_t base : flat) {
            for (const std::int64_t index : selection.perAxis[axis]) {
                next.push_back(base + static_cast<std::size_t>(index) * stride);
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

// One bound of a slice: counted from the end when negative, then clamped to [low, high]. Nothing when the sizes decide. `ordered`: low <= high
// at all sizes, as 0 and a length are, even where the length's form does not show it.
std::optional<Dim> sliceBound(const InferContext& c, const Dim& bound, const Dim& length, const Dim& low, const Dim& high, bool ordered) {
    const std::optional<bool> fromStart = c.order().compare(bound, Dim(0));
    if (!fromStart) {
        return std::nullopt;
    }
    // Exporters write INT64_MAX (or near it) for "to the end", INT64_MIN for "past the start".
    constexpr std::int64_t Huge = std::int64_t{1} << 31U;
    if (bound.isKnown() && !length.isKnown() && bound.value() >= Huge - 1) {
        return high;
    }
    if (bound.isKnown() && !length.isKnown() && bound.value() <= -Huge) {
        return low;
    }
    const Dim absolute = *fromStart ? bound : bound + length;
    if (absolute.overflowed()) {
        return low;
    }
    if (ordered && absolute == high) {
        return high;
    }
    const std::optional<Dim> above = c.order().max(absolute, low);
    if (ordered && above && (*above == low || !*fromStart)) {
        return above; // counted from the end, it lies below it
    }
    return above ? c.order().min(*above, high) : std::nullopt;
}

struct SliceAxis {
    std::optional<Dim> start;
    std::optional<Dim> length;
};

SliceAxis sliceAxis(const InferContext& c, const Dim& start, const Dim& end, std::int64_t step, const Dim& length) {
    SliceAxis out;
    const Dim last = length - Dim(1);
    out.start = step > 0 ? sliceBound(c, start, length, Dim(0), length, true) : sliceBound(c, start, length, Dim(0), last, false);
    const std::optional<Dim> stop = step > 0 ? sliceBound(c, end, length, Dim(0), length, true) : sliceBound(c, end, length, Dim(-1), last, true);
    if (!out.start || !stop) {
        return out;
    }
    const Dim distance = step > 0 ? *stop - *out.start : *out.start - *stop;
    // From the first element, or to the last, no clamped slice is backwards.
    const bool forwards = step > 0 && (out.start->is(0) || *stop == length);
    const std::optional<Dim> positive = forwards ? distance : c.order().max(distance, Dim(0));
    if (positive && step != INT64_MIN) {
        out.length = Dim::ceilDiv(*positive, Dim(step > 0 ? step : -step));
    }
    return out;
}

// One list of a slice: an attribute up to opset 9, an operand from 10.
const std::vector<Dim>* sliceList(InferContext& c, const std::string& key, std::size_t operand, std::vector<Dim>& storage) {
    if (const std::vector<std::int64_t>* attribute = c.intsAttribute(key)) {
        storage.assign(attribute->begin(), attribute->end());
        return &storage;
    }
    return c.elements(operand);
}

void inferSlice(InferContext& c) {
    const bool asAttributes = c.since() < 10;
    for (std::size_t i = 1; i < c.operandCount(); ++i) {
        if (c.has(i) && !c.checkRank(i, 1)) {
            return;
        }
    }
    if (asAttributes && (!c.hasAttribute("starts") || !c.hasAttribute("ends"))) {
        c.fail(std::string("attribute '") + (c.hasAttribute("starts") ? "ends" : "starts") + "' is missing");
        return;
    }
    if (!c.shape(0)) {
        c.setResult(0, c.element(0), std::nullopt);
        return;
    }
    const Shape& shape = *c.shape(0);
    std::vector<Dim> storage[4];
    const std::vector<Dim>* starts = sliceList(c, "starts", 1, storage[0]);
    const std::vector<Dim>* ends = sliceList(c, "ends", 2, storage[1]);
    const bool hasAxes = asAttributes ? c.hasAttribute("axes") : c.has(3);
    const std::vector<Dim>* axisList = sliceList(c, "axes", 3, storage[2]);
    const std::vector<Dim>* steps = c.elements(4);
    // How many axes are sliced, from any list whose length is known.
    std::optional<std::size_t> count;
    for (const std::vector<Dim>* list : {starts, ends, axisList, steps}) {
        if (list == nullptr) {
            continue;
        }
        if (count && *count != list->size()) {
            c.fail("starts, ends, axes and steps have " + counted(*count, "value") + " and " + std::to_string(list->size()) +
                   ", expected equally many");
            return;
        }
        count = list->size();
    }
    std::vector<std::int64_t> named;
    if (hasAxes) {
        const std::optional<std::vector<std::int64_t>> known = axisList != nullptr ? knownIntegers(*axisList) : std::nullopt;
        if (!known) {
            c.setResult(0, c.element(0), c.unknownShape(0, shape.size()));
            return;
        }
        named = *known;
    } else if (!count) {
        c.setResult(0, c.element(0), c.unknownShape(0, shape.size()));
        return;
    } else {
        if (*count > shape.size()) {
            c.fail("slices " + counted(*count, "axis") + ", expected at most " + std::to_string(shape.size()));
            return;
        }
        for (std::size_t k = 0; k < *count; ++k) {
            named.push_back(static_cast<std::int64_t>(k));
        }
    }
    const std::optional<std::vector<std::size_t>> axes = c.axes(named, shape.size(), "sliced axes");
    if (!axes) {
        return;
    }
    Shape out = shape;
    Selection selection;
    bool selectable = c.elements(0) != nullptr && smallShape(c.shape(0)).has_value();
    if (selectable) {
        for (const Dim& length : shape) {
            std::vector<std::int64_t> all;
            for (std::int64_t k = 0; k < length.value(); ++k) {
                all.push_back(k);
            }
            selection.perAxis.push_back(std::move(all));
        }
    }
    for (std::size_t k = 0; k < axes->size(); ++k) {
        const std::size_t axis = (*axes)[k];
        const bool stepKnown = !c.has(4) || (steps != nullptr && (*steps)[k].isKnown());
        const std::int64_t step = c.has(4) && stepKnown ? (*steps)[k].value() : 1;
        if (step == 0) {
            c.fail("operand 4 has a step of 0 for axis " + std::to_string(axis));
            return;
        }
        if (!c.stringAttribute("lemmascope.form", "").empty() && shape[axis].isKnown() && starts != nullptr && ends != nullptr &&
            (*starts)[k].isKnown() && (*ends)[k].isKnown()) {
            // A literal part of our JSON lies inside the shape: no clamping. Whole axes of any length end at 2^63-1.
            const std::int64_t length = shape[axis].value();
            const std::int64_t start = (*starts)[k].value();
            const std::int64_t end = (*ends)[k].value();
            const bool inside = step > 0 ? start <= length && (end <= length || end == INT64_MAX) : start < length;
            if (!inside) {
                c.fail("the part [" + std::to_string(start) + ", " + std::to_string(end) + "] of axis " + std::to_string(axis) +
                       " is outside its length " + std::to_string(length) + "; a literal part lies inside the shape");
                return;
            }
        }
        SliceAxis slice;
        if (stepKnown && starts != nullptr && ends != nullptr) {
            slice = sliceAxis(c, (*starts)[k], (*ends)[k], step, shape[axis]);
        }
        out[axis] = slice.length ? *slice.length : c.unknown(0, axis);
        selectable = selectable && slice.length && slice.start && slice.length->isKnown() && slice.start->isKnown();
        if (selectable) {
            std::vector<std::int64_t> picked;
            for (std::int64_t n = 0; n < slice.length->value(); ++n) {
                picked.push_back(slice.start->value() + n * step);
            }
            selection.perAxis[axis] = std::move(picked);
        }
    }
    c.setResult(0, c.element(0), std::move(out));
    if (selectable) {
        selectElements(c, selection);
    }
}

void inferGather(InferContext& c) {
    if (!c.checkElement(1, {ElementType::I32, ElementType::I64}) || !c.checkRankAtLeast(0, 1)) {
        return;
    }
    if (!c.shape(0)) {
        c.setResult(0, c.element(0), std::nullopt);
        return;
    }
    const Shape& data = *c.shape(0);
    const std::optional<std::size_t> axis = c.axis(c.intAttribute("axis", 0), data.size());
    if (!axis || !c.shape(1)) {
        c.setResult(0, c.element(0), std::nullopt);
        return;
    }
    Shape out(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(*axis));
    out.insert(out.end(), c.shape(1)->begin(), c.shape(1)->end());
    out.insert(out.end(), data.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, data.end());
    c.setResult(0, c.element(0), std::move(out));
    const std::optional<std::vector<std::int64_t>> indices = c.integers(1);
    if (c.elements(0) == nullptr || data.size() != 1 || !indices || !data[0].isKnown()) {
        return;
    }
    std::vector<Dim> elements;
    for (const std::int64_t index : *indices) {
        const std::int64_t at = index < 0 ? index + data[0].value() : index;
        if (at < 0 || at >= data[0].value()) { // a fault of the graph, not of its types
            return;
        }
        elements.push_back((*c.elements(0))[static_cast<std::size_t>(at)]);
    }
    c.setElements(0, std::move(elements));
}

} // namespace

OpBlocks indexingOps() {
    constexpr OpClass Movement = OpClass::Movement;
    return {
        {OnnxDomain, "Concat", {1, 4, 11, 13}, 1, -1, Movement, "axis:i", inferConcat},
        {OnnxDomain, "Slice", {1}, 1, 1, Movement, "starts:I ends:I axes:I", inferSlice},
        {OnnxDomain, "Slice", {10, 11, 13}, 3, 5, Movement, "", inferSlice},
        {OnnxDomain, "Gather", {1, 11, 13}, 2, 2, Movement, "axis:i", inferGather},
    };
}

} // namespace lemmascope
