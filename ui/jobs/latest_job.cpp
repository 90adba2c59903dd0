#include "ui/jobs/latest_job.h"

#include "ui/jobs/job_list_model.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace lemmascope {

namespace {

/// The latest progress of one run. Work may report a thousand times a second; at most one queued call is on its way.
struct ProgressBox {
    std::mutex mutex;
    JobProgress latest;
    bool queued = false;
};

std::atomic<int> working{0};

} // namespace

LatestJob::LatestJob(QString name, JobListModel* jobs, QObject* parent) : QObject(parent), m_name(std::move(name)), m_jobs(jobs) {}

LatestJob::~LatestJob() {
    stop();
    m_runs.clear(); // joins; calls still queued to this object die with it
}

void LatestJob::startErased(std::function<Outcome(const JobContext&)> work) {
    stop();
    const quint64 generation = ++m_generation;
    m_running = true;
    m_row = m_jobs ? m_jobs->begin(m_name,
                                   [self = QPointer<LatestJob>(this), generation] {
                                       if (self && self->m_generation == generation) {
                                           self->stop();
                                       }
                                   })
                   : 0;

    auto box = std::make_shared<ProgressBox>();
    const quint64 row = m_row;
    auto report = [this, box, row, generation](const JobProgress& progress) {
        const std::scoped_lock lock(box->mutex);
        box->latest = progress;
        if (std::exchange(box->queued, true)) {
            return;
        }
        QMetaObject::invokeMethod(
            this,
            [this, box, row, generation] {
                JobProgress latest;
                {
                    const std::scoped_lock inner(box->mutex);
                    box->queued = false;
                    latest = box->latest;
                }
                if (generation != m_generation || !m_running) {
                    return;
                }
                if (m_jobs) {
                    m_jobs->update(row, latest);
                }
                Q_EMIT progressed(latest);
            },
            Qt::QueuedConnection);
    };

    auto run = std::make_shared<Run>();
    run->generation = generation;
    ++working;
    run->thread = std::jthread([this, generation, work = std::move(work), report](const std::stop_token& token) {
        const Outcome outcome = work(JobContext{token, report});
        --working;
        QMetaObject::invokeMethod(
            this, [this, generation, outcome] { finished(generation, outcome); }, Qt::QueuedConnection);
    });
    m_runs.push_back(std::move(run));
}

int LatestJob::workingThreads() { return working; }

void LatestJob::stop() {
    if (!m_running) {
        return;
    }
    m_running = false;
    ++m_generation; // whatever the run still delivers is of a past generation
    m_runs.back()->thread.request_stop();
    if (m_jobs) {
        m_jobs->finish(m_row, JobState::Stopped);
    }
    Q_EMIT stopped();
}

void LatestJob::finished(quint64 generation, const Outcome& outcome) {
    // Its thread is about to end, after freeing what the work was given: that is not waited for here.
    std::erase_if(m_runs, [generation](auto& run) {
        const bool over = run->generation == generation;
        if (over) {
            freeInBackground(std::move(run));
        }
        return over;
    });
    if (generation != m_generation || !m_running) {
        return;
    }
    m_running = false;
    if (m_jobs) {
        m_jobs->finish(m_row, outcome.failed ? JobState::Failed : JobState::Done);
    }
    outcome.deliver(); // last: it may start this job again, or delete it
}

} // namespace lemmascope
