#include "core/layout/dot_layout.h"

#include "core/worker/worker_pool.h"

#include <string>
#include <utility>

namespace lemmascope {

Result<Layout> layoutWithDot(WorkerPool& workers, const LayoutGraph& graph, std::stop_token stop) {
    if (graph.nodes.size() > MostDotBoxes || graph.edges.size() > MostDotEdges) // no need to send it
        return fail(ErrorCode::TooLarge, "layout: " + std::to_string(graph.nodes.size()) + " nodes and " + std::to_string(graph.edges.size()) +
                                             " edges; at most " + std::to_string(MostDotBoxes) + " and " + std::to_string(MostDotEdges) +
                                             " are drawn with dot");
    DotRequest request;
    for (const LayoutGraph::Node& node : graph.nodes)
        request.boxes.push_back({node.width, node.height});
    for (const LayoutGraph::Edge& edge : graph.edges)
        request.edges.push_back({edge.from, edge.to});
    const Result<DotAnswer> answer = workers.draw(request, std::move(stop));
    if (!answer)
        return tl::unexpected(answer.error());
    if (answer->boxes.size() != graph.nodes.size())
        return fail(ErrorCode::WorkerFailed,
                    "layout: dot placed " + std::to_string(answer->boxes.size()) + " boxes of " + std::to_string(graph.nodes.size()));
    Layout layout;
    layout.width = answer->width;
    layout.height = answer->height;
    for (const DotAnswer::Place& place : answer->boxes) {
        layout.nodes.push_back({place.x, place.y});
        layout.layers.push_back(place.rank);
    }
    for (const LayoutGraph::Edge& edge : graph.edges) {
        const LayoutPoint from = layout.nodes[edge.from], to = layout.nodes[edge.to];
        layout.edges.push_back({{from.x, from.y + graph.nodes[edge.from].height / 2}, {to.x, to.y - graph.nodes[edge.to].height / 2}});
        layout.stub.push_back(edge.from == edge.to);
    }
    return layout;
}

} // namespace lemmascope
