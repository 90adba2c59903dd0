// Integers modulo 2^width, conversions between kinds of numbers, and functions of which nothing more is assumed.

#include "core/term/form_store.h"

#include "core/term/form_numbers.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace lemmascope {

using namespace formnumbers;

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
    case IntegerOp::Max:
    case IntegerOp::Min: {
        // match: max(i, j) of integers   result: int(max(real(i), real(j))): order is that of the numbers they stand for
        const Scalar x = realOfInteger(operands[0], type);
        const Scalar y = realOfInteger(operands[1], type);
        return integerOfWholeReal(op == IntegerOp::Max ? max(x, y) : min(x, y), type);
    }
    default: break;
    }
    static constexpr const char* Names[] = {"add", "sub", "mul", "div", "neg", "min", "max",  "abs", "sign",
                                            "and", "or",  "xor", "not", "shl", "shr", "modf", "modt"};
    std::vector<FormId> forms{a};
    if (operands.size() > 1) {
        forms.push_back(b);
    }
    const bool commutes = op == IntegerOp::And || op == IntegerOp::Or || op == IntegerOp::Xor;
    if (commutes) {
        std::sort(forms.begin(), forms.end());
        if (forms[0] == forms[1] && op != IntegerOp::Xor) {
            return make(a, defined); // match: and(a, a)   result: a
        }
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

} // namespace lemmascope
