// Rung 5 for whole graphs: see sweep.h.

#include "core/prove/prover.h"
#include "core/prove/sweep.h"
#include "core/sample/sampler.h"

#include <algorithm>
#include <chrono>
#include <tuple>

namespace lemmascope {

namespace {

/// Whatever a sweep has not proved by then, the later rungs and the search for a counterexample get their time.
constexpr double QuickShare = 0.1;
constexpr double SweepShare = 0.4;
constexpr std::size_t SmallCone = 400; ///< terms

// A second look at a proof: it must cost less than the proof.
constexpr std::size_t CheckSamples = 3;
constexpr std::uint64_t CheckWork = 4'000'000;       ///< scalar operations
constexpr std::uint64_t CheckWorkInAll = 16'000'000; ///< of all looks of a check
constexpr std::uint64_t DrawWork = 16;               ///< of drawing an element
constexpr std::size_t CheckBytes = std::size_t{1} << 25U;
constexpr std::int64_t CheckElements = 40'000; ///< of inputs

} // namespace

bool Prover::isSmall(TermId reference, TermId rewritten) {
    std::set<TermId> seen;
    std::vector<TermId> stack{reference, rewritten};
    while (!stack.empty() && seen.size() <= SmallCone) {
        const TermId term = stack.back();
        stack.pop_back();
        if (seen.insert(term).second) {
            const auto operands = m_store.operands(term);
            stack.insert(stack.end(), operands.begin(), operands.end());
        }
    }
    return seen.size() <= SmallCone;
}

bool Prover::samplesContradict(TermId a, TermId b, const std::set<TermId>& nonNegative) {
    std::set<TermId> seen;
    std::vector<TermId> stack{a, b};
    std::int64_t elements = 0;
    while (!stack.empty()) {
        const TermId term = stack.back();
        stack.pop_back();
        if (!seen.insert(term).second) {
            continue;
        }
        const auto operands = m_store.operands(term);
        stack.insert(stack.end(), operands.begin(), operands.end());
        if (operands.empty() && m_store.hasShape(term)) {
            std::int64_t count = 1; // symbols are small there
            for (const Dim& dim : m_store.shape(term)) {
                count *= std::min<std::int64_t>(dim.isKnown() ? dim.value() : 4, CheckElements);
                count = std::min<std::int64_t>(count, CheckElements + 1);
            }
            elements += count;
        }
        if (elements > CheckElements) {
            return false;
        }
    }
    if (m_checkWork > CheckWorkInAll) {
        return false;
    }
    SampleOptions options;
    options.samples = CheckSamples;
    options.seed = m_options.seed;
    options.maxWork = CheckWork;
    options.maxBytes = CheckBytes;
    options.sizes = m_options.sizes;
    options.nonNegative = nonNegative;
    Sampler sampler(m_store, options);
    const std::vector<TermId> roots{a, b};
    sampler.run(roots, m_stop);
    m_checkWork += sampler.work() + static_cast<std::uint64_t>(elements) * CheckSamples * DrawWork;
    return sampler.contradicts(a, b);
}

void Prover::stateSweepLemma(std::size_t index, LemmaResult& lemma) {
    const Sweep::Lemma& step = m_sweep->lemmas()[index];
    if (step.strength == Strength::Exact && step.statedReference.isValid()) {
        // Lemmas of repeated layers are one statement: one text but for the title, one digest.
        const auto [at, added] = m_sweepTexts.try_emplace({step.statedReference, step.statedRewritten});
        if (added) {
            Sweep::Lemma stated = step;
            stated.reference = step.statedReference;
            stated.rewritten = step.statedRewritten;
            LemmaResult first;
            first.title = lemma.title;
            stateSwept(stated, {}, {}, first);
            at->second = {first.text, first.digest, first.noText};
        }
        const auto& [text, digest, noText] = at->second;
        if (!text.empty()) {
            lemma.text = "; " + lemma.title + text.substr(std::min(text.find('\n'), text.size()));
            lemma.digest = digest;
            return;
        }
        lemma.noText = noText;
    }
    std::vector<std::pair<TermId, TermId>> below;
    for (std::size_t k = 0; k < index; ++k) {
        if (m_sweep->lemmas()[k].strength == Strength::Rounded) {
            below.emplace_back(m_sweep->lemmas()[k].reference, m_sweep->lemmas()[k].rewritten);
        }
    }
    if (!isSmall(step.reference, step.rewritten) && step.strength == Strength::Exact) {
        return; // the whole graph's forms would be made for one text
    }
    if (!m_partners) {
        m_partners = m_sweep->representatives();
    }
    lemma.noText.clear();
    stateSwept(step, below, *m_partners, lemma);
}

std::uint32_t Prover::showSweepLemma(std::size_t index, const std::string& title) {
    m_sweepLemmas.resize(std::max(m_sweepLemmas.size(), index + 1));
    if (m_sweepLemmas[index]) {
        return *m_sweepLemmas[index];
    }
    const Sweep::Lemma& step = m_sweep->lemmas()[index];
    LemmaResult lemma;
    lemma.title = title.empty() ? nameOf(step.reference) + " = " + nameOf(step.rewritten) : title;
    lemma.verdict = LemmaVerdict::Holds;
    lemma.strength = step.strength;
    lemma.rung = Rung::ExactNormalForm;
    if (m_options.keepText) {
        stateSweepLemma(index, lemma);
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
    m_sweepLemmas[index] = number;
    return number;
}

std::vector<PairProof> Prover::proveBySweeping(const std::vector<Question>& questions, const std::vector<std::pair<TermId, TermId>>& beliefs,
                                               const Sampler* sampler) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point now = Clock::now();
    const auto share = std::chrono::duration_cast<Clock::duration>((m_deadline - now) * (sampler != nullptr ? SweepShare : QuickShare));
    m_sweepUntil = now + std::max(share, Clock::duration::zero());
    if (!m_sweep) {
        m_sweep = std::make_unique<Sweep>(m_store, *m_exact, [this] { return m_stop.stop_requested() || Clock::now() > m_sweepUntil; });
        m_sweep->setContradiction([this](TermId a, TermId b, const std::set<TermId>& nonNegative) { return samplesContradict(a, b, nonNegative); });
        std::vector<TermId> reference;
        std::vector<TermId> rewritten;
        for (const Question& question : questions) {
            reference.push_back(question.reference);
            rewritten.push_back(question.rewritten);
        }
        m_sweep->start(reference, rewritten);
    }
    m_sweep->forgetBeliefs();
    m_partners.reset();
    if (sampler != nullptr) {
        // Values of one signature, then those within rounding; names come last, whatever samples say: a constant that was folded
        // with cancellation is off by more than samples allow for.
        for (const TermId term : m_sweep->order()) {
            if (const std::optional<TermId> first = sampler->representative(term); first && *first != term) {
                m_sweep->believe(*first, term);
            }
        }
        for (const auto& [a, b] : sampler->roundedPartners()) {
            m_sweep->believe(a, b);
        }
    }
    for (const auto& [a, b] : beliefs) {
        m_sweep->believe(a, b);
    }
    for (const Question& question : questions) {
        m_sweep->believe(question.reference, question.rewritten);
    }
    m_sweep->run([this](TermId term) { return readsNonFinite(term); }, sampler != nullptr ? Sweep::Effort::Full : Sweep::Effort::Quick);
    std::vector<PairProof> out;
    for (const Question& question : questions) {
        PairProof proof;
        if (readsNonFinite(question.reference) || readsNonFinite(question.rewritten)) {
            proof.reason = "a constant is infinite or not a number: proofs over the reals do not speak of it";
            out.push_back(std::move(proof));
            continue;
        }
        const Sweep::Proof found = m_sweep->prove(question.reference, question.rewritten);
        if (found.holds) {
            proof.verdict = LemmaVerdict::Holds;
            proof.strength = found.strength;
            for (const std::size_t index : found.lemmas) {
                // The last of them may be about a value below, when the outputs are equal because their operands are.
                const Sweep::Lemma& step = m_sweep->lemmas()[index];
                const bool own = step.reference == m_exact->defined(question.reference) && step.rewritten == m_exact->defined(question.rewritten);
                proof.lemmas.push_back(showSweepLemma(index, own ? question.title : std::string()));
            }
        } else {
            proof.reason = found.reason;
            if (const auto& first = m_sweep->firstFailure()) {
                proof.reason =
                    "not shown: " + nameOf(first->reference) + " = " + nameOf(first->rewritten) + (first->reason.empty() ? "" : ": ") + first->reason;
            }
        }
        out.push_back(std::move(proof));
    }
    return out;
}

} // namespace lemmascope
