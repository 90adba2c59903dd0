// The machine against the declarative meaning, on generated patterns and terms: well-formed and not, with and without memory.
#include "tests/core/match/generated.h"

#include <QTest>

using namespace lemmascope::match::oracle;

class TestMatchOracle : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void machineAndDeclarativeMeaningAgree() {
        constexpr std::uint64_t Count = 6'000;
        int wellFormed = 0;
        int matched = 0;
        int searchedToo = 0;
        int undecided = 0;
        QStringList faults;
        for (std::uint64_t seed = 0; seed < Count && faults.size() < 10; ++seed) {
            const Compared each = compareGenerated(seed);
            wellFormed += each.wellFormed ? 1 : 0;
            matched += each.matched ? 1 : 0;
            searchedToo += each.searchedToo ? 1 : 0;
            undecided += each.undecided ? 1 : 0;
            if (!each.agrees) {
                faults << QString::fromStdString(std::to_string(seed) + ": " + each.pattern + " @ " + each.term + ": " + each.difference);
            }
        }
        QVERIFY2(faults.isEmpty(), qPrintable("\n" + faults.join('\n')));
        // The generator must keep making cases of every kind.
        QVERIFY2(wellFormed > 2'000 && matched > 700 && searchedToo > 5'000 && undecided < 20,
                 qPrintable(
                     QString("%1 well-formed, %2 matched, %3 searched, %4 undecided").arg(wellFormed).arg(matched).arg(searchedToo).arg(undecided)));
    }
};

QTEST_GUILESS_MAIN(TestMatchOracle)
#include "tst_match_oracle.moc"
