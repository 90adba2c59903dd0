// Errors of what moves, sums or multiplies: the evaluator's own kernels, run on numbers that are not negative.

#include "core/prove/error_linear.h"

#include "core/eval/evaluator.h"
#include "core/prove/candidates.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace lemmascope {

namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();
constexpr double OwnRounding = 1.0 + 1e-9; ///< the kernels sum up to 2^20 numbers in double

using Number = std::function<double(const Inexact&)>;

double magnitude(const Inexact& one) { return one.largest() + one.error; }
double errorOf(const Inexact& one) { return one.error; }

std::optional<std::vector<Tensor>> ran(const NodeErrors& call, Node node, const std::vector<std::optional<Tensor>>& operands) {
    node.body.reset();
    Result<std::vector<Tensor>> results = evaluateNode(node, operands);
    if (!results || results->empty()) {
        (void)call;
        return std::nullopt;
    }
    return std::move(*results);
}

/// Float operands by `number`; integers as they are, which must be known.
std::optional<std::vector<std::optional<Tensor>>> operandsOf(const NodeErrors& call, const std::function<Number(std::size_t)>& number) {
    std::vector<std::optional<Tensor>> out;
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
        out.emplace_back();
        if (!call.operands[k]) {
            continue;
        }
        const ErrorTensor& operand = *call.operands[k];
        if (isFloat(operand.element)) {
            out.back() = tensorOf(operand, ElementType::F64, number(k));
        } else if (std::optional<Tensor> exact = operand.exactTensor()) {
            out.back() = std::move(*exact);
        } else {
            return std::nullopt;
        }
    }
    return out;
}

std::optional<Tensor> firstResult(const NodeErrors& call, const Node& node, const std::function<Number(std::size_t)>& number) {
    const auto operands = operandsOf(call, number);
    if (!operands) {
        return std::nullopt;
    }
    auto results = ran(call, node, *operands);
    return results && !results->empty() ? std::optional(std::move(results->front())) : std::nullopt;
}

ErrorTensor assembled(const NodeErrors& call, const Tensor& error, const Number& relativeAt, bool hasRelative) {
    ErrorTensor out;
    out.shape = error.shape();
    for (std::int64_t i = 0; i < error.count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool real = call.results[0].reason.empty() && at < call.results[0].elements.size();
        Inexact one = Inexact::within(real ? call.results[0].elements[at].real : interval::whole());
        one.error = error.toDouble(i) * OwnRounding;
        one.error = std::isnan(one.error) ? Infinity : one.error;
        one.relative = hasRelative ? relativeAt(one) : Infinity;
        out.elements.push_back(one.tightened());
    }
    return out;
}

double largestRelative(const ErrorTensor& tensor) {
    double out = 0.0;
    for (const Inexact& one : tensor.elements) {
        out = std::max(out, one.rest == 0.0 ? one.relative : Infinity);
    }
    return out;
}

bool notNegative(const ErrorTensor& tensor) {
    return std::all_of(tensor.elements.begin(), tensor.elements.end(), [](const Inexact& one) { return one.real.lo >= 0.0; });
}

void addInto(Tensor& sum, const Tensor& other, double factor, const Tensor* scale) {
    for (std::int64_t i = 0; i < sum.count(); ++i) {
        setElement(sum, i, sum.toDouble(i) + factor * other.toDouble(i) * (scale != nullptr ? scale->toDouble(i) : 1.0));
    }
}

/// Sums and means: the error of the operands through the op, and n roundings on magnitudes, n being the most that go into one.
bool sums(const NodeErrors& call, std::vector<ErrorTensor>& results) {
    const ErrorTensor& x = *call.operands[0];
    const IntervalRounding type = IntervalRounding::of(x.element);
    const auto all = [](const Number& n) { return [n](std::size_t) { return n; }; };
    const auto error = firstResult(call, *call.node, all(errorOf));
    const auto large = firstResult(call, *call.node, all(magnitude));
    if (!error || !large) {
        return false;
    }
    Tensor total = copyOf(*error);
    // A reduction takes as many for each result; a window has at most its size.
    double most = total.count() > 0 ? static_cast<double>(x.elements.size()) / static_cast<double>(total.count()) : 0.0;
    if (const auto* kernel = call.node->attribute<std::vector<std::int64_t>>("kernel_shape")) {
        most = 1.0;
        for (const std::int64_t length : *kernel) {
            most *= static_cast<double>(length);
        }
    }
    const double n = most + 1.0; // the division of a mean
    for (std::int64_t i = 0; i < total.count(); ++i) {
        setElement(total, i, total.toDouble(i) + gammaOf(n, type.relative) * large->toDouble(i) + (n + 1.0) * type.absolute);
        if (!(large->toDouble(i) * (1.0 + gammaOf(n, type.relative)) <= type.largest / std::max(n, 1.0))) {
            setElement(total, i, Infinity); // what is summed before it is divided may overflow
        }
    }
    const double relative = notNegative(x) ? (1.0 + largestRelative(x)) * (1.0 + gammaOf(n, type.relative)) - 1.0 : Infinity;
    results = {assembled(
        call, total, [](const Inexact&) { return 0.0; }, false)};
    for (Inexact& one : results[0].elements) {
        if (std::isfinite(relative) && std::isfinite(one.error)) {
            one.relative = relative;
            one.rest = (n + 1.0) * type.absolute;
            one = one.tightened();
        }
    }
    return true;
}

/// Products and convolutions: linear in operands 0 and 1; a third is added.
bool bilinear(const NodeErrors& call, std::vector<ErrorTensor>& results) {
    if (call.operands.size() < 2 || !call.operands[1]) {
        return false;
    }
    const IntervalRounding type = IntervalRounding::of(call.operands[0]->element);
    Node node = *call.node;
    const auto absolute = [&](const char* key) {
        if (const float* value = node.attribute<float>(key)) {
            node.attributes[key] = std::fabs(*value);
        }
    };
    absolute("alpha");
    absolute("beta");
    const auto one = [](const Inexact&) { return 1.0; };
    const auto zero = [](const Inexact&) { return 0.0; };
    const auto run = [&](const Number& a, const Number& b, const Number& c) {
        return firstResult(call, node, [&](std::size_t k) { return k == 0 ? a : k == 1 ? b : c; });
    };
    Node counting = node;
    counting.attributes.erase("alpha");
    counting.attributes.erase("beta");
    const auto terms = firstResult(call, counting, [&](std::size_t) { return Number(one); });
    const auto large = run(magnitude, magnitude, magnitude);
    const auto first = run(errorOf, magnitude, errorOf);
    const auto second = run([](const Inexact& x) { return x.largest(); }, errorOf, zero);
    if (!terms || !large || !first || !second) {
        return false;
    }
    Tensor total = copyOf(*first);
    addInto(total, *second, 1.0, nullptr);
    double most = 0.0;
    for (std::int64_t i = 0; i < total.count(); ++i) {
        const double n = terms->toDouble(i) + 4.0; // the products, a scale on either part, the last addition
        most = std::max(most, n);
        const double bound = total.toDouble(i) + gammaOf(n, type.relative) * large->toDouble(i) + 2.0 * n * type.absolute;
        setElement(total, i, large->toDouble(i) * (1.0 + gammaOf(n, type.relative)) <= type.largest ? bound : Infinity);
    }
    bool positive = true;
    double relative = 1.0;
    for (std::size_t k = 0; k < call.operands.size() && k < 3; ++k) {
        if (call.operands[k]) {
            positive = positive && notNegative(*call.operands[k]);
            relative *= 1.0 + largestRelative(*call.operands[k]);
        }
    }
    relative = relative * (1.0 + gammaOf(most, type.relative)) - 1.0;
    positive = positive && !node.attributes.contains("alpha") && !node.attributes.contains("beta");
    results = {assembled(
        call, total, [](const Inexact&) { return 0.0; }, false)};
    for (Inexact& element : results[0].elements) {
        if (positive && std::isfinite(relative) && std::isfinite(element.error)) {
            element.relative = relative;
            element.rest = 2.0 * most * type.absolute;
            element = element.tightened();
        }
    }
    return true;
}

/// Largest or smallest of several: off by no more than the worst of them.
bool extrema(const NodeErrors& call, std::vector<ErrorTensor>& results, const std::string& largest) {
    Node node = *call.node;
    node.op.name = largest;
    const auto error = firstResult(call, node, [](std::size_t) { return Number(errorOf); });
    if (!error) {
        return false;
    }
    results = {assembled(
        call, *error, [](const Inexact&) { return 0.0; }, false)};
    if (notNegative(*call.operands[0])) {
        const auto relative = firstResult(call, node, [](std::size_t) { return Number([](const Inexact& x) { return x.relative; }); });
        const auto rest = firstResult(call, node, [](std::size_t) { return Number([](const Inexact& x) { return x.rest; }); });
        for (std::size_t i = 0; relative && rest && i < results[0].elements.size(); ++i) {
            Inexact& one = results[0].elements[i];
            one.relative = relative->toDouble(static_cast<std::int64_t>(i));
            one.rest = rest->toDouble(static_cast<std::int64_t>(i));
            one = one.tightened();
        }
    }
    return true;
}

bool sumOfSquares(const NodeErrors& call, std::vector<ErrorTensor>& results) {
    const ErrorTensor& x = *call.operands[0];
    const IntervalRounding type = IntervalRounding::of(x.element);
    NodeErrors squared = call;
    for (Inexact& one : squared.operands[0]->elements) {
        const Interval real = interval::square(one.real);
        one = inexact::mul(one, one, type);
        one.real = real;
        one = one.tightened();
    }
    Node sum = *call.node;
    sum.op.name = "ReduceSum";
    if (sum.attributes.contains("axes")) {
        sum.op.version = 11; // the last at which axes are an attribute: ReduceSumSquare has them so up to 17
    }
    squared.node = &sum;
    return sums(squared, results);
}

} // namespace

Tensor tensorOf(const ErrorTensor& from, ElementType element, const std::function<double(const Inexact&)>& number) {
    Tensor out(element, from.shape);
    for (std::size_t i = 0; i < from.elements.size(); ++i) {
        setElement(out, static_cast<std::int64_t>(i), number(from.elements[i]));
    }
    return out;
}

bool movementErrors(const NodeErrors& call, std::vector<ErrorTensor>& results) {
    static const std::set<std::string> Moves{"Identity", "Transpose", "Reshape",  "Flatten",        "Squeeze",         "Unsqueeze",    "Slice",
                                             "Concat",   "Split",     "Expand",   "Tile",           "DepthToSpace",    "SpaceToDepth", "Gather",
                                             "Pad",      "ScatterND", "GatherND", "GatherElements", "ReverseSequence", "Dropout"};
    const Node& node = *call.node;
    if (!Moves.contains(node.op.name) || (!node.op.domain.empty() && node.op.domain != "ai.onnx" && node.op.domain != "lemmascope")) {
        return false;
    }
    if (node.op.name == "Dropout") { // at inference; training draws random numbers
        if (call.operands.size() > 2 && call.operands[2]) {
            return false;
        }
        results.resize(node.results.size());
        results[0] = *call.operands[0];
        return node.results.size() < 2 || !node.results[1].isValid();
    }
    if ((node.op.name == "ScatterND" && node.attributes.contains("reduction")) || (node.op.name == "Pad" && node.attributes.contains("value"))) {
        return false;
    }
    const std::vector<Number> parts{[](const Inexact& x) { return x.real.lo; }, [](const Inexact& x) { return x.real.hi; }, errorOf,
                                    [](const Inexact& x) { return x.relative; }, [](const Inexact& x) { return x.rest; }};
    results.assign(node.results.size(), ErrorTensor());
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const auto operands = operandsOf(call, [&](std::size_t) { return parts[part]; });
        const auto moved = operands ? ran(call, node, *operands) : std::nullopt;
        if (!moved) {
            return false;
        }
        for (std::size_t k = 0; k < moved->size() && k < results.size(); ++k) {
            const Tensor& tensor = (*moved)[k];
            results[k].shape = tensor.shape();
            results[k].elements.resize(static_cast<std::size_t>(tensor.count()));
            // What is filled in (a Pad without a value) is zero in all parts: exact.
            for (std::int64_t i = 0; i < tensor.count(); ++i) {
                Inexact& one = results[k].elements[static_cast<std::size_t>(i)];
                (part == 0   ? one.real.lo
                 : part == 1 ? one.real.hi
                 : part == 2 ? one.error
                 : part == 3 ? one.relative
                             : one.rest) = tensor.toDouble(i);
            }
        }
    }
    return true;
}

bool linearErrors(const NodeErrors& call, std::vector<ErrorTensor>& results) {
    const std::string& op = call.node->op.name;
    if (!call.node->op.domain.empty() && call.node->op.domain != "ai.onnx") {
        return false;
    }
    if (op == "ReduceSum" || op == "ReduceMean") {
        return sums(call, results);
    }
    if (op == "GlobalAveragePool" || op == "AveragePool") {
        return sums(call, results);
    }
    if (op == "ReduceSumSquare") {
        return sumOfSquares(call, results);
    }
    if (op == "ReduceMax" || op == "ReduceMin") {
        return extrema(call, results, "ReduceMax");
    }
    if (op == "MaxPool" || op == "GlobalMaxPool") {
        const bool single = call.node->results.size() == 1;
        return single && extrema(call, results, op);
    }
    if (op == "MatMul" || op == "Gemm" || op == "Conv" || op == "ConvTranspose" || (op == "Einsum" && call.operands.size() == 2)) {
        return bilinear(call, results);
    }
    return false;
}

} // namespace lemmascope
