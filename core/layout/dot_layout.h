#pragma once

#include "core/base/result.h"
#include "core/layout/layout.h"

#include <stop_token>

namespace lemmascope {

class WorkerPool;

/// Lays out a small graph with Graphviz' `dot` in a worker process, for the focus region: nicer than `layoutLayered`, in
/// 2 to 50 ms. Edges are straight lines from the source's bottom to the target's top; an edge of a node to itself is a
/// stub. `pulledDown` is not needed and ignored. The same graph gives the same layout.
/// Fails with TooLarge (over 300 nodes or 3,000 edges), BadData, Cancelled, WorkerFailed or NotFound (no worker).
[[nodiscard]] Result<Layout> layoutWithDot(WorkerPool& workers, const LayoutGraph& graph, std::stop_token stop);

} // namespace lemmascope
