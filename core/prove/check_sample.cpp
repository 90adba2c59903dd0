// What random interpretation says of a pair: which values belong together, and inputs on which outputs part.

#include "core/prove/checker.h"

#include <algorithm>
#include <map>

namespace lemmascope {

bool Checker::predictsDifference(const std::vector<std::size_t>& outputs) {
    return std::any_of(outputs.begin(), outputs.end(),
                       [this](std::size_t o) { return sampled().compare(referenceTerm(o), rewrittenTerm(o)) == Agreement::Different; });
}

bool Checker::hasSmallValues() const {
    constexpr std::int64_t MostElements = 4'096;
    constexpr std::int64_t MostInAll = 200'000;
    std::int64_t all = 0;
    for (const GraphTree* tree : {m_result.reference.get(), m_result.rewritten.get()}) {
        for (std::size_t v = 0; v < tree->valueCount(); ++v) {
            const TensorType& type = tree->value(FlatValueId(v)).type;
            const Dim count = type.isStatic() ? elementCount(*type.shape) : Dim();
            if (!type.isStatic() || !count.isKnown() || count.value() > MostElements) {
                return false;
            }
            all += count.value();
        }
    }
    return all <= MostInAll;
}

bool Checker::isUnclear(const std::vector<std::size_t>& outputs) {
    return std::any_of(outputs.begin(), outputs.end(),
                       [this](std::size_t o) { return sampled().compare(referenceTerm(o), rewrittenTerm(o)) == Agreement::Unknown; });
}

std::vector<Candidate> Checker::sampledDifferences(const SearchProblem& problem) {
    std::vector<Candidate> out;
    if (!m_sampler) {
        return out;
    }
    for (std::size_t o = 0; o < m_open.size(); ++o) {
        if (!m_open[o] || !m_result.outputs[o].rewritten.isValid()) {
            continue;
        }
        const std::optional<std::size_t> sample = m_sampler->separatingSample(referenceTerm(o), rewrittenTerm(o));
        if (!sample) {
            continue;
        }
        Candidate candidate;
        candidate.sizes = m_sampler->sizes();
        bool complete = true;
        for (std::size_t k = 0; k < problem.inputs.size() && complete; ++k) {
            const TermId input = m_store.input(static_cast<std::uint32_t>(k), m_pairing.inputs[k].type);
            std::optional<Tensor> elements = m_sampler->elements(input, *sample);
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
