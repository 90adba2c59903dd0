#include "core/layout/layered.h"

#include "core/layout/layering.h"
#include "core/layout/ordering.h"
#include "core/layout/placement.h"
#include "core/layout/routing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>

namespace lemmascope {

namespace {

constexpr std::uint32_t LongestSpan = 30;
constexpr std::size_t MostNodes = 4'000'000, MostEdges = 16'000'000;
constexpr double NodeGap = 24.0, VirtualGap = 12.0;
constexpr double LayerGap = 28.0;  ///< between boxes of neighbouring layers where no edge bends
constexpr double TrackPitch = 8.0; ///< between horizontal pieces of edges
constexpr double VirtualWidth = 1.0;

Result<void> checkGraph(const LayoutGraph& graph) {
    if (graph.nodes.size() > MostNodes || graph.edges.size() > MostEdges)
        return fail(ErrorCode::TooLarge, "layout: " + std::to_string(graph.nodes.size()) + " nodes and " + std::to_string(graph.edges.size()) +
                                             " edges; at most " + std::to_string(MostNodes) + " and " + std::to_string(MostEdges) + " can be drawn");
    for (std::size_t v = 0; v < graph.nodes.size(); ++v) {
        const LayoutGraph::Node& node = graph.nodes[v];
        constexpr double Largest = 1e6;
        if (!(node.width >= 0 && node.width <= Largest && node.height >= 0 && node.height <= Largest))
            return fail(ErrorCode::BadData, "layout: node " + std::to_string(v) + " has size " + std::to_string(node.width) + " x " +
                                                std::to_string(node.height) + ", expected 0 to 1000000");
    }
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
        if (graph.edges[e].from >= graph.nodes.size() || graph.edges[e].to >= graph.nodes.size())
            return fail(ErrorCode::BadData, "layout: edge " + std::to_string(e) + " joins nodes " + std::to_string(graph.edges[e].from) + " and " +
                                                std::to_string(graph.edges[e].to) + " of " + std::to_string(graph.nodes.size()));
    return {};
}

/// One side with everything but its y coordinates.
struct Side {
    ProperGraph proper;
    std::vector<double> x;
    Routes routes;
};

/// Heights shared by the sides that are drawn together: tallest box of each layer, bends below each layer.
struct Rows {
    std::vector<double> centre; ///< by layer
    std::vector<double> bottom; ///< by layer
    double height = 0.0;
};

/// `startOrder`: x of nodes whose order is to be kept where it does no harm, NaN elsewhere; empty: input order. Where nodes have a
/// place of their own (LayoutGraph::Node::place), their order is kept whatever it costs.
Side makeSide(const LayoutGraph& graph, const std::vector<std::uint32_t>& layer, std::uint32_t layerCount, const std::vector<bool>& skipped,
              const std::vector<double>& startOrder, const std::stop_token& stop) {
    Side side;
    std::vector<bool> stubs = skipped;
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
        if (graph.edges[e].brokenOff)
            stubs[e] = true;
    side.proper = properGraph(graph, layer, layerCount, stubs, LongestSpan);
    std::vector<bool> held;
    if (std::ranges::any_of(graph.nodes, [](const LayoutGraph::Node& node) { return !std::isnan(node.place); })) {
        std::vector<double> places;
        for (const LayoutGraph::Node& node : graph.nodes) {
            places.push_back(node.place);
            held.push_back(!std::isnan(node.place));
        }
        orderByKeys(side.proper, places);
    } else if (!startOrder.empty()) {
        orderByKeys(side.proper, startOrder);
    }
    reduceCrossings(side.proper, held, stop);
    std::vector<double> width(side.proper.vertexCount(), VirtualWidth);
    for (std::size_t v = 0; v < graph.nodes.size(); ++v)
        width[v] = graph.nodes[v].width;
    side.x = horizontalPlacement(side.proper, width, NodeGap, VirtualGap, stop);
    if (!stop.stop_requested())
        side.routes = routeSegments(side.proper, side.x, width);
    return side;
}

Rows makeRows(std::span<const LayoutGraph* const> graphs, std::span<const Side* const> sides, std::uint32_t layerCount) {
    std::vector<double> boxHeight(layerCount, 0.0);
    std::vector<std::uint32_t> tracks(layerCount, 0);
    for (std::size_t s = 0; s < sides.size(); ++s) {
        for (std::size_t v = 0; v < graphs[s]->nodes.size(); ++v) {
            double& tallest = boxHeight[sides[s]->proper.layer[v]];
            tallest = std::max(tallest, graphs[s]->nodes[v].height);
        }
        for (std::uint32_t layer = 0; layer < layerCount; ++layer)
            tracks[layer] = std::max(tracks[layer], sides[s]->routes.channels[layer].trackCount);
    }
    Rows rows;
    double y = 0.0;
    for (std::uint32_t layer = 0; layer < layerCount; ++layer) {
        rows.centre.push_back(y + boxHeight[layer] / 2);
        rows.bottom.push_back(y + boxHeight[layer]);
        rows.height = rows.bottom.back();
        y = rows.height + LayerGap + TrackPitch * static_cast<double>(tracks[layer]);
    }
    return rows;
}

Layout finish(const LayoutGraph& graph, const Side& side, const Rows& rows) {
    const ProperGraph& proper = side.proper;
    Layout layout;
    layout.height = rows.height;
    layout.layers.assign(proper.layer.begin(), proper.layer.begin() + static_cast<std::ptrdiff_t>(graph.nodes.size()));
    layout.nodes.reserve(graph.nodes.size());
    for (std::size_t v = 0; v < graph.nodes.size(); ++v) {
        layout.nodes.push_back({side.x[v], rows.centre[proper.layer[v]]});
        layout.width = std::max(layout.width, side.x[v] + graph.nodes[v].width / 2);
    }
    for (const double x : side.x)
        layout.width = std::max(layout.width, x);

    layout.stub = proper.stub;
    layout.edges.resize(graph.edges.size());
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        const std::uint32_t from = graph.edges[e].from, to = graph.edges[e].to;
        std::vector<LayoutPoint>& line = layout.edges[e];
        const double bottom = layout.nodes[from].y + graph.nodes[from].height / 2;
        const double top = layout.nodes[to].y - graph.nodes[to].height / 2;
        if (proper.stub[e]) {
            line = {{layout.nodes[from].x, bottom}, {layout.nodes[to].x, top}};
            continue;
        }
        line.push_back({side.x[from], bottom});
        for (std::uint32_t layer = proper.layer[from]; layer < proper.layer[to]; ++layer) {
            const SegmentRoute& route = side.routes.segments[proper.firstSegment[e] + (layer - proper.layer[from])];
            if (route.upperX == route.lowerX)
                continue;
            const double y = rows.bottom[layer] + LayerGap / 2 + TrackPitch * (static_cast<double>(route.track) + 0.5);
            line.push_back({route.upperX, y});
            line.push_back({route.lowerX, y});
        }
        line.push_back({side.routes.segments[proper.firstSegment[e] + (proper.layer[to] - proper.layer[from] - 1)].lowerX, top});
    }
    return layout;
}

std::uint32_t countLayers(const std::vector<std::uint32_t>& layer) { return layer.empty() ? 0 : *std::ranges::max_element(layer) + 1; }

} // namespace

Result<Layout> layoutLayered(const LayoutGraph& graph, std::stop_token stop) {
    if (Result<void> checked = checkGraph(graph); !checked)
        return tl::unexpected(checked.error());
    const std::vector<bool> skipped = cycleClosingEdges(graph.nodes.size(), graph.edges);
    std::vector<bool> pulledDown;
    for (const LayoutGraph::Node& node : graph.nodes)
        pulledDown.push_back(node.pulledDown);
    const std::vector<std::uint32_t> layer = longestPathLayers(pulledDown, graph.edges, skipped);
    const std::uint32_t layerCount = countLayers(layer);
    const Side side = makeSide(graph, layer, layerCount, skipped, {}, stop);
    if (stop.stop_requested())
        return fail(ErrorCode::Cancelled, "layout: stopped");
    const std::array graphs{&graph};
    const std::array sides{&side};
    return finish(graph, side, makeRows(graphs, sides, layerCount));
}

Result<JointLayout> layoutJoint(const LayoutGraph& reference, const LayoutGraph& rewritten, std::stop_token stop) {
    for (const LayoutGraph* graph : {&reference, &rewritten})
        if (Result<void> checked = checkGraph(*graph); !checked)
            return tl::unexpected(checked.error());
    const std::vector<bool> referenceSkipped = cycleClosingEdges(reference.nodes.size(), reference.edges);
    const std::vector<bool> rewrittenSkipped = cycleClosingEdges(rewritten.nodes.size(), rewritten.edges);
    const JointLayers layers = jointLayers(reference, referenceSkipped, rewritten, rewrittenSkipped, stop);
    if (stop.stop_requested())
        return fail(ErrorCode::Cancelled, "layout: stopped");
    const std::uint32_t layerCount = std::max(countLayers(layers.reference), countLayers(layers.rewritten));
    const Side left = makeSide(reference, layers.reference, layerCount, referenceSkipped, {}, stop);
    // Partners keep their order across, however differently the files list their nodes.
    std::vector<double> startOrder(rewritten.nodes.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t r = 0; r < reference.nodes.size(); ++r)
        if (layers.partnerOfReference[r])
            startOrder[*layers.partnerOfReference[r]] = left.x[r];
    const Side right = makeSide(rewritten, layers.rewritten, layerCount, rewrittenSkipped, startOrder, stop);
    if (stop.stop_requested())
        return fail(ErrorCode::Cancelled, "layout: stopped");
    const std::array graphs{&reference, &rewritten};
    const std::array sides{&left, &right};
    const Rows rows = makeRows(graphs, sides, layerCount);
    return JointLayout{finish(reference, left, rows), finish(rewritten, right, rows)};
}

} // namespace lemmascope
