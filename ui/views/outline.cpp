#include "ui/views/outline.h"

#include <algorithm>

namespace lemmascope {

QString outlineText(const OutlineRows& rows, std::optional<std::size_t> from) {
    QString text;
    for (std::size_t i = from.value_or(0); i < rows.size(); ++i) {
        if (from && i > *from && rows[i].depth <= rows[*from].depth) {
            break;
        }
        QStringList cells = rows[i].cells;
        cells.removeAll(QString());
        text += QString(static_cast<qsizetype>(2 * rows[i].depth), u' ') + cells.join(QStringLiteral("  ")) + u'\n';
    }
    return text;
}

OutlineRows filtered(const OutlineRows& rows, const QString& text) {
    const QStringList words = text.split(u' ', Qt::SkipEmptyParts);
    if (words.isEmpty()) {
        return rows;
    }
    const auto holds = [&words](const OutlineRow& row) {
        const QString all = row.cells.join(u' ') + u' ' + row.tip;
        return std::all_of(words.begin(), words.end(), [&all](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
    };
    std::vector<bool> kept(rows.size(), false);
    std::vector<std::size_t> around; // the rows above, outermost first
    constexpr std::uint32_t None = 0xFFFFFFFFU;
    std::uint32_t below = None; // all that is deeper than this is kept
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::uint32_t depth = rows[i].depth;
        while (!around.empty() && rows[around.back()].depth >= depth) {
            around.pop_back();
        }
        if (below != None && depth <= below) {
            below = None;
        }
        if (below != None) {
            kept[i] = true;
        } else if (holds(rows[i])) {
            kept[i] = true;
            below = depth;
            for (const std::size_t each : around) {
                kept[each] = true;
            }
        }
        around.push_back(i);
    }
    OutlineRows out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (kept[i]) {
            out.push_back(rows[i]);
        }
    }
    return out;
}

} // namespace lemmascope
