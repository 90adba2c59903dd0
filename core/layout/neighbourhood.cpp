#include "core/layout/neighbourhood.h"

#include "core/layout/layering.h"

#include <algorithm>
#include <string>

namespace lemmascope {

Result<Neighbourhood> neighbourhood(const LayoutGraph& whole, std::span<const std::uint32_t> focus, unsigned hops, std::size_t mostNodes) {
    constexpr std::uint32_t Hidden = 0xFFFFFFFFU;
    const std::size_t nodeCount = whole.nodes.size();
    for (const LayoutGraph::Edge& edge : whole.edges)
        if (edge.from >= nodeCount || edge.to >= nodeCount)
            return fail(ErrorCode::BadData, "neighbourhood: an edge joins nodes " + std::to_string(edge.from) + " and " + std::to_string(edge.to) +
                                                " of " + std::to_string(nodeCount));
    for (const std::uint32_t node : focus)
        if (node >= nodeCount)
            return fail(ErrorCode::BadData, "neighbourhood: node " + std::to_string(node) + " of " + std::to_string(nodeCount));

    const EdgesByNode outgoing = edgesByNode(nodeCount, whole.edges, {}, EdgeEnd::From);
    const EdgesByNode incoming = edgesByNode(nodeCount, whole.edges, {}, EdgeEnd::To);
    Neighbourhood part;
    std::vector<std::uint32_t> distance(nodeCount, Hidden);
    std::size_t shown = 0;
    std::vector<std::uint32_t> ring(focus.begin(), focus.end()), next;
    for (unsigned hop = 0;; ++hop) {
        std::ranges::sort(ring);
        ring.erase(std::ranges::unique(ring).begin(), ring.end());
        next.clear();
        for (const std::uint32_t node : ring) {
            if (distance[node] != Hidden)
                continue;
            if (shown == mostNodes) {
                part.limited = true;
                break;
            }
            distance[node] = hop;
            ++shown;
            if (hop > 0 && whole.nodes[node].pulledDown)
                continue;
            for (const std::uint32_t edge : incoming.of(node))
                next.push_back(whole.edges[edge].from);
            for (const std::uint32_t edge : outgoing.of(node))
                next.push_back(whole.edges[edge].to);
        }
        if (hop == hops || part.limited || next.empty())
            break;
        std::swap(ring, next);
    }

    std::vector<std::uint32_t> place(nodeCount, Hidden);
    for (std::uint32_t node = 0; node < nodeCount; ++node) {
        if (distance[node] == Hidden)
            continue;
        place[node] = static_cast<std::uint32_t>(part.nodes.size());
        part.nodes.push_back(node);
        part.hops.push_back(distance[node]);
        part.graph.nodes.push_back(whole.nodes[node]);
        part.graph.nodes.back().partner = Hidden;
    }
    part.boundary.resize(part.nodes.size());
    part.hiddenNodes = nodeCount - part.nodes.size();
    for (std::uint32_t e = 0; e < whole.edges.size(); ++e) {
        const std::uint32_t from = place[whole.edges[e].from], to = place[whole.edges[e].to];
        if (from != Hidden && to != Hidden) {
            part.graph.edges.push_back({from, to});
            part.edges.push_back(e);
        } else if (from != Hidden) {
            ++part.boundary[from].hiddenTargets;
        } else if (to != Hidden) {
            ++part.boundary[to].hiddenSources;
        }
    }
    return part;
}

} // namespace lemmascope
