#include "ui/models/palette_model.h"

namespace lemmascope {

void PaletteModel::setEntries(std::vector<PaletteEntry> entries) {
    beginResetModel();
    m_entries = std::move(entries);
    endResetModel();
}

int PaletteModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_entries.size()); }

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const PaletteEntry& entry = m_entries[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return entry.title;
    case Qt::ToolTipRole: return QStringLiteral("<qt>%1</qt>").arg(entry.title.toHtmlEscaped());
    case DetailRole: return entry.detail;
    case EnabledRole: return entry.enabled;
    case Qt::AccessibleTextRole: {
        QString text = entry.detail.isEmpty() ? entry.title : tr("%1, %2").arg(entry.title, entry.detail);
        return entry.enabled ? text : tr("%1, not available now").arg(text);
    }
    default: return {};
    }
}

} // namespace lemmascope
