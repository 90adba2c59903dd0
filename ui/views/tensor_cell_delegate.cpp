#include "ui/views/tensor_cell_delegate.h"

#include "ui/canvas/palette.h"
#include "ui/models/tensor_table_model.h"

#include <QPainter>

namespace lemmascope {

void TensorCellDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.data(TensorTableModel::DiffersRole).toBool()) {
        const QPalette& palette = option->palette;
        option->backgroundBrush = blended(palette.color(QPalette::Text), palette.color(QPalette::Base), 0.12);
    }
}

void TensorCellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    if (index.data(TensorTableModel::DiffersRole).toBool()) {
        constexpr int Bar = 3;
        const QColor colour = CanvasTheme::fromPalette(option.palette).style(Role::Changed).colour;
        const bool mirrored = option.direction == Qt::RightToLeft;
        painter->fillRect(QRect(mirrored ? option.rect.right() - Bar + 1 : option.rect.left(), option.rect.top(), Bar, option.rect.height()), colour);
    }
}

} // namespace lemmascope
