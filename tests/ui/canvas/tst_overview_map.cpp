#include "tests/ui/canvas/canvas_fixture.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/canvas/overview_map.h"

#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

struct Mapped {
    Mapped() : tree(blocks(1000)) {
        canvas.resize(800, 600);
        canvas.setAnimated(false);
        map = new OverviewMap(&canvas);
        canvas.setScene(scene(tree));
        canvas.show();
        QVERIFY(QTest::qWaitForWindowExposed(&canvas));
    }
    std::shared_ptr<const GraphTree> tree;
    GraphCanvas canvas;
    OverviewMap* map = nullptr;
};

} // namespace

class TestOverviewMap : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void isShownInTheCornerOnlyWhileTheViewHidesSomething() {
        Mapped mapped;
        QVERIFY(mapped.map->isVisible());
        QVERIFY(mapped.canvas.viewport()->rect().contains(mapped.map->geometry()));
        mapped.canvas.resize(1000, 700);
        QVERIFY(mapped.canvas.viewport()->rect().contains(mapped.map->geometry()));
        mapped.canvas.fit();
        QVERIFY(!mapped.map->isVisible());
        mapped.canvas.zoomBy(8.0);
        QVERIFY(mapped.map->isVisible());
        mapped.map->setEnabledByUser(false);
        QVERIFY(!mapped.map->isVisible());
        mapped.map->setEnabledByUser(true);
        QVERIFY(mapped.map->isVisible());
        mapped.canvas.setScene(nullptr);
        QVERIFY(!mapped.map->isVisible());
    }

    void theRectangleFollowsTheView() {
        Mapped mapped;
        const double before = mapped.map->viewRectangle().center().y();
        mapped.canvas.centreOn({FlatNodeId(600U)}, false);
        QVERIFY(mapped.map->viewRectangle().center().y() > before);
        const QPointF point(123.0, 4567.0);
        const QPointF back = mapped.map->toScene(mapped.map->toMap(point));
        QVERIFY(std::abs(back.x() - point.x()) < 1e-6 && std::abs(back.y() - point.y()) < 1e-6);
    }

    void clickingMovesTheViewAndNotTheSelection() {
        Mapped mapped;
        QSignalSpy changed(&mapped.canvas, &GraphCanvas::viewChanged);
        QSignalSpy selected(&mapped.canvas, &GraphCanvas::nodeSelected);
        const QPoint at(mapped.map->width() / 2, mapped.map->height() * 3 / 4);
        QTest::mouseClick(mapped.map, Qt::LeftButton, {}, at);
        QVERIFY(changed.size() >= 1);
        QCOMPARE(selected.size(), 0);
        QVERIFY(std::abs(mapped.canvas.viewCentre().y() - mapped.map->toScene(at).y()) < 1.0);
    }

    void everyFailingNodeHasATick() {
        Mapped mapped;
        SceneOverlay overlay;
        overlay.roles.assign(mapped.tree->nodeCount(), Role::Shared);
        mapped.canvas.setOverlay(overlay);
        const auto darkRows = [&] {
            const QImage image = mapped.map->grab().toImage();
            std::vector<int> rows;
            for (int y = 3; y < image.height() - 3; ++y) {
                if (image.pixelColor(image.width() - 4, y).lightness() < 60) {
                    rows.push_back(y);
                }
            }
            return rows;
        };
        QVERIFY(darkRows().empty());
        overlay.roles[500] = Role::Failing;
        mapped.canvas.setOverlay(overlay);
        const std::vector<int> rows = darkRows();
        QVERIFY(!rows.empty());
        const QRectF box = mapped.canvas.scene()->boxes[mapped.canvas.scene()->itemOfNode[500]];
        QVERIFY(std::abs(rows.front() - mapped.map->toMap(box.center()).y()) < 4.0);
    }
};

QTEST_MAIN(TestOverviewMap)
#include "tst_overview_map.moc"
