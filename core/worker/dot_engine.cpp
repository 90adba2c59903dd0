#include "core/worker/dot_engine.h"

#include <algorithm>
#include <memory>
#include <string>

#include <gvc.h>

namespace lemmascope {

namespace {

constexpr double PixelsPerInch = 72.0; ///< Graphviz answers in points; we take one point for one pixel
constexpr double LargestSize = 10'000.0;

struct GraphCloser {
    void operator()(Agraph_t* graph) const { agclose(graph); }
};
struct ContextCloser {
    void operator()(GVC_t* context) const { gvFreeContext(context); }
};
using GraphOwner = std::unique_ptr<Agraph_t, GraphCloser>;
using ContextOwner = std::unique_ptr<GVC_t, ContextCloser>;

/// cgraph takes names and values as mutable text but does not change them.
char* text(const char* constant) { return const_cast<char*>(constant); }

void setAttribute(void* object, const char* name, const std::string& value) { agsafeset(object, text(name), text(value.c_str()), text("")); }

/// In inches; thousandths of a point, written without a locale's decimal comma.
std::string inches(double pixels) {
    const auto thousandths = static_cast<long long>(pixels / PixelsPerInch * 1e6);
    std::string digits = std::to_string(thousandths);
    if (digits.size() < 7)
        digits.insert(0, 7 - digits.size(), '0');
    return digits.insert(digits.size() - 6, 1, '.');
}

Result<void> checkRequest(const DotRequest& request) {
    if (request.boxes.size() > MostDotBoxes || request.edges.size() > MostDotEdges)
        return fail(ErrorCode::TooLarge, "dot: " + std::to_string(request.boxes.size()) + " boxes and " + std::to_string(request.edges.size()) +
                                             " edges; at most " + std::to_string(MostDotBoxes) + " and " + std::to_string(MostDotEdges));
    for (const DotRequest::Box& box : request.boxes)
        if (!(box.width >= 0 && box.width <= LargestSize && box.height >= 0 && box.height <= LargestSize))
            return fail(ErrorCode::BadData, "dot: a box of " + std::to_string(box.width) + " x " + std::to_string(box.height) + " pixels");
    for (const DotRequest::Edge& edge : request.edges)
        if (edge.from >= request.boxes.size() || edge.to >= request.boxes.size())
            return fail(ErrorCode::BadData, "dot: an edge joins boxes " + std::to_string(edge.from) + " and " + std::to_string(edge.to) + " of " +
                                                std::to_string(request.boxes.size()));
    return {};
}

} // namespace

Result<DotAnswer> drawWithDot(const DotRequest& request) {
    if (Result<void> checked = checkRequest(request); !checked)
        return tl::unexpected(checked.error());
    DotAnswer answer;
    if (request.boxes.empty())
        return answer;

    const ContextOwner context(gvContext());
    const GraphOwner graph(agopen(text("focus"), Agdirected, nullptr));
    if (!context || !graph)
        return fail(ErrorCode::Internal, "dot: Graphviz cannot start");
    setAttribute(graph.get(), "rankdir", "TB");
    setAttribute(graph.get(), "nslimit", "1");
    setAttribute(graph.get(), "splines", "line");
    setAttribute(graph.get(), "nodesep", inches(24));
    setAttribute(graph.get(), "ranksep", inches(36));
    agattr(graph.get(), AGNODE, text("shape"), text("box"));
    agattr(graph.get(), AGNODE, text("fixedsize"), text("true"));
    agattr(graph.get(), AGNODE, text("label"), text(""));
    agattr(graph.get(), AGEDGE, text("tailport"), text("s"));
    agattr(graph.get(), AGEDGE, text("headport"), text("n"));

    std::vector<Agnode_t*> nodes;
    for (std::size_t i = 0; i < request.boxes.size(); ++i) {
        const std::string name = "n" + std::to_string(i);
        nodes.push_back(agnode(graph.get(), text(name.c_str()), 1));
        // A box without any extent is none to Graphviz.
        setAttribute(nodes.back(), "width", inches(std::max(1.0, request.boxes[i].width)));
        setAttribute(nodes.back(), "height", inches(std::max(1.0, request.boxes[i].height)));
    }
    for (std::size_t e = 0; e < request.edges.size(); ++e) {
        const std::string name = "e" + std::to_string(e);
        if (request.edges[e].from != request.edges[e].to)
            agedge(graph.get(), nodes[request.edges[e].from], nodes[request.edges[e].to], text(name.c_str()), 1);
    }
    if (gvLayout(context.get(), graph.get(), "dot") != 0)
        return fail(ErrorCode::Internal, "dot: Graphviz found no layout");
    const boxf bounds = GD_bb(graph.get());
    answer.width = bounds.UR.x - bounds.LL.x;
    answer.height = bounds.UR.y - bounds.LL.y;
    for (Agnode_t* node : nodes) {
        const pointf centre = ND_coord(node);
        answer.boxes.push_back({centre.x - bounds.LL.x, bounds.UR.y - centre.y, static_cast<std::uint32_t>(ND_rank(node))});
    }
    gvFreeLayout(context.get(), graph.get());
    return answer;
}

} // namespace lemmascope
