#include "tests/ui/window/window_fixture.h"

#include "ui/panels/palette_popup.h"
#include "ui/window/action_list.h"
#include "ui/window/palette_part.h"

#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QListView>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

PalettePopup* popupOf(const WindowFixture& fixture) { return fixture.window->findChild<PalettePart*>()->popup(); }

QStringList titles(const PalettePopup* popup) {
    QStringList all;
    for (const PaletteEntry& entry : popup->model()->entries()) {
        all += entry.title;
    }
    return all;
}

void press(QWidget* widget, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { QTest::keyClick(widget, key, modifiers); }

} // namespace

class TestWindowPalette : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void goesToANodeByItsName() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        PalettePopup* popup = popupOf(fixture);
        press(fixture.window->canvas(Side::Reference), Qt::Key_G, Qt::ControlModifier);
        QVERIFY(popup->isVisible());
        QTest::keyClicks(popup->edit(), QStringLiteral("sctr")); // letters in order: key_tranSposed has them not
        QTest::keyClick(popup->edit(), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(popup->edit(), QStringLiteral("scores_f"));
        QCOMPARE(titles(popup).value(0), QStringLiteral("FusedMatMul  scores_fused"));
        press(popup->edit(), Qt::Key_Return);
        QVERIFY(!popup->isVisible());
        const MainWindow::Selection selected = fixture.window->selection();
        QCOMPARE(selected.side, Side::Rewritten);
        QCOMPARE(QString::fromStdString(fixture.window->session()->tree(Side::Rewritten)->node(selected.node).name), QStringLiteral("scores_fused"));
        QVERIFY(fixture.window->canvas(Side::Rewritten)->hasFocus());
    }

    void namesAreRankedAndTheLatestStandFirst() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        PalettePopup* popup = popupOf(fixture);
        press(fixture.window.get(), Qt::Key_G, Qt::ControlModifier);
        QTest::keyClicks(popup->edit(), QStringLiteral("key"));
        const QStringList first = titles(popup);
        QCOMPARE(first.value(0), QStringLiteral("MatMul  key"));
        QVERIFY(first.contains(QStringLiteral("Transpose  key_transposed")));
        QVERIFY(first.contains(QStringLiteral("constant  w_key")));
        press(popup->edit(), Qt::Key_Escape);
        press(fixture.window.get(), Qt::Key_G, Qt::ControlModifier);
        QTest::keyClicks(popup->edit(), QStringLiteral("w_key"));
        press(popup->edit(), Qt::Key_Return);
        press(fixture.window.get(), Qt::Key_G, Qt::ControlModifier);
        QCOMPARE(titles(popup).value(0), QStringLiteral("constant  w_key"));
    }

    void everyActOfTheMenusIsInThePalette() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        PalettePopup* popup = popupOf(fixture);
        press(fixture.window.get(), Qt::Key_K, Qt::ControlModifier);
        QVERIFY(popup->isVisible());
        const QStringList shown = titles(popup);
        const auto actions = listedActions(*fixture.window);
        QVERIFY(actions.size() > 40);
        for (const ListedAction& action : actions) {
            QVERIFY2(shown.contains(action.id()), qPrintable(action.id()));
        }
        // With their keys.
        const auto& entries = popup->model()->entries();
        const auto fit =
            std::find_if(entries.begin(), entries.end(), [](const PaletteEntry& entry) { return entry.title.endsWith(QStringLiteral("Reload")); });
        QVERIFY(fit != entries.end());
        QCOMPARE(fit->detail, QStringLiteral("F5"));
    }

    void actsOnReturnAndRemembers() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        PalettePopup* popup = popupOf(fixture);
        press(fixture.window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(popup->isVisible());
        QTest::keyClicks(popup->edit(), QStringLiteral("focus dif"));
        press(popup->edit(), Qt::Key_Return);
        QVERIFY(!popup->isVisible());
        QVERIFY(fixture.window->session()->sceneOptions().focusOnDifference);
        QVERIFY(fixture.settle());
        // The next window knows it, too.
        fixture.make();
        popup = popupOf(fixture);
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        press(fixture.window.get(), Qt::Key_K, Qt::ControlModifier);
        QCOMPARE(titles(popup).value(0), QStringLiteral("View > Focus on Difference"));
    }

    void goesToALemma() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        PalettePopup* popup = popupOf(fixture);
        press(fixture.window.get(), Qt::Key_K, Qt::ControlModifier);
        QTest::keyClicks(popup->edit(), QStringLiteral("L5"));
        QCOMPARE(titles(popup).value(0), QStringLiteral("L5  Relu y = Relu y"));
        press(popup->edit(), Qt::Key_Return);
        QCOMPARE(fixture.window->currentLemma(), std::optional<std::size_t>(4));
    }

    void arrowsChooseAndAClickActs() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        PalettePopup* popup = popupOf(fixture);
        press(fixture.window.get(), Qt::Key_G, Qt::ControlModifier);
        QTest::keyClicks(popup->edit(), QStringLiteral("weights"));
        QCOMPARE(popup->model()->rowCount(), 2);
        press(popup->edit(), Qt::Key_Down);
        QCOMPARE(popup->currentRow(), 1);
        press(popup->edit(), Qt::Key_Down);
        QCOMPARE(popup->currentRow(), 0);
        auto* list = popup->findChild<QListView*>();
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(popup->model()->index(1)).center());
        QVERIFY(!popup->isVisible());
        QCOMPARE(fixture.window->selection().side, Side::Rewritten);
    }

    void escGivesTheFocusBackAndWhatCannotBeDoneStays() {
        WindowFixture fixture;
        PalettePopup* popup = popupOf(fixture);
        press(fixture.window.get(), Qt::Key_K, Qt::ControlModifier);
        QTest::keyClicks(popup->edit(), QStringLiteral("lemmas > accept this"));
        QVERIFY(!popup->model()->entries().empty());
        QVERIFY(!popup->model()->entries().front().enabled);
        press(popup->edit(), Qt::Key_Return);
        QVERIFY(popup->isVisible());
        press(popup->edit(), Qt::Key_Escape);
        QVERIFY(!popup->isVisible());
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        fixture.window->canvas(Side::Rewritten)->setFocus();
        press(fixture.window->canvas(Side::Rewritten), Qt::Key_K, Qt::ControlModifier);
        QTest::keyClicks(popup->edit(), QStringLiteral("no such thing anywhere"));
        QCOMPARE(popup->model()->rowCount(), 0);
        press(popup->edit(), Qt::Key_Escape);
        QVERIFY(fixture.window->canvas(Side::Rewritten)->hasFocus());
    }
};

QTEST_MAIN(TestWindowPalette)
#include "tst_window_palette.moc"
