// Tasks: one schedule is run, first come first served; clocks keep what is ordered before what.

#include "core/interp/machine_state.h"

#include <cassert>

namespace lemmascope::interp {

namespace {

std::uint64_t childKey(std::uint64_t parent, std::uint32_t ordinal) {
    std::uint64_t key = (parent ^ (ordinal + 0x9E3779B97F4A7C15ULL)) * 0xBF58476D1CE4E5B9ULL;
    key ^= key >> 29;
    return key * 0x94D049BB133111EBULL;
}

} // namespace

Task& Machine::makeTask(std::uint32_t function, const TaskInfo& info) {
    if (m_spare.empty()) {
        m_spare.push_back(m_tasks.emplace_back(std::make_unique<Task>()).get());
    }
    Task& task = *m_spare.back();
    m_spare.pop_back();
    m_infos.push_back(info);
    task.id = static_cast<std::uint32_t>(m_infos.size() - 1);
    task.key = info.key;
    m_byId.push_back(&task);
    if (traces()) {
        traceSpawn(info, task.id);
    }
    pushFrame(task, function);
    return task;
}

std::vector<std::uint32_t> Machine::liveIds() const {
    std::vector<std::uint32_t> ids;
    for (std::uint32_t id = 1; id < m_byId.size(); ++id) {
        if (m_byId[id] != nullptr) {
            ids.push_back(id);
        }
    }
    return ids;
}

/// Ready for another task; the files keep their capacity.
void Machine::recycle(Task& task) {
    Task fresh;
    std::swap(fresh.frames, task.frames);
    std::swap(fresh.registers, task.registers);
    std::swap(fresh.views, task.views);
    fresh.frames.clear();
    fresh.registers.clear();
    fresh.views.clear();
    task = std::move(fresh);
    m_spare.push_back(&task);
}

std::uint32_t Machine::newHandle(HandleEntry::Kind kind, std::uint32_t number) {
    m_handles.push_back({kind, number});
    return static_cast<std::uint32_t>(m_handles.size() - 1);
}

const HandleEntry* Machine::handle(const Cell& cell, HandleEntry::Kind kind) const {
    if (cell.term != NoTerm || cell.bits >= m_handles.size() || m_handles[cell.bits].kind != kind) {
        return nullptr;
    }
    return &m_handles[cell.bits];
}

void Machine::startTracking() {
    m_tracking = m_options.detectRaces;
    if (m_mode == Mode::Plain) {
        m_mode = Mode::Tracking;
    }
}

ClockPool::Clock Machine::whole(const Task& task) { return m_clocks.with(m_clocks.copy(task.clock), task.id, task.own); }

void Machine::learn(Task& task, ClockPool::Clock clock, std::uint32_t of, std::uint32_t ownClock) {
    task.clock = m_clocks.joined(task.clock, m_clocks.copy(clock));
    if (of != 0) {
        task.clock = m_clocks.with(task.clock, of, ownClock);
    }
    m_knowsTask = 0;
}

Machine::Flow Machine::block(Task& task, Wait wait, std::uint32_t object, std::uint32_t pc) {
    task.frames.back().pc = pc;
    task.wait = wait;
    task.waitObject = object;
    return Flow::Stop;
}

void Machine::wakeTask(std::uint32_t task) {
    Task* const waiting = m_byId[task];
    if (waiting != nullptr && waiting->wait != Wait::Nothing) {
        waiting->wait = Wait::Nothing;
        m_ready.push_back(task);
    }
}

void Machine::wake(std::vector<std::uint32_t>& waiters) {
    for (const std::uint32_t task : waiters) {
        wakeTask(task);
    }
    waiters.clear();
}

void Machine::schedule() {
    while (!m_over) {
        if (m_ready.empty()) {
            if (!deadlocked()) {
                break;
            }
            continue;
        }
        const std::uint64_t next = m_ready.front();
        m_ready.pop_front();
        if ((next & ParallelBit) != 0) {
            nextIteration(static_cast<std::uint32_t>(next & ~ParallelBit));
            continue;
        }
        if (m_byId[next] == nullptr) {
            continue;
        }
        Task& task = *m_byId[next];
        bool mayRun = true;
        while (task.waitCursor < task.dependencies.size() && !task.frames.empty() && task.steps == 0) {
            const std::uint32_t other = task.dependencies[task.waitCursor];
            const auto ended = m_ended.find(other);
            if (ended == m_ended.end()) {
                task.wait = Wait::Task;
                task.waitObject = other;
                m_waiters[other].push_back(task.id);
                mayRun = false;
                if (traces()) {
                    traceTask(task, TraceEvent::Kind::Wait);
                }
                break;
            }
            learn(task, ended->second.clock, other, m_infos[other].finalClock);
            ++task.waitCursor;
        }
        if (!mayRun) {
            continue;
        }
        if (task.steps == 0 && task.waitCursor >= task.dependencies.size()) {
            task.waitCursor = 0;
            task.dependencies.clear();
        }
        const std::uint32_t id = task.id;
        task.resumedAt = m_steps;
        if (traces()) {
            traceTask(task, TraceEvent::Kind::Run);
        }
        while (!m_over && task.wait == Wait::Nothing && task.id == id && !task.frames.empty()) {
            switch (m_mode) {
            case Mode::Plain: execute<Mode::Plain>(task); break;
            case Mode::Tracking: execute<Mode::Tracking>(task); break;
            case Mode::Careful: execute<Mode::Careful>(task); break;
            }
        }
        if (traces() && !task.frames.empty() && task.wait != Wait::Nothing) {
            traceTask(task, TraceEvent::Kind::Wait);
        }
        if (!task.frames.empty()) {
            // An instruction that blocked has not run yet: it will be counted when it does.
            m_steps -= task.wait == Wait::Nothing || task.wait == Wait::Held ? 0 : 1;
            task.steps += m_steps - task.resumedAt;
            task.resumedAt = m_steps;
        }
    }
    if (!m_over && m_tracking && m_options.detectRaces) {
        checkAtReturn();
    }
}

Machine::Flow Machine::spawn(Task& task, const Instruction& in, std::uint32_t pc) {
    if (!m_forks.empty()) {
        return undecided(task, pc, "a task is started under a condition that depends on data: " + m_dag.text(m_guard, 80));
    }
    if (m_steps >= m_nextCheck && !checkpoint(m_steps)) {
        return Flow::Stop;
    }
    const Frame frame = task.frames.back();
    const FunctionCode& body = m_program.functions[in.a];
    const std::uint32_t* list = frame.code->operands.data() + in.b;
    std::vector<std::uint32_t> after;
    const std::size_t given = body.scalarParameters + body.viewParameters;
    for (std::uint32_t i = 0; i < in.c && in.op == Op::Spawn; ++i) {
        const HandleEntry* other = handle(task.registers[frame.registers + list[given + i]], HandleEntry::Kind::Task);
        if (other == nullptr) {
            return undecidedValue(task, pc, "a task waits for what is no task", list[given + i]);
        }
        after.push_back(other->number);
    }
    TaskInfo info;
    info.parent = task.id;
    info.ordinal = task.children++;
    info.key = childKey(task.key, info.ordinal);
    info.place = frame.code->places[pc];
    Task& made = makeTask(in.a, info);
    made.dependencies = std::move(after);
    made.isDevice = in.op == Op::SpawnDevice;
    for (std::uint32_t i = 0; i < body.scalarParameters; ++i) {
        made.registers[i] = task.registers[frame.registers + list[i]];
    }
    for (std::uint32_t i = 0; i < body.viewParameters; ++i) {
        made.views[i] = task.views[frame.views + list[body.scalarParameters + i]];
    }
    made.clock = whole(task);
    ++task.own;
    m_ready.push_back(made.id);
    task.registers[frame.registers + in.dst] = {newHandle(HandleEntry::Kind::Task, made.id), NoTerm};
    startTracking();
    task.frames.back().pc = pc + 1;
    return Flow::Reload;
}

Machine::Flow Machine::await(Task& task, const Instruction& in, std::uint32_t pc) {
    if (!m_forks.empty()) {
        return undecided(task, pc, "a task is awaited under a condition that depends on data: " + m_dag.text(m_guard, 80));
    }
    const Frame& frame = task.frames.back();
    Cell* r = task.registers.data() + frame.registers;
    const HandleEntry* other = handle(r[in.a], HandleEntry::Kind::Task);
    if (other == nullptr) {
        if (in.op == Op::Await && handle(r[in.a], HandleEntry::Kind::Group) != nullptr) {
            return groupOp(task, in, pc);
        }
        return undecidedValue(task, pc, "what is awaited is no task", in.a);
    }
    const auto ended = m_ended.find(other->number);
    if (ended == m_ended.end()) {
        m_waiters[other->number].push_back(task.id);
        return block(task, Wait::Task, other->number, pc);
    }
    learn(task, ended->second.clock, other->number, m_infos[other->number].finalClock);
    if (in.op == Op::AwaitValue) {
        if (in.b >= ended->second.scalars.size()) {
            return undecided(task, pc, "a task gives no such value");
        }
        r[in.dst] = ended->second.scalars[in.b];
    } else if (in.op == Op::AwaitView) {
        if (in.b >= ended->second.views.size()) {
            return undecided(task, pc, "a task gives no such buffer");
        }
        task.views[frame.views + in.dst] = ended->second.views[in.b];
    }
    return Flow::Next;
}

Machine::Flow Machine::groupOp(Task& task, const Instruction& in, std::uint32_t pc) {
    if (!m_forks.empty()) {
        return undecided(task, pc, "a group is used under a condition that depends on data: " + m_dag.text(m_guard, 80));
    }
    Cell* r = task.registers.data() + task.frames.back().registers;
    if (in.op == Op::GroupCreate) {
        if (r[in.a].term != NoTerm) {
            return undecidedValue(task, pc, "the size of a group depends on data", in.a);
        }
        m_groups.push_back({r[in.a].bits, {}, {}});
        r[in.dst] = {newHandle(HandleEntry::Kind::Group, static_cast<std::uint32_t>(m_groups.size() - 1)), NoTerm};
        return Flow::Next;
    }
    const HandleEntry* entry = handle(r[in.op == Op::GroupAdd ? in.b : in.a], HandleEntry::Kind::Group);
    if (entry == nullptr) {
        return undecidedValue(task, pc, "a group is expected", in.op == Op::GroupAdd ? in.b : in.a);
    }
    Group& group = m_groups[entry->number];
    if (in.op == Op::GroupAdd) {
        const HandleEntry* member = handle(r[in.a], HandleEntry::Kind::Task);
        if (member == nullptr) {
            return undecidedValue(task, pc, "what is added to a group is no task", in.a);
        }
        if (group.members.size() >= group.announced) {
            Fault found;
            found.kind = FaultKind::Assertion;
            found.access = "assert";
            found.detail = "more tasks are added to a group than it was made for, " + std::to_string(group.announced);
            return fault(task, std::move(found), pc);
        }
        r[in.dst] = {group.members.size(), NoTerm};
        group.members.push_back(member->number);
        wake(group.waiters);
        return Flow::Next;
    }
    const std::uint32_t number = entry->number;
    while (task.waitCursor < group.members.size()) {
        const std::uint32_t member = group.members[task.waitCursor];
        const auto ended = m_ended.find(member);
        if (ended == m_ended.end()) {
            m_waiters[member].push_back(task.id);
            return block(task, Wait::Task, member, pc);
        }
        learn(task, ended->second.clock, member, m_infos[member].finalClock);
        ++task.waitCursor;
    }
    if (group.members.size() < group.announced) {
        group.waiters.push_back(task.id);
        return block(task, Wait::Group, number, pc);
    }
    task.waitCursor = 0;
    return Flow::Next;
}

Machine::Flow Machine::parallel(Task& task, const Instruction& in, std::uint32_t pc) {
    const Frame& frame = task.frames.back();
    const FunctionCode& code = *frame.code;
    const ParallelSpec& spec = code.parallels[in.a];
    // Second visit: all iterations have ended.
    if (task.transferDone) {
        task.transferDone = false;
        ParallelRun& run = m_parallels[task.waitObject];
        const Flow flow = foldReductions(task, run, pc);
        m_clocks.drop(run.clock);
        run.clock = 0;
        run.results = {};
        run.captured = {};
        run.views = {};
        return flow;
    }
    if (!m_forks.empty()) {
        return undecided(task, pc, "a parallel loop runs under a condition that depends on data: " + m_dag.text(m_guard, 80));
    }
    const Cell* r = task.registers.data() + frame.registers;
    ParallelRun run;
    run.spec = &spec;
    run.parent = task.id;
    run.place = code.places[pc];
    run.total = 1;
    run.perBlock = 1;
    for (std::size_t axis = 0; axis < spec.lower.size(); ++axis) {
        for (const Register bound : {spec.lower[axis], spec.upper[axis], spec.step[axis]}) {
            if (r[bound].term != NoTerm) {
                return undecidedValue(task, pc, "a bound of a parallel loop depends on data", bound);
            }
        }
        const auto lower = static_cast<std::int64_t>(r[spec.lower[axis]].bits);
        const auto upper = static_cast<std::int64_t>(r[spec.upper[axis]].bits);
        const auto step = static_cast<std::int64_t>(r[spec.step[axis]].bits);
        if (step <= 0) {
            Fault found;
            found.kind = FaultKind::BadStep;
            found.access = "loop";
            found.index = {step};
            found.computedBy = definedAt(code, spec.step[axis]);
            return fault(task, std::move(found), pc);
        }
        if (spec.blockAxes > 0 && upper < 0) {
            Fault found;
            found.kind = FaultKind::BadSize;
            found.access = "launch";
            found.index = {upper};
            found.computedBy = definedAt(code, spec.upper[axis]);
            return fault(task, std::move(found), pc);
        }
        const std::uint64_t span = upper > lower ? static_cast<std::uint64_t>(upper) - static_cast<std::uint64_t>(lower) : 0;
        const std::uint64_t count = span == 0 ? 0 : (span - 1) / static_cast<std::uint64_t>(step) + 1;
        run.lower.push_back(lower);
        run.step.push_back(step);
        run.count.push_back(static_cast<std::int64_t>(std::min<std::uint64_t>(count, INT64_MAX)));
        if (count != 0 && run.total > m_options.limits.steps / count) {
            return undecided(task, pc, "step: a parallel loop has more iterations than the limit allows");
        }
        run.total *= count;
        if (axis >= spec.blockAxes) {
            run.perBlock *= count;
        }
    }
    for (const Register scalar : spec.scalars) {
        run.captured.push_back(r[scalar]);
    }
    for (const Register view : spec.views) {
        run.views.push_back(task.views[frame.views + view]);
    }
    const std::uint64_t blocks = spec.blockAxes > 0 && run.total > 0 ? run.total / run.perBlock : 0;
    if (run.total * spec.reductions.size() > m_options.limits.bytes / sizeof(Cell) || blocks > m_options.limits.bytes / (4 * sizeof(Team))) {
        return undecided(task, pc, "memory: a parallel loop has more iterations than the limit allows");
    }
    run.results.resize(run.total * spec.reductions.size());
    run.clock = whole(task);
    ++task.own;
    startTracking();
    const auto number = static_cast<std::uint32_t>(m_parallels.size());
    run.firstTeam = static_cast<std::uint32_t>(m_teams.size());
    for (std::uint64_t i = 0; i < blocks; ++i) {
        m_teams.emplace_back().size = run.perBlock;
    }
    const bool isEmpty = run.total == 0;
    m_parallels.push_back(std::move(run));
    task.waitObject = number;
    task.transferDone = true;
    task.children += 1;
    if (isEmpty) {
        task.frames.back().pc = pc; // again, to take the results
        return Flow::Reload;
    }
    m_ready.push_front(ParallelBit | number);
    return block(task, Wait::Parallel, number, pc);
}

void Machine::nextIteration(std::uint32_t number) {
    ParallelRun& run = m_parallels[number];
    const std::uint64_t iteration = run.next++;
    TaskInfo info;
    info.parent = run.parent;
    info.ordinal = static_cast<std::uint32_t>(iteration);
    info.key = childKey(childKey(m_infos[run.parent].key, number ^ 0x80000000U), info.ordinal);
    info.place = run.place;
    info.parallel = number;
    info.iteration = iteration;
    if (m_infos.size() >= UINT32_MAX - 1) {
        m_result.end = RunResult::End::Undecided;
        m_result.undecided = "memory: too many tasks";
        m_over = true;
        return;
    }
    Task& made = makeTask(run.spec->function, info);
    made.parallel = number;
    made.clock = m_clocks.copy(run.clock);
    std::uint64_t left = iteration;
    const std::size_t axes = run.lower.size();
    for (std::size_t axis = axes; axis-- > 0;) {
        const auto count = static_cast<std::uint64_t>(run.count[axis]);
        made.registers[axis] = {static_cast<std::uint64_t>(run.lower[axis]) + (left % count) * static_cast<std::uint64_t>(run.step[axis]), NoTerm};
        left /= count;
    }
    std::copy(run.captured.begin(), run.captured.end(), made.registers.begin() + static_cast<std::ptrdiff_t>(axes));
    std::copy(run.views.begin(), run.views.end(), made.views.begin());
    if (run.spec->blockAxes > 0) {
        made.team = run.firstTeam + static_cast<std::uint32_t>(iteration / run.perBlock);
    }
    if (run.next < run.total) {
        // Iterations start one after the other; a new block waits until what can run of the blocks before has run.
        if (run.spec->blockAxes > 0 && run.next % run.perBlock == 0) {
            m_ready.push_back(ParallelBit | number);
        } else {
            m_ready.push_front(ParallelBit | number);
        }
    }
    m_ready.push_front(made.id);
}

namespace {

/// Is a combination of two values free of order over the reals: a sum, a product, a least or greatest one and their like? Float casts round only.
bool isOrderFree(const FunctionCode& combiner) {
    enum class Root : std::uint8_t { Other, First, Second, Less, Combined };
    std::vector<Root> roots(combiner.registers.size(), Root::Other);
    if (roots.size() < 2) {
        return false;
    }
    roots[0] = Root::First;
    roots[1] = Root::Second;
    const auto both = [&](Register a, Register b) {
        return (roots[a] == Root::First && roots[b] == Root::Second) || (roots[a] == Root::Second && roots[b] == Root::First);
    };
    for (std::size_t at = 0, steps = 0; at < combiner.code.size() && steps < combiner.code.size(); ++at, ++steps) {
        const Instruction& in = combiner.code[at];
        // Of the commutative operations the upper halves of products alone are not associative.
        if (isCommutative(in.op) && in.op != Op::MulHighS && in.op != Op::MulHighU) {
            roots[in.dst] = both(in.a, in.b) ? Root::Combined : Root::Other;
            continue;
        }
        switch (in.op) {
        case Op::CmpI: roots[in.dst] = in.aux > static_cast<std::uint16_t>(CmpIPredicate::Ne) && both(in.a, in.b) ? Root::Less : Root::Other; break;
        case Op::CmpF: {
            const auto predicate = static_cast<CmpFPredicate>(in.aux);
            const bool isOrder = (predicate >= CmpFPredicate::Ogt && predicate <= CmpFPredicate::Ole) ||
                                 (predicate >= CmpFPredicate::Ugt && predicate <= CmpFPredicate::Ule);
            roots[in.dst] = isOrder && both(in.a, in.b) ? Root::Less : Root::Other;
            break;
        }
        case Op::Select: roots[in.dst] = roots[in.a] == Root::Less && both(in.b, in.c) ? Root::Combined : Root::Other; break;
        case Op::Copy:
        case Op::ExtF:
        case Op::TruncF: roots[in.dst] = roots[in.a]; break;
        case Op::Jump:
        case Op::Moves: {
            const std::vector<Root> before = roots;
            for (std::uint32_t i = 0; i < in.c; ++i) {
                const std::uint32_t* move = combiner.operands.data() + in.b + 2 * i;
                if ((move[1] & ViewBit) == 0) {
                    roots[move[0]] = before[move[1]];
                }
            }
            at = in.op == Op::Jump ? in.dst - 1 : at;
            break;
        }
        case Op::Return: return roots[combiner.operands[in.b]] == Root::Combined;
        default: return false;
        }
    }
    return false;
}

} // namespace

Machine::Flow Machine::foldReductions(Task& task, ParallelRun& run, std::uint32_t pc) {
    const ParallelSpec& spec = *run.spec;
    const std::size_t count = spec.reductions.size();
    for (std::size_t i = 0; i < count; ++i) {
        const ParallelSpec::Reduction& reduction = spec.reductions[i];
        Cell folded = task.registers[task.frames.back().registers + reduction.initial];
        const FunctionCode& combiner = m_program.functions[reduction.combiner];
        if (combiner.registers[0].isFloat() && run.total > 1) {
            m_result.foldedFloats = true;
        }
        if (run.total > 1 && m_result.orderedFold.empty() && !isOrderFree(combiner)) {
            m_result.orderedFold = "the order of a reduction over parallel iterations is open, and its combination is not seen to be associative and "
                                   "commutative, " +
                                   whereText(task, pc);
        }
        // A combiner computes: scalar operations and moves only.
        for (std::uint64_t k = 0; k < run.total; ++k) {
            pushFrame(task, reduction.combiner);
            const Frame frame = task.frames.back();
            Cell* r = task.registers.data() + frame.registers;
            const bool fromEnd = m_options.foldsFromEnd;
            r[fromEnd ? 1 : 0] = folded;
            r[fromEnd ? 0 : 1] = run.results[(fromEnd ? run.total - 1 - k : k) * count + i];
            std::uint32_t at = 0;
            Flow flow = Flow::Next;
            while (flow == Flow::Next) {
                const Instruction& in = combiner.code[at];
                ++m_steps;
                if (in.op == Op::Return) {
                    folded = r[combiner.operands[in.b]];
                    break;
                }
                if (in.op == Op::Jump || in.op == Op::Moves) {
                    moveAll(in, combiner.operands.data(), r, task.views.data() + frame.views);
                    at = in.op == Op::Jump ? in.dst : at + 1;
                    if (m_steps >= m_nextCheck && !checkpoint(m_steps, false)) {
                        return Flow::Stop;
                    }
                    continue;
                }
                if (in.op == Op::Open) {
                    flow = openCall(task, in, r, combiner.operands.data(), at);
                } else if (in.op <= Op::MathInt) {
                    flow = scalar(task, in, r, at);
                } else {
                    return undecided(task, at, "the combination of a reduction does more than compute");
                }
                ++at;
            }
            if (m_over || flow != Flow::Next) {
                return Flow::Stop;
            }
            task.registers.resize(frame.registers);
            task.views.resize(frame.views);
            task.frames.pop_back();
        }
        task.registers[task.frames.back().registers + reduction.result] = folded;
    }
    task.frames.back().pc = pc + 1;
    return Flow::Reload;
}

Machine::Flow Machine::barrier(Task& task, std::uint32_t pc) {
    if (task.team == None) {
        return undecided(task, pc, "a barrier outside a launch");
    }
    if (!m_forks.empty()) {
        return undecided(task, pc, "a barrier stands under a condition that depends on data: " + m_dag.text(m_guard, 80));
    }
    if (task.barrierPassed) {
        task.barrierPassed = false;
        return Flow::Next;
    }
    Team& team = m_teams[task.team];
    ++team.arrived;
    team.waiting.push_back(task.id);
    if (team.arrived < team.size) {
        return block(task, Wait::Barrier, task.team, pc);
    }
    // Everybody has come: what all did before is ordered before what all do after.
    ClockPool::Clock all = 0;
    for (const std::uint32_t id : team.waiting) {
        all = m_clocks.joined(all, whole(*m_byId[id]));
    }
    const std::vector<std::uint32_t> waiting = std::move(team.waiting);
    team.waiting.clear();
    team.arrived = 0;
    for (const std::uint32_t id : waiting) {
        Task& other = *m_byId[id];
        m_clocks.drop(other.clock);
        other.clock = m_clocks.copy(all);
        ++other.own;
        if (id != task.id) {
            other.barrierPassed = true;
            wakeTask(id);
        }
    }
    m_clocks.drop(all);
    m_knowsTask = 0;
    return Flow::Next;
}

Machine::Flow Machine::teamAlloc(Task& task, const Instruction& in, std::uint32_t pc) {
    if (task.team == None) {
        return undecided(task, pc, "memory of a block outside a launch");
    }
    const Frame& frame = task.frames.back();
    const auto [at, isNew] = m_teams[task.team].allocations.try_emplace(in.a, 0);
    if (isNew) {
        const ViewType& type = frame.code->views[in.dst];
        std::string name = in.dst < frame.code->viewNames.size() && frame.code->viewNames[in.dst] != None
                               ? m_program.names[frame.code->viewNames[in.dst]]
                               : whereText(task, pc);
        at->second = allocate(type.element, type.sizes, Cell{0, Unwritten}, std::move(name));
        if (m_over) {
            return Flow::Stop;
        }
    }
    task.views[frame.views + in.dst] = viewOf(at->second);
    return Flow::Next;
}

Machine::Flow Machine::finishFrame(Task& task, const Instruction& in) {
    Frame frame = task.frames.back();
    const FunctionCode& code = *frame.code;
    const std::uint32_t* results = code.operands.data() + in.b;
    if (task.allocas.size() > frame.allocas) {
        std::size_t kept = frame.allocas; // the caller's from now on
        for (std::size_t i = frame.allocas; i < task.allocas.size(); ++i) {
            Allocation& memory = m_allocations[task.allocas[i]];
            const std::uint32_t* views = results + code.scalarResults.size();
            if (memory.isValue && std::any_of(views, views + code.viewResults.size(),
                                              [&](std::uint32_t result) { return task.views[frame.views + result].allocation == task.allocas[i]; })) {
                task.allocas[kept++] = task.allocas[i];
                continue;
            }
            if (memory.isLive && task.frames.size() > 1) { // the entry's results may still be read
                memory.isLive = false;
                memory.freedAt = code.places[frame.pc];
                m_cells -= memory.count;
                memory.count = 0;
                memory.cells = {};
                memory.data = nullptr;
            }
        }
        task.allocas.resize(kept);
    }
    if (task.frames.size() == 1) {
        finishTask(task, in);
        return Flow::Stop;
    }
    Frame& caller = task.frames[task.frames.size() - 2];
    const Instruction& call = caller.code->code[caller.pc];
    const std::uint32_t* list = caller.code->operands.data() + call.b + code.scalarParameters + code.viewParameters;
    const std::size_t scalars = code.scalarResults.size();
    for (std::size_t i = 0; i < scalars; ++i) {
        task.registers[caller.registers + list[i]] = task.registers[frame.registers + results[i]];
    }
    for (std::size_t i = 0; i < code.viewResults.size(); ++i) {
        task.views[caller.views + list[scalars + i]] = task.views[frame.views + results[scalars + i]];
    }
    ++caller.pc;
    task.frames.pop_back();
    task.registers.resize(frame.registers);
    task.views.resize(frame.views);
    return Flow::Reload;
}

void Machine::finishTask(Task& task, const Instruction& in) {
    const Frame frame = task.frames.back();
    const FunctionCode& code = *frame.code;
    const std::uint32_t* results = code.operands.data() + in.b;
    const std::size_t scalars = code.scalarResults.size();
    m_infos[task.id].finalClock = task.own;
    const std::uint32_t id = task.id;
    if (traces()) {
        traceTask(task, TraceEvent::Kind::End);
    }
    if (task.parallel != None) {
        ParallelRun& run = m_parallels[task.parallel];
        for (std::size_t i = 0; i < scalars; ++i) {
            run.results[m_infos[id].iteration * scalars + i] = task.registers[frame.registers + results[i]];
        }
        if (task.team != None) {
            ++m_teams[task.team].ended;
        }
        assert(m_byId[run.parent] != nullptr);
        learn(*m_byId[run.parent], task.clock, id, task.own);
        m_clocks.drop(task.clock);
        if (++run.ended == run.total) {
            wakeTask(run.parent);
        }
    } else {
        Ended ended;
        for (std::size_t i = 0; i < scalars; ++i) {
            ended.scalars.push_back(task.registers[frame.registers + results[i]]);
        }
        for (std::size_t i = 0; i < code.viewResults.size(); ++i) {
            ended.views.push_back(task.views[frame.views + results[scalars + i]]);
        }
        ended.clock = task.clock;
        m_ended.emplace(id, std::move(ended));
        if (const auto waiters = m_waiters.find(id); waiters != m_waiters.end()) {
            std::vector<std::uint32_t> list = std::move(waiters->second);
            m_waiters.erase(waiters);
            wake(list);
        }
    }
    if (m_options.reorder && task.key == m_options.reorder->untilTask && !m_untilDone) {
        releaseHeld();
    }
    if (id == 1) {
        m_mainEnded = true;
    }
    task.frames.clear();
    m_byId[id] = nullptr;
    if (m_ending != nullptr) {
        recycle(*m_ending);
    }
    m_ending = &task;
}

void Machine::releaseHeld() {
    m_untilDone = true;
    m_result.reordered = true;
    for (const std::uint32_t id : liveIds()) {
        if (m_byId[id]->wait == Wait::Held) { // there is one at most
            wakeTask(id);
        }
    }
}

} // namespace lemmascope::interp
