// How the nodes of the open pair are put together, and what is open over a reload.

#include "ui/jobs/pair_session.h"

#include <algorithm>
#include <map>

namespace lemmascope {

void PairSession::setGrouping(std::optional<Grouping> grouping) {
    if (m_sceneOptions.grouping != grouping) {
        m_sceneOptions.grouping = grouping;
        m_sceneOptions.groupsStartOpen = false;
        m_sceneOptions.toggledGroups.clear();
        Q_EMIT sceneOptionsChanged();
        startScenes();
    }
}

Grouping PairSession::grouping() const {
    if (m_sceneOptions.focusOnDifference || !m_session.isOpen()) {
        return Grouping::None;
    }
    if (m_sceneOptions.grouping) {
        return *m_sceneOptions.grouping;
    }
    const std::size_t nodes = std::max(m_session.referenceGraph->nodes.size(), m_session.rewrittenGraph->nodes.size());
    return nodes > LargestUngrouped && m_correspondence ? Grouping::Shared : Grouping::None;
}

void PairSession::setGroupsOpen(bool open) {
    m_sceneOptions.groupsStartOpen = open;
    m_sceneOptions.toggledGroups.clear();
    Q_EMIT sceneOptionsChanged();
    startScenes();
}

void PairSession::expandGroup(std::uint32_t group, bool open) {
    if (!m_shown.groups || group >= m_shown.groups->groups.size() || groupChoice().isOpen(m_shown.groups->groups[group]) == open) {
        return;
    }
    const std::string& key = m_shown.groups->groups[group].key;
    if (m_sceneOptions.toggledGroups.erase(key) == 0) {
        m_sceneOptions.toggledGroups.insert(key);
    }
    Q_EMIT sceneOptionsChanged();
    startScenes();
}

bool PairSession::reveal(const std::vector<FlatNodeId>& reference, const std::vector<FlatNodeId>& rewritten) {
    if (!m_shown.groups) {
        return false;
    }
    const NodeGroups& groups = *m_shown.groups;
    bool opened = false;
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        const GraphTree* nodes = tree(side);
        for (FlatNodeId node : side == Side::Reference ? reference : rewritten) {
            if (nodes == nullptr || !node.isValid() || node.index >= nodes->nodeCount()) {
                continue;
            }
            // The node of the top graph that it is in.
            for (const GraphInstance* at = &nodes->instanceOf(node); at->parent != Id<void>::Invalid; at = &nodes->instanceOf(node)) {
                node = FlatNodeId(nodes->instances()[at->parent].nodeBase + at->parentNode.index);
            }
            for (std::uint32_t g = groups.of(static_cast<std::size_t>(side), node.index); g != NodeGroup::None; g = groups.groups[g].parent) {
                const NodeGroup& group = groups.groups[g];
                if (!groupChoice().isOpen(group)) {
                    opened = true;
                    if (m_sceneOptions.toggledGroups.erase(group.key) == 0) {
                        m_sceneOptions.toggledGroups.insert(group.key);
                    }
                }
            }
        }
    }
    if (opened) {
        startScenes();
    }
    return opened;
}

/// Nodes that were opened or closed, by their names: ids change with the files.
void PairSession::keepExpanded(const Session& before) {
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        const auto& was = side == Side::Reference ? before.referenceTree : before.rewrittenTree;
        const GraphTree& is = *tree(side);
        std::map<std::string, FlatNodeId> now;
        auto& expanded = m_sceneOptions.expanded[static_cast<std::size_t>(side)];
        auto& collapsed = m_sceneOptions.collapsed[static_cast<std::size_t>(side)];
        if (!expanded.empty() || !collapsed.empty()) {
            for (const GraphInstance& instance : is.instances()) {
                if (instance.parent != Id<void>::Invalid) {
                    const FlatNodeId node(is.instances()[instance.parent].nodeBase + instance.parentNode.index);
                    now.emplace(is.path(node), node);
                }
            }
        }
        for (auto* nodes : {&expanded, &collapsed}) {
            std::vector<FlatNodeId> kept;
            for (const FlatNodeId node : *nodes) {
                const auto at = node.index < was->nodeCount() ? now.find(was->path(node)) : now.end();
                if (at != now.end()) {
                    kept.push_back(at->second);
                }
            }
            *nodes = std::move(kept);
        }
    }
}

} // namespace lemmascope
