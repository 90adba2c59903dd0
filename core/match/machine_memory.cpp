// What the machine remembers, so that alternates that end in the same state and recursion over shared values cost no more than once. Nothing
// is remembered of a place until it was met often; small matches run as defined, step for step.
//
// States: where alternates begin, all that decides what becomes of them is the work left (patterns and values) and what the names that it
// mentions hold. A state that failed fails again. Goals: a pattern with its arguments, at a value; one that was never met fails again with the
// same outer names; one that was met while all its outer names were bound can bind nothing more, so it is met again without work, and
// its other ways are dropped. Where loops are looked for, what becomes of a goal depends on those around it, and nothing is remembered.
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

void MachineState::addToKey(std::vector<std::uint32_t>& key, std::uint32_t frame, const std::vector<SlotRef>& slots,
                            std::map<std::uint32_t, std::uint32_t>& seen) {
    for (const SlotRef slot : slots) {
        const std::uint32_t index = cellOf(frame, slot);
        const auto [at, isNew] = seen.try_emplace(index, static_cast<std::uint32_t>(key.size()));
        const Cell cell = cells[index];
        key.push_back(static_cast<std::uint32_t>(cell.kind));
        switch (cell.kind) {
        case Binding::Kind::Unbound:
            key.push_back(at->second); // names of one cell, by where it was first met
            key.push_back(watches[index].constraint);
            break;
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

std::vector<std::uint32_t> MachineState::keyOf(const Continuation& first, bool all) {
    std::vector<std::uint32_t> key;
    std::map<std::uint32_t, std::uint32_t> seen;
    const auto add = [&](const Continuation& each) {
        const Instruction& instruction = program.at(each.at);
        const bool has = each.term.isValid();
        key.push_back(static_cast<std::uint32_t>(each.kind));
        key.push_back(each.at.index);
        switch (each.kind) {
        case ActionKind::Match:
            key.push_back(!has ? NoIndex : options.identity ? each.term.index : subject.term(each.term).number);
            addToKey(key, each.frame, mentions[each.at.index], seen);
            break;
        case ActionKind::Guard: addToKey(key, each.frame, program.at(instruction.guard).slots, seen); break;
        case ActionKind::CheckName: addToKey(key, each.frame, {instruction.slot}, seen); break;
        case ActionKind::Constraint:
            addToKey(key, each.frame, {instruction.slot}, seen);
            addToKey(key, each.frame, mentions[instruction.children[1].index], seen);
            break;
        case ActionKind::Assign:
            key.push_back(each.extra2);
            for (const TermId leaf : lists[each.extra]) {
                key.push_back(leaf.index);
            }
            for (std::size_t i = static_cast<std::size_t>(__builtin_popcount(each.extra2)); i < instruction.children.size(); ++i) {
                addToKey(key, each.frame, mentions[instruction.children[i].index], seen);
            }
            break;
        case ActionKind::EndGoal: break;
        }
    };
    add(first);
    for (std::uint32_t at = first.next; at != NoIndex; at = continuations[at].next) {
        if (continuations[at].kind != ActionKind::EndGoal) {
            add(continuations[at]);
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

bool MachineState::failedBefore(const Continuation& at) {
    if (!options.remember || mayLoop || !isFrequent(at.at.index, at.term)) {
        return false;
    }
    Continuation state = at;
    state.next = current;
    std::vector<std::uint32_t> key = keyOf(state, false);
    const bool gaveAll = failedAll.empty() ? false : failedAll.contains(keyOf(state, true));
    if (gaveAll || failed.contains(key)) {
        // Matches given before are no failure for what lies around.
        resultCount += gaveAll ? 1 : 0;
        // The goals around may have been met on the way to that failure.
        for (std::uint32_t rest = current; rest != NoIndex; rest = continuations[rest].next) {
            if (continuations[rest].kind == ActionKind::EndGoal) {
                choices[continuations[rest].extra].reached = true;
            }
        }
        backtrack();
        return true;
    }
    pushChoice(ChoiceKind::Exhausted, at, 0);
    choices.back().key = std::move(key);
    choices.back().results = resultCount;
    return false;
}

bool MachineState::recall(const Continuation& at, const Instruction& instruction) {
    if (mayLoop || !isFrequent(CallMark | instruction.procedure, at.term)) {
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
    constexpr std::size_t MostWords = std::size_t{1} << 24U;
    if (keptWords > MostWords) {
        return;
    }
    if (resultCount == choice.results) {
        keptWords += choice.key.size();
        failed.insert(std::move(choice.key));
        return;
    }
    Continuation state = choice.resume;
    std::vector<std::uint32_t> key = keyOf(state, true);
    keptWords += key.size();
    failedAll.insert(std::move(key));
}

} // namespace lemmascope::match
