// The canvas as a screen reader finds it.

#include "tests/ui/canvas/canvas_fixture.h"
#include "ui/canvas/graph_canvas.h"

#include <QAccessible>
#include <QSignalSpy>
#include <QTest>

#include <set>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

constexpr const char* Attention = "q = MatMul x @wq\nk = MatMul x @wk\ns = MatMul q k\np = Softmax s axis=-1\no = MatMul p x\n";

struct Read {
    explicit Read(const std::shared_ptr<const GraphTree>& made) : tree(made) {
        canvas.resize(900, 900);
        canvas.setScene(scene(tree));
        canvas.show();
        QVERIFY(QTest::qWaitForWindowExposed(&canvas));
        list = QAccessible::queryAccessibleInterface(&canvas);
        QVERIFY(list != nullptr);
    }
    [[nodiscard]] QAccessibleInterface* child(const QString& start) const {
        for (int i = 0; i < list->childCount(); ++i) {
            if (list->child(i)->text(QAccessible::Name).startsWith(start)) {
                return list->child(i);
            }
        }
        return nullptr;
    }
    std::shared_ptr<const GraphTree> tree;
    GraphCanvas canvas;
    QAccessibleInterface* list = nullptr;
};

std::set<QString> names(const QList<QPair<QAccessibleInterface*, QAccessible::Relation>>& relations) {
    std::set<QString> found;
    for (const auto& relation : relations) {
        found.insert(relation.first->text(QAccessible::Name).section(QLatin1Char(','), 0, 0));
    }
    return found;
}

} // namespace

class TestCanvasAccessible : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theCanvasIsAListOfTheItemsInSight() {
        const Read read(treeFrom(Attention));
        QCOMPARE(read.list->role(), QAccessible::List);
        QCOMPARE(static_cast<std::size_t>(read.list->childCount()), read.canvas.scene()->itemCount());
        QVERIFY(read.list->text(QAccessible::Name).size() > 0);
        QVERIFY(read.list->text(QAccessible::Description).contains(QStringLiteral("5 nodes")));
    }

    void itemsSayWhatTheyAre() {
        Read read(treeFrom(Attention));
        const auto other = treeFrom("q = MatMul x @wq\n");
        const auto marks = correspondenceByName(*read.tree, *other);
        marks->reference[node(*read.tree, "p").index] = NodeRelation{NodeMark::Failing, {}, "axis differs", {16}};
        read.canvas.setOverlay(overlayOf(std::shared_ptr<const Correspondence>(marks), other, Side::Reference));
        QVERIFY(read.child(QStringLiteral("Softmax p, failing pair L17, no partner, 1 input, 1 output")) != nullptr);
        QVERIFY(read.child(QStringLiteral("MatMul q, shared term, 2 inputs, 1 output")) != nullptr);
        QVERIFY(read.child(QStringLiteral("MatMul k, only in reference")) != nullptr);
        QVERIFY(read.child(QStringLiteral("input x, f32[2,n]")) != nullptr);
        QVERIFY(read.child(QStringLiteral("constant wq, 0.125")) != nullptr);
        QVERIFY(read.child(QStringLiteral("output o, f32[2,n]")) != nullptr);
        QAccessibleInterface* p = read.child(QStringLiteral("Softmax"));
        QCOMPARE(p->role(), QAccessible::ListItem);
        QVERIFY(p->text(QAccessible::Description).contains(QStringLiteral("axis = -1")));
    }

    void childrenKnowTheirPlace() {
        const Read read(treeFrom(Attention));
        for (int i = 0; i < read.list->childCount(); ++i) {
            QAccessibleInterface* child = read.list->child(i);
            QVERIFY(child->isValid());
            QCOMPARE(child->parent(), read.list);
            QCOMPARE(read.list->indexOfChild(child), i);
            QCOMPARE(read.list->childAt(child->rect().center().x(), child->rect().center().y()), child);
        }
        QCOMPARE(read.list->child(-1), nullptr);
        QCOMPARE(read.list->child(10'000), nullptr);
    }

    void edgesAreRelations() {
        const Read read(treeFrom(Attention));
        QAccessibleInterface* s = read.child(QStringLiteral("MatMul s"));
        QCOMPARE(names(s->relations(QAccessible::Controller)), (std::set<QString>{QStringLiteral("MatMul q"), QStringLiteral("MatMul k")}));
        QCOMPARE(names(s->relations(QAccessible::Controlled)), (std::set<QString>{QStringLiteral("Softmax p")}));
        QCOMPARE(s->relations(QAccessible::AllRelations).size(), 3);
    }

    void selectionIsStateAndActionsMoveIt() {
        Read read(treeFrom(Attention));
        QSignalSpy selected(&read.canvas, &GraphCanvas::nodeSelected);
        QSignalSpy activated(&read.canvas, &GraphCanvas::nodeActivated);
        QAccessibleInterface* p = read.child(QStringLiteral("Softmax p"));
        QVERIFY(!p->state().selected);
        QVERIFY(p->actionInterface() != nullptr);
        p->actionInterface()->doAction(QAccessibleActionInterface::setFocusAction());
        QVERIFY(p->state().selected);
        QCOMPARE(read.canvas.selectedNode(), node(*read.tree, "p"));
        QCOMPARE(selected.size(), 1);
        p->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(activated.size(), 1);
        QTRY_VERIFY(read.canvas.hasFocus());
        QCOMPARE(read.list->focusChild(), p);
    }

    void theSelectedItemIsAChildEvenOutOfSight() {
        Read read(blocks(500));
        read.canvas.setView(read.canvas.scene()->boxes[0].center(), 1.0);
        read.canvas.selectNode(FlatNodeId(450U));
        bool found = false;
        for (int i = 0; i < read.list->childCount(); ++i) {
            if (read.list->child(i)->state().selected) {
                found = true;
                QVERIFY(read.list->child(i)->state().offscreen);
            }
        }
        QVERIFY(found);
    }

    void itemsOfAnOldSceneAreGone() {
        Read read(treeFrom(Attention));
        QAccessibleInterface* p = read.child(QStringLiteral("Softmax p"));
        const QAccessible::Id id = QAccessible::uniqueId(p);
        QCOMPARE(QAccessible::accessibleInterface(id), p);
        read.canvas.setScene(scene(treeFrom("a = Relu x\n")));
        QCOMPARE(QAccessible::accessibleInterface(id), nullptr);
        QCOMPARE(read.list->childCount(), 3);
        read.canvas.setScene(nullptr);
        QCOMPARE(read.list->childCount(), 0);
    }

    void aLargeSceneIsNotReadOutWhole() {
        Read read(blocks(5000));
        read.canvas.fit();
        QVERIFY(read.list->childCount() > 0);
        QVERIFY(read.list->childCount() <= 501);
    }
};

QTEST_MAIN(TestCanvasAccessible)
#include "tst_canvas_accessible.moc"
