// Tests: tests/core/report/tst_tensor_scan.cpp.
#include "core/report/tensor_pair.h"

#include "core/report/element_text.h"
#include "core/report/tensor_scan.h"

#include <cmath>

namespace lemmascope {

namespace {

bool isNumber(ElementType type) { return type == ElementType::Bool || isInteger(type) || isFloat(type); }

std::string special(const Tensor& tensor, std::int64_t flat) {
    switch (numberClass(tensor, flat)) {
    case NumberClass::NegativeZero: return " (negative zero)";
    case NumberClass::Denormal: return " (denormal)";
    default: return {};
    }
}

std::string sideSentence(const Tensor& tensor, std::int64_t flat) {
    const std::string bits = elementBits(tensor, flat);
    return formatElement(tensor, flat) + special(tensor, flat) + (bits.empty() ? std::string() : ", bits " + bits);
}

} // namespace

bool differsAt(const TensorPair& pair, std::int64_t flat) {
    if (!pair.sameShape()) {
        return false;
    }
    const Tensor& a = *pair.reference;
    const Tensor& b = *pair.rewritten;
    if (a.element() == b.element()) {
        return !sameElement(a, b, flat);
    }
    if (!isNumber(a.element()) || !isNumber(b.element())) {
        return true;
    }
    const double x = elementValue(a, flat);
    const double y = elementValue(b, flat);
    return !(x == y || (std::isnan(x) && std::isnan(y)));
}

std::string cellText(const TensorPair& pair, CellContent content, const NumberFormat& format, std::int64_t flat) {
    if (!pair.sameShape()) {
        const Tensor* shown = content == CellContent::Rewritten && pair.rewritten ? &*pair.rewritten : pair.any();
        return shown == nullptr ? std::string() : formatElement(*shown, flat, format);
    }
    const Tensor& a = *pair.reference;
    const Tensor& b = *pair.rewritten;
    switch (content) {
    case CellContent::Reference: return formatElement(a, flat, format);
    case CellContent::Rewritten: return formatElement(b, flat, format);
    case CellContent::Difference: {
        if (!differsAt(pair, flat)) {
            return "0";
        }
        const std::string difference = differenceText(a, b, flat);
        return difference.empty() ? formatElement(a, flat, format) + " \u2260 " + formatElement(b, flat, format) : difference;
    }
    case CellContent::Ulp: {
        const auto distance = ulpDistance(a, b, flat);
        return distance ? groupedNumber(*distance) : differsAt(pair, flat) ? "\u2260" : "0";
    }
    case CellContent::Both: break;
    }
    const std::string left = formatElement(a, flat, format);
    return differsAt(pair, flat) ? left + " \u2260 " + formatElement(b, flat, format) : left;
}

std::string cellSentence(const TensorPair& pair, std::int64_t flat) {
    const Tensor* any = pair.any();
    if (any == nullptr) {
        return {};
    }
    const std::string place = any->shape().empty() ? std::string() : indexText(indexOf(any->shape(), flat)) + ": ";
    if (!pair.sameShape()) {
        return place + sideSentence(*any, flat);
    }
    const Tensor& a = *pair.reference;
    const Tensor& b = *pair.rewritten;
    const std::string left = sideSentence(a, flat);
    const std::string right = sideSentence(b, flat);
    if (left == right) {
        return place + left + " on both sides";
    }
    std::string out = place + "reference " + left + "; rewritten " + right;
    if (!differsAt(pair, flat)) {
        return out + "; counted as equal";
    }
    const auto distance = ulpDistance(a, b, flat);
    const std::string difference = differenceText(a, b, flat);
    if (!difference.empty()) {
        out += "; difference " + difference;
    }
    if (distance && isFloat(a.element())) {
        out += ", " + groupedNumber(*distance) + " ulp";
    }
    return out;
}

} // namespace lemmascope
