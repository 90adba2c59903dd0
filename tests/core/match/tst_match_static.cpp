// What the static check says, with place, blame and remedy.
#include "core/match/operator_names.h"
#include "core/match/parser.h"
#include "core/match/program.h"
#include "core/match/static_check.h"

#include <QElapsedTimer>
#include <QTest>

using namespace lemmascope;
using namespace lemmascope::match;

class TestMatchStatic : public QObject {
    Q_OBJECT

    static QString found(const std::string& text) {
        const Result<RuleFile> file = parseRules(text, "f");
        if (!file) {
            return QString::fromStdString(file.error().text());
        }
        QString out;
        for (const Finding& each : checkStatically(*file).findings) {
            out += (out.isEmpty() ? "" : "\n") + QString::fromStdString(each.text("f"));
        }
        return out;
    }

  private Q_SLOTS:
    void findingsNameThePlaceTheNameAndTheRemedy_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("findings");
        const auto row = [](const char* text, const char* findings) { QTest::newRow(text) << QString(text) << QString(findings); };
        row("pattern p = ex ?x. (relu(?x) | c)", "f:1:16: error: existential x not bound on every path (not bound in alternate 2 of 2, at 1:32)");
        row("pattern p = ex ?x. ?y", "f:1:16: error: existential x not bound on every path (?x is bound nowhere)");
        row("pattern p = add((?x where rank(?y)=2), ?y)",
            "f:1:21: error: guard reads y, not bound on every path (guard rank(?y)=2; ?y is bound later, at 1:40: move the guard after it)");
        row("pattern p = (add(?x, ?y) | relu(?x)) where rank(?y)=2",
            "f:1:38: error: guard reads y, not bound on every path (guard rank(?y)=2; not bound in alternate 2 of 2, at 1:28)");
        row("pattern p = (ex ?x. relu(?x)) where rank(?x)=2", "f:1:31: error: guard reads x, not bound on every path (guard rank(?x)=2; ?x at 1:26 "
                                                              "is another name: it has a binder of its own, or belongs "
                                                              "to another branch)");
        row("pattern p = relu(?x) with ?y ~ neg(?z)", "f:1:27: error: match constraint target y not bound on every path (?y is bound nowhere)");
        row("pattern p = mu P(?u)[?x]. P(?u)",
            "f:1:27: error: recursive call P not under an operator (each unfolding must match at least one operator, so that the recursion ends)");
        row("pattern p = f(?x, mu P()[]. (ex ?v. (?v with ?x ~ g(P()))))", "f:1:53: error: recursive call P inside a match constraint on x, which is "
                                                                           "not bound by this body (what it holds may be larger than the term "
                                                                           "being matched, so the recursion need not end)");
        row("pattern p = add(?x, ex ?x. relu(?x))", "f:1:24: warning: ex ?x hides the ?x around it (rename one of them if that is not meant)");
        row("pattern p = relu(?x) | neg(?x) | relu(?x)", "f:1:34: warning: alternate 3 is the same as alternate 1 (it finds nothing new)");
        row("pattern p = opt cast{to=?t}(?x) where ?t = 1",
            "f:1:33: error: guard reads t, not bound on every path (guard ?t=1; not bound where 'opt cast' at 1:13 is left out)");
        row("rule r: relu(?x) when rank(?y) = 2 => neg(?z)",
            "f:1:18: error: guard reads y, not bound on every path (guard rank(?y)=2; ?y is bound nowhere)\n"
            "f:1:43: error: replacement uses z, not bound on every path (?z is bound nowhere)");
        row("rule r: relu(?x) => let ?t = neg(?x) in add(?t, ?t)", "");
        row("rule r: concat(?x, ..r) => concat(..r, ?x)", "");
        row("pattern a(?x) = b(?x)\npattern b(?x) = relu(a(?x)) | ?x", "");
        row("pattern a(?x) = b(?x)\npattern b(?x) = a(?x) | ?x",
            "f:1:17: error: recursive call b not under an operator (each unfolding must match at least one operator, so that the recursion ends)\n"
            "f:2:17: error: recursive call a not under an operator (each unfolding must match at least one operator, so that the recursion ends)");
        row("pattern a(?x, ?y) = relu(?x) | add(?x, ?y)\nrule r: a(?p, ?q) => ?q",
            "f:2:22: error: replacement uses q, not bound on every path (?q at 2:15 is another name: it has a binder of its own, or belongs to "
            "another "
            "branch)");
        row("pattern a(?x, ?y) = add(?x, ?y) | add(?y, ?x)\nrule r: a(?p, ?q) => ?q", "");
        row("pattern a(?x) = relu(a(?x)) | ?x\nrule r: a(?p) => ?p", "");
    }
    void findingsNameThePlaceTheNameAndTheRemedy() {
        QFETCH(QString, text);
        QFETCH(QString, findings);
        QCOMPARE(found(text.toStdString()), findings);
    }

    void misspeltOperatorsAreWarnedOf() {
        const Result<RuleFile> file = parseRules("rule r: matmul(sofmax(?x), \"my.ops\":Foo(leaf))\npattern p = RELU(frobnicate(?x))", "f");
        QVERIFY(file.has_value());
        QStringList texts;
        for (const Finding& each : unknownNames(*file)) {
            texts << QString::fromStdString(each.text("f"));
        }
        QCOMPARE(texts.join("\n"),
                 QString("f:1:16: warning: ONNX has no operator 'sofmax' (did you mean Softmax?)\n"
                         "f:2:18: warning: ONNX has no operator 'frobnicate' (one of another domain is written \"domain\":frobnicate)"));
    }

    void unknownAttributes_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("findings");
        const auto row = [](const char* name, const char* text, const char* findings) {
            QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(findings);
        };
        row("none at all", "rule r: matmul{transsA=1}(?x, ?y)", "f:1:16: warning: MatMul has no attribute 'transsA' (it has none)");
        row("near one", "rule r: Softmax{axes=1}(?x)", "f:1:17: warning: Softmax has no attribute 'axes' (did you mean axis?)");
        row("of an older opset", "rule r: unsqueeze{axes=[0]}(?x) | reshape{allowzero=1}(?x, ?s)", "");
        row("not of the opset written", "rule r: unsqueeze:13{axes=[0]}(?x) | unsqueeze:11{axes=[0]}(?x)",
            "f:1:22: warning: Unsqueeze of opset 13 has no attribute 'axes' (it has none)");
        row("or an operand", "rule r: slice{ends@=[1], axs@=[0]}(?x) | resize{roi@=?r}(?x)",
            "f:1:26: warning: Slice has no attribute 'axs' (did you mean axes?)");
        row("of another domain, where something is near",
            "rule r: \"com.microsoft\":FusedMatMul{transa=1, other=2}(?x, ?y) | \"com.microsoft\":FusdMatMul(?x, ?y)",
            "f:1:37: warning: com.microsoft.FusedMatMul has no attribute 'transa' (did you mean transA?)\n"
            "f:1:66: warning: there is no known operator 'FusdMatMul' of com.microsoft (did you mean FusedMatMul?)");
        row("of a domain that nobody knows", "rule r: \"my.ops\":Softmax{axes=1}(?x)", "");
        row("in a guard", "rule r: ?n @ softmax(?x) where attr(?n, \"axes\") = 1 & attr(?n, \"axis\") = 1 & attr(?x, \"axes\") = 1",
            "f:1:32: warning: Softmax has no attribute 'axes' (did you mean axis?)");
        row("in a guard, of a name that may be another operator", "rule r: ?n @ (softmax(?x) | foo:1(?x)) where attr(?n, \"axes\") = 1",
            "f:1:29: warning: ONNX has no operator 'foo' (one of another domain is written \"domain\":foo)");
        row("in a definition", "pattern p(?x, ?n) = relu(?x) with ?n ~ gelu{aproximate=\"tanh\"}(?x)",
            "f:1:45: warning: Gelu has no attribute 'aproximate' (did you mean approximate?)");
    }
    void unknownAttributes() {
        QFETCH(QString, text);
        const Result<RuleFile> file = parseRules(text.toStdString(), "f");
        QVERIFY2(file.has_value(), file ? "" : file.error().text().c_str());
        QStringList texts;
        for (const Finding& each : unknownNames(*file)) {
            texts << QString::fromStdString(each.text("f"));
        }
        QTEST(texts.join("\n"), "findings");
    }

    void whatTheGraphHasIsKnown() {
        const Result<RuleFile> file = parseRules("rule r: linearrelu{bias=1}(?x) | foo(?x) | softmax{axes=1}(?x)", "f");
        QVERIFY(file.has_value());
        Graph graph;
        const ValueId x = graph.addValue({"x", {}, {}, 0, {}, {}, {}});
        const ValueId y = graph.addValue({"y", {}, {}, 0, {}, {}, {}});
        graph.addNode({{"", "LinearRelu", 17}, "", {x}, {y}, {}, {}, 0});
        graph.addNode({{"", "Softmax", 17}, "", {x}, {}, {}, {}, 0});
        const std::vector<Finding> found = unknownNames(*file, &graph);
        QCOMPARE(found.size(), std::size_t{2});
        QVERIFY2(found[0].fact == "ONNX has no operator 'foo'", found[0].fact.c_str());
        QVERIFY2(found[1].fact == "Softmax has no attribute 'axes'", found[1].fact.c_str());
    }

    void patternsThatNoRuleUsesAreTold() {
        const auto unused = [](const char* text) {
            QStringList out;
            for (const Finding& each : unusedPatterns(*parseRules(text, "f"))) {
                out << QString::fromStdString(each.text("f"));
            }
            return out.join("\n");
        };
        QCOMPARE(unused("pattern p(?x) = relu(?x)"), QString());
        QCOMPARE(unused("pattern p(?x) = relu(?x)\npattern q(?x) = p(?x) | tanh(q(?x))\nrule r: q(?x)"), QString());
        QCOMPARE(unused("pattern p(?x) = relu(?x)\npattern p(?x) = abs(?x)\npattern q(?x) = p(?x)\nrule r: relu(?x)"),
                 QString("f:1:1: warning: no rule uses the pattern 'p' (it is not matched: write rule NAME: p(...))\n"
                         "f:3:1: warning: no rule uses the pattern 'q' (it is not matched: write rule NAME: q(...))"));
    }

    void hugeFilesAreReadInTime() {
        std::string alternates = "pattern p = f(?x0)";
        std::string many;
        for (int i = 1; i < 20'000; ++i) {
            alternates += " | f(?x" + std::to_string(i % 100) + ")";
            many += "pattern q" + std::to_string(i) + " = relu(?x)\nrule r" + std::to_string(i) + ": neg(?x)\n";
        }
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(found(alternates), QString());
        QCOMPARE(found(many), QString());
        QVERIFY2(timer.elapsed() < 60'000, qPrintable(QString::number(timer.elapsed())));
    }

    void manyDefinitionsAreCheckedInTime() {
        std::string text = "pattern p0(?x) = relu(?x)\n";
        for (int i = 1; i < 5'000; ++i) {
            text += "pattern p" + std::to_string(i) + "(?x) = relu(p" + std::to_string(i - 1) + "(?x)) | neg(p" + std::to_string(i - 1) + "(?x))\n";
        }
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(found(text), QString());
        const Result<RuleFile> file = parseRules(text, "f");
        QCOMPARE(compileRules(*file, checkStatically(*file))->size(), std::size_t{1});
        QVERIFY2(timer.elapsed() < 60'000, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_GUILESS_MAIN(TestMatchStatic)
#include "tst_match_static.moc"
