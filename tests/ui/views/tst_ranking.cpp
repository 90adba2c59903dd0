#include "tests/ui/canvas/canvas_fixture.h"
#include "ui/views/node_index.h"
#include "ui/views/ranking.h"

#include <QTest>

#include <ctime>

using namespace lemmascope;
using namespace lemmascope::test;

class TestRanking : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void betterAnswersStandFirst_data() {
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<QStringList>("order"); ///< best first
        const auto row = [](const char* wanted, const QStringList& order) { QTest::newRow(wanted) << QString::fromUtf8(wanted) << order; };
        row("query", {QStringLiteral("query"), QStringLiteral("query_1"), QStringLiteral("attn/query"), QStringLiteral("attn/query/bias"),
                      QStringLiteral("subquery"), QStringLiteral("quaternion_every")});
        row("lnw", {QStringLiteral("layer_norm.weight"), QStringLiteral("balanewx")});
        row("zoom in", {QStringLiteral("zoom in"), QStringLiteral("zoom lens interior")});
        row("3", {QStringLiteral("3"), QStringLiteral("layer.3"), QStringLiteral("layer.13")});
    }
    void betterAnswersStandFirst() {
        QFETCH(QString, wanted);
        QFETCH(QStringList, order);
        const Ranking ranking(wanted.toStdString());
        int before = 1'000'000;
        for (const QString& text : order) {
            const auto score = ranking.of(text.toStdString());
            QVERIFY2(score, qPrintable(text));
            QVERIFY2(*score < before, qPrintable(QStringLiteral("%1: %2, before %3").arg(text).arg(*score).arg(before)));
            before = *score;
        }
    }

    void lettersOutOfOrderDoNotAnswer() {
        QVERIFY(!Ranking("abc").of("acb"));
        QVERIFY(!Ranking("query bias").of("query"));
        QVERIFY(!Ranking("x").of(""));
    }

    void nothingTypedIsNoRanking() {
        QVERIFY(Ranking("").isEmpty());
        QVERIFY(Ranking("   ").isEmpty());
    }

    void equalScoresKeepTheirOrder() {
        BestOf best(3);
        for (std::uint32_t i = 0; i < 100; ++i) {
            best.add(static_cast<int>(i % 2), 5, i);
        }
        const auto kept = best.take();
        QCOMPARE(kept.size(), std::size_t{3});
        QCOMPARE(kept[0].id, 1U);
        QCOMPARE(kept[1].id, 3U);
        QCOMPARE(kept[2].id, 5U);
    }

    void theBestAreKeptWhereverTheyCome() {
        BestOf best(10);
        for (std::uint32_t i = 0; i < 10'000; ++i) {
            best.add(static_cast<int>((i * 7'919U) % 10'007U), 0, i);
        }
        const auto kept = best.take();
        QCOMPARE(kept.size(), std::size_t{10});
        std::vector<int> all;
        for (std::uint32_t i = 0; i < 10'000; ++i) {
            all.push_back(static_cast<int>((i * 7'919U) % 10'007U));
        }
        std::sort(all.rbegin(), all.rend());
        for (std::size_t i = 0; i < kept.size(); ++i) {
            QCOMPARE(kept[i].score, all[i]);
        }
    }

    void aHundredThousandNamesAreRankedAtOnce() {
        const auto tree = blocks(50'000);
        const auto index = NodeIndex::build(tree, tree);
        QVERIFY(index);
        for (const char* wanted : {"b", "q17", "block matmul", "zqx"}) {
            timespec start{};
            timespec end{};
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
            const Ranking ranking(wanted);
            BestOf best(100);
            for (std::size_t i = 0; i < (*index)->count(); ++i) {
                if (const auto score = ranking.of((*index)->foldedPath(i)); score && best.takes(*score)) {
                    best.add(*score, 0, static_cast<std::uint32_t>(i));
                }
            }
            const std::size_t kept = best.take().size();
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
            const double ms = static_cast<double>(end.tv_sec - start.tv_sec) * 1e3 + static_cast<double>(end.tv_nsec - start.tv_nsec) * 1e-6;
            qInfo("%s: %zu of %zu, %.1f ms", wanted, kept, (*index)->count(), ms);
            QVERIFY2(ms < 200.0, wanted);
        }
    }
};

QTEST_APPLESS_MAIN(TestRanking)
#include "tst_ranking.moc"
