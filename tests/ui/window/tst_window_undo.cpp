#include "tests/ui/window/window_fixture.h"

#include "ui/panels/lemma_panel.h"
#include "ui/views/fact_table_view.h"
#include "ui/window/hidden_part.h"
#include "ui/window/play_part.h"
#include "ui/window/view_history_part.h"

#include <QAction>
#include <QLineEdit>
#include <QToolButton>
#include <QUndoStack>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

constexpr Qt::KeyboardModifiers CtrlShift = Qt::ControlModifier | Qt::ShiftModifier;

ViewHistoryPart* partOf(const WindowFixture& fixture) { return fixture.window->findChild<ViewHistoryPart*>(); }

void press(const WindowFixture& fixture, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(fixture.window->canvas(Side::Reference), key, modifiers);
    QCoreApplication::processEvents();
}

QAction* actionNamed(const WindowFixture& fixture, const QString& text) {
    for (QAction* action : fixture.window->findChildren<QAction*>()) {
        if (action->text() == text) {
            return action;
        }
    }
    return nullptr;
}

} // namespace

class TestWindowUndo : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void undoesAndRedoesWhatChangedTheView() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        fixture.window->canvas(Side::Reference)->setFocus();
        const PairSession* session = fixture.window->session();
        QVERIFY(!partOf(fixture)->stack()->canUndo());
        press(fixture, Qt::Key_D, Qt::ControlModifier); // focus on the difference
        press(fixture, Qt::Key_H, Qt::ShiftModifier);   // more context
        press(fixture, Qt::Key_H, Qt::ShiftModifier);
        press(fixture, Qt::Key_Exclam); // fold what is proved
        QVERIFY(session->sceneOptions().focusOnDifference);
        QCOMPARE(session->sceneOptions().contextHops, 4);
        QVERIFY(fixture.window->lemmaPanel()->isProvedFolded());
        QCOMPARE(partOf(fixture)->stack()->count(), 4);
        press(fixture, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(!fixture.window->lemmaPanel()->isProvedFolded());
        press(fixture, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(session->sceneOptions().contextHops, 3);
        press(fixture, Qt::Key_Z, Qt::ControlModifier);
        press(fixture, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(!session->sceneOptions().focusOnDifference);
        QVERIFY(!actionNamed(fixture, QStringLiteral("Focus on &Difference"))->isChecked());
        QVERIFY(!partOf(fixture)->stack()->canUndo());
        press(fixture, Qt::Key_Z, CtrlShift);
        press(fixture, Qt::Key_Y, Qt::ControlModifier);
        QVERIFY(session->sceneOptions().focusOnDifference);
        QCOMPARE(session->sceneOptions().contextHops, 3);
        QVERIFY(fixture.settle());
    }

    void oneActThatChangesTwoThingsIsOneStep() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        fixture.window->canvas(Side::Reference)->setFocus();
        press(fixture, Qt::Key_H, Qt::ShiftModifier); // more context, which means the focus as well
        QCOMPARE(partOf(fixture)->stack()->count(), 1);
        press(fixture, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(!fixture.window->session()->sceneOptions().focusOnDifference);
        QCOMPARE(fixture.window->session()->sceneOptions().contextHops, 2);
    }

    void edgeLabelsComeBack() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        actionNamed(fixture, QStringLiteral("N&ames"))->trigger();
        QCoreApplication::processEvents();
        QCOMPARE(fixture.window->canvas(Side::Rewritten)->edgeLabels(), EdgeLabels::Names);
        fixture.window->canvas(Side::Reference)->setFocus();
        press(fixture, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(fixture.window->canvas(Side::Rewritten)->edgeLabels(), EdgeLabels::Types);
        QVERIFY(actionNamed(fixture, QStringLiteral("&Types"))->isChecked());
    }

    void acceptingIsUndoneLikeTheRest() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        fixture.window->canvas(Side::Reference)->setFocus();
        press(fixture, Qt::Key_D, Qt::ControlModifier);
        fixture.window->session()->accept({"p", "p"});
        QVERIFY(fixture.settle());
        press(fixture, Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(partOf(fixture)->stack()->count(), 3);
        press(fixture, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(fixture.window->session()->accepted().size(), std::size_t{1});
        press(fixture, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(fixture.window->session()->accepted().size(), std::size_t{0});
        QVERIFY(fixture.window->session()->sceneOptions().focusOnDifference);
        QVERIFY(fixture.settle());
        press(fixture, Qt::Key_Z, CtrlShift);
        QCOMPARE(fixture.window->session()->accepted().size(), std::size_t{1});
        QVERIFY(fixture.settle());
    }

    void takingBackFromTheListIsTheSameAsUndoing() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        fixture.window->session()->accept({"p", "p"});
        QVERIFY(fixture.settle());
        QCOMPARE(partOf(fixture)->stack()->count(), 1);
        fixture.window->session()->takeBack(0);
        QVERIFY(fixture.settle());
        QCoreApplication::processEvents();
        QVERIFY(!partOf(fixture)->stack()->canUndo());
    }

    void theBadgeCountsWhatIsHiddenAndShowsIt() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        auto* part = fixture.window->findChild<HiddenPart*>();
        QVERIFY(!part->badge()->isVisible());
        fixture.window->canvas(Side::Reference)->setFocus();
        fixture.window->session()->setContextHops(0);
        press(fixture, Qt::Key_D, Qt::ControlModifier);
        press(fixture, Qt::Key_Exclam);
        QVERIFY(fixture.settle());
        QVERIFY(part->badge()->isVisible());
        QVERIFY2(part->badge()->toolTip().contains(QStringLiteral("outside the focus (context 0)")), qPrintable(part->badge()->toolTip()));
        QVERIFY2(part->badge()->toolTip().contains(QStringLiteral("proved lemmas folded: 2")), qPrintable(part->badge()->toolTip()));
        QTest::mouseClick(part->badge(), Qt::LeftButton);
        QVERIFY(fixture.settle());
        QVERIFY(!part->badge()->isVisible());
        QVERIFY(!fixture.window->session()->sceneOptions().focusOnDifference);
        QVERIFY(!fixture.window->lemmaPanel()->isProvedFolded());
        press(fixture, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(fixture.settle());
        QVERIFY(part->badge()->isVisible());
    }

    void playGoesAlongTheValuesUntilItIsStopped() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        auto* part = fixture.window->findChild<PlayPart*>();
        part->setInterval(30);
        auto* table = fixture.window->findChild<FactTableView*>(QStringLiteral("pathTable"));
        GraphCanvas* canvas = fixture.window->canvas(Side::Reference);
        canvas->setFocus();
        press(fixture, Qt::Key_P);
        QVERIFY(part->isPlaying());
        QCOMPARE(table->currentIndex().row(), 0);
        const std::uint32_t first = canvas->selectedItem();
        QTRY_VERIFY(table->currentIndex().row() >= 2);
        QVERIFY(canvas->selectedItem() != first); // the canvases follow
        QTest::keyClick(canvas, Qt::Key_Space);
        QVERIFY(!part->isPlaying());
        const int at = table->currentIndex().row();
        press(fixture, Qt::Key_P);
        QVERIFY(table->currentIndex().row() > at || at + 1 == table->model()->rowCount());
        QTRY_VERIFY(!part->isPlaying());
        QCOMPARE(table->currentIndex().row(), table->model()->rowCount() - 1);
        // The first difference is told with both values on both sides.
        QStringList firsts;
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            for (const ValueChip& chip : fixture.window->canvas(side)->overlay().chips) {
                firsts += chip.firstDifference ? chip.text : QString();
            }
        }
        firsts.removeAll(QString());
        QCOMPARE(firsts.size(), 2);
        QVERIFY2(firsts[0].contains(QStringLiteral("there")) && firsts[0].contains(QStringLiteral("ulp")), qPrintable(firsts[0]));
    }

    void aLineThatIsTypedInUndoesItsOwnText() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        fixture.window->setFocusOnDifference(true);
        QVERIFY(fixture.settle());
        auto* filter = fixture.window->findChild<QLineEdit*>(QStringLiteral("lemmaFilter"));
        filter->setFocus();
        QTest::keyClicks(filter, QStringLiteral("abc"));
        QTest::keyClick(filter, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(filter->text() != QStringLiteral("abc"));
        QVERIFY(fixture.window->session()->sceneOptions().focusOnDifference);
    }

    void anotherPairStartsAnew() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        fixture.window->setFocusOnDifference(true);
        QVERIFY(fixture.settle());
        QVERIFY(partOf(fixture)->stack()->canUndo());
        fixture.window->session()->reload();
        QVERIFY(fixture.settle());
        QVERIFY(partOf(fixture)->stack()->canUndo());
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        QVERIFY(!partOf(fixture)->stack()->canUndo());
    }

    void backComesToTheViewThatWasLeft() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        QTRY_COMPARE(fixture.window->currentLemma(), std::optional<std::size_t>(2));
        GraphCanvas* canvas = fixture.window->canvas(Side::Reference);
        canvas->setFocus();
        QVERIFY(!actionNamed(fixture, QStringLiteral("&Back"))->isEnabled());
        // Look elsewhere while at the lemma, then choose a constant and a node.
        canvas->zoomBy(1.7);
        canvas->panTo(canvas->viewCentre() + QPointF(31.0, -47.0));
        const QPointF centre = canvas->viewCentre();
        const double scale = canvas->scale();
        const FlatValueId value(fixture.window->session()->tree(Side::Reference)->top().findValue("w_key").index);
        canvas->chooseItem(canvas->scene()->itemOfValue[value.index]);
        QCOMPARE(fixture.window->selection().value, value);
        fixture.window->goToNode(Side::Rewritten, FlatNodeId(std::size_t{0}));
        canvas->zoomBy(0.5);
        press(fixture, Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(fixture.window->selection().value, value);
        QCOMPARE(canvas->selectedValue(), value);
        press(fixture, Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(fixture.window->currentLemma(), std::optional<std::size_t>(2));
        QCOMPARE(canvas->viewCentre(), centre);
        QCOMPARE(canvas->scale(), scale);
        press(fixture, Qt::Key_Right, Qt::AltModifier);
        press(fixture, Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(fixture.window->selection().node, FlatNodeId(std::size_t{0}));
        QVERIFY(!actionNamed(fixture, QStringLiteral("&Forward"))->isEnabled());
    }

    void historyKeepsTheLatest200() {
        PlaceHistory history;
        for (std::size_t i = 0; i < 1'000; ++i) {
            history.add({std::nullopt, Side::Reference, FlatNodeId(i), {}, {}}, {});
            history.add({std::nullopt, Side::Reference, FlatNodeId(i), {}, {}}, {}); // the same again is no step
        }
        int back = 0;
        while (const auto place = history.travel(-1, {})) {
            ++back;
            QCOMPARE(place->node.index, 999U - static_cast<unsigned>(back));
        }
        QCOMPARE(back, 199);
    }
};

QTEST_MAIN(TestWindowUndo)
#include "tst_window_undo.moc"
