#pragma once

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace lemmascope {

/// A lemma's own SMT-LIB text: what the solver was, or would be, asked.
class QueryPanel : public QWidget {
    Q_OBJECT

  public:
    explicit QueryPanel(QWidget* parent = nullptr);

    void setQuery(const QString& title, const QString& digest, const QString& text);
    void clear(const QString& why);
    [[nodiscard]] QString text() const;
    void copy() const;

  private:
    QLabel* m_title;
    QPlainTextEdit* m_text;
    QPushButton* m_copy;
};

} // namespace lemmascope
