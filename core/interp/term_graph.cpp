#include "core/interp/term_graph.h"

#include "core/program/number.h"
#include "core/program/program.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace lemmascope::interp {

namespace {

constexpr std::int64_t Opset = 18;

/// ONNX TensorProto.DataType.
std::int64_t onnxCode(ElementType type) {
    switch (type) {
    case ElementType::F32: return 1;
    case ElementType::U8: return 2;
    case ElementType::I8: return 3;
    case ElementType::U16: return 4;
    case ElementType::I16: return 5;
    case ElementType::I32: return 6;
    case ElementType::I64: return 7;
    case ElementType::Bool: return 9;
    case ElementType::F16: return 10;
    case ElementType::F64: return 11;
    case ElementType::U32: return 12;
    case ElementType::U64: return 13;
    default: return 16; // bf16
    }
}

/// What holds an integer of a width that graphs have not: the next wider signed one, its value kept sign-extended.
ElementType containerOf(ValueType type) {
    const ElementType exact = elementOf(type);
    return exact != ElementType::Undefined || !type.isInteger() ? exact : displayElementOf(type);
}

bool isOdd(ValueType type) { return elementOf(type) == ElementType::Undefined; }

class Writer {
  public:
    Writer(const TermDag& dag, std::size_t maxNodes) : m_dag(dag), m_maxNodes(maxNodes) { m_graph.opsets[""] = Opset; }

    Result<TermGraph> write(std::span<const Term> roots, std::span<const Term> leaves) {
        for (const Term leaf : leaves) {
            const ValueType type = m_dag.node(leaf).type;
            const ElementType element = containerOf(type);
            Value input;
            input.name = m_dag.leafText(leaf);
            input.type = {element, Shape{}};
            const ValueId id = m_graph.addValue(std::move(input));
            m_graph.inputs.push_back(id);
            m_values.emplace(leaf, kept(id, type));
        }
        const std::vector<Term> order = reached(m_dag, roots, m_maxNodes);
        if (order.empty()) {
            return fail(ErrorCode::TooLarge, "the terms have more than " + std::to_string(m_maxNodes) + " operations");
        }
        for (const Term term : order) {
            if (m_values.contains(term)) {
                continue;
            }
            m_values.emplace(term, kept(value(term), m_dag.node(term).type));
        }
        for (std::size_t i = 0; i < roots.size(); ++i) {
            // A value of its own for each output: an input or a shared value may not be named twice.
            const ValueId out = node("Identity", {m_values.at(roots[i])}, m_graph.value(m_values.at(roots[i])).type.element);
            m_graph.values[out.index].name = "o" + std::to_string(i);
            m_graph.outputs.push_back(out);
        }
        TermGraph made;
        made.leaves.assign(leaves.begin(), leaves.end());
        made.graph = std::make_shared<const Graph>(std::move(m_graph));
        return made;
    }

  private:
    /// The value at its width: of an odd one the low bits, sign-extended.
    ValueId kept(ValueId value, ValueType type) {
        if (!isOdd(type)) {
            return value;
        }
        const ElementType container = containerOf(type);
        const ValueId low = node("BitwiseAnd", {value, number(container, maskOf(type))}, container);
        const ValueId sign = number(container, std::uint64_t{1} << (type.width() - 1));
        return node("Sub", {node("BitwiseXor", {low, sign}, container), sign}, container);
    }

    ValueId number(ElementType element, std::uint64_t value) {
        const ValueType type = element == ElementType::I8 || element == ElementType::U8     ? ValueType::integer(8)
                               : element == ElementType::I16 || element == ElementType::U16 ? ValueType::integer(16)
                               : element == ElementType::I32 || element == ElementType::U32 ? I32
                                                                                            : I64;
        return constant(element, type, value & maskOf(type));
    }

    /// An integer read as unsigned, in the unsigned type of its container's width.
    ValueId asUnsigned(ValueId value, ValueType type) {
        const ElementType wide = displayElementOf(type, true);
        return isOdd(type) ? cast(node("BitwiseAnd", {value, number(containerOf(type), maskOf(type))}, containerOf(type)), wide) : cast(value, wide);
    }

    ValueId node(const std::string& op, std::vector<ValueId> operands, ElementType type, std::map<std::string, Attribute> attributes = {},
                 const std::string& domain = {}) {
        Value result;
        result.name = "v" + std::to_string(m_graph.values.size());
        result.type = {type, Shape{}};
        const ValueId id = m_graph.addValue(std::move(result));
        Node made;
        made.op = {domain, op, domain.empty() ? Opset : 1};
        made.operands = std::move(operands);
        made.results = {id};
        made.attributes = std::move(attributes);
        m_graph.addNode(std::move(made));
        return id;
    }

    ValueId cast(ValueId from, ElementType to) { return node("Cast", {from}, to, {{"to", Attribute(onnxCode(to))}}); }

    ValueId constant(ElementType element, ValueType type, std::uint64_t bits) {
        Value made;
        made.name = "c" + std::to_string(m_graph.values.size());
        made.type = {element, Shape{}};
        made.constant = tensorOf(element, type, {}, {bits});
        return m_graph.addValue(std::move(made));
    }

    ValueId open(const std::string& name, const TermNode& n, ElementType type) {
        std::vector<ValueId> operands;
        for (const Term operand : m_dag.operands(n)) {
            operands.push_back(m_values.at(operand));
        }
        return node(name, std::move(operands), type, {}, "mlir");
    }

    /// An operation on operands read as unsigned, its result read back.
    ValueId inUnsigned(const std::string& op, const TermNode& n, ValueType operandType, ElementType result,
                       std::map<std::string, Attribute> attributes = {}) {
        const ElementType wide = displayElementOf(operandType, true);
        const ValueId a = asUnsigned(m_values.at(n.a), operandType);
        const ValueId b = asUnsigned(m_values.at(n.b), operandType);
        if (result == ElementType::Bool) {
            return node(op, {a, b}, result, std::move(attributes));
        }
        return cast(node(op, {a, b}, wide, std::move(attributes)), result);
    }

    ValueId value(Term term) {
        const TermNode n = m_dag.node(term);
        const ElementType type = containerOf(n.type);
        switch (n.kind) {
        case TermKind::Constant:
            return isOdd(n.type) ? number(type, static_cast<std::uint64_t>(signedOf(n.type, m_dag.constantBits(term))))
                                 : constant(type, n.type, m_dag.constantBits(term));
        case TermKind::Open: return open(m_dag.openNameOf(n.a) + (n.aux > 0 ? "#" + std::to_string(n.aux) : ""), n, type);
        case TermKind::Apply: return n.type == Bit && m_dag.node(n.a).type == Bit ? onBits(n, type) : apply(n, type);
        default: return open("unknown", n, type);
        }
    }

    ValueId onBits(const TermNode& n, ElementType type) {
        const ValueId a = m_values.at(n.a);
        switch (n.op) {
        case Op::And:
        case Op::MulI:
        case Op::MinU:
        case Op::MaxS: return node("And", {a, m_values.at(n.b)}, type);
        case Op::Or:
        case Op::MaxU:
        case Op::MinS: return node("Or", {a, m_values.at(n.b)}, type);
        case Op::Xor:
        case Op::AddI:
        case Op::SubI: {
            const auto isTrue = [&](Term t) { return m_dag.node(t).kind == TermKind::Constant && m_dag.constantBits(t) == 1; };
            if (isTrue(n.a) || isTrue(n.b)) {
                return node("Not", {m_values.at(isTrue(n.a) ? n.b : n.a)}, type);
            }
            return node("Xor", {a, m_values.at(n.b)}, type);
        }
        case Op::Select: return node("Where", {a, m_values.at(n.b), m_values.at(n.c)}, type);
        case Op::CmpI:
            if (n.aux == static_cast<std::uint8_t>(CmpIPredicate::Eq)) {
                return node("Equal", {a, m_values.at(n.b)}, type);
            }
            if (n.aux == static_cast<std::uint8_t>(CmpIPredicate::Ne)) {
                return node("Xor", {a, m_values.at(n.b)}, type);
            }
            break;
        default: break;
        }
        return open("i1." + std::string(symbolOf(n.op, n.aux)), n, type);
    }

    ValueId compareIntegers(const TermNode& n, ElementType type) {
        const ValueType operandType = m_dag.node(n.a).type;
        const ValueId a = m_values.at(n.a);
        const ValueId b = m_values.at(n.b);
        switch (static_cast<CmpIPredicate>(n.aux)) {
        case CmpIPredicate::Eq: return node("Equal", {a, b}, type);
        case CmpIPredicate::Ne: return node("Not", {node("Equal", {a, b}, type)}, type);
        case CmpIPredicate::Slt: return node("Less", {a, b}, type);
        case CmpIPredicate::Sle: return node("LessOrEqual", {a, b}, type);
        case CmpIPredicate::Ult: return inUnsigned("Less", n, operandType, type);
        case CmpIPredicate::Ule: return inUnsigned("LessOrEqual", n, operandType, type);
        default: return open("arith.cmpi", n, type);
        }
    }

    ValueId compareFloats(const TermNode& n, ElementType type) {
        // Over the reals ordered and unordered predicates agree; what NaN does is told among the caveats.
        const ValueId a = m_values.at(n.a);
        const ValueId b = m_values.at(n.b);
        switch (static_cast<CmpFPredicate>(n.aux)) {
        case CmpFPredicate::Oeq: return node("Equal", {a, b}, type);
        case CmpFPredicate::Une: return node("Not", {node("Equal", {a, b}, type)}, type);
        case CmpFPredicate::Olt: return node("Less", {a, b}, type);
        case CmpFPredicate::Ole: return node("LessOrEqual", {a, b}, type);
        case CmpFPredicate::Uge: return node("Not", {node("Less", {a, b}, type)}, type);
        case CmpFPredicate::Ugt: return node("Not", {node("LessOrEqual", {a, b}, type)}, type);
        case CmpFPredicate::Ult: return node("Not", {node("LessOrEqual", {b, a}, type)}, type);
        case CmpFPredicate::Ule: return node("Not", {node("Less", {b, a}, type)}, type);
        default: return open("arith.cmpf." + std::string(symbolOf(n.op, n.aux)), n, type);
        }
    }

    ValueId convert(const TermNode& n, ElementType type) {
        const ValueType from = m_dag.node(n.a).type;
        const ValueId a = m_values.at(n.a);
        switch (n.op) {
        case Op::ExtS:
        case Op::IndexCastS:
            if (from == Bit) {
                return node("Neg", {cast(a, type)}, type);
            }
            return n.type == Bit ? lowBit(n, from) : type == containerOf(from) ? a : cast(a, type);
        case Op::Trunc: return n.type == Bit ? lowBit(n, from) : type == containerOf(from) ? a : cast(a, type);
        case Op::ExtU:
        case Op::IndexCastU:
            if (from == Bit) {
                return n.type == Bit ? a : cast(a, type);
            }
            if (n.type == Bit) {
                return lowBit(n, from);
            }
            return type == containerOf(from) && !isOdd(from) ? a : cast(asUnsigned(a, from), type);
        case Op::ExtF:
        case Op::TruncF: return cast(a, type);
        case Op::IntToFloatS: return from == Bit ? node("Neg", {cast(a, type)}, type) : cast(a, type);
        case Op::IntToFloatU: return from == Bit ? cast(a, type) : cast(asUnsigned(a, from), type);
        case Op::FloatToIntS: return n.type == Bit ? open("arith.fptosi", n, type) : cast(a, type);
        case Op::FloatToIntU: return n.type == Bit ? open("arith.fptoui", n, type) : cast(cast(a, displayElementOf(n.type, true)), type);
        default: return from == n.type ? a : open("arith.bitcast", n, type);
        }
    }

    ValueId lowBit(const TermNode& n, ValueType from) {
        const ElementType wide = containerOf(from);
        return cast(node("BitwiseAnd", {m_values.at(n.a), number(wide, 1)}, wide), ElementType::Bool);
    }

    /// The ceiling of `below` where x < 0, else the floor of `above`.
    ValueId towardsZero(ValueId x, ValueId below, ValueId above, ElementType type) {
        return node("Where", {isNegative(x, type), node("Ceil", {below}, type), node("Floor", {above}, type)}, type);
    }

    ValueId isNegative(ValueId x, ElementType type) {
        const ValueType zero = type == ElementType::F16    ? F16
                               : type == ElementType::BF16 ? BF16
                               : type == ElementType::F32  ? F32
                               : type == ElementType::F64  ? F64
                                                           : I64;
        return node("Less", {x, zero.isFloat() ? constant(type, zero, 0) : number(type, 0)}, ElementType::Bool);
    }

    /// Signed division rounded down, or up: the truncated quotient, moved by one where the remainder has (or has not) the sign against the divisor's.
    ValueId roundedDivision(const TermNode& n, ElementType type, bool up) {
        const ValueId a = m_values.at(n.a);
        const ValueId b = m_values.at(n.b);
        const ValueId quotient = node("Div", {a, b}, type);
        const ValueId rest = node("Mod", {a, b}, type, {{"fmod", Attribute(std::int64_t{1})}});
        const ValueId one = number(type, 1);
        const ValueId moved = node(up ? "Add" : "Sub", {quotient, one}, type);
        const TermNode& divisor = m_dag.node(n.b);
        ValueId moves;
        if (divisor.kind == TermKind::Constant && signedOf(divisor.type, m_dag.constantBits(n.b)) > 0) {
            moves = up ? node("Less", {number(type, 0), rest}, ElementType::Bool) : isNegative(rest, type);
        } else {
            const ValueId whole = node("Equal", {rest, number(type, 0)}, ElementType::Bool);
            ValueId signs = node("Xor", {isNegative(rest, type), isNegative(b, type)}, ElementType::Bool);
            if (up) {
                signs = node("Not", {signs}, ElementType::Bool);
            }
            moves = node("And", {node("Not", {whole}, ElementType::Bool), signs}, ElementType::Bool);
        }
        return node("Where", {moves, moved, quotient}, type);
    }

    ValueId dividedUpUnsigned(const TermNode& n, ElementType type) {
        const ElementType wide = displayElementOf(n.type, true);
        const ValueId a = asUnsigned(m_values.at(n.a), n.type);
        const ValueId b = asUnsigned(m_values.at(n.b), n.type);
        const ValueId quotient = node("Div", {a, b}, wide);
        const ValueId whole = node("Equal", {node("Mod", {a, b}, wide), number(wide, 0)}, ElementType::Bool);
        return cast(node("Where", {whole, quotient, node("Add", {quotient, number(wide, 1)}, wide)}, wide), type);
    }

    /// A negative number is shifted as its complement.
    ValueId shiftedSigned(const TermNode& n, ElementType type) {
        const ValueId a = m_values.at(n.a);
        const ValueId negative = isNegative(a, type);
        const TermNode& by = m_dag.node(n.b);
        if (by.kind == TermKind::Constant && m_dag.constantBits(n.b) == n.type.width() - 1) {
            return node("Where", {negative, number(type, ~std::uint64_t{0}), number(type, 0)}, type);
        }
        const ElementType wide = displayElementOf(n.type, true);
        const ValueId positive = node("Where", {negative, node("BitwiseNot", {a}, type), a}, type);
        const ValueId amount = asUnsigned(m_values.at(n.b), n.type);
        const ValueId shifted = cast(node("BitShift", {cast(positive, wide), amount}, wide, {{"direction", Attribute(std::string("RIGHT"))}}), type);
        return node("Where", {negative, node("BitwiseNot", {shifted}, type), shifted}, type);
    }

    /// The upper half of a product, where the whole of it fits 64 bits.
    ValueId upperHalf(const TermNode& n, ElementType type, bool isSigned) {
        if (n.type.width() > 32) {
            return open("arith.mulhi", n, type);
        }
        const ElementType wide = isSigned ? ElementType::I64 : ElementType::U64;
        const auto widened = [&](Term t) { return cast(isSigned ? m_values.at(t) : asUnsigned(m_values.at(t), n.type), wide); };
        const ValueId product = node("Mul", {widened(n.a), widened(n.b)}, wide);
        return cast(node("BitShift", {isSigned ? cast(product, ElementType::U64) : product, number(ElementType::U64, n.type.width())},
                         ElementType::U64, {{"direction", Attribute(std::string("RIGHT"))}}),
                    type);
    }

    ValueId math(const TermNode& n, ElementType type) {
        const ValueId a = m_values.at(n.a);
        const char* op = nullptr;
        switch (static_cast<MathFunction>(n.aux)) {
        case MathFunction::Abs:
        case MathFunction::AbsI: op = "Abs"; break;
        case MathFunction::Acos: op = "Acos"; break;
        case MathFunction::Acosh: op = "Acosh"; break;
        case MathFunction::Asin: op = "Asin"; break;
        case MathFunction::Asinh: op = "Asinh"; break;
        case MathFunction::Atan: op = "Atan"; break;
        case MathFunction::Atanh: op = "Atanh"; break;
        case MathFunction::Ceil: op = "Ceil"; break;
        case MathFunction::Cos: op = "Cos"; break;
        case MathFunction::Cosh: op = "Cosh"; break;
        case MathFunction::Erf: op = "Erf"; break;
        case MathFunction::Exp: op = "Exp"; break;
        case MathFunction::Floor: op = "Floor"; break;
        case MathFunction::Log: op = "Log"; break;
        case MathFunction::RoundEven: op = "Round"; break;
        case MathFunction::Sin: op = "Sin"; break;
        case MathFunction::Sinh: op = "Sinh"; break;
        case MathFunction::Sqrt: op = "Sqrt"; break;
        case MathFunction::Tan: op = "Tan"; break;
        case MathFunction::Tanh: op = "Tanh"; break;
        case MathFunction::Trunc: return towardsZero(a, a, a, type);
        case MathFunction::Round: {
            const ValueId half = constant(type, n.type, bitsOf(n.type, 0.5));
            return towardsZero(a, node("Sub", {a, half}, type), node("Add", {a, half}, type), type);
        }
        case MathFunction::Rsqrt: return node("Reciprocal", {node("Sqrt", {a}, type)}, type);
        case MathFunction::IsNan: op = "IsNaN"; break;
        default: return open("math." + std::string(symbolOf(n.op, n.aux)), n, type);
        }
        return node(op, {a}, type);
    }

    ValueId apply(const TermNode& n, ElementType type) {
        const auto binary = [&](const char* op, std::map<std::string, Attribute> attributes = {}) {
            return node(op, {m_values.at(n.a), m_values.at(n.b)}, type, std::move(attributes));
        };
        switch (n.op) {
        case Op::AddI:
        case Op::AddF: return binary("Add");
        case Op::SubI:
        case Op::SubF: return binary("Sub");
        case Op::MulI:
        case Op::MulF: return binary("Mul");
        case Op::DivS:
        case Op::DivF: return binary("Div");
        case Op::RemS:
        case Op::RemF: return binary("Mod", {{"fmod", Attribute(std::int64_t{1})}});
        case Op::DivU: return inUnsigned("Div", n, n.type, type);
        case Op::RemU: return inUnsigned("Mod", n, n.type, type);
        case Op::And: return binary("BitwiseAnd");
        case Op::Or: return binary("BitwiseOr");
        case Op::Xor: return binary("BitwiseXor");
        case Op::Shl: return inUnsigned("BitShift", n, n.type, type, {{"direction", Attribute(std::string("LEFT"))}});
        case Op::ShrU: return inUnsigned("BitShift", n, n.type, type, {{"direction", Attribute(std::string("RIGHT"))}});
        case Op::FloorDivS: return roundedDivision(n, type, false);
        case Op::CeilDivS: return roundedDivision(n, type, true);
        case Op::CeilDivU: return dividedUpUnsigned(n, type);
        case Op::ShrS: return shiftedSigned(n, type);
        case Op::MulHighS: return upperHalf(n, type, true);
        case Op::MulHighU: return upperHalf(n, type, false);
        case Op::MinS:
        case Op::MinimumF:
        case Op::MinNumF: return binary("Min");
        case Op::MaxS:
        case Op::MaximumF:
        case Op::MaxNumF: return binary("Max");
        case Op::MinU: return inUnsigned("Min", n, n.type, type);
        case Op::MaxU: return inUnsigned("Max", n, n.type, type);
        case Op::CmpI: return compareIntegers(n, type);
        case Op::CmpF: return compareFloats(n, type);
        case Op::Select: return node("Where", {m_values.at(n.a), m_values.at(n.b), m_values.at(n.c)}, type);
        case Op::NegF: return node("Neg", {m_values.at(n.a)}, type);
        case Op::Fma: return node("Add", {node("Mul", {m_values.at(n.a), m_values.at(n.b)}, type), m_values.at(n.c)}, type);
        case Op::Math1: return math(n, type);
        case Op::Math2:
            return static_cast<MathFunction>(n.aux) == MathFunction::Pow ? binary("Pow")
                                                                         : open("math." + std::string(symbolOf(n.op, n.aux)), n, type);
        case Op::MathInt:
            return static_cast<MathFunction>(n.aux) == MathFunction::AbsI ? math(n, type)
                                                                          : open("math." + std::string(symbolOf(n.op, n.aux)), n, type);
        case Op::ExtS:
        case Op::ExtU:
        case Op::Trunc:
        case Op::IndexCastS:
        case Op::IndexCastU:
        case Op::Bitcast:
        case Op::ExtF:
        case Op::TruncF:
        case Op::IntToFloatS:
        case Op::IntToFloatU:
        case Op::FloatToIntS:
        case Op::FloatToIntU: return convert(n, type);
        default: return open("arith." + std::string(symbolOf(n.op, n.aux)), n, type);
        }
    }

    const TermDag& m_dag;
    std::size_t m_maxNodes;
    Graph m_graph;
    std::unordered_map<Term, ValueId> m_values;
};

} // namespace

ElementType elementOf(ValueType type, bool isUnsigned) {
    if (type == Bit) {
        return ElementType::Bool;
    }
    if (type == Index) {
        return isUnsigned ? ElementType::U64 : ElementType::I64;
    }
    if (type == F16) {
        return ElementType::F16;
    }
    if (type == BF16) {
        return ElementType::BF16;
    }
    if (type == F32) {
        return ElementType::F32;
    }
    if (type == F64) {
        return ElementType::F64;
    }
    switch (type.code) {
    case 8: return isUnsigned ? ElementType::U8 : ElementType::I8;
    case 16: return isUnsigned ? ElementType::U16 : ElementType::I16;
    case 32: return isUnsigned ? ElementType::U32 : ElementType::I32;
    case 64: return isUnsigned ? ElementType::U64 : ElementType::I64;
    default: return ElementType::Undefined;
    }
}

ElementType displayElementOf(ValueType type, bool isUnsigned) {
    const ElementType exact = elementOf(type, isUnsigned);
    if (exact != ElementType::Undefined) {
        return exact;
    }
    const unsigned width = type.width();
    return elementOf(ValueType::integer(width <= 8 ? 8 : width <= 16 ? 16 : width <= 32 ? 32 : 64), isUnsigned);
}

Tensor tensorOf(ElementType element, ValueType type, const std::vector<std::int64_t>& shape, const std::vector<std::uint64_t>& bits) {
    Tensor made(element, shape);
    const bool isUnsigned = element == ElementType::Bool || (isInteger(element) && !isSignedInteger(element));
    const auto count = std::min<std::size_t>(bits.size(), static_cast<std::size_t>(made.count()));
    const auto fill = [&]<typename T>(std::span<T> out) {
        for (std::size_t i = 0; i < count; ++i) {
            out[i] = static_cast<T>(type.isFloat() || isUnsigned ? bits[i] : static_cast<std::uint64_t>(signedOf(type, bits[i])));
        }
    };
    switch (byteSize(element)) {
    case 1: fill(made.mutableAs<std::uint8_t>()); break;
    case 2: fill(made.mutableAs<std::uint16_t>()); break;
    case 4: fill(made.mutableAs<std::uint32_t>()); break;
    default: fill(made.mutableAs<std::uint64_t>()); break;
    }
    return made;
}

std::uint64_t bitsIn(const Tensor& tensor, std::int64_t flat, ValueType type) {
    const auto at = static_cast<std::size_t>(flat);
    switch (byteSize(tensor.element())) {
    case 1: return tensor.as<std::uint8_t>()[at] & maskOf(type);
    case 2: return tensor.as<std::uint16_t>()[at] & maskOf(type);
    case 4: return tensor.as<std::uint32_t>()[at] & maskOf(type);
    default: return tensor.as<std::uint64_t>()[at] & maskOf(type);
    }
}

std::vector<Term> reached(const TermDag& dag, std::span<const Term> roots, std::size_t limit) {
    // Operands have smaller ids than what reads them: sorted ids are an order to compute in.
    // Marks are kept from call to call: many small cones of one large DAG are asked for.
    static thread_local std::vector<std::uint32_t> marks;
    static thread_local std::uint32_t mark = 0;
    if (marks.size() < dag.size()) {
        marks.resize(dag.size());
    }
    if (++mark == 0) {
        std::fill(marks.begin(), marks.end(), 0);
        mark = 1;
    }
    std::vector<Term> found;
    std::vector<Term> todo(roots.begin(), roots.end());
    while (!todo.empty()) {
        const Term at = todo.back();
        todo.pop_back();
        if (marks[at] == mark) {
            continue;
        }
        marks[at] = mark;
        found.push_back(at);
        if (found.size() > limit) {
            return {};
        }
        for (const Term operand : dag.operands(dag.node(at))) {
            if (marks[operand] != mark) {
                todo.push_back(operand);
            }
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

bool isGraphOverReals(const TermDag& dag, std::span<const Term> roots) {
    std::vector<ValueType> positive, negative; // types with a constant zero of that sign
    for (const Term term : reached(dag, roots, SIZE_MAX)) {
        const TermNode& n = dag.node(term);
        if (n.kind == TermKind::Constant && n.type.isFloat() && doubleOf(n.type, dag.constantBits(term)) == 0.0) {
            (dag.constantBits(term) == 0 ? positive : negative).push_back(n.type);
        }
        if (n.kind != TermKind::Apply) {
            continue;
        }
        const auto function = static_cast<MathFunction>(n.aux);
        if (n.op == Op::MinNumF || n.op == Op::MaxNumF || n.op == Op::Fma ||
            (n.op == Op::Math1 && (function == MathFunction::Round || function == MathFunction::Rsqrt))) {
            return true;
        }
    }
    return std::any_of(positive.begin(), positive.end(),
                       [&](ValueType type) { return std::find(negative.begin(), negative.end(), type) != negative.end(); });
}

Result<TermGraph> graphOf(const TermDag& dag, std::span<const Term> roots, std::span<const Term> leaves, std::size_t maxNodes) {
    return Writer(dag, maxNodes).write(roots, leaves);
}

} // namespace lemmascope::interp
