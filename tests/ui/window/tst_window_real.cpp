// The window on the real services: the same answer as the command line, a report, a picture. Needs lemmascope-cli beside it.

#include "app/window/services.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/models/message_model.h"
#include "ui/panels/lemma_panel.h"
#include "ui/panels/verdict_banner.h"
#include "ui/views/verdict_text.h"
#include "ui/window/main_window.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>

using namespace lemmascope;

namespace {

constexpr int Patience = 60'000;

QString cases() { return QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/json/"); }

QString program(const QString& name) { return QStringLiteral(LEMMASCOPE_BIN_DIR "/") + name; }

struct Run {
    int status = -1;
    QString output;
    QString errors;
};

Run run(const QString& name, const QStringList& arguments) {
    QProcess process;
    process.start(program(name), arguments);
    Run made;
    if (process.waitForFinished(2 * Patience) && process.exitStatus() == QProcess::NormalExit) {
        made.status = process.exitCode();
    }
    made.output = QString::fromUtf8(process.readAllStandardOutput());
    made.errors = QString::fromUtf8(process.readAllStandardError());
    return made;
}

} // namespace

class TestWindowReal : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() {
        qputenv("XDG_CONFIG_HOME", QFile::encodeName(m_folder.path() + QStringLiteral("/config")));
        qputenv("XDG_CACHE_HOME", QFile::encodeName(m_folder.path() + QStringLiteral("/cache")));
        qputenv("XDG_STATE_HOME", QFile::encodeName(m_folder.path() + QStringLiteral("/state")));
    }

    void sameAnswerAsTheCommandLine_data() {
        QTest::addColumn<QString>("name");
        for (const QString& file : QDir(cases()).entryList({QStringLiteral("*.ref.lsg.json")}, QDir::Files, QDir::Name)) {
            const QString name = file.left(file.indexOf(u'.'));
            QTest::newRow(qPrintable(name)) << name;
        }
    }
    void sameAnswerAsTheCommandLine() {
        QFETCH(QString, name);
        const QString reference = cases() + name + QStringLiteral(".ref.lsg.json");
        const QString rewritten = cases() + name + QStringLiteral(".rew.lsg.json");
        const Run command = run(QStringLiteral("lemmascope-cli"), {QStringLiteral("check"), reference, rewritten});
        QVERIFY2(command.status >= 0 && command.status <= 2, qPrintable(command.errors));
        const QString line = command.output.section(u'\n', 0, 0);

        MainWindow window(realServices(), {}, {});
        window.show();
        window.openPair(reference, rewritten);
        QVERIFY(QTest::qWaitFor([&] { return window.session()->isIdle(); }, Patience));
        const auto& result = window.session()->session().result;
        QVERIFY2(result != nullptr, qPrintable(window.messages()->plainText()));
        QCOMPARE(QString::fromStdString(verdictLine(*result)), line.section(QStringLiteral(" (wanted"), 0, 0));
        QCOMPARE(window.banner()->title(), bannerTitle(*result));
        QVERIFY(line.startsWith(word(result->verdict).toLower()));
        // Every node that is not shared says why.
        for (const auto* relations : {&result->correspondence.reference, &result->correspondence.rewritten}) {
            for (const NodeRelation& relation : *relations) {
                QVERIFY(relation.mark == NodeMark::Shared || !relation.reason.empty());
            }
        }
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            QVERIFY(window.canvas(side)->scene() != nullptr);
        }
        window.goToNextFailing(false);
        QCOMPARE(window.currentLemma().has_value(), firstFailing(*result) < result->lemmas.size());
        window.setFocusOnDifference(true);
        QVERIFY(QTest::qWaitFor([&] { return window.session()->isIdle(); }, Patience));
        QCOMPARE(window.messages()->errorCount(), 0);
    }

    void exportedReportHasTheSameVerdict() {
        MainWindow window(realServices(), {}, {});
        window.show();
        window.openPair(cases() + QStringLiteral("part_read_shifted.ref.lsg.json"), cases() + QStringLiteral("part_read_shifted.rew.lsg.json"));
        QVERIFY(QTest::qWaitFor([&] { return window.session()->isIdle(); }, Patience));
        const QString folder = m_folder.path() + QStringLiteral("/report");
        window.exportReport(folder, false);
        QVERIFY(QTest::qWaitFor([&] { return window.session()->isIdle(); }, Patience));
        QVERIFY2(window.messages()->errorCount() == 0, qPrintable(window.messages()->plainText()));
        QFile file(folder + QStringLiteral("/result.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(QJsonDocument::fromJson(file.readAll()).object().value(QStringLiteral("verdict")).toString(), QStringLiteral("refuted"));
    }

    void brokenFileIsExplained() {
        const QString broken = m_folder.path() + QStringLiteral("/broken.onnx");
        QFile file(broken);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("<!DOCTYPE html><html><body>Not found</body></html>");
        file.close();
        MainWindow window(realServices(), {}, {});
        window.show();
        window.openPair(cases() + QStringLiteral("relu_twice.ref.lsg.json"), broken);
        QVERIFY(QTest::qWaitFor([&] { return window.session()->isIdle(); }, Patience));
        QVERIFY(window.isWelcome());
        const QString text = window.messages()->plainText();
        QVERIFY2(text.contains(QStringLiteral("broken.onnx")) && text.contains(QStringLiteral("HTML")), qPrintable(text));
    }

    void oneLemmaIsAskedAgainWithMoreSteps() {
        const QString samples = QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/samples/");
        MainWindow window(realServices(), {}, {});
        window.show();
        CheckOptions few;
        few.lemmaSteps = 10'000;
        window.session()->setLimits(few);
        window.openPair(samples + QStringLiteral("out_of_time.ref.lsg.json"), samples + QStringLiteral("out_of_time.rew.lsg.json"));
        QVERIFY(QTest::qWaitFor([&] { return window.session()->isIdle(); }, Patience));
        const auto before = window.session()->session().result;
        QVERIFY(before != nullptr);
        QCOMPARE(before->verdict, Verdict::Undecided);
        const auto lemma = window.lemmaPanel()->nextFailing({}, false);
        QVERIFY(lemma && !before->lemmas[*lemma].text.empty());
        window.session()->recheck(*lemma, false);
        QCOMPARE(window.session()->state(), PairSession::State::Decided);
        QVERIFY(QTest::qWaitFor([&] { return window.session()->isIdle(); }, Patience));
        const auto after = window.session()->session().result;
        QVERIFY(after != before);
        QCOMPARE(after->verdict, Verdict::Undecided);
        QCOMPARE(after->lemmas.size(), before->lemmas.size());
        QCOMPARE(window.messages()->errorCount(), 0);
    }

    void anEndFromOutsideKeepsWhatIsOpen() {
        const QString state = m_folder.filePath(QStringLiteral("left"));
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("XDG_STATE_HOME"), state);
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(program(QStringLiteral("lemmascope")),
                      {cases() + QStringLiteral("relu_twice.ref.lsg.json"), cases() + QStringLiteral("relu_twice.rew.lsg.json")});
        QVERIFY(process.waitForStarted());
        const QDir sessions(state + QStringLiteral("/lemmascope/sessions"));
        QVERIFY(QTest::qWaitFor([&] { return sessions.entryList({QStringLiteral("*.lsession")}, QDir::Files).size() == 1; }, Patience));
        process.terminate();
        QVERIFY(process.waitForFinished(Patience));
        QCOMPARE(process.exitCode(), 143);
        QCOMPARE(QDir(state + QStringLiteral("/lemmascope")).entryList({QStringLiteral("open-*.json")}).size(), qsizetype{1});
    }

    void programTakesPictures() {
        const QString picture = m_folder.path() + QStringLiteral("/window.png");
        const Run made = run(QStringLiteral("lemmascope"), {QStringLiteral("--colours"), QStringLiteral("dark"), QStringLiteral("--grab"), picture,
                                                            cases() + QStringLiteral("part_read_shifted.ref.lsg.json"),
                                                            cases() + QStringLiteral("part_read_shifted.rew.lsg.json")});
        QVERIFY2(made.status == 0, qPrintable(made.errors));
        const QImage image(picture);
        QCOMPARE(image.size(), QSize(1366, 768));
        QVERIFY(image.pixelColor(image.width() / 2, image.height() - 3).lightness() < 110);
    }

    void pictureOfWhatCannotBeReadFails() {
        const QString picture = m_folder.path() + QStringLiteral("/bad.png");
        const QString bad = m_folder.path() + QStringLiteral("/bad.lsession");
        QFile file(bad);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{}");
        file.close();
        const Run unreadable = run(QStringLiteral("lemmascope"), {QStringLiteral("--grab"), picture, bad});
        QCOMPARE(unreadable.status, 65);
        QVERIFY2(unreadable.errors.contains(QStringLiteral("format is missing")), qPrintable(unreadable.errors));
        QVERIFY(QFile::exists(picture));
        const Run missing =
            run(QStringLiteral("lemmascope"), {QStringLiteral("--grab"), picture, m_folder.path() + QStringLiteral("/none.lsession")});
        QCOMPARE(missing.status, 66);
        QVERIFY2(missing.errors.contains(QStringLiteral("none.lsession")), qPrintable(missing.errors));
    }

    void programExplainsItsUse_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("says");
        const auto words = [](const char* text) { return QString::fromLatin1(text).split(u' ', Qt::SkipEmptyParts); };
        QTest::newRow("version") << words("--version") << 0 << "lemmascope ";
        QTest::newRow("help") << words("--help") << 0 << "[REF REWRITTEN ...]";
        QTest::newRow("unknown option") << words("--nope") << 64 << "nope";
        QTest::newRow("wrong colour") << words("--colours pink") << 64 << "pink";
    }
    void programExplainsItsUse() {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QFETCH(QString, says);
        const Run made = run(QStringLiteral("lemmascope"), arguments);
        QCOMPARE(made.status, status);
        QVERIFY2((status == 0 ? made.output : made.errors).contains(says), qPrintable(made.output + made.errors));
    }

  private:
    QTemporaryDir m_folder;
};

QTEST_MAIN(TestWindowReal)
#include "tst_window_real.moc"
