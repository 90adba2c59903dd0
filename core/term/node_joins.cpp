// Movement ops whose indices or masks are constants: what they do is known element by element, so they are views and joins
// of slices like any other movement. Bit for bit, at every length that is not fixed by the constant.

#include "core/term/node_terms.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace lemmascope {

namespace {

constexpr std::size_t MaxRuns = 64;
constexpr std::int64_t MaxMaskElements = 1 << 16;
constexpr std::int64_t MaxTableElements = 1 << 18;

/// Consecutive entries that step evenly.
struct Run {
    std::int64_t start = 0;
    std::int64_t step = 1;
    std::int64_t length = 1;
};

std::vector<Run> runsOf(const std::vector<std::int64_t>& values) {
    std::vector<Run> out;
    for (std::size_t at = 0; at < values.size();) {
        Run run{values[at], 1, 1};
        if (at + 1 < values.size() && values[at + 1] != values[at]) {
            run.step = values[at + 1] - values[at];
        }
        std::size_t next = at + 1;
        while (next < values.size() && values[next] - values[next - 1] == run.step) {
            ++next;
        }
        run.length = static_cast<std::int64_t>(next - at);
        out.push_back(run);
        at = next;
    }
    return out;
}

/// The table as a view: digits that step evenly, fastest last. A table that has no such form: nothing.
std::optional<View> fitted(std::vector<std::int64_t> values) {
    View out{Dim(values.front()), {}};
    while (values.size() > 1) {
        const std::int64_t step = values[1] - values[0];
        std::size_t length = 2;
        while (length < values.size() && values[length] - values[length - 1] == step) {
            ++length;
        }
        if (values.size() % length != 0) {
            return std::nullopt;
        }
        std::vector<std::int64_t> starts;
        for (std::size_t at = 0; at < values.size(); at += length) {
            for (std::size_t k = 1; k < length; ++k) {
                if (values[at + k] - values[at + k - 1] != step) {
                    return std::nullopt;
                }
            }
            starts.push_back(values[at]);
        }
        out.modes.insert(out.modes.begin(), Mode{Dim(static_cast<std::int64_t>(length)), Dim(step)});
        values = std::move(starts);
    }
    return coalesced(std::move(out));
}

} // namespace

std::optional<std::vector<std::int64_t>> NodeTerms::rowsIn(std::size_t i, const Dim& length) const {
    std::optional<std::vector<std::int64_t>> rows = integers(i);
    if (!rows && has(i)) {
        // A table longer than shapes are.
        const std::optional<Tensor> table = m_store.constantElements(operand(i), MaxTableElements);
        if (table && isInteger(table->element())) {
            rows.emplace();
            for (std::int64_t k = 0; k < table->count(); ++k) {
                rows->push_back(table->toInt64(k));
            }
        }
    }
    if (!rows || rows->empty()) {
        return std::nullopt;
    }
    const auto [low, high] = std::minmax_element(rows->begin(), rows->end());
    // Out of range or not seen to be in range: left to its range lemma.
    if (!Dim::provablyAtLeast(length - Dim(1), Dim(*high)) || !Dim::provablyAtLeast(length + Dim(*low), Dim(0))) {
        return std::nullopt;
    }
    if (*low < 0) {
        if (!length.isKnown()) {
            return std::nullopt;
        }
        for (std::int64_t& row : *rows) {
            row += row < 0 ? length.value() : 0;
        }
    }
    return rows;
}

std::optional<TermId> NodeTerms::gatherRows(TermId data, std::size_t axis) {
    const Shape shape = m_store.shape(data);
    if (!resultType(0).shape) {
        return std::nullopt;
    }
    const Shape& result = *resultType(0).shape;
    const std::optional<std::vector<std::int64_t>> rows = rowsIn(1, shape[axis]);
    if (!rows) {
        // Rows from the end of an axis of unknown length, one by one.
        const std::optional<std::vector<std::int64_t>> index = integers(1);
        std::vector<TermId> parts;
        for (std::size_t k = 0; index && index->size() <= MaxRuns && k < index->size(); ++k) {
            const Dim row = (*index)[k] < 0 ? shape[axis] + Dim((*index)[k]) : Dim((*index)[k]);
            if (!Dim::provablyAtLeast(row, Dim(0)) || !Dim::provablyAtLeast(shape[axis] - Dim(1), row)) {
                return std::nullopt; // not seen to be in range: left to its range lemma
            }
            parts.push_back(m_move.sliceAxis(data, axis, row, Dim(1)));
        }
        if (!parts.empty()) {
            return m_move.reshape(m_move.concat(axis, parts), result);
        }
        return std::nullopt;
    }
    const auto slice = [&](const Run& run) {
        SliceOf part{std::vector<Dim>(shape.size(), Dim(0)), shape, std::vector<std::int64_t>(shape.size(), 1)};
        part.starts[axis] = Dim(run.start);
        part.lengths[axis] = Dim(run.length);
        part.steps[axis] = run.step;
        return m_move.move(data, part);
    };
    // match: Gather with known indices   result: slices with even steps, joined, under the index's shape
    const std::vector<Run> runs = runsOf(*rows);
    if (runs.size() == 1) {
        return m_move.reshape(slice(runs[0]), result);
    }
    const std::vector<Dim> strides = contiguousStrides(shape);
    if (const std::optional<View> table = fitted(*rows)) {
        // match: indices with even steps in several digits   result: one view
        View view{table->offset * strides[axis], {}};
        for (std::size_t k = 0; k < axis; ++k) {
            view.modes.push_back(Mode{shape[k], strides[k]});
        }
        for (const Mode& mode : table->modes) {
            view.modes.push_back(Mode{mode.extent, mode.stride * strides[axis]});
        }
        for (std::size_t k = axis + 1; k < shape.size(); ++k) {
            view.modes.push_back(Mode{shape[k], strides[k]});
        }
        return m_move.sink(data, coalesced(std::move(view)), result);
    }
    if (runs.size() > MaxRuns) {
        return std::nullopt;
    }
    std::vector<TermId> parts;
    for (const Run& run : runs) {
        parts.push_back(slice(run));
    }
    return m_move.reshape(m_move.concat(axis, parts), result);
}

std::optional<TermId> NodeTerms::selectOp() {
    const Shape& result = *resultType(0).shape;
    if (!m_store.hasShape(operand(0)) || !m_store.hasShape(operand(1)) || !m_store.hasShape(operand(2))) {
        return std::nullopt;
    }
    const Shape shape = m_store.shape(operand(0));
    const std::optional<Tensor> mask = m_store.constantElements(operand(0), MaxMaskElements);
    if (!mask || mask->element() != ElementType::Bool || mask->count() == 0 || !broadcastsTo(shape, result) ||
        !broadcastsTo(m_store.shape(operand(1)), result) || !broadcastsTo(m_store.shape(operand(2)), result)) {
        return std::nullopt;
    }
    const std::vector<Dim> strides = contiguousStrides(shape);
    std::optional<std::size_t> axis;
    std::vector<std::int64_t> along;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        const std::int64_t length = shape[k].value();
        const std::int64_t step = strides[k].value();
        bool varies = false;
        for (std::int64_t i = 0; i < mask->count() && !varies; ++i) {
            const std::int64_t at = i / step % length;
            varies = at > 0 && (mask->toDouble(i) != 0.0) != (mask->toDouble(i - at * step) != 0.0);
        }
        if (varies && axis) {
            return std::nullopt;
        }
        if (varies) {
            axis = k;
        }
    }
    const auto chosen = [&](bool yes) {
        const TermId from = operand(yes ? 1 : 2);
        return m_store.shape(from) == result ? from : m_move.expand(from, result);
    };
    // match: Where with a constant condition   result: the branch, or slices of both joined where it changes along one axis
    if (!axis) {
        return chosen(mask->toDouble(0) != 0.0);
    }
    const std::size_t to = *axis + result.size() - shape.size();
    const std::int64_t length = shape[*axis].value();
    std::vector<TermId> parts;
    for (std::int64_t at = 0; at < length;) {
        const auto value = [&](std::int64_t i) { return mask->toDouble(i * strides[*axis].value()) != 0.0; };
        std::int64_t next = at + 1;
        while (next < length && value(next) == value(at)) {
            ++next;
        }
        if (parts.size() >= MaxRuns) {
            return std::nullopt;
        }
        parts.push_back(m_move.sliceAxis(chosen(value(at)), to, Dim(at), Dim(next - at)));
        at = next;
    }
    return m_move.concat(to, parts);
}

std::optional<TermId> NodeTerms::rowsStored(TermId table, TermId values, std::vector<std::int64_t> rows, bool mayRepeat) {
    // `values`: one row of the table's per entry of `rows`, outermost. The later of two writes of one row stays.
    std::vector<std::int64_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return rows[static_cast<std::size_t>(a)] < rows[static_cast<std::size_t>(b)]; });
    std::vector<std::int64_t> last;
    for (const std::int64_t at : order) {
        if (!last.empty() && rows[static_cast<std::size_t>(last.back())] == rows[static_cast<std::size_t>(at)]) {
            if (!mayRepeat) {
                return std::nullopt; // which write stays is not said
            }
            last.back() = at;
        } else {
            last.push_back(at);
        }
    }
    const Shape shape = m_store.shape(table);
    const Shape given = m_store.shape(values);
    std::vector<TermId> parts;
    Dim done(0);
    std::size_t pieces = 0;
    for (std::size_t at = 0; at < last.size();) {
        const std::int64_t row = rows[static_cast<std::size_t>(last[at])];
        std::size_t next = at + 1;
        std::int64_t step = 1;
        if (next < last.size() && rows[static_cast<std::size_t>(last[next])] == row + 1) {
            step = last[next] - last[at];
        }
        while (next < last.size() && rows[static_cast<std::size_t>(last[next])] == row + static_cast<std::int64_t>(next - at) &&
               last[next] - last[next - 1] == step) {
            ++next;
        }
        if (++pieces > MaxRuns) {
            return std::nullopt;
        }
        if (!(done == Dim(row))) {
            parts.push_back(m_move.sliceAxis(table, 0, done, Dim(row) - done));
        }
        const auto length = static_cast<std::int64_t>(next - at);
        SliceOf part{std::vector<Dim>(given.size(), Dim(0)), given, std::vector<std::int64_t>(given.size(), 1)};
        part.starts[0] = Dim(last[at]);
        part.lengths[0] = Dim(length);
        part.steps[0] = step;
        parts.push_back(m_move.move(values, part));
        done = Dim(row + length);
        at = next;
    }
    if (!(done == shape[0])) {
        parts.push_back(m_move.sliceAxis(table, 0, done, shape[0] - done));
    }
    return m_move.concat(0, parts);
}

std::optional<TermId> NodeTerms::boxStored(TermId table, TermId values, const std::vector<Dim>& lows, const std::vector<Dim>& highs) {
    // match: a box of the table is written   result: before, box, after joined along each axis, outermost axis first
    const Shape shape = m_store.shape(table);
    std::vector<std::pair<TermId, TermId>> around; // (before, after) per axis, invalid when empty
    std::vector<std::size_t> order;
    for (std::size_t axis = 0; axis < lows.size(); ++axis) {
        const Dim& low = lows[axis];
        const Dim& high = highs[axis];
        const Dim total = m_store.shape(table)[axis];
        if (!Dim::provablyAtLeast(total, high) || !Dim::provablyAtLeast(high, low) || !Dim::provablyAtLeast(low, Dim(0))) {
            return std::nullopt;
        }
        if (low.is(0) && high == total) {
            continue;
        }
        const TermId before = low.is(0) ? TermId() : m_move.sliceAxis(table, axis, Dim(0), low);
        const TermId after = high == total ? TermId() : m_move.sliceAxis(table, axis, high, total - high);
        around.emplace_back(before, after);
        order.push_back(axis);
        table = m_move.sliceAxis(table, axis, low, high - low);
    }
    if (!(m_store.shape(values) == m_store.shape(table))) {
        return std::nullopt;
    }
    TermId out = values;
    for (std::size_t k = order.size(); k-- > 0;) {
        std::vector<TermId> parts;
        if (around[k].first.isValid()) {
            parts.push_back(around[k].first);
        }
        parts.push_back(out);
        if (around[k].second.isValid()) {
            parts.push_back(around[k].second);
        }
        out = m_move.concat(order[k], parts);
    }
    return out;
}

std::optional<TermId> NodeTerms::storeSliceOp() {
    const auto starts = intsAttribute("starts");
    const auto ends = intsAttribute("ends");
    const auto steps = intsAttribute("steps");
    if (!has(0) || !has(1) || !starts || !ends || !m_store.hasShape(operand(0)) || !m_store.hasShape(operand(1))) {
        return std::nullopt;
    }
    const Shape shape = m_store.shape(operand(0));
    if (starts->size() != shape.size() || ends->size() != shape.size()) {
        return std::nullopt;
    }
    if (steps && std::any_of(steps->begin(), steps->end(), [](std::int64_t s) { return s != 1; })) {
        Operator store;
        store.name = "StoreSlice";
        store.attributes["starts"] = *starts;
        store.attributes["ends"] = *ends;
        store.attributes["steps"] = *steps;
        return apply(store, {operand(0), operand(1)});
    }
    std::vector<Dim> lows;
    std::vector<Dim> highs;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        lows.emplace_back((*starts)[axis]);
        highs.push_back((*ends)[axis] == INT64_MAX ? shape[axis] : Dim((*ends)[axis])); // written whole, whatever its length
    }
    return boxStored(operand(0), operand(1), lows, highs);
}

std::optional<TermId> NodeTerms::scatterOp() {
    if (!has(0) || !has(1) || !has(2) || stringAttribute("reduction", "none") != "none" || !m_store.hasShape(operand(0)) ||
        !m_store.hasShape(operand(1)) || !m_store.hasShape(operand(2))) {
        return std::nullopt;
    }
    const Shape shape = m_store.shape(operand(0));
    const Shape indices = m_store.shape(operand(1));
    const Shape updates = m_store.shape(operand(2));
    if (indices.empty() || shape.empty() || !indices.back().isKnown()) {
        return std::nullopt;
    }
    const auto width = static_cast<std::size_t>(indices.back().value());
    if (width == 0 || width > shape.size()) {
        return std::nullopt;
    }
    Shape rest(shape.begin() + static_cast<std::ptrdiff_t>(width), shape.end());
    Dim writes(1);
    for (std::size_t k = 0; k + 1 < indices.size(); ++k) {
        writes = writes * indices[k];
    }
    if (!(elementCount(updates) == writes * elementCount(rest))) {
        return std::nullopt;
    }
    if (width == 1) {
        const std::optional<std::vector<std::int64_t>> rows = rowsIn(1, shape[0]);
        if (!rows) {
            return std::nullopt;
        }
        Shape flat{Dim(static_cast<std::int64_t>(rows->size()))};
        flat.insert(flat.end(), rest.begin(), rest.end());
        return rowsStored(operand(0), m_move.reshape(operand(2), flat), *rows, false);
    }
    // match: tuples of indices that count through a box in order   result: the box written
    const std::optional<std::vector<std::int64_t>> given = integers(1);
    if (!given || given->size() < width || given->size() % width != 0) {
        return std::nullopt;
    }
    std::vector<std::int64_t> tuples = *given;
    std::vector<Dim> lows;
    std::vector<Dim> highs;
    Shape box;
    std::vector<std::int64_t> first;
    for (std::size_t k = 0; k < width; ++k) {
        std::int64_t low = tuples[k];
        std::int64_t high = low;
        for (std::size_t at = k; at < tuples.size(); at += width) {
            if (tuples[at] < 0) {
                if (!shape[k].isKnown()) {
                    return std::nullopt;
                }
                tuples[at] += shape[k].value();
            }
            low = at == k ? tuples[at] : std::min(low, tuples[at]);
            high = at == k ? tuples[at] : std::max(high, tuples[at]);
        }
        if (low < 0) {
            return std::nullopt;
        }
        lows.emplace_back(low);
        highs.emplace_back(high + 1);
        box.emplace_back(high + 1 - low);
        first.push_back(low);
    }
    const Dim inBox = elementCount(box);
    const auto count = static_cast<std::int64_t>(tuples.size() / width);
    if (!inBox.is(count)) {
        return std::nullopt;
    }
    const std::vector<Dim> strides = contiguousStrides(box);
    for (std::int64_t at = 0; at < count; ++at) {
        for (std::size_t k = 0; k < width; ++k) {
            const std::int64_t digit = at / strides[k].value() % box[k].value();
            if (tuples[static_cast<std::size_t>(at) * width + k] != first[k] + digit) {
                return std::nullopt;
            }
        }
    }
    box.insert(box.end(), rest.begin(), rest.end());
    return boxStored(operand(0), m_move.reshape(operand(2), box), lows, highs);
}

} // namespace lemmascope
