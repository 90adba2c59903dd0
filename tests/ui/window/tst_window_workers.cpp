// Workers that are killed or hang, and the end of the window meanwhile: what the reader is told, and that nothing stays behind.

#include "tests/ui/window/window_fixture.h"

#include "app/window/services.h"
#include "ui/models/message_model.h"
#include "ui/window/worker_loss_part.h"

#include <QAction>
#include <QDir>
#include <QFile>
#include <QMenu>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <thread>

#include <unistd.h>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

constexpr int Patience = 60'000;

QString sample(const QString& side) { return QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/samples/out_of_time.%1.lsg.json").arg(side); }

/// Parent and state of a process, as in /proc/PID/stat; 0 when it is gone.
std::pair<qint64, char> parentOf(qint64 pid) {
    QFile stat(QStringLiteral("/proc/%1/stat").arg(pid));
    if (!stat.open(QIODevice::ReadOnly)) {
        return {0, ' '};
    }
    const QByteArray text = stat.readAll();
    const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
    return fields.size() > 1 ? std::pair{fields[1].toLongLong(), fields[0].front()} : std::pair{qint64{0}, ' '};
}

/// Workers of that process that live.
QList<qint64> workersOf(qint64 parent) {
    QList<qint64> found;
    for (const QString& name : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        const qint64 pid = name.toLongLong();
        if (pid > 0) {
            const auto [owner, state] = parentOf(pid);
            QFile command(QStringLiteral("/proc/%1/cmdline").arg(pid));
            if (owner == parent && state != 'Z' && command.open(QIODevice::ReadOnly) && command.readAll().contains("--worker")) {
                found << pid;
            }
        }
    }
    return found;
}

bool isGone(qint64 pid) {
    const auto [parent, state] = parentOf(pid);
    return parent == 0 || state == 'Z';
}

QString textOfFile(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

class TestWindowWorkers : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        for (const char* name : {"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"}) {
            qputenv(name, QFile::encodeName(m_folder->path() + u'/' + QString::fromLatin1(name).toLower()));
        }
    }

    void aLossIsARowAndABundle_data() {
        QTest::addColumn<int>("task");
        QTest::addColumn<int>("next");
        QTest::addColumn<int>("errors");
        QTest::addColumn<QString>("says");
        using Loss = WorkerLoss;
        const auto row = [](const char* name, Loss::Task task, Loss::Next next, int errors, const char* says) {
            QTest::newRow(name) << static_cast<int>(task) << static_cast<int>(next) << errors << QString::fromLatin1(says);
        };
        row("solver, once", Loss::Task::Solve, Loss::Next::AskedAgain, 0, "A fresh one is asked again");
        row("solver, twice", Loss::Task::Solve, Loss::Next::GivenUp, 1, "The lemma stays undecided");
        row("solver, late", Loss::Task::Solve, Loss::Next::TimeOver, 1, "The lemma stays undecided");
        row("Graphviz, once", Loss::Task::Draw, Loss::Next::AskedAgain, 0, "A fresh one is asked again");
        row("Graphviz, twice", Loss::Task::Draw, Loss::Next::GivenUp, 0, "in layers instead");
    }
    void aLossIsARowAndABundle() {
        QFETCH(int, task);
        QFETCH(int, next);
        QFETCH(int, errors);
        QFETCH(QString, says);
        auto behaviour = std::make_shared<FakeBehaviour>();
        Services services = fakeServices(behaviour);
        services.versions = "Engines 1.2.3";
        WorkerLossHandler handler;
        services.watchWorkers = [&handler](WorkerLossHandler given) { handler = std::move(given); };
        MainWindow window(services, {}, {});
        window.show();
        auto* part = window.findChild<WorkerLossPart*>();
        QVERIFY(part != nullptr && handler);
        QAction* save = nullptr;
        for (QAction* action : window.menu(MainWindow::Menu::Help)->actions()) {
            if (action->text().contains(QStringLiteral("Crash"))) {
                save = action;
            }
        }
        QVERIFY(save != nullptr && !save->isEnabled());
        WorkerLoss loss;
        loss.task = static_cast<WorkerLoss::Task>(task);
        loss.next = static_cast<WorkerLoss::Next>(next);
        loss.story = "worker killed by signal 9 (Killed)";
        loss.request = "(assert false)";
        loss.extension = "smt2";
        loss.limits = "steps 77";
        std::thread([&] { handler(loss); }).join(); // as from a job
        QTRY_VERIFY(save->isEnabled());
        const QString told = window.messages()->plainText();
        QVERIFY2(told.contains(says) && told.contains(QStringLiteral("killed by signal 9")), qPrintable(told));
        QVERIFY2(told.contains(QStringLiteral("Save Crash Bundle")), qPrintable(told));
        QCOMPARE(window.messages()->errorCount(), errors);

        const QString folder = m_folder->path() + QStringLiteral("/bundle");
        part->saveBundle(folder);
        QTRY_VERIFY(window.messages()->plainText().contains(QStringLiteral("The crash bundle was written")));
        const QString about = textOfFile(folder + QStringLiteral("/README.txt"));
        for (const char* expected : {"killed by signal 9", "steps 77", "Lemmascope ", "1.smt2", "strength rounded"}) {
            QVERIFY2(about.contains(QString::fromLatin1(expected)), qPrintable(about));
        }
        QVERIFY(textOfFile(folder + QStringLiteral("/1.smt2")).startsWith(QStringLiteral("(assert false)")));
        // One that cannot be written is a row, too.
        part->saveBundle(folder + QStringLiteral("/README.txt/x"));
        QTRY_COMPARE(window.messages()->errorCount(), errors + 1);
    }

    void aKilledSolverIsAskedOnceMore() {
        MainWindow window(realServices(), {}, {});
        window.show();
        CheckOptions options;
        options.lemmaSteps = 1'000'000; // what is asked of workers that live is soon given up
        window.session()->check(options);
        window.openPair(sample(QStringLiteral("ref")), sample(QStringLiteral("rew")));
        QSet<qint64> killed;
        const auto* part = window.findChild<WorkerLossPart*>();
        // Whatever asks is killed, until two in a row were.
        QVERIFY(QTest::qWaitFor(
            [&] {
                for (const qint64 pid : workersOf(::getpid())) {
                    if (!killed.contains(pid)) {
                        killed.insert(pid);
                        ::kill(static_cast<pid_t>(pid), SIGKILL);
                    }
                }
                return std::any_of(part->losses().begin(), part->losses().end(),
                                   [](const WorkerLoss& loss) { return loss.next == WorkerLoss::Next::GivenUp; });
            },
            Patience));
        QVERIFY(QTest::qWaitFor([&] { return window.isIdle(); }, Patience));
        const auto& result = window.session()->session().result;
        QVERIFY2(result != nullptr, qPrintable(window.messages()->plainText()));
        QVERIFY(std::any_of(result->lemmas.begin(), result->lemmas.end(), [](const LemmaResult& lemma) {
            return lemma.verdict == LemmaVerdict::Undecided && lemma.reason.find("killed by signal 9") != std::string::npos;
        }));
        const QString told = window.messages()->plainText();
        QVERIFY2(told.contains(QStringLiteral("A fresh one is asked again")) && told.contains(QStringLiteral("The lemma stays undecided")),
                 qPrintable(told));
        QVERIFY(!part->losses().front().request.empty());
        // The window goes on.
        window.session()->reload();
        QVERIFY(QTest::qWaitFor([&] { return window.isIdle(); }, Patience));
        QVERIFY(window.session()->session().result != nullptr);
    }

    void aHungWorkerDoesNotKeepTheWindow() {
        qint64 hung = 0;
        {
            MainWindow window(realServices(), {}, {});
            window.show();
            window.openPair(sample(QStringLiteral("ref")), sample(QStringLiteral("rew")));
            QVERIFY(QTest::qWaitFor(
                [&] {
                    const QList<qint64> workers = workersOf(::getpid());
                    hung = workers.isEmpty() ? 0 : workers.front();
                    return hung != 0;
                },
                Patience));
            ::kill(static_cast<pid_t>(hung), SIGSTOP);
            window.session()->stop();
            QCOMPARE(window.session()->state(), PairSession::State::Stopped);
            window.close();
        }
        QTRY_VERIFY(isGone(hung));
        QTRY_VERIFY(workersOf(::getpid()).isEmpty());
    }

    void signalsEndTheProgramAndItsWorkers_data() {
        QTest::addColumn<int>("number");
        QTest::addColumn<bool>("hung");
        QTest::newRow("SIGTERM") << SIGTERM << false;
        QTest::newRow("SIGINT while a worker hangs") << SIGINT << true;
        QTest::newRow("SIGKILL leaves no workers") << SIGKILL << true;
    }
    void signalsEndTheProgramAndItsWorkers() {
        QFETCH(int, number);
        QFETCH(bool, hung);
        QProcess program;
        program.start(QStringLiteral(LEMMASCOPE_BIN_DIR "/lemmascope"), {sample(QStringLiteral("ref")), sample(QStringLiteral("rew"))});
        QVERIFY(program.waitForStarted());
        QList<qint64> workers;
        QVERIFY(QTest::qWaitFor(
            [&] {
                workers = workersOf(program.processId());
                return !workers.isEmpty();
            },
            Patience));
        if (hung) {
            ::kill(static_cast<pid_t>(workers.front()), SIGSTOP);
        }
        ::kill(static_cast<pid_t>(program.processId()), number);
        QVERIFY(program.waitForFinished(Patience));
        if (number == SIGKILL) {
            QCOMPARE(program.exitStatus(), QProcess::CrashExit);
        } else {
            QCOMPARE(program.exitStatus(), QProcess::NormalExit);
            QCOMPARE(program.exitCode(), 128 + number);
            // As on any other end: the window's place and the pair are kept.
            QVERIFY(!textOfFile(m_folder->path() + QStringLiteral("/xdg_config_home/lemmascope/lemmascope.conf")).isEmpty());
            QVERIFY(textOfFile(m_folder->path() + QStringLiteral("/xdg_state_home/lemmascope/recent.json")).contains(QStringLiteral("out_of_time")));
        }
        for (const qint64 worker : workers) {
            QTRY_VERIFY(isGone(worker));
        }
    }

  private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(TestWindowWorkers)
#include "tst_window_workers.moc"
