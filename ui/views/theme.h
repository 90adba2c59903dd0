#pragma once

#include <QPalette>
#include <QString>

namespace lemmascope {

/// The colours of the Fusion style, light or dark, where the desktop's own are not wanted: pictures and tests.
[[nodiscard]] QPalette fusionPalette(bool dark);
/// White on black, for those who need all the contrast there is.
[[nodiscard]] QPalette contrastPalette();
/// `desktop`, `light`, `dark`, `contrast` or `mono`.
[[nodiscard]] bool isColours(const QString& name);
/// Colours for the whole program: the desktop's own, or the Fusion style in light, dark or high contrast. `mono` leaves the program light; the
/// canvases draw in black on white (GraphCanvas::setMonochrome). False for another word.
bool applyColours(const QString& name);

} // namespace lemmascope
