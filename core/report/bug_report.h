#pragma once

#include "core/base/result.h"
#include "core/prove/check.h"
#include "core/prove/check_result.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope {

/// Checks two graphs again: `check` with the services at hand, or a stand-in of a test.
using Recheck = std::function<Result<CheckResult>(std::shared_ptr<const Graph>, std::shared_ptr<const Graph>, const CheckOptions&, std::stop_token)>;

struct BugReportOptions {
    bool anonymous = false; ///< names, doc strings and constants nobody reads go
    CheckOptions check;     ///< what the result was made with
    std::string solver;     ///< name and version of the solver that was at hand; empty: not told
    Recheck recheck;        ///< needed for `anonymous`; without it the pair is exported whole and unverified
};

struct BugReport {
    std::vector<std::string> files; ///< written, relative to the folder, in order
    std::vector<std::string> notes; ///< what a format could not hold, what differs from the first check
    bool verified = false;          ///< the exported pair was checked: same verdict at the same element
};

/// Writes the files of resources/help/formats.md into a folder that is made if missing. The smallest pair that still has the verdict at
/// the same element is exported: the cone of the deciding output, else the whole graphs; each candidate is checked again, and
/// the report speaks of the pair as exported. Files of an earlier report there are replaced.
/// Fails with NotFound (folder), Usage (`anonymous` without `recheck`), Cancelled.
[[nodiscard]] Result<BugReport> exportBugReport(const CheckResult& result, const std::filesystem::path& folder, const BugReportOptions& options,
                                                std::stop_token stop = {});

} // namespace lemmascope
