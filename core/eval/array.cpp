#include "core/eval/array.h"

#include "core/eval/interval_math.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace lemmascope {

namespace {

std::byte* writableBytes(Tensor& tensor) {
    struct Sixteen {
        std::uint64_t words[2];
    };
    switch (byteSize(tensor.element())) {
    case 1: return reinterpret_cast<std::byte*>(tensor.mutableAs<std::uint8_t>().data());
    case 2: return reinterpret_cast<std::byte*>(tensor.mutableAs<std::uint16_t>().data());
    case 4: return reinterpret_cast<std::byte*>(tensor.mutableAs<std::uint32_t>().data());
    case 8: return reinterpret_cast<std::byte*>(tensor.mutableAs<std::uint64_t>().data());
    case 16: return reinterpret_cast<std::byte*>(tensor.mutableAs<Sixteen>().data());
    default: return nullptr;
    }
}

Interval ofInteger(std::int64_t value) {
    const auto near = static_cast<double>(value);
    if (value > -(std::int64_t{1} << 53) && value < (std::int64_t{1} << 53)) {
        return interval::point(near);
    }
    return {std::nextafter(near, -interval::Infinity), std::nextafter(near, interval::Infinity), false};
}

Interval ofInteger(std::uint64_t value) {
    const auto near = static_cast<double>(value);
    if (value < (std::uint64_t{1} << 53U)) {
        return interval::point(near);
    }
    return {std::nextafter(near, -interval::Infinity), std::nextafter(near, interval::Infinity), false};
}

template <typename S, typename N>
S convert(const N& value) {
    if constexpr (std::is_same_v<S, Interval>) {
        if constexpr (std::is_same_v<N, Interval>) {
            return value;
        } else if constexpr (std::is_floating_point_v<N>) {
            return interval::ofNumber(static_cast<double>(value));
        } else if constexpr (std::is_signed_v<N>) {
            return ofInteger(static_cast<std::int64_t>(value));
        } else {
            return ofInteger(static_cast<std::uint64_t>(value));
        }
    } else if constexpr (std::is_floating_point_v<N> && std::is_integral_v<S>) {
        assert(false && "integers are read from integer tensors only");
        return S{};
    } else {
        return static_cast<S>(value);
    }
}

template <typename S, typename N, typename Widen>
void readAs(const Array& array, std::int64_t offset, std::int64_t stride, std::span<S> out, Widen widen) {
    const N* from = reinterpret_cast<const N*>(array.data()) + offset;
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = convert<S>(widen(from[static_cast<std::int64_t>(i) * stride]));
    }
}

template <typename S, typename N>
void readAs(const Array& array, std::int64_t offset, std::int64_t stride, std::span<S> out) {
    readAs<S, N>(array, offset, stride, out, [](N value) { return value; });
}

template <typename S, typename N>
void writeAs(Array& array, std::int64_t offset, std::span<const S> values) {
    N* to = reinterpret_cast<N*>(array.mutableData()) + offset;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if constexpr (std::is_integral_v<S> || std::is_floating_point_v<N>) {
            to[i] = static_cast<N>(values[i]);
        } else {
            assert(false && "floats are written to float tensors only");
        }
    }
}

} // namespace

Array::Array(ElementType declared, Tensor tensor)
    : m_declared(declared), m_shape(tensor.shape()), m_count(tensor.count()), m_tensor(std::move(tensor)) {}

Array::Array(ElementType declared, std::vector<std::int64_t> shape, std::shared_ptr<std::vector<Interval>> intervals)
    : m_declared(declared), m_shape(std::move(shape)), m_count(static_cast<std::int64_t>(intervals->size())), m_intervals(std::move(intervals)) {}

Array Array::zerosLike(const Array& like, std::vector<std::int64_t> shape) {
    if (like.isInterval()) {
        const auto count = static_cast<std::size_t>(elementCountOf(shape).value_or(0));
        return {like.element(), std::move(shape), std::make_shared<std::vector<Interval>>(count)};
    }
    return {like.element(), Tensor(like.tensor().element(), std::move(shape))};
}

const std::byte* Array::data() const { return isInterval() ? reinterpret_cast<const std::byte*>(m_intervals->data()) : m_tensor.bytes().data(); }

std::byte* Array::mutableData() {
    if (isInterval()) {
        assert(m_intervals.use_count() == 1);
        return reinterpret_cast<std::byte*>(m_intervals->data());
    }
    return writableBytes(m_tensor);
}

Array Array::reshaped(std::vector<std::int64_t> shape) const {
    Array out = *this;
    if (!isInterval()) {
        out.m_tensor = m_tensor.reshaped(shape);
    }
    out.m_shape = std::move(shape);
    return out;
}

std::optional<std::int64_t> elementCountOf(std::span<const std::int64_t> shape) {
    std::int64_t count = 1; // of the lengths that are not 0: bounds every stride
    bool empty = false;
    for (const std::int64_t length : shape) {
        empty = empty || length == 0;
        if (length < 0 || (length > 0 && (__builtin_mul_overflow(count, length, &count) || count > (std::int64_t{1} << 62)))) {
            return std::nullopt;
        }
    }
    return empty ? 0 : count;
}

std::vector<std::int64_t> rowMajorStrides(std::span<const std::int64_t> shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t axis = shape.size(); axis-- > 1;) {
        strides[axis - 1] = strides[axis] * std::max<std::int64_t>(shape[axis], 1);
    }
    return strides;
}

std::string shapeText(std::span<const std::int64_t> shape) {
    std::string out = "[";
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        out += (axis == 0 ? "" : ",") + std::to_string(shape[axis]);
    }
    return out + "]";
}

template <typename S>
void readElements(const Array& array, std::int64_t offset, std::int64_t stride, std::span<S> out) {
    if (array.isInterval()) {
        if constexpr (std::is_same_v<S, Interval>) {
            readAs<S, Interval>(array, offset, stride, out, [](const Interval& value) -> const Interval& { return value; });
        } else {
            assert(false && "intervals are read as intervals only");
        }
        return;
    }
    switch (array.tensor().element()) {
    case ElementType::Bool:
    case ElementType::U8: return readAs<S, std::uint8_t>(array, offset, stride, out);
    case ElementType::I8: return readAs<S, std::int8_t>(array, offset, stride, out);
    case ElementType::U16: return readAs<S, std::uint16_t>(array, offset, stride, out);
    case ElementType::I16: return readAs<S, std::int16_t>(array, offset, stride, out);
    case ElementType::U32: return readAs<S, std::uint32_t>(array, offset, stride, out);
    case ElementType::I32: return readAs<S, std::int32_t>(array, offset, stride, out);
    case ElementType::U64: return readAs<S, std::uint64_t>(array, offset, stride, out);
    case ElementType::I64: return readAs<S, std::int64_t>(array, offset, stride, out);
    case ElementType::F16: return readAs<S, std::uint16_t>(array, offset, stride, out, [](std::uint16_t bits) { return halfToFloat(bits); });
    case ElementType::BF16: return readAs<S, std::uint16_t>(array, offset, stride, out, [](std::uint16_t bits) { return bfloatToFloat(bits); });
    case ElementType::F32: return readAs<S, float>(array, offset, stride, out);
    case ElementType::F64: return readAs<S, double>(array, offset, stride, out);
    default: assert(false && "not a computable element type");
    }
}

template <typename S>
void writeElements(Array& array, std::int64_t offset, std::span<const S> values) {
    if constexpr (std::is_same_v<S, Interval>) {
        assert(array.isInterval());
        Interval* to = reinterpret_cast<Interval*>(array.mutableData()) + offset;
        const bool integer = !isFloat(array.element());
        for (std::size_t i = 0; i < values.size(); ++i) {
            to[i] = integer ? interval::wrappedTo(array.element(), values[i]) : values[i];
        }
    } else {
        switch (array.tensor().element()) {
        case ElementType::Bool: {
            auto* to = reinterpret_cast<std::uint8_t*>(array.mutableData()) + offset;
            for (std::size_t i = 0; i < values.size(); ++i) {
                to[i] = values[i] != S{} ? 1 : 0;
            }
            return;
        }
        case ElementType::U8: return writeAs<S, std::uint8_t>(array, offset, values);
        case ElementType::I8: return writeAs<S, std::int8_t>(array, offset, values);
        case ElementType::U16: return writeAs<S, std::uint16_t>(array, offset, values);
        case ElementType::I16: return writeAs<S, std::int16_t>(array, offset, values);
        case ElementType::U32: return writeAs<S, std::uint32_t>(array, offset, values);
        case ElementType::I32: return writeAs<S, std::int32_t>(array, offset, values);
        case ElementType::U64: return writeAs<S, std::uint64_t>(array, offset, values);
        case ElementType::I64: return writeAs<S, std::int64_t>(array, offset, values);
        case ElementType::F16:
        case ElementType::BF16: {
            auto* to = reinterpret_cast<std::uint16_t*>(array.mutableData()) + offset;
            const bool half = array.tensor().element() == ElementType::F16;
            for (std::size_t i = 0; i < values.size(); ++i) {
                to[i] = half ? doubleToHalf(static_cast<double>(values[i])) : doubleToBfloat(static_cast<double>(values[i]));
            }
            return;
        }
        case ElementType::F32: return writeAs<S, float>(array, offset, values);
        case ElementType::F64: return writeAs<S, double>(array, offset, values);
        default: assert(false && "not a computable element type");
        }
    }
}

template void readElements(const Array&, std::int64_t, std::int64_t, std::span<float>);
template void readElements(const Array&, std::int64_t, std::int64_t, std::span<double>);
template void readElements(const Array&, std::int64_t, std::int64_t, std::span<Interval>);
template void readElements(const Array&, std::int64_t, std::int64_t, std::span<std::int64_t>);
template void readElements(const Array&, std::int64_t, std::int64_t, std::span<std::uint64_t>);
template void writeElements(Array&, std::int64_t, std::span<const float>);
template void writeElements(Array&, std::int64_t, std::span<const double>);
template void writeElements(Array&, std::int64_t, std::span<const Interval>);
template void writeElements(Array&, std::int64_t, std::span<const std::int64_t>);
template void writeElements(Array&, std::int64_t, std::span<const std::uint64_t>);

Array withoutPointIntervals(Array array) {
    if (!array.isInterval() || isFloat(array.element())) {
        return array;
    }
    constexpr double Exact = 0x1p53;
    for (const Interval& element : array.intervals()) {
        if (!element.isPoint() || !(std::fabs(element.lo) < Exact) || element.lo != std::floor(element.lo)) {
            return array;
        }
    }
    Array out(array.element(), Tensor(array.element(), array.shape()));
    std::vector<std::int64_t> values;
    values.reserve(array.intervals().size());
    for (const Interval& element : array.intervals()) {
        values.push_back(static_cast<std::int64_t>(element.lo));
    }
    writeElements<std::int64_t>(out, 0, values);
    return out;
}

Array asIntervals(const Array& array) {
    if (array.isInterval()) {
        return array;
    }
    auto intervals = std::make_shared<std::vector<Interval>>(static_cast<std::size_t>(array.count()));
    readElements<Interval>(array, 0, 1, *intervals);
    Array out(array.element(), array.shape(), std::move(intervals));
    out.narrowed = array.narrowed;
    return out;
}

} // namespace lemmascope
