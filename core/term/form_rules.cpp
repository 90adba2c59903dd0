// Sums, products, powers, extrema and exponentials of forms: the rewrite rules of the normal form (see form_store.cpp).

#include "core/term/form_store.h"

#include "core/term/form_numbers.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace lemmascope {

using namespace formnumbers;

FormId FormStore::constantForm(const mpq_class& value) { return value == 0 ? internForm({}) : internForm({Term{m_unit, value}}); }

std::optional<mpq_class> FormStore::constantValue(FormId form) const {
    const Terms& terms = m_forms[form.index];
    if (terms.empty()) {
        return mpq_class(0);
    }
    if (terms.size() == 1 && terms[0].monomial == m_unit) {
        return terms[0].coefficient;
    }
    return std::nullopt;
}

FormId FormStore::atomForm(AtomId atom, const mpq_class& exponent, const mpq_class& coefficient) {
    if (exponent == 0) {
        return constantForm(coefficient);
    }
    const mpq_class shown = isBoolean(atom) && exponent > 0 ? mpq_class(1) : exponent;
    if (m_atoms[atom.index].kind == AtomKind::Power && shown >= 1) {
        // match: P^q, q >= 1   result: P^floor(q) multiplied out, times P^(q - floor(q))
        const mpz_class whole = floorOf(shown);
        if (whole > MaxPower) {
            m_tooLarge = true;
            return constantForm(coefficient);
        }
        FormId out = constantForm(coefficient);
        const FormId base = m_atoms[atom.index].forms[0];
        for (mpz_class k = 0; k < whole && !m_tooLarge; ++k) {
            out = mulForms(out, base);
        }
        const mpq_class rest = shown - whole;
        return rest == 0 ? out : mulForms(out, internForm({Term{internMonomial({{atom, rest}}), 1}}));
    }
    return internForm({Term{internMonomial({{atom, shown}}), coefficient}});
}

FormId FormStore::addForms(FormId a, const mpq_class& scale, FormId b) {
    if (m_tooLarge) {
        return a;
    }
    const Terms& left = m_forms[a.index];
    const Terms& right = m_forms[b.index];
    Terms out;
    out.reserve(left.size() + right.size());
    std::size_t i = 0;
    std::size_t k = 0;
    while (i < left.size() || k < right.size()) {
        if (k == right.size() || (i < left.size() && left[i].monomial < right[k].monomial)) {
            out.push_back(left[i++]);
        } else if (i == left.size() || right[k].monomial < left[i].monomial) {
            out.push_back(Term{right[k].monomial, right[k].coefficient * scale});
            ++k;
        } else {
            const mpq_class sum = left[i].coefficient + right[k].coefficient * scale;
            if (sum != 0) {
                out.push_back(Term{left[i].monomial, sum});
            }
            ++i;
            ++k;
        }
    }
    return internForm(std::move(out));
}

FormId FormStore::scaleForm(FormId a, const mpq_class& scale) {
    if (scale == 0) {
        return constantForm(0);
    }
    Terms out = m_forms[a.index];
    for (Term& term : out) {
        term.coefficient *= scale;
    }
    return internForm(std::move(out));
}

FormId FormStore::mulMonomials(const Factors& a, const Factors& b) {
    Factors out;
    std::vector<std::pair<AtomId, mpq_class>> expand;
    std::size_t i = 0;
    std::size_t k = 0;
    while (i < a.size() || k < b.size()) {
        AtomId atom;
        mpq_class exponent;
        if (k == b.size() || (i < a.size() && a[i].first < b[k].first)) {
            atom = a[i].first;
            exponent = a[i++].second;
        } else if (i == a.size() || b[k].first < a[i].first) {
            atom = b[k].first;
            exponent = b[k++].second;
        } else {
            atom = a[i].first;
            exponent = a[i++].second + b[k++].second;
        }
        if (exponent == 0) {
            continue;
        }
        if (isBoolean(atom) && exponent > 1) {
            exponent = 1; // match: c * c   result: c
        }
        if (m_atoms[atom.index].kind == AtomKind::Power && exponent >= 1) {
            expand.emplace_back(atom, exponent);
        } else {
            out.emplace_back(atom, exponent);
        }
    }
    FormId form = internForm({Term{internMonomial(std::move(out)), 1}});
    for (const auto& [atom, exponent] : expand) {
        form = mulForms(form, atomForm(atom, exponent));
    }
    return form;
}

FormId FormStore::mulForms(FormId a, FormId b) {
    if (m_tooLarge) {
        return a;
    }
    if (const std::optional<mpq_class> c = constantValue(a)) {
        return *c == 1 ? b : scaleForm(b, *c);
    }
    if (const std::optional<mpq_class> c = constantValue(b)) {
        return *c == 1 ? a : scaleForm(a, *c);
    }
    const Terms left = m_forms[a.index];
    const Terms right = m_forms[b.index];
    if (left.size() * right.size() > m_limits.monomialsPerForm * 4) {
        m_tooLarge = true;
        return a;
    }
    std::map<MonomialId, mpq_class> sum;
    for (const Term& x : left) {
        for (const Term& y : right) {
            const FormId product = mulMonomials(m_monomials[x.monomial.index], m_monomials[y.monomial.index]);
            if (m_tooLarge) {
                return a;
            }
            const mpq_class scale = x.coefficient * y.coefficient;
            for (const Term& term : m_forms[product.index]) {
                sum[term.monomial] += term.coefficient * scale;
            }
        }
    }
    Terms out;
    for (auto& [monomial, coefficient] : sum) {
        if (coefficient != 0) {
            out.push_back(Term{monomial, std::move(coefficient)});
        }
    }
    return internForm(std::move(out));
}

FormId FormStore::timesAtom(FormId form, AtomId atom, const mpq_class& exponent) {
    // Exponents meet before a power is multiplied out, so that P^-1 times P is 1.
    const Terms terms = m_forms[form.index];
    std::map<MonomialId, mpq_class> sum;
    for (const Term& term : terms) {
        const FormId product = mulMonomials(m_monomials[term.monomial.index], Factors{{atom, exponent}});
        if (m_tooLarge) {
            return form;
        }
        for (const Term& part : m_forms[product.index]) {
            sum[part.monomial] += part.coefficient * term.coefficient;
        }
    }
    Terms out;
    for (auto& [monomial, coefficient] : sum) {
        if (coefficient != 0) {
            out.push_back(Term{monomial, std::move(coefficient)});
        }
    }
    return internForm(std::move(out));
}

mpq_class FormStore::content(FormId form) const {
    mpz_class num;
    mpz_class den = 1;
    for (const Term& term : m_forms[form.index]) {
        mpz_gcd(num.get_mpz_t(), num.get_mpz_t(), term.coefficient.get_num().get_mpz_t());
        mpz_lcm(den.get_mpz_t(), den.get_mpz_t(), term.coefficient.get_den().get_mpz_t());
    }
    return num == 0 ? mpq_class(1) : mpq_class(num, den);
}

std::optional<mpq_class> FormStore::lowerBound(FormId form, bool upper, int depth) const {
    // Forms share their parts: each is looked into once, those that were not looked into to the end but from the top excepted.
    if (depth > 12) {
        m_boundCutShort = true;
        return std::nullopt;
    }
    const std::uint64_t key = std::uint64_t{form.index} * 2 + (upper ? 1 : 0);
    if (const auto at = m_bounds.find(key); at != m_bounds.end()) {
        return at->second;
    }
    const bool before = m_boundCutShort;
    m_boundCutShort = false;
    const std::optional<mpq_class> bound = boundOf(form, upper, depth);
    if (depth == 0 || !m_boundCutShort) {
        m_bounds.emplace(key, bound);
    }
    m_boundCutShort = m_boundCutShort || before;
    return bound;
}

std::optional<mpq_class> FormStore::boundOf(FormId form, bool upper, int depth) const {
    // Sums of bounded atoms: extrema have the bounds of their arguments, truths lie in [0, 1], exponentials above 0.
    mpq_class sum = 0;
    for (const Term& term : m_forms[form.index]) {
        const Factors& factors = m_monomials[term.monomial.index];
        if (factors.empty()) {
            sum += term.coefficient;
            continue;
        }
        if (factors.size() != 1 || factors[0].second != 1) {
            return std::nullopt;
        }
        const Atom& atom = m_atoms[factors[0].first.index];
        const bool wantUpper = upper == (term.coefficient > 0);
        std::optional<mpq_class> bound;
        if (isBoolean(factors[0].first)) {
            bound = wantUpper ? mpq_class(1) : mpq_class(0);
        } else if (atom.kind == AtomKind::Max) {
            for (const FormId inner : atom.forms) {
                const std::optional<mpq_class> own = lowerBound(inner, wantUpper, depth + 1);
                if (wantUpper && !own) {
                    return std::nullopt;
                }
                if (own && (!bound || *own > *bound)) {
                    bound = own;
                }
            }
        } else if (!wantUpper && (atom.kind == AtomKind::Exp || atom.positive || atom.nonNegative)) {
            bound = mpq_class(0);
        } else if (atom.kind == AtomKind::Function && atom.name.starts_with("real_")) {
            // an integer lies in the range of its type
            if (const std::optional<ElementType> type = elementTypeByName(atom.name.substr(5)); type && isInteger(*type)) {
                const mpz_class whole = modulus(*type);
                const mpz_class low = isSignedInteger(*type) ? mpz_class(-whole / 2) : mpz_class(0);
                bound = wantUpper ? mpq_class(low + whole - 1) : mpq_class(low);
            }
        } else if (atom.kind == AtomKind::Function && (atom.name == "tanh" || atom.name == "erf")) {
            bound = mpq_class(wantUpper ? 1 : -1);
        }
        if (!bound) {
            return std::nullopt;
        }
        sum += term.coefficient * *bound;
    }
    return sum;
}

bool FormStore::isNonNegative(FormId form) const {
    if (const auto at = m_nonNegative.find(form.index); at != m_nonNegative.end()) {
        return at->second;
    }
    const std::optional<mpq_class> bound = lowerBound(form, false, 0);
    const bool found = (bound && *bound >= 0) || everyTermIsNonNegative(form);
    m_nonNegative.emplace(form.index, found);
    return found;
}

bool FormStore::isNonNegativePower(AtomId atom, const mpq_class& exponent) const {
    const Atom& data = m_atoms[atom.index];
    const bool even = isWhole(exponent) && mpz_even_p(exponent.get_num().get_mpz_t()) != 0;
    if (even || data.kind == AtomKind::Exp || isBoolean(atom) || data.positive || data.nonNegative) {
        return true;
    }
    if (data.kind == AtomKind::Power) {
        return !isWhole(exponent) || isNonNegative(data.forms[0]);
    }
    return data.kind == AtomKind::Max && std::any_of(data.forms.begin(), data.forms.end(), [this](FormId f) { return isNonNegative(f); });
}

bool FormStore::everyTermIsNonNegative(FormId form) const {
    for (const Term& term : m_forms[form.index]) {
        if (term.coefficient < 0) {
            return false;
        }
        for (const auto& [atom, exponent] : m_monomials[term.monomial.index]) {
            if (!isNonNegativePower(atom, exponent)) {
                return false;
            }
        }
    }
    return true;
}

bool FormStore::isPositive(FormId form) const {
    if (const std::optional<mpq_class> bound = lowerBound(form, false, 0); bound && *bound > 0) {
        return true;
    }
    // A sum that is not negative as a whole, such as 1 - c, may still be 0: here every term must be at least 0.
    if (!everyTermIsNonNegative(form)) {
        return false;
    }
    for (const Term& term : m_forms[form.index]) {
        bool positive = true;
        for (const auto& [atom, exponent] : m_monomials[term.monomial.index]) {
            const Atom& data = m_atoms[atom.index];
            bool good = data.kind == AtomKind::Exp || data.positive || exponent < 0; // a defined inverse is not 0
            good = good || (data.kind == AtomKind::Power && isPositive(data.forms[0]));
            if (data.kind == AtomKind::Max) {
                good = good || std::any_of(data.forms.begin(), data.forms.end(), [this](FormId f) { return isPositive(f); });
            }
            positive = positive && good;
        }
        if (positive) {
            return true;
        }
    }
    return false;
}

bool FormStore::neverZero(AtomId atom, ConditionSetId conditions) {
    const Atom data = m_atoms[atom.index];
    if (data.kind == AtomKind::Exp || data.positive) {
        return true;
    }
    FormId form = data.kind == AtomKind::Power ? data.forms[0] : atomForm(atom);
    form = scaleForm(form, mpq_class(1) / content(form));
    const FormId mirrored = scaleForm(form, -1);
    if (isPositive(form) || isPositive(mirrored)) {
        return true;
    }
    const auto& set = m_conditionSets[conditions.index];
    return std::any_of(set.begin(), set.end(), [&](const Condition& condition) {
        const bool excludesZero = condition.kind == Condition::Kind::NonZero || condition.kind == Condition::Kind::Positive;
        return excludesZero && (condition.form == form || condition.form == mirrored);
    });
}

FormId FormStore::powerForm(FormId base, const mpq_class& exponent, ConditionSetId& conditions) {
    if (m_tooLarge) {
        return base;
    }
    const auto require = [&](Condition::Kind kind, FormId form) {
        if (kind == Condition::Kind::NonNegative ? isNonNegative(form) : isPositive(form)) {
            return;
        }
        if (kind == Condition::Kind::NonZero) {
            // match: P^q != 0   result: P != 0
            const Terms& only = m_forms[form.index];
            if (only.size() == 1 && m_monomials[only[0].monomial.index].size() == 1 &&
                m_atoms[m_monomials[only[0].monomial.index][0].first.index].kind == AtomKind::Power) {
                form = m_atoms[m_monomials[only[0].monomial.index][0].first.index].forms[0];
            }
            if (const std::optional<mpq_class> value = constantValue(form); value && *value != 0) {
                return;
            }
            // canonical sign: x != 0 exactly when -x != 0
            form = scaleForm(form, mpq_class(1) / content(form));
            if (!m_forms[form.index].empty() && m_forms[form.index].front().coefficient < 0) {
                form = scaleForm(form, -1);
            }
            if (isPositive(form)) {
                return;
            }
        }
        conditions = with(conditions, Condition{kind, form, {}, 0, {}, {}});
    };
    if (exponent == 0) {
        return constantForm(1);
    }
    if (isWhole(exponent) && exponent > 0) {
        if (exponent > MaxPower) {
            m_tooLarge = true;
            return base;
        }
        FormId out = constantForm(1);
        for (long k = 0; k < exponent.get_num().get_si() && !m_tooLarge; ++k) {
            out = mulForms(out, base);
        }
        return out;
    }
    if (const std::optional<mpq_class> value = constantValue(base)) {
        if (*value == 0) {
            if (exponent < 0) {
                conditions = with(conditions, Condition{Condition::Kind::NonZero, base, {}, 0, {}, {}});
            }
            return constantForm(0);
        }
        if (isWhole(exponent)) {
            mpq_class out = 1;
            for (long k = 0; k < -exponent.get_num().get_si() && k < MaxPower; ++k) {
                out /= *value;
            }
            if (-exponent > MaxPower) {
                m_tooLarge = true;
            }
            return constantForm(out);
        }
        if (*value < 0) {
            conditions = with(conditions, Condition{Condition::Kind::NonNegative, base, {}, 0, {}, {}});
            return constantForm(0);
        }
        if (const std::optional<mpq_class> root = rationalPower(*value, exponent)) {
            return constantForm(*root);
        }
        // match: (p/d)^(a/b)   result: whole base, so that one number has one form: d^-a (p d^(b-1))^(a/b)
        const std::optional<WholeBase> whole = wholeBase(*value, exponent);
        if (whole) {
            return scaleForm(atomForm(internAtom(Atom{.kind = AtomKind::Power, .forms = {constantForm(whole->base)}, .positive = true}), exponent),
                             whole->scale);
        }
        return atomForm(internAtom(Atom{.kind = AtomKind::Power, .forms = {base}, .positive = true}), exponent);
    }
    const mpq_class scale = content(base);
    FormId primitive = scaleForm(base, mpq_class(1) / scale);
    if (isWhole(exponent)) {
        // match: P^-k   result: (scalar * common atoms)^-k * rest^-k: the content rule, for any sign
        mpq_class factor = scale;
        if (m_forms[primitive.index].front().coefficient < 0) {
            primitive = scaleForm(primitive, -1);
            factor = -factor;
        }
        const Terms terms = m_forms[primitive.index];
        std::map<AtomId, mpq_class> common;
        std::map<AtomId, std::size_t> seen;
        for (const Term& term : terms) {
            for (const auto& [atom, e] : m_monomials[term.monomial.index]) {
                ++seen[atom];
                const auto [at, added] = common.try_emplace(atom, e);
                if (!added && e < at->second) {
                    at->second = e;
                }
            }
        }
        FormId out = constantForm(1);
        FormId rest = primitive;
        for (auto& [atom, e] : common) {
            if (seen[atom] != terms.size() && e > 0) {
                continue; // missing somewhere: exponent 0 there
            }
            if (isBoolean(atom) || (m_atoms[atom.index].kind == AtomKind::Power && !isWhole(e) && e > 0 && terms.size() > 1)) {
                continue;
            }
            if (seen[atom] != terms.size() && !neverZero(atom, conditions)) {
                continue; // c/x + y, needed only where c holds: at x = 0 it is y, and c + x y would be 0
            }
            // A negative exponent is common even where the atom is missing: the others get its positive power.
            rest = timesAtom(rest, atom, -e);
            if (e > 0) {
                require(Condition::Kind::NonZero, atomForm(atom, 1));
            }
            out = mulForms(out, atomForm(atom, e * exponent));
        }
        mpq_class number = 1;
        for (long k = 0; k < -exponent.get_num().get_si() && k < MaxPower; ++k) {
            number /= factor;
        }
        if (-exponent > MaxPower) {
            m_tooLarge = true;
        }
        if (const std::optional<mpq_class> value = constantValue(rest)) {
            mpq_class more = number;
            for (long k = 0; k < -exponent.get_num().get_si() && k < MaxPower; ++k) {
                more /= *value;
            }
            return scaleForm(out, more);
        }
        // rest may have gained a scalar by multiplying powers out
        const mpq_class again = content(rest);
        FormId monic = scaleForm(rest, mpq_class(1) / again);
        mpq_class sign = again;
        if (m_forms[monic.index].front().coefficient < 0) {
            monic = scaleForm(monic, -1);
            sign = -sign;
        }
        for (long k = 0; k < -exponent.get_num().get_si() && k < MaxPower; ++k) {
            number /= sign;
        }
        require(Condition::Kind::NonZero, monic);
        const AtomId atom = internAtom(Atom{.kind = AtomKind::Power, .forms = {monic}, .positive = isPositive(monic)});
        return scaleForm(mulForms(out, atomForm(atom, exponent)), number);
    }
    // match: P^q, q fractional   result: scalar^q * P'^q: no content but a positive scalar (signs); exponentials give theirs
    FormId out = constantForm(1);
    if (scale != 1) {
        ConditionSetId none = m_noConditions;
        out = powerForm(constantForm(scale), exponent, none);
    }
    const Terms terms = m_forms[primitive.index];
    if (terms.size() == 1 && terms[0].coefficient > 0) {
        const Factors factors = m_monomials[terms[0].monomial.index];
        // A positive power of what is never negative stays one, at 0 too; that of an even power is one of the magnitude.
        const auto rooted = [&](const auto& f) {
            const Atom& data = m_atoms[f.first.index];
            if (data.kind == AtomKind::Exp || data.positive) {
                return true;
            }
            const mpq_class power = f.second * exponent;
            return exponent > 0 && f.second > 0 && (isNonNegativePower(f.first, 1) || (isWhole(power) && isNonNegativePower(f.first, f.second)));
        };
        if (std::all_of(factors.begin(), factors.end(), rooted)) {
            for (const auto& [atom, e] : factors) {
                const mpq_class power = e * exponent;
                const bool magnitude = m_atoms[atom.index].kind != AtomKind::Exp && !m_atoms[atom.index].positive && !isNonNegativePower(atom, 1);
                if (magnitude) {
                    const FormId size = maxForms({atomForm(atom, 1), atomForm(atom, 1, -1)});
                    for (mpq_class k = 0; k < power && !m_tooLarge; ++k) {
                        out = mulForms(out, size);
                    }
                } else {
                    out = mulForms(out, atomForm(atom, power));
                }
            }
            return out;
        }
    }
    require(exponent > 0 ? Condition::Kind::NonNegative : Condition::Kind::Positive, primitive);
    const AtomId atom = internAtom(Atom{.kind = AtomKind::Power, .forms = {primitive}, .positive = isPositive(primitive)});
    return mulForms(out, atomForm(atom, exponent));
}

bool FormStore::isWholeForm(FormId form, int depth) const {
    return depth <= 12 && std::all_of(m_forms[form.index].begin(), m_forms[form.index].end(), [&](const Term& term) {
               if (!isWhole(term.coefficient)) {
                   return false;
               }
               const Factors& factors = m_monomials[term.monomial.index];
               return std::all_of(factors.begin(), factors.end(), [&](const auto& f) {
                   const Atom& data = m_atoms[f.first.index];
                   const bool integral = isBoolean(f.first) ||
                                         (data.kind == AtomKind::Function && (data.name == "floor" || data.name == "ceil" || data.name == "trunc" ||
                                                                              data.name == "round" || data.name.starts_with("real_"))) ||
                                         (data.kind == AtomKind::Max && std::all_of(data.forms.begin(), data.forms.end(),
                                                                                    [&](FormId inner) { return isWholeForm(inner, depth + 1); }));
                   return integral && isWhole(f.second) && f.second > 0;
               });
           });
}

FormId FormStore::maxForms(std::vector<FormId> forms) {
    // match: max(max(a, b), c)   result: max{a, b, c}
    std::vector<FormId> flat;
    for (const FormId form : forms) {
        const Terms& terms = m_forms[form.index];
        const bool single = terms.size() == 1 && terms[0].coefficient == 1 && m_monomials[terms[0].monomial.index].size() == 1 &&
                            m_monomials[terms[0].monomial.index][0].second == 1;
        if (single && m_atoms[m_monomials[terms[0].monomial.index][0].first.index].kind == AtomKind::Max) {
            const std::vector<FormId>& inner = m_atoms[m_monomials[terms[0].monomial.index][0].first.index].forms;
            flat.insert(flat.end(), inner.begin(), inner.end());
        } else {
            flat.push_back(form);
        }
    }
    std::sort(flat.begin(), flat.end());
    flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
    // match: max(a, a + c), c >= 0 constant   result: a + c; also non-negative against non-positive differences
    std::vector<bool> dropped(flat.size(), false);
    if (flat.size() <= 64) {
        for (std::size_t i = 0; i < flat.size(); ++i) {
            for (std::size_t k = 0; k < flat.size(); ++k) {
                if (i == k || dropped[i] || dropped[k]) {
                    continue;
                }
                const FormId difference = addForms(flat[i], -1, flat[k]);
                if (isNonNegative(difference)) {
                    dropped[k] = true;
                }
            }
        }
    }
    std::vector<FormId> kept;
    for (std::size_t i = 0; i < flat.size(); ++i) {
        if (!dropped[i]) {
            kept.push_back(flat[i]);
        }
    }
    if (kept.size() == 1) {
        return kept[0];
    }
    // match: max(a + s, b + s)   result: s + max(a, b), s what all have with one coefficient
    Terms common = m_forms[kept[0].index];
    for (std::size_t i = 1; i < kept.size() && !common.empty(); ++i) {
        Terms both;
        const Terms& other = m_forms[kept[i].index];
        for (const Term& term : common) {
            const auto at = std::lower_bound(other.begin(), other.end(), term, [](const Term& x, const Term& y) { return x.monomial < y.monomial; });
            if (at != other.end() && at->monomial == term.monomial && at->coefficient == term.coefficient) {
                both.push_back(term);
            }
        }
        common = std::move(both);
    }
    FormId shared = internForm(common);
    for (FormId& form : kept) {
        form = addForms(form, -1, shared);
    }
    // match: max(k, b), k a number, b whole   result: k + max(0, b - k): bounds of quantised values, shifted by zero points, meet
    const auto number = std::find_if(kept.begin(), kept.end(), [this](FormId form) {
        const std::optional<mpq_class> value = constantValue(form);
        return value && *value != 0;
    });
    if (number != kept.end() && std::all_of(kept.begin(), kept.end(), [this](FormId form) { return isWholeForm(form, 0); })) {
        const FormId by = *number;
        shared = addForms(shared, 1, by);
        for (FormId& form : kept) {
            form = addForms(form, -1, by);
        }
    }
    mpz_class num;
    mpz_class den = 1;
    for (const FormId form : kept) {
        for (const Term& term : m_forms[form.index]) {
            mpz_gcd(num.get_mpz_t(), num.get_mpz_t(), term.coefficient.get_num().get_mpz_t());
            mpz_lcm(den.get_mpz_t(), den.get_mpz_t(), term.coefficient.get_den().get_mpz_t());
        }
    }
    const bool longScale = mpz_sizeinbase(num.get_mpz_t(), 2) + mpz_sizeinbase(den.get_mpz_t(), 2) > 1024;
    const mpq_class scale = num == 0 || longScale ? mpq_class(1) : mpq_class(num, den); // match: max(k a, k b), k > 0   result: k max(a, b)
    for (FormId& form : kept) {
        form = scaleForm(form, mpq_class(1) / scale);
    }
    std::sort(kept.begin(), kept.end());
    const AtomId atom = internAtom(Atom{.kind = AtomKind::Max, .forms = kept});
    return addForms(shared, scale, atomForm(atom));
}

FormId FormStore::expForm(FormId a) {
    const Terms terms = m_forms[a.index];
    FormId out = constantForm(1);
    for (const Term& term : terms) {
        const Factors& factors = m_monomials[term.monomial.index];
        if (factors.size() == 1 && factors[0].second == 1 && m_atoms[factors[0].first.index].kind == AtomKind::Function &&
            m_atoms[factors[0].first.index].name == "log") {
            // match: exp(c log F)   result: F^c (F > 0 is a condition of the log)
            ConditionSetId none = m_noConditions;
            out = mulForms(out, powerForm(m_atoms[factors[0].first.index].forms[0], term.coefficient, none));
            continue;
        }
        const AtomId atom = internAtom(Atom{.kind = AtomKind::Exp, .exponent = term.monomial, .positive = true});
        out = mulForms(out, atomForm(atom, term.coefficient));
        if (m_tooLarge) {
            return a;
        }
    }
    return out;
}

FormId FormStore::truth(const char* name, FormId form, bool signMatters) {
    form = scaleForm(form, mpq_class(1) / content(form));
    if (!signMatters && !m_forms[form.index].empty() && m_forms[form.index].front().coefficient < 0) {
        form = scaleForm(form, -1);
    }
    return atomForm(internAtom(Atom{.kind = AtomKind::Truth, .name = name, .forms = {form}, .result = ElementType::Bool}));
}

FormId FormStore::modulo(FormId form, ElementType type) {
    const mpz_class whole = modulus(type);
    Terms out;
    for (const Term& term : m_forms[form.index]) {
        mpz_class residue;
        mpz_mod(residue.get_mpz_t(), term.coefficient.get_num().get_mpz_t(), whole.get_mpz_t());
        if (residue != 0) {
            out.push_back(Term{term.monomial, mpq_class(residue)});
        }
    }
    return internForm(std::move(out));
}

} // namespace lemmascope
