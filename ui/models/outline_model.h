#pragma once

#include "ui/views/outline.h"

#include <QAbstractItemModel>

#include <vector>

namespace lemmascope {

/// Rows of an outline as a tree.
class OutlineModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    explicit OutlineModel(QObject* parent = nullptr) : QAbstractItemModel(parent) {}

    void setHeaders(QStringList headers, QStringList tips = {});
    void setRows(OutlineRows rows);
    [[nodiscard]] const OutlineRows& rows() const { return m_rows; }
    /// Index into rows() of an item.
    [[nodiscard]] std::size_t rowAt(const QModelIndex& index) const { return index.internalId(); }
    [[nodiscard]] QModelIndex indexOf(std::size_t row, int column = 0) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& index) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  Q_SIGNALS:
    void checkToggled(std::size_t row, bool on); ///< by the user; the rows stay as they are until they are set anew

  private:
    static constexpr std::size_t Top = static_cast<std::size_t>(-1);
    [[nodiscard]] const std::vector<std::size_t>& below(std::size_t row) const { return row == Top ? m_top : m_children[row]; }

    QStringList m_headers;
    QStringList m_tips;
    OutlineRows m_rows;
    std::vector<std::size_t> m_parents; ///< by row; Top
    std::vector<std::size_t> m_places;  ///< by row: among its siblings
    std::vector<std::vector<std::size_t>> m_children;
    std::vector<std::size_t> m_top;
};

} // namespace lemmascope
