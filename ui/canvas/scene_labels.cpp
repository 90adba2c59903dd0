#include "ui/canvas/scene_labels.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <type_traits>

namespace lemmascope {

namespace {

constexpr std::size_t MostListed = 8;
constexpr qsizetype LongestLine = 200;
constexpr qsizetype LongestDim = 10; ///< on a box: one long dim must not hide the others
constexpr qsizetype MostDims = 8;
constexpr double Slack = 1.04; ///< a box a little too wide is better than a word cut

QString cut(QString text, qsizetype most) {
    if (text.size() > most) {
        qsizetype keep = std::max<qsizetype>(1, most - 1);
        // Not between the two halves of a surrogate pair.
        if (text.at(keep - 1).isHighSurrogate()) {
            --keep;
        }
        text.truncate(keep);
        text += QChar(0x2026);
    }
    return text;
}

template <typename T>
QString scalarText(const T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
        return QLatin1Char('"') + oneLine(value, 40) + QLatin1Char('"');
    } else if constexpr (std::is_same_v<T, float>) {
        return QString::number(static_cast<double>(value), 'g', 6);
    } else {
        return QString::number(value);
    }
}

template <typename T>
QString listText(const std::vector<T>& values) {
    QStringList parts;
    for (std::size_t i = 0; i < std::min(values.size(), MostListed); ++i) {
        parts += scalarText(values[i]);
    }
    if (values.size() > MostListed) {
        parts += QStringLiteral("\u2026 (%1)").arg(values.size());
    }
    return QLatin1Char('[') + parts.join(QLatin1Char(',')) + QLatin1Char(']');
}

QString attributeText(const Attribute& attribute) {
    return std::visit(
        [](const auto& value) -> QString {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, Tensor>) {
                return constantText(value);
            } else if constexpr (std::is_same_v<T, std::shared_ptr<const Graph>>) {
                return value ? QStringLiteral("{%1 nodes}").arg(value->nodes.size()) : QString();
            } else if constexpr (std::is_same_v<T, std::vector<std::shared_ptr<const Graph>>>) {
                return QStringLiteral("{%1 graphs}").arg(value.size());
            } else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, float> || std::is_same_v<T, std::string>) {
                return scalarText(value);
            } else {
                return listText(value);
            }
        },
        attribute);
}

bool isGraph(const Attribute& attribute) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(attribute) ||
           std::holds_alternative<std::vector<std::shared_ptr<const Graph>>>(attribute);
}

} // namespace

QString oneLine(const std::string& text, int mostCharacters) {
    // A name of megabytes is cut before it is converted.
    QString line =
        QString::fromUtf8(text.data(), static_cast<qsizetype>(std::min<std::size_t>(text.size(), 4U * static_cast<std::size_t>(mostCharacters))));
    for (QChar& c : line) {
        if (c.category() == QChar::Other_Control || c.category() == QChar::Separator_Line || c.category() == QChar::Separator_Paragraph) {
            c = QLatin1Char(' ');
        }
    }
    return cut(std::move(line), mostCharacters);
}

QString keyAttributes(const Node& node, int mostCharacters) {
    QStringList parts;
    qsizetype length = 0;
    for (const auto& [key, attribute] : node.attributes) {
        if (isGraph(attribute)) {
            continue;
        }
        QString part = oneLine(key, 24) + QLatin1Char('=') + attributeText(attribute);
        if (length > 0 && length + part.size() + 1 > mostCharacters) {
            parts += QString(QChar(0x2026));
            break;
        }
        length += part.size() + 1;
        parts += std::move(part);
    }
    return cut(parts.join(QLatin1Char(' ')), mostCharacters);
}

QString allAttributes(const Node& node) {
    QStringList lines;
    for (const auto& [key, attribute] : node.attributes) {
        if (lines.size() == 24) {
            lines += QStringLiteral("\u2026 (%1)").arg(node.attributes.size());
            break;
        }
        lines += cut(oneLine(key, 60) + QStringLiteral(" = ") + attributeText(attribute), LongestLine);
    }
    return lines.join(QLatin1Char('\n'));
}

QString typeText(const TensorType& type) {
    if (type.element == ElementType::Undefined && !type.shape) {
        return {};
    }
    return oneLine(type.text(), 200);
}

QString briefTypeText(const TensorType& type) {
    if (!type.shape) {
        return typeText(type);
    }
    static const QRegularExpression unknown(QStringLiteral("\\?[0-9a-f]{4,}"));
    QStringList dims;
    for (const Dim& dim : *type.shape) {
        if (dims.size() == MostDims) {
            dims += QString(QChar(0x2026));
            break;
        }
        QString text = dim.isKnown() ? QString::number(dim.value()) : oneLine(dim.text());
        if (text.contains(QLatin1Char('?'))) {
            text.replace(unknown, QStringLiteral("?"));
        }
        dims += cut(std::move(text), LongestDim);
    }
    const std::string_view element = name(type.element);
    return QString::fromUtf8(element.data(), static_cast<qsizetype>(element.size())) + QLatin1Char('[') + dims.join(QLatin1Char(',')) +
           QLatin1Char(']');
}

QString constantText(const Tensor& tensor) {
    const bool readable = isComputable(tensor.element()) || isInteger(tensor.element());
    if (readable && tensor.count() >= 1 && tensor.count() <= 4) {
        QStringList parts;
        for (std::int64_t i = 0; i < tensor.count(); ++i) {
            parts += isFloat(tensor.element()) ? QString::number(tensor.toDouble(i), 'g', 6) : QString::number(tensor.toInt64(i));
        }
        const QString text = parts.join(QLatin1Char(','));
        return tensor.shape().empty() ? text : QLatin1Char('[') + text + QLatin1Char(']');
    }
    TensorType type{tensor.element(), Shape()};
    type.shape->assign(tensor.shape().begin(), tensor.shape().end());
    return typeText(type);
}

double approximateWidth(const QString& text, double pixels, bool bold) {
    double em = 0.0;
    for (const QChar c : text) {
        const char16_t u = c.unicode();
        if (u == u'i' || u == u'j' || u == u'l' || u == u'\'' || u == u'.' || u == u',' || u == u':' || u == u'|' || u == u'I' || u == u' ' ||
            u == u'!') {
            em += 0.32;
        } else if (u == u'f' || u == u't' || u == u'r' || u == u'(' || u == u')' || u == u'[' || u == u']' || u == u'-' || u == u'/') {
            em += 0.40;
        } else if (u == u'm' || u == u'w' || u == u'M' || u == u'W' || u == u'@' || u == u'%') {
            em += 0.96;
        } else if (u == u'=' || u == u'+' || u == u'~' || u == u'<' || u == u'>') {
            em += 0.84;
        } else if (u >= 0x2E80 && !c.isSurrogate()) {
            em += 1.0; // ideographs
        } else if (c.isUpper()) {
            em += 0.70;
        } else {
            em += 0.62;
        }
    }
    return em * pixels * (bold ? 1.12 : 1.0) * Slack;
}

} // namespace lemmascope
