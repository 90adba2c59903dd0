// Tests: tests/core/report/tst_tensor_scan.cpp.
#include "core/report/tensor_slice.h"

#include <algorithm>

namespace lemmascope {

TensorSlice::TensorSlice(std::vector<std::int64_t> shape) : m_shape(std::move(shape)), m_strides(m_shape.size()), m_index(m_shape.size(), 0) {
    for (std::size_t axis = m_shape.size(); axis-- > 0;) {
        m_strides[axis] = m_count;
        m_count *= m_shape[axis]; // a tensor of this shape exists, so that its count fits
    }
    if (rank() >= 2) {
        m_rowAxis = rank() - 2;
        m_columnAxis = rank() - 1;
    }
}

void TensorSlice::setAxes(std::size_t rowAxis, std::size_t columnAxis) {
    if (rank() >= 2 && rowAxis < rank() && columnAxis < rank() && rowAxis != columnAxis) {
        m_rowAxis = rowAxis;
        m_columnAxis = columnAxis;
    }
}

void TensorSlice::setIndex(std::size_t axis, std::int64_t index) {
    if (axis < rank()) {
        m_index[axis] = std::clamp<std::int64_t>(index, 0, std::max<std::int64_t>(0, m_shape[axis] - 1));
    }
}

void TensorSlice::moveTo(std::int64_t flat) {
    if (flat < 0 || flat >= m_count) {
        return;
    }
    for (const std::size_t axis : heldAxes()) {
        m_index[axis] = flat / m_strides[axis] % m_shape[axis];
    }
}

std::int64_t TensorSlice::rows() const {
    if (rank() == 0) {
        return 1;
    }
    if (rank() == 1) {
        return (m_count + VectorColumns - 1) / VectorColumns;
    }
    return m_count == 0 ? 0 : m_shape[m_rowAxis];
}

std::int64_t TensorSlice::columns() const {
    if (rank() == 0) {
        return 1;
    }
    if (rank() == 1) {
        return std::min(m_count, VectorColumns);
    }
    return m_count == 0 ? 0 : m_shape[m_columnAxis];
}

std::vector<std::size_t> TensorSlice::heldAxes() const {
    std::vector<std::size_t> held;
    for (std::size_t axis = 0; rank() >= 2 && axis < rank(); ++axis) {
        if (axis != m_rowAxis && axis != m_columnAxis) {
            held.push_back(axis);
        }
    }
    return held;
}

std::optional<std::int64_t> TensorSlice::flat(std::int64_t row, std::int64_t column) const {
    if (row < 0 || column < 0 || row >= rows() || column >= columns()) {
        return std::nullopt;
    }
    if (rank() <= 1) {
        const std::int64_t at = row * VectorColumns + column;
        return at < m_count ? std::optional(at) : std::nullopt;
    }
    std::int64_t at = row * m_strides[m_rowAxis] + column * m_strides[m_columnAxis];
    for (const std::size_t axis : heldAxes()) {
        at += m_index[axis] * m_strides[axis];
    }
    return at;
}

std::optional<std::pair<std::int64_t, std::int64_t>> TensorSlice::placeOf(std::int64_t flat) const {
    if (flat < 0 || flat >= m_count) {
        return std::nullopt;
    }
    if (rank() <= 1) {
        return std::pair(flat / VectorColumns, flat % VectorColumns);
    }
    for (const std::size_t axis : heldAxes()) {
        if (flat / m_strides[axis] % m_shape[axis] != m_index[axis]) {
            return std::nullopt;
        }
    }
    return std::pair(flat / m_strides[m_rowAxis] % m_shape[m_rowAxis], flat / m_strides[m_columnAxis] % m_shape[m_columnAxis]);
}

std::string TensorSlice::rowName(std::int64_t row) const { return std::to_string(rank() == 1 ? row * VectorColumns : row); }

std::string TensorSlice::columnName(std::int64_t column) const {
    const bool broken = rank() == 1 && m_count > VectorColumns;
    return (broken ? "+" : "") + std::to_string(column);
}

std::string TensorSlice::text() const {
    if (rank() == 0) {
        return {};
    }
    std::string out = "[";
    for (std::size_t axis = 0; axis < rank(); ++axis) {
        const bool shown = rank() == 1 || axis == m_rowAxis || axis == m_columnAxis;
        out += (axis == 0 ? "" : ",") + (shown ? std::string(":") : std::to_string(m_index[axis]));
    }
    return out + "]";
}

} // namespace lemmascope
