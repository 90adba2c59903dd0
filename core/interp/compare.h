#pragma once

// Decides whether two programs are equal for every input and schedule: both run once on terms of one DAG, then their live-outs are
// compared cell by cell. resources/docs/decisions/interpreter.md. Tests: tests/core/interp/tst_compare.cpp.

#include "core/interp/machine.h"
#include "core/prove/check.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope::interp {

struct CompareOptions {
    CheckOptions check;                    ///< wanted, timeSeconds, outputs, sizes, lemmaSteps, jobs
    RunLimits limits;                      ///< of each run
    bool fingerprint = false;              ///< digests in place of terms where those do not fit: what agrees is `probable`
    bool mayAlias = false;                 ///< arguments of one type may name one memory: each two are also tried as one
    std::vector<std::uint32_t> sharedWith; ///< as in RunOptions; set by comparePrograms itself for mayAlias
};

/// What became of one live-out: for the window's map and the report.
struct OutputComparison {
    std::string name;
    ValueType type;
    std::vector<std::int64_t> sizes;
    std::vector<std::uint64_t> refuted;  ///< cells shown to differ
    std::vector<std::uint64_t> unproved; ///< cells not shown equal
    std::vector<std::uint64_t> proved;   ///< cells of different terms that were proved equal
    std::vector<std::uint64_t> undecided;
    std::vector<std::uint64_t> unwritten; ///< cells that only the reference writes
    std::string families;                 ///< of `refuted`, or else of the first list that is not empty
    /// Where the live-outs stand in both runs.
    enum class List : std::uint8_t { Results, Arguments, Globals } list = List::Results;
    std::size_t referenceIndex = 0;
    std::size_t rewrittenIndex = 0;
    Cell reference; ///< of the first of these
    Cell rewritten;
    std::vector<WatchedAccess> referenceWrites; ///< last ones to that cell
    std::vector<WatchedAccess> rewrittenWrites;
    std::uint32_t referenceAllocation = 0;
    std::uint32_t rewrittenAllocation = 0;
};

/// Of either run: the live-out that `output` speaks of; its cells hold the terms.
[[nodiscard]] inline const LiveOut& liveOut(const RunResult& run, OutputComparison::List list, std::size_t index) {
    return (list == OutputComparison::List::Results ? run.results : list == OutputComparison::List::Arguments ? run.arguments : run.globals)[index];
}

struct ProgramComparison {
    CheckResult result; ///< without graphs
    std::vector<OutputComparison> outputs;
    std::shared_ptr<TermDag> dag;
    RunResult reference; ///< symbolic runs
    RunResult rewritten;
};

/// Fails with Cancelled only.
[[nodiscard]] Result<ProgramComparison> comparePrograms(const std::shared_ptr<const Program>& reference,
                                                        const std::shared_ptr<const Program>& rewritten, const CompareOptions& options = {},
                                                        const CheckServices& services = {}, std::stop_token stop = {});

} // namespace lemmascope::interp
