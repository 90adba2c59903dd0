#pragma once

#include "core/base/result.h"
#include "core/prove/check.h"
#include "core/report/bug_report.h"
#include "core/report/cell_story.h"
#include "core/report/schedule.h"

#include <filesystem>
#include <memory>
#include <stop_token>

namespace lemmascope {

struct ProgramReportRequest {
    ProgramPair pair;
    std::shared_ptr<const interp::ProgramComparison> comparison;
    CheckOptions options;      ///< what it was compared with
    std::string replayOptions; ///< the command line's, such as ` --entry f`
    bool anonymous = false;    ///< comments and file names go; names in a program's text stay
};

/// Writes reference.mlir and rewritten.mlir, result.json, report.html and report.md, a map of each output with differing cells
/// (map_NAME.svg and .png), the two expressions of the first differing cell (expressions.svg and .png), the counterexample's
/// tensors, and replay.sh, into a folder that is made if missing. Fails with NotFound (folder), Usage (programs read from bytecode cannot be
/// made anonymous), Cancelled.
[[nodiscard]] Result<BugReport> exportProgramReport(const ProgramReportRequest& request, const std::filesystem::path& folder, std::stop_token stop);

} // namespace lemmascope
