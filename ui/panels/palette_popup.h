#pragma once

#include "ui/models/palette_model.h"

#include <QFrame>
#include <QPointer>

class QLabel;
class QLineEdit;
class QListView;

namespace lemmascope {

/// A line to type in and what answers it below, over the middle of its window. Up, Down, Page Up and Page Down choose, Return acts,
/// Esc or a click elsewhere closes. The focus goes back to where it was.
class PalettePopup : public QFrame {
    Q_OBJECT

  public:
    explicit PalettePopup(QWidget* window);

    /// `title` is said to screen readers and stands in the empty line.
    void open(const QString& title);
    void close();
    void setEntries(std::vector<PaletteEntry> entries);
    [[nodiscard]] QString text() const;
    [[nodiscard]] QLineEdit* edit() const { return m_edit; }
    [[nodiscard]] PaletteModel* model() const { return m_model; }
    [[nodiscard]] int currentRow() const;

  Q_SIGNALS:
    void textChanged(const QString& text);
    void chosen(const lemmascope::PaletteEntry& entry); ///< after it has closed; an entry that is enabled

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void choose();
    void move(int by);
    void place();

    PaletteModel* m_model;
    QLineEdit* m_edit;
    QListView* m_list;
    QLabel* m_empty;
    QPointer<QWidget> m_before; ///< had the focus
};

} // namespace lemmascope
