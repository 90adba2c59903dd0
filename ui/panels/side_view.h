#pragma once

#include "core/prove/check_result.h"

#include <QWidget>

class QLabel;
class QResizeEvent;

namespace lemmascope {

class GraphCanvas;
class OverviewMap;

/// One side of the pair: a header with its role, file and size, the canvas, and the overview map in the canvas's corner.
class SideView : public QWidget {
    Q_OBJECT

  public:
    explicit SideView(Side side, QWidget* parent = nullptr);

    [[nodiscard]] Side side() const { return m_side; }
    [[nodiscard]] GraphCanvas* canvas() const { return m_canvas; }
    void setFile(const QString& path);
    void setCounts(const QString& text);
    void setOverviewVisible(bool visible);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    Side m_side;
    QLabel* m_role;
    QLabel* m_file;
    QLabel* m_counts;
    GraphCanvas* m_canvas;
    OverviewMap* m_overview;
    QString m_path;
};

} // namespace lemmascope
