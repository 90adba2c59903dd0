// Substitution in forms, and forms taken apart.

#include "core/term/form_store.h"

#include "core/term/form_numbers.h"

#include <algorithm>

namespace lemmascope {

using namespace formnumbers;

std::vector<FormStore::Monomial> FormStore::monomials(FormId form) const {
    std::vector<Monomial> out;
    for (const Term& term : m_forms[form.index]) {
        Monomial monomial{term.coefficient, {}};
        for (const auto& [atom, exponent] : m_monomials[term.monomial.index]) {
            Factor factor{atom, exponent, std::nullopt};
            const Atom& data = m_atoms[atom.index];
            if (data.kind == AtomKind::Read && data.index == -1) {
                factor.read = data.leaf;
            }
            monomial.factors.push_back(std::move(factor));
        }
        out.push_back(std::move(monomial));
    }
    return out;
}

Scalar FormStore::product(const mpq_class& coefficient, std::span<const Factor> factors) {
    FormId out = constantForm(coefficient);
    for (const Factor& factor : factors) {
        out = mulForms(out, atomForm(factor.atom, factor.exponent));
    }
    return make(out, m_noConditions);
}

const std::vector<TermId>& FormStore::leavesOf(AtomId atom) {
    const auto [at, added] = m_atomLeaves.try_emplace(atom.index);
    if (added) {
        std::vector<TermId> found = leaves(make(internForm({Term{internMonomial({{atom, 1}}), 1}}), m_noConditions));
        // the map may have moved meanwhile
        return m_atomLeaves[atom.index] = std::move(found);
    }
    return at->second;
}

mpq_class FormStore::contentOf(Scalar a) const {
    const mpq_class value = content(m_scalars[a].form);
    constexpr std::size_t MaxBits = 64; // factors drawn out of layer after layer would square their length at every product
    const std::size_t bits = mpz_sizeinbase(value.get_num_mpz_t(), 2) + mpz_sizeinbase(value.get_den_mpz_t(), 2);
    return bits > MaxBits ? mpq_class(1) : value;
}

Scalar FormStore::conditionsWhere(Scalar a, const std::function<bool(const std::vector<TermId>&)>& keep) {
    const FormId zero = constantForm(0);
    std::vector<Condition> kept;
    const std::vector<Condition> all = m_conditionSets[m_scalars[a].defined.index];
    for (const Condition& condition : all) {
        if (keep(leaves(make(zero, internConditions({condition}))))) {
            kept.push_back(condition);
        }
    }
    return make(zero, internConditions(std::move(kept)));
}

std::vector<FormStore::ConditionView> FormStore::conditionsIn(Scalar a) const {
    std::vector<ConditionView> out;
    for (const Condition& condition : m_conditionSets[m_scalars[a].defined.index]) {
        out.push_back(ConditionView{static_cast<int>(condition.kind), condition.form, condition.leaf});
    }
    return out;
}

/// One substitution: each atom and form is put through the rules once.
class FormStore::Mapping {
  public:
    Mapping(FormStore& store, const LeafMap& leaf) : m(store), m_leaf(leaf) {}

    FormId form(FormId id) {
        if (const auto at = m_forms.find(id.index); at != m_forms.end()) {
            return at->second;
        }
        if (++m_depth > MaxDepth || m.m_tooLarge) {
            m.m_tooLarge = true;
            --m_depth;
            return id;
        }
        const Terms terms = m.m_forms[id.index];
        FormId out = m.constantForm(0);
        for (const Term& term : terms) {
            out = m.addForms(out, term.coefficient, monomial(term.monomial));
        }
        --m_depth;
        m_forms.emplace(id.index, out);
        return out;
    }

    ConditionSetId conditions(ConditionSetId set) {
        ConditionSetId out = m.m_noConditions;
        if (set == m.m_noConditions) {
            return out;
        }
        if (++m_depth > MaxDepth) {
            m.m_tooLarge = true;
            --m_depth;
            return set;
        }
        const std::vector<Condition> list = m.m_conditionSets[set.index];
        for (const Condition& condition : list) {
            switch (condition.kind) {
            case Condition::Kind::Defined: {
                const Scalar read = m_leaf(condition.leaf, condition.index);
                const ConditionSetId own = m.m_scalars[read].defined;
                out = m.both(out, own);
                if (const std::optional<TermId> leaf = m.asRead(read); leaf && own == m.m_noConditions) {
                    out = m.with(out, Condition{Condition::Kind::Defined, {}, *leaf, condition.index, {}, {}});
                }
                break;
            }
            case Condition::Kind::Branch: {
                FormId shown = form(condition.form);
                ConditionSetId first = conditions(condition.whenTrue);
                ConditionSetId second = conditions(condition.whenFalse);
                if (const std::optional<mpq_class> value = m.constantValue(shown)) {
                    out = m.both(out, *value != 0 ? first : second);
                    break;
                }
                const FormId opposite = m.addForms(m.constantForm(1), -1, shown);
                if (opposite < shown) {
                    shown = opposite;
                    std::swap(first, second);
                }
                out = m.with(out, Condition{Condition::Kind::Branch, shown, {}, 0, first, second});
                break;
            }
            default: {
                FormId mappedForm = form(condition.form);
                const std::optional<mpq_class> value = m.constantValue(mappedForm);
                const bool holds = condition.kind == Condition::Kind::NonNegative ? m.isNonNegative(mappedForm) : m.isPositive(mappedForm);
                if (holds || (condition.kind == Condition::Kind::NonZero && value && *value != 0)) {
                    break;
                }
                if (!value) {
                    mappedForm = m.scaleForm(mappedForm, mpq_class(1) / m.content(mappedForm));
                    if (condition.kind == Condition::Kind::NonZero && m.m_forms[mappedForm.index].front().coefficient < 0) {
                        mappedForm = m.scaleForm(mappedForm, -1);
                    }
                }
                out = m.with(out, Condition{condition.kind, mappedForm, {}, 0, {}, {}});
                break;
            }
            }
        }
        --m_depth;
        return out;
    }

  private:
    static constexpr int MaxDepth = 200;
    FormStore& m;
    const LeafMap& m_leaf;
    int m_depth = 0;
    std::unordered_map<std::uint32_t, FormId> m_forms;

    FormId monomial(MonomialId id) {
        const Factors factors = m.m_monomials[id.index];
        FormId out = m.constantForm(1);
        for (const auto& [atomId, exponent] : factors) {
            out = m.mulForms(out, power(atomId, exponent));
            if (m.m_tooLarge) {
                return out;
            }
        }
        return out;
    }

    /// A value where it is defined: its conditions are those of the scalar mapped, not of this step.
    FormId raised(FormId base, const mpq_class& exponent) {
        if (exponent == 1) {
            return base;
        }
        ConditionSetId none = m.m_noConditions;
        return m.powerForm(base, exponent, none);
    }

    FormId power(AtomId id, const mpq_class& exponent) {
        const Atom atom = m.m_atoms[id.index];
        switch (atom.kind) {
        case AtomKind::Read: {
            const Scalar read = m_leaf(atom.leaf, atom.index);
            if (const std::optional<TermId> leaf = m.asRead(read)) {
                return m.atomForm(m.m_monomials[m.m_forms[m.formOf(read).index].front().monomial.index].front().first, exponent);
            }
            return raised(m.formOf(read), exponent);
        }
        case AtomKind::Exp: return m.expForm(m.scaleForm(monomialForm(atom.exponent), exponent));
        case AtomKind::Power: return raised(form(atom.forms[0]), exponent);
        case AtomKind::Max: {
            std::vector<FormId> forms;
            for (const FormId one : atom.forms) {
                forms.push_back(form(one));
            }
            return raised(m.maxForms(std::move(forms)), exponent);
        }
        case AtomKind::Truth: {
            const Scalar inner = m.make(form(atom.forms[0]), m.m_noConditions);
            const Scalar zero = m.number(0);
            return m.formOf(atom.name == "<0" ? m.less(inner, zero) : m.equal(inner, zero));
        }
        case AtomKind::Function: break;
        }
        std::vector<FormId> forms;
        for (const FormId one : atom.forms) {
            forms.push_back(form(one));
        }
        if (forms == atom.forms) {
            return m.atomForm(id, exponent);
        }
        if (forms.size() == 1) {
            const Scalar inner = m.make(forms[0], m.m_noConditions);
            if (atom.name == "log") {
                return raised(m.formOf(m.log(inner)), exponent);
            }
            for (const Rounding how : {Rounding::Down, Rounding::Up, Rounding::ToZero, Rounding::HalfEven}) {
                if (atom.name == roundName(how)) {
                    return raised(m.formOf(m.round(how, inner)), exponent);
                }
            }
        }
        const bool commutes = atom.name.starts_with("imin_") || atom.name.starts_with("imax_") || atom.name.starts_with("iand_") ||
                              atom.name.starts_with("ior_") || atom.name.starts_with("ixor_");
        if (commutes) {
            std::sort(forms.begin(), forms.end());
        } else if (forms.size() == 1 || atom.name.starts_with("argmax")) {
            // odd functions and orders have a canonical sign and scale of their arguments
            std::vector<Scalar> arguments;
            for (const FormId one : forms) {
                arguments.push_back(m.make(one, m.m_noConditions));
            }
            return raised(m.formOf(m.function(atom.name, arguments, atom.result)), exponent);
        }
        Atom changed = atom;
        changed.forms = std::move(forms);
        return m.atomForm(m.internAtom(std::move(changed)), exponent);
    }

    FormId monomialForm(MonomialId id) { return form(m.internForm({Term{id, 1}})); }
};

Scalar FormStore::mapped(Scalar a, const LeafMap& leaf) {
    Mapping mapping(*this, leaf);
    const FormId value = mapping.form(m_scalars[a].form);
    return make(value, mapping.conditions(m_scalars[a].defined));
}

} // namespace lemmascope
