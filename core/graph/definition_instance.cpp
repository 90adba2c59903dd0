// Writes one application of a defined op out as a graph: runs the definition's statements on values that are tensors of the
// new graph, exact numbers, lengths, texts or lists.

#include "core/graph/definition_value.h"
#include "core/graph/op_registry.h"
#include "core/graph/ops/op_block.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lemmascope {

namespace {

constexpr std::int64_t BodyOpset = 24;
constexpr std::size_t MaxNodes = 20'000;

using Item = DefinitionItem;

class Writer {
  public:
    explicit Writer(const DefinedCall& call) : m_call(call), m_definition(*call.definition) {}

    Result<DefinedBody> run() {
        if (!bindOperands() || !bindAttributes()) {
            return refused();
        }
        for (const DefinitionStatement& statement : m_definition.statements) {
            m_line = statement.line;
            if (!execute(statement)) {
                return refused();
            }
            if (m_out.graph.nodes.size() > MaxNodes) {
                m_problem = "is written out in more than " + std::to_string(MaxNodes) + " nodes";
                return refused();
            }
        }
        for (std::size_t k = 0; k < m_call.wanted.size(); ++k) {
            if (!m_call.wanted[k]) {
                continue;
            }
            const auto at = k < m_definition.results.size() ? m_names.find(m_definition.results[k]) : m_names.end();
            if (at == m_names.end() || !at->second.is(Item::Kind::Tensor)) {
                m_problem = "result " + std::to_string(k) + " has no meaning in this case";
                return refused();
            }
            m_out.graph.outputs.push_back(at->second.tensor);
            m_out.results.push_back(k);
        }
        m_out.graph.name = definedName(m_definition);
        m_out.graph.opsets[""] = BodyOpset;
        return std::move(m_out);
    }

  private:
    const DefinedCall& m_call;
    const Definition& m_definition;
    DefinedBody m_out;
    std::map<std::string, Item> m_names;
    std::map<std::string, std::size_t> m_operandAt;
    ElementType m_number = ElementType::F32; ///< of numbers that stand among tensors
    std::string m_problem;
    int m_line = 0;

    tl::unexpected<Error> refused() const {
        return fail(ErrorCode::Unsupported, definedName(m_definition) + ": " + m_problem, m_definition.file + ":" + std::to_string(m_line));
    }
    bool refuse(std::string why) {
        m_problem = std::move(why);
        return false;
    }

    bool bindOperands() {
        m_line = m_definition.line;
        const std::vector<DefinitionOperand>& formals = m_definition.operands;
        const bool variadic = !formals.empty() && formals.back().variadic;
        std::size_t given = m_call.operands.size();
        while (given > 0 && !m_call.operands[given - 1]) {
            --given;
        }
        if (!variadic && given > formals.size()) {
            return refuse("has " + std::to_string(given) + " operands, its definition takes " + std::to_string(formals.size()));
        }
        bool typed = false;
        std::vector<Item> rest;
        for (std::size_t i = 0; i < std::max(given, formals.size()); ++i) {
            const DefinitionOperand& formal = formals[std::min(i, formals.size() - 1)];
            const bool present = i < given && m_call.operands[i].has_value();
            if (!present) {
                if (!formal.optional && !formal.variadic) {
                    return refuse("the operand '" + formal.name + "' is missing");
                }
                if (!formal.variadic) {
                    m_names[formal.name] = Item();
                }
                continue;
            }
            const DefinedCall::Operand& operand = *m_call.operands[i];
            Value value;
            value.name = formal.variadic ? formal.name + std::to_string(rest.size()) : formal.name;
            value.type = operand.type;
            if (operand.type.element == ElementType::Undefined) {
                return refuse("the element type of '" + value.name + "' is not known");
            }
            // An open number stands for an attribute: it types nothing.
            if (!typed && operand.compared == nullptr && isFloat(operand.type.element)) {
                m_number = operand.type.element;
                typed = true;
            }
            m_operandAt[value.name] = i;
            const ValueId id = m_out.graph.addValue(std::move(value));
            m_out.graph.inputs.push_back(id);
            m_out.operands.push_back(i);
            if (formal.variadic) {
                rest.push_back(Item::ofTensor(id));
            } else {
                m_names[formal.name] = Item::ofTensor(id);
            }
        }
        if (variadic) {
            m_names[formals.back().name] = Item::of(std::move(rest));
        }
        return true;
    }

    static Item ofFloat(float value) {
        if (!std::isfinite(value)) {
            return Item::trouble("an attribute that is not finite");
        }
        return Item::of(mpq_class(static_cast<double>(value)));
    }

    static Item ofAttribute(const Attribute& attribute) {
        if (const auto* integer = std::get_if<std::int64_t>(&attribute)) {
            return Item::of(mpq_class(static_cast<long>(*integer)));
        }
        if (const auto* real = std::get_if<float>(&attribute)) {
            return ofFloat(*real);
        }
        if (const auto* text = std::get_if<std::string>(&attribute)) {
            return Item::of(*text);
        }
        std::vector<Item> list;
        if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&attribute)) {
            for (const std::int64_t each : *integers) {
                list.push_back(Item::of(mpq_class(static_cast<long>(each))));
            }
            return Item::of(std::move(list));
        }
        if (const auto* floats = std::get_if<std::vector<float>>(&attribute)) {
            for (const float each : *floats) {
                list.push_back(ofFloat(each));
            }
            return Item::of(std::move(list));
        }
        if (const auto* texts = std::get_if<std::vector<std::string>>(&attribute)) {
            for (const std::string& each : *texts) {
                list.push_back(Item::of(each));
            }
            return Item::of(std::move(list));
        }
        return Item::trouble("an attribute that is a tensor or a graph");
    }

    bool bindAttributes() {
        for (const DefinitionAttribute& attribute : m_definition.attributes) {
            const auto at = m_call.attributes->find(attribute.name);
            const auto length = m_call.lengths.find(attribute.name);
            if (length != m_call.lengths.end()) {
                m_names[attribute.name] = Item::of(length->second);
            } else if (at != m_call.attributes->end()) {
                m_names[attribute.name] = ofAttribute(at->second);
            } else if (attribute.fallback) {
                m_names[attribute.name] = ofAttribute(*attribute.fallback);
            } else if (attribute.optional) {
                m_names[attribute.name] = Item();
            } else {
                return refuse("the attribute '" + attribute.name + "' is missing");
            }
        }
        for (const auto& entry : *m_call.attributes) {
            const std::string& key = entry.first;
            const bool known = std::any_of(m_definition.attributes.begin(), m_definition.attributes.end(),
                                           [&key](const DefinitionAttribute& each) { return each.name == key; });
            const bool passedOn = std::any_of(m_definition.statements.begin(), m_definition.statements.end(), [](const DefinitionStatement& s) {
                return std::any_of(s.value.begin(), s.value.end(), [](const DefinitionStep& step) { return step.allAttributes; });
            });
            if (!known && !passedOn && !key.starts_with("lemmascope.")) {
                return refuse("its definition gives the attribute '" + key + "' no meaning");
            }
        }
        return true;
    }

    bool execute(const DefinitionStatement& statement) {
        if (!statement.condition.empty()) {
            const Item condition = evaluate(statement.condition, 1).front();
            if (condition.is(Item::Kind::Trouble)) {
                return refuse(condition.text);
            }
            if (!condition.is(Item::Kind::Truth)) {
                return refuse("a condition is neither true nor false");
            }
            if (!condition.truth) {
                return true;
            }
        }
        const std::vector<Item> values = evaluate(statement.value, std::max<std::size_t>(statement.targets.size(), 1));
        if (values.front().is(Item::Kind::Trouble)) {
            return refuse(values.front().text);
        }
        if (statement.targets.empty()) {
            if (!values.front().is(Item::Kind::Truth) || !values.front().truth) {
                return refuse("defined only where " + statement.source);
            }
            return true;
        }
        for (std::size_t k = 0; k < statement.targets.size(); ++k) {
            Item value = values[k];
            const bool result =
                std::find(m_definition.results.begin(), m_definition.results.end(), statement.targets[k]) != m_definition.results.end();
            if (result && !value.is(Item::Kind::Tensor)) {
                const std::optional<ValueId> made = operandOf(value);
                if (!made || !made->isValid()) {
                    return refuse("the result '" + statement.targets[k] + "' is no tensor");
                }
                value = Item::ofTensor(*made);
            }
            if (value.is(Item::Kind::Tensor) && m_out.graph.value(value.tensor).name.empty()) {
                m_out.graph.values[value.tensor.index].name = statement.targets[k];
            }
            m_names[statement.targets[k]] = std::move(value);
        }
        return true;
    }

    std::vector<Item> evaluate(const std::vector<DefinitionStep>& steps, std::size_t results) {
        std::vector<Item> stack;
        const auto pop = [&stack](std::size_t count) {
            std::vector<Item> out(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
            stack.resize(stack.size() - count);
            return out;
        };
        for (std::size_t k = 0; k < steps.size(); ++k) {
            const DefinitionStep& step = steps[k];
            switch (step.kind) {
            case DefinitionStep::Kind::Number: stack.push_back(Item::of(step.number)); break;
            case DefinitionStep::Kind::Text: stack.push_back(Item::of(step.text)); break;
            case DefinitionStep::Kind::Name: stack.push_back(named(step.text)); break;
            case DefinitionStep::Kind::List: stack.push_back(listOf(pop(step.count))); break;
            case DefinitionStep::Kind::Negate: stack.push_back(negated(pop(1).front())); break;
            case DefinitionStep::Kind::Not: {
                const Item a = pop(1).front();
                stack.push_back(a.is(Item::Kind::Truth) ? Item::of(!a.truth) : Item::troubleOr(a, "'not' of what is no truth value"));
                break;
            }
            case DefinitionStep::Kind::Binary: {
                const std::vector<Item> both = pop(2);
                stack.push_back(binary(step.text, both[0], both[1]));
                break;
            }
            case DefinitionStep::Kind::Item: {
                const std::vector<Item> both = pop(2);
                stack.push_back(itemOf(both[0], both[1]));
                break;
            }
            case DefinitionStep::Kind::Function: stack.push_back(function(step.text, pop(step.count))); break;
            case DefinitionStep::Kind::Apply: {
                const std::vector<Item> all = pop(step.count + step.keywords.size());
                std::vector<Item> made = apply(step, all, k + 1 == steps.size() ? results : 1);
                if (k + 1 == steps.size()) {
                    return made;
                }
                stack.push_back(std::move(made.front()));
                break;
            }
            }
        }
        return {stack.back()};
    }

    Item named(const std::string& name) const {
        if (const auto at = m_names.find(name); at != m_names.end()) {
            return at->second;
        }
        if (name == "pi") {
            DefinedNumber pi;
            pi.q = 1;
            pi.piHalves = 2;
            return Item::of(pi);
        }
        if (name == "true" || name == "false") {
            return Item::of(name == "true");
        }
        return Item::trouble("'" + name + "' has no value in this case");
    }

    Item negated(const Item& a) {
        if (a.is(Item::Kind::Tensor)) {
            return emit("Neg", "", {a.tensor}, {}, 1).front();
        }
        if (a.is(Item::Kind::Number)) {
            DefinedNumber out = a.number;
            out.q = -out.q;
            return Item::of(out);
        }
        return a.is(Item::Kind::Length) ? Item::of(Dim(0) - a.length) : Item::troubleOr(a, "the negative of what is no number");
    }

    Item binary(const std::string& op, const Item& a, const Item& b) {
        if (op == "and" || op == "or") {
            const bool stop = op == "or"; // the value that decides alone
            if ((a.is(Item::Kind::Truth) && a.truth == stop) || (b.is(Item::Kind::Truth) && b.truth == stop)) {
                return Item::of(stop);
            }
        }
        if (a.is(Item::Kind::Trouble) || b.is(Item::Kind::Trouble)) {
            return a.is(Item::Kind::Trouble) ? a : b;
        }
        if (op == "and" || op == "or") {
            return a.is(Item::Kind::Truth) && b.is(Item::Kind::Truth) ? Item::of(op == "and")
                                                                      : Item::trouble("'" + op + "' of what is no truth value");
        }
        if (op == "in") {
            if (!b.is(Item::Kind::List)) {
                return Item::trouble("'in' needs a list");
            }
            return Item::of(std::any_of(b.list.begin(), b.list.end(), [&](const Item& each) { return equalItems(a, each).value_or(false); }));
        }
        if (op == "==" || op == "!=") {
            const DefinedCall::Operand* tensor = formal(a);
            if (tensor != nullptr && tensor->compared != nullptr && b.is(Item::Kind::Number)) {
                tensor->compared->push_back(b.number.doubles()[1]);
                return Item::of(op == "!=");
            }
            const std::optional<bool> same = equalItems(a, b);
            return same ? Item::of(*same == (op == "==")) : Item::trouble("two sizes that cannot be compared for every size");
        }
        if (a.is(Item::Kind::Tensor) || b.is(Item::Kind::Tensor)) {
            return onTensors(op, a, b);
        }
        return onScalars(op, a, b);
    }

    /// As `operandOf`; an open number takes the type that a number in its place has.
    std::optional<ValueId> termOf(const Item& item) {
        const std::optional<ValueId> id = operandOf(item);
        const DefinedCall::Operand* operand = formal(item);
        const bool other = operand != nullptr && operand->compared != nullptr && isFloat(m_number) && m_number != operand->type.element;
        return other ? emit("Cast", "", {*id}, {{"to", std::string(name(m_number))}}, 1).front().tensor : id;
    }

    Item onTensors(const std::string& op, const Item& a, const Item& b) {
        static const std::map<std::string, const char*> Ops{{"+", "Add"}, {"-", "Sub"}, {"*", "Mul"}, {"/", "Div"}};
        const auto at = Ops.find(op);
        if (at == Ops.end()) {
            return Item::trouble("'" + op + "' does not compare tensors; use the ops Less, Greater, Equal");
        }
        const std::optional<ValueId> left = termOf(a);
        const std::optional<ValueId> right = termOf(b);
        if (!left || !right || !left->isValid() || !right->isValid()) {
            return Item::trouble("'" + op + "' of a tensor and what is neither tensor nor number");
        }
        return emit(at->second, "", {*left, *right}, {}, 1).front();
    }

    // Functions of definitions: of operands' types, of attributes and lists.
    const DefinedCall::Operand* formal(const Item& item) const {
        if (!item.is(Item::Kind::Tensor)) {
            return nullptr;
        }
        const auto at = std::find(m_out.graph.inputs.begin(), m_out.graph.inputs.end(), item.tensor);
        return at == m_out.graph.inputs.end() ? nullptr
                                              : &*m_call.operands[m_out.operands[static_cast<std::size_t>(at - m_out.graph.inputs.begin())]];
    }

    Item function(const std::string& name, const std::vector<Item>& arguments) {
        const std::size_t count = arguments.size();
        if (name == "has" && count == 1) {
            return Item::of(!arguments[0].is(Item::Kind::Absent));
        }
        if (name == "choose" && count == 3) {
            return arguments[0].is(Item::Kind::Truth) ? (arguments[0].truth ? arguments[1] : arguments[2])
                                                      : Item::troubleOr(arguments[0], "a condition is neither true nor false");
        }
        for (const Item& each : arguments) {
            if (each.is(Item::Kind::Trouble)) {
                return each;
            }
        }
        if (name == "rank" || name == "shape" || name == "dim" || name == "type" || name == "ints") {
            return ofOperand(name, arguments);
        }
        if (name == "each" && count == 3) {
            return each(arguments);
        }
        if ((name == "int" && count == 1) || (name == "like" && count == 2)) {
            return constantOf(name, arguments);
        }
        return listFunction(name, arguments);
    }

    /// An op on every `n` of a list of tensors in turn.
    Item each(const std::vector<Item>& arguments) {
        const auto size = arguments[2].whole();
        if (!arguments[0].is(Item::Kind::Text) || findOp(OpId{"", arguments[0].text, BodyOpset}) == nullptr || !arguments[1].is(Item::Kind::List) ||
            !size || *size < 1 || arguments[1].list.size() % static_cast<std::size_t>(*size) != 0) {
            return Item::trouble("'each' needs the name of an op, a list of tensors and how many the op takes");
        }
        std::vector<Item> out;
        std::vector<ValueId> operands;
        for (const Item& tensor : arguments[1].list) {
            if (!tensor.is(Item::Kind::Tensor)) {
                return Item::trouble("'each' needs a list of tensors");
            }
            operands.push_back(tensor.tensor);
            if (operands.size() == static_cast<std::size_t>(*size)) {
                out.push_back(emit(arguments[0].text, "", std::move(operands), {}, 1).front());
                operands.clear();
            }
        }
        return Item::of(std::move(out));
    }

    Item ofOperand(const std::string& name, const std::vector<Item>& arguments) const {
        const DefinedCall::Operand* operand = arguments.empty() ? nullptr : formal(arguments[0]);
        if (operand == nullptr || arguments.size() != (name == "dim" ? 2U : 1U)) {
            return Item::trouble("'" + name + "' is asked of what is no operand");
        }
        if (name == "type") {
            return Item::of(std::string(lemmascope::name(operand->type.element)));
        }
        if (name == "ints") {
            if (!operand->elements) {
                return Item::trouble("an operand's elements are not known");
            }
            std::vector<Item> list;
            for (const Dim& each : *operand->elements) {
                list.push_back(Item::of(each));
            }
            return Item::of(std::move(list));
        }
        if (!operand->type.shape) {
            return Item::trouble("the rank of an operand is not known");
        }
        const Shape& shape = *operand->type.shape;
        if (name == "rank") {
            return Item::of(mpq_class(static_cast<unsigned long>(shape.size())));
        }
        std::vector<Item> list;
        for (const Dim& each : shape) {
            list.push_back(Item::of(each));
        }
        return name == "shape" ? Item::of(std::move(list)) : itemOf(Item::of(std::move(list)), arguments[1]);
    }

    Item constantOf(const std::string& name, const std::vector<Item>& arguments) {
        const auto value = arguments[0].whole();
        const DefinedCall::Operand* operand = name == "like" ? formal(arguments[1]) : nullptr;
        const ElementType element = name == "int" ? ElementType::I64 : operand != nullptr ? operand->type.element : ElementType::Undefined;
        if (element == ElementType::Undefined) {
            return Item::trouble("'like' is asked of what is no operand");
        }
        if (isFloat(element) && arguments[0].is(Item::Kind::Number)) {
            return Item::ofTensor(numberOf(arguments[0].number, element));
        }
        if (!value) {
            return Item::trouble("a whole number is wanted");
        }
        const std::optional<Tensor> tensor = wholeTensor(element, *value);
        return tensor ? Item::ofTensor(constant(*tensor)) : Item::trouble("a number that its type cannot hold");
    }

    static std::optional<Tensor> wholeTensor(ElementType element, std::int64_t value) {
        const auto narrow = [&]<typename T>(T) -> std::optional<Tensor> {
            return std::in_range<T>(value) ? std::optional<Tensor>(Tensor::of<T>(element, {}, {static_cast<T>(value)})) : std::nullopt;
        };
        switch (element) {
        case ElementType::I8: return narrow(std::int8_t{});
        case ElementType::U8: return narrow(std::uint8_t{});
        case ElementType::I16: return narrow(std::int16_t{});
        case ElementType::U16: return narrow(std::uint16_t{});
        case ElementType::I32: return narrow(std::int32_t{});
        case ElementType::U32: return narrow(std::uint32_t{});
        case ElementType::I64: return narrow(std::int64_t{});
        case ElementType::U64: return narrow(std::uint64_t{});
        default: return std::nullopt;
        }
    }

    ValueId constant(Tensor tensor) {
        Value value;
        value.constant = std::move(tensor);
        value.type = TensorType{value.constant->element(), Shape(value.constant->shape().begin(), value.constant->shape().end())};
        return m_out.graph.addValue(std::move(value));
    }

    /// A constant where the type holds the number, else a node that stands for it exactly.
    ValueId numberOf(const DefinedNumber& number, ElementType element) {
        const std::array<double, 3> near = number.doubles();
        const double value = near[1];
        if (near[0] == near[2]) {
            if (element == ElementType::F64) {
                return constant(Tensor::of<double>(element, {}, {value}));
            }
            if (element == ElementType::F32 && static_cast<double>(static_cast<float>(value)) == value) {
                return constant(Tensor::of<float>(element, {}, {static_cast<float>(value)}));
            }
            if (element == ElementType::F16 && static_cast<double>(halfToFloat(doubleToHalf(value))) == value) {
                return constant(Tensor::of<std::uint16_t>(element, {}, {doubleToHalf(value)}));
            }
            if (element == ElementType::BF16 && static_cast<double>(bfloatToFloat(doubleToBfloat(value))) == value) {
                return constant(Tensor::of<std::uint16_t>(element, {}, {doubleToBfloat(value)}));
            }
        }
        std::map<std::string, Attribute> attributes;
        attributes["is"] = number.text();
        attributes["near"] = Tensor::of<double>(ElementType::F64, {3}, {near[0], near[1], near[2]});
        attributes["q"] = number.q.get_str();
        attributes["radicand"] = number.radicand.get_str();
        attributes["pi_halves"] = std::int64_t{number.piHalves};
        attributes["to"] = std::string(name(element));
        return emit("Number", "lemmascope", {}, std::move(attributes), 1).front().tensor;
    }

    std::optional<ValueId> operandOf(const Item& item) {
        switch (item.kind) {
        case Item::Kind::Tensor: return item.tensor;
        case Item::Kind::Absent: return ValueId();
        case Item::Kind::Number: return numberOf(item.number, m_number);
        case Item::Kind::Truth: return constant(Tensor::of<std::uint8_t>(ElementType::Bool, {}, {std::uint8_t{item.truth}}));
        case Item::Kind::List: {
            std::vector<std::int64_t> integers;
            for (const Item& each : item.list) {
                if (const auto value = each.whole()) {
                    integers.push_back(*value);
                } else {
                    return symbolicList(item);
                }
            }
            return constant(Tensor::of<std::int64_t>(ElementType::I64, {static_cast<std::int64_t>(integers.size())}, integers));
        }
        default: return std::nullopt;
        }
    }

    std::optional<Attribute> attributeOf(const Item& item) {
        if (item.is(Item::Kind::Tensor)) {
            const DefinedCall::Operand* operand = formal(item);
            return operand != nullptr && operand->standIn ? std::optional<Attribute>(*operand->standIn) : std::nullopt;
        }
        if (const auto integer = item.whole()) {
            return Attribute(*integer);
        }
        if (item.is(Item::Kind::Number)) {
            const std::array<double, 3> near = item.number.doubles();
            const auto narrow = static_cast<float>(near[1]);
            return near[0] == near[2] && static_cast<double>(narrow) == near[1] ? std::optional<Attribute>(narrow) : std::nullopt;
        }
        if (item.is(Item::Kind::Text)) {
            return Attribute(item.text);
        }
        if (item.is(Item::Kind::Truth)) {
            return Attribute(std::int64_t{item.truth});
        }
        if (!item.is(Item::Kind::List)) {
            return std::nullopt;
        }
        std::vector<std::int64_t> integers;
        std::vector<float> floats;
        for (const Item& each : item.list) {
            const std::optional<Attribute> one = attributeOf(each);
            if (one && std::holds_alternative<std::int64_t>(*one)) {
                integers.push_back(std::get<std::int64_t>(*one));
                floats.push_back(static_cast<float>(integers.back()));
            } else if (one && std::holds_alternative<float>(*one)) {
                floats.push_back(std::get<float>(*one));
            } else {
                return std::nullopt;
            }
        }
        return integers.size() == item.list.size() ? Attribute(integers) : Attribute(floats);
    }

    /// Lengths of which some are an operand's own, not known as numbers: read from its shape.
    std::optional<ValueId> symbolicList(const Item& list) {
        std::vector<ValueId> parts;
        for (const Item& each : list.list) {
            const std::optional<Dim> length = each.dim();
            if (!length) {
                return std::nullopt;
            }
            if (length->isKnown()) {
                parts.push_back(constant(Tensor::of<std::int64_t>(ElementType::I64, {1}, {length->value()})));
                continue;
            }
            ValueId found;
            for (std::size_t k = 0; k < m_out.graph.inputs.size() && !found.isValid(); ++k) {
                const std::optional<Shape>& shape = m_out.graph.value(m_out.graph.inputs[k]).type.shape;
                const std::size_t axis = shape ? static_cast<std::size_t>(std::find(shape->begin(), shape->end(), *length) - shape->begin()) : 0;
                if (shape && axis < shape->size()) {
                    const ValueId all = emit("Shape", "", {m_out.graph.inputs[k]}, {}, 1).front().tensor;
                    const ValueId at = constant(Tensor::of<std::int64_t>(ElementType::I64, {1}, {static_cast<std::int64_t>(axis)}));
                    found = emit("Gather", "", {all, at}, {}, 1).front().tensor;
                }
            }
            if (!found.isValid()) {
                return std::nullopt;
            }
            parts.push_back(found);
        }
        return emit("Concat", "", std::move(parts), {{"axis", std::int64_t{0}}}, 1).front().tensor;
    }

    /// Reshape's lengths may be symbolic: one is left to the rest, others are the operand's own.
    std::optional<ValueId> lengthsOf(const Item& list, const Item& data) {
        const DefinedCall::Operand* operand = formal(data);
        std::vector<std::int64_t> integers;
        // Only one length can be left to the rest.
        bool rest = std::any_of(list.list.begin(), list.list.end(), [](const Item& each) { return each.whole() == -1; });
        for (std::size_t k = 0; k < list.list.size(); ++k) {
            const std::optional<Dim> length = list.list[k].dim();
            if (!length) {
                return std::nullopt;
            }
            const bool own = operand != nullptr && operand->type.shape && k < operand->type.shape->size() && (*operand->type.shape)[k] == *length;
            if (length->isKnown()) {
                integers.push_back(length->value());
            } else if (own) {
                integers.push_back(0);
            } else if (!rest) {
                rest = true;
                integers.push_back(-1);
            } else {
                return symbolicList(list);
            }
        }
        return constant(Tensor::of<std::int64_t>(ElementType::I64, {static_cast<std::int64_t>(integers.size())}, integers));
    }

    std::vector<Item> apply(const DefinitionStep& step, const std::vector<Item>& all, std::size_t results) {
        const auto wrong = [results](std::string what) { return std::vector<Item>(results, Item::trouble(std::move(what))); };
        for (const Item& each : all) {
            if (each.is(Item::Kind::Trouble)) {
                return wrong(each.text);
            }
        }
        std::string op = step.text;
        std::size_t first = 0;
        if (op == "apply") {
            if (step.count == 0 || !all[0].is(Item::Kind::Text) || findOp(OpId{"", all[0].text, BodyOpset}) == nullptr) {
                return wrong("no op of that name to apply");
            }
            op = all[0].text;
            first = 1;
        }
        const std::size_t dot = op.rfind('.');
        std::string domain = dot == std::string::npos ? "" : op.substr(0, dot);
        op = dot == std::string::npos ? op : op.substr(dot + 1);
        if (domain.empty() && op == "Length") {
            domain = "lemmascope";
        }
        std::vector<ValueId> operands;
        for (std::size_t k = first; k < step.count; ++k) {
            const Item& item = all[k];
            const bool tensors = item.is(Item::Kind::List) && !item.list.empty() &&
                                 std::all_of(item.list.begin(), item.list.end(), [](const Item& each) { return each.is(Item::Kind::Tensor); });
            if (tensors) { // a variadic operand handed on
                for (const Item& each : item.list) {
                    operands.push_back(each.tensor);
                }
                continue;
            }
            const bool lengths = domain.empty() && op == "Reshape" && k == first + 1 && item.is(Item::Kind::List);
            const std::optional<ValueId> operand = lengths ? lengthsOf(item, all[first]) : operandOf(item);
            if (!operand) {
                return wrong("operand " + std::to_string(k - first) + " of " + op + " is no tensor of known size");
            }
            operands.push_back(*operand);
        }
        while (!operands.empty() && !operands.back().isValid()) {
            operands.pop_back();
        }
        std::map<std::string, Attribute> attributes;
        if (step.allAttributes) {
            for (const auto& [key, attribute] : *m_call.attributes) {
                const bool own = std::any_of(m_definition.attributes.begin(), m_definition.attributes.end(),
                                             [&key = key](const DefinitionAttribute& each) { return each.name == key; });
                if (!own) {
                    attributes[key] = attribute;
                }
            }
        }
        for (std::size_t k = 0; k < step.keywords.size(); ++k) {
            const Item& item = all[step.count + k];
            if (item.is(Item::Kind::Absent)) {
                continue;
            }
            std::optional<Attribute> attribute = attributeOf(item);
            if (!attribute) {
                return wrong("the attribute '" + step.keywords[k] + "' of " + op + " is no number that float32 holds, text or list");
            }
            if (wantsFloat(domain, op, step.keywords[k]) && std::holds_alternative<std::int64_t>(*attribute)) {
                attribute = Attribute(static_cast<float>(std::get<std::int64_t>(*attribute)));
            }
            attributes[step.keywords[k]] = std::move(*attribute);
        }
        return emit(op, domain, std::move(operands), std::move(attributes), results);
    }

    /// Attributes that are floats even when their value is whole.
    static bool wantsFloat(const std::string& domain, const std::string& op, const std::string& key) {
        const OpRule* rule = findRule(OpId{domain, op, domain.empty() ? BodyOpset : 1});
        return rule != nullptr && std::any_of(rule->attributes.begin(), rule->attributes.end(),
                                              [&key](const AttributeKind& each) { return each.name == key && each.kind == 'f'; });
    }

    std::vector<Item> emit(const std::string& op, const std::string& domain, std::vector<ValueId> operands,
                           std::map<std::string, Attribute> attributes, std::size_t results) {
        Node node;
        node.op = OpId{domain, op, domain.empty() ? BodyOpset : 1};
        node.operands = std::move(operands);
        node.attributes = std::move(attributes);
        std::vector<Item> out;
        for (std::size_t k = 0; k < results; ++k) {
            const ValueId id = m_out.graph.addValue(Value{});
            node.results.push_back(id);
            out.push_back(Item::ofTensor(id));
        }
        m_out.graph.addNode(std::move(node));
        return out;
    }
};

} // namespace

Result<DefinedBody> writeOut(const DefinedCall& call) { return Writer(call).run(); }

} // namespace lemmascope
