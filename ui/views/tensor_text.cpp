#include "ui/views/tensor_text.h"

#include "core/report/element_text.h"
#include "ui/views/text.h"

#include <QStringList>

#include <algorithm>
#include <charconv>
#include <cmath>

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

} // namespace

QString decimalText(const Tensor& tensor, std::int64_t flat) {
    if (tensor.element() == ElementType::Bool) {
        return tensor.toInt64(flat) != 0 ? QStringLiteral("true") : QStringLiteral("false");
    }
    return toQString(elementText(tensor, flat));
}

QString bitsText(const Tensor& tensor, std::int64_t flat) { return toQString(elementBits(tensor, flat)); }

QString positionText(const std::vector<std::int64_t>& shape, std::int64_t flat) { return positionText(indexOf(shape, flat)); }

QString positionText(const std::vector<std::int64_t>& index) {
    QStringList parts;
    for (const std::int64_t position : index) {
        parts << QString::number(position);
    }
    return u'[' + parts.join(u',') + u']';
}

QString typeText(const Tensor& tensor) { return toQString(name(tensor.element())) + positionText(tensor.shape()); }

QString summaryText(const Tensor& tensor, std::int64_t atMost) {
    const std::int64_t count = tensor.count();
    if (tensor.shape().empty() && count == 1) {
        return decimalText(tensor, 0);
    }
    QStringList parts;
    for (std::int64_t i = 0; i < std::min(count, atMost); ++i) {
        parts << decimalText(tensor, i);
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
