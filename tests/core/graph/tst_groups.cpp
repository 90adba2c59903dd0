#include "core/graph/groups.h"

#include "core/graph/merged_graph.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

using namespace lemmascope;

namespace {

constexpr std::uint32_t None = NodeGroup::None;

/// Lines `name = Op operand operand`; an operand nothing made is an input, `@name` a constant.
Graph graphOf(const std::string& text) {
    Graph graph;
    std::map<std::string, ValueId> known;
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string name, equals, op, operand;
        if (!(words >> name >> equals >> op)) {
            continue;
        }
        Node node;
        node.op = {"", op, 17};
        node.name = name;
        while (words >> operand) {
            auto at = known.find(operand);
            if (at == known.end()) {
                Value value;
                value.name = operand;
                if (operand.front() == '@') {
                    value.constant = Tensor(ElementType::F32, {});
                }
                at = known.emplace(operand, graph.addValue(std::move(value))).first;
                if (operand.front() != '@') {
                    graph.inputs.push_back(at->second);
                }
            }
            node.operands.push_back(at->second);
        }
        Value result;
        result.name = name;
        node.results = {graph.addValue(std::move(result))};
        known[name] = node.results.front();
        graph.addNode(std::move(node));
    }
    return graph;
}

/// Partners by name; `changed` ones are partners that differ.
GroupedPair pairOf(const Graph& reference, const Graph& rewritten, const std::set<std::string>& changed = {}) {
    GroupedPair pair;
    pair.reference = &reference;
    pair.rewritten = &rewritten;
    std::map<std::string, std::uint32_t> there;
    for (std::uint32_t n = 0; n < rewritten.nodes.size(); ++n) {
        there[rewritten.nodes[n].name] = n;
    }
    for (const Node& node : reference.nodes) {
        const auto at = there.find(node.name);
        pair.partner.push_back(at == there.end() ? None : at->second);
        pair.shared.push_back(at != there.end() && changed.count(node.name) == 0);
    }
    return pair;
}

/// `KEY: name name` a line, nested groups indented; the nodes of one side.
QString textOf(const NodeGroups& groups, const Graph& graph, std::size_t side) {
    QString text;
    std::vector<std::uint32_t> stack;
    for (std::size_t g = groups.groups.size(); g-- > 0;) {
        if (groups.groups[g].parent == None) {
            stack.push_back(static_cast<std::uint32_t>(g));
        }
    }
    while (!stack.empty()) {
        const std::uint32_t g = stack.back();
        stack.pop_back();
        QString line;
        for (std::uint32_t p = groups.groups[g].parent; p != None; p = groups.groups[p].parent) {
            line += QStringLiteral("  ");
        }
        line += QString::fromStdString(groups.groups[g].key) + QStringLiteral(":");
        for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
            if (groups.groupOf[side][n] == g) {
                line += QStringLiteral(" ") + QString::fromStdString(graph.nodes[n].name);
            }
        }
        text += line + QStringLiteral("\n");
        for (std::size_t c = groups.groups.size(); c-- > g + 1;) {
            if (groups.groups[c].parent == g) {
                stack.push_back(static_cast<std::uint32_t>(c));
            }
        }
    }
    return text;
}

/// Whether any choice of open and closed groups could make a cycle: at each level, what stands next to each other has none, in the
/// graph of both sides.
bool hasCycle(const NodeGroups& groups, const GroupedPair& pair) {
    const MergedGraph merged(pair);
    const auto groupOf = [&](std::uint32_t v) {
        const auto [r, w] = merged.members[v];
        return r != None ? groups.of(0, r) : groups.of(1, w);
    };
    for (std::uint32_t level = 0; level <= groups.groups.size(); ++level) {
        const std::uint32_t container = level == 0 ? None : level - 1;
        // The thing a node is seen as inside `container`: a group right in it, or itself.
        std::map<std::uint32_t, std::uint32_t> thingOfGroup;
        std::vector<std::uint32_t> thing(merged.size(), None);
        std::uint32_t count = 0;
        for (std::uint32_t v = 0; v < merged.size(); ++v) {
            std::uint32_t g = groupOf(v), below = None;
            while (g != container && g != None) {
                below = g;
                g = groups.groups[g].parent;
            }
            if (g != container) {
                continue;
            }
            if (below == None) {
                thing[v] = count++;
            } else {
                const auto [at, isNew] = thingOfGroup.try_emplace(below, count);
                count += isNew ? 1 : 0;
                thing[v] = at->second;
            }
        }
        std::vector<std::array<std::uint32_t, 2>> edges;
        for (std::uint32_t v = 0; v < merged.size(); ++v) {
            for (const std::uint32_t reader : merged.readers.of(v)) {
                if (thing[v] != None && thing[reader] != None && thing[v] != thing[reader]) {
                    edges.push_back({thing[v], thing[reader]});
                }
            }
        }
        const std::vector<std::uint32_t> component = stronglyConnected(Adjacency(count, edges));
        if (!component.empty() && std::set<std::uint32_t>(component.begin(), component.end()).size() != count) {
            return true;
        }
    }
    return false;
}

std::string layer(int index, const std::string& input) {
    const std::string at = "/model/layer." + std::to_string(index) + "/";
    std::ostringstream text;
    text << at << "norm = LayerNormalization " << input << "\n"
         << at << "attn/q = MatMul " << at << "norm @q\n"
         << at << "attn/k = MatMul " << at << "norm @k\n"
         << at << "attn/s = Softmax " << at << "attn/q " << at << "attn/k\n"
         << at << "add = Add " << at << "attn/s " << input << "\n";
    return text.str();
}

} // namespace

class TestGroups : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void scopesAreGroupsWithinGroups() {
        const Graph graph = graphOf(layer(0, "x") + layer(1, "/model/layer.0/add") + "/model/head = MatMul /model/layer.1/add @h\n");
        const GroupedPair pair{&graph, nullptr, {}, {}};
        const NodeGroups groups = findGroups(pair, Grouping::Scopes);
        // `/model` holds everything and tells nothing.
        QCOMPARE(textOf(groups, graph, 0), QStringLiteral("scope:/model/layer.0: /model/layer.0/norm /model/layer.0/add\n"
                                                          "  scope:/model/layer.0/attn: /model/layer.0/attn/q /model/layer.0/attn/k "
                                                          "/model/layer.0/attn/s\n"
                                                          "scope:/model/layer.1: /model/layer.1/norm /model/layer.1/add\n"
                                                          "  scope:/model/layer.1/attn: /model/layer.1/attn/q /model/layer.1/attn/k "
                                                          "/model/layer.1/attn/s\n"));
        QCOMPARE(groups.groups[0].count[0], 5U);
        QCOMPARE(groups.groups[0].count[1], 0U);
        QVERIFY(!hasCycle(groups, pair));
    }

    void dotsSeparateWhereNamesHaveNoSlashes() {
        const Graph graph =
            graphOf("enc.a = Relu x\nenc.b = Relu enc.a\nenc.c = Relu enc.b\ndec.a = Relu enc.c\ndec.b = Relu dec.a\ndec.c = Relu dec.b\n");
        QCOMPARE(textOf(findGroups({&graph, nullptr, {}, {}}, Grouping::Scopes), graph, 0),
                 QStringLiteral("scope:enc: enc.a enc.b enc.c\nscope:dec: dec.a dec.b dec.c\n"));
    }

    void aScopeThatAPathLeavesAndEntersAgainIsSplit() {
        const Graph graph = graphOf("a/1 = Relu x\na/2 = Relu a/1\na/3 = Relu a/2\nb/1 = Neg a/3\nb/2 = Neg b/1\nb/3 = Neg b/2\n"
                                    "a/4 = Add b/3 a/1\na/5 = Relu a/4\na/6 = Relu a/5\n");
        const GroupedPair pair{&graph, nullptr, {}, {}};
        const NodeGroups groups = findGroups(pair, Grouping::Scopes);
        QVERIFY(!hasCycle(groups, pair));
        QCOMPARE(textOf(groups, graph, 0), QStringLiteral("scope:a: a/1 a/2 a/3\nscope:b: b/1 b/2 b/3\nscope:a:2: a/4 a/5 a/6\n"));
        QCOMPARE(groups.groups[0].number, 1U);
        QCOMPARE(groups.groups[0].of, 2U);
    }

    void twoScopesThatReadEachOtherAreSplit() {
        // Each is convex, but drawn as one node each they would be a cycle.
        const Graph graph = graphOf("a/1 = Relu x\na/2 = Relu a/1\na/3 = Relu a/2\nb/1 = Neg y\nb/2 = Neg b/1\nb/3 = Neg b/2\n"
                                    "a/4 = Relu b/3\na/5 = Relu a/4\na/6 = Relu a/5\nb/4 = Neg a/3\nb/5 = Neg b/4\nb/6 = Neg b/5\n");
        const GroupedPair pair{&graph, nullptr, {}, {}};
        const NodeGroups groups = findGroups(pair, Grouping::Scopes);
        QVERIFY(!hasCycle(groups, pair));
        QVERIFY(groups.groups.size() >= 3);
    }

    void repeatedBlocksAreFoundWithoutNames() {
        std::string text = "n0 = Gather @table x\n";
        std::string before = "n0";
        int number = 1;
        for (int block = 0; block < 4; ++block) {
            const auto name = [&](int k) { return "n" + std::to_string(number + k); };
            text += name(0) + " = LayerNormalization " + before + "\n" + name(1) + " = MatMul " + name(0) + " @q\n" + name(2) + " = Transpose @w\n" +
                    name(3) + " = MatMul " + name(1) + " " + name(2) + "\n" + name(4) + " = Add " + name(3) + " " + before + "\n";
            before = name(4);
            number += 5;
        }
        text += "out = MatMul " + before + " @h\nlast = Softmax out\n";
        const Graph graph = graphOf(text);
        const GroupedPair pair{&graph, nullptr, {}, {}};
        const NodeGroups groups = findGroups(pair, Grouping::Blocks);
        QVERIFY(!hasCycle(groups, pair));
        QCOMPARE(groups.groups.size(), 4U);
        for (std::size_t g = 0; g < 4; ++g) {
            QCOMPARE(groups.groups[g].key, "block:" + std::to_string(g + 1));
            QCOMPARE(groups.groups[g].of, 4U);
            QCOMPARE(groups.groups[g].count[0], g == 0 ? groups.groups[0].count[0] : 5U);
        }
        QVERIFY(groups.groups[0].count[0] >= 3);
        const auto of = [&](const char* name) {
            const auto at = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) { return node.name == name; });
            return groups.groupOf[0][static_cast<std::size_t>(at - graph.nodes.begin())];
        };
        QCOMPARE(of("out"), None); // the head is no part of the last block
        QCOMPARE(of("last"), None);
        QVERIFY(of("n8") != None); // a weight worked on before its block reads it
        QCOMPARE(of("n8"), of("n9"));
    }

    void nothingRepeatsNothingIsGrouped() {
        const Graph graph = graphOf("a = Relu x\nb = Neg a\nc = Exp b\nd = Log c\ne = Abs d\n");
        QVERIFY(findGroups({&graph, nullptr, {}, {}}, Grouping::Blocks).groups.empty());
        QVERIFY(findGroups({&graph, nullptr, {}, {}}, Grouping::Scopes).groups.empty());
        QVERIFY(findGroups({&graph, nullptr, {}, {}}, Grouping::None).groups.empty());
        QVERIFY(findGroups({}, Grouping::Shared).groups.empty());
    }

    void sharedRegionsAreOneOnBothSides() {
        const std::string before = "a = Relu x\nb = Neg a\nc = Exp b\n", behind = "e = Log d\nf = Abs e\ng = Add f c\n";
        const Graph reference = graphOf(before + "d = Sin c\n" + behind);
        const Graph rewritten = graphOf(before + "d1 = Cos c\nd = Tan d1\n" + behind);
        const GroupedPair pair = pairOf(reference, rewritten, {"d"});
        const NodeGroups groups = findGroups(pair, Grouping::Shared);
        // g reads c and what the change gives: it is behind the change.
        QCOMPARE(textOf(groups, reference, 0), QStringLiteral("shared:a: a b c\nshared:e: e f g\n"));
        QCOMPARE(textOf(groups, rewritten, 1), QStringLiteral("shared:a: a b c\nshared:e: e f g\n"));
        QVERIFY(!hasCycle(groups, pair));
        QCOMPARE(groups.groups[0].count[0], 3U);
        QCOMPARE(groups.groups[0].count[1], 3U);
    }

    void aLargeGroupIsDividedIntoParts() {
        std::string text = "s/0 = Relu x\n";
        for (int i = 1; i < 2'500; ++i) {
            text += "s/" + std::to_string(i) + " = Relu s/" + std::to_string(i - 1) + "\n";
        }
        const Graph graph = graphOf(text);
        const GroupedPair pair = pairOf(graph, graph);
        const NodeGroups groups = findGroups(pair, Grouping::Shared);
        QCOMPARE(groups.groups.size(), 4U);
        QCOMPARE(groups.groups[0].count[1], 2'500U);
        for (std::size_t part = 1; part < 4; ++part) {
            QCOMPARE(groups.groups[part].kind, NodeGroup::Kind::Part);
            QCOMPARE(groups.groups[part].parent, 0U);
            QCOMPARE(groups.groups[part].of, 3U);
            QVERIFY(groups.groups[part].count[0] <= NodeGroups::MostChildren);
            QVERIFY(groups.isWithin(static_cast<std::uint32_t>(part), 0));
        }
        QCOMPARE(groups.groupOf[0], groups.groupOf[1]);
        QVERIFY(!hasCycle(groups, pair));
    }

    void partnersInAnotherOrderMakeNoCycle() {
        const Graph reference = graphOf("a/1 = Relu x\na/2 = Relu a/1\na/3 = Relu a/2\nb/1 = Neg a/3\nb/2 = Neg b/1\nb/3 = Neg b/2\n");
        const Graph rewritten = graphOf("b/1 = Neg x\nb/2 = Neg b/1\nb/3 = Neg b/2\na/1 = Relu b/3\na/2 = Relu a/1\na/3 = Relu a/2\n");
        const GroupedPair pair = pairOf(reference, rewritten);
        for (const Grouping grouping : {Grouping::Scopes, Grouping::Shared, Grouping::Blocks}) {
            QVERIFY(!hasCycle(findGroups(pair, grouping), pair));
        }
    }

    void noGroupMakesACycle_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 1; seed <= 40; ++seed) {
            QTest::addRow("seed %d", seed) << seed;
        }
    }
    void noGroupMakesACycle() {
        QFETCH(int, seed);
        std::mt19937 random(static_cast<unsigned>(seed));
        const auto made = [&](int count) {
            std::string text;
            std::vector<std::string> names{"x"};
            for (int i = 0; i < count; ++i) {
                const std::string scope =
                    std::string(1, static_cast<char>('a' + random() % 3)) + "/" + std::string(1, static_cast<char>('p' + random() % 2));
                const std::string name = scope + "/" + std::to_string(i);
                const auto operand = [&] { return names[names.size() - 1 - random() % std::min<std::size_t>(names.size(), 9)]; };
                text += name + (random() % 3 == 0 ? " = Neg " : " = Add ") + operand() + " " + operand() + "\n";
                names.push_back(name);
            }
            return text;
        };
        const Graph reference = graphOf(made(60)), rewritten = graphOf(made(50));
        // Partners at random, also against the order.
        GroupedPair pair{&reference, &rewritten, {}, {}};
        std::vector<std::uint32_t> free(rewritten.nodes.size());
        for (std::uint32_t i = 0; i < free.size(); ++i) {
            free[i] = i;
        }
        for (std::uint32_t r = 0; r < reference.nodes.size(); ++r) {
            const std::size_t near = std::min<std::size_t>(free.size() - 1, random() % 4);
            const bool partnered = free.size() > 1 && random() % 4 != 0;
            pair.partner.push_back(partnered ? free[near] : None);
            if (partnered) {
                free.erase(free.begin() + static_cast<std::ptrdiff_t>(near));
            }
            pair.shared.push_back(partnered && random() % 5 != 0);
        }
        for (const Grouping grouping : {Grouping::Scopes, Grouping::Shared, Grouping::Blocks}) {
            const NodeGroups groups = findGroups(pair, grouping);
            QVERIFY(!hasCycle(groups, pair));
            std::set<std::string> keys;
            for (std::size_t g = 0; g < groups.groups.size(); ++g) {
                QVERIFY(keys.insert(groups.groups[g].key).second);
                QVERIFY(groups.groups[g].parent == None || groups.groups[g].parent < g);
                QVERIFY(groups.groups[g].count[0] + groups.groups[g].count[1] > 0);
            }
            // Twice the same.
            const NodeGroups again = findGroups(pair, grouping);
            QCOMPARE(again.groupOf[0], groups.groupOf[0]);
            QCOMPARE(again.groupOf[1], groups.groupOf[1]);
        }
    }

    void hostileNamesAreHarmless() {
        std::string deep;
        for (int i = 0; i < 20'000; ++i) {
            deep += "s/";
        }
        const Graph graph = graphOf(deep + "a = Relu x\n" + deep + "b = Relu " + deep + "a\n" + deep + "c = Relu " + deep + "b\n//// = Relu " + deep +
                                    "c\n/ = Neg ////\n");
        QVERIFY(findGroups({&graph, nullptr, {}, {}}, Grouping::Scopes).groups.size() <= 16);
    }
};

QTEST_APPLESS_MAIN(TestGroups)
#include "tst_groups.moc"
