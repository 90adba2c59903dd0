#include "core/interp/scalar.h"

#include <bit>
#include <cmath>
#include <limits>

namespace lemmascope::interp {

namespace {

__extension__ using Wide = __int128;
__extension__ using WideUnsigned = unsigned __int128;

bool compareInteger(CmpIPredicate predicate, ValueType type, std::uint64_t a, std::uint64_t b) {
    const std::int64_t x = signedOf(type, a);
    const std::int64_t y = signedOf(type, b);
    switch (predicate) {
    case CmpIPredicate::Eq: return a == b;
    case CmpIPredicate::Ne: return a != b;
    case CmpIPredicate::Slt: return x < y;
    case CmpIPredicate::Sle: return x <= y;
    case CmpIPredicate::Sgt: return x > y;
    case CmpIPredicate::Sge: return x >= y;
    case CmpIPredicate::Ult: return a < b;
    case CmpIPredicate::Ule: return a <= b;
    case CmpIPredicate::Ugt: return a > b;
    case CmpIPredicate::Uge: return a >= b;
    }
    return false;
}

bool compareFloat(CmpFPredicate predicate, double x, double y) {
    const bool unordered = std::isnan(x) || std::isnan(y);
    switch (predicate) {
    case CmpFPredicate::False: return false;
    case CmpFPredicate::Oeq: return !unordered && x == y;
    case CmpFPredicate::Ogt: return !unordered && x > y;
    case CmpFPredicate::Oge: return !unordered && x >= y;
    case CmpFPredicate::Olt: return !unordered && x < y;
    case CmpFPredicate::Ole: return !unordered && x <= y;
    case CmpFPredicate::One: return !unordered && x != y;
    case CmpFPredicate::Ord: return !unordered;
    case CmpFPredicate::Ueq: return unordered || x == y;
    case CmpFPredicate::Ugt: return unordered || x > y;
    case CmpFPredicate::Uge: return unordered || x >= y;
    case CmpFPredicate::Ult: return unordered || x < y;
    case CmpFPredicate::Ule: return unordered || x <= y;
    case CmpFPredicate::Une: return unordered || x != y;
    case CmpFPredicate::Uno: return unordered;
    case CmpFPredicate::True: return true;
    }
    return false;
}

double roundEven(double x) {
    const double rounded = std::round(x);
    if (std::fabs(x - std::trunc(x)) == 0.5) {
        return std::copysign(2.0 * std::round(x / 2.0), x);
    }
    return std::copysign(rounded, x);
}

double mathFunction(MathFunction function, double x) {
    switch (function) {
    case MathFunction::Abs: return std::fabs(x);
    case MathFunction::Acos: return std::acos(x);
    case MathFunction::Acosh: return std::acosh(x);
    case MathFunction::Asin: return std::asin(x);
    case MathFunction::Asinh: return std::asinh(x);
    case MathFunction::Atan: return std::atan(x);
    case MathFunction::Atanh: return std::atanh(x);
    case MathFunction::Cbrt: return std::cbrt(x);
    case MathFunction::Ceil: return std::ceil(x);
    case MathFunction::Cos: return std::cos(x);
    case MathFunction::Cosh: return std::cosh(x);
    case MathFunction::Erf: return std::erf(x);
    case MathFunction::Exp: return std::exp(x);
    case MathFunction::Exp2: return std::exp2(x);
    case MathFunction::ExpM1: return std::expm1(x);
    case MathFunction::Floor: return std::floor(x);
    case MathFunction::Log: return std::log(x);
    case MathFunction::Log10: return std::log10(x);
    case MathFunction::Log1p: return std::log1p(x);
    case MathFunction::Log2: return std::log2(x);
    case MathFunction::Round: return std::round(x);
    case MathFunction::RoundEven: return roundEven(x);
    case MathFunction::Rsqrt: return 1.0 / std::sqrt(x);
    case MathFunction::Sin: return std::sin(x);
    case MathFunction::Sinh: return std::sinh(x);
    case MathFunction::Sqrt: return std::sqrt(x);
    case MathFunction::Tan: return std::tan(x);
    case MathFunction::Tanh: return std::tanh(x);
    case MathFunction::Trunc: return std::trunc(x);
    default: return std::numeric_limits<double>::quiet_NaN();
    }
}

/// An integer as a float, rounded once: what double cannot hold keeps a sticky last digit (round to odd).
std::uint64_t fromInteger(ValueType type, bool negative, std::uint64_t magnitude) {
    if (type == F64 || type == F32) {
        const double wide = type == F64 ? static_cast<double>(magnitude) : static_cast<double>(static_cast<float>(magnitude));
        return bitsOf(type, negative ? -wide : wide);
    }
    const int zeros = std::countl_zero(magnitude | 1);
    std::uint64_t kept = magnitude;
    if (zeros < 11) {
        const std::uint64_t low = (std::uint64_t{1} << (11 - zeros)) - 1;
        kept = (magnitude & ~low) | ((magnitude & low) != 0 ? low + 1 : 0);
    }
    const auto value = static_cast<double>(kept);
    return bitsOf(type, negative ? -value : value);
}

ScalarResult toInteger(ValueType type, double value, bool isSigned) {
    const double whole = std::trunc(value);
    const double limit = std::ldexp(1.0, static_cast<int>(type.width()) - (isSigned ? 1 : 0));
    if (std::isnan(value) || whole >= limit || whole < (isSigned ? -limit : 0.0)) {
        return {0, ScalarFault::Poison};
    }
    const std::uint64_t bits = isSigned ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)) : static_cast<std::uint64_t>(whole);
    return {bits & maskOf(type), ScalarFault::Fine};
}

ScalarResult divide(Op op, ValueType type, std::uint64_t a, std::uint64_t b) {
    if (b == 0) {
        return {0, ScalarFault::DivisionByZero};
    }
    const std::uint64_t mask = maskOf(type);
    switch (op) {
    case Op::DivU: return {a / b};
    case Op::RemU: return {a % b};
    case Op::CeilDivU: return {(a / b + (a % b != 0 ? 1 : 0)) & mask};
    default: break;
    }
    const Wide x = signedOf(type, a);
    const Wide y = signedOf(type, b);
    const Wide quotient = x / y;
    const Wide rest = x % y;
    Wide result = quotient;
    if (op == Op::RemS) {
        result = rest;
    } else if (op == Op::CeilDivS && rest != 0 && (rest < 0) == (y < 0)) {
        result = quotient + 1;
    } else if (op == Op::FloorDivS && rest != 0 && (rest < 0) != (y < 0)) {
        result = quotient - 1;
    }
    const bool overflows = y == -1 && a == std::uint64_t{1} << (type.width() - 1);
    return {static_cast<std::uint64_t>(result) & mask, overflows ? ScalarFault::DivisionOverflow : ScalarFault::Fine};
}

/// Add, sub, mul and shl with their flags.
ScalarResult wrapping(Op op, ValueType type, std::uint16_t flags, std::uint64_t a, std::uint64_t b) {
    const std::uint64_t mask = maskOf(type);
    std::uint64_t bits = 0;
    switch (op) {
    case Op::AddI: bits = a + b; break;
    case Op::SubI: bits = a - b; break;
    case Op::MulI: bits = a * b; break;
    default: bits = b >= type.width() ? 0 : a << b; break;
    }
    ScalarResult result{bits & mask, op == Op::Shl && b >= type.width() ? ScalarFault::Poison : ScalarFault::Fine};
    if (flags == 0) {
        return result;
    }
    const Wide x = signedOf(type, a);
    const Wide y = signedOf(type, b);
    const WideUnsigned u = a;
    const bool tooFar = op == Op::Shl && b >= type.width();
    const Wide exact = op == Op::AddI ? x + y : op == Op::SubI ? x - y : op == Op::MulI ? x * y : tooFar ? 0 : x * (Wide{1} << b);
    const bool fits = op == Op::AddI ? u + b <= mask : op == Op::SubI ? a >= b : op == Op::MulI ? u * b <= mask : !tooFar && (u << b) <= mask;
    if (tooFar || ((flags & NoSignedWrap) != 0 && exact != signedOf(type, result.bits)) || ((flags & NoUnsignedWrap) != 0 && !fits)) {
        result.fault = ScalarFault::Poison;
    }
    return result;
}

std::uint64_t countBits(MathFunction function, ValueType type, std::uint64_t a) {
    const unsigned width = type.width();
    switch (function) {
    case MathFunction::AbsI: return (signedOf(type, a) < 0 ? std::uint64_t{0} - a : a) & maskOf(type);
    case MathFunction::CountLeadingZeros: return (a == 0 ? width : static_cast<unsigned>(std::countl_zero(a)) - (64 - width)) & maskOf(type);
    case MathFunction::CountTrailingZeros: return (a == 0 ? width : static_cast<unsigned>(std::countr_zero(a))) & maskOf(type);
    default: return static_cast<unsigned>(std::popcount(a)) & maskOf(type);
    }
}

double minimum(double x, double y, bool numberWins, bool wantsLess) {
    if (std::isnan(x) || std::isnan(y)) {
        return numberWins ? (std::isnan(x) ? y : x) : std::numeric_limits<double>::quiet_NaN();
    }
    if (x == y) {
        return std::signbit(x) == wantsLess ? x : y; // -0 < +0
    }
    return (x < y) == wantsLess ? x : y;
}

double binaryFloat(Op op, MathFunction function, double x, double y) {
    switch (op) {
    case Op::AddF: return x + y;
    case Op::SubF: return x - y;
    case Op::MulF: return x * y;
    case Op::DivF: return x / y;
    case Op::RemF: return std::fmod(x, y);
    case Op::MinimumF: return minimum(x, y, false, true);
    case Op::MaximumF: return minimum(x, y, false, false);
    case Op::MinNumF: return minimum(x, y, true, true);
    case Op::MaxNumF: return minimum(x, y, true, false);
    default: break;
    }
    switch (function) {
    case MathFunction::Pow: return std::pow(x, y);
    case MathFunction::Atan2: return std::atan2(x, y);
    default: return std::copysign(x, y);
    }
}

} // namespace

ScalarResult evaluate(Op op, ValueType type, std::uint16_t aux, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    const std::uint64_t mask = maskOf(type);
    const ValueType from{static_cast<std::uint8_t>(aux)};
    switch (op) {
    case Op::AddI:
    case Op::SubI:
    case Op::MulI:
    case Op::Shl: return wrapping(op, type, aux, a, b);
    case Op::DivS:
    case Op::DivU:
    case Op::RemS:
    case Op::RemU:
    case Op::CeilDivS:
    case Op::CeilDivU:
    case Op::FloorDivS: return divide(op, type, a, b);
    case Op::And: return {a & b};
    case Op::Or: return {a | b};
    case Op::Xor: return {a ^ b};
    case Op::ShrS:
        return {static_cast<std::uint64_t>(signedOf(type, a) >> (b >= type.width() ? 63 : b)) & mask,
                b >= type.width() ? ScalarFault::Poison : ScalarFault::Fine};
    case Op::ShrU: return {b >= type.width() ? 0 : a >> b, b >= type.width() ? ScalarFault::Poison : ScalarFault::Fine};
    case Op::MinS: return {signedOf(type, a) < signedOf(type, b) ? a : b};
    case Op::MaxS: return {signedOf(type, a) > signedOf(type, b) ? a : b};
    case Op::MinU: return {a < b ? a : b};
    case Op::MaxU: return {a > b ? a : b};
    case Op::MulHighS: return {static_cast<std::uint64_t>((static_cast<Wide>(signedOf(type, a)) * signedOf(type, b)) >> type.width()) & mask};
    case Op::MulHighU: return {static_cast<std::uint64_t>((static_cast<WideUnsigned>(a) * b) >> type.width()) & mask};
    case Op::CmpI: return {compareInteger(static_cast<CmpIPredicate>(aux), type, a, b) ? 1U : 0U};
    case Op::CmpF: return {compareFloat(static_cast<CmpFPredicate>(aux), doubleOf(type, a), doubleOf(type, b)) ? 1U : 0U};
    case Op::Select: return {a != 0 ? b : c};
    case Op::Copy: return {a};
    case Op::ExtU:
    case Op::Trunc:
    case Op::Bitcast:
    case Op::IndexCastU: return {a & mask};
    case Op::ExtS:
    case Op::IndexCastS: return {static_cast<std::uint64_t>(signedOf(from, a)) & mask};
    case Op::ExtF:
    case Op::TruncF: return {bitsOf(type, doubleOf(from, a))};
    case Op::IntToFloatS: {
        const std::int64_t value = signedOf(from, a);
        return {fromInteger(type, value < 0, value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value))};
    }
    case Op::IntToFloatU: return {fromInteger(type, false, a)};
    case Op::FloatToIntS: return toInteger(type, doubleOf(from, a), true);
    case Op::FloatToIntU: return toInteger(type, doubleOf(from, a), false);
    case Op::NegF: return {a ^ (std::uint64_t{1} << (type.width() - 1))};
    case Op::AddF:
    case Op::SubF:
    case Op::MulF:
    case Op::DivF:
    case Op::RemF:
    case Op::MinimumF:
    case Op::MaximumF:
    case Op::MinNumF:
    case Op::MaxNumF:
    case Op::Math2: return {bitsOf(type, binaryFloat(op, static_cast<MathFunction>(aux), doubleOf(type, a), doubleOf(type, b)))};
    case Op::Fma: {
        if (type == F32) {
            return {bitsOf(F32, static_cast<double>(std::fmaf(std::bit_cast<float>(static_cast<std::uint32_t>(a)),
                                                              std::bit_cast<float>(static_cast<std::uint32_t>(b)),
                                                              std::bit_cast<float>(static_cast<std::uint32_t>(c)))))};
        }
        return {bitsOf(type, std::fma(doubleOf(type, a), doubleOf(type, b), doubleOf(type, c)))};
    }
    case Op::Math1: {
        const double x = doubleOf(type, a);
        switch (static_cast<MathFunction>(aux)) {
        case MathFunction::IsNan: return {std::isnan(x) ? 1U : 0U};
        case MathFunction::IsInf: return {std::isinf(x) ? 1U : 0U};
        case MathFunction::IsFinite: return {std::isfinite(x) ? 1U : 0U};
        case MathFunction::Abs: return {a & (mask >> 1)};
        default: return {bitsOf(type, mathFunction(static_cast<MathFunction>(aux), x))};
        }
    }
    case Op::MathInt: return {countBits(static_cast<MathFunction>(aux), type, a)};
    default: return {0, ScalarFault::Poison};
    }
}

namespace {

/// Products and quotients below have residuals that a double may not hold.
constexpr double LeastProduct = 1e-280;

bool isSum(double x, double y, double sum) {
    // Knuth's TwoSum: what rounding took away.
    const double rounded = x + y;
    const double part = rounded - x;
    const double residual = (x - (rounded - part)) + (y - part);
    return std::isfinite(rounded) && rounded == sum && residual == 0.0;
}

bool isProduct(double x, double y, double product) {
    if (x == 0.0 || y == 0.0) {
        return product == 0.0;
    }
    return std::isfinite(product) && std::fabs(product) >= LeastProduct && std::fma(x, y, -product) == 0.0;
}

bool mayRoundFunction(MathFunction function, double x, double y, double result) {
    switch (function) {
    case MathFunction::Abs:
    case MathFunction::Ceil:
    case MathFunction::Floor:
    case MathFunction::Round:
    case MathFunction::RoundEven:
    case MathFunction::Trunc:
    case MathFunction::IsNan:
    case MathFunction::IsInf:
    case MathFunction::IsFinite: return !std::isfinite(x);
    case MathFunction::Sqrt: return !isProduct(result, result, x);
    case MathFunction::CopySign: return !std::isfinite(x) || !std::isfinite(y) || y == 0.0; // zero has no sign over the reals
    default: return true;
    }
}

} // namespace

bool mayRound(Op op, ValueType type, std::uint16_t aux, std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t result) {
    const ValueType from{static_cast<std::uint8_t>(aux)};
    switch (op) {
    case Op::Bitcast: return from.isFloat() || type.isFloat();
    case Op::ExtF:
    case Op::TruncF: {
        const double x = doubleOf(from, a);
        return !std::isfinite(x) || doubleOf(type, result) != x;
    }
    case Op::IntToFloatS:
    case Op::IntToFloatU: {
        const double made = doubleOf(type, result);
        constexpr double Most = 9007199254740992.0; // 2^53: from there on a double may be another integer
        const bool isSigned = op == Op::IntToFloatS;
        return std::fabs(made) > Most || (isSigned ? static_cast<double>(signedOf(from, a)) : static_cast<double>(a)) != made;
    }
    case Op::FloatToIntS:
    case Op::FloatToIntU: return !std::isfinite(doubleOf(from, a));
    case Op::AddF: return !isSum(doubleOf(type, a), doubleOf(type, b), doubleOf(type, result));
    case Op::SubF: return !isSum(doubleOf(type, a), -doubleOf(type, b), doubleOf(type, result));
    case Op::MulF: return !isProduct(doubleOf(type, a), doubleOf(type, b), doubleOf(type, result));
    case Op::DivF: {
        const double divisor = doubleOf(type, b);
        return divisor == 0.0 || !std::isfinite(divisor) || !isProduct(doubleOf(type, result), divisor, doubleOf(type, a));
    }
    case Op::RemF: return !std::isfinite(doubleOf(type, a)) || !std::isfinite(doubleOf(type, b)) || doubleOf(type, b) == 0.0;
    case Op::NegF: return !std::isfinite(doubleOf(type, a));
    case Op::MinimumF:
    case Op::MaximumF:
    case Op::MinNumF:
    case Op::MaxNumF:
    case Op::CmpF: return !std::isfinite(doubleOf(type, a)) || !std::isfinite(doubleOf(type, b));
    case Op::Math1: return mayRoundFunction(static_cast<MathFunction>(aux), doubleOf(type, a), 0.0, type.isFloat() ? doubleOf(type, result) : 0.0);
    case Op::Math2: return mayRoundFunction(static_cast<MathFunction>(aux), doubleOf(type, a), doubleOf(type, b), doubleOf(type, result));
    case Op::Fma: {
        const double product = doubleOf(type, a) * doubleOf(type, b);
        return !isProduct(doubleOf(type, a), doubleOf(type, b), product) || !isSum(product, doubleOf(type, c), doubleOf(type, result));
    }
    case Op::Open: return true;
    default: return false;
    }
}

bool isExact(Op op, std::uint16_t aux, ValueType type) {
    if (op == Op::Fma) {
        return type == F32 || type == F64;
    }
    if (op == Op::Math2) {
        return static_cast<MathFunction>(aux) == MathFunction::CopySign;
    }
    if (op != Op::Math1) {
        return op != Op::Open;
    }
    switch (static_cast<MathFunction>(aux)) {
    case MathFunction::Abs:
    case MathFunction::Ceil:
    case MathFunction::Floor:
    case MathFunction::Round:
    case MathFunction::RoundEven:
    case MathFunction::Sqrt:
    case MathFunction::Trunc:
    case MathFunction::IsNan:
    case MathFunction::IsInf:
    case MathFunction::IsFinite: return true;
    default: return false;
    }
}

} // namespace lemmascope::interp
