// Every ONNX file of the cases loads, with a graph that keeps what readers promise.

#include "core/format/onnx/onnx_reader.h"
#include "core/format/onnx/onnx_writer.h"
#include "core/graph/graph_tree.h"
#include "tests/core/format/onnx/graph_text.h"

#include <QtTest>

#include <filesystem>

using namespace lemmascope;

class TestOnnxCases : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyCaseLoads_data();
    void everyCaseLoads();
    void whatIsWrittenReadsBackEqual_data() { everyCaseLoads_data(); }
    void whatIsWrittenReadsBackEqual();
};

void TestOnnxCases::everyCaseLoads_data() {
    QTest::addColumn<QString>("path");
    std::vector<std::filesystem::path> files;
    for (const char* folder : {"onnx", "ort", "ort-bugs", "bugs"}) {
        for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(LEMMASCOPE_TEST_DATA) / "cases" / folder)) {
            if (entry.path().extension() == ".onnx") {
                files.push_back(entry.path());
            }
        }
    }
    std::sort(files.begin(), files.end());
    QVERIFY(files.size() > 300);
    for (const auto& file : files) {
        QTest::newRow((file.parent_path().filename() / file.filename()).c_str()) << QString::fromStdString(file.string());
    }
}

void TestOnnxCases::everyCaseLoads() {
    QFETCH(QString, path);
    const auto graph = readOnnxFile(path.toStdString());
    QVERIFY2(graph.has_value(), graph ? "" : graph.error().text().c_str());
    QVERIFY(!(*graph)->nodes.empty());
    QVERIFY(!(*graph)->outputs.empty());
    const auto tree = GraphTree::build(*graph);
    QVERIFY2(tree.has_value(), tree ? "" : tree.error().text().c_str());
    for (const GraphInstance& instance : tree->instances()) {
        const Graph& part = *instance.graph;
        std::vector<bool> made(part.values.size(), true);
        for (const Node& node : part.nodes) {
            for (const ValueId result : node.results) {
                if (result.isValid()) {
                    made[result.index] = false;
                }
            }
        }
        for (const Node& node : part.nodes) { // each node reads only what stands before it
            for (const ValueId operand : node.operands) {
                QVERIFY(!operand.isValid() || made.at(operand.index));
            }
            for (const ValueId result : node.results) {
                if (result.isValid()) {
                    made[result.index] = true;
                }
            }
            QVERIFY(!node.op.domain.empty() || node.op.version > 0);
        }
    }
}

void TestOnnxCases::whatIsWrittenReadsBackEqual() {
    QFETCH(QString, path);
    const auto graph = readOnnxFile(path.toStdString());
    QVERIFY(graph.has_value());
    std::vector<std::string> notes;
    const auto bytes = writeOnnxBytes(**graph, notes);
    QVERIFY2(bytes.has_value(), bytes ? "" : bytes.error().text().c_str());
    QVERIFY(notes.empty());
    const auto again = readOnnxBytes(std::as_bytes(std::span(*bytes)), "again.onnx");
    QVERIFY2(again.has_value(), again ? "" : again.error().text().c_str());
    QCOMPARE(QString::fromStdString(test::graphText(**again)), QString::fromStdString(test::graphText(**graph)));
    std::vector<std::string> notesAgain;
    QCOMPARE(*writeOnnxBytes(**graph, notesAgain), *bytes);
}

QTEST_GUILESS_MAIN(TestOnnxCases)
#include "tst_onnx_cases.moc"
