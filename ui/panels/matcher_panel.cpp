#include "ui/panels/matcher_panel.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/panels/outline_view.h"
#include "ui/panels/scroll_frame.h"
#include "ui/views/elided_label.h"
#include "ui/views/flow_layout.h"
#include "ui/views/match_rows.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lemmascope {

MatcherPanel::MatcherPanel(QWidget* parent) : QWidget(parent) {
    m_tabs = new QTabWidget(this);
    m_tabs->setObjectName(QStringLiteral("matcherTabs"));
    m_tabs->setAccessibleName(tr("Steps, or why not here"));
    m_tabs->setDocumentMode(true);
    m_tabs->setFocusPolicy(Qt::NoFocus); // its bar takes the focus

    auto* steps = new QWidget(m_tabs);
    steps->setAccessibleName(tr("Steps"));
    m_title = new ElidedLabel(steps);
    m_title->setObjectName(QStringLiteral("matcherTitle"));
    m_title->setAccessibleName(tr("Where the matcher is"));
    m_buttons = new QWidget(steps);
    m_buttons->setAccessibleName(tr("Steps of the matcher"));
    m_flow = new FlowLayout(m_buttons);
    m_pattern = new GraphCanvas(steps);
    m_pattern->setObjectName(QStringLiteral("patternCanvas"));
    m_pattern->setAccessibleName(tr("Pattern"));
    m_pattern->setEmptyText(tr("The pattern of the rule that is stepped through is drawn here."));
    m_pattern->setAnimated(false);
    m_pattern->setMinimumWidth(120);
    m_state = new OutlineView(tr("State of the matcher"), stateHeaders(), {}, steps);
    m_state->setObjectName(QStringLiteral("matcherState"));
    const int letter = fontMetrics().averageCharWidth();
    m_state->header()->resizeSection(0, letter * 22);
    m_splitter = new QSplitter(Qt::Horizontal, steps);
    m_splitter->setAccessibleName(tr("Pattern and state"));
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored); // what is left, not what the views would like
    m_splitter->addWidget(m_pattern);
    m_splitter->addWidget(m_state);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({500, 500});
    m_pattern->setMinimumHeight(fontMetrics().height() * 5);
    m_state->setMinimumHeight(fontMetrics().height() * 5);
    auto* stepRows = new QVBoxLayout(steps);
    stepRows->setContentsMargins(4, 4, 4, 4);
    stepRows->setSpacing(4);
    stepRows->addWidget(m_title);
    stepRows->addWidget(m_buttons);
    stepRows->addWidget(m_splitter, 1);

    auto* why = new QWidget(m_tabs);
    why->setAccessibleName(tr("Why not here"));
    m_whyTitle = new ElidedLabel(why);
    m_whyTitle->setObjectName(QStringLiteral("whyTitle"));
    m_whyTitle->setAccessibleName(tr("Node that is asked about"));
    m_rules = new QComboBox(why);
    m_rules->setObjectName(QStringLiteral("whyRules"));
    m_rules->setAccessibleName(tr("Rules that are asked about"));
    m_rules->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_rules->setMinimumContentsLength(12);
    m_rules->addItem(tr("all rules"));
    m_why = new OutlineView(tr("Why rules do not match"), whyNotHeaders(), {}, why);
    m_why->setObjectName(QStringLiteral("whyTree"));
    m_why->header()->resizeSection(0, letter * 30);
    m_why->setMinimumHeight(fontMetrics().height() * 5);
    m_why->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    auto* top = new QHBoxLayout;
    top->addWidget(m_whyTitle, 1);
    top->addWidget(m_rules);
    auto* whyRows = new QVBoxLayout(why);
    whyRows->setContentsMargins(4, 4, 4, 4);
    whyRows->setSpacing(4);
    whyRows->addLayout(top);
    whyRows->addWidget(m_why, 1);

    m_tabs->addTab(new ScrollFrame(tr("Steps, scrolled"), steps, m_tabs), tr("Steps"));
    m_tabs->addTab(new ScrollFrame(tr("Why not here, scrolled"), why, m_tabs), tr("Why not here"));
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(m_tabs);
    connect(m_rules, &QComboBox::activated, this, &MatcherPanel::ruleChosen);
    setTitle({});
    setWhy({}, {});
}

void MatcherPanel::addButton(QAction* action, const QString& text) {
    auto* button = new QToolButton(m_buttons);
    button->setDefaultAction(action);
    action->setIconText(text);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setAccessibleName(text);
    button->setFocusPolicy(Qt::TabFocus);
    m_flow->addWidget(button);
}

void MatcherPanel::setTitle(const QString& text) {
    const QString shown = text.isEmpty() ? tr("Choose a match or a miss in Rules, or a node and Why Not Here (W).") : text;
    m_title->setText(shown);
    m_title->setToolTip(shown);
}

QString MatcherPanel::title() const { return m_title->toolTip(); }

void MatcherPanel::setState(OutlineRows rows) { m_state->setRows(std::move(rows)); }

void MatcherPanel::setWhy(const QString& node, OutlineRows rows) {
    const QString shown = node.isEmpty() ? tr("Choose a node and Why Not Here (W).") : node;
    m_whyTitle->setText(shown);
    m_whyTitle->setToolTip(shown);
    m_why->setRows(std::move(rows));
}

QString MatcherPanel::whyTitle() const { return m_whyTitle->toolTip(); }

void MatcherPanel::setRules(const QStringList& rules) {
    const QString was = m_rules->currentIndex() > 0 ? m_rules->currentText() : QString();
    while (m_rules->count() > 1) {
        m_rules->removeItem(m_rules->count() - 1);
    }
    m_rules->addItems(rules);
    const auto at = was.isEmpty() ? -1 : rules.indexOf(was);
    m_rules->setCurrentIndex(static_cast<int>(at) + 1);
}

int MatcherPanel::chosenRule() const { return std::max(0, m_rules->currentIndex()); }

void MatcherPanel::showPage(Page page) { m_tabs->setCurrentIndex(page == Page::Steps ? 0 : 1); }

MatcherPanel::Page MatcherPanel::page() const { return m_tabs->currentIndex() == 0 ? Page::Steps : Page::WhyNot; }

} // namespace lemmascope
