#pragma once

#include "core/term/term_store.h"

#include <optional>
#include <utility>
#include <vector>

namespace lemmascope {

/// Drops extents of 1 and joins neighbours that are one mode. Then two views of one source with results of one length are the
/// same function exactly when they are equal (the first step, and where it first breaks, fix the fastest mode, and so on up).
/// The layout algebra is that of CuTe (NVIDIA CUTLASS documentation, "Layout Algebra").
[[nodiscard]] View coalesced(View view);

/// True if a view over `count` elements is the identity.
[[nodiscard]] bool isIdentity(const View& view, const Dim& count);

/// `inner` after `outer`: the result index goes through `outer` into the index space of `inner`'s result. Nothing when some
/// mode of `outer` does not walk along the digits of `inner` without carrying (at all sizes, as far as seen).
[[nodiscard]] std::optional<View> composed(const View& inner, const View& outer);

/// Offset and one stride per axis of `shape`, when each axis is at most one mode. Axes of length 1 get stride 0.
struct AxisStrides {
    Dim offset;
    std::vector<Dim> strides;
};
[[nodiscard]] std::optional<AxisStrides> axisStrides(const View& view, const Shape& shape);
[[nodiscard]] View fromAxisStrides(const Dim& offset, const Shape& shape, const std::vector<Dim>& strides);

/// The modes each axis of `shape` is walked by, slowest first: none for an axis that is not walked or of length 1. Nothing where a
/// mode runs over two axes and is no product of their lengths.
[[nodiscard]] std::optional<std::vector<std::vector<Mode>>> axisModes(const View& view, const Shape& shape);

/// The identity over a shape's elements.
[[nodiscard]] View wholeView(const Shape& shape);
/// Lowest and highest value of an affine function of a shape's indices; nothing where the sign of a step is not known.
[[nodiscard]] std::optional<std::pair<Dim, Dim>> rangeOf(const AxisStrides& affine, const Shape& shape);

/// Row-major strides of a shape.
[[nodiscard]] std::vector<Dim> contiguousStrides(const Shape& shape);

/// The source's flat index of a result's flat index; nothing for a symbolic view.
[[nodiscard]] std::optional<std::int64_t> sourceIndex(const View& view, std::int64_t flat);

} // namespace lemmascope
