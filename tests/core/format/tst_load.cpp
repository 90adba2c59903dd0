#include "core/format/load.h"
#include "core/format/npy/npy.h"
#include "tests/core/format/json/graph_text.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

using namespace lemmascope;

namespace {

const QString Cases = QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/");

} // namespace

class TestLoad : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void contentDecides();
    void otherFilesAreNamed_data();
    void otherFilesAreNamed();
    void whatIsNoFileIsRefused();
    void brokenJsonIsReportedAsJson();
    void savedGraphsComeBack_data();
    void savedGraphsComeBack();
    void savingFailsCleanly();

  private:
    QString write(const QString& name, const QByteArray& content) {
        const QString path = m_dir.filePath(name);
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) {
            qFatal("cannot write the test's file");
        }
        return path;
    }
    QTemporaryDir m_dir;
};

void TestLoad::contentDecides() {
    // Files under each other's names.
    QVERIFY(QFile::copy(Cases + QStringLiteral("json/relu_twice.ref.lsg.json"), m_dir.filePath(QStringLiteral("json.onnx"))));
    QVERIFY(QFile::copy(Cases + QStringLiteral("onnx/clip_merge.ref.onnx"), m_dir.filePath(QStringLiteral("model.bin"))));
    const auto json = loadGraph(m_dir.filePath(QStringLiteral("json.onnx")).toStdString());
    QVERIFY2(json.has_value(), json ? "" : json.error().text().c_str());
    QCOMPARE((*json)->nodes.at(0).op.name, std::string("Relu"));
    const auto onnx = loadGraph(m_dir.filePath(QStringLiteral("model.bin")).toStdString());
    QVERIFY2(onnx.has_value(), onnx ? "" : onnx.error().text().c_str());
    QCOMPARE((*onnx)->nodes.at(0).op.name, std::string("Clip"));
}

void TestLoad::otherFilesAreNamed_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("expected");
    QTest::addColumn<int>("code");
    const auto row = [](const char* test, const char* name, const QByteArray& content, const char* expected, ErrorCode code = ErrorCode::BadData) {
        QTest::newRow(test) << QString::fromLatin1(name) << content << QString::fromLatin1(expected) << static_cast<int>(code);
    };
    row("empty", "a.onnx", "", "is empty: download or export it again");
    row("empty JSON", "a.lsg.json", "", "is empty");
    row("HTML", "a.onnx", "<!DOCTYPE html>\n<html>", "looks like an HTML page, not a model: download it again");
    row("HTML as JSON", "a.lsg.json", "\n <HTML><head>", "looks like an HTML page");
    row("Git-LFS", "b.onnx", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        "is a Git-LFS pointer, not the model itself: run `git lfs pull`");
    row("Git-LFS as JSON", "b.lsg.json", "version https://git-lfs.github.com/spec/v1\n", "is a Git-LFS pointer");
    row("gzip", "c.onnx", QByteArray::fromHex("1f8b0800"), "is gzip-compressed: unpack it first");
    row("zip", "c.lsg.json", QByteArray("PK\x03\x04\0\0", 6), "is a zip archive");
    row("UTF-16", "d.lsg.json", QByteArray::fromHex("fffe7b00"), "is UTF-16 text: save it as UTF-8");
    row("npy", "f.npy", QByteArray("\x93NUMPY\x01\x00", 8), "is a tensor (.npy), not a graph: give it with --input");
    row("rules", "g.rules", "rule x {}", "is a file of rewrite rules, not a graph");
    row("text", "h.txt", "hello, world, this is text", "is not an ONNX model");
    row("cut off JSON", "i.lsg.json", "{\"format\": ", "expected a value; the text ends here");
    row("other JSON", "j.json", "{\"name\": \"npm\", \"version\": \"1.0\"}", "'format' is missing: a graph file begins with");
    row("JSON list", "k.json", "[1, 2]", "the file holds a list, expected a graph");
}

void TestLoad::otherFilesAreNamed() {
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    QFETCH(QString, expected);
    QFETCH(int, code);
    const QString path = write(name, content);
    const auto graph = loadGraph(path.toStdString());
    QVERIFY(!graph);
    const QString message = QString::fromStdString(graph.error().text());
    QVERIFY2(message.startsWith(path) && message.contains(expected), qPrintable(message));
    QCOMPARE(static_cast<int>(graph.error().code), code);
}

void TestLoad::whatIsNoFileIsRefused() {
    const auto none = loadGraph(m_dir.filePath(QStringLiteral("none.onnx")).toStdString());
    QCOMPARE(none.error().code, ErrorCode::NotFound);
    const auto folder = loadGraph(m_dir.path().toStdString());
    QVERIFY(QString::fromStdString(folder.error().text()).contains(QStringLiteral("is a folder: name a graph file in it")));
    // A pipe nobody writes to would block for ever.
    const QString pipe = m_dir.filePath(QStringLiteral("pipe.onnx"));
    QCOMPARE(mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
    const auto blocked = loadGraph(pipe.toStdString());
    QVERIFY(QString::fromStdString(blocked.error().text()).contains(QStringLiteral("is not a regular file")));
}

void TestLoad::brokenJsonIsReportedAsJson() {
    const QString path = write(QStringLiteral("broken.lsg.json"), "{\"format\": \"lemmascope-graph\",\n \"version\": 1,}");
    const auto graph = loadGraph(path.toStdString());
    QVERIFY(!graph);
    QCOMPARE(QString::fromStdString(graph.error().where), path + QStringLiteral(":2:15"));
}

void TestLoad::savedGraphsComeBack_data() {
    QTest::addColumn<QString>("path");
    for (const char* folder : {"json", "onnx", "ort", "bugs", "ort-bugs"}) {
        const QDir dir(Cases + QLatin1String(folder));
        const QStringList names = dir.entryList({QStringLiteral("*.lsg.json"), QStringLiteral("*.onnx")});
        QVERIFY(!names.isEmpty());
        for (const QString& name : names) {
            QTest::newRow(qPrintable(QLatin1String(folder) + QLatin1Char('/') + name)) << dir.filePath(name);
        }
    }
}

void TestLoad::savedGraphsComeBack() {
    QFETCH(QString, path);
    const auto graph = loadGraph(path.toStdString());
    QVERIFY2(graph.has_value(), graph ? "" : graph.error().text().c_str());
    const std::filesystem::path copy = m_dir.filePath(QStringLiteral("copy.lsg.json")).toStdString();
    std::vector<std::string> notes;
    const auto saved = saveGraph(**graph, copy, notes);
    QVERIFY2(saved.has_value(), saved ? "" : saved.error().text().c_str());
    QVERIFY2(notes.empty(), notes.empty() ? "" : notes.front().c_str());
    const auto again = loadGraph(copy);
    QVERIFY2(again.has_value(), again ? "" : again.error().text().c_str());
    QCOMPARE(QString::fromStdString(test::graphText(**again)), QString::fromStdString(test::graphText(**graph)));
}

void TestLoad::savingFailsCleanly() {
    Graph graph;
    graph.opsets[""] = 17;
    std::vector<std::string> notes;
    const std::filesystem::path base = m_dir.path().toStdString();
    QCOMPARE(saveGraph(graph, base / "none" / "a.lsg.json", notes).error().code, ErrorCode::NotFound);
    QCOMPARE(saveGraph(graph, base / "a.txt", notes).error().code, ErrorCode::Unsupported);
    QVERIFY(!std::filesystem::exists(base / "a.txt"));
    std::filesystem::create_directory(base / "folder.lsg.json");
    QCOMPARE(saveGraph(graph, base / "folder.lsg.json", notes).error().code, ErrorCode::NotFound);
    QVERIFY(!std::filesystem::exists(base / "folder.lsg.json.part"));
}

QTEST_APPLESS_MAIN(TestLoad)
#include "tst_load.moc"
