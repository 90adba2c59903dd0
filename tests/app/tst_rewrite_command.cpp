// rewrite from outside: what is written, verdicts, exit statuses, JSON.
#include "tests/app/program_run.h"
#include "tests/core/format/json/schema_check.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

using Json = nlohmann::json;

namespace {

const QString Program = QStringLiteral(LEMMASCOPE_BIN_DIR "/lemmascope-cli");

constexpr const char* Attention =
    R"({ "format": "lemmascope-graph", "version": 1, "name": "attention", "opset": 17, "symbols": {"n": [1, 64]},
  "inputs": [ {"name": "q", "type": "f32", "shape": [1,2,"n",8]}, {"name": "k", "type": "f32", "shape": [1,2,"n",8]}, {"name": "v", "type": "f32", "shape": [1,2,"n",8]} ],
  "constants": [ {"name": "s", "type": "f32", "shape": [], "data": [2.5]}, {"name": "zero", "type": "f32", "shape": [], "data": [0]} ],
  "nodes": [
    {"op": "Transpose", "in": ["k"], "out": ["kt"], "attrs": {"perm": [0,1,3,2]}},
    {"op": "MatMul", "in": ["q", "kt"], "out": ["qk"]},
    {"op": "Div", "in": ["qk", "s"], "out": ["sc"]},
    {"op": "Softmax", "in": ["sc"], "out": ["p"], "attrs": {"axis": -1}},
    {"op": "MatMul", "in": ["p", "v"], "out": ["o"]},
    {"op": "Add", "in": ["o", "zero"], "out": ["y"]},
    {"op": "Relu", "in": ["y"], "out": ["z"]} ],
  "outputs": ["z"] })";

constexpr const char* Rules = "rule div_to_mul: div(?x, ?s) where is_const(?s) => mul(?x, 1 / value(?s))\n"
                              "rule add0: add(?x, 0) => ?x\n"
                              "rule wrong: relu(?x) => neg(?x)\n"
                              "rule never: sin(?x) => cos(?x)\n"
                              "rule swap: matmul(?x, ?y) => swish(?x)\n";

} // namespace

class TestRewriteCommand : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_graph;
    QString m_rules;

    [[nodiscard]] Ran run(const QStringList& arguments) const { return runProgram(Program, arguments, m_folder.path()); }

    QString write(const QString& name, const QByteArray& content) const {
        QFile file(m_folder.filePath(name));
        if (file.open(QIODevice::WriteOnly)) {
            file.write(content);
        }
        return file.fileName();
    }

    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }

    [[nodiscard]] Ran rewrite(const QString& out, const QStringList& options) const {
        return run(QStringList{"rewrite", m_rules, m_graph, "-o", path(out), "--no-cache", "--check"} + options);
    }

    static QStringList misfits(const QString& text) {
        QFile file(QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/schema/rewrite.schema.json"));
        if (!file.open(QIODevice::ReadOnly)) {
            return {"there is no schema"};
        }
        const lemmascope::test::SchemaCheck check(QJsonDocument::fromJson(file.readAll()).object());
        const QJsonObject object = QJsonDocument::fromJson(text.toUtf8()).object();
        return object.isEmpty() ? QStringList{"no JSON object"} : check.problems(object);
    }

  private Q_SLOTS:
    void initTestCase() {
        m_graph = write("attention.lsg.json", Attention);
        m_rules = write("some.rules", Rules);
    }

    void resultsAreProvedAndSoIsEachRule() {
        const Ran good = rewrite("good.onnx", {"--rule", "div_to_mul", "--rule", "add0"});
        QCOMPARE(good.status, 0);
        QVERIFY2(good.out.startsWith("proved: rounded\nrewritten: 2 replacements in 1 round, 7 nodes before, 6 after\n"
                                     "rule div_to_mul: 1 replacement, proved: rounded\nrule add0: 1 replacement, proved: exact\n"),
                 qPrintable(good.out));
        QVERIFY(run({"check", m_graph, path("good.onnx"), "--no-cache"}).out.startsWith("proved: rounded\n"));
    }

    void aWrongRuleIsRefutedAndNamed() {
        const Ran wrong = rewrite("wrong.lsg.json", {"--rule", "wrong", "--rule", "add0", "--json", "-"});
        QCOMPARE(wrong.status, 1);
        QVERIFY2(wrong.err.contains("refuted: value: z["), qPrintable(wrong.err));
        QVERIFY2(wrong.err.contains("rule wrong: 1 replacement, refuted: value: z["), qPrintable(wrong.err));
        QVERIFY2(wrong.err.contains("rule add0: 1 replacement, proved: exact\n"), qPrintable(wrong.err));
        const Json json = Json::parse(wrong.out.toStdString(), nullptr, false);
        QCOMPARE(misfits(wrong.out), QStringList());
        QVERIFY(json["rules"][0]["rule"] == "add0" && json["rules"][0]["strength"] == "exact");
        QVERIFY(json["rules"][1]["rule"] == "wrong" && json["rules"][1]["verdict"] == "refuted");
        QVERIFY(json["check"]["verdict"] == "refuted" && json["steps"].size() == 2);
    }

    void noMatchWritesNothing() {
        const Ran none = run({"rewrite", m_rules, m_graph, "-o", path("none.onnx"), "--rule", "never", "--json", path("none.json")});
        QCOMPARE(none.status, 1);
        QVERIFY2(none.out.startsWith("no match: ") && none.out.endsWith("none.onnx is not written\n"), qPrintable(none.out));
        QVERIFY(!QFile::exists(path("none.onnx")));
        QFile json(path("none.json"));
        QVERIFY(json.open(QIODevice::ReadOnly));
        QCOMPARE(misfits(QString::fromUtf8(json.readAll())), QStringList());
        const Ran refused = run({"rewrite", m_rules, m_graph, "-o", path("none.onnx"), "--rule", "swap"});
        QCOMPARE(refused.status, 1);
        QVERIFY2(refused.out.contains("refused: swap at qk: " + m_rules +
                                      ":5:30: Swish does not exist in opset 17, which the graph uses; it came with "
                                      "opset 24 (and at 1 more root)\n"),
                 qPrintable(refused.out));
    }

    void brokenReplacementsAreRefusedBeforeAnythingIsDone() {
        const QString rules = write("broken.rules", "rule a: relu(?x) => rellu(?x)\nrule b: relu(?x) => matmul(?x)\n");
        const Ran ran = run({"rewrite", rules, m_graph, "-o", path("broken.onnx")});
        QCOMPARE(ran.status, 65);
        QVERIFY2(ran.err.contains("broken.rules:1:21: error: ONNX has no operator 'rellu': did you mean Relu?"), qPrintable(ran.err));
        QVERIFY2(ran.err.contains("broken.rules:2:21: error: MatMul has 1 operand, expected 2"), qPrintable(ran.err));
        const QString attribute = write("attribute.rules", "rule a: relu(?x) => softmax{axs=1}(?x)\n");
        const Ran misspelt = run({"rewrite", attribute, m_graph, "-o", path("broken.onnx")});
        QCOMPARE(misspelt.status, 65);
        QVERIFY2(misspelt.err.contains("attribute.rules:1:29: error: Softmax has no attribute 'axs' (did you mean axis?)"), qPrintable(misspelt.err));
        const Ran name = run({"rewrite", m_rules, m_graph, "-o", path("broken.onnx"), "--rule", "div_to_mull"});
        QCOMPARE(name.status, 64);
        QVERIFY2(name.err.contains("did you mean 'div_to_mul'?"), qPrintable(name.err));
        QVERIFY(!QFile::exists(path("broken.onnx")));
    }

    void rulesWithoutEndAreNamed() {
        const QString rules = write("grow.rules", "rule grow: relu(?x) => abs(relu(?x))\n");
        const Ran ran = run({"rewrite", rules, m_graph, "-o", path("grown.onnx"), "--max-rounds", "4"});
        QCOMPARE(ran.status, 0);
        QVERIFY2(ran.err.contains("note: stopped after 4 rounds, in the last of which there applied: rule grow (at z_Relu_3)"), qPrintable(ran.err));
        const Ran once = run({"rewrite", rules, m_graph, "-o", path("grown.onnx"), "--once"});
        QVERIFY2(once.out.startsWith("rewritten: 1 replacement in 1 round") && once.err == "written: " + path("grown.onnx") + "\n",
                 qPrintable(once.out + once.err));
    }

    void regionsBecomeFunctions() {
        const QString rules = write("regions.rules", "pattern attention(?q, ?k, ?v) = ex ?s. ex ?kt. (matmul(softmax(div(matmul(?q, ?kt), ?s)), ?v)\n"
                                                     "    with ?kt ~ transpose(?k))\n");
        for (const char* file : {"regions.onnx", "regions.lsg.json"}) {
            const Ran ran = run({"rewrite", rules, m_graph, "-o", path(file), "--regions", "--check", "--no-cache"});
            QCOMPARE(ran.status, 0);
            QVERIFY2(
                ran.out.startsWith("proved: identical\n1 region of 5 nodes, of 7 in the graph\nregion attention_1 at o: 5 nodes: kt, qk, sc, p, o\n"
                                   "  inputs: k, q, s, v\n  outputs: o\n"),
                qPrintable(ran.out));
            QVERIFY(run({"check", m_graph, path(file), "--no-cache"}).out.startsWith("proved: identical\n"));
        }
        const Ran json = run({"rewrite", rules, m_graph, "-o", path("regions.onnx"), "--regions", "--json", "-"});
        QCOMPARE(misfits(json.out), QStringList());
        QVERIFY((Json::parse(json.out.toStdString())["regions"][0]["inputs"] == Json{"k", "q", "s", "v"}));
    }
};

QTEST_GUILESS_MAIN(TestRewriteCommand)
#include "tst_rewrite_command.moc"
