#pragma once

#include "core/eval/node_run.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lemmascope {

/// One side of a copy: element `offset + sum(index[k] * strides[k])`.
struct BoxSide {
    std::int64_t offset = 0;
    std::vector<std::int64_t> strides;
};

/// Copies a box of elements of any size, index by index: to[...] = from[...] for all indices within `extent`. `to` and `from`
/// are of one storage. False when cancelled.
bool copyBox(NodeRun& run, Array& to, const BoxSide& toSide, const Array& from, const BoxSide& fromSide, std::span<const std::int64_t> extent);

/// Copies one element.
void copyElement(Array& to, std::int64_t toFlat, const Array& from, std::int64_t fromFlat);

/// Makes the storage of operands that are moved into one result agree: if one holds intervals, all do.
void unifyStorage(NodeRun& run, std::span<const std::size_t> which);

/// A rectangular part: per axis the first index, the step (not 0) and the number of indices.
struct SlicePart {
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> step;
    std::vector<std::int64_t> extent;
};

} // namespace lemmascope
