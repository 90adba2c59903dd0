#pragma once

#include "core/layout/ordering.h"

#include <stop_token>
#include <vector>

namespace lemmascope {

/// The x coordinate of each vertex's centre. Orders within layers are kept and neighbours in a layer are at least their
/// half widths and a gap apart. Four alignments (to upper or lower median neighbours, from the left or the right) are each
/// compacted and the mean of the two middle values is taken: Brandes and Koepf, "Fast and Simple Horizontal Coordinate
/// Assignment", Graph Drawing 2001. Long edges come out straight where none of them cross. Where that would be far wider
/// than the widest layer (dense graphs), layers are placed by least squares instead (relaxation.h). Linear. The leftmost
/// box starts at 0. `width` has one entry per vertex.
[[nodiscard]] std::vector<double> horizontalPlacement(const ProperGraph& graph, const std::vector<double>& width, double nodeGap, double virtualGap,
                                                      const std::stop_token& stop);

} // namespace lemmascope
