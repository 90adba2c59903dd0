#include "ui/panels/outline_view.h"

#include "ui/models/outline_model.h"
#include "ui/views/row_text.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QStyledItemDelegate>

#include <utility>

namespace lemmascope {

namespace {

/// Draws the frame of check boxes in the colour of the text: styles make it of the window's, which a dark theme hides.
class BoxDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const override {
        QStyledItemDelegate::paint(painter, given, index);
        QStyleOptionViewItem option = given;
        initStyleOption(&option, index);
        if ((option.features & QStyleOptionViewItem::HasCheckIndicator) == 0 || option.widget == nullptr) {
            return;
        }
        const QRect box = option.widget->style()->subElementRect(QStyle::SE_ItemViewItemCheckIndicator, &option, option.widget);
        const bool selected = (option.state & QStyle::State_Selected) != 0;
        painter->save();
        painter->setPen(option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(box.adjusted(1, 1, -2, -2));
        painter->restore();
    }
};

} // namespace

OutlineView::OutlineView(const QString& accessibleName, QStringList headers, QStringList tips, QWidget* parent)
    : LemmaTreeView(accessibleName, parent), m_model(new OutlineModel(this)) {
    m_model->setHeaders(std::move(headers), std::move(tips));
    setModel(m_model);
    setItemDelegate(new BoxDelegate(this));
    setTree(true);
    setExpandsOnDoubleClick(false);
    header()->setStretchLastSection(true);
    header()->setMinimumSectionSize(30);
    const auto toggled = [this](const QModelIndex& index, bool open) {
        const OutlineRow& row = m_model->rows()[m_model->rowAt(index)];
        if (m_setting || row.key.isEmpty()) {
            return;
        }
        if (open == row.open) {
            m_toggled.remove(row.key);
        } else {
            m_toggled.insert(row.key);
        }
    };
    connect(this, &QTreeView::expanded, this, [this, toggled](const QModelIndex& index) {
        spanBelow(index);
        toggled(index, true);
    });
    connect(this, &QTreeView::collapsed, this, [toggled](const QModelIndex& index) { toggled(index, false); });
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        if (!m_setting && current.isValid()) {
            m_told = true;
            Q_EMIT rowChosen(m_model->rowAt(current));
        }
    });
    connect(this, &QAbstractItemView::clicked, this, [this](const QModelIndex& index) {
        if (!std::exchange(m_told, false)) {
            Q_EMIT rowChosen(m_model->rowAt(index)); // again: the reader may have looked elsewhere meanwhile
        }
    });
    connect(this, &QAbstractItemView::activated, this, [this](const QModelIndex& index) { Q_EMIT rowActivated(m_model->rowAt(index)); });
}

void OutlineView::setRows(OutlineRows rows) {
    const QScopedValueRollback<bool> setting(m_setting, true);
    const OutlineRow* was = current();
    const QString key = was == nullptr ? QString() : was->key;
    m_model->setRows(std::move(rows));
    const OutlineRows& now = m_model->rows();
    spanBelow({});
    for (std::size_t i = 0; i < now.size(); ++i) {
        const bool parent = i + 1 < now.size() && now[i + 1].depth > now[i].depth;
        if (parent && now[i].open != (!now[i].key.isEmpty() && m_toggled.contains(now[i].key))) {
            expand(m_model->indexOf(i));
        }
        if (!key.isEmpty() && now[i].key == key) {
            setCurrentIndex(m_model->indexOf(i));
        }
    }
}

void OutlineView::spanBelow(const QModelIndex& parent) {
    for (int row = 0; row < m_model->rowCount(parent); ++row) {
        if (m_model->rows()[m_model->rowAt(m_model->index(row, 0, parent))].cells.size() == 1) {
            setFirstColumnSpanned(row, parent, true);
        }
    }
}

const OutlineRow* OutlineView::current() const {
    const QModelIndex index = currentIndex();
    return index.isValid() ? &m_model->rows()[m_model->rowAt(index)] : nullptr;
}

void OutlineView::choose(std::size_t row) {
    const QModelIndex index = m_model->indexOf(row);
    if (index == currentIndex()) {
        Q_EMIT rowChosen(row);
        return;
    }
    setCurrentIndex(index);
    scrollTo(index);
}

QString OutlineView::text() const {
    const QModelIndexList selected = selectionModel()->selectedRows();
    return outlineText(m_model->rows(), selected.isEmpty() ? std::nullopt : std::optional(m_model->rowAt(selected.front())));
}

void OutlineView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        QGuiApplication::clipboard()->setText(text());
        event->accept();
        return;
    }
    LemmaTreeView::keyPressEvent(event);
}

void OutlineView::contextMenuEvent(QContextMenuEvent* event) { showRowMenu(this, actions(), event, text()); }

} // namespace lemmascope
