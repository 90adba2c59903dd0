// Einsum: `bij,bjk->bik`, with an ellipsis for broadcast axes.

#include "core/graph/ops/op_block.h"

#include <algorithm>
#include <map>

namespace lemmascope {

namespace {

constexpr char Ellipsis = '.'; // stands for `...` in a parsed term

bool isLabel(char letter) { return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z'); }

// One side of a comma: labels and at most one Ellipsis.
std::optional<std::string> parseTerm(InferContext& c, const std::string& text, const std::string& equation) {
    std::string out;
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (text[k] == ' ') {
            continue;
        }
        if (text.compare(k, 3, "...") == 0 && out.find(Ellipsis) == std::string::npos) {
            out += Ellipsis;
            k += 2;
        } else if (isLabel(text[k])) {
            out += text[k];
        } else {
            c.fail("attribute 'equation' is '" + equation + "': cannot read '" + text + "'");
            return std::nullopt;
        }
    }
    return out;
}

struct Equation {
    std::vector<std::string> terms;
    std::string result;
};

std::optional<Equation> parseEquation(InferContext& c) {
    const std::string text = c.stringAttribute("equation", "");
    const std::size_t arrow = text.find("->");
    Equation equation;
    const std::string left = text.substr(0, arrow);
    std::size_t begin = 0;
    while (true) {
        const std::size_t comma = left.find(',', begin);
        const std::optional<std::string> term = parseTerm(c, left.substr(begin, comma == std::string::npos ? comma : comma - begin), text);
        if (!term) {
            return std::nullopt;
        }
        equation.terms.push_back(*term);
        if (comma == std::string::npos) {
            break;
        }
        begin = comma + 1;
    }
    if (equation.terms.size() != c.operandCount()) {
        c.fail("attribute 'equation' is '" + text + "' with " + counted(equation.terms.size(), "term") + " for " +
               counted(c.operandCount(), "operand"));
        return std::nullopt;
    }
    std::map<char, int> counts;
    for (const std::string& term : equation.terms) {
        for (const char label : term) {
            ++counts[label];
        }
    }
    if (arrow == std::string::npos) {
        // Implicit: the ellipsis, then in order of the alphabet the labels that stand once.
        if (counts.count(Ellipsis) != 0) {
            equation.result += Ellipsis;
        }
        for (const auto& [label, count] : counts) {
            if (label != Ellipsis && count == 1) {
                equation.result += label;
            }
        }
        return equation;
    }
    const std::optional<std::string> result = parseTerm(c, text.substr(arrow + 2), text);
    if (!result) {
        return std::nullopt;
    }
    equation.result = *result;
    for (const char label : equation.result) {
        const bool twice = std::count(equation.result.begin(), equation.result.end(), label) > 1;
        if (twice || (label != Ellipsis && counts.count(label) == 0)) {
            c.fail("attribute 'equation' is '" + text + "': result label '" + std::string(1, label) + "' " +
                   (twice ? "stands twice" : "is in no term"));
            return std::nullopt;
        }
    }
    return equation;
}

void inferEinsum(InferContext& c) {
    if (!c.hasAttribute("equation")) {
        c.fail("attribute 'equation' is missing");
        return;
    }
    const std::optional<Equation> equation = parseEquation(c);
    if (!equation) {
        return;
    }
    std::map<char, Dim> lengths;
    Shape broadcastAxes;
    for (std::size_t i = 0; i < c.operandCount(); ++i) {
        if (!c.checkSameElement({0, i})) {
            return;
        }
        const std::string& term = equation->terms[i];
        if (!c.shape(i)) {
            const bool ranked = equation->result.find(Ellipsis) == std::string::npos;
            c.setResult(0, c.element(0), ranked ? std::optional<Shape>(c.unknownShape(0, equation->result.size())) : std::nullopt);
            return;
        }
        const Shape& shape = *c.shape(i);
        const bool hasEllipsis = term.find(Ellipsis) != std::string::npos;
        const std::size_t labels = term.size() - (hasEllipsis ? 1 : 0);
        if (hasEllipsis ? shape.size() < labels : shape.size() != labels) {
            c.fail("operand " + std::to_string(i) + " is " + c.type(i).text() + ", but its term '" + term + "' names " + counted(labels, "axis"));
            return;
        }
        std::size_t axis = 0;
        for (const char label : term) {
            if (label == Ellipsis) {
                const std::size_t count = shape.size() - labels;
                const auto first = shape.begin() + static_cast<std::ptrdiff_t>(axis);
                std::optional<Shape> joined = c.broadcast(broadcastAxes, Shape(first, first + static_cast<std::ptrdiff_t>(count)));
                if (!joined) {
                    return;
                }
                broadcastAxes = std::move(*joined);
                axis += count;
                continue;
            }
            const auto [at, isNew] = lengths.emplace(label, shape[axis]);
            if (!isNew) {
                // A label of length 1 broadcasts.
                std::optional<Dim> joined = c.broadcastDim(at->second, shape[axis]);
                if (!joined) {
                    c.fail("label '" + std::string(1, label) + "' has the lengths " + at->second.text() + " and " + shape[axis].text());
                    return;
                }
                at->second = std::move(*joined);
            }
            ++axis;
        }
    }
    Shape out;
    for (const char label : equation->result) {
        if (label == Ellipsis) {
            out.insert(out.end(), broadcastAxes.begin(), broadcastAxes.end());
        } else {
            out.push_back(lengths.at(label));
        }
    }
    c.setResult(0, c.element(0), std::move(out));
}

} // namespace

OpBlocks einsumOps() { return {{OnnxDomain, "Einsum", {12}, 1, -1, OpClass::Computing, "equation:s", inferEinsum}}; }

} // namespace lemmascope
