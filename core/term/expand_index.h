#pragma once

// Index arithmetic for expand*.cpp.

#include <cstdint>
#include <vector>

namespace lemmascope::expandindex {

inline constexpr std::uint32_t MaxDepth = 3000;

inline std::vector<std::int64_t> unravel(std::int64_t flat, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> index(shape.size(), 0);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis] > 0) {
            index[axis] = flat % shape[axis];
            flat /= shape[axis];
        }
    }
    return index;
}

inline std::int64_t ravel(const std::vector<std::int64_t>& index, const std::vector<std::int64_t>& shape) {
    std::int64_t flat = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        flat = flat * shape[axis] + index[axis];
    }
    return flat;
}

/// Advances a multi-index over a box; false after the last.
inline bool advance(std::vector<std::int64_t>& index, const std::vector<std::int64_t>& box) {
    for (std::size_t axis = box.size(); axis-- > 0;) {
        if (++index[axis] < box[axis]) {
            return true;
        }
        index[axis] = 0;
    }
    return false;
}

} // namespace lemmascope::expandindex
