#include "core/term/node_terms.h"

#include "core/term/form_term.h"

#include "core/eval/evaluator.h"
#include "core/graph/attribute_defaults.h"
#include "core/graph/definition_library.h"
#include "core/graph/op_registry.h"

#include <algorithm>
#include <array>
#include <limits>

namespace lemmascope {

std::optional<std::size_t> normalAxis(std::int64_t axis, std::size_t rank) {
    const auto count = static_cast<std::int64_t>(rank);
    if (axis < -count || axis >= count) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

NodeTerms::NodeTerms(TermBuilder& builder, const Graph& graph, NodeId node, FlatNodeId flat, std::vector<TermId> operands)
    : m_builder(builder), m_store(builder.store()), m_move(builder.move()), m_graph(graph), m_node(graph.node(node)), m_flat(flat),
      m_operands(std::move(operands)) {}

const TensorType& NodeTerms::resultType(std::size_t k) const {
    static const TensorType Unknown;
    return hasResult(k) ? m_graph.value(m_node.results[k]).type : Unknown;
}

std::optional<std::vector<Dim>> NodeTerms::elements(std::size_t i) const {
    if (!has(i)) {
        return std::nullopt;
    }
    const Value& value = m_graph.value(m_node.operands[i]);
    if (value.elements) {
        return *value.elements;
    }
    if (const std::optional<Tensor> constant = m_store.constantElements(operand(i), 4096);
        constant && (isInteger(constant->element()) || constant->element() == ElementType::Bool)) {
        std::vector<Dim> out;
        for (std::int64_t k = 0; k < constant->count(); ++k) {
            out.emplace_back(constant->toInt64(k));
        }
        return out;
    }
    return std::nullopt;
}

std::optional<std::vector<std::int64_t>> NodeTerms::integers(std::size_t i) const {
    const std::optional<std::vector<Dim>> dims = elements(i);
    return dims ? staticShape(*dims) : std::nullopt;
}

std::int64_t NodeTerms::intAttribute(const std::string& key, std::int64_t fallback) const {
    const auto* value = m_node.attribute<std::int64_t>(key);
    return value != nullptr ? *value : fallback;
}

float NodeTerms::floatAttribute(const std::string& key, float fallback) const {
    if (const auto* value = m_node.attribute<float>(key)) {
        return *value;
    }
    if (const auto* whole = m_node.attribute<std::int64_t>(key)) {
        return static_cast<float>(*whole);
    }
    return fallback;
}

std::string NodeTerms::stringAttribute(const std::string& key, const std::string& fallback) const {
    const auto* value = m_node.attribute<std::string>(key);
    return value != nullptr ? *value : fallback;
}

std::optional<std::vector<std::int64_t>> NodeTerms::intsAttribute(const std::string& key) const {
    const auto* value = m_node.attribute<std::vector<std::int64_t>>(key);
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> NodeTerms::axes(std::size_t i) const {
    if (const auto fromAttribute = intsAttribute("axes")) {
        return fromAttribute;
    }
    return has(i) ? integers(i) : std::nullopt;
}

TermId NodeTerms::none() { return m_store.bound(std::numeric_limits<std::uint32_t>::max(), TensorType{}); }

TermId NodeTerms::apply(Operator op, std::vector<TermId> operands, std::size_t result) {
    for (TermId& term : operands) {
        if (!term.isValid()) {
            term = none();
        }
    }
    op.result = static_cast<std::uint32_t>(result);
    op.element = resultType(result).element;
    return m_store.apply(m_store.internOperator(std::move(op)), operands, resultType(result));
}

TermId NodeTerms::elementwise(const std::string& name, const std::vector<TermId>& operands, std::map<std::string, Attribute> attributes) {
    Operator op;
    op.name = name;
    op.attributes = std::move(attributes);
    op.elementwise = true;
    const OpSchema* schema = findOp(m_node.op);
    op.commutative = (schema != nullptr && schema->commutative && operands.size() == 2);
    op.element = resultType(0).element;
    return m_move.elementwise(m_store.internOperator(std::move(op)), operands, resultType(0));
}

bool NodeTerms::isCovered(const Definition& definition) {
    DefinedCall call;
    call.definition = &definition;
    call.attributes = &m_node.attributes;
    for (std::size_t i = 0; i < m_operands.size(); ++i) {
        call.operands.emplace_back();
        if (has(i)) {
            call.operands.back() = DefinedCall::Operand{m_store.type(operand(i)), elements(i)};
        }
    }
    for (std::size_t k = 0; k < m_node.results.size(); ++k) {
        call.wanted.push_back(hasResult(k));
    }
    const Result<DefinedBody> body = writeOut(call);
    if (!body && std::find(m_store.notes.begin(), m_store.notes.end(), body.error().message) == m_store.notes.end()) {
        m_store.notes.push_back(body.error().message);
    }
    return body.has_value();
}

TermId NodeTerms::movedConstant(TermId term) const {
    constexpr std::int64_t Limit = std::int64_t{1} << 22;
    if (!term.isValid() || !isComputable(m_store.type(term).element)) {
        return term;
    }
    if (m_store.kind(term) == TermKind::View) {
        const std::optional<Tensor> elements = m_store.constantElements(term, Limit);
        return elements ? m_store.constant(*elements) : term;
    }
    if (m_store.kind(term) != TermKind::Concat) {
        return term;
    }
    Node join;
    join.op = OpId{"", "Concat", 13};
    join.attributes["axis"] = static_cast<std::int64_t>(m_store.term(term).payload);
    join.results.emplace_back(std::size_t{0});
    std::vector<std::optional<Tensor>> parts;
    std::int64_t count = 0;
    for (const TermId part : m_store.operands(term)) {
        parts.push_back(m_store.constantElements(part, Limit - count));
        if (!parts.back()) {
            return term;
        }
        count += parts.back()->count();
        join.operands.emplace_back(parts.size());
    }
    const Result<std::vector<Tensor>> joined = evaluateNode(join, parts);
    return joined && joined->size() == 1 ? m_store.constant(joined->front()) : term;
}

std::vector<TermId> NodeTerms::opaque(const std::vector<TermId>& extraOperands) {
    const OpSchema* schema = findOp(m_node.op);
    std::vector<TermId> operands = m_operands;
    operands.insert(operands.end(), extraOperands.begin(), extraOperands.end());
    const Definition* definition = extraOperands.empty() ? findDefinition(m_store.definitions.get(), m_node.op) : nullptr;
    if (definition != nullptr && schema == nullptr && !isCovered(*definition)) {
        definition = nullptr; // an open function after all
    }
    if (definition == nullptr && extraOperands.empty()) {
        // Nothing looks into such an op: constants that are moved before it are told by what it reads.
        for (TermId& operand : operands) {
            operand = movedConstant(operand);
        }
    }
    std::vector<TermId> results;
    for (std::size_t k = 0; k < m_node.results.size(); ++k) {
        if (!hasResult(k)) {
            results.emplace_back();
            continue;
        }
        Operator op;
        // A known op keeps its meaning from its since-version on; of an unknown one every version is another function.
        op.name = m_node.op.text() + "@" + std::to_string(schema != nullptr ? schema->sinceVersion : m_node.op.version);
        op.attributes = definition != nullptr ? withDefaults(*definition, m_node.attributes) : withOnnxDefaults(m_node.op, m_node.attributes);
        if (!extraOperands.empty()) {
            op.attributes["lemmascope.operands"] = static_cast<std::int64_t>(m_operands.size()); // where the bodies' outputs begin
        }
        op.open = definition == nullptr && (schema == nullptr || !hasKernel(m_node.op));
        results.push_back(apply(std::move(op), operands, k));
    }
    return results;
}

std::vector<TermId> NodeTerms::known() {
    const std::string& domain = m_node.op.domain;
    const OpSchema* schema = findOp(m_node.op);
    if (schema == nullptr || (!domain.empty() && domain != "com.microsoft" && domain != "lemmascope")) {
        return {};
    }
    for (std::size_t i = 0; i < m_operands.size(); ++i) {
        if (m_node.operands[i].isValid() && !m_operands[i].isValid()) {
            return {};
        }
    }
    if (domain == "lemmascope" && (m_node.op.name == "Number" || m_node.op.name == "Length")) {
        return numberOp();
    }
    if (std::vector<TermId> terms = movementOp(); !terms.empty()) {
        return terms;
    }
    if (std::vector<TermId> terms = elementwiseOp(); !terms.empty()) {
        return terms;
    }
    return computingOp();
}

std::vector<TermId> NodeTerms::numberOp() {
    if (m_node.op.name == "Length") {
        const auto axes = intsAttribute("axes");
        if (!axes || !has(0) || !m_store.hasShape(operand(0))) {
            return {};
        }
        const Shape shape = m_store.shape(operand(0));
        Dim count(1);
        for (const std::int64_t given : *axes) {
            const std::optional<std::size_t> axis = normalAxis(given, shape.size());
            if (!axis) {
                return {};
            }
            count = count * shape[*axis];
        }
        if (count.isKnown()) {
            return {m_store.constant(Tensor::of<double>(ElementType::F64, {}, {static_cast<double>(count.value())}))};
        }
        return {lengthTerm(m_store, count)};
    }
    const auto* near = m_node.attribute<Tensor>("near");
    if (near == nullptr || near->element() != ElementType::F64 || near->count() != 3) {
        return {};
    }
    if (near->toDouble(0) == near->toDouble(2)) {
        return {m_store.constant(Tensor::of<double>(ElementType::F64, {}, {near->toDouble(1)}))};
    }
    Operator op;
    op.name = "Number";
    op.attributes = m_node.attributes;
    op.attributes.erase("near");
    op.attributes.erase("to");
    op.elementwise = true;
    op.element = resultType(0).element;
    return {m_store.apply(m_store.internOperator(std::move(op)), {}, {op.element, Shape{}})};
}

std::vector<TermId> NodeTerms::elementwiseOp() {
    const std::string& op = m_node.op.name;
    const std::int64_t version = m_node.op.version;
    const bool onnx = m_node.op.domain.empty();
    if (!has(0)) {
        return {};
    }
    const TermId x = operand(0);
    const auto one = [](TermId t) { return std::vector<TermId>{t}; };
    if (onnx) {
        if (version < 7 && (op == "Add" || op == "Sub" || op == "Mul" || op == "Div" || op == "Pow" || op == "And" || op == "Or" || op == "Xor" ||
                            op == "Equal" || op == "Less" || op == "Greater")) {
            // Before opset 7 broadcasting was an attribute with an axis of its own.
            if (!(has(1) && m_store.hasShape(x) && m_store.hasShape(operand(1)) && m_store.shape(x) == m_store.shape(operand(1)))) {
                return {};
            }
        }
        static const std::vector<std::string> Unary{"Neg",      "Abs",        "Relu",  "Sigmoid", "Tanh",  "Erf",   "Exp",   "Log",
                                                    "Sqrt",     "Reciprocal", "Floor", "Ceil",    "Round", "Sign",  "Not",   "Softplus",
                                                    "Softsign", "HardSwish",  "Mish",  "Sin",     "Cos",   "Tan",   "Asin",  "Acos",
                                                    "Atan",     "Sinh",       "Cosh",  "Asinh",   "Acosh", "Atanh", "IsNaN", "BitwiseNot"};
        static const std::vector<std::string> Binary{
            "Add",   "Sub",        "Mul",       "Div",       "Pow", "And", "Or", "Xor", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual",
            "PRelu", "BitwiseAnd", "BitwiseOr", "BitwiseXor"};
        if (std::find(Unary.begin(), Unary.end(), op) != Unary.end()) {
            return one(elementwise(op, {x}));
        }
        if (std::find(Binary.begin(), Binary.end(), op) != Binary.end() && has(1)) {
            return one(elementwise(op, {x, operand(1)}));
        }
        if (op == "Where" && has(1) && has(2)) {
            if (resultType(0).shape) {
                if (const std::optional<TermId> known = selectOp()) {
                    return one(*known);
                }
            }
            return one(elementwise(op, {x, operand(1), operand(2)}));
        }
        if (op == "Mod" && has(1)) {
            return one(elementwise(op, {x, operand(1)}, {{"fmod", intAttribute("fmod", 0)}}));
        }
        if (op == "BitShift" && has(1)) {
            return one(elementwise(op, {x, operand(1)}, {{"direction", stringAttribute("direction", "")}}));
        }
        if (op == "Sum" || op == "Max" || op == "Min") {
            const std::string binary = op == "Sum" ? "Add" : op;
            TermId out = x;
            for (std::size_t i = 1; i < operandCount(); ++i) {
                if (!has(i) || !m_store.hasShape(out) || !m_store.hasShape(operand(i)) || !resultType(0).shape) {
                    return {};
                }
                // The running result has the broadcast shape of what it has read; only the last has the node's.
                Shape shape;
                const Shape& a = m_store.shape(out);
                const Shape& b = m_store.shape(operand(i));
                if (broadcastsTo(a, b)) {
                    shape = b;
                } else if (broadcastsTo(b, a)) {
                    shape = a;
                } else {
                    shape = *resultType(0).shape;
                }
                Operator folded;
                folded.name = binary;
                folded.elementwise = true;
                folded.commutative = op == "Sum";
                folded.element = resultType(0).element;
                const std::array<TermId, 2> pair{out, operand(i)};
                out = m_move.elementwise(m_store.internOperator(folded), pair, {folded.element, shape});
            }
            return one(out);
        }
        if (op == "Mean") {
            std::vector<TermId> all;
            for (std::size_t i = 0; i < operandCount(); ++i) {
                if (!has(i)) {
                    return {};
                }
                all.push_back(operand(i));
            }
            return one(all.size() == 1 ? all[0] : elementwise(op, all));
        }
        if (op == "Clip") {
            TermId low;
            TermId high;
            if (version < 11) {
                const auto bound = [&](const char* key) {
                    const auto* value = m_node.attribute<float>(key);
                    if (value == nullptr) {
                        return TermId();
                    }
                    // The attribute is float32 whatever the operand's type; other types take its value.
                    Tensor scalar;
                    switch (resultType(0).element) {
                    case ElementType::F32: scalar = Tensor::of<float>(ElementType::F32, {}, {*value}); break;
                    case ElementType::F64: scalar = Tensor::of<double>(ElementType::F64, {}, {static_cast<double>(*value)}); break;
                    case ElementType::F16: scalar = Tensor::of<std::uint16_t>(ElementType::F16, {}, {floatToHalf(*value)}); break;
                    default: return TermId();
                    }
                    return m_store.constant(scalar);
                };
                low = bound("min");
                high = bound("max");
                if ((m_node.attribute<float>("min") != nullptr && !low.isValid()) || (m_node.attribute<float>("max") != nullptr && !high.isValid())) {
                    return {};
                }
            } else {
                low = has(1) ? operand(1) : TermId();
                high = has(2) ? operand(2) : TermId();
            }
            // An infinite bound on its own side bounds nothing: the same bits, for infinities and NaN too.
            const auto boundless = [&](TermId bound, double infinity) {
                return bound.isValid() && isFloat(m_store.type(bound).element) && m_store.uniformValue(bound) == infinity;
            };
            low = boundless(low, -std::numeric_limits<double>::infinity()) ? TermId() : low;
            high = boundless(high, std::numeric_limits<double>::infinity()) ? TermId() : high;
            if (!low.isValid() && !high.isValid()) {
                return one(x);
            }
            std::vector<TermId> all{x};
            std::map<std::string, Attribute> attributes;
            if (low.isValid()) {
                all.push_back(low);
                attributes["min"] = std::int64_t{1};
            }
            if (high.isValid()) {
                all.push_back(high);
                attributes["max"] = std::int64_t{1};
            }
            return one(elementwise(op, all, attributes));
        }
        if (op == "LeakyRelu") {
            return one(elementwise(op, {x}, {{"alpha", floatAttribute("alpha", 0.01F)}}));
        }
        if (op == "Elu" || op == "Celu" || op == "ThresholdedRelu") {
            return one(elementwise(op, {x}, {{"alpha", floatAttribute("alpha", 1.0F)}}));
        }
        if (op == "Selu") {
            return one(elementwise(
                op, {x},
                {{"alpha", floatAttribute("alpha", 1.67326319217681884765625F)}, {"gamma", floatAttribute("gamma", 1.05070102214813232421875F)}}));
        }
        if (op == "HardSigmoid") {
            return one(elementwise(op, {x}, {{"alpha", floatAttribute("alpha", 0.2F)}, {"beta", floatAttribute("beta", 0.5F)}}));
        }
        if (op == "Swish") {
            return one(elementwise(op, {x}, {{"alpha", floatAttribute("alpha", 1.0F)}}));
        }
        if (op == "Gelu") {
            return one(elementwise(op, {x}, {{"approximate", stringAttribute("approximate", "none")}}));
        }
        if (op == "IsInf") {
            return one(elementwise(
                op, {x}, {{"detect_negative", intAttribute("detect_negative", 1)}, {"detect_positive", intAttribute("detect_positive", 1)}}));
        }
        if (op == "Cast" || op == "CastLike") {
            const ElementType from = m_store.type(x).element;
            const ElementType to = resultType(0).element;
            if (from == ElementType::Undefined || to == ElementType::Undefined) {
                return {};
            }
            if (from == to) {
                return one(x);
            }
            return one(elementwise("Cast", {x}, {{"from", std::string(name(from))}, {"saturate", intAttribute("saturate", 1)}}));
        }
        if ((op == "QuantizeLinear" || op == "DequantizeLinear") && has(1) && m_store.hasShape(x) && m_store.hasShape(operand(1))) {
            const std::vector<TermId> parameters = has(2) ? std::vector<TermId>{operand(1), operand(2)} : std::vector<TermId>{operand(1)};
            std::vector<TermId> all{x};
            const Shape shape = m_store.shape(x);
            for (const TermId parameter : parameters) {
                if (!m_store.hasShape(parameter)) {
                    return {};
                }
                const Shape own = m_store.shape(parameter);
                if (own.empty() || (own.size() == 1 && own[0].is(1))) {
                    all.push_back(m_move.reshape(parameter, Shape{}));
                } else if (own.size() == 1 && intAttribute("block_size", 0) == 0) {
                    // per axis: one parameter per index of that axis
                    std::int64_t axis = intAttribute("axis", 1);
                    axis += axis < 0 ? static_cast<std::int64_t>(shape.size()) : 0;
                    Shape wide(shape.size(), Dim(1));
                    if (axis < 0 || axis >= static_cast<std::int64_t>(shape.size())) {
                        return {};
                    }
                    wide[static_cast<std::size_t>(axis)] = own[0];
                    all.push_back(m_move.reshape(parameter, wide));
                } else {
                    return {};
                }
            }
            std::map<std::string, Attribute> attributes{{"saturate", intAttribute("saturate", 1)}};
            if (op == "DequantizeLinear") {
                attributes["from"] = std::string(name(m_store.type(x).element));
            }
            return one(elementwise(op, all, attributes));
        }
        return {};
    }
    if (m_node.op.domain == "com.microsoft") {
        if (op == "QuickGelu") {
            return one(elementwise("QuickGelu", {x}, {{"alpha", floatAttribute("alpha", 1.702F)}}));
        }
        if (op == "Gelu") {
            return one(elementwise("Gelu", {x}, {{"approximate", std::string("none")}}));
        }
        if (op == "FastGelu") {
            std::vector<TermId> all{x};
            if (has(1)) {
                all.push_back(operand(1));
            }
            return one(elementwise("FastGelu", all));
        }
        if (op == "BiasGelu" && has(1)) {
            return one(elementwise("BiasGelu", {x, operand(1)}));
        }
    }
    return {};
}

void NodeTerms::collectAccesses(std::vector<Access>& out) const {
    const std::string& op = m_node.op.name;
    const std::string& domain = m_node.op.domain;
    const auto bufferName = [this](std::size_t i) {
        return i < m_node.operands.size() && m_node.operands[i].isValid() ? m_graph.value(m_node.operands[i]).name : std::string();
    };
    const auto add = [&](Access::Kind kind, TermId index, const Dim& low, const Dim& high) {
        Access access;
        access.kind = kind;
        access.index = index;
        access.low = low;
        access.high = high;
        access.buffer = bufferName(0);
        out.push_back(std::move(access));
    };
    const bool shaped = has(0) && m_store.hasShape(operand(0));
    if (domain.empty() && (op == "Gather" || op == "GatherElements" || op == "ScatterElements" || op == "Scatter") && has(1) && shaped) {
        const Shape& shape = m_store.shape(operand(0));
        std::int64_t axis = intAttribute("axis", 0);
        axis += axis < 0 ? static_cast<std::int64_t>(shape.size()) : 0;
        if (axis >= 0 && axis < static_cast<std::int64_t>(shape.size())) {
            const Dim& size = shape[static_cast<std::size_t>(axis)];
            add(op.starts_with("Gather") ? Access::Kind::Read : Access::Kind::Write, operand(1), Dim(0) - size, size - Dim(1));
        }
        return;
    }
    if (domain.empty() && (op == "GatherND" || op == "ScatterND") && has(1) && shaped && m_store.hasShape(operand(1)) &&
        !m_store.shape(operand(1)).empty()) {
        const Shape indices = m_store.shape(operand(1));
        const std::size_t batch = op == "GatherND" ? static_cast<std::size_t>(std::max<std::int64_t>(0, intAttribute("batch_dims", 0))) : 0;
        const Shape data = m_store.shape(operand(0));
        if (!indices.back().isKnown()) {
            return;
        }
        for (std::int64_t k = 0; k < indices.back().value(); ++k) {
            const std::size_t axis = batch + static_cast<std::size_t>(k);
            if (axis < data.size()) {
                Movements movements(m_store);
                const TermId component = movements.sliceAxis(operand(1), indices.size() - 1, Dim(k), Dim(1));
                add(op == "GatherND" ? Access::Kind::Read : Access::Kind::Write, component, Dim(0) - data[axis], data[axis] - Dim(1));
            }
        }
        return;
    }
    if (domain == "lemmascope" && shaped && !m_store.shape(operand(0)).empty()) {
        const Dim& rows = m_store.shape(operand(0))[0];
        if (op == "RowsAt" && has(1)) {
            add(Access::Kind::Read, operand(1), Dim(0), rows - Dim(intAttribute("count", 1)));
        } else if (op == "StoreRows" && has(2)) {
            add(Access::Kind::Write, operand(2), Dim(0) - rows, rows - Dim(1));
        } else if (op == "StoreRowsAt" && has(2)) {
            add(Access::Kind::Write, operand(2), Dim(0), rows - Dim(intAttribute("count", 1)));
        }
        return;
    }
    if (domain.empty() && (op == "Div" || op == "Mod") && has(1) && isInteger(m_store.type(operand(1)).element)) {
        Access access;
        access.kind = Access::Kind::Divide;
        access.index = operand(1);
        access.buffer = bufferName(1);
        out.push_back(std::move(access));
    }
}

} // namespace lemmascope
