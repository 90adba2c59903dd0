#pragma once

#include "core/base/result.h"
#include "core/prove/check_result.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

class DefinitionLibrary;
class LemmaMemory;
class LemmaSolver;
class ProofCache;

/// Range of a float input, both ends included and finite.
struct RealRange {
    double low = 0.0;
    double high = 0.0;
    [[nodiscard]] bool holds(double value) const { return value >= low && value <= high; } ///< false for NaN
};

struct CheckOptions {
    Strength wanted = Strength::Rounded;
    double timeSeconds = 600.0;            ///< wall clock for the whole check
    std::uint64_t lemmaSteps = 20'000'000; ///< Z3 rlimit per lemma: deterministic
    unsigned jobs = 0;                     ///< solver workers; 0: one per core
    std::uint64_t seed = 0;
    std::vector<std::string> outputs;                        ///< empty: all
    std::vector<std::pair<std::string, std::string>> mapped; ///< reference name = rewritten name
    std::map<std::string, IntegerRange> inputRanges;
    std::map<std::string, RealRange> realRanges; ///< of float inputs only, where the ends are no integers
    std::map<std::string, std::int64_t> sizes;   ///< symbols fixed by the user
    std::vector<std::pair<std::string, std::string>> assumedEqual;
    std::shared_ptr<const DefinitionLibrary> definitions;   ///< the user's, of both graphs; null: none
    std::vector<std::pair<std::string, Tensor>> userInputs; ///< `--input`: tried first as a counterexample
    bool specialValues = false;
    bool findCondition = true; ///< of a refuted pair: look for a condition under which it is equal
    double searchEffort = 1.0; ///< how many times longer than usual a counterexample is looked for; 1 to 1000
    bool keepText = true;      ///< keep each lemma's SMT-LIB text in the result
    /// False: every lemma is stated with its text, and no inputs are tried: for an obligation, whose text must not depend on luck.
    bool lookForCounterexample = true;

    /// Lemmas are stated with every computing op open: asked for by an obligation at strength `open` or `identical`.
    [[nodiscard]] bool statesOpenLemmas() const { return !lookForCounterexample && wanted <= Strength::Open; }
};

/// Where a check stands; the callback may come from any thread.
struct CheckProgress {
    enum class Stage : std::uint8_t { Terms, Pairing, Deciding, Refuting, Done } stage = Stage::Terms;
    std::size_t decided = 0;
    std::size_t total = 0;
    std::string current; ///< title of a lemma being worked on
};

/// A lemma that is asked again (recheck.h).
struct LemmaAgain {
    std::string digest;
    std::uint64_t steps = 0;
};

/// What a check uses besides the graphs. All optional: without a solver rung 6 answers `undecided: no solver`.
struct CheckServices {
    LemmaSolver* solver = nullptr;
    ProofCache* cache = nullptr;
    LemmaMemory* memory = nullptr; ///< answers of this program's checks; read and filled
    /// Set: one lemma gets more, and the memory's undecided answers count for all others.
    std::optional<LemmaAgain> again = std::nullopt;
    std::function<void(const CheckProgress&)> progress;
    /// Called once when terms are built: marks to draw while lemmas are decided.
    std::function<void(const Correspondence&)> correspondence;
};

/// Decides whether two graphs are equal for every input (resources/docs/decisions/proving.md). Both trees' types are inferred here (shape
/// inference runs on copies; the result's trees hold the inferred types).
/// Same graphs and options give the same result but for `times` and for what a wall clock cut off.
/// Cancelled through `stop` within 50 ms: fails with Cancelled. Trouble in the graphs (a node whose operands do not fit)
/// fails with ShapeMismatch or BadData, naming graph, node and field.
[[nodiscard]] Result<CheckResult> check(std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten,
                                        const CheckOptions& options = {}, const CheckServices& services = {}, std::stop_token stop = {});

} // namespace lemmascope
