#include "core/layout/dot_layout.h"
#include "core/worker/worker_pool.h"

#include <QtTest>

#include <cmath>

using namespace lemmascope;

namespace {

WorkerPool::Options worker() {
    WorkerPool::Options options;
    options.executable = TEST_WORKER;
    options.arguments = {};
    options.workers = 1;
    return options;
}

} // namespace

class TestDotLayout : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void edgesJoinTheirBoxes() {
        WorkerPool pool(worker());
        LayoutGraph graph;
        for (const double height : {30.0, 50.0, 20.0, 36.0})
            graph.nodes.push_back({100.0, height, 0xFFFFFFFFU, false});
        graph.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 3}};
        const Layout layout = layoutWithDot(pool, graph, {}).value();
        QCOMPARE(layout.layers, (std::vector<std::uint32_t>{0, 1, 1, 2}));
        for (std::size_t e = 0; e < 4; ++e) {
            const auto [from, to] = std::pair(graph.edges[e].from, graph.edges[e].to);
            QCOMPARE(layout.edges[e].size(), std::size_t{2});
            QCOMPARE(layout.edges[e][0].y, layout.nodes[from].y + graph.nodes[from].height / 2);
            QCOMPARE(layout.edges[e][1].y, layout.nodes[to].y - graph.nodes[to].height / 2);
            QVERIFY(layout.edges[e][0].y < layout.edges[e][1].y);
            QVERIFY(!layout.stub[e]);
        }
        QVERIFY(layout.stub[4]);
        QVERIFY(std::abs(layout.nodes[1].x - layout.nodes[2].x) >= 100.0);
        QVERIFY(layout.height >= 30 + 50 + 36);
        QVERIFY(layoutWithDot(pool, graph, {}).value() == layout);
    }

    void tooMuchIsAnError() {
        WorkerPool pool(worker());
        LayoutGraph graph;
        graph.nodes.resize(301);
        QCOMPARE(layoutWithDot(pool, graph, {}).error().code, ErrorCode::TooLarge);
    }

    void stoppedLayoutIsCancelled() {
        WorkerPool pool(worker());
        LayoutGraph graph;
        graph.nodes.resize(2);
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(layoutWithDot(pool, graph, stop.get_token()).error().code, ErrorCode::Cancelled);
    }
};

QTEST_APPLESS_MAIN(TestDotLayout)
#include "tst_dot_layout.moc"
