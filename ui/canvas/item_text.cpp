#include "ui/canvas/item_text.h"

#include "ui/canvas/scene_labels.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

constexpr std::size_t MostTypes = 6;

QString tr(const char* text, int count = -1) { return QCoreApplication::translate("lemmascope::GraphCanvas", text, nullptr, count); }

QString counted(std::size_t count, const char* one, const char* many) { return (count == 1 ? tr(one) : tr(many)).arg(count); }

const NodeRelation* relationOf(const GraphScene& scene, const SceneOverlay& overlay, FlatNodeId node) {
    if (overlay.correspondence == nullptr || !node.isValid()) {
        return nullptr;
    }
    const std::vector<NodeRelation>& relations =
        scene.side == Side::Reference ? overlay.correspondence->reference : overlay.correspondence->rewritten;
    return node.index < relations.size() ? &relations[node.index] : nullptr;
}

QString lemmaNames(const SceneOverlay& overlay, const NodeRelation& relation) {
    QStringList names;
    for (std::size_t i = 0; i < std::min<std::size_t>(relation.lemmas.size(), 3); ++i) {
        const std::uint32_t lemma = relation.lemmas[i];
        names += lemma < overlay.lemmaIds.size() ? overlay.lemmaIds[lemma] : QStringLiteral("L%1").arg(lemma + 1);
    }
    return names.join(QLatin1Char(' '));
}

QString nodeName(const GraphTree& tree, FlatNodeId node) {
    const GraphInstance& instance = tree.instanceOf(node);
    return oneLine(instance.graph->displayName(NodeId(node.index - instance.nodeBase)));
}

std::size_t validCount(const std::vector<ValueId>& ids) {
    return static_cast<std::size_t>(std::count_if(ids.begin(), ids.end(), [](ValueId id) { return id.isValid(); }));
}

QString kindText(ItemKind kind) {
    switch (kind) {
    case ItemKind::Input: return tr("input");
    case ItemKind::Output: return tr("output");
    case ItemKind::Constant: return tr("constant");
    case ItemKind::Capture: return tr("value of the enclosing graph");
    case ItemKind::Node:
    case ItemKind::Container:
    case ItemKind::Collapsed:
    case ItemKind::OpenGroup:
    case ItemKind::Group: break;
    }
    return {};
}

QString typesText(const Graph& graph, const std::vector<ValueId>& ids) {
    QStringList types;
    for (const ValueId id : ids) {
        if (types.size() == static_cast<qsizetype>(MostTypes)) {
            types += QStringLiteral("\u2026 (%1)").arg(ids.size());
            break;
        }
        const QString type = id.isValid() ? typeText(graph.value(id).type) : tr("absent");
        types += type.isEmpty() ? QStringLiteral("?") : type;
    }
    return types.join(QStringLiteral(", "));
}

QString partnerText(const SceneOverlay& overlay, const NodeRelation& relation) {
    if (!relation.partner.isValid()) {
        return relation.reason.empty() ? tr("no partner") : tr("no partner: %1").arg(oneLine(relation.reason, 300));
    }
    const bool named = overlay.other != nullptr && relation.partner.index < overlay.other->nodeCount();
    QString text = named ? tr("partner: %1").arg(nodeName(*overlay.other, relation.partner)) : tr("partner: node %1").arg(relation.partner.index);
    if (!relation.reason.empty()) {
        text += QLatin1Char('\n') + oneLine(relation.reason, 300);
    }
    return text;
}

QString markText(const GraphScene& scene, const SceneOverlay& overlay, const NodeRelation& relation) {
    if (overlay.obsolete) {
        return roleText(Role::Obsolete);
    }
    QString text = relation.mark == NodeMark::Equal ? tr("proved equal") : roleText(roleOf(relation.mark, scene.side));
    const QString lemmas = lemmaNames(overlay, relation);
    return lemmas.isEmpty() ? text : text + QLatin1Char(' ') + lemmas;
}

/// `2 failing pair, 31 shared term`: what a group holds, the gravest first.
QString insideText(const GraphScene& scene, const SceneOverlay& overlay, std::uint32_t group) {
    std::array<std::size_t, RoleCount> counts{};
    const std::size_t side = static_cast<std::size_t>(scene.side);
    for (std::size_t n = 0; n < std::min(overlay.roles.size(), scene.nodeGroups->groupOf[side].size()); ++n) {
        if (scene.nodeGroups->isWithin(scene.nodeGroups->of(side, n), group)) {
            ++counts[static_cast<std::size_t>(overlay.obsolete ? Role::Obsolete : overlay.roles[n])];
        }
    }
    QStringList parts;
    for (const Role role : {Role::Failing, Role::Undecided, Role::Changed, Role::OnlyReference, Role::OnlyRewritten, Role::Accepted, Role::Shared,
                            Role::Obsolete, Role::Dead}) {
        if (const std::size_t count = counts[static_cast<std::size_t>(role)]; count > 0) {
            parts += tr("%1: %2").arg(roleText(role)).arg(count);
        }
    }
    return parts.join(QStringLiteral(", "));
}

QString groupText(const GraphScene& scene, const SceneOverlay& overlay, std::uint32_t item, const QString& between) {
    const NodeGroup& group = scene.nodeGroups->groups[scene.groups[item]];
    QStringList parts{groupTitle(group, scene.side)};
    parts += counted(group.count[static_cast<std::size_t>(scene.side)], "%1 node inside", "%1 nodes inside");
    if (const QString inside = insideText(scene, overlay, scene.groups[item]); !inside.isEmpty()) {
        parts += inside;
    }
    parts += scene.isOpen(item) ? tr("open") : tr("closed");
    return parts.join(between);
}

} // namespace

QString groupTitle(const NodeGroup& group, Side side) {
    const std::uint32_t count = group.count[static_cast<std::size_t>(side)];
    switch (group.kind) {
    case NodeGroup::Kind::Scope: {
        const QString name = oneLine(group.name);
        return group.of > 1 ? tr("%1 (%2 of %3)").arg(name).arg(group.number).arg(group.of) : name;
    }
    case NodeGroup::Kind::Block: return tr("Block %1 of %2").arg(group.number).arg(group.of);
    case NodeGroup::Kind::Part: return tr("Part %1 of %2").arg(group.number).arg(group.of);
    case NodeGroup::Kind::Shared: return (count == 1 ? tr("= %1 shared node") : tr("= %1 shared nodes")).arg(QLocale().toString(count));
    }
    return {};
}

QString spokenName(const GraphScene& scene, const SceneOverlay& overlay, std::uint32_t item) {
    if (scene.isGroup(item)) {
        return groupText(scene, overlay, item, QStringLiteral(", "));
    }
    const GraphTree& tree = *scene.tree;
    const FlatNodeId node = scene.nodes[item];
    if (!node.isValid()) {
        const Value& value = tree.value(scene.values[item]);
        QStringList parts{kindText(scene.kinds[item]) + QLatin1Char(' ') + oneLine(value.name)};
        const QString type = value.constant ? constantText(*value.constant) : typeText(value.type);
        if (!type.isEmpty()) {
            parts += type;
        }
        return parts.join(QStringLiteral(", "));
    }
    const Node& data = tree.node(node);
    QStringList parts{oneLine(data.op.name) + QLatin1Char(' ') + nodeName(tree, node)};
    if (const NodeRelation* relation = relationOf(scene, overlay, node)) {
        parts += markText(scene, overlay, *relation);
        if (!relation->partner.isValid() && relation->mark != NodeMark::Only) {
            parts += tr("no partner");
        }
    } else if (node.index < overlay.roles.size() && overlay.roles[node.index] != Role::Plain) {
        parts += roleText(overlay.roles[node.index]);
    }
    parts += counted(validCount(data.operands), "%1 input", "%1 inputs");
    parts += counted(validCount(data.results), "%1 output", "%1 outputs");
    if (scene.nestedCounts[item] > 0) {
        parts += counted(scene.nestedCounts[item], "%1 node inside", "%1 nodes inside");
    }
    return parts.join(QStringLiteral(", "));
}

QString itemDetails(const GraphScene& scene, const SceneOverlay& overlay, std::uint32_t item) {
    if (scene.isGroup(item)) {
        return groupText(scene, overlay, item, QStringLiteral("\n"));
    }
    const GraphTree& tree = *scene.tree;
    const FlatNodeId node = scene.nodes[item];
    if (!node.isValid()) {
        const Value& value = tree.value(scene.values[item]);
        QString text = kindText(scene.kinds[item]) + QLatin1Char(' ') + oneLine(value.name) + QLatin1Char('\n') + typeText(value.type);
        if (value.constant && value.constant->count() <= 4) {
            text += QLatin1Char('\n') + constantText(*value.constant);
        }
        if (value.range) {
            text += QLatin1Char('\n') + tr("from %1 to %2").arg(value.range->low).arg(value.range->high);
        }
        return text;
    }
    const Node& data = tree.node(node);
    const Graph& graph = *tree.instanceOf(node).graph;
    QStringList lines;
    lines += oneLine(data.op.text()) + (data.op.version > 0 ? QStringLiteral(" (opset %1)").arg(data.op.version) : QString());
    lines += oneLine(tree.path(node), 300);
    if (!data.attributes.empty()) {
        lines += allAttributes(data);
    }
    if (!data.operands.empty()) {
        lines += tr("in: %1").arg(typesText(graph, data.operands));
    }
    if (!data.results.empty()) {
        lines += tr("out: %1").arg(typesText(graph, data.results));
    }
    if (data.line > 0) {
        lines += tr("line %1").arg(data.line);
    }
    if (const NodeRelation* relation = relationOf(scene, overlay, node)) {
        lines += markText(scene, overlay, *relation);
        lines += partnerText(overlay, *relation);
    }
    return lines.join(QLatin1Char('\n'));
}

QString edgeDetails(const GraphScene& scene, std::uint32_t edge) {
    const Value& value = scene.tree->value(scene.edgeValues[edge]);
    const QString type = typeText(value.type);
    const auto nameOf = [&](std::uint32_t item) {
        if (scene.isGroup(item)) {
            return groupTitle(scene.nodeGroups->groups[scene.groups[item]], scene.side);
        }
        return scene.nodes[item].isValid()
                   ? oneLine(scene.tree->node(scene.nodes[item]).op.name) + QLatin1Char(' ') + nodeName(*scene.tree, scene.nodes[item])
                   : kindText(scene.kinds[item]) + QLatin1Char(' ') + oneLine(scene.tree->value(scene.values[item]).name);
    };
    QString text = oneLine(value.name);
    if (!type.isEmpty()) {
        text += QStringLiteral(": ") + type;
    }
    const QString from = tr("from %1").arg(nameOf(scene.edgeFrom[edge]));
    const bool toNode = scene.nodes[scene.edgeTo[edge]].isValid();
    const QString to = toNode ? tr("to operand %1 of %2").arg(scene.edgeOperands[edge] + 1).arg(nameOf(scene.edgeTo[edge]))
                              : tr("to %1").arg(nameOf(scene.edgeTo[edge]));
    return text + QLatin1Char('\n') + from + QLatin1Char('\n') + to;
}

QString asToolTip(const QString& plain) {
    QString html = plain.toHtmlEscaped();
    html.replace(QLatin1Char('\n'), QStringLiteral("<br>"));
    return QStringLiteral("<qt>") + html + QStringLiteral("</qt>");
}

} // namespace lemmascope
