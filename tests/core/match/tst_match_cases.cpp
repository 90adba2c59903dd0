// The worked and the random examples of the pattern language (tests/data/cases/matcher): outcome, bindings, static check and reasons.
#include "core/match/case_file.h"

#include <QFile>
#include <QTest>

using namespace lemmascope;
using namespace lemmascope::match;

class TestMatchCases : public QObject {
    Q_OBJECT

    static QByteArray contentOf(const QString& name) {
        QFile file(QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/matcher/") + name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    static void runAll(const char* name, std::size_t count) {
        const Result<MatchCases> cases = parseCases(contentOf(name).toStdString(), name);
        QVERIFY2(cases.has_value(), cases ? "" : cases.error().text().c_str());
        QCOMPARE(cases->cases.size(), count);
        QStringList faults;
        for (const MatchCase& each : cases->cases) {
            QVERIFY(each.outcome && each.bindings && each.staticCheck && each.reasons);
            const Result<CaseResult> result = runCase(each, cases->signature, name, false, 1'000'000);
            if (!result) {
                faults << QString::fromStdString(each.id + ": " + result.error().text());
                continue;
            }
            for (const std::string& difference : result->differences) {
                faults << QString::fromStdString(each.id + ": " + difference);
            }
        }
        QVERIFY2(faults.isEmpty(), qPrintable("\n" + faults.join('\n')));
    }

  private Q_SLOTS:
    void workedExamplesComeOutAsWritten() { runAll("worked.tsv", 57); }
    void randomExamplesComeOutAsWritten() { runAll("random.tsv", 400); }

    void aWrongExpectationIsToldApart() {
        const MatchCase wrong{"X",        "relu(?x)",
                              "relu(a)",  2,
                              "no match", std::map<std::string, std::string>{{"?x", "b"}},
                              "ok",       std::vector<std::string>{"op: want f, got g"}};
        const Result<CaseResult> result = runCase(wrong, "", "x.tsv", false, 1'000);
        QVERIFY(result.has_value());
        QCOMPARE(result->differences.size(), std::size_t{3});
        QCOMPARE(QString::fromStdString(result->differences[1]), QString("bindings: expected ?x=b, found ?x=a"));
    }

    void extensionsOnSmallTerms_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("term");
        QTest::addColumn<QString>("result");
        const auto row = [](const char* pattern, const char* term, const char* result) {
            QTest::newRow(pattern) << QString(pattern) << QString(term) << QString(result);
        };
        row("f{axis=?a}(?x)", "f{axis=1}(b)", "match ?a=1 ?x=b");
        row("f{axis=?a}(g{axis=?a}(?x))", "f{axis=1}(g{axis=2}(b))", "no match: conflict a: already 1, now 2");
        row("f{axis=2}(?x)", "f{axis=1}(b)", "no match: attribute axis: want 2, got 1");
        row("f{mode=\"x\", perm=[1,0]}(?x)", "f{perm=[1,0], mode=\"x\"}(b)", "match ?x=b");
        row("f{axes@=2}(?x)", "f(b, 2)", "match ?x=b");
        row("f{to=f16}(?x)", "f{to=10}(b)", "match ?x=b");
        row("add(result 0 of ?n @ s(?x), result 1 of ?n)", "add(s(a), result 1 of s(a))", "match ?n=s(a) ?x=a");
        row("result 1 of s(?x)", "s(a)", "no match: result: want result 1, got result 0 of s");
        row("s(?x)", "result 1 of s(a)", "no match: result: want result 0, got result 1 of s");
        row("f(?x, none, ?y)", "f(a, none, b)", "match ?x=a ?y=b");
        row("f(?x, ?y)", "f(a, none)", "no match: operand left out");
        row("f(?x, ..r)", "f(a, b, c)", "match ..r=[b, c] ?x=a");
        row("f(?x, ..r)", "f()", "no match: arity of f");
        row("f(2, 0.5~0.1)", "f(2, 0.55)", "match");
        row("f(2)", "f(2.5)", "no match: number: want 2, got 2.5");
        row("opt g(?p @ h(?x))", "h(a)", "match ?p=h(a) ?x=a");
        row("comm f(g(?x), ?y)", "f(a, g(b))", "match ?x=b ?y=a");
        row("comm f(?y, (?z where size(?y)<2))", "f(g(a), b)", "match ?y=b ?z=g(a)");
        row("ac f(g(?x), ?y, h(?z))", "f(f(h(a), b), g(c))", "match ?x=c ?y=b ?z=a");
        row("ac f(?x, ?x, ?y)", "f(a, f(b, a))", "match ?x=a ?y=b");
        row("ac f(?x, ?y, ?z, ?w)", "f(f(a, b), c)", "no match: factors: want 4, got 3");
        row("f(?x) where value(?x)/2 = 1.5 & is_const(?x)", "f(3)", "match ?x=3");
        row("f(?x) where rank(?x)=1 | size(?x)=1", "f(a)", "match ?x=a");
        row("f(?x) where rank(?x)=1 & size(?x)=1", "f(a)", "no match: guard undefined: rank(?x)=1 & size(?x)=1");
        row("_", "f(a)", "match");
    }
    void extensionsOnSmallTerms() {
        QFETCH(QString, pattern);
        QFETCH(QString, term);
        QFETCH(QString, result);
        MatchCase each;
        each.pattern = pattern.toStdString();
        each.term = term.toStdString();
        const Result<CaseResult> ran = runCase(each, "", "f", false, 10'000);
        QVERIFY2(ran.has_value(), ran ? "" : ran.error().text().c_str());
        std::string text = ran->outcome;
        for (const auto& [name, value] : ran->bindings) {
            text += " " + name + "=" + value;
        }
        if (!ran->reasons.empty()) {
            text += ": " + ran->reasons.back();
        }
        QCOMPARE(QString::fromStdString(text), result);
    }

    void identityTellsEqualTermsApart() {
        const MatchCase each{"1", "add(?x, ?x)", "add(relu(a), relu(a))", 1, {}, {}, {}, {}};
        QCOMPARE(QString::fromStdString(runCase(each, "", "f", false, 1'000)->outcome), QString("match"));
        QCOMPARE(QString::fromStdString(runCase(each, "", "f", true, 1'000)->outcome), QString("no match"));
        const MatchCase leaf{"1", "add(?x, ?x)", "add(a, a)", 1, {}, {}, {}, {}};
        QCOMPARE(QString::fromStdString(runCase(leaf, "", "f", true, 1'000)->outcome), QString("match"));
    }

    void malformedFilesAreRefused() {
        QCOMPARE(QString::fromStdString(parseCases("id\tterm\n", "f").error().text()),
                 QString("f:1: the header has no column 'pattern': expected tab-separated id, pattern, term, ..."));
        QVERIFY(!parseCases("", "f").has_value());
        QCOMPARE(QString::fromStdString(parseCases("id\tpattern\tterm\na\tb\tc\td\n", "f").error().text()),
                 QString("f:2: found 4 cells, the header has 3"));
    }
};

QTEST_GUILESS_MAIN(TestMatchCases)
#include "tst_match_cases.moc"
