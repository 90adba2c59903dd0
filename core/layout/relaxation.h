#pragma once

#include "core/layout/alignment.h"

#include <stop_token>
#include <vector>

namespace lemmascope {

/// x by layers: each layer in turn is placed, sweeping down and up a fixed number of times, where its distances to the
/// neighbours above (or below) have the least sum of squares under the spacing, exactly and in linear time (isotonic
/// regression by pooling adjacent violators). Nothing drifts, as a crowd spreads around its middle. Then vertices of each
/// of `blocks` that have room move onto one vertical line.
[[nodiscard]] std::vector<double> relaxedPlacement(const Spacing& spacing, const Blocks& blocks, const std::stop_token& stop);

} // namespace lemmascope
