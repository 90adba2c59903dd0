#include "ui/models/tensor_table_model.h"

#include "ui/views/text.h"

#include <QFont>

#include <algorithm>

namespace lemmascope {

namespace {

std::int64_t pagesOf(std::int64_t lines, std::int64_t page) { return std::max<std::int64_t>(1, (lines + page - 1) / page); }

} // namespace

TensorTableModel::TensorTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void TensorTableModel::setTensors(TensorPair tensors, TensorSlice slice) {
    beginResetModel();
    m_tensors = std::move(tensors);
    m_slice = std::move(slice);
    m_firstRow = 0;
    m_firstColumn = 0;
    endResetModel();
}

void TensorTableModel::setSlice(TensorSlice slice) {
    // The same rows and columns of another index of a held axis: selection and scroll stay.
    const bool sameGrid = m_tensors.any() != nullptr && slice.rows() == m_slice.rows() && slice.columns() == m_slice.columns();
    if (sameGrid) {
        m_slice = std::move(slice);
        cellsChanged();
        Q_EMIT headerDataChanged(Qt::Vertical, 0, std::max(0, rowCount() - 1));
        return;
    }
    beginResetModel();
    m_slice = std::move(slice);
    m_firstRow = 0;
    m_firstColumn = 0;
    endResetModel();
}

void TensorTableModel::setContent(CellContent content) {
    m_content = content;
    cellsChanged();
}

void TensorTableModel::setFormat(const NumberFormat& format) {
    m_format = format;
    cellsChanged();
}

void TensorTableModel::setPage(std::int64_t rowPage, std::int64_t columnPage) {
    const std::int64_t row = std::clamp<std::int64_t>(rowPage, 0, rowPages() - 1) * PageRows;
    const std::int64_t column = std::clamp<std::int64_t>(columnPage, 0, columnPages() - 1) * PageColumns;
    if (row != m_firstRow || column != m_firstColumn) {
        beginResetModel();
        m_firstRow = row;
        m_firstColumn = column;
        endResetModel();
    }
}

std::int64_t TensorTableModel::rowPages() const { return pagesOf(m_slice.rows(), PageRows); }

std::int64_t TensorTableModel::columnPages() const { return pagesOf(m_slice.columns(), PageColumns); }

void TensorTableModel::cellsChanged() {
    if (rowCount() > 0 && columnCount() > 0) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

std::optional<std::int64_t> TensorTableModel::flatAt(const QModelIndex& index) const {
    return index.isValid() && m_tensors.any() != nullptr ? m_slice.flat(m_firstRow + index.row(), m_firstColumn + index.column()) : std::nullopt;
}

QModelIndex TensorTableModel::indexOfElement(std::int64_t flat) const {
    const auto place = m_tensors.any() != nullptr ? m_slice.placeOf(flat) : std::nullopt;
    if (!place) {
        return {};
    }
    const std::int64_t row = place->first - m_firstRow;
    const std::int64_t column = place->second - m_firstColumn;
    return row >= 0 && column >= 0 && row < rowCount() && column < columnCount() ? index(static_cast<int>(row), static_cast<int>(column))
                                                                                 : QModelIndex();
}

QString TensorTableModel::textAt(std::int64_t row, std::int64_t column) const {
    const auto flat = m_tensors.any() != nullptr ? m_slice.flat(row, column) : std::nullopt;
    return flat ? toQString(cellText(m_tensors, m_content, m_format, *flat)) : QString();
}

int TensorTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || m_tensors.any() == nullptr ? 0 : static_cast<int>(std::min(PageRows, m_slice.rows() - m_firstRow));
}

int TensorTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || m_tensors.any() == nullptr ? 0 : static_cast<int>(std::min(PageColumns, m_slice.columns() - m_firstColumn));
}

QVariant TensorTableModel::data(const QModelIndex& index, int role) const {
    const auto flat = flatAt(index);
    if (!flat) {
        return {};
    }
    switch (role) {
    case Qt::DisplayRole: return toQString(cellText(m_tensors, m_content, m_format, *flat));
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole: return toQString(cellSentence(m_tensors, *flat));
    case Qt::TextAlignmentRole: return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::FontRole:
        if (differsAt(m_tensors, *flat)) {
            QFont font;
            font.setBold(true);
            return font;
        }
        return {};
    case DiffersRole: return differsAt(m_tensors, *flat);
    case FlatRole: return static_cast<qlonglong>(*flat);
    default: return {};
    }
}

QVariant TensorTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole) {
        return {};
    }
    return toQString(orientation == Qt::Vertical ? m_slice.rowName(m_firstRow + section) : m_slice.columnName(m_firstColumn + section));
}

} // namespace lemmascope
