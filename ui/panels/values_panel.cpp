#include "ui/panels/values_panel.h"

#include "core/report/element_text.h"
#include "core/report/tensor_copy.h"
#include "ui/models/tensor_table_model.h"
#include "ui/panels/heat_map_view.h"
#include "ui/panels/long_text.h"
#include "ui/views/flow_layout.h"
#include "ui/views/tensor_cell_delegate.h"
#include "ui/views/text.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace lemmascope {

namespace {

constexpr int SampledRows = 24; ///< that decide how wide the columns are
constexpr int SampledColumns = 24;

CellContent contentOf(ValuesPanel::Layout layout, std::size_t table) {
    switch (layout) {
    case ValuesPanel::Layout::Both: return CellContent::Both;
    case ValuesPanel::Layout::TwoTables: return table == 0 ? CellContent::Reference : CellContent::Rewritten;
    case ValuesPanel::Layout::Reference: return CellContent::Reference;
    case ValuesPanel::Layout::Rewritten: return CellContent::Rewritten;
    case ValuesPanel::Layout::Difference: return CellContent::Difference;
    case ValuesPanel::Layout::Ulp: return CellContent::Ulp;
    }
    return CellContent::Both;
}

int spinLimit(std::int64_t most) { return static_cast<int>(std::clamp<std::int64_t>(most, 0, std::numeric_limits<int>::max())); }

/// A control with its name before it, which stay together when the line breaks.
QWidget* labelled(const QString& text, QWidget* control, QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    auto* label = new QLabel(text, box);
    label->setBuddy(control);
    row->addWidget(label);
    row->addWidget(control);
    QString name = text;
    control->setAccessibleName(name.remove(u'&'));
    label->setAccessibleName(name);
    box->setAccessibleName(name);
    return box;
}

struct ScanResult {
    std::string difference;
    std::string reference;
    std::string rewritten;
};

Result<ScanResult> scan(const TensorPair& tensors, std::stop_token stop) {
    ScanResult out;
    if (tensors.comparable()) {
        const auto difference = compareTensors(*tensors.reference, *tensors.rewritten, stop);
        if (!difference) {
            return tl::unexpected(difference.error());
        }
        out.difference = differenceSentence(*difference, tensors.reference->shape());
    }
    for (const auto& [tensor, text] : {std::pair{&tensors.reference, &out.reference}, std::pair{&tensors.rewritten, &out.rewritten}}) {
        if (*tensor) {
            const auto statistics = statisticsOf(**tensor, stop);
            if (!statistics) {
                return tl::unexpected(statistics.error());
            }
            *text = statisticsSentence(*statistics, **tensor);
        }
    }
    return out;
}

} // namespace

ValuesPanel::ValuesPanel(QWidget* parent)
    : QWidget(parent), m_scan(tr("Reading values"), nullptr), m_pool(tr("Drawing values"), nullptr), m_find(tr("Next difference"), nullptr) {
    auto* controls = new QWidget(this);
    controls->setAccessibleName(tr("What is shown of the values"));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    controls->setSizePolicy(policy);
    auto* flow = new FlowLayout(controls);
    flow->setContentsMargins(0, 0, 0, 0);
    flow->setSpacing(6);
    buildControls(flow);
    m_sentence = new LongText(tr("What the values are"), 3, this);
    m_split = new QSplitter(Qt::Horizontal, this);
    m_split->setAccessibleName(tr("Tables and heat map"));
    m_split->setChildrenCollapsible(false);
    buildTables();
    m_heat = new HeatMapView(m_split);
    m_split->addWidget(m_heat);
    m_split->setStretchFactor(0, 3);
    m_split->setStretchFactor(1, 3);
    m_split->setStretchFactor(2, 2);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(4, 4, 4, 4);
    all->setSpacing(4);
    all->addWidget(controls);
    all->addWidget(m_sentence);
    all->addWidget(m_split, 1);

    for (QWidget* widget : {static_cast<QWidget*>(m_tables[0]), static_cast<QWidget*>(m_tables[1]), static_cast<QWidget*>(m_heat)}) {
        widget->addAction(m_next);
        widget->addAction(m_previous);
    }
    connect(m_heat, &HeatMapView::cellChosen, this, [this](int row, int column) {
        const TensorPair& shown = tensors();
        if (const Tensor* tensor = m_heat->map()->ofDifference ? &*shown.reference : savedTensor()) {
            const Tensor* other = m_heat->map()->ofDifference ? &*shown.rewritten : nullptr;
            if (const auto flat = decisiveElement(*m_heat->map(), *tensor, other, model()->slice(), row, column)) {
                goToElement(*flat);
            }
        }
    });
    connect(m_heat, &HeatMapView::roomChanged, this, &ValuesPanel::startHeat, Qt::QueuedConnection);
    applyFormat();
    setTensors({}, {}, tr("No values yet."));
}

ValuesPanel::~ValuesPanel() = default;

void ValuesPanel::buildControls(FlowLayout* flow) {
    QWidget* home = flow->parentWidget();
    const auto combo = [home](const QStringList& items) {
        auto* box = new QComboBox(home);
        box->addItems(items);
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        return box;
    };
    m_choices = combo({});
    m_choices->setObjectName(QStringLiteral("valueChoice"));
    m_choices->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_choices->setMinimumContentsLength(26);
    flow->addWidget(labelled(tr("&Value"), m_choices, home));
    m_sources = combo({});
    m_sourceBox = labelled(tr("Fro&m"), m_sources, home);
    flow->addWidget(m_sourceBox);
    m_layout = combo({tr("both in a cell"), tr("two tables"), tr("reference"), tr("rewritten"), tr("difference"), tr("ulp difference")});
    m_layout->setObjectName(QStringLiteral("valueLayout"));
    flow->addWidget(labelled(tr("Sho&w"), m_layout, home));
    m_style = combo({tr("shortest decimal"), tr("fixed point"), tr("with exponent"), tr("hexadecimal"), tr("bits")});
    m_style->setObjectName(QStringLiteral("valueStyle"));
    flow->addWidget(labelled(tr("&Numbers as"), m_style, home));
    m_digits = new QSpinBox(home);
    m_digits->setRange(0, 20);
    m_digits->setValue(NumberFormat{}.precision);
    m_digitsBox = labelled(tr("Di&gits"), m_digits, home);
    flow->addWidget(m_digitsBox);

    m_axesBox = new QWidget(home);
    m_axesBox->setAccessibleName(tr("Axes"));
    auto* axes = new QHBoxLayout(m_axesBox);
    axes->setContentsMargins(0, 0, 0, 0);
    m_rowAxis = combo({});
    m_columnAxis = combo({});
    m_rowAxis->setObjectName(QStringLiteral("rowAxis"));
    m_columnAxis->setObjectName(QStringLiteral("columnAxis"));
    axes->addWidget(labelled(tr("&Rows"), m_rowAxis, m_axesBox));
    axes->addWidget(labelled(tr("Colu&mns"), m_columnAxis, m_axesBox));
    flow->addWidget(m_axesBox);
    m_heldBox = new QWidget(home);
    m_heldBox->setAccessibleName(tr("Indices of the other axes"));
    auto* held = new QHBoxLayout(m_heldBox);
    held->setContentsMargins(0, 0, 0, 0);
    flow->addWidget(m_heldBox);
    m_rowPage = new QSpinBox(home);
    m_rowPageBox = labelled(tr("Page of rows"), m_rowPage, home);
    flow->addWidget(m_rowPageBox);
    m_columnPage = new QSpinBox(home);
    m_columnPageBox = labelled(tr("Page of columns"), m_columnPage, home);
    flow->addWidget(m_columnPageBox);

    const auto button = [this, home, flow](const QString& text, const QString& name) {
        auto* made = new QToolButton(home);
        made->setText(text);
        made->setAccessibleName(name);
        made->setToolTip(name);
        made->setFocusPolicy(Qt::StrongFocus);
        flow->addWidget(made);
        return made;
    };
    const auto act = [this](const QString& text, const QString& key, bool backwards) {
        auto* action = new QAction(text, this);
        action->setShortcut(QKeySequence(key));
        action->setShortcutContext(Qt::WidgetShortcut);
        action->setToolTip(tr("%1 (%2)").arg(text, action->shortcut().toString(QKeySequence::NativeText)));
        connect(action, &QAction::triggered, this, [this, backwards] { goToDifference(backwards); });
        return action;
    };
    m_previous = act(tr("Previous differing element"), QStringLiteral("Shift+N"), true);
    m_next = act(tr("Next differing element"), QStringLiteral("N"), false);
    for (QAction* action : {m_previous, m_next}) {
        auto* made = button(action == m_next ? tr("≠ ▶") : tr("◀ ≠"), action->toolTip());
        made->setObjectName(action == m_next ? QStringLiteral("nextElement") : QStringLiteral("previousElement"));
        connect(made, &QToolButton::clicked, action, &QAction::trigger);
        connect(action, &QAction::enabledChanged, made, &QToolButton::setEnabled);
    }
    m_copy = button(tr("Copy"), tr("Copy the selected cells, or all"));
    m_copy->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_copy);
    for (const auto& [text, as] : {std::pair{tr("As &Text"), CopyAs::Text}, std::pair{tr("As &Markdown"), CopyAs::Markdown},
                                   std::pair{tr("As &NumPy"), CopyAs::Numpy}, std::pair{tr("As &JSON"), CopyAs::Json}}) {
        menu->addAction(text, this, [this, wanted = as] { copy(wanted); });
    }
    m_copy->setMenu(menu);
    m_save = button(tr("Save…"), tr("Save the whole tensor as .npy"));
    connect(m_save, &QToolButton::clicked, this, &ValuesPanel::saveRequested);
    m_heatButton = button(tr("Heat map"), tr("Show the heat map"));
    m_heatButton->setCheckable(true);
    m_heatButton->setChecked(true);

    connect(m_choices, &QComboBox::activated, this, &ValuesPanel::choiceMade);
    connect(m_sources, &QComboBox::activated, this, &ValuesPanel::sourceChosen);
    connect(m_layout, &QComboBox::currentIndexChanged, this, &ValuesPanel::applyLayout);
    connect(m_style, &QComboBox::currentIndexChanged, this, &ValuesPanel::applyFormat);
    connect(m_digits, &QSpinBox::valueChanged, this, &ValuesPanel::applyFormat);
    connect(m_rowAxis, &QComboBox::activated, this, &ValuesPanel::axesChosen);
    connect(m_columnAxis, &QComboBox::activated, this, &ValuesPanel::axesChosen);
    for (QSpinBox* page : {m_rowPage, m_columnPage}) {
        page->setMinimum(1);
        connect(page, &QSpinBox::valueChanged, this, &ValuesPanel::pagesChanged);
    }
    connect(m_heatButton, &QToolButton::toggled, this, [this](bool on) {
        m_heat->setVisible(on);
        startHeat();
    });
}

void ValuesPanel::buildTables() {
    for (std::size_t i = 0; i < m_tables.size(); ++i) {
        auto* table = new QTableView(m_split);
        m_tables[i] = table;
        m_models[i] = new TensorTableModel(this);
        table->setObjectName(i == 0 ? QStringLiteral("valuesTable") : QStringLiteral("secondValuesTable"));
        table->setAccessibleName(i == 0 ? tr("Elements") : tr("Elements of the rewritten graph"));
        table->setModel(m_models[i]);
        table->setItemDelegate(new TensorCellDelegate(table));
        table->setEditTriggers(QAbstractItemView::NoEditTriggers);
        table->setTabKeyNavigation(false);
        table->setWordWrap(false);
        table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
        table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
        table->setMinimumSize(fontMetrics().averageCharWidth() * 20, fontMetrics().height() * 3);
        for (QHeaderView* header : {table->horizontalHeader(), table->verticalHeader()}) {
            header->setSectionResizeMode(QHeaderView::Interactive);
            header->setHighlightSections(true);
        }
        table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
        table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
        table->verticalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
        auto* copyCells = new QAction(tr("Copy"), table);
        copyCells->setShortcut(QKeySequence::Copy);
        copyCells->setShortcutContext(Qt::WidgetShortcut);
        connect(copyCells, &QAction::triggered, this, [this] { copy(CopyAs::Text); });
        table->addAction(copyCells);
        m_split->addWidget(table);
        connect(table->selectionModel(), &QItemSelectionModel::currentChanged, this,
                [this, i](const QModelIndex& current) { currentChanged(current, static_cast<int>(i)); });
        const auto grow = [this] {
            if (!m_filling) {
                fitColumns();
            }
        };
        connect(table->horizontalScrollBar(), &QScrollBar::valueChanged, this, grow, Qt::QueuedConnection);
        connect(table->verticalScrollBar(), &QScrollBar::valueChanged, this, grow, Qt::QueuedConnection);
    }
    // Two tables move as one.
    for (const auto& [from, to] : {std::pair{0, 1}, std::pair{1, 0}}) {
        QTableView* source = m_tables[static_cast<std::size_t>(from)];
        QTableView* target = m_tables[static_cast<std::size_t>(to)];
        connect(source->horizontalScrollBar(), &QScrollBar::valueChanged, target->horizontalScrollBar(), &QScrollBar::setValue);
        connect(source->verticalScrollBar(), &QScrollBar::valueChanged, target->verticalScrollBar(), &QScrollBar::setValue);
    }
    m_tables[1]->hide();
}

void ValuesPanel::setChoices(const QStringList& titles, int current) {
    const QSignalBlocker quiet(m_choices);
    m_choices->clear();
    m_choices->addItems(titles);
    m_choices->setCurrentIndex(current);
    m_choices->setEnabled(!titles.isEmpty());
}

void ValuesPanel::setSources(const QStringList& sources, int current) {
    const QSignalBlocker quiet(m_sources);
    m_sources->clear();
    m_sources->addItems(sources);
    m_sources->setCurrentIndex(current);
    m_sourceBox->setVisible(sources.size() > 1);
}

const TensorPair& ValuesPanel::tensors() const { return m_models[0]->tensors(); }

void ValuesPanel::setTensors(TensorPair tensors, const QString& title, const QString& emptyText) {
    m_scan.stop();
    m_pool.stop();
    m_find.stop();
    m_filling = true;
    m_title = title;
    m_emptyText = emptyText;
    m_difference.clear();
    m_statistics = {};
    m_trouble.clear();
    const Tensor* any = tensors.any();
    TensorSlice slice = any != nullptr ? TensorSlice(any->shape()) : TensorSlice();
    // Axes and indices stay where another value of the same shape is looked at: q, then k, then v.
    if (any != nullptr && this->tensors().any() != nullptr && slice.shape() == m_models[0]->slice().shape()) {
        slice = m_models[0]->slice();
    }
    const bool hasBoth = tensors.reference && tensors.rewritten;
    if (hasBoth && !tensors.sameShape()) {
        m_trouble = tr("The sides have different shapes, so they cannot be laid side by side: the reference is shown.");
    }
    for (TensorTableModel* each : m_models) {
        each->setTensors(tensors, slice);
    }
    m_layout->setEnabled(hasBoth && tensors.sameShape());
    const bool comparable = tensors.comparable();
    for (QAction* action : {m_previous, m_next}) {
        action->setEnabled(comparable);
    }
    m_copy->setEnabled(any != nullptr);
    m_save->setEnabled(any != nullptr);
    rebuildAxes();
    applyLayout();
    m_columnWidth = 0;
    m_filling = false;
    fitColumns();
    for (QTableView* table : m_tables) {
        if (table->model()->rowCount() > 0 && !table->currentIndex().isValid()) {
            table->setCurrentIndex(table->model()->index(0, 0));
        }
    }
    showSentence();
    startScan();
    startHeat();
}

void ValuesPanel::rebuildAxes() {
    const TensorSlice& slice = model()->slice();
    const Tensor* any = tensors().any();
    const bool filling = m_filling;
    m_filling = true;
    const auto axisText = [&slice](std::size_t axis) { return tr("axis %1 (%2)").arg(axis).arg(slice.shape()[axis]); };
    for (QComboBox* box : {m_rowAxis, m_columnAxis}) {
        box->clear();
        for (std::size_t axis = 0; any != nullptr && axis < slice.rank(); ++axis) {
            box->addItem(axisText(axis));
        }
    }
    const bool choosable = any != nullptr && slice.rank() >= 2;
    m_axesBox->setVisible(choosable);
    if (choosable) {
        m_rowAxis->setCurrentIndex(static_cast<int>(slice.rowAxis()));
        m_columnAxis->setCurrentIndex(static_cast<int>(slice.columnAxis()));
    }
    // Only axes with a choice: one of length 1 has none.
    std::vector<std::size_t> wanted;
    for (const std::size_t axis : any != nullptr ? slice.heldAxes() : std::vector<std::size_t>()) {
        if (slice.shape()[axis] > 1) {
            wanted.push_back(axis);
        }
    }
    const bool same = wanted.size() == m_held.size() &&
                      std::equal(wanted.begin(), wanted.end(), m_held.begin(), [](std::size_t axis, const auto& held) { return axis == held.first; });
    if (!same) {
        qDeleteAll(m_heldBox->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
        m_held.clear();
        for (const std::size_t axis : wanted) {
            auto* spin = new QSpinBox(m_heldBox);
            spin->setObjectName(QStringLiteral("axis%1").arg(axis));
            spin->setKeyboardTracking(false);
            connect(spin, &QSpinBox::valueChanged, this, &ValuesPanel::axesChosen);
            m_heldBox->layout()->addWidget(labelled(tr("axis %1 at").arg(axis), spin, m_heldBox));
            m_held.emplace_back(axis, spin);
        }
    }
    for (const auto& [axis, spin] : m_held) {
        spin->setRange(0, spinLimit(slice.shape()[axis] - 1));
        spin->setValue(spinLimit(slice.index(axis)));
    }
    m_heldBox->setVisible(!m_held.empty());
    m_rowPage->setMaximum(spinLimit(model()->rowPages()));
    m_rowPage->setSuffix(tr(" of %1").arg(model()->rowPages()));
    m_rowPage->setValue(spinLimit(model()->rowPage() + 1));
    m_rowPageBox->setVisible(model()->rowPages() > 1);
    m_columnPage->setMaximum(spinLimit(model()->columnPages()));
    m_columnPage->setSuffix(tr(" of %1").arg(model()->columnPages()));
    m_columnPage->setValue(spinLimit(model()->columnPage() + 1));
    m_columnPageBox->setVisible(model()->columnPages() > 1);
    m_filling = filling;
}

void ValuesPanel::axesChosen() {
    if (m_filling) {
        return;
    }
    TensorSlice slice = model()->slice();
    auto rows = static_cast<std::size_t>(std::max(0, m_rowAxis->currentIndex()));
    auto columns = static_cast<std::size_t>(std::max(0, m_columnAxis->currentIndex()));
    if (rows == columns) {
        // The axis that was taken away from the other side goes there instead: both are swapped.
        (sender() == m_rowAxis ? columns : rows) = sender() == m_rowAxis ? slice.rowAxis() : slice.columnAxis();
    }
    slice.setAxes(rows, columns);
    for (const auto& [axis, spin] : m_held) {
        slice.setIndex(axis, spin->value());
    }
    for (TensorTableModel* each : m_models) {
        each->setSlice(slice);
    }
    rebuildAxes();
    fitColumns();
    showSentence();
    startHeat();
}

void ValuesPanel::pagesChanged() {
    if (m_filling) {
        return;
    }
    for (TensorTableModel* each : m_models) {
        each->setPage(m_rowPage->value() - 1, m_columnPage->value() - 1);
    }
    fitColumns();
}

void ValuesPanel::applyLayout() {
    const bool pair = tensors().sameShape();
    const auto layout = pair ? static_cast<Layout>(m_layout->currentIndex()) : Layout::Reference;
    for (std::size_t i = 0; i < m_models.size(); ++i) {
        m_models[i]->setContent(contentOf(layout, i));
    }
    m_tables[1]->setVisible(layout == Layout::TwoTables);
    m_tables[0]->setAccessibleName(layout == Layout::TwoTables ? tr("Elements of the reference") : tr("Elements"));
    const bool numbers = layout != Layout::Ulp && layout != Layout::Difference;
    m_style->setEnabled(numbers);
    if (!m_filling) {
        m_columnWidth = 0;
        fitColumns();
        showSentence();
        startHeat();
    }
}

void ValuesPanel::applyFormat() {
    const NumberFormat format{static_cast<NumberStyle>(m_style->currentIndex()), m_digits->value()};
    for (TensorTableModel* each : m_models) {
        each->setFormat(format);
    }
    m_digitsBox->setVisible(format.style == NumberStyle::Fixed || format.style == NumberStyle::Scientific);
    m_columnWidth = 0;
    fitColumns();
}

void ValuesPanel::setLayout(Layout layout) { m_layout->setCurrentIndex(static_cast<int>(layout)); }

void ValuesPanel::setStyle(NumberStyle style) { m_style->setCurrentIndex(static_cast<int>(style)); }

void ValuesPanel::fitColumns() {
    // All columns as wide as what is in sight needs, and never narrower again: numbers are not cut, and nothing jumps.
    int wanted = m_columnWidth;
    for (QTableView* table : m_tables) {
        const QAbstractItemModel* cells = table->model();
        if (!table->isVisibleTo(this) || cells->rowCount() == 0 || cells->columnCount() == 0) {
            continue;
        }
        QFont bold = table->font();
        bold.setBold(true);
        const QFontMetrics metrics(bold);
        const int firstRow = std::max(0, table->rowAt(0));
        const int firstColumn = std::max(0, table->columnAt(0));
        const int lastColumn = std::min(cells->columnCount(), firstColumn + SampledColumns) - 1;
        for (int row = firstRow; row < std::min(cells->rowCount(), firstRow + SampledRows); ++row) {
            for (int column = firstColumn; column <= lastColumn; ++column) {
                wanted = std::max(wanted, metrics.horizontalAdvance(cells->index(row, column).data().toString()));
            }
        }
        wanted = std::max(wanted, metrics.horizontalAdvance(cells->headerData(lastColumn, Qt::Horizontal).toString()));
    }
    m_columnWidth = wanted;
    const int width = std::clamp(wanted + 14, fontMetrics().averageCharWidth() * 6, fontMetrics().averageCharWidth() * 80);
    for (QTableView* table : m_tables) {
        if (table->horizontalHeader()->defaultSectionSize() != width) {
            table->horizontalHeader()->setDefaultSectionSize(width);
        }
    }
}

void ValuesPanel::startScan() {
    if (tensors().isEmpty()) {
        return;
    }
    m_scan.start<ScanResult>([shown = tensors()](const JobContext& context) { return scan(shown, context.stop); },
                             [this](Result<ScanResult> scanned) {
                                 if (scanned) {
                                     m_difference = toQString(scanned->difference);
                                     m_statistics = {toQString(scanned->reference), toQString(scanned->rewritten)};
                                     showSentence();
                                 }
                             });
}

void ValuesPanel::startHeat() {
    const TensorPair& shown = tensors();
    if (shown.isEmpty() || !m_heatButton->isChecked()) {
        m_pool.stop();
        m_heat->setMap(nullptr, m_emptyText);
        return;
    }
    const auto layout = static_cast<Layout>(m_layout->currentIndex());
    const bool difference = shown.comparable() && layout != Layout::Reference && layout != Layout::Rewritten;
    const Tensor one = difference ? *shown.reference : *savedTensor();
    const std::optional<Tensor> other = difference ? shown.rewritten : std::nullopt;
    if (!difference && !(one.element() == ElementType::Bool || isInteger(one.element()) || isFloat(one.element()))) {
        m_pool.stop();
        m_heat->setMap(nullptr, tr("%1 has no magnitude to draw.").arg(toQString(name(one.element()))));
        return;
    }
    m_pool.start<std::shared_ptr<const HeatMap>>(
        [one, other, slice = model()->slice(), rows = m_heat->mostRows(),
         columns = m_heat->mostColumns()](const JobContext& context) -> Result<std::shared_ptr<const HeatMap>> {
            auto map = heatMapOf(one, other ? &*other : nullptr, slice, rows, columns, context.stop);
            if (!map) {
                return tl::unexpected(map.error());
            }
            return std::make_shared<const HeatMap>(std::move(*map));
        },
        [this](Result<std::shared_ptr<const HeatMap>> map) {
            m_heat->setMap(map ? *map : nullptr, map ? QString() : toQString(map.error().message));
            currentChanged(m_tables[0]->currentIndex(), 0);
        });
}

void ValuesPanel::showSentence() {
    const Tensor* any = tensors().any();
    if (any == nullptr) {
        m_sentence->setText(m_emptyText);
        return;
    }
    QStringList parts;
    const std::string slice = any->shape().size() > 2 ? " " + model()->slice().text() : std::string();
    QString what = m_title.isEmpty() ? toQString(tensorTypeText(*any)) : tr("%1: %2").arg(m_title, toQString(tensorTypeText(*any)));
    if (tensors().reference && tensors().rewritten && tensorTypeText(*tensors().reference) != tensorTypeText(*tensors().rewritten)) {
        what = tr("%1: %2 and %3").arg(m_title, toQString(tensorTypeText(*tensors().reference)), toQString(tensorTypeText(*tensors().rewritten)));
    }
    parts << what + (slice.empty() ? QString() : tr(", slice%1").arg(toQString(slice)));
    if (!m_difference.isEmpty()) {
        parts << m_difference;
    }
    QString text = parts.join(QStringLiteral(". ")) + u'.';
    for (const QString& more : {m_trouble, m_emptyText}) {
        if (!more.isEmpty()) {
            text += u' ' + more;
        }
    }
    const bool both = !m_statistics[0].isEmpty() && !m_statistics[1].isEmpty();
    if (both && m_statistics[0] == m_statistics[1]) {
        text += u'\n' + tr("Both: %1.").arg(m_statistics[0]);
    } else {
        for (std::size_t side = 0; side < 2; ++side) {
            if (!m_statistics[side].isEmpty()) {
                text += u'\n' + (side == 0 ? tr("Reference: %1.") : tr("Rewritten: %1.")).arg(m_statistics[side]);
            }
        }
    }
    m_sentence->setText(text);
}

QString ValuesPanel::sentence() const { return m_sentence->text(); }

bool ValuesPanel::isIdle() const { return !m_scan.isRunning() && !m_pool.isRunning() && !m_find.isRunning(); }

void ValuesPanel::currentChanged(const QModelIndex& current, int table) {
    const auto flat = m_models[static_cast<std::size_t>(table)]->flatAt(current);
    m_heat->setCurrent(flat ? model()->slice().placeOf(*flat) : std::nullopt);
    QTableView* other = m_tables[table == 0 ? 1 : 0];
    if (current.isValid() && other->isVisibleTo(this) &&
        (other->currentIndex().row() != current.row() || other->currentIndex().column() != current.column())) {
        other->setCurrentIndex(other->model()->index(current.row(), current.column()));
    }
}

std::optional<std::int64_t> ValuesPanel::currentElement() const { return m_models[0]->flatAt(m_tables[0]->currentIndex()); }

void ValuesPanel::goToElement(std::int64_t flat) {
    if (!model()->slice().placeOf(flat)) {
        TensorSlice slice = model()->slice();
        slice.moveTo(flat);
        for (TensorTableModel* each : m_models) {
            each->setSlice(slice);
        }
        startHeat();
    }
    const auto place = model()->slice().placeOf(flat);
    if (!place) {
        return;
    }
    for (TensorTableModel* each : m_models) {
        each->setPage(place->first / TensorTableModel::PageRows, place->second / TensorTableModel::PageColumns);
    }
    rebuildAxes();
    for (std::size_t i = 0; i < m_tables.size(); ++i) {
        const QModelIndex index = m_models[i]->indexOfElement(flat);
        m_tables[i]->setCurrentIndex(index);
        m_tables[i]->scrollTo(index);
    }
    fitColumns();
    showSentence();
}

void ValuesPanel::goToDifference(bool backwards) {
    if (!tensors().comparable()) {
        return;
    }
    const std::int64_t from = currentElement().value_or(-1);
    m_find.start<std::optional<std::int64_t>>(
        [shown = tensors(), from, backwards](const JobContext& context) {
            return nextDifference(*shown.reference, *shown.rewritten, from, backwards, context.stop);
        },
        [this](Result<std::optional<std::int64_t>> found) {
            if (!found) {
                return;
            }
            if (*found) {
                goToElement(**found);
                Q_EMIT told(toQString(cellSentence(tensors(), **found)));
            } else {
                Q_EMIT told(tr("No element differs."));
            }
        });
}

CellRange ValuesPanel::selectedRange() const {
    const TensorSlice& slice = model()->slice();
    const CellRange all{0, 0, slice.rows(), slice.columns()};
    const QTableView* table = m_tables[1]->hasFocus() ? m_tables[1] : m_tables[0];
    const QItemSelection selection = table->selectionModel()->selection();
    if (selection.isEmpty()) {
        return all;
    }
    QRect bounds;
    for (const QItemSelectionRange& range : selection) {
        bounds |= QRect(QPoint(range.left(), range.top()), QPoint(range.right(), range.bottom()));
    }
    if (bounds.width() * bounds.height() <= 1) {
        return all;
    }
    return {model()->firstRow() + bounds.top(), model()->firstColumn() + bounds.left(), bounds.height(), bounds.width()};
}

const Tensor* ValuesPanel::savedTensor() const {
    const TensorPair& shown = tensors();
    const bool second = m_models[0]->content() == CellContent::Rewritten || (m_tables[1]->isVisibleTo(this) && m_tables[1]->hasFocus());
    return second && shown.rewritten ? &*shown.rewritten : shown.any();
}

QString ValuesPanel::copyText(CopyAs as) {
    const TensorPair& shown = tensors();
    if (shown.isEmpty()) {
        return {};
    }
    const CellRange range = selectedRange();
    const TensorSlice& slice = model()->slice();
    const bool wholeSlice = range == CellRange{0, 0, slice.rows(), slice.columns()};
    if (as == CopyAs::Text || as == CopyAs::Markdown) {
        if (range.rows > MostCopiedElements || range.columns > MostCopiedElements || range.rows * range.columns > MostCopiedElements) {
            Q_EMIT told(tr("Too many cells to copy: at most %1. Select fewer, or save them as .npy.").arg(MostCopiedElements));
            return {};
        }
        const TensorTableModel* cells = m_tables[1]->isVisibleTo(this) && m_tables[1]->hasFocus() ? m_models[1] : m_models[0];
        const auto text = [cells](std::int64_t row, std::int64_t column) { return toStdString(cells->textAt(row, column)); };
        return toQString(as == CopyAs::Text ? plainCells(slice, range, text) : markdownCells(slice, range, text));
    }
    // Nothing selected of a tensor with more axes: the whole tensor, not one slice of it.
    const auto write = [&](const Tensor& tensor) -> Result<std::string> {
        if (wholeSlice) {
            return as == CopyAs::Numpy ? numpyLiteral(tensor) : tensorJson(tensor);
        }
        const auto part = elementsOf(tensor, slice, range);
        if (!part) {
            return tl::unexpected(part.error());
        }
        return as == CopyAs::Numpy ? numpyLiteral(*part) : tensorJson(*part);
    };
    const CellContent content = m_models[0]->content();
    const bool both = shown.sameShape() && (content == CellContent::Both || m_tables[1]->isVisibleTo(this) || content == CellContent::Difference ||
                                            content == CellContent::Ulp);
    const auto first = write(both ? *shown.reference : *savedTensor());
    const auto second = both ? write(*shown.rewritten) : first;
    if (!first || !second) {
        Q_EMIT told(toQString(first ? second.error().message : first.error().message));
        return {};
    }
    if (!both) {
        return toQString(*first);
    }
    return as == CopyAs::Numpy ? QStringLiteral("reference = %1\nrewritten = %2\n").arg(toQString(*first), toQString(*second))
                               : QStringLiteral("{\"reference\": %1,\n \"rewritten\": %2}\n").arg(toQString(*first), toQString(*second));
}

void ValuesPanel::copy(CopyAs as) {
    const QString text = copyText(as);
    if (!text.isEmpty()) {
        QGuiApplication::clipboard()->setText(text);
        Q_EMIT told(tr("Copied: %n line(s)", nullptr, static_cast<int>(text.count(u'\n') + (text.endsWith(u'\n') ? 0 : 1))));
    }
}

} // namespace lemmascope
