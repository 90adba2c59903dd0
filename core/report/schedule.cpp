#include "core/report/schedule.h"

#include "core/report/program_diff.h"

#include <algorithm>
#include <array>
#include <map>

namespace lemmascope {

using interp::RunResult;
using interp::TraceEvent;
using Kind = TraceEvent::Kind;

namespace {

std::string cellName(const TraceEvent& event) {
    std::string text = event.buffer + "[";
    for (std::size_t i = 0; i < event.index.size(); ++i) {
        text += (i > 0 ? "," : "") + std::to_string(event.index[i]);
    }
    return text + "]";
}

std::string stepText(const TraceEvent& event, const std::string& cell) {
    switch (event.kind) {
    case Kind::Spawn: return "starts " + event.detail + ": " + event.step.text();
    case Kind::Run: return "goes on: " + event.step.text();
    case Kind::Read: return "reads " + cell + ": " + event.step.text();
    case Kind::Write: return "writes " + cell + ": " + event.step.text();
    case Kind::Wait: return event.detail;
    case Kind::End: return "ends: " + event.step.text();
    }
    return event.step.text();
}

/// Rows of tasks by the machine's numbers; a task is a row once something speaks of it.
class Rows {
  public:
    explicit Rows(Schedule& schedule) : m_schedule(schedule) {}

    std::size_t of(std::uint32_t number, std::size_t step) {
        const auto [at, isNew] = m_rows.emplace(number, m_schedule.tasks.size());
        if (isNew) {
            m_schedule.tasks.push_back({number, number == 1 ? "main" : std::string(), step, step});
        }
        ScheduleTask& task = m_schedule.tasks[at->second];
        task.last = std::max(task.last, step);
        return at->second;
    }

  private:
    Schedule& m_schedule;
    std::map<std::uint32_t, std::size_t> m_rows;
};

void addEdges(Schedule& schedule) {
    std::vector<std::optional<std::size_t>> made(schedule.tasks.size()), ended(schedule.tasks.size()), awaited(schedule.tasks.size());
    for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
        const ScheduleStep& step = schedule.steps[i];
        if (made[step.task]) {
            schedule.edges.push_back({*made[step.task], i});
            made[step.task].reset();
        }
        if (step.kind == Kind::Run && awaited[step.task] && ended[*awaited[step.task]]) {
            schedule.edges.push_back({*ended[*awaited[step.task]], i});
        }
        switch (step.kind) {
        case Kind::Spawn: made[*step.other] = i; break;
        case Kind::Wait: awaited[step.task] = step.other; break;
        case Kind::Run: awaited[step.task].reset(); break;
        case Kind::End: ended[step.task] = i; break;
        default: break;
        }
    }
}

void findRace(Schedule& schedule, const RunResult& run) {
    const interp::Race& race = *run.race;
    schedule.trouble = "race: " + race.text();
    schedule.missing = race.missing;
    std::optional<std::size_t> first, second;
    for (std::size_t i = run.trace.events.size(); i-- > 0 && !first;) {
        const TraceEvent& event = run.trace.events[i];
        if ((event.kind != Kind::Read && event.kind != Kind::Write) || event.buffer != race.buffer || event.index != race.index) {
            continue;
        }
        if (!second && event.step.taskKey == race.second.taskKey) {
            second = i;
        } else if (event.step.taskKey == race.first.taskKey && (event.kind == Kind::Write) == race.firstWrites) {
            first = i;
        }
    }
    if (first && !second) { // main's caller reads after the end
        for (std::size_t i = run.trace.events.size(); i-- > 0 && !second;) {
            if (run.trace.events[i].step.taskKey == race.second.taskKey) {
                second = i;
            }
        }
    }
    if (first && second && *first != *second) {
        schedule.race = {*first, *second};
        // The run itself keeps tasks, not ops, of the first access.
        interp::Race exact = race;
        exact.first = run.trace.events[*first].step;
        exact.second = run.trace.events[*second].step;
        schedule.trouble = "race: " + exact.text();
    }
}

} // namespace

const char* word(TaskState state) {
    constexpr std::array<const char*, 5> Words{"not made", "ready", "runs", "waits", "ended"};
    return Words[static_cast<std::size_t>(state)];
}

std::size_t Schedule::decisive() const { return race ? race->second : fault ? *fault : steps.empty() ? 0 : trouble.empty() ? 0 : steps.size() - 1; }

std::vector<TaskState> Schedule::statesAt(std::size_t at) const {
    std::vector<TaskState> states(tasks.size(), TaskState::NotMade);
    std::optional<std::size_t> running;
    for (std::size_t i = 0; i <= at && i < steps.size(); ++i) {
        const ScheduleStep& step = steps[i];
        if (running && *running != step.task && states[*running] == TaskState::Running) {
            states[*running] = TaskState::Ready;
        }
        running = step.task;
        if (step.kind == Kind::Spawn && step.other && states[step.task] == TaskState::Waiting) { // a launch waits for the threads it makes
            states[*step.other] = TaskState::Ready;
            continue;
        }
        states[step.task] = step.kind == Kind::Wait ? TaskState::Waiting : step.kind == Kind::End ? TaskState::Ended : TaskState::Running;
        if (step.kind == Kind::Spawn && step.other && states[*step.other] == TaskState::NotMade) {
            states[*step.other] = TaskState::Ready;
        }
    }
    return states;
}

Schedule scheduleOf(const RunResult& run, Side side) {
    Schedule schedule;
    schedule.side = side;
    schedule.gapAt = run.trace.gapAt;
    schedule.skipped = run.trace.skipped;
    Rows rows(schedule);
    for (std::size_t i = 0; i < run.trace.events.size(); ++i) {
        const TraceEvent& event = run.trace.events[i];
        ScheduleStep step;
        step.kind = event.kind;
        step.task = rows.of(event.task, i);
        if (schedule.tasks[step.task].name.empty()) {
            schedule.tasks[step.task].name = event.step.task;
        }
        if (event.other != 0) {
            step.other = rows.of(event.other, i);
            if (event.kind == Kind::Spawn) {
                schedule.tasks[*step.other].name = event.detail;
            }
        }
        step.op = event.step.op;
        step.line = lineOfPlace(event.step.place);
        step.cell = event.kind == Kind::Read || event.kind == Kind::Write ? cellName(event) : std::string();
        step.text = stepText(event, step.cell);
        schedule.steps.push_back(std::move(step));
    }
    addEdges(schedule);
    if (run.race) {
        findRace(schedule, run);
    }
    if (run.fault) {
        schedule.trouble = "fault: " + run.fault->text();
        // The op that faults follows what was last kept of its task.
        if (!schedule.steps.empty()) {
            ScheduleStep step;
            const ScheduleStep& last = schedule.steps.back();
            step.kind = Kind::Run;
            step.task = last.task;
            step.op = run.fault->step.op;
            step.line = lineOfPlace(run.fault->step.place);
            step.text = "faults: " + run.fault->text();
            schedule.steps.push_back(std::move(step));
            schedule.fault = schedule.steps.size() - 1;
            schedule.tasks[schedule.steps.back().task].last = *schedule.fault;
        }
    }
    if (run.deadlock) {
        schedule.trouble = "deadlock: " + run.deadlock->text();
        schedule.cycle = run.deadlock->cycle;
        schedule.isCycle = run.deadlock->isCycle;
        for (const std::string& who : schedule.cycle) {
            for (std::size_t row = 0; row < schedule.tasks.size(); ++row) {
                const std::string& name = schedule.tasks[row].name;
                if (!name.empty() && (who.starts_with(name + " at ") || who.starts_with(name + " waits "))) {
                    schedule.cycleTasks.push_back(row);
                    break;
                }
            }
        }
    }
    if (run.contention) {
        schedule.trouble = "nondeterministic: " + run.contention->text();
    }
    if (schedule.trouble.empty() && run.end == RunResult::End::Undecided) {
        schedule.trouble = "undecided: " + run.undecided;
    }
    return schedule;
}

Result<Schedule> scheduleOf(const std::shared_ptr<const interp::Program>& program, const RunResult& earlier, Side side, std::size_t most,
                            std::stop_token stop) {
    constexpr double SecondsToRunAgain = 60.0;
    interp::TermDag dag;
    interp::RunOptions options;
    interp::addBuffers(*program, dag, options);
    options.extents = earlier.extents;
    options.limits.seconds = SecondsToRunAgain;
    options.traced = most;
    options.tracedFrom = earlier.steps > most ? earlier.steps - most : 0;
    auto run = interp::run(program, dag, options, stop);
    if (!run) {
        return tl::unexpected<Error>(run.error());
    }
    return scheduleOf(*run, side);
}

} // namespace lemmascope
