#pragma once

#include "core/base/result.h"
#include "core/format/mlir/module.h"

#include <span>
#include <string>
#include <vector>

namespace lemmascope::ir {

/// The function to start in: `wanted` (with or without @), or for an empty name the only public one with a body. Fails with Usage,
/// BadData (there is none).
[[nodiscard]] Result<OperationId> findEntry(const Module& module, const std::string& wanted);
/// The functions with a body, the public ones first.
[[nodiscard]] std::vector<std::string> entryNames(const Module& module);
/// The operands of a function's first return.
[[nodiscard]] std::span<const ValueId> returnedValues(const Module& module, OperationId function);
/// `kernel` of `func.func @kernel`.
[[nodiscard]] std::string symbolOf(const Module& module, OperationId op);
/// True if `op` has a region with a block.
[[nodiscard]] bool hasBody(const Module& module, OperationId op);
/// The name of an argument without %: `arg2` where the file gives none.
[[nodiscard]] std::string argumentName(const Module& module, ValueId value);

} // namespace lemmascope::ir
