#include "tests/ui/window/window_fixture.h"

#include "ui/panels/find_bar.h"
#include "ui/panels/graph_table_panel.h"
#include "ui/window/find_part.h"
#include "ui/window/graph_table_part.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QHeaderView>
#include <QLineEdit>
#include <QToolButton>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

GraphTablePart* partOf(const WindowFixture& fixture) { return fixture.window->findChild<GraphTablePart*>(); }

QString cell(const GraphTablePanel* panel, int row, int column) { return panel->model()->index(row, column).data().toString(); }

int rowNamed(const GraphTablePanel* panel, const QString& side, const QString& name) {
    for (int row = 0; row < panel->model()->rowCount(); ++row) {
        if (cell(panel, row, GraphRows::Side) == side && cell(panel, row, GraphRows::Name) == name) {
            return row;
        }
    }
    return -1;
}

FlatNodeId nodeNamed(const WindowFixture& fixture, Side side, const std::string& name) {
    const GraphTree& tree = *fixture.window->session()->tree(side);
    for (std::size_t i = 0; i < tree.nodeCount(); ++i) {
        if (tree.node(FlatNodeId(i)).name == name) {
            return FlatNodeId(i);
        }
    }
    return {};
}

} // namespace

class TestWindowTable : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void saysInWordsWhatTheGraphsShow() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        GraphTablePart* part = partOf(fixture);
        const QAbstractItemModelTester tester(part->panel()->model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
        // Ctrl+9 is its key: the ninth dock.
        QTest::keyClick(fixture.window.get(), Qt::Key_9, Qt::ControlModifier);
        QTRY_COMPARE(part->panel()->model()->rowCount(), 10 + 8 + 12 - 1);
        const GraphTablePanel* panel = part->panel();
        const int weights = rowNamed(panel, QStringLiteral("rewritten"), QStringLiteral("weights"));
        QVERIFY(weights >= 0);
        QCOMPARE(cell(panel, weights, GraphRows::Op), QStringLiteral("Softmax"));
        QCOMPARE(cell(panel, weights, GraphRows::Type), QStringLiteral("f32[2,2]"));
        QCOMPARE(cell(panel, weights, GraphRows::Mark), QStringLiteral("\u2717 failing pair"));
        QCOMPARE(cell(panel, weights, GraphRows::Partner), QStringLiteral("weights: axis is -1 here and 0 there"));
        QCOMPARE(cell(panel, weights, GraphRows::Inputs), QStringLiteral("m"));
        QCOMPARE(cell(panel, weights, GraphRows::Outputs), QStringLiteral("p"));
        const int lone = rowNamed(panel, QStringLiteral("reference"), QStringLiteral("key_transposed"));
        QCOMPARE(cell(panel, lone, GraphRows::Partner), QStringLiteral("no partner: fused into scores_fused"));
        QCOMPARE(cell(panel, rowNamed(panel, QStringLiteral("reference"), QStringLiteral("weights")), GraphRows::Lemma), QStringLiteral("L3"));
        QCOMPARE(cell(panel, rowNamed(panel, QStringLiteral("reference"), QStringLiteral("w_key")), GraphRows::Op), QStringLiteral("constant"));
    }

    void filtersByTheQueriesOfFind() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        GraphTablePart* part = partOf(fixture);
        fixture.window->showDock(part->dock(), true);
        QTest::keyClicks(part->panel()->filter(), QStringLiteral("mark:failing side:ref"));
        QCOMPARE(part->panel()->model()->rowCount(), 2);
        QCOMPARE(part->panel()->answer(), QStringLiteral("2 of 29 rows"));
        part->panel()->filter()->setText(QStringLiteral("mark:failing side:ref colour:red"));
        QVERIFY2(part->panel()->answer().contains(QStringLiteral("no field 'colour'")), qPrintable(part->panel()->answer()));
        QCOMPARE(part->panel()->model()->rowCount(), 2);
    }

    void sortsByAnyColumn() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        GraphTablePart* part = partOf(fixture);
        fixture.window->showDock(part->dock(), true);
        GraphTableView* table = part->panel()->table();
        for (int column = 0; column < GraphRows::ColumnCount; ++column) {
            table->sortByColumn(column, Qt::DescendingOrder);
            QCOMPARE(part->panel()->model()->rowCount(), 29);
            table->sortByColumn(column, Qt::AscendingOrder);
            QCOMPARE(part->panel()->model()->rowCount(), 29);
        }
        table->sortByColumn(GraphRows::Mark, Qt::AscendingOrder);
        for (int row = 0; row < 4; ++row) {
            QCOMPARE(cell(part->panel(), row, GraphRows::Mark), QStringLiteral("\u2717 failing pair"));
        }
        table->sortByColumn(GraphRows::Name, Qt::AscendingOrder);
        QCOMPARE(cell(part->panel(), 0, GraphRows::Name), QStringLiteral("activated"));
        table->sortByColumn(GraphRows::Name, Qt::DescendingOrder);
        QCOMPARE(cell(part->panel(), 0, GraphRows::Name), QStringLiteral("x"));
    }

    void selectionIsOneWithTheCanvases() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        GraphTablePart* part = partOf(fixture);
        fixture.window->showDock(part->dock(), true);
        GraphTablePanel* panel = part->panel();
        fixture.window->selectNode(Side::Rewritten, nodeNamed(fixture, Side::Rewritten, "mixed"));
        QCOMPARE(panel->table()->currentIndex().row(), rowNamed(panel, QStringLiteral("rewritten"), QStringLiteral("mixed")));
        QVERIFY(panel->table()->selectionModel()->isRowSelected(panel->table()->currentIndex().row()));
        const int row = rowNamed(panel, QStringLiteral("reference"), QStringLiteral("scores"));
        panel->table()->scrollTo(panel->model()->index(row, 0));
        QTest::mouseClick(panel->table()->viewport(), Qt::LeftButton, {}, panel->table()->visualRect(panel->model()->index(row, 1)).center());
        QCOMPARE(fixture.window->selection().node, nodeNamed(fixture, Side::Reference, "scores"));
        QCOMPARE(fixture.window->canvas(Side::Reference)->selectedNode(), nodeNamed(fixture, Side::Reference, "scores"));
        // By keys as well, on to constants.
        QTest::keyClick(panel->table(), Qt::Key_Up);
        QCOMPARE(fixture.window->selection().node, nodeNamed(fixture, Side::Reference, "key_transposed"));
        for (int above = panel->table()->currentIndex().row(); above > 0; --above) {
            QTest::keyClick(panel->table(), Qt::Key_Up);
        }
        QVERIFY(fixture.window->selection().value.isValid());
        // Another order keeps it.
        panel->table()->sortByColumn(GraphRows::Name, Qt::DescendingOrder);
        QCOMPARE(cell(panel, panel->table()->currentIndex().row(), GraphRows::Name), QStringLiteral("x"));
        fixture.window->goToLemma(2);
        QVERIFY(panel->table()->selectionModel()->selectedRows().isEmpty());
    }

    void copiesRows() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        GraphTablePart* part = partOf(fixture);
        QVERIFY(fixture.window->currentLemma());
        part->show(QStringLiteral("op:softmax"));
        QVERIFY(part->panel()->table()->hasFocus());
        QVERIFY(fixture.window->currentLemma()); // looking is not choosing
        QTest::keyClick(part->panel()->table(), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(part->panel()->table(), Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 3);
        QCOMPARE(lines[0], GraphRows::headers().join(u'\t'));
        QVERIFY2(lines[1].startsWith(QStringLiteral("reference\tweights\tSoftmax\tf32[2,2]\t\u2717 failing pair\tweights: axis")),
                 qPrintable(lines[1]));
        const QList<QAction*> actions = part->panel()->table()->actions();
        QCOMPARE(actions.size(), 3);
        actions[1]->trigger();
        QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("| Side | Name |")));
        actions[0]->trigger();
        QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("rewritten  weights")));
    }

    void theFindBarListsItsHitsThere() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        auto* find = fixture.window->findChild<FindPart*>();
        find->open();
        QTest::keyClicks(find->bar()->edit(), QStringLiteral("op:softmax"));
        QToolButton* list = nullptr;
        for (QToolButton* button : find->bar()->findChildren<QToolButton*>()) {
            list = button->accessibleName() == QStringLiteral("List") ? button : list;
        }
        QVERIFY(list != nullptr);
        QTest::mouseClick(list, Qt::LeftButton);
        QVERIFY(partOf(fixture)->dock()->isVisible());
        QTRY_COMPARE(partOf(fixture)->panel()->model()->rowCount(), 2);
    }
};

QTEST_MAIN(TestWindowTable)
#include "tst_window_table.moc"
