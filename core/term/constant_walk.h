#pragma once

// One comparison while it runs; only for constant_match.cpp and constant_values.cpp.

#include "core/term/constant_match.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

/// A number with a bound for the rounding of its evaluation and the sum of magnitudes that went into it.
struct ConstantEstimate {
    double value = 0.0;
    double bound = 0.0;
    double magnitude = 0.0;
};

class ConstantMatcher::Walk {
  public:
    Walk(ConstantMatcher& owner, ConstantMatch& out)
        : m_owner(owner), m_store(owner.m_store), m_lemma(owner.m_lemma), m_forms(owner.m_lemma.forms()), m_out(out) {}

    bool forms(FormId a, FormId b, const Shape& space, int depth);
    bool conditions(Scalar a, Scalar b, const Shape& space);
    /// Some part was not looked into: what was found equal may not be.
    [[nodiscard]] bool gaveUp() const { return m_gaveUp; }

  private:
    static constexpr int MaxDepth = 40;
    using Estimate = ConstantEstimate;
    using Factor = FormStore::Factor;
    using Monomial = FormStore::Monomial;
    ConstantMatcher& m_owner;
    TermStore& m_store;
    LemmaForms& m_lemma;
    FormStore& m_forms;
    ConstantMatch& m_out;
    bool m_inStep = false;
    bool m_gaveUp = false;
    std::size_t m_splitsLeft = 100'000;

    struct Placed {
        AtomId atom;
        mpq_class exponent;
        Shape space; ///< the leading indices it is read at
    };
    /// c * numbers * constants, summed over the inner indices that only constants have.
    struct Coefficient {
        mpq_class scale = 1;
        std::vector<std::pair<mpq_class, mpq_class>> powers; ///< irrational scalars: base, exponent
        std::vector<Placed> constants;
    };
    struct Split {
        std::string key;
        Coefficient coefficient;
        Shape space; ///< outer space and the indices of values: coefficients vary along these
        Shape inner; ///< indices that only constants have
        /// Parts with coefficients of their own, in the order of the key; compared one by one.
        struct Nested {
            std::vector<FormId> forms;
            Shape space;
            bool step = false; ///< where a small change may make a jump
        };
        std::vector<Nested> nested;
    };

    [[nodiscard]] bool isConstantLeaf(TermId leaf) const;
    [[nodiscard]] bool isConstant(AtomId atom);
    [[nodiscard]] std::string keyOf(FormId form, const Shape& space, int depth);
    [[nodiscard]] Split split(const Monomial& monomial, const Shape& space, int depth, bool inlineSum);
    [[nodiscard]] FormId scaled(FormId form, const mpq_class& by) { return m_forms.sumOf(m_forms.constantOf(0), by, form); }
    /// The mark by which forms are scaled so that both sides find one; `array`: it is no number but an array of constants.
    struct Mark {
        mpq_class number = 1;
        bool array = false;
    };
    [[nodiscard]] Mark leading(const std::vector<FormId>& list, const Shape& space, int depth);
    [[nodiscard]] std::vector<FormId> sortedByKey(std::vector<FormId> list, const Shape& space, int depth);
    /// Times base^exponent; whole powers go into the scale.
    static void raise(Coefficient& c, const mpq_class& base, const mpq_class& exponent) {
        if (exponent.get_den() != 1 || abs(exponent) > 64) {
            c.powers.emplace_back(base, exponent);
            return;
        }
        for (long k = std::labs(exponent.get_num().get_si()); k > 0; --k) {
            c.scale = exponent > 0 ? mpq_class(c.scale * base) : mpq_class(c.scale / base);
        }
    }
    [[nodiscard]] bool nestedEqual(const Split& a, const Split& b, int depth);
    /// Both coefficients are one stored tensor's elements times one number, and the elements have the same bits all over: the
    /// common case of weights that were only moved or joined, at the speed of memory.
    [[nodiscard]] bool storedAlike(const Split& left, const Split& right);
    [[nodiscard]] bool coefficients(const std::vector<const Split*>& left, const std::vector<const Split*>& right);

    [[nodiscard]] std::optional<Estimate> estimate(const Coefficient& c, const Shape& space, const Shape& inner, const std::vector<std::int64_t>& at);
    [[nodiscard]] std::optional<Estimate> estimate(AtomId atom, const mpq_class& exponent, const Shape& space, const std::vector<std::int64_t>& at,
                                                   int depth);
    [[nodiscard]] std::optional<Estimate> estimate(FormId form, const Shape& space, const std::vector<std::int64_t>& at, int depth);
    // The same values exactly, where they are rational.
    [[nodiscard]] std::optional<mpq_class> exact(const Coefficient& c, const Shape& space, const Shape& inner, const std::vector<std::int64_t>& at);
    [[nodiscard]] std::optional<mpq_class> exact(AtomId atom, const mpq_class& exponent, const Shape& space, const std::vector<std::int64_t>& at,
                                                 int depth);
    [[nodiscard]] std::optional<mpq_class> exact(FormId form, const Shape& space, const std::vector<std::int64_t>& at, int depth);
    [[nodiscard]] bool exactly(const std::vector<const Split*>& left, const std::vector<const Split*>& right, const std::vector<std::int64_t>& at);
    /// A coefficient written out: one product for each inner index, without the constant `but`. Nothing where a part is no rational.
    [[nodiscard]] std::optional<std::vector<ConstantMatch::Product>> spelt(const Split& split, const std::vector<std::int64_t>& at,
                                                                           std::optional<std::size_t> but);
    void addTarget(ConstantMatch::Gap& gap, const std::vector<const Split*>& own, const std::vector<const Split*>& other,
                   const std::vector<std::int64_t>& at);
    [[nodiscard]] std::optional<std::int64_t> flatOf(TermId leaf, const Shape& space, const std::vector<std::int64_t>& at);
    std::map<TermId, std::vector<std::pair<Shape, std::optional<AxisStrides>>>> m_strides; ///< by leaf and space
    std::size_t m_exactLeft = 200'000;                                                     ///< rational evaluations

    [[nodiscard]] std::optional<Estimate> element(TermId leaf, const Shape& space, const std::vector<std::int64_t>& at, int depth);
    [[nodiscard]] static Estimate times(const Estimate& a, const Estimate& b, double u);
    [[nodiscard]] std::optional<Estimate> raised(const Estimate& a, const mpq_class& exponent) const;
    [[nodiscard]] Estimate numberOf(const mpq_class& q) const {
        // A small whole number or fraction of powers of two is exact in every type; any other was rounded when it was stored.
        const double value = q.get_d();
        const bool exact = mpz_popcount(q.get_den_mpz_t()) == 1 && mpz_sizeinbase(q.get_num_mpz_t(), 2) <= 11;
        return Estimate{value, exact ? 0.0 : std::fabs(value) * m_owner.m_unit, std::fabs(value)};
    }
    [[nodiscard]] bool fail(const std::string& where) {
        if (m_out.where.empty()) {
            m_out.where = where;
        }
        return false;
    }
    [[nodiscard]] bool tooLarge(const std::string& where) {
        m_out.outcome = ConstantMatch::Outcome::TooLarge;
        return fail(where);
    }
};

} // namespace lemmascope
