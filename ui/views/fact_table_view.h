#pragma once

#include <QTableView>

namespace lemmascope {

/// A table view as the panels use it: whole rows, no grid, Tab leaves it, Ctrl+C copies the selected rows (or all) as text with
/// tabs, emphasised rows (FactTableModel::EmphasisRole) tinted. The column `stretched` takes the room that is left.
class FactTableView : public QTableView {
    Q_OBJECT

  public:
    explicit FactTableView(const QString& accessibleName, QWidget* parent = nullptr);

    void setModel(QAbstractItemModel* model) override;
    void setStretchedColumn(int column);
    /// The selected rows, or all when none is selected.
    [[nodiscard]] QString selectedText() const;

    /// What the context menu has besides copying.
    void setMenuActions(const QList<QAction*>& menuActions) { m_menuActions = menuActions; }

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

  private:
    void applyStretch();
    int m_stretched = -1;
    QList<QAction*> m_menuActions;
};

} // namespace lemmascope
