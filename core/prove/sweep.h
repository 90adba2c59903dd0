#pragma once

#include "core/prove/lemma_copy.h"
#include "core/prove/verdict.h"
#include "core/term/constant_match.h"
#include "core/term/exact_terms.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace lemmascope {

/// Proves whole graphs by small lemmas, as equivalence checkers of circuits sweep (fraig; resources/docs/decisions/proving.md):
/// values of the rewritten graph are taken in topological order, each is compared with values of the reference that are
/// believed equal to it (by signature or by name; a belief is never trusted), with everything merged so far read as one value.
/// A merged value that hides what a lemma needs is opened, one at a time. Sound because a lemma about a value uses only
/// merges of values before it.
class Sweep {
  public:
    /// One proof step: both sides (definitions expanded), what it rests on.
    struct Lemma {
        TermId reference;
        TermId rewritten;
        Strength strength = Strength::Exact; ///< of this step alone
        ConstantMatch match;
        /// The statement about any values that it is an instance of, stored tensors among them where they do not matter; invalid
        /// where it was proved piece by piece.
        TermId statedReference;
        TermId statedRewritten;
        std::size_t opened = 0;
        std::size_t boxes = 1;
    };
    struct Proof {
        bool holds = false;
        Strength strength = Strength::Exact; ///< the weakest of all steps
        std::vector<std::size_t> lemmas;     ///< all steps it rests on, its own last
        std::string reason;                  ///< why not
    };

    Sweep(TermStore& store, ExactTerms& definitions, std::function<bool()> expiry);
    /// Asked once of every two terms that were proved equal over the reals: whether samples show them apart, which would make
    /// the proof wrong. Values that the lemma leaves open are inputs there, those in the set never negative.
    using Contradiction = std::function<bool(TermId, TermId, const std::set<TermId>&)>;
    void setContradiction(Contradiction contradicts) { m_contradicts = std::move(contradicts); }

    /// Both graphs' outputs (as built, definitions not yet expanded), reference first: their cones are what is swept.
    void start(const std::vector<TermId>& reference, const std::vector<TermId>& rewritten);
    /// A belief that two values are equal, better ones first.
    void believe(TermId reference, TermId rewritten);
    void forgetBeliefs() { m_beliefs.clear(); }
    /// How much a run tries: a quick one takes no constant for a rounded one and ends after a few beliefs that do not hold.
    enum class Effort : std::uint8_t { Quick, Full };
    /// Merges what it can, beside what earlier runs merged. Terms of the cones must not have non-finite constants (asked by
    /// `skip`).
    void run(const std::function<bool(TermId)>& skip, Effort effort);
    [[nodiscard]] Proof prove(TermId reference, TermId rewritten);
    [[nodiscard]] const std::vector<Lemma>& lemmas() const { return m_lemmas; }
    /// Every merged term with the value that stands for it.
    [[nodiscard]] std::map<TermId, TermId> representatives() const;
    /// Terms of the rewritten graph's cone in topological order, definitions expanded.
    [[nodiscard]] const std::vector<TermId>& order() const { return m_order; }
    [[nodiscard]] std::size_t boundary() const { return m_boundary; }
    /// The first value, in topological order, that was believed equal and was not proved: where to look.
    struct Failure {
        TermId reference;
        TermId rewritten;
        std::string reason;
    };
    [[nodiscard]] const std::optional<Failure>& firstFailure() const { return m_firstFailure; }

  private:
    TermStore& m_store;
    ExactTerms& m_definitions;
    Movements m_move;
    LemmaForms m_lemmaForms;
    std::function<bool()> m_expiry;
    std::vector<TermId> m_order;
    std::size_t m_boundary = 0; ///< terms of the reference's cone come first in the order
    std::map<TermId, std::size_t> m_position;
    std::map<TermId, std::vector<TermId>> m_beliefs; ///< rewritten -> reference
    /// Why two terms are equal: by a lemma, or because their operands are.
    struct Step {
        std::optional<std::size_t> lemma;
        std::vector<std::size_t> uses;       ///< steps that it rests on
        Strength strength = Strength::Exact; ///< the weakest of all it rests on
    };
    std::vector<Step> m_steps;
    struct Merge {
        TermId representative;
        std::size_t step = 0;
    };
    std::map<TermId, Merge> m_merged;
    std::map<TermId, FormStore::Sign> m_signs; ///< of values whose form says it
    std::set<TermId> m_shared;                 ///< read as one value on both sides
    std::vector<Lemma> m_lemmas;
    std::map<TermId, std::string> m_taken; ///< constants that stand for another value
    std::optional<Failure> m_firstFailure;
    Effort m_effort = Effort::Full;
    bool m_started = false;
    std::size_t m_openings = 0; ///< merged values that one lemma may open
    Contradiction m_contradicts;

    // Statements about any values (lemma_copy.h) and what is known of each: sweep_compare.cpp.
    LemmaCopies m_copies;
    struct Known {
        enum class Outcome : std::uint8_t { Equal, Different, Split, TooLarge } outcome = Outcome::Different;
        std::vector<TermId> read;           ///< inputs that stand for values, in the forms
        std::vector<TermId> mine, theirs;   ///< those that only one side's form reads, or all
        LemmaForms::SpaceCut cut;           ///< Split
        std::optional<ConstantMatch> match; ///< once asked for: up to constants
        bool usedWindows = false;           ///< joins were taken as windows where the space could have been cut
        std::string reason;
    };
    std::map<std::tuple<TermId, TermId, bool>, Known> m_known; ///< by both sides, and whether joins are windows
    struct KnownFacts {
        bool defined = false;
        FormStore::Sign sign = FormStore::Sign::Unknown;
    };
    std::map<TermId, KnownFacts> m_knownFacts; ///< by the copy of a partial op

    void visit(TermId root);
    void findDefined(const std::function<bool(TermId)>& skip);
    [[nodiscard]] FormStore::Sign signOf(TermId term) const;
    [[nodiscard]] TermId representativeOf(TermId term) const;
    [[nodiscard]] bool inReference(TermId term) const {
        const auto at = m_position.find(term);
        return at != m_position.end() && at->second < m_boundary;
    }
    [[nodiscard]] std::optional<TermId> congruent(TermId term, std::vector<std::size_t>& uses);
    /// The step that proves the two equal.
    [[nodiscard]] std::optional<std::size_t> lemma(TermId reference, TermId rewritten, std::string* reason);
    [[nodiscard]] bool compare(Lemma& lemma, const View& view, const Shape& box, std::set<TermId>& used, std::size_t& boxes, std::string* reason);
    /// Decides a statement, or knows it from before. Nothing once the time is up. `check`: a proof gets a second look on samples.
    [[nodiscard]] const Known* judge(const LemmaCopies::Copy& copy, bool withConstants, bool windows, bool check);
    std::set<std::pair<TermId, TermId>> m_looked; ///< statements about any constants of which one instance was checked
    [[nodiscard]] std::vector<TermId> valuesIn(Scalar scalar);
    [[nodiscard]] KnownFacts factsOf(TermId term);
    /// Where two values are not shown equal but are made alike, their operands may be equal: tries them, in both orders where
    /// the op commutes. True when something new was merged.
    [[nodiscard]] bool alignOperands(TermId reference, TermId rewritten, const std::function<bool(TermId)>& skip, int depth);
    [[nodiscard]] bool tryOperands(TermId reference, TermId rewritten, const std::function<bool(TermId)>& skip, int depth);
    std::set<std::pair<TermId, TermId>> m_tried;
    [[nodiscard]] bool consistent(const ConstantMatch& match);
    /// The step that merged a term, if one did.
    void addStepOf(TermId term, std::vector<std::size_t>& uses) const;
    [[nodiscard]] std::size_t addStep(std::optional<std::size_t> lemma, std::vector<std::size_t> uses);
};

} // namespace lemmascope
