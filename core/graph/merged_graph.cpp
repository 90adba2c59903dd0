#include "core/graph/merged_graph.h"

#include <algorithm>

namespace lemmascope {

namespace {

constexpr std::uint32_t None = NodeGroup::None;
using Edges = std::vector<std::array<std::uint32_t, 2>>;

void addEdges(const Graph* graph, const std::vector<std::uint32_t>& nodeOf, Edges& edges) {
    if (graph == nullptr) {
        return;
    }
    for (std::uint32_t n = 0; n < graph->nodes.size(); ++n) {
        for (const ValueId operand : graph->nodes[n].operands) {
            const NodeId from = operand.isValid() ? graph->value(operand).producer : NodeId();
            if (from.isValid() && from.index != n) {
                edges.push_back({nodeOf[from.index], nodeOf[n]});
            }
        }
    }
}

} // namespace

Adjacency::Adjacency(std::size_t count, std::span<const std::array<std::uint32_t, 2>> edges) : start(count + 1, 0), to(edges.size()) {
    for (const auto& edge : edges) {
        ++start[edge[0] + 1];
    }
    for (std::size_t v = 0; v < count; ++v) {
        start[v + 1] += start[v];
    }
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
    for (const auto& edge : edges) {
        to[next[edge[0]]++] = edge[1];
    }
}

std::vector<std::uint32_t> stronglyConnected(const Adjacency& graph) {
    const auto count = static_cast<std::uint32_t>(graph.size());
    std::vector<std::uint32_t> index(count, None), low(count, 0), component(count, None), open;
    struct Frame {
        std::uint32_t vertex;
        std::uint32_t next;
    };
    std::vector<Frame> stack;
    std::uint32_t visited = 0, found = 0;
    const auto enter = [&](std::uint32_t vertex) {
        index[vertex] = low[vertex] = visited++;
        open.push_back(vertex);
        stack.push_back({vertex, graph.start[vertex]});
    };
    for (std::uint32_t root = 0; root < count; ++root) {
        if (index[root] != None) {
            continue;
        }
        enter(root);
        while (!stack.empty()) {
            Frame& frame = stack.back();
            const std::uint32_t vertex = frame.vertex;
            if (frame.next < graph.start[vertex + 1]) {
                const std::uint32_t target = graph.to[frame.next++];
                if (index[target] == None) {
                    enter(target);
                } else if (component[target] == None) {
                    low[vertex] = std::min(low[vertex], index[target]);
                }
                continue;
            }
            stack.pop_back();
            if (!stack.empty()) {
                low[stack.back().vertex] = std::min(low[stack.back().vertex], low[vertex]);
            }
            if (low[vertex] == index[vertex]) {
                while (component[vertex] == None) {
                    component[open.back()] = found;
                    open.pop_back();
                }
                ++found;
            }
        }
    }
    return component;
}

MergedGraph::MergedGraph(const GroupedPair& pair) {
    const std::size_t referenceCount = pair.reference == nullptr ? 0 : pair.reference->nodes.size();
    const std::size_t rewrittenCount = pair.rewritten == nullptr ? 0 : pair.rewritten->nodes.size();
    std::vector<std::uint32_t> partner(referenceCount, None);
    std::vector<bool> taken(rewrittenCount, false);
    for (std::size_t r = 0; r < std::min(referenceCount, pair.partner.size()); ++r) {
        const std::uint32_t w = pair.partner[r];
        if (w < rewrittenCount && !taken[w]) {
            partner[r] = w;
            taken[w] = true;
        }
    }
    Edges edges;
    const auto build = [&] {
        members.clear();
        edges.clear();
        nodeOf[0].resize(referenceCount);
        nodeOf[1].assign(rewrittenCount, None);
        for (std::uint32_t r = 0; r < referenceCount; ++r) {
            nodeOf[0][r] = r;
            members.push_back({r, partner[r]});
            if (partner[r] != None) {
                nodeOf[1][partner[r]] = r;
            }
        }
        for (std::uint32_t w = 0; w < rewrittenCount; ++w) {
            if (nodeOf[1][w] == None) {
                nodeOf[1][w] = static_cast<std::uint32_t>(members.size());
                members.push_back({None, w});
            }
        }
        addEdges(pair.reference, nodeOf[0], edges);
        addEdges(pair.rewritten, nodeOf[1], edges);
        readers = Adjacency(members.size(), edges);
    };
    build();
    // A cycle here runs through both sides; without the partners on it there is none, as each side has none.
    const std::vector<std::uint32_t> component = stronglyConnected(readers);
    std::vector<std::uint32_t> sizes(members.size(), 0);
    for (const std::uint32_t c : component) {
        ++sizes[c];
    }
    bool cyclic = false;
    for (std::uint32_t r = 0; r < referenceCount; ++r) {
        if (partner[r] != None && sizes[component[r]] > 1) {
            partner[r] = None;
            cyclic = true;
        }
    }
    if (cyclic) {
        build();
    }
    for (auto& edge : edges) {
        std::swap(edge[0], edge[1]);
    }
    producers = Adjacency(members.size(), edges);
    std::vector<std::uint32_t> pending(members.size());
    for (std::uint32_t v = 0; v < members.size(); ++v) {
        pending[v] = static_cast<std::uint32_t>(producers.of(v).size());
        if (pending[v] == 0) {
            order.push_back(v);
        }
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (const std::uint32_t reader : readers.of(order[i])) {
            if (--pending[reader] == 0) {
                order.push_back(reader);
            }
        }
    }
}

} // namespace lemmascope
