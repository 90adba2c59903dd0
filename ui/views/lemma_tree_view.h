#pragma once

#include <QTreeView>

namespace lemmascope {

/// A tree as the lemma list uses it: whole rows, Tab leaves it, Ctrl+C copies the selected rows (or all) as text with tabs. The
/// stretched column takes the room that is left.
class LemmaTreeView : public QTreeView {
    Q_OBJECT

  public:
    explicit LemmaTreeView(const QString& accessibleName, QWidget* parent = nullptr);

    void setStretchedColumn(int column);
    /// The selected rows, or all that are shown when none is selected.
    [[nodiscard]] QString selectedText() const;
    /// What the context menu has besides copying.
    void setMenuActions(const QList<QAction*>& actions) { m_menuActions = actions; }
    void addMenuActions(const QList<QAction*>& actions) { m_menuActions += actions; }
    /// Rows at the top with something below them are shown with a sign to open them.
    void setTree(bool tree);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

  private:
    QList<QAction*> m_menuActions;
};

} // namespace lemmascope
