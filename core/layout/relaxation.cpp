#include "core/layout/relaxation.h"

#include <algorithm>
#include <limits>

namespace lemmascope {

namespace {

constexpr int SweepPairs = 4;
constexpr double NoWish = 1e-3;     ///< weight of a vertex without neighbours on the side looked at
constexpr double InnerWeight = 8.0; ///< of a segment inside a long edge: bends there are the ugliest
constexpr double OuterWeight = 2.0; ///< of a long edge's first and last segment
constexpr double LeafWeight = 0.1;  ///< of a segment to a constant or an unused result

/// Vertices that stand shoulder to shoulder; positions are measured with the spacing to their left taken off.
struct Pool {
    double weight = 0.0;
    double weighted = 0.0; ///< sum of weight times wish
    std::size_t end = 0;   ///< index in the layer behind its last vertex
    [[nodiscard]] double place() const { return weighted / weight; }
};

class Relaxation {
  public:
    explicit Relaxation(const Spacing& spacing) : m_spacing(spacing), m_graph(spacing.graph), x(spacing.graph.vertexCount(), 0.0) {
        for (const std::vector<std::uint32_t>& layer : m_graph.layers) {
            for (std::size_t i = 1; i < layer.size(); ++i)
                x[layer[i]] = x[layer[i - 1]] + m_spacing.between(layer[i - 1], layer[i]);
            const double middle = layer.empty() ? 0.0 : (x[layer.front()] + x[layer.back()]) / 2;
            for (const std::uint32_t vertex : layer)
                x[vertex] -= middle;
        }
    }

    void placeLayer(std::size_t layerIndex, bool byUpper, bool byLower) {
        const std::vector<std::uint32_t>& layer = m_graph.layers[layerIndex];
        m_pools.clear();
        m_offsets.clear();
        double offset = 0.0;
        for (std::size_t i = 0; i < layer.size(); ++i) {
            if (i > 0)
                offset += m_spacing.between(layer[i - 1], layer[i]);
            m_offsets.push_back(offset);
            Pool pool = wishOf(layer[i], byUpper, byLower);
            pool.weighted -= pool.weight * offset;
            pool.end = i + 1;
            while (!m_pools.empty() && m_pools.back().place() >= pool.place()) {
                pool.weight += m_pools.back().weight;
                pool.weighted += m_pools.back().weighted;
                m_pools.pop_back();
            }
            m_pools.push_back(pool);
        }
        std::size_t i = 0;
        for (const Pool& pool : m_pools)
            for (; i < pool.end; ++i)
                x[layer[i]] = pool.place() + m_offsets[i];
    }

    /// Moves runs of a block's vertices onto one line, as near to their mean as their neighbours in each layer allow.
    void straighten(const Blocks& blocks) {
        std::vector<std::uint32_t> run;
        for (std::uint32_t root = 0; root < m_graph.vertexCount(); ++root) {
            if (blocks.root[root] != root || blocks.align[root] == root)
                continue;
            run.clear();
            double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
            const auto closeRun = [&] {
                double mean = 0.0;
                for (const std::uint32_t vertex : run)
                    mean += x[vertex] / static_cast<double>(run.size());
                for (const std::uint32_t vertex : run)
                    x[vertex] = std::clamp(mean, low, high);
                run.clear();
            };
            std::uint32_t member = root;
            do {
                const auto [memberLow, memberHigh] = room(member);
                if (!run.empty() && std::max(low, memberLow) > std::min(high, memberHigh)) {
                    closeRun();
                    low = memberLow;
                    high = memberHigh;
                } else {
                    low = std::max(low, memberLow);
                    high = std::min(high, memberHigh);
                }
                run.push_back(member);
                member = blocks.align[member];
            } while (member != root);
            closeRun();
        }
    }

  private:
    [[nodiscard]] double segmentWeight(std::uint32_t from, const ProperGraph::Link& link, bool upper) const {
        const bool here = m_graph.isVirtual(from), there = m_graph.isVirtual(link.vertex);
        if (here || there)
            return here && there ? InnerWeight : OuterWeight;
        return (upper ? m_graph.above(link.vertex) : m_graph.below(link.vertex)).empty() ? LeafWeight : 1.0;
    }

    [[nodiscard]] Pool wishOf(std::uint32_t vertex, bool byUpper, bool byLower) const {
        Pool wish;
        const auto add = [&](std::span<const ProperGraph::Link> links, bool upper) {
            for (const ProperGraph::Link& link : links) {
                const double weight = segmentWeight(vertex, link, upper);
                wish.weight += weight;
                wish.weighted += weight * x[link.vertex];
            }
        };
        if (byUpper)
            add(m_graph.above(vertex), true);
        if (byLower)
            add(m_graph.below(vertex), false);
        if (wish.weight == 0.0)
            return {NoWish, NoWish * x[vertex], 0};
        return wish;
    }

    /// Where a vertex may stand while its neighbours in the layer stay. Never empty: it includes where it stands now.
    [[nodiscard]] std::pair<double, double> room(std::uint32_t vertex) const {
        const std::vector<std::uint32_t>& layer = m_graph.layers[m_graph.layer[vertex]];
        const std::uint32_t p = m_graph.position[vertex];
        double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
        if (p > 0)
            low = std::min(x[vertex], x[layer[p - 1]] + m_spacing.between(layer[p - 1], vertex));
        if (p + 1 < layer.size())
            high = std::max(x[vertex], x[layer[p + 1]] - m_spacing.between(vertex, layer[p + 1]));
        return {low, high};
    }

    const Spacing& m_spacing;
    const ProperGraph& m_graph;
    std::vector<Pool> m_pools;
    std::vector<double> m_offsets;

  public:
    std::vector<double> x;
};

} // namespace

std::vector<double> relaxedPlacement(const Spacing& spacing, const Blocks& blocks, const std::stop_token& stop) {
    Relaxation relaxation(spacing);
    const std::size_t layerCount = spacing.graph.layers.size();
    for (int sweep = 0; sweep < SweepPairs && !stop.stop_requested(); ++sweep) {
        const bool last = sweep + 1 == SweepPairs;
        for (std::size_t layer = 0; layer < layerCount; ++layer)
            relaxation.placeLayer(layer, true, last);
        for (std::size_t layer = layerCount; layer-- > 0;)
            relaxation.placeLayer(layer, last, true);
    }
    if (!stop.stop_requested())
        relaxation.straighten(blocks);
    return std::move(relaxation.x);
}

} // namespace lemmascope
