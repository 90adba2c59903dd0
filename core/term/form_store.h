#pragma once

#include "core/term/algebra.h"

#include <gmpxx.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace lemmascope {

using FormId = Id<struct FormTag>;
using AtomId = Id<struct AtomTag>;
using MonomialId = Id<struct MonomialTag>;
using ConditionSetId = Id<struct ConditionSetTag>;

/// The exact normal form of scalars: sums of rational coefficient times product of atoms to rational powers, hash-consed, so
/// that equal forms have equal ids (resources/docs/decisions/proving.md at one element). Integers live in Z modulo 2^width with sums
/// and products only; booleans are reals that are 0 or 1 (c*c = c). Each scalar carries the set of conditions under which it is
/// defined, also canonical: equal scalars are equal at every point and undefined at the same points.
///
/// Rules (each holds over the reals where the conditions do): see form_store.cpp, `match:` and `result:` lines.
/// Past a budget of monomials every result is `tooLarge`; the caller then decides nothing.
class FormStore final : public Algebra {
  public:
    struct Limits {
        std::size_t monomialsPerForm = 20'000;
        std::size_t monomialsInAll = 3'000'000;
    };
    FormStore(TermStore& terms, Limits limits);

    /// Terms called `form` in the term store name forms of this store, and of no other.
    void ownFormTerms() { m_ownsFormTerms = true; }
    /// True once a limit was passed: scalars made since then mean nothing.
    [[nodiscard]] bool tooLarge() const { return m_tooLarge; }
    /// Equal where defined, and defined at the same points. Compares ids first, then multiplies out common denominators.
    [[nodiscard]] bool equalScalars(Scalar a, Scalar b);
    [[nodiscard]] bool sameValue(Scalar a, Scalar b);
    [[nodiscard]] bool sameDomain(Scalar a, Scalar b) const { return m_scalars[a].defined == m_scalars[b].defined; }
    /// Equal ids of value and definedness.
    [[nodiscard]] bool identical(Scalar a, Scalar b) const {
        return m_scalars[a].form == m_scalars[b].form && m_scalars[a].defined == m_scalars[b].defined;
    }
    [[nodiscard]] FormId formOf(Scalar a) const { return m_scalars[a].form; }
    [[nodiscard]] ConditionSetId conditionsOf(Scalar a) const { return m_scalars[a].defined; }
    /// The one term whose read this scalar is (coefficient 1, always defined as that read is), if it is one.
    [[nodiscard]] std::optional<TermId> asRead(Scalar a) const;
    /// The leaf terms a scalar reads, sorted.
    [[nodiscard]] std::vector<TermId> leaves(Scalar a) const;
    /// A scalar whose conditions are those of `a` and the given opaque ones as well.
    [[nodiscard]] Scalar requiring(Scalar a, TermId definedness);

    /// A sum of c * product as parts, for operators that are linear (expand sums over an axis): see exact_terms.cpp.
    struct Part {
        mpq_class coefficient;
        std::vector<std::pair<TermId, mpq_class>> reads; ///< atoms that are plain reads at -1
        Scalar rest = 0;                                 ///< product of the other atoms; 1 if none
    };
    [[nodiscard]] std::vector<Part> parts(Scalar a);
    /// The same sum with each product's factors apart: `leaves` are the terms below a factor.
    struct Factor {
        AtomId atom;
        mpq_class exponent;
        std::optional<TermId> read; ///< the atom is a plain read of this term
    };
    struct Monomial {
        mpq_class coefficient;
        std::vector<Factor> factors;
    };
    [[nodiscard]] std::vector<Monomial> monomials(Scalar a) const { return monomials(m_scalars[a].form); }
    [[nodiscard]] std::vector<Monomial> monomials(FormId form) const;
    /// Coefficient times factors, multiplied out; without conditions.
    [[nodiscard]] Scalar product(const mpq_class& coefficient, std::span<const Factor> factors);
    [[nodiscard]] const std::vector<TermId>& leavesOf(AtomId atom);
    /// Positive c such that a / c has coprime integer coefficients; 1 when they are long.
    [[nodiscard]] mpq_class contentOf(Scalar a) const;
    /// 0 under those of the conditions that `keep` says, given the terms each reads.
    [[nodiscard]] Scalar conditionsWhere(Scalar a, const std::function<bool(const std::vector<TermId>&)>& keep);

    /// Every read replaced: a substitution of equals (the same tensor at another index, a term by its equal). Values and
    /// conditions are put through the rules again. Nested too deeply: `tooLarge`.
    using LeafMap = std::function<Scalar(TermId leaf, std::int64_t index)>;
    [[nodiscard]] Scalar mapped(Scalar a, const LeafMap& leaf);
    /// Starts a new budget: what was made before stays valid, what was made since `tooLarge` does not.
    void renewBudget() {
        m_tooLarge = false;
        m_total = 0;
    }
    /// The term is known to be defined at every input, though an op in its cone is partial (its operand is seen to stay inside).
    void markDefined(TermId term);
    /// A term that stands for a value which may be undefined, whatever its own cone says.
    void markPartial(TermId term);
    [[nodiscard]] bool mayBeUndefined(TermId term);
    /// Distinguishes stores in the operators of form terms.
    [[nodiscard]] std::uint32_t number() const { return m_number; }
    [[nodiscard]] bool isPositive(Scalar a) const { return isPositive(m_scalars[a].form); }
    [[nodiscard]] bool isNonNegative(Scalar a) const { return isNonNegative(m_scalars[a].form); }
    /// Signs of terms that are known from elsewhere: asked for terms that are not forms of this store.
    enum class Sign : std::uint8_t { Unknown, NonNegative, Positive };
    void setSigns(std::function<Sign(TermId)> signs) { m_signs = std::move(signs); }

    /// What a comparison up to constants walks over (constant_match.cpp).
    enum class AtomKind : std::uint8_t { Read, Exp, Power, Max, Truth, Function };
    [[nodiscard]] AtomKind kind(AtomId atom) const { return m_atoms[atom.index].kind; }
    [[nodiscard]] const std::string& nameOf(AtomId atom) const { return m_atoms[atom.index].name; }
    [[nodiscard]] const std::vector<FormId>& formsOf(AtomId atom) const { return m_atoms[atom.index].forms; }
    [[nodiscard]] FormId exponentOf(AtomId atom) { return internForm({Term{m_atoms[atom.index].exponent, 1}}); }
    [[nodiscard]] FormId sumOf(FormId a, const mpq_class& scale, FormId b) { return addForms(a, scale, b); }
    /// A form as a scalar that is always defined.
    [[nodiscard]] Scalar valueOf(FormId form) { return make(form, m_noConditions); }
    [[nodiscard]] FormId constantOf(const mpq_class& value) { return constantForm(value); }
    /// Conditions as (kind, form or leaf) in the store's order; a branch condition has no form here.
    struct ConditionView {
        int kind = 0; ///< 0 not 0, 1 at least 0, 2 above 0, 3 defined, 4 branch
        FormId form;
        TermId leaf;
    };
    [[nodiscard]] std::vector<ConditionView> conditionsIn(Scalar a) const;

    [[nodiscard]] Scalar withoutConditions(Scalar a);
    [[nodiscard]] Scalar withConditionsOf(Scalar value, Scalar conditions);
    [[nodiscard]] bool alwaysDefined(Scalar a) const { return m_scalars[a].defined == m_noConditions; }
    [[nodiscard]] std::string text(Scalar a) const;

    [[nodiscard]] Scalar number(const mpq_class& value) override;
    [[nodiscard]] Scalar integer(std::int64_t value, ElementType type) override;
    [[nodiscard]] Scalar boolean(bool value) override { return number(value ? 1 : 0); }
    [[nodiscard]] Scalar read(TermId leaf, std::int64_t index) override;
    [[nodiscard]] Scalar add(Scalar a, Scalar b) override;
    [[nodiscard]] Scalar sub(Scalar a, Scalar b) override;
    [[nodiscard]] Scalar mul(Scalar a, Scalar b) override;
    [[nodiscard]] Scalar div(Scalar a, Scalar b) override;
    [[nodiscard]] Scalar max(Scalar a, Scalar b) override;
    [[nodiscard]] Scalar min(Scalar a, Scalar b) override;
    [[nodiscard]] Scalar sum(std::span<const Scalar> terms) override;
    [[nodiscard]] Scalar exp(Scalar a) override;
    [[nodiscard]] Scalar log(Scalar a) override;
    [[nodiscard]] Scalar power(Scalar a, const mpq_class& exponent) override;
    [[nodiscard]] Scalar round(Rounding how, Scalar a) override;
    [[nodiscard]] Scalar less(Scalar a, Scalar b) override;
    [[nodiscard]] Scalar equal(Scalar a, Scalar b) override;
    [[nodiscard]] Scalar negation(Scalar a) override;
    [[nodiscard]] Scalar conjunction(Scalar a, Scalar b) override { return mul(a, b); }
    [[nodiscard]] Scalar exclusive(Scalar a, Scalar b) override;
    [[nodiscard]] Scalar choose(Scalar c, Scalar a, Scalar b, ElementType type) override;
    [[nodiscard]] Scalar integerOp(IntegerOp op, std::span<const Scalar> operands, ElementType type) override;
    [[nodiscard]] Scalar integerLess(Scalar a, Scalar b, ElementType type) override;
    [[nodiscard]] Scalar integerEqual(Scalar a, Scalar b, ElementType type) override;
    [[nodiscard]] Scalar realOfInteger(Scalar a, ElementType from) override;
    [[nodiscard]] Scalar integerOfWholeReal(Scalar a, ElementType to) override;
    [[nodiscard]] Scalar integerOfReal(Scalar a, ElementType to) override;
    [[nodiscard]] Scalar integerOfInteger(Scalar a, ElementType from, ElementType to) override;
    [[nodiscard]] Scalar realOfBoolean(Scalar a) override { return a; }
    [[nodiscard]] Scalar integerOfBoolean(Scalar a, ElementType to) override;
    [[nodiscard]] Scalar function(const std::string& name, std::span<const Scalar> arguments, ElementType result) override;
    [[nodiscard]] Scalar rounded(Scalar a, ElementType type) override;

  private:
    struct Atom {
        AtomKind kind = AtomKind::Read;
        TermId leaf;
        std::int64_t index = 0;
        MonomialId exponent;                   ///< Exp: of exp(monomial)
        std::string name;                      ///< Truth: `<0`, `=0`, or a function's name; Function: its name
        std::vector<FormId> forms;             ///< Power: the base; Max: the set; Truth, Function: arguments
        ElementType result = ElementType::F64; ///< Function and Read
        bool positive = false;
        bool nonNegative = false;
    };
    using Factors = std::vector<std::pair<AtomId, mpq_class>>; ///< sorted by atom, no zero exponents
    struct Term {
        MonomialId monomial;
        mpq_class coefficient;
    };
    using Terms = std::vector<Term>; ///< sorted by monomial, no zero coefficients
    struct Condition {
        enum class Kind : std::uint8_t { NonZero, NonNegative, Positive, Defined, Branch } kind = Kind::NonZero;
        FormId form; ///< Branch: the condition
        TermId leaf; ///< Defined
        std::int64_t index = 0;
        ConditionSetId whenTrue; ///< Branch
        ConditionSetId whenFalse;
        friend auto operator<=>(const Condition&, const Condition&) = default;
    };
    struct Element {
        FormId form;
        ConditionSetId defined;
    };

    const TermStore& m_terms;
    Limits m_limits;
    bool m_tooLarge = false;
    bool m_ownsFormTerms = false;
    std::uint32_t m_number = 0;
    std::function<Sign(TermId)> m_signs;
    mutable std::unordered_map<std::uint32_t, Sign> m_constantSigns;
    mutable std::unordered_map<std::uint64_t, std::optional<mpq_class>> m_bounds; ///< form and side
    mutable std::unordered_map<std::uint32_t, bool> m_nonNegative;
    mutable bool m_boundCutShort = false;
    std::unordered_map<std::uint32_t, std::vector<TermId>> m_atomLeaves;
    std::size_t m_total = 0;
    std::vector<Atom> m_atoms;
    std::unordered_map<std::string, std::uint32_t> m_atomIndex;
    std::vector<Factors> m_monomials;
    std::unordered_map<std::string, std::uint32_t> m_monomialIndex;
    std::vector<Terms> m_forms;
    std::unordered_map<std::string, std::uint32_t> m_formIndex;
    std::vector<std::vector<Condition>> m_conditionSets;
    std::map<std::vector<Condition>, std::uint32_t> m_conditionIndex;
    std::vector<Element> m_scalars;
    std::unordered_map<std::uint64_t, Scalar> m_scalarIndex;
    std::vector<std::int8_t> m_mayBeUndefined; ///< by term: -1 unknown
    ConditionSetId m_noConditions;
    MonomialId m_unit;

    [[nodiscard]] AtomId internAtom(Atom atom);
    [[nodiscard]] MonomialId internMonomial(Factors factors);
    [[nodiscard]] FormId internForm(Terms terms);
    [[nodiscard]] ConditionSetId internConditions(std::vector<Condition> conditions);
    [[nodiscard]] ConditionSetId both(ConditionSetId a, ConditionSetId b);
    [[nodiscard]] ConditionSetId with(ConditionSetId set, Condition condition);
    [[nodiscard]] Scalar make(FormId form, ConditionSetId defined);

    [[nodiscard]] FormId constantForm(const mpq_class& value);
    [[nodiscard]] FormId atomForm(AtomId atom, const mpq_class& exponent = 1, const mpq_class& coefficient = 1);
    [[nodiscard]] FormId addForms(FormId a, const mpq_class& scale, FormId b);
    [[nodiscard]] FormId scaleForm(FormId a, const mpq_class& scale);
    [[nodiscard]] FormId mulForms(FormId a, FormId b);
    [[nodiscard]] FormId timesAtom(FormId form, AtomId atom, const mpq_class& exponent);
    /// Product of two monomials; factors that multiply out come back as a form.
    [[nodiscard]] FormId mulMonomials(const Factors& a, const Factors& b);
    /// An atom that is not 0 wherever all the conditions hold.
    [[nodiscard]] bool neverZero(AtomId atom, ConditionSetId conditions);
    [[nodiscard]] FormId powerForm(FormId base, const mpq_class& exponent, ConditionSetId& conditions);
    /// An integer at every point, as far as seen.
    [[nodiscard]] bool isWholeForm(FormId form, int depth) const;
    [[nodiscard]] FormId maxForms(std::vector<FormId> forms);
    [[nodiscard]] FormId expForm(FormId a);
    [[nodiscard]] FormId truth(const char* name, FormId form, bool signMatters);
    [[nodiscard]] FormId modulo(FormId form, ElementType type);
    [[nodiscard]] std::optional<mpq_class> constantValue(FormId form) const;
    /// Positive rational c such that form / c has coprime integer coefficients.
    [[nodiscard]] mpq_class content(FormId form) const;
    [[nodiscard]] bool isBoolean(AtomId atom) const {
        return m_atoms[atom.index].kind == AtomKind::Truth || m_atoms[atom.index].result == ElementType::Bool;
    }
    [[nodiscard]] Sign signOf(TermId term) const;
    class Mapping;
    friend class Mapping;
    /// The arguments of an argmax up to what keeps their order.
    [[nodiscard]] std::vector<FormId> ordered(std::vector<FormId> forms);
    /// A bound that holds at every point, if one is seen; `upper`: from above.
    [[nodiscard]] std::optional<mpq_class> lowerBound(FormId form, bool upper, int depth) const;
    [[nodiscard]] std::optional<mpq_class> boundOf(FormId form, bool upper, int depth) const;
    [[nodiscard]] bool isNonNegative(FormId form) const;
    [[nodiscard]] bool everyTermIsNonNegative(FormId form) const;
    /// Of a reduction: some reduced length may be 0, for all that is known.
    [[nodiscard]] bool mayReduceNothing(TermId term) const;
    /// atom^exponent is at least 0 wherever it is defined.
    [[nodiscard]] bool isNonNegativePower(AtomId atom, const mpq_class& exponent) const;
    [[nodiscard]] bool isPositive(FormId form) const;
    [[nodiscard]] std::string text(FormId form, int depth) const;
    [[nodiscard]] std::string text(AtomId atom, int depth) const;
};

} // namespace lemmascope
