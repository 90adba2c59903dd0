#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lemmascope::onnx {

class NodeProto;

/// How messages call a node: its name, else its first result, else `Op#index`, in quotes.
[[nodiscard]] std::string nodeText(const NodeProto& node, std::size_t index);

/// An order in which each node reads only what nodes before it make; file order wherever that allows (of the nodes that are
/// ready, the first in the file). What nested graphs read of the outer graph counts as read by the node that holds them.
/// `producer`: the node that makes a name. Fails with BadData when nodes depend on each other in a circle, naming them.
[[nodiscard]] Result<std::vector<std::size_t>> orderNodes(const std::vector<NodeProto*>& nodes,
                                                          const std::unordered_map<std::string_view, std::size_t>& producer);

} // namespace lemmascope::onnx
