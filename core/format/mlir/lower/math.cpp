#include "core/format/mlir/lower/body.h"

#include <map>

namespace lemmascope::ir {

using interp::MathFunction;
using interp::Op;

namespace {

const std::map<std::string_view, MathFunction> OfOne{{"absf", MathFunction::Abs},    {"acos", MathFunction::Acos},
                                                     {"acosh", MathFunction::Acosh}, {"asin", MathFunction::Asin},
                                                     {"asinh", MathFunction::Asinh}, {"atan", MathFunction::Atan},
                                                     {"atanh", MathFunction::Atanh}, {"cbrt", MathFunction::Cbrt},
                                                     {"ceil", MathFunction::Ceil},   {"cos", MathFunction::Cos},
                                                     {"cosh", MathFunction::Cosh},   {"erf", MathFunction::Erf},
                                                     {"exp", MathFunction::Exp},     {"exp2", MathFunction::Exp2},
                                                     {"expm1", MathFunction::ExpM1}, {"floor", MathFunction::Floor},
                                                     {"log", MathFunction::Log},     {"log10", MathFunction::Log10},
                                                     {"log1p", MathFunction::Log1p}, {"log2", MathFunction::Log2},
                                                     {"round", MathFunction::Round}, {"roundeven", MathFunction::RoundEven},
                                                     {"rsqrt", MathFunction::Rsqrt}, {"sin", MathFunction::Sin},
                                                     {"sinh", MathFunction::Sinh},   {"sqrt", MathFunction::Sqrt},
                                                     {"tan", MathFunction::Tan},     {"tanh", MathFunction::Tanh},
                                                     {"trunc", MathFunction::Trunc}, {"isnan", MathFunction::IsNan},
                                                     {"isinf", MathFunction::IsInf}, {"isfinite", MathFunction::IsFinite}};

const std::map<std::string_view, MathFunction> OfTwo{
    {"powf", MathFunction::Pow}, {"atan2", MathFunction::Atan2}, {"copysign", MathFunction::CopySign}};

const std::map<std::string_view, MathFunction> OfInteger{{"absi", MathFunction::AbsI},
                                                         {"ctlz", MathFunction::CountLeadingZeros},
                                                         {"cttz", MathFunction::CountTrailingZeros},
                                                         {"ctpop", MathFunction::CountOnes}};

/// x^n for n known: the products that any reader of the text would write, squaring as MLIR's own expansion does.
Register power(Body& body, Register base, std::uint64_t exponent, Op multiply) {
    const ValueType type = body.f.code().registers[base];
    std::optional<Register> result;
    Register square = base;
    for (; exponent != 0; exponent >>= 1U) {
        if ((exponent & 1U) != 0) {
            result = result ? body.f.binary(multiply, type, *result, square) : square;
        }
        if (exponent > 1) {
            square = body.f.binary(multiply, type, square, square);
        }
    }
    return *result;
}

std::uint16_t number(MathFunction function) { return static_cast<std::uint16_t>(function); }

} // namespace

bool lowerMath(Body& body, OperationId op, std::string_view fullName) {
    const Module& m = body.module();
    const std::string_view name = fullName.substr(fullName.find('.') + 1);
    if (m.resultCount(op) != 1) {
        return false;
    }
    const Type& type = m.typeOf(m.result(op));
    const auto element = valueType(m, type.element.isValid() ? type.element : m.value(m.result(op)).type);
    if (!element) {
        return false;
    }
    const auto one = [&](Op what, MathFunction function) {
        body.elementwise(op, [&](const std::vector<Register>& in) {
            return std::vector{body.f.unary(what, body.f.code().registers[in[0]], in[0], number(function))};
        });
        return true;
    };
    if (const auto found = OfInteger.find(name); found != OfInteger.end()) {
        return one(Op::MathInt, found->second);
    }
    if (const auto found = OfTwo.find(name); found != OfTwo.end()) {
        body.elementwise(op, [&](const std::vector<Register>& in) {
            return std::vector{body.f.binary(Op::Math2, *element, in[0], in[1], number(found->second))};
        });
        return true;
    }
    if (const auto found = OfOne.find(name); found != OfOne.end()) {
        return one(Op::Math1, found->second);
    }
    if (name == "fma") {
        body.elementwise(op, [&](const std::vector<Register>& in) {
            const Register out = body.f.scalar(*element);
            body.f.emit({Op::Fma, *element, 0, out, in[0], in[1], in[2]});
            return std::vector{out};
        });
        return true;
    }
    if (name == "fpowi" || name == "ipowi") {
        // By a constant exponent only.
        const OperationId from = m.value(m.operand(op, 1)).operation;
        const Attribute* value = from.isValid() && m.name(from) == "arith.constant" ? m.find(from, "value") : nullptr;
        std::optional<std::int64_t> exponent;
        if (value != nullptr && value->kind == Attribute::Kind::Integer) {
            exponent = value->integer;
        } else if (value != nullptr && value->splat && value->type.isValid()) {
            const auto bits = elementBits(m, *value);
            const auto width = valueType(m, m.type(value->type).element);
            if (bits && width) {
                const unsigned unused = 64 - width->width();
                exponent = static_cast<std::int64_t>(bits->front() << unused) >> unused;
            }
        }
        if (!exponent || *exponent < 1 || *exponent > 64) {
            body.refuse(op, "only a constant exponent from 1 to 64 is taken");
            return true;
        }
        body.elementwise(op, [&](const std::vector<Register>& in) {
            return std::vector{power(body, in[0], static_cast<std::uint64_t>(*exponent), name == "ipowi" ? Op::MulI : Op::MulF)};
        });
        return true;
    }
    return false;
}

} // namespace lemmascope::ir
