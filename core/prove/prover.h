#pragma once

#include "core/prove/check.h"
#include "core/prove/facts.h"
#include "core/prove/sweep.h"
#include "core/term/exact_terms.h"
#include "core/term/term_builder.h"

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace lemmascope {

class Sampler;

/// What a proof attempt of one pair of values came to.
struct PairProof {
    LemmaVerdict verdict = LemmaVerdict::Undecided;
    Strength strength = Strength::Identical; ///< when it holds
    std::string reason;
    std::vector<std::uint32_t> lemmas; ///< indices into Prover::lemmas, those it used
    std::vector<std::string> openOps;  ///< ops whose openness it met
};

/// Proves pairs of terms equal, cheapest means first (resources/docs/decisions/proving.md). Two sweeps over the rewritten graph's terms, each sound
/// because a proof about a term uses only terms below it:
///  - the structural one merges terms that are equal bit for bit (one term, movement normal form, static maps);
///  - the exact one compares normal forms over the reals, unrolls small shapes, and asks the solver for what is left.
class Prover {
  public:
    Prover(TermStore& store, std::size_t referenceTerms, Facts& facts, const CheckOptions& options, const CheckServices& services,
           std::stop_token stop);
    ~Prover();

    /// Rungs 1 to 3: same bits.
    [[nodiscard]] PairProof proveStructurally(TermId reference, TermId rewritten, const std::string& title);
    /// Rung 5 at every size; with `unrolled`, at the declared shapes too. What it leaves undecided is for `askSolver`.
    [[nodiscard]] PairProof proveExactly(TermId reference, TermId rewritten, const std::string& title, bool unrolled);
    /// A pair that must be equal.
    struct Question {
        TermId reference;
        TermId rewritten;
        std::string title;
    };
    /// Rung 5 by sweeping: values believed equal are merged one after the other, the questions' own pairs last; answers in the
    /// order of the questions. Without a sampler it is a quick try on the beliefs given; later calls, on some of the first
    /// call's questions, go on with what was merged. Every step over the reals is checked on samples of its own.
    [[nodiscard]] std::vector<PairProof> proveBySweeping(const std::vector<Question>& questions,
                                                         const std::vector<std::pair<TermId, TermId>>& beliefs, const Sampler* sampler);
    /// Whether the two values' cones have so few terms that forms from the bottom up are the cheapest way.
    [[nodiscard]] bool isSmall(TermId reference, TermId rewritten);
    /// Random samples, few and bounded in work, show two values apart: a proof of their equality over the reals is wrong.
    [[nodiscard]] bool samplesContradict(TermId a, TermId b, const std::set<TermId>& nonNegative = {});
    /// A stored constant that a proof takes to be another value within rounding.
    struct RoundedConstant {
        TermId constant; ///< invalid: a number
        std::string number;
        double ulp = 0.0;
        double relative = 0.0;
        double allowed = 0.0;
        bool factor = true; ///< ConstantMatch::Gap::factor, in all lemmas
    };
    [[nodiscard]] const std::vector<RoundedConstant>& roundedConstants() const { return m_roundedConstants; }
    /// A comparison, cast or rounding reads a value that a proof holds equal only up to rounding.
    [[nodiscard]] bool roundingMeetsSteps() const { return m_roundingMeetsSteps; }
    /// Rung 6 on pairs that rung 5 left, all at once on the solver's workers; the answers in order.
    [[nodiscard]] std::vector<PairProof> askSolver(const std::vector<Question>& questions);
    /// The lemma of a pair in full, undecided: for a pair that a counterexample has settled. Nothing when it is too large.
    [[nodiscard]] std::optional<std::uint32_t> state(TermId reference, TermId rewritten, const std::string& title);
    /// Every element of `access.index` stays in its bounds whenever the reference does not fault.
    [[nodiscard]] PairProof proveAccess(const Access& access, const std::vector<Access>& reference, const std::string& title);

    [[nodiscard]] std::vector<LemmaResult>& lemmas() { return m_lemmas; }
    /// The pair of terms of each lemma (rewritten side second); invalid for range lemmas.
    [[nodiscard]] const std::vector<std::pair<TermId, TermId>>& lemmaTerms() const { return m_lemmaTerms; }
    [[nodiscard]] ExactTerms& exact() { return *m_exact; }
    /// The term as the structural sweep left it: equal terms are equal bit for bit.
    [[nodiscard]] TermId structural(TermId term) { return sweep(term); }
    [[nodiscard]] std::size_t solverCalls() const { return m_solverCalls; }
    [[nodiscard]] std::size_t cacheHits() const { return m_cacheHits; }
    /// Models of failed lemmas: elements of graph inputs they fix, to try as counterexamples.
    struct InputHint {
        TermId term;             ///< an input, or an inner value that the lemma leaves free
        std::int64_t index = -1; ///< in it; -1: the element that the lemma is about
        std::string value;       ///< SMT-LIB
    };
    [[nodiscard]] const std::vector<std::vector<InputHint>>& hints() const { return m_hints; }
    void setDeadline(std::chrono::steady_clock::time_point deadline) { m_deadline = deadline; }
    /// A name for a term in titles and comments.
    std::function<std::string(TermId)> nameOf;

  private:
    TermStore& m_store;
    std::size_t m_boundary; ///< terms below this exist in the reference
    Facts& m_facts;
    const CheckOptions& m_options;
    const CheckServices& m_services;
    std::stop_token m_stop;
    std::chrono::steady_clock::time_point m_deadline;
    std::vector<LemmaResult> m_lemmas;
    std::vector<std::pair<TermId, TermId>> m_lemmaTerms;
    std::vector<std::vector<InputHint>> m_hints;
    std::atomic<std::size_t> m_solverCalls = 0;
    std::atomic<std::size_t> m_cacheHits = 0;

    // structural sweep
    std::vector<TermId> m_swept;
    Movements m_move;
    std::map<TermId, Strength> m_mergeStrength; ///< swept term -> weakest strength used to reach it
    std::map<TermId, std::vector<std::uint32_t>> m_mergeLemmas;
    std::unordered_map<std::uint32_t, std::vector<TermId>> m_candidates; ///< by operator, in the reference
    std::map<std::pair<TermId, TermId>, std::optional<std::pair<Strength, std::uint32_t>>> m_staticMaps;

    // exact sweep
    std::unique_ptr<ExactTerms> m_exact;
    std::set<TermId> m_referenceLeaves;
    std::set<TermId> m_rewrittenLeaves;
    std::map<std::string, std::vector<std::pair<TermId, TermId>>> m_exactCandidates; ///< operator key -> (canonical, defined) of the reference
    bool m_sweepingReference = false;
    std::vector<std::uint32_t> m_exactLemmas; ///< lemmas merged so far by the exact sweep

    // sweeping
    std::unique_ptr<Sweep> m_sweep;
    std::vector<std::optional<std::uint32_t>> m_sweepLemmas;                                             ///< the sweep's lemma -> ours
    std::map<std::pair<TermId, TermId>, std::tuple<std::string, std::string, std::string>> m_sweepTexts; ///< of a statement: text, digest, noText
    std::optional<std::map<TermId, TermId>> m_partners;                                                  ///< what was merged, once asked for
    std::chrono::steady_clock::time_point m_sweepUntil;
    std::uint64_t m_checkWork = 0; ///< spent on second looks
    std::vector<RoundedConstant> m_roundedConstants;
    bool m_roundingMeetsSteps = false;
    void stateSweepLemma(std::size_t index, LemmaResult& lemma);
    [[nodiscard]] std::uint32_t showSweepLemma(std::size_t index, const std::string& title);
    [[nodiscard]] TermId sweep(TermId root);
    [[nodiscard]] std::optional<TermId> matchCandidate(TermId term);
    [[nodiscard]] std::optional<std::pair<Strength, std::uint32_t>> staticMap(TermId a, TermId b);
    [[nodiscard]] bool sameElements(TermId a, TermId b, bool exchange);
    [[nodiscard]] std::optional<TermId> resolve(TermId canonical, TermId defined);
    enum class Outcome : std::uint8_t { Equal, Different, TooLarge };
    struct Unrolled {
        Outcome outcome = Outcome::TooLarge;
        std::vector<std::int64_t> differing;
        std::vector<std::string> openOps;
    };
    [[nodiscard]] Unrolled unroll(TermId a, TermId b, bool cut, std::size_t budget);
    [[nodiscard]] std::optional<TermId> cutAt(TermId term, TermId root, bool cut);
    [[nodiscard]] std::uint32_t addLemma(LemmaResult lemma, TermId a, TermId b);
    /// A lemma's text with what its answer means.
    struct Prepared {
        std::uint32_t lemma = 0;
        std::string script;
        std::vector<std::pair<TermId, std::int64_t>> reads;
        std::vector<std::string> names;
        std::vector<std::string> openOps;
        bool cut = false;
    };
    /// How a lemma of a sweep is stated: what stands for other values in it.
    struct Statement {
        std::map<TermId, TermId> merged;                                          ///< term -> the value read in its place
        const std::map<TermId, TermId>* partners = nullptr;                       ///< likewise, where a text of one element reads it as any value
        std::map<std::pair<TermId, std::int64_t>, ConstantMatch::Target> numbers; ///< what elements of constants are read as
        std::vector<std::string> comments;
    };
    [[nodiscard]] std::optional<Prepared> prepare(TermId a, TermId b, const std::string& title, bool cut, const Statement* statement = nullptr);
    /// Text of a swept lemma (prover_rounded.cpp); `below`: the lemmas before it that hold up to rounding only; `partners`: all that was
    /// merged.
    void stateSwept(const Sweep::Lemma& step, const std::vector<std::pair<TermId, TermId>>& below, const std::map<TermId, TermId>& partners,
                    LemmaResult& lemma);
    [[nodiscard]] std::optional<TermId> statedCut(const Statement& statement, TermId term, TermId root, bool generic);
    [[nodiscard]] bool agrees(TermId a, TermId b, const Statement& statement, bool generic);
    [[nodiscard]] bool isSpeltOut(TermId term) const;
    [[nodiscard]] std::vector<Statement> roundedStatements(const Sweep::Lemma& step, const Statement& base);
    void decide(std::vector<Prepared*> prepared);
    void decideOne(Prepared& prepared, LemmaResult& lemma, std::vector<std::string>& values);
    /// Some constant below the term is infinite or NaN: the exact rungs speak of real numbers and leave such terms alone.
    [[nodiscard]] bool readsNonFinite(TermId term);
    std::vector<std::int8_t> m_nonFinite; ///< by term: -1 unknown
    /// What the exact sweep merged so far is part of a proof that compares canonical terms.
    void addMerged(PairProof& proof) const;
    [[nodiscard]] bool expired() const { return m_stop.stop_requested() || std::chrono::steady_clock::now() > m_deadline; }
};

} // namespace lemmascope
