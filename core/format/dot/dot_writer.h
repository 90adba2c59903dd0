#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <memory>
#include <string>

namespace lemmascope {

struct DotOptions {
    bool nested = true;     ///< bodies, branches and loops as clusters; else one box for their node
    bool constants = false; ///< constants as boxes of their own; else only inputs, nodes and outputs
    std::string name;       ///< of the drawing; empty: the graph's
};

/// The graph as DOT text for Graphviz: inputs and outputs as ellipses, nodes as boxes with op and name, edges with the value's name
/// and type, nested graphs as clusters that captured values enter. The same graph gives the same text.
/// Fails with TooLarge as GraphTree does. Source: the DOT language of Graphviz.
[[nodiscard]] Result<std::string> writeDot(std::shared_ptr<const Graph> graph, const DotOptions& options = {});

} // namespace lemmascope
