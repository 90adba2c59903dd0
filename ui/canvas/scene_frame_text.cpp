// The words of a frame. Drawn under a transform that scales, so that a text's width is its width at 100 % times the scale and
// what fitted its box at one zoom fits at all.

#include "ui/canvas/scene_frame.h"

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

using FontKind = ScenePainter::FontKind;

} // namespace

void SceneFrame::drawText(const QString& text, FontKind kind, const QRectF& room, Qt::Alignment alignment, const QColor& colour) {
    if (text.isEmpty() || room.width() <= 1.0) {
        return;
    }
    const QStaticText& shaped = m_texts.shaped(text, kind, room.width());
    const QSizeF size = shaped.size();
    double x = room.left();
    if ((alignment & Qt::AlignHCenter) != 0) {
        x += (room.width() - size.width()) / 2.0;
    } else if ((alignment & Qt::AlignRight) != 0) {
        x += room.width() - size.width();
    }
    m_painter.setFont(m_texts.font(kind));
    m_painter.setPen(colour);
    m_painter.drawStaticText(QPointF(x, room.top() + (room.height() - size.height()) / 2.0), shaped);
}

void SceneFrame::paintText(const std::vector<std::uint32_t>& items) {
    m_painter.save();
    m_painter.translate(m_target.topLeft());
    m_painter.scale(m_scale, m_scale);
    m_painter.translate(-m_area.topLeft());
    for (const std::uint32_t item : m_scene.expandedItems) {
        if (GridIndex::touches(m_scene.headerOf(item), m_area)) {
            paintNodeText(item);
        }
    }
    for (const std::uint32_t item : items) {
        if (isValueItem(item)) {
            paintValueText(item);
        } else {
            paintNodeText(item);
        }
        if (m_options.detail.smallText) {
            paintHiddenCounts(item);
        }
    }
    if (m_options.detail.smallText) {
        for (const GraphScene::Caption& caption : m_scene.captions) {
            if (GridIndex::touches(caption.box, m_area)) {
                drawText(m_scene.string(caption.text), FontKind::Small, caption.box, Qt::AlignLeft, m_theme.mutedText);
            }
        }
    }
    m_painter.restore();
}

void SceneFrame::paintNodeText(std::uint32_t item) {
    const SceneMetrics& metrics = m_scene.metrics;
    const bool dimmed = m_overlay.isDimmed(item);
    const Role role = m_overlay.roles[item];
    const RoleStyle& style = m_theme.style(role);
    const bool inverted = style.border == BorderStyle::Double && !dimmed;
    const QColor text = dimText(inverted ? style.text : m_theme.text, dimmed);
    const QColor muted = inverted ? blended(style.text, style.fill, 0.8) : dimText(m_theme.mutedText, dimmed);
    const QRectF box = m_scene.isOpen(item) ? m_scene.headerOf(item) : m_scene.boxes[item];
    const double left = box.left() + metrics.badgeWidth() + metrics.padding();
    double right = box.right() - metrics.padding();
    const double top = m_scene.isOpen(item) ? box.top() + (box.height() - metrics.lineHeight()) / 2.0 : box.top() + metrics.padding();
    drawText(glyph(role), FontKind::Glyph, QRectF(box.left(), top, metrics.badgeWidth(), metrics.lineHeight()), Qt::AlignHCenter, text);
    if (m_scene.nestedCounts[item] > 0) {
        const QRectF sign = m_scene.signBox(item);
        drawText(m_scene.signText(item), FontKind::Small, sign, Qt::AlignRight, muted);
        right = sign.left() - metrics.padding();
    }
    drawText(m_scene.string(m_scene.titles[item]), FontKind::Title, QRectF(left, top, right - left, metrics.lineHeight()), Qt::AlignLeft, text);
    if (!m_options.detail.smallText || m_scene.isOpen(item)) {
        return;
    }
    double line = top + metrics.lineHeight();
    if (m_scene.isGroup(item)) {
        paintInside(item, QRectF(left, line, box.right() - metrics.padding() - left, metrics.smallLineHeight()), text);
        line += metrics.smallLineHeight();
    }
    for (const std::uint32_t string : {m_scene.details[item], m_scene.names[item]}) {
        if (string != 0) {
            drawText(m_scene.string(string), FontKind::Small, QRectF(left, line, box.right() - metrics.padding() - left, metrics.smallLineHeight()),
                     Qt::AlignLeft, string == m_scene.details[item] ? text : muted);
            line += metrics.smallLineHeight();
        }
    }
}

void SceneFrame::paintInside(std::uint32_t item, const QRectF& room, const QColor& colour) {
    drawText(m_overlay.insideText(item), FontKind::Small, room, Qt::AlignLeft, colour);
}

void SceneFrame::paintValueText(std::uint32_t item) {
    if (!m_options.detail.smallText) {
        return;
    }
    const bool dimmed = m_overlay.isDimmed(item);
    const QRectF room = m_scene.boxes[item].adjusted(m_scene.metrics.smallPixels * 0.7, 0.0, -m_scene.metrics.smallPixels * 0.7, 0.0);
    const QString& title = m_scene.string(m_scene.titles[item]);
    const QString& detail = m_scene.string(m_scene.details[item]);
    const QColor text = dimText(m_theme.text, dimmed);
    if (detail.isEmpty() || title.isEmpty()) {
        drawText(title.isEmpty() ? detail : title, FontKind::Small, room, Qt::AlignHCenter, text);
        return;
    }
    const double gap = m_scene.metrics.smallPixels * 0.6;
    const double titleWidth = m_texts.shaped(title, FontKind::Small, room.width()).size().width();
    const double detailRoom = room.width() - titleWidth - gap;
    drawText(title, FontKind::Small, QRectF(room.left(), room.top(), titleWidth + 1.0, room.height()), Qt::AlignLeft, text);
    drawText(detail, FontKind::Small, QRectF(room.left() + titleWidth + gap, room.top(), detailRoom, room.height()), Qt::AlignLeft,
             dimText(m_theme.mutedText, dimmed));
}

void SceneFrame::paintHiddenCounts(std::uint32_t item) {
    const auto mark = [&](std::uint32_t count, bool above) {
        if (count == 0) {
            return;
        }
        const QRectF& box = m_scene.boxes[item];
        const double height = m_scene.metrics.smallLineHeight();
        const double y = above ? box.top() - height : box.bottom() + (m_scene.types[item] != 0 ? m_scene.metrics.typeStrip() : 0.0);
        drawText(QStringLiteral("\u22EF %1").arg(count), FontKind::Small, QRectF(box.left(), y, box.width(), height), Qt::AlignRight,
                 dimText(m_theme.mutedText, m_overlay.isDimmed(item)));
    };
    mark(m_scene.hiddenProducers[item], true);
    mark(m_scene.hiddenConsumers[item], false);
}

void SceneFrame::paintTypes(const std::vector<std::uint32_t>& items) {
    m_painter.save();
    m_painter.translate(m_target.topLeft());
    m_painter.scale(m_scale, m_scale);
    m_painter.translate(-m_area.topLeft());
    const auto paintType = [&](std::uint32_t item) {
        std::uint32_t string = m_scene.types[item];
        QString text = m_scene.string(string);
        if (string == 0) {
            return;
        }
        if (m_options.edgeLabels == EdgeLabels::Names) {
            text = m_scene.string(m_scene.names[item]);
        }
        if (text.isEmpty()) {
            return;
        }
        const QRectF& box = m_scene.boxes[item];
        const QRectF room(box.left(), box.bottom() + 4.0, box.width(), m_scene.metrics.smallLineHeight());
        const double width = m_texts.shaped(text, FontKind::Small, room.width()).size().width();
        // The edge runs behind the words, not through them.
        m_painter.fillRect(QRectF(room.center().x() - width / 2.0 - 2.0, room.top(), width + 4.0, room.height()),
                           m_scene.containers[item] == NoItem ? m_theme.background : m_theme.container);
        drawText(text, FontKind::Small, room, Qt::AlignHCenter, dimText(m_theme.mutedText, m_overlay.isDimmed(item)));
    };
    for (const std::uint32_t item : m_scene.expandedItems) {
        paintType(item);
    }
    for (const std::uint32_t item : items) {
        paintType(item);
    }
    m_painter.restore();
}

/// What comes in by a line that is broken off: its name beside the line's end.
void SceneFrame::paintStubNames(const std::vector<std::uint32_t>& items) {
    constexpr double Room = 110.0;
    m_painter.save();
    m_painter.translate(m_target.topLeft());
    m_painter.scale(m_scale, m_scale);
    m_painter.translate(-m_area.topLeft());
    for (const std::uint32_t item : items) {
        QString names;
        double left = 0.0;
        for (const std::uint32_t edge : m_scene.edgesInto(item)) {
            if (m_scene.edgeStubs[edge]) {
                const std::uint32_t from = m_scene.edgeFrom[edge];
                const QString& name = m_scene.string(m_scene.names[from] != 0 ? m_scene.names[from] : m_scene.titles[from]);
                names += (names.isEmpty() ? QString() : QStringLiteral(", ")) + name;
                left = m_scene.edgePoints(edge).back().x();
            }
        }
        if (names.isEmpty()) {
            continue;
        }
        const double height = m_scene.metrics.smallLineHeight();
        const double width = std::min(Room, m_texts.shaped(names, FontKind::Small, Room).size().width());
        const QRectF room(left - width - 6.0, m_scene.boxes[item].top() - height - 1.0, width + 1.0, height);
        m_painter.fillRect(room.adjusted(-1.0, 0.0, 1.0, 0.0), m_scene.containers[item] == NoItem ? m_theme.background : m_theme.container);
        drawText(names, FontKind::Small, QRectF(room.right() - Room, room.top(), Room, height), Qt::AlignRight,
                 dimText(m_theme.mutedText, m_overlay.isDimmed(item)));
    }
    m_painter.restore();
}

void SceneFrame::paintChips() {
    m_painter.save();
    m_painter.translate(m_target.topLeft());
    m_painter.scale(m_scale, m_scale);
    m_painter.translate(-m_area.topLeft());
    const SceneMetrics& metrics = m_scene.metrics;
    const std::vector<ScenePainter::PlacedChip> placedChips = m_texts.placedChips(m_scene, m_overlay, m_options.font);
    for (std::size_t i = 0; i < placedChips.size(); ++i) {
        const ResolvedOverlay::Chip& chip = m_overlay.chips[i];
        const auto& [text, kind, rect] = placedChips[i];
        if (!GridIndex::touches(rect, m_area)) {
            continue;
        }
        m_painter.setPen(QPen(m_theme.text, chip.differs ? 1.5 : 0.8));
        m_painter.setBrush(chip.first ? m_theme.text : m_theme.background);
        m_painter.drawRoundedRect(rect, 4.0, 4.0);
        drawText(text, kind, rect.adjusted(metrics.padding() - 1.0, 0.0, 1.0 - metrics.padding(), 0.0), Qt::AlignHCenter,
                 chip.first ? m_theme.background : m_theme.text);
    }
    m_painter.restore();
}

} // namespace lemmascope
