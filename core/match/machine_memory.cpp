// What the machine remembers, so that alternates that end in the same state and recursion over shared values cost no more than once. Nothing
// is remembered of a place until it was met often; small matches run as defined, step for step.
//
// Joined: behind an alternate the rest of the work is the same whichever was taken; if it failed, it fails again when the names that it
// mentions hold the same. Barrier: a goal (a pattern with its arguments, at a value) that failed, fails again with the same outer names; one
// that was met while all its outer names were bound can bind nothing more, so it is met again without work, and its other ways are dropped.
#include "core/match/machine_state.h"

#include <algorithm>
#include <tuple>

namespace lemmascope::match {

namespace {

constexpr std::uint32_t CallMark = 0x80000000U;

bool before(const SlotRef& a, const SlotRef& b) { return std::tie(a.up, a.index) < std::tie(b.up, b.index); }
bool alike(const SlotRef& a, const SlotRef& b) { return a.up == b.up && a.index == b.index; }

void settle(std::vector<SlotRef>& slots) {
    std::sort(slots.begin(), slots.end(), before);
    slots.erase(std::unique(slots.begin(), slots.end(), alike), slots.end());
}

} // namespace

void MachineState::findMentions() {
    mentions.resize(program.instructions.size());
    outerMentions.resize(program.procedures.size());
    // Which procedure each instruction is part of: it says what `up` counts from.
    std::vector<std::uint32_t> levels(program.instructions.size(), 0);
    for (const Procedure& procedure : program.procedures) {
        std::vector<InstructionId> stack{procedure.body};
        while (!stack.empty()) {
            const InstructionId id = stack.back();
            stack.pop_back();
            levels[id.index] = procedure.level;
            const Instruction& each = program.at(id);
            stack.insert(stack.end(), each.children.begin(), each.children.end());
        }
    }
    for (bool stable = false; !stable;) {
        stable = true;
        for (std::size_t i = 0; i < program.instructions.size(); ++i) {
            const Instruction& each = program.instructions[i];
            std::vector<SlotRef> found;
            for (const SlotRef slot : {each.slot, each.rest}) {
                if (slot.isValid()) {
                    found.push_back(slot);
                }
            }
            for (const AttributeTest& test : each.attributes) {
                if (test.slot.isValid()) {
                    found.push_back(test.slot);
                }
            }
            if (each.guard.isValid()) {
                const Guard& guard = program.at(each.guard);
                found.insert(found.end(), guard.slots.begin(), guard.slots.end());
            }
            for (const InstructionId child : each.children) {
                found.insert(found.end(), mentions[child.index].begin(), mentions[child.index].end());
            }
            if (each.kind == InstructionKind::Call) {
                found.insert(found.end(), each.arguments.begin(), each.arguments.end());
                const std::uint32_t level = program.procedures[each.procedure].level;
                for (const SlotRef outer : outerMentions[each.procedure]) {
                    found.push_back({levels[i] - (level - outer.up), outer.index});
                }
            }
            settle(found);
            mentions[i] = std::move(found);
        }
        for (std::size_t p = 0; p < program.procedures.size(); ++p) {
            std::vector<SlotRef> outer;
            for (const SlotRef slot : mentions[program.procedures[p].body.index]) {
                if (slot.up > 0) {
                    outer.push_back(slot);
                }
            }
            if (outer.size() != outerMentions[p].size()) {
                outerMentions[p] = std::move(outer);
                stable = false;
            }
        }
    }
}

bool MachineState::isFrequent(std::uint32_t kind, TermId term) {
    if (!term.isValid()) {
        return false;
    }
    const std::uint32_t number = options.identity ? term.index : subject.term(term).number;
    return ++visits[static_cast<std::uint64_t>(kind) << 32U | number] > options.rememberAfter;
}

void MachineState::rejoin(ChoicePoint& choice) {
    if (!options.remember || !isFrequent(choice.resume.at.index, choice.resume.term)) {
        return;
    }
    joins.emplace_back();
    choice.join = static_cast<std::uint32_t>(joins.size() - 1);
    choice.marks.joins = static_cast<std::uint32_t>(joins.size());
}

void MachineState::pushJoin(const Continuation& at, std::uint32_t index) {
    if (index == NoIndex) {
        return;
    }
    Continuation behind;
    behind.kind = ActionKind::Join;
    behind.at = at.at;
    behind.term = at.term;
    behind.frame = at.frame;
    behind.extra = index;
    push(behind);
}

void MachineState::addToKey(std::vector<std::uint32_t>& key, std::uint32_t frame, const std::vector<SlotRef>& slots,
                            std::map<std::uint32_t, std::uint32_t>& seen) {
    for (const SlotRef slot : slots) {
        const std::uint32_t index = cellOf(frame, slot);
        const auto [at, isNew] = seen.try_emplace(index, static_cast<std::uint32_t>(key.size()));
        const Cell cell = cells[index];
        key.push_back(static_cast<std::uint32_t>(cell.kind));
        switch (cell.kind) {
        case Binding::Kind::Unbound: key.push_back(at->second); break; // names of one cell, by where it was first met
        case Binding::Kind::Term: {
            const TermId term(cell.index);
            key.push_back(options.identity ? term.index : subject.term(term).number);
            break;
        }
        case Binding::Kind::Symbol: key.push_back(cell.index); break;
        case Binding::Kind::Value:
            key.push_back(valueIds.try_emplace(values[cell.index].text(), static_cast<std::uint32_t>(valueIds.size())).first->second);
            break;
        case Binding::Kind::List:
            key.push_back(static_cast<std::uint32_t>(lists[cell.index].size()));
            for (const TermId term : lists[cell.index]) {
                key.push_back(!term.isValid() ? NoIndex : options.identity ? term.index : subject.term(term).number);
            }
            break;
        }
    }
}

std::vector<std::uint32_t> MachineState::keyOf(std::uint32_t continuation, bool all) {
    std::vector<std::uint32_t> key;
    std::map<std::uint32_t, std::uint32_t> seen;
    for (std::uint32_t at = continuation; at != NoIndex; at = continuations[at].next) {
        const Continuation& each = continuations[at];
        const Instruction& instruction = program.at(each.at);
        switch (each.kind) {
        case ActionKind::Match: addToKey(key, each.frame, mentions[each.at.index], seen); break;
        case ActionKind::Guard: addToKey(key, each.frame, program.at(instruction.guard).slots, seen); break;
        case ActionKind::CheckName: addToKey(key, each.frame, {instruction.slot}, seen); break;
        case ActionKind::Constraint:
            addToKey(key, each.frame, {instruction.slot}, seen);
            addToKey(key, each.frame, mentions[instruction.children[1].index], seen);
            break;
        case ActionKind::Assign:
            for (std::size_t i = static_cast<std::size_t>(__builtin_popcount(each.extra2)); i < instruction.children.size(); ++i) {
                addToKey(key, each.frame, mentions[instruction.children[i].index], seen);
            }
            break;
        case ActionKind::Join:
        case ActionKind::EndGoal: break;
        }
    }
    if (all) {
        std::vector<SlotRef> slots;
        for (std::uint32_t i = 0; i < program.procedures[0].slots.size(); ++i) {
            slots.push_back({0, i});
        }
        addToKey(key, 0, slots, seen);
    }
    return key;
}

void MachineState::join(const Continuation& at) {
    const JoinState& known = joins[at.extra];
    if (!known.failed.empty() && known.failed.contains(keyOf(at.next, false))) {
        backtrack();
        return;
    }
    if (!known.failedAll.empty() && known.failedAll.contains(keyOf(at.next, true))) {
        // It would give matches that were given before, which is no failure for what lies around.
        ++resultCount;
        backtrack();
        return;
    }
    pushChoice(ChoiceKind::Joined, at, 0);
    choices.back().join = at.extra;
    choices.back().results = resultCount;
}

bool MachineState::recall(const Continuation& at, const Instruction& instruction) {
    // Where loops are looked for, what a goal comes to depends on the goals around it.
    if (at.goal != NoIndex || program.procedures[instruction.procedure].mayLoop || !isFrequent(CallMark | instruction.procedure, at.term)) {
        return false;
    }
    std::vector<std::uint32_t> key{instruction.procedure, options.identity ? at.term.index : subject.term(at.term).number};
    std::map<std::uint32_t, std::uint32_t> seen;
    addToKey(key, at.frame, instruction.arguments, seen);
    const std::uint32_t level = program.procedures[instruction.procedure].level;
    const std::uint32_t here = program.procedures[frames[at.frame].procedure].level;
    std::vector<SlotRef> outer;
    for (const SlotRef slot : outerMentions[instruction.procedure]) {
        outer.push_back({here - (level - slot.up), slot.index});
    }
    addToKey(key, at.frame, outer, seen);
    const auto known = remembered.find(key);
    if (known != remembered.end()) {
        if (!known->second.holds) {
            backtrack();
            return true;
        }
        for (const Event& each : known->second.events) {
            matched += each.kind == Event::Kind::Operator ? 1 : 0;
            events.push_back(each);
        }
        return true;
    }
    const bool isTest = std::all_of(seen.begin(), seen.end(), [&](const auto& each) { return cells[each.first].kind != Binding::Kind::Unbound; });
    pushChoice(ChoiceKind::Barrier, at, isTest ? 1 : 0);
    choices.back().key = std::move(key);
    Continuation end;
    end.kind = ActionKind::EndGoal;
    end.at = at.at;
    end.term = at.term;
    end.frame = at.frame;
    end.extra = static_cast<std::uint32_t>(choices.size() - 1);
    push(end);
    return false;
}

void MachineState::endGoal(const Continuation& at) {
    ChoicePoint& barrier = choices[at.extra];
    barrier.reached = true;
    if (barrier.option == 0) {
        return;
    }
    Remembered& made = remembered[barrier.key];
    made.holds = true;
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (std::size_t i = barrier.marks.events; i < events.size(); ++i) {
        const Event& each = events[i];
        if ((each.kind == Event::Kind::Operator || each.kind == Event::Kind::Leaf) && seen.emplace(each.at.index, each.term.index).second) {
            made.events.push_back(each);
        }
    }
    choices.resize(at.extra); // other ways to meet it bind nothing else
}

void MachineState::noteFailure(ChoicePoint& choice) {
    if (choice.kind == ChoiceKind::Barrier) {
        if (!choice.reached) {
            remembered[choice.key].holds = false;
        }
        return;
    }
    const bool matchedSince = resultCount != choice.results;
    JoinState& state = joins[choice.join];
    (matchedSince ? state.failedAll : state.failed).insert(keyOf(choice.resume.next, matchedSince));
}

} // namespace lemmascope::match
