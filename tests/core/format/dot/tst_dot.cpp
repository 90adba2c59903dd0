#include "core/format/dot/dot_writer.h"
#include "core/format/json/json_reader.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTest>

using namespace lemmascope;

namespace {

std::shared_ptr<const Graph> read(const std::string& members) {
    const auto graph = readJsonGraph(R"({"format": "lemmascope-graph", "version": 1, "opset": 17, )" + members + "}", "g.lsg.json");
    if (!graph) {
        qWarning("%s", graph.error().text().c_str());
        return nullptr;
    }
    return *graph;
}

// An input whose name needs escapes (moc does not read backslashes in raw strings).
const std::string Odd = "\"x\\\"\\\\\"";
const std::string Branches = R"("name": "g", "inputs": [{"name": "c", "type": "bool", "shape": []}, {"name": )" + Odd +
                             R"(, "type": "f32", "shape": ["n"]}], "constants": [{"name": "k", "type": "f32", "shape": [], "data": 1}],
    "nodes": [{"op": "Add", "name": "plus", "in": [)" +
                             Odd + R"(, "k"], "out": ["a"]},
              {"op": "If", "in": ["c"], "out": ["y"], "attrs": {
                 "else_branch": {"outputs": ["a"]},
                 "then_branch": {"nodes": [{"op": "Neg", "in": ["a"], "out": ["b"]}], "outputs": ["b"]}}}],
    "outputs": ["y"])";

} // namespace

class TestDot : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theTextIsExact();
    void collapsedGraphsHaveNoClusters();
    void graphvizTakesIt();
    void tablesAreCalledByTheirName();
};

void TestDot::theTextIsExact() {
    const auto graph = read(Branches);
    QVERIFY(graph);
    const auto text = writeDot(graph);
    QVERIFY(text.has_value());
    QCOMPARE(QString::fromStdString(*text), QStringLiteral("digraph \"g\" {\n"
                                                           "  node [shape=box];\n"
                                                           "  v0 [shape=ellipse, label=\"c\\nbool[]\"];\n"
                                                           "  v1 [shape=ellipse, label=\"x\\\"\\\\\\nf32[n]\"];\n"
                                                           "  o0_0 [shape=ellipse, label=\"y\"];\n"
                                                           "  n0 [label=\"Add\\nplus\"];\n"
                                                           "  n1 [label=\"If\"];\n"
                                                           "  subgraph cluster1 {\n"
                                                           "    label=\"else_branch\";\n"
                                                           "    o1_0 [shape=ellipse, label=\"a\"];\n"
                                                           "  }\n"
                                                           "  subgraph cluster2 {\n"
                                                           "    label=\"then_branch\";\n"
                                                           "    o2_0 [shape=ellipse, label=\"b\"];\n"
                                                           "    n2 [label=\"Neg\"];\n"
                                                           "  }\n"
                                                           "  n1 -> o0_0 [label=\"y\"];\n"
                                                           "  v1 -> n0 [label=\"x\\\"\\\\\\nf32[n]\"];\n"
                                                           "  v0 -> n1 [label=\"c\\nbool[]\"];\n"
                                                           "  n0 -> o1_0 [label=\"a\"];\n"
                                                           "  n2 -> o2_0 [label=\"b\"];\n"
                                                           "  n0 -> n2 [label=\"a\"];\n"
                                                           "}\n"));
    QCOMPARE(*writeDot(graph), *text);
    const auto constants = writeDot(graph, {.nested = true, .constants = true, .name = {}});
    QVERIFY(QString::fromStdString(*constants).contains(QStringLiteral("[style=dashed, label=\"k\\nf32[]\"]")));
}

void TestDot::collapsedGraphsHaveNoClusters() {
    const auto text = writeDot(read(Branches), {.nested = false, .constants = false, .name = "other"});
    QVERIFY(text.has_value());
    QVERIFY(QString::fromStdString(*text).startsWith(QStringLiteral("digraph \"other\"")));
    QVERIFY(!QString::fromStdString(*text).contains(QStringLiteral("cluster")));
    QVERIFY(!QString::fromStdString(*text).contains(QStringLiteral("Neg")));
}

void TestDot::graphvizTakesIt() {
    const QString dot = QStandardPaths::findExecutable(QStringLiteral("dot"));
    if (dot.isEmpty()) {
        QSKIP("Graphviz' dot is not installed");
    }
    const auto text = writeDot(read(Branches), {.nested = true, .constants = true, .name = {}});
    QProcess process;
    process.start(dot, {QStringLiteral("-Tplain")});
    process.write(QByteArray::fromStdString(*text));
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished());
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
    QCOMPARE(process.readAllStandardOutput().count("\nnode "), qsizetype{9}); // 2 inputs, 1 constant, 3 nodes, 3 outputs
}

void TestDot::tablesAreCalledByTheirName() {
    const auto text = writeDot(read(
        R"("inputs": [{"name": "x", "type": "f32", "shape": [2, 8]}], "tables": [{"name": "kv", "type": "f32", "shape": [4, 8], "start": "input"}],
        "nodes": [{"op": "Neg", "in": ["x"], "out": [{"into": "kv", "rows": [0, 2]}]}], "outputs": ["kv"])"));
    QVERIFY(text.has_value());
    QVERIFY(QString::fromStdString(*text).contains(QStringLiteral("o0_0 [shape=ellipse, label=\"kv\"];")));
    QVERIFY(QString::fromStdString(*text).contains(QStringLiteral("label=\"lemmascope.StoreSlice\"")));
}

QTEST_APPLESS_MAIN(TestDot)
#include "tst_dot.moc"
