#pragma once

#include "core/base/result.h"
#include "core/graph/tensor.h"
#include "core/report/tensor_slice.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope {

/// Counts over all elements of a tensor of numbers.
struct TensorStatistics {
    std::int64_t count = 0;
    std::int64_t nans = 0;
    std::int64_t infinities = 0;
    std::int64_t denormals = 0;
    std::int64_t negativeZeros = 0;
    std::int64_t finite = 0;
    bool numbers = true;          ///< false for strings and complex numbers: nothing else is known
    std::int64_t smallestAt = -1; ///< finite elements only; -1: none
    std::int64_t largestAt = -1;
    double mean = 0.0; ///< of the finite ones
};
/// Fails with Cancelled only.
[[nodiscard]] Result<TensorStatistics> statisticsOf(const Tensor& tensor, std::stop_token stop = {});

/// How two tensors of one type and shape differ, element by element as results are compared (NaN equals NaN, +0 equals -0).
struct TensorDifference {
    std::int64_t count = 0;
    std::int64_t differing = 0;
    std::int64_t firstAt = -1;
    std::uint64_t largestUlp = 0;
    std::int64_t largestUlpAt = -1; ///< -1: no differing pair has a distance
    bool floats = true;             ///< false: distances are those of integers
    std::int64_t undefined = 0;     ///< differing pairs of which one is NaN, or that are no numbers
};
/// Fails with ShapeMismatch when types or shapes differ, with Cancelled.
[[nodiscard]] Result<TensorDifference> compareTensors(const Tensor& a, const Tensor& b, std::stop_token stop = {});

/// The next element behind `from` (before it, backwards) at which the two differ, around the end; nothing when none does.
/// Fails as compareTensors.
[[nodiscard]] Result<std::optional<std::int64_t>> nextDifference(const Tensor& a, const Tensor& b, std::int64_t from, bool backwards,
                                                                 std::stop_token stop = {});

/// How much a cell of a heat map has, in classes that a reader can tell apart and a legend can name. Of a difference: equal, 1 ulp,
/// 2 to 15, 16 to 1,023, 1,024 to 2^20 - 1, more. Of a magnitude: 0, under 1/1000 of the largest, 1/100, 1/10, the rest. `Odd`: of a
/// difference one side is NaN or it has no distance; of a magnitude NaN or infinite.
enum class HeatClass : std::uint8_t { None, Least, Little, Middle, Much, Most, Odd };
inline constexpr std::size_t HeatClassCount = 7;

/// A slice as a grid of classes, each cell the greatest of the elements it stands for.
struct HeatMap {
    std::int64_t sliceRows = 0;
    std::int64_t sliceColumns = 0;
    int rows = 0; ///< of the grid
    int columns = 0;
    bool ofDifference = false;
    double largest = 0.0;         ///< finite magnitude in the slice, where it is one of magnitudes
    std::vector<HeatClass> cells; ///< row-major; None behind a vector's end
    std::int64_t marked = 0;      ///< elements of the slice that differ, or are NaN or infinite

    [[nodiscard]] HeatClass at(int row, int column) const {
        return cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)];
    }
    /// Elements that a grid cell stands for.
    [[nodiscard]] CellRange cellsOf(int row, int column) const;
    /// The grid cell of an element.
    [[nodiscard]] std::pair<int, int> gridOf(std::int64_t row, std::int64_t column) const;
};
/// At most `mostRows` by `mostColumns`. `other` null: of magnitude; else of the difference, for which types and shapes must be equal.
[[nodiscard]] Result<HeatMap> heatMapOf(const Tensor& tensor, const Tensor* other, const TensorSlice& slice, int mostRows, int mostColumns,
                                        std::stop_token stop = {});
/// The element of a grid cell that has its class: the first of them.
[[nodiscard]] std::optional<std::int64_t> decisiveElement(const HeatMap& map, const Tensor& tensor, const Tensor* other, const TensorSlice& slice,
                                                          int row, int column);

/// `17 of 4,096 elements differ, first at [0,3], largest 12 ulp at [1,2]`; `all 4,096 elements are equal`.
[[nodiscard]] std::string differenceSentence(const TensorDifference& difference, const std::vector<std::int64_t>& shape);
/// `4,096 elements, min -1 at [0,2], max 3 at [1,0], mean 0.5, 2 NaN, 1 infinite`
[[nodiscard]] std::string statisticsSentence(const TensorStatistics& statistics, const Tensor& tensor);
/// `1,234,567`
[[nodiscard]] std::string groupedNumber(std::uint64_t value);

} // namespace lemmascope
