// Functions on tensors as graphs: evaluated as a graph and run as a program they give the same numbers.
#include "core/eval/evaluator.h"
#include "core/format/load.h"
#include "core/format/mlir/reader.h"
#include "core/format/mlir/to_graph.h"
#include "core/graph/graph_tree.h"
#include "core/graph/infer.h"
#include "tests/core/format/mlir/program_rows.h"
#include "tests/core/format/mlir/program_run.h"

#include <QFile>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <sstream>

using namespace lemmascope;

namespace {

Tensor tensorOf(const TensorType& type, const std::vector<double>& numbers) {
    Tensor tensor(type.element, *staticShape(*type.shape));
    for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.count()); ++i) {
        const double number = i < numbers.size() ? numbers[i] : 0.0;
        switch (type.element) {
        case ElementType::F32: tensor.mutableAs<float>()[i] = static_cast<float>(number); break;
        case ElementType::F64: tensor.mutableAs<double>()[i] = number; break;
        case ElementType::I32: tensor.mutableAs<std::int32_t>()[i] = static_cast<std::int32_t>(number); break;
        case ElementType::I64: tensor.mutableAs<std::int64_t>()[i] = static_cast<std::int64_t>(number); break;
        default: break;
        }
    }
    return tensor;
}

/// `size`: of all symbols.
std::string evaluated(const std::shared_ptr<const Graph>& graph, const std::string& inputs, std::int64_t size = 1) {
    InferOptions options;
    for (const auto& [symbol, range] : graph->symbols) {
        options.sizes[symbol] = size;
    }
    const auto typed = inferTypes(*graph, options);
    if (!typed) {
        return "not typed: " + typed.error().text();
    }
    const auto tree = GraphTree::build(*typed);
    const auto numbers = numbersOf(inputs);
    std::vector<std::optional<Tensor>> given;
    for (std::size_t i = 0; i < (*typed)->inputs.size(); ++i) {
        given.push_back(tensorOf((*typed)->value((*typed)->inputs[i]).type, i < numbers.size() ? numbers[i] : std::vector<double>()));
    }
    const auto values = evaluate(*tree, given);
    if (!values || values->fault) {
        return "not evaluated";
    }
    std::ostringstream out;
    for (std::size_t i = 0; i < (*typed)->outputs.size(); ++i) {
        out << (i == 0 ? "" : " | ") << (*typed)->outputName(i) << ":";
        const Tensor& tensor = *values->values.at((*typed)->outputs[i].index);
        for (std::int64_t flat = 0; flat < tensor.count(); ++flat) {
            out << ' ' << tensor.toDouble(flat);
        }
    }
    return out.str();
}

} // namespace

class TestMlirGraph : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aGraphGivesWhatTheProgramGives_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("inputs");
        const QSet<QByteArray> wanted{"arithmetic by element",
                                      "a named product",
                                      "padding and concatenation",
                                      "insertion, an axis of length 1, an order of its own",
                                      "tosa: arithmetic with broadcasting",
                                      "tosa: movement",
                                      "tosa: sums",
                                      "tosa as linalg",
                                      "a network as linalg",
                                      "maps as generic ops"};
        int found = 0;
        for (const ProgramRow& row : tensorRows()) {
            if (wanted.contains(row.name)) {
                QTest::newRow(row.name) << QByteArray(row.source) << QByteArray(row.inputs);
                ++found;
            }
        }
        for (const LoweringRow& row : loweringRows()) {
            if (wanted.contains(row.name)) {
                QTest::newRow(row.name) << QByteArray(row.source) << QByteArray(row.inputs);
                ++found;
            }
        }
        QCOMPARE(found, static_cast<int>(wanted.size()));
    }
    void aGraphGivesWhatTheProgramGives() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, inputs);
        const auto module = ir::readModule(source.toStdString(), "g.mlir");
        QVERIFY(module.has_value());
        const auto graph = ir::toGraph(**module);
        QVERIFY2(graph, graph ? "" : graph.error().text().c_str());
        const std::string run = runText(source.toStdString(), inputs.toStdString());
        const std::string same = evaluated(*graph, inputs.toStdString());
        QVERIFY2(run.starts_with("result0: ") && run == same, (run + "\nbut as a graph\n" + same).c_str());
    }

    void dynamicSizesAreSymbols() {
        const auto module = ir::readModule("func.func @f(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %c: tensor<?xf32>) -> tensor<?x4xf32> {\n"
                                           "  %s = arith.addf %a, %b : tensor<?x4xf32>\n  return %s : tensor<?x4xf32>\n}\n",
                                           "g.mlir");
        QVERIFY(module.has_value());
        const auto graph = ir::toGraph(**module);
        QVERIFY2(graph, graph ? "" : graph.error().text().c_str());
        const Graph& g = **graph;
        QCOMPARE(g.value(g.inputs[0]).type.text(), std::string("f32[a_0,4]"));
        QCOMPARE(g.value(g.inputs[1]).type, g.value(g.inputs[0]).type); // added to each other
        QCOMPARE(g.value(g.inputs[2]).type.text(), std::string("f32[c_0]"));
        QCOMPARE(g.outputName(0), std::string("result0"));
    }

    void dynamicGraphsGiveWhatStaticOnesGive_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::newRow("measured, filled, summed") << QByteArray(R"(
func.func @f(%a: tensor<?x2xf32>, %b: tensor<2x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 1.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x2xf32>
  %n = tensor.dim %b, %c1 : tensor<2x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x2xf32>, tensor<2x?xf32>) outs(%i : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
})");
        QTest::newRow("collapsed, expanded, padded, cut") << QByteArray(R"(
func.func @f(%a: tensor<?x2x1xf32>, %b: tensor<2x?xf32>) -> (tensor<?xf32>, tensor<?x1x2xf32>, tensor<?x1xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 7.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x2x1xf32>
  %l = tensor.collapse_shape %a [[0, 1, 2]] : tensor<?x2x1xf32> into tensor<?xf32>
  %x = tensor.collapse_shape %a [[0], [1, 2]] : tensor<?x2x1xf32> into tensor<?x2xf32>
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [%m, 1, 2] : tensor<?x2xf32> into tensor<?x1x2xf32>
  %p = tensor.pad %x low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x2xf32> to tensor<?x3xf32>
  %s = tensor.extract_slice %p[0, 2] [%m, 1] [1, 1] : tensor<?x3xf32> to tensor<?x1xf32>
  return %l, %e, %s : tensor<?xf32>, tensor<?x1x2xf32>, tensor<?x1xf32>
})");
    }
    void dynamicGraphsGiveWhatStaticOnesGive() {
        QFETCH(QByteArray, source);
        const auto module = ir::readModule(source.toStdString(), "g.mlir");
        QVERIFY2(module, module ? "" : module.error().text().c_str());
        const auto graph = ir::toGraph(**module);
        QVERIFY2(graph, graph ? "" : graph.error().text().c_str());
        const std::string inputs = "1 2 3 4 5 6 | 1 0 2 2 1 3";
        // The same by the interpreter, which is told the sizes.
        ir::LowerOptions sizes;
        sizes.sizes = {{"a", 3}, {"b", 3}};
        const std::string run = runText(source.toStdString(), inputs, sizes);
        const std::string same = evaluated(*graph, inputs, 3);
        QVERIFY2(run.starts_with("result0: ") && run == same, (run + "\nbut as a graph\n" + same).c_str());
    }

    void whatIsNoGraphSaysSo_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("memory") << QByteArray("func.func @f(%A: memref<4xf32>) {\n  return\n}\n")
                                << QByteArray("'%A' of type memref<4xf32> has no form as a graph");
        QTest::newRow("a loop")
            << QByteArray("func.func @f(%t: tensor<4xf32>, %n: index) -> tensor<4xf32> {\n  %c = arith.constant 1 : index\n"
                          "  %r = scf.for %i = %c to %n step %c iter_args(%x = %t) -> tensor<4xf32> {\n    scf.yield %x : tensor<4xf32>\n  }\n"
                          "  return %r : tensor<4xf32>\n}\n")
            << QByteArray("op 'scf.for' has no form as a graph");
        QTest::newRow("unsigned") << QByteArray("func.func @f(%t: tensor<4xi32>) -> tensor<4xi32> {\n  %r = arith.divui %t, %t : tensor<4xi32>\n"
                                                "  return %r : tensor<4xi32>\n}\n")
                                  << QByteArray("op 'arith.divui' has no form");
        QTest::newRow("no wrapping")
            << QByteArray("func.func @f(%t: tensor<4xi32>) -> tensor<4xi32> {\n  %r = arith.addi %t, %t overflow<nsw> : tensor<4xi32>\n"
                          "  return %r : tensor<4xi32>\n}\n")
            << QByteArray("op 'arith.addi' has no form");
        QTest::newRow("content of nothing")
            << QByteArray("func.func @f() -> tensor<4xf32> {\n  %r = tensor.empty() : tensor<4xf32>\n  return %r : tensor<4xf32>\n}\n")
            << QByteArray("op 'func.return' has no form");
    }
    void whatIsNoGraphSaysSo() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, says);
        QTemporaryDir folder;
        QFile file(folder.filePath("x.mlir"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(source);
        file.close();
        const auto graph = loadGraph(file.fileName().toStdString());
        QVERIFY(!graph);
        QCOMPARE(graph.error().code, ErrorCode::Unsupported);
        QVERIFY2(QByteArray::fromStdString(graph.error().text()).contains(says), graph.error().text().c_str());
    }

    void filesAreKnownByContent() {
        QTemporaryDir folder;
        const auto loaded = [&](const char* name, const QByteArray& content) {
            QFile file(folder.filePath(name));
            if (file.open(QIODevice::WriteOnly)) {
                file.write(content);
            }
            file.close();
            const auto graph = loadGraph(file.fileName().toStdString());
            return graph ? std::string("a graph") : graph.error().message;
        };
        const QByteArray source = "func.func @f(%t: tensor<4xf32>) -> tensor<4xf32> {\n  return %t : tensor<4xf32>\n}\n";
        QCOMPARE(loaded("a.mlir", source), std::string("a graph"));
        QCOMPARE(loaded("a.txt", source), std::string("a graph"));
        QVERIFY(loaded("b.txt", "module {\n}").starts_with("has no function with a body"));
        QVERIFY(loaded("c.mlir", "").starts_with("is empty"));
        QVERIFY(!loaded("d.bin", QByteArray("ML\xEFR\x06", 5)).empty());
    }
};

QTEST_GUILESS_MAIN(TestMlirGraph)
#include "tst_mlir_graph.moc"
