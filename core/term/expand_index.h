#pragma once

// Index arithmetic and attributes for expand*.cpp.

#include "core/term/term_store.h"

#include <cstdint>
#include <string>
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

inline std::int64_t intAttribute(const Operator& op, const char* key, std::int64_t fallback = 0) {
    const auto at = op.attributes.find(key);
    const auto* value = at == op.attributes.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
    return value != nullptr ? *value : fallback;
}

inline std::vector<std::int64_t> intsAttribute(const Operator& op, const char* key) {
    const auto at = op.attributes.find(key);
    const auto* value = at == op.attributes.end() ? nullptr : std::get_if<std::vector<std::int64_t>>(&at->second);
    return value != nullptr ? *value : std::vector<std::int64_t>{};
}

inline std::string textAttribute(const Operator& op, const char* key) {
    const auto at = op.attributes.find(key);
    const auto* value = at == op.attributes.end() ? nullptr : std::get_if<std::string>(&at->second);
    return value != nullptr ? *value : std::string();
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
