// tosa: elementwise ops, and those that move data. Sums over windows and rows are in tosa_sums.cpp.
#include "core/format/mlir/lower/tosa.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lemmascope::ir {

using interp::MathFunction;
using interp::Op;

std::vector<std::int64_t> integersOf(const Module& m, OperationId op, std::string_view name) {
    const Attribute* attribute = m.find(op, name);
    return attribute == nullptr ? std::vector<std::int64_t>() : attribute->integers;
}

std::optional<std::vector<std::int64_t>> constantIntegers(const Module& m, ValueId value) {
    const OperationId from = m.value(value).operation;
    const Attribute* attribute =
        from.isValid() && (m.name(from) == "tosa.const" || m.name(from) == "arith.constant") ? m.find(from, "value") : nullptr;
    const auto bits = attribute == nullptr ? std::nullopt : elementBits(m, *attribute);
    const auto element = bits ? valueType(m, m.type(attribute->type).element) : std::nullopt;
    if (!element || !element->isInteger()) {
        return std::nullopt;
    }
    std::vector<std::int64_t> out;
    const std::int64_t count = elementCount(m.type(attribute->type).shape).value_or(0);
    const unsigned unused = 64 - element->width();
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t one = bits->size() == 1 ? bits->front() : bits->at(static_cast<std::size_t>(i));
        out.push_back(static_cast<std::int64_t>(one << unused) >> unused);
    }
    return out;
}

std::vector<Bound> numbers(const std::vector<std::int64_t>& values) {
    std::vector<Bound> out;
    for (const std::int64_t value : values) {
        out.push_back({true, value, 0});
    }
    return out;
}

Register emptyResult(Body& body, OperationId op) {
    const ViewType type = *viewType(body.module(), body.module().value(body.module().result(op)).type);
    return body.newView(type, {});
}

Register loadBroadcast(Body& body, Register view, const std::vector<Register>& at) {
    const std::vector<std::int64_t> sizes = body.f.code().views[view].sizes;
    std::vector<Register> index;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        index.push_back(sizes[axis] == 1 ? body.index(0) : at[at.size() - sizes.size() + axis]);
    }
    return body.f.load(view, index);
}

namespace {

const std::map<std::string_view, std::pair<Op, Op>> Binary{{"add", {Op::AddI, Op::AddF}},
                                                           {"sub", {Op::SubI, Op::SubF}},
                                                           {"maximum", {Op::MaxS, Op::MaximumF}},
                                                           {"minimum", {Op::MinS, Op::MinimumF}},
                                                           {"bitwise_and", {Op::And, Op::And}},
                                                           {"bitwise_or", {Op::Or, Op::Or}},
                                                           {"bitwise_xor", {Op::Xor, Op::Xor}},
                                                           {"logical_and", {Op::And, Op::And}},
                                                           {"logical_or", {Op::Or, Op::Or}},
                                                           {"logical_xor", {Op::Xor, Op::Xor}},
                                                           {"logical_left_shift", {Op::Shl, Op::Shl}},
                                                           {"logical_right_shift", {Op::ShrU, Op::ShrU}},
                                                           {"int_div", {Op::DivS, Op::DivS}}};

const std::map<std::string_view, std::pair<interp::CmpIPredicate, interp::CmpFPredicate>> Comparison{
    {"equal", {interp::CmpIPredicate::Eq, interp::CmpFPredicate::Oeq}},
    {"greater", {interp::CmpIPredicate::Sgt, interp::CmpFPredicate::Ogt}},
    {"greater_equal", {interp::CmpIPredicate::Sge, interp::CmpFPredicate::Oge}}};

const std::map<std::string_view, MathFunction> Function{{"ceil", MathFunction::Ceil}, {"exp", MathFunction::Exp},     {"floor", MathFunction::Floor},
                                                        {"log", MathFunction::Log},   {"rsqrt", MathFunction::Rsqrt}, {"tanh", MathFunction::Tanh},
                                                        {"erf", MathFunction::Erf},   {"sin", MathFunction::Sin},     {"cos", MathFunction::Cos}};

ValueType typeOf(Body& body, Register reg) { return body.f.code().registers[reg]; }

/// Casts with one meaning for every input; from float to integer the rounding and the bounds are left to nobody here.
std::optional<Register> cast(Body& body, Register from, ValueType to) {
    const ValueType type = typeOf(body, from);
    if (type == to) {
        return from;
    }
    if (type.isFloat() && to.isFloat()) {
        return body.f.convert(to.width() > type.width() ? Op::ExtF : Op::TruncF, to, from);
    }
    if (type.isInteger() && to.isFloat()) {
        return body.f.convert(type == interp::Bit ? Op::IntToFloatU : Op::IntToFloatS, to, from);
    }
    if (to == interp::Bit) {
        const auto predicate =
            type.isFloat() ? static_cast<std::uint16_t>(interp::CmpFPredicate::Une) : static_cast<std::uint16_t>(interp::CmpIPredicate::Ne);
        return body.f.binary(type.isFloat() ? Op::CmpF : Op::CmpI, type, from, body.f.number(type, 0.0), predicate);
    }
    if (type.isInteger() && to.isInteger()) {
        return body.f.convert(to.width() < type.width() ? Op::Trunc : type == interp::Bit ? Op::ExtU : Op::ExtS, to, from);
    }
    return std::nullopt;
}

std::optional<Register> clamped(Body& body, OperationId op, Register value) {
    const Module& m = body.module();
    const ValueType type = typeOf(body, value);
    const Attribute* low = m.find(op, type.isFloat() ? "min_fp" : "min_int");
    const Attribute* high = m.find(op, type.isFloat() ? "max_fp" : "max_int");
    if (low == nullptr || high == nullptr) {
        return std::nullopt;
    }
    const Register least = type.isFloat() ? body.f.number(type, low->real) : body.f.constant(type, static_cast<std::uint64_t>(low->integer));
    const Register most = type.isFloat() ? body.f.number(type, high->real) : body.f.constant(type, static_cast<std::uint64_t>(high->integer));
    const Register below = body.f.binary(type.isFloat() ? Op::MinimumF : Op::MinS, type, value, most);
    return body.f.binary(type.isFloat() ? Op::MaximumF : Op::MaxS, type, below, least);
}

/// One element of an elementwise op; nothing if the op is none or has no meaning for its type.
std::optional<Register> elementOf(Body& body, OperationId op, std::string_view name, const std::vector<Register>& in, ValueType result) {
    const Module& m = body.module();
    const ValueType type = typeOf(body, in[0]);
    if (const auto found = Binary.find(name); found != Binary.end()) {
        return body.f.binary(type.isFloat() ? found->second.second : found->second.first, type, in[0], in[1]);
    }
    if (const auto found = Comparison.find(name); found != Comparison.end()) {
        return type.isFloat() ? body.f.binary(Op::CmpF, type, in[0], in[1], static_cast<std::uint16_t>(found->second.second))
                              : body.f.binary(Op::CmpI, type, in[0], in[1], static_cast<std::uint16_t>(found->second.first));
    }
    if (const auto found = Function.find(name); found != Function.end() && type.isFloat()) {
        return body.f.unary(Op::Math1, type, in[0], static_cast<std::uint16_t>(found->second));
    }
    if (name == "mul") {
        const Attribute* shift = m.find(op, "shift");
        if (shift != nullptr && shift->integer != 0) {
            return std::nullopt;
        }
        const auto left = cast(body, in[0], result);
        const auto right = cast(body, in[1], result);
        return left && right ? std::optional(body.f.binary(result.isFloat() ? Op::MulF : Op::MulI, result, *left, *right)) : std::nullopt;
    }
    if (name == "arithmetic_right_shift") {
        const Attribute* round = m.find(op, "round");
        return round != nullptr && round->integer != 0 ? std::nullopt : std::optional(body.f.binary(Op::ShrS, type, in[0], in[1]));
    }
    if (name == "pow") {
        return body.f.binary(Op::Math2, type, in[0], in[1], static_cast<std::uint16_t>(MathFunction::Pow));
    }
    if (name == "abs") {
        return body.f.unary(type.isFloat() ? Op::Math1 : Op::MathInt, type, in[0],
                            static_cast<std::uint16_t>(type.isFloat() ? MathFunction::Abs : MathFunction::AbsI));
    }
    if (name == "clz") {
        return body.f.unary(Op::MathInt, type, in[0], static_cast<std::uint16_t>(MathFunction::CountLeadingZeros));
    }
    if (name == "negate" && m.find(op, "quantization_info") == nullptr) {
        return type.isFloat() ? body.f.unary(Op::NegF, type, in[0]) : body.f.binary(Op::SubI, type, body.f.constant(type, 0), in[0]);
    }
    if (name == "bitwise_not" || name == "logical_not") {
        return body.f.binary(Op::Xor, type, in[0], body.f.constant(type, ~std::uint64_t{0}));
    }
    if (name == "reciprocal") {
        return body.f.binary(Op::DivF, type, body.f.number(type, 1.0), in[0]);
    }
    if (name == "sigmoid") { // 1 / (1 + exp(-x))
        const Register one = body.f.number(type, 1.0);
        const Register exponential =
            body.f.unary(Op::Math1, type, body.f.unary(Op::NegF, type, in[0]), static_cast<std::uint16_t>(MathFunction::Exp));
        return body.f.binary(Op::DivF, type, one, body.f.binary(Op::AddF, type, exponential, one));
    }
    if (name == "select") {
        return body.f.select(typeOf(body, in[1]), in[0], in[1], in[2]);
    }
    if (name == "clamp") {
        return clamped(body, op, in[0]);
    }
    if (name == "cast") {
        return cast(body, in[0], result);
    }
    return std::nullopt;
}

/// A result whose elements are elements of the operand: `from` gives their index.
void moved(Body& body, OperationId op, const std::function<std::vector<Register>(const std::vector<Register>&)>& from) {
    const Register source = body.viewOperand(op, 0);
    const Register into = emptyResult(body, op);
    body.nest(body.sizesOf(into), [&](const std::vector<Register>& at) { body.f.store(body.f.load(source, from(at)), into, at); });
    body.setViewResult(op, into);
}

bool lowerPad(Body& body, OperationId op) {
    const Module& m = body.module();
    const auto padding = constantIntegers(m, m.operand(op, 1));
    const Register source = body.viewOperand(op, 0);
    const std::size_t rank = body.f.code().views[source].sizes.size();
    if (!padding || padding->size() != 2 * rank || m.find(op, "quantization_info") != nullptr ||
        std::any_of(padding->begin(), padding->end(), [](std::int64_t size) { return size < 0; })) {
        return false;
    }
    const Register into = emptyResult(body, op);
    const ValueType element = body.f.code().views[into].element;
    const Register fill = m.operands(op).size() > 2
                              ? body.f.load(body.viewOperand(op, 2), std::vector<Register>(m.typeOf(m.operand(op, 2)).shape.size(), body.index(0)))
                              : body.f.number(element, 0.0);
    body.nest(body.sizesOf(into), [&](const std::vector<Register>& at) { body.f.store(fill, into, at); });
    body.nest(body.sizesOf(source), [&](const std::vector<Register>& at) {
        std::vector<Register> target;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            target.push_back(body.in(body.add({false, 0, at[axis]}, {true, padding->at(2 * axis), 0})));
        }
        body.f.store(body.f.load(source, at), into, target);
    });
    body.setViewResult(op, into);
    return true;
}

bool lowerConcat(Body& body, OperationId op) {
    const Module& m = body.module();
    const Attribute* along = m.find(op, "axis");
    const Register into = emptyResult(body, op);
    const auto axis = static_cast<std::size_t>(along == nullptr ? 0 : along->integer);
    std::int64_t start = 0;
    for (std::size_t i = 0; i < m.operands(op).size(); ++i) {
        const Register from = body.viewOperand(op, i);
        body.nest(body.sizesOf(from), [&](const std::vector<Register>& at) {
            std::vector<Register> target = at;
            target[axis] = body.in(body.add({false, 0, at[axis]}, {true, start, 0}));
            body.f.store(body.f.load(from, at), into, target);
        });
        start += body.f.code().views[from].sizes[axis];
    }
    body.setViewResult(op, into);
    return true;
}

/// values [n, k, c], indices [n, w]: output [n, w, c].
bool lowerGather(Body& body, OperationId op) {
    const Register values = body.viewOperand(op, 0);
    const Register indices = body.viewOperand(op, 1);
    const Register into = emptyResult(body, op);
    body.nest(body.sizesOf(into), [&](const std::vector<Register>& at) {
        const Register pick = body.f.convert(Op::IndexCastS, interp::Index, body.f.load(indices, {at[0], at[1]}));
        body.f.store(body.f.load(values, {at[0], pick, at[2]}), into, at);
    });
    body.setViewResult(op, into);
    return true;
}

bool lowerMovement(Body& body, OperationId op, std::string_view name) {
    const Module& m = body.module();
    if (name == "identity") {
        body.setViewResult(op, body.viewOperand(op, 0));
    } else if (name == "reshape") {
        const Register source = body.viewOperand(op, 0);
        const std::vector<std::int64_t> sizes = m.typeOf(m.result(op)).shape;
        if (sizes.empty() || body.f.code().views[source].sizes.empty()) {
            return false;
        }
        body.setViewResult(op, reshaped(body, source, sizes));
    } else if (name == "transpose") {
        const auto permutation = constantIntegers(m, m.operand(op, 1));
        if (!permutation || permutation->size() != m.typeOf(m.result(op)).shape.size()) {
            return false;
        }
        moved(body, op, [&](const std::vector<Register>& at) {
            std::vector<Register> index(at.size());
            for (std::size_t axis = 0; axis < at.size(); ++axis) {
                index[static_cast<std::size_t>(permutation->at(axis))] = at[axis];
            }
            return index;
        });
    } else if (name == "reverse") {
        const Attribute* along = m.find(op, "axis");
        moved(body, op, [&](const std::vector<Register>& at) {
            std::vector<Register> index = at;
            const auto axis = static_cast<std::size_t>(along == nullptr ? 0 : along->integer);
            index[axis] = body.f.binary(Op::SubI, interp::Index, body.index(m.typeOf(m.result(op)).shape[axis] - 1), at[axis]);
            return index;
        });
    } else if (name == "slice") {
        const std::vector<std::int64_t> start = integersOf(m, op, "start");
        if (start.size() != m.typeOf(m.result(op)).shape.size()) {
            return false;
        }
        moved(body, op, [&](const std::vector<Register>& at) {
            std::vector<Register> index;
            for (std::size_t axis = 0; axis < at.size(); ++axis) {
                index.push_back(body.in(body.add({false, 0, at[axis]}, {true, start[axis], 0})));
            }
            return index;
        });
    } else if (name == "tile") {
        const std::vector<std::int64_t> sizes = m.typeOf(m.operand(op, 0)).shape;
        moved(body, op, [&](const std::vector<Register>& at) {
            std::vector<Register> index;
            for (std::size_t axis = 0; axis < at.size(); ++axis) {
                index.push_back(body.f.binary(Op::RemU, interp::Index, at[axis], body.index(std::max<std::int64_t>(1, sizes[axis]))));
            }
            return index;
        });
    } else if (name == "pad") {
        return lowerPad(body, op);
    } else if (name == "concat") {
        return lowerConcat(body, op);
    } else if (name == "gather") {
        return lowerGather(body, op);
    } else {
        return false;
    }
    return true;
}

bool lowerElementwise(Body& body, OperationId op, std::string_view name) {
    const Module& m = body.module();
    const ValueType result = *valueType(m, m.typeOf(m.result(op)).element);
    std::vector<Register> views;
    for (std::size_t i = 0; i < m.operands(op).size(); ++i) {
        views.push_back(body.viewOperand(op, i));
    }
    if (views.empty()) {
        return false;
    }
    const Register into = emptyResult(body, op);
    bool known = true;
    body.nest(body.sizesOf(into), [&](const std::vector<Register>& at) {
        std::vector<Register> in;
        for (const Register view : views) {
            in.push_back(loadBroadcast(body, view, at));
        }
        const auto element = elementOf(body, op, name, in, result);
        known = element.has_value() && typeOf(body, *element) == result;
        if (known) {
            body.f.store(*element, into, at);
        }
    });
    if (known) {
        body.setViewResult(op, into);
    }
    return known;
}

} // namespace

bool lowerTosa(Body& body, OperationId op, std::string_view fullName) {
    const Module& m = body.module();
    const std::string_view name = fullName.substr(fullName.find('.') + 1);
    for (std::size_t i = 0; i < m.operands(op).size(); ++i) {
        if (m.typeOf(m.operand(op, i)).kind != Type::Kind::Tensor || !elementCount(m.typeOf(m.operand(op, i)).shape)) {
            body.refuse(op, "an operand of type " + m.typeOf(m.operand(op, i)).text);
            return true;
        }
    }
    if (m.resultCount(op) != 1 || !viewType(m, m.value(m.result(op)).type) || !elementCount(m.typeOf(m.result(op)).shape)) {
        return false;
    }
    if (name == "const") {
        return setConstantTensor(body, op);
    }
    return lowerMovement(body, op, name) || lowerTosaSums(body, op, name) || lowerElementwise(body, op, name);
}

} // namespace lemmascope::ir
