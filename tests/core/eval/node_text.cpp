#include "node_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>

namespace lemmascope::eval_test {

namespace {

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \n");
    return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(" \n") - first + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> out;
    std::string part;
    std::istringstream stream(text);
    while (std::getline(stream, part, separator)) {
        out.push_back(trimmed(part));
    }
    return out;
}

double numberOf(const std::string& text) { return text == "nan" ? std::numeric_limits<double>::quiet_NaN() : std::strtod(text.c_str(), nullptr); }

template <typename T>
void fillIntegers(Tensor& tensor, const std::vector<std::string>& words) {
    const std::span<T> out = tensor.mutableAs<T>();
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = words.at(i)[0] == '-' ? static_cast<T>(std::strtoll(words.at(i).c_str(), nullptr, 10))
                                       : static_cast<T>(std::strtoull(words.at(i).c_str(), nullptr, 10));
    }
}

Attribute attributeOf(const std::string& text) {
    const bool real = std::string("0123456789-").find(text.front()) != std::string::npos;
    const auto isFloatText = [](const std::string& word) { return word.find_first_of(".e") != std::string::npos; };
    if (text.front() == '[') {
        const std::vector<std::string> words = split(text.substr(1, text.size() - 2), ',');
        if (std::any_of(words.begin(), words.end(), isFloatText)) {
            std::vector<float> out;
            for (const std::string& word : words) {
                out.push_back(static_cast<float>(numberOf(word)));
            }
            return out;
        }
        std::vector<std::int64_t> out;
        for (const std::string& word : words) {
            out.push_back(std::strtoll(word.c_str(), nullptr, 10));
        }
        return out;
    }
    if (text.front() == '<') { // a tensor, `<f32[1]_2>`
        std::string inner = text.substr(1, text.size() - 2);
        std::replace(inner.begin(), inner.end(), '_', ' ');
        return tensorOf(inner);
    }
    if (!real) {
        return text;
    }
    if (isFloatText(text)) {
        return static_cast<float>(numberOf(text));
    }
    return static_cast<std::int64_t>(std::strtoll(text.c_str(), nullptr, 10));
}

} // namespace

Tensor tensorOf(const std::string& text) {
    const std::size_t open = text.find('[');
    const std::size_t close = text.find(']');
    const ElementType element = elementTypeByName(text.substr(0, open)).value();
    std::vector<std::int64_t> shape;
    for (const std::string& word : split(text.substr(open + 1, close - open - 1), ',')) {
        shape.push_back(std::strtoll(word.c_str(), nullptr, 10));
    }
    std::vector<std::string> words;
    std::istringstream stream(text.substr(close + 1));
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    Tensor tensor(element, shape);
    switch (element) {
    case ElementType::Bool:
    case ElementType::U8: fillIntegers<std::uint8_t>(tensor, words); break;
    case ElementType::I8: fillIntegers<std::int8_t>(tensor, words); break;
    case ElementType::U16: fillIntegers<std::uint16_t>(tensor, words); break;
    case ElementType::I16: fillIntegers<std::int16_t>(tensor, words); break;
    case ElementType::U32: fillIntegers<std::uint32_t>(tensor, words); break;
    case ElementType::I32: fillIntegers<std::int32_t>(tensor, words); break;
    case ElementType::U64: fillIntegers<std::uint64_t>(tensor, words); break;
    case ElementType::I64: fillIntegers<std::int64_t>(tensor, words); break;
    default:
        for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.count()); ++i) {
            const double value = numberOf(words.at(i));
            if (element == ElementType::F64) {
                tensor.mutableAs<double>()[i] = value;
            } else if (element == ElementType::F32) {
                tensor.mutableAs<float>()[i] = static_cast<float>(value);
            } else {
                tensor.mutableAs<std::uint16_t>()[i] = element == ElementType::F16 ? doubleToHalf(value) : doubleToBfloat(value);
            }
        }
    }
    return tensor;
}

std::string textOf(const Tensor& tensor) {
    std::string out(name(tensor.element()));
    out += "[";
    for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis) {
        out += (axis == 0 ? "" : ",") + std::to_string(tensor.shape()[axis]);
    }
    out += "]";
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
        if (isFloat(tensor.element())) {
            char buffer[40];
            const double value = tensor.toDouble(i);
            std::snprintf(buffer, sizeof buffer, " %.6g", value);
            out += std::isnan(value) ? " nan" : buffer;
        } else if (tensor.element() == ElementType::U64) {
            out += " " + std::to_string(tensor.as<std::uint64_t>()[static_cast<std::size_t>(i)]);
        } else {
            out += " " + std::to_string(tensor.toInt64(i));
        }
    }
    return out;
}

OneNode nodeOf(const std::string& text, std::size_t resultCount) {
    const std::vector<std::string> parts = split(text, ';');
    const std::vector<std::string> head = split(parts.at(0), ' ');
    Node node;
    const std::size_t at = head.at(0).find('@');
    const std::string op = head[0].substr(0, at);
    const std::size_t dot = op.rfind('.');
    node.op = {dot == std::string::npos ? "" : op.substr(0, dot), op.substr(dot == std::string::npos ? 0 : dot + 1),
               std::stoll(head[0].substr(at + 1))};
    for (std::size_t k = 1; k < head.size(); ++k) {
        const std::size_t equals = head[k].find('=');
        node.attributes.emplace(head[k].substr(0, equals), attributeOf(head[k].substr(equals + 1)));
    }
    Graph graph;
    OneNode out;
    for (std::size_t k = 1; k < parts.size(); ++k) {
        if (parts[k] == "-") {
            node.operands.emplace_back();
            continue;
        }
        if (parts[k].front() == '=') { // `=0`: the same value as operand 0
            node.operands.push_back(node.operands.at(static_cast<std::size_t>(std::stoi(parts[k].substr(1)))));
            continue;
        }
        out.inputs.emplace_back(tensorOf(parts[k]));
        const Tensor& tensor = *out.inputs.back();
        Value value{.name = "x" + std::to_string(k - 1)};
        value.type.element = tensor.element();
        value.type.shape = Shape(tensor.shape().begin(), tensor.shape().end());
        node.operands.push_back(graph.addValue(value));
        graph.inputs.push_back(node.operands.back());
    }
    for (std::size_t k = 0; k < resultCount; ++k) {
        node.results.push_back(graph.addValue(Value{.name = "y" + std::to_string(k)}));
        graph.outputs.push_back(node.results.back());
    }
    graph.addNode(std::move(node));
    out.graph = std::make_shared<const Graph>(std::move(graph));
    return out;
}

std::string resultsOf(const std::string& text, std::size_t resultCount) {
    const OneNode one = nodeOf(text, resultCount);
    const GraphTree tree = GraphTree::build(one.graph).value();
    const Result<Evaluation> run = evaluate(tree, one.inputs);
    if (!run) {
        return run.error().message;
    }
    if (run->fault) {
        std::string out = run->fault->kind == Fault::Kind::ReadOutOfRange    ? "fault: read " + run->fault->buffer
                          : run->fault->kind == Fault::Kind::WriteOutOfRange ? "fault: write " + run->fault->buffer
                                                                             : "fault: division of";
        for (const std::int64_t index : run->fault->index) {
            out += " " + std::to_string(index);
        }
        for (const std::int64_t size : run->fault->size) {
            out += " /" + std::to_string(size);
        }
        return out;
    }
    std::string out = run->open.empty() ? "" : "open";
    for (const ValueId output : one.graph->outputs) {
        const std::optional<Tensor>& value = run->values[output.index];
        out += (out.empty() ? "" : " | ") + (value ? textOf(*value) : std::string("absent"));
    }
    const std::string complaint = run->open.empty() ? enclosureComplaint(tree, one.inputs) : "";
    return complaint.empty() ? out : out + " BUT " + complaint;
}

namespace {

/// True when every float of the run is finite. Where one is not, IEEE arithmetic and the reals part: log(0) and what reads it is
/// undefined there, overflow is not.
bool finite(const Evaluation& run) {
    for (const std::optional<Tensor>& value : run.values) {
        for (std::int64_t i = 0; value && isFloat(value->element()) && i < value->count(); ++i) {
            if (!std::isfinite(value->toDouble(i))) {
                return false;
            }
        }
    }
    return true;
}

std::string missing(const GraphTree& tree, const Evaluation& run, const Evaluation& enclosed, const std::string& what) {
    const bool allFinite = finite(run);
    for (std::size_t k = 0; k < run.values.size(); ++k) {
        if (!run.values[k] || !isComputable(run.values[k]->element())) {
            continue;
        }
        const std::string name = what + " of " + tree.value(FlatValueId(k)).name;
        if (!enclosed.enclosures[k]) {
            continue; // enclosures may leave a result's shape, and so all of it, unknown
        }
        const IntervalTensor& bounds = *enclosed.enclosures[k];
        if (bounds.shape != run.values[k]->shape()) {
            return name + ": shapes differ";
        }
        for (std::int64_t i = 0; i < run.values[k]->count(); ++i) {
            const Interval& bound = bounds.elements[static_cast<std::size_t>(i)];
            const double value = run.values[k]->toDouble(i);
            const bool inside = !allFinite && (std::isnan(value) || bound.isUndefined()) ? true
                                : std::isnan(value) ? bound.mayBeUndefined || std::isinf(bound.lo) || std::isinf(bound.hi)
                                : std::isinf(value) ? bound.mayBeUndefined || (value > 0.0 ? bound.hi >= std::numeric_limits<double>::max()
                                                                                           : bound.lo <= -std::numeric_limits<double>::max())
                                                    : bound.lo <= value && value <= bound.hi;
            if (!inside) {
                char buffer[160];
                std::snprintf(buffer, sizeof buffer, "[%lld] is %.17g, outside [%.17g, %.17g]", static_cast<long long>(i), value, bound.lo, bound.hi);
                return name + buffer;
            }
        }
    }
    return {};
}

} // namespace

std::string enclosureComplaint(const GraphTree& tree, const std::vector<std::optional<Tensor>>& inputs, EvaluateOptions options) {
    options.arithmetic = Arithmetic::Declared;
    const Result<Evaluation> declared = evaluate(tree, inputs, options);
    options.arithmetic = Arithmetic::Double;
    const Result<Evaluation> real = evaluate(tree, inputs, options);
    options.arithmetic = Arithmetic::Enclosure;
    const Result<Evaluation> points = evaluate(tree, inputs, options);
    options.widening.nodes.assign(tree.nodeCount(), true);
    const Result<Evaluation> wide = evaluate(tree, inputs, options);
    if (!declared || !real || !points || !wide) {
        return declared.has_value() == real.has_value() && real.has_value() == points.has_value() && points.has_value() == wide.has_value()
                   ? ""
                   : "only some arithmetics fail: " + (declared ? !real     ? real.error().message
                                                                  : !points ? points.error().message
                                                                            : wide.error().message
                                                                : declared.error().message);
    }
    if (declared->fault.has_value() != real->fault.has_value() || declared->open != real->open || declared->open != points->open) {
        return "faults or open nodes differ between arithmetics";
    }
    std::string complaint = missing(tree, *real, *points, "double");
    complaint = complaint.empty() ? missing(tree, *real, *wide, "double, widened,") : complaint;
    return complaint.empty() ? missing(tree, *declared, *wide, "declared, widened,") : complaint;
}

} // namespace lemmascope::eval_test
