#pragma once

#include "core/prove/check.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lemmascope::cli {

/// What the command line asks for, as text that was split but not yet read from files.
struct CheckRequest {
    std::vector<std::string> graphs; ///< two or more files, or one folder
    std::string pairs;               ///< `--pairs`; then `graphs` is empty
    std::string json;                ///< `-`: standard output
    std::string exportFolder;
    bool anonymous = false;
    std::string junit;
    std::string sarif;
    std::string cache; ///< empty: the user's own cache folder
    bool noCache = false;
    std::string pin;
    std::vector<std::string> inputs; ///< name=file.npy
    CheckOptions options;            ///< all but `userInputs`
    std::string entry;               ///< of MLIR programs; empty: their only public function
    bool mayAlias = false;           ///< their arguments may name one memory
    bool fingerprint = false;        ///< digests in place of their terms
};

struct ObligationRequest {
    std::string reference;
    std::string rewritten;
    std::string folder; ///< empty: the whole text
    CheckOptions options;
};

struct EvalRequest {
    std::string graph;
    std::vector<std::string> inputs; ///< name=file.npy, or a file.npz with several
    std::optional<std::uint64_t> seed;
    std::map<std::string, std::int64_t> sizes;
    std::string folder;
    std::string definitions;
};

struct InterpRequest {
    std::string program;
    std::string entry;
    std::map<std::string, std::int64_t> sizes;
    double timeSeconds = 600.0;
    std::string json;
};

struct ShowRequest {
    std::string graph;
    std::string json;
    std::string definitions;
};

struct ConvertRequest {
    std::string from;
    std::string to;
};

struct MatchRequest {
    std::string rules;
    std::string graph;
    std::string definitions;
    std::vector<std::string> only; ///< rules; empty: all
    std::string at;                ///< empty: every node
    bool all = false;
    bool identity = false;
    bool lenient = false;
    bool trace = false;
    bool explain = false;
    std::string json;
    std::string pattern; ///< with `term`: instead of a rule file and a graph
    std::string term;
    std::string signature;
    std::string cases; ///< instead of both
    std::uint64_t steps = 10'000'000;
};

struct RewriteRequest {
    std::string rules;
    std::string graph;
    std::string out;
    std::vector<std::string> only; ///< rules; empty: all
    std::string at;
    bool all = false;
    bool once = false;
    std::size_t maxRounds = 100;
    bool noFold = false;
    bool identity = false;
    bool lenient = false;
    bool regions = false;
    bool check = false;
    std::uint64_t steps = 10'000'000;
    std::string json;
    std::string definitions;
    CheckRequest checking; ///< options of --check; no graphs
};

struct RulesRequest {
    std::string file;
    std::string out; ///< of format; empty: standard output
    // Of check:
    std::vector<std::string> rules; ///< by name; empty: all
    std::size_t maxRank = 4;
    std::int64_t opset = 0; ///< 0: as the operators need
    std::string strength = "rounded";
    std::string json;
    std::string exportFolder;
    double timeSeconds = 600.0;
};

/// `a=b`; fails with Usage, naming the option, when there is no `=` with text before it.
[[nodiscard]] Result<std::pair<std::string, std::string>> splitAssignment(const std::string& option, const std::string& text);
/// `lo:hi`, both included: of integers where both ends are written as such, else of finite numbers (`-1.5:2e3`). Fails with Usage when it is
/// neither, or when lo > hi.
[[nodiscard]] Result<std::variant<IntegerRange, RealRange>> parseRange(const std::string& option, const std::string& text);
[[nodiscard]] Result<std::int64_t> parseInteger(const std::string& option, const std::string& text);
/// The request with the options that one line of a `--pairs` file adds. Fails with BadData.
[[nodiscard]] Result<CheckRequest> withPairOptions(const CheckRequest& request, const std::string& cell);

} // namespace lemmascope::cli
