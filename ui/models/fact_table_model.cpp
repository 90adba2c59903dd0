#include "ui/models/fact_table_model.h"

#include <QFont>

#include <algorithm>

namespace lemmascope {

QString toPlainText(const FactTable& table) {
    std::vector<qsizetype> widths(static_cast<std::size_t>(table.headers.size()), 0);
    const auto measure = [&widths](const QStringList& cells) {
        for (qsizetype i = 0; i < std::min<qsizetype>(cells.size(), static_cast<qsizetype>(widths.size())); ++i) {
            widths[static_cast<std::size_t>(i)] = std::max(widths[static_cast<std::size_t>(i)], cells[i].size());
        }
    };
    measure(table.headers);
    for (const FactRow& row : table.rows) {
        measure(row.cells);
    }
    QString text;
    const auto write = [&](const QStringList& cells, bool mark) {
        QString line = mark ? QStringLiteral("> ") : QStringLiteral("  ");
        for (qsizetype i = 0; i < static_cast<qsizetype>(widths.size()); ++i) {
            line += cells.value(i).leftJustified(widths[static_cast<std::size_t>(i)] + 2);
        }
        while (line.endsWith(u' ')) {
            line.chop(1);
        }
        text += line + u'\n';
    };
    write(table.headers, false);
    for (const FactRow& row : table.rows) {
        write(row.cells, row.emphasised);
    }
    return text;
}

QString toMarkdown(const FactTable& table) {
    QString text;
    const auto write = [&](const QStringList& cells, bool bold) {
        text += u'|';
        for (qsizetype i = 0; i < table.headers.size(); ++i) {
            QString cell = cells.value(i);
            cell.replace(u'|', QStringLiteral("\\|")).replace(u'\n', u' ');
            text += u' ' + (bold && !cell.isEmpty() ? QStringLiteral("**%1**").arg(cell) : cell) + QStringLiteral(" |");
        }
        text += u'\n';
    };
    write(table.headers, false);
    text += u'|' + QStringLiteral(" --- |").repeated(table.headers.size()) + u'\n';
    for (const FactRow& row : table.rows) {
        write(row.cells, row.emphasised);
    }
    return text;
}

FactTableModel::FactTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void FactTableModel::setTable(FactTable table) {
    beginResetModel();
    m_table = std::move(table);
    endResetModel();
}

int FactTableModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size()); }

int FactTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_table.headers.size()); }

QVariant FactTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const FactRow& row = m_table.rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return row.cells.value(index.column());
    case Qt::ToolTipRole: return row.note.isEmpty() ? row.cells.value(index.column()) : row.note;
    case Qt::AccessibleDescriptionRole: return row.note;
    case Qt::FontRole:
        if (row.emphasised) {
            QFont font;
            font.setBold(true);
            return font;
        }
        return {};
    case EmphasisRole: return row.emphasised;
    default: return {};
    }
}

QVariant FactTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    return orientation == Qt::Horizontal && role == Qt::DisplayRole ? QVariant(m_table.headers.value(section)) : QVariant();
}

} // namespace lemmascope
