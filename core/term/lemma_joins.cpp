// Joins read at indices that meet more than one piece, and what they leave behind: sums in parts. Adjacent parts of a sum are
// one sum again, however they were taken apart.

#include "core/term/lemma_forms.h"

#include "core/term/form_term.h"
#include "core/term/view.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace lemmascope {

namespace {

constexpr std::size_t MaxPieces = 256;

} // namespace

std::optional<LemmaForms::CutRequest> LemmaForms::cutFor(TermId source, std::size_t axis, const View& along, const Shape& space) const {
    const auto modes = axisModes(along, space);
    if (!modes) {
        return std::nullopt;
    }
    std::size_t driver = space.size();
    std::size_t drivers = 0;
    for (std::size_t k = 0; k < space.size(); ++k) {
        const auto& own = (*modes)[k];
        const bool moves = std::any_of(own.begin(), own.end(), [](const Mode& mode) { return !mode.stride.is(0); });
        if (moves) {
            driver = k;
            ++drivers;
        }
        if (moves && own.size() > 1) {
            return CutRequest{k, own.back().extent, true};
        }
    }
    if (drivers != 1) {
        return std::nullopt;
    }
    const Dim step = (*modes)[driver].front().stride;
    std::vector<Dim> found;
    Dim start(0);
    for (const TermId piece : m_store.operands(source)) {
        if (!start.is(0)) {
            std::optional<Dim> at;
            if (step.is(1)) {
                at = start - along.offset;
            } else if (step.isKnown() && step.value() > 1 && along.offset.isKnown() && start.isKnown()) {
                at = Dim::ceilDiv(start - along.offset, step);
            }
            if (at && Dim::provablyAtLeast(*at, Dim(1)) && Dim::provablyAtLeast(space[driver] - Dim(1), *at)) {
                found.push_back(*at);
            }
        }
        start = start + m_store.shape(piece)[axis];
    }
    // The middle one: as few levels as can be.
    return found.empty() ? std::nullopt : std::optional(CutRequest{driver, found[found.size() / 2], false});
}

Scalar LemmaForms::joined(TermId term, TermId source, const View& view) {
    const Shape space = m_store.shape(term);
    const Shape shape = m_store.shape(source);
    const auto axis = static_cast<std::size_t>(m_store.term(source).payload);
    const std::vector<TermId> pieces(m_store.operands(source).begin(), m_store.operands(source).end());
    std::vector<Dim> unit(shape.size(), Dim(0));
    unit[axis] = Dim(1);
    const std::optional<View> along = composed(fromAxisStrides(Dim(0), shape, unit), view);
    std::optional<CutRequest> request;
    if (along) {
        const auto range = rangeOf(AxisStrides{along->offset,
                                               [&] {
                                                   std::vector<Dim> strides;
                                                   for (const Mode& mode : along->modes) {
                                                       strides.push_back(mode.stride);
                                                   }
                                                   return strides;
                                               }()},
                                   [&] {
                                       Shape extents;
                                       for (const Mode& mode : along->modes) {
                                           extents.push_back(mode.extent);
                                       }
                                       return extents;
                                   }());
        Dim start(0);
        for (const TermId piece : pieces) {
            const Dim end = start + m_store.shape(piece)[axis];
            if (range && Dim::provablyAtLeast(range->first, start) && Dim::provablyAtLeast(end - Dim(1), range->second)) {
                // inside one piece
                const std::vector<Dim> strides = contiguousStrides(m_store.shape(piece));
                if (const std::optional<View> inner = composed(fromAxisStrides(Dim(0) - start * strides[axis], shape, strides), view)) {
                    return scalar(m_move.view(piece, *inner, space));
                }
            }
            start = end;
        }
        request = range ? cutFor(source, axis, *along, space) : std::nullopt;
    }
    // Where one bound index alone meets the pieces, the sum is split; else zeros around a value are a window into it.
    const bool split = request && m_mayCut && request->axis >= m_outerRank;
    if (!split && (m_windows || !request)) {
        if (const std::optional<Scalar> value = windowRead(source, view, space)) {
            m_usedWindows = m_usedWindows || request.has_value();
            return *value;
        }
    }
    if (request && m_mayCut) {
        throw CutRequest(*request);
    }
    std::vector<TermId> parts;
    const bool before = m_mayCut;
    m_mayCut = false;
    for (const TermId piece : pieces) {
        parts.push_back(materialise(withSumsJoined(scalar(piece), m_store.shape(piece)), m_store.type(piece)));
    }
    m_mayCut = before;
    const TermId whole = m_store.rawConcat(static_cast<std::uint32_t>(axis), parts, m_store.type(source));
    return m_forms.read(whole == source && term == source ? term : m_move.view(whole, view, space), -1);
}

/// A summand of which every read is known by its steps.
struct LemmaForms::Piece {
    struct Read {
        TermId leaf;
        TermId source;
        Dim offset;
        std::vector<std::vector<Mode>> modes; ///< per axis of (space, bound)
        std::string key;                      ///< source and steps
        bool placed = true;                   ///< false: of rank 0, the same wherever it is read
    };
    Scalar inner = 0;
    Shape bound;
    std::vector<Read> reads;
    std::string key; ///< of pieces that differ only in offsets
};

std::optional<LemmaForms::Piece> LemmaForms::pieceOf(Scalar inner, const Shape& space, const Shape& bound) {
    Piece out;
    out.inner = inner;
    out.bound = bound;
    const Shape all = joinedShape(space, bound);
    for (const TermId leaf : m_forms.leaves(inner)) {
        if (sumOf(leaf) != nullptr) {
            return std::nullopt;
        }
        Piece::Read read;
        read.leaf = leaf;
        read.source = leaf;
        if (m_store.hasShape(leaf) && m_store.shape(leaf).empty() && !all.empty()) {
            read.placed = false;
            read.key = std::to_string(leaf.index) + "!";
            out.reads.push_back(std::move(read));
            continue;
        }
        if (!m_store.hasShape(leaf) || !(m_store.shape(leaf) == all)) {
            return std::nullopt;
        }
        const bool viewed = m_store.kind(leaf) == TermKind::View;
        read.source = viewed ? m_store.operands(leaf)[0] : leaf;
        const View view = viewed ? m_store.view(leaf) : wholeView(all);
        const auto modes = axisModes(view, all);
        if (!modes) {
            return std::nullopt;
        }
        read.offset = view.offset;
        read.modes = *modes;
        read.key = std::to_string(read.source.index) + ":";
        for (const std::vector<Mode>& own : read.modes) {
            for (const Mode& mode : own) {
                read.key += mode.extent.text() + "*" + mode.stride.text() + ",";
            }
            read.key += ";";
        }
        out.reads.push_back(std::move(read));
    }
    std::sort(out.reads.begin(), out.reads.end(), [](const Piece::Read& a, const Piece::Read& b) {
        if (a.source != b.source) {
            return a.source < b.source;
        }
        return a.key != b.key ? a.key < b.key : a.offset < b.offset;
    });
    for (const Dim& dim : bound) {
        out.key += dim.text() + ";";
    }
    for (const Piece::Read& read : out.reads) {
        out.key += "|" + read.key;
    }
    return out;
}

std::optional<LemmaForms::Piece> LemmaForms::pieceOfSum(Scalar inner, const Shape& space, const Shape& bound) {
    // In the order and with the digits that a sum has, so that pieces made in different ways are of one kind.
    const std::optional<TermId> leaf = m_forms.asRead(component(inner, space, bound, ElementType::F32, false));
    if (const Sum* sum = leaf ? sumOf(*leaf) : nullptr) {
        const Sum made = *sum; // making sums moves the map
        return pieceOf(made.inner, space, made.bound);
    }
    return pieceOf(inner, space, bound);
}

bool LemmaForms::restrictsTo(Scalar whole, const Shape& space, const Shape& bound, std::size_t axis, const Dim& at, const Piece& piece) {
    // `bound` with `axis` narrowed to what the piece has there, or left out.
    const Shape all = joinedShape(space, bound);
    const std::vector<Dim> strides = contiguousStrides(all);
    View view{at * strides[space.size() + axis], {}};
    const bool dropped = piece.bound.size() < bound.size();
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (k != space.size() + axis) {
            view.modes.push_back(Mode{all[k], strides[k]});
        } else if (!dropped) {
            view.modes.push_back(Mode{piece.bound[axis], strides[k]});
        }
    }
    const Scalar part = moved(whole, all, coalesced(std::move(view)), joinedShape(space, piece.bound));
    return m_forms.formOf(part) == m_forms.formOf(piece.inner);
}

std::optional<LemmaForms::Piece> LemmaForms::inOneRun(const std::vector<const Piece*>& run, const Shape& space) {
    // match: pieces whose offsets step evenly   result: one sum with an index that steps from piece to piece
    const Piece& first = *run[0];
    Shape bound = first.bound;
    bound.insert(bound.begin(), Dim(static_cast<std::int64_t>(run.size())));
    std::map<TermId, TermId> wider;
    for (std::size_t r = 0; r < first.reads.size(); ++r) {
        const Piece::Read& read = first.reads[r];
        if (!read.placed) {
            continue;
        }
        View view{read.offset, {}};
        for (std::size_t k = 0; k < space.size(); ++k) {
            view.modes.insert(view.modes.end(), read.modes[k].begin(), read.modes[k].end());
            if (read.modes[k].empty() && !space[k].is(1)) {
                return std::nullopt;
            }
        }
        view.modes.push_back(Mode{bound.front(), run[1]->reads[r].offset - read.offset});
        for (std::size_t k = space.size(); k < read.modes.size(); ++k) {
            view.modes.insert(view.modes.end(), read.modes[k].begin(), read.modes[k].end());
        }
        wider[read.leaf] = m_store.rawView(read.source, coalesced(std::move(view)), {m_store.type(read.leaf).element, joinedShape(space, bound)});
    }
    const Scalar inner = m_forms.withoutConditions(m_forms.mapped(first.inner, [&](TermId leaf, std::int64_t) {
        const auto at = wider.find(leaf);
        return m_forms.read(at == wider.end() ? leaf : at->second, -1);
    }));
    for (std::size_t i = 0; i < run.size(); ++i) {
        if (!restrictsTo(inner, space, bound, 0, Dim(static_cast<std::int64_t>(i)), *run[i])) {
            return std::nullopt;
        }
    }
    return pieceOfSum(inner, space, bound);
}

std::optional<LemmaForms::Piece> LemmaForms::adjacent(const Piece& first, const Piece& second, const Shape& space) {
    // match: sums over [0, m) and [m, n) of one index   result: the sum over [0, n)
    if (first.reads.size() != second.reads.size()) {
        return std::nullopt;
    }
    const bool grows = second.bound.size() == first.bound.size() + 1; // the first is a single step of an index of the second
    if (!grows && second.bound.size() != first.bound.size() && second.bound.size() + 1 != first.bound.size()) {
        return std::nullopt;
    }
    const Piece& full = grows ? second : first;
    const Piece& other = grows ? first : second;
    for (std::size_t axis = 0; axis < full.bound.size(); ++axis) {
        Shape rest = full.bound;
        Dim length(1);
        if (other.bound.size() == full.bound.size()) {
            length = other.bound[axis];
            rest[axis] = length;
        } else {
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis));
        }
        if (!(rest == other.bound)) {
            continue;
        }
        const Dim low = grows ? length : full.bound[axis]; // steps of the first
        Shape bound = full.bound;
        bound[axis] = full.bound[axis] + length;
        std::map<TermId, TermId> wider;
        bool fits = true;
        for (std::size_t r = 0; r < full.reads.size() && fits; ++r) {
            const Piece::Read& read = full.reads[r];
            if (!read.placed) {
                fits = other.reads[r].leaf == read.leaf;
                continue;
            }
            const std::vector<Mode>& own = read.modes[space.size() + axis];
            const Dim step = own.size() == 1 ? own[0].stride : Dim(0);
            fits = own.size() <= 1 && read.source == other.reads[r].source && second.reads[r].offset - first.reads[r].offset == low * step;
            View view{first.reads[r].offset, {}};
            for (std::size_t k = 0; k < read.modes.size() && fits; ++k) {
                if (k == space.size() + axis) {
                    view.modes.push_back(Mode{bound[axis], step});
                } else {
                    view.modes.insert(view.modes.end(), read.modes[k].begin(), read.modes[k].end());
                }
            }
            if (fits) {
                wider[read.leaf] =
                    m_store.rawView(read.source, coalesced(std::move(view)), {m_store.type(read.leaf).element, joinedShape(space, bound)});
            }
        }
        if (!fits) {
            continue;
        }
        const Scalar inner = m_forms.withoutConditions(m_forms.mapped(full.inner, [&](TermId leaf, std::int64_t) {
            const auto at = wider.find(leaf);
            return m_forms.read(at == wider.end() ? leaf : at->second, -1);
        }));
        if (restrictsTo(inner, space, bound, axis, Dim(0), first) && restrictsTo(inner, space, bound, axis, low, second)) {
            return pieceOfSum(inner, space, bound);
        }
    }
    return std::nullopt;
}

Scalar LemmaForms::withSumsJoined(Scalar value, const Shape& space) {
    const std::vector<FormStore::Monomial> parts = m_forms.monomials(value);
    if (parts.size() < 2 || parts.size() > 4 * MaxPieces) {
        return value;
    }
    struct Group {
        mpq_class coefficient;
        std::vector<FormStore::Factor> others;
        ElementType element = ElementType::F32;
        std::vector<Piece> pieces;
        std::vector<Scalar> given; ///< the pieces as they came
    };
    std::map<std::string, Group> groups;
    std::map<TermId, TermId> margins; ///< value -> the same with zeros around it
    std::vector<Scalar> rest;
    // The one factor of a product that is a sum over this space.
    const auto sumIn = [&](const FormStore::Monomial& part) -> std::optional<std::size_t> {
        std::optional<std::size_t> found;
        for (std::size_t f = 0; f < part.factors.size(); ++f) {
            const FormStore::Factor& factor = part.factors[f];
            const Sum* sum = factor.read ? sumOf(*factor.read) : nullptr;
            if (sum != nullptr && !sum->largest && factor.exponent == 1 && m_store.shape(*factor.read) == space) {
                if (found) {
                    return std::nullopt;
                }
                found = f;
            }
        }
        return found;
    };
    // A product of at least two plain reads, a sum of one summand.
    const auto isProduct = [&](const FormStore::Monomial& part) {
        return m_joinProducts && (part.factors.size() > 1 || (part.factors.size() == 1 && part.factors[0].exponent > 1)) &&
               std::all_of(part.factors.begin(), part.factors.end(), [&](const FormStore::Factor& factor) {
                   return factor.read && sumOf(*factor.read) == nullptr && factor.exponent > 0 && m_store.hasShape(*factor.read) &&
                          m_store.shape(*factor.read) == space;
               });
    };
    const auto sums =
        std::count_if(parts.begin(), parts.end(), [&](const FormStore::Monomial& part) { return sumIn(part).has_value() || isProduct(part); });
    if (sums < 2) {
        return value;
    }
    for (const FormStore::Monomial& part : parts) {
        const Scalar whole = m_forms.product(part.coefficient, part.factors);
        const std::optional<std::size_t> found = sumIn(part);
        if (!found && !isProduct(part)) {
            rest.push_back(whole);
            continue;
        }
        std::vector<FormStore::Factor> others;
        Scalar inner = 0;
        Shape bound;
        const TermId leaf = *part.factors[found.value_or(0)].read;
        const ElementType element = m_store.type(leaf).element;
        if (found) {
            inner = sumOf(leaf)->inner;
            bound = sumOf(leaf)->bound;
            others = part.factors;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(*found));
        } else {
            inner = m_forms.product(1, part.factors);
        }
        std::string key = part.coefficient.get_str();
        for (const FormStore::Factor& factor : others) {
            key += "|" + std::to_string(factor.atom.index) + "^" + factor.exponent.get_str();
        }
        std::optional<Piece> piece = pieceOf(inner, space, bound);
        if (!piece) {
            rest.push_back(whole);
            continue;
        }
        for (const Piece::Read& read : piece->reads) {
            if (m_store.kind(read.source) == TermKind::Apply && m_store.op(read.source).name == "Padded") {
                margins.emplace(m_store.operands(read.source)[0], read.source);
            }
        }
        Group& group = groups[key];
        group.coefficient = part.coefficient;
        group.others = others;
        group.element = element;
        group.pieces.push_back(std::move(*piece));
        group.given.push_back(whole);
    }
    bool changed = false;
    std::vector<Scalar> out = rest;
    for (auto& [key, group] : groups) {
        if (group.pieces.size() < 2) {
            out.insert(out.end(), group.given.begin(), group.given.end());
            continue;
        }
        std::vector<Piece> pieces;
        for (const Piece& piece : group.pieces) {
            std::optional<Piece> wide = margins.empty() ? std::nullopt : pieceOf(paddedReads(piece.inner, margins), space, piece.bound);
            pieces.push_back(wide ? std::move(*wide) : piece);
        }
        bool joinedAny = false;
        for (bool again = true; again && !m_forms.tooLarge();) {
            again = false;
            // Adjacent ranges of one index, first: what is left are whole rows.
            std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
                const std::size_t count = std::min(a.reads.size(), b.reads.size());
                for (std::size_t r = 0; r < count; ++r) {
                    if (!(a.reads[r].offset == b.reads[r].offset)) {
                        return a.reads[r].offset < b.reads[r].offset;
                    }
                }
                return a.key < b.key;
            });
            for (std::size_t at = 0; at + 1 < pieces.size();) {
                std::optional<Piece> one = adjacent(pieces[at], pieces[at + 1], space);
                if (!one) {
                    one = adjacent(pieces[at + 1], pieces[at], space);
                }
                if (!one) {
                    ++at;
                    continue;
                }
                pieces[at] = std::move(*one);
                pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(at) + 1);
                again = true;
                at = at > 0 ? at - 1 : 0;
            }
            // Runs of even steps among pieces that differ only in offsets.
            std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
                if (a.key != b.key) {
                    return a.key < b.key;
                }
                for (std::size_t r = 0; r < a.reads.size(); ++r) {
                    if (!(a.reads[r].offset == b.reads[r].offset)) {
                        return a.reads[r].offset < b.reads[r].offset;
                    }
                }
                return false;
            });
            std::vector<Piece> next;
            for (std::size_t at = 0; at < pieces.size();) {
                std::vector<const Piece*> run{&pieces[at]};
                std::size_t end = at + 1;
                const auto evenly = [&](const Piece& piece) {
                    for (std::size_t r = 0; r < piece.reads.size(); ++r) {
                        const Dim step = piece.reads[r].offset - run.back()->reads[r].offset;
                        if (run.size() > 1 && !(step == run[1]->reads[r].offset - run[0]->reads[r].offset)) {
                            return false;
                        }
                    }
                    return true;
                };
                while (end < pieces.size() && pieces[end].key == pieces[at].key && evenly(pieces[end])) {
                    run.push_back(&pieces[end]);
                    ++end;
                }
                std::optional<Piece> one = run.size() > 1 ? inOneRun(run, space) : std::nullopt;
                if (one) {
                    again = true;
                    next.push_back(std::move(*one));
                    at = end;
                } else {
                    next.push_back(pieces[at]);
                    ++at;
                }
            }
            pieces = std::move(next);
            joinedAny = joinedAny || again;
        }
        if (!joinedAny) {
            out.insert(out.end(), group.given.begin(), group.given.end());
            continue;
        }
        changed = true;
        for (const Piece& piece : pieces) {
            const Scalar sum = total(piece.inner, space, piece.bound, group.element, 0);
            out.push_back(m_forms.mul(m_forms.product(group.coefficient, group.others), m_forms.withoutConditions(sum)));
        }
    }
    if (!changed || m_forms.tooLarge()) {
        return value;
    }
    return m_forms.withConditionsOf(m_forms.withoutConditions(m_forms.sum(out)), value);
}

bool LemmaForms::equalWithProductsJoined(Scalar a, Scalar b, const Shape& space) {
    m_joinProducts = true;
    bool equal = false;
    try {
        const Scalar x = withSumsJoined(a, space);
        const Scalar y = withSumsJoined(b, space);
        const bool changed = !m_forms.identical(x, a) || !m_forms.identical(y, b);
        equal = changed && m_forms.equalScalars(x, y) && !gaveUp();
    } catch (const GiveUp&) {
        equal = false;
    }
    m_joinProducts = false;
    return equal;
}

} // namespace lemmascope
