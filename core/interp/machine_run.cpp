// The loop that runs instructions. Numbers are computed in place; what needs a term, a message, another frame or task is a call.

#include "core/interp/machine_state.h"
#include "core/interp/scalar.h"

#include <array>
#include <bit>

namespace lemmascope::interp {

namespace {

constexpr std::array<std::uint64_t, 256> makeMasks() {
    std::array<std::uint64_t, 256> masks{};
    for (unsigned code = 1; code <= Handle.code; ++code) {
        masks[code] = maskOf(ValueType{static_cast<std::uint8_t>(code)});
    }
    return masks;
}

constexpr std::array<std::uint64_t, 256> Masks = makeMasks();

constexpr std::uint64_t CheckEvery = 1 << 16;

/// The cell of its memory that an access names.
struct Address {
    std::uint64_t flat = 0;
    bool isPlain = false; ///< indices are numbers within the view
};

/// Of a load or store. In line: every access of a loop runs through it.
[[gnu::always_inline]] inline Address addressOf(const View& view, const Instruction& in, const Cell* r, const std::uint32_t* pool) {
    auto flat = static_cast<std::uint64_t>(view.offset);
    std::uint32_t terms = 0;
    bool inside = true;
    for (std::uint32_t k = 0; k < in.c; ++k) {
        const Cell& index = r[pool[in.b + k]];
        terms |= index.term;
        inside &= index.bits < static_cast<std::uint64_t>(view.size[k]);
        flat += index.bits * static_cast<std::uint64_t>(view.stride[k]);
    }
    return {flat, terms == 0 && inside};
}

} // namespace

bool Machine::checkpoint(std::uint64_t steps, bool maySweep) {
    m_steps = steps;
    if (maySweep && m_dag.isSweepDue()) {
        m_ranges.forget();
        m_dag.sweep([this](const std::function<void(Term&)>& visit) { visitTerms(visit); });
    }
    const RunLimits& limits = m_options.limits;
    m_nextCheck = std::min(limits.steps, steps + (m_dag.keepsDigests() ? std::min<std::uint64_t>(CheckEvery, limits.termsKept) : CheckEvery));
    if (m_stop.stop_requested()) {
        m_cancelled = true;
        m_over = true;
        return false;
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - m_begin;
    const char* what = nullptr;
    if (steps + m_extra >= limits.steps) {
        what = "step";
    } else if (m_dag.bytes() + m_cells * sizeof(Cell) > limits.bytes) {
        what = "memory";
    } else if (spent.count() > limits.seconds) {
        what = "time";
    }
    if (what == nullptr) {
        return true;
    }
    m_result.end = RunResult::End::Undecided;
    m_result.undecided = std::string(what) + ": the limit was reached after " + std::to_string(steps) + " steps";
    if (std::string_view(what) == "memory" && !m_dag.keepsDigests() && !m_concrete) {
        m_result.undecided += "; --fingerprint keeps digests in place of terms";
    }
    m_over = true;
    return false;
}

void Machine::moveAll(const Instruction& in, const std::uint32_t* pool, Cell* r, View* v) {
    const std::uint32_t* list = pool + in.b;
    if (in.c == 1) {
        if ((list[0] & ViewBit) != 0) {
            v[list[0] & ~ViewBit] = v[list[1] & ~ViewBit];
        } else {
            r[list[0]] = r[list[1]];
        }
        return;
    }
    // All are read before any is written.
    constexpr std::uint32_t Few = 16;
    std::array<Cell, Few> few;
    std::vector<Cell> many;
    std::vector<View> views;
    Cell* scalars = few.data();
    if (in.c > Few) {
        many.resize(in.c);
        scalars = many.data();
    }
    for (std::uint32_t i = 0; i < in.c; ++i) {
        const std::uint32_t from = list[2 * i + 1];
        if ((from & ViewBit) != 0) {
            views.push_back(v[from & ~ViewBit]);
        } else {
            scalars[i] = r[from];
        }
    }
    std::size_t nextView = 0;
    for (std::uint32_t i = 0; i < in.c; ++i) {
        const std::uint32_t to = list[2 * i];
        if ((to & ViewBit) != 0) {
            v[to & ~ViewBit] = views[nextView++];
        } else {
            r[to] = scalars[i];
        }
    }
}

template <Machine::Mode M>
void Machine::execute(Task& task) {
    Frame* frame = nullptr;
    const Instruction* code = nullptr;
    const std::uint32_t* pool = nullptr;
    Cell* r = nullptr;
    View* v = nullptr;
    std::uint32_t pc = 0;
    const auto reload = [&] {
        frame = &task.frames.back();
        code = frame->code->code.data();
        pool = frame->code->operands.data();
        r = task.registers.data() + frame->registers;
        v = task.views.data() + frame->views;
        pc = frame->pc;
    };
    reload();
    std::uint64_t steps = m_steps;
    Flow flow = Flow::Next;
    while (true) {
        if constexpr (M == Mode::Careful) {
            m_steps = steps;
            frame->pc = pc;
            if (!m_forks.empty() && task.frames.size() == m_forks.back().depth && pc == m_forks.back().join) {
                join(task);
                if (m_over || m_mode != M) {
                    return;
                }
                reload();
                continue;
            }
            if (m_options.reorder) {
                const Reorder& order = *m_options.reorder;
                if (task.key == order.untilTask && !m_untilDone && stepNumber(task) >= order.untilStep) {
                    releaseHeld();
                }
                if (task.key == order.holdTask && !m_untilDone && stepNumber(task) + 1 == order.holdStep) {
                    (void)block(task, Wait::Held, 0, pc);
                    return;
                }
            }
        }
        const Instruction& in = code[pc];
        ++steps;
        if constexpr (M == Mode::Careful) {
            m_steps = steps;
        }
        switch (in.op) {
        case Op::AddI: {
            const Cell a = r[in.a], b = r[in.b];
            if ((a.term | b.term | in.aux) == 0) [[likely]] {
                r[in.dst] = {(a.bits + b.bits) & Masks[in.type.code], NoTerm};
                ++pc;
                continue;
            }
            break;
        }
        case Op::SubI: {
            const Cell a = r[in.a], b = r[in.b];
            if ((a.term | b.term | in.aux) == 0) [[likely]] {
                r[in.dst] = {(a.bits - b.bits) & Masks[in.type.code], NoTerm};
                ++pc;
                continue;
            }
            break;
        }
        case Op::MulI: {
            const Cell a = r[in.a], b = r[in.b];
            if ((a.term | b.term | in.aux) == 0) [[likely]] {
                r[in.dst] = {(a.bits * b.bits) & Masks[in.type.code], NoTerm};
                ++pc;
                continue;
            }
            break;
        }
        case Op::CmpI: {
            const Cell a = r[in.a], b = r[in.b];
            if ((a.term | b.term) == 0 && in.type.width() == 64) [[likely]] {
                const auto x = static_cast<std::int64_t>(a.bits);
                const auto y = static_cast<std::int64_t>(b.bits);
                bool truth = false;
                switch (static_cast<CmpIPredicate>(in.aux)) {
                case CmpIPredicate::Eq: truth = x == y; break;
                case CmpIPredicate::Ne: truth = x != y; break;
                case CmpIPredicate::Slt: truth = x < y; break;
                case CmpIPredicate::Sle: truth = x <= y; break;
                case CmpIPredicate::Sgt: truth = x > y; break;
                case CmpIPredicate::Sge: truth = x >= y; break;
                case CmpIPredicate::Ult: truth = a.bits < b.bits; break;
                case CmpIPredicate::Ule: truth = a.bits <= b.bits; break;
                case CmpIPredicate::Ugt: truth = a.bits > b.bits; break;
                case CmpIPredicate::Uge: truth = a.bits >= b.bits; break;
                }
                r[in.dst] = {truth ? 1U : 0U, NoTerm};
                ++pc;
                continue;
            }
            break;
        }
        case Op::AddF:
        case Op::SubF:
        case Op::MulF:
        case Op::DivF: {
            const Cell a = r[in.a], b = r[in.b];
            if ((a.term | b.term) == 0) {
                break;
            }
            if (a.term == Mixed || b.term == Mixed) {
                break;
            }
            r[in.dst] = {0, m_dag.apply(in.op, in.type, 0, termOf(a, in.type), termOf(b, in.type))};
            ++pc;
            continue;
        }
        case Op::Copy:
            r[in.dst] = r[in.a];
            ++pc;
            continue;
        case Op::Jump:
            if (in.c != 0) {
                moveAll(in, pool, r, v);
            }
            pc = in.dst;
            if (steps >= m_nextCheck && !checkpoint(steps)) {
                return;
            }
            continue;
        case Op::Moves:
            moveAll(in, pool, r, v);
            ++pc;
            continue;
        case Op::Branch: {
            const Cell condition = r[in.a];
            if (condition.term == NoTerm) [[likely]] {
                pc = condition.bits != 0 ? in.dst : in.b;
                if (steps >= m_nextCheck && !checkpoint(steps)) {
                    return;
                }
                continue;
            }
            break;
        }
        case Op::ForNext: {
            const Cell upper = r[in.a], step = r[in.b];
            Cell& variable = r[in.dst];
            if ((upper.term | step.term | variable.term) == 0) [[likely]] {
                const std::int64_t at = signedOf(in.type, variable.bits);
                const std::uint64_t left = static_cast<std::uint64_t>(signedOf(in.type, upper.bits)) - static_cast<std::uint64_t>(at);
                if (left > step.bits) {
                    variable.bits = (variable.bits + step.bits) & Masks[in.type.code];
                    pc = in.c;
                } else {
                    ++pc;
                }
                if (steps >= m_nextCheck && !checkpoint(steps)) {
                    return;
                }
                continue;
            }
            break;
        }
        case Op::Load: {
            const View& view = v[in.a];
            Allocation& memory = m_allocations[view.allocation];
            const auto [flat, plain] = addressOf(view, in, r, pool);
            if (plain && flat < memory.count) [[likely]] {
                if constexpr (M != Mode::Plain) {
                    if (m_tracking && !trackRead(task, memory, flat, pc)) {
                        m_steps = steps;
                        frame->pc = pc;
                        return;
                    }
                    if constexpr (M == Mode::Careful) {
                        if (watches()) {
                            watch(task, view.allocation, flat, pc, false);
                        }
                    }
                }
                Cell& cell = memory.data[flat];
                if (cell.term == Pending) {
                    cell.term = m_dag.leaf(memory.buffer, static_cast<std::uint32_t>(flat));
                }
                if (cell.term != Unwritten && !m_choices) [[likely]] {
                    r[in.dst] = cell;
                    ++pc;
                    continue;
                }
            }
            m_steps = steps;
            frame->pc = pc;
            flow = access(task, in, pc);
            goto after;
        }
        case Op::Store: {
            const View& view = v[in.a];
            Allocation& memory = m_allocations[view.allocation];
            const auto [flat, plain] = addressOf(view, in, r, pool);
            if (plain && flat < memory.count && !memory.isConstant && r[in.dst].term != Mixed) [[likely]] {
                if constexpr (M != Mode::Plain) {
                    if (m_tracking && !trackWrite(task, memory, flat, pc)) {
                        m_steps = steps;
                        frame->pc = pc;
                        return;
                    }
                    task.atHead = false;
                    if constexpr (M == Mode::Careful) {
                        if (watches()) {
                            watch(task, view.allocation, flat, pc, true);
                        }
                        if (!m_forks.empty()) {
                            m_undo.push_back({view.allocation, flat, memory.data[flat]});
                        }
                    }
                }
                memory.data[flat] = r[in.dst];
                memory.isWritten = true;
                ++pc;
                continue;
            }
            m_steps = steps;
            frame->pc = pc;
            flow = access(task, in, pc);
            goto after;
        }
        default:
            if (in.op > Op::MathInt) {
                m_steps = steps;
                frame->pc = pc;
                flow = slow(task, in, pc);
                goto after;
            }
            break;
        }
        // Scalar operations that are not computed above, and control that depends on data.
        m_steps = steps;
        frame->pc = pc;
        flow = in.op > Op::MathInt ? slow(task, in, pc) : scalar(task, in, r, pc);
    after:
        steps = m_steps;
        if (flow == Flow::Next) {
            ++pc;
            continue;
        }
        if (flow == Flow::Stop || m_over) {
            return;
        }
        if (m_mode != M) { // tracking or a fork began: another loop goes on
            return;
        }
        reload();
    }
}

template void Machine::execute<Machine::Mode::Plain>(Task&);
template void Machine::execute<Machine::Mode::Tracking>(Task&);
template void Machine::execute<Machine::Mode::Careful>(Task&);

Machine::Flow Machine::scalar(Task& task, const Instruction& in, Cell* r, std::uint32_t pc) {
    const Op op = in.op;
    const bool isUnary = (op >= Op::Copy && op <= Op::FloatToIntU) || op == Op::NegF || op == Op::Math1 || op == Op::MathInt;
    const bool isTernary = op == Op::Select || op == Op::Fma;
    const Cell a = r[in.a];
    const Cell b = isUnary ? Cell{} : r[in.b];
    const Cell c = isTernary ? r[in.c] : Cell{};
    const FunctionCode& f = *task.frames.back().code;
    if (op == Op::Select && a.term == NoTerm) {
        r[in.dst] = a.bits != 0 ? b : c;
        return Flow::Next;
    }
    for (const auto& [cell, which] : {std::pair(a, in.a), std::pair(b, in.b), std::pair(c, in.c)}) {
        if (cell.term == Mixed) {
            return undecidedValue(task, pc, "a value differs between the two ways of a condition that depends on data", which);
        }
    }
    const bool conversion = op >= Op::ExtS && op <= Op::FloatToIntU;
    // Type of the operands, for what has another result type.
    const ValueType operandType = conversion ? ValueType{static_cast<std::uint8_t>(in.aux)} : op == Op::Math1 ? f.registers[in.a] : in.type;
    const bool isDivision = op >= Op::DivS && op <= Op::FloorDivS;
    if ((a.term | b.term | c.term) == 0 && (m_concrete || isExact(op, in.aux, in.type))) {
        const ScalarResult result = evaluate(op, op == Op::Math1 ? operandType : in.type, in.aux, a.bits, b.bits, c.bits);
        if (result.fault == ScalarFault::Poison) {
            m_result.poison = true;
            if (!m_concrete) {
                r[in.dst] = {0, undefinedValue(in, termOf(a, operandType), isUnary ? NoTerm : termOf(b, in.type))};
                return Flow::Next;
            }
        } else if (result.fault != ScalarFault::Fine) {
            Fault found;
            found.kind = result.fault == ScalarFault::DivisionByZero ? FaultKind::DivisionByZero : FaultKind::DivisionOverflow;
            found.access = "divide";
            found.computedBy = definedAt(f, in.b);
            return fault(task, std::move(found), pc);
        }
        if (m_options.notesRounding) {
            m_result.rounded = m_result.rounded || mayRound(op, op == Op::Math1 ? operandType : in.type, in.aux, a.bits, b.bits, c.bits, result.bits);
        }
        r[in.dst] = {result.bits, NoTerm};
        return Flow::Next;
    }
    if (in.type == Handle) {
        return undecidedValue(task, pc, "a task or semaphore is chosen by data", in.a);
    }
    const bool isSignedDivision = op == Op::DivS || op == Op::RemS || op == Op::CeilDivS || op == Op::FloorDivS;
    const bool byMinusOne = isSignedDivision && b.bits == maskOf(in.type);
    if (isDivision && (b.term != NoTerm || b.bits == 0 || byMinusOne)) {
        const Term divisor = termOf(b, in.type);
        Term bad = m_dag.apply(Op::CmpI, Bit, static_cast<std::uint8_t>(CmpIPredicate::Eq), divisor, m_dag.constant(in.type, 0));
        if (isSignedDivision && (a.term != NoTerm || a.bits == std::uint64_t{1} << (in.type.width() - 1))) {
            const Term least = m_dag.apply(Op::CmpI, Bit, static_cast<std::uint8_t>(CmpIPredicate::Eq), termOf(a, in.type),
                                           m_dag.constant(in.type, std::uint64_t{1} << (in.type.width() - 1)));
            const Term minusOne =
                m_dag.apply(Op::CmpI, Bit, static_cast<std::uint8_t>(CmpIPredicate::Eq), divisor, m_dag.constant(in.type, maskOf(in.type)));
            bad = b.term == NoTerm && b.bits != 0 ? least : m_dag.apply(Op::Or, Bit, 0, bad, m_dag.apply(Op::And, Bit, 0, least, minusOne));
        }
        Fault found;
        found.kind = b.term == NoTerm && b.bits != 0 ? FaultKind::DivisionOverflow : FaultKind::DivisionByZero;
        found.access = "divide";
        found.computedBy = definedAt(f, in.b);
        if (b.term == NoTerm && b.bits == 0) {
            return fault(task, std::move(found), pc);
        }
        if (m_ranges.decided(bad) != false) {
            conditionalFault(task, std::move(found), bad, pc);
        }
    }
    const bool hasAux = conversion || op == Op::CmpI || op == Op::CmpF || op == Op::Math1 || op == Op::Math2 || op == Op::MathInt;
    const ValueType resultType = op == Op::CmpI || op == Op::CmpF ? Bit : in.type;
    const Term ta = termOf(a, op == Op::Select ? Bit : operandType);
    const Term tb = isUnary ? NoTerm : termOf(b, in.type);
    const Term tc = isTernary ? termOf(c, in.type) : NoTerm;
    if (op == Op::Select) {
        if (const std::optional<bool> way = known(ta)) {
            r[in.dst] = *way ? b : c;
            return Flow::Next;
        }
    }
    r[in.dst] = {0, m_dag.apply(op, resultType, hasAux ? static_cast<std::uint8_t>(in.aux) : std::uint8_t{0}, ta, tb, tc)};
    if (op == Op::Shl || op == Op::ShrS || op == Op::ShrU) {
        // By the width or more: undefined, and so is all that is computed from it.
        const Term within = m_dag.apply(Op::CmpI, Bit, static_cast<std::uint8_t>(CmpIPredicate::Ult), tb, m_dag.constant(in.type, in.type.width()));
        const std::optional<bool> defined = known(within);
        if (defined != true) {
            const Term undefined = undefinedValue(in, ta, tb);
            r[in.dst].term = defined == false ? undefined : m_dag.apply(Op::Select, in.type, 0, within, r[in.dst].term, undefined);
        }
    }
    if (in.aux != 0 && op <= Op::Shl) {
        const Term overflows = overflowGuard(in, ta, tb, r[in.dst].term);
        if (known(overflows) != false) {
            Fault found;
            found.kind = FaultKind::Poison;
            found.access = "overflow";
            found.detail = "an overflow that the op's flags exclude";
            conditionalFault(task, std::move(found), overflows, pc);
            if (m_over) {
                return Flow::Stop;
            }
        }
    }
    return Flow::Next;
}

/// What MLIR leaves undefined (poison): an unknown value of these operands; the same only where the same op makes it of the same operands.
Term Machine::undefinedValue(const Instruction& in, Term a, Term b) {
    const std::array<Term, 2> operands{a, b};
    return m_dag.open(m_dag.openName("undefined " + std::string(symbolOf(in.op, static_cast<std::uint8_t>(in.aux)))), 0, in.type,
                      std::span(operands).first(b == NoTerm ? 1 : 2));
}

Term Machine::overflowGuard(const Instruction& in, Term a, Term b, Term result) {
    const ValueType type = in.type;
    const auto make = [&](Op op, Term x, Term y) { return m_dag.apply(op, type, 0, x, y); };
    const auto compare = [&](CmpIPredicate predicate, Term x, Term y) {
        return m_dag.apply(Op::CmpI, Bit, static_cast<std::uint8_t>(predicate), x, y);
    };
    const Term zero = m_dag.constant(type, 0);
    Term broken = NoTerm;
    const auto add = [&](Term condition) { broken = broken == NoTerm ? condition : m_dag.apply(Op::Or, Bit, 0, broken, condition); };
    if ((in.aux & NoSignedWrap) != 0) {
        switch (in.op) {
        case Op::AddI: add(compare(CmpIPredicate::Slt, make(Op::And, make(Op::Xor, a, result), make(Op::Xor, b, result)), zero)); break;
        case Op::SubI: add(compare(CmpIPredicate::Slt, make(Op::And, make(Op::Xor, a, b), make(Op::Xor, a, result)), zero)); break;
        case Op::MulI:
            add(compare(CmpIPredicate::Ne, make(Op::MulHighS, a, b), make(Op::ShrS, result, m_dag.constant(type, type.width() - 1))));
            break;
        default: add(compare(CmpIPredicate::Ne, make(Op::ShrS, result, b), a)); break;
        }
    }
    if ((in.aux & NoUnsignedWrap) != 0) {
        switch (in.op) {
        case Op::AddI: add(compare(CmpIPredicate::Ult, result, a)); break;
        case Op::SubI: add(compare(CmpIPredicate::Ult, a, b)); break;
        case Op::MulI: add(compare(CmpIPredicate::Ne, make(Op::MulHighU, a, b), zero)); break;
        default: add(compare(CmpIPredicate::Ne, make(Op::ShrU, result, b), a)); break;
        }
    }
    return broken;
}

Machine::Flow Machine::openCall(Task& task, const Instruction& in, Cell* r, const std::uint32_t* pool, std::uint32_t pc) {
    const FunctionCode& f = *task.frames.back().code;
    std::vector<Term> operands;
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL ^ std::hash<std::string>{}(m_program.openNames[in.a]) ^ in.aux;
    for (std::uint32_t i = 0; i < in.c; ++i) {
        const Register from = pool[in.b + i];
        if (r[from].term == Mixed) {
            return undecidedValue(task, pc, "a value differs between the two ways of a condition that depends on data", from);
        }
        if (m_concrete) {
            hash = (hash ^ r[from].bits) * 0x2545F4914F6CDD1DULL;
            hash ^= hash >> 29;
        } else {
            operands.push_back(termOf(r[from], f.registers[from]));
        }
    }
    if (m_concrete) {
        // A made-up function of its operands: inputs found with it are only candidates.
        m_result.usedOpenFunction = true;
        const auto small = static_cast<double>(static_cast<std::int64_t>(hash >> 58)) - 32.0;
        r[in.dst] = {in.type.isFloat() ? bitsOf(in.type, small) : hash & maskOf(in.type), NoTerm};
    } else {
        r[in.dst] = {0, m_dag.open(m_dag.openName(m_program.openNames[in.a]), static_cast<std::uint8_t>(in.aux), in.type, operands)};
    }
    return Flow::Next;
}

Machine::Flow Machine::forBegin(Task& task, const Instruction& in, std::uint32_t pc) {
    Frame& frame = task.frames.back();
    Cell* r = task.registers.data() + frame.registers;
    const std::uint32_t* bounds = frame.code->operands.data() + in.b;
    const Cell lower = r[in.a], upper = r[bounds[0]], step = r[bounds[1]];
    if (step.term != NoTerm) {
        return undecidedValue(task, pc, "a loop step depends on data", bounds[1]);
    }
    if (signedOf(in.type, step.bits) <= 0) {
        Fault found;
        found.kind = FaultKind::BadStep;
        found.access = "loop";
        found.index = {signedOf(in.type, step.bits)};
        found.computedBy = definedAt(*frame.code, bounds[1]);
        return fault(task, std::move(found), pc);
    }
    r[in.dst] = lower;
    if ((lower.term | upper.term) == 0) {
        frame.pc = signedOf(in.type, lower.bits) < signedOf(in.type, upper.bits) ? pc + 1 : bounds[2];
        return Flow::Reload;
    }
    if (lower.term == Mixed || upper.term == Mixed) {
        return undecidedValue(task, pc, "a loop bound depends on data", lower.term == Mixed ? in.a : bounds[0]);
    }
    const Term runs = m_dag.apply(Op::CmpI, Bit, static_cast<std::uint8_t>(CmpIPredicate::Slt), termOf(lower, in.type), termOf(upper, in.type));
    return fork(task, runs, pc + 1, bounds[2], pc, bounds[0]);
}

Machine::Flow Machine::forNext(Task& task, const Instruction& in, std::uint32_t pc) {
    Cell* r = task.registers.data() + task.frames.back().registers;
    const Cell upper = r[in.a], step = r[in.b];
    Cell& variable = r[in.dst];
    if (upper.term == Mixed || variable.term == Mixed || step.term != NoTerm) {
        return undecidedValue(task, pc, "a loop bound depends on data", step.term != NoTerm ? in.b : in.a);
    }
    // left > step, without overflow: the variable is below the bound here.
    const Term left = m_dag.apply(Op::SubI, in.type, 0, termOf(upper, in.type), termOf(variable, in.type));
    Term more = m_dag.apply(Op::CmpI, Bit, static_cast<std::uint8_t>(CmpIPredicate::Ult), m_dag.constant(in.type, step.bits), left);
    if (variable.term == NoTerm) {
        const std::int64_t next = signedOf(in.type, variable.bits) + static_cast<std::int64_t>(step.bits);
        if (next >= signedOf(in.type, variable.bits) && next <= signedOf(in.type, maskOf(in.type) >> 1)) {
            more = m_dag.apply(Op::CmpI, Bit, static_cast<std::uint8_t>(CmpIPredicate::Slt),
                               m_dag.constant(in.type, static_cast<std::uint64_t>(next) & maskOf(in.type)), termOf(upper, in.type));
        }
        variable.bits = (variable.bits + step.bits) & maskOf(in.type);
    } else {
        variable.term = m_dag.apply(Op::AddI, in.type, 0, variable.term, m_dag.constant(in.type, step.bits));
    }
    return fork(task, more, in.c, pc + 1, pc, in.a);
}

Machine::Flow Machine::switchOn(Task& task, const Instruction& in, std::uint32_t pc) {
    Frame& frame = task.frames.back();
    const Cell* r = task.registers.data() + frame.registers;
    const std::uint32_t* cases = frame.code->operands.data() + in.b;
    const Cell value = r[in.a];
    if (value.term != NoTerm) {
        return undecidedValue(task, pc, "a switch depends on data", in.a);
    }
    frame.pc = cases[2 * in.c];
    for (std::uint32_t i = 0; i < in.c; ++i) {
        if (r[cases[2 * i]].bits == value.bits) {
            frame.pc = cases[2 * i + 1];
            break;
        }
    }
    return Flow::Reload;
}

Machine::Flow Machine::slow(Task& task, const Instruction& in, std::uint32_t pc) {
    Frame& frame = task.frames.back();
    Cell* r = task.registers.data() + frame.registers;
    View* v = task.views.data() + frame.views;
    const std::uint32_t* pool = frame.code->operands.data();
    switch (in.op) {
    case Op::Open: return openCall(task, in, r, pool, pc);
    case Op::Branch:
        if (r[in.a].term == Mixed) {
            return undecidedValue(task, pc, "a condition differs between the two ways of another", in.a);
        }
        return fork(task, r[in.a].term, in.dst, in.b, pc, in.a);
    case Op::Switch: return switchOn(task, in, pc);
    case Op::ForBegin: return forBegin(task, in, pc);
    case Op::ForNext: return forNext(task, in, pc);
    case Op::Call: {
        if (task.frames.size() >= m_options.limits.callDepth) {
            return undecided(task, pc, "recursion: more than " + std::to_string(m_options.limits.callDepth) + " calls deep");
        }
        if (m_steps >= m_nextCheck && !checkpoint(m_steps)) {
            return Flow::Stop;
        }
        const FunctionCode& callee = m_program.functions[in.a];
        const std::size_t from = frame.registers;
        const std::size_t fromViews = frame.views;
        frame.pc = pc;
        pushFrame(task, in.a); // moves the files and the frames
        const Frame& made = task.frames.back();
        const std::uint32_t* list = pool + in.b;
        for (std::uint32_t i = 0; i < callee.scalarParameters; ++i) {
            task.registers[made.registers + i] = task.registers[from + list[i]];
        }
        for (std::uint32_t i = 0; i < callee.viewParameters; ++i) {
            task.views[made.views + i] = task.views[fromViews + list[callee.scalarParameters + i]];
        }
        return Flow::Reload;
    }
    case Op::Return: return finishFrame(task, in);
    case Op::Fail: {
        Fault found;
        found.kind = FaultKind::Assertion;
        found.access = "assert";
        found.detail = m_program.names[in.a];
        return fault(task, std::move(found), pc);
    }
    case Op::Unsupported: return undecided(task, pc, m_program.names[in.a]);
    case Op::AtomicUpdate: return atomicUpdate(task, in, pc);
    case Op::Alloc: return alloc(task, in, pc);
    case Op::TeamAlloc: return teamAlloc(task, in, pc);
    case Op::Dealloc: return dealloc(task, in, pc);
    case Op::CopyView: return copyView(task, v[in.a], v[in.b], pc);
    case Op::MakeView: return makeView(task, in, pc);
    case Op::GlobalView: v[in.dst] = viewOf(globalAllocation(in.a)); return Flow::Next;
    case Op::SelectView:
        if (r[in.a].term != NoTerm) {
            return undecidedValue(task, pc, "a buffer is chosen by data", in.a);
        }
        v[in.dst] = r[in.a].bits != 0 ? v[in.b] : v[in.c];
        return Flow::Next;
    case Op::Dim: {
        const View& view = v[in.a];
        if (r[in.b].term != NoTerm || r[in.b].bits >= view.rank) {
            return undecidedValue(task, pc, "an axis is not one of the buffer's", in.b);
        }
        const std::uint64_t axis = r[in.b].bits;
        const Allocation& memory = m_allocations[view.allocation];
        if (memory.grows && axis == 0 && view.size[0] > INT64_MAX / 2) {
            return undecided(task, pc, "the extent of axis 0 of '" + memory.name + "' is unknown: give --size " + memory.name + ".0=N");
        }
        r[in.dst] = {static_cast<std::uint64_t>(view.size[axis]), NoTerm};
        return Flow::Next;
    }
    case Op::Spawn:
    case Op::SpawnDevice: return spawn(task, in, pc);
    case Op::Await:
    case Op::AwaitValue:
    case Op::AwaitView: return await(task, in, pc);
    case Op::GroupCreate:
    case Op::GroupAdd:
    case Op::AwaitAll: return groupOp(task, in, pc);
    case Op::Parallel: return parallel(task, in, pc);
    case Op::Barrier: return barrier(task, pc);
    case Op::DeviceHead: task.atHead = true; return Flow::Next;
    case Op::SemaphoreHandle:
    case Op::Acquire:
    case Op::Release: return semaphoreOp(task, in, pc);
    case Op::ChannelHandle:
    case Op::Put:
    case Op::Get:
    case Op::PutValue:
    case Op::GetValue: return channelOp(task, in, pc);
    default: return undecided(task, pc, "an instruction that is not one");
    }
}

} // namespace lemmascope::interp
