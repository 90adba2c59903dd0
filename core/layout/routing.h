#pragma once

#include "core/layout/ordering.h"

#include <vector>

namespace lemmascope {

/// The right-angled bends of all edges between two neighbouring layers. Horizontal pieces whose ranges overlap run on
/// different tracks, so that they can be told apart; pieces of one upper vertex share a track, as they carry one value.
struct Channel {
    std::uint32_t trackCount = 0; ///< 0 where every segment is vertical
};

/// x of each segment's upper and lower end, and its track (where the two differ).
struct SegmentRoute {
    double upperX = 0.0;
    double lowerX = 0.0;
    std::uint32_t track = 0;
};

struct Routes {
    std::vector<SegmentRoute> segments; ///< by segment
    std::vector<Channel> channels;      ///< by upper layer
};

/// Chooses where edges leave and reach boxes and the tracks of their bends. A segment from right above a box runs
/// straight down into it; the others of that box spread over its edge in the order they come in.
[[nodiscard]] Routes routeSegments(const ProperGraph& graph, const std::vector<double>& x, const std::vector<double>& width);

} // namespace lemmascope
