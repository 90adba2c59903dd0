#include "ui/models/schedule_model.h"

#include "ui/canvas/palette.h"
#include "ui/views/text.h"

namespace lemmascope {

using Kind = interp::TraceEvent::Kind;

QString sign(Kind kind) {
    switch (kind) {
    case Kind::Spawn: return QStringLiteral("+");
    case Kind::Run: return QStringLiteral("\u25B8");
    case Kind::Read: return QStringLiteral("R");
    case Kind::Write: return QStringLiteral("W");
    case Kind::Wait: return QStringLiteral("\u2026");
    case Kind::End: return QStringLiteral("\u25A0");
    }
    return {};
}

QString kindText(Kind kind) {
    switch (kind) {
    case Kind::Spawn: return ScheduleModel::tr("starts a task");
    case Kind::Run: return ScheduleModel::tr("goes on");
    case Kind::Read: return ScheduleModel::tr("reads");
    case Kind::Write: return ScheduleModel::tr("writes");
    case Kind::Wait: return ScheduleModel::tr("waits");
    case Kind::End: return ScheduleModel::tr("ends");
    }
    return {};
}

QString sign(TaskState state) {
    switch (state) {
    case TaskState::NotMade: return QStringLiteral("\u00B7");
    case TaskState::Ready: return QStringLiteral("\u25CB");
    case TaskState::Running: return QStringLiteral("\u25B8");
    case TaskState::Waiting: return QStringLiteral("\u2026");
    case TaskState::Ended: return QStringLiteral("\u25A0");
    }
    return {};
}

QString stateText(TaskState state) {
    switch (state) {
    case TaskState::NotMade: return ScheduleModel::tr("not made yet");
    case TaskState::Ready: return ScheduleModel::tr("ready");
    case TaskState::Running: return ScheduleModel::tr("runs");
    case TaskState::Waiting: return ScheduleModel::tr("waits");
    case TaskState::Ended: return ScheduleModel::tr("has ended");
    }
    return {};
}

void ScheduleModel::setSchedule(std::shared_ptr<const Schedule> schedule) {
    beginResetModel();
    m_schedule = std::move(schedule);
    endResetModel();
}

int ScheduleModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !m_schedule ? 0 : static_cast<int>(m_schedule->steps.size());
}

QVariant ScheduleModel::data(const QModelIndex& index, int role) const {
    const auto row = static_cast<std::size_t>(index.row());
    if (!m_schedule || !index.isValid() || row >= m_schedule->steps.size() ||
        (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole)) {
        return {};
    }
    const ScheduleStep& step = m_schedule->steps[row];
    QString text = tr("%1  %2: %3").arg(row + 1).arg(toQString(m_schedule->tasks[step.task].name), toQString(step.text));
    if (m_schedule->marks(row)) {
        text = glyph(Role::Failing) + u' ' + text;
    }
    if (m_schedule->skipped > 0 && m_schedule->gapAt == row) {
        text += tr(" (before it, %1 steps are left out)").arg(m_schedule->skipped);
    }
    return text;
}

} // namespace lemmascope
