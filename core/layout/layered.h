#pragma once

#include "core/base/result.h"
#include "core/layout/layout.h"

#include <stop_token>

namespace lemmascope {

/// Lays out a graph of any size in time linear in nodes and edges (up to sorting within a layer): longest-path layers,
/// a fixed number of barycentre sweeps that start from input order, coordinates after Brandes and Koepf, right-angled
/// edges. The same input gives the same layout. Cycles are cut at the edges a depth-first walk finds closing them;
/// those edges, edges of a node to itself and edges spanning more than 30 layers come back as stubs.
/// Fails with BadData (an edge names a node that does not exist, a size is negative or not finite), TooLarge (over
/// 4 million nodes or 16 million edges), Cancelled.
[[nodiscard]] Result<Layout> layoutLayered(const LayoutGraph& graph, std::stop_token stop);

/// Lays out two graphs side by side in the same layers: partners (`LayoutGraph::Node::partner`) stand level. Layers come
/// from one graph in which partners are one node; where the two sides order their nodes differently, so that partners
/// cannot all be level, the ones displaced most lose their partner. Both layouts have the same height.
/// A partnership holds when both sides name each other, or one names the other and that one names nobody. Fails as above.
[[nodiscard]] Result<JointLayout> layoutJoint(const LayoutGraph& reference, const LayoutGraph& rewritten, std::stop_token stop);

} // namespace lemmascope
