// Zeros around a value are a window into it: a read that may lie outside, so that padding needs no cases.

#include "core/term/lemma_forms.h"

#include "core/term/view.h"

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

/// Zeros on each side of every axis of a padded value; windows that reach further are no windows.
constexpr std::int64_t Margin = 512;
constexpr std::size_t MaxPieces = 256;
constexpr int MaxNesting = 12;
constexpr std::uint32_t MaxSteps = 2'000; ///< joins of joins share their parts: without a limit each would be walked many times

TermId withMargin(TermStore& store, TermId source) {
    Operator op;
    op.name = "Padded";
    op.attributes["margin"] = Margin;
    op.element = store.type(source).element;
    Shape shape = store.shape(source);
    for (Dim& dim : shape) {
        dim = dim + Dim(2 * Margin);
    }
    const std::array<TermId, 1> operands{source};
    return store.apply(store.internOperator(std::move(op)), operands, {store.type(source).element, shape});
}

/// From a value's flat index to its place in the padded value.
View intoPadded(const Shape& shape) {
    Shape wide = shape;
    for (Dim& dim : wide) {
        dim = dim + Dim(2 * Margin);
    }
    const std::vector<Dim> strides = contiguousStrides(wide);
    Dim offset(0);
    for (const Dim& stride : strides) {
        offset = offset + Dim(Margin) * stride;
    }
    return fromAxisStrides(offset, shape, strides);
}

Shape flattened(const std::vector<Shape>& digits) {
    Shape out;
    for (const Shape& axis : digits) {
        out.insert(out.end(), axis.begin(), axis.end());
    }
    return out;
}

std::size_t firstDigit(const std::vector<Shape>& digits, std::size_t axis) {
    std::size_t out = 0;
    for (std::size_t k = 0; k < axis; ++k) {
        out += digits[k].size();
    }
    return out;
}

/// An axis of one step as the given digits; false where it has other digits already.
bool refine(std::vector<Shape>& digits, std::vector<AxisStrides>& coordinates, std::size_t axis, const Shape& wanted) {
    if (digits[axis] == wanted) {
        return true;
    }
    if (digits[axis].size() != 1 || !(elementCount(wanted) == digits[axis][0])) {
        return false;
    }
    const std::size_t at = firstDigit(digits, axis);
    const std::vector<Dim> places = contiguousStrides(wanted);
    for (AxisStrides& along : coordinates) {
        const Dim step = along.strides[at];
        along.strides.erase(along.strides.begin() + static_cast<std::ptrdiff_t>(at));
        for (std::size_t k = wanted.size(); k-- > 0;) {
            along.strides.insert(along.strides.begin() + static_cast<std::ptrdiff_t>(at), wanted[k].is(1) ? Dim(0) : step * places[k]);
        }
    }
    digits[axis] = wanted;
    return true;
}

} // namespace

std::optional<LemmaForms::Window> LemmaForms::windowThrough(TermId source, const std::vector<View>& coordinates, const Shape& shape) {
    Window out{source, {}, {}};
    for (const Dim& dim : shape) {
        out.digits.push_back(Shape{dim});
    }
    constexpr std::size_t MaxDigits = 24;
    for (bool again = true; again;) {
        again = false;
        const Shape flat = flattened(out.digits);
        if (flat.size() > MaxDigits) {
            return std::nullopt;
        }
        out.coordinates.clear();
        for (const View& view : coordinates) {
            const auto modes = axisModes(view, flat);
            if (!modes) {
                return std::nullopt;
            }
            AxisStrides along{view.offset, std::vector<Dim>(flat.size(), Dim(0))};
            for (std::size_t k = 0; k < flat.size() && !again; ++k) {
                if ((*modes)[k].size() == 1) {
                    along.strides[k] = (*modes)[k][0].stride;
                } else if ((*modes)[k].size() > 1) {
                    const Dim inside = (*modes)[k].back().extent;
                    const std::optional<Dim> outside = Dim::exactQuotient(flat[k], inside);
                    if (!outside) {
                        return std::nullopt;
                    }
                    std::size_t axis = 0;
                    std::size_t digit = k;
                    while (digit >= out.digits[axis].size()) {
                        digit -= out.digits[axis++].size();
                    }
                    out.digits[axis][digit] = inside;
                    out.digits[axis].insert(out.digits[axis].begin() + static_cast<std::ptrdiff_t>(digit), *outside);
                    again = true;
                }
            }
            if (again) {
                break;
            }
            out.coordinates.push_back(std::move(along));
        }
    }
    return out;
}

std::optional<LemmaForms::Window> LemmaForms::windowOf(TermId term, int depth) const {
    if (depth > MaxNesting || ++m_windowSteps > MaxSteps || !m_store.hasShape(term)) {
        return std::nullopt;
    }
    const Shape shape = m_store.shape(term);
    if (m_store.kind(term) != TermKind::Concat) {
        const bool viewed = m_store.kind(term) == TermKind::View;
        const TermId source = viewed ? m_store.operands(term)[0] : term;
        if (!m_store.hasShape(source) || (m_store.kind(source) == TermKind::Apply && m_store.isElementwise(source))) {
            return std::nullopt;
        }
        const View view = viewed ? m_store.view(term) : wholeView(shape);
        const Shape from = m_store.shape(source);
        TermId base = source;
        std::vector<View> along;
        if (m_store.kind(source) == TermKind::Concat) {
            const std::optional<Window> inner = windowOf(source, depth + 1);
            if (!inner) {
                return std::nullopt;
            }
            base = inner->source;
            for (const AxisStrides& coordinate : inner->coordinates) {
                along.push_back(fromAxisStrides(coordinate.offset, flattened(inner->digits), coordinate.strides));
            }
        } else {
            for (std::size_t j = 0; j < from.size(); ++j) {
                std::vector<Dim> unit(from.size(), Dim(0));
                unit[j] = Dim(1);
                along.push_back(fromAxisStrides(Dim(0), from, unit));
            }
        }
        for (View& one : along) {
            const std::optional<View> moved = composed(one, view);
            if (!moved) {
                return std::nullopt;
            }
            one = *moved;
        }
        return windowThrough(base, along, shape);
    }
    const auto axis = static_cast<std::size_t>(m_store.term(term).payload);
    const auto pieces = m_store.operands(term);
    if (pieces.size() > MaxPieces) {
        return std::nullopt;
    }
    struct Part {
        Dim start;
        Dim length;
        Window window;
    };
    std::vector<Part> parts;
    std::vector<std::pair<Dim, Dim>> zeros; ///< begin, end
    Dim at(0);
    for (const TermId piece : pieces) {
        const Dim length = m_store.shape(piece)[axis];
        if (m_store.uniformValue(piece) == 0.0) {
            zeros.emplace_back(at, at + length);
        } else {
            std::optional<Window> inner = windowOf(piece, depth + 1);
            if (!inner || (!parts.empty() && parts.front().window.source != inner->source)) {
                return std::nullopt;
            }
            parts.push_back(Part{at, length, std::move(*inner)});
        }
        at = at + length;
    }
    if (parts.empty()) {
        return std::nullopt;
    }
    // All parts in the same digits; of the joined axis the slowest one counts through parts and zeros.
    const Shape from = m_store.shape(parts.front().window.source);
    std::vector<Shape> digits(shape.size(), Shape{Dim(1)});
    for (std::size_t k = 0; k < shape.size(); ++k) {
        for (const Part& part : parts) {
            if (part.window.digits[k].size() > digits[k].size() || digits[k].size() == 1) {
                digits[k] = part.window.digits[k];
            }
        }
    }
    const Shape rest(digits[axis].begin() + 1, digits[axis].end());
    const Dim width = elementCount(rest);
    for (Part& part : parts) {
        for (std::size_t k = 0; k < shape.size(); ++k) {
            Shape wanted = digits[k];
            if (k == axis) {
                const std::optional<Dim> outer = Dim::exactQuotient(part.length, width);
                if (!outer) {
                    return std::nullopt;
                }
                wanted[0] = *outer;
                part.length = *outer;
            }
            if (!refine(part.window.digits, part.window.coordinates, k, wanted)) {
                return std::nullopt;
            }
        }
        const std::optional<Dim> start = Dim::exactQuotient(part.start, width);
        if (!start) {
            return std::nullopt;
        }
        part.start = *start;
    }
    for (auto& [begin, end] : zeros) {
        const std::optional<Dim> first = Dim::exactQuotient(begin, width);
        const std::optional<Dim> last = Dim::exactQuotient(end, width);
        if (!first || !last) {
            return std::nullopt;
        }
        begin = *first;
        end = *last;
    }
    const std::optional<Dim> total = Dim::exactQuotient(shape[axis], width);
    if (!total) {
        return std::nullopt;
    }
    digits[axis][0] = *total;
    const Shape flat = flattened(digits);
    const std::size_t outer = firstDigit(digits, axis);
    // What one step along the joined axis means: as inside a part, or from part to part.
    std::vector<std::optional<Dim>> steps(from.size());
    for (const Part& part : parts) {
        for (std::size_t j = 0; j < from.size() && !part.length.is(1); ++j) {
            steps[j] = part.window.coordinates[j].strides[outer];
        }
    }
    bool guessed = false;
    for (std::size_t j = 0; j < from.size(); ++j) {
        if (!steps[j] && parts.size() > 1) {
            steps[j] =
                Dim::exactQuotient(parts[1].window.coordinates[j].offset - parts[0].window.coordinates[j].offset, parts[1].start - parts[0].start);
        }
        guessed = guessed || !steps[j];
    }
    const auto inside = [&](std::size_t moving) -> std::optional<Window> {
        Window out = parts.front().window;
        out.digits = digits;
        for (std::size_t j = 0; j < from.size(); ++j) {
            AxisStrides& own = out.coordinates[j];
            own.strides[outer] = steps[j] ? *steps[j] : Dim(j == moving ? 1 : 0);
            own.offset = own.offset - parts.front().start * own.strides[outer];
        }
        for (const Part& part : parts) {
            for (std::size_t j = 0; j < from.size(); ++j) {
                const AxisStrides& given = part.window.coordinates[j];
                const AxisStrides& own = out.coordinates[j];
                for (std::size_t k = 0; k < flat.size(); ++k) {
                    const bool still = k == outer ? part.length.is(1) : flat[k].is(1);
                    if (!still && !(given.strides[k] == own.strides[k])) {
                        return std::nullopt;
                    }
                }
                if (!(given.offset == own.offset + part.start * own.strides[outer])) {
                    return std::nullopt;
                }
            }
        }
        for (const auto& [begin, end] : zeros) {
            // Every index of the zeros lies outside along one of the source's axes.
            bool outside = false;
            Shape box = flat;
            box[outer] = end - begin;
            for (std::size_t j = 0; j < from.size() && !outside; ++j) {
                AxisStrides here = out.coordinates[j];
                here.offset = here.offset + begin * here.strides[outer];
                const auto range = rangeOf(here, box);
                outside = range && (Dim::provablyAtLeast(Dim(-1), range->second) || Dim::provablyAtLeast(range->first, from[j]));
            }
            if (!outside) {
                return std::nullopt;
            }
        }
        return out;
    };
    if (!guessed) {
        return inside(from.size());
    }
    for (std::size_t j = 0; j < from.size(); ++j) {
        if (std::optional<Window> out = inside(j)) {
            return out;
        }
    }
    return std::nullopt;
}

std::optional<Scalar> LemmaForms::windowRead(TermId source, const View& view, const Shape& space) {
    const auto pieces = m_store.operands(source);
    const bool zero = std::any_of(pieces.begin(), pieces.end(),
                                  [this](TermId piece) { return m_store.uniformValue(piece) == 0.0 || m_store.kind(piece) == TermKind::Concat; });
    if (!zero) {
        return std::nullopt;
    }
    m_windowSteps = 0;
    const std::optional<Window> window = windowOf(source, 0);
    if (!window) {
        return std::nullopt;
    }
    const Shape shape = flattened(window->digits); // the join's flat index
    const Shape from = m_store.shape(window->source);
    Shape wide = from;
    for (Dim& dim : wide) {
        dim = dim + Dim(2 * Margin);
    }
    const std::vector<Dim> places = contiguousStrides(wide);
    Dim offset(0);
    std::vector<Dim> strides(shape.size(), Dim(0));
    for (std::size_t j = 0; j < from.size(); ++j) {
        const AxisStrides& along = window->coordinates[j];
        const auto range = rangeOf(along, shape);
        if (!range || !Dim::provablyAtLeast(range->first, Dim(-Margin)) || !Dim::provablyAtLeast(from[j] + Dim(Margin - 1), range->second)) {
            return std::nullopt;
        }
        offset = offset + (along.offset + Dim(Margin)) * places[j];
        for (std::size_t k = 0; k < shape.size(); ++k) {
            strides[k] = strides[k] + along.strides[k] * places[j];
        }
    }
    if (offset.overflowed() || elementCount(wide).overflowed()) {
        return std::nullopt;
    }
    const std::optional<View> both = composed(fromAxisStrides(offset, shape, strides), view);
    if (!both) {
        return std::nullopt;
    }
    TermId base = window->source;
    if (const std::optional<TermId> cut = m_cut ? m_cut(base) : std::nullopt) {
        m_cutTerms.push_back(base);
        base = *cut;
    } else if (m_store.kind(base) == TermKind::Apply) {
        const bool before = m_mayCut;
        m_mayCut = false;
        base = materialise(scalar(base), m_store.type(base));
        m_mayCut = before;
    }
    if (!m_store.hasShape(base) || !(m_store.shape(base) == from)) {
        return std::nullopt;
    }
    return m_forms.read(m_move.view(withMargin(m_store, base), *both, space), -1);
}

Scalar LemmaForms::paddedReads(Scalar inner, const std::map<TermId, TermId>& padded) {
    return m_forms.withoutConditions(m_forms.mapped(inner, [&](TermId leaf, std::int64_t) {
        const bool viewed = m_store.kind(leaf) == TermKind::View;
        const auto at = padded.find(viewed ? m_store.operands(leaf)[0] : leaf);
        if (at == padded.end() || sumOf(leaf) != nullptr) {
            return m_forms.read(leaf, -1);
        }
        const Shape shape = m_store.shape(leaf);
        const View view = viewed ? m_store.view(leaf) : wholeView(shape);
        const std::optional<View> both = composed(intoPadded(m_store.shape(at->first)), view);
        return m_forms.read(both ? m_store.rawView(at->second, *both, m_store.type(leaf)) : leaf, -1);
    }));
}

} // namespace lemmascope
