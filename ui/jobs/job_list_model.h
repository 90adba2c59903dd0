#pragma once

#include "ui/jobs/latest_job.h"

#include <QAbstractTableModel>
#include <QElapsedTimer>
#include <QTimer>

#include <functional>
#include <vector>

namespace lemmascope {

enum class JobState { Running, Done, Failed, Stopped };

/// The jobs of this run of the program, newest first; finished ones stay, at most `KeptJobs` of them.
class JobListModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { NameColumn, PhaseColumn, ProgressColumn, ElapsedColumn, ColumnCount };
    enum Role { StateRole = Qt::UserRole, DoneRole, TotalRole };
    static constexpr int KeptJobs = 100;

    explicit JobListModel(QObject* parent = nullptr);

    /// Adds a running job and returns its number, from 1. `stop` is called when the user asks to stop it.
    quint64 begin(const QString& name, std::function<void()> stop);
    void update(quint64 job, const JobProgress& progress);
    void finish(quint64 job, JobState state);

    void stop(int row);
    void stopAll();
    [[nodiscard]] int runningCount() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  Q_SIGNALS:
    void runningCountChanged(int count);

  private:
    struct Job {
        quint64 number = 0;
        QString name;
        JobProgress progress;
        JobState state = JobState::Running;
        QElapsedTimer started;
        qint64 elapsedMs = 0;
        std::function<void()> stop;
    };

    [[nodiscard]] int rowOf(quint64 job) const;
    void tick();

    std::vector<Job> m_jobs; ///< newest first
    quint64 m_lastNumber = 0;
    QTimer m_clock;
};

} // namespace lemmascope
