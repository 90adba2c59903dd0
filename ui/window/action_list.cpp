#include "ui/window/action_list.h"

#include "ui/window/main_window.h"

#include <QAction>
#include <QMenu>

#include <algorithm>

namespace lemmascope {

QString plainTitle(const QString& menuText) {
    QString title = menuText;
    title.replace(QStringLiteral("&&"), QStringLiteral("\x01"));
    title.remove(u'&').remove(QStringLiteral("…"));
    return title.replace(QStringLiteral("\x01"), QStringLiteral("&"));
}

std::vector<ListedAction> listedActions(const MainWindow& window) {
    std::vector<ListedAction> listed;
    struct Open {
        const QMenu* menu;
        QString path;
        qsizetype next = 0;
    };
    for (std::size_t i = 0; i < MainWindow::MenuCount; ++i) {
        const QMenu* menu = window.menu(static_cast<MainWindow::Menu>(i));
        if (menu == nullptr) {
            continue;
        }
        std::vector<Open> stack{{menu, plainTitle(menu->title())}};
        while (!stack.empty()) {
            const QList<QAction*> actions = stack.back().menu->actions();
            if (stack.back().next >= actions.size()) {
                stack.pop_back();
                continue;
            }
            QAction* action = actions[stack.back().next++];
            const QString path = stack.back().path;
            if (action->menu() != nullptr) {
                stack.push_back({action->menu(), path + QStringLiteral(" > ") + plainTitle(action->text())});
            } else if (!action->isSeparator() && !action->text().isEmpty()) {
                listed.push_back({action, plainTitle(action->text()), path, action->parent() == &window});
            }
        }
    }
    return listed;
}

} // namespace lemmascope
