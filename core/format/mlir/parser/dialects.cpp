#include "core/format/mlir/parser/dialects.h"

#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/Operation.h>

namespace mlir {
class ImplicitLocOpBuilder;
}
#include <llvm/ADT/StringMap.h>
#include <mlir/Dialect/GPU/IR/GPUOpsEnums.h.inc>

// A dialect's class alone is enough to register it: the headers with its ops cost a minute of compiling each.
#include <mlir/Dialect/Affine/IR/AffineOpsDialect.h.inc>
#include <mlir/Dialect/Arith/IR/ArithOpsDialect.h.inc>
#include <mlir/Dialect/Async/IR/AsyncOpsDialect.h.inc>
#include <mlir/Dialect/Bufferization/IR/BufferizationOpsDialect.h.inc>
#include <mlir/Dialect/Complex/IR/ComplexOpsDialect.h.inc>
#include <mlir/Dialect/ControlFlow/IR/ControlFlowOpsDialect.h.inc>
#include <mlir/Dialect/Func/IR/FuncOpsDialect.h.inc>
#include <mlir/Dialect/GPU/IR/GPUOpsDialect.h.inc>
#include <mlir/Dialect/Index/IR/IndexOpsDialect.h.inc>
#include <mlir/Dialect/Linalg/IR/LinalgOpsDialect.h.inc>
#include <mlir/Dialect/Math/IR/MathOpsDialect.h.inc>
#include <mlir/Dialect/MemRef/IR/MemRefOpsDialect.h.inc>
#include <mlir/Dialect/SCF/IR/SCFOpsDialect.h.inc>
#include <mlir/Dialect/Tensor/IR/TensorOpsDialect.h.inc>
#include <mlir/Dialect/Tosa/IR/TosaOpsDialect.h.inc>
#include <mlir/Dialect/UB/IR/UBOpsDialect.h.inc>
#include <mlir/Dialect/Vector/IR/VectorDialect.h.inc>

namespace lemmascope::ir {

void registerDialects(mlir::DialectRegistry& registry) {
    registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect, mlir::async::AsyncDialect, mlir::bufferization::BufferizationDialect,
                    mlir::complex::ComplexDialect, mlir::cf::ControlFlowDialect, mlir::func::FuncDialect, mlir::gpu::GPUDialect,
                    mlir::index::IndexDialect, mlir::linalg::LinalgDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect,
                    mlir::scf::SCFDialect, mlir::tensor::TensorDialect, mlir::tosa::TosaDialect, mlir::ub::UBDialect, mlir::vector::VectorDialect>();
}

} // namespace lemmascope::ir
