#include "core/format/json/json_reader.h"
#include "core/format/json/json_text.h"
#include "core/format/npy/npy.h"
#include "tests/core/format/json/graph_text.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <ctime>
#include <filesystem>

using namespace lemmascope;

namespace {

/// Wraps the members that follow the opset: `"inputs": [...], "nodes": [...], "outputs": [...]`.
std::string document(const std::string& members) { return R"({"format": "lemmascope-graph", "version": 1, "opset": 17, )" + members + "}"; }

/// Inputs x f32[2,8], pos i64[2], p i64[] and the table kv f32[16,8], then `nodes` and `outputs`.
std::string withNodes(const std::string& nodes, const std::string& outputs = R"(["y"])") {
    return document(R"("inputs": [{"name": "x", "type": "f32", "shape": [2, 8]}, {"name": "pos", "type": "i64", "shape": [2], "range": [0, 15]},
        {"name": "p", "type": "i64", "shape": []}], "tables": [{"name": "kv", "type": "f32", "shape": [16, 8], "start": "input"}],
        "nodes": [)" +
                    nodes + R"(], "outputs": )" + outputs);
}

std::string withConstant(const std::string& constant) {
    return document(R"("constants": [{"name": "w", )" + constant + R"(}], "nodes": [{"op": "Neg", "in": ["w"], "out": ["y"]}], "outputs": ["y"])");
}

std::string withAttrs(const std::string& attrs) {
    return document(R"("inputs": [{"name": "x", "type": "f32", "shape": [4]}], "nodes": [{"op": "foo", "in": ["x"], "out": ["y"], "attrs": {)" +
                    attrs + R"(}}], "outputs": ["y"])");
}

Result<std::shared_ptr<const Graph>> read(const std::string& text, const std::filesystem::path& file = "g.lsg.json") {
    return readJsonGraph(text, file);
}

std::shared_ptr<const Graph> readGood(const std::string& text) {
    const auto graph = read(text);
    if (!graph) {
        qWarning("%s", graph.error().text().c_str());
        return nullptr;
    }
    return *graph;
}

/// The lines of graphText that show nodes and outputs.
QString nodesOf(const std::string& text) {
    const auto graph = read(text);
    if (!graph) {
        return QString::fromStdString(graph.error().text());
    }
    QStringList kept;
    const QStringList lines = QString::fromStdString(test::graphText(**graph)).split(QLatin1Char('\n'));
    for (const QString& line : lines) {
        if (line.contains(QStringLiteral("->")) || line.startsWith(QStringLiteral("output"))) {
            kept += line;
        }
    }
    return kept.join(QLatin1Char('\n'));
}

std::string repeated(const std::string& text, int count) {
    std::string out;
    for (int k = 0; k < count; ++k) {
        out += text;
    }
    return out;
}

} // namespace

class TestJsonReader : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void casesLoad_data();
    void casesLoad();
    void formsBecomeNodes_data();
    void formsBecomeNodes();
    void negativeStepsAreOnnxSlices_data();
    void negativeStepsAreOnnxSlices();
    void operandsAreReadBeforeResultsAreWritten();
    void madeNamesAvoidTheFilesNames();
    void constantsAreExact_data();
    void constantsAreExact();
    void attributesKeepTheirKind();
    void subgraphsCaptureOuterValues();
    void fusedBodiesPairByPosition();
    void versionsComeFromTheOpsets();
    void declaredTypesAndRangesAreKept();
    void constantsFromFilesStayInTheFolder();
    void badDocuments_data();
    void badDocuments();
    void badTextNamesLineAndColumn_data();
    void badTextNamesLineAndColumn();
    void deepNestingIsRefusedQuickly_data();
    void deepNestingIsRefusedQuickly();
    void aHundredThousandNodesReadFast();
    void cancelledReadingStops();
};

void TestJsonReader::casesLoad_data() {
    QTest::addColumn<QString>("path");
    const QDir folder(QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/json"));
    const QStringList names = folder.entryList({QStringLiteral("*.lsg.json")});
    QCOMPARE(names.size(), 54);
    for (const QString& name : names) {
        QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }
}

void TestJsonReader::casesLoad() {
    QFETCH(QString, path);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    const auto graph = readJsonGraph(std::string_view(text.constData(), static_cast<std::size_t>(text.size())), path.toStdString());
    QVERIFY2(graph.has_value(), graph ? "" : graph.error().text().c_str());
    QVERIFY(!(*graph)->outputs.empty());
}

void TestJsonReader::formsBecomeNodes_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("outputs");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* nodes, const char* outputs, const char* expected) {
        QTest::newRow(name) << QString::fromLatin1(nodes) << QString::fromLatin1(outputs) << QString::fromLatin1(expected);
    };
    row("rows", R"({"op": "Neg", "in": [{"of": "kv", "rows": [3, 5]}], "out": ["y"]})", R"(["y"])",
        ".Slice@17 '' ( 'kv' 'i64[3]' 'i64[5]' 'i64[0]' 'i64[1]' ) -> ( 'kv[3:5]' ) lemmascope.form=\"part\" lemmascope.words=\"rows\"\n"
        ".Neg@17 '' ( 'kv[3:5]' ) -> ( 'y' )\n"
        "output 'y' as 'y'");
    row("rows and cols", R"({"op": "Neg", "in": [{"of": "kv", "rows": [3, 5], "cols": [0, 2]}], "out": ["y"]})", R"(["y"])",
        ".Slice@17 '' ( 'kv' 'i64[3, 0]' 'i64[5, 2]' 'i64[0, -1]' 'i64[1, 1]' ) -> ( 'kv[3:5, ..., 0:2]' ) lemmascope.form=\"part\" "
        "lemmascope.words=\"rows cols\"\n"
        ".Neg@17 '' ( 'kv[3:5, ..., 0:2]' ) -> ( 'y' )\n"
        "output 'y' as 'y'");
    row("rows by tensor, cols", R"({"op": "Neg", "in": [{"of": "kv", "rows": "pos", "cols": [4, 8]}], "out": ["y"]})", R"(["y"])",
        ".Gather@17 '' ( 'kv' 'pos' ) -> ( 'kv[pos, ..., 4:8]' ) axis=0i lemmascope.form=\"part\"\n"
        ".Slice@17 '' ( 'kv[pos, ..., 4:8]' 'i64[4]' 'i64[8]' 'i64[-1]' 'i64[1]' ) -> ( 'kv[pos, ..., 4:8]'2' ) lemmascope.form=\"part\" "
        "lemmascope.words=\"cols\"\n"
        ".Neg@17 '' ( 'kv[pos, ..., 4:8]'2' ) -> ( 'y' )\n"
        "output 'y' as 'y'");
    row("rows at a position", R"({"op": "Neg", "in": [{"of": "kv", "rows": {"at": "p", "count": 2}}], "out": ["y"]})", R"(["y"])",
        "lemmascope.RowsAt@1 '' ( 'kv' 'p' ) -> ( 'kv[p:p+2]' ) count=2i lemmascope.form=\"part\"\n"
        ".Neg@17 '' ( 'kv[p:p+2]' ) -> ( 'y' )\n"
        "output 'y' as 'y'");
    row("store a slice", R"({"op": "Neg", "in": ["x"], "out": [{"into": "kv", "slice": [[0, 4, 2], [0, 8, -1]]}]})", R"(["kv"])",
        ".Neg@17 '' ( 'x' ) -> ( 'kv#1.value' )\n"
        "lemmascope.StoreSlice@1 '' ( 'kv' 'kv#1.value' ) -> ( 'kv#1' ) ends=[4,8,]i lemmascope.form=\"store\" lemmascope.words=\"slice\" "
        "starts=[0,0,]i steps=[2,-1,]i\n"
        "output 'kv#1' as 'kv'");
    row("store rows by tensor", R"({"op": "Neg", "in": ["x"], "out": [{"into": "kv", "rows": "pos"}]})", R"(["kv"])",
        ".Neg@17 '' ( 'x' ) -> ( 'kv#1.value' )\n"
        "lemmascope.StoreRows@1 '' ( 'kv' 'kv#1.value' 'pos' ) -> ( 'kv#1' ) lemmascope.form=\"store\"\n"
        "output 'kv#1' as 'kv'");
    row("store rows at, cols", R"({"op": "foo", "in": ["x"], "out": [{"into": "kv", "rows": {"at": "p", "count": 2}, "cols": [0, 4]}]})", R"(["kv"])",
        ".foo@17 '' ( 'x' ) -> ( 'kv#1.value' )\n"
        ".Slice@17 '' ( 'kv' 'i64[0]' 'i64[4]' 'i64[-1]' 'i64[1]' ) -> ( 'kv#1.columns' ) lemmascope.form=\"store\" lemmascope.words=\"cols\"\n"
        "lemmascope.StoreRowsAt@1 '' ( 'kv#1.columns' 'kv#1.value' 'p' ) -> ( 'kv#1.rows' ) count=2i lemmascope.form=\"store\"\n"
        "lemmascope.StoreSlice@1 '' ( 'kv' 'kv#1.rows' ) -> ( 'kv#1' ) ends=[16,4,]i lemmascope.form=\"store\" lemmascope.words=\"cols\" "
        "starts=[0,0,]i steps=[1,1,]i\n"
        "output 'kv#1' as 'kv'");
    row("omitted operand and result", R"({"op": "foo", "in": ["x", null, "p"], "out": [null, "y"]})", R"(["y"])",
        ".foo@17 '' ( 'x' - 'p' ) -> ( - 'y' )\noutput 'y' as 'y'");
}

void TestJsonReader::formsBecomeNodes() {
    QFETCH(QString, nodes);
    QFETCH(QString, outputs);
    QFETCH(QString, expected);
    QCOMPARE(nodesOf(withNodes(nodes.toStdString(), outputs.toStdString())), expected);
}

void TestJsonReader::negativeStepsAreOnnxSlices_data() {
    QTest::addColumn<QString>("slice");
    QTest::addColumn<QString>("constants"); ///< starts, ends, steps
    QTest::newRow("down to the first") << QStringLiteral("[[0, 6, -1]]") << QStringLiteral("i64[5] i64[-9223372036854775808] i64[-1]");
    QTest::newRow("down to the second") << QStringLiteral("[[1, 6, -2]]") << QStringLiteral("i64[5] i64[0] i64[-2]");
    QTest::newRow("empty") << QStringLiteral("[[0, 0, -1]]") << QStringLiteral("i64[0] i64[0] i64[1]");
    QTest::newRow("forward") << QStringLiteral("[[1, 6, 2]]") << QStringLiteral("i64[1] i64[6] i64[2]");
}

void TestJsonReader::negativeStepsAreOnnxSlices() {
    QFETCH(QString, slice);
    QFETCH(QString, constants);
    const auto graph =
        readGood(document(R"("inputs": [{"name": "v", "type": "f32", "shape": [6]}], "nodes": [{"op": "Neg", "in": [{"of": "v", "slice": )" +
                          slice.toStdString() + R"(}], "out": ["y"]}], "outputs": ["y"])"));
    QVERIFY(graph);
    const Node& node = graph->nodes.at(0);
    QCOMPARE(QString::fromStdString(graph->value(node.operands.at(1)).name + " " + graph->value(node.operands.at(2)).name + " " +
                                    graph->value(node.operands.at(4)).name),
             constants);
    QCOMPARE(graph->value(node.operands.at(1)).constant->count(), 1);
}

void TestJsonReader::operandsAreReadBeforeResultsAreWritten() {
    // The second result overwrites what the first wrote; both rows come from the table as it was before the node.
    QCOMPARE(
        nodesOf(withNodes(
            R"({"op": "foo", "in": [{"of": "kv", "rows": [0, 1]}, "kv"], "out": [{"into": "kv", "rows": [1, 2]}, "a", {"into": "kv", "rows": "pos"}]},
                                  {"op": "Neg", "in": ["kv"], "out": ["y"]})",
            R"(["kv", "y"])")),
        QStringLiteral(
            ".Slice@17 '' ( 'kv' 'i64[0]' 'i64[1]' 'i64[0]' 'i64[1]' ) -> ( 'kv[0:1]' ) lemmascope.form=\"part\" lemmascope.words=\"rows\"\n"
            ".foo@17 '' ( 'kv[0:1]' 'kv' ) -> ( 'kv#1.value' 'a' 'kv#2.value' )\n"
            "lemmascope.StoreSlice@1 '' ( 'kv' 'kv#1.value' ) -> ( 'kv#1' ) ends=[2,8,]i lemmascope.form=\"store\" "
            "lemmascope.words=\"rows\" starts=[1,0,]i steps=[1,1,]i\n"
            "lemmascope.StoreRows@1 '' ( 'kv#1' 'kv#2.value' 'pos' ) -> ( 'kv#2' ) lemmascope.form=\"store\"\n"
            ".Neg@17 '' ( 'kv#2' ) -> ( 'y' )\n"
            "output 'kv#2' as 'kv'\n"
            "output 'y' as 'y'"));
}

void TestJsonReader::madeNamesAvoidTheFilesNames() {
    const auto graph = readGood(withNodes(
        R"({"op": "Neg", "in": ["x"], "out": [{"into": "kv", "rows": [0, 2]}]}, {"op": "Neg", "in": ["x"], "out": ["kv#1"]})", R"(["kv", "kv#1"])"));
    QVERIFY(graph);
    QCOMPARE(graph->value(graph->outputs.at(0)).name, std::string("kv#1'2"));
    QCOMPARE(graph->outputName(0), std::string("kv"));
    QCOMPARE(graph->value(graph->outputs.at(1)).name, std::string("kv#1"));
}

void TestJsonReader::constantsAreExact_data() {
    QTest::addColumn<QString>("constant");
    QTest::addColumn<QByteArray>("bytes");
    const auto row = [](const char* name, const char* constant, const char* hex) {
        QTest::newRow(name) << QString::fromLatin1(constant) << QByteArray::fromHex(hex);
    };
    row("f32", R"("type": "f32", "shape": [6], "data": [0.1, -0, "nan", "inf", "-inf", 1e-50])",
        "cdcccc3d 00000080 0000c07f 0000807f 000080ff 00000000");
    row("f32 not by way of f64", R"("type": "f32", "shape": [1], "data": [1.00000017881393432617187499])", "0100803f");
    row("f64", R"("type": "f64", "shape": [2, 1], "data": [[0.1], [5e-324]])", "");
    row("f16", R"("type": "f16", "shape": [2], "data": [65504, 1.0])", "ff7b 003c");
    row("bf16", R"("type": "bf16", "shape": [1], "data": [-1.5])", "c0bf");
    row("i64 beyond 2^53", R"("type": "i64", "shape": [2], "data": [9007199254740993, -9223372036854775808])", "0100000000002000 0000000000000080");
    row("u64", R"("type": "u64", "shape": [1], "data": [18446744073709551615])", "ffffffffffffffff");
    row("i8", R"("type": "i8", "shape": [2], "data": [-128, 127])", "80 7f");
    row("bool", R"("type": "bool", "shape": [4], "data": [true, false, 1, 0])", "01 00 01 00");
    row("i4", R"("type": "i4", "shape": [2], "data": [-8, 7])", "f8 07");
    row("scalar", R"("type": "i32", "shape": [], "data": 7)", "07000000");
    row("nested", R"("type": "u8", "shape": [2, 3], "data": [[1, 2, 3], [4, 5, 6]])", "01 02 03 04 05 06");
    row("nested and mixed", R"("type": "f32", "shape": [2, 1], "data": [["inf"], [1]])", "0000807f 0000803f");
    row("empty", R"("type": "f32", "shape": [0, 3], "data": [])", "");
    row("empty nested", R"("type": "f32", "shape": [2, 0], "data": [[], []])", "");
    row("base64", R"("type": "u16", "shape": [2], "base64": "AQACAA==")", "0100 0200");
}

void TestJsonReader::constantsAreExact() {
    QFETCH(QString, constant);
    QFETCH(QByteArray, bytes);
    const auto graph = readGood(withConstant(constant.toStdString()));
    QVERIFY(graph);
    const Tensor& tensor = *graph->value(graph->findValue("w")).constant;
    if (tensor.element() == ElementType::F64) {
        QCOMPARE(tensor.as<double>()[0], 0.1);
        QCOMPARE(tensor.as<double>()[1], 5e-324);
        return;
    }
    const QByteArray actual(reinterpret_cast<const char*>(tensor.bytes().data()), static_cast<qsizetype>(tensor.bytes().size()));
    QCOMPARE(actual.toHex(), bytes.toHex());
}

void TestJsonReader::attributesKeepTheirKind() {
    const auto graph = readGood(withAttrs(R"("i": 3, "f": 3.0, "e": 1e2, "s": "text", "is": [1, 2], "fs": [1, 2.5], "ss": ["a", "b"], "none": [],
        "nan": {"float": "nan"}, "nofloats": {"floats": []}, "nostrings": {"strings": []}, "raw": {"bytes": "/w=="}, "graphs": {"graphs": []},
        "t": {"type": "i64", "shape": [2], "data": [1, 2]}, "big": 9223372036854775807)"));
    QVERIFY(graph);
    const Node& node = graph->nodes.at(0);
    QCOMPARE(*node.attribute<std::int64_t>("i"), 3);
    QCOMPARE(*node.attribute<float>("f"), 3.0F);
    QCOMPARE(*node.attribute<float>("e"), 100.0F);
    QCOMPARE(*node.attribute<std::string>("s"), std::string("text"));
    QCOMPARE(*node.attribute<std::vector<std::int64_t>>("is"), (std::vector<std::int64_t>{1, 2}));
    QCOMPARE(*node.attribute<std::vector<float>>("fs"), (std::vector<float>{1.0F, 2.5F}));
    QCOMPARE(*node.attribute<std::vector<std::string>>("ss"), (std::vector<std::string>{"a", "b"}));
    QVERIFY(node.attribute<std::vector<std::int64_t>>("none")->empty());
    QVERIFY(std::isnan(*node.attribute<float>("nan")));
    QVERIFY(node.attribute<std::vector<float>>("nofloats")->empty());
    QVERIFY(node.attribute<std::vector<std::string>>("nostrings")->empty());
    QCOMPARE(*node.attribute<std::string>("raw"), std::string("\xFF"));
    QVERIFY(node.attribute<std::vector<std::shared_ptr<const Graph>>>("graphs")->empty());
    QCOMPARE(node.attribute<Tensor>("t")->toInt64(1), 2);
    QCOMPARE(*node.attribute<std::int64_t>("big"), INT64_MAX);
}

void TestJsonReader::subgraphsCaptureOuterValues() {
    const auto graph = readGood(withNodes(R"({"op": "Identity", "in": ["x"], "out": [{"into": "kv", "rows": [0, 2]}]},
        {"op": "If", "in": ["p"], "out": ["y"], "attrs": {
            "then_branch": {"nodes": [{"op": "If", "in": ["p"], "out": ["z"], "attrs": {
                "then_branch": {"outputs": ["kv"]}, "else_branch": {"outputs": ["x"]}}}], "outputs": ["z"]},
            "else_branch": {"nodes": [{"op": "Neg", "in": [{"of": "kv", "rows": [0, 2]}], "out": ["x"]}], "outputs": ["x"]}}})"));
    QVERIFY(graph);
    const Node& node = graph->nodes.back();
    const Graph& then = **node.attribute<std::shared_ptr<const Graph>>("then_branch");
    QCOMPARE(then.captures.size(), std::size_t{3}); // p, kv, x
    for (const Capture& capture : then.captures) {
        const std::string& inner = then.value(capture.inner).name;
        QCOMPARE(graph->value(capture.outer).name, inner == "kv" ? std::string("kv#1") : inner); // the version at that point
    }
    const Graph& deepest = **then.nodes.at(0).attribute<std::shared_ptr<const Graph>>("then_branch");
    QCOMPARE(deepest.captures.size(), std::size_t{1});
    QCOMPARE(then.value(deepest.captures[0].outer).name, std::string("kv"));
    QCOMPARE(deepest.outputs.at(0), deepest.captures[0].inner);
    const Graph& otherwise = **node.attribute<std::shared_ptr<const Graph>>("else_branch");
    QCOMPARE(otherwise.captures.size(), std::size_t{1});
    QVERIFY(otherwise.value(otherwise.outputs.at(0)).producer.isValid()); // its own x
}

void TestJsonReader::fusedBodiesPairByPosition() {
    const auto graph = readGood(withNodes(R"({"op": "fused", "name": "NegRelu", "in": ["x", {"of": "kv", "rows": "pos"}], "out": ["y"],
        "body": {"inputs": ["a", {"name": "b", "type": "f32", "shape": [2, 8]}], "constants": [{"name": "one", "type": "f32", "shape": [], "data": 1}],
                 "nodes": [{"op": "Add", "in": ["a", "b"], "out": ["s"]}, {"op": "Add", "in": ["s", "one"], "out": ["r"]}], "outputs": ["r"]}})"));
    QVERIFY(graph);
    const Node& node = graph->nodes.back();
    QCOMPARE(node.op, (OpId{"lemmascope", "NegRelu", 1}));
    QVERIFY(node.name.empty());
    QCOMPARE(node.body->inputs.size(), std::size_t{2});
    QCOMPARE(node.body->value(node.body->inputs[1]).type.text(), std::string("f32[2,8]"));
    QCOMPARE(node.body->nodes.at(0).op.version, 17);
    QVERIFY(node.body->captures.empty());
}

void TestJsonReader::versionsComeFromTheOpsets() {
    const auto graph = readGood(document(R"("opsets": {"com.microsoft": 1}, "inputs": [{"name": "x", "type": "f32"}], "nodes": [
        {"op": "Neg", "in": ["x"], "out": ["a"]}, {"op": "Neg", "in": ["a"], "out": ["b"], "version": 11},
        {"op": "Gelu", "domain": "com.microsoft", "in": ["b"], "out": ["c"]}, {"op": "bar", "domain": "mine", "in": ["c"], "out": ["d"]},
        {"op": "Neg", "domain": "ai.onnx", "in": ["d"], "out": ["y"]}], "outputs": ["y"])"));
    QVERIFY(graph);
    QCOMPARE(graph->nodes[0].op, (OpId{"", "Neg", 17}));
    QCOMPARE(graph->nodes[1].op, (OpId{"", "Neg", 11}));
    QCOMPARE(graph->nodes[2].op, (OpId{"com.microsoft", "Gelu", 1}));
    QCOMPARE(graph->nodes[3].op, (OpId{"mine", "bar", 0}));
    QCOMPARE(graph->nodes[4].op, (OpId{"", "Neg", 17}));
    QVERIFY(!graph->value(graph->inputs[0]).type.shape);
}

void TestJsonReader::declaredTypesAndRangesAreKept() {
    const auto graph = readGood(document(R"("symbols": {"n": [2, 64]}, "inputs": [{"name": "x", "type": "f32", "shape": ["n", 8]}],
        "nodes": [
          {"op": "foo", "in": ["x"], "out": ["y"]}], "values": [{"name": "y", "type": "i32", "shape": ["n"]}], "outputs": ["y"])"));
    QVERIFY(graph);
    QCOMPARE(graph->symbols.at("n"), (IntegerRange{2, 64}));
    QCOMPARE(graph->value(graph->inputs[0]).type.text(), std::string("f32[n,8]"));
    QCOMPARE(graph->value(graph->outputs[0]).type.text(), std::string("i32[n]"));
    QCOMPARE(graph->nodes[0].line, 3);
}

void TestJsonReader::constantsFromFilesStayInTheFolder() {
    const QTemporaryDir dir;
    const std::filesystem::path base = dir.path().toStdString();
    std::filesystem::create_directories(base / "model" / "weights");
    const Tensor tensor = Tensor::of<float>(ElementType::F32, {2}, {1.0F, 2.0F});
    QVERIFY(writeNpy(tensor, base / "model" / "weights" / "w.npy").has_value());
    QVERIFY(writeNpy(tensor, base / "outside.npy").has_value());
    std::filesystem::create_symlink(base / "outside.npy", base / "model" / "link.npy");
    const std::filesystem::path model = base / "model" / "g.lsg.json";

    const auto good = read(withConstant(R"("type": "f32", "shape": [2], "file": "weights/w.npy")"), model);
    QVERIFY2(good.has_value(), good ? "" : good.error().text().c_str());
    QVERIFY((*good)->value((*good)->findValue("w")).constant->sameBits(tensor));
    QVERIFY(read(withConstant(R"("file": "weights/w.npy")"), model).has_value()); // type and shape are the file's

    const auto message = [&](const std::string& constant) {
        const auto graph = read(withConstant(constant), model);
        return graph ? QStringLiteral("read") : QString::fromStdString(graph.error().message);
    };
    QVERIFY(message(R"("file": "../outside.npy")").contains(QStringLiteral("not in the model's folder")));
    QVERIFY(message(R"("file": "weights/../../outside.npy")").contains(QStringLiteral("not in the model's folder")));
    QVERIFY(message(R"("file": "link.npy")").contains(QStringLiteral("not in the model's folder")));
    QVERIFY(message("\"file\": \"" + (base / "outside.npy").string() + "\"").contains(QStringLiteral("not in the model's folder")));
    QVERIFY(message(R"("file": "weights/none.npy")").contains(QStringLiteral("there is no such file")));
    QVERIFY(message(R"("file": "weights")").contains(QStringLiteral("not a regular file")));
    QVERIFY(message(R"("type": "f64", "shape": [2], "file": "weights/w.npy")").contains(QStringLiteral("holds f32[2], declared is f64[2]")));
    QVERIFY(message(R"("shape": [3], "file": "weights/w.npy")").contains(QStringLiteral("declared is f32[3]")));
}

void TestJsonReader::badDocuments_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const std::string& text, const char* expected) {
        QTest::newRow(name) << QString::fromStdString(text) << QString::fromUtf8(expected);
    };
    // The document.
    row("no object", "[1]", "the file holds a list, expected a graph");
    row("no format", R"({"inputs": []})", "'format' is missing");
    row("other format", R"({"format": "lemmascope-result", "version": 1})", "this is the result of a check, not a graph");
    row("format of another kind", R"({"format": 3, "version": 1})", "'format' is an integer, expected \"lemmascope-graph\"");
    row("no version", R"({"format": "lemmascope-graph"})", "'version' is missing: expected 1");
    row("newer version", R"({"format": "lemmascope-graph", "version": 2})", "'version' is 2, expected 1: a newer file needs a newer program");
    row("unknown key", document(R"("output": ["y"])"), "unknown key 'output' in the graph; did you mean 'outputs'?");
    row("unknown key, none near", document(R"("zzzzzzzz": 1)"), "unknown key 'zzzzzzzz' in the graph; known are '$schema', 'format'");
    row("key twice", document(R"("outputs": [], "outputs": [])"), "key 'outputs' is given twice in the graph");
    row("no outputs", document(R"("nodes": [])"), "'outputs' is missing in the graph: expected a list of names");
    row("nodes no list", document(R"("nodes": {}, "outputs": [])"), "'nodes' is an object, expected a list");
    row("inputs no list", document(R"("inputs": "x", "outputs": [])"), "'inputs' is a string, expected a list");
    row("opset no integer", R"({"format": "lemmascope-graph", "version": 1, "opset": "17", "outputs": []})",
        "'opset' is a string, expected an integer");
    row("opset 0", R"({"format": "lemmascope-graph", "version": 1, "opset": 0, "outputs": []})", "'opset' is 0, expected a version such as 17");
    row("no opset", R"({"format": "lemmascope-graph", "version": 1, "nodes": [{"op": "Neg", "out": ["y"]}], "outputs": ["y"]})",
        "node 'Neg' (nodes[0]): the graph has no 'opset'");
    row("symbols no object", document(R"("symbols": [], "outputs": [])"), "'symbols' is a list, expected an object");
    row("symbol range", document(R"("symbols": {"n": [3, 2]}, "outputs": [])"), "symbol 'n' is no range");
    row("symbol range below 0", document(R"("symbols": {"n": [-1, 2]}, "outputs": [])"), "both 0 or more");
    row("symbol twice", document(R"("symbols": {"n": [1, 2], "n": [1, 3]}, "outputs": [])"), "symbol 'n' is given twice");
    // Inputs and types.
    row("input no object", document(R"("inputs": [3], "outputs": [])"), "inputs[0]: an input is an integer, expected an object");
    row("input no name", document(R"("inputs": [{"type": "f32"}], "outputs": [])"), "inputs[0]: 'name' is missing in an input");
    row("empty name", document(R"("inputs": [{"name": "", "type": "f32"}], "outputs": [])"), "'name' is empty: every value needs a name");
    row("name no string", document(R"("inputs": [{"name": 7, "type": "f32"}], "outputs": [])"), "'name' is an integer, expected a string");
    row("unknown type", document(R"("inputs": [{"name": "x", "type": "f33"}], "outputs": [])"), "inputs[0] 'x': unknown element type 'f33'");
    row("negative length", document(R"("inputs": [{"name": "x", "type": "f32", "shape": [-1]}], "outputs": [])"),
        "'shape'[0] is -1: a length is 0 or more; an unknown length is a symbol such as \"n\"");
    row("length no integer", document(R"("inputs": [{"name": "x", "type": "f32", "shape": [2.5]}], "outputs": [])"),
        "'shape'[0] is a number with a point or exponent, expected an integer");
    row("length as text", document(R"("inputs": [{"name": "x", "type": "f32", "shape": ["8"]}], "outputs": [])"),
        "a length is written without quotes");
    row("shape overflow", document(R"("inputs": [{"name": "x", "type": "f32", "shape": [4294967296, 4294967296]}], "outputs": [])"),
        "'shape' has more elements than fit into memory");
    row("length past 64 bits", document(R"("inputs": [{"name": "x", "type": "f32", "shape": [99999999999999999999]}], "outputs": [])"),
        "'shape'[0] is 99999999999999999999, which is outside 64 bits");
    row("range of a bool", document(R"("inputs": [{"name": "x", "type": "bool", "range": [0, 1]}], "outputs": [])"),
        "'range' is for integer and float inputs");
    row("range reversed", document(R"("inputs": [{"name": "x", "type": "i64", "range": [1, 0]}], "outputs": [])"), "'range' is no range");
    row("name twice", document(R"("inputs": [{"name": "x", "type": "f32"}, {"name": "x", "type": "f32"}], "outputs": [])"),
        "inputs[1] 'x': the name 'x' is defined twice, first by inputs[0]");
    row("table and input",
        document(R"("inputs": [{"name": "x", "type": "f32"}], "tables": [{"name": "x", "type": "f32", "shape": [2], "start": "zero"}],
        "outputs": [])"),
        "tables[0] 'x': the name 'x' is defined twice, first by inputs[0]");
    // Constants.
    row("no data", withConstant(R"("type": "f32", "shape": [1])"), "needs exactly one of 'data', 'base64' and 'file'");
    row("two kinds of data", withConstant(R"("type": "f32", "shape": [1], "data": [1], "base64": "")"), "exactly one of");
    row("data no list", withConstant(R"("type": "f32", "shape": [1], "data": "1")"),
        "constants[0] 'w': 'data' is a string, expected a list of 1 elements");
    row("too few elements", withConstant(R"("type": "f32", "shape": [2, 2], "data": [1, 2, 3])"), "'data' has 3 elements, the shape [2, 2] needs 4");
    row("huge shape", withConstant(R"("type": "f32", "shape": [1000000000000], "data": [1])"), "'data' has 1 elements");
    row("huge nested shape", withConstant(R"("type": "f32", "shape": [1000000, 1000000], "data": [[1]])"), "'data' is nested, and does not have the");
    row("ragged", withConstant(R"("type": "f32", "shape": [2, 2], "data": [[1, 2], [3]])"), "at depth 1 it has 1 items, expected 2");
    row("nested too deeply", withConstant(R"("type": "f32", "shape": [1], "data": [[1]])"), "element 0 is a list, expected a number");
    row("nested, too shallow", withConstant(R"("type": "f32", "shape": [1, 1, 1], "data": [[1]])"), "at depth 2 it has an integer, expected 1");
    row("element no number", withConstant(R"("type": "f32", "shape": [1], "data": ["one"])"), "element 0 is 'one', expected a number, \"nan\"");
    row("element too large", withConstant(R"("type": "f32", "shape": [1], "data": [1e39])"),
        "element 0 is '1e39', expected a number that f32 can hold");
    row("f16 too large", withConstant(R"("type": "f16", "shape": [1], "data": [65520])"), "expected a number that f16 can hold");
    row("no integer", withConstant(R"("type": "i8", "shape": [1], "data": [1.0])"), "element 0 is '1.0', expected an integer from -128 to 127");
    row("integer too large", withConstant(R"("type": "u8", "shape": [2], "data": [1, 256])"),
        "element 1 is '256', expected an integer from 0 to 255");
    row("no bool", withConstant(R"("type": "bool", "shape": [1], "data": [2])"), "element 0 is '2', expected true or false");
    row("base64 too short", withConstant(R"("type": "f32", "shape": [2], "base64": "AAAA")"), "'base64' holds 3 bytes, the shape [2] of f32 needs 8");
    row("base64 cut off", withConstant(R"("type": "u8", "shape": [2], "base64": "AAA")"), "no whole number of bytes");
    row("base64 damaged", withConstant(R"("type": "u8", "shape": [3], "base64": "AA*A")"), "characters that are not base64");
    row("base64 bool", withConstant(R"("type": "bool", "shape": [3], "base64": "AAEC")"), "'base64' has bytes that are no bool");
    row("symbolic constant", withConstant(R"("type": "f32", "shape": ["n"], "data": [1])"), "the shape of a constant is made of numbers");
    row("f8 as numbers", withConstant(R"("type": "f8e4m3fn", "shape": [1], "data": [1])"), "write its bytes as \"base64\"");
    row("file elsewhere", withConstant(R"("file": "/etc/passwd")"), "'file' '/etc/passwd' is not in the model's folder");
    // Tables.
    row("table without start", document(R"("tables": [{"name": "t", "type": "f32", "shape": [2]}], "outputs": [])"), "'start' is missing in a table");
    row("unknown start", document(R"("tables": [{"name": "t", "type": "f32", "shape": [2], "start": "one"}], "outputs": [])"),
        "tables[0] 't': 'start' is 'one', expected \"input\" or \"zero\"");
    row("symbolic zeros", document(R"("tables": [{"name": "t", "type": "f32", "shape": ["n"], "start": "zero"}], "outputs": [])"),
        "a table that starts as zeros has a shape of numbers");
    row("giant zeros", document(R"("tables": [{"name": "t", "type": "f32", "shape": [1000000, 1000000], "start": "zero"}], "outputs": [])"),
        "tables of zeros take more than 256 MiB together");
    // Nodes.
    row("node no object", withNodes("7"), "nodes[0]: a node is an integer, expected an object");
    row("no op", withNodes(R"({"in": ["x"], "out": ["y"]})"), "nodes[0]: 'op' is missing in a node");
    row("misspelt key", withNodes(R"({"op": "Neg", "in": ["x"], "out": ["y"], "attr": {}})"),
        "nodes[0]: unknown key 'attr' in a node; did you mean 'attrs'?");
    row("in no list", withNodes(R"({"op": "Neg", "in": "x", "out": ["y"]})"), "node 'Neg' (nodes[0]): 'in' is a string, expected a list of operands");
    row("operand no name", withNodes(R"({"op": "Neg", "in": [3], "out": ["y"]})"),
        "in[0] is an integer, expected a name, a part {\"of\": ...}, or null");
    row("empty operand", withNodes(R"({"op": "Neg", "in": [""], "out": ["y"]})"),
        "operand '': the name is empty; an operand that is left out is written null");
    row("no out", withNodes(R"({"op": "Neg", "in": ["x"]})"), "'out' is missing in a node: expected a list of results");
    row("empty result", withNodes(R"({"op": "Neg", "in": ["x"], "out": [""]})"), "out[0] is empty: every value needs a name");
    row("unknown name", withNodes(R"({"op": "Relu", "in": ["q"], "out": ["y"]})"),
        "g.lsg.json:3:42: node 'Relu' (nodes[0]): operand 'q': unknown name; define it before this node");
    row("similar name",
        document(R"("inputs": [{"name": "query", "type": "f32"}], "nodes": [{"op": "Relu", "in": ["qury"], "out": ["y"]}], "outputs": ["y"])"),
        "operand 'qury': unknown name; define it before this node (did you mean 'query'?)");
    row("used before it is defined", withNodes(R"({"op": "Neg", "in": ["a"], "out": ["y"]}, {"op": "Neg", "in": ["x"], "out": ["a"]})"),
        "operand 'a': it is defined later, by nodes[1]; nodes run in file order: move that node before this one");
    row("cycle",
        withNodes(R"({"op": "Neg", "in": ["b"], "out": ["a"]}, {"op": "Neg", "in": ["a"], "out": ["y"]}, {"op": "Neg", "in": ["y"], "out": ["b"]})"),
        "operand 'b': it is defined later, by nodes[2], which needs this node's result: a cycle");
    row("reads itself", withNodes(R"({"op": "Neg", "in": ["y"], "out": ["y"]})"), "operand 'y': the node reads its own result: a cycle");
    row("defined twice", withNodes(R"({"op": "Neg", "in": ["x"], "out": ["y"]}, {"op": "Abs", "in": ["x"], "out": ["y"]})"),
        "node 'Abs' (nodes[1]): the name 'y' is defined twice, first by nodes[0]");
    row("result is an input", withNodes(R"({"op": "Neg", "in": ["x"], "out": ["x"]})"), "the name 'x' is defined twice, first by inputs[0]");
    row("result twice in a node", withNodes(R"({"op": "Split", "in": ["x"], "out": ["y", "y"]})"), "the name 'y' is defined twice");
    row("result is a table", withNodes(R"({"op": "Neg", "in": ["x"], "out": ["kv"]})"),
        "'kv' is a table; a result that lands in it is written {\"into\"");
    row("bad version", withNodes(R"({"op": "Neg", "in": ["x"], "out": ["y"], "version": -1})"), "'version' is -1");
    row("unknown output", withNodes("", R"(["z"])"), "outputs[0] 'z': unknown name");
    row("output twice", withNodes("", R"(["x", "x"])"), "outputs[1] 'x' is listed twice");
    row("output no name", withNodes("", R"([1])"), "outputs[0] is an integer, expected a string");
    row("type of what no node makes", withNodes("", R"(["x"], "values": [{"name": "x", "type": "f32"}])"), "values[0] 'x': no node defines 'x'");
    // Parts and stores.
    row("part without of", withNodes(R"({"op": "Neg", "in": [{"cols": [0, 4]}], "out": ["y"]})"), "in[0]: 'of' is missing in an operand");
    row("part without words", withNodes(R"({"op": "Neg", "in": [{"of": "x"}], "out": ["y"]})"), "a part needs 'rows', 'cols' or 'slice'");
    row("unknown word", withNodes(R"({"op": "Neg", "in": [{"of": "x", "columns": [0, 4]}], "out": ["y"]})"), "unknown key 'columns' in an operand");
    row("part past the end", withNodes(R"({"op": "Neg", "in": [{"of": "x", "cols": [4, 9]}], "out": ["y"]})"),
        "node 'Neg' (nodes[0]): in[0]: 'cols' is [4, 9], expected 0 <= begin <= end <= 8");
    row("part reversed", withNodes(R"({"op": "Neg", "in": [{"of": "x", "rows": [1, 0]}], "out": ["y"]})"),
        "'rows' is [1, 0], expected 0 <= begin <= end <= 2");
    row("part before 0", withNodes(R"({"op": "Neg", "in": [{"of": "x", "rows": [-1, 1]}], "out": ["y"]})"), "'rows' is [-1, 1]");
    row("part of three numbers", withNodes(R"({"op": "Neg", "in": [{"of": "x", "rows": [0, 1, 1]}], "out": ["y"]})"),
        "'rows' has 3 numbers, expected [begin, end]");
    row("step 0", withNodes(R"({"op": "Neg", "in": [{"of": "x", "slice": [[0, 2, 0], [0, 8, 1]]}], "out": ["y"]})"), "'slice'[0] has step 0");
    row("slice of too few axes", withNodes(R"({"op": "Neg", "in": [{"of": "x", "slice": [[0, 2, 1]]}], "out": ["y"]})"),
        "'slice' has 1 entries, f32[2,8] has 2 axes");
    row("slice and rows", withNodes(R"({"op": "Neg", "in": [{"of": "x", "rows": [0, 1], "slice": [[0, 2, 1], [0, 8, 1]]}], "out": ["y"]})"),
        "it does not stand beside 'rows' or 'cols'");
    row("rows and cols of one axis", withNodes(R"({"op": "Neg", "in": [{"of": "pos", "rows": [0, 1], "cols": [0, 1]}], "out": ["y"]})"),
        "i64[2] does not have them");
    row("rows of a scalar", withNodes(R"({"op": "Neg", "in": [{"of": "p", "rows": [0, 1]}], "out": ["y"]})"), "i64[] does not have them");
    row("rows by floats", withNodes(R"({"op": "Neg", "in": [{"of": "kv", "rows": "x"}], "out": ["y"]})"),
        "'rows' 'x' is f32[2,8], expected i32 or i64 with one axis");
    row("rows by unknown", withNodes(R"({"op": "Neg", "in": [{"of": "kv", "rows": "q"}], "out": ["y"]})"), "'rows' 'q': unknown name");
    row("rows by number", withNodes(R"({"op": "Neg", "in": [{"of": "kv", "rows": 3}], "out": ["y"]})"),
        "'rows' is an integer, expected [begin, end]");
    row("at a number", withNodes(R"({"op": "Neg", "in": [{"of": "kv", "rows": {"at": 3, "count": 1}}], "out": ["y"]})"),
        "fixed rows are written [begin, end]");
    row("at a vector", withNodes(R"({"op": "Neg", "in": [{"of": "kv", "rows": {"at": "pos", "count": 1}}], "out": ["y"]})"),
        "expected i32 or i64 with no axis");
    row("too many rows", withNodes(R"({"op": "Neg", "in": [{"of": "kv", "rows": {"at": "p", "count": 17}}], "out": ["y"]})"),
        "at most the 16 rows there are");
    row("negative count", withNodes(R"({"op": "Neg", "in": [{"of": "kv", "rows": {"at": "p", "count": -1}}], "out": ["y"]})"),
        "'count' is -1, expected 0 or more");
    row("no table", withNodes(R"({"op": "Neg", "in": ["x"], "out": [{"into": "x", "rows": [0, 2]}]})", R"(["x"])"),
        "out[0]: 'into' 'x' is not a table of this graph; declare it under \"tables\"");
    row("store past the end", withNodes(R"({"op": "Neg", "in": ["x"], "out": [{"into": "kv", "rows": [15, 17]}]})", R"(["kv"])"),
        "'rows' is [15, 17], expected 0 <= begin <= end <= 16");
    row("index defined by the node", withNodes(R"({"op": "foo", "in": ["x"], "out": ["i", {"into": "kv", "rows": "i"}]})", R"(["kv"])"),
        "'rows' 'i': the node reads its own result: a cycle");
    // Attributes, subgraphs, bodies.
    row("attrs no object", withNodes(R"({"op": "Neg", "in": ["x"], "out": ["y"], "attrs": []})"), "'attrs' is a list, expected an object");
    row("attribute true", withAttrs(R"("a": true)"),
        "attribute 'a' is true or false, expected a number, a string, a list, a tensor or a graph; ONNX writes 1 and 0");
    row("attribute null", withAttrs(R"("a": null)"), "leave it out instead");
    row("attribute twice", withAttrs(R"("a": 1, "a": 2)"), "attribute 'a' is given twice");
    row("empty attribute", withAttrs(R"("": 1)"), "an attribute has an empty name");
    row("integer past 64 bits", withAttrs(R"("a": 9223372036854775808)"), "attribute 'a' is 9223372036854775808, which is outside 64 bits");
    row("float too large", withAttrs(R"("a": 1e39)"), "attribute 'a' is 1e39, which is too large for f32");
    row("mixed list", withAttrs(R"("a": [1, "b"])"), "attribute 'a' is a list of mixed or unknown items");
    row("nested list", withAttrs(R"("a": [[1], [2]])"), "a tensor is written {\"type\": ...");
    row("reserved attribute", withAttrs(R"("lemmascope.form": "part")"), "attribute 'lemmascope.form' is reserved");
    row("attribute with unknown keys", withAttrs(R"("a": {"value": 3})"), "node 'foo' (nodes[0]): attribute 'a': unknown key 'value' in a subgraph");
    row("bad tensor attribute", withAttrs(R"("a": {"type": "f32", "shape": [2], "data": [1]})"), "attribute 'a': 'data' has 1 elements");
    row("error in a subgraph", withAttrs(R"("then_branch": {"nodes": [{"op": "Neg", "in": ["q"], "out": ["y"]}], "outputs": ["y"]})"),
        "node 'foo' (nodes[0]): attribute 'then_branch': node 'Neg' (nodes[0]): operand 'q': unknown name");
    row("subgraph reads what comes later", withAttrs(R"("then_branch": {"outputs": ["y"]})"),
        "outputs[0] 'y': the node reads its own result: a cycle");
    row("subgraph redefines what it has read",
        withAttrs(R"("b": {"nodes": [{"op": "Neg", "in": ["x"], "out": ["a"]}, {"op": "Neg", "in": ["a"], "out": ["x"]}], "outputs": ["x"]})"),
        "the name 'x' is that of an outer value which this subgraph has read already");
    row("subgraph writes an outer table",
        withNodes(
            R"({"op": "If", "in": ["p"], "out": ["y"], "attrs": {"b": {"nodes": [{"op": "Neg", "in": ["x"], "out": [{"into": "kv", "rows": [0, 2]}]}], "outputs": ["kv"]}}})"),
        "'into' 'kv' is not a table of this graph");
    row("fused without body", withNodes(R"({"op": "fused", "name": "F", "in": ["x"], "out": ["y"]})"), "a fused op needs its parts");
    row("body inputs", withNodes(R"({"op": "fused", "name": "F", "in": ["x"], "out": ["y"], "body": {"inputs": ["a", "b"], "outputs": ["a"]}})"),
        "node 'F' (nodes[0]): body: the body has 2 inputs, the node has 1 operand: they pair by position");
    row("body outputs", withNodes(R"({"op": "fused", "name": "F", "in": ["x"], "out": ["y"], "body": {"inputs": ["a"], "outputs": []}})"),
        "the body has 0 outputs, the node has 1 result");
    row("body reads outer", withNodes(R"({"op": "fused", "name": "F", "in": ["x"], "out": ["y"], "body": {"inputs": ["a"], "outputs": ["p"]}})"),
        "body: outputs[0] 'p': unknown name");
    row("body with an input table",
        withNodes(
            R"({"op": "fused", "name": "F", "in": ["x"], "out": ["y"], "body": {"inputs": ["a"], "tables": [{"name": "t", "type": "f32", "shape": [2], "start": "input"}], "outputs": ["a"]}})"),
        "a table inside a body or subgraph starts as \"zero\"");
}

void TestJsonReader::badDocuments() {
    QFETCH(QString, text);
    QFETCH(QString, expected);
    const auto graph = read(text.toStdString());
    QVERIFY2(!graph, "read without an error");
    const QString message = QString::fromStdString(graph.error().text());
    QVERIFY2(message.contains(expected), qPrintable(message));
    QVERIFY2(message.startsWith(QStringLiteral("g.lsg.json:")), qPrintable(message));
}

void TestJsonReader::badTextNamesLineAndColumn_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const QByteArray& text, const char* expected) {
        QTest::newRow(name) << text << QString::fromUtf8(expected);
    };
    row("empty", "", "g.lsg.json:1:1: expected a value; the text ends here: is the file complete?");
    row("cut off", "{\"a\": [1,\n 2", "g.lsg.json:2:3: expected ',' or ']'; the text ends here: is the file complete?");
    row("trailing comma", "{\"a\": 1,\n}", "g.lsg.json:2:1: expected a name in double quotes, found '}'");
    row("no colon", "{\"a\" 1}", "g.lsg.json:1:6: expected ':' after a name, found '1'");
    row("two values", "{}\n{}", "g.lsg.json:2:1: unexpected text after the end of the document, found '{'");
    row("comment", "// x\n{}", "g.lsg.json:1:1: expected a value, found '/'");
    row("single quotes", "{'a': 1}", "g.lsg.json:1:2: expected a name in double quotes, found '''");
    row("bare NaN", "[NaN]", "g.lsg.json:1:2: expected a value, found 'N'");
    row("leading zero", "[01]", "g.lsg.json:1:3: expected ',' or ']', found '1'");
    row("lone minus", "[-]", "g.lsg.json:1:2: expected a value, found '-'");
    row("no digits after the point", "[1.]", "g.lsg.json:1:2: expected a value, found '1'");
    row("open string", "[\"abc", "g.lsg.json:1:2: this string has no end, found '\"'");
    row("column in code points", "[\"\xC3\xA4\xC3\xB6\" x]", "g.lsg.json:1:7: expected ',' or ']', found 'x'");
    row("invalid UTF-8", "[\"a\xFF\"]", "g.lsg.json:1:4: this is not UTF-8; save the file as UTF-8");
    row("overlong UTF-8", "[\"\xC0\xAF\"]", "this is not UTF-8");
    row("surrogate in UTF-8", "[\"\xED\xA0\x80\"]", "this is not UTF-8");
    row("control character", "[\"a\nb\"]", "a control character stands in a string; write it as \\u000a");
    row("unknown escape", "[\"\\x41\"]", "unknown escape");
    row("half a surrogate pair", "[\"\\ud800\"]", "a high surrogate without a low one after it");
    row("only the low half", "[\"\\udc00\"]", "a low surrogate without a high one before it");
    row("zero byte", QByteArray("[\0]", 3), "g.lsg.json:1:2: expected a value");
}

void TestJsonReader::badTextNamesLineAndColumn() {
    QFETCH(QByteArray, text);
    QFETCH(QString, expected);
    const auto graph = read(text.toStdString());
    QVERIFY(!graph);
    QVERIFY2(QString::fromStdString(graph.error().text()).startsWith(expected) ||
                 (expected[0] != QLatin1Char('g') && QString::fromStdString(graph.error().text()).contains(expected)),
             graph.error().text().c_str());
    QCOMPARE(graph.error().code, ErrorCode::BadData);
}

void TestJsonReader::deepNestingIsRefusedQuickly_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("lists") << QString::fromStdString(document("\"nodes\": " + repeated("[", 100'000) + repeated("]", 100'000)));
    QTest::newRow("open lists") << QString::fromStdString(repeated("[", 1'000'000));
    QTest::newRow("objects") << QString::fromStdString(repeated("{\"a\": ", 100'000));
    const std::string open = R"({"nodes": [{"op": "If", "in": ["x"], "out": ["y"], "attrs": {"b": )";
    const std::string close = R"(}}], "outputs": ["y"]})";
    QTest::newRow("subgraphs") << QString::fromStdString(
        withAttrs("\"b\": " + repeated(open, 10'000) + R"({"outputs": ["x"]})" + repeated(close, 10'000)));
}

void TestJsonReader::deepNestingIsRefusedQuickly() {
    QFETCH(QString, text);
    QElapsedTimer timer;
    timer.start();
    const auto graph = read(text.toStdString());
    QVERIFY(!graph);
    QCOMPARE(graph.error().code, ErrorCode::TooLarge);
    QVERIFY2(timer.elapsed() < 1000, "a refusal takes no time");
}

void TestJsonReader::aHundredThousandNodesReadFast() {
    std::string nodes;
    for (int k = 0; k < 100'000; ++k) {
        nodes += (k == 0 ? "" : ",\n") + std::string(R"({"op": "Add", "in": ["v)") + std::to_string(k) + R"(", "x"], "out": ["v)" +
                 std::to_string(k + 1) + "\"]}";
    }
    const std::string text =
        document(R"("inputs": [{"name": "x", "type": "f32", "shape": [4]}, {"name": "v0", "type": "f32", "shape": [4]}], "nodes": [)" + nodes +
                 R"(], "outputs": ["v100000"])");
    const std::clock_t begin = std::clock(); // processor time: the machine may be busy
    const auto graph = read(text);
    const auto elapsed = static_cast<long long>(std::clock() - begin) * 1000 / CLOCKS_PER_SEC;
    QVERIFY2(graph.has_value(), graph ? "" : graph.error().text().c_str());
    QCOMPARE((*graph)->nodes.size(), std::size_t{100'000});
    qInfo("100,000 nodes, %.1f MB: %lld ms", static_cast<double>(text.size()) / 1e6, elapsed);
    QVERIFY2(elapsed < 5000, "an order of magnitude above what a build with -O1 takes");
}

void TestJsonReader::cancelledReadingStops() {
    std::stop_source source;
    source.request_stop();
    std::string nodes;
    for (int k = 0; k < 20'000; ++k) {
        nodes += (k == 0 ? "" : ",") + std::string(R"({"op": "Neg", "in": ["x"], "out": ["v)") + std::to_string(k) + "\"]}";
    }
    const auto graph = readJsonGraph(withNodes(nodes, "[]"), "g.lsg.json", source.get_token());
    QVERIFY(!graph);
    QCOMPARE(graph.error().code, ErrorCode::Cancelled);
}

QTEST_APPLESS_MAIN(TestJsonReader)
#include "tst_json_reader.moc"
