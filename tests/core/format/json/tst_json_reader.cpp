#include "core/format/json/json_reader.h"
#include "tests/core/format/json/graph_text.h"

#include <QDir>
#include <QFile>
#include <QTest>

using namespace lemmascope;

class TestJsonReader : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void casesLoad_data();
    void casesLoad();
};

void TestJsonReader::casesLoad_data() {
    QTest::addColumn<QString>("path");
    const QDir folder(QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/json"));
    const QStringList names = folder.entryList({QStringLiteral("*.lsg.json")});
    QCOMPARE(names.size(), 54);
    for (const QString& name : names) {
        QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }
}

void TestJsonReader::casesLoad() {
    QFETCH(QString, path);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    const auto graph = readJsonGraph(std::string_view(text.constData(), static_cast<std::size_t>(text.size())), path.toStdString());
    QVERIFY2(graph.has_value(), graph ? "" : graph.error().text().c_str());
    QVERIFY(!(*graph)->outputs.empty());
    if (qEnvironmentVariableIsSet("DUMP")) {
        qInfo("%s", test::graphText(**graph).c_str());
    }
}

QTEST_APPLESS_MAIN(TestJsonReader)
#include "tst_json_reader.moc"
