// Beginning and end of a run: arguments and globals become memory, memory becomes results.

#include "core/interp/machine_state.h"

#include <new>

namespace lemmascope::interp {

namespace {

constexpr std::int64_t UnknownExtent = std::int64_t{1} << 62;

} // namespace

Machine::Machine(const std::shared_ptr<const Program>& program, TermDag& dag, const RunOptions& options, std::stop_token stop)
    : m_owner(program), m_program(*program), m_dag(dag), m_options(options), m_stop(std::move(stop)), m_ranges(dag) {}

Result<RunResult> Machine::run() {
    m_begin = std::chrono::steady_clock::now();
    m_concrete = m_options.arguments.has_value();
    if (isCareful()) {
        m_mode = Mode::Careful;
    }
    setUp();
    if (!m_over) {
        schedule();
    }
    if (m_cancelled) {
        return fail(ErrorCode::Cancelled, "cancelled");
    }
    if (m_early && (m_result.end == RunResult::End::Finished || m_result.end == RunResult::End::Faulted)) {
        m_result.end = RunResult::End::Faulted; // no task writes what was read
        m_result.fault = std::move(m_early);
    }
    if (m_result.end == RunResult::End::Finished) {
        collect();
    }
    finishTrace();
    m_result.steps = m_steps;
    m_result.tasks = m_infos.size() - 1;
    m_result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count();
    return std::move(m_result);
}

std::uint32_t Machine::allocate(ValueType type, const std::vector<std::int64_t>& sizes, Cell content, std::string name) {
    std::uint64_t count = 1;
    for (const std::int64_t size : sizes) {
        const auto next = static_cast<std::uint64_t>(size);
        if (size < 0 || (next != 0 && count > UINT32_MAX / next)) {
            count = UINT64_MAX;
            break;
        }
        count *= next;
    }
    if (count > UINT32_MAX || (m_cells + count) * sizeof(Cell) + m_dag.bytes() > m_options.limits.bytes) {
        m_result.end = RunResult::End::Undecided;
        m_result.undecided = "memory: the buffer '" + name + "' is larger than the limit allows";
        m_over = true;
        return 0;
    }
    Allocation& made = m_allocations.emplace_back();
    made.cells.assign(count, content);
    made.data = made.cells.data();
    made.count = count;
    made.type = type;
    made.sizes = sizes;
    made.isLive = true;
    made.name = std::move(name);
    m_cells += count;
    return static_cast<std::uint32_t>(m_allocations.size() - 1);
}

View Machine::viewOf(std::uint32_t allocation) const {
    const Allocation& memory = m_allocations[allocation];
    View view;
    view.allocation = allocation;
    view.rank = static_cast<std::uint32_t>(memory.sizes.size());
    std::int64_t stride = 1;
    for (std::size_t axis = memory.sizes.size(); axis-- > 0;) {
        view.size[axis] = memory.sizes[axis];
        view.stride[axis] = stride;
        stride *= std::max<std::int64_t>(memory.sizes[axis], 1);
    }
    if (memory.grows) {
        view.size[0] = UnknownExtent;
    }
    return view;
}

std::optional<View> Machine::argumentView(std::size_t position, const Argument& argument) {
    const ViewType& type = m_program.functions[m_program.entry].views[argument.position];
    std::vector<std::int64_t> sizes = type.sizes;
    bool grows = false;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        if (sizes[axis] != Dynamic) {
            continue;
        }
        const std::string key = argument.name + "." + std::to_string(axis);
        if (const auto given = m_options.sizes.find(key); given != m_options.sizes.end()) {
            sizes[axis] = given->second;
        } else if (axis == 0 && position < m_options.extents.size() && m_options.extents[position]) {
            sizes[axis] = *m_options.extents[position];
        } else if (axis == 0 && !argument.isTensor) { // a tensor is a value: all of it counts, accessed or not
            sizes[axis] = 0;
            grows = true;
        } else {
            m_result.end = RunResult::End::Undecided;
            m_result.undecided = "the extent of axis " + std::to_string(axis) + " of '" + argument.name + "' is unknown: give --size " + key + "=N";
            m_over = true;
            return std::nullopt;
        }
    }
    if (position < m_options.sharedWith.size() && m_options.sharedWith[position] != None && m_options.sharedWith[position] < position) {
        const std::uint32_t other = m_argumentAllocations[m_options.sharedWith[position]];
        m_argumentAllocations[position] = other;
        View view = viewOf(other);
        view.rank = static_cast<std::uint32_t>(sizes.size());
        return view;
    }
    const Cell content{0, m_concrete ? NoTerm : Pending};
    const std::uint32_t made = allocate(type.element, sizes, content, argument.name);
    if (m_over) {
        return std::nullopt;
    }
    Allocation& memory = m_allocations[made];
    memory.grows = grows;
    if (m_concrete) {
        const CellValues& values = (*m_options.arguments)[position];
        for (std::size_t i = 0; i < std::min<std::size_t>(values.size(), memory.count); ++i) {
            memory.data[i].bits = values[i] & maskOf(type.element);
        }
    } else {
        memory.buffer = m_options.argumentBuffers[position];
    }
    m_argumentAllocations[position] = made;
    return viewOf(made);
}

void Machine::setUp() {
    m_allocations.resize(MixedAllocation + 1); // nothing, and what two ways do not agree on; dead, so that an access asks
    m_globals.assign(m_program.globals.size(), 0);
    m_semaphores.resize(m_program.semaphores.size());
    for (std::size_t i = 0; i < m_semaphores.size(); ++i) {
        m_semaphores[i].count = m_semaphores[i].initial = m_program.semaphores[i].initial;
    }
    m_channels.resize(m_program.channels.size());
    m_argumentAllocations.assign(m_program.arguments.size(), 0);
    m_argumentViews.resize(m_program.arguments.size());
    m_nextCheck = 0;
    const TaskInfo info{.parent = 0, .ordinal = 0, .key = 1};
    Task& main = makeTask(m_program.entry, info);
    const FunctionCode& entry = m_program.functions[m_program.entry];
    for (std::size_t i = 0; i < m_program.arguments.size(); ++i) {
        const Argument& argument = m_program.arguments[i];
        if (argument.isView) {
            const std::optional<View> view = argumentView(i, argument);
            if (!view) {
                return;
            }
            m_argumentViews[i] = *view;
            main.views[argument.position] = *view;
            continue;
        }
        const ValueType type = entry.registers[argument.position];
        Cell& cell = main.registers[argument.position];
        if (const auto given = m_options.sizes.find(argument.name); given != m_options.sizes.end() && type.isInteger()) {
            cell = {static_cast<std::uint64_t>(given->second) & maskOf(type), NoTerm};
        } else if (m_concrete) {
            const CellValues& values = (*m_options.arguments)[i];
            cell = {values.empty() ? 0 : values.front() & maskOf(type), NoTerm};
        } else {
            cell = {0, m_dag.leaf(m_options.argumentBuffers[i], 0)};
        }
    }
    m_ready.push_back(main.id);
}

std::uint32_t Machine::globalAllocation(std::uint32_t number) {
    if (m_globals[number] != 0) {
        return m_globals[number];
    }
    const Global& global = m_program.globals[number];
    const bool liveIn = !global.isConstant && global.isInitialised;
    const bool leaves = liveIn && !m_concrete;
    const Cell content{0, !global.isInitialised ? Unwritten : leaves ? Pending : NoTerm};
    const std::uint32_t made = allocate(global.type.element, global.type.sizes, content, global.name);
    if (m_over) {
        return 0;
    }
    Allocation& memory = m_allocations[made];
    memory.isConstant = global.isConstant;
    if (leaves) {
        const auto buffer = m_options.globalBuffers.find(global.name);
        memory.buffer = buffer == m_options.globalBuffers.end() ? 0 : buffer->second;
    } else if (global.isInitialised) {
        const auto given = m_options.globals.find(global.name);
        const std::vector<std::uint64_t>& values = liveIn && given != m_options.globals.end() ? given->second : global.values;
        for (std::uint64_t i = 0; i < memory.count; ++i) {
            memory.data[i].bits = values.size() == 1 ? values.front() : i < values.size() ? values[i] : 0;
        }
    }
    m_globals[number] = made;
    return made;
}

void Machine::pushFrame(Task& task, std::uint32_t function) {
    const FunctionCode& code = m_program.functions[function];
    Frame frame;
    frame.code = &code;
    frame.function = function;
    frame.registers = task.registers.size();
    frame.views = task.views.size();
    frame.allocas = task.allocas.size();
    task.registers.resize(frame.registers + code.registers.size());
    task.views.resize(frame.views + code.views.size());
    for (const FunctionCode::Constant& constant : code.constants) {
        task.registers[frame.registers + constant.target].bits = constant.bits;
    }
    task.frames.push_back(frame);
}

LiveOut Machine::liveOut(std::string name, const View& view) {
    const Allocation& memory = m_allocations[view.allocation];
    LiveOut out;
    out.name = std::move(name);
    out.type = memory.type;
    out.written = memory.isWritten;
    out.allocation = view.allocation;
    std::uint64_t count = 1;
    for (std::uint32_t axis = 0; axis < view.rank; ++axis) {
        std::int64_t size = view.size[axis];
        if (size == UnknownExtent) {
            size = memory.sizes[0];
        }
        out.sizes.push_back(size);
        count *= static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0));
    }
    out.cells.reserve(count);
    std::vector<std::int64_t> at(view.rank);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::int64_t flat = view.offset;
        for (std::uint32_t axis = 0; axis < view.rank; ++axis) {
            flat += at[axis] * view.stride[axis];
        }
        Cell cell{0, Unwritten};
        if (flat >= 0 && static_cast<std::uint64_t>(flat) < memory.count) {
            cell = memory.data[flat];
            if (cell.term == Pending) {
                cell.term = m_dag.leaf(memory.buffer, static_cast<std::uint32_t>(flat));
            }
        }
        out.cells.push_back(cell);
        nextIndex(at, out.sizes.data());
    }
    return out;
}

void Machine::collect() {
    const Ended& main = m_ended.at(1);
    const FunctionCode& entry = m_program.functions[m_program.entry];
    for (const ResultInfo& result : m_program.results) {
        if (result.isView) {
            const View& view = main.views[result.position];
            if (view.allocation == MixedAllocation) {
                m_result.end = RunResult::End::Undecided;
                m_result.undecided = "which buffer is returned as '" + result.name + "' depends on data";
                return;
            }
            if (!m_allocations[view.allocation].isLive) {
                m_result.end = RunResult::End::Faulted;
                Fault found;
                found.kind = FaultKind::Freed;
                found.access = "read";
                found.buffer = m_allocations[view.allocation].name;
                found.step = stepOf(1);
                found.detail = "the result '" + result.name + "' is memory that was freed";
                m_result.fault = std::move(found);
                return;
            }
            if (const Allocation& memory = m_allocations[view.allocation]; memory.grows) {
                m_result.end = RunResult::End::Undecided;
                m_result.undecided = "the result '" + result.name + "' is of unknown extent: give --size " + memory.name + ".0=N";
                return;
            }
            m_result.results.push_back(liveOut(result.name, view));
        } else {
            LiveOut out;
            out.name = result.name;
            out.type = entry.scalarResults[result.position];
            out.cells.push_back(main.scalars[result.position]);
            if (out.cells.back().term == Mixed) {
                m_result.end = RunResult::End::Undecided;
                m_result.undecided = "the result '" + result.name + "' differs between the two ways of a condition that depends on data";
                return;
            }
            out.written = true;
            m_result.results.push_back(std::move(out));
        }
    }
    m_result.arguments.resize(m_program.arguments.size());
    m_result.extents.resize(m_program.arguments.size());
    for (std::size_t i = 0; i < m_program.arguments.size(); ++i) {
        if (m_program.arguments[i].isView) {
            m_result.arguments[i] = liveOut(m_program.arguments[i].name, m_argumentViews[i]);
            if (m_allocations[m_argumentAllocations[i]].grows) {
                m_result.extents[i] = m_allocations[m_argumentAllocations[i]].sizes[0];
            }
        }
    }
    for (std::size_t i = 0; i < m_program.globals.size(); ++i) {
        if (!m_program.globals[i].isConstant && m_globals[i] != 0) {
            m_result.globals.push_back(liveOut(m_program.globals[i].name, viewOf(m_globals[i])));
        }
    }
}

Result<RunResult> run(const std::shared_ptr<const Program>& program, TermDag& dag, const RunOptions& options, std::stop_token stop) {
    try {
        if (!options.arguments && options.argumentBuffers.size() != program->arguments.size()) {
            RunOptions filled = options;
            addBuffers(*program, dag, filled);
            return Machine(program, dag, filled, std::move(stop)).run();
        }
        return Machine(program, dag, options, std::move(stop)).run();
    } catch (const std::bad_alloc&) { // the budget was more than the machine has
        RunResult result;
        result.end = RunResult::End::Undecided;
        result.undecided = "memory: the system has no more";
        return result;
    }
}

void addBuffers(const Program& program, TermDag& dag, RunOptions& options) {
    const FunctionCode& entry = program.functions[program.entry];
    options.argumentBuffers.clear();
    for (const Argument& argument : program.arguments) {
        LeafBuffer buffer{argument.name, {}, {}};
        if (argument.isView) {
            buffer.type = entry.views[argument.position].element;
            buffer.sizes = entry.views[argument.position].sizes;
            for (std::size_t axis = 0; axis < buffer.sizes.size(); ++axis) {
                const auto given = options.sizes.find(argument.name + "." + std::to_string(axis));
                if (buffer.sizes[axis] == Dynamic && given != options.sizes.end()) {
                    buffer.sizes[axis] = given->second;
                }
            }
        } else {
            buffer.type = entry.registers[argument.position];
        }
        options.argumentBuffers.push_back(dag.addBuffer(std::move(buffer)));
    }
    for (const Global& global : program.globals) {
        if (!global.isConstant && global.isInitialised && !options.globalBuffers.contains(global.name)) {
            options.globalBuffers[global.name] = dag.addBuffer({global.name, global.type.element, global.type.sizes});
        }
    }
}

} // namespace lemmascope::interp
