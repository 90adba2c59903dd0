#pragma once

#include <QList>

class QAbstractItemView;
class QAction;
class QContextMenuEvent;
class QModelIndex;
class QString;

namespace lemmascope {

/// The cells of a row with tabs between and a line end.
[[nodiscard]] QString rowText(const QModelIndex& row);
/// A view's context menu: what it has of its own, and copying `text` of the rows selected.
void showRowMenu(QAbstractItemView* view, const QList<QAction*>& own, const QContextMenuEvent* event, const QString& text);

} // namespace lemmascope
