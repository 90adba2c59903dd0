#pragma once

#include <QAction>
#include <QPointer>
#include <QString>

#include <vector>

namespace lemmascope {

class MainWindow;

/// An entry of the menus.
struct ListedAction {
    QPointer<QAction> action; ///< null once it is gone: menus are filled anew
    QString title;            ///< `Zoom In`
    QString path;             ///< `View > Zoom`
    /// It is always there, so that keys can be given to it; a recent file is not.
    bool lasting = true;

    /// Names it in the settings.
    [[nodiscard]] QString id() const { return path + QStringLiteral(" > ") + title; }
};

/// Menu text without its accelerator and dots.
[[nodiscard]] QString plainTitle(const QString& menuText);
/// All acts of the window's menus, in the menus' order.
[[nodiscard]] std::vector<ListedAction> listedActions(const MainWindow& window);

} // namespace lemmascope
