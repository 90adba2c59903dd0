#pragma once

// The state of one run, for the files machine_*.cpp only.

#include "core/interp/flow.h"
#include "core/interp/machine_parts.h"
#include "core/interp/term_range.h"
#include "core/program/number.h"

#include <chrono>

namespace lemmascope::interp {

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
    /// i1: the flags of an add, sub, mul or shl are broken.
    [[nodiscard]] Term undefinedValue(const Instruction& in, Term a, Term b);
    [[nodiscard]] Term overflowGuard(const Instruction& in, Term a, Term b, Term result);
    [[nodiscard]] Flow openCall(Task& task, const Instruction& in, Cell* r, const std::uint32_t* pool, std::uint32_t pc);
    void moveAll(const Instruction& in, const std::uint32_t* pool, Cell* r, View* v);
    /// `maySweep`: no term is held but in the state.
    [[nodiscard]] bool checkpoint(std::uint64_t steps, bool maySweep = true);
    [[nodiscard]] Term termOf(const Cell& cell, ValueType type) { return cell.term != NoTerm ? cell.term : m_dag.constant(type, cell.bits); }
    [[nodiscard]] Flow forBegin(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] Flow forNext(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] Flow switchOn(Task& task, const Instruction& in, std::uint32_t pc);
    [[nodiscard]] Flow slow(Task& task, const Instruction& in, std::uint32_t pc); ///< everything that is not in the loop

    // machine_terms.cpp
    void visitTerms(const std::function<void(Term&)>& visit);

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
    [[nodiscard]] Flow atomicUpdate(Task& task, const Instruction& in, std::uint32_t pc);
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
    void recycle(Task& task);
    void releaseHeld(); ///< a replay's awaited step is done
    [[nodiscard]] std::vector<std::uint32_t> liveIds() const;
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
        return addReader(task, allocation, flat, pc, s);
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
    [[nodiscard]] bool addReader(Task& task, Allocation& allocation, std::uint64_t flat, std::uint32_t pc, Shadow& shadow);
    [[nodiscard]] ReadSet& readSetOf(Shadow& shadow);
    void addEntry(Task& task, ReadSet& set, std::uint16_t update);
    /// An atomic update whose old value nobody reads, by an op whose order does not matter.
    [[nodiscard]] bool trackUpdate(Task& task, Allocation& allocation, std::uint64_t flat, std::uint32_t pc, std::uint16_t op);
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

    std::optional<Fault> m_early;     ///< the first read of a cell that nobody has written, where another task may write it later: then it is a race
    std::vector<TaskInfo> m_infos{1}; ///< by task id
    std::vector<Task*> m_byId{nullptr};        ///< by task id; null: ended
    std::deque<std::unique_ptr<Task>> m_tasks; ///< all that were made; ended ones are used again
    std::vector<Task*> m_spare;
    Task* m_ending = nullptr; ///< goes to m_spare with the next one that ends: the loop still looks at it
    std::unordered_map<std::uint32_t, Ended> m_ended;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_waiters; ///< for the end of a task
    std::deque<std::uint64_t> m_ready;                                       ///< tasks, or parallel runs with ParallelBit
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
