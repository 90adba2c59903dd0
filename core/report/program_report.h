#pragma once

#include "core/base/result.h"
#include "core/prove/check.h"
#include "core/report/bug_report.h"
#include "core/report/cell_story.h"
#include "core/report/program_check.h"
#include "core/report/schedule.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>

namespace lemmascope {

/// Two program files read and compared as they stand on disk.
struct RecheckedPrograms {
    ProgramFile reference, rewritten;
    ProgramCheck check;
};
using ProgramRecheck = std::function<Result<RecheckedPrograms>(const std::filesystem::path& reference, const std::filesystem::path& rewritten,
                                                               const ProgramOptions&, const CheckOptions&, std::stop_token)>;
/// With these engines; places name the files without their folder.
[[nodiscard]] Result<RecheckedPrograms> recheckPrograms(const std::filesystem::path& reference, const std::filesystem::path& rewritten,
                                                        const ProgramOptions& program, const CheckOptions& options, const CheckServices& services,
                                                        const std::stop_token& stop);

struct ProgramReportRequest {
    ProgramPair pair;
    std::shared_ptr<const interp::ProgramComparison> comparison;
    CheckOptions options; ///< what it was compared with
    ProgramOptions program;
    bool anonymous = false; ///< names, comments, locations and texts in attributes go; the pair is checked again and the report speaks of that
    ProgramRecheck recheck; ///< needed for `anonymous`
};

/// Writes reference.mlir and rewritten.mlir, result.json, report.html and report.md, a map of each output with differing cells
/// (map_NAME.svg and .png), the two expressions of the first differing cell (expressions.svg and .png), the counterexample's
/// tensors, and replay.sh, into a folder that is made if missing. Fails with NotFound (folder), Usage (programs read from bytecode cannot be
/// made anonymous, nor those whose verdict hangs on a name; no `recheck`), Cancelled.
[[nodiscard]] Result<BugReport> exportProgramReport(const ProgramReportRequest& request, const std::filesystem::path& folder, std::stop_token stop);

} // namespace lemmascope
