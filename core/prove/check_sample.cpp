// What random interpretation says of a pair: which values belong together, and inputs on which outputs part.

#include "core/prove/checker.h"

#include <algorithm>
#include <map>

namespace lemmascope {

namespace {

constexpr std::uint64_t SampleWork = 400'000'000; ///< scalar operations of all samples

} // namespace

void Checker::sampleGraphs(Prover& prover, const std::vector<std::size_t>& outputs) {
    SampleOptions options;
    options.seed = m_options.seed;
    options.maxWork = SampleWork;
    options.sizes = m_options.sizes;
    options.symbols = m_pairing.symbols;
    options.firstRoots = outputs.size();
    m_inputTerms.clear();
    for (std::size_t k = 0; k < m_pairing.inputs.size(); ++k) {
        m_inputTerms.push_back(m_store.input(static_cast<std::uint32_t>(k), m_pairing.inputs[k].type));
        if (m_pairing.inputs[k].range) {
            options.ranges[m_inputTerms.back()] = *m_pairing.inputs[k].range;
        }
    }
    // definitions of the reference first: ids tell which graph a term was made for
    std::vector<TermId> roots;
    for (const std::size_t o : outputs) {
        roots.push_back(prover.exact().defined(referenceTerm(o)));
    }
    for (const std::size_t o : outputs) {
        roots.push_back(prover.exact().defined(rewrittenTerm(o)));
    }
    m_sampler = std::make_unique<Sampler>(m_store, std::move(options));
    m_sampler->run(roots, m_stop);
    m_sampled = outputs;
}

bool Checker::predictsDifference() const {
    return m_sampler && std::any_of(m_sampled.begin(), m_sampled.end(), [this](std::size_t o) {
               return m_sampler->compare(referenceTerm(o), rewrittenTerm(o)) == Agreement::Different;
           });
}

std::vector<Candidate> Checker::sampledDifferences(const SearchProblem& problem) const {
    std::vector<Candidate> out;
    if (!m_sampler) {
        return out;
    }
    for (const std::size_t o : m_sampled) {
        const std::optional<std::size_t> sample = m_sampler->separatingSample(referenceTerm(o), rewrittenTerm(o));
        if (!sample || !m_open[o]) {
            continue;
        }
        Candidate candidate;
        candidate.sizes = m_sampler->sizes();
        bool complete = true;
        for (std::size_t k = 0; k < problem.inputs.size() && k < m_inputTerms.size() && complete; ++k) {
            std::optional<Tensor> elements = m_sampler->elements(m_inputTerms[k], *sample);
            complete = elements.has_value();
            if (elements) {
                candidate.inputs.push_back(std::move(*elements));
            }
        }
        if (complete) {
            out.push_back(std::move(candidate));
        }
    }
    return out;
}

std::vector<std::pair<TermId, TermId>> Checker::beliefs() const {
    // Values of one name, and values at the same place: hints only.
    std::vector<std::pair<TermId, TermId>> out;
    std::map<std::string, TermId> named;
    for (std::size_t v = 0; v < m_reference.values.size(); ++v) {
        const std::string& name = m_result.reference->value(FlatValueId(v)).name;
        if (m_reference.values[v].isValid() && !name.empty()) {
            named.emplace(name, m_reference.values[v]);
        }
    }
    for (std::size_t v = 0; v < m_rewritten.values.size(); ++v) {
        const auto at = named.find(m_result.rewritten->value(FlatValueId(v)).name);
        if (m_rewritten.values[v].isValid() && at != named.end()) {
            out.emplace_back(at->second, m_rewritten.values[v]);
        }
    }
    const std::vector<FlatValueId>& partners = m_result.correspondence.partnerOfReferenceValue;
    for (std::size_t v = 0; v < partners.size(); ++v) {
        if (partners[v].isValid() && m_reference.values[v].isValid() && m_rewritten.values[partners[v].index].isValid()) {
            out.emplace_back(m_reference.values[v], m_rewritten.values[partners[v].index]);
        }
    }
    return out;
}

} // namespace lemmascope
