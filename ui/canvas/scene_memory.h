#pragma once

#include "ui/canvas/graph_scene.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace lemmascope {

/// Name of an item that outlives a reload: a node's path, the name of an input, constant or output, a group's key. Not unique.
[[nodiscard]] std::string lastingName(const GraphScene& scene, std::uint32_t item);
/// The same for a node that need not have an item.
[[nodiscard]] std::string lastingName(const GraphTree& tree, FlatNodeId node);
[[nodiscard]] std::string lastingName(const GraphTree& tree, ItemKind kind, FlatValueId value);

/// The first item that shows what has that name: its own, or the closed one it is hidden in; NoItem if there is none. For one
/// look-up.
[[nodiscard]] std::uint32_t findByName(const GraphScene& scene, const std::string& name);

/// Finds what an earlier scene, perhaps of another version of the graph, showed.
class SceneMemory {
  public:
    explicit SceneMemory(const GraphScene& scene);
    /// The `occurrence`th item (from 0) of that name; NoItem if there are not as many.
    [[nodiscard]] std::uint32_t find(const std::string& name, std::uint32_t occurrence = 0) const;

  private:
    std::unordered_map<std::string, std::uint32_t> m_first; ///< by name
    std::vector<std::uint32_t> m_next;                      ///< by item: the next of the same name
};

} // namespace lemmascope
