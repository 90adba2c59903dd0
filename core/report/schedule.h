#pragma once

#include "core/base/result.h"
#include "core/interp/machine.h"
#include "core/prove/check_result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope {

/// One task of a run: a row of the time line.
struct ScheduleTask {
    std::uint32_t number = 0; ///< the machine's
    std::string name;         ///< `main`, `main/parallel[1,3]`
    std::size_t first = 0;    ///< steps of Schedule::steps that it takes part in
    std::size_t last = 0;
};

struct ScheduleStep {
    interp::TraceEvent::Kind kind = interp::TraceEvent::Kind::Run;
    std::size_t task = 0;             ///< row
    std::optional<std::size_t> other; ///< row of the task that is made or waited for
    std::string text;                 ///< `writes b[0]: memref.store at f.mlir:3:5 (i = 2)`
    std::string op;
    std::uint32_t line = 0; ///< in the program's text; 0: not known
    std::string cell;       ///< `b[0]` of an access
};

enum class TaskState : std::uint8_t { NotMade, Ready, Running, Waiting, Ended };

/// An order between two steps: a task is made, or has ended and another goes on.
struct ScheduleEdge {
    std::size_t from = 0;
    std::size_t to = 0;
    friend bool operator==(const ScheduleEdge&, const ScheduleEdge&) = default;
};

/// The schedule that was run, as far as it is kept, with what went wrong in it marked.
struct Schedule {
    Side side = Side::Rewritten;
    std::vector<ScheduleTask> tasks; ///< in the order in which they were made
    std::vector<ScheduleStep> steps;
    std::vector<ScheduleEdge> edges;
    std::size_t gapAt = 0; ///< before this step `skipped` others are left out
    std::uint64_t skipped = 0;

    std::string trouble;                                     ///< race, fault, deadlock in one sentence; empty: the run ended well
    std::optional<std::pair<std::size_t, std::size_t>> race; ///< the two accesses
    std::string missing;                                     ///< the edge that would order them
    std::vector<std::string> cycle;                          ///< who waits for whom
    bool isCycle = false;
    std::vector<std::size_t> cycleTasks; ///< rows
    std::optional<std::size_t> fault;    ///< step
    /// The step to look at first.
    [[nodiscard]] std::size_t decisive() const;
    /// What each task does once step `at` has happened; by row.
    [[nodiscard]] std::vector<TaskState> statesAt(std::size_t at) const;
    [[nodiscard]] bool marks(std::size_t step) const { return (race && (race->first == step || race->second == step)) || fault == step; }
};
[[nodiscard]] const char* word(TaskState state); ///< `waits`

/// Runs the program once more and keeps at most `most` events, those before its end among them. `earlier` tells how it went.
/// Fails with Cancelled.
[[nodiscard]] Result<Schedule> scheduleOf(const std::shared_ptr<const interp::Program>& program, const interp::RunResult& earlier, Side side,
                                          std::size_t most, std::stop_token stop);
/// The same of a run that was traced.
[[nodiscard]] Schedule scheduleOf(const interp::RunResult& run, Side side);

} // namespace lemmascope
