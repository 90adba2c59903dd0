#pragma once

#include "core/match/graph_match.h"
#include "core/match/pattern_words.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope::match {

/// Where to stop: at the start of an attempt of a rule (by its index), and before a pattern is matched at one of these nodes.
struct Breakpoints {
    std::set<std::size_t> rules;
    std::set<NodeId> nodes;
    [[nodiscard]] bool empty() const { return rules.empty() && nodes.empty(); }
};

enum class StepCommand : std::uint8_t {
    Into, ///< one transition of the machine
    Over, ///< until the next action and all that it leads to is done, or a branch fails
    Out,  ///< until the operator is done whose operand is next, or a branch fails
    Back, ///< one transition less
    Start,
    NextFailure,     ///< before the next transition that fails
    FurthestFailure, ///< before the one that fails after the most operators
    End,             ///< the first match, or none; after a match the next one
    Breakpoint       ///< also in later attempts: roots from the last to the first, then the rules that follow
};

/// Steps through one attempt: a rule at a root. A position is how many transitions were made; back is to begin anew and make one less,
/// which costs microseconds a transition. Not shared between threads, but may be handed on from one to the other.
class Stepper {
  public:
    Stepper(Programs programs, std::shared_ptr<const GraphSubject> subject, MachineOptions options = {});
    ~Stepper();
    Stepper(const Stepper&) = delete;
    Stepper& operator=(const Stepper&) = delete;

    /// Position 0 of a rule at a root.
    void start(std::size_t rule, TermId root);
    void setBreakpoints(Breakpoints breakpoints) { m_breakpoints = std::move(breakpoints); }
    /// Begins a command; `proceed` carries it out.
    void begin(StepCommand command);
    /// Likewise, to a position.
    void beginSeek(std::uint64_t position);
    /// Goes on with what was begun for at most `most` transitions. False when it is not done yet; then, or when stopped, call it again.
    bool proceed(std::uint64_t most, const std::stop_token& stop = {});
    [[nodiscard]] bool isDone() const { return m_phase == Phase::Done; }

    [[nodiscard]] const Programs& programs() const { return m_programs; }
    [[nodiscard]] const MatchProgram& program() const { return *m_programs[m_rule]; }
    [[nodiscard]] const GraphSubject& subject() const { return *m_subject; }
    [[nodiscard]] const MatchMachine& machine() const { return *m_machine; }
    [[nodiscard]] std::size_t rule() const { return m_rule; }
    [[nodiscard]] TermId root() const { return m_root; }
    [[nodiscard]] std::uint64_t position() const { return m_position; }
    /// The failure that the next transition is, where a command stopped before it.
    [[nodiscard]] const FailureRecord* ahead() const { return m_ahead && m_aheadAt == m_position ? &*m_ahead : nullptr; }
    /// The last transition failed, and this is how.
    [[nodiscard]] const FailureRecord* behind() const;
    /// The last command looked for a breakpoint and met none before the last attempt ended.
    [[nodiscard]] bool ranOut() const { return m_ranOut; }

  private:
    enum class Phase : std::uint8_t { Done, Seek, Run };
    struct Nearest {
        FailureSummary summary;
        std::uint64_t position = 0;
        std::optional<FailureRecord> record;
    };

    void transition();
    void seek(std::uint64_t position);
    bool runOnce();
    bool nextAttempt();
    /// Where a rule is tried, the last root first; found once a rule.
    const std::vector<TermId>& rootsOf(std::size_t rule);

    Programs m_programs;
    std::shared_ptr<const GraphSubject> m_subject;
    MachineOptions m_options;
    std::unique_ptr<MatchMachine> m_machine;
    std::size_t m_rule = 0;
    TermId m_root;
    std::uint64_t m_position = 0;
    bool m_failed = false; ///< the last transition did
    Breakpoints m_breakpoints;
    Phase m_phase = Phase::Done;
    StepCommand m_command = StepCommand::Into;
    std::uint64_t m_target = 0; ///< Seek
    std::uint32_t m_mark = 0;   ///< Over, Out
    bool m_first = false;       ///< of the command's transitions
    bool m_ranOut = false;
    Nearest m_nearest; ///< FurthestFailure
    std::vector<TermId> m_roots;
    std::optional<std::size_t> m_rootsRule; ///< of m_roots
    std::optional<FailureRecord> m_ahead;
    std::uint64_t m_aheadAt = 0;
};

/// One line of a state: work that is left, or a choice point.
struct StepLine {
    std::string text;
    Spot spot;
    TermId term;
};

struct StepName {
    std::string owner; ///< the rule's, definition's or mu's name
    std::string name;  ///< as written
    std::string held;  ///< empty: not bound yet
    TermId term;       ///< what it holds, where that is a value
    TermId madeAt;     ///< what was being matched when it was bound
    bool existential = false;
};

/// All that is shown of a position, in words. Independent of the stepper once made.
struct StepState {
    std::size_t rule = 0;
    TermId root;
    std::uint64_t position = 0;
    Outcome outcome = Outcome::Running;
    std::uint32_t matched = 0; ///< operators, so far
    std::string next;          ///< what the next transition does; how it ended when there is none
    InstructionId at;          ///< of it
    TermId term;               ///< and at which value
    Spot spot;
    std::vector<StepLine> work; ///< what is left behind that, the first entries
    std::size_t choiceCount = 0;
    std::vector<StepLine> choices; ///< the last made first
    std::vector<StepName> names;
    std::vector<std::pair<InstructionId, TermId>> operators; ///< matched so far, in order
    std::vector<BranchLine> derivation;
    std::string failure; ///< why the last transition failed, or the next one will; empty: it does not
    bool failureAhead = false;
    StepLine failureAt;
    std::string furthest; ///< of the failures so far; empty: none
    StepLine furthestAt;
};

[[nodiscard]] StepState stepState(const Stepper& stepper, const PatternWords& words);

} // namespace lemmascope::match
