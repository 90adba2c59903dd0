#pragma once

#include "core/base/result.h"
#include "core/worker/dot_request.h"

namespace lemmascope {

/// Runs Graphviz' `dot` in this process; worker side only, as it is neither thread-safe nor stoppable. The same request
/// gives the same answer. Fails with TooLarge (over 300 boxes or 3,000 edges), BadData (an edge without its box, a
/// size not between 0 and 10,000), Internal (Graphviz refuses).
[[nodiscard]] Result<DotAnswer> drawWithDot(const DotRequest& request);

} // namespace lemmascope
