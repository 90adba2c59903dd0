#include "ui/window/graph_table_part.h"

#include "ui/panels/find_bar.h"
#include "ui/panels/graph_table_panel.h"
#include "ui/views/text.h"
#include "ui/window/find_part.h"
#include "ui/window/main_window.h"
#include "ui/window/places_part.h"

#include <QAction>
#include <QClipboard>
#include <QDockWidget>
#include <QGuiApplication>
#include <QLineEdit>
#include <QStatusBar>

namespace lemmascope {

namespace {

constexpr std::size_t ArrangedAtOnce = 4'000; ///< rows
constexpr std::size_t CopiedAtOnce = 500;

} // namespace

GraphTablePart::GraphTablePart(MainWindow& window, PlacesPart& places, FindPart& find)
    : QObject(&window), m_window(window), m_places(places), m_panel(new GraphTablePanel(&window)),
      m_arrange(tr("Arrange the graph table"), window.jobs(), this), m_copy(tr("Copy rows"), window.jobs(), this) {
    m_dock = window.addPartDock(tr("Graph table"), QStringLiteral("graphTableDock"), m_panel, Qt::BottomDockWidgetArea,
                                window.dock(MainWindow::Dock::Counterexample), true);
    for (const auto& [text, how] : {std::pair{tr("Copy Rows as &Text"), Copy::Text}, std::pair{tr("Copy Rows as &Markdown"), Copy::Markdown},
                                    std::pair{tr("Copy Rows Separated by &Tabs"), Copy::TabSeparated}}) {
        auto* action = new QAction(text, m_panel);
        connect(action, &QAction::triggered, this, [this, wanted = how] { copy(wanted); });
        m_panel->table()->addAction(action);
    }
    connect(m_panel->table(), &GraphTableView::copyRequested, this, [this] { copy(Copy::TabSeparated); });
    connect(m_panel->filter(), &QLineEdit::textChanged, this, [this](const QString& text) {
        m_trouble.clear();
        if (auto query = NodeQuery::parse(text)) {
            m_query = std::move(*query);
        } else {
            m_trouble = toQString(query.error().message); // the rows stay as they were
            m_panel->setAnswer(m_trouble, true);
            return;
        }
        refresh();
    });
    connect(m_panel->model(), &GraphTableModel::sortRequested, this, [this](int column, bool descending) {
        m_column = column;
        m_descending = descending;
        refresh();
    });
    connect(m_panel, &GraphTablePanel::placeChosen, this, [this](const PlaceId& place) { m_places.goTo(place); });
    connect(&window, &MainWindow::selectionChanged, this, [this] { m_panel->select(m_places.selected()); });
    connect(&places, &PlacesPart::indexChanged, this, &GraphTablePart::refresh);
    connect(window.session(), &PairSession::correspondenceChanged, this, &GraphTablePart::refresh);
    connect(window.session(), &PairSession::stateChanged, this, &GraphTablePart::refresh);
    connect(m_dock, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (visible && m_old) {
            refresh();
        }
    });
    auto* list = new QAction(tr("&List"), this);
    list->setToolTip(tr("Show the hits in the graph table"));
    connect(list, &QAction::triggered, this, [this, &find] { show(find.bar()->text()); });
    find.bar()->addAction(list);
}

void GraphTablePart::show(const QString& query) {
    m_panel->filter()->setText(query);
    m_window.showDock(m_dock, false);
    m_panel->table()->setFocus(Qt::OtherFocusReason);
}

bool GraphTablePart::isSeen() const { return m_dock->isVisible() && !m_dock->visibleRegion().isEmpty(); }

void GraphTablePart::refresh() {
    m_old = true;
    if (!isSeen()) {
        m_arrange.stop();
        return; // once it is looked at
    }
    m_old = false;
    GraphRows rows{m_places.index(), m_window.session()->correspondence(), m_window.session()->session().result};
    if (rows.index == nullptr || rows.index->count() <= ArrangedAtOnce) {
        m_arrange.stop();
        std::vector<std::uint32_t> order = rows.arranged(m_query, m_column, m_descending);
        take(std::move(rows), std::move(order));
        return;
    }
    using Order = std::vector<std::uint32_t>;
    m_arrange.start<Order>([rows, query = m_query, column = m_column, descending = m_descending](
                               const JobContext& context) -> Result<Order> { return rows.arranged(query, column, descending, context.stop); },
                           [this, rows](Result<Order> order) {
                               if (order) {
                                   take(rows, std::move(*order));
                               }
                           });
}

void GraphTablePart::take(GraphRows rows, std::vector<std::uint32_t> order) {
    const std::size_t all = rows.index ? rows.index->count() : 0;
    const std::size_t shown = order.size();
    m_panel->setRows(std::move(rows), std::move(order));
    m_panel->select(m_places.selected());
    if (m_trouble.isEmpty()) {
        m_panel->setAnswer(shown == all ? tr("rows: %1").arg(all) : tr("%1 of %2 rows").arg(shown).arg(all), false);
    }
}

void GraphTablePart::copy(Copy how) {
    const GraphRows rows = m_panel->model()->rows();
    const std::vector<std::uint32_t> entries = m_panel->chosenEntries();
    if (rows.index == nullptr || entries.empty()) {
        return;
    }
    const auto text = [rows, entries, how](std::stop_token stop) {
        switch (how) {
        case Copy::Text: return rows.plainText(entries, stop);
        case Copy::Markdown: return rows.markdown(entries, stop);
        case Copy::TabSeparated: break;
        }
        return rows.tabSeparated(entries, stop);
    };
    const auto put = [this, count = entries.size()](const QString& made) {
        QGuiApplication::clipboard()->setText(made);
        m_window.statusBar()->showMessage(tr("%n row(s) copied", nullptr, static_cast<int>(count)), 5'000);
    };
    if (entries.size() <= CopiedAtOnce) {
        put(text({}));
        return;
    }
    m_copy.start<QString>([text](const JobContext& context) -> Result<QString> { return text(context.stop); },
                          [put](Result<QString> made) {
                              if (made) {
                                  put(*made);
                              }
                          });
}

} // namespace lemmascope
