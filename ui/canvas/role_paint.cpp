#include "ui/canvas/role_paint.h"

#include <QPainter>

#include <algorithm>

namespace lemmascope {

QPen borderPen(const RoleStyle& style, const QColor& colour) {
    QPen pen(colour, 1.0);
    pen.setJoinStyle(Qt::MiterJoin);
    pen.setCapStyle(Qt::FlatCap);
    switch (style.border) {
    case BorderStyle::Solid: break;
    case BorderStyle::Thick: pen.setWidthF(2.0); break;
    case BorderStyle::Dashed:
        pen.setWidthF(1.5);
        pen.setDashPattern({4.0, 2.5});
        break;
    case BorderStyle::DashDot:
        pen.setWidthF(1.5);
        pen.setDashPattern({6.0, 2.0, 1.5, 2.0});
        break;
    case BorderStyle::Dotted:
        pen.setWidthF(1.75);
        pen.setDashPattern({1.0, 1.3});
        break;
    case BorderStyle::Double: break;
    }
    return pen;
}

std::vector<QLineF> hatchLines(const QRectF& rect, Hatch hatch, double pitch) {
    std::vector<QLineF> lines;
    const double reach = rect.width() + rect.height();
    for (double d = pitch; d < reach; d += pitch) {
        // From the left or bottom edge to the top or right edge, going up to the right.
        const QPointF a = d < rect.height() ? QPointF(rect.left(), rect.top() + d) : QPointF(rect.left() + d - rect.height(), rect.bottom());
        const QPointF b = d < rect.width() ? QPointF(rect.left() + d, rect.top()) : QPointF(rect.right(), rect.top() + d - rect.width());
        QLineF line(a, b);
        if (hatch == Hatch::Falling) {
            const double mirror = rect.top() + rect.bottom();
            line = QLineF(QPointF(a.x(), mirror - a.y()), QPointF(b.x(), mirror - b.y()));
        }
        lines.push_back(line);
    }
    return lines;
}

void paintRoleSwatch(QPainter& painter, const QRectF& box, Role role, const CanvasTheme& theme, const QFont& font) {
    const RoleStyle& style = theme.style(role);
    const bool filled = style.border == BorderStyle::Double;
    const QRectF inner = filled ? box.adjusted(3.0, 3.0, -3.0, -3.0) : box;
    painter.setPen(borderPen(style, style.colour));
    painter.setBrush(style.fill);
    painter.drawRect(inner);
    if (filled) {
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box);
    } else if (role != Role::Plain) {
        painter.fillRect(inner.adjusted(1.0, 1.0, -1.0, -1.0), blended(style.colour, theme.background, 0.25));
        const QRectF side = inner.adjusted(inner.width() * 0.55, 1.0, -1.0, -1.0);
        if (style.hatch != Hatch::None) {
            const std::vector<QLineF> lines = hatchLines(side, style.hatch, 4.0);
            painter.setPen(QPen(style.colour, 1.0));
            painter.drawLines(lines.data(), static_cast<int>(lines.size()));
        }
    }
    QFont bold = font;
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(style.text);
    const QRectF room = style.hatch != Hatch::None ? QRectF(inner.topLeft(), QSizeF(inner.width() * 0.55, inner.height())) : inner;
    painter.drawText(room, Qt::AlignCenter, glyph(role));
}

} // namespace lemmascope
