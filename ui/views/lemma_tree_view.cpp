#include "ui/views/lemma_tree_view.h"

#include "ui/views/row_text.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>

namespace lemmascope {

LemmaTreeView::LemmaTreeView(const QString& accessibleName, QWidget* parent) : QTreeView(parent) {
    setAccessibleName(accessibleName);
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setEditTriggers(NoEditTriggers);
    setUniformRowHeights(true); // thousands of rows
    setAllColumnsShowFocus(true);
    setTabKeyNavigation(false);
    setExpandsOnDoubleClick(true);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollMode(ScrollPerPixel);
    setIndentation(fontMetrics().averageCharWidth() * 2);
    header()->setAccessibleName(tr("Columns of: %1").arg(accessibleName));
    header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header()->setStretchLastSection(false);
    header()->setSectionsMovable(false);
    setTree(false);
}

void LemmaTreeView::setStretchedColumn(int column) { header()->setSectionResizeMode(column, QHeaderView::Stretch); }

void LemmaTreeView::setTree(bool tree) { setRootIsDecorated(tree); }

QString LemmaTreeView::selectedText() const {
    QString text;
    const QModelIndexList rows = selectionModel()->selectedRows();
    for (const QModelIndex& row : rows) {
        text += rowText(row);
    }
    for (int row = 0; rows.isEmpty() && row < model()->rowCount(); ++row) {
        const QModelIndex top = model()->index(row, 0);
        text += rowText(top);
        for (int below = 0; below < model()->rowCount(top); ++below) {
            text += rowText(model()->index(below, 0, top));
        }
    }
    return text;
}

void LemmaTreeView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        QGuiApplication::clipboard()->setText(selectedText());
        event->accept();
        return;
    }
    QTreeView::keyPressEvent(event);
}

void LemmaTreeView::contextMenuEvent(QContextMenuEvent* event) { showRowMenu(this, m_menuActions, event, selectedText()); }

} // namespace lemmascope
