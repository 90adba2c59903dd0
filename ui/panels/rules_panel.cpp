#include "ui/panels/rules_panel.h"

#include "ui/panels/outline_view.h"
#include "ui/panels/rule_text_view.h"
#include "ui/panels/scroll_frame.h"
#include "ui/views/elided_label.h"
#include "ui/views/flow_layout.h"
#include "ui/views/match_rows.h"

#include <QAction>
#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

namespace lemmascope {

RulesPanel::RulesPanel(QWidget* parent) : QWidget(parent) {
    m_file = new ElidedLabel(this);
    m_file->setObjectName(QStringLiteral("rulesFile"));
    m_file->setAccessibleName(tr("Rule file"));
    m_side = new QComboBox(this);
    m_side->setObjectName(QStringLiteral("rulesSide"));
    m_side->setAccessibleName(tr("Graph that the rules are matched on"));
    m_side->setToolTip(tr("Graph that the rules are matched on"));
    m_side->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_side->addItem(tr("reference"));
    m_side->addItem(tr("rewritten"));
    m_buttons = new QWidget(this);
    m_buttons->setAccessibleName(tr("Acts on rules"));
    m_flow = new FlowLayout(m_buttons);
    m_filter = new QLineEdit(this);
    m_filter->setObjectName(QStringLiteral("rulesFilter"));
    m_filter->setAccessibleName(tr("Filter rules and matches"));
    m_filter->setPlaceholderText(tr("Filter by words"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMaxLength(1'000);
    m_answer = new QLabel(this);
    m_answer->setObjectName(QStringLiteral("rulesAnswer"));
    m_answer->setAccessibleName(tr("What was matched"));
    m_answer->setTextFormat(Qt::PlainText);
    m_answer->setWordWrap(true);
    m_answer->setMinimumWidth(1);
    m_progress = new QProgressBar(this);
    m_progress->setAccessibleName(tr("Rules matched"));
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(6);
    m_progress->hide();
    m_tree = new OutlineView(tr("Rules and matches"), ruleHeaders(), ruleHeaderTips(), this);
    m_tree->setObjectName(QStringLiteral("rulesTree"));
    const int letter = fontMetrics().averageCharWidth();
    m_tree->header()->resizeSection(0, letter * 26);
    for (int column = 1; column + 1 < RuleColumns; ++column) {
        m_tree->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    }
    m_text = new RuleTextView(this);
    m_text->setObjectName(QStringLiteral("rulesText"));
    m_splitter = new QSplitter(Qt::Vertical, this);
    m_splitter->setAccessibleName(tr("Matches and text of the rules"));
    m_splitter->addWidget(m_tree);
    m_splitter->addWidget(m_text);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored); // what is left, not what the views would like
    // Less than views ask for by themselves: a low pane shows a few rows of each before it scrolls.
    m_tree->setMinimumHeight(fontMetrics().height() * 5);
    m_text->setMinimumHeight(fontMetrics().height() * 3);

    auto* top = new QHBoxLayout;
    top->addWidget(m_file, 1);
    top->addWidget(m_side);
    auto* inside = new QWidget;
    inside->setAccessibleName(tr("Rules, matches and text"));
    auto* all = new QVBoxLayout(inside);
    all->setContentsMargins(4, 4, 4, 4);
    all->setSpacing(4);
    all->addLayout(top);
    all->addWidget(m_buttons);
    all->addWidget(m_filter);
    all->addWidget(m_splitter, 1);
    all->addWidget(m_progress);
    all->addWidget(m_answer);
    auto* frame = new QVBoxLayout(this);
    frame->setContentsMargins(0, 0, 0, 0);
    frame->addWidget(new ScrollFrame(tr("Rules, scrolled"), inside, this));

    connect(m_filter, &QLineEdit::textChanged, this, &RulesPanel::showRows);
    connect(m_side, &QComboBox::activated, this, [this](int index) { Q_EMIT sideChosen(index == 0 ? Side::Reference : Side::Rewritten); });
    connect(m_tree, &OutlineView::rowChosen, this, [this] {
        if (const OutlineRow* row = m_tree->current(); row != nullptr && row->spot.line != 0) {
            m_text->goTo(row->spot);
        }
    });
    setFile({});
}

void RulesPanel::addButton(QAction* action, const QString& text) {
    auto* button = new QToolButton(m_buttons);
    button->setDefaultAction(action);
    action->setIconText(text);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setAccessibleName(text);
    button->setFocusPolicy(Qt::TabFocus);
    m_flow->addWidget(button);
}

void RulesPanel::setFile(const QString& path) {
    m_file->setText(path.isEmpty() ? tr("no rules open") : QFileInfo(path).fileName());
    m_file->setToolTip(path);
    m_file->setAccessibleDescription(path);
}

void RulesPanel::setRows(std::shared_ptr<const OutlineRows> rows) {
    m_rows = std::move(rows);
    showRows();
}

void RulesPanel::showRows() { m_tree->setRows(m_rows ? filtered(*m_rows, m_filter->text()) : OutlineRows()); }

void RulesPanel::setAnswer(const QString& text) {
    m_answer->setText(text);
    m_answer->setAccessibleDescription(text);
}

QString RulesPanel::answer() const { return m_answer->text(); }

void RulesPanel::setProgress(std::size_t done, std::size_t rules) {
    m_progress->setVisible(rules > 0);
    m_progress->setRange(0, static_cast<int>(rules));
    m_progress->setValue(static_cast<int>(done));
}

void RulesPanel::setSide(Side side) { m_side->setCurrentIndex(side == Side::Reference ? 0 : 1); }

} // namespace lemmascope
