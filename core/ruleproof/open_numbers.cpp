// Stand-ins become inputs.
#include "core/ruleproof/open_numbers.h"

#include "core/graph/definition_code.h"
#include "core/graph/infer.h"
#include "core/rewrite/literals.h"
#include "core/ruleproof/graph_parts.h"

#include <algorithm>
#include <array>

namespace lemmascope::ruleproof {

namespace {

constexpr std::uint32_t MostDepth = 64;

/// Operators that the registry knows without a definition, written out for open numbers.
const Definition* ownDefinition(const OpId& op) {
    static const Result<std::shared_ptr<const DefinitionLibrary>> library =
        DefinitionLibrary::parse("op rule.LeakyRelu(x; alpha = 0.01) -> y\n"
                                 "    y = Where(Less(x, like(0, x)), alpha * x, x)\n"
                                 "op rule.HardSigmoid(x; alpha = 0.2, beta = 0.5) -> y\n"
                                 "    y = Max(Min(alpha * x + beta, like(1, x)), like(0, x))\n",
                                 "open numbers");
    return op.domain.empty() && library ? (*library)->find({"rule", op.name, 1}) : nullptr;
}

class Opener {
  public:
    Opener(const Graph& graph, const Opening& opening) : m_source(graph), m_opening(opening) {}

    Result<Opened> run() {
        m_graph = m_source;
        m_graph.nodes.clear();
        for (Value& each : m_graph.values) {
            each.elements.reset();
            if (each.producer.isValid()) {
                each.type = {};
            }
        }
        for (const OpenNumber& each : m_opening.numbers) {
            ValueId input = m_graph.findValue(each.input);
            if (each.fixed) {
                input = input.isValid() ? input : m_graph.addValue(Value{});
                Value& value = m_graph.values[input.index];
                value.name = each.input;
                value.type = value.type.shape ? value.type : TensorType{ElementType::F32, Shape{}};
                const std::vector<std::int64_t> shape = staticShape(*value.type.shape).value_or(std::vector<std::int64_t>());
                value.constant = rewrite::floats(value.type.element, shape, {*each.fixed});
                if (!value.constant) {
                    return fail(ErrorCode::Unsupported,
                                "a number of type " + std::string(name(value.type.element)) + " that a definition compares with others");
                }
                std::erase(m_graph.inputs, input);
            } else if (!input.isValid()) {
                Value value;
                value.name = each.input;
                value.type = {ElementType::F32, Shape{}};
                input = m_graph.addValue(std::move(value));
                m_graph.inputs.push_back(input);
            }
            m_inputs.push_back(input);
        }
        replaceConstants();
        for (const Node& node : m_source.nodes) {
            Node copy = node;
            for (ValueId& operand : copy.operands) {
                if (operand.isValid() && m_replaced.contains(operand)) {
                    operand = m_replaced.at(operand);
                }
            }
            if (auto added = addNode(std::move(copy)); !added) {
                return tl::unexpected(added.error());
            }
        }
        for (ValueId& output : m_graph.outputs) {
            if (m_replaced.contains(output)) {
                output = m_replaced.at(output);
            }
        }
        InferOptions options;
        options.questions = &m_out.questions;
        Result<std::shared_ptr<const Graph>> typed = inferTypes(m_graph, options);
        if (!typed) {
            return tl::unexpected(typed.error());
        }
        m_out.graph = std::move(*typed);
        return std::move(m_out);
    }

  private:
    [[nodiscard]] OpId onnx(const char* name) const { return onnxOp(m_graph, name); }

    ValueId node(OpId op, std::vector<ValueId> operands, std::map<std::string, Attribute> attributes = {}) {
        return appendNode(m_graph, std::move(op), std::move(operands), "open." + std::to_string(m_graph.values.size()), std::move(attributes));
    }

    struct Scalar {
        ValueId value;
        std::optional<std::size_t> number; ///< the open number it is; else it is computed
        bool nonZero = false;
    };

    /// The scalar that a number stands for; invalid when it stands for none.
    Scalar scalarFor(double number) {
        for (std::size_t i = 0; i < m_opening.numbers.size(); ++i) {
            if (static_cast<float>(m_opening.numbers[i].standIn) == static_cast<float>(number)) {
                return {scalar(i), i, m_opening.numbers[i].nonZero};
            }
        }
        for (const ComputedNumber& each : m_opening.computed) {
            if (static_cast<float>(each.value) == static_cast<float>(number)) {
                if (const std::optional<ValueId> made = compute(each.expression, 0)) {
                    m_out.usesComputed = true;
                    return {*made, std::nullopt, isNonZero(each.expression, 0)};
                }
            }
        }
        return {};
    }

    /// The input as a scalar: that of a constant may have axes of length 1, or another element type.
    ValueId scalar(std::size_t index) {
        const TensorType type = m_graph.value(m_inputs[index]).type; // nodes that are added move the values
        ValueId out = m_inputs[index];
        if (type.element != ElementType::F32) {
            out = node(onnx("Cast"), {out}, {{"to", Attribute(std::int64_t{1})}});
        }
        if (type.shape && !type.shape->empty()) {
            Value empty;
            empty.name = "open.shape" + std::to_string(m_graph.values.size());
            empty.constant = Tensor(ElementType::I64, {0});
            empty.type = {ElementType::I64, Shape{Dim(0)}};
            out = node(onnx("Reshape"), {out, m_graph.addValue(std::move(empty))});
        }
        return out;
    }

    ValueId number(double value) {
        Value made;
        made.name = "open.number" + std::to_string(m_graph.values.size());
        made.type = {ElementType::F32, Shape{}};
        made.constant = Tensor::of<float>(ElementType::F32, {}, {static_cast<float>(value)});
        return m_graph.addValue(std::move(made));
    }

    [[nodiscard]] std::optional<std::size_t> numberOf(const match::ExpressionNode& node) const {
        for (std::size_t i = 0; i < m_opening.numbers.size(); ++i) {
            const std::vector<std::string>& names = m_opening.numbers[i].names;
            if (std::find(names.begin(), names.end(), node.name.text) != names.end()) {
                return i;
            }
        }
        return std::nullopt;
    }

    /// `dim(?x, -1)` as a float.
    std::optional<ValueId> lengthOf(const match::ExpressionNode& node) {
        const auto value = m_opening.values.find(node.name.text);
        const match::ExpressionNode& argument = m_opening.file.at(node.children.front());
        const bool negative = argument.kind == match::ExpressionKind::Arithmetic && argument.children.size() == 1;
        const match::ExpressionNode& digits = negative ? m_opening.file.at(argument.children.front()) : argument;
        if (value == m_opening.values.end() || digits.kind != match::ExpressionKind::Number || !digits.number.integer) {
            return std::nullopt;
        }
        const std::int64_t axis = negative ? -*digits.number.integer : *digits.number.integer;
        const ValueId shape = this->node(onnx("Shape"), {value->second});
        const ValueId at = integers({}, {axis});
        const ValueId length = this->node(onnx("Gather"), {shape, at});
        return this->node(onnx("Cast"), {length}, {{"to", Attribute(std::int64_t{1})}});
    }

    ValueId integers(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& elements) {
        Value made;
        made.name = "open.integers" + std::to_string(m_graph.values.size());
        Shape dims;
        for (const std::int64_t each : shape) {
            dims.emplace_back(each);
        }
        made.type = {ElementType::I64, std::move(dims)};
        made.constant = Tensor::of<std::int64_t>(ElementType::I64, std::move(shape), elements);
        return m_graph.addValue(std::move(made));
    }

    /// Products, quotients and roots of what is not zero.
    [[nodiscard]] bool isNonZero(match::ExpressionId id, std::uint32_t depth) const {
        using match::ExpressionKind;
        const match::ExpressionNode& at = m_opening.file.at(id);
        if (depth > MostDepth) {
            return false;
        }
        if (at.kind == ExpressionKind::Number) {
            return at.number.value != 0;
        }
        if (at.kind == ExpressionKind::Fact && at.fact == match::FactKind::Dim) {
            return true;
        }
        if (at.kind == ExpressionKind::Variable || at.kind == ExpressionKind::Fact) {
            const std::optional<std::size_t> index = numberOf(at);
            return index && m_opening.numbers[*index].nonZero;
        }
        const bool keeps = (at.kind == ExpressionKind::Function && at.text == "sqrt") ||
                           (at.kind == ExpressionKind::Arithmetic && (at.children.size() == 1 || at.arithmetic == '*' || at.arithmetic == '/'));
        return keeps && std::all_of(at.children.begin(), at.children.end(), [&](match::ExpressionId child) { return isNonZero(child, depth + 1); });
    }

    /// What an integer made of primes stands for; nothing when no prime is in it.
    [[nodiscard]] std::optional<Dim> decoded(std::int64_t number) const {
        std::int64_t left = number;
        Dim out(1);
        bool found = false;
        for (const auto& [symbol, prime] : m_opening.lengths) {
            while (left != 0 && left % prime == 0) {
                left /= prime;
                out = out * Dim::symbol(symbol);
                found = true;
            }
        }
        return found ? std::optional(out * Dim(left)) : std::nullopt;
    }

    /// A length of the graph as a list of one; nothing when no value has it.
    std::optional<ValueId> runtimeLength(const Dim& dim) {
        std::vector<std::string> symbols;
        dim.collectSymbols(symbols);
        std::optional<ValueId> out;
        Dim left = dim;
        const auto times = [&](ValueId factor) { out = out ? node(onnx("Mul"), {*out, factor}) : factor; };
        for (const std::string& symbol : symbols) {
            const auto like = likeOf(symbol);
            if (!like) {
                return std::nullopt;
            }
            while (const std::optional<Dim> quotient = Dim::exactQuotient(left, Dim::symbol(symbol))) {
                left = *quotient;
                times(node(onnx("Shape"), {like->first},
                           {{"start", Attribute(static_cast<std::int64_t>(like->second))},
                            {"end", Attribute(static_cast<std::int64_t>(like->second) + 1)}}));
            }
        }
        if (!left.isKnown()) {
            return std::nullopt;
        }
        if (!left.is(1) || !out) {
            times(integers({1}, {left.value()}));
        }
        return out;
    }

    /// An input and an axis of it with that length.
    [[nodiscard]] std::optional<std::pair<ValueId, std::size_t>> likeOf(const std::string& symbol) const {
        for (const ValueId input : m_graph.inputs) {
            const std::optional<Shape>& shape = m_graph.value(input).type.shape;
            for (std::size_t axis = 0; shape && axis < shape->size(); ++axis) {
                if ((*shape)[axis].symbolName() == symbol) {
                    return std::pair(input, axis);
                }
            }
        }
        return std::nullopt;
    }

    std::optional<ValueId> compute(match::ExpressionId id, std::uint32_t depth) {
        using match::ExpressionKind;
        const match::ExpressionNode& at = m_opening.file.at(id);
        if (depth > MostDepth) {
            return std::nullopt;
        }
        if (at.kind == ExpressionKind::Number) {
            return number(at.number.value);
        }
        if (at.kind == ExpressionKind::Variable || (at.kind == ExpressionKind::Fact && at.fact == match::FactKind::Value)) {
            const std::optional<std::size_t> index = numberOf(at);
            return index ? std::optional(scalar(*index)) : std::nullopt;
        }
        if (at.kind == ExpressionKind::Fact && at.fact == match::FactKind::Dim) {
            return lengthOf(at);
        }
        std::vector<ValueId> operands;
        for (const match::ExpressionId child : at.children) {
            const std::optional<ValueId> made = compute(child, depth + 1);
            if (!made) {
                return std::nullopt;
            }
            operands.push_back(*made);
        }
        if (at.kind == ExpressionKind::Function && at.text == "sqrt") {
            return node(onnx("Sqrt"), std::move(operands));
        }
        if (at.kind != ExpressionKind::Arithmetic) {
            return std::nullopt;
        }
        if (operands.size() == 1) {
            return node(onnx("Neg"), std::move(operands));
        }
        const char* op = at.arithmetic == '+'   ? "Add"
                         : at.arithmetic == '-' ? "Sub"
                         : at.arithmetic == '*' ? "Mul"
                         : at.arithmetic == '/' ? "Div"
                                                : nullptr;
        return op == nullptr ? std::nullopt : std::optional(node(onnx(op), std::move(operands)));
    }

    /// The stand-in itself goes: nothing of it may be left.
    void replace(ValueId id, ValueId made) {
        std::optional<Tensor>& constant = m_graph.values[id.index].constant;
        constant = Tensor(constant->element(), constant->shape());
        m_replaced.emplace(id, made);
    }

    void replaceConstants() {
        const std::size_t count = m_source.values.size();
        for (std::size_t i = 0; i < count; ++i) {
            const std::optional<Tensor>& tensor = m_source.values[i].constant;
            if (tensor && tensor->element() == ElementType::I64 && !m_opening.lengths.empty() && tensor->shape().size() <= 1 &&
                tensor->count() <= 64) {
                replaceList(ValueId(i), *tensor);
                continue;
            }
            if (!tensor || !isFloat(tensor->element()) || !isComputable(tensor->element()) || tensor->count() != 1) {
                continue;
            }
            ValueId made = scalarFor(tensor->toDouble(0)).value;
            if (!made.isValid()) {
                continue;
            }
            if (tensor->element() != ElementType::F32) {
                const std::int64_t code = tensor->element() == ElementType::F16 ? 10 : tensor->element() == ElementType::BF16 ? 16 : 11;
                made = node(onnx("Cast"), {made}, {{"to", Attribute(code)}});
            }
            if (!tensor->shape().empty()) {
                const std::size_t rank = tensor->shape().size();
                made = node(onnx("Reshape"), {made, integers({static_cast<std::int64_t>(rank)}, std::vector<std::int64_t>(rank, 1))});
            }
            replace(ValueId(i), made);
        }
    }

    void replaceList(ValueId id, const Tensor& tensor) {
        std::vector<ValueId> parts;
        bool any = false;
        for (std::int64_t k = 0; k < tensor.count(); ++k) {
            const std::optional<Dim> length = decoded(tensor.toInt64(k));
            std::optional<ValueId> part = length ? runtimeLength(*length) : std::optional(integers({1}, {tensor.toInt64(k)}));
            if (!part) {
                return;
            }
            any = any || length;
            parts.push_back(*part);
        }
        if (!any) {
            return;
        }
        ValueId made = parts.size() == 1 ? parts.front() : node(onnx("Concat"), std::move(parts), {{"axis", Attribute(std::int64_t{0})}});
        if (tensor.shape().empty()) {
            made = node(onnx("Reshape"), {made, integers({0}, {})});
        }
        replace(id, made);
    }

    /// The type of a value of the graph so far.
    [[nodiscard]] Result<DefinedCall::Operand> operandOf(ValueId id) {
        if (!m_graph.value(id).type.shape) {
            Graph sofar = m_graph;
            sofar.outputs.clear();
            sofar.outputNames.clear();
            const auto typed = inferTypes(sofar);
            if (!typed) {
                return tl::unexpected(typed.error());
            }
            for (std::size_t i = 0; i < m_graph.values.size(); ++i) {
                m_types[ValueId(i)] = {(*typed)->values[i].type, (*typed)->values[i].elements};
            }
            const auto& [type, elements] = m_types[id];
            return DefinedCall::Operand{type, elements ? std::optional(*elements) : std::nullopt, nullptr};
        }
        return DefinedCall::Operand{m_graph.value(id).type, std::nullopt, nullptr};
    }

    Result<void> addNode(Node node) {
        std::vector<std::pair<std::string, Scalar>> opened;
        std::map<std::string, Dim> lengths;
        for (auto& [name, attribute] : node.attributes) {
            if (const auto* real = std::get_if<float>(&attribute)) {
                const auto fixed = std::find_if(m_opening.numbers.begin(), m_opening.numbers.end(),
                                                [&](const OpenNumber& each) { return each.fixed && static_cast<float>(each.standIn) == *real; });
                if (fixed != m_opening.numbers.end()) {
                    attribute.emplace<float>(static_cast<float>(*fixed->fixed));
                    continue;
                }
                const Scalar made = scalarFor(static_cast<double>(*real));
                if (made.value.isValid()) {
                    opened.emplace_back(name, made);
                }
            } else if (const auto* integer = std::get_if<std::int64_t>(&attribute)) {
                if (const std::optional<Dim> length = decoded(*integer)) {
                    lengths.emplace(name, *length);
                }
            } else if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute)) {
                if (std::any_of(list->begin(), list->end(), [&](std::int64_t each) { return decoded(each).has_value(); })) {
                    return fail(ErrorCode::Unsupported, "attribute " + name + " of " + node.op.text() + " holds open lengths");
                }
            }
        }
        if (opened.empty() && lengths.empty()) {
            m_graph.addNode(std::move(node));
            return {};
        }
        const std::string& first = opened.empty() ? lengths.begin()->first : opened.front().first;
        const Definition* known = findDefinition(m_graph.definitions.get(), node.op);
        known = known == nullptr ? ownDefinition(node.op) : known;
        if (known == nullptr) {
            return fail(ErrorCode::Unsupported, "attribute " + first + " of " + node.op.text() + " may be any number");
        }
        // The same operator with the numbers as its first operands, and values that have the lengths.
        Definition changed = *known;
        DefinedCall call;
        call.lengths = lengths;
        std::map<std::string, Attribute> attributes = node.attributes;
        std::vector<ValueId> operands;
        std::map<std::string, std::vector<double>> compared;
        const auto putFirst = [&](const std::string& name, ValueId value, DefinedCall::Operand operand) {
            changed.operands.insert(changed.operands.begin(), {name, false, false});
            operands.insert(operands.begin(), value);
            call.operands.insert(call.operands.begin(), std::move(operand));
        };
        for (const auto& [name, made] : opened) {
            std::erase_if(changed.attributes, [&, key = name](const DefinitionAttribute& each) { return each.name == key; });
            attributes.erase(name);
            putFirst(name, made.value,
                     DefinedCall::Operand{{ElementType::F32, Shape{}}, std::nullopt, &compared[name], std::get<float>(node.attributes.at(name))});
        }
        for (const auto& [name, length] : lengths) {
            attributes.erase(name);
            std::vector<std::string> symbols;
            length.collectSymbols(symbols);
            for (const std::string& symbol : symbols) {
                if (const auto like = likeOf(symbol)) {
                    putFirst("open." + symbol, like->first, DefinedCall::Operand{m_graph.value(like->first).type, std::nullopt, nullptr});
                }
            }
        }
        for (const ValueId operand : node.operands) {
            operands.push_back(operand);
            if (!operand.isValid()) {
                call.operands.emplace_back();
                continue;
            }
            Result<DefinedCall::Operand> type = operandOf(operand);
            if (!type) {
                return tl::unexpected(type.error());
            }
            call.operands.emplace_back(std::move(*type));
        }
        call.definition = &changed;
        call.attributes = &attributes;
        call.wanted.assign(node.results.size(), false);
        for (std::size_t r = 0; r < node.results.size(); ++r) {
            call.wanted[r] = node.results[r].isValid();
        }
        Result<DefinedBody> body = writeOut(call);
        if (!body) {
            return fail(ErrorCode::Unsupported, node.op.text() + " with any " + first + ": " + body.error().message);
        }
        for (const auto& [name, made] : opened) {
            for (const double each : compared[name]) {
                if (each == 0 && made.nonZero) {
                    continue;
                }
                m_out.comparesComputed = m_out.comparesComputed || !made.number;
                if (made.number) {
                    m_out.compared.emplace(*made.number, each);
                }
            }
        }
        m_out.wroteOut = true;
        const bool handsOn = std::any_of(body->graph.nodes.begin(), body->graph.nodes.end(), [&](const Node& each) {
            return std::any_of(each.attributes.begin(), each.attributes.end(),
                               [&](const auto& attribute) { return isOpen(attribute.second, opened, node); });
        });
        if (handsOn) {
            return addInline(node, body->graph, *body, operands);
        }
        Node fused;
        fused.name = node.name;
        fused.op = {"rule", node.op.name, 1};
        for (const std::size_t index : body->operands) {
            fused.operands.push_back(operands[index]);
        }
        for (const std::size_t index : body->results) {
            fused.results.push_back(node.results[index]);
        }
        fused.body = std::make_shared<const Graph>(std::move(body->graph));
        m_graph.addNode(std::move(fused));
        return {};
    }

    /// One of the numbers that were opened, as an attribute of an op in the body.
    static bool isOpen(const Attribute& attribute, const std::vector<std::pair<std::string, Scalar>>& opened, const Node& node) {
        const auto* real = std::get_if<float>(&attribute);
        return real != nullptr &&
               std::any_of(opened.begin(), opened.end(), [&](const auto& each) { return std::get<float>(node.attributes.at(each.first)) == *real; });
    }

    /// The body's nodes in the node's place: those that read an open number as an attribute are written out in turn.
    Result<void> addInline(const Node& node, const Graph& graph, const DefinedBody& body, const std::vector<ValueId>& operands) {
        std::map<ValueId, ValueId> known;
        for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
            known[graph.inputs[i]] = operands[body.operands[i]];
        }
        std::vector<std::pair<ValueId, ValueId>> copies; // of operands and constants that are results
        for (std::size_t r = 0; r < graph.outputs.size(); ++r) {
            const ValueId result = node.results[body.results[r]];
            if (graph.value(graph.outputs[r]).producer.isValid() && !known.contains(graph.outputs[r])) {
                known[graph.outputs[r]] = result;
            } else {
                copies.emplace_back(graph.outputs[r], result);
            }
        }
        for (std::size_t i = 0; i < graph.values.size(); ++i) {
            if (known.contains(ValueId(i))) {
                continue;
            }
            Value value;
            value.name = "open.inner" + std::to_string(m_graph.values.size());
            value.constant = graph.values[i].constant;
            value.type = value.constant ? graph.values[i].type : TensorType{};
            known[ValueId(i)] = m_graph.addValue(std::move(value));
        }
        const auto mapped = [&](std::vector<ValueId>& ids) {
            for (ValueId& id : ids) {
                id = id.isValid() ? known.at(id) : id;
            }
        };
        for (const Node& each : graph.nodes) {
            if (!Graph::nestedGraphs(each).empty()) {
                return fail(ErrorCode::Unsupported, node.op.text() + " hands an open number on beside " + each.op.text());
            }
            Node copy = each;
            mapped(copy.operands);
            mapped(copy.results);
            if (Result<void> added = addNode(std::move(copy)); !added) {
                return added;
            }
        }
        for (const auto& [from, to] : copies) {
            Node copy;
            copy.op = onnx("Identity");
            copy.operands = {known.at(from)};
            copy.results = {to};
            m_graph.addNode(std::move(copy));
        }
        return {};
    }

    const Graph& m_source;
    const Opening& m_opening;
    Opened m_out;
    Graph m_graph;
    std::vector<ValueId> m_inputs; ///< by open number
    std::map<ValueId, ValueId> m_replaced;
    std::map<ValueId, std::pair<TensorType, std::shared_ptr<const std::vector<Dim>>>> m_types;
};

} // namespace

double standInFor(std::size_t index, unsigned round) {
    // Significands without a short decimal form, apart from each other by more than rounding.
    return static_cast<double>(0.6180339F + 0.0137931F * static_cast<float>(index) + (round == 0 ? 0.0F : 0.2718281F));
}

std::int64_t primeFor(std::size_t index, unsigned round) {
    static constexpr std::array<std::int64_t, 40> Primes{211, 223, 227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277, 281,
                                                         283, 293, 307, 311, 313, 317, 331, 337, 347, 349, 353, 359, 367, 373,
                                                         379, 383, 389, 397, 401, 409, 419, 421, 431, 433, 439, 443};
    return Primes[(index + (round == 0 ? 0 : 20)) % Primes.size()];
}

Result<Opened> withOpenNumbers(const Graph& graph, const Opening& opening) { return Opener(graph, opening).run(); }

} // namespace lemmascope::ruleproof
