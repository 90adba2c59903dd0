#include "tests/conformance/ort/case_maker.h"

namespace lemmascope::test {

namespace {

using E = ElementType;
using Types = std::vector<ElementType>;

const Types Floats{E::F32, E::F64};
const Types Numbers{E::F32, E::F64, E::I32, E::I64, E::I8, E::U8};

struct Unary {
    const char* op;
    Types types;
    double low;
    double high;
    std::int64_t since = 13;
};

void addUnary(CaseMaker& maker) {
    const std::vector<Unary> ops{
        {"Abs", Numbers, -5, 5},
        {"Neg", {E::F32, E::F64, E::I32, E::I64, E::I8}, -5, 5},
        {"Relu", {E::F32, E::F64}, -5, 5},
        {"Relu", {E::I32, E::I8}, -5, 5, 17},
        {"Sigmoid", Floats, -9, 9},
        {"Tanh", Floats, -9, 9},
        {"Erf", {E::F32}, -3, 3},
        {"Exp", Floats, -9, 9},
        {"Log", Floats, 0.01, 9},
        {"Sqrt", Floats, 0, 9},
        {"Reciprocal", Floats, 0.5, 9},
        {"Floor", Floats, -5, 5},
        {"Ceil", Floats, -5, 5},
        {"Round", Floats, -5, 5},
        {"Sign", Numbers, -5, 5},
        {"Identity", Numbers, -5, 5},
        {"Not", {E::Bool}, 0, 1},
        {"Softplus", Floats, -9, 9},
        {"Softsign", {E::F32}, -9, 9},
        {"HardSwish", {E::F32}, -5, 5, 17},
        {"Mish", {E::F32}, -5, 5, 18},
        {"Sin", Floats, -9, 9},
        {"Cos", Floats, -9, 9},
        {"Tan", {E::F32}, -1, 1},
        {"Asin", {E::F32}, -1, 1},
        {"Acos", {E::F32}, -1, 1},
        {"Atan", {E::F32}, -9, 9},
        {"Sinh", {E::F32}, -3, 3},
        {"Cosh", {E::F32}, -3, 3},
        {"Asinh", {E::F32}, -9, 9},
        {"Acosh", {E::F32}, 1, 9},
        {"Atanh", {E::F32}, -0.9, 0.9},
        {"IsNaN", {E::F32, E::F64}, -5, 5},
        {"BitwiseNot", {E::I32, E::U8, E::I8, E::I64}, -9, 9, 18},
    };
    for (const Unary& entry : ops) {
        for (const E type : entry.types) {
            for (int k = 0; k < 2; ++k) {
                const auto rank = static_cast<std::size_t>(maker.random.integer(0, 3));
                maker.add(entry.op, maker.opset(entry.since), {given(maker.tensor(type, maker.shape(rank), entry.low, entry.high))});
            }
            if (isFloat(type)) {
                maker.add(entry.op, maker.opset(entry.since), {given(maker.specialFloats(type, {24}))});
            }
        }
    }
    for (const bool both : {true, false}) {
        maker.add("IsInf", maker.opset(13), {given(maker.specialFloats(E::F32, {20}))},
                  {{"detect_negative", std::int64_t{both || maker.random.coin()}}, {"detect_positive", std::int64_t{both}}});
    }
}

void addParametrised(CaseMaker& maker) {
    const auto number = [&maker](double low, double high) { return static_cast<float>(maker.random.real(low, high)); };
    for (const E type : Floats) {
        const auto x = [&] { return given(maker.random.coin() ? maker.specialFloats(type, {17}) : maker.tensor(type, maker.shape(2))); };
        maker.add("LeakyRelu", maker.opset(), {x()});
        if (type == E::F32) {
            maker.add("LeakyRelu", maker.opset(), {x()}, {{"alpha", number(0, 1)}});
            maker.add("HardSigmoid", maker.opset(), {x()});
            maker.add("HardSigmoid", maker.opset(), {x()}, {{"alpha", number(0, 1)}, {"beta", number(0, 1)}});
            maker.add("Elu", maker.opset(), {given(maker.tensor(type, {9}))}, {{"alpha", number(0.5, 2)}});
            maker.add("Selu", maker.opset(), {given(maker.tensor(type, {9}))});
            maker.add("Selu", maker.opset(), {given(maker.tensor(type, {9}))}, {{"alpha", number(1, 2)}, {"gamma", number(1, 2)}});
            maker.add("Celu", maker.opset(), {given(maker.tensor(type, {9}))}, {{"alpha", number(0.5, 2)}});
            maker.add("ThresholdedRelu", maker.opset(), {given(maker.tensor(type, {9}))}, {{"alpha", number(0, 1)}});
            maker.add("Shrink", maker.opset(), {given(maker.tensor(type, {9}))}, {{"bias", number(0, 1)}, {"lambd", number(0, 1)}});
        }
        for (const char* approximate : {"none", "tanh"}) {
            if (type == E::F32 || std::string(approximate) == "none") { // its constants are float32 even for doubles
                maker.add("Gelu", 21, {given(maker.tensor(type, maker.shape(2)))}, {{"approximate", std::string(approximate)}});
            }
        }
    }
    for (const E type : {E::F32, E::F64, E::I32, E::I64, E::I8, E::U8}) {
        for (int bounds = 0; bounds < 4; ++bounds) {
            const auto bound = [&](bool here, double value) { return here ? given(maker.tensor(type, {}, value, value)) : absent(); };
            const Tensor x = isFloat(type) && bounds == 3 ? maker.specialFloats(type, {17}) : maker.tensor(type, maker.shape(2), -5, 5);
            maker.add("Clip", maker.opset(),
                      {given(x), bound((bounds & 1) != 0, isSignedInteger(type) || isFloat(type) ? -1 : 1), bound((bounds & 2) != 0, 2)});
        }
    }
}

/// Two operands, one of which may broadcast.
std::vector<Operand> pair(CaseMaker& maker, E type, double low, double high, double lowRight, double highRight) {
    const Ints wide = maker.shape(static_cast<std::size_t>(maker.random.integer(0, 3)));
    const Ints narrow = maker.random.coin() ? maker.narrower(wide) : wide;
    Operand left = given(maker.tensor(type, wide, low, high));
    Operand right = given(maker.tensor(type, narrow, lowRight, highRight));
    if (maker.random.coin() && low == lowRight && high == highRight) {
        std::swap(left, right);
    }
    right.isConstant = maker.random.coin();
    return {left, right};
}

void addBinary(CaseMaker& maker) {
    for (const E type : Numbers) {
        for (const char* op : {"Add", "Sub", "Mul"}) {
            if (type != E::I8 && type != E::U8) {
                for (int k = 0; k < 3; ++k) {
                    maker.add(op, maker.opset(), pair(maker, type, -5, 5, -5, 5));
                }
            }
        }
        if (isFloat(type)) {
            for (const char* op : {"Add", "Sub", "Mul", "Div", "Min", "Max", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"}) {
                maker.add(op, maker.opset(), {given(maker.specialFloats(type, {5, 6})), given(maker.specialFloats(type, {6}))});
            }
            maker.add("Pow", maker.opset(), {given(maker.specialFloats(type, {24})), given(maker.tensor(type, {1}, 2, 2))});
        }
        const bool wideInteger = type == E::I32 || type == E::I64;
        if (isFloat(type) || wideInteger) {
            maker.add("Div", maker.opset(), pair(maker, type, -9, 9, 1, 4));
            maker.add("Div", maker.opset(), pair(maker, type, -9, 9, -4, -1));
            maker.add("Pow", maker.opset(), pair(maker, type, 1, 4, 0, 3));
            maker.add("Pow", maker.opset(), pair(maker, type, -4, 4, 2, 2));
        }
        if (type == E::I32 || type == E::F32) {
            maker.add("Pow", maker.opset(), {given(maker.tensor(type, {4}, 1, 4)), given(maker.tensor(type == E::I32 ? E::F32 : E::I32, {4}, 0, 3))});
        }
        for (const char* op : {"Min", "Max"}) {
            if (type != E::I8 && type != E::U8) {
                maker.add(op, maker.opset(), pair(maker, type, -5, 5, -5, 5));
                maker.add(op, maker.opset(), {given(maker.tensor(type, {2, 3})), given(maker.tensor(type, {3})), given(maker.tensor(type, {2, 1}))});
                maker.add(op, maker.opset(), {given(maker.tensor(type, {2, 3}))});
            }
        }
        for (const char* op : {"Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Equal"}) {
            maker.add(op, maker.opset(), pair(maker, type, -2, 2, -2, 2));
        }
        if (!isFloat(type)) {
            maker.add("Mod", maker.opset(), pair(maker, type, -9, 9, 1, 4));
            if (isSignedInteger(type)) {
                maker.add("Mod", maker.opset(), pair(maker, type, -9, 9, -4, -1));
                maker.add("Mod", maker.opset(), pair(maker, type, -9, 9, -4, -1), {{"fmod", std::int64_t{1}}});
            }
            for (const char* op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"}) {
                maker.add(op, maker.opset(18), pair(maker, type, -100, 100, -100, 100));
            }
        } else {
            maker.add("Mod", maker.opset(), pair(maker, type, -9, 9, 1, 4), {{"fmod", std::int64_t{1}}});
            maker.add("Mod", maker.opset(), pair(maker, type, -9, 9, -4, -1), {{"fmod", std::int64_t{1}}});
            maker.add("PRelu", maker.opset(), pair(maker, type, -5, 5, 0, 1));
        }
    }
    for (const char* op : {"And", "Or", "Xor", "Equal"}) {
        for (int k = 0; k < 3; ++k) {
            maker.add(op, maker.opset(), pair(maker, E::Bool, 0, 1, 0, 1));
        }
    }
    for (const E type : Floats) {
        for (const char* op : {"Sum", "Mean"}) {
            if (type == E::F32 || std::string(op) == "Sum") {
                maker.add(op, maker.opset(), {given(maker.tensor(type, {2, 3})), given(maker.tensor(type, {3})), given(maker.tensor(type, {2, 1}))});
                maker.add(op, maker.opset(), {given(maker.tensor(type, {2, 3}))});
            }
        }
    }
    for (const char* direction : {"LEFT", "RIGHT"}) {
        for (const E type : {E::U8, E::U32, E::U64}) {
            maker.add("BitShift", maker.opset(), {given(maker.tensor(type, {3, 4}, 0, 200)), given(maker.tensor(type, {4}, 0, 7))},
                      {{"direction", std::string(direction)}});
        }
    }
    for (const E type : {E::F32, E::F64, E::I32, E::I64, E::U8}) {
        for (int k = 0; k < 3; ++k) {
            const Ints wide = maker.shape(3);
            maker.add("Where", maker.opset(),
                      {given(maker.tensor(E::Bool, maker.narrower(wide))), given(maker.tensor(type, wide)),
                       given(maker.tensor(type, maker.narrower(wide)))});
        }
    }
}

void addCasts(CaseMaker& maker) {
    const std::vector<std::pair<E, std::int64_t>> numbers{{E::F32, 1},  {E::U8, 2},   {E::I8, 3},   {E::I32, 6}, {E::I64, 7},
                                                          {E::Bool, 9}, {E::F16, 10}, {E::F64, 11}, {E::U32, 12}};
    for (const auto& [from, fromNumber] : numbers) {
        for (const auto& [to, toNumber] : numbers) {
            // Values that both types hold up to rounding: what lies outside is left open.
            const double low = isSignedInteger(to) || isFloat(to) ? -99 : 0;
            maker.add("Cast", maker.opset(), {given(maker.tensor(from, {2, 5}, low, 99))}, {{"to", toNumber}});
            maker.add("CastLike", maker.opset(17), {given(maker.tensor(from, {2, 5}, low, 99)), given(maker.tensor(to, {1}, 0, 1))});
        }
    }
    maker.add("Cast", maker.opset(), {given(maker.specialFloats(E::F32, {30}))}, {{"to", std::int64_t{9}}});
    maker.add("Cast", maker.opset(), {given(maker.specialFloats(E::F32, {30}))}, {{"to", std::int64_t{10}}});
    maker.add("Cast", maker.opset(), {given(maker.specialFloats(E::F64, {30}))}, {{"to", std::int64_t{1}}});
    // Integers wrap.
    maker.add("Cast", maker.opset(), {given(maker.tensor(E::I32, {30}, -100000, 100000))}, {{"to", std::int64_t{3}}});
    maker.add("Cast", maker.opset(), {given(maker.tensor(E::I64, {30}, -1e15, 1e15))}, {{"to", std::int64_t{6}}});
}

} // namespace

void addElementwiseCases(CaseMaker& maker) {
    addUnary(maker);
    addParametrised(maker);
    addBinary(maker);
    addCasts(maker);
}

} // namespace lemmascope::test
