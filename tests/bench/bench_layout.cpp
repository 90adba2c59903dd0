// The linear layout, CPU time. Families: `blocks`, deep and narrow with constants and residual edges; `window`, a DAG whose
// nodes read one or two of the last 60. `joint`: a graph with itself, every node with its partner.

#include "core/layout/layered.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>

namespace lemmascope {

namespace {

enum Family : std::int64_t { Blocks, Window };

LayoutGraph blocks(std::size_t nodeCount) {
    LayoutGraph graph;
    const auto node = [&](bool constant) {
        graph.nodes.push_back({constant ? 70.0 : 110.0, constant ? 22.0 : 36.0, 0xFFFFFFFFU, constant});
        return static_cast<std::uint32_t>(graph.nodes.size() - 1);
    };
    const auto after = [&](std::initializer_list<std::uint32_t> operands) {
        const std::uint32_t result = node(false);
        for (const std::uint32_t operand : operands)
            graph.edges.push_back({operand, result});
        return result;
    };
    const auto linear = [&](std::uint32_t x) { return after({after({x, node(true)}), node(true)}); };
    std::uint32_t x = node(false);
    while (graph.nodes.size() < nodeCount) {
        const std::uint32_t normal = after({x, node(true), node(true)});
        const std::uint32_t query = after({linear(normal)}), key = after({linear(normal)}), value = after({linear(normal)});
        const std::uint32_t attention = after({after({after({query, key})}), value});
        const std::uint32_t middle = after({x, linear(after({attention}))});
        x = after({middle, linear(after({linear(after({middle, node(true), node(true)}))}))});
    }
    return graph;
}

LayoutGraph window(std::size_t nodeCount) {
    std::mt19937 random(20261129);
    LayoutGraph graph;
    graph.nodes.resize(nodeCount);
    for (std::uint32_t v = 1; v < nodeCount; ++v)
        for (std::uint32_t operand = 0; operand <= v % 2; ++operand)
            graph.edges.push_back({static_cast<std::uint32_t>(v - 1 - random() % std::min(v, 60U)), v});
    return graph;
}

LayoutGraph made(const benchmark::State& state) {
    const auto nodeCount = static_cast<std::size_t>(state.range(1));
    return state.range(0) == Blocks ? blocks(nodeCount) : window(nodeCount);
}

void layered(benchmark::State& state) {
    const LayoutGraph graph = made(state);
    double width = 0.0;
    for (auto _ : state)
        width = layoutLayered(graph, {}).value().width;
    state.counters["width"] = width;
}

void joint(benchmark::State& state) {
    LayoutGraph graph = made(state);
    for (std::uint32_t v = 0; v < graph.nodes.size(); ++v)
        graph.nodes[v].partner = v;
    for (auto _ : state)
        benchmark::DoNotOptimize(layoutJoint(graph, graph, {}).value().reference.width);
}

BENCHMARK(layered)->ArgsProduct({{Blocks, Window}, {1'000, 10'000, 50'000}})->Unit(benchmark::kMillisecond);
BENCHMARK(joint)->ArgsProduct({{Blocks, Window}, {1'000, 10'000, 50'000}})->Unit(benchmark::kMillisecond);

} // namespace

} // namespace lemmascope

BENCHMARK_MAIN();
