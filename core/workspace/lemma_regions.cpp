#include "core/workspace/lemma_regions.h"

#include "core/prove/correspondence.h"
#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>

namespace lemmascope {

namespace {

constexpr std::uint32_t Nobody = UINT32_MAX;

FlatNodeId makerOf(const GraphTree& tree, FlatValueId value) {
    return value.isValid() && value.index < tree.valueCount() ? producerOf(tree, value) : FlatNodeId{};
}

class Sets {
  public:
    explicit Sets(std::size_t count) : m_parent(count) { std::iota(m_parent.begin(), m_parent.end(), 0U); }
    std::uint32_t find(std::uint32_t at) {
        while (m_parent[at] != at) {
            at = m_parent[at] = m_parent[m_parent[at]];
        }
        return at;
    }
    /// The smaller one stays the root, so that a root is its set's first lemma.
    void join(std::uint32_t a, std::uint32_t b) {
        a = find(a);
        b = find(b);
        m_parent[std::max(a, b)] = std::min(a, b);
    }

  private:
    std::vector<std::uint32_t> m_parent;
};

/// What one side's graph knows of its nodes.
class SideNodes {
  public:
    SideNodes(const CheckResult& result, Side side)
        : m_result(result), m_side(side), m_tree(side == Side::Reference ? *result.reference : *result.rewritten),
          m_relations(side == Side::Reference ? result.correspondence.reference : result.correspondence.rewritten),
          m_rewritten(m_tree.nodeCount(), -1), m_stamp(m_tree.nodeCount(), Nobody), m_pairOf(m_tree.nodeCount(), Nobody),
          owner(m_tree.nodeCount(), Nobody) {
        for (std::uint32_t k = 0; k < result.lemmas.size(); ++k) {
            const FlatNodeId node = makerOf(m_tree, pairValue(k));
            if (node.isValid() && m_pairOf[node.index] == Nobody) {
                m_pairOf[node.index] = k;
            }
        }
    }

    [[nodiscard]] const std::vector<FlatNodeId>& cone(std::uint32_t lemma) const {
        const LemmaResult& entry = m_result.lemmas[lemma];
        return m_side == Side::Reference ? entry.referenceNodes : entry.rewrittenNodes;
    }
    [[nodiscard]] const GraphTree& tree() const { return m_tree; }

    /// The nodes of the cone that are reached from its pair without passing the pair of another lemma, nearest first.
    [[nodiscard]] std::vector<FlatNodeId> own(std::uint32_t lemma) {
        const std::vector<FlatNodeId>& nodes = cone(lemma);
        for (const FlatNodeId node : nodes) {
            if (node.index < m_stamp.size()) {
                m_stamp[node.index] = lemma;
            }
        }
        std::vector<FlatNodeId> out;
        FlatNodeId start = makerOf(m_tree, pairValue(lemma));
        if (!start.isValid() || m_stamp[start.index] != lemma) {
            start = nodes.empty() ? FlatNodeId() : nodes.front();
        }
        if (!start.isValid() || start.index >= m_stamp.size() || m_stamp[start.index] != lemma) {
            return out;
        }
        out.push_back(start);
        m_stamp[start.index] = Nobody;
        for (std::size_t at = 0; at < out.size(); ++at) {
            for (const FlatNodeId from : producers(out[at])) {
                if (m_stamp[from.index] == lemma && (m_pairOf[from.index] == Nobody || m_pairOf[from.index] == lemma)) {
                    m_stamp[from.index] = Nobody;
                    out.push_back(from);
                }
            }
        }
        return out;
    }

    [[nodiscard]] std::vector<FlatNodeId> producers(FlatNodeId node) const {
        std::vector<FlatNodeId> out;
        const GraphInstance& instance = m_tree.instanceOf(node);
        for (const ValueId operand : m_tree.node(node).operands) {
            if (operand.isValid()) {
                const NodeId from = instance.graph->value(operand).producer;
                if (from.isValid()) {
                    out.emplace_back(instance.nodeBase + from.index);
                }
            }
        }
        return out;
    }

    [[nodiscard]] bool isRewritten(FlatNodeId id) {
        std::int8_t& known = m_rewritten[id.index];
        if (known < 0) {
            known = compare(id) ? 1 : 0;
        }
        return known == 1;
    }

  private:
    [[nodiscard]] FlatValueId pairValue(std::uint32_t lemma) const {
        const LemmaResult& entry = m_result.lemmas[lemma];
        return m_side == Side::Reference ? entry.reference : entry.rewritten;
    }

    [[nodiscard]] bool compare(FlatNodeId id) const {
        const FlatNodeId partner = id.index < m_relations.size() ? m_relations[id.index].partner : FlatNodeId();
        const GraphTree& others = m_side == Side::Reference ? *m_result.rewritten : *m_result.reference;
        if (!partner.isValid() || partner.index >= others.nodeCount()) {
            return true;
        }
        const Node& mine = m_tree.node(id);
        const Node& theirs = others.node(partner);
        const bool first = m_side == Side::Reference;
        if (mine.op.name != theirs.op.name || mine.op.domain != theirs.op.domain || mine.operands.size() != theirs.operands.size() ||
            !nodeDifference(first ? mine : theirs, first ? theirs : mine).attribute.empty()) {
            return true;
        }
        // The same op of other values: operands exchanged, or one that skips a node.
        const auto& partners = m_result.correspondence.partnerOfReferenceValue;
        for (std::size_t k = 0; k < mine.operands.size(); ++k) {
            const Node& reference = first ? mine : theirs;
            const Node& rewritten = first ? theirs : mine;
            if (!reference.operands[k].isValid() || !rewritten.operands[k].isValid()) {
                if (reference.operands[k].isValid() != rewritten.operands[k].isValid()) {
                    return true;
                }
                continue;
            }
            const GraphInstance& mineIn = m_result.reference->instanceOf(first ? id : partner);
            const GraphInstance& theirsIn = m_result.rewritten->instanceOf(first ? partner : id);
            const std::size_t value = mineIn.valueBase + reference.operands[k].index;
            const FlatValueId other = value < partners.size() ? partners[value] : FlatValueId();
            if (other.isValid() && other.index != theirsIn.valueBase + rewritten.operands[k].index) {
                return true;
            }
        }
        return false;
    }

    const CheckResult& m_result;
    Side m_side;
    const GraphTree& m_tree;
    const std::vector<NodeRelation>& m_relations;
    std::vector<std::int8_t> m_rewritten; ///< -1: not compared yet
    std::vector<std::uint32_t> m_stamp;   ///< the lemma whose cone is walked
    std::vector<std::uint32_t> m_pairOf;  ///< the first lemma about a result of this node

  public:
    std::vector<std::uint32_t> owner; ///< a lemma that this rewritten node belongs to
};

/// A scope ends at a slash, or at a dot between letters or digits: `q[..., 0:4]` is one name.
bool endsScope(std::string_view text, std::size_t at) {
    const auto plain = [&text](std::size_t i) {
        return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
    };
    return at == text.size() || text[at] == '/' || (text[at] == '.' && at > 0 && plain(at - 1) && plain(at + 1));
}

/// `encoder/layer.0/attn` of `encoder/layer.0/attn/MatMul`; empty when there is none.
std::string_view scopeOf(std::string_view path) {
    for (std::size_t at = path.size(); at-- > 0;) {
        if (endsScope(path, at)) {
            return path.substr(0, at);
        }
    }
    return {};
}

/// The longest scope that holds both.
std::string_view sharedScope(std::string_view a, std::string_view b) {
    std::size_t end = 0;
    for (std::size_t i = 0; i <= a.size() && i <= b.size(); ++i) {
        if (endsScope(a, i) && endsScope(b, i)) {
            end = i;
        }
        if (i == a.size() || i == b.size() || a[i] != b[i]) {
            break;
        }
    }
    return a.substr(0, end);
}

std::string nameOf(const std::vector<std::string>& paths, std::size_t all) {
    std::string_view scope = scopeOf(paths.front());
    for (const std::string& path : paths) {
        scope = sharedScope(scope, scopeOf(path));
    }
    if (!scope.empty() && all > 1) {
        return std::string(scope);
    }
    std::string name;
    std::size_t listed = 0;
    for (std::size_t k = 0; k < paths.size() && listed < 2; ++k) {
        if (std::find(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(k), paths[k]) == paths.begin() + static_cast<std::ptrdiff_t>(k)) {
            name += (listed == 0 ? "" : ", ") + paths[k];
            ++listed;
        }
    }
    return all > listed ? name + " +" + std::to_string(all - listed) : name;
}

} // namespace

std::vector<LemmaRegion> lemmaRegions(const CheckResult& result) {
    std::vector<LemmaRegion> regions;
    if (!result.reference || !result.rewritten || result.lemmas.empty()) {
        return regions;
    }
    const auto count = static_cast<std::uint32_t>(result.lemmas.size());
    Sets sets(count);
    SideNodes sides[2] = {SideNodes(result, Side::Reference), SideNodes(result, Side::Rewritten)};
    std::vector<bool> placed(count, false);
    std::vector<std::pair<std::size_t, FlatNodeId>> nodes; // rewritten nodes with their side, by their first lemma
    for (std::uint32_t lemma = 0; lemma < count; ++lemma) {
        for (std::size_t side = 0; side < 2; ++side) {
            for (const FlatNodeId node : sides[side].own(lemma)) {
                if (!sides[side].isRewritten(node)) {
                    continue;
                }
                placed[lemma] = true;
                std::uint32_t& owner = sides[side].owner[node.index];
                if (owner == Nobody) {
                    owner = lemma;
                    nodes.emplace_back(side, node);
                } else {
                    sets.join(owner, lemma);
                }
            }
        }
    }
    for (const auto& [side, node] : nodes) {
        for (const FlatNodeId from : sides[side].producers(node)) {
            if (sides[side].owner[from.index] != Nobody) {
                sets.join(sides[side].owner[from.index], sides[side].owner[node.index]);
            }
        }
    }
    std::vector<std::uint32_t> follows(count, Nobody);
    for (std::uint32_t lemma = 0; lemma < count; ++lemma) {
        for (std::size_t side = 0; side < 2 && !placed[lemma] && follows[lemma] == Nobody; ++side) {
            for (const FlatNodeId node : sides[side].cone(lemma)) {
                if (node.index < sides[side].owner.size() && sides[side].owner[node.index] != Nobody) {
                    follows[lemma] = sides[side].owner[node.index];
                    break;
                }
            }
        }
    }
    for (std::uint32_t lemma = 0; lemma < count; ++lemma) {
        if (follows[lemma] != Nobody) {
            sets.join(lemma, follows[lemma]);
        }
    }

    std::vector<std::uint32_t> regionOf(count, Nobody);
    for (std::uint32_t lemma = 0; lemma < count; ++lemma) {
        const std::uint32_t root = sets.find(lemma);
        if (regionOf[root] == Nobody) {
            regionOf[root] = static_cast<std::uint32_t>(regions.size());
            regions.emplace_back();
        }
        regions[regionOf[root]].lemmas.push_back(lemma);
    }
    constexpr std::size_t Named = 200; // enough to find the scope that they share
    std::vector<std::vector<std::string>> paths(regions.size());
    std::vector<std::size_t> counts(regions.size(), 0);
    for (const auto& [side, node] : nodes) {
        const std::uint32_t region = regionOf[sets.find(sides[side].owner[node.index])];
        ++counts[region];
        if (paths[region].size() < Named) {
            paths[region].push_back(sides[side].tree().path(node));
        }
    }
    for (std::size_t r = 0; r < regions.size(); ++r) {
        for (const std::uint32_t lemma : regions[r].lemmas) {
            for (std::size_t side = 0; side < 2 && paths[r].empty(); ++side) {
                for (const FlatNodeId node : sides[side].cone(lemma)) {
                    if (node.index < sides[side].tree().nodeCount() && paths[r].size() < 3) {
                        paths[r].push_back(sides[side].tree().path(node));
                    }
                }
                counts[r] = paths[r].size();
            }
        }
        regions[r].name = paths[r].empty() ? std::string() : nameOf(paths[r], counts[r]);
        if (regions[r].name.empty()) {
            regions[r].name = result.lemmas[regions[r].lemmas.front()].title;
        }
        if (regions[r].name.empty()) {
            regions[r].name = result.lemmas[regions[r].lemmas.front()].id;
        }
    }
    return regions;
}

} // namespace lemmascope
