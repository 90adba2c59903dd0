#pragma once

#include "core/term/algebra.h"
#include "core/term/term_store.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lemmascope {

/// Keeps scalars as they are written, hash-consed, and prints lemmas about them as SMT-LIB 2 (SMT-LIB Standard 2.6). With
/// Meaning::Movements it is the structural comparison: equal handles are the same expression. Reals are Real, integers bit
/// vectors of their width, booleans Bool; every scalar has a value and a truth value "is defined". A division is a fresh q with
/// q * b = a guarded by b != 0, a square root a fresh r >= 0 with r * r = a guarded by a >= 0; exponentials, logarithms and open
/// ops are uninterpreted functions. No quantifiers.
class SmtAlgebra final : public Algebra {
  public:
    /// `mayBeUndefined`: of a term that lemmas read as a value; each element of such a term has a truth value of its own that says
    /// whether it is defined. Without it every value that is read is defined.
    explicit SmtAlgebra(const TermStore& terms, std::function<bool(TermId)> mayBeUndefined = {})
        : m_terms(terms), m_mayBeUndefined(std::move(mayBeUndefined)) {}

    struct Text {
        std::string script;                                 ///< without check-sat
        std::string digest;                                 ///< SHA-256 of the script without its comments
        std::vector<std::pair<TermId, std::int64_t>> reads; ///< the opaque elements declared, in order
        std::vector<std::string> names;                     ///< their names
        bool linear = true;                                 ///< no product of two unknowns
    };
    /// The lemma "each pair is equal: undefined together, or defined and equal": satisfiable with the goal exactly when it fails.
    /// `facts`: what is known of an integer tensor's elements, a premise where it says more than the type.
    using FactsOf = std::function<IntegerRange(TermId)>;
    [[nodiscard]] Text lemma(std::span<const std::pair<Scalar, Scalar>> pairs, const std::vector<std::string>& comments,
                             const FactsOf& facts = {}) const;
    /// The lemma "each scalar (an integer) lies in [low, high]" under `facts` on integers, each a (scalar, low, high).
    struct Bound {
        Scalar scalar = 0;
        ElementType type = ElementType::I64;
        std::int64_t low = 0;
        std::int64_t high = 0;
    };
    [[nodiscard]] Text rangeLemma(std::span<const Bound> goals, std::span<const Bound> facts, const std::vector<std::string>& comments) const;

    [[nodiscard]] Scalar number(const mpq_class& value) override;
    [[nodiscard]] Scalar integer(std::int64_t value, ElementType type) override;
    [[nodiscard]] Scalar boolean(bool value) override;
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
    [[nodiscard]] Scalar conjunction(Scalar a, Scalar b) override;
    [[nodiscard]] Scalar exclusive(Scalar a, Scalar b) override;
    [[nodiscard]] Scalar choose(Scalar c, Scalar a, Scalar b, ElementType type) override;
    [[nodiscard]] Scalar integerOp(IntegerOp op, std::span<const Scalar> operands, ElementType type) override;
    [[nodiscard]] Scalar integerLess(Scalar a, Scalar b, ElementType type) override;
    [[nodiscard]] Scalar integerEqual(Scalar a, Scalar b, ElementType type) override;
    [[nodiscard]] Scalar realOfInteger(Scalar a, ElementType from) override;
    [[nodiscard]] Scalar integerOfWholeReal(Scalar a, ElementType to) override;
    [[nodiscard]] Scalar integerOfReal(Scalar a, ElementType to) override;
    [[nodiscard]] Scalar integerOfInteger(Scalar a, ElementType from, ElementType to) override;
    [[nodiscard]] Scalar realOfBoolean(Scalar a) override;
    [[nodiscard]] Scalar integerOfBoolean(Scalar a, ElementType to) override;
    [[nodiscard]] Scalar function(const std::string& name, std::span<const Scalar> arguments, ElementType result) override;
    [[nodiscard]] Scalar rounded(Scalar a, ElementType type) override;

    [[nodiscard]] std::size_t size() const override { return m_nodes.size(); }

  private:
    /// How a node prints. `Plain`: (head args...); the others need declarations or premises of their own.
    enum class Kind : std::uint8_t { Literal, Read, Plain, Quotient, Root, Exp, Log, Function };
    struct Node {
        Kind kind = Kind::Literal;
        std::string head; ///< literal text, operator, or function name
        std::vector<Scalar> arguments;
        ElementType type = ElementType::F64; ///< sort: floats Real, Bool, integers bit vectors
        TermId leaf;
        std::int64_t index = 0;
    };
    const TermStore& m_terms;
    std::function<bool(TermId)> m_mayBeUndefined;
    std::vector<Node> m_nodes;
    std::unordered_map<std::string, Scalar> m_index;

    class Printer;
    [[nodiscard]] Scalar make(Node node);
    [[nodiscard]] Scalar plain(const char* head, std::vector<Scalar> arguments, ElementType type);
};

} // namespace lemmascope
