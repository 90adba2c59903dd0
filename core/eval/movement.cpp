#include "core/eval/movement.h"

#include "core/eval/elementwise.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace lemmascope {

namespace {

template <std::size_t Size>
void copyRow(std::byte* to, std::int64_t toStride, const std::byte* from, std::int64_t fromStride, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(to + i * toStride, from + i * fromStride, Size);
    }
}

void copyRow(std::size_t size, std::byte* to, std::int64_t toStride, const std::byte* from, std::int64_t fromStride, std::int64_t count) {
    const auto bytes = static_cast<std::int64_t>(size);
    if (toStride == 1 && fromStride == 1) {
        std::memcpy(to, from, size * static_cast<std::size_t>(count));
        return;
    }
    switch (size) {
    case 1: return copyRow<1>(to, toStride, from, fromStride, count);
    case 2: return copyRow<2>(to, toStride * 2, from, fromStride * 2, count);
    case 4: return copyRow<4>(to, toStride * 4, from, fromStride * 4, count);
    case 8: return copyRow<8>(to, toStride * 8, from, fromStride * 8, count);
    case 16: return copyRow<16>(to, toStride * 16, from, fromStride * 16, count);
    case sizeof(Interval): return copyRow<sizeof(Interval)>(to, toStride * bytes, from, fromStride * bytes, count);
    default: assert(false && "no such element size");
    }
}

} // namespace

bool copyBox(NodeRun& run, Array& to, const BoxSide& toSide, const Array& from, const BoxSide& fromSide, std::span<const std::int64_t> extent) {
    const std::size_t size = to.elementSize();
    assert(size == from.elementSize() && to.isInterval() == from.isInterval());
    std::byte* target = to.mutableData();
    const std::byte* source = from.data();
    // Axes that continue each other on both sides walk as one.
    std::vector<std::int64_t> shape;
    std::vector<std::vector<std::int64_t>> strides(2);
    for (std::size_t axis = 0; axis < extent.size(); ++axis) {
        if (extent[axis] == 1) {
            continue;
        }
        const std::int64_t t = toSide.strides[axis];
        const std::int64_t f = fromSide.strides[axis];
        if (!shape.empty() && strides[0].back() == t * extent[axis] && strides[1].back() == f * extent[axis]) {
            shape.back() *= extent[axis];
            strides[0].back() = t;
            strides[1].back() = f;
        } else {
            shape.push_back(extent[axis]);
            strides[0].push_back(t);
            strides[1].push_back(f);
        }
    }
    if (shape.empty()) {
        shape = {1};
        strides = {{1}, {1}};
    }
    const auto bytes = static_cast<std::int64_t>(size);
    constexpr std::int64_t Piece = 1 << 18;
    return walkRows(shape, strides, [&](std::span<const std::int64_t> offsets, std::int64_t length) {
        for (std::int64_t begin = 0; begin < length; begin += Piece) {
            const std::int64_t count = std::min(Piece, length - begin);
            const std::int64_t t = toSide.offset + offsets[0] + begin * strides[0].back();
            const std::int64_t f = fromSide.offset + offsets[1] + begin * strides[1].back();
            copyRow(size, target + t * bytes, strides[0].back(), source + f * bytes, strides[1].back(), count);
            if (!run.tick(static_cast<std::uint64_t>(count))) {
                return false;
            }
        }
        return true;
    });
}

void copyElement(Array& to, std::int64_t toFlat, const Array& from, std::int64_t fromFlat) {
    const std::size_t size = to.elementSize();
    assert(size == from.elementSize());
    std::memcpy(to.mutableData() + static_cast<std::size_t>(toFlat) * size, from.data() + static_cast<std::size_t>(fromFlat) * size, size);
}

void unifyStorage(NodeRun& run, std::span<const std::size_t> which) {
    if (!run.anyInterval(which)) {
        return;
    }
    for (const std::size_t i : which) {
        if (run.has(i) && !run.operands[i]->isInterval()) {
            if (!run.require(isComputable(run.operands[i]->element()), "the operands' element types differ")) {
                return;
            }
            run.operands[i] = asIntervals(*run.operands[i]);
        }
    }
}

} // namespace lemmascope
