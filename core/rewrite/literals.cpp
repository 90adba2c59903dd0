// Numbers, lists and lengths as values. Tests: tests/core/rewrite/tst_rewrite.cpp.
#include "core/rewrite/literals.h"

#include "core/graph/op_registry.h"
#include "core/match/subject.h"
#include "core/rewrite/operators.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lemmascope::rewrite {

using match::FactValue;

namespace {

std::string typed(ElementType type) { return std::string(name(type)); }

/// Whether an integer is one of the type.
bool fits(std::int64_t value, ElementType type) {
    if (type == ElementType::Bool) {
        return value == 0 || value == 1;
    }
    const unsigned bits = bitWidth(type);
    if (isSignedInteger(type)) {
        return bits >= 64 || (value >= -(std::int64_t{1} << (bits - 1)) && value < (std::int64_t{1} << (bits - 1)));
    }
    return value >= 0 && (bits >= 63 || value < (std::int64_t{1} << bits));
}

template <typename T, typename From>
Tensor filled(ElementType type, std::vector<std::int64_t> shape, const std::vector<From>& numbers) {
    std::vector<T> elements;
    for (const From each : numbers) {
        elements.push_back(static_cast<T>(each));
    }
    return Tensor::of(type, std::move(shape), elements);
}

std::optional<Tensor> wholes(ElementType type, std::vector<std::int64_t> shape, const std::vector<std::int64_t>& numbers) {
    if (!std::all_of(numbers.begin(), numbers.end(), [&](std::int64_t each) { return fits(each, type); })) {
        return std::nullopt;
    }
    switch (type) {
    case ElementType::Bool:
    case ElementType::U8: return filled<std::uint8_t>(type, std::move(shape), numbers);
    case ElementType::I8: return filled<std::int8_t>(type, std::move(shape), numbers);
    case ElementType::I16: return filled<std::int16_t>(type, std::move(shape), numbers);
    case ElementType::U16: return filled<std::uint16_t>(type, std::move(shape), numbers);
    case ElementType::I32: return filled<std::int32_t>(type, std::move(shape), numbers);
    case ElementType::U32: return filled<std::uint32_t>(type, std::move(shape), numbers);
    case ElementType::I64: return filled<std::int64_t>(type, std::move(shape), numbers);
    case ElementType::U64: return filled<std::uint64_t>(type, std::move(shape), numbers);
    default: return std::nullopt;
    }
}

} // namespace

std::optional<Tensor> floats(ElementType type, std::vector<std::int64_t> shape, const std::vector<double>& numbers) {
    switch (type) {
    case ElementType::F32: return filled<float>(type, std::move(shape), numbers);
    case ElementType::F64: return filled<double>(type, std::move(shape), numbers);
    case ElementType::F16:
    case ElementType::BF16: {
        std::vector<std::uint16_t> bits;
        for (const double each : numbers) {
            bits.push_back(type == ElementType::F16 ? doubleToHalf(each) : doubleToBfloat(each));
        }
        return Tensor::of(type, std::move(shape), bits);
    }
    default: return std::nullopt;
    }
}

ValueId Literals::integers(const std::vector<std::int64_t>& elements) {
    return m_builder.constant(Tensor::of(ElementType::I64, {static_cast<std::int64_t>(elements.size())}, elements));
}

Result<ValueId> Literals::make(const char* op, std::vector<ValueId> operands, std::map<std::string, Attribute> attributes) {
    const Result<OpId> id = operatorOf({op, std::nullopt, std::nullopt}, m_builder.fragment().graph);
    if (!id) {
        return tl::unexpected(id.error());
    }
    Node node;
    node.op = *id;
    node.operands = std::move(operands);
    node.attributes = std::move(attributes);
    const Result<std::vector<ValueId>> results = m_builder.node(std::move(node), 1);
    return results ? Result<ValueId>(results->front()) : tl::unexpected(results.error());
}

/// A length as i64[1]: a number, or the product of a number and of axes of bound values.
Result<ValueId> Literals::length(const Dim& dim) {
    if (dim.isKnown()) {
        return integers({dim.value()});
    }
    constexpr std::size_t MostFactors = 8;
    Dim left = dim;
    std::vector<std::pair<ValueId, std::int64_t>> factors;
    const auto divides = [&](const Dim& axis) { return axis.isKnown() ? std::nullopt : Dim::exactQuotient(left, axis); };
    while (!left.isKnown() && factors.size() < MostFactors) {
        bool found = false;
        for (std::size_t v = 0; v < m_bound.size() && !found; ++v) {
            const std::optional<Shape>& shape = m_matched.value(m_bound[v]).type.shape;
            for (std::size_t axis = 0; shape && axis < shape->size() && !found; ++axis) {
                if (const std::optional<Dim> quotient = divides((*shape)[axis])) {
                    factors.emplace_back(m_bound[v], static_cast<std::int64_t>(axis));
                    left = *quotient;
                    found = true;
                }
            }
        }
        if (!found) {
            break;
        }
    }
    if (!left.isKnown() || factors.empty()) {
        return fail(ErrorCode::Unsupported, "the length " + dim.text() + " is neither known nor an axis of a value that the rule names");
    }
    ValueId out;
    for (const auto& [bound, axis] : factors) {
        const auto [shape, isNew] = m_shapes.try_emplace(bound);
        if (isNew) {
            const Result<ValueId> taken = make("Shape", {m_builder.outer(bound)}, {});
            if (!taken) {
                return taken;
            }
            shape->second = *taken;
        }
        Result<ValueId> factor = make("Gather", {shape->second, integers({axis})}, {{"axis", std::int64_t{0}}});
        if (factor && out.isValid()) {
            factor = make("Mul", {out, *factor}, {});
        }
        if (!factor) {
            return factor;
        }
        out = *factor;
    }
    return left.is(1) ? Result<ValueId>(out) : make("Mul", {out, integers({left.value()})}, {});
}

Result<ValueId> Literals::runtimeList(const FactValue::List& list) {
    std::vector<ValueId> parts;
    for (const FactValue& each : list) {
        const auto* dim = std::get_if<Dim>(&each.value);
        const auto* integer = std::get_if<std::int64_t>(&each.value);
        if (dim == nullptr && integer == nullptr) {
            return fail(ErrorCode::Unsupported, "the list " + FactValue(list).text() + " mixes lengths with other values");
        }
        const Result<ValueId> part = length(dim != nullptr ? *dim : Dim(*integer));
        if (!part) {
            return part;
        }
        parts.push_back(*part);
    }
    return parts.size() == 1 ? Result<ValueId>(parts.front()) : make("Concat", std::move(parts), {{"axis", std::int64_t{0}}});
}

Result<ValueId> Literals::value(const FactValue& fact, ElementType wanted) {
    const auto* list = std::get_if<FactValue::List>(&fact.value);
    const FactValue::List one{fact};
    const FactValue::List& items = list != nullptr ? *list : one;
    std::vector<std::int64_t> shape;
    if (list != nullptr) {
        shape.push_back(static_cast<std::int64_t>(items.size()));
    }
    std::vector<std::int64_t> integers;
    std::vector<double> numbers;
    bool lengths = false;
    for (const FactValue& each : items) {
        if (const auto* integer = std::get_if<std::int64_t>(&each.value)) {
            integers.push_back(*integer);
            numbers.push_back(static_cast<double>(*integer));
        } else if (const auto* number = std::get_if<double>(&each.value)) {
            numbers.push_back(*number);
        } else if (const auto* truth = std::get_if<bool>(&each.value); truth != nullptr && list == nullptr) {
            return m_builder.constant(Tensor::of(ElementType::Bool, {}, std::vector<std::uint8_t>{*truth ? std::uint8_t{1} : std::uint8_t{0}}));
        } else if (std::holds_alternative<Dim>(each.value)) {
            lengths = true;
        } else {
            return fail(ErrorCode::Unsupported, fact.isDefined() ? "the value " + fact.text() + " is no operand: numbers and lists of numbers are"
                                                                 : "the value is not known");
        }
    }
    if (lengths) {
        Result<ValueId> made = list != nullptr ? runtimeList(items) : length(std::get<Dim>(fact.value));
        if (list == nullptr && made) { // a scalar, like other numbers
            made = make("Reshape", {*made, this->integers({})}, {});
            const auto number = match::onnxNumber(wanted);
            if (made && wanted != ElementType::Undefined && wanted != ElementType::I64 && number) {
                made = make("Cast", {*made}, {{"to", *number}});
            }
        }
        return made;
    }
    const bool whole = integers.size() == items.size();
    if (list != nullptr && whole) {
        return this->integers(integers);
    }
    const ElementType element = wanted != ElementType::Undefined ? wanted : whole ? ElementType::I64 : ElementType::F32;
    std::optional<Tensor> tensor;
    if (isFloat(element)) {
        tensor = floats(element, std::move(shape), numbers);
    } else if (whole) {
        tensor = wholes(element, std::move(shape), integers);
    }
    if (!tensor) {
        return fail(ErrorCode::BadData, fact.text() + " is no " + typed(element) + ", the element type of the operands beside it");
    }
    return m_builder.constant(std::move(*tensor));
}

} // namespace lemmascope::rewrite
