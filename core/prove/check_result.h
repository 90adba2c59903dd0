#pragma once

#include "core/eval/evaluator.h"
#include "core/graph/graph_tree.h"
#include "core/prove/assumed.h"
#include "core/prove/input_comparison.h"
#include "core/prove/verdict.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lemmascope {

enum class Side : std::uint8_t { Reference, Rewritten };

/// One output's part of the answer.
struct OutputResult {
    std::string name; ///< the reference's name
    FlatValueId reference;
    FlatValueId rewritten; ///< invalid when it is missing there
    Verdict verdict = Verdict::Undecided;
    std::optional<Strength> strength;
    std::optional<RefutationKind> kind;
    std::string reason; ///< empty when proved
    friend bool operator==(const OutputResult&, const OutputResult&) = default;
};

/// One proof step that remained after sharing. Lemmas are numbered L1, L2 ... in the order the proof visits them.
struct LemmaResult {
    std::string id;
    enum class Kind : std::uint8_t { Equal, InRange, Divisor, Fact } kind = Kind::Equal;
    std::string title; ///< `Softmax s = Softmax s'`, `rows of kv at pos in range`
    LemmaVerdict verdict = LemmaVerdict::Undecided;
    std::optional<Strength> strength; ///< when it holds
    Rung rung = Rung::None;
    std::string digest; ///< SHA-256 of the canonical text, equal for equal lemmas under renaming; empty if it has no text
    std::string text;   ///< SMT-LIB 2; what a solver was or would be asked
    std::string noText; ///< why it has none, where one could be expected
    std::string reason; ///< why it fails or is undecided
    std::string model;  ///< abstract counterexample in words, when it fails
    bool fromCache = false;
    FlatValueId reference; ///< the pair
    FlatValueId rewritten;
    std::vector<FlatNodeId> referenceNodes; ///< nodes between the pair and the terms both sides share, nearest first
    std::vector<FlatNodeId> rewrittenNodes;
    std::vector<std::size_t> outputs; ///< indices of outputs whose proof uses it
    friend bool operator==(const LemmaResult&, const LemmaResult&) = default;
};

/// What a node of either graph is to the other graph: drawn on the canvas before any lemma is clicked.
enum class NodeMark : std::uint8_t {
    Shared,  ///< every result is a term of the other side too
    Equal,   ///< not the same term, but a lemma proved its results equal to the partner's
    Changed, ///< has a partner at the same place with another attribute, op or type, not yet decided or not needed
    Failing, ///< belongs to a failing pair
    Undecided,
    Only,    ///< no partner
    Dead,    ///< reaches no output
    Accepted ///< computes a value that the user takes to be equal to its partner's
};

struct NodeRelation {
    NodeMark mark = NodeMark::Only;
    FlatNodeId partner;                ///< on the other side
    std::string reason;                ///< one sentence for every node that is not Shared
    std::vector<std::uint32_t> lemmas; ///< indices into CheckResult::lemmas
    friend bool operator==(const NodeRelation&, const NodeRelation&) = default;
};

/// Node relations of both sides, by FlatNodeId. Made right after the terms, before any lemma is decided, and made again
/// with the verdicts.
struct Correspondence {
    std::vector<NodeRelation> reference;
    std::vector<NodeRelation> rewritten;
    std::vector<FlatValueId> partnerOfReferenceValue; ///< by reference FlatValueId; invalid: none
    std::size_t sharedTerms = 0;
    friend bool operator==(const Correspondence&, const Correspondence&) = default;
};

/// A confirmed difference (or, when `confirmed` is false, a candidate that rounding may explain).
struct Counterexample {
    bool confirmed = false;
    std::map<std::string, std::int64_t> sizes;
    std::vector<std::pair<std::string, Tensor>> inputs; ///< of the reference, in its order
    std::string output;
    std::vector<std::int64_t> index;
    std::optional<Tensor> reference; ///< the whole output, declared types; absent when that side faults
    std::optional<Tensor> rewritten;
    Evaluation referenceRun; ///< every inner value, for the values on the way
    Evaluation rewrittenRun;
    std::vector<std::pair<FlatValueId, FlatValueId>> path; ///< partner values from inputs to the output
    std::size_t firstDifference = 0;                       ///< index into `path` of the first that differs; path.size() if none
};

struct Blame {
    Side side = Side::Rewritten;
    FlatNodeId node;
    std::string nodeName;
    std::string attribute; ///< empty when it is not one attribute
    friend bool operator==(const Blame&, const Blame&) = default;
};

struct FaultReport {
    Side side = Side::Rewritten;
    std::string access; ///< `read`, `write`, `divide`; of programs also `free`, `loop`, `view`, `assert`
    std::string buffer;
    std::vector<std::int64_t> index;
    std::vector<std::int64_t> size;
    std::string node;
    friend bool operator==(const FaultReport&, const FaultReport&) = default;
};

/// One order of the steps of a program with tasks, and what it gives.
struct ScheduledRun {
    std::vector<std::string> order;                      ///< events, or places of ops
    std::vector<std::pair<std::string, Tensor>> outputs; ///< compared ones; empty where the run does not end
    std::string end;                                     ///< why it does not; empty otherwise
};

/// Two accesses that nothing orders, or two takings of one semaphore.
struct RaceReport {
    Side side = Side::Rewritten;
    std::vector<std::string> events; ///< the two, in the order of the first run
    std::string buffer;
    std::vector<std::int64_t> index;
    std::string text; ///< both with op, place, task and iteration, and the missing edge
    std::vector<ScheduledRun> runs;
};

struct Remark {
    std::string kind; ///< `fact`, `size`, `law`, `definition`, `special-values`, `step`, `note`, ...
    std::string text;
    friend bool operator==(const Remark&, const Remark&) = default;
};

struct ConstantError {
    std::string name;
    double ulp = 0.0;
    double relative = 0.0;
    double allowed = 0.0;
};

/// Seconds of each stage and counts: the only part of a result that may vary between runs of the same input.
struct CheckTimes {
    double terms = 0.0, pairing = 0.0, decide = 0.0, refute = 0.0, total = 0.0;
    std::size_t termCount = 0, lemmaCount = 0, solverCalls = 0, cacheHits = 0;
};

/// The answer of a check: what the command line prints, the JSON result holds and the window shows. There is no other.
struct CheckResult {
    std::shared_ptr<const GraphTree> reference;
    std::shared_ptr<const GraphTree> rewritten;
    Verdict verdict = Verdict::Undecided;
    std::optional<Strength> strength;
    std::optional<RefutationKind> kind;
    std::string reason;
    std::vector<OutputResult> outputs;
    std::vector<LemmaResult> lemmas;
    Correspondence correspondence;
    std::optional<Counterexample> counterexample;
    std::optional<InputComparison> onInputs; ///< on the user's own tensors, where some were given
    std::vector<Blame> blame;
    std::optional<std::string> condition;
    std::optional<FaultReport> fault;
    std::optional<RaceReport> race;                  ///< programs with tasks: kinds race and nondeterministic
    std::vector<std::string> cycle;                  ///< kind deadlock: each waits for the next, the last for the first
    std::optional<double> largestRelativeDifference; ///< seen on sampled inputs
    std::optional<double> largestUlpDifference;
    std::optional<double> differenceBound;  ///< of |reference - rewritten| at any element, inputs in their ranges, however floats round
    std::string noBoundReason;              ///< of a proof at strength exact or rounded: why there is none
    std::optional<double> errorProbability; ///< of a `probable` verdict
    std::vector<AssumedPair> assumed;       ///< differences that the user accepts; also told among `assumptions`
    std::vector<Remark> assumptions;
    std::vector<Remark> caveats;
    std::vector<ConstantError> constants;
    CheckTimes times;
};

/// The first line of `check`: `proved: exact`, `refuted: value: y[0,1] is 2, rewritten 3`, `unproved: relies on foo`; what is
/// assumed equal stands at the end of a proof or a counterexample: `proved: exact (assuming A=B)`.
[[nodiscard]] std::string verdictLine(const CheckResult& result);

} // namespace lemmascope
