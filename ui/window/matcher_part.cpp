#include "ui/window/matcher_part.h"

#include "core/layout/layered.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/canvas/scene_builder.h"
#include "ui/jobs/job_list_model.h"
#include "ui/models/message_model.h"
#include "ui/models/outline_model.h"
#include "ui/panels/matcher_panel.h"
#include "ui/panels/outline_view.h"
#include "ui/panels/rule_text_view.h"
#include "ui/panels/rules_panel.h"
#include "ui/views/match_rows.h"
#include "ui/views/text.h"
#include "ui/window/main_window.h"
#include "ui/window/rules_part.h"

#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QMenu>
#include <QStatusBar>

#include <algorithm>

namespace lemmascope {

namespace {

constexpr std::uint64_t InOnePart = 1'000'000; ///< transitions between two reports
constexpr int SmallestHeight = 260;            ///< of the dock when it is first needed

QString breakGlyph() { return QStringLiteral("●"); }

} // namespace

MatcherPart::MatcherPart(MainWindow& window, RulesPart& rules)
    : QObject(&window), m_window(window), m_rules(rules), m_panel(new MatcherPanel(&window)), m_run(tr("Step the matcher"), window.jobs(), this),
      m_why(tr("Why not here"), window.jobs(), this) {
    setObjectName(QStringLiteral("matcherPart"));
    m_dock = window.addPartDock(tr("Matcher"), QStringLiteral("matcherDock"), m_panel, Qt::BottomDockWidgetArea,
                                window.dock(MainWindow::Dock::Counterexample), false, MainWindow::Needs::Pair);
    buildActions();
    connect(&rules, &RulesPart::rulesChanged, this, [this] {
        reset();
        QStringList names;
        for (std::size_t i = 0; m_rules.rules() && i < std::min(m_rules.rules()->programs.size(), MostRules); ++i) {
            names << toQString(m_rules.rules()->programs[i]->rule);
        }
        m_panel->setRules(names);
        updateActions();
        if (m_asked && m_rules.rules()) {
            askWhy(); // of the rules as they are now
        }
    });
    connect(&rules, &RulesPart::resultChanged, this, [this] {
        if (m_state && (m_rules.graph(m_side) == nullptr || !m_subject || m_subject->shared() != m_rules.graph(m_side))) {
            reset();
        }
        mark();
        updateActions();
    });
    connect(&rules, &RulesPart::attemptChosen, this, [this](std::size_t rule, match::TermId root, bool matched) {
        attempt(rule, root, matched ? match::StepCommand::End : match::StepCommand::FurthestFailure);
    });
    connect(&rules, &RulesPart::breaksChanged, this, &MatcherPart::updateActions);
    connect(&m_run, &LatestJob::stopped, this, [this] {
        // The job may still hold the stepper: a new one, where the shown one stood.
        const auto state = m_state;
        m_stepper.reset();
        if (state && makeStepper()) {
            m_stepper->start(state->rule, state->root);
            m_stepper->beginSeek(std::min(state->position, AtOnce));
            (void)m_stepper->proceed(AtOnce + 1);
            showState();
        }
    });
    connect(m_panel, &MatcherPanel::ruleChosen, this, [this] { askWhy(); });
    connect(m_panel->state(), &OutlineView::rowChosen, this, [this](std::size_t row) { goTo(m_panel->state()->outline()->rows()[row]); });
    connect(m_panel->why(), &OutlineView::rowChosen, this, [this](std::size_t row) {
        const OutlineRow chosen = m_panel->why()->outline()->rows()[row];
        if (chosen.spot.line != 0) {
            m_rules.panel()->text()->goTo(chosen.spot);
        }
        if (m_whySubject) {
            m_rules.goTo(m_whySide, *m_whySubject, chosen.term);
        }
    });
    connect(m_panel->why(), &OutlineView::rowActivated, this, [this](std::size_t row) {
        const OutlineRow chosen = m_panel->why()->outline()->rows()[row];
        if ((chosen.kind != OutlineRow::Kind::Match && chosen.kind != OutlineRow::Kind::Miss) || !m_whySubject || !m_asked || !m_rules.rules() ||
            m_whySubject->shared() != m_rules.graph(m_whySide)) {
            return;
        }
        const auto subject = m_whySubject;
        m_rules.setSide(m_whySide);
        m_rules.keepSubject(m_whySide, subject);
        attempt(chosen.index, subject->termOf(NodeId(m_asked->node.index)),
                chosen.kind == OutlineRow::Kind::Match ? match::StepCommand::End : match::StepCommand::FurthestFailure);
        show(true);
    });
    connect(m_panel->pattern(), &GraphCanvas::nodeSelected, this, [this](FlatNodeId node) {
        if (node.isValid() && m_pictured && node.index < m_picture.instructions.size() && m_rules.rules()) {
            m_rules.panel()->text()->goTo(m_rules.rules()->programs[*m_pictured]->at(m_picture.instructions[node.index]).spot);
        }
    });
    connect(&window, &MainWindow::nodeMenuOpening, this, &MatcherPart::addTo);
    connect(&window, &MainWindow::selectionChanged, this, &MatcherPart::updateActions);
    connect(window.session(), &PairSession::opened, this, [this] {
        if (!m_window.session()->isReload()) {
            forget();
        }
        mark();
        updateActions();
    });
    connect(window.session(), &PairSession::scenesChanged, this, [this] {
        if (m_pictured && m_panel->pattern()->sceneMetrics() != m_metrics) { // letters of another size
            m_pictured.reset();
            showPattern();
        }
    });
    updateActions();
}

void MatcherPart::buildActions() {
    using match::StepCommand;
    QMenu* menu = m_window.menu(MainWindow::Menu::Matcher);
    const auto add = [&](const QString& text, const QString& shorter, const char* key, StepCommand command, const QString& tip) {
        QAction* action = m_window.addMenuAction(menu, text, {QKeySequence(QString::fromLatin1(key))}, [this, command] { step(command); });
        action->setToolTip(QStringLiteral("%1 (%2)").arg(tip, action->shortcut().toString(QKeySequence::NativeText)));
        m_stepActions.push_back(action);
        m_panel->addButton(action, shorter);
    };
    menu->addSeparator();
    add(tr("&Step"), tr("Step"), "F10", StepCommand::Over, tr("Do the next part whole, or stop where it fails"));
    add(tr("&Into"), tr("Into"), "F11", StepCommand::Into, tr("One transition of the matcher"));
    add(tr("&Out"), tr("Out"), "Shift+F11", StepCommand::Out, tr("Until the operator around is done, or a branch fails"));
    add(tr("&Back"), tr("Back"), "F12", StepCommand::Back, tr("One transition back"));
    add(tr("Back to the S&tart"), tr("Start"), "Ctrl+Shift+F12", StepCommand::Start, tr("Back to the start of the attempt"));
    add(tr("To the Ne&xt Failure"), tr("Next failure"), "Shift+F12", StepCommand::NextFailure, tr("Run until the next branch fails"));
    add(tr("To the &Failing Branch"), tr("Furthest failure"), "Ctrl+F12", StepCommand::FurthestFailure,
        tr("To the failure of the branch that came furthest"));
    add(tr("To the Next Break&point"), tr("Breakpoint"), "Ctrl+F10", StepCommand::Breakpoint,
        tr("Run until a breakpoint, also through the attempts that follow"));
    add(tr("To the &End"), tr("End"), "Ctrl+Shift+F10", StepCommand::End, tr("Run to the match or to the end; after a match to the next one"));
    menu->addSeparator();
    // Of the node that is selected, wherever the focus is: text fields take letters first.
    m_whyAction = m_window.addMenuAction(
        menu, tr("Wh&y Not Here?"), {QKeySequence(QStringLiteral("W"))},
        [this] {
            const MainWindow::Selection selected = m_window.selection();
            whyNotHere(selected.side, selected.node);
        },
        MainWindow::Needs::Pair);
    m_whyAction->setToolTip(tr("Why the rules do not match at the selected node (W)"));
    m_window.addMenuAction(menu, tr("&Next Partial Match"), {QKeySequence(QStringLiteral("Ctrl+F8"))}, [this] { m_rules.nextMiss(false); });
    m_window.addMenuAction(menu, tr("Pre&vious Partial Match"), {QKeySequence(QStringLiteral("Ctrl+Shift+F8"))}, [this] { m_rules.nextMiss(true); });
    menu->addSeparator();
    m_breakRuleAction = m_window.addMenuAction(menu, tr("Brea&k on Rule"), {QKeySequence(QStringLiteral("F9"))}, [this] { toggleBreakOnRule(); });
    m_breakRuleAction->setCheckable(true);
    m_breakRuleAction->setToolTip(tr("Stop where an attempt of the chosen rule begins (F9)"));
    m_breakNodeAction =
        m_window.addMenuAction(menu, tr("Break on No&de"), {QKeySequence(QStringLiteral("Shift+F9"))}, [this] { toggleBreakOnNode(); });
    m_breakNodeAction->setCheckable(true);
    m_breakNodeAction->setToolTip(tr("Stop before a pattern is matched at the selected node (Shift+F9)"));
    m_bindingsAction = m_window.addMenuAction(menu, tr("Show Bindin&gs"), {}, [this] { mark(); });
    m_bindingsAction->setCheckable(true);
    m_bindingsAction->setChecked(true);
    m_bindingsAction->setToolTip(tr("Write at the nodes of the graph which names hold them"));
    m_clearAction = m_window.addMenuAction(menu, tr("&Leave the Attempt"), {}, [this] { forget(); });
    m_clearAction->setToolTip(tr("Take the marks of the match off the graph"));
}

void MatcherPart::show(bool focus) {
    const bool seen = m_dock->isVisible();
    m_window.showDock(m_dock, false);
    if (!seen && m_dock->height() < SmallestHeight && m_window.height() > 3 * SmallestHeight / 2) {
        m_window.resizeDocks({m_dock}, {SmallestHeight}, Qt::Vertical);
    }
    if (focus) {
        (m_panel->page() == MatcherPanel::Page::Steps ? m_panel->state() : m_panel->why())->setFocus(Qt::OtherFocusReason);
    }
}

// ---- steps

bool MatcherPart::makeStepper() {
    const auto subject = m_rules.subject(m_side);
    if (!m_rules.rules() || m_rules.rules()->programs.empty() || !subject) {
        return false;
    }
    m_subject = subject;
    m_stepper = std::make_shared<match::Stepper>(m_rules.rules()->programs, subject);
    return true;
}

void MatcherPart::attempt(std::size_t rule, match::TermId root, std::optional<match::StepCommand> command) {
    m_state.reset(); // before the stop, which would go back to it
    m_run.stop();
    m_side = m_rules.side();
    if (!makeStepper() || rule >= m_stepper->programs().size() || !root.isValid() || root.index >= m_subject->size()) {
        m_stepper.reset();
        return;
    }
    m_stepper->start(rule, root);
    if (const NodeId node = m_subject->nodeOf(root); node.isValid()) {
        std::vector<FlatNodeId> shown{FlatNodeId(node.index)};
        m_side == Side::Reference ? m_window.session()->reveal(shown, {}) : m_window.session()->reveal({}, shown);
    }
    m_panel->showPage(MatcherPanel::Page::Steps);
    if (command) {
        m_lookAtAll = true;
        m_stepper->begin(*command);
        carryOut();
    } else {
        showState();
    }
}

void MatcherPart::step(match::StepCommand command) {
    if (m_run.isRunning()) {
        m_window.statusBar()->showMessage(tr("The matcher is still running: Esc stops it."), 5'000);
        return;
    }
    if (!m_rules.rules() || m_rules.rules()->programs.empty()) {
        m_window.statusBar()->showMessage(tr("Open a rule file first (File > Open Rules)."), 5'000);
        m_rules.show(false);
        return;
    }
    if (!m_stepper) {
        const MainWindow::Selection selected = m_window.selection();
        const auto subject = m_rules.subject(m_rules.side());
        const bool here =
            selected.node.isValid() && selected.side == m_rules.side() && subject && selected.node.index < subject->graph().nodes.size();
        if (!here) {
            m_window.statusBar()->showMessage(tr("Choose a match or a miss in Rules, or a node of the graph that is matched."), 5'000);
            m_rules.show(false);
            return;
        }
        show(false);
        attempt(m_rules.chosenRule().value_or(0), subject->termOf(NodeId(selected.node.index)),
                command == match::StepCommand::Over || command == match::StepCommand::Into ? std::nullopt : std::optional(command));
        return;
    }
    if (command == match::StepCommand::Breakpoint) {
        const match::Breakpoints wanted = breakpoints();
        if (wanted.empty()) {
            m_window.statusBar()->showMessage(tr("No breakpoint is set: F9 sets one on a rule, Shift+F9 on a node."), 5'000);
            return;
        }
        m_stepper->setBreakpoints(wanted);
    }
    show(false);
    m_panel->showPage(MatcherPanel::Page::Steps);
    m_stepper->begin(command);
    carryOut();
}

void MatcherPart::carryOut() {
    if (m_stepper->proceed(AtOnce)) {
        showState();
        return;
    }
    m_panel->setTitle(tr("Running …"));
    // The stepper is the job's until it is done.
    m_run.start<std::shared_ptr<match::Stepper>>(
        [stepper = m_stepper](const JobContext& context) -> Result<std::shared_ptr<match::Stepper>> {
            while (!stepper->proceed(InOnePart, context.stop)) {
                if (context.stop.stop_requested()) {
                    return fail(ErrorCode::Cancelled, "stopped");
                }
                context.report({tr("step %1").arg(stepper->position()), 0, 0});
            }
            return stepper;
        },
        [this](const Result<std::shared_ptr<match::Stepper>>& done) {
            if (done && *done == m_stepper) {
                showState();
            }
        });
    updateActions();
}

void MatcherPart::showState() {
    m_state = match::stepState(*m_stepper, *m_rules.words());
    QString title = stateTitle(*m_state, *m_rules.rules(), *m_subject);
    if (m_stepper->ranOut()) {
        title += tr("; no breakpoint was met");
    }
    m_panel->setTitle(title);
    m_panel->setState(stateRows(*m_state, *m_subject));
    showPattern();
    mark();
    // The place it is at is looked at, on both canvases; all that was taken, where that was asked for.
    GraphCanvas* canvas = m_window.canvas(m_side);
    if (std::exchange(m_lookAtAll, false) && canvas->match().marks.size() > 1) {
        std::vector<FlatNodeId> taken;
        for (const CanvasMatch::Mark& each : canvas->match().marks) {
            if (each.node.isValid()) {
                taken.push_back(each.node);
            }
        }
        if (canvas->match().currentNode.isValid()) {
            taken.push_back(canvas->match().currentNode);
        }
        canvas->centreOn(taken, false);
    }
    if (canvas->scene() && canvas->resolvedOverlay().currentMark != NoItem) {
        canvas->ensureVisible(canvas->resolvedOverlay().currentMark);
    }
    if (m_panel->pattern()->scene() && m_panel->pattern()->resolvedOverlay().currentMark != NoItem) {
        m_panel->pattern()->ensureVisible(m_panel->pattern()->resolvedOverlay().currentMark);
    }
    if (m_state->spot.line != 0) {
        const match::Spot spot = m_state->failure.empty() ? m_state->spot : m_state->failureAt.spot;
        m_rules.panel()->text()->goTo(spot);
    }
    updateActions();
}

void MatcherPart::showPattern() {
    if (!m_state || m_pictured == m_state->rule) {
        return;
    }
    m_metrics = m_panel->pattern()->sceneMetrics();
    m_picture = match::patternPicture(*m_rules.rules()->programs[m_state->rule], *m_rules.words());
    m_pictured = m_state->rule;
    auto tree = GraphTree::build(m_picture.graph);
    SceneRequest request;
    request.metrics = m_metrics;
    request.layouter = [](const LayoutGraph& reference, const LayoutGraph& rewritten, std::stop_token stop) {
        return layoutJoint(reference, rewritten, stop);
    };
    m_panel->pattern()->setScene(nullptr);
    if (!tree) {
        return;
    }
    request.reference.tree = std::make_shared<const GraphTree>(std::move(*tree));
    if (auto scenes = buildScenes(request)) { // at most PatternPicture::MostNodes: at once
        m_panel->pattern()->setScene(scenes->reference);
    }
}

void MatcherPart::mark() {
    CanvasMatch graph;
    CanvasMatch pattern;
    const bool live = m_state && m_subject && m_subject->shared() == m_rules.graph(m_side);
    const auto valueMark = [](match::TermId term, const QString& tag) { return CanvasMatch::Mark{{}, FlatValueId(term.index), tag}; };
    if (live) {
        std::size_t number = 0;
        for (const auto& [at, term] : m_state->operators) {
            const QString tag = QString::number(++number);
            if (const NodeId node = m_subject->nodeOf(term); node.isValid()) {
                graph.marks.push_back({FlatNodeId(node.index), {}, tag});
            }
            if (m_pictured == m_state->rule && at.index < m_picture.nodes.size() && !m_picture.nodes[at.index].empty()) {
                pattern.marks.push_back({FlatNodeId(m_picture.nodes[at.index].front().index), {}, tag});
            }
        }
        constexpr std::size_t MostNames = 60;
        for (std::size_t i = 0; i < m_state->names.size() && i < MostNames && m_bindingsAction->isChecked(); ++i) {
            const match::StepName& each = m_state->names[i];
            if (each.term.isValid() && each.term.index < m_subject->graph().values.size()) {
                graph.marks.push_back(valueMark(each.term, toQString(each.name)));
            }
        }
        const bool running = m_state->outcome == match::Outcome::Running;
        if (running && m_state->term.isValid()) {
            const NodeId node = m_subject->nodeOf(m_state->term);
            graph.currentNode = node.isValid() ? FlatNodeId(node.index) : FlatNodeId();
            graph.currentValue = node.isValid() ? FlatValueId() : FlatValueId(m_state->term.index);
        }
        if (running && m_state->at.isValid() && m_pictured == m_state->rule) {
            const auto& nodes = m_picture.nodes[m_state->at.index];
            const auto& values = m_picture.values[m_state->at.index];
            pattern.currentNode = nodes.empty() ? FlatNodeId() : FlatNodeId(nodes.front().index);
            pattern.currentValue = nodes.empty() && !values.empty() ? FlatValueId(values.front().index) : FlatValueId();
        }
        graph.fits = pattern.fits = !m_state->failureAhead;
    }
    CanvasMatch breaks;
    const Side side = m_rules.side();
    if (const auto on = m_breakNodes.empty() ? nullptr : m_rules.graph(side)) {
        for (std::size_t n = 0; n < on->nodes.size(); ++n) {
            if (m_breakNodes.contains(on->displayName(NodeId(n))) && !on->nodes[n].results.empty() && on->nodes[n].results[0].isValid()) {
                breaks.marks.push_back(valueMark(match::TermId(on->nodes[n].results[0].index), breakGlyph()));
            }
        }
    }
    for (const Side each : {Side::Reference, Side::Rewritten}) {
        CanvasMatch shown = live && each == m_side ? graph : CanvasMatch();
        if (each == side) {
            shown.marks.insert(shown.marks.end(), breaks.marks.begin(), breaks.marks.end());
        }
        m_window.canvas(each)->setMatch(std::move(shown));
    }
    m_panel->pattern()->setMatch(std::move(pattern));
}

/// What belonged to rules or a graph that are gone.
void MatcherPart::reset() {
    m_state.reset(); // before the stop, which would go back to it
    m_run.stop();
    m_stepper.reset();
    m_subject.reset();
    m_pictured.reset();
    m_picture = {};
    m_panel->pattern()->setScene(nullptr);
    m_panel->setTitle({});
    m_panel->setState({});
    mark();
    updateActions();
}

void MatcherPart::forget() {
    reset();
    m_why.stop();
    m_asked.reset();
    m_whySubject.reset();
    m_panel->setWhy({}, {});
}

void MatcherPart::goTo(const OutlineRow& row) {
    if (row.spot.line != 0) {
        m_rules.panel()->text()->goTo(row.spot);
    }
    if (m_subject && row.term.isValid()) {
        m_rules.goTo(m_side, *m_subject, row.term);
    }
}

// ---- breakpoints

match::Breakpoints MatcherPart::breakpoints() const {
    match::Breakpoints out;
    const auto& programs = m_rules.rules()->programs;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        if (m_rules.breaks().contains(programs[i]->rule)) {
            out.rules.insert(i);
        }
    }
    const Graph& graph = m_subject->graph();
    for (std::size_t n = 0; !m_breakNodes.empty() && n < graph.nodes.size(); ++n) {
        if (m_breakNodes.contains(graph.displayName(NodeId(n)))) {
            out.nodes.insert(NodeId(n));
        }
    }
    return out;
}

void MatcherPart::toggleBreakOnRule() {
    const auto rule = m_rules.chosenRule() ? m_rules.chosenRule() : m_state ? std::optional(m_state->rule) : std::nullopt;
    if (!rule || !m_rules.rules()) {
        m_window.statusBar()->showMessage(tr("Choose a rule in Rules first."), 5'000);
        updateActions();
        return;
    }
    const std::string& name = m_rules.rules()->programs[*rule]->rule;
    m_rules.setBreak(name, !m_rules.breaks().contains(name));
}

void MatcherPart::setBreak(Side side, FlatNodeId node, bool on) {
    const auto graph = m_rules.graph(side);
    if (!graph || !node.isValid() || node.index >= graph->nodes.size()) {
        return;
    }
    const std::string name = graph->displayName(NodeId(node.index));
    if (on) {
        m_breakNodes.insert(name);
    } else {
        m_breakNodes.erase(name);
    }
    mark();
    updateActions();
}

void MatcherPart::setBreakNodes(const std::set<std::string>& names) {
    m_breakNodes = names;
    mark();
    updateActions();
}

void MatcherPart::toggleBreakOnNode() {
    const MainWindow::Selection selected = m_window.selection();
    const auto graph = m_rules.graph(selected.side);
    if (!graph || !selected.node.isValid() || selected.node.index >= graph->nodes.size()) {
        m_window.statusBar()->showMessage(tr("Choose a node of the top graph first."), 5'000);
        updateActions();
        return;
    }
    setBreak(selected.side, selected.node, !m_breakNodes.contains(graph->displayName(NodeId(selected.node.index))));
}

void MatcherPart::updateActions() {
    const bool rules = m_rules.rules() && !m_rules.rules()->programs.empty();
    for (QAction* action : m_stepActions) {
        action->setEnabled(rules && m_window.session()->session().isOpen());
    }
    const auto rule = m_rules.chosenRule() ? m_rules.chosenRule() : m_state ? std::optional(m_state->rule) : std::nullopt;
    m_breakRuleAction->setChecked(rule && rules && m_rules.breaks().contains(m_rules.rules()->programs[*rule]->rule));
    m_breakRuleAction->setEnabled(rules);
    const MainWindow::Selection selected = m_window.selection();
    const auto graph = m_rules.graph(selected.side);
    const bool node = graph && selected.node.isValid() && selected.node.index < graph->nodes.size();
    m_breakNodeAction->setChecked(node && m_breakNodes.contains(graph->displayName(NodeId(selected.node.index))));
    m_breakNodeAction->setEnabled(graph != nullptr);
    m_clearAction->setEnabled(m_state.has_value() || m_asked.has_value());
}

// ---- why not here

void MatcherPart::addTo(QMenu* menu, Side side, FlatNodeId node) {
    const auto graph = m_rules.graph(side);
    if (!graph || !node.isValid() || node.index >= graph->nodes.size() || !m_rules.rules() || m_rules.rules()->programs.empty()) {
        return;
    }
    QMenu* why = menu->addMenu(tr("&Why Not Here?"));
    const auto ask = [this, side, node](int rule) {
        m_panel->rules()->setCurrentIndex(rule);
        whyNotHere(side, node);
    };
    why->addAction(tr("&All Rules"), this, [ask] { ask(0); });
    why->addSeparator();
    constexpr std::size_t MostListed = 30;
    const auto& programs = m_rules.rules()->programs;
    for (std::size_t i = 0; i < programs.size() && i < MostListed; ++i) {
        why->addAction(toQString(programs[i]->rule).replace(u'&', QStringLiteral("&&")), this, [ask, i] { ask(static_cast<int>(i) + 1); });
    }
    const bool breaks = m_breakNodes.contains(graph->displayName(NodeId(node.index)));
    QAction* stop = menu->addAction(tr("&Break Here"), this, [this, side, node, breaks] { setBreak(side, node, !breaks); });
    stop->setCheckable(true);
    stop->setChecked(breaks);
}

void MatcherPart::whyNotHere(Side side, FlatNodeId node) {
    const auto graph = m_rules.graph(side);
    if (!m_rules.rules() || m_rules.rules()->programs.empty()) {
        m_window.statusBar()->showMessage(tr("Open a rule file first (File > Open Rules)."), 5'000);
        m_rules.show(false);
        return;
    }
    if (!graph || !node.isValid()) {
        m_window.statusBar()->showMessage(tr("Choose a node first."), 5'000);
        return;
    }
    if (node.index >= graph->nodes.size()) {
        m_window.statusBar()->showMessage(tr("Rules are matched on the top graph only; this node is inside another one."), 5'000);
        return;
    }
    m_asked = Asked{side, node};
    askWhy();
    m_panel->showPage(MatcherPanel::Page::WhyNot);
    show(false);
}

void MatcherPart::askWhy() {
    if (!m_asked || !m_rules.rules()) {
        return;
    }
    const auto graph = m_rules.graph(m_asked->side);
    if (!graph || m_asked->node.index >= graph->nodes.size()) {
        return;
    }
    struct Why {
        std::shared_ptr<const match::GraphSubject> subject;
        OutlineRows rows;
    };
    const auto set = m_rules.rules();
    const int wanted = std::min(m_panel->chosenRule(), static_cast<int>(set->programs.size()));
    const QString node = toQString(graph->displayName(NodeId(m_asked->node.index)));
    const QString title = tr("Why not at %1 (%2)?").arg(node, toQString(graph->nodes[m_asked->node.index].op.name));
    m_panel->setWhy(tr("%1 …").arg(title), {});
    m_why.start<Why>(
        [set, wanted, graph, node = m_asked->node, known = m_rules.subject(m_asked->side)](const JobContext& context) -> Result<Why> {
            Why out;
            out.subject = known && known->shared() == graph ? known : std::make_shared<const match::GraphSubject>(graph);
            match::GraphMatchOptions options;
            options.at = out.subject->termOf(NodeId(node.index));
            options.explain = true;
            options.stop = context.stop;
            // One rule by itself keeps its number: rows speak of the rules of the file.
            match::GraphMatchResult all;
            const std::size_t first = wanted == 0 ? 0 : static_cast<std::size_t>(wanted) - 1;
            const std::size_t end = wanted == 0 ? set->programs.size() : first + 1;
            const match::Programs some(set->programs.begin() + static_cast<std::ptrdiff_t>(first),
                                       set->programs.begin() + static_cast<std::ptrdiff_t>(end));
            auto result = match::matchGraph(some, *out.subject, options);
            if (!result) {
                return tl::unexpected<Error>(result.error());
            }
            for (match::GraphMatch& each : result->matches) {
                each.rule += first;
            }
            for (match::GraphMiss& each : result->misses) {
                each.rule += first;
            }
            out.rows = whyNotRows(*set, *result, *out.subject, *options.at);
            return out;
        },
        [this, asked = *m_asked, title](Result<Why> why) {
            if (!why) {
                m_window.messages()->addError(tr("Why not here"), why.error());
                return;
            }
            m_rules.keepSubject(asked.side, why->subject);
            m_whySubject = why->subject;
            m_whySide = asked.side;
            m_panel->setWhy(title, std::move(why->rows));
            updateActions();
        });
    updateActions();
}

} // namespace lemmascope
