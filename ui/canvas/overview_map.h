#pragma once

#include <QImage>
#include <QPointF>
#include <QRectF>
#include <QWidget>

namespace lemmascope {

class GraphCanvas;

/// A small picture of a canvas's whole scene in its bottom right corner: where the view is, and where what fails is (a tick on
/// the right edge for each, however small the map). Drag in it to move the view. Hidden while the view shows everything.
/// Both axes fill the map, so that deep, narrow graphs stay legible.
class OverviewMap : public QWidget {
    Q_OBJECT

  public:
    /// A child of the canvas's viewport; follows its size.
    explicit OverviewMap(GraphCanvas* canvas);

    /// Off: never shown.
    void setEnabledByUser(bool on);
    [[nodiscard]] bool isEnabledByUser() const { return m_wanted; }
    [[nodiscard]] QSize sizeHint() const override;
    /// The view's rectangle in the map, and a scene point in it.
    [[nodiscard]] QRectF viewRectangle() const;
    [[nodiscard]] QPointF toMap(const QPointF& scenePoint) const;
    [[nodiscard]] QPointF toScene(const QPointF& mapPoint) const;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void follow();
    void drawNodes();
    [[nodiscard]] QRectF mapArea() const;

    GraphCanvas* m_canvas;
    QImage m_nodes; ///< empty: must be drawn again
    bool m_wanted = true;
};

} // namespace lemmascope
