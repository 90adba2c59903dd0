// The operations of the algebra on real and boolean scalars, with the conditions under which they are defined.

#include "core/term/form_store.h"

#include "core/term/form_numbers.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace lemmascope {

using namespace formnumbers;

Scalar FormStore::number(const mpq_class& value) { return make(constantForm(value), m_noConditions); }

Scalar FormStore::integer(std::int64_t value, ElementType type) {
    mpz_class wide = static_cast<long>(value);
    mpz_class residue;
    mpz_mod(residue.get_mpz_t(), wide.get_mpz_t(), modulus(type).get_mpz_t());
    return make(constantForm(mpq_class(residue)), m_noConditions);
}

Scalar FormStore::read(TermId leaf, std::int64_t index) {
    Atom atom{.kind = AtomKind::Read, .leaf = leaf, .index = index, .result = m_terms.type(leaf).element};
    if (isFloat(atom.result)) {
        const Sign sign = signOf(leaf);
        atom.positive = atom.positive || sign == Sign::Positive;
        atom.nonNegative = atom.positive || sign == Sign::NonNegative;
    }
    const FormId form = atomForm(internAtom(atom));
    if (!mayBeUndefined(leaf)) {
        return make(form, m_noConditions);
    }
    return make(form, internConditions({Condition{Condition::Kind::Defined, {}, leaf, index, {}, {}}}));
}

bool FormStore::mayReduceNothing(TermId term) const {
    const Operator& op = m_terms.op(term);
    const auto at = op.attributes.find("axes");
    const auto* axes = at == op.attributes.end() ? nullptr : std::get_if<std::vector<std::int64_t>>(&at->second);
    const TermId operand = m_terms.operands(term).empty() ? TermId() : m_terms.operands(term)[0];
    if (axes == nullptr || !operand.isValid() || !m_terms.hasShape(operand)) {
        return true;
    }
    const Shape& shape = m_terms.shape(operand);
    return std::any_of(axes->begin(), axes->end(), [&](std::int64_t axis) {
        return axis < 0 || static_cast<std::size_t>(axis) >= shape.size() || shape[static_cast<std::size_t>(axis)].lowerBound().value_or(0) < 1;
    });
}

FormStore::Sign FormStore::signOf(TermId term) const {
    // Sums, means and maxima of elements keep their sign, through movements: the normal form under them says which.
    for (int depth = 0; depth < 64; ++depth) {
        if (m_terms.kind(term) == TermKind::View) {
            term = m_terms.operands(term)[0];
            continue;
        }
        if (m_signs) {
            if (const Sign known = m_signs(term); known != Sign::Unknown) {
                return known;
            }
        }
        if (m_terms.kind(term) == TermKind::Constant) {
            const auto [at, added] = m_constantSigns.try_emplace(term.index, Sign::Unknown);
            if (added) {
                const Tensor& data = m_terms.constantTensor(term);
                double least = data.count() > 0 && isComputable(data.element()) ? data.toDouble(0) : -1.0;
                for (std::int64_t i = 1; i < data.count() && least >= 0.0; ++i) {
                    const double value = data.toDouble(i);
                    least = value >= least ? least : value; // NaN is no sign either
                }
                at->second = least > 0.0 ? Sign::Positive : least == 0.0 ? Sign::NonNegative : Sign::Unknown;
            }
            return at->second;
        }
        if (m_terms.kind(term) != TermKind::Apply) {
            return Sign::Unknown;
        }
        const Operator& op = m_terms.op(term);
        if (op.name == "Length") {
            return op.attribute<std::int64_t>("positive") != 0 ? Sign::Positive : Sign::NonNegative;
        }
        if (op.name == "form" || op.name == "Sum" || op.name == "Largest") {
            // Its number means something only to the store that made it.
            if (!m_ownsFormTerms || op.attribute<std::int64_t>("store") != static_cast<std::int64_t>(m_number)) {
                return Sign::Unknown;
            }
            const FormId form(static_cast<std::uint32_t>(op.attribute<std::int64_t>("form")));
            // An empty sum is 0.
            const bool some = op.name != "Sum" || op.attribute<std::int64_t>("some") != 0;
            return some && isPositive(form) ? Sign::Positive : isNonNegative(form) ? Sign::NonNegative : Sign::Unknown;
        }
        const bool keeps = op.name == "ReduceMax" || op.name == "MaxPool" || op.name == "ReduceSum";
        if (!keeps || m_terms.operands(term).empty()) {
            return Sign::Unknown;
        }
        const TermId operand = m_terms.operands(term)[0];
        if (op.name != "MaxPool" && mayReduceNothing(term)) {
            return Sign::Unknown; // an empty sum is 0, an empty maximum the least value of the type
        }
        term = operand;
    }
    return Sign::Unknown;
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
    if (isWholeForm(form, 0)) {
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

} // namespace lemmascope
