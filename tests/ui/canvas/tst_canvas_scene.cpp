// Scenes as data: what is in them, where, and how it is found again. No widget.

#include "tests/ui/canvas/canvas_fixture.h"
#include "ui/canvas/item_text.h"
#include "ui/canvas/scene_labels.h"
#include "ui/canvas/scene_navigation.h"
#include "ui/canvas/scene_overlay.h"
#include "ui/canvas/scene_painter.h"

#include <QTest>

#include <cmath>
#include <random>
#include <set>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

constexpr const char* Attention = "q = MatMul x @wq\n"
                                  "k = MatMul x @wk\n"
                                  "s = MatMul q k\n"
                                  "p = Softmax s axis=-1\n"
                                  "o = MatMul p x\n";

std::shared_ptr<const Graph> branch(const std::string& text) {
    auto graph = std::make_shared<Graph>(*graphFrom(text));
    graph->captures.push_back(Capture{graph->inputs.front(), ValueId(0U)});
    graph->inputs.erase(graph->inputs.begin());
    return graph;
}

/// `cond` decides `choice`, whose branches hold `a`, `b` and `c`.
std::shared_ptr<const GraphTree> withBranches() {
    auto graph = std::make_shared<Graph>(*graphFrom("cond = Greater x y\nchoice = If cond\nz = Add choice y\n"));
    graph->nodes[1].attributes["then_branch"] = branch("a = Relu x\nb = Softmax a axis=1\n");
    graph->nodes[1].attributes["else_branch"] = branch("c = Neg x\n");
    return treeOf(graph);
}

std::uint32_t itemOf(const GraphScene& scene, const std::string& name) { return scene.visibleItem(node(*scene.tree, name)); }

} // namespace

class TestCanvasScene : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyNodeInputConstantAndOutputIsAnItem() {
        const auto made = scene(treeFrom(Attention));
        std::map<ItemKind, int> kinds;
        for (const ItemKind kind : made->kinds) {
            ++kinds[kind];
        }
        QCOMPARE(kinds[ItemKind::Node], 5);
        QCOMPARE(kinds[ItemKind::Input], 1);
        QCOMPARE(kinds[ItemKind::Constant], 2);
        QCOMPARE(kinds[ItemKind::Output], 1);
        QCOMPARE(made->edgeCount(), std::size_t{10});
        QCOMPARE(made->hiddenNodes, std::size_t{0});
    }

    void boxesOfOneLevelDoNotOverlapAndEdgesJoinThem() {
        const auto made = scene(blocks(300));
        for (std::uint32_t a = 0; a < made->itemCount(); ++a) {
            for (const std::uint32_t b : made->itemsIn(made->boxes[a])) {
                QVERIFY2(a == b || !made->boxes[a].intersects(made->boxes[b]), qPrintable(QStringLiteral("%1 and %2").arg(a).arg(b)));
            }
        }
        for (std::uint32_t e = 0; e < made->edgeCount(); ++e) {
            const auto points = made->edgePoints(e);
            QCOMPARE(points.front().y(), made->boxes[made->edgeFrom[e]].bottom());
            QCOMPARE(points.back().y(), made->boxes[made->edgeTo[e]].top());
            QVERIFY(points.front().y() <= points.back().y());
        }
    }

    void labelsNameOperatorAttributesAndType() {
        const auto made = scene(treeFrom(Attention));
        const std::uint32_t p = itemOf(*made, "p");
        QCOMPARE(made->string(made->titles[p]), QStringLiteral("Softmax"));
        QCOMPARE(made->string(made->details[p]), QStringLiteral("axis=-1"));
        QCOMPARE(made->string(made->names[p]), QStringLiteral("p"));
        QCOMPARE(made->string(made->types[p]), QStringLiteral("f32[2,n]"));
    }

    void unknownLengthsAreAQuestionMarkOnBoxesOnly() {
        const TensorType type{ElementType::F32, Shape{Dim::symbol("?b9bba192e8a8"), Dim(1), Dim::symbol("n")}};
        QCOMPARE(briefTypeText(type), QStringLiteral("f32[?,1,n]"));
        QCOMPARE(typeText(type), QStringLiteral("f32[?b9bba192e8a8,1,n]"));
    }

    void oneLongLengthDoesNotHideTheOthers() {
        const TensorType type{ElementType::F32, Shape{Dim::symbol("p2o.DynamicDimension.0"), Dim(16), Dim::symbol("n") + Dim(1)}};
        QCOMPARE(briefTypeText(type), QStringLiteral("f32[p2o.Dynam\u2026,16,n + 1]"));
        QCOMPARE(briefTypeText(TensorType{ElementType::I64, Shape{}}), typeText(TensorType{ElementType::I64, Shape{}}));
        QCOMPARE(briefTypeText(TensorType{ElementType::I64, {}}), typeText(TensorType{ElementType::I64, {}}));
    }

    void attributesAreCutBetweenTwo() {
        Node made;
        for (const char* key : {"alpha", "batch", "gamma", "trans_a", "trans_b"}) {
            made.attributes[key] = std::int64_t{1234};
        }
        QCOMPARE(keyAttributes(made), QStringLiteral("alpha=1234 batch=1234 gamma=1234 \u2026"));
    }

    void longAndStrangeNamesBecomeOneShortLine() {
        QCOMPARE(oneLine("a\nb\tc"), QStringLiteral("a b c"));
        QVERIFY(oneLine(std::string(5'000'000, 'x')).size() <= 200);
        QVERIFY(oneLine("\xff\xfe bytes").contains(QChar(0xFFFD)));
        const auto made = scene(treeFrom("some/very/long/" + std::string(4000, 'n') + " = Relu x\n"));
        QVERIFY(made->bounds.width() < 600.0);
    }

    void hitTestFindsEachItemAtItsCentreAndNothingBetween() {
        const auto made = scene(blocks(500));
        for (std::uint32_t i = 0; i < made->itemCount(); ++i) {
            QCOMPARE(made->itemAt(made->boxes[i].center()), i);
        }
        QCOMPARE(made->itemAt(made->bounds.topLeft() + QPointF(1.0, 1.0)), NoItem);
    }

    void hitTestAgreesWithLookingAtEveryBox() {
        const auto made = scene(blocks(400));
        std::mt19937 random(11);
        std::uniform_real_distribution<double> x(made->bounds.left(), made->bounds.right());
        std::uniform_real_distribution<double> y(made->bounds.top(), made->bounds.bottom());
        for (int i = 0; i < 2000; ++i) {
            const QPointF point(x(random), y(random));
            std::uint32_t slow = NoItem;
            for (std::uint32_t item = 0; item < made->itemCount(); ++item) {
                if (made->boxes[item].contains(point)) {
                    slow = item;
                }
            }
            QCOMPARE(made->itemAt(point), slow);
        }
    }

    void areaQueriesAgreeWithLookingAtEveryBox() {
        const auto made = scene(blocks(400));
        std::mt19937 random(12);
        std::uniform_real_distribution<double> x(made->bounds.left(), made->bounds.right());
        std::uniform_real_distribution<double> y(made->bounds.top(), made->bounds.bottom());
        for (int i = 0; i < 200; ++i) {
            const QRectF area = QRectF(QPointF(x(random), y(random)), QPointF(x(random), y(random))).normalized();
            std::vector<std::uint32_t> slow;
            for (std::uint32_t item = 0; item < made->itemCount(); ++item) {
                if (GridIndex::touches(made->boxes[item], area)) {
                    slow.push_back(item);
                }
            }
            QCOMPARE(made->itemsIn(area), slow);
        }
    }

    void anEdgeIsFoundNearItsLine() {
        const auto made = scene(treeFrom(Attention));
        for (std::uint32_t e = 0; e < made->edgeCount(); ++e) {
            const auto points = made->edgePoints(e);
            // Just above the target, where edges to other nodes do not come.
            const std::uint32_t found = made->edgeAt(points.back() - QPointF(1.0, 5.0), 4.0);
            QVERIFY(found != NoItem);
            QCOMPARE(made->edgeTo[found], made->edgeTo[e]);
        }
        QCOMPARE(made->edgeAt(made->bounds.topLeft(), 4.0), NoItem);
    }

    void arrowsFindTheNodeThatWay() {
        const auto made = scene(treeFrom(Attention));
        const std::uint32_t s = itemOf(*made, "s");
        const std::uint32_t p = itemOf(*made, "p");
        QCOMPARE(nearestItem(*made, made->boxes[s].center(), Direction::Down, s), p);
        QCOMPARE(nearestItem(*made, made->boxes[p].center(), Direction::Up, p), s);
        const std::uint32_t q = itemOf(*made, "q");
        const std::uint32_t k = itemOf(*made, "k");
        const bool qIsLeft = made->boxes[q].center().x() < made->boxes[k].center().x();
        QCOMPARE(nearestItem(*made, made->boxes[qIsLeft ? q : k].center(), Direction::Right, qIsLeft ? q : k), qIsLeft ? k : q);
        QCOMPARE(nearestItem(*made, QPointF(0.0, made->bounds.bottom() + 1e6), Direction::Down), NoItem);
    }

    void producersAndConsumersFollowTheFirstEdge() {
        const auto made = scene(treeFrom(Attention));
        QCOMPARE(firstProducer(*made, itemOf(*made, "s")), itemOf(*made, "q"));
        QCOMPARE(firstProducer(*made, itemOf(*made, "p")), itemOf(*made, "s"));
        QCOMPARE(firstConsumer(*made, itemOf(*made, "s")), itemOf(*made, "p"));
        const std::uint32_t x = firstProducer(*made, itemOf(*made, "q"));
        QCOMPARE(made->kinds[x], ItemKind::Input);
        QCOMPARE(firstProducer(*made, x), NoItem);
    }

    void partnersStandAtTheSameHeight() {
        const auto reference = treeFrom(Attention);
        const auto rewritten =
            treeFrom("q = MatMul x @wq\nk = MatMul x @wk\ns0 = MatMul q k\ns = Identity s0\np = Softmax s axis=1\no = MatMul p x\n");
        const ScenePair pair = scenes(reference, rewritten, correspondenceByName(*reference, *rewritten));
        for (const char* name : {"q", "k", "s", "p", "o"}) {
            const QRectF a = pair.reference->boxes[itemOf(*pair.reference, name)];
            const QRectF b = pair.rewritten->boxes[itemOf(*pair.rewritten, name)];
            QVERIFY2(std::abs(a.center().y() - b.center().y()) < 1.0, name);
        }
        QCOMPARE(pair.reference->side, Side::Reference);
        QCOMPARE(pair.rewritten->side, Side::Rewritten);
    }

    void whatReadsConstantsAloneStandsRightAboveItsReader() {
        const auto tree = treeFrom("a = Relu x\nb = Relu a\nc = Relu b\nk = Cast @one to=7\nd = Add c k\n");
        const auto made = scene(tree);
        const auto top = [&](const char* name) { return made->boxes[itemOf(*made, name)].top(); };
        QVERIFY(top("k") > top("b"));
        QVERIFY(top("k") < top("d"));
    }

    void edgesTooLongToDrawAreBrokenOff() {
        std::string text = "first = Relu x\nn0 = Relu first\n";
        for (int i = 1; i < 60; ++i) {
            text += "n" + std::to_string(i) + " = Relu n" + std::to_string(i - 1) + "\n";
        }
        const auto made = scene(treeFrom(text + "last = Add n59 first\n"));
        const std::uint32_t last = itemOf(*made, "last");
        int broken = 0;
        for (const std::uint32_t e : made->edgesInto(last)) {
            if (made->edgeStubs[e]) {
                ++broken;
                QCOMPARE(made->edgeFrom[e], itemOf(*made, "first"));
                QCOMPARE(made->edgePoints(e).size(), std::size_t{4});
                // Only its ends are drawn, and only they are found.
                const QPointF middle = (made->edgePoints(e).front() + made->edgePoints(e).back()) / 2.0;
                const std::uint32_t there = made->edgeAt(middle, 1.0);
                QVERIFY(there == NoItem || there != e);
            }
        }
        QCOMPARE(broken, 1);
    }

    void nestedGraphsStartClosedAndOpenWhereSomethingFails() {
        const auto tree = withBranches();
        const auto closed = scene(tree);
        const std::uint32_t choice = itemOf(*closed, "choice");
        QCOMPARE(closed->kinds[choice], ItemKind::Collapsed);
        QCOMPARE(closed->nestedCounts[choice], 3U);
        QCOMPARE(closed->hiddenNodes, std::size_t{3});
        QCOMPARE(itemOf(*closed, "b"), choice); // what is inside is found at the closed box

        const auto marks = correspondenceByName(*tree, *tree);
        marks->reference[node(*tree, "b").index].mark = NodeMark::Failing;
        const auto open = scenes(tree, nullptr, marks).reference;
        const std::uint32_t around = itemOf(*open, "choice");
        QCOMPARE(open->kinds[around], ItemKind::Container);
        QCOMPARE(open->hiddenNodes, std::size_t{0});
        for (const char* name : {"a", "b", "c"}) {
            QVERIFY(open->boxes[around].contains(open->boxes[itemOf(*open, name)]));
            QCOMPARE(open->containers[itemOf(*open, name)], around);
        }
        QCOMPARE(open->itemAt(open->headerOf(around).center()), around);
        QCOMPARE(open->itemAt(open->boxes[itemOf(*open, "b")].center()), itemOf(*open, "b"));
        QCOMPARE(open->captions.size(), std::size_t{2});
    }

    void theUserOpensAndClosesNestedGraphs() {
        const auto tree = withBranches();
        SceneRequest request;
        request.reference.tree = tree;
        request.layouter = layoutJoint;
        request.reference.expanded = {node(*tree, "choice"), node(*tree, "z")}; // z has nothing inside: no harm
        auto made = buildScenes(request)->reference;
        QCOMPARE(made->kinds[itemOf(*made, "choice")], ItemKind::Container);
        QCOMPARE(made->kinds[itemOf(*made, "z")], ItemKind::Node);
        request.reference.collapsed = request.reference.expanded;
        made = buildScenes(request)->reference;
        QCOMPARE(made->kinds[itemOf(*made, "choice")], ItemKind::Collapsed);
    }

    void aClosedNodeShowsTheGravestRoleInside() {
        const auto tree = withBranches();
        const auto made = scene(tree);
        SceneOverlay overlay;
        overlay.roles.assign(tree->nodeCount(), Role::Shared);
        overlay.roles[node(*tree, "c").index] = Role::Failing;
        const ResolvedOverlay resolved = resolve(overlay, *made);
        QCOMPARE(resolved.roles[itemOf(*made, "choice")], Role::Failing);
        QCOMPARE(resolved.roles[itemOf(*made, "z")], Role::Shared);
    }

    void aFocusRegionCountsWhatItLeavesOut() {
        const auto tree = treeFrom(Attention);
        const std::vector<FlatNodeId> near = neighbourhood(*tree, {node(*tree, "p")}, 1, 100);
        QCOMPARE(near.size(), std::size_t{3}); // s, p, o
        SceneRequest request;
        request.reference.tree = tree;
        request.reference.only = near;
        request.layouter = layoutJoint;
        const auto made = buildScenes(request)->reference;
        QCOMPARE(made->visibleItem(node(*tree, "q")), NoItem);
        QCOMPARE(made->hiddenProducers[itemOf(*made, "s")], 2U);
        QCOMPARE(made->hiddenProducers[itemOf(*made, "p")], 0U);
        QCOMPARE(made->hiddenNodes, std::size_t{2});
        QCOMPARE(neighbourhood(*tree, {node(*tree, "p")}, 9, 2).size(), std::size_t{2});
    }

    void dimmingKeepsWhatIsLitAndWhatItReads() {
        const auto tree = treeFrom(Attention);
        const auto made = scene(tree);
        SceneOverlay overlay;
        overlay.lit = {node(*tree, "q")};
        const ResolvedOverlay resolved = resolve(overlay, *made);
        QVERIFY(!resolved.isDimmed(itemOf(*made, "q")));
        QVERIFY(resolved.isDimmed(itemOf(*made, "p")));
        QVERIFY(!resolved.isDimmed(firstProducer(*made, itemOf(*made, "q")))); // the input x
        overlay.lit = {FlatNodeId(4'000'000U)};
        QVERIFY(resolve(overlay, *made).dimmed.empty()); // only the other side has it: nothing here to step back for
    }

    void valuesBecomeChipsAndThickEdges() {
        const auto tree = treeFrom(Attention);
        const auto made = scene(tree);
        SceneOverlay overlay;
        const FlatValueId s(tree->top().findValue("s").index);
        overlay.chips = {{s, QStringLiteral("0.5"), true, true}, {FlatValueId(), QStringLiteral("lost"), false, false}};
        const ResolvedOverlay resolved = resolve(overlay, *made);
        QCOMPARE(resolved.chips.size(), std::size_t{1});
        QCOMPARE(resolved.chips[0].item, itemOf(*made, "s"));
        for (std::uint32_t e = 0; e < made->edgeCount(); ++e) {
            QCOMPARE(resolved.thickEdges[e] != 0, made->edgeFrom[e] == itemOf(*made, "s"));
        }
    }

    void marksBecomeRoles_data() {
        QTest::addColumn<int>("mark");
        QTest::addColumn<int>("side");
        QTest::addColumn<int>("role");
        const auto row = [](const char* name, NodeMark mark, Side side, Role role) {
            QTest::newRow(name) << static_cast<int>(mark) << static_cast<int>(side) << static_cast<int>(role);
        };
        row("shared", NodeMark::Shared, Side::Reference, Role::Shared);
        row("equal", NodeMark::Equal, Side::Rewritten, Role::Shared);
        row("changed", NodeMark::Changed, Side::Reference, Role::Changed);
        row("failing", NodeMark::Failing, Side::Reference, Role::Failing);
        row("undecided", NodeMark::Undecided, Side::Reference, Role::Undecided);
        row("removed", NodeMark::Only, Side::Reference, Role::OnlyReference);
        row("added", NodeMark::Only, Side::Rewritten, Role::OnlyRewritten);
        row("dead", NodeMark::Dead, Side::Reference, Role::Dead);
    }
    void marksBecomeRoles() {
        QFETCH(int, mark);
        QFETCH(int, side);
        QFETCH(int, role);
        QCOMPARE(static_cast<int>(roleOf(static_cast<NodeMark>(mark), static_cast<Side>(side))), role);
    }

    void tensorsAreSummedUpInAChip() {
        QCOMPARE(valueSummary(Tensor::of<float>(ElementType::F32, {}, {0.5F})), QStringLiteral("0.5"));
        QCOMPARE(valueSummary(Tensor::of<std::int64_t>(ElementType::I64, {2}, {3, 4})), QStringLiteral("[3, 4]"));
        QCOMPARE(valueSummary(Tensor::of<float>(ElementType::F32, {5}, {0, 1, 2, 3, -4})), QStringLiteral("\u22124 \u2026 3"));
        QCOMPARE(valueSummary(Tensor::of<float>(ElementType::F32, {5}, {NAN, NAN, NAN, NAN, NAN})), QStringLiteral("NaN"));
        QCOMPARE(valueSummary(Tensor(ElementType::F32, {0})), QStringLiteral("[]"));
    }

    void theNameSpokenSaysWhatANodeIsToTheOtherGraph() {
        const auto reference = treeFrom(Attention);
        const auto rewritten = treeFrom("q = MatMul x @wq\n");
        const auto marks = correspondenceByName(*reference, *rewritten);
        NodeRelation& failing = marks->reference[node(*reference, "p").index];
        failing.mark = NodeMark::Failing;
        failing.partner = FlatNodeId(0U);
        failing.lemmas = {16};
        const auto made = scene(reference);
        const SceneOverlay overlay = overlayOf(std::shared_ptr<const Correspondence>(marks), rewritten, Side::Reference);
        QCOMPARE(spokenName(*made, overlay, itemOf(*made, "p")), QStringLiteral("Softmax p, failing pair L17, 1 input, 1 output"));
        QCOMPARE(spokenName(*made, overlay, itemOf(*made, "o")), QStringLiteral("MatMul o, only in reference, 2 inputs, 1 output"));
        QVERIFY(itemDetails(*made, overlay, itemOf(*made, "o")).contains(QStringLiteral("no partner: nothing in the rewritten graph computes this")));
        QVERIFY(itemDetails(*made, overlay, itemOf(*made, "p")).contains(QStringLiteral("partner: q")));
        QVERIFY(itemDetails(*made, overlay, itemOf(*made, "p")).contains(QStringLiteral("axis = -1")));
    }

    void toolTipsShowNamesLiterally() { QVERIFY(!asToolTip(QStringLiteral("<b>x</b>")).contains(QStringLiteral("<b>"))); }

    void theSameGraphGivesTheSameScene() {
        const auto a = scene(blocks(300));
        const auto b = scene(blocks(300));
        QCOMPARE(a->boxes, b->boxes);
        QCOMPARE(a->points, b->points);
        QCOMPARE(a->strings, b->strings);
    }

    void aLayouterThatFailsOrErrsIsAnErrorNotACrash() {
        SceneRequest request;
        request.reference.tree = treeFrom(Attention);
        QVERIFY(!buildScenes(request)); // none given
        request.layouter = [](const LayoutGraph&, const LayoutGraph&, std::stop_token) -> Result<JointLayout> { return JointLayout{}; };
        QCOMPARE(buildScenes(request).error().code, ErrorCode::Internal);
        request.layouter = [](const LayoutGraph&, const LayoutGraph&, std::stop_token) -> Result<JointLayout> {
            return fail(ErrorCode::WorkerFailed, "gone");
        };
        QCOMPARE(buildScenes(request).error().code, ErrorCode::WorkerFailed);
        request.layouter = [](const LayoutGraph& graph, const LayoutGraph&, std::stop_token) -> Result<JointLayout> {
            JointLayout joint;
            joint.reference.nodes.assign(graph.nodes.size(), LayoutPoint{NAN, INFINITY});
            joint.reference.edges.assign(graph.edges.size(), {});
            return joint;
        };
        const auto made = buildScenes(request);
        QVERIFY(made);
        QVERIFY(std::isfinite(made->reference->bounds.width()));
    }

    void buildingStopsWhenAsked() {
        SceneRequest request;
        request.reference.tree = blocks(1000);
        request.layouter = layoutJoint;
        std::stop_source source;
        source.request_stop();
        QCOMPARE(buildScenes(request, source.get_token()).error().code, ErrorCode::Cancelled);
    }

    void anEmptyGraphIsAnEmptyScene() {
        const auto made = scene(treeOf(std::make_shared<Graph>()));
        QCOMPARE(made->itemCount(), std::size_t{0});
        QCOMPARE(made->itemAt(QPointF()), NoItem);
        QCOMPARE(closestItem(*made, QPointF()), NoItem);
    }

    void fiftyThousandNodesAreASceneThatCanBeSearched() {
        const auto tree = blocks(50'000);
        const auto made = scene(tree);
        QCOMPARE(tree->nodeCount(), std::size_t{50'000});
        QVERIFY(made->itemCount() > 50'000);
        for (std::uint32_t i = 0; i < made->itemCount(); i += 997) {
            QCOMPARE(made->itemAt(made->boxes[i].center()), i);
        }
    }
};

QTEST_GUILESS_MAIN(TestCanvasScene)
#include "tst_canvas_scene.moc"
