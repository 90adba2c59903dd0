// Words for what happened: places, iterations, task names, values.

#include "core/interp/machine_state.h"

#include <algorithm>

namespace lemmascope::interp {

namespace {

bool writesRegister(const FunctionCode& f, const Instruction& in, Register wanted) {
    switch (in.op) {
    case Op::Jump:
    case Op::Moves:
        for (std::uint32_t i = 0; i < in.c; ++i) {
            if (f.operands[in.b + 2 * i] == wanted) {
                return true;
            }
        }
        return false;
    case Op::Branch:
    case Op::Switch:
    case Op::Call:
    case Op::Return:
    case Op::Fail:
    case Op::Unsupported:
    case Op::Store:
    case Op::Alloc:
    case Op::TeamAlloc:
    case Op::Dealloc:
    case Op::CopyView:
    case Op::MakeView:
    case Op::GlobalView:
    case Op::SelectView:
    case Op::Await:
    case Op::AwaitView:
    case Op::AwaitAll:
    case Op::Parallel:
    case Op::Barrier:
    case Op::Acquire:
    case Op::Release:
    case Op::Put:
    case Op::Get:
    case Op::PutValue:
    case Op::DeviceHead: return false;
    default: return in.dst == wanted;
    }
}

std::string listText(const std::vector<std::int64_t>& values) {
    std::string text = "[";
    for (std::size_t i = 0; i < values.size(); ++i) {
        text += (i > 0 ? "," : "") + std::to_string(values[i]);
    }
    return text + "]";
}

} // namespace

std::string_view name(FaultKind kind) {
    switch (kind) {
    case FaultKind::OutOfRange: return "out of range";
    case FaultKind::Uninitialised: return "uninitialised";
    case FaultKind::Freed: return "freed memory";
    case FaultKind::DivisionByZero: return "division by zero";
    case FaultKind::DivisionOverflow: return "division overflows";
    case FaultKind::BadStep: return "loop step is not positive";
    case FaultKind::BadView: return "view does not fit";
    case FaultKind::BadSize: return "negative size";
    case FaultKind::Assertion: return "assertion fails";
    case FaultKind::Poison: return "undefined value";
    }
    return "fault";
}

std::string Step::text() const {
    std::string out = op.empty() ? "step" : op;
    if (!place.empty()) {
        out += " at " + place;
    }
    std::string inside = task == "main" ? std::string() : task;
    for (const Iteration& iteration : iterations) {
        inside += (inside.empty() ? "" : ", ") + iteration.name + " = " + std::to_string(iteration.value);
    }
    return inside.empty() ? out : out + " (" + inside + ")";
}

std::string Fault::text() const {
    std::string out;
    switch (kind) {
    case FaultKind::OutOfRange:
    case FaultKind::Uninitialised:
    case FaultKind::Freed: {
        out = access + " of '" + buffer + "'";
        if (!index.empty()) {
            out += " at " + listText(index);
        }
        if (kind == FaultKind::OutOfRange) {
            out += " is out of range" + (size.empty() ? std::string() : ", size " + listText(size));
        } else {
            out += kind == FaultKind::Uninitialised ? ", which nobody has written" : " after it was freed";
        }
        break;
    }
    case FaultKind::BadView: out = "view of '" + buffer + "' does not fit"; break;
    case FaultKind::BadStep: out = "loop step " + (index.empty() ? std::string("?") : std::to_string(index.front())) + " is not positive"; break;
    case FaultKind::BadSize: out = "size " + (index.empty() ? std::string("?") : std::to_string(index.front())) + " is negative"; break;
    default: out = name(kind); break;
    }
    if (!detail.empty()) {
        out += ": " + detail;
    }
    out += ", " + step.text();
    if (!computedBy.empty()) {
        out += "; computed by " + computedBy;
    }
    return out;
}

std::string Race::text() const {
    const auto kind = [](bool writes) { return writes ? std::string("write") : std::string("read"); };
    const std::string both = areUpdates ? "atomic updates by different operations" : kind(firstWrites) + " and " + kind(secondWrites);
    return both + " of '" + buffer + "' at " + listText(index) + " are not ordered: " + first.text() + " and " + second.text() + "; " + missing;
}

std::string Contention::text() const { return "'" + object + "' may be taken first by either of " + first.text() + " and " + second.text(); }

std::string Deadlock::text() const {
    std::string out;
    for (const std::string& step : cycle) {
        out += (out.empty() ? "" : "; ") + step;
    }
    return out;
}

std::string Machine::taskName(std::uint32_t task) const {
    std::string name;
    for (std::uint32_t at = task; at > 1; at = m_infos[at].parent) {
        const TaskInfo& info = m_infos[at];
        std::string part;
        if (info.parallel != None) {
            const ParallelRun& run = m_parallels[info.parallel];
            part = "[";
            std::vector<std::int64_t> values(run.lower.size());
            std::uint64_t left = info.iteration;
            for (std::size_t axis = values.size(); axis-- > 0;) {
                values[axis] = run.lower[axis] + static_cast<std::int64_t>(left % static_cast<std::uint64_t>(run.count[axis])) * run.step[axis];
                left /= static_cast<std::uint64_t>(run.count[axis]);
            }
            part = m_program.names[m_program.places[info.place].op] + listText(values);
        } else {
            const Place& place = m_program.places[info.place];
            part = place.event != None ? m_program.names[place.event] : m_program.names[place.op] + "#" + std::to_string(info.ordinal);
        }
        name = name.empty() ? part : part + "/" + name;
    }
    return name.empty() ? "main" : name;
}

Step Machine::stepOf(std::uint32_t task) const {
    Step step;
    const TaskInfo& info = m_infos[task];
    const Place& place = m_program.places[info.place];
    step.task = taskName(task);
    step.taskKey = info.key;
    step.op = m_program.names[place.op];
    step.place = m_program.where(place);
    if (place.event != None) {
        step.event = m_program.names[place.event];
    }
    return step;
}

Step Machine::stepAt(const Task& task, std::uint32_t pc) const {
    Step step;
    const FunctionCode& code = *task.frames.back().code;
    const Place& place = m_program.places[code.places[pc]];
    step.op = m_program.names[place.op];
    step.place = m_program.where(place);
    step.task = taskName(task.id);
    step.taskKey = task.key;
    step.number = stepNumber(task);
    // A label stands on an op, on the labelled op that what is before it prepares, or on the task as a whole.
    std::uint32_t label = place.event;
    for (std::uint32_t at = pc; label == None && at < code.code.size(); ++at) {
        const Op op = code.code[at].op;
        if (op == Op::Barrier || op == Op::Jump || op == Op::Branch || op == Op::Return || op == Op::ForNext) {
            break;
        }
        label = m_program.places[code.places[at]].event;
    }
    const TaskInfo& info = m_infos[task.id];
    if (label == None) {
        label = m_program.places[info.place].event;
    }
    if (label != None) {
        step.event = m_program.names[label];
        if (info.parallel != None) {
            step.event += "@" + std::to_string(info.iteration);
        }
    }
    for (std::size_t depth = 0; depth < task.frames.size(); ++depth) {
        const Frame& frame = task.frames[depth];
        const std::uint32_t at = depth + 1 == task.frames.size() ? pc : frame.pc;
        std::vector<Iteration> inner;
        for (std::uint32_t scope = at < frame.code->scopes.size() ? frame.code->scopes[at] : None; scope != None;
             scope = frame.code->loops[scope].parent) {
            const Scope& loop = frame.code->loops[scope];
            if (loop.variable == None) {
                continue;
            }
            const Cell& value = task.registers[frame.registers + loop.variable];
            if (value.term == NoTerm) {
                inner.push_back(
                    {loop.name == None ? std::string() : m_program.names[loop.name], signedOf(frame.code->registers[loop.variable], value.bits)});
            }
        }
        std::reverse(inner.begin(), inner.end());
        step.iterations.insert(step.iterations.end(), inner.begin(), inner.end());
    }
    for (std::size_t i = 0; i < step.iterations.size(); ++i) {
        if (step.iterations[i].name.empty()) {
            step.iterations[i].name = "loop " + std::to_string(i + 1);
        }
    }
    return step;
}

std::string Machine::whereText(const Task& task, std::uint32_t pc) const {
    const Place& place = m_program.places[task.frames.back().code->places[pc]];
    const std::string where = m_program.where(place);
    const std::string& op = m_program.names[place.op];
    return where.empty() ? op : op.empty() ? where : op + " at " + where;
}

std::string Machine::definedAt(const FunctionCode& function, Register value) const {
    if (value < function.scalarParameters) {
        return "an argument of '" + function.name + "'";
    }
    for (std::size_t at = 0; at < function.code.size(); ++at) {
        if (writesRegister(function, function.code[at], value)) {
            const Place& place = m_program.places[function.places[at]];
            const std::string where = m_program.where(place);
            return m_program.names[place.op] + (where.empty() ? "" : " at " + where);
        }
    }
    return "a constant";
}

std::string Machine::valueText(const FunctionCode& function, Register value) const {
    std::string text;
    if (value < function.registerNames.size() && function.registerNames[value] != None) {
        text = "'" + m_program.names[function.registerNames[value]] + "', ";
    } else if (value < function.scalarParameters && &function == &m_program.functions[m_program.entry]) {
        for (const Argument& argument : m_program.arguments) {
            if (!argument.isView && argument.position == value) {
                return "'" + argument.name + "'";
            }
        }
    }
    return text + definedAt(function, value);
}

std::string Machine::bufferName(const FunctionCode& function, Register view, const Allocation& allocation) const {
    if (view < function.viewNames.size() && function.viewNames[view] != None) {
        return m_program.names[function.viewNames[view]];
    }
    return allocation.name.empty() ? "buffer" : allocation.name;
}

} // namespace lemmascope::interp
