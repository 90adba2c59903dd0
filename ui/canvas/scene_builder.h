#pragma once

#include "core/base/result.h"
#include "core/layout/layout.h"
#include "core/prove/check_result.h"
#include "ui/canvas/graph_scene.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
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

struct SceneRequest {
    SideRequest reference;
    SideRequest rewritten;
    std::shared_ptr<const Correspondence> correspondence; ///< partners stand level; absent before pairing
    SceneMetrics metrics;
    PairLayouter layouter; ///< must be set; `layoutJoint` for graphs of any size
};

struct ScenePair {
    std::shared_ptr<const GraphScene> reference; ///< null where the request had no tree
    std::shared_ptr<const GraphScene> rewritten;
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
