// Range lemmas: an access of the rewritten graph, used or not, must stay in its buffer whenever the reference does.

#include "core/prove/prover.h"
#include "core/prove/smt_algebra.h"
#include "core/term/expand.h"

#include <algorithm>

namespace lemmascope {

namespace {

/// True if whenever `weaker` conditions hold... all of `inner` are among `outer`, so that inner's access happens too.
bool implied(const std::vector<PathCondition>& inner, const std::vector<PathCondition>& outer) {
    return std::all_of(inner.begin(), inner.end(), [&](const PathCondition& c) { return std::find(outer.begin(), outer.end(), c) != outer.end(); });
}

ElementType unsignedTwin(ElementType type) {
    switch (type) {
    case ElementType::I8: return ElementType::U8;
    case ElementType::I16: return ElementType::U16;
    case ElementType::I32: return ElementType::U32;
    case ElementType::I64: return ElementType::U64;
    default: return type;
    }
}

} // namespace

PairProof Prover::proveAccess(const Access& access, const std::vector<Access>& reference, const std::string& title) {
    PairProof proof;
    const bool divides = access.kind == Access::Kind::Divide;
    const bool branches = access.kind == Access::Kind::Branch;
    const TermId index = sweep(access.index);
    // The reference does the same, under no stronger a condition: no lemma.
    for (const Access& other : reference) {
        // In a loop the same index term runs over other iterations: only a shared loop says the same, and the caller knows.
        if (other.index != index || other.inLoop || access.inLoop || !implied(other.path, access.path)) {
            continue;
        }
        const bool sameBounds = divides ? other.kind == Access::Kind::Divide
                                        : (other.kind == Access::Kind::Branch) == branches && other.kind != Access::Kind::Divide &&
                                              Dim::provablyAtLeast(other.low, access.low) && Dim::provablyAtLeast(access.high, other.high);
        if (sameBounds) {
            proof.verdict = LemmaVerdict::Holds;
            return proof;
        }
    }
    const IntegerRange known = m_facts.interval(index);
    const bool inside = divides ? known.low > 0 || known.high < 0
                                : Dim::provablyAtLeast(Dim(known.low), access.low) && Dim::provablyAtLeast(access.high, Dim(known.high));
    LemmaResult lemma;
    lemma.kind = divides ? LemmaResult::Kind::Divisor : LemmaResult::Kind::InRange;
    lemma.title = title;
    if (inside) {
        lemma.verdict = LemmaVerdict::Holds;
        lemma.strength = Strength::Identical;
        lemma.rung = Rung::StaticMap;
        lemma.reason = "the index lies in [" + std::to_string(known.low) + ", " + std::to_string(known.high) + "]";
        proof.lemmas.push_back(addLemma(std::move(lemma), TermId(), TermId()));
        proof.verdict = LemmaVerdict::Holds;
        return proof;
    }
    // Spelt out for the solver: every element of the index, with what is known of the opaque ones.
    const TensorType type = m_store.type(index);
    const Dim count = m_store.hasShape(index) ? elementCount(m_store.shape(index)) : Dim(-1);
    const bool bounded = divides || (access.low.isKnown() && access.high.isKnown());
    const bool spelt = type.isStatic() && count.isKnown() && count.value() <= 256 && isInteger(type.element) && bounded && !access.inLoop;
    if (spelt) {
        SmtAlgebra algebra(m_store);
        Expander expander(
            m_store, algebra, Meaning::Exact, [](TermId) { return std::nullopt; }, 100'000, m_stop);
        std::vector<SmtAlgebra::Bound> goals;
        for (std::int64_t i = 0; i < count.value(); ++i) {
            // A divisor, read as unsigned, is 1 at least.
            goals.push_back(divides ? SmtAlgebra::Bound{expander.at(index, i), unsignedTwin(type.element), 1, -1}
                                    : SmtAlgebra::Bound{expander.at(index, i), type.element, access.low.value(), access.high.value()});
        }
        std::vector<SmtAlgebra::Bound> facts;
        for (const auto& [term, range] : m_facts.assumed()) {
            const Dim length = m_store.hasShape(term) ? elementCount(m_store.shape(term)) : Dim(-1);
            if (!length.isKnown() || length.value() < 0 || length.value() > 256 || !isInteger(m_store.type(term).element)) {
                continue;
            }
            const IntegerRange all = typeRange(m_store.type(term).element);
            for (std::int64_t i = 0; i < length.value(); ++i) {
                facts.push_back({expander.at(term, i), m_store.type(term).element, std::max(range.low, all.low), std::min(range.high, all.high)});
            }
        }
        if (!expander.exhausted()) {
            const SmtAlgebra::Text text = algebra.rangeLemma(goals, facts, {title});
            lemma.text = text.script;
            lemma.digest = text.digest;
            Prepared prepared;
            prepared.script = text.script;
            prepared.reads = text.reads;
            prepared.names = text.names;
            prepared.lemma = addLemma(lemma, TermId(), TermId());
            decide({&prepared});
            const LemmaResult& decided = m_lemmas[prepared.lemma];
            proof.lemmas.push_back(prepared.lemma);
            proof.verdict = decided.verdict;
            proof.reason = decided.reason;
            if (decided.verdict == LemmaVerdict::Holds) {
                m_lemmas[prepared.lemma].strength = Strength::Identical;
            }
            return proof;
        }
    }
    lemma.verdict = LemmaVerdict::Undecided;
    lemma.reason = divides    ? "the divisor is not seen to be other than 0"
                   : branches ? "the condition is not seen to hold whenever the reference runs"
                              : "the index is not seen to stay in range";
    if (access.inLoop) {
        lemma.reason += " (it stands in a loop)";
    }
    proof.reason = lemma.reason;
    proof.lemmas.push_back(addLemma(std::move(lemma), TermId(), TermId()));
    return proof;
}

} // namespace lemmascope
