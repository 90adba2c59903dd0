#include "core/layout/routing.h"

#include <algorithm>
#include <tuple>

namespace lemmascope {

namespace {

constexpr double PortMargin = 8.0;       ///< no port nearer to a corner than this
constexpr std::uint32_t MostTracks = 16; ///< a channel with more overlapping pieces than this reuses tracks

/// Lower ends of the segments into one box.
void choosePorts(const ProperGraph& graph, std::uint32_t vertex, double centre, double width, std::vector<ProperGraph::Link>& links,
                 std::vector<SegmentRoute>& segments) {
    const double reach = std::max(0.0, width / 2 - PortMargin);
    const double left = centre - reach, right = centre + reach;
    const std::span<const ProperGraph::Link> above = graph.above(vertex);
    links.assign(above.begin(), above.end());
    std::ranges::stable_sort(links, [&](const ProperGraph::Link& a, const ProperGraph::Link& b) {
        return std::tuple(segments[a.segment].upperX, a.segment) < std::tuple(segments[b.segment].upperX, b.segment);
    });
    const auto upperX = [&](std::size_t i) { return segments[links[i].segment].upperX; };
    std::size_t begin = 0, end = links.size();
    while (begin < end && upperX(begin) < left)
        ++begin;
    while (end > begin && upperX(end - 1) > right)
        --end;
    // [begin, end) come straight down; the others share the room that is left on their side.
    const double innerLeft = begin < end ? upperX(begin) : centre, innerRight = begin < end ? upperX(end - 1) : centre;
    const std::size_t onRight = links.size() - end;
    for (std::size_t i = begin; i < end; ++i)
        segments[links[i].segment].lowerX = upperX(i);
    if (begin == end && links.size() == 1) {
        segments[links[0].segment].lowerX = centre;
        return;
    }
    for (std::size_t i = 0; i < begin; ++i)
        segments[links[i].segment].lowerX = left + (innerLeft - left) * static_cast<double>(i + 1) / static_cast<double>(begin + 1);
    for (std::size_t i = 0; i < onRight; ++i)
        segments[links[end + i].segment].lowerX = innerRight + (right - innerRight) * static_cast<double>(i + 1) / static_cast<double>(onRight + 1);
}

/// The horizontal pieces that start at one upper vertex, together.
struct Piece {
    double left = 0.0;
    double right = 0.0;
    std::uint32_t vertex = 0;
};

} // namespace

Routes routeSegments(const ProperGraph& graph, const std::vector<double>& x, const std::vector<double>& width) {
    Routes routes;
    routes.segments.resize(graph.segmentCount);
    routes.channels.resize(graph.layers.size());
    for (std::uint32_t v = 0; v < graph.vertexCount(); ++v)
        for (const ProperGraph::Link& link : graph.below(v))
            routes.segments[link.segment].upperX = x[v];
    std::vector<ProperGraph::Link> links;
    for (std::uint32_t v = 0; v < graph.vertexCount(); ++v)
        choosePorts(graph, v, x[v], width[v], links, routes.segments);

    std::vector<Piece> pieces;
    std::vector<double> trackEnds; // right end of the last piece on each track
    for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
        pieces.clear();
        trackEnds.clear();
        for (const std::uint32_t vertex : graph.layers[layer]) {
            Piece piece{x[vertex], x[vertex], vertex};
            bool bends = false;
            for (const ProperGraph::Link& link : graph.below(vertex)) {
                const SegmentRoute& route = routes.segments[link.segment];
                bends = bends || route.upperX != route.lowerX;
                piece.left = std::min(piece.left, route.lowerX);
                piece.right = std::max(piece.right, route.lowerX);
            }
            if (bends)
                pieces.push_back(piece);
        }
        std::ranges::stable_sort(pieces, {}, &Piece::left);
        for (const Piece& piece : pieces) {
            std::uint32_t track = 0;
            while (track < trackEnds.size() && trackEnds[track] + 1.0 > piece.left)
                ++track;
            if (track == MostTracks)
                track = piece.vertex % MostTracks;
            if (track == trackEnds.size())
                trackEnds.push_back(piece.right);
            else
                trackEnds[track] = std::max(trackEnds[track], piece.right);
            for (const ProperGraph::Link& link : graph.below(piece.vertex))
                routes.segments[link.segment].track = track;
        }
        routes.channels[layer].trackCount = static_cast<std::uint32_t>(trackEnds.size());
    }
    return routes;
}

} // namespace lemmascope
