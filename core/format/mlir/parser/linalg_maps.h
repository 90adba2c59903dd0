#pragma once

namespace mlir {
class Block;
}

namespace lemmascope::ir {

/// Gives every structured op of linalg the attributes that linalg.generic has: `indexing_maps` and `iterators` (an array of strings), under
/// the names below. What a named op reads where is otherwise known to its class alone.
void attachIndexingMaps(mlir::Block& top);

inline constexpr const char* IndexingMapsName = "lemmascope.indexing_maps";

} // namespace lemmascope::ir
