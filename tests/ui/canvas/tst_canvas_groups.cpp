// Groups of nodes in scenes: one item for many, boxes that open, levels and order over reloads.

#include "tests/ui/canvas/canvas_fixture.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/canvas/item_text.h"
#include "ui/canvas/scene_memory.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

using namespace lemmascope;

namespace {

/// Two scopes of three nodes with a node before, between and behind; `a/2` is read in the other scope too, constant c in both.
const char* const Text = "first = Relu x\n"
                         "a/1 = Relu first\n"
                         "a/2 = Mul a/1 @c\n"
                         "a/3 = Add a/2 @only_a\n"
                         "between = Neg a/3\n"
                         "b/1 = Add between a/2\n"
                         "b/2 = Mul b/1 @c\n"
                         "b/3 = Add b/2 a/2\n"
                         "last = Abs b/3\n";

ScenePair grouped(const std::shared_ptr<const GraphTree>& reference, const std::shared_ptr<const GraphTree>& rewritten,
                  const std::shared_ptr<const Correspondence>& correspondence, Grouping grouping, const std::set<std::string>& open = {}) {
    SceneRequest request;
    request.reference.tree = reference;
    request.rewritten.tree = rewritten;
    request.correspondence = correspondence;
    request.groups.grouping = grouping;
    request.groups.toggled = open;
    request.layouter = layoutJoint;
    return buildScenes(request).value();
}

QString titleOf(const GraphScene& scene, std::uint32_t item) {
    return scene.isGroup(item)           ? groupTitle(scene.nodeGroups->groups[scene.groups[item]], scene.side)
           : scene.nodes[item].isValid() ? QString::fromStdString(scene.tree->node(scene.nodes[item]).name)
                                         : QString::fromStdString(scene.tree->value(scene.values[item]).name) +
                                               (scene.kinds[item] == ItemKind::Output ? QStringLiteral("!") : QString());
}

/// `from>to` of all edges, sorted.
QString edgesOf(const GraphScene& scene) {
    QStringList edges;
    for (std::uint32_t e = 0; e < scene.edgeCount(); ++e) {
        edges += titleOf(scene, scene.edgeFrom[e]) + QLatin1Char('>') + titleOf(scene, scene.edgeTo[e]);
    }
    edges.sort();
    return edges.join(QLatin1Char(' '));
}

std::uint32_t itemNamed(const GraphScene& scene, const QString& title) {
    for (std::uint32_t i = 0; i < scene.itemCount(); ++i) {
        if (titleOf(scene, i) == title) {
            return i;
        }
    }
    return NoItem;
}

/// The text of blocks with a share of its operators changed and some nodes added beside the way.
std::string changedBlocks(std::size_t blocks, bool changed) {
    std::ostringstream text;
    std::string last = "x";
    std::size_t count = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        const std::string at = "b" + std::to_string(b) + "_";
        const auto line = [&](const std::string& name, const std::string& op, const std::string& operands) {
            const bool other = changed && ++count % 20 == 0; // 5 %
            text << at << name << (other ? "_new" : "") << " = " << (other ? "Changed" : op) << " " << operands << "\n";
            return at + name + (other ? "_new" : "");
        };
        const std::string q = line("q", "MatMul", last + " @w" + std::to_string(b));
        const std::string k = line("k", "MatMul", last + " @k" + std::to_string(b));
        const std::string v = line("v", "MatMul", last + " @v" + std::to_string(b));
        const std::string s = line("s", "MatMul", q + " " + k);
        const std::string p = line("p", "Softmax", s);
        const std::string o = line("o", "MatMul", p + " " + v);
        const std::string a = line("a", "Add", o + " " + last);
        if (changed && b % 7 == 3) {
            text << at << "added = Neg " << q << "\n";
        }
        last = line("m", "Add", a + " " + p);
    }
    return text.str();
}

} // namespace

class TestCanvasGroups : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aClosedGroupIsOneItem() {
        const auto tree = test::treeFrom(Text);
        const auto scene = grouped(tree, nullptr, nullptr, Grouping::Scopes).reference;
        // One edge for each value that goes in, however often it is read there; what only one group reads is inside it.
        QCOMPARE(edgesOf(*scene), QStringLiteral("a>b a>between b>last between>b c>a c>b first>a last>last! x>first"));
        QCOMPARE(itemNamed(*scene, QStringLiteral("only_a")), NoItem);
        const std::uint32_t a = itemNamed(*scene, QStringLiteral("a"));
        QCOMPARE(scene->kinds[a], ItemKind::Group);
        QCOMPARE(scene->nestedCounts[a], 3U);
        QCOMPARE(scene->signText(a), QStringLiteral("\u229E 3"));
        QCOMPARE(scene->visibleItem(test::node(*tree, "a/2")), a);
        QCOMPARE(scene->hiddenNodes, std::size_t{6});
        QCOMPARE(scene->itemOfValue[tree->top().findValue("a/2").index], a);
        QCOMPARE(spokenName(*scene, {}, a), QStringLiteral("a, 3 nodes inside, closed"));
        QCOMPARE(edgeDetails(*scene, scene->edgesInto(itemNamed(*scene, QStringLiteral("between")))[0]),
                 QStringLiteral("a/3: f32[2,n]\nfrom a\nto operand 1 of Neg between"));
        QVERIFY(itemDetails(*scene, {}, a).contains(QStringLiteral("3 nodes inside")));
    }

    void anOpenGroupIsABoxWithItsBorder() {
        const auto tree = test::treeFrom(Text);
        const auto scene = grouped(tree, nullptr, nullptr, Grouping::Scopes, {"scope:b"}).reference;
        QCOMPARE(edgesOf(*scene),
                 QStringLiteral("a/2>b/1 a/2>b/3 a>b a>between b/1>b/2 b/2>b/3 b/3>b/3! b>last between>b between>b/1 c>a c>b c>b/2 first>a "
                                "last>last! x>first"));
        const std::uint32_t b = scene->itemOfGroup[scene->groups[itemNamed(*scene, QStringLiteral("b"))]];
        QCOMPARE(scene->kinds[b], ItemKind::OpenGroup);
        QCOMPARE(scene->expandedItems, (std::vector<std::uint32_t>{b}));
        const std::uint32_t inside = scene->visibleItem(test::node(*tree, "b/2"));
        QCOMPARE(scene->containers[inside], b);
        QVERIFY(scene->boxes[b].contains(scene->boxes[inside]));
        // Every item is in the box it belongs to, and none but boxes overlap.
        for (std::uint32_t i = 0; i < scene->itemCount(); ++i) {
            if (scene->containers[i] != NoItem) {
                QVERIFY(scene->boxes[scene->containers[i]].contains(scene->boxes[i]));
            }
        }
        QCOMPARE(scene->itemOfValue[tree->top().findValue("b/2").index], inside);
        QCOMPARE(scene->itemAt(scene->headerOf(b).center()), b);
    }

    void groupsOfPartnersStandLevel() {
        const auto reference = test::treeFrom(Text);
        std::string other = Text;
        other.replace(other.find("b/1 = Add between a/2\n"), 22, "b/0 = Neg between\nb/1 = Add b/0 a/2\n");
        const auto rewritten = test::treeFrom(other);
        const auto marks = test::correspondenceByName(*reference, *rewritten);
        for (const std::set<std::string>& open : {std::set<std::string>{}, std::set<std::string>{"scope:a", "scope:b"}}) {
            const ScenePair pair = grouped(reference, rewritten, marks, Grouping::Scopes, open);
            for (const char* name : {"a", "b", "between", "last"}) {
                const std::uint32_t left = itemNamed(*pair.reference, QString::fromLatin1(name)),
                                    right = itemNamed(*pair.rewritten, QString::fromLatin1(name));
                QVERIFY(left != NoItem && right != NoItem);
                QCOMPARE(pair.reference->boxes[left].center().y(), pair.rewritten->boxes[right].center().y());
            }
            for (std::uint32_t n = 0; n < reference->nodeCount(); ++n) {
                const FlatNodeId partner = marks->reference[n].partner;
                QCOMPARE(pair.reference->boxes[pair.reference->visibleItem(FlatNodeId(n))].center().y(),
                         pair.rewritten->boxes[pair.rewritten->visibleItem(partner)].center().y());
            }
        }
    }

    void aClosedGroupSaysWhatItHides() {
        const auto reference = test::treeFrom(Text), rewritten = test::treeFrom(Text);
        const auto marks = test::correspondenceByName(*reference, *rewritten);
        marks->reference[test::node(*reference, "a/2").index].mark = NodeMark::Failing;
        marks->reference[test::node(*reference, "b/2").index].mark = NodeMark::Changed;
        marks->reference[test::node(*reference, "b/3").index].mark = NodeMark::Changed;
        const auto scene = grouped(reference, rewritten, marks, Grouping::Scopes).reference;
        const SceneOverlay overlay = overlayOf(marks, rewritten, Side::Reference);
        const ResolvedOverlay resolved = resolve(overlay, *scene);
        const std::uint32_t a = itemNamed(*scene, QStringLiteral("a")), b = itemNamed(*scene, QStringLiteral("b"));
        QCOMPARE(resolved.roles[a], Role::Failing);
        QCOMPARE(resolved.roles[b], Role::Changed);
        QCOMPARE(resolved.insideText(a), QStringLiteral("\u2717 1  = 2"));
        QCOMPARE(resolved.insideText(b), QStringLiteral("~ 2  = 1"));
        QCOMPARE(resolved.insideText(itemNamed(*scene, QStringLiteral("last"))), QString());
        QVERIFY(spokenName(*scene, overlay, a).contains(roleText(Role::Failing) + QStringLiteral(": 1")));
    }

    void sharedRegionsAreStubsOnBothSides() {
        const auto reference = test::treeFrom(Text);
        std::string other = Text;
        other.replace(other.find("between = Neg"), 13, "between = Exp");
        const auto rewritten = test::treeFrom(other);
        const auto marks = test::correspondenceByName(*reference, *rewritten);
        for (const char* name : {"between", "b/1", "b/2", "b/3", "last"}) {
            marks->reference[test::node(*reference, name).index].mark = NodeMark::Changed;
            marks->rewritten[test::node(*rewritten, name).index].mark = NodeMark::Changed;
        }
        const ScenePair pair = grouped(reference, rewritten, marks, Grouping::Shared);
        for (const auto& scene : {pair.reference, pair.rewritten}) {
            QVERIFY(itemNamed(*scene, QStringLiteral("= 4 shared nodes")) != NoItem);
            QCOMPARE(scene->hiddenNodes, std::size_t{4});
        }
    }

    void everyChoiceOfOpenGroupsKeepsAllEdges_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 1; seed <= 25; ++seed) {
            QTest::addRow("seed %d", seed) << seed;
        }
    }
    void everyChoiceOfOpenGroupsKeepsAllEdges() {
        QFETCH(int, seed);
        std::srand(static_cast<unsigned>(seed));
        std::ostringstream text;
        std::vector<std::string> names{"x"};
        for (int i = 0; i < 80; ++i) {
            const std::string scope = std::string(1, static_cast<char>('a' + std::rand() % 3)) + "/" + (std::rand() % 2 == 0 ? "p/" : "");
            const auto operand = [&] {
                return std::rand() % 6 == 0
                           ? "@c" + std::to_string(std::rand() % 5)
                           : names[names.size() - 1 - static_cast<std::size_t>(std::rand()) % std::min<std::size_t>(names.size(), 12)];
            };
            names.push_back(scope + std::to_string(i));
            const std::string one = operand(), two = operand();
            text << names.back() << " = Add " << (one == names.back() ? "x" : one) << " " << (two == names.back() ? "x" : two) << "\n";
        }
        const auto tree = test::treeFrom(text.str());
        const ScenePair closed = grouped(tree, nullptr, nullptr, Grouping::Scopes);
        QVERIFY(closed.groups != nullptr);
        std::set<std::string> open;
        for (const NodeGroup& group : closed.groups->groups) {
            if (std::rand() % 2 == 0) {
                open.insert(group.key);
            }
        }
        const auto scene = grouped(tree, nullptr, nullptr, Grouping::Scopes, open).reference;
        // From the item that shows a value's producer one gets to each reader's along edges of that value.
        const Graph& graph = tree->top();
        for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
            for (const ValueId operand : graph.nodes[n].operands) {
                const NodeId producer = graph.value(operand).producer;
                if (!producer.isValid()) {
                    continue;
                }
                const std::uint32_t from = scene->visibleItem(FlatNodeId(producer.index)), to = scene->visibleItem(FlatNodeId(n));
                QVERIFY(from != NoItem && to != NoItem);
                std::set<std::uint32_t> reached{from};
                std::vector<std::uint32_t> stack{from};
                while (!stack.empty()) {
                    const std::uint32_t at = stack.back();
                    stack.pop_back();
                    const auto go = [&](std::uint32_t next) {
                        if (reached.insert(next).second) {
                            stack.push_back(next);
                        }
                    };
                    for (const std::uint32_t edge : scene->edgesOutOf(at)) {
                        if (scene->edgeValues[edge].index == operand.index) {
                            go(scene->edgeTo[edge]);
                        }
                    }
                    // Through the border of a box, either way, where it has an item of that value.
                    for (std::uint32_t i = 0; i < scene->itemCount(); ++i) {
                        if (scene->values[i].isValid() && scene->values[i].index == operand.index &&
                            ((scene->kinds[i] == ItemKind::Capture && scene->containers[i] == at))) {
                            go(i);
                        }
                    }
                    if (scene->kinds[at] == ItemKind::Output && scene->containers[at] != NoItem) {
                        go(scene->containers[at]);
                    }
                }
                QVERIFY(reached.contains(to));
            }
        }
        for (std::uint32_t e = 0; e < scene->edgeCount(); ++e) {
            QCOMPARE(scene->containers[scene->edgeFrom[e]], scene->containers[scene->edgeTo[e]]);
            QVERIFY(scene->boxes[scene->edgeFrom[e]].top() < scene->boxes[scene->edgeTo[e]].top()); // none against the flow: no cycle
        }
    }

    void openingKeepsTheGroupWhereItIs() {
        const auto tree = test::treeFrom(Text);
        GraphCanvas canvas;
        canvas.resize(500, 400);
        canvas.show();
        canvas.setScene(grouped(tree, nullptr, nullptr, Grouping::Scopes).reference);
        const std::uint32_t closed = itemNamed(*canvas.scene(), QStringLiteral("a"));
        canvas.setView(canvas.scene()->boxes[closed].center(), 1.0);
        const QSignalSpy asked(&canvas, &GraphCanvas::groupExpansionRequested);
        const QSignalSpy selected(&canvas, &GraphCanvas::groupSelected);
        const QPointF sign = canvas.toViewport(canvas.scene()->signBox(closed).center());
        QTest::mouseClick(canvas.viewport(), Qt::LeftButton, Qt::NoModifier, sign.toPoint());
        QCOMPARE(selected.size(), 1);
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked[0][0].toUInt(), canvas.scene()->groups[closed]);
        QCOMPARE(asked[0][1].toBool(), true);
        canvas.setScene(grouped(tree, nullptr, nullptr, Grouping::Scopes, {"scope:a"}).reference);
        const std::uint32_t open = canvas.selectedItem();
        QCOMPARE(canvas.scene()->kinds[open], ItemKind::OpenGroup);
        // Its sign is still under the pointer.
        const QPointF now = canvas.toViewport(canvas.scene()->signBox(open).center());
        QVERIFY(QLineF(now, sign).length() < 12.0);
        QTest::keyClick(&canvas, Qt::Key_Return);
        QCOMPARE(asked.size(), 2);
        QCOMPARE(asked[1][1].toBool(), false);
    }

    /// UI.md, aim 9: after 5 % of the nodes have changed.
    void aReloadedVersionKeepsItsPicture() {
        const auto before = test::treeFrom(changedBlocks(60, false)), after = test::treeFrom(changedBlocks(60, true));
        const ScenePair old = test::scenes(before, before, test::correspondenceByName(*before, *before));
        SceneRequest request;
        request.reference.tree = before;
        request.rewritten.tree = after;
        const auto marks = test::correspondenceByName(*before, *after);
        request.correspondence = marks;
        request.earlier[0] = old.reference;
        request.earlier[1] = old.rewritten;
        request.layouter = layoutJoint;
        const ScenePair now = buildScenes(request).value();
        std::vector<double> across, down;
        double width = 0.0;
        std::size_t level = 0, partners = 0, kept = 0;
        const SceneMemory memory(*old.rewritten);
        std::vector<std::pair<std::pair<double, double>, double>> order; // new row, new x, old x
        for (std::uint32_t item = 0; item < now.rewritten->itemCount(); ++item) {
            const std::uint32_t was = memory.find(lastingName(*now.rewritten, item));
            if (was == NoItem || !now.rewritten->nodes[item].isValid()) {
                continue;
            }
            ++kept;
            across.push_back(std::abs(now.rewritten->boxes[item].center().x() - old.rewritten->boxes[was].center().x()));
            down.push_back(std::abs(now.rewritten->boxes[item].center().y() - old.rewritten->boxes[was].center().y()));
            width += now.rewritten->boxes[item].width();
            order.push_back(
                {{now.rewritten->boxes[item].center().y(), now.rewritten->boxes[item].center().x()}, old.rewritten->boxes[was].center().x()});
        }
        for (std::uint32_t n = 0; n < before->nodeCount(); ++n) {
            const FlatNodeId partner = marks->reference[n].partner;
            if (partner.isValid()) {
                ++partners;
                level += std::abs(now.reference->boxes[now.reference->itemOfNode[n]].center().y() -
                                  now.rewritten->boxes[now.rewritten->itemOfNode[partner.index]].center().y()) < 0.5
                             ? 1
                             : 0;
            }
        }
        QVERIFY(kept > before->nodeCount() * 9 / 10 && kept < before->nodeCount());
        std::sort(across.begin(), across.end());
        std::sort(down.begin(), down.end());
        qInfo("median moved across %.1f px, down %.1f px, level %zu of %zu", across[across.size() / 2], down[down.size() / 2], level, partners);
        QVERIFY(across[across.size() / 2] <= width / static_cast<double>(kept));
        QCOMPARE(down[down.size() / 2], 0.0);
        QVERIFY(static_cast<double>(level) >= 0.99 * static_cast<double>(partners));
        // Those of one row stand in the order they stood in.
        std::sort(order.begin(), order.end());
        for (std::size_t i = 1; i < order.size(); ++i) {
            if (order[i].first.first == order[i - 1].first.first) {
                QVERIFY(order[i - 1].second < order[i].second);
            }
        }
    }

    void theViewStaysOverAReload() {
        const auto before = test::treeFrom(changedBlocks(30, false)), after = test::treeFrom("early = Relu x\n" + changedBlocks(30, true));
        GraphCanvas canvas;
        canvas.resize(600, 400);
        canvas.show();
        canvas.setScene(test::scene(before));
        const FlatNodeId node = test::node(*before, "b17_o");
        canvas.centreOn({node}, false);
        canvas.selectNode(node);
        canvas.panTo(canvas.viewCentre() + QPointF(40.0, -30.0));
        const QPointF at = canvas.toViewport(canvas.scene()->boxes[canvas.selectedItem()].center());
        const double scale = canvas.scale();
        canvas.keepView();
        canvas.setScene(nullptr);
        canvas.setScene(test::scene(after));
        QCOMPARE(canvas.selectedNode(), test::node(*after, "b17_o"));
        QVERIFY(canvas.selectedNode() != node);
        QCOMPARE(canvas.scale(), scale);
        QVERIFY(QLineF(canvas.toViewport(canvas.scene()->boxes[canvas.selectedItem()].center()), at).length() < 0.5);
        // Another pair begins anew.
        canvas.setScene(nullptr);
        canvas.setScene(test::scene(before));
        QVERIFY(!canvas.selectedNode().isValid());
        QVERIFY(canvas.isFirstView());
    }

    void aConstantThatManyReadIsNoHairball() {
        std::ostringstream text;
        text << "n0 = Mul x @c\n";
        for (int i = 1; i < 200; ++i) {
            text << "n" << i << " = Mul n" << i - 1 << " @c\n";
        }
        const auto scene = test::scene(test::treeFrom(text.str()));
        std::size_t drawn = 0, stubs = 0;
        for (std::uint32_t e = 0; e < scene->edgeCount(); ++e) {
            if (scene->kinds[scene->edgeFrom[e]] == ItemKind::Constant) {
                (scene->edgeStubs[e] ? stubs : drawn) += 1;
                if (scene->edgeStubs[e]) {
                    // It arrives beside the line from the node before, where it can be seen.
                    const std::uint32_t reader = scene->edgeTo[e];
                    const double x = scene->edgePoints(e).back().x();
                    QVERIFY(x > scene->boxes[reader].left() && x < scene->boxes[reader].center().x() - 10.0);
                }
            }
        }
        QCOMPARE(drawn + stubs, std::size_t{200});
        QVERIFY(drawn <= 2);
    }
};

QTEST_MAIN(TestCanvasGroups)
#include "tst_canvas_groups.moc"
