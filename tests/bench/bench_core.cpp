// How checks grow with the graph: no solver, fixed inputs. Counters say nodes a second and the process's peak memory.
#include "core/prove/check.h"

#include "tests/core/graph/graph_text.h"
#include "tests/core/prove/join_pairs.h"

#include <benchmark/benchmark.h>

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace lemmascope;

namespace {

double peakMegabytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

ValueId append(Graph& graph, const std::string& op, std::vector<ValueId> operands, TensorType type,
               std::map<std::string, Attribute> attributes = {}) {
    const ValueId result = graph.addValue({.name = "v" + std::to_string(graph.values.size()), .type = std::move(type)});
    Node node;
    node.op = {"", op, 17};
    node.name = op + "_" + std::to_string(graph.nodes.size());
    node.operands = std::move(operands);
    node.results = {result};
    node.attributes = std::move(attributes);
    graph.addNode(std::move(node));
    return result;
}

/// Blocks of a transformer's shape: product, sum with the block's input, softmax, transposes that cancel.
std::shared_ptr<const Graph> blocks(std::int64_t nodes) {
    auto graph = std::make_shared<Graph>();
    graph->opsets[""] = 17;
    const TensorType type{ElementType::F32, Shape{Dim(8), Dim(8)}};
    ValueId last = graph->addValue({.name = "x", .type = type});
    const ValueId weight = graph->addValue({.name = "w", .type = type});
    graph->inputs = {last, weight};
    while (static_cast<std::int64_t>(graph->nodes.size()) + 5 <= nodes) {
        const ValueId product = append(*graph, "MatMul", {last, weight}, type);
        const ValueId sum = append(*graph, "Add", {product, last}, type);
        const ValueId soft = append(*graph, "Softmax", {sum}, type, {{"axis", std::int64_t{-1}}});
        const ValueId turned = append(*graph, "Transpose", {soft}, type, {{"perm", std::vector<std::int64_t>{1, 0}}});
        last = append(*graph, "Transpose", {turned}, type, {{"perm", std::vector<std::int64_t>{1, 0}}});
    }
    graph->outputs = {last};
    return graph;
}

void againstItself(benchmark::State& state) {
    const auto graph = blocks(state.range(0));
    for (auto _ : state) {
        const auto result = check(graph, graph);
        if (!result || result->verdict != Verdict::Proved || result->times.solverCalls != 0) {
            state.SkipWithError("a graph is not proved equal to itself without a solver");
            return;
        }
    }
    state.counters["nodes"] = benchmark::Counter(static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate);
    state.counters["peak_mb"] = peakMegabytes();
}

/// Row rotations of one input, each by another amount: as two slices and a join, or as one gather of constant rows.
std::shared_ptr<const Graph> rotations(std::int64_t count, bool gathered) {
    auto graph = std::make_shared<Graph>();
    graph->opsets[""] = 17;
    const std::int64_t rows = count + 1;
    const TensorType type{ElementType::F32, Shape{Dim(rows), Dim(4)}};
    const ValueId x = graph->addValue({.name = "x", .type = type});
    graph->inputs = {x};
    const auto constant = [&](std::vector<std::int64_t> values) {
        const auto length = static_cast<std::int64_t>(values.size());
        return graph->addValue({.name = "c" + std::to_string(graph->values.size()),
                                .type = {ElementType::I64, Shape{Dim(length)}},
                                .constant = Tensor::of<std::int64_t>(ElementType::I64, {length}, values)});
    };
    for (std::int64_t shift = 1; shift <= count; ++shift) {
        ValueId out;
        if (gathered) {
            std::vector<std::int64_t> order;
            for (std::int64_t i = 0; i < rows; ++i) {
                order.push_back((i + shift) % rows);
            }
            out = append(*graph, "Gather", {x, constant(order)}, type, {{"axis", std::int64_t{0}}});
        } else {
            const ValueId axis = constant({0});
            const ValueId tail =
                append(*graph, "Slice", {x, constant({shift}), constant({rows}), axis}, {ElementType::F32, Shape{Dim(rows - shift), Dim(4)}});
            const ValueId head = append(*graph, "Slice", {x, constant({0}), constant({shift}), axis}, {ElementType::F32, Shape{Dim(shift), Dim(4)}});
            out = append(*graph, "Concat", {tail, head}, type, {{"axis", std::int64_t{0}}});
        }
        graph->values[out.index].name = "y" + std::to_string(shift);
        graph->outputs.push_back(out);
    }
    return graph;
}

void indexMaps(benchmark::State& state) {
    const auto reference = rotations(state.range(0), false);
    const auto rewritten = rotations(state.range(0), true);
    std::size_t lemmas = 0;
    for (auto _ : state) {
        const auto result = check(reference, rewritten);
        if (!result || result->verdict != Verdict::Proved) {
            state.SkipWithError("equal index maps are not proved");
            return;
        }
        lemmas = result->lemmas.size();
    }
    state.counters["lemmas"] = static_cast<double>(lemmas);
    state.counters["peak_mb"] = peakMegabytes();
}

/// The time to a proof of one pair (reported time); the whole check with its look at rounding is the counter check_ms.
void decided(benchmark::State& state, const test::TextPair& pair) {
    const auto reference = test::parseGraph(pair.reference);
    const auto rewritten = test::parseGraph(pair.rewritten);
    double whole = 0.0;
    for (auto _ : state) {
        const auto start = std::chrono::steady_clock::now();
        const auto result = check(reference, rewritten);
        whole += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        if (!result || result->verdict != Verdict::Proved || result->times.solverCalls != 0) {
            state.SkipWithError("equal graphs are not proved without a solver");
            return;
        }
        state.SetIterationTime(result->times.decide);
    }
    state.counters["check_ms"] = benchmark::Counter(whole, benchmark::Counter::kAvgIterations);
    state.counters["peak_mb"] = peakMegabytes();
}

/// `count` slices of a value with a symbolic outer axis, put together again.
void slices(benchmark::State& state, test::PutTogether how, const char* op) { decided(state, test::slices(state.range(0), 4, op, how)); }

/// A 3x3 convolution of 64 channels at any batch size against im2col.
void im2col(benchmark::State& state, test::Im2col how) { decided(state, test::im2col({.channels = 64, .size = state.range(0), .filters = 64}, how)); }

/// Products with `range(1)` weights joined, all of size `range(0)`.
void joinedWeights(benchmark::State& state, bool inner) { decided(state, test::joinedWeights(state.range(0), state.range(1), inner)); }
void splitProduct(benchmark::State& state) { decided(state, test::splitProduct(state.range(0), state.range(1))); }

/// A norm, a product with weights of the layer's own, an activation and a sum, `range(0)` layers of it; each layer written otherwise.
void repeatedLayers(benchmark::State& state) {
    const auto layers = [&](const std::string& norm, const std::string& activation) {
        std::string out = "in h0 f32[n,8]; const o f32[] 1; const f f32[] 0.5; const e f32[] 0.001;";
        for (std::int64_t k = 0; k < state.range(0); ++k) {
            const std::string l = std::to_string(k);
            std::string layer = "const w@ f32[8,8] 0." + std::to_string(1'000 + k);
            for (int i = 1; i < 64; ++i) {
                layer += " 0." + std::to_string(i);
            }
            layer += "; q@ = Mul(h@, h@); m@ = ReduceMean@11(q@) axes=[1]; v@ = Add(m@, e);" + norm +
                     "p@ = MatMul(d@, w@); t@ = Erf(p@); u@ = Add(t@, o);" + activation;
            for (std::size_t at = layer.find('@'); at != std::string::npos; at = layer.find('@', at + 1)) {
                if (layer.compare(at, 3, "@11") != 0) {
                    layer.replace(at, 1, l);
                }
            }
            out += layer + "h" + std::to_string(k + 1) + " = Add(h" + l + ", a" + l + ");";
        }
        return out + "out h" + std::to_string(state.range(0));
    };
    decided(state, {layers("s@ = Sqrt(v@); d@ = Div(h@, s@);", "g@ = Mul(p@, f); a@ = Mul(g@, u@);"),
                    layers("s@ = Sqrt(v@); r@ = Reciprocal(s@); d@ = Mul(h@, r@);", "g@ = Mul(p@, u@); a@ = Mul(g@, f);")});
}

} // namespace

BENCHMARK(repeatedLayers)->Arg(1)->Arg(12)->Arg(126)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(slices, concat, test::PutTogether::Concat, "Relu")
    ->Arg(64)
    ->Arg(256)
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(slices, concat_softmax, test::PutTogether::Concat, "Softmax")
    ->Arg(64)
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(slices, insert, test::PutTogether::Insert, "Relu")
    ->Arg(64)
    ->Arg(256)
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(slices, scatter, test::PutTogether::Scatter, "Relu")->Arg(64)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(slices, where, test::PutTogether::Where, "Relu")->Arg(64)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(im2col, channels, test::Im2col::OnChannels)->Arg(14)->Arg(56)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(im2col, new_axis, test::Im2col::OnNewAxis)->Arg(14)->Arg(56)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(im2col, gathered, test::Im2col::Gathered)->Arg(14)->Arg(56)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(im2col, channels_last, test::Im2col::ChannelsLast)->Arg(14)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(im2col, products, test::Im2col::Products)->Arg(14)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(joinedWeights, outer, false)
    ->Args({256, 3})
    ->Args({4096, 2})
    ->Args({4096, 3})
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(joinedWeights, inner, true)->Args({256, 2})->Args({4096, 2})->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(splitProduct)->Args({4096, 4})->Args({4096, 64})->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(againstItself)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(indexMaps)->Arg(50)->Arg(500)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
