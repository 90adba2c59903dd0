#include "core/format/mlir/parser/linalg_maps.h"

#include <mlir/Dialect/Linalg/IR/LinalgInterfaces.h>
#include <mlir/IR/BuiltinAttributes.h>

namespace lemmascope::ir {

void attachIndexingMaps(mlir::Block& top) {
    top.walk([](mlir::linalg::LinalgOp op) { op->setAttr(IndexingMapsName, op.getIndexingMaps()); });
}

} // namespace lemmascope::ir
