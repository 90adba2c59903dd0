#pragma once

#include "ui/views/help_pages.h"

#include <QWidget>

#include <functional>

class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace lemmascope {

/// The built-in help in a window of its own: contents and search at the left, the page at the right. Links, back and forward work as in
/// a browser; nothing is fetched from anywhere.
class HelpWindow : public QWidget {
    Q_OBJECT

  public:
    /// `legendNow`: the legend, as HTML, in the colours at the time a page is shown.
    explicit HelpWindow(std::function<QString()> legendNow, QWidget* parent = nullptr);

    /// `verdicts`, `window#lemmas`. An unknown page is the index.
    void showPage(const QString& place);
    [[nodiscard]] QString currentPage() const; ///< its id
    void search(const QString& words);
    [[nodiscard]] QListWidget* list() const { return m_list; }
    [[nodiscard]] QTextBrowser* browser() const;

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    class Browser;
    void fillList();

    HelpPages m_pages;
    QLineEdit* m_search;
    QListWidget* m_list;
    Browser* m_browser;
};

} // namespace lemmascope
