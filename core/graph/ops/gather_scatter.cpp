// Reads and writes at indices held in tensors, and the stores of our JSON's tables.

#include "core/graph/ops/op_block.h"

#include <algorithm>

namespace lemmascope {

namespace {

bool checkIndices(InferContext& c, std::size_t operand) { return c.checkElement(operand, {ElementType::I32, ElementType::I64}); }

// Operands data and indices of equal rank.
bool checkSameRank(InferContext& c, std::size_t a, std::size_t b) { return !c.shape(a) || !c.shape(b) || c.checkRank(b, c.shape(a)->size()); }

void inferGatherElements(InferContext& c) {
    if (!checkIndices(c, 1) || !c.checkRankAtLeast(0, 1) || !checkSameRank(c, 0, 1)) {
        return;
    }
    if (c.shape(0) && !c.axis(c.intAttribute("axis", 0), c.shape(0)->size())) {
        return;
    }
    c.setResult(0, c.element(0), c.shape(1));
}

void inferGatherNd(InferContext& c) {
    if (!c.checkElement(1, {ElementType::I64}) || !c.checkRankAtLeast(0, 1) || !c.checkRankAtLeast(1, 1)) {
        return;
    }
    if (!c.shape(0) || !c.shape(1) || !c.shape(1)->back().isKnown()) {
        c.setResult(0, c.element(0), std::nullopt);
        return;
    }
    const Shape& data = *c.shape(0);
    const Shape& indices = *c.shape(1);
    const std::int64_t batch = c.intAttribute("batch_dims", 0);
    const std::int64_t depth = indices.back().value();
    const auto rank = static_cast<std::int64_t>(data.size());
    if (batch < 0 || batch >= std::min(rank, static_cast<std::int64_t>(indices.size()))) {
        c.fail("attribute 'batch_dims' is " + std::to_string(batch) + ", expected less than both ranks " + std::to_string(rank) + " and " +
               std::to_string(indices.size()));
        return;
    }
    if (depth < 1 || depth > rank - batch) {
        c.fail("operand 1 indexes " + counted(static_cast<std::size_t>(std::max<std::int64_t>(depth, 0)), "axis") + ", expected 1 to " +
               std::to_string(rank - batch));
        return;
    }
    for (std::int64_t k = 0; k < batch; ++k) {
        const auto axis = static_cast<std::size_t>(k);
        if (!c.checkEqual(indices[axis], data[axis], "length of operand 1 on axis " + std::to_string(k))) {
            return;
        }
    }
    Shape out(indices.begin(), indices.end() - 1);
    out.insert(out.end(), data.begin() + batch + depth, data.end());
    c.setResult(0, c.element(0), std::move(out));
}

// data, indices, updates of one rank; updates have the indices' shape.
void inferScatterElements(InferContext& c) {
    if (!checkIndices(c, 1) || !c.checkSameElement({0, 2}) || !c.checkRankAtLeast(0, 1) || !checkSameRank(c, 0, 1) || !checkSameRank(c, 0, 2)) {
        return;
    }
    if (c.shape(0) && !c.axis(c.intAttribute("axis", 0), c.shape(0)->size())) {
        return;
    }
    for (std::size_t k = 0; c.shape(1) && c.shape(2) && k < c.shape(1)->size(); ++k) {
        if (!c.checkEqual((*c.shape(2))[k], (*c.shape(1))[k], "length of operand 2 on axis " + std::to_string(k))) {
            return;
        }
    }
    c.setResult(0, c.type(0));
}

void inferScatterNd(InferContext& c) {
    if (!c.checkElement(1, {ElementType::I64}) || !c.checkSameElement({0, 2}) || !c.checkRankAtLeast(0, 1) || !c.checkRankAtLeast(1, 1)) {
        return;
    }
    if (c.shape(0) && c.shape(1) && c.shape(1)->back().isKnown()) {
        const Shape& data = *c.shape(0);
        const Shape& indices = *c.shape(1);
        const std::int64_t depth = indices.back().value();
        if (depth < 1 || depth > static_cast<std::int64_t>(data.size())) {
            c.fail("operand 1 indexes " + counted(static_cast<std::size_t>(std::max<std::int64_t>(depth, 0)), "axis") + ", expected 1 to " +
                   std::to_string(data.size()));
            return;
        }
        Shape expected(indices.begin(), indices.end() - 1);
        expected.insert(expected.end(), data.begin() + depth, data.end());
        if (!c.checkRank(2, expected.size())) {
            return;
        }
        for (std::size_t k = 0; c.shape(2) && k < expected.size(); ++k) {
            if (!c.checkEqual((*c.shape(2))[k], expected[k], "length of operand 2 on axis " + std::to_string(k))) {
                return;
            }
        }
    }
    c.setResult(0, c.type(0));
}

// past_cache, update, optional write_indices: the cache with rows replaced.
void inferTensorScatter(InferContext& c) {
    if (c.checkSameElement({0, 1}) && checkSameRank(c, 0, 1)) {
        c.setResult(0, c.type(0));
    }
}

// ---- Our JSON's tables: the value must fit its place exactly; the result is the table.

void storeInto(InferContext& c, const std::optional<Shape>& place) {
    if (!c.checkSameElement({0, 1})) {
        return;
    }
    if (place && c.shape(1)) {
        bool fits = c.shape(1)->size() == place->size();
        for (std::size_t k = 0; fits && k < place->size(); ++k) {
            const Dim& found = (*c.shape(1))[k];
            fits = !found.isKnown() || !(*place)[k].isKnown() || found.value() == (*place)[k].value();
        }
        if (!fits) {
            c.fail("a value of shape " + text(*c.shape(1)) + " does not fit its place of shape " + text(*place));
            return;
        }
    }
    c.setResult(0, c.type(0));
}

std::optional<Shape> rowsOf(const InferContext& c, const Shape& leading) {
    if (!c.shape(0) || c.shape(0)->empty()) {
        return std::nullopt;
    }
    Shape out = leading;
    out.insert(out.end(), c.shape(0)->begin() + 1, c.shape(0)->end());
    return out;
}

std::optional<std::int64_t> rowCount(InferContext& c) {
    const std::int64_t count = c.intAttribute("count", -1);
    if (count < 0) {
        c.fail(c.hasAttribute("count") ? "attribute 'count' is " + std::to_string(count) + ", expected 0 or more" : "attribute 'count' is missing");
        return std::nullopt;
    }
    const Dim rows = c.shape(0) && !c.shape(0)->empty() ? c.shape(0)->front() : Dim(count);
    if (rows.isKnown() && count > rows.value()) {
        c.fail("attribute 'count' is " + std::to_string(count) + ", but operand 0 has " + rows.text() + " rows");
        return std::nullopt;
    }
    return count;
}

// The index operand `at` is one integer.
bool checkAt(InferContext& c, std::size_t at) {
    const Dim count = c.shape(at) ? elementCount(*c.shape(at)) : Dim(1);
    return checkIndices(c, at) && c.checkRankAtLeast(0, 1) && c.checkEqual(count, Dim(1), "number of elements of operand " + std::to_string(at));
}

void inferRowsAt(InferContext& c) {
    const std::optional<std::int64_t> count = rowCount(c);
    if (count && checkAt(c, 1)) {
        c.setResult(0, c.element(0), rowsOf(c, Shape{Dim(*count)}));
    }
}

void inferStoreRowsAt(InferContext& c) {
    const std::optional<std::int64_t> count = rowCount(c);
    if (count && checkAt(c, 2)) {
        storeInto(c, rowsOf(c, Shape{Dim(*count)}));
    }
}

void inferStoreRows(InferContext& c) {
    if (checkIndices(c, 2) && c.checkRankAtLeast(0, 1)) {
        storeInto(c, c.shape(2) ? rowsOf(c, *c.shape(2)) : std::nullopt);
    }
}

// starts, ends, steps for every axis: literal and in range, a negative step from end - 1 down to start.
void inferStoreSlice(InferContext& c) {
    const std::vector<std::int64_t>* lists[3] = {c.intsAttribute("starts"), c.intsAttribute("ends"), c.intsAttribute("steps")};
    const char* names[3] = {"starts", "ends", "steps"};
    if (!c.shape(0)) {
        c.setResult(0, c.type(0));
        return;
    }
    const Shape& table = *c.shape(0);
    for (std::size_t k = 0; k < 3; ++k) {
        if (lists[k] == nullptr || lists[k]->size() != table.size()) {
            c.fail(std::string("attribute '") + names[k] + "' " +
                   (lists[k] == nullptr ? std::string("is missing")
                                        : "has " + counted(lists[k]->size(), "value") + ", expected " + std::to_string(table.size())));
            return;
        }
    }
    Shape place;
    for (std::size_t axis = 0; axis < table.size(); ++axis) {
        const std::int64_t start = (*lists[0])[axis];
        const std::int64_t step = (*lists[2])[axis];
        // A reader that does not know the length writes the greatest integer for the whole axis.
        const Dim end = (*lists[1])[axis] == INT64_MAX ? table[axis] : Dim((*lists[1])[axis]);
        const bool ordered = !end.isKnown() || (start <= end.value() && (!table[axis].isKnown() || end.value() <= table[axis].value()));
        if (start < 0 || !ordered || step == 0 || step == INT64_MIN) {
            c.fail("stores [" + std::to_string(start) + ", " + end.text() + ") in steps of " + std::to_string(step) + " on axis " +
                   std::to_string(axis) + " of length " + table[axis].text());
            return;
        }
        place.push_back(Dim::ceilDiv(end - Dim(start), Dim(step < 0 ? -step : step)));
    }
    storeInto(c, place);
}

} // namespace

OpBlocks gatherScatterOps() {
    constexpr OpClass Movement = OpClass::Movement;
    constexpr OpClass Computing = OpClass::Computing;
    return {
        {OnnxDomain, "GatherElements", {11, 13}, 2, 2, Movement, "axis:i", inferGatherElements},
        {OnnxDomain, "GatherND", {11, 12, 13}, 2, 2, Movement, "batch_dims:i", inferGatherNd},
        {OnnxDomain, "Scatter", {9}, 3, 3, Movement, "axis:i", inferScatterElements, false, 11},
        {OnnxDomain, "ScatterElements", {11, 13}, 3, 3, Movement, "axis:i", inferScatterElements},
        {OnnxDomain, "ScatterND", {11, 13}, 3, 3, Movement, "", inferScatterNd},
        // From opset 16 a reduction may add, multiply or compare: then not a movement.
        {OnnxDomain, "ScatterElements", {16, 18}, 3, 3, Computing, "axis:i reduction:s", inferScatterElements},
        {OnnxDomain, "ScatterND", {16, 18}, 3, 3, Computing, "reduction:s", inferScatterNd},
        {OnnxDomain, "TensorScatter", {24}, 2, 3, Movement, "axis:i mode:s", inferTensorScatter},
        {OwnDomain, "RowsAt", {1}, 2, 2, Movement, "count:i", inferRowsAt},
        {OwnDomain, "StoreSlice", {1}, 2, 2, Movement, "starts:I ends:I steps:I", inferStoreSlice},
        {OwnDomain, "StoreRows", {1}, 3, 3, Movement, "", inferStoreRows},
        {OwnDomain, "StoreRowsAt", {1}, 3, 3, Movement, "count:i", inferStoreRowsAt},
    };
}

} // namespace lemmascope
