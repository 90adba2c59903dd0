#include "core/term/expand.h"

#include "core/term/expand_index.h"
#include "core/term/view.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace lemmascope {

using namespace expandindex;

Expander::Expander(const TermStore& store, Algebra& algebra, Meaning meaning, Cut cut, std::size_t budget, std::stop_token stop)
    : m_store(store), m_algebra(algebra), m_meaning(meaning), m_cut(std::move(cut)), m_budget(budget), m_stop(std::move(stop)) {}

const std::vector<std::int64_t>& Expander::shape(TermId term) {
    const auto [at, added] = m_shapes.try_emplace(term.index);
    if (added) {
        at->second = staticShape(m_store.shape(term)).value_or(std::vector<std::int64_t>{});
    }
    return at->second;
}

std::optional<Tensor> Expander::constant(TermId term) {
    const auto [at, added] = m_constants.try_emplace(term.index);
    if (added) {
        at->second = m_store.constantElements(term, 1'000'000);
    }
    return at->second;
}

Scalar Expander::at(TermId term, std::int64_t index) {
    const std::pair<std::uint32_t, std::int64_t> key(term.index, index);
    if (const auto found = m_memo.find(key); found != m_memo.end()) {
        return found->second;
    }
    if (!spend(1) || m_tooDeep || ((m_used & 1023U) == 0 && m_stop.stop_requested())) {
        return m_algebra.boolean(false);
    }
    if (m_depth >= MaxDepth) {
        m_tooDeep = true;
        return m_algebra.boolean(false);
    }
    ++m_depth;
    const Scalar out = compute(term, index);
    --m_depth;
    m_memo.emplace(key, out);
    return out;
}

Scalar Expander::opaque(TermId term, std::int64_t index) {
    if (m_meaning == Meaning::Exact && m_store.kind(term) == TermKind::Apply) {
        const std::string& op = m_store.op(term).name;
        if (std::find(m_openOps.begin(), m_openOps.end(), op) == m_openOps.end()) {
            m_openOps.push_back(op);
        }
    }
    return m_algebra.read(term, index);
}

Scalar Expander::constantElement(TermId term, std::int64_t index) {
    const Tensor& data = m_store.constantTensor(term);
    const ElementType type = data.element();
    if (type == ElementType::Bool) {
        return m_algebra.boolean(data.toInt64(index) != 0);
    }
    if (isInteger(type)) {
        return m_algebra.integer(data.toInt64(index), type);
    }
    if (isFloat(type) && isComputable(type)) {
        if (const std::optional<Scalar> other = m_substituted ? m_substituted(term, index) : std::nullopt) {
            return *other;
        }
        const double value = data.toDouble(index);
        if (value - value == 0.0) { // finite
            return m_algebra.number(mpq_class(value));
        }
    }
    return m_algebra.read(term, index); // NaN, infinities and exotic types: a value of its own
}

Scalar Expander::compute(TermId term, std::int64_t index) {
    if (const std::optional<TermId> instead = m_cut(term)) {
        return m_algebra.read(*instead, index);
    }
    switch (m_store.kind(term)) {
    case TermKind::Constant:
        if (index >= 0 || m_store.constantTensor(term).count() == 1) {
            return constantElement(term, std::max<std::int64_t>(index, 0));
        }
        return m_algebra.read(term, index);
    case TermKind::Input:
    case TermKind::Bound: return m_algebra.read(term, index);
    case TermKind::View: {
        const TermId source = m_store.operands(term)[0];
        if (m_store.kind(source) == TermKind::Constant && m_store.constantTensor(source).count() == 1) {
            return constantElement(source, 0);
        }
        if (index < 0) {
            return m_algebra.read(term, index);
        }
        const std::optional<std::int64_t> from = sourceIndex(m_store.view(term), index);
        return from ? at(source, *from) : m_algebra.read(term, index);
    }
    case TermKind::Concat: {
        if (index < 0 || !isStatic(term)) {
            return m_algebra.read(term, index);
        }
        const std::size_t axis = m_store.term(term).payload;
        std::vector<std::int64_t> position = unravel(index, shape(term));
        for (const TermId part : m_store.operands(term)) {
            const std::int64_t length = shape(part)[axis];
            if (position[axis] < length) {
                return at(part, ravel(position, shape(part)));
            }
            position[axis] -= length;
        }
        return m_algebra.read(term, index);
    }
    case TermKind::Apply: break;
    }
    if (m_store.op(term).elementwise) {
        if (const std::optional<Scalar> value = elementwise(term, index)) {
            return *value;
        }
        return opaque(term, index);
    }
    if (index < 0 || !isStatic(term)) {
        return m_algebra.read(term, index);
    }
    if (const std::optional<Scalar> value = structural(term, index)) {
        return *value;
    }
    if (m_meaning == Meaning::Exact) {
        if (const std::optional<Scalar> value = computing(term, index)) {
            return *value;
        }
    }
    return opaque(term, index);
}

std::optional<Scalar> Expander::elementwise(TermId term, std::int64_t index) {
    const std::vector<TermId> operands(m_store.operands(term).begin(), m_store.operands(term).end());
    const Operator& op = m_store.op(term);
    std::vector<Scalar> values;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (m_store.type(operands[i]).element == ElementType::Undefined) {
            return std::nullopt;
        }
        values.push_back(at(operands[i], index));
        if (exhausted()) {
            return values.front();
        }
    }
    if (m_meaning == Meaning::Exact) {
        if (const std::optional<Scalar> meaning = scalarMeaning(m_store, term, values, m_algebra)) {
            return meaning;
        }
    }
    if (op.element == ElementType::String || op.element == ElementType::Undefined) {
        return std::nullopt;
    }
    std::string name = op.name;
    if (m_meaning == Meaning::Exact && std::find(m_openOps.begin(), m_openOps.end(), op.name) == m_openOps.end()) {
        m_openOps.push_back(op.name);
    }
    // One open function per operator (attributes and types included), whatever the shape.
    name += "#" + std::to_string(m_store.term(term).op.index);
    return m_algebra.function(name, values, op.element);
}

std::optional<Scalar> Expander::structural(TermId term, std::int64_t index) {
    const Operator& op = m_store.op(term);
    const std::vector<TermId> operands(m_store.operands(term).begin(), m_store.operands(term).end());
    const std::string& name = op.name;
    const auto fits = [&](std::size_t count) {
        return operands.size() >= count &&
               std::all_of(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(count), [this](TermId t) { return isStatic(t); });
    };
    if (name == "Gather" && fits(2)) {
        const auto axis = static_cast<std::size_t>(op.attribute<std::int64_t>("axis"));
        const std::vector<std::int64_t> position = unravel(index, shape(term));
        const std::vector<std::int64_t>& rows = shape(operands[1]);
        const std::vector<std::int64_t>& data = shape(operands[0]);
        const std::vector<std::int64_t> row(position.begin() + static_cast<std::ptrdiff_t>(axis),
                                            position.begin() + static_cast<std::ptrdiff_t>(axis + rows.size()));
        std::vector<std::int64_t> from(position.begin(), position.begin() + static_cast<std::ptrdiff_t>(axis));
        from.push_back(0);
        from.insert(from.end(), position.begin() + static_cast<std::ptrdiff_t>(axis + rows.size()), position.end());
        const std::int64_t rowAt = ravel(row, rows);
        if (const std::optional<Tensor> known = constant(operands[1])) {
            std::int64_t which = known->toInt64(rowAt);
            which += which < 0 ? data[axis] : 0;
            if (which < 0 || which >= data[axis]) {
                return std::nullopt;
            }
            from[axis] = which;
            return at(operands[0], ravel(from, data));
        }
        const Scalar selected = at(operands[1], rowAt);
        const ElementType indexType = m_store.type(operands[1]).element;
        if (m_meaning == Meaning::Exact && data[axis] <= 64 && isFloat(op.element)) {
            // In range (its range lemma says so), the read is the sum over rows of [index = row] * element.
            std::vector<Scalar> terms;
            for (std::int64_t k = 0; k < data[axis]; ++k) {
                from[axis] = k;
                const Scalar here = m_algebra.integerEqual(selected, m_algebra.integer(k, indexType), indexType);
                const Scalar fromEnd = m_algebra.integerEqual(selected, m_algebra.integer(k - data[axis], indexType), indexType);
                const Scalar either = m_algebra.negation(m_algebra.conjunction(m_algebra.negation(here), m_algebra.negation(fromEnd)));
                terms.push_back(m_algebra.choose(either, at(operands[0], ravel(from, data)), m_algebra.number(0), op.element));
            }
            return m_algebra.sum(terms);
        }
        const std::array<Scalar, 1> arguments{selected};
        from[axis] = 0;
        return m_algebra.function("select" + std::to_string(operands[0].index) + "@" + std::to_string(axis) + "+" + std::to_string(ravel(from, data)),
                                  arguments, op.element);
    }
    if (name == "GatherElements" && fits(2)) {
        const auto axis = static_cast<std::size_t>(op.attribute<std::int64_t>("axis"));
        const std::optional<Tensor> known = constant(operands[1]);
        if (!known) {
            return std::nullopt;
        }
        std::vector<std::int64_t> from = unravel(index, shape(term));
        std::int64_t which = known->toInt64(index);
        which += which < 0 ? shape(operands[0])[axis] : 0;
        if (which < 0 || which >= shape(operands[0])[axis]) {
            return std::nullopt;
        }
        from[axis] = which;
        return at(operands[0], ravel(from, shape(operands[0])));
    }
    if (name == "GatherND" && fits(2)) {
        const std::optional<Tensor> known = constant(operands[1]);
        const auto batch = static_cast<std::size_t>(op.attribute<std::int64_t>("batch_dims"));
        if (!known || shape(operands[1]).empty()) {
            return std::nullopt;
        }
        const std::vector<std::int64_t>& rows = shape(operands[1]);
        const std::vector<std::int64_t>& data = shape(operands[0]);
        const std::vector<std::int64_t> position = unravel(index, shape(term));
        const std::size_t outer = rows.size() - 1;
        std::vector<std::int64_t> row(position.begin(), position.begin() + static_cast<std::ptrdiff_t>(outer));
        row.push_back(0);
        const std::int64_t base = ravel(row, rows);
        std::vector<std::int64_t> from(position.begin(), position.begin() + static_cast<std::ptrdiff_t>(batch));
        for (std::int64_t k = 0; k < rows.back(); ++k) {
            std::int64_t which = known->toInt64(base + k);
            const std::int64_t length = data[batch + static_cast<std::size_t>(k)];
            which += which < 0 ? length : 0;
            if (which < 0 || which >= length) {
                return std::nullopt;
            }
            from.push_back(which);
        }
        from.insert(from.end(), position.begin() + static_cast<std::ptrdiff_t>(outer), position.end());
        return at(operands[0], ravel(from, data));
    }
    if ((name == "ScatterND" || name == "ScatterElements") && fits(3) && op.attribute<std::string>("reduction") == "none") {
        const std::optional<Tensor> known = constant(operands[1]);
        if (!known) {
            return std::nullopt;
        }
        const std::vector<std::int64_t>& data = shape(operands[0]);
        const std::vector<std::int64_t>& rows = shape(operands[1]);
        const std::vector<std::int64_t> position = unravel(index, data);
        if (!spend(static_cast<std::size_t>(known->count()) / 16 + 1)) {
            return std::nullopt;
        }
        if (name == "ScatterElements") {
            const auto axis = static_cast<std::size_t>(op.attribute<std::int64_t>("axis"));
            std::optional<std::int64_t> hit;
            for (std::int64_t k = 0; k < known->count(); ++k) {
                std::vector<std::int64_t> to = unravel(k, rows);
                to[axis] = known->toInt64(k);
                to[axis] += to[axis] < 0 ? data[axis] : 0;
                if (to == position) {
                    if (hit) {
                        return std::nullopt; // duplicate writes: the order is left open
                    }
                    hit = k;
                }
            }
            return hit ? at(operands[2], *hit) : at(operands[0], index);
        }
        const std::int64_t depth = rows.back();
        const std::int64_t count = depth == 0 ? 0 : known->count() / depth;
        std::optional<std::int64_t> hit;
        for (std::int64_t k = 0; k < count; ++k) {
            bool same = true;
            for (std::int64_t d = 0; d < depth && same; ++d) {
                std::int64_t to = known->toInt64(k * depth + d);
                to += to < 0 ? data[static_cast<std::size_t>(d)] : 0;
                same = to == position[static_cast<std::size_t>(d)];
            }
            if (same) {
                if (hit) {
                    return std::nullopt;
                }
                hit = k;
            }
        }
        if (!hit) {
            return at(operands[0], index);
        }
        std::int64_t inner = 1;
        std::int64_t rest = 0;
        for (std::size_t axis = static_cast<std::size_t>(depth); axis < data.size(); ++axis) {
            inner *= data[axis];
            rest = rest * data[axis] + position[axis];
        }
        return at(operands[2], *hit * inner + rest);
    }
    if ((name == "RowsAt" || name == "StoreRows" || name == "StoreRowsAt") && fits(name == "RowsAt" ? 2U : 3U)) {
        const std::vector<std::int64_t>& data = shape(operands[0]);
        const std::optional<Tensor> known = constant(operands[name == "RowsAt" ? 1 : 2]);
        if (!known || data.empty()) {
            return std::nullopt;
        }
        std::vector<std::int64_t> position = unravel(index, shape(term));
        if (name == "RowsAt") {
            position[0] += known->toInt64(0);
            if (known->toInt64(0) < 0 || position[0] >= data[0]) {
                return std::nullopt;
            }
            return at(operands[0], ravel(position, data));
        }
        std::optional<std::int64_t> hit; // rows are written in order, the later write wins
        if (name == "StoreRows") {
            for (std::int64_t k = 0; k < known->count(); ++k) {
                std::int64_t to = known->toInt64(k);
                to += to < 0 ? data[0] : 0;
                if (to == position[0]) {
                    hit = k;
                }
            }
        } else if (position[0] >= known->toInt64(0) && position[0] < known->toInt64(0) + op.attribute<std::int64_t>("count", 1)) {
            hit = position[0] - known->toInt64(0);
        }
        if (!hit) {
            return at(operands[0], index);
        }
        position[0] = *hit;
        return at(operands[1], ravel(position, shape(operands[1])));
    }
    if (name == "StoreSlice" && fits(2)) {
        const std::vector<std::int64_t> starts = op.attribute<std::vector<std::int64_t>>("starts");
        const std::vector<std::int64_t> steps = op.attribute<std::vector<std::int64_t>>("steps");
        std::vector<std::int64_t> position = unravel(index, shape(term));
        const std::vector<std::int64_t>& box = shape(operands[1]);
        for (std::size_t axis = 0; axis < position.size(); ++axis) {
            const std::int64_t step = axis < steps.size() ? steps[axis] : 1;
            // A negative step runs from end - 1 down to begin.
            const std::int64_t first = step > 0 ? starts[axis] : op.attribute<std::vector<std::int64_t>>("ends")[axis] - 1;
            const std::int64_t offset = position[axis] - first;
            if (offset % step != 0 || offset / step < 0 || offset / step >= box[axis]) {
                return at(operands[0], index);
            }
            position[axis] = offset / step;
        }
        return at(operands[1], ravel(position, box));
    }
    if (name == "Trilu" && fits(1) && shape(term).size() >= 2) {
        const std::vector<std::int64_t> position = unravel(index, shape(term));
        const std::int64_t diagonal = position[position.size() - 1] - position[position.size() - 2];
        const std::int64_t k = op.attribute<std::int64_t>("k");
        const bool keep = op.attribute<std::int64_t>("upper", 1) != 0 ? diagonal >= k : diagonal <= k;
        return keep ? at(operands[0], index) : zero(op.element);
    }
    return std::nullopt;
}

} // namespace lemmascope
