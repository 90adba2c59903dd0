#pragma once

#include <QDialog>
#include <QString>

class QLineEdit;
class QPushButton;

namespace lemmascope {

/// Two path rows, each with a browse button, and a swap. Takes dropped files.
class OpenPairDialog : public QDialog {
    Q_OBJECT

  public:
    OpenPairDialog(const QString& reference, const QString& rewritten, QWidget* parent = nullptr);

    [[nodiscard]] QString reference() const;
    [[nodiscard]] QString rewritten() const;

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    void browse(QLineEdit* row, const QString& title);
    void updateButtons();

    QLineEdit* m_reference;
    QLineEdit* m_rewritten;
    QPushButton* m_open;
};

/// The name filter of file dialogs for graphs.
[[nodiscard]] QString graphFileFilter();

} // namespace lemmascope
