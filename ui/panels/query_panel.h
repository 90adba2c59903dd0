#pragma once

#include <QWidget>

class QPlainTextEdit;
class QPushButton;

namespace lemmascope {

class LongText;

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
    LongText* m_title;
    QPlainTextEdit* m_text;
    QPushButton* m_copy;
};

} // namespace lemmascope
