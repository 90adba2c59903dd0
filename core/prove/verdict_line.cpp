#include "core/prove/check_result.h"
#include "core/prove/fault_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace lemmascope {

namespace {

std::string position(const std::vector<std::int64_t>& index) {
    if (index.empty()) {
        return {};
    }
    std::string out = "[";
    for (std::size_t i = 0; i < index.size(); ++i) {
        out += (i == 0 ? "" : ",") + std::to_string(index[i]);
    }
    return out + "]";
}

template <typename Float>
std::string shortest(Float value) {
    if (std::isnan(value)) {
        return "nan";
    }
    std::array<char, 64> buffer{};
    const std::to_chars_result written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), written.ptr};
}

/// The element in decimal, or why there is none.
std::string element(const std::optional<Tensor>& tensor, const std::vector<std::int64_t>& index) {
    if (!tensor || tensor->shape().size() != index.size()) {
        return "no value";
    }
    std::int64_t flat = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
        if (index[axis] < 0 || index[axis] >= tensor->shape()[axis]) {
            return "no value";
        }
        flat = flat * tensor->shape()[axis] + index[axis];
    }
    switch (tensor->element()) {
    case ElementType::String: return '"' + tensor->strings().at(static_cast<std::size_t>(flat)) + '"';
    case ElementType::F64: return shortest(tensor->as<double>()[static_cast<std::size_t>(flat)]);
    case ElementType::U64: return std::to_string(tensor->as<std::uint64_t>()[static_cast<std::size_t>(flat)]);
    default: break;
    }
    return isFloat(tensor->element()) ? shortest(static_cast<float>(tensor->toDouble(flat))) : std::to_string(tensor->toInt64(flat));
}

std::string refutation(const CheckResult& result) {
    if (result.fault) {
        const FaultReport& fault = *result.fault;
        return accessText(fault) + (fault.size.empty() ? "" : ", size " + position(fault.size)) + (fault.node.empty() ? "" : ", in " + fault.node);
    }
    if (result.kind == RefutationKind::Value && result.counterexample) {
        const Counterexample& found = *result.counterexample;
        return found.output + position(found.index) + " is " + element(found.reference, found.index) + ", rewritten " +
               element(found.rewritten, found.index);
    }
    return result.reason;
}

} // namespace

std::string accessText(const FaultReport& fault) {
    if (!fault.buffer.empty()) {
        return fault.access + " of " + fault.buffer + position(fault.index);
    }
    if (fault.access == "divide") {
        return "division by zero or overflow";
    }
    if (fault.access == "assert") {
        return "assertion fails";
    }
    return fault.index.empty() ? fault.access
                               : fault.access + (fault.access == "loop" ? " with step " : " of size ") + std::to_string(fault.index.front());
}

std::string verdictLine(const CheckResult& result) {
    std::string line(name(result.verdict));
    const auto add = [&](std::string_view text) {
        if (!text.empty()) {
            line += ": ";
            line += text;
        }
    };
    switch (result.verdict) {
    case Verdict::Proved: add(result.strength ? name(*result.strength) : ""); break;
    case Verdict::Refuted:
        add(result.kind ? name(*result.kind) : "");
        add(refutation(result));
        break;
    case Verdict::Unproved:
    case Verdict::Undecided: add(result.reason); break;
    }
    // An unproved or undecided verdict claims nothing that an assumption could weaken; a type or a fault stands without it.
    if (!result.assumed.empty() && (result.verdict == Verdict::Proved || (result.verdict == Verdict::Refuted && result.counterexample))) {
        line += " (assuming " + assumedText(result.assumed) + ")";
    }
    // One line, whatever a name or a reason holds.
    for (char& c : line) {
        const auto code = static_cast<unsigned char>(c);
        c = code < 0x20U || code == 0x7FU ? ' ' : c;
    }
    return line;
}

} // namespace lemmascope
