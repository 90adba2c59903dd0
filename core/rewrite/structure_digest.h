#pragma once

#include "core/base/digest.h"
#include "core/graph/graph.h"

namespace lemmascope::rewrite {

/// What the outputs compute, names of inner values aside: graphs with equal digests are the same computation, node for node but for sharing.
/// Large constants and nested graphs count as equal only where they are the same object. For telling that a rewriting goes round in circles.
[[nodiscard]] Digest128 structureDigest(const Graph& graph);

} // namespace lemmascope::rewrite
