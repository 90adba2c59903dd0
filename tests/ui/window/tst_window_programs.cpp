// MLIR programs in the window: both texts, the map of cells, expressions, the schedule, reports; by clicks and keys.
#include "tests/ui/window/window_fixture.h"

#include "app/window/engines.h"
#include "app/window/program_services.h"
#include "app/window/services.h"
#include "tests/ui/window/program_fakes.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/jobs/program_session.h"
#include "ui/models/message_model.h"
#include "ui/panels/cell_map_view.h"
#include "ui/panels/find_bar.h"
#include "ui/panels/output_map_panel.h"
#include "ui/panels/program_page.h"
#include "ui/panels/program_settings_bar.h"
#include "ui/panels/schedule_panel.h"
#include "ui/panels/timeline_view.h"
#include "ui/panels/welcome_page.h"
#include "ui/window/program_part.h"
#include "ui/window/session_part.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

struct Programs : WindowFixture {
    Programs() { session()->setServices(fakeProgramServices(behaviour)); }
    [[nodiscard]] ProgramPart* part() const { return window->programs(); }
    [[nodiscard]] ProgramSession* session() const { return part()->session(); }
    [[nodiscard]] ProgramTextView* view(Side side) const { return part()->page()->view(side); }
    [[nodiscard]] QString bannerText() const { return window->banner()->text(); }
    [[nodiscard]] bool idle() {
        return QTest::qWaitFor([this] { return window->isIdle(); }, 20'000);
    }
    void start(const QString& name) { window->openPair(file(name + QStringLiteral(".ref.mlir")), file(name + QStringLiteral(".rew.mlir"))); }
    [[nodiscard]] bool startAndSettle(const QString& name) {
        start(name);
        return idle() && session()->isOpen();
    }
    /// Keys go where the focus is.
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { QTest::keyClick(window.get(), key, modifiers); }
};

#ifdef LEMMASCOPE_WITH_READER
/// With the real reader and interpreter, on files written here.
struct RealPrograms : Programs {
    RealPrograms() { session()->setServices(realProgramServices(std::make_shared<Engines>())); }
    [[nodiscard]] ProgramSettingsBar* settings() const { return part()->page()->settings(); }
    QString write(const QString& name, const QByteArray& text) const {
        QFile made(folder.filePath(name));
        return made.open(QIODevice::WriteOnly) && made.write(text) == text.size() ? made.fileName() : QString();
    }
    [[nodiscard]] bool settled() {
        return QTest::qWaitFor([this] { return window->isIdle(); }, 60'000);
    }
    [[nodiscard]] bool openTexts(const QByteArray& reference, const QByteArray& rewritten) {
        window->openPair(write(QStringLiteral("a.mlir"), reference), write(QStringLiteral("b.mlir"), rewritten));
        return settled() && session()->isOpen();
    }
    /// Keys into the field that has the focus.
    void type(const QString& text, Qt::Key last) {
        QTest::keyClicks(QApplication::focusWidget(), text);
        QTest::keyClick(QApplication::focusWidget(), last);
    }
};
#endif

QString contentOf(const QString& file) {
    QFile opened(file);
    return opened.open(QIODevice::ReadOnly) ? QString::fromUtf8(opened.readAll()) : QString();
}

} // namespace

class TestWindowPrograms : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void anEqualPairIsProvedBesideItsTexts() {
        Programs p;
        QVERIFY(p.startAndSettle(QStringLiteral("equal")));
        QVERIFY(!p.window->isWelcome());
        QVERIFY(p.part()->page()->isVisible());
        QVERIFY(p.view(Side::Reference)->toPlainText().contains(QStringLiteral("arith.mulf %a, %b")));
        QVERIFY(p.view(Side::Rewritten)->toPlainText().contains(QStringLiteral("arith.mulf %b, %a")));
        QVERIFY2(p.bannerText().contains(QStringLiteral("PROVED")), qPrintable(p.bannerText()));
        QVERIFY(p.part()->maps()->summary().contains(QStringLiteral("all 24 cells are equal")));
        QCOMPARE(p.view(Side::Reference)->roleOf(9), Role::Shared); // no glyph in the margin
        QVERIFY(p.window->windowTitle().contains(QStringLiteral("equal.ref.mlir")));
        // The docks of graphs make room.
        QVERIFY(!p.window->dock(MainWindow::Dock::Lemmas)->isVisible());
        QVERIFY(p.part()->mapDock()->isVisible());
    }

    void aDifferingPairShowsMapExpressionsAndOps() {
        Programs p;
        QVERIFY(p.startAndSettle(QStringLiteral("differs")));
        QVERIFY2(p.bannerText().contains(QStringLiteral("REFUTED")), qPrintable(p.bannerText()));
        OutputMapPanel* maps = p.part()->maps();
        QCOMPARE(maps->summary(), QStringLiteral("C: 4 of 24 cells differ: C[*,3]"));
        QVERIFY2(maps->families()->item(0)->text().contains(QStringLiteral("C[*,3], 4 of 24 cells")), qPrintable(maps->families()->item(0)->text()));
        // The first differing cell is looked up by itself.
        QVERIFY2(maps->expression(Side::Reference).contains(QStringLiteral("A[0,3]")), qPrintable(maps->expression(Side::Reference)));
        QVERIFY(maps->expression(Side::Reference) != maps->expression(Side::Rewritten));
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            const auto& scene = maps->canvas(side)->scene();
            QVERIFY(scene != nullptr);
            const auto& roles = maps->canvas(side)->overlay().roles;
            QVERIFY(std::find(roles.begin(), roles.end(), Role::Failing) != roles.end());
        }
        // By a click on another cell.
        CellMapView* map = maps->map();
        QTest::mouseClick(map, Qt::LeftButton, {}, map->cellRect(2 * 6 + 3).center());
        QVERIFY(p.idle());
        QVERIFY2(maps->expression(Side::Reference).contains(QStringLiteral("A[2,3]")), qPrintable(maps->expression(Side::Reference)));
        QVERIFY(maps->writers()->item(0)->text().contains(QStringLiteral("i = 2, j = 3")));
        // By keys: one to the right is equal; N goes to the next that differs.
        map->setFocus();
        QTest::keyClick(map, Qt::Key_Right);
        QVERIFY(p.idle());
        QCOMPARE(map->cell(), std::uint64_t{2 * 6 + 4});
        QCOMPARE(maps->expression(Side::Reference), maps->expression(Side::Rewritten));
        QTest::keyClick(map, Qt::Key_N);
        QVERIFY(p.idle());
        QCOMPARE(map->cell(), std::uint64_t{3 * 6 + 3});
        p.key(Qt::Key_F8); // around the end
        QVERIFY(p.idle());
        QCOMPARE(map->cell(), std::uint64_t{3});
    }

    void theOpThatWroteACellIsFoundInTheText() {
        Programs p;
        QVERIFY(p.startAndSettle(QStringLiteral("differs")));
        QListWidget* writers = p.part()->maps()->writers();
        QTest::mouseClick(writers->viewport(), Qt::LeftButton, {}, writers->visualItemRect(writers->item(0)).center());
        QCOMPARE(p.view(Side::Reference)->currentLine(), 9);
        QCOMPARE(p.view(Side::Rewritten)->currentLine(), 9); // locked sides stay level
        QCOMPARE(p.view(Side::Rewritten)->roleOf(9), Role::Failing);
        QVERIFY(p.view(Side::Rewritten)->describe(9).contains(QStringLiteral("C[*,3]")));
        QCOMPARE(p.view(Side::Rewritten)->roleOf(7), Role::OnlyRewritten);
        // From one difference to the next, around the end.
        p.view(Side::Rewritten)->setFocus();
        p.view(Side::Rewritten)->goToLine(1);
        p.key(Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(p.view(Side::Rewritten)->currentLine(), 7);
        p.key(Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(p.view(Side::Rewritten)->currentLine(), 9);
        p.key(Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(p.view(Side::Rewritten)->currentLine(), 7);
    }

    void textAndLinesAreFound() {
        Programs p;
        QVERIFY(p.startAndSettle(QStringLiteral("differs")));
        FindBar* bar = p.part()->page()->bar();
        p.view(Side::Reference)->setFocus();
        p.key(Qt::Key_F, Qt::ControlModifier);
        QVERIFY(bar->isVisible());
        QTest::keyClicks(bar->edit(), QStringLiteral("MEMREF.store"));
        QCOMPARE(bar->answer(), QStringLiteral("found: 2"));
        QTest::keyClick(bar->edit(), Qt::Key_Return);
        QCOMPARE(p.view(Side::Reference)->currentLine(), 9);
        QCOMPARE(p.view(Side::Reference)->textCursor().selectedText(), QStringLiteral("memref.store"));
        p.key(Qt::Key_F3);
        QCOMPARE(bar->answer(), QStringLiteral("2 of 2"));
        QTest::keyClick(bar->edit(), Qt::Key_Escape);
        QVERIFY(!bar->isVisible());
        // A line by its number.
        p.key(Qt::Key_G, Qt::ControlModifier);
        QTest::keyClicks(bar->edit(), QStringLiteral("5"));
        QCOMPARE(p.view(Side::Reference)->currentLine(), 5);
        QTest::keyClicks(bar->edit(), QStringLiteral("00"));
        QVERIFY(bar->answer().contains(QStringLiteral("lines 1 to")));
    }

    void aRaceIsSteppedThrough() {
        Programs p;
        QVERIFY(p.startAndSettle(QStringLiteral("race")));
        QVERIFY2(p.bannerText().contains(QStringLiteral("race")), qPrintable(p.bannerText()));
        SchedulePanel* panel = p.part()->schedule();
        QTRY_VERIFY(!panel->visibleRegion().isEmpty()); // in front by itself
        QVERIFY2(panel->trouble().contains(QStringLiteral("race: ")), qPrintable(panel->trouble()));
        QVERIFY(panel->trouble().contains(QStringLiteral("Missing edge: ")));
        const auto schedule = p.session()->schedule();
        QVERIFY(schedule != nullptr && schedule->race.has_value());
        // The second access first: its op in the text, the tasks in words.
        TimelineView* line = panel->timeline();
        QCOMPARE(line->step(), schedule->race->second);
        QCOMPARE(p.view(Side::Rewritten)->step(), 10);
        QVERIFY(panel->states().contains(QStringLiteral("runs")));
        QVERIFY(panel->list()->currentIndex().data().toString().startsWith(QStringLiteral("✗")));
        // Back and forth by keys, from the time line and from the text.
        line->setFocus();
        QTest::keyClick(line, Qt::Key_Left);
        QCOMPARE(line->step(), schedule->race->second - 1);
        QTest::keyClick(line, Qt::Key_Home);
        QCOMPARE(line->step(), std::size_t{0});
        QVERIFY(panel->states().contains(QStringLiteral("main runs")));
        p.view(Side::Rewritten)->setFocus();
        QTest::keyClick(p.view(Side::Rewritten), Qt::Key_Greater);
        QCOMPARE(line->step(), std::size_t{1});
        QTest::keyClick(p.view(Side::Rewritten), Qt::Key_Less);
        QCOMPARE(line->step(), std::size_t{0});
        // By a click on the first access.
        line->setStep(schedule->race->first);
        QTest::mouseClick(line->viewport(), Qt::LeftButton, {}, line->stepRect(schedule->race->first).center());
        QCOMPARE(line->step(), schedule->race->first);
        QCOMPARE(p.view(Side::Rewritten)->step(), 5);
        // By a row of the list.
        panel->list()->setCurrentIndex(panel->list()->model()->index(2, 0));
        QCOMPARE(line->step(), std::size_t{2});
    }

    void whatCannotBeReadIsSaidWithItsPlace() {
        Programs p;
        p.window->openPair(p.file(QStringLiteral("bad.ref.mlir")), p.file(QStringLiteral("equal.rew.mlir")));
        QVERIFY(p.idle());
        QVERIFY(p.window->isWelcome());
        QCOMPARE(p.window->messages()->errorCount(), 1);
        const QString said = p.window->messages()->plainText();
        QVERIFY2(said.contains(QStringLiteral("bad.ref.mlir:3:7")) && said.contains(QStringLiteral("expected SSA operand")), qPrintable(said));
        // A pair that is open stays.
        QVERIFY(p.startAndSettle(QStringLiteral("equal")));
        p.window->openPair(p.file(QStringLiteral("equal.ref.mlir")), p.file(QStringLiteral("bad.rew.mlir")));
        QVERIFY(p.idle());
        QVERIFY(p.session()->isOpen());
        QVERIFY(p.bannerText().contains(QStringLiteral("PROVED")));
        // A graph is no program.
        p.window->openPair(p.file(QStringLiteral("equal.ref.mlir")), p.file(QStringLiteral("proved.rew.json")));
        QVERIFY(p.idle());
        QVERIFY(p.window->messages()->plainText().contains(QStringLiteral("a graph cannot be compared with a program")));
    }

    void aRunningCheckIsCancelled() {
        Programs p;
        p.behaviour->checkMs = 60'000;
        p.start(QStringLiteral("differs"));
        QTRY_VERIFY(p.session()->state() == ProgramSession::State::Checking);
        QTRY_VERIFY(p.bannerText().contains(QStringLiteral("CHECKING")));
        QVERIFY(p.part()->maps()->summary().contains(QStringLiteral("running")));
        p.key(Qt::Key_Escape);
        QVERIFY(p.session()->state() == ProgramSession::State::Stopped);
        QVERIFY(p.bannerText().contains(QStringLiteral("STOPPED")));
        QVERIFY(p.idle());
        p.behaviour->checkMs = 0;
        p.key(Qt::Key_F7, Qt::ShiftModifier);
        QVERIFY(p.idle());
        QVERIFY(p.bannerText().contains(QStringLiteral("REFUTED")));
        // And one that fails.
        p.behaviour->checkFails = true;
        p.key(Qt::Key_F7, Qt::ShiftModifier);
        QVERIFY(p.idle());
        QVERIFY(p.bannerText().contains(QStringLiteral("the check went wrong")));
    }

    void aReloadTakesThePlaceOfARunningCheck() {
        Programs p;
        p.behaviour->checkMs = 60'000;
        p.start(QStringLiteral("differs"));
        QTRY_VERIFY(p.session()->state() == ProgramSession::State::Checking);
        QTRY_VERIFY(p.behaviour->checks > 0);
        const int loads = p.behaviour->loads;
        p.behaviour->checkMs = 0;
        p.key(Qt::Key_F5);
        QVERIFY(p.idle());
        QCOMPARE(p.behaviour->loads.load(), loads + 2);
        QVERIFY(p.session()->state() == ProgramSession::State::Decided);
        QVERIFY2(p.bannerText().contains(QStringLiteral("REFUTED")), qPrintable(p.bannerText()));
    }

    void aReportIsWrittenAsForGraphs() {
        Programs p;
        QVERIFY(p.startAndSettle(QStringLiteral("differs")));
        const QString folder = p.folder.path() + QStringLiteral("/report");
        p.window->exportReport(folder, false);
        QVERIFY(p.idle());
        QCOMPARE(contentOf(folder + QStringLiteral("/rewritten.mlir")), p.view(Side::Rewritten)->toPlainText());
        QVERIFY(contentOf(folder + QStringLiteral("/report.md")).contains(QStringLiteral("C: 4 of 24 cells differ")));
        QVERIFY(QFile::exists(folder + QStringLiteral("/map_C.png")));
        QVERIFY(contentOf(folder + QStringLiteral("/replay.sh")).contains(QStringLiteral("check reference.mlir rewritten.mlir")));
    }

    void graphsAndProgramsTakeEachOthersPlace() {
        Programs p;
        QVERIFY(p.openAndSettle(QStringLiteral("refuted")));
        QVERIFY(p.window->dock(MainWindow::Dock::Lemmas)->isVisible());
        QVERIFY(p.startAndSettle(QStringLiteral("differs")));
        QVERIFY(p.part()->page()->isVisible());
        QVERIFY(!p.window->session()->session().isOpen());
        QVERIFY(p.openAndSettle(QStringLiteral("refuted")));
        QVERIFY(!p.session()->isOpen());
        QVERIFY(!p.part()->page()->isVisible());
        QVERIFY(!p.part()->mapDock()->isVisible());
        QVERIFY(p.window->dock(MainWindow::Dock::Lemmas)->isVisible());
        QVERIFY(p.bannerText().contains(QStringLiteral("REFUTED")));
        // Closing leads to the start page, which knows the pair.
        QVERIFY(p.startAndSettle(QStringLiteral("equal")));
        p.key(Qt::Key_W, Qt::ControlModifier);
        QVERIFY(p.window->isWelcome());
        QVERIFY(!p.session()->isOpen());
        QCOMPARE(p.window->windowTitle(), QStringLiteral("Lemmascope"));
    }

    void sidesAreSwappedReloadedAndKeptInASession() {
        Programs p;
        QVERIFY(p.startAndSettle(QStringLiteral("differs")));
        const QString saved = p.folder.path() + QStringLiteral("/a.lsession");
        p.part()->saveTo(saved);
        QVERIFY(p.idle());
        QVERIFY(contentOf(saved).contains(QStringLiteral("differs.ref.mlir")));
        const int loads = p.behaviour->loads;
        p.key(Qt::Key_F5);
        QVERIFY(p.idle());
        QCOMPARE(p.behaviour->loads.load(), loads + 2);
        p.session()->swapSides();
        QVERIFY(p.idle());
        QVERIFY(p.view(Side::Reference)->toPlainText().contains(QStringLiteral("arith.select")));
        p.key(Qt::Key_W, Qt::ControlModifier);
        p.window->openFiles({saved});
        QTRY_VERIFY(p.session()->isOpen());
        QVERIFY(p.idle());
        QVERIFY(p.view(Side::Rewritten)->toPlainText().contains(QStringLiteral("arith.select")));
        QVERIFY(p.bannerText().contains(QStringLiteral("REFUTED")));
    }

    void tenThousandLinesScrollWithTheirMarks() {
        std::string a, b;
        for (int i = 0; i < 10'000; ++i) {
            const std::string place = " %x, %y {n = " + std::to_string(i) + "} : f64\n";
            a += "  %" + std::to_string(i) + " = arith.addf" + place;
            b += "  %" + std::to_string(i + 1) + (i % 100 == 50 ? " = arith.mulf" : " = arith.addf") + place;
        }
        ProgramPage page;
        page.resize(900, 500);
        page.setPair({"a.mlir", "b.mlir", a, b, nullptr, nullptr});
        page.setMarks(std::make_shared<const ProgramDiff>(diffPrograms(a, b)));
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        ProgramTextView* left = page.view(Side::Reference);
        ProgramTextView* right = page.view(Side::Rewritten);
        left->verticalScrollBar()->setValue(6'000);
        QCOMPARE(left->firstVisibleLine(), 6'001);
        QVERIFY(std::abs(right->firstVisibleLine() - 6'001) <= 2);
        QCOMPARE(left->nextDifference(6'001, false), 6'051);
        QVERIFY(left->marginWidth() > left->fontMetrics().horizontalAdvance(QStringLiteral("10000")));
        // A repaint touches what is in sight, not the whole.
        QElapsedTimer timer;
        timer.start();
        constexpr int Frames = 20;
        for (int i = 0; i < Frames; ++i) {
            left->verticalScrollBar()->setValue(100 * i);
            (void)left->grab();
        }
        QVERIFY2(timer.elapsed() < Frames * 250, "scrolling repaints everything");
    }

#ifdef LEMMASCOPE_WITH_READER
    void filesAreReadByTheProcessOfTheReader() {
        QTemporaryDir folder;
        const auto write = [&folder](const QString& name, const QString& body) {
            QFile file(folder.filePath(name));
            const QString text = QStringLiteral("func.func @f(%A: memref<8xf64>, %B: memref<8xf64>) {\n  affine.for %i = 0 to 8 {\n"
                                                "    %a = affine.load %A[%i] : memref<8xf64>\n    %r = ") +
                                 body + QStringLiteral(" : f64\n    affine.store %r, %B[%i] : memref<8xf64>\n  }\n  return\n}\n");
            return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0 ? file.fileName() : QString();
        };
        const QString sum = write(QStringLiteral("sum.mlir"), QStringLiteral("arith.addf %a, %a"));
        const QString product = write(QStringLiteral("product.mlir"), QStringLiteral("arith.mulf %a, %a"));
        const QString broken = write(QStringLiteral("broken.mlir"), QStringLiteral("arith.nothing %a"));
        const auto engines = std::make_shared<Engines>();
        MainWindow window(realServices(engines), {}, {});
        window.programSession()->setServices(realProgramServices(engines));
        window.setKeepsLayout(false);
        window.show();
        window.openPair(sum, product);
        QTRY_VERIFY_WITH_TIMEOUT(window.programSession()->isOpen() && window.isIdle(), 60'000);
        QVERIFY2(window.banner()->text().contains(QStringLiteral("REFUTED")), qPrintable(window.banner()->text()));
        QVERIFY(window.programs()->maps()->summary().contains(QStringLiteral("8 of 8 cells differ")));
        window.openPair(sum, broken);
        QTRY_VERIFY_WITH_TIMEOUT(window.isIdle(), 60'000);
        QVERIFY2(window.messages()->plainText().contains(QStringLiteral("broken.mlir")), qPrintable(window.messages()->plainText()));
        QVERIFY(window.programSession()->isOpen());
    }

    void aSizeThatIsNeededIsGivenInTheWindow() {
        RealPrograms p;
        const QByteArray head = "func.func @f(%A: memref<?xf64>, %n: index) {\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
                                "  %z = arith.constant 0.0 : f64\n  scf.for %i = %c0 to %n step %c1 {\n    memref.store %z, %A[%i] : memref<?xf64>\n"
                                "  }\n  return\n}\n";
        QVERIFY(p.openTexts(head, QByteArray(head).replace("%n", "%m")));
        QVERIFY2(p.bannerText().contains(QStringLiteral("UNDECIDED")), qPrintable(p.bannerText()));
        QVERIFY(p.settings()->needed()->isVisible());
        QVERIFY2(p.settings()->needed()->text().endsWith(QStringLiteral("n")), qPrintable(p.settings()->needed()->text()));
        QVERIFY(p.settings()->sizes()->placeholderText().contains(QStringLiteral("n=8")));
        // What is no size is said, and nothing else happens.
        QTest::mouseClick(p.settings()->needed(), Qt::LeftButton);
        QVERIFY(p.settings()->sizes()->hasFocus());
        QCOMPARE(p.settings()->sizes()->text(), QStringLiteral("n="));
        p.type(QStringLiteral("five"), Qt::Key_Return);
        QVERIFY(p.window->messages()->plainText().contains(QStringLiteral("'n=five' is no size")));
        QVERIFY(p.settled() && p.bannerText().contains(QStringLiteral("UNDECIDED")));
        p.settings()->sizes()->selectAll();
        p.type(QStringLiteral("n=5"), Qt::Key_Return);
        QVERIFY(p.settled());
        QVERIFY2(p.bannerText().contains(QStringLiteral("PROVED")), qPrintable(p.bannerText()));
        QVERIFY(!p.settings()->needed()->isVisible());
        // An argument that is not there: the reason stands in the banner, the texts stay.
        p.settings()->sizes()->setFocus();
        p.settings()->sizes()->selectAll();
        p.type(QStringLiteral("q=5"), Qt::Key_Return);
        QVERIFY(p.settled());
        QVERIFY2(p.bannerText().contains(QStringLiteral("there is no such argument")), qPrintable(p.bannerText()));
        p.settings()->sizes()->selectAll();
        p.type(QStringLiteral("n=5"), Qt::Key_Return);
        QVERIFY(p.settled());
        // A session brings it back.
        const QString saved = p.folder.filePath(QStringLiteral("s.lsession"));
        p.part()->saveTo(saved);
        QVERIFY(p.settled());
        p.key(Qt::Key_W, Qt::ControlModifier);
        QCOMPARE(p.settings()->sizes()->text(), QString());
        p.window->openFiles({saved});
        QTRY_VERIFY(p.session()->isOpen());
        QVERIFY(p.settled());
        QCOMPARE(p.settings()->sizes()->text(), QStringLiteral("n=5"));
        QVERIFY(p.bannerText().contains(QStringLiteral("PROVED")));
    }

    void anEntryIsChosenAmongTheFunctions() {
        RealPrograms p;
        const QByteArray two = "func.func @one(%a: i32) -> i32 {\n  %r = arith.addi %a, %a : i32\n  return %r : i32\n}\n"
                               "func.func @two(%a: i32) -> i32 {\n  %r = arith.muli %a, %a : i32\n  return %r : i32\n}\n";
        QVERIFY(p.openTexts(two, QByteArray(two).replace("addi", "subi")));
        QVERIFY2(p.bannerText().contains(QStringLiteral("NO VERDICT")) && p.bannerText().contains(QStringLiteral("one, two")),
                 qPrintable(p.bannerText()));
        QVERIFY(p.view(Side::Reference)->toPlainText().contains(QStringLiteral("@two")));
        QCOMPARE(p.settings()->entry()->count(), 3);
        p.settings()->entry()->setFocus();
        QTest::keyClick(p.settings()->entry(), Qt::Key_Down);
        QVERIFY(p.settled());
        QCOMPARE(p.settings()->entry()->currentText(), QStringLiteral("@one"));
        QVERIFY2(p.bannerText().contains(QStringLiteral("REFUTED")), qPrintable(p.bannerText()));
        QTest::keyClick(p.settings()->entry(), Qt::Key_Down);
        QVERIFY(p.settled());
        QVERIFY2(p.bannerText().contains(QStringLiteral("PROVED")), qPrintable(p.bannerText()));
        // A report replays with it; swapped sides and a session keep it.
        p.window->exportReport(p.folder.filePath(QStringLiteral("report")), false);
        QVERIFY(p.settled());
        QVERIFY(contentOf(p.folder.filePath(QStringLiteral("report/replay.sh"))).contains(QStringLiteral("--entry two")));
        p.session()->swapSides();
        QVERIFY(p.settled());
        QCOMPARE(p.settings()->entry()->currentText(), QStringLiteral("@two"));
        const QString saved = p.folder.filePath(QStringLiteral("s.lsession"));
        p.part()->saveTo(saved);
        QVERIFY(p.settled());
        p.key(Qt::Key_W, Qt::ControlModifier);
        // What one pair was asked does not hold for another.
        QVERIFY(p.openTexts(two, two));
        QVERIFY(p.bannerText().contains(QStringLiteral("NO VERDICT")));
        p.window->openFiles({saved});
        QVERIFY(QTest::qWaitFor([&p] { return p.session()->program().entry == "two"; }, 20'000));
        QVERIFY(p.settled());
        QVERIFY(p.bannerText().contains(QStringLiteral("PROVED")));
    }

    void argumentsMayAliasByAClick() {
        RealPrograms p;
        const auto stores = [](const char* first, const char* second) {
            return QByteArray("func.func @f(%A: memref<1xi32>, %B: memref<1xi32>, %a: i32, %b: i32) {\n  %c0 = arith.constant 0 : index\n") + first +
                   second + "  return\n}\n";
        };
        const char* toA = "  memref.store %a, %A[%c0] : memref<1xi32>\n";
        const char* toB = "  memref.store %b, %B[%c0] : memref<1xi32>\n";
        QVERIFY(p.openTexts(stores(toA, toB), stores(toB, toA)));
        QVERIFY2(p.bannerText().contains(QStringLiteral("PROVED")), qPrintable(p.bannerText()));
        QTest::keyClick(p.settings()->mayAlias(), Qt::Key_Space);
        QVERIFY(p.settings()->mayAlias()->isChecked());
        QVERIFY(p.settled());
        QVERIFY2(p.bannerText().contains(QStringLiteral("REFUTED")), qPrintable(p.bannerText()));
        QTest::keyClick(p.settings()->mayAlias(), Qt::Key_Space);
        QVERIFY(p.settled());
        QVERIFY2(p.bannerText().contains(QStringLiteral("PROVED")), qPrintable(p.bannerText()));
    }

    void aDeadlockShowsWhoWaits() {
        RealPrograms p;
        const QByteArray head = "func.func @f(%A: memref<4xf64>) {\n  %c0 = arith.constant 0 : index\n  %n = arith.constant ";
        const QByteArray tail = " : index\n  %g = async.create_group %n : !async.group\n  %t = async.execute {\n    %a = memref.load %A[%c0] : "
                                "memref<4xf64>\n    memref.store %a, %A[%c0] : memref<4xf64>\n    async.yield\n  }\n"
                                "  %k = async.add_to_group %t, %g : !async.token\n  async.await_all %g\n  return\n}\n";
        QVERIFY(p.openTexts(head + "1" + tail, head + "2" + tail));
        QVERIFY2(p.bannerText().contains(QStringLiteral("deadlock")), qPrintable(p.bannerText()));
        QTRY_VERIFY(!p.part()->schedule()->visibleRegion().isEmpty());
        QVERIFY2(p.part()->schedule()->trouble().contains(QStringLiteral("async.await_all")), qPrintable(p.part()->schedule()->trouble()));
        QVERIFY2(p.part()->schedule()->states().contains(QStringLiteral("main waits")), qPrintable(p.part()->schedule()->states()));
        QCOMPARE(p.view(Side::Rewritten)->step(), 11);
    }

    void tensorFunctionsOfAnySizeAreDecidedAsOnTheCommandLine() {
        RealPrograms p;
        const QByteArray sum = "func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {\n  %r = arith.addf %a, %b : tensor<?xf32>\n"
                               "  return %r : tensor<?xf32>\n}\n";
        QVERIFY(p.openTexts(sum, QByteArray(sum).replace("addf %a, %b", "addf %b, %a")));
        QVERIFY2(p.bannerText().contains(QStringLiteral("PROVED")), qPrintable(p.bannerText()));
        QVERIFY2(p.part()->maps()->summary().contains(QStringLiteral("cell by cell")), qPrintable(p.part()->maps()->summary()));
    }

    void anAnonymousReportIsOfThePairWithoutNames() {
        RealPrograms p;
        const QByteArray sum = "// of the secret kernel\nfunc.func @secret(%key: memref<2xi32>, %salt: i32) {\n  %c0 = arith.constant 0 : index\n"
                               "  memref.store %salt, %key[%c0] : memref<2xi32> loc(\"secret.py\":1:2)\n  return\n}\n";
        QVERIFY(p.openTexts(sum, QByteArray(sum).replace("arith.constant 0", "arith.constant 1")));
        QVERIFY(p.bannerText().contains(QStringLiteral("REFUTED")));
        const QString out = p.folder.filePath(QStringLiteral("report"));
        p.window->exportReport(out, true);
        QVERIFY(p.settled());
        for (const char* name : {"reference.mlir", "rewritten.mlir", "report.md", "report.html", "result.json", "replay.sh"}) {
            const QString content = contentOf(out + u'/' + QString::fromLatin1(name));
            QVERIFY2(!content.isEmpty() && !content.contains(QStringLiteral("secret")) && !content.contains(QStringLiteral("salt")), name);
        }
        QVERIFY(contentOf(out + QStringLiteral("/result.json")).contains(QStringLiteral("\"verdict\": \"refuted\"")));
    }
#endif
};

QTEST_MAIN(TestWindowPrograms)
#include "tst_window_programs.moc"
