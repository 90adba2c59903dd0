#pragma once

#include "core/graph/ops/infer_context.h"

namespace lemmascope {

/// Exporters compute the scales and sizes of a Resize in floats: result 0 becomes a constant where it is a small float tensor
/// computed from constants by arithmetic, rounding, casts and joins. Each step rounds to the result's type, as a CPU does.
void foldSmallFloats(InferContext& c);

} // namespace lemmascope
