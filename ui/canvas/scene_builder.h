#pragma once

#include "core/base/result.h"
#include "core/graph/groups.h"
#include "core/layout/layout.h"
#include "core/prove/check_result.h"
#include "ui/canvas/graph_scene.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope {

/// Places both sides together; one of the two graphs may be empty. Runs in the caller's (background) thread.
using PairLayouter = std::function<Result<JointLayout>(const LayoutGraph& reference, const LayoutGraph& rewritten, std::stop_token stop)>;

/// What one side's scene shows.
struct SideRequest {
    std::shared_ptr<const GraphTree> tree; ///< null: this side has no scene
    /// Nodes to show with their inputs, constants and outputs, for a focus region; absent: all.
    std::optional<std::vector<FlatNodeId>> only;
    std::vector<FlatNodeId> expanded;  ///< nodes whose nested graphs the user opened
    std::vector<FlatNodeId> collapsed; ///< and closed; neither: open only if it has a failing or changed node and is small
};

/// Which nodes of the top graphs are put together, and which of these groups are open.
struct GroupChoice {
    Grouping grouping = Grouping::None;
    bool startsOpen = false;
    std::set<std::string> toggled; ///< keys of the groups that are not as they start

    [[nodiscard]] bool isOpen(const NodeGroup& group) const { return startsOpen != toggled.contains(group.key); }
    friend bool operator==(const GroupChoice&, const GroupChoice&) = default;
};

struct SceneRequest {
    SideRequest reference;
    SideRequest rewritten;
    GroupChoice groups; ///< not for a focus region, which shows single nodes
    /// Groups that were found of the same graphs with the same correspondence and grouping; null: they are found now.
    std::shared_ptr<const NodeGroups> knownGroups;
    std::shared_ptr<const Correspondence> correspondence; ///< partners stand level; absent before pairing
    /// Scenes of an earlier version of the graphs: what is still there keeps its order from left to right. May be null.
    std::shared_ptr<const GraphScene> earlier[2];
    SceneMetrics metrics;
    PairLayouter layouter; ///< must be set; `layoutJoint` for graphs of any size
};

struct ScenePair {
    std::shared_ptr<const GraphScene> reference; ///< null where the request had no tree
    std::shared_ptr<const GraphScene> rewritten;
    std::shared_ptr<const NodeGroups> groups; ///< null: nothing is grouped
};

/// Nested graphs start closed unless they hold a failing or changed node and fewer nodes than this.
inline constexpr std::size_t LargestOpenedBody = 60;

/// Chooses items, measures them by approximate character widths, lays nested graphs out inside their boxes and both sides
/// together, and indexes the result. Touches no widget: for a background thread. Linear in the graphs but for the layouter.
/// Fails with Cancelled, or with what the layouter says.
[[nodiscard]] Result<ScenePair> buildScenes(const SceneRequest& request, std::stop_token stop = {});

/// Nodes at most `hops` edges away from `seeds` in either direction, at the seeds' own nesting level, in id order; stops
/// growing at `limit`.
[[nodiscard]] std::vector<FlatNodeId> neighbourhood(const GraphTree& tree, const std::vector<FlatNodeId>& seeds, std::size_t hops, std::size_t limit);

} // namespace lemmascope
