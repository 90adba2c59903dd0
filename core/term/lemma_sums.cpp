// Sums over bound indices in canonical form: linear, split where joins meet, products of independent sums apart, nested sums
// one, bound indices merged and named by what they step through.

#include "core/term/lemma_forms.h"

#include "core/term/form_term.h"
#include "core/term/view.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

namespace lemmascope {

namespace {

constexpr std::size_t MaxMonomials = 256;
constexpr int MaxNesting = 24;
constexpr std::size_t MaxPermutations = 720;

/// From the flat index of (space, kept axes of bound) to that of (space, bound): the other bound indices are 0.
View selection(const Shape& space, const Shape& bound, const std::vector<std::size_t>& kept) {
    const Shape all = joinedShape(space, bound);
    const std::vector<Dim> strides = contiguousStrides(all);
    View out{Dim(0), {}};
    for (std::size_t k = 0; k < space.size(); ++k) {
        out.modes.push_back(Mode{space[k], strides[k]});
    }
    for (const std::size_t k : kept) {
        out.modes.push_back(Mode{bound[k], strides[space.size() + k]});
    }
    return coalesced(std::move(out));
}

Shape selected(const Shape& bound, const std::vector<std::size_t>& kept) {
    Shape out;
    for (const std::size_t k : kept) {
        out.push_back(bound[k]);
    }
    return out;
}

} // namespace

std::optional<AxisStrides> LemmaForms::stridesOf(TermId leaf, const Shape& space) const {
    if (m_store.hasShape(leaf) && m_store.shape(leaf).empty()) {
        return AxisStrides{Dim(0), std::vector<Dim>(space.size(), Dim(0))};
    }
    if (!m_store.hasShape(leaf) || !(m_store.shape(leaf) == space)) {
        return std::nullopt;
    }
    if (m_store.kind(leaf) == TermKind::View) {
        return axisStrides(m_store.view(leaf), space);
    }
    AxisStrides out{Dim(0), contiguousStrides(space)};
    for (std::size_t k = 0; k < space.size(); ++k) {
        if (space[k].is(1)) {
            out.strides[k] = Dim(0);
        }
    }
    return out;
}

void LemmaForms::forEachRead(const std::vector<TermId>& leaves, const Shape& space, const std::function<void(TermId, const Shape&)>& visit) const {
    std::vector<std::pair<TermId, Shape>> work;
    for (const TermId leaf : leaves) {
        work.emplace_back(leaf, space);
    }
    while (!work.empty()) {
        const auto [leaf, here] = work.back();
        work.pop_back();
        const Sum* sum = sumOf(leaf);
        if (sum == nullptr || !(m_store.shape(leaf) == here)) {
            visit(leaf, here);
            continue;
        }
        for (const TermId inner : m_forms.leaves(sum->inner)) {
            work.emplace_back(inner, joinedShape(here, sum->bound));
        }
    }
}

std::vector<bool> LemmaForms::variesAlong(AtomId atom, const Shape& space) {
    std::vector<bool> out(space.size(), false);
    forEachRead(m_forms.leavesOf(atom), space, [&](TermId leaf, const Shape& here) {
        if (m_store.kind(leaf) == TermKind::View && m_store.shape(leaf) == here) {
            if (const auto modes = axisModes(m_store.view(leaf), here)) {
                for (std::size_t k = 0; k < space.size(); ++k) {
                    for (const Mode& mode : (*modes)[k]) {
                        out[k] = out[k] || !mode.stride.is(0);
                    }
                }
                return;
            }
        }
        const std::optional<AxisStrides> strides = stridesOf(leaf, here);
        for (std::size_t k = 0; k < space.size(); ++k) {
            const bool still = here[k].is(1) || (strides && strides->strides[k].is(0));
            out[k] = out[k] || !still;
        }
    });
    return out;
}

TermId LemmaForms::movedLeaf(TermId leaf, const Shape& from, const View& view, const Shape& to) {
    if (!m_store.hasShape(leaf) || !(m_store.shape(leaf) == from) || m_store.shape(leaf).empty()) {
        return leaf; // a single value, wherever it is read
    }
    return m_move.view(leaf, view, to);
}

Scalar LemmaForms::moved(Scalar value, const Shape& from, const View& view, const Shape& to) {
    if (++m_depth > 400) {
        throw GiveUp{};
    }
    const Scalar out = m_forms.mapped(value, [&](TermId leaf, std::int64_t) -> Scalar {
        if (const Sum* at = sumOf(leaf); at != nullptr && m_store.shape(leaf) == from) {
            const Sum sum = *at; // making sums moves the map
            View wider{view.offset * elementCount(sum.bound), {}};
            for (const Mode& mode : view.modes) {
                wider.modes.push_back(Mode{mode.extent, mode.stride * elementCount(sum.bound)});
            }
            wider.modes.push_back(Mode{elementCount(sum.bound), Dim(1)});
            const Scalar inner = moved(sum.inner, joinedShape(from, sum.bound), coalesced(wider), joinedShape(to, sum.bound));
            const ElementType element = m_store.type(leaf).element;
            return sum.largest ? largestOf(inner, to, sum.bound, element) : component(inner, to, sum.bound, element, false);
        }
        return m_forms.read(movedLeaf(leaf, from, view, to), -1);
    });
    --m_depth;
    return out;
}

Scalar LemmaForms::lengthOf(const Dim& dim) {
    if (dim.isKnown()) {
        return m_forms.number(mpq_class(static_cast<long>(dim.value())));
    }
    return m_forms.read(lengthTerm(m_store, dim), -1);
}

Scalar LemmaForms::sumOfProducts(const std::vector<Operand>& operands, const Shape& space, const Shape& bound, ElementType element, Extreme extreme) {
    const Shape all = joinedShape(space, bound);
    const std::uint32_t depth = m_depth;
    try {
        Scalar product = m_forms.number(1);
        for (const Operand& operand : operands) {
            Scalar value = scalar(m_move.view(operand.term, operand.view, all));
            if (const ElementType own = m_store.type(operand.term).element; isInteger(own)) {
                value = m_forms.realOfInteger(value, own);
            }
            product = m_forms.mul(product, value);
        }
        if (extreme == Extreme::Smallest) {
            product = m_forms.sub(m_forms.number(0), product); // match: min of v   result: -(max of -v)
        }
        const Shape digits = withDigits(product, space, bound);
        if (!(digits == bound)) {
            // Each bound axis is walked by one step in every read: then axes that step as one can be told.
            View same{Dim(0), {}};
            same.modes.push_back(Mode{elementCount(all), Dim(1)});
            product = moved(product, all, coalesced(std::move(same)), joinedShape(space, digits));
        }
        if (extreme == Extreme::None) {
            return total(product, space, digits, element, 0);
        }
        const Scalar most = largestOf(product, space, digits, element);
        return extreme == Extreme::Smallest ? m_forms.sub(m_forms.number(0), most) : most;
    } catch (const CutRequest& request) {
        if (request.axis < space.size()) {
            throw;
        }
        const std::size_t axis = request.axis;
        m_depth = depth;
        if (++m_depth > 400) {
            throw GiveUp{};
        }
        if (request.digit) {
            // match: sum over k < n p of a join of length p, walked n times   result: sum over k < n and j < p
            Shape digits = bound;
            const std::size_t at = axis - space.size();
            const std::optional<Dim> outer = Dim::exactQuotient(bound[at], request.position);
            if (!outer || outer->is(1) || request.position.is(1)) {
                throw GiveUp{};
            }
            digits[at] = request.position;
            digits.insert(digits.begin() + static_cast<std::ptrdiff_t>(at), *outer);
            const Scalar whole = sumOfProducts(operands, space, digits, element, extreme);
            --m_depth;
            return whole;
        }
        // match: sum over k < n of a join at p   result: sum over k < p, and over the n - p others
        std::optional<Scalar> out;
        for (const bool below : {true, false}) {
            Shape part = all;
            part[axis] = below ? request.position : all[axis] - request.position;
            const std::vector<Dim> strides = contiguousStrides(all);
            const View restriction = fromAxisStrides(below ? Dim(0) : request.position * strides[axis], part, strides);
            std::vector<Operand> narrowed;
            for (const Operand& operand : operands) {
                const std::optional<View> view = composed(operand.view, restriction);
                if (!view) {
                    throw GiveUp{};
                }
                narrowed.push_back(Operand{operand.term, *view});
            }
            const Shape bounds(part.begin() + static_cast<std::ptrdiff_t>(space.size()), part.end());
            const Scalar piece = sumOfProducts(narrowed, space, bounds, element, extreme);
            out = !out                           ? piece
                  : extreme == Extreme::Largest  ? m_forms.max(*out, piece)
                  : extreme == Extreme::Smallest ? m_forms.min(*out, piece)
                                                 : m_forms.add(*out, piece);
        }
        --m_depth;
        return *out;
    }
}

Shape LemmaForms::withDigits(Scalar inner, const Shape& space, const Shape& bound) const {
    constexpr std::size_t MaxAxes = 24;
    Shape out = bound;
    bool again = true;
    while (again && out.size() < MaxAxes) {
        again = false;
        const Shape all = joinedShape(space, out);
        const Shape flat = joinedShape(space, bound);
        forEachRead(m_forms.leaves(inner), flat, [&](TermId leaf, const Shape& here) {
            if (again || m_store.kind(leaf) != TermKind::View) {
                return;
            }
            Shape wide = all; // the same flat index with the digits found so far
            wide.insert(wide.end(), here.begin() + static_cast<std::ptrdiff_t>(flat.size()), here.end());
            const auto modes = axisModes(m_store.view(leaf), wide);
            for (std::size_t k = space.size(); modes && k < all.size(); ++k) {
                if ((*modes)[k].size() > 1) {
                    const Dim inside = (*modes)[k].back().extent;
                    const std::optional<Dim> outside = Dim::exactQuotient(all[k], inside);
                    if (outside) {
                        const std::size_t at = k - space.size();
                        out[at] = inside;
                        out.insert(out.begin() + static_cast<std::ptrdiff_t>(at), *outside);
                        again = true;
                    }
                    return;
                }
            }
        });
    }
    return out;
}

Scalar LemmaForms::definedEverywhere(Scalar value, Scalar inner, const Shape& space, const Shape& bound) {
    if (m_forms.alwaysDefined(inner)) {
        return value;
    }
    const Shape all = joinedShape(space, bound);
    const auto varies = [&](const std::vector<TermId>& leaves) {
        bool found = false;
        forEachRead(leaves, all, [&](TermId leaf, const Shape& here) {
            const std::optional<AxisStrides> strides = stridesOf(leaf, here);
            for (std::size_t k = space.size(); k < all.size(); ++k) {
                found = found || (!here[k].is(1) && !(strides && strides->strides[k].is(0)));
            }
        });
        return found;
    };
    const Scalar fixed = m_forms.conditionsWhere(inner, [&](const auto& leaves) { return !varies(leaves); });
    const Scalar changing = m_forms.conditionsWhere(inner, varies);
    value = m_forms.withConditionsOf(value, moved(fixed, all, selection(space, bound, {}), space));
    if (m_forms.alwaysDefined(changing)) {
        return value;
    }
    // The sum is defined where every summand is: one opaque condition, equal for equal ones.
    Operator op;
    op.name = "defined";
    op.attributes["store"] = static_cast<std::int64_t>(m_forms.number());
    op.attributes["conditions"] = static_cast<std::int64_t>(m_forms.conditionsOf(changing).index);
    std::string lengths;
    for (const Dim& dim : bound) {
        lengths += dim.text() + ";";
    }
    op.attributes["bound"] = lengths;
    op.element = ElementType::Bool;
    return m_forms.requiring(value, m_store.apply(m_store.internOperator(std::move(op)), m_forms.leaves(changing), {ElementType::Bool, space}));
}

Scalar LemmaForms::total(Scalar inner, const Shape& space, const Shape& bound, ElementType element, int depth) {
    const std::vector<FormStore::Monomial> parts = m_forms.monomials(inner);
    if (parts.size() > MaxMonomials || depth > MaxNesting) {
        throw GiveUp{};
    }
    std::vector<Scalar> sum;
    for (const FormStore::Monomial& part : parts) {
        sum.push_back(totalOf(part, space, bound, element, depth));
    }
    return definedEverywhere(m_forms.withoutConditions(m_forms.sum(sum)), inner, space, bound);
}

Scalar LemmaForms::totalOf(const FormStore::Monomial& part, const Shape& space, const Shape& bound, ElementType element, int depth) {
    const Shape all = joinedShape(space, bound);
    const std::size_t count = bound.size();
    std::vector<std::vector<bool>> varies;
    for (const FormStore::Factor& factor : part.factors) {
        const std::vector<bool> along = variesAlong(factor.atom, all);
        varies.emplace_back(along.begin() + static_cast<std::ptrdiff_t>(space.size()), along.end());
    }
    const auto anywhere = [&](std::size_t f) { return std::find(varies[f].begin(), varies[f].end(), true) != varies[f].end(); };
    // match: sum of u * (sum of v)   result: one sum of u * v, when the inner sum varies along the outer's indices
    for (std::size_t f = 0; f < part.factors.size(); ++f) {
        const FormStore::Factor& factor = part.factors[f];
        const Sum* nested = factor.read && m_store.shape(*factor.read) == all ? sumOf(*factor.read) : nullptr;
        if (nested == nullptr || nested->largest || factor.exponent != 1 || !anywhere(f)) {
            continue;
        }
        const Sum sum = *nested;
        const Shape wider = joinedShape(all, sum.bound);
        std::vector<FormStore::Factor> others = part.factors;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(f));
        View projection{Dim(0), {}};
        projection.modes.push_back(Mode{elementCount(all), Dim(1)});
        projection.modes.push_back(Mode{elementCount(sum.bound), Dim(0)});
        const Scalar rest = moved(m_forms.product(part.coefficient, others), all, coalesced(projection), wider);
        return total(m_forms.mul(m_forms.withoutConditions(rest), m_forms.withoutConditions(sum.inner)), space, joinedShape(bound, sum.bound),
                     element, depth + 1);
    }
    // Factors that share a bound index belong to one sum; those of none stand outside.
    std::vector<std::size_t> root(count);
    std::iota(root.begin(), root.end(), std::size_t{0});
    const auto find = [&](std::size_t k) {
        while (root[k] != k) {
            k = root[k];
        }
        return k;
    };
    std::vector<bool> used(count, false);
    for (std::size_t f = 0; f < part.factors.size(); ++f) {
        std::optional<std::size_t> first;
        for (std::size_t k = 0; k < count; ++k) {
            if (!varies[f][k]) {
                continue;
            }
            used[k] = true;
            if (first) {
                root[std::max(find(*first), find(k))] = std::min(find(*first), find(k));
            } else {
                first = k;
            }
        }
    }
    Scalar out = m_forms.number(part.coefficient);
    std::vector<FormStore::Factor> outside;
    for (std::size_t f = 0; f < part.factors.size(); ++f) {
        if (!anywhere(f)) {
            outside.push_back(part.factors[f]);
        }
    }
    if (!outside.empty()) {
        out = m_forms.mul(out, m_forms.withoutConditions(moved(m_forms.product(1, outside), all, selection(space, bound, {}), space)));
    }
    for (std::size_t k = 0; k < count; ++k) {
        if (!used[k]) {
            out = m_forms.mul(out, lengthOf(bound[k])); // match: sum over k of what does not vary   result: the length times it
            continue;
        }
        if (find(k) != k) {
            continue;
        }
        std::vector<std::size_t> axes;
        for (std::size_t other = 0; other < count; ++other) {
            if (used[other] && find(other) == k) {
                axes.push_back(other);
            }
        }
        std::vector<FormStore::Factor> inside;
        for (std::size_t f = 0; f < part.factors.size(); ++f) {
            const bool here = std::any_of(axes.begin(), axes.end(), [&](std::size_t axis) { return varies[f][axis]; });
            if (here) {
                inside.push_back(part.factors[f]);
            }
        }
        const Shape kept = selected(bound, axes);
        const Scalar summand =
            m_forms.withoutConditions(moved(m_forms.product(1, inside), all, selection(space, bound, axes), joinedShape(space, kept)));
        out = m_forms.mul(out, component(summand, space, kept, element, false));
    }
    return m_forms.withoutConditions(out);
}

Scalar LemmaForms::largestOf(Scalar inner, const Shape& space, const Shape& bound, ElementType element) {
    // match: max over k of c (s + t_k), c > 0   result: c (s + max over k of t_k)
    const Shape all = joinedShape(space, bound);
    std::vector<Scalar> fixed;
    std::vector<Scalar> changing;
    for (const FormStore::Monomial& part : m_forms.monomials(inner)) {
        bool varies = false;
        for (const FormStore::Factor& factor : part.factors) {
            const std::vector<bool> along = variesAlong(factor.atom, all);
            varies = varies || std::find(along.begin() + static_cast<std::ptrdiff_t>(space.size()), along.end(), true) != along.end();
        }
        (varies ? changing : fixed).push_back(m_forms.product(part.coefficient, part.factors));
    }
    Scalar out = moved(m_forms.withoutConditions(m_forms.sum(fixed)), all, selection(space, bound, {}), space);
    if (!changing.empty()) {
        const Scalar rest = m_forms.withoutConditions(m_forms.sum(changing));
        Largest largest;
        largest.base = [&](Scalar value) { return component(value, space, bound, element, true); };
        largest.again = [&](Scalar value) { return largestOf(value, space, bound, element); };
        out = m_forms.add(out, largestThrough(rest, largest));
    }
    return definedEverywhere(m_forms.withoutConditions(out), inner, space, bound);
}

Scalar LemmaForms::component(Scalar inner, const Shape& space, const Shape& bound, ElementType element, bool largest) {
    const Shape all = joinedShape(space, bound);
    const std::size_t count = bound.size();
    // What every read steps by, per bound index; nested sums look through to what they read.
    struct Read {
        std::string id;
        bool constant = false;
        std::optional<AxisStrides> strides;
    };
    std::vector<Read> reads;
    forEachRead(m_forms.leaves(inner), all, [&](TermId leaf, const Shape& here) {
        const TermId source = m_store.sourceOf(leaf);
        reads.push_back(Read{std::to_string(source.index), m_store.kind(source) == TermKind::Constant, stridesOf(leaf, here)});
    });
    const auto stride = [&](const Read& read, std::size_t axis) { return read.strides->strides[space.size() + axis]; };
    const bool seen = std::all_of(reads.begin(), reads.end(), [](const Read& read) { return read.strides.has_value(); });
    std::vector<std::vector<std::size_t>> groups; ///< digits that step as one index, slowest first
    for (std::size_t k = 0; k < count; ++k) {
        if (!bound[k].is(1)) {
            groups.push_back({k});
        }
    }
    bool merged = seen && !groups.empty();
    while (merged) {
        merged = false;
        for (std::size_t i = 0; i < groups.size() && !merged; ++i) {
            for (std::size_t j = 0; j < groups.size() && !merged; ++j) {
                if (i == j) {
                    continue;
                }
                Dim extent(1);
                for (const std::size_t axis : groups[j]) {
                    extent = extent * bound[axis];
                }
                // match: i and j with stride(i) = extent(j) * stride(j) in every read   result: one index
                const bool one = std::all_of(reads.begin(), reads.end(), [&](const Read& read) {
                    return stride(read, groups[i].back()) == extent * stride(read, groups[j].back());
                });
                if (one) {
                    groups[i].insert(groups[i].end(), groups[j].begin(), groups[j].end());
                    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j));
                    merged = true;
                }
            }
        }
    }
    const auto extentOf = [&](const std::vector<std::size_t>& group) {
        Dim extent(1);
        for (const std::size_t axis : group) {
            extent = extent * bound[axis];
        }
        return extent;
    };
    // Names by what an index steps through: reads of values first, so that weights do not decide the order.
    std::vector<std::pair<std::string, std::vector<std::size_t>>> named;
    for (const std::vector<std::size_t>& group : groups) {
        std::vector<std::string> values;
        std::vector<std::string> constants;
        for (const Read& read : reads) {
            if (!read.strides) {
                values.push_back(read.id + ":?");
            } else if (const Dim step = stride(read, group.back()); !step.is(0)) {
                (read.constant ? constants : values).push_back((read.constant ? "" : read.id + ":") + step.text());
            }
        }
        std::sort(values.begin(), values.end());
        std::sort(constants.begin(), constants.end());
        std::string key = values.empty() ? "2" : "1";
        for (const std::string& one : values) {
            key += "|" + one;
        }
        key += "#" + extentOf(group).text();
        for (const std::string& one : constants) {
            key += "|" + one;
        }
        named.emplace_back(std::move(key), group);
    }
    std::stable_sort(named.begin(), named.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto arranged = [&](const std::vector<std::size_t>& order) {
        const std::vector<Dim> strides = contiguousStrides(all);
        View view{Dim(0), {}};
        Shape to = space;
        for (std::size_t k = 0; k < space.size(); ++k) {
            view.modes.push_back(Mode{space[k], strides[k]});
        }
        for (const std::size_t k : order) {
            for (const std::size_t axis : named[k].second) {
                view.modes.push_back(Mode{bound[axis], strides[space.size() + axis]});
            }
            to.push_back(extentOf(named[k].second));
        }
        return moved(inner, all, coalesced(std::move(view)), to);
    };
    std::vector<std::size_t> order(named.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::optional<Scalar> best;
    std::vector<std::size_t> bestOrder = order;
    std::size_t tried = 0;
    const auto sameName = [](const auto& a, const auto& b) { return a.first == b.first; };
    const bool tie = std::adjacent_find(named.begin(), named.end(), sameName) != named.end();
    // Indices of one name: all their orders, the least form.
    do {
        bool allowed = true;
        for (std::size_t k = 0; k < order.size() && allowed; ++k) {
            allowed = named[order[k]].first == named[k].first;
        }
        if (!allowed) {
            continue;
        }
        const Scalar candidate = arranged(order);
        if (!best || m_forms.formOf(candidate) < m_forms.formOf(*best)) {
            best = candidate;
            bestOrder = order;
        }
        if (!tie || ++tried > MaxPermutations || named.size() > 8) {
            break;
        }
    } while (std::next_permutation(order.begin(), order.end()));
    Sum sum;
    sum.inner = m_forms.withoutConditions(*best);
    sum.largest = largest;
    bool some = true;
    std::string lengths;
    for (const std::size_t k : bestOrder) {
        sum.bound.push_back(extentOf(named[k].second));
        lengths += sum.bound.back().text() + ";";
        some = some && sum.bound.back().lowerBound().value_or(0) >= 1;
    }
    if (sum.bound.empty()) {
        return sum.inner;
    }
    Operator op;
    op.name = largest ? "Largest" : "Sum";
    op.attributes["store"] = static_cast<std::int64_t>(m_forms.number());
    op.attributes["form"] = static_cast<std::int64_t>(m_forms.formOf(sum.inner).index);
    op.attributes["bound"] = lengths;
    op.attributes["some"] = std::int64_t{some};
    op.element = element;
    const TermId leaf = m_store.apply(m_store.internOperator(std::move(op)), m_forms.leaves(sum.inner), {element, space});
    m_sums.emplace(leaf, sum);
    return m_forms.withoutConditions(m_forms.read(leaf, -1));
}

} // namespace lemmascope
