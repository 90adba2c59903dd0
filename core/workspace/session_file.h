#pragma once

#include "core/prove/check.h"
#include "core/report/program_options.h"
#include "core/workspace/lemma_review.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope {

/// One of the two graphs as a session remembers it.
struct SavedGraph {
    std::filesystem::path file; ///< absolute once read
    std::uint64_t size = 0;     ///< bytes, when it was checked
    std::int64_t time = 0;      ///< of its last change, nanoseconds since 1970; 0: not known
    std::string sha256;         ///< of the file's bytes; empty: not known
    friend bool operator==(const SavedGraph&, const SavedGraph&) = default;
};

/// A lemma's row without what only a check can give (text, model).
struct SavedLemma {
    std::string id;
    LemmaIdentity lemma;
    LemmaVerdict verdict = LemmaVerdict::Undecided;
    std::optional<Strength> strength;
    Rung rung = Rung::None;
    std::string reason;
    friend bool operator==(const SavedLemma&, const SavedLemma&) = default;
};

struct SavedOutput {
    std::string name;
    Verdict verdict = Verdict::Undecided;
    std::optional<Strength> strength;
    std::optional<RefutationKind> kind;
    std::string reason;
    friend bool operator==(const SavedOutput&, const SavedOutput&) = default;
};

/// What the last check came to.
struct SavedVerdict {
    Verdict verdict = Verdict::Undecided;
    std::optional<Strength> strength;
    std::optional<RefutationKind> kind;
    std::string reason;
    std::string line; ///< the verdict's line
    std::vector<SavedOutput> outputs;
    std::vector<SavedLemma> lemmas;
    friend bool operator==(const SavedVerdict&, const SavedVerdict&) = default;
};

/// How the reader looked at it. Nodes are named by their paths.
struct SavedView {
    bool focus = false;
    int contextHops = 2;
    bool locked = true;
    bool provedFolded = false;
    bool grouped = false;
    bool groupsOpen = false;              ///< how groups of nodes start
    std::vector<std::string> groups;      ///< keys of those that are the other way
    std::vector<std::string> expanded[2]; ///< by Side
    std::vector<std::string> collapsed[2];
    std::optional<std::size_t> lemma; ///< selected: index into the verdict's lemmas
    Side side = Side::Reference;
    std::string node; ///< selected, where no lemma is; empty: none
    /// The rule file that was open beside the pair, absolute, or rules of the library (`@attention`); empty: none.
    std::string rules;
    std::vector<std::string> breakRules; ///< breakpoints, by names
    std::vector<std::string> breakNodes;
};
[[nodiscard]] bool operator==(const SavedView& a, const SavedView& b);

/// A session file (`.lsession`, resources/help/formats.md, resources/schema/session.schema.json): two files, the question asked
/// of them, the answer, and what a reviewer wrote. Graphs, texts and tensors are not in it.
struct SavedSession {
    SavedGraph reference;
    SavedGraph rewritten;
    CheckOptions options;   ///< without user inputs
    ProgramOptions program; ///< of MLIR programs
    std::optional<SavedVerdict> verdict;
    std::vector<ReviewNote> notes; ///< attached and detached: which is which follows from the lemmas
    SavedView view;
};

inline constexpr int SessionVersion = 1;
inline constexpr std::string_view SessionSuffix = ".lsession";

/// What a check came to, as a session keeps it.
[[nodiscard]] SavedVerdict savedVerdict(const CheckResult& result);
/// The other way round, for showing: verdicts and lemmas over these trees, with nothing that a check has to give. Nodes that are
/// gone are left out.
[[nodiscard]] CheckResult restoredResult(const SavedVerdict& verdict, std::shared_ptr<const GraphTree> reference,
                                         std::shared_ptr<const GraphTree> rewritten);

/// The file's text: keys in a fixed order, the same bytes for the same session. A graph that lies in the folder of `file`, or
/// below it, is named relative to it; with `file` empty all paths are absolute.
[[nodiscard]] std::string sessionText(const SavedSession& session, const std::filesystem::path& file);
/// Reads that text; relative paths become absolute by the folder of `file`. Fails with BadData or TooLarge, naming the file, the
/// place in it, and what was expected: also for a version this program does not know, paths that lead out of the folder by `..`,
/// more than 100,000 lemmas or notes, nesting deeper than 16. Unknown keys are passed over.
[[nodiscard]] Result<SavedSession> parseSession(std::string_view text, const std::filesystem::path& file);

/// Reads a session file of at most 64 MiB. Fails as `parseSession`, and with NotFound.
[[nodiscard]] Result<SavedSession> readSession(const std::filesystem::path& file);
/// Writes under a temporary name, then renames; makes the folder. Fails with NotFound and the system's reason.
[[nodiscard]] Result<void> writeSession(const SavedSession& session, const std::filesystem::path& file, bool relative);

/// Size, time and digest of a graph's file as it is now; all unknown where it cannot be read. Reads the whole file.
[[nodiscard]] SavedGraph savedGraph(const std::filesystem::path& file, const std::stop_token& stop = {});

/// The name of the file in a state folder that keeps what was said of a pair: by both absolute paths.
[[nodiscard]] std::string pairFileName(const std::filesystem::path& reference, const std::filesystem::path& rewritten);

} // namespace lemmascope
