#pragma once

#include "ui/jobs/program_services.h"

#include <memory>

namespace lemmascope {

struct Engines;

/// The real ones: the process that reads MLIR, the interpreter, the ladder with its worker processes.
[[nodiscard]] ProgramServices realProgramServices(const std::shared_ptr<Engines>& engines);

} // namespace lemmascope
