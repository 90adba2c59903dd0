// match and rules from outside: outcomes, exit statuses, JSON.
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
const QString Cases = QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/");

} // namespace

class TestMatchCommand : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    [[nodiscard]] Ran run(const QStringList& arguments) const { return runProgram(Program, arguments, m_folder.path()); }

    QString write(const QString& name, const QByteArray& content) const {
        QFile file(m_folder.filePath(name));
        if (file.open(QIODevice::WriteOnly)) {
            file.write(content);
        }
        return file.fileName();
    }

    /// What of a result does not fit the schema.
    static QStringList misfits(const QString& text, const char* schema = "match") {
        QFile file(QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/schema/") + schema + ".schema.json");
        if (!file.open(QIODevice::ReadOnly)) {
            return {"there is no schema"};
        }
        const lemmascope::test::SchemaCheck check(QJsonDocument::fromJson(file.readAll()).object());
        const QJsonObject object = QJsonDocument::fromJson(text.toUtf8()).object();
        return object.isEmpty() ? QStringList{"no JSON object"} : check.problems(object);
    }

  private Q_SLOTS:
    void termsMatchWithTheirBindings() {
        const Ran match = run({"match", "--pattern", "add(?x, %F(?x))", "--term", "add(a, relu(a))"});
        QCOMPARE(match.status, 0);
        QCOMPARE(match.out, QString("match\n  ?x = a\n  %F = relu\n"));
        const Ran all = run({"match", "--all", "--pattern", "comm add(?x, ?y)", "--term", "add(a, b)"});
        QCOMPARE(all.out, QString("match\n  ?x = a\n  ?y = b\nmatch\n  ?x = b\n  ?y = a\n"));
    }

    void noMatchSaysWhyForEachBranch() {
        const Ran none = run({"match", "--pattern", "(div(?x, two) | mul(?x, half))", "--term", "mul(a, two)"});
        QCOMPARE(none.status, 1);
        QCOMPARE(none.out, QString("no match\n  op: want div, got mul\n  op: want half, got two\n"));
    }

    void signaturesFeedGuards() {
        const QStringList pattern{"match", "--pattern", "(%F(?x) where cls(%F)=ew1 & rank(?x)=2)", "--term", "relu(v)", "--sig"};
        QCOMPARE(run(pattern + QStringList{"relu cls=ew1; default rank=2"}).status, 0);
        const Ran one = run(pattern + QStringList{"relu cls=ew1; v rank=1; default rank=2"});
        QCOMPARE(one.status, 1);
        QCOMPARE(one.out, QString("no match\n  guard false: cls(%F)=ew1 & rank(?x)=2\n"));
    }

    void illFormedPatternsRunOnlyWhenAsked() {
        const QStringList words{"match", "--pattern", "(relu(?x) where rank(?y)=2)", "--term", "relu(A)"};
        const Ran strict = run(words);
        QCOMPARE(strict.status, 65);
        QVERIFY2(strict.err.contains("--pattern:1:11: error: guard reads y, not bound on every path"), qPrintable(strict.err));
        const Ran lenient = run(words + QStringList{"--lenient"});
        QCOMPARE(lenient.status, 1);
        QVERIFY(lenient.out.contains("guard rank(?y)=2 reads unbound y"));
    }

    void aBudgetThatRunsOutIsUndecided() {
        const Ran run1 = run({"match", "--steps", "3", "--pattern", "f(f(f(f(?x))))", "--term", "f(f(f(f(a))))"});
        QCOMPARE(run1.status, 2);
        QVERIFY2(run1.out.startsWith("undecided: after 3 steps, at "), qPrintable(run1.out));
    }

    void listsOfCasesAreCounted() {
        for (const auto& [file, count] : {std::pair{"worked.tsv", 57}, std::pair{"random.tsv", 400}}) {
            const Ran all = run({"match", "--cases", Cases + "matcher/" + file, "--lenient"});
            QCOMPARE(all.status, 0);
            QCOMPARE(all.out, QString("%1 passed, 0 failed\n").arg(count));
        }
        const Ran json = run({"match", "--cases", Cases + "matcher/worked.tsv", "--json", "-"});
        const Json parsed = Json::parse(json.out.toStdString(), nullptr, false);
        QVERIFY(!parsed.is_discarded() && parsed["cases"].size() == 57);
        QCOMPARE(misfits(json.out), QStringList());
        QVERIFY((parsed["cases"][43]["bindings"] == Json{{"x", "a"}, {"G", "relu"}}));
        QVERIFY(parsed["cases"][19]["static_check"] == "error: guard reads y, not bound on every path");
        QVERIFY(json.err.endsWith("57 passed, 0 failed\n"));
        const Ran wrong = run({"match", "--cases", write("wrong.tsv", "id\tpattern\tterm\texpected\n1\t?x\ta\tno match\n2\t?x\ta\tmatch\n")});
        QCOMPARE(wrong.status, 1);
        QCOMPARE(wrong.out, QString("1: outcome: expected no match, found match\n1 passed, 1 failed\n"));
    }

    void rulesMatchGraphs() {
        const QString bugs = Cases + "bugs/";
        const Ran good = run({"match", bugs + "B35.rules", bugs + "B35.target.onnx"});
        QCOMPARE(good.status, 0);
        QVERIFY2(good.out.startsWith("match: attention at g4 (MatMul): 4 nodes\n  ?Q = q\n"), qPrintable(good.out));
        const Ran refused = run({"match", bugs + "B37.rules", bugs + "B37.target.onnx", "--json", "-"});
        QCOMPARE(refused.status, 1);
        const Json json = Json::parse(refused.out.toStdString(), nullptr, false);
        QVERIFY(json["format"] == "lemmascope-match" && json["version"] == 1);
        QCOMPARE(misfits(refused.out), QStringList());
        for (const char* name : {"B35", "B40"}) {
            QCOMPARE(misfits(run({"match", bugs + name + ".rules", bugs + name + ".target.onnx", "--explain", "--json", "-"}).out), QStringList());
        }
        QVERIFY(json["matches"][0]["rewritable"] == false);
        QVERIFY(json["matches"][0]["reason"] == "the interior value g1 is a graph output");
        QVERIFY((json["matches"][0]["bindings"] == Json{{"X", "x"}, {"u", "g2"}, {"t", "g1"}}));
        QVERIFY((json["matches"][0]["nodes"] == Json{"g1", "g2", "g3"}));
        const Ran none = run({"match", bugs + "B40.rules", bugs + "B40.target.onnx"});
        QCOMPARE(none.status, 1);
        QVERIFY2(none.out.contains("g1 (Transpose): attribute perm is [0,2,3,1], the pattern wants [0,1,3,2] [2:"), qPrintable(none.out));
        const Ran why = run({"match", bugs + "B35.rules", bugs + "B35.target.onnx", "--at", "g2", "--explain", "--trace"});
        QCOMPARE(why.status, 1);
        QVERIFY2(why.out.contains("no match: attention at g2 (Add): 0 of 4 operators matched\n  here stands g2 (Add), the pattern wants matmul"),
                 qPrintable(why.out));
        QCOMPARE(run({"match", bugs + "B35.rules", bugs + "B35.target.onnx", "--at", "nowhere"}).status, 64);
        QCOMPARE(run({"match", bugs + "B35.rules", bugs + "B35.target.onnx", "--rule", "nothing"}).status, 64);
        QCOMPARE(run({"match", bugs + "B35.rules", bugs + "none.onnx"}).status, 66);
        QCOMPARE(run({"match", bugs + "B35.rules", bugs + "B35.target.onnx", "--steps", "3"}).status, 2);
    }

    void bodiesAreMatchedAndNamesAreChecked() {
        const QString graph = write("if.lsg.json", R"({"format": "lemmascope-graph", "version": 1, "opset": 17,
            "inputs": [{"name": "c", "type": "bool", "shape": []}, {"name": "x", "type": "f32", "shape": [2]}],
            "constants": [{"name": "one", "type": "f32", "shape": [], "data": [1]}],
            "nodes": [{"op": "If", "name": "If_3", "in": ["c"], "out": ["y"], "attrs": {
              "then_branch": {"nodes": [{"op": "Mul", "in": ["x", "one"], "out": ["a"]}], "outputs": ["a"]},
              "else_branch": {"nodes": [{"op": "Frob", "in": ["x"], "out": ["d"]}], "outputs": ["d"]}}}],
            "outputs": ["y"]})");
        const QString rules = write("if.rules", "rule one: mul(?x, ?c) where value(?c) = 1\nrule f: frob{a=1}(?x) | softmax{axs=1}(?x)\n");
        const Ran found = run({"match", rules, graph, "--json", "-"});
        QCOMPARE(found.status, 0);
        QCOMPARE(misfits(found.out), QStringList());
        QVERIFY2(found.err.contains("match: one at If_3/then_branch/a (Mul): 1 node\n"), qPrintable(found.err));
        QVERIFY2(found.err.contains("if.rules:2:33: warning: Softmax has no attribute 'axs' (did you mean axis?)") && !found.err.contains("frob'"),
                 qPrintable(found.err));
        const Json json = Json::parse(found.out.toStdString(), nullptr, false);
        QVERIFY(json["matches"][0]["scope"] == "If_3/then_branch" && json["matches"][0]["root"] == "a");
        const Ran why = run({"match", rules, graph, "--at", "If_3/else_branch/d", "--rule", "f"});
        QCOMPARE(why.status, 1);
        QVERIFY2(why.out.contains(": f at If_3/else_branch/d (Frob): "), qPrintable(why.out));
    }

    void wrongUseIsToldApart() {
        QCOMPARE(run({"match"}).status, 64);
        QCOMPARE(run({"match", "--pattern", "?x"}).status, 64);
        QCOMPARE(run({"match", "--cases", m_folder.filePath("none.tsv")}).status, 66);
        QCOMPARE(run({"match", "--pattern", "f(", "--term", "a"}).status, 65);
        QCOMPARE(run({"match", "--pattern", "?x", "--term", "f(a"}).status, 65);
        QCOMPARE(run({"rules"}).status, 64);
    }

    void whatWasMeantIsTold() {
        const QString rules = write("meant.rules", "rule a: add(?x, ?y)\nrule b: tanh(relu(?x))\nrule c: softmax(?x)\nrule m: matmul(?x, ?y)\n");
        const QString graph = write("meant.lsg.json", R"({"format": "lemmascope-graph", "version": 1, "opset": 17,
            "inputs": [{"name": "x", "type": "f32", "shape": [2]}],
            "nodes": [{"op": "Add", "in": ["x", "x"], "out": ["s"]}, {"op": "Tanh", "in": ["s"], "out": ["y"]}], "outputs": ["y"]})");
        const Ran swapped = run({"match", graph, rules});
        QCOMPARE(swapped.status, 65);
        QVERIFY2(swapped.err.contains("meant.lsg.json: this is a graph: name the rule file first"), qPrintable(swapped.err));
        const Ran library = run({"match", "attention", graph});
        QCOMPARE(library.status, 66);
        QVERIFY2(library.err.contains("the rules of the library are @attention"), qPrintable(library.err));
        const Ran folder = run({"rules", "check", m_folder.path()});
        QCOMPARE(folder.status, 65);
        QVERIFY2(folder.err.contains("is a folder: name a rule file in it"), qPrintable(folder.err));
        QVERIFY(run({"match", write("empty.rules", "# nothing\n"), graph}).err.contains("empty.rules: there is no rule or pattern in it"));
        // Rules that matched nowhere are named.
        const Ran all = run({"match", rules, graph});
        QCOMPARE(all.status, 0);
        QVERIFY2(all.out.contains("no match: b, c, m (--explain tells what came near)\n"), qPrintable(all.out));
        const Ran some = run({"match", rules, graph, "--rule", "b", "--rule", "c"});
        QCOMPARE(some.status, 1);
        QVERIFY2(some.out.contains("no match: b at y (Tanh): 1 of 2 operators matched\n") &&
                     some.out.contains("no match, no node has the first operator: c\n"),
                 qPrintable(some.out));
        const Ran unknown = run({"rules", "check", rules, "--rule", "aa"});
        QCOMPARE(unknown.status, 64);
        const Ran only = run({"rewrite", rules, graph, "-o", m_folder.filePath("meant.onnx"), "--rule", "a"});
        QVERIFY2(only.err.contains("rule a has no replacement: write one as 'rule NAME: PATTERN => REPLACEMENT'"), qPrintable(only.err));
    }

    void rulesOfTheLibraryGoByName() {
        const QString model = Cases + "ort/bert1.ref.onnx";
        const Ran found = run({"match", "@attention", model});
        QCOMPARE(found.status, 0);
        QVERIFY2(found.out.startsWith("match: attention_heads_masked at Transpose_52 (Transpose): 7 nodes\n"), qPrintable(found.out));
        const Ran none = run({"match", "@attenton", model});
        QCOMPARE(none.status, 66);
        QVERIFY2(none.err.contains("the library has no rules '@attenton': did you mean @attention?"), qPrintable(none.err));
        const Ran list = run({"rules", "list"});
        QCOMPARE(list.status, 0);
        QVERIFY2(list.out.contains("@gelu ") && list.out.contains(" rules: GELU and its relatives\n"), qPrintable(list.out));
        const Ran rules = run({"rules", "list", "@gelu"});
        QVERIFY2(rules.out.startsWith("gelu_erf: "), qPrintable(rules.out));
        // What the README shows is what is said.
        QFile readme(QStringLiteral(LEMMASCOPE_SOURCE_DIR "/README.md"));
        QVERIFY(readme.open(QIODevice::ReadOnly));
        const QString shown = QString::fromUtf8(readme.readAll());
        const QString why = run({"match", "@attention", Cases + "bugs/B40.target.onnx", "--rule", "attention_onnx"}).out;
        QVERIFY2(shown.contains("--rule attention_onnx\n" + why.section('\n', 0, 2) + "\n...\n"), qPrintable(why));
        const QString fused = run({"rewrite", "@all", model, "-o", m_folder.filePath("bert.onnx"), "--check"}).out;
        QVERIFY2(shown.contains("-o bert.onnx --check\n" + fused.section("\n\n", 0, 0) + "\n...\n"), qPrintable(fused));
        // Written out, a file of the library is one like others.
        const QString own = m_folder.filePath("own.rules");
        QCOMPARE(run({"rules", "format", "@attention", "-o", own}).status, 0);
        QCOMPARE(run({"match", own, model}).out, found.out);
    }

    void rulesAreCheckedAndFormatted() {
        const QString file = write("r.rules", "pattern p(?x)=relu( ?x )\nrule a: p(?x)\n");
        const Ran good = run({"rules", "check", file});
        QCOMPARE(good.status, 0);
        QCOMPARE(good.out, QString("static check: passes: 1 rule, 1 pattern\n"));
        QCOMPARE(run({"rules", "format", file}).out, QString("pattern p(?x) = relu(?x)\nrule a: p(?x)\n"));
        QCOMPARE(run({"rules", "format", file, "-o", file}).status, 0);
        QCOMPARE(run({"rules", "format", file}).out, QString("pattern p(?x) = relu(?x)\nrule a: p(?x)\n"));
        const Ran proof = run({"rules", "check", write("proof.rules", "rule a: relu(relu(?x)) => relu(?x)\n")});
        QCOMPARE(proof.status, 0);
        QVERIFY2(proof.out.startsWith("proved: exact: 1 rule\n"), qPrintable(proof.out));
        const Ran wrong = run({"rules", "check", write("wrong.rules", "rule a: softmax(?x) => softmax{axis=-1}(?x)\n"), "--json", "-"});
        QCOMPARE(wrong.status, 1);
        QVERIFY2(wrong.err.startsWith("refuted: a: value: "), qPrintable(wrong.err));
        QCOMPARE(misfits(wrong.out, "rules"), QStringList());
        QCOMPARE(run({"rules", "check", file, "--rule", "b"}).status, 64);
        const Ran bad = run({"rules", "check", write("bad.rules", "# one\nrule a: (add(?x, ?y) | relu(?x)) => relu(?y)\n")});
        QCOMPARE(bad.status, 65);
        QVERIFY2(bad.err.contains("bad.rules:2:42: error: replacement uses y, not bound on every path (not bound in alternate 2 of 2, at 2:24)"),
                 qPrintable(bad.err));
        QCOMPARE(run({"rules", "check", write("broken.rules", "rule a: relu(\n")}).status, 65);
    }
};

QTEST_GUILESS_MAIN(TestMatchCommand)
#include "tst_match_command.moc"
