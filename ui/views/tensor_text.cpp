#include "ui/views/tensor_text.h"

#include "ui/views/text.h"

#include <QStringList>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace lemmascope {

namespace {

template <typename T>
QString shortest(T value) {
    if (std::isnan(value)) {
        return QStringLiteral("nan");
    }
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return QString::fromLatin1(buffer, end - buffer);
}

bool isUnsigned64(ElementType type) { return type == ElementType::U64; }

} // namespace

QString elementText(const Tensor& tensor, std::int64_t flat) {
    const ElementType type = tensor.element();
    if (type == ElementType::String) {
        return u'"' + toQString(tensor.strings().at(static_cast<std::size_t>(flat))) + u'"';
    }
    if (type == ElementType::Bool) {
        return tensor.toInt64(flat) != 0 ? QStringLiteral("true") : QStringLiteral("false");
    }
    if (isUnsigned64(type)) {
        return QString::number(static_cast<quint64>(tensor.toInt64(flat)));
    }
    if (isInteger(type)) {
        return QString::number(tensor.toInt64(flat));
    }
    if (type == ElementType::F64) {
        return shortest(tensor.toDouble(flat));
    }
    if (isFloat(type)) {
        return shortest(static_cast<float>(tensor.toDouble(flat))); // every narrower float type is exact in f32
    }
    return bitsText(tensor, flat);
}

QString bitsText(const Tensor& tensor, std::int64_t flat) {
    const std::size_t width = byteSize(tensor.element());
    if (width == 0) {
        return {};
    }
    QString text = QStringLiteral("0x");
    const auto bytes = tensor.bytes().subspan(static_cast<std::size_t>(flat) * width, width);
    for (std::size_t i = width; i-- > 0;) { // stored little-endian, written most significant first
        text += QStringLiteral("%1").arg(std::to_integer<unsigned>(bytes[i]), 2, 16, QLatin1Char('0'));
    }
    return text;
}

QString indexText(const std::vector<std::int64_t>& shape, std::int64_t flat) {
    std::vector<std::int64_t> index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        const std::int64_t length = std::max<std::int64_t>(shape[axis], 1);
        index[axis] = flat % length;
        flat /= length;
    }
    return indexText(index);
}

QString indexText(const std::vector<std::int64_t>& index) {
    QStringList parts;
    for (const std::int64_t position : index) {
        parts << QString::number(position);
    }
    return u'[' + parts.join(u',') + u']';
}

QString typeText(const Tensor& tensor) { return toQString(name(tensor.element())) + indexText(tensor.shape()); }

QString summaryText(const Tensor& tensor, std::int64_t atMost) {
    const std::int64_t count = tensor.count();
    if (tensor.shape().empty() && count == 1) {
        return elementText(tensor, 0);
    }
    QStringList parts;
    for (std::int64_t i = 0; i < std::min(count, atMost); ++i) {
        parts << elementText(tensor, i);
    }
    if (count <= atMost) {
        return u'[' + parts.join(QStringLiteral(", ")) + u']';
    }
    QString text = u'[' + parts.join(QStringLiteral(", ")) + QStringLiteral(", …]");
    if (tensor.element() == ElementType::String || tensor.element() == ElementType::Complex64 || tensor.element() == ElementType::Complex128) {
        return text;
    }
    // The range of a prefix: a summary must not walk a gigabyte on the UI thread.
    constexpr std::int64_t Walked = 1 << 16;
    double low = std::nan("");
    double high = std::nan("");
    for (std::int64_t i = 0; i < std::min(count, Walked); ++i) {
        const double value = tensor.toDouble(i);
        low = std::isnan(low) || value < low ? value : low;
        high = std::isnan(high) || value > high ? value : high;
    }
    if (!std::isnan(low)) {
        text += QStringLiteral(" %1 … %2").arg(shortest(low), shortest(high));
    }
    return text;
}

std::optional<std::int64_t> flatIndex(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& index) {
    if (index.size() != shape.size()) {
        return std::nullopt;
    }
    std::int64_t flat = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (index[axis] < 0 || index[axis] >= shape[axis]) {
            return std::nullopt;
        }
        flat = flat * shape[axis] + index[axis];
    }
    return flat;
}

bool sameElement(const Tensor& a, const Tensor& b, std::int64_t flat) {
    if (a.element() == ElementType::String) {
        return a.strings()[static_cast<std::size_t>(flat)] == b.strings()[static_cast<std::size_t>(flat)];
    }
    const std::size_t width = byteSize(a.element());
    const auto at = static_cast<std::size_t>(flat) * width;
    if (std::memcmp(a.bytes().data() + at, b.bytes().data() + at, width) == 0) {
        return true;
    }
    if (!isFloat(a.element())) {
        return false;
    }
    const double left = a.toDouble(flat);
    const double right = b.toDouble(flat);
    return left == right || (std::isnan(left) && std::isnan(right));
}

bool isZero(const Tensor& tensor, std::int64_t flat) {
    if (tensor.element() == ElementType::String) {
        return tensor.strings()[static_cast<std::size_t>(flat)].empty();
    }
    const std::size_t width = byteSize(tensor.element());
    const auto bytes = tensor.bytes().subspan(static_cast<std::size_t>(flat) * width, width);
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

std::optional<std::int64_t> firstDifference(const Tensor& a, const Tensor& b) {
    if (a.element() != b.element() || a.shape() != b.shape()) {
        return 0;
    }
    for (std::int64_t i = 0; i < a.count(); ++i) {
        if (!sameElement(a, b, i)) {
            return i;
        }
    }
    return std::nullopt;
}

} // namespace lemmascope
