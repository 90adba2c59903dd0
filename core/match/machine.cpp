// The transitions of the machine, one case for each rule of its definition (resources/help/rules.md); tests:
// tests/core/match/tst_match_cases.cpp, against the declarative meaning tst_match_oracle.cpp.
#include "core/match/machine_state.h"

#include <algorithm>
#include <cassert>

namespace lemmascope::match {

MachineState::MachineState(const MatchProgram& p, const Subject& s, MachineOptions o) : program(p), subject(s), options(o) {
    operatorIs.resize(program.operators.size());
    mayLoop = std::any_of(program.procedures.begin(), program.procedures.end(), [](const Procedure& each) { return each.mayLoop; });
    for (std::size_t op = 0; op < operatorIs.size(); ++op) {
        operatorIs[op].resize(subject.symbolCount());
        for (const SymbolId symbol : subject.symbolsNamed(program.operators[op])) {
            operatorIs[op][symbol.index] = true;
        }
    }
}

void MachineState::start(TermId root) {
    cells.clear();
    cellNames.clear();
    watches.clear();
    watched.clear();
    frames.clear();
    frameCells.clear();
    continuations.clear();
    goals.clear();
    trail.clear();
    events.clear();
    values.clear();
    lists.clear();
    failed.clear();
    failedAll.clear();
    keptWords = 0;
    choices.clear();
    records.clear();
    visits.clear();
    remembered.clear();
    valueIds.clear();
    hasBest = false;
    bestPending = false;
    summary = {};
    failureCount = 0;
    current = NoIndex;
    matched = 0;
    stepCount = 0;
    resultCount = 0;
    outcome = Outcome::Running;
    const std::uint32_t frame = enter(0, NoIndex, {});
    Continuation first;
    first.at = program.procedures[0].body;
    first.term = root;
    first.frame = frame;
    first.extra = NoIndex;
    push(first);
}

// ---- names

std::uint32_t MachineState::cellOf(std::uint32_t frame, SlotRef slot) const {
    for (std::uint32_t up = slot.up; up > 0; --up) {
        frame = frames[frame].parent;
    }
    return frameCells[frames[frame].firstCell + slot.index];
}

void MachineState::set(std::uint32_t cell, Cell value) {
    value.at = acting.index;
    cells[cell] = value;
    trail.push_back(cell);
}

std::uint32_t MachineState::enter(std::uint32_t procedure, std::uint32_t caller, const std::vector<SlotRef>& arguments) {
    const Procedure& entered = program.procedures[procedure];
    Frame frame;
    frame.procedure = procedure;
    if (entered.level > 0) {
        // A mu sees the names of the procedure it stands in: that frame lies on the caller's own way out.
        frame.parent = caller;
        for (std::uint32_t level = program.procedures[frames[caller].procedure].level; level >= entered.level; --level) {
            frame.parent = frames[frame.parent].parent;
        }
    }
    frame.firstCell = static_cast<std::uint32_t>(frameCells.size());
    for (std::uint32_t i = 0; i < entered.slots.size(); ++i) {
        if (i < entered.parameters && i < arguments.size()) {
            const std::uint32_t cell = cellOf(caller, arguments[i]);
            frameCells.push_back(cell);
        } else {
            frameCells.push_back(static_cast<std::uint32_t>(cells.size()));
            cells.emplace_back();
            cellNames.push_back(&entered.slots[i].name);
            watches.emplace_back();
        }
    }
    frames.push_back(frame);
    return static_cast<std::uint32_t>(frames.size() - 1);
}

Binding MachineState::binding(const Name& name, const Cell& cell) const {
    Binding out;
    out.name = name;
    out.kind = cell.kind;
    out.madeAt = cell.kind == Binding::Kind::Unbound ? TermId() : TermId(cell.at);
    switch (cell.kind) {
    case Binding::Kind::Unbound: break;
    case Binding::Kind::Term: out.term = TermId(cell.index); break;
    case Binding::Kind::Symbol: out.symbol = SymbolId(cell.index); break;
    case Binding::Kind::Value: out.value = values[cell.index]; break;
    case Binding::Kind::List: out.list = lists[cell.index]; break;
    }
    return out;
}

std::vector<Binding> MachineState::rootBindings() const {
    std::vector<Binding> out;
    const Procedure& root = program.procedures[0];
    for (std::uint32_t i = 0; i < root.slots.size(); ++i) {
        if (!root.slots[i].existential) {
            out.push_back(binding(root.slots[i].name, cells[frameCells[frames[0].firstCell + i]]));
        }
    }
    return out;
}

bool MachineState::same(TermId a, TermId b) const {
    return a == b || (!options.identity && a.isValid() && b.isValid() && subject.term(a).number == subject.term(b).number);
}

// ---- choice points

void MachineState::pushChoice(ChoiceKind kind, const Continuation& resumed, std::uint32_t option) {
    ChoicePoint choice;
    choice.kind = kind;
    choice.resume = resumed;
    choice.resume.next = current;
    choice.option = option;
    choice.matched = matched;
    const auto size = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
    choice.marks = {size(trail), size(cells),  size(frames), size(frameCells), size(continuations),
                    size(goals), size(events), size(values), size(lists),      size(watched)};
    choices.push_back(std::move(choice));
}

void MachineState::backtrack() {
    if (bestPending) {
        best = records.back();
        hasBest = true;
        bestPending = false;
    }
    while (!choices.empty()) {
        ChoicePoint& choice = choices.back();
        const Marks& marks = choice.marks;
        for (; trail.size() > marks.trail; trail.pop_back()) {
            cells[trail.back()] = {};
        }
        for (; watched.size() > marks.watched; watched.pop_back()) {
            watches[watched.back().first] = watched.back().second;
        }
        cells.resize(marks.cells);
        cellNames.resize(marks.cells);
        watches.resize(marks.cells);
        frames.resize(marks.frames);
        frameCells.resize(marks.frameCells);
        continuations.resize(marks.continuations);
        goals.resize(marks.goals);
        events.resize(marks.events);
        values.resize(marks.values);
        lists.resize(marks.lists);
        matched = choice.matched;
        current = choice.resume.next;
        if (choice.kind == ChoiceKind::Exhausted || choice.kind == ChoiceKind::Barrier) {
            noteFailure(choice);
            choices.pop_back();
            continue;
        }
        outcome = Outcome::Running;
        resume(choice);
        return;
    }
    outcome = Outcome::NoMatch;
}

/// Takes the next option of the choice point on top, which goes when that is its last.
void MachineState::resume(ChoicePoint& choice) {
    const Continuation at = choice.resume;
    const std::uint32_t option = choice.option++;
    const Instruction& instruction = program.at(at.at);
    switch (choice.kind) {
    case ChoiceKind::Alternate: {
        if (choice.option == instruction.children.size()) {
            choices.pop_back();
        }
        tryAlternate(at, option);
        return;
    }
    case ChoiceKind::Exchange: {
        const std::vector<TermId> operands = lists[choice.cuts];
        choices.pop_back();
        events.push_back({Event::Kind::Operands, at.at, at.term, 1});
        pushOperands(at, instruction, operands, true);
        return;
    }
    case ChoiceKind::Cut: {
        const std::uint32_t list = choice.cuts + 2 * option;
        if (choice.option == choice.cutCount) {
            choices.pop_back();
        }
        events.push_back({Event::Kind::Operands, at.at, at.term, option});
        for (const TermId opened : lists[list + 1]) {
            events.push_back({Event::Kind::Operator, at.at, opened, 0});
        }
        Continuation placing = at;
        placing.kind = ActionKind::Assign;
        placing.extra = list;
        placing.extra2 = 0;
        push(placing);
        return;
    }
    case ChoiceKind::Place: {
        const std::vector<TermId>& leaves = lists[at.extra];
        const std::uint32_t used = at.extra2;
        const std::uint32_t after = nextLeaf(leaves, used, option + 1);
        choice.option = after;
        if (after >= leaves.size()) {
            choices.pop_back();
        }
        const auto operand = static_cast<std::uint32_t>(__builtin_popcount(used));
        Continuation rest = at;
        rest.kind = ActionKind::Assign;
        rest.extra2 = used | 1U << option;
        push(rest);
        Continuation leaf;
        leaf.at = instruction.children[operand];
        leaf.term = leaves[option];
        leaf.frame = at.frame;
        leaf.goal = at.goal;
        leaf.extra = operand;
        leaf.extra2 = at.term.index;
        push(leaf);
        return;
    }
    case ChoiceKind::Exhausted:
    case ChoiceKind::Barrier: break;
    }
    assert(false);
}

void MachineState::tryAlternate(const Continuation& at, std::uint32_t option) {
    events.push_back({Event::Kind::Alternate, at.at, at.term, option});
    Continuation one = at;
    one.at = program.at(at.at).children[option];
    push(one);
}

// ---- one step

void MachineState::step() {
    if (outcome != Outcome::Running) {
        return;
    }
    if (current == NoIndex) {
        ++resultCount;
        outcome = Outcome::Match;
        return;
    }
    constexpr std::uint64_t BetweenPolls = 4096;
    constexpr std::size_t MostKept = 8'000'000; // of what a run without a failure piles up
    if (++stepCount > options.steps || continuations.size() + cells.size() + events.size() > MostKept ||
        (stepCount % BetweenPolls == 0 && options.stop.stop_requested())) {
        outcome = Outcome::Undecided;
        return;
    }
    const Continuation at = continuations[current];
    current = at.next;
    acting = at.term;
    switch (at.kind) {
    case ActionKind::Match: match(at); return;
    case ActionKind::Guard: guard(at); return;
    case ActionKind::CheckName:
        if (cells[cellOf(at.frame, program.at(at.at).slot)].kind == Binding::Kind::Unbound) {
            fail(FailureReason::ExistentialUnbound, at);
        }
        return;
    case ActionKind::Constraint: {
        const Instruction& instruction = program.at(at.at);
        const Cell cell = cells[cellOf(at.frame, instruction.slot)];
        if (cell.kind != Binding::Kind::Term) {
            fail(FailureReason::TargetUnbound, at);
            return;
        }
        Continuation must = at;
        must.kind = ActionKind::Match;
        must.at = instruction.children[1];
        must.term = TermId(cell.index);
        must.extra = NoIndex;
        push(must);
        return;
    }
    case ActionKind::Assign: assign(at); return;
    case ActionKind::EndGoal: endGoal(at); return;
    }
}

void MachineState::match(const Continuation& at) {
    const Instruction& instruction = program.at(at.at);
    if (!at.term.isValid()) {
        // An operand that is left out has no value: only `none` matches it, and what chooses or binds nothing looks inside.
        switch (instruction.kind) {
        case InstructionKind::Variable:
        case InstructionKind::Any:
        case InstructionKind::Number:
        case InstructionKind::Operator:
        case InstructionKind::FunctionVariable:
        case InstructionKind::As:
        case InstructionKind::Result: fail(FailureReason::OperandOmitted, at); return;
        default: break;
        }
    }
    Continuation inner = at;
    // The pattern inside first, then what stands for this one: the stack runs from the top.
    const auto insideThen = [&](ActionKind afterwards) {
        inner.kind = afterwards;
        push(inner);
        inner.kind = ActionKind::Match;
        inner.at = instruction.children.front();
        push(inner);
    };
    switch (instruction.kind) {
    case InstructionKind::Variable:
    case InstructionKind::As: {
        const std::uint32_t cell = cellOf(at.frame, instruction.slot);
        const Cell held = cells[cell];
        if (held.kind == Binding::Kind::Unbound) {
            if (!watchAllows(cell, at.term)) {
                inner.at = InstructionId(watches[cell].constraint);
                inner.frame = watches[cell].frame;
                fail(FailureReason::TargetMismatch, inner);
                return;
            }
            set(cell, {Binding::Kind::Term, at.term.index});
        } else if (held.kind != Binding::Kind::Term || !same(TermId(held.index), at.term)) {
            if (FailureRecord* made = record(FailureReason::VariableConflict, at)) {
                made->held = binding(*cellNames[cell], held);
            }
            backtrack();
            return;
        }
        if (instruction.kind == InstructionKind::As) {
            inner.at = instruction.children.front();
            push(inner);
        } else {
            events.push_back({Event::Kind::Leaf, at.at, at.term, 0});
        }
        return;
    }
    case InstructionKind::Any: events.push_back({Event::Kind::Leaf, at.at, at.term, 0}); return;
    case InstructionKind::Omitted:
        if (at.term.isValid()) {
            fail(FailureReason::OperandGiven, at);
        }
        return;
    case InstructionKind::Number:
        if (!subject.constantIs(at.term, instruction.number)) {
            fail(FailureReason::NotTheConstant, at);
            return;
        }
        events.push_back({Event::Kind::Leaf, at.at, at.term, 0});
        return;
    case InstructionKind::Operator:
    case InstructionKind::FunctionVariable:
        if (instruction.order == OperandOrder::AsWritten || !failedBefore(at)) {
            matchOperator(at, instruction);
        }
        return;
    case InstructionKind::Alternate: {
        if (!failedBefore(at)) {
            pushChoice(ChoiceKind::Alternate, at, 1);
            tryAlternate(at, 0);
        }
        return;
    }
    case InstructionKind::Guarded: insideThen(ActionKind::Guard); return;
    case InstructionKind::Exists:
        // The slot is this entry's own, and unbound: nothing else comes here before it is left or undone.
        insideThen(ActionKind::CheckName);
        return;
    case InstructionKind::Constraint:
        watch(at, instruction);
        insideThen(ActionKind::Constraint);
        return;
    case InstructionKind::Result: {
        const SubjectTerm& term = subject.term(at.term);
        if (term.resultIndex != instruction.resultIndex) {
            if (FailureRecord* made = record(FailureReason::ResultMismatch, at)) {
                made->wanted = instruction.resultIndex;
                made->actual = term.resultIndex;
            }
            backtrack();
            return;
        }
        inner.at = instruction.children.front();
        inner.term = term.node;
        push(inner);
        return;
    }
    case InstructionKind::Call: call(at, instruction); return;
    }
}

void MachineState::matchOperator(const Continuation& at, const Instruction& instruction) {
    const SubjectTerm& term = subject.term(at.term);
    const bool named = instruction.kind == InstructionKind::Operator;
    if (named && !operatorIs[instruction.op][term.head.index]) {
        fail(FailureReason::OperatorMismatch, at);
        return;
    }
    if (term.resultIndex != 0) {
        if (FailureRecord* made = record(FailureReason::ResultMismatch, at)) {
            made->actual = term.resultIndex;
        }
        backtrack();
        return;
    }
    if (named && instruction.order == OperandOrder::AnyTree) {
        matchTree(at, instruction);
        return;
    }
    std::span<const TermId> operands = subject.operands(at.term);
    const std::size_t given = operands.size();
    // Attributes that may be operands take theirs away before the others are counted.
    std::vector<TermId> others;
    bool attributesHold = true;
    if (named && !instruction.attributes.empty()) {
        others.assign(operands.begin(), operands.end());
        attributesHold = testAttributes(at, instruction, others);
        operands = others;
    }
    std::size_t wanted = instruction.children.size();
    while (wanted > operands.size() && program.at(instruction.children[wanted - 1]).kind == InstructionKind::Omitted) {
        --wanted; // operands left out at the end are not there at all
    }
    const bool fits = instruction.rest.isValid() ? operands.size() >= wanted : operands.size() == wanted;
    if (!fits && attributesHold) {
        if (FailureRecord* made = record(FailureReason::ArityMismatch, at)) {
            made->wanted = static_cast<std::uint32_t>(instruction.children.size());
            made->actual = static_cast<std::uint32_t>(given);
        }
    }
    if (!fits || !attributesHold) {
        backtrack();
        return;
    }
    if (!named) {
        const std::uint32_t cell = cellOf(at.frame, instruction.slot);
        const Cell held = cells[cell];
        if (held.kind == Binding::Kind::Unbound) {
            set(cell, {Binding::Kind::Symbol, term.head.index});
        } else if (held.kind != Binding::Kind::Symbol || held.index != term.head.index) {
            if (FailureRecord* made = record(FailureReason::FunctionConflict, at)) {
                made->held = binding(*cellNames[cell], held);
            }
            backtrack();
            return;
        }
    }
    if (instruction.rest.isValid()) {
        const std::uint32_t cell = cellOf(at.frame, instruction.rest);
        std::vector<TermId> rest(operands.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, operands.size())), operands.end());
        const Cell held = cells[cell];
        if (held.kind == Binding::Kind::Unbound) {
            lists.push_back(std::move(rest));
            set(cell, {Binding::Kind::List, static_cast<std::uint32_t>(lists.size() - 1)});
        } else if (held.kind != Binding::Kind::List || !std::equal(rest.begin(), rest.end(), lists[held.index].begin(), lists[held.index].end(),
                                                                   [&](TermId a, TermId b) { return same(a, b); })) {
            if (FailureRecord* made = record(FailureReason::VariableConflict, at)) {
                made->held = binding(*cellNames[cell], held);
            }
            backtrack();
            return;
        }
    }
    events.push_back({Event::Kind::Operator, at.at, at.term, 0});
    ++matched;
    if (named && instruction.order == OperandOrder::Commutative && !same(operands[0], operands[1])) {
        lists.emplace_back(operands.begin(), operands.end());
        pushChoice(ChoiceKind::Exchange, at, 1);
        choices.back().cuts = static_cast<std::uint32_t>(lists.size() - 1);
    }
    pushOperands(at, instruction, operands, false);
}

void MachineState::pushOperands(const Continuation& at, const Instruction& instruction, std::span<const TermId> operands, bool exchanged) {
    for (std::size_t i = instruction.children.size(); i > 0; --i) {
        const std::size_t operand = exchanged ? 2 - i : i - 1;
        Continuation child;
        child.at = instruction.children[i - 1];
        child.term = operand < operands.size() ? operands[operand] : TermId();
        child.frame = at.frame;
        child.goal = at.goal;
        child.extra = static_cast<std::uint32_t>(operand);
        child.extra2 = at.term.index;
        push(child);
    }
}

bool MachineState::testAttributes(const Continuation& at, const Instruction& instruction, std::vector<TermId>& operands) {
    std::vector<std::size_t> taken;
    for (std::uint32_t i = 0; i < instruction.attributes.size(); ++i) {
        const AttributeTest& test = instruction.attributes[i];
        FactValue found = subject.attribute(at.term, test.name);
        if (!found.isDefined() && test.orOperand) {
            const auto operand = subject.attributeOperand(at.term, test.name, instruction.children.size());
            if (operand && *operand < operands.size() && operands[*operand].isValid()) {
                found = subject.constant(operands[*operand]);
                taken.push_back(*operand);
            }
        }
        const auto failure = [&](FailureReason reason) {
            FailureRecord* made = record(reason, at);
            if (made != nullptr) {
                made->wanted = i;
                made->found = found;
            }
            return made;
        };
        if (!found.isDefined()) {
            failure(FailureReason::AttributeMissing);
            return false;
        }
        if (!test.slot.isValid()) {
            if (!subject.attributeIs(at.term, test.name, found, test.wanted)) {
                failure(FailureReason::AttributeMismatch);
                return false;
            }
            continue;
        }
        const std::uint32_t cell = cellOf(at.frame, test.slot);
        const Cell held = cells[cell];
        if (held.kind == Binding::Kind::Unbound) {
            values.push_back(std::move(found));
            set(cell, {Binding::Kind::Value, static_cast<std::uint32_t>(values.size() - 1)});
        } else if (held.kind != Binding::Kind::Value || equals(values[held.index], found) != Truth::True) {
            if (FailureRecord* made = failure(FailureReason::AttributeConflict)) {
                made->held = binding(*cellNames[cell], held);
            }
            return false;
        }
    }
    std::sort(taken.begin(), taken.end());
    taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
    for (std::size_t i = taken.size(); i > 0; --i) {
        operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(taken[i - 1]));
    }
    while (!taken.empty() && !operands.empty() && !operands.back().isValid()) {
        operands.pop_back();
    }
    return true;
}

// ---- calls

void MachineState::call(const Continuation& at, const Instruction& instruction) {
    const Procedure& procedure = program.procedures[instruction.procedure];
    if (options.remember && at.term.isValid() && recall(at, instruction)) {
        return;
    }
    const std::uint32_t frame = enter(instruction.procedure, at.frame, instruction.arguments);
    Continuation body = at;
    body.at = procedure.body;
    body.frame = frame;
    if (procedure.mayLoop) {
        // So many goals of one pattern at one value, each with names of its own, end in no time that would be waited for.
        constexpr std::uint32_t MostAlike = 1'000;
        std::uint32_t alike = 0;
        const std::uint32_t number = at.term.isValid() ? subject.term(at.term).number : NoIndex;
        for (std::uint32_t open = at.goal; open != NoIndex; open = goals[open].parent) {
            const Goal& goal = goals[open];
            if (goal.procedure != instruction.procedure || goal.number != number) {
                continue;
            }
            const std::uint32_t* mine = frameCells.data() + frames[frame].firstCell;
            const std::uint32_t* theirs = frameCells.data() + frames[goal.frame].firstCell;
            if (std::equal(mine, mine + procedure.parameters, theirs) && frames[frame].parent == frames[goal.frame].parent) {
                fail(FailureReason::RecursionLoop, at);
                return;
            }
            if (++alike > MostAlike) {
                current = at.next;
                push(at);
                outcome = Outcome::Undecided;
                return;
            }
        }
        goals.push_back({at.goal, instruction.procedure, frame, number});
        body.goal = static_cast<std::uint32_t>(goals.size() - 1);
    }
    push(body);
}

void MachineState::watch(const Continuation& at, const Instruction& constraint) {
    if (options.records > 1 || !options.remember || !constraint.targetOperators) {
        return;
    }
    const std::uint32_t cell = cellOf(at.frame, constraint.slot);
    if (cells[cell].kind == Binding::Kind::Unbound) {
        watched.emplace_back(cell, watches[cell]);
        watches[cell] = {at.at.index, at.frame};
    }
}

bool MachineState::watchAllows(std::uint32_t cell, TermId term) const {
    if (watches[cell].constraint == NoIndex) {
        return true;
    }
    const std::uint32_t head = subject.term(term).head.index;
    const std::vector<std::uint32_t>& operators = *program.at(InstructionId(watches[cell].constraint)).targetOperators;
    return std::any_of(operators.begin(), operators.end(), [&](std::uint32_t op) { return operatorIs[op][head]; });
}

void MachineState::guard(const Continuation& at) {
    const GuardId id = program.at(at.at).guard;
    bool unbound = false;
    const Truth truth = evaluateGuard(*this, id, at.frame, unbound);
    if (truth == Truth::True && !unbound) {
        return;
    }
    fail(unbound ? FailureReason::GuardUnbound : truth == Truth::False ? FailureReason::GuardFalse : FailureReason::GuardUndefined, at);
}

// ---- the public face

MatchMachine::MatchMachine(const MatchProgram& program, const Subject& subject, MachineOptions options)
    : m_state(std::make_unique<MachineState>(program, subject, options)) {
    if (options.remember) {
        m_state->findMentions();
    }
}

MatchMachine::~MatchMachine() = default;

bool MatchMachine::mayMatchAt(TermId root) const {
    if (!m_state->program.rootOperators) {
        return true;
    }
    const SymbolId head = m_state->subject.term(root).head;
    return std::any_of(m_state->program.rootOperators->begin(), m_state->program.rootOperators->end(),
                       [&](std::uint32_t op) { return m_state->operatorIs[op][head.index]; });
}

void MatchMachine::start(TermId root) { m_state->start(root); }

Outcome MatchMachine::step() {
    m_state->step();
    return m_state->outcome;
}

Outcome MatchMachine::run() {
    if (m_state->outcome == Outcome::Match) {
        m_state->backtrack();
    }
    while (m_state->outcome == Outcome::Running) {
        m_state->step();
    }
    return m_state->outcome;
}

Outcome MatchMachine::outcome() const { return m_state->outcome; }
std::uint64_t MatchMachine::steps() const { return m_state->stepCount; }
std::vector<Binding> MatchMachine::bindings() const { return m_state->rootBindings(); }
const std::vector<Event>& MatchMachine::events() const { return m_state->events; }
const std::deque<FailureRecord>& MatchMachine::failures() const { return m_state->records; }
std::uint64_t MatchMachine::failureCount() const { return m_state->failureCount; }
const FailureSummary& MatchMachine::nearest() const { return m_state->summary; }

std::optional<std::size_t> MatchMachine::applicableCase() const {
    const std::vector<GuardId>& cases = m_state->program.cases;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        bool unbound = false;
        if (!cases[i].isValid() || (evaluateGuard(*m_state, cases[i], 0, unbound) == Truth::True && !unbound)) {
            return i;
        }
    }
    return std::nullopt;
}

const FailureRecord* MatchMachine::furthest() const { return m_state->hasBest ? &m_state->best : nullptr; }

std::pair<InstructionId, TermId> MatchMachine::openGoal() const {
    for (std::uint32_t at = m_state->current; at != NoIndex; at = m_state->continuations[at].next) {
        if (m_state->continuations[at].kind == ActionKind::Match) {
            return {m_state->continuations[at].at, m_state->continuations[at].term};
        }
    }
    return {};
}

std::vector<MatchMachine::OpenAction> MatchMachine::continuation(std::size_t most) const {
    std::vector<OpenAction> out;
    for (std::uint32_t at = m_state->current; at != NoIndex && out.size() < most; at = m_state->continuations[at].next) {
        const Continuation& each = m_state->continuations[at];
        switch (each.kind) {
        case ActionKind::Match:
        case ActionKind::Assign: out.push_back({"match", each.at, each.term}); break;
        case ActionKind::Guard: out.push_back({"guard", each.at, each.term}); break;
        case ActionKind::CheckName: out.push_back({"check", each.at, each.term}); break;
        case ActionKind::Constraint: out.push_back({"constraint", each.at, each.term}); break;
        case ActionKind::EndGoal: break;
        }
    }
    return out;
}

std::size_t MatchMachine::choicePoints() const { return m_state->choices.size(); }

} // namespace lemmascope::match
