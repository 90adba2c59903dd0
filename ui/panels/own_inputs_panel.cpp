#include "ui/panels/own_inputs_panel.h"

#include "core/report/side_by_side.h"
#include "ui/models/fact_table_model.h"
#include "ui/panels/long_text.h"
#include "ui/views/fact_table_view.h"
#include "ui/views/text.h"

#include <QItemSelectionModel>
#include <QLabel>
#include <QVBoxLayout>

namespace lemmascope {

OwnInputsPanel::OwnInputsPanel(QWidget* parent) : QWidget(parent) {
    m_sentence = new LongText(tr("Where the graphs part on your inputs"), 6, this);
    m_model = new FactTableModel(this);
    m_table = new FactTableView(tr("Values that differ on your inputs"), this);
    m_table->setObjectName(QStringLiteral("ownInputsTable"));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setModel(m_model);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(4, 4, 4, 4);
    all->addWidget(m_sentence);
    all->addWidget(m_table, 1);
    all->addStretch();
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        const auto row = static_cast<std::size_t>(current.row());
        if (!m_filling && current.isValid() && m_result && m_result->onInputs && row < m_result->onInputs->differences.size()) {
            Q_EMIT valuesChosen(m_result->onInputs->differences[row].reference, m_result->onInputs->differences[row].rewritten);
        }
    });
    setResult(nullptr);
}

void OwnInputsPanel::setResult(std::shared_ptr<const CheckResult> result) {
    m_filling = true;
    m_result = std::move(result);
    FactTable table;
    QString text = tr("No tensors of your own were tried. Lemmas, Try Inputs (Ctrl+I) runs both graphs on them and marks where they part.");
    if (m_result && m_result->onInputs) {
        // The words and rows of the command line's report: there is one account of it.
        const ReportSection section = sideBySideSection(*m_result, InputComparison::Kept);
        QStringList sentences;
        for (const std::string& paragraph : section.paragraphs) {
            sentences << toQString(paragraph);
        }
        text = sentences.join(u' ');
        table.headers = {tr("Difference"), tr("Reference"), tr("Rewritten"), tr("Element"), tr("Reference has"), tr("Rewritten has")};
        for (std::size_t i = 0; i < section.table.rows.size(); ++i) {
            QStringList cells;
            for (const std::string& cell : section.table.rows[i]) {
                cells << toQString(cell);
            }
            const bool first = m_result->onInputs->first == i;
            table.rows.push_back({cells, first, first ? tr("Here the two graphs part: what differs before is rounding.") : QString()});
        }
    }
    const bool any = !table.rows.empty();
    m_model->setTable(std::move(table));
    m_sentence->setText(text);
    m_table->setVisible(any);
    if (any && m_result->onInputs->first) {
        m_table->scrollTo(m_model->index(static_cast<int>(*m_result->onInputs->first), 0), QAbstractItemView::PositionAtCenter);
    }
    m_filling = false;
}

QString OwnInputsPanel::sentence() const { return m_sentence->text(); }

} // namespace lemmascope
