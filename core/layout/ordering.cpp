#include "core/layout/ordering.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lemmascope {

namespace {

constexpr int SweepPairs = 4;

void renumber(ProperGraph& graph, std::uint32_t layer) {
    for (std::uint32_t i = 0; i < graph.layers[layer].size(); ++i)
        graph.position[graph.layers[layer][i]] = i;
}

/// Scratch for sorting one layer, kept between layers.
struct Sorter {
    struct Item {
        double key;
        std::uint32_t vertex;
    };
    std::vector<Item> items;
    std::vector<std::uint32_t> slots;
};

/// Sorts a layer by the mean position of each vertex's neighbours on one side. A vertex without any stays in its place.
/// Of the `held` ones each goes no further left than the one before it.
void sortLayer(ProperGraph& graph, std::uint32_t layer, bool byUpper, const std::vector<bool>& held, Sorter& sorter) {
    sorter.items.clear();
    sorter.slots.clear();
    std::vector<std::uint32_t>& vertices = graph.layers[layer];
    double reached = 0.0;
    for (std::uint32_t i = 0; i < vertices.size(); ++i) {
        const bool isHeld = vertices[i] < held.size() && held[vertices[i]];
        const std::span<const ProperGraph::Link> links = byUpper ? graph.above(vertices[i]) : graph.below(vertices[i]);
        if (links.empty() && !isHeld)
            continue;
        if (links.empty()) {
            sorter.items.push_back({reached, vertices[i]});
            sorter.slots.push_back(i);
            continue;
        }
        std::uint64_t sum = 0;
        for (const ProperGraph::Link& link : links)
            sum += graph.position[link.vertex];
        double key = static_cast<double>(sum) / static_cast<double>(links.size());
        if (isHeld)
            key = reached = std::max(reached, key);
        sorter.items.push_back({key, vertices[i]});
        sorter.slots.push_back(i);
    }
    std::ranges::stable_sort(sorter.items, {}, &Sorter::Item::key);
    for (std::size_t i = 0; i < sorter.items.size(); ++i)
        vertices[sorter.slots[i]] = sorter.items[i].vertex;
    renumber(graph, layer);
}

/// The span limit at which virtual vertices stay within a few times the graph's size: a graph where every node reads
/// every earlier one must not cost thirty vertices an edge.
std::uint32_t affordableSpan(const LayoutGraph& graph, const std::vector<std::uint32_t>& layer, const std::vector<bool>& skipped,
                             std::uint32_t longestSpan) {
    std::vector<std::uint64_t> edgesBySpan(longestSpan + 1, 0);
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        if (skipped[e])
            continue;
        const std::uint32_t span = layer[graph.edges[e].to] - layer[graph.edges[e].from];
        if (span <= longestSpan)
            ++edgesBySpan[span];
    }
    const std::uint64_t limit = std::min<std::uint64_t>(8 * (graph.nodes.size() + graph.edges.size()) + 10'000, 8'000'000);
    std::uint64_t total = 0;
    for (std::uint32_t span = 2; span <= longestSpan; ++span) {
        total += edgesBySpan[span] * (span - 1);
        if (total > limit)
            return span - 1;
    }
    return longestSpan;
}

} // namespace

ProperGraph properGraph(const LayoutGraph& graph, const std::vector<std::uint32_t>& layer, std::uint32_t layerCount, const std::vector<bool>& skipped,
                        std::uint32_t longestSpan) {
    ProperGraph proper;
    proper.nodeCount = graph.nodes.size();
    proper.layer = layer;
    proper.stub = skipped;
    proper.firstVirtual.assign(graph.edges.size(), 0);
    proper.firstSegment.assign(graph.edges.size(), 0);
    const std::uint32_t span = affordableSpan(graph, layer, skipped, longestSpan);

    std::vector<std::pair<std::uint32_t, std::uint32_t>> segments;
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        if (skipped[e])
            continue;
        const auto [from, to] = std::pair(graph.edges[e].from, graph.edges[e].to);
        if (layer[to] - layer[from] > span) {
            proper.stub[e] = true;
            continue;
        }
        proper.firstVirtual[e] = static_cast<std::uint32_t>(proper.layer.size());
        proper.firstSegment[e] = static_cast<std::uint32_t>(segments.size());
        std::uint32_t above = from;
        for (std::uint32_t between = layer[from] + 1; between < layer[to]; ++between) {
            const auto vertex = static_cast<std::uint32_t>(proper.layer.size());
            proper.layer.push_back(between);
            segments.emplace_back(above, vertex);
            above = vertex;
        }
        segments.emplace_back(above, to);
    }

    const std::size_t vertexCount = proper.layer.size();
    proper.segmentCount = segments.size();
    proper.upStart.assign(vertexCount + 1, 0);
    proper.downStart.assign(vertexCount + 1, 0);
    for (const auto& [upper, lower] : segments) {
        ++proper.upStart[lower + 1];
        ++proper.downStart[upper + 1];
    }
    for (std::size_t v = 0; v < vertexCount; ++v) {
        proper.upStart[v + 1] += proper.upStart[v];
        proper.downStart[v + 1] += proper.downStart[v];
    }
    proper.up.resize(segments.size());
    proper.down.resize(segments.size());
    std::vector<std::uint32_t> nextUp(proper.upStart.begin(), proper.upStart.end() - 1);
    std::vector<std::uint32_t> nextDown(proper.downStart.begin(), proper.downStart.end() - 1);
    for (std::uint32_t s = 0; s < segments.size(); ++s) {
        proper.up[nextUp[segments[s].second]++] = {segments[s].first, s};
        proper.down[nextDown[segments[s].first]++] = {segments[s].second, s};
    }

    proper.layers.resize(layerCount);
    proper.position.resize(vertexCount);
    for (std::uint32_t v = 0; v < vertexCount; ++v) {
        proper.position[v] = static_cast<std::uint32_t>(proper.layers[proper.layer[v]].size());
        proper.layers[proper.layer[v]].push_back(v);
    }
    return proper;
}

void orderByKeys(ProperGraph& graph, const std::vector<double>& nodeKey) {
    std::vector<double> key(graph.vertexCount(), std::numeric_limits<double>::quiet_NaN());
    std::ranges::copy(nodeKey, key.begin());
    const auto fillIn = [&](std::uint32_t vertex, std::span<const ProperGraph::Link> links) {
        if (!std::isnan(key[vertex]))
            return;
        double sum = 0.0;
        int known = 0;
        for (const ProperGraph::Link& link : links)
            if (!std::isnan(key[link.vertex])) {
                sum += key[link.vertex];
                ++known;
            }
        if (known > 0)
            key[vertex] = sum / known;
    };
    for (const std::vector<std::uint32_t>& layer : graph.layers)
        for (const std::uint32_t vertex : layer)
            fillIn(vertex, graph.above(vertex));
    for (auto layer = graph.layers.rbegin(); layer != graph.layers.rend(); ++layer)
        for (const std::uint32_t vertex : *layer)
            fillIn(vertex, graph.below(vertex));
    for (std::uint32_t layer = 0; layer < graph.layers.size(); ++layer) {
        double previous = 0.0;
        for (const std::uint32_t vertex : graph.layers[layer]) {
            if (std::isnan(key[vertex]))
                key[vertex] = previous;
            previous = key[vertex];
        }
        std::ranges::stable_sort(graph.layers[layer], {}, [&](std::uint32_t vertex) { return key[vertex]; });
        renumber(graph, layer);
    }
}

void reduceCrossings(ProperGraph& graph, const std::vector<bool>& held, const std::stop_token& stop) {
    if (graph.layers.empty())
        return;
    Sorter sorter;
    const auto layerCount = static_cast<std::uint32_t>(graph.layers.size());
    std::vector<std::vector<std::uint32_t>> best = graph.layers;
    std::uint64_t bestCount = crossingCount(graph);
    const auto keepIfBetter = [&] {
        const std::uint64_t count = crossingCount(graph);
        if (count < bestCount) {
            bestCount = count;
            best = graph.layers;
        }
    };
    for (int sweep = 0; sweep < SweepPairs && bestCount > 0; ++sweep) {
        for (std::uint32_t layer = 1; layer < layerCount && !stop.stop_requested(); ++layer)
            sortLayer(graph, layer, true, held, sorter);
        keepIfBetter();
        for (std::uint32_t layer = layerCount - 1; layer-- > 0 && !stop.stop_requested();)
            sortLayer(graph, layer, false, held, sorter);
        keepIfBetter();
    }
    graph.layers = std::move(best);
    for (std::uint32_t layer = 0; layer < layerCount; ++layer)
        renumber(graph, layer);
}

std::uint64_t crossingCount(const ProperGraph& graph) {
    std::uint64_t crossings = 0;
    std::vector<std::uint32_t> tree; // Fenwick tree over positions in the lower layer: segments seen so far
    std::vector<std::uint32_t> ends;
    for (std::size_t layer = 0; layer + 1 < graph.layers.size(); ++layer) {
        const auto width = static_cast<std::uint32_t>(graph.layers[layer + 1].size());
        tree.assign(width + 1, 0);
        std::uint32_t seen = 0;
        for (const std::uint32_t vertex : graph.layers[layer]) {
            ends.clear();
            for (const ProperGraph::Link& link : graph.below(vertex))
                ends.push_back(graph.position[link.vertex]);
            for (const std::uint32_t end : ends) {
                std::uint32_t notRight = 0;
                for (std::uint32_t i = end + 1; i > 0; i -= i & (~i + 1))
                    notRight += tree[i];
                crossings += seen - notRight;
            }
            for (const std::uint32_t end : ends)
                for (std::uint32_t i = end + 1; i <= width; i += i & (~i + 1))
                    ++tree[i];
            seen += static_cast<std::uint32_t>(ends.size());
        }
    }
    return crossings;
}

} // namespace lemmascope
