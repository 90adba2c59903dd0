#include "core/graph/tensor_type.h"

#include <algorithm>

namespace lemmascope {

bool TensorType::isStatic() const {
    return shape && std::all_of(shape->begin(), shape->end(), [](const Dim& dim) { return dim.isKnown(); });
}

std::optional<std::size_t> TensorType::rank() const { return shape ? std::optional<std::size_t>(shape->size()) : std::nullopt; }

std::string TensorType::text() const { return std::string(name(element)) + (shape ? lemmascope::text(*shape) : std::string("[?]")); }

Dim elementCount(const Shape& shape) {
    Dim count(1);
    for (const Dim& dim : shape) {
        count = count * dim;
    }
    return count;
}

std::optional<std::vector<std::int64_t>> staticShape(const Shape& shape) {
    std::vector<std::int64_t> lengths;
    lengths.reserve(shape.size());
    for (const Dim& dim : shape) {
        if (!dim.isKnown()) {
            return std::nullopt;
        }
        lengths.push_back(dim.value());
    }
    return lengths;
}

std::string text(const Shape& shape) {
    std::string out = "[";
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        out += (axis == 0 ? "" : ",") + shape[axis].text();
    }
    return out + "]";
}

} // namespace lemmascope
