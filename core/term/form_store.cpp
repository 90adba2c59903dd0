// The exact normal form. Soundness rests on two promises kept by every rule: the value is the same real function wherever the
// conditions hold, and the conditions hold at exactly the points where the original expression is defined. Cancelling x * 1/x
// keeps the condition x != 0. Tests: tests/core/term/tst_form_store.cpp.

#include "core/term/form_store.h"

#include "core/term/form_numbers.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace lemmascope {

using namespace formnumbers;

FormStore::FormStore(TermStore& terms, Limits limits) : m_terms(terms), m_limits(limits), m_number(terms.formStores++) {
    m_unit = internMonomial({});
    m_noConditions = internConditions({});
}

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
    static const std::vector<std::string> Total{"Add",           "Sub",
                                                "Mul",           "Neg",
                                                "Abs",           "Padded",
                                                "Relu",          "Max",
                                                "Min",           "Clip",
                                                "LeakyRelu",     "PRelu",
                                                "Sigmoid",       "HardSigmoid",
                                                "Tanh",          "Erf",
                                                "Exp",           "Floor",
                                                "Ceil",          "Round",
                                                "Sign",          "Cast",
                                                "Where",         "Equal",
                                                "Less",          "LessOrEqual",
                                                "Greater",       "GreaterOrEqual",
                                                "And",           "Or",
                                                "Xor",           "Not",
                                                "MatMul",        "Conv",
                                                "ConvTranspose", "ReduceSum",
                                                "ReduceMean",    "ReduceMax",
                                                "ReduceMin",     "MaxPool",
                                                "AveragePool",   "GlobalAveragePool",
                                                "GlobalMaxPool", "Gemm",
                                                "Gather",        "Softmax",
                                                "LogSoftmax",    "HardSwish",
                                                "Gelu",          "QuickGelu",
                                                "Mean",          "Length",
                                                "Sizes",         "ArgMax",
                                                "ArgMin",        "CumSum",
                                                "Einsum",        "Softplus",
                                                "form",          "RowsAt",
                                                "StoreRows",     "StoreRowsAt",
                                                "StoreSlice",    "Sum",
                                                "Largest",       "GatherElements",
                                                "GatherND",      "ScatterElements",
                                                "ScatterND"};
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
            // Of no floats the maximum is infinite and the mean is no number.
            const bool partial = op.name == "ReduceMax" || op.name == "ReduceMin" || op.name == "ReduceMean" || op.name == "Mean";
            undefined = undefined || (partial && isFloat(op.element) && op.attributes.contains("axes") && mayReduceNothing(top));
        }
        m_mayBeUndefined[top.index] = undefined ? 1 : 0;
    }
    return m_mayBeUndefined[term.index] == 1;
}

void FormStore::markDefined(TermId term) {
    if (m_mayBeUndefined.size() < m_terms.size()) {
        m_mayBeUndefined.resize(m_terms.size(), -1);
    }
    m_mayBeUndefined[term.index] = 0;
}

void FormStore::markPartial(TermId term) {
    if (m_mayBeUndefined.size() < m_terms.size()) {
        m_mayBeUndefined.resize(m_terms.size(), -1);
    }
    m_mayBeUndefined[term.index] = 1;
}

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
