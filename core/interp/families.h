#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lemmascope::interp {

/// Cells of an array as few boxes: `C[*,31]`, `C[0..3,0..8:2]`. Row-major cell numbers, sorted.
struct CellFamily {
    std::string text; ///< without the count
    std::vector<std::uint64_t> cells;
};

/// The index of a row-major cell number; what goes beyond the sizes is in the first axis.
[[nodiscard]] std::vector<std::int64_t> indexOfCell(const std::vector<std::int64_t>& sizes, std::uint64_t cell);

/// At most `most` families; what is left over is one more that names its bounds.
[[nodiscard]] std::vector<CellFamily> familiesOf(const std::string& array, const std::vector<std::int64_t>& sizes,
                                                 const std::vector<std::uint64_t>& cells, std::size_t most = 8);

/// `C[*,31], 64 of 2048 cells`; several families joined by `; `.
[[nodiscard]] std::string familyText(const std::string& array, const std::vector<std::int64_t>& sizes, const std::vector<std::uint64_t>& cells);

} // namespace lemmascope::interp
