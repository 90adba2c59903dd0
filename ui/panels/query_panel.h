#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace lemmascope {

class LongText;
class SmtlibHighlighter;

/// A lemma's own SMT-LIB text: what the solver was, or would be, asked. Ctrl+F in it finds within, F3 and Shift+F3 go on, Esc ends.
class QueryPanel : public QWidget {
    Q_OBJECT

  public:
    explicit QueryPanel(QWidget* parent = nullptr);

    void setQuery(const QString& title, const QString& digest, const QString& text);
    void clear(const QString& why);
    [[nodiscard]] QString text() const;
    void copy() const;
    /// Opens the line to find with.
    void find();
    /// Asks where to; the file is written by who listens.
    void askForFile();

  Q_SIGNALS:
    void saveRequested(const QString& file, const QString& text);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void search(bool backwards, bool fromStart);
    void closeFind();

    LongText* m_title;
    QPlainTextEdit* m_text;
    QPushButton* m_copy;
    QPushButton* m_save;
    QWidget* m_findLine;
    QLineEdit* m_find;
    QLabel* m_found;
    SmtlibHighlighter* m_highlighter;
    QString m_name; ///< `L3`
};

} // namespace lemmascope
