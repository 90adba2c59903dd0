#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lemmascope {

/// What `show` tells of a graph: counts, shapes, ops, which are open functions.
struct GraphSummary {
    std::string name;
    std::map<std::string, std::int64_t> opsets;
    std::map<std::string, IntegerRange> symbols;
    std::size_t nodes = 0; ///< of all nesting depths
    std::size_t nestedGraphs = 0;
    std::size_t constants = 0;
    std::uint64_t constantBytes = 0;
    struct Port {
        std::string name;
        std::string type;
        std::string range; ///< `[0, 15]`; empty when none is declared
    };
    std::vector<Port> inputs;
    std::vector<Port> outputs;
    struct Op {
        std::string name;
        std::size_t count = 0;
        bool open = false;   ///< no meaning known: stands for any function
        bool kernel = false; ///< can be run on numbers
    };
    std::vector<Op> ops;           ///< by name
    std::size_t untypedValues = 0; ///< values whose element type or rank is not known
    std::vector<std::string> notes;
};

/// Summary of a graph and of all nested in it. Fails like GraphTree::build.
[[nodiscard]] Result<GraphSummary> summarise(const std::shared_ptr<const Graph>& graph);
[[nodiscard]] std::string summaryText(const GraphSummary& summary);
[[nodiscard]] std::string summaryJson(const GraphSummary& summary);

} // namespace lemmascope
