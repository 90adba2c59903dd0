// A top graph whose nodes are put together. A closed group is one item; an open one a box with a graph of its own, which the
// values that cross its border enter and leave through items on it, as those of nested graphs do. Edges so stay within one box.

#include "ui/canvas/scene_labels.h"
#include "ui/canvas/scene_planner.h"

#include "ui/canvas/item_text.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lemmascope {

namespace {

constexpr std::uint32_t None = NodeGroup::None;
constexpr double LargestTitle = 260.0;
constexpr double LargestText = 240.0;
constexpr double SmallestBox = 150.0; ///< room for the counts of what is inside
constexpr std::size_t PollEvery = 4096;
constexpr std::size_t OperatorsNamed = 3;

std::uint64_t key(std::uint32_t a, std::uint32_t b) { return (static_cast<std::uint64_t>(a) << 32U) | b; }

QString operatorsText(const std::map<std::string, std::uint32_t>& counts) {
    std::vector<std::pair<std::uint32_t, std::string>> byCount;
    for (const auto& [name, count] : counts) {
        byCount.emplace_back(count, name);
    }
    std::stable_sort(byCount.begin(), byCount.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    QString text;
    for (std::size_t i = 0; i < std::min(byCount.size(), OperatorsNamed); ++i) {
        text += (i > 0 ? QStringLiteral(", ") : QString()) + oneLine(byCount[i].second, 24);
        if (byCount[i].first > 1) {
            text += QStringLiteral(" \u00D7%1").arg(byCount[i].first);
        }
    }
    return byCount.size() > OperatorsNamed ? text + QStringLiteral(" \u2026") : text;
}

} // namespace

void ScenePlanner::prepareGroups() {
    const NodeGroups& groups = *m_groups.groups;
    const std::size_t count = groups.groups.size();
    m_depth.assign(count, 0);
    m_closedAt.assign(count, None);
    m_planOf.assign(count, None);
    m_plan.itemOfGroup.assign(count, NoItem);
    m_plan.hiddenIn.assign(m_tree.top().nodes.size(), NoItem);
    for (std::uint32_t g = 0; g < count; ++g) {
        const std::uint32_t parent = groups.groups[g].parent;
        if (parent != None) {
            m_depth[g] = m_depth[parent] + 1;
            m_closedAt[g] = m_closedAt[parent];
        }
        if (m_closedAt[g] == None && !(g < m_groups.open.size() && m_groups.open[g])) {
            m_closedAt[g] = g;
        }
    }
    std::map<std::uint32_t, std::map<std::string, std::uint32_t>> operators;
    const std::vector<Node>& nodes = m_tree.top().nodes;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        const std::uint32_t group = groups.of(static_cast<std::size_t>(m_groups.side), n);
        if (group != None && m_closedAt[group] != None) {
            ++operators[m_closedAt[group]][nodes[n].op.name];
        }
    }
    m_operators.resize(count);
    for (const auto& [group, counts] : operators) {
        m_operators[group] = operatorsText(counts);
    }
}

void ScenePlanner::addGroupItem(std::uint32_t nodeGroup, std::uint32_t group) {
    const NodeGroup& what = m_groups.groups->groups[nodeGroup];
    PlanItem item;
    item.kind = m_closedAt[nodeGroup] == None ? ItemKind::OpenGroup : ItemKind::Group;
    item.nodeGroup = nodeGroup;
    item.nested = what.count[static_cast<std::size_t>(m_groups.side)];
    const QString title =
        fittedText(groupTitle(what, m_groups.side), scaled(LargestTitle), m_metrics.titlePixels, what.kind == NodeGroup::Kind::Scope);
    const QString detail = fittedText(m_operators[nodeGroup], scaled(LargestText), m_metrics.smallPixels, false);
    item.title = intern(title);
    item.detail = intern(detail);
    const double sign = m_metrics.titlePixels * (1.6 + 0.62 * (2.0 + std::floor(std::log10(std::max(1U, item.nested)))));
    const double inner = std::max(approximateWidth(title, m_metrics.titlePixels, true) + sign, approximateWidth(detail, m_metrics.smallPixels));
    item.width = std::max(scaled(SmallestBox), std::ceil(inner + m_metrics.badgeWidth() + 3.0 * m_metrics.padding()));
    // A line of counts, and one of operators.
    item.height = std::ceil(2.0 * m_metrics.padding() + m_metrics.lineHeight() + (item.detail != 0 ? 2.0 : 1.0) * m_metrics.smallLineHeight());
    const bool open = item.kind == ItemKind::OpenGroup;
    const std::uint32_t index = addItem(std::move(item), group);
    m_plan.itemOfGroup[nodeGroup] = index;
    if (open) {
        PlanGroup inside;
        inside.isFilled = true;
        inside.parent = group;
        inside.parentItem = index;
        inside.depth = m_plan.groups[group].depth + 1;
        m_planOf[nodeGroup] = static_cast<std::uint32_t>(m_plan.groups.size());
        m_plan.groups[group].children.push_back(m_planOf[nodeGroup]);
        m_plan.groups.push_back(std::move(inside));
    }
}

std::uint32_t ScenePlanner::ensureGroup(std::uint32_t nodeGroup) {
    std::vector<std::uint32_t> missing;
    for (std::uint32_t g = nodeGroup; g != None && m_plan.itemOfGroup[g] == NoItem; g = m_groups.groups->groups[g].parent) {
        missing.push_back(g);
    }
    for (auto g = missing.rbegin(); g != missing.rend(); ++g) {
        const std::uint32_t parent = m_groups.groups->groups[*g].parent;
        addGroupItem(*g, parent == None ? 0 : m_planOf[parent]);
    }
    return m_plan.itemOfGroup[nodeGroup];
}

std::uint32_t ScenePlanner::commonGroup(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
        if (a == None || b == None) {
            return None;
        }
        std::uint32_t& deeper = m_depth[a] >= m_depth[b] ? a : b;
        deeper = m_groups.groups->groups[deeper].parent;
    }
    return a;
}

/// By value: the innermost group around all its readers. Inputs stand outside all, with the other side's.
std::vector<std::uint32_t> ScenePlanner::sourceGroups(const std::vector<std::uint8_t>& source) const {
    const Graph& graph = m_tree.top();
    std::vector<std::uint32_t> around(graph.values.size(), None);
    std::vector<bool> isRead(graph.values.size(), false);
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        const std::uint32_t group = m_groups.groups->of(static_cast<std::size_t>(m_groups.side), n);
        for (const ValueId operand : graph.nodes[n].operands) {
            if (operand.isValid() && source[operand.index] == IsConstant) {
                around[operand.index] = isRead[operand.index] ? commonGroup(around[operand.index], group) : group;
                isRead[operand.index] = true;
            }
        }
    }
    for (const ValueId output : graph.outputs) {
        if (output.isValid()) {
            around[output.index] = None;
        }
    }
    return around;
}

bool ScenePlanner::addGroupedTop(const std::stop_token& stop) {
    const Graph& graph = m_tree.top();
    const std::vector<std::uint8_t> source = sourcesOf(graph);
    const std::vector<std::uint32_t> around = sourceGroups(source);
    m_plan.groups[0].isFilled = true;
    const auto place = [&](ValueId id) {
        if (!id.isValid() || source[id.index] == Nothing || m_plan.itemOfValue[id.index] != NoItem) {
            return;
        }
        const std::uint32_t group = around[id.index];
        if (group != None && m_closedAt[group] != None) {
            return; // inside a closed group with all its readers
        }
        if (group != None) {
            ensureGroup(group);
        }
        addValueItem(source[id.index] == IsInput ? ItemKind::Input : (source[id.index] == IsConstant ? ItemKind::Constant : ItemKind::Capture),
                     group == None ? 0 : m_planOf[group], 0, id);
    };
    for (const ValueId input : graph.inputs) {
        place(input);
    }
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        if (n % PollEvery == 0 && stop.stop_requested()) {
            return false;
        }
        for (const ValueId operand : graph.nodes[n].operands) {
            place(operand);
        }
        const std::uint32_t group = m_groups.groups->of(static_cast<std::size_t>(m_groups.side), n);
        if (group == None) {
            addNodeItem(0, 0, n);
        } else if (m_closedAt[group] != None) {
            m_plan.hiddenIn[n] = ensureGroup(m_closedAt[group]);
            for (const ValueId result : graph.nodes[n].results) {
                if (result.isValid()) {
                    m_plan.itemOfValue[result.index] = m_plan.hiddenIn[n];
                }
            }
        } else {
            ensureGroup(group);
            addNodeItem(m_planOf[group], 0, n);
        }
    }
    for (const ValueId output : graph.outputs) {
        if (output.isValid()) {
            place(output);
            if (m_plan.outputItemOfValue[output.index] == NoItem) {
                addValueItem(ItemKind::Output, 0, 0, output);
            }
        }
    }
    addGroupedEdges();
    return !stop.stop_requested();
}

void ScenePlanner::connect(ValueId value, std::uint32_t from, std::uint32_t to, std::uint32_t operand) {
    const bool many = m_plan.items[to].nodeGroup != None;
    if (many && !m_drawn.insert(key(to, value.index)).second) {
        return;
    }
    m_plan.groups[m_plan.items[to].group].edges.push_back(static_cast<std::uint32_t>(m_plan.edges.size()));
    m_plan.edges.push_back(PlanEdge{from, to, FlatValueId(value.index), many ? 0 : operand});
}

void ScenePlanner::connectAcross(ValueId value, std::uint32_t from, std::uint32_t to, std::uint32_t operand) {
    if (from == to) {
        return; // within one closed group
    }
    std::uint32_t above = m_plan.items[from].group;
    std::vector<std::uint32_t> below; // boxes to go into, innermost first
    std::uint32_t inner = m_plan.items[to].group;
    while (above != inner) {
        if (m_plan.groups[above].depth > m_plan.groups[inner].depth) {
            const auto [at, isNew] = m_borders[1].try_emplace(key(above, value.index), NoItem);
            if (isNew) {
                at->second = addValueItem(ItemKind::Output, above, 0, value);
                m_plan.outputItemOfValue[value.index] = NoItem; // that is the graph's own output
                connect(value, from, at->second, 0);
            }
            from = m_plan.groups[above].parentItem;
            above = m_plan.groups[above].parent;
        } else {
            below.push_back(inner);
            inner = m_plan.groups[inner].parent;
        }
    }
    for (auto box = below.rbegin(); box != below.rend(); ++box) {
        connect(value, from, m_plan.groups[*box].parentItem, 0);
        const auto [at, isNew] = m_borders[0].try_emplace(key(*box, value.index), NoItem);
        if (isNew) {
            const std::uint32_t made = m_plan.itemOfValue[value.index];
            at->second = addValueItem(ItemKind::Capture, *box, 0, value);
            m_plan.itemOfValue[value.index] = made; // it comes out of what makes it
        }
        from = at->second;
    }
    connect(value, from, to, operand);
}

void ScenePlanner::addGroupedEdges() {
    const Graph& graph = m_tree.top();
    std::vector<std::uint32_t> outputs(graph.values.size(), NoItem);
    for (const ValueId output : graph.outputs) {
        if (output.isValid()) {
            outputs[output.index] = m_plan.outputItemOfValue[output.index];
        }
    }
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        const std::uint32_t to = m_plan.hiddenIn[n] != NoItem ? m_plan.hiddenIn[n] : m_plan.itemOfNode[n];
        for (std::uint32_t o = 0; o < graph.nodes[n].operands.size(); ++o) {
            const ValueId operand = graph.nodes[n].operands[o];
            if (operand.isValid() && m_plan.itemOfValue[operand.index] != NoItem) {
                connectAcross(operand, m_plan.itemOfValue[operand.index], to, o);
            }
        }
    }
    for (std::size_t v = 0; v < outputs.size(); ++v) {
        if (outputs[v] != NoItem && m_plan.itemOfValue[v] != NoItem) {
            connectAcross(ValueId(v), m_plan.itemOfValue[v], outputs[v], 0);
        }
    }
    for (std::size_t v = 0; v < outputs.size(); ++v) {
        m_plan.outputItemOfValue[v] = outputs[v];
    }
}

} // namespace lemmascope
