// The canvas under mouse, wheel and keys.

#include "tests/ui/canvas/canvas_fixture.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/canvas/scene_navigation.h"

#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <cmath>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

constexpr const char* Attention = "q = MatMul x @wq\nk = MatMul x @wk\ns = MatMul q k\np = Softmax s axis=-1\no = MatMul p x\n";

bool near(const QPointF& a, const QPointF& b, double by = 1e-6) { return std::abs(a.x() - b.x()) < by && std::abs(a.y() - b.y()) < by; }

struct Shown {
    explicit Shown(const std::shared_ptr<const GraphTree>& made, QSize size = {800, 600}) : tree(made) {
        canvas.resize(size);
        canvas.setAnimated(false);
        canvas.setScene(scene(tree));
        canvas.show();
        canvas.setFocus();
        QVERIFY(QTest::qWaitForWindowExposed(&canvas));
    }
    [[nodiscard]] std::uint32_t item(const std::string& name) const { return canvas.scene()->visibleItem(node(*tree, name)); }
    [[nodiscard]] QPoint at(const std::string& name) const { return canvas.toViewport(canvas.scene()->boxes[item(name)].center()).toPoint(); }
    void key(Qt::Key code, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { QTest::keyClick(&canvas, code, modifiers); }
    void wheel(QPointF position, int angle, Qt::KeyboardModifiers modifiers) {
        QWheelEvent event(position, canvas.viewport()->mapToGlobal(position), QPoint(), QPoint(0, angle), Qt::NoButton, modifiers, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(canvas.viewport(), &event);
    }
    std::shared_ptr<const GraphTree> tree;
    GraphCanvas canvas;
};

} // namespace

class TestGraphCanvas : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void clickSelectsTheNodeUnderTheCursor() {
        Shown shown(treeFrom(Attention));
        QSignalSpy selected(&shown.canvas, &GraphCanvas::nodeSelected);
        QTest::mouseClick(shown.canvas.viewport(), Qt::LeftButton, {}, shown.at("p"));
        QCOMPARE(selected.size(), 1);
        QCOMPARE(selected[0][0].value<FlatNodeId>(), node(*shown.tree, "p"));
        QCOMPARE(shown.canvas.selectedNode(), node(*shown.tree, "p"));
        QTest::mouseClick(shown.canvas.viewport(), Qt::LeftButton, {}, QPoint(2, 2));
        QCOMPARE(selected.size(), 2);
        QVERIFY(!selected[1][0].value<FlatNodeId>().isValid());
    }

    void clickOnAConstantSelectsItsValue() {
        Shown shown(treeFrom(Attention));
        QSignalSpy values(&shown.canvas, &GraphCanvas::valueSelected);
        const FlatValueId wq(shown.tree->top().findValue("wq").index);
        const QRectF box = shown.canvas.scene()->boxes[shown.canvas.scene()->itemOfValue[wq.index]];
        QTest::mouseClick(shown.canvas.viewport(), Qt::LeftButton, {}, shown.canvas.toViewport(box.center()).toPoint());
        QCOMPARE(values.size(), 1);
        QCOMPARE(values[0][0].value<FlatValueId>(), wq);
    }

    void selectNodeSaysNothing() {
        Shown shown(treeFrom(Attention));
        QSignalSpy selected(&shown.canvas, &GraphCanvas::nodeSelected);
        shown.canvas.selectNode(node(*shown.tree, "q"));
        QCOMPARE(shown.canvas.selectedNode(), node(*shown.tree, "q"));
        shown.canvas.selectNode(FlatNodeId());
        QVERIFY(!shown.canvas.selectedNode().isValid());
        QCOMPARE(selected.size(), 0);
    }

    void dragPansAndDoesNotSelect_data() {
        QTest::addColumn<Qt::MouseButton>("button");
        QTest::newRow("left") << Qt::LeftButton;
        QTest::newRow("middle") << Qt::MiddleButton;
    }
    void dragPansAndDoesNotSelect() {
        QFETCH(Qt::MouseButton, button);
        Shown shown(blocks(200));
        shown.canvas.centreOn({FlatNodeId(50U)}, false);
        QSignalSpy selected(&shown.canvas, &GraphCanvas::nodeSelected);
        QSignalSpy changed(&shown.canvas, &GraphCanvas::viewChanged);
        const QPoint from(400, 300);
        const QPointF grabbed = shown.canvas.toScene(from);
        QWidget* view = shown.canvas.viewport();
        QTest::mousePress(view, button, {}, from);
        const QPoint to(300, 250);
        for (const QPoint& point : {QPoint(370, 290), to}) {
            QMouseEvent move(QEvent::MouseMove, QPointF(point), view->mapToGlobal(QPointF(point)), Qt::NoButton, button, Qt::NoModifier);
            QApplication::sendEvent(view, &move);
        }
        QTest::mouseRelease(view, button, {}, to);
        QVERIFY(near(shown.canvas.toScene(to), grabbed, 1e-3));
        QVERIFY(changed.size() >= 1);
        QCOMPARE(selected.size(), 0);
    }

    void zoomKeepsThePointUnderTheCursor() {
        Shown shown(blocks(2000));
        shown.canvas.centreOn({FlatNodeId(700U)}, false);
        const QPointF cursor(217.0, 401.0);
        const QPointF point = shown.canvas.toScene(cursor);
        const double before = shown.canvas.scale();
        shown.wheel(cursor, 240, Qt::ControlModifier);
        QVERIFY(shown.canvas.scale() > before);
        QVERIFY(near(shown.canvas.toScene(cursor), point, 1e-6));
        for (int i = 0; i < 12; ++i) {
            shown.wheel(cursor, -120, Qt::ControlModifier);
            QVERIFY(near(shown.canvas.toScene(cursor), point, 1e-3));
        }
        QVERIFY(shown.canvas.scale() < before);
    }

    void wheelPans() {
        Shown shown(blocks(2000));
        shown.canvas.centreOn({FlatNodeId(700U)}, false);
        const QPointF before = shown.canvas.viewCentre();
        shown.wheel(QPointF(100, 100), -120, Qt::NoModifier);
        QVERIFY(shown.canvas.viewCentre().y() > before.y());
        QCOMPARE(shown.canvas.viewCentre().x(), before.x());
        const QPointF second = shown.canvas.viewCentre();
        shown.wheel(QPointF(100, 100), -120, Qt::ShiftModifier);
        QVERIFY(shown.canvas.viewCentre().x() > second.x());
        QCOMPARE(shown.canvas.viewCentre().y(), second.y());
    }

    void scrollBarsFollowTheViewAndMoveIt() {
        Shown shown(blocks(2000));
        QScrollBar* bar = shown.canvas.verticalScrollBar();
        QVERIFY(bar->maximum() > bar->minimum());
        const QPointF before = shown.canvas.viewCentre();
        bar->setValue(bar->value() + 500);
        QVERIFY(std::abs(shown.canvas.viewCentre().y() - before.y() - 500.0 / shown.canvas.scale()) < 2.0 / shown.canvas.scale());
        const int at = bar->value();
        shown.canvas.setView(shown.canvas.viewCentre() + QPointF(0.0, 1000.0), shown.canvas.scale());
        QVERIFY(std::abs(bar->value() - at - 1000.0 * shown.canvas.scale()) <= 2.0);
    }

    void aFittedSceneHasNoScrollBarsAndStandsInTheMiddle() {
        Shown shown(blocks(500));
        QVERIFY(shown.canvas.verticalScrollBar()->isVisible());
        shown.canvas.fit();
        QTRY_VERIFY(!shown.canvas.verticalScrollBar()->isVisible()); // Qt hides them later
        QTRY_VERIFY(!shown.canvas.horizontalScrollBar()->isVisible());
        QVERIFY(near(shown.canvas.viewCentre(), shown.canvas.scene()->bounds.center(), 1.0));
    }

    void keysZoomAndFit() {
        Shown shown(blocks(500));
        const double before = shown.canvas.scale();
        shown.key(Qt::Key_Plus);
        QVERIFY(shown.canvas.scale() > before);
        shown.key(Qt::Key_Minus);
        shown.key(Qt::Key_Minus);
        QVERIFY(shown.canvas.scale() < before);
        shown.key(Qt::Key_0);
        QCOMPARE(shown.canvas.scale(), 1.0);
        shown.key(Qt::Key_F);
        QVERIFY(shown.canvas.visibleArea().adjusted(-1, -1, 1, 1).contains(shown.canvas.scene()->bounds));
    }

    void arrowsWalkTheGraph() {
        Shown shown(treeFrom(Attention));
        shown.canvas.selectNode(node(*shown.tree, "s"));
        QSignalSpy selected(&shown.canvas, &GraphCanvas::nodeSelected);
        shown.key(Qt::Key_Down);
        QCOMPARE(shown.canvas.selectedNode(), node(*shown.tree, "p"));
        shown.key(Qt::Key_Up);
        QCOMPARE(shown.canvas.selectedNode(), node(*shown.tree, "s"));
        shown.key(Qt::Key_BracketLeft);
        QCOMPARE(shown.canvas.selectedNode(), node(*shown.tree, "q"));
        shown.key(Qt::Key_BracketRight);
        QCOMPARE(shown.canvas.selectedNode(), node(*shown.tree, "s"));
        QCOMPARE(selected.size(), 4);
    }

    void theFirstArrowSelectsTheNodeInTheMiddle() {
        Shown shown(treeFrom(Attention));
        shown.canvas.centreOn({node(*shown.tree, "s")}, false);
        shown.key(Qt::Key_Down);
        QCOMPARE(shown.canvas.selectedNode(), node(*shown.tree, "s"));
    }

    void walkingKeepsTheSelectionInSight() {
        Shown shown(blocks(500));
        shown.canvas.selectNode(FlatNodeId(0U));
        for (int i = 0; i < 60; ++i) {
            shown.key(Qt::Key_BracketRight);
            const QRectF box = shown.canvas.scene()->boxes[shown.canvas.selectedItem()];
            QVERIFY(shown.canvas.visibleArea().contains(box));
        }
    }

    void spaceAsksForThePartnerAndReturnActivates() {
        Shown shown(treeFrom(Attention));
        QSignalSpy partner(&shown.canvas, &GraphCanvas::partnerRequested);
        QSignalSpy activated(&shown.canvas, &GraphCanvas::nodeActivated);
        shown.key(Qt::Key_Space);
        shown.key(Qt::Key_Return);
        QCOMPARE(partner.size() + activated.size(), 0); // nothing is selected
        shown.canvas.selectNode(node(*shown.tree, "p"));
        shown.key(Qt::Key_Space);
        shown.key(Qt::Key_Return);
        QCOMPARE(partner.size(), 1);
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated[0][0].value<FlatNodeId>(), node(*shown.tree, "p"));
        QTest::mouseDClick(shown.canvas.viewport(), Qt::LeftButton, {}, shown.at("q"));
        QCOMPARE(activated.size(), 2);
    }

    void keysWithControlAreLeftToTheWindow() {
        Shown shown(treeFrom(Attention));
        const double before = shown.canvas.scale();
        shown.key(Qt::Key_Plus, Qt::ControlModifier);
        shown.key(Qt::Key_F, Qt::ControlModifier);
        QCOMPARE(shown.canvas.scale(), before);
    }

    void aNodeWithNestedGraphsAsksToBeOpened() {
        auto graph = std::make_shared<Graph>(*graphFrom("c = If x\nz = Relu c\n"));
        graph->nodes[0].attributes["then_branch"] = graphFrom("a = Exp y\n");
        Shown shown(treeOf(graph));
        QSignalSpy expansion(&shown.canvas, &GraphCanvas::expansionRequested);
        const QPointF sign = shown.canvas.scene()->signBox(shown.item("c")).center();
        QTest::mouseClick(shown.canvas.viewport(), Qt::LeftButton, {}, shown.canvas.toViewport(sign).toPoint());
        QCOMPARE(expansion.size(), 1);
        QCOMPARE(expansion[0][0].value<FlatNodeId>(), node(*shown.tree, "c"));
        QCOMPARE(expansion[0][1].toBool(), true);
        shown.key(Qt::Key_Return);
        QCOMPARE(expansion.size(), 2);
    }

    void centreOnShowsAllNodesAsked() {
        Shown shown(blocks(1000));
        QSignalSpy changed(&shown.canvas, &GraphCanvas::viewChanged);
        shown.canvas.centreOn({FlatNodeId(500U)}, true); // animations are off: at once
        QVERIFY(near(shown.canvas.viewCentre(), shown.canvas.scene()->boxes[shown.canvas.scene()->itemOfNode[500]].center(), 1e-6));
        QVERIFY(shown.canvas.scale() >= 0.75);
        QCOMPARE(changed.size(), 1);
        shown.canvas.centreOn({FlatNodeId(100U), FlatNodeId(400U)}, false);
        for (const std::uint32_t n : {100U, 400U}) {
            QVERIFY(shown.canvas.visibleArea().contains(shown.canvas.scene()->boxes[shown.canvas.scene()->itemOfNode[n]]));
        }
        const QPointF before = shown.canvas.viewCentre();
        shown.canvas.centreOn({FlatNodeId(4'000'000U)}, false);
        QCOMPARE(shown.canvas.viewCentre(), before);
    }

    void anAnimatedMoveArrives() {
        Shown shown(blocks(1000));
        shown.canvas.setAnimated(true);
        const auto goal = shown.canvas.viewOf({FlatNodeId(500U)});
        QVERIFY(goal);
        shown.canvas.centreOn({FlatNodeId(500U)});
        QTRY_VERIFY_WITH_TIMEOUT(near(shown.canvas.viewCentre(), goal->first, 1e-3), 2000);
    }

    void lockedSidesDoNotEcho() {
        Shown left(blocks(500));
        Shown right(blocks(500));
        connect(&left.canvas, &GraphCanvas::viewChanged, &right.canvas, &GraphCanvas::setView);
        connect(&right.canvas, &GraphCanvas::viewChanged, &left.canvas, &GraphCanvas::setView);
        QSignalSpy echo(&right.canvas, &GraphCanvas::viewChanged);
        left.canvas.centreOn({FlatNodeId(200U)}, false);
        left.wheel(QPointF(10, 10), 120, Qt::ControlModifier);
        QVERIFY(near(left.canvas.viewCentre(), right.canvas.viewCentre(), 1e-6));
        QCOMPARE(left.canvas.scale(), right.canvas.scale());
        QCOMPARE(echo.size(), 0);
    }

    void aNewSceneKeepsTheSelectedNodeWhereItWas() {
        const auto tree = blocks(300);
        Shown shown(tree);
        const FlatNodeId kept(150U);
        shown.canvas.centreOn({kept}, false);
        shown.canvas.selectNode(kept);
        const QPointF before = shown.canvas.toViewport(shown.canvas.scene()->boxes[shown.canvas.selectedItem()].center());
        SceneRequest request;
        request.reference.tree = tree;
        request.reference.only = neighbourhood(*tree, {kept}, 6, 300);
        request.layouter = layoutJoint;
        shown.canvas.setScene(buildScenes(request)->reference);
        QCOMPARE(shown.canvas.selectedNode(), kept);
        QVERIFY(near(shown.canvas.toViewport(shown.canvas.scene()->boxes[shown.canvas.selectedItem()].center()), before, 1e-3));
    }

    void resizingBeforeAnyMoveFitsAgain() {
        Shown shown(treeFrom(Attention), {800, 300});
        shown.canvas.resize(900, 900);
        QCoreApplication::processEvents();
        QVERIFY(shown.canvas.visibleArea().adjusted(-1, -1, 1, 1).contains(shown.canvas.scene()->bounds));
        const double fitted = shown.canvas.scale();
        shown.key(Qt::Key_Minus);
        const double chosen = shown.canvas.scale();
        QVERIFY(chosen < fitted);
        shown.canvas.resize(901, 700);
        QCoreApplication::processEvents();
        QCOMPARE(shown.canvas.scale(), chosen);
    }

    void contextMenuNamesTheNode() {
        Shown shown(treeFrom(Attention));
        QSignalSpy menu(&shown.canvas, &GraphCanvas::contextMenuRequested);
        const QPoint at = shown.at("k");
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, shown.canvas.viewport()->mapToGlobal(at));
        QApplication::sendEvent(shown.canvas.viewport(), &event);
        QCOMPARE(menu.size(), 1);
        QCOMPARE(menu[0][0].value<FlatNodeId>(), node(*shown.tree, "k"));
    }

    void withoutASceneNothingBreaks() {
        GraphCanvas canvas;
        canvas.resize(300, 200);
        canvas.setEmptyText(QStringLiteral("Open a pair of graphs"));
        canvas.show();
        for (const Qt::Key key : {Qt::Key_Down, Qt::Key_F, Qt::Key_Plus, Qt::Key_Space, Qt::Key_Return, Qt::Key_Home, Qt::Key_BracketLeft}) {
            QTest::keyClick(&canvas, key);
        }
        QTest::mouseClick(canvas.viewport(), Qt::LeftButton, {}, QPoint(50, 50));
        canvas.centreOn({FlatNodeId(1U)});
        canvas.zoomBy(2.0);
        canvas.setOverlay(SceneOverlay{});
        canvas.setBusy(QStringLiteral("Laying out"));
        QVERIFY(!canvas.grab().isNull());
        QVERIFY(canvas.isBusy());
        canvas.setScene(scene(treeFrom(Attention)));
        canvas.setScene(nullptr);
        QVERIFY(!canvas.grab().isNull());
    }

    void fiftyThousandNodesArePaintedAtEveryZoom() {
        Shown shown(blocks(50'000), {1280, 800});
        SceneOverlay overlay;
        overlay.roles.assign(shown.tree->nodeCount(), Role::Shared);
        overlay.roles[40'000] = Role::Failing;
        shown.canvas.setOverlay(overlay);
        shown.canvas.fit();
        QVERIFY(!shown.canvas.grab().isNull());
        for (const double scale : {0.03, 0.06, 0.15, 0.35, 1.0, 4.0}) {
            shown.canvas.setView(shown.canvas.scene()->boxes[shown.canvas.scene()->itemOfNode[40'000]].center(), scale);
            const QImage picture = shown.canvas.viewport()->grab().toImage();
            // The failing node is in the middle of every one and filled dark, whatever the level of detail.
            const QRectF box = shown.canvas.scene()->boxes[shown.canvas.scene()->itemOfNode[40'000]];
            const QRect seen = QRectF(shown.canvas.toViewport(box.topLeft()), shown.canvas.toViewport(box.bottomRight())).toAlignedRect();
            int dark = 0;
            for (int y = seen.top(); y <= seen.bottom(); ++y) {
                for (int x = seen.left(); x <= seen.right(); ++x) {
                    dark += picture.valid(x, y) && picture.pixelColor(x, y).lightness() < 60 ? 1 : 0;
                }
            }
            QVERIFY2(dark * 2 > seen.width() * seen.height(), qPrintable(QStringLiteral("scale %1: %2").arg(scale).arg(dark)));
        }
    }
};

QTEST_MAIN(TestGraphCanvas)
#include "tst_graph_canvas.moc"
