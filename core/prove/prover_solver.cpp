// Rung 6: what the normal forms leave goes to the solver, as text; the cache is asked first. Questions are put side by side.

#include "core/prove/lemma_memory.h"
#include "core/prove/proof_cache.h"
#include "core/prove/prover.h"
#include "core/prove/rounded_numbers.h"
#include "core/prove/smt_algebra.h"
#include "core/term/expand.h"
#include "core/worker/solver.h"

#include <algorithm>
#include <thread>

namespace lemmascope {

namespace {

constexpr std::size_t TextNodes = 60'000; ///< expressions in one lemma's text
constexpr std::size_t TextPairs = 2'000;  ///< elements spelt out in one lemma's text
constexpr std::size_t WantedValues = 400;
constexpr std::int64_t LongestMs = 30'000;         ///< wall clock of one lemma
constexpr std::int64_t LongestAgainMs = 3'600'000; ///< of one that is asked again: what the check has left

} // namespace

std::optional<Prover::Prepared> Prover::prepare(TermId a, TermId b, const std::string& title, bool cut, const Statement* statement) {
    const bool open = m_options.statesOpenLemmas();
    const Meaning meaning = open ? Meaning::Movements : Meaning::Exact;
    const TermId left = open ? a : m_exact->defined(a);
    const TermId right = open ? b : m_exact->defined(b);
    SmtAlgebra algebra(
        m_store, open ? std::function<bool(TermId)>() : [this](TermId t) { return m_exact->forms().mayBeUndefined(t); });
    std::vector<std::pair<Scalar, Scalar>> pairs;
    std::vector<std::string> openOps;
    const Dim total = m_store.hasShape(a) ? elementCount(m_store.shape(a)) : Dim(-1);
    const bool small = m_store.type(a).isStatic() && total.isKnown() && total.value() <= 20'000;
    const auto expandAll = [&](bool generic) {
        const auto cutOf = [&](TermId t, TermId root) -> std::optional<TermId> {
            if (statement != nullptr) {
                return statedCut(*statement, t, root, generic);
            }
            if (!open && generic && t != root && !m_store.isElementwise(t) && m_store.kind(t) == TermKind::Apply) {
                return m_exact->canonical(t);
            }
            return open ? std::nullopt : cutAt(t, root, cut);
        };
        const auto cutLeft = [&](TermId t) { return cutOf(t, left); };
        const auto cutRight = [&](TermId t) { return cutOf(t, right); };
        Expander first(m_store, algebra, meaning, cutLeft, TextNodes * 8, m_stop);
        Expander second(m_store, algebra, meaning, cutRight, TextNodes * 8, m_stop);
        first.limitExpressions(TextNodes);
        second.limitExpressions(TextNodes);
        if (statement != nullptr) {
            first.substitute(substitution(algebra, statement->numbers));
            second.substitute(substitution(algebra, statement->numbers));
        }
        if (generic) {
            const Scalar x = first.generic(left);
            pairs.emplace_back(x, second.generic(right));
        } else {
            for (std::int64_t i = 0; i < total.value() && algebra.size() < TextNodes; ++i) {
                const Scalar x = first.at(left, i);
                const Scalar y = second.at(right, i);
                if (x != y) {
                    pairs.emplace_back(x, y);
                }
            }
        }
        openOps = first.openOps();
        openOps.insert(openOps.end(), second.openOps().begin(), second.openOps().end());
        return !first.exhausted() && !second.exhausted() && algebra.size() < TextNodes && pairs.size() <= TextPairs;
    };
    // One unspecified element is enough where both sides are elementwise (any shape, symbolic ones too); and it is all there
    // is to say of shapes that cannot be unrolled.
    const bool elementwise = m_store.isElementwise(left) || m_store.isElementwise(right);
    const bool generic = !small || (elementwise && cut && total.isKnown() && total.value() > 64);
    if (!(m_store.type(a) == m_store.type(b)) || !expandAll(generic)) {
        return std::nullopt;
    }
    Prepared out;
    out.cut = cut || generic;
    out.openOps = openOps;
    std::vector<std::string> comments{title};
    if (statement != nullptr) {
        comments.insert(comments.end(), statement->comments.begin(), statement->comments.end());
    }
    if (generic) {
        comments.push_back("one unspecified element; the operands of what computes stand for any values");
    }
    const SmtAlgebra::Text text = algebra.lemma(pairs, comments, [this](TermId leaf) { return m_facts.interval(leaf); });
    LemmaResult lemma;
    lemma.title = title;
    lemma.verdict = LemmaVerdict::Undecided;
    lemma.text = text.script;
    lemma.digest = text.digest;
    for (const auto& [leaf, index] : text.reads) {
        // What the lemma reads as any values: the ops whose meaning it does not use.
        TermId term = leaf;
        while (m_store.kind(term) == TermKind::View) {
            term = m_store.operands(term)[0];
        }
        if (m_store.kind(term) == TermKind::Apply && !m_store.op(term).name.starts_with("form") && m_store.op(term).name != "Length" &&
            m_store.op(term).name != "Sizes") {
            const std::string& name = m_store.op(term).name;
            out.openOps.push_back(name.substr(0, name.find('@')));
        }
    }
    std::sort(out.openOps.begin(), out.openOps.end());
    out.openOps.erase(std::unique(out.openOps.begin(), out.openOps.end()), out.openOps.end());
    out.script = text.script;
    out.reads = text.reads;
    out.names = text.names;
    out.lemma = addLemma(std::move(lemma), a, b);
    return out;
}

std::optional<std::uint32_t> Prover::state(TermId reference, TermId rewritten, const std::string& title) {
    const std::optional<Prepared> prepared = prepare(reference, rewritten, title, false);
    return prepared ? std::optional<std::uint32_t>(prepared->lemma) : std::nullopt;
}

void Prover::decideOne(Prepared& prepared, LemmaResult& lemma, std::vector<std::string>& values) {
    if (m_services.solver == nullptr) {
        lemma.reason = "no solver";
        return;
    }
    std::vector<std::string> wanted(prepared.names.begin(),
                                    prepared.names.begin() + static_cast<std::ptrdiff_t>(std::min(prepared.names.size(), WantedValues)));
    const bool again = m_services.again && !lemma.digest.empty() && m_services.again->digest == lemma.digest;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(m_deadline - std::chrono::steady_clock::now()).count();
    SolverRequest request;
    request.script = prepared.script;
    request.steps = again ? std::max(m_options.lemmaSteps, m_services.again->steps) : m_options.lemmaSteps;
    request.timeoutMs = static_cast<unsigned>(std::clamp<std::int64_t>(left, 0, again ? LongestAgainMs : LongestMs));
    request.wantedValues = wanted;
    std::string key;
    if (m_services.cache != nullptr || m_services.memory != nullptr) {
        if (const Result<std::string> solver = m_services.solver->solverName(m_stop)) {
            key = ProofCache::key(prepared.script, *solver, wanted);
        }
    }
    const auto known = m_services.memory != nullptr && !key.empty() ? m_services.memory->lookup(key) : std::nullopt;
    if (known && (known->isDecided() || (m_services.again && !again && known->steps >= request.steps && known->timeoutMs >= request.timeoutMs))) {
        lemma.verdict = known->verdict;
        lemma.rung = known->rung;
        lemma.strength = known->strength;
        lemma.reason = known->reason;
        lemma.fromCache = true;
        values = known->values;
        ++m_cacheHits;
        return;
    }
    if (m_services.cache != nullptr && !key.empty()) {
        if (const std::optional<ProofCache::Entry> entry = m_services.cache->lookup(key)) {
            lemma.verdict = entry->verdict;
            lemma.rung = entry->rung;
            lemma.strength = entry->strength;
            lemma.fromCache = true;
            values = entry->values;
            ++m_cacheHits;
            return;
        }
    }
    if (left <= 0) {
        lemma.reason = "time";
        return;
    }
    ++m_solverCalls;
    const Result<SolverAnswer> answer = m_services.solver->ask(request, m_stop);
    if (!answer) {
        lemma.reason = answer.error().text();
        return;
    }
    lemma.rung = Rung::Solver;
    switch (answer->status) {
    case SolverAnswer::Status::Unsat:
        lemma.verdict = LemmaVerdict::Holds;
        lemma.strength = m_options.statesOpenLemmas() ? Strength::Open : Strength::Exact;
        break;
    case SolverAnswer::Status::Sat:
        lemma.verdict = LemmaVerdict::Fails;
        values = answer->values;
        break;
    case SolverAnswer::Status::Unknown: lemma.reason = answer->reason; break;
    }
    if (m_services.memory != nullptr && !key.empty() && !m_stop.stop_requested()) {
        m_services.memory->store(key, lemma.digest,
                                 {lemma.verdict, lemma.rung, lemma.strength, values, lemma.reason, request.steps, request.timeoutMs});
    }
    if (m_services.cache != nullptr && !key.empty() && lemma.verdict != LemmaVerdict::Undecided) {
        ProofCache::Entry entry;
        entry.verdict = lemma.verdict;
        entry.rung = lemma.rung;
        entry.strength = lemma.strength;
        entry.values = values;
        (void)m_services.cache->store(key, entry); // a cache that cannot be written costs time, not answers
    }
}

void Prover::decide(std::vector<Prepared*> prepared) {
    std::vector<std::vector<std::string>> values(prepared.size());
    std::vector<LemmaResult> results;
    for (const Prepared* one : prepared) {
        results.push_back(m_lemmas[one->lemma]);
    }
    const unsigned wanted = m_options.jobs != 0 ? m_options.jobs : (m_services.solver != nullptr ? m_services.solver->parallelism() : 1);
    const std::size_t threads = std::min<std::size_t>(std::max(1U, wanted), prepared.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t k = next++; k < prepared.size(); k = next++) {
            if (m_stop.stop_requested()) {
                results[k].reason = "cancelled";
                continue;
            }
            decideOne(*prepared[k], results[k], values[k]);
        }
    };
    {
        std::vector<std::jthread> pool;
        for (std::size_t t = 1; t < threads; ++t) {
            pool.emplace_back(work);
        }
        work();
    }
    for (std::size_t k = 0; k < prepared.size(); ++k) {
        LemmaResult& lemma = m_lemmas[prepared[k]->lemma];
        lemma = results[k];
        if (lemma.verdict != LemmaVerdict::Fails) {
            continue;
        }
        std::vector<InputHint> hint;
        for (std::size_t i = 0; i < values[k].size() && i < prepared[k]->reads.size(); ++i) {
            const auto& [leaf, index] = prepared[k]->reads[i];
            if (i < 12) {
                lemma.model += (lemma.model.empty() ? "" : ", ") + nameOf(leaf) + (index < 0 ? std::string() : "[" + std::to_string(index) + "]") +
                               " = " + values[k][i];
            }
            const bool viewed = m_store.kind(leaf) == TermKind::View && m_store.kind(m_store.operands(leaf)[0]) == TermKind::Input;
            hint.push_back(InputHint{viewed ? m_store.operands(leaf)[0] : leaf, viewed ? -1 : index, values[k][i]});
        }
        if (!hint.empty()) {
            m_hints.push_back(std::move(hint));
        }
    }
}

std::vector<PairProof> Prover::askSolver(const std::vector<Question>& questions) {
    std::vector<PairProof> proofs(questions.size());
    std::vector<std::size_t> open;
    for (std::size_t q = 0; q < questions.size(); ++q) {
        open.push_back(q);
    }
    // First with what both sides share standing for any values; where that fails, un-shared down to the inputs.
    for (const bool cut : {true, false}) {
        std::vector<std::optional<Prepared>> prepared(open.size());
        std::vector<Prepared*> asked;
        for (std::size_t k = 0; k < open.size(); ++k) {
            const Question& question = questions[open[k]];
            if (expired()) {
                proofs[open[k]].reason = m_stop.stop_requested() ? "cancelled" : "time";
                continue;
            }
            if ((cut && m_exact->gaveUp()) || readsNonFinite(question.reference) || readsNonFinite(question.rewritten)) {
                continue;
            }
            prepared[k] = prepare(question.reference, question.rewritten, question.title, cut);
            const std::vector<std::uint32_t>& earlier = proofs[open[k]].lemmas;
            if (prepared[k] && !earlier.empty() && m_lemmas[earlier.back()].digest == m_lemmas[prepared[k]->lemma].digest) {
                // Nothing was shared: un-sharing asks the same question again, which has its answer.
                m_lemmas.pop_back();
                m_lemmaTerms.pop_back();
                prepared[k].reset();
                continue;
            }
            if (prepared[k]) {
                asked.push_back(&*prepared[k]);
            } else if (proofs[open[k]].reason.empty()) {
                proofs[open[k]].reason = "size: too large to spell out for the solver";
            }
        }
        decide(asked);
        std::vector<std::size_t> still;
        for (std::size_t k = 0; k < open.size(); ++k) {
            PairProof& proof = proofs[open[k]];
            if (!prepared[k]) {
                still.push_back(open[k]);
                continue;
            }
            const LemmaResult& lemma = m_lemmas[prepared[k]->lemma];
            proof.lemmas.push_back(prepared[k]->lemma);
            proof.openOps = prepared[k]->openOps;
            if (lemma.verdict == LemmaVerdict::Holds) {
                proof.verdict = LemmaVerdict::Holds;
                proof.strength = Strength::Exact;
                proof.lemmas = {prepared[k]->lemma};
                if (cut) {
                    addMerged(proof);
                }
            } else {
                proof.verdict = lemma.verdict;
                proof.reason = lemma.verdict == LemmaVerdict::Fails ? std::string() : lemma.reason;
                still.push_back(open[k]);
            }
        }
        open = std::move(still);
        if (open.empty()) {
            break;
        }
    }
    return proofs;
}

} // namespace lemmascope
