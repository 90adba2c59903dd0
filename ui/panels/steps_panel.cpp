#include "ui/panels/steps_panel.h"

#include "ui/jobs/step_checks.h"
#include "ui/models/step_model.h"
#include "ui/views/fact_table_view.h"
#include "ui/views/text.h"

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace lemmascope {

StepsPanel::StepsPanel(StepChecks* checks, QWidget* parent) : QWidget(parent), m_checks(checks) {
    m_model = new StepModel(checks, this);
    m_summary = new QLabel(this);
    m_summary->setObjectName(QStringLiteral("stepsSummary"));
    m_summary->setAccessibleName(tr("First step that is not proved"));
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setWordWrap(true);
    m_table = new FactTableView(tr("Steps"), this);
    m_table->setObjectName(QStringLiteral("stepTable"));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setModel(m_model);
    m_table->setStretchedColumn(StepModel::GraphColumn);
    m_table->setColumnHidden(StepModel::LineColumn, true); // the banner says it in full, the tool tip at once
    m_table->setMinimumHeight(fontMetrics().height() * 2); // panes of other parts stand in the same column
    m_table->horizontalHeader()->setMinimumSectionSize(30);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(4, 2, 4, 2);
    all->setSpacing(2);
    all->addWidget(m_summary);
    all->addWidget(m_table, 1);

    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        const auto step = selected();
        if (!m_selecting && step) {
            Q_EMIT stepChosen(*step);
        }
    });
    connect(m_table, &QAbstractItemView::activated, this,
            [this](const QModelIndex& index) { Q_EMIT stepChosen(static_cast<std::size_t>(index.row())); });
    connect(checks, &StepChecks::opened, this, [this] {
        const int character = fontMetrics().averageCharWidth();
        m_table->setColumnWidth(StepModel::VerdictColumn, character * 14);
        m_table->setColumnWidth(StepModel::StepColumn, character * 6);
        updateSummary();
    });
    connect(checks, &StepChecks::stepChanged, this, &StepsPanel::updateSummary);
    updateSummary();
}

void StepsPanel::select(std::optional<std::size_t> step) {
    m_selecting = true;
    if (step && static_cast<int>(*step) < m_model->rowCount()) {
        const QModelIndex index = m_model->index(static_cast<int>(*step), 0);
        m_table->setCurrentIndex(index);
        m_table->selectRow(index.row());
        m_table->scrollTo(index);
    } else {
        m_table->clearSelection();
    }
    m_selecting = false;
}

std::optional<std::size_t> StepsPanel::selected() const {
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    return rows.isEmpty() ? std::nullopt : std::optional(static_cast<std::size_t>(rows.front().row()));
}

void StepsPanel::setWanted(Strength wanted) { m_model->setWanted(wanted); }

QString StepsPanel::summary() const { return m_summary->text(); }

void StepsPanel::updateSummary() {
    const std::vector<StepState>& steps = m_checks->steps();
    const auto in = [&](StepState::Stage stage) {
        return static_cast<std::size_t>(std::count_if(steps.begin(), steps.end(), [stage](const StepState& state) { return state.stage == stage; }));
    };
    const std::size_t open = in(StepState::Stage::Waiting) + in(StepState::Stage::Running);
    if (steps.empty()) {
        m_summary->setText(tr("No steps are open: File, Open Steps."));
    } else if (const auto first = m_checks->firstNotProved()) {
        const StepState& state = steps[*first];
        m_summary->setText(
            tr("First not proved: step %1 of %2, %3").arg(*first + 1).arg(steps.size()).arg(pathText(state.step.rewritten.filename())));
    } else if (open > 0) {
        m_summary->setText(tr("%1 of %2 steps to check").arg(open).arg(steps.size()));
    } else if (in(StepState::Stage::Stopped) > 0) {
        m_summary->setText(tr("Stopped: %1 of %2 steps have a verdict").arg(in(StepState::Stage::Decided)).arg(steps.size()));
    } else {
        m_summary->setText(tr("All %1 steps are proved").arg(steps.size()));
    }
}

} // namespace lemmascope
