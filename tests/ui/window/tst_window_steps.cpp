// The steps of a pipeline in the window, and lemmas that the user accepts: by mouse and keys, on the real services.

#include "app/window/services.h"
#include "core/format/npy/npy.h"
#include "tests/ui/window/window_fixture.h"
#include "ui/models/message_model.h"
#include "ui/models/step_model.h"
#include "ui/panels/lemma_panel.h"
#include "ui/panels/own_inputs_panel.h"
#include "ui/panels/steps_panel.h"
#include "ui/views/fact_table_view.h"
#include "ui/views/lemma_tree_view.h"
#include "ui/views/text.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QLabel>
#include <QMenu>
#include <QTimer>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

constexpr int Patience = 60'000;

/// x -> ops in a row, each result named after its op and place -> y
QByteArray chain(const QList<QByteArray>& ops) {
    QByteArray nodes;
    QByteArray from = "x";
    for (qsizetype i = 0; i < ops.size(); ++i) {
        const QByteArray to = i + 1 == ops.size() ? QByteArray("y") : ops[i].toLower() + QByteArray::number(i);
        nodes += (i == 0 ? "" : ", ") + QByteArray("{\"op\": \"") + ops[i] + "\", \"in\": [\"" + from + "\"], \"out\": [\"" + to + "\"]}";
        from = to;
    }
    return "{\"format\": \"lemmascope-graph\", \"version\": 1, \"opset\": 17, \"inputs\": [{\"name\": \"x\", \"type\": \"f32\", \"shape\": [4]}], "
           "\"nodes\": [" +
           nodes + "], \"outputs\": [\"y\"]}";
}

void keepPicture(const QWidget& window, const QString& name) {
    const QString keep = qEnvironmentVariable("LEMMASCOPE_PICTURES");
    if (!keep.isEmpty()) {
        QTest::qWait(100);
        (void)const_cast<QWidget&>(window).grab().save(keep + u'/' + name + QStringLiteral(".png"));
    }
}

void clickRow(QAbstractItemView* table, int row) {
    const QRect at = table->visualRect(table->model()->index(row, 0));
    QVERIFY(table->viewport()->rect().contains(at.center()));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::NoModifier, at.center());
}

/// Opens the context menu of a row with the right button and chooses an entry by its words.
bool chooseFromMenu(QAbstractItemView* table, int row, const QString& words) {
    bool chosen = false;
    QTimer poll;
    QObject::connect(&poll, &QTimer::timeout, [&] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (menu == nullptr) {
            return;
        }
        poll.stop();
        for (QAction* action : menu->actions()) {
            if (QString(action->text()).remove(u'&') == words && action->isEnabled()) {
                chosen = true;
                QTest::mouseClick(menu, Qt::LeftButton, Qt::NoModifier, menu->actionGeometry(action).center());
                return;
            }
        }
        menu->close();
    });
    poll.start(10);
    const QPoint at = table->visualRect(table->model()->index(row, 0)).center();
    QTest::mouseClick(table->viewport(), Qt::RightButton, Qt::NoModifier, at);
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, table->viewport()->mapToGlobal(at));
    QApplication::sendEvent(table->viewport(), &event);
    return chosen;
}

} // namespace

class TestWindowSteps : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString write(const QString& name, const QByteArray& content) {
        QDir().mkpath(QFileInfo(m_folder.filePath(name)).path());
        QFile file(m_folder.filePath(name));
        if (file.open(QIODevice::WriteOnly)) {
            file.write(content);
        }
        return file.fileName();
    }

    std::unique_ptr<MainWindow> makeWindow() {
        auto window = std::make_unique<MainWindow>(realServices(), std::vector<ExamplePair>{}, std::filesystem::path());
        window->setKeepsLayout(false);
        window->canvas(Side::Reference)->setAnimated(false);
        window->canvas(Side::Rewritten)->setAnimated(false);
        window->resize(1366, 728);
        window->show();
        window->activateWindow();
        (void)QTest::qWaitForWindowActive(window.get());
        return window;
    }

    static bool settle(MainWindow& window) {
        return QTest::qWaitFor([&] { return window.isIdle(); }, Patience);
    }

    static QString cell(const MainWindow& window, int row, StepModel::Column column) {
        const QAbstractItemModel* model = window.stepsPanel()->table()->model();
        return model->index(row, column).data().toString();
    }

  private Q_SLOTS:
    void initTestCase() {
        qputenv("XDG_CONFIG_HOME", QFile::encodeName(m_folder.filePath(QStringLiteral("config"))));
        qputenv("XDG_CACHE_HOME", QFile::encodeName(m_folder.filePath(QStringLiteral("cache"))));
        // In name order 2 stands before 10: the second step is the wrong one.
        write(QStringLiteral("steps/1-as-read.lsg.json"), chain({"Relu", "Relu", "Tanh", "Neg", "Neg"}));
        write(QStringLiteral("steps/2-relu-once.lsg.json"), chain({"Relu", "Tanh", "Neg", "Neg"}));
        write(QStringLiteral("steps/10-no-neg.lsg.json"), chain({"Relu", "Sigmoid"}));
        write(QStringLiteral("steps/11-relu-again.lsg.json"), chain({"Relu", "Relu", "Sigmoid"}));
        write(QStringLiteral("steps/notes.txt"), "not a graph");
    }

    void aFolderIsAListOfStepsWithTheirVerdicts() {
        const auto window = makeWindow();
        const QAbstractItemModelTester tester(window->stepsPanel()->table()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(!window->dock(MainWindow::Dock::Steps)->isVisible());
        window->openFiles({m_folder.filePath(QStringLiteral("steps"))});
        QVERIFY(settle(*window));
        QVERIFY2(window->messages()->errorCount() == 0, qPrintable(window->messages()->plainText()));
        QVERIFY(window->dock(MainWindow::Dock::Steps)->isVisible());
        QCOMPARE(window->stepsPanel()->table()->model()->rowCount(), 3);
        QCOMPARE(cell(*window, 0, StepModel::GraphColumn), QStringLiteral("2-relu-once.lsg.json"));
        QCOMPARE(cell(*window, 1, StepModel::GraphColumn), QStringLiteral("10-no-neg.lsg.json"));
        QVERIFY(cell(*window, 0, StepModel::VerdictColumn).endsWith(QStringLiteral("proved")));
        QVERIFY(cell(*window, 1, StepModel::VerdictColumn).endsWith(QStringLiteral("refuted")));
        QVERIFY(cell(*window, 2, StepModel::VerdictColumn).endsWith(QStringLiteral("proved")));
        QVERIFY2(window->stepsPanel()->summary().contains(QStringLiteral("step 2 of 3")), qPrintable(window->stepsPanel()->summary()));
        // The step that broke it is open, for nobody chose another.
        QCOMPARE(window->currentStep(), std::optional<std::size_t>(1));
        QCOMPARE(window->stepsPanel()->selected(), std::optional<std::size_t>(1));
        QVERIFY(window->windowTitle().startsWith(QStringLiteral("Step 2 of 3")));
        keepPicture(*window, QStringLiteral("steps"));
        for (const bool shown : {true, false, true}) {
            QTest::keyClick(window.get(), Qt::Key_7, Qt::ControlModifier);
            QCOMPARE(window->dock(MainWindow::Dock::Steps)->isVisible(), shown);
        }
    }

    void clickingAStepShowsItsPair() {
        const auto window = makeWindow();
        window->openFiles({m_folder.filePath(QStringLiteral("steps"))});
        QVERIFY(settle(*window));
        clickRow(window->stepsPanel()->table(), 2);
        QVERIFY(settle(*window));
        QCOMPARE(window->currentStep(), std::optional<std::size_t>(2));
        QVERIFY(window->banner()->title().startsWith(QStringLiteral("PROVED")));
        QTest::keyClick(window->stepsPanel()->table(), Qt::Key_Up);
        QVERIFY(settle(*window));
        QCOMPARE(window->currentStep(), std::optional<std::size_t>(1));
        QVERIFY(window->banner()->title().startsWith(QStringLiteral("REFUTED")));
        // Keys go round the list.
        QTest::keyClick(window->canvas(Side::Reference), Qt::Key_PageDown, Qt::ControlModifier);
        QTest::keyClick(window->canvas(Side::Reference), Qt::Key_PageDown, Qt::ControlModifier);
        QVERIFY(settle(*window));
        QCOMPARE(window->currentStep(), std::optional<std::size_t>(0));
        // Another pair is no step: the list goes.
        window->openPair(m_folder.filePath(QStringLiteral("steps/1-as-read.lsg.json")),
                         m_folder.filePath(QStringLiteral("steps/11-relu-again.lsg.json")));
        QVERIFY(settle(*window));
        QVERIFY(window->steps()->steps().empty());
        QVERIFY(!window->dock(MainWindow::Dock::Steps)->isVisible());
    }

    void filesInAnyOrderOfTheUsersAreSteps() {
        const auto window = makeWindow();
        const auto step = [this](const char* name) {
            return m_folder.filePath(QStringLiteral("steps/") + QString::fromLatin1(name) + QStringLiteral(".lsg.json"));
        };
        window->openFiles({step("11-relu-again"), step("10-no-neg"), step("2-relu-once")});
        QVERIFY(settle(*window));
        QCOMPARE(cell(*window, 0, StepModel::GraphColumn), QStringLiteral("10-no-neg.lsg.json"));
        QCOMPARE(window->currentStep(), std::optional<std::size_t>(1));
        // A graph that cannot be read fails its two steps, not the list.
        const QString broken = write(QStringLiteral("broken.lsg.json"), "{");
        window->openFiles({step("1-as-read"), broken, step("2-relu-once"), step("2-relu-once")});
        QVERIFY(settle(*window));
        QVERIFY(cell(*window, 0, StepModel::VerdictColumn).contains(QStringLiteral("no verdict")));
        QVERIFY(cell(*window, 1, StepModel::LineColumn).contains(QStringLiteral("broken.lsg.json")));
        QVERIFY(cell(*window, 2, StepModel::VerdictColumn).endsWith(QStringLiteral("proved")));
    }

    void aFolderWithoutStepsIsExplained() {
        const auto window = makeWindow();
        QDir(m_folder.path()).mkdir(QStringLiteral("empty"));
        window->openFiles({m_folder.filePath(QStringLiteral("empty"))});
        QVERIFY(settle(*window));
        QVERIFY(window->isWelcome());
        QVERIFY2(window->messages()->plainText().contains(QStringLiteral("two or more")), qPrintable(window->messages()->plainText()));
    }

    void aLemmaIsAcceptedFromItsMenuAndTakenBack() {
        const auto window = makeWindow();
        const QString before = write(QStringLiteral("tanh.lsg.json"), chain({"Tanh", "Relu"}));
        const QString after = write(QStringLiteral("sigmoid.lsg.json"), chain({"Sigmoid", "Relu"}));
        window->openFiles({before, after});
        QVERIFY(settle(*window));
        QVERIFY(window->banner()->title().startsWith(QStringLiteral("REFUTED")));
        LemmaTreeView* table = window->lemmaPanel()->table();
        QVERIFY(table->model()->rowCount() > 0);
        clickRow(table, 0);
        QVERIFY(window->currentLemma().has_value());
        QVERIFY(chooseFromMenu(table, 0, QStringLiteral("Accept This Lemma")));
        QVERIFY(settle(*window));
        QCOMPARE(window->session()->accepted().size(), std::size_t{1});
        QVERIFY2(window->banner()->title().startsWith(QStringLiteral("PROVED")), qPrintable(window->banner()->text()));
        QVERIFY2(window->banner()->text().contains(QStringLiteral("Assuming ")), qPrintable(window->banner()->text()));
        const auto& result = window->session()->session().result;
        QVERIFY(
            std::any_of(result->assumptions.begin(), result->assumptions.end(), [](const Remark& remark) { return remark.kind == "assumed-equal"; }));
        auto* listed = window->findChild<QLabel*>(QStringLiteral("acceptedLemmas"));
        QVERIFY(listed->isVisible());
        keepPicture(*window, QStringLiteral("accepted"));
        // Reading the files again asks the same question.
        window->session()->reload();
        QVERIFY(settle(*window));
        QVERIFY(window->banner()->title().startsWith(QStringLiteral("PROVED")));

        Q_EMIT listed->linkActivated(QStringLiteral("0"));
        QVERIFY(QTest::qWaitFor([&] { return window->session()->accepted().empty() && window->isIdle(); }, Patience));
        QVERIFY(window->banner()->title().startsWith(QStringLiteral("REFUTED")));
        QVERIFY(!listed->isVisible());
        // By keys, there and back.
        clickRow(table, 0);
        QTest::keyClick(table, Qt::Key_A);
        QVERIFY(settle(*window));
        QVERIFY(window->banner()->title().startsWith(QStringLiteral("PROVED")));
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(settle(*window));
        QVERIFY(window->banner()->title().startsWith(QStringLiteral("REFUTED")));
    }

    void definitionsAreUsedAndDropped() {
        const auto window = makeWindow();
        const QString sample = QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/samples/scaled_softcap");
        window->openFiles({sample + QStringLiteral(".ref.lsg.json"), sample + QStringLiteral(".rew.lsg.json")});
        QVERIFY(settle(*window));
        QVERIFY2(window->banner()->title().startsWith(QStringLiteral("UNPROVED")), qPrintable(window->banner()->title()));
        window->useDefinitions(sample + QStringLiteral(".defs"));
        QVERIFY(settle(*window));
        QVERIFY2(window->banner()->title().startsWith(QStringLiteral("PROVED")), qPrintable(window->banner()->title()));
        // A file that breaks the format changes nothing but the messages.
        window->useDefinitions(write(QStringLiteral("broken.defs"), "op e.F(x) -> y\n"));
        QVERIFY(settle(*window));
        QVERIFY2(window->messages()->plainText().contains(QStringLiteral("broken.defs:1")), qPrintable(window->messages()->plainText()));
        QVERIFY(window->banner()->title().startsWith(QStringLiteral("PROVED")));
        window->useDefinitions({});
        QVERIFY(settle(*window));
        QVERIFY(window->banner()->title().startsWith(QStringLiteral("UNPROVED")));
    }

    void acceptingMendsAStep() {
        const auto window = makeWindow();
        window->openFiles({m_folder.filePath(QStringLiteral("steps"))});
        QVERIFY(settle(*window));
        QCOMPARE(window->currentStep(), std::optional<std::size_t>(1));
        window->goToNextFailing(false);
        QVERIFY(window->currentLemma());
        window->acceptLemma();
        QVERIFY(settle(*window));
        QVERIFY2(cell(*window, 1, StepModel::VerdictColumn).endsWith(QStringLiteral("proved")), qPrintable(cell(*window, 1, StepModel::LineColumn)));
        QVERIFY(cell(*window, 1, StepModel::VerdictColumn).startsWith(QStringLiteral("≈")));
        QVERIFY(cell(*window, 1, StepModel::LineColumn).contains(QStringLiteral("(assuming ")));
        QVERIFY(window->stepsPanel()->summary().contains(QStringLiteral("All 3 steps are proved")));
        // What is accepted of a pair is kept while others are open, and used when all steps are checked again.
        window->showStep(2);
        QVERIFY(settle(*window));
        QVERIFY(window->session()->accepted().empty());
        window->steps()->check(window->session()->session().options, window->session()->allAccepted());
        QVERIFY(settle(*window));
        QVERIFY(cell(*window, 1, StepModel::LineColumn).contains(QStringLiteral("(assuming ")));
        window->showStep(1);
        QVERIFY(settle(*window));
        QCOMPARE(window->session()->accepted().size(), std::size_t{1});
        QVERIFY(window->banner()->title().startsWith(QStringLiteral("PROVED")));
        keepPicture(*window, QStringLiteral("steps-accepted"));
    }

    void whatCannotBeAcceptedIsTakenBackWithAMessage() {
        const auto window = makeWindow();
        window->openFiles(
            {write(QStringLiteral("tanh.lsg.json"), chain({"Tanh", "Relu"})), write(QStringLiteral("sigmoid.lsg.json"), chain({"Sigmoid", "Relu"}))});
        QVERIFY(settle(*window));
        window->session()->accept({"tanh0", "x"}); // an input of the rewritten graph
        QVERIFY(settle(*window));
        QVERIFY(window->session()->accepted().empty());
        QVERIFY(window->banner()->title().startsWith(QStringLiteral("REFUTED")));
        QVERIFY2(window->messages()->plainText().contains(QStringLiteral("is an input")), qPrintable(window->messages()->plainText()));
    }

    void ownInputsShowWhereTheGraphsPart() {
        const auto window = makeWindow();
        const QString before = write(QStringLiteral("own/before.lsg.json"), chain({"Tanh", "Abs", "Neg"}));
        const QString after = write(QStringLiteral("own/after.lsg.json"), chain({"Tanh", "Abs", "Sin"}));
        window->openFiles({before, after});
        QVERIFY(settle(*window));
        const QString file = m_folder.filePath(QStringLiteral("own/x.npy"));
        QVERIFY(writeNpy(Tensor::of<float>(ElementType::F32, {4}, {0.0F, 0.25F, -2.0F, 0.5F}), toPath(file)));
        window->tryInputs({file});
        QVERIFY(settle(*window));
        QVERIFY2(window->messages()->errorCount() == 0, qPrintable(window->messages()->plainText()));
        QVERIFY(window->banner()->title().startsWith(QStringLiteral("REFUTED")));
        const OwnInputsPanel* panel = window->ownInputs();
        QVERIFY2(panel->sentence().startsWith(QStringLiteral("First beyond rounding: 'y' of node 'y' at [2] is -0.9640276")),
                 qPrintable(panel->sentence()));
        QVERIFY(panel->isVisible());
        QCOMPARE(panel->table()->model()->rowCount(), 1);
        clickRow(panel->table(), 0);
        keepPicture(*window, QStringLiteral("own-inputs"));
        // A tensor that does not fit is dropped and told; the verdict stands.
        const QString wrong = m_folder.filePath(QStringLiteral("own/z.npy"));
        QVERIFY(QFile::copy(file, wrong));
        window->tryInputs({wrong});
        QVERIFY(settle(*window));
        QVERIFY2(window->messages()->plainText().contains(QStringLiteral("no such input")), qPrintable(window->messages()->plainText()));
        QVERIFY(window->banner()->title().startsWith(QStringLiteral("REFUTED")));
        QVERIFY(panel->sentence().startsWith(QStringLiteral("No tensors of your own")));
    }

    /// Slow checks: the window answers while they run, and Esc ends them.
    void stepsDoNotBlockTheWindow() {
        WindowFixture fixture;
        fixture.behaviour->checkMs = 400;
        MainWindow& window = *fixture.window;
        QElapsedTimer longest;
        qint64 worst = 0;
        QTimer ticks;
        longest.start();
        connect(&ticks, &QTimer::timeout, &ticks, [&] { worst = std::max(worst, longest.restart()); });
        ticks.start(5);
        window.openFiles({fixture.file(QStringLiteral("proved.1.json")), fixture.file(QStringLiteral("proved.2.json")),
                          fixture.file(QStringLiteral("refuted.3.json")), fixture.file(QStringLiteral("proved.4.json"))});
        QVERIFY(QTest::qWaitFor([&] { return window.steps()->steps().size() == 3 && window.steps()->steps()[0].stage == StepState::Stage::Decided; },
                                10'000));
        QVERIFY2(worst < 300, qPrintable(QString::number(worst)));
        QTest::keyClick(&window, Qt::Key_Escape);
        QVERIFY(QTest::qWaitFor([&] { return window.isIdle(); }, 10'000));
        QCOMPARE(window.steps()->steps()[0].stage, StepState::Stage::Decided);
        QCOMPARE(window.steps()->steps()[2].stage, StepState::Stage::Stopped);
        QVERIFY(window.stepsPanel()->summary().startsWith(QStringLiteral("Stopped")));
    }
};

QTEST_MAIN(TestWindowSteps)
#include "tst_window_steps.moc"
