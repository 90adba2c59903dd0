// Reading values: from the canvas, the path and the inspector to the elements, by clicks and keys.

#include "core/format/npy/npy.h"
#include "tests/ui/window/window_fixture.h"
#include "ui/models/message_model.h"
#include "ui/models/tensor_table_model.h"
#include "ui/panels/counterexample_panel.h"
#include "ui/panels/heat_map_view.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/values_panel.h"
#include "ui/views/fact_table_view.h"
#include "ui/window/values_part.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QMenu>
#include <QSpinBox>
#include <QStatusBar>
#include <QTableView>
#include <QToolButton>

#include <cstring>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

FlatNodeId nodeNamed(const GraphTree& tree, const QString& name) {
    for (std::uint32_t i = 0; i < tree.nodeCount(); ++i) {
        if (tree.node(FlatNodeId(i)).name == name.toStdString()) {
            return FlatNodeId(i);
        }
    }
    return {};
}

FlatValueId valueNamed(const GraphTree& tree, const QString& name) { return FlatValueId(tree.top().findValue(name.toStdString()).index); }

Tensor grid(ElementType type, std::vector<std::int64_t> shape) {
    Tensor tensor(type, std::move(shape));
    const auto out = tensor.mutableAs<float>();
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<float>(i % 97);
    }
    return tensor;
}

} // namespace

class TestWindowValues : public QObject {
    Q_OBJECT

    static ValuesPart* partOf(const WindowFixture& fixture) { return fixture.window->findChild<ValuesPart*>(); }
    static bool settle(ValuesPanel* panel) {
        return QTest::qWaitFor([panel] { return panel->isIdle(); }, 20'000);
    }
    static QString cell(const ValuesPanel* panel, int row, int column) { return panel->model()->index(row, column).data().toString(); }
    template <typename T>
    static T* child(QWidget* parent, const char* name) {
        return parent->findChild<T*>(QString::fromLatin1(name));
    }

  private Q_SLOTS:
    void aKeyShowsTheValuesOfTheSelectedNode() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        ValuesPanel* panel = partOf(fixture)->panel();
        const FlatNodeId softmax = nodeNamed(*fixture.window->session()->tree(Side::Reference), QStringLiteral("weights"));
        fixture.window->selectNode(Side::Reference, softmax);
        fixture.window->canvas(Side::Reference)->setFocus();
        QTest::keyClick(fixture.window->canvas(Side::Reference), Qt::Key_V);
        QVERIFY(partOf(fixture)->dock()->isVisible());
        QVERIFY(panel->table()->hasFocus());
        QVERIFY(settle(panel));
        QCOMPARE(panel->table()->model()->rowCount(), 2);
        QCOMPARE(cell(panel, 0, 1), QStringLiteral("0.375 \u2260 0.5"));
        QCOMPARE(cell(panel, 0, 0), QStringLiteral("0.625"));
        const QString sentence = panel->sentence();
        for (const char* part :
             {"result 0: p", "f32[2,2]", "2 of 4 elements differ, first at [0,1]", "ulp", "Reference: 4 elements, min 0.375 at [0,1]"}) {
            QVERIFY2(sentence.contains(QString::fromLatin1(part)), qPrintable(sentence));
        }
        // The operands are a choice away.
        auto* choice = child<QComboBox>(panel, "valueChoice");
        QVERIFY(choice->findText(QStringLiteral("operand 0: m")) >= 0);
        QVERIFY(choice->findText(QStringLiteral("output y")) >= 0);
        choice->setFocus();
        QTest::keyClick(choice, Qt::Key_Down);
        QVERIFY(settle(panel));
        QVERIFY2(panel->sentence().startsWith(QStringLiteral("operand 0: m")), qPrintable(panel->sentence()));
        QVERIFY(panel->sentence().contains(QStringLiteral("all 4 elements are equal")));
    }

    void storedConstantsNeedNoRun() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        ValuesPart* part = partOf(fixture);
        part->showDock(false);
        QVERIFY(part->panel()->sentence().contains(QStringLiteral("neither graph has been run")));
        fixture.window->selectValue(Side::Rewritten, valueNamed(*fixture.window->session()->tree(Side::Rewritten), QStringLiteral("w_value")));
        QVERIFY(settle(part->panel()));
        QCOMPARE(cell(part->panel(), 1, 0), QStringLiteral("3"));
        QVERIFY2(part->panel()->sentence().contains(QStringLiteral("all 4 elements are equal")), qPrintable(part->panel()->sentence()));
    }

    void stepsOfTheWayLeadThere() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        ValuesPart* part = partOf(fixture);
        part->showDock(false);
        auto* path = child<QTableView>(fixture.window->counterexample(), "pathTable");
        path->setCurrentIndex(path->model()->index(4, 0));
        QVERIFY(settle(part->panel()));
        QVERIFY2(part->panel()->sentence().startsWith(QStringLiteral("y: f32[2,2]")), qPrintable(part->panel()->sentence()));
        QCOMPARE(cell(part->panel(), 0, 1), QStringLiteral("1.75 \u2260 0.5"));
    }

    void rowsOfTheInspectorLeadThere() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        fixture.window->selectNode(Side::Reference, nodeNamed(*fixture.window->session()->tree(Side::Reference), QStringLiteral("weights")));
        ValuesPart* part = partOf(fixture);
        QTableView* pair = nullptr;
        int row = -1;
        for (QTableView* table : fixture.window->inspector()->findChildren<QTableView*>()) {
            for (int i = 0; i < table->model()->rowCount(); ++i) {
                if (table->model()->index(i, 0).data().toString() == QStringLiteral("operand 0")) {
                    pair = table;
                    row = i;
                }
            }
        }
        QVERIFY(pair != nullptr);
        pair->setFocus();
        pair->setCurrentIndex(pair->model()->index(row, 0));
        QTest::keyClick(pair, Qt::Key_Return);
        QVERIFY(settle(part->panel()));
        QVERIFY2(part->panel()->sentence().startsWith(QStringLiteral("m: f32[2,2]")), qPrintable(part->panel()->sentence()));
        QVERIFY(part->panel()->table()->hasFocus());
    }

    void whatIsLookedAtStaysWhenAJobEnds() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        ValuesPart* part = partOf(fixture);
        part->showDock(false);
        auto* choice = child<QComboBox>(part->panel(), "valueChoice");
        const int wanted = choice->findText(QStringLiteral("input x"));
        QVERIFY(wanted >= 0);
        choice->setCurrentIndex(wanted);
        Q_EMIT choice->activated(wanted);
        part->panel()->goToElement(3);
        Q_EMIT fixture.window->session()->stateChanged();
        QCOMPARE(choice->currentText(), QStringLiteral("input x"));
        QCOMPARE(part->panel()->currentElement(), std::optional<std::int64_t>(3));
        QVERIFY(settle(part->panel()));
    }

    void aValueThatWasNotComputedSaysWhy() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        ValuesPart* part = partOf(fixture);
        part->showDock(false);
        fixture.window->selectNode(Side::Reference, nodeNamed(*fixture.window->session()->tree(Side::Reference), QStringLiteral("scores")));
        QVERIFY(part->panel()->sentence().contains(QStringLiteral("did not compute it")));
        QVERIFY(part->panel()->sentence().contains(QStringLiteral("The rewritten graph has no partner of it")));
        QCOMPARE(part->panel()->table()->model()->rowCount(), 0);
    }

    void keysGoFromDifferenceToDifference() {
        ValuesPanel panel;
        panel.resize(1000, 400);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        Tensor a = grid(ElementType::F32, {3, 40, 50});
        Tensor b = grid(ElementType::F32, {3, 40, 50});
        {
            const auto out = b.mutableAs<float>();
            out[0 * 2000 + 39 * 50 + 49] = -1;
            out[2 * 2000 + 7 * 50 + 3] = -1;
        }
        panel.setTensors({a, b}, QStringLiteral("t"), {});
        QVERIFY(settle(&panel));
        QVERIFY(panel.sentence().contains(QStringLiteral("2 of 6,000 elements differ, first at [0,39,49]")));
        panel.table()->setFocus();
        QTest::keyClick(panel.table(), Qt::Key_N);
        QVERIFY(settle(&panel));
        QCOMPARE(panel.currentElement(), std::optional<std::int64_t>(39 * 50 + 49));
        QTest::keyClick(panel.table(), Qt::Key_N);
        QVERIFY(settle(&panel));
        // On another slice: the index of the axis follows.
        QCOMPARE(panel.currentElement(), std::optional<std::int64_t>(2 * 2000 + 7 * 50 + 3));
        QCOMPARE(child<QSpinBox>(&panel, "axis0")->value(), 2);
        QTest::keyClick(panel.table(), Qt::Key_N, Qt::ShiftModifier);
        QVERIFY(settle(&panel));
        QCOMPARE(child<QSpinBox>(&panel, "axis0")->value(), 0);
        QTest::mouseClick(child<QToolButton>(&panel, "nextElement"), Qt::LeftButton);
        QVERIFY(settle(&panel));
        QCOMPARE(child<QSpinBox>(&panel, "axis0")->value(), 2);
    }

    void axesAreChosenAndHeld() {
        ValuesPanel panel;
        panel.setTensors({grid(ElementType::F32, {2, 3, 4, 5}), std::nullopt}, QStringLiteral("t"), {});
        auto* rows = child<QComboBox>(&panel, "rowAxis");
        auto* columns = child<QComboBox>(&panel, "columnAxis");
        QCOMPARE(rows->currentIndex(), 2);
        child<QSpinBox>(&panel, "axis1")->setValue(2);
        QCOMPARE(cell(&panel, 0, 0), QStringLiteral("40"));
        rows->setCurrentIndex(0);
        Q_EMIT rows->activated(0);
        QCOMPARE(panel.table()->model()->rowCount(), 2);
        QVERIFY(child<QSpinBox>(&panel, "axis2") != nullptr);
        // An axis can stand on one side only: the other side takes what was there.
        columns->setCurrentIndex(0);
        Q_EMIT columns->activated(0);
        QCOMPARE(columns->currentIndex(), 0);
        QCOMPARE(rows->currentIndex(), 3);
        // Another value of that shape is looked at the same way.
        panel.setTensors({grid(ElementType::F32, {2, 3, 4, 5}), std::nullopt}, QStringLiteral("u"), {});
        QCOMPARE(rows->currentIndex(), 3);
        QVERIFY(settle(&panel));
    }

    void twoTablesMoveAsOne() {
        ValuesPanel panel;
        panel.resize(1200, 300);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        panel.setTensors({grid(ElementType::F32, {300, 40}), grid(ElementType::F32, {300, 40})}, QStringLiteral("t"), {});
        panel.setLayout(ValuesPanel::Layout::TwoTables);
        QVERIFY(panel.secondTable()->isVisible());
        panel.goToElement(250 * 40 + 30);
        QCOMPARE(panel.secondTable()->currentIndex().row(), 250);
        QCOMPARE(panel.secondTable()->rowAt(0), panel.table()->rowAt(0));
        panel.secondTable()->setFocus();
        QTest::keyClick(panel.secondTable(), Qt::Key_Up);
        QCOMPARE(panel.table()->currentIndex().row(), 249);
        QVERIFY(settle(&panel));
    }

    void theHeatMapGoesToTheElementAndBack() {
        ValuesPanel panel;
        panel.resize(1000, 400);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        Tensor a = grid(ElementType::F32, {600, 800});
        Tensor b = grid(ElementType::F32, {600, 800});
        {
            const auto out = b.mutableAs<float>();
            out[431 * 800 + 77] += 1;
        }
        panel.setTensors({a, b}, QStringLiteral("t"), {});
        QVERIFY(settle(&panel));
        HeatMapView* heat = panel.heatMap();
        QVERIFY(heat->map() != nullptr);
        QVERIFY(heat->map()->rows < 600);
        QCOMPARE(heat->map()->marked, std::int64_t{1});
        const auto [row, column] = heat->map()->gridOf(431, 77);
        QVERIFY(heat->map()->at(row, column) != HeatClass::None);
        QTest::mouseClick(heat, Qt::LeftButton, Qt::NoModifier, heat->cellRect(row, column).center());
        QCOMPARE(panel.currentElement(), std::optional<std::int64_t>(431 * 800 + 77)); // the element that differs, not the cell's first
        // And by keys: the cursor follows the table, Return goes back to it.
        panel.goToElement(0);
        heat->setFocus();
        QTest::keyClick(heat, Qt::Key_Down);
        QTest::keyClick(heat, Qt::Key_Return);
        QVERIFY(panel.currentElement().value_or(0) >= 800);
        QVERIFY(heat->accessibleDescription().contains(QStringLiteral("equal")));
        QVERIFY(settle(&panel));
    }

    void copiesForOtherPrograms() {
        ValuesPanel panel;
        const auto tensor = [](float last) { return Tensor::of<float>(ElementType::F32, {2, 2}, {0, 1, 2, last}); };
        panel.setTensors({tensor(3), tensor(4)}, QStringLiteral("t"), {});
        QVERIFY(settle(&panel));
        QCOMPARE(panel.copyText(ValuesPanel::CopyAs::Text), QStringLiteral("   0      1\n0  0      1\n1  2  3 \u2260 4\n"));
        QCOMPARE(panel.copyText(ValuesPanel::CopyAs::Numpy),
                 QStringLiteral("reference = np.array([[0.0, 1.0],\n          [2.0, 3.0]], dtype=np.float32)\n"
                                "rewritten = np.array([[0.0, 1.0],\n          [2.0, 4.0]], dtype=np.float32)\n"));
        QVERIFY(
            panel.copyText(ValuesPanel::CopyAs::Json).contains(QStringLiteral("\"rewritten\": {\"type\": \"f32\", \"shape\": [2, 2], \"data\": [0")));
        QVERIFY(panel.copyText(ValuesPanel::CopyAs::Markdown).startsWith(QStringLiteral("| | 0 | 1 |")));
        panel.setLayout(ValuesPanel::Layout::Rewritten);
        panel.table()->selectRow(1);
        panel.copy(ValuesPanel::CopyAs::Numpy);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("np.array([[2.0, 4.0]], dtype=np.float32)"));
        panel.setTensors({Tensor(ElementType::F32, {1000, 1000}), std::nullopt}, QStringLiteral("t"), {});
        QString told;
        connect(&panel, &ValuesPanel::told, this, [&told](const QString& text) { told = text; });
        QVERIFY(panel.copyText(ValuesPanel::CopyAs::Json).isEmpty());
        QVERIFY2(told.contains(QStringLiteral(".npy")), qPrintable(told));
        QVERIFY(settle(&panel));
    }

    void savesWholeTensors() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        ValuesPart* part = partOf(fixture);
        part->showDock(false);
        part->panel()->setTensors({grid(ElementType::F32, {4, 5}), std::nullopt}, QStringLiteral("t"), {});
        const QString file = fixture.folder.filePath(QStringLiteral("t.npy"));
        part->save(file);
        QVERIFY(QTest::qWaitFor([part] { return !part->isSaving(); }, 10'000));
        const auto read = readNpy(file.toStdString());
        QVERIFY(read.has_value());
        QVERIFY(read->sameBits(*part->panel()->savedTensor()));
        // What cannot be written is a row in the messages, with a way out.
        part->panel()->setTensors({Tensor(ElementType::BF16, {2}), std::nullopt}, QStringLiteral("t"), {});
        part->save(file);
        QVERIFY(QTest::qWaitFor([part] { return !part->isSaving(); }, 10'000));
        QCOMPARE(fixture.window->messages()->errorCount(), 1);
        QVERIFY(fixture.window->messages()->plainText().contains(QStringLiteral("NumPy or JSON")));
    }

    void sidesThatDoNotFitAreToldApart() {
        ValuesPanel panel;
        panel.setTensors({grid(ElementType::F32, {2, 3}), grid(ElementType::F32, {3, 2})}, QStringLiteral("t"), {});
        QVERIFY(settle(&panel));
        QVERIFY(panel.sentence().contains(QStringLiteral("f32[2,3] and f32[3,2]")));
        QVERIFY(panel.sentence().contains(QStringLiteral("different shapes")));
        QCOMPARE(panel.table()->model()->columnCount(), 3);
        panel.setTensors({Tensor(ElementType::F32, {0, 3}), std::nullopt}, QStringLiteral("t"), {});
        QCOMPARE(panel.table()->model()->rowCount(), 0);
        panel.setTensors({Tensor::ofStrings({2}, {"a", "b"}), Tensor::ofStrings({2}, {"a", "c"})}, QStringLiteral("t"), {});
        QVERIFY(settle(&panel));
        QVERIFY2(panel.sentence().contains(QStringLiteral("1 of 2 elements differ")), qPrintable(panel.sentence()));
    }

    /// 10^8 elements: shown at once, what walks over them runs behind, and the next choice stops it.
    void largeTensorsAreShownAtOnce() {
        ValuesPanel panel;
        panel.resize(900, 300);
        panel.show();
        const Tensor large(ElementType::F32, {10'000, 10'000});
        QElapsedTimer clock;
        clock.start();
        panel.setTensors({large, large}, QStringLiteral("t"), {});
        QVERIFY2(clock.elapsed() < 1'000, qPrintable(QString::number(clock.elapsed())));
        QCOMPARE(cell(&panel, 9'999, 999), QStringLiteral("0"));
        QVERIFY(!panel.isIdle());
        panel.setTensors({grid(ElementType::F32, {2, 2}), std::nullopt}, QStringLiteral("u"), {});
        QVERIFY(settle(&panel));
        QVERIFY(panel.sentence().startsWith(QStringLiteral("u: f32[2,2]")));
    }

    void everyControlHasANameAndAKeyReachesIt() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        ValuesPart* part = partOf(fixture);
        part->showDock(true);
        for (QWidget* widget : part->panel()->findChildren<QWidget*>()) {
            if ((widget->focusPolicy() & Qt::TabFocus) != 0 && widget->isVisible() && qobject_cast<QLineEdit*>(widget) == nullptr) {
                QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
            }
        }
        part->dock()->hide();
        fixture.window->canvas(Side::Reference)->setFocus();
        QTest::keyClick(fixture.window->canvas(Side::Reference), Qt::Key_V);
        QVERIFY(part->dock()->isVisible());
    }
};

QTEST_MAIN(TestWindowValues)
#include "tst_window_values.moc"
