// What the static check says, with place, blame and remedy.
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
        for (const Finding& each : unknownOperators(*file)) {
            texts << QString::fromStdString(each.text("f"));
        }
        QCOMPARE(texts.join("\n"),
                 QString("f:1:16: warning: ONNX has no operator 'sofmax' (did you mean Softmax?)\n"
                         "f:2:18: warning: ONNX has no operator 'frobnicate' (one of another domain is written \"domain\":frobnicate)"));
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
