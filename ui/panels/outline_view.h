#pragma once

#include "ui/views/lemma_tree_view.h"
#include "ui/views/outline.h"

#include <QSet>

namespace lemmascope {

class OutlineModel;

/// A tree of outline rows. Keeps what is selected and open, by the rows' keys, when they are set anew. Ctrl+C copies the selected row with
/// all below it as text, or everything.
class OutlineView : public LemmaTreeView {
    Q_OBJECT

  public:
    OutlineView(const QString& accessibleName, QStringList headers, QStringList tips, QWidget* parent = nullptr);

    [[nodiscard]] OutlineModel* outline() const { return m_model; }
    void setRows(OutlineRows rows);
    [[nodiscard]] const OutlineRow* current() const; ///< null: none
    /// Makes a row current as the user would.
    void choose(std::size_t row);
    [[nodiscard]] QString text() const;

  Q_SIGNALS:
    void rowChosen(std::size_t row);    ///< by the user: made current, clicked
    void rowActivated(std::size_t row); ///< double click or Return

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

  private:
    /// The view keeps an index for each row that spans its columns: only of rows that are opened.
    void spanBelow(const QModelIndex& parent);

    OutlineModel* m_model;
    QSet<QString> m_toggled; ///< keys of rows that are not as they start
    bool m_setting = false;
    bool m_told = false; ///< of the row that is being clicked
};

} // namespace lemmascope
