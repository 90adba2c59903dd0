#pragma once

#include "core/match/program.h"
#include "core/match/subject.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

namespace lemmascope::match {

enum class Outcome : std::uint8_t {
    Running,
    Match,
    NoMatch,
    Undecided ///< the budget of steps ran out: never to be shown as "does not match"
};

struct MachineOptions {
    bool identity = false;            ///< names that repeat must hold the same node, not just the same computation
    std::uint64_t steps = 10'000'000; ///< for one root, all its matches together
    std::size_t records = 0;          ///< failures kept, the last ones and the furthest; 0: none, 1: the furthest
    bool remember = true;             ///< sub-goals that failed or passed are not run again, once that pays:
    std::uint32_t rememberAfter = 8;  ///< when a place was met more often than this
    std::stop_token stop;             ///< polled now and then; then it is undecided
};

/// What a name holds.
struct Binding {
    enum class Kind : std::uint8_t { Unbound, Term, Symbol, Value, List };
    Name name;
    Kind kind = Kind::Unbound;
    TermId term;
    SymbolId symbol; ///< then `term`, of a finished match on a graph: the node it was bound at
    FactValue value;
    std::vector<TermId> list;
    TermId madeAt; ///< what was being matched when it was bound; invalid: nothing is bound
};

/// What happened on the way to a state, as far as it was not undone: the derivation so far.
struct Event {
    enum class Kind : std::uint8_t { Operator, Leaf, Alternate, Operands };
    Kind kind = Kind::Operator;
    InstructionId at;
    TermId term;
    std::uint32_t choice = 0; ///< Alternate: which one. Operands: 1 when they were exchanged, or how a tree was taken apart
};

enum class FailureReason : std::uint8_t {
    VariableConflict,
    FunctionConflict,
    AttributeConflict,
    OperatorMismatch,
    ArityMismatch,
    ResultMismatch,
    AttributeMismatch,
    AttributeMissing,
    NotTheConstant,
    OperandOmitted,
    OperandGiven,
    TreeMismatch, ///< fewer than n leaves under an `ac`
    GuardFalse,
    GuardUnbound,
    GuardUndefined,
    ExistentialUnbound,
    TargetUnbound,
    TargetMismatch, ///< a name was to hold a value whose operator a constraint on it cannot take
    RecursionLoop
};

/// One failed branch. Texts are made from it on request (failure.h).
struct FailureRecord {
    FailureReason reason = FailureReason::OperatorMismatch;
    InstructionId at;
    TermId term;
    GuardId guard;
    std::uint32_t guardPart = 0; ///< GuardFalse, GuardUndefined: the first of Guard::parts that came to that
    Binding held;                ///< conflicts: what the name holds already. Unbound names: the name
    FactValue found;             ///< attributes: what is there
    std::uint32_t wanted = 0;    ///< arity, result; AttributeMismatch: which test
    std::uint32_t actual = 0;
    std::uint32_t operand = 0xFFFFFFFFU; ///< the operand of `parent` that was being matched
    TermId parent;
    std::uint64_t step = 0;
    std::uint32_t depth = 0;       ///< choice points then open
    std::uint32_t matched = 0;     ///< operators
    std::uint32_t total = 0;       ///< operators that this branch needed
    std::vector<Binding> bindings; ///< of the rule's names, and of what a guard reads (`guardNames` of them, at the end)
    std::uint32_t guardNames = 0;
    std::vector<Event> choices; ///< the branch: alternates and orders of operands, the last 200
};

/// What is kept of the furthest failure even when nothing is recorded: enough to rank roots and to count what they fail at.
struct FailureSummary {
    FailureReason reason = FailureReason::OperatorMismatch;
    InstructionId at; ///< invalid: nothing failed
    TermId term;
    std::uint32_t matched = 0;
    /// Among branches with as many operators: 2 when the operator at hand fits too, or names and guards are all that fails; 1 when another
    /// operator stands there; 0 when none does.
    std::uint32_t nearness = 0;
    std::uint32_t total = 0;
};

struct MachineState;

/// Runs one program at one root after the other; chronological backtracking, leftmost alternate first. The program and the subject must
/// outlive it. Not shared between threads.
class MatchMachine {
  public:
    MatchMachine(const MatchProgram& program, const Subject& subject, MachineOptions options = {});
    ~MatchMachine();
    MatchMachine(const MatchMachine&) = delete;
    MatchMachine& operator=(const MatchMachine&) = delete;

    /// The root's operator is one that the pattern can begin with.
    [[nodiscard]] bool mayMatchAt(TermId root) const;

    void start(TermId root);
    /// One transition of the machine.
    Outcome step();
    /// To the first, or after a match to the next one (by a forced backtrack).
    Outcome run();
    [[nodiscard]] Outcome outcome() const;

    [[nodiscard]] std::uint64_t steps() const;
    /// The rule's own names that are not existential; unbound ones too.
    [[nodiscard]] std::vector<Binding> bindings() const;
    [[nodiscard]] const std::vector<Event>& events() const;
    /// Failures in the order met, the last `records` of them.
    [[nodiscard]] const std::deque<FailureRecord>& failures() const;
    [[nodiscard]] std::uint64_t failureCount() const;
    /// The failure with the most operators matched, the nearest and first of several; nullptr when nothing failed or nothing is recorded.
    [[nodiscard]] const FailureRecord* furthest() const;
    [[nodiscard]] const FailureSummary& nearest() const;
    /// After a match: the first case of the rule whose guard holds; nothing when none does, or the rule has none.
    [[nodiscard]] std::optional<std::size_t> applicableCase() const;
    /// When undecided: the pattern and the term that were being matched.
    [[nodiscard]] std::pair<InstructionId, TermId> openGoal() const;

    struct OpenAction {
        std::string kind; ///< match, guard, check, constraint
        InstructionId at;
        TermId term;
    };
    /// The work left, next first, at most `most` entries; for views of a running machine.
    [[nodiscard]] std::vector<OpenAction> continuation(std::size_t most) const;
    [[nodiscard]] std::size_t choicePoints() const;

    // For stepping (stepper.h).
    /// A name of one entry into a rule, definition or mu: existential ones too.
    struct LiveName {
        std::string owner; ///< the rule's, definition's or mu's name
        Binding binding;
        bool existential = false;
    };
    /// The rule's names first, then those of what was entered on the way, at most `most`; parameters are their caller's names.
    [[nodiscard]] std::vector<LiveName> names(std::size_t most) const;
    struct OpenChoice {
        enum class Kind : std::uint8_t { Alternate, Exchange, Bracketing, Place };
        Kind kind = Kind::Alternate;
        InstructionId at;
        TermId term;
        std::uint32_t next = 0; ///< the option that is tried on return, from 0
    };
    /// Choice points that a failure can return to, the last made first, at most `most`.
    [[nodiscard]] std::vector<OpenChoice> openChoices(std::size_t most) const;
    /// The value that the next action matches; invalid when it matches none.
    [[nodiscard]] TermId goalTerm() const;
    /// A place in the work left: behind the next action, or behind the operands of the operator that it is an operand of. It holds as
    /// long as no branch fails.
    [[nodiscard]] std::uint32_t behindNext() const;
    [[nodiscard]] std::uint32_t behindParent() const;
    [[nodiscard]] bool isAt(std::uint32_t place) const;
    /// After a match: back to the last choice point, as `run` does first.
    void goOn();

  private:
    std::unique_ptr<MachineState> m_state;
};

} // namespace lemmascope::match
