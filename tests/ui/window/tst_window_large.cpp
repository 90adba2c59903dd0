// Thousands of nodes: opening leaves the window live, and a jump to a lemma is quick. Limits are several times what was measured,
// so that only a change of kind (something quadratic, something on the UI thread) fails; the numbers are printed.

#include "tests/ui/window/fakes.h"

#include "core/layout/layered.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/panels/verdict_banner.h"
#include "ui/window/main_window.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

/// `count` nodes, each reading two before it; the one in the middle has another name in the rewritten graph.
std::shared_ptr<const Graph> largeGraph(std::size_t count, bool rewritten) {
    auto graph = std::make_shared<Graph>();
    Value input;
    input.name = "x";
    input.type = {ElementType::F32, Shape{Dim(4), Dim(4)}};
    graph->inputs.push_back(graph->addValue(input));
    for (std::size_t i = 0; i < count; ++i) {
        Value value;
        value.name = "v" + std::to_string(i);
        value.type = input.type;
        Node node;
        node.op = {"", rewritten && i == count / 2 ? "Sub" : i % 3 == 0 ? "Relu" : "Add", 17};
        node.name = "n" + std::to_string(i);
        node.operands = {ValueId(i)};
        if (i % 3 != 0) {
            node.operands.emplace_back(i > 40 ? i - 40 : 0);
        }
        node.results = {graph->addValue(value)};
        graph->addNode(std::move(node));
    }
    graph->outputs = {ValueId(count)};
    return graph;
}

Services largeServices(std::size_t count) {
    Services services;
    services.load = [count](const std::filesystem::path& path, std::stop_token) -> Result<std::shared_ptr<const Graph>> {
        return largeGraph(count, path.filename().string().find(".rew.") != std::string::npos);
    };
    services.check = [](std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten, const CheckOptions&, const CheckWatch& watch,
                        std::stop_token) -> Result<CheckResult> {
        CheckResult result;
        result.reference = std::make_shared<const GraphTree>(*GraphTree::build(reference));
        result.rewritten = std::make_shared<const GraphTree>(*GraphTree::build(rewritten));
        const std::size_t all = reference->nodes.size();
        for (std::size_t i = 0; i < all; ++i) {
            const NodeMark mark = i == all / 2 ? NodeMark::Failing : i > all / 2 ? NodeMark::Changed : NodeMark::Shared;
            result.correspondence.reference.push_back({mark, FlatNodeId(i), mark == NodeMark::Shared ? "" : "differs", {}});
            result.correspondence.rewritten.push_back({mark, FlatNodeId(i), mark == NodeMark::Shared ? "" : "differs", {}});
        }
        watch.correspondence(result.correspondence);
        for (std::size_t i = 0; i < 500; ++i) {
            LemmaResult lemma;
            lemma.id = "L" + std::to_string(i + 1);
            lemma.verdict = i == 250 ? LemmaVerdict::Fails : LemmaVerdict::Holds;
            lemma.title = "Add = Add";
            lemma.text = std::string(20'000, ';');
            const FlatNodeId node(i == 250 ? all / 2 : i);
            lemma.referenceNodes = {node};
            lemma.rewrittenNodes = {node};
            result.lemmas.push_back(std::move(lemma));
        }
        result.verdict = Verdict::Unproved;
        result.reason = "differs";
        return result;
    };
    services.layout = [](const LayoutGraph& reference, const LayoutGraph& rewritten, std::stop_token stop) {
        return layoutJoint(reference, rewritten, stop);
    };
    return services;
}

/// The longest time the event loop was away.
class Watchdog {
  public:
    Watchdog() {
        m_clock.start();
        m_timer.setTimerType(Qt::PreciseTimer);
        m_timer.setInterval(2);
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { m_longest = std::max(m_longest, m_clock.restart()); });
        m_timer.start();
    }
    [[nodiscard]] qint64 longestMs() const { return m_longest; }

  private:
    QTimer m_timer;
    QElapsedTimer m_clock;
    qint64 m_longest = 0;
};

} // namespace

class TestWindowLarge : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void opensAndJumps_data() {
        QTest::addColumn<int>("nodes");
        QTest::newRow("2,000") << 2'000;
        QTest::newRow("20,000") << 20'000;
    }
    void opensAndJumps() {
        QFETCH(int, nodes);
        QTemporaryDir folder;
        qputenv("XDG_CONFIG_HOME", QFile::encodeName(folder.path()));
        MainWindow window(largeServices(static_cast<std::size_t>(nodes)), {}, {});
        window.resize(1366, 728);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            window.canvas(side)->setAnimated(false);
        }
        Watchdog watchdog;
        QElapsedTimer clock;
        clock.start();
        window.openPair(makeFile(folder.path(), QStringLiteral("large.ref.json")), makeFile(folder.path(), QStringLiteral("large.rew.json")));
        QVERIFY(QTest::qWaitFor([&] { return window.session()->isIdle() && window.canvas(Side::Reference)->scene() != nullptr; }, 60'000));
        const qint64 opened = clock.restart();
        window.goToNextFailing(false);
        window.canvas(Side::Reference)->viewport()->repaint();
        window.canvas(Side::Rewritten)->viewport()->repaint();
        const qint64 jumped = clock.elapsed();
        QCOMPARE(window.currentLemma(), std::optional<std::size_t>(250));
        const std::uint32_t item = window.canvas(Side::Rewritten)->scene()->visibleItem(FlatNodeId(static_cast<std::size_t>(nodes) / 2));
        QVERIFY(window.canvas(Side::Rewritten)->visibleArea().contains(window.canvas(Side::Rewritten)->scene()->boxes[item].center()));
        qInfo("%d nodes: opened in %lld ms, longest stall %lld ms, jump %lld ms", nodes, static_cast<long long>(opened),
              static_cast<long long>(watchdog.longestMs()), static_cast<long long>(jumped));
        QVERIFY(opened < 20'000);
        QVERIFY(watchdog.longestMs() < 2'000);
        QVERIFY(jumped < 2'000);
    }
};

QTEST_MAIN(TestWindowLarge)
#include "tst_window_large.moc"
