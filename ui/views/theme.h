#pragma once

#include <QPalette>
#include <QString>

namespace lemmascope {

/// The colours of the Fusion style, light or dark, where the desktop's own are not wanted: pictures and tests.
[[nodiscard]] QPalette fusionPalette(bool dark);
/// Sets the Fusion style with `light` or `dark` colours for the whole program; false for another word.
[[nodiscard]] bool applyColours(const QString& name);

} // namespace lemmascope
