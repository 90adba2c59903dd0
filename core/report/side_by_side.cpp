#include "core/report/side_by_side.h"

#include "core/report/element_text.h"
#include "core/report/outcome.h"
#include "core/report/report_document.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lemmascope {

namespace {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

struct Difference {
    std::int64_t worst = -1; ///< element of the largest difference; -1: none differs
    double size = 0.0;
    bool beyondRounding = false;
};

Difference compare(const Tensor& a, const Tensor& b) {
    Difference out;
    if (a.element() != b.element() || a.shape() != b.shape()) {
        out.worst = 0;
        out.beyondRounding = true;
        return out;
    }
    double largest = 0.0;
    const bool isReal = isFloat(a.element());
    for (std::int64_t i = 0; i < a.count(); ++i) {
        if (isReal) {
            const double magnitude = std::max(std::fabs(a.toDouble(i)), std::fabs(b.toDouble(i)));
            largest = std::isfinite(magnitude) ? std::max(largest, magnitude) : largest;
        }
        if (sameElement(a, b, i)) {
            continue;
        }
        double size = std::numeric_limits<double>::infinity();
        if (isReal) {
            const double difference = std::fabs(a.toDouble(i) - b.toDouble(i));
            size = std::isnan(difference) ? size : difference;
        }
        if (out.worst < 0 || size > out.size) {
            out.worst = i;
            out.size = size;
        }
    }
    if (out.worst >= 0) {
        // 2^10 units in the last place of the largest element.
        out.beyondRounding = !isReal || !(out.size <= std::ldexp(largest, 11 - static_cast<int>(significandBits(a.element()))));
    }
    return out;
}

Result<Evaluation> run(const CheckResult& result, Side side, const NamedTensors& inputs, std::stop_token stop) {
    const GraphTree& tree = side == Side::Reference ? *result.reference : *result.rewritten;
    std::vector<std::optional<Tensor>> ordered;
    for (const ValueId id : tree.top().inputs) {
        std::string wanted = tree.top().value(id).name;
        if (side == Side::Rewritten) {
            // An input paired under another name.
            const auto& partners = result.correspondence.partnerOfReferenceValue;
            const auto at = std::find(partners.begin(), partners.end(), FlatValueId(id.index));
            if (at != partners.end()) {
                wanted = valueName(result, Side::Reference, FlatValueId(static_cast<std::size_t>(at - partners.begin())));
            }
        }
        const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const auto& input) { return input.first == wanted; });
        if (found == inputs.end()) {
            return fail(ErrorCode::Usage, "--input: no tensor for input '" + wanted + "' of the " + std::string(name(side)) + " graph");
        }
        ordered.emplace_back(found->second);
    }
    return evaluate(tree, ordered, {}, std::move(stop));
}

std::string elementWithBits(const Tensor& tensor, std::int64_t flat) {
    return flat < tensor.count() ? elementText(tensor, flat) + " " + elementBits(tensor, flat) : tensorTypeText(tensor);
}

} // namespace

Result<std::string> sideBySide(const CheckResult& result, const NamedTensors& inputs, std::stop_token stop) {
    const Result<Evaluation> reference = run(result, Side::Reference, inputs, stop);
    if (!reference) {
        return tl::unexpected(reference.error());
    }
    const Result<Evaluation> rewritten = run(result, Side::Rewritten, inputs, stop);
    if (!rewritten) {
        return tl::unexpected(rewritten.error());
    }
    ReportSection section{.title = "On the given inputs"};
    section.table.columns = {"", "reference", "rewritten", "element", "reference has", "rewritten has"};
    std::size_t compared = 0;
    bool marked = false;
    const auto& partners = result.correspondence.partnerOfReferenceValue;
    for (std::size_t i = 0; i < partners.size() && i < reference->values.size(); ++i) {
        const FlatValueId partner = partners[i];
        if (!partner.isValid() || partner.index >= rewritten->values.size() || !reference->values[i] || !rewritten->values[partner.index]) {
            continue;
        }
        ++compared;
        const Tensor& a = *reference->values[i];
        const Tensor& b = *rewritten->values[partner.index];
        const Difference difference = compare(a, b);
        if (difference.worst < 0) {
            continue;
        }
        const bool first = difference.beyondRounding && !marked;
        marked = marked || first;
        section.table.rows.push_back({first                       ? "first beyond rounding"
                                      : difference.beyondRounding ? "differs"
                                                                  : "rounding",
                                      valueName(result, Side::Reference, FlatValueId(i)), valueName(result, Side::Rewritten, partner),
                                      indexText(indexOf(a.shape(), difference.worst)), elementWithBits(a, difference.worst),
                                      elementWithBits(b, difference.worst)});
    }
    section.paragraphs.push_back(std::to_string(compared) + " paired values compared, " + std::to_string(section.table.rows.size()) +
                                 " not equal bit for bit" + (marked ? "." : ", none beyond rounding."));
    for (const auto& [side, run] : {std::pair{Side::Reference, &*reference}, std::pair{Side::Rewritten, &*rewritten}}) {
        if (run->fault) {
            section.paragraphs.push_back("The " + std::string(name(side)) + " graph faults in node " + nodeName(result, side, run->fault->node) +
                                         ": " + run->fault->buffer + indexText(run->fault->index) + ".");
        }
    }
    ReportDocument document;
    document.sections.push_back(std::move(section));
    return plainText(document);
}

} // namespace lemmascope
