#pragma once

#include "ui/jobs/program_services.h"

namespace lemmascope {

/// The real ones: the process that reads MLIR, the interpreter, the ladder with its worker processes. They share one worker pool, which dies
/// with the last copy.
[[nodiscard]] ProgramServices realProgramServices();

} // namespace lemmascope
