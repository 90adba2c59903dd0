#include "core/graph/repeated_blocks.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace lemmascope {

namespace {

constexpr std::uint32_t None = NodeGroup::None;
constexpr int MostRounds = 2;
constexpr std::size_t MostCounts = 3;  ///< of repetitions that are tried
constexpr std::size_t MostAnchors = 6; ///< classes of nodes tried for each
constexpr double LeastShare = 0.3;     ///< of the graph that blocks must hold to be worth it
constexpr double GoodShare = 0.85;     ///< nothing better is looked for

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    hash ^= value + 0x9E3779B97F4A7C15ULL + (hash << 6) + (hash >> 2);
    hash ^= hash >> 33;
    hash *= 0xFF51AFD7ED558CCDULL;
    return hash ^ (hash >> 29);
}

std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
    std::uint64_t inner = 0xCBF29CE484222325ULL;
    for (const char c : text) {
        inner = (inner ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    }
    return mixed(mixed(hash, inner), text.size());
}

template <typename T>
std::uint64_t mixedAll(std::uint64_t hash, const std::vector<T>& values) {
    hash = mixed(hash, values.size());
    for (const T& value : values) {
        if constexpr (std::is_same_v<T, std::string>) {
            hash = mixed(hash, std::string_view(value));
        } else if constexpr (std::is_same_v<T, std::shared_ptr<const Graph>>) {
            hash = mixed(hash, value == nullptr ? 0 : value->nodes.size());
        } else {
            hash = mixed(hash, static_cast<std::uint64_t>(value));
        }
    }
    return hash;
}

struct AttributeDigest {
    std::uint64_t hash;
    void operator()(std::int64_t value) { hash = mixed(hash, static_cast<std::uint64_t>(value)); }
    void operator()(float value) { hash = mixed(hash, std::to_string(value)); }
    void operator()(const std::string& value) { hash = mixed(hash, std::string_view(value)); }
    void operator()(const std::vector<std::int64_t>& value) { hash = mixedAll(hash, value); }
    void operator()(const std::vector<float>& value) { hash = mixed(hash, value.size()); }
    void operator()(const std::vector<std::string>& value) { hash = mixedAll(hash, value); }
    void operator()(const Tensor& value) { hash = mixedAll(mixed(hash, static_cast<std::uint64_t>(value.element())), value.shape()); }
    void operator()(const std::shared_ptr<const Graph>& value) { hash = mixed(hash, value == nullptr ? 0 : value->nodes.size()); }
    void operator()(const std::vector<std::shared_ptr<const Graph>>& value) { hash = mixedAll(hash, value); }
};

std::uint64_t ownDigest(const Graph& graph, const Node& node) {
    std::uint64_t hash = mixed(mixed(0, std::string_view(node.op.domain)), std::string_view(node.op.name));
    for (const auto& [key, value] : node.attributes) {
        AttributeDigest digest{mixed(mixed(hash, std::string_view(key)), value.index())};
        std::visit(digest, value);
        hash = digest.hash;
    }
    hash = mixed(hash, node.body == nullptr ? 0 : node.body->nodes.size() + 1);
    for (const ValueId result : node.results) {
        hash = mixed(hash, result.isValid() ? std::string_view(graph.value(result).type.text()) : std::string_view("-"));
    }
    return hash;
}

/// Does this set of anchors follow on one another, each behind the one before? Then `stage` counts them on the way to each node.
bool stagesOf(const MergedGraph& graph, const std::vector<std::uint32_t>& anchors, std::vector<std::uint32_t>& stage) {
    std::vector<bool> isAnchor(graph.size(), false);
    for (const std::uint32_t anchor : anchors) {
        isAnchor[anchor] = true;
    }
    stage.assign(graph.size(), 0);
    std::vector<bool> seen(anchors.size() + 1, false);
    for (const std::uint32_t v : graph.order) {
        for (const std::uint32_t u : graph.producers.of(v)) {
            stage[v] = std::max(stage[v], stage[u]);
        }
        if (isAnchor[v]) {
            ++stage[v];
            if (seen[stage[v]]) {
                return false;
            }
            seen[stage[v]] = true;
        }
    }
    return true;
}

/// Stage 0 that depends on no input goes with its first reader.
void pullConstantsDown(const GroupedPair& pair, const MergedGraph& graph, std::vector<std::uint32_t>& stage) {
    const auto readsInput = [&](std::uint32_t v) {
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
            const Graph* whole = side == 0 ? pair.reference : pair.rewritten;
            if (graph.members[v][side] == None) {
                continue;
            }
            for (const ValueId operand : whole->nodes[graph.members[v][side]].operands) {
                if (operand.isValid() && !whole->value(operand).producer.isValid() && !whole->value(operand).constant) {
                    return true;
                }
            }
        }
        return false;
    };
    std::vector<bool> dependent(graph.size(), false);
    for (const std::uint32_t v : graph.order) {
        dependent[v] = readsInput(v);
        for (const std::uint32_t u : graph.producers.of(v)) {
            dependent[v] = dependent[v] || dependent[u];
        }
    }
    for (auto v = graph.order.rbegin(); v != graph.order.rend(); ++v) {
        if (stage[*v] != 0 || dependent[*v] || graph.readers.of(*v).empty()) {
            continue;
        }
        std::uint32_t first = None;
        for (const std::uint32_t reader : graph.readers.of(*v)) {
            first = std::min(first, stage[reader]);
        }
        stage[*v] = first;
    }
}

/// Classes of nodes that may each mark the begin of a block, in file order: of the sizes that cover most nodes, those that come first.
std::vector<std::vector<std::uint32_t>> anchorClasses(const std::vector<std::uint64_t>& digest) {
    std::map<std::uint64_t, std::vector<std::uint32_t>> classes;
    for (std::uint32_t n = 0; n < digest.size(); ++n) {
        classes[digest[n]].push_back(n);
    }
    std::map<std::size_t, std::vector<const std::vector<std::uint32_t>*>> bySize;
    for (const auto& [hash, nodes] : classes) {
        if (nodes.size() >= 2 && nodes.size() * NodeGroups::FewestNodes <= digest.size()) {
            bySize[nodes.size()].push_back(&nodes);
        }
    }
    std::vector<std::pair<std::size_t, std::size_t>> tried; // nodes covered, size
    for (const auto& [size, of] : bySize) {
        tried.emplace_back(size * of.size(), size);
    }
    std::sort(tried.begin(), tried.end(), std::greater<>());
    tried.resize(std::min(tried.size(), MostCounts));
    std::vector<std::vector<std::uint32_t>> found;
    for (const auto& [covered, size] : tried) {
        auto& of = bySize[size];
        std::sort(of.begin(), of.end(), [](const auto* a, const auto* b) { return a->front() < b->front(); });
        for (std::size_t c = 0; c < std::min(of.size(), MostAnchors); ++c) {
            found.push_back(*of[c]);
        }
    }
    return found;
}

/// Blocks of stages. The last one ends where it has as much of everything as the one before; what follows is no block.
void cutBehindLast(const MergedGraph& graph, const std::vector<std::uint64_t>& kind, const std::vector<std::uint32_t>& stage, std::uint32_t blocks,
                   std::vector<std::uint32_t>& block) {
    std::unordered_map<std::uint64_t, std::uint32_t> wanted;
    for (const std::uint32_t v : graph.order) {
        if (stage[v] + 1 == blocks) {
            ++wanted[kind[v]];
        }
    }
    block.assign(graph.size(), None);
    std::vector<bool> behind(graph.size(), false); // reads something that follows the last block
    for (const std::uint32_t v : graph.order) {
        for (const std::uint32_t u : graph.producers.of(v)) {
            behind[v] = behind[v] || behind[u];
        }
        if (stage[v] == 0 || behind[v]) {
            continue;
        }
        if (stage[v] == blocks) {
            const auto at = wanted.find(kind[v]);
            if (at == wanted.end() || at->second == 0) {
                behind[v] = true;
                continue;
            }
            --at->second;
        }
        block[v] = stage[v] - 1;
    }
}

/// Nodes in the blocks that hold the same as most others do.
std::size_t alike(const std::vector<std::uint64_t>& kind, const std::vector<std::uint32_t>& block, std::uint32_t blocks) {
    std::vector<std::uint64_t> sum(blocks, 0), size(blocks, 0);
    for (std::size_t v = 0; v < block.size(); ++v) {
        if (block[v] != None) {
            sum[block[v]] += mixed(kind[v], kind[v] >> 7); // whatever the order
            ++size[block[v]];
        }
    }
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> covered;
    std::size_t most = 0, alone = 0;
    for (std::uint32_t b = 0; b < blocks; ++b) {
        std::size_t& nodes = covered[{sum[b], size[b]}];
        nodes += size[b];
        alone = nodes == size[b] ? alone : 1;
        most = std::max(most, nodes);
    }
    return alone == 0 ? 0 : most; // no two alike: nothing repeats
}

} // namespace

std::vector<std::uint64_t> neighbourhoodDigests(const Graph& graph, int radius) {
    const std::size_t count = graph.nodes.size();
    std::vector<std::uint64_t> digest(count);
    std::vector<std::array<std::uint32_t, 2>> edges;
    for (std::uint32_t n = 0; n < count; ++n) {
        digest[n] = ownDigest(graph, graph.nodes[n]);
        for (const ValueId operand : graph.nodes[n].operands) {
            const NodeId from = operand.isValid() ? graph.value(operand).producer : NodeId();
            if (from.isValid()) {
                edges.push_back({from.index, n});
            }
        }
    }
    const Adjacency readers(count, edges);
    std::vector<std::uint64_t> next(count), around;
    for (int round = 0; round < radius; ++round) {
        for (std::uint32_t n = 0; n < count; ++n) {
            std::uint64_t hash = digest[n];
            for (const ValueId operand : graph.nodes[n].operands) {
                const NodeId from = operand.isValid() ? graph.value(operand).producer : NodeId();
                hash = mixed(hash, from.isValid() ? digest[from.index] : (operand.isValid() && graph.value(operand).constant ? 1U : 2U));
            }
            around.clear();
            for (const std::uint32_t reader : readers.of(n)) {
                around.push_back(digest[reader]);
            }
            std::sort(around.begin(), around.end());
            for (const std::uint64_t reader : around) {
                hash = mixed(hash, reader);
            }
            next[n] = hash;
        }
        digest.swap(next);
    }
    return digest;
}

std::vector<std::uint32_t> repeatedBlocks(const GroupedPair& pair, const MergedGraph& graph, const std::stop_token& stop) {
    std::vector<std::uint32_t> best(graph.size(), None);
    const Graph* whole = pair.reference != nullptr ? pair.reference : pair.rewritten;
    if (whole == nullptr) {
        return best;
    }
    const std::size_t side = pair.reference != nullptr ? 0 : 1;
    std::vector<std::uint64_t> kind(graph.size());
    for (std::size_t v = 0; v < graph.size(); ++v) {
        const auto [r, w] = graph.members[v];
        kind[v] = r != None ? ownDigest(*pair.reference, pair.reference->nodes[r]) : ownDigest(*pair.rewritten, pair.rewritten->nodes[w]);
    }
    std::size_t bestCovered = static_cast<std::size_t>(LeastShare * static_cast<double>(graph.size()));
    std::vector<std::uint32_t> stage, anchors, block;
    // Near neighbours tell less apart, far ones see beyond the first and last block: what covers most decides.
    for (int radius = MostRounds; radius >= 0; --radius) {
        for (const std::vector<std::uint32_t>& candidate : anchorClasses(neighbourhoodDigests(*whole, radius))) {
            if (stop.stop_requested() || static_cast<double>(bestCovered) >= GoodShare * static_cast<double>(graph.size())) {
                return best;
            }
            anchors.clear();
            for (const std::uint32_t n : candidate) {
                anchors.push_back(graph.nodeOf[side][n]);
            }
            if (!stagesOf(graph, anchors, stage)) {
                continue;
            }
            pullConstantsDown(pair, graph, stage);
            const auto blocks = static_cast<std::uint32_t>(anchors.size());
            cutBehindLast(graph, kind, stage, blocks, block);
            if (const std::size_t covered = alike(kind, block, blocks); covered > bestCovered) {
                bestCovered = covered;
                best = block;
            }
        }
    }
    return best;
}

} // namespace lemmascope
