#pragma once

// What a run is made of (memory, frames, tasks, what tasks wait for), for the files machine_*.cpp only.

#include "core/interp/clocks.h"
#include "core/interp/machine.h"

#include <deque>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lemmascope::interp {

inline constexpr std::uint32_t MixedAllocation = 1; ///< another one on each way of a condition: nothing may be done with it

struct View {
    std::uint32_t allocation = 0; ///< 0: nothing
    std::uint32_t rank = 0;
    std::int64_t offset = 0;
    std::int64_t size[MaxRank] = {};
    std::int64_t stride[MaxRank] = {};
};

/// The next index in row-major order; the first one after the last.
inline void nextIndex(std::vector<std::int64_t>& index, const std::int64_t* sizes) {
    for (std::size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < sizes[axis]) {
            break;
        }
        index[axis] = 0;
    }
}

/// Last write and reads of a cell as (task, clock of the task). Task 0: none since tasks exist.
struct Shadow {
    static constexpr std::uint32_t Many = 0xFFFFFFFFU; ///< as reader: several, readClock is their number in m_readSets
    std::uint32_t writer = 0;
    std::uint32_t writeClock = 0;
    std::uint32_t reader = 0;
    std::uint32_t readClock = 0;
};

/// Reads since the last write, and atomic updates by operation `update`, which are ordered with reads but not with each other.
struct ReadSet {
    struct Entry {
        std::uint32_t task = 0, clock = 0;
        std::uint16_t update = 0; ///< 0: a read; else 1 + the code of the op
    };
    std::vector<Entry> readers;
    std::size_t nextPrune = 16;
    bool hasUpdates = false;
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
    bool isValue = false;      ///< of a tensor or vector: a result keeps it
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

} // namespace lemmascope::interp
