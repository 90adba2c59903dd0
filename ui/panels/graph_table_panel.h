#pragma once

#include "ui/models/graph_table_model.h"
#include "ui/views/fact_table_view.h"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace lemmascope {

/// The table of the graph table dock: Ctrl+C asks for the rows to be copied, since that many are not made in an instant.
class GraphTableView : public FactTableView {
    Q_OBJECT

  public:
    using FactTableView::FactTableView;

  Q_SIGNALS:
    void copyRequested();

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
};

/// Both graphs as a table, for those who would rather read than look: a query on top, the rows below.
class GraphTablePanel : public QWidget {
    Q_OBJECT

  public:
    explicit GraphTablePanel(QWidget* parent = nullptr);

    [[nodiscard]] GraphTableModel* model() const { return m_model; }
    [[nodiscard]] GraphTableView* table() const { return m_table; }
    [[nodiscard]] QLineEdit* filter() const { return m_filter; }
    /// `24 of 31 rows`, or what is wrong with the query.
    void setAnswer(const QString& text, bool wrong);
    [[nodiscard]] QString answer() const;
    void setRows(GraphRows rows, std::vector<std::uint32_t> order);
    /// Selects the row of a place, or nothing, without emitting.
    void select(const PlaceId& place);
    /// Entries of the selected rows, or of all where none is selected, in the order shown.
    [[nodiscard]] std::vector<std::uint32_t> chosenEntries() const;

  Q_SIGNALS:
    void placeChosen(const lemmascope::PlaceId& place); ///< by the user

  private:
    GraphTableModel* m_model;
    QLineEdit* m_filter;
    QLabel* m_answer;
    GraphTableView* m_table;
    PlaceId m_told; ///< the place that the window was told of, or told us of
    bool m_selecting = false;
    bool m_sized = false; ///< columns have had rows to be sized by
};

} // namespace lemmascope
