// Groups of nodes by clicks and keys, and what stays over a reload. Six layers whose names tell their scopes; layer 3 of the
// rewritten graph is another.

#include "tests/ui/window/fakes.h"

#include "core/layout/layered.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/canvas/item_text.h"
#include "ui/window/groups_part.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QMenu>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

constexpr std::size_t PerLayer = 5;

/// `extra`: nodes in front, as another version of the file has.
std::shared_ptr<const Graph> layers(std::size_t count, bool rewritten, int extra) {
    auto graph = std::make_shared<Graph>();
    const TensorType type{ElementType::F32, Shape{Dim(4), Dim(4)}};
    const auto value = [&](const std::string& name) {
        Value made;
        made.name = name;
        made.type = type;
        return graph->addValue(std::move(made));
    };
    ValueId last = value("x");
    graph->inputs = {last};
    const auto node = [&](const std::string& name, const std::string& op, std::vector<ValueId> operands) {
        Node made;
        made.op = {"", op, 17};
        made.name = name;
        made.operands = std::move(operands);
        made.results = {value(name + ":0")};
        const ValueId result = made.results[0];
        graph->addNode(std::move(made));
        return result;
    };
    for (int i = 0; i < extra; ++i) {
        last = node("early" + std::to_string(i), "Neg", {last});
    }
    for (std::size_t layer = 0; layer < count; ++layer) {
        const std::string at = "layer." + std::to_string(layer) + "/";
        const ValueId norm = node(at + "norm", "Abs", {last});
        const ValueId query = node(at + "query", "Relu", {norm});
        const ValueId key = node(at + "key", "Exp", {norm});
        const ValueId score = node(at + "score", rewritten && layer == count / 2 ? "Sub" : "MatMul", {query, key});
        last = node(at + "add", "Add", {score, last});
    }
    graph->outputs = {last};
    return graph;
}

std::uint32_t named(const Graph& graph, const std::string& name) {
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        if (graph.nodes[n].name == name) {
            return n;
        }
    }
    return 0xFFFFFFFFU;
}

/// A window over such graphs.
struct Fixture {
    explicit Fixture(std::size_t layerCount = 6) : count(layerCount) {
        qputenv("XDG_CONFIG_HOME", QFile::encodeName(folder.path() + QStringLiteral("/config")));
        Services services;
        services.load = [this](const std::filesystem::path& path, std::stop_token) -> Result<std::shared_ptr<const Graph>> {
            return layers(count, path.filename().string().find(".rew.") != std::string::npos, extra);
        };
        services.check = [this](std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten, const CheckOptions&,
                                const CheckWatch& watch, std::stop_token) -> Result<CheckResult> {
            CheckResult result;
            result.reference = std::make_shared<const GraphTree>(*GraphTree::build(reference));
            result.rewritten = std::make_shared<const GraphTree>(*GraphTree::build(rewritten));
            const std::size_t all = reference->nodes.size();
            const std::uint32_t wrong = named(*reference, "layer." + std::to_string(count / 2) + "/score");
            for (std::size_t i = 0; i < all; ++i) {
                const NodeMark mark = i == wrong      ? NodeMark::Failing
                                      : i > wrong + 1 ? NodeMark::Equal
                                      : i > wrong     ? NodeMark::Changed
                                                      : NodeMark::Shared;
                result.correspondence.reference.push_back({mark, FlatNodeId(i), mark == NodeMark::Shared ? "" : "differs", {}});
                result.correspondence.rewritten.push_back({mark, FlatNodeId(i), mark == NodeMark::Shared ? "" : "differs", {}});
            }
            watch.correspondence(result.correspondence);
            for (const std::uint32_t node : {wrong, named(*reference, "layer.1/query")}) {
                LemmaResult lemma;
                lemma.id = node == wrong ? "L1" : "L2";
                lemma.verdict = node == wrong ? LemmaVerdict::Fails : LemmaVerdict::Holds;
                lemma.title = "one = other";
                lemma.referenceNodes = lemma.rewrittenNodes = {FlatNodeId(node)};
                result.lemmas.push_back(std::move(lemma));
            }
            result.verdict = Verdict::Unproved;
            result.reason = "differs";
            return result;
        };
        services.layout = layoutJoint;
        window = std::make_unique<MainWindow>(services, std::vector<ExamplePair>{}, (folder.path() + QStringLiteral("/state")).toStdString());
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            window->canvas(side)->setAnimated(false);
        }
        window->setGoesToFailing(false);
        window->resize(1366, 728);
        window->show();
        window->activateWindow();
        part = window->findChild<GroupsPart*>();
    }
    [[nodiscard]] bool open() {
        window->openPair(makeFile(folder.path(), QStringLiteral("a.ref.json")), makeFile(folder.path(), QStringLiteral("a.rew.json")));
        return settle() && QTest::qWaitForWindowActive(window.get());
    }
    [[nodiscard]] bool settle() {
        return QTest::qWaitFor([this] { return window->session()->isIdle() && window->canvas(Side::Reference)->scene() != nullptr; }, 10'000);
    }
    [[nodiscard]] GraphCanvas* canvas(Side side = Side::Reference) const { return window->canvas(side); }
    /// The entry of View > Groups whose text, without its accelerator, begins so.
    [[nodiscard]] QAction* entry(const QString& text) const {
        for (QAction* action : part->menu()->actions()) {
            if (action->text().remove(u'&').startsWith(text)) {
                return action;
            }
        }
        return nullptr;
    }
    [[nodiscard]] bool choose(const QString& text) {
        entry(text)->trigger();
        return settle();
    }
    [[nodiscard]] std::uint32_t item(const QString& group, Side side = Side::Reference) const {
        const GraphScene& scene = *canvas(side)->scene();
        for (std::uint32_t i = 0; i < scene.itemCount(); ++i) {
            if (scene.isGroup(i) && groupTitle(scene.nodeGroups->groups[scene.groups[i]], side) == group) {
                return i;
            }
        }
        return NoItem;
    }
    void click(std::uint32_t at, bool sign, Side side = Side::Reference) const {
        canvas(side)->ensureVisible(at);
        const QRectF box = sign ? canvas(side)->scene()->signBox(at) : canvas(side)->scene()->headerOf(at);
        const QPointF point = sign ? box.center() : QPointF(box.left() + 30.0, box.center().y());
        QTest::mouseClick(canvas(side)->viewport(), Qt::LeftButton, Qt::NoModifier, canvas(side)->toViewport(point).toPoint());
    }
    [[nodiscard]] bool isOpen(const QString& group, Side side = Side::Reference) const {
        const std::uint32_t at = item(group, side);
        return at != NoItem && canvas(side)->scene()->isOpen(at);
    }

    std::size_t count;
    std::atomic<int> extra{0};
    QTemporaryDir folder;
    std::unique_ptr<MainWindow> window;
    GroupsPart* part = nullptr;
};

} // namespace

class TestWindowGroups : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aSmallPairStartsWithoutGroups() {
        Fixture fixture;
        QVERIFY(fixture.open());
        QCOMPARE(fixture.canvas()->scene()->hiddenNodes, std::size_t{0});
        QVERIFY(fixture.entry(QStringLiteral("Automatic"))->isChecked());
        QCOMPARE(fixture.window->session()->grouping(), Grouping::None);
    }

    void aLargePairStartsWithSharedRegionsClosed() {
        Fixture fixture(100);
        QVERIFY(fixture.open());
        QCOMPARE(fixture.window->session()->grouping(), Grouping::Shared);
        // All before the wrong layer, but for the two of its nodes that are not; level on both sides.
        const QString title = QStringLiteral("= %1 shared nodes").arg(50 * PerLayer + 3);
        const std::uint32_t left = fixture.item(title), right = fixture.item(title, Side::Rewritten);
        QVERIFY(left != NoItem && right != NoItem);
        QCOMPARE(fixture.canvas()->scene()->boxes[left].center().y(), fixture.canvas(Side::Rewritten)->scene()->boxes[right].center().y());
        QVERIFY(fixture.choose(QStringLiteral("None")));
        QCOMPARE(fixture.canvas()->scene()->hiddenNodes, std::size_t{0});
    }

    void groupsOpenAndCloseByClickAndKey() {
        Fixture fixture;
        QVERIFY(fixture.open());
        QVERIFY(fixture.choose(QStringLiteral("By Scope")));
        const QString layer = QStringLiteral("layer.2");
        QVERIFY(fixture.item(layer) != NoItem);
        QVERIFY(!fixture.isOpen(layer));
        fixture.canvas()->resetZoom();
        // A click on the sign opens, on both sides.
        fixture.click(fixture.item(layer), true);
        QVERIFY(fixture.settle());
        QVERIFY(fixture.isOpen(layer));
        QVERIFY(fixture.isOpen(layer, Side::Rewritten));
        QVERIFY(!fixture.isOpen(QStringLiteral("layer.1")));
        // What was clicked is still selected, on both sides; Return closes it, Return opens it again.
        QCOMPARE(fixture.canvas()->selectedItem(), fixture.item(layer));
        QCOMPARE(fixture.canvas(Side::Rewritten)->selectedItem(), fixture.item(layer, Side::Rewritten));
        fixture.canvas()->setFocus();
        QTest::keyClick(fixture.canvas(), Qt::Key_Return);
        QVERIFY(fixture.settle());
        QVERIFY(!fixture.isOpen(layer));
        QTest::keyClick(fixture.canvas(), Qt::Key_O);
        QVERIFY(fixture.settle());
        QVERIFY(fixture.isOpen(layer));
        // From a node inside, C closes the group around it.
        fixture.window->selectNode(Side::Reference, FlatNodeId(named(*fixture.window->session()->session().referenceGraph, "layer.2/key")));
        QTest::keyClick(fixture.canvas(), Qt::Key_C);
        QVERIFY(fixture.settle());
        QVERIFY(!fixture.isOpen(layer));
        QCOMPARE(fixture.canvas()->selectedItem(), fixture.item(layer));
    }

    void allGroupsOpenAndClose() {
        Fixture fixture;
        QVERIFY(fixture.open());
        QVERIFY(fixture.choose(QStringLiteral("By Repeated Block")));
        const std::size_t closed = fixture.canvas()->scene()->hiddenNodes;
        QVERIFY(closed > 4 * PerLayer);
        QTest::keyClick(fixture.window.get(), Qt::Key_Right, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.canvas()->scene()->hiddenNodes, std::size_t{0});
        QVERIFY(!fixture.canvas()->scene()->expandedItems.empty());
        QTest::keyClick(fixture.window.get(), Qt::Key_Left, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.canvas()->scene()->hiddenNodes, closed);
    }

    void aClosedGroupSaysThatSomethingFailsInIt() {
        Fixture fixture;
        QVERIFY(fixture.open());
        QVERIFY(fixture.choose(QStringLiteral("By Scope")));
        const std::uint32_t wrong = fixture.item(QStringLiteral("layer.3"));
        QCOMPARE(fixture.canvas()->resolvedOverlay().roles[wrong], Role::Failing);
        QCOMPARE(fixture.canvas()->resolvedOverlay().insideText(wrong), QStringLiteral("\u2717 1  ~ 1  = 3"));
        QVERIFY(fixture.canvas()->describe(wrong).contains(roleText(Role::Failing)));
    }

    void goingToALemmaOpensTheGroupItIsIn() {
        Fixture fixture;
        QVERIFY(fixture.open());
        QVERIFY(fixture.choose(QStringLiteral("By Scope")));
        QTest::keyClick(fixture.window.get(), Qt::Key_F8);
        QVERIFY(fixture.settle());
        QVERIFY(fixture.isOpen(QStringLiteral("layer.3")));
        QVERIFY(!fixture.isOpen(QStringLiteral("layer.2")));
        const FlatNodeId wrong(named(*fixture.window->session()->session().referenceGraph, "layer.3/score"));
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            const GraphCanvas* canvas = fixture.canvas(side);
            QCOMPARE(canvas->selectedNode(), wrong);
            const QPointF at = canvas->toViewport(canvas->scene()->boxes[canvas->selectedItem()].center());
            QVERIFY(QLineF(at, QPointF(canvas->viewport()->rect().center())).length() < 3.0);
        }
        QCOMPARE(fixture.window->currentLemma(), std::optional<std::size_t>(0));
        // So does going to a node.
        fixture.window->goToNode(Side::Rewritten, FlatNodeId(named(*fixture.window->session()->session().rewrittenGraph, "layer.5/key")));
        QVERIFY(fixture.settle());
        QVERIFY(fixture.isOpen(QStringLiteral("layer.5")));
        QCOMPARE(fixture.canvas(Side::Rewritten)->selectedNode().index, named(*fixture.window->session()->session().rewrittenGraph, "layer.5/key"));
    }

    void groupsSelectionAndViewStayOverAReload() {
        Fixture fixture;
        QVERIFY(fixture.open());
        QVERIFY(fixture.choose(QStringLiteral("By Scope")));
        fixture.canvas()->resetZoom();
        fixture.click(fixture.item(QStringLiteral("layer.4")), true);
        QVERIFY(fixture.settle());
        const auto key = [&] { return FlatNodeId(named(*fixture.window->session()->session().referenceGraph, "layer.4/key")); };
        fixture.window->goToNode(Side::Reference, key());
        const FlatNodeId was = key();
        const QPointF at = fixture.canvas()->toViewport(fixture.canvas()->scene()->boxes[fixture.canvas()->selectedItem()].center());
        // Another version: all ids are others.
        fixture.extra = 3;
        QTest::keyClick(fixture.window.get(), Qt::Key_F5);
        QVERIFY(QTest::qWaitFor([&] { return fixture.window->session()->session().referenceGraph->nodes.size() == 6 * PerLayer + 3; }, 5'000));
        QVERIFY(fixture.settle());
        QVERIFY(key() != was);
        QVERIFY(fixture.isOpen(QStringLiteral("layer.4")));
        QVERIFY(!fixture.isOpen(QStringLiteral("layer.3")));
        QVERIFY(fixture.entry(QStringLiteral("By Scope"))->isChecked());
        QCOMPARE(fixture.canvas()->selectedNode(), key());
        QCOMPARE(fixture.window->selection().node, key());
        // Scroll bars come and go with the scene: the place counts once they are laid out.
        const auto now = [&] { return fixture.canvas()->toViewport(fixture.canvas()->scene()->boxes[fixture.canvas()->selectedItem()].center()); };
        const bool stayed = QTest::qWaitFor([&] { return QLineF(at, now()).length() < 0.5; }, 2'000);
        QVERIFY2(stayed, qPrintable(QStringLiteral("%1,%2 to %3,%4").arg(at.x()).arg(at.y()).arg(now().x()).arg(now().y())));
    }
};

QTEST_MAIN(TestWindowGroups)
#include "tst_window_groups.moc"
