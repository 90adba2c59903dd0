#include "core/eval/node_run.h"

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

constexpr std::int64_t NewestOpset = 1'000'000;

} // namespace

std::int64_t NodeRun::version() const { return m_node.op.version > 0 ? m_node.op.version : NewestOpset; }

const Array& NodeRun::in(std::size_t i) {
    static const Array None;
    if (!has(i)) {
        fail("operand " + std::to_string(i) + " is missing");
        return None;
    }
    return *operands[i];
}

template <typename S>
std::vector<S> NodeRun::numbers(std::size_t i) {
    const Array& array = in(i);
    if (stopped()) {
        return {};
    }
    if (!isComputable(array.element())) {
        open();
        return {};
    }
    if (array.isInterval() && !std::is_same_v<S, Interval>) {
        undecided();
        return {};
    }
    if (std::is_integral_v<S> && isFloat(array.element())) {
        fail("operand " + std::to_string(i) + " has type " + std::string(name(array.element())) + ", expected an integer type");
        return {};
    }
    if (!checkSize(array.shape(), sizeof(S))) {
        return {};
    }
    std::vector<S> out(static_cast<std::size_t>(array.count()));
    constexpr std::size_t Chunk = std::size_t{1} << 18U;
    for (std::size_t begin = 0; begin < out.size() && tick(Chunk); begin += Chunk) {
        readElements<S>(array, static_cast<std::int64_t>(begin), 1, std::span<S>(out).subspan(begin, std::min(Chunk, out.size() - begin)));
    }
    return out;
}

template std::vector<float> NodeRun::numbers(std::size_t);
template std::vector<double> NodeRun::numbers(std::size_t);
template std::vector<Interval> NodeRun::numbers(std::size_t);
template std::vector<std::int64_t> NodeRun::numbers(std::size_t);
template std::vector<std::uint64_t> NodeRun::numbers(std::size_t);

std::vector<std::int64_t> NodeRun::steering(std::size_t i) { return numbers<std::int64_t>(i); }

std::vector<double> NodeRun::steeringReals(std::size_t i) {
    if (!has(i) || !operands[i]->isInterval()) {
        return numbers<double>(i);
    }
    std::vector<double> out;
    for (const Interval& element : operands[i]->intervals()) {
        if (!element.isPoint()) {
            undecided();
            return {};
        }
        out.push_back(element.lo);
    }
    return out;
}

std::int64_t NodeRun::integer(const char* name, std::int64_t otherwise) const {
    const auto* value = m_node.attribute<std::int64_t>(name);
    return value != nullptr ? *value : otherwise;
}

double NodeRun::real(const char* name, double otherwise) const {
    if (const auto* value = m_node.attribute<float>(name)) {
        return static_cast<double>(*value);
    }
    if (const auto* value = m_node.attribute<std::int64_t>(name)) {
        return static_cast<double>(*value);
    }
    return otherwise;
}

std::string NodeRun::text(const char* name, const char* otherwise) const {
    const auto* value = m_node.attribute<std::string>(name);
    return value != nullptr ? *value : otherwise;
}

std::vector<std::int64_t> NodeRun::integers(const char* name) const {
    const auto* value = m_node.attribute<std::vector<std::int64_t>>(name);
    return value != nullptr ? *value : std::vector<std::int64_t>{};
}

std::vector<double> NodeRun::reals(const char* name) const {
    std::vector<double> out;
    if (const auto* value = m_node.attribute<std::vector<float>>(name)) {
        for (const float x : *value) {
            out.push_back(static_cast<double>(x));
        }
    } else {
        for (const std::int64_t x : integers(name)) {
            out.push_back(static_cast<double>(x));
        }
    }
    return out;
}

ElementType NodeRun::elementType(const char* name, ElementType otherwise) const {
    using E = ElementType;
    static constexpr std::array Onnx{E::Undefined,  E::F32,    E::U8,         E::I8,  E::U16, E::I16,       E::I32,        E::I64,  E::String,
                                     E::Bool,       E::F16,    E::F64,        E::U32, E::U64, E::Complex64, E::Complex128, E::BF16, E::F8E4M3FN,
                                     E::F8E4M3FNUZ, E::F8E5M2, E::F8E5M2FNUZ, E::U4,  E::I4,  E::F4E2M1,    E::F8E8M0,     E::U2,   E::I2};
    if (const auto* spelled = m_node.attribute<std::string>(name)) {
        return elementTypeByName(*spelled).value_or(E::Undefined);
    }
    if (const auto* number = m_node.attribute<std::int64_t>(name)) {
        return *number >= 0 && *number < static_cast<std::int64_t>(Onnx.size()) ? Onnx[static_cast<std::size_t>(*number)] : E::Undefined;
    }
    return otherwise;
}

bool NodeRun::fail(std::string message, ErrorCode code) {
    if (!stopped()) {
        m_error = Error{code, std::move(message), {}};
    }
    return false;
}

bool NodeRun::fault(Fault::Kind kind, std::size_t operand, std::vector<std::int64_t> index, std::vector<std::int64_t> size) {
    if (!stopped()) {
        m_fault = Fault{kind, {}, {}, std::move(index), std::move(size)};
        m_faultOperand = operand;
    }
    return false;
}

bool NodeRun::open() {
    m_open = m_open || !stopped();
    return false;
}

bool NodeRun::undecided() {
    m_undecided = m_undecided || !stopped();
    return false;
}

bool NodeRun::charge(std::uint64_t operations) {
    if (operations > m_limits.maxOperations - std::min(m_limits.operations, m_limits.maxOperations)) {
        return fail("the run needs more than " + std::to_string(m_limits.maxOperations) + " scalar operations", ErrorCode::TooLarge);
    }
    m_limits.operations += operations;
    return !stopped();
}

bool NodeRun::charge(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(std::max<std::int64_t>(a, 0), std::max<std::int64_t>(b, 1), &product)) {
        product = std::numeric_limits<std::int64_t>::max();
    }
    return charge(static_cast<std::uint64_t>(product));
}

bool NodeRun::tick(std::uint64_t work) {
    constexpr std::uint64_t Interval = 1U << 16U;
    m_sinceCheck += work;
    if (m_sinceCheck >= Interval) {
        m_sinceCheck = 0;
        if (m_limits.stop.stop_requested()) {
            return fail("cancelled", ErrorCode::Cancelled);
        }
    }
    return !stopped();
}

bool NodeRun::checkSize(std::span<const std::int64_t> shape, std::size_t elementSize) {
    const std::optional<std::int64_t> count = elementCountOf(shape);
    if (!count || static_cast<std::uint64_t>(*count) > m_limits.maxTensorBytes / std::max<std::size_t>(elementSize, 1)) {
        return fail("a tensor of shape " + shapeText(shape) + " needs more than " + std::to_string(m_limits.maxTensorBytes) + " bytes",
                    ErrorCode::TooLarge);
    }
    return !stopped();
}

std::optional<Array> NodeRun::makeLike(const Array& like, const std::vector<std::int64_t>& shape) {
    if (!checkSize(shape, like.elementSize()) || !charge(static_cast<std::uint64_t>(elementCountOf(shape).value_or(0)))) {
        return std::nullopt;
    }
    return Array::zerosLike(like, shape);
}

std::optional<Array> NodeRun::make(ElementType declared, const std::vector<std::int64_t>& shape, bool intervals) {
    const bool asInterval = enclosing() && (isFloat(declared) || intervals);
    const ElementType stored = isFloat(declared) && m_arithmetic == Arithmetic::Double ? ElementType::F64 : declared;
    if (!checkSize(shape, asInterval ? sizeof(Interval) : byteSize(stored)) || !charge(static_cast<std::uint64_t>(*elementCountOf(shape)))) {
        return std::nullopt;
    }
    if (asInterval) {
        return Array(declared, shape, std::make_shared<std::vector<Interval>>(static_cast<std::size_t>(*elementCountOf(shape))));
    }
    return Array(declared, Tensor(stored, shape));
}

void NodeRun::give(std::size_t k, Array array) {
    if (results.size() <= k) {
        results.resize(k + 1);
    }
    results[k] = withoutPointIntervals(std::move(array));
}

template <typename S>
void NodeRun::give(std::size_t k, ElementType declared, const std::vector<std::int64_t>& shape, std::span<const S> values) {
    if (stopped()) {
        return;
    }
    std::optional<Array> out = make(declared, shape, std::is_same_v<S, Interval>);
    if (!out) {
        return;
    }
    if (out->isInterval() && !std::is_same_v<S, Interval>) {
        std::vector<Interval> points;
        points.reserve(values.size());
        for (const S& value : values) {
            if constexpr (!std::is_same_v<S, Interval>) {
                points.push_back(interval::ofNumber(static_cast<double>(value)));
            }
        }
        writeElements<Interval>(*out, 0, points);
    } else {
        writeElements<S>(*out, 0, values);
    }
    give(k, std::move(*out));
}

template void NodeRun::give(std::size_t, ElementType, const std::vector<std::int64_t>&, std::span<const float>);
template void NodeRun::give(std::size_t, ElementType, const std::vector<std::int64_t>&, std::span<const double>);
template void NodeRun::give(std::size_t, ElementType, const std::vector<std::int64_t>&, std::span<const Interval>);
template void NodeRun::give(std::size_t, ElementType, const std::vector<std::int64_t>&, std::span<const std::int64_t>);
template void NodeRun::give(std::size_t, ElementType, const std::vector<std::int64_t>&, std::span<const std::uint64_t>);

void NodeRun::giveIntegers(std::size_t k, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& values, ElementType declared) {
    if (stopped()) {
        return;
    }
    if (std::optional<Array> out = make(declared, shape)) {
        writeElements<std::int64_t>(*out, 0, values);
        give(k, std::move(*out));
    }
}

bool NodeRun::anyInterval(std::span<const std::size_t> which) const {
    return std::any_of(which.begin(), which.end(), [this](std::size_t i) { return has(i) && operands[i]->isInterval(); });
}

std::optional<std::size_t> normalAxis(NodeRun& run, std::int64_t axis, std::size_t rank) {
    const auto count = static_cast<std::int64_t>(rank);
    if (axis < -count || axis >= count) {
        run.fail("axis " + std::to_string(axis) + " is outside a tensor of rank " + std::to_string(rank));
        return std::nullopt;
    }
    return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

std::optional<std::vector<std::size_t>> normalAxes(NodeRun& run, std::span<const std::int64_t> axes, std::size_t rank) {
    std::vector<std::size_t> out;
    for (const std::int64_t axis : axes) {
        const std::optional<std::size_t> one = normalAxis(run, axis, rank);
        if (!one) {
            return std::nullopt;
        }
        if (std::find(out.begin(), out.end(), *one) != out.end()) {
            run.fail("axis " + std::to_string(axis) + " is named twice");
            return std::nullopt;
        }
        out.push_back(*one);
    }
    return out;
}

} // namespace lemmascope
