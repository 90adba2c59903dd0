#pragma once

#include "core/base/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope::match {

/// One pattern on one small term, with what must come out where the file says so.
struct MatchCase {
    std::string id;
    std::string pattern;
    std::string term;
    int line = 0;
    std::optional<std::string> outcome;                         ///< `match`, `no match`, `undecided`
    std::optional<std::map<std::string, std::string>> bindings; ///< by name with its ? or %
    std::optional<std::string> staticCheck;
    std::optional<std::vector<std::string>> reasons;
};

struct MatchCases {
    std::string signature; ///< behind `# sig:`
    std::vector<MatchCase> cases;
};

/// Tab-separated, with a header that names at least `id`, `pattern` and `term`; `expected`, `bindings`, `static_check` and `reasons` are
/// compared where they stand. Fails with BadData at `file:line`.
[[nodiscard]] Result<MatchCases> parseCases(std::string_view text, const std::string& file);

/// What a case came to.
struct CaseResult {
    std::string id;
    std::string outcome;
    std::map<std::string, std::string> bindings;
    std::string staticCheck; ///< `ok`, `error: ...`
    std::vector<std::string> reasons;
    std::vector<std::string> differences; ///< what was expected and what came instead; empty: as expected
};

/// Runs one: ill-formed patterns too, as the file says what they come to. Fails when the pattern or the term cannot be read.
[[nodiscard]] Result<CaseResult> runCase(const MatchCase& each, const std::string& signature, const std::string& file, bool identity,
                                         std::uint64_t steps);

} // namespace lemmascope::match
