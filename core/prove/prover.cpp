#include "core/prove/prover.h"

#include "core/prove/smt_algebra.h"
#include "core/prove/structural_algebra.h"
#include "core/term/expand.h"

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

constexpr std::int64_t StaticMapLimit = 1'000'000; ///< points of a static map (resources/docs/decisions/proving.md)
constexpr std::size_t CandidatesTried = 4;
constexpr std::int64_t UnrollElements = 20'000; ///< elements of a pair compared one by one
constexpr std::size_t UnrollBudget = 1'500'000; ///< scalar steps of one lemma

std::int64_t countOf(const TermStore& store, TermId term) {
    const TensorType& type = store.type(term);
    if (!type.isStatic()) {
        return -1;
    }
    const Dim count = elementCount(*type.shape);
    return count.isKnown() ? count.value() : -1;
}

bool isComputing(const TermStore& store, TermId term) { return store.kind(term) == TermKind::Apply && !store.op(term).elementwise; }

void addUnique(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from) {
    for (const std::uint32_t index : from) {
        if (std::find(to.begin(), to.end(), index) == to.end()) {
            to.push_back(index);
        }
    }
}

} // namespace

Prover::Prover(TermStore& store, std::size_t referenceTerms, Facts& facts, const CheckOptions& options, const CheckServices& services,
               std::stop_token stop)
    : m_store(store), m_boundary(referenceTerms), m_facts(facts), m_options(options), m_services(services), m_stop(std::move(stop)), m_move(store) {
    m_exact = std::make_unique<ExactTerms>(store, FormStore::Limits{});
    m_exact->setExpiry([this] { return expired(); });
    m_exact->setResolver([this](TermId canonical, TermId defined) { return resolve(canonical, defined); });
    for (std::size_t i = 0; i < m_boundary; ++i) {
        if (isComputing(store, TermId(i))) {
            m_candidates[store.term(TermId(i)).op.index].push_back(TermId(i));
        }
    }
    nameOf = [this](TermId term) { return m_store.text(term, 1); };
}

Prover::~Prover() = default;

std::uint32_t Prover::addLemma(LemmaResult lemma, TermId a, TermId b) {
    lemma.id = "L" + std::to_string(m_lemmas.size() + 1);
    m_lemmas.push_back(std::move(lemma));
    m_lemmaTerms.emplace_back(a, b);
    return static_cast<std::uint32_t>(m_lemmas.size() - 1);
}

// --- structural sweep --------------------------------------------------------------------------------------------------------

bool Prover::sameElements(TermId a, TermId b, bool exchange) {
    const std::int64_t count = countOf(m_store, a);
    StructuralAlgebra algebra;
    if (exchange) {
        for (const char* name : {"Add#", "Mul#", "And#", "Or#", "Xor#", "Equal#"}) {
            algebra.allowExchange(name);
        }
    }
    const auto cut = [](TermId) -> std::optional<TermId> { return std::nullopt; };
    Expander expander(m_store, algebra, Meaning::Movements, cut, static_cast<std::size_t>(StaticMapLimit) * 8, m_stop);
    for (std::int64_t i = 0; i < count; ++i) {
        if (expander.at(a, i) != expander.at(b, i) || expander.exhausted()) {
            return false;
        }
    }
    return true;
}

std::optional<std::pair<Strength, std::uint32_t>> Prover::staticMap(TermId a, TermId b) {
    const auto key = std::make_pair(a, b);
    if (const auto at = m_staticMaps.find(key); at != m_staticMaps.end()) {
        return at->second;
    }
    std::optional<std::pair<Strength, std::uint32_t>> out;
    const std::int64_t count = countOf(m_store, a);
    const bool fits = m_store.type(a) == m_store.type(b) && count >= 0 && count <= StaticMapLimit;
    if (fits) {
        const bool bits = sameElements(a, b, false);
        if (bits || (!m_stop.stop_requested() && count <= UnrollElements && sameElements(a, b, true))) {
            LemmaResult lemma;
            lemma.title = nameOf(a) + " = " + nameOf(b);
            lemma.verdict = LemmaVerdict::Holds;
            lemma.strength = bits ? Strength::Identical : Strength::Open;
            lemma.rung = Rung::StaticMap;
            if (m_options.keepText && count <= 512) {
                SmtAlgebra algebra(m_store);
                Expander expander(
                    m_store, algebra, Meaning::Movements, [](TermId) { return std::nullopt; }, 1'000'000);
                std::vector<std::pair<Scalar, Scalar>> pairs;
                for (std::int64_t i = 0; i < count; ++i) {
                    const Scalar left = expander.at(a, i);
                    pairs.emplace_back(left, expander.at(b, i));
                }
                const SmtAlgebra::Text text = algebra.lemma(pairs, {lemma.title});
                lemma.text = text.script;
                lemma.digest = text.digest;
            }
            const std::uint32_t index = addLemma(std::move(lemma), a, b);
            out = std::make_pair(bits ? Strength::Identical : Strength::Open, index);
        }
    }
    m_staticMaps.emplace(key, out);
    return out;
}

std::optional<TermId> Prover::matchCandidate(TermId term) {
    const auto list = m_candidates.find(m_store.term(term).op.index);
    if (list == m_candidates.end()) {
        return std::nullopt;
    }
    const std::vector<TermId> mine(m_store.operands(term).begin(), m_store.operands(term).end());
    // Those that share most operands first; stable, so that the choice is the same on every run.
    std::vector<std::pair<std::size_t, TermId>> ranked;
    for (const TermId candidate : list->second) {
        const auto theirs = m_store.operands(candidate);
        if (theirs.size() != mine.size() || !(m_store.type(candidate) == m_store.type(term))) {
            continue;
        }
        std::size_t different = 0;
        bool typed = true;
        for (std::size_t k = 0; k < mine.size(); ++k) {
            different += theirs[k] == mine[k] ? 0 : 1;
            typed = typed && m_store.type(theirs[k]) == m_store.type(mine[k]);
        }
        if (typed) {
            ranked.emplace_back(different, candidate);
        }
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    std::size_t tried = 0;
    for (const auto& [different, candidate] : ranked) {
        if (++tried > CandidatesTried || m_stop.stop_requested()) {
            break;
        }
        Strength strength = Strength::Identical;
        std::vector<std::uint32_t> used;
        bool all = true;
        const std::vector<TermId> theirs(m_store.operands(candidate).begin(), m_store.operands(candidate).end());
        for (std::size_t k = 0; k < mine.size() && all; ++k) {
            if (theirs[k] == mine[k]) {
                continue;
            }
            if (m_store.openForm(theirs[k]) == m_store.openForm(mine[k])) {
                strength = weaker(strength, Strength::Open);
                continue;
            }
            const auto found = staticMap(theirs[k], mine[k]);
            all = found.has_value();
            if (found) {
                strength = weaker(strength, found->first);
                used.push_back(found->second);
            }
        }
        if (all) {
            m_mergeStrength[term] = strength;
            m_mergeLemmas[term] = used;
            return candidate;
        }
    }
    return std::nullopt;
}

TermId Prover::sweep(TermId root) {
    std::vector<TermId> stack{root};
    while (!stack.empty()) {
        const TermId top = stack.back();
        if (m_swept.size() < m_store.size()) {
            m_swept.resize(m_store.size());
        }
        if (m_swept[top.index].isValid()) {
            stack.pop_back();
            continue;
        }
        if (top.index < m_boundary || m_stop.stop_requested()) {
            m_swept[top.index] = top;
            stack.pop_back();
            continue;
        }
        bool ready = true;
        std::vector<TermId> operands;
        const std::vector<TermId> list(m_store.operands(top).begin(), m_store.operands(top).end());
        for (const TermId operand : list) {
            if (!m_swept[operand.index].isValid()) {
                stack.push_back(operand);
                ready = false;
            } else {
                operands.push_back(m_swept[operand.index]);
            }
        }
        if (!ready) {
            continue;
        }
        stack.pop_back();
        TermId out = top;
        Strength strength = Strength::Identical;
        std::vector<std::uint32_t> used;
        for (const TermId operand : list) {
            if (const auto at = m_mergeStrength.find(operand); at != m_mergeStrength.end()) {
                strength = weaker(strength, at->second);
            }
            if (const auto at = m_mergeLemmas.find(operand); at != m_mergeLemmas.end()) {
                addUnique(used, at->second);
            }
        }
        if (operands != list) {
            const Term data = m_store.term(top);
            const TensorType type = m_store.type(top);
            switch (data.kind) {
            case TermKind::Apply:
                out = m_store.op(data.op).elementwise ? m_move.elementwise(data.op, operands, type) : m_store.apply(data.op, operands, type);
                break;
            case TermKind::View: {
                const View view = m_store.view(top);
                out = type.shape ? m_move.sink(operands[0], view, *type.shape) : m_store.rawView(operands[0], view, type);
                break;
            }
            case TermKind::Concat: out = m_move.concat(data.payload, operands); break;
            default: break;
            }
        }
        if (out.index >= m_boundary) {
            const TermId form = m_store.openForm(out);
            const TermId before = out;
            if (form.index < m_boundary) {
                out = form;
                strength = weaker(strength, Strength::Open);
            } else if (isComputing(m_store, out)) {
                if (const std::optional<TermId> candidate = matchCandidate(before)) {
                    strength = weaker(strength, m_mergeStrength[before]);
                    addUnique(used, m_mergeLemmas[before]);
                    out = *candidate;
                }
            }
        }
        m_swept.resize(std::max(m_swept.size(), m_store.size()));
        m_swept[top.index] = out;
        if (!m_swept[out.index].isValid()) {
            m_swept[out.index] = out;
        }
        if (strength != Strength::Identical) {
            m_mergeStrength[top] = strength;
        }
        if (!used.empty()) {
            m_mergeLemmas[top] = used;
        }
    }
    return m_swept[root.index];
}

PairProof Prover::proveStructurally(TermId reference, TermId rewritten, const std::string& title) {
    PairProof proof;
    const TermId swept = sweep(rewritten);
    if (const auto at = m_mergeStrength.find(rewritten); at != m_mergeStrength.end()) {
        proof.strength = at->second;
    }
    if (const auto at = m_mergeLemmas.find(rewritten); at != m_mergeLemmas.end()) {
        proof.lemmas = at->second;
    }
    if (swept == reference) {
        proof.verdict = LemmaVerdict::Holds;
        return proof;
    }
    if (m_store.openForm(swept) == m_store.openForm(reference)) {
        proof.verdict = LemmaVerdict::Holds;
        proof.strength = weaker(proof.strength, Strength::Open);
        return proof;
    }
    if (const auto found = staticMap(reference, swept)) {
        proof.verdict = LemmaVerdict::Holds;
        proof.strength = weaker(proof.strength, found->first);
        proof.lemmas.push_back(found->second);
        m_lemmas[found->second].title = title;
        return proof;
    }
    proof.reason = "not the same term";
    return proof;
}

// --- exact sweep -------------------------------------------------------------------------------------------------------------

std::optional<TermId> Prover::resolve(TermId canonical, TermId defined) {
    const std::string key = std::to_string(m_store.term(canonical).op.index) + "|" + m_store.type(canonical).text();
    if (m_sweepingReference) {
        if (m_referenceLeaves.insert(canonical).second) {
            m_exactCandidates[key].emplace_back(canonical, defined);
        }
        return std::nullopt;
    }
    m_rewrittenLeaves.insert(canonical);
    if (m_referenceLeaves.contains(canonical) || expired()) {
        return std::nullopt;
    }
    const auto list = m_exactCandidates.find(key);
    if (list == m_exactCandidates.end()) {
        return std::nullopt;
    }
    std::size_t tried = 0;
    for (const auto& [theirs, theirDefined] : list->second) {
        const auto a = m_store.operands(theirs);
        const auto b = m_store.operands(canonical);
        std::size_t different = 0;
        for (std::size_t k = 0; k < a.size() && k < b.size(); ++k) {
            different += a[k] == b[k] ? 0 : 1;
        }
        if (a.size() != b.size() || different != 1 || ++tried > CandidatesTried) {
            continue;
        }
        const Unrolled unrolled = unroll(theirDefined, defined, true, 200'000);
        if (unrolled.outcome == Outcome::Equal) {
            LemmaResult lemma;
            lemma.title = nameOf(theirDefined) + " = " + nameOf(defined);
            lemma.verdict = LemmaVerdict::Holds;
            lemma.strength = Strength::Exact;
            lemma.rung = Rung::ExactNormalForm;
            m_exactLemmas.push_back(addLemma(std::move(lemma), theirDefined, defined));
            return theirs;
        }
    }
    return std::nullopt;
}

std::optional<TermId> Prover::cutAt(TermId term, TermId root, bool cut) {
    if (!cut || term == root || !isComputing(m_store, term)) {
        return std::nullopt;
    }
    const TermId canonical = m_exact->canonical(term);
    if (m_store.kind(canonical) != TermKind::Apply || !m_referenceLeaves.contains(canonical) || !m_rewrittenLeaves.contains(canonical)) {
        return std::nullopt;
    }
    return canonical;
}

Prover::Unrolled Prover::unroll(TermId a, TermId b, bool cut, std::size_t budget) {
    Unrolled out;
    const std::int64_t count = countOf(m_store, a);
    if (count < 0 || count > UnrollElements || !(m_store.type(a).shape == m_store.type(b).shape)) {
        return out;
    }
    const TermId left = m_exact->defined(a);
    const TermId right = m_exact->defined(b);
    FormStore forms(m_store, {20'000, 1'500'000});
    Expander first(
        m_store, forms, Meaning::Exact, [&](TermId t) { return cutAt(t, left, cut); }, budget, m_stop);
    Expander second(
        m_store, forms, Meaning::Exact, [&](TermId t) { return cutAt(t, right, cut); }, budget, m_stop);
    out.outcome = Outcome::Equal;
    for (std::int64_t i = 0; i < count; ++i) {
        const Scalar x = first.at(left, i);
        const Scalar y = second.at(right, i);
        if (first.exhausted() || second.exhausted() || forms.tooLarge() || ((i & 15) == 0 && expired())) {
            out.outcome = Outcome::TooLarge;
            return out;
        }
        if (!forms.equalScalars(x, y)) {
            if (forms.tooLarge()) {
                out.outcome = Outcome::TooLarge;
                return out;
            }
            out.outcome = Outcome::Different;
            out.differing.push_back(i);
        }
    }
    out.openOps = first.openOps();
    for (const std::string& op : second.openOps()) {
        if (std::find(out.openOps.begin(), out.openOps.end(), op) == out.openOps.end()) {
            out.openOps.push_back(op);
        }
    }
    return out;
}

bool Prover::readsNonFinite(TermId root) {
    m_nonFinite.resize(m_store.size(), -1);
    std::vector<TermId> stack{root};
    while (!stack.empty()) {
        const TermId top = stack.back();
        if (m_nonFinite[top.index] >= 0) {
            stack.pop_back();
            continue;
        }
        bool ready = true;
        bool found = false;
        for (const TermId operand : m_store.operands(top)) {
            if (m_nonFinite[operand.index] < 0) {
                stack.push_back(operand);
                ready = false;
            } else {
                found = found || m_nonFinite[operand.index] == 1;
            }
        }
        if (!ready) {
            continue;
        }
        stack.pop_back();
        if (m_store.kind(top) == TermKind::Constant && isFloat(m_store.type(top).element)) {
            const Tensor& data = m_store.constantTensor(top);
            for (std::int64_t i = 0; i < data.count() && !found && isComputable(data.element()); ++i) {
                found = !std::isfinite(data.toDouble(i));
            }
        }
        m_nonFinite[top.index] = found ? 1 : 0;
    }
    return m_nonFinite[root.index] == 1;
}

void Prover::addMerged(PairProof& proof) const { addUnique(proof.lemmas, m_exactLemmas); }

PairProof Prover::proveExactly(TermId reference, TermId rewritten, const std::string& title, bool unrolled) {
    PairProof proof;
    if (readsNonFinite(reference) || readsNonFinite(rewritten)) {
        proof.reason = "a constant is infinite or not a number: proofs over the reals do not speak of it";
        return proof;
    }
    m_sweepingReference = true;
    const Scalar theirs = m_exact->scalar(reference);
    m_sweepingReference = false;
    const Scalar ours = m_exact->scalar(rewritten);
    const bool typed = m_store.type(reference) == m_store.type(rewritten);
    const auto finish = [&](Strength strength) {
        LemmaResult lemma;
        lemma.title = title;
        lemma.verdict = LemmaVerdict::Holds;
        lemma.strength = strength;
        lemma.rung = Rung::ExactNormalForm;
        if (std::optional<Prepared> prepared = m_options.keepText ? prepare(reference, rewritten, title, false) : std::nullopt) {
            lemma = m_lemmas[prepared->lemma];
            m_lemmas.pop_back();
            m_lemmaTerms.pop_back();
            lemma.verdict = LemmaVerdict::Holds;
            lemma.strength = strength;
            lemma.rung = Rung::ExactNormalForm;
            lemma.reason.clear();
        }
        proof.lemmas.push_back(addLemma(std::move(lemma), reference, rewritten));
        proof.verdict = LemmaVerdict::Holds;
        proof.strength = strength;
    };
    const auto used = [&] { addMerged(proof); };
    if (m_exact->gaveUp()) {
        proof.reason = m_stop.stop_requested() ? "cancelled" : "size: the exact normal form passed its budget of monomials";
    } else if (typed && m_exact->forms().equalScalars(theirs, ours)) {
        if (samplesContradict(reference, rewritten)) {
            proof.reason = "internal: a proof and random samples disagree; please report these two graphs";
            return proof;
        }
        used();
        finish(Strength::Exact);
        return proof;
    }
    if (!unrolled) {
        return proof;
    }
    for (const bool cut : {true, false}) {
        if (m_exact->gaveUp() && cut) {
            continue;
        }
        const Unrolled compared = unroll(reference, rewritten, cut, UnrollBudget);
        if (typed && compared.outcome == Outcome::Equal) {
            if (cut) {
                used();
            }
            finish(Strength::Exact);
            return proof;
        }
        proof.openOps = compared.openOps;
        if (expired()) {
            break;
        }
        if (compared.outcome == Outcome::Different && !cut) {
            proof.verdict = LemmaVerdict::Undecided;
            proof.reason = "the exact normal forms differ";
        }
    }
    if (proof.reason.empty()) {
        const std::int64_t count = countOf(m_store, reference);
        proof.reason = expired()   ? "time"
                       : count < 0 ? "size: a length is symbolic; the exact normal form with symbolic indices is not there yet (try --size)"
                                   : "size: too large to unroll at the declared shapes; the exact normal form with symbolic indices is not there yet";
    }
    return proof;
}

} // namespace lemmascope
