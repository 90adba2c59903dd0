#pragma once

#include "ui/canvas/graph_scene.h"
#include "ui/canvas/palette.h"
#include "ui/canvas/scene_overlay.h"
#include "ui/canvas/scene_painter.h"

#include <QAbstractScrollArea>
#include <QPoint>
#include <QPointF>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

class QVariantAnimation;

namespace lemmascope {

/// One side of the pair, painted. The view is a centre in scene coordinates and a scale; scroll bars follow it. Only what is
/// in sight is touched, so that 50,000 nodes pan as smoothly as 50.
///
/// Keys: arrows (nearest node that way), [ ] (producer, consumer), Space (partner), Return (activate), + - 0 F (zoom in, out,
/// 100 %, fit), Page Up/Down and Shift+arrows (pan), Home/End (first, last node), Menu (context menu).
class GraphCanvas : public QAbstractScrollArea {
    Q_OBJECT

  public:
    static constexpr double LargestScale = 4.0;
    static constexpr int AnimationMs = 150;

    explicit GraphCanvas(QWidget* parent = nullptr);
    ~GraphCanvas() override;

    /// Shows another scene (null: none). Selection, centre and scale stay where the selected (else the centre's) node was when
    /// the new scene shows that node too; the first scene is fitted, or shown from its top at 100 % when fitting would be too small.
    void setScene(std::shared_ptr<const GraphScene> scene);
    /// The next scene but for null shows another version of the graph: selection, centre and scale stay as if it replaced the present one.
    void keepView();
    [[nodiscard]] const std::shared_ptr<const GraphScene>& scene() const { return m_scene; }
    void setOverlay(SceneOverlay overlay);
    [[nodiscard]] const SceneOverlay& overlay() const { return m_overlay; }
    [[nodiscard]] const ResolvedOverlay& resolvedOverlay() const { return m_resolved; }
    /// What a search found: marked beside the boxes and at the left edge of the overview, whatever else the overlay says.
    void setHits(CanvasHits hits);
    /// What a pattern took, and where the matcher is: likewise.
    void setMatch(CanvasMatch match);
    [[nodiscard]] const CanvasMatch& match() const { return m_match; }

    /// Shown when there is no scene; `Open a pair of graphs`.
    void setEmptyText(const QString& text);
    /// `Laying out 12,000 nodes …` over whatever is shown; empty: not busy.
    void setBusy(const QString& what);
    [[nodiscard]] bool isBusy() const { return !m_busy.isEmpty(); }
    /// A sentence over the scene's top edge: `no partner: fused into n88`. Empty: none.
    void setNotice(const QString& text);
    [[nodiscard]] const QString& notice() const { return m_notice; }

    void setEdgeLabels(EdgeLabels labels);
    [[nodiscard]] EdgeLabels edgeLabels() const { return m_edgeLabels; }
    /// Follows the palette (the default), or the monochrome theme.
    void setMonochrome(bool on);
    [[nodiscard]] const CanvasTheme& theme() const { return m_theme; }
    /// Off: centreOn jumps. On by default where the desktop's style animates.
    void setAnimated(bool on) { m_animated = on; }
    /// Measures of this widget's font, for the scene builder.
    [[nodiscard]] SceneMetrics sceneMetrics() const;

    [[nodiscard]] FlatNodeId selectedNode() const;
    [[nodiscard]] FlatValueId selectedValue() const;   ///< an input, constant or output that is selected
    [[nodiscard]] std::uint32_t selectedGroup() const; ///< index into the scene's nodeGroups; NodeGroup::None: no group is selected
    [[nodiscard]] std::uint32_t selectedItem() const { return m_selected; }
    /// Selects without emitting; an invalid id clears. Scrolls nothing.
    void selectNode(FlatNodeId node);
    void selectItem(std::uint32_t item);

    [[nodiscard]] QPointF viewCentre() const { return m_centre; }
    [[nodiscard]] double scale() const { return m_scale; }
    /// The other side's view, or a remembered one: no viewChanged.
    void setView(QPointF centre, double scale);
    /// Centres on nodes; zooms out until all are in sight, and in to 100 % when text would be unreadable. Nothing if none is shown.
    void centreOn(const std::vector<FlatNodeId>& nodes, bool animated = true);
    /// The centre and scale that centreOn would go to.
    [[nodiscard]] std::optional<std::pair<QPointF, double>> viewOf(const std::vector<FlatNodeId>& nodes) const;
    void ensureVisible(std::uint32_t item);
    void zoomBy(double factor, std::optional<QPointF> viewportPoint = {});
    void fit();
    /// The other side: while set, the first view is the whole scene, where that is more than specks, at the scale at which both sides fit,
    /// as fit() is; else both begin at their tops.
    void setFitPartner(GraphCanvas* partner) { m_fitPartner = partner; }
    /// Nobody has looked elsewhere since the scene's first view.
    [[nodiscard]] bool isFirstView() const { return m_firstView; }
    void panTo(QPointF centre); ///< as if the user had dragged there
    void resetZoom();

    [[nodiscard]] QPointF toScene(const QPointF& viewportPoint) const;
    [[nodiscard]] QPointF toViewport(const QPointF& scenePoint) const;
    [[nodiscard]] QRectF visibleArea() const; ///< in scene coordinates
    [[nodiscard]] std::uint32_t itemAtViewport(const QPointF& viewportPoint) const;
    [[nodiscard]] QString describe(std::uint32_t item) const; ///< what a screen reader says for an item
    [[nodiscard]] QString details(std::uint32_t item) const;  ///< what its tooltip shows, as plain text
    void chooseItem(std::uint32_t item);                      ///< as if the user had: selects, shows, emits
    void activateItem(std::uint32_t item);                    ///< as a double click does

    /// Paints `area` of the scene into `target`: the same routine as the screen, for PNG, SVG, PDF and print.
    void renderScene(QPainter& painter, const QRectF& target, const QRectF& area) const;

  Q_SIGNALS:
    void nodeSelected(lemmascope::FlatNodeId node); ///< by the user; invalid: nothing selected any more
    void valueSelected(lemmascope::FlatValueId value);
    void nodeActivated(lemmascope::FlatNodeId node); ///< double click or Return, on a node without nested graphs
    /// A node with nested graphs wants to be open (or closed): its sign was clicked, or it was activated.
    void expansionRequested(lemmascope::FlatNodeId node, bool expand);
    void groupSelected(quint32 group); ///< by the user: a group of nodes, by its index in the scene's nodeGroups
    void groupExpansionRequested(quint32 group, bool expand);
    void partnerRequested(lemmascope::FlatNodeId node);
    void contextMenuRequested(lemmascope::FlatNodeId node, QPoint globalPosition); ///< node invalid: on empty canvas
    void viewChanged(QPointF centre, double scale);                                ///< by the user or by centreOn
    void viewMoved();                                                              ///< centre, scale or size changed, by whatever cause
    void sceneChanged();
    void edgeLabelsChanged();
    void overlayChanged(); ///< marks or colours

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

  private:
    void applyView(QPointF centre, double scale, bool tell);
    void showFirstView();
    /// What the first screenful of the drawing spans across, from left to right.
    [[nodiscard]] std::pair<double, double> firstRows() const;
    [[nodiscard]] double firstScale() const; ///< at which words can be read there
    void updateScrollBars();
    void updateTheme();
    void resolveOverlay();
    [[nodiscard]] std::uint32_t itemLike(const GraphScene& old, std::uint32_t item, bool byName) const;
    void userSelects(std::uint32_t item);
    void stopAnimation();
    void paintMessages(QPainter& painter) const;
    [[nodiscard]] bool handleKey(int key, Qt::KeyboardModifiers modifiers);
    [[nodiscard]] std::uint32_t keyTarget(int key) const;
    [[nodiscard]] QString tipAt(const QPointF& viewportPoint) const;
    [[nodiscard]] double smallestScale() const;
    [[nodiscard]] double fitScale() const;
    [[nodiscard]] double commonFitScale() const;
    [[nodiscard]] QSizeF viewportSize() const;

    std::shared_ptr<const GraphScene> m_scene;
    std::shared_ptr<const GraphScene> m_kept; ///< of keepView; null: nothing is kept
    std::uint32_t m_keptSelection = NoItem;
    SceneOverlay m_overlay;
    CanvasHits m_hits;
    CanvasMatch m_match;
    ResolvedOverlay m_resolved;
    CanvasTheme m_theme;
    std::unique_ptr<ScenePainter> m_painter;
    EdgeLabels m_edgeLabels = EdgeLabels::Types;
    QString m_emptyText;
    QString m_busy;
    QString m_notice;
    QPointF m_centre;
    double m_scale = 1.0;
    std::uint32_t m_selected = NoItem;
    QPointF m_pressPoint;
    QPointF m_lastDragPoint;
    Qt::MouseButton m_pressed = Qt::NoButton;
    bool m_dragging = false;
    bool m_monochrome = false;
    bool m_animated = true;
    bool m_updatingBars = false;
    bool m_fitted = false;    ///< a first view has been chosen
    bool m_firstView = false; ///< and is still what is shown
    GraphCanvas* m_fitPartner = nullptr;
    QVariantAnimation* m_animation = nullptr;
};

} // namespace lemmascope
