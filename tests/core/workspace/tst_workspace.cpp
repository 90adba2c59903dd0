#include "core/workspace/recent.h"
#include "core/workspace/session.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cstdlib>

using namespace lemmascope;

class TestWorkspace : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void recentPairsStandOnceNewestFirst() {
        RecentPairs recent;
        recent.add({"/a.ref", "/a.rew", "proved: exact"});
        recent.add({"/b.ref", "/b.rew", ""});
        recent.add({"/a.ref", "/a.rew", ""}); // opened again: the known verdict stays
        QCOMPARE(recent.pairs().size(), std::size_t{2});
        QCOMPARE(recent.pairs()[0].verdict, std::string("proved: exact"));
        for (int i = 0; i < 30; ++i) {
            recent.add({"/r" + std::to_string(i), "/w", ""});
        }
        QCOMPARE(recent.pairs().size(), RecentPairs::Kept);
        QCOMPARE(recent.pairs()[0].reference.string(), std::string("/r29"));
    }

    void recentPairsSurviveARoundTrip() {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.path().toStdString() + "/made/here/recent.json";
        RecentPairs recent;
        recent.add({"/a \"quoted\"\n.ref", "/ä.rew", "refuted: value: y[0] is 1, rewritten 2"});
        QVERIFY(recent.save(file).has_value());
        const auto loaded = RecentPairs::load(file);
        QVERIFY(loaded.has_value());
        QVERIFY(loaded->pairs() == recent.pairs());
        QCOMPARE(QDir(folder.path() + QStringLiteral("/made/here")).entryList(QDir::Files).size(), qsizetype{1}); // nothing temporary is left
    }

    void namesThatAreNotUtf8AreNotFatal() {
        QTemporaryDir folder;
        RecentPairs recent;
        recent.add({std::string("/\xff\xfe.ref"), "/b.rew", ""});
        QVERIFY(recent.save(folder.path().toStdString() + "/recent.json").has_value());
        QVERIFY(RecentPairs::load(folder.path().toStdString() + "/recent.json").has_value());
    }

    void badListsAreRefused_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("no json") << QByteArray("{ oh");
        QTest::newRow("array") << QByteArray("[]");
        QTest::newRow("foreign") << QByteArray(R"({"format": "other", "pairs": []})");
        QTest::newRow("pairs of the wrong kind") << QByteArray(R"({"format": "lemmascope-recent", "pairs": 3})");
        QTest::newRow("format of the wrong kind") << QByteArray(R"({"format": 7, "pairs": []})");
        QTest::newRow("deep") << QByteArray(100'000, '[');
    }
    void badListsAreRefused() {
        QFETCH(QByteArray, text);
        QTemporaryDir folder;
        QFile file(folder.path() + QStringLiteral("/recent.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        const auto loaded = RecentPairs::load(file.fileName().toStdString());
        QVERIFY(!loaded.has_value());
        QCOMPARE(loaded.error().code, ErrorCode::BadData);
    }

    void oddEntriesAreLeftOut() {
        QTemporaryDir folder;
        QFile file(folder.path() + QStringLiteral("/recent.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"format": "lemmascope-recent", "pairs": [1, null, {"reference": 3}, {"reference": "/a", "rewritten": "/b", "verdict": []}]})");
        file.close();
        const auto loaded = RecentPairs::load(file.fileName().toStdString());
        QVERIFY(loaded.has_value());
        QCOMPARE(loaded->pairs().size(), std::size_t{1});
    }

    void missingListIsEmptyAndAFolderThatCannotBeMadeIsAnError() {
        QTemporaryDir folder;
        QVERIFY(RecentPairs::load(folder.path().toStdString() + "/none.json")->pairs().empty());
        QFile inTheWay(folder.path() + QStringLiteral("/file"));
        QVERIFY(inTheWay.open(QIODevice::WriteOnly));
        QVERIFY(!RecentPairs().save(folder.path().toStdString() + "/file/recent.json").has_value());
    }

    void stateFolderFollowsXdg() {
        qputenv("XDG_STATE_HOME", "/some/state");
        QCOMPARE(stateFolder().string(), std::string("/some/state/lemmascope"));
        qputenv("XDG_STATE_HOME", "relative"); // the specification: ignore it
        qputenv("HOME", "/home/me");
        QCOMPARE(stateFolder().string(), std::string("/home/me/.local/state/lemmascope"));
        qunsetenv("HOME");
        QVERIFY(stateFolder().empty());
    }

    void sessionIsStaleOnceAFileChanges() {
        QTemporaryDir folder;
        const auto make = [&](const char* name, const QByteArray& text) {
            QFile file(folder.path() + QLatin1Char('/') + QString::fromLatin1(name));
            if (file.open(QIODevice::WriteOnly)) {
                file.write(text);
            }
            return std::filesystem::path(file.fileName().toStdString());
        };
        Session session;
        session.reference = make("a", "1");
        session.rewritten = make("b", "2");
        session.referenceStamp = fileStamp(session.reference);
        session.rewrittenStamp = fileStamp(session.rewritten);
        QVERIFY(session.referenceStamp.has_value());
        QVERIFY(!session.isStale()); // nothing is open
        auto graph = std::make_shared<Graph>();
        session.referenceTree = std::make_shared<const GraphTree>(*GraphTree::build(graph));
        session.rewrittenTree = session.referenceTree;
        QVERIFY(!session.isStale());
        make("b", "22");
        QVERIFY(session.isStale());
        QVERIFY(!fileStamp(folder.path().toStdString() + "/none").has_value());
    }
};

QTEST_GUILESS_MAIN(TestWorkspace)
#include "tst_workspace.moc"
