#pragma once

#include "ui/canvas/scene_painter.h"

#include <QLineF>
#include <QPainter>
#include <QRect>

#include <vector>

namespace lemmascope {

/// The drawing of one frame; made by ScenePainter::paint and gone with it.
class SceneFrame {
  public:
    SceneFrame(QPainter& painter, const QRectF& target, const QRectF& area, const GraphScene& scene, const ResolvedOverlay& overlay,
               const CanvasTheme& theme, const PaintOptions& options, ScenePainter& texts);
    void paint();

  private:
    void paintContainers();
    void paintEdges();
    void paintFarBoxes(const std::vector<std::uint32_t>& items);
    void paintPlainBoxes(const std::vector<std::uint32_t>& items);
    void paintNearBox(std::uint32_t item);
    void paintBadge(std::uint32_t item, const QRectF& box);
    void paintFocus();
    void paintSelection();
    void paintHits(const std::vector<std::uint32_t>& items);
    void paintMatch();
    void paintMatchTags();
    void ring(const QRectF& around, const QColor& colour, double width, double gap);
    void paintText(const std::vector<std::uint32_t>& items);
    void paintNodeText(std::uint32_t item);
    void paintValueText(std::uint32_t item);
    void paintInside(std::uint32_t item, const QRectF& room, const QColor& colour);
    void paintHiddenCounts(std::uint32_t item);
    void paintTypes(const std::vector<std::uint32_t>& items);
    void paintStubNames(const std::vector<std::uint32_t>& items);
    void paintChips();
    void drawText(const QString& text, ScenePainter::FontKind kind, const QRectF& room, Qt::Alignment alignment, const QColor& colour);

    [[nodiscard]] QRectF placed(const QRectF& rect) const {
        return {m_target.left() + (rect.left() - m_area.left()) * m_scale, m_target.top() + (rect.top() - m_area.top()) * m_scale,
                rect.width() * m_scale, rect.height() * m_scale};
    }
    [[nodiscard]] QPointF placed(const QPointF& point) const {
        return {m_target.left() + (point.x() - m_area.left()) * m_scale, m_target.top() + (point.y() - m_area.top()) * m_scale};
    }
    /// On whole pixels, so that lines of one pixel are sharp.
    [[nodiscard]] static QRectF sharp(const QRectF& rect);
    [[nodiscard]] QColor dim(const QColor& colour, bool dimmed) const;
    [[nodiscard]] QColor dimText(const QColor& colour, bool dimmed) const;
    [[nodiscard]] bool isValueItem(std::uint32_t item) const { return m_scene.values[item].isValid(); }

    QPainter& m_painter;
    QRectF m_target;
    QRectF m_area;
    double m_scale;
    const GraphScene& m_scene;
    const ResolvedOverlay& m_overlay;
    const CanvasTheme& m_theme;
    const PaintOptions& m_options;
    ScenePainter& m_texts;
};

} // namespace lemmascope
