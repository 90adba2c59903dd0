#pragma once

#include "core/worker/worker_loss.h"
#include "ui/jobs/latest_job.h"

#include <QObject>

#include <deque>

class QAction;

namespace lemmascope {

class MainWindow;

/// Worker processes that end before they answer: a row in Messages that says what was lost and what happens now, and Help > Save Crash
/// Bundle…, which keeps what they were asked, how they ended, versions and options in a folder.
class WorkerLossPart : public QObject {
    Q_OBJECT

  public:
    static constexpr std::size_t Kept = 10; ///< the latest

    explicit WorkerLossPart(MainWindow* window);

    [[nodiscard]] const std::deque<WorkerLoss>& losses() const { return m_losses; }
    void saveBundle(const QString& folder);

  private:
    void take(const WorkerLoss& loss);
    void askForFolder();

    MainWindow* m_window;
    QAction* m_save;
    std::deque<WorkerLoss> m_losses;
    LatestJob m_job;
};

} // namespace lemmascope
