#pragma once

#include "core/base/result.h"
#include "core/graph/tensor.h"
#include "core/report/element_number.h"
#include "core/report/tensor_slice.h"

#include <functional>
#include <string>

namespace lemmascope {

/// No copy holds more elements: a clipboard is for reading, a file for data.
inline constexpr std::int64_t MostCopiedElements = 65'536;

/// The elements of a rectangle of a slice as a tensor of their own: of rank 2, of rank 1 for a vector, whose rows must be whole or
/// one. Fails with TooLarge past MostCopiedElements, Usage when the rectangle holds no element.
[[nodiscard]] Result<Tensor> elementsOf(const Tensor& tensor, const TensorSlice& slice, const CellRange& range);

/// `np.array([[1.5, -0.0]], dtype=np.float32)`, exact: a float whose decimal does not come back through Python's double is written as
/// float.fromhex, an array with NaN payloads as a view of its bits. What NumPy has no type for is written as its bits, with a comment.
/// Fails with TooLarge.
[[nodiscard]] Result<std::string> numpyLiteral(const Tensor& tensor);
/// `{"type": "f32", "shape": [2], "data": [0, 1]}` as the graph format takes a constant (resources/help/formats.md): base64 where
/// numbers do not read back to the bit. Fails with TooLarge.
[[nodiscard]] Result<std::string> tensorJson(const Tensor& tensor);

/// Text of one cell; empty for a place that holds no element.
using CellText = std::function<std::string(std::int64_t row, std::int64_t column)>;
/// Columns aligned, with the indices before and above. `range` is cut to MostCopiedElements by the caller.
[[nodiscard]] std::string plainCells(const TensorSlice& slice, const CellRange& range, const CellText& text);
[[nodiscard]] std::string markdownCells(const TensorSlice& slice, const CellRange& range, const CellText& text);

} // namespace lemmascope
