// Memory: what loads and stores do not do at once (faults, memory that grows, indices that depend on data), and views.

#include "core/interp/machine_state.h"
#include "core/interp/scalar.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

namespace lemmascope::interp {

namespace {

/// Guards and choices of one access are built from this many levels at most.
constexpr unsigned StripDepth = 2000;

} // namespace

void Machine::put(std::uint32_t allocation, std::uint64_t flat, const Cell& value) {
    Allocation& memory = m_allocations[allocation];
    if (!m_forks.empty()) {
        m_undo.push_back({allocation, flat, memory.data[flat]});
    }
    memory.data[flat] = value;
    memory.isWritten = true;
}

bool Machine::stripUninitialised(Term term, Term& guard, Term& value) {
    // A chain of choices, taken apart from the outside; only the last alternative of a chain may be long.
    struct Level {
        Term condition, first, firstGuard;
    };
    std::vector<Level> levels;
    const Term never = m_dag.constant(Bit, 0);
    const Term always = m_dag.constant(Bit, 1);
    Term at = term;
    while (at != Unwritten && m_dag.mayBeUninitialised(at)) {
        if (levels.size() > StripDepth) {
            return false;
        }
        const TermNode n = m_dag.node(at);
        if (n.b == Unwritten) {
            levels.push_back({n.a, NoTerm, always});
            at = n.c;
        } else if (!m_dag.mayBeUninitialised(n.b)) {
            levels.push_back({n.a, n.b, never});
            at = n.c;
        } else if (n.c == Unwritten || !m_dag.mayBeUninitialised(n.c)) {
            // The same, the other way round.
            levels.push_back({negation(n.a), n.c == Unwritten ? NoTerm : n.c, n.c == Unwritten ? always : never});
            at = n.b;
        } else {
            return false;
        }
    }
    guard = at == Unwritten ? always : never;
    value = at == Unwritten ? NoTerm : at;
    for (std::size_t i = levels.size(); i-- > 0;) {
        const Level& level = levels[i];
        guard = m_dag.apply(Op::Select, Bit, 0, level.condition, level.firstGuard, guard);
        if (value == NoTerm) {
            value = level.first;
        } else if (level.first != NoTerm) {
            value = m_dag.apply(Op::Select, m_dag.node(value).type, 0, level.condition, level.first, value);
        }
    }
    return true;
}

bool Machine::content(Task& task, std::uint32_t allocation, std::uint64_t flat, std::uint32_t pc, const std::vector<std::int64_t>& index, Cell& out) {
    Allocation& memory = m_allocations[allocation];
    Cell& cell = memory.data[flat];
    if (cell.term == Pending) {
        cell.term = m_dag.leaf(memory.buffer, static_cast<std::uint32_t>(flat));
    }
    out = cell;
    if (out.term == NoTerm || !m_dag.mayBeUninitialised(out.term)) {
        return true;
    }
    Fault found;
    found.kind = FaultKind::Uninitialised;
    found.access = "read";
    found.buffer = memory.name;
    found.index = index;
    found.size = memory.sizes;
    Term guard = NoTerm;
    Term value = NoTerm;
    if (!stripUninitialised(out.term, guard, value)) {
        (void)undecided(task, pc, "whether a cell was written depends on too many conditions");
        return false;
    }
    if (value == NoTerm && m_forks.empty() && m_infos.size() > 2) {
        // Tasks were made: a write that nothing orders may come yet. The run goes on with any content.
        if (!m_early) {
            found.step = stepAt(task, pc);
            m_early = std::move(found);
        }
        out = m_concrete ? Cell{0, NoTerm} : Cell{0, m_dag.open(m_dag.openName("content that nobody wrote"), 0, memory.type, {})};
        return true;
    }
    if (value == NoTerm) {
        (void)fault(task, std::move(found), pc);
        return false;
    }
    const std::optional<bool> surely = known(guard);
    if (surely == true) {
        (void)fault(task, std::move(found), pc);
        return false;
    }
    if (!surely) {
        conditionalFault(task, std::move(found), guard, pc);
    }
    out = {0, value};
    return true;
}

Machine::Flow Machine::access(Task& task, const Instruction& in, std::uint32_t pc) {
    const Frame& frame = task.frames.back();
    const Cell* r = task.registers.data() + frame.registers;
    const std::uint32_t* indices = frame.code->operands.data() + in.b;
    const View view = task.views[frame.views + in.a];
    const bool writes = in.op == Op::Store;
    Allocation& memory = m_allocations[view.allocation];
    if (writes && r[in.dst].term == Mixed) {
        return undecidedValue(task, pc, "a value differs between the two ways of a condition that depends on data", in.dst);
    }
    if (view.allocation == MixedAllocation) {
        return undecided(task, pc, "which buffer is used depends on data");
    }
    Fault found;
    found.access = writes ? "write" : "read";
    found.buffer = memory.name.empty() ? bufferName(*frame.code, in.a, memory) : memory.name;
    for (std::uint32_t k = 0; k < in.c; ++k) {
        found.size.push_back(view.size[k]);
    }
    if (!memory.isLive) {
        found.kind = FaultKind::Freed;
        found.detail = view.allocation == 0 ? "the buffer was never made" : "freed at " + m_program.where(m_program.places[memory.freedAt]);
        return fault(task, std::move(found), pc);
    }
    if (writes && memory.isConstant) {
        found.kind = FaultKind::OutOfRange;
        found.detail = "a constant global is written";
        return fault(task, std::move(found), pc);
    }
    std::uint32_t terms = 0;
    for (std::uint32_t k = 0; k < in.c; ++k) {
        if (r[indices[k]].term == Mixed) {
            return undecidedValue(task, pc, "an index differs between the two ways of a condition that depends on data", indices[k]);
        }
        terms |= r[indices[k]].term;
    }
    if (terms != 0) {
        return accessByData(task, in, pc, view);
    }
    auto flat = view.offset;
    Register wrong = None;
    for (std::uint32_t k = 0; k < in.c; ++k) {
        const auto index = static_cast<std::int64_t>(r[indices[k]].bits);
        found.index.push_back(index);
        if (wrong == None && (index < 0 || index >= view.size[k])) {
            wrong = indices[k];
        }
        flat += static_cast<std::int64_t>(static_cast<std::uint64_t>(index) * static_cast<std::uint64_t>(view.stride[k]));
    }
    if (wrong == None && memory.grows && flat >= 0 && static_cast<std::uint64_t>(flat) >= memory.count) {
        // Axis 0 becomes as long as this access needs.
        std::int64_t row = 1;
        for (std::size_t axis = 1; axis < memory.sizes.size(); ++axis) {
            row *= memory.sizes[axis];
        }
        const std::int64_t rows = row == 0 ? 0 : flat / row + 1;
        const auto wanted = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(row);
        if (wanted > UINT32_MAX || (m_cells + wanted) * sizeof(Cell) + m_dag.bytes() > m_options.limits.bytes) {
            return undecided(task, pc, "memory: the buffer '" + memory.name + "' would become larger than the limit allows");
        }
        m_cells += wanted - memory.count;
        memory.cells.resize(wanted, Cell{0, m_concrete ? NoTerm : Pending});
        memory.data = memory.cells.data();
        memory.count = wanted;
        memory.sizes[0] = rows;
    }
    if (wrong != None || flat < 0 || static_cast<std::uint64_t>(flat) >= memory.count) {
        found.kind = FaultKind::OutOfRange;
        if (wrong != None) {
            found.computedBy = definedAt(*frame.code, wrong);
        } else {
            found.detail = "cell " + std::to_string(flat) + " of " + std::to_string(memory.count) + ", through a view";
        }
        return fault(task, std::move(found), pc);
    }
    const auto cell = static_cast<std::uint64_t>(flat);
    if (m_tracking && !(writes ? trackWrite(task, memory, cell, pc) : trackRead(task, memory, cell, pc))) {
        return Flow::Stop;
    }
    if (m_mode == Mode::Careful && watches()) {
        watch(task, view.allocation, cell, pc, writes);
    }
    if (writes) {
        put(view.allocation, cell, r[in.dst]);
        return Flow::Next;
    }
    Cell out;
    if (!content(task, view.allocation, cell, pc, found.index, out)) {
        return m_over || task.wait != Wait::Nothing ? Flow::Stop : Flow::Reload;
    }
    task.registers[frame.registers + in.dst] = out;
    return Flow::Next;
}

Machine::Flow Machine::accessByData(Task& task, const Instruction& in, std::uint32_t pc, const View& view) {
    const Frame& frame = task.frames.back();
    Cell* r = task.registers.data() + frame.registers;
    const std::uint32_t* indices = frame.code->operands.data() + in.b;
    const bool writes = in.op == Op::Store;
    Allocation& memory = m_allocations[view.allocation];
    std::int64_t low[MaxRank] = {};
    std::int64_t high[MaxRank] = {};
    Term outside = m_dag.constant(Bit, 0);
    bool mayLeave = false;
    std::uint64_t count = 1;
    Register byData = indices[0];
    Register leaving = None;
    for (std::uint32_t k = 0; k < in.c; ++k) {
        const Cell& index = r[indices[k]];
        if (view.size[k] == 0) {
            Fault found;
            found.access = writes ? "write" : "read";
            found.buffer = memory.name;
            found.size.assign(view.size, view.size + in.c);
            return fault(task, std::move(found), pc);
        }
        if (index.term != NoTerm) {
            byData = indices[k];
            if (memory.grows && view.size[k] > INT64_MAX / 2) {
                return undecidedValue(task, pc, "an index into an axis of unknown extent depends on data", indices[k]);
            }
        }
        const TermRange range =
            index.term == NoTerm ? TermRange{static_cast<std::int64_t>(index.bits), static_cast<std::int64_t>(index.bits)} : m_ranges.of(index.term);
        low[k] = std::max<std::int64_t>(range.low, 0);
        high[k] = std::min<std::int64_t>(range.high, view.size[k] - 1);
        if (range.low < 0 || range.high >= view.size[k]) {
            mayLeave = true;
            leaving = indices[k];
            const Term beyond = m_dag.apply(Op::CmpI, Bit, static_cast<std::uint8_t>(CmpIPredicate::Uge), termOf(index, Index),
                                            m_dag.constant(Index, static_cast<std::uint64_t>(view.size[k])));
            outside = outside == m_dag.constant(Bit, 0) ? beyond : m_dag.apply(Op::Or, Bit, 0, outside, beyond);
        }
        if (low[k] > high[k]) { // nowhere in range
            Fault found;
            found.access = writes ? "write" : "read";
            found.buffer = memory.name;
            found.size.assign(view.size, view.size + in.c);
            found.computedBy = definedAt(*frame.code, indices[k]);
            return fault(task, std::move(found), pc);
        }
        count *= static_cast<std::uint64_t>(high[k] - low[k] + 1);
        if (count > m_options.limits.symbolicCells) {
            return undecidedValue(
                task, pc, "an index that depends on data may be any of more than " + std::to_string(m_options.limits.symbolicCells) + " cells",
                byData);
        }
    }
    if (mayLeave) {
        Fault found;
        found.kind = FaultKind::OutOfRange;
        found.access = writes ? "write" : "read";
        found.buffer = memory.name;
        found.size.assign(view.size, view.size + in.c);
        found.computedBy = definedAt(*frame.code, leaving);
        if (known(outside) == true) {
            return fault(task, std::move(found), pc);
        }
        if (known(outside) != false) {
            conditionalFault(task, std::move(found), outside, pc);
        }
    }
    if (mayLeave && m_over) {
        return Flow::Stop;
    }
    // Every cell it may be, in row-major order.
    std::vector<std::pair<std::uint64_t, Term>> cells;
    std::vector<std::int64_t> at(low, low + in.c);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::int64_t flat = view.offset;
        Term here = NoTerm;
        for (std::uint32_t k = 0; k < in.c; ++k) {
            flat += at[k] * view.stride[k];
            if (r[indices[k]].term != NoTerm && low[k] != high[k]) {
                const Term equal = m_dag.apply(Op::CmpI, Bit, static_cast<std::uint8_t>(CmpIPredicate::Eq), r[indices[k]].term,
                                               m_dag.constant(Index, static_cast<std::uint64_t>(at[k])));
                here = here == NoTerm ? equal : m_dag.apply(Op::And, Bit, 0, here, equal);
            }
        }
        if (flat < 0 || static_cast<std::uint64_t>(flat) >= memory.count) {
            return undecidedValue(task, pc, "an index that depends on data may leave the memory behind a view", byData);
        }
        cells.emplace_back(static_cast<std::uint64_t>(flat), here);
        for (std::uint32_t k = in.c; k-- > 0;) {
            if (++at[k] <= high[k]) {
                break;
            }
            at[k] = low[k];
        }
    }
    m_extra += count;
    for (const auto& [flat, here] : cells) {
        if (m_tracking && !(writes ? trackWrite(task, memory, flat, pc) : trackRead(task, memory, flat, pc))) {
            m_result.race->guarded = true;
            return Flow::Stop;
        }
        if (m_mode == Mode::Careful && watches()) {
            watch(task, view.allocation, flat, pc, writes);
        }
        Cell& cell = memory.data[flat];
        if (cell.term == Pending) {
            cell.term = m_dag.leaf(memory.buffer, static_cast<std::uint32_t>(flat));
        }
    }
    const ValueType type = in.type;
    if (writes) {
        const Term value = termOf(r[in.dst], type);
        for (const auto& [flat, here] : cells) {
            const Cell& before = memory.data[flat];
            if (here == NoTerm) {
                put(view.allocation, flat, r[in.dst]);
                continue;
            }
            m_choices = m_choices || before.term == Unwritten;
            put(view.allocation, flat, {0, m_dag.apply(Op::Select, type, 0, here, value, termOf(before, type))});
        }
        return Flow::Next;
    }
    Term value = termOf(memory.data[cells.back().first], type);
    for (std::size_t i = cells.size() - 1; i-- > 0;) {
        value = m_dag.apply(Op::Select, type, 0, cells[i].second, termOf(memory.data[cells[i].first], type), value);
    }
    if (value == Unwritten || m_dag.mayBeUninitialised(value)) {
        Fault found;
        found.kind = FaultKind::Uninitialised;
        found.access = "read";
        found.buffer = memory.name;
        found.size = memory.sizes;
        Term guard = NoTerm;
        Term kept = NoTerm;
        if (value == Unwritten) {
            return fault(task, std::move(found), pc);
        }
        if (!stripUninitialised(value, guard, kept)) {
            return undecidedValue(task, pc, "whether a cell was written depends on too many conditions; its index", byData);
        }
        if (known(guard) != false) {
            conditionalFault(task, std::move(found), guard, pc);
        }
        value = kept;
    }
    r[in.dst] = {0, value};
    return Flow::Next;
}

Machine::Flow Machine::atomicUpdate(Task& task, const Instruction& in, std::uint32_t pc) {
    const Frame& frame = task.frames.back();
    Cell* r = task.registers.data() + frame.registers;
    const std::uint32_t* list = frame.code->operands.data() + in.b;
    const View view = task.views[frame.views + in.a];
    Allocation& memory = m_allocations[view.allocation];
    const auto op = static_cast<Op>(in.aux);
    if (view.allocation == MixedAllocation) {
        return undecided(task, pc, "which buffer is used depends on data");
    }
    Fault found;
    found.access = "write";
    found.buffer = memory.name;
    std::int64_t flat = view.offset;
    Register wrong = None;
    for (std::uint32_t k = 0; k < in.c; ++k) {
        const Cell& index = r[list[1 + k]];
        if (index.term != NoTerm) {
            return undecidedValue(task, pc, "the index of an atomic update depends on data", list[1 + k]);
        }
        found.index.push_back(static_cast<std::int64_t>(index.bits));
        found.size.push_back(view.size[k]);
        wrong = wrong == None && index.bits >= static_cast<std::uint64_t>(view.size[k]) ? list[1 + k] : wrong;
        flat += static_cast<std::int64_t>(index.bits * static_cast<std::uint64_t>(view.stride[k]));
    }
    if (!memory.isLive || memory.isConstant || wrong != None || flat < 0 || static_cast<std::uint64_t>(flat) >= memory.count) {
        if (memory.grows && memory.isLive && wrong == None && flat >= 0) {
            return undecided(task, pc, "the extent of axis 0 of '" + memory.name + "' is unknown: give --size " + memory.name + ".0=N");
        }
        found.kind = memory.isLive ? FaultKind::OutOfRange : FaultKind::Freed;
        found.computedBy = wrong != None ? definedAt(*frame.code, wrong) : std::string();
        return fault(task, std::move(found), pc);
    }
    const auto cell = static_cast<std::uint64_t>(flat);
    const bool orderIsFree = in.dst == None && isCommutative(op);
    if (m_tracking) {
        const bool fine =
            orderIsFree ? trackUpdate(task, memory, cell, pc, in.aux) : trackRead(task, memory, cell, pc) && trackWrite(task, memory, cell, pc);
        if (!fine) {
            return Flow::Stop;
        }
        // Sums and products of floats depend on the order in their last digits.
        m_result.foldedFloats = m_result.foldedFloats || (orderIsFree && (op == Op::AddF || op == Op::MulF));
    }
    if (watches() && m_mode == Mode::Careful) {
        watch(task, view.allocation, cell, pc, true);
    }
    Cell before;
    if (!content(task, view.allocation, cell, pc, found.index, before)) {
        return m_over ? Flow::Stop : Flow::Reload;
    }
    const Cell operand = r[list[0]];
    if (operand.term == Mixed) {
        return undecidedValue(task, pc, "a value differs between the two ways of a condition that depends on data", list[0]);
    }
    Cell after;
    if ((before.term | operand.term) == 0) {
        const ScalarResult computed = evaluate(op, in.type, 0, before.bits, operand.bits, 0);
        if (computed.fault != ScalarFault::Fine) {
            found.kind = FaultKind::DivisionByZero;
            found.access = "divide";
            return fault(task, std::move(found), pc);
        }
        after.bits = computed.bits;
        m_result.rounded = m_result.rounded || (m_options.notesRounding && mayRound(op, in.type, 0, before.bits, operand.bits, 0, after.bits));
    } else if (op >= Op::DivS && op <= Op::FloorDivS) {
        return undecided(task, pc, "an atomic division of data");
    } else {
        after.term = m_dag.apply(op, in.type, 0, termOf(before, in.type), termOf(operand, in.type));
    }
    put(view.allocation, cell, after);
    task.atHead = false;
    if (in.dst != None) {
        r[in.dst] = before;
    }
    return Flow::Next;
}

Machine::Flow Machine::alloc(Task& task, const Instruction& in, std::uint32_t pc) {
    const Frame& frame = task.frames.back();
    const FunctionCode& f = *frame.code;
    const Cell* r = task.registers.data() + frame.registers;
    std::vector<std::int64_t> sizes = f.views[in.dst].sizes;
    std::uint32_t next = 0;
    for (std::int64_t& size : sizes) {
        if (size != Dynamic) {
            continue;
        }
        const Register given = f.operands[in.b + next++];
        if (r[given].term != NoTerm) {
            return undecidedValue(task, pc, "the size of a buffer depends on data", given);
        }
        size = static_cast<std::int64_t>(r[given].bits);
        if (size < 0) {
            Fault found;
            found.kind = FaultKind::BadSize;
            found.access = "view";
            found.index = {size};
            found.computedBy = definedAt(f, given);
            return fault(task, std::move(found), pc);
        }
    }
    std::string name = in.dst < f.viewNames.size() && f.viewNames[in.dst] != None ? m_program.names[f.viewNames[in.dst]] : std::string();
    if (name.empty()) {
        name = whereText(task, pc);
    }
    const std::uint32_t made = allocate(in.type, sizes, Cell{0, Unwritten}, std::move(name));
    if (m_over) {
        m_result.undecided += " (" + whereText(task, pc) + ")";
        return Flow::Stop;
    }
    task.views[frame.views + in.dst] = viewOf(made);
    m_allocations[made].isValue = in.aux == 2;
    if (in.aux != 0) {
        task.allocas.push_back(made);
    }
    return Flow::Next;
}

Machine::Flow Machine::dealloc(Task& task, const Instruction& in, std::uint32_t pc) {
    const Frame& frame = task.frames.back();
    const View view = task.views[frame.views + in.a];
    if (view.allocation == MixedAllocation) {
        return undecided(task, pc, "which buffer is used depends on data");
    }
    Allocation& memory = m_allocations[view.allocation];
    Fault found;
    found.kind = FaultKind::Freed;
    found.access = "free";
    found.buffer = memory.name.empty() ? bufferName(*frame.code, in.a, memory) : memory.name;
    if (!memory.isLive) {
        found.detail = "already freed at " + m_program.where(m_program.places[memory.freedAt]);
        return fault(task, std::move(found), pc);
    }
    if (view.offset != 0 || memory.isConstant || std::find(m_globals.begin(), m_globals.end(), view.allocation) != m_globals.end()) {
        found.detail = "not memory that memref.alloc made";
        return fault(task, std::move(found), pc);
    }
    if (std::find(m_argumentAllocations.begin(), m_argumentAllocations.end(), view.allocation) != m_argumentAllocations.end()) {
        return undecided(task, pc, "the argument '" + memory.name + "' is freed");
    }
    if (!m_forks.empty()) {
        return undecided(task, pc, "memory is freed under a condition that depends on data");
    }
    if (m_tracking) {
        for (std::uint64_t flat = 0; flat < memory.count; ++flat) {
            if (!trackWrite(task, memory, flat, pc)) {
                return Flow::Stop;
            }
        }
    }
    if (m_mode == Mode::Careful && m_options.watched && m_options.watched->first == view.allocation) {
        watch(task, view.allocation, m_options.watched->second, pc, true);
    }
    memory.isLive = false;
    memory.freedAt = frame.code->places[pc];
    m_cells -= memory.count;
    memory.count = 0;
    memory.cells = {};
    memory.data = nullptr;
    return Flow::Next;
}

namespace {

/// Is a cell of the target read for another one, of two views of one memory? Taken for yes where there are too many to look at.
bool copiesOverItself(const View& source, const View& target, std::uint64_t count) {
    constexpr std::uint64_t MostSeen = 1 << 20;
    std::array<std::int64_t, 2> low{source.offset, target.offset};
    std::array<std::int64_t, 2> high = low;
    bool same = source.offset == target.offset;
    for (std::uint32_t axis = 0; axis < source.rank; ++axis) {
        same = same && (source.stride[axis] == target.stride[axis] || source.size[axis] == 1);
        for (std::size_t side = 0; side < 2; ++side) {
            const std::int64_t reach = (source.size[axis] - 1) * (side == 0 ? source : target).stride[axis];
            (reach < 0 ? low : high)[side] += reach;
        }
    }
    if (same || count == 0 || high[0] < low[1] || high[1] < low[0]) {
        return false;
    }
    if (count > MostSeen) {
        return true;
    }
    std::unordered_map<std::int64_t, std::uint64_t> readFor;
    for (const bool writes : {false, true}) {
        std::vector<std::int64_t> at(source.rank);
        const View& view = writes ? target : source;
        for (std::uint64_t i = 0; i < count; ++i) {
            std::int64_t cell = view.offset;
            for (std::uint32_t axis = 0; axis < source.rank; ++axis) {
                cell += at[axis] * view.stride[axis];
            }
            if (!writes) {
                readFor.emplace(cell, i);
            } else if (const auto known = readFor.find(cell); known != readFor.end() && known->second != i) {
                return true;
            }
            nextIndex(at, source.size);
        }
    }
    return false;
}

} // namespace

Machine::Flow Machine::copyView(Task& task, const View& from, const View& to, std::uint32_t pc) {
    const View source = from;
    const View target = to;
    if (source.allocation == MixedAllocation || target.allocation == MixedAllocation) {
        return undecided(task, pc, "which buffer is used depends on data");
    }
    std::uint64_t count = 1;
    Fault found;
    found.kind = FaultKind::BadView;
    found.access = "view";
    for (std::uint32_t axis = 0; axis < source.rank; ++axis) {
        std::int64_t size = source.size[axis];
        if (size > INT64_MAX / 2 || target.size[axis] > INT64_MAX / 2) {
            return undecided(task, pc, "a buffer of unknown extent is copied: give --size");
        }
        if (size != target.size[axis]) {
            found.index = {size};
            found.size = {target.size[axis]};
            found.detail = "the sizes of axis " + std::to_string(axis) + " differ";
            return fault(task, std::move(found), pc);
        }
        count *= static_cast<std::uint64_t>(size);
    }
    Allocation& read = m_allocations[source.allocation];
    Allocation& written = m_allocations[target.allocation];
    for (const auto& [memory, access] : {std::pair(&read, "read"), std::pair(&written, "write")}) {
        if (!memory->isLive) {
            found.kind = FaultKind::Freed;
            found.access = access;
            found.buffer = memory->name;
            found.detail = "freed at " + m_program.where(m_program.places[memory->freedAt]);
            return fault(task, std::move(found), pc);
        }
    }
    if (written.isConstant && count > 0) {
        found.kind = FaultKind::OutOfRange;
        found.access = "write";
        found.buffer = written.name;
        found.detail = "a constant global is written";
        return fault(task, std::move(found), pc);
    }
    if (source.allocation == target.allocation && copiesOverItself(source, target, count)) {
        return undecided(task, pc, "parts of '" + read.name + "' that overlap are copied: which element is first is open");
    }
    std::vector<std::int64_t> at(source.rank);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::int64_t flat = source.offset;
        std::int64_t place = target.offset;
        for (std::uint32_t axis = 0; axis < source.rank; ++axis) {
            flat += at[axis] * source.stride[axis];
            place += at[axis] * target.stride[axis];
        }
        for (const auto& [memory, cell, access] : {std::tuple(&read, flat, "read"), std::tuple(&written, place, "write")}) {
            if (cell < 0 || static_cast<std::uint64_t>(cell) >= memory->count) {
                found.kind = FaultKind::OutOfRange;
                found.access = access;
                found.buffer = memory->name;
                found.index = {cell};
                found.size = {static_cast<std::int64_t>(memory->count)};
                return fault(task, std::move(found), pc);
            }
        }
        const auto cell = static_cast<std::uint64_t>(flat);
        const auto put_ = static_cast<std::uint64_t>(place);
        if (m_tracking && (!trackRead(task, read, cell, pc) || !trackWrite(task, written, put_, pc))) {
            return Flow::Stop;
        }
        if (m_mode == Mode::Careful && watches()) {
            watch(task, source.allocation, cell, pc, false);
            watch(task, target.allocation, put_, pc, true);
        }
        // Content that nobody wrote may be copied: reading the copy is the fault.
        Cell& content = read.data[cell];
        if (content.term == Pending) {
            content.term = m_dag.leaf(read.buffer, static_cast<std::uint32_t>(cell));
        }
        put(target.allocation, put_, content);
        nextIndex(at, source.size);
    }
    m_extra += count;
    task.atHead = false;
    return Flow::Next;
}

} // namespace lemmascope::interp
