#pragma once

#include "core/term/form_store.h"

#include <gmpxx.h>

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace lemmascope::term_test {

/// Random expressions over the reals with partial ops, for tests of the normal form against numbers.
struct Expression;
using Expr = std::shared_ptr<const Expression>;

enum class Op : std::uint8_t {
    Number,
    Variable, ///< x, y, z: reals
    Flag,     ///< p, q: truth values
    Add,
    Sub,
    Mul,
    Div,
    Max,
    Min,
    Exp,
    Log,
    Sqrt,
    Reciprocal,
    Floor,
    Choose, ///< condition, value, value
    Less,
    Equal,
    Not,
    And,
    Xor,
    OfFlag ///< a truth value as 0 or 1
};

struct Expression {
    Op op = Op::Number;
    mpq_class number;
    std::size_t variable = 0;
    std::vector<Expr> operands;
};

[[nodiscard]] Expr number(const mpq_class& value);
[[nodiscard]] Expr variable(std::size_t k);
[[nodiscard]] Expr flag(std::size_t k);
[[nodiscard]] Expr apply(Op op, std::vector<Expr> operands);
[[nodiscard]] std::string text(const Expr& e);

/// A real at a point: exact when only rational steps led to it, else a close number; or nothing is known of it because a
/// comparison was too close to call.
struct Real {
    enum class Kind : std::uint8_t { Exact, Close, Undefined, Unsure } kind = Kind::Undefined;
    mpq_class exact;
    long double close = 0.0L;
};
struct Point {
    std::vector<mpq_class> variables;
    std::vector<bool> flags;
};
[[nodiscard]] Real evaluate(const Expr& e, const Point& point);
/// False only when the values are certainly different (or one is undefined).
[[nodiscard]] bool agree(const Real& a, const Real& b);
/// Small points, zeros and equal values among them.
[[nodiscard]] std::vector<Point> samplePoints();

/// Three real and two boolean leaves in a form store, and expressions built on them.
class Forms {
  public:
    Forms();
    [[nodiscard]] Scalar build(const Expr& e);
    [[nodiscard]] bool equal(const Expr& a, const Expr& b) { return m_forms.equalScalars(build(a), build(b)); }
    [[nodiscard]] FormStore& store() { return m_forms; }

  private:
    TermStore m_terms;
    FormStore m_forms;
    std::vector<TermId> m_reals;
    std::vector<TermId> m_flags;
};

using Random = std::mt19937_64;
[[nodiscard]] std::size_t pick(Random& random, std::size_t count);
[[nodiscard]] Expr randomReal(Random& random, int depth);
[[nodiscard]] Expr randomFlag(Random& random, int depth);
/// `e` with one law of algebra applied at a random place. Some of the laws hold only where something is not zero or not
/// negative, so the result may differ: that is for the caller to find out.
[[nodiscard]] Expr rewritten(Random& random, const Expr& e);

} // namespace lemmascope::term_test
