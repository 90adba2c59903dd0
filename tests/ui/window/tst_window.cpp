#include "tests/ui/window/window_fixture.h"

#include "ui/jobs/job_list_model.h"
#include "ui/models/lemma_model.h"
#include "ui/models/message_model.h"
#include "ui/panels/counterexample_panel.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/lemma_panel.h"
#include "ui/panels/open_pair_dialog.h"
#include "ui/panels/query_panel.h"
#include "ui/views/fact_table_view.h"
#include "ui/views/lemma_tree_view.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

void drop(QWidget* onto, const QStringList& files) {
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& file : files) {
        urls << QUrl::fromLocalFile(file);
    }
    data.setUrls(urls);
    const QPointF middle = QRectF(onto->rect()).center();
    QDragEnterEvent enter(middle.toPoint(), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(onto, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(onto, &event);
}

/// Distance of a node's box from the middle of its canvas, in pixels; negative when the scene does not show it.
double offCentre(GraphCanvas* canvas, FlatNodeId node) {
    const std::uint32_t item = canvas->scene()->visibleItem(node);
    if (item == NoItem) {
        return -1.0;
    }
    const QPointF at = canvas->toViewport(canvas->scene()->boxes[item].center());
    return QLineF(at, QRectF(canvas->viewport()->rect()).center()).length();
}

QString shownLemmas(const LemmaPanel* panel) {
    QStringList ids;
    const QAbstractItemModel* model = panel->table()->model();
    for (int row = 0; row < model->rowCount(); ++row) {
        ids << model->index(row, LemmaModel::IdColumn).data().toString();
    }
    return ids.join(u' ');
}

} // namespace

class TestWindow : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void welcomeShowsTargetsExamplesAndNoDocks() {
        WindowFixture fixture;
        QVERIFY(fixture.window->isWelcome());
        for (const QDockWidget* dock : fixture.window->docks()) {
            QVERIFY2(!dock->isVisible(), qPrintable(dock->windowTitle()));
        }
        QPushButton* example = nullptr;
        for (QPushButton* button : fixture.window->welcome()->findChildren<QPushButton*>()) {
            if (button->text() == QStringLiteral("Example: proved")) {
                example = button;
            }
        }
        QVERIFY(example != nullptr);
        QTest::mouseClick(example, Qt::LeftButton);
        QVERIFY(fixture.settle());
        QVERIFY(!fixture.window->isWelcome());
        QCOMPARE(fixture.window->banner()->title(), QStringLiteral("PROVED (exact)"));
        QVERIFY(fixture.window->dock(MainWindow::Dock::Lemmas)->isVisible());
    }

    void opensAPairAndShowsTheVerdict() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        QCOMPARE(fixture.window->banner()->title(), QStringLiteral("REFUTED (value)"));
        const QString text = fixture.window->banner()->text();
        QVERIFY2(text.contains(QStringLiteral("y[0,1] is 1.75, rewritten 0.5")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("2 fail · 1 undecided · 2 hold")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("first failing: L3")), qPrintable(text));
        QVERIFY(fixture.window->windowTitle().contains(QStringLiteral("refuted.rew.json")));
        QCOMPARE(fixture.window->canvas(Side::Reference)->resolvedOverlay().roles.empty(), false);
    }

    void bothSidesOpenWholeAtOneScale() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        const GraphCanvas* left = fixture.window->canvas(Side::Reference);
        const GraphCanvas* right = fixture.window->canvas(Side::Rewritten);
        QVERIFY(left->scene()->bounds.size() != right->scene()->bounds.size());
        QCOMPARE(left->scale(), right->scale());
        for (const GraphCanvas* canvas : {left, right}) {
            QVERIFY(canvas->isFirstView());
            QVERIFY(canvas->visibleArea().adjusted(-1, -1, 1, 1).contains(canvas->scene()->bounds));
        }
        QVERIFY(!fixture.window->currentLemma());
    }

    void theWayToTheFirstLemmaEndsLevel() {
        // Scenes that arrive while both sides still move must not leave one of them elsewhere.
        WindowFixture fixture;
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            fixture.window->canvas(side)->setAnimated(true);
        }
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        QTRY_COMPARE(fixture.window->currentLemma(), std::optional<std::size_t>(2));
        QTest::qWait(2 * GraphCanvas::AnimationMs + 100);
        const auto middle = [&](Side side) {
            const GraphCanvas* canvas = fixture.window->canvas(side);
            return canvas->toViewport(canvas->scene()->boxes[canvas->selectedItem()].center()).y();
        };
        QVERIFY(std::abs(middle(Side::Reference) - middle(Side::Rewritten)) < 1.0);
        const LemmaResult& lemma = fixture.window->session()->session().result->lemmas[2];
        QVERIFY(offCentre(fixture.window->canvas(Side::Reference), lemma.referenceNodes.front()) >= 0.0);
    }

    void aPairThatFailsOpensOnItsFirstFailingLemma() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        QTRY_COMPARE(fixture.window->currentLemma(), std::optional<std::size_t>(2));
        const LemmaResult& lemma = fixture.window->session()->session().result->lemmas[2];
        QVERIFY(offCentre(fixture.window->canvas(Side::Rewritten), lemma.rewrittenNodes.front()) >= 0.0);
        QCOMPARE(fixture.window->canvas(Side::Reference)->scale(), fixture.window->canvas(Side::Rewritten)->scale());
    }

    void aReaderWhoHasLookedElsewhereIsLeftThere() {
        WindowFixture fixture;
        fixture.behaviour->checkMs = 600;
        fixture.open(QStringLiteral("refuted"));
        QTRY_VERIFY(fixture.window->canvas(Side::Reference)->scene() != nullptr);
        QTRY_VERIFY(fixture.window->canvas(Side::Rewritten)->scene() != nullptr);
        fixture.window->canvas(Side::Reference)->zoomBy(1.5);
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.window->session()->state(), PairSession::State::Decided);
        QVERIFY(!fixture.window->currentLemma());
    }

    void bothGraphsAreDrawnAndMarkedWhileTheCheckRuns() {
        WindowFixture fixture;
        fixture.behaviour->checkMs = 60'000;
        fixture.open(QStringLiteral("refuted"));
        QTRY_VERIFY(fixture.window->canvas(Side::Reference)->scene() != nullptr);
        QTRY_VERIFY(fixture.window->canvas(Side::Rewritten)->scene() != nullptr);
        QCOMPARE(fixture.window->session()->state(), PairSession::State::Checking);
        QTRY_VERIFY(fixture.window->session()->correspondence() != nullptr);
        QTRY_VERIFY(!fixture.window->canvas(Side::Rewritten)->overlay().roles.empty());
        QTRY_VERIFY(fixture.window->banner()->title().startsWith(QStringLiteral("CHECKING ")));
        QTRY_VERIFY(fixture.window->banner()->title().endsWith(QStringLiteral(" of 5")));
    }

    void droppedFilesOpen_data() {
        QTest::addColumn<int>("files");
        QTest::newRow("two at once") << 2;
        QTest::newRow("one after the other") << 1;
    }
    void droppedFilesOpen() {
        QFETCH(int, files);
        WindowFixture fixture;
        const QString reference = fixture.file(QStringLiteral("proved.ref.json"));
        const QString rewritten = fixture.file(QStringLiteral("proved.rew.json"));
        if (files == 2) {
            drop(fixture.window.get(), {reference, rewritten});
        } else {
            drop(fixture.window.get(), {reference});
            QVERIFY(fixture.window->isWelcome());
            drop(fixture.window.get(), {rewritten});
        }
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.window->banner()->title(), QStringLiteral("PROVED (exact)"));
        // One more file onto an open pair is a new rewrite of the same reference.
        drop(fixture.window.get(), {fixture.file(QStringLiteral("proved.rew.second.json"))});
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.window->session()->session().reference.filename().string(), std::string("proved.ref.json"));
        QCOMPARE(fixture.window->session()->session().rewritten.filename().string(), std::string("proved.rew.second.json"));
    }

    void dropTargetsOfTheWelcomePageTakeOneFileEach() {
        WindowFixture fixture;
        drop(fixture.window->findChild<DropTarget*>(QStringLiteral("dropRewritten")), {fixture.file(QStringLiteral("proved.rew.json"))});
        QVERIFY(fixture.window->isWelcome());
        drop(fixture.window->findChild<DropTarget*>(QStringLiteral("dropReference")), {fixture.file(QStringLiteral("proved.ref.json"))});
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.window->session()->session().rewritten.filename().string(), std::string("proved.rew.json"));
    }

    void dialogOpensByKeys() {
        WindowFixture fixture;
        const QString reference = fixture.file(QStringLiteral("refuted.ref.json"));
        const QString rewritten = fixture.file(QStringLiteral("refuted.rew.json"));
        bool seen = false;
        QTimer::singleShot(200, this, [&] {
            auto* dialog = qobject_cast<OpenPairDialog*>(QApplication::activeModalWidget());
            if (dialog == nullptr) {
                return;
            }
            seen = true;
            auto* open = dialog->findChild<QPushButton*>(QStringLiteral("openButton"));
            QVERIFY(!open->isEnabled());
            QTest::keyClicks(dialog->findChild<QLineEdit*>(QStringLiteral("referencePath")), rewritten);
            QTest::keyClicks(dialog->findChild<QLineEdit*>(QStringLiteral("rewrittenPath")), reference);
            QVERIFY(open->isEnabled());
            QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("swapButton")), Qt::LeftButton);
            QCOMPARE(dialog->reference(), reference);
            QTest::keyClick(dialog, Qt::Key_Return);
        });
        QTest::keyClick(fixture.window.get(), Qt::Key_O, Qt::ControlModifier);
        QTRY_VERIFY(seen);
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.window->banner()->title(), QStringLiteral("REFUTED (value)"));
    }

    void closingWithALemmaSelectedLeavesNone() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        fixture.window->goToNextFailing(false);
        QVERIFY(fixture.window->currentLemma().has_value());
        fixture.window->session()->close();
        QVERIFY(!fixture.window->currentLemma().has_value());
        QVERIFY(fixture.window->isWelcome());
    }

    void recentPairsKeepTheirVerdict() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        fixture.make();
        auto* list = fixture.window->findChild<QListWidget*>(QStringLiteral("recentPairs"));
        QCOMPARE(list->count(), 2);
        QVERIFY2(list->item(0)->text().contains(QStringLiteral("refuted: value")), qPrintable(list->item(0)->text()));
        QVERIFY2(list->item(1)->text().contains(QStringLiteral("proved: exact")), qPrintable(list->item(1)->text()));
        list->setFocus();
        list->setCurrentRow(1);
        QTest::keyClick(list, Qt::Key_Return);
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.window->banner()->title(), QStringLiteral("PROVED (exact)"));
        // Nothing is written beside the models.
        const QStringList beside = QDir(fixture.folder.path()).entryList(QDir::Files);
        for (const QString& name : beside) {
            QVERIFY2(name.endsWith(QStringLiteral(".json")) && name.contains(QStringLiteral(".re")), qPrintable(name));
        }
    }

    void badFileKeepsTheOpenPair_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("words");
        QTest::newRow("bad data") << "bad.rew.json"
                                  << "attribute 'pads' has 3 values, expected 4";
        QTest::newRow("missing") << "missing.rew.json"
                                 << "no such file";
    }
    void badFileKeepsTheOpenPair() {
        QFETCH(QString, name);
        QFETCH(QString, words);
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        const auto scene = fixture.window->canvas(Side::Reference)->scene();
        fixture.window->openPair(fixture.file(QStringLiteral("proved.ref.json")), fixture.file(name));
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.window->banner()->title(), QStringLiteral("PROVED (exact)"));
        QVERIFY(fixture.window->canvas(Side::Reference)->scene() == scene);
        QCOMPARE(fixture.window->messages()->errorCount(), 1);
        const QString message = fixture.window->messages()->plainText();
        QVERIFY2(message.contains(words) && message.contains(name), qPrintable(message));
        QVERIFY(fixture.window->dock(MainWindow::Dock::Messages)->isVisible());
        QVERIFY(QApplication::activeModalWidget() == nullptr);
    }

    void badFileOnTheWelcomePageIsExplainedThere() {
        WindowFixture fixture;
        fixture.window->openPair(fixture.file(QStringLiteral("bad.ref.json")), fixture.file(QStringLiteral("proved.rew.json")));
        QVERIFY(fixture.settle());
        QVERIFY(fixture.window->isWelcome());
        const auto* trouble = fixture.window->findChild<QLabel*>(QStringLiteral("welcomeTrouble"));
        QVERIFY(trouble->isVisible());
        QVERIFY2(trouble->text().contains(QStringLiteral("bad.ref.json")) && trouble->text().contains(QStringLiteral("expected 4")),
                 qPrintable(trouble->text()));
    }

    void theSideOfABrokenPairIsNamedAndItsMessageCanBeRead() {
        WindowFixture fixture;
        fixture.window->openPair(fixture.file(QStringLiteral("proved.ref.json")), fixture.file(QStringLiteral("bad.rew.json")));
        QVERIFY(fixture.settle());
        const auto* trouble = fixture.window->findChild<QLabel*>(QStringLiteral("welcomeTrouble"));
        QVERIFY2(trouble->text().contains(QStringLiteral("rewritten graph: ")), qPrintable(trouble->text()));
        QVERIFY(!fixture.window->dock(MainWindow::Dock::Messages)->isVisible());
        QTest::keyClick(fixture.window.get(), Qt::Key_6, Qt::ControlModifier);
        QVERIFY(fixture.window->dock(MainWindow::Dock::Messages)->isVisible());
    }

    void nothingToFailOrFocusDisablesTheActions() {
        WindowFixture fixture;
        const auto enabled = [&](const QString& text) {
            for (const QAction* action : fixture.window->actions()) {
                if (action->text().remove(u'&') == text) {
                    return action->isEnabled();
                }
            }
            return false;
        };
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        QVERIFY(!enabled(QStringLiteral("Next Failing Lemma")));
        QVERIFY(!enabled(QStringLiteral("Previous Failing Lemma")));
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        QVERIFY(enabled(QStringLiteral("Next Failing Lemma")));
        QVERIFY(enabled(QStringLiteral("Previous Failing Lemma")));
        QVERIFY(enabled(QStringLiteral("Focus on Difference")));
    }

    void f8GoesRoundTheFailingLemmas() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        MainWindow& window = *fixture.window;
        const CheckResult& result = *window.session()->session().result;
        const auto press = [&](Qt::KeyboardModifiers modifiers) {
            QTest::keyClick(&window, Qt::Key_F8, modifiers);
            return window.currentLemma() ? QString::fromStdString(result.lemmas[*window.currentLemma()].id) : QString();
        };
        QCOMPARE(window.currentLemma(), std::optional<std::size_t>(2)); // L3: where a pair that fails opens
        for (const char* expected : {"L5", "L3"}) {
            QCOMPARE(press(Qt::NoModifier), QString::fromLatin1(expected));
            const LemmaResult& lemma = result.lemmas[*window.currentLemma()];
            QVERIFY(offCentre(window.canvas(Side::Reference), lemma.referenceNodes.front()) < 1.0);
            QVERIFY(offCentre(window.canvas(Side::Rewritten), lemma.rewrittenNodes.front()) < 1.0);
            // All else is dimmed, on both sides.
            for (const Side side : {Side::Reference, Side::Rewritten}) {
                const auto& dimmed = window.canvas(side)->resolvedOverlay().dimmed;
                QVERIFY(std::count(dimmed.begin(), dimmed.end(), std::uint8_t{1}) > 3);
                QVERIFY(std::count(dimmed.begin(), dimmed.end(), std::uint8_t{0}) > 0);
            }
            QCOMPARE(window.lemmaPanel()->selectedLemma(), window.currentLemma());
            QVERIFY(window.query()->text().contains(QStringLiteral("(set-logic")));
        }
        QCOMPARE(press(Qt::ShiftModifier), QStringLiteral("L5"));
        QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(QString::fromStdString(result.lemmas[*window.currentLemma()].id), QStringLiteral("L3"));
        QVERIFY(window.inspector()->text().contains(QStringLiteral("axis")));
        QVERIFY(window.counterexample()->text().contains(QStringLiteral("1.75")));
    }

    void clickingALemmaGoesThere() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        LemmaTreeView* table = fixture.window->lemmaPanel()->table();
        const QModelIndex second = table->model()->index(1, LemmaModel::TitleColumn);
        QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::NoModifier, table->visualRect(second).center());
        QCOMPARE(fixture.window->currentLemma(), std::optional<std::size_t>(4));
    }

    void selectingANodeSelectsItsPartner() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        MainWindow& window = *fixture.window;
        GraphCanvas* left = window.canvas(Side::Reference);
        GraphCanvas* right = window.canvas(Side::Rewritten);
        window.goToLemma(2);
        const FlatNodeId node = left->selectedNode();
        left->setFocus();
        const std::uint32_t item = left->scene()->visibleItem(node);
        QTest::mouseClick(left->viewport(), Qt::LeftButton, Qt::NoModifier, left->toViewport(left->scene()->boxes[item].center()).toPoint());
        QCOMPARE(left->selectedNode(), node);
        const FlatNodeId partner = window.session()->correspondence()->reference[node.index].partner;
        QVERIFY(partner.isValid());
        QCOMPARE(right->selectedNode(), partner);
        QVERIFY(window.inspector()->text().contains(QStringLiteral("Softmax")));
        // Space swaps the focus between partners.
        QTest::keyClick(left, Qt::Key_Space);
        QVERIFY(right->hasFocus());
        QCOMPARE(right->selectedNode(), partner);
        QTest::keyClick(right, Qt::Key_Tab);
        QVERIFY(left->hasFocus());
        // A node without a partner says why on the other side.
        window.selectNode(Side::Reference, FlatNodeId(3U));
        QVERIFY2(right->notice().contains(QStringLiteral("fused into scores_fused")), qPrintable(right->notice()));
    }

    void filterSortAndFold() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        LemmaPanel* panel = fixture.window->lemmaPanel();
        QCOMPARE(shownLemmas(panel), QStringLiteral("L3 L5 L4 L1 L2"));
        panel->table()->sortByColumn(LemmaModel::IdColumn, Qt::DescendingOrder);
        QCOMPARE(shownLemmas(panel), QStringLiteral("L5 L4 L3 L2 L1"));
        panel->table()->sortByColumn(LemmaModel::StatusColumn, Qt::AscendingOrder);
        QTest::keyClick(fixture.window.get(), Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        auto* filter = panel->findChild<QLineEdit*>(QStringLiteral("lemmaFilter"));
        QVERIFY(filter->hasFocus());
        QTest::keyClicks(filter, QStringLiteral("softmax axis"));
        QCOMPARE(shownLemmas(panel), QStringLiteral("L3"));
        // Failing lemmas that the filter hides are still reached.
        QTest::keyClick(fixture.window.get(), Qt::Key_F8);
        QCOMPARE(fixture.window->currentLemma(), std::optional<std::size_t>(4));
        filter->clear();
        auto* verdicts = panel->findChild<QComboBox*>(QStringLiteral("lemmaVerdicts"));
        verdicts->setCurrentIndex(verdicts->findData(static_cast<int>(LemmaFilterModel::Show::Undecided)));
        QCOMPARE(shownLemmas(panel), QStringLiteral("L4"));
        verdicts->setCurrentIndex(0);
        panel->table()->setFocus();
        QTest::keyClick(panel->table(), '!');
        QVERIFY(panel->isProvedFolded());
        QCOMPARE(shownLemmas(panel), QStringLiteral("L3 L5 L4"));
        QTest::keyClick(panel->table(), '!');
        QVERIFY(!panel->isProvedFolded());
    }

    void cancelReturnsAtOnceAndTheWindowStaysLive_data() {
        QTest::addColumn<bool>("deaf");
        QTest::newRow("a check that listens") << false;
        QTest::newRow("a check that does not") << true;
    }
    void cancelReturnsAtOnceAndTheWindowStaysLive() {
        QFETCH(bool, deaf);
        WindowFixture fixture;
        fixture.behaviour->checkMs = deaf ? 2'000 : 60'000;
        fixture.behaviour->deaf = deaf;
        fixture.open(QStringLiteral("refuted"));
        QTRY_COMPARE(fixture.window->session()->state(), PairSession::State::Checking);
        QTRY_VERIFY(fixture.window->canvas(Side::Reference)->scene() != nullptr);
        QTRY_VERIFY(fixture.behaviour->checks > 0);
        QElapsedTimer clock;
        clock.start();
        QTest::keyClick(fixture.window.get(), Qt::Key_Escape);
        QTRY_COMPARE(fixture.window->session()->state(), PairSession::State::Stopped);
        QVERIFY2(clock.elapsed() < 500, qPrintable(QString::number(clock.elapsed())));
        QCOMPARE(fixture.window->banner()->title(), QStringLiteral("STOPPED"));
        QTRY_COMPARE(fixture.window->jobs()->runningCount(), 0);
        // Live: another pair opens while the deaf one is still at it, and the stopped check delivers nothing.
        fixture.behaviour->checkMs = 0;
        clock.restart();
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        QVERIFY2(clock.elapsed() < 1'500, qPrintable(QString::number(clock.elapsed())));
        QTest::qWait(deaf ? 2'200 : 100);
        QCOMPARE(fixture.window->banner()->title(), QStringLiteral("PROVED (exact)"));
    }

    void failingCheckIsAMessage() {
        WindowFixture fixture;
        fixture.behaviour->checkFails = true;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        QCOMPARE(fixture.window->banner()->title(), QStringLiteral("NO VERDICT"));
        QVERIFY(fixture.window->messages()->plainText().contains(QStringLiteral("node 'scores'")));
        QVERIFY(fixture.window->canvas(Side::Reference)->scene() != nullptr);
        fixture.behaviour->checkFails = false;
        QTest::keyClick(fixture.window.get(), Qt::Key_F7, Qt::ShiftModifier);
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.window->banner()->title(), QStringLiteral("REFUTED (value)"));
    }

    void reportsAreWritten() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        const QString folder = fixture.folder.path() + QStringLiteral("/report");
        fixture.window->exportReport(folder, true);
        QVERIFY(fixture.settle());
        QFile report(folder + QStringLiteral("/report.md"));
        QVERIFY(report.open(QIODevice::ReadOnly));
        QCOMPARE(report.readAll(), QByteArray("anonymous\n"));
        QVERIFY(fixture.window->messages()->plainText().contains(QStringLiteral("constants are shared with the model")));
        fixture.behaviour->reportFails = true;
        fixture.window->exportReport(folder, false);
        QVERIFY(fixture.settle());
        QVERIFY(fixture.window->messages()->plainText().contains(QStringLiteral("choose another")));
    }

    void filesThatChangeMakeTheVerdictStale() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        QFile file(fixture.folder.path() + QStringLiteral("/proved.rew.json"));
        QVERIFY(file.open(QIODevice::Append));
        file.write("changed");
        file.close();
        QTRY_VERIFY(fixture.window->session()->isStale());
        QVERIFY2(fixture.window->banner()->title().startsWith(QStringLiteral("STALE: was PROVED (exact)")),
                 qPrintable(fixture.window->banner()->title()));
        QVERIFY(fixture.window->canvas(Side::Reference)->overlay().obsolete);
        QTest::keyClick(fixture.window.get(), Qt::Key_F5);
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.window->banner()->title(), QStringLiteral("PROVED (exact)"));
        QVERIFY(!fixture.window->canvas(Side::Reference)->overlay().obsolete);
    }

    void counterexampleIsCopied() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        fixture.window->counterexample()->copyAsText();
        const QString text = QApplication::clipboard()->text();
        QVERIFY2(text.contains(QStringLiteral("0x3fe00000")) && text.contains(QStringLiteral("≠ first difference")), qPrintable(text));
        fixture.window->counterexample()->copyAsMarkdown();
        QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("| --- |")));
        fixture.window->goToLemma(2);
        fixture.window->query()->copy();
        QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("; L3")));
    }

    void strengthWantedIsAskedAgain() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        QVERIFY(!fixture.window->banner()->text().contains(QStringLiteral("Weaker")));
        const int before = fixture.behaviour->checks;
        Q_EMIT fixture.window->banner()->wantedChosen(Strength::Identical);
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.behaviour->checks.load(), before + 1);
        QVERIFY2(fixture.window->banner()->text().contains(QStringLiteral("Weaker than the strength wanted (identical)")),
                 qPrintable(fixture.window->banner()->text()));
    }

    void focusShowsTheDifferenceAndItsSurroundings() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        const auto shown = [&] { return fixture.window->canvas(Side::Reference)->scene()->hiddenNodes; };
        QCOMPARE(shown(), std::size_t{0});
        fixture.window->goToLemma(2);
        fixture.window->session()->setContextHops(0);
        QTest::keyClick(fixture.window.get(), Qt::Key_D, Qt::ControlModifier);
        QVERIFY(fixture.settle());
        QCOMPARE(shown(), std::size_t{9}); // the pair alone
        fixture.window->canvas(Side::Reference)->setFocus();
        QTest::keyClick(fixture.window->canvas(Side::Reference), Qt::Key_H, Qt::ShiftModifier);
        QVERIFY(fixture.settle());
        QCOMPARE(shown(), std::size_t{7});
        QTest::keyClick(fixture.window->canvas(Side::Reference), Qt::Key_H);
        QVERIFY(fixture.settle());
        QCOMPARE(shown(), std::size_t{9});
    }

    void layoutIsKeptBetweenRuns() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        fixture.window->dock(MainWindow::Dock::Inspector)->hide();
        fixture.make();
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        QVERIFY(!fixture.window->dock(MainWindow::Dock::Inspector)->isVisible());
        QTest::keyClick(fixture.window.get(), Qt::Key_0, Qt::ControlModifier);
        QVERIFY(fixture.window->dock(MainWindow::Dock::Inspector)->isVisible());
    }

    void closingTheWindowStopsWhatRuns() {
        WindowFixture fixture;
        fixture.behaviour->checkMs = 60'000;
        fixture.open(QStringLiteral("refuted"));
        QTRY_VERIFY(fixture.behaviour->checks > 0);
        QElapsedTimer clock;
        clock.start();
        fixture.window->close();
        fixture.window.reset();
        QVERIFY2(clock.elapsed() < 1'000, qPrintable(QString::number(clock.elapsed())));
    }
};

QTEST_MAIN(TestWindow)
#include "tst_window.moc"
