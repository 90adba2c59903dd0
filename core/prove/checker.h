#pragma once

// One check while it runs; only for check*.cpp.

#include "core/prove/check.h"
#include "core/prove/pairing.h"
#include "core/prove/prover.h"
#include "core/prove/refute.h"
#include "core/sample/sampler.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lemmascope {

/// Builds terms, proves, searches and concludes, in that order (check.cpp); what it concludes stands in check_conclude.cpp.
class Checker {
  public:
    using Clock = std::chrono::steady_clock;
    Checker(const CheckOptions& options, const CheckServices& services, std::stop_token stop)
        : m_options(options), m_services(services), m_stop(std::move(stop)), m_start(Clock::now()),
          m_deadline(m_start + std::chrono::milliseconds(static_cast<std::int64_t>(std::min(options.timeSeconds, 1e9) * 1000.0))) {}

    Result<CheckResult> run(std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten);

  private:
    const CheckOptions& m_options;
    const CheckServices& m_services;
    std::stop_token m_stop;
    Clock::time_point m_start;
    Clock::time_point m_deadline;
    Pairing m_pairing;
    TermStore m_store;
    GraphTerms m_reference;
    GraphTerms m_rewritten;
    CheckResult m_result;
    std::vector<bool> m_open;            ///< outputs not yet proved
    std::vector<PairProof> m_proofs;     ///< by output
    std::vector<std::string> m_notShown; ///< by output: where sweeping stopped
    bool m_settled = false;              ///< sizes or ranges alone gave the outputs their verdicts
    bool m_accessFails = false;
    std::string m_accessReason;
    std::optional<SearchResult> m_search;
    std::unique_ptr<Sampler> m_sampler;

    [[nodiscard]] Result<void> build();
    void markAssumed(const AssumedPair& pair);
    void proveAccesses(Prover& prover);
    [[nodiscard]] bool loopIsShared(FlatNodeId node) const;
    [[nodiscard]] bool predictsDifference(const std::vector<std::size_t>& outputs);
    /// Every value has a known length and few elements.
    [[nodiscard]] bool hasSmallValues() const;
    /// Samples say nothing of one of them.
    [[nodiscard]] bool isUnclear(const std::vector<std::size_t>& outputs);
    [[nodiscard]] std::vector<Candidate> sampledDifferences(const SearchProblem& problem);
    /// A solver's models as inputs; values that a lemma left free become `aims` (check_models.cpp).
    [[nodiscard]] std::vector<Candidate> modelCandidates(const Prover& prover, SearchProblem& problem) const;
    [[nodiscard]] std::vector<std::pair<TermId, TermId>> beliefs() const;
    [[nodiscard]] Result<void> decide(Prover& prover);
    [[nodiscard]] SearchProblem searchProblem(bool onlyOpen) const;
    /// The tensors of `--input`, where every input has one.
    [[nodiscard]] std::optional<Candidate> userCandidate(const SearchProblem& problem) const;
    [[nodiscard]] Result<void> search(Prover& prover, SearchOptions options, double seconds, bool onlyOpen);
    /// Both graphs' outputs sampled, once (conclude_samples.cpp).
    [[nodiscard]] Sampler& sampled();
    void concludeSamples();
    void conclude(Prover& prover);
    void concludeOutput(std::size_t index, Prover& prover);
    void blame();
    /// Of a refuted pair: when it would be right (conclude_condition.cpp).
    void seekCondition();
    /// How far rounding can take two proved graphs apart (conclude_bound.cpp).
    [[nodiscard]] Result<void> concludeBound(const Prover& prover);
    /// `--special-values` (conclude_special.cpp).
    [[nodiscard]] Result<void> concludeSpecialValues();
    void describeConstants(const Prover& prover);
    void describeDefinitions();
    void describeLemmas(Prover& prover);
    void markNodes(Prover& prover);
    [[nodiscard]] std::vector<std::string> openOpsOf(std::size_t output) const;
    void report(CheckProgress::Stage stage, std::size_t decided, std::size_t total, const std::string& current = {}) const {
        if (m_services.progress) {
            m_services.progress(CheckProgress{stage, decided, total, current});
        }
    }
    [[nodiscard]] TermId referenceTerm(std::size_t output) const { return m_reference.values[m_result.outputs[output].reference.index]; }
    [[nodiscard]] TermId rewrittenTerm(std::size_t output) const { return m_rewritten.values[m_result.outputs[output].rewritten.index]; }
};

} // namespace lemmascope
