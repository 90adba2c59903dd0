#pragma once

#include "core/format/mlir/module.h"

namespace llvm {
class SourceMgr;
}

namespace mlir {
class AsmParserState;
class Block;
} // namespace mlir

namespace lemmascope::ir {

/// The ops of `top` as plain data. `names`: where the text wrote what, for the names of values and the places of ops; null for bytecode,
/// whose ops keep the places they carry.
[[nodiscard]] Module convert(mlir::Block& top, const mlir::AsmParserState* names, const llvm::SourceMgr& sources, unsigned firstLine);

} // namespace lemmascope::ir
