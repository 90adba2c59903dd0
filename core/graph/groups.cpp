// Labels of nodes (a scope, a block, a shared region) become groups level by level: labels that would close a cycle are split,
// small groups dissolve, large ones are divided into parts. Everything works on the merged graph of both sides, so partners go
// into the same group by themselves. Tests: tests/core/graph/tst_groups.cpp.

#include "core/graph/groups.h"

#include "core/graph/merged_graph.h"
#include "core/graph/repeated_blocks.h"
#include "core/graph/scopes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace lemmascope {

namespace {

constexpr std::uint32_t None = NodeGroup::None;

/// A label per node and level of nesting.
struct Labels {
    NodeGroup::Kind kind = NodeGroup::Kind::Scope;
    std::vector<std::vector<std::uint32_t>> chains; ///< of labels, outermost first
    std::vector<std::uint32_t> chainOf;             ///< by merged node: index into `chains`, or None
    std::vector<std::string> names;                 ///< by label

    [[nodiscard]] std::uint32_t of(std::uint32_t node, std::size_t level) const {
        const std::uint32_t chain = chainOf[node];
        return chain == None || level >= chains[chain].size() ? None : chains[chain][level];
    }
};

/// Regions of shared nodes: connected, and no path leaves one and comes back. A node's stage counts the changes between shared and
/// not shared on the way to it, so what lies behind a change is not in the region before it.
Labels sharedRegions(const GroupedPair& pair, const MergedGraph& graph) {
    Labels labels;
    labels.kind = NodeGroup::Kind::Shared;
    const auto isShared = [&](std::uint32_t v) {
        const auto [r, w] = graph.members[v];
        return r != None && w != None && r < pair.shared.size() && pair.shared[r];
    };
    std::vector<std::uint32_t> stage(graph.size(), 0), root(graph.size());
    std::iota(root.begin(), root.end(), 0U);
    const auto find = [&root](std::uint32_t v) {
        while (root[v] != v) {
            root[v] = root[root[v]];
            v = root[v];
        }
        return v;
    };
    for (const std::uint32_t v : graph.order) {
        for (const std::uint32_t u : graph.producers.of(v)) {
            stage[v] = std::max(stage[v], stage[u] + (isShared(u) == isShared(v) ? 0U : 1U));
        }
        for (const std::uint32_t u : graph.producers.of(v)) {
            if (isShared(v) && isShared(u) && stage[u] == stage[v]) {
                const std::uint32_t a = find(u), b = find(v);
                root[std::max(a, b)] = std::min(a, b);
            }
        }
    }
    labels.chainOf.assign(graph.size(), None);
    std::vector<std::uint32_t> labelOf(graph.size(), None);
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
        if (!isShared(v)) {
            continue;
        }
        std::uint32_t& label = labelOf[find(v)];
        if (label == None) {
            label = static_cast<std::uint32_t>(labels.chains.size());
            labels.chains.push_back({label});
            labels.names.push_back(pair.reference->displayName(NodeId(graph.members[v][0])));
        }
        labels.chainOf[v] = label;
    }
    return labels;
}

Labels blockLabels(const GroupedPair& pair, const MergedGraph& graph, const std::stop_token& stop) {
    Labels labels;
    labels.kind = NodeGroup::Kind::Block;
    labels.chainOf = repeatedBlocks(pair, graph, stop);
    for (const std::uint32_t block : labels.chainOf) {
        while (block != None && labels.chains.size() <= block) {
            labels.chains.push_back({static_cast<std::uint32_t>(labels.chains.size())});
        }
    }
    labels.names.resize(labels.chains.size());
    return labels;
}

Labels scopeLabels(const GroupedPair& pair, const MergedGraph& graph) {
    ScopeTree scopes = scopesOf(pair, graph);
    Labels labels;
    labels.chains = std::move(scopes.chains);
    labels.chainOf = std::move(scopes.scopeOf);
    labels.names = std::move(scopes.paths);
    return labels;
}

class Grouper {
  public:
    Grouper(const MergedGraph& graph, const Labels& labels)
        : m_graph(graph), m_labels(labels), m_groupOf(graph.size(), None), m_local(graph.size(), None) {}

    NodeGroups run(const std::stop_token& stop) {
        std::vector<Task> tasks;
        tasks.push_back({None, m_graph.order, 0});
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            if (stop.stop_requested()) {
                return {};
            }
            Task task = std::move(tasks[t]);
            divide(task, tasks);
        }
        return finish();
    }

  private:
    struct Task {
        std::uint32_t parent;
        std::vector<std::uint32_t> nodes; ///< in topological order
        std::size_t level;
    };
    /// A piece of a label that closes no cycle.
    struct Piece {
        std::uint32_t label = None;
        std::uint32_t number = 0; ///< among the pieces of its label, from 0
        std::vector<std::uint32_t> nodes;
    };

    /// The edges between `count` things, where `thing[i]` is that of nodes[i]. Uses m_local, which holds the index in `nodes`.
    [[nodiscard]] Adjacency quotient(const std::vector<std::uint32_t>& nodes, const std::vector<std::uint32_t>& thing, std::size_t count) const {
        std::vector<std::array<std::uint32_t, 2>> edges;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            for (const std::uint32_t reader : m_graph.readers.of(nodes[i])) {
                if (m_local[reader] != None && thing[m_local[reader]] != thing[i]) {
                    edges.push_back({thing[i], thing[m_local[reader]]});
                }
            }
        }
        return {count, edges};
    }

    /// Pieces of the labels of one level, and which one each node is in (None: none).
    std::vector<Piece> piecesOf(const Task& task, std::vector<std::uint32_t>& pieceOf) {
        const std::vector<std::uint32_t>& nodes = task.nodes;
        std::map<std::uint32_t, std::uint32_t> thingOfLabel;
        std::vector<std::uint32_t> thing(nodes.size());
        std::uint32_t things = 0;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::uint32_t label = m_labels.of(nodes[i], task.level);
            if (label == None) {
                thing[i] = things++;
                continue;
            }
            const auto [at, isNew] = thingOfLabel.try_emplace(label, things);
            things += isNew ? 1 : 0;
            thing[i] = at->second;
        }
        const std::vector<std::uint32_t> component = stronglyConnected(quotient(nodes, thing, things));
        std::vector<std::uint32_t> size(things, 0);
        for (const std::uint32_t c : component) {
            ++size[c];
        }
        // Where labels close a cycle, a path that leaves one starts another stage; no edge leads back to a lower one.
        std::vector<std::uint32_t> stage(nodes.size(), 0);
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> pieceOfStage;
        std::map<std::uint32_t, std::uint32_t> numbers;
        std::vector<Piece> pieces;
        pieceOf.assign(nodes.size(), None);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::uint32_t mine = component[thing[i]];
            if (size[mine] > 1) {
                for (const std::uint32_t producer : m_graph.producers.of(nodes[i])) {
                    const std::uint32_t p = m_local[producer];
                    if (p != None && component[thing[p]] == mine) {
                        stage[i] = std::max(stage[i], stage[p] + (thing[p] == thing[i] ? 0U : 1U));
                    }
                }
            }
            const std::uint32_t label = m_labels.of(nodes[i], task.level);
            if (label == None) {
                continue;
            }
            const auto [at, isNew] = pieceOfStage.try_emplace({label, stage[i]}, static_cast<std::uint32_t>(pieces.size()));
            if (isNew) {
                pieces.push_back({label, numbers[label]++, {}});
            }
            pieces[at->second].nodes.push_back(nodes[i]);
            pieceOf[i] = at->second;
        }
        return pieces;
    }

    std::uint32_t addGroup(NodeGroup group, std::string key) {
        // Two nodes may have one name, and so two regions one key.
        const std::string wanted = key;
        for (int again = 2; !m_keys.insert(key).second; ++again) {
            key = wanted + "#" + std::to_string(again);
        }
        group.key = std::move(key);
        m_groups.push_back(std::move(group));
        return static_cast<std::uint32_t>(m_groups.size() - 1);
    }

    /// The part each child of a group with many children goes into: by layers, so that edges only lead to later parts.
    std::vector<std::uint32_t> partsOf(const Task& task, const std::vector<std::uint32_t>& child, std::size_t childCount) {
        const Adjacency edges = quotient(task.nodes, child, childCount);
        std::vector<std::uint32_t> pending(childCount, 0), layer(childCount, 0), order;
        for (const std::uint32_t to : edges.to) {
            ++pending[to];
        }
        for (std::uint32_t c = 0; c < childCount; ++c) {
            if (pending[c] == 0) {
                order.push_back(c);
            }
        }
        for (std::size_t i = 0; i < order.size(); ++i) {
            for (const std::uint32_t to : edges.of(order[i])) {
                layer[to] = std::max(layer[to], layer[order[i]] + 1);
                if (--pending[to] == 0) {
                    order.push_back(to);
                }
            }
        }
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return layer[a] < layer[b]; });
        const std::size_t parts = (childCount + NodeGroups::MostChildren - 1) / NodeGroups::MostChildren;
        std::vector<std::uint32_t> groups;
        for (std::size_t p = 0; p < parts; ++p) {
            NodeGroup group;
            group.kind = NodeGroup::Kind::Part;
            group.number = static_cast<std::uint32_t>(p + 1);
            group.of = static_cast<std::uint32_t>(parts);
            group.parent = task.parent;
            groups.push_back(addGroup(std::move(group), m_groups[task.parent].key + "/part " + std::to_string(p + 1)));
        }
        std::vector<std::uint32_t> part(childCount, groups.front());
        for (std::size_t i = 0; i < order.size(); ++i) {
            part[order[i]] = groups[i * parts / order.size()];
        }
        return part;
    }

    void divide(const Task& task, std::vector<Task>& tasks) {
        const std::vector<std::uint32_t>& nodes = task.nodes;
        for (std::uint32_t i = 0; i < nodes.size(); ++i) {
            m_local[nodes[i]] = i;
        }
        std::vector<std::uint32_t> pieceOf;
        std::vector<Piece> pieces = piecesOf(task, pieceOf);
        std::map<std::uint32_t, std::uint32_t> piecesOfLabel;
        for (const Piece& piece : pieces) {
            piecesOfLabel[piece.label] += piece.nodes.size() >= NodeGroups::FewestNodes ? 1 : 0;
        }
        // Children of the parent: pieces that are large enough, and single nodes.
        std::vector<std::uint32_t> childOfPiece(pieces.size(), None), child(nodes.size(), None);
        std::uint32_t childCount = 0;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::uint32_t piece = pieceOf[i];
            if (piece == None || pieces[piece].nodes.size() < NodeGroups::FewestNodes) {
                child[i] = childCount++;
                continue;
            }
            if (childOfPiece[piece] == None) {
                childOfPiece[piece] = childCount++;
            }
            child[i] = childOfPiece[piece];
        }
        std::vector<std::uint32_t> containers(childCount, task.parent);
        if (task.parent != None && childCount > NodeGroups::MostChildren) {
            containers = partsOf(task, child, childCount);
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            m_groupOf[nodes[i]] = containers[child[i]];
        }
        std::map<std::uint32_t, std::uint32_t> numbers;
        for (std::size_t p = 0; p < pieces.size(); ++p) {
            Piece& piece = pieces[p];
            if (childOfPiece[p] == None) {
                continue;
            }
            NodeGroup group;
            group.kind = m_labels.kind;
            group.parent = containers[childOfPiece[p]];
            std::string key;
            const std::uint32_t number = ++numbers[piece.label];
            switch (group.kind) {
            case NodeGroup::Kind::Block:
                group.number = piece.label + 1;
                group.of = static_cast<std::uint32_t>(m_labels.chains.size());
                key = "block:" + std::to_string(piece.label + 1);
                break;
            case NodeGroup::Kind::Shared: key = "shared:" + m_labels.names[piece.label]; break;
            case NodeGroup::Kind::Scope:
            case NodeGroup::Kind::Part:
                group.name = m_labels.names[piece.label];
                key = "scope:" + group.name;
                if (piecesOfLabel[piece.label] > 1) {
                    group.number = number;
                    group.of = piecesOfLabel[piece.label];
                }
                break;
            }
            if (number > 1) {
                key += ":" + std::to_string(number);
            }
            const std::uint32_t made = addGroup(std::move(group), std::move(key));
            tasks.push_back({made, std::move(piece.nodes), task.level + 1});
        }
        for (const std::uint32_t node : nodes) {
            m_local[node] = None;
        }
    }

    NodeGroups finish() {
        NodeGroups found;
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
            found.groupOf[side].reserve(m_graph.nodeOf[side].size());
            for (const std::uint32_t node : m_graph.nodeOf[side]) {
                found.groupOf[side].push_back(m_groupOf[node]);
                if (m_groupOf[node] != None) {
                    ++m_groups[m_groupOf[node]].count[side];
                }
            }
        }
        for (std::size_t g = m_groups.size(); g-- > 0;) {
            if (m_groups[g].parent != None) {
                for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
                    m_groups[m_groups[g].parent].count[side] += m_groups[g].count[side];
                }
            }
        }
        found.groups = std::move(m_groups);
        return found;
    }

    const MergedGraph& m_graph;
    const Labels& m_labels;
    std::vector<NodeGroup> m_groups;
    std::vector<std::uint32_t> m_groupOf; ///< by merged node
    std::vector<std::uint32_t> m_local;   ///< by merged node: its index in the task at hand, or None
    std::set<std::string> m_keys;
};

} // namespace

bool NodeGroups::isWithin(std::uint32_t group, std::uint32_t ancestor) const {
    while (group != NodeGroup::None && group != ancestor) {
        group = groups[group].parent;
    }
    return group == ancestor && group != NodeGroup::None;
}

NodeGroups findGroups(const GroupedPair& pair, Grouping grouping, const std::stop_token& stop) {
    if (grouping == Grouping::None || stop.stop_requested()) {
        return {};
    }
    const MergedGraph graph(pair);
    Labels labels;
    switch (grouping) {
    case Grouping::None:
    case Grouping::Scopes: labels = scopeLabels(pair, graph); break;
    case Grouping::Blocks: labels = blockLabels(pair, graph, stop); break;
    case Grouping::Shared: labels = sharedRegions(pair, graph); break;
    }
    if (labels.chains.empty()) {
        return {};
    }
    return Grouper(graph, labels).run(stop);
}

} // namespace lemmascope
