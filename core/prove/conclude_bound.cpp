// An a-priori bound beside a proof over the reals: both graphs give the same real values, so what they compute differs by no more than
// what each is off (resources/docs/decisions/error-bound.md).

#include "core/prove/checker.h"
#include "core/prove/error_bound.h"

#include <algorithm>

namespace lemmascope {

Result<void> Checker::concludeBound(const Prover& prover) {
    const bool rounds = m_result.strength == Strength::Exact || m_result.strength == Strength::Rounded;
    if (m_result.verdict != Verdict::Proved || !rounds || !m_options.lookForCounterexample) {
        return {};
    }
    const auto none = [this](std::string reason) {
        m_result.noBoundReason = std::move(reason);
        return Result<void>();
    };
    if (!m_result.assumed.empty()) {
        return none("a difference is accepted");
    }
    RoundingRequest mine;
    RoundingRequest theirs;
    mine.tree = m_result.reference.get();
    theirs.tree = m_result.rewritten.get();
    mine.ranges.resize(m_pairing.reference->inputs.size());
    theirs.ranges.resize(m_pairing.rewritten->inputs.size());
    for (const Pairing::Input& input : m_pairing.inputs) {
        if (input.range || input.real) {
            const Interval range = input.real ? Interval{input.real->low, input.real->high, false}
                                              : Interval{static_cast<double>(input.range->low), static_cast<double>(input.range->high), false};
            mine.ranges[input.reference] = range;
            if (input.rewritten) {
                theirs.ranges[*input.rewritten] = range;
            }
        }
    }
    // A constant that stands for another is that other, off by the difference.
    for (const Prover::RoundedConstant& rounded :
         m_result.strength == Strength::Rounded ? prover.roundedConstants() : std::vector<Prover::RoundedConstant>{}) {
        bool found = false;
        for (const bool left : {true, false}) {
            const GraphTree& tree = left ? *m_result.reference : *m_result.rewritten;
            const GraphTerms& terms = left ? m_reference : m_rewritten;
            for (std::size_t v = 0; v < tree.valueCount() && rounded.constant.isValid(); ++v) {
                TermId term = terms.values[v];
                if (term.isValid() && m_store.kind(term) == TermKind::View) {
                    term = m_store.operands(term)[0];
                }
                if (term == rounded.constant && tree.value(FlatValueId(v)).constant) {
                    double& off = (left ? mine : theirs).constantErrors[FlatValueId(v)];
                    off = std::max(off, rounded.relative);
                    found = true;
                }
            }
        }
        if (!found || !rounded.factor) {
            return none(rounded.constant.isValid() ? "a constant is rounded inside a sum of others, which this analysis does not follow"
                                                   : "a number that several constants make is rounded, which this analysis does not follow");
        }
    }
    const Result<std::vector<RoundedOutput>> first = roundingOf(mine, m_stop);
    const Result<std::vector<RoundedOutput>> second = first ? roundingOf(theirs, m_stop) : first;
    if (!second) {
        return tl::unexpected(second.error());
    }
    double bound = 0.0;
    const auto placeOf = [](const Graph& graph, FlatValueId value) {
        const auto at = std::find(graph.outputs.begin(), graph.outputs.end(), ValueId(value.index));
        return static_cast<std::size_t>(at - graph.outputs.begin());
    };
    for (const OutputResult& output : m_result.outputs) {
        if (output.strength && *output.strength <= Strength::Open) {
            continue; // the same bits
        }
        const RoundedOutput& a = (*first)[placeOf(m_result.reference->top(), output.reference)];
        const RoundedOutput& b = (*second)[placeOf(m_result.rewritten->top(), output.rewritten)];
        if (!a.reason.empty() || !b.reason.empty()) {
            return none(a.reason.empty() ? b.reason : a.reason);
        }
        for (std::size_t i = 0; i < a.elements.size() && i < b.elements.size(); ++i) {
            bound = std::max(bound, a.elements[i].error + b.elements[i].error);
        }
    }
    m_result.differenceBound = bound * (1.0 + 1e-12);
    if (bound == 0.0) { // then no step can differ either
        std::erase_if(m_result.caveats, [](const Remark& caveat) { return caveat.kind == "step"; });
    }
    return {};
}

} // namespace lemmascope
