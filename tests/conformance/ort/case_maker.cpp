#include "tests/conformance/ort/case_maker.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lemmascope::test {

namespace {

std::string textOf(const Attribute& attribute) {
    if (const auto* integer = std::get_if<std::int64_t>(&attribute)) {
        return std::to_string(*integer);
    }
    if (const auto* number = std::get_if<float>(&attribute)) {
        return std::to_string(*number);
    }
    if (const auto* text = std::get_if<std::string>(&attribute)) {
        return *text;
    }
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute)) {
        std::string out = "[";
        for (const std::int64_t value : *list) {
            out += std::to_string(value) + " ";
        }
        return out + "]";
    }
    return "...";
}

std::string describe(const Tensor& tensor) {
    std::string out = std::string(name(tensor.element())) + "[";
    for (std::size_t k = 0; k < tensor.shape().size(); ++k) {
        out += (k == 0 ? "" : ",") + std::to_string(tensor.shape()[k]);
    }
    out += "]";
    if (tensor.element() == ElementType::I64 && tensor.count() <= 8) {
        out += "=(";
        for (std::int64_t i = 0; i < tensor.count(); ++i) {
            out += std::to_string(tensor.toInt64(i)) + " ";
        }
        out += ")";
    }
    return out;
}

template <typename T, typename Make>
Tensor filled(ElementType element, const Ints& shape, Make&& make) {
    Tensor tensor(element, shape);
    for (T& value : tensor.mutableAs<T>()) {
        value = static_cast<T>(make());
    }
    return tensor;
}

template <typename Make>
Tensor filledAs(ElementType element, const Ints& shape, Make&& make) {
    switch (element) {
    case ElementType::F64: return filled<double>(element, shape, make);
    case ElementType::F32: return filled<float>(element, shape, make);
    case ElementType::F16: return filled<std::uint16_t>(element, shape, [&] { return doubleToHalf(static_cast<double>(make())); });
    case ElementType::I8: return filled<std::int8_t>(element, shape, make);
    case ElementType::Bool:
    case ElementType::U8: return filled<std::uint8_t>(element, shape, make);
    case ElementType::I16: return filled<std::int16_t>(element, shape, make);
    case ElementType::U16: return filled<std::uint16_t>(element, shape, make);
    case ElementType::I32: return filled<std::int32_t>(element, shape, make);
    case ElementType::U32: return filled<std::uint32_t>(element, shape, make);
    case ElementType::U64: return filled<std::uint64_t>(element, shape, make);
    default: return filled<std::int64_t>(ElementType::I64, shape, make);
    }
}

} // namespace

Operand ints(const Ints& values, bool constant) {
    return {Tensor::of<std::int64_t>(ElementType::I64, {static_cast<std::int64_t>(values.size())}, values), constant, false};
}

void CaseMaker::add(const std::string& op, std::int64_t version, const std::vector<Operand>& operands, const Attributes& attributes,
                    std::size_t results, const std::string& domain) {
    OrtCase made;
    made.graph.name = op;
    made.graph.opsets[""] = domain.empty() ? version : 17;
    if (!domain.empty()) {
        made.graph.opsets[domain] = version;
    }
    made.name = op + "-" + std::to_string(version) + "(";
    Node node;
    node.op = {domain, op, version};
    node.attributes = attributes;
    for (const Operand& operand : operands) {
        if (operand.isAbsent) {
            node.operands.emplace_back();
            made.name += "-; ";
            continue;
        }
        Value value;
        value.name = "x" + std::to_string(node.operands.size());
        value.type.element = operand.tensor.element();
        value.type.shape = Shape(operand.tensor.shape().begin(), operand.tensor.shape().end());
        if (operand.isConstant) {
            value.constant = operand.tensor;
        }
        const ValueId id = made.graph.addValue(std::move(value));
        if (!operand.isConstant) {
            made.graph.inputs.push_back(id);
            made.inputs.push_back(operand.tensor);
        }
        node.operands.push_back(id);
        made.name += describe(operand.tensor) + "; ";
    }
    made.name += ")";
    for (const auto& [key, value] : attributes) {
        made.name += " " + key + "=" + textOf(value);
    }
    for (std::size_t k = 0; k < results; ++k) {
        Value value;
        value.name = "y" + std::to_string(k);
        node.results.push_back(made.graph.addValue(std::move(value)));
    }
    made.graph.outputs = node.results;
    made.graph.addNode(std::move(node));
    cases.push_back(std::move(made));
}

Tensor CaseMaker::tensor(ElementType element, const Ints& shape, double low, double high) {
    if (element == ElementType::Bool) {
        return filledAs(element, shape, [&] { return random.coin() ? 1 : 0; });
    }
    if (!isFloat(element)) {
        const bool isUnsigned = !isSignedInteger(element);
        const auto from = static_cast<std::int64_t>(isUnsigned ? std::max(low, 0.0) : low);
        const auto to = static_cast<std::int64_t>(high);
        return filledAs(element, shape, [&] { return random.integer(from, std::max(from, to)); });
    }
    return filledAs(element, shape, [&] {
        const double value = random.real(low, high);
        return random.integer(0, 2) == 0 ? std::clamp(std::round(value * 2.0) / 2.0, low, high) : value;
    });
}

Tensor CaseMaker::specialFloats(ElementType element, const Ints& shape) {
    using Limits = std::numeric_limits<float>;
    const double special[] = {std::nan(""),
                              Limits::infinity(),
                              -Limits::infinity(),
                              0.0,
                              -0.0,
                              static_cast<double>(Limits::max()),
                              -1e30,
                              1e-30,
                              -1e-40,
                              88.7,
                              -104,
                              0.5,
                              1.5,
                              2.5,
                              -0.5,
                              -1.5,
                              1.0,
                              -1.0};
    return filledAs(element, shape, [&] {
        return random.integer(0, 3) == 0 ? random.real(-5, 5) : special[random.integer(0, static_cast<std::int64_t>(std::size(special)) - 1)];
    });
}

Ints CaseMaker::shape(std::size_t rank, std::int64_t most) {
    Ints out(rank);
    for (std::int64_t& length : out) {
        length = random.integer(1, most);
    }
    return out;
}

Ints CaseMaker::narrower(const Ints& wide) {
    Ints out(wide.begin() + static_cast<std::ptrdiff_t>(random.integer(0, static_cast<std::int64_t>(wide.size()))), wide.end());
    for (std::int64_t& length : out) {
        length = random.coin() ? length : 1;
    }
    return out;
}

std::int64_t CaseMaker::axis(std::size_t rank) {
    const auto count = static_cast<std::int64_t>(rank);
    return random.integer(-count, count - 1);
}

std::int64_t CaseMaker::opset(std::int64_t from) {
    std::int64_t version = 0;
    do {
        version = Opsets[random.integer(0, 3)];
    } while (version < from);
    return version;
}

} // namespace lemmascope::test
