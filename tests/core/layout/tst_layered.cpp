#include "core/layout/layered.h"
#include "core/layout/ordering.h"

#include <QtTest>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace lemmascope;

namespace {

/// `0>1 1>2`: edges; nodes are numbered up to the largest named.
LayoutGraph graphOf(const std::string& text) {
    LayoutGraph graph;
    std::size_t at = 0;
    const auto number = [&] {
        std::uint32_t value = 0;
        while (at < text.size() && text[at] >= '0' && text[at] <= '9')
            value = value * 10 + static_cast<std::uint32_t>(text[at++] - '0');
        if (graph.nodes.size() <= value)
            graph.nodes.resize(value + 1);
        return value;
    };
    while (at < text.size()) {
        const std::uint32_t from = number();
        if (at < text.size() && text[at] == '>') {
            ++at;
            graph.edges.push_back({from, number()});
        }
        while (at < text.size() && text[at] == ' ')
            ++at;
    }
    return graph;
}

/// A random graph whose edges go from lower to higher numbers, with boxes of many sizes.
LayoutGraph randomGraph(std::uint32_t nodeCount, std::uint32_t edgeCount, std::uint32_t window, unsigned seed) {
    std::mt19937 random(seed);
    LayoutGraph graph;
    graph.nodes.resize(nodeCount);
    for (LayoutGraph::Node& node : graph.nodes) {
        node.width = 20.0 + static_cast<double>(random() % 200);
        node.height = 10.0 + static_cast<double>(random() % 60);
        node.pulledDown = random() % 5 == 0;
    }
    for (std::uint32_t e = 0; e < edgeCount; ++e) {
        const auto from = static_cast<std::uint32_t>(random() % (nodeCount - 1));
        const auto to = static_cast<std::uint32_t>(from + 1 + random() % std::min(window, nodeCount - 1 - from));
        graph.edges.push_back({from, to});
    }
    return graph;
}

/// What is wrong with a layout as a picture, or an empty text.
std::string faultIn(const LayoutGraph& graph, const Layout& layout) {
    if (layout.nodes.size() != graph.nodes.size() || layout.edges.size() != graph.edges.size() || layout.stub.size() != graph.edges.size() ||
        layout.layers.size() != graph.nodes.size())
        return "sizes differ";
    std::map<std::uint32_t, std::vector<std::uint32_t>> byLayer;
    for (std::uint32_t v = 0; v < graph.nodes.size(); ++v) {
        byLayer[layout.layers[v]].push_back(v);
        const double left = layout.nodes[v].x - graph.nodes[v].width / 2, right = left + graph.nodes[v].width;
        const double top = layout.nodes[v].y - graph.nodes[v].height / 2, bottom = top + graph.nodes[v].height;
        if (left < -1e-6 || top < -1e-6 || right > layout.width + 1e-6 || bottom > layout.height + 1e-6)
            return "node " + std::to_string(v) + " outside the picture";
    }
    double previousBottom = -1e9;
    for (auto& [layer, nodes] : byLayer) {
        std::ranges::sort(nodes, {}, [&](std::uint32_t v) { return layout.nodes[v].x; });
        double bottom = previousBottom;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const LayoutGraph::Node& node = graph.nodes[nodes[i]];
            if (layout.nodes[nodes[i]].y != layout.nodes[nodes[0]].y)
                return "layer " + std::to_string(layer) + " is not level";
            if (layout.nodes[nodes[i]].y - node.height / 2 < previousBottom)
                return "layer " + std::to_string(layer) + " overlaps the one above";
            bottom = std::max(bottom, layout.nodes[nodes[i]].y + node.height / 2);
            if (i > 0) {
                const LayoutGraph::Node& before = graph.nodes[nodes[i - 1]];
                if (layout.nodes[nodes[i]].x - node.width / 2 < layout.nodes[nodes[i - 1]].x + before.width / 2 + 1.0)
                    return "nodes " + std::to_string(nodes[i - 1]) + " and " + std::to_string(nodes[i]) + " overlap";
            }
        }
        previousBottom = bottom;
    }
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        const std::uint32_t from = graph.edges[e].from, to = graph.edges[e].to;
        const std::vector<LayoutPoint>& line = layout.edges[e];
        if (line.size() < 2)
            return "edge without ends";
        if (std::abs(line.front().y - (layout.nodes[from].y + graph.nodes[from].height / 2)) > 1e-6 ||
            std::abs(line.back().y - (layout.nodes[to].y - graph.nodes[to].height / 2)) > 1e-6)
            return "edge " + std::to_string(e) + " does not join its boxes";
        if (std::abs(line.back().x - layout.nodes[to].x) > graph.nodes[to].width / 2 + 1e-6)
            return "edge " + std::to_string(e) + " misses its box";
        if (layout.stub[e])
            continue;
        if (layout.layers[from] >= layout.layers[to])
            return "edge " + std::to_string(e) + " does not go down";
        for (std::size_t i = 1; i < line.size(); ++i) {
            if (line[i].y < line[i - 1].y)
                return "edge " + std::to_string(e) + " goes up";
            if (line[i].y != line[i - 1].y && line[i].x != line[i - 1].x)
                return "edge " + std::to_string(e) + " slants";
        }
    }
    return {};
}

} // namespace

class TestLayered : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void emptyGraphHasNoSize() {
        const Result<Layout> layout = layoutLayered({}, {});
        QVERIFY(layout);
        QCOMPARE(layout->width, 0.0);
    }

    void picturesAreSound_data() {
        QTest::addColumn<unsigned>("nodes");
        QTest::addColumn<unsigned>("edges");
        QTest::addColumn<unsigned>("window");
        for (const unsigned nodes : {2U, 5U, 20U, 100U, 1000U})
            for (const unsigned density : {1U, 2U, 4U})
                for (const unsigned window : {1U, 8U, 1000U})
                    QTest::addRow("%u nodes, %u edges each, window %u", nodes, density, window) << nodes << nodes * density << window;
    }
    void picturesAreSound() {
        QFETCH(unsigned, nodes);
        QFETCH(unsigned, edges);
        QFETCH(unsigned, window);
        for (unsigned seed = 0; seed < 5; ++seed) {
            const LayoutGraph graph = randomGraph(nodes, edges, window, seed);
            const Result<Layout> layout = layoutLayered(graph, {});
            QVERIFY(layout);
            QCOMPARE(faultIn(graph, *layout), std::string());
        }
    }

    void sameInputGivesTheSamePicture() {
        const LayoutGraph graph = randomGraph(500, 900, 20, 7);
        QVERIFY(*layoutLayered(graph, {}) == *layoutLayered(graph, {}));
    }

    void chainIsStraight() {
        const LayoutGraph graph = graphOf("0>1 1>2 2>3");
        const Layout layout = layoutLayered(graph, {}).value();
        for (std::uint32_t v = 0; v < 4; ++v) {
            QCOMPARE(layout.nodes[v].x, layout.nodes[0].x);
            QCOMPARE(layout.layers[v], v);
        }
        QCOMPARE(layout.edges[0].size(), std::size_t{2});
    }

    void readersKeepInputOrder() {
        const LayoutGraph graph = graphOf("0>1 0>2 0>3 0>4");
        const Layout layout = layoutLayered(graph, {}).value();
        for (std::uint32_t v = 2; v < 5; ++v)
            QVERIFY(layout.nodes[v].x > layout.nodes[v - 1].x);
        QCOMPARE(layout.nodes[0].x, (layout.nodes[1].x + layout.nodes[4].x) / 2);
    }

    void constantsStandAboveTheirFirstReader() {
        LayoutGraph graph = graphOf("0>1 1>2 2>3 4>3 5>4 5>2");
        graph.nodes[4].pulledDown = true;
        graph.nodes[5].pulledDown = true;
        const Layout layout = layoutLayered(graph, {}).value();
        QCOMPARE(layout.layers[4], 2U);
        QCOMPARE(layout.layers[5], 1U);
    }

    void cyclesAreCut() {
        const LayoutGraph graph = graphOf("0>1 1>2 2>0 3>3 2>4");
        const Layout layout = layoutLayered(graph, {}).value();
        QCOMPARE(faultIn(graph, layout), std::string());
        QCOMPARE(std::ranges::count(layout.stub, true), 2);
        QVERIFY(layout.stub[2]);
        QVERIFY(layout.stub[3]);
    }

    void longEdgesAreStubs() {
        std::string text;
        for (int v = 0; v < 40; ++v)
            text += std::to_string(v) + ">" + std::to_string(v + 1) + " ";
        const LayoutGraph graph = graphOf(text + "0>30 0>31 5>40");
        const Layout layout = layoutLayered(graph, {}).value();
        QVERIFY(!layout.stub[40]);
        QVERIFY(layout.stub[41]);
        QVERIFY(layout.stub[42]);
        QCOMPARE(faultIn(graph, layout), std::string());
    }

    void crossingsThatCanGoAreGone() {
        // Two chains written crosswise: the order of the second layer must follow the first.
        const LayoutGraph graph = graphOf("0>3 1>2 2>4 3>5 0>5 1>4");
        const std::vector<std::uint32_t> layers{0, 0, 1, 1, 2, 2};
        ProperGraph proper = properGraph(graph, layers, 3, std::vector<bool>(6, false), 30);
        QVERIFY(crossingCount(proper) > 0);
        reduceCrossings(proper, {}, {});
        QCOMPARE(crossingCount(proper), std::uint64_t{0});
    }

    void badGraphsAreErrors() {
        LayoutGraph graph = graphOf("0>1");
        graph.edges.push_back({0, 9});
        QCOMPARE(layoutLayered(graph, {}).error().code, ErrorCode::BadData);
        graph.edges.pop_back();
        graph.nodes[1].width = std::numeric_limits<double>::quiet_NaN();
        QCOMPARE(layoutLayered(graph, {}).error().code, ErrorCode::BadData);
    }

    void stoppedLayoutIsCancelled() {
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(layoutLayered(randomGraph(100, 200, 5, 1), stop.get_token()).error().code, ErrorCode::Cancelled);
        QCOMPARE(layoutJoint(randomGraph(100, 200, 5, 1), graphOf("0>1"), stop.get_token()).error().code, ErrorCode::Cancelled);
    }

    void deepAndCompleteGraphsFinish() {
        LayoutGraph deep;
        deep.nodes.resize(200'000);
        for (std::uint32_t v = 0; v + 1 < deep.nodes.size(); ++v)
            deep.edges.push_back({v, v + 1});
        QVERIFY(layoutLayered(deep, {}));
        LayoutGraph complete;
        complete.nodes.resize(300);
        for (std::uint32_t v = 0; v < 300; ++v)
            for (std::uint32_t w = v + 1; w < 300; ++w)
                complete.edges.push_back({v, w});
        const Result<Layout> layout = layoutLayered(complete, {});
        QVERIFY(layout);
        QCOMPARE(faultIn(complete, *layout), std::string());
    }

    void partnersStandLevel() {
        // The rewritten graph fuses 1 and 2 into one node and goes on as before.
        LayoutGraph reference = graphOf("0>1 1>2 2>3 3>4"), rewritten = graphOf("0>1 1>2 2>3");
        reference.nodes[0].partner = 0;
        reference.nodes[2].partner = 1;
        reference.nodes[3].partner = 2;
        rewritten.nodes[3].partner = 4; // named from one side only
        reference.nodes[3].height = 90;
        const JointLayout joint = layoutJoint(reference, rewritten, {}).value();
        QCOMPARE(joint.rewritten.layers, (std::vector<std::uint32_t>{0, 2, 3, 4}));
        QCOMPARE(joint.reference.nodes[2].y, joint.rewritten.nodes[1].y);
        QCOMPARE(joint.reference.nodes[3].y, joint.rewritten.nodes[2].y);
        QCOMPARE(joint.reference.nodes[4].y, joint.rewritten.nodes[3].y);
        QCOMPARE(joint.reference.height, joint.rewritten.height);
        QCOMPARE(faultIn(reference, joint.reference), std::string());
        QCOMPARE(faultIn(rewritten, joint.rewritten), std::string());
    }

    void partnersKeepTheirOrderAcross() {
        // The rewritten file lists the four parallel chains backwards.
        const LayoutGraph reference = graphOf("0>1 0>2 0>3 0>4 1>5 2>6 3>7 4>8"), plain = graphOf("0>4 0>3 0>2 0>1 4>8 3>7 2>6 1>5");
        LayoutGraph left = reference, right = plain;
        for (std::uint32_t v = 0; v < 9; ++v) {
            left.nodes[v].partner = v == 0 || v > 4 ? (v == 0 ? 0 : 13 - v) : 5 - v;
            right.nodes[left.nodes[v].partner].partner = v;
        }
        const JointLayout joint = layoutJoint(left, right, {}).value();
        for (std::uint32_t v = 0; v < 9; ++v) {
            QCOMPARE(joint.rewritten.nodes[left.nodes[v].partner].x, joint.reference.nodes[v].x);
            QCOMPARE(joint.rewritten.nodes[left.nodes[v].partner].y, joint.reference.nodes[v].y);
        }
    }

    void parallelWorkDoesNotDrift() {
        // Blocks in a row, each with a branch, a residual edge and constants: as wide as one block, however many there are.
        LayoutGraph graph;
        const auto node = [&](bool constant = false) {
            graph.nodes.push_back({constant ? 70.0 : 110.0, constant ? 22.0 : 36.0, 0xFFFFFFFFU, constant});
            return static_cast<std::uint32_t>(graph.nodes.size() - 1);
        };
        const auto after = [&](std::initializer_list<std::uint32_t> operands) {
            const std::uint32_t result = node();
            for (const std::uint32_t operand : operands)
                graph.edges.push_back({operand, result});
            return result;
        };
        std::uint32_t x = node();
        for (int block = 0; block < 200; ++block) {
            const std::uint32_t normal = after({x, node(true), node(true)});
            const std::uint32_t left = after({after({normal, node(true)}), node(true)});
            const std::uint32_t right = after({after({normal, node(true)}), node(true)});
            x = after({x, after({left, right})});
        }
        const Layout layout = layoutLayered(graph, {}).value();
        QCOMPARE(faultIn(graph, layout), std::string());
        QVERIFY2(layout.width < 1500, qPrintable(QString::number(layout.width)));
    }

    void denseGraphsStayNearTheWidthOfTheirWidestLayer() {
        std::mt19937 random(3);
        LayoutGraph graph;
        graph.nodes.resize(3000);
        for (std::uint32_t v = 1; v < 3000; ++v)
            for (std::uint32_t operand = 0; operand <= v % 2; ++operand)
                graph.edges.push_back({static_cast<std::uint32_t>(v - 1 - random() % std::min(v, 60U)), v});
        const Layout layout = layoutLayered(graph, {}).value();
        QCOMPARE(faultIn(graph, layout), std::string());
        std::vector<double> packed(*std::ranges::max_element(layout.layers) + 1, 0.0); // boxes alone, without the edges between
        for (std::uint32_t v = 0; v < 3000; ++v)
            packed[layout.layers[v]] += graph.nodes[v].width;
        const double widest = *std::ranges::max_element(packed);
        QVERIFY2(layout.width < 5 * widest, qPrintable(QString("%1 for %2").arg(layout.width).arg(widest)));
    }

    void movedNodeAloneLosesItsPartner() {
        // Node 0 moves from the top to the bottom; the twenty others keep their partners and stay level.
        LayoutGraph reference, rewritten;
        reference.nodes.resize(21);
        rewritten.nodes.resize(21);
        for (std::uint32_t v = 0; v < 21; ++v)
            reference.nodes[v].partner = rewritten.nodes[v].partner = v;
        for (std::uint32_t v = 0; v < 20; ++v)
            reference.edges.push_back({v, v + 1});
        for (std::uint32_t v = 1; v < 20; ++v)
            rewritten.edges.push_back({v, v + 1});
        rewritten.edges.push_back({20, 0});
        const JointLayout joint = layoutJoint(reference, rewritten, {}).value();
        for (std::uint32_t v = 1; v < 21; ++v)
            QCOMPARE(joint.reference.nodes[v].y, joint.rewritten.nodes[v].y);
        QVERIFY(joint.rewritten.nodes[0].y > joint.rewritten.nodes[20].y);
    }

    void randomPairsAreSoundAndMostlyLevel() {
        for (unsigned seed = 0; seed < 20; ++seed) {
            LayoutGraph reference = randomGraph(300, 500, 12, seed), rewritten = reference;
            std::mt19937 random(seed);
            for (std::uint32_t v = 0; v < 300; ++v)
                reference.nodes[v].partner = rewritten.nodes[v].partner = v;
            for (int change = 0; change < 15; ++change)
                std::swap(rewritten.edges[random() % 500].from, rewritten.edges[random() % 500].to);
            std::erase_if(rewritten.edges, [](const LayoutGraph::Edge& edge) { return edge.from == edge.to; });
            const JointLayout joint = layoutJoint(reference, rewritten, {}).value();
            QCOMPARE(faultIn(reference, joint.reference), std::string());
            QCOMPARE(faultIn(rewritten, joint.rewritten), std::string());
            std::size_t level = 0;
            for (std::size_t v = 0; v < 300; ++v)
                level += joint.reference.nodes[v].y == joint.rewritten.nodes[v].y ? 1 : 0;
            QVERIFY2(level > 150, qPrintable(QString::number(level)));
        }
    }
};

QTEST_APPLESS_MAIN(TestLayered)
#include "tst_layered.moc"
