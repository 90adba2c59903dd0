#pragma once

#include "core/match/subject.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <vector>

namespace lemmascope {

/// One row of a tree that explains something: what it says, and where a click on it goes.
struct OutlineRow {
    enum class Kind : std::uint8_t { Text, Rule, Match, Miss, Count, Finding };
    Kind kind = Kind::Text;
    std::uint32_t depth = 0; ///< its parent is the last row before it that is less deep
    QStringList cells;       ///< one for each column; missing ones are empty
    QString tip;             ///< in full; empty: the cells
    QString key;             ///< the same for the same thing in later rows: keeps selection and what is open; may be empty
    std::size_t index = 0;   ///< of the rule, match, miss, count or finding
    match::TermId term;      ///< a value of the graph; invalid: none
    match::Spot spot;        ///< in the rule file; line 0: none
    std::optional<bool> checked;
    bool open = true; ///< what is below it is shown at first
    bool strong = false;
};
using OutlineRows = std::vector<OutlineRow>;

/// The rows as text: two blanks for each level, cells with two blanks between; `from` and all below it, or all.
[[nodiscard]] QString outlineText(const OutlineRows& rows, std::optional<std::size_t> from = {});

/// The rows in which every word of `text` stands, in any case, with those around them and all below them.
[[nodiscard]] OutlineRows filtered(const OutlineRows& rows, const QString& text);

} // namespace lemmascope
