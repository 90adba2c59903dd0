#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

/// Two axes of a tensor as rows and columns, the other axes held at one index each. A scalar is one cell; a vector is broken into
/// rows of `VectorColumns`. Holds no elements: places only.
class TensorSlice {
  public:
    static constexpr std::int64_t VectorColumns = 16;

    TensorSlice() : TensorSlice(std::vector<std::int64_t>{}) {}
    /// The last two axes, the others at 0.
    explicit TensorSlice(std::vector<std::int64_t> shape);

    /// Chooses the axes of a tensor of rank 2 or more; equal or unknown axes change nothing.
    void setAxes(std::size_t rowAxis, std::size_t columnAxis);
    /// Holds an axis at an index inside it.
    void setIndex(std::size_t axis, std::int64_t index);
    /// Holds the other axes where this element stands.
    void moveTo(std::int64_t flat);

    [[nodiscard]] const std::vector<std::int64_t>& shape() const { return m_shape; }
    [[nodiscard]] std::size_t rank() const { return m_shape.size(); }
    [[nodiscard]] std::int64_t rows() const;
    [[nodiscard]] std::int64_t columns() const;
    [[nodiscard]] std::size_t rowAxis() const { return m_rowAxis; }       ///< of rank 2 or more
    [[nodiscard]] std::size_t columnAxis() const { return m_columnAxis; } ///< of rank 2 or more
    [[nodiscard]] std::int64_t index(std::size_t axis) const { return m_index[axis]; }
    /// Axes that are held, outermost first.
    [[nodiscard]] std::vector<std::size_t> heldAxes() const;
    /// Row-major position of a cell; nothing behind a vector's end or outside.
    [[nodiscard]] std::optional<std::int64_t> flat(std::int64_t row, std::int64_t column) const;
    /// Row and column of an element; nothing where the slice does not hold it.
    [[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> placeOf(std::int64_t flat) const;
    /// What stands before a row or above a column: its index, or its first element's in a vector.
    [[nodiscard]] std::string rowName(std::int64_t row) const;
    [[nodiscard]] std::string columnName(std::int64_t column) const;
    /// `[3,:,:]`; `[:]` for a vector; empty for a scalar.
    [[nodiscard]] std::string text() const;
    friend bool operator==(const TensorSlice&, const TensorSlice&) = default;

  private:
    std::vector<std::int64_t> m_shape;
    std::vector<std::int64_t> m_strides; ///< in elements
    std::vector<std::int64_t> m_index;
    std::size_t m_rowAxis = 0;
    std::size_t m_columnAxis = 0;
    std::int64_t m_count = 1;
};

/// A rectangle of cells of a slice.
struct CellRange {
    std::int64_t firstRow = 0;
    std::int64_t firstColumn = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    friend bool operator==(const CellRange&, const CellRange&) = default;
};

} // namespace lemmascope
