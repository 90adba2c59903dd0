#pragma once

#include "core/base/result.h"
#include "core/prove/check_result.h"

#include <filesystem>
#include <string>

namespace lemmascope {

/// The whole obligation of a check as one text: every lemma that has SMT-LIB text, in order, each under a comment with its id,
/// title and digest, and asked of a solver. The same two graphs and options give the same bytes, whatever a solver answered.
[[nodiscard]] std::string obligationText(const CheckResult& result);
/// SHA-256 of that text without what asks the solver: pins the proof.
[[nodiscard]] std::string obligationDigest(const CheckResult& result);

/// A lemma's text for a solver: with `(check-sat)` and, in a comment, what the answer means. Digests are of the text without these
/// two lines.
[[nodiscard]] std::string askingText(const std::string& lemma);

/// `manifest.json` and one `L0001.smt2` per lemma with text, into a folder that is made if it is missing; files of an earlier
/// obligation that no longer belong are removed (only names of that form).
[[nodiscard]] Result<void> writeObligation(const CheckResult& result, const std::filesystem::path& folder);

} // namespace lemmascope
