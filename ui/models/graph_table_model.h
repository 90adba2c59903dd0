#pragma once

#include "ui/views/graph_rows.h"

#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace lemmascope {

/// Rows of both graphs in the order in which they were arranged; columns are GraphRows::Column. Cells are made when a view asks for
/// them, so that 100,000 rows cost nothing. Sorting is asked of whoever holds the model: see `sortRequested`.
class GraphTableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Role { EmphasisRole = Qt::UserRole }; ///< as FactTableModel::EmphasisRole: a failing pair

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(GraphRows rows, std::vector<std::uint32_t> order);
    [[nodiscard]] const GraphRows& rows() const { return m_rows; }
    [[nodiscard]] const std::vector<std::uint32_t>& order() const { return m_order; }
    [[nodiscard]] std::optional<PlaceId> placeOf(int row) const;
    /// -1 where the filter leaves it out.
    [[nodiscard]] int rowOf(const PlaceId& place) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

  Q_SIGNALS:
    void sortRequested(int column, bool descending);

  private:
    GraphRows m_rows;
    std::vector<std::uint32_t> m_order;
    std::vector<std::uint32_t> m_rowOfEntry;
};

} // namespace lemmascope
