// Menus, keys and dialogs of MainWindow. Every entry does something now; what later work brings is not listed.

#include "ui/window/main_window.h"

#include "core/graph/definition_library.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/jobs/job_list_model.h"
#include "ui/jobs/program_session.h"
#include "ui/models/message_model.h"
#include "ui/panels/counterexample_panel.h"
#include "ui/panels/lemma_panel.h"
#include "ui/panels/open_pair_dialog.h"
#include "ui/panels/program_page.h"
#include "ui/panels/query_panel.h"
#include "ui/panels/side_view.h"
#include "ui/panels/verdict_banner.h"
#include "ui/views/fact_table_view.h"
#include "ui/views/lemma_tree_view.h"
#include "ui/views/text.h"
#include "ui/views/verdict_text.h"
#include "ui/window/program_part.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QSplitter>
#include <QStatusBar>
#include <QStyle>
#include <QToolBar>
#include <QVBoxLayout>

#include <algorithm>

namespace lemmascope {

QAction* MainWindow::addMenuAction(QMenu* menu, const QString& text, const QList<QKeySequence>& keys, const std::function<void()>& act, Needs needs) {
    auto* action = new QAction(text, this);
    action->setShortcuts(keys);
    QString plain = text;
    plain.remove(u'&').remove(QStringLiteral("…"));
    action->setToolTip(keys.isEmpty() ? plain : QStringLiteral("%1 (%2)").arg(plain, keys.front().toString(QKeySequence::NativeText)));
    connect(action, &QAction::triggered, this, act);
    QWidget::addAction(action); // so that its keys work while the menu is closed
    menu->addAction(action);
    if (needs != Needs::Nothing) {
        m_needs.emplace_back(action, needs);
    }
    return action;
}

QAction* MainWindow::addLetterAction(QMenu* menu, const QString& text, const QList<QKeySequence>& keys, const std::function<void()>& act,
                                     Needs needs) {
    QAction* action = addMenuAction(menu, text, keys, act, needs);
    removeAction(action);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    canvas(Side::Reference)->addAction(action);
    canvas(Side::Rewritten)->addAction(action);
    m_lemmas->table()->addAction(action);
    return action;
}

void MainWindow::addDockAction(QDockWidget* dock, Needs needs) {
    QList<QKeySequence> keys;
    constexpr qsizetype Digits = 9;
    if (const auto number = m_docksMenu->actions().size() + 1; number <= Digits) {
        keys << QKeySequence(QStringLiteral("Ctrl+%1").arg(number));
    }
    addMenuAction(
        m_docksMenu, dock->windowTitle(), keys,
        [this, dock] {
            // One key shows, a second press hides.
            const bool seen = dock->isVisible() && !dock->visibleRegion().isEmpty();
            if (seen && dock->isAncestorOf(QApplication::focusWidget())) {
                dock->hide();
                (isWelcome()       ? static_cast<QWidget*>(m_welcome)
                 : showsPrograms() ? static_cast<QWidget*>(m_programs->page()->view(m_programs->page()->activeSide()))
                                   : canvas(activeSide()))
                    ->setFocus();
            } else {
                showDock(dock, true);
            }
        },
        needs);
}

void MainWindow::buildActions() {
    const auto key = [](const char* text) { return QKeySequence(QString::fromLatin1(text)); };
    const auto addMenu = [this](Menu which, const QString& title) { return m_menus[static_cast<std::size_t>(which)] = m_menuBar->addMenu(title); };
    // Dialogs open on the next turn: whoever triggered the action, a screen reader by a call that waits, gets control back first.
    const auto asks = [this](auto&& act) { return [this, act] { QMetaObject::invokeMethod(this, act, Qt::QueuedConnection); }; };
    QMenu* file = addMenu(Menu::File, tr("&File"));
    QAction* open = addMenuAction(file, tr("&Open Pair…"), {key("Ctrl+O")}, asks([this] { askForPair(); }));
    addMenuAction(file, tr("Open &Steps…"), {key("Ctrl+Shift+O")}, asks([this] { askForSteps(false); }));
    addMenuAction(file, tr("Open &Folder of Steps…"), {}, asks([this] { askForSteps(true); }));
    m_recentMenu = file->addMenu(tr("Open &Recent"));
    m_reloadAction = addMenuAction(file, tr("Re&load"), {key("F5"), key("Ctrl+R")}, [this] {
        if (routed([](ProgramPart& part) { part.session()->reload(); })) {
            return;
        }
        m_session->reload();
        m_steps->check(m_session->session().options, m_session->allAccepted());
    });
    m_swapAction = addMenuAction(file, tr("S&wap Sides"), {}, [this] {
        if (!routed([](ProgramPart& part) { part.session()->swapSides(); })) {
            m_session->swapSides();
        }
    });
    file->addSeparator();
    addMenuAction(file, tr("&Definitions of Ops…"), {}, asks([this] { askForDefinitions(); }));
    m_noDefinitionsAction = addMenuAction(file, tr("Withou&t Definitions"), {}, [this] { useDefinitions({}); });
    file->addSeparator();
    m_reportAction = addMenuAction(file, tr("E&xport Report…"), {key("Ctrl+Shift+E")}, asks([this] { askForReportFolder(); }));
    file->addSeparator();
    m_closeAction = addMenuAction(file, tr("&Close Pair"), {key("Ctrl+W")}, [this] {
        if (routed([](ProgramPart& part) { part.session()->close(); })) {
            return;
        }
        m_steps->close();
        m_session->close();
    });
    addMenuAction(file, tr("&Quit"), {key("Ctrl+Q")}, [this] { close(); });

    QMenu* edit = addMenu(Menu::Edit, tr("&Edit"));
    QMenu* copyAs = edit->addMenu(tr("Copy &As"));
    addMenuAction(
        copyAs, tr("Counterexample as &Text"), {}, [this] { m_counterexample->copyAsText(); }, Needs::Result);
    addMenuAction(
        copyAs, tr("Counterexample as &Markdown"), {}, [this] { m_counterexample->copyAsMarkdown(); }, Needs::Result);
    addMenuAction(
        copyAs, tr("&Query (SMT-LIB)"), {}, [this] { m_query->copy(); }, Needs::Result);
    addMenuAction(
        edit, tr("Find &Lemma…"), {key("Ctrl+Shift+F")},
        [this] {
            showDock(Dock::Lemmas, false);
            m_lemmas->focusFilter();
        },
        Needs::Pair);

    QMenu* view = addMenu(Menu::View, tr("&View"));
    const auto onActive = [this](auto&& act) { return [this, act] { act(canvas(activeSide())); }; };
    const auto pairAction = [this](QAction* action) { m_needs.emplace_back(action, Needs::Pair); };
    QMenu* zoom = view->addMenu(tr("&Zoom"));
    // The canvas itself has the plain keys + - 0 F.
    pairAction(addMenuAction(zoom, tr("Zoom &In"), {}, onActive([](GraphCanvas* canvas) { canvas->zoomBy(1.25, {}); })));
    pairAction(addMenuAction(zoom, tr("Zoom &Out"), {}, onActive([](GraphCanvas* canvas) { canvas->zoomBy(0.8, {}); })));
    pairAction(addMenuAction(zoom, tr("&100 %"), {}, onActive([](GraphCanvas* canvas) { canvas->resetZoom(); })));
    pairAction(addMenuAction(zoom, tr("&Fit"), {}, onActive([](GraphCanvas* canvas) { canvas->fit(); })));
    m_focusAction = addMenuAction(view, tr("Focus on &Difference"), {key("Ctrl+D")}, [this] { setFocusOnDifference(m_focusAction->isChecked()); });
    m_focusAction->setCheckable(true);
    m_focusAction->setToolTip(tr("Show only what differs and its surroundings (Ctrl+D)"));
    QMenu* hops = view->addMenu(tr("Context &Hops"));
    const auto changeHops = [this](int by) {
        m_session->setContextHops(m_session->sceneOptions().contextHops + by);
        if (!m_session->sceneOptions().focusOnDifference) {
            m_focusAction->trigger(); // asking for context means that
        }
        refreshStatus();
    };
    pairAction(addLetterAction(hops, tr("&Fewer"), {key("H")}, [changeHops] { changeHops(-1); }));
    pairAction(addLetterAction(hops, tr("&More"), {key("Shift+H")}, [changeHops] { changeHops(1); }));
    QMenu* labels = view->addMenu(tr("Edge &Labels"));
    auto* labelGroup = new QActionGroup(this);
    for (const auto& [text, kind] :
         {std::pair{tr("&None"), EdgeLabels::None}, std::pair{tr("&Types"), EdgeLabels::Types}, std::pair{tr("N&ames"), EdgeLabels::Names}}) {
        QAction* action = addMenuAction(labels, text, {}, [this, wanted = kind] {
            canvas(Side::Reference)->setEdgeLabels(wanted);
            canvas(Side::Rewritten)->setEdgeLabels(wanted);
        });
        action->setCheckable(true);
        action->setChecked(kind == EdgeLabels::Types);
        labelGroup->addAction(action);
        connect(canvas(Side::Rewritten), &GraphCanvas::edgeLabelsChanged, action,
                [this, action, wanted = kind] { action->setChecked(canvas(Side::Rewritten)->edgeLabels() == wanted); });
    }
    m_lockAction = addMenuAction(view, tr("Lock Sides &Together"), {key("Ctrl+L")}, [] {});
    m_lockAction->setCheckable(true);
    m_lockAction->setObjectName(QStringLiteral("lockSides"));
    const auto lock = [this](bool on) {
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            canvas(side)->setFitPartner(on ? canvas(other(side)) : nullptr);
        }
    };
    connect(m_lockAction, &QAction::toggled, this, lock);
    m_lockAction->setChecked(true);
    QAction* overview = addMenuAction(view, tr("&Overview Maps"), {key("Ctrl+M")}, [] {});
    overview->setCheckable(true);
    overview->setChecked(true);
    connect(overview, &QAction::toggled, this, [this](bool on) {
        m_sides[0]->setOverviewVisible(on);
        m_sides[1]->setOverviewVisible(on);
    });
    m_docksMenu = view->addMenu(tr("Doc&ks"));
    for (std::size_t i = 0; i < m_docks.size(); ++i) {
        // Why a pair could not be opened is read on the start page too.
        const auto which = static_cast<Dock>(i);
        addDockAction(m_docks[i], which == Dock::Steps ? Needs::Steps : which == Dock::Messages ? Needs::Nothing : Needs::Pair);
    }
    pairAction(addMenuAction(view, tr("&Restore Default Layout"), {key("Ctrl+0")}, [this] { restoreDefaultLayout(); }));
    QAction* fullScreen =
        addMenuAction(view, tr("F&ull Screen"), {key("Alt+Return")}, [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    fullScreen->setCheckable(true);

    QMenu* go = addMenu(Menu::Go, tr("&Go"));
    m_backAction = addMenuAction(go, tr("&Back"), {key("Alt+Left")}, [this] { travel(-1); });
    m_forwardAction = addMenuAction(go, tr("&Forward"), {key("Alt+Right")}, [this] { travel(1); });
    go->addSeparator();
    QAction* nextFailing = addMenuAction(go, tr("&Next Failing Lemma"), {key("F8")}, [this] { goToNextFailing(false); });
    QAction* previousFailing = addMenuAction(go, tr("&Previous Failing Lemma"), {key("Shift+F8")}, [this] { goToNextFailing(true); });
    nextFailing->setIconText(tr("Next failing"));
    previousFailing->setIconText(tr("Previous failing"));
    m_needs.emplace_back(nextFailing, Needs::Failing);
    m_needs.emplace_back(previousFailing, Needs::Failing);
    addMenuAction(
        go, tr("Next &Difference"), {key("Alt+Down")}, [this] { goToDifference(false); }, Needs::Open);
    addMenuAction(
        go, tr("Previous D&ifference"), {key("Alt+Up")}, [this] { goToDifference(true); }, Needs::Open);
    go->addSeparator();
    pairAction(addMenuAction(go, tr("Pa&rtner"), {key("Ctrl+Space")}, [this] { goToPartner(); }));
    addLetterAction(
        go, tr("Next &Value on the Way"), {key(".")}, [this] { step(1); }, Needs::Result);
    addLetterAction(
        go, tr("Previous Va&lue on the Way"), {key(",")}, [this] { step(-1); }, Needs::Result);
    go->addSeparator();
    addMenuAction(
        go, tr("Next S&tep"), {key("Ctrl+PgDown")}, [this] { goToStep(false); }, Needs::Steps);
    addMenuAction(
        go, tr("Previous St&ep"), {key("Ctrl+PgUp")}, [this] { goToStep(true); }, Needs::Steps);
    go->addSeparator();
    addMenuAction(go, tr("Ne&xt Pane"), {key("F6")}, [this] { focusNextPane(false); });
    addMenuAction(go, tr("Previ&ous Pane"), {key("Shift+F6")}, [this] { focusNextPane(true); });

    QMenu* lemmas = addMenu(Menu::Lemmas, tr("&Lemmas"));
    m_checkAction = addMenuAction(lemmas, tr("&Check All"), {key("Shift+F7")}, [this] {
        if (routed([](ProgramPart& part) { part.session()->check(part.session()->options()); })) {
            return;
        }
        m_session->check(m_session->session().options);
        m_steps->check(m_session->session().options, m_session->allAccepted());
    });
    m_stopAction = addMenuAction(lemmas, tr("&Stop"), {key("Esc")}, [this] {
        m_programSession->stop();
        m_session->stop();
        m_steps->stop();
        m_jobs->stopAll(); // those of the parts too
    });
    buildAcceptActions(lemmas);
    addMenuAction(lemmas, tr("Try &Inputs…"), {key("Ctrl+I")}, asks([this] { askForInputs(); }), Needs::Pair);
    m_foldAction = addLetterAction(lemmas, tr("&Fold Proved"), {key("!")}, [this] { m_lemmas->setProvedFolded(m_foldAction->isChecked()); });
    m_foldAction->setCheckable(true);
    connect(m_lemmas, &LemmaPanel::provedFoldedChanged, m_foldAction, &QAction::setChecked);
    QMenu* wanted = lemmas->addMenu(tr("Strength &Wanted"));
    m_strengths = new QActionGroup(this);
    const auto want = [this](Strength strength) {
        if (routed([strength](ProgramPart& part) { part.want(strength); })) {
            return;
        }
        CheckOptions options = m_session->session().options;
        if (options.wanted != strength) {
            options.wanted = strength;
            m_session->check(options);
        }
        refreshBanner();
        updateActions();
    };
    for (const Strength strength : {Strength::Identical, Strength::Open, Strength::Exact, Strength::Rounded, Strength::Probable}) {
        QAction* action = addMenuAction(wanted, word(strength), {}, [want, strength] { want(strength); });
        action->setCheckable(true);
        action->setData(static_cast<int>(strength));
        action->setToolTip(explanation(strength));
        m_strengths->addAction(action);
    }
    wanted->setToolTipsVisible(true);

    addMenu(Menu::Matcher, tr("&Matcher"));
    addMenu(Menu::Help, tr("&Help"));

    open->setIcon(style()->standardIcon(QStyle::SP_DialogOpenButton));
    m_reloadAction->setIcon(style()->standardIcon(QStyle::SP_BrowserReload));
    m_stopAction->setIcon(style()->standardIcon(QStyle::SP_BrowserStop));
    m_backAction->setIcon(style()->standardIcon(QStyle::SP_ArrowBack));
    m_forwardAction->setIcon(style()->standardIcon(QStyle::SP_ArrowForward));
    previousFailing->setIcon(style()->standardIcon(QStyle::SP_ArrowUp));
    nextFailing->setIcon(style()->standardIcon(QStyle::SP_ArrowDown));
    m_hopsLabel = new QLabel(tr("Context %1").arg(m_session->sceneOptions().contextHops), m_toolBar);
    m_hopsLabel->setAccessibleName(tr("Context hops"));
    m_hopsLabel->setMargin(4);
    connect(m_session, &PairSession::sceneOptionsChanged, this, [this] {
        m_hopsLabel->setText(tr("Context %1").arg(m_session->sceneOptions().contextHops));
        m_focusAction->setChecked(m_session->sceneOptions().focusOnDifference);
        refreshStatus();
    });
    for (QAction* action :
         {open, m_reloadAction, static_cast<QAction*>(nullptr), m_backAction, m_forwardAction, static_cast<QAction*>(nullptr), m_stopAction,
          static_cast<QAction*>(nullptr), previousFailing, nextFailing, static_cast<QAction*>(nullptr), m_focusAction}) {
        if (action == nullptr) {
            m_toolBar->addSeparator();
            continue;
        }
        m_toolBar->addAction(action);
        if (QWidget* made = m_toolBar->widgetForAction(action)) {
            QString name = action->text();
            made->setAccessibleName(name.remove(u'&').remove(QStringLiteral("…")));
            made->setFocusPolicy(Qt::TabFocus);
        }
    }
    m_toolBar->addWidget(m_hopsLabel);

    connect(m_banner, &VerdictBanner::goRequested, this, [this] {
        if (routed([](ProgramPart& part) { part.goToFirst(); })) {
            return;
        }
        const auto& result = m_session->session().result;
        if (result && firstFailing(*result) < result->lemmas.size()) {
            goToLemma(firstFailing(*result));
        }
    });
    connect(m_banner, &VerdictBanner::reportRequested, this, &MainWindow::askForReportFolder);
    connect(m_banner, &VerdictBanner::stopRequested, m_stopAction, &QAction::trigger);
    connect(m_banner, &VerdictBanner::reloadRequested, this, [this] {
        if (!routed([](ProgramPart& part) { part.session()->reload(); })) {
            m_session->reload();
        }
    });
    connect(m_banner, &VerdictBanner::wantedChosen, this, want);
    connect(m_welcome, &WelcomePage::pairChosen, this, &MainWindow::openPair);
}

void MainWindow::updateActions() {
    if (m_reloadAction == nullptr) {
        return;
    }
    const bool open = m_session->session().isOpen();
    const bool result = open && m_session->session().result != nullptr;
    const bool programs = m_programSession->isOpen();
    for (QAction* action : {m_reloadAction, m_swapAction, m_closeAction, m_checkAction, m_lockAction}) {
        action->setEnabled(open || programs);
    }
    const bool failing = result && m_lemmas->nextFailing(std::nullopt, false).has_value();
    m_reportAction->setEnabled(result || m_programSession->compared() != nullptr);
    m_noDefinitionsAction->setEnabled(m_session->session().options.definitions != nullptr);
    for (const auto& [action, needs] : m_needs) {
        switch (needs) {
        case Needs::Nothing: break;
        case Needs::Pair: action->setEnabled(open); break;
        case Needs::Result: action->setEnabled(result); break;
        case Needs::Failing: action->setEnabled(failing || (programs && m_programs->hasFailing())); break;
        case Needs::Steps: action->setEnabled(!m_steps->steps().empty()); break;
        case Needs::Open: action->setEnabled(open || programs); break;
        case Needs::Programs: action->setEnabled(programs); break;
        }
    }
    refreshAccepted();
    const auto differs = [this](Side side) { return !m_session->differingNodes(side).empty(); };
    m_focusAction->setEnabled(open && (m_focusAction->isChecked() || differs(Side::Reference) || differs(Side::Rewritten)));
    m_foldAction->setEnabled(result);
    m_stopAction->setEnabled(m_jobs->runningCount() > 0);
    m_backAction->setEnabled(open && m_history.canGo(-1));
    m_forwardAction->setEnabled(open && m_history.canGo(1));
    const Strength wanted = programs ? m_programSession->options().wanted : m_session->session().options.wanted;
    for (QAction* action : m_strengths->actions()) {
        action->setChecked(action->data().toInt() == static_cast<int>(wanted));
    }
}

void MainWindow::askForPair() {
    const Session& session = m_session->session();
    OpenPairDialog dialog(m_programSession->isOpen() ? pathText(m_programSession->reference())
                          : session.isOpen()         ? pathText(session.reference)
                                                     : m_pendingReference,
                          m_programSession->isOpen() ? pathText(m_programSession->rewritten())
                          : session.isOpen()         ? pathText(session.rewritten)
                                                     : QString(),
                          this);
    if (dialog.exec() == QDialog::Accepted) {
        openPair(dialog.reference(), dialog.rewritten());
    }
}

void MainWindow::askForDefinitions() {
    const QString file = QFileDialog::getOpenFileName(this, tr("Definitions of Ops"), m_lastFolder, tr("Definitions (*.defs);;All files (*)"));
    if (!file.isEmpty()) {
        useDefinitions(file);
    }
}

void MainWindow::useDefinitions(const QString& file) {
    CheckOptions options = m_session->session().options;
    options.definitions = nullptr;
    if (!file.isEmpty()) {
        constexpr qint64 Most = qint64{1} << 22;
        QFile opened(file);
        const QString task = tr("Reading the definitions");
        if (!opened.open(QIODevice::ReadOnly)) {
            m_messages->addError(task, Error{ErrorCode::NotFound, toStdString(opened.errorString()), toStdString(file)});
            return;
        }
        const QByteArray text = opened.read(Most + 1);
        const auto library = DefinitionLibrary::parse(std::string_view(text.constData(), static_cast<std::size_t>(text.size())), toStdString(file));
        if (!library) {
            m_messages->addError(task, library.error());
            return;
        }
        options.definitions = *library;
        statusBar()->showMessage(tr("%n op(s) defined by %1", nullptr, static_cast<int>((*library)->names().size())).arg(file), 10'000);
    }
    m_session->check(options);
    m_steps->check(options, m_session->allAccepted());
    refreshBanner();
    updateActions();
}

void MainWindow::askForReportFolder() {
    const bool programs = m_programSession->compared() != nullptr;
    if (!programs && !m_session->session().result) {
        return;
    }
    QFileDialog dialog(this, tr("Export Report"), m_lastFolder);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setFileMode(QFileDialog::AnyFile);
    dialog.setLabelText(QFileDialog::Accept, tr("Export"));
    dialog.setLabelText(QFileDialog::FileName, tr("New folder:"));
    dialog.selectFile(QFileInfo(pathText(programs ? m_programSession->rewritten() : m_session->session().rewritten)).completeBaseName() +
                      tr("-report"));
    dialog.setOption(QFileDialog::DontUseNativeDialog); // for the check box below
    auto* anonymous = new QCheckBox(tr("Strip names, texts and constants that the failure does not need (&anonymous)"), &dialog);
    anonymous->setAccessibleName(tr("Anonymous report"));
    dialog.layout()->addWidget(anonymous);
    if (dialog.exec() == QDialog::Accepted && !dialog.selectedFiles().isEmpty()) {
        exportReport(dialog.selectedFiles().front(), anonymous->isChecked());
    }
}

void MainWindow::focusNextPane(bool backwards) {
    std::vector<QWidget*> panes;
    if (isWelcome()) {
        panes.push_back(m_welcome);
    } else {
        panes = {canvas(Side::Reference), canvas(Side::Rewritten)};
    }
    (void)routed([&panes](ProgramPart& part) { panes = {part.page()->view(Side::Reference), part.page()->view(Side::Rewritten)}; });
    for (QDockWidget* dock : m_docks) {
        if (dock->isVisible() && !dock->visibleRegion().isEmpty()) {
            panes.push_back(dock);
        }
    }
    panes.push_back(m_banner->isVisible() ? static_cast<QWidget*>(m_banner) : m_toolBar);
    const QWidget* focus = QApplication::focusWidget();
    const auto at = std::find_if(panes.begin(), panes.end(), [focus](QWidget* pane) { return pane == focus || pane->isAncestorOf(focus); });
    const std::size_t count = panes.size();
    const std::size_t from = at == panes.end() ? (backwards ? 0 : count - 1) : static_cast<std::size_t>(at - panes.begin());
    for (std::size_t step = 1; step <= count; ++step) {
        QWidget* pane = panes[(from + (backwards ? count - step % count : step)) % count];
        if (pane->focusPolicy() != Qt::NoFocus) {
            pane->setFocus(Qt::TabFocusReason);
            return;
        }
        for (QWidget* child : pane->findChildren<QWidget*>()) {
            if ((child->focusPolicy() & Qt::TabFocus) != 0 && child->isVisible() && child->isEnabled() && !child->visibleRegion().isEmpty()) {
                child->setFocus(Qt::TabFocusReason);
                return;
            }
        }
    }
}

} // namespace lemmascope
