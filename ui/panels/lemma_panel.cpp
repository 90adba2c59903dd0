#include "ui/panels/lemma_panel.h"

#include "ui/models/lemma_model.h"
#include "ui/panels/long_text.h"
#include "ui/panels/review_note_editor.h"
#include "ui/views/lemma_tree_view.h"
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
    using Show = LemmaFilterModel::Show;
    m_model = new LemmaModel(this);
    m_shown = new LemmaFilterModel(this);
    m_shown->setSourceModel(m_model);

    m_filter = new QLineEdit(this);
    m_filter->setObjectName(QStringLiteral("lemmaFilter"));
    m_filter->setPlaceholderText(tr("Filter by words"));
    m_filter->setAccessibleName(tr("Filter lemmas"));
    m_filter->setClearButtonEnabled(true);
    m_show = new QComboBox(this);
    m_show->setObjectName(QStringLiteral("lemmaVerdicts"));
    m_show->setAccessibleName(tr("Which lemmas are shown"));
    m_show->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_show->setMinimumContentsLength(8);
    const auto add = [this](Show show, const QString& text, const QString& tip) {
        m_show->addItem(text, static_cast<int>(show));
        m_show->setItemData(m_show->count() - 1, tip, Qt::ToolTipRole);
    };
    add(Show::All, tr("all"), tr("Every lemma"));
    add(Show::Failing, tr("%1 failing").arg(glyph(LemmaVerdict::Fails)), tr("Lemmas that fail"));
    add(Show::Open, tr("open"), tr("Lemmas that do not hold: failing, undecided, vacuous"));
    add(Show::NotReviewed, tr("not reviewed"), tr("Lemmas that nobody has marked reviewed"));
    add(Show::Reviewed, tr("✎ reviewed"), tr("Lemmas that somebody has marked reviewed"));
    add(Show::Obsolete, tr("obsolete"), tr("Lemmas of the last result that no check has confirmed"));
    add(Show::Undecided, tr("%1 undecided").arg(glyph(LemmaVerdict::Undecided)), tr("Lemmas that nothing has decided"));
    add(Show::Vacuous, tr("%1 vacuous").arg(glyph(LemmaVerdict::Vacuous)), tr("Lemmas whose premises cannot all be true"));
    add(Show::Holding, tr("%1 holding").arg(glyph(LemmaVerdict::Holds)), tr("Lemmas that hold"));
    m_fold = new QCheckBox(tr("Fold proved"), this);
    m_fold->setToolTip(tr("Hide lemmas that hold (!)"));
    m_fold->setAccessibleName(tr("Fold proved lemmas"));
    m_group = new QCheckBox(tr("By region"), this); // short: large letters must not widen the window
    m_group->setObjectName(QStringLiteral("lemmaGroups"));
    m_group->setToolTip(tr("Below the place that was rewritten (Shift+G)"));
    m_group->setAccessibleName(tr("Group lemmas by rewrite region"));

    m_table = new LemmaTreeView(tr("Lemmas"), this);
    m_table->setObjectName(QStringLiteral("lemmaTable"));
    m_table->setModel(m_shown);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(LemmaModel::StatusColumn, Qt::AscendingOrder);
    m_table->setMinimumHeight(fontMetrics().height() * 2); // panes of other parts stand in the same column
    m_table->header()->setMinimumSectionSize(30);
    m_table->setStretchedColumn(LemmaModel::TitleColumn);
    m_empty = new LongText(tr("Why no lemmas are listed"), 20, this);
    m_empty->label()->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_empty->label()->setMargin(6);
    m_summary = new QLabel(this);
    m_summary->setObjectName(QStringLiteral("lemmaSummary"));
    m_summary->setAccessibleName(tr("Lemmas shown"));
    m_summary->setWordWrap(true);
    m_summary->setMinimumWidth(1);
    m_editor = new ReviewNoteEditor(this);
    m_editor->setObjectName(QStringLiteral("reviewEditor"));
    m_editor->hide();

    auto* filters = new QHBoxLayout;
    filters->addWidget(m_filter, 1);
    filters->addWidget(m_show);
    auto* boxes = new QHBoxLayout;
    boxes->addWidget(m_fold);
    boxes->addWidget(m_group);
    boxes->addStretch();
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(4, 2, 4, 2);
    all->setSpacing(2);
    all->addLayout(filters);
    all->addLayout(boxes);
    all->addWidget(m_table, 1);
    all->addWidget(m_empty, 1);
    all->addWidget(m_editor);
    all->addWidget(m_summary);
    m_accepted = new QLabel(this);
    m_accepted->setObjectName(QStringLiteral("acceptedLemmas"));
    m_accepted->setAccessibleName(tr("Accepted differences"));
    m_accepted->setTextFormat(Qt::RichText);
    m_accepted->setWordWrap(true);
    m_accepted->setMinimumWidth(1); // names of a session file may be long
    m_accepted->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_accepted->setOpenExternalLinks(false);
    m_accepted->hide();
    all->addWidget(m_accepted);
    connect(m_accepted, &QLabel::linkActivated, this, [this](const QString& link) { Q_EMIT takeBackRequested(link.toULongLong()); });

    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_shown->setText(text);
        updateSummary();
    });
    connect(m_show, &QComboBox::currentIndexChanged, this, [this] {
        m_shown->setShow(static_cast<Show>(m_show->currentData().toInt()));
        updateSummary();
    });
    connect(m_fold, &QCheckBox::toggled, this, [this](bool folded) {
        m_shown->setProvedFolded(folded);
        updateSummary();
        Q_EMIT provedFoldedChanged(folded);
    });
    connect(m_group, &QCheckBox::toggled, this, [this](bool grouped) {
        const auto lemma = selectedLemma();
        m_selecting = true;
        m_model->setGrouped(grouped);
        m_selecting = false;
        expandRegions();
        selectLemma(lemma);
        updateSummary();
        Q_EMIT groupedChanged(grouped);
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (m_selecting) {
            return;
        }
        const auto lemma = selectedLemma();
        updateEditor(false);
        Q_EMIT selectionMoved();
        if (lemma) {
            Q_EMIT lemmaSelected(*lemma);
        }
    });
    // A click on the lemma that is already selected goes there again: the reader may have moved the view meanwhile.
    connect(m_table, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        if (const auto lemma = m_model->lemmaAt(m_shown->mapToSource(index))) {
            Q_EMIT lemmaSelected(*lemma);
        }
    });
    setLemmas(nullptr, tr("No lemmas yet: checking starts when both graphs are open."));
}

const std::shared_ptr<const LemmaList>& LemmaPanel::lemmas() const { return m_model->lemmas(); }

void LemmaPanel::setResult(std::shared_ptr<const CheckResult> result, const QString& emptyText) {
    auto regions = result ? lemmaRegions(*result) : std::vector<LemmaRegion>{};
    setLemmas(makeLemmaList(std::move(result), LemmaSource::Current, std::move(regions), {}), emptyText);
}

void LemmaPanel::setLemmas(std::shared_ptr<const LemmaList> lemmas, const QString& emptyText) {
    m_emptyText = emptyText;
    if (lemmas == m_model->lemmas()) {
        updateSummary();
        return;
    }
    const auto before = m_model->lemmas();
    auto selected = selectedLemma();
    if (selected && lemmas && lemmas->result && lemmas->result != before->result) {
        selected = sameLemma(*before->result, *selected, *lemmas->result);
    } else if (selected && (!lemmas || !lemmas->result)) {
        selected.reset();
    }
    m_selecting = true;
    m_model->setLemmas(std::move(lemmas));
    // What a lemma says needs the room; the others are short, whatever their headers would like.
    const int character = fontMetrics().averageCharWidth();
    m_table->setStretchedColumn(LemmaModel::TitleColumn);
    m_table->header()->resizeSection(LemmaModel::StatusColumn, character * 14);
    m_table->header()->resizeSection(LemmaModel::IdColumn, character * 6);
    m_table->header()->resizeSection(LemmaModel::RungColumn, character * 6);
    m_table->header()->resizeSection(LemmaModel::ReviewColumn, character * (m_model->lemmas() && !m_model->lemmas()->notes.empty() ? 8 : 4));
    m_selecting = false;
    expandRegions();
    selectLemma(selected);
    updateSummary();
}

void LemmaPanel::expandRegions() {
    constexpr int Many = 200; // regions: more of them start closed
    m_table->setTree(m_model->isGrouped() || (m_model->lemmas() && !m_model->lemmas()->detached.empty()));
    if (m_shown->rowCount() <= Many || !m_model->isGrouped()) {
        m_table->expandAll();
    }
    spanRegions();
}

void LemmaPanel::spanRegions() {
    // What a region is called needs the whole width. Rows that a filter brought back have to be told again.
    constexpr int Many = 1'000; // past it they are cut instead: the view looks each one up among all
    const bool grouped = m_model->isGrouped() && m_shown->rowCount() <= Many;
    for (int row = grouped ? 0 : std::max(0, m_shown->rowCount() - 1); row < m_shown->rowCount(); ++row) {
        const int kind = m_shown->index(row, 0).data(LemmaModel::RowRole).toInt();
        m_table->setFirstColumnSpanned(row, {}, kind == LemmaModel::RegionRow || kind == LemmaModel::DetachedRow);
    }
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

QModelIndex LemmaPanel::currentRow() const {
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    return rows.isEmpty() ? QModelIndex() : m_shown->mapToSource(rows.front());
}

std::optional<std::size_t> LemmaPanel::selectedLemma() const { return m_model->lemmaAt(currentRow()); }

std::optional<std::size_t> LemmaPanel::selectedNote() const { return m_model->noteAt(currentRow()); }

void LemmaPanel::selectLemma(std::optional<std::size_t> lemma) {
    m_selecting = true;
    const QModelIndex index = lemma ? m_shown->mapFromSource(m_model->indexOf(*lemma)) : QModelIndex();
    if (index.isValid()) {
        m_table->setCurrentIndex(index);
        m_table->selectionModel()->select(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        m_table->scrollTo(index);
    } else {
        m_table->clearSelection();
    }
    m_selecting = false;
    updateEditor(false);
    Q_EMIT selectionMoved();
}

std::optional<std::size_t> LemmaPanel::nextFailing(std::optional<std::size_t> from, bool backwards) const {
    std::vector<std::size_t> order;
    std::vector<bool> listed(m_model->lemmaCount(), false);
    const auto add = [&](const QModelIndex& row) {
        if (const auto lemma = m_model->lemmaAt(m_shown->mapToSource(row))) {
            order.push_back(*lemma);
            listed[*lemma] = true;
        }
    };
    for (int row = 0; row < m_shown->rowCount(); ++row) {
        const QModelIndex top = m_shown->index(row, 0);
        add(top);
        for (int below = 0; below < m_shown->rowCount(top); ++below) {
            add(m_shown->index(below, 0, top));
        }
    }
    for (std::size_t lemma = 0; lemma < listed.size(); ++lemma) {
        if (!listed[lemma]) {
            order.push_back(lemma);
        }
    }
    const auto verdictOf = [this](std::size_t lemma) { return m_model->lemma(lemma).verdict; };
    const bool anyFails = std::any_of(order.begin(), order.end(), [&](std::size_t lemma) { return verdictOf(lemma) == LemmaVerdict::Fails; });
    const auto wanted = [&](std::size_t lemma) {
        return anyFails ? verdictOf(lemma) == LemmaVerdict::Fails : verdictOf(lemma) != LemmaVerdict::Holds;
    };
    if (backwards) {
        std::reverse(order.begin(), order.end());
    }
    const auto at = from ? std::find(order.begin(), order.end(), *from) : order.end();
    const std::size_t start = at == order.end() ? 0 : static_cast<std::size_t>(at - order.begin()) + 1;
    for (std::size_t step = 0; step < order.size(); ++step) {
        const std::size_t lemma = order[(start + step) % order.size()];
        if (wanted(lemma)) {
            return lemma;
        }
    }
    return std::nullopt;
}

void LemmaPanel::setProvedFolded(bool folded) { m_fold->setChecked(folded); }

bool LemmaPanel::isProvedFolded() const { return m_fold->isChecked(); }

void LemmaPanel::setGrouped(bool grouped) { m_group->setChecked(grouped); }

bool LemmaPanel::isGrouped() const { return m_group->isChecked(); }

void LemmaPanel::focusFilter() {
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

bool LemmaPanel::openEditor() {
    if (!selectedLemma() && !selectedNote()) {
        return false;
    }
    updateEditor(true);
    m_editor->focusText();
    return true;
}

std::optional<ReviewNote> LemmaPanel::draft() const {
    if (!m_edited || !m_editor->isDraft()) {
        return std::nullopt;
    }
    ReviewNote note = *m_edited;
    note.text = toStdString(m_editor->text());
    return note;
}

void LemmaPanel::leaveDraft() {
    if (const auto left = draft()) {
        m_edited.reset();
        QMetaObject::invokeMethod(
            this, [this, note = *left] { Q_EMIT draftLeft(note); }, Qt::QueuedConnection); // keeping it makes another list
    }
}

void LemmaPanel::updateEditor(bool open) {
    const auto lemma = selectedLemma();
    const auto note = selectedNote();
    if (lemma) {
        const LemmaResult& entry = m_model->lemma(*lemma);
        ReviewNote edited{identityOf(*lemmas()->result, *lemma), entry.id, entry.verdict, {}, {}, 0};
        if (m_edited && m_edited->lemma == edited.lemma && m_editor->isDraft() && !m_editor->isHidden()) {
            return; // another list with the same lemma: what is being written stays
        }
        leaveDraft();
        m_editor->showLemma(tr("%1 “%2”").arg(toQString(entry.id), toQString(entry.title)), note ? &lemmas()->notes[*note] : nullptr);
        m_edited = std::move(edited);
    } else {
        leaveDraft();
        m_edited.reset();
        if (note) {
            const ReviewNote& detached = lemmas()->notes[*note];
            m_editor->showLemma(tr("%1 “%2”").arg(toQString(detached.id), toQString(detached.lemma.title)), &detached, true);
        } else {
            m_editor->setText({});
        }
    }
    m_editor->setVisible((lemma || note) && (open || note));
}

void LemmaPanel::updateSummary() {
    const auto all = static_cast<int>(m_model->lemmaCount());
    const int shown = m_shown->shownLemmas();
    const bool rows = m_shown->rowCount() > 0;
    spanRegions();
    m_table->setVisible(rows);
    m_empty->setVisible(!rows);
    m_empty->setText(all == 0 ? m_emptyText
                     : m_shown->isProvedFolded() && m_filter->text().isEmpty() && m_show->currentIndex() == 0
                         ? tr("All %1 lemmas hold and are folded. Press ! to unfold them.").arg(all)
                         : tr("None of the %1 lemmas passes the filter.").arg(all));
    // Whatever is hidden is said.
    QStringList parts{shown == all ? tr("%1 shown").arg(all) : tr("%1 of %2 shown").arg(shown).arg(all)};
    if (const auto& list = lemmas(); list && list->result) {
        if (list->source == LemmaSource::Obsolete) {
            parts << tr("%n obsolete", nullptr, all);
        } else if (list->source == LemmaSource::Session) {
            parts << tr("from the session, not confirmed yet");
        }
        const auto reviewed = std::count_if(list->noteOf.begin(), list->noteOf.end(), [](const auto& note) { return note.has_value(); });
        if (reviewed > 0) {
            parts << tr("%1 of %2 reviewed").arg(reviewed).arg(all);
        }
        if (!list->detached.empty()) {
            parts << tr("%n detached note(s)", nullptr, static_cast<int>(list->detached.size()));
        }
    }
    m_summary->setText(parts.join(QStringLiteral(" · ")));
    m_summary->setVisible(all > 0);
    if (!rows) {
        m_editor->hide();
    }
}

} // namespace lemmascope
