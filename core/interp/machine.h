#pragma once

// Runs one program once: control and indices concrete, data symbolic or given. resources/docs/decisions/interpreter.md says why a
// run stands for all inputs and schedules. Tests: tests/core/interp.

#include "core/base/result.h"
#include "core/interp/term_dag.h"
#include "core/program/program.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope::interp {

/// A register or memory cell: a number, or the term of one.
struct Cell {
    std::uint64_t bits = 0;
    Term term = NoTerm;
    friend bool operator==(const Cell&, const Cell&) = default;
};

/// An argument's or global's content for a concrete run, row-major bits; an entry beyond the end is 0.
using CellValues = std::vector<std::uint64_t>;

/// One step of the iteration vector: innermost last.
struct Iteration {
    std::string name;
    std::int64_t value = 0;
    friend bool operator==(const Iteration&, const Iteration&) = default;
};

/// A step of a run: which op, where, in which task and iteration.
struct Step {
    std::string place; ///< `file:line:col`
    std::string op;    ///< `memref.store`
    std::string event; ///< label, `S1@0`; empty without one
    std::string task;  ///< `main`, `main/async#2`, `main/parallel[1,3]`
    std::vector<Iteration> iterations;
    std::uint64_t taskKey = 0;              ///< the same in every schedule
    std::uint64_t number = 0;               ///< of the task's instructions
    [[nodiscard]] std::string text() const; ///< `memref.store at f.mlir:3:5 (main, i = 2)`
};

enum class FaultKind : std::uint8_t {
    OutOfRange,
    Uninitialised,
    Freed, ///< access to, or a second free of, memory that was freed
    DivisionByZero,
    DivisionOverflow,
    BadStep,   ///< a loop step of zero or less
    BadView,   ///< a view that does not lie in its source or whose sizes do not fit
    BadSize,   ///< an allocation of negative size
    Assertion, ///< Op::Fail
    Poison     ///< a value that the program's own flags leave undefined (concrete runs only)
};
[[nodiscard]] std::string_view name(FaultKind kind); ///< `out of range`, `uninitialised` ...

struct Fault {
    FaultKind kind = FaultKind::OutOfRange;
    std::string access; ///< `read`, `write`, `free`, `divide`, `loop`, `view`, `assert`
    std::string buffer;
    std::vector<std::int64_t> index; ///< what was asked for; empty where it depends on data
    std::vector<std::int64_t> size;
    Step step;
    std::string computedBy;                 ///< the op that computed the offending number
    Term guard = NoTerm;                    ///< i1: when it happens; none: always
    std::string detail;                     ///< what is not in the other fields
    [[nodiscard]] std::string text() const; ///< one sentence
};

struct Race {
    Step first; ///< in the schedule that was run
    Step second;
    bool firstWrites = false;
    bool secondWrites = false;
    std::string buffer;
    std::vector<std::int64_t> index;
    bool guarded = false;    ///< an access stands under a condition that depends on data
    bool areUpdates = false; ///< both are atomic updates, by different operations: no race, but their order may show
    std::string missing;     ///< the edge that would order them
    std::uint32_t allocation = 0;
    std::uint64_t cell = 0;
    [[nodiscard]] std::string text() const;
};

/// Two tasks that may take one semaphore or channel, neither ordered before the other.
struct Contention {
    std::string object;
    Step first;
    Step second;
    [[nodiscard]] std::string text() const;
};

struct Deadlock {
    std::vector<std::string> cycle; ///< each waits for the next, the last for the first; or a chain that ends in what nobody does
    bool isCycle = false;
    [[nodiscard]] std::string text() const;
};

/// Content at the end: a result, an argument, a global.
struct LiveOut {
    std::string name;
    ValueType type;
    std::vector<std::int64_t> sizes; ///< empty: a scalar, one cell
    std::vector<Cell> cells;         ///< row-major
    bool written = false;
    std::uint32_t allocation = 0;
};

struct RunLimits {
    std::uint64_t steps = 2'000'000'000; ///< with digests in place of terms a hundred times as many: time is the bound
    std::uint64_t bytes = 2'000'000'000; ///< of cells and terms
    double seconds = 600.0;
    std::uint32_t callDepth = 1000;
    std::uint32_t symbolicCells = 4096; ///< cells that one access by a data-dependent index may stand for
    std::uint32_t nestedConditions = 64;
    std::uint32_t termsKept = 1U << 20; ///< with digests in place of terms: how many before those that nobody needs are forgotten
};

/// Forces another order: the task `holdTask` stops before its step `holdStep` until the task `untilTask` has done `untilStep`.
struct Reorder {
    std::uint64_t holdTask = 0, holdStep = 0;
    std::uint64_t untilTask = 0, untilStep = 0;
};

struct RunResult;

struct RunOptions {
    RunLimits limits;
    std::map<std::string, std::int64_t> sizes; ///< integer arguments by name; `A.0`: unknown extent of an axis
    /// Set: a concrete run on these, by argument position and by global name.
    std::optional<std::vector<CellValues>> arguments;
    std::map<std::string, CellValues> globals;
    std::vector<std::uint32_t> argumentBuffers;         ///< leaf buffers by argument position (symbolic runs)
    std::map<std::string, std::uint32_t> globalBuffers; ///< leaf buffers of mutable globals
    /// Extents of unknown axes by argument position, from the reference's run; empty: grow as accessed.
    std::vector<std::optional<std::int64_t>> extents;
    std::vector<std::uint32_t> sharedWith; ///< by argument position: the argument whose memory it names (--may-alias); None or empty: its own
    bool detectRaces = true;               ///< false: run on past races (replays)
    bool foldsFromEnd = false; ///< reductions over parallel iterations: x0 + (x1 + (... + initial)) in place of ((initial + x0) + x1) + ...
    std::optional<Reorder> reorder;
    std::optional<std::pair<std::uint32_t, std::uint64_t>> watched; ///< cell whose accesses are recorded
    std::size_t traced = 0;                                         ///< events to record, half of them the first ones; 0: none
    std::uint64_t tracedFrom = 0;                                   ///< past those, events of earlier steps are only counted
    RunResult* alsoHeld = nullptr;                                  ///< an earlier run's terms, which a DAG of digests keeps
    bool notesRounding = false;                                     ///< concrete runs: RunResult::rounded is told
};

/// What happened in a run, for stepping along its schedule.
struct TraceEvent {
    enum class Kind : std::uint8_t { Spawn, Run, Read, Write, Wait, End } kind = Kind::Run;
    std::uint32_t task = 0;          ///< from 1, main, in the order in which tasks were made
    std::uint32_t other = 0;         ///< Spawn: the task that was made; Wait: the task that is waited for, or 0
    Step step;                       ///< the op; of Run the one where the task goes on, of Wait the one that waits
    std::string buffer;              ///< Read, Write
    std::vector<std::int64_t> index; ///< of the cell in it
    std::string detail;              ///< Wait: what for, in words
};

/// The first and the last events of a run: `skipped` of them in between were let go.
struct Trace {
    std::vector<TraceEvent> events;
    std::size_t gapAt = 0; ///< the skipped ones stood before this event
    std::uint64_t skipped = 0;
};

struct WatchedAccess {
    Step step;
    bool writes = false;
    std::uint32_t task = 0;
};

struct RunResult {
    enum class End : std::uint8_t { Finished, Faulted, Raced, Deadlocked, Undecided } end = End::Finished;
    std::string undecided; ///< reason, with the place
    std::optional<Fault> fault;
    std::vector<Fault> conditional; ///< faults under a guard, in order
    std::optional<Race> race;
    std::optional<Deadlock> deadlock;
    std::optional<Contention> contention;
    std::vector<LiveOut> results;                     ///< as Program::results
    std::vector<LiveOut> arguments;                   ///< view arguments, by argument position (others empty)
    std::vector<LiveOut> globals;                     ///< mutable ones, in order
    std::vector<std::optional<std::int64_t>> extents; ///< of unknown leading axes, by argument position
    bool usedOpenFunction = false;                    ///< concrete runs: a made-up function stood for one of which nothing is known
    bool foldedFloats = false;                        ///< a float reduction over parallel iterations was folded in iteration order
    std::string orderedFold;                          ///< a reduction whose combination is not seen to be free of order, in words
    bool poison = false;                              ///< concrete runs: a value that MLIR leaves undefined was made
    bool rounded = false;                             ///< RunOptions::notesRounding: an operation of floats may have rounded (mayRound)
    bool reordered = false;                           ///< the asked-for order was reached
    std::vector<WatchedAccess> watched;
    Trace trace;
    std::uint64_t steps = 0;
    std::uint64_t tasks = 1;
    double seconds = 0.0;
};

/// Runs `program`. `dag` takes the terms (of both programs, for a comparison). Fails with Cancelled only; whatever the program does
/// is in the result.
[[nodiscard]] Result<RunResult> run(const std::shared_ptr<const Program>& program, TermDag& dag, const RunOptions& options,
                                    std::stop_token stop = {});

/// Leaf buffers for a program's arguments and mutable globals, named after them.
void addBuffers(const Program& program, TermDag& dag, RunOptions& options);

} // namespace lemmascope::interp
