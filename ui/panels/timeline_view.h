#pragma once

#include "core/report/schedule.h"
#include "ui/canvas/palette.h"

#include <QAbstractScrollArea>

#include <memory>
#include <vector>

namespace lemmascope {

/// A schedule drawn: a row for each task, a column for each step, lines where one task makes another or waited for its end. The two
/// accesses of a race, a fault and the tasks of a cycle wear the failing mark; the edge that is missing is dashed. Only what is in
/// sight is painted. Left and Right (also `,` and `.`) step, Up and Down go along one task, Home and End to the ends.
class TimelineView : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit TimelineView(QWidget* parent = nullptr);

    void setSchedule(std::shared_ptr<const Schedule> schedule, const QString& emptyText = {});
    void setStep(std::size_t step); ///< shows it, tells nobody
    [[nodiscard]] std::size_t step() const { return m_step; }
    [[nodiscard]] QRect stepRect(std::size_t step) const; ///< in the viewport
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  Q_SIGNALS:
    void stepChosen(std::size_t step); ///< by the user

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

  private:
    [[nodiscard]] int rowHeight() const { return fontMetrics().height() + 8; }
    [[nodiscard]] int columnWidth() const { return fontMetrics().height() + 4; }
    [[nodiscard]] int headerWidth() const;
    [[nodiscard]] QPointF centreOf(std::size_t step) const;
    [[nodiscard]] QPointF placeOf(std::size_t step, std::size_t row) const;
    [[nodiscard]] std::ptrdiff_t stepAt(const QPoint& point) const; ///< -1: none
    void updateBars();
    void showStep();
    void choose(std::ptrdiff_t step);
    void paintEdges(QPainter& painter) const;
    void paintSteps(QPainter& painter) const;
    void paintHeader(QPainter& painter) const;
    void paintCycle(QPainter& painter) const;

    std::shared_ptr<const Schedule> m_schedule;
    std::vector<TaskState> m_states;
    std::size_t m_step = 0;
    QString m_emptyText;
    CanvasTheme m_theme;
};

} // namespace lemmascope
