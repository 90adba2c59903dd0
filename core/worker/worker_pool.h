#pragma once

#include "core/worker/dot_request.h"
#include "core/worker/solver.h"
#include "core/worker/worker_loss.h"

#include <memory>
#include <string>
#include <vector>

namespace lemmascope {

/// Worker processes (`lemmascope-cli --worker`) that answer solver and layout requests. Processes start when first needed
/// and live on; each serves one request at a time. A request whose worker crashes is asked once more of a fresh one, then
/// fails with WorkerFailed, saying how both ended. A stop request kills the worker: control returns at once, the process
/// is dead soon after, the next request starts another.
/// Thread-safe. Destroy it when no call is running; the workers die with it, and with this program however it ends.
class WorkerPool final : public LemmaSolver {
  public:
    struct Options {
        std::string executable; ///< empty: `lemmascope-cli` beside the running program
        std::vector<std::string> arguments{"--worker"};
        unsigned workers = 0; ///< processes at most; 0: one per core
        unsigned startTimeoutMs = 20'000;
        unsigned graceMs = 2'000; ///< past its time limit a request is given this long before its worker is killed
    };

    WorkerPool();
    explicit WorkerPool(Options options);
    ~WorkerPool() override;
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    /// Fails with Internal when the script does not parse, NotFound when there is no worker program, WorkerFailed when
    /// workers crash or speak another protocol. Past its time limit and unanswered: Unknown `time`.
    [[nodiscard]] Result<SolverAnswer> ask(const SolverRequest& request, std::stop_token stop) override;
    [[nodiscard]] unsigned parallelism() const override;
    /// Starts a worker if none has started yet.
    [[nodiscard]] Result<std::string> solverName(std::stop_token stop) override;

    /// Places boxes with `dot`. Fails with TooLarge, BadData, WorkerFailed (also for a layout that takes too long), NotFound,
    /// Cancelled.
    [[nodiscard]] Result<DotAnswer> draw(const DotRequest& request, std::stop_token stop);

    /// Told of every worker that ended before it answered, but for those that a stop request killed. Null: nobody. On return no
    /// call to the one before is under way.
    void setLossHandler(WorkerLossHandler handler);

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace lemmascope
