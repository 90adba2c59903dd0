#pragma once

#include "core/graph/graph.h"
#include "core/prove/pairing.h"
#include "core/sample/sampler.h"
#include "core/term/term_builder.h"

#include <memory>
#include <string>
#include <vector>

namespace lemmascope::test {

/// Both graphs of a pair as terms of one store, sampled.
struct SampledPair {
    std::string error; ///< why there is nothing else; empty when there is
    std::unique_ptr<TermStore> store;
    Pairing pairing;
    GraphTerms reference;
    GraphTerms rewritten;
    std::unique_ptr<Sampler> sampler;
    double seconds = 0.0; ///< of the sampling alone

    /// The least agreement of the outputs: Different before Unknown before WithinRounding.
    [[nodiscard]] Agreement outputs() const;
    /// Whether all outputs are one term once definitions are expanded.
    [[nodiscard]] bool sameTerms() const;
};

[[nodiscard]] SampledPair samplePair(const Graph& reference, const Graph& rewritten, SampleOptions options = {},
                                     const std::map<std::string, IntegerRange>& inputRanges = {});
[[nodiscard]] const char* nameOf(Agreement agreement);

} // namespace lemmascope::test
