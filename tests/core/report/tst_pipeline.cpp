// Which graphs make a pipeline, and in which order.
#include "core/report/pipeline.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace lemmascope;

class TestPipeline : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void numbersInNamesCountAsNumbers() {
        std::vector<std::string> names{"10-share",
                                       "2-fold",
                                       "a10b2",
                                       "a2b10",
                                       "a02b1",
                                       "a2b1",
                                       "",
                                       "2",
                                       "02",
                                       "a",
                                       "a1x",
                                       "a01",
                                       "b",
                                       "A",
                                       "a-1",
                                       "a1",
                                       "a123456789012345678901234567890",
                                       "a123456789012345678901234567891"};
        std::sort(names.begin(), names.end(), naturalLess);
        const std::vector<std::string> expected{"",
                                                "2",
                                                "02",
                                                "2-fold",
                                                "10-share",
                                                "A",
                                                "a",
                                                "a-1",
                                                "a1",
                                                "a01",
                                                "a1x",
                                                "a2b1",
                                                "a02b1",
                                                "a2b10",
                                                "a10b2",
                                                "a123456789012345678901234567890",
                                                "a123456789012345678901234567891",
                                                "b"};
        QCOMPARE(names, expected);
    }

    void theOrderIsStrictAndTotal() {
        const std::vector<std::string> names{"",    "0",  "00",  "1",    "01",    "a",     "a0", "a00", "a1",
                                             "a01", "1a", "01a", "a1b2", "a01b2", "a1b02", "é",  "Z9"};
        for (const std::string& a : names) {
            for (const std::string& b : names) {
                QCOMPARE(naturalLess(a, b) || naturalLess(b, a), a != b);
                QVERIFY(!(naturalLess(a, b) && naturalLess(b, a)));
                for (const std::string& c : names) {
                    QVERIFY(!naturalLess(a, b) || !naturalLess(b, c) || naturalLess(a, c));
                }
            }
        }
    }

    void onlyGraphFilesOfTheFolderItself() {
        QTemporaryDir folder;
        for (const char* name : {"10.onnx", "9.lsg.json", ".8.onnx", "notes.txt", "data.json"}) {
            QFile file(folder.filePath(QString::fromLatin1(name)));
            QVERIFY(file.open(QIODevice::WriteOnly));
        }
        QVERIFY(QDir(folder.path()).mkdir("11.onnx"));
        const auto files = graphFilesOf(folder.path().toStdString());
        QVERIFY(files.has_value());
        QCOMPARE(files->size(), std::size_t{2});
        QCOMPARE(files->front().filename().string(), std::string("9.lsg.json"));
        QCOMPARE(files->back().filename().string(), std::string("10.onnx"));
        QVERIFY(!graphFilesOf(folder.filePath("none").toStdString()).has_value());
    }

    void eachGraphStandsAgainstTheOneBefore() {
        QVERIFY(stepsOf({}).empty());
        QVERIFY(stepsOf({"a"}).empty());
        const std::vector<PipelineStep> expected{{"step 1", "a", "b"}, {"step 2", "b", "c"}};
        QVERIFY(stepsOf({"a", "b", "c"}) == expected);
    }
};

QTEST_GUILESS_MAIN(TestPipeline)
#include "tst_pipeline.moc"
