#pragma once

#include "core/term/lemma_forms.h"

#include <functional>
#include <gmpxx.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

/// How two scalars of one lemma relate when stored constants may have been rounded.
struct ConstantMatch {
    enum class Outcome : std::uint8_t {
        Different, ///< not one form up to coefficients, or a coefficient is off by more than rounding explains
        Exact,     ///< every coefficient equal over the reals
        Rounded,   ///< every pair of coefficients within four times the bound for evaluating both in their type
        TooLarge   ///< not compared: too many elements, or a coefficient that cannot be evaluated
    } outcome = Outcome::Different;
    /// A number, exactly: a rational times powers of rationals.
    struct Product {
        mpq_class scale = 1;
        std::vector<std::pair<mpq_class, mpq_class>> powers; ///< base (not negative), exponent
    };
    /// What makes two coefficients equal: `sum` / `rest`, or its inverse.
    struct Target {
        std::vector<Product> sum;
        Product rest;
        bool inverse = false;
    };
    /// One coefficient that differs: a constant of either graph (invalid for a number in the form), and how far it is off.
    struct Gap {
        TermId constant;
        std::string number; ///< the coefficient when it is no stored tensor
        double ulp = 0.0;
        double relative = 0.0;
        double allowed = 0.0; ///< relative
        /// The exact value that each element of the constant stands for, row-major; empty where it is not spelt out. For a number (at -1):
        /// what the reference has for what the rewritten graph has.
        std::map<std::int64_t, Target> targets;
        bool factor = false; ///< the constant is a factor of the only product that its side has: it is off by `relative` and no more
    };
    std::vector<Gap> gaps;
    /// Constants that the comparison takes to be something else than they are, with a name of what they are taken to be: one
    /// constant must have one value in the whole obligation.
    std::vector<std::pair<TermId, std::string>> taken;
    bool discontinuous = false; ///< a coefficient inside a comparison or rounding differs: results may jump
    std::string where;          ///< what differs
};

/// Compares two forms as one form with coefficients (strength `rounded`, resources/docs/decisions/numbers.md): coefficients are
/// sums and products of stored constants and numbers, an array over the indices they depend on. Both trees are walked
/// together; nested coefficients (inside extrema, powers, exponentials, sums) are compared where they stand.
/// `unit`: half an ulp of 1 in the type of the result (2^-24 for f32).
class ConstantMatcher {
  public:
    ConstantMatcher(TermStore& store, LemmaForms& lemma, double unit, std::size_t maxElements, std::function<bool()> expiry);
    ~ConstantMatcher();

    [[nodiscard]] ConstantMatch compare(Scalar a, Scalar b, const Shape& space);

  private:
    class Walk;
    TermStore& m_store;
    LemmaForms& m_lemma;
    double m_unit;
    std::size_t m_maxElements;
    std::function<bool()> m_expiry;
    std::map<TermId, std::vector<double>> m_values; ///< constants as doubles
};

} // namespace lemmascope
