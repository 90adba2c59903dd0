#pragma once

#include "core/prove/verdict.h"
#include "core/term/constant_match.h"
#include "core/term/exact_terms.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
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
        std::vector<std::size_t> uses; ///< earlier lemmas
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

    /// Both graphs' outputs (as built, definitions not yet expanded), reference first: their cones are what is swept.
    void start(const std::vector<TermId>& reference, const std::vector<TermId>& rewritten);
    /// A belief that two values are equal, better ones first.
    void believe(TermId reference, TermId rewritten);
    /// Merges what it can. Terms of the cones must not have non-finite constants (asked by `skip`).
    void run(const std::function<bool(TermId)>& skip);
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
    struct Merge {
        TermId representative;
        std::optional<std::size_t> lemma; ///< nothing: equal because the operands are
        std::vector<std::size_t> uses;
        Strength strength = Strength::Exact;
    };
    std::map<TermId, Merge> m_merged;
    std::map<TermId, FormStore::Sign> m_signs; ///< of values whose form says it
    std::set<TermId> m_shared;                 ///< read as one value on both sides
    std::vector<Lemma> m_lemmas;
    std::map<TermId, std::string> m_taken; ///< constants that stand for another value
    std::optional<Failure> m_firstFailure;

    void visit(TermId root);
    void findDefined(const std::function<bool(TermId)>& skip);
    [[nodiscard]] FormStore::Sign signOf(TermId term) const;
    [[nodiscard]] TermId representativeOf(TermId term) const;
    [[nodiscard]] bool inReference(TermId term) const {
        const auto at = m_position.find(term);
        return at != m_position.end() && at->second < m_boundary;
    }
    [[nodiscard]] std::optional<TermId> congruent(TermId term, std::vector<std::size_t>& uses, Strength& strength);
    [[nodiscard]] std::optional<std::size_t> lemma(TermId reference, TermId rewritten, std::string* reason);
    [[nodiscard]] bool compare(Lemma& lemma, const View& view, const Shape& box, std::set<TermId>& used, std::size_t& boxes, std::string* reason);
    [[nodiscard]] std::vector<TermId> cutsIn(Scalar scalar, const std::map<TermId, TermId>& sources);
    [[nodiscard]] bool consistent(const ConstantMatch& match);
    void addUses(std::vector<std::size_t>& to, TermId merged, Strength* strength) const;
};

} // namespace lemmascope
