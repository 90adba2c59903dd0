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

  private slots:
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
