#include "ui/models/graph_table_model.h"

#include <limits>

namespace lemmascope {

namespace {

constexpr std::uint32_t NoRow = std::numeric_limits<std::uint32_t>::max();

} // namespace

void GraphTableModel::setRows(GraphRows rows, std::vector<std::uint32_t> order) {
    beginResetModel();
    m_rows = std::move(rows);
    m_order = std::move(order);
    m_rowOfEntry.assign(m_rows.index ? m_rows.index->count() : 0, NoRow);
    for (std::size_t row = 0; row < m_order.size(); ++row) {
        m_rowOfEntry[m_order[row]] = static_cast<std::uint32_t>(row);
    }
    endResetModel();
}

std::optional<PlaceId> GraphTableModel::placeOf(int row) const {
    return row >= 0 && row < rowCount() ? std::optional(m_rows.index->place(m_order[static_cast<std::size_t>(row)])) : std::nullopt;
}

int GraphTableModel::rowOf(const PlaceId& place) const {
    const std::size_t entry = m_rows.index && place.isValid() ? m_rows.index->entryOf(place) : m_rowOfEntry.size();
    return entry < m_rowOfEntry.size() && m_rowOfEntry[entry] != NoRow ? static_cast<int>(m_rowOfEntry[entry]) : -1;
}

int GraphTableModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_order.size()); }

int GraphTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : GraphRows::ColumnCount; }

QVariant GraphTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const std::uint32_t entry = m_order[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return m_rows.cell(entry, index.column());
    case Qt::ToolTipRole: return QStringLiteral("<qt>%1</qt>").arg(m_rows.cell(entry, index.column()).toHtmlEscaped());
    case EmphasisRole: {
        const NodeRelation* relation = m_rows.relation(entry);
        return relation != nullptr && relation->mark == NodeMark::Failing;
    }
    default: return {};
    }
}

QVariant GraphTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    return orientation == Qt::Horizontal && role == Qt::DisplayRole ? QVariant(GraphRows::headers().value(section)) : QVariant();
}

void GraphTableModel::sort(int column, Qt::SortOrder order) { Q_EMIT sortRequested(column, order == Qt::DescendingOrder); }

} // namespace lemmascope
