#include "ui/window/groups_part.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/canvas/scene_memory.h"
#include "ui/jobs/pair_session.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>

#include <algorithm>

namespace lemmascope {

GroupsPart::GroupsPart(MainWindow& window) : QObject(&window), m_window(window) {
    setObjectName(QStringLiteral("groupsPart"));
    m_menu = window.menu(MainWindow::Menu::View)->addMenu(tr("&Groups"));
    m_choices = new QActionGroup(this);
    const auto choice = [&](const QString& text, const QString& tip, std::optional<Grouping> grouping) {
        QAction* action = window.addMenuAction(
            m_menu, text, {}, [this, grouping] { choose(grouping); }, MainWindow::Needs::Pair);
        action->setCheckable(true);
        action->setToolTip(tip);
        action->setData(grouping ? static_cast<int>(*grouping) : -1);
        m_choices->addAction(action);
    };
    choice(tr("&Automatic"), tr("Shared regions of graphs of more than %1 nodes are drawn as one").arg(PairSession::LargestUngrouped), {});
    choice(tr("&None"), tr("Every node is drawn by itself"), Grouping::None);
    choice(tr("By &Scope"), tr("Nodes whose names begin alike are drawn as one"), Grouping::Scopes);
    choice(tr("By Repeated &Block"), tr("Parts that repeat one after the other are drawn as one each"), Grouping::Blocks);
    choice(tr("Shared &Regions"), tr("What both graphs share is drawn as one, region by region"), Grouping::Shared);
    m_menu->addSeparator();
    m_open = window.addMenuAction(
        m_menu, tr("&Open All Groups"), {QKeySequence(QStringLiteral("Ctrl+Shift+Right"))}, [this] { m_window.session()->setGroupsOpen(true); },
        MainWindow::Needs::Pair);
    m_close = window.addMenuAction(
        m_menu, tr("&Close All Groups"), {QKeySequence(QStringLiteral("Ctrl+Shift+Left"))}, [this] { m_window.session()->setGroupsOpen(false); },
        MainWindow::Needs::Pair);
    window.addLetterAction(
        m_menu, tr("Open Gro&up"), {QKeySequence(QStringLiteral("O"))}, [this] { toggleSelected(true); }, MainWindow::Needs::Pair);
    window.addLetterAction(
        m_menu, tr("C&lose Group"), {QKeySequence(QStringLiteral("C"))}, [this] { toggleSelected(false); }, MainWindow::Needs::Pair);

    for (const Side side : {Side::Reference, Side::Rewritten}) {
        GraphCanvas* canvas = window.canvas(side);
        connect(canvas, &GraphCanvas::groupSelected, this, [this, side](quint32 group) { groupSelected(side, group); });
        connect(canvas, &GraphCanvas::groupExpansionRequested, window.session(),
                [this](quint32 group, bool expand) { m_window.session()->expandGroup(group, expand); });
    }
    connect(&window, &MainWindow::selectionChanged, this, [this] {
        rememberSelection();
        reveal();
    });
    connect(&window, &MainWindow::nodeMenuOpening, this, [this](QMenu* menu, Side side, FlatNodeId node) {
        const GraphCanvas* canvas = m_window.canvas(side);
        const std::uint32_t item = canvas->selectedItem();
        if (canvas->selectedGroup() != NodeGroup::None) {
            const bool closed = canvas->scene()->isClosed(item);
            menu->addAction(closed ? tr("Open Gro&up") : tr("C&lose Group"), this, [this, closed] { toggleSelected(closed); });
        } else if (node.isValid() && canvas->scene() && canvas->scene()->nodeGroups &&
                   canvas->scene()->nodeGroups->of(static_cast<std::size_t>(side), node.index) != NodeGroup::None) {
            menu->addAction(tr("C&lose Group"), this, [this] { toggleSelected(false); });
        }
    });
    connect(window.session(), &PairSession::scenesChanged, this, &GroupsPart::scenesChanged);
    connect(window.session(), &PairSession::opened, this, [this] {
        m_goAgain = false;
        if (!m_window.session()->isReload()) {
            m_kept.clear();
        }
        refresh();
    });
    connect(window.session(), &PairSession::stateChanged, this, &GroupsPart::refresh);
    refresh();
}

void GroupsPart::choose(std::optional<Grouping> grouping) {
    m_window.session()->setGrouping(grouping);
    refresh();
}

void GroupsPart::refresh() {
    const auto& chosen = m_window.session()->sceneOptions().grouping;
    for (QAction* action : m_choices->actions()) {
        action->setChecked(action->data().toInt() == (chosen ? static_cast<int>(*chosen) : -1));
    }
}

void GroupsPart::toggleSelected(bool open) {
    const Side side = m_window.activeSide();
    const GraphCanvas* canvas = m_window.canvas(side);
    const auto& groups = m_window.session()->groups();
    if (!groups || !canvas->scene()) {
        return;
    }
    std::uint32_t group = canvas->selectedGroup();
    if (group == NodeGroup::None && !open && canvas->selectedNode().isValid()) {
        group = groups->of(static_cast<std::size_t>(side), canvas->selectedNode().index);
    }
    if (group != NodeGroup::None) {
        m_window.session()->expandGroup(group, open);
    }
}

void GroupsPart::groupSelected(Side side, std::uint32_t group) {
    // Its other half is selected and shown with it.
    GraphCanvas* canvas = m_window.canvas(side);
    GraphCanvas* opposite = m_window.canvas(MainWindow::other(side));
    const std::uint32_t item = canvas->selectedItem();
    m_window.selectValue(side, {});
    canvas->selectItem(item);
    const auto& scene = opposite->scene();
    const std::uint32_t partner = scene && group < scene->itemOfGroup.size() ? scene->itemOfGroup[group] : NoItem;
    opposite->selectItem(partner);
    if (partner != NoItem) {
        opposite->ensureVisible(partner);
    }
}

void GroupsPart::rememberSelection() {
    const MainWindow::Selection selected = m_window.selection();
    const GraphTree* tree = m_window.session()->tree(selected.side);
    m_kept.clear();
    if (selected.node.isValid() && tree != nullptr && selected.node.index < tree->nodeCount()) {
        m_keptSide = selected.side;
        m_kept = lastingName(*tree, selected.node);
    }
}

void GroupsPart::reveal() {
    const MainWindow::Selection selected = m_window.selection();
    std::vector<FlatNodeId> nodes[2];
    const auto& result = m_window.session()->session().result;
    if (selected.lemma && result && *selected.lemma < result->lemmas.size()) {
        const LemmaResult& lemma = result->lemmas[*selected.lemma];
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            // What the window moves to: the first node, or the one that makes the value.
            const GraphTree& tree = *m_window.session()->tree(side);
            const FlatValueId value = side == Side::Reference ? lemma.reference : lemma.rewritten;
            const auto& all = side == Side::Reference ? lemma.referenceNodes : lemma.rewrittenNodes;
            if (value.isValid() && value.index < tree.valueCount() && tree.value(value).producer.isValid()) {
                nodes[static_cast<std::size_t>(side)].emplace_back(tree.instanceOf(value).nodeBase + tree.value(value).producer.index);
            }
            if (!all.empty()) {
                nodes[static_cast<std::size_t>(side)].push_back(all.front());
            }
        }
    } else if (selected.node.isValid()) {
        nodes[static_cast<std::size_t>(selected.side)] = {selected.node};
        const FlatNodeId partner = m_window.partnerOf(selected.side, selected.node);
        if (partner.isValid()) {
            nodes[static_cast<std::size_t>(MainWindow::other(selected.side))] = {partner};
        }
    }
    m_goAgain = m_window.session()->reveal(nodes[0], nodes[1]) || m_goAgain;
}

void GroupsPart::scenesChanged() {
    const MainWindow::Selection selected = m_window.selection();
    if (m_goAgain) {
        m_goAgain = false;
        if (selected.lemma) {
            m_window.goToLemma(*selected.lemma);
        } else if (selected.node.isValid()) {
            m_window.goToNode(selected.side, selected.node);
        }
        return;
    }
    if (m_kept.empty() || selected.lemma || selected.node.isValid() || selected.value.isValid() || !m_window.session()->isReload()) {
        return;
    }
    // The canvas has found it again by its name; the panels follow.
    const GraphCanvas* canvas = m_window.canvas(m_keptSide);
    const GraphTree* tree = m_window.session()->tree(m_keptSide);
    const FlatNodeId node = canvas->selectedNode();
    if (node.isValid() && tree != nullptr && node.index < tree->nodeCount() && lastingName(*tree, node) == m_kept) {
        m_window.selectNode(m_keptSide, node);
    } else {
        m_kept.clear();
    }
}

} // namespace lemmascope
