#pragma once

#include <QStyledItemDelegate>

namespace lemmascope {

/// Cells of TensorTableModel: those that differ have a bar at their leading edge and a tint besides the bold text of the model.
class TensorCellDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

} // namespace lemmascope
