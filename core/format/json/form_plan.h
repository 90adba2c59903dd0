#pragma once

#include "core/graph/graph.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lemmascope::json {

/// How a hidden node is written inside the node it belongs to: `"cols": [0, 4]`, `"rows": ` and the index value's name, ...
struct WrittenPart {
    ValueId of;       ///< the value that is read; for a store, the table's version before
    std::string rows; ///< JSON of literal rows, or empty
    std::string cols;
    std::string slice;
    ValueId rowIndices; ///< rows by index tensor
    ValueId rowAt;      ///< rows from a scalar on
    std::int64_t count = 0;
};

/// A table of one graph: the value it starts as, and whether that is an input or zeros.
struct WrittenTable {
    ValueId base;
    bool input = false;
};

/// Which nodes of a graph are the in-place forms they were read from, so that they are written as those again. What does not
/// fit exactly (another pass has moved or shared it) is left as a node of its own: the meaning never depends on the plan.
/// Tables are planned only where every read of a version is a read of the latest one.
struct FormPlan {
    std::vector<bool> hiddenNodes;          ///< by node: written inside another
    std::vector<bool> hiddenValues;         ///< by value: has no name in the file
    std::map<ValueId, WrittenPart> parts;   ///< operands that are written as parts, by the value the hidden nodes give
    std::map<ValueId, WrittenPart> stores;  ///< results that land in tables, by the value that is stored
    std::map<ValueId, WrittenTable> tables; ///< by base
    std::map<ValueId, ValueId> versions;    ///< every version of a written table, to its base
};

/// `top`: tables that start as inputs are possible.
[[nodiscard]] FormPlan planForms(const Graph& graph, bool top);

} // namespace lemmascope::json
