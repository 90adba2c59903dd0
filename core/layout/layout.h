#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace lemmascope {

/// What to lay out: boxes with sizes and edges between them. Units are pixels at 100 % zoom; y grows downwards.
struct LayoutGraph {
    struct Node {
        double width = 120.0;
        double height = 36.0;
        std::uint32_t partner = 0xFFFFFFFFU; ///< node of the other side to stand level with; joint layout only
        bool pulledDown = false;             ///< a constant or input drawn right above its first reader
        /// Where it stood from left to right in an earlier picture: nodes of one layer that have such a place keep their order.
        /// NaN: it is new.
        double place = std::numeric_limits<double>::quiet_NaN();
    };
    struct Edge {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        bool brokenOff = false; ///< orders its ends, but is a stub: a value that very many nodes read
    };
    std::vector<Node> nodes;
    std::vector<Edge> edges;
};

struct LayoutPoint {
    double x = 0.0;
    double y = 0.0;
    friend bool operator==(const LayoutPoint&, const LayoutPoint&) = default;
};

/// Coordinates: node centres in node order, edges as polylines (first point at the source's bottom, last at the target's top)
/// in edge order. An edge that spans too many layers is a stub: its two ends only, `stub[edge]` set.
struct Layout {
    std::vector<LayoutPoint> nodes;
    std::vector<std::uint32_t> layers; ///< by node, from 0 at the top
    std::vector<std::vector<LayoutPoint>> edges;
    std::vector<bool> stub;
    double width = 0.0;
    double height = 0.0;
    friend bool operator==(const Layout&, const Layout&) = default;
};

/// Both sides laid out together: partners share a layer (same y), and a side without a partner in a layer leaves a gap.
struct JointLayout {
    Layout reference;
    Layout rewritten;
};

} // namespace lemmascope
