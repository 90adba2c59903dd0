#pragma once

#include "core/format/mlir/lower.h"

#include <string>
#include <vector>

/// Runs a program on numbers (`1 2 | 3`, by argument): what it leaves, `result0: 1 2 | A: 3 4`, or how it ended (`fault: ...`).
[[nodiscard]] std::string runText(const std::string& source, const std::string& inputs, const lemmascope::ir::LowerOptions& lowering = {});
/// Numbers of `1 2 | 3`, by argument.
[[nodiscard]] std::vector<std::vector<double>> numbersOf(const std::string& text);
