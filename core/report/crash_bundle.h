#pragma once

#include "core/base/result.h"
#include "core/prove/check.h"
#include "core/worker/worker_loss.h"

#include <filesystem>
#include <string>
#include <vector>

namespace lemmascope {

/// What is known of worker processes that ended before they answered.
struct CrashBundle {
    std::vector<WorkerLoss> losses;
    std::filesystem::path reference; ///< the pair that was open; named, not copied: it may be confidential
    std::filesystem::path rewritten;
    CheckOptions options;
    std::string versions; ///< of the program and its engines
};

/// Writes README.txt (what ended how, versions, options, how to ask again) and, for each loss, what was asked as an input of the engine:
/// `1.smt2` for Z3, `2.dot` for Graphviz. The folder is made if missing; files of an earlier bundle there are replaced. Returns the names
/// of the files. Fails with NotFound, naming the file that cannot be written.
[[nodiscard]] Result<std::vector<std::string>> writeCrashBundle(const CrashBundle& bundle, const std::filesystem::path& folder);

} // namespace lemmascope
