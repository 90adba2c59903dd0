#include "ui/views/node_index.h"

#include "ui/views/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace lemmascope {

namespace {

constexpr std::size_t PollEvery = 1'024;

/// Constants that something reads, and inputs that are no constants.
std::vector<bool> readValues(const Graph& graph) {
    std::vector<bool> read(graph.values.size(), false);
    for (const Node& node : graph.nodes) {
        for (const ValueId operand : node.operands) {
            if (operand.isValid()) {
                read[operand.index] = true;
            }
        }
    }
    for (const ValueId output : graph.outputs) {
        if (output.isValid()) {
            read[output.index] = true;
        }
    }
    return read;
}

} // namespace

std::string foldedText(std::string_view text) {
    std::string folded(text);
    bool ascii = true;
    for (char& c : folded) {
        ascii = ascii && static_cast<unsigned char>(c) < 0x80;
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return ascii ? folded : toStdString(toQString(text).toCaseFolded());
}

Result<std::shared_ptr<const NodeIndex>> NodeIndex::build(std::shared_ptr<const GraphTree> reference, std::shared_ptr<const GraphTree> rewritten,
                                                          std::stop_token stop) {
    auto index = std::make_shared<NodeIndex>();
    index->m_trees = {std::move(reference), std::move(rewritten)};
    index->m_nameStart.push_back(0);
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        if (side == Side::Rewritten) {
            index->m_firstRewritten = index->m_places.size();
        }
        if (!index->addSide(side, stop)) {
            return fail(ErrorCode::Cancelled, "stopped");
        }
    }
    index->m_foldedOps.reserve(index->m_opNames.size());
    for (const QString& op : index->m_opNames) {
        index->m_foldedOps.push_back(foldedText(toStdString(op)));
    }
    index->m_knownOps.clear();
    return std::shared_ptr<const NodeIndex>(std::move(index));
}

std::uint32_t NodeIndex::opIndex(const std::string& text, std::unordered_map<std::string, std::uint32_t>& known) {
    const auto [at, added] = known.try_emplace(text, static_cast<std::uint32_t>(m_opNames.size()));
    if (added) {
        m_opNames.push_back(toQString(text));
    }
    return at->second;
}

void NodeIndex::add(const PlaceId& place, const std::string& path, std::string_view results, std::uint32_t op) {
    const std::string folded = foldedText(path);
    m_places.push_back(place);
    m_names += folded;
    m_pathLength.push_back(static_cast<std::uint32_t>(folded.size()));
    if (!results.empty()) {
        m_names += '\n';
        m_names += foldedText(results);
    }
    m_nameStart.push_back(m_names.size());
    m_ops.push_back(op);
}

bool NodeIndex::addSide(Side side, const std::stop_token& stop) {
    const auto& tree = m_trees[static_cast<std::size_t>(side)];
    if (tree == nullptr) {
        m_firstNode[static_cast<std::size_t>(side)] = m_places.size();
        return true;
    }
    const Graph& top = tree->top();
    const std::vector<bool> read = readValues(top);
    auto& byValue = m_values[static_cast<std::size_t>(side)];
    const auto addValue = [&](ValueId id, const std::string& op) {
        byValue.emplace_back(id.index, static_cast<std::uint32_t>(m_places.size()));
        add({side, {}, FlatValueId(id.index)}, top.value(id).name, {}, opIndex(op, m_knownOps));
    };
    std::vector<bool> isInput(top.values.size(), false);
    for (const ValueId input : top.inputs) {
        if (input.isValid() && !isInput[input.index]) {
            isInput[input.index] = true;
            addValue(input, toStdString(QCoreApplication::translate("NodeIndex", "input")));
        }
    }
    for (std::uint32_t v = 0; v < top.values.size(); ++v) {
        if (top.values[v].constant && read[v] && !isInput[v]) {
            addValue(ValueId(v), toStdString(QCoreApplication::translate("NodeIndex", "constant")));
        }
    }
    std::sort(byValue.begin(), byValue.end());
    m_firstNode[static_cast<std::size_t>(side)] = m_places.size();
    std::string results;
    for (std::size_t n = 0; n < tree->nodeCount(); ++n) {
        if (n % PollEvery == 0 && stop.stop_requested()) {
            return false;
        }
        const FlatNodeId node(n);
        const GraphInstance& instance = tree->instanceOf(node);
        const Node& data = instance.graph->nodes[n - instance.nodeBase];
        results.clear();
        for (const ValueId result : data.results) {
            if (result.isValid() && !instance.graph->value(result).name.empty()) {
                results += results.empty() ? "" : "\n";
                results += instance.graph->value(result).name;
            }
        }
        add({side, node, {}}, tree->path(node), results, opIndex(data.op.text(), m_knownOps));
    }
    return true;
}

std::size_t NodeIndex::entryOf(const PlaceId& place) const {
    const auto side = static_cast<std::size_t>(place.side);
    if (place.node.isValid()) {
        const std::size_t entry = m_firstNode[side] + place.node.index;
        return m_trees[side] != nullptr && place.node.index < m_trees[side]->nodeCount() ? entry : count();
    }
    const auto at = std::lower_bound(m_values[side].begin(), m_values[side].end(), std::pair<std::uint32_t, std::uint32_t>(place.value.index, 0));
    return place.value.isValid() && at != m_values[side].end() && at->first == place.value.index ? at->second : count();
}

std::string_view NodeIndex::foldedNames(std::size_t entry) const {
    return std::string_view(m_names).substr(m_nameStart[entry], m_nameStart[entry + 1] - m_nameStart[entry]);
}

std::string_view NodeIndex::foldedPath(std::size_t entry) const { return std::string_view(m_names).substr(m_nameStart[entry], m_pathLength[entry]); }

QString NodeIndex::name(std::size_t entry) const {
    const PlaceId& at = m_places[entry];
    const GraphTree& graph = *tree(at.side);
    return at.node.isValid() ? toQString(graph.path(at.node)) : toQString(graph.value(at.value).name);
}

std::vector<FlatValueId> NodeIndex::resultsOf(std::size_t entry) const {
    const PlaceId& at = m_places[entry];
    if (!at.node.isValid()) {
        return {at.value};
    }
    const GraphTree& graph = *tree(at.side);
    std::vector<FlatValueId> results;
    for (const ValueId result : graph.node(at.node).results) {
        if (result.isValid()) {
            results.emplace_back(graph.instanceOf(at.node).valueBase + result.index);
        }
    }
    return results;
}

} // namespace lemmascope
