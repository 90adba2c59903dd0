// Elementwise ops of one tensor. Each function has a real form (double, rounded once to the element type: a float kernel that
// is right to the last bit) and an enclosure; +-* on integers wrap.

#include "core/eval/activation.h"
#include "core/eval/elementwise.h"
#include "core/eval/kernel_table.h"

#include <array>

namespace lemmascope {

namespace {

using Context = ElementwiseContext;

/// The loop of a function (a lambda that captures nothing) of an element, or of an element and the context.
template <typename S, typename F>
ElementwiseLoop<S> each(F) {
    return [](const S* const* in, S* out, std::int64_t count, const Context& context) -> std::int64_t {
        for (std::int64_t i = 0; i < count; ++i) {
            if constexpr (std::is_invocable_v<F, S, const Context&>) {
                out[i] = F{}(in[0][i], context);
            } else {
                out[i] = F{}(in[0][i]);
            }
        }
        (void)context;
        return -1;
    };
}

constexpr std::array<std::size_t, 1> First{0};

template <typename Real, typename Enclosure>
void floats(NodeRun& run, Real real, Enclosure enclosure, const Context& context = {}) {
    runElementwise(run, First, run.in(0).element(), {.real = each<double>(real), .enclosure = each<Interval>(enclosure)}, context);
}

/// Ops with parameters: `fill` reads them from the attributes.
template <typename Real, typename Enclosure, typename Fill>
void floatsWith(NodeRun& run, Real real, Enclosure enclosure, Fill fill) {
    Context context;
    fill(run, context);
    floats(run, real, enclosure, context);
}

Interval pt(double x) { return interval::point(x); }

// f(x) = c x on the negative side, x on the other, for any c.
Interval leaky(const Interval& x, double slope) {
    if (x.isUndefined() || x.lo >= 0.0) {
        return x;
    }
    const Interval negative = Interval{x.lo, std::min(x.hi, 0.0), x.mayBeUndefined} * pt(slope);
    return x.hi <= 0.0 ? negative : interval::hull(negative, Interval{0.0, x.hi, false});
}

double sigmoid(double x) { return x >= 0.0 ? 1.0 / (1.0 + std::exp(-x)) : std::exp(x) / (1.0 + std::exp(x)); }
Interval sigmoid(const Interval& x) { return pt(1.0) / (pt(1.0) + interval::exp(-x)); }

double softplus(double x) { return x > 0.0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
Interval softplus(const Interval& x) {
    // x + log(1 + e^-x) where e^x would overflow.
    return x.hi > 500.0 ? interval::max(x, pt(0.0)) + interval::log1p(interval::exp(-interval::abs(x))) : interval::log1p(interval::exp(x));
}

Interval sixth() {
    const ScopedRounding none{IntervalRounding{}};
    return pt(1.0) / pt(6.0);
}

Interval clamped(const Interval& x, double least, double most) { return interval::min(interval::max(x, pt(least)), pt(most)); }
double clamped(double x, double least, double most) { return x < least ? least : x > most ? most : x; } // NaN goes through

void alpha(NodeRun& run, Context& context, double otherwise) { context.a = run.real("alpha", otherwise); }
/// ONNX's defaults are float32 numbers.
double f32(double x) { return static_cast<double>(static_cast<float>(x)); }

// --- ops that also take integers

template <typename Real, typename Enclosure, typename Signed, typename Unsigned>
void numbers(NodeRun& run, Real real, Enclosure enclosure, Signed integer, Unsigned unsignedInteger) {
    runElementwise(run, First, run.in(0).element(),
                   {.real = each<double>(real),
                    .enclosure = each<Interval>(enclosure),
                    .integer = each<std::int64_t>(integer),
                    .unsignedInteger = each<std::uint64_t>(unsignedInteger)});
}

std::int64_t wrapNeg(std::int64_t x) { return static_cast<std::int64_t>(std::uint64_t{0} - static_cast<std::uint64_t>(x)); }

void negate(NodeRun& run) {
    numbers(
        run, [](double x) { return -x; }, [](const Interval& x) { return interval::neg(x); }, [](std::int64_t x) { return wrapNeg(x); },
        [](std::uint64_t x) { return std::uint64_t{0} - x; });
}
void absolute(NodeRun& run) {
    numbers(
        run, [](double x) { return std::fabs(x); }, [](const Interval& x) { return interval::abs(x); },
        [](std::int64_t x) { return x < 0 ? wrapNeg(x) : x; }, [](std::uint64_t x) { return x; });
}
template <typename T>
T signOf(T x) {
    return x > T{} ? T{1} : x < T{} ? static_cast<T>(T{} - T{1}) : x; // NaN and -0 stay
}
void signum(NodeRun& run) {
    numbers(
        run, [](double x) { return signOf(x); }, [](const Interval& x) { return interval::sign(x); }, [](std::int64_t x) { return signOf(x); },
        [](std::uint64_t x) { return signOf(x); });
}
void relu(NodeRun& run) {
    // NaN and -0 go through, as in ONNX Runtime.
    numbers(
        run, [](double x) { return x < 0.0 ? 0.0 : x; }, [](const Interval& x) { return interval::max(x, pt(0.0)); },
        [](std::int64_t x) { return x < 0 ? 0 : x; }, [](std::uint64_t x) { return x; });
}
void logicalNot(NodeRun& run) {
    ElementwiseOp op;
    op.integer = each<std::int64_t>([](std::int64_t x) { return std::int64_t{x == 0 ? 1 : 0}; });
    op.enclosure = each<Interval>([](const Interval& x) { return x.isUndefined() ? x : Interval{1.0 - x.hi, 1.0 - x.lo, x.mayBeUndefined}; });
    runElementwise(run, First, ElementType::Bool, op);
}
void bitwiseNot(NodeRun& run) {
    ElementwiseOp op;
    op.integer = each<std::int64_t>([](std::int64_t x) { return ~x; });
    op.unsignedInteger = each<std::uint64_t>([](std::uint64_t x) { return ~x; });
    op.enclosure = each<Interval>([](const Interval& x, const Context& c) {
        if (x.isUndefined() || c.element == ElementType::U64) {
            return x.isUndefined() ? x : interval::rangeOf(c.element);
        }
        const double sum = isSignedInteger(c.element) ? -1.0 : interval::rangeOf(c.element).hi; // ~x = sum - x
        return Interval{std::nextafter(sum - x.hi, -interval::Infinity), std::nextafter(sum - x.lo, interval::Infinity), x.mayBeUndefined};
    });
    runElementwise(run, First, run.in(0).element(), op);
}

void isNan(NodeRun& run) {
    ElementwiseOp op;
    op.real = each<double>([](double x) { return std::isnan(x) ? 1.0 : 0.0; });
    op.enclosure = each<Interval>([](const Interval& x) { return x.isUndefined() ? pt(1.0) : Interval{0.0, x.mayBeUndefined ? 1.0 : 0.0, false}; });
    runElementwise(run, First, ElementType::Bool, op);
}
void isInf(NodeRun& run) {
    Context context;
    context.a = run.integer("detect_negative", 1) != 0 ? 1.0 : 0.0;
    context.b = run.integer("detect_positive", 1) != 0 ? 1.0 : 0.0;
    ElementwiseOp op;
    op.real = each<double>([](double x, const Context& c) { return std::isinf(x) ? (x > 0.0 ? c.b : c.a) : 0.0; });
    op.enclosure = each<Interval>([](const Interval& x, const Context& c) {
        if (x.isUndefined() || (std::isfinite(x.lo) && std::isfinite(x.hi))) {
            return pt(0.0);
        }
        return x.isPoint() ? pt(x.lo > 0.0 ? c.b : c.a) : Interval{0.0, 1.0, false};
    });
    runElementwise(run, First, ElementType::Bool, op, context);
}

void gelu(NodeRun& run) {
    if (run.text("approximate", "none") == "tanh") {
        floats(
            run, [](double x) { return geluTanh(x); }, [](const Interval& x) { return geluTanh(x); });
    } else {
        floats(
            run, [](double x) { return geluErf(x); }, [](const Interval& x) { return geluErf(x); });
    }
}

void hardSigmoid(NodeRun& run) {
    floatsWith(
        run, [](double x, const Context& c) { return clamped(c.a * x + c.b, 0.0, 1.0); },
        [](const Interval& x, const Context& c) { return clamped(pt(c.a) * x + pt(c.b), 0.0, 1.0); },
        [](NodeRun& r, Context& c) {
            alpha(r, c, f32(0.2));
            c.b = r.real("beta", 0.5);
        });
}
void hardSwish(NodeRun& run) {
    // The operator's text says 1/6; its function body stores a float32 sixth.
    floats(
        run, [](double x) { return x * clamped(x / 6.0 + 0.5, 0.0, 1.0); },
        [](const Interval& x) { return x * clamped(x * sixth() + pt(0.5), 0.0, 1.0); });
}
void leakyRelu(NodeRun& run) {
    floatsWith(
        run, [](double x, const Context& c) { return x < 0.0 ? c.a * x : x; }, [](const Interval& x, const Context& c) { return leaky(x, c.a); },
        [](NodeRun& r, Context& c) { alpha(r, c, f32(0.01)); });
}
void thresholdedRelu(NodeRun& run) {
    floatsWith(
        run, [](double x, const Context& c) { return x > c.a || std::isnan(x) ? x : 0.0; },
        [](const Interval& x, const Context& c) {
            if (x.isUndefined() || x.lo > c.a) {
                return x;
            }
            return x.hi <= c.a ? Interval{0.0, 0.0, x.mayBeUndefined} : interval::hull(pt(0.0), {std::max(x.lo, c.a), x.hi, x.mayBeUndefined});
        },
        [](NodeRun& r, Context& c) { alpha(r, c, 1.0); });
}

/// Negative side a (e^(x/s) - 1), positive side x, both scaled by `scale`.
Interval exponentialUnit(const Interval& x, double a, double s, double scale) {
    if (x.isUndefined()) {
        return x;
    }
    const auto negative = [&](const Interval& v) { return pt(a) * (interval::exp(s == 1.0 ? v : v / pt(s)) - pt(1.0)); };
    Interval out = x;
    if (x.hi <= 0.0) {
        out = negative(x);
    } else if (x.lo < 0.0) {
        out = interval::hull(negative({x.lo, 0.0, x.mayBeUndefined}), {0.0, x.hi, false});
    }
    return scale == 1.0 ? out : pt(scale) * out;
}
void elu(NodeRun& run) {
    floatsWith(
        run, [](double x, const Context& c) { return x < 0.0 ? c.a * std::expm1(x) : x; },
        [](const Interval& x, const Context& c) { return exponentialUnit(x, c.a, 1.0, 1.0); }, [](NodeRun& r, Context& c) { alpha(r, c, 1.0); });
}
void celu(NodeRun& run) {
    floatsWith(
        run, [](double x, const Context& c) { return x < 0.0 ? c.a * std::expm1(x / c.a) : x; },
        [](const Interval& x, const Context& c) { return exponentialUnit(x, c.a, c.a, 1.0); }, [](NodeRun& r, Context& c) { alpha(r, c, 1.0); });
}
void selu(NodeRun& run) {
    floatsWith(
        run, [](double x, const Context& c) { return c.b * (x <= 0.0 ? c.a * std::expm1(x) : x); },
        [](const Interval& x, const Context& c) { return exponentialUnit(x, c.a, 1.0, c.b); },
        [](NodeRun& r, Context& c) {
            const bool first = r.version() < 6; // opset 1 had rounder defaults
            alpha(r, c, f32(first ? 1.6732 : 1.67326319217681884765625));
            c.b = r.real("gamma", f32(first ? 1.0507 : 1.05070102214813232421875));
        });
}
void swish(NodeRun& run) {
    floatsWith(
        run, [](double x, const Context& c) { return x * sigmoid(c.a * x); },
        [](const Interval& x, const Context& c) { return x * sigmoid(pt(c.a) * x); },
        [](NodeRun& r, Context& c) { alpha(r, c, r.node().op.name == "QuickGelu" ? f32(1.702) : 1.0); });
}
void shrink(NodeRun& run) {
    floatsWith(
        run, [](double x, const Context& c) { return x < -c.a        ? x + c.b
                                                     : x > c.a       ? x - c.b
                                                     : std::isnan(x) ? x
                                                                     : 0.0; },
        [](const Interval& x, const Context& c) {
            if (x.isUndefined()) {
                return x;
            }
            Interval out = interval::undefined();
            const auto join = [&out](const Interval& part) { out = out.isUndefined() ? part : interval::hull(out, part); };
            if (x.lo < -c.a) {
                join(Interval{x.lo, std::min(x.hi, -c.a), x.mayBeUndefined} + pt(c.b));
            }
            if (x.hi > c.a) {
                join(Interval{std::max(x.lo, c.a), x.hi, x.mayBeUndefined} - pt(c.b));
            }
            if (x.hi >= -c.a && x.lo <= c.a) {
                join({0.0, 0.0, x.mayBeUndefined});
            }
            return out;
        },
        [](NodeRun& r, Context& c) {
            c.a = r.real("lambd", 0.5);
            c.b = r.real("bias", 0.0);
        });
}

template <double (*Real)(double), Interval (*Enclosure)(const Interval&)>
void libm(NodeRun& run) {
    floats(
        run, [](double x) { return Real(x); }, [](const Interval& x) { return Enclosure(x); });
}

constexpr auto F = KernelTypes::Floats;
constexpr auto N = KernelTypes::Numbers;

constexpr Kernel Kernels[] = {
    {"", "Neg", 1, 0, N, negate},
    {"", "Abs", 1, 0, N, absolute},
    {"", "Sign", 9, 0, N, signum},
    {"", "Relu", 1, 0, N, relu},
    {"", "Not", 1, 0, KernelTypes::Bools, logicalNot},
    {"", "BitwiseNot", 18, 0, KernelTypes::Integers, bitwiseNot},
    {"", "IsNaN", 9, 0, F, isNan},
    {"", "IsInf", 10, 0, F, isInf},
    {"", "Exp", 1, 0, F, libm<std::exp, interval::exp>},
    {"", "Log", 1, 0, F, libm<std::log, interval::log>},
    {"", "Sqrt", 1, 0, F, libm<std::sqrt, interval::sqrt>},
    {"", "Reciprocal", 1, 0, F,
     [](NodeRun& run) {
         floats(
             run, [](double x) { return 1.0 / x; }, [](const Interval& x) { return pt(1.0) / x; });
     }},
    {"", "Floor", 1, 0, F, libm<std::floor, interval::floor>},
    {"", "Ceil", 1, 0, F, libm<std::ceil, interval::ceil>},
    {"", "Round", 11, 0, F, libm<std::nearbyint, interval::roundEven>},
    {"", "Erf", 9, 0, F, libm<std::erf, interval::erf>},
    {"", "Tanh", 1, 0, F, libm<std::tanh, interval::tanh>},
    {"", "Sin", 7, 0, F, libm<std::sin, interval::sin>},
    {"", "Cos", 7, 0, F, libm<std::cos, interval::cos>},
    {"", "Tan", 7, 0, F, libm<std::tan, interval::tan>},
    {"", "Asin", 7, 0, F, libm<std::asin, interval::asin>},
    {"", "Acos", 7, 0, F, libm<std::acos, interval::acos>},
    {"", "Atan", 7, 0, F, libm<std::atan, interval::atan>},
    {"", "Sinh", 9, 0, F, libm<std::sinh, interval::sinh>},
    {"", "Cosh", 9, 0, F, libm<std::cosh, interval::cosh>},
    {"", "Asinh", 9, 0, F, libm<std::asinh, interval::asinh>},
    {"", "Acosh", 9, 0, F, libm<std::acosh, interval::acosh>},
    {"", "Atanh", 9, 0, F, libm<std::atanh, interval::atanh>},
    {"", "Sigmoid", 1, 0, F,
     [](NodeRun& run) {
         floats(
             run, [](double x) { return sigmoid(x); }, [](const Interval& x) { return sigmoid(x); });
     }},
    {"", "Softplus", 1, 0, F,
     [](NodeRun& run) {
         floats(
             run, [](double x) { return softplus(x); }, [](const Interval& x) { return softplus(x); });
     }},
    {"", "Softsign", 1, 0, F,
     [](NodeRun& run) {
         floats(
             run, [](double x) { return x / (1.0 + std::fabs(x)); }, [](const Interval& x) { return x / (pt(1.0) + interval::abs(x)); });
     }},
    {"", "Mish", 18, 0, F,
     [](NodeRun& run) {
         floats(
             run, [](double x) { return x * std::tanh(softplus(x)); }, [](const Interval& x) { return x * interval::tanh(softplus(x)); });
     }},
    {"", "Gelu", 20, 0, F, gelu},
    {"com.microsoft", "Gelu", 1, 0, F, gelu},
    {"", "HardSigmoid", 1, 0, F, hardSigmoid},
    {"", "HardSwish", 14, 0, F, hardSwish},
    {"", "LeakyRelu", 1, 0, F, leakyRelu},
    {"", "ThresholdedRelu", 1, 0, F, thresholdedRelu},
    {"", "Elu", 1, 0, F, elu},
    {"", "Celu", 12, 0, F, celu},
    {"", "Selu", 1, 0, F, selu},
    {"", "Swish", 24, 0, F, swish},
    {"com.microsoft", "QuickGelu", 1, 0, F, swish},
    {"", "Shrink", 9, 0, F, shrink},
};

} // namespace

std::span<const Kernel> unaryKernels() { return Kernels; }

} // namespace lemmascope
