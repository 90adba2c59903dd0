// Einsum: every label is an axis; labels that the result lacks are summed.

#include "core/eval/dot.h"
#include "core/eval/elementwise.h"
#include "core/eval/kernel_table.h"

#include <algorithm>
#include <array>
#include <map>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

/// Labels of one operand or of the result. The axes of an ellipsis are labelled by their distance from its end (-1, -2, ...),
/// so that ellipses of different lengths broadcast from the right; letters are their character codes.
using Labels = std::vector<int>;

struct Equation {
    std::vector<Labels> operands;
    Labels result;
};

constexpr int Ellipsis = 0;

std::optional<Labels> parseTerm(NodeRun& run, const std::string& text) {
    Labels labels;
    bool seen = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (text.compare(i, 3, "...") == 0 && !seen) {
            seen = true;
            labels.push_back(Ellipsis);
            i += 2;
        } else if (letter) {
            labels.push_back(c);
        } else {
            run.fail("the equation holds '" + std::string(1, c) + "'");
            return std::nullopt;
        }
    }
    return labels;
}

/// Replaces an ellipsis by `count` labels -count ... -1.
Labels expanded(const Labels& labels, std::int64_t count) {
    Labels out;
    for (const int label : labels) {
        if (label != Ellipsis) {
            out.push_back(label);
            continue;
        }
        for (std::int64_t k = count; k > 0; --k) {
            out.push_back(static_cast<int>(-k));
        }
    }
    return out;
}

std::optional<Equation> parse(NodeRun& run) {
    std::string text = run.text("equation", "");
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    const std::size_t arrow = text.find("->");
    const std::string left = text.substr(0, arrow);
    Equation equation;
    std::size_t begin = 0;
    std::int64_t longest = 0;
    std::vector<Labels> terms;
    while (begin <= left.size()) {
        const std::size_t comma = std::min(left.find(',', begin), left.size());
        const auto term = parseTerm(run, left.substr(begin, comma - begin));
        if (!term) {
            return std::nullopt;
        }
        terms.push_back(*term);
        begin = comma + 1;
    }
    if (!run.require(terms.size() == run.operandCount(), "the equation and the node differ in the number of operands")) {
        return std::nullopt;
    }
    for (std::size_t k = 0; k < terms.size(); ++k) {
        const auto rank = static_cast<std::int64_t>(run.in(k).rank());
        const bool dots = std::find(terms[k].begin(), terms[k].end(), Ellipsis) != terms[k].end();
        const std::int64_t covered = rank - static_cast<std::int64_t>(terms[k].size()) + (dots ? 1 : 0);
        if (run.stopped() || !run.require(dots ? covered >= 0 : covered == 0, "a term of the equation does not fit its operand's rank")) {
            return std::nullopt;
        }
        longest = dots ? std::max(longest, covered) : longest;
        equation.operands.push_back(expanded(terms[k], covered));
    }
    if (arrow != std::string::npos) {
        const auto result = parseTerm(run, text.substr(arrow + 2));
        if (!result) {
            return std::nullopt;
        }
        equation.result = expanded(*result, longest);
        return equation;
    }
    // Implicit form: the ellipsis, then the letters that occur once, in alphabetical order.
    std::map<int, int> occurrences;
    for (const Labels& labels : equation.operands) {
        for (const int label : labels) {
            ++occurrences[label];
        }
    }
    for (const auto& [label, count] : occurrences) {
        if (label < 0 || count == 1) {
            equation.result.push_back(label);
        }
    }
    return equation;
}

template <typename S>
S productOf(const std::vector<std::vector<S>>& data, std::span<const std::int64_t> offsets) {
    S product = data[0][static_cast<std::size_t>(offsets[0])];
    for (std::size_t k = 1; k < data.size(); ++k) {
        const S& factor = data[k][static_cast<std::size_t>(offsets[k])];
        if constexpr (std::is_integral_v<S>) {
            product = static_cast<S>(static_cast<std::uint64_t>(product) * static_cast<std::uint64_t>(factor));
        } else {
            product = product * factor;
        }
    }
    return product;
}

void einsum(NodeRun& run) {
    if (!run.require(run.operandCount() > 0, "Einsum needs an operand")) {
        return;
    }
    const auto equation = parse(run);
    if (!equation) {
        return;
    }
    std::map<int, std::int64_t> lengths;
    for (std::size_t k = 0; k < equation->operands.size(); ++k) {
        for (std::size_t axis = 0; axis < equation->operands[k].size(); ++axis) {
            const std::int64_t length = run.in(k).dim(axis);
            const auto [at, fresh] = lengths.emplace(equation->operands[k][axis], length);
            if (!fresh && at->second != length) {
                if (!run.require(at->second == 1 || length == 1, "a label stands for axes of different lengths")) {
                    return;
                }
                at->second = std::max(at->second, length);
                at->second = at->second == 1 || length == 0 ? length : at->second;
            }
        }
    }
    Labels summed;
    for (const auto& [label, length] : lengths) {
        if (std::find(equation->result.begin(), equation->result.end(), label) == equation->result.end()) {
            summed.push_back(label);
        }
    }
    // Strides of every operand along the result's labels and along the summed ones (a label repeated in a term adds up).
    const std::size_t count = equation->operands.size();
    const auto stridesAlong = [&](const Labels& labels) {
        std::vector<Ints> out(count, Ints(labels.size(), 0));
        for (std::size_t k = 0; k < count; ++k) {
            const Ints own = rowMajorStrides(run.in(k).shape());
            for (std::size_t axis = 0; axis < own.size(); ++axis) {
                for (std::size_t l = 0; l < labels.size(); ++l) {
                    out[k][l] += labels[l] == equation->operands[k][axis] && run.in(k).dim(axis) != 1 ? own[axis] : 0;
                }
            }
        }
        return out;
    };
    Ints shape;
    for (const int label : equation->result) {
        const auto at = lengths.find(label);
        if (!run.require(at != lengths.end(), "the result names a label that no operand has")) {
            return;
        }
        shape.push_back(at->second);
    }
    Ints summedShape;
    for (const int label : summed) {
        summedShape.push_back(lengths.at(label));
    }
    const std::vector<Ints> outer = stridesAlong(equation->result);
    const std::vector<Ints> inner = stridesAlong(summed);
    if (!run.checkSize(shape, sizeof(Interval)) || !run.charge(*elementCountOf(shape), elementCountOf(summedShape).value_or(std::int64_t{1} << 62))) {
        return;
    }
    const ElementType type = run.in(0).element();
    std::vector<std::size_t> all(count);
    for (std::size_t k = 0; k < count; ++k) {
        all[k] = k;
        if (!run.require(run.in(k).element() == type, "the operands' element types differ")) {
            return;
        }
    }
    run.visitNumber(type, run.anyInterval(all), [&](auto one) {
        using S = decltype(one);
        std::vector<std::vector<S>> data;
        for (const std::size_t k : all) {
            data.push_back(run.numbers<S>(k));
        }
        std::vector<S> out;
        if (run.stopped()) {
            return;
        }
        Ints at(count);
        walkRows(shape, outer, [&](std::span<const std::int64_t> base, std::int64_t length) {
            for (std::int64_t i = 0; i < length; ++i) {
                Dot<S> sum;
                const bool more = walkRows(summedShape, inner, [&](std::span<const std::int64_t> offset, std::int64_t run1) {
                    for (std::int64_t j = 0; j < run1; ++j) {
                        for (std::size_t k = 0; k < count; ++k) {
                            at[k] = base[k] + (shape.empty() ? 0 : i * outer[k].back()) + offset[k] + (summedShape.empty() ? 0 : j * inner[k].back());
                        }
                        if (count == 2) {
                            sum.addProduct(data[0][static_cast<std::size_t>(at[0])], data[1][static_cast<std::size_t>(at[1])]);
                        } else {
                            sum.add(productOf(data, at));
                        }
                    }
                    return run.tick(static_cast<std::uint64_t>(run1));
                });
                if (!more) {
                    return false;
                }
                out.push_back(sum.value());
            }
            return true;
        });
        run.give<S>(0, type, shape, out);
    });
}

constexpr Kernel Kernels[] = {{"", "Einsum", 12, 0, KernelTypes::Numbers, einsum}};

} // namespace

std::span<const Kernel> einsumKernels() { return Kernels; }

} // namespace lemmascope
