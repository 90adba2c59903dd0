#include "ui/window/main_window.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/jobs/job_list_model.h"
#include "ui/jobs/program_session.h"
#include "ui/models/message_model.h"
#include "ui/panels/counterexample_panel.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/jobs_panel.h"
#include "ui/panels/lemma_panel.h"
#include "ui/panels/messages_panel.h"
#include "ui/panels/own_inputs_panel.h"
#include "ui/panels/query_panel.h"
#include "ui/panels/side_view.h"
#include "ui/panels/steps_panel.h"
#include "ui/panels/verdict_banner.h"
#include "ui/views/elided_label.h"
#include "ui/views/label_accessible.h"
#include "ui/views/text.h"
#include "ui/views/verdict_text.h"
#include "ui/window/parts.h"
#include "ui/window/program_part.h"
#include "ui/window/rules_part.h"

#include <QAction>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cassert>

namespace lemmascope {

namespace {

constexpr int LayoutVersion = 1; ///< of the saved dock arrangement: an older one is not restored

QString settingsName() { return QStringLiteral("lemmascope"); }

} // namespace

MainWindow::MainWindow(Services services, std::vector<ExamplePair> examples, std::filesystem::path stateFolder, QWidget* parent)
    : QMainWindow(parent), m_examples(std::move(examples)), m_stateFolder(std::move(stateFolder)), m_versions(services.versions) {
    installLabelAccessibility(); // before the first label
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(tr("Lemmascope"));
    setAcceptDrops(true);
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
    m_jobs = new JobListModel(this);
    m_messages = new MessageModel(this);
    m_steps = new StepChecks(services, m_jobs, m_messages, this);
    m_programSession = new ProgramSession(services.layout, m_jobs, m_messages, this);
    m_session = new PairSession(std::move(services), m_jobs, m_messages, this);

    // What a 1366x768 screen holds, less where the screen is smaller. Before the docks: their sizes are shares of it.
    QSize wanted(1366, 728);
    if (const QScreen* screen = QGuiApplication::primaryScreen()) {
        wanted = wanted.boundedTo(screen->availableSize());
    }
    resize(wanted);
    buildCentre();
    buildDocks();
    buildStatusBar();
    buildActions();
    followSession();
    followSteps();
    addParts(*this);
    if (!m_stateFolder.empty()) {
        if (auto recent = RecentPairs::load(m_stateFolder / "recent.json")) {
            m_recent = std::move(*recent);
        } else {
            m_messages->addError(tr("Reading the recent pairs"), recent.error());
        }
    }
    m_welcome->setExamples(m_examples);
    refreshRecent();
    m_session->setMetrics(canvas(Side::Reference)->sceneMetrics());
    m_defaultState = saveState(LayoutVersion);
    m_dockState = m_defaultState;
    restoreLayout();
    showPage(true);
    refreshPanels();
    updateActions();
}

MainWindow::~MainWindow() {
    // Before the widgets that its signals reach.
    delete m_session;
    delete m_programSession;
    delete m_steps;
}

void MainWindow::buildCentre() {
    // Menu, tools and verdict span the whole width; docks stand below them.
    auto* top = new QWidget(this);
    top->setAccessibleName(tr("Menus, tools and verdict"));
    m_menuBar = new QMenuBar(top);
    m_menuBar->setAccessibleName(tr("Menus"));
    m_toolBar = new QToolBar(tr("Tools"), top);
    m_toolBar->setAccessibleName(tr("Tools"));
    m_toolBar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_toolBar->setIconSize({16, 16});
    m_banner = new VerdictBanner(top);
    auto* rows = new QVBoxLayout(top);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(m_menuBar);
    rows->addWidget(m_toolBar);
    rows->addWidget(m_banner);
    setMenuWidget(top);

    m_welcome = new WelcomePage(this);
    m_splitter = new QSplitter(Qt::Horizontal, this);
    m_splitter->setObjectName(QStringLiteral("sides"));
    m_splitter->setAccessibleName(tr("Both graphs"));
    m_splitter->setChildrenCollapsible(false);
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        auto* view = new SideView(side, m_splitter);
        m_sides[static_cast<std::size_t>(side)] = view;
        m_splitter->addWidget(view);
        connectCanvas(side);
    }
    m_stack = new QStackedWidget(this);
    m_stack->setAccessibleName(tr("Welcome page or both graphs"));
    m_stack->addWidget(m_welcome);
    m_stack->addWidget(m_splitter);
    setCentralWidget(m_stack);
}

void MainWindow::buildDocks() {
    m_lemmas = new LemmaPanel(this);
    m_inspector = new InspectorPanel(this);
    m_counterexample = new CounterexamplePanel(this);
    m_query = new QueryPanel(this);
    m_stepsPanel = new StepsPanel(m_steps, this);
    m_ownInputs = new OwnInputsPanel(this);
    const auto add = [this](Dock which, const QString& title, const QString& name, QWidget* content, Qt::DockWidgetArea area) {
        auto* dock = new QDockWidget(title, this);
        dock->setObjectName(name); // saveState goes by it
        dock->setAccessibleName(title);
        content->setAccessibleName(title);
        dock->setWidget(content);
        addDockWidget(area, dock);
        assert(m_docks.size() == static_cast<std::size_t>(which));
        m_docks.push_back(dock);
    };
    add(Dock::Lemmas, tr("Lemmas"), QStringLiteral("lemmasDock"), m_lemmas, Qt::LeftDockWidgetArea);
    add(Dock::Inspector, tr("Inspector"), QStringLiteral("inspectorDock"), m_inspector, Qt::RightDockWidgetArea);
    add(Dock::Counterexample, tr("Counterexample"), QStringLiteral("counterexampleDock"), m_counterexample, Qt::BottomDockWidgetArea);
    add(Dock::Query, tr("Query"), QStringLiteral("queryDock"), m_query, Qt::BottomDockWidgetArea);
    add(Dock::Jobs, tr("Jobs"), QStringLiteral("jobsDock"), new JobsPanel(m_jobs, this), Qt::BottomDockWidgetArea);
    add(Dock::Messages, tr("Messages"), QStringLiteral("messagesDock"), new MessagesPanel(m_messages, this), Qt::BottomDockWidgetArea);
    add(Dock::Steps, tr("Steps"), QStringLiteral("stepsDock"), m_stepsPanel, Qt::LeftDockWidgetArea);
    add(Dock::OwnInputs, tr("Own inputs"), QStringLiteral("ownInputsDock"), m_ownInputs, Qt::BottomDockWidgetArea);
    splitDockWidget(dock(Dock::Steps), dock(Dock::Lemmas), Qt::Vertical);
    tabifyDockWidget(dock(Dock::Counterexample), dock(Dock::OwnInputs));
    tabifyDockWidget(dock(Dock::OwnInputs), dock(Dock::Query));
    tabifyDockWidget(dock(Dock::Query), dock(Dock::Jobs));
    tabifyDockWidget(dock(Dock::Jobs), dock(Dock::Messages));
    dock(Dock::Counterexample)->raise();
    resizeDocks({dock(Dock::Lemmas), dock(Dock::Inspector)}, {300, 300}, Qt::Horizontal);
    resizeDocks({dock(Dock::Counterexample)}, {190}, Qt::Vertical);
    dock(Dock::Steps)->hide();

    connect(m_lemmas, &LemmaPanel::lemmaSelected, this, &MainWindow::goToLemma);
    connect(m_counterexample, &CounterexamplePanel::valuesChosen, this, &MainWindow::showPairedValues);
    connect(m_ownInputs, &OwnInputsPanel::valuesChosen, this, &MainWindow::showPairedValues);
    connect(m_messages, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex&, int, int last) {
        const auto kind = static_cast<MessageModel::Kind>(m_messages->index(last, 0).data(MessageModel::KindRole).toInt());
        if (kind == MessageModel::Kind::Error && !isWelcome()) {
            showDock(Dock::Messages, false);
        }
    });
}

void MainWindow::showPairedValues(FlatValueId reference, FlatValueId rewritten) {
    for (const auto& [side, value] : {std::pair{Side::Reference, reference}, std::pair{Side::Rewritten, rewritten}}) {
        const auto& scene = canvas(side)->scene();
        if (scene && value.isValid() && value.index < scene->itemOfValue.size()) {
            const std::uint32_t item = scene->itemOfValue[value.index];
            if (item != NoItem) {
                canvas(side)->selectItem(item);
                canvas(side)->ensureVisible(item);
            }
        }
    }
    m_inspector->showValues(m_session->tree(Side::Reference), reference, m_session->tree(Side::Rewritten), rewritten);
}

void MainWindow::buildStatusBar() {
    statusBar()->setAccessibleName(tr("Status"));
    m_nodesLabel = new ElidedLabel(this);
    m_nodesLabel->setAccessibleName(tr("Nodes shown"));
    m_jobsButton = new QToolButton(this);
    m_jobsButton->setAccessibleName(tr("Show the jobs"));
    m_jobsButton->setToolTip(tr("What runs in the background: click for the list"));
    m_jobsButton->setAutoRaise(true);
    auto* versions = new ElidedLabel(toQString(m_versions), this);
    versions->setAccessibleName(tr("Versions"));
    m_zoomLabel = new QLabel(this);
    m_zoomLabel->setAccessibleName(tr("Zoom"));
    statusBar()->addPermanentWidget(m_nodesLabel);
    statusBar()->addPermanentWidget(m_jobsButton);
    statusBar()->addPermanentWidget(versions);
    statusBar()->addPermanentWidget(m_zoomLabel);
    connect(m_jobsButton, &QToolButton::clicked, this, [this] { showDock(Dock::Jobs, true); });
    connect(m_jobs, &JobListModel::runningCountChanged, this, [this] {
        refreshStatus();
        updateActions();
    });
}

void MainWindow::followSession() {
    connect(m_session, &PairSession::loadingStarted, this, [this](const QString& reference, const QString& rewritten) {
        m_loading = tr("%1 and %2").arg(QFileInfo(reference).fileName(), QFileInfo(rewritten).fileName());
        m_welcome->setTrouble({});
        m_welcome->setFiles(reference, rewritten);
    });
    connect(m_session, &PairSession::opened, this, &MainWindow::pairOpened);
    connect(m_session, &PairSession::openFailed, this, [this](const QString&, const QString&, const QString& why) {
        m_welcome->setTrouble(tr("✗ %1").arg(why));
        m_welcome->setFiles({}, {});
        m_pendingReference.clear();
        if (!isWelcome()) {
            statusBar()->showMessage(tr("The pair could not be opened: see Messages."), 10'000);
            m_stepsPanel->select(currentStep()); // what is still shown
        }
    });
    connect(m_session, &PairSession::scenesChanged, this, &MainWindow::showScenes);
    connect(m_session, &PairSession::correspondenceChanged, this, [this] {
        refreshOverlays();
        updateActions();
    });
    connect(m_session, &PairSession::progressed, this, [this](const JobProgress& progress) {
        m_progress = progress;
        refreshBanner();
    });
    connect(m_session, &PairSession::checkFailed, this, [this](const QString& why) {
        m_trouble = why;
        refreshBanner();
    });
    connect(m_session, &PairSession::stateChanged, this, [this] {
        if (m_session->state() == PairSession::State::Checking) {
            m_lemma.reset();
        }
        rememberVerdict();
        tellStep();
        refreshBanner();
        refreshPanels();
        refreshOverlays();
        goToFirstFailing();
        updateActions();
    });
    connect(m_session, &PairSession::lemmasChanged, this, [this] { m_lemmas->setLemmas(m_session->lemmas()); });
    connect(m_session, &PairSession::reportWritten, this,
            [this](const QString& folder) { statusBar()->showMessage(tr("Report written to %1").arg(folder), 10'000); });
}

void MainWindow::pairOpened() {
    const Session& session = m_session->session();
    m_progress = {};
    m_trouble.clear();
    m_history.clear();
    m_lemma.reset();
    m_node.reset();
    m_pendingReference.clear();
    m_justOpened = true;
    const bool open = session.isOpen();
    if (open || !showsPrograms()) {
        showPage(!open);
    }
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        if (m_session->isReload()) {
            canvas(side)->keepView();
        }
        canvas(side)->setScene(nullptr);
        canvas(side)->setNotice({});
        m_sides[static_cast<std::size_t>(side)]->setFile(open ? pathText(side == Side::Reference ? session.reference : session.rewritten)
                                                              : QString());
        m_sides[static_cast<std::size_t>(side)]->setCounts(open ? tr("nodes: %1").arg(m_session->tree(side)->nodeCount()) : QString());
    }
    if (open) {
        QString title = tr("%1 ⇢ %2 — Lemmascope").arg(pathText(session.reference.filename()), pathText(session.rewritten.filename()));
        const auto step = currentStep();
        if (step) {
            title = tr("Step %1 of %2: %3").arg(*step + 1).arg(m_steps->steps().size()).arg(title);
        }
        m_stepsPanel->select(step);
        setWindowTitle(title);
        m_recent.add({session.reference, session.rewritten, {}});
        canvas(Side::Reference)->setFocus();
    } else {
        if (!showsPrograms()) {
            setWindowTitle(tr("Lemmascope"));
        }
        m_welcome->setFiles({}, {});
    }
    refreshRecent();
    refreshPanels();
    updateActions();
}

void MainWindow::rememberVerdict() {
    const Session& session = m_session->session();
    if (m_session->state() == PairSession::State::Decided && session.result && !m_session->isLoading()) {
        m_recent.add({session.reference, session.rewritten, verdictLine(*session.result)});
        refreshRecent();
    }
}

void MainWindow::refreshRecent() {
    m_welcome->setRecent(m_recent.pairs());
    if (m_recentMenu != nullptr) {
        m_recentMenu->clear();
        for (const RecentPair& pair : m_recent.pairs()) {
            QString text = tr("%1 → %2").arg(toQString(pair.reference.filename().string()), toQString(pair.rewritten.filename().string()));
            if (!pair.verdict.empty()) {
                text += QStringLiteral("  (%1)").arg(toQString(pair.verdict.substr(0, pair.verdict.find(':', pair.verdict.find(':') + 1))));
            }
            m_recentMenu->addAction(text.replace(u'&', QStringLiteral("&&")), this,
                                    [this, pair] { openPair(pathText(pair.reference), pathText(pair.rewritten)); });
        }
        m_recentMenu->setEnabled(!m_recent.pairs().empty());
    }
    if (!m_stateFolder.empty() && !m_recent.pairs().empty()) {
        if (const auto saved = m_recent.save(m_stateFolder / "recent.json"); !saved) {
            m_stateFolder.clear(); // say it once
            m_messages->addError(tr("Keeping the recent pairs"), saved.error());
        }
    }
}

void MainWindow::refreshBanner() {
    if (routed([this](ProgramPart& part) { part.refreshBanner(*m_banner); })) {
        return;
    }
    m_banner->setWanted(m_session->session().options.wanted);
    m_stepsPanel->setWanted(m_session->session().options.wanted);
    if (m_session->isLoading()) {
        m_banner->showLoading(m_loading);
        m_banner->show();
        return;
    }
    m_banner->setVisible(m_session->session().isOpen());
    switch (m_session->state()) {
    case PairSession::State::Empty: break;
    case PairSession::State::Checking: {
        const auto& earlier = m_session->lemmas();
        const QString known = !earlier->result                          ? QString()
                              : earlier->source == LemmaSource::Session ? tr("%1 (from the session)").arg(bannerTitle(*earlier->result))
                                                                        : tr("was %1").arg(bannerTitle(*earlier->result));
        m_banner->showChecking(m_progress.phase, m_progress.done, m_progress.total, known);
        break;
    }
    case PairSession::State::Decided:
        m_banner->showResult(m_session->session().result);
        m_banner->setStale(m_session->isStale());
        break;
    case PairSession::State::Stopped: m_banner->showNoVerdict(tr("STOPPED"), tr("The check was stopped: there is no verdict.")); break;
    case PairSession::State::Failed:
        m_banner->showNoVerdict(tr("NO VERDICT"), m_trouble.isEmpty() ? tr("The check failed: see Messages.") : m_trouble);
        break;
    }
}

void MainWindow::refreshPanels() {
    const auto& result = m_session->session().result;
    QString lemmas;
    QString example;
    switch (m_session->state()) {
    case PairSession::State::Empty:
        lemmas = tr("No lemmas yet: checking starts when both graphs are open.");
        example = tr("No counterexample: nothing has been checked yet.");
        break;
    case PairSession::State::Checking:
        lemmas = tr("The check is running. Its lemmas appear here with their verdicts.");
        example = tr("The check is running.");
        break;
    case PairSession::State::Stopped:
        lemmas = tr("The check was stopped. Check again with F5.");
        example = lemmas;
        break;
    case PairSession::State::Failed:
        lemmas = tr("The check failed: Messages (Ctrl+6) says why.");
        example = lemmas;
        break;
    case PairSession::State::Decided:
        lemmas = noLemmasText(*result);
        switch (result->verdict) {
        case Verdict::Proved: example = tr("Proved: there is no counterexample."); break;
        case Verdict::Refuted: example = tr("Refuted without a run: %1").arg(bannerReason(*result)); break;
        case Verdict::Unproved: example = tr("Unproved: no counterexample was confirmed. %1").arg(bannerReason(*result)); break;
        case Verdict::Undecided: example = tr("Undecided: no counterexample is known. %1").arg(bannerReason(*result)); break;
        }
        break;
    }
    m_lemmas->setLemmas(m_session->lemmas(), lemmas);
    // Only when there is something new: a selection survives a job that ends or files that change.
    if (result != m_shownResult || !result) {
        if (!result) {
            m_lemma.reset(); // the pair was closed, or a check begins
        } else if (m_lemma && m_shownResult) {
            m_lemma = sameLemma(*m_shownResult, *m_lemma, *result); // a lemma asked again, perhaps under another number
        }
        m_shownResult = result;
        m_counterexample->setResult(result, example);
        m_ownInputs->setResult(result);
        if (result && result->onInputs) {
            showDock(Dock::OwnInputs, false);
        }
        m_query->clear(tr("Select a lemma to read what the solver is asked."));
        m_inspector->clear();
        if (m_lemma && *m_lemma < result->lemmas.size()) {
            showLemmaPanels(*m_lemma);
        }
    }
    refreshStatus();
}

void MainWindow::refreshStatus() {
    const int running = m_jobs->runningCount();
    m_jobsButton->setText(running == 0 ? tr("no jobs running") : tr("jobs running: %1").arg(running));
    if (isWelcome() || showsPrograms()) {
        m_nodesLabel->clear();
        m_zoomLabel->clear();
        return;
    }
    const auto shown = [this](Side side) {
        const auto& scene = canvas(side)->scene();
        const std::size_t all = m_session->tree(side) != nullptr ? m_session->tree(side)->nodeCount() : 0;
        return tr("%1 of %2").arg(scene ? all - std::min(all, scene->hiddenNodes) : 0).arg(all);
    };
    QString text = tr("showing %1 and %2 nodes").arg(shown(Side::Reference), shown(Side::Rewritten));
    if (m_session->sceneOptions().focusOnDifference) {
        text += tr(" (focus, context %1)").arg(m_session->sceneOptions().contextHops);
    }
    m_nodesLabel->setText(text);
    m_zoomLabel->setText(tr("zoom %1 %").arg(qRound(canvas(activeSide())->scale() * 100)));
}

void MainWindow::showScenes(const ScenePair& scenes) {
    canvas(Side::Reference)->setScene(scenes.reference);
    canvas(Side::Rewritten)->setScene(scenes.rewritten);
    refreshOverlays();
    // Also when the way there is still being animated: it leads to a place of the scenes before.
    const bool onTheWay = m_centred.isValid() && m_centred.elapsed() < GraphCanvas::AnimationMs + 100;
    if (m_lemma && (m_centreAgain || onTheWay)) {
        centreOnLemma(*m_lemma, false);
    }
    m_centreAgain = false;
    goToFirstFailing();
    refreshStatus();
}

QString MainWindow::versions() const { return toQString(m_versions); }

bool MainWindow::isWelcome() const { return m_stack->currentWidget() == m_welcome; }

void MainWindow::showPage(bool welcome) {
    const bool was = isWelcome() || showsPrograms();
    const bool left = showsPrograms();
    m_stack->setCurrentWidget(welcome ? static_cast<QWidget*>(m_welcome) : m_splitter);
    m_banner->setVisible(!welcome);
    if (welcome) {
        if (!was) {
            m_dockState = saveState(LayoutVersion);
        }
        for (QDockWidget* dock : m_docks) {
            dock->hide();
        }
    } else if (was) {
        restoreState(m_dockState, LayoutVersion);
    }
    if (welcome != was || left) { // a reader may have closed it
        showStepsDock();
    }
    refreshStatus();
}

GraphCanvas* MainWindow::canvas(Side side) const { return m_sides[static_cast<std::size_t>(side)]->canvas(); }

void MainWindow::openPair(const QString& reference, const QString& rewritten) {
    m_lastFolder = QFileInfo(reference).path();
    const std::filesystem::path first = toPath(QFileInfo(reference).absoluteFilePath());
    const std::filesystem::path second = toPath(QFileInfo(rewritten).absoluteFilePath());
    if (ProgramSession::isProgram(first) || ProgramSession::isProgram(second)) {
        m_steps->close();
        m_programSession->open(first, second);
        return;
    }
    if (!m_steps->indexOf(first, second)) {
        m_steps->close(); // another pair: the list would speak of something else
    }
    m_session->open(first, second);
}

void MainWindow::openOne(const QString& file) {
    const Session& session = m_session->session();
    if (m_programSession->isOpen() && ProgramSession::isProgram(toPath(file))) {
        openPair(pathText(m_programSession->reference()), file);
    } else if (session.isOpen() && !ProgramSession::isProgram(toPath(file))) {
        openPair(pathText(session.reference), file); // a new rewrite of what is open
    } else if (!m_pendingReference.isEmpty()) {
        openPair(m_pendingReference, file);
    } else {
        m_pendingReference = file;
        m_welcome->setFiles(file, {});
        if (!findChild<RulesPart*>()->source().isEmpty()) {
            openWaitingAlone();
        }
    }
}

void MainWindow::openWaitingAlone() {
    if (!m_pendingReference.isEmpty() && !ProgramSession::isProgram(toPath(m_pendingReference)) && !m_session->session().isOpen()) {
        openPair(m_pendingReference, m_pendingReference);
    }
}

void MainWindow::exportReport(const QString& folder, bool anonymous) {
    if (!routed([&](ProgramPart& part) { part.session()->exportReport(toPath(folder), anonymous); })) {
        m_session->exportReport(toPath(folder), anonymous);
    }
}

QDockWidget* MainWindow::addPartDock(const QString& title, const QString& name, QWidget* content, Qt::DockWidgetArea area, QDockWidget* tabbedWith,
                                     bool shown, Needs needs) {
    auto* made = new QDockWidget(title, this);
    made->setObjectName(name); // saveState goes by it
    made->setAccessibleName(title);
    content->setAccessibleName(title);
    made->setWidget(content);
    addDockWidget(area, made);
    if (tabbedWith != nullptr) {
        tabifyDockWidget(tabbedWith, made);
        tabbedWith->raise();
    }
    made->setVisible(shown);
    m_docks.push_back(made);
    addDockAction(made, needs);
    return made;
}

void MainWindow::showDock(QDockWidget* wanted, bool focus) {
    wanted->show();
    wanted->raise();
    if (focus) {
        QWidget* inside = wanted->widget();
        QWidget* next = inside->nextInFocusChain();
        while (next != inside && !(inside->isAncestorOf(next) && (next->focusPolicy() & Qt::TabFocus) != 0 && next->isVisibleTo(inside))) {
            next = next->nextInFocusChain();
        }
        next->setFocus(Qt::ShortcutFocusReason);
    }
}

void MainWindow::restoreLayout() {
    const QSettings settings(settingsName(), settingsName());
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    const QByteArray docks = settings.value(QStringLiteral("window/docks%1").arg(LayoutVersion)).toByteArray();
    if (!docks.isEmpty() && restoreState(docks, LayoutVersion)) {
        m_dockState = docks;
    }
    m_lastFolder = settings.value(QStringLiteral("files/folder")).toString();
}

void MainWindow::saveLayout() {
    QSettings settings(settingsName(), settingsName());
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/docks%1").arg(LayoutVersion), isWelcome() || showsPrograms() ? m_dockState : saveState(LayoutVersion));
    settings.setValue(QStringLiteral("files/folder"), m_lastFolder);
}

void MainWindow::restoreDefaultLayout() {
    if (isWelcome()) {
        m_dockState = m_defaultState;
    } else if (showsPrograms()) {
        m_programs->arrange();
    } else {
        restoreState(m_defaultState, LayoutVersion);
    }
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (m_keepsLayout) {
        saveLayout();
    }
    Q_EMIT aboutToClose();
    m_session->stop();
    m_programSession->stop();
    m_steps->close();
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (std::any_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); })) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event) {
    QStringList files;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) {
            files << url.toLocalFile();
        }
    }
    event->acceptProposedAction();
    if (files.size() > 2) { // dropped at once: a file manager's order is none
        std::sort(files.begin(), files.end(), [](const QString& a, const QString& b) { return naturalLess(toStdString(a), toStdString(b)); });
    }
    openFiles(files);
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        if (m_session != nullptr && m_sides[0] != nullptr) {
            m_session->setMetrics(canvas(Side::Reference)->sceneMetrics());
        }
    }
}

} // namespace lemmascope
