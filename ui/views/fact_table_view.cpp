#include "ui/views/fact_table_view.h"

#include "ui/canvas/palette.h"
#include "ui/models/fact_table_model.h"
#include "ui/views/row_text.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QStyledItemDelegate>

#include <algorithm>

namespace lemmascope {

namespace {

class EmphasisDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.data(FactTableModel::EmphasisRole).typeId() == QMetaType::Bool && index.data(FactTableModel::EmphasisRole).toBool()) {
            const QPalette& palette = option->palette;
            option->backgroundBrush = blended(palette.color(QPalette::Text), palette.color(QPalette::Base), 0.14);
        }
    }
};

} // namespace

FactTableView::FactTableView(const QString& accessibleName, QWidget* parent) : QTableView(parent) {
    setAccessibleName(accessibleName);
    setItemDelegate(new EmphasisDelegate(this));
    setSelectionBehavior(SelectRows);
    setEditTriggers(NoEditTriggers);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollMode(ScrollPerPixel);
    setMinimumHeight(fontMetrics().height() * 2); // with its neighbours it must fit a small screen in large letters; it scrolls
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void FactTableView::setModel(QAbstractItemModel* newModel) {
    QTableView::setModel(newModel);
    connect(newModel, &QAbstractItemModel::modelReset, this, &FactTableView::applyStretch);
    applyStretch();
}

void FactTableView::setStretchedColumn(int column) {
    m_stretched = column;
    applyStretch();
}

void FactTableView::applyStretch() {
    if (model() == nullptr) {
        return;
    }
    // Columns fit what they hold but never push the others out of sight; a few rows are enough to judge by.
    horizontalHeader()->setResizeContentsPrecision(50);
    for (int column = 0; column < model()->columnCount(); ++column) {
        if (column == m_stretched) {
            horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
        } else {
            horizontalHeader()->setSectionResizeMode(column, QHeaderView::Interactive);
            const int wanted = std::max(sizeHintForColumn(column), horizontalHeader()->sectionSizeHint(column)) + 8;
            setColumnWidth(column, std::min(wanted, fontMetrics().averageCharWidth() * 36));
        }
    }
}

QString FactTableView::selectedText() const {
    QModelIndexList rows = selectionModel()->selectedRows();
    if (rows.isEmpty()) {
        for (int row = 0; row < model()->rowCount(); ++row) {
            rows << model()->index(row, 0);
        }
    }
    std::sort(rows.begin(), rows.end());
    QString text;
    for (const QModelIndex& row : rows) {
        text += rowText(row);
    }
    return text;
}

void FactTableView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        QGuiApplication::clipboard()->setText(selectedText());
        event->accept();
        return;
    }
    QTableView::keyPressEvent(event);
}

void FactTableView::contextMenuEvent(QContextMenuEvent* event) { showRowMenu(this, m_menuActions, event, selectedText()); }

} // namespace lemmascope
