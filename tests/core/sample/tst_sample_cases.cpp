// The pairs of tests/data/cases: equal ones agree, rounded ones lie within rounding, wrong ones are told apart.
#include "core/format/load.h"
#include "tests/app/case_list.h"
#include "tests/core/sample/sampled_pair.h"

#include <QRegularExpression>
#include <QtTest/QTest>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

SampledPair sampleCase(const Case& pair) {
    const auto reference = loadGraph(pair.reference.toStdString());
    const auto rewritten = loadGraph(pair.rewritten.toStdString());
    if (!reference || !rewritten) {
        SampledPair out;
        out.error = (!reference ? reference.error() : rewritten.error()).text();
        return out;
    }
    std::map<std::string, IntegerRange> ranges;
    const QStringList words = pair.options.split(' ', Qt::SkipEmptyParts);
    for (qsizetype i = 0; i + 1 < words.size(); ++i) {
        // --range ids=0:3
        const QStringList sides = words[i + 1].split('=');
        if (words[i].contains("range") && sides.size() == 2) {
            const QStringList ends = sides[1].split(QRegularExpression("[:.]+"));
            if (ends.size() == 2) {
                ranges[sides[0].toStdString()] = {ends[0].toLongLong(), ends[1].toLongLong()};
            }
        }
    }
    return samplePair(**reference, **rewritten, {}, ranges);
}

} // namespace

class TestSampleCases : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void predicts_data() {
        QTest::addColumn<QString>("folder");
        for (const char* folder : {"onnx", "ort", "json", "bugs", "ort-bugs"}) {
            QTest::newRow(folder) << QString(folder);
        }
    }
    void predicts() {
        QFETCH(QString, folder);
        const QList<Case> cases = casesOf(folder);
        QVERIFY(!cases.isEmpty());
        QStringList wrong;
        int separated = 0;
        int differing = 0;
        for (const Case& pair : cases) {
            const SampledPair sampled = sampleCase(pair);
            if (!sampled.error.empty()) {
                wrong << pair.id + ": " + QString::fromStdString(sampled.error);
                continue;
            }
            const Agreement agreement = sampled.outputs();
            const QString line = QString("%1: %2 (%3 samples, %4 of %5 decisions both ways, %6 s) %7")
                                     .arg(pair.id, nameOf(agreement))
                                     .arg(sampled.sampler->samplesKept())
                                     .arg(sampled.sampler->branchesBothWays())
                                     .arg(sampled.sampler->branchDecisions())
                                     .arg(sampled.seconds, 0, 'f', 3)
                                     .arg(QString::fromStdString(sampled.sampler->trouble()));
            if (qEnvironmentVariableIsSet("LEMMASCOPE_SHOW")) {
                qInfo("%s", qPrintable(line));
            }
            const std::vector<std::string> hashed = sampled.sampler->hashedOps();
            if (agreement == Agreement::Unknown && !hashed.empty()) {
                qInfo("%s has no meaning here: %s", hashed.front().c_str(), qPrintable(pair.id));
                continue;
            }
            const bool agrees = agreement == Agreement::Equal || agreement == Agreement::WithinRounding;
            switch (pair.truth) {
            case Case::Truth::Equal:
                if (!agrees) {
                    wrong << line;
                }
                break;
            case Case::Truth::Rounded:
                if (agreement != Agreement::WithinRounding) {
                    wrong << line;
                }
                break;
            case Case::Truth::OutOfRange:
            case Case::Truth::Unproved: break; // accesses and open ops are not what samples see
            case Case::Truth::Differs:
                ++differing;
                separated += agreement == Agreement::Different ? 1 : 0;
                if (agreement != Agreement::Different && qEnvironmentVariableIsSet("LEMMASCOPE_SHOW")) {
                    qInfo("not separated: %s", qPrintable(line));
                }
            }
        }
        qInfo("%d of %d differing pairs told apart", separated, differing);
        QVERIFY2(wrong.isEmpty(), qPrintable("\n" + wrong.join('\n')));
        // Two differ only where a side condition fails (a zero divisor, an index out of range), which is never sampled.
        QVERIFY(separated >= differing - 3);
    }
};

QTEST_GUILESS_MAIN(TestSampleCases)
#include "tst_sample_cases.moc"
