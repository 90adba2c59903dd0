#pragma once

#include "core/base/result.h"
#include "core/prove/check_result.h"

#include <optional>
#include <string>
#include <vector>

namespace lemmascope {

/// The version of this program, `0.1.0`.
[[nodiscard]] std::string_view toolVersion();

/// True when the result is proved at `wanted` or stronger. A random proof counts only where `wanted` says so.
[[nodiscard]] bool provedAsWanted(const CheckResult& result, Strength wanted);
/// Exit status of `check`: 0 proved as wanted, 1 refuted, 2 otherwise.
[[nodiscard]] int checkStatus(const CheckResult& result, Strength wanted);
/// `verdictLine`, and for a proof weaker than wanted `proved: rounded (wanted exact)`.
[[nodiscard]] std::string headline(const CheckResult& result, Strength wanted);

/// Names in file order for ids of one side; `?` for an id that is invalid or has no tree. Nodes by their path.
[[nodiscard]] std::string nodeName(const CheckResult& result, Side side, FlatNodeId id);
[[nodiscard]] std::string valueName(const CheckResult& result, Side side, FlatValueId id);
[[nodiscard]] std::string_view name(Side side); ///< `reference`, `rewritten`

/// What is kept of one pair of a pipeline or a list once its result is dropped: texts and the little that sums and lists need.
struct PairReport {
    std::string name;
    std::string reference; ///< file as the user gave it
    std::string rewritten;
    std::optional<Error> error; ///< it could not be checked at all; then all below but `line` is empty
    Verdict verdict = Verdict::Undecided;
    std::optional<Strength> strength;
    std::optional<RefutationKind> kind;
    bool asWanted = false;
    std::vector<AssumedPair> assumed;        ///< differences that the user accepts
    std::vector<Remark> acceptedDifferences; ///< the same in words, as among the result's assumptions
    std::string line;                        ///< headline, or the error's text
    std::string text;                        ///< the report below the headline
    std::string json;                        ///< fields of the result object without its braces, indented for a `pairs` array
    struct Place {
        Side side = Side::Rewritten;
        std::string node;
        std::string attribute;
    };
    std::vector<Place> places; ///< blamed nodes, for lists of findings
    double seconds = 0.0;
};

/// What a run over several pairs amounts to.
struct PairsOutcome {
    std::optional<Verdict> verdict; ///< the worst; a pair that could not be read is undecided here; none when there are no pairs
    std::optional<Strength> strength;
    std::optional<std::size_t> first;        ///< first pair that is not proved as wanted
    std::optional<std::size_t> decisive;     ///< first pair for which the outcome is what it is; none when all are proved as wanted
    std::vector<AssumedPair> assumed;        ///< what the user accepts, over all pairs, each once
    std::vector<Remark> acceptedDifferences; ///< the same in words
    int status = 0;                          ///< 1 if any is refuted, else the first error's 65 or 66, else 2, else 0
};

[[nodiscard]] PairReport reportPair(std::string name, std::string reference, std::string rewritten, const Result<CheckResult>& result,
                                    Strength wanted);
[[nodiscard]] PairsOutcome outcomeOf(const std::vector<PairReport>& pairs);

} // namespace lemmascope
