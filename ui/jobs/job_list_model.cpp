#include "ui/jobs/job_list_model.h"

#include <algorithm>

namespace lemmascope {

JobListModel::JobListModel(QObject* parent) : QAbstractTableModel(parent) {
    m_clock.setInterval(500);
    connect(&m_clock, &QTimer::timeout, this, &JobListModel::tick);
}

quint64 JobListModel::begin(const QString& name, std::function<void()> stop) {
    if (m_jobs.size() >= KeptJobs && m_jobs.back().state != JobState::Running) {
        const int last = static_cast<int>(m_jobs.size()) - 1;
        beginRemoveRows({}, last, last);
        m_jobs.pop_back();
        endRemoveRows();
    }
    Job job;
    job.number = ++m_lastNumber;
    job.name = name;
    job.stop = std::move(stop);
    job.started.start();
    beginInsertRows({}, 0, 0);
    m_jobs.insert(m_jobs.begin(), std::move(job));
    endInsertRows();
    m_clock.start();
    Q_EMIT runningCountChanged(runningCount());
    return m_lastNumber;
}

void JobListModel::update(quint64 job, const JobProgress& progress) {
    const int row = rowOf(job);
    if (row < 0 || m_jobs[static_cast<std::size_t>(row)].state != JobState::Running) {
        return;
    }
    m_jobs[static_cast<std::size_t>(row)].progress = progress;
    Q_EMIT dataChanged(index(row, PhaseColumn), index(row, ElapsedColumn));
}

void JobListModel::finish(quint64 job, JobState state) {
    const int row = rowOf(job);
    if (row < 0) {
        return;
    }
    Job& entry = m_jobs[static_cast<std::size_t>(row)];
    entry.state = state;
    entry.elapsedMs = entry.started.elapsed();
    entry.stop = nullptr;
    Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
    const int running = runningCount();
    if (running == 0) {
        m_clock.stop();
    }
    Q_EMIT runningCountChanged(running);
}

void JobListModel::stop(int row) {
    if (row < 0 || row >= rowCount()) {
        return;
    }
    // A copy: stopping finishes the job, which drops its function.
    if (const auto ask = m_jobs[static_cast<std::size_t>(row)].stop) {
        ask();
    }
}

void JobListModel::stopAll() {
    for (int row = 0; row < rowCount(); ++row) {
        stop(row);
    }
}

int JobListModel::runningCount() const {
    return static_cast<int>(std::count_if(m_jobs.begin(), m_jobs.end(), [](const Job& job) { return job.state == JobState::Running; }));
}

int JobListModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_jobs.size()); }

int JobListModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant JobListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const Job& job = m_jobs[static_cast<std::size_t>(index.row())];
    switch (role) {
    case StateRole: return static_cast<int>(job.state);
    case DoneRole: return static_cast<qulonglong>(job.progress.done);
    case TotalRole: return static_cast<qulonglong>(job.progress.total);
    case Qt::TextAlignmentRole: return index.column() >= ProgressColumn ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::DisplayRole: break;
    default: return {};
    }
    switch (index.column()) {
    case NameColumn: return job.name;
    case PhaseColumn:
        switch (job.state) {
        case JobState::Running: return job.progress.phase.isEmpty() ? tr("running") : job.progress.phase;
        case JobState::Done: return tr("done");
        case JobState::Failed: return tr("failed: see Messages");
        case JobState::Stopped: return tr("stopped");
        }
        return {};
    case ProgressColumn:
        // Only where the count is real: never a guessed percentage.
        return job.progress.total == 0 ? QString() : tr("%1 of %2").arg(job.progress.done).arg(job.progress.total);
    case ElapsedColumn: {
        const qint64 elapsed = job.state == JobState::Running ? job.started.elapsed() : job.elapsedMs;
        return tr("%1 s").arg(static_cast<double>(elapsed) / 1000.0, 0, 'f', elapsed < 10'000 ? 2 : 0);
    }
    default: return {};
    }
}

QVariant JobListModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case NameColumn: return tr("Job");
    case PhaseColumn: return tr("Phase");
    case ProgressColumn: return tr("Progress");
    case ElapsedColumn: return tr("Time");
    default: return {};
    }
}

int JobListModel::rowOf(quint64 job) const {
    const auto at = std::find_if(m_jobs.begin(), m_jobs.end(), [job](const Job& entry) { return entry.number == job; });
    return at == m_jobs.end() ? -1 : static_cast<int>(at - m_jobs.begin());
}

void JobListModel::tick() {
    for (int row = 0; row < rowCount(); ++row) {
        if (m_jobs[static_cast<std::size_t>(row)].state == JobState::Running) {
            Q_EMIT dataChanged(index(row, ElapsedColumn), index(row, ElapsedColumn));
        }
    }
}

} // namespace lemmascope
