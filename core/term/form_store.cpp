// The exact normal form. Soundness rests on two promises kept by every rule: the value is the same real function wherever the
// conditions hold, and the conditions hold at exactly the points where the original expression is defined. Cancelling x * 1/x
// keeps the condition x != 0. Tests: tests/core/term/tst_form_store.cpp.

#include "core/term/form_store.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace lemmascope {

namespace {

constexpr long MaxPower = 32;

void appendWord(std::string& key, std::uint32_t word) { key.append(reinterpret_cast<const char*>(&word), sizeof word); }

bool isWhole(const mpq_class& q) { return q.get_den() == 1; }

mpz_class floorOf(const mpq_class& q) {
    mpz_class out;
    mpz_fdiv_q(out.get_mpz_t(), q.get_num().get_mpz_t(), q.get_den().get_mpz_t());
    return out;
}

/// c^(p/q) when it is rational.
std::optional<mpq_class> rationalPower(const mpq_class& c, const mpq_class& exponent) {
    if (c <= 0 || !exponent.get_den().fits_ulong_p() || !exponent.get_num().fits_slong_p()) {
        return std::nullopt;
    }
    const unsigned long root = exponent.get_den().get_ui();
    const long power = exponent.get_num().get_si();
    if (root > 16 || power > MaxPower || power < -MaxPower) {
        return std::nullopt;
    }
    mpz_class num;
    mpz_class den;
    if (mpz_root(num.get_mpz_t(), c.get_num().get_mpz_t(), root) == 0 || mpz_root(den.get_mpz_t(), c.get_den().get_mpz_t(), root) == 0) {
        return std::nullopt;
    }
    mpz_class pn;
    mpz_class pd;
    const auto magnitude = static_cast<unsigned long>(power < 0 ? -power : power);
    mpz_pow_ui(pn.get_mpz_t(), num.get_mpz_t(), magnitude);
    mpz_pow_ui(pd.get_mpz_t(), den.get_mpz_t(), magnitude);
    return power < 0 ? mpq_class(pd, pn) : mpq_class(pn, pd);
}

mpz_class roundOf(Rounding how, const mpq_class& q) {
    const mpz_class down = floorOf(q);
    switch (how) {
    case Rounding::Down: return down;
    case Rounding::Up: return isWhole(q) ? down : mpz_class(down + 1);
    case Rounding::ToZero: return q < 0 && !isWhole(q) ? mpz_class(down + 1) : down;
    case Rounding::HalfEven: {
        const mpq_class rest = q - down;
        const mpq_class half(1, 2);
        if (rest < half || (rest == half && mpz_even_p(down.get_mpz_t()) != 0)) {
            return down;
        }
        return down + 1;
    }
    }
    return down;
}

const char* roundName(Rounding how) {
    switch (how) {
    case Rounding::Down: return "floor";
    case Rounding::Up: return "ceil";
    case Rounding::ToZero: return "trunc";
    case Rounding::HalfEven: return "round";
    }
    return "round";
}

mpz_class modulus(ElementType type) {
    mpz_class out;
    mpz_ui_pow_ui(out.get_mpz_t(), 2, bitWidth(type));
    return out;
}

/// The value of residue r as the type reads it.
mpz_class typedValue(const mpz_class& residue, ElementType type) {
    const mpz_class whole = modulus(type);
    return isSignedInteger(type) && residue * 2 >= whole ? mpz_class(residue - whole) : residue;
}

bool representable(const mpq_class& value, ElementType type) {
    mpz_class den = value.get_den();
    if (mpz_popcount(den.get_mpz_t()) != 1) {
        return false;
    }
    mpz_class num = abs(value.get_num());
    if (num == 0) {
        return true;
    }
    const auto zeros = mpz_scan1(num.get_mpz_t(), 0);
    const auto bits = static_cast<long>(mpz_sizeinbase(num.get_mpz_t(), 2));
    const auto scale = static_cast<long>(mpz_sizeinbase(den.get_mpz_t(), 2)) - 1;
    const long top = bits - scale;                      // value < 2^top
    const long last = static_cast<long>(zeros) - scale; // lowest set bit is 2^last
    long maxTop = 128;
    long minLast = -149;
    switch (type) {
    case ElementType::F16:
        maxTop = 16;
        minLast = -24;
        break;
    case ElementType::BF16:
        maxTop = 128;
        minLast = -133;
        break;
    case ElementType::F64:
        maxTop = 1024;
        minLast = -1074;
        break;
    case ElementType::F32: break;
    default: return false;
    }
    return top <= maxTop && last >= minLast && top - last <= static_cast<long>(significandBits(type));
}

} // namespace

FormStore::FormStore(const TermStore& terms, Limits limits) : m_terms(terms), m_limits(limits) {
    m_unit = internMonomial({});
    m_noConditions = internConditions({});
}

// --- interning ---------------------------------------------------------------------------------------------------------------

AtomId FormStore::internAtom(Atom atom) {
    std::string key;
    appendWord(key, static_cast<std::uint32_t>(atom.kind));
    appendWord(key, atom.leaf.index);
    key += std::to_string(atom.index) + "|" + atom.name + "|";
    appendWord(key, atom.exponent.index);
    appendWord(key, static_cast<std::uint32_t>(atom.result));
    for (const FormId form : atom.forms) {
        appendWord(key, form.index);
    }
    const auto [at, added] = m_atomIndex.try_emplace(std::move(key), static_cast<std::uint32_t>(m_atoms.size()));
    if (added) {
        m_atoms.push_back(std::move(atom));
    }
    return AtomId(at->second);
}

MonomialId FormStore::internMonomial(Factors factors) {
    std::string key;
    for (const auto& [atom, exponent] : factors) {
        appendWord(key, atom.index);
        key += exponent.get_str() + ";";
    }
    const auto [at, added] = m_monomialIndex.try_emplace(std::move(key), static_cast<std::uint32_t>(m_monomials.size()));
    if (added) {
        m_monomials.push_back(std::move(factors));
    }
    return MonomialId(at->second);
}

FormId FormStore::internForm(Terms terms) {
    m_total += terms.size();
    if (terms.size() > m_limits.monomialsPerForm || m_total > m_limits.monomialsInAll) {
        m_tooLarge = true;
    }
    for (const Term& term : terms) {
        // Coefficients that have grown past any stored constant's length only cost time.
        if (mpz_sizeinbase(term.coefficient.get_num_mpz_t(), 2) + mpz_sizeinbase(term.coefficient.get_den_mpz_t(), 2) > 20'000) {
            m_tooLarge = true;
        }
    }
    std::string key;
    for (const Term& term : terms) {
        appendWord(key, term.monomial.index);
        key += term.coefficient.get_str(36) + ";";
    }
    const auto [at, added] = m_formIndex.try_emplace(std::move(key), static_cast<std::uint32_t>(m_forms.size()));
    if (added) {
        m_forms.push_back(std::move(terms));
    }
    return FormId(at->second);
}

ConditionSetId FormStore::internConditions(std::vector<Condition> conditions) {
    std::sort(conditions.begin(), conditions.end());
    conditions.erase(std::unique(conditions.begin(), conditions.end()), conditions.end());
    // match: P >= 0 and P != 0   result: P > 0;   P > 0 and (P >= 0 or P != 0)   result: P > 0
    using Kind = Condition::Kind;
    const auto find = [&conditions](Kind kind, FormId form) {
        return std::find_if(conditions.begin(), conditions.end(), [&](const Condition& c) { return c.kind == kind && c.form == form; });
    };
    for (std::size_t k = 0; k < conditions.size(); ++k) {
        const Condition condition = conditions[k];
        if (condition.kind != Kind::NonNegative && condition.kind != Kind::Positive) {
            continue;
        }
        const FormId mirrored = scaleForm(condition.form, -1);
        bool nonZero = false;
        for (const FormId form : {condition.form, mirrored}) {
            if (const auto at = find(Kind::NonZero, form); at != conditions.end()) {
                conditions.erase(at);
                nonZero = true;
                k = static_cast<std::size_t>(-1); // positions moved: start again
            }
        }
        if (condition.kind == Kind::NonNegative) {
            const bool positive = find(Kind::Positive, condition.form) != conditions.end();
            if (nonZero || positive) {
                conditions.erase(find(Kind::NonNegative, condition.form));
                if (!positive) {
                    conditions.push_back(Condition{Kind::Positive, condition.form, {}, 0, {}, {}});
                }
                k = static_cast<std::size_t>(-1);
            }
        }
    }
    std::sort(conditions.begin(), conditions.end());
    const auto [at, added] = m_conditionIndex.try_emplace(conditions, static_cast<std::uint32_t>(m_conditionSets.size()));
    if (added) {
        m_conditionSets.push_back(conditions);
    }
    return ConditionSetId(at->second);
}

ConditionSetId FormStore::both(ConditionSetId a, ConditionSetId b) {
    if (a == b || b == m_noConditions) {
        return a;
    }
    if (a == m_noConditions) {
        return b;
    }
    std::vector<Condition> all = m_conditionSets[a.index];
    all.insert(all.end(), m_conditionSets[b.index].begin(), m_conditionSets[b.index].end());
    return internConditions(std::move(all));
}

ConditionSetId FormStore::with(ConditionSetId set, Condition condition) {
    std::vector<Condition> all = m_conditionSets[set.index];
    all.push_back(condition);
    return internConditions(std::move(all));
}

Scalar FormStore::make(FormId form, ConditionSetId defined) {
    const std::uint64_t key = (static_cast<std::uint64_t>(form.index) << 32U) | defined.index;
    const auto [at, added] = m_scalarIndex.try_emplace(key, static_cast<Scalar>(m_scalars.size()));
    if (added) {
        m_scalars.push_back(Element{form, defined});
    }
    return at->second;
}

bool FormStore::mayBeUndefined(TermId term) {
    // A term may be undefined somewhere when a partial op stands in its cone. Explicit stack: cones are deep.
    static const std::vector<std::string> Total{"Add",
                                                "Sub",
                                                "Mul",
                                                "Neg",
                                                "Abs",
                                                "Relu",
                                                "Max",
                                                "Min",
                                                "Clip",
                                                "LeakyRelu",
                                                "PRelu",
                                                "Sigmoid",
                                                "HardSigmoid",
                                                "Tanh",
                                                "Erf",
                                                "Exp",
                                                "Floor",
                                                "Ceil",
                                                "Round",
                                                "Sign",
                                                "Cast",
                                                "Where",
                                                "Equal",
                                                "Less",
                                                "LessOrEqual",
                                                "Greater",
                                                "GreaterOrEqual",
                                                "And",
                                                "Or",
                                                "Xor",
                                                "Not",
                                                "MatMul",
                                                "Conv",
                                                "ReduceSum",
                                                "ReduceMean",
                                                "ReduceMax",
                                                "ReduceMin",
                                                "MaxPool",
                                                "AveragePool",
                                                "GlobalAveragePool",
                                                "GlobalMaxPool",
                                                "Gemm",
                                                "Gather",
                                                "Softmax",
                                                "LogSoftmax",
                                                "HardSwish",
                                                "Gelu",
                                                "QuickGelu",
                                                "Mean",
                                                "Length",
                                                "Sizes",
                                                "ArgMax",
                                                "ArgMin",
                                                "CumSum",
                                                "Einsum",
                                                "Softplus",
                                                "form",
                                                "RowsAt",
                                                "StoreRows",
                                                "StoreRowsAt",
                                                "StoreSlice"};
    if (m_mayBeUndefined.size() < m_terms.size()) {
        m_mayBeUndefined.resize(m_terms.size(), -1);
    }
    std::vector<TermId> stack{term};
    while (!stack.empty()) {
        const TermId top = stack.back();
        if (m_mayBeUndefined[top.index] >= 0) {
            stack.pop_back();
            continue;
        }
        bool ready = true;
        bool undefined = false;
        for (const TermId operand : m_terms.operands(top)) {
            if (m_mayBeUndefined[operand.index] < 0) {
                stack.push_back(operand);
                ready = false;
            } else {
                undefined = undefined || m_mayBeUndefined[operand.index] == 1;
            }
        }
        if (!ready) {
            continue;
        }
        stack.pop_back();
        if (m_terms.kind(top) == TermKind::Apply) {
            const Operator& op = m_terms.op(top);
            // Integer and bool results of total functions are values; an open function gives some value on every operand.
            undefined = undefined || (!op.open && std::find(Total.begin(), Total.end(), op.name) == Total.end());
        }
        m_mayBeUndefined[top.index] = undefined ? 1 : 0;
    }
    return m_mayBeUndefined[term.index] == 1;
}

// --- forms -------------------------------------------------------------------------------------------------------------------

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
    // Sums of bounded atoms: extrema have the bounds of their arguments, truths lie in [0, 1], exponentials above 0.
    if (depth > 12) {
        return std::nullopt;
    }
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
        } else if (!wantUpper && (atom.kind == AtomKind::Exp || atom.positive)) {
            bound = mpq_class(0);
        }
        if (!bound) {
            return std::nullopt;
        }
        sum += term.coefficient * *bound;
    }
    return sum;
}

bool FormStore::isNonNegative(FormId form) const {
    const std::optional<mpq_class> bound = lowerBound(form, false, 0);
    return (bound && *bound >= 0) || everyTermIsNonNegative(form);
}

bool FormStore::everyTermIsNonNegative(FormId form) const {
    for (const Term& term : m_forms[form.index]) {
        if (term.coefficient < 0) {
            return false;
        }
        for (const auto& [atom, exponent] : m_monomials[term.monomial.index]) {
            const Atom& data = m_atoms[atom.index];
            const bool even = isWhole(exponent) && mpz_even_p(exponent.get_num().get_mpz_t()) != 0;
            bool good = even || data.kind == AtomKind::Exp || isBoolean(atom) || data.positive;
            good = good || (data.kind == AtomKind::Power && (!isWhole(exponent) || isNonNegative(data.forms[0])));
            if (data.kind == AtomKind::Max) {
                good = good || std::any_of(data.forms.begin(), data.forms.end(), [this](FormId f) { return isNonNegative(f); });
            }
            if (!good) {
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
        const bool allPositive = std::all_of(factors.begin(), factors.end(), [this](const auto& f) {
            const Atom& data = m_atoms[f.first.index];
            return data.kind == AtomKind::Exp || data.positive;
        });
        if (allPositive) {
            for (const auto& [atom, e] : factors) {
                out = mulForms(out, atomForm(atom, e * exponent));
            }
            return out;
        }
    }
    require(exponent > 0 ? Condition::Kind::NonNegative : Condition::Kind::Positive, primitive);
    const AtomId atom = internAtom(Atom{.kind = AtomKind::Power, .forms = {primitive}, .positive = isPositive(primitive)});
    return mulForms(out, atomForm(atom, exponent));
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
    const FormId shared = internForm(common);
    mpz_class num;
    mpz_class den = 1;
    for (FormId& form : kept) {
        form = addForms(form, -1, shared);
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

// --- the algebra -------------------------------------------------------------------------------------------------------------

Scalar FormStore::number(const mpq_class& value) { return make(constantForm(value), m_noConditions); }

Scalar FormStore::integer(std::int64_t value, ElementType type) {
    mpz_class wide = static_cast<long>(value);
    mpz_class residue;
    mpz_mod(residue.get_mpz_t(), wide.get_mpz_t(), modulus(type).get_mpz_t());
    return make(constantForm(mpq_class(residue)), m_noConditions);
}

Scalar FormStore::read(TermId leaf, std::int64_t index) {
    Atom atom{.kind = AtomKind::Read, .leaf = leaf, .index = index, .result = m_terms.type(leaf).element};
    if (m_terms.kind(leaf) == TermKind::Apply && m_terms.op(leaf).name == "Length") {
        atom.positive = std::get<std::int64_t>(m_terms.op(leaf).attributes.at("positive")) != 0;
    }
    atom.positive = atom.positive || isPositiveTerm(leaf);
    const FormId form = atomForm(internAtom(atom));
    if (!mayBeUndefined(leaf)) {
        return make(form, m_noConditions);
    }
    return make(form, internConditions({Condition{Condition::Kind::Defined, {}, leaf, index, {}, {}}}));
}

bool FormStore::isPositiveTerm(TermId term) const {
    // Sums, means and maxima of positive elements, through movements: the normal form under them says so.
    for (int depth = 0; depth < 64; ++depth) {
        if (m_terms.kind(term) == TermKind::View) {
            term = m_terms.operands(term)[0];
            continue;
        }
        if (m_terms.kind(term) != TermKind::Apply) {
            return false;
        }
        const Operator& op = m_terms.op(term);
        if (op.name == "form") {
            // Its number means something only to the store that made it.
            return m_ownsFormTerms && isPositive(FormId(static_cast<std::uint32_t>(std::get<std::int64_t>(op.attributes.at("form")))));
        }
        const bool keeps = op.name == "ReduceMax" || op.name == "MaxPool" || op.name == "ReduceSum";
        if (!keeps || m_terms.operands(term).empty()) {
            return false;
        }
        const TermId operand = m_terms.operands(term)[0];
        if (op.name == "ReduceSum") {
            // An empty sum is 0: every reduced length must be at least 1.
            const auto at = op.attributes.find("axes");
            const auto* axes = at == op.attributes.end() ? nullptr : std::get_if<std::vector<std::int64_t>>(&at->second);
            if (axes == nullptr || !m_terms.hasShape(operand)) {
                return false;
            }
            for (const std::int64_t axis : *axes) {
                if (m_terms.shape(operand)[static_cast<std::size_t>(axis)].lowerBound().value_or(0) < 1) {
                    return false;
                }
            }
        }
        term = operand;
    }
    return false;
}

Scalar FormStore::requiring(Scalar a, TermId definedness) {
    return make(m_scalars[a].form, with(m_scalars[a].defined, Condition{Condition::Kind::Defined, {}, definedness, -1, {}, {}}));
}

Scalar FormStore::withoutConditions(Scalar a) { return make(m_scalars[a].form, m_noConditions); }

Scalar FormStore::withConditionsOf(Scalar value, Scalar conditions) {
    return make(m_scalars[value].form, both(m_scalars[value].defined, m_scalars[conditions].defined));
}

Scalar FormStore::add(Scalar a, Scalar b) {
    return make(addForms(m_scalars[a].form, 1, m_scalars[b].form), both(m_scalars[a].defined, m_scalars[b].defined));
}

Scalar FormStore::sub(Scalar a, Scalar b) {
    return make(addForms(m_scalars[a].form, -1, m_scalars[b].form), both(m_scalars[a].defined, m_scalars[b].defined));
}

Scalar FormStore::mul(Scalar a, Scalar b) {
    return make(mulForms(m_scalars[a].form, m_scalars[b].form), both(m_scalars[a].defined, m_scalars[b].defined));
}

Scalar FormStore::div(Scalar a, Scalar b) { return mul(a, power(b, -1)); }

Scalar FormStore::sum(std::span<const Scalar> terms) {
    // One merge of all terms: repeated addition would be quadratic.
    std::map<MonomialId, mpq_class> total;
    ConditionSetId defined = m_noConditions;
    std::vector<Condition> conditions;
    for (const Scalar scalar : terms) {
        for (const Term& term : m_forms[m_scalars[scalar].form.index]) {
            total[term.monomial] += term.coefficient;
        }
        const auto& own = m_conditionSets[m_scalars[scalar].defined.index];
        conditions.insert(conditions.end(), own.begin(), own.end());
    }
    Terms out;
    for (auto& [monomial, coefficient] : total) {
        if (coefficient != 0) {
            out.push_back(Term{monomial, std::move(coefficient)});
        }
    }
    defined = internConditions(std::move(conditions));
    return make(internForm(std::move(out)), defined);
}

Scalar FormStore::max(Scalar a, Scalar b) {
    return make(maxForms({m_scalars[a].form, m_scalars[b].form}), both(m_scalars[a].defined, m_scalars[b].defined));
}

Scalar FormStore::min(Scalar a, Scalar b) {
    const FormId form = maxForms({scaleForm(m_scalars[a].form, -1), scaleForm(m_scalars[b].form, -1)});
    return make(scaleForm(form, -1), both(m_scalars[a].defined, m_scalars[b].defined));
}

Scalar FormStore::exp(Scalar a) { return make(expForm(m_scalars[a].form), m_scalars[a].defined); }

Scalar FormStore::log(Scalar a) {
    const FormId form = m_scalars[a].form;
    ConditionSetId defined = m_scalars[a].defined;
    if (m_tooLarge) {
        return a;
    }
    if (const std::optional<mpq_class> value = constantValue(form); value && *value == 1) {
        return make(constantForm(0), defined);
    }
    // match: log(c * product of exponentials * rest)   result: exponents + log(c rest)
    const Terms terms = m_forms[form.index];
    FormId out = constantForm(0);
    FormId rest = form;
    std::map<AtomId, mpq_class> common;
    std::map<AtomId, std::size_t> seen;
    for (const Term& term : terms) {
        for (const auto& [atom, e] : m_monomials[term.monomial.index]) {
            const bool apart = terms.size() == 1 && (m_monomials[term.monomial.index].size() > 1 || term.coefficient != 1 || e != 1);
            const AtomKind kind = m_atoms[atom.index].kind;
            if (kind == AtomKind::Exp || (m_atoms[atom.index].positive && (kind == AtomKind::Power || kind == AtomKind::Read) && apart)) {
                ++seen[atom];
                const auto [at, added] = common.try_emplace(atom, e);
                if (!added && e < at->second) {
                    at->second = e;
                }
            }
        }
    }
    for (const auto& [atom, e] : common) {
        if (seen[atom] != terms.size() && e > 0) {
            continue;
        }
        const Atom data = m_atoms[atom.index];
        rest = timesAtom(rest, atom, -e);
        if (data.kind == AtomKind::Exp) {
            out = addForms(out, e, internForm({Term{data.exponent, 1}}));
        } else {
            const Scalar inner = log(make(data.kind == AtomKind::Power ? data.forms[0] : atomForm(atom), m_noConditions));
            out = addForms(out, e, m_scalars[inner].form);
        }
    }
    if (const std::optional<mpq_class> value = constantValue(rest); value && *value == 1) {
        return make(out, defined);
    }
    if (!isPositive(rest)) {
        defined = with(defined, Condition{Condition::Kind::Positive, scaleForm(rest, mpq_class(1) / content(rest)), {}, 0, {}, {}});
    }
    const AtomId atom = internAtom(Atom{.kind = AtomKind::Function, .name = "log", .forms = {rest}});
    return make(addForms(out, 1, atomForm(atom)), defined);
}

Scalar FormStore::power(Scalar a, const mpq_class& exponent) {
    ConditionSetId defined = m_scalars[a].defined;
    const FormId form = powerForm(m_scalars[a].form, exponent, defined);
    return make(form, defined);
}

Scalar FormStore::round(Rounding how, Scalar a) {
    const FormId form = m_scalars[a].form;
    if (const std::optional<mpq_class> value = constantValue(form)) {
        return make(constantForm(mpq_class(roundOf(how, *value))), m_scalars[a].defined);
    }
    // match: round(s + k max(a, b)), k > 0   result: max(round(s + k a), round(s + k b)): every rounding is monotone; k < 0: min
    const Terms shown = m_forms[form.index];
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const Factors factors = m_monomials[shown[i].monomial.index];
        if (factors.size() != 1 || factors[0].second != 1 || m_atoms[factors[0].first.index].kind != AtomKind::Max || m_tooLarge) {
            continue;
        }
        Terms others = shown;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        const FormId rest = internForm(others);
        const std::vector<FormId> inner = m_atoms[factors[0].first.index].forms;
        const bool up = shown[i].coefficient > 0;
        std::vector<FormId> pieces;
        for (const FormId one : inner) {
            const Scalar piece = round(how, make(addForms(rest, shown[i].coefficient, one), m_noConditions));
            pieces.push_back(up ? m_scalars[piece].form : scaleForm(m_scalars[piece].form, -1));
        }
        const FormId joined = maxForms(std::move(pieces));
        return make(up ? joined : scaleForm(joined, -1), m_scalars[a].defined);
    }
    // match: round of an integer combination of integer-valued atoms   result: itself
    const bool whole = std::all_of(m_forms[form.index].begin(), m_forms[form.index].end(), [this](const Term& term) {
        if (!isWhole(term.coefficient)) {
            return false;
        }
        const Factors& factors = m_monomials[term.monomial.index];
        return std::all_of(factors.begin(), factors.end(), [this](const auto& f) {
            const Atom& data = m_atoms[f.first.index];
            const bool integral =
                isBoolean(f.first) || (data.kind == AtomKind::Function && (data.name == "floor" || data.name == "ceil" || data.name == "trunc" ||
                                                                           data.name == "round" || data.name.starts_with("real_")));
            return integral && isWhole(f.second) && f.second > 0;
        });
    });
    if (whole) {
        return a;
    }
    return make(atomForm(internAtom(Atom{.kind = AtomKind::Function, .name = roundName(how), .forms = {form}})), m_scalars[a].defined);
}

Scalar FormStore::less(Scalar a, Scalar b) {
    const ConditionSetId defined = both(m_scalars[a].defined, m_scalars[b].defined);
    const FormId difference = addForms(m_scalars[a].form, -1, m_scalars[b].form);
    if (isNonNegative(difference)) {
        return make(constantForm(0), defined);
    }
    if (isPositive(scaleForm(difference, -1))) {
        return make(constantForm(1), defined);
    }
    return make(truth("<0", difference, true), defined);
}

Scalar FormStore::equal(Scalar a, Scalar b) {
    const ConditionSetId defined = both(m_scalars[a].defined, m_scalars[b].defined);
    const FormId difference = addForms(m_scalars[a].form, -1, m_scalars[b].form);
    if (const std::optional<mpq_class> value = constantValue(difference)) {
        return make(constantForm(*value == 0 ? 1 : 0), defined);
    }
    if (isPositive(difference) || isPositive(scaleForm(difference, -1))) {
        return make(constantForm(0), defined);
    }
    // match: c = 0, c boolean   result: not c
    const Terms& terms = m_forms[difference.index];
    if (terms.size() == 1 && m_monomials[terms[0].monomial.index].size() == 1 && isBoolean(m_monomials[terms[0].monomial.index][0].first)) {
        return make(addForms(constantForm(1), -1, atomForm(m_monomials[terms[0].monomial.index][0].first)), defined);
    }
    return make(truth("=0", difference, false), defined);
}

Scalar FormStore::negation(Scalar a) { return make(addForms(constantForm(1), -1, m_scalars[a].form), m_scalars[a].defined); }

Scalar FormStore::exclusive(Scalar a, Scalar b) {
    // a + b - 2 a b
    const FormId product = mulForms(m_scalars[a].form, m_scalars[b].form);
    return make(addForms(addForms(m_scalars[a].form, 1, m_scalars[b].form), -2, product), both(m_scalars[a].defined, m_scalars[b].defined));
}

Scalar FormStore::choose(Scalar c, Scalar a, Scalar b, ElementType type) {
    const FormId condition = m_scalars[c].form;
    if (const std::optional<mpq_class> value = constantValue(condition)) {
        const Scalar taken = *value != 0 ? a : b;
        return make(m_scalars[taken].form, both(m_scalars[taken].defined, m_scalars[c].defined));
    }
    // conditions common to both branches always count; the others only where their branch is taken
    std::vector<Condition> common;
    std::vector<Condition> onlyA;
    std::vector<Condition> onlyB;
    const std::vector<Condition> whenA = m_conditionSets[m_scalars[a].defined.index];
    const std::vector<Condition> whenB = m_conditionSets[m_scalars[b].defined.index];
    std::set_intersection(whenA.begin(), whenA.end(), whenB.begin(), whenB.end(), std::back_inserter(common));
    std::set_difference(whenA.begin(), whenA.end(), whenB.begin(), whenB.end(), std::back_inserter(onlyA));
    std::set_difference(whenB.begin(), whenB.end(), whenA.begin(), whenA.end(), std::back_inserter(onlyB));
    ConditionSetId defined = both(m_scalars[c].defined, internConditions(std::move(common)));
    if (!onlyA.empty() || !onlyB.empty()) {
        const FormId opposite = addForms(constantForm(1), -1, condition);
        ConditionSetId first = internConditions(std::move(onlyA));
        ConditionSetId second = internConditions(std::move(onlyB));
        FormId shown = condition;
        if (opposite < condition) {
            shown = opposite;
            std::swap(first, second);
        }
        defined = with(defined, Condition{Condition::Kind::Branch, shown, {}, 0, first, second});
    }
    // match: c ? a : b   result: b + c (a - b)
    const FormId difference = addForms(m_scalars[a].form, -1, m_scalars[b].form);
    FormId form = addForms(m_scalars[b].form, 1, mulForms(condition, difference));
    if (isInteger(type)) {
        form = modulo(form, type);
    }
    return make(form, defined);
}

Scalar FormStore::integerOp(IntegerOp op, std::span<const Scalar> operands, ElementType type) {
    ConditionSetId defined = m_scalars[operands[0]].defined;
    for (const Scalar operand : operands) {
        defined = both(defined, m_scalars[operand].defined);
    }
    const FormId a = m_scalars[operands[0]].form;
    const FormId b = operands.size() > 1 ? m_scalars[operands[1]].form : a;
    switch (op) {
    case IntegerOp::Add: return make(modulo(addForms(a, 1, b), type), defined);
    case IntegerOp::Sub: return make(modulo(addForms(a, -1, b), type), defined);
    case IntegerOp::Mul: return make(modulo(mulForms(a, b), type), defined);
    case IntegerOp::Neg: return make(modulo(scaleForm(a, -1), type), defined);
    default: break;
    }
    static constexpr const char* Names[] = {"add", "sub", "mul", "div", "neg", "min", "max",  "abs", "sign",
                                            "and", "or",  "xor", "not", "shl", "shr", "modf", "modt"};
    std::vector<FormId> forms{a};
    if (operands.size() > 1) {
        forms.push_back(b);
    }
    const bool commutes = op == IntegerOp::Min || op == IntegerOp::Max || op == IntegerOp::And || op == IntegerOp::Or || op == IntegerOp::Xor;
    if (commutes) {
        std::sort(forms.begin(), forms.end());
        if (forms[0] == forms[1] && op != IntegerOp::Xor) {
            return make(a, defined); // match: min(a, a)   result: a
        }
    }
    const std::optional<mpq_class> first = constantValue(forms[0]);
    const std::optional<mpq_class> second = forms.size() > 1 ? constantValue(forms[1]) : first;
    if (first && second && (op == IntegerOp::Min || op == IntegerOp::Max)) {
        const bool less = typedValue(first->get_num(), type) < typedValue(second->get_num(), type);
        return make(less == (op == IntegerOp::Min) ? forms[0] : forms[1], defined);
    }
    const std::string name = std::string("i") + Names[static_cast<std::size_t>(op)] + "_" + std::string(lemmascope::name(type));
    return make(atomForm(internAtom(Atom{.kind = AtomKind::Function, .name = name, .forms = forms, .result = type})), defined);
}

Scalar FormStore::integerLess(Scalar a, Scalar b, ElementType type) {
    const ConditionSetId defined = both(m_scalars[a].defined, m_scalars[b].defined);
    const FormId fa = m_scalars[a].form;
    const FormId fb = m_scalars[b].form;
    if (fa == fb) {
        return make(constantForm(0), defined);
    }
    const std::optional<mpq_class> ca = constantValue(fa);
    const std::optional<mpq_class> cb = constantValue(fb);
    if (ca && cb) {
        return make(constantForm(typedValue(ca->get_num(), type) < typedValue(cb->get_num(), type) ? 1 : 0), defined);
    }
    return make(atomForm(internAtom(
                    Atom{.kind = AtomKind::Function, .name = "ilt_" + std::string(name(type)), .forms = {fa, fb}, .result = ElementType::Bool})),
                defined);
}

Scalar FormStore::integerEqual(Scalar a, Scalar b, ElementType type) {
    const ConditionSetId defined = both(m_scalars[a].defined, m_scalars[b].defined);
    const FormId difference = modulo(addForms(m_scalars[a].form, -1, m_scalars[b].form), type);
    if (const std::optional<mpq_class> value = constantValue(difference)) {
        return make(constantForm(*value == 0 ? 1 : 0), defined);
    }
    // match: int(c) = 0   result: not c
    const Terms& terms = m_forms[difference.index];
    if (terms.size() == 1 && terms[0].coefficient == 1 && m_monomials[terms[0].monomial.index].size() == 1) {
        const Atom& data = m_atoms[m_monomials[terms[0].monomial.index][0].first.index];
        if (data.kind == AtomKind::Function && data.name.starts_with("ofbool_")) {
            return make(addForms(constantForm(1), -1, data.forms[0]), defined);
        }
    }
    FormId other = modulo(scaleForm(difference, -1), type);
    return make(atomForm(internAtom(Atom{.kind = AtomKind::Function,
                                         .name = "ieq0_" + std::string(name(type)),
                                         .forms = {std::min(difference, other)},
                                         .result = ElementType::Bool})),
                defined);
}

Scalar FormStore::realOfInteger(Scalar a, ElementType from) {
    const FormId form = m_scalars[a].form;
    if (const std::optional<mpq_class> value = constantValue(form)) {
        return make(constantForm(mpq_class(typedValue(value->get_num(), from))), m_scalars[a].defined);
    }
    const Terms& terms = m_forms[form.index];
    if (terms.size() == 1 && terms[0].coefficient == 1 && m_monomials[terms[0].monomial.index].size() == 1 &&
        m_monomials[terms[0].monomial.index][0].second == 1) {
        const Atom& data = m_atoms[m_monomials[terms[0].monomial.index][0].first.index];
        if (data.kind == AtomKind::Function &&
            (data.name == "whole_" + std::string(name(from)) || data.name == "ofbool_" + std::string(name(from)))) {
            return make(data.forms[0], m_scalars[a].defined); // match: real(int(v)), v whole and in range   result: v
        }
    }
    return make(atomForm(internAtom(Atom{.kind = AtomKind::Function, .name = "real_" + std::string(name(from)), .forms = {form}})),
                m_scalars[a].defined);
}

Scalar FormStore::integerOfWholeReal(Scalar a, ElementType to) {
    const FormId form = m_scalars[a].form;
    if (const std::optional<mpq_class> value = constantValue(form); value && isWhole(*value)) {
        return make(modulo(form, to), m_scalars[a].defined);
    }
    const Terms& terms = m_forms[form.index];
    if (terms.size() == 1 && terms[0].coefficient == 1 && m_monomials[terms[0].monomial.index].size() == 1 &&
        m_monomials[terms[0].monomial.index][0].second == 1) {
        const Atom& data = m_atoms[m_monomials[terms[0].monomial.index][0].first.index];
        if (data.kind == AtomKind::Function && data.name == "real_" + std::string(name(to))) {
            return make(data.forms[0], m_scalars[a].defined);
        }
    }
    return make(atomForm(internAtom(Atom{.kind = AtomKind::Function, .name = "whole_" + std::string(name(to)), .forms = {form}, .result = to})),
                m_scalars[a].defined);
}

Scalar FormStore::integerOfReal(Scalar a, ElementType to) {
    const FormId form = m_scalars[a].form;
    if (const std::optional<mpq_class> value = constantValue(form)) {
        const mpz_class truncated = roundOf(Rounding::ToZero, *value);
        const mpz_class whole = modulus(to);
        const mpz_class low = isSignedInteger(to) ? mpz_class(-whole / 2) : mpz_class(0);
        if (truncated >= low && truncated < low + whole) {
            return make(modulo(constantForm(mpq_class(truncated)), to), m_scalars[a].defined);
        }
    }
    const Terms& terms = m_forms[form.index];
    if (terms.size() == 1 && terms[0].coefficient == 1 && m_monomials[terms[0].monomial.index].size() == 1 &&
        m_monomials[terms[0].monomial.index][0].second == 1) {
        const Atom& data = m_atoms[m_monomials[terms[0].monomial.index][0].first.index];
        if (data.kind == AtomKind::Function && data.name == "real_" + std::string(name(to))) {
            return make(data.forms[0], m_scalars[a].defined);
        }
    }
    return make(atomForm(internAtom(Atom{.kind = AtomKind::Function, .name = "trunc_" + std::string(name(to)), .forms = {form}, .result = to})),
                m_scalars[a].defined);
}

Scalar FormStore::integerOfInteger(Scalar a, ElementType from, ElementType to) {
    if (from == to) {
        return a;
    }
    const FormId form = m_scalars[a].form;
    if (const std::optional<mpq_class> value = constantValue(form)) {
        return make(modulo(constantForm(mpq_class(typedValue(value->get_num(), from))), to), m_scalars[a].defined);
    }
    if (bitWidth(from) == bitWidth(to)) {
        return a; // the same residue, read with another sign
    }
    const std::string call = "convert_" + std::string(name(from)) + "_" + std::string(name(to));
    return make(atomForm(internAtom(Atom{.kind = AtomKind::Function, .name = call, .forms = {form}, .result = to})), m_scalars[a].defined);
}

Scalar FormStore::integerOfBoolean(Scalar a, ElementType to) {
    const FormId form = m_scalars[a].form;
    if (constantValue(form)) {
        return make(form, m_scalars[a].defined);
    }
    return make(atomForm(internAtom(Atom{.kind = AtomKind::Function, .name = "ofbool_" + std::string(name(to)), .forms = {form}, .result = to})),
                m_scalars[a].defined);
}

Scalar FormStore::function(const std::string& name, std::span<const Scalar> arguments, ElementType result) {
    ConditionSetId defined = m_noConditions;
    std::vector<FormId> forms;
    for (const Scalar argument : arguments) {
        forms.push_back(m_scalars[argument].form);
        defined = both(defined, m_scalars[argument].defined);
    }
    if (name.starts_with("argmax")) {
        forms = ordered(std::move(forms));
    }
    if (name == "erf" || name == "tanh" || name == "sin" || name == "atan" || name == "asinh" || name == "sinh" || name == "asin" || name == "tan" ||
        name == "sign") {
        // match: f(-x), f odd   result: -f(x)
        if (m_forms[forms[0].index].empty()) {
            return make(forms[0], defined);
        }
        if (m_forms[forms[0].index].front().coefficient < 0) {
            const FormId mirrored = scaleForm(forms[0], -1);
            return make(atomForm(internAtom(Atom{.kind = AtomKind::Function, .name = name, .forms = {mirrored}, .result = result}), 1, -1), defined);
        }
    }
    return make(atomForm(internAtom(Atom{.kind = AtomKind::Function, .name = name, .forms = forms, .result = result})), defined);
}

std::vector<FormId> FormStore::ordered(std::vector<FormId> forms) {
    // match: argmax of u * f_i, u > 0; of exp(f_i); of f_i + s   result: argmax of f_i (all strictly increasing)
    if (forms.empty() || m_tooLarge) {
        return forms;
    }
    Factors common;
    bool first = true;
    for (const FormId form : forms) {
        for (const Term& term : m_forms[form.index]) {
            const Factors& factors = m_monomials[term.monomial.index];
            if (first) {
                common = factors;
                first = false;
                continue;
            }
            std::erase_if(common, [&](const auto& factor) { return std::find(factors.begin(), factors.end(), factor) == factors.end(); });
        }
    }
    std::erase_if(common,
                  [this](const auto& factor) { return m_atoms[factor.first.index].kind != AtomKind::Exp && !m_atoms[factor.first.index].positive; });
    for (FormId& form : forms) {
        for (const auto& [atom, exponent] : common) {
            form = timesAtom(form, atom, -exponent);
        }
    }
    const bool exponentials = std::all_of(forms.begin(), forms.end(), [this](FormId form) {
        const Terms& terms = m_forms[form.index];
        if (terms.size() != 1 || terms[0].coefficient != 1) {
            return false;
        }
        const Factors& factors = m_monomials[terms[0].monomial.index];
        return std::all_of(factors.begin(), factors.end(), [this](const auto& f) { return m_atoms[f.first.index].kind == AtomKind::Exp; });
    });
    if (exponentials) {
        for (FormId& form : forms) {
            FormId exponent = constantForm(0);
            const Factors factors = m_monomials[m_forms[form.index][0].monomial.index];
            for (const auto& [atom, e] : factors) {
                exponent = addForms(exponent, e, internForm({Term{m_atoms[atom.index].exponent, 1}}));
            }
            form = exponent;
        }
    }
    mpz_class num;
    mpz_class den = 1;
    for (const FormId form : forms) {
        for (const Term& term : m_forms[form.index]) {
            mpz_gcd(num.get_mpz_t(), num.get_mpz_t(), term.coefficient.get_num().get_mpz_t());
            mpz_lcm(den.get_mpz_t(), den.get_mpz_t(), term.coefficient.get_den().get_mpz_t());
        }
    }
    if (num != 0) {
        mpq_class scale(den, num);
        scale.canonicalize();
        for (FormId& form : forms) {
            form = scaleForm(form, scale);
        }
    }
    return forms;
}

Scalar FormStore::rounded(Scalar a, ElementType type) {
    const FormId form = m_scalars[a].form;
    if (const std::optional<mpq_class> value = constantValue(form); value && representable(*value, type)) {
        return a;
    }
    const Terms& terms = m_forms[form.index];
    if (terms.size() == 1 && terms[0].coefficient == 1 && m_monomials[terms[0].monomial.index].size() == 1 &&
        m_monomials[terms[0].monomial.index][0].second == 1) {
        const Atom& data = m_atoms[m_monomials[terms[0].monomial.index][0].first.index];
        if (data.kind == AtomKind::Function && data.name.starts_with("rnd_")) {
            const std::optional<ElementType> inner = elementTypeByName(data.name.substr(4));
            const bool narrower =
                inner &&
                (*inner == type || (significandBits(*inner) <= significandBits(type) && !(*inner == ElementType::BF16 && type == ElementType::F16)));
            if (narrower) {
                return a;
            }
        }
        if (data.kind == AtomKind::Function && data.name.starts_with("real_")) {
            const std::optional<ElementType> inner = elementTypeByName(data.name.substr(5));
            const unsigned digits = inner ? bitWidth(*inner) - (isSignedInteger(*inner) ? 1U : 0U) : 64U;
            if (digits <= significandBits(type) && type != ElementType::F16) {
                return a;
            }
        }
        if (data.kind == AtomKind::Read && isFloat(data.result) && significandBits(data.result) <= significandBits(type) &&
            !(data.result == ElementType::BF16 && type == ElementType::F16)) {
            // A value of its type already, unless it is a Cast, whose value over the reals is its operand's.
            std::vector<TermId> stack{data.leaf};
            bool plain = true;
            while (!stack.empty() && plain) {
                const TermId top = stack.back();
                stack.pop_back();
                const TermKind kind = m_terms.kind(top);
                static const std::vector<std::string> Moves{"Gather", "GatherElements", "GatherND",    "ScatterElements", "ScatterND",
                                                            "RowsAt", "StoreRows",      "StoreRowsAt", "StoreSlice",      "If",
                                                            "Where",  "Trilu"};
                const bool moves = kind == TermKind::Apply && std::find(Moves.begin(), Moves.end(), m_terms.op(top).name) != Moves.end();
                if (kind == TermKind::View || kind == TermKind::Concat || moves) {
                    const auto operands = m_terms.operands(top);
                    stack.insert(stack.end(), operands.begin(), operands.end());
                } else if (kind == TermKind::Apply) {
                    const std::string& op = m_terms.op(top).name;
                    plain = op != "Cast" && !op.starts_with("form");
                }
            }
            if (plain) {
                return a;
            }
        }
    }
    return make(atomForm(internAtom(Atom{.kind = AtomKind::Function, .name = "rnd_" + std::string(name(type)), .forms = {form}})),
                m_scalars[a].defined);
}

// --- comparing and looking ---------------------------------------------------------------------------------------------------

bool FormStore::sameValue(Scalar a, Scalar b) {
    if (m_tooLarge) {
        return false;
    }
    FormId difference = addForms(m_scalars[a].form, -1, m_scalars[b].form);
    for (int round = 0; round < 6; ++round) {
        if (m_forms[difference.index].empty()) {
            return !m_tooLarge;
        }
        // multiply by the power of some base that stands in a denominator, then expand
        AtomId worst;
        mpq_class least = 0;
        for (const Term& term : m_forms[difference.index]) {
            for (const auto& [atom, exponent] : m_monomials[term.monomial.index]) {
                if (m_atoms[atom.index].kind == AtomKind::Power && exponent < 0 &&
                    (!worst.isValid() || atom < worst || (atom == worst && exponent < least))) {
                    worst = atom;
                    least = exponent;
                }
            }
        }
        if (!worst.isValid()) {
            return false;
        }
        // A factor that may be 0 where both are defined (only some branch divides by it) would hide a difference there.
        if (!neverZero(worst, m_scalars[a].defined)) {
            return false;
        }
        difference = timesAtom(difference, worst, -least);
        if (m_tooLarge) {
            return false;
        }
    }
    return m_forms[difference.index].empty() && !m_tooLarge;
}

bool FormStore::equalScalars(Scalar a, Scalar b) { return a == b ? !m_tooLarge : sameDomain(a, b) && sameValue(a, b); }

std::optional<TermId> FormStore::asRead(Scalar a) const {
    const Terms& terms = m_forms[m_scalars[a].form.index];
    if (terms.size() != 1 || terms[0].coefficient != 1) {
        return std::nullopt;
    }
    const Factors& factors = m_monomials[terms[0].monomial.index];
    if (factors.size() != 1 || factors[0].second != 1 || m_atoms[factors[0].first.index].kind != AtomKind::Read) {
        return std::nullopt;
    }
    const Atom& atom = m_atoms[factors[0].first.index];
    for (const Condition& condition : m_conditionSets[m_scalars[a].defined.index]) {
        if (condition.kind != Condition::Kind::Defined || condition.leaf != atom.leaf) {
            return std::nullopt;
        }
    }
    return atom.leaf;
}

std::vector<TermId> FormStore::leaves(Scalar a) const {
    std::vector<TermId> out;
    std::vector<FormId> forms{m_scalars[a].form};
    std::vector<ConditionSetId> sets{m_scalars[a].defined};
    std::vector<bool> seen(m_forms.size(), false);
    std::vector<bool> seenSets(m_conditionSets.size(), false);
    while (!forms.empty() || !sets.empty()) {
        if (!sets.empty()) {
            const ConditionSetId set = sets.back();
            sets.pop_back();
            if (seenSets[set.index]) {
                continue;
            }
            seenSets[set.index] = true;
            for (const Condition& condition : m_conditionSets[set.index]) {
                if (condition.form.isValid()) {
                    forms.push_back(condition.form);
                }
                if (condition.leaf.isValid()) {
                    out.push_back(condition.leaf);
                }
                if (condition.whenTrue.isValid()) {
                    sets.push_back(condition.whenTrue);
                    sets.push_back(condition.whenFalse);
                }
            }
            continue;
        }
        const FormId form = forms.back();
        forms.pop_back();
        if (seen[form.index]) {
            continue;
        }
        seen[form.index] = true;
        for (const Term& term : m_forms[form.index]) {
            std::vector<MonomialId> monomials{term.monomial};
            while (!monomials.empty()) {
                const MonomialId monomial = monomials.back();
                monomials.pop_back();
                for (const auto& [atomId, exponent] : m_monomials[monomial.index]) {
                    const Atom& atom = m_atoms[atomId.index];
                    if (atom.kind == AtomKind::Read) {
                        out.push_back(atom.leaf);
                    } else if (atom.kind == AtomKind::Exp) {
                        monomials.push_back(atom.exponent);
                    }
                    forms.insert(forms.end(), atom.forms.begin(), atom.forms.end());
                }
            }
        }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::vector<FormStore::Part> FormStore::parts(Scalar a) {
    std::vector<Part> out;
    const Terms terms = m_forms[m_scalars[a].form.index];
    for (const Term& term : terms) {
        Part part{term.coefficient, {}, 0};
        FormId rest = constantForm(1);
        const Factors factors = m_monomials[term.monomial.index];
        for (const auto& [atom, exponent] : factors) {
            if (m_atoms[atom.index].kind == AtomKind::Read && m_atoms[atom.index].index == -1) {
                part.reads.emplace_back(m_atoms[atom.index].leaf, exponent);
            } else {
                rest = mulForms(rest, atomForm(atom, exponent));
            }
        }
        part.rest = make(rest, m_noConditions);
        out.push_back(std::move(part));
    }
    return out;
}

std::string FormStore::text(AtomId id, int depth) const {
    const Atom& atom = m_atoms[id.index];
    std::string out;
    switch (atom.kind) {
    case AtomKind::Read: return m_terms.text(atom.leaf, 1) + (atom.index < 0 ? "" : "[" + std::to_string(atom.index) + "]");
    case AtomKind::Exp: out = "exp"; break;
    case AtomKind::Power: out = "power"; break;
    case AtomKind::Max: out = "max"; break;
    default: out = atom.name; break;
    }
    if (depth == 0) {
        return out + "(...)";
    }
    out += "(";
    if (atom.kind == AtomKind::Exp) {
        bool first = true;
        for (const auto& [inner, exponent] : m_monomials[atom.exponent.index]) {
            out += (first ? "" : "*") + text(inner, depth - 1) + (exponent == 1 ? "" : "^" + exponent.get_str());
            first = false;
        }
    }
    for (std::size_t k = 0; k < atom.forms.size(); ++k) {
        out += (k == 0 ? "" : ", ") + text(atom.forms[k], depth - 1);
    }
    return out + ")";
}

std::string FormStore::text(FormId form, int depth) const {
    std::string out;
    for (const Term& term : m_forms[form.index]) {
        out += out.empty() ? "" : " + ";
        out += term.coefficient.get_str();
        for (const auto& [atom, exponent] : m_monomials[term.monomial.index]) {
            out += "*" + text(atom, depth) + (exponent == 1 ? "" : "^" + exponent.get_str());
        }
    }
    return out.empty() ? "0" : out;
}

std::string FormStore::text(Scalar a) const { return text(m_scalars[a].form, 3); }

} // namespace lemmascope
