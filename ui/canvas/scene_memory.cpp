#include "ui/canvas/scene_memory.h"

namespace lemmascope {

std::string lastingName(const GraphTree& tree, FlatNodeId node) { return "n" + tree.path(node); }

std::string lastingName(const GraphTree& tree, ItemKind kind, FlatValueId value) {
    const GraphInstance& instance = tree.instanceOf(value);
    std::string around;
    if (instance.parent != Id<void>::Invalid) {
        around = tree.path(FlatNodeId(tree.instances()[instance.parent].nodeBase + instance.parentNode.index)) + "/";
    }
    const char letter = kind == ItemKind::Output ? 'o' : (kind == ItemKind::Capture ? 'c' : 'v');
    return letter + around + tree.value(value).name;
}

std::string lastingName(const GraphScene& scene, std::uint32_t item) {
    if (scene.isGroup(item)) {
        return "g" + scene.nodeGroups->groups[scene.groups[item]].key;
    }
    if (scene.nodes[item].isValid()) {
        return lastingName(*scene.tree, scene.nodes[item]);
    }
    return lastingName(*scene.tree, scene.kinds[item], scene.values[item]);
}

std::uint32_t findByName(const GraphScene& scene, const std::string& name) {
    // Most names differ in their ends, which costs nothing to see.
    if (!name.empty() && name.front() == 'n') {
        std::uint32_t flat = 0;
        for (const GraphInstance& instance : scene.tree->instances()) {
            for (const Node& node : instance.graph->nodes) {
                if ((node.name.empty() || name.ends_with(node.name)) && lastingName(*scene.tree, FlatNodeId(flat)) == name) {
                    return scene.visibleItem(FlatNodeId(flat));
                }
                ++flat;
            }
        }
        return NoItem;
    }
    for (std::uint32_t item = 0; item < scene.itemCount(); ++item) {
        if (!scene.nodes[item].isValid() && (scene.isGroup(item) || name.ends_with(scene.tree->value(scene.values[item]).name)) &&
            lastingName(scene, item) == name) {
            return item;
        }
    }
    return NoItem;
}

SceneMemory::SceneMemory(const GraphScene& scene) : m_next(scene.itemCount(), NoItem) {
    std::unordered_map<std::string, std::uint32_t> last;
    m_first.reserve(scene.itemCount());
    for (std::uint32_t item = 0; item < scene.itemCount(); ++item) {
        std::string name = lastingName(scene, item);
        const auto [at, isNew] = m_first.try_emplace(name, item);
        if (!isNew) {
            const auto [end, isSecond] = last.try_emplace(std::move(name), item);
            m_next[isSecond ? at->second : end->second] = item;
            end->second = item;
        }
    }
}

std::uint32_t SceneMemory::find(const std::string& name, std::uint32_t occurrence) const {
    const auto at = m_first.find(name);
    std::uint32_t item = at == m_first.end() ? NoItem : at->second;
    for (; occurrence > 0 && item != NoItem; --occurrence) {
        item = m_next[item];
    }
    return item;
}

} // namespace lemmascope
