#include "ui/panels/lemma_panel.h"

#include "ui/models/lemma_model.h"
#include "ui/panels/long_text.h"
#include "ui/views/fact_table_view.h"
#include "ui/views/text.h"
#include "ui/views/verdict_text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>
#include <vector>

namespace lemmascope {

LemmaPanel::LemmaPanel(QWidget* parent) : QWidget(parent) {
    m_model = new LemmaModel(this);
    m_shown = new LemmaFilterModel(this);
    m_shown->setSourceModel(m_model);

    m_filter = new QLineEdit(this);
    m_filter->setObjectName(QStringLiteral("lemmaFilter"));
    m_filter->setPlaceholderText(tr("Filter by words"));
    m_filter->setAccessibleName(tr("Filter lemmas"));
    m_filter->setClearButtonEnabled(true);
    m_verdicts = new QComboBox(this);
    m_verdicts->setObjectName(QStringLiteral("lemmaVerdicts"));
    m_verdicts->setAccessibleName(tr("Show lemmas with verdict"));
    m_verdicts->addItem(tr("all"), -1);
    for (const LemmaVerdict verdict : {LemmaVerdict::Fails, LemmaVerdict::Undecided, LemmaVerdict::Vacuous, LemmaVerdict::Holds}) {
        m_verdicts->addItem(glyph(verdict) + u' ' + word(verdict), static_cast<int>(verdict));
    }
    m_fold = new QCheckBox(tr("Fold proved"), this);
    m_fold->setToolTip(tr("Hide lemmas that hold (!)"));
    m_fold->setAccessibleName(tr("Fold proved lemmas"));

    m_table = new FactTableView(tr("Lemmas"), this);
    m_table->setObjectName(QStringLiteral("lemmaTable"));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setModel(m_shown);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(LemmaModel::StatusColumn, Qt::AscendingOrder);
    m_table->setStretchedColumn(LemmaModel::TitleColumn);
    m_table->horizontalHeader()->setMinimumSectionSize(30);
    m_empty = new LongText(tr("Why no lemmas are listed"), 20, this);
    m_empty->label()->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_empty->label()->setMargin(6);
    m_summary = new QLabel(this);
    m_summary->setAccessibleName(tr("Lemmas shown"));
    m_summary->setWordWrap(true);

    auto* filters = new QHBoxLayout;
    filters->addWidget(m_filter, 1);
    filters->addWidget(m_verdicts);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(4, 4, 4, 4);
    all->addLayout(filters);
    all->addWidget(m_fold);
    all->addWidget(m_table, 1);
    all->addWidget(m_empty, 1);
    all->addWidget(m_summary);
    m_accepted = new QLabel(this);
    m_accepted->setObjectName(QStringLiteral("acceptedLemmas"));
    m_accepted->setAccessibleName(tr("Accepted differences"));
    m_accepted->setTextFormat(Qt::RichText);
    m_accepted->setWordWrap(true);
    m_accepted->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_accepted->setOpenExternalLinks(false);
    m_accepted->hide();
    all->addWidget(m_accepted);
    connect(m_accepted, &QLabel::linkActivated, this, [this](const QString& link) { Q_EMIT takeBackRequested(link.toULongLong()); });

    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_shown->setText(text);
        updateSummary();
    });
    connect(m_verdicts, &QComboBox::currentIndexChanged, this, [this] {
        const int wanted = m_verdicts->currentData().toInt();
        m_shown->setVerdict(wanted < 0 ? std::nullopt : std::optional(static_cast<LemmaVerdict>(wanted)));
        updateSummary();
    });
    connect(m_fold, &QCheckBox::toggled, this, [this](bool folded) {
        m_shown->setProvedFolded(folded);
        updateSummary();
        Q_EMIT provedFoldedChanged(folded);
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        const auto lemma = selectedLemma();
        if (!m_selecting && lemma) {
            Q_EMIT lemmaSelected(*lemma);
        }
    });
    // A click on the lemma that is already selected goes there again: the reader may have moved the view meanwhile.
    connect(m_table, &QAbstractItemView::activated, this,
            [this](const QModelIndex& index) { Q_EMIT lemmaSelected(static_cast<std::size_t>(m_shown->mapToSource(index).row())); });
    setResult(nullptr, tr("No lemmas yet: checking starts when both graphs are open."));
}

void LemmaPanel::setResult(std::shared_ptr<const CheckResult> result, const QString& emptyText) {
    m_selecting = true;
    m_emptyText = emptyText;
    m_model->setResult(std::move(result));
    m_table->setStretchedColumn(LemmaModel::TitleColumn);
    // What a lemma says needs the room; ids and rungs are short, whatever their headers would like.
    const int character = fontMetrics().averageCharWidth();
    m_table->setColumnWidth(LemmaModel::IdColumn, character * 7);
    m_table->setColumnWidth(LemmaModel::RungColumn, character * 6);
    m_selecting = false;
    updateSummary();
}

void LemmaPanel::setAccepted(const std::vector<std::pair<std::string, std::string>>& pairs) {
    QString text;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        text += QStringLiteral("<br>≈ %1 = %2 &nbsp;<a href=\"%3\">%4</a>")
                    .arg(toQString(pairs[i].first).toHtmlEscaped(), toQString(pairs[i].second).toHtmlEscaped(), QString::number(i), tr("take back"));
    }
    m_accepted->setText(tr("<b>Accepted as equal</b>%1").arg(text));
    m_accepted->setVisible(!pairs.empty());
}

std::optional<std::size_t> LemmaPanel::selectedLemma() const {
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    return rows.isEmpty() ? std::nullopt : std::optional(static_cast<std::size_t>(m_shown->mapToSource(rows.front()).row()));
}

void LemmaPanel::selectLemma(std::optional<std::size_t> lemma) {
    m_selecting = true;
    const QModelIndex index = lemma && *lemma < static_cast<std::size_t>(m_model->rowCount())
                                  ? m_shown->mapFromSource(m_model->index(static_cast<int>(*lemma), 0))
                                  : QModelIndex();
    if (index.isValid()) {
        m_table->setCurrentIndex(index);
        m_table->selectRow(index.row());
        m_table->scrollTo(index);
    } else {
        m_table->clearSelection();
    }
    m_selecting = false;
}

std::optional<std::size_t> LemmaPanel::nextFailing(std::optional<std::size_t> from, bool backwards) const {
    std::vector<std::size_t> order;
    std::vector<bool> listed(static_cast<std::size_t>(m_model->rowCount()), false);
    for (int row = 0; row < m_shown->rowCount(); ++row) {
        order.push_back(static_cast<std::size_t>(m_shown->mapToSource(m_shown->index(row, 0)).row()));
        listed[order.back()] = true;
    }
    for (std::size_t row = 0; row < listed.size(); ++row) {
        if (!listed[row]) {
            order.push_back(row);
        }
    }
    const auto verdictOf = [this](std::size_t row) { return m_model->lemma(static_cast<int>(row)).verdict; };
    const bool anyFails = std::any_of(order.begin(), order.end(), [&](std::size_t row) { return verdictOf(row) == LemmaVerdict::Fails; });
    const auto wanted = [&](std::size_t row) { return anyFails ? verdictOf(row) == LemmaVerdict::Fails : verdictOf(row) != LemmaVerdict::Holds; };
    if (backwards) {
        std::reverse(order.begin(), order.end());
    }
    const auto at = from ? std::find(order.begin(), order.end(), *from) : order.end();
    const std::size_t start = at == order.end() ? 0 : static_cast<std::size_t>(at - order.begin()) + 1;
    for (std::size_t step = 0; step < order.size(); ++step) {
        const std::size_t row = order[(start + step) % order.size()];
        if (wanted(row)) {
            return row;
        }
    }
    return std::nullopt;
}

void LemmaPanel::setProvedFolded(bool folded) { m_fold->setChecked(folded); }

bool LemmaPanel::isProvedFolded() const { return m_fold->isChecked(); }

void LemmaPanel::focusFilter() {
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void LemmaPanel::updateSummary() {
    const int all = m_model->rowCount();
    const int shown = m_shown->rowCount();
    m_table->setVisible(shown > 0);
    m_empty->setVisible(shown == 0);
    m_empty->setText(all == 0 ? m_emptyText
                     : m_shown->isProvedFolded() && m_filter->text().isEmpty() && m_verdicts->currentIndex() == 0
                         ? tr("All %1 lemmas hold and are folded. Press ! to unfold them.").arg(all)
                         : tr("None of the %1 lemmas passes the filter.").arg(all));
    // Whatever is hidden is said.
    m_summary->setText(shown == all ? tr("%1 shown").arg(all) : tr("%1 of %2 shown").arg(shown).arg(all));
    m_summary->setVisible(all > 0);
}

} // namespace lemmascope
