// How far each op's result may be off. Rules hold for any order of summation; functions that are no basic operations are charged four
// ulps. An op that jumps (a comparison, rounding, ArgMax) has a rule only where it reads what is exact.

#include "core/prove/error_rules.h"

#include "core/eval/evaluator.h"
#include "core/prove/error_linear.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace lemmascope {

namespace {

using Operation = std::function<Inexact(const std::vector<Inexact>&)>;

double realAttribute(const Node& node, const char* name, double otherwise) {
    const float* value = node.attribute<float>(name);
    return value != nullptr ? static_cast<double>(*value) : otherwise;
}

/// One operand element per result element, by NumPy's broadcasting.
class Broadcast {
  public:
    Broadcast(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) : m_to(to), m_strides(to.size(), 0) {
        std::int64_t stride = 1;
        for (std::size_t k = 0; k < from.size() && k < to.size(); ++k) {
            const std::size_t axis = from.size() - 1 - k;
            m_strides[to.size() - 1 - k] = from[axis] == 1 ? 0 : stride;
            stride *= from[axis];
        }
    }
    [[nodiscard]] std::size_t at(std::int64_t flat) const {
        std::int64_t out = 0;
        for (std::size_t axis = m_to.size(); axis-- > 0;) {
            out += flat % m_to[axis] * m_strides[axis];
            flat /= m_to[axis];
        }
        return static_cast<std::size_t>(out);
    }

  private:
    const std::vector<std::int64_t>& m_to;
    std::vector<std::int64_t> m_strides;
};

bool elementwise(const NodeErrors& call, std::vector<ErrorTensor>& results, const Operation& operation) {
    std::vector<std::int64_t> shape;
    for (const auto& operand : call.operands) {
        if (!operand) {
            continue;
        }
        std::vector<std::int64_t> merged(std::max(shape.size(), operand->shape.size()), 1);
        for (std::size_t k = 0; k < merged.size(); ++k) {
            const std::int64_t a = k < shape.size() ? shape[shape.size() - 1 - k] : 1;
            const std::int64_t b = k < operand->shape.size() ? operand->shape[operand->shape.size() - 1 - k] : 1;
            if (a != b && a != 1 && b != 1) {
                return false;
            }
            merged[merged.size() - 1 - k] = a == 1 ? b : a;
        }
        shape = merged;
    }
    std::int64_t count = 1;
    for (const std::int64_t length : shape) {
        count *= length;
    }
    ErrorTensor out;
    out.shape = shape;
    std::vector<Broadcast> maps;
    std::vector<const ErrorTensor*> operands;
    for (const auto& operand : call.operands) {
        if (operand) {
            maps.emplace_back(operand->shape, out.shape);
            operands.push_back(&*operand);
        }
    }
    std::vector<Inexact> at(operands.size());
    for (std::int64_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < operands.size(); ++k) {
            at[k] = operands[k]->elements[maps[k].at(i)];
        }
        out.elements.push_back(operation(at));
    }
    results = {std::move(out)};
    return true;
}

/// Unary functions of bounded slope: name, slope, lowest and highest value.
struct Smooth {
    double slope = 1.0;
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
};

std::optional<Operation> unaryRule(const Node& node, const IntervalRounding& type, const std::optional<ErrorTensor>& second) {
    using namespace inexact;
    const std::string& op = node.op.name;
    static const std::map<std::string, Smooth> Table{
        {"Tanh", {1.0, -1.0, 1.0}},
        {"Erf", {2.0 * std::numbers::inv_sqrtpi, -1.0, 1.0}},
        {"Sigmoid", {0.25, 0.0, 1.0}},
        {"Sin", {1.0, -1.0, 1.0}},
        {"Cos", {1.0, -1.0, 1.0}},
        {"Atan", {1.0, -1.6, 1.6}},
        {"Softplus", {1.0}},
        {"Softsign", {1.0, -1.0, 1.0}},
        {"Gelu", {1.2}},
        {"FastGelu", {1.2}},
        {"Mish", {1.2}},
        {"HardSwish", {1.5}},
        {"QuickGelu", {1.2}},
    };
    if (const auto at = Table.find(op); at != Table.end()) {
        if (op == "QuickGelu" && realAttribute(node, "alpha", 1.702) <= 0.0) {
            return std::nullopt;
        }
        return [rule = at->second, type](const std::vector<Inexact>& in) {
            // What a composite of these computes on the way is no larger than its operand or its result.
            Interval real{rule.low, rule.high, false};
            const double scale = std::isfinite(rule.high) ? std::max(std::fabs(rule.low), rule.high) : in[0].largest() + 1.0;
            if (!std::isfinite(rule.high)) {
                real = {-in[0].largest() - 1.0, in[0].largest() + 1.0, false};
            }
            return smooth(in[0], real, rule.slope, scale, FunctionUnits, type);
        };
    }
    if (op == "Relu") {
        return [](const std::vector<Inexact>& in) { return max(in[0], Inexact::exactly(0.0)); };
    }
    if (op == "Neg") {
        return [](const std::vector<Inexact>& in) { return neg(in[0]); };
    }
    if (op == "Abs") {
        return [](const std::vector<Inexact>& in) { return Inexact{interval::abs(in[0].real), in[0].error, in[0].relative, in[0].rest}; };
    }
    if (op == "Sqrt") {
        return [type](const std::vector<Inexact>& in) { return inexact::sqrt(in[0], type); };
    }
    if (op == "Exp") {
        return [type](const std::vector<Inexact>& in) { return inexact::exp(in[0], type); };
    }
    if (op == "Log") {
        return [type](const std::vector<Inexact>& in) { return inexact::log(in[0], type); };
    }
    if (op == "Reciprocal") {
        return [type](const std::vector<Inexact>& in) { return div(Inexact::exactly(1.0), in[0], type); };
    }
    if (op == "LeakyRelu" || op == "HardSigmoid" || op == "Elu") {
        const double alpha = realAttribute(node, "alpha", op == "Elu" ? 1.0 : op == "LeakyRelu" ? 0.01 : 0.2);
        const double beta = realAttribute(node, "beta", 0.5);
        return [op, alpha, beta, type](const std::vector<Inexact>& in) {
            const double slope = op == "HardSigmoid" ? std::fabs(alpha) : std::max(1.0, std::fabs(alpha));
            const double reach = op == "HardSigmoid" ? 1.0 : in[0].largest() * slope + std::fabs(alpha);
            const double scale = op == "HardSigmoid" ? in[0].largest() * slope + std::fabs(beta) : reach;
            return smooth(in[0], {-reach, reach, false}, slope, scale, op == "Elu" ? FunctionUnits : 3.0, type);
        };
    }
    if (op == "Pow" && second && second->isExact() && second->elements.size() == 1) {
        const double exponent = second->elements.front().real.lo;
        return [exponent, type](const std::vector<Inexact>& in) { return inexact::pow(in[0], exponent, type); };
    }
    return std::nullopt;
}

std::optional<Operation> binaryRule(const std::string& op, const IntervalRounding& type) {
    using namespace inexact;
    if (op == "Add" || op == "Sum") {
        return [type](const std::vector<Inexact>& in) {
            Inexact sum = in.front();
            double magnitude = in.front().largest() + in.front().error;
            double error = in.front().error;
            for (std::size_t k = 1; k < in.size(); ++k) {
                sum = add(sum, in[k], type);
                magnitude += in[k].largest() + in[k].error;
                error += in[k].error;
            }
            if (in.size() > 2) { // in any order
                sum.error = error + gammaOf(static_cast<double>(in.size() - 1), type.relative) * magnitude;
                sum.relative = std::numeric_limits<double>::infinity();
                sum = sum.tightened();
            }
            return sum;
        };
    }
    if (op == "Sub") {
        return [type](const std::vector<Inexact>& in) { return sub(in[0], in[1], type); };
    }
    if (op == "Mul") {
        return [type](const std::vector<Inexact>& in) { return mul(in[0], in[1], type); };
    }
    if (op == "Div") {
        return [type](const std::vector<Inexact>& in) { return div(in[0], in[1], type); };
    }
    if (op == "PRelu") {
        return [type](const std::vector<Inexact>& in) {
            const Inexact scaled = mul(in[0], in[1], type);
            Inexact out = max(in[0], scaled);
            out.real = interval::hull(interval::hull(in[0].real, scaled.real), out.real);
            out.relative = std::numeric_limits<double>::infinity();
            return out.tightened();
        };
    }
    if (op == "Max" || op == "Min") {
        return [largest = op == "Max"](const std::vector<Inexact>& in) {
            Inexact out = in.front();
            for (std::size_t k = 1; k < in.size(); ++k) {
                out = largest ? max(out, in[k]) : min(out, in[k]);
            }
            return out;
        };
    }
    return std::nullopt;
}

bool clip(const NodeErrors& call, std::vector<ErrorTensor>& results) {
    const double low = realAttribute(*call.node, "min", -std::numeric_limits<double>::infinity());
    const double high = realAttribute(*call.node, "max", std::numeric_limits<double>::infinity());
    const bool hasLow = call.operands.size() > 1 && call.operands[1].has_value();
    const bool hasHigh = call.operands.size() > 2 && call.operands[2].has_value();
    return elementwise(call, results, [=](const std::vector<Inexact>& in) {
        Inexact out = in[0];
        std::size_t next = 1;
        out = inexact::max(out, hasLow ? in[next++] : Inexact::exactly(low));
        return inexact::min(out, hasHigh ? in[next] : Inexact::exactly(high));
    });
}

bool where(const NodeErrors& call, std::vector<ErrorTensor>& results) {
    return elementwise(call, results, [](const std::vector<Inexact>& in) {
        if (in[0].real.isPoint()) {
            return in[0].real.lo != 0.0 ? in[1] : in[2];
        }
        Inexact out;
        out.real = interval::hull(in[1].real, in[2].real);
        out.error = std::max(in[1].error, in[2].error);
        out.relative = std::max(in[1].relative, in[2].relative);
        out.rest = std::max(in[1].rest, in[2].rest);
        return out.tightened();
    });
}

bool cast(const NodeErrors& call, std::vector<ErrorTensor>& results) {
    const ErrorTensor& from = *call.operands[0];
    const ElementType to = call.results[0].element;
    if (!isFloat(to)) {
        return false;
    }
    const IntervalRounding type = IntervalRounding::of(to);
    // A wider float holds what it is given.
    const bool wider = isFloat(from.element) && significandBits(to) >= significandBits(from.element) && !(to == ElementType::BF16) &&
                       !(from.element == ElementType::BF16 && to == ElementType::F16);
    ErrorTensor out;
    out.shape = from.shape;
    for (const Inexact& one : from.elements) {
        const bool fits =
            !isFloat(from.element) && one.largest() <= std::ldexp(1.0, static_cast<int>(significandBits(to))) && one.largest() <= type.largest;
        out.elements.push_back(wider || fits ? one : one.rounded(type));
    }
    results = {std::move(out)};
    return true;
}

/// The last axis, or those from `axis` on, as rows: (rows, length), where what is normalised lies together.
std::optional<std::pair<std::int64_t, std::int64_t>> rowsFrom(const std::vector<std::int64_t>& shape, std::int64_t axis) {
    const auto rank = static_cast<std::int64_t>(shape.size());
    axis = axis < 0 ? axis + rank : axis;
    if (axis < 0 || axis >= rank) {
        return std::nullopt;
    }
    std::int64_t rows = 1;
    std::int64_t length = 1;
    for (std::int64_t k = 0; k < rank; ++k) {
        (k < axis ? rows : length) *= shape[static_cast<std::size_t>(k)];
    }
    return std::pair(rows, length);
}

bool softmax(const NodeErrors& call, std::vector<ErrorTensor>& results) {
    const ErrorTensor& x = *call.operands[0];
    const std::int64_t* given = call.node->attribute<std::int64_t>("axis");
    const bool flattened = call.node->op.version > 0 && call.node->op.version < 13;
    std::int64_t axis = given != nullptr ? *given : flattened ? 1 : -1;
    const auto rank = static_cast<std::int64_t>(x.shape.size());
    axis = axis < 0 ? axis + rank : axis;
    if (axis < 0 || axis >= rank) {
        return false;
    }
    std::int64_t inner = 1;
    std::int64_t length = 1;
    for (std::int64_t k = axis; k < rank; ++k) {
        (k == axis || flattened ? length : inner) *= x.shape[static_cast<std::size_t>(k)];
    }
    const IntervalRounding type = IntervalRounding::of(x.element);
    const bool logarithm = call.node->op.name == "LogSoftmax";
    ErrorTensor out;
    out.shape = x.shape;
    out.elements.resize(x.elements.size());
    const auto count = static_cast<std::int64_t>(x.elements.size());
    const auto n = static_cast<double>(length);
    for (std::int64_t first = 0; length > 0 && first < count; ++first) {
        if (first / inner % length != 0) {
            continue;
        }
        double error = 0.0;
        double low = std::numeric_limits<double>::infinity();
        double high = -low;
        for (std::int64_t k = 0; k < length; ++k) {
            const Inexact& one = x.elements[static_cast<std::size_t>(first + k * inner)];
            error = std::max(error, one.error);
            low = std::min(low, one.real.lo);
            high = std::max(high, one.real.hi);
        }
        // Its largest element is taken off first: the differences are rounded, and they are no larger than the spread.
        const double spread = high - low + 2.0 * error;
        const double shift = 2.0 * error + type.relative * spread + type.absolute;
        for (std::int64_t k = 0; k < length; ++k) {
            const auto i = static_cast<std::size_t>(first + k * inner);
            Inexact& y = out.elements[i];
            if (logarithm) {
                const double least = -(high - low) - std::log(n);
                y.real = {least, 0.0, false};
                y.error = 2.0 * shift + gammaOf(n + inexact::FunctionUnits, type.relative) +
                          (inexact::FunctionUnits + 2.0) * type.relative * (std::fabs(least) + 2.0 * shift + 1.0);
                y.relative = std::numeric_limits<double>::infinity();
                y = y.tightened();
                continue;
            }
            const double most = 1.0 / (1.0 + (n - 1.0) * std::exp(low - x.elements[i].real.hi));
            y.real = {std::exp(x.elements[i].real.lo - high) / n * (1.0 - 1e-12), std::min(1.0, most * (1.0 + 1e-12)), false};
            const double numerator = std::expm1(shift) + inexact::FunctionUnits * type.relative * std::exp(shift);
            const double sum = (1.0 + numerator) * (1.0 + gammaOf(n, type.relative)) - 1.0;
            y.relative = sum < 1.0 ? ((1.0 + numerator) * (1.0 + 2.0 * type.relative) / (1.0 - sum)) - 1.0 : std::numeric_limits<double>::infinity();
            y.rest = (n + 2.0) * type.absolute;
            y.error = std::numeric_limits<double>::infinity();
            y = y.tightened();
            y.error = std::min(y.error, 1.0 + gammaOf(n + 20.0, type.relative)); // both lie in [0, 1], nearly
        }
    }
    results = {std::move(out)};
    return true;
}

bool layerNormalization(const NodeErrors& call, std::vector<ErrorTensor>& results) {
    const ErrorTensor& x = *call.operands[0];
    const std::string& op = call.node->op.name;
    const bool centred = op == "LayerNormalization";
    const std::int64_t* given = call.node->attribute<std::int64_t>("axis");
    const auto rows = rowsFrom(x.shape, given != nullptr ? *given : -1);
    const std::int64_t* stash = call.node->attribute<std::int64_t>("stash_type");
    if (!rows || rows->second == 0 || (stash != nullptr && *stash != 1)) {
        return false;
    }
    const auto length = rows->second;
    const auto n = static_cast<double>(length);
    const IntervalRounding type = IntervalRounding::of(x.element);
    const double epsilon = realAttribute(*call.node, "epsilon", 1e-5);
    ErrorTensor out;
    out.shape = x.shape;
    out.elements.resize(x.elements.size());
    for (std::int64_t row = 0; row < rows->first; ++row) {
        double error = 0.0;
        double largest = 0.0;
        for (std::int64_t k = 0; k < length; ++k) {
            const Inexact& one = x.elements[static_cast<std::size_t>(row * length + k)];
            error = std::max(error, one.error);
            largest = std::max(largest, one.largest() + one.error);
        }
        if (centred) {
            const double mean = error + gammaOf(n + 1.0, type.relative) * largest + type.absolute;
            error = error + mean + type.relative * (2.0 * largest + mean) + type.absolute;
        }
        const std::optional<Inexact> y = normalised(error, epsilon, n, type);
        if (!y) {
            return false;
        }
        for (std::int64_t k = 0; k < length; ++k) {
            Inexact one = *y;
            for (std::size_t operand = 1; operand < 3 && operand < call.operands.size(); ++operand) {
                if (const auto& other = call.operands[operand]) {
                    if (static_cast<std::int64_t>(other->elements.size()) != length) {
                        return false;
                    }
                    const Inexact& value = other->elements[static_cast<std::size_t>(k)];
                    one = operand == 1 ? inexact::mul(one, value, type) : inexact::add(one, value, type);
                }
            }
            out.elements[static_cast<std::size_t>(row * length + k)] = one;
        }
    }
    results = {std::move(out)};
    return true;
}

/// `d / Sqrt(ReduceMean(d * d) + epsilon)`, and `d * Reciprocal(..)`: the value `d` and the node that takes the mean.
struct RootMeanSquare {
    const Node* mean = nullptr;
    double epsilon = 0.0;
};

std::optional<RootMeanSquare> rootMeanSquare(const NodeErrors& call, const Node* root, ValueId value) {
    if (root == nullptr || !value.isValid()) {
        return std::nullopt;
    }
    const bool power = root->op.name == "Pow" && root->operands.size() == 2;
    const Node* sum = root->op.name == "Sqrt" || power ? call.producerOf(root->operands.at(0)) : nullptr;
    if (power) {
        const ErrorTensor exponent = call.valueOf(root->operands[1]);
        if (!exponent.isExact() || exponent.elements.size() != 1 || exponent.elements[0].real.lo != 0.5) {
            return std::nullopt;
        }
    }
    if (sum == nullptr || sum->op.name != "Add" || sum->operands.size() != 2) {
        return std::nullopt;
    }
    for (const std::size_t at : {0U, 1U}) {
        const Node* mean = call.producerOf(sum->operands[at]);
        const ErrorTensor epsilon = call.valueOf(sum->operands[1 - at]);
        if (mean == nullptr || mean->op.name != "ReduceMean" || !epsilon.isExact() || epsilon.elements.size() != 1 ||
            !(epsilon.elements[0].real.lo > 0.0)) {
            continue;
        }
        const Node* square = call.producerOf(mean->operands.at(0));
        if (square == nullptr || square->operands.size() != 2 || square->operands[0] != value) {
            continue;
        }
        bool squares = square->op.name == "Mul" && square->operands[1] == value;
        if (square->op.name == "Pow") {
            const ErrorTensor exponent = call.valueOf(square->operands[1]);
            squares = exponent.isExact() && exponent.elements.size() == 1 && exponent.elements[0].real.lo == 2.0;
        }
        if (squares) {
            return RootMeanSquare{mean, epsilon.elements[0].real.lo};
        }
    }
    return std::nullopt;
}

bool quotientByOwnRoot(const NodeErrors& call, std::vector<ErrorTensor>& results) {
    const Node& node = *call.node;
    if (node.operands.size() != 2) {
        return false;
    }
    std::optional<RootMeanSquare> found;
    std::size_t at = 0;
    if (node.op.name == "Div") {
        found = rootMeanSquare(call, call.operandNodes(1), node.operands[0]);
    } else {
        for (at = 0; at < 2 && !found; ++at) {
            const Node* inverse = call.operandNodes(1 - at);
            if (inverse != nullptr && inverse->op.name == "Reciprocal") {
                found = rootMeanSquare(call, call.producerOf(inverse->operands.at(0)), node.operands[at]);
            } else if (inverse != nullptr && inverse->op.name == "Div" && inverse->operands.size() == 2) {
                const ErrorTensor one = call.valueOf(inverse->operands[0]);
                if (one.isExact() && one.elements.size() == 1 && one.elements[0].real.lo == 1.0) {
                    found = rootMeanSquare(call, call.producerOf(inverse->operands[1]), node.operands[at]);
                }
            }
            if (found) {
                break;
            }
        }
    }
    if (!found) {
        return false;
    }
    const ErrorTensor& value = *call.operands[at];
    const ErrorTensor mean = call.valueOf(found->mean->results.at(0));
    if (mean.elements.empty() || !mean.reason.empty()) {
        return false;
    }
    const double n = static_cast<double>(value.elements.size()) / static_cast<double>(mean.elements.size());
    double error = 0.0;
    for (const Inexact& one : value.elements) {
        error = std::max(error, one.error);
    }
    const IntervalRounding type = IntervalRounding::of(value.element);
    std::optional<Inexact> y = normalised(error, found->epsilon, n, type);
    if (!y) {
        return false;
    }
    *y = y->rounded(type, 2.0); // by the reciprocal
    ErrorTensor out;
    out.shape = value.shape;
    out.elements.assign(value.elements.size(), *y);
    results = {std::move(out)};
    return true;
}

/// Ops that read shapes, integers and bools only, or jump: exact where what they read is.
bool exactRule(const NodeErrors& call, std::vector<ErrorTensor>& results) {
    static const std::set<std::string> OfShape{"Shape", "Size"};
    const bool shapes = OfShape.contains(call.node->op.name);
    const bool floats = std::any_of(call.results.begin(), call.results.end(), [](const ErrorTensor& r) { return isFloat(r.element); });
    for (const auto& operand : call.operands) {
        if (operand && !shapes && !operand->isExact() && isFloat(operand->element)) {
            if (!floats) {
                ErrorTensor jump;
                jump.reason = call.node->op.name + " reads a value that is rounded, and may jump";
                results.assign(call.node->results.size(), jump);
                return true;
            }
            return false;
        }
    }
    static const std::set<std::string> ExactFloats{"Floor", "Ceil", "Round", "Sign", "ConstantOfShape", "Constant", "OneHot", "EyeLike"};
    if (floats && !ExactFloats.contains(call.node->op.name)) {
        return false;
    }
    results = call.results;
    return true;
}

} // namespace

ErrorTensor ErrorTensor::of(const Tensor& tensor) {
    ErrorTensor out;
    out.element = tensor.element();
    out.shape = tensor.shape();
    if (!isComputable(tensor.element())) {
        out.reason = "a constant has no numbers";
        return out;
    }
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
        out.elements.push_back(Inexact::exactly(tensor.toDouble(i)));
    }
    return out;
}

bool ErrorTensor::isExact() const {
    return reason.empty() && std::all_of(elements.begin(), elements.end(), [](const Inexact& one) { return one.isExact(); });
}

std::optional<Tensor> ErrorTensor::exactTensor() const {
    if (!isComputable(element) ||
        !std::all_of(elements.begin(), elements.end(), [](const Inexact& one) { return one.isExact() && one.real.isPoint(); })) {
        return std::nullopt;
    }
    return tensorOf(*this, element, [](const Inexact& one) { return one.real.lo; });
}

std::optional<std::vector<std::int64_t>> ErrorTensor::integers(std::size_t most) const {
    if (!isInteger(element) || elements.size() > most) {
        return std::nullopt;
    }
    std::vector<std::int64_t> out;
    for (const Inexact& one : elements) {
        if (!one.real.isPoint() || std::fabs(one.real.lo) > 9e15) {
            return std::nullopt;
        }
        out.push_back(static_cast<std::int64_t>(one.real.lo));
    }
    return out;
}

std::optional<Inexact> normalised(double error, double epsilon, double count, const IntervalRounding& type) {
    if (!(epsilon > 0.0) || !std::isfinite(error)) {
        return std::nullopt;
    }
    // With v the mean of squares: |d v| <= 2 sqrt(v) e + e^2 + g (sqrt(v) + e)^2, each divided by v + epsilon at its largest.
    const double off = error / std::sqrt(epsilon);
    const double rounding = gammaOf(count + 3.0, type.relative);
    const double mean = off + off * off + rounding * (1.0 + off) * (1.0 + off) + type.relative * 2.0 + (count + 2.0) * type.absolute / epsilon;
    if (!(mean < 0.5)) {
        return std::nullopt;
    }
    const double root = 1.0 - std::sqrt(1.0 - mean) + 2.0 * type.relative;
    const double divisor = root / (1.0 - root);
    Inexact out;
    const double most = std::sqrt(count) * (1.0 + 1e-12);
    out.real = {-most, most, false};
    out.error = most * divisor + off * (1.0 + divisor);
    out.relative = std::numeric_limits<double>::infinity();
    return out.tightened().rounded(type, 2.0);
}

bool nodeErrors(const NodeErrors& call, std::vector<ErrorTensor>& results) {
    const Node& node = *call.node;
    const std::string& op = node.op.name;
    const bool onnx = node.op.domain.empty() || node.op.domain == "ai.onnx";
    if (call.operands.empty() || !call.operands[0]) {
        return exactRule(call, results);
    }
    if (exactRule(call, results)) {
        return true;
    }
    if (movementErrors(call, results)) {
        return true;
    }
    const ElementType element = call.operands[0]->element;
    if (onnx && op == "Cast") {
        return cast(call, results);
    }
    if (onnx && op == "Where" && call.operands.size() == 3 && call.operands[1] && call.operands[2] && call.operands[0]->isExact()) {
        return where(call, results);
    }
    if (!isFloat(element)) {
        return false;
    }
    const IntervalRounding type = IntervalRounding::of(element);
    if (type.relative == 0.0) {
        return false;
    }
    const bool known = onnx || op == "FastGelu" || op == "QuickGelu" || op == "Gelu";
    if (known && (op == "Div" || op == "Mul") && quotientByOwnRoot(call, results)) {
        return true;
    }
    const std::optional<ErrorTensor> second = call.operands.size() > 1 ? call.operands[1] : std::nullopt;
    if (known && (op != "FastGelu" || !second)) {
        if (const std::optional<Operation> rule = unaryRule(node, type, second)) {
            NodeErrors one = call;
            one.operands.resize(1);
            return elementwise(one, results, *rule);
        }
        if (const std::optional<Operation> rule = binaryRule(op, type)) {
            return elementwise(call, results, *rule);
        }
    }
    if (onnx && op == "Clip") {
        return clip(call, results);
    }
    if (onnx && (op == "Softmax" || op == "LogSoftmax")) {
        return softmax(call, results);
    }
    const bool single = node.results.size() == 1 || std::none_of(node.results.begin() + 1, node.results.end(), [](ValueId r) { return r.isValid(); });
    if ((op == "LayerNormalization" || op == "SimplifiedLayerNormalization" || op == "RMSNormalization") && single) {
        return layerNormalization(call, results);
    }
    return linearErrors(call, results);
}

} // namespace lemmascope
