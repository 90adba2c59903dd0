#include "ui/models/outline_model.h"

#include "ui/jobs/background_free.h"

#include <QFont>

#include <memory>
#include <utility>

namespace lemmascope {

void OutlineModel::setHeaders(QStringList headers, QStringList tips) {
    beginResetModel();
    m_headers = std::move(headers);
    m_tips = std::move(tips);
    endResetModel();
}

void OutlineModel::setRows(OutlineRows rows) {
    beginResetModel();
    freeInBackground(std::make_shared<const OutlineRows>(std::exchange(m_rows, std::move(rows))));
    m_parents.assign(m_rows.size(), Top);
    m_places.assign(m_rows.size(), 0);
    m_children.assign(m_rows.size(), {});
    m_top.clear();
    std::vector<std::size_t> around;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        while (!around.empty() && m_rows[around.back()].depth >= m_rows[i].depth) {
            around.pop_back();
        }
        m_parents[i] = around.empty() ? Top : around.back();
        std::vector<std::size_t>& siblings = around.empty() ? m_top : m_children[around.back()];
        m_places[i] = siblings.size();
        siblings.push_back(i);
        around.push_back(i);
    }
    endResetModel();
}

QModelIndex OutlineModel::indexOf(std::size_t row, int column) const {
    return row < m_rows.size() ? createIndex(static_cast<int>(m_places[row]), column, row) : QModelIndex();
}

QModelIndex OutlineModel::index(int row, int column, const QModelIndex& parent) const {
    const std::vector<std::size_t>& siblings = below(parent.isValid() ? parent.internalId() : Top);
    if (row < 0 || column < 0 || column >= columnCount() || static_cast<std::size_t>(row) >= siblings.size() || parent.column() > 0) {
        return {};
    }
    return createIndex(row, column, siblings[static_cast<std::size_t>(row)]);
}

QModelIndex OutlineModel::parent(const QModelIndex& index) const {
    if (!index.isValid() || m_parents[index.internalId()] == Top) {
        return {};
    }
    return indexOf(m_parents[index.internalId()]);
}

int OutlineModel::rowCount(const QModelIndex& parent) const {
    return parent.column() > 0 ? 0 : static_cast<int>(below(parent.isValid() ? parent.internalId() : Top).size());
}

int OutlineModel::columnCount(const QModelIndex&) const { return static_cast<int>(m_headers.size()); }

QVariant OutlineModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const OutlineRow& row = m_rows[index.internalId()];
    switch (role) {
    case Qt::DisplayRole: return row.cells.value(index.column());
    case Qt::ToolTipRole: return row.tip.isEmpty() ? row.cells.join(QStringLiteral("  ")).trimmed() : row.tip;
    case Qt::AccessibleDescriptionRole: return index.column() == 0 && row.cells.size() > 1 ? row.cells.mid(1).join(u' ').trimmed() : QString();
    case Qt::CheckStateRole: return index.column() == 0 && row.checked ? QVariant(*row.checked ? Qt::Checked : Qt::Unchecked) : QVariant();
    case Qt::FontRole: {
        QFont font;
        font.setBold(row.strong && index.column() == 0);
        return font;
    }
    default: return {};
    }
}

bool OutlineModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::CheckStateRole || !m_rows[index.internalId()].checked) {
        return false;
    }
    const bool on = value.toInt() == Qt::Checked;
    m_rows[index.internalId()].checked = on;
    Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
    Q_EMIT checkToggled(index.internalId(), on);
    return true;
}

Qt::ItemFlags OutlineModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractItemModel::flags(index);
    if (index.isValid() && index.column() == 0 && m_rows[index.internalId()].checked) {
        flags |= Qt::ItemIsUserCheckable;
    }
    return flags;
}

QVariant OutlineModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::DisplayRole) {
        return m_headers.value(section);
    }
    return role == Qt::ToolTipRole ? QVariant(m_tips.value(section, m_headers.value(section))) : QVariant();
}

} // namespace lemmascope
