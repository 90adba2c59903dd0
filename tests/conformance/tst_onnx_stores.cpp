// What the ONNX writer makes of the part and store ops of our JSON means the same: both run on the same numbers, faults
// included. Every graph of cases/json, and random stores.

#include "core/eval/evaluator.h"
#include "core/format/json/json_reader.h"
#include "core/format/onnx/onnx_reader.h"
#include "core/format/onnx/onnx_writer.h"
#include "core/graph/infer.h"

#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

using namespace lemmascope;

namespace {

using Engine = std::mt19937_64;
using Ints = std::vector<std::int64_t>;

std::int64_t draw(Engine& engine, std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(high - low + 1));
}

Tensor randomTensor(Engine& engine, const Value& value, const std::map<std::string, std::int64_t>& sizes) {
    Ints shape;
    for (const Dim& dim : *value.type.shape) {
        shape.push_back(dim.evaluate(sizes).value());
    }
    Tensor tensor(value.type.element, shape);
    const auto fill = [&](auto span) {
        for (auto& element : span) {
            const IntegerRange range = value.range.value_or(IntegerRange{-20, 20});
            element = static_cast<std::remove_reference_t<decltype(element)>>(draw(engine, range.low, range.high));
        }
    };
    switch (byteSize(value.type.element)) {
    case 1:
        for (std::uint8_t& element : tensor.mutableAs<std::uint8_t>()) {
            element = static_cast<std::uint8_t>(draw(engine, 0, 1));
        }
        break;
    case 4:
        if (isFloat(value.type.element)) {
            fill(tensor.mutableAs<float>());
        } else {
            fill(tensor.mutableAs<std::int32_t>());
        }
        break;
    default:
        if (isFloat(value.type.element)) {
            fill(tensor.mutableAs<double>());
        } else {
            fill(tensor.mutableAs<std::int64_t>());
        }
    }
    return tensor;
}

Result<Evaluation> run(const std::shared_ptr<const Graph>& graph, const std::vector<std::optional<Tensor>>& inputs) {
    const auto tree = GraphTree::build(graph);
    if (!tree) {
        return tl::unexpected(tree.error());
    }
    return evaluate(*tree, inputs);
}

/// Runs the graph and what is read back from its ONNX file on `runs` random inputs; says what differs.
std::string compareWithOnnx(const std::shared_ptr<const Graph>& graph, int runs, std::uint64_t seed, int& faults) {
    std::vector<std::string> notes;
    const auto bytes = writeOnnxBytes(*graph, notes);
    if (!bytes) {
        return bytes.error().text();
    }
    const auto read = readOnnxBytes(std::as_bytes(std::span(*bytes)), "written.onnx");
    if (!read) {
        return read.error().text();
    }
    const auto again = inferTypes(**read);
    if (!again) {
        return again.error().text();
    }
    Engine engine(seed);
    for (int k = 0; k < runs; ++k) {
        std::vector<std::string> symbols;
        for (const ValueId input : graph->inputs) {
            for (const Dim& dim : *graph->value(input).type.shape) {
                dim.collectSymbols(symbols);
            }
        }
        std::map<std::string, std::int64_t> sizes;
        for (const std::string& symbol : symbols) {
            const auto range = graph->symbols.find(symbol);
            sizes[symbol] = range == graph->symbols.end() ? draw(engine, 3, 6)
                                                          : draw(engine, range->second.low, std::min(range->second.high, range->second.low + 4));
        }
        std::vector<std::optional<Tensor>> inputs;
        for (const ValueId input : graph->inputs) {
            inputs.emplace_back(randomTensor(engine, graph->value(input), sizes));
        }
        const auto here = run(graph, inputs);
        const auto there = run(*again, inputs);
        if (!here || !there) {
            return here ? there.error().text() : here.error().text();
        }
        if (here->fault.has_value() != there->fault.has_value()) {
            return here->fault ? "only the graph itself faults" : "only the ONNX graph faults";
        }
        if (here->fault) {
            ++faults;
            continue;
        }
        for (std::size_t i = 0; i < graph->outputs.size(); ++i) {
            const auto& a = here->values.at(graph->outputs[i].index);
            const auto& b = there->values.at((*again)->outputs.at(i).index);
            if (a.has_value() != b.has_value() || (a && !a->sameBits(*b)) || graph->outputName(i) != (*again)->outputName(i)) {
                return "output '" + graph->outputName(i) + "' differs";
            }
        }
    }
    return {};
}

} // namespace

class TestOnnxStores : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void jsonCasesMeanTheSame_data();
    void jsonCasesMeanTheSame();
    void storedSlicesMeanTheSame();
    void storedRowsMeanTheSame();
};

void TestOnnxStores::jsonCasesMeanTheSame_data() {
    QTest::addColumn<QString>("path");
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(LEMMASCOPE_TEST_DATA "/cases/json")) {
        if (entry.path().string().ends_with(".lsg.json")) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    QVERIFY(files.size() >= 54);
    for (const auto& file : files) {
        QTest::newRow(file.filename().c_str()) << QString::fromStdString(file.string());
    }
}

void TestOnnxStores::jsonCasesMeanTheSame() {
    QFETCH(QString, path);
    std::ifstream in(path.toStdString());
    std::stringstream text;
    text << in.rdbuf();
    const auto graph = readJsonGraph(text.str(), path.toStdString());
    QVERIFY2(graph.has_value(), graph ? "" : graph.error().text().c_str());
    const auto typed = inferTypes(**graph);
    QVERIFY2(typed.has_value(), typed ? "" : typed.error().text().c_str());
    int faults = 0;
    const std::string difference = compareWithOnnx(*typed, 8, 1, faults);
    QVERIFY2(difference.empty(), difference.c_str());
}

void TestOnnxStores::storedSlicesMeanTheSame() {
    Engine engine(5);
    int faults = 0;
    for (int k = 0; k < 300; ++k) {
        Graph graph;
        graph.opsets[""] = 17;
        Shape tableShape;
        Shape partShape;
        Ints starts;
        Ints ends;
        Ints steps;
        for (std::int64_t rank = draw(engine, 1, 3); rank > 0; --rank) {
            const std::int64_t length = draw(engine, 1, 5);
            const bool whole = draw(engine, 0, 2) == 0;
            const std::int64_t begin = whole ? 0 : draw(engine, 0, length);
            const std::int64_t end = whole ? length : draw(engine, begin, length);
            std::int64_t step = whole ? 1 : draw(engine, -3, 3);
            step = step == 0 ? 1 : step;
            const std::int64_t pace = step < 0 ? -step : step;
            starts.push_back(begin);
            ends.push_back(end);
            steps.push_back(step);
            tableShape.emplace_back(length);
            partShape.emplace_back((end - begin + pace - 1) / pace);
        }
        const ValueId table = graph.addValue({.name = "t", .type = {ElementType::F32, tableShape}});
        const ValueId part = graph.addValue({.name = "p", .type = {ElementType::F32, partShape}});
        const ValueId result = graph.addValue({.name = "y", .type = {ElementType::F32, tableShape}});
        graph.inputs = {table, part};
        graph.outputs = {result};
        Node node;
        node.op = {"lemmascope", "StoreSlice", 1};
        node.operands = {table, part};
        node.results = {result};
        node.attributes = {{"starts", starts}, {"ends", ends}, {"steps", steps}};
        graph.addNode(std::move(node));
        const std::string difference = compareWithOnnx(std::make_shared<const Graph>(std::move(graph)), 1, engine(), faults);
        QVERIFY2(difference.empty(), (std::to_string(k) + ": " + difference).c_str());
    }
}

void TestOnnxStores::storedRowsMeanTheSame() {
    Engine engine(6);
    int faults = 0;
    int runs = 0;
    for (int k = 0; k < 200; ++k) {
        const std::string op = k % 3 == 0 ? "RowsAt" : (k % 3 == 1 ? "StoreRowsAt" : "StoreRows");
        const std::int64_t count = draw(engine, 1, 4); // rows repeat
        Graph graph;
        graph.opsets[""] = 17;
        const ElementType indexType = draw(engine, 0, 1) == 0 ? ElementType::I64 : ElementType::I32;
        const ValueId table = graph.addValue({.name = "t", .type = {ElementType::F32, Shape{Dim(6), Dim(2)}}});
        const ValueId rows = graph.addValue({.name = "r", .type = {ElementType::F32, Shape{Dim(count), Dim(2)}}});
        const ValueId index = graph.addValue({.name = "i", .type = {indexType, op == "StoreRows" ? Shape{Dim(count)} : Shape{}}});
        graph.values[index.index].range =
            draw(engine, 0, 3) == 0 ? std::nullopt : std::optional(IntegerRange{op == "StoreRows" ? -6 : -1, 6 - count});
        const ValueId result = graph.addValue({.name = "y"});
        graph.inputs = {table, rows, index};
        graph.outputs = {result};
        Node node;
        node.op = {"lemmascope", op, 1};
        node.operands = op == "RowsAt" ? std::vector<ValueId>{table, index} : std::vector<ValueId>{table, rows, index};
        node.results = {result};
        node.attributes = {{"count", count}};
        graph.addNode(std::move(node));
        const std::string difference = compareWithOnnx(std::make_shared<const Graph>(std::move(graph)), 5, engine(), faults);
        runs += 5;
        QVERIFY2(difference.empty(), (op + ": " + difference).c_str());
    }
    QVERIFY(faults > 20 && faults < runs - 200); // both kinds were met
}

QTEST_GUILESS_MAIN(TestOnnxStores)
#include "tst_onnx_stores.moc"
