// Pairs that neither sharing nor inputs decided go to the prover as graphs of scalars.

#include "core/interp/comparison.h"
#include "core/interp/term_graph.h"

#include <algorithm>
#include <array>

namespace lemmascope::interp {

namespace {

constexpr std::size_t MaxNodes = 20'000; ///< of one side of a batch
constexpr std::size_t BatchPairs = 48;

} // namespace

Result<void> Comparison::askProver(const std::vector<std::size_t>& batch) {
    std::vector<Term> first, second, both;
    for (const std::size_t at : batch) {
        first.push_back(m_classes[at].reference);
        second.push_back(m_classes[at].rewritten);
    }
    both = first;
    both.insert(both.end(), second.begin(), second.end());
    std::vector<Term> leaves;
    for (const Term term : reached(*m_dag, both, SIZE_MAX)) {
        // Whatever a forgotten operation computes, it is the same on both sides: an input like another.
        if (m_dag->node(term).kind == TermKind::Leaf || m_dag->node(term).kind == TermKind::Forgotten) {
            leaves.push_back(term);
        }
    }
    Result<TermGraph> reference = graphOf(*m_dag, first, leaves, MaxNodes);
    Result<TermGraph> rewritten = reference ? graphOf(*m_dag, second, leaves, MaxNodes) : tl::unexpected(reference.error());
    if (!reference || !rewritten) {
        if (batch.size() > 1) {
            for (const std::size_t at : batch) {
                if (Result<void> asked = askProver({at}); !asked) {
                    return asked;
                }
            }
            return {};
        }
        PairClass& pair = m_classes[batch.front()];
        pair.state = pair.differed ? PairClass::State::Unproved : PairClass::State::Undecided;
        pair.reason = (reference ? rewritten.error() : reference.error()).message;
        return {};
    }
    CheckOptions options = m_options.check;
    options.outputs.clear();
    options.mapped.clear();
    options.sizes.clear();
    options.inputRanges.clear();
    options.realRanges.clear();
    options.userInputs.clear();
    options.assumedEqual.clear();
    options.findCondition = false;
    if (m_options.fingerprint) { // samples of pairs prove nothing here either
        options.wanted = std::min(options.wanted, Strength::Rounded);
    }
    options.timeSeconds = std::max(1.0, secondsLeft());
    Result<CheckResult> checked = check(reference->graph, rewritten->graph, options, m_services, m_stop);
    if (!checked) {
        if (checked.error().code == ErrorCode::Cancelled) {
            return tl::unexpected(checked.error());
        }
        for (const std::size_t at : batch) {
            m_classes[at].state = PairClass::State::Undecided;
            m_classes[at].reason = checked.error().message;
        }
        return {};
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
        PairClass& pair = m_classes[batch[i]];
        const std::string wanted = "o" + std::to_string(i);
        const auto told =
            std::find_if(checked->outputs.begin(), checked->outputs.end(), [&](const OutputResult& output) { return output.name == wanted; });
        if (told == checked->outputs.end()) {
            continue;
        }
        switch (told->verdict) {
        case Verdict::Proved:
            pair.state = PairClass::State::Proved;
            pair.strength = told->strength;
            if (told->strength && *told->strength < Strength::Exact && isGraphOverReals(*m_dag, std::array{pair.reference, pair.rewritten})) {
                pair.strength = Strength::Exact;
            }
            break;
        case Verdict::Undecided:
            pair.state = PairClass::State::Undecided;
            pair.reason = told->reason;
            break;
        default: // only what both programs show on inputs is refuted
            pair.state = PairClass::State::Unproved;
            if (told->verdict == Verdict::Unproved && !told->reason.empty()) {
                pair.reason = told->reason;
            }
            break;
        }
    }
    CheckResult& result = m_made.result;
    for (const Remark& remark : checked->assumptions) {
        if (std::find(result.assumptions.begin(), result.assumptions.end(), remark) == result.assumptions.end()) {
            result.assumptions.push_back(remark);
        }
    }
    for (const Remark& remark : checked->caveats) {
        if (std::find(result.caveats.begin(), result.caveats.end(), remark) == result.caveats.end()) {
            result.caveats.push_back(remark);
        }
    }
    result.constants.insert(result.constants.end(), checked->constants.begin(), checked->constants.end());
    for (LemmaResult& lemma : checked->lemmas) {
        lemma.id = "L" + std::to_string(result.lemmas.size() + 1);
        lemma.reference = {};
        lemma.rewritten = {};
        lemma.referenceNodes.clear();
        lemma.rewrittenNodes.clear();
        lemma.outputs.clear();
        result.lemmas.push_back(std::move(lemma));
    }
    if (checked->errorProbability) {
        result.errorProbability = std::max(result.errorProbability.value_or(0.0), *checked->errorProbability);
    }
    result.times.lemmaCount = result.lemmas.size();
    result.times.solverCalls += checked->times.solverCalls;
    result.times.cacheHits += checked->times.cacheHits;
    if (checked->counterexample) {
        // Its inputs are tried on the programs themselves.
        Inputs inputs = sampleInputs(2);
        const std::vector<std::pair<std::string, Tensor>>& given = checked->counterexample->inputs;
        for (std::size_t i = 0; i < given.size() && i < leaves.size(); ++i) {
            const TermNode& leaf = m_dag->node(leaves[i]);
            if (leaf.kind == TermKind::Leaf && given[i].second.count() == 1 && leaf.b < inputs[leaf.a].size()) {
                inputs[leaf.a][leaf.b] = bitsIn(given[i].second, 0, leaf.type);
            }
        }
        std::vector<Term> roots = both;
        roots.insert(roots.end(), m_referenceGuards.begin(), m_referenceGuards.end());
        for (const Fault* fault : m_openFaults) {
            roots.push_back(fault->guard);
        }
        for (const PairClass& pair : m_classes) {
            roots.push_back(pair.reference);
            roots.push_back(pair.rewritten);
        }
        const Result<bool> refuted = tryInputs(inputs, reached(*m_dag, roots, SIZE_MAX));
        if (!refuted) {
            return tl::unexpected(refuted.error());
        }
    }
    return {};
}

/// Faults of the rewritten program under a condition: is the condition ever met where the reference is fine?
Result<void> Comparison::dischargeFaults() {
    if (m_openFaults.empty()) {
        return {};
    }
    constexpr std::size_t MostAsked = 200;
    const std::size_t before = m_classes.size();
    Term fine = NoTerm;
    const Term never = m_dag->constant(Bit, 0);
    const Term always = m_dag->constant(Bit, 1);
    for (const Term guard : m_referenceGuards) {
        const Term holds = m_dag->apply(Op::Xor, Bit, 0, guard, always);
        fine = fine == NoTerm ? holds : m_dag->apply(Op::And, Bit, 0, fine, holds);
    }
    std::vector<const Fault*> faults = m_openFaults;
    std::vector<std::size_t> batch;
    for (const Fault* fault : faults) {
        if (batch.size() >= MostAsked) {
            break;
        }
        PairClass made;
        made.reference = never;
        made.rewritten = fine == NoTerm ? fault->guard : m_dag->apply(Op::And, Bit, 0, fault->guard, fine);
        batch.push_back(m_classes.size());
        m_classes.push_back(std::move(made));
    }
    for (std::size_t i = 0; i < batch.size() && !m_decided; i += BatchPairs) {
        const std::vector<std::size_t> part(batch.begin() + static_cast<std::ptrdiff_t>(i),
                                            batch.begin() + static_cast<std::ptrdiff_t>(std::min(batch.size(), i + BatchPairs)));
        if (Result<void> asked = askProver(part); !asked) {
            return asked;
        }
    }
    std::vector<const Fault*> left;
    for (std::size_t i = 0; i < faults.size(); ++i) {
        if (i >= batch.size() || m_classes[batch[i]].state != PairClass::State::Proved) {
            left.push_back(faults[i]);
        }
    }
    m_openFaults = std::move(left);
    m_classes.resize(before);
    return {};
}

Result<void> Comparison::climb() {
    if (Result<void> discharged = dischargeFaults(); !discharged || m_decided) {
        return discharged;
    }
    // Outputs that are refuted already need no proof of their other cells.
    std::vector<bool> refuted(m_pairs.size());
    for (const PairClass& pair : m_classes) {
        for (const auto& [output, cell] : pair.cells) {
            refuted[output] = refuted[output] || pair.state == PairClass::State::Refuted;
        }
    }
    std::vector<std::size_t> batch;
    std::size_t nodes = 0;
    const auto flush = [&]() -> Result<void> {
        if (batch.empty()) {
            return {};
        }
        Result<void> asked = askProver(batch);
        batch.clear();
        nodes = 0;
        return asked;
    };
    for (std::size_t i = 0; i < m_classes.size() && !m_decided; ++i) {
        PairClass& pair = m_classes[i];
        if (pair.state != PairClass::State::Open ||
            std::all_of(pair.cells.begin(), pair.cells.end(), [&](const auto& cell) { return refuted[cell.first]; })) {
            continue;
        }
        if (pair.isForgotten) {
            continue; // compareOnNumbers() says what is known
        }
        if (m_options.check.wanted <= Strength::Open) {
            pair.state = PairClass::State::Unproved;
            pair.reason = "the terms differ: " + m_dag->text(pair.reference, 60) + " and " + m_dag->text(pair.rewritten, 60);
            continue;
        }
        if (secondsLeft() <= 0) {
            pair.state = PairClass::State::Undecided;
            pair.reason = "time: " + std::to_string(m_classes.size() - i) + " of " + std::to_string(m_classes.size()) + " pairs";
            continue;
        }
        const std::array<Term, 2> sides{pair.reference, pair.rewritten};
        const std::size_t size = reached(*m_dag, sides, MaxNodes + 1).size();
        if (batch.size() >= BatchPairs || nodes + size > MaxNodes) {
            if (Result<void> asked = flush(); !asked) {
                return asked;
            }
        }
        batch.push_back(i);
        nodes += size;
    }
    return flush();
}

} // namespace lemmascope::interp
