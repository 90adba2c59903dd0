#include "core/format/json/form_plan.h"
#include "core/format/json/json_reader.h"
#include "core/format/json/json_writer.h"
#include "tests/core/format/json/graph_text.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <cmath>
#include <cstring>
#include <limits>

using namespace lemmascope;

namespace {

std::shared_ptr<const Graph> read(const std::string& text) {
    const auto graph = readJsonGraph(text, "g.lsg.json");
    if (!graph) {
        qWarning("%s\n%s", graph.error().text().c_str(), text.c_str());
        return nullptr;
    }
    return *graph;
}

std::string written(const Graph& graph) {
    std::vector<std::string> notes;
    const auto text = writeJsonGraph(graph, notes);
    return text ? *text : text.error().text();
}

/// The lines of a written graph between "nodes" and "outputs", without their indent.
QStringList nodeLines(const Graph& graph) {
    QStringList lines;
    const QStringList all = QString::fromStdString(written(graph)).split(QLatin1Char('\n'));
    for (const QString& line : all) {
        if (line.contains(QStringLiteral("{\"op\""))) {
            QString node = line.trimmed();
            node.chop(node.endsWith(QLatin1Char(',')) ? (node.endsWith(QStringLiteral("],")) ? 2 : 1) : 0); // between nodes, after the last
            lines += node;
        }
    }
    return lines;
}

/// Inputs x f32[2,8], c bool[], pos i64[2], p i64[]; tables kv (input) and z (zero), then `nodes` and `outputs`.
std::string document(const std::string& nodes, const std::string& outputs) {
    return R"({"format": "lemmascope-graph", "version": 1, "opset": 17,
        "inputs": [{"name": "x", "type": "f32", "shape": [2, 8]}, {"name": "c", "type": "bool", "shape": []},
                   {"name": "pos", "type": "i64", "shape": [2], "range": [0, 15]}, {"name": "p", "type": "i64", "shape": []}],
        "tables": [{"name": "kv", "type": "f32", "shape": [16, 8], "start": "input"}, {"name": "z", "type": "f32", "shape": [16, 8], "start": "zero"}],
        "nodes": [)" +
           nodes + R"(], "outputs": )" + outputs + "}";
}

} // namespace

class TestJsonWriter : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void casesComeBackEqual_data();
    void casesComeBackEqual();
    void formsComeBackAsWritten_data();
    void formsComeBackAsWritten();
    void theTextIsReadable();
    void whatHasNoFormIsWrittenAsNodes();
    void aTableReadInAnOldVersionIsNoTable();
    void everyAttributeComesBack();
    void constantsComeBackToTheBit();
    void namesAreMadeUnique();
    void bytesThatAreNotUtf8AreShown();
    void nodesWithABodyKeepTheirOp();
};

void TestJsonWriter::casesComeBackEqual_data() {
    QTest::addColumn<QString>("path");
    const QDir folder(QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/json"));
    const QStringList names = folder.entryList({QStringLiteral("*.lsg.json")});
    QCOMPARE(names.size(), 54);
    for (const QString& name : names) {
        QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }
}

void TestJsonWriter::casesComeBackEqual() {
    QFETCH(QString, path);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto graph = read(file.readAll().toStdString());
    QVERIFY(graph);
    const std::string text = written(*graph);
    const auto again = read(text);
    QVERIFY(again);
    QCOMPARE(QString::fromStdString(test::graphText(*again)), QString::fromStdString(test::graphText(*graph)));
    QCOMPARE(QString::fromStdString(written(*again)), QString::fromStdString(text));
}

void TestJsonWriter::formsComeBackAsWritten_data() {
    QTest::addColumn<QString>("nodes"); ///< as the writer spells them
    QTest::addColumn<QString>("outputs");
    const auto row = [](const char* name, const char* nodes, const char* outputs) {
        QTest::newRow(name) << QString::fromLatin1(nodes) << QString::fromLatin1(outputs);
    };
    row("rows", R"({"op": "Neg", "in": [{"of": "kv", "rows": [3, 5]}], "out": ["y"]})", R"(["y"])");
    row("cols", R"({"op": "Neg", "in": [{"of": "kv", "cols": [0, 4]}], "out": ["y"]})", R"(["y"])");
    row("rows and cols", R"({"op": "Neg", "in": [{"of": "kv", "rows": [3, 5], "cols": [0, 4]}], "out": ["y"]})", R"(["y"])");
    row("empty part", R"({"op": "Neg", "in": [{"of": "kv", "rows": [3, 3]}], "out": ["y"]})", R"(["y"])");
    row("slice", R"({"op": "Neg", "in": [{"of": "kv", "slice": [[0, 16, 2], [0, 8, -1]]}], "out": ["y"]})", R"(["y"])");
    row("slice down to the second", R"({"op": "Neg", "in": [{"of": "kv", "slice": [[1, 16, -3], [7, 8, -1]]}], "out": ["y"]})", R"(["y"])");
    row("rows by tensor", R"({"op": "Neg", "in": [{"of": "kv", "rows": "pos"}], "out": ["y"]})", R"(["y"])");
    row("rows by tensor, cols", R"({"op": "Neg", "in": [{"of": "kv", "rows": "pos", "cols": [4, 8]}], "out": ["y"]})", R"(["y"])");
    row("rows at", R"({"op": "Neg", "in": [{"of": "kv", "rows": {"at": "p", "count": 3}}], "out": ["y"]})", R"(["y"])");
    row("rows at, cols", R"({"op": "Neg", "in": [{"of": "kv", "rows": {"at": "p", "count": 3}, "cols": [1, 2]}], "out": ["y"]})", R"(["y"])");
    row("two equal parts", R"({"op": "Mul", "in": [{"of": "kv", "rows": [3, 5]}, {"of": "kv", "rows": [3, 5]}], "out": ["y"]})", R"(["y"])");
    row("part of a result",
        "{\"op\": \"Neg\", \"in\": [\"x\"], \"out\": [\"q\"]}\n{\"op\": \"Neg\", \"in\": [{\"of\": \"q\", \"cols\": [0, 4]}], \"out\": [\"y\"]}",
        R"(["y"])");
    row("store rows", R"({"op": "Neg", "in": ["x"], "out": [{"into": "kv", "rows": [3, 5]}]})", R"(["kv"])");
    row("store cols", R"({"op": "foo", "in": ["x"], "out": [{"into": "kv", "cols": [3, 5]}]})", R"(["kv"])");
    row("store rows and cols", R"({"op": "foo", "in": ["x"], "out": [{"into": "kv", "rows": [0, 2], "cols": [3, 5]}]})", R"(["kv"])");
    row("store slice", R"({"op": "Neg", "in": ["x"], "out": [{"into": "kv", "slice": [[0, 4, -2], [0, 8, 1]]}]})", R"(["kv"])");
    row("store rows by tensor", R"({"op": "Neg", "in": ["x"], "out": [{"into": "kv", "rows": "pos"}]})", R"(["kv"])");
    row("store rows by tensor, cols", R"({"op": "foo", "in": ["x"], "out": [{"into": "kv", "rows": "pos", "cols": [0, 2]}]})", R"(["kv"])");
    row("store rows at", R"({"op": "Neg", "in": ["x"], "out": [{"into": "kv", "rows": {"at": "p", "count": 2}}]})", R"(["kv"])");
    row("store rows at, cols", R"({"op": "foo", "in": ["x"], "out": [{"into": "kv", "rows": {"at": "p", "count": 2}, "cols": [0, 2]}]})",
        R"(["kv"])");
    row("several stores of a node",
        R"({"op": "foo", "in": [{"of": "kv", "rows": [0, 1]}, "kv"], "out": [{"into": "kv", "rows": [1, 2]}, "a", {"into": "z", "rows": "pos"}, null, {"into": "kv", "cols": [0, 8]}]})"
        "\n{\"op\": \"Add\", \"in\": [\"kv\", {\"of\": \"z\", \"rows\": \"pos\"}], \"out\": [\"y\"]}",
        R"(["kv", "y", "a"])");
    row("versions in a subgraph",
        "{\"op\": \"Neg\", \"in\": [\"x\"], \"out\": [{\"into\": \"kv\", \"rows\": \"pos\"}]}\n"
        "{\"op\": \"If\", \"in\": [\"c\"], \"out\": [\"y\"], \"attrs\": {\"else_branch\": {\"outputs\": [\"x\"]}, \"then_branch\": {\"outputs\": "
        "[\"kv\"]}}}\n"
        "{\"op\": \"Neg\", \"in\": [\"x\"], \"out\": [{\"into\": \"kv\", \"rows\": [0, 2]}]}",
        R"(["y", "kv"])");
}

void TestJsonWriter::formsComeBackAsWritten() {
    QFETCH(QString, nodes);
    QFETCH(QString, outputs);
    QString list = nodes;
    const auto graph = read(document(list.replace(QLatin1Char('\n'), QLatin1Char(',')).toStdString(), outputs.toStdString()));
    QVERIFY(graph);
    const std::string text = written(*graph);
    const auto again = read(text);
    QVERIFY(again);
    QCOMPARE(QString::fromStdString(test::graphText(*again)), QString::fromStdString(test::graphText(*graph)));
    if (!nodes.contains(QStringLiteral("\"If\""))) {
        QCOMPARE(nodeLines(*graph).join(QLatin1Char('\n')), nodes);
    }
    QVERIFY2(QString::fromStdString(text).contains(QStringLiteral("\"outputs\": ") + outputs), text.c_str());
}

void TestJsonWriter::theTextIsReadable() {
    const auto graph = read(R"({ "format": "lemmascope-graph", "version": 1, "name": "attention-step", "opset": 17, "symbols": {"n": [2, 64]},
  "inputs":  [ {"name": "x", "type": "f32", "shape": ["n", 8]}, {"name": "pos", "type": "i64", "shape": [2], "range": [0, 15]} ],
  "constants": [ {"name": "w", "type": "f32", "shape": [2, 2], "data": [[1, 0.1], [-0, 1e30]]}, {"name": "b", "type": "f32", "shape": [8], "data": [0.5, "nan", "-inf", 0, 0, 0, 0, 0]} ],
  "tables":  [ {"name": "kv", "type": "f32", "shape": [16, 8], "start": "input"}, {"name": "y", "type": "f32", "shape": [2, 8], "start": "zero"} ],
  "nodes": [
    {"op": "MatMul", "in": ["x", "w"], "out": ["q"]},
    {"op": "Relu", "in": [{"of": "q", "cols": [0, 4]}], "out": ["head"]},
    {"op": "Neg", "in": [{"of": "q", "rows": [0, 2]}], "out": [{"into": "kv", "rows": "pos"}]},
    {"op": "Softmax", "in": ["q"], "out": ["s"], "attrs": {"axis": -1}},
    {"op": "foo", "in": ["q"], "out": [{"into": "y", "cols": [0, 4]}], "attrs": {"alpha": 1.0}},
    {"op": "fused", "name": "LinearRelu", "in": ["x", "w", "b"], "out": ["z"],
     "body": {"inputs": ["p", "v", "c"], "nodes": [{"op": "MatMul", "in": ["p", "v"], "out": ["t"]}, {"op": "Add", "in": ["t", "c"], "out": ["u"]}, {"op": "Relu", "in": ["u"], "out": ["r"]}], "outputs": ["r"]}} ],
  "outputs": ["head", "kv", "y"] })");
    QVERIFY(graph);
    QCOMPARE(QString::fromStdString(written(*graph)),
             QStringLiteral(R"({"format": "lemmascope-graph", "version": 1, "name": "attention-step", "opset": 17, "symbols": {"n": [2, 64]},
  "inputs": [
    {"name": "x", "type": "f32", "shape": ["n", 8]},
    {"name": "pos", "type": "i64", "shape": [2], "range": [0, 15]}],
  "constants": [
    {"name": "w", "type": "f32", "shape": [2, 2], "data": [1.0, 0.1, -0.0, 1e+30]},
    {"name": "b", "type": "f32", "shape": [8], "data": [0.5, "nan", "-inf", 0.0, 0.0, 0.0, 0.0, 0.0]}],
  "tables": [
    {"name": "kv", "type": "f32", "shape": [16, 8], "start": "input"},
    {"name": "y", "type": "f32", "shape": [2, 8], "start": "zero"}],
  "nodes": [
    {"op": "MatMul", "in": ["x", "w"], "out": ["q"]},
    {"op": "Relu", "in": [{"of": "q", "cols": [0, 4]}], "out": ["head"]},
    {"op": "Neg", "in": [{"of": "q", "rows": [0, 2]}], "out": [{"into": "kv", "rows": "pos"}]},
    {"op": "Softmax", "in": ["q"], "out": ["s"], "attrs": {"axis": -1}},
    {"op": "foo", "in": ["q"], "out": [{"into": "y", "cols": [0, 4]}], "attrs": {"alpha": 1.0}},
    {"op": "fused", "name": "LinearRelu", "in": ["x", "w", "b"], "out": ["z"], "body": {
      "inputs": ["p", "v", "c"],
      "nodes": [
        {"op": "MatMul", "in": ["p", "v"], "out": ["t"]},
        {"op": "Add", "in": ["t", "c"], "out": ["u"]},
        {"op": "Relu", "in": ["u"], "out": ["r"]}],
      "outputs": ["r"]}}],
  "outputs": ["head", "kv", "y"]}
)"));
}

void TestJsonWriter::whatHasNoFormIsWrittenAsNodes() {
    // A part that two nodes read: as another pass might share it.
    Graph shared = *read(
        document(R"({"op": "Neg", "in": [{"of": "x", "cols": [0, 4]}], "out": ["y"]}, {"op": "Neg", "in": ["x"], "out": ["w"]})", R"(["y", "w"])"));
    shared.nodes.back().operands[0] = shared.nodes.front().results[0];
    const auto again = read(written(shared));
    QVERIFY(again);
    QCOMPARE(again->nodes.size(), shared.nodes.size());
    QCOMPARE(again->nodes[0].op.name, std::string("Slice"));
    QVERIFY(!again->nodes[0].attributes.contains("lemmascope.form"));
    QCOMPARE(again->nodes[1].operands[0], again->nodes[2].operands[0]);

    // A Slice whose numbers are no literal part any more.
    Graph changed = *read(document(R"({"op": "Neg", "in": [{"of": "x", "cols": [0, 4]}], "out": ["y"]})", R"(["y"])"));
    changed.values[changed.nodes[0].operands[2].index].constant = Tensor::of<std::int64_t>(ElementType::I64, {1}, {100});
    const auto clamped = read(written(changed));
    QVERIFY(clamped);
    QCOMPARE(clamped->nodes.size(), std::size_t{2});
    QCOMPARE(clamped->value(clamped->nodes[0].operands[2]).constant->toInt64(0), 100);
}

void TestJsonWriter::aTableReadInAnOldVersionIsNoTable() {
    Graph graph = *read(document(R"({"op": "Neg", "in": ["x"], "out": [{"into": "kv", "rows": "pos"}]}, {"op": "Neg", "in": ["kv"], "out": ["y"]})",
                                 R"(["kv", "y"])"));
    // The last node now reads the table as it was before the store.
    const ValueId before = graph.inputs.at(4);
    QCOMPARE(graph.value(before).name, std::string("kv"));
    graph.nodes.back().operands[0] = before;
    const auto again = read(written(graph));
    QVERIFY(again);
    QCOMPARE(again->nodes.size(), std::size_t{3});
    QCOMPARE(again->nodes[1].op, (OpId{"lemmascope", "StoreRows", 1}));
    QCOMPARE(again->nodes[2].operands[0], again->inputs.at(4));
    QCOMPARE(again->outputs.at(0), again->nodes[1].results.at(0));
    QCOMPARE(again->nodes[1].operands.at(0), again->inputs.at(4));
}

void TestJsonWriter::everyAttributeComesBack() {
    Graph graph;
    graph.opsets[""] = 17;
    Value input;
    input.name = "x";
    input.type = {ElementType::F32, std::nullopt};
    graph.inputs = {graph.addValue(input)};
    Value output;
    output.name = "y";
    Node node;
    node.op = {"", "foo", 17};
    node.operands = {graph.inputs[0]};
    node.results = {graph.addValue(output)};
    auto nested = std::make_shared<Graph>();
    nested->opsets = graph.opsets;
    Value capture;
    capture.name = "x";
    capture.type = input.type;
    nested->captures = {{nested->addValue(capture), graph.inputs[0]}};
    nested->outputs = {nested->captures[0].inner};
    const std::shared_ptr<const Graph> inner = nested;
    node.attributes = {{"int", std::int64_t{-3}},
                       {"float", 2.0F},
                       {"inf", -std::numeric_limits<float>::infinity()},
                       {"small", 1e-45F},
                       {"text", std::string("a \"b\"\n\\ \xC3\xA4 \x01")},
                       {"bytes", std::string("\xFF\x00", 2)},
                       {"ints", std::vector<std::int64_t>{INT64_MIN, INT64_MAX}},
                       {"no_ints", std::vector<std::int64_t>()},
                       {"floats", std::vector<float>{0.1F, 3.0F}},
                       {"no_floats", std::vector<float>()},
                       {"strings", std::vector<std::string>{"a", ""}},
                       {"no_strings", std::vector<std::string>()},
                       {"tensor", Tensor::of<std::int64_t>(ElementType::I64, {1, 2}, {1, 2})},
                       {"graph", inner},
                       {"graphs", std::vector<std::shared_ptr<const Graph>>{inner, inner}},
                       {"no_graphs", std::vector<std::shared_ptr<const Graph>>()}};
    graph.addNode(node);
    graph.outputs = node.results;
    const auto again = read(written(graph));
    QVERIFY(again);
    QCOMPARE(QString::fromStdString(test::graphText(*again)), QString::fromStdString(test::graphText(graph)));
}

void TestJsonWriter::constantsComeBackToTheBit() {
    Graph graph;
    graph.opsets[""] = 17;
    const auto add = [&](const Tensor& tensor) {
        Value value;
        value.name = "c" + std::to_string(graph.values.size());
        value.type = {tensor.element(), Shape(tensor.shape().begin(), tensor.shape().end())};
        value.constant = tensor;
        graph.outputs.push_back(graph.addValue(std::move(value)));
    };
    for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{64}, std::int64_t{65}, std::int64_t{1000}}) {
        for (int type = static_cast<int>(ElementType::Bool); type < static_cast<int>(ElementType::String); ++type) {
            const auto element = static_cast<ElementType>(type);
            // Pseudo-random bytes: NaN payloads, subnormals and both zeros are among them; narrow types use part of a byte.
            Tensor tensor(element, {count});
            std::vector<std::byte> bytes(tensor.bytes().size());
            std::uint32_t state = 12345U + static_cast<std::uint32_t>(type);
            for (std::byte& byte : bytes) {
                state = state * 1664525U + 1013904223U;
                const unsigned raw = state >> 24U;
                const unsigned bits = element == ElementType::Bool ? 1 : (element == ElementType::F4E2M1 ? 4 : bitWidth(element));
                const unsigned low = bits > 0 && bits < 8 ? raw & ((1U << bits) - 1U) : raw;
                const bool negative = isSignedInteger(element) && bits < 8 && (low >> (bits - 1U)) != 0;
                byte = static_cast<std::byte>(negative ? (low | ~((1U << bits) - 1U)) & 0xFFU : low);
            }
            const auto owner = std::make_shared<std::vector<std::byte>>(bytes.size() + 16);
            std::byte* aligned = owner->data() + (16 - reinterpret_cast<std::uintptr_t>(owner->data()) % 16) % 16;
            std::copy(bytes.begin(), bytes.end(), aligned);
            add(Tensor(element, {count}, std::span<const std::byte>(aligned, bytes.size()), owner));
        }
    }
    add(Tensor::ofStrings({2}, {"", "a\tb"}));
    add(Tensor::of<float>(ElementType::F32, {4}, {0.1F, -0.0F, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max()}));
    const auto again = read(written(graph));
    QVERIFY(again);
    for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
        QVERIFY2(again->value(again->outputs.at(k)).constant->sameBits(*graph.value(graph.outputs[k]).constant),
                 graph.value(graph.outputs[k]).type.text().c_str());
    }
}

void TestJsonWriter::namesAreMadeUnique() {
    Graph graph;
    graph.opsets[""] = 17;
    for (const char* name : {"x", "x", "", "\xFF"}) {
        Value value;
        value.name = name;
        value.type = {ElementType::F32, Shape{Dim(1)}};
        graph.inputs.push_back(graph.addValue(std::move(value)));
    }
    graph.outputs = graph.inputs;
    std::vector<std::string> notes;
    const auto text = writeJsonGraph(graph, notes);
    QVERIFY(text.has_value());
    QVERIFY2(QString::fromStdString(*text).contains(QStringLiteral(R"("outputs": ["x", "x_2", "v2", "\\xff"])")), text->c_str());
    QVERIFY(read(*text));
    QVERIFY(notes.size() >= 3);
}

void TestJsonWriter::bytesThatAreNotUtf8AreShown() {
    Graph graph = *read(document(R"({"op": "Neg", "name": "n", "in": ["x"], "out": ["y"]})", R"(["y"])"));
    graph.nodes[0].name = std::string("a\xC0\xAF\xED\xA0\x80");
    const auto again = read(written(graph));
    QVERIFY(again);
    QCOMPARE(again->nodes[0].name, std::string("a\\xc0\\xaf\\xed\\xa0\\x80"));
}

void TestJsonWriter::nodesWithABodyKeepTheirOp() {
    Graph graph =
        *read(document(R"({"op": "fused", "name": "F", "in": ["x"], "out": ["y"], "body": {"inputs": ["a"], "outputs": ["a"]}})", R"(["y"])"));
    graph.nodes[0].op = {"custom", "MyFunction", 3};
    graph.nodes[0].name = "call_1";
    graph.nodes[0].operands.clear(); // trailing operands left out
    const auto again = read(written(graph));
    QVERIFY(again);
    QCOMPARE(again->nodes[0].op, (OpId{"custom", "MyFunction", 3}));
    QCOMPARE(again->nodes[0].name, std::string("call_1"));
    QCOMPARE(again->nodes[0].operands, std::vector<ValueId>{ValueId()});
    QVERIFY(again->nodes[0].body);
}

QTEST_APPLESS_MAIN(TestJsonWriter)
#include "tst_json_writer.moc"
