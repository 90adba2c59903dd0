#include "ui/canvas/scene_plan.h"

#include "ui/canvas/scene_labels.h"
#include "ui/canvas/scene_planner.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lemmascope {

namespace {

constexpr double SmallestBox = 84.0;
constexpr double LargestText = 210.0;  ///< labels are cut to this width, so that one long name does not spread the layout
constexpr double LargestTitle = 300.0; ///< operators: cut only if absurd
constexpr double LargestValueText = 130.0;
constexpr std::size_t PollEvery = 4096;

QString resultTypes(const Graph& graph, const Node& node) {
    QString text;
    std::size_t named = 0;
    for (const ValueId result : node.results) {
        if (!result.isValid()) {
            continue;
        }
        if (++named <= 2) {
            const QString type = briefTypeText(graph.value(result).type);
            text += (text.isEmpty() || type.isEmpty() ? QString() : QStringLiteral(", ")) + type;
        }
    }
    return named > 2 && !text.isEmpty() ? text + QStringLiteral(" +%1").arg(named - 2) : text;
}

} // namespace

QString fittedText(QString text, double room, double pixels, bool front) {
    const double width = approximateWidth(text, pixels);
    if (width <= room || text.size() < 4) {
        return text;
    }
    const auto keep = std::max<qsizetype>(3, static_cast<qsizetype>(static_cast<double>(text.size()) * room / width) - 1);
    if (keep >= text.size()) {
        return text;
    }
    const QChar dots(0x2026);
    if (front) {
        return dots + text.right(keep);
    }
    return text.left(keep - keep / 3) + dots + text.right(keep / 3);
}

Result<ScenePlan> ScenePlanner::run(const std::stop_token& stop) {
    m_plan.tree = m_request.tree;
    m_plan.strings.push_back(QString());
    m_plan.itemOfNode.assign(m_tree.nodeCount(), NoItem);
    m_plan.itemOfValue.assign(m_tree.valueCount(), NoItem);
    m_plan.outputItemOfValue.assign(m_tree.valueCount(), NoItem);
    decideOpen();
    m_plan.groups.push_back(PlanGroup{});
    if (m_groups.groups != nullptr && !m_groups.groups->groups.empty() && !m_request.only) {
        prepareGroups();
        if (!addGroupedTop(stop)) {
            return fail(ErrorCode::Cancelled, "drawing was cancelled");
        }
    }
    for (std::uint32_t group = 0; group < m_plan.groups.size(); ++group) {
        if (!m_plan.groups[group].isFilled && !addGroup(group, stop)) {
            return fail(ErrorCode::Cancelled, "drawing was cancelled");
        }
    }
    return std::move(m_plan);
}

std::uint32_t ScenePlanner::intern(const QString& text) {
    if (text.isEmpty()) {
        return 0;
    }
    const auto at = m_interned.constFind(text);
    if (at != m_interned.constEnd()) {
        return *at;
    }
    const auto index = static_cast<std::uint32_t>(m_plan.strings.size());
    m_plan.strings.push_back(text);
    m_interned.insert(text, index);
    return index;
}

void ScenePlanner::decideOpen() {
    const std::vector<GraphInstance>& instances = m_tree.instances();
    m_nested.assign(m_tree.nodeCount(), 0);
    m_open.assign(m_tree.nodeCount(), 0);
    std::vector<std::uint32_t> counts(instances.size(), 0);
    std::vector<std::uint8_t> telling(instances.size(), 0); // has a failing or changed node
    for (std::size_t i = instances.size(); i-- > 1;) {
        const GraphInstance& instance = instances[i];
        counts[i] += static_cast<std::uint32_t>(instance.graph->nodes.size());
        for (std::uint32_t n = 0; n < instance.graph->nodes.size() && telling[i] == 0; ++n) {
            const std::size_t flat = instance.nodeBase + n;
            telling[i] = flat < m_relations.size() && (m_relations[flat].mark == NodeMark::Failing || m_relations[flat].mark == NodeMark::Changed);
        }
        const std::size_t parent = instances[instance.parent].nodeBase + instance.parentNode.index;
        m_nested[parent] += counts[i];
        m_open[parent] = m_open[parent] != 0 || telling[i] != 0;
        if (instance.parent != 0) {
            counts[instance.parent] += counts[i];
            telling[instance.parent] = telling[instance.parent] != 0 || telling[i] != 0;
        }
    }
    for (std::size_t n = 0; n < m_open.size(); ++n) {
        m_open[n] = m_open[n] != 0 && m_nested[n] < LargestOpenedBody;
    }
    const auto setAll = [this](const std::vector<FlatNodeId>& nodes, bool open) {
        for (const FlatNodeId node : nodes) {
            if (node.isValid() && node.index < m_open.size()) {
                m_open[node.index] = open && m_nested[node.index] > 0;
            }
        }
    };
    setAll(m_request.expanded, true);
    setAll(m_request.collapsed, false);
    m_filtered.assign(instances.size(), 0);
    if (!m_request.only) {
        return;
    }
    m_shown.assign(m_tree.nodeCount(), 0);
    m_filtered[0] = 1;
    for (FlatNodeId node : *m_request.only) {
        while (node.isValid() && node.index < m_shown.size() && m_shown[node.index] == 0) {
            m_shown[node.index] = 1;
            const GraphInstance& instance = m_tree.instanceOf(node);
            const auto at = static_cast<std::size_t>(&instance - instances.data());
            m_filtered[at] = 1;
            if (instance.parent == Id<void>::Invalid) {
                break;
            }
            node = FlatNodeId(instances[instance.parent].nodeBase + instance.parentNode.index);
            m_open[node.index] = 1;
        }
    }
}

std::uint32_t ScenePlanner::addItem(PlanItem item, std::uint32_t group) {
    const auto index = static_cast<std::uint32_t>(m_plan.items.size());
    item.group = group;
    item.position = static_cast<std::uint32_t>(m_plan.groups[group].items.size());
    m_plan.groups[group].items.push_back(index);
    m_plan.items.push_back(std::move(item));
    return index;
}

std::uint32_t ScenePlanner::addValueItem(ItemKind kind, std::uint32_t group, std::uint32_t instance, ValueId id) {
    const GraphInstance& at = m_tree.instances()[instance];
    const Value& value = at.graph->value(id);
    PlanItem item;
    item.kind = kind;
    item.value = FlatValueId(at.valueBase + id.index);
    item.pulledDown = kind != ItemKind::Output;
    const double small = m_metrics.smallPixels;
    const QString title = fittedText(oneLine(value.name), scaled(LargestValueText), small, true);
    const QString detail =
        fittedText(value.constant ? constantText(*value.constant) : briefTypeText(value.type), scaled(LargestValueText), small, false);
    item.title = intern(title);
    item.detail = intern(detail);
    const double gap = title.isEmpty() || detail.isEmpty() ? 0.0 : small * 0.6;
    item.width = std::max(small * 4.0, std::ceil(approximateWidth(title, small) + gap + approximateWidth(detail, small) + small * 1.8));
    item.height = std::ceil(small * 1.9);
    const std::uint32_t index = addItem(item, group);
    if (kind == ItemKind::Output) {
        m_plan.outputItemOfValue[item.value.index] = index;
    } else {
        m_plan.itemOfValue[item.value.index] = index;
    }
    return index;
}

void ScenePlanner::addNodeItem(std::uint32_t group, std::uint32_t instance, std::uint32_t nodeIndex) {
    const GraphInstance& at = m_tree.instances()[instance];
    const Node& node = at.graph->nodes[nodeIndex];
    const FlatNodeId flat(at.nodeBase + nodeIndex);
    PlanItem item;
    item.node = flat;
    item.nested = m_nested[flat.index];
    item.kind = item.nested == 0 ? ItemKind::Node : (m_open[flat.index] != 0 ? ItemKind::Container : ItemKind::Collapsed);
    // What depends on constants alone stands with them, right above its reader.
    item.pulledDown = std::all_of(node.operands.begin(), node.operands.end(), [&](ValueId id) {
        const std::uint32_t from = id.isValid() ? m_plan.itemOfValue[at.valueBase + id.index] : NoItem;
        return !id.isValid() || (from != NoItem && (m_plan.items[from].kind == ItemKind::Constant ||
                                                    (m_plan.items[from].node.isValid() && m_plan.items[from].pulledDown)));
    });
    const QString title = fittedText(oneLine(node.op.name), scaled(LargestTitle), m_metrics.titlePixels, false);
    const QString detail = fittedText(keyAttributes(node), scaled(LargestText), m_metrics.smallPixels, false);
    const QString name = fittedText(oneLine(at.graph->displayName(NodeId(nodeIndex))), scaled(LargestText), m_metrics.smallPixels, true);
    const QString type = fittedText(resultTypes(*at.graph, node), scaled(LargestText), m_metrics.smallPixels, false);
    item.title = intern(title);
    item.detail = intern(detail);
    item.name = intern(name == title ? QString() : name);
    item.type = intern(type);
    // The sign that opens a node with nested graphs, and how many nodes it holds.
    const double sign = item.nested == 0 ? 0.0 : m_metrics.titlePixels * (1.6 + 0.62 * (2.0 + std::floor(std::log10(item.nested))));
    const double inner = std::max({approximateWidth(title, m_metrics.titlePixels, true) + sign, approximateWidth(detail, m_metrics.smallPixels),
                                   approximateWidth(m_plan.strings[item.name], m_metrics.smallPixels)});
    item.width = std::max({scaled(SmallestBox), std::ceil(inner + m_metrics.badgeWidth() + 3.0 * m_metrics.padding()),
                           std::ceil(approximateWidth(type, m_metrics.smallPixels) + 2.0 * m_metrics.padding())});
    item.height = std::ceil(2.0 * m_metrics.padding() + m_metrics.lineHeight() +
                            ((item.detail != 0 ? 1.0 : 0.0) + (item.name != 0 ? 1.0 : 0.0)) * m_metrics.smallLineHeight());
    item.strip = item.type != 0 ? m_metrics.typeStrip() : 0.0;
    const bool open = item.kind == ItemKind::Container;
    const std::uint32_t index = addItem(std::move(item), group);
    m_plan.itemOfNode[flat.index] = index;
    for (const ValueId result : node.results) {
        if (result.isValid()) {
            m_plan.itemOfValue[at.valueBase + result.index] = index;
        }
    }
    if (open) {
        for (const std::uint32_t child : m_tree.childrenOf(instance, NodeId(nodeIndex))) {
            PlanGroup nested;
            nested.instance = child;
            nested.parent = group;
            nested.parentItem = index;
            nested.depth = m_plan.groups[group].depth + 1;
            m_plan.groups[group].children.push_back(static_cast<std::uint32_t>(m_plan.groups.size()));
            m_plan.groups.push_back(std::move(nested));
        }
    }
}

std::vector<std::uint8_t> ScenePlanner::sourcesOf(const Graph& graph) {
    std::vector<std::uint8_t> source(graph.values.size(), Nothing);
    for (std::size_t v = 0; v < graph.values.size(); ++v) {
        if (graph.values[v].constant && !graph.values[v].producer.isValid()) {
            source[v] = IsConstant;
        }
    }
    for (const Capture& capture : graph.captures) {
        if (capture.inner.isValid()) {
            source[capture.inner.index] = IsCapture;
        }
    }
    for (const ValueId input : graph.inputs) {
        source[input.index] = IsInput;
    }
    return source;
}

bool ScenePlanner::addGroup(std::uint32_t group, const std::stop_token& stop) {
    const std::uint32_t instance = m_plan.groups[group].instance;
    const GraphInstance& at = m_tree.instances()[instance];
    const Graph& graph = *at.graph;
    const std::vector<std::uint8_t> source = sourcesOf(graph); // decided once, drawn above its first reader
    const auto place = [&](ValueId id) {
        if (!id.isValid() || source[id.index] == Nothing || m_plan.itemOfValue[at.valueBase + id.index] != NoItem) {
            return;
        }
        const std::uint8_t kind = source[id.index];
        addValueItem(kind == IsInput ? ItemKind::Input : (kind == IsConstant ? ItemKind::Constant : ItemKind::Capture), group, instance, id);
    };
    if (m_filtered[instance] == 0) {
        for (const ValueId input : graph.inputs) {
            place(input);
        }
    }
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        if (n % PollEvery == 0 && stop.stop_requested()) {
            return false;
        }
        if (!isShown(instance, at.nodeBase + n)) {
            continue;
        }
        for (const ValueId operand : graph.nodes[n].operands) {
            place(operand);
        }
        addNodeItem(group, instance, n);
    }
    for (const ValueId output : graph.outputs) {
        if (!output.isValid()) {
            continue;
        }
        if (m_filtered[instance] == 0) {
            place(output);
        }
        if (m_plan.itemOfValue[at.valueBase + output.index] != NoItem && m_plan.outputItemOfValue[at.valueBase + output.index] == NoItem) {
            addValueItem(ItemKind::Output, group, instance, output);
        }
    }
    addEdges(group, instance);
    return true;
}

void ScenePlanner::addEdges(std::uint32_t group, std::uint32_t instance) {
    const GraphInstance& at = m_tree.instances()[instance];
    const Graph& graph = *at.graph;
    const auto connect = [&](FlatValueId value, std::uint32_t to, std::uint32_t operand) {
        const std::uint32_t from = m_plan.itemOfValue[value.index];
        if (from == NoItem) {
            return false;
        }
        m_plan.groups[group].edges.push_back(static_cast<std::uint32_t>(m_plan.edges.size()));
        m_plan.edges.push_back(PlanEdge{from, to, value, operand});
        return true;
    };
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        const std::uint32_t item = m_plan.itemOfNode[at.nodeBase + n];
        const std::vector<ValueId>& operands = graph.nodes[n].operands;
        for (std::uint32_t o = 0; o < operands.size(); ++o) {
            if (!operands[o].isValid()) {
                continue;
            }
            if (item != NoItem) {
                m_plan.items[item].hiddenProducers += connect(FlatValueId(at.valueBase + operands[o].index), item, o) ? 0 : 1;
            } else if (const std::uint32_t from = m_plan.itemOfValue[at.valueBase + operands[o].index]; from != NoItem) {
                ++m_plan.items[from].hiddenConsumers;
            }
        }
    }
    for (std::size_t i = 0; i < m_plan.groups[group].items.size(); ++i) {
        const PlanItem& item = m_plan.items[m_plan.groups[group].items[i]];
        if (item.kind == ItemKind::Output) {
            connect(item.value, m_plan.groups[group].items[i], 0);
        }
    }
}

Result<ScenePlan> planScene(const SideRequest& request, const PlannedGroups& groups, const std::vector<NodeRelation>& relations,
                            const SceneMetrics& metrics, std::stop_token stop) {
    return ScenePlanner(request, groups, relations, metrics).run(stop);
}

} // namespace lemmascope
