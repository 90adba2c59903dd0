#pragma once

#include "ui/jobs/program_session.h"

#include <QByteArray>
#include <QObject>

class QDockWidget;

namespace lemmascope {

class MainWindow;
class OutputMapPanel;
class ProgramPage;
class SchedulePanel;
class VerdictBanner;

/// MLIR programs in the window: both texts in the middle, the docks Output map and Schedule, and what the menus do with them.
class ProgramPart : public QObject {
    Q_OBJECT

  public:
    explicit ProgramPart(MainWindow& window);

    [[nodiscard]] ProgramSession* session() const { return m_session; }
    [[nodiscard]] ProgramPage* page() const { return m_page; }
    [[nodiscard]] OutputMapPanel* maps() const { return m_maps; }
    [[nodiscard]] SchedulePanel* schedule() const { return m_schedule; }
    [[nodiscard]] QDockWidget* mapDock() const { return m_mapDock; }
    [[nodiscard]] QDockWidget* scheduleDock() const { return m_scheduleDock; }

    void refreshBanner(VerdictBanner& banner);
    void want(Strength strength);
    /// There is a cell that differs, or a fault, race or deadlock.
    [[nodiscard]] bool hasFailing() const;
    void goToFirst();              ///< to what decides the verdict
    void goToNext(bool backwards); ///< the next differing cell
    void arrange();                ///< the docks, as they were left or as first laid out
    void keepLayout();
    void save();
    void saveAs();
    void saveTo(const QString& file);

  private:
    void decided();
    void refreshSettings();

    MainWindow& m_window;
    ProgramSession* m_session;
    ProgramPage* m_page;
    OutputMapPanel* m_maps;
    SchedulePanel* m_schedule;
    QDockWidget* m_mapDock;
    QDockWidget* m_scheduleDock;
    JobProgress m_progress;
    QString m_loading;
    QString m_file; ///< of the session; empty: none yet
    QByteArray m_layout;
    std::shared_ptr<const ComparedPrograms> m_shown;
};

} // namespace lemmascope
