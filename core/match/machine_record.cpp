// What is kept of a failed branch: facts and places, no texts.
#include "core/match/machine_state.h"

#include <algorithm>

namespace lemmascope::match {

/// Operators that the branch needed: those matched, the part that failed unless it was done (a guard behind it), and the work left.
std::uint32_t MachineState::totalOf(FailureReason reason, const Continuation& at) const {
    constexpr std::size_t MostCounted = 200;
    std::uint32_t total = matched;
    if (at.kind == ActionKind::Match && reason != FailureReason::RecursionLoop && reason != FailureReason::TargetMismatch) {
        total += program.at(at.at).leastOperators;
    }
    std::size_t counted = 0;
    for (std::uint32_t rest = current; rest != NoIndex && counted < MostCounted; rest = continuations[rest].next, ++counted) {
        const Continuation& each = continuations[rest];
        if (each.kind == ActionKind::Match) {
            total += program.at(each.at).leastOperators;
        } else if (each.kind == ActionKind::Constraint) {
            total += program.at(program.at(each.at).children[1]).leastOperators;
        }
    }
    return total;
}

std::uint32_t MachineState::nearnessOf(FailureReason reason, const Continuation& at) const {
    switch (reason) {
    case FailureReason::TargetMismatch:
    case FailureReason::OperatorMismatch: return subject.operands(at.term).empty() ? 0 : 1;
    case FailureReason::NotTheConstant: return subject.constant(at.term).isDefined() ? 2 : 1;
    case FailureReason::ArityMismatch: return program.at(at.at).kind == InstructionKind::FunctionVariable ? 0 : 2;
    case FailureReason::OperandOmitted:
    case FailureReason::OperandGiven: return 1;
    default: return 2;
    }
}

FailureRecord* MachineState::record(FailureReason reason, const Continuation& at) {
    ++failureCount;
    const std::uint32_t nearness = nearnessOf(reason, at);
    bool furthest = !summary.at.isValid() || matched > summary.matched || (matched == summary.matched && nearness > summary.nearness);
    std::uint32_t total = 0;
    if (furthest || (matched == summary.matched && nearness == summary.nearness)) {
        total = totalOf(reason, at);
        furthest = furthest || total < summary.total;
    }
    if (furthest) {
        summary = {reason, at.at, at.term, matched, nearness, total};
    }
    if (options.records == 0 || (options.records == 1 && !furthest)) {
        return nullptr;
    }
    if (records.size() == options.records) {
        records.pop_front();
    }
    records.emplace_back();
    FailureRecord& out = records.back();
    const Instruction& instruction = program.at(at.at);
    out.reason = reason;
    out.at = at.at;
    out.term = at.term;
    out.step = stepCount;
    out.depth = static_cast<std::uint32_t>(choices.size());
    out.matched = matched;
    out.total = totalOf(reason, at);
    // The choices that led here, the last ones: thousands of records of a deep branch must not hold all of it each.
    constexpr std::size_t MostChoices = 200;
    for (std::size_t i = events.size(); i > 0 && out.choices.size() < MostChoices; --i) {
        const Event& each = events[i - 1];
        if (each.kind == Event::Kind::Alternate || each.kind == Event::Kind::Operands) {
            out.choices.push_back(each);
        }
    }
    std::reverse(out.choices.begin(), out.choices.end());
    if (at.kind == ActionKind::Match && at.extra != NoIndex) {
        out.operand = at.extra;
        out.parent = TermId(at.extra2);
    }
    if (matched > 0) {
        out.bindings = rootBindings();
    }
    if (instruction.slot.isValid()) {
        out.held.name = *cellNames[cellOf(at.frame, instruction.slot)];
    }
    if (at.kind == ActionKind::Guard) {
        out.guard = instruction.guard;
        const Guard& guard = program.at(instruction.guard);
        for (std::size_t i = 0; i < guard.slots.size(); ++i) {
            const std::uint32_t cell = cellOf(at.frame, guard.slots[i]);
            out.bindings.push_back(binding(*cellNames[cell], cells[cell]));
        }
        out.guardNames = static_cast<std::uint32_t>(guard.slots.size());
        if (reason != FailureReason::GuardUnbound) {
            out.guardPart = guardPart(*this, instruction.guard, at.frame, reason == FailureReason::GuardFalse ? Truth::False : Truth::Undefined);
        }
    }
    bestPending = furthest;
    return &out;
}

} // namespace lemmascope::match
