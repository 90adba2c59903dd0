#include "ui/panels/jobs_panel.h"

#include "ui/jobs/job_list_model.h"
#include "ui/views/fact_table_view.h"

#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QPushButton>
#include <QVBoxLayout>

namespace lemmascope {

JobsPanel::JobsPanel(JobListModel* jobs, QWidget* parent) : QWidget(parent), m_jobs(jobs) {
    m_table = new FactTableView(tr("Jobs"), this);
    m_table->setModel(jobs);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setStretchedColumn(JobListModel::PhaseColumn);
    m_table->setColumnWidth(JobListModel::NameColumn, fontMetrics().averageCharWidth() * 36);
    m_stop = new QPushButton(tr("&Stop job"), this);
    m_stop->setAccessibleName(tr("Stop the selected job"));
    m_stopAll = new QPushButton(tr("Stop &all"), this);
    m_stopAll->setAccessibleName(tr("Stop all jobs"));
    auto* buttons = new QVBoxLayout;
    buttons->addWidget(m_stop);
    buttons->addWidget(m_stopAll);
    buttons->addStretch();
    auto* all = new QHBoxLayout(this);
    all->setContentsMargins(4, 4, 4, 4);
    all->addWidget(m_table, 1);
    all->addLayout(buttons);
    connect(m_stop, &QPushButton::clicked, this, [this] { m_jobs->stop(m_table->currentIndex().row()); });
    connect(m_stopAll, &QPushButton::clicked, m_jobs, &JobListModel::stopAll);
    connect(m_jobs, &JobListModel::runningCountChanged, this, &JobsPanel::updateButtons);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &JobsPanel::updateButtons);
    updateButtons();
}

void JobsPanel::updateButtons() {
    const QModelIndex current = m_table->currentIndex();
    m_stop->setEnabled(current.isValid() && current.data(JobListModel::StateRole).toInt() == static_cast<int>(JobState::Running));
    m_stopAll->setEnabled(m_jobs->runningCount() > 0);
}

} // namespace lemmascope
