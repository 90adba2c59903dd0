// One form up to coefficients: both trees are walked together.

#include "core/term/constant_walk.h"

#include <algorithm>
#include <numeric>

namespace lemmascope {

namespace {

constexpr std::size_t MaxPairings = 5;

} // namespace

ConstantMatcher::ConstantMatcher(TermStore& store, LemmaForms& lemma, double unit, std::size_t maxElements, std::function<bool()> expiry)
    : m_store(store), m_lemma(lemma), m_unit(unit), m_maxElements(maxElements), m_expiry(std::move(expiry)) {}

ConstantMatcher::~ConstantMatcher() = default;

bool ConstantMatcher::Walk::isConstantLeaf(TermId leaf) const {
    std::vector<TermId> work{leaf};
    while (!work.empty()) {
        const TermId top = work.back();
        work.pop_back();
        if (const LemmaForms::Sum* sum = m_lemma.sumOf(top)) {
            const std::vector<TermId> inner = m_forms.leaves(sum->inner);
            work.insert(work.end(), inner.begin(), inner.end());
            continue;
        }
        const TermId source = m_store.sourceOf(top);
        // Integers are exact: they are never taken to be another.
        if (m_store.kind(source) != TermKind::Constant || !isFloat(m_store.type(source).element)) {
            return false;
        }
    }
    return true;
}

bool ConstantMatcher::Walk::isConstant(AtomId atom) {
    const std::vector<TermId> leaves = m_forms.leavesOf(atom);
    return std::all_of(leaves.begin(), leaves.end(), [this](TermId leaf) { return isConstantLeaf(leaf); });
}

ConstantMatcher::Walk::Mark ConstantMatcher::Walk::leading(const std::vector<FormId>& list, const Shape& space, int depth) {
    // The coefficient of the product with the least key that is no mere number: a mark both sides find.
    std::string best;
    Mark out;
    bool found = false;
    for (const FormId form : list) {
        for (const Monomial& monomial : m_forms.monomials(form)) {
            // with what nested parts were scaled by, so that both sides find one mark
            const Split one = split(monomial, space, depth + 1, true);
            if (one.key.empty()) {
                continue; // a mere constant
            }
            if (!found || one.key < best || (one.key == best && abs(one.coefficient.scale) > abs(out.number))) {
                found = true;
                best = one.key;
                out = Mark{one.coefficient.scale, !one.coefficient.constants.empty() || !one.coefficient.powers.empty()};
            }
        }
    }
    return out;
}

std::string ConstantMatcher::Walk::keyOf(FormId form, const Shape& space, int depth) {
    std::vector<std::string> keys;
    for (const Monomial& monomial : m_forms.monomials(form)) {
        keys.push_back(split(monomial, space, depth + 1, true).key);
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::string out;
    for (const std::string& key : keys) {
        out += key + "+";
    }
    return out;
}

std::vector<FormId> ConstantMatcher::Walk::sortedByKey(std::vector<FormId> list, const Shape& space, int depth) {
    std::vector<std::pair<std::string, FormId>> named;
    for (const FormId form : list) {
        named.emplace_back(keyOf(form, space, depth), form);
    }
    std::sort(named.begin(), named.end());
    for (std::size_t k = 0; k < list.size(); ++k) {
        list[k] = named[k].second;
    }
    return list;
}

ConstantMatcher::Walk::Split ConstantMatcher::Walk::split(const Monomial& monomial, const Shape& space, int depth, bool inlineSum) {
    Split out;
    out.space = space;
    out.coefficient.scale = monomial.coefficient;
    // What is nested is looked into again at each level: without a limit, extrema of extrema would take for ever.
    if (depth > MaxDepth || m_splitsLeft == 0) {
        m_gaveUp = true; // keys say nothing from here on
        out.key = "deep";
        return out;
    }
    --m_splitsLeft;
    FormId exponent = m_forms.constantOf(0);
    bool exponential = false;
    std::vector<std::pair<std::string, std::vector<Split::Nested>>> named;
    bool inlined = false;
    for (const Factor& factor : monomial.factors) {
        const FormStore::AtomKind kind = m_forms.kind(factor.atom);
        if (kind == FormStore::AtomKind::Exp) {
            // exp(a + c) is exp(a) exp(c): one exponent again
            exponential = true;
            exponent = m_forms.sumOf(exponent, factor.exponent, m_forms.exponentOf(factor.atom));
            continue;
        }
        if (isConstant(factor.atom)) {
            out.coefficient.constants.push_back(Placed{factor.atom, factor.exponent, space});
            continue;
        }
        const std::string power = "^" + factor.exponent.get_str();
        if (kind == FormStore::AtomKind::Read) {
            const TermId leaf = *factor.read;
            const LemmaForms::Sum* at = m_lemma.sumOf(leaf);
            if (at == nullptr || !(m_store.shape(leaf) == space)) {
                named.push_back({"r" + std::to_string(leaf.index) + power, {}});
                continue;
            }
            const LemmaForms::Sum sum = *at;
            const Shape wider = joinedShape(space, sum.bound);
            const std::vector<Monomial> inner = m_forms.monomials(sum.inner);
            if (inlineSum && !inlined && !sum.largest && factor.exponent == 1 && inner.size() == 1) {
                // The sum's coefficients belong to the whole product; indices that only constants have are summed out.
                const Split within = split(inner.front(), wider, depth + 1, false);
                std::vector<bool> varies(wider.size(), false);
                for (const Factor& f : inner.front().factors) {
                    if (!isConstant(f.atom)) {
                        const std::vector<bool> along = m_lemma.variesAlong(f.atom, wider);
                        for (std::size_t k = 0; k < wider.size(); ++k) {
                            varies[k] = varies[k] || along[k];
                        }
                    }
                }
                std::size_t kept = sum.bound.size();
                while (kept > 0 && !varies[space.size() + kept - 1]) {
                    --kept;
                }
                std::string extents;
                for (std::size_t k = 0; k < kept; ++k) {
                    out.space.push_back(sum.bound[k]);
                    extents += sum.bound[k].text() + ",";
                }
                out.inner.assign(sum.bound.begin() + static_cast<std::ptrdiff_t>(kept), sum.bound.end());
                out.coefficient.scale *= within.coefficient.scale;
                out.coefficient.powers.insert(out.coefficient.powers.end(), within.coefficient.powers.begin(), within.coefficient.powers.end());
                out.coefficient.constants.insert(out.coefficient.constants.end(), within.coefficient.constants.begin(),
                                                 within.coefficient.constants.end());
                inlined = true;
                named.push_back({"S[" + extents + "](" + within.key + ")", within.nested});
                continue;
            }
            const FormId form = m_forms.formOf(sum.inner);
            std::string extents;
            for (const Dim& dim : sum.bound) {
                extents += dim.text() + ",";
            }
            named.push_back(
                {(sum.largest ? "L[" : "T[") + extents + "](" + keyOf(form, wider, depth) + ")" + power, {Split::Nested{{form}, wider, false}}});
            continue;
        }
        std::vector<FormId> list = m_forms.formsOf(factor.atom);
        bool step = false;
        std::string name = m_forms.nameOf(factor.atom);
        if (kind == FormStore::AtomKind::Max) {
            name = "max";
            list = sortedByKey(list, space, depth);
            const Mark found = leading(list, space, depth);
            // An array cannot be drawn out: then the number before the maximum goes in.
            mpq_class mark = abs(found.number);
            if (found.array) {
                mark = factor.exponent == 1 ? mpq_class(1 / abs(monomial.coefficient)) : mpq_class(1);
            }
            if (factor.exponent.get_den() == 1 && mark != 0) {
                for (FormId& form : list) {
                    form = scaled(form, mpq_class(1) / mark);
                }
                raise(out.coefficient, mark, factor.exponent);
            }
        } else if (kind == FormStore::AtomKind::Power) {
            name = "power";
            const Mark found = leading(list, space, depth);
            mpq_class mark = found.array ? mpq_class(1) : found.number;
            const bool whole = factor.exponent.get_den() == 1;
            mark = whole ? mark : abs(mark);
            if (mark != 0) {
                list[0] = scaled(list[0], mpq_class(1) / mark);
                raise(out.coefficient, mark, factor.exponent);
            }
        } else {
            step = kind == FormStore::AtomKind::Truth;
            const mpq_class mark = kind == FormStore::AtomKind::Truth ? mpq_class(abs(leading(list, space, depth).number)) : mpq_class(1);
            if (mark != 1 && mark != 0) {
                list[0] = scaled(list[0], mpq_class(1) / mark);
            }
            for (const char* rounding : {"floor", "ceil", "trunc", "round"}) {
                step = step || name == rounding;
            }
        }
        std::string key = name + "(";
        for (const FormId form : list) {
            key += keyOf(form, space, depth) + ",";
        }
        named.push_back({key + ")" + power, {Split::Nested{list, space, step}}});
    }
    if (exponential) {
        named.push_back({"exp(" + keyOf(exponent, space, depth) + ")", {Split::Nested{{exponent}, space, false}}});
    }
    std::stable_sort(named.begin(), named.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [key, nested] : named) {
        out.key += key + "*";
        out.nested.insert(out.nested.end(), nested.begin(), nested.end());
    }
    return out;
}

bool ConstantMatcher::Walk::nestedEqual(const Split& a, const Split& b, int depth) {
    for (std::size_t k = 0; k < a.nested.size(); ++k) {
        const bool before = m_inStep;
        m_inStep = m_inStep || a.nested[k].step;
        for (std::size_t f = 0; f < a.nested[k].forms.size(); ++f) {
            if (!forms(a.nested[k].forms[f], b.nested[k].forms[f], a.nested[k].space, depth + 1)) {
                m_inStep = before;
                return false;
            }
        }
        m_inStep = before;
    }
    return true;
}

bool ConstantMatcher::Walk::forms(FormId a, FormId b, const Shape& space, int depth) {
    if (a == b) {
        return true;
    }
    if (depth > MaxDepth || (m_owner.m_expiry && m_owner.m_expiry())) {
        return tooLarge("nested too deeply, or out of time");
    }
    // Products that both have with one coefficient need no look.
    const std::vector<Monomial> left = m_forms.monomials(a);
    const std::vector<Monomial> right = m_forms.monomials(b);
    const auto same = [](const Monomial& x, const Monomial& y) {
        return x.coefficient == y.coefficient && x.factors.size() == y.factors.size() &&
               std::equal(x.factors.begin(), x.factors.end(), y.factors.begin(),
                          [](const Factor& f, const Factor& g) { return f.atom == g.atom && f.exponent == g.exponent; });
    };
    std::map<std::string, std::pair<std::vector<Split>, std::vector<Split>>> groups;
    for (const Monomial& monomial : left) {
        if (std::none_of(right.begin(), right.end(), [&](const Monomial& other) { return same(monomial, other); })) {
            Split one = split(monomial, space, depth, true);
            groups[one.key].first.push_back(std::move(one));
        }
    }
    for (const Monomial& monomial : right) {
        if (std::none_of(left.begin(), left.end(), [&](const Monomial& other) { return same(monomial, other); })) {
            Split one = split(monomial, space, depth, true);
            groups[one.key].second.push_back(std::move(one));
        }
    }
    for (auto& [key, sides] : groups) {
        auto& [mine, theirs] = sides;
        const bool nested = std::any_of(mine.begin(), mine.end(), [](const Split& s) { return !s.nested.empty(); }) ||
                            std::any_of(theirs.begin(), theirs.end(), [](const Split& s) { return !s.nested.empty(); });
        const auto pointers = [](const std::vector<Split>& list) {
            std::vector<const Split*> out;
            for (const Split& one : list) {
                out.push_back(&one);
            }
            return out;
        };
        if (!nested) {
            if (!coefficients(pointers(mine), pointers(theirs))) {
                return false;
            }
            continue;
        }
        if (mine.size() != theirs.size() || mine.size() > MaxPairings) {
            return fail("one side has a product that the other has not: " + key.substr(0, 120));
        }
        // Which belongs to which: the first pairing that fits.
        std::vector<std::size_t> order(mine.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        bool found = false;
        const ConstantMatch before = m_out;
        ConstantMatch first = m_out;
        bool failed = false;
        do {
            m_out = before;
            found = true;
            for (std::size_t k = 0; k < mine.size() && found; ++k) {
                found = mine[k].nested.size() == theirs[order[k]].nested.size() && nestedEqual(mine[k], theirs[order[k]], depth) &&
                        coefficients({&mine[k]}, {&theirs[order[k]]});
            }
            if (!found && !failed) {
                first = m_out;
                failed = true;
            }
        } while (!found && std::next_permutation(order.begin(), order.end()));
        if (!found) {
            m_out = first;
            return fail("coefficients inside " + key.substr(0, 120));
        }
    }
    return true;
}

bool ConstantMatcher::Walk::conditions(Scalar a, Scalar b, const Shape& space) {
    if (m_forms.sameDomain(a, b)) {
        return true;
    }
    std::vector<FormStore::ConditionView> left = m_forms.conditionsIn(a);
    std::vector<FormStore::ConditionView> right = m_forms.conditionsIn(b);
    const auto same = [](const FormStore::ConditionView& x, const FormStore::ConditionView& y) {
        return x.kind == y.kind && x.form == y.form && x.leaf == y.leaf && x.kind != 4;
    };
    std::erase_if(left, [&](const auto& x) { return std::any_of(right.begin(), right.end(), [&](const auto& y) { return same(x, y); }); });
    const std::vector<FormStore::ConditionView> original = m_forms.conditionsIn(a);
    std::erase_if(right, [&](const auto& y) { return std::any_of(original.begin(), original.end(), [&](const auto& x) { return same(x, y); }); });
    if (left.size() != right.size()) {
        return fail("defined at different points");
    }
    for (const auto& x : left) {
        bool found = false;
        for (std::size_t k = 0; k < right.size() && !found; ++k) {
            if (x.kind > 2 || right[k].kind != x.kind) {
                continue;
            }
            const mpq_class mx = leading({x.form}, space, 0).number;
            const mpq_class my = leading({right[k].form}, space, 0).number;
            if (mx == 0 || my == 0 || (x.kind != 0 && (mx > 0) != (my > 0))) {
                continue;
            }
            const ConstantMatch before = m_out;
            found = forms(scaled(x.form, mpq_class(1) / mx), scaled(right[k].form, mpq_class(1) / my), space, 0);
            if (found) {
                right.erase(right.begin() + static_cast<std::ptrdiff_t>(k));
            } else {
                m_out = before;
            }
        }
        if (!found) {
            return fail("defined at different points");
        }
    }
    return true;
}

ConstantMatch ConstantMatcher::compare(Scalar a, Scalar b, const Shape& space) {
    ConstantMatch out;
    Walk walk(*this, out);
    FormStore& forms = m_lemma.forms();
    const bool equal = walk.conditions(a, b, space) && walk.forms(forms.formOf(a), forms.formOf(b), space, 0);
    if (forms.tooLarge() || walk.gaveUp()) {
        out.outcome = ConstantMatch::Outcome::TooLarge;
        return out;
    }
    if (equal) {
        out.outcome = out.gaps.empty() ? ConstantMatch::Outcome::Exact : ConstantMatch::Outcome::Rounded;
    } else if (out.outcome != ConstantMatch::Outcome::TooLarge) {
        out.outcome = ConstantMatch::Outcome::Different;
    }
    return out;
}

} // namespace lemmascope
