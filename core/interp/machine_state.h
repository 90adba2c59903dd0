#pragma once

// The state of one run, for the files machine_*.cpp only.

#include "core/interp/clocks.h"
#include "core/interp/flow.h"
#include "core/interp/machine.h"
#include "core/interp/term_range.h"
#include "core/program/number.h"

#include <chrono>
#include <deque>
#include <unordered_map>

namespace lemmascope::interp {

inline constexpr std::uint32_t MixedAllocation = 1; ///< another one on each way of a condition: nothing may be done with it

struct View {
    std::uint32_t allocation = 0; ///< 0: nothing
    std::uint32_t rank = 0;
    std::int64_t offset = 0;
    std::int64_t size[MaxRank] = {};
    std::int64_t stride[MaxRank] = {};
};

/// Last write and reads of a cell as (task, clock of the task). Task 0: none since tasks exist.
struct Shadow {
    static constexpr std::uint32_t Many = 0xFFFFFFFFU; ///< as reader: several, readClock is their number in m_readSets
    std::uint32_t writer = 0;
    std::uint32_t writeClock = 0;
    std::uint32_t reader = 0;
    std::uint32_t readClock = 0;
};

struct ReadSet {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> readers;
    std::size_t nextPrune = 16;
};

struct Allocation {
    std::vector<Cell> cells;
    Cell* data = nullptr;
    std::uint64_t count = 0;
    std::vector<Shadow> shadow;
    ValueType type;
    std::vector<std::int64_t> sizes;
    std::uint32_t buffer = None; ///< leaf buffer
    bool isLive = false;
    bool grows = false; ///< an argument whose first extent is unknown
    bool isWritten = false;
    bool isConstant = false;   ///< a constant global
    std::uint32_t freedAt = 0; ///< place
    std::string name;
};

struct Frame {
    const FunctionCode* code = nullptr;
    std::uint32_t function = 0;
    std::uint32_t pc = 0;
    std::size_t registers = 0; ///< start in Task::registers
    std::size_t views = 0;
    std::size_t allocas = 0; ///< how many of Task::allocas are older
};

/// What a task waits for.
enum class Wait : std::uint8_t { Nothing, Task, Group, Parallel, Barrier, Semaphore, PutPartner, GetPartner, Held };

struct TaskInfo {
    std::uint32_t parent = 0;
    std::uint32_t ordinal = 0; ///< among the parent's children
    std::uint64_t key = 0;
    std::uint32_t place = 0;       ///< of the op that made it
    std::uint32_t parallel = None; ///< instance, with the iteration's number in `iteration`
    std::uint64_t iteration = 0;
    std::uint32_t finalClock = 0; ///< when ended
};

struct Task {
    std::uint32_t id = 0;
    std::uint64_t key = 0;
    std::vector<Frame> frames;
    std::vector<Cell> registers;
    std::vector<View> views;
    std::vector<std::uint32_t> allocas;
    ClockPool::Clock clock = 0; ///< what it knows of others
    std::uint32_t own = 1;      ///< its own clock
    std::uint64_t steps = 0;    ///< of earlier stretches
    std::uint64_t resumedAt = 0;
    std::uint32_t children = 0;
    std::vector<std::uint32_t> dependencies; ///< handles to wait for before the first step
    std::size_t waitCursor = 0;
    Wait wait = Wait::Nothing;
    std::uint32_t waitObject = 0;
    std::uint32_t parallel = None; ///< the instance it is an iteration of
    std::uint32_t team = None;
    bool isDevice = false;
    bool atHead = false;
    bool barrierPassed = false;
    bool transferDone = false;
    Cell transferred;
};

/// An ended task's results and clock.
struct Ended {
    std::vector<Cell> scalars;
    std::vector<View> views;
    ClockPool::Clock clock = 0;
};

struct HandleEntry {
    enum class Kind : std::uint8_t { Nothing, Task, Group, Semaphore, Channel } kind = Kind::Nothing;
    std::uint32_t number = 0;
};

struct Group {
    std::uint64_t announced = 0;
    std::vector<std::uint32_t> members; ///< tasks
    std::vector<std::uint32_t> waiters;
};

struct ParallelRun {
    const ParallelSpec* spec = nullptr;
    std::uint32_t parent = 0;
    std::uint32_t place = 0;
    std::uint32_t bodyPlace = 0;
    std::vector<std::int64_t> lower, step, count;
    std::uint64_t total = 0, next = 0, ended = 0;
    std::uint64_t perBlock = 0;
    std::uint32_t firstTeam = 0;
    std::vector<Cell> captured;
    std::vector<View> views;
    std::vector<Cell> results; ///< iteration-major
    ClockPool::Clock clock = 0;
};

struct Team {
    std::uint64_t size = 0, arrived = 0, ended = 0;
    std::vector<std::uint32_t> waiting;
    std::unordered_map<std::uint32_t, std::uint32_t> allocations;
};

struct Taking {
    std::uint32_t task = 0, clock = 0;
    std::int64_t value = 0;
    Step step;
};

/// Clock of a release and the sum released up to it.
struct Released {
    std::int64_t sum = 0;
    ClockPool::Clock clock = 0;
};

struct SemaphoreState {
    std::int64_t count = 0, initial = 0, taken = 0, released = 0, leastRelease = INT64_MAX;
    bool isHeld = false;
    bool isChain = true; ///< each release knows the one before
    std::uint32_t lastReleaser = 0, lastReleaseClock = 0;
    ClockPool::Clock clock = 0; ///< of all releases
    std::deque<Released> releases;
    std::vector<Taking> takings; ///< the last one of each task
    std::vector<std::uint32_t> waiters;
    std::map<std::uint32_t, std::int64_t> holders;
    std::uint32_t handle = 0;
};

struct Offer {
    std::uint32_t task = 0;
    bool isValue = false;
    View view;
    Cell value;
    ValueType type;
};

struct ChannelState {
    std::deque<Offer> puts, gets;
    Taking lastPut, lastGet;
    std::uint32_t handle = 0;
};

struct UndoEntry {
    std::uint32_t allocation = 0;
    std::uint64_t cell = 0;
    Cell before;
};

/// A condition that depends on data: both ways are run up to where they meet.
struct Fork {
    std::size_t depth = 0; ///< frames
    std::uint32_t join = 0;
    std::uint32_t branch = 0;            ///< pc of the branch
    std::uint32_t first = 0, second = 0; ///< targets
    Term condition = NoTerm;             ///< of the way being run
    Term guardBefore = NoTerm;
    bool inSecond = false;
    bool firstDied = false;
    std::size_t undoStart = 0;
    std::vector<Cell> registersBefore, registersFirst;
    std::vector<View> viewsBefore, viewsFirst;
    std::vector<std::pair<UndoEntry, Cell>> writtenFirst; ///< (cell with its content before, after the first way)
};

class Machine {
  public:
    Machine(const std::shared_ptr<const Program>& program, TermDag& dag, const RunOptions& options, std::stop_token stop);
    [[nodiscard]] Result<RunResult> run();

  private:
    enum class Mode : std::uint8_t { Plain, Tracking, Careful };
    enum class Flow : std::uint8_t { Next, Reload, Stop };

    // machine_run.cpp
    template <Mode M>
    void execute(Task& task);
    [[nodiscard]] Flow scalar(Task& task, const Instruction& in, Cell* r, std::uint32_t pc);
    [[nodiscard]] Flow openCall(Task& task, const Instruction& in, Cell* r, const std::uint32_t* pool, std::uint32_t pc);
    void moveAll(const Instruction& in, const std::uint32_t* pool, Cell* r, View* v);
    [[nodiscard]] bool checkpoint(std::uint64_t steps);
    [[nodiscard]] Term termOf(const Cell& cell, ValueType type) { return cell.term != NoTerm ? cell.term : m_dag.constant(type, cell.bits); }
    [[nodiscard]] Flow forBegin(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] Flow forNext(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] Flow switchOn(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] Flow slow(Task& task, const Instruction& in, std::uint32_t pc); ///< everything that is not in the loop

    // machine_setup.cpp
    void setUp();
    void pushFrame(Task& task, std::uint32_t function);
    [[nodiscard]] std::uint32_t allocate(ValueType type, const std::vector<std::int64_t>& sizes, Cell content, std::string name);
    [[nodiscard]] std::optional<View> argumentView(std::size_t position, const Argument& argument);
    [[nodiscard]] View viewOf(std::uint32_t allocation) const;
    void collect();
    [[nodiscard]] LiveOut liveOut(std::string name, const View& view);
    [[nodiscard]] std::uint32_t globalAllocation(std::uint32_t number);

    // machine_memory.cpp
    [[nodiscard]] Flow access(Task& task, const Instruction& in, std::uint32_t pc); ///< what Load and Store do not do at once
    [[nodiscard]] Flow accessByData(Task& task, const Instruction& in, std::uint32_t pc, const View& view);
    [[nodiscard]] Flow alloc(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] Flow dealloc(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] Flow copyView(Task& task, const View& from, const View& to, std::uint32_t pc);
    [[nodiscard]] Flow makeView(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] bool content(Task& task, std::uint32_t allocation, std::uint64_t flat, std::uint32_t pc, const std::vector<std::int64_t>& index,
                               Cell& out);
    void put(std::uint32_t allocation, std::uint64_t flat, const Cell& value);
    /// Guard under which the content is one that nobody wrote, and the content otherwise.
    [[nodiscard]] bool stripUninitialised(Term term, Term& guard, Term& value);
    [[nodiscard]] bool extent(Task& task, const Extent& given, std::uint32_t pc, std::int64_t& out);
    [[nodiscard]] std::vector<std::int64_t> indexOf(const Allocation& allocation, std::uint64_t flat) const;

    // machine_fork.cpp
    [[nodiscard]] Flow fork(Task& task, Term condition, std::uint32_t ifTrue, std::uint32_t ifFalse, std::uint32_t pc, Register value);
    void join(Task& task);
    void endForks();                    ///< after one has gone
    [[nodiscard]] Flow die(Task& task); ///< this way ends in a fault
    void rollBack(std::size_t to);
    [[nodiscard]] Term negation(Term condition);
    [[nodiscard]] Term conjunction(Term a, Term b);
    [[nodiscard]] std::optional<bool> known(Term condition);
    [[nodiscard]] Flow fault(Task& task, Fault fault, std::uint32_t pc); ///< for certain, here
    void conditionalFault(Task& task, Fault fault, Term guard, std::uint32_t pc);
    [[nodiscard]] Flow undecided(const Task& task, std::uint32_t pc, const std::string& text);
    [[nodiscard]] Flow undecidedValue(const Task& task, std::uint32_t pc, const std::string& what, Register value);

    // machine_tasks.cpp
    void schedule();
    [[nodiscard]] Flow spawn(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] Flow await(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] Flow groupOp(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] Flow parallel(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] Flow barrier(Task& task, std::uint32_t pc);
    [[nodiscard]] Flow teamAlloc(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] Flow finishFrame(Task& task, const Instruction& in); ///< Return
    void finishTask(Task& task, const Instruction& in);
    void nextIteration(std::uint32_t run);
    [[nodiscard]] Flow foldReductions(Task& task, ParallelRun& run, std::uint32_t pc);
    [[nodiscard]] Task& makeTask(std::uint32_t function, const TaskInfo& info);
    [[nodiscard]] Flow block(Task& task, Wait wait, std::uint32_t object, std::uint32_t pc);
    void wake(std::vector<std::uint32_t>& waiters);
    void wakeTask(std::uint32_t task);
    [[nodiscard]] bool taskEnded(std::uint32_t task) const { return m_ended.contains(task); }
    void learn(Task& task, ClockPool::Clock clock, std::uint32_t of, std::uint32_t ownClock);
    [[nodiscard]] ClockPool::Clock whole(const Task& task); ///< what others learn from it, itself included; the caller owns it
    void startTracking();
    [[nodiscard]] std::uint32_t newHandle(HandleEntry::Kind kind, std::uint32_t number);
    [[nodiscard]] const HandleEntry* handle(const Cell& cell, HandleEntry::Kind kind) const;

    // machine_devices.cpp
    [[nodiscard]] Flow semaphoreOp(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] Flow channelOp(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] Flow acquire(Task& task, const Instruction& in, std::uint32_t number, std::int64_t amount, std::uint32_t pc);
    void release(Task& task, const Instruction& in, std::uint32_t number, std::int64_t amount, std::uint32_t pc);
    void contend(const std::string& object, const Taking& earlier, Task& task, std::uint32_t pc);
    [[nodiscard]] bool mentions(const Task& task, Op handleOp, std::uint32_t number, Op wanted, Op orWanted) const;
    [[nodiscard]] bool deadlocked();
    [[nodiscard]] std::vector<std::uint32_t> waitsFor(const Task& task) const;
    [[nodiscard]] std::string waitText(const Task& task) const;

    // machine_race.cpp
    [[nodiscard]] bool trackRead(Task& task, Allocation& allocation, std::uint64_t flat, std::uint32_t pc) {
        if (allocation.shadow.size() < allocation.count) {
            allocation.shadow.resize(allocation.count);
        }
        Shadow& s = allocation.shadow[flat];
        if (s.writer != 0 && s.writer != task.id && !knows(task, s.writer, s.writeClock)) {
            return raced(task, allocation, flat, pc, s.writer, true, false);
        }
        if (s.reader == task.id) {
            s.readClock = task.own;
            return true;
        }
        if (s.reader == 0) {
            s.reader = task.id;
            s.readClock = task.own;
            return true;
        }
        addReader(task, s);
        return true;
    }
    [[nodiscard]] bool trackWrite(Task& task, Allocation& allocation, std::uint64_t flat, std::uint32_t pc) {
        if (allocation.shadow.size() < allocation.count) {
            allocation.shadow.resize(allocation.count);
        }
        Shadow& s = allocation.shadow[flat];
        if (s.writer != 0 && s.writer != task.id && !knows(task, s.writer, s.writeClock)) {
            return raced(task, allocation, flat, pc, s.writer, true, true);
        }
        if (s.reader != 0 && s.reader != task.id && !readersKnown(task, allocation, flat, pc, s)) {
            return false;
        }
        s = {task.id, task.own, 0, 0};
        return true;
    }
    [[nodiscard]] bool knows(const Task& task, std::uint32_t other, std::uint32_t clock) {
        if (m_knowsTask == task.id && m_knowsOther == other && m_knowsClock >= clock) {
            return true;
        }
        const std::uint32_t known = m_clocks.at(task.clock, other);
        m_knowsTask = task.id;
        m_knowsOther = other;
        m_knowsClock = known;
        return known >= clock;
    }
    void addReader(Task& task, Shadow& shadow);
    [[nodiscard]] bool readersKnown(Task& task, Allocation& allocation, std::uint64_t flat, std::uint32_t pc, Shadow& shadow);
    bool raced(Task& task, Allocation& allocation, std::uint64_t flat, std::uint32_t pc, std::uint32_t earlier, bool earlierWrites, bool writes);
    void checkAtReturn(); ///< main's caller reads what tasks may still write
    [[nodiscard]] bool watches() const { return m_options.watched || m_options.traced != 0; }
    [[nodiscard]] bool isCareful() const { return watches() || m_options.reorder; }
    void watch(Task& task, std::uint32_t allocation, std::uint64_t flat, std::uint32_t pc, bool writes);

    // machine_trace.cpp
    [[nodiscard]] bool traces() const { return m_options.traced != 0; }
    [[nodiscard]] bool wantsEvent(); ///< else it is counted as let go
    void trace(TraceEvent event);
    void traceTask(const Task& task, TraceEvent::Kind kind); ///< where it stands
    void traceSpawn(const TaskInfo& made, std::uint32_t number);
    void traceAccess(const Task& task, std::uint32_t allocation, std::uint64_t flat, std::uint32_t pc, bool writes);
    void finishTrace();

    // machine_report.cpp
    [[nodiscard]] Step stepAt(const Task& task, std::uint32_t pc) const;
    [[nodiscard]] Step stepOf(std::uint32_t task) const; ///< of a task as a whole
    [[nodiscard]] std::string taskName(std::uint32_t task) const;
    [[nodiscard]] std::string valueText(const FunctionCode& function, Register value) const;
    [[nodiscard]] std::string definedAt(const FunctionCode& function, Register value) const;
    [[nodiscard]] std::string whereText(const Task& task, std::uint32_t pc) const; ///< `memref.load at f.mlir:3:5`
    [[nodiscard]] std::string bufferName(const FunctionCode& function, Register view, const Allocation& allocation) const;
    [[nodiscard]] std::uint64_t stepNumber(const Task& task) const { return task.steps + (m_steps - task.resumedAt); }

    std::shared_ptr<const Program> m_owner;
    const Program& m_program;
    TermDag& m_dag;
    const RunOptions& m_options;
    std::stop_token m_stop;
    RangeFinder m_ranges;
    FlowGraphs m_flow;
    RunResult m_result;

    bool m_concrete = false;
    bool m_over = false; ///< the run has ended, one way or the other
    bool m_cancelled = false;
    bool m_everForked = false;
    bool m_choices = false; ///< memory may hold choices with an uninitialised alternative
    Mode m_mode = Mode::Plain;
    bool m_tracking = false;
    std::uint64_t m_steps = 0;
    std::uint64_t m_extra = 0; ///< cells copied, which count like steps
    std::uint64_t m_nextCheck = 0;
    std::uint64_t m_cells = 0; ///< live
    std::chrono::steady_clock::time_point m_begin;

    std::deque<Allocation> m_allocations;
    std::vector<std::uint32_t> m_globals; ///< allocation by number; 0: not made yet
    std::vector<std::uint32_t> m_argumentAllocations;
    std::vector<View> m_argumentViews;

    std::vector<TaskInfo> m_infos{1}; ///< by task id
    std::unordered_map<std::uint32_t, std::unique_ptr<Task>> m_live;
    std::unordered_map<std::uint32_t, Ended> m_ended;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_waiters; ///< for the end of a task
    std::vector<std::unique_ptr<Task>> m_spare;
    std::deque<std::uint64_t> m_ready; ///< tasks, or parallel runs with ParallelBit
    static constexpr std::uint64_t ParallelBit = std::uint64_t{1} << 32;
    std::vector<HandleEntry> m_handles{1};
    std::vector<Group> m_groups;
    std::deque<ParallelRun> m_parallels;
    std::deque<Team> m_teams;
    std::vector<SemaphoreState> m_semaphores;
    std::vector<ChannelState> m_channels;
    ClockPool m_clocks;
    std::uint32_t m_knowsTask = 0, m_knowsOther = 0, m_knowsClock = 0;
    std::deque<ReadSet> m_readSets;
    bool m_mainEnded = false;
    bool m_untilDone = false;
    std::deque<TraceEvent> m_lastEvents; ///< behind the first half of a trace
    std::uint64_t m_eventsLetGo = 0;

    std::vector<Fork> m_forks;
    std::vector<UndoEntry> m_undo;
    Term m_guard = NoTerm; ///< conjunction of the conditions around here
};

} // namespace lemmascope::interp
