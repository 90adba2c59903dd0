#pragma once

// Checks mutants against their originals and tells how the answers fare.

#include "core/prove/check.h"

#include "tests/mutants/bench_graphs.h"
#include "tests/mutants/mutation.h"

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace lemmascope::mutants {

struct MutantResult {
    std::string graph;
    std::string form;
    Mutation mutation;
    std::string verdict; ///< the verdict's line, or `error: ...`
    bool proved = false;
    bool refuted = false;
    bool falseCounterexample = false; ///< refuted, but the evaluator gives the same for both on its inputs
    /// Why the mutant means the same as the original, found without the prover; empty: it does not, or nobody knows.
    std::string neutral;
    /// Neither refuted nor seen to be neutral: whether many random inputs show a difference at all.
    bool differsOnSamples = false;
    std::optional<std::size_t> blameRank; ///< of the faulty node in `blame`, from 0
    std::vector<std::string> blamed;      ///< names in `blame`, `@attribute` where there is one
    std::size_t nonZero = 0;              ///< input elements of the counterexample that are not 0 (or the low end of a range without 0)
    double seconds = 0.0;                 ///< by the clock
    double processorSeconds = 0.0;        ///< of this process: the same on a busy machine
};

struct RunOptions {
    std::size_t mutants = 500;
    std::uint64_t seed = 1;
    std::string only; ///< run those whose graph/form/kind/what contains it
    double timeSeconds = 20.0;
    std::filesystem::path folder; ///< where each pair is written as NNN.ref.json and NNN.mutant.json; empty: nowhere
};

/// Chooses mutants evenly over graphs, kinds and forms (the same for a seed), checks each, calls `done` after each.
[[nodiscard]] std::vector<MutantResult> runMutants(const std::vector<BenchGraph>& graphs, const RunOptions& options, const CheckServices& services,
                                                   const std::function<void(const MutantResult&)>& done = {});

struct Rates {
    std::size_t mutants = 0; ///< without the neutral ones
    std::size_t neutral = 0;
    std::size_t neutralProved = 0;
    std::size_t proved = 0; ///< must be 0
    std::size_t refuted = 0;
    std::size_t blamedFirst = 0;          ///< of those refuted by a counterexample
    std::size_t small = 0;                ///< at most two elements that are not 0, of those
    std::size_t fast = 0;                 ///< under 2 s
    std::size_t falseCounterexamples = 0; ///< must be 0
};
[[nodiscard]] Rates ratesOf(const std::vector<MutantResult>& results);

void writeJson(std::ostream& out, const std::vector<MutantResult>& results);
void writeTable(std::ostream& out, const std::vector<MutantResult>& results);

} // namespace lemmascope::mutants
