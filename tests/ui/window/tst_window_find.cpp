#include "tests/ui/window/window_fixture.h"

#include "ui/panels/find_bar.h"
#include "ui/window/find_part.h"
#include "ui/window/reason_part.h"

#include <QApplication>
#include <QLabel>
#include <QLineEdit>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

void type(const QString& text) { QTest::keyClicks(QApplication::focusWidget(), text); }

QString selectedName(const WindowFixture& fixture) {
    const MainWindow::Selection selected = fixture.window->selection();
    if (selected.node.isValid()) {
        return QString::fromStdString(fixture.window->session()->tree(selected.side)->node(selected.node).name) +
               (selected.side == Side::Reference ? QStringLiteral(" <") : QStringLiteral(" >"));
    }
    return selected.value.isValid() ? QString::fromStdString(fixture.window->session()->tree(selected.side)->value(selected.value).name) : QString();
}

std::size_t marked(const GraphCanvas* canvas) {
    const auto& hits = canvas->resolvedOverlay().hits;
    return static_cast<std::size_t>(std::count_if(hits.begin(), hits.end(), [](std::uint8_t hit) { return hit != 0; }));
}

} // namespace

class TestWindowFind : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void findsInBothGraphsAndStepsFromHitToHit() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        auto* find = fixture.window->findChild<FindPart*>();
        QVERIFY(find != nullptr && !find->isOpen());
        QTest::keyClick(fixture.window->canvas(Side::Reference), Qt::Key_F, Qt::ControlModifier);
        QVERIFY(find->isOpen());
        QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(find->bar()->edit()));
        type(QStringLiteral("op=matmul"));
        QCOMPARE(find->bar()->answer(), QStringLiteral("9 found (5 left, 4 right)"));
        QCOMPARE(marked(fixture.window->canvas(Side::Reference)), std::size_t{5});
        QCOMPARE(marked(fixture.window->canvas(Side::Rewritten)), std::size_t{4});
        // Enter and F3 go on, Shift with either goes back, round the ends.
        QTest::keyClick(find->bar()->edit(), Qt::Key_Return);
        QCOMPARE(selectedName(fixture), QStringLiteral("query <"));
        QVERIFY2(find->bar()->answer().startsWith(QStringLiteral("1 of 9")), qPrintable(find->bar()->answer()));
        QTest::keyClick(fixture.window.get(), Qt::Key_F3);
        QCOMPARE(selectedName(fixture), QStringLiteral("key <"));
        QTest::keyClick(find->bar()->edit(), Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClick(fixture.window.get(), Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(selectedName(fixture), QStringLiteral("mixed >"));
        QVERIFY2(find->bar()->answer().startsWith(QStringLiteral("9 of 9")), qPrintable(find->bar()->answer()));
        const auto& hits = fixture.window->canvas(Side::Rewritten)->resolvedOverlay().hits;
        QCOMPARE(std::count(hits.begin(), hits.end(), std::uint8_t{2}), std::ptrdiff_t{1});
        // Esc closes; the marks go with it, and come back with the query.
        QTest::keyClick(find->bar()->edit(), Qt::Key_Escape);
        QVERIFY(!find->isOpen());
        QCOMPARE(marked(fixture.window->canvas(Side::Reference)), std::size_t{0});
        QVERIFY(qobject_cast<GraphCanvas*>(QApplication::focusWidget()) != nullptr);
        QTest::keyClick(fixture.window.get(), Qt::Key_F3);
        QVERIFY(find->isOpen());
        QCOMPARE(marked(fixture.window->canvas(Side::Reference)), std::size_t{5});
        fixture.window->canvas(Side::Reference)->setFocus();
        QTest::keyClick(fixture.window->canvas(Side::Reference), Qt::Key_Escape);
        QVERIFY(!find->isOpen());
    }

    void saysWhatIsWrongWithAQuery() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        auto* find = fixture.window->findChild<FindPart*>();
        find->open();
        type(QStringLiteral("colour:red"));
        QVERIFY2(find->bar()->answer().contains(QStringLiteral("no field 'colour'")), qPrintable(find->bar()->answer()));
        QVERIFY(find->bar()->answer().startsWith(u'\u2717'));
        QVERIFY(find->bar()->edit()->accessibleDescription().contains(QStringLiteral("no field")));
        find->bar()->edit()->clear();
        type(QStringLiteral("nothing_has_this_name"));
        QCOMPARE(find->bar()->answer(), QStringLiteral("not found"));
    }

    void findsInputsAndConstantsToo() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        auto* find = fixture.window->findChild<FindPart*>();
        find->open();
        type(QStringLiteral("w_key"));
        QTest::keyClick(find->bar()->edit(), Qt::Key_Return);
        QCOMPARE(selectedName(fixture), QStringLiteral("w_key"));
        QVERIFY2(find->bar()->answer().startsWith(QStringLiteral("1 of 2")), qPrintable(find->bar()->answer()));
        QVERIFY(fixture.window->canvas(Side::Reference)->selectedValue().isValid());
    }

    void marksFollowTheVerdictsOfARunningCheck() {
        WindowFixture fixture;
        auto* find = fixture.window->findChild<FindPart*>();
        fixture.behaviour->checkMs = 300;
        fixture.open(QStringLiteral("refuted"));
        QTRY_VERIFY(fixture.window->canvas(Side::Reference)->scene() != nullptr);
        find->open();
        type(QStringLiteral("mark:failing"));
        QVERIFY(fixture.settle());
        QTRY_VERIFY2(find->bar()->answer().contains(QStringLiteral("(2 left, 2 right)")), qPrintable(find->bar()->answer()));
    }

    void aHitOutsideTheRegionShownIsSaidToBe() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        fixture.window->session()->setContextHops(0);
        fixture.window->setFocusOnDifference(true);
        QVERIFY(fixture.settle());
        auto* find = fixture.window->findChild<FindPart*>();
        find->open();
        type(QStringLiteral("name=query side:ref"));
        QTest::keyClick(find->bar()->edit(), Qt::Key_Return);
        QVERIFY2(find->bar()->answer().contains(QStringLiteral("outside the region shown")), qPrintable(find->bar()->answer()));
    }

    void aNodeWithoutAPartnerLinksToWhereItWent() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        auto* find = fixture.window->findChild<FindPart*>();
        QLabel* line = fixture.window->findChild<ReasonPart*>()->line(Side::Rewritten);
        QVERIFY(!line->isVisible());
        find->open();
        type(QStringLiteral("name=key_transposed"));
        QTest::keyClick(find->bar()->edit(), Qt::Key_Return);
        QVERIFY(fixture.window->canvas(Side::Rewritten)->notice().contains(QStringLiteral("fused into scores_fused")));
        QVERIFY(line->isVisible());
        QVERIFY(line->text().contains(QStringLiteral("FusedMatMul scores_fused")));
        line->setFocus();
        QTest::keyClick(line, Qt::Key_Tab); // to the link
        line->setFocus(Qt::TabFocusReason);
        QTest::keyClick(line, Qt::Key_Return);
        QCOMPARE(selectedName(fixture), QStringLiteral("scores_fused >"));
        QVERIFY(!line->isVisible());
    }

    void closesWithThePair() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        auto* find = fixture.window->findChild<FindPart*>();
        find->open();
        type(QStringLiteral("x"));
        fixture.window->session()->close();
        QVERIFY(!find->isOpen());
        QVERIFY(find->hits().empty());
    }
};

QTEST_MAIN(TestWindowFind)
#include "tst_window_find.moc"
