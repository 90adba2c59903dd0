#include "ui/panels/graph_table_panel.h"

#include "ui/views/node_query.h"

#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScopedValueRollback>
#include <QVBoxLayout>

#include <algorithm>

namespace lemmascope {

void GraphTableView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        Q_EMIT copyRequested();
        event->accept();
        return;
    }
    FactTableView::keyPressEvent(event);
}

void GraphTableView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addActions(actions());
    menu.exec(event->globalPos());
}

GraphTablePanel::GraphTablePanel(QWidget* parent) : QWidget(parent), m_model(new GraphTableModel(this)) {
    m_filter = new QLineEdit(this);
    m_filter->setObjectName(QStringLiteral("graphFilter"));
    m_filter->setAccessibleName(tr("Filter the graph table"));
    m_filter->setPlaceholderText(tr("Filter: words, op:softmax mark:failing side:rew …"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMaxLength(10'000);
    QString help;
    for (const auto& [name, what] : NodeQuery::fields()) {
        help += (help.isEmpty() ? QString() : QStringLiteral("\n")) + QStringLiteral("%1: %2").arg(name, what);
    }
    m_filter->setToolTip(help);
    m_answer = new QLabel(this);
    m_answer->setAccessibleName(tr("Rows shown"));
    m_answer->setTextFormat(Qt::PlainText);
    m_table = new GraphTableView(tr("Graph table"), this);
    m_table->setObjectName(QStringLiteral("graphTable"));
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setModel(m_model);
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setSortIndicatorClearable(true);
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->horizontalHeader()->setStretchLastSection(true);
    auto* top = new QHBoxLayout;
    top->addWidget(m_filter, 1);
    top->addWidget(m_answer);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(4, 4, 4, 4);
    all->addLayout(top);
    all->addWidget(m_table, 1);
    // The current row, once it is selected: a key selects it first, a mouse makes it current first, and a view that only gets the focus
    // makes its first row current without either, which nobody chose.
    const auto tell = [this] {
        const QModelIndex current = m_table->currentIndex();
        if (m_selecting || !current.isValid() || !m_table->selectionModel()->isRowSelected(current.row())) {
            return;
        }
        if (const auto place = m_model->placeOf(current.row()); place && *place != m_told) {
            m_told = *place;
            Q_EMIT placeChosen(*place);
        }
    };
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, tell);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, tell);
    // Again, when the reader has looked elsewhere meanwhile.
    connect(m_table, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        if (const auto place = m_model->placeOf(index.row())) {
            Q_EMIT placeChosen(*place);
        }
    });
}

void GraphTablePanel::setAnswer(const QString& text, bool wrong) {
    const QString shown = wrong ? QStringLiteral("\u2717 ") + text : text;
    m_answer->setText(m_answer->fontMetrics().elidedText(shown, Qt::ElideRight, std::max(width() / 2, 160)));
    m_answer->setToolTip(shown);
    m_answer->setAccessibleDescription(shown);
    m_filter->setAccessibleDescription(shown);
}

QString GraphTablePanel::answer() const { return m_answer->toolTip(); }

void GraphTablePanel::setRows(GraphRows rows, std::vector<std::uint32_t> order) {
    const QScopedValueRollback<bool> selecting(m_selecting, true);
    std::vector<int> widths;
    for (int column = 0; m_sized && column < m_model->columnCount(); ++column) {
        widths.push_back(m_table->columnWidth(column)); // as the reader left them
    }
    m_model->setRows(std::move(rows), std::move(order));
    for (std::size_t column = 0; column < widths.size(); ++column) {
        m_table->setColumnWidth(static_cast<int>(column), widths[column]);
    }
    m_sized = m_sized || m_model->rowCount() > 0;
}

void GraphTablePanel::select(const PlaceId& place) {
    const QScopedValueRollback<bool> selecting(m_selecting, true);
    m_told = place;
    const int row = m_model->rowOf(place);
    QItemSelectionModel* selection = m_table->selectionModel();
    if (row < 0) {
        selection->clear();
        return;
    }
    if (selection->currentIndex().row() != row || !selection->isRowSelected(row)) {
        const QModelIndex index = m_model->index(row, std::max(0, selection->currentIndex().column()));
        selection->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        m_table->scrollTo(index);
    }
}

std::vector<std::uint32_t> GraphTablePanel::chosenEntries() const {
    std::vector<int> rows;
    for (const QItemSelectionRange& range : m_table->selectionModel()->selection()) {
        for (int row = range.top(); row <= range.bottom(); ++row) {
            rows.push_back(row);
        }
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (rows.empty()) {
        return m_model->order();
    }
    std::vector<std::uint32_t> entries;
    entries.reserve(rows.size());
    for (const int row : rows) {
        entries.push_back(m_model->order()[static_cast<std::size_t>(row)]);
    }
    return entries;
}

} // namespace lemmascope
