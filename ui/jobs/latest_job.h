#pragma once

#include "core/base/result.h"
#include "ui/jobs/background_free.h"

#include <QObject>
#include <QPointer>
#include <QString>

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace lemmascope {

class JobListModel;

/// Where a running job stands. `total` is 0 while no honest count is known.
struct JobProgress {
    QString phase;
    std::size_t done = 0;
    std::size_t total = 0;
};

/// What work gets on its own thread: the token to poll and a way to tell where it stands (from any thread, cheap).
struct JobContext {
    std::stop_token stop;
    std::function<void(const JobProgress&)> report;
};

/// Runs one piece of work at a time off the UI thread, listed in a JobListModel. A new start stops the one before; a stopped
/// job delivers nothing; the result arrives on the UI thread by a queued call. `stop` returns at once: the thread of work that
/// is slow to notice is let go of and joined later. The destructor stops and waits, so work must poll its token.
/// Work gets copies or `shared_ptr<const T>`, never a widget.
class LatestJob : public QObject {
    Q_OBJECT

  public:
    /// `jobs` may be null (not listed) and must outlive nothing: it is watched.
    LatestJob(QString name, JobListModel* jobs, QObject* parent = nullptr);
    ~LatestJob() override;

    /// `done` runs on the UI thread with the result or the error. Exceptions of `work` become an Internal error.
    template <typename T>
    void start(std::function<Result<T>(const JobContext&)> work, std::function<void(Result<T>)> done) {
        startErased([work = std::move(work), done = std::move(done)](const JobContext& context) {
            auto result = freedInBackground(std::make_unique<Result<T>>(guarded<T>(work, context)));
            return Outcome{!result->has_value(), [result, done] { done(std::move(*result)); }};
        });
    }
    void stop();
    [[nodiscard]] bool isRunning() const { return m_running; }
    void setName(const QString& name) { m_name = name; }
    /// Threads of all jobs of the program whose work has not returned yet: stopped work counts until it has noticed.
    [[nodiscard]] static int workingThreads();

  Q_SIGNALS:
    void progressed(const lemmascope::JobProgress& progress); ///< of the current run, at most one queued at a time
    void stopped();                                           ///< the current run was stopped and will deliver nothing

  private:
    struct Outcome {
        bool failed = false;
        std::function<void()> deliver;
    };
    struct Run {
        quint64 generation = 0;
        std::jthread thread;
    };

    template <typename T>
    [[nodiscard]] static Result<T> guarded(const std::function<Result<T>(const JobContext&)>& work, const JobContext& context) {
        try {
            return work(context);
        } catch (const std::exception& exception) {
            return fail(ErrorCode::Internal, std::string("unexpected: ") + exception.what());
        }
    }
    void startErased(std::function<Outcome(const JobContext&)> work);
    void finished(quint64 generation, const Outcome& outcome);

    QString m_name;
    QPointer<JobListModel> m_jobs;
    quint64 m_generation = 0; ///< of the run whose result is wanted
    quint64 m_row = 0;        ///< its entry in the job list
    bool m_running = false;
    std::vector<std::shared_ptr<Run>> m_runs; ///< the current one and those that have yet to notice that they were stopped
};

} // namespace lemmascope
