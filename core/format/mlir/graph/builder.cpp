#include "core/format/mlir/graph/builder.h"

#include <algorithm>
#include <cstring>

namespace lemmascope::ir {

std::optional<ElementType> graphElement(const Module& m, TypeId id) {
    const Type& type = m.type(id);
    if (type.element.isValid()) {
        return type.kind == Type::Kind::Tensor ? graphElement(m, type.element) : std::nullopt;
    }
    if (type.kind == Type::Kind::Index) {
        return ElementType::I64;
    }
    if (type.kind == Type::Kind::Float) {
        const auto element = elementTypeByName(type.text);
        return element &&
                       (*element == ElementType::F16 || *element == ElementType::BF16 || *element == ElementType::F32 || *element == ElementType::F64)
                   ? element
                   : std::nullopt;
    }
    if (type.kind != Type::Kind::Integer) {
        return std::nullopt;
    }
    const bool isUnsigned = type.sign == Type::Sign::Unsigned;
    switch (type.width) {
    case 1: return ElementType::Bool;
    case 8: return isUnsigned ? ElementType::U8 : ElementType::I8;
    case 16: return isUnsigned ? ElementType::U16 : ElementType::I16;
    case 32: return isUnsigned ? ElementType::U32 : ElementType::I32;
    case 64: return isUnsigned ? ElementType::U64 : ElementType::I64;
    default: return std::nullopt;
    }
}

std::optional<GraphValue> GraphBuilder::value(ValueId id) const {
    const auto at = m_values.find(id.index);
    return at == m_values.end() ? std::nullopt : std::optional(at->second);
}

void GraphBuilder::set(ValueId id, GraphValue value) {
    m_values[id.index] = value;
    lemmascope::Value& held = graph.values[value.index];
    const std::string& name = m.value(id).name;
    if (!held.producer.isValid() && !held.constant) {
        m_taken.insert(held.name); // an input
    } else if (!name.empty() && (name[0] < '0' || name[0] > '9') && m_renamed.insert(value.index).second && m_taken.insert(name).second) {
        held.name = name;
    }
}

std::optional<std::vector<GraphValue>> GraphBuilder::operands(OperationId op) const {
    std::vector<GraphValue> out;
    for (const ValueId operand : m.operands(op)) {
        const auto held = value(operand);
        if (!held) {
            return std::nullopt;
        }
        out.push_back(*held);
    }
    return out;
}

std::optional<GraphValue> GraphBuilder::shape(ValueId tensor) {
    const std::vector<std::int64_t>& known = m.typeOf(tensor).shape;
    if (std::find(known.begin(), known.end(), Dynamic) == known.end()) {
        return integers(known);
    }
    if (const auto made = m_shapes.find(tensor.index); made != m_shapes.end()) {
        return made->second;
    }
    const auto held = value(tensor);
    return held ? std::optional(node("Shape", {*held})) : std::nullopt;
}

std::optional<GraphValue> GraphBuilder::sizes(const std::vector<std::int64_t>& fixed, std::span<const ValueId> dynamic) {
    if (std::find(fixed.begin(), fixed.end(), Dynamic) == fixed.end()) {
        return integers(fixed);
    }
    std::vector<GraphValue> parts;
    std::size_t next = 0;
    for (const std::int64_t size : fixed) {
        if (size != Dynamic) {
            parts.push_back(integers({size}));
            continue;
        }
        const auto held = next < dynamic.size() ? value(dynamic[next++]) : std::nullopt;
        if (!held) {
            return std::nullopt;
        }
        parts.push_back(node("Unsqueeze", {*held, integers({0})}));
    }
    return parts.size() == 1 ? parts.front() : node("Concat", parts, {{"axis", std::int64_t{0}}});
}

GraphValue GraphBuilder::node(const char* op, const std::vector<GraphValue>& operands,
                              const std::map<std::string, lemmascope::Attribute>& attributes) {
    lemmascope::Node made;
    made.op = {"", op, 18};
    made.operands = operands;
    made.attributes = attributes;
    made.line = m_current.isValid() ? static_cast<int>(m.operation(m_current).place.line) : 0;
    lemmascope::Value result;
    result.name = "#" + std::to_string(m_names++);
    made.results = {graph.addValue(std::move(result))};
    const GraphValue out = made.results.front();
    graph.addNode(std::move(made));
    return out;
}

GraphValue GraphBuilder::constant(Tensor tensor) {
    lemmascope::Value made;
    made.name = "#" + std::to_string(m_names++);
    lemmascope::Shape shape;
    for (const std::int64_t size : tensor.shape()) {
        shape.emplace_back(size);
    }
    made.type = {tensor.element(), shape};
    made.constant = std::move(tensor);
    return graph.addValue(std::move(made));
}

GraphValue GraphBuilder::integers(const std::vector<std::int64_t>& values) {
    return constant(Tensor::of<std::int64_t>(ElementType::I64, {static_cast<std::int64_t>(values.size())}, values));
}

GraphValue GraphBuilder::scalar(ElementType element, double value) {
    Tensor tensor(element, {});
    switch (element) {
    case ElementType::F64: tensor.mutableAs<double>()[0] = value; break;
    case ElementType::F32: tensor.mutableAs<float>()[0] = static_cast<float>(value); break;
    case ElementType::F16: tensor.mutableAs<std::uint16_t>()[0] = doubleToHalf(value); break;
    case ElementType::BF16: tensor.mutableAs<std::uint16_t>()[0] = doubleToBfloat(value); break;
    default: {
        const auto integer = static_cast<std::int64_t>(value);
        std::memcpy(byteSize(element) == 8   ? static_cast<void*>(tensor.mutableAs<std::int64_t>().data())
                    : byteSize(element) == 4 ? static_cast<void*>(tensor.mutableAs<std::int32_t>().data())
                    : byteSize(element) == 2 ? static_cast<void*>(tensor.mutableAs<std::int16_t>().data())
                                             : static_cast<void*>(tensor.mutableAs<std::int8_t>().data()),
                    &integer, byteSize(element)); // little-endian
        break;
    }
    }
    return constant(std::move(tensor));
}

std::optional<Tensor> GraphBuilder::tensorOf(const Attribute& attribute) const {
    constexpr std::int64_t MostElements = std::int64_t{1} << 27U;
    if (!attribute.type.isValid()) {
        return std::nullopt;
    }
    const auto element = graphElement(m, attribute.type);
    const Type& type = m.type(attribute.type);
    std::int64_t count = 1;
    for (const std::int64_t size : type.shape) {
        if (size < 0 || (size > 0 && count > MostElements / size)) {
            return std::nullopt;
        }
        count *= size;
    }
    if (!element || attribute.bytes.empty()) {
        return std::nullopt;
    }
    const std::size_t width = byteSize(*element);
    const bool isScalar = attribute.kind == Attribute::Kind::Integer || attribute.kind == Attribute::Kind::Float;
    const bool repeats = isScalar || attribute.splat;
    if ((!isScalar && attribute.kind != Attribute::Kind::Elements) ||
        attribute.bytes.size() < width * (repeats ? 1 : static_cast<std::size_t>(count))) {
        return std::nullopt;
    }
    const auto bytes = std::make_shared<std::vector<std::uint64_t>>(static_cast<std::size_t>(count) * width / 8 + 1); // aligned for any element
    auto* at = reinterpret_cast<char*>(bytes->data());
    for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(at + static_cast<std::size_t>(i) * width, attribute.bytes.data() + (repeats ? 0 : static_cast<std::size_t>(i) * width), width);
    }
    const std::span<const std::byte> view(reinterpret_cast<const std::byte*>(at), static_cast<std::size_t>(count) * width);
    return Tensor(*element, type.shape, view, bytes);
}

namespace {

struct Plain {
    const char* integers; ///< null: none
    const char* floats;
    const char* bools;
};
const std::map<std::string_view, Plain> Plains{
    {"arith.addi", {"Add", nullptr, nullptr}},      {"arith.subi", {"Sub", nullptr, nullptr}},       {"arith.muli", {"Mul", nullptr, nullptr}},
    {"arith.divsi", {"Div", nullptr, nullptr}},     {"arith.maxsi", {"Max", nullptr, nullptr}},      {"arith.minsi", {"Min", nullptr, nullptr}},
    {"arith.andi", {"BitwiseAnd", nullptr, "And"}}, {"arith.ori", {"BitwiseOr", nullptr, "Or"}},     {"arith.xori", {"BitwiseXor", nullptr, "Xor"}},
    {"arith.addf", {nullptr, "Add", nullptr}},      {"arith.subf", {nullptr, "Sub", nullptr}},       {"arith.mulf", {nullptr, "Mul", nullptr}},
    {"arith.divf", {nullptr, "Div", nullptr}},      {"arith.negf", {nullptr, "Neg", nullptr}},       {"arith.maximumf", {nullptr, "Max", nullptr}},
    {"arith.minimumf", {nullptr, "Min", nullptr}},  {"math.exp", {nullptr, "Exp", nullptr}},         {"math.log", {nullptr, "Log", nullptr}},
    {"math.sqrt", {nullptr, "Sqrt", nullptr}},      {"math.tanh", {nullptr, "Tanh", nullptr}},       {"math.erf", {nullptr, "Erf", nullptr}},
    {"math.absf", {nullptr, "Abs", nullptr}},       {"math.absi", {"Abs", nullptr, nullptr}},        {"math.floor", {nullptr, "Floor", nullptr}},
    {"math.ceil", {nullptr, "Ceil", nullptr}},      {"math.roundeven", {nullptr, "Round", nullptr}}, {"math.sin", {nullptr, "Sin", nullptr}},
    {"math.cos", {nullptr, "Cos", nullptr}},        {"math.tan", {nullptr, "Tan", nullptr}},         {"math.powf", {nullptr, "Pow", nullptr}}};

/// A comparison and whether it is negated; unordered ones are negations of ordered ones.
struct Comparison {
    const char* op;
    bool negated;
};
std::optional<Comparison> integerComparison(std::int64_t predicate) {
    switch (predicate) {
    case 0: return Comparison{"Equal", false};
    case 1: return Comparison{"Equal", true};
    case 2: return Comparison{"Less", false};
    case 3: return Comparison{"LessOrEqual", false};
    case 4: return Comparison{"Greater", false};
    case 5: return Comparison{"GreaterOrEqual", false};
    default: return std::nullopt; // unsigned: graphs take signless integers for signed ones
    }
}
std::optional<Comparison> floatComparison(std::int64_t predicate) {
    switch (predicate) {
    case 1: return Comparison{"Equal", false};
    case 2: return Comparison{"Greater", false};
    case 3: return Comparison{"GreaterOrEqual", false};
    case 4: return Comparison{"Less", false};
    case 5: return Comparison{"LessOrEqual", false};
    case 9: return Comparison{"LessOrEqual", true};     // ugt
    case 10: return Comparison{"Less", true};           // uge
    case 11: return Comparison{"GreaterOrEqual", true}; // ult
    case 12: return Comparison{"Greater", true};        // ule
    case 13: return Comparison{"Equal", true};          // une
    default: return std::nullopt;
    }
}

} // namespace

std::optional<GraphValue> GraphBuilder::elementwise(OperationId op, const std::vector<GraphValue>& in) {
    const std::string_view name = m.name(op);
    if (m.resultCount(op) != 1 || in.empty()) {
        return std::nullopt;
    }
    const auto elementOf = [&](ValueId of) { return graphElement(m, m.value(of).type); };
    const auto to = elementOf(m.result(op));
    const auto from = elementOf(m.operand(op, 0));
    if (!to || !from) {
        return std::nullopt;
    }
    const Attribute* flags = m.find(op, "overflowFlags");
    if (flags != nullptr && (flags->bytes.find("nsw") != std::string::npos || flags->bytes.find("nuw") != std::string::npos)) {
        return std::nullopt; // leaves results undefined that wrap in a graph
    }
    if (const Attribute* mode = m.find(op, "roundingmode"); mode != nullptr && mode->integer != 0) {
        return std::nullopt; // graphs round to the nearest even
    }
    if (const auto plain = Plains.find(name); plain != Plains.end()) {
        const char* form = isFloat(*from) ? plain->second.floats : *from == ElementType::Bool ? plain->second.bools : plain->second.integers;
        return form == nullptr ? std::nullopt : std::optional(node(form, in));
    }
    if (name == "arith.cmpi" || name == "arith.cmpf") {
        const Attribute* predicate = m.find(op, "predicate");
        const auto form = predicate == nullptr   ? std::nullopt
                          : name == "arith.cmpi" ? integerComparison(predicate->integer)
                                                 : floatComparison(predicate->integer);
        if (!form || (*from == ElementType::Bool && std::string_view(form->op) != "Equal")) {
            return std::nullopt;
        }
        const GraphValue made = node(form->op, in);
        return form->negated ? node("Not", {made}) : made;
    }
    if (name == "arith.select") {
        return node("Where", in);
    }
    if (name == "arith.remsi" && *from != ElementType::Bool) {
        return node("Mod", in, {{"fmod", std::int64_t{1}}}); // the sign of the dividend
    }
    if (name == "math.rsqrt") {
        return node("Reciprocal", {node("Sqrt", in)});
    }
    const bool converts = name == "arith.extf" || name == "arith.truncf" || name == "arith.extsi" || name == "arith.trunci" ||
                          name == "arith.sitofp" || name == "arith.index_cast";
    const bool widensBool = name == "arith.extui" || name == "arith.uitofp";
    if ((converts && *from != ElementType::Bool && *to != ElementType::Bool) || (widensBool && *from == ElementType::Bool)) {
        static const std::map<ElementType, std::int64_t> Codes{{ElementType::F32, 1},  {ElementType::I8, 3},   {ElementType::I16, 5},
                                                               {ElementType::I32, 6},  {ElementType::I64, 7},  {ElementType::F16, 10},
                                                               {ElementType::F64, 11}, {ElementType::BF16, 16}};
        const auto code = Codes.find(*to);
        return code == Codes.end() ? std::nullopt : std::optional(node("Cast", in, {{"to", code->second}}));
    }
    return std::nullopt;
}

} // namespace lemmascope::ir
