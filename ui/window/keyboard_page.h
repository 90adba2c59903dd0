#pragma once

#include <QDialog>

#include <optional>

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;

namespace lemmascope {

class FactTableModel;
class FactTableView;
class KeyboardPart;

/// Settings > Keyboard: all acts and their keys; the key of the chosen one is typed below, and who has it already is said before it is
/// taken from there.
class KeyboardPage : public QDialog {
    Q_OBJECT

  public:
    KeyboardPage(KeyboardPart& part, QWidget* parent);

    [[nodiscard]] FactTableView* table() const { return m_table; }
    /// Chooses an act by its title.
    void choose(const QString& title);
    [[nodiscard]] QString notice() const;

  private:
    void refresh();
    void showChosen();
    void tellConflict();
    void apply(bool remove);
    [[nodiscard]] std::optional<std::size_t> chosen() const;

    KeyboardPart& m_part;
    QLineEdit* m_filter;
    FactTableModel* m_model;
    QSortFilterProxyModel* m_shown;
    FactTableView* m_table;
    QLabel* m_notice;
    QKeySequenceEdit* m_edit;
    QPushButton* m_set;
    QPushButton* m_remove;
    QPushButton* m_reset;
};

} // namespace lemmascope
