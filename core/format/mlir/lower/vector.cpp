#include "core/format/mlir/lower/body.h"

namespace lemmascope::ir {

bool lowerVector(Body&, OperationId, std::string_view) { return false; }

} // namespace lemmascope::ir
