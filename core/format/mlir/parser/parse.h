#pragma once

#include "core/base/result.h"
#include "core/format/mlir/module.h"
#include "core/format/mlir/module_wire.h"

namespace lemmascope::ir {

/// Parses and verifies with libMLIR. To be called on a thread with a large stack: libMLIR's parser goes down one call for each
/// level of nesting. Fails with BadData: the first of libMLIR's messages, with its place.
[[nodiscard]] Result<Module> parse(const ParseRequest& request);

} // namespace lemmascope::ir
