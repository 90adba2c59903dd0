#pragma once

#include "core/match/machine.h"

// The inside of the machine: arenas that grow while running and are cut back by backtracking.
namespace lemmascope::match {

constexpr std::uint32_t NoIndex = 0xFFFFFFFFU;

struct Cell {
    Binding::Kind kind = Binding::Kind::Unbound;
    std::uint32_t index = 0;    ///< term, symbol, value or list
    std::uint32_t at = NoIndex; ///< the term that was being matched
};

/// One entry into a procedure: its names as cells.
struct Frame {
    std::uint32_t procedure = 0;
    std::uint32_t parent = NoIndex; ///< the frame of the procedure around it
    std::uint32_t firstCell = 0;    ///< into MachineState::frameCells
};

/// A constraint that waits for a name to be bound, and the entry it stands in.
struct Watch {
    std::uint32_t constraint = NoIndex;
    std::uint32_t frame = 0;
};

enum class ActionKind : std::uint8_t {
    Match,
    Guard,
    CheckName,
    Constraint,
    Assign, ///< the next operand of an `ac`
    EndGoal ///< behind a call that was made often
};

/// Immutable once made; tails are shared.
struct Continuation {
    ActionKind kind = ActionKind::Match;
    InstructionId at;
    TermId term;
    std::uint32_t frame = 0;
    std::uint32_t goal = NoIndex;
    std::uint32_t next = NoIndex;
    std::uint32_t extra = 0;  ///< Assign: list of leaves. EndGoal: choice point. Match: operand number
    std::uint32_t extra2 = 0; ///< Assign: operands already placed, as bits. Match: parent term
};

/// A recursive goal that is open; only of procedures that may loop.
struct Goal {
    std::uint32_t parent = NoIndex;
    std::uint32_t procedure = 0;
    std::uint32_t frame = 0;
    std::uint32_t number = 0;
};

enum class ChoiceKind : std::uint8_t {
    Alternate,
    Exchange,  ///< comm
    Cut,       ///< ac: another bracketing
    Place,     ///< ac: another leaf for an operand
    Exhausted, ///< remembers a failed state when reached
    Barrier    ///< remembers a failed goal when reached
};

struct Marks {
    std::uint32_t trail = 0, cells = 0, frames = 0, frameCells = 0, continuations = 0, goals = 0, events = 0, values = 0, lists = 0, watched = 0;
};

struct ChoicePoint {
    ChoiceKind kind = ChoiceKind::Alternate;
    Continuation resume; ///< what was being matched
    std::uint32_t option = 0;
    std::uint32_t matched = 0;
    std::uint32_t cuts = NoIndex; ///< Cut: first of its lists; Place: the list of leaves
    std::uint32_t cutCount = 0;
    std::uint64_t results = 0; ///< Exhausted: matches met before
    bool reached = false;      ///< Barrier: its goal was met
    std::vector<std::uint32_t> key;
    Marks marks;
};

struct Remembered {
    bool holds = false;
    std::vector<Event> events; ///< of a goal that holds
};

struct MachineState {
    MachineState(const MatchProgram& p, const Subject& s, MachineOptions o);

    const MatchProgram& program;
    const Subject& subject;
    MachineOptions options;

    std::vector<Cell> cells;
    std::vector<const Name*> cellNames; ///< what the rule calls each
    /// The constraint that waits for each to be bound, if any: a value whose operator it cannot take fails at once, instead of when all
    /// before the constraint is done. Not where all failures are recorded, which come in the order that is defined.
    std::vector<Watch> watches;
    std::vector<std::pair<std::uint32_t, Watch>> watched; ///< cells whose watch was set, with the one before
    std::vector<Frame> frames;
    std::vector<std::uint32_t> frameCells;
    std::vector<Continuation> continuations;
    std::vector<Goal> goals;
    std::vector<std::uint32_t> trail;
    std::vector<Event> events;
    std::vector<FactValue> values;
    std::vector<std::vector<TermId>> lists;
    std::vector<ChoicePoint> choices;
    std::uint32_t current = NoIndex; ///< the continuation to run
    TermId acting;                   ///< what the step that runs is about
    std::uint32_t matched = 0;
    std::uint64_t stepCount = 0;
    std::uint64_t resultCount = 0; ///< matches met, also those that would be met once more
    Outcome outcome = Outcome::NoMatch;

    std::deque<FailureRecord> records;
    FailureRecord best;
    bool hasBest = false;
    bool bestPending = false; ///< the last record is the best once it is filled in
    FailureSummary summary;
    std::uint64_t failureCount = 0;

    std::unordered_map<std::uint64_t, std::uint32_t> visits;
    std::map<std::vector<std::uint32_t>, Remembered> remembered; ///< goals
    std::set<std::vector<std::uint32_t>> failed;                 ///< states: the work left, and what the names that it mentions hold
    std::set<std::vector<std::uint32_t>> failedAll;              ///< the same with the rule's own names: states that gave all their matches
    std::size_t keptWords = 0;                                   ///< of both
    bool mayLoop = false;
    std::map<std::string, std::uint32_t> valueIds;   ///< values by their text, for keys
    std::vector<std::vector<bool>> operatorIs;       ///< by program operator and symbol
    std::vector<std::vector<SlotRef>> mentions;      ///< names that a match of an instruction may read or bind
    std::vector<std::vector<SlotRef>> outerMentions; ///< of a procedure, seen from inside: names around it

    void start(TermId root);
    void step();
    void backtrack();

    // names
    [[nodiscard]] std::uint32_t cellOf(std::uint32_t frame, SlotRef slot) const;
    void set(std::uint32_t cell, Cell value);
    std::uint32_t enter(std::uint32_t procedure, std::uint32_t caller, const std::vector<SlotRef>& arguments);
    [[nodiscard]] Binding binding(const Name& name, const Cell& cell) const;
    [[nodiscard]] std::vector<Binding> rootBindings() const;
    [[nodiscard]] bool same(TermId a, TermId b) const;

    // actions
    void match(const Continuation& at);
    void matchOperator(const Continuation& at, const Instruction& instruction);
    bool testAttributes(const Continuation& at, const Instruction& instruction, std::vector<TermId>& operands);
    void matchTree(const Continuation& at, const Instruction& instruction);
    void assign(const Continuation& at);
    [[nodiscard]] std::uint32_t nextLeaf(const std::vector<TermId>& leaves, std::uint32_t used, std::uint32_t from) const;
    void call(const Continuation& at, const Instruction& instruction);
    void watch(const Continuation& at, const Instruction& constraint);
    [[nodiscard]] bool watchAllows(std::uint32_t cell, TermId term) const;
    void guard(const Continuation& at);
    void push(Continuation action) {
        action.next = current;
        continuations.push_back(action);
        current = static_cast<std::uint32_t>(continuations.size() - 1);
    }
    void pushOperands(const Continuation& at, const Instruction& instruction, std::span<const TermId> operands, bool exchanged);
    void pushChoice(ChoiceKind kind, const Continuation& resume, std::uint32_t optionLeft);
    void resume(ChoicePoint& choice);
    void tryAlternate(const Continuation& at, std::uint32_t option);

    // memory (machine_memory.cpp)
    void findMentions();
    bool isFrequent(std::uint32_t kind, TermId term);
    [[nodiscard]] std::vector<std::uint32_t> keyOf(const Continuation& at, bool all);
    void addToKey(std::vector<std::uint32_t>& key, std::uint32_t frame, const std::vector<SlotRef>& slots,
                  std::map<std::uint32_t, std::uint32_t>& seen);
    void endGoal(const Continuation& at);
    /// True when the call was answered from memory. Else it is to be run, perhaps behind a barrier that remembers what becomes of it.
    bool recall(const Continuation& at, const Instruction& instruction);
    /// True when the state, this work and what is left behind it, failed before: then it has failed again. Else, once its like was met
    /// often, its failure will be remembered.
    bool failedBefore(const Continuation& at);
    void noteFailure(ChoicePoint& choice);

    // records (machine_record.cpp)
    FailureRecord* record(FailureReason reason, const Continuation& at);
    [[nodiscard]] std::uint32_t nearnessOf(FailureReason reason, const Continuation& at) const;
    [[nodiscard]] std::uint32_t totalOf(FailureReason reason, const Continuation& at) const;
    void fail(FailureReason reason, const Continuation& at) {
        record(reason, at);
        backtrack();
    }
};

/// Whether a guard holds; `unbound` is set when a name it reads holds nothing (machine_guard.cpp).
[[nodiscard]] Truth evaluateGuard(const MachineState& state, GuardId guard, std::uint32_t frame, bool& unbound);
/// The first part of a guard, all of whose names are bound, that comes to `truth`; 0 when none does.
[[nodiscard]] std::uint32_t guardPart(const MachineState& state, GuardId guard, std::uint32_t frame, Truth truth);
/// The value of one part of a guard, with names looked up by `held`.
[[nodiscard]] FactValue evaluateFact(const Subject& subject, const GuardNode& node, const FactValue& argument, const Binding& held);

} // namespace lemmascope::match
