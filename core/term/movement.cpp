#include "core/term/movement.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace lemmascope {

namespace {

constexpr std::uint32_t PushBudget = 512;
constexpr std::size_t MaxPieces = 64;
/// Steps in all, past which movements stay plain views: a graph made to blow up stays linear.
constexpr std::uint64_t MaxWork = 20'000'000;

template <class... Ts>
struct Overload : Ts... {
    using Ts::operator()...;
};
template <class... Ts>
Overload(Ts...) -> Overload<Ts...>;

Dim product(const Shape& shape, std::size_t from, std::size_t to) {
    Dim out(1);
    for (std::size_t axis = from; axis < to; ++axis) {
        out = out * shape[axis];
    }
    return out;
}

bool isEmpty(const Shape& shape) {
    return std::any_of(shape.begin(), shape.end(), [](const Dim& dim) { return dim.is(0); });
}

} // namespace

bool broadcastsTo(const Shape& from, const Shape& to) {
    if (from.size() > to.size()) {
        return false;
    }
    const std::size_t lead = to.size() - from.size();
    for (std::size_t axis = 0; axis < from.size(); ++axis) {
        if (!from[axis].is(1) && !(from[axis] == to[lead + axis])) {
            return false;
        }
    }
    return true;
}

Shape Movements::resultShape(const Shape& source, const MovementSpec& movement) {
    return std::visit(Overload{[](const ReshapeTo& m) { return m.shape; },
                               [&](const TransposeBy& m) {
                                   Shape out;
                                   for (const std::size_t axis : m.permutation) {
                                       out.push_back(source[axis]);
                                   }
                                   return out;
                               },
                               [](const SliceOf& m) { return m.lengths; }, [](const ExpandTo& m) { return m.shape; }},
                      movement);
}

View Movements::asView(const Shape& source, const MovementSpec& movement) {
    const std::vector<Dim> strides = contiguousStrides(source);
    return std::visit(Overload{[&](const ReshapeTo& m) {
                                   return coalesced(View{Dim(0), {Mode{elementCount(m.shape), Dim(1)}}});
                               },
                               [&](const TransposeBy& m) {
                                   View out{Dim(0), {}};
                                   for (const std::size_t axis : m.permutation) {
                                       out.modes.push_back(Mode{source[axis], strides[axis]});
                                   }
                                   return coalesced(std::move(out));
                               },
                               [&](const SliceOf& m) {
                                   View out{Dim(0), {}};
                                   for (std::size_t axis = 0; axis < source.size(); ++axis) {
                                       out.offset = out.offset + m.starts[axis] * strides[axis];
                                       out.modes.push_back(Mode{m.lengths[axis], Dim(m.steps[axis]) * strides[axis]});
                                   }
                                   return coalesced(std::move(out));
                               },
                               [&](const ExpandTo& m) {
                                   View out{Dim(0), {}};
                                   const std::size_t lead = m.shape.size() - source.size();
                                   for (std::size_t axis = 0; axis < m.shape.size(); ++axis) {
                                       const bool repeats = axis < lead || (source[axis - lead].is(1) && !m.shape[axis].is(1));
                                       out.modes.push_back(Mode{m.shape[axis], repeats ? Dim(0) : strides[axis - lead]});
                                   }
                                   return coalesced(std::move(out));
                               }},
                      movement);
}

TermId Movements::view(TermId source, const View& view, const Shape& shape) {
    const TensorType type{m_store.type(source).element, shape};
    if (m_store.kind(source) == TermKind::View) {
        const TermId inner = m_store.operands(source)[0];
        if (const std::optional<View> both = composed(m_store.view(source), view)) {
            return m_store.rawView(inner, *both, type);
        }
    }
    return m_store.rawView(source, view, type);
}

TermId Movements::sink(TermId source, const View& view, const Shape& shape) {
    if (!m_store.isElementwise(source) || ++m_store.movementWork > MaxWork || m_sinkDepth > PushBudget) {
        return this->view(source, view, shape);
    }
    ++m_sinkDepth;
    const std::vector<TermId> operands(m_store.operands(source).begin(), m_store.operands(source).end());
    const OperatorId op = m_store.term(source).op;
    std::vector<TermId> moved;
    for (const TermId operand : operands) {
        moved.push_back(sink(operand, view, shape));
    }
    --m_sinkDepth;
    return elementwise(op, moved, {m_store.type(source).element, shape});
}

TermId Movements::move(TermId source, const MovementSpec& movement) {
    assert(m_store.hasShape(source));
    m_budget = PushBudget;
    m_cutShort = false;
    m_moved.clear();
    return moveInner(source, movement);
}

TermId Movements::moveInner(TermId source, const MovementSpec& movement) {
    const Shape& from = m_store.shape(source);
    const Shape to = resultShape(from, movement);
    if (to == from && isIdentity(asView(from, movement), elementCount(from))) {
        return source;
    }
    if (const auto at = m_moved.find(source); at != m_moved.end()) {
        return at->second;
    }
    TermId out;
    ++m_store.movementWork;
    const bool normalise = m_store.movementWork < MaxWork;
    if (normalise && m_store.isElementwise(source) && m_budget > 0) {
        const TermId plain = m_store.rawView(source, asView(from, movement), {m_store.type(source).element, to});
        if (const auto known = m_store.movedViews.find(plain.index); known != m_store.movedViews.end()) {
            return known->second;
        }
        --m_budget;
        const bool before = std::exchange(m_cutShort, false);
        const std::vector<TermId> operands(m_store.operands(source).begin(), m_store.operands(source).end());
        const OperatorId op = m_store.term(source).op;
        const TensorType type{m_store.type(source).element, to};
        std::vector<TermId> moved;
        for (const TermId operand : operands) {
            moved.push_back(moveInner(operand, movement));
        }
        out = elementwise(op, moved, type);
        if (!m_cutShort) {
            m_store.movedViews.emplace(plain.index, out);
        }
        m_cutShort = m_cutShort || before;
    } else if (normalise && m_store.kind(source) == TermKind::Concat) {
        const std::optional<TermId> joined = moveConcat(source, movement);
        out = joined ? *joined : view(source, asView(m_store.shape(source), movement), to);
    } else {
        m_cutShort = m_cutShort || m_store.isElementwise(source);
        out = view(source, asView(from, movement), to);
    }
    m_moved.emplace(source, out);
    return out;
}

std::optional<TermId> Movements::moveConcat(TermId source, const MovementSpec& movement) {
    const std::size_t axis = m_store.term(source).payload;
    const std::vector<TermId> parts(m_store.operands(source).begin(), m_store.operands(source).end());
    const Shape shape = m_store.shape(source);
    std::vector<TermId> moved;
    const auto apply = [&](TermId part, const MovementSpec& m) {
        Movements inner(m_store);
        moved.push_back(inner.move(part, m));
    };

    if (const auto* slice = std::get_if<SliceOf>(&movement)) {
        const bool whole = slice->starts[axis].is(0) && slice->lengths[axis] == shape[axis] && slice->steps[axis] == 1;
        if (whole) {
            for (const TermId part : parts) {
                SliceOf inner = *slice;
                inner.lengths[axis] = m_store.shape(part)[axis];
                apply(part, inner);
            }
            return concat(axis, moved);
        }
        const std::int64_t step = slice->steps[axis];
        if (step == 1) {
            // match: slice [s, s+l) of joined parts   result: the parts' overlaps, joined
            const Dim begin = slice->starts[axis];
            const Dim end = begin + slice->lengths[axis];
            Dim at(0);
            for (const TermId part : parts) {
                const Dim next = at + m_store.shape(part)[axis];
                if (Dim::provablyAtLeast(begin, next) || Dim::provablyAtLeast(at, end)) {
                    at = next;
                    continue;
                }
                const bool fromStart = Dim::provablyAtLeast(at, begin);
                const bool toEnd = Dim::provablyAtLeast(end, next);
                if ((!fromStart && !Dim::provablyAtLeast(begin, at)) || (!toEnd && !Dim::provablyAtLeast(next, end))) {
                    return std::nullopt;
                }
                SliceOf inner = *slice;
                inner.starts[axis] = fromStart ? Dim(0) : begin - at;
                inner.lengths[axis] = (toEnd ? next : end) - (fromStart ? at : begin);
                apply(part, inner);
                at = next;
            }
            return moved.empty() ? std::nullopt : std::optional<TermId>(concat(axis, moved));
        }
        // Any other step over known lengths: the steps that fall into each part, in the order of the steps.
        if (!slice->starts[axis].isKnown() || !slice->lengths[axis].isKnown()) {
            return std::nullopt;
        }
        std::vector<std::int64_t> bounds{0};
        for (const TermId part : parts) {
            if (!m_store.shape(part)[axis].isKnown()) {
                return std::nullopt;
            }
            bounds.push_back(bounds.back() + m_store.shape(part)[axis].value());
        }
        const std::int64_t count = slice->lengths[axis].value();
        std::int64_t done = 0;
        while (done < count) {
            const std::int64_t position = slice->starts[axis].value() + done * step;
            const auto part = static_cast<std::size_t>(std::upper_bound(bounds.begin(), bounds.end(), position) - bounds.begin()) - 1;
            if (part >= parts.size() || moved.size() >= MaxPieces) {
                return std::nullopt;
            }
            std::int64_t run = 1;
            while (done + run < count && position + run * step >= bounds[part] && position + run * step < bounds[part + 1]) {
                ++run;
            }
            SliceOf inner = *slice;
            inner.starts[axis] = Dim(position - bounds[part]);
            inner.lengths[axis] = Dim(run);
            apply(parts[part], inner);
            done += run;
        }
        return moved.empty() ? std::nullopt : std::optional<TermId>(concat(axis, moved));
    }
    if (const auto* transpose = std::get_if<TransposeBy>(&movement)) {
        const auto to =
            static_cast<std::size_t>(std::find(transpose->permutation.begin(), transpose->permutation.end(), axis) - transpose->permutation.begin());
        for (const TermId part : parts) {
            apply(part, movement);
        }
        return concat(to, moved);
    }
    if (const auto* expand = std::get_if<ExpandTo>(&movement)) {
        const std::size_t to = axis + expand->shape.size() - shape.size();
        for (const TermId part : parts) {
            ExpandTo inner = *expand;
            inner.shape[to] = m_store.shape(part)[axis];
            apply(part, inner);
        }
        return concat(to, moved);
    }
    if (const auto* reshape = std::get_if<ReshapeTo>(&movement)) {
        // match: the joined axis keeps what stands before it   result: pieces reshaped alone, along the axis it became part of
        if (isEmpty(shape)) {
            return std::nullopt;
        }
        const Dim before = product(shape, 0, axis);
        const Dim after = product(shape, axis + 1, shape.size());
        for (std::size_t to = 0; to < reshape->shape.size(); ++to) {
            if (!(product(reshape->shape, 0, to) == before) || (reshape->shape[to].is(1) && !shape[axis].is(1))) {
                continue;
            }
            const Dim behind = product(reshape->shape, to + 1, reshape->shape.size());
            // each piece must fill whole steps of the new axis: length_i * after divisible by behind
            std::vector<Dim> lengths;
            for (const TermId part : parts) {
                const std::optional<Dim> length = Dim::exactQuotient(m_store.shape(part)[axis] * after, behind);
                if (!length) {
                    return std::nullopt;
                }
                lengths.push_back(*length);
            }
            for (std::size_t k = 0; k < parts.size(); ++k) {
                ReshapeTo inner = *reshape;
                inner.shape[to] = lengths[k];
                apply(parts[k], inner);
            }
            return concat(to, moved);
        }
    }
    return std::nullopt;
}

TermId Movements::slice(TermId source, std::vector<Dim> starts, std::vector<Dim> lengths, std::vector<std::int64_t> steps) {
    return move(source, SliceOf{std::move(starts), std::move(lengths), std::move(steps)});
}

TermId Movements::sliceAxis(TermId source, std::size_t axis, const Dim& start, const Dim& length) {
    const Shape shape = m_store.shape(source);
    SliceOf slice{std::vector<Dim>(shape.size(), Dim(0)), shape, std::vector<std::int64_t>(shape.size(), 1)};
    slice.starts[axis] = start;
    slice.lengths[axis] = length;
    return move(source, slice);
}

std::optional<TermId> Movements::continued(TermId first, TermId second, std::size_t axis,
                                           std::map<std::pair<TermId, TermId>, std::optional<TermId>>& known, int depth) {
    const Shape a = m_store.shape(first);
    const Shape b = m_store.shape(second);
    const ElementType element = m_store.type(first).element;
    Shape joined = a;
    joined[axis] = a[axis] + b[axis];
    // match: f(a, b) and f(c, d), c continues a, d continues b   result: f(a with c, b with d)
    if (m_store.isElementwise(first) && m_store.isElementwise(second) && m_store.term(first).op == m_store.term(second).op) {
        const std::size_t count = m_store.operands(first).size();
        if (count == 0 || count != m_store.operands(second).size() || depth > 48 || ++m_store.movementWork > MaxWork) {
            return std::nullopt;
        }
        if (const auto at = known.find({first, second}); at != known.end()) {
            return at->second;
        }
        std::vector<TermId> operands;
        for (std::size_t k = 0; k < count; ++k) {
            const TermId x = m_store.operands(first)[k];
            const TermId y = m_store.operands(second)[k];
            const bool whole = m_store.hasShape(x) && m_store.hasShape(y) && m_store.shape(x) == a && m_store.shape(y) == b;
            const std::optional<TermId> both = whole ? continued(x, y, axis, known, depth + 1) : std::nullopt;
            if (!both) {
                known.emplace(std::pair{first, second}, std::nullopt);
                return std::nullopt;
            }
            operands.push_back(*both);
        }
        const TermId out = m_store.apply(m_store.term(first).op, operands, {element, joined});
        known.emplace(std::pair{first, second}, out);
        return out;
    }
    // match: adjacent views of one source that continue each other   result: one view
    const bool viewed = m_store.kind(first) == TermKind::View || m_store.kind(second) == TermKind::View;
    const auto viewOf = [this](TermId t) {
        return m_store.kind(t) == TermKind::View ? m_store.view(t) : coalesced(View{Dim(0), {Mode{elementCount(m_store.shape(t)), Dim(1)}}});
    };
    if (!viewed || m_store.sourceOf(first) != m_store.sourceOf(second)) {
        return std::nullopt;
    }
    const std::optional<AxisStrides> low = axisStrides(viewOf(first), a);
    const std::optional<AxisStrides> high = axisStrides(viewOf(second), b);
    if (!low || !high) {
        return std::nullopt;
    }
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (k != axis && !a[k].is(1) && !(low->strides[k] == high->strides[k])) {
            return std::nullopt;
        }
    }
    const Dim step = a[axis].is(1) ? (b[axis].is(1) ? high->offset - low->offset : high->strides[axis]) : low->strides[axis];
    if ((!b[axis].is(1) && !(high->strides[axis] == step)) || !(high->offset == low->offset + a[axis] * step)) {
        return std::nullopt;
    }
    std::vector<Dim> strides = low->strides;
    strides[axis] = step;
    return m_store.rawView(m_store.sourceOf(first), fromAxisStrides(low->offset, joined, strides), {element, joined});
}

TermId Movements::concat(std::size_t axis, std::span<const TermId> operands) {
    std::vector<TermId> flat;
    for (const TermId operand : operands) {
        if (m_store.shape(operand)[axis].is(0)) {
            continue; // an empty piece adds nothing
        }
        if (m_store.kind(operand) == TermKind::Concat && m_store.term(operand).payload == axis) {
            const auto inner = m_store.operands(operand);
            flat.insert(flat.end(), inner.begin(), inner.end());
        } else {
            flat.push_back(operand);
        }
    }
    if (flat.empty()) {
        return operands.front();
    }
    // Adjacent pieces that continue each other are one piece.
    std::vector<TermId> merged;
    std::map<std::pair<TermId, TermId>, std::optional<TermId>> known;
    for (const TermId piece : flat) {
        const std::optional<TermId> one = merged.empty() ? std::nullopt : continued(merged.back(), piece, axis, known, 0);
        if (one) {
            merged.back() = *one;
        } else {
            merged.push_back(piece);
        }
    }
    if (merged.size() == 1) {
        return merged.front();
    }
    Shape shape = m_store.shape(merged.front());
    Dim total(0);
    for (const TermId piece : merged) {
        total = total + m_store.shape(piece)[axis];
    }
    shape[axis] = total;
    return m_store.rawConcat(static_cast<std::uint32_t>(axis), merged, {m_store.type(merged.front()).element, shape});
}

TermId Movements::elementwise(OperatorId op, std::span<const TermId> operands, const TensorType& type) {
    bool fits = type.shape.has_value();
    for (const TermId operand : operands) {
        fits = fits && m_store.hasShape(operand) && broadcastsTo(m_store.shape(operand), *type.shape);
    }
    if (!fits) {
        Operator plain = m_store.op(op);
        plain.elementwise = false;
        plain.name += "/broadcast";
        return m_store.apply(m_store.internOperator(plain), operands, type);
    }
    std::vector<TermId> wide;
    std::size_t axis = 0;
    bool joined = false;
    for (const TermId operand : operands) {
        Movements inner(m_store);
        wide.push_back(m_store.shape(operand) == *type.shape ? operand : inner.expand(operand, *type.shape));
        const TermId last = wide.back();
        if (!joined && m_store.kind(last) == TermKind::Concat && m_store.operands(last).size() <= MaxPieces) {
            joined = true;
            axis = m_store.term(last).payload;
        }
    }
    return joined ? pieces(op, std::move(wide), type, axis) : m_store.apply(op, wide, type);
}

TermId Movements::pieces(OperatorId op, std::vector<TermId> operands, const TensorType& type, std::size_t axis) {
    // The cuts of every operand joined along this axis; they must be comparable at all sizes.
    std::vector<Dim> cuts{Dim(0)};
    const Dim total = (*type.shape)[axis];
    for (const TermId operand : operands) {
        if (m_store.kind(operand) != TermKind::Concat || m_store.term(operand).payload != axis) {
            continue;
        }
        Dim at(0);
        for (const TermId part : m_store.operands(operand)) {
            at = at + m_store.shape(part)[axis];
            bool known = at == total;
            for (const Dim& cut : cuts) {
                known = known || cut == at;
            }
            if (!known) {
                cuts.push_back(at);
            }
        }
    }
    cuts.push_back(total);
    bool ordered = cuts.size() <= MaxPieces + 1;
    for (std::size_t i = 1; ordered && i < cuts.size(); ++i) {
        // insertion sort with provable comparisons
        for (std::size_t k = i; k > 1 && !Dim::provablyAtLeast(cuts[k], cuts[k - 1]); --k) {
            if (!Dim::provablyAtLeast(cuts[k - 1], cuts[k])) {
                ordered = false;
                break;
            }
            std::swap(cuts[k], cuts[k - 1]);
        }
    }
    if (!ordered) {
        return m_store.apply(op, operands, type);
    }
    std::vector<TermId> parts;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        const Dim length = cuts[i + 1] - cuts[i];
        std::vector<TermId> here;
        for (const TermId operand : operands) {
            Movements inner(m_store);
            here.push_back(inner.sliceAxis(operand, axis, cuts[i], length));
        }
        Shape shape = *type.shape;
        shape[axis] = length;
        Movements inner(m_store);
        parts.push_back(inner.elementwise(op, here, {type.element, shape}));
    }
    return concat(axis, parts);
}

} // namespace lemmascope
