#pragma once

#include <QWidget>

class QPushButton;

namespace lemmascope {

class FactTableView;
class JobListModel;

/// What runs in the background, and what ran: stop one or all.
class JobsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit JobsPanel(JobListModel* jobs, QWidget* parent = nullptr);

  private:
    void updateButtons();

    JobListModel* m_jobs;
    FactTableView* m_table;
    QPushButton* m_stop;
    QPushButton* m_stopAll;
};

} // namespace lemmascope
