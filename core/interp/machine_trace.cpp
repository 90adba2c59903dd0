// What happened in a run, event by event, within a bound: the beginning and the end are kept.

#include "core/interp/families.h"
#include "core/interp/machine_state.h"

#include <iterator>

namespace lemmascope::interp {

bool Machine::wantsEvent() {
    if (m_result.trace.events.size() < m_options.traced - m_options.traced / 2 || m_steps >= m_options.tracedFrom) {
        return true;
    }
    ++m_eventsLetGo;
    return false;
}

void Machine::trace(TraceEvent event) {
    if (m_result.trace.events.size() < m_options.traced - m_options.traced / 2) {
        m_result.trace.events.push_back(std::move(event));
        return;
    }
    m_lastEvents.push_back(std::move(event));
    if (m_lastEvents.size() > m_options.traced / 2) {
        m_lastEvents.pop_front();
        ++m_eventsLetGo;
    }
}

void Machine::traceTask(const Task& task, TraceEvent::Kind kind) {
    if (!wantsEvent()) {
        return;
    }
    TraceEvent event;
    event.kind = kind;
    event.task = task.id;
    event.step = stepAt(task, task.frames.back().pc);
    if (kind == TraceEvent::Kind::Wait) {
        event.detail = waitText(task);
        event.other = task.wait == Wait::Task ? task.waitObject : 0;
    }
    trace(std::move(event));
}

void Machine::traceSpawn(const TaskInfo& made, std::uint32_t number) {
    const Task* const parent = m_byId[made.parent];
    // Nobody makes main.
    if (parent == nullptr || parent->frames.empty() || !wantsEvent()) {
        return;
    }
    TraceEvent event;
    event.kind = TraceEvent::Kind::Spawn;
    event.task = made.parent;
    event.other = number;
    event.step = stepAt(*parent, parent->frames.back().pc);
    event.detail = taskName(number);
    trace(std::move(event));
}

void Machine::traceAccess(const Task& task, std::uint32_t allocation, std::uint64_t flat, std::uint32_t pc, bool writes) {
    if (!wantsEvent()) {
        return;
    }
    TraceEvent event;
    event.kind = writes ? TraceEvent::Kind::Write : TraceEvent::Kind::Read;
    event.task = task.id;
    event.step = stepAt(task, pc);
    event.buffer = m_allocations[allocation].name;
    event.index = indexOfCell(m_allocations[allocation].sizes, flat);
    trace(std::move(event));
}

void Machine::finishTrace() {
    Trace& trace = m_result.trace;
    trace.gapAt = trace.events.size();
    trace.skipped = m_eventsLetGo;
    trace.events.insert(trace.events.end(), std::make_move_iterator(m_lastEvents.begin()), std::make_move_iterator(m_lastEvents.end()));
    m_lastEvents.clear();
}

} // namespace lemmascope::interp
