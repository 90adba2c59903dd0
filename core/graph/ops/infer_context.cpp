#include "core/graph/ops/infer_context.h"

#include <algorithm>
#include <cassert>

namespace lemmascope {

InferContext::InferContext(const Node& node, int sinceVersion, const std::vector<const ValueFacts*>& operands, NodeNaming& naming,
                           const DimOrder& order)
    : m_node(node), m_since(sinceVersion), m_operands(operands), m_naming(naming), m_order(order), m_results(node.results.size()),
      m_made(node.results.size()) {}

const ValueFacts& InferContext::facts(std::size_t i) const {
    static const ValueFacts nothing;
    return has(i) ? *m_operands[i] : nothing;
}

std::optional<std::vector<std::int64_t>> InferContext::integers(std::size_t i) const {
    const std::vector<Dim>* known = elements(i);
    return known == nullptr ? std::nullopt : knownIntegers(*known);
}

std::optional<std::vector<double>> InferContext::numbers(std::size_t i) const {
    const Tensor* tensor = constant(i);
    if (tensor == nullptr) {
        const std::optional<std::vector<std::int64_t>> integral = integers(i);
        return integral ? std::optional<std::vector<double>>({integral->begin(), integral->end()}) : std::nullopt;
    }
    if (!isComputable(tensor->element()) || tensor->count() > MaxTrackedElements) {
        return std::nullopt;
    }
    std::vector<double> out;
    for (std::int64_t k = 0; k < tensor->count(); ++k) {
        out.push_back(tensor->toDouble(k));
    }
    return out;
}

std::int64_t InferContext::intAttribute(const std::string& key, std::int64_t fallback) const {
    const auto* found = m_node.attribute<std::int64_t>(key);
    return found != nullptr ? *found : fallback;
}

float InferContext::floatAttribute(const std::string& key, float fallback) const {
    const auto* found = m_node.attribute<float>(key);
    return found != nullptr ? *found : fallback;
}

std::string InferContext::stringAttribute(const std::string& key, const std::string& fallback) const {
    const auto* found = m_node.attribute<std::string>(key);
    return found != nullptr ? *found : fallback;
}

const std::vector<std::int64_t>* InferContext::intsAttribute(const std::string& key) const {
    return m_node.attribute<std::vector<std::int64_t>>(key);
}

InferContext::IntegerList InferContext::listFrom(const std::string& key, std::size_t operand) const {
    if (const std::vector<std::int64_t>* attribute = intsAttribute(key)) {
        return {true, true, *attribute};
    }
    if (!has(operand)) {
        return {};
    }
    std::optional<std::vector<std::int64_t>> values = integers(operand);
    return {true, values.has_value(), values ? std::move(*values) : std::vector<std::int64_t>()};
}

void InferContext::setResult(std::size_t i, ElementType element, std::optional<Shape> shape) {
    if (i < m_results.size()) {
        m_results[i].type = TensorType{element, std::move(shape)};
    }
}

void InferContext::copyResult(std::size_t i, std::size_t from) {
    if (i < m_results.size()) {
        m_results[i] = facts(from);
    }
}

void InferContext::setElements(std::size_t i, std::vector<Dim> elements) {
    if (i < m_results.size() && elements.size() <= static_cast<std::size_t>(MaxTrackedElements)) {
        m_results[i].elements = std::make_shared<const std::vector<Dim>>(std::move(elements));
    }
}

void InferContext::setConstant(std::size_t i, Tensor tensor) {
    if (i >= m_results.size()) {
        return;
    }
    setResult(i, tensor.element(), Shape(tensor.shape().begin(), tensor.shape().end()));
    m_made[i] = std::move(tensor);
}

void InferContext::fail(std::string message, ErrorCode code) {
    if (!m_failed) {
        m_failed = true;
        m_error = Error{code, "node '" + m_naming.displayName() + "': " + std::move(message), {}};
    }
}

std::optional<std::size_t> InferContext::axis(std::int64_t given, std::size_t rank, std::string_view what) {
    const auto limit = static_cast<std::int64_t>(rank);
    if (given < -limit || given >= limit) {
        fail(std::string(what) + ": axis " + std::to_string(given) + " is out of range for rank " + std::to_string(rank));
        return std::nullopt;
    }
    return static_cast<std::size_t>(given < 0 ? given + limit : given);
}

std::optional<std::vector<std::size_t>> InferContext::axes(const std::vector<std::int64_t>& given, std::size_t rank, std::string_view what) {
    std::vector<std::size_t> out;
    std::vector<bool> seen(rank, false);
    for (const std::int64_t each : given) {
        const std::optional<std::size_t> index = axis(each, rank, what);
        if (!index) {
            return std::nullopt;
        }
        if (seen[*index]) {
            fail(std::string(what) + ": axis " + std::to_string(each) + " is named twice");
            return std::nullopt;
        }
        seen[*index] = true;
        out.push_back(*index);
    }
    return out;
}

bool InferContext::checkRank(std::size_t i, std::size_t rank) {
    if (shape(i) && shape(i)->size() != rank) {
        fail("operand " + std::to_string(i) + " is " + type(i).text() + " of rank " + std::to_string(shape(i)->size()) + ", expected rank " +
             std::to_string(rank));
        return false;
    }
    return true;
}

bool InferContext::checkRankAtLeast(std::size_t i, std::size_t rank) {
    if (shape(i) && shape(i)->size() < rank) {
        fail("operand " + std::to_string(i) + " is " + type(i).text() + " of rank " + std::to_string(shape(i)->size()) + ", expected at least rank " +
             std::to_string(rank));
        return false;
    }
    return true;
}

bool InferContext::checkSameElement(std::initializer_list<std::size_t> operands) {
    std::optional<std::size_t> first;
    for (const std::size_t i : operands) {
        if (element(i) == ElementType::Undefined) {
            continue;
        }
        if (first && element(*first) != element(i)) {
            fail("operand " + std::to_string(i) + " has element type " + std::string(name(element(i))) + ", expected " +
                 std::string(name(element(*first))) + " as operand " + std::to_string(*first) + " has");
            return false;
        }
        first = first.value_or(i);
    }
    return true;
}

bool InferContext::checkElement(std::size_t i, std::initializer_list<ElementType> allowed) {
    if (element(i) == ElementType::Undefined || std::find(allowed.begin(), allowed.end(), element(i)) != allowed.end()) {
        return true;
    }
    std::string expected;
    for (const ElementType each : allowed) {
        expected += (expected.empty() ? "" : " or ") + std::string(name(each));
    }
    fail("operand " + std::to_string(i) + " has element type " + std::string(name(element(i))) + ", expected " + expected);
    return false;
}

bool InferContext::checkEqual(const Dim& found, const Dim& expected, std::string_view what) {
    if (found.isKnown() && expected.isKnown() && found.value() != expected.value()) {
        fail(std::string(what) + " is " + found.text() + ", expected " + expected.text());
        return false;
    }
    m_order.ask(DimQuestion::Kind::Equal, found, expected);
    return true;
}

std::optional<Dim> InferContext::broadcastDim(const Dim& a, const Dim& b) {
    if (a.is(1) || a == b) {
        return b;
    }
    if (b.is(1)) {
        return a;
    }
    if (a.isKnown() && b.isKnown()) {
        return std::nullopt;
    }
    m_order.ask(DimQuestion::Kind::Broadcast, a, b);
    // A symbol against a number other than 1 must be that number or 1 at run time.
    if (a.isKnown() || b.isKnown()) {
        return a.isKnown() ? a : b;
    }
    return a < b ? derived("broadcast", {a, b}) : derived("broadcast", {b, a});
}

std::optional<Shape> InferContext::broadcast(const Shape& a, const Shape& b) {
    const std::size_t rank = std::max(a.size(), b.size());
    Shape out(rank);
    for (std::size_t k = 0; k < rank; ++k) {
        const Dim& left = k + a.size() < rank ? Dim(1) : a[k + a.size() - rank];
        const Dim& right = k + b.size() < rank ? Dim(1) : b[k + b.size() - rank];
        std::optional<Dim> joined = broadcastDim(left, right);
        if (!joined) {
            fail("shapes " + text(a) + " and " + text(b) + " do not broadcast: " + left.text() + " and " + right.text() + " differ and neither is 1");
            return std::nullopt;
        }
        out[k] = std::move(*joined);
    }
    return out;
}

std::optional<Shape> InferContext::broadcastOperands(std::size_t first, std::size_t last) {
    std::optional<Shape> out;
    for (std::size_t i = first; i < last; ++i) {
        if (!has(i)) {
            continue;
        }
        if (!shape(i)) {
            return std::nullopt;
        }
        out = out ? broadcast(*out, *shape(i)) : shape(i);
        if (!out) {
            return std::nullopt;
        }
    }
    return out;
}

namespace {

Dim namedUnknown(std::string_view text) { return Dim::symbol("?" + contentDigest(text).hex().substr(0, 12)); }

} // namespace

Dim InferContext::unknown(std::size_t result, std::size_t axis) {
    return namedUnknown("length " + m_naming.nodeDigest().hex() + " " + std::to_string(result) + " " + std::to_string(axis));
}

Dim InferContext::derived(std::string_view function, const std::vector<Dim>& arguments) {
    std::string text(function);
    for (const Dim& argument : arguments) {
        text += "\n" + argument.text();
    }
    return namedUnknown(text);
}

Shape InferContext::unknownShape(std::size_t result, std::size_t rank) {
    Shape out;
    for (std::size_t k = 0; k < rank; ++k) {
        out.push_back(unknown(result, k));
    }
    return out;
}

std::optional<std::vector<std::int64_t>> knownIntegers(const std::vector<Dim>& dims) {
    std::vector<std::int64_t> out;
    out.reserve(dims.size());
    for (const Dim& dim : dims) {
        if (!dim.isKnown()) {
            return std::nullopt;
        }
        out.push_back(dim.value());
    }
    return out;
}

std::string counted(std::size_t count, std::string_view noun) {
    std::string out = std::to_string(count) + " " + std::string(noun);
    if (count == 1) {
        return out;
    }
    if (noun.ends_with("is")) { // axis, axes
        out.replace(out.size() - 2, 2, "es");
        return out;
    }
    return out + "s";
}

} // namespace lemmascope
