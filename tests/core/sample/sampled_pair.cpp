#include "tests/core/sample/sampled_pair.h"

#include <algorithm>
#include <chrono>

namespace lemmascope::test {

SampledPair samplePair(const Graph& reference, const Graph& rewritten, SampleOptions options,
                       const std::map<std::string, IntegerRange>& inputRanges) {
    SampledPair out;
    CheckOptions checkOptions;
    checkOptions.inputRanges = inputRanges;
    Result<Pairing> pairing = pairGraphs(reference, rewritten, checkOptions, {});
    if (!pairing) {
        out.error = pairing.error().text();
        return out;
    }
    out.pairing = std::move(*pairing);
    out.store = std::make_unique<TermStore>();
    TermBuilder builder(*out.store);
    std::vector<TermId> roots;
    for (const bool first : {true, false}) {
        const std::shared_ptr<const Graph>& graph = first ? out.pairing.reference : out.pairing.rewritten;
        Result<GraphTree> tree = GraphTree::build(graph);
        if (!tree) {
            out.error = tree.error().text();
            return out;
        }
        std::vector<TermId> inputs(graph->inputs.size());
        for (std::size_t k = 0; k < out.pairing.inputs.size(); ++k) {
            const Pairing::Input& input = out.pairing.inputs[k];
            const TermId term = out.store->input(static_cast<std::uint32_t>(k), input.type);
            if (input.range) {
                options.ranges[term] = *input.range;
            }
            if (first) {
                inputs[input.reference] = term;
            } else if (input.rewritten) {
                inputs[*input.rewritten] = term;
            }
        }
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            if (!inputs[k].isValid()) {
                inputs[k] = out.store->input(static_cast<std::uint32_t>(out.pairing.inputs.size() + k), graph->value(graph->inputs[k]).type);
            }
        }
        Result<GraphTerms> terms = builder.build(*tree, inputs);
        if (!terms) {
            out.error = terms.error().text();
            return out;
        }
        (first ? out.reference : out.rewritten) = std::move(*terms);
    }
    for (const Pairing::Output& output : out.pairing.outputs) {
        roots.push_back(out.reference.values[output.reference.index]);
    }
    options.firstRoots = roots.size();
    for (const Pairing::Output& output : out.pairing.outputs) {
        roots.push_back(output.rewritten.isValid() ? out.rewritten.values[output.rewritten.index] : TermId());
    }
    options.symbols = out.pairing.symbols;
    out.sampler = std::make_unique<Sampler>(*out.store, options);
    const auto start = std::chrono::steady_clock::now();
    out.sampler->run(roots);
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return out;
}

Agreement SampledPair::outputs() const {
    Agreement worst = Agreement::Equal;
    const auto rank = [](Agreement a) {
        return a == Agreement::Different ? 3 : a == Agreement::Unknown ? 2 : a == Agreement::WithinRounding ? 1 : 0;
    };
    for (const Pairing::Output& output : pairing.outputs) {
        const Agreement own = !output.rewritten.isValid() || !output.typeProblem.empty()
                                  ? Agreement::Different
                                  : sampler->compare(reference.values[output.reference.index], rewritten.values[output.rewritten.index]);
        worst = rank(own) > rank(worst) ? own : worst;
    }
    return worst;
}

bool SampledPair::sameTerms() const {
    return std::all_of(pairing.outputs.begin(), pairing.outputs.end(), [this](const Pairing::Output& output) {
        return output.rewritten.isValid() &&
               sampler->defined(reference.values[output.reference.index]) == sampler->defined(rewritten.values[output.rewritten.index]);
    });
}

const char* nameOf(Agreement agreement) {
    return agreement == Agreement::Equal            ? "equal"
           : agreement == Agreement::WithinRounding ? "within rounding"
           : agreement == Agreement::Different      ? "different"
                                                    : "unknown";
}

} // namespace lemmascope::test
