#include "core/layout/neighbourhood.h"

#include <QtTest>

#include <numeric>
#include <vector>

using namespace lemmascope;
using Nodes = std::vector<std::uint32_t>;

namespace {

/// 0 > 1 > ... > n-1.
LayoutGraph chain(std::uint32_t length) {
    LayoutGraph graph;
    graph.nodes.resize(length);
    for (std::uint32_t v = 0; v + 1 < length; ++v)
        graph.edges.push_back({v, v + 1});
    return graph;
}

} // namespace

class TestNeighbourhood : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void hopsGoBothWays() {
        const LayoutGraph graph = chain(10);
        const Nodes focus{5};
        const Neighbourhood part = neighbourhood(graph, focus, 2).value();
        QCOMPARE(part.nodes, (Nodes{3, 4, 5, 6, 7}));
        QCOMPARE(part.hops, (Nodes{2, 1, 0, 1, 2}));
        QCOMPARE(part.edges, (Nodes{3, 4, 5, 6}));
        QCOMPARE(part.graph.edges[0].from, 0U);
        QVERIFY((part.boundary[0] == Neighbourhood::Boundary{1, 0}));
        QVERIFY((part.boundary[4] == Neighbourhood::Boundary{0, 1}));
        QVERIFY((part.boundary[2] == Neighbourhood::Boundary{0, 0}));
        QCOMPARE(part.hiddenNodes, std::size_t{5});
        QVERIFY(!part.limited);
    }

    void noHopsShowTheFocusAlone() {
        const Nodes focus{4, 2, 4};
        const Neighbourhood part = neighbourhood(chain(6), focus, 0).value();
        QCOMPARE(part.nodes, (Nodes{2, 4}));
        QVERIFY(part.graph.edges.empty());
    }

    void nearerNodesComeFirst() {
        const Nodes focus{50};
        const Neighbourhood part = neighbourhood(chain(100), focus, 40, 7).value();
        QCOMPARE(part.nodes, (Nodes{47, 48, 49, 50, 51, 52, 53}));
        QVERIFY(part.limited);
    }

    void aLargeFocusIsCutToo() {
        Nodes focus(400);
        std::iota(focus.begin(), focus.end(), 0U);
        const Neighbourhood part = neighbourhood(chain(500), focus, 2).value();
        QCOMPARE(part.nodes.size(), std::size_t{300});
        QVERIFY(part.limited);
    }

    void sharedConstantsAreNoShortCut() {
        LayoutGraph graph = chain(20);
        graph.nodes.push_back({});
        graph.nodes.back().pulledDown = true; // read by all
        for (std::uint32_t v = 0; v < 20; ++v)
            graph.edges.push_back({20, v});
        const Nodes focus{3}, constant{20};
        QCOMPARE(neighbourhood(graph, focus, 2).value().nodes, (Nodes{1, 2, 3, 4, 5, 20}));
        QCOMPARE(neighbourhood(graph, constant, 1).value().nodes.size(), std::size_t{21}); // but it can be the focus
    }

    void wrongNumbersAreErrors() {
        const Nodes focus{6};
        QCOMPARE(neighbourhood(chain(6), focus, 1).error().code, ErrorCode::BadData);
        LayoutGraph graph = chain(3);
        graph.edges.push_back({0, 3});
        QCOMPARE(neighbourhood(graph, {}, 1).error().code, ErrorCode::BadData);
        QVERIFY(neighbourhood(chain(6), {}, 3).value().nodes.empty());
    }
};

QTEST_APPLESS_MAIN(TestNeighbourhood)
#include "tst_neighbourhood.moc"
