#pragma once

#include <cstdint>
#include <vector>

namespace lemmascope {

/// A small graph for Graphviz' `dot`: boxes of fixed size, edges by box number. Pixels; y grows downwards in the answer.
struct DotRequest {
    struct Box {
        double width = 0.0;
        double height = 0.0;
    };
    struct Edge {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
    };
    std::vector<Box> boxes;
    std::vector<Edge> edges;
    unsigned timeoutMs = 10'000;
};

struct DotAnswer {
    struct Place {
        double x = 0.0; ///< centre
        double y = 0.0;
        std::uint32_t rank = 0;
    };
    std::vector<Place> boxes; ///< in request order
    double width = 0.0;
    double height = 0.0;
};

inline constexpr std::size_t MostDotBoxes = 300;
inline constexpr std::size_t MostDotEdges = 3'000;

} // namespace lemmascope
