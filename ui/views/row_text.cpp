#include "ui/views/row_text.h"

#include <QAbstractItemView>
#include <QAction>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QMenu>

namespace lemmascope {

QString rowText(const QModelIndex& row) {
    QStringList cells;
    for (int column = 0; column < row.model()->columnCount(row.parent()); ++column) {
        cells << row.siblingAtColumn(column).data().toString();
    }
    return cells.join(u'\t') + u'\n';
}

void showRowMenu(QAbstractItemView* view, const QList<QAction*>& own, const QContextMenuEvent* event, const QString& text) {
    QMenu menu(view);
    menu.addActions(own);
    if (!own.isEmpty()) {
        menu.addSeparator();
    }
    QAction* copy = menu.addAction(QCoreApplication::translate("RowMenu", "Copy rows as text"));
    copy->setShortcut(QKeySequence::Copy);
    if (menu.exec(event->globalPos()) == copy) {
        QGuiApplication::clipboard()->setText(text);
    }
}

} // namespace lemmascope
