// Conditions that depend on data: the state is kept, both ways are run up to where they meet, and what they leave in registers and
// memory becomes a choice. Faults on the way keep the condition as their guard.

#include "core/interp/machine_state.h"
#include "core/interp/term_graph.h"

#include <algorithm>
#include <array>
#include <set>

namespace lemmascope::interp {

namespace {

struct CellPlace {
    std::uint32_t allocation = 0;
    std::uint64_t cell = 0;
    friend bool operator==(const CellPlace&, const CellPlace&) = default;
};

struct CellPlaceHash {
    std::size_t operator()(const CellPlace& place) const noexcept {
        return static_cast<std::size_t>((place.cell * 0x9E3779B97F4A7C15ULL) ^ (std::uint64_t{place.allocation} << 40));
    }
};

} // namespace

Term Machine::negation(Term condition) {
    const TermNode& n = m_dag.node(condition);
    const Term always = m_dag.constant(Bit, 1);
    if (n.kind == TermKind::Constant) {
        return m_dag.constant(Bit, m_dag.constantBits(condition) ^ 1);
    }
    if (n.kind == TermKind::Apply && n.op == Op::Xor && (n.a == always || n.b == always)) {
        return n.a == always ? n.b : n.a;
    }
    return m_dag.apply(Op::Xor, Bit, 0, condition, always);
}

Term Machine::conjunction(Term a, Term b) {
    if (a == NoTerm || a == b) {
        return b;
    }
    if (b == NoTerm) {
        return a;
    }
    return m_dag.apply(Op::And, Bit, 0, a, b);
}

std::optional<bool> Machine::known(Term condition) {
    if (const std::optional<bool> decided = m_ranges.decided(condition)) {
        return decided;
    }
    if (!m_forks.empty()) {
        const Term opposite = negation(condition);
        for (const Fork& fork : m_forks) {
            if (fork.condition == condition) {
                return true;
            }
            if (fork.condition == opposite) {
                return false;
            }
        }
    }
    return std::nullopt;
}

Machine::Flow Machine::fork(Task& task, Term condition, std::uint32_t ifTrue, std::uint32_t ifFalse, std::uint32_t pc, Register value) {
    Frame& frame = task.frames.back();
    if (const std::optional<bool> way = known(condition)) {
        frame.pc = *way ? ifTrue : ifFalse;
        return Flow::Reload;
    }
    if (m_concrete) {
        return undecided(task, pc, "a condition without a value");
    }
    const auto again = static_cast<std::uint32_t>(
        std::count_if(m_forks.begin(), m_forks.end(), [&](const Fork& f) { return f.branch == pc && f.depth == task.frames.size(); }));
    if (again >= m_options.limits.nestedConditions / 2 || m_forks.size() >= m_options.limits.nestedConditions) {
        return undecidedValue(
            task, pc, again > 1 ? "how often a loop runs depends on data" : "too many conditions that depend on data inside each other", value);
    }
    const std::uint32_t meeting = m_flow.meeting(*frame.code, pc);
    if (meeting == None) {
        return undecidedValue(task, pc, "a condition depends on data and its ways never meet", value);
    }
    Fork made;
    made.depth = task.frames.size();
    made.join = meeting;
    made.branch = pc;
    made.first = ifTrue;
    made.second = ifFalse;
    made.condition = condition;
    made.guardBefore = m_guard;
    made.undoStart = m_undo.size();
    const auto registers = task.registers.begin() + static_cast<std::ptrdiff_t>(frame.registers);
    const auto views = task.views.begin() + static_cast<std::ptrdiff_t>(frame.views);
    made.registersBefore.assign(registers, registers + static_cast<std::ptrdiff_t>(frame.code->registers.size()));
    made.viewsBefore.assign(views, views + static_cast<std::ptrdiff_t>(frame.code->views.size()));
    m_guard = conjunction(m_guard, condition);
    m_forks.push_back(std::move(made));
    m_everForked = true;
    m_mode = Mode::Careful;
    frame.pc = ifTrue;
    if (m_steps >= m_nextCheck && !checkpoint(m_steps)) {
        return Flow::Stop;
    }
    return Flow::Reload;
}

void Machine::rollBack(std::size_t to) {
    while (m_undo.size() > to) {
        const UndoEntry& entry = m_undo.back();
        Allocation& memory = m_allocations[entry.allocation];
        if (entry.cell < memory.count) {
            memory.data[entry.cell] = entry.before;
        }
        m_undo.pop_back();
    }
}

/// Both ways of the innermost fork have come to their end here: the second starts, or the two become one.
void Machine::join(Task& task) {
    Fork& fork = m_forks.back();
    Frame& frame = task.frames.back();
    const auto registers = task.registers.begin() + static_cast<std::ptrdiff_t>(frame.registers);
    const auto views = task.views.begin() + static_cast<std::ptrdiff_t>(frame.views);
    const std::size_t scalarCount = fork.registersBefore.size();
    const std::size_t viewCount = fork.viewsBefore.size();
    if (!fork.inSecond) {
        fork.registersFirst.assign(registers, registers + static_cast<std::ptrdiff_t>(scalarCount));
        fork.viewsFirst.assign(views, views + static_cast<std::ptrdiff_t>(viewCount));
        for (std::size_t i = fork.undoStart; i < m_undo.size(); ++i) {
            const UndoEntry& entry = m_undo[i];
            fork.writtenFirst.emplace_back(entry, m_allocations[entry.allocation].data[entry.cell]);
        }
        rollBack(fork.undoStart);
        std::copy(fork.registersBefore.begin(), fork.registersBefore.end(), registers);
        std::copy(fork.viewsBefore.begin(), fork.viewsBefore.end(), views);
        fork.inSecond = true;
        fork.condition = negation(fork.condition);
        m_guard = conjunction(fork.guardBefore, fork.condition);
        frame.pc = fork.second;
        return;
    }
    const Fork done = std::move(m_forks.back());
    m_forks.pop_back();
    m_guard = done.guardBefore;
    frame.pc = done.join;
    if (done.firstDied) { // all that is left is the second way
        endForks();
        return;
    }
    const Term condition = negation(done.condition); // of the first way
    const FunctionCode& code = *frame.code;
    for (std::size_t i = 0; i < scalarCount; ++i) {
        Cell& second = registers[static_cast<std::ptrdiff_t>(i)];
        const Cell& first = done.registersFirst[i];
        if (first == second) {
            continue;
        }
        const ValueType type = code.registers[i];
        if (type == Handle || first.term == Mixed || second.term == Mixed) {
            second = {0, Mixed};
        } else {
            second = {0, m_dag.apply(Op::Select, type, 0, condition, termOf(first, type), termOf(second, type))};
        }
    }
    for (std::size_t i = 0; i < viewCount; ++i) {
        View& second = views[static_cast<std::ptrdiff_t>(i)];
        const View& first = done.viewsFirst[i];
        const bool same = first.allocation == second.allocation && first.offset == second.offset && first.rank == second.rank &&
                          std::equal(first.size, first.size + first.rank, second.size) &&
                          std::equal(first.stride, first.stride + first.rank, second.stride);
        if (!same) {
            second = View{};
            second.allocation = MixedAllocation;
            second.rank = first.rank;
        }
    }
    // Memory holds the second way's content; the log has what was there before.
    std::unordered_map<CellPlace, Cell, CellPlaceHash> before;
    std::vector<CellPlace> order;
    std::unordered_map<CellPlace, Cell, CellPlaceHash> first;
    for (const auto& [entry, after] : done.writtenFirst) {
        const CellPlace place{entry.allocation, entry.cell};
        if (first.insert_or_assign(place, after).second) {
            order.push_back(place);
        }
    }
    const std::size_t logged = m_undo.size();
    for (std::size_t i = done.undoStart; i < logged; ++i) {
        const CellPlace place{m_undo[i].allocation, m_undo[i].cell};
        if (before.emplace(place, m_undo[i].before).second && !first.contains(place)) {
            order.push_back(place);
        }
    }
    for (const CellPlace& place : order) {
        Allocation& memory = m_allocations[place.allocation];
        Cell& now = memory.data[place.cell];
        const auto inFirst = first.find(place);
        const auto old = before.find(place);
        Cell one = inFirst != first.end() ? inFirst->second : old->second;
        Cell two = now;
        for (Cell* cell : {&one, &two}) {
            if (cell->term == Pending) {
                cell->term = m_dag.leaf(memory.buffer, static_cast<std::uint32_t>(place.cell));
            }
        }
        if (one == two) {
            continue;
        }
        if (old == before.end() && !m_forks.empty()) {
            m_undo.push_back({place.allocation, place.cell, now});
        }
        const Term a = termOf(one, memory.type);
        const Term b = termOf(two, memory.type);
        m_choices = m_choices || m_dag.mayBeUninitialised(a) || m_dag.mayBeUninitialised(b);
        now = {0, m_dag.apply(Op::Select, memory.type, 0, condition, a, b)};
    }
    endForks();
}

void Machine::endForks() {
    if (m_forks.empty()) {
        m_undo.clear();
        m_mode = isCareful() ? Mode::Careful : m_tracking ? Mode::Tracking : Mode::Plain;
    }
}

Machine::Flow Machine::die(Task& task) {
    while (!m_forks.empty()) {
        Fork& fork = m_forks.back();
        // Frames and memory of the way that died are dropped.
        task.frames.resize(fork.depth);
        Frame& frame = task.frames.back();
        task.registers.resize(frame.registers + fork.registersBefore.size());
        task.views.resize(frame.views + fork.viewsBefore.size());
        rollBack(fork.undoStart);
        const auto registers = task.registers.begin() + static_cast<std::ptrdiff_t>(frame.registers);
        const auto views = task.views.begin() + static_cast<std::ptrdiff_t>(frame.views);
        if (!fork.inSecond) {
            std::copy(fork.registersBefore.begin(), fork.registersBefore.end(), registers);
            std::copy(fork.viewsBefore.begin(), fork.viewsBefore.end(), views);
            fork.inSecond = true;
            fork.firstDied = true;
            fork.condition = negation(fork.condition);
            m_guard = conjunction(fork.guardBefore, fork.condition);
            frame.pc = fork.second;
            return Flow::Reload;
        }
        const Fork done = std::move(m_forks.back());
        m_forks.pop_back();
        m_guard = done.guardBefore;
        if (done.firstDied) {
            continue; // both ways died: so did the way they stood on
        }
        // The first way is all that is left.
        std::copy(done.registersFirst.begin(), done.registersFirst.end(), registers);
        std::copy(done.viewsFirst.begin(), done.viewsFirst.end(), views);
        for (const auto& [entry, after] : done.writtenFirst) {
            put(entry.allocation, entry.cell, after);
        }
        endForks();
        frame.pc = done.join;
        return Flow::Reload;
    }
    // Every input ends in one of the faults recorded.
    m_result.end = RunResult::End::Faulted;
    m_result.fault = m_result.conditional.back();
    m_over = true;
    return Flow::Stop;
}

Machine::Flow Machine::fault(Task& task, Fault found, std::uint32_t pc) {
    found.step = stepAt(task, pc);
    found.guard = m_guard;
    if (!m_forks.empty()) {
        m_result.conditional.push_back(std::move(found));
        return die(task);
    }
    m_result.end = RunResult::End::Faulted;
    m_result.fault = std::move(found);
    m_over = true;
    return Flow::Stop;
}

void Machine::conditionalFault(Task& task, Fault found, Term guard, std::uint32_t pc) {
    constexpr std::size_t MostFaults = 100'000;
    if (m_result.conditional.size() >= MostFaults) {
        (void)undecided(task, pc, "more than 100000 accesses may be out of range, depending on data");
        return;
    }
    found.step = stepAt(task, pc);
    found.guard = conjunction(m_guard, guard);
    m_result.conditional.push_back(std::move(found));
}

Machine::Flow Machine::undecided(const Task& task, std::uint32_t pc, const std::string& text) {
    m_result.end = RunResult::End::Undecided;
    m_result.undecided = text + " (" + whereText(task, pc) + ")";
    m_over = true;
    return Flow::Stop;
}

namespace {

/// `; give --size n=N` where numbers for integer arguments make `term` one; empty else.
std::string sizesText(const TermDag& dag, Term term, const Program& program, const std::vector<std::uint32_t>& argumentBuffers) {
    constexpr std::size_t MostTerms = 10'000;
    const std::array<Term, 1> roots{term};
    std::set<std::string> names;
    for (const Term each : reached(dag, roots, MostTerms)) {
        const TermNode& node = dag.node(each);
        if (node.kind == TermKind::Forgotten || node.kind == TermKind::Open) {
            return {};
        }
        if (node.kind != TermKind::Leaf) {
            continue;
        }
        const auto at = std::find(argumentBuffers.begin(), argumentBuffers.end(), node.a);
        const auto position = static_cast<std::size_t>(at - argumentBuffers.begin());
        const Argument* argument = position < program.arguments.size() ? &program.arguments[position] : nullptr;
        if (argument == nullptr || argument->isView || !program.functions[program.entry].registers[argument->position].isInteger()) {
            return {};
        }
        names.insert(argument->name);
    }
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "; give --size " : " --size ") + name + "=N";
    }
    return text;
}

} // namespace

Machine::Flow Machine::undecidedValue(const Task& task, std::uint32_t pc, const std::string& what, Register value) {
    const FunctionCode& code = *task.frames.back().code;
    std::string text = what + ": " + valueText(code, value);
    const Cell& cell = task.registers[task.frames.back().registers + value];
    if (cell.term > Mixed) {
        text += " = " + m_dag.text(cell.term, 80) + sizesText(m_dag, cell.term, m_program, m_options.argumentBuffers);
    }
    return undecided(task, pc, text);
}

} // namespace lemmascope::interp
