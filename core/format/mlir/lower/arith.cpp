// arith and index: integers and floats at their own width, on scalars, vectors and tensors alike.
#include "core/format/mlir/lower/body.h"
#include "core/format/mlir/lower/open.h"

#include <algorithm>
#include <map>

namespace lemmascope::ir {

using interp::Op;

namespace {

const std::map<std::string_view, Op> Binary{{"addi", Op::AddI},
                                            {"subi", Op::SubI},
                                            {"muli", Op::MulI},
                                            {"shli", Op::Shl},
                                            {"divsi", Op::DivS},
                                            {"divui", Op::DivU},
                                            {"remsi", Op::RemS},
                                            {"remui", Op::RemU},
                                            {"ceildivsi", Op::CeilDivS},
                                            {"ceildivui", Op::CeilDivU},
                                            {"floordivsi", Op::FloorDivS},
                                            {"andi", Op::And},
                                            {"ori", Op::Or},
                                            {"xori", Op::Xor},
                                            {"shrsi", Op::ShrS},
                                            {"shrui", Op::ShrU},
                                            {"minsi", Op::MinS},
                                            {"minui", Op::MinU},
                                            {"maxsi", Op::MaxS},
                                            {"maxui", Op::MaxU},
                                            {"addf", Op::AddF},
                                            {"subf", Op::SubF},
                                            {"mulf", Op::MulF},
                                            {"divf", Op::DivF},
                                            {"remf", Op::RemF},
                                            {"minimumf", Op::MinimumF},
                                            {"maximumf", Op::MaximumF},
                                            {"minnumf", Op::MinNumF},
                                            {"maxnumf", Op::MaxNumF}};

const std::map<std::string_view, Op> Conversion{
    {"extsi", Op::ExtS},         {"extui", Op::ExtU},        {"trunci", Op::Trunc},  {"index_cast", Op::IndexCastS}, {"index_castui", Op::IndexCastU},
    {"bitcast", Op::Bitcast},    {"extf", Op::ExtF},         {"truncf", Op::TruncF}, {"sitofp", Op::IntToFloatS},    {"uitofp", Op::IntToFloatU},
    {"fptosi", Op::FloatToIntS}, {"fptoui", Op::FloatToIntU}};

const std::map<std::string_view, Op> IndexBinary{{"add", Op::AddI},
                                                 {"sub", Op::SubI},
                                                 {"mul", Op::MulI},
                                                 {"divs", Op::DivS},
                                                 {"divu", Op::DivU},
                                                 {"ceildivs", Op::CeilDivS},
                                                 {"ceildivu", Op::CeilDivU},
                                                 {"floordivs", Op::FloorDivS},
                                                 {"rems", Op::RemS},
                                                 {"remu", Op::RemU},
                                                 {"maxs", Op::MaxS},
                                                 {"maxu", Op::MaxU},
                                                 {"mins", Op::MinS},
                                                 {"minu", Op::MinU},
                                                 {"shl", Op::Shl},
                                                 {"shrs", Op::ShrS},
                                                 {"shru", Op::ShrU},
                                                 {"and", Op::And},
                                                 {"or", Op::Or},
                                                 {"xor", Op::Xor}};

/// `nsw` and `nuw` of an op.
std::uint16_t overflowFlags(const Module& m, OperationId op) {
    const Attribute* flags = m.find(op, "overflowFlags");
    const auto has = [&](const char* flag) { return flags != nullptr && flags->bytes.find(flag) != std::string::npos; };
    return static_cast<std::uint16_t>((has("nsw") ? unsigned{interp::NoSignedWrap} : 0U) | (has("nuw") ? unsigned{interp::NoUnsignedWrap} : 0U));
}

/// The element type of a value's type, shaped or not.
std::optional<ValueType> elementOf(const Module& m, ValueId value) {
    const Type& type = m.typeOf(value);
    return valueType(m, type.element.isValid() ? type.element : m.value(value).type);
}

void lowerConstant(Body& body, OperationId op) {
    const Module& m = body.module();
    const ValueId result = m.result(op);
    const Type& type = m.typeOf(result);
    const Attribute* value = m.find(op, "value");
    const auto element = elementOf(m, result);
    if (value == nullptr || !element) {
        body.refuse(op, "a constant of type " + type.text);
        return;
    }
    if (value->kind == Attribute::Kind::Integer || value->kind == Attribute::Kind::Float) {
        body.setScalar(result, body.f.constant(*element, scalarBits(*value)));
        return;
    }
    const auto bits = elementBits(m, *value);
    const auto count = elementCount(type.shape);
    if (bits && count && type.kind == Type::Kind::Vector && *count <= MostLanes && !type.scalable) {
        std::vector<Register> lanes;
        for (std::int64_t i = 0; i < *count; ++i) {
            lanes.push_back(body.f.constant(*element, bits->size() == 1 ? bits->front() : bits->at(static_cast<std::size_t>(i))));
        }
        body.setLanes(result, std::move(lanes));
        return;
    }
    if (type.kind != Type::Kind::Tensor || !setConstantTensor(body, op)) {
        body.refuse(op, "a constant of type " + type.text);
    }
}

void lowerSelect(Body& body, OperationId op) {
    const Module& m = body.module();
    const ValueId result = m.result(op);
    const Type::Kind kind = m.typeOf(result).kind;
    if (kind == Type::Kind::MemRef) {
        const Register condition = body.operand(op, 0);
        const Register left = body.viewOperand(op, 1);
        const Register right = body.viewOperand(op, 2);
        const Slot out = body.fresh(m.value(result).type);
        body.f.emit({Op::SelectView, body.f.code().views[left].element, 0, out.reg, condition, left, right});
        body.set(result, out);
        return;
    }
    body.elementwise(
        op, [&](const std::vector<Register>& in) { return std::vector{body.f.select(body.f.code().registers[in[1]], in[0], in[1], in[2])}; });
}

/// Sum with carry, and product of double width: two results.
void lowerExtended(Body& body, OperationId op, std::string_view name) {
    body.elementwise(op, [&](const std::vector<Register>& in) {
        const ValueType type = body.f.code().registers[in[0]];
        if (name == "addui_extended") {
            const Register sum = body.f.binary(Op::AddI, type, in[0], in[1]);
            return std::vector{sum, body.f.binary(Op::CmpI, type, sum, in[0], static_cast<std::uint16_t>(interp::CmpIPredicate::Ult))};
        }
        const Op high = name == "mulsi_extended" ? Op::MulHighS : Op::MulHighU;
        return std::vector{body.f.binary(Op::MulI, type, in[0], in[1]), body.f.binary(high, type, in[0], in[1])};
    });
}

bool lowerIndex(Body& body, OperationId op, std::string_view name) {
    const Module& m = body.module();
    if (const auto binary = IndexBinary.find(name); binary != IndexBinary.end()) {
        body.setResult(op, body.f.binary(binary->second, interp::Index, body.operand(op, 0), body.operand(op, 1)));
        return true;
    }
    if (name == "constant" || name == "bool.constant") {
        const Attribute* value = m.find(op, "value");
        body.setResult(op, body.f.constant(name == "constant" ? interp::Index : interp::Bit, value == nullptr ? 0 : scalarBits(*value)));
        return true;
    }
    if (name == "casts" || name == "castu") {
        const auto to = valueType(m, m.value(m.result(op)).type);
        if (!to) {
            return false;
        }
        body.setResult(op, body.f.convert(name == "casts" ? Op::IndexCastS : Op::IndexCastU, *to, body.operand(op, 0)));
        return true;
    }
    if (name == "cmp") {
        // Its own numbering, as text: #index<cmp_predicate slt>.
        static const std::map<std::string_view, interp::CmpIPredicate> Predicates{
            {"eq", interp::CmpIPredicate::Eq},   {"ne", interp::CmpIPredicate::Ne},   {"slt", interp::CmpIPredicate::Slt},
            {"sle", interp::CmpIPredicate::Sle}, {"sgt", interp::CmpIPredicate::Sgt}, {"sge", interp::CmpIPredicate::Sge},
            {"ult", interp::CmpIPredicate::Ult}, {"ule", interp::CmpIPredicate::Ule}, {"ugt", interp::CmpIPredicate::Ugt},
            {"uge", interp::CmpIPredicate::Uge}};
        const Attribute* predicate = m.find(op, "pred");
        std::string text = predicate == nullptr ? std::string() : predicate->bytes;
        text = text.substr(std::min(text.size(), text.rfind(' ') + 1));
        text = text.substr(0, text.find('>'));
        const auto known = Predicates.find(text);
        if (known == Predicates.end()) {
            return false;
        }
        body.setResult(op,
                       body.f.binary(Op::CmpI, interp::Index, body.operand(op, 0), body.operand(op, 1), static_cast<std::uint16_t>(known->second)));
        return true;
    }
    return false; // index.sizeof depends on the machine
}

} // namespace

bool lowerArith(Body& body, OperationId op, std::string_view fullName) {
    const Module& m = body.module();
    const std::string_view name = fullName.substr(fullName.find('.') + 1);
    if (fullName.starts_with("index.")) {
        return lowerIndex(body, op, name);
    }
    if (fullName.starts_with("ub.")) {
        return false;
    }
    if (name == "constant") {
        lowerConstant(body, op);
        return true;
    }
    if (name == "select") {
        lowerSelect(body, op);
        return true;
    }
    if (name == "addui_extended" || name == "mulsi_extended" || name == "mului_extended") {
        lowerExtended(body, op, name);
        return true;
    }
    for (std::size_t i = 0; i < m.resultCount(op); ++i) {
        if (!elementOf(m, m.result(op, i))) {
            body.refuse(op, "a result of type " + m.typeOf(m.result(op, i)).text);
            return true;
        }
    }
    const ValueType to = m.resultCount(op) == 0 ? interp::I64 : *elementOf(m, m.result(op));
    if (const auto binary = Binary.find(name); binary != Binary.end()) {
        const std::uint16_t flags = overflowFlags(m, op);
        body.elementwise(op, [&](const std::vector<Register>& in) { return std::vector{body.f.binary(binary->second, to, in[0], in[1], flags)}; });
        return true;
    }
    if (const Attribute* mode = m.find(op, "roundingmode"); mode != nullptr && mode->integer != 0) {
        return lowerOpenAs(body, op, std::string(fullName) + " rounding mode " + std::to_string(mode->integer)); // not to the nearest even
    }
    if (const auto conversion = Conversion.find(name); conversion != Conversion.end()) {
        body.elementwise(op, [&](const std::vector<Register>& in) { return std::vector{body.f.convert(conversion->second, to, in[0])}; });
        return true;
    }
    if (name == "cmpi" || name == "cmpf") {
        const Attribute* predicate = m.find(op, "predicate");
        const auto number = static_cast<std::uint16_t>(predicate == nullptr ? 0 : predicate->integer);
        body.elementwise(op, [&](const std::vector<Register>& in) {
            return std::vector{body.f.binary(name == "cmpi" ? Op::CmpI : Op::CmpF, body.f.code().registers[in[0]], in[0], in[1], number)};
        });
        return true;
    }
    if (name == "negf") {
        body.elementwise(op, [&](const std::vector<Register>& in) { return std::vector{body.f.unary(Op::NegF, to, in[0])}; });
        return true;
    }
    return false;
}

} // namespace lemmascope::ir
