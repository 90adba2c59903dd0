#pragma once

#include "core/report/output_map.h"
#include "ui/canvas/palette.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <utility>

namespace lemmascope {

/// One slice of an output as a map of cells. What is not the same term has a border, a fill and, where it is large enough, a glyph; the
/// legend names each. A click or the arrows choose a cell; where cells are pooled, the first bad one of a square.
class CellMapView : public QWidget {
    Q_OBJECT

  public:
    static constexpr int SmallestCell = 3; ///< pixels: more cells than fit are pooled by their worst

    explicit CellMapView(QWidget* parent = nullptr);

    /// Null: `emptyText` instead.
    void setMap(std::shared_ptr<const OutputMap> map, std::uint64_t slice, const QString& emptyText = {});
    void setCell(std::uint64_t cell); ///< of the output; shows it, tells nobody
    [[nodiscard]] std::uint64_t cell() const { return m_cell; }
    [[nodiscard]] std::uint64_t slice() const { return m_slice; }
    [[nodiscard]] QRect cellRect(std::uint64_t cell) const; ///< of a cell of the slice
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  Q_SIGNALS:
    void cellChosen(quint64 cell); ///< by the user

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void pool();
    [[nodiscard]] QRect mapRect() const;
    [[nodiscard]] QRect boxRect(int row, int column) const;
    [[nodiscard]] std::optional<std::pair<int, int>> boxAt(const QPoint& point) const;
    [[nodiscard]] std::uint64_t cellOf(int row, int column) const; ///< the worst of the square
    [[nodiscard]] QString describe(std::uint64_t cell) const;
    void paintBox(QPainter& painter, const QRect& rect, CellState state) const;
    int layOutLegend(QPainter* painter, const QRect& room) const;
    void choose(std::uint64_t cell);

    std::shared_ptr<const OutputMap> m_map;
    PooledMap m_pool;
    std::uint64_t m_slice = 0;
    std::uint64_t m_cell = 0;
    QString m_emptyText;
    CanvasTheme m_theme;
};

/// `same term`, `proved equal`, `not proved`, `differs`.
[[nodiscard]] QString cellStateText(CellState state);

} // namespace lemmascope
