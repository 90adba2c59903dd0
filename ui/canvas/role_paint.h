#pragma once

#include "ui/canvas/palette.h"

#include <QFont>
#include <QLineF>
#include <QPen>
#include <QRectF>

#include <vector>

class QPainter;

namespace lemmascope {

/// The line of a role's border in `colour`; of Double only the inner one.
[[nodiscard]] QPen borderPen(const RoleStyle& style, const QColor& colour);
/// Diagonal lines inside a rectangle, drawn one by one: patterned brushes are not in every device.
[[nodiscard]] std::vector<QLineF> hatchLines(const QRectF& rect, Hatch hatch, double pitch);
/// A small box that wears a role as nodes do: border, badge, hatch and glyph. For legends.
void paintRoleSwatch(QPainter& painter, const QRectF& box, Role role, const CanvasTheme& theme, const QFont& font);

} // namespace lemmascope
