#pragma once

#include <QPalette>
#include <QString>

namespace lemmascope {

/// What the marks mean, as an HTML table in the palette's colours: glyph on its colour, and the words.
[[nodiscard]] QString legendHtml(const QPalette& palette);

} // namespace lemmascope
