#pragma once

#include "core/report/tensor_pair.h"
#include "core/report/tensor_slice.h"

#include <QAbstractTableModel>

#include <optional>

namespace lemmascope {

/// A window on a slice of a tensor or a pair of them: texts are made for the cells that are asked for, elements are never copied. A
/// view keeps a record of every row and column, so that a slice is shown in pages of `PageRows` by `PageColumns`.
class TensorTableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Role { DiffersRole = Qt::UserRole + 20, FlatRole };
    static constexpr std::int64_t PageRows = 50'000;
    static constexpr std::int64_t PageColumns = 1'000;

    explicit TensorTableModel(QObject* parent = nullptr);

    void setTensors(TensorPair tensors, TensorSlice slice);
    void setSlice(TensorSlice slice);
    void setContent(CellContent content);
    void setFormat(const NumberFormat& format);
    /// Pages from 0; clamped.
    void setPage(std::int64_t rowPage, std::int64_t columnPage);

    [[nodiscard]] const TensorPair& tensors() const { return m_tensors; }
    [[nodiscard]] const TensorSlice& slice() const { return m_slice; }
    [[nodiscard]] CellContent content() const { return m_content; }
    [[nodiscard]] const NumberFormat& format() const { return m_format; }
    [[nodiscard]] std::int64_t rowPages() const;
    [[nodiscard]] std::int64_t columnPages() const;
    [[nodiscard]] std::int64_t rowPage() const { return m_firstRow / PageRows; }
    [[nodiscard]] std::int64_t columnPage() const { return m_firstColumn / PageColumns; }
    [[nodiscard]] std::int64_t firstRow() const { return m_firstRow; } ///< of the slice, in row 0 of the model
    [[nodiscard]] std::int64_t firstColumn() const { return m_firstColumn; }

    /// The element of a cell; nothing for an empty one.
    [[nodiscard]] std::optional<std::int64_t> flatAt(const QModelIndex& index) const;
    /// Where an element of this slice stands on the page that is shown; invalid elsewhere.
    [[nodiscard]] QModelIndex indexOfElement(std::int64_t flat) const;
    /// A cell of the slice, whatever the page.
    [[nodiscard]] QString textAt(std::int64_t row, std::int64_t column) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

  private:
    void cellsChanged();

    TensorPair m_tensors;
    TensorSlice m_slice;
    CellContent m_content = CellContent::Both;
    NumberFormat m_format;
    std::int64_t m_firstRow = 0;
    std::int64_t m_firstColumn = 0;
};

} // namespace lemmascope
