#pragma once

#include "core/report/schedule.h"

#include <QAbstractListModel>

#include <memory>

namespace lemmascope {

/// The steps of a schedule as rows: the accessible twin of the time line. Row numbers are those of Schedule::steps.
class ScheduleModel : public QAbstractListModel {
    Q_OBJECT

  public:
    explicit ScheduleModel(QObject* parent = nullptr) : QAbstractListModel(parent) {}

    void setSchedule(std::shared_ptr<const Schedule> schedule);
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

  private:
    std::shared_ptr<const Schedule> m_schedule;
};

/// One letter or sign for a step: what the time line draws.
[[nodiscard]] QString sign(interp::TraceEvent::Kind kind);
[[nodiscard]] QString kindText(interp::TraceEvent::Kind kind);
[[nodiscard]] QString sign(TaskState state);
[[nodiscard]] QString stateText(TaskState state);

} // namespace lemmascope
