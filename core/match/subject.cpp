#include "core/match/subject.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lemmascope::match {

namespace {

/// ONNX TensorProto.DataType.
constexpr std::array<std::pair<ElementType, std::int64_t>, 22> OnnxNumbers{
    {{ElementType::F32, 1},   {ElementType::U8, 2},        {ElementType::I8, 3},          {ElementType::U16, 4},        {ElementType::I16, 5},
     {ElementType::I32, 6},   {ElementType::I64, 7},       {ElementType::String, 8},      {ElementType::Bool, 9},       {ElementType::F16, 10},
     {ElementType::F64, 11},  {ElementType::U32, 12},      {ElementType::U64, 13},        {ElementType::Complex64, 14}, {ElementType::Complex128, 15},
     {ElementType::BF16, 16}, {ElementType::F8E4M3FN, 17}, {ElementType::F8E4M3FNUZ, 18}, {ElementType::F8E5M2, 19},    {ElementType::F8E5M2FNUZ, 20},
     {ElementType::U4, 21},   {ElementType::I4, 22}}};

bool numberIs(double found, const NumberLiteral& wanted) {
    if (wanted.tolerance) {
        return std::fabs(found - wanted.value) <= *wanted.tolerance;
    }
    return found == wanted.value || found == static_cast<double>(static_cast<float>(wanted.value));
}

} // namespace

std::vector<SymbolId> Subject::symbolsNamed(const OperatorName& wanted) const {
    std::vector<SymbolId> out;
    for (std::size_t i = 0; i < m_symbolCount; ++i) {
        if (symbolIs(SymbolId(i), wanted)) {
            out.emplace_back(i);
        }
    }
    return out;
}

std::vector<std::uint64_t> unfoldedSizes(const Subject& subject) {
    constexpr std::uint64_t Most = std::uint64_t{1} << 62U;
    std::vector<std::uint64_t> out(subject.size(), 0);
    // Values may stand in any order: those whose operands are not counted yet wait on a stack.
    std::vector<TermId> stack;
    for (std::size_t i = 0; i < subject.size(); ++i) {
        stack.emplace_back(TermId(i));
        while (!stack.empty()) {
            const TermId at = stack.back();
            if (out[at.index] != 0) {
                stack.pop_back();
                continue;
            }
            std::uint64_t sum = 1;
            const std::size_t before = stack.size();
            for (const TermId operand : subject.operands(at)) {
                if (operand.isValid() && out[operand.index] == 0) {
                    stack.push_back(operand);
                } else if (operand.isValid()) {
                    sum = std::min(Most, sum + out[operand.index]);
                }
            }
            if (stack.size() == before) {
                out[at.index] = sum;
                stack.pop_back();
            }
        }
    }
    return out;
}

std::optional<std::int64_t> onnxNumber(ElementType type) {
    const auto* at = std::find_if(OnnxNumbers.begin(), OnnxNumbers.end(), [&](const auto& each) { return each.first == type; });
    return at == OnnxNumbers.end() ? std::nullopt : std::optional(at->second);
}

bool attributeEquals(const FactValue& found, const AttributeValue& wanted) {
    switch (wanted.kind) {
    case AttributeValue::Kind::Number:
        if (const auto* integer = std::get_if<std::int64_t>(&found.value)) {
            return wanted.number.integer && !wanted.number.tolerance ? *integer == *wanted.number.integer
                                                                     : numberIs(static_cast<double>(*integer), wanted.number);
        }
        if (const auto* number = std::get_if<double>(&found.value)) {
            return numberIs(*number, wanted.number);
        }
        return false;
    case AttributeValue::Kind::Text:
    case AttributeValue::Kind::Word: {
        if (const auto* text = std::get_if<std::string>(&found.value)) {
            return *text == wanted.text;
        }
        const auto type = elementTypeByName(wanted.text);
        const auto* number = std::get_if<std::int64_t>(&found.value);
        return wanted.kind == AttributeValue::Kind::Word && type && number != nullptr && onnxNumber(*type) == *number;
    }
    case AttributeValue::Kind::List: {
        const auto* list = std::get_if<FactValue::List>(&found.value);
        return list != nullptr && std::equal(list->begin(), list->end(), wanted.items.begin(), wanted.items.end(), attributeEquals);
    }
    case AttributeValue::Kind::Variable:
    case AttributeValue::Kind::Expression: break;
    }
    return false;
}

} // namespace lemmascope::match
