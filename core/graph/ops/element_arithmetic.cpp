#include "core/graph/ops/element_arithmetic.h"

namespace lemmascope {

std::vector<std::size_t> broadcastIndices(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) {
    std::vector<std::size_t> out(countOf(to), 0);
    std::size_t stride = 1;
    std::size_t repeat = 1; // elements of `to` per step of the axis
    for (std::size_t back = 1; back <= to.size(); ++back) {
        const auto length = static_cast<std::size_t>(to[to.size() - back]);
        const std::size_t own = back <= from.size() ? static_cast<std::size_t>(from[from.size() - back]) : 1;
        if (own != 1) {
            for (std::size_t k = 0; k < out.size(); ++k) {
                out[k] += (k / repeat) % length * stride;
            }
        }
        stride *= own;
        repeat *= length;
    }
    return out;
}

std::size_t countOf(const std::vector<std::int64_t>& shape) {
    std::size_t count = 1;
    for (const std::int64_t length : shape) {
        count *= static_cast<std::size_t>(length);
    }
    return count;
}

std::optional<std::vector<std::int64_t>> smallShape(const std::optional<Shape>& shape) {
    if (!shape) {
        return std::nullopt;
    }
    std::optional<std::vector<std::int64_t>> lengths = staticShape(*shape);
    if (!lengths) {
        return std::nullopt;
    }
    std::int64_t count = 1;
    for (const std::int64_t length : *lengths) {
        if (length < 0 || __builtin_mul_overflow(count, length, &count) || count > MaxTrackedElements) {
            return std::nullopt;
        }
    }
    return lengths;
}

std::optional<Dim> truncatedQuotient(const Dim& a, const Dim& b, const DimOrder& order) {
    if (b.is(0)) {
        return std::nullopt;
    }
    if (a.isKnown() && b.isKnown()) {
        return b.value() == -1 ? Dim(0) - a : Dim(a.value() / b.value());
    }
    const bool nonNegative = order.atLeast(a, Dim(0)) && order.atLeast(b, Dim(1));
    return nonNegative ? std::optional<Dim>(Dim::floorDiv(a, b)) : std::nullopt;
}

bool fitsType(const std::vector<Dim>& elements, ElementType type) {
    const unsigned width = bitWidth(type);
    for (const Dim& element : elements) {
        if (element.overflowed()) {
            return false;
        }
        if (!element.isKnown()) {
            continue;
        }
        if (type == ElementType::Bool) {
            if (element.value() < 0 || element.value() > 1) {
                return false;
            }
            continue;
        }
        const bool isSigned = isSignedInteger(type);
        const unsigned digits = isSigned ? width - 1 : width;
        const std::int64_t high = digits >= 63 ? INT64_MAX : (std::int64_t{1} << digits) - 1;
        const std::int64_t low = isSigned ? -high - 1 : 0;
        if (width == 0 || element.value() < low || element.value() > high) {
            return false;
        }
    }
    return true;
}

} // namespace lemmascope
