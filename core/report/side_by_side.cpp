#include "core/report/side_by_side.h"

#include "core/report/element_text.h"

#include <algorithm>

namespace lemmascope {

namespace {

std::string elementOf(const std::optional<Tensor>& element, const std::vector<std::int64_t>& shape, bool bits) {
    if (!element) {
        return "shape " + (shape.empty() ? std::string("[]") : indexText(shape));
    }
    return elementText(*element, 0) + (bits ? " " + elementBits(*element, 0) : std::string());
}

std::string placeOf(const CheckResult& result, Side side, FlatValueId value) {
    const std::string node = producerName(result, side, value);
    return "'" + valueName(result, side, value) + "'" + (node.empty() ? "" : " of node '" + node + "'");
}

bool isOutput(const CheckResult& result, const ComparedValue& value) {
    return std::any_of(result.outputs.begin(), result.outputs.end(), [&](const OutputResult& output) {
        return output.reference.index == value.reference.index && output.rewritten.index == value.rewritten.index;
    });
}

/// Both sides ran, and no output differs by more than rounding. Told only where no difference was left out.
bool outputsAgree(const CheckResult& result, const InputComparison& seen) {
    return !result.outputs.empty() && !seen.referenceFault && !seen.rewrittenFault && seen.compared > 0 &&
           seen.differing == seen.differences.size() &&
           std::none_of(seen.differences.begin(), seen.differences.end(),
                        [&](const ComparedValue& value) { return value.beyondRounding && isOutput(result, value); });
}

} // namespace

std::string producerName(const CheckResult& result, Side side, FlatValueId value) {
    const auto& tree = side == Side::Reference ? result.reference : result.rewritten;
    if (!tree || !value.isValid() || value.index >= tree->valueCount() || !tree->value(value).producer.isValid()) {
        return {};
    }
    return tree->path(FlatNodeId(tree->instanceOf(value).nodeBase + tree->value(value).producer.index));
}

ReportSection sideBySideSection(const CheckResult& result, std::size_t maxRows) {
    ReportSection section;
    if (!result.onInputs) {
        return section;
    }
    const InputComparison& seen = *result.onInputs;
    section.title = "On the given inputs";
    const bool agree = outputsAgree(result, seen);
    if (agree) {
        section.paragraphs.emplace_back(seen.first ? "The outputs agree. Inner values paired by their names may differ all the same:"
                                                   : "The outputs agree.");
    }
    if (seen.first) {
        const ComparedValue& first = seen.differences[*seen.first];
        const std::string at = first.referenceElement ? indexText(indexOf(first.referenceShape, first.element)) : std::string();
        section.paragraphs.push_back(
            (agree ? "First that share only a name: " : "First beyond rounding: ") + placeOf(result, Side::Reference, first.reference) +
            (at.empty() ? "" : " at " + at) + " is " + elementOf(first.referenceElement, first.referenceShape, false) + "; rewritten, " +
            placeOf(result, Side::Rewritten, first.rewritten) + " is " + elementOf(first.rewrittenElement, first.rewrittenShape, false) + ".");
    }
    section.paragraphs.push_back(std::to_string(seen.compared) + " paired values compared, " + std::to_string(seen.differing) +
                                 " not equal bit for bit" + (seen.first ? "." : ", none beyond rounding."));
    if (!seen.enclosed) {
        section.paragraphs.emplace_back("Too large for interval arithmetic: beyond rounding means by more than 1,024 units in the last place of the "
                                        "largest element.");
    }
    if (!result.assumed.empty()) {
        section.paragraphs.push_back("The rewritten graph was run with what is accepted: " + assumedText(result.assumed) + ".");
    }
    for (const auto& [side, fault] : {std::pair{Side::Reference, &seen.referenceFault}, std::pair{Side::Rewritten, &seen.rewrittenFault}}) {
        if (*fault) {
            section.paragraphs.push_back("The " + std::string(name(side)) + " graph faults in node " + nodeName(result, side, (*fault)->node) + ": " +
                                         (*fault)->buffer + indexText((*fault)->index) + ".");
        }
    }
    section.table.columns = {"", "reference", "rewritten", "element", "reference has", "rewritten has"};
    for (std::size_t i = 0; i < seen.differences.size(); ++i) {
        const bool first = seen.first == i;
        // What stands before the first that matters is rounding: the reader wants that row, whatever is cut.
        if (section.table.rows.size() >= maxRows && !(first || (seen.first && i < *seen.first + 3 && i > *seen.first))) {
            continue;
        }
        const ComparedValue& row = seen.differences[i];
        section.table.rows.push_back({agree && row.beyondRounding ? "shares a name"
                                      : first                     ? "first beyond rounding"
                                      : row.beyondRounding        ? "differs"
                                                                  : "rounding",
                                      valueName(result, Side::Reference, row.reference), valueName(result, Side::Rewritten, row.rewritten),
                                      row.referenceElement ? indexText(indexOf(row.referenceShape, row.element)) : std::string(),
                                      elementOf(row.referenceElement, row.referenceShape, true),
                                      elementOf(row.rewrittenElement, row.rewrittenShape, true)});
    }
    if (section.table.rows.size() < seen.differing) {
        section.paragraphs.push_back(std::to_string(section.table.rows.size()) + " of them are listed.");
    }
    return section;
}

} // namespace lemmascope
