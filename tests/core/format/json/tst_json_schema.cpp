#include "core/format/json/json_reader.h"
#include "core/format/json/json_writer.h"
#include "tests/core/format/json/schema_check.h"

#include <QDir>
#include <QFile>
#include <QTest>

using namespace lemmascope;

namespace {

QJsonDocument load(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()) : QJsonDocument();
}

test::SchemaCheck schema(const char* name) {
    return test::SchemaCheck(load(QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/schema/") + QLatin1String(name)).object());
}

QByteArray graph(const char* members) { return QByteArray(R"({"format": "lemmascope-graph", "version": 1, "opset": 17, )") + members + "}"; }

} // namespace

/// The schemas say what the reader takes and what the results hold.
class TestJsonSchema : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void casesFit_data();
    void casesFit();
    void readerAndSchemaAgree_data();
    void readerAndSchemaAgree();
    void theContractsResultFits();
    void theContractsMatchFits();
    void wrongResultsDoNotFit();
};

void TestJsonSchema::casesFit_data() {
    QTest::addColumn<QString>("path");
    const QDir folder(QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/json"));
    const QStringList names = folder.entryList({QStringLiteral("*.lsg.json")});
    QCOMPARE(names.size(), 54);
    for (const QString& name : names) {
        QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }
}

void TestJsonSchema::casesFit() {
    QFETCH(QString, path);
    const QJsonDocument document = load(path);
    QVERIFY(document.isObject());
    const test::SchemaCheck check = schema("graph.schema.json");
    QCOMPARE(check.problems(document.object()), QStringList());
    // What the writer makes of it fits as well.
    const auto read = readJsonGraph(document.toJson().toStdString(), path.toStdString());
    QVERIFY(read.has_value());
    std::vector<std::string> notes;
    const auto written = writeJsonGraph(**read, notes);
    QVERIFY(written.has_value());
    QCOMPARE(check.problems(QJsonDocument::fromJson(QByteArray::fromStdString(*written)).object()), QStringList());
}

void TestJsonSchema::readerAndSchemaAgree_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("good");
    const auto row = [](const char* name, const QByteArray& text, bool good) { QTest::newRow(name) << text << good; };
    row("everything", graph(R"("$schema": "graph.schema.json", "name": "g", "opsets": {"com.microsoft": 1}, "symbols": {"n": [0, 4]},
        "inputs": [{"name": "x", "type": "f32", "shape": ["n", 8]}, {"name": "r", "type": "?"}, {"name": "pos", "type": "int64", "shape": [2], "range": [-1, 3]},
                   {"name": "p", "type": "i32", "shape": []}],
        "constants": [{"name": "k", "type": "f32", "shape": [2, 2], "data": [[1, "nan"], ["-inf", 2.5]]}, {"name": "b", "type": "u8", "shape": [3], "base64": "AAAA"},
                      {"name": "s", "type": "f64", "shape": [], "data": 3}],
        "tables": [{"name": "kv", "type": "f32", "shape": ["n", 8], "start": "input"}],
        "values": [{"name": "y", "type": "f32", "shape": ["m"]}],
        "nodes": [{"op": "foo", "name": "node", "domain": "mine", "version": 3, "in": ["x", null, {"of": "kv", "rows": "pos", "cols": [0, 4]}, {"of": "kv", "slice": [[0, 1, -1], [0, 8, 2]]}],
                   "out": ["y", null, {"into": "kv", "rows": {"at": "p", "count": 1}}, {"into": "kv", "rows": [0, 1], "cols": [0, 1]}],
                   "attrs": {"i": 1, "f": 1.5, "s": "t", "is": [1, 2], "ss": ["a"], "none": [], "t": {"type": "i64", "shape": [1], "data": [1]}, "nan": {"float": "nan"},
                             "fs": {"floats": ["inf", 1]}, "e": {"strings": []}, "raw": {"bytes": "AA=="}, "g": {"inputs": ["a"], "nodes": [], "outputs": ["a", "x"]},
                             "gs": [{"outputs": ["x"]}]}},
                  {"op": "fused", "name": "F", "in": ["y"], "out": ["z"], "body": {"inputs": [{"name": "a", "type": "f32"}], "outputs": ["a"]}}],
        "outputs": ["z", "kv"])"),
        true);
    row("nothing", graph(R"("outputs": [])"), true);
    row("no outputs", graph(R"("nodes": [])"), false);
    row("unknown key", graph(R"("outputs": [], "output": [])"), false);
    row("other version", R"({"format": "lemmascope-graph", "version": 2, "outputs": []})", false);
    row("other format", R"({"format": "lemmascope-result", "version": 1, "outputs": []})", false);
    row("empty name", graph(R"("inputs": [{"name": "", "type": "f32"}], "outputs": [])"), false);
    row("input without type", graph(R"("inputs": [{"name": "x"}], "outputs": [])"), false);
    row("unknown type", graph(R"("inputs": [{"name": "x", "type": "f31"}], "outputs": [])"), false);
    row("length as text", graph(R"("inputs": [{"name": "x", "type": "f32", "shape": ["8"]}], "outputs": [])"), false);
    row("negative length", graph(R"("inputs": [{"name": "x", "type": "f32", "shape": [-8]}], "outputs": [])"), false);
    row("range of one", graph(R"("inputs": [{"name": "x", "type": "i64", "range": [1]}], "outputs": [])"), false);
    row("constant without data", graph(R"("constants": [{"name": "k", "type": "f32", "shape": [1]}], "outputs": [])"), false);
    row("constant with two", graph(R"("constants": [{"name": "k", "type": "f32", "shape": [1], "data": [1], "base64": "AAAAAA=="}], "outputs": [])"),
        false);
    row("constant without shape", graph(R"("constants": [{"name": "k", "type": "f32", "data": [1]}], "outputs": [])"), false);
    row("symbolic constant", graph(R"("constants": [{"name": "k", "type": "f32", "shape": ["n"], "data": [1]}], "outputs": [])"), false);
    row("table without start", graph(R"("tables": [{"name": "t", "type": "f32", "shape": [1]}], "outputs": [])"), false);
    row("node without out", graph(R"("nodes": [{"op": "Neg"}], "outputs": [])"), false);
    row("part without words",
        graph(R"("inputs": [{"name": "x", "type": "f32"}], "nodes": [{"op": "Neg", "in": [{"of": "x"}], "out": ["y"]}], "outputs": [])"), false);
    row("part with slice and rows",
        graph(
            R"("inputs": [{"name": "x", "type": "f32"}], "nodes": [{"op": "Neg", "in": [{"of": "x", "rows": [0, 1], "slice": [[0, 1, 1]]}], "out": ["y"]}], "outputs": [])"),
        false);
    row("slice of pairs",
        graph(
            R"("inputs": [{"name": "x", "type": "f32"}], "nodes": [{"op": "Neg", "in": [{"of": "x", "slice": [[0, 1]]}], "out": ["y"]}], "outputs": [])"),
        false);
    row("attribute true", graph(R"("nodes": [{"op": "foo", "out": ["y"], "attrs": {"a": true}}], "outputs": [])"), false);
    row("mixed attribute", graph(R"("nodes": [{"op": "foo", "out": ["y"], "attrs": {"a": [1, "b"]}}], "outputs": [])"), false);
    row("subgraph without outputs", graph(R"("nodes": [{"op": "foo", "out": ["y"], "attrs": {"a": {"nodes": []}}}], "outputs": [])"), false);
    row("operand a number", graph(R"("nodes": [{"op": "foo", "in": [1], "out": ["y"]}], "outputs": [])"), false);
}

void TestJsonSchema::readerAndSchemaAgree() {
    QFETCH(QByteArray, text);
    QFETCH(bool, good);
    const QJsonDocument document = QJsonDocument::fromJson(text);
    QVERIFY(document.isObject());
    const QStringList problems = schema("graph.schema.json").problems(document.object());
    QVERIFY2(problems.isEmpty() == good, qPrintable(problems.join(QLatin1Char('\n'))));
    const auto read = readJsonGraph(text.toStdString(), "g.lsg.json");
    QVERIFY2(read.has_value() == good, read ? "read" : read.error().text().c_str());
}

void TestJsonSchema::theContractsResultFits() {
    const QByteArray single = R"({ "format": "lemmascope-result", "version": 1, "verdict": "refuted", "strength": null,
  "kind": "value", "reason": null,
  "outputs": [ {"name": "y", "verdict": "refuted", "strength": null, "kind": "value", "reason": null} ],
  "lemmas": [ {"id": "L1", "verdict": "fails", "rung": 6, "digest": null, "reference": ["node"], "rewritten": ["node"], "reason": null} ],
  "counterexample": { "sizes": {"n": 1}, "inputs": {"x": {"type": "f32", "shape": [2], "data": [0, "nan"]}},
                      "output": "y", "index": [1], "reference": 1, "rewritten": 2 },
  "blame": [ {"side": "rewritten", "node": "n3", "attribute": "axis"} ], "condition": null,
  "fault": {"side": "rewritten", "access": "read", "buffer": "g", "index": [1], "size": [1], "node": "n3"},
  "race": {"events": ["e1", "e2"], "buffer": "b", "index": [0], "runs": [{"order": ["e1", "e2"], "outputs": {}}]}, "cycle": null,
  "difference": {"relative": 1e-7, "ulp": 2, "bound": null}, "error_probability": null,
  "assumptions": [], "caveats": [{"kind": "step", "text": "t"}], "constants": [ {"name": "w", "ulp": 0.5, "relative": 3e-8, "allowed": 6e-8} ],
  "times": {}, "tool": {} })";
    const QJsonObject object = QJsonDocument::fromJson(single).object();
    QVERIFY(!object.isEmpty());
    const test::SchemaCheck check = schema("result.schema.json");
    QCOMPARE(check.problems(object), QStringList());
    QJsonObject pair = object;
    pair.remove(QStringLiteral("format"));
    pair.remove(QStringLiteral("version"));
    for (const char* key : {"name", "reference", "rewritten"}) {
        pair[QLatin1String(key)] = QStringLiteral("a");
    }
    const QJsonObject unread{
        {QStringLiteral("name"), QStringLiteral("b")},
        {QStringLiteral("reference"), QStringLiteral("b")},
        {QStringLiteral("rewritten"), QStringLiteral("b")},
        {QStringLiteral("verdict"), QJsonValue::Null},
        {QStringLiteral("error"), QJsonObject{{QStringLiteral("status"), 66}, {QStringLiteral("text"), QStringLiteral("b: there is no such file")}}}};
    const QJsonObject several{{QStringLiteral("format"), QStringLiteral("lemmascope-result")},
                              {QStringLiteral("version"), 1},
                              {QStringLiteral("verdict"), QStringLiteral("refuted")},
                              {QStringLiteral("first"), 0},
                              {QStringLiteral("pairs"), QJsonArray{pair, unread}}};
    QCOMPARE(check.problems(several), QStringList());
}

void TestJsonSchema::theContractsMatchFits() {
    const test::SchemaCheck check = schema("match.schema.json");
    for (
        const char* text :
        {R"({"format": "lemmascope-match", "version": 1, "matches": [{"rule": "r", "root": "y", "bindings": {"X": "x"}, "nodes": ["n"], "rewritable": true, "reason": null}],
                                "misses": [{"rule": "r", "root": "y", "matched": 1, "total": 3, "node": "n", "reason": "no"}]})",
         R"({"cases": [{"id": "1", "outcome": "no match", "bindings": {}, "static_check": null, "reasons": []}]})"}) {
        const QJsonObject object = QJsonDocument::fromJson(text).object();
        QVERIFY(!object.isEmpty());
        QCOMPARE(check.problems(object), QStringList());
    }
    QVERIFY(!check.problems(QJsonObject{{QStringLiteral("cases"), 3}}).isEmpty());
}

void TestJsonSchema::wrongResultsDoNotFit() {
    const test::SchemaCheck check = schema("result.schema.json");
    QVERIFY(!check.problems(QJsonObject()).isEmpty());
    QVERIFY(!check
                 .problems(QJsonObject{{QStringLiteral("format"), QStringLiteral("lemmascope-result")},
                                       {QStringLiteral("version"), 1},
                                       {QStringLiteral("verdict"), QStringLiteral("maybe")},
                                       {QStringLiteral("first"), QJsonValue::Null},
                                       {QStringLiteral("pairs"), QJsonArray()}})
                 .isEmpty());
}

QTEST_APPLESS_MAIN(TestJsonSchema)
#include "tst_json_schema.moc"
