#pragma once

#include <QObject>
#include <QPointer>

class QDialog;

namespace lemmascope {

class HelpWindow;
class MainWindow;

/// The Help menu: the built-in help (F1: on what has the focus), the key sheet, the legend, and what this program is.
class HelpPart : public QObject {
    Q_OBJECT

  public:
    explicit HelpPart(MainWindow& window);

    /// `verdicts`, `window#lemmas`.
    HelpWindow* show(const QString& place);
    /// The place of the help that speaks of what has the focus.
    [[nodiscard]] QString placeOfFocus() const;
    void showKeys();
    void showAbout();

  private:
    MainWindow& m_window;
    QPointer<HelpWindow> m_help;
};

} // namespace lemmascope
