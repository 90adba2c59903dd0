#include "core/match/value.h"

#include "core/match/pattern.h"

#include <charconv>
#include <cmath>
#include <optional>

namespace lemmascope::match {

namespace {

std::optional<double> asDouble(const FactValue& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value.value)) {
        return static_cast<double>(*integer);
    }
    if (const auto* number = std::get_if<double>(&value.value)) {
        return *number;
    }
    if (const auto* dim = std::get_if<Dim>(&value.value); dim != nullptr && dim->isKnown()) {
        return static_cast<double>(dim->value());
    }
    return std::nullopt;
}

/// Integers and lengths alike.
std::optional<Dim> asDim(const FactValue& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value.value)) {
        return Dim(*integer);
    }
    if (const auto* dim = std::get_if<Dim>(&value.value)) {
        return *dim;
    }
    return std::nullopt;
}

FactValue plain(const Dim& dim) {
    if (dim.overflowed()) {
        return {};
    }
    return dim.isKnown() ? FactValue(dim.value()) : FactValue(dim);
}

std::string decimal(double value) {
    char buffer[32];
    const auto [end, problem] = std::to_chars(buffer, buffer + sizeof buffer, value);
    return problem == std::errc() ? std::string(buffer, end) : std::string("?");
}

} // namespace

std::string FactValue::text() const {
    struct Writer {
        std::string operator()(std::monostate) const { return "undefined"; }
        std::string operator()(bool v) const { return v ? "true" : "false"; }
        std::string operator()(std::int64_t v) const { return std::to_string(v); }
        std::string operator()(double v) const { return decimal(v); }
        std::string operator()(const std::string& v) const { return v; }
        std::string operator()(const Dim& v) const { return v.text(); }
        std::string operator()(const List& v) const {
            std::string out = "[";
            for (std::size_t i = 0; i < v.size(); ++i) {
                if (out.size() > 200) {
                    out += ",... (" + std::to_string(v.size()) + " in all)";
                    break;
                }
                out += (i == 0 ? "" : ",") + v[i].text();
            }
            return out + "]";
        }
    };
    return std::visit(Writer{}, value);
}

Truth negated(Truth value) { return value == Truth::Undefined ? value : value == Truth::True ? Truth::False : Truth::True; }

Truth equals(const FactValue& left, const FactValue& right) {
    if (!left.isDefined() || !right.isDefined()) {
        return Truth::Undefined;
    }
    const auto* leftList = std::get_if<FactValue::List>(&left.value);
    const auto* rightList = std::get_if<FactValue::List>(&right.value);
    if (leftList != nullptr && rightList != nullptr) {
        if (leftList->size() != rightList->size()) {
            return Truth::False;
        }
        Truth all = Truth::True;
        for (std::size_t i = 0; i < leftList->size(); ++i) {
            const Truth each = equals((*leftList)[i], (*rightList)[i]);
            if (each == Truth::False) {
                return each;
            }
            all = each == Truth::Undefined ? each : all;
        }
        return all;
    }
    const std::optional<Dim> leftDim = asDim(left);
    const std::optional<Dim> rightDim = asDim(right);
    if (leftDim && rightDim) {
        if (*leftDim == *rightDim) {
            return leftDim->overflowed() ? Truth::Undefined : Truth::True;
        }
        const Dim difference = *leftDim - *rightDim;
        return difference.isKnown() ? Truth::False : Truth::Undefined;
    }
    const std::optional<double> leftNumber = asDouble(left);
    const std::optional<double> rightNumber = asDouble(right);
    if (leftNumber && rightNumber) {
        return *leftNumber == *rightNumber ? Truth::True : Truth::False;
    }
    if (leftDim || rightDim) { // a symbolic length and a float
        return leftNumber || rightNumber ? Truth::Undefined : Truth::False;
    }
    const auto* leftText = std::get_if<std::string>(&left.value);
    const auto* rightText = std::get_if<std::string>(&right.value);
    if (leftText != nullptr && rightText != nullptr) {
        return *leftText == *rightText ? Truth::True : Truth::False;
    }
    const auto* leftTruth = std::get_if<bool>(&left.value);
    const auto* rightTruth = std::get_if<bool>(&right.value);
    return leftTruth != nullptr && rightTruth != nullptr && *leftTruth == *rightTruth ? Truth::True : Truth::False;
}

Truth lessThan(const FactValue& left, const FactValue& right) {
    const std::optional<Dim> leftDim = asDim(left);
    const std::optional<Dim> rightDim = asDim(right);
    if (leftDim && rightDim) {
        if (leftDim->isKnown() && rightDim->isKnown()) {
            return leftDim->value() < rightDim->value() ? Truth::True : Truth::False;
        }
        if (leftDim->overflowed() || rightDim->overflowed()) {
            return Truth::Undefined;
        }
        if (Dim::provablyAtLeast(*leftDim, *rightDim)) {
            return Truth::False;
        }
        return Dim::provablyAtLeast(*rightDim, *leftDim + Dim(1)) ? Truth::True : Truth::Undefined;
    }
    const std::optional<double> leftNumber = asDouble(left);
    const std::optional<double> rightNumber = asDouble(right);
    if (!leftNumber || !rightNumber || std::isnan(*leftNumber) || std::isnan(*rightNumber)) {
        return Truth::Undefined;
    }
    return *leftNumber < *rightNumber ? Truth::True : Truth::False;
}

FactValue arithmetic(char sign, const FactValue& left, const FactValue& right) {
    const auto* leftList = std::get_if<FactValue::List>(&left.value);
    const auto* rightList = std::get_if<FactValue::List>(&right.value);
    if (leftList != nullptr || rightList != nullptr) {
        // Entry by entry; what is no list goes with every entry. Lists in lists have none.
        if (leftList != nullptr && rightList != nullptr && leftList->size() != rightList->size()) {
            return {};
        }
        FactValue::List out;
        const std::size_t count = leftList != nullptr ? leftList->size() : rightList->size();
        for (std::size_t i = 0; i < count; ++i) {
            const FactValue& a = leftList != nullptr ? (*leftList)[i] : left;
            const FactValue& b = rightList != nullptr ? (*rightList)[i] : right;
            const bool nested = std::holds_alternative<FactValue::List>(a.value) || std::holds_alternative<FactValue::List>(b.value);
            out.push_back(nested ? FactValue() : arithmetic(sign, a, b));
            if (!out.back().isDefined()) {
                return {};
            }
        }
        return FactValue(std::move(out));
    }
    const std::optional<Dim> leftDim = asDim(left);
    const std::optional<Dim> rightDim = asDim(right);
    if (leftDim && rightDim) {
        switch (sign) {
        case '+': return plain(*leftDim + *rightDim);
        case '-': return plain(*leftDim - *rightDim);
        case '*': return plain(*leftDim * *rightDim);
        case FloorDivision:
        case '%': {
            if (!Dim::provablyAtLeast(*rightDim, Dim(1))) {
                return {};
            }
            const Dim whole = Dim::floorDiv(*leftDim, *rightDim);
            return plain(sign == '%' ? *leftDim - whole * *rightDim : whole);
        }
        default: break;
        }
        const std::optional<Dim> quotient = rightDim->is(0) ? std::nullopt : Dim::exactQuotient(*leftDim, *rightDim);
        if (quotient) {
            return plain(*quotient);
        }
    }
    const std::optional<double> a = asDouble(left);
    const std::optional<double> b = asDouble(right);
    if (!a || !b || sign == FloorDivision || sign == '%') {
        return {};
    }
    const double out = sign == '+' ? *a + *b : sign == '-' ? *a - *b : sign == '*' ? *a * *b : *a / *b;
    return std::isfinite(out) ? FactValue(out) : FactValue();
}

} // namespace lemmascope::match
