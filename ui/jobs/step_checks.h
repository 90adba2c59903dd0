#pragma once

#include "core/report/pipeline.h"
#include "ui/jobs/latest_job.h"
#include "ui/jobs/services.h"

#include <QObject>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace lemmascope {

class MessageModel;

/// A step of the open pipeline and what is known of it.
struct StepState {
    enum class Stage { Waiting, Running, Decided, Failed, Stopped } stage = Stage::Waiting;
    PipelineStep step;
    Verdict verdict = Verdict::Undecided; ///< when decided
    std::optional<Strength> strength;
    bool assuming = false; ///< something was accepted
    QString line;          ///< the verdict's line, or why there is none
};

/// Differences that the user accepts, by the two files of a pair.
using AcceptedPairs = std::map<std::pair<std::filesystem::path, std::filesystem::path>, std::vector<std::pair<std::string, std::string>>>;

/// The steps of a pipeline, checked in the background one after the other, each graph read once. Every signal comes on the UI
/// thread. Holds no widget.
class StepChecks : public QObject {
    Q_OBJECT

  public:
    StepChecks(Services services, JobListModel* jobs, MessageModel* messages, QObject* parent = nullptr);
    ~StepChecks() override;

    /// Graphs in their order, or one folder, whose graphs are taken in the order of their names. `opened` says what came of it.
    void open(const std::vector<std::filesystem::path>& graphs, const CheckOptions& options);
    /// Checks all steps again.
    void check(const CheckOptions& options, const AcceptedPairs& accepted);
    /// The answer for one step, found by the pair that is open; what the run in the background says of it counts no more.
    void take(std::size_t step, const CheckResult& result);
    /// Steps without a verdict stay without one.
    void stop();
    void close();

    [[nodiscard]] const std::vector<StepState>& steps() const { return m_steps; }
    [[nodiscard]] std::optional<std::size_t> indexOf(const std::filesystem::path& reference, const std::filesystem::path& rewritten) const;
    /// The first step whose verdict is other than proved, or which failed, while all before it are known to be proved.
    [[nodiscard]] std::optional<std::size_t> firstNotProved() const;
    [[nodiscard]] bool isIdle() const { return !m_list.isRunning() && !m_check.isRunning(); }

  Q_SIGNALS:
    void opened(); ///< other steps (or none) replaced those that were open
    void openFailed(const lemmascope::Error& error);
    void stepChanged(std::size_t step);

  private:
    void adopt(std::vector<PipelineStep> steps, const CheckOptions& options);
    void set(quint64 generation, std::size_t step, const StepState& state);

    Services m_services;
    MessageModel* m_messages;
    std::vector<StepState> m_steps;
    std::vector<bool> m_taken; ///< the open pair has answered: it knows best what was asked of it
    quint64 m_generation = 0;  ///< of the run whose answers are wanted
    // Last: destroyed first, so that running work ends before what it reports to.
    LatestJob m_list;
    LatestJob m_check;
};

} // namespace lemmascope
