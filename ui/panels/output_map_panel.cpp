#include "ui/panels/output_map_panel.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/panels/cell_map_view.h"
#include "ui/views/elided_label.h"
#include "ui/views/icon_button.h"
#include "ui/views/text.h"

#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QListWidget>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lemmascope {

namespace {

constexpr int LineRole = Qt::UserRole;
constexpr int SideRole = Qt::UserRole + 1;
constexpr int CellRole = Qt::UserRole + 2;

/// OutputMap::summary in the reader's language.
QString summaryText(const OutputMap& map) {
    const CellState worst = map.familyState();
    const QString name = toQString(map.name());
    if (worst == CellState::Same) {
        return OutputMapPanel::tr("%1: all %2 cells are equal").arg(name).arg(map.cellCount());
    }
    if (worst == CellState::Proved) {
        return OutputMapPanel::tr("%1: all %2 cells are equal, %3 by proof").arg(name).arg(map.cellCount()).arg(map.count(worst));
    }
    QStringList families;
    for (const interp::CellFamily& family : map.families()) {
        families << toQString(family.text);
    }
    const QString counted = worst == CellState::Differs     ? OutputMapPanel::tr("%1: %2 of %3 cells differ: %4")
                            : worst == CellState::Unwritten ? OutputMapPanel::tr("%1: %2 of %3 cells are left unwritten: %4")
                            : worst == CellState::Unproved  ? OutputMapPanel::tr("%1: %2 of %3 cells are not proved: %4")
                                                            : OutputMapPanel::tr("%1: %2 of %3 cells are undecided: %4");
    return counted.arg(name).arg(map.count(worst)).arg(map.cellCount()).arg(families.join(QStringLiteral(", ")));
}

} // namespace

OutputMapPanel::OutputMapPanel(ProgramSession* session, QWidget* parent) : QWidget(parent), m_session(session) {
    setObjectName(QStringLiteral("outputMapPanel"));
    m_outputs = new QComboBox(this);
    m_outputs->setAccessibleName(tr("Output"));
    m_outputs->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_outputs->setMinimumContentsLength(10);
    m_sliceLabel = new QLabel(tr("Slice:"), this);
    m_sliceLabel->setAccessibleName(tr("Slice"));
    m_slice = new QSpinBox(this);
    m_slice->setAccessibleName(tr("Slice of the output"));
    m_slice->setToolTip(tr("Which of the slices along the leading axes is shown"));
    m_sliceLabel->setBuddy(m_slice);
    m_previous = iconButton(tr("Previous differing cell"), tr("Previous differing cell (Shift+N)"), QStyle::SP_ArrowUp, this);
    m_next = iconButton(tr("Next differing cell"), tr("Next differing cell (N)"), QStyle::SP_ArrowDown, this);
    m_summary = new ElidedLabel(this);
    m_summary->setObjectName(QStringLiteral("mapSummary"));
    m_summary->setAccessibleName(tr("What differs"));
    m_map = new CellMapView(this);
    m_families = new QListWidget(this);
    m_families->setObjectName(QStringLiteral("families"));
    m_families->setAccessibleName(tr("Families of cells"));
    m_writers = new QListWidget(this);
    m_writers->setObjectName(QStringLiteral("writers"));
    m_writers->setAccessibleName(tr("Ops that write the cell"));
    m_cell = new ElidedLabel(this);
    m_cell->setObjectName(QStringLiteral("chosenCell"));
    m_cell->setAccessibleName(tr("Chosen cell"));

    auto* top = new QHBoxLayout;
    top->setContentsMargins(6, 2, 6, 2);
    top->addWidget(m_outputs);
    top->addWidget(m_sliceLabel);
    top->addWidget(m_slice);
    top->addWidget(m_previous);
    top->addWidget(m_next);
    top->addWidget(m_summary, 1);

    auto* lists = new QWidget(this);
    lists->setAccessibleName(tr("Families and ops"));
    lists->setMinimumSize(120, fontMetrics().height() * 3);
    auto* listRows = new QVBoxLayout(lists);
    listRows->setContentsMargins(0, 0, 0, 0);
    listRows->setSpacing(2);
    const auto heading = [lists](const QString& text, QWidget* of) {
        auto* label = new QLabel(text, lists);
        label->setAccessibleName(text);
        label->setBuddy(of);
        label->setWordWrap(true);
        return label;
    };
    listRows->addWidget(heading(tr("Families of cells"), m_families));
    listRows->addWidget(m_families, 1);
    listRows->addWidget(heading(tr("Ops that write the cell"), m_writers));
    listRows->addWidget(m_writers, 2);

    auto* sides = new QSplitter(Qt::Horizontal, this);
    sides->setAccessibleName(tr("Both expressions"));
    sides->setChildrenCollapsible(false);
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        const auto at = static_cast<std::size_t>(side);
        const QString role = side == Side::Reference ? tr("Reference") : tr("Rewritten");
        auto* column = new QWidget(sides);
        column->setAccessibleName(tr("%1 side").arg(role));
        m_texts[at] = new ElidedLabel(column);
        m_texts[at]->setAccessibleName(tr("%1 expression in words").arg(role));
        m_texts[at]->setTextFormat(Qt::PlainText);
        m_canvases[at] = new GraphCanvas(column);
        m_canvases[at]->setAccessibleName(tr("%1 expression").arg(role));
        m_canvases[at]->setEmptyText(tr("Choose a cell to see what it holds."));
        m_canvases[at]->setMinimumSize(120, 40);
        auto* rows = new QVBoxLayout(column);
        rows->setContentsMargins(0, 0, 0, 0);
        rows->setSpacing(2);
        rows->addWidget(m_texts[at]);
        rows->addWidget(m_canvases[at], 1);
        sides->addWidget(column);
    }
    m_canvases[0]->setFitPartner(m_canvases[1]);
    m_canvases[1]->setFitPartner(m_canvases[0]);
    auto* right = new QWidget(this);
    right->setAccessibleName(tr("The chosen cell"));
    right->setMinimumSize(200, fontMetrics().height() * 3);
    auto* rightRows = new QVBoxLayout(right);
    rightRows->setContentsMargins(0, 0, 0, 0);
    rightRows->setSpacing(2);
    rightRows->addWidget(m_cell);
    rightRows->addWidget(sides, 1);

    auto* split = new QSplitter(Qt::Horizontal, this);
    split->setAccessibleName(tr("Map and cell"));
    split->setChildrenCollapsible(false);
    split->addWidget(m_map);
    split->addWidget(lists);
    split->addWidget(right);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 3);
    split->setStretchFactor(2, 5);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(top);
    all->addWidget(split, 1);

    connect(m_outputs, &QComboBox::currentIndexChanged, this, [this](int output) {
        showOutput(output);
        if (const auto map = current()) {
            choose(map->first());
        }
    });
    connect(m_slice, &QSpinBox::valueChanged, this, [this](int slice) { showSlice(static_cast<std::uint64_t>(slice)); });
    connect(m_previous, &QToolButton::clicked, this, [this] { goToNext(true); });
    connect(m_next, &QToolButton::clicked, this, [this] { goToNext(false); });
    connect(m_map, &CellMapView::cellChosen, this, &OutputMapPanel::choose);
    const auto family = [this](const QListWidgetItem* item) {
        if (item != nullptr && current()) {
            choose(item->data(CellRole).toULongLong());
        }
    };
    connect(m_families, &QListWidget::itemActivated, this, family);
    connect(m_families, &QListWidget::itemClicked, this, family);
    const auto writer = [this](const QListWidgetItem* item) {
        if (item != nullptr && item->data(LineRole).toInt() > 0) {
            Q_EMIT lineChosen(static_cast<Side>(item->data(SideRole).toInt()), item->data(LineRole).toInt());
        }
    };
    connect(m_writers, &QListWidget::itemActivated, this, writer);
    connect(m_writers, &QListWidget::itemClicked, this, writer);
    connect(m_session, &ProgramSession::stateChanged, this, &OutputMapPanel::refresh);
    connect(m_session, &ProgramSession::storyChanged, this, &OutputMapPanel::showStory);
    m_session->setMetrics(m_canvases[0]->sceneMetrics());
    refresh();
    showOutput(-1);
}

std::shared_ptr<const OutputMap> OutputMapPanel::current() const {
    const int at = m_outputs->currentIndex();
    return m_shown && at >= 0 && static_cast<std::size_t>(at) < m_shown->maps.size() ? m_shown->maps[static_cast<std::size_t>(at)] : nullptr;
}

QString OutputMapPanel::emptyText() const {
    switch (m_session->state()) {
    case ProgramSession::State::Empty: return tr("No programs are open: open two .mlir files.");
    case ProgramSession::State::Checking: return tr("The check is running. Its outputs appear here as maps.");
    case ProgramSession::State::Stopped: return tr("The check was stopped. Check again with Shift+F7.");
    case ProgramSession::State::Failed: return tr("The check failed: Messages says why.");
    case ProgramSession::State::Decided: break;
    }
    return tr("Nothing was compared cell by cell: %1")
        .arg(toQString(m_session->compared() ? verdictLine(*m_session->compared()->result) : std::string()));
}

void OutputMapPanel::refresh() {
    const auto& compared = m_session->compared();
    if (compared == m_shown && compared != nullptr) {
        return;
    }
    m_shown = compared;
    {
        const QSignalBlocker quiet(m_outputs);
        m_outputs->clear();
        if (m_shown) {
            for (const auto& map : m_shown->maps) {
                const Role role = roleOf(std::max(map->familyState(), CellState::Proved));
                m_outputs->addItem(QStringLiteral("%1 %2").arg(glyph(role), toQString(map->name())));
            }
            m_outputs->setCurrentIndex(m_shown->maps.empty() ? -1 : static_cast<int>(m_shown->firstOutput()));
        }
    }
    m_outputs->setEnabled(m_outputs->count() > 0);
    showOutput(m_outputs->currentIndex());
}

void OutputMapPanel::showOutput(int output) {
    const auto map = output >= 0 ? current() : nullptr;
    m_families->clear();
    m_summary->setText(map ? summaryText(*map) : emptyText());
    m_summary->setToolTip(m_summary->text());
    const bool sliced = map && map->slices() > 1;
    m_slice->setVisible(sliced);
    m_sliceLabel->setVisible(sliced);
    const bool steps = map && map->next(0, false).has_value();
    m_previous->setEnabled(steps);
    m_next->setEnabled(steps);
    if (map) {
        for (const interp::CellFamily& family : map->families()) {
            auto* item = new QListWidgetItem(tr("%1 %2, %3 of %4 cells")
                                                 .arg(glyph(roleOf(map->familyState())), toQString(family.text))
                                                 .arg(family.cells.size())
                                                 .arg(map->cellCount()),
                                             m_families);
            item->setData(CellRole, QVariant::fromValue<qulonglong>(family.cells.empty() ? 0 : family.cells.front()));
        }
        if (map->families().empty()) {
            auto* item = new QListWidgetItem(tr("All cells are equal."), m_families);
            item->setFlags(Qt::ItemIsEnabled);
            item->setData(CellRole, QVariant::fromValue<qulonglong>(map->first()));
        }
        const QSignalBlocker quiet(m_slice);
        m_slice->setRange(0, static_cast<int>(std::min<std::uint64_t>(map->slices(), INT_MAX)) - 1);
        const std::uint64_t slice = map->first() / std::max<std::uint64_t>(1, map->rows() * map->columns());
        m_slice->setValue(static_cast<int>(slice));
        showSlice(slice);
    } else {
        m_map->setMap(nullptr, 0, emptyText());
    }
}

void OutputMapPanel::showSlice(std::uint64_t slice) {
    if (const auto map = current()) {
        m_slice->setToolTip(toQString(map->sliceText(slice)));
        m_map->setMap(map, slice);
        const auto& story = m_session->story();
        if (story && story->output == map->number()) {
            m_map->setCell(story->story.cell);
        }
    }
}

void OutputMapPanel::choose(std::uint64_t cell) {
    const auto map = current();
    if (!map) {
        return;
    }
    const std::uint64_t slice = cell / std::max<std::uint64_t>(1, map->rows() * map->columns());
    if (slice != m_map->slice()) {
        const QSignalBlocker quiet(m_slice);
        m_slice->setValue(static_cast<int>(slice));
        showSlice(slice);
    }
    m_map->setCell(cell);
    m_session->chooseCell(map->number(), cell);
}

void OutputMapPanel::goToNext(bool backwards) {
    if (const auto map = current()) {
        if (const auto next = map->next(m_map->cell(), backwards)) {
            choose(*next);
        }
    }
}

void OutputMapPanel::showStory() {
    const auto& story = m_session->story();
    m_writers->clear();
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        const auto at = static_cast<std::size_t>(side);
        GraphCanvas* canvas = m_canvases[at];
        if (!story) {
            m_texts[at]->clear();
            canvas->setScene(nullptr);
            continue;
        }
        const ExpressionPair& pair = story->story.expressions;
        const QString text = toQString(side == Side::Reference ? pair.referenceText : pair.rewrittenText);
        m_texts[at]->setText(text);
        m_texts[at]->setToolTip(text);
        m_texts[at]->setAccessibleDescription(text);
        canvas->setScene(side == Side::Reference ? story->scenes.reference : story->scenes.rewritten);
        canvas->setOverlay(
            overlayOf(std::make_shared<const Correspondence>(pair.correspondence), side == Side::Reference ? pair.rewritten : pair.reference, side));
        for (const CellAccess& access : story->story.accesses[at]) {
            const QString who = side == Side::Reference ? tr("reference") : tr("rewritten");
            // What tells the rows apart comes first: the line and the iteration; the whole step is in the tooltip.
            const QString whole = toQString(access.text);
            const QStringList parts = whole.split(QStringLiteral(" at ") + toQString(access.place));
            const QString row =
                parts.size() == 2 ? tr("%1%2: %3", "line, iteration, op").arg(lineOfPlace(access.place)).arg(parts[1], parts[0]) : whole;
            auto* item = new QListWidgetItem(access.isLast ? tr("%1, last %2").arg(who, row) : tr("%1 %2").arg(who, row), m_writers);
            item->setToolTip(tr("%1: %2").arg(who, whole));
            item->setData(LineRole, static_cast<int>(lineOfPlace(access.place)));
            item->setData(SideRole, static_cast<int>(side));
        }
        if (story->story.accesses[at].empty()) {
            auto* item = new QListWidgetItem(
                side == Side::Reference ? tr("reference: nothing writes it in memory") : tr("rewritten: nothing writes it in memory"), m_writers);
            item->setFlags(Qt::ItemIsEnabled);
        }
    }
    // The first difference in the middle, large enough to be read.
    if (story) {
        const auto& marks = story->story.expressions.correspondence.reference;
        for (std::size_t node = marks.size(); node-- > 0;) { // the root is the last
            if (marks[node].mark == NodeMark::Failing) {
                m_canvases[0]->centreOn({FlatNodeId(node)}, false);
                m_canvases[1]->centreOn({marks[node].partner}, false);
                break;
            }
        }
    }
    if (!story) {
        m_cell->clear();
        return;
    }
    QString text =
        QStringLiteral("%1 %2: %3").arg(glyph(roleOf(story->story.state)), toQString(story->story.name), cellStateText(story->story.state));
    if (!story->story.expressions.differences.empty()) {
        text += tr(". First difference: %1").arg(toQString(story->story.expressions.differences.front()));
    }
    m_cell->setText(text);
    m_cell->setToolTip(text);
    const auto map = current();
    if (map && story->output == map->number()) {
        m_map->setCell(story->story.cell);
    }
}

QString OutputMapPanel::expression(Side side) const { return m_texts[static_cast<std::size_t>(side)]->text(); }

QString OutputMapPanel::summary() const { return m_summary->text(); }

void OutputMapPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if ((event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) && m_canvases[0] != nullptr) {
        m_session->setMetrics(m_canvases[0]->sceneMetrics());
    }
}

} // namespace lemmascope
