// What is selected in MainWindow, and where both sides look: lemma to nodes, node to partner, back and forward.

#include "ui/window/main_window.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/panels/counterexample_panel.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/lemma_panel.h"
#include "ui/panels/program_page.h"
#include "ui/panels/query_panel.h"
#include "ui/panels/side_view.h"
#include "ui/views/text.h"
#include "ui/views/verdict_text.h"
#include "ui/window/program_part.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMenu>
#include <QStatusBar>

#include <algorithm>

namespace lemmascope {

namespace {

constexpr double SmallestReadableScale = 0.9;

const std::vector<NodeRelation>& relationsOf(const Correspondence& correspondence, Side side) {
    return side == Side::Reference ? correspondence.reference : correspondence.rewritten;
}

/// Node that makes a value, if one does.
FlatNodeId producerOf(const GraphTree& tree, FlatValueId value) {
    if (!value.isValid() || value.index >= tree.valueCount()) {
        return {};
    }
    const NodeId producer = tree.value(value).producer;
    return producer.isValid() ? FlatNodeId(tree.instanceOf(value).nodeBase + producer.index) : FlatNodeId{};
}

} // namespace

void MainWindow::connectCanvas(Side side) {
    GraphCanvas* view = canvas(side);
    view->setObjectName(side == Side::Reference ? QStringLiteral("referenceCanvas") : QStringLiteral("rewrittenCanvas"));
    view->installEventFilter(this);
    connect(view, &GraphCanvas::nodeSelected, this, [this, side](FlatNodeId node) {
        if (node.isValid()) {
            selectNode(side, node);
        } else {
            clearSelection();
        }
    });
    connect(view, &GraphCanvas::valueSelected, this, [this, side](FlatValueId value) { selectValue(side, value); });
    connect(view, &GraphCanvas::nodeActivated, this, [this, side](FlatNodeId node) {
        canvas(side)->centreOn({node});
        if (const FlatNodeId partner = partnerOf(side, node); partner.isValid()) {
            m_centred.start();
            canvas(other(side))->centreOn({partner});
        }
    });
    connect(view, &GraphCanvas::expansionRequested, this, [this, side](FlatNodeId node, bool expand) { m_session->expand(side, node, expand); });
    connect(view, &GraphCanvas::partnerRequested, this, &MainWindow::goToPartner);
    connect(view, &GraphCanvas::contextMenuRequested, this, [this, side](FlatNodeId node, QPoint position) { showNodeMenu(side, node, position); });
    connect(view, &GraphCanvas::viewChanged, this, [this, side](QPointF centre, double scale) { followView(side, centre, scale); });
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    // Tab in a canvas goes to the other side; F6 leaves the pair.
    if (event->type() == QEvent::KeyPress) {
        const auto* press = static_cast<QKeyEvent*>(event);
        if ((press->key() == Qt::Key_Tab || press->key() == Qt::Key_Backtab) && (press->modifiers() & Qt::ControlModifier) == 0) {
            for (const Side side : {Side::Reference, Side::Rewritten}) {
                if (watched == canvas(side)) {
                    canvas(other(side))->setFocus(Qt::TabFocusReason);
                    return true;
                }
            }
        }
    }
    return QMainWindow::eventFilter(watched, event);
}

Side MainWindow::activeSide() const { return canvas(Side::Rewritten)->hasFocus() ? Side::Rewritten : Side::Reference; }

FlatNodeId MainWindow::partnerOf(Side side, FlatNodeId node) const {
    const auto& correspondence = m_session->correspondence();
    if (!correspondence || !node.isValid()) {
        return {};
    }
    const auto& relations = relationsOf(*correspondence, side);
    return node.index < relations.size() ? relations[node.index].partner : FlatNodeId{};
}

std::vector<FlatNodeId> MainWindow::lemmaNodes(std::size_t lemma, Side side) const {
    const auto& result = m_session->session().result;
    const GraphTree* tree = m_session->tree(side);
    if (!result || tree == nullptr || lemma >= result->lemmas.size()) {
        return {};
    }
    const LemmaResult& entry = result->lemmas[lemma];
    std::vector<FlatNodeId> nodes = side == Side::Reference ? entry.referenceNodes : entry.rewrittenNodes;
    const FlatNodeId producer = producerOf(*tree, side == Side::Reference ? entry.reference : entry.rewritten);
    if (producer.isValid() && std::find(nodes.begin(), nodes.end(), producer) == nodes.end()) {
        nodes.insert(nodes.begin(), producer);
    }
    return nodes;
}

void MainWindow::refreshOverlays() {
    const Session& session = m_session->session();
    if (!session.isOpen()) {
        return;
    }
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        const auto& otherTree = side == Side::Reference ? session.rewrittenTree : session.referenceTree;
        SceneOverlay overlay;
        if (session.result) {
            overlay = overlayOf(session.result, side);
        } else if (m_session->correspondence()) {
            overlay = overlayOf(m_session->correspondence(), otherTree, side);
        }
        if (m_lemma && session.result && *m_lemma < session.result->lemmas.size()) {
            const LemmaResult& lemma = session.result->lemmas[*m_lemma];
            focusLemma(overlay, lemma, side, *m_session->tree(side));
            // Dimmed only where something stays lit: a side without a node of the lemma is left readable.
            if (lemma.verdict == LemmaVerdict::Fails && session.result->counterexample) {
                showValues(overlay, *session.result->counterexample, side);
            }
        } else if (m_node) {
            const FlatNodeId node = m_node->side == side ? m_node->node : partnerOf(m_node->side, m_node->node);
            if (node.isValid()) {
                overlay.focus = {node};
            }
        }
        overlay.obsolete = m_session->isStale();
        canvas(side)->setOverlay(std::move(overlay));
    }
}

void MainWindow::goToLemma(std::size_t lemma) {
    const auto& result = m_session->session().result;
    if (!result || lemma >= result->lemmas.size()) {
        return;
    }
    m_lemma = lemma;
    m_node.reset();
    m_value = {};
    remember({lemma, Side::Reference, {}, {}, {}});
    showLemmaPanels(lemma);
    refreshOverlays();
    m_centreAgain = m_session->sceneOptions().focusOnDifference;
    m_session->setFocusLemma(lemma);
    centreOnLemma(lemma, true);
    updateActions();
    Q_EMIT selectionChanged();
}

void MainWindow::goToFirstFailing() {
    const auto& result = m_session->session().result;
    if (!m_justOpened || m_session->state() != PairSession::State::Decided || !result || m_session->isLoading()) {
        return;
    }
    const bool drawn = canvas(Side::Reference)->scene() && canvas(Side::Rewritten)->scene();
    if (!drawn) {
        return; // once the scenes arrive
    }
    m_justOpened = false;
    // A reader who has already looked somewhere, or chosen something, is left there.
    const bool untouched = canvas(Side::Reference)->isFirstView() && canvas(Side::Rewritten)->isFirstView() && !m_lemma && !m_node;
    const bool wrong = result->verdict == Verdict::Refuted || result->verdict == Verdict::Unproved;
    if (m_goesToFailing && untouched && wrong && firstFailing(*result) < result->lemmas.size()) {
        goToLemma(firstFailing(*result));
    }
}

void MainWindow::setFocusOnDifference(bool on) {
    m_focusAction->setChecked(on);
    m_centreAgain = true;
    m_session->setFocusOnDifference(on);
    refreshStatus();
}

void MainWindow::showLemmaPanels(std::size_t lemma) {
    const CheckResult& result = *m_session->session().result;
    const LemmaResult& entry = result.lemmas[lemma];
    m_lemmas->selectLemma(lemma);
    m_inspector->showLemma(result, lemma);
    const QString title = tr("%1 %2: %3").arg(toQString(entry.id), word(entry.verdict), toQString(entry.title));
    if (entry.text.empty()) {
        m_query->clear(tr("%1 has no query: %2 decided it.")
                           .arg(toQString(entry.id), entry.rung == Rung::None
                                                         ? tr("nothing has")
                                                         : tr("rung %1, %2,").arg(static_cast<int>(entry.rung)).arg(word(entry.rung))));
    } else {
        m_query->setQuery(title, toQString(entry.digest), toQString(entry.text));
    }
    if (!result.counterexample) {
        QString text;
        switch (entry.verdict) {
        case LemmaVerdict::Holds: text = tr("%1 holds: there is no counterexample."); break;
        case LemmaVerdict::Fails:
            text = entry.model.empty() ? tr("%1 fails, but no inputs are known on which the graphs differ.")
                                       : tr("%1 fails in the abstract; no inputs are known that lead there. The solver's model: %2")
                                             .arg(QStringLiteral("%1"), toQString(entry.model));
            break;
        case LemmaVerdict::Undecided: text = tr("%1 is undecided: no counterexample is known."); break;
        case LemmaVerdict::Vacuous: text = tr("%1 is vacuous: its premises cannot all be true, so it says nothing."); break;
        }
        text = text.arg(toQString(entry.id));
        if (!entry.reason.empty()) {
            text += (text.endsWith(u'.') ? QStringLiteral(" ") : QStringLiteral(". ")) + tr("Reason: %1").arg(toQString(entry.reason));
        }
        m_counterexample->setResult(nullptr, text);
    }
}

void MainWindow::centreOnLemma(std::size_t lemma, bool animated) {
    m_centred.start();
    const double scale = std::max(canvas(Side::Reference)->scale(), SmallestReadableScale);
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        canvas(side)->setView(canvas(side)->viewCentre(), scale);
        const std::vector<FlatNodeId> nodes = lemmaNodes(lemma, side);
        canvas(side)->setNotice(
            nodes.empty() ? tr("No node of this side takes part in %1.").arg(toQString(m_session->session().result->lemmas[lemma].id)) : QString());
        if (nodes.empty()) {
            continue;
        }
        canvas(side)->selectNode(nodes.front());
        // The pair itself, at one scale on both sides and readable: with its partners level it is found at a glance, whereas all
        // the nodes a lemma speaks of may be the whole graph.
        canvas(side)->centreOn({nodes.front()}, animated);
    }
    refreshStatus();
}

void MainWindow::goToNextFailing(bool backwards) {
    if (routed([backwards](ProgramPart& part) { part.goToNext(backwards); })) {
        return;
    }
    if (const auto next = m_lemmas->nextFailing(m_lemma, backwards)) {
        goToLemma(*next);
    } else {
        const auto& result = m_session->session().result;
        statusBar()->showMessage(result && result->lemmas.empty() ? noLemmasText(*result) : tr("Every lemma holds."), 5'000);
    }
}

void MainWindow::selectNode(Side side, FlatNodeId node) {
    m_lemma.reset();
    m_value = {};
    m_node = HistoryPlace{std::nullopt, side, node, {}, {}};
    remember(*m_node);
    m_lemmas->selectLemma(std::nullopt);
    refreshOverlays();
    canvas(side)->selectNode(node);
    const FlatNodeId partner = partnerOf(side, node);
    GraphCanvas* opposite = canvas(other(side));
    opposite->selectNode(partner);
    canvas(side)->setNotice({});
    opposite->setNotice({});
    const std::uint32_t item = partner.isValid() && opposite->scene() ? opposite->scene()->visibleItem(partner) : NoItem;
    if (item != NoItem) {
        m_centred.start();
        opposite->ensureVisible(item);
    } else if (m_session->correspondence()) {
        const auto& relations = relationsOf(*m_session->correspondence(), side);
        const QString reason = node.index < relations.size() ? toQString(relations[node.index].reason) : QString();
        opposite->setNotice(partner.isValid()  ? tr("The partner is outside the region shown.")
                            : reason.isEmpty() ? tr("No partner on this side.")
                                               : tr("No partner on this side: %1").arg(reason));
    }
    const FlatNodeId reference = side == Side::Reference ? node : partner;
    const FlatNodeId rewritten = side == Side::Reference ? partner : node;
    m_inspector->showNodes(m_session->tree(Side::Reference), reference, m_session->tree(Side::Rewritten), rewritten,
                           m_session->correspondence().get());
    updateActions();
    Q_EMIT selectionChanged();
}

void MainWindow::selectValue(Side side, FlatValueId value) {
    const auto& correspondence = m_session->correspondence();
    FlatValueId partner;
    if (correspondence && value.isValid()) {
        const auto& partners = correspondence->partnerOfReferenceValue;
        if (side == Side::Reference) {
            partner = value.index < partners.size() ? partners[value.index] : FlatValueId{};
        } else if (const auto at = std::find(partners.begin(), partners.end(), value); at != partners.end()) {
            partner = FlatValueId(static_cast<std::uint32_t>(at - partners.begin()));
        }
    }
    m_lemma.reset();
    m_node.reset();
    m_value = {side, value};
    if (value.isValid()) {
        remember({std::nullopt, side, {}, value, {}});
    }
    m_lemmas->selectLemma(std::nullopt);
    refreshOverlays();
    GraphCanvas* opposite = canvas(other(side));
    const auto& scene = opposite->scene();
    const std::uint32_t item = scene && partner.isValid() && partner.index < scene->itemOfValue.size() ? scene->itemOfValue[partner.index] : NoItem;
    opposite->selectItem(item);
    opposite->setNotice({});
    canvas(side)->setNotice({});
    if (item != NoItem) {
        m_centred.start();
        opposite->ensureVisible(item);
    }
    m_inspector->showValues(m_session->tree(Side::Reference), side == Side::Reference ? value : partner, m_session->tree(Side::Rewritten),
                            side == Side::Reference ? partner : value);
    updateActions();
    Q_EMIT selectionChanged();
}

void MainWindow::clearSelection() {
    m_lemma.reset();
    m_node.reset();
    m_value = {};
    m_lemmas->selectLemma(std::nullopt);
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        canvas(side)->selectNode({});
        canvas(side)->setNotice({});
    }
    m_inspector->clear();
    refreshOverlays();
    Q_EMIT selectionChanged();
}

void MainWindow::goToPartner() {
    const Side side = activeSide();
    GraphCanvas* opposite = canvas(other(side));
    const FlatNodeId node = canvas(side)->selectedNode();
    if (node.isValid()) {
        const FlatNodeId partner = partnerOf(side, node);
        if (!partner.isValid()) {
            selectNode(side, node); // says on the other side why there is none
            return;
        }
        opposite->setFocus(Qt::OtherFocusReason);
        selectNode(other(side), partner);
        opposite->centreOn({partner});
        return;
    }
    opposite->setFocus(Qt::OtherFocusReason);
}

void MainWindow::goToDifference(bool backwards) {
    if (routed([backwards](ProgramPart& part) { part.page()->goToDifference(backwards); })) {
        return;
    }
    const Side side = activeSide();
    const auto& scene = canvas(side)->scene();
    std::vector<FlatNodeId> nodes = m_session->differingNodes(side);
    if (!scene || nodes.empty()) {
        statusBar()->showMessage(m_session->correspondence() ? tr("Nothing differs on this side.") : tr("The graphs are still being compared."),
                                 5'000);
        return;
    }
    const auto place = [&scene](FlatNodeId node) {
        const std::uint32_t item = scene->visibleItem(node);
        return item == NoItem ? std::tuple(1e300, 1e300, node.index) : std::tuple(scene->boxes[item].top(), scene->boxes[item].left(), node.index);
    };
    std::sort(nodes.begin(), nodes.end(), [&](FlatNodeId a, FlatNodeId b) { return place(a) < place(b); });
    const auto at = std::find(nodes.begin(), nodes.end(), canvas(side)->selectedNode());
    const std::size_t count = nodes.size();
    const std::size_t from = at == nodes.end() ? (backwards ? 0 : count - 1) : static_cast<std::size_t>(at - nodes.begin());
    const FlatNodeId next = nodes[(from + (backwards ? count - 1 : 1)) % count];
    goToNode(side, next);
}

void MainWindow::goToNode(Side side, FlatNodeId node) {
    selectNode(side, node);
    m_centred.start();
    canvas(side)->centreOn({node});
    if (const FlatNodeId partner = partnerOf(side, node); partner.isValid()) {
        canvas(other(side))->centreOn({partner});
    }
}

MainWindow::Selection MainWindow::selection() const {
    Selection selected;
    selected.lemma = m_lemma;
    if (m_node) {
        selected.side = m_node->side;
        selected.node = m_node->node;
    } else if (m_value.second.isValid()) {
        selected.side = m_value.first;
        selected.value = m_value.second;
    }
    return selected;
}

PairView MainWindow::pairView() const {
    const auto view = [this](Side side) { return CanvasView{canvas(side)->scene(), canvas(side)->viewCentre(), canvas(side)->scale()}; };
    return {view(Side::Reference), view(Side::Rewritten)};
}

void MainWindow::remember(const HistoryPlace& place) {
    if (!m_travelling) {
        m_history.add(place, pairView());
    }
}

void MainWindow::travel(int by) {
    const auto place = m_history.travel(by, pairView());
    if (!place) {
        return;
    }
    m_travelling = true;
    if (place->lemma) {
        goToLemma(*place->lemma);
    } else if (place->node.isValid()) {
        goToNode(place->side, place->node);
    } else if (place->value.isValid()) {
        const auto& scene = canvas(place->side)->scene();
        const bool known = scene && place->value.index < scene->itemOfValue.size();
        canvas(place->side)->selectItem(known ? scene->itemOfValue[place->value.index] : NoItem);
        selectValue(place->side, place->value);
    }
    m_travelling = false;
    // Where it was looked at from, too, as long as the drawing is the same.
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        if (place->view) {
            const CanvasView& view = (*place->view)[static_cast<std::size_t>(side)];
            if (const auto scene = view.scene.lock(); scene && scene == canvas(side)->scene()) {
                canvas(side)->setView(view.centre, view.scale);
            }
        }
    }
    refreshStatus();
    updateActions();
}

void MainWindow::step(int by) {
    if (m_counterexample->step(by)) {
        showDock(Dock::Counterexample, false);
    }
}

void MainWindow::followView(Side side, QPointF centre, double scale) {
    refreshStatus();
    const bool both = m_centred.isValid() && m_centred.elapsed() < GraphCanvas::AnimationMs + 100;
    if (m_lockAction == nullptr || !m_lockAction->isChecked() || both) {
        return;
    }
    // Partners stand level, so the height is shared; across, each side moves by as much from where it was.
    GraphCanvas* opposite = canvas(other(side));
    if (opposite->scene() && canvas(side)->scene()) {
        const double across = opposite->scene()->bounds.center().x() + (centre.x() - canvas(side)->scene()->bounds.center().x());
        opposite->setView({across, centre.y()}, scale);
    }
}

void MainWindow::showNodeMenu(Side side, FlatNodeId node, QPoint position) {
    QMenu menu(this);
    if (node.isValid()) {
        const GraphTree& tree = *m_session->tree(side);
        QAction* partner = menu.addAction(tr("Go to &Partner"), this, [this, side] {
            canvas(side)->setFocus();
            goToPartner();
        });
        partner->setEnabled(partnerOf(side, node).isValid());
        menu.addAction(tr("&Copy Name"), this, [&tree, node] { QGuiApplication::clipboard()->setText(toQString(tree.path(node))); });
        const auto& result = m_session->session().result;
        const auto& correspondence = m_session->correspondence();
        if (result && correspondence && node.index < relationsOf(*correspondence, side).size()) {
            std::size_t listed = 0;
            for (const std::uint32_t lemma : relationsOf(*correspondence, side)[node.index].lemmas) {
                if (lemma < result->lemmas.size() && ++listed <= 8) {
                    const LemmaResult& entry = result->lemmas[lemma];
                    menu.addAction(tr("Go to Lemma %1 (%2)").arg(toQString(entry.id), word(entry.verdict)), this,
                                   [this, lemma] { goToLemma(lemma); });
                }
            }
        }
        menu.addSeparator();
    }
    menu.addAction(tr("&Fit"), this, [this, side] { canvas(side)->fit(); });
    Q_EMIT nodeMenuOpening(&menu, side, node);
    menu.exec(position);
}

} // namespace lemmascope
