// Rung 5 for whole graphs: see sweep.h.

#include "core/prove/prover.h"
#include "core/prove/sweep.h"
#include "core/sample/sampler.h"

#include <algorithm>
#include <chrono>

namespace lemmascope {

namespace {

/// Whatever a sweep has not proved by then, the later rungs and the search for a counterexample get their time.
constexpr double SweepShare = 0.4;

} // namespace

std::vector<PairProof> Prover::proveBySweeping(const std::vector<Question>& questions, const std::vector<std::pair<TermId, TermId>>& beliefs,
                                               const Sampler* sampler) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point now = Clock::now();
    const auto share = std::chrono::duration_cast<Clock::duration>((m_deadline - now) * SweepShare);
    const Clock::time_point until = now + std::max(share, Clock::duration::zero());
    Sweep sweep(m_store, *m_exact, [this, until] { return m_stop.stop_requested() || Clock::now() > until; });
    std::vector<TermId> reference;
    std::vector<TermId> rewritten;
    for (const Question& question : questions) {
        reference.push_back(question.reference);
        rewritten.push_back(question.rewritten);
    }
    sweep.start(reference, rewritten);
    if (sampler != nullptr) {
        // Values of one signature, then those within rounding; names come last, whatever samples say: a constant that was folded
        // with cancellation is off by more than samples allow for.
        for (const TermId term : sweep.order()) {
            if (const std::optional<TermId> first = sampler->representative(term); first && *first != term) {
                sweep.believe(*first, term);
            }
        }
        for (const auto& [a, b] : sampler->roundedPartners()) {
            sweep.believe(a, b);
        }
    }
    for (const auto& [a, b] : beliefs) {
        sweep.believe(a, b);
    }
    for (const Question& question : questions) {
        sweep.believe(question.reference, question.rewritten);
    }
    sweep.run([this](TermId term) { return readsNonFinite(term); });
    const std::map<TermId, TermId> partners = m_options.keepText ? sweep.representatives() : std::map<TermId, TermId>();
    std::vector<std::optional<std::uint32_t>> shown; // sweep's lemma -> ours
    const auto show = [&](std::size_t index, const std::string& title) {
        shown.resize(std::max(shown.size(), index + 1));
        if (shown[index]) {
            return *shown[index];
        }
        const Sweep::Lemma& step = sweep.lemmas()[index];
        LemmaResult lemma;
        lemma.title = title.empty() ? nameOf(step.reference) + " = " + nameOf(step.rewritten) : title;
        lemma.verdict = LemmaVerdict::Holds;
        lemma.strength = step.strength;
        lemma.rung = Rung::ExactNormalForm;
        if (m_options.keepText) {
            std::vector<std::pair<TermId, TermId>> below;
            for (std::size_t k = 0; k < index; ++k) {
                if (sweep.lemmas()[k].strength == Strength::Rounded) {
                    below.emplace_back(sweep.lemmas()[k].reference, sweep.lemmas()[k].rewritten);
                }
            }
            stateSwept(step, below, partners, lemma);
        }
        for (const ConstantMatch::Gap& gap : step.match.gaps) {
            const auto at = std::find_if(m_roundedConstants.begin(), m_roundedConstants.end(),
                                         [&](const RoundedConstant& known) { return known.constant == gap.constant && known.number == gap.number; });
            if (at == m_roundedConstants.end()) {
                m_roundedConstants.push_back(RoundedConstant{gap.constant, gap.number, gap.ulp, gap.relative, gap.allowed, gap.factor});
            } else {
                at->ulp = std::max(at->ulp, gap.ulp);
                at->relative = std::max(at->relative, gap.relative);
                at->allowed = std::max(at->allowed, gap.allowed);
                at->factor = at->factor && gap.factor;
            }
        }
        m_roundingMeetsSteps = m_roundingMeetsSteps || step.match.discontinuous;
        const std::uint32_t number = addLemma(std::move(lemma), step.reference, step.rewritten);
        shown[index] = number;
        return number;
    };
    std::vector<PairProof> out;
    for (const Question& question : questions) {
        PairProof proof;
        if (readsNonFinite(question.reference) || readsNonFinite(question.rewritten)) {
            proof.reason = "a constant is infinite or not a number: proofs over the reals do not speak of it";
            out.push_back(std::move(proof));
            continue;
        }
        const Sweep::Proof found = sweep.prove(question.reference, question.rewritten);
        if (found.holds) {
            proof.verdict = LemmaVerdict::Holds;
            proof.strength = found.strength;
            for (const std::size_t index : found.lemmas) {
                // The last of them may be about a value below, when the outputs are equal because their operands are.
                const Sweep::Lemma& step = sweep.lemmas()[index];
                const bool own = step.reference == m_exact->defined(question.reference) && step.rewritten == m_exact->defined(question.rewritten);
                proof.lemmas.push_back(show(index, own ? question.title : std::string()));
            }
        } else {
            proof.reason = found.reason;
            if (const auto& first = sweep.firstFailure()) {
                proof.reason =
                    "not shown: " + nameOf(first->reference) + " = " + nameOf(first->rewritten) + (first->reason.empty() ? "" : ": ") + first->reason;
            }
        }
        out.push_back(std::move(proof));
    }
    return out;
}

} // namespace lemmascope
