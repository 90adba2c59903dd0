#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace lemmascope {

/// One line above the canvases: a query, how many nodes it finds, and the way from one to the next.
/// Keys in it: Return and Shift+Return (next, previous), Esc (close).
class FindBar : public QWidget {
    Q_OBJECT

  public:
    explicit FindBar(QWidget* parent = nullptr);

    [[nodiscard]] QString text() const;
    void setText(const QString& text);
    /// What stands behind the query: `3 of 17`, or with `wrong` what keeps it from being understood.
    void setAnswer(const QString& text, bool wrong);
    [[nodiscard]] QString answer() const;
    void setStepsEnabled(bool on);
    /// Shows it and puts the cursor into it, all selected.
    void open();
    [[nodiscard]] QLineEdit* edit() const { return m_edit; }
    /// Another way to see the hits, put before the button that closes.
    void addAction(QAction* action);

  Q_SIGNALS:
    void queryChanged(const QString& text); ///< by the user or by setText
    void stepRequested(bool backwards);
    void closeRequested();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QLineEdit* m_edit;
    QLabel* m_answer;
    QToolButton* m_previous;
    QToolButton* m_next;
    QToolButton* m_close;
};

} // namespace lemmascope
