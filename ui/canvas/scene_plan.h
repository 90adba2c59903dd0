#pragma once

#include "core/layout/layout.h"
#include "ui/canvas/graph_scene.h"
#include "ui/canvas/scene_builder.h"

#include <QHash>

#include <limits>
#include <stop_token>
#include <vector>

namespace lemmascope {

/// One graph (the top one, or one nested in an expanded node) with its items chosen and measured but not yet placed.
struct PlanGroup {
    static constexpr std::uint32_t None = 0xFFFFFFFFU;
    std::uint32_t instance = 0;
    std::uint32_t parent = None; ///< group; its children have larger indices
    std::uint32_t parentItem = 0;
    std::uint32_t depth = 0;
    bool isFilled = false;            ///< its items are there: the top graph, and groups of its nodes
    std::uint32_t pair = None;        ///< the other side's group to lay out together with
    std::vector<std::uint32_t> items; ///< of the plan, in layout order
    std::vector<std::uint32_t> edges; ///< of the plan
    std::vector<std::uint32_t> children;
    Layout layout;
    QPointF offset; ///< of its drawing in the parent's box, later in the scene
};

struct PlanItem {
    ItemKind kind = ItemKind::Node;
    std::uint32_t group = 0;
    std::uint32_t position = 0; ///< in the group's items
    FlatNodeId node;
    FlatValueId value;
    std::uint32_t title = 0, detail = 0, name = 0, type = 0;
    std::uint32_t nested = 0;
    std::uint32_t nodeGroup = NodeGroup::None; ///< of items that stand for several nodes
    std::uint32_t hiddenProducers = 0, hiddenConsumers = 0;
    bool pulledDown = false;
    double width = 0.0;
    double height = 0.0;                                     ///< of the box alone
    double strip = 0.0;                                      ///< room for the type below it
    double place = std::numeric_limits<double>::quiet_NaN(); ///< x in an earlier scene
};

struct PlanEdge {
    std::uint32_t from = 0, to = 0;
    FlatValueId value;
    std::uint32_t operand = 0;
};

/// One side before layout.
struct ScenePlan {
    std::shared_ptr<const GraphTree> tree;
    std::vector<PlanGroup> groups;
    std::vector<PlanItem> items;
    std::vector<PlanEdge> edges;
    std::vector<QString> strings;
    std::vector<std::uint32_t> itemOfNode;
    std::vector<std::uint32_t> itemOfValue;
    std::vector<std::uint32_t> itemOfGroup;       ///< by node group
    std::vector<std::uint32_t> hiddenIn;          ///< by top-level node: the closed group it is in; empty without groups
    std::vector<std::uint32_t> outputItemOfValue; ///< the output item that shows it, if one does
};

/// Groups of nodes of the top graph, as one side draws them.
struct PlannedGroups {
    const NodeGroups* groups = nullptr; ///< null: each node by itself
    std::vector<bool> open;             ///< by group: drawn as a box around what is in it
    Side side = Side::Reference;
};

/// Chooses and measures. `relations`: this side's, or empty.
[[nodiscard]] Result<ScenePlan> planScene(const SideRequest& request, const PlannedGroups& groups, const std::vector<NodeRelation>& relations,
                                          const SceneMetrics& metrics, std::stop_token stop);

} // namespace lemmascope
