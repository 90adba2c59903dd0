#include "core/prove/pairing.h"

#include "core/graph/infer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace lemmascope {

namespace {

constexpr std::int64_t UnboundedSize = 1'000'000;

std::optional<std::size_t> inputByName(const Graph& graph, const std::string& name) {
    for (std::size_t k = 0; k < graph.inputs.size(); ++k) {
        if (graph.value(graph.inputs[k]).name == name) {
            return k;
        }
    }
    return std::nullopt;
}

std::optional<std::size_t> outputByName(const Graph& graph, const std::string& name) {
    for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
        if (graph.outputName(k) == name) {
            return k;
        }
    }
    return std::nullopt;
}

bool compatible(const TensorType& a, const TensorType& b) {
    if (a.element != b.element && a.element != ElementType::Undefined && b.element != ElementType::Undefined) {
        return false;
    }
    if (!a.shape || !b.shape) {
        return true;
    }
    if (a.shape->size() != b.shape->size()) {
        return false;
    }
    for (std::size_t k = 0; k < a.shape->size(); ++k) {
        if ((*a.shape)[k].isKnown() && (*b.shape)[k].isKnown() && !((*a.shape)[k] == (*b.shape)[k])) {
            return false;
        }
    }
    return true;
}

Error onSide(Error error, const char* side) {
    error.message = std::string(side) + ": " + error.message;
    return error;
}

/// Some sizes at which two lengths differ, or nothing.
std::optional<std::string> differingSizes(const Dim& a, const Dim& b, const std::map<std::string, IntegerRange>& symbols) {
    std::vector<std::string> names;
    a.collectSymbols(names);
    b.collectSymbols(names);
    for (const std::int64_t base : {1, 2, 3, 5, 7, 16, 31}) {
        for (const bool apart : {false, true}) {
            std::map<std::string, std::int64_t> sizes;
            std::int64_t next = base;
            bool known = true;
            for (const std::string& name : names) {
                const auto at = symbols.find(name);
                known = known && at != symbols.end();
                const IntegerRange range = at == symbols.end() ? IntegerRange{1, UnboundedSize} : at->second;
                sizes[name] = std::clamp(next, range.low, range.high);
                next += apart ? 2 : 0;
            }
            const std::optional<std::int64_t> x = a.evaluate(sizes);
            const std::optional<std::int64_t> y = b.evaluate(sizes);
            if (known && x && y && *x >= 0 && *y >= 0 && *x != *y) { // a negative length: the graph does not run at these sizes
                std::string text;
                for (const auto& [name, size] : sizes) {
                    text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(size);
                }
                return std::to_string(*x) + " against " + std::to_string(*y) + (text.empty() ? "" : " at " + text);
            }
        }
    }
    return std::nullopt;
}

std::string listOf(const Graph& graph, bool inputs) {
    std::string out;
    const std::vector<ValueId>& ids = inputs ? graph.inputs : graph.outputs;
    for (std::size_t k = 0; k < ids.size(); ++k) {
        out += (k == 0 ? "" : ", ") + (inputs ? graph.value(ids[k]).name : graph.outputName(k)) + " " + graph.value(ids[k]).type.text();
    }
    return out.empty() ? "none" : out;
}

/// Names in the options that can have no effect: a size no graph speaks of, a range of something that is no integer input.
std::optional<Error> idleOption(const Graph& reference, const Graph& rewritten, const CheckOptions& options) {
    std::vector<std::string> symbols;
    for (const Graph* graph : {&reference, &rewritten}) {
        for (const auto& [name, range] : graph->symbols) {
            symbols.push_back(name);
        }
        for (const ValueId input : graph->inputs) {
            if (const std::optional<Shape>& shape = graph->value(input).type.shape) {
                for (const Dim& dim : *shape) {
                    dim.collectSymbols(symbols);
                }
            }
        }
    }
    std::sort(symbols.begin(), symbols.end());
    symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
    for (const auto& [name, size] : options.sizes) {
        if (!std::binary_search(symbols.begin(), symbols.end(), name)) {
            std::string known;
            for (const std::string& symbol : symbols) {
                known += (known.empty() ? "" : ", ") + symbol;
            }
            return Error{ErrorCode::Usage, "--size " + name + "=" + std::to_string(size) + ": no input has such a symbolic size; " +
                                               (known.empty() ? "the graphs have none" : "known are " + known)};
        }
    }
    for (const auto& [name, range] : options.inputRanges) {
        const std::optional<std::size_t> at = inputByName(reference, name);
        if (!at) {
            return Error{ErrorCode::Usage, "--inputs-range " + name + ": the reference has no such input; it has " + listOf(reference, true)};
        }
        const ElementType element = reference.value(reference.inputs[*at]).type.element;
        if (element != ElementType::Undefined && !isInteger(element) && !(isFloat(element) && isComputable(element))) {
            return Error{ErrorCode::Usage, "--inputs-range " + name + ": the input has no numbers; the reference has " + listOf(reference, true)};
        }
    }
    for (const auto& [name, range] : options.realRanges) {
        if (!inputByName(reference, name)) {
            return Error{ErrorCode::Usage, "--inputs-range " + name + ": the reference has no such input; it has " + listOf(reference, true)};
        }
    }
    return std::nullopt;
}

std::string shortest(double value) {
    std::array<char, 40> text{};
    const auto [end, problem] = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end};
}

/// The least value of the type that is not below `x`, infinity where there is none.
double firstFrom(ElementType element, double x) {
    // Of sixteen bits: the next pattern upwards; the patterns are ordered by magnitude.
    const auto next = [](std::uint16_t bits) {
        const bool zero = (bits & 0x7FFFU) == 0;
        return static_cast<std::uint16_t>(zero ? 1U : (bits & 0x8000U) != 0 ? bits - 1U : bits + 1U);
    };
    if (element == ElementType::F32) {
        constexpr double Most = std::numeric_limits<float>::max();
        if (x > Most || x < -Most) {
            return x > 0 ? std::numeric_limits<double>::infinity() : -Most;
        }
        const float near = static_cast<float>(x);
        return near >= x ? near : std::nextafter(near, std::numeric_limits<float>::infinity());
    }
    if (element == ElementType::F16) {
        const std::uint16_t near = doubleToHalf(x);
        return halfToFloat(near) >= x ? halfToFloat(near) : halfToFloat(next(near));
    }
    if (element == ElementType::BF16) {
        const std::uint16_t near = doubleToBfloat(x);
        return bfloatToFloat(near) >= x ? bfloatToFloat(near) : bfloatToFloat(next(near));
    }
    return x;
}

/// What the user's range leaves of the values of a float type, and of what the graph declares.
Result<RealRange> realRange(const std::string& input, ElementType element, RealRange asked, const std::optional<IntegerRange>& declared) {
    const std::string option = "--inputs-range " + input + "=" + shortest(asked.low) + ":" + shortest(asked.high);
    if (!isFloat(element) || !isComputable(element)) {
        return fail(ErrorCode::Usage,
                    option + ": '" + input + "' is no float input; " +
                        (isInteger(element) ? "a range of integers has 64-bit integers as its ends" : "it has no range of numbers"));
    }
    if (declared) {
        asked.low = std::max(asked.low, static_cast<double>(declared->low));
        asked.high = std::min(asked.high, static_cast<double>(declared->high));
    }
    const RealRange fitted{firstFrom(element, asked.low), -firstFrom(element, -asked.high)};
    if (!(fitted.low <= fitted.high)) {
        return fail(ErrorCode::Usage, option + ": no value of type " + std::string(name(element)) + " lies in it" +
                                          (declared ? " and in the range that the graph declares" : ""));
    }
    return fitted;
}

} // namespace

Result<Pairing> pairGraphs(const Graph& reference, const Graph& rewritten, const CheckOptions& options, std::stop_token stop) {
    Pairing out;
    if (std::optional<Error> idle = idleOption(reference, rewritten, options)) {
        return tl::unexpected(std::move(*idle));
    }
    // A symbol that may be 0 is written as (s + 1) - 1 with s + 1 >= 1, since lengths are reasoned about as at least 1.
    InferOptions referenceOptions{options.sizes, {}};
    std::map<std::string, IntegerRange> ranges = reference.symbols;
    for (const auto& [name, range] : ranges) {
        if (range.low <= 0 && !options.sizes.contains(name)) {
            referenceOptions.renamed.emplace(name, Dim::symbol(name + "+1") - Dim(1));
        }
    }
    for (const auto& [name, size] : options.sizes) {
        if (const auto at = ranges.find(name); at != ranges.end() && (size < at->second.low || size > at->second.high)) {
            return fail(ErrorCode::Usage, "size " + name + "=" + std::to_string(size) + " is outside its declared range [" +
                                              std::to_string(at->second.low) + ", " + std::to_string(at->second.high) + "]");
        }
    }
    Result<std::shared_ptr<const Graph>> first = inferTypes(reference, referenceOptions, stop);
    if (!first) {
        return tl::unexpected(onSide(first.error(), "reference"));
    }
    out.reference = *first;
    const Graph& ref = *out.reference;

    // Inputs by map, by name, then by position.
    std::vector<bool> taken(rewritten.inputs.size(), false);
    std::vector<std::optional<std::size_t>> partner(ref.inputs.size());
    for (const auto& [mine, theirs] : options.mapped) {
        const std::optional<std::size_t> a = inputByName(ref, mine);
        const std::optional<std::size_t> b = inputByName(rewritten, theirs);
        if (a && b) {
            partner[*a] = b;
            taken[*b] = true;
        } else if (!outputByName(ref, mine) || !outputByName(rewritten, theirs)) {
            return fail(ErrorCode::Usage, "--map " + mine + "=" + theirs + ": the reference has no input or output '" + mine +
                                              "', or the rewritten graph none called '" + theirs + "'");
        }
    }
    for (std::size_t k = 0; k < ref.inputs.size(); ++k) {
        if (partner[k]) {
            continue;
        }
        if (const std::optional<std::size_t> same = inputByName(rewritten, ref.value(ref.inputs[k]).name); same && !taken[*same]) {
            partner[k] = same;
            taken[*same] = true;
        }
    }
    for (std::size_t k = 0; k < ref.inputs.size(); ++k) {
        if (!partner[k] && k < rewritten.inputs.size() && !taken[k] &&
            compatible(ref.value(ref.inputs[k]).type, rewritten.value(rewritten.inputs[k]).type) &&
            !inputByName(ref, rewritten.value(rewritten.inputs[k]).name)) {
            partner[k] = k;
            taken[k] = true;
            out.assumptions.push_back({"pairing", "input '" + ref.value(ref.inputs[k]).name + "' is taken for the rewritten graph's '" +
                                                      rewritten.value(rewritten.inputs[k]).name + "'"});
        }
    }
    for (std::size_t k = 0; k < rewritten.inputs.size(); ++k) {
        if (!taken[k]) {
            out.extraInputs.push_back(rewritten.value(rewritten.inputs[k]).name);
        }
    }

    // The rewritten graph's symbols take the reference's lengths at the same positions.
    InferOptions rewrittenOptions{options.sizes, {}};
    const auto symbolOf = [&](const Dim& dim) -> std::optional<std::string> {
        for (const auto& [name, shifted] : referenceOptions.renamed) {
            if (dim == shifted) {
                return name;
            }
        }
        return dim.symbolName();
    };
    std::map<std::string, Dim> fixed; // reference symbols that the rewritten graph fixes
    for (std::size_t k = 0; k < ref.inputs.size(); ++k) {
        if (!partner[k]) {
            continue;
        }
        const Value& mine = ref.value(ref.inputs[k]);
        const Value& theirs = rewritten.value(rewritten.inputs[*partner[k]]);
        if (mine.type.element != theirs.type.element && theirs.type.element != ElementType::Undefined &&
            mine.type.element != ElementType::Undefined) {
            out.caveats.push_back({"type", "input '" + mine.name + "' is " + mine.type.text() + " in the reference, " + theirs.type.text() +
                                               " in the rewritten graph"});
            out.extraInputs.push_back(theirs.name + " (as " + theirs.type.text() + ")");
            continue;
        }
        if (!mine.type.shape || !theirs.type.shape) {
            continue;
        }
        if (mine.type.shape->size() != theirs.type.shape->size()) {
            out.extraInputs.push_back(theirs.name + " (as " + theirs.type.text() + ")");
            continue;
        }
        for (std::size_t axis = 0; axis < mine.type.shape->size(); ++axis) {
            const Dim& a = (*mine.type.shape)[axis];
            const Dim& b = (*theirs.type.shape)[axis];
            if (const std::optional<std::string> symbol = b.symbolName()) {
                if (options.sizes.contains(*symbol)) {
                    continue;
                }
                const auto [at, added] = rewrittenOptions.renamed.try_emplace(*symbol, a);
                if (!added && !(at->second == a)) {
                    out.sizeProblem = "the rewritten graph takes " + at->second.text() + " and " + a.text() + " for one length, '" + *symbol + "'";
                }
                if (const auto declared = rewritten.symbols.find(*symbol); declared != rewritten.symbols.end()) {
                    // Its range must follow from the reference's.
                    IntegerRange known{1, UnboundedSize};
                    if (a.isKnown()) {
                        known = {a.value(), a.value()};
                    } else if (const std::optional<std::string> mineSymbol = symbolOf(a); mineSymbol && ranges.contains(*mineSymbol)) {
                        known = ranges.at(*mineSymbol);
                    }
                    if (known.low < declared->second.low || known.high > declared->second.high) {
                        out.rangeProblem = "the rewritten graph is declared for " + *symbol + " in [" + std::to_string(declared->second.low) + ", " +
                                           std::to_string(declared->second.high) + "] only";
                    }
                }
            } else if (b.isKnown() && !a.isKnown()) {
                if (const std::optional<std::string> own = symbolOf(a)) {
                    // A length the reference's file left unnamed (x.0) is compatible with any; a named one is any length.
                    if (*own == mine.name + "." + std::to_string(axis)) {
                        fixed.try_emplace(*own, b);
                    } else {
                        out.sizeProblem = "the rewritten graph fixes " + *own + " = " + b.text() + "; give --size " + *own + "=" + b.text() +
                                          " to compare at that size";
                    }
                }
            } else if (a.isKnown() && b.isKnown() && !(a == b)) {
                out.extraInputs.push_back(theirs.name + " (as " + theirs.type.text() + ")");
                break;
            }
        }
    }
    if (!fixed.empty()) {
        // The rewritten graph accepts one size only: compare there, and say so.
        for (const auto& [name, length] : fixed) {
            referenceOptions.renamed.insert_or_assign(name, length);
            for (auto& [theirs, dim] : rewrittenOptions.renamed) {
                dim = dim.substituted({{name, length}});
            }
            out.assumptions.push_back({"size", name + " = " + length.text() + ": the rewritten graph fixes it"});
        }
        first = inferTypes(reference, referenceOptions, stop);
        if (!first) {
            return tl::unexpected(onSide(first.error(), "reference"));
        }
        out.reference = *first;
    }
    for (const auto& [name, dim] : referenceOptions.renamed) {
        rewrittenOptions.renamed.try_emplace(name, dim);
    }
    Result<std::shared_ptr<const Graph>> second = inferTypes(rewritten, rewrittenOptions, stop);
    if (!second) {
        return tl::unexpected(onSide(second.error(), "rewritten"));
    }
    out.rewritten = *second;
    const Graph& mineGraph = *out.reference;
    const Graph& theirGraph = *out.rewritten;

    for (std::size_t k = 0; k < mineGraph.inputs.size(); ++k) {
        const Value& mine = mineGraph.value(mineGraph.inputs[k]);
        Pairing::Input input;
        input.reference = k;
        input.rewritten = partner[k];
        input.type = mine.type;
        input.range = mine.range;
        if (partner[k]) {
            const Value& theirs = theirGraph.value(theirGraph.inputs[*partner[k]]);
            if (!input.type.shape || input.type.element == ElementType::Undefined) {
                input.type = theirs.type;
            }
            if (theirs.range && !mine.range) {
                input.rewrittenRange = theirs.range;
            } else if (theirs.range && mine.range && (theirs.range->low > mine.range->low || theirs.range->high < mine.range->high)) {
                input.rewrittenRange = theirs.range;
            }
        } else {
            out.caveats.push_back({"note", "input '" + mine.name + "' is read by the reference only"});
        }
        if (const auto at = options.inputRanges.find(mine.name); at != options.inputRanges.end()) {
            input.range =
                input.range ? IntegerRange{std::max(input.range->low, at->second.low), std::min(input.range->high, at->second.high)} : at->second;
        }
        if (const auto at = options.realRanges.find(mine.name); at != options.realRanges.end()) {
            const Result<RealRange> real = realRange(mine.name, input.type.element, at->second, input.range);
            if (!real) {
                return tl::unexpected(real.error());
            }
            input.real = *real;
            out.assumptions.push_back({"fact", mine.name + " lies in [" + shortest(at->second.low) + ", " + shortest(at->second.high) + "]"});
        }
        if (input.range) {
            out.assumptions.push_back(
                {"fact", mine.name + " lies in [" + std::to_string(input.range->low) + ", " + std::to_string(input.range->high) + "]"});
        }
        if (input.type.shape) {
            std::vector<std::string> names;
            for (const Dim& dim : *input.type.shape) {
                dim.collectSymbols(names);
            }
            for (const std::string& name : names) {
                IntegerRange range{1, UnboundedSize};
                const bool shifted = name.ends_with("+1");
                if (const auto at = ranges.find(shifted ? name.substr(0, name.size() - 2) : name); at != ranges.end()) {
                    range = shifted ? IntegerRange{at->second.low + 1, at->second.high + 1} : at->second;
                }
                out.symbols.try_emplace(name, range);
            }
        }
        out.inputs.push_back(std::move(input));
    }
    for (const auto& [name, range] : out.symbols) {
        const std::int64_t shift = name.ends_with("+1") ? 1 : 0;
        out.assumptions.push_back({"size", name.substr(0, name.size() - (shift != 0 ? 2 : 0)) +
                                               (range.high >= UnboundedSize ? " is any length from " + std::to_string(range.low - shift) + " up"
                                                                            : " lies in [" + std::to_string(range.low - shift) + ", " +
                                                                                  std::to_string(range.high - shift) + "]")});
    }
    for (const auto& [name, size] : options.sizes) {
        out.assumptions.push_back({"size", name + " = " + std::to_string(size)});
    }

    // Outputs by map, by name, then by position.
    std::vector<bool> used(theirGraph.outputs.size(), false);
    std::vector<std::optional<std::size_t>> output(mineGraph.outputs.size());
    for (const auto& [mine, theirs] : options.mapped) {
        const std::optional<std::size_t> a = outputByName(mineGraph, mine);
        const std::optional<std::size_t> b = outputByName(theirGraph, theirs);
        if (a && b) {
            output[*a] = b;
            used[*b] = true;
        }
    }
    for (std::size_t k = 0; k < mineGraph.outputs.size(); ++k) {
        const std::optional<std::size_t> same = outputByName(theirGraph, mineGraph.outputName(k));
        if (!output[k] && same && !used[*same]) {
            output[k] = same;
            used[*same] = true;
        }
    }
    for (std::size_t k = 0; k < mineGraph.outputs.size(); ++k) {
        if (!output[k] && k < theirGraph.outputs.size() && !used[k] &&
            compatible(mineGraph.value(mineGraph.outputs[k]).type, theirGraph.value(theirGraph.outputs[k]).type)) {
            output[k] = k;
            used[k] = true;
            out.assumptions.push_back(
                {"pairing", "output '" + mineGraph.outputName(k) + "' is taken for the rewritten graph's '" + theirGraph.outputName(k) + "'"});
        }
    }
    for (std::size_t k = 0; k < theirGraph.outputs.size(); ++k) {
        if (!used[k]) {
            out.caveats.push_back({"note", "output '" + theirGraph.outputName(k) + "' exists in the rewritten graph only"});
        }
    }
    for (const std::string& wanted : options.outputs) {
        if (!outputByName(mineGraph, wanted)) {
            return fail(ErrorCode::Usage, "--outputs " + wanted + ": the reference has no such output; it has " + listOf(mineGraph, false));
        }
    }
    for (std::size_t k = 0; k < mineGraph.outputs.size(); ++k) {
        Pairing::Output pair;
        pair.name = mineGraph.outputName(k);
        if (!options.outputs.empty() && std::find(options.outputs.begin(), options.outputs.end(), pair.name) == options.outputs.end()) {
            continue;
        }
        pair.reference = mineGraph.outputs[k];
        if (!output[k]) {
            pair.typeProblem = "the rewritten graph has no output '" + pair.name + "'; reference: " + listOf(mineGraph, false) +
                               "; rewritten: " + listOf(theirGraph, false);
            out.outputs.push_back(std::move(pair));
            continue;
        }
        pair.rewritten = theirGraph.outputs[*output[k]];
        const TensorType& a = mineGraph.value(pair.reference).type;
        const TensorType& b = theirGraph.value(pair.rewritten).type;
        if (a.element != b.element && a.element != ElementType::Undefined && b.element != ElementType::Undefined) {
            pair.typeProblem = pair.name + " is " + a.text() + ", rewritten " + b.text();
        } else if (a.shape && b.shape) {
            if (a.shape->size() != b.shape->size()) {
                pair.typeProblem = pair.name + " is " + a.text() + ", rewritten " + b.text();
            }
            for (std::size_t axis = 0; axis < a.shape->size() && pair.typeProblem.empty(); ++axis) {
                const Dim& x = (*a.shape)[axis];
                const Dim& y = (*b.shape)[axis];
                if (x == y) {
                    continue;
                }
                if (const std::optional<std::string> where = differingSizes(x, y, out.symbols)) {
                    pair.typeProblem = pair.name + " is " + a.text() + ", rewritten " + b.text() +
                                       (x.isKnown() && y.isKnown() ? "" : " (axis " + std::to_string(axis) + ": " + *where + ")");
                } else if (pair.typeDoubt.empty()) {
                    pair.typeDoubt =
                        "axis " + std::to_string(axis) + " of " + pair.name + " is " + x.text() + " against " + y.text() + ", not seen to be equal";
                }
            }
        } else if (a.shape.has_value() != b.shape.has_value()) {
            pair.typeDoubt = pair.name + " is " + a.text() + " against " + b.text() + ", not seen to be equal";
        }
        out.outputs.push_back(std::move(pair));
    }
    return out;
}

} // namespace lemmascope
