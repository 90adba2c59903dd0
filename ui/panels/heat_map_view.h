#pragma once

#include "core/report/tensor_scan.h"
#include "ui/canvas/palette.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <utility>

namespace lemmascope {

/// A picture of a slice: darker is more, and what is odd (NaN on one side, infinite) is crossed out. Cells that are large enough have
/// a border and a hatch as well, and the legend names every class, so that nothing depends on colour. Click or Enter goes to an
/// element; arrows move over the cells.
class HeatMapView : public QWidget {
    Q_OBJECT

  public:
    static constexpr int SmallestCell = 3; ///< pixels: more elements than fit are pooled by their greatest

    explicit HeatMapView(QWidget* parent = nullptr);

    /// Null: `emptyText` instead.
    void setMap(std::shared_ptr<const HeatMap> map, const QString& emptyText = {});
    [[nodiscard]] const std::shared_ptr<const HeatMap>& map() const { return m_map; }
    /// The element of the slice that the table stands on; outside: none.
    void setCurrent(std::optional<std::pair<std::int64_t, std::int64_t>> place);
    /// Cells that fit: what the map should be pooled to.
    [[nodiscard]] int mostRows() const;
    [[nodiscard]] int mostColumns() const;
    /// What a class means in this map: `1 ulp`, `NaN or infinite`.
    [[nodiscard]] QString className(HeatClass kind) const;
    [[nodiscard]] QRect cellRect(int row, int column) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  Q_SIGNALS:
    void cellChosen(int row, int column); ///< of the map's grid
    void roomChanged();                   ///< another pooling would fit better

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

  private:
    [[nodiscard]] QRect mapRect() const;
    [[nodiscard]] int legendHeight(int width) const;
    int layOutLegend(QPainter* painter, const QRect& room) const;
    void paintCells(QPainter& painter) const;
    void paintCell(QPainter& painter, const QRect& cell, HeatClass kind) const;
    [[nodiscard]] QColor colourOf(HeatClass kind) const;
    [[nodiscard]] std::optional<std::pair<int, int>> cellAt(const QPoint& point) const;
    [[nodiscard]] QString cellText(int row, int column) const;
    void tellCurrent();

    std::shared_ptr<const HeatMap> m_map;
    CanvasTheme m_theme;
    QString m_emptyText;
    std::optional<std::pair<std::int64_t, std::int64_t>> m_current;
    std::pair<int, int> m_cursor{0, 0};
};

} // namespace lemmascope
