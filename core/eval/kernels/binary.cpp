// Elementwise ops of several broadcast tensors: arithmetic, comparison, logic, selection, clipping.

#include "core/eval/activation.h"
#include "core/eval/elementwise.h"
#include "core/eval/kernel_table.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace lemmascope {

namespace {

using Context = ElementwiseContext;
using I64 = std::int64_t;
using U64 = std::uint64_t;

/// The loop of a function (a lambda that captures nothing) of two elements, or of them and the context.
template <typename S, typename F>
ElementwiseLoop<S> each(F) {
    return [](const S* const* in, S* out, I64 count, const Context& context) -> I64 {
        for (I64 i = 0; i < count; ++i) {
            if constexpr (std::is_invocable_v<F, S, S, const Context&>) {
                out[i] = F{}(in[0][i], in[1][i], context);
            } else {
                out[i] = F{}(in[0][i], in[1][i]);
            }
        }
        (void)context;
        return -1;
    };
}

template <typename S, S (*F)(const S&, const S&)>
I64 loop(const S* const* in, S* out, I64 count, const Context&) {
    for (I64 i = 0; i < count; ++i) {
        out[i] = F(in[0][i], in[1][i]);
    }
    return -1;
}

/// As `each`, for integers that stop at a zero divisor.
template <typename S, typename F>
ElementwiseLoop<S> eachDividing(F) {
    return [](const S* const* in, S* out, I64 count, const Context& context) -> I64 {
        for (I64 i = 0; i < count; ++i) {
            if (in[1][i] == 0) {
                return i;
            }
            out[i] = F{}(in[0][i], in[1][i], context);
        }
        return -1;
    };
}

/// Left fold of all operands (Max, Min, Sum).
template <typename S, typename F>
ElementwiseLoop<S> fold(F) {
    return [](const S* const* in, S* out, I64 count, const Context& context) -> I64 {
        for (I64 i = 0; i < count; ++i) {
            S value = in[0][i];
            for (std::size_t k = 1; k < context.operandCount; ++k) {
                value = F{}(value, in[k][i]);
            }
            out[i] = value;
        }
        return -1;
    };
}

constexpr std::array<std::size_t, 2> Both{0, 1};

bool sameOperands(const NodeRun& run) {
    const std::vector<ValueId>& operands = run.node().operands;
    return operands.size() == 2 && operands[0].isValid() && operands[0] == operands[1];
}

/// Before opset 7 the second operand was aligned by `axis` (and only with `broadcast` set): give it trailing 1s.
bool alignLegacy(NodeRun& run) {
    if (run.version() >= 7 || run.integer("broadcast", 0) == 0 || !run.hasAttribute("axis")) {
        return true;
    }
    const Array a = run.in(0);
    const Array b = run.in(1);
    if (run.stopped()) {
        return false;
    }
    const std::optional<std::size_t> axis = normalAxis(run, run.integer("axis", 0), a.rank());
    if (!axis || !run.require(*axis + b.rank() <= a.rank(), "`axis` leaves too few axes for the second operand")) {
        return false;
    }
    std::vector<I64> shape = b.shape();
    shape.resize(a.rank() - *axis, 1);
    run.operands[1] = b.reshaped(shape);
    return true;
}

I64 wrap(U64 x) { return static_cast<I64>(x); }
U64 bits(I64 x) { return static_cast<U64>(x); }

void arithmetic(NodeRun& run, const ElementwiseOp& op) {
    if (alignLegacy(run)) {
        const ElementType type = run.in(0).element();
        if (run.require(!run.has(1) || run.in(1).element() == type, "the operands' element types differ")) {
            runElementwise(run, Both, type, op);
        }
    }
}

void add(NodeRun& run) {
    arithmetic(run, {.real = each<double>([](double a, double b) { return a + b; }),
                     .enclosure = loop<Interval, interval::add>,
                     .integer = each<I64>([](I64 a, I64 b) { return wrap(bits(a) + bits(b)); }),
                     .unsignedInteger = each<U64>([](U64 a, U64 b) { return a + b; })});
}

void subtract(NodeRun& run) {
    ElementwiseOp op{.real = each<double>([](double a, double b) { return a - b; }),
                     .enclosure = loop<Interval, interval::sub>,
                     .integer = each<I64>([](I64 a, I64 b) { return wrap(bits(a) - bits(b)); }),
                     .unsignedInteger = each<U64>([](U64 a, U64 b) { return a - b; })};
    if (sameOperands(run)) {
        op.enclosure = each<Interval>([](const Interval& a, const Interval&) {
            return a.isUndefined() ? a : Interval{0.0, 0.0, a.mayBeUndefined || (a.lo == a.hi && std::isinf(a.lo))};
        });
    }
    arithmetic(run, op);
}

void multiply(NodeRun& run) {
    ElementwiseOp op{.real = each<double>([](double a, double b) { return a * b; }),
                     .enclosure = loop<Interval, interval::mul>,
                     .integer = each<I64>([](I64 a, I64 b) { return wrap(bits(a) * bits(b)); }),
                     .unsignedInteger = each<U64>([](U64 a, U64 b) { return a * b; })};
    if (sameOperands(run)) {
        op.enclosure = each<Interval>([](const Interval& a, const Interval&) { return interval::square(a); });
    }
    arithmetic(run, op);
}

/// The quotient of interval integers, truncated; a divisor that may be 0 makes it possibly undefined.
Interval integerQuotient(const Interval& a, const Interval& b) {
    if (a.isUndefined() || b.isUndefined() || (b.lo == 0.0 && b.hi == 0.0)) {
        return interval::undefined();
    }
    if (b.lo <= 0.0 && b.hi >= 0.0) {
        const double most = std::max(std::fabs(a.lo), std::fabs(a.hi));
        return {-most, most, true};
    }
    return interval::trunc(interval::div(a, b));
}

I64 truncatedQuotient(I64 a, I64 b) { return b == -1 ? wrap(U64{0} - bits(a)) : a / b; }

void divide(NodeRun& run) {
    ElementwiseOp op{.real = each<double>([](double a, double b) { return a / b; }),
                     .enclosure = loop<Interval, interval::div>,
                     .integer = eachDividing<I64>([](I64 a, I64 b, const Context&) { return truncatedQuotient(a, b); }),
                     .unsignedInteger = eachDividing<U64>([](U64 a, U64 b, const Context&) { return a / b; }),
                     .integerEnclosure = loop<Interval, integerQuotient>};
    if (sameOperands(run)) {
        op.enclosure = each<Interval>([](const Interval& a, const Interval& b) {
            const bool zero = a.lo <= 0.0 && a.hi >= 0.0;
            if (a.isUndefined() || (a.lo == 0.0 && a.hi == 0.0)) {
                return interval::undefined();
            }
            (void)b;
            return Interval{1.0, 1.0, a.mayBeUndefined || zero || std::isinf(a.lo) || std::isinf(a.hi)};
        });
    }
    arithmetic(run, op);
}

/// fmod = 0 (integers only): the sign of the divisor, as Python; fmod = 1: the sign of the dividend, as C.
I64 moduloOf(I64 a, I64 b, const Context& context) {
    if (b == -1) {
        return 0;
    }
    const I64 rest = a % b;
    return context.flag || rest == 0 || (rest < 0) == (b < 0) ? rest : rest + b;
}

void modulo(NodeRun& run) {
    const bool fmod = run.integer("fmod", 0) != 0;
    const ElementType type = run.in(0).element();
    if (!run.require(fmod || !isFloat(type), "Mod of floats needs fmod = 1")) {
        return;
    }
    const ElementwiseOp op{.real = each<double>([](double a, double b) { return std::fmod(a, b); }),
                           .enclosure = loop<Interval, interval::fmod>,
                           .integer = eachDividing<I64>([](I64 a, I64 b, const Context& c) { return moduloOf(a, b, c); }),
                           .unsignedInteger = eachDividing<U64>([](U64 a, U64 b, const Context&) { return a % b; }),
                           .integerEnclosure = each<Interval>([](const Interval& a, const Interval& b, const Context& c) {
                               const Interval likeC = interval::fmod(a, b);
                               if (likeC.isUndefined() || c.flag || (a.lo >= 0.0 && b.lo >= 0.0)) {
                                   return likeC;
                               }
                               return Interval{b.lo < 0.0 ? b.lo + 1.0 : 0.0, b.hi > 0.0 ? b.hi - 1.0 : 0.0, likeC.mayBeUndefined};
                           })};
    Context context;
    context.flag = fmod;
    runElementwise(run, Both, type, op, context);
}

I64 integerPower(I64 base, double exponent) {
    // As ONNX Runtime computes it: std::pow in double, truncated.
    const double value = std::pow(static_cast<double>(base), exponent);
    if (std::fabs(value) < 0x1p53) {
        return static_cast<I64>(value);
    }
    if (exponent < 0.0 || exponent != std::floor(exponent) || exponent > 1e6) {
        return std::numeric_limits<I64>::min();
    }
    U64 out = 1; // past double's integers: exact, wrapping
    U64 square = bits(base);
    for (auto n = static_cast<U64>(exponent); n != 0; n >>= 1U) {
        out = (n & 1U) != 0 ? out * square : out;
        square *= square;
    }
    return wrap(out);
}

void power(NodeRun& run) {
    if (!alignLegacy(run)) {
        return;
    }
    const ElementType type = run.in(0).element();
    const ElementType exponentType = run.in(1).element();
    if (run.stopped()) {
        return;
    }
    ElementwiseOp op{.real = each<double>([](double a, double b) { return std::pow(a, b); }),
                     .enclosure = loop<Interval, interval::pow>,
                     .integer = each<I64>([](I64 a, I64 b) { return integerPower(a, static_cast<double>(b)); }),
                     .unsignedInteger = each<U64>([](U64 a, U64 b) { return bits(integerPower(wrap(a), static_cast<double>(b))); }),
                     .integerEnclosure = each<Interval>([](const Interval& a, const Interval& b) { return interval::trunc(interval::pow(a, b)); })};
    Context context;
    if (isFloat(exponentType) && !isFloat(type)) {
        // An integer base with a float exponent: the power in double, truncated.
        op.integer = nullptr;
        op.unsignedInteger = nullptr;
        if (run.enclosing() && isComputable(type)) {
            run.operands[0] = asIntervals(run.in(0));
            context.mixed = true;
        } else {
            const std::vector<I64> base = run.numbers<I64>(0);
            const std::vector<double> exponent = run.numbers<double>(1);
            const std::vector<std::vector<I64>> shapes{run.in(0).shape(), run.in(1).shape()};
            const std::optional<std::vector<I64>> shape = run.stopped() ? std::nullopt : broadcastShape(run, shapes);
            if (!shape || !run.checkSize(*shape, sizeof(double))) {
                return;
            }
            const std::vector<std::vector<I64>> strides{broadcastStrides(shapes[0], *shape), broadcastStrides(shapes[1], *shape)};
            std::vector<I64> out;
            walkRows(*shape, strides, [&](std::span<const I64> at, I64 length) {
                for (I64 i = 0; i < length; ++i) {
                    const I64 sa = shape->empty() ? 0 : strides[0].back();
                    const I64 sb = shape->empty() ? 0 : strides[1].back();
                    out.push_back(integerPower(base[static_cast<std::size_t>(at[0] + i * sa)], exponent[static_cast<std::size_t>(at[1] + i * sb)]));
                }
                return run.tick(static_cast<U64>(length));
            });
            run.give<I64>(0, type, *shape, out);
            return;
        }
    }
    runElementwise(run, Both, type, op, context);
}

// --- comparison and logic

template <typename Real, typename Enclosure, typename Signed, typename Unsigned>
void compare(NodeRun& run, Real real, Enclosure enclosure, Signed integer, Unsigned unsignedInteger) {
    if (!alignLegacy(run)) {
        return;
    }
    const ElementwiseOp op{.real = each<double>(real),
                           .enclosure = each<Interval>(enclosure),
                           .integer = each<I64>(integer),
                           .unsignedInteger = each<U64>(unsignedInteger)};
    // A comparison that reads a narrowing Cast reads its rounding (resources/docs/decisions/numbers.md).
    for (std::size_t i = 0; i < 2 && run.enclosing(); ++i) {
        if (run.has(i) && run.in(i).narrowed && run.in(i).isInterval()) {
            std::vector<Interval> rounded = run.numbers<Interval>(i);
            for (Interval& element : rounded) {
                element = interval::roundedTo(run.in(i).element(), element);
            }
            run.operands[i] = Array(run.in(i).element(), run.in(i).shape(), std::make_shared<std::vector<Interval>>(std::move(rounded)));
        }
    }
    runElementwise(run, Both, ElementType::Bool, op);
}

void equal(NodeRun& run) {
    compare(
        run, [](double a, double b) { return a == b ? 1.0 : 0.0; }, [](const Interval& x, const Interval& y) { return interval::equal(x, y); },
        [](I64 a, I64 b) { return I64{a == b}; }, [](U64 a, U64 b) { return U64{a == b}; });
}
void less(NodeRun& run) {
    compare(
        run, [](double a, double b) { return a < b ? 1.0 : 0.0; }, [](const Interval& x, const Interval& y) { return interval::less(x, y); },
        [](I64 a, I64 b) { return I64{a < b}; }, [](U64 a, U64 b) { return U64{a < b}; });
}
void lessOrEqual(NodeRun& run) {
    compare(
        run, [](double a, double b) { return a <= b ? 1.0 : 0.0; }, [](const Interval& x, const Interval& y) { return interval::lessOrEqual(x, y); },
        [](I64 a, I64 b) { return I64{a <= b}; }, [](U64 a, U64 b) { return U64{a <= b}; });
}
void greater(NodeRun& run) {
    compare(
        run, [](double a, double b) { return a > b ? 1.0 : 0.0; }, [](const Interval& a, const Interval& b) { return interval::less(b, a); },
        [](I64 a, I64 b) { return I64{a > b}; }, [](U64 a, U64 b) { return U64{a > b}; });
}
void greaterOrEqual(NodeRun& run) {
    compare(
        run, [](double a, double b) { return a >= b ? 1.0 : 0.0; }, [](const Interval& a, const Interval& b) { return interval::lessOrEqual(b, a); },
        [](I64 a, I64 b) { return I64{a >= b}; }, [](U64 a, U64 b) { return U64{a >= b}; });
}

void conjunction(NodeRun& run) {
    arithmetic(run, {.enclosure = loop<Interval, interval::min>, .integer = each<I64>([](I64 a, I64 b) { return a & b; })});
}
void disjunction(NodeRun& run) {
    arithmetic(run, {.enclosure = loop<Interval, interval::max>, .integer = each<I64>([](I64 a, I64 b) { return a | b; })});
}
void exclusive(NodeRun& run) {
    arithmetic(run, {.enclosure = each<Interval>([](const Interval& a, const Interval& b) {
                         if (a.isPoint() && b.isPoint()) {
                             return interval::point(a.lo == b.lo ? 0.0 : 1.0);
                         }
                         return Interval{0.0, 1.0, a.mayBeUndefined || b.mayBeUndefined};
                     }),
                     .integer = each<I64>([](I64 a, I64 b) { return a ^ b; })});
}

/// Bit operations on undecided integers: the whole range.
Interval anyOfType(const Interval& a, const Interval& b, const Context& context) {
    Interval out = interval::rangeOf(context.element);
    out.mayBeUndefined = a.mayBeUndefined || b.mayBeUndefined;
    return out;
}

template <typename Unsigned>
void bitwise(NodeRun& run, Unsigned f) {
    arithmetic(run, {.enclosure = each<Interval>([](const Interval& a, const Interval& b, const Context& c) { return anyOfType(a, b, c); }),
                     .integer = each<I64>([](I64 a, I64 b) { return wrap(Unsigned{}(bits(a), bits(b))); }),
                     .unsignedInteger = each<U64>(f)});
}

void bitShift(NodeRun& run) {
    const std::string direction = run.text("direction", "");
    if (!run.require(direction == "LEFT" || direction == "RIGHT", "attribute 'direction' must be LEFT or RIGHT")) {
        return;
    }
    Context context;
    context.flag = direction == "LEFT";
    // A shift by the width or more gives 0, or the sign of a signed right shift.
    const ElementwiseOp op{.enclosure = each<Interval>([](const Interval& a, const Interval& b, const Context& c) { return anyOfType(a, b, c); }),
                           .integer = each<I64>([](I64 a, I64 b, const Context& c) {
                               const auto width = static_cast<I64>(bitWidth(c.element));
                               const bool past = b < 0 || b >= width;
                               if (c.flag) {
                                   return past ? I64{0} : wrap(bits(a) << bits(b));
                               }
                               return past ? (a < 0 ? I64{-1} : I64{0}) : a >> b;
                           }),
                           .unsignedInteger = each<U64>([](U64 a, U64 b, const Context& c) { return b >= 64  ? U64{0}
                                                                                                    : c.flag ? a << b
                                                                                                             : a >> b; })};
    const ElementType type = run.in(0).element();
    runElementwise(run, Both, type, op, context);
}

// --- several operands

void variadic(NodeRun& run, const ElementwiseOp& op) {
    std::vector<std::size_t> all(run.operandCount());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (run.require(!all.empty(), "at least one operand is needed")) {
        runElementwise(run, all, run.in(0).element(), op);
    }
}

// NaN goes through; of two zeros the first stays.
double maximum(double a, double b) { return std::isnan(a) ? a : std::isnan(b) ? b : a < b ? b : a; }
double minimum(double a, double b) { return std::isnan(a) ? a : std::isnan(b) ? b : b < a ? b : a; }

void maximumOf(NodeRun& run) {
    variadic(run, {.real = fold<double>([](double a, double b) { return maximum(a, b); }),
                   .enclosure = fold<Interval>([](const Interval& a, const Interval& b) { return interval::max(a, b); }),
                   .integer = fold<I64>([](I64 a, I64 b) { return std::max(a, b); }),
                   .unsignedInteger = fold<U64>([](U64 a, U64 b) { return std::max(a, b); })});
}
void minimumOf(NodeRun& run) {
    variadic(run, {.real = fold<double>([](double a, double b) { return minimum(a, b); }),
                   .enclosure = fold<Interval>([](const Interval& a, const Interval& b) { return interval::min(a, b); }),
                   .integer = fold<I64>([](I64 a, I64 b) { return std::min(a, b); }),
                   .unsignedInteger = fold<U64>([](U64 a, U64 b) { return std::min(a, b); })});
}

template <bool Mean>
I64 sumIntervals(const Interval* const* in, Interval* out, I64 count, const Context& context) {
    for (I64 i = 0; i < count; ++i) {
        Interval value = in[0][i];
        double magnitude = interval::abs(value).hi;
        {
            const ScopedRounding none{IntervalRounding{}};
            for (std::size_t k = 1; k < context.operandCount; ++k) {
                value = value + in[k][i];
                magnitude += interval::abs(in[k][i]).hi;
            }
        }
        value = context.operandCount > 1 ? interval::chargedSum(value, magnitude, static_cast<double>(context.operandCount)) : value;
        out[i] = Mean ? value / interval::point(static_cast<double>(context.operandCount)) : value;
    }
    return -1;
}

void sumOf(NodeRun& run) {
    variadic(run, {.real = fold<double>([](double a, double b) { return a + b; }), .enclosure = sumIntervals<false>});
}
void meanOf(NodeRun& run) {
    variadic(run, {.real = [](const double* const* in, double* out, I64 count, const Context& context) -> I64 {
                       fold<double>([](double a, double b) { return a + b; })(in, out, count, context);
                       for (I64 i = 0; i < count; ++i) {
                           out[i] /= static_cast<double>(context.operandCount);
                       }
                       return -1;
                   },
                   .enclosure = sumIntervals<true>});
}

void clip(NodeRun& run) {
    const ElementType type = run.in(0).element();
    if (run.stopped()) {
        return;
    }
    if (run.version() < 11) {
        Context context;
        context.a = run.real("min", -interval::Infinity);
        context.b = run.real("max", interval::Infinity);
        const ElementwiseOp op{.real = [](const double* const* in, double* out, I64 count, const Context& c) -> I64 {
                                   for (I64 i = 0; i < count; ++i) {
                                       out[i] = minimum(maximum(in[0][i], c.a), c.b);
                                   }
                                   return -1;
                               },
                               .enclosure = [](const Interval* const* in, Interval* out, I64 count, const Context& c) -> I64 {
                                   for (I64 i = 0; i < count; ++i) {
                                       out[i] = interval::min(interval::max(in[0][i], interval::point(c.a)), interval::point(c.b));
                                   }
                                   return -1;
                               }};
        constexpr std::array<std::size_t, 1> First{0};
        runElementwise(run, First, type, op, context);
        return;
    }
    // The upper bound wins when the bounds cross (from opset 13 the text says so; ONNX Runtime always did).
    std::vector<std::size_t> operands{0};
    Context context;
    if (run.has(1)) {
        operands.push_back(1);
        context.flag = true;
    }
    if (run.has(2)) {
        operands.push_back(2);
    }
    for (const std::size_t k : operands) {
        if (!run.require(k == 0 || run.in(k).count() == 1, "the bounds of Clip must be scalars")) {
            return;
        }
        if (k != 0) {
            run.operands[k] = run.in(k).reshaped({});
        }
    }
    const auto body = [](const auto* const* in, auto* out, I64 count, const Context& c, auto largest, auto smallest) -> I64 {
        const std::size_t upper = c.flag ? 2 : 1;
        for (I64 i = 0; i < count; ++i) {
            auto value = in[0][i];
            value = c.flag ? largest(value, in[1][i]) : value;
            out[i] = c.operandCount > upper ? smallest(value, in[upper][i]) : value;
        }
        return -1;
    };
    (void)body;
    const ElementwiseOp op{.real = [](const double* const* in, double* out, I64 count, const Context& c) -> I64 {
                               return decltype(body){}(in, out, count, c, maximum, minimum);
                           },
                           .enclosure = [](const Interval* const* in, Interval* out, I64 count, const Context& c) -> I64 {
                               return decltype(body){}(in, out, count, c, interval::max, interval::min);
                           },
                           .integer = [](const I64* const* in, I64* out, I64 count, const Context& c) -> I64 {
                               return decltype(body){}(
                                   in, out, count, c, [](I64 a, I64 b) { return std::max(a, b); }, [](I64 a, I64 b) { return std::min(a, b); });
                           },
                           .unsignedInteger = [](const U64* const* in, U64* out, I64 count, const Context& c) -> I64 {
                               return decltype(body){}(
                                   in, out, count, c, [](U64 a, U64 b) { return std::max(a, b); }, [](U64 a, U64 b) { return std::min(a, b); });
                           }};
    runElementwise(run, operands, type, op, context);
}

void prelu(NodeRun& run) {
    // Before opset 7 a slope of one axis runs over the channels (axis 1).
    if (run.version() < 7 && run.has(1) && run.in(1).rank() == 1 && run.in(1).count() > 1 && run.in(0).rank() > 1) {
        std::vector<I64> shape(run.in(0).rank() - 1, 1);
        shape[0] = run.in(1).count();
        run.operands[1] = run.in(1).reshaped(shape);
    }
    arithmetic(run, {.real = each<double>([](double x, double slope) { return x < 0.0 ? slope * x : x; }),
                     .enclosure = each<Interval>([](const Interval& x, const Interval& slope) {
                         if (x.isUndefined() || x.lo >= 0.0) {
                             return x;
                         }
                         const Interval negative = Interval{x.lo, std::min(x.hi, 0.0), x.mayBeUndefined} * slope;
                         return x.hi < 0.0 ? negative : interval::hull(negative, {0.0, x.hi, false});
                     }),
                     .integer = each<I64>([](I64 x, I64 slope) { return x < 0 ? wrap(bits(slope) * bits(x)) : x; }),
                     .unsignedInteger = each<U64>([](U64 x, U64) { return x; })});
}

/// ONNX Runtime's Gelu of x + bias; FastGelu's bias is optional.
template <bool Fast>
void biasedGelu(NodeRun& run) {
    const std::array<std::size_t, 2> operands{0, 1};
    const ElementType type = run.in(0).element();
    if (!run.stopped()) {
        const ElementwiseOp op{.real = [](const double* const* in, double* out, I64 count, const Context& c) -> I64 {
                                   for (I64 i = 0; i < count; ++i) {
                                       const double x = c.operandCount > 1 ? in[0][i] + in[1][i] : in[0][i];
                                       out[i] = Fast ? geluTanh(x) : geluErf(x);
                                   }
                                   return -1;
                               },
                               .enclosure = [](const Interval* const* in, Interval* out, I64 count, const Context& c) -> I64 {
                                   for (I64 i = 0; i < count; ++i) {
                                       const Interval x = c.operandCount > 1 ? in[0][i] + in[1][i] : in[0][i];
                                       out[i] = Fast ? geluTanh(x) : geluErf(x);
                                   }
                                   return -1;
                               }};
        runElementwise(run, std::span(operands).first(run.has(1) ? 2 : 1), type, op);
    }
}

constexpr auto N = KernelTypes::Numbers;
constexpr auto B = KernelTypes::Bools;
constexpr auto Ints = KernelTypes::Integers;

constexpr Kernel Kernels[] = {
    {"", "Add", 1, 0, N, add},
    {"", "Sub", 1, 0, N, subtract},
    {"", "Mul", 1, 0, N, multiply},
    {"", "Div", 1, 0, N, divide},
    {"", "Mod", 10, 0, N, modulo},
    {"", "Pow", 1, 0, N, power},
    {"", "Equal", 1, 0, KernelTypes::Computed, equal},
    {"", "Less", 1, 0, N, less},
    {"", "LessOrEqual", 12, 0, N, lessOrEqual},
    {"", "Greater", 1, 0, N, greater},
    {"", "GreaterOrEqual", 12, 0, N, greaterOrEqual},
    {"", "And", 1, 0, B, conjunction},
    {"", "Or", 1, 0, B, disjunction},
    {"", "Xor", 1, 0, B, exclusive},
    {"", "BitwiseAnd", 18, 0, Ints, [](NodeRun& run) { bitwise(run, [](U64 a, U64 b) { return a & b; }); }},
    {"", "BitwiseOr", 18, 0, Ints, [](NodeRun& run) { bitwise(run, [](U64 a, U64 b) { return a | b; }); }},
    {"", "BitwiseXor", 18, 0, Ints, [](NodeRun& run) { bitwise(run, [](U64 a, U64 b) { return a ^ b; }); }},
    {"", "BitShift", 11, 0, Ints, bitShift},
    {"", "Max", 1, 0, N, maximumOf},
    {"", "Min", 1, 0, N, minimumOf},
    {"", "Sum", 1, 0, KernelTypes::Floats, sumOf},
    {"", "Mean", 1, 0, KernelTypes::Floats, meanOf},
    {"", "Clip", 1, 0, N, clip},
    {"", "PRelu", 1, 0, N, prelu},
    {"com.microsoft", "BiasGelu", 1, 0, KernelTypes::Floats, biasedGelu<false>},
    {"com.microsoft", "FastGelu", 1, 0, KernelTypes::Floats, biasedGelu<true>},
};

} // namespace

std::span<const Kernel> binaryKernels() { return Kernels; }

} // namespace lemmascope
