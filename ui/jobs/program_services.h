#pragma once

#include "core/base/result.h"
#include "core/interp/compare.h"
#include "core/prove/check.h"
#include "ui/jobs/services.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace lemmascope {

/// An MLIR program as read.
struct ProgramFile {
    std::string text; ///< empty: bytecode, which has no lines to show
    std::shared_ptr<const interp::Program> program;
};

/// What the window asks of core for MLIR programs, as Services for graphs: each function runs on a background thread and must poll its token.
struct ProgramServices {
    /// Reads a program in a process of its own. The sizes in the options count. May be empty: none can be read.
    std::function<Result<ProgramFile>(const std::filesystem::path&, const CheckOptions&, std::stop_token)> load;
    std::function<Result<interp::ProgramComparison>(std::shared_ptr<const interp::Program>, std::shared_ptr<const interp::Program>,
                                                    const CheckOptions&, const CheckWatch&, std::stop_token)>
        compare;
};

} // namespace lemmascope
