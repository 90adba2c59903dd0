// Walks over whole tensors: what may take long, so each polls its token. Tests: tests/core/report/tst_tensor_scan.cpp.
#include "core/report/tensor_scan.h"

#include "core/report/element_number.h"
#include "core/report/element_text.h"
#include "core/report/json_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lemmascope {

namespace {

constexpr std::int64_t Block = 1024; ///< elements between two looks at the token

tl::unexpected<Error> cancelled() { return fail(ErrorCode::Cancelled, "cancelled"); }

bool comparable(const Tensor& a, const Tensor& b) { return a.element() == b.element() && a.shape() == b.shape(); }

/// True when elements [begin, end) have the same bits: most of what is compared, and quick to see.
bool sameBytes(const Tensor& a, const Tensor& b, std::int64_t begin, std::int64_t end) {
    const std::size_t width = byteSize(a.element());
    const auto at = static_cast<std::size_t>(begin) * width;
    const auto size = static_cast<std::size_t>(end - begin) * width;
    return width > 0 && std::memcmp(a.bytes().data() + at, b.bytes().data() + at, size) == 0;
}

HeatClass classOfDifference(const Tensor& a, const Tensor& b, std::int64_t flat) {
    if (sameElement(a, b, flat)) {
        return HeatClass::None;
    }
    const auto distance = ulpDistance(a, b, flat);
    if (!distance) {
        return HeatClass::Odd;
    }
    if (*distance < 2) {
        return HeatClass::Least;
    }
    if (*distance < 16) {
        return HeatClass::Little;
    }
    if (*distance < 1024) {
        return HeatClass::Middle;
    }
    return *distance < (std::uint64_t{1} << 20U) ? HeatClass::Much : HeatClass::Most;
}

HeatClass classOfMagnitude(const Tensor& tensor, std::int64_t flat, double largest) {
    const double value = std::fabs(elementValue(tensor, flat));
    if (!std::isfinite(value)) {
        return HeatClass::Odd;
    }
    if (value == 0.0 || largest == 0.0) {
        return HeatClass::None;
    }
    const double share = value / largest;
    if (share < 1e-3) {
        return HeatClass::Least;
    }
    if (share < 1e-2) {
        return HeatClass::Little;
    }
    if (share < 1e-1) {
        return HeatClass::Middle;
    }
    return share < 0.5 ? HeatClass::Much : HeatClass::Most;
}

int gridSize(std::int64_t cells, int most) { return static_cast<int>(std::clamp<std::int64_t>(cells, 0, std::max(1, most))); }

/// First of the cells that grid line `at` of `grid` stands for. Without overflow: cells < 2^63 / 4096 in any tensor that exists.
std::int64_t firstOf(std::int64_t at, std::int64_t cells, std::int64_t grid) { return grid == 0 ? 0 : at * cells / grid; }

} // namespace

Result<TensorStatistics> statisticsOf(const Tensor& tensor, std::stop_token stop) {
    TensorStatistics out;
    out.count = tensor.count();
    out.numbers = tensor.element() == ElementType::Bool || isInteger(tensor.element()) || isFloat(tensor.element());
    if (!out.numbers) {
        return out;
    }
    const bool unsignedWide = tensor.element() == ElementType::U64;
    double smallest = 0.0;
    double largest = 0.0;
    double sum = 0.0;
    double lost = 0.0; // Kahan: the mean of 10^8 equal floats is that float
    const auto less = [&](std::int64_t x, std::int64_t y) {
        if (unsignedWide) {
            return tensor.as<std::uint64_t>()[static_cast<std::size_t>(x)] < tensor.as<std::uint64_t>()[static_cast<std::size_t>(y)];
        }
        return tensor.toInt64(x) < tensor.toInt64(y);
    };
    const bool floats = isFloat(tensor.element());
    for (std::int64_t i = 0; i < out.count; ++i) {
        if (i % Block == 0 && stop.stop_requested()) {
            return cancelled();
        }
        const double value = elementValue(tensor, i);
        if (std::isnan(value)) {
            ++out.nans;
            continue;
        }
        if (std::isinf(value)) {
            ++out.infinities;
            continue;
        }
        if (floats) {
            const NumberClass kind = numberClass(tensor, i);
            out.denormals += kind == NumberClass::Denormal ? 1 : 0;
            out.negativeZeros += kind == NumberClass::NegativeZero ? 1 : 0;
        }
        ++out.finite;
        if (out.smallestAt < 0 || (floats ? value < smallest : less(i, out.smallestAt))) {
            out.smallestAt = i;
            smallest = value;
        }
        if (out.largestAt < 0 || (floats ? value > largest : less(out.largestAt, i))) {
            out.largestAt = i;
            largest = value;
        }
        const double next = value / static_cast<double>(out.count) - lost; // no overflow on the way
        const double total = sum + next;
        lost = (total - sum) - next;
        sum = total;
    }
    out.mean = out.finite > 0 ? sum * (static_cast<double>(out.count) / static_cast<double>(out.finite)) : 0.0;
    return out;
}

Result<TensorDifference> compareTensors(const Tensor& a, const Tensor& b, std::stop_token stop) {
    if (!comparable(a, b)) {
        return fail(ErrorCode::ShapeMismatch, tensorTypeText(a) + " and " + tensorTypeText(b) + " cannot be compared element by element");
    }
    TensorDifference out;
    out.count = a.count();
    out.floats = isFloat(a.element());
    for (std::int64_t begin = 0; begin < out.count; begin += Block) {
        if (stop.stop_requested()) {
            return cancelled();
        }
        const std::int64_t end = std::min(out.count, begin + Block);
        if (sameBytes(a, b, begin, end)) {
            continue;
        }
        for (std::int64_t i = begin; i < end; ++i) {
            if (sameElement(a, b, i)) {
                continue;
            }
            out.firstAt = out.differing == 0 ? i : out.firstAt;
            ++out.differing;
            const auto distance = ulpDistance(a, b, i);
            out.undefined += distance ? 0 : 1;
            if (distance && (out.largestUlpAt < 0 || *distance > out.largestUlp)) {
                out.largestUlp = *distance;
                out.largestUlpAt = i;
            }
        }
    }
    return out;
}

Result<std::optional<std::int64_t>> nextDifference(const Tensor& a, const Tensor& b, std::int64_t from, bool backwards, std::stop_token stop) {
    if (!comparable(a, b)) {
        return fail(ErrorCode::ShapeMismatch, tensorTypeText(a) + " and " + tensorTypeText(b) + " cannot be compared element by element");
    }
    const std::int64_t count = a.count();
    // In whole blocks, so that equal ones are skipped; the first is looked at twice: behind `from` at the start, before it at the end.
    const std::int64_t blocks = (count + Block - 1) / Block;
    const std::int64_t start = std::clamp<std::int64_t>(from, 0, std::max<std::int64_t>(0, count - 1));
    for (std::int64_t step = 0; step <= blocks && blocks > 0; ++step) {
        if (stop.stop_requested()) {
            return cancelled();
        }
        const std::int64_t block = (start / Block + (backwards ? blocks - step % blocks : step)) % blocks;
        const std::int64_t begin = block * Block;
        const std::int64_t end = std::min(count, begin + Block);
        if (sameBytes(a, b, begin, end)) {
            continue;
        }
        for (std::int64_t k = 0; k < end - begin; ++k) {
            const std::int64_t i = backwards ? end - 1 - k : begin + k;
            const bool ahead = backwards ? i < from : i > from;
            if ((step == 0 && !ahead) || (step == blocks && ahead)) {
                continue;
            }
            if (!sameElement(a, b, i)) {
                return std::optional(i);
            }
        }
    }
    return std::optional<std::int64_t>();
}

CellRange HeatMap::cellsOf(int row, int column) const {
    CellRange out;
    out.firstRow = firstOf(row, sliceRows, rows);
    out.firstColumn = firstOf(column, sliceColumns, columns);
    out.rows = firstOf(row + 1, sliceRows, rows) - out.firstRow;
    out.columns = firstOf(column + 1, sliceColumns, columns) - out.firstColumn;
    return out;
}

std::pair<int, int> HeatMap::gridOf(std::int64_t row, std::int64_t column) const {
    const auto line = [](std::int64_t at, std::int64_t extent, int grid) {
        if (grid == 0 || extent == 0) {
            return 0;
        }
        auto guess = static_cast<int>(std::clamp<std::int64_t>(at * grid / extent, 0, grid - 1));
        while (guess + 1 < grid && firstOf(guess + 1, extent, grid) <= at) {
            ++guess; // the division rounds down in both directions
        }
        return guess;
    };
    return {line(row, sliceRows, rows), line(column, sliceColumns, columns)};
}

Result<HeatMap> heatMapOf(const Tensor& tensor, const Tensor* other, const TensorSlice& slice, int mostRows, int mostColumns, std::stop_token stop) {
    if (other != nullptr && !comparable(tensor, *other)) {
        return fail(ErrorCode::ShapeMismatch, tensorTypeText(tensor) + " and " + tensorTypeText(*other) + " cannot be compared element by element");
    }
    HeatMap map;
    map.sliceRows = slice.rows();
    map.sliceColumns = slice.columns();
    map.rows = gridSize(map.sliceRows, mostRows);
    map.columns = gridSize(map.sliceColumns, mostColumns);
    map.ofDifference = other != nullptr;
    map.cells.assign(static_cast<std::size_t>(map.rows) * static_cast<std::size_t>(map.columns), HeatClass::None);
    const auto walk = [&](auto&& visit) -> bool {
        std::int64_t seen = 0;
        for (std::int64_t row = 0; row < map.sliceRows; ++row) {
            const int gridRow = map.gridOf(row, 0).first;
            for (int gridColumn = 0; gridColumn < map.columns; ++gridColumn) {
                const std::int64_t end = firstOf(gridColumn + 1, map.sliceColumns, map.columns);
                for (std::int64_t column = firstOf(gridColumn, map.sliceColumns, map.columns); column < end; ++column) {
                    if (++seen % Block == 0 && stop.stop_requested()) {
                        return false;
                    }
                    if (const auto flat = slice.flat(row, column)) {
                        visit(*flat, gridRow, gridColumn);
                    }
                }
            }
        }
        return true;
    };
    if (other == nullptr) {
        const bool done = walk([&](std::int64_t flat, int, int) {
            const double value = std::fabs(elementValue(tensor, flat));
            map.largest = std::isfinite(value) ? std::max(map.largest, value) : map.largest;
        });
        if (!done) {
            return cancelled();
        }
    }
    const bool done = walk([&](std::int64_t flat, int row, int column) {
        const HeatClass kind = other != nullptr ? classOfDifference(tensor, *other, flat) : classOfMagnitude(tensor, flat, map.largest);
        map.marked += other != nullptr ? (kind != HeatClass::None ? 1 : 0) : (kind == HeatClass::Odd ? 1 : 0);
        HeatClass& cell = map.cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(map.columns) + static_cast<std::size_t>(column)];
        cell = std::max(cell, kind);
    });
    if (!done) {
        return cancelled();
    }
    return map;
}

std::optional<std::int64_t> decisiveElement(const HeatMap& map, const Tensor& tensor, const Tensor* other, const TensorSlice& slice, int row,
                                            int column) {
    const CellRange range = map.cellsOf(row, column);
    const HeatClass wanted = map.at(row, column);
    std::int64_t looked = 0;
    constexpr std::int64_t Most = 100'000; // for a click: past it the first element has to do
    for (std::int64_t r = range.firstRow; r < range.firstRow + range.rows; ++r) {
        for (std::int64_t c = range.firstColumn; c < range.firstColumn + range.columns && ++looked <= Most; ++c) {
            const auto flat = slice.flat(r, c);
            if (flat && (other != nullptr ? classOfDifference(tensor, *other, *flat) : classOfMagnitude(tensor, *flat, map.largest)) == wanted) {
                return flat;
            }
        }
    }
    return slice.flat(range.firstRow, range.firstColumn);
}

std::string groupedNumber(std::uint64_t value) {
    std::string digits = std::to_string(value);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

std::string differenceSentence(const TensorDifference& difference, const std::vector<std::int64_t>& shape) {
    const auto grouped = [](std::int64_t value) { return groupedNumber(static_cast<std::uint64_t>(value)); };
    const auto place = [&shape](std::int64_t flat) { return shape.empty() ? std::string() : " at " + indexText(indexOf(shape, flat)); };
    if (difference.count == 0) {
        return "no elements";
    }
    if (difference.differing == 0) {
        return difference.count == 1 ? "the element is equal" : "all " + grouped(difference.count) + " elements are equal";
    }
    std::string out =
        grouped(difference.differing) + " of " + grouped(difference.count) + (difference.count == 1 ? " element differs" : " elements differ");
    if (difference.count > 1) {
        out += ", first" + place(difference.firstAt);
    }
    if (difference.largestUlpAt >= 0) {
        out += ", largest " + groupedNumber(difference.largestUlp) + (difference.floats ? " ulp" : "") +
               (difference.count > 1 ? place(difference.largestUlpAt) : "");
    }
    if (difference.undefined > 0) {
        out += ", " + grouped(difference.undefined) + " without a distance";
    }
    return out;
}

std::string statisticsSentence(const TensorStatistics& statistics, const Tensor& tensor) {
    const auto grouped = [](std::int64_t value) { return groupedNumber(static_cast<std::uint64_t>(value)); };
    std::string out = grouped(statistics.count) + (statistics.count == 1 ? " element" : " elements");
    if (!statistics.numbers) {
        return out;
    }
    const auto extreme = [&](const char* word, std::int64_t at) {
        out += std::string(", ") + word + " " + formatElement(tensor, at);
        if (!tensor.shape().empty()) {
            out += " at " + indexText(indexOf(tensor.shape(), at));
        }
    };
    if (statistics.smallestAt >= 0) {
        extreme("min", statistics.smallestAt);
        extreme("max", statistics.largestAt);
        out += ", mean " + shortestDecimal(static_cast<float>(statistics.mean));
    }
    const auto count = [&](std::int64_t number, const char* what) { out += number > 0 ? ", " + grouped(number) + " " + what : ""; };
    count(statistics.nans, "NaN");
    count(statistics.infinities, "infinite");
    count(statistics.denormals, "denormal");
    count(statistics.negativeZeros, "negative zero");
    return out;
}

} // namespace lemmascope
