// Races: FastTrack's epochs (Flanagan and Freund, PLDI 2009) on cells, clocks of the tasks from machine_tasks.cpp. Readers of a cell
// that nobody wrote in between are kept as a list that drops those everybody knows.

#include "core/interp/families.h"
#include "core/interp/machine_state.h"

#include <algorithm>

namespace lemmascope::interp {

ReadSet& Machine::readSetOf(Shadow& shadow) {
    if (shadow.reader != Shadow::Many) {
        ReadSet& made = m_readSets.emplace_back();
        if (shadow.reader != 0) {
            made.readers.push_back({shadow.reader, shadow.readClock, 0});
        }
        shadow.reader = Shadow::Many;
        shadow.readClock = static_cast<std::uint32_t>(m_readSets.size() - 1);
    }
    return m_readSets[shadow.readClock];
}

void Machine::addEntry(Task& task, ReadSet& set, std::uint16_t update) {
    if (!set.readers.empty() && set.readers.back().task == task.id && set.readers.back().update == update) {
        set.readers.back().clock = task.own;
        return;
    }
    if (set.readers.size() >= set.nextPrune) {
        std::erase_if(set.readers, [&](const ReadSet::Entry& entry) { return entry.task != task.id && knows(task, entry.task, entry.clock); });
        set.nextPrune = std::max<std::size_t>(16, 2 * set.readers.size());
    }
    set.readers.push_back({task.id, task.own, update});
}

bool Machine::addReader(Task& task, Allocation& allocation, std::uint64_t flat, std::uint32_t pc, Shadow& shadow) {
    if (shadow.reader != Shadow::Many && knows(task, shadow.reader, shadow.readClock)) {
        shadow.reader = task.id;
        shadow.readClock = task.own;
        return true;
    }
    ReadSet& set = readSetOf(shadow);
    if (set.hasUpdates) {
        for (const ReadSet::Entry& entry : set.readers) {
            if (entry.update != 0 && entry.task != task.id && !knows(task, entry.task, entry.clock)) {
                return raced(task, allocation, flat, pc, entry.task, true, false);
            }
        }
    }
    addEntry(task, set, 0);
    return true;
}

bool Machine::readersKnown(Task& task, Allocation& allocation, std::uint64_t flat, std::uint32_t pc, Shadow& shadow) {
    if (shadow.reader != Shadow::Many) {
        return knows(task, shadow.reader, shadow.readClock) || raced(task, allocation, flat, pc, shadow.reader, false, true);
    }
    ReadSet& set = m_readSets[shadow.readClock];
    for (const ReadSet::Entry& entry : set.readers) {
        if (entry.task != task.id && !knows(task, entry.task, entry.clock)) {
            return raced(task, allocation, flat, pc, entry.task, entry.update != 0, true);
        }
    }
    set = {};
    return true;
}

bool Machine::trackUpdate(Task& task, Allocation& allocation, std::uint64_t flat, std::uint32_t pc, std::uint16_t op) {
    if (allocation.shadow.size() < allocation.count) {
        allocation.shadow.resize(allocation.count);
    }
    Shadow& shadow = allocation.shadow[flat];
    if (shadow.writer != 0 && shadow.writer != task.id && !knows(task, shadow.writer, shadow.writeClock)) {
        return raced(task, allocation, flat, pc, shadow.writer, true, true);
    }
    const auto update = static_cast<std::uint16_t>(op + 1);
    ReadSet& set = readSetOf(shadow);
    for (const ReadSet::Entry& entry : set.readers) {
        if (entry.update != update && entry.task != task.id && !knows(task, entry.task, entry.clock)) {
            const bool areUpdates = entry.update != 0; // read before the set may go
            const bool fine = raced(task, allocation, flat, pc, entry.task, areUpdates, true);
            m_result.race->areUpdates = areUpdates;
            return fine;
        }
    }
    set.hasUpdates = true;
    addEntry(task, set, update);
    return true;
}

bool Machine::raced(Task& task, Allocation& allocation, std::uint64_t flat, std::uint32_t pc, std::uint32_t earlier, bool earlierWrites,
                    bool writes) {
    Race found;
    found.first = stepOf(earlier);
    found.second = stepAt(task, pc);
    found.firstWrites = earlierWrites;
    found.secondWrites = writes;
    found.buffer = allocation.name;
    found.index = indexOfCell(allocation.sizes, flat);
    found.guarded = m_everForked;
    found.cell = flat;
    for (std::size_t i = 0; i < m_allocations.size(); ++i) {
        if (&m_allocations[i] == &allocation) {
            found.allocation = static_cast<std::uint32_t>(i);
        }
    }
    if (traces()) {
        traceAccess(task, found.allocation, flat, pc, writes);
    }
    const TaskInfo& first = m_infos[earlier];
    const TaskInfo& second = m_infos[task.id];
    if (first.parallel != None && first.parallel == second.parallel) {
        const bool sameBlock =
            task.team != None && first.iteration / m_parallels[first.parallel].perBlock == second.iteration / m_parallels[first.parallel].perBlock;
        found.missing = sameBlock           ? "no barrier stands between them"
                        : task.team != None ? "threads of different blocks are not ordered"
                                            : "iterations of one parallel loop are not ordered";
    } else {
        found.missing = "nothing makes " + taskName(task.id) + " wait for " + taskName(earlier);
    }
    m_result.race = std::move(found);
    m_result.end = RunResult::End::Raced;
    m_over = true;
    return false;
}

void Machine::checkAtReturn() {
    const auto main = m_ended.find(1);
    if (main == m_ended.end()) {
        return;
    }
    std::vector<std::uint32_t> live;
    for (std::size_t i = 0; i < m_program.arguments.size(); ++i) {
        if (m_program.arguments[i].isView && m_program.arguments[i].role != Role::Scratch) {
            live.push_back(m_argumentAllocations[i]);
        }
    }
    for (const View& view : main->second.views) {
        live.push_back(view.allocation);
    }
    for (std::size_t i = 0; i < m_globals.size(); ++i) {
        if (m_globals[i] != 0 && !m_program.globals[i].isConstant) {
            live.push_back(m_globals[i]);
        }
    }
    for (const std::uint32_t number : live) {
        Allocation& memory = m_allocations[number];
        for (std::uint64_t flat = 0; flat < memory.shadow.size() && flat < memory.count; ++flat) {
            const Shadow& shadow = memory.shadow[flat];
            if (shadow.writer == 0 || shadow.writer == 1 || m_clocks.at(main->second.clock, shadow.writer) >= shadow.writeClock) {
                continue;
            }
            Race found;
            found.first = stepOf(shadow.writer);
            found.second = stepOf(1);
            found.second.op = "return";
            found.firstWrites = true;
            found.buffer = memory.name;
            found.index = indexOfCell(memory.sizes, flat);
            found.guarded = m_everForked;
            found.missing = "nothing makes main wait for " + taskName(shadow.writer) + " before it returns";
            found.allocation = number;
            found.cell = flat;
            m_result.race = std::move(found);
            m_result.end = RunResult::End::Raced;
            m_over = true;
            return;
        }
    }
}

void Machine::watch(Task& task, std::uint32_t allocation, std::uint64_t flat, std::uint32_t pc, bool writes) {
    constexpr std::size_t MostWatched = 100'000;
    if (traces()) {
        traceAccess(task, allocation, flat, pc, writes);
    }
    if (m_options.watched && m_options.watched->first == allocation && m_options.watched->second == flat && m_result.watched.size() < MostWatched) {
        m_result.watched.push_back({stepAt(task, pc), writes, task.id});
    }
}

} // namespace lemmascope::interp
