#pragma once

#include "core/graph/element_type.h"
#include "core/term/term_store.h"

#include <gmpxx.h>

#include <cstdint>
#include <span>
#include <string>

namespace lemmascope {

/// One scalar of an algebra: a handle that only that algebra understands.
using Scalar = std::uint32_t;

/// Roundings of a real to an integer-valued real.
enum class Rounding : std::uint8_t { Down, Up, ToZero, HalfEven };

/// Integer ops whose result is exact modulo 2^width (resources/docs/decisions/numbers.md).
enum class IntegerOp : std::uint8_t { Add, Sub, Mul, Div, Neg, Min, Max, Abs, Sign, And, Or, Xor, Not, ShiftLeft, ShiftRight, ModFloor, ModTrunc };

/// What a tensor's element means, given a way to do arithmetic: the expander (expand.h) walks terms and calls this; one
/// implementation normalises (form_store.h), another keeps the expression for SMT-LIB text (smt_dag.h). Real scalars are
/// exact; integers are of the given type; booleans are truth values. Division, logarithms and fractional powers are partial:
/// the algebra keeps where its scalars are defined.
class Algebra {
  public:
    virtual ~Algebra() = default;
    /// Expressions made so far, for limits; 0 where nobody counts.
    [[nodiscard]] virtual std::size_t size() const { return 0; }

    [[nodiscard]] virtual Scalar number(const mpq_class& value) = 0;
    [[nodiscard]] virtual Scalar integer(std::int64_t value, ElementType type) = 0;
    [[nodiscard]] virtual Scalar boolean(bool value) = 0;
    /// Element `index` of an opaque tensor; index -1 is "the element in question" (the same for every read).
    [[nodiscard]] virtual Scalar read(TermId leaf, std::int64_t index) = 0;

    [[nodiscard]] virtual Scalar add(Scalar a, Scalar b) = 0;
    [[nodiscard]] virtual Scalar sub(Scalar a, Scalar b) = 0;
    [[nodiscard]] virtual Scalar mul(Scalar a, Scalar b) = 0;
    [[nodiscard]] virtual Scalar div(Scalar a, Scalar b) = 0;
    [[nodiscard]] virtual Scalar max(Scalar a, Scalar b) = 0;
    [[nodiscard]] virtual Scalar min(Scalar a, Scalar b) = 0;
    [[nodiscard]] virtual Scalar sum(std::span<const Scalar> terms) = 0;
    [[nodiscard]] virtual Scalar exp(Scalar a) = 0;
    [[nodiscard]] virtual Scalar log(Scalar a) = 0;
    /// a to a rational power; a fractional one needs a >= 0 (> 0 when negative), a negative integer one a != 0.
    [[nodiscard]] virtual Scalar power(Scalar a, const mpq_class& exponent) = 0;
    [[nodiscard]] virtual Scalar round(Rounding how, Scalar a) = 0;

    [[nodiscard]] virtual Scalar less(Scalar a, Scalar b) = 0;  ///< of reals
    [[nodiscard]] virtual Scalar equal(Scalar a, Scalar b) = 0; ///< of reals
    [[nodiscard]] virtual Scalar negation(Scalar a) = 0;
    [[nodiscard]] virtual Scalar conjunction(Scalar a, Scalar b) = 0;
    [[nodiscard]] virtual Scalar exclusive(Scalar a, Scalar b) = 0;
    /// `a` where c holds, else `b`; the branch not taken need not be defined. `type` of both branches.
    [[nodiscard]] virtual Scalar choose(Scalar c, Scalar a, Scalar b, ElementType type) = 0;

    [[nodiscard]] virtual Scalar integerOp(IntegerOp op, std::span<const Scalar> operands, ElementType type) = 0;
    [[nodiscard]] virtual Scalar integerLess(Scalar a, Scalar b, ElementType type) = 0;
    [[nodiscard]] virtual Scalar integerEqual(Scalar a, Scalar b, ElementType type) = 0;

    [[nodiscard]] virtual Scalar realOfInteger(Scalar a, ElementType from) = 0;
    /// `a` is already an integer within the type's range (a saturated quantisation).
    [[nodiscard]] virtual Scalar integerOfWholeReal(Scalar a, ElementType to) = 0;
    /// Truncation towards zero, as a cast does; out of range it is some value of the type.
    [[nodiscard]] virtual Scalar integerOfReal(Scalar a, ElementType to) = 0;
    [[nodiscard]] virtual Scalar integerOfInteger(Scalar a, ElementType from, ElementType to) = 0;
    [[nodiscard]] virtual Scalar realOfBoolean(Scalar a) = 0;
    [[nodiscard]] virtual Scalar integerOfBoolean(Scalar a, ElementType to) = 0;

    /// A function of which nothing more is assumed; `result` decides its kind of value. Order of arguments matters.
    [[nodiscard]] virtual Scalar function(const std::string& name, std::span<const Scalar> arguments, ElementType result) = 0;
    /// rnd_T(a): to the nearest value of a float type; `a` itself when it is seen to be one already.
    [[nodiscard]] virtual Scalar rounded(Scalar a, ElementType type) = 0;
};

} // namespace lemmascope
