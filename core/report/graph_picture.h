#pragma once

#include "core/base/result.h"
#include "core/prove/check_result.h"
#include "core/report/picture.h"

#include <stop_token>
#include <string>

namespace lemmascope {

/// The graph at the top of a tree as a layered drawing: ops as boxes, inputs and constants as flat boxes above their readers.
/// Fails with TooLarge past 20,000 nodes, or as layoutLayered.
[[nodiscard]] Result<Picture> graphPicture(const GraphTree& tree, std::stop_token stop);

/// Both sides around the decisive lemma (its nodes, their neighbours, at most 40 nodes a side), partners level, each box marked
/// in colour and words. Empty sides are drawn as such.
[[nodiscard]] Result<Picture> regionPicture(const CheckResult& result, std::stop_token stop);

/// The top graph in the DOT language: nodes, values they read, nothing about places.
[[nodiscard]] std::string graphDot(const Graph& graph);

} // namespace lemmascope
