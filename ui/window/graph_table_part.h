#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/views/graph_rows.h"

#include <QObject>

class QDockWidget;

namespace lemmascope {

class FindPart;
class GraphTablePanel;
class MainWindow;
class PlacesPart;

/// The graph table dock: every node of both graphs as a row, filtered by queries, sorted by any column, its selection that of the
/// canvases. Large tables are arranged and copied in the background.
class GraphTablePart : public QObject {
    Q_OBJECT

  public:
    GraphTablePart(MainWindow& window, PlacesPart& places, FindPart& find);

    [[nodiscard]] GraphTablePanel* panel() const { return m_panel; }
    [[nodiscard]] QDockWidget* dock() const { return m_dock; }
    [[nodiscard]] bool isIdle() const { return !m_arrange.isRunning() && !m_copy.isRunning(); }
    void show(const QString& query);

  private:
    enum class Copy { Text, Markdown, TabSeparated };
    void refresh();
    void copy(Copy how);
    void take(GraphRows rows, std::vector<std::uint32_t> order);
    [[nodiscard]] bool isSeen() const;

    MainWindow& m_window;
    PlacesPart& m_places;
    GraphTablePanel* m_panel;
    QDockWidget* m_dock;
    NodeQuery m_query;
    QString m_trouble;
    int m_column = -1;
    bool m_descending = false;
    bool m_old = true; ///< something has changed since it was filled
    LatestJob m_arrange;
    LatestJob m_copy;
};

} // namespace lemmascope
