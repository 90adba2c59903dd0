#pragma once

namespace mlir {
class DialectRegistry;
}

namespace lemmascope::ir {

/// The dialects whose own syntax is read; ops of others are read in their generic form.
void registerDialects(mlir::DialectRegistry& registry);

} // namespace lemmascope::ir
