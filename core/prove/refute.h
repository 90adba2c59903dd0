#pragma once

#include "core/base/result.h"
#include "core/eval/evaluator.h"
#include "core/prove/check.h"
#include "core/prove/check_result.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

/// One graph input as the search sees it.
struct SearchInput {
    std::string name;
    std::size_t reference = 0;            ///< position among the reference's inputs
    std::optional<std::size_t> rewritten; ///< position among the rewritten graph's inputs
    TensorType type;
    std::optional<IntegerRange> range;
    std::optional<RealRange> real = std::nullopt; ///< of a float input: narrower than `range`
};

struct SearchOutput {
    std::string name;
    FlatValueId reference;
    FlatValueId rewritten;
};

/// An inner value of one graph (top level) and what it should come near to: another value of that graph, or a number.
struct SearchAim {
    bool rewritten = false;
    FlatValueId value;
    FlatValueId other; ///< invalid: `target` is meant
    double target = 0.0;
};

/// What a search for a counterexample needs to know.
struct SearchProblem {
    const GraphTree* reference = nullptr;
    const GraphTree* rewritten = nullptr;
    std::vector<SearchInput> inputs;
    std::vector<SearchOutput> outputs;           ///< those not proved
    std::map<std::string, IntegerRange> symbols; ///< every symbol of the inputs with its range
    Widening referenceWidening;                  ///< nodes outside what both sides share, see resources/docs/decisions/confirmation.md
    Widening rewrittenWidening;
    std::vector<std::pair<FlatValueId, FlatValueId>> partners;        ///< values believed equal, reference first, in topological order
    std::vector<std::pair<FlatValueId, std::uint32_t>> referenceOpen; ///< results of open ops and the number of their term
    std::vector<std::pair<FlatValueId, std::uint32_t>> rewrittenOpen;
    /// Values of the rewritten graph that a run takes over from the reference's (first): differences that the user accepts.
    std::vector<std::pair<FlatValueId, FlatValueId>> assumed;
    std::vector<SearchAim> aims; ///< inner values as a solver's models have them
    bool lookForFaults = false;  ///< some range lemma is not proved
};

/// Input tensors by position among SearchProblem::inputs, with the sizes they were made at.
struct Candidate {
    std::map<std::string, std::int64_t> sizes;
    std::vector<Tensor> inputs;
};

struct SearchOptions {
    std::uint64_t seed = 0;
    std::size_t samples = 64;
    std::uint64_t maxOperations = 2'000'000'000;                       ///< scalar operations of one run
    std::uint64_t liftWork = 0;                                        ///< scalar operations spent on lifting inner values (lift.h); 0: none
    std::uint64_t maxWork = std::numeric_limits<std::uint64_t>::max(); ///< of all runs: no further one is begun past it
    std::chrono::steady_clock::time_point deadline;
    double shrinkSeconds = 2.0;
};

struct SearchResult {
    std::optional<Counterexample> found;     ///< confirmed
    std::optional<FaultReport> fault;        ///< when the counterexample is a fault of the rewritten graph
    std::optional<Counterexample> candidate; ///< differs, but rounding or open ops may explain it
    double largestRelative = 0.0;            ///< over all samples: |d| / max(|reference|, tiny)
    double largestUlp = 0.0;
    std::size_t samplesRun = 0;
    bool evaluated = false; ///< at least one sample gave values for some output on both sides
    std::string trouble;    ///< why nothing could be run
};

/// Looks for graph inputs on which the two graphs differ, simplest first (small integers, one-hot, special patterns, then
/// random), confirms a difference by disjoint enclosures, and shrinks what it found. Deterministic for a seed but for deadlines.
/// `first` are tried before all others (the user's inputs, the solver's models).
[[nodiscard]] Result<SearchResult> searchCounterexample(const SearchProblem& problem, const std::vector<Candidate>& first,
                                                        const SearchOptions& options, std::stop_token stop);

} // namespace lemmascope
