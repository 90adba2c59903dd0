#include "core/report/element_text.h"

#include "core/report/element_number.h"
#include "core/report/json_writer.h"

#include <cmath>
#include <cstring>

namespace lemmascope {

namespace {

std::uint64_t bitsOf(const Tensor& tensor, std::int64_t flat) {
    const std::size_t width = byteSize(tensor.element());
    std::uint64_t bits = 0;
    if (width > 0 && width <= sizeof bits) {
        // Little-endian memory: the low bytes of the word.
        std::memcpy(&bits, tensor.bytes().data() + static_cast<std::size_t>(flat) * width, width);
    }
    return bits;
}

template <typename Float>
std::string complexText(const Tensor& tensor, std::int64_t flat) {
    Float parts[2] = {};
    std::memcpy(parts, tensor.bytes().data() + static_cast<std::size_t>(flat) * sizeof parts, sizeof parts);
    JsonWriter writer;
    writer.beginArray(JsonWriter::Layout::InLine);
    writer.number(parts[0]);
    writer.number(parts[1]);
    writer.endArray();
    return writer.text();
}

} // namespace

void writeElement(JsonWriter& writer, const Tensor& tensor, std::int64_t flat) {
    const auto at = static_cast<std::size_t>(flat);
    switch (tensor.element()) {
    case ElementType::Undefined: writer.null(); return;
    case ElementType::String: writer.string(tensor.strings().at(at)); return;
    case ElementType::F32: writer.number(tensor.as<float>()[at]); return;
    case ElementType::F64: writer.number(tensor.as<double>()[at]); return;
    case ElementType::Complex64: writer.raw(complexText<float>(tensor, flat)); return;
    case ElementType::Complex128: writer.raw(complexText<double>(tensor, flat)); return;
    case ElementType::U64: writer.unsignedInteger(tensor.as<std::uint64_t>()[at]); return;
    default: break;
    }
    if (isFloat(tensor.element())) {
        // Every float type under 32 bits is a subset of f32.
        writer.number(static_cast<float>(elementValue(tensor, flat)));
    } else {
        writer.integer(tensor.toInt64(flat));
    }
}

std::string elementText(const Tensor& tensor, std::int64_t flat) {
    JsonWriter writer;
    writeElement(writer, tensor, flat);
    const std::string& text = writer.text();
    if (text == "-0.0") {
        return "-0"; // the point is for readers of JSON only
    }
    const bool quotedNumber = tensor.element() != ElementType::String && text.size() > 2 && text.front() == '"';
    return quotedNumber ? text.substr(1, text.size() - 2) : text;
}

std::string elementBits(const Tensor& tensor, std::int64_t flat) {
    static constexpr std::string_view Digits = "0123456789abcdef";
    const std::size_t width = byteSize(tensor.element());
    if (width == 0) {
        return {};
    }
    std::string out = "0x";
    const std::byte* first = tensor.bytes().data() + static_cast<std::size_t>(flat) * width;
    for (std::size_t i = width; i-- > 0;) {
        const auto byte = std::to_integer<unsigned>(first[i]);
        out += Digits[byte >> 4U];
        out += Digits[byte & 15U];
    }
    return out;
}

std::int64_t flatIndex(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& index) {
    if (shape.size() != index.size()) {
        return -1;
    }
    std::int64_t flat = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (index[axis] < 0 || index[axis] >= shape[axis]) {
            return -1;
        }
        flat = flat * shape[axis] + index[axis];
    }
    return flat;
}

std::vector<std::int64_t> indexOf(const std::vector<std::int64_t>& shape, std::int64_t flat) {
    std::vector<std::int64_t> index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        const std::int64_t length = shape[axis] > 0 ? shape[axis] : 1;
        index[axis] = flat % length;
        flat /= length;
    }
    return index;
}

std::string indexText(const std::vector<std::int64_t>& index) {
    if (index.empty()) {
        return {};
    }
    std::string out = "[";
    for (std::size_t i = 0; i < index.size(); ++i) {
        out += (i == 0 ? "" : ",") + std::to_string(index[i]);
    }
    return out + "]";
}

std::string tensorTypeText(const Tensor& tensor) {
    const std::string lengths = indexText(tensor.shape());
    return std::string(name(tensor.element())) + (lengths.empty() ? "[]" : lengths);
}

bool sameElement(const Tensor& a, const Tensor& b, std::int64_t flat) {
    if (a.element() != b.element()) {
        return false;
    }
    if (a.element() == ElementType::String) {
        return a.strings().at(static_cast<std::size_t>(flat)) == b.strings().at(static_cast<std::size_t>(flat));
    }
    if (byteSize(a.element()) > sizeof(std::uint64_t)) {
        return elementBits(a, flat) == elementBits(b, flat);
    }
    if (bitsOf(a, flat) == bitsOf(b, flat)) {
        return true;
    }
    if (!isFloat(a.element())) {
        return false;
    }
    const double x = elementValue(a, flat);
    const double y = elementValue(b, flat);
    return (std::isnan(x) && std::isnan(y)) || (x == 0.0 && y == 0.0);
}

} // namespace lemmascope
