// What a running machine shows to those who step through it (stepper.h).
#include "core/match/machine_state.h"

namespace lemmascope::match {

std::vector<MatchMachine::LiveName> MatchMachine::names(std::size_t most) const {
    std::vector<LiveName> out;
    for (const Frame& frame : m_state->frames) {
        const Procedure& procedure = m_state->program.procedures[frame.procedure];
        for (std::uint32_t i = procedure.parameters; i < procedure.slots.size(); ++i) {
            if (out.size() == most) {
                return out;
            }
            const SlotInfo& slot = procedure.slots[i];
            const Cell& cell = m_state->cells[m_state->frameCells[frame.firstCell + i]];
            out.push_back({procedure.name, m_state->binding(slot.name, cell), slot.existential});
        }
    }
    return out;
}

std::vector<MatchMachine::OpenChoice> MatchMachine::openChoices(std::size_t most) const {
    std::vector<OpenChoice> out;
    for (std::size_t i = m_state->choices.size(); i > 0 && out.size() < most; --i) {
        const ChoicePoint& each = m_state->choices[i - 1];
        OpenChoice::Kind kind = OpenChoice::Kind::Alternate;
        switch (each.kind) {
        case ChoiceKind::Alternate: break;
        case ChoiceKind::Exchange: kind = OpenChoice::Kind::Exchange; break;
        case ChoiceKind::Cut: kind = OpenChoice::Kind::Bracketing; break;
        case ChoiceKind::Place: kind = OpenChoice::Kind::Place; break;
        case ChoiceKind::Exhausted:
        case ChoiceKind::Barrier: continue; // of the memory: nothing is tried there
        }
        out.push_back({kind, each.resume.at, each.resume.term, each.option});
    }
    return out;
}

TermId MatchMachine::goalTerm() const {
    const std::uint32_t at = m_state->current;
    return at != NoIndex && m_state->continuations[at].kind == ActionKind::Match ? m_state->continuations[at].term : TermId();
}

std::uint32_t MatchMachine::behindNext() const {
    std::uint32_t at = m_state->current;
    while (at != NoIndex && m_state->continuations[at].kind == ActionKind::EndGoal) {
        at = m_state->continuations[at].next;
    }
    return at == NoIndex ? NoIndex : m_state->continuations[at].next;
}

std::uint32_t MatchMachine::behindParent() const {
    std::uint32_t at = m_state->current;
    const auto parentOf = [this](std::uint32_t index) {
        const Continuation& each = m_state->continuations[index];
        return each.kind == ActionKind::Match && each.extra != NoIndex ? each.extra2 : NoIndex;
    };
    if (at == NoIndex || parentOf(at) == NoIndex) {
        return behindNext();
    }
    const std::uint32_t parent = parentOf(at);
    while (at != NoIndex && parentOf(at) == parent) {
        at = m_state->continuations[at].next;
    }
    return at;
}

bool MatchMachine::isAt(std::uint32_t place) const { return m_state->current == place; }

void MatchMachine::goOn() {
    if (m_state->outcome == Outcome::Match) {
        m_state->backtrack();
    }
}

} // namespace lemmascope::match
