#include "core/layout/layering.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace lemmascope {

namespace {

constexpr std::uint32_t None = 0xFFFFFFFFU;

bool isSkipped(const std::vector<bool>& skipped, std::size_t edge) { return !skipped.empty() && skipped[edge]; }

/// Strongly connected components (Tarjan), numbered from 0; nodes of no cycle are alone in theirs.
std::vector<std::uint32_t> components(std::size_t nodeCount, std::span<const LayoutGraph::Edge> edges, const EdgesByNode& outgoing) {
    std::vector<std::uint32_t> index(nodeCount, None), low(nodeCount, 0), component(nodeCount, None);
    std::vector<std::uint32_t> open; // nodes whose component is not complete
    struct Frame {
        std::uint32_t node;
        std::uint32_t next; // position in outgoing.edges
    };
    std::vector<Frame> stack;
    std::uint32_t visited = 0, componentCount = 0;
    for (std::uint32_t root = 0; root < nodeCount; ++root) {
        if (index[root] != None)
            continue;
        stack.push_back({root, outgoing.start[root]});
        index[root] = low[root] = visited++;
        open.push_back(root);
        while (!stack.empty()) {
            Frame& frame = stack.back();
            const std::uint32_t node = frame.node;
            if (frame.next < outgoing.start[node + 1]) {
                const std::uint32_t target = edges[outgoing.edges[frame.next++]].to;
                if (index[target] == None) {
                    index[target] = low[target] = visited++;
                    open.push_back(target);
                    stack.push_back({target, outgoing.start[target]});
                } else if (component[target] == None) {
                    low[node] = std::min(low[node], index[target]);
                }
                continue;
            }
            stack.pop_back();
            if (!stack.empty())
                low[stack.back().node] = std::min(low[stack.back().node], low[node]);
            if (low[node] == index[node]) {
                while (component[node] == None) {
                    component[open.back()] = componentCount;
                    open.pop_back();
                }
                ++componentCount;
            }
        }
    }
    return component;
}

/// Partners that both sides agree on, one to one.
std::vector<std::optional<std::uint32_t>> agreedPartners(const LayoutGraph& reference, const LayoutGraph& rewritten) {
    std::vector<std::optional<std::uint32_t>> partner(reference.nodes.size());
    std::vector<bool> taken(rewritten.nodes.size(), false);
    const auto pair = [&](std::uint32_t r, std::uint32_t w) {
        if (!partner[r] && !taken[w]) {
            partner[r] = w;
            taken[w] = true;
        }
    };
    for (std::uint32_t r = 0; r < reference.nodes.size(); ++r)
        if (const std::uint32_t w = reference.nodes[r].partner; w < rewritten.nodes.size() && rewritten.nodes[w].partner == r)
            pair(r, w);
    for (std::uint32_t r = 0; r < reference.nodes.size(); ++r)
        if (const std::uint32_t w = reference.nodes[r].partner; w < rewritten.nodes.size() && rewritten.nodes[w].partner == None)
            pair(r, w);
    for (std::uint32_t w = 0; w < rewritten.nodes.size(); ++w)
        if (const std::uint32_t r = rewritten.nodes[w].partner; r < reference.nodes.size() && reference.nodes[r].partner == None)
            pair(r, w);
    return partner;
}

/// Both graphs as one in which partners are a single node. Reference nodes keep their number.
struct Merged {
    std::vector<std::uint32_t> ofRewritten;
    std::vector<bool> pulledDown;
    std::vector<LayoutGraph::Edge> edges; // without the skipped ones
};

Merged merge(const LayoutGraph& reference, const std::vector<bool>& referenceSkipped, const LayoutGraph& rewritten,
             const std::vector<bool>& rewrittenSkipped, const std::vector<std::optional<std::uint32_t>>& partner) {
    Merged merged;
    merged.ofRewritten.assign(rewritten.nodes.size(), None);
    merged.pulledDown.reserve(reference.nodes.size() + rewritten.nodes.size());
    for (std::uint32_t r = 0; r < reference.nodes.size(); ++r) {
        bool pulled = reference.nodes[r].pulledDown;
        if (partner[r]) {
            merged.ofRewritten[*partner[r]] = r;
            pulled = pulled && rewritten.nodes[*partner[r]].pulledDown;
        }
        merged.pulledDown.push_back(pulled);
    }
    for (std::uint32_t w = 0; w < rewritten.nodes.size(); ++w) {
        if (merged.ofRewritten[w] != None)
            continue;
        merged.ofRewritten[w] = static_cast<std::uint32_t>(merged.pulledDown.size());
        merged.pulledDown.push_back(rewritten.nodes[w].pulledDown);
    }
    merged.edges.reserve(reference.edges.size() + rewritten.edges.size());
    for (std::size_t e = 0; e < reference.edges.size(); ++e)
        if (!referenceSkipped[e])
            merged.edges.push_back(reference.edges[e]);
    for (std::size_t e = 0; e < rewritten.edges.size(); ++e)
        if (!rewrittenSkipped[e])
            merged.edges.push_back({merged.ofRewritten[rewritten.edges[e].from], merged.ofRewritten[rewritten.edges[e].to]});
    return merged;
}

/// A partnership on a cycle of the merged graph: how far its nodes' own layers differ beyond what is usual there.
struct Displaced {
    std::uint32_t component;
    std::uint32_t reference;
    std::int64_t shift;
};

/// Drops the most displaced partners of every cycle. Returns false when there was no cycle.
bool dropDisplaced(const Merged& merged, const std::vector<std::uint32_t>& referenceLayers, const std::vector<std::uint32_t>& rewrittenLayers,
                   bool all, std::vector<std::optional<std::uint32_t>>& partner) {
    const std::size_t nodeCount = merged.pulledDown.size();
    const std::vector<std::uint32_t> component = components(nodeCount, merged.edges, edgesByNode(nodeCount, merged.edges, {}, EdgeEnd::From));
    std::vector<std::uint32_t> size(nodeCount, 0);
    for (const std::uint32_t c : component)
        ++size[c];
    // An edge between partners merged into one node is a cycle of one.
    std::vector<bool> selfEdge(nodeCount, false);
    for (const LayoutGraph::Edge& edge : merged.edges)
        if (edge.from == edge.to)
            selfEdge[edge.from] = true;

    std::vector<Displaced> displaced;
    for (std::uint32_t r = 0; r < partner.size(); ++r)
        if (partner[r] && (size[component[r]] > 1 || selfEdge[r]))
            displaced.push_back(
                {component[r], r, static_cast<std::int64_t>(rewrittenLayers[*partner[r]]) - static_cast<std::int64_t>(referenceLayers[r])});
    if (displaced.empty())
        return false;
    std::ranges::sort(displaced, [](const Displaced& a, const Displaced& b) {
        return std::tuple(a.component, a.shift, a.reference) < std::tuple(b.component, b.shift, b.reference);
    });
    for (std::size_t begin = 0; begin < displaced.size();) {
        std::size_t end = begin;
        while (end < displaced.size() && displaced[end].component == displaced[begin].component)
            ++end;
        const std::int64_t median = displaced[begin + (end - begin) / 2].shift;
        const std::int64_t worst = std::max(median - displaced[begin].shift, displaced[end - 1].shift - median);
        for (std::size_t i = begin; i < end; ++i)
            if (all || 2 * std::abs(displaced[i].shift - median) >= worst)
                partner[displaced[i].reference].reset();
        begin = end;
    }
    return true;
}

std::vector<bool> pulledDownNodes(const LayoutGraph& graph) {
    std::vector<bool> pulled;
    pulled.reserve(graph.nodes.size());
    for (const LayoutGraph::Node& node : graph.nodes)
        pulled.push_back(node.pulledDown);
    return pulled;
}

} // namespace

EdgesByNode edgesByNode(std::size_t nodeCount, std::span<const LayoutGraph::Edge> edges, const std::vector<bool>& skipped, EdgeEnd end) {
    const auto endOf = [end](const LayoutGraph::Edge& edge) { return end == EdgeEnd::From ? edge.from : edge.to; };
    EdgesByNode grouped;
    grouped.start.assign(nodeCount + 1, 0);
    for (std::size_t e = 0; e < edges.size(); ++e)
        if (!isSkipped(skipped, e))
            ++grouped.start[endOf(edges[e]) + 1];
    for (std::size_t v = 0; v < nodeCount; ++v)
        grouped.start[v + 1] += grouped.start[v];
    grouped.edges.resize(grouped.start[nodeCount]);
    std::vector<std::uint32_t> next(grouped.start.begin(), grouped.start.end() - 1);
    for (std::size_t e = 0; e < edges.size(); ++e)
        if (!isSkipped(skipped, e))
            grouped.edges[next[endOf(edges[e])]++] = static_cast<std::uint32_t>(e);
    return grouped;
}

std::vector<bool> cycleClosingEdges(std::size_t nodeCount, std::span<const LayoutGraph::Edge> edges) {
    const EdgesByNode outgoing = edgesByNode(nodeCount, edges, {}, EdgeEnd::From);
    std::vector<bool> closing(edges.size(), false), hasIncoming(nodeCount, false);
    for (const LayoutGraph::Edge& edge : edges)
        hasIncoming[edge.to] = true;
    enum class State : std::uint8_t { New, Open, Done };
    std::vector<State> state(nodeCount, State::New);
    struct Frame {
        std::uint32_t node;
        std::uint32_t next;
    };
    std::vector<Frame> stack;
    const auto walkFrom = [&](std::uint32_t root) {
        if (state[root] != State::New)
            return;
        state[root] = State::Open;
        stack.push_back({root, outgoing.start[root]});
        while (!stack.empty()) {
            Frame& frame = stack.back();
            if (frame.next == outgoing.start[frame.node + 1]) {
                state[frame.node] = State::Done;
                stack.pop_back();
                continue;
            }
            const std::uint32_t edge = outgoing.edges[frame.next++];
            const std::uint32_t target = edges[edge].to;
            if (state[target] == State::Open) {
                closing[edge] = true;
            } else if (state[target] == State::New) {
                state[target] = State::Open;
                stack.push_back({target, outgoing.start[target]});
            }
        }
    };
    for (std::uint32_t v = 0; v < nodeCount; ++v)
        if (!hasIncoming[v])
            walkFrom(v);
    for (std::uint32_t v = 0; v < nodeCount; ++v)
        walkFrom(v);
    return closing;
}

std::vector<std::uint32_t> longestPathLayers(const std::vector<bool>& pulledDown, std::span<const LayoutGraph::Edge> edges,
                                             const std::vector<bool>& skipped) {
    const std::size_t nodeCount = pulledDown.size();
    const EdgesByNode outgoing = edgesByNode(nodeCount, edges, skipped, EdgeEnd::From);
    std::vector<std::uint32_t> pending(nodeCount, 0), layer(nodeCount, 0), order;
    for (const std::uint32_t edge : outgoing.edges)
        ++pending[edges[edge].to];
    order.reserve(nodeCount);
    for (std::uint32_t v = 0; v < nodeCount; ++v)
        if (pending[v] == 0)
            order.push_back(v);
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (const std::uint32_t edge : outgoing.of(order[i])) {
            const std::uint32_t target = edges[edge].to;
            layer[target] = std::max(layer[target], layer[order[i]] + 1);
            if (--pending[target] == 0)
                order.push_back(target);
        }
    }
    // Backwards, so that a chain of constants moves down as a whole.
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
        if (!pulledDown[*v] || outgoing.of(*v).empty())
            continue;
        std::uint32_t first = None;
        for (const std::uint32_t edge : outgoing.of(*v))
            first = std::min(first, layer[edges[edge].to]);
        layer[*v] = first - 1;
    }
    return layer;
}

JointLayers jointLayers(const LayoutGraph& reference, const std::vector<bool>& referenceSkipped, const LayoutGraph& rewritten,
                        const std::vector<bool>& rewrittenSkipped, const std::stop_token& stop) {
    JointLayers joint;
    joint.partnerOfReference = agreedPartners(reference, rewritten);
    const std::vector<std::uint32_t> ownReference = longestPathLayers(pulledDownNodes(reference), reference.edges, referenceSkipped);
    const std::vector<std::uint32_t> ownRewritten = longestPathLayers(pulledDownNodes(rewritten), rewritten.edges, rewrittenSkipped);
    // Each round halves the largest displacement on a cycle; one that is still there after the last round loses all.
    constexpr int Rounds = 12;
    Merged merged = merge(reference, referenceSkipped, rewritten, rewrittenSkipped, joint.partnerOfReference);
    for (int round = 0; !stop.stop_requested(); ++round) {
        if (!dropDisplaced(merged, ownReference, ownRewritten, round >= Rounds, joint.partnerOfReference))
            break;
        merged = merge(reference, referenceSkipped, rewritten, rewrittenSkipped, joint.partnerOfReference);
    }
    const std::vector<std::uint32_t> layer = longestPathLayers(merged.pulledDown, merged.edges, {});
    joint.reference.assign(layer.begin(), layer.begin() + static_cast<std::ptrdiff_t>(reference.nodes.size()));
    joint.rewritten.reserve(rewritten.nodes.size());
    for (const std::uint32_t node : merged.ofRewritten)
        joint.rewritten.push_back(layer[node]);
    return joint;
}

} // namespace lemmascope
