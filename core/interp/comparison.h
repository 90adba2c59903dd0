#pragma once

// The state of one comparison, for the files compare*.cpp only.

#include "core/interp/compare.h"
#include "core/interp/term_values.h"

#include <chrono>
#include <optional>

namespace lemmascope::interp {

/// Values of all leaf buffers, by buffer.
using Inputs = std::vector<CellValues>;

/// One compared live-out.
struct Paired {
    std::string name;
    const LiveOut* reference = nullptr;
    const LiveOut* rewritten = nullptr;
    OutputComparison::List list = OutputComparison::List::Results;
    std::size_t referenceIndex = 0;
    std::size_t rewrittenIndex = 0;
};

/// Pairs of different terms that are one pair up to the names of their leaves.
struct PairClass {
    Term reference = NoTerm; ///< of the first
    Term rewritten = NoTerm;
    std::vector<std::pair<std::size_t, std::uint64_t>> cells; ///< (output, cell)
    enum class State : std::uint8_t { Open, Proved, Refuted, Unproved, Undecided } state = State::Open;
    std::optional<Strength> strength;
    std::string reason;
    bool isForgotten = false; ///< only digests are left of both sides
    bool differed = false;    ///< in value on some sample, though roundings may explain it
    double relative = 0.0;    ///< the largest difference seen
};

class Comparison {
  public:
    Comparison(std::shared_ptr<const Program> reference, std::shared_ptr<const Program> rewritten, const CompareOptions& options,
               const CheckServices& services, std::stop_token stop);
    [[nodiscard]] Result<ProgramComparison> run();

  private:
    // compare.cpp
    [[nodiscard]] Result<void> runBoth();
    [[nodiscard]] bool interfacesAgree(); ///< else the verdict is set
    [[nodiscard]] bool pairOutputs();
    void undecided(const std::string& reason);
    void unproved(const std::string& reason);
    void refute(RefutationKind kind, const std::string& reason);
    [[nodiscard]] Result<void> certainFault();
    void conclude();
    void checkStrengthOfSharing();
    [[nodiscard]] double secondsLeft() const;

    // compare_inputs.cpp
    [[nodiscard]] Inputs sampleInputs(std::uint32_t sample) const;
    [[nodiscard]] RunOptions concreteOptions(const Inputs& inputs) const;
    [[nodiscard]] Result<std::pair<RunResult, RunResult>> runConcretely(const Inputs& inputs, bool notesRounding = false);
    /// Inputs on which the pair still differs, with as many zeros as are found by few trials.
    [[nodiscard]] Inputs simplified(const Inputs& inputs, const PairClass& pair) const;
    void describeInputs(const Inputs& inputs); ///< into the counterexample
    [[nodiscard]] Tensor tensorOfOutput(const LiveOut& out) const;
    [[nodiscard]] FaultReport faultReport(const Fault& fault, Side side) const;

    // compare_cells.cpp
    [[nodiscard]] Result<void> compareCells();
    void collectClasses();
    [[nodiscard]] Result<void> trySamples();
    [[nodiscard]] Result<bool> tryInputs(const Inputs& inputs, std::span<const Term> order); ///< true: refuted
    [[nodiscard]] Result<bool> confirmValue(const Inputs& inputs, const PairClass& pair, const TermValues& values);
    /// What both runs hold there now; nothing where they are not to be compared.
    [[nodiscard]] std::optional<std::pair<const LiveOut*, const LiveOut*>> madeBy(const std::pair<RunResult, RunResult>& runs,
                                                                                  const Paired& where) const;
    void tell(const Inputs& inputs, std::size_t output, std::uint64_t cell, const LiveOut& reference, const LiveOut& rewritten);
    [[nodiscard]] Result<bool> confirmFault(const Inputs& inputs);
    void finishOutputs();
    [[nodiscard]] Result<void> traceWrites();

    // compare_digests.cpp
    [[nodiscard]] Result<void> compareOnNumbers(); ///< cells of which only digests are left, and what else is not decided

    // compare_ladder.cpp
    [[nodiscard]] Result<void> climb();
    [[nodiscard]] Result<void> dischargeFaults();
    [[nodiscard]] Result<void> askProver(const std::vector<std::size_t>& batch);

    // compare_schedules.cpp
    [[nodiscard]] Result<void> schedules(const std::shared_ptr<const Program>& program, const RunResult& result, Side side);
    [[nodiscard]] Result<std::optional<RaceReport>> replayRace(const std::shared_ptr<const Program>& program, Side side);
    [[nodiscard]] Result<std::optional<RaceReport>> replayContention(const std::shared_ptr<const Program>& program, Side side, bool& differs);
    [[nodiscard]] Result<void> ordersOfFold(const std::shared_ptr<const Program>& program, const RunResult& result, Side side);
    [[nodiscard]] ScheduledRun scheduled(const std::shared_ptr<const Program>& program, const RunResult& run, std::vector<std::string> order) const;

    std::shared_ptr<const Program> m_reference;
    std::shared_ptr<const Program> m_rewritten;
    const CompareOptions& m_options;
    const CheckServices& m_services;
    std::stop_token m_stop;
    std::chrono::steady_clock::time_point m_begin;

    ProgramComparison m_made;
    TermDag* m_dag = nullptr;
    RunOptions m_symbolic;
    std::vector<std::optional<std::int64_t>> m_extents;
    std::vector<Paired> m_pairs;
    std::uint64_t m_encloseSteps = 0; ///< terms that enclose() has bounded
    std::vector<PairClass> m_classes;
    std::vector<std::vector<std::uint64_t>> m_unwritten; ///< by output: cells that only the reference wrote
    std::vector<Term> m_referenceGuards;                 ///< faults of the reference: inputs where one holds do not count
    std::vector<const Fault*> m_openFaults;              ///< of the rewritten program, not excluded yet
    std::optional<Strength> m_strength;
    bool m_decided = false;
    std::size_t m_unspecified = 0; ///< cells that the reference leaves unwritten
};

} // namespace lemmascope::interp
