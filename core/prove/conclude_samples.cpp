// What random interpretation adds to a check: an independent look at what was proved, and, where it is asked for, verdicts that
// rest on samples alone (resources/docs/decisions/sampling.md).

#include "core/prove/checker.h"

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

constexpr double LargestLog2Error = -40.0;
constexpr std::uint64_t SampleWork = 400'000'000; ///< scalar operations of all samples
constexpr std::size_t SampleBytes = std::size_t{1} << 29U;

} // namespace

Sampler& Checker::sampled() {
    if (m_sampler) {
        return *m_sampler;
    }
    SampleOptions options;
    options.seed = m_options.seed;
    options.maxWork = SampleWork;
    options.maxBytes = SampleBytes;
    options.sizes = m_options.sizes;
    options.symbols = m_pairing.symbols;
    for (std::size_t k = 0; k < m_pairing.inputs.size(); ++k) {
        if (m_pairing.inputs[k].range && isInteger(m_pairing.inputs[k].type.element)) {
            options.ranges[m_store.input(static_cast<std::uint32_t>(k), m_pairing.inputs[k].type)] = *m_pairing.inputs[k].range;
        }
    }
    std::vector<TermId> roots;
    for (const bool first : {true, false}) {
        for (std::size_t o = 0; o < m_result.outputs.size(); ++o) {
            if (m_result.outputs[o].reference.isValid() && m_result.outputs[o].rewritten.isValid()) {
                roots.push_back(first ? referenceTerm(o) : rewrittenTerm(o));
            }
        }
    }
    options.firstRoots = roots.size() / 2;
    m_sampler = std::make_unique<Sampler>(m_store, options);
    m_sampler->run(roots, m_stop);
    return *m_sampler;
}

void Checker::concludeSamples() {
    if (!m_options.lookForCounterexample || m_settled) {
        return;
    }
    double probability = 0.0;
    for (std::size_t o = 0; o < m_result.outputs.size(); ++o) {
        OutputResult& output = m_result.outputs[o];
        if (!output.rewritten.isValid() || m_stop.stop_requested()) {
            continue;
        }
        const TermId a = referenceTerm(o);
        const TermId b = rewrittenTerm(o);
        if (output.verdict == Verdict::Proved && output.strength && *output.strength >= Strength::Exact) {
            // A proof that samples contradict is no proof. Steps over the reals were checked one by one when they were made.
            if ((m_sampler || *output.strength != Strength::Exact) && sampled().contradicts(a, b)) {
                if (*output.strength == Strength::Exact) {
                    output.verdict = Verdict::Undecided;
                    output.strength.reset();
                    output.reason = "internal: a proof and random samples disagree; please report these two graphs";
                } else {
                    m_result.caveats.push_back(
                        {"samples", output.name + ": on random samples the graphs differ by more than half an ulp in each constant explains"});
                }
            }
            continue;
        }
        const bool open = output.verdict == Verdict::Undecided || output.verdict == Verdict::Unproved;
        if (!open || m_options.wanted != Strength::Probable || output.kind || m_accessFails || !m_pairing.outputs[o].typeDoubt.empty() ||
            m_reference.randomNodes != m_rewritten.randomNodes) {
            continue;
        }
        const Sampler& sampler = sampled();
        const Agreement agreement = sampler.compare(a, b);
        if (agreement != Agreement::Equal) {
            continue;
        }
        const std::optional<double> bound = sampler.log2ErrorBound(a, b);
        const bool anySize = std::none_of(m_pairing.symbols.begin(), m_pairing.symbols.end(),
                                          [this](const auto& symbol) { return !m_options.sizes.contains(symbol.first); });
        std::string why;
        if (!bound) {
            why = "no bound of their error is proved for exponentials, roots, integers and functions left open";
        } else if (!sampler.polynomial(a, b)) {
            why = "a bound holds only for the branches that the samples took";
        } else if (!anySize) {
            why = "samples have one size; fix the symbols' sizes";
        } else if (*bound > LargestLog2Error) {
            why = "the bound of their error is 2^" + std::to_string(static_cast<int>(std::ceil(*bound))) + ", more than 2^-40";
        }
        if (!why.empty()) {
            m_result.caveats.push_back(
                {"samples", output.name + ": " + std::to_string(sampler.samplesKept()) + " random samples agree, which is no verdict: " + why});
            continue;
        }
        output.verdict = Verdict::Proved;
        output.strength = Strength::Probable;
        output.reason.clear();
        probability += std::exp2(*bound);
        m_result.assumptions.push_back(
            {"samples", output.name + ": " + std::to_string(sampler.samplesKept()) +
                            " random samples over prime fields agree; different polynomials of this degree agree on one with a "
                            "probability of at most 2^" +
                            std::to_string(static_cast<int>(std::ceil(*bound)))});
    }
    if (probability > 0.0) {
        m_result.errorProbability = probability;
    }
}

} // namespace lemmascope
