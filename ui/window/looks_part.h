#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QStringList>

class QAction;
class QActionGroup;
class QDockWidget;
class QMenu;

namespace lemmascope {

class MainWindow;
class ViewHistoryPart;

/// How the window looks: colours (of the desktop, light, dark, high contrast, monochrome), the size of the font, and the arrangement of
/// the docks (three built-in ones, those that the reader keeps, one dock maximised). All is kept in the settings.
class LooksPart : public QObject {
    Q_OBJECT

  public:
    static constexpr int LargestFontChange = 24; ///< points

    /// After the parts that add docks.
    LooksPart(MainWindow& window, ViewHistoryPart& history);

    /// `desktop`, `light`, `dark`, `contrast`, `mono`.
    void setTheme(const QString& name);
    [[nodiscard]] QString theme() const { return m_theme; }
    /// Points more (or fewer) than the desktop's font.
    void setFontChange(int points);
    [[nodiscard]] int fontChange() const { return m_fontChange; }
    /// `debug`, `review`, `present`, or the name of one that was kept.
    void applyLayout(const QString& name);
    void keepLayout(const QString& name);
    void forgetLayout(const QString& name);
    [[nodiscard]] QStringList ownLayouts() const;
    /// The dock alone fills the window; again, and all is as before.
    void toggleMaximised(QDockWidget* dock);
    [[nodiscard]] bool isMaximised() const { return !m_beforeMaximised.isEmpty(); }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void buildThemes(QMenu* view);
    void buildFont(QMenu* view);
    void buildLayouts(QMenu* view);
    void refreshOwnLayouts();
    void askForName();
    void applyTheme(const QString& name);

    MainWindow& m_window;
    ViewHistoryPart& m_history;
    QActionGroup* m_themes;
    QMenu* m_layouts = nullptr;
    QMenu* m_forget = nullptr;
    QAction* m_ownPlace = nullptr; ///< own layouts stand before it
    QString m_theme = QStringLiteral("desktop");
    int m_fontChange = 0;
    double m_fontSize = 0.0;  ///< the desktop's, in points
    QByteArray m_arrangement; ///< of the docks as they were made
    QByteArray m_beforeMaximised;
};

} // namespace lemmascope
