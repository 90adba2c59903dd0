#include "ui/panels/inspector_panel.h"

#include "ui/models/fact_table_model.h"
#include "ui/panels/long_text.h"
#include "ui/views/fact_table_view.h"
#include "ui/views/inspector_facts.h"
#include "ui/views/text.h"
#include "ui/views/verdict_text.h"

#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

namespace lemmascope {

InspectorPanel::InspectorPanel(QWidget* parent) : QWidget(parent) {
    m_sentence = new LongText(tr("What is selected"), 6, this);
    m_sentence->label()->setMargin(4);
    m_sentence->label()->setFocusPolicy(Qt::StrongFocus); // so that keys reach the pane while its tables are empty
    m_lemma = new FactTableModel(this);
    m_lemmaView = new FactTableView(tr("Lemma"), this);
    m_lemmaView->setModel(m_lemma);
    m_lemmaView->setWordWrap(true);
    m_pair = new FactTableModel(this);
    m_pairView = new FactTableView(tr("Pair, side by side"), this);
    m_pairView->setModel(m_pair);
    m_pairView->setWordWrap(true);

    auto* tables = new QSplitter(Qt::Vertical, this);
    tables->setAccessibleName(tr("Inspector tables"));
    tables->addWidget(m_lemmaView);
    tables->addWidget(m_pairView);
    tables->setStretchFactor(0, 2);
    tables->setStretchFactor(1, 3);
    tables->setChildrenCollapsible(false);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(4, 4, 4, 4);
    all->addWidget(m_sentence);
    all->addWidget(tables, 1);
    connect(m_pairView, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        const auto row = static_cast<std::size_t>(index.row());
        if (index.isValid() && row < m_pair->table().rows.size()) {
            const FactRow& fact = m_pair->table().rows[row];
            if (fact.reference.isValid() || fact.rewritten.isValid()) {
                Q_EMIT valuesActivated(fact.reference, fact.rewritten);
            }
        }
    });
    clear();
}

void InspectorPanel::clear() {
    m_lemma->setTable({});
    m_pair->setTable({});
    present(tr("Nothing is selected. Click a node or a lemma to see both sides here."));
}

void InspectorPanel::showNodes(const GraphTree* reference, FlatNodeId referenceNode, const GraphTree* rewritten, FlatNodeId rewrittenNode,
                               const Correspondence* correspondence) {
    m_lemma->setTable({});
    m_pair->setTable(nodePairFacts(reference, referenceNode, rewritten, rewrittenNode));
    QStringList sentences;
    if (reference != nullptr && referenceNode.isValid()) {
        sentences << relationSentence(correspondence, *reference, referenceNode, Side::Reference);
    }
    if (rewritten != nullptr && rewrittenNode.isValid()) {
        sentences << relationSentence(correspondence, *rewritten, rewrittenNode, Side::Rewritten);
    }
    present(sentences.join(u'\n'));
}

void InspectorPanel::showValues(const GraphTree* reference, FlatValueId referenceValue, const GraphTree* rewritten, FlatValueId rewrittenValue) {
    m_lemma->setTable({});
    m_pair->setTable(valuePairFacts(reference, referenceValue, rewritten, rewrittenValue));
    present(rewrittenValue.isValid() && referenceValue.isValid() ? tr("A value and its partner.") : tr("A value without a known partner."));
}

void InspectorPanel::showLemma(const CheckResult& result, std::size_t lemma) {
    const LemmaResult& entry = result.lemmas[lemma];
    m_lemma->setTable(lemmaFacts(result, lemma));
    const auto nearest = [](const std::vector<FlatNodeId>& nodes) { return nodes.empty() ? FlatNodeId{} : nodes.front(); };
    m_pair->setTable(nodePairFacts(result.reference.get(), nearest(entry.referenceNodes), result.rewritten.get(), nearest(entry.rewrittenNodes)));
    present(tr("%1 %2: %3").arg(toQString(entry.id), word(entry.verdict), entry.reason.empty() ? toQString(entry.title) : toQString(entry.reason)));
}

QString InspectorPanel::text() const { return m_sentence->text() + u'\n' + toPlainText(m_lemma->table()) + u'\n' + toPlainText(m_pair->table()); }

void InspectorPanel::present(const QString& sentence) {
    m_sentence->setText(sentence);
    m_lemmaView->setVisible(m_lemma->rowCount() > 0);
    m_pairView->setVisible(m_pair->rowCount() > 0);
    m_lemmaView->setStretchedColumn(1);
    m_pairView->setStretchedColumn(2);
    m_lemmaView->resizeRowsToContents();
    m_pairView->resizeRowsToContents();
}

} // namespace lemmascope
