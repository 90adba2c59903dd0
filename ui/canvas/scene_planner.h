#pragma once

#include "ui/canvas/scene_plan.h"

#include <QHash>
#include <QString>

#include <stop_token>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lemmascope {

/// Makes one ScenePlan. scene_plan.cpp has graphs as they are, scene_plan_groups.cpp a top graph whose nodes are put together.
class ScenePlanner {
  public:
    ScenePlanner(const SideRequest& request, const PlannedGroups& groups, const std::vector<NodeRelation>& relations, const SceneMetrics& metrics)
        : m_request(request), m_groups(groups), m_relations(relations), m_metrics(metrics), m_tree(*request.tree) {}

    [[nodiscard]] Result<ScenePlan> run(const std::stop_token& stop);

  private:
    enum Source : std::uint8_t { Nothing, IsInput, IsConstant, IsCapture };

    std::uint32_t intern(const QString& text);
    /// Which nodes with nested graphs are open, and which nested graphs a focus region shows in part.
    void decideOpen();
    [[nodiscard]] bool isShown(std::uint32_t instance, std::size_t flatNode) const { return m_filtered[instance] == 0 || m_shown[flatNode] != 0; }
    std::uint32_t addItem(PlanItem item, std::uint32_t group);
    std::uint32_t addValueItem(ItemKind kind, std::uint32_t group, std::uint32_t instance, ValueId id);
    void addNodeItem(std::uint32_t group, std::uint32_t instance, std::uint32_t nodeIndex);
    /// Limits hold for the usual font size and grow with it.
    [[nodiscard]] double scaled(double pixels) const { return pixels * m_metrics.titlePixels / SceneMetrics{}.titlePixels; }
    /// What stands for the values of a graph that none of its nodes makes.
    [[nodiscard]] static std::vector<std::uint8_t> sourcesOf(const Graph& graph);
    bool addGroup(std::uint32_t group, const std::stop_token& stop);
    void addEdges(std::uint32_t group, std::uint32_t instance);

    // Groups of nodes of the top graph.
    void prepareGroups();
    bool addGroupedTop(const std::stop_token& stop);
    void addGroupItem(std::uint32_t nodeGroup, std::uint32_t group);
    std::uint32_t ensureGroup(std::uint32_t nodeGroup);
    [[nodiscard]] std::uint32_t commonGroup(std::uint32_t a, std::uint32_t b) const;
    [[nodiscard]] std::vector<std::uint32_t> sourceGroups(const std::vector<std::uint8_t>& source) const;
    void addGroupedEdges();
    /// Draws `value` from item `from` to item `to`, through the borders of open groups between them.
    void connectAcross(ValueId value, std::uint32_t from, std::uint32_t to, std::uint32_t operand);
    void connect(ValueId value, std::uint32_t from, std::uint32_t to, std::uint32_t operand);

    const SideRequest& m_request;
    const PlannedGroups& m_groups;
    const std::vector<NodeRelation>& m_relations;
    const SceneMetrics& m_metrics;
    const GraphTree& m_tree;
    ScenePlan m_plan;
    QHash<QString, std::uint32_t> m_interned;
    std::vector<std::uint32_t> m_nested; ///< by node: nodes inside it, at any depth
    std::vector<std::uint8_t> m_open;
    std::vector<std::uint8_t> m_shown;    ///< by node; only with a filter
    std::vector<std::uint8_t> m_filtered; ///< by instance

    std::vector<std::uint32_t> m_depth;                            ///< by node group
    std::vector<std::uint32_t> m_closedAt;                         ///< by node group: the closed one around it, or itself; None: it is open
    std::vector<std::uint32_t> m_planOf;                           ///< by node group: the plan's group of an open one
    std::vector<QString> m_operators;                              ///< by node group: `MatMul ×6, Add ×2`, of those that are closed
    std::unordered_map<std::uint64_t, std::uint32_t> m_borders[2]; ///< (plan's group, value) to its item on the border, coming in or going out
    std::unordered_set<std::uint64_t> m_drawn;                     ///< (item, value) of edges into items that stand for several nodes
};

/// `text` cut in the middle (front: at its front, where paths are least telling) to about `room` pixels.
[[nodiscard]] QString fittedText(QString text, double room, double pixels, bool front);

} // namespace lemmascope
