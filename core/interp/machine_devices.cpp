// Semaphores, channels, and what it means that nothing can run any more.

#include "core/interp/machine_state.h"

#include <algorithm>

namespace lemmascope::interp {

void Machine::contend(const std::string& object, const Taking& earlier, Task& task, std::uint32_t pc) {
    if (m_result.contention) {
        return;
    }
    Contention found;
    found.object = object;
    found.first = earlier.step;
    found.second = stepAt(task, pc);
    m_result.contention = std::move(found);
}

Machine::Flow Machine::semaphoreOp(Task& task, const Instruction& in, std::uint32_t pc) {
    Cell* r = task.registers.data() + task.frames.back().registers;
    if (in.op == Op::SemaphoreHandle) {
        std::uint64_t number = in.a;
        if (in.c == 1) {
            if (r[in.b].term != NoTerm) {
                return undecidedValue(task, pc, "which semaphore is meant depends on data", in.b);
            }
            number += r[in.b].bits;
        }
        if (number >= m_semaphores.size()) {
            return undecidedValue(task, pc, "there is no such semaphore", in.b);
        }
        SemaphoreState& state = m_semaphores[number];
        if (state.handle == 0) {
            state.handle = newHandle(HandleEntry::Kind::Semaphore, static_cast<std::uint32_t>(number));
        }
        r[in.dst] = {state.handle, NoTerm};
        return Flow::Next;
    }
    const HandleEntry* entry = handle(r[in.a], HandleEntry::Kind::Semaphore);
    if (entry == nullptr) {
        return undecidedValue(task, pc, "a semaphore is expected", in.a);
    }
    if (r[in.b].term != NoTerm) {
        return undecidedValue(task, pc, "how much a semaphore is changed by depends on data", in.b);
    }
    if (!m_forks.empty()) {
        return undecided(task, pc, "a semaphore is used under a condition that depends on data: " + m_dag.text(m_guard, 80));
    }
    const auto amount = static_cast<std::int64_t>(r[in.b].bits);
    if (in.aux == 0 && amount < 0) {
        Fault found;
        found.kind = FaultKind::BadSize;
        found.access = in.op == Op::Acquire ? "acquire" : "release";
        found.buffer = m_program.semaphores[entry->number].name;
        found.index = {amount};
        return fault(task, std::move(found), pc);
    }
    if (in.op == Op::Release) {
        release(task, in, entry->number, amount, pc);
        return Flow::Next;
    }
    return acquire(task, in, entry->number, amount, pc);
}

Machine::Flow Machine::acquire(Task& task, const Instruction& in, std::uint32_t number, std::int64_t amount, std::uint32_t pc) {
    SemaphoreState& state = m_semaphores[number];
    const bool isBinary = in.aux == 1;
    const bool mayTake = isBinary ? !state.isHeld && state.count == amount : state.count >= amount;
    if (!mayTake) {
        state.waiters.push_back(task.id);
        return block(task, Wait::Semaphore, number, pc);
    }
    task.atHead = false;
    // Another task's taking that is not ordered before this one could have come second.
    const std::int64_t needed = isBinary ? 0 : state.taken + amount - state.initial;
    if (isBinary || needed > 0) {
        for (const Taking& earlier : state.takings) {
            if (earlier.task != task.id && (!isBinary || earlier.value == amount) && !knows(task, earlier.task, earlier.clock)) {
                contend(m_program.semaphores[number].name, earlier, task, pc);
                break;
            }
        }
    }
    Taking mine{task.id, task.own, amount, {}};
    mine.step = stepAt(task, pc);
    if (isBinary) {
        state.isHeld = true;
        learn(task, state.clock, 0, 0);
    } else {
        state.count -= amount;
        state.taken += amount;
        if (needed > 0 && state.isChain) {
            while (state.releases.size() > 1 && state.releases.front().sum < needed) {
                m_clocks.drop(state.releases.front().clock);
                state.releases.pop_front();
            }
            if (!state.releases.empty()) {
                learn(task, state.releases.front().clock, 0, 0);
            }
        } else if (needed > 0) {
            if (state.released - state.leastRelease >= needed && !state.takings.empty()) {
                contend(m_program.semaphores[number].name, state.takings.back(), task, pc);
            }
            learn(task, state.clock, 0, 0);
        }
    }
    state.holders[task.id] += isBinary ? 1 : amount;
    const auto old = std::find_if(state.takings.begin(), state.takings.end(),
                                  [&](const Taking& taking) { return taking.task == task.id && taking.value == amount; });
    if (old != state.takings.end()) {
        *old = std::move(mine);
    } else {
        // Takings that this one is ordered after are stood for by it.
        std::erase_if(state.takings,
                      [&](const Taking& taking) { return (!isBinary || taking.value == amount) && knows(task, taking.task, taking.clock); });
        state.takings.push_back(std::move(mine));
    }
    ++task.own;
    return Flow::Next;
}

void Machine::release(Task& task, const Instruction& in, std::uint32_t number, std::int64_t amount, std::uint32_t pc) {
    SemaphoreState& state = m_semaphores[number];
    task.atHead = false;
    const bool follows = state.lastReleaser == 0 || state.lastReleaser == task.id || knows(task, state.lastReleaser, state.lastReleaseClock);
    state.isChain = state.isChain && follows;
    if (!state.isChain && in.aux == 0 && state.taken > state.initial) {
        // An earlier taking could have been served by this release instead.
        for (const Taking& earlier : state.takings) {
            if (earlier.task != task.id && !knows(task, earlier.task, earlier.clock)) {
                contend(m_program.semaphores[number].name, earlier, task, pc);
                break;
            }
        }
    }
    const ClockPool::Clock mine = whole(task);
    if (in.aux == 1) {
        state.count = amount;
        state.isHeld = false;
        for (auto& [holder, units] : state.holders) {
            units = 0;
        }
    } else {
        state.count += amount;
        state.released += amount;
        state.leastRelease = std::min(state.leastRelease, amount);
        state.releases.push_back({state.released, m_clocks.copy(mine)});
        if (const auto held = state.holders.find(task.id); held != state.holders.end()) {
            held->second = std::max<std::int64_t>(held->second - amount, 0);
        }
    }
    state.clock = m_clocks.joined(state.clock, mine);
    state.lastReleaser = task.id;
    state.lastReleaseClock = task.own;
    ++task.own;
    wake(state.waiters);
}

Machine::Flow Machine::channelOp(Task& task, const Instruction& in, std::uint32_t pc) {
    const Frame& frame = task.frames.back();
    Cell* r = task.registers.data() + frame.registers;
    if (in.op == Op::ChannelHandle) {
        std::uint64_t number = in.a;
        if (in.c == 1) {
            if (r[in.b].term != NoTerm) {
                return undecidedValue(task, pc, "which channel is meant depends on data", in.b);
            }
            number += r[in.b].bits;
        }
        if (number >= m_channels.size()) {
            return undecidedValue(task, pc, "there is no such channel", in.b);
        }
        if (m_channels[number].handle == 0) {
            m_channels[number].handle = newHandle(HandleEntry::Kind::Channel, static_cast<std::uint32_t>(number));
        }
        r[in.dst] = {m_channels[number].handle, NoTerm};
        return Flow::Next;
    }
    const bool isValue = in.op == Op::PutValue || in.op == Op::GetValue;
    const bool puts = in.op == Op::Put || in.op == Op::PutValue;
    if (task.transferDone) { // the partner did it
        task.transferDone = false;
        if (in.op == Op::GetValue) {
            r[in.dst] = task.transferred;
        }
        return Flow::Next;
    }
    const HandleEntry* entry = handle(r[in.a], HandleEntry::Kind::Channel);
    if (entry == nullptr) {
        return undecidedValue(task, pc, "a channel is expected", in.a);
    }
    if (!m_forks.empty()) {
        return undecided(task, pc, "a channel is used under a condition that depends on data: " + m_dag.text(m_guard, 80));
    }
    const std::uint32_t number = entry->number;
    ChannelState& channel = m_channels[number];
    Taking& last = puts ? channel.lastPut : channel.lastGet;
    if (last.task != 0 && last.task != task.id && !knows(task, last.task, last.clock)) {
        contend(m_program.channels[number].name, last, task, pc);
    }
    last = {task.id, task.own, 0, stepAt(task, pc)};
    Offer mine;
    mine.task = task.id;
    mine.isValue = isValue;
    if (!isValue) {
        mine.view = task.views[frame.views + in.b];
    } else if (puts) {
        mine.value = r[in.b];
        mine.type = frame.code->registers[in.b];
        if (mine.value.term == Mixed) {
            return undecidedValue(task, pc, "what is sent differs between the two ways of a condition that depends on data", in.b);
        }
    } else {
        mine.type = frame.code->registers[in.dst];
    }
    std::deque<Offer>& partners = puts ? channel.gets : channel.puts;
    if (partners.empty()) {
        (puts ? channel.puts : channel.gets).push_back(mine);
        return block(task, puts ? Wait::GetPartner : Wait::PutPartner, number, pc);
    }
    const Offer other = partners.front();
    partners.pop_front();
    if (other.isValue != isValue || (isValue && other.type != mine.type)) {
        return undecided(task, pc, "the two ends of channel '" + m_program.channels[number].name + "' send and receive different kinds");
    }
    Task& partner = *m_byId[other.task];
    // A rendezvous orders both ways; then the transfer is this task's, and the partner learns of it.
    const ClockPool::Clock theirs = whole(partner);
    learn(task, theirs, 0, 0);
    m_clocks.drop(theirs);
    task.atHead = partner.atHead = false;
    if (isValue) {
        if (puts) {
            partner.transferred = mine.value;
        } else {
            r[in.dst] = other.value;
        }
    } else {
        const View from = puts ? mine.view : other.view;
        const View to = puts ? other.view : mine.view;
        if (from.rank != to.rank || m_allocations[from.allocation].type != m_allocations[to.allocation].type) {
            return undecided(task, pc, "the two ends of channel '" + m_program.channels[number].name + "' have buffers of different kinds");
        }
        if (const Flow flow = copyView(task, from, to, pc); flow != Flow::Next) {
            return flow;
        }
    }
    const ClockPool::Clock both = whole(task);
    learn(partner, both, 0, 0);
    m_clocks.drop(both);
    ++partner.own;
    ++task.own;
    partner.transferDone = true;
    wakeTask(partner.id);
    return Flow::Next;
}

bool Machine::mentions(const Task& task, Op handleOp, std::uint32_t number, Op wanted, Op orWanted) const {
    for (const Frame& frame : task.frames) {
        bool names = false;
        bool does = false;
        for (const Instruction& in : frame.code->code) {
            names = names || (in.op == handleOp && (in.a == number || (in.c == 1 && in.a <= number)));
            does = does || in.op == wanted || in.op == orWanted;
        }
        if (names && does) {
            return true;
        }
    }
    return false;
}

std::vector<std::uint32_t> Machine::waitsFor(const Task& task) const {
    std::vector<std::uint32_t> others;
    const auto collectLive = [&](const auto& wanted) {
        for (const std::uint32_t id : liveIds()) {
            if (id != task.id && wanted(*m_byId[id])) {
                others.push_back(id);
            }
        }
    };
    switch (task.wait) {
    case Wait::Task: others.push_back(task.waitObject); break;
    case Wait::Parallel: collectLive([&](const Task& other) { return other.parallel == task.waitObject; }); break;
    case Wait::Barrier: collectLive([&](const Task& other) { return other.team == task.waitObject && other.wait != Wait::Barrier; }); break;
    case Wait::Semaphore: {
        for (const auto& [holder, units] : m_semaphores[task.waitObject].holders) {
            if (units > 0 && m_byId[holder] != nullptr) {
                others.push_back(holder);
            }
        }
        if (others.empty()) {
            collectLive([&](const Task& other) { return mentions(other, Op::SemaphoreHandle, task.waitObject, Op::Release, Op::Release); });
        }
        break;
    }
    case Wait::PutPartner:
        collectLive([&](const Task& other) { return mentions(other, Op::ChannelHandle, task.waitObject, Op::Put, Op::PutValue); });
        break;
    case Wait::GetPartner:
        collectLive([&](const Task& other) { return mentions(other, Op::ChannelHandle, task.waitObject, Op::Get, Op::GetValue); });
        break;
    default: break;
    }
    return others;
}

std::string Machine::waitText(const Task& task) const {
    std::string text = taskName(task.id);
    if (!task.frames.empty()) {
        text += " at " + whereText(task, task.frames.back().pc);
    }
    text += " waits for ";
    switch (task.wait) {
    case Wait::Task: return text + taskName(task.waitObject);
    case Wait::Group: return text + "more tasks to be added to its group";
    case Wait::Parallel: return text + "its iterations";
    case Wait::Barrier: {
        const Team& team = m_teams[task.waitObject];
        text += "the other threads of its block at a barrier";
        return team.ended > 0 ? text + ", " + std::to_string(team.ended) + " of which have ended" : text;
    }
    case Wait::Semaphore: return text + "semaphore '" + m_program.semaphores[task.waitObject].name + "'";
    case Wait::PutPartner: return text + "a put into channel '" + m_program.channels[task.waitObject].name + "'";
    case Wait::GetPartner: return text + "a get from channel '" + m_program.channels[task.waitObject].name + "'";
    default: return text + "nothing";
    }
}

bool Machine::deadlocked() {
    const std::vector<std::uint32_t> ids = liveIds();
    for (const std::uint32_t id : ids) {
        if (m_byId[id]->wait == Wait::Held) { // a replay's order is not to be had
            m_untilDone = true;
            wakeTask(id);
            return true;
        }
    }
    const bool onlyIdleDevices = m_mainEnded && std::all_of(ids.begin(), ids.end(), [&](std::uint32_t id) {
                                     const Task& task = *m_byId[id];
                                     return task.isDevice && task.atHead;
                                 });
    if (onlyIdleDevices) {
        return false;
    }
    Deadlock found;
    // Depth first along the waiting tasks; the first way back into the path is the cycle.
    std::map<std::uint32_t, int> colour;
    for (const std::uint32_t start : ids) {
        std::vector<std::pair<std::uint32_t, std::size_t>> path;
        std::vector<std::vector<std::uint32_t>> next;
        if (colour[start] != 0) {
            continue;
        }
        path.emplace_back(start, 0);
        next.push_back(waitsFor(*m_byId[start]));
        colour[start] = 1;
        while (!path.empty() && found.cycle.empty()) {
            auto& [at, position] = path.back();
            if (position >= next.back().size()) {
                colour[at] = 2;
                path.pop_back();
                next.pop_back();
                continue;
            }
            const std::uint32_t to = next.back()[position++];
            if (m_byId[to] == nullptr) {
                continue;
            }
            if (colour[to] == 1) {
                const auto begin = std::find_if(path.begin(), path.end(), [&](const auto& entry) { return entry.first == to; });
                for (auto entry = begin; entry != path.end(); ++entry) {
                    found.cycle.push_back(waitText(*m_byId[entry->first]));
                }
                found.isCycle = true;
            } else if (colour[to] == 0) {
                colour[to] = 1;
                path.emplace_back(to, 0);
                next.push_back(waitsFor(*m_byId[to]));
            }
        }
        if (found.isCycle) {
            break;
        }
    }
    constexpr std::size_t MostNamed = 20;
    if (!found.isCycle) {
        for (const std::uint32_t id : ids) {
            const Task& task = *m_byId[id];
            if (!(task.isDevice && task.atHead) && found.cycle.size() < MostNamed) {
                found.cycle.push_back(waitText(task));
            }
        }
    }
    m_result.end = RunResult::End::Deadlocked;
    m_result.deadlock = std::move(found);
    m_over = true;
    return true;
}

} // namespace lemmascope::interp
