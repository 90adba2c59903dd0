#include "ui/panels/counterexample_panel.h"

#include "ui/models/fact_table_model.h"
#include "ui/panels/long_text.h"
#include "ui/views/counterexample_facts.h"
#include "ui/views/fact_table_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace lemmascope {

namespace {

void showEmphasised(FactTableView* view, const FactTable& table) {
    const auto first = std::find_if(table.rows.begin(), table.rows.end(), [](const FactRow& row) { return row.emphasised; });
    if (first != table.rows.end()) {
        view->scrollTo(view->model()->index(static_cast<int>(first - table.rows.begin()), 0), QAbstractItemView::PositionAtCenter);
    }
}

} // namespace

CounterexamplePanel::CounterexamplePanel(QWidget* parent) : QWidget(parent) {
    m_sentence = new LongText(tr("Counterexample in words"), 6, this);
    const auto button = [this](const QString& text, const QString& tip) {
        auto* made = new QPushButton(text, this);
        made->setToolTip(tip);
        made->setAccessibleName(tip);
        return made;
    };
    m_copyText = button(tr("Copy as &text"), tr("Copy the counterexample as text"));
    m_copyMarkdown = button(tr("Copy as &Markdown"), tr("Copy the counterexample as Markdown"));

    m_tables = new QSplitter(Qt::Horizontal, this);
    m_tables->setAccessibleName(tr("Counterexample tables"));
    const auto table = [this](const QString& title, FactTableModel*& model, FactTableView*& view) {
        auto* column = new QWidget(m_tables);
        auto* layout = new QVBoxLayout(column);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(2);
        auto* heading = new QLabel(title, column);
        heading->setAccessibleName(title);
        model = new FactTableModel(this);
        view = new FactTableView(title, column);
        view->setModel(model);
        heading->setBuddy(view);
        layout->addWidget(heading);
        layout->addWidget(view, 1);
        column->setAccessibleName(title);
        static_cast<QSplitter*>(m_tables)->addWidget(column);
    };
    table(tr("Inputs"), m_inputs, m_inputsView);
    table(tr("Both outputs"), m_outputs, m_outputsView);
    table(tr("Values on the way"), m_path, m_pathView);
    m_pathView->setObjectName(QStringLiteral("pathTable"));
    m_pathView->setSelectionMode(QAbstractItemView::SingleSelection);
    static_cast<QSplitter*>(m_tables)->setSizes({280, 380, 440});

    auto* top = new QHBoxLayout;
    top->addWidget(m_sentence, 1);
    top->addWidget(m_copyText);
    top->addWidget(m_copyMarkdown);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(4, 4, 4, 4);
    all->addLayout(top);
    all->addWidget(m_tables, 1);
    all->addStretch();

    connect(m_copyText, &QPushButton::clicked, this, &CounterexamplePanel::copyAsText);
    connect(m_copyMarkdown, &QPushButton::clicked, this, &CounterexamplePanel::copyAsMarkdown);
    connect(m_pathView->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        if (m_filling || !current.isValid() || !m_result || !m_result->counterexample) {
            return;
        }
        const auto& path = m_result->counterexample->path;
        const auto row = static_cast<std::size_t>(current.row());
        if (row < path.size()) {
            Q_EMIT valuesChosen(path[row].first, path[row].second);
        }
    });
    setResult(nullptr, tr("No counterexample: nothing has been checked yet."));
}

void CounterexamplePanel::setResult(std::shared_ptr<const CheckResult> result, const QString& emptyText) {
    m_filling = true;
    m_result = std::move(result);
    const bool any = m_result && m_result->counterexample;
    m_inputs->setTable(any ? inputFacts(*m_result->counterexample) : FactTable{});
    m_outputs->setTable(any ? outputFacts(*m_result) : FactTable{});
    m_path->setTable(any ? pathFacts(*m_result) : FactTable{});
    m_sentence->setText(any ? counterexampleSentence(*m_result) : emptyText);
    m_tables->setVisible(any);
    m_copyText->setVisible(any);
    m_copyMarkdown->setVisible(any);
    showEmphasised(m_outputsView, m_outputs->table());
    showEmphasised(m_pathView, m_path->table());
    m_filling = false;
}

QString CounterexamplePanel::text() const { return m_result && m_result->counterexample ? counterexampleText(*m_result) : m_sentence->text(); }

void CounterexamplePanel::copyAsText() const { QGuiApplication::clipboard()->setText(text()); }

void CounterexamplePanel::copyAsMarkdown() const {
    if (m_result) {
        QGuiApplication::clipboard()->setText(counterexampleMarkdown(*m_result));
    }
}

bool CounterexamplePanel::step(int by) {
    const int rows = m_path->rowCount();
    if (rows == 0) {
        return false;
    }
    const QModelIndex current = m_pathView->currentIndex();
    const int row = current.isValid() ? std::clamp(current.row() + by, 0, rows - 1) : (by > 0 ? 0 : rows - 1);
    m_pathView->setCurrentIndex(m_path->index(row, 0));
    return true;
}

} // namespace lemmascope
