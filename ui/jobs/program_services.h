#pragma once

#include "core/base/result.h"
#include "core/report/program_report.h"
#include "ui/jobs/services.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>

namespace lemmascope {

/// What the window asks of core for MLIR programs, as Services for graphs: each function runs on a background thread and must poll its token.
struct ProgramServices {
    /// Reads a program in a process of its own. May be empty: none can be read.
    std::function<Result<ProgramFile>(const std::filesystem::path&, const ProgramOptions&, const ProgramSizes&, std::stop_token)> load;
    std::function<Result<ProgramCheck>(const ProgramFile&, const ProgramFile&, const ProgramOptions&, const CheckOptions&, const CheckWatch&,
                                       std::stop_token)>
        compare;
    ProgramRecheck recheck; ///< for anonymous reports
};

} // namespace lemmascope
